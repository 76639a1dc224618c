"""isoflop prove --file: a report on the equations of a paper, as text or JSON."""

from __future__ import annotations

import sys

from .arguments import POSITIONAL
from .errors import BAD_INPUT, DONE, INTERRUPTED, NEGATIVE, NO_VERDICT, UsageError, blamed, shown
from .render import json_text
from .run_options import is_terminal, say_interrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..theory.verdicts.facts import DefinedName
    from ..theory.verdicts.report import PrintedVerdict
    from ..theory.verdicts.source import TexSource
    from .arguments import Options

FORMATS = ("text", "json")
STATUS = {
    "refuted": NEGATIVE,
    "unreadable": BAD_INPUT,
    "conflict": NO_VERDICT,
    "undecided": NO_VERDICT,
}


def report(options: Options, path: str, given: dict[str, Any]) -> tuple[str, int]:
    """What is printed on a paper, and the exit status."""
    from ..theory.verdicts.report import ANSWERS

    words = options.words(POSITIONAL)
    if words is not None:
        raise UsageError(f"CLAIM {shown(words[0])}: must be left out where --file is given")
    form = options.chosen("--format", FORMATS)
    source, entries, is_whole = _decided(path, given, options.one("--as"))
    answers = [entry.answer for entry in entries]
    worst = next((answer for answer in ANSWERS if answer in answers), "undecided")
    data = {
        "file": path,
        "answer": worst,
        "counts": {answer: answers.count(answer) for answer in ANSWERS},
        "equations": [_entry(entry) for entry in entries],
        "definitions": [
            _definition(definition)
            for definition in {d: None for entry in entries for d in entry.uses}
        ],
        "missing": list(source.missing),
        "not_expanded": list(source.not_expanded),
    }
    text = _text(data) if form == "text" else json_text(data)
    status = STATUS.get(worst, NO_VERDICT if source.missing else DONE)
    return text, status if is_whole else INTERRUPTED


def _decided(
    path: str, given: dict[str, Any], limit: str | None
) -> tuple[TexSource, list[PrintedVerdict], bool]:
    """The document, its entries, and whether they are all."""
    from ..numeric._progress import progress_bar
    from ..theory.verdicts.paper import equations
    from ..theory.verdicts.prove import Settings
    from ..theory.verdicts.report import report as entries_of

    settings = Settings(**given, limit=limit)
    try:
        source = _read(path)
        printed = equations(source, known=settings.words.names)
    except ValueError as error:
        raise UsageError(f"--file {shown(path)}: {error}") from None
    settings.prove("1 = 1")  # what is wrong with an assumption is the command's mistake
    if source.renames:
        header = Settings(
            **{**given, "let": (*source.renames, *settings.let)}, limit=settings.limit
        )
        try:
            header.prove("1 = 1")
        except ValueError as error:
            raise blamed(error, ("--file", path)) from None
        settings = header
    entries: list[PrintedVerdict] = []
    bar = progress_bar(len(printed), is_terminal(sys.stderr), what=path, unit="equation")
    try:
        for _, decided in entries_of(source, printed, settings):
            entries += decided
            bar.update(1)
    except KeyboardInterrupt:
        say_interrupted(f"{len(entries)} verdicts are printed, the rest is missing")
        return source, entries, False
    finally:
        bar.close()
    return source, entries, True


def _read(path: str) -> TexSource:
    from pathlib import Path

    from ..theory.verdicts.source import read_source

    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--file {shown(path)}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise UsageError(f"--file {shown(path)}: is no text in UTF-8") from None
    folder = Path(path).parent
    return read_source(
        text,
        path,
        read=lambda name: (folder / name).read_text(encoding="utf-8"),
    )


# -- data ------------------------------------------------------------------------------------------


def _entry(entry: PrintedVerdict) -> dict[str, Any]:
    data: dict[str, Any] = {
        "line": entry.place.line,
        "file": entry.place.file,
        "number": entry.number,
        "label": entry.label,
    }
    if entry.link is not None:
        data |= entry.link.as_dict()
    return data | {
        "claim": entry.claim,
        "answer": entry.answer,
        "reason": entry.reason + (f" at column {entry.column}" if entry.column else ""),
        "reading": entry.reading,
        "free": list(entry.free),
        "read_as": list(entry.read_as),
        "stated": list(entry.stated),
        "uses": [_definition(definition) for definition in entry.uses],
    }


def _definition(definition: DefinedName) -> dict[str, Any]:
    return {
        "name": definition.shown_name,
        "definition": definition.shown,
        "file": definition.place.file,
        "line": definition.place.line,
        "read": not definition.trouble,
    }


# -- text ------------------------------------------------------------------------------------------


def _where(data: dict[str, Any], path: str, width: int = 0) -> str:
    line = f"line {data['line']:>{width}}"
    return line if data["file"] == path else f"{data['file']} {line}"


def _text(data: dict[str, Any]) -> str:
    path, entries = data["file"], data["equations"]
    width = max((len(str(entry["line"])) for entry in entries), default=0)
    places = [_where(entry, path, width) for entry in entries]
    verdicts = max((len(entry["answer"]) for entry in entries), default=0)
    lines = []
    for entry, place in zip(entries, places, strict=True):
        number = [f"({entry['number']})"] if entry["number"] else []
        label = [entry["label"]] if entry["label"] else []
        named = f"  {' '.join([*number, *label])}" if number or label else ""
        lines.append(f"{place}  {entry['answer']:<{verdicts}}  {entry['claim']}{named}")
        indent = " " * (width + verdicts + 9)
        lines += [f"{indent}{line}" for line in _remarks(entry, path)]
    lines += _legend(entries)
    if data["missing"]:
        lines.append(f"files that are missing or include themselves: {', '.join(data['missing'])}")
    if data["not_expanded"]:
        lines.append(f"macros that are not understood: {', '.join(data['not_expanded'])}")
    counts = ", ".join(f"{count} {answer}" for answer, count in data["counts"].items() if count)
    return "\n".join([*lines, f"{path}: {counts}"])


def _remarks(entry: dict[str, Any], path: str) -> list[str]:
    """What is said below a verdict."""
    lines = []
    if entry["stated"]:
        lines.append(f"under {', '.join(' '.join(text.split()) for text in entry['stated'])}")
    if entry["reading"]:
        lines.append(entry["reading"])
    if entry["answer"] != "proved":
        lines.append(entry["reason"])
    if entry.get("witness") and entry["answer"] == "refuted":
        point = (
            ", ".join(f"{name} = {value}" for name, value in entry["witness"]["point"].items())
            or "no free symbol"
        )
        lines.append(
            f"at {point}: lhs = {entry['witness']['lhs']}, rhs = {entry['witness']['rhs']}"
        )
        if entry["derived"]:
            lines.append(f"the tool derives {entry['derived']}")
        if entry["correction"]:
            lines.append(f"right {entry['correction']}")
    elif entry.get("conditions"):
        lines.append(f"where {', '.join(entry['conditions'])}")
    if entry.get("definitions"):
        lines.append(f"by definition {', '.join(entry['definitions'])}")
    if entry["uses"]:
        names = (f"{used['name']} of {_where(used, path)}" for used in entry["uses"])
        lines.append(f"with {', '.join(names)}")
    return lines


def _legend(entries: Sequence[dict[str, Any]]) -> list[str]:
    """The letters of the document, and what the names of the law were taken to mean."""
    lines = []
    defined = {used["name"] for entry in entries for used in entry["uses"]}
    free = dict.fromkeys(name for entry in entries for name in entry["free"] if name not in defined)
    if free:
        lines.append(f"free positive symbols: {', '.join(free)}")
    failed = [entry for entry in entries if entry["answer"] in ("refuted", "undecided", "conflict")]
    read_as = dict.fromkeys(meaning for entry in failed for meaning in entry["read_as"])
    if read_as:
        lines.append(f"read as: {'; '.join(read_as)}")
    return lines
