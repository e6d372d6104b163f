"""AMIRA's steps solve their optimisation problems; its bounds hold, and the printed ones that do not fail."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import SGDClassifier

from marginbook import AMIRA, Perceptron, maximum_margin
from marginbook.ascent import hildreth
from marginbook.data.synthetic import adversary, separable
from marginbook.rules import amira, perceptron

seeded = settings(derandomize=True, deadline=None, max_examples=25)
seeds = st.integers(0, 10**6)


def projection(W, y, x, wrong):
    """The smallest move of the rows of W that gives class y a score of 1 more than each of ``wrong``."""
    V = cp.Variable(W.shape)
    constraints = [(V[y] - V[z]) @ x >= 1 for z in wrong]
    cp.Problem(cp.Minimize(cp.sum_squares(V - W)), constraints).solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-13, tol_gap_rel=1e-13, tol_feas=1e-13
    )
    return V.value


def by_hildreth(c, xx):
    """Multipliers of the constraints, on their Gram matrix ``xx (I + 1 1')``."""
    return hildreth(xx * (np.eye(len(c)) + 1.0), c * xx, tol=1e-14)


@pytest.mark.parametrize("scale", [1e-150, 1e-3, 1.0, 1e3, 1e150])
def test_the_binary_step_is_the_projection(scale):
    rng = np.random.default_rng(0)
    for _ in range(8):
        w, x, y = rng.standard_normal(4), rng.standard_normal(4), rng.choice([-1.0, 1.0])
        v = cp.Variable(4)
        cp.Problem(cp.Minimize(cp.sum_squares(v - w)), [y * (x @ v) >= 1]).solve(
            solver=cp.CLARABEL, tol_gap_abs=1e-14, tol_gap_rel=1e-14, tol_feas=1e-14
        )
        xs, ws = scale * x, w / scale  # the problem in other units: w' = w / scale for x' = scale x
        params = amira.Params(0.0, 1e-9)
        fires, c, step, _ = amira.rule(params, amira.State(), y, float(ws @ xs), float(xs @ xs), 1.0)
        assert fires == (y * (w @ x) < 1.0 - 1e-9)
        if fires:
            close((c * ws + step * xs) * scale, v.value, 1e-8)


@pytest.mark.parametrize("classes, k", [(2, 1), (5, 1), (5, 2), (5, 4), (10, 9)])
def test_the_multiclass_step_is_the_projection(classes, k):
    rng = np.random.default_rng(classes + k)
    active = set()
    for _ in range(12):
        W, x = rng.standard_normal((classes, 3)) * rng.uniform(0.1, 3.0), rng.standard_normal(3)
        y, scores, steps = int(rng.integers(classes)), W @ x, np.empty(classes)
        fires = amira.multiclass_step(amira.Params(0.4, 1e-9, k), scores, y, float(x @ x), steps)
        best = [z for z in np.argsort(-scores, kind="stable") if z != y][:k]
        wrong = [z for z in best if scores[y] - scores[z] <= 0.6]
        assert fires == bool(wrong)
        if fires:
            close(W + np.outer(steps, x), projection(W, y, x, wrong), 1e-8)
            c = (1 - (scores[y] - scores[wrong])) / (x @ x)
            close(-steps[wrong], by_hildreth(c, x @ x), 1e-10)
            active.add(int((steps < 0).sum()))
            assert steps.sum() == pytest.approx(0.0, abs=1e-12 * abs(steps).max())
            margins = (W + np.outer(steps, x)) @ x
            assert all(margins[y] - margins[z] >= 1 - 1e-12 for z in wrong)
            # Lemma 1, with eps the violation at hand
            assert steps[y] >= amira.bound_step(np.sqrt(2 * (x @ x)), 0.4) - 1e-15
    assert len(active) > 1 or k == 1


def test_the_printed_lagrangian_has_half_the_step():
    # The paper's |w' - w|^2 + sum eta (1 - ...) is stationary at w' = w + (1/2) sum eta x, not at (9).
    x, w = np.array([1.0, 2.0]), np.zeros(2)
    eta = 2 * (1 - w @ x) / (x @ x)
    assert (w + 0.5 * eta * x) @ x == pytest.approx(1.0)
    assert (w + eta * x) @ x == pytest.approx(2.0)


def test_ties_go_to_the_smallest_class_and_k_is_cut_to_the_wrong_classes():
    steps = np.empty(4)
    assert amira.multiclass_step(amira.Params(1.0, 1e-9, 1), np.zeros(4), 0, 1.0, steps)
    assert steps.tolist() == [0.5, -0.5, 0.0, 0.0]
    assert amira.multiclass_step(amira.Params(1.0, 1e-9, 99), np.zeros(4), 2, 2.0, steps)
    close(steps, [-0.125, -0.125, 0.375, -0.125], 1e-15)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("multiclass", ["1-best", "k-best"])
def test_two_classes_are_the_binary_algorithm(epsilon, multiclass):
    X, y = load_iris(return_X_y=True)
    y = y == 1
    options = dict(epsilon=epsilon, shuffle=False, max_iter=5, record_trace=True)
    binary = AMIRA(**options).fit(X, y)
    one = AMIRA(multiclass=multiclass, **options).fit(X, y)
    assert (one.n_updates_, one.n_mistakes_) == (binary.n_updates_, binary.n_mistakes_)
    close(one.coef_, binary.coef_, 1e-9)
    close(one.decision_function(X), binary.decision_function(X), 1e-9)


def test_k_best_with_one_wrong_class_is_1_best():
    X, y = load_digits(return_X_y=True)
    one = AMIRA(multiclass="1-best", random_state=0, max_iter=2).fit(X, y)
    best = AMIRA(multiclass="k-best", k=1, random_state=0, max_iter=2).fit(X, y)
    np.testing.assert_array_equal(one.coef_, best.coef_)


@pytest.mark.parametrize("k", [1, 3, 9])
def test_a_transcription_makes_the_same_multiclass_updates(k):
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    ours = AMIRA(multiclass="k-best", k=k, epsilon=0.6, shuffle=False, max_iter=2, hypothesis="averaged").fit(
        X, y
    )
    W, total, updates, mistakes = np.zeros((10, 64)), np.zeros((10, 64)), 0, 0
    for _ in range(2):
        for x, label in zip(X, y, strict=True):
            scores = W @ x
            best = [z for z in np.argsort(-scores, kind="stable") if z != label][:k]
            mistakes += scores[label] <= scores[best[0]]
            wrong = [z for z in best if scores[label] - scores[z] <= 0.4]
            if wrong:
                eta = by_hildreth((1 - (scores[label] - scores[wrong])) / (x @ x), x @ x)
                W[label] += eta.sum() * x
                W[wrong] -= eta[:, None] * x
                updates += 1
            total += W
    assert (ours.n_updates_, ours.n_mistakes_) == (updates, mistakes)
    close(ours.coef_, total / 600, 1e-8)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_votes_of_the_multiclass_hypotheses(kernel):
    X, y = load_iris(return_X_y=True)
    X, y = X[::2], y[::2]
    voted = AMIRA(
        multiclass="1-best", kernel=kernel, hypothesis="voted", augment=1.0, random_state=3, max_iter=2
    )
    share = voted.set_params(gamma=0.5).fit(X, y).decision_function(X[:20])
    one = AMIRA(multiclass="1-best", kernel=kernel, gamma=0.5, augment=1.0, shuffle=False)
    votes, moved = np.zeros((20, 3)), False
    for order in voted._orders(len(X)):
        for i in order:
            one.partial_fit(X[[i]], y[[i]], classes=[0, 1, 2])
            moved |= one.n_updates_ > 0
            if moved:
                votes[np.arange(20), one.decision_function(X[:20]).argmax(axis=1)] += 1
    close(share, votes / 150, 1e-12)


def test_scikit_learns_passive_aggressive_has_the_same_weights():
    X, y = load_iris(return_X_y=True)
    y = y == 1
    options = dict(learning_rate="pa1", eta0=1e12, loss="hinge", penalty=None, fit_intercept=False)
    peer = SGDClassifier(shuffle=False, max_iter=3, tol=None, **options).fit(X, y)
    ours = AMIRA(epsilon=0.0, tol=1e-15, shuffle=False, max_iter=3).fit(X, y)
    close(ours.coef_, peer.coef_, 1e-9)


def stream(seed, n=40, d=3, margin=0.05):
    sample = separable(n, d, margin=margin, random_state=seed)
    X, y = sample.data * np.random.default_rng(seed).uniform(0.5, 2.0, (n, 1)), sample.target
    return X, y, np.linalg.norm(X, axis=1).max(), maximum_margin(X, y, bias=False).margin


@seeded
@given(seeds, st.sampled_from([0.05, 0.1, 0.3]), st.sampled_from([1.0, 0.9, 0.5, 0.2]))
def test_updates_norm_and_margin_keep_their_bounds(seed, margin, epsilon):
    X, y, radius, gamma = stream(seed, margin=margin)
    model = AMIRA(epsilon=epsilon, max_iter=10**5, random_state=seed, record_trace=True).fit(X, y)
    assert model.converged_
    assert model.n_updates_ <= amira.bound_updates(radius, gamma, epsilon)
    assert np.sqrt(model.trace_["ww"].max()) <= amira.bound_norm(gamma, epsilon)
    w, nearest = model.coef_[0], maximum_margin(X, y, bias=False).coef / gamma
    rng = np.random.default_rng(seed)
    for v in nearest, *(nearest + 0.02 / gamma * rng.standard_normal((5, 3))):
        least = (y * (X @ v)).min()
        if least > 0:  # v / least has scores of 1 or more: one of the balls of the corollary
            assert w @ w <= (2 - epsilon) * (v @ w) / least * (1 + 1e-9)
    assert model.history_[-1].margin > amira.bound_margin(gamma, epsilon)
    # The perceptron with margin has the same guarantee, to the letter.
    b = (1 - epsilon) / epsilon * radius**2
    assert amira.bound_updates(radius, gamma, epsilon) == pytest.approx(
        perceptron.bound_updates(radius, gamma, b)
    )
    assert amira.bound_margin(gamma, epsilon) == pytest.approx(perceptron.bound_margin(radius, gamma, b))
    peer = Perceptron(margin=b, max_iter=10**5, random_state=seed).fit(X, y)
    assert peer.n_updates_ <= amira.bound_updates(radius, gamma, epsilon)


def test_the_bound_on_updates_is_reached_and_its_assumption_needed():
    X, y = np.vstack([np.eye(30), -np.eye(30)[:1]]), np.array([1] * 30 + [-1])
    model = AMIRA(epsilon=1.0, shuffle=False).fit(X, y)
    assert model.n_updates_ == 30 == round(amira.bound_updates(1.0, 1 / np.sqrt(30), 1.0))
    assert model.n_updates_ > amira.bound_updates(1.0, 1.01 / np.sqrt(30), 1.0)


@seeded
@given(seeds, st.sampled_from([1.0, 0.6, 0.2, 0.0]), st.floats(0.0, 0.4))
def test_the_sums_of_a_run_are_what_the_lemma_says(seed, epsilon, wrong):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 3)) * rng.uniform(0.2, 3.0, (40, 1))
    y = np.where(rng.random(40) < wrong, -1.0, 1.0) * np.sign(X[:, 0])
    y[-1] = -y[0]
    model = AMIRA(epsilon=epsilon, shuffle=False, max_iter=3, record_trace=True).fit(X, y)
    x, label = X[model.trace_["index"]], y[model.trace_["index"]]
    margins, tau, xx = label * model.trace_["score"], label * model.trace_["step"], (x**2).sum(axis=1)
    ww, total = (model.coef_**2).sum(), tau.sum()
    close(ww, (tau * (1 + margins)).sum(), 1e-9)
    close((tau**2 * xx).sum(), (tau * (1 - margins)).sum(), 1e-9)
    assert ww <= (2 - epsilon) * total * (1 + 1e-12)
    assert total >= epsilon * len(tau) / (X**2).sum(axis=1).max()


@seeded
@given(seeds, st.sampled_from([0.1, 0.3]), st.sampled_from([1.0, 0.5, 0.1, 0.0]))
def test_the_way_of_the_weights_keeps_its_bound(seed, margin, epsilon):
    X, y, radius, gamma = stream(seed, margin=margin)
    model = AMIRA(epsilon=epsilon, max_iter=200, random_state=seed, record_trace=True).fit(X, y)
    index = model.trace_["index"]
    steps = np.abs(model.trace_["step"]) * np.linalg.norm(X[index], axis=1)
    assert steps.sum() <= amira.bound_path(radius, gamma, epsilon)
    if epsilon == 0.0:
        short = 1.0 - y[index] * model.trace_["score"]
        for delta in (0.01, 0.1, 0.5):
            assert (short >= delta).sum() <= amira.bound_large(radius, gamma, delta)
        # long before the end, PA is near weights that meet every constraint
        w, best = model.coef_[0], maximum_margin(X, y, bias=False).coef / gamma
        assert (y * (X @ w)).min() > 0.999 and np.linalg.norm(w) <= 2 / gamma
        # and no farther from the best of them than it was at the start
        assert np.linalg.norm(w - best) <= 1 / gamma
        # in the limit it meets them all, with half of the margin
        end = AMIRA(epsilon=0.0, tol=1e-11, max_iter=10**5, random_state=seed).fit(X, y)
        limit = end.coef_[0]
        assert end.converged_ and (y * (X @ limit)).min() > 1 - 1e-10
        assert gamma / 2 * (1 - 1e-9) <= end.history_[-1].margin <= gamma * (1 + 1e-9)
        assert np.linalg.norm(limit) <= 2 / gamma
        assert steps.sum() + np.linalg.norm(limit - w) <= amira.bound_path(radius, gamma, epsilon)


def unit_stream(gamma, epsilon):
    """Unit vectors with ``u.x = gamma``, each with ``w.x = 1 - epsilon`` when it comes."""
    w, rows = np.zeros(3), []
    while (x := adversary(w, gamma, (1 - epsilon) * (1 - 1e-9))) is not None:
        rows.append(x)
        w = w + (1 - w @ x) * x
    return np.array(rows)


@pytest.mark.parametrize("epsilon", [0.9, 0.5, 0.2])
def test_theorem_1_is_tight(epsilon):
    for gamma, share in (0.2, 0.95), (0.05, 0.996):
        X = unit_stream(gamma, epsilon)
        y = np.where(np.arange(len(X)) % 2, 1.0, -1.0)
        model = AMIRA(epsilon=epsilon, shuffle=False, record_trace=True, max_iter=1)
        assert model.fit(X * y[:, None], y).n_updates_ == len(X)
        bound = amira.bound_updates(1.0, gamma, epsilon)
        assert share * bound < len(X) <= bound
        way = np.abs(model.trace_["step"]).sum()
        assert share * amira.bound_path(1.0, gamma, epsilon) < way <= amira.bound_path(1.0, gamma, epsilon)


def test_theorem_3_is_tight_for_mira():
    for theta in (1e-2, 1e-6):  # (1, s) and (1, -1/s + theta) with s = 1
        X = np.array([[1.0, 1.0], [-1.0, 1.0 - theta]])
        model = AMIRA(epsilon=1.0, shuffle=False).fit(X, [1, 0])
        assert model.converged_ and model.n_updates_ == 1
        assert 0 < model.history_[-1].margin < theta
        assert maximum_margin(X, [1, 0], bias=False).margin > 1 - 1e-12


@pytest.mark.parametrize("epsilon", [0.9, 0.5, 0.1, 0.01])
def test_theorem_3_is_tight(epsilon):
    """Examples ``(1, s)``: each has ``w.x = 1 - epsilon`` when it comes, the last a little more."""
    w, rows, s = np.zeros(2), [], 1e4
    while s > -1e4:
        rows.append([1.0, s])
        w = w + (1 - w @ rows[-1]) / (1 + s * s) * np.array(rows[-1])
        s = ((1 - epsilon) * (1 - 1e-9) - w[0]) / w[1]
    X = np.array([*rows, [1.0, ((1 - epsilon) * (1 + 1e-9) - w[0]) / w[1]]])
    y = np.where(np.arange(len(X)) % 2, 1.0, -1.0)
    model = AMIRA(epsilon=epsilon, shuffle=False, max_iter=2).fit(X * y[:, None], y)
    assert model.converged_ and model.n_updates_ == len(X) - 1
    gamma = maximum_margin(X * y[:, None], y, bias=False).margin
    assert gamma == pytest.approx(1.0)
    guarantee = amira.bound_margin(gamma, epsilon)
    assert guarantee < model.history_[-1].margin < guarantee * (1 + 1e-6)
    assert np.linalg.norm(model.coef_) > (1 - 1e-6) * amira.bound_norm(gamma, epsilon)


@seeded
@given(seeds, st.sampled_from([1.0, 0.5, 0.2]), st.floats(0.0, 50.0))
def test_a_start_away_from_zero_costs_its_distance_to_the_best_weights(seed, epsilon, away):
    X, y, radius, gamma = stream(seed)
    best = maximum_margin(X, y, bias=False).coef / gamma
    w, updates = away * np.random.default_rng(seed).standard_normal(3), 0
    start, before = w, -1
    while updates > before:
        before = updates
        for x, label in zip(X, y, strict=True):
            if label * (w @ x) <= 1 - epsilon:
                near = np.linalg.norm(w - best)
                w, updates = w + (label - w @ x) / (x @ x) * x, updates + 1
                assert np.linalg.norm(w - best) <= near * (1 + 1e-12)
    assert updates <= (radius * np.linalg.norm(start - best) / epsilon) ** 2


@seeded
@given(seeds, st.sampled_from([1.0, 0.5]), st.sampled_from([1, 2, 3]))
def test_the_multiclass_bounds_hold(seed, epsilon, k):
    rng = np.random.default_rng(seed)
    U = rng.standard_normal((4, 3))
    U /= np.linalg.norm(U)
    X = rng.standard_normal((200, 3)) * rng.uniform(0.5, 2.0, (200, 1))
    scores = np.sort(X @ U.T, axis=1)
    X = X[scores[:, -1] - scores[:, -2] > 0.1]
    y = (X @ U.T).argmax(axis=1)
    if len(set(y)) < 4:
        y[:4] = (X[:4] @ U.T).argmax(axis=1)
    scores = np.sort(X @ U.T, axis=1)
    gamma = (scores[:, -1] - scores[:, -2]).min()
    radius = np.sqrt(2) * np.linalg.norm(X, axis=1).max()
    model = AMIRA(multiclass="k-best", k=k, epsilon=epsilon, max_iter=3000, random_state=seed).fit(X, y)
    assert model.converged_ and model.n_updates_ <= amira.bound_updates(radius, gamma, epsilon)
    assert model.history_[-1].norm <= amira.bound_norm(gamma, epsilon)
    assert model.history_[-1].margin > amira.bound_margin(gamma, epsilon)


def deviations_of_updates(model, X, y, u, gamma):
    index = model.trace_["index"]
    return np.maximum(0.0, gamma - y[index] * (X[index] @ u)) / np.linalg.norm(X[index], axis=1)


@seeded
@given(seeds, st.floats(0.05, 2.0), st.sampled_from([1.0, 0.5, 0.1]), st.floats(0.0, 0.4), st.integers(1, 4))
def test_the_inseparable_bound_holds_in_any_number_of_passes(seed, gamma, epsilon, wrong, passes):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 3)) * rng.uniform(0.1, 3.0, (60, 1))
    u = rng.standard_normal(3)
    u /= np.linalg.norm(u)
    y = np.where(rng.random(60) < wrong, -1.0, 1.0) * np.sign(X @ u)
    y[-1] = -y[0]
    model = AMIRA(epsilon=epsilon, shuffle=False, max_iter=passes, record_trace=True).fit(X, y)
    radius = np.linalg.norm(X, axis=1).max()
    deviations = deviations_of_updates(model, X, y, u, gamma)
    assert model.n_updates_ <= amira.bound_inseparable(radius, gamma, epsilon, deviations)
    # and in the extended space the printed form holds
    errors = np.maximum(0.0, gamma - y * (X @ u))
    extended = AMIRA(epsilon=epsilon, noise_control=radius * np.linalg.norm(errors), max_iter=50).fit(X, y)
    assert extended.n_updates_ <= amira.bound_noise_control(radius, gamma, epsilon, errors)


@seeded
@given(seeds, st.floats(0.05, 2.0), st.sampled_from([1.0, 0.5]), st.sampled_from([1, 3]))
def test_the_inseparable_multiclass_bound_holds(seed, gamma, epsilon, k):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((50, 3)) * rng.uniform(0.2, 2.0, (50, 1)), rng.integers(4, size=50)
    y[:4] = np.arange(4)
    U = rng.standard_normal((4, 3))
    U /= np.linalg.norm(U)
    options = dict(multiclass="k-best", k=k, epsilon=epsilon, shuffle=False)
    model, deviations, updates = AMIRA(**options), [], 0
    for i in list(range(50)) * 2:
        scores = model.decision_function(X[[i]])[0] if updates else np.zeros(4)
        model.partial_fit(X[[i]], y[[i]], classes=range(4))
        if model.n_updates_ > updates:
            updates = model.n_updates_
            best = [z for z in np.argsort(-scores, kind="stable") if z != y[i]][:k]
            size = sum(scores[y[i]] - scores[z] <= 1 - epsilon for z in best)
            gap = min((U[y[i]] - U[z]) @ X[i] for z in range(4) if z != y[i])
            deviations.append(max(0.0, gamma - gap) / (np.linalg.norm(X[i]) * np.sqrt(1 + 1 / size)))
    radius = np.sqrt(2) * np.linalg.norm(X, axis=1).max()
    assert updates <= amira.bound_inseparable(radius, gamma, epsilon, deviations)


def test_the_inseparable_bound_without_deviations_is_theorem_1():
    for epsilon in (1.0, 0.3):
        ours = amira.bound_inseparable(2.0, 0.5, epsilon, [])
        assert ours == pytest.approx(amira.bound_updates(2.0, 0.5, epsilon))


def printed_theorem_4(radius, gamma, epsilon, errors, power):
    """``(2 - eps) / eps ((R + D) / gamma)^2`` with ``D^2`` the sum of ``e`` (as printed) or of ``e^2``."""
    return (2 - epsilon) / epsilon * ((radius + np.sqrt((errors**power).sum())) / gamma) ** 2


def test_theorem_4_as_printed_promises_no_mistake_at_all():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    y = np.append(np.where(rng.random(49) < 0.5, 1.0, -1.0), [1.0])
    mistakes = AMIRA(epsilon=1.0, shuffle=False, max_iter=1).fit(X, y).n_mistakes_
    u, radius = np.array([1.0, 0.0, 0.0]), np.linalg.norm(X, axis=1).max()
    bounds = [
        printed_theorem_4(radius, g, 1.0, np.maximum(0.0, g - y * (X @ u)), 1) for g in (10.0, 1e3, 1e6)
    ]
    assert mistakes > 5 and bounds[-1] < 1e-3 < bounds[0]
    # Units: the algorithm is the same on c X, the printed bound is not.
    scaled = AMIRA(epsilon=1.0, shuffle=False, max_iter=1).fit(100 * X, y)
    assert scaled.n_mistakes_ == mistakes
    errors = np.maximum(0.0, 1.0 - y * (X @ u))
    ratio = printed_theorem_4(100 * radius, 100.0, 1.0, 100 * errors, 1) / printed_theorem_4(
        radius, 1.0, 1.0, errors, 1
    )
    assert abs(ratio - 1) > 0.3


@pytest.mark.parametrize("delta, mistakes", [(1e-2, 46), (1e-4, 90), (1e-8, 177)])
def test_theorem_4_with_squared_losses_fails_on_short_examples(delta, mistakes):
    X, y = np.zeros((402, 401)), np.ones(402)
    X[0, 0], X[1:401, 0] = -delta, 1.0
    X[np.arange(1, 401), np.arange(1, 401)] = 3.0
    X[401], y[401] = X[400], -1.0  # the theorem is about inseparable sets
    model = AMIRA(epsilon=1.0, shuffle=False, record_trace=True)
    model.partial_fit(X, y, classes=[-1, 1])
    errors = np.maximum(0.0, 1.0 - y * X[:, 0])
    bound = printed_theorem_4(np.sqrt(10.0), 1.0, 1.0, errors, 2)
    assert model.n_mistakes_ == mistakes > bound and bound < 29.3
    deviations = deviations_of_updates(model, X, y, np.eye(401)[0], 1.0)
    assert model.n_updates_ <= amira.bound_inseparable(np.sqrt(10.0), 1.0, 1.0, deviations)


def test_theorem_4_with_squared_losses_fails_on_unit_vectors():
    """Three examples with ``u.z = 1/2`` and margin 0 to each with ``u.z = -1/2``, as opposite to w as can be.

    The next example is always the one that the algorithm can do least with.
    """
    w, rows = np.zeros(3), []
    for t in range(1000):
        side = -0.5 if t % 4 == 3 else 0.5
        rest, length = np.sqrt(0.75), np.hypot(w[1], w[2])
        along = np.array([w[1], w[2]]) / length if length else np.array([1.0, 0.0])
        across = np.array([-along[1], along[0]])
        if side < 0:
            cosine = -1.0
        else:
            cosine = np.clip(-side * w[0] / (rest * length), -1, 1) if length else 1.0
        cosine -= 1e-12 * (abs(cosine) < 1)
        plane = rest * (cosine * along + np.sqrt(1 - cosine**2) * across)
        z = np.array([side, *plane])
        assert w @ z <= 1e-12
        rows.append(z)
        w = w + (1 - w @ z) * z
    Z, gammas = np.array(rows), np.linspace(0.51, 3.0, 500)
    errors = [np.maximum(0.0, g - Z[:, 0]) for g in gammas]
    bound = min(printed_theorem_4(1.0, g, 1.0, e, 2) for g, e in zip(gammas, errors, strict=True))
    true = min(amira.bound_inseparable(1.0, g, 1.0, e) for g, e in zip(gammas, errors, strict=True))
    assert bound < 1000 <= true


def test_theorem_2_as_printed_changes_with_the_units():
    epsilon, radius, gamma = 0.5, 1.0, 0.1
    printed = [(2 - epsilon) / (c * gamma) * (radius / gamma) ** 2 for c in (1.0, 10.0, 1000.0)]
    assert printed[0] != printed[1]
    X, y, radius, gamma = stream(5)
    y = (y > 0).astype(int)
    updates = {
        AMIRA(multiclass="1-best", epsilon=0.5, shuffle=False).fit(c * X, y).n_updates_
        for c in (1.0, 64.0**2)
    }
    assert len(updates) == 1
    c = 64.0**4  # large enough units promise no update
    assert (2 - 0.5) / (c * gamma) * 2 * (radius / gamma) ** 2 < 1 < updates.pop()


@pytest.mark.parametrize(
    "epsilon, fraction", [(0.5, 0.512), (0.2, 0.4536), (0.1, 0.4824), (0.05, 0.4971), (0.0, 0.5069)]
)
def test_theorem_3_is_nearly_tight(epsilon, fraction):
    """The paper's guess of 1 - eps fails: in this order no more than about half of the margin is reached."""
    s = np.sinh(np.linspace(np.arcsinh(10.0), -np.arcsinh(10.0), 300))
    X = np.column_stack([np.ones(300), s])
    y = np.where(np.arange(300) % 2, 1.0, -1.0)  # -x of class -1 is x of class 1
    model = AMIRA(epsilon=epsilon, shuffle=False, max_iter=10**5).fit(X * y[:, None], y)
    assert model.converged_
    w = model.coef_[0]
    reached = (X @ w).min() / np.linalg.norm(w)
    assert reached == pytest.approx(fraction, abs=6e-4)
    assert amira.bound_margin(1.0, epsilon) < reached < max(1 - epsilon, 0.513)


def test_the_two_triggers_at_the_ends_of_epsilon():
    x = np.array([2.0, 0.0])
    # eps = 1 with `<` never starts: the first score is 0, and 0 < 0 is false.
    assert amira.violates(amira.Params(1.0, 1e-9), 0.0) and not 0.0 < 1 - 1.0
    # eps = 0 with `<=` never ends: a margin of exactly 1 calls for a step of length 0.
    model = AMIRA(epsilon=0.0, shuffle=False).partial_fit(x[None], [1], classes=[-1, 1])
    assert model.decision_function(x[None]) == 1.0 and 1.0 <= 1 - 0.0
    assert model.partial_fit(x[None], [1]).history_[-1].updates == 0
    # PA on two unit vectors at 120 degrees: the violation halves at every update, and the weights converge.
    X = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)]])
    endless = AMIRA(epsilon=0.0, tol=1e-13, shuffle=False, record_trace=True)
    for _ in range(40):
        endless.partial_fit(X, [1, 1], classes=[-1, 1])
    violations = 1 - endless.trace_["score"]
    close(violations[2:20] / violations[1:19], np.full(18, 0.5), 1e-6)
    reached = (X @ endless.coef_[0]).min() / np.linalg.norm(endless.coef_)
    assert reached == pytest.approx(0.5) and reached >= amira.bound_margin(0.5, 0.0)


def test_the_margin_of_the_augmented_space_is_another():
    X, y = np.array([[100.0], [101.0]]), np.array([-1, 1])
    plain = maximum_margin(X, y, bias=True).margin
    augmented = maximum_margin(np.hstack([X, np.ones((2, 1))]), y, bias=False).margin
    assert plain == pytest.approx(0.5) and augmented == pytest.approx(0.00497, abs=1e-5)
    assert (plain / augmented) ** 2 > 10**4  # what the bound on the updates grows by


@pytest.mark.parametrize("call", [
    lambda: amira.bound_updates(1.0, 0.0, 1.0),
    lambda: amira.bound_updates(1.0, 1.0, 0.0),
    lambda: amira.bound_norm(0.0, 1.0),
    lambda: amira.bound_path(1.0, 0.0, 0.0),
    lambda: amira.bound_large(1.0, 1.0, 0.0),
    lambda: amira.bound_inseparable(1.0, 1.0, 1.0, [-1.0]),
    lambda: amira.bound_noise_control(1.0, -1.0, 1.0, [1.0]),
])  # fmt: skip
def test_bounds_refuse_what_they_do_not_bound(call):
    with pytest.raises(ValueError, match="must"):
        call()
