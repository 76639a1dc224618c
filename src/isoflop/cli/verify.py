"""isoflop verify: check every theorem, one's own, or the equations of a paper."""

from __future__ import annotations

import sys
from pathlib import Path

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
    shown,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from ..theory.verification import TheoremReport

SUMMARY = "check every theorem, your own derivation, or the equations of a paper"
HELP = """\
isoflop verify [NAME ... | FILE.md | FILE.tex]

Check derivations step by step: by an exact argument, at 32 random points with 50 digits, and a
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
#: Processes, and the number of derivations up to which one is enough: each imports SymPy.
JOBS, FEW = 2, 8
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
        check = _paper if files[0].endswith(".tex") else _own_derivation
        return check(files[0], args)

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
    """The theorems of these names, each once; ValueError where a name is not known, which may be a
    misspelling of one of the `hints` as well.
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


def _own_derivation(path: str, args: Namespace) -> tuple[str, int]:
    """A derivation of the user's own, which is written as text; nothing of it is run."""
    from ..theory.settings import theorem
    from ..theory.verification import verify

    text = read_text("NAME", path)
    try:
        derivation = theorem(text, Path(path).stem)
    except ValueError as error:
        raise ValueError(f"NAME {shown(path)}: {error}") from None
    return _reported([verify(derivation, seconds=SECONDS)], args, in_full=True)


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
    setting, found = judged(pieces, SECONDS)
    data = as_dict(found, setting, missing, path)
    is_good = data["answer"] in HOLDS and not missing
    status = PAPER_STATUS.get(data["answer"], DONE if is_good else NO_VERDICT)
    return (json_text(data) if args.format == "json" else as_text(data, in_full=args.all)), status


def _reported(
    reports: Sequence[TheoremReport], args: Namespace, *, in_full: bool
) -> tuple[str, int]:
    """Theorems, each with every step or in a table, and the exit status."""
    from ..theory.verification_text import overview, theorem_page

    failed = [report for report in reports if report.failed]
    is_open = all(report.status == "undecided" for report in failed)
    status = DONE if not failed else NO_VERDICT if is_open else NEGATIVE
    if args.format == "json":
        data = {"derivations": [one.as_dict() for one in reports], "failed": len(failed)}
        return json_text(data), status
    return "\n".join(map(theorem_page, reports)) if in_full else overview(reports), status


def _errata(paper: str, args: Namespace) -> tuple[str, int]:
    """The errata of a paper."""
    from ..theory.verification import verify_errata
    from ..theory.verification_text import errata_page

    found = verify_errata(paper)
    failed = sum(not erratum["holds"] for erratum in found)
    status = NEGATIVE if failed else DONE
    if args.format != "json":
        return errata_page(paper, found), status
    slips, remarks = ([e for e in found if ("checks" in e) is other] for other in (False, True))
    return json_text(
        {"paper": paper, "errata": slips, "remarks": remarks, "failed": failed}
    ), status
