"""MICRA: threshold and effective learning rate are powers of the number of updates.

With ``u = w / |w|`` and ``t - 1`` updates so far, an example with ``y u.x <= beta t^-epsilon`` moves the
direction by

    u <- (u + eta t^-zeta y x / R) / |u + eta t^-zeta y x / R|,   t <- t + 1.

``u`` starts in the direction of the first example, which is no update. Nothing depends on the length of the
weights: here it is kept at 1, so that no choice of ``eta`` overflows. ``zeta = 0`` is CRAMMA, of constant
effective rate.

The bounds use ``t_0 = (beta / gamma)^(1/epsilon)``: an update at a later ``t`` asks for less than the maximum
margin ``gamma``. They are functions of ``beta``, ``gamma`` and ``R`` in the same units.
"""

import math
from typing import NamedTuple

from scipy.optimize import brentq


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
    """Update ``u <- (u + rate y x) / |...|`` when ``y u.x <= beta t^-epsilon``."""
    norm = math.sqrt(ww)
    if y * score > norm * state.threshold:
        return False, 1.0, 0.0, state
    step = norm * state.rate
    longer = math.sqrt(ww + step * (2.0 * y * score + step * xx))
    t = state.t + 1
    late = math.log(t)
    threshold = params.beta * math.exp(-params.epsilon * late)
    rate = params.eta * math.exp(-params.zeta * late) / params.radius
    return True, 1.0 / longer, y * step / longer, State(t, threshold, rate)


def bound_updates(radius, margin, epsilon, zeta, eta, beta):
    """Updates on separable data, any number of passes: ``T <= t_b = t_0 (1 + tau_b)``.

    ``tau_b`` is the one root of ``g(tau) = (1 + omega) R / (gamma eta t_0^(1 - zeta))``. With
    ``I_a = ((1 + tau)^(1 - a) - 1) / (1 - a)``, ``rho = eta t_0^-zeta`` and ``r = R / gamma``

        g = I_zeta - I_(zeta + eps) - r rho I_(2 zeta) / 2 - r rho^2 I_(3 zeta) / 2 - rho I_(2 zeta + eps),
        omega = rho (2 + rho) / r + rho^2 (1 + rho) / 2.

    Parameters
    ----------
    radius, margin : float
        ``R``, and the maximum margin ``gamma > 0``: the largest ``min y u.x`` of a unit vector ``u``.
    epsilon, zeta, eta, beta : float
        As in :class:`Params`; ``0 < zeta <= 1``.

    Returns
    -------
    float
        Infinity where the bound exceeds the range of a float.

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    References
    ----------
    Tsampouka and Shawe-Taylor (2007), equations (11) and (12).

    Examples
    --------
    >>> round(bound_updates(radius=1.0, margin=0.1, epsilon=0.5, zeta=0.5, eta=1.0, beta=1.0))
    1224
    """
    first, tau = _first(margin, epsilon, beta), _tau(radius, margin, epsilon, zeta, eta, beta)
    return first * (1.0 + tau)


def bound_fraction(radius, margin, epsilon, zeta, eta, beta):
    """Fraction of the maximum margin after convergence: at least ``f_b = (1 + tau_b + 1/t_0)^-epsilon``.

    With ``eta = eta_0 (beta / R)^-delta`` and ``0 < epsilon delta + zeta < 1`` it tends to 1 as ``beta / R``
    grows.

    Parameters
    ----------
    radius, margin, epsilon, zeta, eta, beta : float
        As in :func:`bound_updates`.

    References
    ----------
    Tsampouka and Shawe-Taylor (2007), equation (13) and Theorem 1.

    Examples
    --------
    >>> round(bound_fraction(radius=1.0, margin=0.1, epsilon=0.5, zeta=0.5, eta=1.0, beta=1.0), 3)
    0.286
    """
    first, tau = _first(margin, epsilon, beta), _tau(radius, margin, epsilon, zeta, eta, beta)
    return (1.0 + tau + 1.0 / first) ** -epsilon


def bound_updates_explicit(radius, margin, epsilon, eta, beta):
    """The bound of :func:`bound_updates` in closed form, where ``zeta = 1 - 2 epsilon > 1/2``.

    ``T <= t_0 (1 + A)^(1/epsilon)``, where ``A^2`` is a sum of four terms in ``R``, ``gamma``, ``beta`` and
    ``eta``. It is never below :func:`bound_updates`.

    Parameters
    ----------
    radius, margin, eta, beta : float
        As in :func:`bound_updates`.
    epsilon : float
        In (0, 1/4), so that ``zeta > 1/2``.

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    References
    ----------
    Tsampouka and Shawe-Taylor (2007), Remark 1 and equation (15).

    Examples
    --------
    >>> bound_updates_explicit(1.0, 0.1, 0.1, 1.0, 0.2) > bound_updates(1.0, 0.1, 0.1, 0.8, 1.0, 0.2)
    True
    """
    if not 0 < epsilon < 0.25:
        raise ValueError(f"epsilon must lie in (0, 1/4), got {epsilon!r}")
    first, zeta = _first(margin, epsilon, beta), 1.0 - 2.0 * epsilon
    ratio = margin / beta
    square = (
        2.0 * epsilon / eta * radius * margin / beta**2 * (1.0 + _omega(radius, margin, first, zeta, eta))
        + epsilon * eta / (1.0 - 4.0 * epsilon) * radius / beta * ratio ** (1.0 / epsilon - 3.0)
        + epsilon * eta**2 / (2.0 - 6.0 * epsilon) * radius / beta * ratio ** (2.0 / epsilon - 5.0)
        + 2.0 * epsilon * eta / (1.0 - 3.0 * epsilon) * ratio ** (1.0 / epsilon - 2.0)
    )
    return first * (1.0 + math.sqrt(square)) ** (1.0 / epsilon)


def _first(margin, epsilon, beta):
    """``t_0``: until then the threshold exceeds the maximum margin."""
    if not (margin > 0 and epsilon > 0 and beta > 0):
        raise ValueError(f"margin, epsilon and beta must be positive, got {margin!r}, {epsilon!r}, {beta!r}")
    return (beta / margin) ** (1.0 / epsilon)


def _omega(radius, margin, first, zeta, eta):
    rho = eta * first**-zeta
    return margin / radius * rho * (2.0 + rho) + 0.5 * rho**2 * (1.0 + rho)


def _tau(radius, margin, epsilon, zeta, eta, beta):
    """The root ``tau_b``, found in ``s = ln(1 + tau)``."""
    if not (0 < zeta <= 1 and eta > 0):
        raise ValueError(f"zeta must lie in (0, 1] and eta be positive, got {zeta!r} and {eta!r}")
    first = _first(margin, epsilon, beta)
    rho, r = eta * first**-zeta, radius / margin
    target = (1.0 + _omega(radius, margin, first, zeta, eta)) * r / (eta * first ** (1.0 - zeta))

    def integral(power, s):
        return s if power == 1.0 else math.expm1((1.0 - power) * s) / (1.0 - power)

    def excess(s):
        loss = 0.5 * r * rho * (integral(2.0 * zeta, s) + rho * integral(3.0 * zeta, s))
        late = integral(zeta + epsilon, s) + rho * integral(2.0 * zeta + epsilon, s)
        return integral(zeta, s) - late - loss - target

    high = 1.0
    while excess(high) < 0.0:  # g falls from 0, turns, and grows without bound
        high *= 2.0
        if high > 600.0:
            return math.inf
    return math.expm1(brentq(excess, 0.0, high, xtol=1e-14))
