"""The executor stores outputs that do not depend on when, where or how often it ran."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

EXECUTOR = Path(__file__).resolve().parents[1] / "tools" / "execute.py"
WIDGET = "application/vnd.jupyter.widget-view+json"
CELLS = ("x = 1\nx", "import ipywidgets\nipywidgets.IntSlider(description='k')", "object()")


def write(path, *sources):
    cells = [new_code_cell(source, id=f"cell-{rank}") for rank, source in enumerate(sources)]
    nbformat.write(new_notebook(cells=cells, metadata={"marginbook": {"data": []}}), path)


def execute(path):
    return subprocess.run([sys.executable, EXECUTOR, path], capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Bytes of a notebook with a widget and an object's address, after one run and after two."""
    path = tmp_path_factory.mktemp("executor") / "sample.ipynb"
    write(path, *CELLS)
    runs = []
    for _ in range(2):
        assert execute(path).returncode == 0
        runs.append(path.read_bytes())
    return runs


def test_a_second_run_changes_no_byte(executed):
    assert executed[0] == executed[1]


def test_outputs_counts_and_metadata_are_stored(executed):
    notebook = json.loads(executed[0])
    assert [cell["execution_count"] for cell in notebook["cells"]] == [1, 2, 3]
    assert notebook["cells"][0]["outputs"][0]["data"]["text/plain"] == ["1"]
    assert notebook["metadata"]["marginbook"] == {"data": []}


def test_the_stored_widget_still_finds_its_state(executed):
    notebook = json.loads(executed[0])
    view = notebook["cells"][1]["outputs"][0]["data"][WIDGET]
    (state,) = notebook["metadata"]["widgets"].values()
    assert state["state"][view["model_id"]]["state"]["description"] == "k"


def test_of_a_panel_the_link_alone_is_stored(tmp_path):
    path = tmp_path / "panel.ipynb"
    write(path, "from marginbook.stepper import panel\npanel(lambda k: None, page='a', k=(0, 3))")
    assert execute(path).returncode == 0
    notebook = json.loads(path.read_text())
    (output,) = notebook["cells"][0]["outputs"]
    assert set(output["data"]) == {"text/html", "text/plain"} and "mybinder.org" in "".join(
        output["data"]["text/html"]
    )
    assert "widgets" not in notebook["metadata"]


def test_a_notebook_that_fails_is_left_as_it_was(tmp_path):
    path = tmp_path / "broken.ipynb"
    write(path, "1 / 0")
    before = path.read_bytes()
    answer = execute(path)
    assert answer.returncode == 1
    assert "ZeroDivisionError" in answer.stderr
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["broken.ipynb"]
