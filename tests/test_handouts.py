"""Student copies hold the exercises and none of the solutions."""

import json
import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from marginbook import cli, handouts
from marginbook.pages import RECORD

BOOK = Path(__file__).resolve().parents[1] / "book"
EXERCISE = "```{exercise} Double\n:label: ex-a-1\n\nWrite `twice(x)`.\n```"
START, END = "```{solution-start} ex-a-1\n:class: dropdown\n```", "```{solution-end}\n```"


def notebook(*cells):
    made = [
        new_code_cell(source[1:], id=f"c{k}", execution_count=1, outputs=[new_output("stream", text="4\n")])
        if source.startswith("!")
        else new_markdown_cell(source, id=f"c{k}")
        for k, source in enumerate(cells)
    ]
    return json.loads(nbformat.writes(new_notebook(cells=made, metadata={"widgets": {"state": 1}, "a": 1})))


def sources(*cells):
    copy = handouts.without_solutions(notebook(*cells))
    nbformat.validate(nbformat.from_dict(copy))
    return [(cell["cell_type"], cell["source"]) for cell in copy["cells"]]


def test_a_programming_exercise_keeps_its_text_and_its_check_call():
    solution = "!def twice(x):\n    return 2 * x\n\n\ncheck('a.1', twice)"
    assert sources(f"# Title\n\n{EXERCISE}\n\n{START}", solution, f"{END}\n\n## Summary") == [
        ("markdown", f"# Title\n\n{EXERCISE}"),
        ("code", "# Your answer.\n\n\ncheck('a.1', twice)"),
        ("markdown", "## Summary"),
    ]


def test_code_without_a_checker_leaves_an_empty_code_cell():
    assert sources(f"{EXERCISE}\n{START}\nThink.", "!x = 1", END) == [
        ("markdown", EXERCISE),
        ("code", "# Your answer."),
    ]


def test_a_solution_in_words_leaves_a_cell_for_words():
    second = EXERCISE.replace("a-1", "a-2")
    start = START.replace("a-1", "a-2")
    assert sources(f"{EXERCISE}\n{START}\nOne.\n{END}\n{second}\n{start}\nTwo.\n{END}\nEnd.") == [
        ("markdown", EXERCISE),
        ("markdown", "*Your answer:*"),
        ("markdown", second),
        ("markdown", "*Your answer:*"),
        ("markdown", "End."),
    ]


def test_outputs_counts_and_the_state_of_widgets_are_cleared():
    copy = handouts.without_solutions(notebook("!1 + 3", EXERCISE))
    assert copy["cells"][0]["outputs"] == [] and copy["cells"][0]["execution_count"] is None
    assert copy["metadata"] == {"a": 1}


@pytest.mark.parametrize("cells", [(START, "!x"), (f"{START}\n{START}\n{END}",), (END,)])
def test_a_solution_without_end_or_start_is_refused(cells):
    with pytest.raises(ValueError, match="ex-a-1 has no end|in cell c0"):
        handouts.without_solutions(notebook(*cells))


def test_numbers_are_written_where_a_role_names_them(tmp_path):
    def kept(name, value):
        about = {"scrapbook": {"name": name, "mime_prefix": RECORD}}
        return new_output("display_data", {f"{RECORD}text/plain": repr(value)}, metadata=about)

    other = new_output("display_data", {"text/plain": "1"}, metadata={})
    role = "{glue:text}`a-b`, {glue:text}`c`: `a-b`, {glue:text}`gone`"
    cells = [new_markdown_cell(role), new_code_cell(f"# {role}", outputs=[kept("a-b", "1,5\u00a0%"), other])]
    cells += [new_code_cell("", outputs=[kept("c", "it's")])]
    path = tmp_path / "folder" / "a.ipynb"
    path.parent.mkdir()
    nbformat.write(new_notebook(cells=cells), path)
    handouts.write_numbers(tmp_path)
    found = nbformat.read(path, as_version=4)
    nbformat.validate(found)
    assert found.cells[0].source == "1,5\u00a0%, it's: `a-b`, {glue:text}`gone`"
    assert found.cells[1:] == cells[1:]


def test_no_copy_of_a_chapter_names_a_number_that_is_not_there(copies):
    for name, copy in copies.items():
        assert "{glue:text}" in originals()[name]
        assert not any("{glue" in cell.source for cell in copy.cells), name


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """The copies of the book's own notebooks, by name."""
    folder = tmp_path_factory.mktemp("students") / "copies"
    return {path.stem: nbformat.read(path, as_version=4) for path in handouts.export(folder)}


def originals():
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(BOOK.rglob("*.ipynb"))}


def test_every_notebook_with_exercises_is_copied(copies):
    with_exercises = {name for name, text in originals().items() if "{exercise}" in text}
    assert set(copies) == with_exercises and {"margins", "perceptron"} <= with_exercises


def test_the_books_copies_hold_every_exercise_every_check_and_no_solution(copies):
    for name, copy in copies.items():
        nbformat.validate(copy)
        text, whole = "\n".join(cell.source for cell in copy.cells), originals()[name]
        labels = set(re.findall(r":label: (ex-[\w-]+)", whole))
        assert labels and set(re.findall(r":label: (ex-[\w-]+)", text)) == labels
        assert text.count("{exercise}") == whole.count("{exercise}")
        assert len([c for c in copy.cells if c.id.startswith("answer-")]) == whole.count("{solution-start}")
        checks = re.compile(r"(?m)^check\(.*$")
        before = nbformat.reads(whole, as_version=4).cells
        assert checks.findall(text) == checks.findall("\n".join(cell.source for cell in before)) != []
        assert "{solution" not in text
        assert not any(cell.get("outputs") for cell in copy.cells)


def test_the_list_of_exercises_says_what_each_solution_has(tmp_path):
    second, start = EXERCISE.replace("a-1", "a-2").replace("Double", "Why?"), START.replace("a-1", "a-2")
    page = notebook(f"{EXERCISE}\n{START}", "!check('a.1', twice)", f"{END}\n{second}\n{start}\nSo.\n{END}")
    (tmp_path / "a.ipynb").write_text(json.dumps(page))
    assert handouts.exercises(tmp_path / "a.ipynb", tmp_path) == [
        ("a", "ex-a-1", "Double", "a.1", True),
        ("a", "ex-a-2", "Why?", "", False),
    ]


def test_the_list_names_every_exercise_of_the_book():
    for path in sorted(BOOK.rglob("*.ipynb")):
        labels = re.findall(r":label: (ex-[\w-]+)", path.read_text(encoding="utf-8"))
        assert [exercise.label for exercise in handouts.exercises(path)] == labels


def test_the_command_writes_the_copies_and_names_them(capsys, tmp_path):
    assert cli.main(["exercises", "export", str(tmp_path / "new")]) == 0
    written = capsys.readouterr().out.splitlines()
    assert str(tmp_path / "new" / "perceptron.ipynb") in written
    assert all(Path(line).is_file() for line in written)


def test_a_copy_that_exists_is_never_overwritten(capsys, tmp_path):
    (tmp_path / "perceptron.ipynb").write_text("my answers")
    assert cli.main(["exercises", "export", str(tmp_path)]) == 1
    assert "exists, and may hold answers" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["perceptron.ipynb"]
    assert (tmp_path / "perceptron.ipynb").read_text() == "my answers"


def test_without_the_book_the_command_says_what_it_needs(tmp_path):
    with pytest.raises(ValueError, match="run this in a checkout"):
        handouts.export(tmp_path / "to", tmp_path)
