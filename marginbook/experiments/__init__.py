"""The papers' tables: run again, stored, and compared with what was published.

One record a table says what is run and what was printed; ``reproduce`` runs it, permutation by permutation,
and ``compare`` sets both side by side. So does the command line: ``marginbook reproduce li-long-table-1``.

Results are stored as JSON, one file a table, in the folder that the environment variable MARGINBOOK_RESULTS
names, else in ``book/results`` of a checkout, else in the user's cache.
"""

from time import perf_counter

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from marginbook.experiments import gentile, li_long, store
from marginbook.experiments.record import Published, Record
from marginbook.experiments.verdicts import Comparison, compare_cell

__all__ = [
    "Comparison",
    "Published",
    "Record",
    "compare",
    "names",
    "record",
    "reproduce",
    "results",
    "run_once",
]

RECORDS = {table.id: table for table in (li_long.TABLE_1, gentile.TABLE_1)}


def names() -> list[str]:
    """The tables that can be reproduced.

    Examples
    --------
    >>> names()
    ['li-long-table-1', 'gentile-table-1']
    """
    return list(RECORDS)


def record(name: str) -> Record:
    """The record of a table.

    Raises
    ------
    ValueError
        If there is none of that name.

    Examples
    --------
    >>> record("li-long-table-1").runs
    10
    """
    if name not in RECORDS:
        raise ValueError(f"no table is called {name!r}; known: {', '.join(RECORDS)}")
    return RECORDS[name]


def run_once(name: str, seed: int, epochs: int | None = None) -> dict[str, list[int]]:
    """One run of a table, not stored.

    Parameters
    ----------
    name : str
    seed : int
        Of the permutation; stored run ``r`` has seed ``r``.
    epochs : int, optional
        Fewer than the table's: the integers are then the first of the full run's.

    Returns
    -------
    dict
        Integers by series, one an epoch.
    """
    table = record(name)
    return table.run(seed, epochs or table.epochs)


def results(name: str) -> dict:
    """The stored results of a table: parameters, provenance, and the integers of every run.

    Raises
    ------
    ValueError
        If the name is not known, or the file is not of the record's form or parameters.
    """
    return store.load(record(name))


def values(name: str, series: str) -> np.ndarray:
    """One series of all stored runs in the printed unit, shape (n_runs, n_epochs)."""
    table = record(name)
    runs = [run["values"][series] for run in results(name)["runs"]]
    return np.array(runs, dtype=float).reshape(len(runs), table.epochs) * table.scale.get(series, 1.0)


def compare(name: str) -> list[Comparison]:
    """Every published cell of a table beside ours, with a verdict.

    Raises
    ------
    ValueError
        As :func:`results`.
    """
    series = {cell.series: values(name, cell.series) for cell in record(name).cells}
    return [compare_cell(cell, series[cell.series][:, cell.place]) for cell in record(name).cells]


def reproduce(
    name: str, runs: int | None = None, *, jobs: int = 1, resume: bool = True, quiet: bool = False
) -> int:
    """Run a table's missing permutations and store each as soon as it is done.

    Parameters
    ----------
    name : str
    runs : int, optional
        How many permutations there should be in the end; the paper's number by default.
    jobs : int
        Processes. One run already uses all cores in its matrix products.
    resume : bool
        Keep the stored runs. Otherwise the first new run replaces the file.
    quiet : bool
        No progress bar; there is none either where the output is not a terminal.

    Returns
    -------
    int
        How many runs were made now. A stored run is not made again, at whatever moment this was stopped.

    Raises
    ------
    ValueError
        As :func:`results`.
    DataNotFound, DataCorrupt, DataForbidden
        As :func:`marginbook.data.load`.
    """
    table = record(name)
    runs = table.runs if runs is None else runs
    stored = store.load(table) if resume else store.empty(table)
    done = {run["seed"] for run in stored["runs"]}
    missing = [seed for seed in range(runs) if seed not in done]
    if not missing:
        return 0
    session = store.session(table, f"marginbook reproduce {name} --runs {runs}")
    stored["provenance"].append(session)
    tasks = Parallel(n_jobs=jobs, return_as="generator_unordered")(
        delayed(_timed)(table, seed) for seed in missing
    )
    silent = True if quiet else None  # None: where the output is not a terminal
    total = len(done) + len(missing)
    for run in tqdm(tasks, total=total, initial=len(done), desc=name, unit="run", disable=silent):
        session["seeds"] = sorted([*session["seeds"], run["seed"]])
        stored["runs"] = sorted([*stored["runs"], run], key=lambda r: r["seed"])
        store.save(table, stored)
    return len(missing)


def _timed(table, seed):
    began = perf_counter()
    integers = table.run(seed, table.epochs)
    return {"seed": seed, "values": integers, "seconds": round(perf_counter() - began, 1)}
