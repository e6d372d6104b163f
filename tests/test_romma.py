"""ROMMA's step is the exact minimiser, its bounds hold, and the printed formulas fail where they err."""

from decimal import Decimal, localcontext
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close

from marginbook import ROMMA, maximum_margin
from marginbook.data.synthetic import adversary, separable
from marginbook.rules import perceptron, romma

seeded = settings(derandomize=True, deadline=None, max_examples=25)
seeds = st.integers(0, 10**6)
AGGRESSIVE = romma.Params(0.0)


def stepped(w, x, y, params=AGGRESSIVE):
    """The rule's new weights; its scalars are the exact ones, rounded."""
    exact = [dot(a, b) for a, b in ((w, x), (x, x), (w, w))]
    fires, scale, step, _ = romma.rule(params, romma.State(), y, *map(float, exact))
    return scale * np.array(w) + step * np.array(x) if fires else np.array(w)


def dot(a, b):
    """Inner product in rational arithmetic."""
    return sum(Fraction(float(p)) * Fraction(float(q)) for p, q in zip(a, b, strict=True))


def shortest(w, x, y):
    """The shortest v with v.w >= |w|^2 and y v.x >= 1, exactly: the best of the feasible points where the new
    constraint is tight, alone or with the old one. Below the resolution of margins, y x / |x|^2.
    """
    y = Fraction(y)
    k, Q, W = y * dot(w, x), dot(x, x), dot(w, w)
    points = [(Fraction(0), 1 / Q)]  # p, q of v = p w + q y x
    if Q * W != k * k:
        q = (1 - k) / (Q - k * k / W)  # from p W + q k = W and p k + q Q = 1
        points.append((1 - q * k / W, q))

    def square(v):
        return v[0] ** 2 * W + 2 * v[0] * v[1] * k + v[1] ** 2 * Q

    p, q = min((v for v in points if v[0] * W + v[1] * k >= W and v[0] * k + v[1] * Q >= 1), key=square)
    if square((p, q)) > min(romma.RESOLUTION**-2 / Q, Fraction(romma.LARGEST)):
        p, q = points[0]
    rows = zip(map(float, w), map(float, x), strict=True)
    return np.array([float(p * Fraction(a) + q * y * Fraction(b)) for a, b in rows])


def printed(w, x, y):
    """Formula (5) of the paper, used for every update but the first."""
    k, Q, W = y * (w @ x), x @ x, w @ w
    if W == 0:
        return y * x / Q
    return (Q * W - k) / (Q * W - k * k) * w + W * (1 - k) / (Q * W - k * k) * y * x


def run(X, y, delta, orders, step=stepped, start=None):
    """A plain transcription: explicit weights, one example at a time; the weights before every trial."""
    w, before, updates, mistakes = np.zeros(X.shape[1]) if start is None else start, [], [], 0
    for order in orders:
        for i in order:
            before.append(w)
            k = y[i] * (w @ X[i])
            mistakes += k <= 0
            if k <= 0 or k < 1 - max(delta, romma.TOLERANCE):
                w = step(w, X[i], y[i])
                updates.append(i)
    return np.array([*before, w]), updates, mistakes


def stream(seed, n=40, d=3, margin=0.1):
    """A separable sample, its radius, and its shortest separator with y u.x >= 1."""
    sample = separable(n, d, margin=margin, random_state=seed)
    X, y = sample.data, sample.target.astype(float)
    return X, y, np.linalg.norm(X, axis=1).max(), sample.separator / sample.margin


@seeded
@given(seeds, st.integers(2, 5), st.floats(-1.0, 1.0), st.sampled_from([0.3, 1.0, 3.0]))
def test_the_step_solves_the_problem_with_two_constraints(seed, d, cosine, length):
    rng = np.random.default_rng(seed)
    w, x = rng.standard_normal((2, d))
    x = length * (cosine * w / np.linalg.norm(w) + x / np.linalg.norm(x))
    if w @ x >= 1:
        w = w / (1.5 * (w @ x))
    v = cp.Variable(d)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(v)), [v @ w >= w @ w, v @ x >= 1])
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    close(stepped(w, x, 1.0), v.value, 1e-8)
    close(stepped(w, -x, -1.0), v.value, 1e-8)


@seeded
@given(seeds, st.sampled_from([-150, -75, 0, 75, 150]), st.sampled_from([1e-4, 1e-2, 1.0]), st.booleans())
def test_the_step_is_exact_at_all_scales_and_angles(seed, exponent, spread, against):
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(3)
    x = rng.uniform(0.1, 2.0) * (w / np.linalg.norm(w) + spread * rng.standard_normal(3))
    w, x, y = w * 10.0**-exponent, x * 10.0**exponent, -1.0 if against else 1.0
    if y * (w @ x) >= 1 - 1e-6:
        x = x / (2 * w @ x)
    sin2 = float(1 - dot(w, x) ** 2 / (dot(w, w) * dot(x, x)))
    close(stepped(w, x, y), shortest(w, x, y), 1e-14 + 1e-15 / sin2)


@pytest.mark.parametrize("of_w, of_x", [(1e-150, 1e-150), (1e-120, 1e-60), (1e150, 1e-150), (1e150, 1e150)])
def test_the_step_is_exact_where_the_product_of_the_norms_leaves_the_range(of_w, of_x):
    for x, y in (([1.0, 1.0], -1.0), ([-1.0, 0.5], 1.0), ([0.0, 1.0], 1.0)):
        w, x = np.array([of_w, 0.0]), of_x * np.array(x)
        close(stepped(w, x, y), shortest(w, x, y), 1e-13)


@pytest.mark.parametrize("w", [[0.0, 0.0], [0.25, 0.0], [0.5, 0.0]])
def test_from_zero_and_along_x_the_step_is_x_over_its_square(w):
    np.testing.assert_allclose(stepped(w, [2.0, 0.0], 1.0, romma.Params(1e-3)), [0.5, 0.0], rtol=1e-15)


def test_the_printed_formula_loses_the_slack_case():
    """The paper carries formula (5) over from mistakes to aggressive updates, where it need not hold."""
    w, x = np.array([0.5, 0.0]), np.array([1.0, 0.1])
    assert printed(w, x, 1.0) == pytest.approx([0.5, 5.0])
    close(stepped(w, x, 1.0), x / 1.01, 1e-15)
    X, y, delta = np.array([[2.0, 0.0], [-1.0, -0.1]]), np.array([1.0, -1.0]), 0.01
    best = maximum_margin(X, y, bias=False).margin
    orders = [np.arange(2)] * 50
    stopped = run(X, y, delta, orders, printed)[0][-1]
    assert (y * (X @ stopped)).min() >= 1 - delta  # it converges, and to a margin of a fifth
    assert (y * (X @ stopped)).min() / np.linalg.norm(stopped) == pytest.approx(0.198 * best, rel=3e-3)
    model = ROMMA(delta=delta, shuffle=False).fit(X, y)
    assert model.converged_ and model.history_[-1].margin >= romma.bound_margin(best, delta)


def test_the_printed_trigger_never_starts():
    """``y w.x < 1 - delta`` alone, as one paper prints it, ignores zero scores where ``delta = 1``."""
    y, score, delta = 1.0, 0.0, 1.0
    assert not y * score < 1 - delta
    assert romma.rule(romma.Params(delta), romma.State(), y, score, 1.0, 0.0)[0]
    X, labels = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), [1, 1, -1]
    assert ROMMA(shuffle=False, max_iter=1).fit(X, labels).n_updates_ == 2  # the second score is zero


@seeded
@given(seeds, st.floats(0.1, 0.99), st.integers(-200, 99), st.floats(0.3, 3.0))
def test_the_old_constraint_is_slack_only_after_a_right_score_of_a_short_example(seed, sine, percent, length):
    rng, k = np.random.default_rng(seed), percent / 100
    w, x = rng.standard_normal((2, 3))
    x -= (x @ w) / (w @ w) * w
    w, x = w / np.linalg.norm(w), length * sine * x / np.linalg.norm(x)
    x = x + length * np.sqrt(1 - sine**2) * np.sign(k) * w
    w = w * k / (w @ x) if k else w
    v = stepped(w, x, 1.0)
    assert v @ x == pytest.approx(1.0)
    if v @ w > w @ w * (1 + 1e-9):
        assert 0 < w @ x >= (w @ w) * (x @ x)
        assert np.linalg.norm(x) * np.linalg.norm(w) < 1
        close(v, x / (x @ x), 1e-9)
    if k <= 0 or np.linalg.norm(x) * np.linalg.norm(w) >= 1:
        assert v @ w == pytest.approx(w @ w)


def test_margins_within_rounding_of_one_cause_no_update():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((200, 7))
    for params in (AGGRESSIVE, romma.Params(1e-12)):
        for x in rows:  # one example: its score is 1 but for rounding
            w = stepped(np.zeros(7), x, 1.0, params)
            np.testing.assert_array_equal(stepped(w, x, 1.0, params), w)
    X, y = np.vstack([np.eye(7), -np.eye(7)]) * 0.3, np.repeat([1, -1], 7)
    model = ROMMA(delta=0.0, random_state=0).fit(X, y)
    assert model.converged_ and model.n_iter_ == 2
    assert not romma.rule(AGGRESSIVE, romma.State(), 1.0, 1.0 - 1e-10, 1.0, 1.0)[0]
    assert romma.rule(AGGRESSIVE, romma.State(), 1.0, 1.0 - 1e-8, 1.0, 1.0)[0]


@pytest.mark.parametrize("delta", [1.0, 0.3, 0.0])
@pytest.mark.parametrize("noise, rho", [(0.0, 0.0), (0.5, 0.0), (0.0, 1.0), (0.25, 0.5)])
def test_the_run_is_that_of_a_plain_transcription(delta, noise, rho):
    X, y, _, _ = stream(3, n=50, d=4, margin=0.05)
    orders = [np.random.default_rng(0).permutation(50)] * 4
    explicit = np.hstack([X, np.full((50, 1), rho), np.sqrt(noise) * np.eye(50)])
    hypotheses, updates, mistakes = run(explicit, y, delta, orders)
    assert len(updates) > 2
    options = {"delta": delta, "noise_control": noise, "augment": rho, "shuffle": "once", "max_iter": 4}
    for form in ({}, {"kernel": "poly", "degree": 1, "gamma": 1.0, "coef0": 0.0}):
        model = ROMMA(**options, **form, random_state=0, record_trace=True).fit(X, y)
        assert model.trace_["index"].tolist() == updates and model.n_mistakes_ == mistakes
        close(model.decision_function(X), explicit[:, :5] @ hypotheses[-1][:5], 1e-9)
        close(model.history_[-1].norm, np.linalg.norm(hypotheses[-1]), 1e-9)


def quadratic(X):
    """The feature map of ``(1 + x.x')^2`` in the plane; the first feature is the constant."""
    a, b = X.T
    root = np.sqrt(2.0)
    return np.column_stack([np.ones(len(X)), root * a, root * b, a * a, b * b, root * a * b])


@pytest.mark.parametrize("delta", [1.0, 0.0])
@pytest.mark.parametrize("kind", ["last", "averaged", "voted"])
def test_from_the_image_of_zero_all_hypotheses_are_those_of_a_transcription(kind, delta):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 2))
    y = np.where((X**2).sum(axis=1) + X[:, 0] > 1.5, 1.0, -1.0)
    y[0], X[0] = 1.0, [1.5, 0.5]  # w_1 = Phi(0) scores it right: the start survives the first trial
    new = rng.standard_normal((30, 2))
    forms = [
        (quadratic, {"kernel": "poly", "degree": 2, "gamma": 1.0}, 6),
        (lambda X: np.hstack([X, np.full((len(X), 1), 2.0)]), {"augment": 2.0, "noise_control": 0.5}, 3),
    ]
    for features, form, d in forms:
        private = np.sqrt(form.get("noise_control", 0.0)) * np.eye(60)
        explicit = np.hstack([features(X), private])
        start = np.append(features(np.zeros((1, 2)))[0], np.zeros(60))
        hypotheses, updates, mistakes = run(explicit, y, delta, [np.arange(60)] * 2, start=start)
        assert updates[0] > 0 or delta == 0.0
        scores = features(new) @ hypotheses[:, :d].T
        after = scores[:, 1:]  # the hypothesis left by a trial is counted for it
        expected = {
            "last": scores[:, -1],
            "averaged": after.mean(axis=1),
            "voted": np.sign(after).mean(axis=1),
        }
        model = ROMMA(delta=delta, start="bias", hypothesis=kind, shuffle=False, max_iter=2, **form).fit(X, y)
        assert (model.n_updates_, model.n_mistakes_) == (len(updates), mistakes)
        close(model.decision_function(new), expected[kind], 1e-9)
        pieces = ROMMA(delta=delta, start="bias", hypothesis=kind, **form)
        for part in np.array_split(np.arange(60), 3):
            pieces.partial_fit(X[part], y[part], classes=[-1.0, 1.0])
        once = ROMMA(delta=delta, start="bias", hypothesis=kind, shuffle=False, max_iter=1, **form).fit(X, y)
        close(pieces.decision_function(new), once.decision_function(new), 1e-9)


def test_from_the_image_of_zero_every_trial_can_be_a_mistake():
    """The paper starts its MNIST runs at Phi(0). With K = 1 + x x' that voids every bound."""
    X, y = np.array([[1.0], [3.0]]), np.array([-1, 1])
    line = ROMMA(kernel="poly", degree=1, gamma=1.0, shuffle=False)
    assert line.fit(X, y).n_updates_ == 2 and line.converged_
    with localcontext(prec=300):  # without the restart
        rows, w = [(Decimal(1), Decimal(1)), (Decimal(1), Decimal(3))], (Decimal(1), Decimal(0))
        first = []  # w_0 after each trial of x = 1
        for t in range(200):
            (x0, x1), sign = rows[t % 2], (-1, 1)[t % 2]
            k, Q, W = sign * (w[0] * x0 + w[1] * x1), x0 * x0 + x1 * x1, w[0] * w[0] + w[1] * w[1]
            assert k <= 0
            c, d = (Q * W - k) / (Q * W - k * k), W * (1 - k) / (Q * W - k * k)
            w = c * w[0] + d * sign * x0, c * w[1] + d * sign * x1
            first += [w[0]] * (sign < 0)
        assert first[0] == 1 and all(4 * b >= 5 * a for a, b in zip(first, first[1:], strict=False))
        assert w[0] * w[0] + w[1] * w[1] > 10**18
    bias = line.set_params(start="bias", max_iter=50).fit(X, y)
    best = maximum_margin(X, y, bias=False, augment=1.0).margin
    assert (
        bias.n_mistakes_ == 100 > romma.bound_mistakes(np.sqrt(10.0), best) and bias.history_[-1].norm > 1e5
    )


def test_the_start_at_the_bias_is_refused_where_there_is_none():
    X, y = np.array([[1.0], [3.0]]), [-1, 1]
    with pytest.raises(ValueError, match="precomputed kernel lacks"):
        ROMMA(kernel="precomputed", start="bias").fit(X @ X.T, y)
    for form in ({}, {"kernel": "poly", "coef0": 0.0}):
        with pytest.raises(ValueError, match="needs a bias"):
            ROMMA(start="bias", **form).fit(X, y)
    for bad in ({"delta": -0.1}, {"delta": 1.1}, {"start": "zero"}):
        with pytest.raises(ValueError, match=f"'{next(iter(bad))}' parameter of ROMMA"):
            ROMMA(**bad).fit(X, y)


@seeded
@given(seeds, st.integers(2, 5))
def test_a_closed_convex_set_lies_in_the_half_space_of_its_shortest_vector(seed, d):
    rng = np.random.default_rng(seed)
    inner = rng.standard_normal(d)  # a point of the set: half-spaces around it, cut by a ball without 0
    A = rng.standard_normal((6, d))
    v = cp.Variable(d)
    members = [
        A @ v >= A @ inner - rng.uniform(0.0, 0.5, 6),
        cp.norm(v - 2 * inner) <= 1.5 * np.linalg.norm(inner),
    ]
    precise = {"solver": "CLARABEL", "tol_gap_abs": 1e-9, "tol_gap_rel": 1e-9, "tol_feas": 1e-9}
    cp.Problem(cp.Minimize(cp.sum_squares(v)), members).solve(**precise)
    w = v.value
    least = cp.Problem(cp.Minimize(v @ w), members).solve(**precise)  # over the whole set
    assert least == pytest.approx(w @ w, rel=1e-6, abs=1e-8)
    for x in rng.standard_normal((20, d)):  # in the half-space, of the set or not
        x = x + max(0.0, 1 - x @ w / (w @ w)) * w
        assert x @ x >= (w @ w + (x - w) @ (x - w)) * (1 - 1e-12)


@seeded
@given(seeds, st.sampled_from([1.0, 0.5, 0.1]), st.booleans())
def test_the_separator_stays_in_the_half_space_and_the_norm_grows(seed, delta, stretched):
    X, y, _, u = stream(seed, margin=0.05)
    if stretched:  # long and short rows: the slack case occurs
        X = X * np.exp(np.random.default_rng(seed).standard_normal((len(X), 1)))
        X, u = X, u / (y * (X @ u)).min()
    orders = [np.random.default_rng([seed, e]).permutation(len(X)) for e in range(20)]
    hypotheses, updates, _ = run(X, y, delta, orders)
    moved = hypotheses[1:][(np.diff(hypotheses, axis=0) != 0).any(axis=1)]
    assert (np.linalg.norm(moved, axis=1) <= np.linalg.norm(u) * (1 + 1e-9)).all()
    assert (moved @ u >= (moved**2).sum(axis=1) * (1 - 1e-9)).all()
    np.testing.assert_allclose((y[updates, None] * X[updates] * moved).sum(axis=1), 1.0, rtol=1e-9)
    before = np.vstack([np.zeros(X.shape[1]), moved[:-1]])
    gain = (moved**2).sum(axis=1) - (before**2).sum(axis=1)
    missing = 1 - (y[updates, None] * X[updates] * before).sum(axis=1)
    least = missing**2 / (X[updates] ** 2).sum(axis=1)
    assert (gain >= least - 1e-9 * (moved**2).sum(axis=1)).all()


@seeded
@given(seeds, st.integers(4, 60), st.integers(2, 6), st.sampled_from([0.02, 0.1, 0.3]))
def test_theorems_3_and_5_hold_and_the_margin_is_reached(seed, n, d, margin):
    X, y, radius, u = stream(seed, n, d, margin)
    gamma = 1 / np.linalg.norm(u)
    for delta in (1.0, 0.5, 0.1):
        model = ROMMA(delta=delta, max_iter=10**6, random_state=seed, record_trace=True).fit(X, y)
        assert model.converged_
        assert model.n_mistakes_ <= romma.bound_mistakes(radius, gamma)
        assert model.n_updates_ <= romma.bound_updates(radius, gamma, delta)
        assert model.history_[-1].margin >= romma.bound_margin(gamma, delta) * (1 - 1e-9)
        assert model.history_[-1].margin <= gamma * (1 + 1e-9)
        scores = model.trace_["score"] * y[model.trace_["index"]]
        for larger in (x for x in (0.3, 0.5, 0.8, 1.0) if x >= delta):
            count = ((scores < 1 - larger) | (scores <= 0)).sum()
            assert count <= romma.bound_updates(radius, gamma, larger)


def test_unit_vectors_reach_theorem_3():
    X, y = np.vstack([np.eye(30), -np.eye(30)[:1]]), np.array([1] * 30 + [-1])
    model = ROMMA(shuffle=False).fit(X, y)
    assert model.n_mistakes_ == 30 == round(romma.bound_mistakes(1.0, 1 / np.sqrt(30)))
    assert model.n_mistakes_ > romma.bound_mistakes(1.0, 1.01 / np.sqrt(30))


def test_an_adversary_comes_near_theorem_5():
    """Unit vectors of margin gamma whose score is just below 1 - delta, until there is none."""
    delta, gamma = 0.3, 0.1
    w, rows = np.zeros(3), []
    while (x := adversary(w, gamma, 1 - delta - 1e-9)) is not None:
        rows.append(x)
        w = stepped(w, x, 1.0)
    n = len(rows)
    model = ROMMA(delta=delta).partial_fit(rows, np.ones(n), classes=[-1, 1])
    assert model.n_updates_ == n
    assert 0.95 * romma.bound_updates(1.0, gamma, delta) < n <= romma.bound_updates(1.0, gamma, delta)
    assert n > romma.bound_updates(1.0, gamma, 1.05 * delta)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_aggressive_algorithm_approaches_the_maximum_margin(seed):
    X, y, _, u = stream(seed)
    model = ROMMA(delta=0.0, max_iter=3000, random_state=seed).fit(X, y)
    margin = (y * (X @ model.coef_[0])).min() / np.linalg.norm(model.coef_)
    assert 0.99 < margin * np.linalg.norm(u) <= 1 + 1e-9


def test_on_inseparable_data_the_weights_start_again():
    twice, y = np.array([[1.0, 2.0], [1.0, 2.0], [-3.0, 1.0]]), [1, -1, -1]
    model = ROMMA(shuffle=False, max_iter=3, record_trace=True).fit(twice, y)
    assert not model.converged_ and (model.trace_["scale"][1:] == 0.0).any()
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 3)), np.where(rng.random(200) < 0.5, 1, -1)
    for form in ({}, {"kernel": "poly", "degree": 1, "gamma": 1.0, "coef0": 0.0}):
        model = ROMMA(random_state=0, max_iter=20, record_trace=True, **form).fit(X, y)
        xx = (X[model.trace_["index"]] ** 2).sum(axis=1)
        assert (model.trace_["scale"] == 0.0).sum() > 3
        assert (model.trace_["ww"] * xx <= 1.1 / romma.RESOLUTION**2).all()


@seeded
@given(seeds, st.sampled_from([0.1, 0.5, 2.0]), st.sampled_from([1.0, 0.3]))
def test_the_bound_with_noise_control_holds_on_noisy_data_in_every_pass(seed, lam, delta):
    rng = np.random.default_rng(seed)
    sample = separable(60, 3, margin=0.3, random_state=seed)
    X, y = sample.data, np.where(rng.random(60) < 0.15, -1.0, 1.0) * sample.target
    y[0], X[1], y[1] = 1.0, X[0], -1.0  # one example has both labels
    radius = np.linalg.norm(X, axis=1).max()
    model = ROMMA(delta=delta, noise_control=lam, random_state=seed, max_iter=3000).fit(X, y)
    assert model.converged_
    bounds = []
    for u in (sample.separator, rng.standard_normal(3), y @ X):
        for gamma in (0.1, 0.3, 0.6):
            lacks = np.maximum(0, gamma - y * (X @ u) / np.linalg.norm(u))
            bounds.append(romma.bound_noise_control(radius, gamma, lacks, lam, delta))
            best = radius * np.linalg.norm(lacks)
            freund_schapire = perceptron.bound_freund_schapire(radius, gamma * delta, lacks)
            assert romma.bound_noise_control(radius, gamma, lacks, best, delta) == pytest.approx(
                freund_schapire
            )
            assert bounds[-1] >= freund_schapire * (1 - 1e-12)
    assert model.n_updates_ <= min(bounds)
    gamma = maximum_margin(X, y, bias=False, noise_control=lam).margin
    assert (
        model.n_updates_
        <= romma.bound_updates(np.sqrt(radius**2 + lam), gamma, delta)
        <= min(bounds) * (1 + 1e-6)
    )


def test_without_noise_control_inseparable_data_break_its_bound():
    X, y = np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([1, -1])
    bound = romma.bound_noise_control(1.0, 1.0, [0.0, 2.0], 2.0)
    assert ROMMA(noise_control=2.0, shuffle=False, max_iter=100).fit(X, y).n_mistakes_ <= bound == 9
    assert ROMMA(shuffle=False, max_iter=100).fit(X, y).n_mistakes_ == 200


def test_the_norm_after_a_step_is_that_of_the_multipliers():
    """|w'|^2 = scale |w|^2 + |step|, in both cases: what the kernel form needs for its recurrence."""
    rng = np.random.default_rng(0)
    slack = 0
    for _ in range(300):
        w, x = rng.standard_normal((2, 3)) * rng.uniform(0.2, 2.0, size=(2, 1))
        y = rng.choice([-1.0, 1.0])
        if y * (w @ x) >= 1:
            continue
        _, scale, step, _ = romma.rule(AGGRESSIVE, romma.State(), y, w @ x, x @ x, w @ w)
        slack += scale == 0.0
        v = scale * w + step * x
        assert v @ v == pytest.approx(scale * (w @ w) + abs(step))
        assert y * (w @ x) > 0 or scale >= 1.0
    assert slack > 10


@pytest.mark.parametrize(
    "call",
    [
        lambda: romma.bound_noise_control(1.0, 1.0, [0.0], 0.0),
        lambda: romma.bound_noise_control(1.0, 1.0, [-1.0], 1.0),
        lambda: romma.bound_mistakes(1.0, 0.0),
        lambda: romma.bound_ideal(1.0, -1.0),
        lambda: romma.bound_updates(1.0, 0.0, 0.5),
        lambda: romma.bound_updates(1.0, 1.0, 0.0),
        lambda: romma.bound_updates(1.0, 1.0, 1.5),
        lambda: romma.bound_margin(0.0, 0.5),
        lambda: romma.bound_margin(1.0, -0.5),
    ],
)
def test_bounds_refuse_what_they_do_not_bound(call):
    with pytest.raises(ValueError, match="must be"):
        call()
