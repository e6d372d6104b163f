"""Checkers of the chapter From online to exact."""

import numpy as np

from marginbook.coordinates import certificate, coordinate_step
from marginbook.exercises import Property, close, untouched, where


def _grams(rng):
    """Multipliers and kernel matrices: one example, two that do not see each other, pairs, and more."""
    one = np.array([[4.0]])
    for y in (1.0, -1.0):
        for alpha in (0.0, 0.125, 1.0):
            yield dict(alpha=np.array([alpha]), i=0, K=one, y=np.array([y]))
    pair = np.array([[4.0, 2.0], [2.0, 4.0]])
    for y in ([1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]):
        for alpha in ([0.0, 1.0], [0.25, 0.5], [1.0, 1.0]):
            yield dict(alpha=np.array(alpha), i=1, K=pair, y=np.array(y))
    for n in (3, 4):
        X = rng.integers(1, 5, size=(n, 3)).astype(float)
        alpha, y = rng.integers(0, 3, size=n) / 4.0, rng.choice([-1.0, 1.0], size=n)
        yield dict(alpha=alpha, i=n - 1, K=(1 + X @ X.T) ** 2, y=y)


def _margins(alpha, K, y):
    return y * (K @ (alpha * y))


def _stepped(alpha, i, K, y):
    new = alpha.copy()
    new[i] = coordinate_step(alpha[i], 1.0 - _margins(alpha, K, y)[i], K[i, i])[0]
    return new


def _stopped(alpha, i, K, y):
    return _stepped(alpha, i, K, y)[i] == 0.0


STEP = [
    Property(
        "Only the multiplier of example i changes.",
        _grams,
        lambda f, alpha, i, K, y: close(np.delete(f(alpha, i, K, y), i), np.delete(alpha, i)),
    ),
    Property(
        "No multiplier becomes negative.",
        _grams,
        lambda f, alpha, i, K, y: bool((np.asarray(f(alpha, i, K, y)) >= 0).all()),
    ),
    Property(
        "A multiplier that stays positive gives its example the score y f(x) = 1, whatever the label is.",
        where(_grams, lambda **case: not _stopped(**case)),
        lambda f, alpha, i, K, y: close(_margins(np.asarray(f(alpha, i, K, y)), K, y)[i], 1.0),
    ),
    Property(
        "A step back that would pass zero stops there.",
        where(_grams, _stopped),
        lambda f, alpha, i, K, y: close(np.asarray(f(alpha, i, K, y))[i], 0.0),
    ),
    untouched("multipliers", _grams),
]


def _certified(rng):
    """Multipliers whose weights are not zero."""
    for case in _grams(rng):
        alpha, K, y = case["alpha"], case["K"], case["y"]
        if alpha @ _margins(alpha, K, y) > 0:
            yield dict(alpha=alpha, K=K, y=y)


def _both(alpha, K, y):
    return certificate(alpha, _margins(alpha, K, y))


def _part(k):
    return lambda f, alpha, K, y: close(np.asarray(f(alpha, K, y))[k], _both(alpha, K, y)[k])


BOUNDS = [
    Property(
        "A single example has the margin |x| = sqrt(K(x, x)): both bounds are that, whatever its label.",
        where(_certified, lambda alpha, **_: len(alpha) == 1),
        lambda f, alpha, K, y: close(f(alpha, K, y), np.sqrt(K[0, [0, 0]])),
    ),
    Property(
        "Three times the multipliers are the same hyperplane, with the same bounds.",
        _certified,
        lambda f, alpha, K, y: close(f(alpha, K, y), f(3 * alpha, K, y)),
    ),
    Property(
        "The lower bound comes first and is not above the upper one.",
        _certified,
        lambda f, alpha, K, y: np.subtract(*f(alpha, K, y)) <= 1e-9,
    ),
    Property(
        "The lower bound is the margin of the weights, that of the worst example.", _certified, _part(0)
    ),
    Property("The upper bound is |w| over the sum of the multipliers.", _certified, _part(1)),
]


def _streams(rng):
    """One row, one row twice, two rows, and more; some rows have scores above 1 when they come."""
    for y in (1.0, -1.0):
        for lam in (1.0, 0.25):
            yield dict(X=np.array([[2.0, 0.0]]), y=np.array([y]), lam=lam)
    yield dict(X=np.array([[1.0, 0.0], [1.0, 0.0]]), y=np.ones(2), lam=0.5)
    yield dict(X=np.array([[1.0], [1.0], [-1.0]]), y=np.array([1.0, 1.0, -1.0]), lam=0.9)
    yield dict(X=np.array([[1.0, 0.0], [0.0, 2.0]]), y=np.array([1.0, -1.0]), lam=0.5)
    for n in (3, 5):
        X = rng.integers(-3, 4, size=(n, 2)).astype(float)
        yield dict(X=X, y=rng.choice([-1.0, 1.0], size=n), lam=0.5)


def _pass(X, y, lam):
    w = np.zeros(X.shape[1])
    for t, (x, label) in enumerate(zip(X, y, strict=True), start=1):
        w = (1 - 1 / t) * w + (label * (w @ x) < 1) * label * x / (lam * t)
    return w


def _rests(X, y, lam):
    """Only the first of several rows is a violation."""
    return len(X) > 1 and np.allclose(_pass(X, y, lam), y[0] * X[0] / (lam * len(X)))


PASS = [
    Property(
        "After a single example the weights are y x / lam: its trial has the number 1.",
        where(_streams, lambda X, **_: len(X) == 1),
        lambda f, X, y, lam: close(f(X, y, lam), y[0] * X[0] / lam),
    ),
    Property(
        "A trial without a violation shrinks the weights by 1 - 1/t, and does nothing else.",
        where(_streams, _rests),
        lambda f, X, y, lam: close(f(X, y, lam), _pass(X, y, lam)),
    ),
    Property(
        "Twice the examples and four times lam are the same problem, with half the weights.",
        _streams,
        lambda f, X, y, lam: close(2 * np.asarray(f(2 * X, y, 4 * lam)), f(X, y, lam)),
    ),
    Property(
        "Trial t notes whether y w.x < 1 before it shrinks the weights, and then adds y x / (lam t).",
        _streams,
        lambda f, X, y, lam: close(f(X, y, lam), _pass(X, y, lam)),
    ),
]

EXERCISES = {"1": STEP, "2": BOUNDS, "3": PASS}
