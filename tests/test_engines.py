"""Both engines make the textbook's updates, in its order, for any rule, row format and memory budget."""

import numpy as np
import pytest
from oracles import Count, Shrink, close, counting, shrinking, textbook
from scipy import sparse

from marginbook.engines import columns, kernel, linear
from marginbook.kernels import Kernel
from marginbook.rules import perceptron

PERCEPTRON = (perceptron.rule, perceptron.Params(0.0, 1.0), perceptron.State())
MARGIN = (perceptron.rule, perceptron.Params(2.5, 0.5), perceptron.State())
RULES = {
    "perceptron": PERCEPTRON,
    "margin": MARGIN,
    "decay": (shrinking, Shrink(0.9, 10**9, 0.3), Count(0)),
    "forget": (shrinking, Shrink(0.9, 7, 0.3), Count(0)),
    "underflow": (shrinking, Shrink(1e-60, 10**9, 0.3), Count(0)),
    "overflow": (shrinking, Shrink(-1e30, 5, 0.3), Count(0)),
}


def problem(n=90, d=6, n_problems=3, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(
        rng.standard_normal((n, d)), 6
    )  # no two rows orthogonal: no score's sign is left to rounding
    X[5] = 0.0  # a row that no rule can learn
    X[11] = X[12]
    Y = np.where(rng.random((n_problems, n)) < 0.5, 1.0, -1.0)
    orders = [rng.permutation(n) for _ in range(3)]
    return X, Y, orders


def run(engine, X, Y, orders):
    engine.bind(X, Y)
    rows = [engine.epoch(order) for order in orders]
    engine.release()
    return rows


def assert_textbook(engine, rows, expected, tolerance=1e-10):
    trace, _, mistakes = expected
    ours = engine.trace
    for column, name in enumerate(("trial", "index", "problem")):
        np.testing.assert_array_equal(ours[name], trace[:, column].astype(int))
    for column, name in enumerate(("score", "scale", "step", "ww"), start=3):
        close(ours[name], trace[:, column], tolerance)
    assert sum(row.mistakes for row in rows) == mistakes.sum()
    assert sum(row.updates for row in rows) == len(trace)


@pytest.mark.parametrize("noise, rho", [(0.0, 0.0), (0.75, 0.0), (0.0, 0.5), (0.75, 0.5)])
@pytest.mark.parametrize("name", RULES)
def test_every_engine_makes_the_textbooks_updates(name, noise, rho, monkeypatch):
    monkeypatch.setattr(linear, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(kernel, "BLOCK", 16)
    X, Y, orders = problem()
    expected = textbook(*RULES[name], X @ X.T, Y, orders, noise, rho)
    assert len(expected[0]) > 30
    options = dict(noise=noise, rho=rho, record=True)
    engines = [
        (linear.LinearEngine(*RULES[name], 3, X.shape[1], **options), X),
        (linear.LinearEngine(*RULES[name], 3, X.shape[1], **options), sparse.csr_matrix(X)),
        (kernel.KernelEngine(*RULES[name], 3, kernel=Kernel(), cache_bytes=1e9, **options), X),
    ]
    for engine, data in engines:
        rows = run(engine, data, Y, orders)
        assert_textbook(engine, rows, expected, 1e-9)
        last = expected[1][-1]
        weights, bias = engine.weights()
        if isinstance(engine, kernel.KernelEngine):
            close(weights, last[:, engine.supports.index], 1e-9)
        else:
            close(weights, last @ X, 1e-9)
        close(bias, rho**2 * last.sum(axis=1), 1e-9)


KERNELS = {
    "linear": Kernel(),
    "poly": Kernel("poly", 0.05, 4, 1.0),
    "cubic": Kernel("poly", 0.1, 3, 0.5),
    "rbf": Kernel("rbf", 0.05),
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("panels", [0, 1, 3, 100])
def test_the_memory_budget_changes_no_update(name, panels, monkeypatch):
    monkeypatch.setattr(kernel, "BLOCK", 16)
    monkeypatch.setattr(columns, "WIDTH", 8)
    X, Y, orders = problem(seed=1)
    orders = [orders[0], orders[0], orders[1], orders[2]]
    gram = KERNELS[name](X, X)
    expected = textbook(*MARGIN, gram, Y, orders, noise=0.5)
    budget = panels * 8 * 8 * len(X)
    engine = kernel.KernelEngine(*MARGIN, 3, kernel=KERNELS[name], cache_bytes=budget, noise=0.5, record=True)
    assert_textbook(engine, run(engine, X, Y, orders), expected)
    given = kernel.KernelEngine(
        *MARGIN, 3, kernel=Kernel("precomputed"), cache_bytes=budget, noise=0.5, record=True
    )
    assert_textbook(given, run(given, gram, Y, orders), expected)


def test_kept_columns_are_computed_once(monkeypatch):
    X, Y, _ = problem(n=200)
    monkeypatch.setattr(kernel, "BLOCK", 16)
    monkeypatch.setattr(columns, "WIDTH", 8)
    counter, asked = counting()
    engine = kernel.KernelEngine(*PERCEPTRON, 3, kernel=counter, cache_bytes=1e9)
    engine.bind(X, Y)
    order = np.arange(200)
    for _ in range(4):
        engine.epoch(order)
    within = 4 * sum(min(16, 200 - first) ** 2 for first in range(0, 200, 16))
    assert sum(asked) - within <= 200 * len(engine.supports)


@pytest.mark.data("mnist")
def test_two_thousand_digits_give_the_textbooks_updates():
    from marginbook import data

    mnist = data.load("mnist")
    X, y = mnist.data[:2000], mnist.target[:2000]
    Y = np.where(y == np.arange(10)[:, None], 1.0, -1.0)
    orders = [np.random.default_rng(0).permutation(2000) for _ in range(2)]
    poly = Kernel("poly", 1.0, 4, 1.0)
    expected = textbook(*PERCEPTRON, poly(X, X), Y, orders)
    for budget in (0, 1e9):
        engine = kernel.KernelEngine(*PERCEPTRON, 10, kernel=poly, cache_bytes=budget, record=True)
        assert_textbook(engine, run(engine, X, Y, orders), expected)


@pytest.mark.parametrize("rule", ["perceptron", "decay"])
def test_pieces_of_a_stream_give_what_the_whole_gives(rule):
    X, Y, _ = problem()
    for noise in (0.0, 0.5):
        whole = linear.LinearEngine(*RULES[rule], 3, 6, noise=noise, rho=0.5, record=True, average=True)
        run(whole, X, Y, [np.arange(90)])
        for make in (
            lambda o: linear.LinearEngine(*RULES[rule], 3, 6, **o),
            lambda o: kernel.KernelEngine(*RULES[rule], 3, kernel=Kernel(), cache_bytes=0, **o),
        ):
            pieces = make(dict(noise=noise, rho=0.5, record=True, average=True))
            for part in np.array_split(np.arange(90), 4):
                run(pieces, X[part], Y[:, part], [np.arange(len(part))])
            np.testing.assert_array_equal(pieces.trace["index"], whole.trace["index"])
            np.testing.assert_array_equal(pieces.trace["trial"], whole.trace["trial"])
            close(pieces.trace["score"], whole.trace["score"], 1e-9)
            close(pieces.trace["ww"], whole.trace["ww"], 1e-9)
            for theirs, ours in (
                (whole.weights(), pieces.weights()),
                (
                    whole.averaged_weights(),
                    pieces.averaged_weights(),
                ),
            ):
                w = ours[0] @ pieces.supports[:] if isinstance(pieces, kernel.KernelEngine) else ours[0]
                close(w, theirs[0], 1e-9)
                close(ours[1], theirs[1], 1e-9)


def test_norms_do_not_drift():
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((400, 5)), np.where(rng.random((1, 400)) < 0.5, 1.0, -1.0)
    for rule in (MARGIN, RULES["decay"]):
        engine = linear.LinearEngine(*rule, 1, 5, noise=0.1, record=True)
        engine.bind(X, Y)
        for _ in range(50):
            engine.epoch(rng.permutation(400))
            recurred, exact = engine.trace["ww"][-1], engine.hyp["ww"][0]
            assert abs(recurred - exact) <= 1e-9 * exact
        assert engine.hyp["updates"][0] > 5000


def test_a_zero_row_is_a_mistake_and_no_update():
    X, Y, _ = problem()
    engine = linear.LinearEngine(*PERCEPTRON, 3, 6, record=True)
    rows = run(engine, X, Y, [np.arange(90)])
    assert rows[0].mistakes == rows[0].updates + 3
    assert 5 not in engine.trace["index"]


def test_the_margin_is_told_when_no_update_moved_the_weights():
    X, y = np.array([[2.0, 1.0], [1.0, -1.0], [-1.0, 0.5]]), np.array([[1.0, 1.0, -1.0]])
    engine = linear.LinearEngine(*PERCEPTRON, 1, 2)
    first, second = run(engine, X, y, [np.arange(3)] * 2)
    assert np.isnan(first.margin)
    w = engine.weights()[0][0]
    assert second.margin == pytest.approx((y[0] * (X @ w)).min() / np.linalg.norm(w), rel=1e-12)
