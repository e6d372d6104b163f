"""Averaged and voted hypotheses equal their definitions over all trials."""

from itertools import product

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


def test_mistakes_of_a_pass_bound_the_error_of_a_random_hypothesis_and_of_the_vote():
    # Three noisy pairs, equally likely: all 3^4 samples of n + 1 = 4 are enumerated.
    X, y = np.array([[1.0, 0.0], [1.0, 2.0], [-0.5, 1.0]]), np.array([1.0, -1.0, 1.0])
    mistakes = single = vote = 0.0
    for sample in product(range(3), repeat=4):
        W = [np.zeros(2)]
        for i in sample:
            wrong = y[i] * (W[-1] @ X[i]) <= 0
            mistakes += wrong
            W.append(W[-1] + wrong * y[i] * X[i])
        scores = y[i] * (W[:4] @ X[i])  # of the hypotheses before the last pair, on it
        single += np.mean(scores <= 0)
        vote += np.sign(scores).sum() <= 0
    assert single / 81 == pytest.approx(hypotheses.bound_error(mistakes / 81, 3), rel=1e-12)
    assert 0 < vote / 81 <= hypotheses.bound_error(mistakes / 81, 3, voted=True)


def test_more_mistakes_than_examples_are_refused():
    with pytest.raises(ValueError, match="between 0 and n"):
        hypotheses.bound_error(5, 3)
