"""Files are written as a whole: a reader sees the old content or the new one, and a failure leaves the
old one.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from .errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike


def write(path: str | PathLike[str], content: bytes) -> None:
    """Write the content to a new file beside the old one and rename it. Links and permissions stay.

    A pipe, a terminal, /dev/null and a standard stream are written to directly, and so is a file in
    a folder where no new file can be made.

    Raises
    ------
    OSError
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".isoflop-{os.getpid()}-{os.urandom(4).hex()}")
    try:
        file = None if _is_written_directly(os.fspath(path)) else beside.open("xb")
    except PermissionError:
        file = None
    if file is None:
        Path(path).write_bytes(content)
        return
    try:
        with file:
            with suppress(OSError):  # there is no old file, or it belongs to somebody else
                found = target.stat()
                os.fchmod(file.fileno(), stat.S_IMODE(found.st_mode))
                os.fchown(file.fileno(), found.st_uid, found.st_gid)
            file.write(content)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def save(path: str | PathLike[str], content: bytes) -> None:
    """Write a whole file; an ArgumentError where it cannot be written."""
    try:
        write(path, content)
    except OSError as error:
        complaint = f"cannot be written ({error.strerror})"
        raise ArgumentError("path", str(path), complaint=complaint) from None


def _is_written_directly(place: str) -> bool:
    """Whether a place is a device, a stream, a folder or a file without permission to write: the error
    is then that of writing to it.
    """
    if place.startswith("/dev/") or not os.path.basename(place):  # noqa: PTH119
        return True
    return os.path.exists(place) and not (os.path.isfile(place) and os.access(place, os.W_OK))  # noqa: PTH110, PTH113
