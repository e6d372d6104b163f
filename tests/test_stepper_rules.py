"""The stepper shows every rule: pairs, p-norms, weights that shrink at every trial, starts, mini-epochs."""

import json
import re
from math import sqrt

import numpy as np
import pytest

from marginbook import ALMA, AMIRA, MICRA, PUMMA, ROMMA, IdealMargin, Pegasos, Perceptron
from marginbook.margins import p_norm_margin
from marginbook.stepper import replay, stepper

RUNS = {
    "perceptron": Perceptron(margin=0.4),
    "ROMMA": ROMMA(),
    "aggressive ROMMA, whose old constraint may be slack": ROMMA(delta=0.0, augment=1.0, max_iter=5),
    "ROMMA from a start": ROMMA(start="bias", augment=1.0, delta=0.5),
    "ALMA": ALMA(alpha=0.4),
    "ALMA, p = 4": ALMA(alpha=0.4, p=4.0, augment=0.5),
    "PA": AMIRA(epsilon=0.0, max_iter=5),
    "AMIRA": AMIRA(epsilon=0.5, augment=1.0),
    "MIRA": AMIRA(epsilon=1.0),
    "Pegasos": Pegasos(lam=0.1, max_iter=3, augment=1.0),
    "Pegasos with projection": Pegasos(lam=0.1, max_iter=3, project=True),
    "PUMMA": PUMMA(delta=0.05),
    "PUMMA, p = 5": PUMMA(delta=0.2, p=5.0),
}
MICRAS = {
    "MICRA": MICRA(epsilon=0.5, eta=0.5, beta=1.0),
    "reduced MICRA": MICRA(epsilon=0.5, eta=0.5, beta=1.0, augment=1.0, mini_epochs=3),
}
PAIRS = ["PUMMA", "PUMMA, p = 5"]


@pytest.fixture
def stream():
    """Sixteen points on both sides of a line through the origin."""
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, (16, 2))
    y = np.where(X @ [0.6, 0.8] > 0, 1, -1)
    return X + np.outer(0.1 * y, [0.6, 0.8]), y


def fitted(est, X, y, **params):
    return type(est)(**{**est.get_params(), "shuffle": False, "record_trace": True, **params}).fit(X, y)


def parts(html):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.S)[1])


@pytest.mark.parametrize("name", RUNS)
def test_replay_gives_the_weights_that_partial_fit_has_after_each_example(name, stream):
    X, y = stream
    est = fitted(RUNS[name], X, y)
    rows = replay(est, X, y)
    slow = type(est)(**est.get_params())
    for row in rows:
        i = [row["index"]]
        slow.partial_fit(X[i], y[i], classes=[-1, 1])
        np.testing.assert_allclose(row["w"], slow.coef_[0], atol=1e-9 * np.abs(rows["w"]).max())
        np.testing.assert_allclose(row["b"], slow.intercept_[0], atol=1e-9 * np.abs(rows["w"]).max())
        assert bool(row["update"]) == bool(slow.history_[-1].updates)
        np.testing.assert_allclose(row["norm"], slow.history_[-1].norm, rtol=1e-9)
    assert rows["update"].sum() == est.n_updates_ > 0


def plain_micra(X, y, params, radius, epochs, rho, rounds):
    """Tsampouka and Shawe-Taylor's loop with unit weights; per trial: row, whether it updates, weights."""
    Z = np.column_stack([X, np.full(len(X), rho)])
    u, t, rows = y[0] * Z[0] / np.linalg.norm(Z[0]), 1, []

    def walk(order):
        nonlocal u, t
        fired = []
        for i in order:
            fires = y[i] * (u @ Z[i]) <= params.beta * radius * t**-params.epsilon
            if fires:
                u = u + params.eta * t**-params.zeta * y[i] * Z[i] / radius
                u, t = u / np.linalg.norm(u), t + 1
                fired.append(i)
            rows.append((i, fires, *u))
        return fired

    for _ in range(epochs):
        active = walk(range(len(X)))
        for _ in range(rounds if active else 0):
            if not walk(active):
                break
    return np.array(rows)


@pytest.mark.parametrize("name", MICRAS)
def test_replay_follows_the_start_and_the_mini_epochs_of_micra(name, stream):
    X, y = stream
    est = fitted(MICRAS[name], X, y)
    rows, rho = replay(est, X, y), est.augment
    radius = sqrt((X**2).sum(axis=1).max() + rho**2)
    loop = plain_micra(X, y, est, radius, est.n_iter_, rho, est.mini_epochs)
    assert rows["index"].tolist() == loop[:, 0].astype(int).tolist()
    assert rows["update"].tolist() == loop[:, 1].astype(bool).tolist()
    np.testing.assert_allclose(rows["w"], loop[:, 2:4], atol=1e-9)
    np.testing.assert_allclose(rows["b"], rho * loop[:, 4], atol=1e-9)
    for epoch in est.history_:
        assert rows["update"][rows["epoch"] == epoch.epoch].sum() == epoch.updates
    assert est.n_iter_ > 1 and (len(rows) > est.n_iter_ * len(X)) == (est.mini_epochs > 0)


@pytest.mark.parametrize("name", [*RUNS, *MICRAS])
def test_a_rule_fires_on_one_side_of_its_threshold_and_not_on_the_other(name, stream):
    est = fitted({**RUNS, **MICRAS}[name], *stream)
    X = stream[0]
    rule, params, state = est._algorithm(X)
    rng, ww, p = np.random.default_rng(0), 1.0, getattr(params, "p", 2.0)
    for updates in range(12):
        xx = rng.uniform(0.5, 2.0)
        limit = est._threshold(params, updates, xx, ww)

        def fires(score, xx=xx, state=state):
            if isinstance(rule, tuple):
                return rule[0](params, 1.0, score)
            last = (sqrt(xx),) if isinstance(est, ALMA) and p > 2 else (xx, ww)
            return rule(params, state, 1.0, score, *last)[0]

        assert fires(limit - 1e-12) and not fires(limit + 1e-12), (updates, limit)
        if not isinstance(rule, tuple):
            last = (sqrt(xx),) if isinstance(est, ALMA) and p > 2 else (xx, ww)
            state = rule(params, state, 1.0, limit - 0.1, *last)[-1]


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_update_moves_along_the_half_difference_to_the_hyperplane_midway(name, stream):
    X, y = stream
    X = X + [3.0, -2.0]
    est = fitted(RUNS[name], X, y)
    rows, p = replay(est, X, y), est.p
    moved = rows[rows["update"]]
    theta = np.zeros(2)
    for row in moved:
        i, j = sorted((row["index"], row["other"]), key=lambda k: -y[k])
        assert (y[i], y[j]) == (1, -1)
        theta = row["scale"] * theta + row["step"] * (X[i] - X[j]) / 2
        size = np.linalg.norm(theta, p)
        w = theta if p == 2 else np.sign(theta) * np.abs(theta) ** (p - 1) / size ** (p - 2)
        np.testing.assert_allclose(row["w"], w, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(X[[i, j]] @ row["w"] + row["b"], [1, -1], rtol=1e-9)
    np.testing.assert_allclose(2 * abs(est.trace_["step"][::2]), moved["step"], rtol=1e-12)
    before = rows[: moved["trial"][0] - 1]
    assert len(set(y[before["index"]])) == 1 and (before["w"] == 0).all() and (before["other"] == -1).all()


def test_two_equal_rows_of_either_class_are_a_trial_without_update():
    X, y = np.array([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.5]]), np.array([1, -1, -1])
    rows = replay(fitted(PUMMA(max_iter=2), X, y), X, y)
    assert rows["update"].tolist() == [False, False, True, False, False, False]
    assert rows["other"].tolist() == [-1, -1, 0, -1, -1, -1]


def test_the_margin_of_a_p_norm_run_is_that_of_the_p_norm(stream):
    X, y = stream
    for name in ("ALMA, p = 4", "PUMMA, p = 5"):
        est = fitted(RUNS[name], X, y)
        last = replay(est, X, y)[-1]
        assert last["margin"] == pytest.approx(p_norm_margin(est, X, y, est.p), rel=1e-9)


def test_the_ideal_algorithm_keeps_no_trace_and_is_refused(stream):
    with pytest.raises(ValueError, match="fit IdealMargin with record_trace=True, where it has that"):
        replay(IdealMargin(shuffle=False).fit(*stream), *stream)


def test_the_player_gets_the_pair_of_each_update(stream):
    X, y = stream
    est = fitted(RUNS["PUMMA"], X, y)
    html = stepper({"with": est}, X, y, ident="a").data
    (run,), moved = parts(html)["runs"], replay(est, X, y)
    moved = moved[moved["update"]]
    assert run["pair"][0] == [] and run["w"][0] == [0, 0, 0, 0, None]
    assert [set(pair) for pair in run["pair"][1:]] == [{row["index"], row["other"]} for row in moved]
    assert {tuple(y[pair]) for pair in run["pair"][1:]} == {(1, -1)}
    shown = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html))
    assert shown["pair"] == "{}, {}".format(*run["pair"][-1])
    assert html.count('class="mb-pair"') == 2 and "Thin rings: the pair" in html
    alone = stepper(fitted(Perceptron(), X, y), X, y, ident="a").data
    assert "pair" not in parts(alone)["runs"][0] and "<dt>pair" not in alone and "Thin rings" not in alone


def test_the_player_gets_a_hypothesis_per_trial_where_the_weights_shrink(stream):
    X, y = stream
    est = fitted(RUNS["Pegasos"], X, y)
    (run,), rows = parts(stepper(est, X, y, ident="a").data)["runs"], replay(est, X, y)
    assert run["moves"] == rows["trial"].tolist() and run["at"] == est.trace_["trial"].tolist()
    np.testing.assert_allclose(run["scale"], rows["scale"], rtol=5e-4)
    np.testing.assert_allclose(np.array(run["w"][1:])[:, :2], rows["w"], rtol=5e-4, atol=1e-12)
    steady = parts(stepper(fitted(Perceptron(), X, y), X, y, ident="a").data)["runs"][0]
    assert "moves" not in steady


def test_the_player_gets_the_weights_that_a_run_starts_from(stream):
    X, y = stream
    est = fitted(MICRAS["MICRA"], X, y)
    (run,) = parts(stepper(est, X, y, ident="a").data)["runs"]
    np.testing.assert_allclose(run["w"][0][:2], y[0] * X[0] / np.linalg.norm(X[0]), rtol=5e-4)
    assert len(run["w"]) == len(run["at"]) + 1 == est.n_updates_ + 1


def test_the_player_gets_the_first_trial_of_each_epoch(stream):
    X, y = stream
    est = fitted(MICRAS["reduced MICRA"], X, y)
    epochs = parts(stepper(est, X, y, ident="a").data)["epochs"]
    rows = replay(est, X, y)
    assert epochs == [int(rows["trial"][rows["epoch"] == e + 1][0]) for e in range(est.n_iter_)]


def test_the_margin_band_of_a_p_norm_run_goes_through_the_nearest_example(stream):
    X, y = stream
    est = fitted(RUNS["PUMMA, p = 5"], X, y)
    html = stepper(est, X, y, ident="a").data
    data = parts(html)
    assert data["runs"][0]["q"] == pytest.approx(1.25)
    band = np.array(re.findall(r"-?[\d.]+", re.search(r'class="mb-band" d="(.*?)Z"', html)[1]), dtype=float)
    view = data["view"]
    points = np.array(view[:2]) + (band.reshape(-1, 2) - 150) * [1, -1] * view[2] / 150
    nearest = (y * est.decision_function(X)).min()
    scores = est.decision_function(points)
    tolerance = np.linalg.norm(est.coef_) * view[2] / 300
    np.testing.assert_allclose(scores, [nearest] * 2 + [-nearest] * 2, atol=tolerance)
