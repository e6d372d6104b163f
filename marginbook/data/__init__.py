"""Data sets of the five papers, each file checked by SHA-256 before it is parsed, and synthetic generators.

A file is looked for in the folder that the environment variable MARGINBOOK_DATA names, then in the user's
cache, and is otherwise downloaded from its upstream. MARGINBOOK_OFFLINE=1 forbids the network.
"""

import difflib
import inspect
from pathlib import Path
from typing import NamedTuple

from . import files
from .catalogue import CATALOGUE, Dataset
from .errors import DataCorrupt, DataForbidden, DataNotFound
from .registry import FILES, File

__all__ = [
    "DataCorrupt",
    "DataForbidden",
    "DataNotFound",
    "Place",
    "available",
    "checksums",
    "fetch",
    "find",
    "load",
    "names",
    "where",
]


class Place(NamedTuple):
    """A file of a data set, and where it lies or should lie."""

    file: str  # path below the data folder
    found: Path | None  # where it lies, None when it is not at hand
    put: Path  # where to put it by hand
    size: int  # bytes
    sha256: str
    urls: tuple[str, ...]


def names() -> list[str]:
    """Names that :func:`load` knows.

    Examples
    --------
    >>> names()[:3]
    ['mnist', 'usps', 'usps-smoothed']
    """
    return list(CATALOGUE)


def _dataset(name: str) -> Dataset:
    if name not in CATALOGUE:
        near = difflib.get_close_matches(str(name), CATALOGUE, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(CATALOGUE)}"
        raise ValueError(f"no data set is called {name!r}; {hint}")
    return CATALOGUE[name]


def _files(name: str) -> list[File]:
    return [FILES[path] for path in _dataset(name).files]


def load(name: str, **options):
    """Load a data set, downloading what is not at hand.

    ====================  ============================================================================
    name                  classes; option and its values, the default first
    ====================  ============================================================================
    mnist                 digits; pixels 0 to 255
    usps                  digits; raw grey values, `thousandths=False` (-1 to 1) or `True` (whole numbers)
    usps-smoothed         digits; LIBSVM's form
    sonar                 +1 mine; `split="aspect"` (104 and 104 rows) or `"all"` (208)
    ionosphere            +1 good
    house-votes           +1 democrat; y, n, ? as 1, -1, 0
    wbc                   +1 malignant; `rows="all"` (699, NaN), `"complete"` (683), `"separable"` (672)
    tic-tac-toe           +1 x has won; x, o, blank as 1, -1, 0; generated
    tic-tac-toe-uci       the same, from the file
    german                +1 good
    mushroom              +1 poisonous; CSR, `encoding="125"` (5,644 rows) or `"112"` (8,124)
    a1a, ..., a9a         +1 income above 50K; CSR, 123 features
    w1a, ..., w8a         +1 in the category; CSR, 300 features
    covertype             +1 class 1; `binary=True`, or `False` for classes 1 to 7
    ====================  ============================================================================

    Parameters
    ----------
    name : str
        One of :func:`names`.
    **options
        As in the table.

    Returns
    -------
    sklearn.utils.Bunch
        `data`, ndarray of float64 (C-contiguous) or csr_matrix of float64, shape (n_samples, n_features);
        `target`, ndarray of int64, shape (n_samples,), digits or 1 and -1; `target_names`, in the order of
        the sorted labels; `feature_names`, where they exist; `data_test` and `target_test`, where there is a
        test set; `image_shape` of images; `name`, `options`, `source` (addresses), `licence`, `citation`.

    Raises
    ------
    ValueError
        The name, or the value of an option, is not known.
    TypeError
        The data set has no such option.
    DataNotFound, DataCorrupt, DataForbidden
        A file is absent and cannot be downloaded, is not the registry's, or cannot be read or written.

    Examples
    --------
    >>> bunch = load("tic-tac-toe")
    >>> bunch.data.shape, int((bunch.target == 1).sum())
    ((958, 9), 626)
    """
    from sklearn.utils import Bunch

    dataset = _dataset(name)
    known = inspect.signature(dataset.load).parameters
    for option in options:
        if option not in known:
            raise TypeError(
                f"data set {name!r} has no option {option!r}; it has: {', '.join(known) or 'none'}"
            )
    return Bunch(
        **dataset.load(**options),
        name=name,
        options=options,
        source=[url for file in _files(name) for url in file.urls],
        licence=dataset.licence,
        citation=dataset.citation,
    )


def find(name: str) -> list[Path]:
    """Paths of a data set's files, without the network; empty for a generated set.

    The bytes are not looked at: :func:`load` and :func:`fetch` do that.

    Raises
    ------
    DataNotFound
        A file is not at hand; the message says which, where to put it, and its URL.

    Examples
    --------
    >>> find("tic-tac-toe")
    []
    """
    places = []
    for file in _files(name):
        place = files.locate(file)
        if place is None:
            raise files.missing(file, "nothing was downloaded")
        places.append(place)
    return places


def available(name: str) -> bool:
    """Whether all files of a data set are at hand, without the network.

    Examples
    --------
    >>> available("tic-tac-toe")
    True
    """
    return all(files.locate(file) is not None for file in _files(name))


def fetch(name: str, progress: bool = False) -> list[Path]:
    """Verify a data set's files, downloading those that are absent; return their paths.

    A damaged file in the cache is replaced. One in the folder of MARGINBOOK_DATA is the user's, and an error.

    Parameters
    ----------
    name : str
    progress : bool, default False
        Show a bar for each download when standard error is a terminal.

    Raises
    ------
    DataNotFound, DataCorrupt, DataForbidden
        As :func:`load`.

    Examples
    --------
    >>> fetch("tic-tac-toe")
    []
    """
    return [files.ensure(file, progress) for file in _files(name)]


def where(name: str) -> list[Place]:
    """For each file of a data set: where it lies, or where to put it and what it must be.

    Examples
    --------
    >>> where("german")[0].file
    'uci/german.data-numeric'
    """
    folder = files.data_folder() or files.cache_folder()
    return [
        Place(file.path, files.locate(file), folder / file.path, file.size, file.sha256, file.urls)
        for file in _files(name)
    ]


def checksums(name: str) -> dict[str, str]:
    """Checksums of the files from which a data set is loaded, for the provenance of a stored result.

    Returns
    -------
    dict
        Path below the data folder to `sha256:...` of the bytes at hand, or to `values-sha256:...` of the
        parsed values, where raw USPS lies in another byte form. Empty for a generated set.

    Raises
    ------
    DataNotFound, DataCorrupt, DataForbidden
        As :func:`load`.

    Examples
    --------
    >>> checksums("tic-tac-toe")
    {}
    """
    return {file.path: files.checksum(file) for file in _files(name)}
