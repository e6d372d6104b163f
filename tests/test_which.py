"""The propositions of *Which algorithm?*, and the lines of its tree that join two estimators."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from marginbook import ALMA, AMIRA, PUMMA, Pegasos
from marginbook.ascent import hildreth
from marginbook.data.synthetic import separable
from marginbook.rules import alma, amira, micra, perceptron, romma

ABOVE_2 = float(np.nextafter(2.0, 3.0))  # the smallest p that is solved in general


def stream(seed, n=60, d=4):
    """Two passes over separable examples of different lengths."""
    bunch = separable(n, d, margin=0.1, random_state=seed)
    X = np.random.default_rng(seed).uniform(0.5, 2.0, n)[:, None] * bunch.data
    return np.tile(X, (2, 1)), np.tile(bunch.target.astype(float), 2)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("lam", [0.3, 0.01])
def test_pegasos_is_a_perceptron_with_a_growing_margin(seed, lam):
    X, y = stream(seed)
    v, updates = np.zeros(X.shape[1]), 0
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        if t == 0 or label * (v @ x) < lam * t:
            v, updates = v + label * x, updates + 1
    model = Pegasos(lam=lam, shuffle=False, max_iter=1).fit(X, y)
    assert model.n_updates_ == updates < len(X)
    assert_allclose(lam * len(X) * model.coef_[0], v, rtol=1e-10, atol=1e-12)


def sphere_steps(k, alpha, B, C, score):
    """ALMA's and MICRA's answers to an example of length 1 at weights of length 1."""
    late = micra.Params(0.5, 0.5, C, (1.0 - alpha) * B, 1.0)
    state = micra.State(k, late.beta * k**-0.5, C * k**-0.5)
    ours = alma.rule(alma.Params(alpha, B, C), alma.State(k), 1.0, score, 1.0, 1.0)
    return ours[:3], micra.rule(late, state, 1.0, score, 1.0, 1.0)[:3]


@pytest.mark.parametrize("seed", range(50))
def test_alma_is_micra_on_the_sphere_unless_a_mistake_is_large(seed):
    rng = np.random.default_rng(seed)
    k, alpha, B, C = int(rng.integers(1, 30)), rng.uniform(0.1, 1.0), rng.uniform(1, 5), rng.uniform(0.2, 3)
    edge = -0.5 * C / np.sqrt(k)
    seen = set()
    for score in [*rng.uniform(-1.0, 1.0, 20), edge + 0.01, edge - 0.01]:
        if abs(score) > 1.0:
            continue
        ours, theirs = sphere_steps(k, alpha, B, C, score)
        assert ours[0] == theirs[0]
        if ours[0]:
            alike = np.allclose(ours[1:], theirs[1:], rtol=1e-12)
            assert alike == (score >= edge)
            seen.add(alike)
    assert True in seen


@pytest.mark.parametrize("seed", range(20))
def test_romma_stands_between_pa_and_the_ideal_algorithm(seed):
    rng = np.random.default_rng(seed)
    tight = slack = 0
    for _ in range(40):
        w, x = rng.standard_normal((2, 3))
        x *= rng.choice([0.2, 1.0, 2.0])
        k, Q, W = w @ x, x @ x, w @ w
        if k >= 1.0:
            continue
        scale, step = romma.minimiser(1.0, k, Q, W)
        pa = amira.rule(amira.Params(0.0, 1e-9), amira.State(), 1.0, k, Q, W)[1:3]
        if k >= Q * W:
            slack += 1
            from_zero = amira.rule(amira.Params(0.0, 1e-9), amira.State(), 1.0, 0.0, Q, 0.0)[2]
            assert scale == 0.0 and step == pytest.approx(from_zero)
            continue
        tight += 1
        nearest = w + np.linalg.lstsq(np.array([w, x]), np.array([0.0, 1.0 - k]), rcond=None)[0]
        assert_allclose(scale * w + step * x, nearest, atol=1e-9 * (1.0 + np.abs(nearest).max()))
        assert abs(k) > 1e-6 and not np.allclose((scale, step), pa, rtol=1e-7)
        across = x - k / W * w
        at_zero = romma.minimiser(1.0, 0.0, across @ across, W)
        assert_allclose(at_zero, (1.0, 1.0 / (across @ across)))
    assert tight > 5 and slack > 0


@pytest.mark.parametrize("seed", range(20))
def test_after_two_examples_aggressive_romma_has_the_ideal_weights(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((2, 3)) * rng.uniform(0.3, 3.0, (2, 1)), np.array([1.0, -1.0])
    w = np.zeros(3)
    for x, label in zip(X, y, strict=True):
        _, scale, step, _ = romma.rule(romma.Params(0.0), romma.State(), label, w @ x, x @ x, w @ w)
        w = scale * w + step * x
    signed = y[:, None] * X
    best = hildreth(signed @ signed.T, np.ones(2), tol=1e-14) @ signed
    assert_allclose(w, best, atol=1e-10 * (1.0 + np.abs(best).max()))


@pytest.mark.parametrize("share", np.linspace(0.01, 0.49, 13))
def test_romma_promises_every_share_that_amira_can_promise_and_for_less(share):
    radius, margin = 3.0, 0.4
    epsilon = (1 - 2 * share) / (1 - share)
    assert amira.bound_margin(margin, epsilon) == pytest.approx(share * margin)
    assert romma.bound_margin(margin, 1 - share) == pytest.approx(share * margin)
    theirs = amira.bound_updates(radius, margin, epsilon)
    ours = romma.bound_updates(radius, margin, 1 - share)
    assert theirs == pytest.approx((radius / margin) ** 2 / (1 - 2 * share))
    assert ours == pytest.approx((radius / margin) ** 2 / (1 - share) ** 2)
    assert ours < theirs
    b = (1 - epsilon) / epsilon * radius**2
    assert perceptron.bound_updates(radius, margin, b) == pytest.approx(theirs)
    assert perceptron.bound_margin(radius, margin, b) == pytest.approx(share * margin)


LINES = {
    "1-best of two classes, AMIRA": (AMIRA(epsilon=0.5, multiclass="1-best"), AMIRA(epsilon=0.5)),
    "k-best of two classes, AMIRA": (AMIRA(epsilon=0.5, multiclass="k-best", k=9), AMIRA(epsilon=0.5)),
    "ALMA_p at p = 2": (ALMA(alpha=0.5, p=ABOVE_2), ALMA(alpha=0.5)),
    "PUMMA_p at p = 2": (PUMMA(delta=0.2, p=ABOVE_2), PUMMA(delta=0.2)),
}


@pytest.mark.parametrize("name", LINES)
def test_both_ends_of_a_line_make_the_same_weights(name):
    one, other = (model.set_params(shuffle=False, max_iter=3) for model in LINES[name])
    for seed in range(4):
        X, y = stream(seed)
        one.fit(X, y)
        other.fit(X, y)
        assert one.n_updates_ == other.n_updates_ > 3
        assert_allclose(one.coef_, other.coef_, rtol=1e-10, atol=1e-12)
