"""Checkers of the chapter on MNIST."""

import numpy as np
from scipy.stats import binom

from marginbook.exercises import Property, close


def _tables(rng):
    """Scores of one-vs-rest problems, with the label of each column: sorted or not, with ties or without."""
    yield dict(scores=np.array([[1.0, 2.0]]), labels=np.array([0, 1]))
    yield dict(scores=np.array([[-3.0, -1.0, -2.0]]), labels=np.array([0, 1, 2]))
    yield dict(scores=np.array([[2.0, 2.0, 1.0]]), labels=np.array([0, 1, 2]))
    yield dict(scores=np.array([[0.0, 5.0, 1.0]]), labels=np.array([7, 3, 9]))
    yield dict(scores=np.array([[4.0, 1.0, 4.0]]), labels=np.array([8, 2, 5]))
    for rows in (1, 4):
        scores = rng.integers(-3, 4, size=(rows, 10)).astype(float)
        yield dict(scores=scores, labels=rng.permutation(10))


def _sorted(case):
    return (np.diff(case["labels"]) > 0).all()


def _tied(case):
    best = case["scores"] == case["scores"].max(axis=1, keepdims=True)
    return (best.sum(axis=1) > 1).any()


def _chosen(scores, labels):
    order = np.argsort(labels)
    return labels[order][scores[:, order].argmax(axis=1)]


def _right(f, **case):
    return close(f(*case.values()), _chosen(**case))


DECIDE = [
    Property(
        "There is one answer for each row of scores.",
        _tables,
        lambda f, scores, labels: np.shape(f(scores, labels)) == (len(scores),),
    ),
    Property(
        "The label of the largest score is the answer, also where all scores are negative.",
        lambda rng: (case for case in _tables(rng) if _sorted(case) and not _tied(case)),
        _right,
    ),
    Property(
        "An answer is the label of a column, not its number.",
        lambda rng: (case for case in _tables(rng) if not _tied(case)),
        _right,
    ),
    Property(
        "Where several scores are the largest, the smallest label among theirs is the answer.",
        _tables,
        _right,
    ),
]


def _runs(rng):
    """Numbers of two algorithms in the same orders."""
    yield dict(a=np.array([5.0, 9.0]), b=np.array([3.0, 3.0]))
    yield dict(a=np.array([2.0, 5.0, 9.0]), b=np.array([1.0, 4.0, 8.0]))
    for n in (3, 10):
        shared = rng.integers(180, 220, size=n).astype(float)
        yield dict(a=shared + rng.integers(-3, 9, size=n), b=shared)


def _difference(a, b):
    gain = a - b
    return gain.mean(), gain.std(ddof=1) / np.sqrt(len(gain))


def _part(place):
    """Whether the function returns two numbers, and the one at ``place`` is right."""

    def holds(f, a, b):
        answer = f(a, b)
        return np.shape(answer) == (2,) and close(answer[place], _difference(a, b)[place])

    return holds


PAIRED = [
    Property(
        "The first of the two numbers is the mean of a - b: positive where a is larger.", _runs, _part(0)
    ),
    Property(
        "If a - b is the same in every order, its standard error is 0.",
        lambda rng: (case for case in _runs(rng) if np.ptp(case["a"] - case["b"]) == 0),
        _part(1),
    ),
    Property(
        "What an order adds to both algorithms cancels.",
        _runs,
        lambda f, a, b: close(f(a, b), f(a + 10 * np.arange(len(a)), b + 10 * np.arange(len(a)))),
    ),
    Property(
        "Of two orders, the standard error is half the distance of the two differences: the variance has the "
        "divisor n - 1, and the mean of n has 1/n of it.",
        lambda rng: (case for case in _runs(rng) if len(case["a"]) == 2),
        _part(1),
    ),
    Property(
        "The second number is the standard error of the mean difference, for any number of orders.",
        _runs,
        _part(1),
    ),
]


def _lists(rng):
    """Numbers of the images that two hypotheses miss, in any order."""
    yield dict(a=[4, 7], b=[7, 4])
    yield dict(a=[1, 2, 3, 4], b=[])
    yield dict(a=[5], b=[1, 2, 5, 9])
    yield dict(a=[1, 2, 3], b=[3, 4, 5])
    for n in (20, 60):
        yield dict(a=rng.permutation(100)[:n].tolist(), b=rng.permutation(100)[: n // 2].tolist())


def _apart(a, b):
    """How many images one hypothesis misses and the other does not: both counts."""
    return len({*a} - {*b}), len({*b} - {*a})


def _p_value(a, b):
    only_a, only_b = _apart(a, b)
    return min(1.0, 2.0 * binom.cdf(min(only_a, only_b), only_a + only_b, 0.5))


SIGNS = [
    Property("A p-value lies between 0 and 1.", _lists, lambda f, a, b: 0.0 <= f(a, b) <= 1.0),
    Property(
        "Two hypotheses that miss the same images cannot be told apart: p = 1.",
        lambda rng: (case for case in _lists(rng) if {*case["a"]} == {*case["b"]}),
        lambda f, a, b: close(f(a, b), 1.0),
    ),
    Property(
        "Images that both miss say nothing: with more of them p is the same.",
        _lists,
        lambda f, a, b: close(f(a, b), f([*a, 200, 201, 202, 203], [*b, 200, 201, 202, 203])),
    ),
    Property(
        "The test is two-sided: a and b may change places.", _lists, lambda f, a, b: close(f(a, b), f(b, a))
    ),
    Property(
        "If only one of them errs alone, on m images, p is 2 * 2^-m: all m coins fell on one of two sides.",
        lambda rng: (case for case in _lists(rng) if min(_apart(**case)) == 0 < max(_apart(**case))),
        lambda f, a, b: close(f(a, b), 2.0 * 0.5 ** max(_apart(a, b))),
    ),
    Property(
        "p is twice the probability that m fair coins show at most as many heads as the smaller count, and "
        "at most 1.",
        _lists,
        lambda f, a, b: close(f(a, b), _p_value(a, b)),
    ),
]

EXERCISES = {"1": DECIDE, "2": PAIRED, "3": SIGNS}
