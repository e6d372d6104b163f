"""Products of integers in single precision are exact, or not made in it."""

import numpy as np
import pytest

from marginbook import kernels, maximum_margin
from marginbook.engines.columns import Columns
from marginbook.engines.supports import Supports
from marginbook.kernels import LARGE, Kernel, count_features, features_of, normalised

EDGE = 4096  # its square is 2^24


def integers(n, d, largest, seed=0):
    return np.random.default_rng(seed).integers(-largest, largest, (n, d), endpoint=True).astype(float)


@pytest.fixture
def singles(monkeypatch):
    """Whether each product was made in single precision."""
    said, ask = [], kernels._exact_in_single
    monkeypatch.setattr(kernels, "_exact_in_single", lambda *given: said.append(ask(*given)) or said[-1])
    return said


def test_products_of_pixels_are_exact_in_single_precision(singles):
    X, Y = integers(100, 300, 255), integers(80, 300, 255, seed=1)
    K = Kernel("poly", 1 / 255, 4, 1.0)(X, Y)
    assert singles == [True]
    exact = (X.astype(int) @ Y.astype(int).T).astype(float)
    square = (exact * (1 / 255) + 1.0) * (exact * (1 / 255) + 1.0)
    np.testing.assert_array_equal(K, square * square)
    assert K.dtype == np.float64 and K.flags.c_contiguous


@pytest.mark.parametrize("row, single", [((EDGE,), True), ((EDGE, 1), False), ((2**30,), False)])
def test_sums_beyond_two_to_the_24_are_made_in_double_precision(singles, row, single):
    X = np.zeros((LARGE, 5))
    X[7, : len(row)] = row
    np.testing.assert_array_equal(Kernel()(X, X), X @ X.T)
    assert singles == [single]


@pytest.mark.parametrize("harm", [0.5, 1e-9, np.nan, np.inf])
@pytest.mark.parametrize("at", [(0, 0), (5, 2)])
def test_what_is_not_whole_is_multiplied_in_double_precision(singles, harm, at):
    X, Y = integers(70, 4, 9), integers(70, 4, 9, seed=1)
    X[at] = harm
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(Kernel()(X, Y), X @ Y.T)
        np.testing.assert_array_equal(Kernel()(Y, X), Y @ X.T)
    assert singles == [False, False]


def test_large_numbers_times_zero_do_not_overflow(singles):
    X = np.full((LARGE, 2), 1e200)
    np.testing.assert_array_equal(Kernel()(X, np.zeros((LARGE, 2))), np.zeros((LARGE, LARGE)))
    assert singles == [False]


@pytest.mark.parametrize("earlier, single", [(9.0, True), (0.1, False)])
def test_streams_are_looked_at_once_with_earlier_supports(singles, monkeypatch, earlier, single):
    X, supports = integers(LARGE, 4, 9), Supports()
    supports.append(np.full((LARGE, 4), earlier), np.arange(LARGE), 0)
    columns = Columns(Kernel(), X, supports, 0)
    monkeypatch.setattr(kernels, "are_whole", None)
    scores, _ = columns.scores(np.arange(LARGE), np.eye(LARGE))
    np.testing.assert_allclose(scores, supports[:] @ X.T, rtol=0, atol=1e-12)
    assert singles == [single, single]


def polynomials(X, degree, coef0):
    """All ordered products of ``degree`` features, of a row with ``sqrt(coef0)`` in front: the long way."""
    rows = np.column_stack([np.full(len(X), np.sqrt(coef0)), X]) if coef0 else X
    product = np.ones((len(X), 1))
    for _ in range(degree):
        product = (product[:, :, None] * rows[:, None, :]).reshape(len(X), -1)
    return product


@pytest.mark.parametrize(
    "d, degree, coef0", [(1, 3, 1.0), (2, 2, 0.5), (3, 2, 0.0), (4, 3, 2.0), (3, 4, 0.0)]
)
def test_a_polynomial_kernel_is_the_product_of_as_many_features_as_are_counted(d, degree, coef0):
    X = np.random.default_rng(d).standard_normal((9, d))
    phi = polynomials(X, degree, coef0)
    np.testing.assert_allclose(Kernel("poly", 1.0, degree, coef0)(X, X), phi @ phi.T, rtol=1e-10, atol=1e-10)
    # Products of the same features in another order are the same number, for any x.
    names = polynomials(np.sqrt(np.array([[2.0, 3.0, 5.0, 7.0]]))[:, :d], degree, 11.0 if coef0 else 0.0)
    assert len(set(names[0].round(8))) == count_features(d, degree, constant=coef0 > 0)


@pytest.mark.parametrize("kernel", [Kernel(), Kernel("poly", 0.7, 3, 0.0), Kernel("poly", 0.2, 4, 1.5),
                                    Kernel("rbf", 0.4), Kernel("rbf", 5.0)])  # fmt: skip
def test_no_kernel_of_the_package_has_a_matrix_with_a_negative_eigenvalue(kernel):
    X = np.random.default_rng(3).standard_normal((40, 3))
    X[7] = X[8]
    assert np.linalg.eigvalsh(kernel(X, X)).min() > -1e-10 * np.linalg.eigvalsh(kernel(X, X)).max()


def test_a_matrix_without_negative_eigenvalues_is_made_of_vectors_and_no_other_is():
    rng = np.random.default_rng(0)
    for rank in (1, 3, 6):
        A = rng.standard_normal((6, rank))
        phi = features_of(A @ A.T)
        np.testing.assert_allclose(phi @ phi.T, A @ A.T, atol=1e-9)
    for _ in range(20):
        B = rng.standard_normal((5, 5))
        K = B + B.T
        lowest = np.linalg.eigvalsh(K)[0]
        assert lowest < 0  # so that c.K c < 0 for some c
        with pytest.raises(ValueError, match="an eigenvalue is negative"):
            features_of(K)
        features_of(K - lowest * np.eye(5))


def test_vectors_of_length_1_are_no_harder_to_separate():
    rng = np.random.default_rng(1)
    for _ in range(8):
        X = rng.standard_normal((14, 3)) * rng.uniform(0.2, 3.0, (14, 1))
        y = np.where(np.arange(14) % 2, 1.0, -1.0)
        K = Kernel("poly", 1.0, 3, 1.0)(X, X)
        margins = [maximum_margin(G, y, kernel="precomputed", bias=False).margin for G in (K, normalised(K))]
        assert np.allclose(np.diagonal(normalised(K)), 1.0)
        assert margins[1] ** 2 >= margins[0] ** 2 / K.diagonal().max() * (1 - 1e-6)
