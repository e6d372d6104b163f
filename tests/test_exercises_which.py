"""The checkers of *Which algorithm?* accept the worked solutions and name what is wrong with others."""

import numpy as np
from answers import checks_of

from marginbook.rules import romma


def pair_step(w, positive, negative, half=0.5, sign=-1.0, slack=True, memory=True):
    z = (positive - negative) * half
    k, Q, W = w @ z, z @ z, w @ w
    if not memory:
        v = w + (1.0 - k) / Q * z  # PA's
    elif slack or W == 0.0:
        scale, step = romma.minimiser(1.0, k, Q, W)
        v = scale * w + step * z
    else:
        v = ((Q * W - k) * w + W * (1.0 - k) * z) / (Q * W - k**2)
    return v, v @ (positive + sign * -negative) / 2.0 * (-1.0 if sign < 0 else 1.0)


def forgets(w, positive, negative):
    z = (positive - negative) / 2.0
    v = z / (z @ z)
    return v, -v @ (positive + negative) / 2.0


def no_bias(w, positive, negative):
    return pair_step(w, positive, negative)[0]


def in_place(w, positive, negative):
    v, b = pair_step(w, positive, negative)
    w[:] = v
    return w, b


def from_the_origin(w, positive, negative):
    v, b = pair_step(w, positive, negative)
    own = positive / (positive @ positive) if w @ w == 0.0 else v
    return own, 1.0 - own @ positive


def varied(**slip):
    return lambda *pair: pair_step(*pair, **slip)


def who(X, y, W, small=1e-9, look_at_scale=True, look_at_test=True, unit=False):
    moves, right, along, added = W[1:] - W[:-1], False, True, True
    for w, move, x, label in zip(W, moves, X, y, strict=False):
        if not np.abs(move).max() > small:
            continue
        right = right or label * (w @ x) > small
        tau = move @ x / (x @ x)
        along = along and np.allclose(move, tau * x)
        added = added and (unit or np.isclose(tau, label)) and np.allclose(move, tau * x)
    if added:
        return "perceptron"
    if along or not look_at_scale:
        return "PA" if right and look_at_test else "MIRA"
    return "aggressive ROMMA" if right and look_at_test else "ROMMA"


def told(**slip):
    return lambda *trace: who(*trace, **slip)


def first_update(X, y, W):
    t = int(np.flatnonzero(np.any(W[1:] != 0, axis=1))[0])
    return "perceptron" if np.allclose(W[t + 1], y[t] * X[t]) else "MIRA"


SOLUTIONS = {"which.1": pair_step, "which.2": who}

WRONG = [
    ("which.1", no_bias, "return two things"),
    ("which.1", varied(half=1.0), "gets the score 1"),
    ("which.1", varied(sign=1.0), "gets the score 1"),
    ("which.1", from_the_origin, "gets the score 1"),
    ("which.1", forgets, "meet the old constraint, v.w"),
    ("which.1", varied(memory=False), "meet the old constraint, v.w"),
    ("which.1", varied(slack=False), "No shorter weights"),
    ("which.1", in_place, "not changed in place"),
    ("which.2", lambda X, y, W: "PA", "The perceptron adds y x"),
    ("which.2", told(unit=True), "MIRA adds a multiple"),
    ("which.2", told(look_at_test=False), "PA takes MIRA's steps"),
    ("which.2", told(look_at_scale=False), "ROMMA also multiplies"),
    ("which.2", first_update, "PA takes MIRA's steps"),
    (
        "which.2",
        lambda *t: who(*t).removeprefix("aggressive "),
        "Aggressive ROMMA multiplies",
    ),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
