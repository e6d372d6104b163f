"""Every trial of a run, rebuilt from its trace: a trace holds updates alone, the stepper shows all trials."""

from numbers import Integral

import numpy as np

from marginbook.engines.pair import PairRun
from marginbook.pnorms import link, norm

# One row per trial. Scores and thresholds belong to the weights before the trial, the rest to those after it.
TRIAL = np.dtype(
    [
        ("trial", "i8"),  # from 1, over the whole run
        ("epoch", "i8"),  # from 1
        ("index", "i8"),  # row of X presented
        ("score", "f8"),  # w.x + b
        ("threshold", "f8"),  # the rule fires when y score is at most this
        ("update", "?"),  # did it fire?
        ("scale", "f8"),  # w <- scale w + step x; along a pair, scale w + step (x+ - x-) / 2
        ("step", "f8"),  # 0 without an update; for p > 2 both move theta, and w = link(theta)
        ("w", "f8", (2,)),
        ("b", "f8"),
        ("norm", "f8"),  # |w| (the q-norm for p > 2), the constant feature's coordinate included
        ("margin", "f8"),  # min y (w.x + b) / |w| over X, |w| without that coordinate; nan while w = 0
        ("other", "i8"),  # the other row of the pair that an update moved along; -1 where there is none
    ]
)
EXACT = 1e-9  # relative; the walk and this module add in different orders


def presented(est, n):
    """Epoch and row of X of each trial, in the order in which ``fit`` presented them, shape (n_trials, 2)."""
    if est.shuffle is not False and not isinstance(est.random_state, Integral):
        raise ValueError(
            f"a shuffled run needs an integer random_state to be shown, got {est.random_state!r}"
        )
    fired, stream = set(est.trace_["trial"][est.trace_["epoch"] > 0].tolist()), []
    for order, record in zip(est._orders(n), est.history_, strict=False):
        first = len(stream) + 1
        stream += [(record.epoch, i) for i in order]
        again = [pair for t, pair in enumerate(stream[first - 1 :], first) if t in fired]
        for _ in range(getattr(est, "mini_epochs", 0) if again else 0):
            stream += again
            if fired.isdisjoint(range(len(stream) - len(again) + 1, len(stream) + 1)):
                break
    return np.array(stream)


def replay(est, X, y, threshold=None):
    """Rebuild every trial of a run in the plane from the estimator's trace.

    The weights move as the trace says, ``w <- scale w + step x``; trials without an update are filled in.
    Scores at updates, |w| and the bias after them, and the last weights must equal the estimator's own.

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
        (both with the constant feature; for ``p > 2`` the squares of the q-norm and the p-norm). By default
        the ``threshold`` of the estimator's rule.

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
    return rebuild(est, X, y, threshold)[1:]


def rebuild(est, X, y, threshold=None):
    """As :func:`replay`, with a row in front for the weights before the first trial, its trial 0."""
    X, y = _plane(est, X, y)
    limit = _threshold(est, threshold)
    run, stream = _Weights(est, X, y), presented(est, len(X))
    _agree("the number of trials", est._engine.trials[0], len(stream), 0)
    rows, updates = np.zeros(len(stream) + 1, TRIAL), 0
    rows["trial"] = np.arange(len(rows))
    rows["epoch"][1:], rows["index"][1:] = stream.T
    rows["scale"], rows["other"] = 1.0, -1
    log = {}
    for step in est.trace_:
        log.setdefault(int(step["trial"]) if step["epoch"] else 0, []).append(step)
    if 0 in log:  # a run that does not start at 0
        run.move(log[0])
    run.write(rows[0])
    for row in rows[1:]:
        t, i, steps = row["trial"], row["index"], log.get(int(row["trial"]), [])
        row["score"], row["threshold"] = run.score(i), limit(updates, run.ww, run.xx[i])
        size = np.sqrt(run.ww * run.xx[i]) + abs(run.b)
        if steps:
            _agree(f"the example of trial {t}", steps[0]["index"], i, 0)
            _agree(f"the score at trial {t}", steps[0]["score"], row["score"], size)
        if steps or run.may_move(i):
            _check_side(row, y[i], bool(steps), size)
        if steps:
            row["update"], row["scale"], row["step"] = True, steps[0]["scale"] / run.faded, steps[0]["step"]
            if len(steps) > 1:
                row["step"], row["other"] = 2.0 * abs(steps[0]["step"]), steps[1]["index"]
            run.move(steps)
            updates += 1
        elif run.fades:
            row["scale"] = run.fade(1.0 - 1.0 / t)
        elif run.free:
            run.remember(i)
        run.write(row)
    rebuilt = np.append(run.w[:2], run.b)
    _agree("coef_", np.append(est.coef_, est.intercept_), rebuilt, np.abs(rebuilt).max())
    return rows


class _Weights:
    """What a run has learned so far, moved by its trace.

    ``w = link(theta)`` has three coordinates, the last one that of the constant feature; with ``p = 2`` the
    link changes nothing. A run along pairs has a bias of its own and remembers the pair.
    """

    def __init__(self, est, X, y):
        self.y, self.rho, self.p = y, float(est.augment), getattr(est._engine.params, "p", 2.0)
        self.Z = np.column_stack([X, np.full(len(X), self.rho)])
        self.xx = np.array([norm(z, self.p) ** 2 for z in self.Z])
        self.theta, self.w, self.b, self.ww = np.zeros(3), np.zeros(3), 0.0, 0.0
        self.fades, self.faded = est._engine.fades, 1.0
        self.free, self.pair = isinstance(est._engine, PairRun), {}  # label: row of X
        self.margin = np.nan

    def score(self, i):
        return self.w @ self.Z[i] + (self.b if self.free else 0.0)

    def may_move(self, i):
        """Whether an update is possible: not along a zero row, an incomplete pair or two equal rows."""
        if not self.free:
            return self.xx[i] > 0 or self.fades
        other = self.pair.get(-self.y[i])
        return other is not None and (self.Z[i] != self.Z[other]).any()

    def remember(self, i):
        """The first example of the class that comes first waits for the other class."""
        if not self.pair:
            self.pair[self.y[i]] = i

    def fade(self, scale):
        """Shrink without an update, as some rules do at every trial."""
        self.theta, self.w, self.b = scale * self.theta, scale * self.w, scale * self.b
        self.ww, self.faded = scale**2 * self.ww, scale * self.faded
        return scale

    def move(self, steps):
        """Take the steps of one trial. A trace has the product of all scales since the last update."""
        for step in steps:
            z = self.Z[step["index"]] if step["index"] >= 0 else np.array([0.0, 0.0, self.rho])
            self.theta = step["scale"] / self.faded * self.theta + step["step"] * z
            self.faded = 1.0
        self.w = self.theta.copy() if self.p == 2.0 else link(self.theta, self.p)
        self.ww, last = norm(self.theta, self.p) ** 2, steps[-1]
        terms = sum(step["step"] ** 2 * self.xx[step["index"]] for step in steps)
        _agree(f"|w|^2 after trial {last['trial']}", last["ww"], self.ww, self.ww + terms)
        self.b = self.rho * self.w[2]
        if self.free:
            self.pair.update((self.y[step["index"]], step["index"]) for step in steps)
            self.b = -0.5 * sum(self.w @ self.Z[i] for i in self.pair.values())
        reach = np.sqrt(self.ww * self.xx.max())
        _agree(f"the bias after trial {last['trial']}", last["bias"], self.b, reach)
        size = norm(self.w[:2], self.p / (self.p - 1.0))
        scores = self.Z @ self.w + (self.b if self.free else 0.0)
        self.margin = (self.y * scores).min() / size if size > 0 else np.nan

    def write(self, row):
        row["w"], row["b"], row["norm"], row["margin"] = self.w[:2], self.b, np.sqrt(self.ww), self.margin


def _plane(est, X, y):
    if getattr(est, "trace_", None) is None:
        raise ValueError(
            f"the stepper shows a trace: fit {type(est).__name__} with record_trace=True, where it has that"
        )
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if X.ndim != 2 or X.shape[1] != 2 or y.shape != X.shape[:1]:
        raise ValueError(
            f"the stepper shows X of shape (n, 2) and y of shape (n,), got {X.shape} and {y.shape}"
        )
    if len(est.classes_) != 2:
        raise ValueError(f"the stepper shows two classes, got {len(est.classes_)}")
    for name, shown in (
        ("kernel", "linear"), ("hypothesis", "last"), ("noise_control", 0.0), ("multiclass", "ovr")
    ):  # fmt: skip
        if getattr(est, name, shown) != shown:
            raise ValueError(f"the stepper shows {name}={shown!r}, got {name}={getattr(est, name)!r}")
    return X, np.where(y == est.classes_[1], 1, -1)


def _threshold(est, threshold):
    if callable(threshold):
        return threshold
    if threshold is not None:
        return lambda updates, ww, xx: float(threshold)
    params = est._engine.params
    return lambda updates, ww, xx: est._threshold(params, updates, xx, ww)


def _check_side(row, label, update, size):
    """An update needs ``y score`` at or below the threshold, no update at or above it."""
    ys, slack = label * row["score"], EXACT * (size + abs(row["threshold"]))
    fits = ys <= row["threshold"] + slack if update else ys >= row["threshold"] - slack
    if not fits:
        raise ValueError(
            f"trial {row['trial']} made {'an update' if update else 'no update'}, but y score is {ys:.6g} "
            f"and the threshold {row['threshold']:.6g}"
        )


def _agree(what, traced, rebuilt, size):
    if not np.allclose(traced, rebuilt, rtol=0, atol=EXACT * size):
        raise ValueError(
            f"{what} is {traced} in the estimator and {rebuilt} when rebuilt from X: "
            "pass the examples it was fitted on, in the same order"
        )
