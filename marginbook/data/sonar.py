"""Sonar: returns from metal cylinders (mines, +1) and from rocks (-1), 60 frequency bands."""

import re

import numpy as np

from . import formats
from .errors import DataCorrupt
from .files import read

FILES = ("uci/sonar.mines", "uci/sonar.rocks", "uci/sonar.all-data")
_PATTERN = re.compile(rb"^(\*?)C[MR]\d+:\s*\{([^}]*)\}", re.MULTILINE)


def load(split: str = "aspect") -> dict:
    """Both classes, with or without the aspect-angle-dependent split.

    Parameters
    ----------
    split : {"aspect", "all"}
        "aspect": 104 training rows (49 mines, then 55 rocks, each in its file's order) and 104 test rows.
        This order reproduces the update counts of Table 1 of Tsampouka and Shawe-Taylor to the last digit.
        "all": the 208 rows of `sonar.all-data`, rocks first.
    """
    names = {"target_names": ["rock", "mine"], "feature_names": [f"band_{k}" for k in range(1, 61)]}
    if split == "all":
        rows = formats.commas(read(FILES[2]), FILES[2], 61)
        data = np.array([row[:60] for row in rows], dtype=np.float64)
        return {"data": data, "target": np.array([1 if row[60] == "M" else -1 for row in rows]), **names}
    if split != "aspect":
        raise ValueError(f"split must be 'aspect' or 'all', not {split!r}")
    parts = [_patterns(read(path), path) for path in FILES[:2]]
    marked = np.concatenate([marks for marks, _ in parts])
    data = np.concatenate([values for _, values in parts])
    target = np.repeat([1, -1], [len(values) for _, values in parts])
    return {
        "data": data[marked],
        "target": target[marked],
        "data_test": data[~marked],
        "target_test": target[~marked],
        **names,
    }


def _patterns(text: bytes, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Marks `*` (training) and values of the braces of a file of patterns."""
    found = _PATTERN.findall(text)
    values = [numbers.split() for _, numbers in found]
    if not values or {len(row) for row in values} != {60}:
        raise DataCorrupt(f"{name}: not patterns of 60 numbers in braces")
    return np.array([mark == b"*" for mark, _ in found]), np.array(values, dtype=np.float64)
