"""Options that several commands share, and how an interrupted command ends."""

from __future__ import annotations

import sys

from ..numeric.data.numerals import parse
from .errors import UsageError, one_line, outside, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .arguments import Options

OBJECTIVES = ("huber-log", "absolute-log", "least-squares-log", "least-squares")
SHARE = "a number between 0 and 1"
#: Larger floats do not tell whole numbers apart.
LARGEST_WHOLE = 2**53


def share(options: Options, option: str, *, zero: bool = False) -> float | None:
    """A number between 0 and 1, or also 0."""
    text = options.one(option)
    domain = "a number from 0 to less than 1" if zero else SHARE
    return None if text is None else share_of(option, text, domain, zero=zero)


def share_of(
    option: str, text: str, domain: str, *, zero: bool = False, entry: str | None = None
) -> float:
    """The number between 0 and 1 that a text spells; `entry`: the word that it is part of."""
    word = (text if entry is None else entry).strip()
    try:
        value = parse(text)
    except ValueError as error:
        raise outside(option, word, domain, str(error)) from None
    if not (0.0 < value < 1.0 or (zero and value == 0.0)):
        raise outside(option, word, domain)
    return value


def whole(options: Options, option: str, *, least: int) -> int | None:
    """A whole number of at least so much."""
    text = options.one(option)
    return None if text is None else whole_of(option, text, least)


def whole_of(option: str, text: str, least: int) -> int:
    """The whole number of at least so much that a text spells."""
    domain = f"a whole number of at least {least}"
    try:
        value = parse(text)
    except ValueError as error:
        raise outside(option, text.strip(), domain, str(error)) from None
    if value > LARGEST_WHOLE:
        raise outside(option, text.strip(), f"{domain} (and at most 2^53)")
    if not (value >= least and value == int(value)):
        raise outside(option, text.strip(), domain)
    return int(value)


def target(options: Options, option: str) -> str | None:
    """A file to write, refused before the work where it cannot be one."""
    path = options.one(option)
    if path is None:
        return None
    from pathlib import Path

    target = Path(path)
    if not path or target.is_dir():
        raise UsageError(f"{option} {shown(path)}: must be a file to write, not a directory")
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{option} {shown(path)}: cannot be written (No such directory)")
    return path


def check_figure(path: str, option: str = "--plot") -> None:
    from ..numeric.plot.panels import FORMATS as ENDINGS

    if not path.lower().endswith(ENDINGS):
        raise UsageError(
            f"{option} {shown(path)}: must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        )


def is_terminal(stream: Any) -> bool:
    return stream is not None and stream.isatty()


def say_interrupted(text: str) -> None:
    """One line on the standard error."""
    _say("interrupted", [text])


def say_notes(notes: Sequence[str]) -> None:
    """Lines on the standard error, so that the rows stay rows."""
    _say("note", notes)


def _say(kind: str, texts: Sequence[str]) -> None:
    from contextlib import suppress

    if sys.stderr is not None:
        with suppress(OSError):
            for text in texts:
                print(f"isoflop: {kind}:", one_line(text), file=sys.stderr)
