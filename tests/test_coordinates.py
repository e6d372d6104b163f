"""Steps of dual coordinate ascent: their gain, their limit, and what the multipliers prove on the way."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import close
from scipy.optimize import minimize_scalar

from marginbook import AMIRA, adatron, maximum_margin
from marginbook.coordinates import bound_sweeps, certificate, coordinate_step
from marginbook.data.synthetic import separable
from marginbook.engines.linear import dense_add, dense_dot
from marginbook.sweeps import Ascent

seeded = settings(derandomize=True, deadline=None, max_examples=20)
seeds = st.integers(0, 10**6)


def data(seed, n=30, d=3, margin=0.1):
    sample = separable(n, d, margin=margin, random_state=seed)
    return sample.data * np.random.default_rng(seed).uniform(0.5, 2.0, (n, 1)), sample.target


def value(a, Z):
    return a.sum() - (a @ Z) @ (a @ Z) / 2


def sweeps(X, y, seed=0):
    """After each sweep in random order: multipliers, weights, sums of the gains and of the squared moves."""
    Z, a, w = y[:, None] * X, np.zeros(len(y)), np.zeros(X.shape[1])
    rng, gains, moves = np.random.default_rng(seed), 0.0, 0.0
    while True:
        for i in rng.permutation(len(y)):
            new, gain = coordinate_step(a[i], 1.0 - Z[i] @ w, Z[i] @ Z[i])
            move = (new - a[i]) * Z[i]
            a[i], w = new, w + move
            assert gain >= move @ move / 2 - 1e-12
            gains, moves = gains + gain, moves + move @ move
        yield a.copy(), w, gains, moves


@seeded
@given(seeds, st.sampled_from([0.0, 0.3, 2.0]))
def test_a_step_is_the_best_of_its_coordinate_and_gains_what_it_says(seed, alpha):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((4, 3))
    a = np.append(alpha, np.maximum(0, rng.standard_normal(3)))

    def along(new):
        return value(np.append(new, a[1:]), Z)

    m, square = Z[0] @ (a @ Z), Z[0] @ Z[0]
    new, gain = coordinate_step(alpha, 1.0 - m, square)
    found = minimize_scalar(lambda v: -along(v), bounds=(0.0, 10.0 / square + 5.0), method="bounded")
    assert along(new) >= -found.fun - 1e-12 and new == pytest.approx(found.x, abs=1e-4)
    assert gain == pytest.approx(along(new) - along(alpha), abs=1e-10)
    after = m + (new - alpha) * square
    assert after == pytest.approx(1.0) if new > 0 else after >= 1.0 - 1e-12
    delta = new - alpha
    assert gain >= delta**2 * square / 2 - 1e-12
    assert (gain == pytest.approx(delta**2 * square / 2, abs=1e-12)) or new == 0.0


@seeded
@given(seeds)
def test_the_first_sweep_is_the_first_pass_of_pa(seed):
    X, y = data(seed)
    pa = AMIRA(epsilon=0.0, shuffle=False, max_iter=1, record_trace=True).fit(X, y)
    alpha, w = np.zeros(len(y)), np.zeros(3)
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        alpha[i], gain = coordinate_step(0.0, 1.0 - label * (w @ x), x @ x)
        w = w + alpha[i] * label * x
        assert gain == pytest.approx(alpha[i] ** 2 * (x @ x) / 2, abs=1e-12)
    made = np.zeros(len(y))
    made[pa.trace_["index"]] = np.abs(pa.trace_["step"])
    close(alpha, made, 1e-9)  # PA leaves steps below its tolerance out
    compiled = Ascent((X,), y.astype(float), (X**2).sum(axis=1), 0.0, 0.0, (dense_dot, dense_add), 3)
    state = compiled.scale, compiled.a, compiled.v, compiled.bias, np.inf
    compiled.sweep((X,), np.arange(len(y)), compiled.y, compiled.square, 0.0, 0.0, *state)
    close(compiled.a, alpha, 1e-12)


def test_in_a_later_pass_only_coordinate_ascent_takes_steps_back():
    X, y = data(1)
    (first, *_), *_, (last, *_) = islice(sweeps(X, y), 50)
    assert (last < first - 1e-3).any()  # no multiplier of PA ever falls
    pa = AMIRA(epsilon=0.0, shuffle=False, max_iter=50, record_trace=True).fit(X, y)
    assert (pa.trace_["step"] * y[pa.trace_["index"]] > 0).all()


@seeded
@given(seeds)
def test_any_multipliers_bound_the_margin_from_above_and_their_weights_from_below(seed):
    X, y = data(seed)
    best, Z = maximum_margin(X, y, bias=False), y[:, None] * X
    for a in (np.random.default_rng(seed).random(30), best.dual_coef):
        lower, upper = certificate(a, Z @ (a @ Z))
        assert lower <= best.margin * (1 + 1e-6) and best.margin <= upper * (1 + 1e-12)
        for scale in (1e-3, 1.0, a.sum() / np.sum((a @ Z) ** 2)):  # the last is the best
            assert 2 * value(scale * a, Z) <= (1 + 1e-6) / best.margin**2
    assert upper - lower < 1e-5 * upper
    assert 2 * value(scale * a, Z) >= (1 - 1e-5) / best.margin**2


def test_the_bounds_are_those_of_the_solver():
    X, y = data(3)
    found = adatron(X, y, tol=1e-4)
    a = found.dual_coef * y
    lower, upper = certificate(a, y * (X @ found.coef))
    assert lower == pytest.approx(found.margin, rel=1e-9)
    assert upper == pytest.approx(1 / np.sqrt(2 * found.dual), rel=1e-9)
    assert 1 - (lower / upper) ** 2 == pytest.approx(found.gap, rel=1e-6)


def test_weights_of_zero_certify_no_margin():
    with pytest.raises(ValueError, match="not zero"):
        certificate([1.0, 1.0], [0.0, 0.0])
    with pytest.raises(ValueError, match="not be negative"):
        certificate([2.0, -1.0], [1.0, 1.0])


@seeded
@given(seeds)
def test_the_dual_rises_with_every_step_to_the_maximum_margin(seed):
    X, y = data(seed)
    gamma = maximum_margin(X, y, bias=False, tol=1e-9).margin
    best, limit, last = 1 / (2 * gamma**2), adatron(X, y, tol=1e-10).coef, 0.0
    for a, w, gains, moves in islice(sweeps(X, y, seed), 10_000):  # the rate depends on the data
        assert gains == pytest.approx(value(a, y[:, None] * X), rel=1e-9) and gains >= last
        assert moves <= 2 * gains * (1 + 1e-9) <= (1 + 1e-6) / gamma**2
        assert np.linalg.norm(w) <= 2 / gamma and a.sum() <= 2 / gamma**2
        assert np.sum((w - limit) ** 2) <= 2 * (best - gains) + 1e-6 * best
        lower, upper = certificate(a, y * (X @ w))
        assert lower <= gamma * (1 + 1e-9) and upper >= gamma * (1 - 1e-9)
        last = gains
        if gains >= 0.99 * best:
            break
    assert gains >= 0.99 * best and upper <= gamma / np.sqrt(0.99)


@seeded
@given(seeds, st.integers(2, 5), st.sampled_from([0.05, 0.6]))
def test_a_gap_is_proved_within_its_number_of_sweeps(seed, n, width):
    """Few rows near one direction, so that the number is small for gaps below 1."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(n), width * rng.uniform(-1, 1, n)])
    y = np.append([1.0, -1.0], rng.choice([-1.0, 1.0], n - 2))
    X *= y[:, None]
    best = maximum_margin(X, y, bias=False, tol=1e-9).margin
    R, least, moved = np.linalg.norm(X, axis=1).max(), np.inf, 0.0
    proved = 0
    for count, (a, w, _, moves) in enumerate(islice(sweeps(X, y, seed), 200), start=1):
        lower, upper = certificate(a, y * (X @ w))
        quiet = R * np.sqrt(n * (moves - moved))  # at least R S
        if quiet <= 1:  # the sweep itself, as in the proof
            assert 1 - lower / upper <= 2 * quiet / (1 + quiet) + 1e-6  # moves are rounded
            proved += 1
        least, moved = min(least, 1 - lower / upper), moves
        gap = 2 * R / best * np.sqrt(n / count)  # the gap for which the bound is this count
        if gap <= 1:
            assert bound_sweeps(n, R, best, gap) == pytest.approx(count)
            assert least <= gap
    assert gap < 0.5 and proved > 100


@pytest.mark.parametrize("margin, gap", [(0.0, 0.1), (1.0, 0.0), (1.0, 1.1)])
def test_sweeps_are_counted_for_a_margin_and_a_gap_that_make_sense(margin, gap):
    with pytest.raises(ValueError, match="must be"):
        bound_sweeps(3, 1.0, margin, gap)
