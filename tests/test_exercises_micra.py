"""MICRA's checkers accept the worked solutions and name what is wrong with typical wrong answers."""

import numpy as np
from answers import checks_of


def step(u, x, y, k, epsilon, zeta, eta, beta, R, label=True, unit=True, radius=True, power=-1):
    if y * (u @ x) > beta * k**-epsilon:
        return u
    u = u + eta * k ** (power * zeta) * (y if label else 1.0) * x / (R if radius else 1.0)
    return u / np.linalg.norm(u) if unit else u


def at_once(u, x, y, k, epsilon, zeta, eta, beta, R):
    return step(u, x, y, k, epsilon, zeta, eta, np.inf, R)


def strict(u, x, y, k, epsilon, zeta, eta, beta, R):
    return u if y * (u @ x) >= beta * k**-epsilon else step(u, x, y, k, epsilon, zeta, eta, beta, R)


def constant(u, x, y, k, epsilon, zeta, eta, beta, R):
    return u if y * (u @ x) > beta else step(u, x, y, k, epsilon, zeta, eta, np.inf, R)


def in_place(u, *case):
    u[:] = step(u, *case)
    return u


def varied(**slip):
    return lambda *case: step(*case, **slip)


def fraction(R, gamma, epsilon, eta, beta, root=True, double=True, sign=-1, one=True, margin=True):
    first, zeta = (beta / gamma) ** (1 / epsilon), 1 - 2 * epsilon
    r, kappa = R / (gamma if margin else 1.0), eta * first ** (sign * zeta)
    omega = kappa * (2 + kappa) / r + kappa**2 * (1 + kappa) / 2
    right = (1 + omega) * r / (eta * first ** (1 - zeta))
    lost = r * kappa / (2 * (1 - 4 * epsilon)) + r * kappa**2 / (2 * (2 - 6 * epsilon))
    square = (2 if double else 1) * epsilon * (right + lost + kappa / (1 - 3 * epsilon))
    tau = (1 + (square**0.5 if root else square)) ** (1 / epsilon) - 1
    return (1 + tau + (1 / first if one else 0)) ** -epsilon


def spoiled(**slip):
    return lambda *case: fraction(*case, **slip)


SOLUTIONS = {"micra.1": step, "micra.2": fraction}

WRONG = [
    ("micra.1", at_once, "leaves the direction as it is"),
    ("micra.1", constant, "leaves the direction as it is"),
    ("micra.1", strict, "exactly at the threshold"),
    ("micra.1", varied(label=False), "raises y u.x"),
    ("micra.1", varied(unit=False), "has length 1"),
    ("micra.1", varied(radius=False), "in another unit"),
    ("micra.1", varied(power=0), "turns the direction less"),
    ("micra.1", varied(power=1), "turns the direction less"),
    ("micra.1", varied(power=-2), "is that of the algorithm"),
    ("micra.1", in_place, "not changed in place"),
    ("micra.2", lambda *case: 1 / fraction(*case), "between 0 and 1"),
    ("micra.2", spoiled(margin=False), "in another unit"),
    ("micra.2", spoiled(sign=1), "tends to 1"),
    ("micra.2", spoiled(root=False), "promises no more"),
    ("micra.2", spoiled(double=False), "promises no more"),
    ("micra.2", spoiled(one=False), "with 1 + tau"),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
