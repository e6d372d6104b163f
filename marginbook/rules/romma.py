"""ROMMA: the smallest weights that meet the new constraint and a relaxation of all earlier ones.

The separator of maximum margin is the smallest ``w`` with ``y_t w.x_t >= 1`` for all ``t``. ROMMA keeps one
half-space in place of all earlier constraints, and moves to the solution of

    minimise  |w'|^2 / 2   subject to   w'.w >= |w|^2   and   y w'.x >= 1

on a mistake (``delta = 1``) or, when aggressive, wherever ``y w.x < 1 - delta``. With ``k = y w.x``,
``W = |w|^2`` and ``Q = |x|^2`` there are two cases:

    k >= Q W:   w' = y x / Q                      the old constraint is slack
    k <  Q W:   w' = c w + d y x,                 both constraints are tight
                c = (Q W - k) / (Q W - k^2),   d = W (1 - k) / (Q W - k^2).

The first case covers ``w = 0`` and, for aggressive updates, short examples in the direction of ``w``.
"""

from typing import NamedTuple

from numba.extending import register_jitable

CLOSEST = 1e-9  # a smaller delta counts as this: the score after an update is 1 up to rounding alone
PARALLEL = 1e-14  # below this sin^2 of the angle between w and x is rounding: the two constraints contradict


class Params(NamedTuple):
    """What the reader chooses."""

    delta: float  # in [0, 1]: update when y w.x < 1 - delta, and on mistakes


class State(NamedTuple):
    """Nothing: ROMMA remembers its weights alone."""


@register_jitable
def minimiser(y, score, xx, ww):
    """``scale`` and ``step`` of the smallest ``w'`` with ``w'.w >= |w|^2`` and ``y w'.x >= 1``.

    Where the two constraints contradict each other (``x`` opposite to ``w``, to rounding) the old one is
    dropped.
    """
    k = y * score
    if ww == 0.0 or k / xx >= ww:
        return 0.0, y / xx
    ratio = k / xx / ww  # k / (Q W), below 1
    sine = 1.0 - k * ratio  # (Q W - k^2) / (Q W)
    if sine <= PARALLEL:
        return 0.0, y / xx
    return (1.0 - ratio) / sine, y * ((1.0 - k) / sine / xx)


def rule(params, state, y, score, xx, ww):
    """Move to the minimiser when ``y score < 1 - delta`` or ``y score <= 0``."""
    k = y * score
    if k > 0.0 and k >= 1.0 - max(params.delta, CLOSEST):
        return False, 1.0, 0.0, state
    scale, step = minimiser(y, score, xx, ww)
    return True, scale, step, state


def bound_mistakes(radius, margin):
    """Mistakes on separable data, any number of passes, from ``w = 0``: ``M <= (R / gamma)^2``.

    ``u / gamma`` meets every constraint ever imposed, so ``|w| <= 1 / gamma``; each mistake adds at least
    ``1 / R^2`` to ``|w|^2``. The ideal online algorithm, whose constraints are all earlier examples, keeps
    the same bound.

    Parameters
    ----------
    radius : float
        ``R``, the largest ``|x|``.
    margin : float
        ``gamma > 0``, the smallest ``y u.x`` of some unit vector ``u``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If ``margin`` is not positive.

    References
    ----------
    Li and Long (1999), Theorem 3, and Theorem 4 for the ideal algorithm.

    Examples
    --------
    >>> bound_mistakes(radius=1.0, margin=0.25)
    16.0
    """
    return bound_updates(radius, margin, 1.0)


def bound_updates(radius, margin, delta):
    """Updates of aggressive ROMMA on separable data: ``T <= (R / (delta gamma))^2``.

    An update where ``y w.x < 1 - delta`` moves ``w`` by more than ``delta / R``, and ``w'.w >= |w|^2`` makes
    ``|w'|^2 >= |w|^2 + |w' - w|^2``.

    Parameters
    ----------
    radius, margin : float
        As in :func:`bound_mistakes`.
    delta : float
        In (0, 1].

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If ``margin`` or ``delta`` is not positive.

    References
    ----------
    Li and Long (1999), Theorem 5; it holds for the minimiser with both of its cases.

    Examples
    --------
    >>> bound_updates(radius=1.0, margin=0.5, delta=0.5)
    16.0
    """
    if not (margin > 0 and delta > 0):
        raise ValueError(f"margin and delta must be positive, got {margin!r} and {delta!r}")
    return (radius / (delta * margin)) ** 2


def bound_margin(margin, delta):
    """Margin after an epoch without update: at least ``(1 - delta) gamma``.

    Every example then has ``y w.x >= 1 - delta``, and ``|w| <= 1 / gamma`` at all times.

    Parameters
    ----------
    margin : float
        The maximum margin ``gamma``.
    delta : float
        In [0, 1].

    Examples
    --------
    >>> bound_margin(margin=2.0, delta=0.25)
    1.5
    """
    return (1.0 - delta) * margin
