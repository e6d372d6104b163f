"""What a cell hands to the page around it: numbers for the text, and tables."""

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


def table(head, rows, words=1):
    """A table for the page: the first columns hold words, to the left, the others numbers, to the right.

    Parameters
    ----------
    head : sequence of str, length m
    rows : iterable of sequences of length m
        Cells are shown as :class:`str` writes them.
    words : int, default 1
        Columns of words.

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
    lines = [" | ".join(map(str, line)) for line in (head, sides, *rows)]
    return Markdown("\n".join(f"| {line} |" for line in lines))
