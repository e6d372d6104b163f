"""The tests that every chapter's checkers must pass."""

import pytest

from marginbook.exercises import check


def checks_of(solutions, wrong):
    """Two tests: worked solutions are accepted, wrong answers are told which property fails.

    ``solutions`` has a function for each exercise; ``wrong`` has rows of an exercise, a function, and a part
    of the sentence that its author must read.
    """

    @pytest.mark.parametrize("name", solutions)
    def accepted(name):
        assert check(name, solutions[name])

    @pytest.mark.parametrize("name, answer, says", wrong)
    def told(name, answer, says):
        verdict = check(name, answer)
        assert not verdict
        assert says in verdict.message

    return accepted, told
