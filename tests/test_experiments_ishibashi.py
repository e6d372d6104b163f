"""Ishibashi, Hatano and Takeda: margins off a record are those of the weights; each number has one place."""

from collections import Counter

import numpy as np
import pytest

import marginbook
from marginbook.data import synthetic
from marginbook.experiments import ishibashi, printed
from marginbook.experiments.ishibashi import curves, margins
from marginbook.margins import maximum_margin, p_norm_margin

RECORDS = {record.id: record for record in ishibashi.RECORDS}
SMALL = {"n_samples": 60, "n_features": 12, "k": 4, "firmer": 0.05, "epochs": [1, 2, 5, 20, 400]}


def small(norm, seed=0):
    parameters = curves.PARTS[f"{norm}, b = 15"].parameters
    algorithms = {name: options | {"max_iter": 400} for name, options in parameters["algorithms"].items()}
    return curves.run(seed, **parameters | SMALL | {"algorithms": algorithms})


def untimed(values):
    return {name: numbers for name, numbers in values.items() if not name.startswith("seconds")}


@pytest.mark.parametrize("name", list(RECORDS))
def test_every_cell_has_a_place_of_its_own(name):
    for cells in (RECORDS[name].cells, RECORDS[name].readings):
        places = Counter((cell.row, cell.column) for cell in cells)
        assert set(places.values()) == {1}


def test_table_1_has_every_printed_number_once():
    cells = Counter((c.row, *c.column.split(", ", 1)) for c in margins.TABLE_1.cells if c.kind != "claim")
    rows = printed("ishibashi-table-1")
    want = [(row["algorithm"], row["dataset"], "seconds") for row in rows]
    want += [(row["algorithm"], row["dataset"], "100 margin") for row in rows]
    assert cells == Counter(want)


def test_shares_are_quotients_of_printed_numbers():
    shares = {(c.row, c.column): c.value for c in margins.TABLE_1.readings}
    assert shares["PUMMA", "adult-1k, margin / maximum"] == "0.909"
    assert shares["ROMMA", "ionosphere, margin / maximum"] == "0.9953"
    assert shares["PUMMA", "adult-full, margin / maximum"] == "0.99"


def test_the_parameters_are_the_papers():
    for part in margins.SETS:
        parameters = margins.TABLE_1.parts[part].parameters
        assert parameters["noise_control"] == 1.0
        for name in ("PUMMA", "ROMMA"):
            assert parameters["algorithms"][name]["delta"] == 0.01
    assert len(curves.PARTS) == 6
    for part in curves.PARTS.values():
        p = part.parameters
        assert (p["n_samples"], p["n_features"], p["k"], part.runs) == (1000, 100, 16, 10)
        assert {o.get("delta", o.get("alpha")) for o in p["algorithms"].values()} == {0.1}
    biases = {16 - 2 * part.parameters["r"] + 1 for part in curves.PARTS.values()}
    assert biases == {15, 9, 1}


def test_micra_gets_the_parameters_of_the_next_larger_subset():
    of = {name: dict(options)["MICRA"] for name, options in margins._micra()}
    assert (of["adult-1k"]["eta"], of["adult-4k"]["eta"], of["adult-16k"]["eta"]) == (20, 45, 80)
    assert (of["adult-full"]["mini_epochs"], of["house-votes"]["designed"]) == (600, 1)


@pytest.mark.parametrize("norm", list(curves.NORMS))
def test_margins_of_the_record_are_those_of_the_weights(norm):
    values = small(norm)
    assert untimed(small(norm)) == untimed(values)
    p = 2.0 if norm == "p = 2" else 2 * np.log(12)
    sample = synthetic.r_of_k(60, 12, 4, 1, random_state=0)
    radius = np.linalg.norm(sample.data, p, axis=1).max()
    models = {
        "PUMMA": marginbook.PUMMA(p=p, delta=0.1),
        "ALMA": marginbook.ALMA(p=p, alpha=0.1, augment=radius),
        "ROMMA": marginbook.ROMMA(delta=0.1, augment=radius),
    }
    assert ("ROMMA updates" in values) == (norm == "p = 2")
    for name, model in models.items():
        if f"{name} updates" in values:
            for place, epochs in enumerate(SMALL["epochs"]):
                model.set_params(shuffle=False, max_iter=epochs).fit(sample.data, sample.target)
                assert values[f"{name} updates"][place] == model.n_updates_
                margin = p_norm_margin(model, sample.data, sample.target, p)
                np.testing.assert_allclose(values[f"{name} margin"][place], margin, rtol=1e-9, atol=1e-12)


def test_the_maximum_is_enclosed():
    low, high = small("p = 2")["maximum"]
    sample = synthetic.r_of_k(60, 12, 4, 1, random_state=0)
    assert low <= maximum_margin(sample.data, sample.target).margin <= high <= low / 0.95


@pytest.fixture
def made_up():
    """Margins that rise to 1 at the fourth place; an algorithm's spending grows with its rank."""
    values = {}
    for name, part in curves.PARTS.items():
        values[name, "maximum"] = np.tile([0.99, 1.0], (3, 1))
        for rank, label in enumerate(part.parameters["algorithms"]):
            values[name, f"{label} margin"] = np.tile([-0.5, 0.5, 0.89, 0.95], (3, 1))
            values[name, f"{label} converged"] = np.ones((3, 1))
            for series in curves.SERIES.values():
                values[name, series.format(label)] = np.tile([1.0, 2.0, 3.0, 4.0 + rank], (3, 1))
    return values


def test_statements_are_read_off_where_the_margin_is_enough(made_up):
    part = "p = 2, b = 15"
    assert curves._reached(made_up, part, "ALMA", "{} updates").tolist() == [5.0] * 3
    found = curves.derive(made_up)
    assert found[f"{part}: updates, ALMA"].tolist() == [[1.0]] * 3
    assert found["p = 2: gains most at a large bias"].tolist() == [[0.0]] * 3
    made_up[part, "PUMMA margin"] *= 0.9
    assert curves._reached(made_up, part, "PUMMA", "{} updates").tolist() == [np.inf] * 3
    found = curves.derive(made_up)
    assert found[f"{part}: updates, ALMA"].tolist() == found[f"{part}: converges"].tolist() == [[0.0]] * 3


@pytest.mark.parametrize("record", [ishibashi.FIGURE_3, ishibashi.FIGURE_4])
def test_derived_series_are_those_of_the_cells(made_up, record):
    found = record.derive(made_up)
    assert {cell.series for cell in (*record.cells, *record.readings)} <= set(found)
    half = {key: numbers for key, numbers in made_up.items() if key[0] != "p = 2, b = 15"}
    assert set(record.derive(half)) < set(found) | {"p = 2: gains most at a large bias"}


def test_the_figures_draw_what_the_paper_shows(made_up):
    from matplotlib.figure import Figure

    drawn = ishibashi.FIGURE_3.draw(made_up, Figure())
    assert not any("p = 2, b = 9" in name for name in drawn)
    assert drawn["p = 2, b = 1: ROMMA"]["spent"].tolist() == [1.0, 2.0, 3.0, 7.0]
    drawn = ishibashi.FIGURE_4.draw(made_up, Figure())
    assert {name for name in drawn if "p = 2," in name} == {
        f"p = 2, b = {b}: {name}" for b in (15, 9, 1) for name in ("PUMMA", "ROMMA")
    }


@pytest.mark.data("house-votes")
def test_real_data_reach_the_promised_share_of_the_maximum():
    part = margins.TABLE_1.parts["house-votes"]
    values = part.run(0, **part.parameters)
    for name in ("PUMMA", "ROMMA"):
        assert 0.99 <= values[f"{name} margin"][0] / values["maximum"][0] <= 1.0
    np.testing.assert_allclose(values["LIBSVM margin"], values["maximum"], rtol=1e-3)
    stored = {("house-votes", series): np.array([numbers], float) for series, numbers in values.items()}
    found = margins.derive(stored)
    shown = {c.series for c in margins.TABLE_1.cells + margins.TABLE_1.readings if "house-votes" in c.series}
    assert shown == found.keys() - {"house-votes: PUMMA, delta = 0.1"}


@pytest.mark.data("a9a")
def test_maxima_of_subsets_are_those_of_their_rows():
    part = margins.TABLE_1.parts["Adult, random rows"]
    one, other = (part.run(seed, **part.parameters | {"sizes": [500]})["maximum"] for seed in (0, 1))
    assert one != other
    first = part.run(0, **part.parameters | {"sizes": [1000], "shuffled": False})["maximum"][0]
    assert round(first, 4) == 0.0520
