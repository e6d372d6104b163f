"""The batch solver against convex solvers and the certified maximum margin, in all its forms."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from marginbook import maximum_margin
from marginbook.adatron import adatron, hildreth
from marginbook.data.synthetic import separable
from marginbook.rules import amira

seeded = settings(derandomize=True, deadline=None, max_examples=20)


def data(seed=0, n=40, d=4, margin=0.1):
    sample = separable(n, d, margin=margin, random_state=seed)
    return sample.data * np.random.default_rng(seed).uniform(0.5, 2.0, (n, 1)), sample.target


@pytest.mark.parametrize("lam", [0.0, 0.5])
def test_a_convex_solver_finds_the_same_weights(lam):
    X, y = data()
    if lam:
        y = y * np.where(np.arange(40) % 7, 1, -1)
    w = cp.Variable(4)
    hinge = cp.pos(1 - cp.multiply(y, X @ w))
    if lam:
        problem = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + cp.sum_squares(hinge) / (2 * lam)))
    else:
        problem = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2), [hinge <= 0])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    ours = adatron(X, y, noise_control=lam, tol=1e-10)
    assert ours.converged and ours.gap <= 1e-10 and ours.dual <= ours.primal
    assert ours.primal == pytest.approx(problem.value, rel=1e-8)
    close(ours.coef, w.value, 1e-4)
    close(X.T @ ours.dual_coef, ours.coef, 1e-9)


@seeded
@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 0.7]))
def test_the_margin_is_the_certified_maximum(seed, lam, rho):
    X, y = data(seed)
    ours = adatron(X, y, noise_control=lam, augment=rho, tol=1e-8)
    best = maximum_margin(X, y, bias=False, noise_control=lam, augment=rho)
    assert ours.margin == pytest.approx(best.margin, rel=2e-6)


def test_the_gap_asked_for_is_the_gap_proved():
    X, y = data(1, n=200, margin=0.02)
    sweeps = []
    for tol in (1e-2, 1e-5, 1e-9):
        solution = adatron(X, y, tol=tol)
        assert solution.gap <= tol and solution.gap == pytest.approx(
            1 - solution.dual / solution.primal, abs=1e-12
        )
        w = solution.coef / (y * (X @ solution.coef)).min()
        assert w @ w / 2 == pytest.approx(solution.primal, rel=1e-9)
        sweeps.append(solution.n_iter)
    assert sweeps == sorted(sweeps)
    with pytest.warns(ConvergenceWarning, match="after 2 sweeps"):
        assert not adatron(X, y, tol=1e-12, max_iter=2).converged


@pytest.mark.parametrize("lam, rho", [(0.0, 0.0), (0.6, 0.0), (0.6, 0.5)])
def test_all_forms_agree(lam, rho):
    X, y = data(2)
    X[X < -1.0] = 0.0
    options = dict(noise_control=lam, augment=rho, tol=1e-10)
    plain = adatron(X, y, **options) if lam else None
    forms = [
        adatron(sparse.csr_matrix(X), y, noise_control=lam or 1.0, augment=rho, tol=1e-10),
        adatron(X @ X.T, y, kernel="precomputed", noise_control=lam or 1.0, augment=rho, tol=1e-10),
        adatron(
            X,
            y,
            kernel="poly",
            degree=1,
            gamma=1.0,
            coef0=0.0,
            noise_control=lam or 1.0,
            augment=rho,
            tol=1e-10,
        ),
    ]
    plain = plain or adatron(X, y, noise_control=1.0, augment=rho, tol=1e-10)
    explicit = np.hstack([X, np.full((40, 1), rho), np.sqrt(lam or 1.0) * np.eye(40)])
    for other in (*forms, adatron(explicit, y, tol=1e-10)):
        assert other.primal == pytest.approx(plain.primal, rel=1e-9)
        close(other.dual_coef, plain.dual_coef, 1e-3)
    close(forms[0].coef, plain.coef, 1e-4)
    assert forms[1].coef is None and forms[1].intercept == pytest.approx(plain.intercept, abs=1e-4)


def test_a_gaussian_kernel_separates_what_a_plane_does_not():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = np.where((X**2).sum(axis=1) > 1.2, 1, -1)
    solution = adatron(X, y, kernel="rbf", gamma=2.0)
    K = np.exp(-2.0 * ((X[:, None] - X) ** 2).sum(axis=2))
    assert (y * (K @ solution.dual_coef)).min() > 1 - 1e-3
    assert solution.margin == pytest.approx(
        maximum_margin(X, y, bias=False, kernel="rbf", gamma=2.0).margin, rel=1e-5
    )


def test_one_example_takes_amiras_step():
    x, y = np.array([[2.0, 1.0], [-40.0, 30.0]]), np.array([1, -1])  # the second is far on the right side
    step = amira.rule(amira.Params(1.0, 1e-9), amira.State(), 1.0, 0.0, 5.0, 0.0)[2]
    close(adatron(x, y, tol=1e-12).coef, step * x[0], 1e-9)


def test_the_squared_hinge_of_liblinear_has_the_same_weights():
    X, y = data(3, n=100)
    y = y * np.where(np.arange(100) % 9, 1, -1)
    peer = LinearSVC(
        loss="squared_hinge", C=1 / (2 * 0.3), dual=True, fit_intercept=False, tol=1e-10, max_iter=10**6
    )
    close(adatron(X, y, noise_control=0.3, tol=1e-12).coef, peer.fit(X, y).coef_[0], 1e-6)


@pytest.mark.data("a1a")
def test_adult_in_sparse_rows():
    from marginbook import data

    sample = data.load("a1a")
    ours = adatron(sample.data, sample.target, noise_control=1.0, tol=1e-7)
    peer = LinearSVC(loss="squared_hinge", C=0.5, dual=True, fit_intercept=False, tol=1e-8, max_iter=10**6)
    close(ours.coef, peer.fit(sample.data, sample.target).coef_[0], 1e-3)
    assert ours.margin == pytest.approx(3.94e-2, rel=1e-2)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_the_units_do_not_matter(scale):
    X, y = data(4)
    plain, scaled = adatron(X, y, tol=1e-9), adatron(scale * X, y, tol=1e-9)
    assert scaled.margin == pytest.approx(scale * plain.margin, rel=1e-6)
    close(scaled.coef * scale, plain.coef, 1e-4)


HOSTILE = {
    "opposite labels": lambda X, y: (np.vstack([X, X]), np.append(y, -y)),
    "a zero row": lambda X, y: (np.vstack([X, 0 * X[:1]]), np.append(y, 1)),
    "random labels": lambda X, y: (X, np.where(np.random.default_rng(0).random(len(y)) < 0.5, -1, 1)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_inseparable_data_are_refused_and_softened(name):
    X, y = HOSTILE[name](*data(5))
    with pytest.raises(ValueError, match="separa"):
        adatron(X, y)
    assert adatron(X, y, noise_control=1.0).converged


def test_repeated_rows_share_a_multiplier():
    X, y = data(6)
    once, twice = adatron(X, y, tol=1e-9), adatron(np.vstack([X, X]), np.append(y, y), tol=1e-9)
    assert twice.margin == pytest.approx(once.margin, rel=1e-8)


@pytest.mark.parametrize("options, message", [
    ({"noise_control": -1.0}, "noise_control"), ({"augment": -1.0}, "augment"), ({"tol": 0.0}, "tol"),
])  # fmt: skip
def test_parameters_out_of_range_are_named(options, message):
    X, y = data()
    with pytest.raises(ValueError, match=message):
        adatron(X, y, **options)
    with pytest.raises(ValueError, match="two labels"):
        adatron(X, np.ones(len(y)))


def test_hildreth_solves_a_small_quadratic_program():
    rng = np.random.default_rng(0)
    for _ in range(5):
        V, w, b = rng.standard_normal((4, 6)), rng.standard_normal(6), rng.standard_normal(4)
        v = cp.Variable(6)
        cp.Problem(cp.Minimize(cp.sum_squares(v - w)), [V @ v >= b]).solve(
            solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11
        )
        close(w + hildreth(V @ V.T, b - V @ w) @ V, v.value, 1e-8)
    with pytest.raises(ValueError, match="contradict"):
        hildreth(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.ones(2), max_iter=100)
    with pytest.raises(ValueError, match="diagonal"):
        hildreth(np.zeros((1, 1)), np.ones(1))
