"""The checkers on kernels accept the worked solutions and name what is wrong with typical wrong answers."""

from math import comb, factorial

import numpy as np
from answers import checks_of


def walk(scores, within, y, start=0, mistake=np.less_equal, label=True, correct=True):
    v, steps = scores.copy(), np.zeros(len(y))
    for k in range(start, len(y)):
        if mistake(y[k] * v[k], 0):
            steps[k] = y[k] if label else 1.0
            if correct:
                v[k + 1 :] += (y[k] if label else 1.0) * within[k, k + 1 :]
    return steps


def correct_without_label(scores, within, y):
    v, steps = scores.copy(), np.zeros(len(y))
    for k in range(len(y)):
        if y[k] * v[k] <= 0:
            steps[k] = y[k]
            v += within[k]
    return steps


def until_right(scores, within, y):
    v, steps = scores.copy(), np.zeros(len(y))
    for _ in range(20):
        for k in range(len(y)):
            if y[k] * v[k] <= 0:
                steps[k] += y[k]
                v += y[k] * within[k]
    return steps


def after_all(scores, within, y):
    first = np.where(y * scores <= 0, y, 0.0)
    return np.where(y * (scores + first @ (within - np.diag(np.diagonal(within)))) <= 0, y, 0.0)


def own_value(scores, within, y):
    v, steps = scores.copy(), np.zeros(len(y))
    for k in range(len(y)):
        if y[k] * v[k] <= 0:
            steps[k] = y[k]
            v += y[k] * within[k, k]
    return steps


def in_place(scores, within, y):
    steps = np.zeros(len(y))
    for k in range(len(y)):
        if y[k] * scores[k] <= 0:
            steps[k] = y[k]
            scores += y[k] * within[k]
    return steps


def once(scores, within, y):
    """Corrects only the next score."""
    v, steps = scores.copy(), np.zeros(len(y))
    for k in range(len(y)):
        if y[k] * v[k] <= 0:
            steps[k] = y[k]
            v[k + 1 : k + 2] += y[k] * within[k, k + 1 : k + 2]
    return steps


def varied(**slip):
    return lambda *case: walk(*case, **slip)


def count(d, degree, constant):
    return comb(d + degree - (not constant), degree)


def rounded(d, degree, constant):
    return float(factorial(d + degree - (not constant))) / factorial(degree) / factorial(d - (not constant))


def floats(d, degree, constant):
    top, value = d + degree - (not constant), 1.0
    for j in range(degree):
        value *= (top - j) / (degree - j)
    return round(value)


def lazy(K, y, scale, fold=True, back=True, undo=True, first=True):
    c, s = np.zeros(len(y)), 1.0
    for i in range(len(y)):
        if y[i] * s * (c @ K[:, i]) <= 0:
            if first:
                s *= scale
            if fold and not 1e-100 < s < 1e100:
                c, s = c * s, 1.0
            c[i] += y[i] / s if undo else y[i]
            if not first:
                s *= scale
    return s * c if back else c


def slipped(**slip):
    return lambda *case: lazy(*case, **slip)


def always(K, y, scale):
    c = np.zeros(len(y))
    for i in range(len(y)):
        wrong = y[i] * (c @ K[:, i]) <= 0
        c *= scale
        c[i] += y[i] * wrong
    return c


SOLUTIONS = {"kernels.1": walk, "kernels.2": count, "kernels.3": lazy}

WRONG = [
    ("kernels.1", varied(mistake=np.greater_equal), "makes no step"),
    ("kernels.1", varied(mistake=np.less), "score of zero"),
    ("kernels.1", varied(label=False), "the step y, the label"),
    ("kernels.1", own_value, "orthogonal to it"),
    ("kernels.1", varied(correct=False), "to the score of the second"),
    ("kernels.1", correct_without_label, "to the score of the second"),
    ("kernels.1", until_right, "one trial in the block"),
    ("kernels.1", after_all, "computes each score anew"),
    ("kernels.1", once, "computes each score anew"),
    ("kernels.1", in_place, "not changed in place"),
    ("kernels.2", lambda d, degree, constant: comb(d + degree, degree), "Of degree 1"),
    ("kernels.2", lambda d, degree, constant: comb(d + degree - 1, degree), "Of degree 1"),
    ("kernels.2", lambda d, degree, constant: d * degree + constant, "Of one feature"),
    ("kernels.2", lambda d, degree, constant: (d + constant) ** degree, "Of one feature"),
    ("kernels.2", lambda d, degree, constant: d**degree + constant * degree, "order of the factors"),
    ("kernels.2", lambda d, degree, constant: count(d, degree, False) + constant * degree, "lower degrees"),
    ("kernels.2", floats, "whole number"),
    ("kernels.3", slipped(first=False), "first mistake"),
    ("kernels.3", slipped(back=False), "first mistake"),
    ("kernels.3", slipped(undo=False), "first mistake"),
    ("kernels.3", lambda K, y, scale: lazy(K, y, 1.0), "older coefficients"),
    ("kernels.3", always, "that scales all of them"),
    ("kernels.3", slipped(fold=False), "underflow"),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
