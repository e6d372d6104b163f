"""A run: what every engine remembers between epochs, and the bookkeeping around the walk."""

from time import perf_counter
from typing import NamedTuple

import numpy as np

from marginbook.engines.supports import Supports, grown
from marginbook.engines.walk import HYPOTHESIS, TRACE, walker
from marginbook.hypotheses import coefficients, empty_trace, votes


class Epoch(NamedTuple):
    """One row of a history. Updates and mistakes of the mini-epochs that followed are counted in it."""

    epoch: int  # from 1
    updates: int  # in this epoch, all problems
    mistakes: int  # y w.x <= 0 when presented, all problems
    margin: float  # min y w.x / |w| over examples and problems, where nothing moved w; else nan
    norm: float  # sqrt of the sum over problems of |w|^2, after the epoch
    seconds: float


def refuse_overflow(xx):
    """Raise a ValueError unless all squared norms are finite."""
    if not np.isfinite(xx).all():
        row = int(np.flatnonzero(~np.isfinite(xx))[0])
        raise ValueError(f"X is too large: the squared norm of row {row} overflows; scale the data")


class Run:
    """A rule, its hypotheses (one for each problem) and their record. Engines add how rows are read.

    Parameters
    ----------
    rule, params, state
        A rule of :mod:`marginbook.rules`, its parameters and its first state.
    n_problems : int
    noise : float
        ``lambda >= 0``: one private coordinate ``sqrt(lambda)`` for each example.
    rho : float
        Value of a constant feature added to each row; 0 for none.
    record : bool
        Keep the trace of all updates.
    average : bool
        Keep the sum of all hypotheses.
    fades : bool
        Whether the rule shrinks the weights at every trial, as Pegasos does.
    mini_epochs : int
        After each epoch a problem's examples that caused an update in it are presented again, in the same
        order, up to so many times, or until one such round makes no update.
    """

    def __init__(
        self, rule, params, state, n_problems, *, noise=0.0, rho=0.0, record=False, average=False,
        fades=False, mini_epochs=0,
    ):  # fmt: skip
        self.rule, self.params, self.noise, self.rho = rule, params, float(noise), float(rho)
        self.record, self.average, self.fades, self.mini_epochs = record, average, fades, mini_epochs
        self.states = [state] * n_problems
        self.hyp = np.zeros(n_problems, HYPOTHESIS)
        self.hyp["scale"] = self.hyp["folded"] = self.hyp["faded"] = 1.0
        self.supports = Supports()
        self.epochs = 0
        self.seen = 0  # examples of earlier calls: the first row of X is number `seen` of the stream
        self._traces = []
        self._active = None  # in an epoch that mini-epochs will follow: each problem's updated examples

    @property
    def trials(self):
        """Examples presented to each problem so far, shape (n_problems,)."""
        return self.hyp["trial"].copy()

    @property
    def trace(self):
        """All recorded updates, in time order."""
        return np.concatenate([empty_trace(), *self._traces])

    def _new_examples(self, X, Y, xx):
        self.X, self.Y = X, np.ascontiguousarray(Y, dtype=np.float64)
        self._xx = xx + self.noise + self.rho**2
        refuse_overflow(self._xx)
        self._slot = np.full(X.shape[0], -1)  # each example's place among the supports

    def _compile(self, dot, add):
        self._walk = walker(self.rule, dot, add, type(self.params), type(self.states[0]), self.fades)

    def start(self, steps, index=None):
        """Begin at ``w_p = steps[p] x`` in place of 0, before the first epoch.

        Parameters
        ----------
        steps : array, shape (n_problems,)
        index : int, optional
            Row of the bound examples that is ``x``; without it ``x`` is the image of the zero row.
        """
        if index is None:
            row, number = self.X[:1] * 0.0, -1
            xx = self._squares_of(row)[0] + self.rho**2
        else:
            row, number, xx = self.X[[index]], self.seen + index, self._xx[index]
            self._slot[index] = 0
        self.hyp["bias"], self.hyp["ww"] = steps * self.rho, steps**2 * xx
        self._start_at(steps, row, number)
        if self.record:
            log = np.zeros(len(steps), TRACE)
            log["trial"], log["index"], log["ww"] = 1, number, self.hyp["ww"]
            log["problem"], log["step"] = np.arange(len(steps)), steps
            log["bias"] = self.rho * self.hyp["bias"]
            self._traces.append(log)

    def start_at_first(self, order):
        """Begin each problem at the direction of the first example in ``order`` that is not zero."""
        rows = order[self._xx[order] > 0.0]
        if len(rows):
            self.start(self.Y[:, rows[0]] / np.sqrt(self._xx[rows[0]]), int(rows[0]))

    def epoch(self, order):
        """Present the bound examples in ``order``; return the epoch's row of the history."""
        began, old = perf_counter(), self.hyp.copy()
        self.hyp["margin"] = np.inf
        self.epochs += 1
        before = self._snapshot() if self.average else None
        self._log, self._logged = np.empty(len(order) if self._logs else 0, TRACE), 0
        self._active = [[] for _ in self.hyp] if self.mini_epochs else None
        self._present(order, range(len(self.hyp)))
        if self.mini_epochs:
            self._present_active()
        self._renew_norms()
        if self.hyp["overflows"].any() or not np.isfinite(self._snapshot()[0]).all():
            raise ValueError("the weights overflow; scale the data")
        updates = int((self.hyp["updates"] - old["updates"]).sum())
        mistakes = int((self.hyp["mistakes"] - old["mistakes"]).sum())
        if self._logs:
            self._file_log(before, old)
        still = updates == 0 and not self.fades and (self.hyp["ww"] > 0).all()
        margin = self._margin() if still else np.nan
        norm = float(np.sqrt(self.hyp["ww"].sum()))
        return Epoch(self.epochs, updates, mistakes, margin, norm, perf_counter() - began)

    def _present_active(self):
        sets, self._active = self._active, None
        for p, parts in enumerate(sets):
            active = np.concatenate(parts)
            if len(active):
                self._present_again(active, p)

    def _present_again(self, active, p):
        """The mini-epochs of one problem."""
        for _ in range(self.mini_epochs):
            updates = self.hyp["updates"][p]
            self._present(active, (p,))
            if self.hyp["updates"][p] == updates:
                break

    def _margin(self):
        """Smallest ``y w.x / |w|`` of the epoch, over examples and problems."""
        return float((self.hyp["margin"] / np.sqrt(self.hyp["ww"])).min())

    def _walk_problems(self, problems, v, dual, rows, index, places):
        """Walk a block of rows, one problem after another."""
        for p in problems:
            mine = None if dual is None else dual[p]
            self._walk_block(p, v[p], mine, rows, index, places, self._xx, self.Y[p])

    @property
    def _logs(self):
        return self.record or self.average

    def _make_room(self, rows):
        if self._logs:
            self._log = grown(self._log, self._logged + rows)

    @property
    def _open_log(self):
        """The log, or None: the code that fills it is then not compiled."""
        return self._log if self._logs else None

    def _walk_block(self, p, v, dual, rows, index, places, xx, y, rounds=1):
        """Walk once or in rounds; return whether the last round made an update."""
        self._make_room(rounds * len(index))
        where, fired = (self.epochs, p, self.seen), np.zeros(len(index), np.bool_)
        self.states[p], self._logged = self._walk(
            tuple(self.params), tuple(self.states[p]), rounds, self.hyp[p : p + 1], v, dual, rows, index,
            places, xx, y, self.noise, self.rho, fired, where, self._open_log, self._logged,
        )  # fmt: skip
        self._fired |= fired
        if self._active is not None:
            self._active[p].append(index[fired])
        return fired.any()

    def _keep_supports(self, index):
        """Make supports of the block's examples that caused an update for the first time."""
        new = index[self._fired & (self._slot[index] < 0)]
        if len(new):
            self._slot[new] = len(self.supports) + np.arange(len(new))
            self.supports.append(self.X, new, self.seen)

    def votes(self, K):
        """Signed share of the votes of all hypotheses, from kernel values ``K`` against the supports."""
        return votes(K, self.trace, self.supports.index, len(self.hyp), self.trials)

    def _file_log(self, before, old):
        log = self._log[: self._logged]
        log = log[np.lexsort((log["problem"], log["trial"]))]
        if self.average:
            for p in range(len(self.hyp)):
                mine = log[log["problem"] == p]
                mine["scale"][:1] /= old["faded"][p]  # of the weights this epoch began with
                span = int(old["trial"][p]), int(self.hyp["trial"][p])
                first, steps = coefficients(mine, *span, "averaged", self.fades)
                self._sum_hypotheses(before, p, first, steps, mine["index"] - self.seen)
        if self.record:
            self._traces.append(log)
        del self._log

    def release(self):
        """Forget the bound examples; the next call of ``bind`` brings new ones."""
        self.seen += self.X.shape[0]
        del self.X, self.Y, self._xx, self._slot, self._walk, self._fired
