"""Lines of the reports on theorems and errata."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .output import shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..theory.verification import StepReport, TheoremReport

#: The statuses of steps that hold, as the table has them.
SHORT = {"proved": "proved", "proved under a stated lemma": "lemma", "cited": "cited"}
#: Longer claims are cut; lines are broken.
LONGEST_CLAIM, WIDTH = 400, 100


def overview(reports: Sequence[TheoremReport]) -> list[str]:
    """A row for each theorem, and the counts."""
    from ..theory.typeset.table import Column, Table
    from ..theory.verification import summary

    columns = [
        Column("name", align="left"),
        Column("steps", of=lambda report: len(report.steps)),
        Column("status", align="left", of=lambda r: SHORT.get(r.status, r.status.upper())),
        Column("time", align="left", of=lambda report: f"{report.seconds:.2f} s"),
    ]
    steps = sum(len(report.steps) for report in reports)
    counts = ", ".join(f"{count} {status}" for status, count in summary(reports).items())
    head = Table(columns, reports).lines() if reports else []
    return [*head, "", f"{len(reports)} derivations of {steps} steps: {counts}", ""]


def theorem_lines(report: TheoremReport) -> list[str]:
    """A theorem with every step."""
    lines = [f"{clean(report.name)}: {report.status} ({report.seconds:.2f} s)"]
    lines += [*_wrapped(report.title, 2)]
    for word, texts in (("assume", report.assumptions), ("define", report.definitions)):
        lines += [line for text in texts for line in _wrapped(f"{word}  {text}", 2, 8)]
    lines += [*_wrapped(f"state   {report.statement}", 2, 8), *_wrapped(report.error, 2)]
    for index, step in enumerate(report.steps, 1):
        lines += _wrapped(f"{index}. {step.name}: {step.status} ({step.argument})", 2, 3)
        right = [f"the tool derives {step.derived}"] if step.derived else []
        right += [f"right {step.correction}"] if step.correction else []
        for text in (step.claim, step.reason, "; ".join(_checks(step)), *right):
            lines += _wrapped(shortened(text, LONGEST_CLAIM), 7, 2)
    named = (("source ", report.source), ("follows", report.follows))
    return lines + [x for word, text in named if text for x in _wrapped(f"{word} {text}", 2, 8)]


def _checks(step: StepReport) -> list[str]:
    """What the paths say of a step that holds, and of another what objects to it."""
    if step.strength in SHORT:
        return list(step.details.values())
    if step.status == "refuted":
        return [str(step.details["exact"])]
    exact = [] if step.exact == "proved" else [f"exact: {step.exact}, {step.details['exact']}"]
    return [*exact, *(f"FAILED: {detail}" for detail in step.objections)]


def erratum_lines(index: int, erratum: Mapping[str, Any]) -> list[str]:
    """What is printed and where it fails, what holds instead, and the comment of both; of a remark,
    which corrects nothing, what was checked and what it says.
    """
    lines = _wrapped(f"{index}. {erratum['name']} ({erratum['where']})", 0, 3)
    if "printed" in erratum:
        witness = erratum["witness"]
        printed = f"refuted, witness {witness}" if witness else "NOT REFUTED"
        lines += _wrapped(f"as printed: {printed}", 3, 2) + _wrapped(erratum["printed"], 5, 2)
    word = "corrected: " if "printed" in erratum else "checked:   "
    for step in erratum.get("corrected", erratum.get("checks", ())):
        lines += _wrapped(f"{word} {step['strength']} ({step['name']}; {step['argument']})", 3, 2)
        lines += _wrapped(step["claim"], 5, 2)
    return lines + _wrapped(erratum["comment"], 3)


def _wrapped(text: str, indent: int, hanging: int = 0) -> list[str]:
    from textwrap import wrap

    first, rest, words = " " * indent, " " * (indent + hanging), clean(text)
    return wrap(words, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
