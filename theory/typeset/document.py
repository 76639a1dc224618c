r"""A complete LaTeX document: theorems with proofs and status, tables of laws and penalties,
bibliography.

The letters of a law (N, D, C, L, E, A, B, C_0, r, rho, alpha, beta, gamma) are written as macros
``\isoN``, ``\isoD``, ..., each defined with ``\providecommand``: a paper that defines its own
first, or edits the definitions, sees its own symbols.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..._version import __version__
from .. import symbols as sym
from ..budget import SIX_ND
from ..data.bibliography import WORKS, Work, citations
from ..data.notation import DEFAULT, ROLES, Notation
from ..data.notation import notation as find_notation
from ..envelope import Envelope
from ..law import PARAMS_TOKENS
from ..penalty import Misallocation
from ..proof.claim import Derivation, Verdict, weakest
from .layout import OPTIMAL
from .numbers import Shortest
from .printer import render, symbol_latex
from .prose import respell
from .sentence import LETTERS, escaped, sentence_latex
from .table import Column, Table
from .theorem import label, theorem_latex
from .width import MACRO

__all__ = ["PACKAGES", "Entry", "document_latex", "require_symbols", "with_macros", "written"]

Subject = Derivation | Envelope | Misallocation

PACKAGES = ("amsmath", "amssymb", "amsthm", "booktabs")
#: What a table of laws shows: the fitted coefficients, and what follows from them.
FITTED, DERIVED = ("E", "A", "B", "beta", "gamma"), ("alpha", "C0", "w_N")
#: Tables of many columns are narrower than the lines of an article.
SMALL = r"\footnotesize\setlength{\tabcolsep}{3pt}"
PENALTIES = (
    "Penalty $P$, effective compute and compute overhead off the optimal allocation, at the same "
    "compute."
)
TITLE = "Compute-optimal training: derivations"
LAW_SYMBOLS = frozenset(
    {
        sym.N,
        sym.D,
        sym.C,
        sym.L,
        sym.E,
        sym.A,
        sym.B,
        sym.BETA,
        sym.GAMMA,
        sym.SIZE_RATIO,
        sym.RATIO,
    }
)
#: Long formulas within a line: wider spaces rather than a formula in the margin.
STRETCHED = r"\begingroup\emergencystretch=4em"
NUMERALS = {"0": "zero"}
INTRODUCTION = (
    f"Each statement below was checked by isoflop {__version__} when this document was written: "
    f"every step by the argument that "
    "the proof names, and again at random points in arithmetic of 50 digits, bounds also in "
    "interval arithmetic. The status of "
    "a theorem is that of its weakest step."
)
#: Where a sentence names a derivation that is not in the document.
OTHER_NAME = re.compile(r"\\texttt\{\w+(?:\\_\w+){2,}\}")
ELSEWHERE = r"Names in \texttt{typewriter} are those of other derivations of the package."


@dataclass(frozen=True)
class Entry:
    """A theorem to print and what the checks said of its steps.

    Parameters
    ----------
    subject : Derivation, Envelope or Misallocation
    verdicts : tuple of Verdict
        Of the steps of its derivation, in their order.
    """

    subject: Subject
    verdicts: tuple[Verdict, ...]

    @classmethod
    def checked(cls, subject: Subject) -> Entry:
        """The entry of a subject whose steps are checked now, on every path."""
        return cls(subject, _derivation(subject).verify())

    @property
    def derivation(self) -> Derivation:
        return _derivation(self.subject)

    @property
    def status(self) -> str:
        """That of the weakest step."""
        return weakest(verdict.strength for verdict in self.verdicts)


def _derivation(subject: Subject) -> Derivation:
    return subject if isinstance(subject, Derivation) else subject.derivation


# -- symbols as macros -----------------------------------------------------------------------------------------


def macro(name: str) -> str:
    r"""The macro of a letter: ``\isoN``, ``\isobeta``, ``\isoCzero``."""
    return MACRO + "".join(NUMERALS.get(character, character) for character in name)


def with_macros(spelling: Notation) -> Notation:
    """The notation with a macro for every letter of a law; marks of the optimum and indices stay."""
    known = spelling.symbol_names()

    def respelt(name: str, latex: str) -> str:
        stem = name.removesuffix(OPTIMAL)
        if name in LETTERS:
            return macro(name)
        return (
            macro(stem) + latex.removeprefix(known[stem])
            if stem != name and stem in LETTERS
            else latex
        )

    roles = {role: getattr(spelling, role) for role in ROLES}
    symbols = tuple((name, respelt(name, latex)) for name, latex in spelling.symbols)
    return Notation(name=spelling.name, title=spelling.title, symbols=symbols, **roles)


def _definitions(body: str, spelling: Notation, symbols: Mapping[str, str]) -> list[str]:
    """The definitions of the macros that occur."""
    lines = []
    for name in LETTERS:
        if re.search(re.escape(macro(name)) + r"(?![A-Za-z])", body):
            letter = symbols.get(name, spelling.latex(name))
            braced = f"{{{letter}}}" if re.search(r"[\^_']", letter) else letter
            lines.append(
                rf"\providecommand{{{macro(name)}}}{{{braced}}}% "
                rf"{respell(sym.QUANTITIES[name].meaning, spelling)}"
            )
    return lines


# -- citations -------------------------------------------------------------------------------------------------


@dataclass
class Citing:
    r"""Sentences with ``\cite`` for every work that they mention, and the works in the order of
    their first mention.
    """

    spelling: Notation
    works: dict[str, Work] = field(default_factory=dict)

    def __call__(self, sentence: str) -> str:
        pieces: list[str] = []
        position = 0
        for begin, end, work in citations(sentence):
            pieces += [sentence[position:begin], f"{_spoken(work.names)}~{self.key(work.key)}"]
            position = end
        pieces.append(sentence[position:])
        return "".join(piece if k % 2 else self._plain(piece) for k, piece in enumerate(pieces))

    def key(self, key: str) -> str:
        r"""``\cite`` of a work by its key."""
        self.works.setdefault(key, WORKS[key])
        return rf"\cite{{{key}}}"

    def _plain(self, piece: str) -> str:
        """The formulas of a piece set, its spaces at both ends kept."""
        inner = piece.strip()
        if not inner:
            return piece
        before, after = piece[: len(piece) - len(piece.lstrip())], piece[len(piece.rstrip()) :]
        return before + sentence_latex(inner, self.spelling) + after

    def bibliography(self) -> list[str]:
        if not self.works:
            return []
        entries = [
            _bibitem(work) for work in sorted(self.works.values(), key=lambda work: work.key)
        ]
        return [r"\begin{thebibliography}{99}", *entries, r"\end{thebibliography}"]


def _spoken(names: str) -> str:
    return escaped(names).replace("et al. ", r"et al.\ ")


def _bibitem(work: Work) -> str:
    details = re.sub(r"(\d)-(\d)", r"\1--\2", escaped(work.details))
    details = re.sub(r"https://\S+?(?=[,;]?(?:\s|$))", lambda match: _breakable(match[0]), details)
    stop = "" if work.title.endswith("?") else "."
    return rf"\bibitem{{{work.key}}} {escaped(work.authors)}, \emph{{{escaped(work.title)}{stop}}} {details}"


def _breakable(address: str) -> str:
    return r"\texttt{" + address.replace("/", r"/\allowbreak ").replace("-", r"-\allowbreak ") + "}"


# -- the document ----------------------------------------------------------------------------------------------


def document_latex(
    entries: Iterable[Entry],
    *,
    notation: str | Notation = DEFAULT,
    laws: Sequence[Mapping[str, Any]] = (),
    penalties: Table | None = None,
    fragment: bool = False,
    macros: bool = True,
    symbols: Mapping[str, str] | None = None,
    title: str = TITLE,
) -> str:
    r"""A LaTeX document that compiles as it is, or a fragment to paste.

    Parameters
    ----------
    entries : iterable of Entry
        The theorems, in order.
    notation : {"schaeffer", "hoffmann"}
        A derivation whose own letters would collide with it is set in the default notation, and
        says so.
    laws : sequence of mappings
        Each with ``law``, its name, ``key`` of the work to cite or None, the coefficients ``E``,
        ``A``, ``B``, ``beta``, ``gamma``, and what follows: ``alpha``, ``C0``, ``w_N``. None prints
        as a dash.
    penalties : Table, optional
        A table of penalties, with its headings in the letters of `written`.
    fragment : bool
        Leave out preamble, title and introduction; comment lines name the packages that are needed.
    macros : bool
        Write the letters of a law as macros, defined at the top; else the letters themselves.
    symbols : mapping, optional
        Canonical name -> LaTeX: what the macros stand for.
    title : str

    Raises
    ------
    ValueError
        Where a symbol is none of the letters of a law, or two letters are given the same LaTeX.
    """
    spelling, symbols = find_notation(notation), dict(symbols or {})
    require_symbols(symbols, spelling, macros)
    citing = Citing(spelling)
    entries = list(entries)
    parts = [_theorem(entry, spelling, citing, macros) for entry in entries]
    if laws:
        parts.append(_law_table(laws, written(spelling, macros), citing))
    if penalties is not None:
        parts.append(penalties.latex(PENALTIES, "tab:penalty", SMALL))
    parts += ["\n".join(citing.bibliography())] if citing.works else []
    body = _with_references("\n\n".join(parts), [entry.derivation.name for entry in entries])
    definitions = _definitions(body, spelling, symbols)
    if fragment:
        return "\n".join([*_needs(), *definitions, "", body])
    head = [
        r"\documentclass{article}",
        rf"\usepackage{{{','.join(PACKAGES)}}}",
        r"\newtheorem{theorem}{Theorem}",
        *definitions,
    ]
    opening = [
        rf"\title{{{escaped(title)}}}",
        r"\author{}",
        r"\date{}",
        r"\begin{document}",
        r"\maketitle",
    ]
    introduction = (
        ["", INTRODUCTION, *([ELSEWHERE] if OTHER_NAME.search(body) else [])] if parts else []
    )
    return "\n".join([*head, *opening, *introduction, "", body, "", r"\end{document}"])


def _with_references(body: str, names: Iterable[str]) -> str:
    """The names of the document's own theorems as references."""
    for name in names:
        body = body.replace(rf"\texttt{{{escaped(name)}}}", rf"Theorem~\ref{{{label(name)}}}")
    return body


def _needs() -> list[str]:
    return [
        f"% Needs the packages {', '.join(PACKAGES)}",
        r"% and, in the preamble, \newtheorem{theorem}{Theorem} or a theorem environment of your "
        r"own.",
    ]


def written(spelling: Notation, macros: bool) -> Notation:
    """The notation in which a document with or without macros is written."""
    return with_macros(spelling) if macros else spelling


def require_symbols(symbols: Mapping[str, str], spelling: Notation, macros: bool = True) -> None:
    """ValueError where a symbol is no letter of a law, is no LaTeX, or is the letter of another."""
    if symbols and not macros:
        raise ValueError(f"symbols={symbols!r}: need macros=True")
    for name, latex in symbols.items():
        if name not in LETTERS:
            raise ValueError(f"symbols={name!r}: must be one of {', '.join(LETTERS)}")
        if not latex.strip() or not _balanced(latex):
            raise ValueError(f"symbols={name}={latex!r}: must be LaTeX with balanced braces")
    meant: dict[str, str] = {}
    for name in LETTERS:
        letter = symbols.get(name, spelling.latex(name)).strip()
        if letter in meant:
            raise ValueError(f"symbols={name}={letter!r}: is the letter of {meant[letter]} already")
        meant[letter] = name


def _balanced(latex: str) -> bool:
    depth = 0
    for token in re.findall(r"\\.|[{}%]", latex):
        depth += (token == "{") - (token == "}")
        if depth < 0 or token == "%":
            return False
    return depth == 0


def _theorem(entry: Entry, spelling: Notation, citing: Citing, macros: bool) -> str:
    derivation = entry.derivation
    used = frozenset().union(*(step.symbols for step in derivation.steps))
    clash = _clash(used, spelling)
    chosen = DEFAULT if clash else spelling
    if macros and len(used & LAW_SYMBOLS) > 1:
        chosen = with_macros(chosen)
    citing.spelling = chosen
    remark = (
        [
            f"This theorem is set in the {DEFAULT.name} notation: in the other, ${clash}$ would "
            f"have two meanings."
        ]
        if clash
        else []
    )
    about = [
        rf"\textbf{{Status:}} {escaped(entry.status)}.",
        rf"\textbf{{Source:}} {citing(derivation.source)}" if derivation.source else "",
        rf"\textbf{{What follows:}} {citing(derivation.follows)}" if derivation.follows else "",
    ]
    theorem = theorem_latex(entry.subject, notation=chosen, verdicts=entry.verdicts, cite=citing)
    closing = r"\noindent " + "\n".join(filter(None, about))
    return "\n".join([*remark, STRETCHED, theorem, "", closing, r"\par\endgroup\medskip"])


def _clash(used: Iterable[Any], spelling: Notation) -> str:
    """The LaTeX that two symbols of a derivation would share; empty where there is none."""
    meant: dict[str, str] = {}
    for name in sorted({symbol.name for symbol in used}):
        letter = symbol_latex(name, spelling) or name
        if meant.setdefault(letter, name) != name:
            return letter
    return ""


def _law_table(laws: Sequence[Mapping[str, Any]], spelling: Notation, citing: Citing) -> str:
    keys = dict.fromkeys(row["key"] for row in laws if row.get("key") in WORKS)
    sources = f" Sources: {', '.join(map(citing.key, keys))}." if keys else ""
    budget = f"{render(sym.C, spelling)} = {render(SIX_ND.compute(), spelling)}"
    form = render(PARAMS_TOKENS.loss, spelling)
    caption = f"Coefficients of laws ${form}$, and what follows for the envelope under ${budget}$.{sources}"
    columns = [Column("law", align="left")]
    columns += [
        Column(name, latex=f"${symbol_latex(name, spelling)}$", format=Shortest(digits))
        for names, digits in ((FITTED, 6), (DERIVED, 4))
        for name in names
    ]
    return Table(columns, laws).latex(caption, "tab:laws", SMALL)
