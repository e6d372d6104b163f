"""ALMA_p: a margin that shrinks as corrections are made, and weights in the unit ball of the q-norm.

``p >= 2`` and ``1/p + 1/q = 1``. The ``k``-th correction is made on an example with

    y w.x / |x|_p <= (1 - alpha) gamma_k,   gamma_k = B sqrt(p - 1) / sqrt(k),

and takes, with the link ``f`` (the gradient of ``|w|_q^2 / 2``) and its inverse, the step

    w' = f^-1(f(w) + eta_k y x),   eta_k = C / (sqrt(p - 1) |x|_p sqrt(k)),   w <- w' / max(1, |w'|_q).

In the coordinates ``theta = f(w)`` the projection is ``theta <- theta' / max(1, |theta'|_p)``: one link a
step. For ``p = 2`` the link is the identity, and the step a rule like any other.
"""

import math
from typing import NamedTuple

from numba.extending import register_jitable


class Params(NamedTuple):
    """What the reader chooses."""

    alpha: float  # in (0, 1]: the margin after convergence is (1 - alpha) of the largest
    B: float  # > 0: scale of the margin asked for
    C: float  # > 0: scale of the learning rate
    p: float = 2.0  # >= 2


class State(NamedTuple):
    """The count of corrections."""

    k: int  # 1 + corrections so far


@register_jitable
def correction(params, state, y, score, length):
    """Whether a correction is due, its rate ``eta_k``, and the new state; ``length`` is ``|x|_p``."""
    root = math.sqrt((params.p - 1.0) / state.k)
    if y * score / length > (1.0 - params.alpha) * params.B * root:
        return False, 0.0, state
    return True, params.C / (math.sqrt((params.p - 1.0) * state.k) * length), State(state.k + 1)


def rule(params, state, y, score, xx, ww):
    """``p = 2``: scale and step are divided by ``max(1, |w'|)``."""
    fires, eta, state = correction(params, state, y, score, math.sqrt(xx))
    if not fires:
        return False, 1.0, 0.0, state
    square = ww + eta * (2.0 * y * score + eta * xx)  # |w'|^2
    longer = max(1.0, math.sqrt(max(0.0, square)))
    return True, 1.0 / longer, y * eta / longer, state


def threshold(params, updates, xx, ww):
    """The rule fires where ``y score`` is at most ``(1 - alpha) gamma_k |x|_p``; ``xx`` is ``|x|_p^2``."""
    gamma = params.B * math.sqrt((params.p - 1.0) / (updates + 1))
    return (1.0 - params.alpha) * gamma * math.sqrt(xx)


def bound_corrections(margin, alpha, p=2.0):
    """Corrections on separable data with ``B = sqrt(8) / alpha`` and ``C = sqrt(2)``.

    ``T <= 2 (p - 1) / gamma^2 (2 / alpha - 1)^2 + 8 / alpha - 4``, in any number of passes. It follows from
    :func:`bound_separable`, where ``A = 8 / alpha - 6``. By Bernoulli's inequality ``(T / (T + 1))^A >= 1 - A
    / (T + 1)``, so

        T - A <= T (T / (T + 1))^A <= (p - 1) / gamma^2 (8 / alpha - 5)^2 / 8,

    and ``(8 / alpha - 5)^2 / 8`` is less than ``2 (2 / alpha - 1)^2 = (8 / alpha - 4)^2 / 8``.

    Parameters
    ----------
    margin : float
        ``gamma`` in (0, 1]: the smallest ``y u.x / |x|_p`` of some ``u`` with ``|u|_q = 1``. Each example is
        normalised by its own length.
    alpha : float
        In (0, 1].
    p : float
        At least 2.

    Returns
    -------
    float
        The largest number of corrections.

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    References
    ----------
    Gentile (2000), Theorem 1, part 1.

    Examples
    --------
    >>> bound_corrections(margin=0.5, alpha=1.0)
    12.0
    """
    _check(margin, alpha, p)
    return 2.0 * (p - 1.0) / margin**2 * (2.0 / alpha - 1.0) ** 2 + 8.0 / alpha - 4.0


def least_corrections(margin, alpha, B, p=2.0):
    """Corrections that no run to convergence can do without: ``T > (p - 1) ((1 - alpha) B / gamma)^2 - 1``.

    In a pass without correction ``y w.x / |x|_p > (1 - alpha) gamma_{T+1}`` for all examples, with
    ``gamma_{T+1} = B sqrt((p - 1) / (T + 1))``. As ``|w|_q <= 1``, the smallest of the left sides is at most
    ``gamma``.

    Parameters
    ----------
    margin : float
        ``gamma > 0``: the maximum margin of the examples divided by their p-norms.
    alpha : float
        In (0, 1].
    B : float
        ``sqrt(8) / alpha`` in the theorem, ``1 / alpha`` in the experiments.
    p : float

    Returns
    -------
    float

    References
    ----------
    Derived in the book's chapter on synthetic data.

    Examples
    --------
    >>> least_corrections(margin=0.1, alpha=0.5, B=2.0)
    99.0
    """
    return (p - 1.0) * ((1.0 - alpha) * B / margin) ** 2 - 1.0


def bound_sparse(margin, alpha, n_features):
    """Corrections with ``p = 2 ln d``, ``B = sqrt(8) / alpha``, ``C = sqrt(2)``: of order ``ln d``.

    ``T <= 2 e (2 ln d - 1) / gamma^2 (2 / alpha - 1)^2 + 8 / alpha - 4``, where ``gamma`` belongs to a ``u``
    with ``|u|_1 <= 1`` and to examples divided by their largest coordinate. As ``d^(1/p) = sqrt(e)``,
    ``|x|_p <= sqrt(e) |x|_inf``, and ``|u|_q <= |u|_1``: so ``u`` has ``y u.x / |x|_p >= gamma / sqrt(e)``,
    for which this is :func:`bound_corrections`.

    Parameters
    ----------
    margin : float
        ``gamma`` in (0, 1]: the smallest ``y u.x / |x|_inf`` of some ``u`` with ``|u|_1 <= 1``.
    alpha : float
        In (0, 1].
    n_features : int
        ``d``, at least 3: then ``p`` is at least 2.

    Returns
    -------
    float
        The largest number of corrections, in any number of passes.

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    References
    ----------
    Gentile (2000), section 1, for the choice of p; Ishibashi, Hatano and Takeda (2008), Corollary 3.

    Examples
    --------
    A thousand times the features make it three times as large:

    >>> [round(bound_sparse(margin=0.5, alpha=1.0, n_features=d)) for d in (100, 100_000)]
    [183, 483]
    """
    if n_features < 3:
        raise ValueError(f"n_features must be at least 3, got {n_features!r}")
    return bound_corrections(margin / math.sqrt(math.e), alpha, 2.0 * math.log(n_features))


def bound_inseparable(margin, deviations, C, p=2.0):
    """Corrections on any sequence where ``C^2 + 2 (1 - alpha) B C = 1``.

    With ``S`` the sum of the deviations over ``gamma`` and ``rho^2 = 4 (p - 1) / (C gamma)^2``,
    ``T <= S + rho^2 / 2 + sqrt(rho^4 / 4 + rho^2 S + rho^2)``.

    Let ``c_k = u.theta`` before correction ``k``, ``v_k = y u.x / |x|_p`` and ``a = C / sqrt(p - 1)``, so
    that ``2 / (a gamma) = rho``. The correction divides ``b_k = c_k + a v_k / sqrt(k)`` by ``N >= 1``, where
    ``N^2 <= 1 + 1/k`` (as in :func:`bound_separable`, with ``A = 1``). Then

        1 + c_{k+1} = 1 + b_k / N >= sqrt(k / (k + 1)) (1 + b_k):

    for ``b_k >= 0`` term by term; for ``-1 <= b_k < 0`` because ``b_k / N >= b_k``; below -1 because
    ``c_{k+1} >= -1``. So ``sqrt(k) (1 + c_k)`` starts from 1, grows by ``a v_k`` or more and ends at
    ``2 sqrt(T + 1)`` or less. As ``v_k`` is at least ``gamma`` less its deviation,
    ``1 + a gamma (T - S) <= 2 sqrt(T + 1)``, hence ``T - S <= rho sqrt(T + 1)``, of which the bound is the
    larger root.

    Parameters
    ----------
    margin : float
        ``gamma > 0``, for any ``u`` with ``|u|_q = 1``, separating or not.
    deviations : array-like, shape (n_corrections,)
        ``max(0, gamma - y u.x / |x|_p)`` at each correction.
    C : float
        The parameter ``C``, in (0, 1].
    p : float
        At least 2.

    Returns
    -------
    float
        The largest number of corrections, in any number of passes.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or a deviation is negative.

    References
    ----------
    Gentile (2000), Theorem 1, part 2, with ``2 rho`` for ``rho``: as printed it fails where ``u.w`` turns
    negative.

    Examples
    --------
    >>> round(bound_inseparable(margin=0.5, deviations=[0.5], C=1.0), 2)
    18.8
    """
    _check(margin, 1.0, p)
    if not 0 < C <= 1 or any(deviation < 0 for deviation in deviations):
        raise ValueError(f"C must be in (0, 1], got {C!r}, and no deviation negative")
    shift = sum(deviations) / margin
    square = 4.0 * (p - 1.0) / (C * margin) ** 2
    return shift + square / 2.0 + math.sqrt(square**2 / 4.0 + square * shift + square)


def bound_separable(margin, alpha, B, C, p=2.0):
    """Corrections on separable data for any ``B`` and ``C``: the largest ``T`` that the inequality allows.

    With ``A = C^2 + 2 (1 - alpha) B C``, at least 1: ``T (T / (T + 1))^A <= (p - 1) ((A + 1) / (2 C
    gamma))^2``.

    Half the square of the p-norm has the gradient ``w`` at ``theta`` and is ``(p-1)``-smooth, so correction
    ``k`` lengthens ``theta``, from ``|theta|_p <= 1``, to

        N^2 = |theta'|_p^2 <= 1 + 2 eta_k y w.x + (p - 1) eta_k^2 |x|_p^2 <= 1 + A / k <= ((k + 1) / k)^A;

    the middle step is the test and the choice of ``eta_k``, the last one Bernoulli's inequality. It adds
    ``eta_k y u.x >= a gamma / sqrt(k)`` to ``u.theta``, ``a = C / sqrt(p - 1)``, which stays positive: so
    ``k^(A/2) u.theta`` grows by ``a gamma k^((A-1)/2)`` or more even where ``theta`` is divided by ``N``.
    These sum to ``a gamma 2 T^((A+1)/2) / (A + 1)`` or more, and ``u.theta <= 1``: that is at most
    ``(T + 1)^(A/2)``.

    Parameters
    ----------
    margin, alpha, p : float
        As in :func:`bound_corrections`.
    B, C : float
        As in :class:`Params`.

    Returns
    -------
    int
        In any number of passes.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or ``A`` is below 1.

    References
    ----------
    The method is that of Gentile (2000), Theorem 1. It covers the choice ``B = 1 / alpha``, ``C = sqrt(2)``
    of Gentile's (2000) experiments, which his Theorem 1 does not, and is slightly better than its part 1.

    Examples
    --------
    >>> bound_separable(margin=0.5, alpha=1.0, B=1.0, C=2**0.5)
    6
    """
    _check(margin, alpha, p)
    if not min(B, C) > 0:
        raise ValueError(f"B and C must be positive, got {B!r} and {C!r}")
    A = C**2 + 2.0 * (1.0 - alpha) * B * C
    if A < 1.0 - 1e-12:
        raise ValueError(f"C^2 + 2 (1 - alpha) B C must be at least 1, got {A!r}")
    limit = (p - 1.0) * ((A + 1.0) / (2.0 * C * margin)) ** 2
    low, high = 0, 1
    while high * (high / (high + 1.0)) ** A <= limit:  # the left side grows with T
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if middle * (middle / (middle + 1.0)) ** A <= limit:
            low = middle
        else:
            high = middle
    return low


def bound_margin(margin, alpha, B, C, p=2.0):
    """Margin after an epoch without correction: ``y w.x / |x|_p > (1 - alpha) gamma_{T+1}`` for all examples.

    ``gamma_{T+1} = B sqrt((p - 1) / (T + 1))`` falls with ``T``, which is at most that of
    :func:`bound_separable`; and ``|w|_q <= 1``. With ``B = sqrt(8) / alpha`` and ``C = sqrt(2)`` this is at
    least ``(1 - alpha) gamma``: with ``P = (p - 1) / gamma^2 >= 1``, :func:`bound_corrections` gives
    ``T + 1 <= 8 P / alpha^2 - 8 (P - 1) / alpha + 2 P - 3``, which is at most ``8 P / alpha^2``: then
    ``gamma_{T+1} >= gamma``. With ``B = 1 / alpha`` it is about 0.94 of that or more, for small ``gamma``.

    Parameters
    ----------
    margin, alpha, B, C, p : float
        As in :func:`bound_separable`, ``margin`` the largest possible.

    Returns
    -------
    float
        Of ``min y w.x / |x|_p``: of the margin of the examples scaled to length 1.

    Raises
    ------
    ValueError
        As :func:`bound_separable`.

    References
    ----------
    Gentile (2000), Theorem 1, part 1, for ``B = sqrt(8) / alpha`` and ``C = sqrt(2)``.

    Examples
    --------
    >>> bound_margin(margin=0.1, alpha=0.5, B=2 * 8**0.5, C=2**0.5) >= 0.05
    True
    """
    most = bound_separable(margin, alpha, B, C, p)
    return (1.0 - alpha) * B * math.sqrt((p - 1.0) / (most + 1.0))


def _check(margin, alpha, p):
    if not (margin > 0 and 0 < alpha <= 1 and p >= 2):
        raise ValueError(
            f"margin must be positive, alpha in (0, 1] and p at least 2, got {margin!r}, {alpha!r}, {p!r}"
        )
