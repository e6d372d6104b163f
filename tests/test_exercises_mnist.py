"""The checkers of the chapter on MNIST accept the worked solutions, and name what is wrong in others."""

import math

import numpy as np
from answers import checks_of
from scipy.stats import binom


def decide(scores, labels):
    order = np.argsort(labels)
    return labels[order][np.argmax(scores[:, order], axis=1)]


def largest(scores, labels):
    return labels[np.argmax(scores, axis=1)]


def last_of_the_largest(scores, labels):
    order = np.argsort(labels)[::-1]
    return labels[order][np.argmax(scores[:, order], axis=1)]


def paired(a, b):
    gain = a - b
    return gain.mean(), gain.std(ddof=1) / np.sqrt(len(gain))


def two_samples(a, b):
    return (a - b).mean(), np.hypot(a.std(ddof=1), b.std(ddof=1)) / np.sqrt(len(a))


def quadrature(a, b):
    """Right for constant differences, but the order's share does not cancel."""
    apart = abs(a.var(ddof=1) - b.var(ddof=1))
    return (a - b).mean(), np.sqrt(apart / len(a))


def wrong_error(spread):
    return lambda a, b: ((a - b).mean(), spread(a - b))


def mcnemar(a, b):
    only_a, only_b = len(set(a) - set(b)), len(set(b) - set(a))
    m, few = only_a + only_b, min(only_a, only_b)
    return min(1.0, 2 * sum(math.comb(m, k) for k in range(few + 1)) / 2**m)


def counted(tail):
    def answer(a, b):
        return tail(len(set(a) - set(b)), len(set(b) - set(a)))

    return answer


def shared_too(a, b):
    return min(1.0, 2 * binom.cdf(min(len(a), len(b)), len(a) + len(b), 0.5))


SOLUTIONS = {"mnist.1": decide, "mnist.2": paired, "mnist.3": mcnemar}

WRONG = [
    ("mnist.1", lambda scores, labels: decide(scores, labels)[0], "one answer for each row"),
    ("mnist.1", lambda scores, labels: decide(abs(scores), labels), "also where all scores are negative"),
    ("mnist.1", lambda scores, labels: np.argmax(scores, axis=1), "not its number"),
    ("mnist.1", largest, "the smallest label among theirs"),
    ("mnist.1", last_of_the_largest, "the smallest label among theirs"),
    ("mnist.2", lambda a, b: paired(b, a), "positive where a is larger"),
    ("mnist.2", lambda a, b: (a - b).mean(), "The first of the two numbers"),
    ("mnist.2", two_samples, "its standard error is 0"),
    ("mnist.2", quadrature, "cancels"),
    ("mnist.2", wrong_error(lambda gain: gain.std() / np.sqrt(len(gain))), "divisor n - 1"),
    ("mnist.2", wrong_error(lambda gain: gain.std(ddof=1)), "half the distance"),
    ("mnist.2", wrong_error(np.std), "for any number of orders"),
    ("mnist.3", lambda a, b: 1 - mcnemar(a, b) - 1, "between 0 and 1"),
    ("mnist.3", lambda a, b: abs(len(a) - len(b)) / 100, "cannot be told apart"),
    (
        "mnist.3",
        lambda a, b: min(1.0, 2 * binom.cdf(min(len(a), len(b)), len(a) + len(b), 0.5)),
        "say nothing",
    ),
    ("mnist.3", counted(lambda x, y: min(1.0, 2 * binom.cdf(x, x + y, 0.5))), "two-sided"),
    ("mnist.3", counted(lambda x, y: binom.cdf(min(x, y), x + y, 0.5)), "p is 2 * 2^-m"),
    ("mnist.3", counted(lambda x, y: 0.5 ** (max(x, y) - min(x, y) - 1) if x != y else 1.0), "fair coins"),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
