"""Pegasos shrinks at every trial, and its regret keeps the bound of strongly convex losses."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close
from sklearn.datasets import load_iris
from sklearn.svm import LinearSVC

from marginbook import Pegasos
from marginbook.hypotheses import dual_coefficients
from marginbook.rules import pegasos

seeded = settings(derandomize=True, deadline=None, max_examples=25)


def transcription(G, y, orders, lam, project):
    """On coefficients of the examples: the weights before each trial, the last ones, the violations."""
    coef, before, violations, t = np.zeros(len(G)), [], 0, 0
    for order in orders:
        for i in order:
            t += 1
            before.append(coef)
            violated = y[i] * (G[i] @ coef) < 1
            violations += violated
            coef = (1 - 1 / t) * coef
            coef[i] += violated * y[i] / (lam * t)
            norm = math.sqrt(max(coef @ G @ coef, 0.0))
            if project and norm * math.sqrt(lam) > 1:
                coef = coef / (norm * math.sqrt(lam))
    return np.array(before), coef, violations


def data(seed=0, n=50):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)) * rng.uniform(0.3, 2.0, (n, 1))
    y = np.where(X @ rng.standard_normal(3) + 0.5 * rng.standard_normal(n) > 0, 1.0, -1.0)
    X[7] = 0.0  # a zero row is an ordinary trial
    return X, y


@pytest.mark.parametrize("noise", [0.0, 0.6])
@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("lam", [0.01, 0.5])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_transcription_gives_the_same_hypotheses(kernel, lam, project, noise):
    X, y = data()
    K = X @ X.T if kernel == "linear" else np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    options = dict(lam=lam, project=project, kernel=kernel, gamma=0.3, noise_control=noise, max_iter=3)
    model = Pegasos(**options, random_state=5, record_trace=True).fit(X, y)
    orders = list(model._orders(50))
    before, last, violations = transcription(K + noise * np.eye(50), y, orders, lam, project)
    after = np.vstack([before[1:], last])
    assert model.n_updates_ == violations
    assert model.history_[-1].norm == pytest.approx(
        math.sqrt(last @ (K + noise * np.eye(50)) @ last), rel=1e-9
    )
    close(model.decision_function(X), K @ last, 1e-9)
    averaged = Pegasos(**options, random_state=5, hypothesis="averaged").fit(X, y)
    close(averaged.decision_function(X), K @ after.mean(axis=0), 1e-9)
    voted = Pegasos(**options, random_state=5, hypothesis="voted").fit(X, y)
    scores = np.where(abs(after @ K) > 1e-12, after @ K, 0.0)
    close(voted.decision_function(X), np.sign(scores).mean(axis=0), 1e-12)
    for kind, coef in ("last", last), ("averaged", after.mean(axis=0)):  # and from the trace alone
        support = np.arange(50)
        read = dual_coefficients(model.trace_, support, 1, 150, kind, fades=True)
        close(read[0], coef, 1e-9)


def test_pieces_of_a_stream_fade_as_the_whole_does():
    X, y = data()
    for hypothesis in ("last", "averaged"):
        options = dict(lam=0.1, hypothesis=hypothesis, record_trace=True)
        whole, pieces = Pegasos(**options).partial_fit(X, y), Pegasos(**options)
        for part in np.split(np.arange(50), [3, 8, 30, 31]):  # pieces without an update among them
            pieces.partial_fit(X[part], y[part], classes=[-1, 1])
        close(pieces.coef_, whole.coef_, 1e-9)


def test_epochs_without_a_violation_still_shrink():
    X, y = np.array([[3.0], [-3.0]]), [1, -1]
    model = Pegasos(lam=0.05, shuffle=False, max_iter=6, record_trace=True).fit(X, y)
    assert model.n_iter_ == 6 and model.converged_ and model.history_[-1].updates == 0
    norms = [row.norm for row in model.history_]
    assert norms[-1] < norms[-2]


def test_every_class_is_a_problem_of_its_own():
    X, y = load_iris(return_X_y=True)
    for hypothesis in ("last", "averaged", "voted"):
        options = dict(lam=0.01, shuffle=False, max_iter=2, hypothesis=hypothesis)
        together = Pegasos(**options).fit(X, y).decision_function(X)
        for k in range(3):
            close(Pegasos(**options).fit(X, y == k).decision_function(X), together[:, k], 1e-12)


@seeded
@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.1, 2.0]), st.booleans(), st.integers(1, 4))
def test_the_regret_keeps_its_bound(seed, lam, project, epochs):
    rng = np.random.default_rng(seed)
    X, y = data(seed)
    before, _, _ = transcription(X @ X.T, y, [rng.permutation(50) for _ in range(epochs)], lam, project)
    rng = np.random.default_rng(seed)
    index = np.concatenate([rng.permutation(50) for _ in range(epochs)])
    W, trials = before @ X, 50 * epochs
    losses = np.maximum(0, 1 - y[index] * (W * X[index]).sum(axis=1)) + lam / 2 * (W**2).sum(axis=1)
    svm = LinearSVC(loss="hinge", C=1 / (lam * 50), fit_intercept=False, max_iter=10**5, tol=1e-8)
    u = svm.fit(X, y).coef_[0]
    comparator = np.maximum(0, 1 - y[index] * (X[index] @ u)).mean() + lam / 2 * u @ u
    bound = pegasos.bound_regret(np.linalg.norm(X, axis=1).max(), lam, trials, project)
    assert losses.mean() - comparator <= bound
    assert math.sqrt(lam) * np.linalg.norm(u) <= 1 + 1e-6  # the minimiser lies in the ball


def test_the_regret_bound_is_nearly_met_by_alternating_labels():
    X, y = np.ones((400, 1)), np.where(np.arange(400) % 2, 1.0, -1.0)
    before, _, _ = transcription(X @ X.T, y, [np.arange(400)], 1.0, True)
    losses = np.maximum(0, 1 - y * (before @ X)[:, 0]) + (before @ X)[:, 0] ** 2 / 2
    regret = losses.mean() - 1.0  # of u = 0
    assert 0.1 < regret / pegasos.bound_regret(1.0, 1.0, 400) <= 1.0


def test_the_objective_nears_the_optimum():
    X, y = data(3, n=300)
    lam = 0.05
    svm = LinearSVC(loss="hinge", C=1 / (lam * 300), fit_intercept=False, max_iter=10**5, tol=1e-8).fit(X, y)

    def objective(w):
        return lam / 2 * w @ w + np.maximum(0, 1 - y * (X @ w)).mean()

    best = objective(svm.coef_[0])
    gaps = [
        objective(Pegasos(lam=lam, hypothesis="averaged", random_state=0, max_iter=e).fit(X, y).coef_[0])
        - best
        for e in (1, 10, 100)
    ]
    assert gaps[0] > gaps[1] > gaps[2] > 0 and gaps[2] < 0.02 * best


@pytest.mark.parametrize("lam, trials", [(0.0, 1), (1.0, 0)])
def test_the_bound_refuses_what_it_does_not_bound(lam, trials):
    with pytest.raises(ValueError, match="must be positive"):
        pegasos.bound_regret(1.0, lam, trials)
