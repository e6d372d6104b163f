"""The papers' tables and figures: run again, stored, and compared with what was published.

One record a table or figure says what is run and what was printed; ``reproduce`` runs it, part by part and
seed by seed, and ``compare`` sets both side by side. So does the command line: ``marginbook reproduce all``,
``marginbook compare li-long-table-1``.

Results are stored as JSON, one file a record, in the folder that the environment variable MARGINBOOK_RESULTS
names, else in ``book/results`` of a checkout, else in the user's cache.
"""

import numpy as np

from marginbook.experiments import (
    gentile,
    ishibashi,
    li_long,
    mnist,
    runner,
    store,
    tsampouka,
    zhao_huang,
)
from marginbook.experiments.record import DERIVED, Part, Published, Record, Values, printed
from marginbook.experiments.tables import Description, Scoreboard, Table
from marginbook.experiments.verdicts import Comparison, compare_cell

__all__ = [
    "Comparison",
    "Part",
    "Published",
    "Record",
    "Scoreboard",
    "Table",
    "check",
    "compare",
    "describe",
    "draw",
    "draw_errors",
    "names",
    "printed",
    "record",
    "reproduce",
    "results",
    "run_once",
    "scoreboard",
    "values",
]

PAPERS = li_long, gentile, zhao_huang, ishibashi, tsampouka
CHAPTERS = (mnist,)  # what a chapter asks and no paper prints: records without cells
RECORDS = {record.id: record for source in PAPERS + CHAPTERS for record in source.RECORDS}


def names() -> list[str]:
    """The tables and figures that can be reproduced.

    Examples
    --------
    >>> names()[:2]
    ['li-long-table-1', 'gentile-table-1']
    """
    return list(RECORDS)


def record(name: str) -> Record:
    """The record of a table or figure.

    Raises
    ------
    ValueError
        If there is none of that name.

    Examples
    --------
    >>> record("li-long-table-1").title
    'Li and Long, Table 1: MNIST'
    """
    if name not in RECORDS:
        raise ValueError(f"no table or figure is called {name!r}; known: {', '.join(RECORDS)}")
    return RECORDS[name]


def describe(name: str) -> Description:
    """What a record runs, and what was chosen where its paper is silent, for a terminal or a notebook.

    Raises
    ------
    ValueError
        If there is none of that name.
    """
    return Description(record(name))


def run_once(name: str, part: str, seed: int, **changes) -> dict[str, list]:
    """One run of a part, not stored.

    Parameters
    ----------
    name, part : str
    seed : int
        Stored runs have the seeds 0, 1, 2, ...
    changes
        Of the part's parameters.

    Returns
    -------
    dict
        Numbers by series.
    """
    chosen = record(name).parts[part]
    return chosen.run(seed, **(chosen.parameters | changes))


def results(name: str) -> dict:
    """The stored results of a record: parameters, provenance, and the numbers of every run.

    Raises
    ------
    ValueError
        If the name is not known, or the file is not of the record's form or parameters.
    """
    return store.load(record(name))


def values(name: str) -> Values:
    """All stored numbers of a record, and those derived from them: an array for each part and series.

    Returns
    -------
    dict
        From (part, series) to an array of shape (n_runs, n_places), in the order of the seeds.

    Raises
    ------
    ValueError
        As :func:`results`.
    """
    table, arrays = record(name), _arrays(results(name)["runs"])
    for part, (owner, lent) in table.borrows.items():
        runs = [run | {"part": part} for run in results(owner)["runs"] if run["part"] == lent]
        arrays |= _arrays(runs)
    if table.derive is not None and {part for part, _ in arrays} == {*table.parts, *table.borrows}:
        arrays |= {(DERIVED, series): numbers for series, numbers in table.derive(arrays).items()}
    return arrays


def _arrays(runs):
    lists: dict[tuple[str, str], list] = {}
    for run in runs:
        for series, numbers in run["values"].items():
            lists.setdefault((run["part"], series), []).append(numbers)
    return {key: np.array(numbers, dtype=float) for key, numbers in lists.items()}


def compare(name: str, readings: bool = False) -> Table:
    """Every published cell of a table or figure beside ours, with a verdict.

    Parameters
    ----------
    name : str
    readings : bool, default False
        Compare instead what another reading of the paper gives, where one was tried.

    Returns
    -------
    Table
        Its ``rows`` are :class:`Comparison`; a notebook shows it as a table.

    Raises
    ------
    ValueError
        As :func:`results`.
    """
    table, stored = record(name), values(name)
    cells = table.readings if readings else table.cells
    by_place = {(cell.row, cell.column): cell for cell in cells}

    def ours(cell):
        found = stored.get((cell.part, cell.series))
        return () if found is None else found[:, cell.place]

    rows = []
    for cell in cells:
        peer = by_place[cell.peer, cell.column] if cell.peer else None
        row = compare_cell(cell, ours(cell), peer and (peer, ours(peer)))
        rows.append(row._replace(reason=cell.reason) if readings else row)  # the reading is the reason
    return Table(table.title, rows)


def scoreboard() -> Scoreboard:
    """How many cells of each table and figure have each verdict.

    Raises
    ------
    ValueError
        As :func:`results`.
    """
    return Scoreboard({name: compare(name) for name, table in RECORDS.items() if table.cells})


def draw(name: str, figure=None) -> dict:
    """Draw a published figure anew from the stored results.

    Parameters
    ----------
    name : str
    figure : matplotlib.figure.Figure, optional
        A new one by default.

    Returns
    -------
    dict
        The numbers that were drawn.

    Raises
    ------
    ValueError
        As :func:`results`; if the record is of a table; if runs are missing.
    """
    table = record(name)
    if table.draw is None:
        raise ValueError(f"{name} is a table: `compare` shows it")
    stored = values(name)
    missing = sorted(set(table.parts) - {part for part, _ in stored})
    if missing:
        raise ValueError(f"{name} lacks runs of {', '.join(missing)}; run `marginbook reproduce {name}`")
    return table.draw(stored, figure)


def draw_errors(name: str, rows: tuple[str, ...], ax=None) -> dict:
    """Draw the errors of some rows of a table after each epoch, ours and the published ones.

    Parameters
    ----------
    name : str
        A table with a published error for every epoch.
    rows : sequence of str
        Their labels.
    ax : matplotlib.axes.Axes, optional
        Those of a new figure by default.

    Returns
    -------
    dict
        For each row what :func:`marginbook.figures.epochs` drew.

    Raises
    ------
    ValueError
        As :func:`results`; if a row has no errors.
    """
    import matplotlib.pyplot as plt

    from marginbook import figures

    stored, cells = values(name), [cell for cell in record(name).cells if cell.kind == "error"]
    by_row = {row: [cell for cell in cells if cell.row == row] for row in rows}
    empty = [row for row, found in by_row.items() if not found]
    if empty:
        raise ValueError(f"{name} has no errors of {', '.join(empty)}")
    with figures.style():
        ax = plt.figure().subplots() if ax is None else ax
        drawn = {}
        for rank, (row, found) in enumerate(by_row.items()):
            ours = found[0].scale * stored[found[0].part, found[0].series][:, [cell.place for cell in found]]
            printed = [float(cell.value) for cell in found]
            drawn[row] = figures.epochs(ax, ours, printed, label=row, rank=rank)
    return drawn


def reproduce(
    *chosen: str,
    runs: int | None = None,
    only: tuple[str, ...] = (),
    jobs: int = 1,
    resume: bool = True,
    dask: str | None = None,
    quiet: bool = False,
) -> tuple[int, list[str]]:
    """Make the missing runs of some records and store each as soon as it is done.

    Parameters
    ----------
    *chosen : str
        Names; all records by default.
    runs : int, optional
        How many seeds there should be of each part in the end; the paper's number by default.
    only : tuple of str
        Patterns of ``name`` or ``name/part`` to be made, as a shell's: ``"*/ROMMA*"``.
    jobs : int
        Processes. Runs that need much memory have the machine for themselves, and all its cores.
    resume : bool
        Keep the stored runs. Otherwise the first new run of a record replaces those of the chosen parts.
    dask : str, optional
        Address of a Dask scheduler whose workers make the runs.
    quiet : bool
        No progress bar; there is none either where the output is not a terminal.

    Returns
    -------
    made : int
        How many runs were made now. A stored run is not made again, at whatever moment this was stopped.
    absent : list of str
        Data sets that are not to be had; what needs them was not run.

    Raises
    ------
    ValueError
        As :func:`results`; if no part is called so.
    DataCorrupt
        As :func:`marginbook.data.load`.
    """
    records = [record(name) for name in chosen or names()]
    return runner.run_parts(records, runs, only=only, jobs=jobs, resume=resume, dask=dask, quiet=quiet)


def check(
    *chosen: str,
    only: tuple[str, ...] = (),
    within: float = float("inf"),
    jobs: int = 1,
    dask: str | None = None,
    quiet: bool = False,
) -> list[str]:
    """Make the first stored run of each part again, store nothing, and compare.

    Integers must be the same, other numbers but for rounding; times are not compared.

    Parameters
    ----------
    chosen, only, jobs, dask, quiet
        As in :func:`reproduce`.
    within : float
        Seconds: of each record only the cheapest parts, as many as took no longer together when stored.

    Returns
    -------
    list of str
        A line for each series that differs.

    Raises
    ------
    ValueError
        As :func:`results`; if no part is called so.
    """
    records = [record(name) for name in chosen or names()]
    return runner.check_parts(records, only=only, within=within, jobs=jobs, dask=dask, quiet=quiet)
