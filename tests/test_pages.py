"""Numbers and tables that a cell hands to its page."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from myst_nb import glue

from marginbook.pages import put, table


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
