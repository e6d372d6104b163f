"""Checkers of the book's exercises: ``check("margins.1", my_function)``.

An exercise is a list of :class:`Property` in the file of its chapter, ``EXERCISES["1"]`` and so on, the
plainest first. Each property tries its cases from small to large; the first that fails is shown with the
arguments and what the function returned last. What it should have returned is not shown.
"""

import copy
import pkgutil
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from numbers import Number
from typing import Any, NamedTuple

import numpy as np


class Property(NamedTuple):
    """A claim about the reader's function."""

    claim: str  # a sentence that tells the reader what is not so
    cases: Callable[[np.random.Generator], Iterable[dict]]  # named arguments, from small to large
    holds: Callable[..., bool]  # holds(answer, **case); it may call answer more than once


class Verdict(NamedTuple):
    """What a checker found; true when the answer is right."""

    correct: bool
    message: str

    def __bool__(self):
        return self.correct

    def __repr__(self):
        return self.message


class _Answer:
    """The reader's function, protected from its own side effects; remembers what it returned last."""

    def __init__(self, function):
        self.function, self.returned = function, None

    def __call__(self, *args):
        self.returned = None
        self.returned = self.function(*copy.deepcopy(args))
        return self.returned


def check(name, answer):
    """Try a function against the properties of an exercise.

    Parameters
    ----------
    name : str
        Chapter and number, as ``"margins.1"``.
    answer : callable
        The reader's function, with the arguments that the exercise names, in that order.

    Returns
    -------
    Verdict
        True or false; a notebook shows its message.

    Raises
    ------
    ValueError
        If there is no such exercise.
    TypeError
        If ``answer`` is not a function.

    Examples
    --------
    >>> check("margins.1", lambda w, b, X, y: min(y * (X @ w + b)))
    margins.1: not yet. Twice the weights and twice the bias are the same hyperplane, with the same margin.
    It fails for w = [3, -4], b = 1, X = [[1, 0]], y = [1]; your function returned 8.
    """
    properties = _properties(name)
    if not callable(answer):
        raise TypeError(
            f"give the function itself, as check({name!r}, my_function), not {type(answer).__name__}"
        )
    for claim, cases, holds in properties:
        for case in cases(np.random.default_rng(0)):
            problem = _problem(_Answer(answer), holds, case)
            if problem:
                shown = ", ".join(f"{key} = {_plain(value)}" for key, value in case.items())
                return Verdict(False, f"{name}: not yet. {claim}\nIt fails for {shown}; {problem}.")
    return Verdict(True, f"{name}: correct, {len(properties)} properties hold.")


def _problem(answer, holds, case):
    """What went wrong, or None."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if holds(answer, **case):
                return None
        except Exception as error:
            return f"your function raised {type(error).__name__}: {error}"
    return f"your function returned {_plain(answer.returned)}"


def _properties(name):
    chapter, _, number = str(name).partition(".")
    chapters = sorted(module.name for module in pkgutil.iter_modules(__path__))
    if chapter not in chapters:
        raise ValueError(f"no exercise {name!r}: the chapters are {', '.join(chapters)}")
    exercises = import_module(f"{__name__}.{chapter}").EXERCISES
    if number not in exercises:
        raise ValueError(f"no exercise {name!r}: {chapter} has {', '.join(exercises)}")
    return exercises[number]


def _plain(value: Any) -> str:
    """Numbers as one writes them by hand."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return _plain(value.item())
    if isinstance(value, np.ndarray | list | tuple):
        return "[" + ", ".join(_plain(item) for item in value) + "]"
    return (
        f"{value:.6g}" if isinstance(value, Number) and not isinstance(value, bool | complex) else repr(value)
    )


def where(cases, wanted):
    """Those of the cases that are wanted: ``wanted(**case)``."""
    return lambda rng: (case for case in cases(rng) if wanted(**case))


def untouched(what, cases):
    """The property that a function leaves its first argument, an array, as it was."""

    def holds(answer, **case):
        first, *others = copy.deepcopy(list(case.values()))
        answer.function(first, *others)
        return np.array_equal(first, next(iter(case.values())))

    verb = "are" if what.endswith("s") else "is"
    return Property(f"The {what} given to the function {verb} not changed in place.", cases, holds)


def close(value, expected, tol=1e-6):
    """Whether the reader's value is a number, or an array of numbers, of the right shape and near enough.

    Examples
    --------
    >>> close(0.1 + 0.2, 0.3), close(None, 0.0), close([1.0, 2.0], 1.0)
    (True, False, False)
    """
    try:
        value, expected = np.asarray(value, dtype=float), np.asarray(expected, dtype=float)
    except (TypeError, ValueError):
        return False
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    return value.shape == expected.shape and bool((np.abs(value - expected) <= tol * scale).all())
