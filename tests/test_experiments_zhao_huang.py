"""Zhao and Huang's records read every published number, and measure what they say."""

import numpy as np
import pytest

import marginbook
from marginbook.data import synthetic as generators
from marginbook.experiments import zhao_huang
from marginbook.experiments.record import DERIVED, printed
from marginbook.experiments.verdicts import compare_cell
from marginbook.experiments.zhao_huang import boxes, images, pictures, rates, synthetic

BOX = {"n_samples": 600, "n_features": 3, "side": 10.0, "gap": 0.5}
SMALL = {"boxes": 2, "box": BOX, "common": synthetic.COMMON}


@pytest.mark.parametrize("record", zhao_huang.RECORDS, ids=lambda record: record.id)
def test_no_cell_is_read_twice_and_each_has_runs(record):
    for cells in record.cells, record.readings:
        assert len({(cell.row, cell.column) for cell in cells}) == len(cells)
    known = {*record.parts, *record.borrows, DERIVED}
    assert all(cell.part in known for cell in (*record.cells, *record.readings) if cell.kind != "quoted")


def test_the_cells_of_table_2_are_its_numbers():
    lines, record = printed("zhao-huang-table-2"), images.TABLE_2
    values = [cell.value for cell in record.cells if cell.kind != "count"]
    assert sorted(values) == sorted(line["test_error_percent"] for line in lines)
    counts = {line["row"]: line["updates_after_5_epochs"] for line in lines if line["epoch"]}
    assert sorted(counts.values()) == sorted(cell.value for cell in record.cells if cell.kind == "count")
    assert [cell.row for cell in record.cells if cell.value == "27201"] == ["bin AMIRA(0.5)"]


def test_the_cells_of_table_3_are_its_numbers():
    lines, record = printed("zhao-huang-table-3"), images.TABLE_3
    errors = [cell.value for cell in record.cells if cell.kind == "error"]
    assert errors == [line["test_error_percent"] for line in lines]
    counts = [cell.value for cell in record.cells if cell.kind == "count"]
    assert counts == [line["updates"] for line in lines if line["epoch"] == "4"]


def test_the_kernels_are_the_papers():
    assert images.USPS["gamma"] == pytest.approx(1 / (2 * 3.5**2)) and images.USPS["shuffle"] is True
    assert images.MNIST["gamma"] * 255**2 == pytest.approx(1.0) and images.MNIST["shuffle"] == "once"
    assert {part.parameters["noise_control"] for part in images.PARTS_3.values()} == {5e5}
    assert [images.TABLE_2.parts[part].runs for part in images.ROWS_2.values()] == [10] * 12
    assert {part.runs for part in images.PARTS_3.values()} == {5}


def test_the_best_epoch_is_that_of_the_mean_curve():
    errors = np.array([[3.0, 1.0, 2.0], [1.0, 3.0, 1.0]])  # mean 2, 2, 1.5
    derived = images.best({("p", "last"): errors, ("p", "updates"): errors})
    assert derived["p, last"].tolist() == [[2.0], [1.0]]
    assert derived["p, last, each"].tolist() == [[1.0], [1.0]]
    assert set(derived) == {"p, last", "p, last, each"}


def test_the_few_rows_that_decide_give_the_maximum_margin_of_all():
    for seed in range(3):
        sample = generators.box(**BOX, random_state=seed)
        X, y = sample.data, sample.target
        worst = -y * (X @ sample.separator + sample.bias)  # a start that could not be worse
        for options in {"bias": True}, {"bias": False, "augment": 1.0}:
            whole = marginbook.maximum_margin(X, y, **options).margin
            assert boxes.largest_margin(X, y, worst, **options) == pytest.approx(whole, rel=2e-6)


def test_runs_see_different_boxes_and_give_the_same_numbers_again():
    algorithms = {"0.5": synthetic.AMIRA["0.5"]}
    runs = [boxes.boxes_run(seed, algorithms=algorithms, **SMALL) for seed in (0, 1, 0)]
    assert runs[0] == runs[2]
    margins = np.concatenate([run["margin 0.5"] for run in runs[:2]])
    assert len(np.unique(margins)) == 4 and (0.0 < margins).all() and (margins <= 1.0 + 1e-6).all()
    assert runs[0]["converged 0.5"] == [1, 1]


def test_a_smaller_eps_gives_a_larger_margin_and_more_updates_within_the_bound():
    run = boxes.boxes_run(0, algorithms=synthetic.AMIRA, augmented=True, **SMALL)
    for kind in "margin", "updates":
        first, last = run[f"{kind} 1"], run[f"{kind} 0.1"]
        assert (np.array(first) < last).all()
    assert (np.array(run["updates 0.1"]) <= np.array(run["hardness"]) * 1.9 / 0.1).all()


def fake_boxes(rng):
    values = {}
    for part, exponent in ("AMIRA", 1.0), ("ROMMA", 2.0):
        values[part, "hardness"] = np.full((10, 10), 1e6)
        for eps in synthetic.GRID:
            values[part, f"margin {eps:g}"] = 1.0 - eps / 2 * rng.uniform(0.9, 1.0, (10, 10))
            values[part, f"updates {eps:g}"] = np.full((10, 10), 1000.0 / eps**exponent)
    values["PA", "converged 0"] = np.zeros((10, 1))
    return values


def test_the_statements_about_figure_3_are_those_of_the_curves():
    values = fake_boxes(np.random.default_rng(0))
    for record, expected in (
        (synthetic.FIGURE_3A, ["reproduced"] * 4),
        (
            synthetic.FIGURE_3B,
            ["reproduced", "differs", "reproduced", "reproduced", "reproduced", "reproduced", "reproduced"],
        ),
    ):
        stored = values | {(DERIVED, name): numbers for name, numbers in record.derive(values).items()}
        verdicts = [
            compare_cell(cell, stored[cell.part, cell.series][:, cell.place]) for cell in record.cells
        ]
        assert [verdict.verdict for verdict in verdicts] == expected
    exponents = [synthetic.updates(values)[f"{part} exponent"].item() for part in ("AMIRA", "ROMMA")]
    assert exponents == pytest.approx([1.0, 2.0])


def test_figure_3_draws_what_was_derived():
    from matplotlib.figure import Figure

    values = fake_boxes(np.random.default_rng(1))
    for record in synthetic.FIGURE_3A, synthetic.FIGURE_3B:
        values |= {(DERIVED, name): numbers for name, numbers in record.derive(values).items()}
    drawn = synthetic.FIGURE_3A.draw(values, Figure())
    assert drawn["mean AMIRA"] == pytest.approx(values[DERIVED, "AMIRA margin"].mean(axis=0))
    assert (drawn["smallest ROMMA"] <= drawn["largest ROMMA"]).all() and drawn["bound"][0] == 0.0
    drawn = synthetic.FIGURE_3B.draw(values, Figure())
    assert drawn["mean ROMMA"] == pytest.approx(1000.0 / np.array(synthetic.GRID) ** 2)


def test_figure_2_draws_shares_that_add_up():
    from matplotlib.figure import Figure

    reached = {"a": np.array([-3.0, 0.02, 0.03, 0.97]), "b": np.full(4, 0.52)}
    drawn = pictures.draw_shares(reached, Figure())
    assert drawn["share a"].sum() == pytest.approx(1.0) and drawn["share a"][0] == 0.25
    assert drawn["share b"].max() == 1.0 and drawn["error b"].max() == 0.0


def test_the_sphere_has_unit_rows_beyond_the_gap():
    X, y = rates.sphere(0, n_samples=50, n_features=4, gap=0.2)
    assert np.linalg.norm(X, axis=1) == pytest.approx(np.ones(50))
    assert (y * X[:, 0] >= 0.2).all() and len(np.unique(y)) == 2


def test_a_rate_is_the_slope_of_the_smallest_eps():
    eps, values = np.array(rates.EPS), {("margins", "hardness"): np.full((2, 1), 100.0)}
    for label, exponent in zip(rates.ALGORITHMS, (1.0, 2.0, 1.0, 0.5), strict=True):
        values["margins", f"updates {label}"] = np.tile(50.0 / eps**exponent, (2, 1))
        values["margins", f"margin {label}"] = np.tile(1.0 - eps / 2, (2, 1))
    values["perceptron", "updates Perceptron"] = np.full((2, 1), 50.0)
    values["perceptron", "hardness"] = np.full((2, 1), 100.0)
    values["Pegasos", "excess"] = np.tile(1.0 / np.array(rates.EPOCHS), (2, 1))
    derived = rates.rates(values)
    measured = [derived[f"{label} exponent"][0, 0] for label in rates.ALGORITHMS]
    assert measured == pytest.approx([1.0, 2.0, 1.0, 0.5])
    assert derived["Pegasos exponent"][1, 0] == pytest.approx(1.0)
    assert derived["perceptron"].tolist() == [[0.5], [0.5]]
    assert derived["fewest"].all() and not derived["only"].any() and derived["AMIRA ratio"].all()
    at_a_tenth = derived["ROMMA at"][0, 0]  # the margin lacks eps / 2
    assert at_a_tenth == pytest.approx(50.0 / 0.2)
    stored = values | {(DERIVED, name): numbers for name, numbers in derived.items()}
    assert all((cell.part, cell.series) in stored for cell in rates.TABLE_1.readings)
    from matplotlib.figure import Figure

    drawn = rates.TABLE_1.draw(stored, Figure())
    assert drawn["deficit ALMA"] == pytest.approx(eps / 2)


def test_pegasos_nears_the_least_objective():
    sample = {"n_samples": 200, "n_features": 4, "gap": 0.2}
    excess = rates.objective_run(0, sample=sample, lam=0.05, epochs=[1, 8, 64])["excess"]
    assert 0.0 < excess[2] < excess[1] < excess[0]
