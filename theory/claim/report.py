"""The report on a document: what is refuted first, then what is not judged and the line that would
settle it, then a count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .paper import ANSWERS, HOLDS, REFUTED, UNDECIDED, UNREADABLE, Judgement, State

NOT_JUDGED = "not judged"


def as_dict(
    found: Sequence[Judgement], state: State, missing: Sequence[str], path: str
) -> dict[str, Any]:
    """The verdicts as plain data."""
    answers = [one.answer for one in found]
    return {
        "file": path,
        "answer": next((answer for answer in ANSWERS if answer in answers), UNDECIDED),
        "counts": {answer: answers.count(answer) for answer in ANSWERS},
        "setting": setting(state),
        "equations": [_entry(one) for one in found],
        "missing": list(missing),
    }


def _entry(one: Judgement) -> dict[str, Any]:
    piece, link = one.piece, {} if one.link is None else one.link.as_dict()
    said = {"claim": one.claim, "answer": one.answer, "reason": one.reason, "where": one.where}
    reading, free = (one.proof.reading, one.proof.free) if one.proof is not None else ("", ())
    place = {"file": piece.file, "line": piece.line, "label": piece.label or None}
    remedy = one.remedy and f"% isoflop: {one.remedy}"
    read = {"reading": reading, "free": list(free), "stated": list(piece.conditions)}
    return place | link | said | read | {"remedy": remedy}


def setting(state: State) -> str:
    """The law and the budget that the document has, in one line."""
    law, where = state.law, f" of line {state.budget_line}" if state.budget_line else ""
    budget = f"budget{where}: {state.declared.budget or 'C = 6*D*N, as none is displayed'}"
    if law is None or law.notation is None or not law.line:
        return f"{state.lawless or f'notation {state.settings.words.notation.name}'}; {budget}"
    a, b, beta, gamma = (law.notation.names()[x] for x in ("A", "B", "beta", "gamma"))
    constant = "" if law.assume else f"{law.notation.irreducible} + "
    lets = f" with {', '.join(law.let)}" if law.let else ""
    return f"law of line {law.line}: {constant}{a} N^-{beta} + {b} D^-{gamma}{lets}; {budget}"


def as_text(
    found: Sequence[Judgement], state: State, missing: Sequence[str], path: str, *, in_full: bool
) -> str:
    """The report in plain text."""

    def kind(one: Judgement) -> str:
        return one.answer if one.answer in (REFUTED, *HOLDS) else NOT_JUDGED

    kinds = (REFUTED, NOT_JUDGED, *HOLDS)
    shown = sorted(found, key=lambda one: min(kinds.index(kind(one)), 2))
    lines = [
        line for one in shown if in_full or kind(one) not in HOLDS for line in _lines(one, path)
    ]
    free = dict.fromkeys(x for one in found if one.proof is not None for x in one.proof.free)
    letters = f"; letters of the document: {', '.join(free)}" if free else ""
    lines += [f"every letter is positive{letters}", setting(state)]
    if missing:
        lines.append(f"files that are missing or include themselves: {', '.join(missing)}")
    counts = {word: sum(kind(one) == word for one in found) for word in kinds}
    listed = " (--all lists them)" if any(map(counts.get, HOLDS)) and not in_full else ""
    total = ", ".join(f"{n} {word}" for word, n in counts.items() if n)
    return "\n".join([*lines, f"{path}: {total}{listed}"])


def _lines(one: Judgement, path: str) -> list[str]:
    """A claim, and below it how it was read, why it is so, and what would be right."""
    piece, link = one.piece, one.link
    line = f"line {piece.line}" if piece.file == path else f"{piece.file} line {piece.line}"
    answer = NOT_JUDGED if one.answer in (UNREADABLE, UNDECIDED) else one.answer
    below = [
        f"under {', '.join(piece.conditions)}" if piece.conditions else "",
        f"read as {one.proof.reading}" if one.proof is not None else "",
        one.reason if one.answer not in HOLDS else "",
        one.where,
    ]
    if one.answer == REFUTED and link is not None and link.decision.witness is not None:
        below.append(f"{'at ' if link.point else ''}{link.counterexample}")
        below += [link.derived and f"the tool derives {link.derived}"]
        below += [link.correction and f"right {link.correction}"]
    below.append(one.remedy and f"% isoflop: {one.remedy}")
    head = f"{line}  {answer}  {one.claim}" + (f"  {piece.label}" if piece.label else "")
    return [head, *(f"    {line}" for line in below if line)]
