"""Last, averaged and voted hypotheses, all read off the record of one run.

A run makes its updates ``w <- scale_k w + step_k x_k`` at trials ``t_1 < t_2 < ...``. The hypothesis made at
trial ``t_k`` lives ``c_k = t_{k+1} - t_k`` trials, the trial that made it included. Then

    last      f = w_K . x                    averaged  f = sum_k c_k w_k . x / T
    voted     f = sum_k c_k sign(w_k . x) / T          (Freund and Schapire 1999; a zero score abstains)

Last and averaged hypotheses are linear in the examples, so one backward pass over the updates gives their
coefficients: work that grows with the updates, not with the trials.

A rule that fades (Pegasos) shrinks its weights by ``1 - 1/t`` at every trial ``t``: of the hypothesis made at
trial ``t_k``, ``t_k / t`` is left after trial ``t``. Its ``c_k`` is the sum of what is left over its trials.
"""

import numpy as np
from numba import njit
from scipy.special import digamma

from marginbook.engines.walk import TRACE


@njit
def _backward(scale, lives, step):
    mass = np.empty(step.shape[0])
    later = 0.0
    for k in range(step.shape[0] - 1, -1, -1):
        later += lives[k]
        mass[k] = later * step[k]
        later *= scale[k]
    return mass, later


def lives(trials, stop):
    """Trials that each hypothesis lives, when the run ends after trial ``stop``.

    Examples
    --------
    >>> lives(np.array([2, 3, 7]), stop=10)
    array([1, 4, 4])
    """
    return np.diff(trials, append=stop + 1)


def reciprocals(start, stop):
    """Sum of ``1/t`` over ``start <= t < stop``, for ``start >= 1``.

    Examples
    --------
    >>> reciprocals(np.array([2, 10**8]), np.array([5, 10**8 + 1])).round(12).tolist()
    [1.083333333333, 1e-08]
    """
    a, b = np.asarray(start, dtype=float), np.asarray(stop, dtype=float)
    # Of two large numbers the digamma functions cancel; the terms of their asymptotic series do not.
    large = np.log1p((b - a) / a) + (1 / a - 1 / b) / 2 + (a**-2 - b**-2) / 12 - (a**-4 - b**-4) / 120
    return np.where(a < 100, digamma(b) - digamma(a), large)


def left_over(trials, stop):
    """What is left of fading hypotheses, summed over the trials that each lives: ``sum_t t_k / t``.

    Examples
    --------
    >>> left_over(np.array([2, 4]), stop=4).round(4).tolist()
    [1.6667, 1.0]
    """
    return trials * reciprocals(trials, np.append(trials[1:], stop + 1))


def coefficients(updates, start, stop, kind="last", fades=False):
    """Coefficients of the last hypothesis, or of the sum of all, over the trials ``start + 1 .. stop``.

    Parameters
    ----------
    updates : structured array of ``TRACE`` rows, shape (K,)
        The updates of one problem in those trials, in order.
    start, stop : int
        The trial before the first and the last trial.
    kind : {"last", "averaged"}
    fades : bool
        Whether the weights shrink by ``1 - 1/t`` at every trial ``t``.

    Returns
    -------
    first : float
        Coefficient of the hypothesis the trials start from.
    steps : array, shape (K,)
        Coefficient of each update's example. For ``"averaged"`` both are sums over the trials, not yet
        divided by their number.
    """
    trials = updates["trial"]
    if kind == "averaged":
        alive = left_over(trials, stop) if fades else lives(trials, stop).astype(float)
        end = trials[0] if len(updates) else stop + 1  # of the life of the hypothesis the trials start from
        fading = fades and start > 0  # what starts at trial 0 is the zero hypothesis
        before = float(start * reciprocals(start + 1, end) if fading else end - 1 - start)
    else:
        alive = np.zeros(len(updates))
        alive[-1:] = trials[-1:] / stop if fades else 1.0
        before = 0.0 if len(updates) else (start / stop if fades else 1.0)
    steps, first = _backward(updates["scale"], alive, updates["step"])
    return before + first, steps


def places_of(index, support):
    """Where each example number stands among the supports."""
    order = np.argsort(support)
    return order[np.searchsorted(support, index, sorter=order)]


def dual_coefficients(trace, support, n_problems, stop, kind="last", fades=False):
    """Coefficients of a whole run on its supports, as it stood after trial ``stop``.

    Parameters
    ----------
    trace : structured array of ``TRACE`` rows
        The updates of a run (``trace_`` of an estimator), and the hypothesis it started from if not 0.
    support : array of int, shape (n_supports,)
        The examples that caused them (``support_``).
    n_problems : int
    stop : int, or array of int, shape (n_problems,)
        The last trial of each problem.
    kind : {"last", "averaged"}
    fades : bool
        As in :func:`coefficients`.

    Returns
    -------
    array, shape (n_problems, n_supports)
        ``w_p = sum_j coef[p, j] x_j``.
    """
    coef, stop = np.zeros((n_problems, len(support))), np.broadcast_to(stop, n_problems)
    for p in range(n_problems):
        updates = trace[(trace["problem"] == p) & (trace["trial"] <= stop[p])]
        _, steps = coefficients(updates, 0, stop[p], kind, fades)
        np.add.at(coef[p], places_of(updates["index"], support), steps)
    return coef / stop[:, None] if kind == "averaged" else coef


def biases(trace, n_problems, stop, kind="last", fades=False):
    """What a constant feature adds to the scores of a whole run, as it stood after trial ``stop``.

    Parameters
    ----------
    trace, n_problems, stop, kind, fades
        As in :func:`dual_coefficients`.

    Returns
    -------
    array, shape (n_problems,)
    """
    bias, stop = np.zeros(n_problems), np.broadcast_to(stop, n_problems)
    for p in range(n_problems):
        u = trace[(trace["problem"] == p) & (trace["trial"] <= stop[p])]
        if kind == "averaged":
            alive = left_over(u["trial"], stop[p]) if fades else lives(u["trial"], stop[p])
            bias[p] = alive @ u["bias"] / stop[p]
        elif len(u):
            bias[p] = u["bias"][-1] * (u["trial"][-1] / stop[p] if fades else 1.0)
    return bias


@njit
def _vote(K, support, scale, step, bias, alive, ends, beyond, out):
    for i in range(K.shape[0]):
        score, sign, votes, k = 0.0, 0.0, 0.0, 0
        for e in range(ends.shape[0]):
            while k < ends[e]:
                score = scale[k] * score + step[k] * K[i, support[k]]
                sign = np.sign(score + bias[k])
                votes += alive[k] * sign
                k += 1
            out[e, i] = votes
            votes += beyond[e] * sign


def votes(K, trace, support, n_problems, stop):
    """Share of the votes of all hypotheses up to trial ``stop``, signed.

    Parameters
    ----------
    K : array, shape (n_samples, n_supports)
        Kernel values (or inner products) between the samples and the supports, without a constant feature:
        the trace has the biases.
    trace, support, n_problems, stop
        As in :func:`dual_coefficients`.

    Returns
    -------
    array, shape (n_samples, n_problems)
        ``sum_k c_k sign(w_k . x + b_k) / T`` in [-1, 1].
    """
    return votes_at(K, trace, support, n_problems, [stop])[0]


def votes_at(K, trace, support, n_problems, stops):
    """The same at several moments of a run, from one pass over its updates.

    Parameters
    ----------
    K, trace, support, n_problems
        As in :func:`votes`.
    stops : array of int, shape (n_stops,) or (n_stops, n_problems)
        Not decreasing.

    Returns
    -------
    array, shape (n_stops, n_samples, n_problems)
    """
    stops = np.array([np.broadcast_to(stop, n_problems) for stop in stops])
    out = np.zeros((n_problems, len(stops), K.shape[0]))
    for p in range(n_problems):
        stop = stops[:, p]
        u = trace[(trace["problem"] == p) & (trace["trial"] <= stop[-1])]
        ends = np.searchsorted(u["trial"], stop, side="right")  # updates up to each moment
        until = np.append(u["trial"], stop[-1] + 1)  # of the lives; a moment cuts one in two
        after = np.append(stop, stop[-1]) + 1
        alive = np.minimum(until[1:], after[np.searchsorted(stop, u["trial"])]) - u["trial"]
        beyond = np.minimum(until[ends], after[1:]) - after[:-1]
        scale, step, bias = (np.ascontiguousarray(u[name]) for name in ("scale", "step", "bias"))
        lived = alive.astype(float), ends, beyond.astype(float)
        _vote(K, places_of(u["index"], support), scale, step, bias, *lived, out[p])
    return out.transpose(1, 2, 0) / stops[:, None]


@njit
def _class_vote(K, support, problem, scale, step, bias, alive, scores, out):
    for i in range(K.shape[0]):
        scores[:] = 0.0
        biases = np.zeros_like(scores)
        for k in range(support.shape[0]):
            m = problem[k]
            scores[m] = scale[k] * scores[m] + step[k] * K[i, support[k]]
            biases[m] = bias[k]
            if alive[k] > 0:
                best = 0
                for z in range(1, scores.shape[0]):
                    if scores[z] + biases[z] > scores[best] + biases[best]:
                        best = z
                out[i, best] += alive[k]


def class_votes(K, trace, support, n_classes, stop):
    """Share of the votes that each class gets, where one problem has all classes.

    A hypothesis votes for the class of its largest score; ties go to the smallest class. The hypothesis
    before the first update abstains.

    Parameters
    ----------
    K, trace, support, stop
        As in :func:`votes`; ``problem`` is the class, and an update has a row for each class that it moves.
    n_classes : int

    Returns
    -------
    array, shape (n_samples, n_classes)
        In [0, 1].
    """
    u = trace[trace["trial"] <= stop]
    alive = lives(u["trial"], stop).astype(float)  # 0 for all rows of an update but its last
    columns = [np.ascontiguousarray(u[name]) for name in ("problem", "scale", "step", "bias")]
    out = np.zeros((K.shape[0], n_classes))
    _class_vote(K, places_of(u["index"], support), *columns, alive, np.zeros(n_classes), out)
    return out / stop


def bound_error(mistakes, n, *, voted=False):
    """Error on new data of the hypotheses of one pass: ``E[M] / (n + 1)``, of their vote at most twice that.

    Draw ``n + 1`` independent examples, train on ``n`` of them in one pass and keep the hypotheses after
    ``0, ..., n`` examples. One of these, drawn uniformly, errs on the last example with probability ``E[M] /
    (n + 1)``. A vote errs only where half of them err or abstain, so by Markov's inequality with at most
    twice that.

    Parameters
    ----------
    mistakes : float
        ``E[M]``, the expected mistakes of one pass over all ``n + 1`` examples.
    n : int
        Training examples.
    voted : bool
        Whether the majority of all hypotheses predicts; else one of them, drawn at random.

    Returns
    -------
    float
        The probability of an error, or for a vote a bound on it. A zero score is an error.

    Raises
    ------
    ValueError
        If ``mistakes`` is not between 0 and ``n + 1``.

    References
    ----------
    Freund and Schapire (1999), Theorem 2 and its corollary; Helmbold and Warmuth (1995).

    Examples
    --------
    >>> bound_error(mistakes=5.0, n=99), bound_error(mistakes=5.0, n=99, voted=True)
    (0.05, 0.1)
    """
    if not 0 <= mistakes <= n + 1:
        raise ValueError(f"mistakes must be between 0 and n + 1 = {n + 1}, got {mistakes!r}")
    return (2.0 if voted else 1.0) * mistakes / (n + 1)


def empty_trace():
    """A trace without updates."""
    return np.empty(0, dtype=TRACE)
