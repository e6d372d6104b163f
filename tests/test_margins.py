"""Margins of fitted estimators, against the definitions worked out by hand."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, LinearSVC

from marginbook import Perceptron, maximum_margin
from marginbook.data.synthetic import separable
from marginbook.margins import (
    directional_margin,
    dual_exponent,
    functional_margin,
    geometric_margin,
    p_norm_margin,
)
from marginbook.pnorms import link


class Hyperplane:
    """A hyperplane given by hand: all that the margins need of an estimator."""

    def __init__(self, w, b):
        self.coef_, self.intercept_, self.classes_ = np.array([w]), np.array([b]), np.array([-1, 1])

    def decision_function(self, X):
        return np.asarray(X) @ self.coef_[0] + self.intercept_


X = np.array([[3.0, 1.0], [1.0, 2.0], [0.0, 0.0]])
Y = np.array([1, -1, -1])
PLANE = Hyperplane([3.0, -4.0], 0.5)  # scores 5.5, -4.5, 0.5


def test_functional_margin_is_label_times_score():
    assert functional_margin(PLANE, X, Y, reduce=None).tolist() == [5.5, 4.5, -0.5]
    assert functional_margin(PLANE, X, Y) == -0.5


def test_geometric_margin_leaves_the_bias_out_of_the_norm():
    assert geometric_margin(PLANE, X, Y, reduce=None) == pytest.approx([1.1, 0.9, -0.1], rel=1e-15)


def test_directional_margin_counts_the_bias_coordinate():
    norm = np.sqrt(9 + 16 + (0.5 / 0.25) ** 2)
    assert directional_margin(PLANE, X, Y, rho=0.25) == pytest.approx(-0.5 / norm, rel=1e-15)
    augmented = np.column_stack([X, np.full(3, 0.25)])
    a = np.array([3.0, -4.0, 2.0])
    each = Y * (augmented @ a) / np.linalg.norm(a)
    assert directional_margin(PLANE, X, Y, rho=0.25, reduce=None) == pytest.approx(each, rel=1e-14)


@pytest.mark.parametrize(
    ("p", "norm"), [(1, 4.0), (np.inf, 7.0), (2, 5.0), (3, (3**1.5 + 4**1.5) ** (2 / 3))]
)
def test_p_norm_margin_divides_by_the_dual_norm(p, norm):
    assert p_norm_margin(PLANE, X, Y, p) == pytest.approx(-0.5 / norm, rel=1e-14)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 7.0, np.inf])
def test_p_norm_margin_is_the_p_norm_distance_to_the_hyperplane(p):
    q, w, score = dual_exponent(p), PLANE.coef_[0], 5.5
    # The point of the hyperplane that Hoelder's equality names.
    step = (
        np.where(np.arange(2) == np.abs(w).argmax(), np.sign(w), 0)
        if p == 1
        else np.sign(w) * np.abs(w) ** (q - 1)
    )
    step = step * score / (step @ w)
    assert PLANE.decision_function(X[0] - step) == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(step, p) == pytest.approx(p_norm_margin(PLANE, X[:1], Y[:1], p), rel=1e-12)


def test_geometric_margin_is_the_distance_to_the_hyperplane():
    rng = np.random.default_rng(0)
    w, b, x = rng.standard_normal(4), 0.7, rng.standard_normal(4)
    plane, score = Hyperplane(w, b), x @ w + b
    distance = abs(geometric_margin(plane, [x], [1]))
    foot = x - score / (w @ w) * w
    assert foot @ w + b == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(x - foot) == pytest.approx(distance, rel=1e-12)
    others = foot + rng.standard_normal((500, 4)) * 10.0 ** rng.uniform(-3, 1, (500, 1))
    on_it = others - np.outer((others @ w + b) / (w @ w), w)
    assert (np.linalg.norm(on_it - x, axis=1) >= distance * (1 - 1e-12)).all()


@pytest.mark.parametrize("p", [1.2, 2.0, 3.0, 8.0])
def test_hoelders_inequality_holds_and_the_link_names_a_point_of_equality(p):
    rng, q = np.random.default_rng(1), dual_exponent(p)
    for w in rng.standard_normal((20, 5)) * rng.integers(0, 2, (20, 5)) + [1e-3, 0, 0, 0, 0]:
        length = np.linalg.norm(w, q)
        inside = rng.standard_normal((200, 5))
        inside /= np.linalg.norm(inside, p, axis=1)[:, None]
        assert (abs(inside @ w) <= length * (1 + 1e-12)).all()
        x = link(w, q) / length
        assert np.linalg.norm(x, p) == pytest.approx(1.0, rel=1e-9)
        assert w @ x == pytest.approx(length, rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_augmentation_costs_what_its_theorem_says(seed):
    sample = separable(30, 3, margin=0.05, bias=0.2, random_state=seed)
    X, y, radius = sample.data, sample.target, np.linalg.norm(sample.data, axis=1).max()
    plane, b = Hyperplane(sample.separator, 0.2), 0.2
    margin = geometric_margin(plane, X, y)
    for rho in (0.1, radius, 20.0):
        directional = directional_margin(plane, X, y, rho=rho)
        assert (
            directional == pytest.approx(margin / np.sqrt(1 + b**2 / rho**2), rel=1e-9)
            and directional <= margin
        )
        hardness = (radius**2 + rho**2) / directional**2
        assert hardness >= (radius + b) ** 2 / margin**2
    best = np.sqrt(radius * b)
    directional = directional_margin(plane, X, y, rho=best)
    assert (radius**2 + best**2) / directional**2 == pytest.approx((radius + b) ** 2 / margin**2, rel=1e-9)
    assert 2 * radius**2 / directional_margin(plane, X, y, rho=radius) ** 2 < 4 * radius**2 / margin**2
    assert len(set(y)) == 2 and b < radius


def test_directional_is_at_most_geometric_margin():
    bunch = load_iris()
    y = np.where(bunch.target == 0, 1, -1)
    model = Perceptron(augment=2.0, shuffle=False).fit(bunch.data, y)
    assert model.intercept_[0] != 0
    assert 0 < directional_margin(model, bunch.data, y) < geometric_margin(model, bunch.data, y)


def test_kernel_margins_equal_linear_margins_for_the_linear_kernel():
    bunch = load_iris()
    y = np.where(bunch.target == 0, 1, -1)
    options = dict(augment=1.5, margin=1.0, shuffle=False)
    primal = Perceptron(**options).fit(bunch.data, y)
    dual = Perceptron(kernel="poly", degree=1, gamma=1.0, coef0=0.0, **options).fit(bunch.data, y)
    gram = Perceptron(kernel="precomputed", **options).fit(bunch.data @ bunch.data.T, y)
    for margin in (geometric_margin, directional_margin):
        expected = margin(primal, bunch.data, y, reduce=None)
        assert margin(dual, bunch.data, y, reduce=None) == pytest.approx(expected, rel=1e-10)
        assert margin(gram, bunch.data @ bunch.data.T, y, reduce=None) == pytest.approx(expected, rel=1e-10)


def test_one_vs_rest_gives_a_margin_for_every_class():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(augment=1.0, max_iter=5, random_state=0).fit(X, y)
    each = geometric_margin(model, X, y, reduce=None)
    assert each.shape == (150, 3)
    for k in range(3):
        score = X @ model.coef_[k] + model.intercept_[k]
        expected = np.where(y == k, 1, -1) * score / np.linalg.norm(model.coef_[k])
        assert each[:, k] == pytest.approx(expected, rel=1e-12)
    assert geometric_margin(model, X, y) == each.min()
    assert geometric_margin(model, X, y, reduce=np.median) == np.median(each)


def test_margins_of_scikit_learn_estimators():
    bunch = load_iris()
    y = np.where(bunch.target == 0, 1, 0)
    best = maximum_margin(bunch.data, y)
    svc = SVC(kernel="linear", C=1e10, tol=1e-8).fit(bunch.data, y)
    assert geometric_margin(svc, bunch.data, y) == pytest.approx(best.margin, rel=1e-5)
    assert functional_margin(svc, bunch.data, y) == pytest.approx(1.0, rel=1e-5)
    linear = LinearSVC(C=1.0, random_state=0).fit(bunch.data, y)
    assert 0 < geometric_margin(linear, bunch.data, y) < best.margin
    rbf = SVC(kernel="rbf", C=1e10, gamma=0.5).fit(bunch.data, y)
    best = maximum_margin(bunch.data, y, kernel="rbf", gamma=0.5)
    assert geometric_margin(rbf, bunch.data, y) == pytest.approx(best.margin, rel=1e-3)


def test_kernel_norm_is_the_norm_in_feature_space():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(kernel="rbf", gamma=0.3, max_iter=3, random_state=1).fit(X, y)
    K = rbf_kernel(model.support_vectors_, gamma=0.3)
    norm = np.sqrt(np.einsum("pi,ij,pj->p", model.dual_coef_, K, model.dual_coef_))
    ratio = functional_margin(model, X, y, reduce=None) / geometric_margin(model, X, y, reduce=None)
    assert ratio == pytest.approx(np.tile(norm, (150, 1)), rel=1e-9)


def test_voted_hypotheses_and_pairwise_classifiers_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="voted"):
        geometric_margin(Perceptron(hypothesis="voted", max_iter=1).fit(X, y), X, y)
    with pytest.raises(ValueError, match="one-vs-rest"):
        geometric_margin(SVC(kernel="rbf").fit(X, y), X, y)
    with pytest.raises(ValueError, match="coef_"):
        p_norm_margin(Perceptron(kernel="rbf", max_iter=1).fit(X, y), X, y, p=3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: functional_margin(PLANE, X, Y[:2]), "2"),
        (lambda: functional_margin(PLANE, X, [1, 0, -1]), "0"),
        (lambda: geometric_margin(Hyperplane([0.0, 0.0], 1.0), X, Y), "zero"),
        (lambda: directional_margin(PLANE, X, Y), "rho"),
        (lambda: p_norm_margin(PLANE, X, Y, 0.5), "0.5"),
        (lambda: p_norm_margin(PLANE, X, Y, np.nan), "nan"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_unfitted_estimators_are_refused():
    for margin in (functional_margin, geometric_margin, directional_margin):
        with pytest.raises(NotFittedError):
            margin(Perceptron(), X, Y)
    with pytest.raises(NotFittedError):
        p_norm_margin(Perceptron(), X, Y, 2)


def test_precomputed_margins_need_the_training_matrix():
    model = Perceptron(kernel="precomputed", shuffle=False).fit(X @ X.T + 1, Y)
    with pytest.raises(ValueError, match="training matrix"):
        geometric_margin(model, (X @ X.T + 1)[:2], Y[:2])
