"""Parsers from verified bytes to arrays: compression, IDX, grey values, comma-separated, LIBSVM.

Nothing here opens a file. A length that a file states about itself is checked against what is there.
"""

import bz2
import gzip
import hashlib
import io
import math
import struct
import zlib

import numpy as np

from .errors import DataCorrupt


def unpack(payload: bytes, name: str, limit: int) -> bytes:
    """Decompress by the suffix of the name (.gz, .bz2, or neither), never to more than `limit` bytes.

    Raises
    ------
    DataCorrupt
        The stream is damaged or expands beyond the limit.

    Examples
    --------
    >>> import gzip
    >>> unpack(gzip.compress(b"grey"), "a.gz", limit=4)
    b'grey'
    """
    suffix = name.rsplit(".", 1)[-1]
    if suffix not in ("gz", "bz2"):
        return payload
    packed = io.BytesIO(payload)
    try:
        with gzip.GzipFile(fileobj=packed) if suffix == "gz" else bz2.BZ2File(packed) as stream:
            text = stream.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataCorrupt(f"{name}: the compressed stream is damaged ({error})") from error
    if len(text) > limit:
        raise DataCorrupt(f"{name}: expands to more than the {limit} bytes expected")
    return text


def idx(payload: bytes, name: str) -> np.ndarray:
    """Parse an IDX file of unsigned bytes: 0, 0, 8, number of axes, big-endian axis lengths, then the data.

    Returns
    -------
    ndarray of uint8
        Read-only, of the shape that the header states.

    Raises
    ------
    DataCorrupt
        The magic number, the number of axes (1 to 3) or the payload's size is not what the header needs.

    Examples
    --------
    >>> idx(bytes([0, 0, 8, 1, 0, 0, 0, 2, 5, 0]), "labels").tolist()
    [5, 0]
    """
    n_axes = payload[3] if len(payload) > 3 else 0
    start = 4 + 4 * n_axes
    if payload[:3] != b"\x00\x00\x08" or not 1 <= n_axes <= 3 or len(payload) < start:
        raise DataCorrupt(f"{name}: not an IDX file of unsigned bytes (header {payload[:4].hex()!r})")
    shape = struct.unpack(f">{n_axes}I", payload[4:start])
    if len(payload) - start != math.prod(shape):
        raise DataCorrupt(
            f"{name}: the header states shape {shape}, the file holds {len(payload) - start} bytes"
        )
    return np.frombuffer(payload, dtype=np.uint8, offset=start).reshape(shape)


def grey(text: bytes, name: str) -> np.ndarray:
    """Parse lines `digit, then 256 grey values in [-1, 1] of three decimals`.

    Returns
    -------
    ndarray of int16, shape (n_samples, 257)
        The digit, then the grey values in thousandths.

    Raises
    ------
    DataCorrupt
        A line is not of this form.

    Examples
    --------
    >>> grey(b"6.0000 " + b"-0.5 " * 256, "one digit")[0, :3].tolist()
    [6, -500, -500]
    """
    if not text.strip():
        raise DataCorrupt(f"{name}: empty")
    try:
        table = np.loadtxt(io.BytesIO(text), ndmin=2, comments=None)
    except ValueError as error:
        raise DataCorrupt(f"{name}: {error}") from error
    if table.shape[1] != 257:
        raise DataCorrupt(f"{name}: lines of {table.shape[1]} numbers, 257 expected")
    table[:, 1:] *= 1000.0
    exact = np.rint(table)
    in_range = (
        (table[:, 0] >= 0).all() and (table[:, 0] <= 9).all() and (np.abs(table[:, 1:]) <= 1000.5).all()
    )
    if not (in_range and np.allclose(table, exact, rtol=0.0, atol=1e-6)):
        raise DataCorrupt(f"{name}: not digits 0 to 9 with grey values of three decimals in [-1, 1]")
    return exact.astype(np.int16)


def grey_digest(values: np.ndarray) -> str:
    """SHA-256 of an array of :func:`grey`, row by row as little-endian 16-bit integers."""
    return hashlib.sha256(np.asarray(values, dtype="<i2").tobytes()).hexdigest()


def commas(text: bytes, name: str, n_fields: int) -> list[list[str]]:
    """Split comma-separated ASCII lines into fields; empty lines are left out.

    Raises
    ------
    DataCorrupt
        A line does not have `n_fields` fields.

    Examples
    --------
    >>> commas(b"1,?,g\\n0,1,b\\n", "two rows", 3)
    [['1', '?', 'g'], ['0', '1', 'b']]
    """
    rows = [line.split(",") for line in text.decode("ascii", errors="replace").splitlines() if line]
    for number, row in enumerate(rows, start=1):
        if len(row) != n_fields:
            raise DataCorrupt(f"{name}: row {number} has {len(row)} fields, {n_fields} expected")
    return rows


def libsvm(text: bytes, n_features: int):
    """Parse LIBSVM text with one-based indices.

    Returns
    -------
    data : csr_matrix of float64, shape (n_samples, n_features)
        Indices sorted, 32-bit.
    target : ndarray of int64, shape (n_samples,)

    Examples
    --------
    >>> data, target = libsvm(b"-1 2:1 \\n+1 1:0.5 \\n", n_features=3)
    >>> data.toarray().tolist(), target.tolist()
    ([[0.0, 1.0, 0.0], [0.5, 0.0, 0.0]], [-1, 1])
    """
    from sklearn.datasets import load_svmlight_file

    data, target = load_svmlight_file(
        io.BytesIO(text), n_features=n_features, dtype=np.float64, zero_based=False
    )
    data.indices = data.indices.astype(np.int32, copy=False)
    data.indptr = data.indptr.astype(np.int32, copy=False)
    data.sort_indices()
    return data, target.astype(np.int64)
