"""Mushroom: 22 nominal attributes of gilled mushrooms; +1 poisonous, -1 edible; two binary encodings."""

import numpy as np

from . import formats
from .files import read

UCI = "uci/agaricus-lepiota.data"
LIBSVM = "libsvm/mushrooms"

# The values that the data set's description lists, in its order: 126 with stalk-root's "missing". A complete
# row never misses, so 125 indicators remain. Only 117 of the 126 occur in the 8,124 rows, and 98 in the
# 5,644 complete ones: the 125 of Tsampouka and Shawe-Taylor counts the description, not the rows.
VALUES = {
    "cap-shape": "bcxfks",
    "cap-surface": "fgys",
    "cap-color": "nbcgrpuewy",
    "bruises": "tf",
    "odor": "alcyfmnps",
    "gill-attachment": "adfn",
    "gill-spacing": "cwd",
    "gill-size": "bn",
    "gill-color": "knbhgropuewy",
    "stalk-shape": "et",
    "stalk-root": "bcuezr",
    "stalk-surface-above-ring": "fyks",
    "stalk-surface-below-ring": "fyks",
    "stalk-color-above-ring": "nbcgopewy",
    "stalk-color-below-ring": "nbcgopewy",
    "veil-type": "pu",
    "veil-color": "nowy",
    "ring-number": "not",
    "ring-type": "ceflnpsz",
    "spore-print-color": "knbhrouwy",
    "population": "acnsvy",
    "habitat": "glmpuwd",
}


def load(encoding: str = "125") -> dict:
    """Indicators of attribute values, as CSR.

    Parameters
    ----------
    encoding : {"125", "112"}
        "125": the 5,644 complete rows of the UCI file, one indicator for each value in the description;
        exactly 22 ones in a row. "112": the 8,124 rows of LIBSVM's file, without stalk-root, one indicator
        for each value that occurs; exactly 21 ones in a row.
    """
    classes = {"target_names": ["edible", "poisonous"]}
    if encoding == "112":
        data, target = formats.libsvm(read(LIBSVM), 112)
        return {"data": data, "target": np.where(target == 1, 1, -1), **classes}
    if encoding != "125":
        raise ValueError(f"encoding must be '125' or '112', not {encoding!r}")
    rows = [row for row in formats.commas(read(UCI), UCI, 23) if "?" not in row]
    names = [f"{attribute}={value}" for attribute, values in VALUES.items() for value in values]
    return {
        "data": _indicators([row[1:] for row in rows]),
        "target": np.array([1 if row[0] == "p" else -1 for row in rows]),
        "feature_names": names,
        **classes,
    }


def _indicators(rows: list[list[str]]):
    from scipy.sparse import csr_matrix

    column, place = {}, 0
    for attribute, values in enumerate(VALUES.values()):
        for value in values:
            column[attribute, value] = place
            place += 1
    columns = np.array([[column[pair] for pair in enumerate(row)] for row in rows], dtype=np.int32)
    n_rows, n_true = columns.shape
    starts = np.arange(0, columns.size + 1, n_true, dtype=np.int32)
    return csr_matrix((np.ones(columns.size), columns.ravel(), starts), shape=(n_rows, place))
