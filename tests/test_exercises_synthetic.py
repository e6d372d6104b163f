"""Checkers on synthetic data accept the worked solutions and name what is wrong with wrong answers."""

import numpy as np
from answers import checks_of


def label(X, relevant, r, shift=1):
    return np.sign(X[:, relevant].sum(axis=1) + len(relevant) - 2 * r + shift)


def printed(X, relevant, r):
    return np.where(X[:, relevant].sum(axis=1) - 2 * r + 1 > 0, 1, -1)


def all_features(X, relevant, r):
    return label(X, list(range(X.shape[1])), r)


def zero_one(X, relevant, r):
    return (X[:, relevant].sum(axis=1) + len(relevant) - 2 * r + 1 > 0).astype(int)


def majority(X, relevant, r):
    return np.where(X[:, relevant].sum(axis=1) >= 0, 1, -1)


def distracted(X, relevant, r):
    """Right next to the border; beyond it the other features have a say."""
    true = (X[:, relevant] > 0).sum(axis=1)
    rest = X.sum(axis=1) - X[:, relevant].sum(axis=1)
    return np.where((true == r) | ((true > r) & (rest >= 0)), 1, -1)


def most(X, relevant, r):
    """Right next to the border, wrong beyond it."""
    true = (X[:, relevant] > 0).sum(axis=1)
    return np.where(true == r, 1, -1)


def sample(n, d, gap, seed, unit=True, kind="uniform", flip=1, centre=5.0, near="again"):
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(d)
    w = w / np.linalg.norm(w) if unit else w
    rows = np.empty((0, d))
    while len(rows) < n:
        X = rng.uniform(0, 10, (n, d)) if kind == "uniform" else rng.normal(5, 1.5, (n, d))
        X = X if kind == "wide" else X.clip(0, 10)
        s = (X - centre) @ w
        if near == "moved":
            X = X + np.outer(np.where(np.abs(s) < gap, np.sign(s) * gap - s, 0), w)
            return X, flip * np.sign((X - centre) @ w), w
        X = X if near == "kept" else X[np.abs(s) >= gap]
        rows = np.vstack([rows, X])
    rows = rows[:n]
    return rows, flip * np.sign((rows - centre) @ w), w


def varied(**slip):
    return lambda *case: sample(*case, **slip)


def fewer(n, d, gap, seed):
    X, y, w = sample(n, d, 0.0, seed)
    far = np.abs((X - 5) @ w) >= gap
    return X[far], y[far], w


def unseeded(n, d, gap, seed):
    return sample(n, d, gap, np.random.SeedSequence().entropy)


def deaf(n, d, gap, seed):
    return sample(n, d, gap, 0)


def zero_and_one(n, d, gap, seed):
    X, y, w = sample(n, d, gap, seed)
    return X, (y > 0).astype(int), w


def exponent(x, counts, ddof=1, root=True, logs=True, swap=False):
    f = np.log if logs else np.asarray
    pairs = [(f(x), f(row)) for row in counts]
    slopes = np.array([np.polyfit(*(pair[::-1] if swap else pair), 1)[0] for pair in pairs])
    return slopes.mean(), slopes.std(ddof=ddof) / (len(slopes) ** 0.5 if root else 1.0)


def slip(**options):
    return lambda x, counts: exponent(x, counts, **options)


def of_the_mean(x, counts):
    return np.polyfit(np.log(x), np.log(counts.mean(axis=0)), 1)[0], exponent(x, counts)[1]


def of_the_ends(x, counts):
    slopes = np.log(counts[:, -1] / counts[:, 0]) / np.log(x[-1] / x[0])
    return slopes.mean(), slopes.std(ddof=1) / len(slopes) ** 0.5


def other_error(x, counts):
    middle, error = exponent(x, counts)
    return middle, error if len(counts) == 2 else error * np.sqrt(2 / len(counts))


SOLUTIONS = {"synthetic.1": label, "synthetic.2": sample, "synthetic.3": exponent}

WRONG = [
    ("synthetic.1", zero_one, "a label, 1 or -1"),
    ("synthetic.1", printed, "exactly r relevant features at 1 is positive"),
    ("synthetic.1", lambda *case: label(*case, shift=-1), "exactly r relevant features at 1 is positive"),
    ("synthetic.1", lambda *case: label(*case, shift=3), "r - 1 relevant features at 1 is negative"),
    ("synthetic.1", majority, "is positive"),
    ("synthetic.1", all_features, "r - 1 relevant features at 1 is negative"),
    ("synthetic.1", distracted, "not relevant do not change"),
    ("synthetic.1", most, "r or more relevant"),
    ("synthetic.2", fewer, "X of shape (n, d)"),
    ("synthetic.2", lambda *case: sample(*case)[:2], "not enough values"),
    ("synthetic.2", varied(unit=False), "has length 1"),
    ("synthetic.2", varied(kind="wide"), "in the box"),
    ("synthetic.2", zero_and_one, "1 or -1"),
    ("synthetic.2", varied(flip=-1), "at least the gap"),
    ("synthetic.2", varied(centre=0.0), "at least the gap"),
    ("synthetic.2", varied(near="kept"), "at least the gap"),
    ("synthetic.2", unseeded, "The same seed"),
    ("synthetic.2", deaf, "Another seed"),
    ("synthetic.2", varied(near="moved"), "not moved"),
    ("synthetic.2", varied(kind="normal"), "uniform beyond the gap"),
    ("synthetic.3", slip(logs=False), "have the exponent a"),
    ("synthetic.3", slip(swap=True), "have the exponent a"),
    ("synthetic.3", slip(ddof=0), "standard error of 1"),
    ("synthetic.3", slip(root=False), "standard error of 1"),
    ("synthetic.3", lambda x, c: (exponent(x, c)[0], 0.0), "standard error of 1"),
    ("synthetic.3", of_the_mean, "mean of the runs' slopes on"),
    ("synthetic.3", of_the_ends, "mean of the runs' slopes on"),
    ("synthetic.3", other_error, "that of the mean"),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
