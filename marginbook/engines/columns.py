"""Kernel columns between the training examples and the supports, within a memory budget.

Columns come in panels of fixed width. The first panels, as many as the budget holds, are kept: each of their
values is computed once in the whole run. Later columns are computed again whenever a block asks for them.
"""

import numpy as np

from marginbook.kernels import LARGE, are_whole

WIDTH = 1024  # columns a panel


class Columns:
    """Scores of blocks of examples from a growing set of supports.

    Parameters
    ----------
    kernel : Kernel
    X : the training examples
    supports : Supports
        May grow between two calls of :meth:`scores`.
    budget : float
        Bytes for kept panels.
    """

    def __init__(self, kernel, X, supports, budget):
        self._kernel, self._X, self._supports = kernel, X, supports
        self._precomputed = kernel.name == "precomputed"
        self._whole = None  # of a few rows, as in a stream, no product is large enough to ask
        if not self._precomputed and X.shape[0] >= LARGE:
            self._whole = are_whole(X) and (len(supports) == 0 or are_whole(supports[:]))
        panel_bytes = 8 * WIDTH * X.shape[0]
        self._room = 0 if self._precomputed else WIDTH * int(budget // panel_bytes)
        self._panels = []
        self._place = np.full(X.shape[0], -1)  # an example's row in the panels: its place in the first epoch
        self._placed = 0
        self._known = 0  # kept columns that hold values for all examples
        self._visited = []  # this epoch: a block's examples, and the columns it found

    def start_epoch(self):
        """Complete the kept columns: blocks seen before a support appeared lack its value."""
        stop = min(len(self._supports), self._room)
        for index, found in self._visited:
            for a, b in self._pieces(max(found, self._known), stop):
                self._keep(index, a, b, self._values(self._X[index], a, b))
        if self._visited:
            self._known = stop
        self._visited = []

    def scores(self, index, coef):
        """Scores of a block, and the kernel within it.

        Parameters
        ----------
        index : array of int, shape (B,)
        coef : array, shape (>= n_supports, n_problems)

        Returns
        -------
        scores : array, shape (n_problems, B)
        within : array, shape (B, B)
        """
        rows, total = self._X[index], len(self._supports)
        scores, places = np.zeros((len(index), coef.shape[1])), self._places(index)
        for a, b in self._pieces(0, self._known):
            scores += self._panels[a // WIDTH][places, : b - a] @ coef[a:b]
        for a, b in self._pieces(self._known, total):
            values = self._values(rows, a, b)
            if b <= self._room:
                self._keep(index, a, b, values)
            scores += values @ coef[a:b]
        self._visited.append((index, total))
        within = rows[:, index] if self._precomputed else self._kernel(rows, rows, self._whole)
        return np.ascontiguousarray(scores.T), np.ascontiguousarray(within)

    def bordered(self, slots, index, within):
        """The kernel within a block, with some supports in front of it.

        Parameters
        ----------
        slots : array of int, shape (S,)
            Which supports.
        index, within
            A block and its kernel, as from :meth:`scores`.

        Returns
        -------
        array, shape (S + B, S + B)
        """
        if len(slots) == 0:
            return within
        if self._precomputed:
            numbers = np.append(self._supports.index[slots], index)
            return self._X[np.ix_(numbers, numbers)]
        front = self._supports[slots]
        border = self._kernel(front, self._X[index], self._whole)
        return np.block([[self._kernel(front, front, self._whole), border], [border.T, within]])

    def _pieces(self, start, stop):
        """Cut ``start .. stop`` at the borders of the panels."""
        while start < stop:
            end = min(stop, (start // WIDTH + 1) * WIDTH)
            yield start, end
            start = end

    def _values(self, rows, a, b):
        if self._precomputed:
            return rows[:, self._supports.index[a:b]]
        return self._kernel(rows, self._supports[a:b], self._whole)

    def _keep(self, index, a, b, values):
        while len(self._panels) <= a // WIDTH:
            self._panels.append(np.empty((self._X.shape[0], WIDTH)))
        self._panels[a // WIDTH][self._places(index), a % WIDTH : a % WIDTH + b - a] = values

    def _places(self, index):
        """The block's rows in the panels: a slice, and so no copy, where the order has not changed."""
        if self._place[index[0]] < 0:
            self._place[index] = self._placed + np.arange(len(index))
            self._placed += len(index)
        places = self._place[index]
        unchanged = (np.diff(places) == 1).all()
        return slice(places[0], places[-1] + 1) if unchanged else places
