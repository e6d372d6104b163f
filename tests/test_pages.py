"""Numbers and tables that a cell hands to its page."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from myst_nb import glue

from marginbook import PUMMA, IdealMargin
from marginbook.pages import card, put, table
from marginbook.rules import micra, perceptron


@pytest.fixture(scope="module")
def shell():
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


@pytest.mark.parametrize("value, spec", [(0.123456, ".3g"), (12345.6, ",.0f"), ("a 'word'", ""), (-1, "+d")])
def test_a_number_for_the_text_is_what_myst_nb_glues(shell, value, spec):
    with capture_output() as ours:
        put("name", value, spec)
    with capture_output() as theirs:
        glue("name", format(value, spec), display=False)
    (mine,), (other,) = ours.outputs, theirs.outputs
    assert mine.data == other.data and mine.metadata == other.metadata


def test_a_table_has_words_to_the_left_and_numbers_to_the_right():
    shown = table(["rule", "data", "updates"], [["ROMMA", "a", 1], ["ALMA", "b", 2.5]], words=2)
    assert shown.data.splitlines() == [
        "| rule | data | updates |",
        "| --- | --- | --: |",
        "| ROMMA | a | 1 |",
        "| ALMA | b | 2.5 |",
    ]


def test_a_title_stands_above_its_table():
    assert table(["a"], [], title="All").data == "**All**\n\n| a |\n| --- |"


def test_a_card_names_what_the_package_has():
    words = {"problem": "P", "update": "U", "cost": "C", "papers": "S"}
    rows = dict(line[2:-2].split(" | ") for line in card(micra, PUMMA, **words).data.splitlines()[2:])
    assert rows["problem per step"] == "P" and rows["papers"] == "S"
    assert rows["memory"] == "the weights, `t`, `threshold`, `rate`"
    assert rows["bounds"].startswith("`bound_") and rows["bounds"].count("bound_") > 1
    assert rows["class"] == "`marginbook.PUMMA`"
    two = card(perceptron, PUMMA, IdealMargin, memory="nothing", **words).data
    assert "| memory | nothing |" in two
    assert "| classes | `marginbook.PUMMA`, `marginbook.IdealMargin` |" in two
