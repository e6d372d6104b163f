"""ROMMA's checkers accept the worked solutions and name what is wrong with typical wrong answers."""

import numpy as np
from answers import checks_of


def step(w, x, y, slack=True, label=1.0, square=True, length=True):
    """The worked solution, and what is left of it after a slip."""
    m, Q, W = y * (w @ x), x @ x if square else np.linalg.norm(x), w @ w
    if not w.any() or (slack and m >= Q * W):
        return (y if label else 1.0) * x / Q
    D = Q * W - m * m
    return ((Q * W - m) * w + (W if length else 1.0) * (1 - m) * (y if label else 1.0) * x) / D


def passive_aggressive(w, x, y):
    return w + (1 - y * (w @ x)) / (x @ x) * y * x


def in_place(w, x, y):
    w[:] = step(w, x, y)
    return w


def kernel_pass(K, y, delta, zero=True, threshold=True, scaling="before", slack=True, label=True, norm=True):
    """The worked solution, and what is left of it after a slip."""
    coef, W = np.zeros(len(y)), 0.0
    for i in range(len(y)):
        m, Q = y[i] * (coef @ K[:, i]), K[i, i]
        low = m <= 0 if zero else m < 0 or W == 0
        if low or (threshold and m < 1 - delta):
            scale, multiplier = 0.0, 1 / Q
            if W > 0 and (m < Q * W or not slack):
                D = Q * W - m * m
                scale, multiplier = (Q * W - m) / D, W * (1 - m) / D
            if scaling == "before":
                coef *= scale
            coef[i] += multiplier * (y[i] if label else 1.0)
            if scaling == "after":
                coef *= scale or 1.0
            W = scale * W + multiplier if norm else coef @ coef
    return coef


SOLUTIONS = {"romma.1": step, "romma.2": kernel_pass}

WRONG = [
    ("romma.1", lambda w, x, y: step(w, x, y, square=False), "From w = 0"),
    ("romma.1", lambda w, x, y: step(w, x, y, label=0.0), "From w = 0"),
    ("romma.1", lambda w, x, y: -step(w, x, y), "From w = 0"),
    ("romma.1", lambda w, x, y: step(w, x, y, length=False), "new constraint is tight"),
    ("romma.1", passive_aggressive, "old constraint holds"),
    ("romma.1", lambda w, x, y: y * x / (x @ x), "old constraint holds"),
    ("romma.1", lambda w, x, y: step(w, x, y, slack=False), "no longer vector"),
    ("romma.1", in_place, "in place"),
    ("romma.2", lambda K, y, delta: kernel_pass(K, y, delta, label=False), "only coefficient is y / K"),
    ("romma.2", lambda K, y, delta: y * kernel_pass(K, y, delta), "only coefficient is y / K"),
    ("romma.2", lambda K, y, delta: kernel_pass(K, y, delta, zero=False), "score of zero"),
    ("romma.2", lambda K, y, delta: kernel_pass(K, y, 0.0), "leaves its coefficient"),
    ("romma.2", lambda K, y, delta: kernel_pass(K, y, delta, threshold=False), "has the score y"),
    ("romma.2", lambda K, y, delta: kernel_pass(K, y, delta, scaling="never"), "has the score y"),
    ("romma.2", lambda K, y, delta: kernel_pass(K, y, delta, scaling="after"), "has the score y"),
    ("romma.2", lambda K, y, delta: kernel_pass(K, y, delta, norm=False), "has the score y"),
    ("romma.2", lambda K, y, delta: kernel_pass(K, y, delta, slack=False), "those of the algorithm"),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
