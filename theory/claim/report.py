"""The report on a document: what is refuted first, then what is not judged and the line that would
settle it, then a count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .paper import ANSWERS, BY_SYMPY, HOLDS, REFUTED, UNDECIDED, UNREADABLE, Judgement
from .state import State

UNJUDGED = (UNREADABLE, UNDECIDED, BY_SYMPY)


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
    place = one.piece.place
    data: dict[str, Any] = {
        "file": place.file,
        "line": place.line,
        "label": one.piece.label or None,
    }
    if one.link is not None:
        data |= one.link.as_dict()
    return data | {
        "claim": one.claim,
        "answer": one.answer,
        "reason": one.reason,
        "reading": "" if one.proof is None else one.proof.reading,
        "where": one.where,
        "stated": list(one.piece.conditions),
        "remedy": one.remedy and f"% isoflop: {one.remedy}",
        "free": [] if one.proof is None else list(one.proof.free),
    }


def setting(state: State) -> str:
    """The law and the budget that the document has, in one line."""
    parts = []
    for law in state.laws:
        line = f"line {law.place.line}"
        if law.notation is None:
            parts.append(f"{line} has another law")
            continue
        names = law.notation.names()
        a, b, beta, gamma = (names[x] for x in ("A", "B", "beta", "gamma"))
        constant = f"{names['E']} + " if law.has_constant else ""
        lets = f" with {', '.join(law.let)}" if law.let else ""
        parts.append(f"law of {line}: {constant}{a} N^-{beta} + {b} D^-{gamma}{lets}")
    if not parts and state.notation:
        parts.append(f"notation {state.notation}")
    where = f" of line {state.budget_place.line}" if state.budget_place.line else ""
    parts.append(f"budget{where}: {state.budget or 'C = 6*D*N, as none is displayed'}")
    return "; ".join(parts)


def as_text(
    found: Sequence[Judgement], state: State, missing: Sequence[str], path: str, *, in_full: bool
) -> str:
    """The report in plain text."""
    refuted = [one for one in found if one.answer == REFUTED]
    unjudged = [one for one in found if one.answer in UNJUDGED]
    others = [one for one in found if one not in refuted and one not in unjudged]
    lines = [line for one in (*refuted, *unjudged) for line in _lines(one, path)]
    counts = {answer: sum(one.answer == answer for one in others) for answer in ANSWERS}
    counts |= {"definitions": counts.pop("definition")} if counts["definition"] > 1 else {}
    shown = [f"{n} {answer}" for answer, n in counts.items() if n]
    if in_full:
        lines += [line for one in others for line in _lines(one, path)]
    free = dict.fromkeys(x for one in found if one.proof is not None for x in one.proof.free)
    letters = f"; letters of the document: {', '.join(free)}" if free else ""
    lines += [f"every letter is positive{letters}", setting(state)]
    if missing:
        lines.append(f"files that are missing or include themselves: {', '.join(missing)}")
    head = [f"{len(refuted)} refuted"] if refuted else []
    head += [f"{len(unjudged)} not judged"] if unjudged else []
    listed = " (--all lists them)" if others and not in_full else ""
    return "\n".join([*lines, f"{path}: {', '.join([*head, *shown])}{listed}"])


def _lines(one: Judgement, path: str) -> list[str]:
    place = one.piece.place
    line = f"line {place.line}" if place.file == path else f"{place.file} line {place.line}"
    label = f"  {one.piece.label}" if one.piece.label else ""
    answer = "not judged" if one.answer in UNJUDGED[:2] else one.answer
    beside = [f"under {', '.join(one.piece.conditions)}"] if one.piece.conditions else []
    read = [] if one.proof is None else [f"read as {one.proof.reading}"]
    where = [one.where] if one.where else []
    is_proved = one.answer in HOLDS[:3]
    below = [*beside, *(where if is_proved else ["; ".join([one.reason, *where])])]
    link = one.link
    if one.answer == REFUTED and link is not None and link.decision.witness is not None:
        below.append(f"{'at ' if link.point else ''}{link.counterexample}")
        below += [f"the tool derives {link.derived}"] if link.derived else []
        below += [f"right {link.correction}"] if link.correction else []
    if one.remedy and one.answer in UNJUDGED:
        below.append(f"% isoflop: {one.remedy}")
    return [f"{line}  {answer}  {one.claim}{label}", *(f"    {line}" for line in (*read, *below))]
