"""The results of a verification as pages of plain text: theorems step by step or in a table, and the
errata of a paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from .typeset.escapes import clean
from .typeset.table import Column, Table
from .verification import StepReport, TheoremReport, summary

#: The statuses of what holds, as the table has them.
SHORT = {"proved": "proved", "proved under a stated lemma": "lemma", "cited": "cited"}
#: Columns of a page, and characters of a claim, beyond which its middle is left out.
WIDTH, LONGEST_CLAIM = 100, 400


def overview(reports: Sequence[TheoremReport]) -> str:
    """A row for each theorem, the counts, and every step of what has failed."""
    columns = [
        Column("name", align="left"),
        Column("steps", of=lambda report: len(report.steps)),
        Column("status", align="left", of=lambda r: SHORT.get(r.status, r.status.upper())),
        Column("time", align="left", of=lambda report: f"{report.seconds:.2f} s"),
    ]
    steps = sum(len(report.steps) for report in reports)
    counts = ", ".join(f"{count} {status}" for status, count in summary(reports).items())
    head = Table(columns, reports).lines() if reports else []
    lines = [*head, "", f"{len(reports)} derivations of {steps} steps: {counts}", ""]
    return "\n".join([*lines, *map(theorem_page, (one for one in reports if one.failed))])


def theorem_page(report: TheoremReport) -> str:
    """A theorem with every step."""
    lines = [f"{clean(report.name)}: {report.status} ({report.seconds:.2f} s)"]
    lines += _wrapped(report.title, 2)
    for word, texts in (("assume", report.assumptions), ("define", report.definitions)):
        lines += [line for text in texts for line in _wrapped(f"{word}  {text}", 2, 8)]
    lines += [*_wrapped(f"state   {report.statement}", 2, 8), *_wrapped(report.error, 2)]
    for index, step in enumerate(report.steps, 1):
        lines += _wrapped(f"{index}. {step.name}: {step.status} ({step.argument})", 2, 3)
        claim, half = step.claim, LONGEST_CLAIM // 2
        claim = claim if len(claim) <= LONGEST_CLAIM else f"{claim[:half]}...{claim[-half:]}"
        for text in (claim, step.reason, "; ".join(_findings(step))):
            lines += _wrapped(text, 7, 2)
    for word, text in (("source ", report.source), ("follows", report.follows)):
        lines += _wrapped(f"{word} {text}", 2, 8) if text else []
    return "\n".join([*lines, ""])


def _findings(step: StepReport) -> Iterable[str]:
    """What each path found where a step holds, else what refutes it or objects to it."""
    if step.strength in SHORT:
        return step.details.values()
    if step.status == "refuted":
        return [step.details["exact"]]
    exact = [] if step.exact == "proved" else [f"exact: {step.exact}, {step.details['exact']}"]
    return [*exact, *(f"FAILED: {detail}" for detail in step.objections)]


def errata_page(paper: str, found: Sequence[Mapping[str, Any]]) -> str:
    """Every slip of a paper, refuted as printed, with what holds instead; then the remarks, which
    correct nothing, with what was checked.
    """
    slips, remarks = ([e for e in found if ("checks" in e) is other] for other in (False, True))
    lines = [f"Errata of {paper}: {len(slips)} slips, {len(remarks)} remarks", ""]
    for index, erratum in enumerate((*slips, *remarks), 1):
        lines += _wrapped(f"{index}. {erratum['name']} ({erratum['where']})", 0, 3)
        if "printed" in erratum:
            witness = erratum["witness"]
            printed = f"refuted, witness {witness}" if witness else "NOT REFUTED"
            lines += _wrapped(f"as printed: {printed}", 3, 2) + _wrapped(erratum["printed"], 5, 2)
        word = "corrected: " if "printed" in erratum else "checked:   "
        for step in erratum.get("corrected", erratum.get("checks", ())):
            details = f"{step['strength']} ({step['name']}; {step['argument']})"
            lines += _wrapped(f"{word} {details}", 3, 2) + _wrapped(step["claim"], 5, 2)
        lines += [*_wrapped(erratum["comment"], 3), ""]
    failed = sum(not erratum["holds"] for erratum in found)
    held = "Every slip is refuted as printed and every correction holds."
    return "\n".join([*lines, f"{failed} failed" if failed else held])


def _wrapped(text: str, indent: int, hanging: int = 0) -> list[str]:
    """The lines of a paragraph; those below the first stand further to the right."""
    first, rest, words = " " * indent, " " * (indent + hanging), clean(text)
    return wrap(words, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
