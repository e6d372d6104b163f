"""Stored results: one JSON file a record, replaced atomically after every run."""

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pooch

import marginbook
from marginbook import data

PROJECT = Path(marginbook.__file__).parents[1]
PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")

# The form of a file: what it, each session of its provenance and each of its runs consists of.
FILE = {"id": str, "parameters": dict, "provenance": list, "runs": list}
SESSION = {
    "blas": str,
    "command": str,
    "commit": (str, type(None)),
    "data": dict,  # checksums of files by name of the data set
    "machine": str,
    "marginbook": str,
    "packages": dict,  # versions
    "python": str,
    "seeds": list,  # of the runs that the session completed
    "time": str,  # when it began, ISO 8601
}
RUN = {"seconds": (int, float), "seed": int, "values": dict}  # values: lists of integers, one an epoch


def folder():
    """Where results are: ``$MARGINBOOK_RESULTS``, the book's own in a checkout, or the user's cache."""
    if "MARGINBOOK_RESULTS" in os.environ:
        return Path(os.environ["MARGINBOOK_RESULTS"])
    if _in_checkout():
        return PROJECT / "book" / "results"
    return pooch.os_cache("marginbook") / "results"


def _in_checkout():
    """Whether the package is used where it is written, and not as installed from a wheel."""
    return (PROJECT / "_toc.yml").exists()


def path(record):
    """The file of a record's results."""
    return folder() / f"{record.id}.json"


def load(record):
    """The stored results, checked; without any runs where there is no file."""
    file = path(record)
    if not file.exists():
        return empty(record)
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file.name} is not JSON: {error}") from None
    check(stored, record)
    return stored


def empty(record):
    """Results before the first run."""
    return {"id": record.id, "parameters": described(record), "provenance": [], "runs": []}


def described(record):
    """The record's parameters, as JSON keeps them."""
    return json.loads(json.dumps(record.parameters | {"epochs": record.epochs}))


def check(stored, record):
    """Raise ValueError where stored results are not those of the record, or not of the agreed form.

    Beyond ``FILE``, ``SESSION`` and ``RUN``: runs are sorted by seed, no seed occurs twice, each belongs to
    one session, and every series that the record compares has one integer an epoch.
    """
    name = path(record).name
    _require(f"{name}, to be results,", stored, FILE)
    if stored["id"] != record.id:
        raise ValueError(f"{name} holds results of {stored['id']!r}, not of {record.id!r}")
    for session in stored["provenance"]:
        _require(f"{name}: a session", session, SESSION)
    for run in stored["runs"]:
        _require(f"{name}: a run", run, RUN)
    if stored["parameters"] != described(record):
        again = f"marginbook reproduce {record.id} --no-resume"
        raise ValueError(f"{name} was made with other parameters: run `{again}`")
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


def _require(what, thing, form):
    if not isinstance(thing, dict) or thing.keys() != form.keys():
        raise ValueError(f"{what} must have {', '.join(form)}, and nothing else")
    for key, kind in form.items():
        if not isinstance(thing[key], kind):
            raise ValueError(f"{what} has {key} = {thing[key]!r}, of the wrong type")


def save(record, stored):
    """Replace the file in one step: a reader, or a kill, sees the old one or the new one."""
    file = path(record)
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".partial")  # one name: what a kill leaves, the next run overwrites
    try:
        with partial.open("w", encoding="utf-8") as stream:
            stream.write(json.dumps(stored, indent=1, sort_keys=True) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(partial, file)
    except BaseException:
        partial.unlink(missing_ok=True)
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
    if not _in_checkout():
        return None  # an installed package may lie in somebody else's repository
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
