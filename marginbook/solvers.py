"""Solvers behind the maximum margin: weights ``a >= 0``, ``sum a = 1``, that minimise ``|sum a_i y_i x_i|``.

Each starts from a well-kept solver and finishes in double precision. None is trusted: the caller computes
primal and dual values again from the weights (:func:`marginbook.maximum_margin`).
"""

import warnings

import numpy as np
from scipy import linalg, sparse
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC


def balanced(a, y, bias):
    """Clip ``a`` at zero and scale it to sum one, with a bias to one half in each class: dual feasible."""
    a = np.maximum(a, 0.0)
    if not bias:
        return a / a.sum()
    half = np.empty_like(a)
    for sign in (-1.0, 1.0):
        half[y == sign] = a[y == sign] / (2.0 * a[y == sign].sum())
    return half


def by_gram(K, y, bias):
    """Hard margin from a kernel matrix: SVC, then an active-set method.

    SVC stores kernel values in single precision, which leaves gaps of 1e-4 where the margin is small.

    Parameters
    ----------
    K : array, shape (n, n)
        Kernel matrix with a diagonal of at most about one.
    y : array of -1.0 and 1.0, shape (n,)
    bias : bool

    Returns
    -------
    array, shape (n,)
        Dual feasible weights. On inseparable data their value ``sqrt(a' Q a)`` is zero up to rounding.
    """
    Q = K * np.outer(y, y)
    E = y[:, None] if bias else np.empty((len(y), 0))
    return balanced(active_set(Q, E, _svc(K, y, bias)), y, bias)


def _svc(K, y, bias):
    if not bias:  # the examples and their reflections: by symmetry their best hyperplane has b = 0
        K, y = np.block([[K, -K], [-K, K]]), np.concatenate([y, -y])
    svc = SVC(C=1e15, kernel="precomputed", tol=1e-6, max_iter=500_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the active set goes on from any start
        svc.fit(K, y)
    a = np.zeros(len(y))
    a[svc.support_] = np.abs(svc.dual_coef_[0])
    return a if bias else a[: len(a) // 2] + a[len(a) // 2 :]


def active_set(Q, E, a):
    """Minimise ``a' Q a / 2 - sum a`` over ``a >= 0, E' a = 0``, from a start with about the right support.

    A solution of the equations on the support ``S`` is approached until a weight reaches zero and leaves
    ``S``; at the solution the most violated constraint enters ``S``. Where the equations have no solution,
    their residual is a direction with ``Q r = 0``, ``E' r = 0`` and ``sum r > 0``: if none of its entries is
    negative it proves that the data are inseparable.
    """
    S = np.flatnonzero(a > 0)
    for _ in range(20 * len(a)):
        target, bias, residual = _equations(Q, E, S)
        rounding = 1e-9 + 1e-15 * np.abs(target).sum()  # the weights have sum (R / gamma)^2
        ray = np.abs(residual).max() > rounding
        move = residual if ray else target - a[S]
        shrinks = np.flatnonzero(move < 0)
        lengths = a[S[shrinks]] / -move[shrinks]
        if ray and not shrinks.size:
            a = np.zeros(len(a))
            a[S] = residual
            return a
        if shrinks.size and (ray or lengths.min() < 1.0):
            a[S] += lengths.min() * move
            out = shrinks[lengths.argmin()]
            a[S[out]] = 0.0
            S = np.delete(S, out)
            continue
        a[S] = target
        slack = Q[:, S] @ target + E @ bias - 1.0
        worst = slack.argmin()
        if slack[worst] >= -rounding or worst in S:
            break
        S = np.append(S, worst)
    return a


def _equations(Q, E, S):
    """Least-squares solution and residual of ``Q_SS a + E_S b = 1``, ``E_S' a = 0``."""
    m, k = len(S), E.shape[1]
    kkt = np.block([[Q[np.ix_(S, S)], E[S]], [E[S].T, np.zeros((k, k))]])
    right = np.concatenate([np.ones(m), np.zeros(k)])
    solution = linalg.lstsq(kkt, right, cond=1e-14, lapack_driver="gelsy")[0]
    return solution[:m], solution[m:], (right - kkt @ solution)[:m]


def by_newton(X, y, lam, bias):
    """2-norm soft margin of linear data: LinearSVC, then Newton's method on ``lam |w|^2 + sum xi^2``.

    The function is quadratic between the sets ``{xi > 0}``, so a step that keeps the set ends at the minimum.
    The weights are ``a_i = xi_i / sum xi``.

    Parameters
    ----------
    X : array or CSR matrix, shape (n, d)
    y : array of -1.0 and 1.0, shape (n,)
    lam : float
        Noise control, positive.
    bias : bool

    Returns
    -------
    w : array, shape (d,)
        Equal to ``sum a_i y_i x_i`` in exact arithmetic, and nearer to the solution in rounded.
    a : array, shape (n,)
        Dual feasible weights.
    """
    start = LinearSVC(
        C=0.5 / lam, dual=False, tol=1e-6, max_iter=10_000, fit_intercept=bias, intercept_scaling=10.0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start.fit(X, y)
    w = np.append(start.coef_[0], start.intercept_) if bias else start.coef_[0]
    ridge = np.full(len(w), lam)
    if bias:
        ones = np.ones((len(y), 1))
        X = sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])
        ridge[-1] = 0.0
    active = np.zeros(len(y), dtype=bool)
    for _ in range(100):
        previous, active = active, y * (X @ w) < 1.0
        if (active == previous).all():
            break
        A = X[active]
        gram = A.T @ A
        gram = gram.toarray() if sparse.issparse(gram) else gram
        w = linalg.lstsq(gram + np.diag(ridge), A.T @ y[active])[0]
    xi = np.maximum(1.0 - y * (X @ w), 0.0)
    return (w[:-1] if bias else w) * lam / xi.sum(), balanced(xi, y, bias)


def by_linear_programs(X, y, p, bias):
    """Hard p-norm margin of linear data: HiGHS on a polytope around the unit ball of the dual norm.

    The constraint ``sum |w_j|^q <= 1`` is replaced by tangents of ``|w_j|^q``. Each round adds the tangents
    at the last solution. For ``p = 1`` and ``p = inf`` the polytope is the ball.

    Parameters
    ----------
    X : array or CSR matrix, shape (n, d)
    y : array of -1.0 and 1.0, shape (n,)
    p : float
        At least one, or infinity.
    bias : bool

    Yields
    ------
    w : array, shape (d,)
    a : array, shape (n,)
        Dual feasible weights.
    """
    n, d = X.shape
    q = dual_exponent(p)
    Z = sparse.diags_array(y) @ sparse.csr_array(X)
    # The unknowns: w = u - v with u, v >= 0; t_j >= |w_j|^q; the bias; the margin, which is maximised.
    last = np.column_stack([-y * bias, np.ones(n)])
    margins = sparse.hstack([-Z, Z, sparse.csr_array((n, d)), sparse.csr_array(last)])
    budget = sparse.csr_array(np.repeat([0.0, 1.0, 0.0], [2 * d, d, 2])[None])
    rows, right = [margins, budget], [np.zeros(n), np.ones(1)]
    bounds = [(0, 1)] * (3 * d) + [(None, None)] * 2
    cost = np.append(np.zeros(3 * d + 1), -1.0)
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    w = np.full(d, d ** (-1.0 / q))
    while True:
        if p > 1:
            slope = sparse.diags_array(q * np.abs(w) ** (q - 1.0))
            rows.append(sparse.hstack([slope, slope, -sparse.eye_array(d), sparse.csr_array((d, 2))]))
            right.append((q - 1.0) * np.abs(w) ** q)
        matrix = sparse.vstack(rows, format="csc")
        found = linprog(cost, matrix, np.concatenate(right), bounds=bounds, method="highs", options=options)
        w = found.x[:d] - found.x[d : 2 * d]
        yield w, balanced(-found.ineqlin.marginals[:n], y, bias)


def dual_exponent(p):
    """The ``q`` with ``1/p + 1/q = 1``; one for infinity and infinity for one.

    Raises
    ------
    ValueError
        If ``p`` is below one.

    Examples
    --------
    >>> dual_exponent(4.0)
    1.3333333333333333
    """
    if not p >= 1:
        raise ValueError(f"p must be at least 1, got {p!r}")
    if np.isinf(p):
        return 1.0
    return np.inf if p == 1 else p / (p - 1.0)
