"""Kernels: linear, polynomial, Gaussian, precomputed.

One NamedTuple says which; calling it gives the matrix ``K(X, Y)``. Parameters are scikit-learn's.
"""

from math import comb
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms, safe_sparse_dot

LARGE = 64  # rows of both factors from which a product takes longer than to look at them


class Kernel(NamedTuple):
    """A kernel and its parameters.

    ``linear``: ``x.y``; ``poly``: ``(gamma x.y + coef0)^degree``; ``rbf``: ``exp(-gamma |x - y|^2)``;
    ``precomputed``: the rows of ``X`` already are kernel values.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [0.0, 1.0]])
    >>> Kernel("poly", gamma=1.0, degree=2, coef0=1.0)(X, X)
    array([[36.,  9.],
           [ 9.,  4.]])
    """

    name: str = "linear"
    gamma: float = 1.0  # rbf: 1 / (2 sigma^2), in units of 1/|x|^2
    degree: int = 3
    coef0: float = 1.0

    def __call__(self, X, Y, whole=None):
        """Kernel matrix, shape (len(X), len(Y)), C-contiguous float64; X and Y dense or CSR.

        ``whole`` saves a look at the numbers: what :func:`are_whole` says of rows that X and Y are among.
        """
        K = _products(X, Y, whole)
        if self.name == "poly":
            K *= self.gamma
            K += self.coef0
            _power(K, self.degree)
        elif self.name == "rbf":
            K *= -2.0
            K += row_norms(X, squared=True)[:, None]
            K += row_norms(Y, squared=True)
            np.maximum(K, 0.0, out=K)  # rounding may leave |x - y|^2 below zero
            K *= -self.gamma
            np.exp(K, out=K)
        return K

    @np.errstate(over="ignore", invalid="ignore")  # the engine refuses what is not finite
    def diagonal(self, X):
        """``K(x, x)`` for each row, shape (len(X),)."""
        if self.name == "precomputed":
            return np.ascontiguousarray(np.diagonal(X))
        xx = row_norms(X, squared=True)
        if self.name == "rbf":
            return np.where(np.isfinite(xx), 1.0, xx)
        return (self.gamma * xx + self.coef0) ** self.degree if self.name == "poly" else xx


def _products(X, Y, whole):
    """``X Y^T``, C-contiguous: in single precision, at twice the speed, where nothing is rounded there."""
    if _exact_in_single(X, Y, whole):
        return (X.astype(np.float32) @ Y.astype(np.float32).T).astype(np.float64)
    return np.ascontiguousarray(safe_sparse_dot(X, Y.T, dense_output=True))


def _exact_in_single(X, Y, whole):
    """Whether a large product is one of integers, such as pixels, whose sums all stay within 2^24.

    A sum of products ``x_i y_i``, in whatever order, is at most ``|x| |y|``. Single precision has all
    integers up to 2^24.
    """
    if sparse.issparse(X) or sparse.issparse(Y) or min(len(X), len(Y)) < LARGE or whole is False:
        return False
    xx, yy = float(row_norms(X, squared=True).max()), float(row_norms(Y, squared=True).max())
    if not max(xx, yy, xx * yy) <= 2.0**48:
        return False
    return whole or (are_whole(X) and are_whole(Y))


def are_whole(X):
    """Whether the rows are dense and hold whole numbers only.

    Examples
    --------
    >>> are_whole(np.array([[3.0, -4.0]])), are_whole(np.array([[0.5, 0.0]]))
    (True, False)
    """
    if sparse.issparse(X):
        return False
    parts = (X[first : first + LARGE] for first in range(0, len(X), LARGE))  # the first tells most others
    return all((part == np.rint(part)).all() for part in parts)


def _power(K, degree):
    """``K ** degree`` in place, by squaring: a general power costs many times as much."""
    factor = None
    while degree > 1:
        if degree % 2:
            factor = K.copy() if factor is None else np.multiply(factor, K, out=factor)
        np.multiply(K, K, out=K)
        degree //= 2
    if factor is not None:
        K *= factor


def summed(X):
    """``X``, or a copy of one entry a coordinate: a sparse row may hold several, which mean their sum."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


@np.errstate(over="ignore")
def resolve_gamma(gamma, X):
    """scikit-learn's meaning of ``gamma``: ``"scale"`` is ``1 / (d var(X))``, ``"auto"`` is ``1 / d``.

    Parameters
    ----------
    gamma : float or {"scale", "auto"}
    X : array or CSR matrix, shape (n_samples, n_features)
    """
    if gamma == "scale":
        mean = X.mean()
        var = X.multiply(X).mean() - mean**2 if sparse.issparse(X) else X.var()
        return 1.0 / (X.shape[1] * var) if var > 0 else 1.0
    return 1.0 / X.shape[1] if gamma == "auto" else float(gamma)


def count_features(d, degree, constant=True):
    """How many products of features the polynomial kernel stands for.

    ``C(d + degree, degree)`` monomials of at most that degree; without the constant (``coef0 = 0``)
    ``C(d + degree - 1, degree)``, of just that degree.

    Examples
    --------
    >>> count_features(2, 2), count_features(2, 2, constant=False), count_features(784, 4)
    (6, 3, 15943435565)
    """
    return comb(d + degree, degree) if constant else comb(d + degree - 1, degree)


def features_of(K, tol=1e-10):
    """Vectors with the given inner products: ``Phi Phi^T = K``.

    Parameters
    ----------
    K : array, shape (n, n)
        Symmetric.
    tol : float
        Eigenvalues down to ``-tol`` times the largest count as rounding.

    Returns
    -------
    array, shape (n, n)
        A vector for each row.

    Raises
    ------
    ValueError
        If an eigenvalue is negative: no vectors have these inner products.

    Examples
    --------
    >>> phi = features_of(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> (phi @ phi.T).round(12).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    >>> features_of(np.array([[1.0, 2.0], [2.0, 1.0]]))
    Traceback (most recent call last):
    ValueError: an eigenvalue is negative, -1: no vectors have these inner products
    """
    values, vectors = np.linalg.eigh(K)
    if values[0] < -tol * max(values[-1], 0.0):
        raise ValueError(f"an eigenvalue is negative, {values[0]:.3g}: no vectors have these inner products")
    return vectors * np.sqrt(np.maximum(values, 0.0))


def normalised(K):
    """``K(x, x') / sqrt(K(x, x) K(x', x'))``: the kernel matrix of the feature vectors brought to length 1.

    Parameters
    ----------
    K : array, shape (n, n)
        A kernel matrix with a positive diagonal.

    Examples
    --------
    >>> normalised(np.array([[4.0, 3.0], [3.0, 9.0]])).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    length = np.sqrt(np.diagonal(K))
    return K / np.outer(length, length)
