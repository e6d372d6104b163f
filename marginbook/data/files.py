"""Find a file of the registry, or download it, and hand back its verified bytes.

A file is read once; the bytes that are hashed are the bytes that are parsed. A download is held in memory
until it is verified and then moved into place in one step, so a cut download leaves nothing behind and two
processes that fetch at once both end with a whole file.
"""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from . import formats
from .download import download
from .errors import DataCorrupt, DataForbidden, DataNotFound
from .registry import FILES, File


def data_folder() -> Path | None:
    """The folder named by the environment variable MARGINBOOK_DATA, if it is set."""
    name = os.environ.get("MARGINBOOK_DATA", "")
    return Path(name).expanduser() if name else None


def cache_folder() -> Path:
    """The user's cache, into which downloads go."""
    import pooch

    return Path(pooch.os_cache("marginbook"))


def offline() -> bool:
    """Whether MARGINBOOK_OFFLINE forbids the network; unset, empty and 0 do not."""
    return os.environ.get("MARGINBOOK_OFFLINE", "") not in ("", "0")


def locate(file: File) -> Path | None:
    """Where a file lies: in MARGINBOOK_DATA, else in the cache, else None. Its bytes are not looked at."""
    for folder in filter(None, (data_folder(), cache_folder())):
        for path in (file.path, *file.aliases):
            place = folder / path
            try:
                if stat.S_ISREG(place.stat().st_mode):
                    return place
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise DataForbidden(f"cannot look for {place}: {error.strerror}") from error
    return None


def verify(file: File, payload: bytes, place: object) -> str:
    """Check bytes against the registry and return the checksum that they match.

    Returns
    -------
    str
        `sha256:...` of the bytes, or `values-sha256:...` of the values where only these agree.

    Raises
    ------
    DataCorrupt
        Neither the bytes nor, where the registry has them, the values are as expected.
    """
    found = hashlib.sha256(payload).hexdigest()
    if found in (file.sha256, *file.also):
        return f"sha256:{found}"
    message = (
        f"{place} is not the registry's {file.path}: expected {file.size} bytes with SHA-256 {file.sha256}, "
        f"found {len(payload)} bytes with {found}"
    )
    if not file.values:
        raise DataCorrupt(message)
    try:
        values = formats.grey_digest(formats.grey(unpacked(file, payload), file.path))
    except DataCorrupt as error:
        raise DataCorrupt(f"{message}; nor do its values parse ({error})") from error
    if values != file.values:
        raise DataCorrupt(f"{message}; values expected {file.values}, found {values}")
    return f"values-sha256:{values}"


def unpacked(file: File, payload: bytes) -> bytes:
    """The payload after decompression, within the registry's limit."""
    return formats.unpack(payload, file.path, file.largest_unpacked)


def read_local(file: File, place: Path) -> bytes:
    """Read at most the largest size accepted, and verify.

    Raises
    ------
    DataCorrupt
        The file is oversized or its checksum differs.
    DataForbidden
        It cannot be read.
    """
    try:
        with place.open("rb") as stream:
            payload = stream.read(file.largest + 1)
    except OSError as error:
        raise DataForbidden(f"cannot read {place}: {error.strerror}") from error
    if len(payload) > file.largest:
        size = place.stat().st_size
        raise DataCorrupt(f"{place}: {size} bytes, {file.size} expected (SHA-256 {file.sha256})")
    verify(file, payload, place)
    return payload


def store(place: Path, payload: bytes) -> None:
    """Write a whole file or nothing: a temporary file beside it, then one rename.

    Raises
    ------
    DataForbidden
        The folder cannot be made or written.
    """
    temporary = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place.parent, prefix=".fetching-", delete=False) as stream:
            temporary = stream.name
            stream.write(payload)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, place)
        temporary = None
    except OSError as error:
        raise DataForbidden(f"cannot write {place}: {error.strerror}") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def missing(file: File, why: str) -> DataNotFound:
    """The one error for a file that is not at hand."""
    folder = data_folder() or cache_folder()
    urls = ", ".join(file.urls)
    return DataNotFound(
        f"{file.path} is not at hand ({why}). Put it at {folder / file.path}"
        f"{'' if data_folder() else ' or below the folder named by MARGINBOOK_DATA'}. It comes from {urls}"
    )


def fetch_file(file: File, progress: bool = False) -> bytes:
    """Download from the first address that gives the right bytes, store in the cache, return the bytes.

    Raises
    ------
    DataNotFound
        Offline, or no address answered.
    DataCorrupt
        An address answered, none with the right bytes.
    DataForbidden
        The cache cannot be written.
    """
    if offline():
        raise missing(file, "MARGINBOOK_OFFLINE is set")
    failures, corrupt = [], None
    for url in file.urls:
        try:
            payload = download(url, file.largest, file.size if progress else None)
            verify(file, payload, url)
        except ConnectionError as error:
            failures.append(str(error))
        except DataCorrupt as error:
            corrupt = error
        else:
            store(cache_folder() / file.path, payload)
            return payload
    raise corrupt or missing(file, f"download failed: {', '.join(failures)}")


def obtain(file: File, progress: bool = False) -> bytes:
    """Verified bytes of a file, from disk or from upstream, as they are stored."""
    place = locate(file)
    return fetch_file(file, progress) if place is None else read_local(file, place)


def ensure(file: File, progress: bool = False) -> Path:
    """Path of a verified file on disk, downloaded if it is absent or if the cache's copy is damaged."""
    place = locate(file)
    stored = cache_folder() / file.path
    if place is not None:
        try:
            read_local(file, place)
            return place
        except DataCorrupt:
            if place != stored or offline():
                raise
    fetch_file(file, progress)
    return stored


def checksum(file: File) -> str:
    """The checksum that a file's bytes match, as :func:`verify` gives it."""
    return verify(file, obtain(file), file.path)


def read(path: str) -> bytes:
    """Verified and decompressed bytes of a file of the registry, from disk or from upstream."""
    file = FILES[path]
    return unpacked(file, obtain(file, progress=True))
