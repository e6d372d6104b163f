"""The suite's own hooks: what lacks its data is skipped and counted, and a changed figure fails."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).resolve().parents[1]
FIGURE = """import matplotlib.pyplot as plt
import numpy as np
t = np.linspace(0, 6, 200)
plt.plot(t, np.sin(t + {shift}))
plt.show()"""
INI = "[pytest]\nmarkers = data(*names)\naddopts = --nbval --nbval-current-env --nbval-cell-timeout=60\n"


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """A folder with the hooks of this project, no data sets and no network."""
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text(INI)
    for name in [name for name in os.environ if name.startswith("PYTEST")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("MARGINBOOK_DATA", raising=False)
    monkeypatch.setenv("MARGINBOOK_OFFLINE", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def run(suite, *options):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    return subprocess.run(command, cwd=suite, capture_output=True, text=True, timeout=120)


def notebook(*sources, **metadata):
    cells = [new_code_cell(source, id=f"cell-{rank}") for rank, source in enumerate(sources)]
    return new_notebook(cells=cells, metadata=metadata)


@pytest.mark.parametrize("options", [(), ("-n", "2", "--dist=loadfile")], ids=["one process", "two workers"])
def test_what_lacks_its_data_is_skipped_and_counted_with_the_file_and_the_folder(suite, options):
    (suite / "test_sample.py").write_text(
        "import pytest\n\n"
        "@pytest.mark.data('sonar')\ndef test_a():\n    assert False\n\n"
        "@pytest.mark.data('sonar', 'ionosphere')\ndef test_b():\n    assert False\n\n"
        "def test_c():\n    pass\n"
    )
    nbformat.write(notebook("1 / 0", "1 / 0", marginbook={"data": ["mnist"]}), suite / "chapter.ipynb")
    answer = run(suite, *options)
    assert answer.returncode == 0, answer.stdout
    assert "2 tests and 1 notebook skipped: data absent" in answer.stdout
    lines = [
        line for line in answer.stdout.splitlines() if line.startswith(("sonar:", "ionosphere:", "mnist:"))
    ]
    assert len(lines) == 3
    assert all("MARGINBOOK_DATA" in line and str(suite / "cache") in line for line in lines)
    assert "1 passed, 4 skipped" in answer.stdout.splitlines()[-1]


def test_a_figure_that_moved_or_was_lost_fails_and_so_does_a_cell_that_was_never_run(suite):
    figure = notebook(FIGURE.format(shift=0))
    NotebookClient(figure, timeout=60, kernel_name="python3").execute()
    nbformat.write(figure, suite / "same.ipynb")
    figure.cells[0].source = FIGURE.format(shift=0.1)
    nbformat.write(figure, suite / "moved.ipynb")
    for output in figure.cells[0].outputs:
        output.data.pop("image/png")
    nbformat.write(figure, suite / "lost.ipynb")
    nbformat.write(notebook("x = 1"), suite / "unrun.ipynb")
    answer = run(suite)
    assert answer.stdout.splitlines()[-1].startswith("=") and "3 failed, 1 passed" in answer.stdout
    verdicts = dict(re.findall(r"^_+ (\w+)\.ipynb::Cell 0 _+\n(.*)$", answer.stdout, re.MULTILINE))
    assert "figure 0 differs by" in verdicts["moved"]
    assert "1 figures drawn, 0 stored" in verdicts["lost"]
    assert "the stored cell was never run" in verdicts["unrun"]
