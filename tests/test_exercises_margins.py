"""The checkers of the chapter on margins accept the worked solution and name what is wrong with others."""

import re

import numpy as np
import pytest

from marginbook.exercises import check
from marginbook.margins import dual_exponent


def geometric(w, b, X, y):
    return np.min(y * (X @ w + b)) / np.linalg.norm(w)


def hoelder(w, p):
    if p == 1:
        x = np.zeros(len(w))
        x[np.abs(w).argmax()] = np.sign(w[np.abs(w).argmax()])
        return x
    x = np.sign(w) * np.abs(w) ** (dual_exponent(p) - 1.0)
    return x / np.linalg.norm(x, p)


def best_bias(s, y):
    return -(np.min(s[y > 0]) + np.max(s[y < 0])) / 2


def upper_bound(X, y, a):
    positive, negative = y > 0, y < 0
    means = [a[k] @ X[k] / a[k].sum() for k in (positive, negative)]
    return np.linalg.norm(means[0] - means[1]) / 2


def new_origin(w, b):
    return -b * w / (w @ w)


def extended(X, lam):
    return X @ X.T + lam * np.eye(len(X))


def in_place(w, b, X, y):
    X *= 0
    return 0.0


RIGHT = {"1": geometric, "2": hoelder, "3": best_bias, "4": upper_bound, "5": new_origin, "6": extended}

WRONG = [
    ("1", lambda w, b, X, y: np.min(y * (X @ w + b)), "same hyperplane"),
    ("1", lambda w, b, X, y: np.min(np.abs(X @ w + b)) / np.linalg.norm(w), "wrong side"),
    ("1", lambda w, b, X, y: np.min(y * (X @ w + b)) / np.linalg.norm(np.append(w, b)), "its distance"),
    ("1", lambda w, b, X, y: np.mean(y * (X @ w + b)) / np.linalg.norm(w), "worst"),
    ("1", lambda w, b, X, y: np.min(y * (X @ w)) / np.linalg.norm(w), "distance"),
    ("1", lambda w, b, X, y: y * (X @ w + b) / np.linalg.norm(w), "distance"),
    ("1", lambda w, b, X, y: None, "returned None"),
    ("2", lambda w, p: w / np.linalg.norm(w), "p-norm 1"),
    ("2", lambda w, p: w / np.linalg.norm(w, p), "dual norm"),
    ("2", lambda w, p: np.sign(w) / np.linalg.norm(np.sign(w), p), "not less"),
    ("2", lambda w, p: np.linalg.norm(w, p), "one coordinate"),
    ("2", lambda w, p: -hoelder(w, p), "not less"),
    ("2", lambda w, p: np.abs(hoelder(w, p)), "not less"),
    ("3", lambda s, y: -np.mean(s), "same margin"),
    ("3", lambda s, y: -(np.mean(s[y > 0]) + np.mean(s[y < 0])) / 2, "same margin"),
    ("3", lambda s, y: 0.0, "same margin"),
    ("3", lambda s, y: -best_bias(s, y), "same margin"),
    ("3", lambda s, y: (np.max(s[y > 0]) + np.min(s[y < 0])) / 2, "same margin"),
    ("4", lambda X, y, a: np.linalg.norm((a * y) @ X), "normalised"),
    ("4", lambda X, y, a: np.linalg.norm((a * y) @ X) / a.sum(), "normalised"),
    ("4", lambda X, y, a: 2 * upper_bound(X, y, a), "is the maximum margin"),
    ("4", lambda X, y, a: upper_bound(X, y, a) / 2, "never below"),
    ("4", lambda X, y, a: upper_bound(X, y, np.ones(len(y))), "maximum_margin returns"),
    ("5", lambda w, b: np.zeros(len(w)), "lies on"),
    ("5", lambda w, b: b * w / (w @ w), "lies on"),
    ("5", lambda w, b: -b * w / np.linalg.norm(w), "lies on"),
    ("5", lambda w, b: -b / np.linalg.norm(w), "one coordinate"),
    (
        "5",
        lambda w, b: np.where(np.arange(len(w)) == np.abs(w).argmax(), -b / np.abs(w).max(), 0.0),
        "lies on|nearest",
    ),
    ("5", lambda w, b: np.full(len(w), -b / w.sum()), "nearest"),
    ("6", lambda X, lam: X @ X.T + lam, "private: two"),
    ("6", lambda X, lam: X @ X.T + np.sqrt(lam) * np.eye(len(X)), "adds lam"),
    ("6", lambda X, lam: X @ X.T + lam**2 * np.eye(len(X)), "adds lam"),
    ("6", lambda X, lam: X.T @ X + lam * np.eye(X.shape[1]), "row and a column"),
    ("6", lambda X, lam: X @ X.T + lam * (X[:, None] == X).all(axis=2), "private: two"),
    ("6", lambda X, lam: X @ X.T, "adds lam"),
]


@pytest.mark.parametrize("number", RIGHT)
def test_the_worked_solution_is_accepted(number):
    verdict = check(f"margins.{number}", RIGHT[number])
    assert verdict
    assert repr(verdict).startswith(f"margins.{number}: correct")


@pytest.mark.parametrize(("number", "answer", "message"), WRONG)
def test_a_wrong_answer_is_told_what_is_wrong(number, answer, message):
    verdict = check(f"margins.{number}", answer)
    assert not verdict
    assert re.search(message, repr(verdict)), repr(verdict)
    assert "It fails for" in repr(verdict)


def test_every_exercise_has_four_wrong_answers_at_least():
    assert all(sum(number == k for number, _, _ in WRONG) >= 4 for k in RIGHT)


def test_the_smallest_counterexample_is_shown_in_plain_numbers():
    text = repr(check("margins.1", lambda w, b, X, y: np.mean(y * (X @ w + b)) / np.linalg.norm(w)))
    assert "w = [3, -4], b = 1, X = [[1, 0], [0, 2]], y = [1, -1]" in text
    assert "array" not in text and "float64" not in text


def test_verdicts_repeat():
    wrong = WRONG[3][1]
    assert repr(check("margins.1", wrong)) == repr(check("margins.1", wrong))


def test_an_error_of_the_function_is_reported_and_not_raised():
    verdict = check("margins.1", lambda w, b, X, y: w / 0 @ None)
    assert not verdict
    assert "your function raised" in repr(verdict)


def test_a_function_that_changes_its_arguments_cannot_change_the_check():
    verdict = check("margins.1", in_place)
    assert "X = [[1, 0]]" in repr(verdict)


def test_the_expected_value_is_not_told():
    def one_too_many(w, b, X, y):
        return geometric(w, b, X, y) + 1.0

    expected = geometric(np.array([3.0, -4.0]), 1.0, np.array([[1.0, 0.0]]), np.ones(1))
    text = repr(check("margins.1", one_too_many))
    assert f"{expected + 1:.6g}" in text
    assert f"{expected:.6g};" not in text and f"returned {expected:.6g}." not in text


@pytest.mark.parametrize("name", ["margins.99", "margins", "romance.1", "", 3])
def test_an_unknown_exercise_is_named_with_those_there_are(name):
    with pytest.raises(ValueError, match="margins"):
        check(name, geometric)


def test_what_is_not_a_function_is_refused():
    with pytest.raises(TypeError, match="function itself"):
        check("margins.1", 0.8)
