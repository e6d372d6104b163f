"""The batch solver against convex solvers and the certified maximum margin, in all its forms."""

import json
import warnings

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from test_package import python

from marginbook import adatron, maximum_margin
from marginbook.ascent import hildreth
from marginbook.data.synthetic import separable
from marginbook.engines.linear import dense_add, dense_dot
from marginbook.rules import amira
from marginbook.sweeps import Ascent

seeded = settings(derandomize=True, deadline=None, max_examples=20)
seeds = st.integers(0, 10**6)


def data(seed=0, n=40, d=4, margin=0.1):
    sample = separable(n, d, margin=margin, random_state=seed)
    return sample.data * np.random.default_rng(seed).uniform(0.5, 2.0, (n, 1)), sample.target


def flipped(y, every=7):
    return y * np.where(np.arange(len(y)) % every, 1, -1)


def certified(K, y, solution, lam, tol):
    """Check both values from the multipliers and the kernel matrix alone."""
    a, f = solution.dual_coef * y, K @ solution.dual_coef
    assert (a >= 0).all() and solution.support.tolist() == np.flatnonzero(a).tolist()
    squared = solution.dual_coef @ f
    dual = a.sum() - squared / 2 - lam * a @ a / 2
    if lam:
        primal = squared / 2 + (np.maximum(0, 1 - y * f) ** 2).sum() / (2 * lam)
    else:
        primal = squared / 2 / (y * f).min() ** 2
    assert solution.dual == pytest.approx(dual, rel=1e-12)
    assert solution.primal == pytest.approx(primal, rel=1e-12)
    assert solution.gap == pytest.approx(1 - dual / primal, abs=1e-12)
    assert solution.margin == pytest.approx(1 / np.sqrt(2 * primal), rel=1e-12)
    assert solution.gap <= tol and solution.converged


@pytest.mark.parametrize("lam", [0.0, 0.01, 0.5, 20.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_convex_solver_finds_the_same_weights(seed, lam):
    X, y = data(seed)
    y = flipped(y) if lam else y
    w = cp.Variable(4)
    hinge = cp.pos(1 - cp.multiply(y, X @ w))
    if lam:
        problem = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + cp.sum_squares(hinge) / (2 * lam)))
    else:
        problem = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2), [cp.multiply(y, X @ w) >= 1])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    ours = adatron(X, y, noise_control=lam, tol=1e-11)
    certified(X @ X.T, y, ours, lam, 1e-11)
    assert ours.primal == pytest.approx(problem.value, rel=1e-9)
    close(ours.coef, w.value, 1e-5)
    close(X.T @ ours.dual_coef, ours.coef, 1e-12)


@seeded
@given(seeds, st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 0.7]))
def test_the_margin_is_the_certified_maximum(seed, lam, rho):
    X, y = data(seed)
    ours = adatron(X, y, noise_control=lam, augment=rho, tol=1e-9)
    best = maximum_margin(X, y, bias=False, noise_control=lam, augment=rho, tol=1e-8)
    assert ours.margin == pytest.approx(best.margin, rel=1e-8)
    close(ours.dual_coef * y / (ours.dual_coef @ y), best.dual_coef, 1e-3)


@seeded
@given(seeds, st.sampled_from([1e-2, 1e-5, 1e-9]), st.sampled_from([0.0, 1e-3, 1.0]), st.booleans())
def test_the_gap_asked_for_is_the_gap_proved(seed, tol, lam, curved):
    X, y = data(seed, n=120, margin=0.03)
    y = flipped(y, 20) if lam else y
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2)) if curved else X @ X.T
    form = dict(kernel="rbf", gamma=0.5) if curved else {}
    certified(K, y, adatron(X, y, noise_control=lam, tol=tol, random_state=seed, **form), lam, tol)


def test_another_order_of_steps_leads_to_the_same_weights():
    X, y = data(1, n=200, margin=0.05)
    first, second = (adatron(X, y, tol=1e-10, random_state=seed) for seed in (0, 1))
    assert first.n_iter != second.n_iter
    close(first.coef, second.coef, 1e-5)
    again = adatron(X, y, tol=1e-10, random_state=np.random.default_rng(1))
    np.testing.assert_array_equal(again.coef, second.coef)


@pytest.mark.parametrize("lam, rho", [(0.0, 0.0), (0.6, 0.0), (0.6, 0.5)])
def test_all_forms_agree(lam, rho):
    X, y = data(2)
    X[X < -1.0] = 0.0
    y = np.where(X @ np.array([1.0, -2.0, 0.5, 1.0]) > 0, 1, -1)
    y = flipped(y) if lam else y
    options = dict(noise_control=lam, augment=rho, tol=1e-12)
    plain = adatron(X, y, **options)
    rows, gram, curved = (
        adatron(sparse.csr_matrix(X), y, **options),
        adatron(X @ X.T, y, kernel="precomputed", **options),
        adatron(X, y, kernel="poly", degree=1, gamma=1.0, coef0=0.0, **options),
    )
    for other in (rows, gram, curved):
        assert other.primal == pytest.approx(plain.primal, rel=1e-11)
        close(X.T @ other.dual_coef, plain.coef, 1e-5)
        assert other.intercept == pytest.approx(plain.intercept, abs=1e-5)
    assert gram.coef is None and curved.coef is None
    close(rows.coef, plain.coef, 1e-9)
    explicit = np.hstack([X, np.full((40, 1), rho), np.sqrt(lam) * np.eye(40)])
    extended = adatron(explicit, y, tol=1e-12)  # there the soft margin is a hard one
    assert extended.primal == pytest.approx(plain.primal, rel=1e-11)
    close(extended.coef[:4], plain.coef, 1e-5)
    assert extended.coef[4] * rho == pytest.approx(plain.intercept, abs=1e-5)


def test_a_gaussian_kernel_separates_what_a_plane_does_not():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = np.where((X**2).sum(axis=1) > 1.2, 1, -1)
    ours = adatron(X, y, kernel="rbf", gamma=2.0)
    best = maximum_margin(X, y, bias=False, kernel="rbf", gamma=2.0)
    assert ours.margin == pytest.approx(best.margin, rel=2e-6)


def ascent(seed, lam, n=12):
    """A solver on its way: random multipliers, some of them 0, and their weights."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, 3)), np.where(rng.random(n) < 0.5, -1.0, 1.0)
    some = Ascent((X,), y, (X**2).sum(axis=1) + lam, lam, 0.0, (dense_dot, dense_add), 3)
    some.a[:] = np.maximum(0.0, rng.standard_normal(n))
    some._certify()
    return X, y, some


def swept(some, order):
    """Sweep once without stretching: what the compiled loop returns."""
    args = some.y, some.square, some.lam, some.rho, some.scale, some.a, some.v, some.bias, np.inf
    return some.sweep(some.rows, np.asarray(order), *args)


def value(X, y, a, lam):
    """The dual value from the multipliers alone."""
    w = X.T @ (a * y)
    return a.sum() - w @ w / 2 - lam * a @ a / 2


@seeded
@given(seeds, st.sampled_from([0.0, 0.7]), st.sampled_from([1.0, 3.0]))
def test_a_step_is_the_projection_of_amira_that_may_be_taken_back(seed, lam, scale):
    X, y, some = ascent(seed, lam)
    some.scale, some.a, some.v = scale, some.a / scale, some.v / scale
    for i in range(len(y)):
        old, w = scale * some.a, scale * some.v
        score = w @ X[i] + lam * old[i] * y[i]
        step = amira.rule(amira.Params(0.0, 1e-12), amira.State(), y[i], score, some.square[i], 1.0)[2]
        if y[i] * score > 1.0:  # where AMIRA is content, a multiplier may fall
            step = max(-old[i], (1.0 - y[i] * score) / some.square[i]) * y[i]
        *_, gain, mass = swept(some, [i])
        new = scale * some.a
        assert new[i] == pytest.approx(old[i] + step * y[i], abs=1e-12)
        close(scale * some.v, w + step * X[i], 1e-12)
        assert mass == pytest.approx(new.sum() - old.sum(), abs=1e-10)
        assert gain == pytest.approx(value(X, y, new, lam) - value(X, y, old, lam), abs=1e-10)
        assert gain >= 0  # the dual never falls


@seeded
@given(seeds, st.sampled_from([0.0, 0.7]))
def test_each_sweep_ends_with_the_best_multiple(seed, lam):
    X, y = data(seed)
    square = (X**2).sum(axis=1) + lam
    some = Ascent((X,), y.astype(float), square, lam, 0.0, (dense_dot, dense_add), 4)
    for _ in range(3):
        some._sweep(np.arange(len(y)), np.inf)
        a = some.scale * some.a
        close(some.scale * some.v, X.T @ (a * y), 1e-12)
        assert some.dual == pytest.approx(value(X, y, a, lam), rel=1e-10)
        assert some.mass == pytest.approx(a.sum(), rel=1e-12)
        for t in (0.99, 1.01):
            assert value(X, y, t * a, lam) < value(X, y, a, lam)


@pytest.mark.parametrize("margin", [1e-3, 1e-5, 1e-6])
def test_two_nearly_opposite_examples_take_few_sweeps(margin):
    found = adatron([[1.0, margin], [-1.0, margin], [0.0, -1.0]], [1, 1, -1])
    assert found.converged and found.margin == pytest.approx(margin, rel=1e-6)
    assert found.n_iter < 100 < 1 / margin  # steps of order 1 towards multipliers of order 1 / margin^2


@seeded
@given(seeds, st.floats(0.01, 10.0))
def test_the_examples_share_out_the_duality_gap(seed, lam):
    _, y, some = ascent(seed, lam)
    gap = some.primal - some.dual
    lacks = [swept(ascent(seed, lam)[2], [i])[2] for i in range(len(y))]
    assert min(lacks) >= 0 and sum(lacks) == pytest.approx(gap, rel=1e-10)


@seeded
@given(seeds)
def test_any_multipliers_bound_the_margin(seed):
    X, y = data(seed)
    some = Ascent((X,), y.astype(float), (X**2).sum(axis=1), 0.0, 0.0, (dense_dot, dense_add), 4)
    best = maximum_margin(X, y, bias=False)
    largest = np.linalg.norm(X, axis=1).max()

    def bound(a):
        some.a = a.copy()
        some._certify()
        return some.bound() * largest

    assert bound(np.random.default_rng(seed).random(40)) >= best.margin
    assert bound(best.dual_coef) == pytest.approx(best.margin, rel=1e-5)


def test_sweeps_leave_examples_out_and_bring_them_back(monkeypatch):
    lengths = []

    def counted(self, order, limit, sweep=Ascent._sweep):
        lengths.append(len(order))
        return sweep(self, order, limit)

    monkeypatch.setattr(Ascent, "_sweep", counted)
    X, y = data(3, n=300, margin=0.02)
    solution = adatron(X, y, tol=1e-10)
    assert min(lengths) < 30 and lengths[0] == 300 and lengths.count(300) > 1
    certified(X @ X.T, y, solution, 0.0, 1e-10)


def test_the_squared_hinge_of_liblinear_has_the_same_weights():
    X, y = data(3, n=100)
    y = flipped(y, 9)
    peer = LinearSVC(C=1 / (2 * 0.3), dual=True, fit_intercept=False, tol=1e-10, max_iter=10**6)
    close(adatron(X, y, noise_control=0.3, tol=1e-13).coef, peer.fit(X, y).coef_[0], 1e-6)


@pytest.mark.data("a1a")
def test_adult_in_sparse_rows():
    from marginbook import data

    sample = data.load("a1a")
    ours = adatron(sample.data, sample.target, noise_control=1.0, tol=1e-9)
    peer = LinearSVC(C=0.5, dual=True, fit_intercept=False, tol=1e-8, max_iter=10**6)
    close(ours.coef, peer.fit(sample.data, sample.target).coef_[0], 1e-4)
    certified((sample.data @ sample.data.T).toarray(), sample.target, ours, 1.0, 1e-9)
    assert ours.margin >= 3.9038e-2  # what Tsampouka and Shawe-Taylor report for MICRA


@pytest.mark.parametrize("scale", [1e-150, 1e-90, 1e90, 1e150])
@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_the_units_do_not_matter(scale, kernel):
    X, y = data(4)
    unit = 2.0 ** np.rint(np.log2(scale))  # so that no rounding differs
    given, scaled = (X, unit * X) if kernel == "linear" else (X @ X.T, unit * (X @ X.T) * unit)
    plain, other = (adatron(rows, y, kernel=kernel, tol=1e-9) for rows in (given, scaled))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert other.n_iter == plain.n_iter and other.gap == plain.gap
        assert other.margin == unit * plain.margin
        np.testing.assert_array_equal(other.dual_coef * unit * unit, plain.dual_coef)


@pytest.mark.parametrize("scale", [0.0, 1e-200, 1e160])
def test_units_beyond_the_range_are_refused(scale):
    X, y = data(4)
    with pytest.raises(ValueError, match="scale the data"):
        adatron(scale * X, y)


RNG = np.random.default_rng(0)
HOSTILE = {
    "opposite labels": lambda X, y: (np.vstack([X, X]), np.append(y, -y)),
    "one pair of opposite labels": lambda X, y: (np.vstack([X, X[:1]]), np.append(y, -y[0])),
    "the same row twice": lambda X, y: (X[[0, 0]], np.array([1, -1])),
    "parallel": lambda X, y: (np.outer(np.linspace(1.0, 2.0, len(X)), X[0]), y),
    "a zero row": lambda X, y: (np.vstack([X, 0 * X[:1]]), np.append(y, 1)),
    "a tiny row": lambda X, y: (np.vstack([X, 1e-200 * X[:1]]), np.append(y, y[0])),
    "random labels": lambda X, y: (X, np.where(RNG.random(len(y)) < 0.5, -1, 1)),
    "a few wrong labels": lambda X, y: (X, flipped(y, 13)),
    "a sum with the wrong label": lambda X, y: (np.vstack([np.eye(4), np.ones((1, 4))]), [1, 1, 1, 1, -1]),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_inseparable_data_are_refused_by_a_proof_and_softened(name, kernel):
    X, y = HOSTILE[name](*data(5))
    X = X if kernel == "linear" else X @ X.T
    with pytest.raises(ValueError, match="the data are inseparable"):
        adatron(X, y, kernel=kernel)
    assert adatron(X, y, kernel=kernel, noise_control=1.0).converged


def test_sweeps_that_do_not_suffice_are_told():
    X, y = data(1, n=200, margin=0.02)
    with pytest.raises(ValueError, match="no separating weights after 1 sweeps: the maximum margin"):
        adatron(X, y, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="after 40 sweeps"):
        found = adatron(X, y, tol=1e-12, max_iter=40)
    assert not found.converged and 1e-12 < found.gap < 1


def test_repeated_rows_share_a_multiplier():
    X, y = data(6)
    once, twice = adatron(X, y, tol=1e-10), adatron(np.vstack([X, X]), np.append(y, y), tol=1e-10)
    assert twice.margin == pytest.approx(once.margin, rel=1e-9)
    shared = twice.dual_coef[:40] + twice.dual_coef[40:]
    close(shared, once.dual_coef, 1e-3)


def test_rows_of_very_different_lengths_are_solved():
    X, y = data(6)
    X = X * 10.0 ** np.linspace(-3, 3, 40)[:, None]
    y = np.where(X[:, 0] > 0, 1, -1)
    ours = adatron(X, y, noise_control=1e-3, tol=1e-9)
    certified(X @ X.T, y, ours, 1e-3, 1e-9)


@pytest.mark.parametrize("options, message", [
    ({"noise_control": -1.0}, "noise_control"), ({"augment": np.inf}, "augment"), ({"tol": 0.0}, "tol"),
    ({"tol": 1.0}, r"tol must be in \(0, 1\)"),
    ({"max_iter": 0}, "max_iter"), ({"kernel": "sigmoid"}, "kernel"), ({"kernel": "precomputed"}, "square"),
])  # fmt: skip
def test_parameters_out_of_range_are_named(options, message):
    X, y = data()
    with pytest.raises(ValueError, match=message):
        adatron(X, y, **options)


@pytest.mark.parametrize("lam", [0.0, 3.0])
def test_a_negative_square_is_refused(lam):
    with pytest.raises(ValueError, match=r"no kernel has K\(x, x\) < 0, as row 1 has here: -1"):
        adatron(np.diag([1.0, -1.0]), [1, -1], kernel="precomputed", noise_control=lam)


def test_private_coordinates_that_rounding_swallows_are_refused():
    X, y = HOSTILE["opposite labels"](*data(5))
    for lam in (1e-16, 5e-324):
        with pytest.raises(ValueError, match="use noise_control, or more of it"):
            adatron(X, y, noise_control=lam)


def test_integers_single_precision_and_repeated_entries_are_read_as_their_values():
    X, y = data(2)
    X = np.rint(8 * X) / 8
    plain = adatron(X, y)
    rows = sparse.csr_matrix(X)
    halves = np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr
    assert not sparse.csr_matrix(halves, shape=X.shape).has_canonical_format
    np.testing.assert_array_equal(adatron(X.astype(np.float32), y).coef, plain.coef)
    close(adatron((8 * X).astype(int), y, tol=1e-10).coef * 8, adatron(X, y, tol=1e-10).coef, 1e-9)
    close(adatron(sparse.csr_matrix(halves, shape=X.shape), y).coef, plain.coef, 1e-9)


def test_one_class_is_refused():
    X, y = data()
    with pytest.raises(ValueError, match="two classes"):
        adatron(X, np.ones(len(y)))


RUN = """
import json
import numpy as np
from scipy import sparse
from marginbook import adatron

X = np.random.default_rng(0).standard_normal((15, 3))
y = np.where(X[:, 0] + 0.2 > 0, 1, -1)
found = [
    adatron(X, y, noise_control=1e-2, tol=1e-3),
    adatron(sparse.csr_matrix(X), y, noise_control=0.5, augment=0.5, tol=1e-3),
    adatron(X, y, kernel="rbf", gamma=3.0, tol=1e-2),
]
values = [[one.n_iter, one.dual.hex(), [v.hex() for v in one.dual_coef.tolist()]] for one in found]
result = json.dumps(values)
"""


def test_interpreted_and_compiled_code_agree_to_the_last_bit():
    here = {}
    exec(RUN, here)
    assert json.loads(here["result"]) == json.loads(python(RUN + "print(result)", NUMBA_DISABLE_JIT="1"))


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
