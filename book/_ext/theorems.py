"""Every theorem of the book has a function and a test: ``theorems.csv`` names them, the build checks it.

It warns, and with ``-W`` fails, where a theorem, lemma, corollary or proposition has no row, a row belongs to
none of these, a function cannot be imported, or a test does not exist.
"""

import ast
import csv
from importlib import import_module
from pathlib import Path

from sphinx.util import logging

KINDS = {"theorem", "lemma", "corollary", "proposition"}
TABLE = "book/theorems.csv"
logger = logging.getLogger(__name__)


def labels(env):
    """Page of each theorem on the pages read, by label."""
    found = getattr(env, "proof_list", {})
    return {label: row["docname"] for label, row in found.items() if row["realtype"] in KINDS}


def problems(path, pages, root):
    """Yield what is wrong with the table at ``path``, and where; tests are below ``root``."""
    rows = {}
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        for row in reader:
            label, place = row["label"], f"{path}:{reader.line_num}"
            if label in rows:
                yield f"{label} has two rows", place
            rows[label] = row
            if label not in pages:
                yield f"{label} is no theorem of the book", place
            if not importable(row["function"]):
                yield f"{label}: there is no function {row['function']}", place
            if not is_test(row["test"], root):
                yield f"{label}: there is no test {row['test']}", place
    for label in pages.keys() - rows.keys():
        yield f"{label} has no row in {path.name}: which function, which test?", pages[label]


def importable(name):
    """Whether ``package.module.name`` can be imported and called."""
    module, _, attribute = (name or "").rpartition(".")
    try:
        return callable(getattr(import_module(module), attribute))
    except (ImportError, AttributeError, ValueError):
        return False


def is_test(name, root):
    """Whether ``tests/file.py::test_name`` exists, by reading the file."""
    path, *parts = (name or "").split("::")
    if not parts or not (root / path).is_file() or not parts[-1].startswith("test_"):
        return False
    body = ast.parse((root / path).read_text(encoding="utf-8")).body
    for part in parts:
        named = [node for node in body if getattr(node, "name", None) == part]
        if not named:
            return False
        body = named[0].body
    return isinstance(named[0], ast.FunctionDef)


def check(app, env):
    root = Path(app.srcdir)
    for message, place in sorted(problems(root / TABLE, labels(env), root)):
        logger.warning(message, location=place, type="theorems")
    return []


def setup(app):
    app.connect("env-updated", check)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
