"""Checkers of the chapter on margins."""

import numpy as np

from marginbook.exercises import Property, close
from marginbook.margins import dual_exponent, maximum_margin

NORMS = (2.0, 3.0, 1.5, 1.0, np.inf)


def _hyperplanes(rng):
    """A hyperplane and examples, from one example in the plane to eight in four dimensions."""
    yield dict(w=np.array([3.0, -4.0]), b=1.0, X=np.array([[1.0, 0.0]]), y=np.array([1.0]))
    yield dict(w=np.array([3.0, -4.0]), b=1.0, X=np.array([[1.0, 0.0], [0.0, 2.0]]), y=np.array([1.0, -1.0]))
    for n in (3, 5, 8):
        d = n // 2
        X, w = rng.integers(-5, 6, size=(n, d)).astype(float), rng.integers(1, 5, size=d).astype(float)
        yield dict(w=w, b=float(rng.integers(-3, 4)), X=X, y=rng.choice([-1.0, 1.0], size=n))


def _distances(w, b, X, y):
    return y * (X @ w + b) / np.sqrt(w @ w)


GEOMETRIC = [
    Property(
        "Twice the weights and twice the bias are the same hyperplane, with the same margin.",
        _hyperplanes,
        lambda f, w, b, X, y: close(f(w, b, X, y), f(2 * w, 2 * b, X, y)),
    ),
    Property(
        "The margin of one example is its distance from the hyperplane, negative on the wrong side.",
        _hyperplanes,
        lambda f, w, b, X, y: close(f(w, b, X[:1], y[:1]), _distances(w, b, X, y)[0]),
    ),
    Property(
        "The margin of several examples is that of the worst of them.",
        _hyperplanes,
        lambda f, w, b, X, y: close(f(w, b, X, y), _distances(w, b, X, y).min()),
    ),
    Property(
        "Moving all examples by c and the bias by -w.c changes nothing.",
        _hyperplanes,
        lambda f, w, b, X, y: close(f(w, b - w.sum(), X + 1.0, y), f(w, b, X, y)),
    ),
]


def _weights_and_norms(rng):
    yield from (dict(w=np.array([3.0, -4.0]), p=p) for p in NORMS)
    yield from (dict(w=np.array([0.0, 2.0, 0.0]), p=p) for p in NORMS)
    yield from (dict(w=rng.integers(1, 9, size=4) * rng.choice([-1.0, 1.0], size=4), p=p) for p in NORMS)


EQUALITY = [
    Property(
        "The point has one coordinate for each weight, and p-norm 1.",
        _weights_and_norms,
        lambda f, w, p: np.shape(f(w, p)) == w.shape and close(np.linalg.norm(f(w, p), p), 1.0),
    ),
    Property(
        "The score of the point is not less than that of w divided by its own p-norm.",
        _weights_and_norms,
        lambda f, w, p: np.dot(w, f(w, p)) >= w @ w / np.linalg.norm(w, p) * (1 - 1e-9),
    ),
    Property(
        "Hoelder's inequality is an equality: the score of the point is the dual norm of w.",
        _weights_and_norms,
        lambda f, w, p: close(np.dot(w, f(w, p)), np.linalg.norm(w, dual_exponent(p))),
    ),
]


def _scores(rng):
    yield dict(s=np.array([0.0, 1.0]), y=np.array([-1.0, 1.0]))
    yield dict(s=np.array([4.0, 1.0, 3.0]), y=np.array([1.0, -1.0, -1.0]))
    for n in (3, 6, 10):
        y = np.where(np.arange(n) < rng.integers(1, n), 1.0, -1.0)
        yield dict(s=rng.integers(-9, 10, size=n).astype(float), y=y)


def _worst(s, b, y):
    return np.min(y * (s + b))


BIAS = [
    Property(
        "The worst example of the class +1 and that of the class -1 have the same margin.",
        _scores,
        lambda f, s, y: close(np.min(s[y > 0]) + f(s, y), -np.max(s[y < 0]) - f(s, y)),
    ),
    Property(
        "No other bias makes the smallest margin larger.",
        _scores,
        lambda f, s, y: all(
            _worst(s, f(s, y), y) >= _worst(s, b, y) - 1e-9 for b in np.linspace(-10, 10, 81)
        ),
    ),
    Property(
        "Adding 1 to every score lowers the bias by 1.",
        _scores,
        lambda f, s, y: close(f(s + 1.0, y), f(s, y) - 1.0),
    ),
]


def _certificates(rng):
    """Separable examples with any weights that are not negative, some in each class."""
    yield dict(X=np.array([[0.0, 0.0], [0.0, 2.0]]), y=np.array([-1.0, 1.0]), a=np.array([1.0, 1.0]))
    yield dict(X=np.array([[100.0], [101.0]]), y=np.array([-1.0, 1.0]), a=np.array([0.5, 0.5]))
    yield dict(X=np.array([[100.0], [101.0]]), y=np.array([-1.0, 1.0]), a=np.array([0.2, 0.8]))
    for n in (3, 6, 9):
        X = rng.integers(-6, 7, size=(n, 2)).astype(float)
        y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
        X[:, 0] = y * (1.0 + np.abs(X[:, 0]))
        yield dict(X=X, y=y, a=rng.integers(1, 6, size=n).astype(float))


def _class_means(X, y, a):
    return [np.average(X[y == sign], axis=0, weights=a[y == sign]) for sign in (1.0, -1.0)]


CERTIFICATE = [
    Property(
        "The bound is never below the maximum margin.",
        _certificates,
        lambda f, X, y, a: f(X, y, a) >= maximum_margin(X, y).margin * (1 - 1e-6),
    ),
    Property(
        "Weights are normalised in each class by themselves: twice the weights of one class change nothing.",
        _certificates,
        lambda f, X, y, a: close(f(X, y, np.where(y > 0, 2 * a, a)), f(X, y, a)),
    ),
    Property(
        "Moving all examples changes nothing, as the hyperplane has a bias.",
        _certificates,
        lambda f, X, y, a: close(f(X + 7.0, y, a), f(X, y, a)),
    ),
    Property(
        "With the weights that maximum_margin returns, the bound is the maximum margin.",
        _certificates,
        lambda f, X, y, a: close(f(X, y, maximum_margin(X, y).dual_coef), maximum_margin(X, y).margin, 1e-5),
    ),
    Property(
        "The bound is half the distance between the weighted means of the two classes.",
        _certificates,
        lambda f, X, y, a: close(f(X, y, a), np.linalg.norm(np.subtract(*_class_means(X, y, a))) / 2),
    ),
]


def _planes(rng):
    yield dict(w=np.array([1.0]), b=-100.5)
    yield dict(w=np.array([3.0, -4.0]), b=10.0)
    yield dict(w=np.array([0.0, 2.0]), b=0.0)
    yield from (dict(w=rng.integers(1, 6, size=d).astype(float), b=float(d)) for d in (3, 4))


SHIFT = [
    Property(
        "The new origin has one coordinate for each weight and lies on the hyperplane, w.c + b = 0.",
        _planes,
        lambda f, w, b: np.shape(f(w, b)) == w.shape and close(np.dot(w, f(w, b)) + b, 0.0),
    ),
    Property(
        "Of all points of the hyperplane the new origin is the nearest to the old one.",
        _planes,
        lambda f, w, b: close(np.linalg.norm(f(w, b)), abs(b) / np.linalg.norm(w)),
    ),
]


def _extensions(rng):
    yield dict(X=np.array([[2.0]]), lam=3.0)
    yield dict(X=np.array([[1.0, 0.0], [0.0, 2.0]]), lam=0.5)
    yield dict(X=np.array([[1.0, 2.0], [1.0, 2.0]]), lam=0.5)
    yield from (dict(X=rng.integers(-3, 4, size=(n, 3)).astype(float), lam=float(n)) for n in (3, 6))


EXTENSION = [
    Property(
        "The matrix has a row and a column for each example, and is symmetric.",
        _extensions,
        lambda f, X, lam: (
            np.shape(f(X, lam)) == (len(X), len(X)) and close(f(X, lam), np.transpose(f(X, lam)))
        ),
    ),
    Property(
        "A private coordinate of length sqrt(lam) adds lam to the squared length of every example.",
        _extensions,
        lambda f, X, lam: close(np.diagonal(f(X, lam)), (X**2).sum(axis=1) + lam),
    ),
    Property(
        "The coordinates are private: two examples, even two equal ones, keep their inner product.",
        _extensions,
        lambda f, X, lam: close(np.triu(f(X, lam), 1), np.triu(X @ X.T, 1)),
    ),
]

EXERCISES = {
    "1": GEOMETRIC,
    "2": EQUALITY,
    "3": BIAS,
    "4": CERTIFICATE,
    "5": SHIFT,
    "6": EXTENSION,
}
