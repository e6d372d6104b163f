"""The examples that caused an update, packed in the order in which they first did."""

import numpy as np
from scipy import sparse


def grown(array, length):
    """``array`` with room for ``length`` rows: the same, or a larger one that starts with its rows."""
    if length <= len(array):
        return array
    larger = np.zeros((max(length, 2 * len(array), 64), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


class Supports:
    """Packed rows, dense or CSR, and the number of each row in the stream of examples."""

    def __init__(self):
        self._index = np.empty(0, np.int64)
        self._rows = None
        self._length = 0

    def __len__(self):
        return self._length

    @property
    def index(self):
        """Number of each support in the stream (its row of ``X``, if there was one call only)."""
        return self._index[: self._length]

    def append(self, X, rows, seen):
        """Add rows ``rows`` of ``X``, which are numbers ``seen + rows`` of the stream."""
        length = self._length + len(rows)
        self._index = grown(self._index, length)
        self._index[self._length : length] = seen + rows
        if sparse.issparse(X):
            self._rows = X[rows] if self._rows is None else sparse.vstack([self._rows, X[rows]], format="csr")
        else:
            old = np.empty((0, X.shape[1])) if self._rows is None else self._rows
            self._rows = grown(old, length)
            self._rows[self._length : length] = X[rows]
        self._length = length

    def __getitem__(self, part):
        """Rows of a slice of the supports, or of an array of places."""
        return self._rows[: self._length][part]
