"""What a table or a figure of a paper is: what is run, and the published numbers it must meet."""

import csv
from collections.abc import Callable
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

DERIVED = "derived"  # the part under which a record's `derive` files what it computes from several runs

Values = dict[tuple[str, str], np.ndarray]  # (part, series) -> shape (n_runs, n_places)


class Published(NamedTuple):
    """One published number, and where ours is found."""

    row: str  # label of the paper's row
    column: str  # label of the paper's column
    value: str  # as printed: trailing zeros count
    kind: str  # decides the verdict: a key of `verdicts.KINDS`
    part: str  # whose runs hold ours
    series: str
    place: int = 0  # in the series
    scale: float = 1.0  # what one of our units is in the printed unit
    tolerance: float | None = None  # relative, for a count; None: the kind's own
    peer: str = ""  # for seconds: the row that both are divided by, in the same column
    reason: str = ""  # why ours differs, or cannot be compared


class Part(NamedTuple):
    """One setting of an experiment, run for several seeds.

    A run gives numbers by series, as lists: integers and floats that another run of the same seed gives
    again, and, in series whose name begins with "seconds", times that it does not.
    """

    run: Callable[..., dict[str, list]]  # run(seed, **parameters), a function of a module
    parameters: dict[str, Any]  # all that a run depends on besides the seed; as JSON keeps it
    data: tuple[str, ...] = ()  # names of data sets
    runs: int = 1  # how many the paper averages
    seconds: float = 1.0  # that a run takes, roughly, on two cores
    gib: float = 1.0  # of memory that it needs, roughly


class Record(NamedTuple):
    """A table or a figure: what is run, what is read off, what the paper says."""

    id: str  # names the command line's argument and the file of the results
    paper: str  # key in the bibliography
    title: str
    protocol: str  # what one run does, and what is averaged
    choices: dict[str, str]  # what the paper leaves open, and what is done here
    parts: dict[str, Part]
    cells: tuple[Published, ...]
    borrows: dict[str, tuple[str, str]] = {}  # parts that are another record's: (its id, its part)
    readings: tuple[Published, ...] = ()  # the same numbers under another reading of the paper: not counted
    derive: Callable[[Values], dict[str, np.ndarray]] | None = None  # more series, under the part DERIVED
    draw: Callable[..., dict[str, Any]] | None = None  # draw(values, figure=None) -> the numbers it draws


def printed(name: str) -> list[dict[str, str]]:
    """The published table of that name, tidy: a dictionary a row, every number as printed.

    Examples
    --------
    >>> printed("li-long-table-1")[0]["test_error_percent"]
    '2.84'
    """
    text = (files("marginbook.experiments") / "published" / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
