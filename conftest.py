"""Hooks for tests and notebooks alike: absent data sets, unrun cells, changed figures.

They live at the root because a conftest.py serves only the folders below it, and the notebooks
are under ``book``.
"""

import base64
import functools
import io
import math
import os
import tempfile
from pathlib import Path

import pytest
from filelock import FileLock
from nbval.plugin import IPyNbCell
from PIL import Image, ImageChops, ImageStat

# One thread for each worker and kernel: two workers fill two cores, and a sum in a BLAS call does not
# depend on how many cores the machine has. The libraries read these names when they are first loaded.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("SCIPY_ARRAY_API", "1")  # without it scikit-learn skips one of its estimator checks

VERDICTS = pytest.StashKey[Path]()
FIGURE_TOLERANCE = 3.0  # root mean square difference in grey levels of 256; a curve moved by 0.02 gives 6


# Data sets: a test names its own by @pytest.mark.data("mnist"), a notebook by
# {"marginbook": {"data": ["mnist"]}} in its metadata.


def pytest_configure(config):
    """Give all workers of a session one folder in which the first to ask for a data set leaves the answer."""
    if hasattr(config, "workerinput"):
        config.stash[VERDICTS] = Path(config.workerinput["verdicts"])
    else:
        folder = tempfile.TemporaryDirectory(prefix="marginbook-")
        config.add_cleanup(folder.cleanup)
        config.stash[VERDICTS] = Path(folder.name)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    node.workerinput["verdicts"] = str(node.config.stash[VERDICTS])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Skip what needs an absent data set, before a kernel is started for it."""
    absent = {
        name: reason for name in wanted(item) if (reason := why_absent(name, item.config.stash[VERDICTS]))
    }
    if absent:
        item.user_properties.append(("absent", absent))
        pytest.skip("data absent: " + "; ".join(absent.values()))


def wanted(item):
    """Names of the data sets that a test, or the notebook of a cell, declares."""
    if isinstance(item, IPyNbCell):
        return item.parent.nb.metadata.get("marginbook", {}).get("data", [])
    return [name for mark in item.iter_markers("data") for name in mark.args]


@functools.cache
def why_absent(name, folder):
    """Empty where the files are at hand or could be fetched, else which files to put where."""
    verdict = folder / f"{name}.txt"
    with FileLock(f"{verdict}.lock"):
        if not verdict.exists():
            verdict.write_text(locate(name), encoding="utf-8")
        return verdict.read_text(encoding="utf-8")


def locate(name):
    """Look for a data set on this machine, then try once to fetch it."""
    from marginbook import data
    from marginbook.data import download

    download.TIMEOUT = (3.0, 30.0)  # where nothing answers, the whole suite should not wait
    try:
        data.find(name)
    except data.DataNotFound as error:
        try:
            data.fetch(name)
        except (OSError, data.DataCorrupt):
            return " ".join(str(error).split())
    return ""


def pytest_terminal_summary(terminalreporter):
    """Say how much was skipped for want of data, and what would cure it."""
    tests, notebooks, reasons = set(), set(), {}
    for report in terminalreporter.stats.get("skipped", []):
        absent = dict(report.user_properties).get("absent", {})
        reasons.update(absent)
        if absent:
            path = report.nodeid.split("::")[0]
            (notebooks if path.endswith(".ipynb") else tests).add(
                path if path.endswith(".ipynb") else report.nodeid
            )
    if reasons:
        terminalreporter.section("data absent")
        terminalreporter.line(
            f"{count(tests, 'test')} and {count(notebooks, 'notebook')} skipped: data absent"
        )
        for name, reason in sorted(reasons.items()):
            terminalreporter.line(f"{name}: {reason}")


def count(things, noun):
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


# Notebooks: nbval passes a cell that was never run and ignores figures; both are checked here.


def pytest_collection_modifyitems(items):
    """Leave the figures that a notebook glues to the comparison below, as nbval leaves the others."""
    for item in items:
        if isinstance(item, IPyNbCell):
            item.parent.skip_compare += ("application/papermill.record/image/png",)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    result = yield
    if isinstance(item, IPyNbCell) and item.cell.source.strip():
        assert item.cell.execution_count is not None, "the stored cell was never run"
        if item.options["check"]:
            compare_figures(figures(item.cell.outputs), figures(item.test_outputs))
    return result


def figures(outputs):
    """PNG images of a cell's outputs, displayed or glued, in order."""
    return [
        data
        for output in outputs
        for kind, data in output.get("data", {}).items()
        if kind.endswith("image/png")
    ]


def compare_figures(stored, drawn):
    """Require the same number of figures, of the same size, that look alike."""
    assert len(stored) == len(drawn), f"{len(drawn)} figures drawn, {len(stored)} stored"
    for rank, (old, new) in enumerate(zip(map(on_white, stored), map(on_white, drawn), strict=True)):
        off = max(abs(a - b) for a, b in zip(old.size, new.size, strict=True))
        assert off <= 4, f"figure {rank} has {new.size} pixels, stored {old.size}"
        bands = ImageStat.Stat(ImageChops.difference(thumbnail(old), thumbnail(new))).rms
        distance = math.hypot(*bands) / math.sqrt(len(bands))
        assert distance <= FIGURE_TOLERANCE, f"figure {rank} differs by {distance:.2f} grey levels"


def on_white(encoded):
    """Decode a PNG image and lay it on white paper."""
    image = Image.open(io.BytesIO(base64.b64decode(encoded))).convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")


def thumbnail(image):
    """Average an image down to 160 x 120 pixels, which hides how a renderer smooths its edges."""
    return image.resize((160, 120), Image.Resampling.BOX)
