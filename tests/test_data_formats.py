"""Parsers of data files: round trips, and damage that must not pass."""

import bz2
import gzip
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from marginbook.data import DataCorrupt, covertype, formats

ARRAYS = hnp.arrays(np.uint8, hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=6))
QUICK = settings(max_examples=150, deadline=None, derandomize=True, database=None)


def encode(array):
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


@QUICK
@given(ARRAYS)
def test_idx_returns_what_was_encoded(array):
    parsed = formats.idx(encode(array), "an array")
    assert parsed.dtype == np.uint8
    np.testing.assert_array_equal(parsed, array)


@QUICK
@given(ARRAYS, st.data())
def test_idx_with_a_mutated_header_is_refused_or_holds_exactly_the_bytes_that_are_there(array, draw):
    payload = bytearray(encode(array))
    for _ in range(draw.draw(st.integers(1, 3))):
        place = draw.draw(st.integers(0, 3 + 4 * array.ndim))
        payload[place] = draw.draw(st.integers(0, 255))
    try:
        parsed = formats.idx(bytes(payload), "an array")
    except DataCorrupt:
        return
    assert parsed.size == len(payload) - 4 - 4 * parsed.ndim
    assert parsed.tobytes() == bytes(payload)[4 + 4 * parsed.ndim :]


@QUICK
@given(ARRAYS, st.integers(1, 40))
def test_idx_is_refused_when_cut_or_extended(array, n_bytes):
    payload = encode(array)
    for damaged in (payload[:-n_bytes], payload + bytes(n_bytes)):
        with pytest.raises(DataCorrupt):
            formats.idx(damaged, "an array")


def test_idx_that_states_four_billion_rows_is_refused_without_allocating_them():
    header = b"\x00\x00\x08\x03" + struct.pack(">3I", 2**32 - 1, 2**32 - 1, 2**32 - 1)
    tracemalloc.start()
    with pytest.raises(DataCorrupt, match="the file holds 10 bytes"):
        formats.idx(header + bytes(10), "a lie")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


@pytest.mark.parametrize("module", [gzip, bz2])
def test_a_decompression_bomb_stops_at_the_limit(module):
    suffix = {gzip: "gz", bz2: "bz2"}[module]
    bomb = module.compress(bytes(1 << 26))
    tracemalloc.start()
    with pytest.raises(DataCorrupt, match="expands to more than the 1000 bytes expected"):
        formats.unpack(bomb, f"bomb.{suffix}", limit=1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 22


@pytest.mark.parametrize("module", [gzip, bz2])
def test_unpacking_reaches_the_limit_exactly(module):
    name = {gzip: "a.gz", bz2: "a.bz2"}[module]
    assert formats.unpack(module.compress(b"12345"), name, limit=5) == b"12345"
    with pytest.raises(DataCorrupt):
        formats.unpack(module.compress(b"123456"), name, limit=5)


@pytest.mark.parametrize("module", [gzip, bz2])
@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b"?" + b[1:], lambda b: b[:-1]])
def test_a_damaged_stream_is_corrupt(module, damage):
    name = {gzip: "a.gz", bz2: "a.bz2"}[module]
    payload = module.compress(np.random.default_rng(0).bytes(5000))
    with pytest.raises(DataCorrupt, match="damaged"):
        formats.unpack(damage(payload), name, limit=10_000)


def line(digit, values, form="{:g}"):
    return " ".join([str(digit), *(form.format(value) for value in values)]) + "\n"


def test_grey_values_do_not_depend_on_how_the_decimals_are_written():
    values = np.random.default_rng(1).integers(-1000, 1001, (3, 256)) / 1000
    short, long = (
        "".join(line(f"{digit}{dot}", row, form) for digit, row in zip((0, 9, 5), values, strict=True))
        for dot, form in (("", "{:.3g}"), (".0000", "{:.4f}"))
    )
    parsed = formats.grey(short.encode(), "short")
    np.testing.assert_array_equal(parsed, formats.grey(long.encode(), "long"))
    np.testing.assert_array_equal(parsed[:, 0], [0, 9, 5])
    np.testing.assert_array_equal(parsed[:, 1:] / 1000.0, values)
    assert formats.grey_digest(parsed) == formats.grey_digest(parsed.astype(np.int64))
    parsed[0, 7] += 1
    assert formats.grey_digest(parsed) != formats.grey_digest(formats.grey(short.encode(), "short"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5 0.1\n",
        line(5, [0.1] * 255),
        line(5, [0.1] * 257),
        line(10, [0.1] * 256),
        line(-1, [0.1] * 256),
        line(0.5, [0.1] * 256),
        line(5, [0.1] * 255 + [1.1]),
        line(5, [0.1] * 255 + [0.1234]),
        line(5, [0.1] * 255 + [float("nan")]),
        line(5, [0.1] * 255 + [float("inf")]),
        line("#5", [0.1] * 256),
        line(5, [0.1] * 256) + "5\n",
        line("os", [0.1] * 256),
    ],
)
def test_lines_that_are_not_grey_values_are_refused(text):
    with pytest.raises(DataCorrupt, match="sample"):
        formats.grey(text.encode(), "sample")


@QUICK
@given(st.binary(max_size=200))
def test_no_bytes_at_all_make_the_grey_parser_fail_in_another_way(noise):
    text = line(5, [0.1] * 256).encode()
    try:
        parsed = formats.grey(text + noise, "sample")
    except DataCorrupt:
        return
    assert parsed.shape[1] == 257 and parsed[0, 0] == 5


def test_a_row_with_a_wrong_number_of_fields_is_named():
    with pytest.raises(DataCorrupt, match="table: row 2 has 3 fields, 2 expected"):
        formats.commas(b"a,b\nc,d,e\n", "table", 2)


def test_libsvm_text_takes_the_dimension_that_is_asked_for():
    data, target = formats.libsvm(b"-1 \n+1 3:0.5 7:-2 \n", n_features=9)
    assert data.shape == (2, 9) and target.tolist() == [-1, 1]
    np.testing.assert_array_equal(data.toarray()[1], [0, 0, 0.5, 0, 0, 0, -2, 0, 0])


def test_covertype_labels_are_class_one_against_the_rest_or_the_seven_types():
    table = np.random.default_rng(0).integers(0, 7000, (7, 55))
    table[:, 54] = [1, 2, 3, 4, 5, 6, 7]
    text = "\n".join(",".join(map(str, row)) for row in table).encode()
    binary, whole = covertype.parse(text, binary=True), covertype.parse(text, binary=False)
    np.testing.assert_array_equal(binary["data"], table[:, :54])
    assert binary["data"].flags.c_contiguous and binary["data"].dtype == np.float64
    assert binary["target"].tolist() == [1, -1, -1, -1, -1, -1, -1]
    assert whole["target"].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert len(whole["target_names"]) == 7 and len(whole["feature_names"]) == 54


@pytest.mark.parametrize("text", [b"1,2,3\n", b"a," * 54 + b"1\n", b"99999," * 54 + b"1\n"])
def test_lines_that_are_not_covertype_are_refused(text):
    with pytest.raises(DataCorrupt, match="covtype"):
        covertype.parse(text, binary=True)
