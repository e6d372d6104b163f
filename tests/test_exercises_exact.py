"""The checkers of From online to exact accept the worked solutions and name what is wrong with others."""

import numpy as np
from answers import checks_of


def step(alpha, i, K, y, stop=True, label=True, add=True, back=True, power=1.0, whole=False):
    m = (y[i] if label else 1.0) * (K[i] @ (alpha * y))
    delta = (1 - m) / K[i, i] ** power
    new = alpha.copy()
    new[slice(None) if whole else i] = (alpha[i] if add else 0.0) + (delta if back else max(0.0, delta))
    return np.maximum(new, 0.0) if stop else new


def in_place(alpha, i, K, y):
    alpha[:] = step(alpha, i, K, y)
    return alpha


def bounds(alpha, K, y, label=True, root=True, share=True, worst=np.min, unit=True):
    m = y * (K @ (alpha * y if label else alpha))
    squared = (alpha * y) @ K @ (alpha * y)
    length = np.sqrt(squared) if root else squared
    return worst(m) / (length if unit else 1.0), length / (alpha.sum() if share else 1.0)


def one_pass(X, y, lam, first=1, early=False, lazy=False, label=True, scaled=True):
    w = np.zeros(X.shape[1])
    for t, (x, sign) in enumerate(zip(X, y, strict=True), start=first):
        shrunk = (1 - 1 / t) * w
        violated = sign * ((shrunk if early else w) @ x) < 1
        w = w if lazy and not violated else shrunk
        w = w + violated * (sign if label else 1.0) * x / ((lam if scaled else 1.0) * t)
    return w


def varied(function, **slip):
    return lambda *case: function(*case, **slip)


SOLUTIONS = {"exact.1": step, "exact.2": bounds, "exact.3": one_pass}

WRONG = [
    ("exact.1", varied(step, stop=False), "becomes negative"),
    ("exact.1", varied(step, label=False), "whatever the label is"),
    ("exact.1", varied(step, add=False), "the score y f(x) = 1"),
    ("exact.1", varied(step, back=False), "the score y f(x) = 1"),
    ("exact.1", varied(step, power=0.5), "the score y f(x) = 1"),
    ("exact.1", varied(step, whole=True), "Only the multiplier of example i"),
    ("exact.1", lambda alpha, i, K, y: alpha, "the score y f(x) = 1"),
    (
        "exact.1",
        lambda alpha, i, K, y: alpha if step(alpha, i, K, y)[i] == 0 else step(alpha, i, K, y),
        "stops there",
    ),
    ("exact.1", in_place, "in place"),
    ("exact.2", varied(bounds, label=False), "whatever its label"),
    ("exact.2", varied(bounds, root=False), "A single example"),
    ("exact.2", varied(bounds, share=False), "A single example"),
    ("exact.2", varied(bounds, unit=False), "A single example"),
    ("exact.2", varied(bounds, worst=np.max), "not above the upper"),
    ("exact.2", lambda *case: (bounds(*case)[1],) * 2, "that of the worst example"),
    ("exact.2", lambda *case: bounds(*case)[::-1], "comes first"),
    ("exact.2", lambda *case: (bounds(*case)[0], bounds(*case)[0]), "|w| over the sum"),
    ("exact.3", varied(one_pass, first=2), "has the number 1"),
    ("exact.3", varied(one_pass, label=False), "After a single example"),
    ("exact.3", varied(one_pass, scaled=False), "After a single example"),
    ("exact.3", varied(one_pass, lazy=True), "does nothing else"),
    ("exact.3", varied(one_pass, early=True), "before it shrinks"),
]

test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
