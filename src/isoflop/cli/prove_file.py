"""isoflop prove --file: every equation of a paper, proved, refuted or undecided."""

from __future__ import annotations

from .arguments import POSITIONAL
from .errors import UsageError, shown
from .prove import link_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..theory.proof.paper import PrintedEquation
    from ..theory.proof.source import Source
    from .arguments import Options

#: The worst comes first.
WORST = ("refuted", "unreadable", "undecided", "proved")


def report(options: Options, path: str, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The verdicts on a paper, as plain data and as text."""
    from ..theory.budget import SIX_ND
    from ..theory.proof.paper import equations
    from ..theory.proof.source import BEGIN, END
    from ..theory.proof.vocabulary import vocabulary

    words = options.words(POSITIONAL)
    if words is not None:
        raise UsageError(f"CLAIM {shown(words[0])}: must be left out where --file is given")
    begin, end = options.one("--begin"), options.one("--end")
    settings = given | {"limit": options.one("--as")}
    known = vocabulary(settings["notation"], settings["budget"] or SIX_ND).names
    try:
        source = _read(path, (begin or BEGIN, end or END))
        found = equations(source, begin=begin, end=end, known=known)
    except ValueError as error:
        raise UsageError(f"--file {shown(path)}: {error}") from None
    _check(settings)
    entries = [entry for equation in found for entry in _entries(equation, source, settings)]
    answers = [entry["answer"] for entry in entries]
    worst = next(answer for answer in WORST if answer in answers)
    data = {
        "file": path,
        "answer": worst,
        "counts": {answer: answers.count(answer) for answer in WORST},
        "equations": entries,
        "missing": list(source.missing),
    }
    return data, _text(data)


def _read(path: str, markers: tuple[str, str]) -> Source:
    from pathlib import Path

    from ..theory.proof.source import read_source

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
        markers=markers,
    )


def _check(settings: dict[str, Any]) -> None:
    """What is wrong with the assumptions is the command's mistake and not that of an equation."""
    from ..theory.proof.prove import prove

    prove("1 == 1", **(settings | {"limit": None}))


def _entries(
    equation: PrintedEquation, source: Source, settings: dict[str, Any]
) -> list[dict[str, Any]]:
    """One entry for each link of the equation, under the line of its relation."""
    from ..theory.algebra.parse import ParseError
    from ..theory.proof.prove import prove

    own = {
        "assume": (*settings["assume"], *equation.assumptions),
        "limit": equation.limit or settings["limit"],
    }
    own["define"] = equation.definitions
    if equation.unclear:
        reason = f"what the words {equation.unclear!r} make of it is not understood"
        return [_unreadable(equation, source, ParseError(reason))]
    try:
        proof = prove(equation.text, latex=True, **(settings | own))
    except ParseError as error:
        return [_unreadable(equation, source, error)]
    return [
        {
            "line": source.place(equation.start + link.position).line,
            "free": list(proof.free),
            "read_as": list(proof.read_as),
            "stated": list(equation.conditions),
            **link_data(link),
        }
        for link in proof.links
    ]


def _unreadable(equation: PrintedEquation, source: Source, error: Any) -> dict[str, Any]:

    inside = error.position if error.text == equation.text and error.position is not None else None
    first = len(equation.text) - len(equation.text.lstrip(" &\n\t"))
    place = source.place(equation.start + (first if inside is None else inside))
    where = "" if inside is None else f" at column {place.column}"
    return {
        "line": place.line,
        "claim": equation.shown,
        "answer": "unreadable",
        "reason": f"{error.complaint}{where}",
    }


def _text(data: dict[str, Any]) -> str:
    lines = []
    width = max(len(str(entry["line"])) for entry in data["equations"])
    verdicts = max(len(entry["answer"]) for entry in data["equations"])
    for entry in data["equations"]:
        lines.append(
            f"line {entry['line']:>{width}}  {entry['answer']:<{verdicts}}  {entry['claim']}"
        )
        if entry.get("stated"):
            lines.append(
                f"{'':{width + verdicts + 9}}under "
                f"{', '.join(' '.join(text.split()) for text in entry['stated'])}"
            )
        if entry["answer"] != "proved":
            lines.append(f"{'':{width + verdicts + 9}}{entry['reason']}")
        if entry.get("witness"):
            point = (
                ", ".join(f"{name} = {value}" for name, value in entry["witness"]["point"].items())
                or "no free symbol"
            )
            sides = f"lhs = {entry['witness']['lhs']}, rhs = {entry['witness']['rhs']}"
            lines.append(f"{'':{width + verdicts + 9}}at {point}: {sides}")
        elif entry.get("conditions"):
            lines.append(f"{'':{width + verdicts + 9}}where {', '.join(entry['conditions'])}")
        if entry.get("definitions"):
            lines.append(
                f"{'':{width + verdicts + 9}}by definition {', '.join(entry['definitions'])}"
            )
    free = dict.fromkeys(name for entry in data["equations"] for name in entry.get("free", ()))
    if free:
        lines.append(f"free positive symbols: {', '.join(free)}")
    failed = [entry for entry in data["equations"] if entry["answer"] in ("refuted", "undecided")]
    read_as = dict.fromkeys(meaning for entry in failed for meaning in entry["read_as"])
    if read_as:
        lines.append(f"read as: {'; '.join(read_as)}")
    if data["missing"]:
        lines.append(f"not read, for the file is missing: {', '.join(data['missing'])}")
    counts = ", ".join(f"{count} {answer}" for answer, count in data["counts"].items() if count)
    return "\n".join([*lines, f"{data['file']}: {counts}"])
