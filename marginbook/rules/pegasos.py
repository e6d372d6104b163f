"""Pegasos: subgradient steps on the regularised hinge loss, one example at a time.

The objective is ``lam/2 |w|^2 + mean of max(0, 1 - y w.x)``. Trial ``t`` takes a step of length
``1 / (lam t)`` down the subgradient at its one example:

    w <- (1 - 1/t) w + [y w.x < 1] y x / (lam t),

where the test comes before the shrinking. With ``project`` the weights then return to the ball of radius
``1 / sqrt(lam)``, which holds the minimiser. The weights shrink at every trial, whether the rule fires or
not.
"""

import math
from typing import NamedTuple


class Params(NamedTuple):
    """What the reader chooses."""

    lam: float  # lambda > 0: weight of the regulariser, in units of 1/|w|^2
    project: bool  # return to the ball of radius 1 / sqrt(lambda) after a step


class State(NamedTuple):
    """What Pegasos remembers besides its weights."""

    t: int  # trials so far, over all epochs


def rule(params, state, y, score, xx, ww):
    """Shrink ``w`` by ``1 - 1/t``; fire when ``y score < 1``."""
    t = state.t + 1
    scale = 1.0 - 1.0 / t
    if y * score >= 1.0:
        return False, scale, 0.0, State(t)
    step = y / (params.lam * t)
    if params.project:
        excess = params.lam * (scale * scale * ww + step * (2.0 * scale * score + step * xx))
        if excess > 1.0:
            scale, step = scale / math.sqrt(excess), step / math.sqrt(excess)
    return True, scale, step, State(t)


def bound_regret(radius, lam, trials, project=True):
    """Regret against any weights ``u``: ``mean of f_t(w_t) - f_t(u) <= G^2 (1 + ln T) / (2 lam T)``.

    ``f_t(w) = lam/2 |w|^2 + max(0, 1 - y_t w.x_t)``, and ``w_t`` are the weights before trial ``t``. Holds
    for every sequence: ``f_t`` is ``lam``-strongly convex and its subgradients are no longer than ``G``.

    Parameters
    ----------
    radius : float
        ``R``, the largest ``|x|``.
    lam : float
        ``lambda > 0``.
    trials : int
        ``T >= 1``.
    project : bool
        With projection ``G = sqrt(lam) + R``, and ``u`` lies in the ball of radius ``1 / sqrt(lam)``; without
        it ``G = 2 R``, because ``|w_t| <= R / lam``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If ``lam`` or ``trials`` is not positive.

    References
    ----------
    Shalev-Shwartz, Singer and Srebro (2007), Theorem 1 with a mini-batch of one; Hazan, Agarwal and Kale
    (2007).

    Examples
    --------
    >>> bound_regret(radius=1.0, lam=1.0, trials=1)
    2.0
    """
    if not (lam > 0 and trials > 0):
        raise ValueError(f"lam and trials must be positive, got {lam!r} and {trials!r}")
    longest = math.sqrt(lam) + radius if project else 2.0 * radius
    return longest**2 * (1.0 + math.log(trials)) / (2.0 * lam * trials)
