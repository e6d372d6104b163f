"""Checkers of the chapter on kernels."""

from itertools import combinations_with_replacement
from math import comb

import numpy as np

from marginbook.exercises import Property, close, untouched, where


def _blocks(rng):
    """Scores at the start, kernel and labels of one, two and more examples; whole numbers."""
    for y in (1.0, -1.0):
        for score in (-2.0, 0.0, 2.0):
            yield dict(scores=np.array([score]), within=np.array([[3.0]]), y=np.array([y]))
    for y in ((1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)):
        for near in (2.0, -2.0, 0.0):
            within = np.array([[3.0, near], [near, 3.0]])
            yield dict(scores=np.array([-1.0, 1.0]) * y, within=within, y=np.array(y))
            yield dict(scores=np.array([1.0, -1.0]) * y, within=within, y=np.array(y))
    for n in (3, 4, 6, 6):
        X = rng.integers(-3, 4, (n, 3)).astype(float)
        scores, y = rng.integers(-6, 7, n).astype(float), rng.choice([-1.0, 1.0], n)
        yield dict(scores=scores, within=X @ X.T, y=y)


def _walk(scores, within, y):
    v, steps = scores.copy(), np.zeros(len(y))
    for k in range(len(y)):
        if y[k] * v[k] <= 0:
            steps[k] = y[k]
            v += y[k] * within[k]
    return steps


def _right(f, **case):
    return close(f(*case.values()), _walk(**case))


WALK = [
    Property(
        "An example with y f > 0 makes no step: its entry is 0.",
        where(_blocks, lambda scores, within, y: len(y) == 1 and y[0] * scores[0] > 0),
        _right,
    ),
    Property(
        "A score of zero is a mistake.",
        where(_blocks, lambda scores, within, y: len(y) == 1 and scores[0] == 0),
        lambda f, **case: not close(f(*case.values()), [0.0]),
    ),
    Property(
        "A mistake on x makes the step y, the label.",
        where(_blocks, lambda scores, within, y: len(y) == 1),
        _right,
    ),
    Property(
        "A step on an example does not change the scores of those that are orthogonal to it.",
        where(_blocks, lambda scores, within, y: len(y) == 2 and not within[0, 1]),
        _right,
    ),
    Property(
        "An example has one trial in the block: its entry is 0 or its label, whatever its score becomes.",
        where(_blocks, lambda scores, within, y: len(y) == 2),
        lambda f, scores, within, y: set(f(scores, within, y) * y) <= {0.0, 1.0},
    ),
    Property(
        "A step y on the first example adds y K(x_1, x_2) to the score of the second, before its trial.",
        where(_blocks, lambda scores, within, y: len(y) == 2 and y[0] * scores[0] < 0),
        _right,
    ),
    Property("The steps are those of the loop that computes each score anew.", _blocks, _right),
    untouched("scores", _blocks),
]


def _sizes(rng):
    """Features, degree, with the constant or without: small enough to list the monomials, but for one."""
    for d, degree in ((1, 1), (2, 1), (1, 3), (2, 2), (3, 2), (2, 3), (4, 3), (3, 5)):
        for constant in (False, True):
            yield dict(d=d, degree=degree, constant=constant)


def _large(rng):
    yield dict(d=784, degree=9, constant=True)


def _listed(d, degree, constant):
    return len(list(combinations_with_replacement(range(d + constant), degree)))


def _counted(f, **case):
    return close(f(*case.values()), _listed(**case))


COUNT = [
    Property(
        "Of degree 1 there are the d features, and the constant if there is one.",
        where(_sizes, lambda degree, **others: degree == 1),
        _counted,
    ),
    Property(
        "Of one feature there is one power of each degree: with the constant also all lower ones.",
        where(_sizes, lambda d, **others: d == 1),
        _counted,
    ),
    Property(
        "The order of the factors does not matter: x1 x2 and x2 x1 are one monomial. But x1 x1 is one too.",
        where(_sizes, lambda constant, **others: not constant),
        _counted,
    ),
    Property(
        "With the constant, all monomials of lower degrees are there as well, and the constant itself.",
        where(_sizes, lambda constant, **others: constant),
        _counted,
    ),
    Property(
        "A count is a whole number, however large: compute it with integers.",
        _large,
        lambda f, **case: f(*case.values()) == comb(793, 9),
    ),
]


def _streams(rng):
    """Kernel matrices, labels and a scale: of one example, of orthogonal ones, of more."""
    for y in (1.0, -1.0):
        yield dict(K=np.array([[2.0]]), y=np.array([y]), scale=0.5)
    yield dict(K=np.eye(2), y=np.array([1.0, -1.0]), scale=0.5)
    yield dict(K=np.eye(3), y=np.array([1.0, -1.0, 1.0]), scale=0.5)
    for n in (2, 3, 5, 8):
        for scale in (1.0, 0.5, 2.0):
            X = rng.integers(-3, 4, (n, 3)).astype(float)
            yield dict(K=X @ X.T + np.eye(n), y=rng.choice([-1.0, 1.0], n), scale=scale)


def _tiny(rng):
    yield dict(K=np.eye(3), y=np.ones(3), scale=1e-200)
    yield dict(K=np.eye(3), y=np.ones(3), scale=1e200)


def _pass(K, y, scale):
    c = np.zeros(len(y))
    for i in range(len(y)):
        if y[i] * (c @ K[:, i]) <= 0:
            c *= scale
            c[i] += y[i]
    return c


def _shrunk(f, **case):
    with np.errstate(over="ignore"):
        wanted = _pass(**case)
    return close(f(*case.values()), wanted)


LAZY = [
    Property(
        "The first mistake gives its example the coefficient y: the scale meets weights of zero.",
        where(_streams, lambda K, y, scale: len(y) == 1),
        _shrunk,
    ),
    Property(
        "Each later update multiplies the older coefficients by the scale, and not the new one.",
        where(_streams, lambda K, y, scale: not (K - np.diag(np.diagonal(K))).any()),
        _shrunk,
    ),
    Property(
        "With scale = 1 it is the perceptron.",
        where(_streams, lambda K, y, scale: scale == 1.0),
        _shrunk,
    ),
    Property("The coefficients are those of the loop that scales all of them.", _streams, _shrunk),
    Property(
        "s must not underflow or overflow: when it leaves a safe range, multiply it into c and set it to 1.",
        lambda rng: (case for case in _tiny(rng) if case["scale"] < 1),
        _shrunk,
    ),
]

EXERCISES = {"1": WALK, "2": COUNT, "3": LAZY}
