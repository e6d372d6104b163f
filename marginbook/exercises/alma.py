"""Checkers of the chapter on ALMA."""

import math

import numpy as np

from marginbook.exercises import Property, close, untouched, where
from marginbook.pnorms import link as _link


def _thetas(rng):
    """Vectors of one to four coordinates, with zeros and signs, and exponents from 2 on."""
    for p in (2.0, 3.0, 6.0):
        yield dict(theta=np.array([2.0]), p=p)
        yield dict(theta=np.array([1.0, -1.0]), p=p)
        yield dict(theta=np.array([3.0, 0.0, -1.0]), p=p)
        yield dict(theta=np.zeros(2), p=p)
        yield dict(theta=rng.integers(-4, 5, size=4).astype(float), p=p)


def _norm(v, p):
    return np.linalg.norm(v, p)


LINK = [
    Property(
        "For p = 2 the link changes nothing.",
        where(_thetas, lambda p, theta, **_: p == 2 and theta.any()),
        lambda f, theta, p: close(f(theta, p), theta),
    ),
    Property(
        "Each coordinate of w has the sign of that of theta.",
        where(_thetas, lambda theta, **_: theta.any()),
        lambda f, theta, p: np.array_equal(np.sign(f(theta, p)), np.sign(theta)),
    ),
    Property(
        "Twice theta gives twice w.",
        where(_thetas, lambda theta, **_: theta.any()),
        lambda f, theta, p: close(f(2 * theta, p), 2 * np.asarray(f(theta, p))),
    ),
    Property(
        "The q-norm of w is the p-norm of theta, where 1/p + 1/q = 1.",
        where(_thetas, lambda theta, **_: theta.any()),
        lambda f, theta, p: close(_norm(f(theta, p), p / (p - 1)), _norm(theta, p)),
    ),
    Property(
        "The vector 0 goes to the vector 0.",
        where(_thetas, lambda theta, **_: not theta.any()),
        lambda f, theta, p: close(f(theta, p), theta),
    ),
    Property(
        "w is the gradient of half the square of the p-norm, at theta.",
        _thetas,
        lambda f, theta, p: close(f(theta, p), _link(theta, p)),
    ),
]


def _trials(rng):
    """Link coordinates and an example: at the start, in the ball, and at its edge."""
    plain = dict(alpha=1.0, B=1.0, C=1.0, p=2.0)
    x = np.array([3.0, 4.0])
    for y in (1.0, -1.0):
        yield dict(theta=np.zeros(2), x=x, y=y, k=1, **plain)
        yield dict(theta=np.zeros(2), x=x, y=y, k=4, **plain)
        yield dict(theta=np.array([0.6, 0.0]), x=x, y=y, k=9, **plain)
        yield dict(theta=np.array([0.6, 0.8]), x=x, y=y, k=2, **plain)
    for y in (1.0, -1.0):  # the scores of theta and of w differ in sign
        yield dict(theta=np.array([0.8, -0.5]), x=np.array([1.0, 2.0]), y=y, k=3, **plain | {"p": 4.0})
    for p in (2.0, 4.0):
        for alpha in (1.0, 0.5):
            for size in (0.2, 1.0):
                for k in (1, 7, 60):
                    theta, x = rng.integers(-4, 5, size=(2, 3)) + 0.5
                    theta *= size / _norm(theta, p)
                    yield dict(
                        theta=theta, x=x, y=rng.choice([-1.0, 1.0]), k=k, alpha=alpha, B=2.0, C=0.8, p=p
                    )


def _margin(theta, x, y, p):
    return y * (_link(theta, p) @ x) / _norm(x, p)


def _fires(theta, x, y, k, alpha, B, C, p):
    return _margin(theta, x, y, p) <= (1 - alpha) * B * math.sqrt((p - 1) / k)


def _moved(theta, x, y, k, alpha, B, C, p):
    return theta + C / math.sqrt((p - 1) * k) / _norm(x, p) * y * x


def _step(**case):
    if not _fires(**case):
        return case["theta"]
    moved = _moved(**case)
    return moved / max(1.0, _norm(moved, case["p"]))


def _inside(p, **case):
    return _fires(p=p, **case) and _norm(_moved(p=p, **case), p) <= 1


def _call(f, case, **changes):
    return f(*(case | changes).values())


STEP = [
    Property(
        "An example with a margin above (1 - alpha) gamma_k leaves theta as it is.",
        where(_trials, lambda **c: not _fires(**c)),
        lambda f, **c: close(_call(f, c), c["theta"]),
    ),
    Property(
        "With alpha = 1 a score of zero is a mistake, and causes a correction.",
        where(_trials, lambda theta, alpha, **_: not theta.any() and alpha == 1),
        lambda f, **c: not close(_call(f, c), c["theta"]),
    ),
    Property(
        "Ten times the example causes the same correction: only its direction counts.",
        where(_trials, _fires),
        lambda f, **c: close(_call(f, c, x=10 * c["x"]), _call(f, c)),
    ),
    Property(
        "Where theta stays inside the ball, a correction raises y theta.x, whatever the label is.",
        where(_trials, _inside),
        lambda f, **c: c["y"] * (_call(f, c) - c["theta"]) @ c["x"] > 0,
    ),
    Property(
        "Where theta stays inside the ball, a correction moves it by C / sqrt((p - 1) k) in the p-norm.",
        where(_trials, _inside),
        lambda f, **c: close(
            _norm(_call(f, c) - c["theta"], c["p"]), c["C"] / math.sqrt((c["p"] - 1) * c["k"])
        ),
    ),
    Property(
        "After a correction theta is in the unit ball of the p-norm.",
        where(_trials, _fires),
        lambda f, **c: _norm(_call(f, c), c["p"]) <= 1 + 1e-9,
    ),
    Property(
        "theta after the step is that of the algorithm.",
        _trials,
        lambda f, **c: close(_call(f, c), _step(**c)),
    ),
    untouched("theta", _trials),
]


def _streams(rng):
    """Kernel matrices of one to six examples, with labels."""
    for C in (0.5, 2.0):
        for y in (1.0, -1.0):
            yield dict(K=np.array([[4.0]]), y=np.array([y]), alpha=1.0, B=1.0, C=C)
    for n in (2, 4, 6):
        for alpha in (1.0, 0.7):
            X = rng.integers(-4, 5, size=(n, 3)) + 0.5
            yield dict(K=X @ X.T, y=rng.choice([-1.0, 1.0], size=n), alpha=alpha, B=2.0, C=1.5)


def _pass(K, y, alpha, B, C):
    a, k = np.zeros(len(y)), 1
    for i, label in enumerate(y):
        length = math.sqrt(K[i, i])
        if label * (a @ K[i]) / length <= (1 - alpha) * B / math.sqrt(k):
            a[i] += C * label / (length * math.sqrt(k))
            a /= max(1.0, math.sqrt(a @ K @ a))
            k += 1
    return a


PASS = [
    Property(
        "The first example has the score 0, so it is corrected: the weights become y x min(1, C) / |x|.",
        where(_streams, lambda y, **_: len(y) == 1),
        lambda f, K, y, alpha, B, C: close(f(K, y, alpha, B, C), y * min(1.0, C) / math.sqrt(K[0, 0])),
    ),
    Property(
        "The weights end in the unit ball: c.K c is at most 1.",
        _streams,
        lambda f, K, y, alpha, B, C: np.asarray(f(K, y, alpha, B, C)) @ K @ f(K, y, alpha, B, C) <= 1 + 1e-9,
    ),
    Property(
        "Four times the kernel is twice the feature vectors: the same corrections, half the coefficients.",
        _streams,
        lambda f, K, y, alpha, B, C: close(2 * np.asarray(f(4 * K, y, alpha, B, C)), f(K, y, alpha, B, C)),
    ),
    Property(
        "The coefficients are those of the algorithm after one pass.",
        _streams,
        lambda f, K, y, alpha, B, C: close(f(K, y, alpha, B, C), _pass(K, y, alpha, B, C)),
    ),
]

EXERCISES = {"1": LINK, "2": STEP, "3": PASS}
