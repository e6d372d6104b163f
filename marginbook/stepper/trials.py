"""Every trial of a run, rebuilt from its trace: a trace holds updates alone, the stepper shows all trials."""

from numbers import Integral

import numpy as np

# One row per trial. Scores and thresholds belong to the weights before the trial, the rest to those after it.
TRIAL = np.dtype(
    [
        ("trial", "i8"),  # from 1, over the whole run
        ("epoch", "i8"),  # from 1
        ("index", "i8"),  # row of X presented
        ("score", "f8"),  # w.x + b
        ("threshold", "f8"),  # the rule fires when y score is at most this
        ("update", "?"),  # did it fire?
        ("scale", "f8"),  # w <- scale w + step x; 1 and 0 without an update
        ("step", "f8"),
        ("w", "f8", (2,)),
        ("b", "f8"),
        ("norm", "f8"),  # |w|, the constant feature's coordinate included
        ("margin", "f8"),  # min y (w.x + b) / |w| over X, |w| without that coordinate; nan while w = 0
    ]
)
EXACT = 1e-9  # relative; the walk and this module add in different orders


def presented(est, n):
    """Rows of X in the order in which ``fit`` presented them, shape (n_trials,)."""
    if est.shuffle is not False and not isinstance(est.random_state, Integral):
        raise ValueError(
            f"a shuffled run needs an integer random_state to be shown, got {est.random_state!r}"
        )
    return np.concatenate([order for order, _ in zip(est._orders(n), est.history_, strict=False)])


def replay(est, X, y, threshold=None):
    """Rebuild every trial of a run in the plane from the estimator's trace.

    The weights move as the trace says, ``w <- scale w + step x``; trials without an update are filled in.
    Scores at updates, |w| after them, and the last weights must equal the estimator's own.

    Parameters
    ----------
    est : estimator
        Fitted by one call of ``fit`` with ``record_trace=True``: linear kernel, two features, two classes,
        ``hypothesis="last"``, no ``noise_control``; with ``shuffle`` an integer ``random_state``.
    X : array, shape (n, 2)
        The examples it was fitted on.
    y : array, shape (n,)
        Their labels.
    threshold : float or callable, optional
        The rule fires when ``y score <= threshold``. A callable gets the updates so far, |w|^2 and |x|^2
        (both with the constant feature). By default the estimator's ``margin``, or 0 where it has none.

    Returns
    -------
    structured array of ``TRIAL`` rows, shape (n_trials,)

    Raises
    ------
    ValueError
        If the run cannot be shown in the plane, or X, y or the threshold do not agree with the trace.

    Examples
    --------
    >>> from marginbook import Perceptron
    >>> X, y = [[1.0, 2.0], [2.0, 1.0]], [1, -1]
    >>> rows = replay(Perceptron(shuffle=False, record_trace=True).fit(X, y), X, y)
    >>> rows["index"].tolist(), rows["update"].tolist()
    ([0, 1, 0, 1], [True, True, False, False])
    """
    X, y = _plane(est, X, y)
    limit = _threshold(est, threshold)
    rho = float(est.augment)
    Z = np.column_stack([X, np.full(len(X), rho)])
    xx = np.einsum("ij,ij->i", Z, Z)
    stream = presented(est, len(X))
    _agree("the number of trials", est._engine.trials[0], len(stream), 0)
    log = {int(row["trial"]): row for row in est.trace_}
    rows, w, ww, k, margin = np.zeros(len(stream), TRIAL), np.zeros(3), 0.0, 0, np.nan
    rows["trial"] = np.arange(1, len(stream) + 1)
    rows["epoch"] = (rows["trial"] - 1) // len(X) + 1
    rows["index"], rows["scale"] = stream, 1.0
    for row, i in zip(rows, stream, strict=True):
        row["score"], row["threshold"] = w @ Z[i], limit(k, ww, xx[i])
        update = log.get(int(row["trial"]))
        _check_trial(row, i, update, y[i], np.sqrt(ww * xx[i]), xx[i])
        if update is not None:
            w, ww, k = update["scale"] * w + update["step"] * Z[i], float(update["ww"]), k + 1
            row["update"], row["scale"], row["step"] = True, update["scale"], update["step"]
            norm = np.hypot(*w[:2])
            margin = (y * (Z @ w)).min() / norm if norm > 0 else np.nan
            _agree(f"|w|^2 after trial {row['trial']}", ww, w @ w, w @ w + update["step"] ** 2 * xx[i])
        row["w"], row["b"], row["norm"], row["margin"] = w[:2], rho * w[2], np.sqrt(ww), margin
    _agree("coef_", np.append(est.coef_, est.intercept_), np.append(w[:2], rho * w[2]), np.abs(w).max())
    return rows


def _plane(est, X, y):
    if getattr(est, "trace_", None) is None:
        raise ValueError("fit the estimator with record_trace=True: the stepper shows its trace")
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if X.ndim != 2 or X.shape[1] != 2 or y.shape != X.shape[:1]:
        raise ValueError(
            f"the stepper shows X of shape (n, 2) and y of shape (n,), got {X.shape} and {y.shape}"
        )
    if len(est.classes_) != 2:
        raise ValueError(f"the stepper shows two classes, got {len(est.classes_)}")
    if len(np.unique(est.trace_["trial"])) < len(est.trace_):
        raise ValueError("the stepper shows updates along one example, this run has updates along a pair")
    for name, shown in (("kernel", "linear"), ("hypothesis", "last"), ("noise_control", 0.0)):
        if getattr(est, name) != shown:
            raise ValueError(f"the stepper shows {name}={shown!r}, got {name}={getattr(est, name)!r}")
    return X, np.where(y == est.classes_[1], 1, -1)


def _threshold(est, threshold):
    if callable(threshold):
        return threshold
    value = float(getattr(est, "margin", 0.0) if threshold is None else threshold)
    return lambda k, ww, xx: value


def _check_trial(row, i, update, label, size, xx):
    t, ys = row["trial"], label * row["score"]
    if update is not None:
        _agree(f"the example of trial {t}", update["index"], i, 0)
        _agree(f"the score at trial {t}", update["score"], row["score"], size)
    slack = EXACT * (size + abs(row["threshold"]))
    fits = ys <= row["threshold"] + slack if update is not None else ys >= row["threshold"] - slack
    if not fits and xx > 0:  # a zero row admits no update
        did = "an update" if update is not None else "no update"
        raise ValueError(
            f"trial {t} made {did}, but y score is {ys:.6g} and the threshold {row['threshold']:.6g}"
        )


def _agree(what, traced, rebuilt, size):
    if not np.allclose(traced, rebuilt, rtol=0, atol=EXACT * size):
        raise ValueError(
            f"{what} is {traced} in the estimator and {rebuilt} when rebuilt from X: "
            "pass the examples it was fitted on, in the same order"
        )
