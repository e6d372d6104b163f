"""Checkers of the chapter on UCI, Adult and Web."""

import numpy as np

from marginbook.exercises import Property, close
from marginbook.maximum import maximum_margin


def _columns(rng):
    """Columns of a nominal attribute, and its values; the last ones have missing entries."""
    yield dict(column=["y", "n"], values="yn")
    yield dict(column=["n", "y", "n"], values="yn")
    yield dict(column=["b", "b"], values="xob")
    yield dict(column=["b", "x", "o"], values="xob")
    yield dict(column=["?", "n"], values="yn")
    for n in (4, 9):
        yield dict(column=[str(c) for c in rng.choice(list("flc?"), n)], values="cfl")


def _table(column, values):
    return np.array([[float(entry == value) for value in values] for entry in column])


def _of(answer, kind=float):
    return np.asarray(answer, dtype=kind)


def _reordered(f, column, values):
    backwards = f(column, values[::-1])
    return close(_of(backwards)[:, ::-1], _of(f(column, values)))


INDICATORS = [
    Property(
        "There is a row for each entry, and a column for each value, also for one that does not occur.",
        _columns,
        lambda f, column, values: _of(f(column, values)).shape == (len(column), len(values)),
    ),
    Property(
        "An indicator is 1 where it holds and 0 elsewhere.",
        _columns,
        lambda f, column, values: bool(np.isin(_of(f(column, values)), (0.0, 1.0)).all()),
    ),
    Property(
        "An entry that is known makes exactly one indicator 1.",
        lambda rng: (case for case in _columns(rng) if "?" not in case["column"]),
        lambda f, column, values: (_of(f(column, values)).sum(axis=1) == 1).all(),
    ),
    Property(
        "A missing entry makes no indicator 1: its row is zero.",
        lambda rng: (case for case in _columns(rng) if "?" in case["column"]),
        lambda f, column, values: not _of(f(column, values))[np.array(column) == "?"].any(),
    ),
    Property(
        "The columns are in the order of the values given, whatever the entries are.",
        _columns,
        _reordered,
    ),
    Property(
        "An entry and its value meet in one place.",
        _columns,
        lambda f, column, values: close(f(column, values), _table(column, values)),
    ),
]


def _hyperplanes(rng):
    """A hyperplane, examples with their labels, and the private coordinate; from small to large."""
    one, both = np.array([[1.0]]), np.array([[2.0], [-1.0]])
    labels = np.array([1.0, -1.0])
    for y in (1.0, -1.0):
        yield dict(w=np.array([2.0]), b=0.0, X=y * one, y=np.array([y]), delta=1.0)
        yield dict(w=np.array([0.5]), b=0.0, X=y * one, y=np.array([y]), delta=1.0)
    yield dict(w=np.array([2.0]), b=1.0, X=both, y=labels, delta=1.0)
    yield dict(w=np.array([1.0]), b=1.0, X=both, y=labels, delta=1.0)
    yield dict(w=np.array([1.0]), b=0.0, X=both, y=-labels, delta=2.0)
    for n in (3, 6):
        X, w = rng.integers(-3, 4, size=(n, 2)).astype(float), rng.integers(1, 4, size=2) / 4
        yield dict(w=w, b=rng.choice([-0.5, 0.5]), X=X, y=np.where(np.arange(n) % 2, 1.0, -1.0), delta=0.5)


def _extended(w, b, X, y, delta):
    missing = np.maximum(0.0, 1.0 - y * (X @ w + b)) / delta
    scores = y * (X @ w + b) + delta * missing
    return scores.min() / np.sqrt(w @ w + missing @ missing)


def _slacks(case):
    return np.maximum(0.0, 1.0 - case["y"] * (case["X"] @ case["w"] + case["b"]))


def _written_out(f, w, b, X, y, delta):
    """The geometric margin, with the private coordinates as columns."""
    private = y * np.maximum(0.0, 1.0 - y * (X @ w + b)) / delta
    rows, longer = np.hstack([X, delta * np.eye(len(y))]), np.append(w, private)
    return close(f(w, b, X, y, delta), (y * (rows @ longer + b)).min() / np.linalg.norm(longer))


def _best_is_larger(f, w, b, X, y, delta):
    return f(w, b, X, y, delta) <= maximum_margin(X, y, noise_control=delta**2).margin * (1 + 1e-6)


MARGIN = [
    Property(
        "Where every y f(x) is at least 1 no slack is needed: this is the geometric margin.",
        lambda rng: (case for case in _hyperplanes(rng) if not _slacks(case).any()),
        lambda f, **case: close(f(*case.values()), _extended(**case)),
    ),
    Property(
        "Other labels on the mirrored examples, with the other bias, are the same problem.",
        _hyperplanes,
        lambda f, w, b, X, y, delta: close(f(w, b, X, y, delta), f(w, -b, -X, -y, delta)),
    ),
    Property(
        "Everything in another unit: w / 4 on 4 X, with 4 delta, has 4 times the margin.",
        _hyperplanes,
        lambda f, w, b, X, y, delta: close(f(w / 4, b, 4 * X, y, 4 * delta), 4 * f(w, b, X, y, delta)),
    ),
    Property(
        "No hyperplane has more than the maximum margin of the extended space.",
        lambda rng: (case for case in _hyperplanes(rng) if len(set(case["y"])) == 2),
        _best_is_larger,
    ),
    Property(
        "With the private coordinates written out as columns it is a geometric margin.",
        _hyperplanes,
        _written_out,
    ),
]


def _printed(rng):
    """Two printed numbers, their digits, and the share that a theorem promises."""
    yield dict(margin=4.0, maximum=5.0, digits=0, least=0.9)
    yield dict(margin=4.0, maximum=5.0, digits=1, least=0.9)
    yield dict(margin=5.0, maximum=5.0, digits=0, least=0.5)
    yield dict(margin=7.0, maximum=5.0, digits=0, least=0.5)
    yield dict(margin=6.0, maximum=5.0, digits=0, least=0.99)
    for margin, digits in ((0.82, 2), (0.81, 2), (0.845, 3), (0.81, 3)):
        yield dict(margin=margin, maximum=0.83, digits=digits, least=0.99)
    for _ in range(20):
        maximum = round(rng.uniform(1.0, 3.0), 2)
        share = rng.uniform(0.85, 1.05)
        yield dict(margin=round(share * maximum, 2), maximum=maximum, digits=2, least=0.95)


def _possible(margin, maximum, digits, least):
    half = 0.5 * 10.0**-digits
    return margin + half >= least * (maximum - half) and margin - half <= maximum + half


def _says(wanted):
    """Whether the answer is the right one, on the cases where that is as wanted."""
    return (
        lambda rng: (case for case in _printed(rng) if _possible(**case) == wanted),
        lambda f, **case: bool(f(*case.values())) == wanted,
    )


def _exact_share(case):
    return case["least"] <= case["margin"] / case["maximum"] <= 1.0


POSSIBLE = [
    Property(
        "Where the two printed numbers have such a share themselves, they are possible.",
        lambda rng: (case for case in _printed(rng) if _exact_share(case)),
        lambda f, **case: bool(f(*case.values())),
    ),
    Property(
        "Either number may be off by half a unit of its last digit, and that can save the promise.",
        *_says(True),
    ),
    Property(
        "A number is off by no more than half a unit of its last digit.",
        lambda rng: (
            case for case in _printed(rng) if not _possible(**case) and case["margin"] < case["maximum"]
        ),
        lambda f, **case: not f(*case.values()),
    ),
    Property(
        "A margin above the maximum is as impossible as one below the promise.",
        lambda rng: (
            case for case in _printed(rng) if not _possible(**case) and case["margin"] > case["maximum"]
        ),
        lambda f, **case: not f(*case.values()),
    ),
]

EXERCISES = {"1": INDICATORS, "2": MARGIN, "3": POSSIBLE}
