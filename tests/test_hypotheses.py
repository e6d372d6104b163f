"""Averaged and voted hypotheses equal their definitions over all trials."""

import numpy as np
import pytest
from oracles import close
from sklearn.datasets import load_digits
from test_engines import RULES, problem, run, textbook

from marginbook import Perceptron, hypotheses
from marginbook.engines.kernel import KernelEngine
from marginbook.engines.linear import LinearEngine
from marginbook.kernels import Kernel


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("noise, rho", [(0.0, 0.0), (0.5, 0.5)])
def test_averaged_is_the_mean_over_all_trials(rule, noise, rho):
    X, Y, orders = problem()
    _, history, _ = textbook(*RULES[rule], X @ X.T, Y, orders, noise, rho)
    mean = history.mean(axis=0)
    options = dict(noise=noise, rho=rho, average=True)
    flat = LinearEngine(*RULES[rule], 3, 6, **options)
    run(flat, X, Y, orders)
    close(flat.averaged_weights()[0], mean @ X, 1e-9)
    close(flat.averaged_weights()[1], rho**2 * mean.sum(axis=1), 1e-9)
    curved = KernelEngine(*RULES[rule], 3, kernel=Kernel(), cache_bytes=0, **options)
    run(curved, X, Y, orders)
    close(curved.averaged_weights()[0], mean[:, curved.supports.index], 1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_trace_gives_the_hypotheses_of_any_moment(rule):
    X, Y, orders = problem()
    _, history, _ = textbook(*RULES[rule], X @ X.T, Y, orders)
    engine = KernelEngine(*RULES[rule], 3, kernel=Kernel(), cache_bytes=0, record=True)
    run(engine, X, Y, orders)
    support = engine.supports.index
    for stop in (1, 50, 90, 217, 270):
        last = hypotheses.dual_coefficients(engine.trace, support, 3, stop)
        close(last, history[stop - 1][:, support], 1e-9)
        averaged = hypotheses.dual_coefficients(engine.trace, support, 3, stop, "averaged")
        close(averaged, history[:stop].mean(axis=0)[:, support], 1e-9)


@pytest.mark.parametrize("rule", ["perceptron", "decay", "forget"])
def test_votes_are_the_signs_of_all_hypotheses(rule):
    X, Y, orders = problem()
    new = np.random.default_rng(5).standard_normal((40, 6))
    _, history, _ = textbook(*RULES[rule], X @ X.T, Y, orders)
    engine = LinearEngine(*RULES[rule], 3, 6, record=True)
    run(engine, X, Y, orders)
    support = engine.supports.index
    for stop in (60, 270):
        explicit = np.sign(np.einsum("tpi,ij,kj->tkp", history[:stop], X, new)).mean(axis=0)
        ours = hypotheses.votes(new @ X[support].T, engine.trace, support, 3, stop)
        np.testing.assert_allclose(ours, explicit, atol=1e-12)


def test_a_zero_score_abstains():
    model = Perceptron(hypothesis="voted", shuffle=False, max_iter=1)
    model.fit([[0.0, 1.0], [1.0, 0.0]], [1, 0])
    assert model.decision_function([[1.0, 0.0]])[0] == -0.5  # the first hypothesis abstains, the second votes
    assert model.decision_function([[0.0, 2.0]])[0] == 1.0


@pytest.mark.parametrize("hypothesis", ["last", "averaged", "voted"])
def test_linear_and_kernel_form_predict_alike(hypothesis):
    X, y = load_digits(return_X_y=True)
    options = dict(hypothesis=hypothesis, augment=2.0, noise_control=3.0, random_state=0, max_iter=2)
    flat = Perceptron(**options).fit(X[:600], y[:600])
    gram = Perceptron(kernel="precomputed", **options).fit(X[:600] @ X[:600].T, y[:600])
    curved = Perceptron(kernel="poly", degree=1, gamma=1.0, coef0=0.0, **options).fit(X[:600], y[:600])
    expected = flat.decision_function(X[600:])
    close(curved.decision_function(X[600:]), expected, 1e-9)
    close(gram.decision_function(X[600:] @ X[:600].T), expected, 1e-9)


def test_blocks_of_predictions_change_nothing(monkeypatch):
    X, y = load_digits(return_X_y=True)
    model = Perceptron(kernel="rbf", hypothesis="voted", random_state=0, max_iter=1).fit(X[:400], y[:400])
    whole = model.decision_function(X)
    monkeypatch.setattr("marginbook.estimators.base.PREDICT_BYTES", 8 * 10 * len(model.support_))
    np.testing.assert_array_equal(model.decision_function(X), whole)
