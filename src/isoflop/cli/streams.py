"""What reaches the terminal and files: answers, and lines on the standard error; and texts of the
user.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from .errors import UsageError, as_option, one_line, shown, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks on."""
    return stream is not None and stream.isatty()


def say(kind: str, *texts: str) -> None:
    """Lines on the standard error: an error, an interrupt, or notes that rows leave no place for."""
    if sys.stderr is not None:
        with suppress(OSError):
            for text in texts:
                print(f"isoflop: {kind}:", one_line(as_option(text)), file=sys.stderr)


def write(text: str, path: str | None = None) -> None:
    """Write an answer to the file of ``--output`` or else to the standard output."""
    text = visible(as_option(text).rstrip("\n") + "\n")
    if path is not None:
        write_file("--output", path, text)
        return
    stream = sys.stdout
    if stream is None:
        raise UsageError("standard output: is closed")
    try:
        try:
            stream.write(text)
        except UnicodeEncodeError:  # the terminal's character set lacks a letter
            stream.write(text.encode(stream.encoding, "backslashreplace").decode(stream.encoding))
        stream.flush()
    except BrokenPipeError:  # the reader has seen enough, as in `isoflop laws | head -1`
        _detach(stream)
    except OSError as error:
        _detach(stream)
        raise UsageError(f"standard output: cannot be written ({error.strerror})") from None


def read_text(option: str, path: str) -> str:
    """What a text of the user holds."""
    from pathlib import Path

    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{option} {shown(path)}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{option} {shown(path)}: is no text in UTF-8") from None


def write_file(option: str, path: str, text: str) -> None:
    """Write a whole file, or nothing."""
    from ..numeric._files import write as write_whole

    try:
        write_whole(path, text.encode(errors="backslashreplace"))
    except OSError as error:
        raise UsageError(f"{option} {shown(path)}: cannot be written ({error.strerror})") from None


def _detach(stream: TextIO) -> None:
    """Point the stream nowhere, so that closing it at exit does not fail again."""
    import os

    with suppress(OSError):  # a stream without a descriptor needs nothing
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
