"""Pegasos shrinks at every trial, and its regret keeps the bound of strongly convex losses."""

import math
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close
from sklearn.datasets import load_iris
from sklearn.svm import LinearSVC

from marginbook import Pegasos
from marginbook.hypotheses import coefficients, dual_coefficients, empty_trace, left_over, reciprocals
from marginbook.rules import pegasos

seeded = settings(derandomize=True, deadline=None, max_examples=25)


def transcription(G, y, orders, lam, project):
    """On coefficients of the examples: the weights before each trial, the last ones, violations, mistakes."""
    coef, before, violations, mistakes, t = np.zeros(len(G)), [], 0, 0, 0
    for order in orders:
        for i in order:
            t += 1
            before.append(coef)
            violated = y[i] * (G[i] @ coef) < 1
            violations, mistakes = violations + violated, mistakes + (y[i] * (G[i] @ coef) <= 0)
            coef = (1 - 1 / t) * coef
            coef[i] += violated * y[i] / (lam * t)
            norm = math.sqrt(max(coef @ G @ coef, 0.0))
            if project and norm * math.sqrt(lam) > 1:
                coef = coef / (norm * math.sqrt(lam))
    return np.array(before), coef, violations, mistakes


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
    before, last, violations, mistakes = transcription(K + noise * np.eye(50), y, orders, lam, project)
    after = np.vstack([before[1:], last])
    assert model.n_updates_ == violations and model.n_mistakes_ == mistakes
    assert model.history_[-1].norm == pytest.approx(
        math.sqrt(last @ (K + noise * np.eye(50)) @ last), rel=1e-9
    )
    close(model.decision_function(X), K @ last, 1e-9)
    for record in (False, True):
        averaged = Pegasos(**options, random_state=5, hypothesis="averaged", record_trace=record).fit(X, y)
        close(averaged.decision_function(X), K @ after.mean(axis=0), 1e-9)
    np.testing.assert_array_equal(averaged.trace_, model.trace_)
    voted = Pegasos(**options, random_state=5, hypothesis="voted").fit(X, y)
    scores = np.where(abs(after @ K) > 1e-12, after @ K, 0.0)
    close(voted.decision_function(X), np.sign(scores).mean(axis=0), 1e-12)
    for kind, coef in ("last", last), ("averaged", after.mean(axis=0)):  # and from the trace alone
        support = np.arange(50)
        read = dual_coefficients(model.trace_, support, 1, 150, kind, fades=True)
        close(read[0], coef, 1e-9)


def step(w, x, y, lam, project, trial):
    """One step of the rule at a trial, on explicit vectors."""
    params, state = pegasos.Params(lam, project), pegasos.State(trial - 1)
    _, scale, length, state = pegasos.rule(params, state, y, float(w @ x), float(x @ x), float(w @ w))
    assert state.t == trial
    return scale * w + length * x


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("kind", ["random", "nearly parallel", "zero row", "zero weights"])
def test_a_step_solves_its_optimisation_problem(kind, project):
    """The linearised objective with a proximal term, within the ball: ``t lam/2 |w' - w|^2 + g.w'``."""
    rng = np.random.default_rng(len(kind))
    for trial in (1, 2, 7, 100):
        x, lam = rng.standard_normal(4), float(rng.choice([0.05, 1.0]))
        w = rng.standard_normal(4) if kind != "nearly parallel" else x + 1e-6 * rng.standard_normal(4)
        w *= (trial > 1 and kind != "zero weights") * 0.9 / np.linalg.norm(w) / math.sqrt(lam)
        x *= kind != "zero row"
        y = 1.0 if w @ x < 0 else -1.0
        g = lam * w - y * x * (y * (w @ x) < 1)
        v = cp.Variable(4)
        ball = [cp.sum_squares(v) <= 1 / lam] if project else []
        problem = cp.Problem(cp.Minimize(trial * lam / 2 * cp.sum_squares(v - w) + g @ v), ball)
        problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
        close(step(w, x, y, lam, project, trial), v.value, 1e-4)
        free = w - g / (trial * lam)  # and without a solver: the projection of a subgradient step
        exact = free / max(1.0, np.linalg.norm(free) * math.sqrt(lam)) if project else free
        close(step(w, x, y, lam, project, trial), exact, 1e-12)


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("exponent", [-498, -100, 100, 498])
@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_units_change_nothing_but_units(kernel, exponent, project):
    """With ``s X`` and ``s^2 lam`` the weights are ``w / s``: to the last bit for a power of two."""
    X, y = data()
    s, options = 2.0**exponent, dict(kernel=kernel, project=project, random_state=1, max_iter=3)
    rows, scaled = (X, s * X) if kernel == "linear" else (X @ X.T, s * (X @ X.T) * s)
    plain = Pegasos(lam=0.1, record_trace=True, **options).fit(rows, y)
    other = Pegasos(lam=0.1 * s * s, record_trace=True, **options).fit(scaled, y)
    for name in ("trial", "index", "score", "scale"):
        np.testing.assert_array_equal(other.trace_[name], plain.trace_[name])
    np.testing.assert_array_equal(other.trace_["step"] * s * s, plain.trace_["step"])
    assert plain.n_updates_ > 30 and (plain.trace_["scale"] < 1).all()


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_projection_keeps_the_weights_of_huge_rows_in_the_ball(kernel):
    X, y = data()
    form = dict(lam=1e-6, kernel=kernel, degree=1, gamma=1.0, coef0=0.0, max_iter=2, random_state=0)
    model = Pegasos(**form, project=True, record_trace=True).fit(1e153 * X, y)
    assert model.trace_["ww"][0] == pytest.approx(1e6) and (model.trace_["ww"] <= 1e6 * (1 + 1e-12)).all()
    last = model.trace_[-1]  # each step outweighs the weights before it, and projection normalises it
    x = X[last["index"]]
    expected = 1e3 * y[last["index"]] * (X @ x) / np.linalg.norm(x) * last["trial"] / 100
    close(model.decision_function(X), expected, 1e-12)
    with pytest.raises(ValueError, match="overflow"):
        Pegasos(**form).fit(1e153 * X, y)


@pytest.mark.parametrize("hypothesis", ["last", "averaged", "voted"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_pieces_of_a_stream_fade_as_the_whole_does(hypothesis, kernel, noise):
    X, y = data()
    y[10:30] = np.where(X[10:30, 0] > 1.0, 3.0, y[10:30])  # three classes
    options = dict(
        lam=0.05, hypothesis=hypothesis, kernel=kernel, gamma=0.3, noise_control=noise, augment=0.5
    )
    whole, pieces = Pegasos(**options).partial_fit(X, y), Pegasos(**options, record_trace=True)
    for part in np.split(np.arange(50), [3, 8, 30, 31, 32]):
        pieces.partial_fit(X[part], y[part], classes=[-1, 1, 3])
    moved = set(zip(pieces.trace_["problem"].tolist(), pieces.trace_["epoch"].tolist(), strict=True))
    assert len(moved) < 3 * 6  # some piece moved the weights of some problem by fading alone
    close(pieces.decision_function(X), whole.decision_function(X), 1e-9)
    parts = [row.norm for row in pieces.history_]
    assert parts[-1] == pytest.approx(whole.history_[-1].norm, rel=1e-9)


def test_fading_loses_no_digits_after_many_trials():
    for start, stop in (1, 99), (50, 300), (10**6, 10**6 + 7), (10**12, 10**12 + 3):
        exact = float(sum(Fraction(1, t) for t in range(start, stop)))
        assert reciprocals(start, stop) == pytest.approx(exact, rel=1e-12)
    assert left_over(np.array([10**12]), 10**12).tolist() == [1.0]
    kept, _ = coefficients(empty_trace(), 10**12, 10**12 + 3, "averaged", fades=True)
    assert kept == pytest.approx(3.0, rel=1e-11)
    assert coefficients(empty_trace(), 10, 40, "last", fades=True)[0] == 0.25


def test_epochs_without_a_violation_still_shrink_and_have_no_margin():
    X, y = np.array([[3.0], [-3.0]]), [1, -1]
    model = Pegasos(lam=0.05, shuffle=False, max_iter=6).fit(X, y)
    assert model.n_iter_ == 6 and model.converged_ and model.history_[-1].updates == 0
    norms = [row.norm for row in model.history_]
    close(norms, 30.0 / np.arange(1, 7), 1e-12)  # 60 after the first trial, and 60 / t after trial t
    assert all(np.isnan(row.margin) for row in model.history_)


def test_the_violation_is_looked_for_before_the_shrinking():
    X, y = np.array([[1.0], [1.0], [-1.0]]), np.array([1.0, 1.0, -1.0])
    model = Pegasos(lam=0.9, shuffle=False, max_iter=1, record_trace=True).fit(X, y)
    scores = [0.0, 1 / 0.9]  # shrunk first, the second would be 1 / 1.8 and a violation
    assert model.trace_["trial"].tolist() == [1, 3] and scores[1] / 2 < 1 < scores[1]


def test_a_zero_row_is_a_trial_and_always_a_violation():
    X, y = data()
    zero = np.zeros((1, 3))
    model = Pegasos(lam=0.1, record_trace=True).partial_fit(X, y)
    before, last = model.coef_.copy(), model.n_mistakes_
    model.partial_fit(zero, [1])
    assert model.trace_["trial"][-1] == 51 and model.n_mistakes_ == last + 1 and not model.converged_
    close(model.coef_, before * 50 / 51, 1e-12)


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
    before, *_ = transcription(X @ X.T, y, [rng.permutation(50) for _ in range(epochs)], lam, project)
    rng = np.random.default_rng(seed)
    index = np.concatenate([rng.permutation(50) for _ in range(epochs)])
    W, trials = before @ X, 50 * epochs
    losses = np.maximum(0, 1 - y[index] * (W * X[index]).sum(axis=1)) + lam / 2 * (W**2).sum(axis=1)
    g = lam * W - ((y[index] * (W * X[index]).sum(axis=1) < 1) * y[index])[:, None] * X[index]
    middle = ((g**2).sum(axis=1) / (2 * lam * np.arange(1, trials + 1))).mean()
    bound = pegasos.bound_regret(np.linalg.norm(X, axis=1).max(), lam, trials, project)
    u = minimiser(X, y, lam)
    for v in (u, 0 * u, -u, rng.standard_normal(3)):
        v = v / max(1.0, math.sqrt(lam) * np.linalg.norm(v))  # in the ball
        assert losses.mean() - value(v, X, y, lam) <= middle + 1e-9 <= bound + 1e-9


def test_the_regret_bound_is_nearly_met_by_alternating_labels():
    X, y = np.ones((400, 1)), np.where(np.arange(400) % 2, 1.0, -1.0)
    before, *_ = transcription(X @ X.T, y, [np.arange(400)], 1.0, True)
    losses = np.maximum(0, 1 - y * (before @ X)[:, 0]) + (before @ X)[:, 0] ** 2 / 2
    regret = losses.mean() - 1.0  # of u = 0
    bound = pegasos.bound_regret(1.0, 1.0, 400)
    assert 0.2 < regret / bound <= 1.0
    early = (losses[:2] - 1.0).mean()
    bound = pegasos.bound_regret(1.0, 1.0, 2)
    assert bound / 4 < early <= bound  # with R for G, without the regulariser's part, it would not hold


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


@pytest.mark.parametrize("lam", [0.02, 0.5])
@pytest.mark.parametrize("project", [False, True])
def test_of_random_draws_the_averaged_weights_keep_the_bound_on_the_objective(lam, project):
    X, y = data(1)
    svm = LinearSVC(loss="hinge", C=1 / (lam * 50), fit_intercept=False, max_iter=10**5, tol=1e-8).fit(X, y)

    def objective(w):
        return lam / 2 * w @ w + np.maximum(0, 1 - y * (X @ w)).mean()

    best, radius, rng = objective(svm.coef_[0]), np.linalg.norm(X, axis=1).max(), np.random.default_rng(0)
    excess = []
    for _ in range(30):
        draws = rng.integers(50, size=40)
        model = Pegasos(lam=lam, project=project, hypothesis="averaged")
        model.partial_fit(X[draws], y[draws], classes=[-1, 1])
        excess.append(objective(model.coef_[0]) - best)
    assert 0 < np.mean(excess) <= pegasos.bound_objective(radius, lam, 40, project)


def minimiser(X, y, lam):
    """The weights with the least objective."""
    svm = LinearSVC(loss="hinge", C=1 / (lam * len(y)), fit_intercept=False, max_iter=10**6, tol=1e-8)
    return svm.fit(X, y).coef_[0]


def value(w, X, y, lam):
    return lam / 2 * w @ w + np.maximum(0, 1 - y * (X @ w)).mean()


@seeded
@given(
    st.integers(0, 10**6), st.sampled_from([0.02, 0.5, 5.0]), st.booleans(), st.integers(1, 5), st.booleans()
)
def test_after_whole_epochs_the_averaged_weights_keep_their_bound(seed, lam, project, epochs, by_class):
    X, y = data(seed)
    order = np.argsort(y) if by_class else np.arange(50)  # no order is too bad
    model = Pegasos(lam=lam, project=project, hypothesis="averaged", shuffle=False, max_iter=epochs)
    excess = value(model.fit(X[order], y[order]).coef_[0], X, y, lam) - value(minimiser(X, y, lam), X, y, lam)
    bound = pegasos.bound_epochs(np.linalg.norm(X, axis=1).max(), lam, 50, epochs, project)
    assert -1e-6 < excess <= bound
    assert bound > pegasos.bound_regret(np.linalg.norm(X, axis=1).max(), lam, 50 * epochs, project)


def test_one_pass_over_sorted_examples_breaks_the_bound_for_random_draws():
    n, lam = 2000, 1.0
    X, y = np.ones((n, 1)), np.repeat([1.0, -1.0], n // 2)
    w = Pegasos(lam=lam, hypothesis="averaged", shuffle=False, max_iter=1).fit(X, y).coef_[0]
    excess = value(w, X, y, lam) - 1.0  # of the best weights, zero
    assert 10 * pegasos.bound_objective(1.0, lam, n) < excess < pegasos.bound_epochs(1.0, lam, n, 1)


@seeded
@given(st.integers(0, 10**6), st.sampled_from([0.05, 1.0]), st.booleans())
def test_weights_and_minimiser_stay_in_their_balls(seed, lam, project):
    X, y = data(seed)
    order = [np.random.default_rng(seed).permutation(50)]
    before, last, *_ = transcription(X @ X.T, y, order, lam, project)
    length = np.linalg.norm(np.vstack([before, last]) @ X, axis=1).max() * (1 - 1e-12)
    assert length <= np.linalg.norm(X, axis=1).max() / lam
    assert length <= 1 / math.sqrt(lam) or not project
    assert math.sqrt(lam) * np.linalg.norm(minimiser(X, y, lam)) <= 1 + 1e-6


@pytest.mark.parametrize("lam", [0.01, 0.1, 1.0])
def test_the_minimiser_may_err_on_separable_data(lam):
    n = int(max(6, 8 / lam)) + 1
    X = np.vstack([np.tile([1.0, 0.0], (n - 1, 1)), [[-1.0, 2.0]]])  # (1, 1) gives each the score 1
    y = np.ones(n)
    y[0], X[0] = -1, -X[0]
    w = minimiser(X, y, lam)
    assert (y * (X @ [1.0, 1.0]) == 1).all() and y[-1] * (X[-1] @ w) < -0.1
    averaged = Pegasos(lam=lam, hypothesis="averaged", random_state=0, max_iter=300).fit(X, y).coef_[0]
    assert averaged @ X[-1] < 0 and value(averaged, X, y, lam) < value(w, X, y, lam) + 0.05


def test_without_projection_it_is_the_perceptron_with_a_margin_that_grows():
    X, y = data(2)
    lam, v, made = 0.1, np.zeros(3), 0
    model = Pegasos(lam=lam, shuffle=False, max_iter=2).fit(X, y)
    for t, i in enumerate([*range(50)] * 2):
        if y[i] * (v @ X[i]) < lam * t or t == 0:
            v, made = v + y[i] * X[i], made + 1
    assert made == model.n_updates_ > 10
    close(model.coef_[0], v / (lam * 100), 1e-12)


def test_epochs_need_two_examples():
    with pytest.raises(ValueError, match="at least 2"):
        pegasos.bound_epochs(1.0, 1.0, 1, 1)
    with pytest.raises(ValueError, match="must be positive"):
        pegasos.bound_epochs(1.0, 1.0, 2, 0)


@pytest.mark.parametrize("bound", [pegasos.bound_regret, pegasos.bound_objective])
@pytest.mark.parametrize("lam, trials", [(0.0, 1), (1.0, 0)])
def test_bounds_refuse_what_they_do_not_bound(bound, lam, trials):
    with pytest.raises(ValueError, match="must be positive"):
        bound(1.0, lam, trials)
