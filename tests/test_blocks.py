"""The account of a walk in blocks: its kernel values are counted, its rounding is bounded."""

import numpy as np
import pytest
from oracles import counting, textbook

from marginbook.engines import columns, kernel
from marginbook.engines.blocks import kernel_values, rounding
from marginbook.kernels import Kernel
from marginbook.rules import perceptron

RULE = (perceptron.rule, perceptron.Params(0.0, 1.0), perceptron.State())


def problem(n=150, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (n, d)).astype(float)
    return X, np.where(rng.random((3, n)) < 0.5, 1.0, -1.0), rng


@pytest.mark.parametrize("panels", [0, 1, 4, 100])
@pytest.mark.parametrize("shuffled", [False, True])
def test_the_engine_computes_as_many_kernel_values_as_are_counted(panels, shuffled, monkeypatch):
    monkeypatch.setattr(kernel, "BLOCK", 16)
    monkeypatch.setattr(columns, "WIDTH", 8)
    counter, asked = counting()
    found, scores = [], columns.Columns.scores
    monkeypatch.setattr(
        columns.Columns, "scores", lambda self, *a: found.append(len(self._supports)) or scores(self, *a)
    )
    X, Y, rng = problem()
    budget = panels * 8 * 8 * len(X)
    engine = kernel.KernelEngine(*RULE, 3, kernel=counter, cache_bytes=budget, record=True)
    engine.bind(X, Y)
    for _ in range(4):
        engine.epoch(rng.permutation(150) if shuffled else np.arange(150))
    blocks = np.diff([*range(0, 150, 16), 150])
    found = np.reshape(found, (4, -1))
    assert sum(asked) == kernel_values(found, blocks, kept=8 * panels)
    S, N = len(engine.supports), 150
    assert sum(asked) <= 4 * N * 16 + N * S + 3 * N * max(S - 8 * panels, 0)


def test_sums_of_whole_numbers_do_not_depend_on_their_order():
    rng = np.random.default_rng(0)
    K, coef = rng.integers(-(2**20), 2**20, (4, 300)).astype(float), rng.integers(-9, 10, 300).astype(float)
    assert not rounding(coef, K, 300).any()
    for _ in range(20):
        order = rng.permutation(300)
        np.testing.assert_array_equal(np.cumsum(K[:, order] * coef[order], axis=1)[:, -1], K @ coef)
    assert rounding(coef, 2.0**33 * K, 300).all()


def test_sums_of_other_numbers_stay_within_the_bound_on_their_rounding():
    rng = np.random.default_rng(1)
    K, coef = rng.standard_normal((50, 400)) ** 3, rng.standard_normal((400, 2))
    bound, apart = rounding(coef, K, 400), 0.0
    for _ in range(20):
        order = rng.permutation(400)
        sums = np.cumsum(K[:, order, None] * coef[order], axis=1)[:, -1]
        apart = np.maximum(apart, np.abs(sums - K @ coef))
    assert (0 < apart).any() and (apart <= bound).all()


@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_on_whole_numbers_the_engine_has_the_textbooks_scores_to_the_last_bit(block, monkeypatch):
    monkeypatch.setattr(kernel, "BLOCK", block)
    X, Y, rng = problem(seed=2)
    orders, poly = [rng.permutation(150) for _ in range(3)], Kernel("poly", 1.0, 4, 1.0)
    trace, _, _ = textbook(*RULE, poly(X, X), Y, orders)
    engine = kernel.KernelEngine(*RULE, 3, kernel=poly, cache_bytes=0, record=True)
    engine.bind(X, Y)
    for order in orders:
        engine.epoch(order)
    assert len(trace) > 100
    for column, name in enumerate(("trial", "index", "problem", "score")):
        np.testing.assert_array_equal(engine.trace[name], trace[:, column])
