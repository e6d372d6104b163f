"""Multiclass engines: one problem of all classes, with a weight vector a class, on any data.

The hypotheses of the run are those of the classes. An example is shown to all of them at once; an update
moves some, and leaves a row of the trace for each.
"""

from functools import cache

import numpy as np

from marginbook.engines.kernel import KernelEngine
from marginbook.engines.linear import LinearEngine
from marginbook.engines.run import Run
from marginbook.engines.walk import compiled, inlined, note
from marginbook.hypotheses import class_votes


@cache
def class_walker(step, dot, add, Params):
    """Compile the walk over examples for ``step(params, scores, label, xx, steps) -> fires``.

    It fills ``steps``: class ``m`` moves by ``w_m <- w_m + steps[m] x``. The readers, and what may be None,
    are those of :mod:`~marginbook.engines.walk`. ``work`` has room for scores and steps. The counts are kept
    in the row of the first class.
    """
    step, dot, add = inlined(step), inlined(dot), inlined(add)

    @compiled
    def walk(
        params, hyp, work, v, dual, rows, index, places, xx, label, noise, rho, fired, where, log, logged
    ):
        params, first, n_classes = Params(*params), hyp[0], v.shape[0]
        scores, steps = work[0], work[1]
        trial, margin = first["trial"], first["margin"]
        for at in range(index.shape[0]):
            i, place = index[at], places[at]
            trial += 1
            if xx[i] == 0.0:
                first["mistakes"] += 1
                if margin > 0.0:
                    margin = 0.0
                continue
            y, gap = label[i], np.inf
            for m in range(n_classes):
                scores[m] = dot(rows, place, v[m]) + rho * hyp[m]["bias"]
                if dual is not None and noise > 0.0:
                    scores[m] += noise * dual[m, place]
            for m in range(n_classes):
                if m != y and scores[y] - scores[m] < gap:
                    gap = scores[y] - scores[m]
            if gap < margin:
                margin = gap
            if gap <= 0.0:
                first["mistakes"] += 1
            if not step(params, scores, y, xx[i], steps):
                continue
            first["updates"] += 1
            fired[at] = True
            for m in range(n_classes):
                a, h = steps[m], hyp[m]
                if a == 0.0:
                    continue
                add(rows, place, a, v[m])
                h["bias"] += a * rho
                if dual is not None:
                    dual[m, place] += a
                ww = h["ww"] + a * (2.0 * scores[m] + a * xx[i])
                if not ww < np.inf:
                    h["overflows"] += 1
                h["ww"] = ww if ww > 0.0 else 0.0
                if log is not None:
                    here, bias = (where[0], m), rho * h["bias"]
                    note(log[logged], here, trial, where[1] + i, scores[m], 1.0, a, h["ww"], bias)
                    logged += 1
        first["margin"] = margin
        for m in range(n_classes):
            hyp[m]["trial"] = trial
        return logged

    return walk


class MulticlassRun(Run):
    """What both forms do alike. The rule is a ``step`` for :func:`class_walker`; ``Y`` holds classes."""

    def _new_examples(self, X, Y, xx):
        super()._new_examples(X, Y, xx)
        self._label = self.Y[0].astype(np.int64)

    def _compile(self, dot, add):
        self._walk = class_walker(self.rule, dot, add, type(self.params))

    def _walk_problems(self, problems, v, dual, rows, index, places):
        self._make_room(len(self.hyp) * len(index))
        where = self.epochs, self.seen
        self._logged = self._walk(
            tuple(self.params), self.hyp, np.zeros((2, len(self.hyp))), v, dual, rows, index, places,
            self._xx, self._label, self.noise, self.rho, self._fired, where, self._open_log, self._logged,
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
