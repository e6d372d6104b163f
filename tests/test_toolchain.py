"""The project's own files agree with each other, and say nothing about the machine they were made on."""

import json
import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml

import marginbook

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NOTEBOOKS = sorted((ROOT / "book").rglob("*.ipynb"))
PIN = re.compile(r"^([A-Za-z0-9_.-]+==[^\s;\\]+(?: ; [^\\\n]+?)?) *\\?$", re.MULTILINE)

# Written so that this file does not match its own patterns.
FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w.~-])/(work|root|home|tmp)/"),
    "a registry's host": re.compile(r"pypi\.org|python[h]osted|npm[j]s|debian\.org"),
    "a folder beside the project": re.compile(r"\.\./share[d]"),
}
EXEMPT = {Path(".ci/run"): {"a folder beside the project"}}


def tracked_files():
    """Text files of the project, without what is built, installed or vendored."""
    ignored = {line.rstrip("/") for line in (ROOT / ".gitignore").read_text().split() if line.endswith("/")}
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            n for n in folders if n not in ignored | {".git", "vendor"} and not n.endswith(".egg-info")
        ]
        for name in names:
            path = Path(folder) / name
            if path.suffix not in {".png", ".woff", ".woff2", ".pyc"}:
                yield path


def pins(name):
    return set(PIN.findall((ROOT / name).read_text()))


def test_the_constraints_pin_exactly_what_the_lock_pins():
    assert len(pins("requirements.lock")) > 100
    assert pins("constraints.txt") == pins("requirements.lock")


def test_every_pin_of_the_lock_has_a_hash():
    text = (ROOT / "requirements.lock").read_text()
    for pin, following in re.findall(r"^(\S+==.*)\n(.*)$", text, re.MULTILINE):
        assert "--hash=sha256:" in following, pin


def test_the_binder_environment_installs_the_package_under_the_constraints():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python, _, pip = environment["dependencies"]
    assert python.split("=")[1] == PROJECT["requires-python"].removeprefix(">=")
    constraint, package = pip["pip"]
    assert constraint == "-c constraints.txt"
    extras = re.fullmatch(r"-e \.\[(.+)\]", package)[1].split(",")
    assert set(extras) <= set(PROJECT["optional-dependencies"])
    installed = {
        re.match(r"[A-Za-z0-9_.-]+", n)[0] for e in extras for n in PROJECT["optional-dependencies"][e]
    }
    assert {"jupyterlab", "jupyterlab-myst", "ipywidgets"} <= installed, "what a chapter opened there needs"


def test_the_lock_holds_every_dependency_of_the_project():
    locked = {re.split("==", pin)[0] for pin in pins("requirements.lock")}
    wanted = [*PROJECT["dependencies"], *sum(PROJECT["optional-dependencies"].values(), [])]
    assert {re.match(r"[A-Za-z0-9_.-]+", name)[0].lower() for name in wanted} <= locked


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names(what):
    found = []
    for path in tracked_files():
        name = path.relative_to(ROOT)
        match = FORBIDDEN[what].search(path.read_text(encoding="utf-8"))
        if match and what not in EXEMPT.get(name, ()):
            found.append(f"{name}: {match[0]}")
    assert not found


def test_every_page_of_the_contents_exists():
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text())
    pages = [
        contents["root"],
        *(chapter["file"] for part in contents["parts"] for chapter in part["chapters"]),
    ]
    absent = [
        page for page in pages if not any((ROOT / f"{page}{end}").exists() for end in (".ipynb", ".md"))
    ]
    assert not absent


def test_every_notebook_is_a_page_of_the_contents():
    assert NOTEBOOKS
    text = (ROOT / "_toc.yml").read_text()
    pages = {path: path.relative_to(ROOT).with_suffix("") for path in NOTEBOOKS}
    assert [path for path in NOTEBOOKS if f"file: {pages[path]}\n" not in text] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
class TestNotebook:
    def test_every_cell_has_an_id_of_its_own(self, path):
        ids = [cell["id"] for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
        assert len(set(ids)) == len(ids)

    def test_it_was_run_from_top_to_bottom(self, path):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        counts = [
            c["execution_count"] for c in cells if c["cell_type"] == "code" and "".join(c["source"]).strip()
        ]
        assert counts == list(range(1, len(counts) + 1))

    def test_its_outputs_hold_no_error_and_no_warning(self, path):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                assert output.get("name") != "stderr", cell["id"]
                tags = cell["metadata"].get("tags", [])
                assert output["output_type"] != "error" or "raises-exception" in tags, cell["id"]

    def test_its_bytes_are_those_that_the_executor_writes(self, path):
        text = path.read_text(encoding="utf-8")
        notebook = json.loads(text)
        assert text == json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        assert notebook["metadata"]["language_info"] == {"name": "python"}


def test_every_make_target_that_a_guide_names_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for guide in ("README.md", "CONTRIBUTING.md", "book/intro.md"):
        named = set(re.findall(r"(?:^ *|`)make ([a-z-]+)", (ROOT / guide).read_text(), re.MULTILINE))
        assert named
        assert named <= targets


def test_every_console_command_that_a_guide_names_exists(capsys):
    from marginbook.cli import main

    for guide in ("README.md", "CONTRIBUTING.md", "book/intro.md"):
        named = set(re.findall(r"`marginbook ([a-z][a-z ]*[a-z])", (ROOT / guide).read_text()))
        assert named
        for command in named:
            with pytest.raises(SystemExit) as end:
                main([*command.split(), "--help"])
            assert end.value.code == 0, command
            assert command in capsys.readouterr().out


def test_the_readme_begins_with_the_two_commands():
    lines = (ROOT / "README.md").read_text().splitlines()
    assert [line.split("#")[0].strip() for line in lines[2:4]] == ["make book", "make test"]


def test_one_version_is_named_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    number, date = re.search(
        r"^## \[(\d[^]]*)\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    ).groups()
    assert {PROJECT["version"], str(citation["version"]), number} == {marginbook.__version__}
    assert str(citation["date-released"]) == date
    assert f"version {number}, " in (ROOT / "book/intro.md").read_text()


def test_every_vendored_library_carries_its_licence():
    folders = [path for path in (ROOT / "book/_static/vendor").iterdir() if path.is_dir()]
    assert folders
    for folder in folders:
        text = (folder / "LICENSE").read_text()
        assert "Apache License" in text or "Redistribution and use" in text
