"""What a walk in blocks costs, and how far its scores may lie from those of the textbook's loop."""

import numpy as np

UNIT = 2.0**-53  # relative error of an operation in double precision
WHOLE = 2.0**53  # up to here double precision has all integers


def kernel_values(found, blocks, kept=0):
    r"""How many kernel values :class:`~marginbook.engines.kernel.KernelEngine` computes in a run.

    .. math::

        & E\sum_b n_b^2 + \sum_b n_b \min(s_{Eb}, m) \\
        & + \sum_{e,b} n_b \max(s_{eb} - m, 0)

    Parameters
    ----------
    found : array of int, shape (E, n_blocks)
        Supports ``s_eb`` when epoch ``e`` comes to block ``b``.
    blocks : array of int, shape (n_blocks,)
        Examples ``n_b`` in each block.
    kept : int, default 0
        Columns ``m`` that the memory holds, a multiple of the width of a panel.

    Returns
    -------
    int
        At most ``E N B + N S`` if all columns are kept, for ``N`` examples in blocks of at most ``B`` and
        ``S`` supports; each column beyond ``m`` costs up to ``(E - 1) N`` more.

    References
    ----------
    The chapter on kernels derives it.

    Examples
    --------
    Two blocks of two examples, two epochs; one support after the first block, two after the second.

    >>> [kernel_values([[0, 1], [2, 2]], [2, 2], kept=m) for m in (0, 1, 2)]
    [26, 24, 24]
    """
    found, blocks = np.asarray(found), np.asarray(blocks)
    within = len(found) * (blocks**2).sum()
    once = (blocks * np.minimum(found[-1], kept)).sum()
    again = (blocks * np.maximum(found - kept, 0)).sum()
    return int(within + once + again)


def rounding(coef, K, terms):
    r"""How far two values of the same scores may lie apart, if both are sums of the same terms.

    .. math::

        & 2\,\gamma_m \sum_j |c_j K_{ij}|, \\
        & \gamma_m = \frac{m u}{1 - m u}, \quad u = 2^{-53},

    and zero where all terms are whole numbers and the sum of their sizes stays below ``2^53``.

    Parameters
    ----------
    coef : array, shape (S,) or (S, n_problems)
        Coefficients of the supports.
    K : array, shape (n, S)
        Kernel values of examples and supports.
    terms : int
        Most products ``m`` that are added up for one score, in any order.

    Returns
    -------
    array, shape (n,) or (n, n_problems)
        In units of the score.

    References
    ----------
    Higham, Accuracy and Stability of Numerical Algorithms (2002), section 3.1.

    Examples
    --------
    >>> K = np.array([[1.0, 2.0], [0.5, 0.25]])
    >>> bool(rounding(np.array([1.0, -1.0]), K[:1], 2)[0] == 0.0)
    True
    >>> rounding(np.array([1.0, -1.0]), K[1:] / 3, 2).round(18)
    array([1.11e-16])
    """
    coef, K = np.asarray(coef, dtype=float), np.asarray(K, dtype=float)
    sizes = np.abs(K) @ np.abs(coef)
    share = terms * UNIT / (1.0 - terms * UNIT)
    whole = np.array_equal(K, np.rint(K)) and np.array_equal(coef, np.rint(coef))
    # The sizes are rounded themselves, by no more than the share of each.
    return np.where(whole & (sizes < WHOLE), 0.0, 2.0 * share * sizes / (1.0 - share))
