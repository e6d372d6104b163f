"""Where files are looked for, how they are checked, and what a bad file or a bad network leads to.

The network is a server on 127.0.0.1; the data set is a toy of one file, put into the registry for a test.
"""

import errno
import gzip
import hashlib
import http.server
import os
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from marginbook import data
from marginbook.data import catalogue, download, files, formats, registry

PLAIN = bytes(range(256)) * 200
PACKED = gzip.compress(np.random.default_rng(0).bytes(40_000) + PLAIN, mtime=0)
PATH = "toy/grey.gz"


def record(payload, *urls, **changes):
    unpacked = len(gzip.decompress(payload))
    file = registry.File(PATH, hashlib.sha256(payload).hexdigest(), len(payload), unpacked, urls)
    return file._replace(**changes)


def load_toy():
    return {"data": np.frombuffer(files.read(PATH), dtype=np.uint8)}


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A data folder, a cache, and the toy data set; the network is on, but the toy has no address yet."""
    monkeypatch.setenv("MARGINBOOK_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("MARGINBOOK_OFFLINE", raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setitem(catalogue.CATALOGUE, "toy", catalogue.Dataset(load_toy, (PATH,), "none", "none"))

    def register(*urls, payload=PACKED, **changes):
        monkeypatch.setitem(registry.FILES, PATH, record(payload, *urls, **changes))

    def put(folder, payload):
        place = tmp_path / folder / PATH
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(payload)
        return place

    register()
    return SimpleNamespace(register=register, put=put, data=tmp_path / "data", cache=tmp_path / "cache")


def everything_below(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def assert_is_toy(bunch):
    assert bunch.data.tobytes() == gzip.decompress(PACKED)


# Places


def test_the_data_folder_comes_before_the_cache(shelf):
    assert not data.available("toy")
    stored = shelf.put("cache", PACKED)
    assert data.find("toy") == [stored] and data.available("toy")
    own = shelf.put("data", PACKED)
    assert data.find("toy") == [own] == data.fetch("toy")
    assert_is_toy(data.load("toy"))
    assert data.checksums("toy") == {PATH: f"sha256:{hashlib.sha256(PACKED).hexdigest()}"}


def test_without_the_environment_variable_the_cache_alone_is_searched(shelf, monkeypatch):
    shelf.put("data", PACKED)
    monkeypatch.setenv("MARGINBOOK_DATA", "")
    assert not data.available("toy")
    assert data.where("toy")[0].put == shelf.cache / PATH


def test_where_tells_place_size_checksum_and_address(shelf):
    shelf.register("http://127.0.0.1/grey.gz")
    (place,) = data.where("toy")
    assert (place.file, place.found, place.put) == (PATH, None, shelf.data / PATH)
    assert (place.size, place.sha256) == (len(PACKED), hashlib.sha256(PACKED).hexdigest())
    assert place.urls == ("http://127.0.0.1/grey.gz",)
    stored = shelf.put("cache", PACKED)
    assert data.where("toy")[0].found == stored


def test_the_cache_is_a_folder_of_the_users_own():
    assert files.cache_folder().name == "marginbook" and files.cache_folder().is_absolute()


@pytest.mark.parametrize(("value", "expected"), [("", False), ("0", False), ("1", True), ("yes", True)])
def test_offline_is_asked_for_by_an_environment_variable(monkeypatch, value, expected):
    monkeypatch.setenv("MARGINBOOK_OFFLINE", value)
    assert files.offline() is expected


@pytest.mark.parametrize("call", [data.load, data.fetch, data.checksums])
def test_offline_and_absent_is_one_error_with_file_folder_and_address_and_no_network(
    shelf, monkeypatch, call
):
    monkeypatch.setenv("MARGINBOOK_OFFLINE", "1")
    shelf.register("http://127.0.0.1/grey.gz")
    calls = []
    monkeypatch.setattr(files, "download", lambda *arguments: calls.append(arguments))
    with pytest.raises(data.DataNotFound) as error:
        call("toy")
    for word in (PATH, str(shelf.data / PATH), "http://127.0.0.1/grey.gz", "MARGINBOOK_OFFLINE is set"):
        assert word in str(error.value)
    assert calls == [] and not shelf.cache.exists()


def test_find_never_touches_the_network(shelf, monkeypatch):
    calls = []
    monkeypatch.setattr(files, "download", lambda *arguments: calls.append(arguments))
    with pytest.raises(data.DataNotFound, match=PATH):
        data.find("toy")
    assert not data.available("toy") and calls == []


def test_covertype_absent_is_a_clear_error(shelf, monkeypatch):
    monkeypatch.setenv("MARGINBOOK_OFFLINE", "1")
    with pytest.raises(data.DataNotFound, match=r"uci/covtype\.data\.gz is not at hand.*https://"):
        data.load("covertype")


def test_covertype_is_loaded_from_a_file_of_the_right_checksum(shelf, monkeypatch):
    text = b",".join([b"%d" % k for k in range(54)] + [b"1"]) + b"\n" + b"0," * 54 + b"7\n"
    payload = gzip.compress(text)
    path = catalogue.CATALOGUE["covertype"].files[0]
    monkeypatch.setitem(registry.FILES, path, record(payload)._replace(path=path))
    (shelf.data / "uci").mkdir(parents=True)
    (shelf.data / path).write_bytes(payload)
    bunch = data.load("covertype", binary=False)
    assert bunch.data[0].tolist() == list(range(54)) and bunch.target.tolist() == [1, 7]
    assert data.load("covertype").target.tolist() == [1, -1]


# Bad files

DAMAGE = {
    "truncated": lambda payload: payload[:-1],
    "empty": lambda payload: b"",
    "altered": lambda payload: payload[:500] + bytes([payload[500] ^ 1]) + payload[501:],
    "oversized": lambda payload: payload + b"\0",
}


@pytest.mark.parametrize("call", [data.load, data.fetch, data.checksums])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_corrupt_and_the_error_names_what_was_expected(shelf, call, damage):
    place = shelf.put("data", DAMAGE[damage](PACKED))
    with pytest.raises(data.DataCorrupt) as error:
        call("toy")
    sha256 = hashlib.sha256(PACKED).hexdigest()
    for word in (str(place), f"{len(PACKED)}", f"{len(DAMAGE[damage](PACKED))} bytes", sha256):
        assert word in str(error.value)


def test_an_enormous_file_is_refused_without_being_read(shelf):
    place = shelf.put("data", b"")
    os.truncate(place, 1 << 28)
    tracemalloc.start()
    with pytest.raises(data.DataCorrupt, match=f"{1 << 28} bytes, {len(PACKED)} expected"):
        data.load("toy")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 22


def test_a_bomb_with_the_right_checksum_stops_at_the_registered_size(shelf):
    bomb = gzip.compress(bytes(1 << 24))
    shelf.register(payload=bomb, unpacked=1000)
    shelf.put("data", bomb)
    with pytest.raises(data.DataCorrupt, match="expands to more than the 1000 bytes"):
        data.load("toy")


def test_a_folder_in_the_place_of_a_file_is_no_file(shelf):
    (shelf.data / PATH).mkdir(parents=True)
    assert not data.available("toy")


@pytest.mark.parametrize("method", ["stat", "open"])
def test_a_file_without_permission_is_one_clear_error(shelf, monkeypatch, method):
    place = shelf.put("data", PACKED)
    original = getattr(Path, method)

    def denied(self, *arguments, **options):
        if self == place:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))
        return original(self, *arguments, **options)

    monkeypatch.setattr(Path, method, denied)
    with pytest.raises(data.DataForbidden, match=f"cannot .* {place}: Permission denied"):
        data.load("toy")


# Downloads


@pytest.fixture
def server(monkeypatch):
    """Good and bad answers; `sent` counts the bytes of the endless one, `asked` the requests."""
    state = SimpleNamespace(sent=0, asked=[], barrier=threading.Barrier(2), halfway=threading.Event())
    state.stop = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            state.asked.append(self.path)
            getattr(self, self.path.strip("/").split(".")[0])()

        def answer(self, payload, length=None, status=200, **headers):
            self.send_response(status)
            if length is not None:
                self.send_header("Content-Length", str(length))
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(payload)

        def good(self):
            self.answer(PACKED, len(PACKED))

        def labelled(self):
            self.answer(PACKED, len(PACKED), Content_Encoding="x-gzip")

        def together(self):
            state.barrier.wait(timeout=30)
            self.answer(PACKED, len(PACKED))

        def wrong(self):
            self.answer(PACKED[::-1], len(PACKED))

        def cut(self):
            self.answer(PACKED[: len(PACKED) // 2], len(PACKED))
            self.close_connection = True

        def short(self):
            self.answer(PACKED[: len(PACKED) // 2])
            self.close_connection = True

        def stalled(self):
            self.answer(PACKED[: len(PACKED) // 2], len(PACKED))
            self.wfile.flush()
            state.halfway.set()
            state.stop.wait(timeout=30)

        def endless(self):
            self.answer(b"")
            try:
                for _ in range(1000):
                    self.wfile.write(bytes(1 << 16))
                    state.sent += 1 << 16
            except OSError:
                self.close_connection = True

        def gone(self):
            self.answer(b"no", 2, status=404)

        def log_message(self, *arguments):
            """Keep the tests' output quiet."""

    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    state.url = lambda name: f"http://127.0.0.1:{service.server_port}/{name}.gz"
    yield state
    state.stop.set()
    service.shutdown()
    thread.join()
    service.server_close()


@pytest.mark.parametrize("answer", ["good", "labelled"])
def test_a_download_is_verified_stored_in_the_cache_and_not_repeated(shelf, server, answer):
    shelf.register(server.url(answer))
    assert_is_toy(data.load("toy"))
    assert everything_below(shelf.cache) == [PATH]
    assert (shelf.cache / PATH).read_bytes() == PACKED
    assert data.fetch("toy") == [shelf.cache / PATH]
    assert_is_toy(data.load("toy"))
    assert len(server.asked) == 1 and not shelf.data.exists()


@pytest.mark.parametrize("bad", ["gone", "cut", "short", "wrong", "endless"])
def test_a_bad_answer_is_passed_over_for_the_next_mirror(shelf, server, bad):
    shelf.register(server.url(bad), server.url("good"))
    assert_is_toy(data.load("toy"))
    assert (shelf.cache / PATH).read_bytes() == PACKED


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("gone", data.DataNotFound),
        ("cut", data.DataNotFound),
        ("short", data.DataCorrupt),
        ("wrong", data.DataCorrupt),
        ("endless", data.DataCorrupt),
    ],
)
def test_a_bad_answer_alone_is_one_error_with_the_address_and_leaves_nothing(shelf, server, answer, kind):
    shelf.register(server.url(answer))
    with pytest.raises(kind) as error:
        data.fetch("toy")
    assert server.url(answer) in str(error.value)
    assert everything_below(shelf.cache.parent) == []


def test_an_endless_answer_is_stopped(shelf, server):
    with pytest.raises(data.DataCorrupt, match="more than the 1000 bytes expected; download stopped"):
        download.download(server.url("endless"), largest=1000)
    assert server.sent < 1000 << 16


def test_no_server_at_all_is_data_not_found(shelf, server):
    shelf.register("http://127.0.0.1:9/grey.gz")
    expected = r"not at hand \(download failed: ConnectionError\)\. Put it at .*127\.0\.0\.1:9/grey\.gz"
    with pytest.raises(data.DataNotFound, match=expected):
        data.load("toy")


def test_fetch_replaces_a_damaged_file_of_the_cache_but_not_the_users_own(shelf, server, monkeypatch):
    shelf.register(server.url("good"))
    shelf.put("cache", PACKED[:-1])
    with pytest.raises(data.DataCorrupt):
        data.load("toy")
    with monkeypatch.context() as context:
        context.setenv("MARGINBOOK_OFFLINE", "1")
        with pytest.raises(data.DataCorrupt):
            data.fetch("toy")
    assert data.fetch("toy") == [shelf.cache / PATH]
    assert_is_toy(data.load("toy"))
    own = shelf.put("data", PACKED[:-1])
    with pytest.raises(data.DataCorrupt):
        data.fetch("toy")
    assert own.read_bytes() == PACKED[:-1]


def test_a_cache_that_cannot_be_made_is_one_clear_error(shelf, server):
    shelf.register(server.url("good"))
    shelf.cache.write_text("a file where the folder should be")
    with pytest.raises(data.DataForbidden, match=f"cannot write {shelf.cache / PATH}"):
        data.load("toy")


@pytest.mark.parametrize(
    ("place", "kind", "expected"),
    [
        (
            "tempfile.NamedTemporaryFile",
            PermissionError(errno.EACCES, "Permission denied"),
            data.DataForbidden,
        ),
        ("os.fsync", OSError(errno.ENOSPC, "No space left on device"), data.DataForbidden),
        ("os.replace", PermissionError(errno.EPERM, "Operation not permitted"), data.DataForbidden),
        ("os.fsync", KeyboardInterrupt(), KeyboardInterrupt),
    ],
)
def test_a_write_that_fails_leaves_no_file_behind(shelf, server, monkeypatch, place, kind, expected):
    shelf.register(server.url("good"))

    def fail(*arguments, **options):
        raise kind

    with monkeypatch.context() as context:
        context.setattr(f"marginbook.data.files.{place}", fail)
        with pytest.raises(expected) as error:
            data.fetch("toy")
    if expected is data.DataForbidden:
        assert f"cannot write {shelf.cache / PATH}: {kind.strerror}" in str(error.value)
    assert everything_below(shelf.cache) == []


def test_a_progress_bar_is_silent_where_the_output_is_no_terminal(shelf, server, capfd):
    shelf.register(server.url("good"))
    data.fetch("toy", progress=True)
    assert capfd.readouterr() == ("", "")


CHILD = """
import hashlib, sys, types
from pathlib import Path
package = types.ModuleType("marginbook")  # the data package alone, without the compiler
package.__path__ = [sys.argv[1]]
sys.modules["marginbook"] = package
from marginbook.data import files, registry
files.cache_folder = lambda: Path(sys.argv[2])
digest, size, unpacked, url = sys.argv[3:]
file = registry.File("toy/grey.gz", digest, int(size), int(unpacked), (url,))
print(hashlib.sha256(files.unpacked(file, files.obtain(file))).hexdigest())
"""


def start(shelf, url):
    package = str(Path(data.__file__).parents[1])
    file = record(PACKED)
    arguments = [package, str(shelf.cache), file.sha256, str(file.size), str(file.unpacked), url]
    return subprocess.Popen([sys.executable, "-c", CHILD, *arguments], stdout=subprocess.PIPE, text=True)


def test_two_processes_that_fetch_at_once_both_get_the_right_array_and_leave_one_whole_file(shelf, server):
    children = [start(shelf, server.url("together")) for _ in range(2)]
    outputs = [child.communicate(timeout=60)[0].strip() for child in children]
    assert outputs == [hashlib.sha256(gzip.decompress(PACKED)).hexdigest()] * 2
    assert len(server.asked) == 2
    assert everything_below(shelf.cache) == [PATH]
    assert (shelf.cache / PATH).read_bytes() == PACKED


def test_a_process_killed_in_the_middle_of_a_download_leaves_nothing(shelf, server):
    child = start(shelf, server.url("stalled"))
    assert server.halfway.wait(timeout=60)
    child.kill()
    child.communicate()
    assert child.returncode != 0
    assert not shelf.cache.exists() or everything_below(shelf.cache) == []


def test_a_reader_sees_a_whole_file_or_none_while_another_writes(tmp_path):
    place = tmp_path / "cache" / "file"
    payloads = [bytes([k]) * 200_000 for k in range(20)]
    seen, done = [], threading.Event()

    def read():
        while not done.is_set():
            try:
                seen.append(place.read_bytes())
            except FileNotFoundError:
                seen.append(b"")

    reader = threading.Thread(target=read)
    reader.start()
    for payload in payloads:
        files.store(place, payload)
    done.set()
    reader.join()
    assert set(seen) <= {b"", *payloads}
    assert place.read_bytes() == payloads[-1]


# Several byte forms of the same values


def grey_text(form):
    values = np.random.default_rng(3).integers(-1000, 1001, (4, 256)) / 1000
    return "".join(
        f"{k}" + "".join(f" {form % v}" for v in row) + "\n" for k, row in enumerate(values)
    ).encode()


@pytest.fixture
def grey(shelf):
    """The toy as grey values, registered by bytes and by values; another byte form of the same values."""
    canonical, other = gzip.compress(grey_text("%g")), gzip.compress(grey_text("%.4f"))
    values = formats.grey_digest(formats.grey(grey_text("%g"), "toy"))
    shelf.register(payload=canonical, values=values, aliases=("toy/upstream.gz",))
    shelf.canonical, shelf.other, shelf.values = canonical, other, values
    return shelf


def test_another_byte_form_with_the_same_values_is_accepted(grey):
    assert grey.other != grey.canonical
    grey.put("data", grey.other)
    parsed = formats.grey(data.load("toy").data.tobytes(), "toy")
    assert formats.grey_digest(parsed) == grey.values
    assert data.checksums("toy") == {PATH: f"values-sha256:{grey.values}"}
    grey.put("data", grey.canonical)
    assert data.checksums("toy") == {PATH: f"sha256:{hashlib.sha256(grey.canonical).hexdigest()}"}


def test_another_byte_form_is_found_under_upstreams_own_name(grey):
    place = grey.put("data", grey.other).rename(grey.data / "toy/upstream.gz")
    assert data.find("toy") == [place] == data.fetch("toy")
    assert len(data.load("toy").data) == len(grey_text("%.4f"))


@pytest.mark.parametrize(
    "payload",
    [
        gzip.compress(grey_text("%.4f").replace(b"0.", b"-0.", 1)),
        gzip.compress(grey_text("%.4f")[:-100]),
        gzip.compress(grey_text("%.4f") * 10),
        gzip.compress(b"\0" * 1000),
        grey_text("%.4f"),
        b"",
    ],
    ids=["one value", "cut text", "ten times the rows", "noise", "not compressed", "empty"],
)
def test_other_values_are_corrupt_whatever_their_form(grey, payload):
    grey.put("data", payload)
    with pytest.raises(data.DataCorrupt, match=f"{grey.data / PATH} is not the registry's {PATH}"):
        data.load("toy")
