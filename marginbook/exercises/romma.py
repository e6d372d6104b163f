"""Checkers of the chapter on ROMMA."""

import numpy as np

from marginbook.exercises import Property, close, untouched, where


def _step(w, x, y):
    """The exact step, from ``y w.x < 1``; its formulas are derived in the chapter."""
    m, Q, W = y * (w @ x), x @ x, w @ w
    if m >= Q * W:
        return y * x / Q
    return ((Q * W - m) * w + W * (1 - m) * y * x) / (Q * W - m * m)


def _slack(w, x, y):
    return bool(w.any() and y * (w @ x) >= (x @ x) * (w @ w))


def _updates(rng):
    """Weights and an example with a margin below 1: from zero, on mistakes, with small margins, slack."""
    for y in (1.0, -1.0):
        yield dict(w=np.zeros(2), x=np.array([2.0, 0.0]), y=y)
    for y in (1.0, -1.0):
        yield dict(w=np.array([1.0, 0.0]), x=np.array([0.0, 2.0]), y=y)
        yield dict(w=np.array([1.0, 0.0]), x=y * np.array([-1.0, 1.0]), y=y)
        yield dict(w=np.array([1.0, 0.0]), x=y * np.array([0.5, 2.0]), y=y)
        yield dict(w=np.array([0.5, 0.0]), x=y * np.array([1.0, 0.5]), y=y)
    while True:
        w, x = rng.integers(-3, 4, size=(2, 3)).astype(float)
        y = rng.choice([-1.0, 1.0])
        if x.any() and w.any() and y * (w @ x) < 1 and abs(w @ x) < 0.9 * np.sqrt((w @ w) * (x @ x)):
            yield dict(w=w, x=x, y=y)
            if rng.random() < 0.1:
                return


def _slack_updates(rng):
    """Those where the old constraint is slack; the last has x in the direction of w."""
    yield from (case for case in _updates(rng) if _slack(**case))
    yield dict(w=np.array([0.5, 0.0]), x=np.array([1.0, 0.0]), y=1.0)


STEP = [
    Property(
        "From w = 0 only the new constraint counts: the shortest v with y v.x = 1 is a multiple of x.",
        where(_updates, lambda w, **_: not w.any()),
        lambda f, w, x, y: close(f(w, x, y), _step(w, x, y)),
    ),
    Property(
        "The new constraint is tight: after the step y w.x is 1, whatever the label is.",
        _updates,
        lambda f, w, x, y: close(y * (f(w, x, y) @ x), 1.0),
    ),
    Property(
        "The old constraint holds: after the step the product with the old weights is |w|^2 or more.",
        _updates,
        lambda f, w, x, y: f(w, x, y) @ w >= w @ w - 1e-9,
    ),
    Property(
        "Where y x / |x|^2 meets the old constraint, no longer vector is the answer.",
        _slack_updates,
        lambda f, w, x, y: np.linalg.norm(f(w, x, y)) <= (1 + 1e-9) / np.linalg.norm(x),
    ),
    Property(
        "No shorter vector meets both constraints: where both are tight, sigma and tau solve two equations.",
        _updates,
        lambda f, w, x, y: close(f(w, x, y), _step(w, x, y)),
    ),
    untouched("weights", _updates),
]


def _streams(rng):
    """Kernel matrices of one example, of two and of more; all separable in the space of the kernel."""
    for y in (1.0, -1.0):
        yield dict(K=np.array([[2.0]]), y=np.array([y]), delta=1.0)
    for delta in (1.0, 0.5):
        yield dict(K=np.diag([1.0, 4.0]), y=np.array([1.0, -1.0]), delta=delta)
        yield dict(K=np.array([[2.0, 1.2], [1.2, 2.0]]), y=np.array([1.0, 1.0]), delta=delta)
        yield dict(K=np.array([[2.0, -1.0], [-1.0, 2.0]]), y=np.array([1.0, 1.0]), delta=delta)
        yield dict(K=np.array([[4.0, 2.0], [2.0, 1.1]]), y=np.array([-1.0, -1.0]), delta=delta / 10)
    for n in (3, 4, 6):
        for delta in (1.0, 0.5, 0.1):
            X = rng.integers(-2, 3, size=(n, n)).astype(float) + 3 * np.eye(n)
            yield dict(K=X @ X.T, y=rng.choice([-1.0, 1.0], size=n), delta=delta)


def _pass(K, y, delta):
    """Scores before each trial, and the coefficients after the last."""
    n = len(y)
    coef, W, before = np.zeros(n), 0.0, np.zeros(n)
    for i in range(n):
        before[i] = coef @ K[:, i]
        m, Q = y[i] * before[i], K[i, i]
        if m <= 0 or m < 1 - delta:
            scale, multiplier = 0.0, 1 / Q
            if m < Q * W:
                D = Q * W - m * m
                scale, multiplier = (Q * W - m) / D, W * (1 - m) / D
            coef *= scale
            coef[i] += multiplier * y[i]
            W = scale * W + multiplier
    return before, coef


def _last(wanted):
    """Whether the margin of the last example, before its trial, is as wanted."""

    def holds(K, y, delta):
        before, _ = _pass(K, y, delta)
        return len(before) > 1 and bool(wanted(y[-1] * before[-1], delta))

    return holds


def _fires(m, delta):
    return m <= 0 or m < 1 - delta


PASS = [
    Property(
        "After one example the only coefficient is y / K(x, x).",
        where(_streams, lambda y, **_: len(y) == 1),
        lambda f, K, y, delta: close(f(K, y, delta), y / K[0]),
    ),
    Property(
        "A score of zero is a mistake: the second of two orthogonal examples has a coefficient too.",
        where(_streams, lambda K, y, **_: len(y) == 2 and not K[0, 1]),
        lambda f, K, y, delta: abs(f(K, y, delta)[1]) > 0,
    ),
    Property(
        "An example with y f of 1 - delta or more, and above 0, leaves its coefficient at zero.",
        where(_streams, _last(lambda m, delta: not _fires(m, delta))),
        lambda f, K, y, delta: close(f(K, y, delta)[-1], 0.0),
    ),
    Property(
        "Right after its update an example has the score y.",
        where(_streams, _last(_fires)),
        lambda f, K, y, delta: close(f(K, y, delta) @ K[:, -1], y[-1]),
    ),
    Property(
        "The coefficients are those of the algorithm after one pass in the order of the rows.",
        _streams,
        lambda f, K, y, delta: close(f(K, y, delta), _pass(K, y, delta)[1]),
    ),
]

EXERCISES = {"1": STEP, "2": PASS}
