"""Synthetic generators: what they promise about separator, margin and labels."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from marginbook import maximum_margin
from marginbook.data.synthetic import adversary, box, cube_margin, expected_gap, r_of_k, separable

QUICK = settings(max_examples=80, deadline=None, derandomize=True, database=None)
SEEDS = st.integers(0, 2**32 - 1)
GENERATORS = {
    "separable": lambda seed: separable(40, 3, 0.1, random_state=seed),
    "r_of_k": lambda seed: r_of_k(40, 12, 5, 2, random_state=seed),
    "box": lambda seed: box(40, 3, gap=0.5, random_state=seed),
}


def margins(bunch):
    return bunch.target * (bunch.data @ bunch.separator + bunch.bias)


@QUICK
@given(
    st.integers(4, 60),
    st.integers(1, 12),
    st.floats(1e-6, 1.0),
    st.floats(1e-3, 1e3),
    st.floats(-1e3, 1e3),
    SEEDS,
)
def test_separable_has_the_given_margin_inside_the_given_ball(
    n_samples, n_features, part, radius, bias, seed
):
    margin = part * radius
    bunch = separable(n_samples, n_features, margin, radius=radius, bias=bias, random_state=seed)
    rounding = 1e-12 * max(radius, abs(bias))
    assert bunch.data.shape == (n_samples, n_features)
    assert bunch.margin == margin and bunch.bias == bias
    assert np.linalg.norm(bunch.separator) == pytest.approx(1.0, abs=1e-14)
    found = np.sort(margins(bunch))
    np.testing.assert_allclose(found[:4], margin, rtol=0, atol=rounding)
    assert (found >= margin - rounding).all()
    centred = bunch.data + bias * bunch.separator
    assert (np.linalg.norm(centred, axis=1) <= radius + 10 * rounding).all()
    assert abs(int(bunch.target.sum())) <= 1


@settings(QUICK, max_examples=25)
@given(st.integers(4, 40), st.integers(1, 8), st.floats(0.05, 0.9), SEEDS)
def test_the_separator_of_separable_is_the_maximum_margin_one(n_samples, n_features, margin, seed):
    bunch = separable(n_samples, n_features, margin, bias=0.3, random_state=seed)
    nearest = [bunch.data[(margins(bunch) < margin + 1e-9) & (bunch.target == y)][:2] for y in (1, -1)]
    for y, rows in zip((1, -1), nearest, strict=True):
        expected = (y * margin - 0.3) * bunch.separator
        np.testing.assert_allclose(rows.mean(axis=0), expected, atol=1e-10)
    machine = SVC(kernel="linear", C=1e10, tol=1e-8).fit(bunch.data, bunch.target)
    assert 1 / np.linalg.norm(machine.coef_) == pytest.approx(margin, rel=1e-5)


@QUICK
@given(st.integers(1, 50), st.integers(1, 40), st.data(), st.booleans(), SEEDS)
def test_r_of_k_labels_points_by_whether_r_of_the_k_relevant_features_are_one(
    n_samples, n_features, draw, balanced, seed
):
    k = draw.draw(st.integers(1, n_features))
    r = draw.draw(st.integers(1, k))
    bunch = r_of_k(n_samples, n_features, k, r, balanced=balanced, random_state=seed)
    assert bunch.data.shape == (n_samples, n_features)
    assert (np.abs(bunch.data) == 1.0).all()
    assert len(bunch.relevant) == k and (np.diff(bunch.relevant) > 0).all()
    assert 0 <= bunch.relevant[0] and bunch.relevant[-1] < n_features
    n_true = (bunch.data[:, bunch.relevant] == 1.0).sum(axis=1)
    np.testing.assert_array_equal(bunch.target, np.where(n_true >= r, 1, -1))
    assert (margins(bunch) >= bunch.margin).all() and bunch.margin == 1.0


@pytest.mark.parametrize(("r", "bias"), [(1, 15.0), (4, 9.0), (8, 1.0)])
def test_r_of_16_has_the_biases_of_the_paper_and_both_labels_equally_often(r, bias):
    bunch = r_of_k(4000, r=r, random_state=1)
    assert bunch.bias == bias
    assert abs(int(bunch.target.sum())) < 4 * np.sqrt(4000)
    assert margins(bunch).min() == 1.0


def test_the_printed_r_of_k_formula_without_k_mislabels_points():
    bunch = r_of_k(1000, k=16, r=4, random_state=2)
    sums = bunch.data[:, bunch.relevant].sum(axis=1)
    printed, corrected = np.sign(sums - 2 * 4 + 1), np.sign(sums + 16 - 2 * 4 + 1)
    np.testing.assert_array_equal(corrected, bunch.target)
    assert (printed != bunch.target).mean() > 0.3


def test_balanced_r_of_k_points_are_uniform_given_their_label():
    bunch = r_of_k(20_000, n_features=4, k=3, r=2, random_state=3)
    codes = (bunch.data == 1.0) @ [1, 2, 4, 8]
    counts = np.bincount(codes.astype(int), minlength=16)  # 8 points of each label, 1/16 each
    assert (np.abs(counts - 1250) < 4.5 * np.sqrt(1250)).all()


def test_unbalanced_r_of_k_points_are_uniform_on_the_cube():
    bunch = r_of_k(20_000, n_features=4, k=4, r=1, balanced=False, random_state=3)
    assert abs((bunch.target == -1).sum() - 1250) < 4.5 * np.sqrt(1250)


@pytest.mark.parametrize("p", [2.0, 4.0, 2 * np.log(100), np.inf])
def test_the_p_norm_margin_is_one_over_the_dual_norm_of_the_separator(p):
    bunch = r_of_k(300, random_state=4)
    q = 1.0 if p == np.inf else p / (p - 1)
    expected = margins(bunch).min() / np.linalg.norm(bunch.separator, ord=q)
    assert bunch.p_norm_margin(p) == pytest.approx(expected, rel=1e-12)


def test_k_may_be_large():
    bunch = r_of_k(20, n_features=3000, k=2500, r=1300, random_state=0)
    assert set(bunch.target) == {1, -1}


@pytest.mark.parametrize(("k", "r"), [(1, 1), (2, 1), (3, 1), (3, 2), (4, 4)])
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0, np.inf])
def test_no_hyperplane_has_a_larger_p_norm_margin_on_the_whole_cube(k, r, p):
    cube = np.array(list(product([-1.0, 1.0], repeat=k + 1)))
    target = np.where((cube[:, :k] > 0).sum(axis=1) >= r, 1, -1)
    found = maximum_margin(cube, target, p=p)
    assert found.margin == pytest.approx(cube_margin(k, p), rel=1e-5)


@pytest.mark.parametrize("d", [1, 2, 10])
@pytest.mark.parametrize("n", [1, 30])
def test_without_a_gap_the_nearest_point_is_as_near_as_expected(n, d):
    nearest = [box(n, d, 4.0, gap=0.0, random_state=seed).margin for seed in range(2000)]
    mean, error = np.mean(nearest), np.std(nearest) / np.sqrt(2000)
    for r in (0.5 / n, 2.0 / n, 4.0 / n):
        assert np.mean(np.array(nearest) > r) < np.exp(-2 * n * r / 4.0) + 4 * 0.5 / np.sqrt(2000)
    low, high = expected_gap(n, 4.0)
    assert low - 4 * error < mean < high + 4 * error
    if d == 1:  # uniform distances: 1 / ((n + 1) h) with h = 2 / side
        assert abs(mean - 2.0 / (n + 1)) < 4 * error


@QUICK
@given(st.integers(1, 60), st.integers(1, 15), st.floats(1e-3, 1e3), st.floats(0.0, 0.25), SEEDS)
def test_box_points_lie_in_the_box_off_a_plane_through_its_centre(n_samples, n_features, side, part, seed):
    gap = part * side
    bunch = box(n_samples, n_features, side, gap=gap, random_state=seed)
    assert bunch.data.shape == (n_samples, n_features)
    assert bunch.data.min() >= 0.0 and bunch.data.max() <= side
    centre = np.full(n_features, side / 2)
    assert abs(centre @ bunch.separator + bunch.bias) <= 1e-12 * side
    assert np.linalg.norm(bunch.separator) == pytest.approx(1.0, abs=1e-14)
    assert bunch.margin >= gap == bunch.gap
    assert margins(bunch).min() == pytest.approx(bunch.margin, abs=1e-12 * side)


def test_box_without_a_gap_is_uniform():
    data = box(20_000, n_features=3, side=6.0, gap=0.0, random_state=5).data
    counts, _ = np.histogramdd(data, bins=3, range=[(0, 6)] * 3)
    expected = 20_000 / 27
    assert (np.abs(counts - expected) < 4.5 * np.sqrt(expected)).all()


def test_box_defaults_are_those_of_the_amira_paper():
    bunch = box(500, gap=0.5, random_state=6)
    assert bunch.data.shape == (500, 10)
    assert 9.9 < bunch.data.max() <= 10.0 and set(bunch.target) == {1, -1}


@pytest.mark.parametrize("name", GENERATORS)
def test_a_seed_fixes_everything_and_another_seed_changes_it(name):
    first, again, other = (GENERATORS[name](seed) for seed in (7, 7, 8))
    from_generator = GENERATORS[name](np.random.default_rng(7))
    for key in ("data", "target", "separator", "bias"):
        np.testing.assert_array_equal(first[key], again[key])
        np.testing.assert_array_equal(first[key], from_generator[key])
    assert not np.array_equal(first.data, other.data)
    assert first.data.dtype == np.float64 and first.data.flags.c_contiguous
    assert first.target.dtype == np.int64


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: separable(3, 2, 0.1), "n_samples must be a whole number at least 4, not 3"),
        (lambda: separable(9.5, 2, 0.1), "n_samples must be a whole number"),
        (lambda: separable(9, 0, 0.1), "n_features must be a whole number at least 1, not 0"),
        (lambda: separable(9, 2, 0.0), r"margin must be in \(0, radius = 1.0\], not 0.0"),
        (lambda: separable(9, 2, 1.1), r"margin must be in \(0, radius = 1.0\], not 1.1"),
        (lambda: separable(9, 2, float("nan")), "margin must be in"),
        (lambda: separable(9, 2, 0.1, radius=float("inf")), r"radius must be in \(0.0, inf\), not inf"),
        (lambda: separable(9, 2, 0.1, bias=float("inf")), "bias must be finite, not inf"),
        (lambda: r_of_k(0), "n_samples must be"),
        (lambda: r_of_k(5, n_features=10, k=11), r"k must be a whole number in \[1, 10\], not 11"),
        (lambda: r_of_k(5, k=4, r=5), r"r must be a whole number in \[1, 4\], not 5"),
        (lambda: r_of_k(5, k=4, r=0), r"r must be a whole number in \[1, 4\], not 0"),
        (lambda: box(5, gap=2.6), r"gap must be in \[0, side/4 = 2.5\], not 2.6"),
        (lambda: box(5, gap=-0.1), "gap must be in"),
        (lambda: box(5, side=0.0, gap=0.0), r"side must be in \(0.0, inf\), not 0.0"),
        (lambda: cube_margin(0, 2.0), "k must be a whole number at least 1, not 0"),
        (lambda: cube_margin(4, 0.5), "p must be at least 1, not 0.5"),
        (lambda: expected_gap(0), "n_samples must be a whole number at least 1, not 0"),
        (lambda: expected_gap(5, side=-1.0), r"side must be in \(0.0, inf\), not -1.0"),
    ],
)
def test_a_parameter_out_of_range_is_named_with_its_range_and_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@QUICK
@given(st.floats(-0.99, 0.99), st.floats(-3, 3), SEEDS)
def test_the_adversary_shows_a_unit_vector_of_the_margin_and_the_score_asked_for(margin, score, seed):
    w = np.random.default_rng(seed).standard_normal(3)
    least, most = (margin * w[0] + sign * np.sqrt(1 - margin**2) * np.hypot(*w[1:]) for sign in (-1, 1))
    x = adversary(w, margin, score)
    if score < least - 1e-9:
        assert x is None
    elif score > least + 1e-9:
        assert x[0] == margin and abs(np.linalg.norm(x) - 1) < 1e-12
        assert abs(w @ x - min(score, most)) < 1e-12


def test_to_weights_along_u_the_adversary_shows_any_example_or_none():
    for w in (np.zeros(3), np.array([2.0, 0.0, 0.0])):
        assert w @ adversary(w, 0.1, 0.2) == 0.1 * w[0]
        assert adversary(w, 0.1, -0.1) is None
    with pytest.raises(ValueError, match="margin"):
        adversary(np.zeros(3), 1.0, 0.0)
