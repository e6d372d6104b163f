"""MNIST: handwritten digits, 28 x 28 grey values, 60,000 for training and 10,000 for testing."""

import numpy as np

from . import formats
from .files import read

FILES = (
    "mnist/train-images-idx3-ubyte.gz",
    "mnist/train-labels-idx1-ubyte.gz",
    "mnist/t10k-images-idx3-ubyte.gz",
    "mnist/t10k-labels-idx1-ubyte.gz",
)


def load() -> dict:
    """Pixels 0 to 255 as float64, row by row; digits as integers."""
    images, labels, images_test, labels_test = (formats.idx(read(path), path) for path in FILES)
    return {
        "data": images.reshape(len(images), -1).astype(np.float64),
        "target": labels.astype(np.int64),
        "data_test": images_test.reshape(len(images_test), -1).astype(np.float64),
        "target_test": labels_test.astype(np.int64),
        "target_names": [str(digit) for digit in range(10)],
        "image_shape": images.shape[1:],
    }
