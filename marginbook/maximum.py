"""The maximum margin of a data set, with a certificate.

The problem and its dual, for instances measured in the p-norm and ``1/p + 1/q = 1``::

    max { min_i y_i (w.x_i + b) : |w|_q <= 1 }  =  min { |sum_i a_i y_i x_i|_p : a >= 0, sum a = 1 }

with ``sum a_i y_i = 0`` on the right where there is a bias. For every feasible pair the left value is at
most the right one: the smallest of the numbers ``y_i (w.x_i + b)`` is at most their mean under ``a``, which
is ``w . sum a_i y_i x_i``, and Hoelder's inequality bounds that. So two vectors prove a margin, whoever found
them.
"""

from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_X_y
from sklearn.utils.extmath import row_norms

from marginbook import solvers
from marginbook.kernels import Kernel, resolve_gamma, summed

ROUNDS = 60  # linear programs for a p-norm at most; a dozen suffice in practice
RESOLUTION = 1e-7  # margins below this part of the radius are lost in the rounding of the kernel matrix


class MaximumMargin(NamedTuple):
    """A hyperplane, the weights that certify it, and the values of both."""

    margin: float  # margin of the hyperplane found; at least (1 - gap) times the largest there is
    coef: np.ndarray | None  # unit weights, shape (d,); None unless the kernel is linear
    intercept: float  # bias, in units of the scores of unit weights
    dual_coef: np.ndarray  # the a_i >= 0 with sum one, shape (n,)
    primal: float  # min y_i (w.x_i + b), computed from coef (or dual_coef) and intercept
    dual: float  # |sum a_i y_i x_i|_p, computed from dual_coef: no margin is larger
    gap: float  # 1 - primal / dual
    support: np.ndarray  # rows with a_i > 0


def maximum_margin(
    X,
    y,
    *,
    bias=True,
    p=2,
    kernel="linear",
    gamma="scale",
    degree=3,
    coef0=1.0,
    augment=0.0,
    noise_control=0.0,
    tol=1e-6,
):
    """The largest margin of any hyperplane, ``max min_i y_i (w.x_i + b) / |w|_q``.

    Parameters
    ----------
    X : array or CSR matrix, shape (n_samples, n_features)
        With ``kernel="precomputed"`` the kernel matrix, shape (n_samples, n_samples).
    y : array, shape (n_samples,)
        Two classes; the larger label is the positive one.
    bias : bool
        Whether ``b`` is free. Without it, hyperplanes pass through the origin.
    p : float
        The norm of the instances, ``p >= 1`` or ``np.inf``; other than 2 for the linear kernel only.
    kernel, gamma, degree, coef0
        As in :class:`marginbook.Perceptron`.
    augment : float
        ``rho``, a constant feature; the margin is then the directional one. Needs ``bias=False``.
    noise_control : float
        ``lambda``, added to the diagonal of the kernel matrix: the 2-norm soft margin. Needs ``p = 2``.
    tol : float
        The largest relative gap accepted.

    Returns
    -------
    MaximumMargin
        With ``noise_control`` or ``augment`` the weights have unit length together with the private or the
        constant coordinate. Scores of a kernel are ``sum_i a_i y_i K(x_i, x) / dual + intercept``.

    Raises
    ------
    ValueError
        If the data are inseparable or their margin is below 1e-7 of the radius (the message gives the dual
        bound that proves it), if ``y`` has not two classes, or if a parameter is out of range.
    RuntimeError
        If the gap stays above ``tol``.

    References
    ----------
    Cortes and Vapnik (1995). The certificate is derived in the book's chapter on margins.

    Examples
    --------
    >>> best = maximum_margin([[100.0], [101.0]], [-1, 1])
    >>> best.margin, best.intercept
    (0.5, -100.5)
    >>> best = maximum_margin([[100.0], [101.0]], [-1, 1], bias=False, augment=1.0)
    >>> print(f"{best.margin:.4f}")
    0.0050
    """
    check_parameters(bias, p, kernel, augment, noise_control, tol)
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=np.float64)
    X, y = summed(X), signs(y)
    if kernel != "linear":
        K = Kernel(kernel, resolve_gamma(gamma, X), degree, coef0)(X, X) if kernel != "precomputed" else X
        return _kernel(check_gram(K) + augment**2, y, bias, noise_control, tol)
    if augment:
        column = np.full((len(y), 1), float(augment))
        X = sparse.hstack([X, column], format="csr") if sparse.issparse(X) else np.hstack([X, column])
    found, w = _linear(X, y, bias, float(p), noise_control, tol)
    if augment:
        return found._replace(coef=w[:-1], intercept=float(augment * w[-1]))
    return found._replace(coef=w)


def _linear(X, y, bias, p, lam, tol):
    """The margin in the units of ``X``, and the unit weights."""
    # Neither shift nor scale changes the weights; the solvers then meet numbers of order one.
    centre = np.zeros(X.shape[1]) if sparse.issparse(X) or not bias else X.mean(axis=0)
    if centre.any():
        X = X - centre
    radius = np.sqrt(row_norms(X, squared=True).max())
    if radius == 0.0 and lam == 0.0:
        raise ValueError(
            "the data are inseparable: all examples coincide, so the maximum margin is at most 0"
        )
    radius = max(radius, np.sqrt(lam))
    X, lam = X / radius, lam / radius**2
    best = None
    for w, a in _candidates(X, y, bias, p, lam):
        v = X.T @ (a * y)
        if lam > 0:
            norm, dual = np.sqrt(w @ w + lam * a @ a), np.sqrt(v @ v + lam * a @ a)
        else:
            norm, dual = np.linalg.norm(w, solvers.dual_exponent(p)) or 1.0, np.linalg.norm(v, p)
        found = _certificate((X @ w + lam * a * y) / norm, y, bias, a, dual)
        best = (found, w / norm) if best is None or found.gap < best[0].gap else best
        if best[0].gap <= tol or dual <= RESOLUTION:
            break
    return _units(best[0], radius, tol, shift=best[1] @ centre), best[1]


def _candidates(X, y, bias, p, lam):
    """Pairs of weights and dual weights; the caller takes the first that are good enough."""
    if lam > 0:
        yield solvers.by_newton(X, y, lam, bias)
        return
    if p == 2:
        K = X @ X.T
        a = solvers.by_gram(K.toarray() if sparse.issparse(K) else K, y, bias)
        yield X.T @ (a * y), a
    # A kernel matrix squares the data, and with them R / gamma; a linear program does not.
    yield from islice(solvers.by_linear_programs(X, y, p, bias), ROUNDS)


def _kernel(K, y, bias, lam, tol):
    """The same from a kernel matrix: the weights stay implicit."""
    K = K + lam * np.eye(len(K))
    middle = K.mean(axis=0)
    inner = K - middle - middle[:, None] + middle.mean() if bias else K  # a shift in feature space
    radius = np.sqrt(inner.diagonal().max())
    if radius == 0.0:
        raise ValueError(
            "the data are inseparable: all examples coincide, so the maximum margin is at most 0"
        )
    a = solvers.by_gram(inner / radius**2, y, bias)
    scores = K @ (a * y) / radius**2
    dual = np.sqrt(max((a * y) @ scores, 0.0))
    return _units(_certificate(scores / (dual or 1.0), y, bias, a, dual), radius, tol)


def _certificate(scores, y, bias, a, dual):
    """Both values of a pair: the scores of unit weights, and dual weights with their norm."""
    low, high = scores[y > 0].min(), scores[y < 0].max()
    b = -(low + high) / 2.0 if bias else 0.0
    primal = float((y * (scores + b)).min())
    gap = max(1.0 - primal / dual, 0.0) if dual > 0 else np.inf
    return MaximumMargin(primal, None, float(b), a, primal, float(dual), float(gap), np.flatnonzero(a))


def _units(found, radius, tol, shift=0.0):
    """Back to the units of the data; refuse what is not proved."""
    if found.dual <= RESOLUTION:
        raise ValueError(
            "the data are inseparable to working precision: "
            f"the maximum margin is at most {found.dual * radius:.3g}, {found.dual:.1g} of the radius"
        )
    if not found.gap <= tol:
        raise RuntimeError(
            f"the maximum margin is between {found.primal * radius:.9g} and {found.dual * radius:.9g}: "
            f"relative gap {found.gap:.2g}, tol {tol:.2g}"
        )
    primal, dual = float(found.primal * radius), float(found.dual * radius)
    intercept = float(found.intercept * radius - shift)
    return found._replace(margin=primal, primal=primal, dual=dual, intercept=intercept)


def check_parameters(bias, p, kernel, augment, noise_control, tol):
    solvers.dual_exponent(p)
    if kernel not in ("linear", "poly", "rbf", "precomputed"):
        raise ValueError(f"kernel must be linear, poly, rbf or precomputed, got {kernel!r}")
    if p != 2 and (kernel != "linear" or noise_control):
        raise ValueError(f"p must be 2 with a kernel or with noise_control, got {p!r}")
    if augment and bias:
        raise ValueError("augment needs bias=False: a free bias makes the constant feature idle")
    for name, value in (("augment", augment), ("noise_control", noise_control)):
        if not 0 <= value < np.inf:
            raise ValueError(f"{name} must be at least 0 and finite, got {value!r}")
    if not 0 < tol < 1:
        raise ValueError(f"tol must be in (0, 1), got {tol!r}")


def check_gram(K):
    K = K.toarray() if sparse.issparse(K) else K
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"a precomputed kernel must be square, got shape {K.shape}")
    if not np.allclose(K, K.T, rtol=1e-10, atol=1e-10 * np.abs(K).max()):
        raise ValueError("a precomputed kernel must be symmetric")
    return K


def signs(y):
    classes = np.unique(y)
    if len(classes) != 2:
        raise ValueError(f"y must have two classes, got {len(classes)}: {classes[:5]}")
    return np.where(y == classes[1], 1.0, -1.0)
