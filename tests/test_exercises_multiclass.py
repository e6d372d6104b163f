"""The checkers on many classes accept the worked solutions and name what is wrong with wrong answers."""

import numpy as np
from answers import checks_of

from marginbook.ascent import hildreth
from marginbook.exercises import check


def one_best(W, x, y, epsilon, strict=False, square=None, last=False, itself=False, parts=(1.0, 1.0)):
    scores = W @ x
    wrong = scores.copy()
    wrong[y] = wrong[y] if itself else -np.inf
    z = len(W) - 1 - wrong[::-1].argmax() if last else wrong.argmax()
    margin = scores[y] - scores[z]
    if margin > 1 - epsilon or (strict and margin == 1 - epsilon):
        return W
    new, tau = W.copy(), (1 - margin) / (2 * x @ x if square is None else square(x))
    new[y] += parts[0] * tau * x
    new[z] -= parts[1] * tau * x
    return new


def in_place(W, x, y, epsilon):
    W[:] = one_best(W, x, y, epsilon)
    return W


def all_wrong(W, x, y, epsilon):
    return one_best(W, x, y, epsilon) - (np.arange(len(W)) == (y + 1) % len(W))[:, None] * 1e-3 * x


def multipliers(c):
    top = np.sort(c)[::-1]
    r = 1
    while r < len(c) and top[r] > top[:r].sum() / (r + 1):
        r += 1
    return np.maximum(0, c - top[:r].sum() / (r + 1))


def leader(c):
    return np.where(np.arange(len(c)) == np.argmax(c), c / 2, 0)


def unsorted(c):
    r = 1
    while r < len(c) and c[r] > c[:r].sum() / (r + 1):
        r += 1
    return np.maximum(0, c - c[:r].sum() / (r + 1))


def one_sweep(c):
    tau = np.zeros(len(c))
    for z in range(len(c)):
        tau[z] = max(0, (c[z] - tau.sum()) / 2)
    return tau


SOLUTIONS = {"multiclass.1": one_best, "multiclass.2": multipliers}

WRONG = [
    ("multiclass.1", lambda W, x, y, e: one_best(W, x, y, -9.0), "no weights change"),
    ("multiclass.1", all_wrong, "no weights change"),
    ("multiclass.1", lambda *given: one_best(*given, strict=True), "exactly 1 - epsilon"),
    ("multiclass.1", lambda W, x, y, e: one_best(W, x, y, min(e + 0.1, 1.0)), "exactly 1 - epsilon"),
    ("multiclass.1", lambda *given: one_best(*given, itself=True), "exactly 1 - epsilon"),
    ("multiclass.1", lambda *given: one_best(*given, last=True), "of equal ones the smaller"),
    ("multiclass.1", lambda *given: one_best(*given, parts=(2.0, 0.0)), "moves two classes"),
    ("multiclass.1", lambda *given: one_best(*given, square=lambda x: x @ x), "a margin of 1"),
    ("multiclass.1", lambda *given: one_best(*given, parts=(1.0, -1.0)), "a margin of 1"),
    ("multiclass.1", lambda *g: one_best(*g, square=lambda x: 2 * np.linalg.norm(x)), "a margin of 1"),
    ("multiclass.1", lambda *given: one_best(*given, parts=(1.5, 0.5)), "to the nearest"),
    ("multiclass.1", in_place, "in place"),
    ("multiclass.2", lambda c: c, "gets c / 2"),
    ("multiclass.2", lambda c: c / len(c), "gets c / 2"),
    ("multiclass.2", lambda c: multipliers(c).sum(), "gets c / 2"),
    ("multiclass.2", lambda c: c - c.sum() / (len(c) + 1), "none is negative"),
    ("multiclass.2", lambda c: c / 2, "c / (n + 1)"),
    ("multiclass.2", leader, "c / (n + 1)"),
    ("multiclass.2", one_sweep, "c / (n + 1)"),
    ("multiclass.2", unsorted, "is met"),
    ("multiclass.2", lambda c: np.maximum(0, c - c.sum() / (len(c) + 1)), "is met"),
    ("multiclass.2", lambda c: np.sort(multipliers(c))[::-1], "is met"),
    ("multiclass.2", lambda c: np.full(len(c), c.max() / (len(c) + 1)), "with equality"),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)


def test_sweeps_are_accepted_too():
    assert check("multiclass.2", lambda c: hildreth(np.eye(len(c)) + 1.0, c))
