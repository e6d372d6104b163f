"""Checkers of the chapter *Which algorithm?*."""

from itertools import combinations

import numpy as np

from marginbook.exercises import Property, close, untouched
from marginbook.rules import amira, perceptron, romma


def _pairs(rng):
    """Weights and a pair that calls for an update: from zero weights, with either case of the step."""
    yield dict(w=np.zeros(2), positive=np.array([1.0, 0.0]), negative=np.array([-1.0, 0.0]))
    yield dict(w=np.zeros(2), positive=np.array([5.0, 1.0]), negative=np.array([3.0, 1.0]))
    yield dict(w=np.array([0.0, 1.0]), positive=np.array([2.0, -1.0]), negative=np.array([0.0, 1.0]))
    yield dict(w=np.array([0.5, 0.0]), positive=np.array([2.0, 0.5]), negative=np.array([0.0, 0.3]))
    for _ in range(8):
        w, positive, negative = rng.standard_normal((3, 3))
        if w @ (positive - negative) < 2.0:
            yield dict(w=w, positive=positive, negative=negative)


def _weights(answer):
    """The weights and the bias of an answer, or an error that says what is expected."""
    try:
        v, b = answer
        v, b = np.asarray(v, dtype=float), float(b)
    except (TypeError, ValueError):
        v = None
    if np.ndim(v) != 1:
        raise TypeError("return two things, the weights v and the bias b")
    return v, b


def _pair_scores(f, w, positive, negative):
    v, b = _weights(f(w, positive, negative))
    return close([v @ positive + b, v @ negative + b], [1.0, -1.0])


def _moved_along(f, w, positive, negative):
    v, _ = _weights(f(w, positive, negative))
    moved, _ = _weights(f(w, positive + 7.0, negative + 7.0))
    return close(moved, v)


def _keeps_the_old(f, w, positive, negative):
    v, _ = _weights(f(w, positive, negative))
    return v @ w >= w @ w - 1e-9 * (1.0 + w @ w)


def _shortest(f, w, positive, negative):
    v, _ = _weights(f(w, positive, negative))
    z = (positive - negative) / 2.0
    scale, step = romma.minimiser(1.0, w @ z, z @ z, w @ w)
    return close(v, scale * w + step * z)


PAIR = [
    Property("The positive example gets the score 1, the negative one -1.", _pairs, _pair_scores),
    Property("A shift of both examples changes the bias and not the weights.", _pairs, _moved_along),
    Property("The new weights meet the old constraint, v.w >= |w|^2.", _pairs, _keeps_the_old),
    Property(
        "No shorter weights give the pair its scores and meet the old constraint. Where z / |z|^2 does, "
        "it is the answer.",
        _pairs,
        _shortest,
    ),
    untouched("weights", _pairs),
]

NAMES = {
    "perceptron": (perceptron, (0.0, 1.0)),
    "MIRA": (amira, (1.0, 1e-9)),
    "PA": (amira, (0.0, 1e-9)),
    "ROMMA": (romma, (1.0,)),
    "aggressive ROMMA": (romma, (0.0,)),
}


def _path(module, given, X, y):
    params, state, path = module.Params(*given), module.State(), [np.zeros(X.shape[1])]
    for x, label in zip(X, y, strict=True):
        w = path[-1]
        _, scale, step, state = module.rule(params, state, label, w @ x, x @ x, w @ w)
        path.append(scale * w + step * x)
    return np.array(path)


def _traces(name):
    """Runs of one algorithm on streams on which no two of the five make the same weights."""

    def cases(rng):
        for n in (3, 4, 6, 10):
            while True:
                X = rng.integers(-3, 4, size=(n, 3)).astype(float)
                y = np.where(X @ [1.0, 2.0, -2.0] > 0, 1.0, -1.0)
                if not (X.any(axis=1).all() and (X @ [1.0, 2.0, -2.0]).all()):
                    continue
                paths = {other: _path(*made, X, y) for other, made in NAMES.items()}
                pairs = combinations(paths.values(), 2)
                if min(np.abs(one - other).max() for one, other in pairs) > 1e-3:
                    break
            yield dict(X=X, y=y, W=paths[name])

    return cases


def _named(name):
    return lambda f, X, y, W: f(X, y, W) == name


WHO = [
    Property(
        "The perceptron adds y x, whatever the length of x is.", _traces("perceptron"), _named("perceptron")
    ),
    Property(
        "MIRA adds a multiple of x that brings the score to y, and on mistakes alone.",
        _traces("MIRA"),
        _named("MIRA"),
    ),
    Property(
        "PA takes MIRA's steps, but also where the score is right and below 1.", _traces("PA"), _named("PA")
    ),
    Property(
        "ROMMA also multiplies the old weights; this one moves on mistakes alone.",
        _traces("ROMMA"),
        _named("ROMMA"),
    ),
    Property(
        "Aggressive ROMMA multiplies the old weights, and moves where the score is right and below 1.",
        _traces("aggressive ROMMA"),
        _named("aggressive ROMMA"),
    ),
]

EXERCISES = {"1": PAIR, "2": WHO}
