"""What the chapter on UCI, Adult and Web says of every data set, and of some."""

import numpy as np
import pytest

from marginbook import PUMMA, data, maximum_margin
from marginbook.margins import soft_margin_bounds
from marginbook.rules.pumma import bound_updates_spread


@pytest.mark.parametrize("seed", range(12))
def test_the_soft_margin_lies_between_two_numbers_of_the_classes(seed):
    rng = np.random.default_rng(seed)
    n, lam = int(rng.integers(3, 40)), 10.0 ** rng.uniform(-2, 2)
    X, y = rng.standard_normal((n, 3)) * rng.uniform(0.1, 3), np.where(rng.random(n) < 0.3, 1, -1)
    y[:2] = 1, -1
    least, most = soft_margin_bounds(X, y, lam)
    margin = maximum_margin(X, y, noise_control=lam).margin
    assert least * (1 - 1e-6) <= margin <= most * (1 + 1e-9)
    assert most > least


def test_the_two_numbers_agree_where_the_means_of_the_classes_do():
    X = np.random.default_rng(0).standard_normal((6, 2))
    y = np.repeat([-1, 1], [6, 12])
    rows = np.vstack([X, X, X])
    least, most = soft_margin_bounds(rows, y, 0.5)
    assert most == pytest.approx(least, rel=1e-12)
    best = maximum_margin(rows, y, noise_control=0.5)
    assert best.margin == pytest.approx(least, rel=1e-6)
    assert np.abs(best.coef).max() < 1e-6


def test_the_two_numbers_are_the_same_for_csr_rows_and_grow_with_the_unit():
    a1a = data.load("a1a")
    dense = soft_margin_bounds(a1a.data.toarray(), a1a.target, 1.0)
    assert soft_margin_bounds(a1a.data, a1a.target, 1.0) == pytest.approx(dense, rel=1e-12)
    assert soft_margin_bounds(3.0 * a1a.data, a1a.target, 9.0) == pytest.approx(
        3 * np.array(dense), rel=1e-12
    )


@pytest.mark.parametrize("bad", [0.0, -1.0, np.inf, np.nan])
def test_noise_control_must_be_positive(bad):
    with pytest.raises(ValueError, match="noise_control"):
        soft_margin_bounds([[0.0], [1.0]], [0, 1], bad)


def test_labels_must_have_two_classes():
    with pytest.raises(ValueError, match="two classes"):
        soft_margin_bounds([[0.0], [1.0]], [1, 1], 1.0)


@pytest.mark.parametrize("seed", range(4))
def test_updates_on_any_data_are_bounded_by_their_number(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((30, 2)), np.where(rng.random(30) < 0.5, 1, -1)
    least, _ = soft_margin_bounds(X, y, 1.0)
    apart = np.linalg.norm(X[y > 0][:, None] - X[y < 0], axis=2).max()
    model = PUMMA(delta=0.3, noise_control=1.0, shuffle=False, max_iter=10**5).fit(X, y)
    assert model.converged_
    assert 0 < model.n_updates_ <= bound_updates_spread(np.sqrt(apart**2 + 2.0), least, 0.3)


def test_without_the_row_of_unknown_votes_the_maximum_is_the_one_that_ishibashi_prints():
    votes = data.load("house-votes")
    known = votes.data.any(axis=1)
    assert np.flatnonzero(~known).tolist() == [248]
    printed = 0.1742
    best = maximum_margin(votes.data[known], votes.target[known], noise_control=1.0).margin
    assert best == pytest.approx(printed, rel=0.001)
    assert maximum_margin(votes.data, votes.target, noise_control=1.0).margin < 0.97 * printed
