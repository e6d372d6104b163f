"""PUMMA_p, the p-norm utilizing maximum margin algorithm: ROMMA with a bias, for any ``p >= 2``.

Distances are measured in the p-norm, ``1/p + 1/q = 1``. PUMMA remembers a pair, the last example of either
class that caused an update, and of all others only ``theta``, the gradient of ``|w|_q^2 / 2`` at its weights.
When an example fires it takes its class's place in the pair, and the new hypothesis solves

    min |v|_q^2 / 2   subject to   v.x+ + b >= 1,   v.x- + b <= -1,   v.theta >= |w|_q^2.

The bias is free, so the first two constraints ask for ``v.z >= 1`` with ``z = (x+ - x-) / 2``, the half
difference, and ``b = -(v.x+ + v.x-) / 2`` makes both tight. This is ROMMA's problem for the example ``z``
with ``y = 1``: for ``p = 2`` PUMMA takes ROMMA's step. In general ``v = link(scale theta + step z)`` where
``link`` is the gradient of ``|theta|_p^2 / 2``. There are two cases.

The old constraint may be slack: ``scale = 0``, ``step = 1 / |z|_p^2``. This is the solution if it satisfies
``v.theta >= |w|_q^2``, which covers ``w = 0`` and ``z`` in the direction of ``theta``.

Otherwise both are tight. With ``r = scale / step`` and ``g(r) = link(z + r theta)`` that is one equation,
``h(r) = g.theta - |w|_q^2 g.z = 0`` for ``r > 0``: ``h(0) < 0`` because the first case failed, ``h(r) / r``
tends to ``|w|_q^2 (1 - w.z) > 0``, and the root is unique because the problem is strictly convex. Then ``step
= 1 / g.z`` and ``scale = r step``. Newton's method finds it, inside a bracket that halves where it does not
help: alone it need not converge.

For ``p < 2`` half the square of the q-norm is not strongly convex, and the bounds below fail.
"""

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from marginbook.pnorms import norm
from marginbook.rules.romma import LARGEST, RESOLUTION, TOLERANCE, minimiser
from marginbook.solvers import dual_exponent

__all__ = [
    "Params", "State", "bound_margin", "bound_margin_log", "bound_norm", "bound_progress", "bound_updates",
    "bound_updates_log", "bound_updates_spread", "fires", "margin_of_pairs", "minimiser", "solve",
    "threshold",
]  # fmt: skip

ROUNDS = 200  # evaluations of h at most; where Newton's method does not help, bisection needs sixty


class Params(NamedTuple):
    """What the reader chooses."""

    delta: float  # in [0, 1], in units of the score: update when y (w.x + b) < 1 - delta or <= 0
    p: float  # at least 2: the norm that measures distances of instances


class State(NamedTuple):
    """Nothing: the engine keeps the pair, and the pair tells the bias."""


def fires(params, y, score):
    """Whether an example with ``score = w.x + b`` updates the hypothesis. 1 counts as reached within 1e-9."""
    k = y * score
    return k <= 0.0 or k < 1.0 - max(params.delta, TOLERANCE)


def threshold(params, updates, xx, ww):
    """An example fires where ``y score`` is below this, and at 0 or below: ``1 - delta``."""
    return 1.0 - max(params.delta, TOLERANCE)


@register_jitable
def solve(theta, z, p):
    """Scale and step of ``theta <- scale theta + step z``, for ``p >= 2`` and ``link(theta).z < 1``.

    Parameters
    ----------
    theta : array, shape (d,)
        ``w = link(theta)``.
    z : array, shape (d,)
        The half difference of the pair, not zero.
    p : float

    Returns
    -------
    scale, step : float

    Notes
    -----
    Where the new weights would prove that no margin is above ``1e-7 |z|_p``, rounding decides what they are:
    the old constraint is then given up, as in :mod:`marginbook.rules.romma`.

    Examples
    --------
    >>> import numpy as np
    >>> scale, step = solve(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 4.0)
    >>> print(f"{scale:.4f} {step:.4f}")
    1.4142 1.4142
    """
    size, length = norm(theta, p), norm(z, p)
    slack = 1.0 / length / length
    if size == 0.0:
        return 0.0, slack
    # For t = theta / |theta|_p and u = z / |z|_p, the problem has one number: c = |theta|_p |z|_p.
    c = size * length
    gt, gu, dgt, dgu = _products(theta, size, z, length, 0.0, p)
    if gt >= c:
        return 0.0, slack
    low, high, r, moved = 0.0, math.inf, 1.0 / c, math.inf
    for _ in range(ROUNDS):
        gt, gu, dgt, dgu = _products(theta, size, z, length, r, p)
        h, dh = gt - c * gu, dgt - c * dgu
        if abs(h) <= 4e-16 * (1.0 + c) * math.sqrt(max(gu + r * gt, 0.0)):  # the rounding of its sums: |g|_q
            break
        if h < 0.0:
            low = r
        else:
            high = r
        newton, last = r - h / dh if dh != 0.0 else low, r
        if high == math.inf:
            r = min(max(newton, 2.0 * r), 1e3 * r)
        elif low < newton < high and abs(newton - r) <= 0.5 * moved:  # else it may go to and fro for ever
            r = newton
        else:
            r = 0.5 * (low + high)
        moved = abs(r - last)
        if moved <= 4e-16 * r:
            break
    square = (r * c + 1.0) / gu if gu > 0.0 else math.inf  # |w|_q^2 |z|_p^2 of the new w
    longest = math.sqrt(square) / length  # |w|_q
    if not (square <= 1.0 / RESOLUTION**2 and longest <= math.sqrt(LARGEST) and r / gu / LARGEST <= c):
        return 0.0, slack
    return r / gu / c, slack / gu


@register_jitable
def _products(theta, size, z, length, r, p):
    """With ``s = u + r t`` and ``g = link(s)``: ``g.t``, ``g.u`` and their derivatives in ``r``."""
    largest = 0.0
    for j in range(z.shape[0]):
        largest = max(largest, abs(z[j] / length + r * (theta[j] / size)))
    if largest == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    ss, st, su, tt, tu = (
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    )  # weighted with a = |s|^(p-2), s in units of its largest
    for j in range(z.shape[0]):
        t, u = theta[j] / size, z[j] / length
        s = (u + r * t) / largest
        a = abs(s) ** (p - 2.0)
        ss += a * s * s
        st += a * s * t
        su += a * s * u
        tt += a * t * t
        tu += a * t * u
    factor = ss ** ((2.0 - p) / p)  # of link: |s|_p^(2-p)
    slope = (p - 2.0) * st / ss
    dgt, dgu = factor * ((p - 1.0) * tt - slope * st), factor * ((p - 1.0) * tu - slope * su)
    return factor * st * largest, factor * su * largest, dgt, dgu


def bound_progress(radius, delta, p=2.0):
    """What an update adds to ``|w|_q^2`` at least: ``delta^2 / (4 (p-1) R^2)``.

    Half the square of the q-norm is ``(q-1)``-strongly convex with respect to the q-norm, ``q - 1 =
    1/(p-1)``, and has the gradient ``theta`` at ``w``, so

        |v|_q^2 >= |w|_q^2 + 2 theta.(v - w) + |v - w|_q^2 / (p-1),

    where ``theta.(v - w) >= 0``: that is the constraint ``v.theta >= |w|_q^2``. Before the update the example
    that fires has ``y (w.x + b) < 1 - delta`` or ``<= 0``, and the other one of the pair has 1 exactly; so
    ``w.(x+ - x-) <= 2 - delta``. Then ``v.(x+ - x-) >= 2``, and Hoelder's inequality gives
    ``delta <= |v - w|_q |x+ - x-|_p <= |v - w|_q 2 R``. The first pair starts from ``w = 0``. The 4 cannot
    be improved.

    Parameters
    ----------
    radius : float
        ``R``, the largest ``|x|_p``.
    delta : float
        In (0, 1].
    p : float
        At least 2.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If ``delta`` is not in (0, 1] or ``p`` is below 2.

    References
    ----------
    Ishibashi, Hatano and Takeda (2008), Lemma 6, which prints 2 for the 4.

    Examples
    --------
    >>> bound_progress(radius=1.0, delta=0.5, p=2.0)
    0.0625
    """
    return 1.0 / bound_updates_spread(2.0 * radius, 1.0, delta, p)


def bound_updates(radius, margin, delta, p=2.0):
    """Updates on separable data, any number of passes: ``M <= 4 (p-1) R^2 / (delta gamma)^2``.

    Let ``y (u.x + b) >= 1`` for some ``b`` and all examples. If ``u`` meets an update's old constraint, it
    meets all three; ``v`` is the shortest vector that does, so ``u`` is on the far side of the hyperplane
    through ``v`` with the normal ``link^-1(v)``, and meets the next old constraint too. Hence ``|w|_q^2 <=
    u.theta <= |u|_q |theta|_p = |u|_q |w|_q``, and the shortest ``u`` has ``|u|_q = 1 / gamma``. The rest is
    :func:`bound_progress`.

    Parameters
    ----------
    radius, delta, p : float
        As in :func:`bound_progress`.
    margin : float
        ``gamma > 0``, the maximum p-norm margin of hyperplanes with bias.

    Returns
    -------
    float
        The largest number of updates; the first pair is one.

    Raises
    ------
    ValueError
        If ``margin`` is not positive, ``delta`` is not in (0, 1] or ``p`` is below 2.

    References
    ----------
    Ishibashi, Hatano and Takeda (2008), Theorem 2 (i), which leaves the constant open; its proof prints 2 and
    no ``p - 1``.

    Examples
    --------
    >>> bound_updates(radius=1.0, margin=0.5, delta=0.5, p=3.0)
    128.0
    """
    return bound_updates_spread(2.0 * radius, margin, delta, p)


def bound_updates_spread(spread, margin, delta, p=2.0):
    """The same without the origin: ``M <= (p-1) D^2 / (delta gamma)^2`` with ``D = max |x+ - x-|_p``.

    Neither side changes when all instances are shifted, as the algorithm does not. ``D <= 2 R``.

    Parameters
    ----------
    spread : float
        ``D``, the largest p-norm distance of two examples of different classes.
    margin, delta, p : float
        As in :func:`bound_updates`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As :func:`bound_updates`.

    References
    ----------
    The proof of Theorem 2 (i) of Ishibashi, Hatano and Takeda (2008) without its last step.

    Examples
    --------
    >>> bound_updates_spread(spread=1.0, margin=0.5, delta=0.5)
    16.0
    """
    if not margin > 0:
        raise ValueError(f"margin must be positive, got {margin!r}")
    if not 0 < delta <= 1:
        raise ValueError(f"delta must be in (0, 1], got {delta!r}")
    if not p >= 2:
        raise ValueError(f"p must be at least 2, got {p!r}")
    return (p - 1.0) * (spread / (delta * margin)) ** 2


def bound_margin(margin, delta):
    """The p-norm margin that PUMMA reaches on separable data: ``(1 - delta) gamma`` or more.

    When a whole epoch makes no update, ``y (w.x + b) >= 1 - delta`` for all examples, and ``|w|_q <=
    1/gamma`` (:func:`bound_updates`). A ``delta`` below 1e-9 counts as 1e-9 to the algorithm.

    Parameters
    ----------
    margin : float
        ``gamma > 0``, the maximum p-norm margin of hyperplanes with bias.
    delta : float
        In [0, 1]. At 1 nothing is promised but a separator.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If ``margin`` is not positive or ``delta`` is not in [0, 1].

    References
    ----------
    Ishibashi, Hatano and Takeda (2008), Theorem 2 (ii).

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


def bound_updates_log(radius, margin, delta, n_features, c=2.0):
    """Updates with ``p = c ln n``, in the geometry of the largest coordinate.

    ``|x|_p <= n^(1/p) |x|_inf`` with ``n^(1/p) = exp(1/c)``; and ``|u|_q <= |u|_1``, so the maximum p-norm
    margin is at least that of the infinity norm. Then :func:`bound_updates` gives
    ``M <= 4 (c ln n - 1) exp(2/c) R^2 / (delta gamma)^2``: it grows with the logarithm of the dimension.

    Parameters
    ----------
    radius : float
        ``R``, the largest ``|x|_inf``.
    margin : float
        ``gamma > 0``, the maximum infinity-norm margin of hyperplanes with bias.
    delta : float
        In (0, 1].
    n_features : int
        ``n``.
    c : float
        With ``c ln n >= 2``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As :func:`bound_updates`, with ``p = c ln n``.

    References
    ----------
    Ishibashi, Hatano and Takeda (2008), Corollary 3 (i), with its constant.

    Examples
    --------
    >>> print(f"{bound_updates_log(radius=1.0, margin=0.5, delta=0.5, n_features=100):.1f}")
    1428.4
    """
    return bound_updates(radius * math.exp(1.0 / c), margin, delta, c * math.log(n_features))


def bound_margin_log(margin, delta, c=2.0):
    """The infinity-norm margin reached with ``p = c ln n``: ``(1 - delta) gamma / exp(1/c)`` or more.

    ``|w|_1 <= n^(1/p) |w|_q``, by Hoelder's inequality, and ``|w|_q <= |u|_q <= |u|_1 = 1 / gamma`` for the
    ``u`` of the largest margin; the infinity-norm margin of ``w`` is ``min y (w.x + b) / |w|_1``.

    Parameters
    ----------
    margin : float
        ``gamma > 0``, the maximum infinity-norm margin of hyperplanes with bias.
    delta : float
        In [0, 1].
    c : float
        With ``c ln n >= 2``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As :func:`bound_margin`.

    References
    ----------
    Ishibashi, Hatano and Takeda (2008), Corollary 3 (ii).

    Examples
    --------
    >>> print(f"{bound_margin_log(margin=1.0, delta=0.25, c=2.0):.4f}")
    0.4549
    """
    return bound_margin(margin, delta) * math.exp(-1.0 / c)


def bound_norm(margin):
    """What ``|w|_q`` never exceeds on separable data: ``1 / gamma``.

    Let ``y (u.x + b) >= 1`` for some ``b`` and all examples, and ``u.theta >= |w|_q^2`` before an update,
    which is so at the start. Then ``u`` meets the constraints of :func:`solve`, of which the new weights
    ``v`` are the shortest solution; and with their scale and step ``u.(scale theta + step z) >= scale
    |w|_q^2 + step = |v|_q^2``, which is ``u.theta >= |w|_q^2`` after it. The shortest ``u`` has ``|u|_q = 1 /
    gamma``.

    Parameters
    ----------
    margin : float
        ``gamma > 0``, the maximum p-norm margin of hyperplanes with bias.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If ``margin`` is not positive.

    References
    ----------
    Ishibashi, Hatano and Takeda (2008), Lemma 5.

    Examples
    --------
    >>> bound_norm(margin=0.25)
    4.0
    """
    return 1.0 / bound_margin(margin, 0.0)


def margin_of_pairs(w, X, y, p=2.0):
    """The smallest p-norm margin of ``w`` on the half differences ``(x+ - x-) / 2``: ``min w.z / |w|_q``.

    It is the largest p-norm margin on the examples that ``w`` has with any bias, ``max_b min_i y_i (w.x_i +
    b) / |w|_q``: the best bias puts the hyperplane midway between the smallest ``w.x+`` and the largest
    ``w.x-``.

    Parameters
    ----------
    w : array, shape (d,)
        Not zero.
    X : array, shape (n, d)
    y : array, shape (n,)
        Positive for the class ``+1``; both classes occur.
    p : float
        At least 1, or ``np.inf``.

    Returns
    -------
    float
        Negative where no bias separates the examples.

    Raises
    ------
    ValueError
        If ``w`` is zero or a class does not occur.

    References
    ----------
    Ishibashi, Hatano and Takeda (2008), section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> margin_of_pairs(np.array([2.0]), np.array([[100.0], [101.0], [103.0]]), np.array([-1, 1, 1]))
    0.5
    """
    scores, positive = np.asarray(X) @ np.asarray(w), np.asarray(y) > 0
    if not np.any(w):
        raise ValueError("w must not be zero")
    if positive.all() or not positive.any():
        raise ValueError("both classes must occur")
    gap = scores[positive].min() - scores[~positive].max()
    return float(gap / 2.0 / np.linalg.norm(w, dual_exponent(p)))
