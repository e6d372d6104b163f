"""The perceptron, with margin ``b`` and learning rate ``eta``.

On an example with ``y w.x <= b`` the weights move by ``w <- w + eta y x``. With ``b = 0`` this is
Rosenblatt's perceptron: one step of length ``eta`` down the gradient of the hinge loss ``max(0, b - y w.x)``.
Started at ``w = 0`` with ``b = 0``, the learning rate only scales the weights; with ``b > 0`` only the
quotient ``b / eta`` matters.

The bounds below are functions of the data's radius ``R = max |x|`` and of the margin of a unit vector ``u``.
"""

from typing import NamedTuple

import numpy as np


class Params(NamedTuple):
    """What the reader chooses."""

    margin: float  # b >= 0, in units of the score w.x: update when y w.x <= b
    eta: float  # learning rate > 0: length of a step in units of |x|


class State(NamedTuple):
    """Nothing: the perceptron remembers its weights alone."""


def rule(params, state, y, score, xx, ww):
    """Update ``w <- w + eta y x`` when ``y score <= b``."""
    if y * score > params.margin:
        return False, 1.0, 0.0, state
    return True, 1.0, params.eta * y, state


def threshold(params, updates, xx, ww):
    """The rule fires where ``y score`` is at most this: ``b``."""
    return params.margin


def bound_novikoff(radius, margin):
    """Mistakes on separable data, any number of passes: ``M <= (R / gamma)^2``.

    Parameters
    ----------
    radius : float
        ``R``, the largest ``|x|``.
    margin : float
        ``gamma > 0``, the smallest ``y u.x`` of some unit vector ``u``.

    Returns
    -------
    float
        The largest number of updates of the perceptron with ``b = 0`` started at ``w = 0``.

    Raises
    ------
    ValueError
        If ``margin`` is not positive.

    References
    ----------
    Novikoff (1962), the perceptron convergence theorem; Block (1962).

    Examples
    --------
    >>> bound_novikoff(radius=1.0, margin=0.25)
    16.0
    """
    return bound_updates(radius, margin)


def bound_updates(radius, margin, b=0.0, eta=1.0):
    """Updates of the perceptron with margin: ``T <= (R^2 + 2 b / eta) / gamma^2``.

    Each update raises ``u.w`` by ``eta y u.x >= eta gamma``, and ``|w|^2`` by ``2 eta y w.x + eta^2 |x|^2``,
    at most ``2 eta b + eta^2 R^2``. From ``w = 0`` and with ``u.w <= |w|``,

        T eta gamma <= u.w <= |w|,     |w|^2 <= T (2 eta b + eta^2 R^2),

    so ``(T eta gamma)^2 <= T (2 eta b + eta^2 R^2)``. With ``b = 0`` this is Novikoff's bound.

    Parameters
    ----------
    radius, margin : float
        ``R`` and ``gamma > 0`` as in :func:`bound_novikoff`.
    b : float
        The margin parameter, ``b >= 0``.
    eta : float
        The learning rate, ``eta > 0``.

    Returns
    -------
    float
        The largest number of updates, started at ``w = 0``, over any number of passes.

    Raises
    ------
    ValueError
        If ``margin`` is not positive.

    References
    ----------
    Krauth and Mezard (1987) for ``b > 0``; the form here is derived in the book's chapter on the perceptron.

    Examples
    --------
    >>> bound_updates(radius=1.0, margin=0.5, b=1.0, eta=1.0)
    12.0
    """
    if not margin > 0:
        raise ValueError(f"margin must be positive, got {margin!r}")
    return (radius**2 + 2.0 * b / eta) / margin**2


def least_updates(radius, margin, b, eta=1.0):
    """Updates that no run to convergence can do without: ``T > b / (eta R gamma)``.

    ``T`` steps of length ``eta R`` or less leave ``|w| <= eta R T``. The margin reached is above ``b / |w|``,
    and no margin is above ``gamma``: so ``b < gamma |w|``.

    Parameters
    ----------
    radius, margin : float
        ``R`` and the maximum margin ``gamma`` of the data, both positive.
    b, eta : float
        The margin parameter and the learning rate, both positive.

    Returns
    -------
    float
        With ``b = (1 - eps) eta R^2 / eps`` it is ``(1 - eps) / eps R / gamma``, on every stream.

    References
    ----------
    Derived in the book's chapter on synthetic data.

    Examples
    --------
    >>> least_updates(radius=1.0, margin=0.5, b=9.0)
    18.0
    """
    return b / (eta * radius * margin)


def bound_margin(radius, margin, b, eta=1.0):
    """Margin the perceptron with margin reaches: ``gamma / (2 + eta R^2 / b)`` or more.

    When no example satisfies ``y w.x <= b`` any more, the margin is above ``b / |w|``. Of the two
    inequalities in :func:`bound_updates`, the first bounds the ``T`` of the second by ``|w| / (eta gamma)``:
    ``|w| <= (2 b + eta R^2) / gamma``.

    Parameters
    ----------
    radius, margin : float
        ``R`` and the maximum margin ``gamma`` of the data.
    b, eta : float
        The margin parameter and the learning rate, both positive.

    Returns
    -------
    float
        A lower bound on the geometric margin ``min y w.x / |w|`` after convergence. It tends to ``gamma / 2``
        as ``b / eta`` grows. With ``b = (1 - eps) eta R^2 / eps`` it is ``(1 - eps) gamma / (2 - eps)``.

    References
    ----------
    Krauth and Mezard (1987); the form here is derived in the book's chapter on the perceptron.

    Examples
    --------
    >>> bound_margin(radius=1.0, margin=1.0, b=1.0)
    0.3333333333333333
    """
    return margin * b / (2.0 * b + eta * radius**2)


def bound_freund_schapire(radius, margin, deviations):
    """Mistakes in one pass over any sequence, separable or not: ``M <= ((R + D) / gamma)^2``.

    ``D^2 = sum d_t^2`` with ``d_t = max(0, gamma - y_t u.x_t)``, for any unit ``u`` and any ``gamma > 0``.
    With ``eta = 1`` (it only scales ``w``), and with sums over the mistakes,

        M gamma - sum d_t <= sum y_t u.x_t = u.w <= |w| <= sqrt(M) R,     sum d_t <= sqrt(M) D

    by Cauchy and Schwarz, so ``sqrt(M) gamma <= R + D``. In several passes it holds as well, where ``D`` has
    a deviation for every mistake.

    Parameters
    ----------
    radius, margin : float
        ``R``, and the margin ``gamma > 0`` that ``u`` is asked for.
    deviations : array-like, shape (n,)
        The ``d_t >= 0``, in the units of ``radius``. Those of the mistaken trials suffice.

    Returns
    -------
    float
        The largest number of mistakes with ``b = 0``, started at ``w = 0``.

    Raises
    ------
    ValueError
        If ``margin`` is not positive or a deviation is negative.

    References
    ----------
    Freund and Schapire (1999), Theorem 2.

    Examples
    --------
    >>> bound_freund_schapire(radius=1.0, margin=0.5, deviations=[3.0, 4.0])
    144.0
    """
    deviations = np.asarray(deviations, dtype=float)
    if not margin > 0:
        raise ValueError(f"margin must be positive, got {margin!r}")
    if (deviations < 0).any():
        raise ValueError("deviations must not be negative")
    return float((radius + np.linalg.norm(deviations)) ** 2 / margin**2)
