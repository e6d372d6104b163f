"""The perceptron's bounds hold with their assumptions and break without them; scikit-learn agrees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import Perceptron as Peer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from marginbook import Perceptron, maximum_margin
from marginbook.data.synthetic import separable
from marginbook.rules import perceptron

seeded = settings(derandomize=True, deadline=None, max_examples=40)
seeds = st.integers(0, 10**6)


def stream(seed, n, d, margin):
    sample = separable(n, d, margin=margin, random_state=seed)
    X, y = sample.data, sample.target
    gamma = maximum_margin(X, y, bias=False).margin
    return X, y, np.linalg.norm(X, axis=1).max(), gamma


@seeded
@given(seeds, st.integers(4, 60), st.integers(2, 6), st.sampled_from([0.02, 0.1, 0.3]))
def test_novikoff_holds_on_separable_streams(seed, n, d, margin):
    X, y, radius, gamma = stream(seed, n, d, margin)
    model = Perceptron(max_iter=3000, random_state=seed).fit(X, y)
    assert model.converged_
    assert model.n_mistakes_ == model.n_updates_ <= perceptron.bound_novikoff(radius, gamma)


@seeded
@given(
    seeds, st.sampled_from([0.05, 0.2]), st.sampled_from([0.9, 0.5, 0.1]), st.sampled_from([0.3, 1.0, 7.0])
)
def test_the_margin_asked_for_is_reached_within_the_bound(seed, margin, eps, eta):
    X, y, radius, gamma = stream(seed, 40, 3, margin)
    b = (1 - eps) / eps * eta * radius**2
    model = Perceptron(margin=b, eta=eta, max_iter=10**5, random_state=seed).fit(X, y)
    most = perceptron.bound_updates(radius, gamma, b, eta)
    least = perceptron.bound_margin(radius, gamma, b, eta)
    assert model.converged_ and model.n_updates_ <= most
    assert model.history_[-1].margin > least
    assert most == pytest.approx((2 - eps) / eps * radius**2 / gamma**2)
    assert least == pytest.approx((1 - eps) / (2 - eps) * gamma)
    assert np.sqrt(model._engine.hyp["ww"][0]) <= (2 * b + eta * radius**2) / gamma


@pytest.mark.parametrize("eps", [0.5, 0.1, 0.01])
def test_a_margin_costs_the_perceptron_one_over_eps_on_every_stream(eps):
    b = (1 - eps) / eps
    for seed in range(10):
        X, y, radius, gamma = stream(seed, 30, 3, 0.3)
        eta = 0.5 + seed % 3
        asked = b * eta * radius**2
        model = Perceptron(margin=asked, eta=eta, max_iter=10**5, random_state=seed).fit(X, y)
        least = perceptron.least_updates(radius, gamma, asked, eta)
        assert model.converged_ and model.n_updates_ > least
        assert least == pytest.approx((1 - eps) / eps * radius / gamma)
    model = Perceptron(margin=b, shuffle=False, max_iter=10**5).fit([[1.0], [-1.0]], [1, -1])
    assert 0 < model.n_updates_ - perceptron.least_updates(1.0, 1.0, b) <= 1 + 1e-9


def test_unit_vectors_reach_novikoffs_bound():
    X = np.vstack([np.eye(30), -np.eye(30)[:1]])
    y = np.array([1] * 30 + [-1])
    model = Perceptron(shuffle=False).fit(X, y)
    assert model.n_updates_ == 30 == round(perceptron.bound_novikoff(1.0, 1 / np.sqrt(30)))
    assert model.n_updates_ > perceptron.bound_novikoff(1.0, 1.01 / np.sqrt(30))


@seeded
@given(seeds, st.floats(0.01, 3.0), st.floats(0.0, 0.5))
def test_freund_schapire_holds_in_a_single_pass(seed, gamma, noise):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 3)) * rng.uniform(0.1, 3, (60, 1))
    u = rng.standard_normal(3)
    u /= np.linalg.norm(u)
    y = np.where(rng.random(60) < noise, -1.0, 1.0) * np.sign(X @ u)
    model = Perceptron(shuffle=False, max_iter=1).fit(X, np.append(y[:-1], -y[0]))
    labels = np.append(y[:-1], -y[0])
    deviations = np.maximum(0.0, gamma - labels * (X @ u))
    radius = np.linalg.norm(X, axis=1).max()
    assert model.n_mistakes_ <= perceptron.bound_freund_schapire(radius, gamma, deviations)


def test_freund_schapire_fails_after_several_passes_and_novikoff_from_another_start():
    X, y = np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([1, -1])
    bound = perceptron.bound_freund_schapire(1.0, 1.0, [0.0, 2.0])
    assert Perceptron(shuffle=False, max_iter=1).fit(X, y).n_mistakes_ <= bound
    assert Perceptron(shuffle=False, max_iter=20).fit(X, y).n_mistakes_ > bound
    other = Perceptron(eta=10.0, shuffle=False).partial_fit([[-1.0, 0.0]], [1], classes=[0, 1])
    other.set_params(eta=1.0)
    other._engine.params = perceptron.Params(0.0, 1.0)
    for _ in range(40):
        other.partial_fit([[1.0, 0.0]], [1])
    assert other.n_mistakes_ > perceptron.bound_novikoff(1.0, 1.0) + 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: perceptron.bound_novikoff(1.0, 0.0),
        lambda: perceptron.bound_updates(1.0, -1.0, 1.0),
        lambda: perceptron.bound_freund_schapire(1.0, 0.0, [1.0]),
        lambda: perceptron.bound_freund_schapire(1.0, 1.0, [-1.0]),
    ],
)
def test_bounds_refuse_what_they_do_not_bound(call):
    with pytest.raises(ValueError, match="must"):
        call()


@pytest.mark.parametrize("augment", [0.0, 1.0])
@pytest.mark.parametrize("load", [load_digits, load_iris])
def test_scikit_learns_perceptron_has_the_same_weights(load, augment):
    X, y = load(return_X_y=True)
    X = np.round(X)
    ours = Perceptron(shuffle=False, max_iter=4, augment=augment).fit(X, y)
    peer = Peer(shuffle=False, tol=None, max_iter=4, fit_intercept=augment > 0).fit(X, y)
    if ours.n_iter_ == 4:
        np.testing.assert_array_equal(ours.coef_, peer.coef_)
        np.testing.assert_array_equal(ours.intercept_, peer.intercept_)
    assert ours.n_iter_ == 4


def test_the_orders_are_those_of_the_seeded_generator():
    X, y = load_iris(return_X_y=True)
    y = y == 1
    rng = np.random.default_rng(7)
    each, first = [rng.permutation(150) for _ in range(3)], np.random.default_rng(7).permutation(150)
    for shuffle, orders in (True, each), ("once", [first] * 3), (False, [np.arange(150)] * 3):
        by_hand = Perceptron(shuffle=False)
        for order in orders:
            by_hand.partial_fit(X[order], y[order])
        fitted = Perceptron(shuffle=shuffle, random_state=7, max_iter=3).fit(X, y)
        np.testing.assert_array_equal(fitted.coef_, by_hand.coef_)


def test_it_works_in_a_pipeline_and_a_grid_search():
    X, y = load_iris(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), Perceptron(augment=1.0, hypothesis="averaged", random_state=0))
    search = GridSearchCV(
        pipe, {"perceptron__margin": [0.0, 1.0], "perceptron__kernel": ["linear", "rbf"]}, cv=3
    )
    assert search.fit(X, y).best_score_ > 0.9


def test_noise_control_is_an_explicit_extended_space():
    X, y = load_iris(return_X_y=True)
    y = y == 1
    ours = Perceptron(noise_control=4.0, margin=0.5, shuffle=False, max_iter=20).fit(X, y)
    explicit = Perceptron(margin=0.5, shuffle=False, max_iter=20).fit(np.hstack([X, 2.0 * np.eye(150)]), y)
    assert ours.n_updates_ == explicit.n_updates_
    np.testing.assert_allclose(ours.coef_, explicit.coef_[:, :4], rtol=1e-9)


def test_one_vs_rest_is_separate_problems():
    X, y = load_iris(return_X_y=True)
    together = Perceptron(shuffle=False, max_iter=5).fit(X, y)
    for k in range(3):
        alone = Perceptron(shuffle=False, max_iter=5).fit(X, y == k)
        np.testing.assert_array_equal(together.coef_[k], alone.coef_[0])


def test_ties_go_to_the_smallest_label_and_a_zero_score_to_the_positive_class():
    X, y = load_iris(return_X_y=True)
    assert Perceptron(max_iter=1).fit(X, y).predict(np.zeros((1, 4))) == [0]
    assert Perceptron(max_iter=1).fit(X, y == 1).predict(np.zeros((1, 4))) == [True]
