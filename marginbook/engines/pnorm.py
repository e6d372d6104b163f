"""The p-norm engine: an algorithm whose weights are ``w = link(theta)``, over dense or CSR rows.

The updates are linear in ``theta``: ``theta <- scale theta + step x``, and that is what the trace tells.
Scores are those of ``w``, so each update takes one link, of as many operations as there are features.
"""

from functools import cache

import numpy as np
from numba import njit
from scipy import sparse

from marginbook.engines.linear import LinearEngine
from marginbook.engines.walk import compiled, inlined, note
from marginbook.hypotheses import lives, places_of
from marginbook.pnorms import link, norm, write_link

VOTES = 256  # hypotheses whose scores are computed at a time
linked = njit(link)


@cache
def pnorm_walker(correction, dot, add, Params, State):
    """Compile the walk for ``correction(params, state, y, score, length) -> (fires, eta, state)``.

    A correction moves ``theta`` by ``eta y x``, and divides it by its p-norm where that is above 1.
    """
    correction, dot, add = inlined(correction), inlined(dot), inlined(add)

    @compiled
    def walk(params, state, hyp, theta, w, total, rows, index, lengths, y, rho, fired, where, log, logged):
        params, state, h = Params(*params), State(*state), hyp[0]
        margin, trial = h["margin"], h["trial"]
        d = w.shape[0] - 1  # the last coordinate is that of the constant feature
        for at in range(index.shape[0]):
            i = index[at]
            label, length = y[i], lengths[i]
            trial += 1
            if length == 0.0:
                h["mistakes"] += 1
                if margin > 0.0:
                    margin = 0.0
                continue
            score = dot(rows, i, w[:d]) + rho * w[d]
            if label * score < margin:
                margin = label * score
            if label * score <= 0.0:
                h["mistakes"] += 1
            fires, eta, state = correction(params, state, label, score, length)
            if not fires:
                continue
            h["updates"] += 1
            fired[at] = True
            if total is not None:
                for j in range(d + 1):
                    total[j] += (trial - h["since"]) * w[j]
                h["since"] = trial
            a = eta * label
            add(rows, i, a, theta[:d])
            theta[d] += a * rho
            longer = max(1.0, norm(theta, params.p))
            for j in range(d + 1):
                theta[j] /= longer
            write_link(theta, params.p, w)
            h["ww"] = norm(theta, params.p) ** 2
            if log is not None:
                number, scale, step = where[2] + i, 1.0 / longer, a / longer
                note(log[logged], where, trial, number, score, scale, step, h["ww"], rho * w[d])
                logged += 1
        h["margin"], h["trial"] = margin, trial
        return state, logged

    return walk


class Replay:
    """What is read off the record of a run whose weights are ``link(theta)``: for engines with a trace."""

    def hypotheses(self, p):
        """Weights, biases and lives in trials of the hypotheses of problem ``p``, in parts."""
        u = self.trace[self.trace["problem"] == p]
        alive = lives(u["trial"], self.trials[p]).astype(float)
        slots, theta = places_of(u["index"], self.supports.index), np.zeros(self.total.shape[1])
        for first in range(0, len(u), VOTES):
            part = slice(first, first + VOTES)
            X, W = self.supports[slots[part]], np.zeros((len(u[part]), len(theta)))
            X = X.toarray() if sparse.issparse(X) else X
            X = np.column_stack([X, np.full(len(X), self.rho)])
            for k, (scale, step) in enumerate(zip(u["scale"][part], u["step"][part], strict=True)):
                theta = scale * theta + step * X[k]
                if alive[first + k]:  # not so between two steps of one trial
                    W[k] = linked(theta, self.params.p)
            yield W[:, :-1], u["bias"][part], alive[part]

    def votes_on(self, X):
        """Signed share of the votes of all hypotheses on rows ``X``, shape (n_samples, n_problems)."""
        share = np.zeros((X.shape[0], len(self.hyp)))
        for p in range(len(self.hyp)):
            for W, bias, alive in self.hypotheses(p):
                share[:, p] += np.sign(np.asarray(X @ W.T) + bias) @ alive
        return share / self.trials


class PNormEngine(Replay, LinearEngine):
    """Run a correction over rows ``X``; ``params.p`` is the norm of the examples.

    Parameters
    ----------
    rule : function
        A correction as :func:`pnorm_walker` takes it.
    params, state, n_problems, n_features, rho, record, average
        As for :class:`~marginbook.engines.linear.LinearEngine`.
    """

    def __init__(self, rule, params, state, n_problems, n_features, **options):
        super().__init__(rule, params, state, n_problems, n_features, **options)
        self.theta, self.w = np.zeros((2, n_problems, n_features + 1))
        self.hyp["since"] = 1  # the trial at which the hypothesis was made

    def bind(self, X, Y, once=False):
        """Take new examples, as :meth:`LinearEngine.bind`."""
        super().bind(X, Y, once)
        rows = np.split(X.data, X.indptr[1:-1]) if sparse.issparse(X) else X
        self._length = np.array([norm(np.append(row, self.rho), self.params.p) for row in rows])

    def _compile(self, dot, add):
        self._walk = pnorm_walker(self.rule, dot, add, type(self.params), type(self.states[0]))

    def _walk_problems(self, problems, v, dual, rows, index, places):
        for p in problems:
            self._make_room(len(index))
            where = self.epochs, p, self.seen
            self.states[p], self._logged = self._walk(
                tuple(self.params), tuple(self.states[p]), self.hyp[p : p + 1], self.theta[p], self.w[p],
                self._sums(p), rows, index, self._length, self.Y[p], self.rho, self._fired, where,
                self._open_log, self._logged,
            )  # fmt: skip

    def _sums(self, p):
        return self.total[p] if self.average else None

    def _squares(self):
        """``|w|_q^2 = |theta|_p^2``."""
        return np.array([norm(theta, self.params.p) ** 2 for theta in self.theta])

    def _snapshot(self):
        return self.w[:, :-1].copy(), self.w[:, -1].copy()

    def _sum_hypotheses(self, before, p, first, steps, index):
        """The walk has summed them: ``w`` is not linear in the examples."""

    def weights(self):
        """The last hypothesis: weights (n_problems, d), what the constant feature adds (n_problems,)."""
        weights, bias = self._snapshot()
        return weights, self.rho * bias

    def averaged_weights(self):
        """The mean of the hypotheses of all trials, as :meth:`weights`."""
        since = (self.trials + 1 - self.hyp["since"])[:, None]
        mean = (self.total + since * self.w) / self.trials[:, None]
        return np.ascontiguousarray(mean[:, :-1]), self.rho * mean[:, -1]
