"""The report on a document: refuted claims first, then those that are not judged with the line that
would settle them, then a count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .paper import ANSWERS, HOLDS, REFUTED, UNDECIDED, UNREADABLE, Judgement
from .setting import Setting


def as_dict(
    found: Sequence[Judgement], setting: Setting, missing: Sequence[str], path: str
) -> dict[str, Any]:
    """The verdicts as plain data."""
    answers = [one.answer for one in found]
    return {
        "file": path,
        "answer": next((answer for answer in ANSWERS if answer in answers), UNDECIDED),
        "counts": {answer: answers.count(answer) for answer in ANSWERS},
        "setting": _setting_line(setting),
        "equations": [_entry(one) for one in found],
        "missing": list(missing),
    }


def _entry(one: Judgement) -> dict[str, Any]:
    piece, link = one.piece, {} if one.link is None else one.link.as_dict()
    reading, free = (one.proof.reading, one.proof.free) if one.proof is not None else ("", ())
    place = {"file": piece.file, "line": piece.line, "label": piece.label or None}
    verdict = {"claim": one.claim, "answer": one.answer, "reason": one.reason, "reading": reading}
    remedy = one.remedy and f"% isoflop: {one.remedy}"
    conditions = {"stated": list(piece.conditions), "remedy": remedy, "free": list(free)}
    return place | link | verdict | conditions


def _setting_line(setting: Setting) -> str:
    """The law and the budget of the document in one line."""
    law, where = setting.law, f" of line {setting.budget_line}" if setting.budget_line else ""
    budget = f"budget{where}: {setting.declared.budget or 'C = 6*D*N, as none is displayed'}"
    if law is None or law.notation is None or not law.line:
        return f"{setting.lawless or f'notation {setting.settings.words.notation.name}'}; {budget}"
    a, b, beta, gamma = (law.notation.names()[x] for x in ("A", "B", "beta", "gamma"))
    constant = "" if law.assume else f"{law.notation.letters['irreducible']} + "
    lets = f" with {', '.join(law.let)}" if law.let else ""
    return f"law of line {law.line}: {constant}{a} N^-{beta} + {b} D^-{gamma}{lets}; {budget}"


def as_text(data: Mapping[str, Any], *, in_full: bool) -> str:
    """The report in plain text from the verdicts as plain data."""

    def rank(entry: Mapping[str, Any]) -> int:
        return (entry["answer"] != REFUTED) + (entry["answer"] in HOLDS)

    path, entries = data["file"], sorted(data["equations"], key=rank)
    lines = [line for one in entries if in_full or rank(one) < 2 for line in _lines(one, path)]
    free = dict.fromkeys(x for one in entries for x in one["free"])
    letters = f"; letters of the document: {', '.join(free)}" if free else ""
    lines += [f"every letter is positive{letters}", data["setting"]]
    if data["missing"]:
        lines.append(f"files that are missing or include themselves: {', '.join(data['missing'])}")
    ranks, counts = [rank(one) for one in entries], data["counts"]
    shown = {REFUTED: ranks.count(0), "not judged": ranks.count(1)} | {x: counts[x] for x in HOLDS}
    listed = " (--all lists them)" if 2 in ranks and not in_full else ""
    plural = {"definition": "definitions"}
    words = ((n, plural.get(word, word) if n > 1 else word) for word, n in shown.items() if n)
    total = ", ".join(f"{n} {word}" for n, word in words)
    return "\n".join([*lines, f"{path}: {total}{listed}"])


def _lines(one: Mapping[str, Any], path: str) -> list[str]:
    """A claim with its verdict, and below it the reading, the reason and the correction."""
    line = f"line {one['line']}" if one["file"] == path else f"{one['file']} line {one['line']}"
    answer = "not judged" if one["answer"] in (UNREADABLE, UNDECIDED) else one["answer"]
    below = [f"under {', '.join(one['stated'])}" if one["stated"] else ""]
    below += [one["reading"] and f"read as {one['reading']}"]
    below += [one["reason"] if one["answer"] not in HOLDS else ""]
    if one["answer"] == REFUTED and (witness := one.get("witness")):
        where = ", ".join(f"{name} = {value}" for name, value in witness["point"].items())
        at = f"at {where}: " if where else ""
        below.append(f"{at}lhs = {witness['lhs']}, rhs = {witness['rhs']}")
        below += [one["derived"] and f"derived: {one['derived']}"]
        below += [one["correction"] and f"correction: {one['correction']}"]
    head = f"{line}  {answer}  {one['claim']}" + (f"  {one['label']}" if one["label"] else "")
    return [head, *(f"    {line}" for line in (*below, one["remedy"]) if line)]
