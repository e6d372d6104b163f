"""The MNIST tables of Li and Long and of Gentile: every printed number has one place, every part its rule."""

from collections import Counter

import numpy as np
import pytest
from oracles import close
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

import marginbook
from marginbook.experiments import gentile, li_long, printed, protocols

RECORDS = {record.id: record for record in (li_long.TABLE_1, gentile.TABLE_1)}
PARTS = [(record.id, part) for record in RECORDS.values() for part in record.parts]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Digits of 8 x 8 pixels in place of MNIST, with as many grey levels."""
    X, y = load_digits(return_X_y=True)
    X *= 15.0
    sample = Bunch(data=X[:300], target=y[:300], data_test=X[300:600], target_test=y[300:600])
    monkeypatch.setattr(protocols.data, "load", {"mnist": sample}.__getitem__)


def run(name, part, seed=0, **changes):
    chosen = RECORDS[name].parts[part]
    return chosen.run(seed, **(chosen.parameters | changes))


@pytest.mark.parametrize("name, count", [("li-long-table-1", "mistakes"), ("gentile-table-1", "corrections")])
def test_every_printed_number_has_one_cell(name, count):
    cells = RECORDS[name].cells
    assert len({(cell.row, cell.column) for cell in cells}) == len(cells)
    of = Counter(
        (int(row["epoch"]) - 1, row[key]) for row in printed(name) for key in ("test_error_percent", count)
    )
    assert Counter((cell.place, cell.value) for cell in cells) == of
    kinds = Counter(cell.kind for cell in cells)
    assert kinds == {"error": len(printed(name)), "count": len(printed(name))}


@pytest.mark.parametrize("name, part", PARTS)
def test_a_run_holds_what_the_cells_read_and_recurs(name, part):
    values = run(name, part)
    epochs = RECORDS[name].parts[part].parameters["max_iter"]
    assert all(len(numbers) == epochs for numbers in values.values())
    assert {cell.series for cell in RECORDS[name].cells if cell.part == part} <= set(values)
    assert run(name, part) == values
    assert run(name, part, seed=1) != values


@pytest.mark.parametrize("name, part", PARTS)
def test_counts_are_cumulative_and_margin_updates_no_mistakes(name, part):
    values, options = run(name, part), RECORDS[name].parts[part].parameters
    assert (np.diff(values["mistakes"]) >= 0).all() and (np.diff(values["updates"]) >= 0).all()
    on_mistakes_alone = options.get("delta", 1.0) == 1.0 and options.get("alpha", 1.0) == 1.0
    assert (values["updates"] == values["mistakes"]) == on_mistakes_alone
    assert values["updates"][0] >= values["mistakes"][0]


@pytest.mark.parametrize(
    "name, part, form",
    [
        ("li-long-table-1", "percep", lambda x, y: (1 + x @ y.T) ** 4),
        ("li-long-table-1", "ROMMA", lambda x, y: (1 + (x / 1100) @ (y / 1100).T) ** 4),
        ("gentile-table-1", "ALMA_2(0.9)", lambda x, y: (1 + x @ y.T / 255) ** 4),
    ],
)
def test_kernels_are_the_papers(name, part, form):
    sample = protocols.data.load("mnist")
    options = RECORDS[name].parts[part].parameters
    kernel = marginbook.kernels.Kernel(*(options[key] for key in ("kernel", "gamma", "degree", "coef0")))
    close(kernel(sample.data, sample.data_test), form(sample.data, sample.data_test), 1e-12)


def test_alma_has_the_constants_of_the_experiments():
    for alpha in (1.0, 0.9, 0.8):
        options = dict(gentile.PARTS[f"ALMA_2({alpha})"].parameters)
        explicit = run("gentile-table-1", f"ALMA_2({alpha})", B=1 / alpha, C=2**0.5, alpha=alpha)
        assert explicit == run("gentile-table-1", f"ALMA_2({alpha})") and options["alpha"] == alpha


def test_gentile_quotes_three_epochs_of_li_and_long():
    four = run("li-long-table-1", "agg-ROMMA(NC)")
    three = run("li-long-table-1", "agg-ROMMA(NC)", max_iter=3)
    assert three == {series: ints[:3] for series, ints in four.items()}
    assert gentile.TABLE_1.borrows == {"agg-ROMMA(NC)": ("li-long-table-1", "agg-ROMMA(NC)")}
    quoted = [
        cell.value for cell in gentile.TABLE_1.cells if cell.part == "agg-ROMMA(NC)" and cell.kind == "error"
    ]
    original = [
        cell.value for cell in li_long.TABLE_1.cells if cell.part == "agg-ROMMA(NC)" and cell.kind == "error"
    ]
    assert quoted == original[:3]
