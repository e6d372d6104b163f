"""Bad input gives one clear error of the usual type, and leaves nothing half-fitted behind."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from marginbook import AMIRA, Perceptron

X = np.array([[2.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]])
Y = np.array([1, 1, 0, 0])

BAD_PARAMETERS = [
    ("margin", -1.0, r"\[0.0, inf\)"),
    ("margin", np.nan, r"\[0.0, inf\)"),
    ("eta", 0.0, r"\(0.0, inf\)"),
    ("eta", "big", r"\(0.0, inf\)"),
    ("kernel", "sigmoid", "'rbf'"),
    ("gamma", 0.0, r"\(0.0, inf\)"),
    ("gamma", "wide", "'scale'"),
    ("degree", 0, r"\[1, inf\)"),
    ("degree", 2.5, r"\[1, inf\)"),
    ("coef0", -1.0, r"\[0.0, inf\)"),
    ("noise_control", -1.0, r"\[0.0, inf\)"),
    ("augment", -1.0, r"\[0.0, inf\)"),
    ("hypothesis", "best", "'averaged'"),
    ("max_iter", 0, r"\[1, inf\)"),
    ("shuffle", "twice", "'once'"),
    ("random_state", -1, r"\[0, 4294967295\]"),
    ("cache_size", -1.0, r"\[0.0, inf\)"),
    ("record_trace", "yes", "bool"),
]

BAD_DATA = [
    (np.array([[np.nan, 1.0], [1.0, 2.0]]), [0, 1], "NaN"),
    (np.array([[np.inf, 1.0], [1.0, 2.0]]), [0, 1], "infinity"),
    (np.empty((0, 2)), [], "minimum of 1"),
    (X, [0, 1], "inconsistent numbers of samples"),
    (X, [1, 1, 1, 1], "one class"),
    (X, [0.1, 0.2, 0.3, 0.4], "continuous"),
    (X, [0, 1, 0, np.nan], "NaN"),
    (X + 1j, Y, "Complex"),
    (np.array([["a", "b"], ["c", "d"]], dtype=object), [0, 1], "could not convert"),
    (X * 1e200, Y, "row 0 overflows"),
    (X[0], Y, "2D array"),
]


@pytest.mark.parametrize("name, value, told", BAD_PARAMETERS)
def test_a_parameter_out_of_range_is_named_with_its_range(name, value, told):
    with pytest.raises(ValueError, match=f"'{name}' parameter of Perceptron.*{told}"):
        Perceptron(**{name: value}).fit(X, Y)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("data, labels, told", BAD_DATA)
def test_bad_data_is_refused_and_leaves_the_estimator_as_it_was(data, labels, told, kernel):
    fresh = Perceptron(kernel=kernel)
    with pytest.raises(ValueError, match=told):
        fresh.fit(data, labels)
    assert vars(fresh) == vars(Perceptron(kernel=kernel))
    fitted = Perceptron(kernel=kernel, shuffle=False).fit(X, Y)
    before = dict(vars(fitted))
    with pytest.raises(ValueError, match=told):
        fitted.fit(data, labels)
    assert vars(fitted) == before


def test_an_interrupted_fit_leaves_the_estimator_as_it_was(monkeypatch):
    model = Perceptron(shuffle=False).fit(X, Y)
    before = dict(vars(model))

    def interrupt(self, order):
        raise KeyboardInterrupt

    monkeypatch.setattr("marginbook.engines.run.Run.epoch", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert vars(model) == before


@pytest.mark.parametrize("gram, told", [(np.ones((4, 3)), "square"), (np.triu(X @ X.T), "symmetric")])
def test_a_precomputed_kernel_must_be_square_and_symmetric(gram, told):
    with pytest.raises(ValueError, match=told):
        Perceptron(kernel="precomputed").fit(gram, Y)


def test_a_precomputed_kernel_has_no_partial_fit():
    assert not hasattr(Perceptron(kernel="precomputed"), "partial_fit")


def test_use_before_fit_and_wrong_features_are_told():
    with pytest.raises(NotFittedError):
        Perceptron().predict(X)
    with pytest.raises(ValueError, match="3 features, but Perceptron is expecting 2"):
        Perceptron().fit(X, Y).predict(np.ones((1, 3)))
    with pytest.raises(ValueError, match=r"labels \[5\]"):
        Perceptron().partial_fit(X, Y).partial_fit(X, [0, 1, 5, 0])


@pytest.mark.parametrize(
    "convert",
    [
        sparse.csr_matrix,
        sparse.csc_matrix,
        sparse.coo_array,
        np.asfortranarray,
        lambda X: X.astype(np.int32),
        lambda X: X.astype(np.float32),
        lambda X: X.tolist(),
        pd.DataFrame,
        lambda X: np.broadcast_to(X, X.shape),
    ],
)
def test_other_formats_are_converted(convert):
    expected = Perceptron(shuffle=False).fit(X, Y)
    model = Perceptron(shuffle=False).fit(convert(X), Y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.predict(convert(X)), Y)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_sparse_row_may_hold_a_coordinate_in_parts(kernel):
    rows = sparse.csr_matrix(np.random.default_rng(0).standard_normal((20, 3)))
    y = np.arange(20) % 2
    halves = np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr
    parts = sparse.csr_matrix(halves, shape=rows.shape)
    whole = AMIRA(kernel=kernel, random_state=0, max_iter=3).fit(rows, y)
    model = AMIRA(kernel=kernel, random_state=0, max_iter=3).fit(parts, y)
    assert parts.nnz == 2 * rows.nnz  # the caller's matrix stays as it was
    assert whole.n_updates_ > 10
    np.testing.assert_array_equal(model.decision_function(parts), whole.decision_function(rows))


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_extreme_scales_give_the_same_updates(scale):
    model = Perceptron(shuffle=False, record_trace=True).fit(scale * X, Y)
    plain = Perceptron(shuffle=False, record_trace=True).fit(X, Y)
    np.testing.assert_array_equal(model.trace_["index"], plain.trace_["index"])
    assert np.isfinite(model.coef_).all()
    np.testing.assert_allclose(model.coef_ / scale, plain.coef_, rtol=1e-12)


def test_a_new_fit_leaves_nothing_of_the_old_one():
    model = Perceptron(kernel="rbf", record_trace=True).fit(X, Y)
    model.set_params(kernel="linear", record_trace=False).fit(X, Y)
    fresh = Perceptron().fit(X, Y)
    assert set(vars(model)) == set(vars(fresh))


def test_text_labels_come_back():
    model = Perceptron(shuffle=False).fit(X, ["yes", "yes", "no", "no"])
    assert model.predict(X).tolist() == ["yes", "yes", "no", "no"]
