"""Checkers of the chapter on USPS."""

from itertools import permutations

import numpy as np

from marginbook.exercises import Property, close


def _ranges(rng):
    """Sigmas and ranges of pixels: the range as it is, shifted, wider, and any."""
    for sigma in (1.0, 3.5):
        for low, high in ((-1.0, 1.0), (0.0, 2.0), (0.0, 1.0), (0.0, 255.0), (-3.0, 1.0)):
            yield dict(sigma=sigma, low=low, high=high)
    yield dict(sigma=rng.uniform(1.0, 5.0), low=rng.uniform(-2.0, 0.0), high=rng.uniform(1.0, 9.0))


def _same_kernel(f, sigma, low, high):
    x, z = np.random.default_rng(1).uniform(-1.0, 1.0, size=(2, 9))
    before = np.exp(-((x - z) @ (x - z)) / (2.0 * sigma**2))
    x, z = (low + (high - low) * (a + 1.0) / 2.0 for a in (x, z))
    return close(np.exp(-((x - z) @ (x - z)) / (2.0 * f(sigma, low, high) ** 2)), before)


SIGMA = [
    Property(
        "Pixels that stay between -1 and 1 keep their sigma.",
        lambda rng: (case for case in _ranges(rng) if (case["low"], case["high"]) == (-1.0, 1.0)),
        lambda f, **case: close(f(*case.values()), case["sigma"]),
    ),
    Property(
        "A constant added to all pixels changes no distance: the range from low + 5 to high + 5 needs the "
        "same sigma as that from low to high.",
        _ranges,
        lambda f, sigma, low, high: close(f(sigma, low + 5.0, high + 5.0), f(sigma, low, high)),
    ),
    Property(
        "Sigma is a length: a range twice as wide needs twice the sigma.",
        _ranges,
        lambda f, sigma, low, high: close(f(sigma, low, 2.0 * high - low), 2.0 * f(sigma, low, high)),
    ),
    Property("All values of the kernel are what they were.", _ranges, _same_kernel),
]


def _runs(rng):
    """Values of runs, a printed mean, and how many runs it is the mean of."""
    yield dict(runs=np.array([1.0, 3.0]), printed=2.0, m=2)
    yield dict(runs=np.array([1.0, 3.0]), printed=1.0, m=2)
    yield dict(runs=np.array([1.0, 3.0]), printed=4.0, m=1)
    yield dict(runs=np.array([6.0, 7.0, 7.0, 8.0]), printed=7.5, m=10)
    for size in (3, 10):
        yield dict(runs=rng.uniform(6.0, 8.0, size=size), printed=7.4, m=int(rng.integers(2, 20)))


def _apart(runs, printed, m):
    return (np.mean(runs) - printed) / (np.std(runs, ddof=1) * np.sqrt(1.0 / len(runs) + 1.0 / m))


def _exact(f, runs, printed, m=10**14):
    """A printed mean of very many runs has no error of its own."""
    return f(runs, printed, m) * np.std(runs, ddof=1) / np.sqrt(len(runs))


APART = [
    Property(
        "A printed number equal to the mean of the runs is 0 standard errors away.",
        _runs,
        lambda f, runs, printed, m: close(f(runs, float(np.mean(runs)), m), 0.0),
    ),
    Property(
        "The number is positive where the mean of the runs is the larger one, negative where it is smaller.",
        _runs,
        lambda f, **case: np.sign(f(*case.values())) == np.sign(np.mean(case["runs"]) - case["printed"]),
    ),
    Property(
        "Runs and printed mean in another unit, all times 10, are as many standard errors apart.",
        _runs,
        lambda f, runs, printed, m: close(f(10.0 * runs, 10.0 * printed, m), f(runs, printed, m)),
    ),
    Property(
        "The mean of very many runs has no error of its own: for m = 10^14 the standard error is that of our "
        "mean alone, s / sqrt(len(runs)), with len(runs) - 1 in the denominator of s^2.",
        _runs,
        lambda f, runs, printed, m: close(_exact(f, runs, printed), np.mean(runs) - printed),
    ),
    Property(
        "Two means of as many runs: the difference has sqrt(2) times the standard error of either.",
        _runs,
        lambda f, runs, printed, m: close(
            np.sqrt(2.0) * f(runs, printed, len(runs)), f(runs, printed, 10**14)
        ),
    ),
    Property(
        "The variances of the two means add up.",
        _runs,
        lambda f, **case: close(f(*case.values()), _apart(**case)),
    ),
]


def _cost(chosen, printed, ours):
    return np.abs(np.log(ours[np.asarray(chosen)] / printed)).sum()


def _least(printed, ours):
    return min(_cost(chosen, printed, ours) for chosen in permutations(range(len(ours)), len(printed)))


def _counts(rng):
    """A few printed counts, and at least as many of ours."""
    yield dict(printed=np.array([10.0]), ours=np.array([10.0]))
    yield dict(printed=np.array([10.0, 20.0]), ours=np.array([20.0, 10.0]))
    yield dict(printed=np.array([10.0, 11.0]), ours=np.array([10.5, 30.0]))
    for size, more in ((2, 1), (3, 0), (3, 1), (3, 2), (4, 1)):
        for _ in range(6):
            drawn = np.round(np.exp(rng.uniform(2.0, 5.0, size=2 * size + more)))
            yield dict(printed=drawn[:size], ours=drawn[size:])


def _valid(f, printed, ours):
    chosen = np.asarray(f(printed, ours))
    return (
        chosen.shape == printed.shape
        and chosen.dtype.kind == "i"
        and len(set(chosen.tolist())) == len(printed)
        and set(chosen.tolist()) <= set(range(len(ours)))
    )


def _known(rng):
    """Each printed count is among ours."""
    for case in _counts(rng):
        ours = np.unique(case["ours"])[::-1]
        size = min(len(case["printed"]), len(ours))
        yield dict(printed=rng.permutation(ours)[:size], ours=ours)


MATCH = [
    Property(
        "The answer is an array of one index of `ours` for each printed count; no index occurs twice.",
        _counts,
        _valid,
    ),
    Property(
        "Where every printed count is among ours, each gets its equal.",
        _known,
        lambda f, printed, ours: bool((ours[np.asarray(f(printed, ours))] == printed).all()),
    ),
    Property(
        "One printed count takes the one of ours at the ratio nearest 1, not with the smallest difference.",
        lambda rng: [dict(printed=np.array([10.0]), ours=np.array([6.0, 15.0]))],
        lambda f, printed, ours: list(f(printed, ours)) == [1],
    ),
    Property(
        "The sum of all |ln| must be smallest: a row that takes its nearest count may leave a worse one "
        "to another.",
        _counts,
        lambda f, printed, ours: (
            _cost(f(printed, ours), printed, ours) <= _least(printed, ours) * (1.0 + 1e-9) + 1e-12
        ),
    ),
]

EXERCISES = {"1": SIGMA, "2": APART, "3": MATCH}
