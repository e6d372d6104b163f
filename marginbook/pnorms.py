"""The p-norm and the gradient of half its square, compiled or not, at any scale of the vector."""

import numpy as np
from numba.extending import register_jitable


@register_jitable
def norm(x, p):
    """``|x|_p`` for finite ``p >= 1``."""
    largest = np.abs(x).max()
    if largest == 0.0:
        return 0.0
    total = 0.0
    for j in range(x.shape[0]):
        total += (abs(x[j]) / largest) ** p
    return largest * total ** (1.0 / p)


@register_jitable
def link(theta, p):
    """The gradient of ``|theta|_p^2 / 2``: ``sign(theta_j) |theta_j|^(p-1) / |theta|_p^(p-2)``.

    Homogeneous of degree one, and the inverse of the link of the dual exponent.
    """
    w = np.zeros(theta.shape[0])
    size = norm(theta, p)
    if size > 0.0:
        for j in range(theta.shape[0]):
            w[j] = np.sign(theta[j]) * (abs(theta[j]) / size) ** (p - 1.0) * size
    return w
