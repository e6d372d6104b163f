"""The notebooks that the site offers for download have the numbers in their text, for JupyterLab to show."""

from pathlib import Path

from marginbook.handouts import write_numbers


def numbers_in_sources(app, exception):
    if exception is None and app.builder.format == "html":
        write_numbers(Path(app.outdir) / "_sources")


def setup(app):
    app.connect("build-finished", numbers_in_sources)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
