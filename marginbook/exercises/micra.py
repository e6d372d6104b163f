"""Checkers of the chapter on MICRA."""

import numpy as np

from marginbook.exercises import Property, close, untouched
from marginbook.rules.micra import bound_fraction


def _one_example(rng):
    """Directions, an example and its label, with scores on either side of the threshold and on it."""
    powers = dict(epsilon=0.5, zeta=1.0, eta=2.0, beta=4.0, R=5.0)
    for y in (1.0, -1.0):
        for k in (1, 4):
            for score in (-3.0, 4.0 / np.sqrt(k), 3.0, 4.5):
                yield dict(u=np.array([y, 0.0]), x=np.array([score, 1.0]), y=y, k=k, **powers)
    for k in (1, 2, 9):
        u, x = rng.standard_normal(3), rng.integers(-4, 5, size=3).astype(float)
        powers = dict(epsilon=0.25, zeta=0.5, eta=rng.uniform(0.5, 2.0), beta=3.0, R=8.0)
        yield dict(u=u / np.linalg.norm(u), x=x, y=rng.choice([-1.0, 1.0]), k=k, **powers)


def _fires(u, x, y, k, epsilon, beta, **others):
    return y * (u @ x) <= beta * k**-epsilon


def _step(u, x, y, k, epsilon, zeta, eta, beta, R):
    if not _fires(u, x, y, k, epsilon, beta):
        return u
    longer = u + eta * k**-zeta * y * x / R
    return longer / np.linalg.norm(longer)


def _updates(rng):
    return (case for case in _one_example(rng) if _fires(**case))


def _same_in_other_units(f, u, x, y, k, epsilon, zeta, eta, beta, R):
    other = f(u, 3 * x, y, k, epsilon, zeta, eta, 3 * beta, 3 * R)
    return close(f(u, x, y, k, epsilon, zeta, eta, beta, R), other)


def _turns_less_later(f, **case):
    later = case | {"k": 2 * case["k"], "beta": case["beta"] * 2 ** case["epsilon"]}  # the same threshold
    return f(*later.values()) @ case["u"] > f(*case.values()) @ case["u"]


STEP = [
    Property(
        "An example with y u.x above beta k^-epsilon leaves the direction as it is.",
        lambda rng: (case for case in _one_example(rng) if not _fires(**case)),
        lambda f, **case: close(f(*case.values()), case["u"]),
    ),
    Property(
        "A score exactly at the threshold, y u.x = beta k^-epsilon, does cause an update.",
        lambda rng: (c for c in _updates(rng) if c["y"] * (c["u"] @ c["x"]) == c["beta"] * c["k"] ** -0.5),
        lambda f, **case: not close(f(*case.values()), case["u"]),
    ),
    Property(
        "An update raises y u.x, whatever the label is.",
        _updates,
        lambda f, **case: case["y"] * (f(*case.values()) @ case["x"]) > case["y"] * (case["u"] @ case["x"]),
    ),
    Property(
        "The new direction has length 1.",
        _updates,
        lambda f, **case: close(np.linalg.norm(f(*case.values())), 1.0),
    ),
    Property(
        "Examples, beta and R in another unit are the same problem, with the same step.",
        _one_example,
        _same_in_other_units,
    ),
    Property(
        "With the same threshold a later update turns the direction less.",
        _updates,
        _turns_less_later,
    ),
    Property(
        "The direction after the step is that of the algorithm.",
        _one_example,
        lambda f, **case: close(f(*case.values()), _step(**case)),
    ),
    untouched("direction", _one_example),
]


def _problems(rng):
    """Radius, margin, epsilon below 1/4, eta and beta: from whole numbers to the paper's."""
    yield dict(R=1.0, gamma=0.5, epsilon=0.125, eta=1.0, beta=1.0)
    yield dict(R=2.0, gamma=0.5, epsilon=0.2, eta=1.0, beta=1.0)
    for epsilon in (0.05, 0.1, 0.2):
        gamma = rng.uniform(0.05, 0.4)
        yield dict(R=1.0, gamma=gamma, epsilon=epsilon, eta=rng.uniform(1.0, 20.0), beta=2.0 * gamma)


def _fraction(R, gamma, epsilon, eta, beta, explicit=True):
    return bound_fraction(R, gamma, epsilon, 1.0 - 2.0 * epsilon, eta, beta, explicit=explicit)


FRACTION = [
    Property(
        "A fraction lies between 0 and 1.",
        _problems,
        lambda f, **case: 0.0 < f(*case.values()) <= 1.0,
    ),
    Property(
        "R, gamma and beta in another unit make the same problem, with the same fraction.",
        _problems,
        lambda f, R, gamma, epsilon, eta, beta: close(
            f(R, gamma, epsilon, eta, beta), f(4 * R, 4 * gamma, epsilon, eta, 4 * beta)
        ),
    ),
    Property(
        "The fraction tends to 1 as beta grows and eta does not: for beta = 1e8 gamma it is above 0.99.",
        _problems,
        lambda f, R, gamma, epsilon, eta, beta: f(R, gamma, epsilon, eta, 1e8 * gamma) > 0.99,
    ),
    Property(
        "A run may end at update T_b: the margin is then above beta (T_b + 1)^-epsilon. The closed form "
        "promises no more than the root of g does.",
        _problems,
        lambda f, **case: f(*case.values()) <= _fraction(**case, explicit=False) * (1.0 + 1e-9),
    ),
    Property(
        "The fraction is (1 + tau + 1 / T_0)^-epsilon with 1 + tau = (1 + nu)^(1 / epsilon).",
        _problems,
        lambda f, **case: close(f(*case.values()), _fraction(**case)),
    ),
]

EXERCISES = {"1": STEP, "2": FRACTION}
