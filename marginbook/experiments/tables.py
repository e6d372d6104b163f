"""Records and comparisons as text: in a terminal, and as Markdown in a notebook."""

from collections import Counter
from math import ceil, isnan, log10

from marginbook.experiments.verdicts import VERDICTS
from marginbook.pages import markdown

HEAD = ("row", "column", "published", "ours", "difference", "verdict")
TEXT = ("row", "column", "verdict", "table or figure")  # columns that are not of numbers


class Table:
    """The cells of a record, published and ours.

    Parameters
    ----------
    title : str
    rows : list of Comparison

    Examples
    --------
    >>> from marginbook.experiments.record import Published
    >>> from marginbook.experiments.verdicts import compare_cell
    >>> cell = Published("percep", "T = 1", "2.84", "error", "percep", "last")
    >>> print(Table("One cell", [compare_cell(cell, [2.91, 2.95])]))
    One cell
    row     column  published  ours          difference  verdict
    percep  T = 1   2.84       2.93 +- 0.02  +0.09       reproduced
    1 reproduced
    """

    def __init__(self, title, rows):
        self.title, self.rows = title, rows

    def counts(self):
        """How many rows have each verdict, the best first."""
        given = Counter(row.verdict for row in self.rows)
        return {verdict: given[verdict] for verdict in VERDICTS if given[verdict]}

    def _total(self):
        return ", ".join(f"{number} {verdict}" for verdict, number in self.counts().items())

    def __str__(self):
        return "\n".join([self.title, *_columns([HEAD, *map(_written, self.rows)]), self._total()])

    def _repr_markdown_(self):
        lines = _markdown(HEAD, [_written(row, "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}") for row in self.rows])
        return f"**{self.title}**\n\n{lines}\n\n{self._total().capitalize()}."


class Description:
    """What a record runs, and what was chosen where its paper is silent.

    Parameters
    ----------
    record : Record
    """

    def __init__(self, record):
        self.record = record

    def _paragraphs(self, bold):
        yield self.record.protocol
        yield from (f"- {bold}{name}{bold}: {text}" for name, text in self.record.choices.items())

    def __str__(self):
        return "\n".join([self.record.title, *self._paragraphs("")])

    def _repr_markdown_(self):
        protocol, *choices = self._paragraphs("**")
        return "\n".join([protocol, "", *choices])


class Scoreboard:
    """How many cells of each record have each verdict.

    Parameters
    ----------
    tables : dict of str to Table
    """

    def __init__(self, tables):
        self.tables = tables

    def total(self):
        """The counts of all records together."""
        counts = Counter()
        for table in self.tables.values():
            counts.update(table.counts())
        return {verdict: counts[verdict] for verdict in VERDICTS}

    def share(self):
        """Of the cells that were run and can be compared, the part that is reproduced or close."""
        good, close, differs = list(self.total().values())[:3]
        return (good + close) / max(1, good + close + differs)

    def _lines(self):
        for name, table in self.tables.items():
            yield name, *(str(table.counts().get(verdict, 0)) for verdict in VERDICTS)
        yield "all", *map(str, self.total().values())

    def __str__(self):
        return "\n".join(_columns([("", *VERDICTS), *self._lines()]))

    def _repr_markdown_(self):
        titles = {name: table.title for name, table in self.tables.items()}
        lines = [(titles.get(name, name), *rest) for name, *rest in self._lines()]
        return _markdown(("table or figure", *VERDICTS), lines)


def _written(row, plus_minus=" +- "):
    """A comparison as strings, with the digits that the paper prints, or those of our standard error."""
    digits = len(row.published.partition(".")[2])
    if row.error > 0.0:
        digits = max(digits, min(digits + 2, ceil(-log10(row.error))))
    if row.published == "holds":  # ours is a share of the runs
        ours = "" if isnan(row.ours) else f"{row.ours:.2g}"
    else:
        ours = "" if isnan(row.ours) else f"{row.ours:.{digits}f}"
    ours += "" if isnan(row.error) else f"{plus_minus}{row.error:.{digits}f}"
    difference = "" if isnan(row.difference) else f"{row.difference:+z.{digits}f}"
    verdict = row.verdict
    if not isnan(row.ratio):
        verdict += f" (ratio {row.published_ratio:.2g}, ours {row.ratio:.2g})"
    verdict += f": {row.reason}" if row.reason else ""
    return row.row, row.column, row.published, ours, difference, verdict


def _columns(lines):
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]


def _markdown(head, lines):
    sides = ["---" if column in TEXT else "--:" for column in head]
    return markdown(head, sides, lines)
