"""ALMA's checkers accept the worked solutions and name what is wrong with typical wrong answers."""

import numpy as np
from answers import checks_of


def norm(v, p):
    return np.linalg.norm(v, p)


def link(theta, p):
    size = norm(theta, p)
    if size == 0:
        return np.zeros_like(theta)
    return np.sign(theta) * np.abs(theta) ** (p - 1) / size ** (p - 2)


def bare(power, divisor, sign=True):
    """A link with its exponents replaced, and without the case of zero."""

    def wrong(theta, p):
        w = np.abs(theta) ** power(p) / norm(theta, p) ** divisor(p)
        return np.sign(theta) * w if sign else w

    return wrong


def dual(theta, p):
    return link(theta, p / (p - 1))


def step(theta, x, y, k, alpha, B, C, p):
    length = norm(x, p)
    if y * (link(theta, p) @ x) / length > (1 - alpha) * B * np.sqrt((p - 1) / k):
        return theta
    moved = theta + C / (np.sqrt((p - 1) * k) * length) * y * x
    return moved / max(1.0, norm(moved, p))


def variant(
    fires=lambda margin, asked: margin <= asked,
    weights=link,
    tested=norm,
    stepped=norm,
    ball=norm,
    label=True,
    shrinks=True,
    in_place=False,
):
    """The step with one thing changed."""

    def wrong(theta, x, y, k, alpha, B, C, p):
        margin = y * (weights(theta, p) @ x) / tested(x, p)
        if not fires(margin, (1 - alpha) * B * np.sqrt((p - 1) / k)):
            return theta
        eta = C / (np.sqrt((p - 1) * (k if shrinks else 1)) * stepped(x, p))
        moved = theta + eta * (y if label else 1.0) * x
        moved = moved / max(1.0, ball(moved, p))
        if in_place:
            theta[:] = moved
        return moved

    return wrong


def one(v, p):
    return 1.0


def two(v, p):
    return norm(v, 2)


def kernel_pass(K, y, alpha, B, C, scaled=True, root=True, label=True, counts=True, ww=True):
    c, k = np.zeros(len(y)), 1
    for i in range(len(y)):
        length = np.sqrt(K[i, i]) if root else K[i, i]
        if y[i] * (c @ K[i]) > (1 - alpha) * B / np.sqrt(k) * length:
            continue
        c[i] += C / (np.sqrt(k) * length) * (y[i] if label else 1.0)
        longer = max(1.0, np.sqrt(c @ K @ c) if ww else np.sqrt(c @ c))
        if scaled:
            c = c / longer
        else:
            c[i] = c[i] / longer
        k += counts
    return c


SOLUTIONS = {"alma.1": link, "alma.2": step, "alma.3": kernel_pass}

WRONG = [
    ("alma.1", bare(lambda p: p, lambda p: p - 1), "For p = 2"),
    ("alma.1", bare(lambda p: p - 1, lambda p: p - 2, sign=False), "For p = 2"),
    ("alma.1", bare(lambda p: p - 1, lambda p: 0), "Twice theta"),
    ("alma.1", bare(lambda p: p - 1, lambda p: p - 2), "The vector 0"),
    ("alma.1", dual, "The q-norm of w"),
    ("alma.1", lambda theta, p: theta, "The q-norm of w"),
    ("alma.1", lambda theta, p: np.abs(link(theta, p)) if p > 2 else theta, "has the sign"),
    ("alma.2", variant(fires=lambda margin, asked: True), "leaves theta as it is"),
    ("alma.2", variant(fires=lambda margin, asked: margin < asked), "a score of zero"),
    ("alma.2", variant(shrinks=False), "moves it by"),
    ("alma.2", variant(tested=one), "Ten times the example"),
    ("alma.2", variant(stepped=one), "Ten times the example"),
    ("alma.2", variant(ball=one), "in the unit ball"),
    ("alma.2", variant(ball=two), "Where theta stays inside"),
    ("alma.2", variant(label=False), "raises y theta.x"),
    ("alma.2", variant(weights=lambda theta, p: theta), "leaves theta as it is"),
    ("alma.2", variant(in_place=True), "in place"),
    ("alma.3", lambda *a: kernel_pass(*a, label=False), "The first example"),
    ("alma.3", lambda *a: kernel_pass(*a, root=False), "The first example"),
    ("alma.3", lambda *a: kernel_pass(*a, scaled=False), "in the unit ball"),
    ("alma.3", lambda *a: kernel_pass(*a, ww=False), "The first example"),
    ("alma.3", lambda *a: kernel_pass(*a, counts=False), "after one pass"),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
