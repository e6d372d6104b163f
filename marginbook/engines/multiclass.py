"""Multiclass engines: one problem of all classes, with a weight vector a class, on any data.

The hypotheses of the run are those of the classes. An example is shown to all of them at once; an update
moves some, and leaves a row of the trace for each.
"""

from functools import cache

import numpy as np
from numba import njit

from marginbook.engines.kernel import KernelEngine
from marginbook.engines.linear import LinearEngine
from marginbook.engines.run import Run
from marginbook.engines.supports import grown
from marginbook.engines.walk import entry
from marginbook.hypotheses import class_votes


@cache
def class_walker(step, dot, add, own):
    """Compile the walk over examples for ``step(params, scores, label, xx, steps) -> fires``.

    It fills ``steps``: class ``m`` moves by ``w_m <- w_m + steps[m] x``. The readers are those of
    :mod:`~marginbook.engines.walk`. The counts are kept in the row of the first class.
    """
    step, dot, add, own = njit(step), njit(dot), njit(add), njit(own)

    @njit
    def walk(params, hyp, v, dual, rows, index, xx, label, noise, rho, fired, where, log, logged):
        n_classes, trial = v.shape[0], hyp[0]["trial"]
        scores, steps = np.zeros(n_classes), np.zeros(n_classes)
        for at in range(index.shape[0]):
            i = index[at]
            trial += 1
            if xx[i] == 0.0:
                hyp[0]["mistakes"] += 1
                hyp[0]["margin"] = min(hyp[0]["margin"], 0.0)
                continue
            y, gap = label[i], np.inf
            for m in range(n_classes):
                scores[m] = dot(rows, at, i, v[m]) + rho * hyp[m]["bias"]
                if noise > 0.0:
                    scores[m] += noise * dual[m, own(at, i)]
            for m in range(n_classes):
                if m != y:
                    gap = min(gap, scores[y] - scores[m])
            hyp[0]["margin"] = min(hyp[0]["margin"], gap)
            if gap <= 0.0:
                hyp[0]["mistakes"] += 1
            if not step(params, scores, y, xx[i], steps):
                continue
            hyp[0]["updates"] += 1
            fired[at] = True
            for m in range(n_classes):
                a = steps[m]
                if a == 0.0:
                    continue
                add(rows, at, i, a, v[m])
                hyp[m]["bias"] += a * rho
                if dual.shape[1] > 0:
                    dual[m, own(at, i)] += a
                ww = hyp[m]["ww"] + a * (2.0 * scores[m] + a * xx[i])
                if not ww < np.inf:
                    hyp[m]["overflows"] += 1
                hyp[m]["ww"] = max(0.0, ww)
                if log.shape[0] > 0:
                    log["epoch"][logged] = where[0]
                    log["problem"][logged] = m
                    log["trial"][logged] = trial
                    log["index"][logged] = where[1] + i
                    log["score"][logged] = scores[m]
                    log["scale"][logged] = 1.0
                    log["step"][logged] = a
                    log["bias"][logged] = rho * hyp[m]["bias"]
                    log["ww"][logged] = hyp[m]["ww"]
                    logged += 1
        hyp["trial"][:] = trial
        return logged

    return walk


class MulticlassRun(Run):
    """What both forms do alike. The rule is a ``step`` for :func:`class_walker`; ``Y`` holds classes."""

    def _new_examples(self, X, Y, xx):
        super()._new_examples(X, Y, xx)
        self._label = self.Y[0].astype(np.int64)

    def _compile(self, dot, add, own):
        self._walk = entry(class_walker(self.rule, dot, add, own), type(self.params))

    def _walk_problems(self, problems, v, dual, rows, index):
        if self._logs:
            self._log = grown(self._log, self._logged + len(self.hyp) * len(index))
        where = self.epochs, self.seen
        self._logged = self._walk(
            tuple(self.params), self.hyp, v, dual, rows, index, self._xx, self._label,
            self.noise, self.rho, self._fired, where, self._log, self._logged,
        )  # fmt: skip

    def _margin(self):
        """Smallest ``(w_y - w_z).x / |w|`` of the epoch, ``|w|^2`` the sum over the classes."""
        return float(self.hyp["margin"][0] / np.sqrt(self.hyp["ww"].sum()))

    def weights(self):
        """The last hypothesis, as the binary forms give it: with two classes the difference of the two."""
        return self._difference(*super().weights())

    def averaged_weights(self):
        """The mean of the hypotheses of all trials, as :meth:`weights`."""
        return self._difference(*super().averaged_weights())

    def votes(self, K):
        """Votes for each class; with two classes the difference."""
        share = class_votes(K, self.trace, self.supports.index, len(self.hyp), self.trials[0])
        return share[:, 1:] - share[:, :1] if len(self.hyp) == 2 else share

    def _difference(self, weights, bias):
        if len(self.hyp) > 2:
            return weights, bias
        return weights[1:] - weights[:1], bias[1:] - bias[:1]


class LinearMulticlass(MulticlassRun, LinearEngine):
    """All classes over dense or CSR rows: parameters of :class:`~marginbook.engines.linear.LinearEngine`."""


class KernelMulticlass(MulticlassRun, KernelEngine):
    """All classes, with a kernel: parameters of :class:`~marginbook.engines.kernel.KernelEngine`."""
