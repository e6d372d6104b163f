"""Dual coordinate ascent without bias, the kernel Adatron, the passive-aggressive step with a memory.

The smallest weights with ``y_i w.x_i >= 1`` are ``w = sum a_i y_i x_i``, where ``a >= 0`` maximises

    D(a) = sum a_i - |w|^2 / 2.

Along one coordinate the maximum is at ``a_i <- max(0, a_i + (1 - y_i w.x_i) / |x_i|^2)``: AMIRA's step, which
may now be taken back. Hildreth (1957) found it for quadratic programs, Friess, Cristianini and Campbell
(1998) for kernels, Hsieh et al. (2008) at scale, with the random order and the shrinking used here.
``noise_control`` adds ``lambda`` to ``|x_i|^2`` and ``lambda a_i`` to ``y_i w.x_i``: the 2-norm soft margin
``|w|^2 / 2 + sum of max(0, 1 - y_i w.x_i)^2 / (2 lambda)``, which is LinearSVC's squared hinge with ``C = 1 /
(2 lambda)``.
"""

import warnings
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_X_y

from marginbook.engines.linear import arrays, csr_add, csr_dot, dense_add, dense_dot
from marginbook.kernels import Kernel, resolve_gamma
from marginbook.maximum import RESOLUTION

EASIER = 0.3  # factor of the violation tolerated, when the gap asks for more


class Adatron(NamedTuple):
    """Weights, and the values that certify them."""

    coef: np.ndarray | None  # w, shape (d,); None unless the kernel is linear
    intercept: float  # what the constant feature adds to w.x
    dual_coef: np.ndarray  # a_i y_i, shape (n,): f(x) = sum_i dual_coef[i] K(x_i, x) + intercept
    margin: float  # 1 / |w| of weights that meet all constraints, private coordinates included
    primal: float  # of the minimisation: an upper bound on its optimum
    dual: float  # D(a), scaled to its best: a lower bound
    gap: float  # 1 - dual / primal
    n_iter: int  # sweeps over the examples not shrunk
    converged: bool  # whether the gap is at most tol


def gram_dot(rows, i, v):
    """``f(x_i)``, kept."""
    return v[i]


def gram_add(rows, i, a, v):
    """Add ``a K(x_i, .)`` to all scores."""
    row = rows[0][i]
    for k in range(v.shape[0]):
        v[k] += a * row[k]


@cache
def sweeper(dot, add):
    """Compile a sweep of coordinate steps and the scores of all examples, for one kind of rows."""
    dot, add = njit(dot), njit(add)

    @njit
    def sweep(rows, order, y, square, lam, rho, a, v, bias, limit):
        """Step at each example of ``order``; keep in it those that may step again."""
        kept, most, least = 0, -np.inf, np.inf
        for at in range(order.shape[0]):
            i = order[at]
            excess = y[i] * (dot(rows, i, v) + rho * bias[0]) + lam * a[i] - 1.0
            if a[i] == 0.0:
                if excess > limit:  # far on the right side, with multiplier 0: shrunk
                    continue
                slope = min(excess, 0.0)
            else:
                slope = excess
            order[kept] = i
            kept += 1
            most, least = max(most, slope), min(least, slope)
            if slope != 0.0:
                new = max(0.0, a[i] - excess / square[i])
                step = (new - a[i]) * y[i]
                a[i] = new
                add(rows, i, step, v)
                bias[0] += step * rho
        return kept, most, least

    @njit
    def margins(rows, y, rho, v, bias, out):
        for i in range(y.shape[0]):
            out[i] = y[i] * (dot(rows, i, v) + rho * bias[0])

    return sweep, margins


def adatron(
    X,
    y,
    *,
    kernel="linear",
    gamma="scale",
    degree=3,
    coef0=1.0,
    noise_control=0.0,
    augment=0.0,
    tol=1e-6,
    max_iter=100_000,
    random_state=0,
):
    """The smallest weights with ``y_i w.x_i >= 1``, hard or 2-norm soft margin, to any duality gap.

    Parameters
    ----------
    X : array or CSR matrix, shape (n_samples, n_features)
        With ``kernel="precomputed"`` the kernel matrix, shape (n_samples, n_samples). Any kernel but the
        linear one holds a matrix of this shape.
    y : array-like of two labels, shape (n_samples,)
        The larger is positive.
    kernel, gamma, degree, coef0
        As for the estimators.
    noise_control : float, default 0
        ``lambda >= 0``: a private coordinate ``sqrt(lambda)`` for each example.
    augment : float, default 0
        ``rho >= 0``: a constant feature.
    tol : float, default 1e-6
        Largest relative duality gap.
    max_iter : int
        Largest number of sweeps.
    random_state : int or Generator
        Seed of the order of the steps.

    Returns
    -------
    Adatron

    Raises
    ------
    ValueError
        If ``y`` has not two labels, a parameter is out of range, or no weights meet the constraints: the
        margin is then below 1e-7 of the largest ``|x|``.

    Warns
    -----
    ConvergenceWarning
        If ``max_iter`` sweeps leave a larger gap.

    References
    ----------
    Hildreth (1957); Friess, Cristianini and Campbell (1998); Hsieh et al. (2008), Algorithm 3.

    Examples
    --------
    >>> solution = adatron([[2.0, 0.0], [-1.0, 1.0]], [1, -1])
    >>> solution.coef.round(3).tolist(), solution.converged
    ([0.5, -0.5], True)
    """
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=np.float64, order="C")
    classes = np.unique(y)
    if len(classes) != 2:
        raise ValueError(f"y must have two labels, got {classes.tolist()}")
    for name, value in ("noise_control", noise_control), ("augment", augment):
        if not value >= 0:
            raise ValueError(f"{name} must not be negative, got {value!r}")
    if not (tol > 0 and max_iter >= 1):
        raise ValueError(f"tol must be positive and max_iter at least 1, got {tol!r} and {max_iter!r}")
    y = np.where(y == classes[1], 1.0, -1.0)
    named = Kernel(kernel, resolve_gamma(gamma, X) if kernel in ("poly", "rbf") else 1.0, degree, coef0)
    square = named.diagonal(X) + noise_control + augment**2
    size = np.sqrt(square.max())  # work with examples of length at most 1
    if not np.isfinite(size) or size == 0.0:
        raise ValueError(f"the largest |x| must be positive and finite, got {size!r}")
    if kernel == "linear":
        rows = X * (1.0 / size)
        readers = (csr_dot, csr_add) if sparse.issparse(X) else (dense_dot, dense_add)
        v = np.zeros(X.shape[1])
    else:
        gram = X if kernel == "precomputed" else named(X, X)
        rows, readers, v = gram * (1.0 / size) * (1.0 / size), (gram_dot, gram_add), np.zeros(len(y))
    problem = _Problem(arrays(rows), y, square / size**2, noise_control / size**2, augment / size, readers, v)
    converged, sweeps = problem.solve(tol, max_iter, np.random.default_rng(random_state))
    if not converged:
        warnings.warn(
            f"the duality gap is {problem.gap:.1e} > tol={tol:.1e} after {sweeps} sweeps; raise max_iter",
            ConvergenceWarning,
            stacklevel=2,
        )
    return Adatron(
        coef=problem.v / size if kernel == "linear" else None,
        intercept=problem.rho * problem.bias[0],
        dual_coef=problem.a * y / size**2,
        margin=size / np.sqrt(2.0 * problem.primal),
        primal=problem.primal / size**2,
        dual=problem.dual / size**2,
        gap=problem.gap,
        n_iter=sweeps,
        converged=converged,
    )


def hildreth(gram, c, *, tol=1e-12, max_iter=100_000):
    """Multipliers ``eta >= 0`` that maximise ``c.eta - eta.gram.eta / 2``, one coordinate after another.

    The dual of: move ``w`` as little as possible to ``w' = w + sum eta_j v_j`` with ``w'.v_j >= b_j``. Then
    ``gram`` holds the ``v_i.v_j`` and ``c_j = b_j - w.v_j``.

    Parameters
    ----------
    gram : array, shape (m, m)
        Symmetric, positive semidefinite, with a positive diagonal.
    c : array, shape (m,)
        What each constraint lacks.
    tol : float
        The steps of the last sweep are at most this part of the largest multiplier.
    max_iter : int
        Largest number of sweeps.

    Returns
    -------
    array, shape (m,)

    Raises
    ------
    ValueError
        If a diagonal entry is not positive, or the sweeps do not settle: the constraints may contradict each
        other.

    References
    ----------
    Hildreth (1957).

    Examples
    --------
    >>> hildreth(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, 1.0])).round(6).tolist()
    [0.333333, 0.333333]
    """
    gram, c = np.asarray(gram, dtype=float), np.asarray(c, dtype=float)
    if not (np.diag(gram) > 0).all():
        raise ValueError(f"the diagonal of gram must be positive, got {np.diag(gram).tolist()}")
    eta = np.zeros(len(c))
    for _ in range(max_iter):
        before = eta.copy()
        for j in range(len(c)):
            eta[j] = max(0.0, eta[j] + (c[j] - gram[j] @ eta) / gram[j, j])
        if np.abs(eta - before).max() <= tol * np.abs(eta).max():
            return eta
    raise ValueError(f"no solution after {max_iter} sweeps: the constraints may contradict each other")


class _Problem:
    """The multipliers ``a``, the weights ``v`` (for a kernel: the scores) and their values."""

    def __init__(self, rows, y, square, lam, rho, readers, v):
        self.rows, self.y, self.square, self.lam, self.rho, self.v = rows, y, square, lam, rho, v
        self.sweep, self.margins = sweeper(*readers)
        self.a, self.bias, self._scores = np.zeros(len(y)), np.zeros(1), np.empty(len(y))

    def solve(self, tol, max_iter, rng):
        """Sweep until the gap is at most ``tol``; return whether it is, and the sweeps made."""
        if (self.square == 0.0).any():
            raise ValueError("a row of zeros has no margin: X is not separable; use noise_control or augment")
        violation, order, limit, sweeps = min(1.0, 10.0 * np.sqrt(tol)), np.arange(len(self.y)), np.inf, 0
        while sweeps < max_iter:
            sweeps += 1
            order = rng.permutation(order)
            kept, most, least = self.sweep(
                self.rows, order, self.y, self.square, self.lam, self.rho, self.a, self.v, self.bias, limit
            )
            order, limit = order[:kept], most if most > 0.0 else np.inf
            if kept and most - least > violation and sweeps % 100:
                continue
            self.certify()
            if self.gap <= tol:
                return True, sweeps
            if not kept or most - least <= violation:
                violation *= EASIER
                order, limit = np.arange(len(self.y)), np.inf
        self.certify()
        return self.gap <= tol, sweeps

    def certify(self):
        """Primal and dual values from the multipliers and the scores of all examples."""
        self.margins(self.rows, self.y, self.rho, self.v, self.bias, self._scores)
        total, own = self.a.sum(), self.lam * (self.a @ self.a)
        ww = self.a @ self._scores  # |w|^2 without private coordinates
        self.dual = total**2 / (2.0 * (ww + own))  # of the best multiple of a
        if self.lam > 0.0:
            self.primal = 0.5 * ww + (np.maximum(0.0, 1.0 - self._scores) ** 2).sum() / (2.0 * self.lam)
        else:
            if 1.0 / np.sqrt(2.0 * self.dual) < RESOLUTION:
                raise ValueError("no weights separate X: the margin is below 1e-7 of its largest row")
            least = self._scores.min()
            self.primal = 0.5 * ww / least**2 if least > 0.0 else np.inf
        self.gap = max(0.0, 1.0 - self.dual / self.primal)
