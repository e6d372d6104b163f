"""The p-norm and the gradient of half its square, at any scale of the vector, compiled or not."""

from math import log

import numpy as np
from numba import njit
from numba.extending import register_jitable


@njit
def norm(x, p):
    """``|x|_p`` of an array of shape (d,), for finite ``p >= 1``.

    Examples
    --------
    >>> import numpy as np
    >>> print(norm(np.array([3.0, -4.0]), 2.0))
    5.0
    """
    largest = 0.0
    for j in range(x.shape[0]):
        largest = max(largest, abs(x[j]))
    if largest == 0.0:
        return 0.0
    total = 0.0
    for j in range(x.shape[0]):
        total += (abs(x[j]) / largest) ** p
    return largest * total ** (1.0 / p)


@register_jitable
def link(theta, p):
    """The gradient of ``|theta|_p^2 / 2``: ``w_j = sign(theta_j) |theta_j|^(p-1) / |theta|_p^(p-2)``.

    It is homogeneous of degree one, and the inverse of the link of the dual exponent.

    Examples
    --------
    >>> import numpy as np
    >>> link(np.array([1.0, -1.0]), 4.0)
    array([ 0.70710678, -0.70710678])
    """
    w = np.zeros(theta.shape[0])
    write_link(theta, p, w)
    return w


@register_jitable
def write_link(theta, p, w):
    """Write ``link(theta, p)`` into ``w``."""
    size = norm(theta, p)
    for j in range(theta.shape[0]):
        w[j] = 0.0
        if theta[j] > 0.0:
            w[j] = size * (theta[j] / size) ** (p - 1.0)
        elif theta[j] < 0.0:
            w[j] = -size * (-theta[j] / size) ** (p - 1.0)


def resolve_p(p, n_features):
    """The number that an estimator's ``p`` stands for: ``"log"`` is ``2 ln n_features``, at least 2.

    Examples
    --------
    >>> resolve_p(3, 100), round(resolve_p("log", 100), 2), resolve_p("log", 2)
    (3.0, 9.21, 2.0)
    """
    return max(2.0, 2.0 * log(n_features)) if p == "log" else float(p)
