"""The record behind the chapter on MNIST: which images are missed, and how they fit the tables."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from marginbook import experiments
from marginbook.experiments import mnist, protocols

TABLES = {  # part of the table that a part about missed images repeats
    "missed: percep": "li-long-table-1",
    "missed: ROMMA": "li-long-table-1",
    "missed: agg-ROMMA(NC)": "li-long-table-1",
    "missed: ALMA_2(1.0)": "gentile-table-1",
    "missed: ALMA_2(0.8)": "gentile-table-1",
    "missed: Avg. Perceptron": "zhao-huang-table-3",
    "missed: bin AMIRA(0.9)": "zhao-huang-table-3",
}
MISSED = [part for part in mnist.PARTS if part.startswith("missed")]


def table_part(part):
    return part.removeprefix("missed: ").removeprefix("Avg. ")


@pytest.fixture
def small(monkeypatch):
    """Digits of 8 x 8 pixels in place of MNIST, with as many grey levels."""
    X, y = load_digits(return_X_y=True)
    X *= 15.0
    sample = Bunch(data=X[:300], target=y[:300], data_test=X[300:600], target_test=y[300:600])
    monkeypatch.setattr(protocols.data, "load", {"mnist": sample}.__getitem__)
    return sample


def kinds(part):
    return mnist.PARTS[part].parameters["hypotheses"]


def test_every_part_about_missed_images_has_its_table():
    assert sorted(MISSED) == sorted(TABLES)


@pytest.mark.parametrize("part", MISSED[:1])  # a small run: all parts have the same function
def test_missed_images_are_as_many_as_the_protocol_of_the_tables_counts(small, part):
    again = experiments.run_once("mnist-detail", part, 0)
    counted = experiments.run_once(TABLES[part], table_part(part), 0)
    assert again["updates"][0] == counted["updates"][-1]
    assert 0 < again["supports"][0] <= min(len(small.data), again["updates"][0])
    for kind in kinds(part):
        missed, given = (np.array(again[f"{series} {kind}"]) for series in ("missed", "given"))
        assert np.count_nonzero(missed >= 0) == counted[kind][-1] and len(missed) == mnist.WIDTH
        assert np.array_equal(missed >= 0, given >= 0)
        assert (given[missed >= 0] != small.target_test[missed[missed >= 0]]).all()


@pytest.mark.parametrize("part", MISSED)
def test_stored_missed_images_are_as_many_as_the_stored_errors_of_the_table(part):
    detail, table = experiments.values("mnist-detail"), experiments.values(TABLES[part])
    owner = table_part(part)
    assert detail[part, "updates"][0, 0] == table[owner, "updates"][0, -1]
    for kind in kinds(part):
        assert np.count_nonzero(detail[part, f"missed {kind}"][0] >= 0) == table[owner, kind][0, -1]


def test_noise_control_leaves_the_first_epoch_of_the_perceptron_alone():
    """The private coordinate of an example that has not come before is not in the weights."""
    plain = experiments.values("mnist-detail")["degree 4", "mistakes"][:, 0]
    controlled = experiments.values("zhao-huang-table-3")["Perceptron", "mistakes"][:, 0]
    assert plain.tolist() == controlled[: len(plain)].tolist()


def test_more_missed_images_than_there_is_room_for_are_refused(small, monkeypatch):
    monkeypatch.setattr(mnist, "WIDTH", 3)
    with pytest.raises(ValueError, match="no room for more than 3"):
        experiments.run_once("mnist-detail", MISSED[0], 0)


def test_a_record_without_cells_is_not_on_the_scoreboard():
    assert "mnist-detail" in experiments.names()
    assert "mnist-detail" not in experiments.scoreboard().tables
    assert experiments.compare("mnist-detail").rows == []
