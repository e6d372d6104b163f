"""Covertype: 581,012 patches of forest, 54 attributes, seven cover types."""

import io

import numpy as np

from .errors import DataCorrupt
from .files import read

FILE = "uci/covtype.data.gz"
MEASURES = [
    "elevation",
    "aspect",
    "slope",
    "horizontal-distance-to-hydrology",
    "vertical-distance-to-hydrology",
    "horizontal-distance-to-roadways",
    "hillshade-9am",
    "hillshade-noon",
    "hillshade-3pm",
    "horizontal-distance-to-fire-points",
]
AREAS = [f"wilderness-area-{k}" for k in range(1, 5)]
SOILS = [f"soil-type-{k}" for k in range(1, 41)]
TYPES = [
    "spruce/fir",
    "lodgepole pine",
    "ponderosa pine",
    "cottonwood/willow",
    "aspen",
    "douglas-fir",
    "krummholz",
]


def load(binary: bool = True) -> dict:
    """Attributes as they are, in one dense array.

    Parameters
    ----------
    binary : bool, default True
        True: class 1 (spruce/fir) is +1, the rest -1, as in Tsampouka and Shawe-Taylor. False: 1 to 7.
    """
    return parse(read(FILE), binary)


def parse(text: bytes, binary: bool) -> dict:
    """Arrays from lines of 55 comma-separated whole numbers, the last of them the class."""
    try:
        table = np.loadtxt(io.BytesIO(text), delimiter=",", dtype=np.int16, ndmin=2)
    except ValueError as error:
        raise DataCorrupt(f"{FILE}: {error}") from error
    if table.shape[1] != 55:
        raise DataCorrupt(f"{FILE}: lines of {table.shape[1]} numbers, 55 expected")
    cover = table[:, 54].astype(np.int64)
    return {
        "data": table[:, :54].astype(np.float64, order="C"),
        "target": np.where(cover == 1, 1, -1) if binary else cover,
        "target_names": ["the rest", TYPES[0]] if binary else TYPES,
        "feature_names": MEASURES + AREAS + SOILS,
    }
