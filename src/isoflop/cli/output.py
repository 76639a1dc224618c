"""The output of a command: its answer to the terminal or a file, and lines on the standard error."""

from __future__ import annotations

import math
import re
import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable
    from typing import Any, TextIO

DONE, NEGATIVE, BAD_INPUT, NO_VERDICT, INTERRUPTED = 0, 1, 2, 3, 130
#: The status of a defect of the program itself, which nobody may mistake for a verdict.
DEFECT = 70
#: The most characters that are shown of what was typed, and of a line on the standard error.
LONGEST_SHOWN, LONGEST_LINE = 200, 1000
#: Characters that a terminal would obey rather than show: control characters, and those that change
#: the direction of text.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
#: An argument of the library, followed by the option that sets it.
ARGUMENT = re.compile(r"\b\w+=(?:\{[^{}]*\})? \((--(?:[^()]|\([^()]*\))*)\)")


# -- texts -----------------------------------------------------------------------------------------


def shown(text: str) -> str:
    """What the user typed, quoted, on one line and not too long.

    >>> shown("")
    "''"
    """
    return shortened(repr(text).replace("\\\\", "\\"), LONGEST_SHOWN)


def shortened(text: str, longest: int) -> str:
    """The text without its middle where it is too long.

    >>> shortened("abcdefgh", 8), shortened("abcdefghi", 8)
    ('abcdefgh', 'abcd...fghi')
    """
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]}...{text[-half:]}"


def visible(text: str) -> str:
    """The text with an escape, as in JSON, for every character that a terminal would obey, apart from
    ends of lines and tabs.

    >>> print(visible("a\\x1b[2J"))
    a\\u001b[2J
    """
    return OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def as_option(text: str) -> str:
    """A message of the library with the option alone where it names an argument and its option.

    >>> as_option("say columns={'loss': 'y'} (--column loss='y')")
    "say --column loss='y'"
    """
    return ARGUMENT.sub(r"\1", text)


def one_line(text: str) -> str:
    """A message for the standard error."""
    return visible(shortened(" ".join(text.split()), LONGEST_LINE))


# -- answers ---------------------------------------------------------------------------------------


def answer(args: Namespace, result: Any) -> str:
    """A result in the format of ``--format``: as JSON, its tables in LaTeX, or its text. Its picture is
    written where ``--plot`` asks for it.
    """
    draw(args, lambda: result.plot())
    if args.format == "json":
        return json_text(result.as_dict())
    return str(result) if args.format == "text" else tables_text(result.tables(), "latex")


def tables_text(tables: Iterable[Any], form: str) -> str:
    """Tables in one of their formats, one below the other."""
    return "\n\n".join(getattr(table, form)() for table in tables)


def json_text(data: Any) -> str:
    """JSON without NaN or Infinity: an infinite figure is null."""
    import json

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {str(key): plain(part) for key, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(part) for part in value]
        if isinstance(value, float):
            return None if math.isinf(value) else value + 0.0  # no negative zero
        return value

    return json.dumps(plain(data), indent=2, allow_nan=False)


def draw(args: Namespace, make: Callable[[], Any]) -> None:
    """Write the picture that ``--plot`` asks for, if it does."""
    if args.plot is None:
        return
    import logging

    from ..numeric.plot.panels import save

    # Matplotlib reports that it cannot write its own folders, and draws nevertheless.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    save(make(), args.plot)


# -- streams and files -----------------------------------------------------------------------------


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person reads this stream."""
    return stream is not None and stream.isatty()


def say(kind: str, *texts: str) -> None:
    """Write lines on the standard error: an error, an interrupt, or notes beside JSON or LaTeX."""
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
        raise ValueError("standard output: is closed")
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
        raise ValueError(f"standard output: cannot be written ({error.strerror})") from None


def write_file(option: str, path: str, text: str) -> None:
    """Write a whole file, or nothing."""
    from ..numeric._files import write as write_whole

    try:
        write_whole(path, text.encode(errors="backslashreplace"))
    except OSError as error:
        raise ValueError(f"{option} {shown(path)}: cannot be written ({error.strerror})") from None


def read_text(name: str, path: str) -> str:
    """The content of a text file of the user."""
    from pathlib import Path

    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{name} {shown(path)}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{name} {shown(path)}: is not a text in UTF-8") from None


def _detach(stream: TextIO) -> None:
    """Redirect the stream to the null device, so that closing it at exit does not fail again."""
    import os

    with suppress(OSError):  # a stream without a descriptor needs nothing
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
