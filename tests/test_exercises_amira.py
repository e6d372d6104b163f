"""AMIRA's checkers accept the worked solutions and name what is wrong with typical wrong answers."""

import numpy as np
from answers import checks_of


def step(w, x, y, epsilon):
    return w + (y - w @ x) / (x @ x) * x if y * (w @ x) <= 1 - epsilon else w


def in_place(w, x, y, epsilon):
    if y * (w @ x) <= 1 - epsilon:
        w += (y - w @ x) / (x @ x) * x
    return w


def not_squared(w, x, y, epsilon):
    return w + (y - w @ x) / np.linalg.norm(x) * x if y * (w @ x) <= 1 - epsilon else w


def one_pass(K, y, epsilon, label=True, gain=lambda margin, k: (1 - margin) / k, goal=1.0, signed=False):
    alpha = np.zeros(len(y))
    for i in range(len(y)):
        margin = y[i] * (K[i] @ (alpha * y if label else alpha))
        if margin <= goal - epsilon:
            alpha[i] += gain(margin, K[i, i]) * (y[i] if signed else 1)
    return alpha


def bound(X, y, u, gamma, epsilon, unit=True, relative=True, power=2, always=False):
    lacks = np.maximum(0, gamma - y * (X @ u) / (np.linalg.norm(u) if unit else 1))
    lacks = lacks / np.linalg.norm(X, axis=1) if relative else lacks
    E2 = (lacks**power).sum()
    small = (np.sqrt(2 - epsilon) + np.sqrt(epsilon * E2)) ** 2
    phi = small if E2 <= epsilon / (2 - epsilon) or always else 2 * (1 + E2)
    return (X**2).sum(axis=1).max() / (epsilon * gamma**2) * phi


def only_large(X, y, u, gamma, epsilon):
    lacks = np.maximum(0, gamma - y * (X @ u) / np.linalg.norm(u)) / np.linalg.norm(X, axis=1)
    return (X**2).sum(axis=1).max() / (epsilon * gamma**2) * 2 * (1 + lacks @ lacks)


SOLUTIONS = {"amira.1": step, "amira.2": one_pass, "amira.3": bound}

WRONG = [
    ("amira.1", lambda w, x, y, epsilon: w + (y - w @ x) / (x @ x) * x, "leaves the weights as they are"),
    ("amira.1", lambda w, x, y, epsilon: step(w, x, y, 0.0), "leaves the weights as they are"),
    ("amira.1", lambda w, x, y, epsilon: w if y * (w @ x) >= 1 - epsilon else step(w, x, y, 0), "exactly at"),
    ("amira.1", lambda w, x, y, epsilon: 2 * w - step(w, x, y, epsilon), "the score y w.x = 1"),
    ("amira.1", lambda w, x, y, e: w + (1 - w @ x) / (x @ x) * x if y * (w @ x) <= 1 - e else w, "= 1"),
    ("amira.1", lambda w, x, y, e: w + (y - w @ x) / (x @ x) * x if w @ x <= 1 - e else w, "as they are"),
    ("amira.1", not_squared, "the score y w.x = 1"),
    ("amira.1", lambda w, x, y, e: w + y * x / (x @ x) if y * (w @ x) <= 1 - e else w, "the score y w.x = 1"),
    ("amira.1", lambda w, x, y, e: y * x / (x @ x) if y * (w @ x) <= 1 - e else w, "to the nearest"),
    ("amira.1", in_place, "in place"),
    ("amira.2", lambda K, y, e: one_pass(K, y, e, signed=True), "which is positive"),
    ("amira.2", lambda K, y, e: one_pass(K, y, e, gain=lambda m, k: 1 - m), "A single example"),
    (
        "amira.2",
        lambda K, y, e: one_pass(K, y, e, gain=lambda m, k: (1 - m) / np.sqrt(k)),
        "A single example",
    ),
    ("amira.2", lambda K, y, e: one_pass(K, y, e, label=False), "is updated, any other keeps 0"),
    ("amira.2", lambda K, y, e: one_pass(K, y, 0 * e), "is updated, any other keeps 0"),
    ("amira.2", lambda K, y, e: one_pass(K, y, e, goal=1 - 1e-12), "is updated, any other keeps 0"),
    ("amira.2", lambda K, y, e: one_pass(K, y, e, gain=lambda m, k: 1 / k), "has the score 1"),
    ("amira.3", lambda *given: bound(*given, unit=False), "direction of u"),
    ("amira.3", lambda *given: bound(*given, relative=False), "Twice the examples"),
    ("amira.3", lambda *given: bound(*given, power=1), "the factor is (sqrt"),
    ("amira.3", lambda *given: bound(*given, always=True), "the factor is 2 (1 + E^2)"),
    ("amira.3", only_large, "Updates of AMIRA"),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
