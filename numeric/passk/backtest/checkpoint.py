"""What a backtest has done, on disk: a line of JSON a fit, written as soon as it is made."""

from __future__ import annotations

import json
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .step import Step, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike

#: Of the format; a change of what a line means changes it.
FORMAT = "isoflop backtest 2"
#: How a checkpoint begins; what begins otherwise is somebody else's file.
HEAD = json.dumps({"format": FORMAT})[:-1]


def key_of(identity: Iterable[bytes], options: dict[str, Any]) -> str:
    """What data and options have in common with no other."""
    digest = sha256(json.dumps(options, sort_keys=True).encode())
    for part in identity:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def read_steps(path: str | PathLike[str], key: str) -> dict[Task, Step]:
    """The fits in a file; none where it does not exist. A last line that was cut off is no fit.

    Raises
    ------
    ValueError
        Where the file cannot be read, is no checkpoint, or one of other data or options.
    """
    lines = _whole_lines(path)
    if not lines:
        return {}
    try:
        head = json.loads(lines[0])
        kind, own = head["format"], head["key"]
    except (ValueError, KeyError, TypeError):
        kind, own = "", ""
    if kind != FORMAT:
        raise ValueError(f"checkpoint={str(path)!r}: is no checkpoint of a backtest; name another file")
    if own != key:
        raise ValueError(f"checkpoint={str(path)!r}: is of other data or other options; name another file, or delete this one")
    try:
        steps = [Step.of_record(json.loads(line)) for line in lines[1:]]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"checkpoint={str(path)!r}: has a line that is no fit ({error}); name another file") from None
    return {step.task: step for step in steps}


def _whole_lines(path: str | PathLike[str]) -> list[str]:
    if not _is_regular(path):
        return []
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"checkpoint={str(path)!r}: cannot be read ({_reason(error)})") from None
    lines = text.split("\n")
    return lines[:-1] if len(lines) > 1 or HEAD.startswith(text[: len(HEAD)]) else lines


@contextmanager
def appending(path: str | PathLike[str] | None, key: str) -> Iterator[Callable[[Step], None]]:
    """A function that adds a fit to the file, which is made where it does not exist; one that does nothing without a file."""
    if path is None:
        yield lambda step: None
        return
    kept = "".join(f"{line}\n" for line in _whole_lines(path)).encode()
    regular = _is_regular(path)
    try:
        mode = "wb" if not regular else "r+b" if Path(path).exists() else "w+b"
        file = Path(path).open(mode, buffering=0)  # noqa: SIM115 (closed below)
        if regular:
            file.truncate(len(kept))  # a line that was cut off
            file.seek(len(kept))
    except OSError as error:
        raise _unwritten(path, error) from None
    with file:

        def write(record: dict[str, Any]) -> None:
            start = file.tell() if regular else 0
            line = json.dumps(record).encode() + b"\n"
            try:
                while line:
                    line = line[file.write(line) :]
            except OSError as error:
                if regular:  # as after the line before, whatever came to be written
                    file.truncate(start)
                raise _unwritten(path, error) from None

        if not kept:
            write({"format": FORMAT, "key": key})
        yield lambda step: write(step.as_record())


def _is_regular(path: str | PathLike[str]) -> bool:
    """Whether the file is one that can be read back and cut, or does not exist: no device and no pipe."""
    return not Path(path).exists() or Path(path).is_file()


def _unwritten(path: str | PathLike[str], error: OSError) -> ValueError:
    return ValueError(f"checkpoint={str(path)!r}: cannot be written ({_reason(error)})")


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return (error.strerror or "no such file") if isinstance(error, OSError) else "it is no text"
