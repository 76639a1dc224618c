"""Derivations written as text: assumptions, definitions and numbered steps, each decided in turn.

    # The loss is at least the least loss
    Budget C = 6 N D
    Let x = T_N/w_N
    Assume beta <= gamma
    1. R = T_N + T_D  by definition
    2. P(r) >= 1 for r > 1  because a weighted mean is at least its geometric mean
    Therefore: R >= R_opt

A formula is plain text, or LaTeX between dollars. A step holds for all values of its letters for
which it has a meaning and the assumptions hold. The reasons are the author's, and are not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sympy import Symbol

from ..budget import SIX_ND, Budget
from ..kernel.answer import Answer
from ..reader.tokens import ParseError
from .prove import Proof, prove
from .vocabulary import vocabulary

#: The lines that a derivation is made of.
KINDS = {
    "title": re.compile(r"#\s+(?P<text>\S.*)"),
    "step": re.compile(r"(?P<number>[0-9]{1,3})[.)]\s+(?P<text>.+)"),
    "statement": re.compile(
        r"\**(?:Therefore|Hence|Thus|Statement|Theorem)\**\s*[:,]?\**\s*(?P<text>.+)",
        re.IGNORECASE,
    ),
    "budget": re.compile(r"(?:Under\s+the\s+)?Budget\s+(?P<text>.+)", re.IGNORECASE),
    "notation": re.compile(r"Notation\s+(?P<text>\w+)[ \t.,;:]*", re.IGNORECASE),
    "let": re.compile(r"(?:Let|Define|Write|Set)\s+(?P<text>.+)", re.IGNORECASE),
    "assume": re.compile(r"(?:Assume|Suppose)(?:\s+that)?\s+(?P<text>.+)", re.IGNORECASE),
}
REMARK = re.compile(r">|%|<!--|#{2,}\s")
REASON = re.compile(
    r"[\s,;(]+(?P<word>by|because|since|from|using|which|with|see)\b", re.IGNORECASE
)
BESIDE = re.compile(r"[\s,;(]+(?P<word>for(?:\s+all|\s+every)?|if|when|where|as)\b", re.IGNORECASE)
FORMULA = re.compile(r"\$(?P<inside>[^$]+)\$")
PUNCTUATION = " \t.,;:"


@dataclass(frozen=True)
class _Line:
    """One line of the text, or several where the next ones are indented."""

    number: int
    text: str


@dataclass(frozen=True)
class WrittenClaim:
    """A claim with what is said beside it."""

    text: str
    latex: bool
    conditions: tuple[str, ...] = ()
    limit: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class WrittenStep:
    """A step, or the statement, which has no number."""

    line: int
    number: int | None
    formula: WrittenClaim


@dataclass(frozen=True)
class WrittenDerivation:
    """A derivation as it is written."""

    title: str
    steps: tuple[WrittenStep, ...]
    statement: WrittenStep
    assumptions: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    """Definitions of names that mean something else by default."""
    notation: str = "schaeffer"
    budget: Budget | None = None


@dataclass(frozen=True)
class StepVerdict:
    """What is decided of a step."""

    step: WrittenStep
    proof: Proof

    @property
    def answer(self) -> str:
        return self.proof.answer.value

    def as_dict(self) -> dict[str, Any]:
        return {
            "step": self.step.number,
            "line": self.step.line,
            "claim": self.step.formula.text,
            "conditions": list(self.step.formula.conditions),
            "limit": self.step.formula.limit,
            "reason": self.step.formula.reason,
            "answer": self.answer,
            "decided": [_as_decided(link.as_dict()) for link in self.proof.links],
        }

    def lines(self) -> Iterator[str]:
        """The step, its verdict, and how it is decided."""
        formula = self.step.formula
        beside = [*(f"for {c}" for c in formula.conditions)]
        beside += [f"as {formula.limit}"] if formula.limit else []
        label = f"{self.step.number}." if self.step.number is not None else "Therefore:"
        yield " ".join([f"line {self.step.line}  {self.answer:<9} {label} {formula.text}", *beside])
        if formula.reason:
            yield f"    {formula.reason}"
        for link in self.proof.links:
            yield from (f"    {line}" for line in link.lines(named=len(self.proof.links) > 1))


@dataclass(frozen=True)
class WrittenReport:
    """The verdicts on a derivation."""

    derivation: WrittenDerivation
    steps: tuple[StepVerdict, ...]
    statement: StepVerdict

    @property
    def answer(self) -> str:
        """The worst of the steps and the statement."""
        answers = [verdict.answer for verdict in (*self.steps, self.statement)]
        worse = (Answer.REFUTED.value, Answer.UNDECIDED.value, Answer.BY_SYMPY.value)
        return next((a for a in worse if a in answers), Answer.PROVED.value)

    def as_dict(self) -> dict[str, Any]:
        written = self.derivation
        return {
            "title": written.title,
            "answer": self.answer,
            "assumptions": list(written.assumptions),
            "definitions": [*written.definitions, *written.renamed],
            "budget": None if written.budget is None else str(written.budget),
            "notation": written.notation,
            "steps": [verdict.as_dict() for verdict in self.steps],
            "statement": self.statement.as_dict(),
        }

    def __str__(self) -> str:
        written = self.derivation
        lines = [f"{written.title}: {self.answer}", ""]
        if written.budget is not None:
            lines.append(f"budget {written.budget}")
        lines += [f"let {text}" for text in (*written.definitions, *written.renamed)]
        lines += [f"assume {text}" for text in written.assumptions]
        if len(lines) > 2:
            lines.append("")
        for verdict in (*self.steps, self.statement):
            lines += verdict.lines()
        return "\n".join(lines)


# -- reading -----------------------------------------------------------------------------------------------------------


def read_derivation(text: str) -> WrittenDerivation:
    """The derivation that a text spells.

    Raises
    ------
    ParseError
        Naming the line that cannot be read.
    """
    found: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    for line in _lines(text):
        try:
            _take(line, found)
        except ValueError as error:
            raise ParseError(f"line {line.number}: {error}") from None
    if not found["step"]:
        raise ParseError("has no step: '1. ...'")
    if not found["statement"]:
        raise ParseError("states nothing: 'Therefore: ...' is missing")
    notation = next(reversed(found["notation"]), "schaeffer")
    budget = next(iter(found["budget"]), None)
    definitions = found["let"]
    known = vocabulary(notation, budget or SIX_ND).names
    fixed = [text for text in definitions if isinstance(known.get(_name(text)), Symbol)]
    renamed = [t for t in definitions if _name(t) in known and t not in fixed]
    return WrittenDerivation(
        next(iter(found["title"]), "A derivation"),
        tuple(found["step"]),
        found["statement"][0],
        (*found["assume"], *fixed),
        tuple(text for text in definitions if text not in (*renamed, *fixed)),
        tuple(renamed),
        notation,
        budget,
    )


def _take(line: _Line, found: dict[str, list[Any]]) -> None:
    """Note what a line says, by its kind."""
    text = line.text.strip()
    if REMARK.match(text):
        return
    matches = ((kind, pattern.fullmatch(text)) for kind, pattern in KINDS.items())
    kind, match = next(((kind, m) for kind, m in matches if m is not None), ("", None))
    is_later = bool(found["step"] or found["statement"])
    if kind not in ("title", "step", "statement") and is_later:
        raise ParseError(
            f"{text!r}: after the first step only steps, 'Therefore: ...' and remarks that begin "
            f"with '>' can be read"
        )
    if match is None:
        raise ParseError(
            f"{text!r}: reads neither as a title ('# ...'), 'Let ...', 'Assume ...', 'Budget ...', "
            f"'Notation ...', a step ('1. ...'), 'Therefore: ...' nor a remark ('> ...')"
        )
    if kind in ("title", "statement", "budget") and found[kind]:
        raise ParseError(f"{text!r}: is a second {kind}")
    said = match["text"]
    if kind == "step":
        found[kind].append(_step(line, int(match["number"]), said, found))
    elif kind == "statement":
        found[kind].append(WrittenStep(line.number, None, formula(said)))
    elif kind == "budget":
        found[kind].append(_budget(_bare(said)))
    elif kind == "let":
        is_definition = re.search(r"(?<![<>!=:])(?::=|==?)(?!=)", _bare(said)) is not None
        found["let" if is_definition else "assume"].append(_bare(said))
    elif kind == "assume":
        found[kind] += [_bare(part) for part in re.split(r"\s+and\s+", said)]
    else:
        found[kind].append(said.strip() if kind == "title" else said.lower())


def _step(line: _Line, number: int, text: str, found: dict[str, list[Any]]) -> WrittenStep:
    if found["statement"]:
        raise ParseError(f"{text!r}: no step can follow the statement")
    if number != len(found["step"]) + 1:
        raise ParseError(f"step {number}: must be {len(found['step']) + 1}")
    return WrittenStep(line.number, number, formula(text))


def _lines(text: str) -> Iterator[_Line]:
    """The lines that are not blank; indented ones go on with the line before."""
    current: _Line | None = None
    for number, raw in enumerate(text.splitlines(), 1):
        if not raw.strip():
            if current is not None:
                yield current
            current = None
        elif raw[0].isspace() and current is not None:
            current = replace(current, text=f"{current.text} {raw.strip()}")
        else:
            if current is not None:
                yield current
            current = _Line(number, raw)
    if current is not None:
        yield current


def formula(text: str) -> WrittenClaim:
    """The formula of a step, with the conditions, the limit and the reason behind it."""
    if "$" in text:
        return _between_dollars(text)
    reason = REASON.search(text)
    claim, why = (text, "") if reason is None else (text[: reason.start()], text[reason.start() :])
    conditions: list[str] = []
    limit = None
    while beside := _last(BESIDE, claim):
        inside = claim[beside.end() :].strip(" ()")
        claim = claim[: beside.start()]
        if beside["word"].lower() == "as":
            limit = inside.strip(PUNCTUATION)
        else:
            conditions += [_bare(part) for part in re.split(r"\s+and\s+|,", inside) if part.strip()]
    return WrittenClaim(_bare(claim), False, tuple(conditions), limit, _reason(why))


def _between_dollars(text: str) -> WrittenClaim:
    found = list(FORMULA.finditer(text))
    if not found or text[: found[0].start()].strip(" :") or text.count("$") % 2:
        raise ParseError(f"{text!r}: a formula between dollars is expected at the beginning")
    first, *others = found
    conditions: list[str] = []
    limit = None
    end = first.end()
    for other in others:
        between = text[end : other.start()]
        word = BESIDE.fullmatch(between.rstrip())
        if word is None and not (conditions and between.strip(" ,") in ("", "and")):
            if REASON.match(between):
                break
            raise ParseError(
                f"{other.group()!r}: a step has one formula; {between.strip()!r} joins no condition to it"
            )
        if word is not None and word["word"].lower() == "as":
            limit = other["inside"].strip(PUNCTUATION)
        else:
            conditions.append(other["inside"].strip(PUNCTUATION))
        end = other.end()
    rest = text[end:]
    if rest.strip(" .;,)") and not REASON.match(rest) and not rest.lstrip().startswith("("):
        raise ParseError(
            f"{rest.strip()!r}: a reason begins with by, because, since, from or using"
        )
    return WrittenClaim(
        first["inside"].strip(PUNCTUATION), True, tuple(conditions), limit, _reason(rest)
    )


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    matches = list(pattern.finditer(text))
    return matches[-1] if matches else None


def _reason(text: str) -> str:
    bare = text.strip(" .,;")
    return bare[1:-1] if bare.startswith("(") and bare.endswith(")") else bare.lstrip("( ")


def _bare(text: str) -> str:
    """Without dollars, backquotes and punctuation around it."""
    return text.strip(PUNCTUATION).strip("`$").strip(PUNCTUATION)


def _name(definition: str) -> str:
    return re.split(r"[\s:=(]", definition, maxsplit=1)[0].lstrip("\\")


def _budget(text: str) -> Budget:
    left, equals, right = text.partition("=")
    if equals and left.strip() != "C":
        raise ParseError(f"{text!r}: a budget reads 'C = 6 N D'")
    return Budget.parse((right if equals else left).strip())


# -- deciding ----------------------------------------------------------------------------------------------------------


def check_derivation(
    written: WrittenDerivation, *, seed: int = 0, seconds: float | None = None
) -> WrittenReport:
    """Every step decided, and the statement at the end.

    Raises
    ------
    ParseError
        Naming the line of what cannot be read.
    """
    settings: dict[str, Any] = {
        "assume": written.assumptions,
        "define": written.definitions,
        "let": written.renamed,
        "notation": written.notation,
        "budget": written.budget,
        "seed": seed,
        "seconds": seconds,
    }
    verdicts: list[StepVerdict] = []
    for step in (*written.steps, written.statement):
        try:
            verdicts.append(_decided(step, settings))
        except ValueError as error:
            raise ParseError(f"line {step.line}: {error}") from None
    *steps, statement = verdicts
    return WrittenReport(written, tuple(steps), statement)


def _decided(step: WrittenStep, settings: dict[str, Any]) -> StepVerdict:
    asked = step.formula
    given = settings | {"assume": (*settings["assume"], *asked.conditions), "limit": asked.limit}
    return StepVerdict(step, prove(asked.text, latex=asked.latex, **given))


def _as_decided(link: dict[str, Any]) -> dict[str, Any]:
    """A link as plain data, without its sides."""
    told = ("conditions", "definitions", "derived", "correction", "witness")
    return {"claim": link["claim"], "answer": link["answer"], "how": link["reason"]} | {
        key: link[key] for key in told
    }
