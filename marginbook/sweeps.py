"""Sweeps of dual coordinate ascent: the compiled loop, what it may leave out, and when it may stop.

The multipliers ``a >= 0`` maximise ``D(a) = sum a_i - |w|^2 / 2 - lam |a|^2 / 2``, where ``w = sum a_i y_i
x_i``. Along coordinate ``i`` the slope of ``-D`` is

    g_i = y_i w.x_i + lam a_i - 1,

its curvature ``k_i = |x_i|^2 + lam``, so a step sets ``a_i <- max(0, a_i - g_i / k_i)``, which raises ``D``.
At the solution ``g_i = 0``, or ``a_i = 0`` and ``g_i > 0``.

**Shrinking.** An example with ``a_i = 0`` and ``g_i`` above all slopes at which the sweep before still
lowered a multiplier is left out of the next sweeps. Those slopes tend to 0, so in the end the examples with
``g_i > 0`` are left out and no others. Before that it is a guess: all come back before anything is claimed.

**Stopping.** Use ``|w|^2 = sum a_i y_i w.x_i``: the soft margin's primal value ``|w|^2 / 2 + sum of
max(0, 1 - y_i w.x_i)^2 / (2 lam)`` less ``D(a)`` is a sum over the examples of

    g_i^2 / (2 lam)                            where y_i w.x_i < 1,
    a_i (y_i w.x_i - 1) + lam a_i^2 / 2        elsewhere,

none of them negative. A hard margin has the primal value ``|w|^2 / (2 m^2)`` with ``m = min y_i w.x_i > 0``:
that of ``w / m``, which meets all constraints. A sweep meets all these numbers on its way, each a little out
of date; when they promise the gap asked for, it is computed anew.

**Stretching.** With ``S = sum a_i`` and ``Q = |w|^2 + lam |a|^2`` the multiples of ``a`` have the values
``D(t a) = t S - t^2 Q / 2``, largest at ``t = S / Q``. After each sweep the multipliers are stretched by
that: a number kept beside them. Where the margin is small, single coordinates would walk the same way in
steps of order 1, and the way is long as ``1 / margin^2``.

**No solution.** For any ``a >= 0`` and unit vector ``u``, the smallest of the ``y_i u.x_i`` is at most their
mean, ``u.w / S``: no margin exceeds ``sqrt(Q) / S``, private coordinates included. Stretched multipliers have
``S = Q = 2 D``, so this bound is ``1 / sqrt(2 D)``. Where no weights separate the data, ``D`` has no bound;
the multipliers climb it, and with that prove that the margin is below any number one may ask for.
"""

from functools import cache

import numpy as np
from numba import njit

from marginbook.maximum import RESOLUTION


def gram_dot(rows, i, v):
    """``f(x_i)``, kept."""
    return v[i]


def gram_add(rows, i, a, v):
    """Add ``a K(x_i, .)`` to all scores."""
    row = rows[0][i]
    for k in range(v.shape[0]):
        v[k] += a * row[k]


@cache
def sweeper(dot, add):
    """Compile a sweep, the weights of given multipliers, and the scores, for one kind of rows."""
    dot, add = njit(dot), njit(add)

    @njit
    def sweep(rows, order, y, square, lam, rho, scale, a, v, bias, limit):
        """Step at each example of ``order``, and keep in it those that may step again.

        The multipliers are ``scale a``, the weights ``scale v``.
        """
        b, kept, most, lack, low, gain, mass = bias[0], 0, -np.inf, 0.0, np.inf, 0.0, 0.0
        for at in range(order.shape[0]):
            i = order[at]
            old = scale * a[i]
            score = scale * y[i] * (dot(rows, i, v) + rho * b)
            slope = score + lam * old - 1.0
            if old == 0.0:
                if slope > limit:
                    continue
                most = max(most, min(slope, 0.0))
            else:
                most = max(most, slope)
            order[kept] = i
            kept += 1
            low = min(low, score)
            if lam > 0.0:
                if score < 1.0:
                    lack += slope * slope / (2.0 * lam)
                else:
                    lack += old * (slope - 0.5 * lam * old)
            new = max(0.0, old - slope / square[i])
            if new != old:
                step = new - old
                gain -= step * (slope + 0.5 * step * square[i])
                mass += step
                a[i] = new / scale
                step *= y[i] / scale
                add(rows, i, step, v)
                b += step * rho
        bias[0] = b
        return kept, most, lack, low, gain, mass

    @njit
    def combine(rows, coef, rho, v, bias):
        v[:] = 0.0
        bias[0] = 0.0
        for i in range(coef.shape[0]):
            if coef[i] != 0.0:
                add(rows, i, coef[i], v)
                bias[0] += coef[i] * rho

    @njit
    def margins(rows, y, rho, v, bias, out):
        for i in range(y.shape[0]):
            out[i] = y[i] * (dot(rows, i, v) + rho * bias[0])

    return sweep, combine, margins


class Ascent:
    """The multipliers, the weights they make, and the values of both.

    Parameters
    ----------
    rows : tuple of arrays
        What the readers read.
    y : array of -1.0 and 1.0, shape (n,)
    square : array, shape (n,)
        The ``k_i``, all positive.
    lam, rho : float
        Noise control and constant feature.
    readers : pair of functions
        ``dot`` and ``add``, as in :mod:`marginbook.engines.walk`.
    size : int
        Length of ``v``: features, or examples where ``v`` are scores.
    """

    def __init__(self, rows, y, square, lam, rho, readers, size):
        self.rows, self.y, self.square, self.lam, self.rho = rows, y, square, lam, rho
        self.sweep, self.combine, self.margins = sweeper(*readers)
        self.a, self.v, self.bias = np.zeros(len(y)), np.zeros(size), np.zeros(1)
        self.scale = 1.0  # of the multipliers and the weights, which are scale * a and scale * v
        self.dual = self.mass = 0.0  # D and the sum of the multipliers, as the sweeps keep them
        self.primal, self.gap = np.inf, 1.0

    def solve(self, tol, max_iter, rng):
        """Sweep until the relative gap is at most ``tol``, ``max_iter`` times at most; return the sweeps."""
        everyone = np.arange(len(self.y))
        order, limit = everyone, np.inf
        for sweeps in range(1, max_iter + 1):
            order, limit, promised = self._sweep(rng.permutation(order), limit)
            if promised <= tol or self.bound() <= RESOLUTION:
                self._certify()
                if (bound := self.bound()) <= RESOLUTION:
                    raise ValueError(
                        "the data are inseparable to working precision: the maximum margin is at most "
                        f"{bound:.1g} of the largest |x|; use noise_control, or more of it"
                    )
                if self.gap <= tol:
                    return sweeps
                order, limit = everyone, np.inf
        self._certify()
        return max_iter

    def _sweep(self, order, limit):
        """Sweep and stretch; return the next order and limit, and the gap that the sweep promises."""
        kept, most, lack, low, gain, mass = self.sweep(
            self.rows, order, self.y, self.square, self.lam, self.rho, self.scale, self.a, self.v, self.bias,
            limit,
        )  # fmt: skip
        self.dual, self.mass = self.dual + gain, self.mass + mass
        low *= self._stretch()
        if self.lam > 0.0:
            promised = lack / (self.dual + lack) if lack < np.inf else 1.0
        else:  # once stretched, |w|^2 = S = 2 D
            promised = 1.0 - low**2 if low > 0.0 else 1.0
        return order[:kept], most if most > 0.0 else np.inf, promised

    def _stretch(self):
        """Take the best multiple of the multipliers; return it."""
        squared = 2.0 * (self.mass - self.dual)
        if not squared > 0.0:
            return 1.0
        best = self.mass / squared
        self.scale *= best
        self.mass *= best
        self.dual = 0.5 * self.mass
        return best

    @np.errstate(over="ignore", invalid="ignore")  # of values that certify nothing
    def _certify(self):
        """Both values from the multipliers alone, once more stretched."""
        self.a *= self.scale
        self.scale, scores = 1.0, np.empty(len(self.a))
        self.combine(self.rows, self.a * self.y, self.rho, self.v, self.bias)
        self.margins(self.rows, self.y, self.rho, self.v, self.bias, scores)
        own = self.lam * (self.a @ self.a)
        squared = max(0.0, self.a @ scores)
        self.mass = self.a.sum()
        self.dual = self.mass - 0.5 * (squared + own)
        best = self._stretch()
        for values in (self.a, self.v, self.bias, scores):
            values *= best
        self.scale, squared = 1.0, squared * best**2
        if self.lam > 0.0:
            slack = np.maximum(0.0, 1.0 - scores)
            self.primal = 0.5 * squared + slack @ slack / (2.0 * self.lam)
        else:
            low = scores.min()
            self.primal = 0.5 * squared / low**2 if low > 0.0 else np.inf
        self.gap = max(0.0, 1.0 - self.dual / self.primal)

    def bound(self):
        """No margin is larger: ``sqrt(Q) / S``, in units of the longest example."""
        squared = max(0.0, 2.0 * (self.mass - self.dual))
        return np.sqrt(squared / self.square.max()) / self.mass
