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
    if params.project:  # only here: shrinking keeps w in the ball
        # With step in front |scale w + step x| overflows only where |x| does.
        u = scale / step
        length = math.sqrt(max(0.0, xx + u * (2.0 * score + u * ww)))
        excess = math.sqrt(params.lam) * abs(step) * length
        if excess > 1.0:
            scale, step = scale / excess, step / excess
    return True, scale, step, State(t)


def threshold(params, updates, xx, ww):
    """The rule fires where ``y score`` is below this: 1."""
    return 1.0


def bound_regret(radius, lam, trials, project=False):
    """Regret against any weights ``u``: ``mean of f_t(w_t) - f_t(u) <= G^2 (1 + ln T) / (2 lam T)``.

    ``f_t(w) = lam/2 |w|^2 + max(0, 1 - y_t w.x_t)``, and ``w_t`` are the weights before trial ``t``. This
    holds for every sequence of examples. The step goes down the subgradient
    ``g_t = lam w_t - [y_t w_t.x_t < 1] y_t x_t``, and projection moves no point away from those of the ball:

        f_t(w_t) - f_t(u) <= g_t.(w_t - u) - lam/2 |w_t - u|^2
        |w_{t+1} - u|^2   <= |w_t - u|^2 - 2 g_t.(w_t - u) / (lam t) + |g_t|^2 / (lam t)^2,

    the first line because ``f_t`` is ``lam``-strongly convex. With the second multiplied by ``lam t / 2``,

        f_t(w_t) - f_t(u) <= lam (t-1)/2 |w_t - u|^2 - lam t/2 |w_{t+1} - u|^2 + |g_t|^2 / (2 lam t).

    The sum telescopes to ``sum of |g_t|^2 / (2 lam t)`` at most. Here ``|g_t| <= lam |w_t| + R <= G``, and
    the sum of ``1/t`` is at most ``1 + ln T``. Without projection ``w_{t+1}`` is the sum of the violations'
    ``y x`` over ``lam t``, so ``|w_t| <= R / lam``.

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
        it ``G = 2 R``.

    Returns
    -------
    float
        In units of the loss.

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
    return (
        _squared_subgradient(radius, lam, trials, project) * (1.0 + math.log(trials)) / (2.0 * lam * trials)
    )


def bound_objective(radius, lam, trials, project=False):
    """Distance of the averaged weights from the optimum, in expectation: ``G^2 (1 + ln(T + 1)) / (2 lam T)``.

    The objective is ``lam/2 |w|^2 + mean of max(0, 1 - y w.x)`` over a sample. Each trial presents a row
    drawn from it with replacement, and the weights after each of the ``T`` trials are averaged. Then
    ``f_t(w_t)`` has the expectation of the objective at ``w_t``, so :func:`bound_regret` for ``T + 1`` trials
    bounds the sum of their distances from the optimum. None of these is negative, so ``w_1 = 0`` may be left
    out; and the objective is convex. A permutation is no such draw: of it the bound says nothing.

    Projection does not exclude the optimum ``w``: there ``lam w`` is the mean of some ``a y x`` with ``a`` in
    [0, 1], and 0 where ``y w.x > 1``; so ``lam |w|^2`` is the mean of ``a y w.x``, at most 1.

    Parameters
    ----------
    radius, lam, trials, project
        As in :func:`bound_regret`.

    Returns
    -------
    float
        In units of the objective; a bound on the expectation over the draws.

    Raises
    ------
    ValueError
        If ``lam`` or ``trials`` is not positive.

    References
    ----------
    Shalev-Shwartz, Singer and Srebro (2007), Section 3; Cesa-Bianchi, Conconi and Gentile (2004) for the
    passage from a regret to an expectation.

    Examples
    --------
    >>> print(f"{bound_objective(radius=1.0, lam=0.1, trials=10_000):.4f}")
    0.0204
    """
    longest = _squared_subgradient(radius, lam, trials, project)
    return longest * (1.0 + math.log(trials + 1)) / (2.0 * lam * trials)


def bound_epochs(radius, lam, examples, epochs, project=False):
    """Distance of the averaged weights from the optimum after whole epochs: no expectation, any orders.

    With ``n`` examples, each presented once an epoch, and the weights after each of the ``T = n E`` trials
    averaged, it is at most

        G^2 / (2 lam) ((1 + ln T) / T + (3 + ln E) / E).

    The first term is that of :func:`bound_regret`: over whole epochs the ``f_t(u)`` sum to ``T`` times the
    objective. The second pays for the fixed orders. At trial ``t`` the regret has ``f_t(w_t)``; the objective
    at ``w_{t+1}`` is the mean of ``f_s(w_{t+1})`` over the trials ``s`` of the epoch; ``f_s`` changes by at
    most ``G |w_{t+1} - w_s|``. All weights lie in the balls of radius ``R / lam`` and, with projection,
    ``1 / sqrt(lam)``, so any two are ``G / lam`` apart at most. From epoch ``e = 2`` on steps are no longer
    than ``G / (lam (e - 1) n)``, and the mean of ``|t + 1 - s|`` is ``(n^2 + 2) / (3 n) <= n / 2``.

    Parameters
    ----------
    radius, lam, project
        As in :func:`bound_regret`.
    examples : int
        ``n >= 2``.
    epochs : int
        ``E >= 1``.

    Returns
    -------
    float
        In units of the objective.

    Raises
    ------
    ValueError
        If ``lam`` or ``epochs`` is not positive, or ``examples`` is below 2.

    References
    ----------
    Derived in the book's chapter *From online to exact*; the regret is that of :func:`bound_regret`.

    Examples
    --------
    >>> print(f"{bound_epochs(radius=1.0, lam=0.1, examples=100, epochs=1000):.4f}")
    0.2007
    """
    if not examples >= 2:
        raise ValueError(f"examples must be at least 2, got {examples!r}")
    fixed = _squared_subgradient(radius, lam, epochs, project) * (3.0 + math.log(epochs)) / epochs
    return bound_regret(radius, lam, examples * epochs, project) + fixed / (2.0 * lam)


def _squared_subgradient(radius, lam, trials, project):
    """``G^2``, where the bounds make sense."""
    if not (lam > 0 and trials > 0):
        raise ValueError(f"lam and trials must be positive, got {lam!r} and {trials!r}")
    return (math.sqrt(lam) + radius if project else 2.0 * radius) ** 2
