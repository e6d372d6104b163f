"""The ideal online algorithm has the maximum margin of what it has met, before every trial."""

import pickle
import warnings

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close
from scipy import sparse
from sklearn.datasets import load_iris
from test_cases import HOSTILE, sample

from marginbook import ROMMA, IdealMargin, maximum_margin
from marginbook.data.synthetic import separable
from marginbook.engines.ideal import ascend
from marginbook.kernels import Kernel
from marginbook.margins import geometric_margin
from marginbook.rules import romma

seeded = settings(derandomize=True, deadline=None, max_examples=20)
seeds = st.integers(0, 10**6)
NOISY = {"noise_control": 0.5, "tol": 1e-10}  # every sample is separable


def shortest(X, y):
    """The shortest w with y w.x >= 1, by an interior-point solver."""
    w = cp.Variable(X.shape[1])
    problem = cp.Problem(cp.Minimize(cp.sum_squares(w)), [cp.multiply(y, X @ w) >= 1])
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    return w.value


def test_before_every_trial_it_is_the_shortest_separator_of_the_earlier_examples():
    bunch = separable(25, 3, margin=0.05, random_state=4)
    X, y = bunch.data, bunch.target.astype(float)
    model, mistakes = IdealMargin(tol=1e-11), 0
    for t in range(len(y)):
        w = shortest(X[:t], y[:t]) if t else np.zeros(3)
        if t:
            close(model.coef_[0], w, 1e-5)
            assert np.linalg.norm(model.coef_) <= np.linalg.norm(w) * (1 + 1e-8)
        mistakes += t == 0 or y[t] * (w @ X[t]) <= 0
        model.partial_fit(X[[t]], y[[t]], classes=[-1.0, 1.0])
        assert model.n_mistakes_ == mistakes
        assert (y[: t + 1] * model.decision_function(X[: t + 1]) >= 1 - 1e-10).all()
    whole = IdealMargin(shuffle=False, tol=1e-11).fit(X, y)
    assert whole.n_mistakes_ == mistakes > 2 and whole.n_updates_ == model.n_updates_
    close(whole.coef_, model.coef_, 1e-8)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"augment": 0.5},
        {"noise_control": 0.3},
        {"augment": 1.0, "noise_control": 0.3},
        {"kernel": "rbf", "gamma": 0.7},
        {"kernel": "poly", "degree": 2, "gamma": 0.5, "noise_control": 0.1},
        {"kernel": "precomputed", "augment": 1.0},
    ],
    ids=str,
)
def test_in_the_end_it_has_the_maximum_margin(form):
    bunch = separable(60, 4, margin=0.05, random_state=1)
    X, y = bunch.data, bunch.target
    if form.get("kernel") == "precomputed":
        X = X @ X.T
    best = maximum_margin(X, y, bias=False, **form)
    model = IdealMargin(random_state=0, max_iter=2, **form).fit(X, y)
    assert model.n_iter_ == 2 and model.history_[1].updates == model.history_[1].mistakes == 0
    assert model.converged_
    for row in model.history_:
        assert row.margin == pytest.approx(best.margin, rel=3e-6)
        assert row.norm == pytest.approx(1 / best.margin, rel=3e-6)
    if not form:
        close(model.coef_[0], best.coef / best.margin, 1e-2)
        assert geometric_margin(model, X, y) >= (1 - 1e-6) * best.margin


@seeded
@given(seeds, st.integers(4, 60), st.integers(2, 8), st.sampled_from([0.01, 0.1, 0.3]))
def test_theorem_4_holds(seed, n, d, margin):
    bunch = separable(n, d, margin=margin, random_state=seed)
    radius = np.linalg.norm(bunch.data, axis=1).max()
    model = IdealMargin(random_state=seed).fit(bunch.data, bunch.target)
    assert 1 <= model.n_mistakes_ <= romma.bound_ideal(radius, margin * (1 - 1e-9))
    assert model.history_[0].margin == pytest.approx(margin, rel=1e-5)


def test_unit_vectors_reach_theorem_4():
    X, y = np.vstack([np.eye(20), -np.eye(20)[:1]]), np.array([1] * 20 + [-1])
    model = IdealMargin(shuffle=False).fit(X, y)
    assert model.n_mistakes_ == 20 == round(romma.bound_ideal(1.0, 1 / np.sqrt(20)))
    assert model.n_mistakes_ > romma.bound_ideal(1.0, 1.01 / np.sqrt(20))


def test_the_hypothesis_that_predicts_a_trial_does_not_know_its_label():
    """The paper prints constraints for all s <= t: such a hypothesis makes no mistake on separable data."""
    bunch = separable(20, 3, margin=0.05, random_state=0)
    X, y = bunch.data, bunch.target.astype(float)
    printed = sum(y[t] * (shortest(X[: t + 1], y[: t + 1]) @ X[t]) <= 0 for t in range(20))
    assert printed == 0 < IdealMargin(shuffle=False).fit(X, y).n_mistakes_


def test_the_first_two_updates_are_those_of_romma():
    X, y = np.array([[2.0, 1.0, 0.0], [-1.0, 2.0, 1.0], [0.5, 0.5, -2.0]]), np.array([1, 1, -1])
    relaxed = ROMMA(delta=0.0, shuffle=False, max_iter=1).fit(X[:2], [1, -1])
    close(IdealMargin(shuffle=False, tol=1e-12).fit(X[:2], [1, -1]).coef_, relaxed.coef_, 1e-6)
    ideal = IdealMargin(shuffle=False).fit(X, y)
    relaxed = ROMMA(delta=0.0, shuffle=False, max_iter=1).fit(X, y)
    assert ideal.history_[-1].norm >= relaxed.history_[-1].norm  # ROMMA forgets constraints


@pytest.mark.parametrize("classes", [2, 3])
def test_all_forms_of_rows_and_kernels_agree(classes):
    X, y = sample(classes=classes)
    X[X < -0.5] = 0.0
    new, K = sample(seed=1)[0], X @ X.T
    for options in ({}, {"augment": 0.5}):
        dense = IdealMargin(**NOISY, **options, shuffle=False).fit(X, y)
        for form, rows, others in (
            ({}, sparse.csr_matrix(X), sparse.csr_matrix(new)),
            ({"kernel": "poly", "degree": 1, "gamma": 1.0, "coef0": 0.0}, X, new),
            ({"kernel": "poly", "degree": 1, "gamma": 1.0, "coef0": 0.0}, sparse.csr_matrix(X), new),
            ({"kernel": "precomputed"}, K, new @ X.T),
        ):
            model = IdealMargin(**NOISY, **options, **form, shuffle=False).fit(rows, y)
            assert (model.n_mistakes_, model.n_updates_) == (dense.n_mistakes_, dense.n_updates_)
            close(model.decision_function(others), dense.decision_function(new), 1e-7)
        for k in range(classes if classes > 2 else 0):
            alone = IdealMargin(**NOISY, **options, shuffle=False).fit(X, y == k)
            close(alone.coef_[0], dense.coef_[k], 1e-7)


def test_noise_control_and_augment_are_explicit_coordinates():
    X, y = sample()
    ours = IdealMargin(noise_control=0.49, augment=1.5, shuffle=False, tol=1e-10).fit(X, y)
    extended = np.hstack([X, np.full((len(X), 1), 1.5), 0.7 * np.eye(len(X))])
    explicit = IdealMargin(shuffle=False, tol=1e-10).fit(extended, y)
    assert (ours.n_mistakes_, ours.n_updates_) == (explicit.n_mistakes_, explicit.n_updates_)
    close(ours.coef_, explicit.coef_[:, :5], 1e-7)
    close(ours.intercept_, 1.5 * explicit.coef_[:, 5], 1e-7)


@pytest.mark.parametrize("form", [{}, {"kernel": "rbf", "gamma": 0.5}, {"augment": 1.0}], ids=str)
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_a_stream_in_pieces_gives_what_the_whole_gives(form, convert):
    X, y = sample()
    whole, pieces = IdealMargin(**NOISY, **form, shuffle=False).fit(X, y), IdealMargin(**NOISY, **form)
    for part in np.array_split(np.arange(len(X)), 7):
        pieces.partial_fit(convert(X[part]), y[part], classes=[0, 1, 2])
    assert (pieces.n_mistakes_, pieces.n_updates_) == (whole.n_mistakes_, whole.n_updates_)
    close(pieces.decision_function(X), whole.decision_function(X), 1e-7)
    stored = pickle.loads(pickle.dumps(pieces))
    for model in (stored, pieces):
        model.partial_fit(convert(X[:5]), y[:5])
    np.testing.assert_array_equal(stored.decision_function(X), pieces.decision_function(X))


def test_inseparable_examples_are_refused_and_noise_control_takes_them():
    X, y = load_iris(return_X_y=True)
    fresh = IdealMargin()
    with pytest.raises(ValueError, match=r"first \d+ examples are inseparable.*set noise_control"):
        fresh.fit(X, y)
    assert not hasattr(fresh, "coef_")
    assert IdealMargin(noise_control=1.0, augment=1.0).fit(X, y).score(X, y) > 0.9
    twice = np.array([[1.0, 2.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="inseparable"):
        IdealMargin().fit(twice, [0, 1])


def test_a_refused_piece_of_a_stream_leaves_the_rest_of_it():
    bunch = separable(40, 3, margin=0.1, random_state=0)
    X, y = bunch.data, bunch.target
    model, other = IdealMargin().partial_fit(X[:20], y[:20]), IdealMargin().partial_fit(X[:20], y[:20])
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="inseparable"):
        model.partial_fit(np.vstack([X[20:], X[:5]]), np.append(y[20:], -y[:5]))
    np.testing.assert_array_equal(model.decision_function(X), before)
    for stream in (model, other):
        stream.partial_fit(X[20:], y[20:])
    np.testing.assert_array_equal(model.coef_, other.coef_)
    assert model.n_updates_ == other.n_updates_


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_data_give_finite_results_or_a_clear_error(name, noise, kernel):
    X, y = HOSTILE[name](*sample(classes=2))
    scale = max(np.abs(X).max(), 1e-300) ** 2 if kernel == "linear" else 1.0
    model = IdealMargin(kernel=kernel, gamma=1.0, noise_control=noise * scale)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            model.fit(X, y)
        except (ValueError, RuntimeError) as error:
            told = ("scale the data",) if noise else ("scale the data", "inseparable", "raise tol")
            assert any(words in str(error) for words in told)  # noqa: PT017
            return
    assert np.isfinite(model.decision_function(X)).all() and np.isfinite(model.history_[0].norm)


def test_a_small_margin_far_from_the_origin_is_found():
    rng = np.random.default_rng(0)
    X = 100.0 + rng.standard_normal((40, 6))
    y = np.where(X[:, 0] > X[:, 1], 1, -1)
    best = maximum_margin(X, y, bias=False)
    model = IdealMargin(random_state=0).fit(X, y)
    assert best.margin < 1e-3 * np.linalg.norm(X, axis=1).max()
    assert geometric_margin(model, X, y) >= best.margin * (1 - 2e-6)


def test_a_tolerance_below_rounding_is_told():
    X = 100.0 + np.random.default_rng(0).standard_normal((40, 6))
    with pytest.raises(RuntimeError, match="rounding.*raise tol"):
        IdealMargin(tol=1e-16, random_state=0).fit(X, X[:, 0] > X[:, 1])


def test_zero_rows_are_mistakes_and_no_constraints():
    X, y = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, -1.0]]), [1, 1, -1]
    model = IdealMargin(shuffle=False, max_iter=3).fit(X, y)
    assert not model.converged_ and model.history_[1][:4] == (2, 0, 1, 0.0)
    close(model.coef_, [[1.0, 1.0]], 1e-6)
    assert IdealMargin(shuffle=False, augment=1.0).fit(X, y).n_mistakes_ == 2


def test_parameters_without_meaning_do_not_exist():
    for name in ("hypothesis", "record_trace", "cache_size"):
        with pytest.raises(TypeError, match=name):
            IdealMargin(**{name: "voted"})
        assert name not in IdealMargin().get_params() and f"\n{name} :" not in IdealMargin.__doc__
    for tol in (0.0, 1.0):
        with pytest.raises(ValueError, match="'tol' parameter of IdealMargin"):
            IdealMargin(tol=tol).fit([[1.0], [-1.0]], [1, -1])


def test_interpreted_and_compiled_ascents_agree_to_the_last_bit():
    X, y = sample(classes=2)
    sign = 2.0 * y - 1.0
    Q = Kernel("rbf", gamma=0.1)(X, X) * np.outer(sign, sign)
    compiled, plain = np.zeros(len(y)), np.zeros(len(y))
    highs = ascend(Q, compiled, 1e-4, 10), ascend.py_func(Q, plain, 1e-4, 10)
    assert highs[0] == highs[1]
    np.testing.assert_array_equal(compiled, plain)
