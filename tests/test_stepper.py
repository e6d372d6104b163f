"""The stepper: its trials are the run's, its data are its trials, and its output stands alone."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import pytest

from marginbook import Perceptron
from marginbook.estimators.base import OnlineClassifier
from marginbook.stepper import MAX_DATA, replay, stepper


@pytest.fixture
def stream():
    """Sixteen points on both sides of a line through (0.4, 0.2)."""
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, (16, 2))
    y = np.where(X @ [0.6, 0.8] > 0, 1, -1)
    return X + np.outer(0.1 * y, [0.6, 0.8]) + [0.4, 0.2], y


def fitted(X, y, **params):
    return Perceptron(**{"shuffle": False, "record_trace": True, "augment": 1.0, **params}).fit(X, y)


class Shrinking(OnlineClassifier):
    """A rule whose scale is not 1 and whose threshold depends on the norms."""

    class Params(NamedTuple):
        factor: float

    def _algorithm(self, X):
        return shrink, self.Params(0.3), ()


def shrink(params, state, y, score, xx, ww):
    if y * score > params.factor * np.sqrt(xx * ww):
        return False, 1.0, 0.0, state
    return True, 0.75, 0.5 * y, state


def plain_perceptron(X, y, order, margin, rho):
    """The textbook loop; per trial: score, whether it updates, weights after."""
    w, rows = np.zeros(3), []
    for i in order:
        x = np.append(X[i], rho)
        score = sum(w * x)
        fires = y[i] * score <= margin
        w = w + fires * y[i] * x
        rows.append((score, fires, *w))
    return np.array(rows)


@pytest.mark.parametrize("margin", [0.0, 0.7])
@pytest.mark.parametrize("shuffle", [False, "once", True])
def test_replay_gives_the_trials_of_the_textbook_loop(stream, margin, shuffle):
    X, y = stream
    est = fitted(X, y, margin=margin, augment=0.5, shuffle=shuffle, random_state=3)
    rows = replay(est, X, y)
    rng = np.random.default_rng(3)
    first = rng.permutation(16)
    orders = {False: lambda e: range(16), "once": lambda e: first, True: lambda e: rng.permutation(16)}
    order = [i for e in range(est.n_iter_) for i in (first if shuffle and e == 0 else orders[shuffle](e))]
    loop = plain_perceptron(X, y, order, margin, rho=0.5)
    assert rows["index"].tolist() == order
    assert rows["update"].tolist() == loop[:, 1].astype(bool).tolist()
    np.testing.assert_allclose(rows["score"], loop[:, 0], atol=1e-12)
    np.testing.assert_allclose(rows["w"], loop[:, 2:4], atol=1e-12)
    np.testing.assert_allclose(rows["b"], 0.5 * loop[:, 4], atol=1e-12)
    np.testing.assert_allclose(rows["norm"], np.linalg.norm(loop[:, 2:], axis=1), atol=1e-12)
    assert est.n_iter_ > 1 and 0 < rows["update"].sum() < len(rows)


def test_last_row_of_replay_is_the_fitted_hypothesis(stream):
    X, y = stream
    est = fitted(X, y, margin=0.5)
    last = replay(est, X, y)[-1]
    np.testing.assert_allclose([*last["w"], last["b"]], [*est.coef_[0], *est.intercept_], rtol=1e-12)
    margin = (y * est.decision_function(X)).min() / np.linalg.norm(est.coef_)
    assert last["margin"] == pytest.approx(margin, rel=1e-12)
    assert last["epoch"] == est.n_iter_


def test_replay_follows_a_rule_that_shrinks_the_weights(stream):
    X, y = stream
    est = Shrinking(shuffle=False, record_trace=True, max_iter=3).fit(X, y)
    rows = replay(est, X, y, threshold=lambda k, ww, xx: 0.3 * np.sqrt(xx * ww))
    moved = rows[rows["update"]]
    assert set(moved["scale"]) == {0.75} and set(abs(moved["step"])) == {0.5}
    np.testing.assert_allclose(rows[-1]["w"], est.coef_[0], rtol=1e-12)
    np.testing.assert_allclose(moved["norm"] ** 2, est.trace_["ww"], rtol=1e-12)


def test_a_callable_threshold_gets_updates_so_far_and_squared_norms(stream):
    X, y = stream
    est, seen = fitted(X, y, margin=0.5), []

    def threshold(k, ww, xx):
        seen.append((k, ww, xx))
        return 0.5

    rows = replay(est, X, y, threshold)
    before = np.concatenate([[0], np.cumsum(rows["update"])[:-1]])
    norms = np.concatenate([[0], rows["norm"][:-1]])
    np.testing.assert_array_equal([k for k, _, _ in seen], before)
    np.testing.assert_allclose([ww for _, ww, _ in seen], norms**2, rtol=1e-12)
    np.testing.assert_allclose([xx for _, _, xx in seen], (X[rows["index"]] ** 2).sum(axis=1) + 1, rtol=1e-12)


def test_a_zero_row_is_a_trial_without_update():
    X, y = np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 0.5]]), np.array([1, 1, -1])
    rows = replay(fitted(X, y, augment=0.0, max_iter=2), X, y)
    assert rows["update"].tolist() == [True, False, False] + [False] * 3
    assert rows["margin"][-1] == 0.0


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"record_trace": False}, "record_trace=True"),
        ({"kernel": "rbf"}, "kernel='linear', got kernel='rbf'"),
        ({"hypothesis": "averaged"}, "hypothesis='last'"),
        ({"noise_control": 0.5}, "noise_control=0.0, got noise_control=0.5"),
        ({"shuffle": True}, "integer random_state"),
    ],
)
def test_a_run_that_the_plane_cannot_show_is_refused(stream, params, message):
    X, y = stream
    with pytest.raises(ValueError, match=re.escape(message)):
        replay(fitted(X, y, **params), X, y)


def test_examples_other_than_those_of_the_run_are_refused(stream):
    X, y = stream
    est = fitted(X, y)
    with pytest.raises(ValueError, match=r"after trial 1 is .* same order"):
        replay(est, X + 1e-6, y)
    with pytest.raises(ValueError, match="same order|made"):
        replay(est, X[::-1], y[::-1])
    with pytest.raises(ValueError, match="the number of trials"):
        replay(est, X[:-3], y[:-3])
    with pytest.raises(ValueError, match=re.escape("got (16, 1) and (16,)")):
        replay(est, X[:, :1], y)


def test_three_classes_are_refused(stream):
    X, y = stream
    labels = np.where(X[:, 0] > 0.8, 2, y)
    with pytest.raises(ValueError, match="two classes, got 3"):
        replay(fitted(X, labels), X, labels)


def test_a_rule_that_tells_no_threshold_needs_one(stream):
    X, y = stream
    with pytest.raises(NotImplementedError, match="pass threshold"):
        replay(Shrinking(shuffle=False, record_trace=True, max_iter=3).fit(X, y), X, y)


@pytest.mark.parametrize(("threshold", "did"), [(-1, "an update"), (0.9, "no update")])
def test_a_threshold_that_is_not_the_rules_is_refused(stream, threshold, did):
    X, y = stream
    with pytest.raises(ValueError, match=f"made {did}, but y score is .* and the threshold {threshold}"):
        replay(fitted(X, y, margin=0.5), X, y, threshold)


def parts(html):
    """Data, script and pictures of an output."""
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.S)[1])
    script = re.search(r"<script>(.*?)</script>", html, re.S)[1]
    return data, script, [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", html, re.S)]


def test_the_players_data_are_the_trials_to_four_digits(stream):
    X, y = stream
    runs = {"b = 0": fitted(X, y), "b = 0.7": fitted(X, y, margin=0.7)}
    data, _, _ = parts(stepper(runs, X, y, ident="pair").data)
    np.testing.assert_allclose(data["x"], X, rtol=5e-4)
    assert data["y"] == y.tolist()
    for run, (name, est) in zip(data["runs"], runs.items(), strict=True):
        rows = replay(est, X, y)
        moved = rows[rows["update"]]
        assert run["name"] == name
        assert run["threshold"] == est.margin
        assert run["at"] == moved["trial"].tolist()
        assert data["order"][: len(rows)] == rows["index"].tolist()
        np.testing.assert_allclose(run["score"], rows["score"], rtol=5e-4, atol=1e-12)
        np.testing.assert_allclose(run["scale"], moved["scale"], rtol=5e-4)
        np.testing.assert_allclose(run["step"], moved["step"], rtol=5e-4)
        hypotheses = np.column_stack([moved["w"], moved["b"], moved["norm"], moved["margin"]])
        np.testing.assert_allclose(run["w"][1:], hypotheses, rtol=5e-4, atol=1e-12)
        assert run["w"][0] == [0, 0, 0, 0, None]


def test_the_numbers_without_script_are_those_of_the_last_trial(stream):
    X, y = stream
    est = fitted(X, y, margin=0.7)
    html = stepper(est, X, y, ident="one").data
    last = replay(est, X, y)[-1]
    shown = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html))
    assert shown["update"] == "no" and shown["updates"] == str(est.n_updates_) and shown["threshold"] == "0.7"
    y_score = y[last["index"]] * last["score"]
    assert y_score != last["score"], "the last example should be a negative one"
    wanted = {"score f": last["score"], "y f": y_score, "|w|": last["norm"], "bias": last["b"]}
    for field, value in wanted.items():
        assert float(shown[field].replace("−", "-")) == pytest.approx(value, rel=5e-4)
    assert float(shown["margin"]) == pytest.approx(last["margin"], rel=5e-4)


def drawn(svg, kind, view):
    """Points of the plane on the paths of one kind, shape (n_paths, n_points, 2)."""
    paths = [path.get("d") for path in svg.findall(f".//*[@class='mb-{kind}']")]
    points = [np.array(re.findall(r"-?[\d.]+", d), dtype=float).reshape(-1, 2) for d in paths]
    return np.array(view[:2]) + (np.array(points) - 150) * [1, -1] * view[2] / 150


def test_the_still_picture_shows_all_examples_and_the_last_hypothesis(stream):
    X, y = stream
    est = fitted(X, y, margin=0.5)
    data, _, (svg,) = parts(stepper(est, X, y, ident="one", alt="Sixteen points").data)
    last, view = replay(est, X, y)[-1], data["view"]
    assert svg.get("role") == "img" and svg.get("aria-label").startswith("Sixteen points")
    for kind, label in (("pos", 1), ("neg", -1)):
        assert len(svg.findall(f".//*[@class='mb-{kind}']")) == (y == label).sum()
    norm, offset = np.linalg.norm(est.coef_), est.intercept_
    for kind, distances in (
        ("line", [[0, 0]]),
        ("band", [[last["margin"]] * 2 + [-last["margin"]] * 2]),
        ("threshold", [[0.5 / norm] * 2, [-0.5 / norm] * 2]),
    ):
        points = drawn(svg, kind, view)
        np.testing.assert_allclose((points @ est.coef_[0] + offset) / norm, distances, atol=view[2] / 300)
        assert (np.abs(points - view[:2]).max(axis=2) > view[2]).all(), "ends before the border"


def test_the_arrows_of_all_weights_stay_inside_the_picture(stream):
    X, y = stream
    data, _, (svg,) = parts(stepper(fitted(X, y, margin=2.0), X, y, ident="one").data)
    (run,), view = data["runs"], data["view"]
    tips = run["arrow"] * np.array([w[:2] for w in run["w"]])
    reach = np.abs(tips - view[:2]).max() / view[2]
    assert reach < 1 and run["arrow"] > 0
    np.testing.assert_allclose(drawn(svg, "w", view)[0], [[0, 0], tips[-1]], atol=view[2] / 300)


def test_the_same_runs_give_the_same_bytes(stream):
    X, y = stream
    assert stepper(fitted(X, y), X, y, ident="a").data == stepper(fitted(X, y), X, y, ident="a").data


def test_max_trials_keeps_the_first_trials_only(stream):
    X, y = stream
    whole, _, _ = parts(stepper(fitted(X, y, margin=2.0), X, y, ident="a").data)
    start, _, _ = parts(stepper(fitted(X, y, margin=2.0), X, y, ident="a", max_trials=9).data)
    assert start["order"] == whole["order"][:9]
    assert start["runs"][0]["score"] == whole["runs"][0]["score"][:9]
    assert start["runs"][0]["at"] == [t for t in whole["runs"][0]["at"] if t <= 9]


def test_script_and_data_keep_within_their_sizes(stream):
    X, y = stream
    assert len(files("marginbook.stepper").joinpath("player.js").read_bytes()) < 12_000
    y = np.where(np.arange(16) == 3, -y, y)  # inseparable: the runs last as long as they may
    runs = {f"b = {b}": fitted(X, y, margin=b, max_iter=40) for b in (0.0, 1.0, 2.0)}
    with pytest.raises(ValueError, match="pass a smaller max_trials"):
        stepper(runs, X, y, ident="a")
    html = stepper(runs, X, y, ident="a", max_trials=150).data
    assert len(re.search(r'<script type="application/json">(.*?)</script>', html)[1].encode()) < MAX_DATA


def test_an_output_asks_nobody_for_anything_and_escapes_names(stream):
    X, y = stream
    html = stepper({"</script><b>": fitted(X, y)}, X, y, ident="a", alt='say "so" & <so>').data
    assert not re.search(r"https?:|//[a-z]|url\((?!#)|@import|src=", html.replace("// ", ""))
    assert html.count("</script>") == 2 and "<b>" not in html
    data, _, (svg,) = parts(html)
    assert data["runs"][0]["name"] == "</script><b>"
    assert svg.get("aria-label").startswith('say "so" & <so>')


def test_every_number_beside_the_picture_is_filled_by_the_player(stream):
    X, y = stream
    _, script, _ = parts(stepper(fitted(X, y), X, y, ident="a").data)
    row = re.search(r"return \[(trial\[0\].*?)\]\.concat", script)[1]
    shown = stepper(fitted(X, y), X, y, ident="a").data.count("<dt>")
    assert len(row.split(",")) == shown


@pytest.mark.parametrize("ident", ["", "1a", "a b", 'a"b', "a.b"])
def test_an_ident_that_is_no_identifier_is_refused(stream, ident):
    X, y = stream
    with pytest.raises(ValueError, match="ident must be a letter"):
        stepper(fitted(X, y), X, y, ident=ident)


def test_runs_in_different_orders_are_refused(stream):
    X, y = stream
    runs = {"given": fitted(X, y), "mixed": fitted(X, y, shuffle=True, random_state=0)}
    with pytest.raises(ValueError, match="mixed saw the examples in another order|given saw"):
        stepper(runs, X, y, ident="a")


def test_importing_figures_and_stepper_imports_neither_matplotlib_nor_ipython():
    modules = "marginbook.figures, marginbook.stepper"
    code = f"import sys, {modules}; print({{'matplotlib', 'IPython'}} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "set()"
