"""Bytes from an address, never more than a given number."""

from .errors import DataCorrupt

CHUNK = 1 << 16
TIMEOUT = (10.0, 60.0)  # seconds to connect, and between two chunks


def download(url: str, largest: int, expected: int | None = None) -> bytes:
    """Download an address into memory.

    Parameters
    ----------
    url : str
    largest : int
        Bytes after which the download is stopped.
    expected : int, optional
        Bytes expected; if given, a progress bar is shown when standard error is a terminal.

    Returns
    -------
    bytes
        As the server stores them: a gzip file is not unpacked on the way.

    Raises
    ------
    ConnectionError
        No answer, an error status, or a connection cut in the middle; the message says which, briefly.
    DataCorrupt
        The answer is larger than `largest`.
    """
    import requests
    from tqdm import tqdm
    from urllib3.exceptions import HTTPError

    received = bytearray()
    disable = True if expected is None else None  # None: silent unless standard error is a terminal
    name = url.rsplit("/", 1)[-1]
    try:
        with (
            requests.get(
                url, stream=True, timeout=TIMEOUT, headers={"Accept-Encoding": "identity"}
            ) as answer,
            tqdm(total=expected, desc=name, unit="B", unit_scale=True, disable=disable) as bar,
        ):
            answer.raise_for_status()
            while chunk := answer.raw.read(CHUNK, decode_content=False):
                received += chunk
                bar.update(len(chunk))
                if len(received) > largest:
                    raise DataCorrupt(f"{url}: more than the {largest} bytes expected; download stopped")
    except requests.HTTPError as error:
        raise ConnectionError(str(error)) from error
    except (requests.RequestException, HTTPError, OSError) as error:
        raise ConnectionError(type(error).__name__) from error
    return bytes(received)
