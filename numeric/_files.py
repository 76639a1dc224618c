"""Files are written as a whole: who reads one sees the old content or the new, and a failure leaves
the old.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike


def write(path: str | PathLike[str], content: bytes) -> None:
    """Write the content beside the file and rename it; a link stays a link, and permissions stay.

    What is no regular file (a pipe, a terminal, /dev/null, a standard stream) is written to
    directly, and so is a file in a folder where none can be made.

    Raises
    ------
    OSError
    """
    place = os.fspath(path)
    if _is_written_directly(place):
        _write_directly(place, content)
        return
    target = os.path.realpath(place)
    beside = os.path.join(os.path.dirname(target), f".isoflop-{os.getpid()}-{os.urandom(4).hex()}")  # noqa: PTH118, PTH120
    try:
        descriptor = os.open(
            beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666
        )
    except PermissionError:
        _write_directly(place, content)
        return
    try:
        with os.fdopen(descriptor, "wb") as file:
            _like(target, file.fileno())
            file.write(content)
        os.replace(beside, target)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)  # noqa: PTH108
        raise


def _is_written_directly(place: str) -> bool:
    try:
        found = os.stat(place)  # noqa: PTH116
    except OSError:
        return not os.path.basename(place)  # noqa: PTH119 - "" and "folder/": the error is that of opening it
    if not stat.S_ISREG(found.st_mode) or not os.access(place, os.W_OK):
        return True
    for stream in (1, 2):  # > file -o /dev/stdout
        with suppress(OSError):
            if os.path.samestat(os.fstat(stream), found):
                return True
    return False


def _write_directly(place: str, content: bytes) -> None:
    with open(place, "wb") as file:  # noqa: PTH123
        file.write(content)


def _like(target: str, descriptor: int) -> None:
    """Give a new file the permissions and the owner of the one that it takes the place of."""
    with suppress(OSError):
        found = os.stat(target)  # noqa: PTH116
        os.fchmod(descriptor, stat.S_IMODE(found.st_mode))
        os.fchown(descriptor, found.st_uid, found.st_gid)
