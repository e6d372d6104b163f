"""AMIRA: move the weights as little as possible so that the example gets a score of 1.

On an example with ``y w.x <= 1 - epsilon`` the new weights solve

    minimise  |w' - w|^2 / 2   subject to   y w'.x >= 1,

the projection of ``w`` onto a half-space: ``w' = w + (y - w.x) x / |x|^2``. ``epsilon = 1`` is MIRA, which
moves on mistakes alone; ``epsilon = 0`` is the passive-aggressive algorithm (PA), which moves on every
violation.

With ``M`` classes there is a weight vector a class, and class ``m`` has the score ``w_m.x``. The margin over
a wrong class ``z`` is ``a_z = (w_y - w_z).x``. Of the ``k`` wrong classes with the largest scores, those with
``a_z <= 1 - epsilon`` give the constraints ``(w'_y - w'_z).x >= 1``, and the smallest move that meets them is

    w'_z = w_z - eta_z x,   w'_y = w_y + S x,   eta_z = max(0, c_z - S),   S = sum of the eta_z,

where ``c_z = (1 - a_z) / |x|^2``: the Gram matrix of the constraints is ``|x|^2 (I + 1 1')``.
"""

import math
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable


class Params(NamedTuple):
    """What the reader chooses."""

    epsilon: float  # in [0, 1]: update when y w.x <= 1 - epsilon
    tol: float  # > 0: with epsilon = 0, update when y w.x < 1 - tol
    k: int = 1  # wrong classes that may give constraints, where one problem has all classes


class State(NamedTuple):
    """Nothing: AMIRA remembers its weights alone."""


@register_jitable
def violates(params, margin):
    """Whether a margin calls for an update: ``<= 1 - epsilon``, and ``< 1 - tol`` where ``epsilon = 0``.

    At ``epsilon = 0`` a margin of exactly 1 would otherwise call for updates of length zero without end.
    """
    return margin < 1.0 - params.tol if params.epsilon == 0.0 else margin <= 1.0 - params.epsilon


def rule(params, state, y, score, xx, ww):
    """Project ``w`` onto ``y w.x >= 1`` when ``y score <= 1 - epsilon``."""
    if not violates(params, y * score):
        return False, 1.0, 0.0, state
    return True, 1.0, (y - score) / xx, state


def threshold(params, updates, xx, ww):
    """The rule fires where ``y score`` is at most this: ``1 - epsilon``."""
    return 1.0 - (params.epsilon or params.tol)


def multiclass_step(params, scores, label, xx, steps):
    """Fill ``steps`` with the multiples of ``x`` that each class' weights gain.

    Parameters
    ----------
    params : Params
    scores : array, shape (n_classes,)
        ``w_m.x`` of each class.
    label : int
        The example's class ``y``.
    xx : float
        ``|x|^2 > 0``.
    steps : array, shape (n_classes,)
        Overwritten: ``S`` at ``label``, ``-eta_z`` at the wrong classes of active constraints, else 0.

    Returns
    -------
    bool
        Whether some margin calls for an update.
    """
    n_classes = scores.shape[0]
    for z in range(n_classes):
        steps[z] = 0.0
    total, active = 0.0, 0
    while active < params.k and active < n_classes - 1:
        best = -1  # of the wrong classes left; ties go to the smallest
        for z in range(n_classes):
            left = z != label and steps[z] == 0.0
            if left and (best < 0 or scores[z] > scores[best]):
                best = z
        margin = scores[label] - scores[best]
        if not violates(params, margin):
            break
        c = (1.0 - margin) / xx  # falls: the active constraints come first
        if active > 0 and c <= total / (active + 1.0):
            break
        steps[best] = c
        total += c
        active += 1
    share = total / (active + 1.0)
    for z in range(n_classes):
        if steps[z] > 0.0:
            steps[z] = share - steps[z]
    steps[label] = share
    return active > 0


def bound_updates(radius, margin, epsilon):
    """Updates on separable data, any number of passes: ``T <= (2 - eps) / eps (R / gamma)^2``.

    An update on an example with ``a = y w.x`` has the step ``d = (1 - a) / |x|^2 >= eps / R^2``. It adds
    ``d y u.x >= gamma d`` to ``u.w``, and ``2 d a + d^2 |x|^2 = d (1 + a) <= (2 - eps) d`` to ``|w|^2``. So
    ``gamma sum d <= |w|`` and ``|w|^2 <= (2 - eps) sum d``: together ``sum d <= (2 - eps) / gamma^2``, while
    ``T eps / R^2 <= sum d``. With several classes ``d`` and ``a`` are those of :func:`bound_step`, with the
    same relations.

    Parameters
    ----------
    radius : float
        ``R``: the largest ``|x|``; with several classes ``sqrt(2) max |x|``.
    margin : float
        ``gamma > 0``: the smallest ``y u.x`` of a unit vector ``u``; with several classes the smallest
        ``(u_y - u_z).x`` with ``sum of |u_m|^2 = 1``.
    epsilon : float
        In (0, 1].

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If ``margin`` or ``epsilon`` is not positive.

    References
    ----------
    Zhao and Huang (2013), Theorem 1 and, for 1-best and k-best updates, Theorem 2 (whose statement prints
    ``gamma`` for ``eps`` in the first denominator).

    Examples
    --------
    >>> bound_updates(radius=1.0, margin=0.5, epsilon=1.0)
    4.0
    """
    _check(margin=margin, epsilon=epsilon)
    return (2.0 - epsilon) / epsilon * (radius / margin) ** 2


def bound_norm(margin, epsilon):
    """Length of the weights at any time, on separable data: ``|w| <= (2 - eps) / gamma``.

    In the proof of :func:`bound_updates`, ``|w|^2 <= (2 - eps) sum d <= (2 - eps) |w| / gamma``.

    Parameters
    ----------
    margin, epsilon : float
        As in :func:`bound_updates`; ``epsilon`` may be 0.

    Returns
    -------
    float
        In units of ``1/|x|``.

    Raises
    ------
    ValueError
        If ``margin`` is not positive.

    References
    ----------
    Zhao and Huang (2013), Corollaries 1 and 2.

    Examples
    --------
    >>> bound_norm(margin=0.5, epsilon=1.0)
    2.0
    """
    _check(margin=margin)
    return (2.0 - epsilon) / margin


def bound_margin(margin, epsilon):
    """Margin after convergence: more than ``(1 - eps) / (2 - eps) gamma``.

    Every example then has ``y w.x`` above ``1 - eps``, and ``|w|`` keeps :func:`bound_norm`. The fraction of
    the maximum margin never exceeds one half, and examples exist where no more is reached.

    Parameters
    ----------
    margin : float
        The maximum margin ``gamma``.
    epsilon : float
        In [0, 1]. For 0, where the algorithm leaves ``y w.x >= 1 - tol``, it is ``(1 - tol) gamma / 2``.

    Returns
    -------
    float
        A lower bound on the geometric margin ``min y w.x / |w|``.

    References
    ----------
    Zhao and Huang (2013), Theorem 3.

    Examples
    --------
    >>> bound_margin(margin=3.0, epsilon=0.5)
    1.0
    """
    return (1.0 - epsilon) / (2.0 - epsilon) * margin


def bound_path(radius, margin, epsilon):
    """Way of the weights on separable data, over all updates: ``sum |w' - w| <= (2 - eps) R / gamma^2``.

    A step ``d y x`` has the length ``d |x| <= d R``, and ``sum d <= (2 - eps) / gamma^2`` by the proof of
    :func:`bound_updates`. So the weights converge, even for ``epsilon = 0``, where the updates may have no
    end: PA goes to weights with ``y w.x >= 1`` on every example that it sees again and again.

    Parameters
    ----------
    radius, margin, epsilon : float
        As in :func:`bound_updates`; ``epsilon`` may be 0.

    Returns
    -------
    float
        In units of ``1/|x|``.

    Raises
    ------
    ValueError
        If ``margin`` is not positive.

    References
    ----------
    Follows from (6) of Zhao and Huang (2013), who say that PA may not converge.

    Examples
    --------
    >>> bound_path(radius=1.0, margin=0.5, epsilon=0.0)
    8.0
    """
    _check(margin=margin)
    return (2.0 - epsilon) * radius / margin**2


def bound_large(radius, margin, delta):
    """Updates of PA that find an example short of its score by ``delta``: ``(2 / delta) (R / gamma)^2``.

    Such an update has ``d = (1 - y w.x) / |x|^2 >= delta / R^2``, and ``sum d <= 2 / gamma^2`` over all
    updates, as in :func:`bound_path`.

    Parameters
    ----------
    radius, margin : float
        As in :func:`bound_updates`.
    delta : float
        Positive: counted are the updates with ``y w.x <= 1 - delta``.

    Returns
    -------
    float
        For any number of passes.

    Raises
    ------
    ValueError
        If ``margin`` or ``delta`` is not positive.

    Examples
    --------
    >>> bound_large(radius=1.0, margin=0.5, delta=0.5)
    16.0
    """
    _check(margin=margin, delta=delta)
    return 2.0 / delta * (radius / margin) ** 2


def bound_step(radius, epsilon):
    """Sum of the multipliers of one update, ``sum of eta_z >= eps / R^2``, with any number of constraints.

    Let the constraints be ``w'.v_z >= 1``, ``d = sum eta_z``, ``v = sum eta_z v_z = w' - w`` and
    ``a = w.v / d``, the mean of the margins ``w.v_z <= 1 - eps``. Where ``eta_z > 0`` the constraint is
    tight, so ``d = w'.v = d a + |v|^2``. And ``|v| <= d R``, because ``v / d`` is a mean of the ``v_z``. So
    ``|v|^2 = d (1 - a) <= d^2 R^2``, and ``d >= (1 - a) / R^2``. The update adds
    ``2 w.v + |v|^2 = d (1 + a)`` to ``|w|^2``.

    Parameters
    ----------
    radius : float
        ``R``: the largest ``|v_z|``, which is ``sqrt(2) max |x|``.
    epsilon : float
        In [0, 1].

    Returns
    -------
    float
        In units of ``1/|x|^2``.

    References
    ----------
    Zhao and Huang (2013), Lemma 1, with ``R = sqrt(2) max |x|``.

    Examples
    --------
    >>> bound_step(radius=2.0, epsilon=1.0)
    0.25
    """
    return epsilon / radius**2


def bound_one_vs_rest(margins):
    """Margin of one problem of all classes, from those of the one-vs-rest problems: at least this.

    Let unit vectors ``u_m`` have ``u_m.x >= gamma_m`` on class ``m`` and ``<= -gamma_m`` on the rest. The
    weights ``w_m = u_m / gamma_m`` give every example a margin of 2 over every wrong class, and the sum of
    their squared lengths is that of the ``1 / gamma_m^2``. So ``gamma >= 2 / sqrt(sum of 1 / gamma_m^2)``.

    Parameters
    ----------
    margins : array-like, shape (n_classes,)
        ``gamma_m > 0``: the margin of each problem, a class against the rest.

    Returns
    -------
    float
        A lower bound on the largest ``min (w_y - w_z).x`` with ``sum of |w_m|^2 = 1``; two classes reach it.

    Raises
    ------
    ValueError
        If a margin is not positive.

    Examples
    --------
    >>> bound_one_vs_rest([1.0, 1.0, 1.0, 1.0])
    1.0
    """
    margins = np.asarray(margins, dtype=float)
    if not (margins > 0).all():
        raise ValueError(f"margins must be positive, got {margins.tolist()}")
    return float(2.0 / np.sqrt((margins**-2.0).sum()))


def bound_inseparable(radius, margin, epsilon, deviations):
    """Updates on any sequence, in any number of passes, for any unit ``u`` and any ``gamma > 0``.

    ``T <= R^2 / (eps gamma^2) Phi`` with ``D^2 = sum of squared deviations``,
    ``Phi = (sqrt(2 - eps) + sqrt(eps) D)^2`` where ``D^2 <= eps / (2 - eps)`` and ``Phi = 2 (1 + D^2)``
    otherwise. Without deviations this is :func:`bound_updates`.

    With ``d`` and ``a`` as there, ``S = sum d`` and ``W = |w|``: (i) ``W^2 = sum d (1 + a) <= (2 - eps) S``.
    (ii) ``sum d^2 |x|^2 = sum d (1 - a) = 2 S - W^2``. (iii) A step adds ``d y u.x >= d (gamma - D_t |x|)``
    to ``u.w``, where ``D_t`` is its deviation, so by (ii) and the inequality of Cauchy and Schwarz

        gamma S <= W + D sqrt(2 S - W^2).

    The right side is at most ``sqrt(1 + D^2) sqrt(2 S)``, and equal to it at ``W^2 = 2 S / (1 + D^2)``. Where
    (i) excludes that, for ``D^2 < eps / (2 - eps)``, it grows with ``W`` as far as ``W^2 = (2 - eps) S``. In
    both cases ``gamma^2 S <= Phi``, and ``T eps / R^2 <= S``. With several classes ``v`` of
    :func:`bound_step` is in the place of ``d x``; ``|v / d|`` is at least ``|x| sqrt(1 + 1/|Z|)``, the
    shortest mean of the ``v_z``.

    Parameters
    ----------
    radius, margin, epsilon : float
        As in :func:`bound_updates`; ``u`` need not separate the data.
    deviations : array-like, shape (n_updates,)
        One for each update: ``max(0, gamma - y u.x) / |x|``; with several classes
        ``max(0, gamma - min over z of (u_y - u_z).x) / (|x| sqrt(1 + 1/|Z|))``, where ``Z`` holds the
        classes of the update's constraints.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If ``margin`` or ``epsilon`` is not positive, or a deviation is negative.

    References
    ----------
    Replaces Theorems 4 and 5 of Zhao and Huang (2013), which do not hold.

    Examples
    --------
    >>> bound_inseparable(radius=1.0, margin=0.5, epsilon=1.0, deviations=[3.0, 4.0])
    208.0
    """
    _check(margin=margin, epsilon=epsilon)
    total = _squares(deviations)
    if total <= epsilon / (2.0 - epsilon):
        phi = (math.sqrt(2.0 - epsilon) + math.sqrt(epsilon * total)) ** 2
    else:
        phi = 2.0 * (1.0 + total)
    return radius**2 / (epsilon * margin**2) * phi


def bound_noise_control(radius, margin, epsilon, deviations):
    """Updates on any data with ``noise_control = R D``: ``T <= (2 - eps) / eps ((R + D) / gamma)^2``.

    In the extended space ``R^2`` becomes ``R^2 + R D``. There ``u`` gets the private coordinates
    ``y_t D_t / sqrt(R D)``, of length ``sqrt(D / R)`` together, where ``D_t`` is the deviation of example
    ``t``; these add ``D_t`` to ``y u.x``. So ``u`` has the margin ``gamma / sqrt(1 + D / R)`` after
    normalisation, and :func:`bound_updates` applies: ``(R^2 + R D) (1 + D / R) = (R + D)^2``.

    Parameters
    ----------
    radius, margin, epsilon : float
        As in :func:`bound_updates`, of the data as given; ``u`` need not separate them.
    deviations : array-like, shape (n,)
        ``max(0, gamma - y u.x)`` for each example; ``D^2`` is the sum of their squares.

    Returns
    -------
    float
        For any number of passes.

    Raises
    ------
    ValueError
        If ``margin`` or ``epsilon`` is not positive, or a deviation is negative.

    References
    ----------
    The form of Theorem 4 of Zhao and Huang (2013) that holds: for the algorithm with private coordinates.

    Examples
    --------
    >>> bound_noise_control(radius=1.0, margin=0.5, epsilon=1.0, deviations=[3.0, 4.0])
    144.0
    """
    _check(margin=margin, epsilon=epsilon)
    total = math.sqrt(_squares(deviations))
    return (2.0 - epsilon) / epsilon * ((radius + total) / margin) ** 2


def _squares(deviations):
    deviations = np.asarray(deviations, dtype=float)
    if (deviations < 0).any():
        raise ValueError("deviations must not be negative")
    return float((deviations**2).sum())


def _check(**values):
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"{name} must be positive, got {value!r}")
