"""Pair engines: a pair algorithm over dense, CSR or kernel data, several one-vs-rest problems.

They remember each problem's pair from block to block and from call to call: the numbers of its examples in
the stream, their scores ``w.x+`` and ``w.x-``, and their rows.
"""

import numpy as np
from scipy import sparse

from marginbook.engines import kernel
from marginbook.engines import pairwalk as walks
from marginbook.engines.kernel import KernelEngine
from marginbook.engines.linear import BLOCK_BYTES, LinearEngine
from marginbook.engines.pnorm import Replay
from marginbook.engines.run import Run
from marginbook.engines.supports import grown
from marginbook.hypotheses import lives, places_of
from marginbook.pnorms import norm


class PairRun(Run):
    """What both forms do alike. The rule is ``(fires, minimiser)``.

    Parameters
    ----------
    rule : tuple of two functions
        ``fires(params, y, score)`` says whether an example updates the hypothesis; ``minimiser(y, score, xx,
        ww)`` gives the scale and the step that ``y = 1`` and the half difference ask for.
    params, state, n_problems, **options
        As for :class:`~marginbook.engines.run.Run`.
    """

    def __init__(self, rule, params, state, n_problems, *engine, **options):
        super().__init__(rule, params, state, n_problems, *engine, **options)
        self._member = np.full((n_problems, 2), -1)  # numbers in the stream of x+ and x-; -1 for none
        self._place = np.full((n_problems, 2), -1)  # where their rows are now
        self._value = np.zeros((n_problems, 2))  # w.x+ and w.x-, private coordinates included
        self._bias_total = np.zeros(n_problems)  # sum of the biases after all trials

    @property
    def bias(self):
        """Bias of the last hypothesis, shape (n_problems,)."""
        return -0.5 * self._value.sum(axis=1)

    def _compile(self, *_):
        fires, minimiser = self.rule
        readers = walks.euclidean(*self._readers(), minimiser)
        self._walk = walks.pair_walker(fires, *readers, type(self.params))

    def _walk_pair(self, p, v, dual, rows, index, places):
        self._make_room(2 * len(index))
        where, fired = (self.epochs, p, self.seen), np.zeros(len(index), np.bool_)
        self._logged = self._walk(
            tuple(self.params), self.hyp[p : p + 1], self._place[p], self._member[p], self._value[p], v, dual,
            rows, index, places, self.Y[p], self.noise, fired, where, self._open_log, self._logged,
        )  # fmt: skip
        self._fired |= fired

    def _file_log(self, before, old):
        if self.average:
            for p in range(len(self.hyp)):
                mine = self._log[: self._logged]
                mine = mine[mine["problem"] == p]
                alive = lives(mine["trial"], self.hyp["trial"][p])
                waited = self.hyp["trial"][p] - old["trial"][p] - alive.sum()
                self._bias_total[p] += waited * self._bias_before[p] + alive @ mine["bias"]
        super()._file_log(before, old)

    def epoch(self, order):
        """Present the bound examples in ``order``; return the epoch's row of the history."""
        self._bias_before = self.bias
        return super().epoch(order)

    def weights(self):
        """The last hypothesis: what the engine without pairs gives, and the biases (n_problems,)."""
        return super().weights()[0], self.bias

    def averaged_weights(self):
        """The mean of the hypotheses of all trials, as :meth:`weights`."""
        return super().averaged_weights()[0], self._bias_total / self.trials


class LinearPairEngine(PairRun, LinearEngine):
    """A pair algorithm over rows ``X``. The pair's rows are kept, dense, from one call to the next.

    Parameters
    ----------
    rule, params, state, n_problems, **options
        As for :class:`PairRun`.
    n_features : int
    """

    def __init__(self, rule, params, state, n_problems, n_features, **options):
        super().__init__(rule, params, state, n_problems, n_features, **options)
        self._kept = np.zeros((n_problems, 2, n_features))  # rows of the pair of an earlier call
        self._kept_dual = np.zeros((n_problems, 2))  # and their private coordinates

    def bind(self, X, Y, once=False):
        """Take new examples, as :meth:`LinearEngine.bind`."""
        super().bind(X, Y, once)
        n = X.shape[0]
        self._place = np.where(self._member >= 0, [n, n + 1], -1)
        self._kept_member = self._member.copy()
        self._buffer = np.zeros(X.shape[1])
        if self.noise > 0:  # a private coordinate for each row, and for the pair's rows behind them
            self._dual = np.hstack([self._dual, self._kept_dual])
            self.hyp["past"] = np.maximum(self.hyp["past"] - (self._kept_dual**2).sum(axis=1), 0.0)

    def _readers(self):
        if sparse.issparse(self.X):
            return walks.csr_pair_dot, walks.csr_apart, walks.csr_along
        return walks.dense_pair_dot, walks.dense_apart, walks.buffer_along

    def _present(self, order, problems):
        length = max(1, int(BLOCK_BYTES / self._row_bytes))
        for first in range(0, len(order), length):
            index = order[first : first + length]
            self._fired = np.zeros(len(index), np.bool_)
            for p in problems:
                rows = (*self._rows, self._kept[p], self._buffer)
                self._walk_pair(p, self.v[p], self._dual[p] if self.noise > 0 else None, rows, index, index)
            self.hyp["folded"] = 1.0
            if self.record:
                self._keep_supports(index)

    def _row(self, p, member):
        """A row of the stream that is bound, or that the pair of problem ``p`` came with."""
        if member < self.seen:
            return self._kept[p, list(self._kept_member[p]).index(member)]
        row = self.X[member - self.seen]
        return row.toarray()[0] if sparse.issparse(row) else row

    def _sum_hypotheses(self, before, p, first, steps, index):
        new = index >= 0
        super()._sum_hypotheses(before, p, first, steps[new], index[new])
        for step, member in zip(steps[~new], index[~new] + self.seen, strict=True):
            self.total[p, :-1] += step * self._row(p, member)

    def release(self):
        """Forget the examples but for the pairs; private coordinates stay in the norm."""
        rows = [[self._row(p, m) if m >= 0 else 0.0 for m in self._member[p]] for p in range(len(self.hyp))]
        for p, side in np.argwhere(self._member >= 0):
            self._kept[p, side] = rows[p][side]
            if self.noise > 0:
                self._kept_dual[p, side] = self._dual[p, self._place[p, side]]
        del self._buffer, self._kept_member
        super().release()


class PNormPairEngine(Replay, LinearPairEngine):
    """The same for ``p > 2``: the walk moves ``theta``, and ``w = link(theta)`` stands behind it in ``v``.

    The mean of the hypotheses is not linear in the examples: it is read off the record, which is then kept.

    Parameters
    ----------
    rule : tuple of two functions
        ``fires`` as for :class:`PairRun`; ``solve(theta, z, p)`` in place of the minimiser.
    params, state, n_problems, n_features, **options
        As for :class:`LinearPairEngine`; ``params.p`` is the norm.
    """

    def __init__(
        self, rule, params, state, n_problems, n_features, *, record=False, average=False, **options
    ):
        record = record or average
        super().__init__(rule, params, state, n_problems, n_features, record=record, **options)
        self.v = np.zeros((n_problems, 2 * n_features))

    def _compile(self, *_):
        fires, solve = self.rule
        plus = walks.csr_plus if sparse.issparse(self.X) else walks.dense_plus
        readers = walks.p_norm(self._readers()[0], plus, solve)
        self._walk = walks.pair_walker(fires, *readers, type(self.params))

    def _squares(self):
        """``|w|_q^2 = |theta|_p^2``."""
        d = self.v.shape[1] // 2
        return np.array([norm(theta, self.params.p) ** 2 for theta in self.v[:, :d]])

    def weights(self):
        """The last hypothesis: weights (n_problems, d), biases (n_problems,)."""
        weights, bias = super().weights()
        return np.ascontiguousarray(weights[:, weights.shape[1] // 2 :]), bias

    def averaged_weights(self):
        """The mean of the hypotheses of all trials, as :meth:`weights`."""
        total, bias = np.zeros((len(self.hyp), self._kept.shape[2])), np.zeros(len(self.hyp))
        for p in range(len(self.hyp)):
            for W, b, alive in self.hypotheses(p):
                total[p] += alive @ W
                bias[p] += alive @ b
        return total / self.trials[:, None], bias / self.trials


class KernelPairEngine(PairRun, KernelEngine):
    """A pair algorithm in the space of a kernel. Between blocks the places of a pair are places of supports.

    In front of each block stand the pairs' rows that are not in it, so that the kernel within the block has
    all values that the walk needs.

    Parameters
    ----------
    rule, params, state, n_problems, **options
        As for :class:`PairRun`.
    kernel, cache_bytes
        As for :class:`~marginbook.engines.kernel.KernelEngine`.
    """

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self._scores = np.zeros((len(self.hyp), 2))  # of the pair, in the units of the coefficients

    def _readers(self):
        return walks.kernel_pair_dot, walks.kernel_apart, walks.kernel_along

    def _present(self, order, problems):
        self._columns.start_epoch()
        for first in range(0, len(order), kernel.BLOCK):
            index = order[first : first + kernel.BLOCK]
            self._fired = np.zeros(len(index), np.bool_)
            scores, within = self._columns.scores(index, self._coef)
            slots = self._slot[index]
            front = np.setdiff1d(self._place, np.append(slots, -1))
            within = self._columns.bordered(front, index, within)
            slots = np.append(front, slots)
            places = np.arange(len(front), len(slots))
            v = np.hstack([np.zeros((len(self.hyp), len(front))), scores])
            old = slots >= 0
            duals = np.zeros(v.shape)
            duals[:, old] = self._coef[slots[old]].T
            for p in problems:
                for side in np.flatnonzero(self._place[p] >= 0):
                    at = np.flatnonzero(slots == self._place[p, side])[0]
                    if at < len(front):
                        v[p, at] = self._scores[p, side]
                    self._place[p, side] = at
                self._walk_pair(p, v[p], duals[p], (within,), index, places)
            self._keep_supports(index)
            slots[len(front) :] = self._slot[index]
            self._coef = grown(self._coef, len(self.supports))
            self._coef *= self.hyp["folded"]
            self.hyp["folded"] = 1.0
            known = slots >= 0
            self._coef[slots[known]] = duals[:, known].T
            for p, side in np.argwhere(self._place >= 0):
                self._scores[p, side] = v[p, self._place[p, side]]
                self._place[p, side] = slots[self._place[p, side]]

    def _sum_hypotheses(self, before, p, first, steps, index):
        slots = places_of(index + self.seen, self.supports.index)
        coef, _ = before
        self._total = grown(self._total, len(self.supports))
        self._total[: len(coef), p] += first * coef[:, p]
        np.add.at(self._total[:, p], slots, steps)
