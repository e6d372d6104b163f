"""The perceptron's checkers accept the worked solutions and name what is wrong with typical wrong answers."""

import numpy as np
from answers import checks_of


def step(w, x, y, b, eta):
    return w + eta * y * x if y * (w @ x) <= b else w


def in_place(w, x, y, b, eta):
    if y * (w @ x) <= b:
        w += eta * y * x
    return w


def average(trials, steps, n):
    return (n + 1 - trials) @ steps / n


def bound(X, y, u, gamma, power=2, unit=True, label=True):
    scores = X @ u / (np.linalg.norm(u) if unit else 1.0)
    deviations = np.maximum(0, gamma - (y * scores if label else scores))
    size = (deviations**power).sum() ** (1 / 2)
    return ((np.linalg.norm(X, axis=1).max() + size) / gamma) ** 2


SOLUTIONS = {"perceptron.1": step, "perceptron.2": average, "perceptron.3": bound}

WRONG = [
    ("perceptron.1", lambda w, x, y, b, eta: w + eta * y * x, "leaves the weights as they are"),
    ("perceptron.1", lambda w, x, y, b, eta: w + eta * y * x if y * (w @ x) < b else w, "exactly at the"),
    ("perceptron.1", lambda w, x, y, b, eta: w - eta * y * x if y * (w @ x) <= b else w, "raises y w.x"),
    ("perceptron.1", lambda w, x, y, b, eta: w + eta * x if y * (w @ x) <= b else w, "raises y w.x"),
    ("perceptron.1", lambda w, x, y, b, eta: w + y * x if y * (w @ x) <= b else w, "by eta |x|"),
    ("perceptron.1", lambda w, x, y, b, eta: w + eta * y * x if w @ x <= b else w, "as they are"),
    ("perceptron.1", in_place, "in place"),
    ("perceptron.2", lambda trials, steps, n: (n - trials) @ steps / n, "after every trial"),
    ("perceptron.2", lambda trials, steps, n: steps.sum(axis=0), "after one trial only"),
    ("perceptron.2", lambda trials, steps, n: (n + 1 - trials) @ steps, "after every trial"),
    ("perceptron.2", lambda trials, steps, n: steps.mean(axis=0), "after one trial only"),
    ("perceptron.2", lambda trials, steps, n: trials @ steps / n, "after every trial"),
    ("perceptron.3", lambda X, y, u, gamma: bound(X, y, u, gamma, unit=False), "direction of u"),
    ("perceptron.3", lambda X, y, u, gamma: bound(X, y, u, gamma, label=False), "squares of all"),
    ("perceptron.3", lambda X, y, u, gamma: bound(X, y, u, gamma, power=1), "Twice the examples"),
    ("perceptron.3", lambda X, y, u, gamma: bound(X, y, u, gamma) ** 0.5, "Novikoff"),
    ("perceptron.3", lambda X, y, u, gamma: (np.linalg.norm(X, axis=1).max() / gamma) ** 2, "squares of all"),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
