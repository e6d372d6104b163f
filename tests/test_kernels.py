"""Products of integers in single precision are exact, or not made in it."""

import numpy as np
import pytest

from marginbook import kernels
from marginbook.kernels import LARGE, Kernel

EDGE = 4096  # its square is 2^24


def integers(n, d, largest, seed=0):
    return np.random.default_rng(seed).integers(-largest, largest, (n, d), endpoint=True).astype(float)


@pytest.fixture
def singles(monkeypatch):
    """Whether each product was made in single precision."""
    said, ask = [], kernels._exact_in_single
    monkeypatch.setattr(kernels, "_exact_in_single", lambda X, Y: said.append(ask(X, Y)) or said[-1])
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
