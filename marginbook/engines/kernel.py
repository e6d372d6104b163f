"""The kernel engine: the textbook's sequence of updates, at the speed of a matrix product.

Examples come in blocks. One product gives the kernel between a block and the supports, one more the scores of
every problem as they stand at the block's start. The walk then goes through the block in order, and an update
on one example corrects the scores of the later ones by a row of the kernel within the block.
"""

import numpy as np

from marginbook.engines.columns import Columns
from marginbook.engines.run import Run
from marginbook.engines.supports import grown

BLOCK = 512  # examples: more cost more kernel values within the block, fewer make the products slow


def kernel_dot(rows, at, v):
    """Score of the block's example ``at``: already there."""
    return v[at]


def kernel_add(rows, at, a, v):
    """Correct the scores of the examples after ``at``."""
    row = rows[0][at]
    for k in range(at + 1, v.shape[0]):
        v[k] += a * row[k]


class KernelEngine(Run):
    """Run a rule in the space of a kernel; the weights are coefficients of supports.

    Parameters
    ----------
    rule, params, state, n_problems, noise, rho, record, average, fades, mini_epochs
        As for :class:`~marginbook.engines.run.Run`. ``noise`` adds ``lambda`` to the kernel of a
        training example with itself, by index: equal rows are different examples.
    kernel : Kernel
    cache_bytes : float
        Memory for kernel columns kept from one epoch to the next; columns beyond it are computed anew.
    """

    def __init__(self, rule, params, state, n_problems, *, kernel, cache_bytes, **options):
        super().__init__(rule, params, state, n_problems, **options)
        self.kernel, self.cache_bytes = kernel, cache_bytes
        self._coef = np.zeros((0, n_problems))  # of w / scale, row by support
        self._total = np.zeros((0, n_problems))  # of the sum of the hypotheses of all trials
        self._total_bias = np.zeros(n_problems)

    def bind(self, X, Y, once=False):
        """Take new examples: ``X`` (n, d), or (n, n) kernel values; ``Y`` of +-1, shape (n_problems, n).

        ``once`` says that they will be presented in one epoch only: no kernel column is worth keeping.
        """
        self._new_examples(X, Y, self._squares_of(X))
        self._columns = Columns(self.kernel, X, self.supports, 0 if once else self.cache_bytes)
        self._compile(kernel_dot, kernel_add)

    def _squares_of(self, X):
        return self.kernel.diagonal(X)

    def _start_at(self, steps, row, number):
        self.supports.append(row, np.zeros(1, np.int64), number)
        self._coef = grown(self._coef, 1)
        self._coef[0] = steps

    def _renew_norms(self):
        """The norms would cost a product of all supports with each other: the recurrence keeps them."""

    def _present(self, order, problems):
        self._columns.start_epoch()
        for first in range(0, len(order), BLOCK):
            index = order[first : first + BLOCK]
            self._fired = np.zeros(len(index), np.bool_)
            scores, within = self._columns.scores(index, self._coef)
            duals = np.zeros((len(self.hyp), len(index)))
            old = self._slot[index] >= 0
            duals[:, old] = self._coef[self._slot[index[old]]].T
            self._walk_problems(problems, scores, duals, (within,), index, np.arange(len(index)))
            self._keep_supports(index)
            self._coef = grown(self._coef, len(self.supports))
            self._coef *= self.hyp["folded"]
            self.hyp["folded"] = 1.0
            known = self._slot[index] >= 0
            self._coef[self._slot[index[known]]] = duals[:, known].T

    def release(self):
        """Forget the examples; their private coordinates stay in the norm."""
        del self._columns
        super().release()

    def weights(self):
        """The last hypothesis: coefficients (n_problems, n_supports), biases (n_problems,)."""
        coef, bias = self._snapshot()
        return np.ascontiguousarray(coef.T), self.rho * bias

    def averaged_weights(self):
        """The mean of the hypotheses of all trials, as :meth:`weights`."""
        coef = grown(self._total, len(self.supports))[: len(self.supports)]
        return np.ascontiguousarray((coef / self.trials).T), self.rho * self._total_bias / self.trials

    def _sum_hypotheses(self, before, p, first, steps, index):
        coef, bias = before
        self._total = grown(self._total, len(self.supports))
        self._total[: len(coef), p] += first * coef[:, p]
        np.add.at(self._total[:, p], self._slot[index], steps)
        self._total_bias[p] += first * bias[p] + self.rho * steps.sum()

    def _snapshot(self):
        scale = self.hyp["scale"]
        return scale * self._coef[: len(self.supports)], scale * self.hyp["bias"]
