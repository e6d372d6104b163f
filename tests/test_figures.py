"""Figure functions draw what they are given and return the numbers they drew."""

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from marginbook import figures


@pytest.fixture
def ax():
    ax = Figure().subplots()
    ax.set(xlim=(-3, 3), ylim=(-2, 2))
    return ax


def test_style_holds_inside_its_context_only():
    before = matplotlib.rcParams["figure.dpi"], matplotlib.rcParams["axes.grid"]
    with figures.style():
        assert matplotlib.rcParams["figure.facecolor"] == "white"
        assert matplotlib.rcParams["axes.grid"] is True
    assert (matplotlib.rcParams["figure.dpi"], matplotlib.rcParams["axes.grid"]) == before


def test_curves_of_the_style_differ_in_colour_line_and_greyscale():
    with figures.style():
        cycle = list(matplotlib.rcParams["axes.prop_cycle"])
    assert len({look["linestyle"] for look in cycle}) == len(cycle) == len(figures.PALETTE)
    grey = np.sort([np.dot(to_rgb(look["color"]), [0.299, 0.587, 0.114]) for look in cycle])
    assert np.diff(grey).min() > 0.08


def test_points_go_to_the_class_of_their_label(ax):
    X, y = np.arange(12.0).reshape(6, 2), np.array([1, -1, -1, 1, -1, 1])
    positive, negative = figures.points(ax, X, y)
    np.testing.assert_array_equal(positive, X[[0, 3, 5]])
    np.testing.assert_array_equal(negative, X[[1, 2, 4]])
    drawn = [np.asarray(marks.get_offsets()) for marks in ax.collections]
    np.testing.assert_array_equal(drawn[0], positive)
    np.testing.assert_array_equal(drawn[1], negative)
    assert ax.collections[0].get_paths()[0].vertices.shape != ax.collections[1].get_paths()[0].vertices.shape


def test_points_outside_the_plane_are_refused(ax):
    with pytest.raises(ValueError, match=r"\(n, 2\).*\(4, 3\)"):
        figures.points(ax, np.zeros((4, 3)), np.ones(4))


def test_plane_draws_the_zeros_of_its_function_and_the_band_of_its_margin(ax):
    w, b = np.array([3.0, -4.0]), 2.0
    drawn = figures.plane(ax, w, b, margin=0.25)
    zeros = [np.asarray(point) for line in ax.lines for point in (line.get_xy1(), line.get_xy2())]
    distances = [(w @ point + b) / 5 for point in zeros]
    np.testing.assert_allclose(distances, [0, 0, -0.25, -0.25, 0.25, 0.25], atol=1e-12)
    band = ax.patches[0].get_xy()
    np.testing.assert_allclose(np.abs(band @ w + b) / 5, 0.25, rtol=1e-9)
    assert w @ drawn["foot"] + b == pytest.approx(0) and drawn["margin"] == 0.25
    np.testing.assert_allclose(drawn["normal"], w / 5)


def test_plane_leaves_the_limits_alone_and_its_band_fills_them(ax):
    figures.plane(ax, [1.0, 2.0], 1.0, margin=0.5)
    assert ax.axis() == (-3, 3, -2, 2)
    band = ax.patches[0].get_path()
    along = np.linspace(-5, 5, 101)[:, None] * [-2, 1] / np.sqrt(5) - np.array([1, 2]) / 5
    inside = along[(np.abs(along) <= [3, 2]).all(axis=1)]
    assert len(inside) > 40 and band.contains_points(inside).all()


@pytest.mark.parametrize("margin", [0.0, -0.5, float("nan")])
def test_plane_without_a_positive_margin_has_no_band(ax, margin):
    assert figures.plane(ax, [1.0, 1.0], margin=margin)["margin"] == 0.0
    assert not ax.patches and len(ax.lines) == 1


def test_a_zero_normal_is_refused(ax):
    with pytest.raises(ValueError, match="no line"):
        figures.plane(ax, [0.0, 0.0], 1.0)


def test_bound_against_observed_sorts_and_returns_what_it_draws(ax):
    drawn = figures.bound_against_observed(ax, [100, 4, 25], [50, 2, 30], [100, 4, 25])
    bound, observed = ax.lines
    np.testing.assert_array_equal(bound.get_xydata(), [[4, 4], [25, 25], [100, 100]])
    np.testing.assert_array_equal(observed.get_xydata(), [[4, 2], [25, 30], [100, 50]])
    np.testing.assert_allclose(drawn["ratio"], [0.5, 1.2, 0.5])
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_bound_against_observed_refuses_what_logarithmic_axes_hide(ax):
    with pytest.raises(ValueError, match="observed must be positive"):
        figures.bound_against_observed(ax, [1, 2], [0, 1], [1, 2])
    with pytest.raises(ValueError, match="shapes differ"):
        figures.bound_against_observed(ax, [1, 2], [1], [1, 2])


def test_epochs_draws_means_deviations_and_the_published_numbers(ax):
    ours, published = np.array([[3.0, 2.0], [2.0, 1.0], [4.0, 1.5]]), [2.5, np.nan]
    drawn = figures.epochs(ax, ours, published, label="voted")
    np.testing.assert_allclose(drawn["mean"], [3.0, 1.5])
    np.testing.assert_allclose(drawn["std"], [1.0, 0.5])
    np.testing.assert_allclose(drawn["difference"], [0.5, np.nan])
    (bar,) = ax.containers[0].lines[2]
    np.testing.assert_allclose(bar.get_segments(), [[[1, 2], [1, 4]], [[2, 1], [2, 2]]])
    np.testing.assert_allclose(ax.lines[-1].get_ydata(), published)
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {"voted", "voted, published"}


def test_epochs_of_one_run_have_no_deviation(ax):
    drawn = figures.epochs(ax, [[2.0, 1.0]])
    assert drawn["std"].tolist() == [0.0, 0.0] and "difference" not in drawn


def test_epochs_refuses_arrays_that_do_not_fit(ax):
    with pytest.raises(ValueError, match=r"\(n_runs, n_epochs\)"):
        figures.epochs(ax, [2.0, 1.0])
    with pytest.raises(ValueError, match="ours has 2 epochs"):
        figures.epochs(ax, [[2.0, 1.0]], [2.0])
