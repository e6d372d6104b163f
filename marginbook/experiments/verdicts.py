"""Published beside ours: the difference, and what to make of it."""

from math import isnan, sqrt
from typing import NamedTuple

import numpy as np

ERROR_POINTS, COUNT_SHARE = 0.10, 0.05  # what still counts as reproduced


class Comparison(NamedTuple):
    """A cell of a table, printed and measured."""

    row: str
    column: str
    published: str  # as printed
    ours: float  # mean over runs, nan where there is none
    error: float  # standard error of the mean, nan for fewer than two runs
    difference: float  # ours minus published
    verdict: str  # "reproduced", "close", "differs", "not comparable" or "not run"


def compare_cell(cell, values):
    """Compare one printed number with the values of our runs, in its unit.

    An error rate is reproduced within 0.10 points or two standard errors, whichever is larger; a count within
    the cell's tolerance, 5 per cent unless it says otherwise. Within twice that it is close, else it differs.
    Seconds were taken on other machines and are not comparable.

    Parameters
    ----------
    cell : Published
    values : array-like, shape (n_runs,)

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from marginbook.experiments.record import Published
    >>> cell = Published("percep", "T = 1", "2.84", "error", "last", 0)
    >>> compare_cell(cell, [2.91, 2.95]).verdict, compare_cell(cell, [3.02, 3.02]).verdict
    ('reproduced', 'close')
    """
    if len(values) == 0:
        nan = float("nan")
        return Comparison(cell.row, cell.column, cell.value, nan, nan, nan, "not run")
    printed, mean = float(cell.value), float(np.mean(values))
    error = float(np.std(values, ddof=1)) / sqrt(len(values)) if len(values) > 1 else float("nan")
    return Comparison(
        cell.row, cell.column, cell.value, mean, error, mean - printed, _verdict(cell, printed, mean, error)
    )


def _verdict(cell, printed, mean, error):
    if cell.kind == "seconds":
        return "not comparable"
    if cell.kind == "error":
        allowed = ERROR_POINTS if isnan(error) else max(ERROR_POINTS, 2 * error)
    else:
        allowed = printed * (COUNT_SHARE if cell.tolerance is None else cell.tolerance)
    away = round(abs(mean - printed), 9)  # 2.1 - 2.0 is more than 0.1 by rounding alone
    return "reproduced" if away <= allowed else "close" if away <= 2 * allowed else "differs"
