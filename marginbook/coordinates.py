"""Dual coordinate ascent, step by step: what a step gains, what multipliers prove, how many sweeps suffice.

Multipliers ``a >= 0`` make the weights ``w = sum a_i y_i x_i`` and have the dual value ``D(a) = sum a_i -
|w|^2 / 2``. This module has one step, in plain Python: :func:`marginbook.ascent.hildreth` repeats it,
:func:`marginbook.ascent.adatron` takes it compiled and with the shortcuts of :mod:`marginbook.sweeps`.
"""

import math

import numpy as np


def coordinate_step(alpha, slope, square):
    """The best multiplier of one example while all others stay, and what that adds to ``D``.

    Along coordinate ``i``, ``D`` is a parabola of slope ``1 - m``, where ``m = y w.x``, and curvature
    ``-|x|^2``. So its maximum over ``a >= 0`` is at ``max(0, a + (1 - m) / |x|^2)``, and a step of length
    ``delta`` adds

        delta (1 - m) - delta^2 |x|^2 / 2  >=  delta^2 |x|^2 / 2,

    with equality where the multiplier is not stopped by zero. Afterwards the example has ``y w.x >= 1``, and
    ``y w.x = 1`` where its multiplier is positive.

    Parameters
    ----------
    alpha : float
        The multiplier, not negative.
    slope : float
        ``1 - m`` before the step; for a constraint ``v.w >= b`` in place of ``y x.w >= 1``, ``b - v.w``.
    square : float
        ``|x|^2 > 0``.

    Returns
    -------
    pair of float
        The new multiplier, and the gain.

    References
    ----------
    Hildreth (1957).

    Examples
    --------
    >>> coordinate_step(alpha=0.0, slope=1.0, square=4.0)
    (0.25, 0.125)
    >>> coordinate_step(alpha=0.25, slope=-2.0, square=4.0)
    (0.0, 0.375)
    """
    new = max(0.0, alpha + slope / square)
    delta = new - alpha
    return new, delta * slope - 0.5 * delta * delta * square


def certificate(alpha, margins):
    """Bounds of the maximum margin of hyperplanes through the origin, from any multipliers.

    ``min m_i / |w| <= gamma <= |w| / sum a_i``, where ``m_i = y_i w.x_i`` and ``|w|^2 = sum a_i m_i``.

    Parameters
    ----------
    alpha : array, shape (n,)
        Not negative, not all zero.
    margins : array, shape (n,)
        The ``m_i`` of ``w = sum a_i y_i x_i``. With noise control they include the private coordinates.

    Returns
    -------
    pair of float
        What these weights reach, and what no weights exceed.

    Raises
    ------
    ValueError
        If a multiplier is negative, or the weights are zero; zero weights of multipliers that are not all
        zero prove that the data are inseparable.

    References
    ----------
    Cortes and Vapnik (1995); the book's theorem on certificates.

    Examples
    --------
    >>> certificate([1.0, 1.0], [1.0, 3.0])
    (0.5, 1.0)
    """
    alpha, margins = np.asarray(alpha, dtype=float), np.asarray(margins, dtype=float)
    squared = alpha @ margins
    if (alpha < 0).any() or not squared > 0:
        raise ValueError("the multipliers must not be negative, and their weights not zero")
    norm = math.sqrt(squared)
    return float(margins.min() / norm), float(norm / alpha.sum())


def bound_sweeps(n, radius, margin, gap):
    """Sweeps of which one ends with bounds no further apart than ``gap``: ``4 n (R / gamma)^2 / gap^2``.

    A sweep steps once at each example, in any order. The gap is ``1 - lower / upper`` of
    :func:`certificate`. By :func:`coordinate_step` the squared moves ``|w' - w|^2`` of all steps sum to at most
    ``2 max D = 1 / gamma^2``. So one of ``E`` sweeps has moves with squares of sum ``1 / (gamma^2 E)`` at
    most, and moves of sum ``S <= sqrt(n / E) / gamma``. After its step an example has ``y w.x >= 1``, and 1
    where its multiplier is positive; the rest of the sweep changes that by ``R S`` at most. At the sweep's
    end, then, ``min m_i >= 1 - R S`` and ``|w|^2 = sum a_i m_i <= (1 + R S) sum a_i``, and the gap is at most
    ``1 - (1 - R S) / (1 + R S) <= 2 R S``.

    Parameters
    ----------
    n : int
        Number of examples.
    radius : float
        ``R``, the largest ``|x|``.
    margin : float
        ``gamma > 0``, the maximum margin of hyperplanes through the origin.
    gap : float
        In (0, 1].

    Returns
    -------
    float
        A worst case: the gap usually falls at a linear rate.

    Raises
    ------
    ValueError
        If ``margin`` is not positive, or ``gap`` not in (0, 1]: beyond, the proof says nothing.

    References
    ----------
    Derived in the book's chapter *From online to exact*. Luo and Tseng (1992) prove a linear rate, with a
    constant that no formula gives.

    Examples
    --------
    >>> bound_sweeps(n=10, radius=1.0, margin=0.5, gap=0.5)
    640.0
    """
    if not (margin > 0 and 0 < gap <= 1):
        raise ValueError(f"margin must be positive and gap in (0, 1], got {margin!r} and {gap!r}")
    return 4.0 * n * (radius / margin) ** 2 / gap**2
