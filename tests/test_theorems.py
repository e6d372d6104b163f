"""A build says so when a theorem has no function or no test."""

import importlib.util
import io
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
spec = importlib.util.spec_from_file_location("theorems", ROOT / "book" / "_ext" / "theorems.py")
theorems = importlib.util.module_from_spec(spec)
spec.loader.exec_module(theorems)

FUNCTION, TEST = "marginbook.margins.geometric_margin", "tests/test_a.py::test_one"
TESTS = """
def helper(): pass
def test_one(): pass
class TestTwo:
    def test_three(self): pass
"""


@pytest.fixture
def found(tmp_path):
    """The problems of a table with the given rows, in a book whose theorems are called thm-a and thm-b."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(TESTS)
    table = tmp_path / "theorems.csv"

    def problems(*rows):
        table.write_text("\n".join(["label,function,test", *rows]) + "\n")
        pages = {"thm-a": "book/one", "thm-b": "book/two"}
        return [(text, str(place).replace(f"{table}:", "")) for text, place in
                theorems.problems(table, pages, tmp_path)]  # fmt: skip

    return problems


WHOLE = f"thm-a,{FUNCTION},{TEST}"


def test_a_table_with_a_function_and_a_test_for_each_theorem_is_accepted(found):
    assert found(WHOLE, f"thm-b,{FUNCTION},tests/test_a.py::TestTwo::test_three") == []


def test_a_theorem_without_a_row_is_named_with_its_page(found):
    ((text, place),) = found(WHOLE)
    assert text == "thm-b has no row in theorems.csv: which function, which test?" and place == "book/two"


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (f"thm-c,{FUNCTION},{TEST}", "thm-c is no theorem of the book"),
        (WHOLE, "thm-a has two rows"),
    ],
)
def test_a_row_that_belongs_to_no_theorem_is_named_with_its_line(found, row, text):
    assert (text, "4") in found(WHOLE, f"thm-b,{FUNCTION},{TEST}", row)


@pytest.mark.parametrize(
    "function",
    [
        "",
        "geometric_margin",
        "marginbook.margins.no_margin",
        "marginbook.no_module.margin",
        "marginbook.",
    ],
)
def test_a_function_that_cannot_be_imported_is_named(found, function):
    rows = found(WHOLE, f"thm-b,{function},{TEST}")
    assert rows == [(f"thm-b: there is no function {function}", "3")]


@pytest.mark.parametrize(
    "test",
    ["", "tests/test_a.py", "tests/test_b.py::test_one"]
    + [
        f"tests/test_a.py::{name}"
        for name in ("test_two", "helper", "TestTwo", "test_three", "TestTwo::test_one")
    ],
)
def test_a_test_that_does_not_exist_is_named(found, test):
    assert found(WHOLE, f"thm-b,{FUNCTION},{test}") == [(f"thm-b: there is no test {test}", "3")]


PAGE = """
# Page

```{prf:theorem} One
:label: thm-a

Text.
```

```{prf:definition} No theorem
:label: def-a

Text.
```

```{prf:corollary}
:label: cor-a

Text.
```
"""


def test_a_build_warns_of_the_theorems_on_its_pages(tmp_path):
    from sphinx.application import Sphinx

    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "theorems.csv").write_text(f"label,function,test\nthm-a,{FUNCTION},{TEST}\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(TESTS)
    (tmp_path / "index.md").write_text(PAGE)
    warnings = io.StringIO()
    options = {"extensions": ["myst_parser", "sphinx_proof"], "suppress_warnings": ["epub"]}
    app = Sphinx(
        tmp_path, None, tmp_path / "out", tmp_path / "trees", "dummy", options,
        status=io.StringIO(), warning=warnings,
    )  # fmt: skip
    theorems.setup(app)
    app.build()
    lines = [line for line in warnings.getvalue().splitlines() if "theorems.csv" in line]
    assert len(lines) == 1 and "cor-a has no row" in lines[0], warnings.getvalue()


def test_the_book_checks_its_theorems():
    import yaml

    sphinx = yaml.safe_load((ROOT / "_config.yml").read_text())["sphinx"]
    assert sphinx["local_extensions"]["theorems"] == "book/_ext"
    assert (ROOT / theorems.TABLE).is_file()
