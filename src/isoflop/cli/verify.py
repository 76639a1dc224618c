"""isoflop verify: check every theorem, one's own, or the equations of a paper."""

from __future__ import annotations

import sys
from pathlib import Path

from ..theory.typeset.escapes import clean
from .arguments import Parser, add_output, add_switch, several
from .output import (
    BAD_INPUT,
    DONE,
    INTERRUPTED,
    NEGATIVE,
    NO_VERDICT,
    is_terminal,
    json_text,
    read_text,
    say,
    shortened,
    shown,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..theory.verification import StepReport, TheoremReport

SUMMARY = "check every theorem, your own derivation, or the equations of a paper"
HELP = """\
isoflop verify [NAME ... | FILE.md | FILE.tex]

Check derivations step by step: by an exact argument, at 64 random points with 50 digits, and a
bound by interval arithmetic too. Without a name all of them, in a table; with names every step;
with the name of a paper its errata. Exit status 1 where a step is refuted or fails at a point, 3
where one is undecided.

FILE.md or FILE.txt is a derivation of your own, written as the theorems of the package are:
'Setting:', 'Let ...', 'Assume ...', a statement, and steps '- **name**: $formula$'. Nothing of it
is run. What is checked are the steps: that they amount to the statement is for the reader to judge.

FILE.tex is a paper: each displayed equation is proved, refuted or not judged, under the law and
the budget that the paper itself has; a comment '% isoflop: assume \\beta > \\gamma' (or notation,
budget, let, at, skip, 'z real') says what a display does not. Exit status 1 where an equation is
refuted, 2 where one is not read, 3 where one is not judged.

examples:
  isoflop verify optimum_by_lagrange
  isoflop verify envelope_exponent penalty_tails --format json
  isoflop verify krajewski2025
  isoflop verify my_derivation.md
  isoflop verify paper.tex
"""
#: Processes, and up to how many derivations one is enough: each imports SymPy.
JOBS, FEW = 2, 8
#: The statuses of steps that hold, as the table has them.
SHORT = {"proved": "proved", "proved under a stated lemma": "lemma", "cited": "cited"}
#: Longer claims are cut; lines are broken.
LONGEST_CLAIM, WIDTH = 400, 100
PAPER_STATUS = {"refuted": NEGATIVE, "unreadable": BAD_INPUT, "undecided": NO_VERDICT}
#: For each step of a derivation of the user's, and each equation of a paper.
SECONDS = 60.0
#: The two theorems that are asked for most.
SHORT_NAMES = {"envelope": "compute_optimal_envelope", "penalty": "misallocation_penalty"}


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    names = "derivations, one file, or a paper with errata"
    built.add_argument("names", nargs="*", type=several(str), metavar="NAME", help=names)
    add_switch(built, "--all", "of a paper, list what is proved as well")
    add_output(built, "text", "json")
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The command's output and exit status."""
    wanted = args.names or []
    files = [word for word in wanted if word.endswith((".md", ".txt", ".tex"))]
    if files and len(wanted) > 1:
        raise ValueError(f"NAME {shown(' '.join(wanted))}: must be one file alone, or names")
    if files:
        return _paper(files[0], args) if files[0].endswith(".tex") else _written(files[0], args)

    from ..derivations import NAMES
    from ..numeric.repeat import repeat
    from ..theory.verification import ERRATA, verify_named

    if len(wanted) == 1 and wanted[0] in ERRATA:
        return _errata(wanted[0], args)
    names = known(wanted, hints=tuple(ERRATA)) if wanted else NAMES
    jobs, bar = JOBS if len(names) > FEW else 1, is_terminal(sys.stderr)
    items = [(name,) for name in names]
    done = repeat(verify_named, items, jobs=jobs, progress=bar, what="derivations")
    text, status = _reported(done.values, args, in_full=bool(wanted))
    if not done.interrupted:
        return text, status
    say("interrupted", f"{len(done.values)} of {len(names)} derivations are verified")
    return text, INTERRUPTED


def known(wanted: Sequence[str], hints: Sequence[str] = ()) -> tuple[str, ...]:
    """The theorems of these names, each once; `hints` may be meant as well. A ValueError where a
    name is not known.
    """
    from ..derivations import NAMES
    from ..theory.data.notation import close_matches

    names = dict.fromkeys(SHORT_NAMES.get(word, word) for word in wanted)
    for name in names:
        if name not in NAMES:
            hint = close_matches(name, (*SHORT_NAMES, *NAMES, *hints))
            hint = hint or "; isoflop latex --list names them"
            raise ValueError(f"NAME {shown(name)}: is none of the {len(NAMES)} theorems{hint}")
    return tuple(names)


def _written(path: str, args: Namespace) -> tuple[str, int]:
    """A derivation that is written as text, nothing of which is run; with what would be right in
    place of a step that is refuted.
    """
    from dataclasses import replace

    from ..theory.claim.step import looked_at_again
    from ..theory.settings import budget, theorem
    from ..theory.verification import verify

    text = read_text("NAME", path)
    try:
        derivation = theorem(text, Path(path).stem)
        derivation.refuse_mistakes()
        under = budget(text)
    except ValueError as error:
        raise ValueError(f"NAME {shown(path)}: {error}") from None
    report = verify(derivation, seconds=SECONDS)
    steps = list(report.steps)
    for i, (step, claim) in enumerate(zip(report.steps, derivation.steps, strict=True)):
        failed = step.strength not in SHORT
        proof = looked_at_again(claim, under, seconds=SECONDS) if failed else None
        if proof is not None and proof.answer.value == "refuted":
            (link,) = proof.links
            details = {**step.details, "exact": str(link).partition(": ")[2]}
            right = {"derived": link.derived, "correction": link.correction}
            steps[i] = replace(step, exact="refuted", details=details, **right)
    return _reported([replace(report, steps=tuple(steps))], args, in_full=True)


def _paper(path: str, args: Namespace) -> tuple[str, int]:
    """The equations of a paper."""
    from ..theory.claim.document import pieces_of
    from ..theory.claim.paper import HOLDS, judged
    from ..theory.claim.report import as_dict, as_text

    folder, text = Path(path).parent, read_text("NAME", path)
    try:
        pieces, missing = pieces_of(text, path, lambda name: (folder / name).read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"NAME {shown(path)}: {error}") from None
    state, found = judged(pieces, SECONDS)
    data = as_dict(found, state, missing, path)
    is_good = data["answer"] in HOLDS and not missing
    status = PAPER_STATUS.get(data["answer"], DONE if is_good else NO_VERDICT)
    return (json_text(data) if args.format == "json" else as_text(data, in_full=args.all)), status


# -- output ----------------------------------------------------------------------------------------


def _reported(
    reports: Sequence[TheoremReport], args: Namespace, *, in_full: bool
) -> tuple[str, int]:
    """Theorems, each with every step or in a table, and the exit status."""
    failed = [report for report in reports if report.failed]
    is_open = all(report.status == "undecided" for report in failed)
    status = DONE if not failed else NO_VERDICT if is_open else NEGATIVE
    if args.format == "json":
        data = {"derivations": [one.as_dict() for one in reports], "failed": len(failed)}
        return json_text(data), status
    lines = [] if in_full else _overview(reports)
    for report in reports if in_full else failed:
        lines += [*_theorem_lines(report), ""]
    return "\n".join(lines), status


def _errata(paper: str, args: Namespace) -> tuple[str, int]:
    """Every slip of a paper, refuted as printed, with what holds instead; then the remarks."""
    from ..theory.verification import verify_errata

    found = verify_errata(paper)
    slips, remarks = ([e for e in found if ("checks" in e) is other] for other in (False, True))
    failed = sum(not erratum["holds"] for erratum in found)
    status = NEGATIVE if failed else DONE
    if args.format == "json":
        data = {"paper": paper, "errata": slips, "remarks": remarks, "failed": failed}
        return json_text(data), status
    lines = [f"Errata of {paper}: {len(slips)} slips, {len(remarks)} remarks", ""]
    for index, erratum in enumerate((*slips, *remarks), 1):
        lines += [*_erratum_lines(index, erratum), ""]
    held = "Every slip is refuted as printed and every correction holds."
    return "\n".join([*lines, f"{failed} failed" if failed else held]), status


def _overview(reports: Sequence[TheoremReport]) -> list[str]:
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


def _theorem_lines(report: TheoremReport) -> list[str]:
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


def _erratum_lines(index: int, erratum: Mapping[str, Any]) -> list[str]:
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
