"""Kernel Adatron: dual coordinate ascent without bias, the passive-aggressive step with a memory.

The smallest weights with ``y_i w.x_i >= 1`` are ``w = sum a_i y_i x_i``, where ``a >= 0`` maximises

    D(a) = sum a_i - |w|^2 / 2.

Along one coordinate the maximum is at ``a_i <- max(0, a_i + (1 - y_i w.x_i) / |x_i|^2)``: AMIRA's step, which
may now be taken back. Hildreth (1957) found it for quadratic programs, Friess, Cristianini and Campbell
(1998) for kernels, Hsieh et al. (2008) at scale, with the random order and the shrinking used here.
``noise_control`` adds ``lambda`` to ``|x_i|^2`` and ``lambda a_i`` to ``y_i w.x_i``: the 2-norm soft margin
``|w|^2 / 2 + sum of max(0, 1 - y_i w.x_i)^2 / (2 lambda)``, which is LinearSVC's squared hinge with ``C = 1 /
(2 lambda)``. :mod:`marginbook.sweeps` has the loop, and derives its shortcuts.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_X_y

from marginbook.coordinates import coordinate_step
from marginbook.engines.linear import arrays, csr_add, csr_dot, dense_add, dense_dot
from marginbook.kernels import Kernel, resolve_gamma, summed
from marginbook.maximum import check_gram, check_parameters, signs
from marginbook.sweeps import Ascent, gram_add, gram_dot

SMALLEST, LARGEST = 1e-153, 1e153  # lengths whose squares are floats with room on either side


class Adatron(NamedTuple):
    """Weights, and the values that certify them."""

    coef: np.ndarray | None  # w = sum a_i y_i x_i, shape (d,); None unless the kernel is linear
    intercept: float  # what the constant feature adds to w.x
    dual_coef: np.ndarray  # a_i y_i, shape (n,): f(x) = sum_i dual_coef[i] K(x_i, x) + intercept
    margin: float  # 1 / sqrt(2 primal): of weights that meet all constraints, private coordinates included
    primal: float  # of w / min y_i w.x_i, or of w and its slacks: at least the optimum
    dual: float  # D(a): at most the optimum, so that no margin exceeds 1 / sqrt(2 dual)
    gap: float  # 1 - dual / primal
    support: np.ndarray  # rows with a_i > 0
    n_iter: int  # sweeps over the examples not shrunk
    converged: bool  # whether the gap is at most tol


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
        ``rho >= 0``: a constant feature, whose weight is kept short with the others.
    tol : float, default 1e-6
        In (0, 1): largest relative duality gap, ``1 - dual / primal``. That of the margins is half as large.
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
        If ``y`` has not two classes or a parameter is out of range; if a kernel value ``K(x, x)`` is
        negative; if the multipliers prove that the data are inseparable or that their margin, with the
        private coordinates of ``noise_control``, is below 1e-7 of the largest ``|x|`` (the message gives the
        bound); if ``max_iter`` sweeps find no separating weights; if the largest ``|x|`` is below 1e-153 or
        above 1e153.

    Warns
    -----
    ConvergenceWarning
        If ``max_iter`` sweeps leave a larger gap. Where examples that determine the weights are nearly
        parallel, each sweep gains little; :func:`marginbook.maximum_margin` makes none.

    References
    ----------
    Hildreth (1957); Friess, Cristianini and Campbell (1998); Hsieh et al. (2008), Algorithm 3.

    Examples
    --------
    >>> solution = adatron([[2.0, 0.0], [-1.0, 1.0]], [1, -1])
    >>> solution.coef.round(3).tolist(), solution.converged
    ([0.5, -0.5], True)
    """
    check_parameters(False, 2, kernel, augment, noise_control, tol)
    if not max_iter >= 1:
        raise ValueError(f"max_iter must be at least 1, got {max_iter!r}")
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=np.float64, order="C")
    X, y = summed(X), signs(y)
    named = Kernel(kernel, resolve_gamma(gamma, X) if kernel in ("poly", "rbf") else 1.0, degree, coef0)
    rows, readers = _readable(X, named)
    square = named.diagonal(X)
    if (square < 0.0).any():
        row = int(np.flatnonzero(square < 0.0)[0])
        raise ValueError(f"no kernel has K(x, x) < 0, as row {row} has here: {square[row]:.3g}")
    square = square + noise_control + augment**2
    _check_lengths(square)
    unit = _unit(square.max())
    if unit != 1.0:
        rows = (rows[0] / (unit if kernel == "linear" else unit**2), *rows[1:])
    size = X.shape[1] if kernel == "linear" else len(y)
    lam, rho = noise_control / unit**2, augment / unit
    ascent = Ascent(rows, y, square / unit**2, lam, rho, readers, size)
    sweeps = ascent.solve(tol, max_iter, np.random.default_rng(random_state))
    if ascent.primal == np.inf:
        raise ValueError(
            f"no separating weights after {sweeps} sweeps: the maximum margin is at most "
            f"{ascent.bound():.1g} of the largest |x|; use noise_control, or raise max_iter"
        )
    if ascent.gap > tol:
        warnings.warn(
            f"the duality gap is {ascent.gap:.1e} > tol={tol:.1e} after {sweeps} sweeps; raise max_iter",
            ConvergenceWarning,
            stacklevel=2,
        )
    with np.errstate(over="ignore"):  # of tiny data the multipliers may be infinite; the margin is not
        return Adatron(
            coef=ascent.v / unit if kernel == "linear" else None,
            intercept=float(augment * (ascent.bias[0] / unit)),
            dual_coef=ascent.a * y / unit**2,
            margin=float(unit / np.sqrt(2.0 * ascent.primal)),
            primal=float(ascent.primal / unit**2),
            dual=float(ascent.dual / unit**2),
            gap=float(ascent.gap),
            support=np.flatnonzero(ascent.a),
            n_iter=sweeps,
            converged=bool(ascent.gap <= tol),
        )


def _readable(X, kernel):
    """What the sweeps read, and how they read it."""
    if kernel.name == "linear":
        return arrays(X), (csr_dot, csr_add) if sparse.issparse(X) else (dense_dot, dense_add)
    gram = np.ascontiguousarray(check_gram(X)) if kernel.name == "precomputed" else kernel(X, X)
    return (gram,), (gram_dot, gram_add)


def _unit(largest):
    """A unit of length near the longest example, where squares of squares would leave the range of a float.

    It is a power of two, so dividing by it rounds nothing.
    """
    exponent = int(np.rint(np.log2(largest) / 2.0))
    return 1.0 if abs(exponent) < 200 else float(np.ldexp(1.0, exponent))


def _check_lengths(square):
    largest = np.sqrt(square.max())
    if not SMALLEST <= largest <= LARGEST:
        raise ValueError(
            f"X is too small or too large: the largest |x| must be between {SMALLEST} and {LARGEST}, got "
            f"{largest:.3g}; scale the data"
        )
    if (square == 0.0).any():
        row = int(np.flatnonzero(square == 0.0)[0])
        raise ValueError(
            f"the data are inseparable: row {row} is zero, or so short that its square is; "
            "use noise_control or augment"
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
            eta[j], _ = coordinate_step(eta[j], c[j] - gram[j] @ eta, gram[j, j])
        if np.abs(eta - before).max() <= tol * np.abs(eta).max():
            return eta
    raise ValueError(f"no solution after {max_iter} sweeps: the constraints may contradict each other")
