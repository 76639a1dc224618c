"""isoflop latex: theorems, proofs and tables as a LaTeX document."""

from __future__ import annotations

import sys

from ..theory.data.notation import close_matches
from .arguments import POSITIONAL, Parser, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NEGATIVE, UsageError, blamed, outside, shown
from .run_options import is_terminal, say_interrupted, target
from .selection import COEFFICIENTS, declare_law, notation
from .selection import laws as selected_laws

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..theory.data.bibliography import Work
    from ..theory.data.notation import Notation
    from ..theory.typeset.breaking import LineWidth
    from ..theory.typeset.document import CheckedTheorem, Subject
    from ..theory.typeset.table import Table
    from .arguments import Options

SUMMARY = "theorems with their proofs, tables and bibliography as LaTeX"
DEFAULTS = ("compute_optimal_envelope", "misallocation_penalty")
#: Of columns, in points.
NARROWEST, WIDEST = 180, 1000


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop latex",
        [
            "[NAME ... | --all] [--law LAW ... [--ratio RATIO ...]] [-o FILE]",
            "[NAME ... | --all] --fragment [--bib FILE] [--columns 2] [--symbol NAME=LATEX]",
            "--list",
        ],
        "Theorems with assumptions, numbered proofs, status and sources, as a document for "
        "pdflatex or a\n"
        "fragment for \\input. Every step is checked for the print. Letters are macros, \\isoN for "
        "N: define\n"
        "them as your paper writes them, or let --symbol do it. Exit status 1 where a step fails.",
        [
            "isoflop latex -o notes.tex",
            "isoflop latex --law besiroglu2024 hoffmann2022 --ratio 0.1 1 10 -o notes.tex",
            "isoflop latex --fragment --bib envelope.bib --columns 2 -o envelope.tex",
            "isoflop latex optimum_by_lagrange --fragment --symbol N=M 'beta=b'",
            "isoflop latex --all --notation hoffmann -o derivations.tex",
        ],
    )
    built.add_argument(
        POSITIONAL,
        nargs="*",
        help="derivations, by file name; default: the envelope and the penalty",
    )
    group = built.add_argument_group("content")
    group.add_argument(
        "--list", action="store_true", help="names and titles of the derivations, and nothing else"
    )
    group.add_argument(
        "--all", action="store_true", help="every derivation of the package; takes minutes"
    )
    takes_several(
        group, "--ratio", "RATIO", "a table of penalties at these overtraining ratios, for each law"
    )
    group.add_argument(
        "--fragment",
        action="store_true",
        help="for \\input in a paper: no preamble, and names of its own for environments, labels, "
        "citations",
    )
    group.add_argument(
        "--bibliography", action="store_true", help="with --fragment: its own list of references"
    )
    takes_one(group, "--bib", "FILE", "write the entries of what is cited there, for BibTeX")
    takes_one(group, "--columns", "1|2", "of the paper; default: 1")
    takes_one(
        group,
        "--width",
        "POINTS",
        "\\columnwidth of the paper, which no display exceeds; default: 345, in two columns 252",
    )
    takes_several(
        group, "--symbol", "NAME=LATEX", "what a macro stands for, such as N=M or gamma=\\delta"
    )
    group.add_argument("--no-macros", action="store_true", help="plain letters in place of macros")
    declare_law(built, several=True)
    output = built.add_argument_group("output")
    output.add_argument(
        "-o",
        "--output",
        action="append",
        metavar="FILE",
        help="write there rather than to the standard output",
    )
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    if "--list" in options:
        return _titles(), DONE
    spelling = notation(options)
    names = _names(options)
    symbols = _symbols(options)
    laws = (
        selected_laws(options)
        if options.given("--law", *(f"--{name}" for name in COEFFICIENTS))
        else []
    )
    macros, bib, measure = "--no-macros" not in options, target(options, "--bib"), _measure(options)

    from ..numeric._progress import progress_bar
    from ..theory.typeset.document import (
        PREFIX,
        CheckedTheorem,
        cited,
        date_of_print,
        document_latex,
        require_symbols,
        written,
    )

    made = date_of_print()
    try:
        require_symbols(symbols, spelling, macros)
    except ValueError as error:
        raise blamed(error, ("--symbol", " ".join(options.words("--symbol") or ()))) from None
    penalties = _penalties(laws, options, written(spelling, macros))
    bar = progress_bar(len(names), is_terminal(sys.stderr), what="derivations", unit="proof")
    entries: list[CheckedTheorem] = []
    try:
        for name in names:
            entries.append(CheckedTheorem.checked(_subject(name)))
            bar.update(1)
    except KeyboardInterrupt:
        if not entries:
            raise
    finally:
        bar.close()
    text = document_latex(
        entries,
        notation=spelling,
        laws=_coefficients(laws),
        penalties=penalties,
        fragment="--fragment" in options,
        bibliography="--bibliography" in options or None,
        measure=measure,
        macros=macros,
        symbols=symbols,
        made=made,
    )
    if bib is not None:
        _write_bib(bib, cited(text), PREFIX if "--fragment" in options else "")
    if len(entries) < len(names):
        say_interrupted(f"{len(entries)} of {len(names)} derivations are in the document")
        return text, INTERRUPTED
    return text, NEGATIVE if any(entry.status == "failed" for entry in entries) else DONE


def _titles() -> str:
    """A line for each derivation. That it holds is not checked."""
    from ..derivations import NAMES, summary

    width = max(map(len, NAMES))
    return "\n".join(f"{name.ljust(width)}  {summary(name)}" for name in NAMES)


# -- input -----------------------------------------------------------------------------------------


def _names(options: Options) -> Sequence[str]:
    from ..derivations import NAMES

    wanted = options.several(POSITIONAL)
    if "--all" in options:
        if wanted is not None:
            raise UsageError(f"--all: means every derivation, leave out {shown(' '.join(wanted))}")
        return NAMES
    for name in wanted or ():
        if name not in NAMES:
            hint = (
                close_matches(name, NAMES) or "; isoflop latex --list names them with their titles"
            )
            raise UsageError(f"{POSITIONAL} {shown(name)}: is no derivation{hint}")
    return list(dict.fromkeys(wanted)) if wanted else DEFAULTS


def _symbols(options: Options) -> dict[str, str]:
    """Canonical name -> LaTeX; the names are those of the notation in use."""
    canonical = {own: name for name, own in notation(options).names().items()}
    found: dict[str, str] = {}
    for word in options.words("--symbol") or ():
        name, equals, letter = word.partition("=")
        if not equals:
            raise UsageError(f"--symbol {shown(word)}: must be NAME=LATEX, such as N=M")
        name = canonical.get(name, name)
        if name in found:
            raise UsageError(f"--symbol {shown(word)}: this symbol is given twice")
        found[name] = letter
    return found


def _measure(options: Options) -> LineWidth:
    """The lines of the paper."""
    from ..theory.typeset.breaking import ARTICLE, TWO_COLUMNS, LineWidth

    usual = TWO_COLUMNS if options.chosen("--columns", ("1", "2")) == "2" else ARTICLE
    points = options.positive("--width")
    if points is None:
        return usual
    if not NARROWEST <= points <= WIDEST:
        raise outside(
            "--width", str(options.one("--width")), f"points, from {NARROWEST} to {WIDEST}"
        )
    return LineWidth(int(points), usual.columns)


def _write_bib(path: str, works: Sequence[Work], prefix: str) -> None:
    from ..numeric._files import write

    entries = "\n\n".join(work.bibtex(prefix) for work in works) or "% nothing is cited"
    try:
        write(path, f"{entries}\n".encode())
    except OSError as error:
        raise UsageError(f"--bib {shown(path)}: cannot be written ({error.strerror})") from None


def _penalties(laws: Sequence[Law], options: Options, spelling: Notation) -> Table | None:
    ratios = options.positives("--ratio")
    if ratios is None:
        return None
    if not laws:
        raise UsageError("--law is missing: penalties are those of a law")
    from ..numeric.law.tables import penalty_page

    return penalty_page(
        [(law, [law.penalty(ratio=ratio) for _, ratio in ratios]) for law in laws], spelling
    )


# -- content ---------------------------------------------------------------------------------------


def _subject(name: str) -> Subject:
    """The derivation; the envelope or the misallocation itself where it is theirs, which prints in
    their names.
    """
    from ..derivations import derivation
    from ..theory.envelope import derive
    from ..theory.penalty import misallocation

    built = derivation(name)
    own = (derive(), misallocation()) if name in DEFAULTS else ()
    return next((subject for subject in own if subject.derivation == built), built)


def _coefficients(laws: Sequence[Law]) -> list[dict[str, Any]]:
    """Rows of the coefficient table: what was fitted, and what follows for the envelope."""
    if not laws:
        return []
    from ..theory.data.published import LAWS
    from ..theory.envelope import derive
    from .figures import figures

    envelope = derive()
    rows = []
    for law in laws:
        derived = figures(law, envelope)
        names = {"alpha": "exponent", "C0": "coefficient", "w_N": "params_share"}
        published = LAWS.get(law.name)
        rows.append(
            {
                "law": law.name,
                "key": published.source.key if published else None,
                **law.coefficients(),
                **{name: derived[figure] for name, figure in names.items()},
            }
        )
    return rows
