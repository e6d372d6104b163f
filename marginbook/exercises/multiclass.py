"""Checkers of the chapter on many classes."""

import numpy as np

from marginbook.exercises import Property, close, untouched, where


def _one_example(rng):
    """Three classes and an example, with margins below, at and above the threshold and the goal, and ties."""
    for y in (0, 2):
        for epsilon in (1.0, 0.5):
            for margin in (-2.0, 0.0, 0.5, 0.75, 1.0, 3.0):
                W = np.array([[0.0, 1.0], [-2.0, 0.0], [0.0, -1.0]])
                W[y, 0] = margin / 2
                yield dict(W=W, x=np.array([2.0, 0.0]), y=y, epsilon=epsilon)
    yield dict(W=np.zeros((3, 1)), x=np.array([1.0]), y=1, epsilon=0.5)
    for _ in range(6):
        W, x = rng.integers(-3, 4, size=(4, 3)).astype(float), rng.integers(1, 4, size=3).astype(float)
        yield dict(W=W, x=x, y=int(rng.integers(4)), epsilon=0.25)


def _best(W, x, y):
    """The best wrong class, the smallest of equals, and the margin over it."""
    scores = W @ x
    z = max((z for z in range(len(W)) if z != y), key=lambda z: (scores[z], -z))
    return z, scores[y] - scores[z]


def _fires(W, x, y, epsilon):
    return _best(W, x, y)[1] <= 1 - epsilon


def _step(W, x, y, epsilon):
    z, margin = _best(W, x, y)
    new = W.copy()
    new[y] += (1 - margin) / (2 * x @ x) * x
    new[z] -= (1 - margin) / (2 * x @ x) * x
    return new


def _moved(f, W, x, y, epsilon):
    """The classes whose weights the reader's update changes."""
    return set(np.flatnonzero((np.asarray(f(W, x, y, epsilon)) != W).any(axis=1)).tolist())


def _margin_after(f, W, x, y, epsilon):
    scores = np.asarray(f(W, x, y, epsilon)) @ x
    return scores[y] - scores[_best(W, x, y)[0]]


ONE_BEST = [
    Property(
        "Where the right class has a margin above 1 - epsilon over every other, no weights change.",
        where(_one_example, lambda **case: not _fires(**case)),
        lambda f, W, x, y, epsilon: close(f(W, x, y, epsilon), W),
    ),
    Property(
        "A margin of exactly 1 - epsilon over the best wrong class does cause an update.",
        where(_one_example, lambda W, x, y, epsilon: _best(W, x, y)[1] == 1 - epsilon < 1),
        lambda f, W, x, y, epsilon: not close(f(W, x, y, epsilon), W),
    ),
    Property(
        "An update moves two classes, the right one and the best wrong one, of equal ones the smaller.",
        where(_one_example, _fires),
        lambda f, W, x, y, epsilon: _moved(f, W, x, y, epsilon) == {y, _best(W, x, y)[0]},
    ),
    Property(
        "An update gives the right class a margin of 1 over the wrong class that was the best.",
        where(_one_example, _fires),
        lambda f, W, x, y, epsilon: close(_margin_after(f, W, x, y, epsilon), 1.0),
    ),
    Property(
        "Of all weights with that margin the update goes to the nearest: both classes move equally far.",
        where(_one_example, _fires),
        lambda f, W, x, y, epsilon: close(f(W, x, y, epsilon), _step(W, x, y, epsilon)),
    ),
    untouched("weights", _one_example),
]


def _lacks(rng):
    """What constraints lack: one, equal ones, a leader, and others in any order."""
    for lack in (1.0, 3.0):
        yield dict(c=np.array([lack]))
    for n in (2, 3, 5):
        yield dict(c=np.full(n, 6.0))
    for c in ([4.0, 1.0], [1.0, 4.0], [2.0, 1.0], [3.0, 1.0, 2.0], [1.0, 6.0, 5.0], [9.0, 1.0, 8.0, 2.0]):
        yield dict(c=np.array(c))
    for n in (4, 9):
        yield dict(c=rng.integers(1, 20, size=n).astype(float))


def _raised(f, c):
    """By how much the multipliers raise each margin, in units of the squared length; and they themselves."""
    tau = np.asarray(f(c), dtype=float)
    return tau + tau.sum(), tau


def _same_length(f, c):
    """A failure of the shape is one of the first property that looks at several constraints."""
    return np.shape(f(c)) == c.shape


MULTIPLIERS = [
    Property(
        "A single constraint gets c / 2: both classes move, and each pays half.",
        where(_lacks, lambda c: len(c) == 1),
        lambda f, c: close(f(c), c / 2),
    ),
    Property(
        "There is a multiplier for each constraint, and none is negative.",
        _lacks,
        lambda f, c: _same_length(f, c) and bool((np.asarray(f(c)) >= 0).all()),
    ),
    Property(
        "Each of n constraints that lack the same gets c / (n + 1).",
        where(_lacks, lambda c: bool((c == c[0]).all())),
        lambda f, c: close(f(c), c / (len(c) + 1)),
    ),
    Property(
        "Every constraint is met: its multiplier and the sum of all make at least its c.",
        _lacks,
        lambda f, c: bool((_raised(f, c)[0] >= c - 1e-6).all()),
    ),
    Property(
        "A constraint with a positive multiplier is met with equality, not more.",
        _lacks,
        lambda f, c: close(*(np.where(_raised(f, c)[1] > 1e-9, v, 0) for v in (_raised(f, c)[0], c))),
    ),
]

EXERCISES = {"1": ONE_BEST, "2": MULTIPLIERS}
