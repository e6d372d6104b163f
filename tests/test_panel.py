"""The panel runs an algorithm again with what the controls say, and has a link where there is no kernel."""

import json
from pathlib import Path

import pytest
import yaml
from IPython.display import HTML

from marginbook.stepper import live, panel

ROOT = Path(__file__).resolve().parents[1]


def test_moving_a_control_runs_with_all_values_and_shows_the_result(capsys):
    calls = []

    def run(b, kind):
        calls.append((b, kind))
        return HTML(f"<p>{b}</p>")

    made = panel(run, page="perceptron", b=(0.0, 2.0, 0.5), kind=["last", "voted"])
    slider, menu = made.box.kwargs_widgets
    assert calls == [(1.0, "last")]
    slider.value = 1.5
    menu.value = "voted"
    assert calls[1:] == [(1.5, "last"), (1.5, "voted")]
    assert made.box.result.data == "<p>1.5</p>"
    assert capsys.readouterr().out.count("HTML object") == 3
    assert slider.continuous_update is False


def test_a_page_without_a_kernel_shows_the_link_to_its_own_notebook():
    bundle = panel(lambda b: None, page="perceptron", b=(0, 3))._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", live.WIDGET}
    assert "lab/tree/book/perceptron.ipynb" in bundle["text/html"]
    assert "Open in Binder to change the data" in bundle["text/html"]
    assert bundle["text/plain"] == "<Panel of perceptron: b>"


def test_an_argument_without_a_control_is_refused():
    with pytest.raises(ValueError, match="for argument: 'b'"):
        panel(lambda b: None, page="perceptron", c=(0, 3))


def test_the_link_leads_where_the_launch_buttons_lead():
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    owner, branch = (
        config["repository"]["url"].removeprefix("https://github.com/"),
        config["repository"]["branch"],
    )
    hub = config["launch_buttons"]["binderhub_url"]
    link = panel(lambda b: None, page="a/b", b=(0, 3)).link()
    assert f'href="{hub}/v2/gh/{owner}/{branch}?urlpath=lab/tree/book/a/b.ipynb"' in link


def test_stored_panels_are_links_to_their_own_notebooks():
    found = 0
    for path in sorted((ROOT / "book").rglob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                html = "".join(output.get("data", {}).get("text/html", ""))
                if "mb-panel" in html:
                    found += 1
                    assert f"lab/tree/{path.relative_to(ROOT)}" in html
                    assert live.WIDGET not in output["data"]
    assert found
