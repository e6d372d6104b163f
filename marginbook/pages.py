"""What a cell hands to the page around it: numbers for the text, and tables."""

from ast import literal_eval

RECORD = "application/papermill.record/"


def put(name, value, spec=".3g"):
    """Keep a number for the text, which shows it where it says ``{glue:text}`` and the name.

    The same as ``glue(name, format(value, spec), display=False)`` of MyST-NB, which a reader who runs a page
    then need not install, nor wait for.

    Parameters
    ----------
    name : str
        Unique in the book.
    value : number or str
    spec : str, default ".3g"
        How :func:`format` writes it.
    """
    from IPython.display import publish_display_data

    shown = {f"{RECORD}text/plain": repr(format(value, spec))}
    publish_display_data(shown, {"scrapbook": {"name": name, "mime_prefix": RECORD}})


def kept(cells):
    """What :func:`put` kept, by name: the numbers in the outputs of a notebook's cells, as written.

    Examples
    --------
    >>> data, about = {RECORD + "text/plain": "'1.5'"}, {"scrapbook": {"name": "a"}}
    >>> kept([{"outputs": [{"data": data, "metadata": about}]}])
    {'a': '1.5'}
    """
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return {
        output["metadata"]["scrapbook"]["name"]: literal_eval("".join(output["data"][f"{RECORD}text/plain"]))
        for output in outputs
        if "scrapbook" in output.get("metadata", {})
    }


def markdown(head, sides, rows):
    """The text of a table; ``sides`` has ``"---"`` for a column of words, ``"--:"`` for one of numbers."""
    lines = [" | ".join(map(str, line)) for line in (head, sides, *rows)]
    return "\n".join(f"| {line} |" for line in lines)


def table(head, rows, words=1, title=""):
    """A table for the page: the first columns hold words, to the left, the others numbers, to the right.

    Parameters
    ----------
    head : sequence of str, length m
    rows : iterable of sequences of length m
        Cells are shown as :class:`str` writes them.
    words : int, default 1
        Columns of words.
    title : str, optional

    Returns
    -------
    IPython.display.Markdown

    Examples
    --------
    >>> print(table(["rule", "updates"], [["ROMMA", 14]]).data)
    | rule | updates |
    | --- | --: |
    | ROMMA | 14 |
    """
    from IPython.display import Markdown

    sides = ["---"] * words + ["--:"] * (len(head) - words)
    above = f"**{title}**\n\n" if title else ""
    return Markdown(above + markdown(head, sides, rows))


def card(rule, *estimators, problem, update, cost, papers, memory="the weights"):
    """The card at the head of a chapter; what the package knows of the algorithm is read from it.

    Parameters
    ----------
    rule : module
        Of ``marginbook.rules``: its ``Params``, its ``State`` and its functions ``bound_...`` are named.
    *estimators : class
    problem, update, cost, papers : str
        The problem solved per step, its solution, what a step costs, and citations.
    memory : str, default "the weights"
        What is kept beside the state.

    Returns
    -------
    IPython.display.Markdown

    Examples
    --------
    >>> from marginbook import ROMMA
    >>> from marginbook.rules import romma
    >>> shown = card(romma, ROMMA, problem="P", update="U", cost="C", papers="Li and Long")
    >>> print(shown.data.splitlines()[5])
    | parameters | `delta` |
    """
    bounds = [name for name in dir(rule) if name.startswith("bound_")]
    rows = {
        "problem per step": problem,
        "update": update,
        "cost per step": cost,
        "parameters": _code(rule.Params._fields),
        "memory": _code(rule.State._fields, memory),
        "bounds": _code(bounds),
        "class" if len(estimators) == 1 else "classes": _code(f"marginbook.{e.__name__}" for e in estimators),
        "papers": papers,
    }
    return table(["", ""], rows.items(), words=2)


def _code(names, *before):
    return ", ".join([*before, *(f"`{name}`" for name in names)])
