"""Theorems by the names that a user types, and what is said of those that were verified."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .arguments import POSITIONAL
from .errors import UsageError, shortened, shown
from .render import WIDTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..theory.verification import StepReport, TheoremReport

#: The statuses as the table has them.
SHORT = {
    "proved": "proved",
    "proved under a stated lemma": "lemma",
    "cited": "cited",
}
#: Longer claims are cut.
LONGEST_CLAIM = 400
#: The two that are asked for most.
SHORT_NAMES = {"envelope": "compute_optimal_envelope", "penalty": "misallocation_penalty"}


def known(wanted: Sequence[str], *, also: str = "", hints: Sequence[str] = ()) -> tuple[str, ...]:
    """The names in full, each once; `also` says what else would do, and `hints` may be meant.

    Raises
    ------
    UsageError
        Where a name is not known.
    """
    from ..derivations import NAMES
    from ..theory.data.notation import close_matches

    names = [SHORT_NAMES.get(word, word) for word in wanted]
    for name in names:
        if name not in NAMES:
            hint = close_matches(name, (*SHORT_NAMES, *NAMES, *hints))
            raise UsageError(
                f"{POSITIONAL} {shown(name)}: is none of the {len(NAMES)} theorems{also}"
                f"{hint or '; isoflop latex --list names them'}"
            )
    return tuple(dict.fromkeys(names))


# -- text ------------------------------------------------------------------------------------------


def overview(reports: Sequence[TheoremReport]) -> list[str]:
    """A row for each theorem, and the counts."""
    from ..theory.typeset.table import Column, Table
    from ..theory.verification import summary

    columns = [
        Column("name", align="left", of=lambda report: clean(report.name)),
        Column("steps", of=lambda report: len(report.steps)),
        Column("status", align="left", of=lambda r: SHORT.get(r.status, r.status.upper())),
        Column("time", of=lambda report: f"{report.seconds:.2f} s"),
    ]
    steps = sum(len(report.steps) for report in reports)
    counts = ", ".join(f"{count} {status}" for status, count in summary(reports).items())
    head = Table(columns, reports).lines() if reports else []
    return [*head, "", f"{len(reports)} derivations of {steps} steps: {counts}", ""]


def report_text(report: TheoremReport) -> list[str]:
    """A theorem with every step."""
    said = [("assume", text) for text in report.assumptions]
    said += [("define", text) for text in report.definitions]
    said += [("state", report.statement)]
    lines = [f"{clean(report.name)}: {report.status} ({report.seconds:.2f} s)"]
    lines += _wrapped(report.title, 2) + _named(said) + _wrapped(report.error, 2)
    for index, step in enumerate(report.steps, 1):
        lines += _wrapped(f"{index}. {step.name}: {step.status} ({step.argument})", 2, 3)
        right = [f"the tool derives {step.derived}"] if step.derived else []
        right += [f"right {step.correction}"] if step.correction else []
        for text in (step.claim, step.reason, "; ".join(_checks(step)), *right):
            lines += _wrapped(shortened(text, LONGEST_CLAIM), 7, 2)
    return lines + _named([("source", report.source), ("follows", report.follows)])


def _checks(step: StepReport) -> list[str]:
    """What the paths say of a step that holds, and of another what objects to it."""
    if step.strength in SHORT:
        return list(step.details.values())
    if step.status == "refuted":
        return [str(step.details["exact"])]
    exact = [] if step.exact == "proved" else [f"exact: {step.exact}, {step.details['exact']}"]
    return [*exact, *(f"FAILED: {detail}" for detail in step.objections)]


def erratum_text(index: int, erratum: Mapping[str, Any]) -> list[str]:
    """What is printed and where it fails, what holds instead, and the comment of both; of a remark,
    which corrects nothing, what was checked and what it says.
    """
    lines = _wrapped(f"{index}. {erratum['name']} ({erratum['where']})", 0, 3)
    if "printed" in erratum:
        witness = erratum["witness"]
        printed = f"refuted, witness {witness}" if witness else "NOT REFUTED"
        lines += _wrapped(f"as printed: {printed}", 3, 2) + _wrapped(erratum["printed"], 5, 2)
    word, steps = (
        ("corrected: ", "corrected") if "printed" in erratum else ("checked:   ", "checks")
    )
    for step in erratum[steps]:
        lines += _wrapped(f"{word} {step['strength']} ({step['name']}; {step['argument']})", 3, 2)
        lines += _wrapped(step["claim"], 5, 2)
    return lines + _wrapped(erratum["comment"], 3)


def _named(rows: Sequence[tuple[str, str]]) -> list[str]:
    shown = (_wrapped(f"{word.ljust(7)} {text}", 2, 8) for word, text in rows if text)
    return [line for lines in shown for line in lines]


def _wrapped(text: str, indent: int, hanging: int = 0) -> list[str]:
    from textwrap import wrap

    first, rest = " " * indent, " " * (indent + hanging)
    shown = clean(text)
    return wrap(shown, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
