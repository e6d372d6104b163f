"""A run: what every engine remembers between epochs, and the bookkeeping around the walk."""

from time import perf_counter
from typing import NamedTuple

import numpy as np

from marginbook.engines.supports import Supports, grown
from marginbook.engines.walk import HYPOTHESIS, TRACE
from marginbook.hypotheses import coefficients, empty_trace


class Epoch(NamedTuple):
    """One row of a history."""

    epoch: int  # from 1
    updates: int  # in this epoch, all problems
    mistakes: int  # y w.x <= 0 when presented, all problems
    margin: float  # min y w.x / |w| over examples and problems, where no update moved w; else nan
    norm: float  # sqrt of the sum over problems of |w|^2, after the epoch
    seconds: float


class Run:
    """A rule, its hypotheses (one for each problem) and their record. Engines add how rows are read."""

    def __init__(self, rule, params, state, n_problems, *, noise=0.0, rho=0.0, record=False, average=False):
        self.rule, self.params, self.noise, self.rho = rule, params, float(noise), float(rho)
        self.record, self.average = record, average
        self.states = [state] * n_problems
        self.hyp = np.zeros(n_problems, HYPOTHESIS)
        self.hyp["scale"] = self.hyp["folded"] = 1.0
        self.supports = Supports()
        self.epochs = 0
        self.seen = 0  # examples of earlier calls: the first row of X is number `seen` of the stream
        self._traces = []

    @property
    def trials(self):
        """Examples presented so far."""
        return int(self.hyp["trial"][0])

    @property
    def trace(self):
        """All recorded updates, in time order."""
        return np.concatenate([empty_trace(), *self._traces])

    def _new_examples(self, X, Y, xx):
        self.X, self.Y = X, np.ascontiguousarray(Y, dtype=np.float64)
        self._xx = xx + self.noise + self.rho**2
        if not np.isfinite(self._xx).all():
            row = int(np.flatnonzero(~np.isfinite(self._xx))[0])
            raise ValueError(f"X is too large: the squared norm of row {row} overflows; scale the data")
        self._slot = np.full(X.shape[0], -1)  # each example's place among the supports

    def epoch(self, order):
        """Present the bound examples in ``order``; return the epoch's row of the history."""
        began, old = perf_counter(), self.hyp.copy()
        self.hyp["margin"] = np.inf
        self.epochs += 1
        before = self._snapshot() if self.average else None
        self._log, self._logged = np.empty(len(order) if self._logs else 0, TRACE), 0
        self._present(order)
        updates = int((self.hyp["updates"] - old["updates"]).sum())
        mistakes = int((self.hyp["mistakes"] - old["mistakes"]).sum())
        if self._logs:
            self._file_log(before, int(old["trial"][0]))
        norms = np.sqrt(self.hyp["ww"])
        still = updates == 0 and (norms > 0).all()
        margin = float((self.hyp["margin"] / norms).min()) if still else np.nan
        norm = float(np.sqrt(self.hyp["ww"].sum()))
        return Epoch(self.epochs, updates, mistakes, margin, norm, perf_counter() - began)

    @property
    def _logs(self):
        return self.record or self.average

    def _walk_block(self, p, v, dual, rows, index):
        if self._logs and len(self._log) < self._logged + len(index):
            self._log = grown(self._log, self._logged + len(index))
        where = self.epochs, p, self.seen
        self.states[p], self._logged = self._walk(
            self.params, self.states[p], self.hyp[p : p + 1], v, dual, rows, index, self._xx, self.Y[p],
            self.noise, self.rho, self._fired, where, self._log, self._logged,
        )  # fmt: skip

    def _keep_supports(self, index):
        """Make supports of the block's examples that caused an update for the first time."""
        new = index[self._fired & (self._slot[index] < 0)]
        if len(new):
            self._slot[new] = len(self.supports) + np.arange(len(new))
            self.supports.append(self.X, new, self.seen)

    def _file_log(self, before, start):
        log = self._log[: self._logged]
        log = log[np.lexsort((log["problem"], log["trial"]))]
        if self.average:
            for p in range(len(self.hyp)):
                mine = log[log["problem"] == p]
                first, steps = coefficients(mine, start, self.trials, "averaged")
                self._sum_hypotheses(before, p, first, steps, mine["index"] - self.seen)
        if self.record:
            self._traces.append(log)
        del self._log

    def release(self):
        """Forget the bound examples; the next call of ``bind`` brings new ones."""
        self.seen += self.X.shape[0]
        del self.X, self.Y, self._xx, self._slot, self._walk, self._fired
