"""Checkers of the chapter on synthetic data."""

from itertools import product

import numpy as np

from marginbook.exercises import Property, close

SIDE = 10.0


def _cubes(rng):
    """All points of small cubes, with one irrelevant feature or none, for every r."""
    for d, relevant in ((1, [0]), (2, [1]), (3, [0, 2]), (4, [0, 1, 3])):
        X = np.array(list(product([-1.0, 1.0], repeat=d)))
        for r in range(1, len(relevant) + 1):
            yield dict(X=X, relevant=relevant, r=r)


def _true(X, relevant):
    """How many relevant features are 1, row by row."""
    return (X[:, relevant] > 0).sum(axis=1)


def _with(change):
    """Of each cube, the points with r + change relevant features at 1."""

    def cases(rng):
        for case in _cubes(rng):
            rows = case["X"][_true(case["X"], case["relevant"]) == case["r"] + change]
            yield case | {"X": rows}

    return cases


def _ignores_the_rest(f, X, relevant, r):
    other = -X
    other[:, relevant] = X[:, relevant]
    return close(f(other, relevant, r), f(X, relevant, r))


LABEL = [
    Property(
        "Each row of X has a label, 1 or -1.",
        _cubes,
        lambda f, **case: close(np.abs(f(*case.values())), np.ones(len(case["X"]))),
    ),
    Property(
        "A point with exactly r relevant features at 1 is positive.",
        _with(0),
        lambda f, **case: close(f(*case.values()), np.ones(len(case["X"]))),
    ),
    Property(
        "A point with r - 1 relevant features at 1 is negative.",
        _with(-1),
        lambda f, **case: close(f(*case.values()), -np.ones(len(case["X"]))),
    ),
    Property("Features that are not relevant do not change the label.", _cubes, _ignores_the_rest),
    Property(
        "A point is positive exactly when r or more relevant features are 1.",
        _cubes,
        lambda f, X, relevant, r: close(f(X, relevant, r), np.where(_true(X, relevant) >= r, 1, -1)),
    ),
]


def _wishes(rng):
    """Sizes, gaps and seeds: from one feature to the paper's ten."""
    for n, d, gap in ((1, 1, 0.0), (40, 1, 1.0), (40, 2, 0.5), (300, 3, 2.0), (300, 10, 1.0)):
        yield dict(n=n, d=d, gap=gap, seed=n + d)


def _large(rng):
    yield dict(n=2000, d=1, gap=1.0, seed=0)
    yield dict(n=2000, d=1, gap=2.0, seed=1)


def _drawn(f, **case):
    """Labels and signed distances from the plane, of one sample."""
    X, y, w = map(np.asarray, f(*case.values()))
    return y, (X - SIDE / 2) @ w


def _shapes(f, n, d, gap, seed):
    X, y, w = map(np.shape, f(n, d, gap, seed))
    return (X, y, w) == ((n, d), (n,), (d,))


def _labelled(f, **case):
    y, distance = _drawn(f, **case)
    return (y * distance >= case["gap"] - 1e-9).all()


def _repeats(f, **case):
    return all(close(a, b) for a, b in zip(f(*case.values()), f(*case.values()), strict=True))


def _differs(f, n, d, gap, seed):
    return not close(f(n, d, gap, seed + 1)[0], f(n, d, gap, seed)[0])


def _not_moved(f, **case):
    _, distance = _drawn(f, **case)
    return (np.abs(np.abs(distance) - case["gap"]) < 1e-9).sum() <= 1


def _uniform(f, **case):
    reach = np.abs(_drawn(f, **case)[1])  # uniform between the gap and half the side
    width, middle = SIDE / 2 - case["gap"], SIDE / 4 + case["gap"] / 2
    return abs(reach.mean() - middle) < 5 * width / np.sqrt(12 * case["n"])


SAMPLE = [
    Property("The sample is X of shape (n, d), y of shape (n,) and w of shape (d,).", _wishes, _shapes),
    Property(
        "The normal w has length 1.",
        _wishes,
        lambda f, **case: close(np.linalg.norm(f(*case.values())[2]), 1.0),
    ),
    Property(
        "Labels are 1 or -1.",
        _wishes,
        lambda f, **case: close(np.abs(f(*case.values())[1]), np.ones(case["n"])),
    ),
    Property("y w.(x - c) is at least the gap on every row, where c = (5, ..., 5).", _wishes, _labelled),
    Property("A point that is too near is drawn again: it is not moved to the gap.", _large, _not_moved),
    Property(
        "All points lie in the box [0, 10]^d.",
        _wishes,
        lambda f, **case: 0.0 <= np.min(f(*case.values())[0]) and np.max(f(*case.values())[0]) <= SIDE,
    ),
    Property("The same seed gives the same sample.", _wishes, _repeats),
    Property("Another seed gives other points.", _wishes, _differs),
    Property("The points are uniform beyond the gap: with d = 1 so are their distances.", _large, _uniform),
]


def _powers(rng):
    x = np.array([1.0, 2.0, 4.0])
    for power in (1.0, 2.0, 0.5):
        yield dict(x=x, counts=np.array([x**power, 3 * x**power]))
    yield dict(x=np.array([10.0, 20.0, 80.0]), counts=np.array([[10.0, 20.0, 80.0]] * 4) ** 1.5)


def _mixed(rng):
    x = np.array([1.0, 2.0, 4.0])
    yield dict(x=x, counts=np.array([x, x**3]))
    yield dict(x=x, counts=np.array([x**0.5, x**2.5]))


def _noisy(rng):
    for runs in (2, 5):
        x = np.array([2.0, 5.0, 10.0, 20.0])
        counts = 10 * x ** rng.uniform(0.5, 2.0, (runs, 1)) * rng.uniform(1, 2, (runs, 4))
        yield dict(x=x, counts=np.round(counts))


def _slopes(x, counts):
    return np.array([np.polyfit(np.log(x), np.log(row), 1)[0] for row in counts])


EXPONENT = [
    Property(
        "Counts that are a constant times x^a have the exponent a.",
        _powers,
        lambda f, x, counts: close(f(x, counts)[0], _slopes(x, counts)[0]),
    ),
    Property(
        "Where all runs have the same exponent, the error is 0.",
        _powers,
        lambda f, x, counts: close(f(x, counts)[1], 0.0),
    ),
    Property(
        "Two runs whose exponents are 2 apart have a standard error of 1: their standard deviation, with "
        "n - 1 below the sum of squares, over the root of the number of runs.",
        _mixed,
        lambda f, x, counts: close(f(x, counts)[1], 1.0),
    ),
    Property(
        "The exponent is the mean of the runs' slopes on logarithmic axes.",
        _noisy,
        lambda f, x, counts: close(f(x, counts)[0], _slopes(x, counts).mean()),
    ),
    Property(
        "The error is that of the mean of the runs' slopes.",
        _noisy,
        lambda f, x, counts: close(f(x, counts)[1], _slopes(x, counts).std(ddof=1) / len(counts) ** 0.5),
    ),
]

EXERCISES = {"1": LABEL, "2": SAMPLE, "3": EXPONENT}
