"""Stored results: one JSON file a record, replaced atomically after every run."""

import json
import os
import platform
import subprocess
import tempfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pooch

import marginbook
from marginbook import data

PROJECT = Path(marginbook.__file__).parents[1]
PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")


def folder():
    """Where results are: ``$MARGINBOOK_RESULTS``, else the book's own in a checkout, else the user's cache."""
    if "MARGINBOOK_RESULTS" in os.environ:
        return Path(os.environ["MARGINBOOK_RESULTS"])
    if (PROJECT / "_toc.yml").exists():
        return PROJECT / "book" / "results"
    return pooch.os_cache("marginbook") / "results"


def path(record):
    """The file of a record's results."""
    return folder() / f"{record.id}.json"


def load(record):
    """The stored results, checked; without any runs where there is no file."""
    file = path(record)
    if not file.exists():
        return {"id": record.id, "parameters": described(record), "provenance": [], "runs": []}
    stored = json.loads(file.read_text(encoding="utf-8"))
    check(stored, record)
    return stored


def described(record):
    """The record's parameters, as JSON keeps them."""
    return json.loads(json.dumps(record.parameters | {"epochs": record.epochs}))


def check(stored, record):
    """Raise ValueError where stored results are not those of the record, or not of the agreed form.

    The form: ``id``; ``parameters``; ``provenance``, a list of sessions, each with the command, the time, the
    versions, the machine, the data's checksums and the seeds that it ran; ``runs``, sorted by ``seed``, each
    with ``values``: lists of integers by name, one integer an epoch.
    """
    name = path(record).name
    if set(stored) != {"id", "parameters", "provenance", "runs"} or stored["id"] != record.id:
        raise ValueError(f"{name} is not a file of results of {record.id}")
    if stored["parameters"] != described(record):
        raise ValueError(f"{name} was made with other parameters: run `marginbook reproduce {record.id} --fresh`")
    seeds = [run["seed"] for run in stored["runs"]]
    if seeds != sorted(set(seeds)):
        raise ValueError(f"{name}: seeds are not sorted or not unique: {seeds}")
    if sorted(seed for session in stored["provenance"] for seed in session["seeds"]) != seeds:
        raise ValueError(f"{name}: the sessions' seeds are not those of the runs")
    series = {cell.series for cell in record.cells}
    for run in stored["runs"]:
        values = run["values"]
        if not series <= set(values):
            raise ValueError(f"{name}: run {run['seed']} lacks {sorted(series - set(values))}")
        if any(len(v) != record.epochs or not all(type(x) is int for x in v) for v in values.values()):
            raise ValueError(f"{name}: run {run['seed']} needs {record.epochs} integers a series")


def save(record, stored):
    """Replace the file in one step: a reader, or a kill, sees the old one or the new one."""
    file = path(record)
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(stored, indent=1, sort_keys=True) + "\n"
    handle, partial = tempfile.mkstemp(dir=file.parent, prefix=file.stem, suffix=".partial")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(partial, file)
    except BaseException:
        os.unlink(partial)
        raise


def session(record, command):
    """What a reader must know of the machine and the code to trust, or to repeat, the runs of a session."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "blas": f"{blas['name']} {blas['version']}",
        "command": command,
        "commit": _commit(),
        "data": {name: data.checksums(name) for name in record.data},
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "marginbook": marginbook.__version__,
        "packages": {name: version(name) for name in PACKAGES},
        "python": platform.python_version(),
        "seeds": [],
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _commit():
    """The checkout's commit, marked where files differ from it; None outside a checkout."""
    command = ["git", "-C", str(PROJECT), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
