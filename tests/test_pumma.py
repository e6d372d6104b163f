"""PUMMA takes the exact step for any p >= 2, keeps its corrected bounds, and the printed forms fail."""

import math

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles import close
from scipy import sparse
from scipy.optimize import brentq, linprog
from test_cases import sample

from marginbook import PUMMA, maximum_margin
from marginbook.data.synthetic import adversary, r_of_k, separable
from marginbook.engines import columns, kernel, linear, pnorm
from marginbook.kernels import Kernel
from marginbook.margins import p_norm_margin
from marginbook.rules import pumma, romma

seeds = st.integers(0, 10**6)


def seeded(examples):
    return settings(derandomize=True, deadline=None, max_examples=examples)


def link(theta, p):
    """The gradient of |theta|_p^2 / 2."""
    largest = np.abs(theta).max()
    if largest == 0.0:
        return theta
    t = theta / largest
    return largest * np.sign(t) * np.abs(t) ** (p - 1) / np.linalg.norm(t, p) ** (p - 2)


def step(theta, z, p):
    """Scale and step of either solver."""
    if p > 2:
        return pumma.solve(theta, z, p)
    return pumma.minimiser(1.0, float(theta @ z), float(z @ z), float(theta @ theta))


# Each step, against the problem it solves


def by_cone_program(plus, minus, theta, p):
    """The three constraints given to a conic solver: |w|_q as power cones, so q is exact."""
    q, d = p / (p - 1), len(plus)
    w, b, norm, parts = cp.Variable(d), cp.Variable(), cp.Variable(), cp.Variable(d)
    size = np.linalg.norm(theta, p)
    constraints = [w @ plus + b >= 1, w @ minus + b <= -1, w @ (theta / size) >= size, cp.sum(parts) == norm]
    if p == 2:
        constraints.append(cp.SOC(norm, w))
    else:
        constraints.append(cp.PowCone3D(parts, norm * np.ones(d), w, 1 / q))
    cp.Problem(cp.Minimize(norm), constraints).solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10
    )
    return w.value, float(b.value)


@pytest.mark.parametrize("p", [2.0, 3.0, 6.0, 2 * math.log(7)])
@pytest.mark.parametrize("case", ["random", "slack", "nearly parallel", "disjoint"])
def test_the_step_is_the_solution_of_the_problem_with_three_constraints(p, case):
    for seed in range(2):
        rng = np.random.default_rng(seed)
        theta, minus = rng.standard_normal(7), rng.standard_normal(7)
        z = rng.standard_normal(7)
        if case == "slack":
            z = 0.3 * theta / np.linalg.norm(theta, p) ** 2 + 0.001 * z
        elif case == "nearly parallel":
            z = -0.5 * theta / np.linalg.norm(theta, p) ** 2 + 1e-2 * z
        elif case == "disjoint":
            theta[3:], z[:3] = 0.0, 0.0
        k = link(theta, p) @ z
        z *= 0.6 / k if k > 0.6 else 1.0
        plus = minus + 2 * z
        scale, length = step(theta, z, p)
        assert (scale == 0.0) == (case == "slack")
        w = link(scale * theta + length * z, p)
        b = -(w @ plus + w @ minus) / 2
        expected, bias = by_cone_program(plus, minus, theta, p)
        q = p / (p - 1)
        assert np.linalg.norm(w, q) == pytest.approx(np.linalg.norm(expected, q), rel=1e-8)
        size = np.linalg.norm(theta, p) ** 2
        assert np.linalg.norm(w, q) ** 2 == pytest.approx(length + scale * size, rel=1e-9)
        ratios = np.geomspace(1e-4, 1e4, 400) / size
        signs = [(link(z + r * theta, p) @ (theta - size * z)) > 0 for r in ratios]
        assert np.count_nonzero(np.diff(signs)) == (case != "slack")  # roots of the equation for the ratio
        assert case == "slack" or ratios[np.argmax(signs)] == pytest.approx(scale / length, rel=0.06)
        close(w, expected, 3e-5)  # the solver's objective is good to 1e-10, its solution to the root of that
        assert b == pytest.approx(bias, rel=1e-4, abs=1e-4)


def residuals(theta, z, p, scale, length):
    """Violations of the Karush-Kuhn-Tucker conditions, relative; together they prove the solution."""
    size, unit = np.abs(theta).max(), np.abs(z).max()
    t, u = theta / size, z / unit  # |theta|^2 and |z|^2 may overflow
    w = link((scale * size) * t + (length * unit) * u, p)
    old = np.linalg.norm(t, p) ** 2 * size
    gain = w @ t - old
    return abs((w * unit) @ u - 1.0), max(-gain / old, 0.0) if scale == 0.0 else abs(gain) / old


@seeded(150)
@given(
    seeds, st.floats(2.0, 12.0), st.floats(-150, 140), st.floats(-3, 3), st.sampled_from([1.0, 1e-1, 1e-3]),
    st.sampled_from([0.99, 0.5, 0.0, -1.0, -30.0]),
)  # fmt: skip
def test_the_optimality_conditions_hold_at_any_scale(seed, p, large, small, turn, k):
    rng = np.random.default_rng(seed)
    t, u = rng.standard_normal((2, 8))
    u[rng.random(8) < 0.3] = 0.0
    t /= np.linalg.norm(t, p)
    u = np.sign(k) * (1 - turn) * t + turn * u  # turn = 1: any direction; less: near that of theta
    c = 10.0**small * max(1.0, abs(k))
    now = c * (link(t, p) @ u)  # becomes k where the signs allow it, else a smaller number
    if now * k > 0:
        u *= k / now
    elif now > 0.99:
        u *= 0.99 / now
    assume(c * np.linalg.norm(u, p) < 1e5)  # |w| |z| before and after: beyond 1e7 the step starts anew
    theta, z = t * c * 10.0**large, u * 10.0**-large
    scale, length = step(theta, z, p) if abs(large) < 70 else pumma.solve(theta, z, p)
    assert scale >= 0.0 and length > 0.0
    moved = link(scale * t * c + length * 10.0**-large * (10.0**-large * u), p)
    size = np.linalg.norm(moved, p / (p - 1)) * np.linalg.norm(u, p)
    assume(size < 1e4)
    tight, old = residuals(theta, z, p, scale, length)
    assert max(tight, old) <= 1e-9 + 1e-14 * size**2  # rounding grows with the square


@seeded(60)
@given(seeds, st.floats(-2, 2))  # rounding grows with |w| |z|
def test_the_general_solver_at_p_2_is_rommas_closed_form(seed, size):
    rng = np.random.default_rng(seed)
    theta, z = rng.standard_normal((2, 5)) * 10.0**size
    z *= min(1.0, 0.9 / max(theta @ z, 1e-300))
    close(pumma.solve(theta, z, 2.0), step(theta, z, 2.0), 1e-10)


def test_newtons_method_going_to_and_fro_does_not_stop_the_solver():
    rng = np.random.default_rng(20)
    t, u = rng.standard_normal((2, 8))
    u[rng.random(8) < 0.3] = 0.0
    t /= np.linalg.norm(t, 12)
    theta, z = 30.0 * t, 0.001 * u - 0.999 * t
    z *= -30.0 / (link(theta, 12.0) @ z)
    scale, length = pumma.solve(theta, z, 12.0)
    assert scale > 0.0 and max(residuals(theta, z, 12.0, scale, length)) < 1e-6  # |w| |z| is 6e4


def test_a_contradiction_gives_the_old_constraint_up():
    theta = np.array([1.0, 2.0])
    for z in (-theta, -theta * (1 + 1e-9 * np.array([0.0, 1.0]))):
        scale, length = pumma.solve(theta, z, 4.0)
        assert scale == 0.0 and link(length * z, 4.0) @ z == pytest.approx(1.0)


# Runs, against a transcription


def transcription(G, y, orders, delta):
    """PUMMA_2 from its Gram matrix: ROMMA's rule on the half differences. Coefficients, biases, mistakes."""
    params, state = romma.Params(0.0), romma.State()
    a, b, pair, ww = np.zeros(len(y)), 0.0, {}, 0.0
    history, trials, mistakes, trial = [], [], 0, 0
    for i in (i for order in orders for i in order):
        trial += 1
        score = a @ G[:, i] + b
        mistakes += y[i] * score <= 0
        if y[i] * score < 1 - delta or y[i] * score <= 0:
            if len(pair) < 2:
                pair.setdefault(y[i], i)
            if len(pair) == 2:
                pair[y[i]] = i
                z = np.zeros(len(y))
                z[pair[1.0]], z[pair[-1.0]] = 0.5, -0.5
                fires, scale, length, _ = romma.rule(params, state, 1.0, a @ G @ z, z @ G @ z, ww)
                assert fires
                a = scale * a + length * z
                ww, b = a @ G @ a, -(a @ G[pair[1.0]] + a @ G[pair[-1.0]]) / 2
                trials.append((trial, i, score))
        history.append((a.copy(), b))
    return history, trials, mistakes


@pytest.mark.parametrize("name, gamma, lam", [("linear", 1.0, 0.0), ("rbf", 0.3, 0.0), ("poly", 0.2, 0.8)])
@pytest.mark.parametrize("delta", [0.1, 1.0])
def test_runs_are_those_of_romma_on_the_half_differences(name, gamma, lam, delta, monkeypatch):
    monkeypatch.setattr(linear, "BLOCK_BYTES", 700)
    monkeypatch.setattr(kernel, "BLOCK", 16)
    monkeypatch.setattr(columns, "WIDTH", 8)
    X, y = sample(n=50)
    rng = np.random.default_rng(4)
    new, orders = rng.standard_normal((20, 5)), [np.random.default_rng(7).permutation(50)] * 2
    K = Kernel(name, gamma, 2, 1.0)
    G = K(X, X) + lam * np.eye(50)
    options = dict(kernel=name, gamma=gamma, degree=2, noise_control=lam, delta=delta, max_iter=2)
    options |= dict(shuffle="once", random_state=7, record_trace=True, cache_size=0.01)
    last, averaged, voted = (
        PUMMA(hypothesis=kind, **options).fit(X, y) for kind in ("last", "averaged", "voted")
    )
    mistakes = 0
    for p in range(3):
        history, trials, missed = transcription(G, np.where(y == p, 1.0, -1.0), orders, delta)
        mistakes += missed
        mine = last.trace_[last.trace_["problem"] == p][::2]
        np.testing.assert_array_equal(mine["trial"], [row[0] for row in trials])
        np.testing.assert_array_equal(mine["index"], [row[1] for row in trials])
        close(mine["score"], [row[2] for row in trials], 1e-9)
        scores = np.array([a @ K(X, new) + b for a, b in history])
        close(last.decision_function(new)[:, p], scores[-1], 1e-9)
        close(averaged.decision_function(new)[:, p], scores.mean(axis=0), 1e-9)
        close(voted.decision_function(new)[:, p], np.sign(scores).mean(axis=0), 1e-12)
        assert last.intercept_[p] == pytest.approx(history[-1][1], rel=1e-9)
        close(mine["bias"], [history[row[0] - 1][1] for row in trials], 1e-9)
    assert last.n_updates_ == len(last.trace_) // 2 and last.n_mistakes_ == mistakes


def run_p(X, y, p, delta, epochs):
    """PUMMA_p in the order given, with explicit vectors and this file's solver for the equation."""
    w, b, theta, pair = np.zeros(X.shape[1]), 0.0, np.zeros(X.shape[1]), {}
    norms, hypotheses = [], []
    for _ in range(epochs):
        quiet = True
        for x, label in zip(X, y, strict=True):
            if label * (w @ x + b) < 1 - delta or label * (w @ x + b) <= 0:
                if len(pair) < 2:
                    pair.setdefault(label, x)
                if len(pair) == 2:
                    pair[label], quiet = x, False
                    z, size = pair[1] - pair[-1], np.linalg.norm(theta, p) ** 2
                    theta = by_brent(theta, z, p, size)
                    w = link(theta, p)
                    b = -(w @ (pair[1] + pair[-1])) / 2
                    norms.append(size)
            hypotheses.append(np.append(w, b))
        if quiet:
            break
    return np.array(hypotheses), np.append(norms, np.linalg.norm(theta, p) ** 2)


def by_brent(theta, Z, p, size):
    """The new theta, by the equation for r = beta / alpha in the paper's own variables."""
    slack = 2.0 / np.linalg.norm(Z, p) ** 2 * Z
    if link(slack, p) @ theta >= size:
        return slack

    def h(r):
        g = link(Z + r * theta, p)
        return 2 * g @ theta - size * g @ Z

    high = 2.0 / size
    while h(high) < 0:
        high *= 2
    r = brentq(h, 0.0, high, xtol=1e-300, rtol=1e-14)
    return 2.0 / (link(Z + r * theta, p) @ Z) * (Z + r * theta)


@pytest.mark.parametrize("p", [2.0, 2.5, 5.0, "log"])
def test_runs_in_the_p_norm_are_those_of_the_papers_variables(p, monkeypatch):
    found = separable(60, 12, margin=0.05, random_state=3)
    X, y = np.round(found.data, 6), np.where(found.target > 0, 1, -1)
    model = PUMMA(p=p, delta=0.2, shuffle=False, max_iter=3, record_trace=True).fit(X, y)
    hypotheses, norms = run_p(X, y, 2 * math.log(12) if p == "log" else p, 0.2, 3)
    assert model.n_updates_ == len(norms) - 1 > 10
    close(np.append(model.coef_[0], model.intercept_), hypotheses[-1], 1e-8)
    close(model.trace_["ww"][1::2], norms[1:], 1e-9)
    monkeypatch.setattr(pnorm, "VOTES", 7)
    mean, votes = (
        PUMMA(p=p, delta=0.2, shuffle=False, max_iter=3, hypothesis=kind).fit(X, y)
        for kind in ("averaged", "voted")
    )
    close(np.append(mean.coef_[0], mean.intercept_), hypotheses.mean(axis=0), 1e-8)
    scores = np.hstack([X, np.ones((60, 1))]) @ hypotheses.T
    close(votes.decision_function(X), np.sign(scores).mean(axis=1), 1e-12)


@pytest.mark.parametrize(
    "options", [{}, {"noise_control": 0.5}, {"kernel": "rbf", "noise_control": 0.5}, {"p": 4.0}]
)
@pytest.mark.parametrize("hypothesis", ["last", "averaged", "voted"])
def test_a_pair_outlives_the_call_that_met_it(options, hypothesis):
    X, y = sample()
    options = {"gamma": 0.3, "hypothesis": hypothesis, "delta": 0.3, "record_trace": True, **options}
    whole = PUMMA(**options).partial_fit(X, y)
    for rows in (X, sparse.csr_matrix(X)):
        pieces = PUMMA(**options)
        for part in np.array_split(np.arange(len(X)), 23):
            pieces.partial_fit(rows[part], y[part], classes=[0, 1, 2])
        np.testing.assert_array_equal(pieces.trace_["index"], whole.trace_["index"])
        close(pieces.decision_function(X), whole.decision_function(X), 1e-9)
        close([pieces.history_[-1].norm], [whole.history_[-1].norm], 1e-9)


def test_the_first_pair_is_the_first_example_of_each_class_and_one_update():
    X, y = np.array([[3.0], [5.0], [4.0], [-1.0], [-2.0]]), np.array([1, 1, 1, 0, 0])
    model = PUMMA(shuffle=False, max_iter=1, record_trace=True).fit(X, y)
    assert model.n_updates_ == 1 and model.n_mistakes_ == 4
    np.testing.assert_array_equal(model.trace_["index"], [3, 0])
    np.testing.assert_array_equal(model.trace_["trial"], [4, 4])
    np.testing.assert_array_equal(model.trace_["score"], [0.0, 0.0])
    assert model.coef_[0, 0] == 0.5 and model.intercept_[0] == -0.5


@pytest.mark.parametrize("options", [{}, {"kernel": "rbf", "gamma": 1.0}, {"p": 4.0}])
def test_equal_rows_with_opposite_labels_admit_no_update(options):
    X, y = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]), np.array([1, 0, 1])
    model = PUMMA(shuffle=False, max_iter=3, **options).fit(X, y)
    assert model.n_updates_ == 0 and model.n_mistakes_ == 3 and not model.converged_
    both = PUMMA(shuffle=False, max_iter=50, **options).fit(np.vstack([X, [[3.0, 2.0]]]), [1, 0, 0, 0])
    assert both.n_updates_ >= 1 and not both.converged_


@pytest.mark.parametrize("p", [2.0, 4.0])
def test_a_zero_row_is_an_ordinary_row_and_the_origin_does_not_matter(p):
    X, y = np.array([[0.0, 0.0], [1.0, 0.5], [2.0, 3.0]]), np.array([0, 1, 1])
    model = PUMMA(p=p, shuffle=False).fit(X, y)
    assert model.converged_ and model.score(X, y) == 1.0
    X, y = sample(classes=2)
    here, there = (PUMMA(p=p, shuffle=False, max_iter=2, record_trace=True).fit(X + s, y) for s in (0, 64.0))
    np.testing.assert_array_equal(here.trace_["index"], there.trace_["index"])
    close(there.coef_, here.coef_, 1e-6)


# Bounds


def spread(X, y, p):
    return max(np.linalg.norm(a - b, p) for a in X[y > 0] for b in X[y < 0])


@seeded(12)
@given(seeds, st.sampled_from([0.05, 0.3, 1.0]), st.sampled_from([2.0, 4.0, 2 * math.log(8)]))
def test_updates_progress_and_margin_keep_the_corrected_bounds(seed, delta, p):
    found = separable(40, 8, margin=0.05, random_state=seed)
    X, y = found.data + np.random.default_rng(seed).uniform(-1, 1, 8), np.where(found.target > 0, 1, -1)
    gamma = maximum_margin(X, y, bias=True, p=p).dual
    model = PUMMA(p=p, delta=delta, random_state=seed, max_iter=10**5, record_trace=True).fit(X, y)
    radius = np.linalg.norm(X, p, axis=1).max()
    assert model.converged_
    least = bound = pumma.bound_margin(gamma, delta) * (1 - 1e-6)
    assert p_norm_margin(model, X, y, p) >= least
    assert model.history_[-1].margin == pytest.approx(p_norm_margin(model, X, y, p), rel=1e-6)
    bound = pumma.bound_updates_spread(spread(X, y, p), gamma, delta, p)
    assert model.n_updates_ <= bound <= pumma.bound_updates(radius, gamma, delta, p)
    ww = np.append(0.0, model.trace_["ww"][1::2])
    assert np.diff(ww).min() >= pumma.bound_progress(spread(X, y, p) / 2, delta, p) * (1 - 1e-9)
    assert ww[-1] <= (1 + 1e-5) / gamma**2
    # Each update by itself: the pair's scores are y f, of the example that fires, and -y.
    fired, other = X[model.trace_["index"][::2]], X[model.trace_["index"][1::2]]
    label = y[model.trace_["index"][::2]]
    short = (1 - label * model.trace_["score"][::2]) / 2
    short[0] = 1.0
    size = np.linalg.norm((fired - other) / 2, p, axis=1)
    assert (np.diff(ww) >= short**2 / (p - 1) / size**2 * (1 - 1e-6) - 1e-12).all()
    assert (short >= delta / 2 * (1 - 1e-9)).all()


def test_with_p_of_order_log_n_the_infinity_norm_bounds_hold():
    found = r_of_k(300, 60, 6, 2, random_state=1)
    X, y = found.data, np.where(found.target > 0, 1, -1)
    gamma = maximum_margin(X, y, bias=True, p=np.inf).dual
    model = PUMMA(p="log", delta=0.3, random_state=0, max_iter=10**4).fit(X, y)
    assert model.converged_
    assert p_norm_margin(model, X, y, np.inf) >= pumma.bound_margin_log(gamma, 0.3) * (1 - 1e-6)
    assert model.n_updates_ <= pumma.bound_updates_log(1.0, gamma, 0.3, 60)


@pytest.mark.parametrize("p", [2, 4.0, "log"])
def test_a_converged_run_on_r_of_k_reaches_its_share_of_the_maximum_margin(p):
    found = r_of_k(200, 30, 8, 3, random_state=0)
    X, y = found.data, np.where(found.target > 0, 1, -1)
    value = 2 * math.log(30) if p == "log" else p
    model = PUMMA(p=p, delta=0.1, random_state=0, max_iter=10**4).fit(X, y)
    best = maximum_margin(X, y, bias=True, p=value).margin
    assert model.converged_
    assert 0.9 * best * (1 - 1e-6) <= p_norm_margin(model, X, y, value) <= best * (1 + 1e-5)


def test_the_soft_margin_in_a_kernels_space_is_reached():
    X, y = sample(classes=2)
    model = PUMMA(kernel="rbf", gamma=0.2, noise_control=1.0, delta=0.05, random_state=0, max_iter=10**4)
    model.fit(X, y)
    best = maximum_margin(X, y, kernel="rbf", gamma=0.2, noise_control=1.0)
    assert model.converged_ and model.history_[-1].margin >= 0.95 * best.margin * (1 - 1e-6)


@seeded(40)
@given(seeds, st.sampled_from([1.0, 1.5, 2.0, 4.0, math.inf]))
def test_the_best_bias_makes_the_margin_that_of_the_worst_half_difference(seed, p):
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((12, 3)) + 5.0, rng.standard_normal(3)
    y = np.where(np.arange(12) < rng.integers(1, 12), 1, -1)
    found = pumma.margin_of_pairs(w, X, y, p)
    size = np.abs(w).max() if p == 1.0 else np.linalg.norm(w, 1.0 if p == math.inf else p / (p - 1))
    # The largest t with y (w.x + b) >= t: a linear program in b and t.
    best = linprog([0, -1], np.column_stack([-y, np.ones(12)]), y * (X @ w), bounds=(None, None))
    assert found == pytest.approx(-best.fun / size, rel=1e-9, abs=1e-9)
    pairs = [(a, b) for a in X[y > 0] for b in X[y < 0]]
    plus, minus = min(pairs, key=lambda pair: (pair[0] - pair[1]) @ w)
    assert found == pytest.approx((plus - minus) @ w / 2 / size)
    # The best bias is midway between the two, both have the margin there, and no other bias reaches it.
    b = -(plus + minus) @ w / 2
    assert [(plus @ w + b) / size, -(minus @ w + b) / size] == pytest.approx([found, found], abs=1e-12)
    margins = [(y * (X @ w + b + moved)).min() / size for moved in (0.0, 1e-3, -1e-3)]
    assert margins == pytest.approx([found, found - 1e-3 / size, found - 1e-3 / size], abs=1e-9)


@pytest.mark.parametrize("w, y", [([0.0, 0.0], [1, -1]), ([1.0, 0.0], [1, 1]), ([1.0, 0.0], [-1, -1])])
def test_no_weights_and_one_class_have_no_margin_of_pairs(w, y):
    with pytest.raises(ValueError, match="must"):
        pumma.margin_of_pairs(w, [[0.0, 1.0], [1.0, 0.0]], y)


@seeded(15)
@given(seeds, st.sampled_from([2.0, 3.0, 6.0]))
def test_the_weights_are_never_longer_than_those_of_the_maximum_margin(seed, p):
    found = separable(40, 4, margin=0.1, random_state=seed)
    X, y = found.data + np.random.default_rng(seed).uniform(-2, 2, 4), np.where(found.target > 0, 1, -1)
    best = maximum_margin(X, y, bias=True, p=p)
    model = PUMMA(p=p, delta=0.02, random_state=seed, max_iter=50, record_trace=True).fit(X, y)
    longest = np.sqrt(model.trace_["ww"].max())
    assert longest <= pumma.bound_norm(best.dual) * (1 + 1e-5)
    u, theta = best.coef / (y * (X @ best.coef + best.intercept)).min(), np.zeros(4)
    for one, two in model.trace_.reshape(-1, 2):
        scale, last = one["scale"], X[one["index"]] * one["step"] + X[two["index"]] * two["step"]
        theta = scale * theta + last
        assert u @ theta >= two["ww"] * (1 - 1e-6)
        assert np.linalg.norm(theta, p) ** 2 == pytest.approx(two["ww"], rel=1e-6)


def nearly_missed(gamma, delta, at_the_origin):
    """Half differences of length 1, each of an example that fires barely; e_1 has the margin gamma.

    Either one class is a row 0, so that no other half differences are; or each example takes the place next
    to the origin, which makes the radius small.
    """
    z = adversary(np.zeros(3), gamma, 0.0)
    w, pair, X, y = z, {1: z, -1: -z}, [z, -z], [1, -1]
    if at_the_origin:
        pair, X = {1: 2 * z, -1: 0 * z}, [2 * z, 0 * z]
    while (z := adversary(w, gamma, (1 - delta / 2) * (1 - 1e-9))) is not None:
        near = {label: pair[-label] + 2 * label * z for label in (1, -1)}
        label = 1 if at_the_origin else min(near, key=lambda label: np.linalg.norm(near[label]))
        pair[label] = near[label]
        X.append(near[label])
        y.append(label)
        scale, length = pumma.minimiser(1.0, float(w @ z), float(z @ z), float(w @ w))
        w = scale * w + length * z
    return np.array(X), np.array(y)


def test_the_share_of_the_updates_allowed_that_a_stream_makes_tends_to_1():
    """With Z of all half differences: a bound with a smaller constant than 4 is false."""
    delta, shares = 0.2, []
    for gamma in (1 / 4, 1 / 8, 1 / 16):
        X, y = nearly_missed(gamma, delta, at_the_origin=True)
        assert (X[y > 0][:, 0] / 2).min() >= gamma * (1 - 1e-12)  # of all half differences
        model = PUMMA(delta=delta, shuffle=False, max_iter=1, record_trace=True).fit(X, y)
        ww, m = model.trace_["ww"][1::2], 1 - delta / 2
        assert gamma**-2 - 1 < ww[-1] <= gamma**-2
        np.testing.assert_allclose(np.diff(ww), (1 - m) ** 2 / (1 - m**2 / ww[:-1]), rtol=1e-6)
        assert spread(X, y, 2) == pytest.approx(2.0)
        shares.append(model.n_updates_ / pumma.bound_updates_spread(spread(X, y, 2), gamma, delta))
    assert sorted(shares) == shares and 0.97 < shares[-1] <= 1


def test_a_stream_makes_more_updates_than_the_printed_proof_allows():
    """P3, Theorem 2 (i): the printed proof ends with 2 R^2 |u|^2 / delta^2."""
    gamma, delta = 1 / 16, 0.2
    X, y = nearly_missed(gamma, delta, at_the_origin=False)
    assert (y * X[:, 0]).min() >= gamma * (1 - 1e-12)
    made = PUMMA(delta=delta, shuffle=False, max_iter=1).fit(X, y).n_updates_
    radius = np.linalg.norm(X, axis=1).max()
    assert made > 1.3 * 2 * (radius / gamma / delta) ** 2
    assert made <= pumma.bound_updates(radius, gamma, delta)


# The printed forms


def kkt_example(p=4.0):
    rng = np.random.default_rng(0)
    return rng.standard_normal(5), rng.standard_normal(5), p


def test_the_printed_slack_solution_meets_its_constraint_only_for_p_2():
    """P1, equation (12): the paper prints |z|_q^2 where |z|_p^2 is right."""
    for p in (2.0, 4.0):
        _, Z, _ = kkt_example()
        printed, right = (2 / np.linalg.norm(Z, norm) ** 2 * link(Z, p) @ Z for norm in (p / (p - 1), p))
        assert right == pytest.approx(2.0)
        assert (abs(printed - 2.0) < 1e-12) == (p == 2.0)


def test_the_printed_tight_solution_misses_both_constraints():
    """P1, equation (13): the paper prints alpha f^{-1}(alpha z + beta v), with v for theta."""
    theta, z, p = kkt_example()
    w, V = link(theta, p), np.linalg.norm(theta, p) ** 2
    z *= -0.5 / (w @ z)
    scale, length = pumma.solve(theta, z, p)
    assert scale > 0.0
    right = link(scale * theta + length * z, p)
    np.testing.assert_allclose([right @ z, right @ theta], [1.0, V], rtol=1e-12)
    alpha = length / 2  # of z = x+ - x-, twice ours
    for printed in (alpha * right, link(scale * w + length * z, p), alpha * link(scale * w + length * z, p)):
        assert abs(printed @ z - 1.0) > 1e-2 and abs(printed @ theta / V - 1.0) > 1e-2


def test_newton_from_the_old_weights_meets_a_singular_hessian():
    """P2: at (alpha, beta) = (0, 1) with disjoint supports of z and theta the second derivatives vanish."""
    theta, Z, p = np.array([1.0, -2.0, 0.0, 0.0]), np.array([0.0, 0.0, 3.0, 1.0]), 4.0
    size = np.linalg.norm(theta, p)
    g = link(theta, p)
    curvature = (p - 1) * np.diag(np.abs(theta / size) ** (p - 2)) - (p - 2) * np.outer(g, g) / size**2
    basis = np.column_stack([Z, theta])
    assert abs(np.linalg.det(basis.T @ curvature @ basis)) < 1e-12
    scale, length = pumma.solve(theta, Z / 2, p)
    assert max(residuals(theta, Z / 2, p, scale, length)) < 1e-12


def unit_rows(seed, n=400, d=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    f = X @ rng.standard_normal(d)
    return X[np.abs(f) > 0.05], np.where(f[np.abs(f) > 0.05] > 0, 1, -1)


def test_the_printed_progress_is_not_reached_and_the_corrected_one_is_nearly_sharp():
    """P3, Lemma 6: delta^2 / (2 (p-1) R^2) is too much; 2 must be 4."""
    least = math.inf
    for seed in range(6):
        X, y = unit_rows(seed)
        model = PUMMA(delta=0.1, random_state=seed, max_iter=3000, record_trace=True).fit(X, y)
        assert model.converged_
        least = min(least, np.diff(model.trace_["ww"][1::2]).min())
    assert pumma.bound_progress(1.0, 0.1) <= least < 0.36 * 0.1**2
    assert least < 2 * pumma.bound_progress(1.0, 0.1)  # what the paper prints


def test_below_p_2_even_the_corrected_progress_fails():
    """P4: the paper allows p > 1."""
    delta, p, least = 0.1, 1.5, math.inf
    for seed in range(3):
        X, y = unit_rows(seed, n=150, d=5)
        radius = np.linalg.norm(X, p, axis=1).max()
        _, norms = run_p(X, y, p, delta, 20)
        least = min(least, np.diff(norms).min() * (p - 1) * radius**2 / delta**2)
    assert least < 0.25


def test_the_printed_bias_of_the_wrapper_is_minus_one():
    """P5, section 3.2: b = -w.(x+ - x-) / 2 must have a plus sign inside."""
    X, y = sample(classes=2)
    model = PUMMA(shuffle=False, max_iter=1, record_trace=True).fit(X, y)
    last, other = model.trace_["index"][-2:]
    plus, minus = (X[last], X[other]) if y[last] else (X[other], X[last])
    w = model.coef_[0]
    assert -w @ (plus - minus) / 2 == pytest.approx(-1.0)
    assert model.intercept_[0] == pytest.approx(-w @ (plus + minus) / 2)
    assert model.decision_function([plus, minus]) == pytest.approx([1.0, -1.0])
    assert abs(model.intercept_[0] + 1.0) > 0.01


def test_the_printed_norm_facts_are_false():
    """P7: 1/q = 1 - 1/p, not q; and |x|_1 <= n^(1/p) |x|_inf fails where |x|_p <= n^(1/p) |x|_inf holds."""
    x, n = np.ones(2), 2
    assert np.linalg.norm(x, 1) > n ** (1 / 2) * np.abs(x).max() >= np.linalg.norm(x, 2) * (1 - 1e-15)
    theta, _, p = kkt_example()
    for q, holds in ((p / (p - 1), True), (1 - 1 / p, False)):
        dual = (np.abs(link(theta, p)) ** q).sum() ** (1 / q)
        assert (abs(dual - np.linalg.norm(theta, p)) < 1e-12) == holds


# Parameters


@pytest.mark.parametrize(
    "options, told",
    [
        ({"p": 1.5}, r"'p' parameter of PUMMA .* range \[2\.?0?, inf\)"),
        ({"p": math.inf}, r"\[2\.?0?, inf\)"),
        ({"p": math.nan}, r"\[2\.?0?, inf\)"),
        ({"p": "ln"}, "'log'"),
        ({"delta": 1.5}, r"\[0\.?0?, 1\.?0?\]"),
        ({"p": 3.0, "kernel": "rbf"}, "p=3 needs kernel='linear', got kernel='rbf'"),
        ({"p": 3.0, "noise_control": 1.0}, "p=3 needs noise_control=0.0, got noise_control=1.0"),
    ],
)
def test_what_has_no_meaning_is_refused(options, told):
    with pytest.raises(ValueError, match=told):
        PUMMA(**options).fit(*sample(classes=2))


def test_there_is_no_constant_feature():
    assert "augment" not in PUMMA().get_params() and "augment :" not in PUMMA.__doc__
    with pytest.raises(TypeError, match="augment"):
        PUMMA(augment=1.0)


def test_p_log_is_two_in_few_dimensions():
    X, y = sample(classes=2)
    two, log = (PUMMA(p=p, random_state=0, max_iter=2).fit(X[:, :2], y) for p in (2, "log"))
    np.testing.assert_array_equal(two.coef_, log.coef_)


@pytest.mark.parametrize(
    "call",
    [
        lambda: pumma.bound_updates(1.0, 0.0, 0.5),
        lambda: pumma.bound_updates(1.0, 1.0, 0.0),
        lambda: pumma.bound_updates(1.0, 1.0, 0.5, 1.5),
        lambda: pumma.bound_updates_log(1.0, 1.0, 0.5, 5, c=1.0),
        lambda: pumma.bound_progress(1.0, 2.0),
        lambda: pumma.bound_margin(0.0, 0.5),
        lambda: pumma.bound_margin(1.0, -0.5),
        lambda: pumma.bound_norm(0.0),
    ],
)
def test_bounds_refuse_what_they_do_not_bound(call):
    with pytest.raises(ValueError, match="must"):
        call()
