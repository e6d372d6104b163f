"""Many classes as one problem: its sums, its margin, and the printed theorems that fail for it."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles import close

from marginbook import AMIRA, maximum_margin
from marginbook.rules import amira

seeded = settings(derandomize=True, deadline=None, max_examples=15)
seeds = st.integers(0, 10**6)


def differences(X, y, classes):
    """For each example and wrong class z the long vector that is x at class y, -x at class z."""
    rows = []
    for x, right in zip(X, y, strict=True):
        for z in set(range(classes)) - {right}:
            V = np.zeros((classes, len(x)))
            V[right], V[z] = x, -x
            rows.append(V.ravel())
    return np.array(rows)


def one_margin(V):
    """The maximum margin of positive examples: every other one is given as its negative, of class -1."""
    sign = np.where(np.arange(len(V)) % 2, 1.0, -1.0)
    return maximum_margin(sign[:, None] * V, sign, bias=False).margin


@seeded
@given(seeds, st.sampled_from([1.0, 0.5, 0.1]), st.sampled_from([1, 2, 4]))
def test_the_sums_of_a_multiclass_run_are_what_the_lemma_says(seed, epsilon, k):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((40, 3)) * rng.uniform(0.2, 3.0, (40, 1)), rng.integers(5, size=40)
    y[:5] = np.arange(5)
    model = AMIRA(multiclass="k-best", k=k, epsilon=epsilon, shuffle=False, max_iter=2, record_trace=True)
    trace = model.fit(X, y).trace_
    groups = np.split(trace, np.flatnonzero(np.diff(trace["epoch"] * 40 + trace["index"])) + 1)
    assert len(groups) == model.n_updates_
    total = grown = moved = 0.0
    for rows in groups:
        xx, right = (X[rows["index"][0]] ** 2).sum(), rows["problem"] == y[rows["index"][0]]
        tau, share = rows["step"][right][0], -rows["step"][~right]
        mean = (share * (rows["score"][right] - rows["score"][~right])).sum() / tau
        square = (rows["step"] ** 2).sum() * xx
        assert mean <= 1 - epsilon + 1e-12 and square == pytest.approx(tau * (1 - mean))
        assert tau >= amira.bound_step(np.sqrt(2 * xx), epsilon) * (1 - 1e-12)
        assert square >= tau**2 * xx * (1 + 1 / k) * (1 - 1e-12)
        total, grown, moved = total + tau, grown + tau * (1 + mean), moved + square
    ww = (model.coef_**2).sum()
    close([ww, moved], [grown, 2 * total - ww], 1e-9)


@seeded
@given(seeds, st.integers(2, 4))
def test_separable_one_vs_rest_problems_have_a_separable_whole(seed, classes):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((600, 4))
    U = rng.standard_normal((classes, 4))
    U = np.vstack([U[:-1], -U[:-1].sum(axis=0)])
    scores = X @ U.T
    X = X[((scores > 0.3).sum(axis=1) == 1) & ((scores < -0.3).sum(axis=1) == classes - 1)][:60]
    y = (X @ U.T).argmax(axis=1)
    assume(len(set(y)) == classes)
    parts = [maximum_margin(X, np.where(y == m, 1, -1), bias=False).margin for m in range(classes)]
    whole = one_margin(differences(X, y, classes))
    least = amira.bound_one_vs_rest(parts)
    assert whole >= least * (1 - 1e-6)
    if classes == 2:
        assert whole == pytest.approx(least, rel=1e-5)
    # and so the bound on the updates is at most half of what the problems' bounds add up to
    apart = sum(amira.bound_updates(1.0, margin, 0.5) for margin in parts)
    assert amira.bound_updates(np.sqrt(2), whole, 0.5) <= apart / 2 * (1 + 1e-5)


def test_a_class_between_two_others_is_lost_one_vs_rest_alone():
    X, y = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), np.arange(3)
    assert one_margin(differences(X, y, 3)) > 0.3
    with pytest.raises(ValueError, match="inseparable"):
        maximum_margin(X, np.where(y == 1, 1, -1), bias=False)
    assert AMIRA(multiclass="1-best", shuffle=False, max_iter=100).fit(X, y).converged_


def test_margins_of_the_problems_must_be_positive():
    with pytest.raises(ValueError, match="positive"):
        amira.bound_one_vs_rest([1.0, 0.0])


def crowd(epsilon, gamma, third):
    """Hard examples of two classes, after one of a third that a constant feature keeps away from them."""
    side, w = np.sqrt(1 - gamma**2), np.zeros(4)  # w: difference of the two classes' weights
    rows, y = [np.array([0.0, 0.0, 0.0, -third])], [2]
    while True:
        sign, rest = 1 if len(rows) % 2 else -1, np.hypot(w[1], w[2])
        goal = (1 - epsilon) * (1 - 1e-9) - gamma * w[0] - sign * third * w[3]
        cosine = goal / (side * rest) if rest else 1.0
        if abs(cosine) > 1:
            return np.array(rows), np.array(y)
        along = w[1:3] / rest if rest else np.array([1.0, 0.0])
        across = np.array([-along[1], along[0]])
        turned = side * (cosine * along + np.sqrt(1 - cosine**2) * across)
        x = np.array([sign * gamma, *(sign * turned), third])
        rows.append(x)
        y.append(0 if sign > 0 else 1)
        w = w + (sign - w @ x) / (x @ x) * x


@pytest.mark.parametrize("gamma, third, share", [(0.1, 0.35, 0.89), (0.03, 0.2, 0.97)])
def test_theorem_2_is_tight_with_three_classes(gamma, third, share):
    X, y = crowd(0.5, gamma, third)
    U = np.zeros((3, 4))
    U[0, 0], U[1, 0] = 1.0, -1.0
    U[:, 3] = 2 * gamma / third * np.array([1, 1, -2]) / 3
    U /= np.linalg.norm(U)
    bound = amira.bound_updates(np.sqrt(2 + 2 * third**2), (differences(X, y, 3) @ U.ravel()).min(), 0.5)
    model = AMIRA(multiclass="k-best", k=2, epsilon=0.5, shuffle=False, max_iter=1).fit(X, y)
    assert model.n_updates_ == len(X) and share * bound < len(X) <= bound
    assert len(X) > bound / 2  # R = max |x|, without the root of 2, would not do


def test_theorem_5_fails_with_sums_and_with_sums_of_squares():
    """Three copies of the short example before 200 long ones, a class and private features for each."""
    n, delta = 200, 1e-4
    block = np.zeros((n + 1, n + 1))
    block[0, 0], block[1:, 0] = -delta, 1.0
    block[np.arange(1, n + 1), np.arange(1, n + 1)] = 3.0
    X, y = np.kron(np.eye(3), block), np.repeat(np.arange(3), n + 1)
    U = np.zeros((3, 3 * (n + 1)))
    U[:, :: n + 1] = np.eye(3) - 1 / 3
    U /= np.linalg.norm(U)
    gaps = (differences(X, y, 3) @ U.ravel()).reshape(-1, 2).min(axis=1)
    gamma, radius = gaps.max(), np.sqrt(20)
    lacks = np.maximum(0, gamma - gaps)
    model = AMIRA(multiclass="k-best", k=2, epsilon=1.0, shuffle=False, max_iter=1, record_trace=True)
    trace = model.fit(X, y).trace_
    for power in (1, 2):
        printed = ((radius + np.sqrt((lacks**power).sum())) / gamma) ** 2
        assert printed < 75 < model.n_mistakes_ == 267
    index = trace["index"][trace["step"] > 0]  # one row of each update
    lengths = np.linalg.norm(X[index], axis=1) * np.sqrt(1 + 1 / 2)
    assert model.n_updates_ <= amira.bound_inseparable(radius, gamma, 1.0, lacks[index] / lengths)
    # and with gamma free the printed form promises no mistake
    far = np.maximum(0, 1e6 - gaps)
    assert ((radius + np.sqrt(far.sum())) / 1e6) ** 2 < 0.01
