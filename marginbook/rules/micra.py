"""MICRA: threshold and effective learning rate are powers of the number of updates.

With ``u = w / |w|`` and ``t - 1`` updates so far, an example with ``y u.x <= beta t^-epsilon`` moves the
direction by

    u <- (u + eta t^-zeta y x / R) / |u + eta t^-zeta y x / R|,   t <- t + 1.

``u`` starts in the direction of the first example, which is no update. Nothing depends on the length of the
weights: here it is kept at 1, so that no choice of ``eta`` overflows. ``zeta = 0`` is CRAMMA, of constant
effective rate.

A run over separable data cannot end while the threshold exceeds the maximum margin ``gamma``, that is before
``t_0 = (beta / gamma)^(1/epsilon)``, and does end by ``t_b``: the number ``T`` of updates satisfies
``t_0 - 1 < T <= t_b``. The bounds are functions of ``beta``, ``gamma`` and ``R`` in the same units.
"""

import math
from typing import NamedTuple

from scipy.optimize import brentq

CANCELLED = 1e-14  # of the terms of a square of a norm: what is left after rounding where they cancel


class Params(NamedTuple):
    """What the reader chooses."""

    epsilon: float  # > 0: exponent of the threshold
    zeta: float  # >= 0: exponent of the effective learning rate
    eta: float  # > 0: effective learning rate at t = 1
    beta: float  # > 0: threshold at t = 1, in units of |x|
    radius: float  # R > 0: the largest |x|


class State(NamedTuple):
    """The count of updates, and the two powers of it that every trial needs."""

    t: int  # 1 + updates so far
    threshold: float  # beta t^-epsilon, in units of |x|
    rate: float  # eta t^-zeta / R, in units of 1/|x|


def start(params):
    """The state before the first update."""
    return State(1, params.beta, params.eta / params.radius)


def rule(params, state, y, score, xx, ww):
    """Update ``u <- u + rate y x``, normalised, if ``y u.x <= beta t^-epsilon``."""
    norm = math.sqrt(ww)
    if y * score > norm * state.threshold:
        return False, 1.0, 0.0, state
    t = state.t + 1
    late = math.log(t)
    threshold = params.beta * math.exp(-params.epsilon * late)
    rate = params.eta * math.exp(-params.zeta * late) / params.radius
    later = State(t, threshold, rate)
    step = norm * state.rate
    squared = ww + step * (2.0 * y * score + step * xx)  # of the new weights
    # Where no direction is left, start again from this example.
    if squared <= CANCELLED * (ww + step * (step * xx)):
        return True, 0.0, y / math.sqrt(xx), later
    longer = math.sqrt(squared)
    return True, 1.0 / longer, y * step / longer, later


def threshold(params, updates, xx, ww):
    """The rule fires where ``y score`` is at most this: ``|w| beta t^-epsilon``."""
    return math.sqrt(ww) * params.beta * (updates + 1) ** -params.epsilon


def earliest(margin, epsilon, beta):
    """``t_0 = (beta / gamma)^(1/epsilon)``: a run ends at a later ``t``, after more than ``t_0 - 1`` updates.

    Until then the threshold ``beta t^-epsilon`` is at least ``gamma``, and no direction has a larger margin.

    Parameters
    ----------
    margin : float
        The maximum margin ``gamma > 0``: the largest ``min y u.x`` of a unit vector ``u``.
    epsilon, beta : float
        As in :class:`Params`.

    Returns
    -------
    float
        Infinity where it exceeds the range of a float.

    Raises
    ------
    ValueError
        If an argument is not positive.

    References
    ----------
    Tsampouka and Shawe-Taylor (2007), before equation (10).

    Examples
    --------
    >>> earliest(margin=0.1, epsilon=0.5, beta=1.0)
    100.0
    """
    if not (margin > 0 and epsilon > 0 and beta > 0):
        raise ValueError(f"margin, epsilon and beta must be positive, got {margin!r}, {epsilon!r}, {beta!r}")
    return _power(beta / margin, 1.0 / epsilon)


def bound_progress(radius, margin, epsilon, zeta, eta, beta, t):
    """The least by which update ``t`` raises ``u_t.u``, where ``u`` has the margin ``gamma``.

    With ``eta_t = eta t^-zeta``

        u_(t+1).u - u_t.u
            >= eta_t (gamma / R - eta_t / 2 - eta_t^2 / 2) - eta_t (1 + eta_t) beta t^-epsilon / R.

    Let ``c = u_t.u``, which is positive at the start and stays so: every update adds ``eta_t y u.x / R > 0``
    before it divides by ``N``. The test makes ``N^2 <= 1 + 2 s`` with
    ``s = eta_t beta t^-epsilon / R + eta_t^2 / 2``, and ``1 / sqrt(1 + 2 s) >= 1 - s``. So

        u_(t+1).u = (c + eta_t y u.x / R) / N >= (c + eta_t gamma / R) (1 - s),

    which exceeds ``c`` by at least ``eta_t gamma / R - s (1 + eta_t)``, as ``c <= 1`` and ``gamma <= R``.

    Parameters
    ----------
    radius, margin, epsilon, zeta, eta, beta : float
        As in :func:`bound_updates`.
    t : float
        1 for the first update.

    Returns
    -------
    float
        Negative while the threshold is high or the rate is.

    References
    ----------
    Tsampouka and Shawe-Taylor (2007), inequality (9).

    Examples
    --------
    >>> bound_progress(radius=1.0, margin=0.5, epsilon=1.0, zeta=1.0, eta=1.0, beta=1.0, t=10) > 0
    True
    """
    rate = eta * t**-zeta
    gain = margin / radius - rate / 2 - rate**2 / 2
    return rate * gain - rate * (1 + rate) * beta / radius * t**-epsilon


def bound_updates(radius, margin, epsilon, zeta, eta, beta, *, explicit=False):
    """Updates on separable data, any number of passes: ``T <= t_b = t_0 (1 + tau_b)``.

    ``tau_b`` is the one root of ``g(tau) = (1 + omega) R / (gamma eta t_0^(1 - zeta))``. With ``I_a``, the
    integral of ``x^-a`` from 1 to ``1 + tau``, ``kappa = eta t_0^-zeta`` and ``r = R / gamma``

        g = I_zeta - I_(zeta + eps) - kappa (r I_(2 zeta) + r kappa I_(3 zeta) + 2 I_(2 zeta + eps)) / 2,
        omega = kappa (2 + kappa) / r + kappa^2 (1 + kappa) / 2.

    Sum :func:`bound_progress` over the updates ``t_0 <= t <= T``: together they raise ``u_t.u``, which is
    positive and at most 1, by less than 1. All terms are multiples of falling powers of ``t``. Their sums
    differ from the integrals from ``t_0`` to ``T`` in the unfavourable direction by less than the terms at
    ``t_0``: in all by ``omega``. With ``t = t_0 (1 + tau)`` and ``beta t_0^-epsilon = gamma`` the integrals
    are ``gamma eta t_0^(1 - zeta) g(tau) / R``, so that ``g`` at the end is at most the right side. It
    exceeds that beyond the root: ``(1 + tau)^zeta g'(tau)`` is 1 less falling powers of ``1 + tau``, so ``g``
    falls from 0, turns once, and grows.

    Where ``zeta = 1 - 2 epsilon > 1/2``, the first two integrals are
    ``((1 + tau)^epsilon - 1)^2 / (2 epsilon)`` together, and the others at most ``1 / (a - 1)`` each, with
    the ``a`` of ``I_a``. Put in their places, these give the explicit ``tau_b = (1 + A)^(1/epsilon) - 1``,
    never below the root, where

        A^2 / (2 epsilon) = (1 + omega) R / (gamma eta t_0^(1 - zeta)) + r kappa / (2 (2 zeta - 1))
                            + r kappa^2 / (2 (3 zeta - 1)) + kappa / (2 zeta + epsilon - 1).

    Parameters
    ----------
    radius, margin : float
        ``R``, and the maximum margin ``gamma > 0``: the largest ``min y u.x`` of a unit vector ``u``.
    epsilon, zeta, eta, beta : float
        As in :class:`Params`, with ``zeta <= 1``. For ``zeta = 0`` the bound is finite only where
        ``eta (1 + eta) < 2 gamma / R``.
    explicit : bool
        The closed form.

    Returns
    -------
    float
        Infinity where the bound exceeds the range of a float.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or ``explicit`` does not apply.

    References
    ----------
    Tsampouka and Shawe-Taylor (2007), equations (11) and (12); Remark 1 and (15) for the closed form.

    Examples
    --------
    >>> round(bound_updates(radius=1.0, margin=0.1, epsilon=0.5, zeta=0.5, eta=1.0, beta=1.0))
    1224
    >>> sonar = dict(radius=3.8121, margin=0.00841, epsilon=0.05, zeta=0.9, eta=50.0, beta=3.59e-3 * 3.8121)
    >>> round(bound_updates(**sonar) / 1e6), round(bound_updates(**sonar, explicit=True) / 1e6)
    (1257, 1257)
    """
    tau = (_tau_explicit if explicit else _tau)(radius, margin, epsilon, zeta, eta, beta)
    return earliest(margin, epsilon, beta) * (1.0 + tau) if tau < math.inf else tau


def bound_fraction(radius, margin, epsilon, zeta, eta, beta, *, explicit=False):
    """Fraction of the maximum margin after convergence: at least ``f_b = (1 + tau_b + 1/t_0)^-epsilon``.

    A run that ends at ``t <= t_b + 1`` has a margin above ``beta t^-epsilon = gamma (t / t_0)^-epsilon``.
    With ``eta = eta_0 (beta / R)^-delta`` and ``0 < epsilon delta + zeta < 1`` the fraction tends to 1 as
    ``beta / R`` grows: ``kappa`` and the right side of the equation for ``tau_b`` then tend to 0, and with
    them ``tau_b``.

    Parameters
    ----------
    radius, margin, epsilon, zeta, eta, beta, explicit
        As in :func:`bound_updates`.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        As :func:`bound_updates`.

    References
    ----------
    Tsampouka and Shawe-Taylor (2007), equation (13) and Theorem 1.

    Examples
    --------
    >>> round(bound_fraction(radius=1.0, margin=0.1, epsilon=0.5, zeta=0.5, eta=1.0, beta=1.0), 3)
    0.286
    """
    tau = (_tau_explicit if explicit else _tau)(radius, margin, epsilon, zeta, eta, beta)
    return (1.0 + tau + _power(beta / margin, -1.0 / epsilon)) ** -epsilon


def bound_updates_half(radius, margin, eta, beta):
    """Updates for ``epsilon = zeta = 1/2``: ``T (T / (T + 1))^A <= ((A + 1) R / (2 eta gamma))^2``.

    Here ``A = max(1, eta^2 + 2 eta beta / R)``. Update ``t`` divides by ``N`` with ``N^2 <= 1 + A / t``, at
    most ``((t + 1) / t)^A`` by Bernoulli's inequality, so that ``t^(A/2) u_t.u`` grows by
    ``eta gamma t^((A-1)/2) / R`` or more. These sum to ``2 eta gamma T^((A+1)/2) / ((A + 1) R)`` or more, and
    in the end it is at most ``(T + 1)^(A/2)``.

    Parameters
    ----------
    radius, margin, eta, beta : float
        As in :func:`bound_updates`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is not positive.

    References
    ----------
    Tsampouka and Shawe-Taylor (2007), Example 1, has a weaker bound for this case, which resembles ALMA. The
    form here is derived in the book's chapter on MICRA, as its bound for ALMA is.

    Examples
    --------
    >>> round(bound_updates_half(radius=1.0, margin=0.1, eta=1.0, beta=1.0))
    403
    """
    if not min(radius, margin, eta, beta) > 0:
        raise ValueError(f"arguments must be positive, got {radius!r}, {margin!r}, {eta!r}, {beta!r}")
    A = max(1.0, eta**2 + 2.0 * eta * beta / radius)
    most = ((A + 1.0) * radius / (2.0 * eta * margin)) ** 2
    # The left side is at least T - A, and at most T.
    return brentq(lambda T: T * (T / (T + 1.0)) ** A - most, most, (most + A) * (1.0 + 1e-12))


def bound_fraction_half(radius, margin, eta, beta):
    """Fraction of the maximum margin after convergence for ``epsilon = zeta = 1/2``.

    After ``T`` updates the margin is above ``beta (T + 1)^(-1/2)``. With ``eta = eta_0 R / beta``,
    ``eta_0 >= 1/2``, where ``A = 2 eta_0 + eta_0^2 R^2 / beta^2``, the fraction is
    ``1 / (1 + 1/(2 eta_0) + eta_0 R^2 / (2 beta^2))`` in the limit of small ``gamma / R``: as ``beta / R``
    grows it tends to ``2 eta_0 / (1 + 2 eta_0) < 1``.

    Parameters
    ----------
    radius, margin, eta, beta : float
        As in :func:`bound_updates_half`.

    Returns
    -------
    float
        In [0, 1].

    References
    ----------
    As :func:`bound_updates_half`.

    Examples
    --------
    >>> round(bound_fraction_half(radius=1.0, margin=0.1, eta=1.0, beta=1.0), 3)
    0.498
    """
    return beta / margin * (bound_updates_half(radius, margin, eta, beta) + 1.0) ** -0.5


def _power(base, exponent):
    try:
        return float(base) ** exponent
    except OverflowError:
        return math.inf


def _scales(radius, margin, epsilon, zeta, eta, beta):
    """``kappa``, ``r`` and the right side of the equation for ``tau_b``."""
    if not (0 <= zeta <= 1 and eta > 0 and radius > 0):
        raise ValueError(
            f"zeta must lie in [0, 1], eta and radius be positive: {zeta!r}, {eta!r}, {radius!r}"
        )
    earliest(margin, epsilon, beta)  # checks them
    ratio = beta / margin
    kappa, r = eta * _power(ratio, -zeta / epsilon), radius / margin
    omega = kappa * (2.0 + kappa) / r + 0.5 * kappa**2 * (1.0 + kappa)
    return kappa, r, (1.0 + omega) * r / eta * _power(ratio, (zeta - 1.0) / epsilon)


def _tau(radius, margin, epsilon, zeta, eta, beta):
    """The root ``tau_b``, found in ``s = ln(1 + tau)``."""
    kappa, r, target = _scales(radius, margin, epsilon, zeta, eta, beta)

    def integral(power, s):
        return s if power == 1.0 else math.expm1((1.0 - power) * s) / (1.0 - power)

    def excess(s):
        loss = 0.5 * r * kappa * (integral(2.0 * zeta, s) + kappa * integral(3.0 * zeta, s))
        late = integral(zeta + epsilon, s) + kappa * integral(2.0 * zeta + epsilon, s)
        return integral(zeta, s) - late - loss - target

    high = 1.0
    while not excess(high) >= 0.0:  # g falls from 0, turns, and grows without bound
        high *= 2.0
        if high > 600.0:
            return math.inf
    return math.expm1(brentq(excess, 0.0, high, xtol=1e-14))


def _tau_explicit(radius, margin, epsilon, zeta, eta, beta):
    """``A^2`` is the right side of the equation for ``tau_b`` and the lost terms, times ``2 epsilon``."""
    if not (abs(zeta + 2.0 * epsilon - 1.0) < 1e-12 and zeta > 0.5):
        raise ValueError(f"the closed form needs zeta = 1 - 2 epsilon > 1/2, got {zeta!r} and {epsilon!r}")
    kappa, r, target = _scales(radius, margin, epsilon, zeta, eta, beta)
    lost = 0.5 * r * kappa / (2.0 * zeta - 1.0) + 0.5 * r * kappa**2 / (3.0 * zeta - 1.0)
    square = 2.0 * epsilon * (target + lost + kappa / (2.0 * zeta + epsilon - 1.0))
    return _power(1.0 + math.sqrt(square), 1.0 / epsilon) - 1.0
