"""Plain transcriptions: slow, obvious, and independent of the engines they check."""

from typing import NamedTuple

import numpy as np

from marginbook.kernels import Kernel


def textbook(rule, params, state, K, Y, orders, noise=0.0, rho=0.0):
    """Run a rule from its Gram matrix, one example at a time; the hypotheses are dual coefficients.

    Returns the trace (trial, index, problem, score, scale, step, ww) in time order, the coefficients after
    each trial, shape (n_trials, n_problems, n), and the mistakes by problem.
    """
    n = len(K)
    G = K + rho**2 + noise * np.eye(n)
    coef = np.zeros((len(Y), n))
    states, ww = [state] * len(Y), np.zeros(len(Y))
    trace, history, mistakes, trial = [], [], np.zeros(len(Y), int), 0
    for order in orders:
        for i in order:
            trial += 1
            for p, y in enumerate(Y):
                if G[i, i] == 0:
                    mistakes[p] += 1
                    continue
                score = float(coef[p] @ G[:, i])
                mistakes[p] += y[i] * score <= 0
                fires, scale, step, states[p] = rule(params, states[p], y[i], score, G[i, i], ww[p])
                if fires:
                    coef[p] *= scale
                    coef[p, i] += step
                    ww[p] = coef[p] @ G @ coef[p]
                    trace.append((trial, i, p, score, scale, step, ww[p]))
            history.append(coef.copy())
    return np.array(trace), np.array(history), mistakes


class Shrink(NamedTuple):
    """Parameters of :func:`shrinking`."""

    factor: float  # what multiplies the weights at an update
    every: int  # after so many updates the weights are forgotten (scale 0)
    margin: float


class Count(NamedTuple):
    """State of :func:`shrinking`."""

    updates: int


def shrinking(params, state, y, score, xx, ww):
    """A rule with every freedom a rule has: scale, forgetting, and a counter."""
    if y * score > params.margin:
        return False, 1.0, 0.0, state
    count = state.updates + 1
    scale = 0.0 if count % params.every == 0 else params.factor
    return True, scale, y / (1.0 + 0.01 * count), Count(count)


def close(a, b, tolerance):
    """Largest difference, relative to the largest value."""
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    assert np.abs(a - b).max(initial=0.0) <= tolerance * max(np.abs(b).max(initial=0.0), 1e-300)


def counting():
    """A linear kernel, and the list of how many values each call asks for."""
    asked = []

    class Counting(Kernel):
        def __call__(self, X, Y, whole=None):
            asked.append(X.shape[0] * Y.shape[0])
            return super().__call__(X, Y, whole)

    return Counting(), asked
