"""The ideal engine: before each trial, the maximum-margin separator of all earlier examples.

It solves ``min |w|^2`` subject to ``y_s w.x_s >= 1`` for all examples ``s`` met before the trial. The dual
has weights ``a_s >= 0`` with ``w = sum a_s y_s x_s``, and for every ``a`` and its ``w``

    min_s y_s w.x_s / |w|  <=  maximum margin  <=  |w| / sum a,

so ``1 - (min_s y_s w.x_s) (sum a) / |w|^2`` bounds what part of the maximum margin is still missing. A trial
is answered only when its example makes that gap larger than the tolerance.
"""

import math
from time import perf_counter

import numpy as np
from numba import njit
from scipy import sparse

from marginbook.engines.run import Epoch, refuse_overflow
from marginbook.engines.supports import Supports, grown
from marginbook.solvers import active_set

SWEEPS = 200  # of coordinate ascent; where margins are small, an active set goes on from there
RESOLUTION = 1e-7  # margins below this part of the radius are lost in the rounding of the kernel matrix


@njit
def ascend(Q, a, tol, sweeps):
    """Dual coordinate ascent from ``a``, in place: ``max sum a - a'Qa / 2`` over ``a >= 0``.

    A step maximises over one ``a_i`` (Hildreth's method, the kernel Adatron without bias), and each sweep
    ends with the maximum along the ray through ``a``. With that even inseparable data, whose dual is
    unbounded, are known after a few sweeps.

    Parameters
    ----------
    Q : array, shape (m, m)
        ``y_i y_j K(x_i, x_j)``, with a positive diagonal of at most about one.
    a : array, shape (m,)
    tol : float
        The largest relative gap between the margin and its upper bound.
    sweeps : int

    Returns
    -------
    float
        The upper bound ``|w| / sum a`` on the margin; below ``RESOLUTION`` where the data are inseparable.
    """
    high = 0.0
    f = np.zeros(a.shape[0])
    for _ in range(sweeps):
        f[:] = 0.0  # anew in each sweep: rounding errors do not gather
        for i in range(a.shape[0]):
            if a[i] > 0.0:
                for j in range(a.shape[0]):
                    f[j] += a[i] * Q[i, j]
        for i in range(a.shape[0]):
            step = max(0.0, a[i] + (1.0 - f[i]) / Q[i, i]) - a[i]
            if step != 0.0:
                a[i] += step
                for j in range(a.shape[0]):
                    f[j] += step * Q[i, j]
        total, ww, least = 0.0, 0.0, f[0]
        for i in range(a.shape[0]):
            total += a[i]
            ww += a[i] * f[i]
            least = min(least, f[i])
        if ww <= (RESOLUTION * total) ** 2:
            return math.sqrt(max(ww, 0.0)) / total
        high = math.sqrt(ww) / total
        for i in range(a.shape[0]):
            a[i] *= total / ww
        if least * total >= (1.0 - tol) * ww:
            break
    return high


class IdealEngine:
    """The maximum-margin separators of a growing set of examples, several one-vs-rest problems side by side.

    Parameters
    ----------
    n_problems : int
    kernel : Kernel
    tol : float
        Every hypothesis has at least ``1 - tol`` times the largest margin.
    noise, rho : float
        As for :class:`~marginbook.engines.run.Run`.
    """

    fades = False

    def __init__(self, n_problems, *, kernel, tol, noise=0.0, rho=0.0):
        self.kernel, self.tol, self.noise, self.rho = kernel, tol, float(noise), float(rho)
        self.epochs = self.seen = 0
        self.X = None  # the examples of all calls
        self._xx = np.zeros(0)
        # By problem and example: label, dual weight, score, and whether the example was presented.
        self._Y, self._a, self._f = np.zeros((3, n_problems, 0))
        self._met = np.zeros((n_problems, 0), np.bool_)
        self._low = np.full(n_problems, np.inf)  # smallest y w.x of the examples met
        self._ratio = np.zeros(n_problems)  # sum a / |w|^2, and 0 while w = 0
        self._gram = np.zeros((0, 0))  # rows of the kernel matrix, for examples that ever had a weight
        self._slot = {}  # which row an example has
        self._released = {}
        self._keep()

    def _keep(self):
        self._released = {name: value for name, value in vars(self).items() if name != "_released"}

    def bind(self, X, Y, once=False):
        """Take new examples: ``X`` (n, d), dense or CSR, or (n, n) kernel values; ``Y`` (n_problems, n)."""
        vars(self).update(self._released)  # as it was before an epoch that failed
        xx = self.kernel.diagonal(X) + self.noise + self.rho**2
        refuse_overflow(xx)
        old, self._slot = list(self._slot), dict(self._slot)
        self._low, self._ratio = self._low.copy(), self._ratio.copy()
        columns = np.zeros((len(self._gram), len(xx)))
        if old:
            columns[: len(old)] = self.kernel(self.X[old], X) + self.rho**2
        self._gram = np.hstack([self._gram, columns])
        if self.X is not None:
            X = sparse.vstack([self.X, X], format="csr") if sparse.issparse(X) else np.vstack([self.X, X])
        coef = (self._a * self._Y)[:, old]
        self.X, self._xx = X, np.append(self._xx, xx)
        self._Y = np.hstack([self._Y, Y])
        self._a, self._met = np.hstack([self._a, 0.0 * Y]), np.hstack([self._met, Y == 0.0])
        self._f = np.hstack([self._f, coef @ columns[: len(old)]])

    def epoch(self, order):
        """Present the bound examples in ``order``; return the epoch's row of the history."""
        began = perf_counter()
        self.epochs += 1
        counts = np.array([self._present(p, self.seen + order) for p in range(len(self._Y))])
        ww = np.divide(self._a.sum(axis=1), self._ratio, out=0.0 * self._ratio, where=self._ratio > 0)
        margin = np.nan
        if ww.all():
            zero_row = 0.0 if (self._xx == 0.0).any() else np.inf
            margin = min(float((self._low / np.sqrt(ww)).min()), zero_row)
        updates, mistakes = (int(count) for count in counts.sum(axis=0))
        return Epoch(self.epochs, updates, mistakes, margin, float(np.sqrt(ww.sum())), perf_counter() - began)

    def _present(self, p, order):
        """Updates and mistakes of one problem."""
        updates, mistakes = 0, int((self._xx[order] == 0.0).sum())
        order = order[self._xx[order] > 0.0]
        while len(order):
            margins = self._Y[p, order] * self._f[p, order]
            lows = np.minimum.accumulate(np.minimum(margins, self._low[p]))
            short = 1.0 - lows * self._ratio[p] > self.tol
            quiet = int(short.argmax()) if short.any() else len(order)  # trials that the hypothesis survives
            self._met[p, order[: quiet + 1]] = True
            self._low[p] = lows[min(quiet, len(order) - 1)]
            if quiet < len(order):
                updates += 1
                mistakes += margins[quiet] <= 0.0
                self._solve(p, order[quiet])
            order = order[quiet + 1 :]
        return updates, mistakes

    def _solve(self, p, new):
        """Find the separator of all examples met, ``new`` among them, from the last one."""
        y, met = self._Y[p], np.flatnonzero(self._met[p] & (self._xx > 0.0))
        radius = math.sqrt(self._xx[met].max())
        working = np.append(np.flatnonzero((self._a[p] > 0.0) & (np.arange(len(y)) != new)), new)
        done = False
        while not done:
            rows = self._rows(working)
            a, high = self._ascend(p, working, rows[:, working], radius)
            if high <= RESOLUTION:
                raise ValueError(
                    f"the first {len(met)} examples are inseparable to working precision: their maximum "
                    f"margin is at most {high * radius:.3g}, {high:.1g} of the radius; set noise_control"
                )
            if not np.isfinite(a).all():
                raise ValueError("the weights overflow; scale the data")
            self._a[p, working] = a
            self._f[p] = (a * y[working]) @ rows
            margins = y[met] * self._f[p, met]
            worst, least = met[margins.argmin()], margins.min()
            self._ratio[p] = a.sum() / (a @ (y * self._f[p])[working])
            done = 1.0 - least * self._ratio[p] <= self.tol
            if worst in working and not done:
                raise RuntimeError(
                    f"the maximum margin of the first {len(met)} examples is at most {high * radius:.9g}; "
                    f"rounding leaves {max(least * self._ratio[p], 0.0):.9g} of it: raise tol"
                )
            working = np.append(working, worst)
        self._a[p] /= least  # so that min y w.x = 1
        self._f[p] /= least
        self._ratio[p] *= least
        self._low[p] = 1.0

    def _ascend(self, p, working, K, radius):
        """Dual weights of the working examples, and a bound on their margin in units of the radius."""
        y, shortest = self._Y[p, working], math.sqrt(self._xx[working].min()) / radius
        if shortest <= RESOLUTION:  # no margin is larger than |x|
            return self._a[p, working], shortest
        Q, a = K * np.outer(y, y) / radius**2, self._a[p, working] * radius**2
        high = ascend(Q, a, self.tol / 2.0, SWEEPS)
        if high > RESOLUTION and (Q @ a).min() * a.sum() < (1.0 - self.tol / 2.0) * (a @ Q @ a):
            a = active_set(Q, np.empty((len(a), 0)), a)
            high = math.sqrt(max(a @ Q @ a, 0.0)) / a.sum()
        with np.errstate(over="ignore"):  # the caller refuses it
            return a / radius**2, high

    def _rows(self, examples):
        """Rows of the kernel matrix, private coordinates and constant feature included."""
        new = [i for i in examples.tolist() if i not in self._slot]
        if new:
            precomputed = self.kernel.name == "precomputed"
            rows = (self.X[new] if precomputed else self.kernel(self.X[new], self.X)) + self.rho**2
            rows[np.arange(len(new)), new] = self._xx[new]
            self._gram = grown(self._gram, len(self._slot) + len(new))
            self._gram[len(self._slot) : len(self._slot) + len(new)] = rows
            self._slot.update({i: len(self._slot) + k for k, i in enumerate(new)})
        return self._gram[[self._slot[i] for i in examples.tolist()]]

    def release(self):
        """Close the call; the examples stay, as constraints."""
        self.seen = self.X.shape[0]
        self._keep()

    @property
    def supports(self):
        """The examples with a dual weight in some problem."""
        found = Supports()
        found.append(self.X, np.flatnonzero((self._a > 0.0).any(axis=0)), 0)
        return found

    def weights(self):
        """The hypothesis: weights (linear) or coefficients of the supports, and biases (n_problems,)."""
        coef = (self._a * self._Y)[:, self.supports.index]
        bias = self.rho**2 * coef.sum(axis=1)
        return (coef @ self.supports[:] if self.kernel.name == "linear" else coef), bias
