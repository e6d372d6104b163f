"""Checkers of the chapter on passive-aggressive, MIRA and AMIRA."""

import numpy as np

from marginbook.exercises import Property, close, untouched, where
from marginbook.rules.amira import bound_inseparable, bound_updates


def _one_example(rng):
    """Weights, an example and its label, with scores below, at and above the threshold and the goal."""
    for y in (1.0, -1.0):
        for epsilon in (1.0, 0.5):
            for score in (-3.0, 0.0, 0.5, 0.75, 1.0, 2.0):
                yield dict(w=np.array([y * score / 2, 1.0]), x=np.array([2.0, 0.0]), y=y, epsilon=epsilon)
    for _ in range(6):
        w, x = rng.integers(-4, 5, size=(2, 3)).astype(float)
        yield dict(w=w, x=x + (not x.any()), y=rng.choice([-1.0, 1.0]), epsilon=0.25)


def _fires(w, x, y, epsilon):
    return y * (w @ x) <= 1 - epsilon


def _step(w, x, y, epsilon):
    return w + (y - w @ x) / (x @ x) * x * _fires(w, x, y, epsilon)


STEP = [
    Property(
        "An example with y w.x above 1 - epsilon leaves the weights as they are.",
        where(_one_example, lambda **case: not _fires(**case)),
        lambda f, w, x, y, epsilon: close(f(w, x, y, epsilon), w),
    ),
    Property(
        "A score exactly at the threshold, y w.x = 1 - epsilon, does cause an update.",
        where(_one_example, lambda w, x, y, epsilon: y * (w @ x) == 1 - epsilon),
        lambda f, w, x, y, epsilon: not close(f(w, x, y, epsilon), w),
    ),
    Property(
        "An update gives the example the score y w.x = 1, whatever the label is.",
        where(_one_example, _fires),
        lambda f, w, x, y, epsilon: close(y * (np.asarray(f(w, x, y, epsilon)) @ x), 1.0),
    ),
    Property(
        "Of all weights that give the score 1 the update goes to the nearest.",
        where(_one_example, _fires),
        lambda f, w, x, y, epsilon: close(f(w, x, y, epsilon), _step(w, x, y, epsilon)),
    ),
    untouched("weights", _one_example),
]


def _grams(rng):
    """Kernel matrices of one example, of two that are orthogonal, of a pair, and of more."""
    yield dict(K=np.array([[4.0]]), y=np.array([1.0]), epsilon=0.5)
    yield dict(K=np.array([[4.0]]), y=np.array([-1.0]), epsilon=0.5)
    yield dict(K=np.diag([1.0, 2.0]), y=np.array([1.0, -1.0]), epsilon=0.5)
    yield dict(K=np.array([[1.0, 0.5], [0.5, 1.0]]), y=np.array([1.0, 1.0]), epsilon=0.5)
    yield dict(K=np.array([[1.0, 0.5], [0.5, 1.0]]), y=np.array([1.0, 1.0]), epsilon=0.75)
    yield dict(K=np.array([[1.0, 0.5], [0.5, 1.0]]), y=np.array([1.0, -1.0]), epsilon=0.5)
    yield dict(K=np.array([[1.0, -0.5], [-0.5, 1.0]]), y=np.array([1.0, 1.0]), epsilon=1.0)
    for n in (3, 5):
        X = rng.integers(1, 5, size=(n, 2)).astype(float)
        yield dict(K=(1 + X @ X.T) ** 2, y=rng.choice([-1.0, 1.0], size=n), epsilon=0.5)


def _pass(K, y, epsilon):
    alpha = np.zeros(len(y))
    for i, label in enumerate(y):
        margin = label * (K[i] @ (alpha * y))
        alpha[i] += (1 - margin) / K[i, i] * (margin <= 1 - epsilon)
    return alpha


def _orthogonal(K, **_):
    return np.count_nonzero(K) == len(K)


PASS = [
    Property(
        "A single example gets the coefficient 1 / K(x, x), which is positive, with either label.",
        where(_grams, lambda K, **_: len(K) == 1),
        lambda f, K, y, epsilon: close(f(K, y, epsilon), 1 / np.diag(K)),
    ),
    Property(
        "Examples that are orthogonal do not see each other: each gets 1 / K(x, x).",
        where(_grams, _orthogonal),
        lambda f, K, y, epsilon: close(f(K, y, epsilon), 1 / np.diag(K)),
    ),
    Property(
        "An example whose score is at most 1 - epsilon when it comes is updated, any other keeps 0.",
        _grams,
        lambda f, K, y, epsilon: np.array_equal(np.asarray(f(K, y, epsilon)) != 0, _pass(K, y, epsilon) != 0),
    ),
    Property(
        "The last example that was updated has the score 1 for its label.",
        _grams,
        lambda f, K, y, epsilon: close(_last_score(K, y, np.asarray(f(K, y, epsilon))), 1.0),
    ),
    Property(
        "The coefficients are those of the algorithm after one pass.",
        _grams,
        lambda f, K, y, epsilon: close(f(K, y, epsilon), _pass(K, y, epsilon)),
    ),
]


def _last_score(K, y, alpha):
    i = np.flatnonzero(alpha)[-1]
    return y[i] * (K[i] @ (alpha * y))


def _updates(rng):
    """The rows of a run's updates and a vector to compare with: no deviation, small ones, large ones."""
    yield dict(X=np.array([[2.0, 0.0]]), y=np.array([1.0]), u=np.array([1.0, 0.0]), gamma=1.0, epsilon=1.0)
    yield dict(X=np.array([[2.0, 0.0]]), y=np.array([1.0]), u=np.array([3.0, 0.0]), gamma=1.0, epsilon=0.5)
    yield dict(X=np.array([[4.0, 0.0]]), y=np.array([1.0]), u=np.array([1.0, 0.0]), gamma=5.0, epsilon=1.0)
    yield dict(X=np.array([[2.0, 0.0]]), y=np.array([-1.0]), u=np.array([1.0, 0.0]), gamma=1.0, epsilon=1.0)
    three = np.array([[4.0, 0.0], [0.0, 2.0], [-1.0, 0.0]])
    for epsilon in (1.0, 0.2):
        yield dict(X=three, y=np.ones(3), u=np.array([2.0, 0.0]), gamma=0.5, epsilon=epsilon)
        X, u = rng.integers(1, 5, size=(5, 3)).astype(float), np.ones(3)
        yield dict(X=X, y=rng.choice([-1.0, 1.0], size=5), u=u, gamma=1.5, epsilon=epsilon)
        nearest = (X @ u).min() / 3**0.5
        yield dict(X=X, y=np.ones(5), u=u, gamma=0.1 + nearest, epsilon=epsilon)


def _relative(X, y, u, gamma, **_):
    missing = np.maximum(0.0, gamma - y * (X @ u) / np.linalg.norm(u))
    return missing / np.linalg.norm(X, axis=1)


def _radius(X):
    return np.linalg.norm(X, axis=1).max()


def _bound(X, y, u, gamma, epsilon):
    return bound_inseparable(_radius(X), gamma, epsilon, _relative(X, y, u, gamma))


def _small(epsilon, **case):
    return (_relative(**case) ** 2).sum() <= epsilon / (2 - epsilon)


BOUND = [
    Property(
        "Where u has margin gamma on every row the bound is that of Updates of AMIRA, for separable data.",
        where(_updates, lambda **case: not _relative(**case).any()),
        lambda f, X, y, u, gamma, epsilon: close(
            f(X, y, u, gamma, epsilon), bound_updates(_radius(X), gamma, epsilon)
        ),
    ),
    Property(
        "Only the direction of u counts, not its length.",
        _updates,
        lambda f, X, y, u, gamma, epsilon: close(f(X, y, u, gamma, epsilon), f(X, y, 3 * u, gamma, epsilon)),
    ),
    Property(
        "Twice the examples and twice gamma make the same problem, with the same bound.",
        _updates,
        lambda f, X, y, u, gamma, epsilon: close(
            f(X, y, u, gamma, epsilon), f(2 * X, y, u, 2 * gamma, epsilon)
        ),
    ),
    Property(
        "Where E^2 is at most epsilon / (2 - epsilon) the factor is (sqrt(2 - epsilon) + sqrt(epsilon) E)^2.",
        where(_updates, _small),
        lambda f, X, y, u, gamma, epsilon: close(f(X, y, u, gamma, epsilon), _bound(X, y, u, gamma, epsilon)),
    ),
    Property(
        "Where E^2, the sum of the squares of deviation over |x|, is larger, the factor is 2 (1 + E^2).",
        where(_updates, lambda **case: not _small(**case)),
        lambda f, X, y, u, gamma, epsilon: close(f(X, y, u, gamma, epsilon), _bound(X, y, u, gamma, epsilon)),
    ),
]

EXERCISES = {"1": STEP, "2": PASS, "3": BOUND}
