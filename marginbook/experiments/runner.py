"""Make what is missing of the records, on one machine or on a Dask cluster; store each run when it is done.

A task is one part of a record with one seed. Tasks are independent: whatever stops the work, the completed
ones are stored.
"""

import ctypes
import os
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import partial
from multiprocessing import get_context
from time import perf_counter
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from marginbook import data
from marginbook.experiments import store

MEMORY = 11.0  # GiB that the tasks at work may need together
BAR = "{desc}: {percentage:3.0f}%|{bar}| {postfix} [{elapsed} gone, {remaining} left]"


class Task(NamedTuple):
    """One run to be made."""

    record: str
    part: str
    seed: int


def run_parts(records, runs=None, *, only=(), jobs=1, resume=True, dask=None, quiet=False):
    """Make what is missing of some records; see :func:`marginbook.experiments.reproduce`."""
    by_id, chosen = _choose(records, only)
    stored = {name: store.load(by_id[name], () if resume else parts) for name, parts in chosen.items()}
    tasks = []
    for name, parts in chosen.items():
        done = {(run["part"], run["seed"]) for run in stored[name]["runs"]}
        for part in parts:
            seeds = range(by_id[name].parts[part].runs if runs is None else runs)
            tasks += [Task(name, part, seed) for seed in seeds if (part, seed) not in done]
    needs = {task: by_id[task.record].parts[task.part].data for task in tasks}
    absent = _absent({name for names in needs.values() for name in names})
    tasks = [task for task in tasks if not absent & set(needs[task])]
    files = {task.record: set() for task in tasks}
    for task in tasks:
        files[task.record].update(needs[task])
    command = _command(records, runs, only)
    sessions = {name: store.session(names, command) for name, names in files.items()}
    for task, run in _done(by_id, tasks, jobs, dask, quiet):
        store.add(stored[task.record], sessions[task.record], run)
        store.save(by_id[task.record], stored[task.record])
    return len(tasks), sorted(absent)


def check_parts(records, *, only=(), within=float("inf"), jobs=1, dask=None, quiet=False):
    """Make first runs again and compare; see :func:`marginbook.experiments.check`."""
    by_id, chosen = _choose(records, only)
    stored = {}
    for name, parts in chosen.items():
        first = {
            run["part"]: run for run in reversed(store.load(by_id[name])["runs"]) if run["part"] in parts
        }
        spent = 0.0
        for run in sorted(first.values(), key=lambda run: run["seconds"]):
            spent += run["seconds"]
            if spent <= within:
                stored[Task(name, run["part"], run["seed"])] = run["values"]
    absent = _absent({used for task in stored for used in by_id[task.record].parts[task.part].data})
    tasks = [task for task in stored if not absent & set(by_id[task.record].parts[task.part].data)]
    return [
        f"{task.record}, {task.part}, seed {task.seed}: {series} was {stored[task].get(series)}, "
        f"is {run['values'].get(series)}"
        for task, run in _done(by_id, tasks, jobs, dask, quiet)
        for series in sorted(stored[task].keys() | run["values"].keys())
        if not _same(series, stored[task].get(series, []), run["values"].get(series, []))
    ]


def _same(series, before, again):
    if len(before) != len(again):
        return False
    if series.startswith("seconds"):
        return True
    if all(type(x) is int for x in before):
        return before == again
    return np.allclose(again, before, rtol=1e-6, atol=1e-12)


def _choose(records, only):
    """The records by id, and of each the parts that a pattern, of ``id`` or ``id/part``, fits.

    All parts where there is no pattern.
    """
    by_id = {record.id: record for record in records}
    chosen = {name: [part for part in by_id[name].parts if _fits(name, part, only)] for name in by_id}
    if not any(chosen.values()):
        raise ValueError(f"no part of {', '.join(by_id)} is called {' or '.join(only)}")
    return by_id, chosen


def _fits(name, part, only):
    return not only or any(fnmatchcase(n, pattern) for n in (name, f"{name}/{part}") for pattern in only)


def _absent(names):
    """Those data sets that are neither at hand nor to be had."""
    absent = set()
    for name in names:
        try:
            data.fetch(name)
        except (data.DataNotFound, data.DataForbidden):
            absent.add(name)
    return absent


def _command(records, runs, only):
    words = ["marginbook reproduce", records[0].id if len(records) == 1 else "all"]
    words += [] if runs is None else [f"--runs {runs}"]
    return " ".join(words + ([f"--only {' '.join(only)}"] if only else []))


def _done(records, tasks, jobs, dask, quiet):
    """Yield each task with its run, in the order of completion."""
    parts = {task: records[task.record].parts[task.part] for task in tasks}
    total = sum(part.seconds for part in parts.values())
    with tqdm(total=total, bar_format=BAR, disable=True if quiet else None) as bar:  # None: where no terminal
        bar.set_postfix_str(f"0/{len(tasks)} runs")
        for number, (task, run) in enumerate(_executed(parts, jobs, dask), 1):
            yield task, run
            bar.set_description(f"{task.record}, {task.part}")
            bar.set_postfix_str(f"{number}/{len(tasks)} runs")
            bar.update(parts[task].seconds)


def _executed(parts, jobs, dask):
    if dask is not None:
        yield from _on_cluster(parts, dask)
        return
    together = {task: max(1, min(jobs, int(MEMORY / part.gib))) for task, part in parts.items()}
    for workers in sorted(set(together.values())):
        group = {task: parts[task] for task in parts if together[task] == workers}
        if workers == 1:
            for task, part in group.items():
                yield task, timed(task.part, part, task.seed, os.cpu_count())
        else:
            pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=keep_pages)
            with _abandoned(pool):
                yield from _submitted(pool, group, max(1, os.cpu_count() // workers))


def _on_cluster(parts, address):
    from distributed import Client, KilledWorker

    with Client(address) as client:
        try:
            yield from _submitted(client.get_executor(pure=False), parts, 1)
        except KilledWorker as error:
            raise BrokenExecutor(str(error)) from error


def _submitted(executor, parts, threads):
    """Longest first, so that no worker is left with a long task at the end."""
    order = sorted(parts, key=lambda task: -parts[task].seconds)
    run = partial(timed, threads=threads)
    futures = {executor.submit(run, task.part, parts[task], task.seed): task for task in order}
    for future in as_completed(futures):
        yield futures[future], future.result()


@contextmanager
def _abandoned(pool):
    """Leave no worker behind, and wait for none, when the work is stopped."""
    try:
        yield
    except BaseException:
        for process in list(pool._processes.values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def timed(name, part, seed, threads):
    """One run of a part, as it is stored."""
    with threadpool_limits(threads):
        began = perf_counter()
        values = part.run(seed, **part.parameters)
    return {"part": name, "seed": seed, "values": values, "seconds": round(perf_counter() - began, 1)}


def keep_pages():
    """Ask the C library, where it is GNU's, to keep what this process frees for what it needs next.

    The kernel columns of a run are gigabytes. On a virtual machine the first touch of fresh pages can cost
    more than the arithmetic that fills them.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    trim_threshold, mmap_max = -1, -4  # names of the options in malloc.h
    mallopt(trim_threshold, -1)  # never
    mallopt(mmap_max, 0)
