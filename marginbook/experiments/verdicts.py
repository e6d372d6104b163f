"""Published beside ours: the difference, and what to make of it."""

from math import isnan, sqrt
from typing import NamedTuple

import numpy as np

# Verdicts, the best first; the first three are of cells that can be compared.
REPRODUCED, CLOSE, DIFFERS = "reproduced", "close", "differs"
NOT_COMPARABLE, NOT_RUN = "not comparable", "not run"
VERDICTS = (REPRODUCED, CLOSE, DIFFERS, NOT_COMPARABLE, NOT_RUN)

ERROR_POINTS, COUNT_SHARE, MARGIN_SHARE = 0.10, 0.05, 0.005  # what still counts as reproduced
NAN = float("nan")


class Comparison(NamedTuple):
    """A cell of a table, printed and measured."""

    row: str
    column: str
    published: str  # as printed
    ours: float  # mean over runs, nan where there is none
    error: float  # standard error of the mean, nan for fewer than two runs
    difference: float  # ours minus published
    verdict: str  # one of VERDICTS
    reason: str = ""  # why it differs, or is not compared
    published_ratio: float = NAN  # seconds: over those of the cell's peer
    ratio: float = NAN  # the same, ours


def _error(cell, printed, error):
    return ERROR_POINTS if isnan(error) else max(ERROR_POINTS, 2 * error)


def _count(cell, printed, error):
    return printed * (COUNT_SHARE if cell.tolerance is None else cell.tolerance)


def _margin(cell, printed, error):
    return max(_last_digit(cell.value) / 2, MARGIN_SHARE * printed)


def _about(cell, printed, error):
    return _last_digit(cell.value)


# What may lie between a printed number and ours; None where the numbers cannot be compared.
KINDS = {
    "error": _error,  # per cent of a test set
    "count": _count,  # of updates, mistakes
    "margin": _margin,
    "about": _about,  # a number in prose
    "bound": _about,  # the paper says: at most this
    "claim": None,  # a statement; ours is the share of runs in which it holds
    "seconds": None,  # taken on another machine
    "quoted": None,  # of a program that is not run here
}


def _last_digit(text):
    """One unit of the last printed digit: 0.01 for "2.84"."""
    return 10.0 ** -len(text.partition(".")[2])


def compare_cell(cell, values, peers=None):
    """Compare one published number with the values of our runs, in its unit.

    An error rate is reproduced within 0.10 points or two standard errors, whichever is larger; a count within
    the cell's tolerance, 5 per cent unless it says otherwise; a margin to the printed digits or 0.5 per cent;
    a number in prose within one unit of its last digit; a bound where ours does not exceed it by more than
    that. Within twice that it is close, else it differs. A claim is reproduced where it holds in all runs,
    close where it holds in nine of ten. Seconds were taken on other machines and are not comparable; their
    ratio to those of a peer is shown. Numbers of programs that are not run here are only quoted.

    Parameters
    ----------
    cell : Published
    values : array-like, shape (n_runs,)
        In our unit.
    peers : tuple of (Published, array-like), optional
        The cell of the peer, and its values.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from marginbook.experiments.record import Published
    >>> cell = Published("percep", "T = 1", "2.84", "error", "percep", "last")
    >>> compare_cell(cell, [2.91, 2.95]).verdict, compare_cell(cell, [3.02, 3.02]).verdict
    ('reproduced', 'close')
    """
    about = cell.row, cell.column, cell.value
    if cell.kind == "quoted":
        return Comparison(*about, NAN, NAN, NAN, NOT_COMPARABLE, cell.reason)
    if len(values) == 0:
        return Comparison(*about, NAN, NAN, NAN, NOT_RUN, cell.reason)
    values = cell.scale * np.asarray(values, dtype=float)
    mean = float(values.mean())
    error = float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else NAN
    if cell.kind == "claim":
        verdict = REPRODUCED if mean == 1.0 else CLOSE if mean >= 0.9 else DIFFERS
        return Comparison(*about, mean, NAN, NAN, verdict, _reason(cell, verdict))
    printed = float(cell.value)
    if cell.kind == "seconds":
        ratios = _ratios(printed, mean, peers)
        return Comparison(*about, mean, error, mean - printed, NOT_COMPARABLE, cell.reason, *ratios)
    verdict = _verdict(cell, printed, mean, error)
    return Comparison(*about, mean, error, mean - printed, verdict, _reason(cell, verdict))


def _verdict(cell, printed, mean, error):
    allowed = KINDS[cell.kind](cell, printed, error)
    away = mean - printed if cell.kind == "bound" else abs(mean - printed)
    away = round(away, 9)  # 2.1 - 2.0 is more than 0.1 by rounding alone
    return REPRODUCED if away <= allowed else CLOSE if away <= 2 * allowed else DIFFERS


def _reason(cell, verdict):
    if verdict == DIFFERS:
        return cell.reason or "unexplained"
    return cell.reason if verdict == CLOSE else ""


def _ratios(printed, mean, peers):
    if peers is None or len(peers[1]) == 0:
        return NAN, NAN
    cell, values = peers
    return printed / float(cell.value), mean / (cell.scale * float(np.mean(values)))
