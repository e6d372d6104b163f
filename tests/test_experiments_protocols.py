"""Hypotheses read off one run, epoch by epoch, are those of runs that end there."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

from marginbook import ALMA, AMIRA, MICRA, PUMMA, ROMMA, Pegasos, Perceptron
from marginbook.experiments import protocols

KINDS = ("averaged", "last", "voted")
POLY = dict(kernel="poly", degree=2, coef0=1.0, gamma=1 / 256, random_state=3, max_iter=3)
RBF = dict(kernel="rbf", gamma=0.002, random_state=4, max_iter=3)

ESTIMATORS = {
    "perceptron": Perceptron(**POLY, shuffle="once"),
    "perceptron, noise control, augmented": Perceptron(**RBF, noise_control=0.3, augment=2.0),
    "ROMMA from the bias": ROMMA(**POLY, start="bias", shuffle="once"),
    "aggressive ROMMA from the bias, noise control": ROMMA(
        **POLY, delta=0.0, start="bias", noise_control=0.5, augment=0.5
    ),
    "ALMA": ALMA(**POLY, alpha=0.8, B="experiments"),
    "AMIRA": AMIRA(**RBF, noise_control=0.1),
    "AMIRA on mistakes, augmented": AMIRA(**POLY, epsilon=1.0, augment=1.0),
    "Pegasos": Pegasos(**RBF, lam=1e-3),
    "Pegasos projected, noise control, augmented": Pegasos(
        **POLY, lam=0.01, project=True, noise_control=0.2, augment=3.0
    ),
    "MICRA": MICRA(**RBF),
    "PUMMA": PUMMA(**RBF, delta=0.5),
}


def digits(n_classes):
    X, y = load_digits(n_class=n_classes, return_X_y=True)
    y = y + 5  # labels are not their own ranks
    return Bunch(data=X[:200], target=y[:200], data_test=X[200:500], target_test=y[200:500])


@pytest.mark.parametrize("n_classes", [10, 2])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_each_epoch_is_that_of_a_run_that_ends_there(name, n_classes, monkeypatch):
    estimator, sample = ESTIMATORS[name], digits(n_classes)
    monkeypatch.setattr(protocols, "BLOCK_BYTES", 1 << 15)  # several blocks of test examples
    counts = protocols.sample_epochs(clone(estimator), sample, KINDS)
    assert list(counts) == ["mistakes", "updates", *KINDS]
    for epoch in range(3):
        for kind in KINDS:
            alone = clone(estimator).set_params(max_iter=epoch + 1, hypothesis=kind)
            alone.fit(sample.data, sample.target)
            wrong = np.count_nonzero(alone.predict(sample.data_test) != sample.target_test)
            assert counts[kind][epoch] == wrong
        assert counts["mistakes"][epoch] == alone.n_mistakes_
        assert counts["updates"][epoch] == alone.n_updates_


def test_hypotheses_may_be_asked_for_one_by_one():
    sample, estimator = digits(10), ESTIMATORS["aggressive ROMMA from the bias, noise control"]
    counts = protocols.sample_epochs(clone(estimator), sample, KINDS)
    for kind in KINDS:
        few = protocols.sample_epochs(clone(estimator), sample, [kind])
        assert few == {series: counts[series] for series in ("mistakes", "updates", kind)}


@pytest.mark.parametrize("n_classes", [10, 2])
def test_all_classes_together_have_a_last_and_an_averaged_hypothesis(n_classes):
    estimator, sample = AMIRA(**POLY, multiclass="1-best"), digits(n_classes)
    counts = protocols.sample_epochs(clone(estimator), sample, ["last", "averaged"])
    for kind in ("last", "averaged"):
        alone = clone(estimator).set_params(hypothesis=kind).fit(sample.data, sample.target)
        assert counts[kind][-1] == np.count_nonzero(alone.predict(sample.data_test) != sample.target_test)


@pytest.mark.parametrize(
    "refused, hypotheses, says",
    [
        (MICRA(**RBF, mini_epochs=2), ["last"], "mini-epochs"),
        (AMIRA(**POLY, multiclass="1-best"), ["last", "voted"], "vote for a class"),
    ],
)
def test_runs_that_cannot_be_read_off_are_refused(refused, hypotheses, says):
    with pytest.raises(ValueError, match=says):
        protocols.sample_epochs(refused, digits(10), hypotheses)


@pytest.mark.parametrize("name", ["perceptron", "aggressive ROMMA from the bias, noise control", "Pegasos"])
def test_problems_run_one_by_one_are_those_that_share_an_order(name):
    estimator, sample = clone(ESTIMATORS[name]).set_params(shuffle=False), digits(10)
    together = protocols.sample_epochs(estimator, sample, KINDS)
    assert protocols.own_orders(estimator, sample, KINDS) == together


def test_each_problem_has_an_order_of_its_own():
    estimator, sample = clone(ESTIMATORS["perceptron"]), digits(10)
    mistakes = []
    for rank in range(10):
        one = clone(estimator).set_params(random_state=3000 + rank)
        one.fit(sample.data, np.where(sample.target == rank + 5, 1, -1))
        mistakes.append(one.n_mistakes_)
    assert protocols.own_orders(estimator, sample, ["last"])["mistakes"][-1] == sum(mistakes)
