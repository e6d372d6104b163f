"""The three ways in which a data file can fail its reader."""


class DataNotFound(FileNotFoundError):
    """The file is not at hand and was not downloaded; the message names it, its folder and its URL."""


class DataCorrupt(ValueError):
    """The file is truncated, altered, oversized or malformed; the message says how."""


class DataForbidden(PermissionError):
    """The file or its folder cannot be read or written; the message names it."""
