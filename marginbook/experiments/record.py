"""What a table of a paper is: the published cells, and how one run of ours makes its own."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Published(NamedTuple):
    """One printed number, and where ours is found."""

    row: str  # label of the paper's row
    column: str  # label of the paper's column
    value: str  # as printed: trailing zeros count
    kind: str  # "error": per cent of the test set; "count": of updates or mistakes; "seconds"
    series: str  # name of the list in a run's values
    place: int  # place in that list
    tolerance: float | None = None  # relative, for a count; None: the kind's own


class Record(NamedTuple):
    """A table: what is run, what is read off, what the paper printed."""

    id: str  # names the command line's argument and the file of the results
    paper: str  # key in the bibliography
    title: str
    protocol: str  # what one run does, and what is averaged
    choices: dict[str, str]  # what the paper leaves open, and what is done here
    data: tuple[str, ...]  # names of data sets
    parameters: dict[str, Any]  # of the estimator
    run: Callable[..., dict[str, list[int]]]  # run(seed, epochs) -> integers by series
    runs: int  # how many the paper averages
    epochs: int
    scale: dict[str, float]  # what one unit of a series is in the printed unit, where it is not 1
    cells: tuple[Published, ...]
