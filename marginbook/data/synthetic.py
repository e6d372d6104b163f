"""Seeded generators of two-class data that return the true separator and its margin, and an adversary.

Every generator returns a Bunch with `data`, float64 of shape (n_samples, n_features); `target`, 1 and -1;
`separator` w, shape (n_features,); `bias` b; and `margin`, so that y (w.x + b) >= margin on every row.
"""

import math
from numbers import Integral

import numpy as np


def separable(
    n_samples: int,
    n_features: int,
    margin: float,
    *,
    radius: float = 1.0,
    bias: float = 0.0,
    random_state=None,
):
    """Points of a ball around -b w on both sides of a hyperplane, whose maximum margin is known.

    y (w.x + b) >= margin with |w| = 1, equality on four rows and |x + b w| <= radius. The four rows make w
    the maximum-margin separator: the mean of two of them is -b w + margin w in one class, -b w - margin w in
    the other, so the classes' convex hulls are 2 margin apart. For b = 0 it is so without bias as well.

    Parameters
    ----------
    n_samples : int
        At least 4; the classes differ by at most one row.
    n_features : int
        At least 1.
    margin : float
        In (0, radius].
    radius : float, default 1.0
    bias : float, default 0.0
    random_state : None, int or numpy.random.Generator

    Returns
    -------
    sklearn.utils.Bunch
        The equality holds to rounding: within 1e-12 max(radius, |bias|).

    Raises
    ------
    ValueError
        A parameter is out of its range.

    Examples
    --------
    >>> bunch = separable(50, 3, margin=0.1, random_state=0)
    >>> float(np.min(bunch.target * (bunch.data @ bunch.separator)).round(12))
    0.1
    """
    _whole("n_samples", n_samples, 4)
    _whole("n_features", n_features, 1)
    _between("radius", radius, 0.0, math.inf)
    if not 0.0 < margin <= radius:
        raise ValueError(f"margin must be in (0, radius = {radius}], not {margin!r}")
    if not math.isfinite(bias):
        raise ValueError(f"bias must be finite, not {bias!r}")
    rng = np.random.default_rng(random_state)
    w = _direction(rng, n_features)
    target = np.where(np.arange(n_samples) % 2 == 0, 1, -1)
    distance = rng.uniform(margin, radius, n_samples)
    distance[:4] = margin
    across = rng.standard_normal((n_samples, n_features))
    across -= np.outer(across @ w, w)
    length = np.linalg.norm(across, axis=1)
    reach = np.sqrt(radius**2 - distance**2) * rng.uniform(size=n_samples)
    across *= np.divide(reach, length, out=np.zeros(n_samples), where=length > 1e-3)[
        :, None
    ]  # shorter ones are rounding
    across[2:4] = -across[:2]  # rows 0 and 2 are of class 1, rows 1 and 3 of class -1
    data = across + np.outer(target * distance - bias, w)
    order = rng.permutation(n_samples)
    return _bunch(data[order], target[order], w, bias, margin)


def r_of_k(
    n_samples: int,
    n_features: int = 100,
    k: int = 16,
    r: int = 1,
    *,
    balanced: bool = True,
    random_state=None,
):
    """Points of {-1, 1}^n labelled 1 when at least r of k relevant features are 1.

    y = sign(x_{i_1} + ... + x_{i_k} + k - 2 r + 1) with i_1 < ... < i_k, drawn at random. The argument
    is odd, so y (w.x + b) >= 1 with w the indicator of the relevant features.

    Parameters
    ----------
    n_samples, n_features : int
    k : int
        In [1, n_features].
    r : int
        In [1, k].
    balanced : bool, default True
        True: a label is drawn first, 1 or -1 with probability 1/2, then a uniform point with this label.
        False: a uniform point.
    random_state : None, int or numpy.random.Generator

    Returns
    -------
    sklearn.utils.Bunch
        `separator` is not of unit length: `margin` is the functional margin 1, attained on the cube, and
        `p_norm_margin(p)` is :func:`cube_margin`, the margin in the p-norm.
        `relevant` holds i_1, ..., i_k, from 0.

    Raises
    ------
    ValueError
        A parameter is out of its range.

    References
    ----------
    Ishibashi, Hatano, Takeda (2008), section 4.1; the paper's formula lacks the term k.

    Examples
    --------
    >>> bunch = r_of_k(5, n_features=8, k=4, r=2, random_state=0)
    >>> bunch.bias, bunch.p_norm_margin(2)
    (1.0, 0.5)
    """
    _whole("n_samples", n_samples, 1)
    _whole("n_features", n_features, 1)
    _whole("k", k, 1, n_features)
    _whole("r", r, 1, k)
    rng = np.random.default_rng(random_state)
    relevant = np.sort(rng.choice(n_features, size=k, replace=False))
    data = rng.choice([-1.0, 1.0], size=(n_samples, n_features))
    if balanced:
        points = [math.comb(k, true) for true in range(k + 1)]
        below, above = sum(points[:r]), sum(points[r:])
        chance = [0.5 * (c / (below if true < r else above)) for true, c in enumerate(points)]
        n_true = rng.choice(k + 1, size=n_samples, p=chance)
        rank = rng.permuted(np.tile(np.arange(k), (n_samples, 1)), axis=1)
        data[:, relevant] = np.where(rank < n_true[:, None], 1.0, -1.0)
    separator = np.zeros(n_features)
    separator[relevant] = 1.0
    bias = float(k - 2 * r + 1)
    target = np.where(data @ separator + bias > 0, 1, -1)
    bunch = _bunch(data, target, separator, bias, 1.0)
    bunch.update(relevant=relevant, p_norm_margin=lambda p: cube_margin(k, p))
    return bunch


def cube_margin(k: int, p: float) -> float:
    """The maximum p-norm margin on the whole cube of the labels of :func:`r_of_k`: ``k^(1/p - 1)``.

    The separator of :func:`r_of_k` has the functional margin 1 and ``|w|_q = k^(1 - 1/p)``, where
    ``1/p + 1/q = 1``. No hyperplane does better, whatever r is: of all points with r relevant features at 1,
    and of all with r - 1, the means differ by 2/k in each relevant feature. That is ``2 k^(1/p - 1)`` in the
    p-norm, and twice the margin cannot be more.

    Parameters
    ----------
    k : int
        Number of relevant features, at least 1.
    p : float
        In [1, inf].

    Returns
    -------
    float

    Raises
    ------
    ValueError
        A parameter is out of its range.

    References
    ----------
    Derived in the book's chapter on synthetic data.

    Examples
    --------
    >>> cube_margin(16, p=2), cube_margin(16, p=math.inf)
    (0.25, 0.0625)
    """
    _whole("k", k, 1)
    if not p >= 1.0:
        raise ValueError(f"p must be at least 1, not {p!r}")
    return float(k) ** (1.0 / p - 1.0)


def box(n_samples: int, n_features: int = 10, side: float = 10.0, *, gap: float, random_state=None):
    """Uniform points of [0, side]^n, cut by a plane through the centre, none nearer to it than a gap.

    y = sign(w.x + b), b = -w.c, c = (side/2, ..., side/2), with w uniform on the unit sphere; points with
    |w.x + b| < gap are drawn again.

    Parameters
    ----------
    n_samples, n_features : int
    side : float, default 10.0
    gap : float
        In [0, side/4], so that a fair share of the draws is kept whatever the plane.
    random_state : None, int or numpy.random.Generator

    Returns
    -------
    sklearn.utils.Bunch
        `margin` is the smallest distance found, at least `gap`; `gap` is the one asked for.

    Raises
    ------
    ValueError
        A parameter is out of its range.

    References
    ----------
    Zhao, Huang (2013), section 4.1, which leaves the gap open.

    Examples
    --------
    >>> bunch = box(100, n_features=2, gap=0.5, random_state=0)
    >>> bunch.data.shape, bunch.margin >= 0.5
    ((100, 2), True)
    """
    _whole("n_samples", n_samples, 1)
    _whole("n_features", n_features, 1)
    _between("side", side, 0.0, math.inf)
    if not 0.0 <= gap <= side / 4:
        raise ValueError(f"gap must be in [0, side/4 = {side / 4}], not {gap!r}")
    rng = np.random.default_rng(random_state)
    w = _direction(rng, n_features)
    bias = -0.5 * side * float(w.sum())
    data = np.empty((n_samples, n_features))
    n_kept = 0
    while n_kept < n_samples:
        points = rng.uniform(0.0, side, (n_samples, n_features))
        points = points[np.abs(points @ w + bias) >= gap][: n_samples - n_kept]
        data[n_kept : n_kept + len(points)] = points
        n_kept += len(points)
    score = data @ w + bias
    bunch = _bunch(data, np.where(score >= 0, 1, -1), w, bias, float(np.abs(score).min()))
    bunch.update(gap=gap)
    return bunch


def expected_gap(n_samples: int, side: float = 10.0) -> tuple[float, float]:
    """What :func:`box` leaves without a gap: bounds on the expected distance of the nearest point.

        side / (2 sqrt(6) (n + 1)) <= E G <= side / (2 n)

    for n uniform points of a cube and a plane through its centre, in any dimension and direction. The
    distance of one point has a log-concave density on [0, inf) that starts at some h. So it exceeds g with a
    chance between 1 - h g and exp(-h g), the nearest of n with the n-th power of that, and 1 / ((n + 1) h) <=
    E G <= 1 / (n h). Its mean square, side^2 / 12, lies between 1 / (3 h^2) and 2 / h^2 for the same reason,
    so that 2 / side <= h <= 2 sqrt(6) / side.

    Parameters
    ----------
    n_samples : int
    side : float, default 10.0

    Returns
    -------
    low, high : float
        In units of ``side``.

    Raises
    ------
    ValueError
        A parameter is out of its range.

    References
    ----------
    Derived in the book's chapter on synthetic data.

    Examples
    --------
    >>> low, high = expected_gap(10_000)
    >>> print(f"{low:.5f} {high:.5f}")
    0.00020 0.00050
    """
    _whole("n_samples", n_samples, 1)
    _between("side", side, 0.0, math.inf)
    return side / (2.0 * math.sqrt(6.0) * (n_samples + 1)), side / (2.0 * n_samples)


def adversary(w, margin: float, score: float) -> np.ndarray | None:
    """The example in space that an adversary shows: a unit vector of a given margin and a given score.

    ``x_1 = margin``, so ``u = (1, 0, 0)`` has this margin on all such examples. The other two coordinates lie
    on a circle of radius ``r = sqrt(1 - margin^2)``. Their component along ``(w_2, w_3)`` makes ``w.x`` the
    score; what is left of ``r`` points across, where it moves the weights away from ``u``.

    Parameters
    ----------
    w : array, shape (3,)
        The weights that are to score the example.
    margin : float
        In (-1, 1).
    score : float
        Asked for. Where all such examples score less, the one with the largest score is shown.

    Returns
    -------
    array, shape (3,), or None
        ``w.x`` is the score up to rounding. None where all such examples score more.

    Raises
    ------
    ValueError
        A parameter is out of its range.

    Examples
    --------
    >>> w = np.array([1.0, 2.0, 2.0])
    >>> x = adversary(w, 0.1, 0.0)
    >>> x.round(3).tolist(), bool(abs(w @ x) < 1e-15)
    ([0.1, -0.728, 0.678], True)
    >>> adversary(w, 0.1, -10.0) is None
    True
    """
    _between("margin", margin, -1.0, 1.0)
    reach, rest = math.sqrt(1.0 - margin**2), math.hypot(w[1], w[2])
    along = min(score - margin * w[0], reach * rest)
    if along < -reach * rest:
        return None
    a, c = (w[1] / rest, w[2] / rest) if rest else (1.0, 0.0)
    s = along / rest if rest else reach
    t = math.sqrt(max(reach**2 - s**2, 0.0))
    return np.array([margin, s * a - t * c, s * c + t * a])


def _direction(rng: np.random.Generator, n_features: int) -> np.ndarray:
    """A uniform point of the unit sphere."""
    w = rng.standard_normal(n_features)
    return w / np.linalg.norm(w)


def _bunch(data: np.ndarray, target: np.ndarray, separator: np.ndarray, bias: float, margin: float):
    from sklearn.utils import Bunch

    return Bunch(data=data, target=target, separator=separator, bias=float(bias), margin=float(margin))


def _whole(name: str, value: int, low: int, high: int | None = None) -> None:
    if not isinstance(value, Integral) or value < low or (high is not None and value > high):
        limits = f"at least {low}" if high is None else f"in [{low}, {high}]"
        raise ValueError(f"{name} must be a whole number {limits}, not {value!r}")


def _between(name: str, value: float, low: float, high: float) -> None:
    if not low < value < high:
        raise ValueError(f"{name} must be in ({low}, {high}), not {value!r}")
