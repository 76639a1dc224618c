"""isoflop latex: theorems and their proofs as a LaTeX document."""

from __future__ import annotations

import sys

from .arguments import Parser, add, add_choice, add_file, add_switch, file, several
from .output import DONE, INTERRUPTED, NEGATIVE, is_terminal, say, shown, write_file
from .selection import add_notation, notation
from .verify import SHORT_NAMES, known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

SUMMARY = "theorems with their proofs and bibliography as LaTeX"
HELP = """\
isoflop latex [envelope | penalty | NAME ... | --all] [--proof short|steps|none] [-o FILE]
isoflop latex [NAME ...] --fragment [--bib FILE]
isoflop latex --list

Theorems with assumptions, proofs, status and sources, as a document for pdflatex or a fragment for
\\input. Every step is checked for the print. Exit status 1 where a step fails.

examples:
  isoflop latex envelope
  isoflop latex envelope penalty --proof steps -o notes.tex
  isoflop latex penalty --fragment --bib penalty.bib -o penalty.tex
  isoflop latex --all --notation hoffmann -o derivations.tex
"""
PROOFS = ("short", "steps", "none")


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    names = "envelope, penalty, or a theorem by its file name; default: these two"
    built.add_argument("names", nargs="*", type=several(str), metavar="NAME", help=names)
    group = built.add_argument_group("content")
    add_switch(group, "--list", "names and titles of the theorems, and nothing else")
    add_switch(group, "--all", "every theorem of the package; takes minutes")
    lines = "the lines that a paper prints, every step with its number, or the statement alone"
    add_choice(group, "--proof", PROOFS, lines)
    fragment = (
        "for \\input in a paper: no preamble, and names of its own for environments, labels, "
    )
    add_switch(group, "--fragment", fragment + "citations")
    add(group, "--bib", "FILE", "write the entries of what is cited there, for BibTeX", file)
    add_notation(group)
    add_file(built)
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The command's output and exit status."""
    from ..derivations import NAMES, derivation, summary

    if args.names and (args.list or args.all):
        option = "--list" if args.list else "--all"
        typed = shown(" ".join(args.names))
        raise ValueError(f"{option}: takes no names, leave out {typed}")
    if args.list:
        width = max(map(len, NAMES))
        return "\n".join(f"{name.ljust(width)}  {summary(name)}" for name in NAMES), DONE
    names = NAMES if args.all else known(args.names or [*SHORT_NAMES])

    from tqdm import tqdm

    from ..theory.typeset.document import PREFIX, Checked, cited, document_latex

    bar = tqdm(names, "derivations", unit="proof", leave=False, disable=not is_terminal(sys.stderr))
    entries: list[Checked] = []
    try:
        for name in bar:
            theorem = derivation(name)
            entries.append((theorem, theorem.verify()))
    except KeyboardInterrupt:
        if not entries:
            raise
    finally:
        bar.close()
    how = {"notation": notation(args), "proof": args.proof, "fragment": args.fragment}
    text = document_latex(entries, **how)
    if args.bib is not None:
        prefix = PREFIX if args.fragment else ""
        works = "\n\n".join(work.bibtex(prefix) for work in cited(text)) or "% nothing is cited"
        write_file("--bib", args.bib, f"{works}\n")
    if len(entries) < len(names):
        say("interrupted", f"{len(entries)} of {len(names)} derivations are in the document")
        return text, INTERRUPTED
    verdicts = (verdict for _, found in entries for verdict in found)
    return text, DONE if all(verdict.holds for verdict in verdicts) else NEGATIVE
