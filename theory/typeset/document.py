r"""A complete LaTeX document: theorems with proofs and status, tables of laws and penalties,
bibliography.

The letters of a law (N, D, C, L, E, A, B, C_0, r, rho, alpha, beta, gamma) are written as macros
``\isoN``, ``\isoD``, ..., each defined with ``\providecommand``: a paper that defines its own
first, or edits the definitions, sees its own symbols. A fragment's theorems, labels and citations
have names of their own as well: ``isotheorem``, ``iso:...``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from sympy import __version__ as sympy_version

from ..._version import __version__
from ..algebra import symbols as sym
from ..data.bibliography import WORKS, Work, citations
from ..data.notation import DEFAULT, ROLES, Notation
from ..data.notation import notation as find_notation
from ..proof.claim import Derivation, Verdict, weakest
from ..proof.words import Sentence
from .breaking import ARTICLE, SIZES, LineWidth
from .equations import Displayed
from .escapes import latex_words
from .layout import OPTIMAL
from .numbers import Shortest
from .plain import plain
from .printer import render, symbol_latex
from .table import Column, Table
from .theorem import label, shares_setting, theorem_latex
from .width import MACRO, width
from .words import latex_sentence, respell

__all__ = [
    "PREFIX",
    "CheckedTheorem",
    "cited",
    "date_of_print",
    "document_latex",
    "require_symbols",
    "with_macros",
    "written",
]

Subject = Derivation | Displayed

#: The letters of a law, in which notations and papers differ.
LETTERS = ("E", "A", "B", "C0", "N", "D", "C", "L", "alpha", "beta", "gamma", "r", "rho")
PACKAGES = ("amsmath", "amssymb", "amsthm")
#: Of labels and, in a fragment, of what it cites.
PREFIX = "iso:"
#: What a table of laws shows: the fitted coefficients, and what follows from them.
FITTED, DERIVED = ("E", "A", "B", "beta", "gamma"), ("alpha", "C0", "w_N")
#: Tables of many columns are narrower than the lines of an article.
FOOTNOTE, SEPARATION = r"\footnotesize", 6
SMALL = rf"{FOOTNOTE}\setlength{{\tabcolsep}}{{{SEPARATION // 2}pt}}"
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
    "Each statement below was checked by isoflop {isoflop} with SymPy {sympy} on {date}, in the "
    "notation of {notation}: every step by the argument that the proof names, and again at random "
    "points in arithmetic of 50 digits, bounds also in interval arithmetic. The status of a "
    "theorem is that of its weakest step."
)
#: A derivation that a sentence names, and one that is not in the document.
NAMED = re.compile(r"\((\w+(?:\\_\w+){2,})\)")
OTHER_NAME = re.compile(r"\\texttt\{\w+(?:\\_\w+){2,}\}")
ELSEWHERE = r"Names in \texttt{typewriter} are those of other derivations of the package."


@dataclass(frozen=True)
class CheckedTheorem:
    """A theorem to print and what the checks said of its steps.

    Parameters
    ----------
    subject : Derivation, or an envelope or a misallocation
    verdicts : tuple of Verdict
        Of the steps of its derivation, in their order.
    """

    subject: Subject
    verdicts: tuple[Verdict, ...]

    @classmethod
    def checked(cls, subject: Subject) -> CheckedTheorem:
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

    symbols = tuple((name, respelt(name, latex)) for name, latex in spelling.symbols)
    kept = {name: getattr(spelling, name) for name in ("name", "title", "source", *ROLES)}
    return Notation(**kept, symbols=symbols)


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
    prefix: str = ""
    works: dict[str, Work] = field(default_factory=dict)

    def __call__(self, sentence: str) -> str:
        pieces: list[str] = []
        position = 0
        for begin, end, work in citations(sentence):
            pieces += [sentence[position:begin], f"{_spoken(work.cited)}~{self.key(work.key)}"]
            position = end
        pieces.append(sentence[position:])
        return "".join(piece if k % 2 else latex_words(piece) for k, piece in enumerate(pieces))

    def key(self, key: str) -> str:
        r"""``\cite`` of a work by its key."""
        self.works.setdefault(key, WORKS[key])
        return rf"\cite{{{self.prefix}{key}}}"

    def bibliography(self) -> list[str]:
        if not self.works:
            return []
        entries = [
            _bibitem(work, self.prefix)
            for work in sorted(self.works.values(), key=lambda work: work.key)
        ]
        return [r"\begin{thebibliography}{99}", *entries, r"\end{thebibliography}"]


def _what_follows(text: str | Sentence, citing: Citing) -> str:
    """The words cite the works that they mention; formulas are set."""
    return latex_sentence(text, citing.spelling, words=citing)


def _spoken(names: str) -> str:
    return latex_words(names).replace("et al. ", r"et al.\ ")


def _bibitem(work: Work, prefix: str) -> str:
    details = latex_words(work.details)
    details = re.sub(r"https://\S+?(?=[,;]?(?:\s|$))", lambda match: _breakable(match[0]), details)
    stop = "" if work.title.endswith("?") else "."
    return rf"\bibitem{{{prefix}{work.key}}} {latex_words(work.listed_authors)}, \emph{{{latex_words(work.title)}{stop}}} {details}"


def _breakable(address: str) -> str:
    return r"\texttt{" + address.replace("/", r"/\allowbreak ").replace("-", r"-\allowbreak ") + "}"


# -- the document ----------------------------------------------------------------------------------------------

#: What a document of one column and one of two have: the options of the class, and the text on a
#: page. A measure is that of text in 10pt.
CLASSES = {1: "11pt", 2: "twocolumn"}
PAGES = {
    1: "textwidth=385pt,textheight=620pt",
    2: "textwidth=516pt,columnsep=12pt,textheight=660pt",
}
#: A theorem of a fragment is numbered with the paper's own, where these are called "theorem".
GUARDED_THEOREM = (
    r"\ifcsname isotheorem\endcsname\else"
    r"\ifcsname c@theorem\endcsname\newtheorem{isotheorem}[theorem]{Theorem}\relax"
    r"\else\newtheorem{isotheorem}{Theorem}\relax\fi\fi"
)
#: So many theorems are named in the first line of a fragment.
MOST_NAMED = 4


def document_latex(
    entries: Iterable[CheckedTheorem],
    *,
    notation: str | Notation = DEFAULT,
    laws: Sequence[Mapping[str, Any]] = (),
    penalties: Table | None = None,
    fragment: bool = False,
    bibliography: bool | None = None,
    measure: LineWidth = ARTICLE,
    macros: bool = True,
    symbols: Mapping[str, str] | None = None,
    title: str = TITLE,
    made: date | None = None,
) -> str:
    r"""A LaTeX document that compiles as it is, or a fragment for ``\input``.

    Parameters
    ----------
    entries : iterable of CheckedTheorem
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
        Leave out preamble, title and introduction. A first comment line says what made it, others
        what it needs; the names of environments, labels and citations are its own.
    bibliography : bool, optional
        With the list of what is cited; by default a document has it and a fragment has not.
    measure : LineWidth
        How wide displays may be.
    macros : bool
        Write the letters of a law as macros, defined at the top; else the letters themselves.
    symbols : mapping, optional
        Canonical name -> LaTeX: what the macros stand for.
    title : str
    made : datetime.date, optional
        The date on it; by default `date_of_print`.

    Raises
    ------
    ValueError
        Where a symbol is none of the letters of a law, or two letters are given the same LaTeX.
    """
    spelling, symbols = find_notation(notation), dict(symbols or {})
    require_symbols(symbols, spelling, macros)
    made = made or date_of_print()
    citing = Citing(spelling, PREFIX if fragment else "")
    environment = "isotheorem" if fragment else "theorem"
    entries = list(entries)
    set_theorem = partial(theorem_latex, cite=citing, measure=measure, environment=environment)
    parts = list(_theorems(entries, spelling, citing, macros, set_theorem))
    tables = []
    if laws:
        tables.append((*_law_table(laws, written(spelling, macros), citing), "laws"))
    if penalties is not None:
        tables.append((penalties, PENALTIES, "penalty"))
    for table, caption, name in tables:
        across = measure.columns > 1 and _table_width(table) > measure.column
        parts.append(table.latex(caption, f"{PREFIX}{name}", SMALL, across=across))
    if citing.works and (bibliography or not fragment):
        parts.append("\n".join(citing.bibliography()))
    body = _with_references("\n\n".join(parts), [entry.derivation.name for entry in entries])
    definitions = _definitions(body, spelling, symbols)
    packages = ",".join([*PACKAGES, *(["booktabs"] if tables else [])])
    if fragment:
        origin = _origin(entries, [row["law"] for row in laws], spelling, made)
        needed = f"% Needs the packages {packages.replace(',', ', ')}."
        keys = sorted(f"{PREFIX}{key}" for key in citing.works)
        references = [f"% Cites {', '.join(keys)}."] if keys and not bibliography else []
        return "\n".join(
            [
                origin,
                needed,
                *references,
                *definitions,
                *([GUARDED_THEOREM] if entries else []),
                "",
                body,
            ]
        )
    head = [
        rf"\documentclass[{CLASSES[measure.columns]}]{{article}}",
        rf"\usepackage[{PAGES[measure.columns]}]{{geometry}}",
        rf"\usepackage{{{packages},microtype}}",
        r"\usepackage[hidelinks,pdfusetitle]{hyperref}",
        r"\newtheorem{theorem}{Theorem}",
        r"\allowdisplaybreaks[1]",
        *definitions,
    ]
    printed = f"{made.day} {made:%B} {made.year}"
    opening = [
        rf"\title{{{latex_words(title)}}}",
        rf"\author{{isoflop {__version__}}}",
        rf"\date{{{printed}}}",
        r"\begin{document}",
        r"\maketitle",
    ]
    checked = INTRODUCTION.format(
        isoflop=__version__,
        sympy=sympy_version,
        date=printed,
        notation=latex_words(spelling.source),
    )
    introduction = (
        ["", checked, *([ELSEWHERE] if OTHER_NAME.search(body) else [])] if entries else []
    )
    return "\n".join([*head, *opening, *introduction, "", body, "", r"\end{document}"])


def date_of_print() -> date:
    """Today, or the day of SOURCE_DATE_EPOCH, in seconds since 1970.

    Raises
    ------
    ValueError
        Where SOURCE_DATE_EPOCH is no whole number of seconds from 0 on.
    """
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if not seconds:
        return datetime.now(UTC).date()
    try:
        return datetime.fromtimestamp(int(seconds.strip()), UTC).date()
    except (ValueError, OverflowError, OSError):
        raise ValueError(
            f"SOURCE_DATE_EPOCH={seconds!r}: must be a number of seconds since 1970"
        ) from None


def cited(latex: str) -> list[Work]:
    """The works that a document or a fragment cites, in the order of their keys."""
    keys = {key.removeprefix(PREFIX) for key in re.findall(r"\\cite\{([^{}]+)\}", latex)}
    return [WORKS[key] for key in sorted(keys)]


def _origin(
    entries: Sequence[CheckedTheorem], laws: Sequence[str], spelling: Notation, made: date
) -> str:
    """The line that says what made a fragment, of what."""
    names = [entry.derivation.name for entry in entries]
    content = ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} theorems"
    settings = dict.fromkeys(
        entry.subject.law_and_budget for entry in entries if isinstance(entry.subject, Displayed)
    )
    forms = [
        f"L = {plain(loss, notation=spelling)}, C = {plain(compute, notation=spelling)}"
        for loss, compute in settings
    ]
    named = [f"laws {', '.join(laws)}"] if laws else []
    facts = [content, *forms, *named, f"{spelling.name} notation"]
    return f"% isoflop {__version__}, {made}: {'; '.join(filter(None, facts))}"


def _with_references(body: str, names: Iterable[str]) -> str:
    """The names of the document's own theorems as references, those of others in typewriter."""
    labels = {latex_words(name): label(name) for name in names}

    def reference(match: re.Match[str]) -> str:
        name = match[1]
        return rf"(Theorem~\ref{{{labels[name]}}})" if name in labels else rf"(\texttt{{{name}}})"

    return NAMED.sub(reference, body)


def _table_width(table: Table) -> int:
    """About how many points wide a table is in footnote size."""
    columns = [
        max(map(_cell_width, (column.latex_head(), *map(column.latex_cell, table.entries))))
        for column in table.page
    ]
    return sum(columns) * dict(SIZES)[FOOTNOTE] // 100 + SEPARATION * (len(columns) - 1)


def _cell_width(cell: str) -> int:
    return width(cell.replace("$", ""), 1) if "$" in cell else width(rf"\text{{{cell}}}")


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


def _theorems(
    entries: Iterable[CheckedTheorem],
    spelling: Notation,
    citing: Citing,
    macros: bool,
    set_theorem: Callable[..., str],
) -> Iterator[str]:
    """The theorems in order; one that shares the setting of the last refers to it."""
    home: tuple[Derivation, Notation] | None = None
    for entry in entries:
        derivation = entry.derivation
        used = frozenset().union(*(step.symbols for step in derivation.steps))
        clash = _clash(used, spelling)
        chosen = DEFAULT if clash else spelling
        if macros and len(used & LAW_SYMBOLS) > 1:
            chosen = with_macros(chosen)
        if home is None or home[1] != chosen or not shares_setting(derivation, home[0]):
            home = derivation, chosen
        remark = (
            [
                f"This theorem is set in the {DEFAULT.name} notation: in the other, ${clash}$ would "
                f"have two meanings."
            ]
            if clash
            else []
        )
        citing.spelling = chosen
        theorem = set_theorem(
            entry.subject,
            notation=chosen,
            verdicts=entry.verdicts,
            home=None if home[0] is derivation else home[0],
        )
        closing = _closing(entry, citing)
        yield "\n".join([*remark, STRETCHED, theorem, "", closing, r"\par\endgroup\medskip"])


def _closing(entry: CheckedTheorem, citing: Citing) -> str:
    """The status of a theorem, its source, and what follows from it."""
    derivation = entry.derivation
    about = [
        rf"\textbf{{Status:}} {latex_words(entry.status)}.",
        rf"\textbf{{Source:}} {citing(derivation.source)}" if derivation.source else "",
        rf"\textbf{{What follows:}} {_what_follows(derivation.follows, citing)}"
        if derivation.follows
        else "",
    ]
    return r"\noindent " + "\n".join(filter(None, about))


def _clash(used: Iterable[Any], spelling: Notation) -> str:
    """The LaTeX that two symbols of a derivation would share; empty where there is none."""
    meant: dict[str, str] = {}
    for name in sorted({symbol.name for symbol in used}):
        letter = symbol_latex(name, spelling) or name
        if meant.setdefault(letter, name) != name:
            return letter
    return ""


def _law_table(
    laws: Sequence[Mapping[str, Any]], spelling: Notation, citing: Citing
) -> tuple[Table, str]:
    """The table of laws, and its caption."""
    keys = dict.fromkeys(row["key"] for row in laws if row.get("key") in WORKS)
    sources = f" Sources: {', '.join(map(citing.key, keys))}." if keys else ""
    budget = f"{render(sym.C, spelling)} = {render(6 * sym.N * sym.D, spelling)}"
    law = sym.E + sym.A * sym.N**-sym.BETA + sym.B * sym.D**-sym.GAMMA
    caption = f"Coefficients of laws ${render(law, spelling)}$, and what follows for the envelope under ${budget}$.{sources}"
    columns = [Column("law", align="left")]
    columns += [
        Column(name, latex=f"${symbol_latex(name, spelling)}$", format=Shortest(digits))
        for names, digits in ((FITTED, 6), (DERIVED, 4))
        for name in names
    ]
    return Table(columns, laws), caption
