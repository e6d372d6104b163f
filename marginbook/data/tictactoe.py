"""Tic-tac-toe endgame: the 958 boards at the end of a game in which x moves first; +1 if x has won."""

from itertools import product

import numpy as np

from . import formats
from .files import read

UCI = "uci/tic-tac-toe.data"
VALUE = {"x": 1.0, "o": -1.0, "b": 0.0}
SQUARES = [f"{row}-{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")]
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def _has_line(board: tuple[str, ...], player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in LINES)


def final_boards() -> list[tuple[tuple[str, ...], int]]:
    """Final boards with their labels, in the order of the UCI file.

    Boards run in lexicographic order with x before o before blank, and are grouped by outcome: x has won,
    o has won, draw.

    Examples
    --------
    >>> boards = final_boards()
    >>> len(boards), "".join(boards[0][0])
    (958, 'xxxxooxoo')
    """
    won, lost, drawn = [], [], []
    for board in product("xob", repeat=9):
        lead = board.count("x") - board.count("o")
        x_line, o_line = _has_line(board, "x"), _has_line(board, "o")
        if x_line and not o_line and lead == 1:
            won.append((board, 1))
        elif o_line and not x_line and lead == 0:
            lost.append((board, -1))
        elif not x_line and not o_line and lead == 1 and "b" not in board:
            drawn.append((board, -1))
    return won + lost + drawn


def load() -> dict:
    """958 boards of 9 squares, x 1, o -1, blank 0; generated, no file is read."""
    return _encode(final_boards())


def load_uci() -> dict:
    """The same from the UCI file, equal row by row."""
    rows = formats.commas(read(UCI), UCI, 10)
    return _encode([(tuple(row[:9]), 1 if row[9] == "positive" else -1) for row in rows])


def _encode(boards: list[tuple[tuple[str, ...], int]]) -> dict:
    return {
        "data": np.array([[VALUE[mark] for mark in board] for board, _ in boards]),
        "target": np.array([label for _, label in boards]),
        "target_names": ["x has not won", "x has won"],
        "feature_names": SQUARES,
    }
