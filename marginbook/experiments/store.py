"""Stored results: one JSON file a record, replaced atomically after every run."""

import json
import os
import platform
import re
import shlex
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
FILE = {"id": str, "parameters": dict, "provenance": list, "runs": list}  # parameters: by part
SESSION = {
    "blas": str,
    "command": str,
    "commit": (str, type(None)),
    "data": dict,  # checksums of files by name of the data set
    "machine": str,
    "marginbook": str,
    "packages": dict,  # versions
    "python": str,
    "runs": dict,  # seeds by part, of the runs that the session completed
    "time": str,  # when it began, ISO 8601
}
RUN = {"part": str, "seconds": (int, float), "seed": int, "values": dict}  # values: lists of numbers


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


def load(record, without=()):
    """The stored results, checked; without any runs where there is no file.

    The runs of the parts ``without``, and what only they had in the provenance, are left out unchecked.
    """
    file = path(record)
    stored = empty(record)
    if file.exists():
        try:
            stored = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{file.name} is not JSON: {error}") from None
        _check_form(stored, record)
        if without:
            stored = _leave_out(stored, without)
        _check_content(stored, record)
        stored["parameters"] = described(record)
    return stored


def empty(record):
    """Results before the first run."""
    return {"id": record.id, "parameters": described(record), "provenance": [], "runs": []}


def described(record):
    """The parameters of a record's parts, as JSON keeps them."""
    return {name: json.loads(json.dumps(part.parameters)) for name, part in record.parts.items()}


def _leave_out(stored, parts):
    runs = [run for run in stored["runs"] if run["part"] not in parts]
    sessions = [
        session | {"runs": {part: seeds for part, seeds in session["runs"].items() if part not in parts}}
        for session in stored["provenance"]
    ]
    return stored | {"runs": runs, "provenance": [session for session in sessions if session["runs"]]}


def add(stored, session, run):
    """Put a run and the session that made it into stored results, in their order."""
    seeds = session["runs"].setdefault(run["part"], [])
    seeds.append(run["seed"])
    seeds.sort()
    if session not in stored["provenance"]:
        stored["provenance"].append(session)
    stored["runs"] = sorted([*stored["runs"], run], key=_place)


def _place(run):
    return run["part"], run["seed"]


def _check_form(stored, record):
    """Raise ValueError where a file is not of the agreed form."""
    name = path(record).name
    _require(f"{name}, to be results,", stored, FILE)
    if stored["id"] != record.id:
        raise ValueError(f"{name} holds results of {stored['id']!r}, not of {record.id!r}")
    for session in stored["provenance"]:
        _require(f"{name}: a session", session, SESSION)
    for run in stored["runs"]:
        _require(f"{name}: a run", run, RUN)


def _check_content(stored, record):
    """Raise ValueError where results are not those of the record.

    Runs are sorted by part and seed, none occurs twice, each belongs to one session and to a part of the
    record with the same parameters, and has every number that the record compares.
    """
    name = path(record).name
    places = [_place(run) for run in stored["runs"]]
    if places != sorted(set(places)):
        raise ValueError(f"{name}: runs are not sorted or not unique: {places}")
    sessions = [session["runs"].items() for session in stored["provenance"]]
    made = [(part, seed) for parts in sessions for part, seeds in parts for seed in seeds]
    if sorted(made) != places:
        raise ValueError(f"{name}: the sessions' runs are not those that are stored")
    parameters = described(record)
    stale = sorted({part for part, _ in places if stored["parameters"].get(part) != parameters.get(part)})
    if stale:
        raise ValueError(
            f"{name} was made with other parameters ({', '.join(stale)}); {_again(record, stale)}"
        )
    for run in stored["runs"]:
        _check_values(f"{name}: run {run['seed']} of {run['part']}", run, record)


def _again(record, parts):
    quoted = " ".join(shlex.quote(f"{record.id}/{part}") for part in parts)
    return f"run `marginbook reproduce {record.id} --no-resume --only {quoted}`"


def _check_values(what, run, record):
    values, wanted = run["values"], {}
    for cell in record.cells + record.readings:
        if cell.part == run["part"] and cell.kind != "quoted":
            wanted[cell.series] = max(cell.place + 1, wanted.get(cell.series, 0))
    if not wanted.keys() <= values.keys():
        raise ValueError(f"{what} lacks {sorted(wanted.keys() - values.keys())}")
    for series, numbers in values.items():
        if not (isinstance(numbers, list) and all(type(x) in (int, float) for x in numbers)):
            raise ValueError(f"{what}: {series} is not a list of numbers")
        if len(numbers) < wanted.get(series, 0):
            raise ValueError(f"{what}: {series} needs {wanted[series]} numbers")


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
            stream.write(_text(stored))
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(partial, file)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _text(stored):
    """JSON with a line for each list of numbers."""
    text = json.dumps(stored, indent=1, sort_keys=True)
    return re.sub(r"\[[^][{}\"]*\]", lambda found: " ".join(found[0].split()), text) + "\n"


def session(names, command):
    """What a reader must know of machine, code and data to trust, or to repeat, the runs of a session."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "blas": f"{blas['name']} {blas['version']}",
        "command": command,
        "commit": _commit(),
        "data": {name: data.checksums(name) for name in sorted(names)},
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "marginbook": marginbook.__version__,
        "packages": {name: version(name) for name in PACKAGES},
        "python": platform.python_version(),
        "runs": {},
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _commit():
    """The checkout's commit, marked where a file but the results differs from it; None outside a checkout."""
    if not _in_checkout():
        return None  # an installed package may lie in somebody else's repository
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        return commit + ("-dirty" if _git("status", "--porcelain", "--", ".", ":!book/results") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*arguments):
    command = ["git", "-C", str(PROJECT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
