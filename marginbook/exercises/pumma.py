"""Checkers of the chapter on PUMMA."""

import numpy as np

from marginbook.exercises import Property, close, where
from marginbook.pnorms import link
from marginbook.rules.pumma import bound_updates_spread, minimiser, solve


def _pairs(rng):
    """Old weights and a pair that asks for more: from zero, with the old constraint slack, and tight."""
    at, one = np.zeros(2), np.array([2.0, 0.0])
    yield dict(w=at, plus=one, minus=at)
    yield dict(w=at, plus=np.array([3.0, 5.0]), minus=np.array([1.0, 1.0]))
    yield dict(w=np.array([0.5, 0.0]), plus=one, minus=at)
    yield dict(w=np.array([0.6, 0.2]), plus=one, minus=at)
    yield dict(w=np.array([0.0, 1.0]), plus=one, minus=at)
    yield dict(w=np.array([-1.0, 1.0]), plus=one, minus=at)
    for _ in range(8):
        plus, minus = rng.integers(-4, 5, size=(2, 3)).astype(float)
        plus[0] += 9.0  # the two never coincide
        w = rng.integers(-3, 4, size=3).astype(float)
        most = w @ (plus - minus) / 2
        yield dict(w=w * min(1.0, 0.5 / most) if most > 0 else w, plus=plus, minus=minus)


def _pair_step(w, plus, minus):
    z = (plus - minus) / 2
    scale, step = minimiser(1.0, float(w @ z), float(z @ z), float(w @ w))
    v = scale * w + step * z
    return v, -v @ (plus + minus) / 2


def _met(f, w, plus, minus):
    v, b = f(w, plus, minus)
    return close(v @ plus + b, 1.0) and close(v @ minus + b, -1.0)


def _moved(f, w, plus, minus):
    far = np.full(len(w), 7.0)
    return close(f(w, plus + far, minus + far)[0], f(w, plus, minus)[0])


PAIR = [
    Property(
        "From w = 0 the new weights point along x+ - x-.",
        where(_pairs, lambda w, **_: not w.any()),
        lambda f, w, plus, minus: close(
            f(w, plus, minus)[0] / np.linalg.norm(f(w, plus, minus)[0]),
            (plus - minus) / np.linalg.norm(plus - minus),
        ),
    ),
    Property(
        "The new hyperplane gives the pair the scores 1 and -1: v.x+ + b = 1, v.x- + b = -1.", _pairs, _met
    ),
    Property("Both examples moved by the same vector make the same weights.", _pairs, _moved),
    Property(
        "The new weights keep the old constraint, v.w >= |w|^2.",
        _pairs,
        lambda f, w, plus, minus: f(w, plus, minus)[0] @ w >= w @ w - 1e-9,
    ),
    Property(
        "No longer weights than needed: where z / |z|^2 alone meets the old constraint, it is the solution.",
        where(_pairs, lambda **c: minimiser(1.0, *_products(**c))[0] == 0.0),
        lambda f, w, plus, minus: close(f(w, plus, minus)[0], _pair_step(w, plus, minus)[0]),
    ),
    Property(
        "The weights and the bias are those of the algorithm.",
        _pairs,
        lambda f, w, plus, minus: all(map(close, f(w, plus, minus), _pair_step(w, plus, minus))),
    ),
]


def _products(w, plus, minus):
    z = (plus - minus) / 2
    return float(w @ z), float(z @ z), float(w @ w)


def _steps(rng):
    """theta, z and p with link(theta).z < 1."""
    yield dict(theta=np.zeros(2), z=np.array([2.0, 0.0]), p=2.0)
    yield dict(theta=np.zeros(2), z=np.array([1.0, 1.0]), p=4.0)
    yield dict(theta=np.array([1.0, 0.0]), z=np.array([0.0, 1.0]), p=4.0)
    yield dict(theta=np.array([0.5, 0.0]), z=np.array([1.0, 0.0]), p=4.0)
    yield dict(theta=np.array([0.1, 0.2]), z=np.array([1.0, 1.0]), p=4.0)
    yield dict(theta=np.array([3.0, 2.0]), z=np.array([-5.0, -1.0]), p=6.0)
    for p in (2.0, 2.0, 3.0, 3.0, 6.0, 6.0):
        theta, z = rng.integers(-3, 4, size=(2, 4)).astype(float)
        theta[0], z[1] = theta[0] or 1.0, z[1] or 1.0
        z[:2] += np.array([0.5, -0.25])  # not a multiple of theta
        most = link(theta, p) @ z
        yield dict(theta=theta * min(1.0, 0.6 / most) if most > 0 else theta, z=z, p=p)


def _new(f, theta, z, p):
    scale, step = f(theta, z, p)
    return link(scale * theta + step * z, p)


STEP = [
    Property(
        "Scale first, then step: from theta = 0 the scale does not matter, and v = link(step z) has v.z = 1.",
        where(_steps, lambda theta, **_: not theta.any()),
        lambda f, theta, z, p: close(_new(f, theta, z, p) @ z, 1.0),
    ),
    Property(
        "The new weights v = link(scale theta + step z) have v.z = 1.",
        _steps,
        lambda f, theta, z, p: close(_new(f, theta, z, p) @ z, 1.0),
    ),
    Property(
        "The new weights keep the old constraint, v.theta >= |theta|_p^2.",
        _steps,
        lambda f, theta, z, p: _new(f, theta, z, p) @ theta >= link(theta, p) @ theta - 1e-6,
    ),
    Property(
        "Where link(z) / |z|_p^2 alone meets the old constraint, the scale is 0.",
        where(_steps, lambda theta, z, p: theta.any() and solve(theta, z, p)[0] == 0.0),
        lambda f, theta, z, p: close(f(theta, z, p)[0], 0.0),
    ),
    Property(
        "Scale and step are those of the solution.",
        where(_steps, lambda theta, **_: theta.any()),
        lambda f, theta, z, p: all(map(close, f(theta, z, p), solve(theta, z, p))),
    ),
]


def _classes(rng):
    """Few examples of both classes, first far from the origin."""
    yield dict(X=np.array([[10.0], [12.0]]), y=np.array([-1.0, 1.0]), gamma=1.0, delta=0.5, p=2.0)
    X = np.array([[0.0, 0.0], [8.0, 0.0], [4.0, 3.0]])
    yield dict(X=X, y=np.array([1.0, 1.0, -1.0]), gamma=1.0, delta=1.0, p=2.0)
    yield dict(X=X, y=np.array([1.0, 1.0, -1.0]), gamma=1.0, delta=1.0, p=3.0)
    for n in (4, 6):
        X = rng.integers(-4, 5, size=(n, 3)).astype(float)
        yield dict(X=X, y=np.where(np.arange(n) < 2, 1.0, -1.0), gamma=0.5, delta=0.25, p=4.0)


def _bound(X, y, gamma, delta, p):
    spread = max(np.linalg.norm(a - b, p) for a in X[y > 0] for b in X[y < 0])
    return bound_updates_spread(spread, gamma, delta, p)


BOUND = [
    Property(
        "The same examples moved to another place have the same bound.",
        _classes,
        lambda f, X, y, gamma, delta, p: close(f(X, y, gamma, delta, p), f(X + 5.0, y, gamma, delta, p)),
    ),
    Property(
        "Twice the examples and twice gamma make the same problem, with the same bound.",
        _classes,
        lambda f, X, y, gamma, delta, p: close(f(X, y, gamma, delta, p), f(2 * X, y, 2 * gamma, delta, p)),
    ),
    Property(
        "Half the delta allows four times the updates.",
        _classes,
        lambda f, X, y, gamma, delta, p: close(4 * f(X, y, gamma, delta, p), f(X, y, gamma, delta / 2, p)),
    ),
    Property(
        "For two examples and p = 2 the bound is (distance / (delta gamma))^2.",
        where(_classes, lambda X, **_: len(X) == 2),
        lambda f, X, y, gamma, delta, p: close(f(X, y, gamma, delta, p), _bound(X, y, gamma, delta, p)),
    ),
    Property(
        "Only differences of examples of different classes count.",
        where(_classes, lambda X, p, **_: len(X) == 3 and p == 2.0),
        lambda f, X, y, gamma, delta, p: close(f(X, y, gamma, delta, p), _bound(X, y, gamma, delta, p)),
    ),
    Property(
        "For any p the bound is (p-1) (D / (delta gamma))^2, with the largest p-norm distance D.",
        _classes,
        lambda f, X, y, gamma, delta, p: close(f(X, y, gamma, delta, p), _bound(X, y, gamma, delta, p)),
    ),
]

EXERCISES = {"1": PAIR, "2": STEP, "3": BOUND}
