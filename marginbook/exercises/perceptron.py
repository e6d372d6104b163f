"""Checkers of the chapter on the perceptron."""

import numpy as np

from marginbook.exercises import Property, close, untouched, where
from marginbook.rules.perceptron import bound_freund_schapire


def _one_example(rng):
    """Weights, an example and its label, with scores on either side of the threshold and on it."""
    for y in (1.0, -1.0):
        for b in (0.0, 2.0):
            for score in (-3.0, 0.0, 2.0, 5.0):
                yield dict(w=np.array([y * score, 1.0]), x=np.array([1.0, 0.0]), y=y, b=b, eta=1.0)
    for _ in range(6):
        w, x = rng.integers(-4, 5, size=(2, 3)).astype(float)
        yield dict(w=w, x=x, y=rng.choice([-1.0, 1.0]), b=float(rng.integers(0, 4)), eta=0.5)


def _fires(w, x, y, b):
    return y * (w @ x) <= b


def _step(w, x, y, b, eta):
    return w + eta * y * x * _fires(w, x, y, b)


STEP = [
    Property(
        "An example with y w.x above b leaves the weights as they are.",
        where(_one_example, lambda w, x, y, b, **_: not _fires(w, x, y, b)),
        lambda f, w, x, y, b, eta: close(f(w, x, y, b, eta), w),
    ),
    Property(
        "A score exactly at the threshold, y w.x = b, does cause an update.",
        where(_one_example, lambda y, w, x, b, **_: y * (w @ x) == b and x.any()),
        lambda f, w, x, y, b, eta: not close(f(w, x, y, b, eta), w),
    ),
    Property(
        "An update raises y w.x, whatever the label is.",
        where(_one_example, lambda w, x, y, b, **_: _fires(w, x, y, b) and x.any()),
        lambda f, w, x, y, b, eta: y * (f(w, x, y, b, eta) @ x) > y * (w @ x),
    ),
    Property(
        "An update moves the weights by eta |x|.",
        where(_one_example, lambda w, x, y, b, **_: _fires(w, x, y, b)),
        lambda f, w, x, y, b, eta: close(np.linalg.norm(f(w, x, y, b, eta) - w), eta * np.linalg.norm(x)),
    ),
    Property(
        "The weights after the step are those of the algorithm.",
        _one_example,
        lambda f, w, x, y, b, eta: close(f(w, x, y, b, eta), _step(w, x, y, b, eta)),
    ),
    untouched("weights", _one_example),
]


def _runs(rng):
    """Updates of a run: one update at the first and at the last trial, then several."""
    yield dict(trials=np.array([1]), steps=np.array([[1.0, 0.0]]), n=1)
    yield dict(trials=np.array([1]), steps=np.array([[1.0, 0.0]]), n=4)
    yield dict(trials=np.array([4]), steps=np.array([[1.0, 0.0]]), n=4)
    yield dict(trials=np.array([2, 3]), steps=np.array([[1.0, 0.0], [0.0, 2.0]]), n=5)
    for k in (3, 5):
        n = 3 * k
        trials = np.sort(rng.choice(np.arange(1, n + 1), size=k, replace=False))
        yield dict(trials=trials, steps=rng.integers(-4, 5, size=(k, 2)).astype(float), n=n)


def _mean(trials, steps, n):
    return sum(steps[trials <= t].sum(axis=0) for t in range(1, n + 1)) / n


AVERAGE = [
    Property(
        "A single update at the first trial is in the weights after every trial, so the mean is that step.",
        where(_runs, lambda trials, **_: len(trials) == 1 and trials[0] == 1),
        lambda f, trials, steps, n: close(f(trials, steps, n), steps[0]),
    ),
    Property(
        "An update at the last of n trials is in the weights after one trial only.",
        where(_runs, lambda trials, n, **_: len(trials) == 1 and trials[0] == n),
        lambda f, trials, steps, n: close(f(trials, steps, n), steps[0] / n),
    ),
    Property(
        "Twice the steps give twice the mean.",
        _runs,
        lambda f, trials, steps, n: close(f(trials, 2 * steps, n), 2 * np.asarray(f(trials, steps, n))),
    ),
    Property(
        "The mean is over the weights after each of the n trials.",
        _runs,
        lambda f, trials, steps, n: close(f(trials, steps, n), _mean(trials, steps, n)),
    ),
]


def _noisy(rng):
    """Examples and a vector to compare with, from a single example to six in three dimensions."""
    yield dict(X=np.array([[2.0, 0.0]]), y=np.array([1.0]), u=np.array([1.0, 0.0]), gamma=1.0)
    yield dict(X=np.array([[2.0, 0.0]]), y=np.array([-1.0]), u=np.array([1.0, 0.0]), gamma=1.0)
    yield dict(
        X=np.array([[1.0, 0.0], [0.0, 3.0]]), y=np.array([1.0, -1.0]), u=np.array([2.0, 0.0]), gamma=0.5
    )
    yield dict(
        X=np.array([[1.0, 0.0], [1.0, 0.0]]), y=np.array([1.0, -1.0]), u=np.array([1.0, 0.0]), gamma=1.0
    )
    for n in (4, 6):
        X, y = rng.integers(-4, 5, size=(n, 3)).astype(float), rng.choice([-1.0, 1.0], size=n)
        yield dict(X=X, y=y, u=rng.integers(1, 4, size=3).astype(float), gamma=1.5)


def _separable(X, y, u, gamma):
    return bool((y * (X @ u) / np.linalg.norm(u) >= gamma).all())


def _bound(X, y, u, gamma):
    deviations = np.maximum(0.0, gamma - y * (X @ u) / np.linalg.norm(u))
    return bound_freund_schapire(np.linalg.norm(X, axis=1).max(), gamma, deviations)


BOUND = [
    Property(
        "Where u has margin gamma on every example the bound is Novikoff's, (R / gamma)^2.",
        where(_noisy, _separable),
        lambda f, X, y, u, gamma: close(f(X, y, u, gamma), (np.linalg.norm(X, axis=1).max() / gamma) ** 2),
    ),
    Property(
        "Only the direction of u counts, not its length.",
        _noisy,
        lambda f, X, y, u, gamma: close(f(X, y, u, gamma), f(X, y, 3 * u, gamma)),
    ),
    Property(
        "Twice the examples and twice gamma make the same problem, with the same bound.",
        _noisy,
        lambda f, X, y, u, gamma: close(f(X, y, u, gamma), f(2 * X, y, u, 2 * gamma)),
    ),
    Property(
        "The bound is ((R + D) / gamma)^2, where D^2 sums the squares of all deviations.",
        _noisy,
        lambda f, X, y, u, gamma: close(f(X, y, u, gamma), _bound(X, y, u, gamma)),
    ),
]

EXERCISES = {"1": STEP, "2": AVERAGE, "3": BOUND}
