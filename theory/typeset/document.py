"""A LaTeX document: theorems with their proofs, status, sources and bibliography."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sympy import __version__ as sympy_version

from ..._version import __version__
from ..data.bibliography import WORKS, Work, citations
from ..data.notation import DEFAULT, Notation
from ..data.notation import notation as find_notation
from ..kernel.rules import weakest
from ..theorem.derivation import Derivation
from ..theorem.step import Verdict
from .escapes import latex_words
from .printer import symbol_latex
from .theorem import Cite, theorem_latex
from .words import latex_sentence

__all__ = ["PREFIX", "cited", "document_latex"]

#: A theorem to print, and the verdicts on its steps in their order.
Checked = tuple[Derivation, Sequence[Verdict]]

PACKAGES = ("amsmath", "amssymb", "amsthm")
#: The prefix of labels and, in a fragment, of the keys of citations.
PREFIX = "iso:"
INTRODUCTION = (
    "Each statement below was checked by isoflop {isoflop} with SymPy {sympy}, in the notation of "
    "{notation}: every step by an exact argument, and again at random points in arithmetic of 50 "
    "digits, bounds in interval arithmetic. The status of a theorem is that of its weakest "
    "step."
)
#: Numbers a fragment's theorems with those of the paper if these are called "theorem".
GUARDED_THEOREM = (
    r"\ifcsname isotheorem\endcsname\else"
    r"\ifcsname c@theorem\endcsname\newtheorem{isotheorem}[theorem]{Theorem}\relax"
    r"\else\newtheorem{isotheorem}{Theorem}\relax\fi\fi"
)
#: A slash or a hyphen of an address, behind which a line may end.
BREAKABLE = r"\1\\allowbreak "
PREAMBLE = r"""\documentclass{article}
\usepackage[textwidth=400pt,textheight=620pt]{geometry}
\usepackage{%(packages)s,microtype}
\usepackage[hidelinks,pdfusetitle]{hyperref}
\newtheorem{theorem}{Theorem}
\allowdisplaybreaks[1]
\setlength{\emergencystretch}{4em}
\title{Compute-optimal training: derivations}
\author{isoflop %(version)s}
\date{}
\begin{document}
\maketitle
"""
#: The most theorems that the first line of a fragment names.
MOST_NAMED = 4


# -- citations -------------------------------------------------------------------------------------


def _citing(prefix: str) -> Cite:
    r"""A printer of sentences with ``\cite`` for every work that they mention."""

    def cite(sentence: str) -> str:
        text, position = "", 0
        for begin, end, work in citations(sentence):
            names = latex_words(work.cited).replace("et al. ", r"et al.\ ")
            text += rf"{latex_words(sentence[position:begin])}{names}~\cite{{{prefix}{work.key}}}"
            position = end
        return text + latex_words(sentence[position:])

    return cite


def _bibitem(work: Work) -> str:
    """The entry of a work; its addresses may be broken behind each slash and hyphen."""
    details = re.sub(
        r"https://\S+?(?=[,;]?(?:\s|$))",
        lambda found: rf"\texttt{{{re.sub('([/-])', BREAKABLE, found[0])}}}",
        latex_words(work.details),
    )
    title = f"{latex_words(work.title)}{'' if work.title.endswith('?') else '.'}"
    authors = latex_words(work.listed_authors)
    return rf"\bibitem{{{work.key}}} {authors}, \emph{{{title}}} {details}"


def cited(latex: str) -> list[Work]:
    """The works that a document or a fragment cites, in the order of their keys."""
    keys = {key.removeprefix(PREFIX) for key in re.findall(r"\\cite\{([^{}]+)\}", latex)}
    return [WORKS[key] for key in sorted(keys)]


# -- the document ----------------------------------------------------------------------------------


def document_latex(
    entries: Iterable[Checked],
    *,
    notation: str | Notation = DEFAULT,
    proof: str = "short",
    fragment: bool = False,
) -> str:
    r"""A LaTeX document that compiles as it is, or a fragment for ``\input``.

    Parameters
    ----------
    entries : iterable of (Derivation, sequence of Verdict)
        The theorems in order, each with the verdicts on its steps.
    notation : {"schaeffer", "hoffmann"}
        A theorem whose own letters would collide with it is printed in the default notation, and
        says so.
    proof : {"short", "steps", "none"}
        How much of each proof; see `theorem_latex`.
    fragment : bool
        Leave out preamble, title, introduction and bibliography. Comments name the package's version
        and the LaTeX packages that it needs; its environments, labels and citations have names of
        their own.
    """
    spelling, entries = find_notation(notation), list(entries)
    cite = _citing(PREFIX if fragment else "")
    environment = "isotheorem" if fragment else "theorem"
    parts = [
        part for entry in entries for part in _theorem(entry, spelling, proof, cite, environment)
    ]
    body = "\n\n".join(parts)
    if fragment:
        return "\n".join([*_head_of_fragment(entries, spelling, body), "", body])
    if works := cited(body):
        items = "\n".join(map(_bibitem, works))
        body += f"\n\n\\begin{{thebibliography}}{{99}}\n{items}\n\\end{{thebibliography}}"
    introduction = INTRODUCTION.format(
        isoflop=__version__, sympy=sympy_version, notation=latex_words(spelling.source)
    )
    head = PREAMBLE % {"packages": ",".join(PACKAGES), "version": __version__}
    shown = [head, introduction, "", body, ""]
    return "\n".join([*shown, r"\end{document}"])


def _head_of_fragment(entries: Sequence[Checked], spelling: Notation, body: str) -> Iterator[str]:
    """The comments at the head of a fragment: its origin, its content and what it needs."""
    names = [theorem.name for theorem, _ in entries]
    content = ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} theorems"
    yield f"% isoflop {__version__}: {content}; {spelling.name} notation"
    yield f"% Needs the packages {', '.join(PACKAGES)}."
    if works := cited(body):
        yield f"% Cites {', '.join(f'{PREFIX}{work.key}' for work in works)}."
    yield GUARDED_THEOREM


def _theorem(
    entry: Checked, spelling: Notation, proof: str, cite: Cite, environment: str
) -> Iterator[str]:
    """The theorem, its status, its source and its consequences."""
    derivation, verdicts = entry
    if clash := _clash(derivation, spelling):
        spelling = DEFAULT
        yield (
            f"The next theorem is set in the {DEFAULT.name} notation: in the other, ${clash}$ "
            f"would have two meanings."
        )
    yield theorem_latex(
        derivation,
        notation=spelling,
        proof=proof,
        verdicts=verdicts,
        cite=cite,
        environment=environment,
    )
    status = weakest(verdict.strength for verdict in verdicts)
    about = [rf"\noindent \textbf{{Status:}} {latex_words(status)}."]
    about.append(rf"\textbf{{Source:}} {cite(derivation.source)}")
    if derivation.follows:
        follows = latex_sentence(derivation.follows, spelling, words=cite)
        about.append(rf"\textbf{{What follows:}} {follows}")
    yield "\n".join([*about, r"\par\medskip"])


def _clash(derivation: Derivation, spelling: Notation) -> str:
    """The LaTeX that two symbols of a theorem would share; empty if there is none."""
    used = frozenset().union(*(step.symbols for step in derivation.steps))
    name_of: dict[str, str] = {}
    for name in sorted({symbol.name for symbol in used}):
        letter = symbol_latex(name, spelling) or name
        if name_of.setdefault(letter, name) != name:
            return letter
    return ""
