"""Data sets as loaded: shapes, class counts, encodings, order of rows, published margins."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from scipy import ndimage, sparse
from sklearn.svm import SVC

import marginbook.data
from marginbook.data import catalogue, files, formats, registry, tictactoe

DIGITS_TRAIN = (5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949)
DIGITS_TEST = (980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009)
USPS_TRAIN = (1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644)
USPS_TEST = (359, 264, 198, 166, 200, 160, 170, 147, 166, 177)

# name, options, features, counts in the order of the sorted labels, the same of the test set
SETS = [
    ("mnist", {}, 784, DIGITS_TRAIN, DIGITS_TEST),
    ("usps", {}, 256, USPS_TRAIN, USPS_TEST),
    ("usps", {"thousandths": True}, 256, USPS_TRAIN, USPS_TEST),
    ("usps-smoothed", {}, 256, USPS_TRAIN, USPS_TEST),
    ("sonar", {}, 60, (55, 49), (42, 62)),
    ("sonar", {"split": "all"}, 60, (97, 111), None),
    ("ionosphere", {}, 34, (126, 225), None),
    ("house-votes", {}, 16, (168, 267), None),
    ("wbc", {}, 9, (458, 241), None),
    ("wbc", {"rows": "complete"}, 9, (444, 239), None),
    ("wbc", {"rows": "separable"}, 9, (435, 237), None),
    ("tic-tac-toe", {}, 9, (332, 626), None),
    ("tic-tac-toe-uci", {}, 9, (332, 626), None),
    ("german", {}, 24, (300, 700), None),
    ("mushroom", {}, 125, (3488, 2156), None),
    ("mushroom", {"encoding": "112"}, 112, (4208, 3916), None),
    ("a1a", {}, 123, (1210, 395), None),
    ("a2a", {}, 123, (1693, 572), None),
    ("a3a", {}, 123, (2412, 773), None),
    ("a4a", {}, 123, (3593, 1188), None),
    ("a5a", {}, 123, (4845, 1569), None),
    ("a6a", {}, 123, (8528, 2692), None),
    ("a7a", {}, 123, (12182, 3918), None),
    ("a8a", {}, 123, (17190, 5506), None),
    ("a9a", {}, 123, (24720, 7841), (12435, 3846)),
    ("w1a", {}, 300, (2405, 72), None),
    ("w2a", {}, 300, (3363, 107), None),
    ("w3a", {}, 300, (4769, 143), None),
    ("w4a", {}, 300, (7150, 216), None),
    ("w5a", {}, 300, (9607, 281), None),
    ("w6a", {}, 300, (16663, 525), None),
    ("w7a", {}, 300, (23952, 740), None),
    ("w8a", {}, 300, (48270, 1479), (14497, 454)),
]
SPARSE = {"mushroom", *(name for name in catalogue.CATALOGUE if name[0] in "aw" and name[-1] == "a")}
NONZEROS = {"a1a": 22249, "a4a": 66290, "a9a": 451592, "w1a": 28410, "w5a": 115120, "w8a": 579586}


def marked(rows):
    return [pytest.param(*row, marks=pytest.mark.data(row[0])) for row in rows]


@pytest.mark.parametrize(("name", "options", "n_features", "counts", "test_counts"), marked(SETS))
def test_shapes_types_and_class_counts_are_those_of_the_source(
    name, options, n_features, counts, test_counts
):
    bunch = marginbook.data.load(name, **options)
    parts = [(bunch.data, bunch.target, counts)]
    if test_counts is not None:
        parts.append((bunch.data_test, bunch.target_test, test_counts))
    assert ("data_test" in bunch) == (test_counts is not None)
    for data, target, expected in parts:
        assert data.shape == (sum(expected), n_features)
        assert data.dtype == np.float64
        assert target.dtype == np.int64
        labels, found = np.unique(target, return_counts=True)
        assert tuple(labels) == ((-1, 1) if len(expected) == 2 else tuple(range(10)))
        assert tuple(found) == expected
        assert len(bunch.target_names) == len(labels)
        if name in SPARSE:
            assert sparse.isspmatrix_csr(data)
            assert data.indices.dtype == data.indptr.dtype == np.int32
            assert data.has_sorted_indices
            assert (data.data == 1.0).all()
        else:
            assert data.flags.c_contiguous and data.flags.writeable
    assert len(bunch.get("feature_names", range(n_features))) == n_features
    assert bunch.name == name and bunch.options == options
    assert bunch.licence and bunch.citation
    assert NONZEROS.get(name) in (None, getattr(bunch.data, "nnz", None))


def test_the_table_above_covers_the_whole_catalogue_but_covertype():
    assert {row[0] for row in SETS} == set(marginbook.data.names()) - {"covertype"}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.data(name))
        for name, dataset in catalogue.CATALOGUE.items()
        for path in dataset.files
        if path.endswith((".gz", ".bz2")) and name != "covertype"
    ],
)
def test_the_registry_states_the_size_after_decompression(path):
    assert len(files.read(path)) == registry.FILES[path].unpacked


def test_every_file_of_the_catalogue_has_a_checksum_a_size_and_addresses():
    used = [path for dataset in catalogue.CATALOGUE.values() for path in dataset.files]
    assert sorted(used) == sorted(registry.FILES)
    for file in registry.FILES.values():
        digests = (file.sha256, *file.also)
        assert all(len(digest) == 64 and int(digest, 16) >= 0 for digest in digests)
        assert 0 < file.size <= file.unpacked
        assert all(url.startswith(("https://", "http://")) and "{" not in url for url in file.urls)
        assert file.urls


@pytest.mark.data("usps")
def test_raw_usps_values_have_the_registered_checksum_and_are_thousandths():
    raw, whole = (marginbook.data.load("usps", thousandths=flag) for flag in (False, True))
    for path, part in zip(catalogue.CATALOGUE["usps"].files, ("data", "data_test"), strict=True):
        assert formats.grey_digest(formats.grey(files.read(path), path)) == registry.FILES[path].values
        np.testing.assert_array_equal(whole[part], np.rint(whole[part]))
        np.testing.assert_array_equal(raw[part], whole[part] / 1000.0)
        assert raw[part].min() == -1.0 and raw[part].max() == 1.0


@pytest.mark.data("usps", "usps-smoothed")
def test_smoothed_usps_is_raw_usps_under_a_gaussian_of_three_quarters_of_a_pixel():
    raw = formats.grey(files.read("usps/zip.test.gz"), "raw")
    smoothed, label = formats.libsvm(files.read("usps/usps.t.bz2"), 256)
    np.testing.assert_array_equal(raw[:, 0], label - 1)
    offset = np.arange(-3, 4) ** 2
    window = np.exp(-(offset[:, None] + offset) / (2 * 0.75**2))
    images = raw[:, 1:].reshape(-1, 16, 16) / 1000.0 + 1.0  # zero outside the image
    expected = ndimage.correlate(images, (window / window.sum())[None], mode="constant") - 1.0
    np.testing.assert_allclose(smoothed.toarray(), expected.reshape(-1, 256), atol=2e-6)


def rows_of(name):
    bunch = marginbook.data.load(name)
    starts = bunch.data.indptr
    return [
        (label, bunch.data.indices[start:stop].tobytes())
        for label, start, stop in zip(bunch.target, starts[:-1], starts[1:], strict=True)
    ]


@pytest.mark.data(*(f"a{k}a" for k in range(1, 10)), *(f"w{k}a" for k in range(1, 9)))
@pytest.mark.parametrize(("family", "last"), [("a", 9), ("w", 8)])
def test_each_subset_of_adult_and_web_is_an_ordered_sublist_of_the_next(family, last):
    smaller = rows_of(f"{family}1a")
    for k in range(2, last + 1):
        larger = rows_of(f"{family}{k}a")
        rest = iter(larger)
        assert all(row in rest for row in smaller), f"{family}{k}a does not contain its predecessor"
        smaller = larger


@pytest.mark.data("w2a")
def test_w2a_is_accepted_with_its_two_undetermined_zero_rows_on_either_side_and_not_elsewhere():
    file = registry.FILES["libsvm/w2a"]
    lines = files.obtain(file).splitlines(keepends=True)

    def moved(*pairs):
        text = list(lines)
        for source, place in pairs:
            text.insert(place - 1, text.pop(source - 1))
        return b"".join(text)

    texts = [moved(), moved((886, 887)), moved((1004, 1006)), moved((886, 887), (1004, 1006))]
    forms = {files.verify(file, text, "w2a") for text in texts}
    assert forms == {f"sha256:{digest}" for digest in (file.sha256, *file.also)} and len(forms) == 4
    with pytest.raises(marginbook.data.DataCorrupt):
        files.verify(file, moved((1004, 1005)), "w2a")


@pytest.mark.data("tic-tac-toe-uci")
def test_generated_tic_tac_toe_equals_the_file_row_by_row():
    generated, stored = marginbook.data.load("tic-tac-toe"), marginbook.data.load("tic-tac-toe-uci")
    np.testing.assert_array_equal(generated.data, stored.data)
    np.testing.assert_array_equal(generated.target, stored.target)


def test_tic_tac_toe_has_each_final_board_once_and_labels_it_by_x_winning():
    bunch = marginbook.data.load("tic-tac-toe")
    assert len(np.unique(bunch.data, axis=0)) == 958
    sums = bunch.data[:, np.array(tictactoe.LINES)].sum(axis=2)
    np.testing.assert_array_equal((sums == 3).any(axis=1), bunch.target == 1)
    assert ((sums == -3).any(axis=1) & (bunch.target == 1)).sum() == 0
    drawn = (np.abs(sums) < 3).all(axis=1)
    assert drawn.sum() == 16 and (bunch.data[drawn] != 0).all()


@pytest.mark.data("house-votes")
def test_votes_are_1_and_minus_1_and_unknown_votes_0():
    data = marginbook.data.load("house-votes").data
    assert set(np.unique(data)) == {-1.0, 0.0, 1.0}
    assert (data == 0).sum() == 392 and (data == 0).any(axis=1).sum() == 203


@pytest.mark.data("wbc")
def test_wbc_marks_its_16_missing_values_and_drops_eleven_of_the_complete_rows():
    whole, complete, separable = (
        marginbook.data.load("wbc", rows=rows).data for rows in ("all", "complete", "separable")
    )
    assert np.isnan(whole).sum() == 16
    np.testing.assert_array_equal(complete, whole[~np.isnan(whole).any(axis=1)])
    assert complete.min() == 1 and complete.max() == 10
    np.testing.assert_array_equal(separable[:2], complete[[0, 2]])  # positions 2 and 4, from 1, are gone
    np.testing.assert_array_equal(separable[2:188], complete[4:190])
    np.testing.assert_array_equal(separable[-208:], complete[-208:])


@pytest.mark.data("wbc", "sonar")
def test_radii_are_those_of_the_micra_paper():
    def squared_radius(data, rho, delta=0.0):
        return (data**2).sum(axis=1).max() + rho**2 + delta**2

    assert squared_radius(marginbook.data.load("wbc", rows="separable").data, rho=30) == 1716
    assert squared_radius(marginbook.data.load("wbc", rows="complete").data, rho=10, delta=1) == 917
    assert round(np.sqrt(squared_radius(marginbook.data.load("sonar").data, rho=1)), 4) == 3.8121


@pytest.mark.data("wbc")
def test_the_672_rows_of_wbc_are_separable_with_the_margin_of_the_micra_paper():
    bunch = marginbook.data.load("wbc", rows="separable")
    rows = np.column_stack([bunch.data, np.full(672, 30.0)]) * bunch.target[:, None]
    mirrored = np.concatenate([rows, -rows])  # symmetric about the origin, so the machine's bias is zero
    machine = SVC(kernel="precomputed", C=1e8, tol=1e-4).fit(mirrored @ mirrored.T, np.repeat([1, -1], 672))
    assert round(1 / np.sqrt(np.abs(machine.dual_coef_).sum()), 4) == 0.0243


@pytest.mark.data("mushroom")
def test_mushroom_125_has_22_ones_a_row_one_for_each_attribute_of_the_description():
    bunch = marginbook.data.load("mushroom")
    assert (np.diff(bunch.data.indptr) == 22).all()
    attributes = np.array([name.split("=")[0] for name in bunch.feature_names])
    assert len(set(bunch.feature_names)) == 125
    for attribute in set(attributes):
        assert (bunch.data[:, attributes == attribute].sum(axis=1) == 1).all()
    assert len(np.unique(bunch.data.indices)) == 98  # 27 values of the description occur in no complete row


@pytest.mark.data("mushroom")
def test_both_mushroom_encodings_describe_the_same_rows():
    libsvm = marginbook.data.load("mushroom", encoding="112")
    assert (np.diff(libsvm.data.indptr) == 21).all()
    rows = formats.commas(files.read("uci/agaricus-lepiota.data"), "mushroom", 23)
    np.testing.assert_array_equal(libsvm.target, [1 if row[0] == "p" else -1 for row in rows])
    attributes = [
        values for j, values in enumerate(zip(*rows, strict=True)) if j not in (0, 11)
    ]  # stalk-root
    expected = [np.array(values) == value for values in attributes for value in set(values)]
    found = libsvm.data.toarray().astype(bool).T
    assert sorted(column.tobytes() for column in found) == sorted(column.tobytes() for column in expected)


@pytest.mark.data("sonar")
def test_sonar_split_is_a_partition_of_all_rows():
    split, whole = marginbook.data.load("sonar"), marginbook.data.load("sonar", split="all")
    parts = np.concatenate([split.data, split.data_test])
    labels = np.concatenate([split.target, split.target_test])
    joined = sorted(zip(parts.tolist(), labels.tolist(), strict=True))
    assert joined == sorted(zip(whole.data.tolist(), whole.target.tolist(), strict=True))


@njit
def perceptron_with_margin(rows, b):
    """Updates and directional margin of the perceptron with margin, cycling until none is violated."""
    a = np.zeros(rows.shape[1])
    n_updates, found = 0, 1
    while found > 0:
        found = 0
        for k in range(len(rows)):
            if a @ rows[k] <= b:
                a += rows[k]
                found += 1
        n_updates += found
    return n_updates, (rows @ a).min() / np.sqrt(a @ a)


@pytest.mark.data("sonar")
def test_sonar_row_order_reproduces_the_update_count_of_tsampouka_table_1():
    bunch = marginbook.data.load("sonar")
    rows = np.column_stack([bunch.data, np.ones(104)]) * bunch.target[:, None]
    n_updates, margin = perceptron_with_margin(rows, 3.9 * (rows**2).sum(axis=1).max())
    assert n_updates == 820261
    assert round(1e3 * margin, 2) == 7.27


@pytest.mark.parametrize(
    ("name", "options", "squared_delta", "published"),
    marked(
        [
            ("ionosphere", {}, 1, 0.10554),
            ("house-votes", {}, 1, 0.16846),
            ("wbc", {"rows": "complete"}, 1, 0.13034),
            ("tic-tac-toe", {}, 1, 0.10300),
            ("german", {}, 625, 0.95361),
            ("mushroom", {}, 0, 0.36551),
            ("a1a", {}, 1, 0.039383),
        ]
    ),
)
def test_encoding_gives_the_soft_margin_of_tsampouka_tables_5_and_6(name, options, squared_delta, published):
    bunch = marginbook.data.load(name, **options)
    X = bunch.data.toarray() if sparse.issparse(bunch.data) else bunch.data
    gram = X @ X.T + squared_delta * np.eye(len(X))
    machine = SVC(kernel="precomputed", C=1e8, tol=1e-4).fit(gram, bunch.target)
    margin = 1 / np.sqrt(np.abs(machine.dual_coef_).sum())
    assert published == pytest.approx(margin, rel=1.5e-3)


def test_unknown_names_and_options_are_refused_with_what_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("MARGINBOOK_DATA", str(tmp_path))
    with pytest.raises(ValueError, match="did you mean 'mnist'"):
        marginbook.data.load("mnits")
    with pytest.raises(ValueError, match="known: mnist, usps"):
        marginbook.data.find("?")
    with pytest.raises(TypeError, match=r"'usps' has no option 'scale'; it has: thousandths"):
        marginbook.data.load("usps", scale=2)
    with pytest.raises(TypeError, match=r"'a1a' has no option 'rows'; it has: none"):
        marginbook.data.load("a1a", rows="all")
    for name, option in (("sonar", "split"), ("wbc", "rows"), ("mushroom", "encoding")):
        with pytest.raises(ValueError, match=f"{option} must be .* not 'half'"):
            marginbook.data.load(name, **{option: "half"})


def test_importing_the_package_reads_no_heavy_library():
    code = (
        "import sys, types; package = types.ModuleType('marginbook'); package.__path__ = [sys.argv[1]]; "
        "sys.modules['marginbook'] = package; import marginbook.data, marginbook.data.synthetic; "
        "print(*{'pandas', 'matplotlib', 'sklearn', 'scipy', 'requests', 'pooch'} & set(sys.modules))"
    )
    folder = str(Path(marginbook.data.__file__).parents[1])
    found = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
