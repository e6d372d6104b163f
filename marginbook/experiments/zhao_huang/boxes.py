"""The synthetic data behind Zhao and Huang's figures: random boxes, and what algorithms reach on them.

A run looks at several boxes, so that drawing one and solving for its maximum margin serves all algorithms.
Series are lists with a number a box. Box ``j`` of run ``r`` has the seed ``r * boxes + j``.
"""

import numpy as np

import marginbook
from marginbook.data import synthetic
from marginbook.margins import geometric_margin
from marginbook.maximum import maximum_margin

NEAREST = 200  # rows that the search for the maximum margin begins with
MORE = 50  # and that it adds


def boxes_run(seed, *, boxes, box, algorithms, common, augmented=False):
    """Run algorithms to convergence on random boxes.

    Parameters
    ----------
    seed : int
        Of the run.
    boxes : int
        How many.
    box : dict
        Options of :func:`marginbook.data.synthetic.box`.
    algorithms : dict
        By label, the name of an estimator and its options.
    common : dict
        Options of all estimators.
    augmented : bool
        Give ``(R / gamma)^2`` of the rows with their constant feature, too.

    Returns
    -------
    dict
        For each label the ``margin``, in units of the maximum margin with bias of the rows as they are, the
        ``updates``, and whether the run ``converged`` (0 or 1).
    """
    series = {f"{kind} {label}": [] for label in algorithms for kind in ("margin", "updates", "converged")}
    for number in range(seed * boxes, (seed + 1) * boxes):
        sample = synthetic.box(**box, random_state=number)
        X, y = sample.data, sample.target
        start = y * (X @ sample.separator + sample.bias)
        best = largest_margin(X, y, start)
        if augmented:
            rho = common["augment"]
            margin = largest_margin(X, y, start, bias=False, augment=rho)
            radius2 = (X**2).sum(axis=1).max() + rho**2
            series.setdefault("hardness", []).append(float(radius2 / margin**2))
        for label, (name, options) in algorithms.items():
            model = getattr(marginbook, name)(**common, **options).fit(X, y)
            series[f"margin {label}"].append(geometric_margin(model, X, y) / best)
            series[f"updates {label}"].append(model.n_updates_)
            series[f"converged {label}"].append(int(model.converged_))
    return series


def largest_margin(X, y, start, *, tol=1e-6, **options):
    """The maximum margin of many rows, from the few that decide it.

    The rows nearest to a plane give an upper bound; where the hyperplane that attains it has no smaller
    margin on the others, it is the maximum of all. Otherwise the rows it serves worst join in.

    Parameters
    ----------
    X : array, shape (n, d)
    y : array of -1 and 1, shape (n,)
    start : array, shape (n,)
        Signed distances from some separating plane: where to look first.
    tol : float
        Largest relative error.
    **options
        ``bias`` and ``augment`` of :func:`marginbook.maximum_margin`.

    Returns
    -------
    float
        The upper bound.
    """
    chosen = _smallest(start, y, NEAREST)
    while True:
        found = maximum_margin(X[chosen], y[chosen], tol=tol / 2, **options)
        served = y * (X @ found.coef + found.intercept)
        if served.min() >= (1.0 - tol) * found.dual:
            return found.dual
        chosen = np.union1d(chosen, _smallest(served, y, MORE))


def _smallest(values, y, count):
    """The rows with the smallest values: of each class half of ``count``."""
    sides = [np.flatnonzero(y == sign) for sign in (-1, 1)]
    return np.concatenate([side[np.argsort(values[side])[: count // 2]] for side in sides])
