"""PUMMA's checkers accept the worked solutions and name what is wrong with typical wrong answers."""

import numpy as np
from answers import checks_of
from scipy.optimize import brentq

from marginbook.pnorms import link


def pair_step(w, plus, minus, half=0.5, sign=1, slack=True, old=True):
    z = half * (plus - minus)
    k, Q, W = w @ z, z @ z, w @ w
    if not old or (slack and k >= Q * W):
        v = z / Q
    else:
        c = Q * W - k * k
        v = (Q * W - k) / c * w + W * (1 - k) / c * z if c else z / Q
    return v, -v @ (plus + sign * minus) / 2


def projected(w, plus, minus):
    z = (plus - minus) / 2
    v = w + (1 - w @ z) / (z @ z) * z
    return v, -v @ (plus + minus) / 2


def from_the_origin(w, plus, minus):
    v, b = pair_step(w, plus, minus)
    if w.any():  # the length of x+ in the place of that of z
        v = v + (plus @ plus) * (w - (w @ (plus - minus)) / (v @ (plus - minus)) * v)
        b = -v @ (plus + minus) / 2
    return v, b


def p_step(theta, z, p, printed="", slack=True):
    W = link(theta, p) @ theta
    norm = np.linalg.norm(z, p / (p - 1) if printed == "12" else p)
    if W == 0 or (slack and link(z, p) @ theta >= W * norm**2):
        return 0.0, 1 / norm**2

    def h(r):
        g = link(z + r * theta, p)
        return g @ theta - W * (g @ z)

    high = 1 / W
    while h(high) < 0:
        high *= 2
    r = brentq(h, 0, high, xtol=1e-14) if h(0) < 0 else 0.0
    step = 1 / (link(z + r * theta, p) @ z)
    if printed == "13":
        step = step**2
    return r * step, step


def flat_step(theta, z, p):
    W, k, Q = theta @ theta, theta @ z, z @ z
    if k >= Q * W:
        return 0.0, 1 / np.linalg.norm(z, p) ** 2
    return (Q * W - k) / (Q * W - k * k), W * (1 - k) / (Q * W - k * k)


def only_new(theta, z, p):
    return 0.0, 1 / np.linalg.norm(z, p) ** 2


def update_bound(X, y, gamma, delta, p, power=2, factor=True, classes=True, radius=False):
    positive, negative = X[y > 0], X[y < 0]
    if not classes:
        positive = negative = X
    size = max(np.linalg.norm(a - b, p) for a in positive for b in negative)
    if radius:
        size = 2 * np.linalg.norm(X, p, axis=1).max()
    return (p - 1 if factor else 1) * (size / gamma / delta) ** power


SOLUTIONS = {"pumma.1": pair_step, "pumma.2": p_step, "pumma.3": update_bound}

WRONG = [
    ("pumma.1", lambda w, a, b: pair_step(w, b, a), "point along"),
    ("pumma.1", lambda w, a, b: pair_step(w, a, b, half=1), "scores 1 and -1"),
    ("pumma.1", lambda w, a, b: pair_step(w, a, b, sign=-1), "scores 1 and -1"),
    ("pumma.1", lambda w, a, b: pair_step(w, a, b)[:1] + (0.0,), "scores 1 and -1"),
    ("pumma.1", from_the_origin, "moved by the same vector"),
    ("pumma.1", lambda w, a, b: pair_step(w, a, b, old=False), "keep the old constraint"),
    ("pumma.1", projected, "keep the old constraint"),
    ("pumma.1", lambda w, a, b: pair_step(w, a, b, slack=False), "No longer weights"),
    ("pumma.2", lambda t, z, p: p_step(t, z, p, printed="12"), "from theta = 0"),
    ("pumma.2", lambda t, z, p: p_step(t, z, p, printed="13"), "v.z = 1"),
    ("pumma.2", flat_step, "v.z = 1"),
    ("pumma.2", only_new, "keep the old constraint"),
    ("pumma.2", lambda t, z, p: p_step(t, z, p)[::-1], "from theta = 0"),
    ("pumma.3", lambda *case: update_bound(*case, radius=True), "moved to another place"),
    ("pumma.3", lambda *case: update_bound(*case, power=1), "Half the delta"),
    ("pumma.3", lambda *case: update_bound(*case, classes=False), "different classes"),
    ("pumma.3", lambda *case: update_bound(*case, factor=False), "For any p"),
    ("pumma.3", lambda *case: update_bound(*case) / 4, "For two examples"),
    ("pumma.3", lambda X, y, gamma, delta, p: update_bound(X, y, 1.0, delta, p), "Twice the examples"),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
