"""The linear engine: a rule over dense or CSR rows, several one-vs-rest problems in one pass.

The problems share nothing but the rows, so a block of rows that fits the cache is walked for one problem
after another. The state (weights, norms, rule states, trial count) survives between epochs and examples.
"""

import numpy as np
from numba.extending import register_jitable
from scipy import sparse
from sklearn.utils.extmath import row_norms

from marginbook.engines.run import Run

BLOCK_BYTES = 1 << 21  # of rows walked at a time: few calls, and the rows stay in a cache
SHORT = 32  # features: up to there the plain loop is the faster product
PRESENTATIONS = 1 << 16  # of mini-epochs in one call: the log has room for as many updates


@register_jitable
def dense_dot(rows, i, v):
    """``x_i . v`` for C-contiguous rows."""
    return np.dot(rows[0][i], v)


@register_jitable
def short_dot(rows, i, v):
    """The same for rows so short that a call of BLAS takes longer than their product."""
    row, total = rows[0][i], 0.0
    for j in range(v.shape[0]):
        total += row[j] * v[j]
    return total


@register_jitable
def dense_add(rows, i, a, v):
    """``v += a x_i`` for C-contiguous rows."""
    row = rows[0][i]
    for j in range(v.shape[0]):
        v[j] += a * row[j]


@register_jitable
def csr_dot(rows, i, v):
    """``x_i . v`` for CSR rows."""
    data, indices, indptr = rows
    total = 0.0
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):  # unsigned: no test for an index below 0
        total += data[k] * v[np.uint64(indices[k])]
    return total


@register_jitable
def csr_add(rows, i, a, v):
    """``v += a x_i`` for CSR rows."""
    data, indices, indptr = rows
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        v[np.uint64(indices[k])] += a * data[k]


def arrays(X):
    """What the readers read of ``X``, dense or CSR."""
    return (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)


class LinearEngine(Run):
    """Run a rule over rows ``X``; the weights are vectors of the input space.

    Parameters
    ----------
    rule, params, state, n_problems, noise, rho, record, average, fades, mini_epochs
        As for :class:`~marginbook.engines.run.Run`.
    n_features : int
    """

    def __init__(self, rule, params, state, n_problems, n_features, **options):
        super().__init__(rule, params, state, n_problems, **options)
        self.v = np.zeros((n_problems, n_features))
        self.total = np.zeros((n_problems, n_features + 1))  # sum of the hypotheses of all trials

    def bind(self, X, Y, once=False):
        """Take new examples: ``X`` dense or CSR of shape (n, d), ``Y`` of +-1, shape (n_problems, n).

        ``once`` says that they will be presented in one epoch only.
        """
        self._new_examples(X, Y, self._squares_of(X))
        self._rows = arrays(X)
        if sparse.issparse(X):
            self._row_bytes = 12 * X.nnz / X.shape[0] + 4
            self._compile(csr_dot, csr_add)
        else:
            self._row_bytes = 8 * X.shape[1]
            self._compile(dense_dot if X.shape[1] > SHORT else short_dot, dense_add)
        self._dual = np.zeros((len(self.hyp), X.shape[0] if self.noise > 0 else 0))

    def _squares_of(self, X):
        return row_norms(X, squared=True)

    def _start_at(self, steps, row, number):
        self.v[:] = steps[:, None] * (row.toarray() if sparse.issparse(row) else row)
        if self.noise > 0 and number >= 0:
            self._dual[:, number] = steps
        if self.record:
            self.supports.append(row, np.zeros(1, np.int64), number)

    def _present(self, order, problems):
        # One problem reads each row once, so that no block is too long for a cache.
        length = len(order) if len(problems) == 1 else max(1, int(BLOCK_BYTES / self._row_bytes))
        dual = self._dual if self.noise > 0 else None
        for first in range(0, len(order), length):
            index = order[first : first + length]
            self._fired = np.zeros(len(index), np.bool_)
            self._walk_problems(problems, self.v, dual, self._rows, index, index)
            if self.record:
                self._keep_supports(index)

    def _present_again(self, active, p):
        """Put the active rows side by side: half as fast again to read as where they lie among others."""
        n, first = len(active), self._logged
        self._fired, self.hyp["folded"][p] = np.zeros(n, np.bool_), 1.0
        dual = self._dual[p, active] if self.noise > 0 else None
        places = np.arange(n)
        packed = arrays(self.X[active]), places, places, self._xx[active], self.Y[p, active]
        most = max(1, PRESENTATIONS // n)
        for done in range(0, self.mini_epochs, most):
            if not self._walk_block(p, self.v[p], dual, *packed, min(most, self.mini_epochs - done)):
                break
        if self._logs:
            index = self._log["index"][first : self._logged]
            index[:] = self.seen + active[index - self.seen]
        if self.noise > 0:
            self._dual[p] *= self.hyp["folded"][p]
            self._dual[p, active] = dual

    def _renew_norms(self):
        self.hyp["ww"] = self.hyp["scale"] ** 2 * self._squares()  # the recurrence drifts; this does not

    def _squares(self):
        """``|v|^2`` with the constant feature and the private coordinates."""
        private = self.noise * (np.einsum("pi,pi->p", self._dual, self._dual) + self.hyp["past"])
        return np.einsum("pj,pj->p", self.v, self.v) + self.hyp["bias"] ** 2 + private

    def release(self):
        """Forget the examples; their private coordinates stay in the norm."""
        self.hyp["past"] += np.einsum("pi,pi->p", self._dual, self._dual)
        del self._dual, self._rows
        super().release()

    def weights(self):
        """The last hypothesis: weights (n_problems, d), what the constant feature adds (n_problems,)."""
        scale = self.hyp["scale"][:, None]
        return scale * self.v, self.rho * self.hyp["scale"] * self.hyp["bias"]

    def averaged_weights(self):
        """The mean of the hypotheses of all trials, as :meth:`weights`."""
        mean = self.total / self.trials[:, None]
        return np.ascontiguousarray(mean[:, :-1]), self.rho * mean[:, -1]

    def _sum_hypotheses(self, before, p, first, steps, index):
        weights, bias = before
        self.total[p, :-1] += first * weights[p] + self.X[index].T @ steps
        self.total[p, -1] += first * bias[p] + self.rho * steps.sum()

    def _snapshot(self):
        scale = self.hyp["scale"]
        return scale[:, None] * self.v, scale * self.hyp["bias"]
