"""The maximum margin against closed forms, an independent solver and published values."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics.pairwise import polynomial_kernel

from marginbook import data, maximum_margin
from marginbook.data.synthetic import r_of_k, separable
from marginbook.margins import dual_exponent


def by_clarabel(X, y, *, bias, p=2, noise_control=0.0, augment=0.0):
    """The primal problem as it is defined, solved by an interior-point method."""
    n, d = X.shape
    w, b, private, constant, margin = (cp.Variable(k) for k in (d, 1, n, 1, 1))
    parts = [w] + [private] * (noise_control > 0) + [constant] * (augment > 0)
    score = X @ w + b * bias + constant * augment
    constraints = [
        cp.multiply(y, score) + np.sqrt(noise_control) * private >= margin,
        cp.pnorm(cp.hstack(parts), dual_exponent(p), approx=False) <= 1,
    ]
    problem = cp.Problem(cp.Maximize(margin[0]), constraints)
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    return problem.value


def draw(seed):
    """A small separable problem: Gaussian, grid-valued (degenerate), badly scaled or with duplicates."""
    rng = np.random.default_rng(seed)
    n, d, kind = int(rng.integers(4, 30)), int(rng.integers(2, 9)), seed % 4
    X = rng.choice([-1.0, 0.0, 1.0], size=(n, d)) if kind == 1 else rng.standard_normal((n, d))
    if kind == 2:
        X *= 10.0 ** rng.integers(-2, 3, size=d)
    if kind == 3:
        X = np.repeat(X[: n // 2], 2, axis=0)
    score = X @ rng.standard_normal(d)
    y = np.where(score >= np.median(score), 1.0, -1.0)
    return X, y, bool(rng.integers(2))


def certified(X, y, best, *, bias, p=2):
    """Check a certificate from the data alone."""
    a, s = best.dual_coef, np.where(y == np.max(y), 1.0, -1.0)
    assert (a >= 0).all() and a.sum() == pytest.approx(1.0, rel=1e-12)
    assert not bias or a @ s == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(best.coef, dual_exponent(p)) == pytest.approx(1.0, rel=1e-9)
    primal, dual = (s * (X @ best.coef + best.intercept)).min(), np.linalg.norm((a * s) @ X, p)
    scale = np.abs(X).max()
    assert best.margin == best.primal == pytest.approx(primal, abs=1e-10 * scale)
    assert best.dual == pytest.approx(dual, abs=1e-10 * scale)
    assert best.primal <= best.dual * (1 + 1e-12)
    assert best.gap <= 1e-6
    assert best.support.tolist() == np.flatnonzero(a).tolist()


@pytest.mark.parametrize("p", [1, 1.3, 2, 3, np.inf])
@pytest.mark.parametrize("seed", range(8))
def test_equals_an_interior_point_solver(seed, p):
    X, y, bias = draw(seed)
    expected = by_clarabel(X, y, bias=bias, p=p)
    if expected < 1e-7 * np.abs(X).max():
        with pytest.raises(ValueError, match="inseparable"):
            maximum_margin(X, y, bias=bias, p=p)
        return
    best = maximum_margin(X, y, bias=bias, p=p)
    assert best.margin == pytest.approx(expected, rel=3e-6)
    certified(X, y, best, bias=bias, p=p)


@pytest.mark.parametrize("noise_control", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(6))
def test_soft_margin_equals_an_interior_point_solver(seed, noise_control):
    X, y, bias = draw(seed)
    y = np.where(np.random.default_rng(seed).uniform(size=len(y)) < 0.2, -y, y)
    augment = 0.0 if bias else 0.5
    options = dict(bias=bias, noise_control=noise_control, augment=augment)
    best = maximum_margin(X, y, **options)
    assert best.margin == pytest.approx(by_clarabel(X, y, **options), rel=3e-6)
    implicit = maximum_margin(X @ X.T, y, kernel="precomputed", **options)
    assert implicit.margin == pytest.approx(best.margin, rel=2e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_solution_is_unique_and_the_margin_is_one_over_its_length(seed):
    sample = separable(12, 2, margin=0.1, bias=0.1, random_state=seed)
    X, y = sample.data, sample.target
    best = maximum_margin(X, y)
    constraint = {"type": "ineq", "fun": lambda v: y * (X @ v[:2] + v[2]) - 1}
    for start in np.random.default_rng(seed).standard_normal((3, 3)) + [*2 * sample.separator, 0]:
        found = minimize(
            lambda v: v[:2] @ v[:2] / 2, start, jac=lambda v: np.append(v[:2], 0.0), constraints=constraint,
            method="SLSQP", options={"maxiter": 1000, "ftol": 1e-14},
        )  # fmt: skip
        assert 1 / np.linalg.norm(found.x[:2]) == pytest.approx(best.margin, rel=1e-6)
        assert found.x * best.margin == pytest.approx([*best.coef, best.intercept], abs=1e-5)


@pytest.mark.parametrize("p", [1, 1.5, 2, 4, np.inf])
@pytest.mark.parametrize("bias", [True, False])
def test_no_hyperplane_has_a_margin_above_a_certificate(p, bias):
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((10, 3)), np.repeat([1.0, -1.0], 5)
    for _ in range(200):
        a = rng.dirichlet(np.full(5, 0.3), size=2).ravel() / 2 if bias else rng.dirichlet(np.full(10, 0.3))
        w, b = rng.standard_normal(3), bias * rng.standard_normal()
        margin = (y * (X @ w + b)).min() / np.linalg.norm(w, dual_exponent(p))
        assert margin <= np.linalg.norm((a * y) @ X, p)
    shifted = X + 3.0 * np.outer(y, [1.0, 0, 0])
    best = maximum_margin(shifted, y, p=p, bias=bias)
    assert best.margin == pytest.approx(np.linalg.norm((best.dual_coef * y) @ shifted, p), rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_maximum_margin_is_half_the_distance_of_the_hulls(seed):
    sample = separable(14, 3, margin=0.1, bias=0.1, random_state=seed)
    X, y = sample.data, sample.target
    sides = [{"type": "eq", "fun": lambda a, s=s: a[y == s].sum() - 1} for s in (1, -1)]
    start = 1 / np.array([(y == s).sum() for s in y])
    apart = minimize(
        lambda a: ((a * y) @ X) @ ((a * y) @ X), start, bounds=[(0, 1)] * len(y), constraints=sides,
        method="SLSQP", options={"maxiter": 1000, "ftol": 1e-14},
    )  # fmt: skip
    assert apart.success
    assert maximum_margin(X, y).margin == pytest.approx(np.sqrt(apart.fun) / 2, rel=1e-5)


def test_soft_margin_is_the_hard_margin_with_private_coordinates():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    private = np.hstack([X, np.sqrt(0.7) * np.eye(100)])
    soft, hard = maximum_margin(X, y, noise_control=0.7), maximum_margin(private, y)
    assert soft.margin == pytest.approx(hard.margin, rel=2e-6)
    assert soft.coef == pytest.approx(hard.coef[:4], rel=1e-4)
    assert soft.intercept == pytest.approx(hard.intercept, rel=1e-4)


def test_augment_appends_a_constant_feature():
    X, y = load_iris(return_X_y=True)
    y = y == 0
    best = maximum_margin(X, y, bias=False, augment=3.0)
    longer = maximum_margin(np.column_stack([X, np.full(150, 3.0)]), y, bias=False)
    assert best.margin == pytest.approx(longer.margin, rel=1e-9)
    assert best.coef == pytest.approx(longer.coef[:4], rel=1e-9)
    assert best.intercept == pytest.approx(3.0 * longer.coef[4], rel=1e-9)


@pytest.mark.parametrize("bias", [0.0, 0.3])
def test_generated_separator_is_found(bias):
    bunch = separable(200, 6, margin=0.01, bias=bias, random_state=3)
    best = maximum_margin(bunch.data, bunch.target)
    assert best.margin == pytest.approx(0.01, rel=2e-6)
    assert best.coef == pytest.approx(bunch.separator, abs=1e-5)
    assert best.intercept == pytest.approx(bias, abs=1e-5)


def test_threshold_functions_have_the_margin_of_their_definition():
    bunch = r_of_k(600, n_features=20, k=6, r=2, random_state=0)
    guaranteed = bunch.margin / np.abs(bunch.separator).sum()
    assert maximum_margin(bunch.data, bunch.target, p=np.inf).margin >= guaranteed * (1 - 1e-6)


@pytest.mark.parametrize("scale", [1e-150, 1e-6, 1e6, 1e150])
@pytest.mark.parametrize("p", [2, 5])
def test_margin_is_homogeneous(scale, p):
    X, y, bias = draw(0)
    one, many = (maximum_margin(c * X, y, bias=bias, p=p) for c in (1.0, scale))
    assert many.margin == pytest.approx(scale * one.margin, rel=2e-6)
    assert many.intercept == pytest.approx(scale * one.intercept, rel=1e-5, abs=1e-5 * scale)


def test_margin_with_bias_ignores_translations():
    X, y, _ = draw(4)
    moved = X + 1e6 * np.arange(1, X.shape[1] + 1)
    assert maximum_margin(moved, y).margin == pytest.approx(maximum_margin(X, y).margin, rel=1e-5)


def test_augmentation_costs_a_factor_of_a_hundred_far_from_the_origin():
    X, y = [[100.0], [101.0]], [-1, 1]
    assert maximum_margin(X, y).margin == 0.5
    # The hull of y (x, 1) is the segment from (-100, -1) to (101, 1); its distance from the origin is twice
    # the area of the triangle, |-100 + 101|, over its length.
    exact = 1.0 / np.hypot(201.0, 2.0)
    assert maximum_margin(X, y, bias=False, augment=1.0).margin == pytest.approx(exact, rel=1e-6)


def test_duplicates_and_reordering_change_nothing():
    X, y, bias = draw(5)
    margin = maximum_margin(X, y, bias=bias).margin
    order = np.random.default_rng(0).permutation(np.tile(np.arange(len(y)), 3))
    assert maximum_margin(X[order], y[order], bias=bias).margin == pytest.approx(margin, rel=2e-6)


def test_one_example_in_each_class():
    best = maximum_margin([[0.0, 3.0], [4.0, 0.0]], ["a", "b"])
    assert best.margin == pytest.approx(2.5, rel=1e-12)
    assert best.coef == pytest.approx([0.8, -0.6], rel=1e-12)
    assert best.dual_coef.tolist() == [0.5, 0.5]


def test_small_margins_need_the_double_precision_of_the_active_set():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(1000, 20))
    w = rng.standard_normal(20)
    y = np.where(X @ w > 0, 1.0, -1.0)
    best = maximum_margin(X, y)
    assert best.gap < 1e-9
    certified(X, y, best, bias=True)


@pytest.mark.parametrize("margin", [1e-3, 1e-4, 1e-5, 1e-6])
@pytest.mark.parametrize("bias", [True, False])
def test_margins_of_a_millionth_of_the_radius_are_certified(margin, bias):
    bunch = separable(40, 4, margin=margin, random_state=7)
    best = maximum_margin(bunch.data, bunch.target, bias=bias)
    assert best.margin == pytest.approx(margin, rel=2e-6)
    certified(bunch.data, bunch.target, best, bias=bias)


def test_the_larger_label_is_the_positive_class():
    X = np.array([[0.0], [1.0]])
    assert maximum_margin(X, [5, 9]).coef[0] == 1.0
    assert maximum_margin(X, [9, 5]).coef[0] == -1.0


def test_csr_equals_dense():
    X, y, _ = draw(1)
    for options in ({}, {"bias": False, "augment": 1.0}, {"noise_control": 0.5}, {"p": np.inf}):
        dense, csr = maximum_margin(X, y, **options), maximum_margin(sparse.csr_matrix(X), y, **options)
        assert csr.margin == pytest.approx(dense.margin, rel=2e-6)


@pytest.mark.parametrize("bias", [True, False])
def test_kernel_margin_is_the_linear_one_in_feature_space(bias):
    X, y = load_iris(return_X_y=True)
    X, y = X[:, 2:], y == 1  # inseparable by a line, separable by a polynomial but for few flowers
    root = np.sqrt(2.0)
    features = np.column_stack(
        [np.ones(150), root * X, X**2, root * X[:, 0] * X[:, 1]]
    )  # (x.y + 1)^2 is their inner product
    options = dict(bias=bias, noise_control=0.01)
    kernel = maximum_margin(X, y, kernel="poly", degree=2, gamma=1.0, **options)
    assert kernel.margin == pytest.approx(maximum_margin(features, y, **options).margin, rel=2e-6)
    assert kernel.coef is None


def test_scores_of_a_kernel_are_those_the_docstring_names():
    X, y = load_breast_cancer(return_X_y=True)
    X, s = (X - X.mean(axis=0)) / X.std(axis=0), 2.0 * y - 1.0
    best = maximum_margin(X, y, kernel="rbf", gamma=0.05)
    K = np.exp(-0.05 * ((X[:, None] - X) ** 2).sum(axis=2))
    scores = K @ (best.dual_coef * s) / best.dual + best.intercept
    assert (s * scores).min() == pytest.approx(best.margin, rel=1e-9)


def inseparable_problems():
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    rng = np.random.default_rng(0)
    noisy = rng.standard_normal((60, 3))
    return {
        "exclusive or": (corners, [1, 1, -1, -1]),
        "the same point in both classes": (corners[[0, 0, 1]], [1, -1, 1]),
        "one point": (corners[[1, 1]], [1, -1]),
        "random labels": (noisy, np.where(rng.uniform(size=60) < 0.5, 1, -1)),
        "one wrong label": (noisy, np.where(noisy[:, 0] > 0, 1, -1) * np.where(np.arange(60) == 7, -1, 1)),
    }


@pytest.mark.parametrize("p", [2, 3, np.inf])
@pytest.mark.parametrize("name", inseparable_problems())
def test_inseparable_data_are_named(name, p):
    X, y = inseparable_problems()[name]
    with pytest.raises(ValueError, match="inseparable.*at most"):
        maximum_margin(X, y, p=p)


def test_separable_only_with_a_bias():
    X, y = [[1.0], [2.0]], [-1, 1]
    assert maximum_margin(X, y).margin == 0.5
    with pytest.raises(ValueError, match="inseparable"):
        maximum_margin(X, y, bias=False)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1, 1.2, 2, 2.5, 8, np.inf]))
def test_certificate_holds_or_the_data_are_refused(seed, p):
    X, y, bias = draw(seed)
    try:
        best = maximum_margin(X, y, bias=bias, p=p)
    except ValueError as error:
        assert "inseparable" in str(error)
        assert by_clarabel(X, y, bias=bias, p=p) < 1e-6 * np.abs(X).max()
    else:
        certified(X, y, best, bias=bias, p=p)


def test_an_unreachable_tolerance_is_an_error_with_both_bounds():
    X, y, bias = np.random.default_rng(0).standard_normal((6, 8)), np.tile([1.0, -1.0], 3), True
    with pytest.raises(RuntimeError, match="between .* and .*gap"):
        maximum_margin(X, y, bias=bias, p=3, tol=1e-30)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"p": 0.5}, "p must be at least 1, got 0.5"),
        ({"p": 3, "kernel": "rbf"}, "p must be 2"),
        ({"p": 3, "noise_control": 1.0}, "p must be 2"),
        ({"kernel": "cubic"}, "'cubic'"),
        ({"augment": 1.0}, "bias=False"),
        ({"augment": -1.0, "bias": False}, "augment must be at least 0"),
        ({"noise_control": -2.0}, "noise_control must be at least 0 and finite, got -2.0"),
        ({"noise_control": np.inf}, "noise_control"),
        ({"tol": 0.0}, r"tol must be in \(0, 1\), got 0.0"),
        ({"tol": 1.0}, r"tol must be in \(0, 1\), got 1.0"),
    ],
)
def test_parameters_out_of_range_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        maximum_margin([[0.0], [1.0]], [-1, 1], **options)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[np.nan], [1.0]], [-1, 1], "NaN"),
        ([[np.inf], [1.0]], [-1, 1], "infinity"),
        ([[0.0], [1.0]], [1, 1], "two classes, got 1"),
        ([[0.0], [1.0], [2.0]], [1, 2, 3], "two classes, got 3"),
        ([[0.0], [1.0]], [1, -1, 1], "inconsistent"),
        (np.empty((0, 2)), [], "0 sample"),
    ],
)
def test_bad_data_are_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        maximum_margin(X, y)


def test_precomputed_kernels_must_be_square_and_symmetric():
    with pytest.raises(ValueError, match="square"):
        maximum_margin([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [-1, 1], kernel="precomputed")
    with pytest.raises(ValueError, match="symmetric"):
        maximum_margin([[1.0, 0.5], [0.0, 1.0]], [-1, 1], kernel="precomputed")
    X, y, bias = draw(0)
    K = polynomial_kernel(X, degree=3, gamma=1.0, coef0=1.0)
    best = maximum_margin(K, y, bias=bias, kernel="precomputed")
    direct = maximum_margin(X, y, bias=bias, kernel="poly", gamma=1.0)
    assert best.margin == pytest.approx(direct.margin, rel=1e-6)


@pytest.mark.data("sonar")
def test_sonar_has_the_published_directional_margin():
    bunch = data.load("sonar", split="aspect")
    radius = np.sqrt((bunch.data**2).sum(axis=1).max() + 1.0)
    best = maximum_margin(bunch.data, bunch.target, bias=False, augment=1.0)
    assert (
        f"{radius:.4f} {best.margin:.5f}" == "3.8121 0.00841"
    )  # Tsampouka and Shawe-Taylor (2007), section 5


@pytest.mark.data("wbc")
def test_wisconsin_breast_cancer_has_the_published_directional_margins():
    hard, soft = data.load("wbc", rows="separable"), data.load("wbc", rows="complete")
    margin = maximum_margin(hard.data, hard.target, bias=False, augment=30.0).margin
    assert f"{margin:.4f}" == "0.0243"
    margin = maximum_margin(soft.data, soft.target, bias=False, augment=10.0, noise_control=1.0).margin
    assert f"{margin:.5f}" == "0.13033"


@pytest.mark.parametrize(
    ("name", "margin"),
    [
        pytest.param("ionosphere", 0.10557, marks=pytest.mark.data("ionosphere")),
        pytest.param("house-votes", 0.16853, marks=pytest.mark.data("house-votes")),
        pytest.param("a1a", 0.03940, marks=pytest.mark.data("a1a")),
        pytest.param("w1a", 0.10454, marks=pytest.mark.data("w1a")),
    ],
)
def test_soft_margins_of_real_data_agree_with_an_earlier_solver(name, margin):
    bunch = data.load(name)
    best = maximum_margin(bunch.data, bunch.target, noise_control=1.0)
    assert best.margin == pytest.approx(margin, rel=1.5e-4)
    assert best.gap < 1e-10
