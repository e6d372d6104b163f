"""Let docstrings write norms as ``|w|``, which reStructuredText would take for a substitution."""

import re

LITERAL = re.compile(r"(``.*?``)")


def escape_bars(app, what, name, obj, options, lines):
    """Escape bars outside of literals and doctests."""
    doctest = False
    for number, line in enumerate(lines):
        doctest = line.lstrip().startswith(">>>") or (doctest and bool(line.strip()))
        if not doctest:
            parts = LITERAL.split(line)
            lines[number] = "".join(
                part if LITERAL.fullmatch(part) else part.replace("|", r"\|") for part in parts
            )


def skip_field_aliases(app, what, name, obj, skip, options):
    """Leave out the fields of named tuples: the signature shows them, and their docstrings say nothing."""
    return True if (getattr(obj, "__doc__", None) or "").startswith("Alias for field number") else None


def setup(app):
    app.connect("autodoc-process-docstring", escape_bars, priority=100)
    app.connect("autodoc-skip-member", skip_field_aliases)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
