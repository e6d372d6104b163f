"""Copies of the book's notebooks: the numbers written out, and a cell in place of each solution."""

import json
import re
from pathlib import Path
from typing import NamedTuple

import marginbook
from marginbook.pages import kept

BOOK = Path(marginbook.__file__).parents[1] / "book"
MARK = re.compile(r"(?m)^(`{3,}|:{3,})\{solution-(start|end)\} *(\S*)\n(?:.*\n)*?\1 *$")
EXERCISE = re.compile(r"(?m)^(?:`{3,}|:{3,})\{exercise\} *(.*)\n:label: *(\S+)$")
CHECK = re.compile(r"(?m)^check\(.*\)$")
NUMBER = re.compile(r"\{glue:text\}`([^`]+)`")


def export(folder, book=None):
    """Write a student copy of every notebook that has exercises.

    Parameters
    ----------
    folder : path
        Made where it is not there yet.
    book : path, optional
        Where the notebooks are: by default the ``book`` folder of a checkout.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    ValueError
        If there are no notebooks, one of the files exists already, or a solution has no end.
    """
    book, folder = Path(book or BOOK), Path(folder)
    copies = {}
    for path in sorted(book.rglob("*.ipynb")):
        notebook = read(path)
        if any("{exercise}" in text(cell) for cell in notebook["cells"]):
            try:
                copies[folder / path.relative_to(book)] = without_solutions(with_numbers(notebook))
            except ValueError as error:
                raise ValueError(f"{path.name}: {error}") from None
    if not copies:
        raise ValueError(f"no notebooks with exercises in {book}: run this in a checkout of the book")
    for path in copies:
        if path.exists():
            raise ValueError(f"{path} exists, and may hold answers: name another folder")
    for path, notebook in copies.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, notebook)
    return list(copies)


def write_numbers(folder):
    """Write the numbers into the text of every notebook in a folder, and in the folders below it."""
    for path in Path(folder).rglob("*.ipynb"):
        write(path, with_numbers(read(path)))


def read(path):
    """A notebook as its JSON says."""
    return json.loads(path.read_text(encoding="utf-8"))


def write(path, notebook):
    """Write a notebook as Jupyter does."""
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def with_numbers(notebook):
    """The notebook with the numbers of its outputs in its text, where JupyterLab would show their names.

    Parameters
    ----------
    notebook : dict
        As its JSON says; run, so that its outputs hold what :func:`marginbook.pages.put` kept.

    Returns
    -------
    dict

    Examples
    --------
    >>> from marginbook.pages import RECORD
    >>> output = {"metadata": {"scrapbook": {"name": "a"}}, "data": {RECORD + "text/plain": "'1.5'"}}
    >>> cells = [{"cell_type": "markdown", "source": "It is {glue:text}`a`."}, {"outputs": [output]}]
    >>> with_numbers({"cells": cells})["cells"][0]["source"]
    ['It is 1.5.']
    """
    values = kept(notebook["cells"])

    def written(cell):
        if cell.get("cell_type") != "markdown":
            return cell
        source = NUMBER.sub(lambda role: values.get(role[1], role[0]), text(cell))
        return {**cell, "source": source.splitlines(keepends=True)}

    return {**notebook, "cells": [written(cell) for cell in notebook["cells"]]}


class Exercise(NamedTuple):
    """Where an exercise of the book is, and what its solution consists of."""

    page: str  # the notebook, below the book's folder, without suffix
    label: str
    title: str
    check: str  # what the checker calls it, or empty
    code: bool  # whether the solution has code


def exercises(path, book=None):
    """The exercises of a notebook that have a solution, in order.

    Parameters
    ----------
    path : path
    book : path, optional
        The folder that pages are named from: by default the ``book`` folder of a checkout.

    Returns
    -------
    list of Exercise
    """
    path, found = Path(path), []
    cells = read(path)["cells"]
    titles = {label: title for cell in cells for title, label in EXERCISE.findall(text(cell))}
    page = path.relative_to(book or BOOK).with_suffix("").as_posix()
    for cell in without_solutions({"cells": cells, "metadata": {}})["cells"]:
        label = cell["id"].removeprefix("answer-")
        if label in titles:
            name = re.search(r"""check\(["'](.+?)["']""", cell["source"])
            code = cell["cell_type"] == "code"
            found.append(Exercise(page, label, titles[label], name[1] if name else "", code))
    return found


def without_solutions(notebook):
    """The notebook without outputs, and with an empty cell in place of each solution.

    A solution reaches from its ``solution-start`` to its ``solution-end``. If it has code, the cell is for
    code, and ends with the solution's call of the checker; else it is for text.

    Parameters
    ----------
    notebook : dict
        As its JSON says.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If a solution has no end, or an end no start.

    Examples
    --------
    >>> source = "Why?\\n```{solution-start} ex-1\\n```\\nBecause.\\n```{solution-end}\\n```"
    >>> page = {"cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": source}]}
    >>> [cell["source"] for cell in without_solutions({**page, "metadata": {}})["cells"]]
    ['Why?', '*Your answer:*']
    """
    cells, label, code = [], None, []
    for cell in notebook["cells"]:
        source, at = text(cell), 0
        if cell["cell_type"] != "markdown":
            if label:
                code.append(source)
            else:
                cells.append(cleared(cell))
            continue
        for mark in [*MARK.finditer(source), None]:
            kept = source[at : mark.start() if mark else None].strip()
            if kept and not label:
                cells.append({**cell, "id": f"{cell['id']}-{at}" if at else cell["id"], "source": kept})
            if mark is None:
                break
            if (mark[2] == "start") == bool(label):
                raise ValueError(f"in cell {cell['id']} a solution begins in another or ends unbegun")
            if label:
                cells.append(answer(label, code))
            label, code, at = mark[3] if mark[2] == "start" else None, [], mark.end()
    if label:
        raise ValueError(f"the solution of {label} has no end")
    metadata = {key: value for key, value in notebook["metadata"].items() if key != "widgets"}
    return {**notebook, "cells": cells, "metadata": metadata}


def answer(label, code):
    """The cell that a student fills in."""
    name = f"answer-{label}"[:64]
    if not code:
        return {"cell_type": "markdown", "id": name, "metadata": {}, "source": "*Your answer:*"}
    calls = [call for source in code for call in CHECK.findall(source)]
    return cleared({"id": name, "metadata": {}, "source": "\n\n\n".join(["# Your answer.", *calls])})


def cleared(cell):
    """A code cell as before it was run."""
    return {**cell, "cell_type": "code", "execution_count": None, "outputs": []}


def text(cell):
    """A cell's source, which the format allows to be cut into lines."""
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
