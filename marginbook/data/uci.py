"""Four small two-class sets of the UCI repository, encoded as in the papers."""

import io

import numpy as np

from . import formats
from .files import read

IONOSPHERE = "uci/ionosphere.data"
VOTES = "uci/house-votes-84.data"
WBC = "uci/breast-cancer-wisconsin.data"
GERMAN = "uci/german.data-numeric"

BILLS = [
    "handicapped-infants",
    "water-project-cost-sharing",
    "adoption-of-the-budget-resolution",
    "physician-fee-freeze",
    "el-salvador-aid",
    "religious-groups-in-schools",
    "anti-satellite-test-ban",
    "aid-to-nicaraguan-contras",
    "mx-missile",
    "immigration",
    "synfuels-corporation-cutback",
    "education-spending",
    "superfund-right-to-sue",
    "crime",
    "duty-free-exports",
    "export-administration-act-south-africa",
]
CELL_FEATURES = [
    "clump-thickness",
    "uniformity-of-cell-size",
    "uniformity-of-cell-shape",
    "marginal-adhesion",
    "single-epithelial-cell-size",
    "bare-nuclei",
    "bland-chromatin",
    "normal-nucleoli",
    "mitoses",
]

# One-based positions among the 683 complete rows; without them the classes are linearly separable
# (Tsampouka and Shawe-Taylor 2007, section 5).
WBC_INSEPARABLE = (2, 4, 191, 217, 227, 245, 252, 286, 307, 420, 475)


def load_ionosphere() -> dict:
    """351 radar returns, 34 attributes; +1 good (g), -1 bad (b)."""
    rows = formats.commas(read(IONOSPHERE), IONOSPHERE, 35)
    names = [f"pulse_{k}_{part}" for k in range(1, 18) for part in ("real", "imaginary")]
    return _two_class(rows, slice(0, 34), 34, "g", ["bad", "good"], names)


def load_votes() -> dict:
    """435 congressmen, 16 votes: y 1, n -1, unknown 0; +1 democrat, -1 republican."""
    vote = {"y": "1", "n": "-1", "?": "0"}
    rows = [[row[0], *(vote[v] for v in row[1:])] for row in formats.commas(read(VOTES), VOTES, 17)]
    return _two_class(rows, slice(1, 17), 0, "democrat", ["republican", "democrat"], BILLS)


def load_wbc(rows: str = "all") -> dict:
    """Wisconsin breast cancer, 9 attributes 1 to 10; +1 malignant (4), -1 benign (2).

    Parameters
    ----------
    rows : {"all", "complete", "separable"}
        "all": 699 rows, a missing value is NaN. "complete": the 683 rows without a missing value.
        "separable": 672 of these, without the eleven that Tsampouka and Shawe-Taylor name.
    """
    if rows not in ("all", "complete", "separable"):
        raise ValueError(f"rows must be 'all', 'complete' or 'separable', not {rows!r}")
    table = formats.commas(read(WBC).replace(b"?", b"nan"), WBC, 11)
    bunch = _two_class(table, slice(1, 10), 10, "4", ["benign", "malignant"], CELL_FEATURES)
    if rows == "all":
        return bunch
    kept = np.flatnonzero(~np.isnan(bunch["data"]).any(axis=1))
    if rows == "separable":
        kept = np.delete(kept, np.array(WBC_INSEPARABLE) - 1)
    return {**bunch, "data": bunch["data"][kept], "target": bunch["target"][kept]}


def load_german() -> dict:
    """1,000 credits, the 24 numeric attributes; +1 good (1), -1 bad (2)."""
    table = np.loadtxt(io.BytesIO(read(GERMAN)), ndmin=2)
    return {
        "data": np.ascontiguousarray(table[:, :24]),
        "target": np.where(table[:, 24] == 1, 1, -1),
        "target_names": ["bad", "good"],
        "feature_names": [f"attribute_{k}" for k in range(1, 25)],
    }


def _two_class(
    rows: list[list[str]], data: slice, label: int, positive: str, classes: list[str], names: list[str]
) -> dict:
    return {
        "data": np.array([row[data] for row in rows], dtype=np.float64),
        "target": np.array([1 if row[label] == positive else -1 for row in rows]),
        "target_names": classes,
        "feature_names": names,
    }
