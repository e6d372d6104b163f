"""The linear engine: a rule over dense or CSR rows, several one-vs-rest problems in one pass.

The problems share nothing but the rows, so a block of rows that fits the cache is walked for one problem
after another. The state (weights, norms, rule states, trial count) survives between epochs and examples.
"""

import numpy as np
from numba.extending import register_jitable
from scipy import sparse
from sklearn.utils.extmath import row_norms

from marginbook.engines.run import Run
from marginbook.engines.walk import walker

BLOCK_BYTES = 1 << 21  # of rows walked at a time: few calls, and the rows stay in a cache


@register_jitable
def dense_dot(rows, at, i, v):
    """``x_i . v`` for C-contiguous rows."""
    return np.dot(rows[0][i], v)


@register_jitable
def dense_add(rows, at, i, a, v):
    """``v += a x_i`` for C-contiguous rows."""
    row = rows[0][i]
    for j in range(v.shape[0]):
        v[j] += a * row[j]


@register_jitable
def sparse_dot(rows, row, v):
    """``v . `` a CSR row."""
    data, indices, indptr = rows
    total = 0.0
    for k in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):  # unsigned: no test for an index < 0
        total += data[k] * v[np.uint64(indices[k])]
    return total


@register_jitable
def sparse_add(rows, row, a, v):
    """``v += a`` times a CSR row."""
    data, indices, indptr = rows
    for k in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
        v[np.uint64(indices[k])] += a * data[k]


@register_jitable
def csr_dot(rows, at, i, v):
    """``x_i . v`` for CSR rows."""
    return sparse_dot(rows, i, v)


@register_jitable
def csr_add(rows, at, i, a, v):
    """``v += a x_i`` for CSR rows."""
    sparse_add(rows, i, a, v)


@register_jitable
def packed_dot(rows, at, i, v):
    """``x_i . v`` where the block's rows lie side by side."""
    return sparse_dot(rows, at, v)


@register_jitable
def packed_add(rows, at, i, a, v):
    """``v += a x_i`` where the block's rows lie side by side."""
    sparse_add(rows, at, a, v)


def own(at, i):
    """The private coordinates of all examples are at hand."""
    return i


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
        if sparse.issparse(X):
            self._rows, readers = (X.data, X.indices, X.indptr), (csr_dot, csr_add, own)
            self._row_bytes = 12 * X.nnz / X.shape[0] + 4
        else:
            self._rows, readers = (X,), (dense_dot, dense_add, own)
            self._row_bytes = 8 * X.shape[1]
        self._compile(*readers)
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
        length = max(1, int(BLOCK_BYTES / self._row_bytes))
        for first in range(0, len(order), length):
            index = order[first : first + length]
            self._fired = np.zeros(len(index), np.bool_)
            for p in problems:
                self._walk_block(p, self.v[p], self._dual[p], self._rows, index)
            if self.record:
                self._keep_supports(index)

    def _repeatedly(self, active, p):
        if not sparse.issparse(self.X):
            return super()._repeatedly(active, p)
        walk = walker(self.rule, packed_dot, packed_add, own, self.fades)
        X = self.X[active]  # side by side: read many times, and half as fast again from where they lie
        rows, self._fired = (X.data, X.indices, X.indptr), np.zeros(len(active), np.bool_)
        return lambda: self._walk_block(p, self.v[p], self._dual[p], rows, active, walk)

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
