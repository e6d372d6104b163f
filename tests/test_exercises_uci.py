"""UCI's checkers accept the worked solutions and name what is wrong with typical wrong answers."""

import numpy as np
from answers import checks_of


def indicators(column, values):
    return np.array([[float(entry == value) for value in values] for entry in column])


def of_what_occurs(column, values):
    return indicators(column, [value for value in values if value in column])


def with_a_column_for_missing(column, values):
    return indicators(column, [*values, "?"])


def plus_and_minus(column, values):
    return 2 * indicators(column, values) - 1


def without_the_first(column, values):
    table = indicators(column, values)
    table[:, 0] = 0
    return table


def missing_is_the_first(column, values):
    return indicators([entry.replace("?", values[0]) for entry in column], values)


def alphabetical(column, values):
    return indicators(column, sorted(values))


def in_order_of_occurrence(column, values):
    order = list(dict.fromkeys([entry for entry in column if entry != "?"] + list(values)))
    return indicators(column, order)


def extended(w, b, X, y, delta, label=True, square=True, bias=True, counted=False, power=1):
    scores = (y if label else 1.0) * (X @ w + bias * b)
    missing = np.maximum(0.0, 1.0 - scores) / delta**power
    length = w @ w + missing @ missing + counted * b * b
    return (scores + delta * missing).min() / (np.sqrt(length) if square else length)


def varied(**slip):
    return lambda *case: extended(*case, **slip)


def without_private_weights(w, b, X, y, delta):
    return (y * (X @ w + b)).min() / np.linalg.norm(w)


def short(w, b, X, y, delta):
    missing = np.maximum(0.0, 1.0 - y * (X @ w + b)) / delta
    return (y * (X @ w + b) + delta * missing).min() / np.sqrt(w @ w + missing.sum())


def unpaid(w, b, X, y, delta):
    missing = np.maximum(0.0, 1.0 - y * (X @ w + b))
    return (y * (X @ w + b) + missing).min() / np.linalg.norm(w)


def possible(margin, maximum, digits, least):
    half = 0.5 * 10.0**-digits
    return margin + half >= least * (maximum - half) and margin - half <= maximum + half


def as_printed(margin, maximum, digits, least):
    return least * maximum <= margin <= maximum


def full_unit(margin, maximum, digits, least):
    unit = 10.0**-digits
    return margin + unit >= least * (maximum - unit) and margin - unit <= maximum + unit


def one_side(margin, maximum, digits, least):
    half = 0.5 * 10.0**-digits
    return margin + half >= least * (maximum - half)


def the_wrong_way(margin, maximum, digits, least):
    half = 0.5 * 10.0**-digits
    return margin - half >= least * (maximum + half) and margin + half <= maximum - half


def margin_alone(margin, maximum, digits, least):
    half = 0.5 * 10.0**-digits
    return margin + half >= least * maximum and margin - half <= maximum


SOLUTIONS = {"uci.1": indicators, "uci.2": extended, "uci.3": possible}

WRONG = [
    ("uci.1", of_what_occurs, "also for one that does not occur"),
    ("uci.1", with_a_column_for_missing, "a column for each value"),
    ("uci.1", plus_and_minus, "1 where it holds and 0 elsewhere"),
    ("uci.1", without_the_first, "exactly one indicator"),
    ("uci.1", missing_is_the_first, "its row is zero"),
    ("uci.1", alphabetical, "in the order of the values given"),
    ("uci.1", in_order_of_occurrence, "in the order of the values given"),
    ("uci.2", varied(square=False), "this is the geometric margin"),
    ("uci.2", varied(counted=True), "this is the geometric margin"),
    ("uci.2", varied(label=False), "this is the geometric margin"),
    ("uci.2", varied(power=2), "in another unit"),
    ("uci.2", short, "in another unit"),
    ("uci.2", unpaid, "No hyperplane has more"),
    ("uci.2", varied(bias=False), "this is the geometric margin"),
    ("uci.2", without_private_weights, "written out as columns"),
    ("uci.3", the_wrong_way, "have such a share themselves"),
    ("uci.3", as_printed, "can save the promise"),
    ("uci.3", margin_alone, "can save the promise"),
    ("uci.3", full_unit, "no more than half a unit"),
    ("uci.3", one_side, "A margin above the maximum"),
]


test_the_worked_solution_is_accepted, test_a_wrong_answer_is_told_which_property_fails = checks_of(
    SOLUTIONS, WRONG
)
