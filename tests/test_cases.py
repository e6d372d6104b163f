"""What holds for every algorithm, whatever its rule: forms agree, runs can be cut, stored and rebuilt."""

import itertools
import json
import pickle
import warnings

import numpy as np
import pytest
from cases import CASES
from oracles import close
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_package import python

from marginbook import hypotheses

SAME = ("epoch", "trial", "index", "problem")  # columns of a trace that must agree exactly
NEAR = ("score", "scale", "step", "ww")


def cases(*more, **needs):
    """Parametrise a test with the cases that have what it needs, and with more values."""
    chosen = {
        name: case for name, case in CASES.items() if all(getattr(case, k) == v for k, v in needs.items())
    }
    rows = [(case, *values) for case in chosen.values() for values in more_of(case, *more)]
    ids = [" ".join([name, *values]) for name in chosen for values in more_of(chosen[name], *more)]
    return pytest.mark.parametrize(("case", *more), rows, ids=ids)


def more_of(case, *more):
    """All values of the named settings that a case has."""
    values = {
        "kernel": ("linear", "poly", "rbf") if case.two_norm else ("linear",),
        "hypothesis": case.hypotheses,
    }
    return itertools.product(*(values[name] for name in more))


def sample(n=60, d=5, classes=3, seed=0, wrong=9):
    """Random rows, the labels of a linear rule with one in ``wrong`` of them changed."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((n, d)) * rng.uniform(0.3, 2.0, (n, 1)), 6)
    y = (X @ rng.standard_normal((d, classes))).argmax(axis=1)
    y[:classes] = np.arange(classes)
    y[7::wrong] = (y[7::wrong] + 1) % classes
    return X, y


def assert_same_run(ours, theirs, tolerance=1e-9):
    for name in SAME:
        np.testing.assert_array_equal(ours.trace_[name], theirs.trace_[name])
    for name in NEAR:
        close(ours.trace_[name], theirs.trace_[name], tolerance)


@cases()
@pytest.mark.parametrize("classes", [2, 3])
def test_dense_and_sparse_rows_give_the_same_run(case, classes):
    X, y = sample(classes=classes)
    X[X < -0.5] = 0.0
    dense = case(record_trace=True).fit(X, y)
    assert len(dense.trace_) > 2
    rows = case(record_trace=True).fit(sparse.csr_matrix(X), y)
    assert_same_run(rows, dense)
    close(rows.coef_, dense.coef_, 1e-9)


@cases(two_norm=True)
@pytest.mark.parametrize("options", [{}, {"noise_control": 0.7}, {"augment": 0.5, "noise_control": 0.3}])
def test_the_kernel_form_with_the_linear_kernel_is_the_linear_form(case, options):
    X, y = sample(n=30)  # on data that are not separable ROMMA's weights grow, and rounding with them
    if not case.augment:
        options = {name: value for name, value in options.items() if name != "augment"}
    linear = case(record_trace=True, **options).fit(X, y)
    for X_kernel, form in (
        (X, {"kernel": "poly", "degree": 1, "gamma": 1.0, "coef0": 0.0}),
        (
            X @ X.T,
            {"kernel": "precomputed"},
        ),
    ):
        dual = case(record_trace=True, **form, **options).fit(X_kernel, y)
        assert_same_run(dual, linear)
        close(dual.dual_coef_ @ X[dual.support_], linear.coef_, 1e-9)
        close(dual.intercept_, linear.intercept_, 1e-9)


@cases(two_norm=True)
def test_noise_control_is_an_explicit_private_coordinate(case):
    X, y = sample()
    ours = case(noise_control=0.49, record_trace=True).fit(X, y)
    explicit = case(record_trace=True).fit(np.hstack([X, 0.7 * np.eye(len(X))]), y)
    assert_same_run(ours, explicit)
    close(ours.coef_, explicit.coef_[:, : X.shape[1]], 1e-9)


@cases(augment=True)
def test_augment_is_an_explicit_column(case):
    X, y = sample()
    ours = case(augment=1.5, record_trace=True).fit(X, y)
    explicit = case(record_trace=True).fit(np.hstack([X, np.full((len(X), 1), 1.5)]), y)
    assert_same_run(ours, explicit)
    close(ours.coef_, explicit.coef_[:, :-1], 1e-9)
    close(ours.intercept_, explicit.coef_[:, -1] * 1.5 + explicit.intercept_, 1e-9)


@cases("kernel", "hypothesis")
def test_a_stream_in_pieces_gives_what_the_whole_gives(case, kernel, hypothesis):
    X, y = sample()
    longest_first = np.argsort(-np.linalg.norm(X, axis=1))  # MICRA takes the radius from the first piece
    X, y = X[longest_first], y[longest_first]
    options = {"kernel": kernel, "gamma": 0.3, "hypothesis": hypothesis, "record_trace": True}
    if "mini_epochs" in case.options:
        options["mini_epochs"] = 0  # they follow each piece
    whole, pieces = case(**options).partial_fit(X, y), case(**options)
    for part in np.array_split(np.arange(len(X)), 5):
        pieces.partial_fit(X[part], y[part], classes=[0, 1, 2])
    np.testing.assert_array_equal(pieces.trace_["index"], whole.trace_["index"])
    close(pieces.decision_function(X), whole.decision_function(X), 1e-9)
    assert_same_run(case(**{**options, "max_iter": 1}).fit(X, y), whole)


@cases(two_norm=True)
def test_the_trace_rebuilds_the_hypothesis(case):
    X, y = sample()
    for kind in set(case.hypotheses) - {"voted"}:
        model = case(hypothesis=kind, record_trace=True).fit(X, y)
        support = np.unique(model.trace_["index"])
        run = model._engine
        coef = hypotheses.dual_coefficients(
            model.trace_, support, len(run.hyp), run.trials, kind, fades=run.fades
        )
        close(coef @ X[support], model.coef_, 1e-9)


@cases()
def test_a_model_is_cloned_pickled_and_searched(case):
    X, y = sample(wrong=1000)
    model = case(random_state=0, shuffle=True).fit(X, y)
    again = clone(model).fit(X, y)
    stored = pickle.loads(pickle.dumps(model))
    for other in (again, stored):
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
    stored.partial_fit(X, y)
    pipe = make_pipeline(StandardScaler(), case(random_state=0, hypothesis=case.hypotheses[-1]))
    name = pipe.steps[-1][0]
    search = GridSearchCV(pipe, {f"{name}__max_iter": [1, 3]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.5


HOSTILE = {
    "tiny": lambda X, y: (X * 1e-150, y),
    "huge": lambda X, y: (X * 1e150, y),
    "one feature": lambda X, y: (X[:, :1], y),
    "one example a class": lambda X, y: (X[:2], np.array([0, 1])),
    "every row twice, labels opposite": lambda X, y: (np.vstack([X, X]), np.append(y, 1 - y)),
    "every row twice": lambda X, y: (np.vstack([X, X]), np.append(y, y)),
    "parallel": lambda X, y: (np.outer(np.linspace(-1, 2, len(X)), X[0]), y),
    "nearly parallel": lambda X, y: (X[0] + 1e-9 * X, y),
    "zero rows": lambda X, y: (X * (np.arange(len(X)) % 3 > 0)[:, None], y),
    "all zero": lambda X, y: (0.0 * X, y),
    "mixed scales": lambda X, y: (X * 10.0 ** np.linspace(-150, 150, len(X))[:, None], y),
}


@cases("kernel")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_data_give_finite_results_or_a_clear_error(case, kernel, name):
    X, y = HOSTILE[name](*sample(classes=2))
    model = case(kernel=kernel, gamma=1.0, max_iter=6, record_trace=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            model.fit(X, y)
        except ValueError as error:
            assert "overflow" in str(error) or "too large" in str(error)  # noqa: PT017
            return
        weights = model.coef_ if kernel == "linear" else model.dual_coef_
    assert np.isfinite(weights).all() and np.isfinite(model.intercept_).all()
    assert all(np.isfinite(model.trace_[name]).all() for name in NEAR)
    assert all(np.isfinite(row.norm) for row in model.history_)
    if name in ("all zero", "zero rows") and kernel == "linear":
        assert not model.converged_


RUNS = """
import json
import numpy as np
from cases import CASES
from test_cases import sample

results = {}
for name, case in CASES.items():
    for kernel in ("linear", "rbf") if case.two_norm else ("linear",):
        X, y = sample(n=40)
        model = case(kernel=kernel, gamma=0.5, record_trace=True, max_iter=2).fit(X, y)
        scores = model.decision_function(X[:5])
        results[name + " " + kernel] = [model.trace_.tolist(), [v.hex() for v in scores.ravel().tolist()]]
print(json.dumps(results))
"""


def test_interpreted_and_compiled_code_agree_to_the_last_bit():
    compiled, plain = (
        json.loads(python(RUNS, NUMBA_DISABLE_JIT=flag, PYTHONPATH="tests")) for flag in ("0", "1")
    )
    assert len(compiled) >= len(CASES) and compiled == plain
