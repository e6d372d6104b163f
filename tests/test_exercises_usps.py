"""The checkers of USPS accept the worked solutions and name what is wrong with typical wrong answers."""

import numpy as np
from answers import checks_of
from scipy.optimize import linear_sum_assignment


def new_sigma(sigma, low, high):
    return sigma * (high - low) / 2


def apart(runs, printed, m, own=True, ddof=1):
    variance = np.var(runs, ddof=ddof)
    return (np.mean(runs) - printed) / np.sqrt(variance / len(runs) + (variance / m if own else 0.0))


def in_variances(runs, printed, m):
    return (np.mean(runs) - printed) / (np.var(runs, ddof=1) * (1 / len(runs) + 1 / m))


def errors_added(runs, printed, m):
    s = np.std(runs, ddof=1)
    return (np.mean(runs) - printed) / (s / np.sqrt(len(runs)) + s / np.sqrt(m))


def pooled(runs, printed, m):
    return (np.mean(runs) - printed) / (np.std(runs, ddof=1) * np.sqrt(2 / len(runs)))


def one_mean(runs, printed, m):
    return (np.mean(runs) - printed) / (np.std(runs, ddof=1) / np.sqrt(len(runs) + m))


def costs(printed, ours):
    return np.abs(np.log(np.asarray(printed)[:, None] / np.asarray(ours)))


def match(printed, ours):
    return linear_sum_assignment(costs(printed, ours))[1]


def nearest(printed, ours):
    return costs(printed, ours).argmin(axis=1)


def greedy(printed, ours):
    left, cost = [], costs(printed, ours)
    for row in cost:
        left.append(min(set(range(len(ours))) - set(left), key=lambda j, row=row: row[j]))
    return left


def by_difference(printed, ours):
    return linear_sum_assignment(np.abs(np.asarray(printed)[:, None] - np.asarray(ours)))[1]


def in_order(printed, ours):
    chosen = np.empty(len(printed), dtype=int)
    chosen[np.argsort(printed)] = np.argsort(ours)[: len(printed)]
    return chosen


SOLUTIONS = {"usps.1": new_sigma, "usps.2": apart, "usps.3": match}

WRONG = [
    ("usps.1", lambda sigma, low, high: 1 / (2 * sigma**2), "keep their sigma"),
    ("usps.1", lambda sigma, low, high: sigma * (high - low), "keep their sigma"),
    ("usps.1", lambda sigma, low, high: sigma * high, "changes no distance"),
    ("usps.1", lambda sigma, low, high: sigma, "twice the sigma"),
    ("usps.1", lambda sigma, low, high: sigma * ((high - low) / 2) ** 2, "twice the sigma"),
    ("usps.1", lambda sigma, low, high: sigma * 2 / (high - low), "twice the sigma"),
    ("usps.2", lambda runs, printed, m: np.mean(runs) / np.std(runs), "0 standard errors away"),
    ("usps.2", lambda *case: -apart(*case), "where the mean of the runs is the larger"),
    ("usps.2", lambda *case: abs(apart(*case)), "where the mean of the runs is the larger"),
    ("usps.2", in_variances, "in another unit"),
    ("usps.2", lambda runs, printed, m: np.mean(runs) - printed, "in another unit"),
    ("usps.2", lambda *case: apart(*case, ddof=0), "has no error of its own"),
    ("usps.2", one_mean, "has no error of its own"),
    ("usps.2", pooled, "has no error of its own"),
    ("usps.2", lambda *case: apart(*case, own=False), "sqrt(2) times"),
    ("usps.2", errors_added, "sqrt(2) times"),
    ("usps.3", nearest, "no index occurs twice"),
    ("usps.3", lambda *case: linear_sum_assignment(costs(*case)), "no index occurs twice"),
    ("usps.3", in_order, "each gets its equal"),
    ("usps.3", lambda *case: linear_sum_assignment(-costs(*case))[1], "each gets its equal"),
    ("usps.3", by_difference, "not with the smallest difference"),
    ("usps.3", greedy, "may leave a worse one"),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
