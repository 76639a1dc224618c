"""isoflop latex: theorems, proofs and tables as a LaTeX document."""

from __future__ import annotations

import sys

from .arguments import POSITIONAL, Parser, declare_file, takes, takes_choice
from .domains import output
from .errors import DONE, INTERRUPTED, NEGATIVE, UsageError, shown
from .selection import declare_law, notation
from .selection import laws as selected_laws
from .streams import is_terminal, say, write_file
from .theorems import SHORT_NAMES, known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..theory.data.bibliography import Work
    from .arguments import Options

SUMMARY = "theorems with their proofs, tables and bibliography as LaTeX"
HELP = """\
isoflop latex [envelope | penalty | NAME ... | --all] [--proof short|steps|none] [-o FILE]
isoflop latex [NAME ...] --fragment [--bib FILE]
isoflop latex [NAME ...] --law LAW ...
isoflop latex --list

Theorems with assumptions, proofs, status and sources, as a document for pdflatex or a fragment for
\\input. Every step is checked for the print. Exit status 1 where a step fails.

examples:
  isoflop latex envelope
  isoflop latex envelope penalty --proof steps -o notes.tex
  isoflop latex --law besiroglu2024 hoffmann2022 -o notes.tex
  isoflop latex penalty --fragment --bib penalty.bib -o penalty.tex
  isoflop latex --all --notation hoffmann -o derivations.tex
"""
PROOFS = ("short", "steps", "none")


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    built.add_argument(
        POSITIONAL,
        nargs="*",
        help="envelope, penalty, or a theorem by its file name; default: these two",
    )
    group = built.add_argument_group("content")
    group.add_argument(
        "--list", action="store_true", help="names and titles of the theorems, and nothing else"
    )
    group.add_argument(
        "--all", action="store_true", help="every theorem of the package; takes minutes"
    )
    lines = "the lines that a paper prints, every step with its number, or the statement alone"
    takes_choice(group, "--proof", PROOFS, lines)
    group.add_argument(
        "--fragment",
        action="store_true",
        help="for \\input in a paper: no preamble, and names of its own for environments, labels, "
        "citations",
    )
    takes(group, "--bib", "FILE", "write the entries of what is cited there, for BibTeX", output)
    declare_law(built, several=True)
    declare_file(built)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    if "--list" in options:
        if wanted := options.entries(POSITIONAL):
            raise UsageError(f"--list: lists every theorem, leave out {shown(' '.join(wanted))}")
        return _titles(), DONE
    names, spelling = _names(options), notation(options)
    proof, bib = options["--proof"], options["--bib"]
    laws = selected_laws(options) if "--law" in options else []

    from tqdm import tqdm

    from ..derivations import derivation
    from ..theory.typeset.document import PREFIX, CheckedTheorem, cited, document_latex

    bar = tqdm(names, "derivations", unit="proof", leave=False, disable=not is_terminal(sys.stderr))
    entries: list[CheckedTheorem] = []
    try:
        for name in bar:
            entries.append(CheckedTheorem.checked(derivation(name)))
    except KeyboardInterrupt:
        if not entries:
            raise
    finally:
        bar.close()
    text = document_latex(
        entries,
        notation=spelling,
        proof=proof,
        laws=_coefficients(laws),
        fragment="--fragment" in options,
    )
    if bib is not None:
        _write_bib(bib, cited(text), PREFIX if "--fragment" in options else "")
    if len(entries) < len(names):
        say("interrupted", f"{len(entries)} of {len(names)} derivations are in the document")
        return text, INTERRUPTED
    return text, NEGATIVE if any(entry.status == "failed" for entry in entries) else DONE


def _titles() -> str:
    """A line for each theorem. That it holds is not checked."""
    from ..derivations import NAMES, summary

    width = max(map(len, NAMES))
    return "\n".join(f"{name.ljust(width)}  {summary(name)}" for name in NAMES)


def _names(options: Options) -> Sequence[str]:
    """The theorems that are asked for."""
    from ..derivations import NAMES

    wanted = options.entries(POSITIONAL)
    if "--all" not in options:
        return known(wanted or list(SHORT_NAMES))
    if wanted:
        raise UsageError(f"--all: means every theorem, leave out {shown(' '.join(wanted))}")
    return NAMES


def _write_bib(path: str, works: Sequence[Work], prefix: str) -> None:
    entries = "\n\n".join(work.bibtex(prefix) for work in works) or "% nothing is cited"
    write_file("--bib", path, f"{entries}\n")


def _coefficients(laws: Sequence[Law]) -> list[dict[str, Any]]:
    """Rows of the coefficient table: what was fitted, and what follows for the envelope."""
    if not laws:
        return []
    from ..theory.data.published import LAWS

    return [
        {
            "law": law.name,
            "key": LAWS[law.name].source.key if law.name in LAWS else None,
            **law.coefficients(),
            "alpha": law.envelope.exponent,
            "C0": None if None in (law.A, law.B) else law.envelope.coefficient,
            "w_N": law.envelope.params_share,
        }
        for law in laws
    ]
