"""USPS: handwritten digits, 16 x 16 grey values, 7,291 for training and 2,007 for testing, in two forms."""

import numpy as np

from . import formats
from .files import read

RAW = ("usps/zip.train.txt.gz", "usps/zip.test.gz")
SMOOTHED = ("usps/usps.bz2", "usps/usps.t.bz2")
_COMMON = {"target_names": [str(digit) for digit in range(10)], "image_shape": (16, 16)}


def load_raw(thousandths: bool = False) -> dict:
    """Raw grey values, the form that the papers use.

    Parameters
    ----------
    thousandths : bool, default False
        False: -1 to 1. True: the same times 1000, whole numbers, so that float64 holds their inner products
        exactly and no order of summation changes a bit.
    """
    (target, data), (target_test, data_test) = (_raw(path, 1.0 if thousandths else 1000.0) for path in RAW)
    return {"data": data, "target": target, "data_test": data_test, "target_test": target_test, **_COMMON}


def _raw(path: str, unit: float) -> tuple[np.ndarray, np.ndarray]:
    values = formats.grey(read(path), path)
    return values[:, 0].astype(np.int64), values[:, 1:] / unit


def load_smoothed() -> dict:
    """LIBSVM's form: the raw values smoothed by a Gaussian of 0.75 pixel; labels put back to the digit."""
    (data, target), (data_test, target_test) = (formats.libsvm(read(path), 256) for path in SMOOTHED)
    return {
        "data": data.toarray(),
        "target": target - 1,
        "data_test": data_test.toarray(),
        "target_test": target_test - 1,
        **_COMMON,
    }
