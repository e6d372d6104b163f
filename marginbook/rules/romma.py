"""ROMMA, the relaxed online maximum margin algorithm, mistake-driven or aggressive.

The maximum-margin hypothesis is the shortest ``w`` with ``y_s w.x_s >= 1`` for all examples ``s`` met so far.
ROMMA remembers of them only the half-space ``H = {v: v.w >= |w|^2}``, which holds every convex set that has
``w`` as its shortest element. When an example fires, the new weights solve

    min |v|^2   subject to   v.w >= |w|^2   (the old constraint),   y v.x >= 1   (the new one).

With ``k = y w.x``, ``Q = |x|^2``, ``W = |w|^2`` there are two cases. If ``k >= Q W`` the old constraint is
slack and ``w <- y x / Q``; this covers ``w = 0`` and ``x`` in the direction of ``w``. Otherwise both are
tight and

    w <- c w + d y x,   c = (Q W - k) / (Q W - k^2),   d = W (1 - k) / (Q W - k^2).

From ``w != 0`` the first case happens only where ``0 < k < 1``: on no mistake, only to the aggressive
algorithm.

Two conventions belong to floating-point numbers. A margin within ``TOLERANCE`` of 1 counts as 1: otherwise
``delta = 0`` would answer the rounding of a score with updates of no length, for ever. And where the new
weights would prove that no margin is above ``RESOLUTION |x|`` - the two constraints contradict each other, or
``|w|`` has grown on inseparable data - rounding decides what they are; the old constraint is then given up, a
relaxation like any other, and ``w <- y x / Q``. No data with a larger margin meet this case, unless their
numbers are so small that ``|w|^2`` leaves the range of floating-point numbers.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

TOLERANCE = 1e-9  # in units of the score; rounding moves a score by about 1e-16 |w| |x|
RESOLUTION = 1e-7  # of a margin in units of |x|; the relative error of w is about 1e-16 (|x| / margin)^2
SMALLEST, LARGEST = 1e-300, 1e307  # sin2 may round to 0 or below; a larger |w|^2 would overflow


class Params(NamedTuple):
    """What the reader chooses."""

    delta: float  # in [0, 1], in units of the score: update when y w.x < 1 - delta or y w.x <= 0


class State(NamedTuple):
    """Nothing: ROMMA remembers its weights and their norm alone."""


@register_jitable
def minimiser(y, score, xx, ww):
    """Scale and step of the shortest vector that meets the old and the new constraint, from ``k < 1``."""
    k = y * score
    # Q W may overflow or underflow where k / Q / W does not: that is how the formulas are written.
    if ww == 0.0 or k / xx >= ww:
        return 0.0, y / xx
    r = k / xx / ww
    sin2 = 1.0 - k * r  # of the angle between w and x
    square = (xx * ww + 1.0 - 2.0 * k) / max(sin2, SMALLEST)  # |w|^2 |x|^2 of the new w
    if not (square <= 1.0 / RESOLUTION**2 and square / xx <= LARGEST):
        return 0.0, y / xx
    return (1.0 - r) / sin2, y * ((1.0 - k) / xx / sin2)


def rule(params, state, y, score, xx, ww):
    """Move to the shortest vector that meets the old and the new constraint."""
    k = y * score
    if k > 0.0 and k >= 1.0 - max(params.delta, TOLERANCE):
        return False, 1.0, 0.0, state
    scale, step = minimiser(y, score, xx, ww)
    return True, scale, step, state


def threshold(params, updates, xx, ww):
    """The rule fires where ``y score`` is below this, and at 0 or below: ``1 - delta``."""
    return 1.0 - max(params.delta, TOLERANCE)


def bound_mistakes(radius, margin):
    """Mistakes on separable data, any number of passes: ``M <= (R / gamma)^2``.

    A ``u`` with ``y u.x >= 1`` for all examples is in ``H`` at the start: there it is the whole space. If
    ``u`` is in ``H`` before an update, it meets both constraints; the new ``w`` is the shortest vector that
    does, so ``u`` is in the new ``H`` too. Hence ``|w|^2 <= u.w <= |u| |w|``, and the shortest ``u`` has the
    length ``1 / gamma``. An update on a mistake raises ``|w|^2`` by ``1 / |x|^2 >= 1 / R^2`` or more
    (:func:`bound_updates`), with any ``delta``, and no update lowers it: ``M / R^2 <= 1 / gamma^2``.

    Parameters
    ----------
    radius : float
        ``R``, the largest ``|x|``.
    margin : float
        ``gamma > 0``, the smallest ``y u.x`` of some unit vector ``u``.

    Returns
    -------
    float
        The largest number of trials with ``y w.x <= 0``, started at ``w = 0``.

    Raises
    ------
    ValueError
        If ``margin`` is not positive.

    References
    ----------
    Li and Long (2000), Theorem 3; it holds as printed, and for the aggressive algorithm with its exact step.

    Examples
    --------
    >>> bound_mistakes(radius=1.0, margin=0.25)
    16.0
    """
    return bound_updates(radius, margin, delta=1.0)


def bound_ideal(radius, margin):
    """Mistakes of the ideal online algorithm on separable data: ``M <= (R / gamma)^2``.

    Let ``w`` be the shortest vector with ``y_s w.x_s >= 1`` for all earlier examples. The vectors that meet
    these constraints and the new one lie in ``{v: v.w >= |w|^2}``, so the next ``w'`` has ``|w'|^2 >= |w|^2 +
    |w' - w|^2``, and after a mistake ``|w' - w| >= 1 / |x|``. The rest is as in :func:`bound_mistakes`.

    Parameters
    ----------
    radius, margin : float
        ``R`` and ``gamma > 0`` as in :func:`bound_mistakes`.

    Returns
    -------
    float
        The largest number of mistakes of :class:`marginbook.IdealMargin`.

    Raises
    ------
    ValueError
        If ``margin`` is not positive.

    References
    ----------
    Li and Long (2000), Theorem 4, with the constraints of the examples before the trial that is predicted.

    Examples
    --------
    >>> bound_ideal(radius=1.0, margin=0.25)
    16.0
    """
    return bound_updates(radius, margin, delta=1.0)


def bound_updates(radius, margin, delta):
    """Updates on separable data, any number of passes: ``T <= (R / (delta gamma))^2``.

    Each update starts from ``k < 1 - delta`` or ``k <= 0`` and moves the weights at least to the border of
    the new constraint, at the distance ``(1 - k) / |x| >= delta / R``. It raises ``|w|^2`` by at least the
    square of that, since ``|v|^2 >= |w|^2 + |v - w|^2`` for all ``v`` in the half-space ``H``. This holds for
    the exact solution of the problem with two constraints, whether the old one is tight or slack.

    Parameters
    ----------
    radius, margin : float
        ``R`` and ``gamma > 0`` as in :func:`bound_mistakes`.
    delta : float
        In (0, 1]. For a run with a smaller ``delta`` than this, the bound is on the trials with ``y w.x <
        1 - delta`` for the ``delta`` given here.

    Returns
    -------
    float
        The largest number of updates, started at ``w = 0``.

    Raises
    ------
    ValueError
        If ``margin`` is not positive or ``delta`` is not in (0, 1].

    References
    ----------
    Li and Long (2000), Theorem 5. It needs the case ``k >= Q W`` of the step, which the paper's formula
    lacks.

    Examples
    --------
    >>> bound_updates(radius=1.0, margin=0.25, delta=0.5)
    64.0
    """
    if not margin > 0:
        raise ValueError(f"margin must be positive, got {margin!r}")
    if not 0 < delta <= 1:
        raise ValueError(f"delta must be in (0, 1], got {delta!r}")
    return (radius / (delta * margin)) ** 2


def bound_margin(margin, delta):
    """Margin that ROMMA reaches on separable data: ``(1 - delta) gamma`` or more.

    When a whole epoch makes no update, ``y w.x >= 1 - delta`` for all examples, and ``|w| <= 1 / gamma``
    (:func:`bound_mistakes`). A ``delta`` below 1e-9 counts as 1e-9 to the algorithm.

    Parameters
    ----------
    margin : float
        The maximum margin ``gamma > 0`` of the data, for hyperplanes through the origin.
    delta : float
        In [0, 1]. At 1 nothing is promised but a separator.

    Returns
    -------
    float
        A lower bound on the geometric margin ``min y w.x / |w|`` after convergence.

    Raises
    ------
    ValueError
        If ``margin`` is not positive or ``delta`` is not in [0, 1].

    References
    ----------
    Li and Long (2000), the remark after Theorem 5.

    Examples
    --------
    >>> bound_margin(margin=2.0, delta=0.25)
    1.5
    """
    if not margin > 0:
        raise ValueError(f"margin must be positive, got {margin!r}")
    if not 0 <= delta <= 1:
        raise ValueError(f"delta must be in [0, 1], got {delta!r}")
    return (1.0 - delta) * margin


def bound_noise_control(radius, margin, deviations, noise_control, delta=1.0):
    """Updates with ``noise_control = lam`` on any data, any number of passes.

        T <= (R^2 + lam) (1 + D^2 / lam) / (delta gamma)^2

    with ``D^2 = sum d_i^2``, ``d_i = max(0, gamma - y_i u.x_i)``, for any unit ``u`` and any ``gamma > 0``.
    The private coordinates give the examples a radius of at most ``sqrt(R^2 + lam)``. The vector ``(u, y_1
    d_1 / sqrt(lam), ..., y_n d_n / sqrt(lam))`` has the length ``Z = sqrt(1 + D^2 / lam)`` and the functional
    margins ``y_i u.x_i + d_i >= gamma``: the extended data are separable with the margin ``gamma / Z``, and
    :func:`bound_updates` holds for them. Each example counts once, however many passes there are. ``lam = R
    D`` gives the least value, ``((R + D) / (delta gamma))^2``.

    Parameters
    ----------
    radius, margin : float
        ``R``, the largest ``|x|``, and the margin ``gamma > 0`` that ``u`` is asked for.
    deviations : array-like, shape (n_samples,)
        The ``d_i >= 0``, one for each example, in the units of ``radius``.
    noise_control : float
        ``lam > 0``, in the units of ``radius`` squared.
    delta : float, default 1
        In (0, 1], as for :func:`bound_updates`. At 1 the bound is on the mistakes in the extended space,
        where the score of an example has the term ``lam alpha_i y_i`` of its own coordinate.

    Returns
    -------
    float
        The largest number of updates, started at ``w = 0``.

    Raises
    ------
    ValueError
        If ``margin`` or ``noise_control`` is not positive, a deviation is negative, or ``delta`` is not in
        (0, 1].

    References
    ----------
    Li and Long (2000), Theorem 5, in the extended space of Freund and Schapire (1999), Theorem 2.

    Examples
    --------
    >>> bound_noise_control(radius=1.0, margin=0.5, deviations=[3.0, 4.0], noise_control=5.0)
    144.0
    """
    deviations = np.asarray(deviations, dtype=float)
    if not noise_control > 0:
        raise ValueError(f"noise_control must be positive, got {noise_control!r}")
    if (deviations < 0).any():
        raise ValueError("deviations must be 0 or more")
    square = (radius**2 + noise_control) * (1.0 + float(deviations @ deviations) / noise_control)
    return bound_updates(square**0.5, margin, delta)
