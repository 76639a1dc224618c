"""A copy of a LaTeX document with the verdict on each display in its margin.

The copy is the document as it stands, one macro in its preamble and one use of it behind each
display. Files that it includes stand in it in full.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from .escapes import latex_escaped

if TYPE_CHECKING:
    from ..verdicts.report import PrintedVerdict
    from ..verdicts.source import File, TexSource

#: A note takes no room: it hangs in the margin of a page, and in a column at its right end.
MACRO = r"""\providecommand{\isoflopnote}[1]{\ifvmode\else\vadjust{\vbox to 0pt{\kern-\baselineskip
  \csname if@twocolumn\endcsname\hbox to\hsize{\hss\vbox{\hsize=.45\hsize\isoflopsmall\raggedleft\noindent #1\par}}%
  \else\hbox to\hsize{\hss\rlap{\kern8pt\vtop{\hsize=72pt\isoflopsmall\raggedright\noindent #1\par}}}\fi
  \vss}}\fi\ignorespaces}
\providecommand{\isoflopsmall}{\fontsize{5.5}{6.5}\selectfont\sffamily}
"""
DOCUMENT = r"\begin{document}"
SHOWN_REASONS = ("refuted", "conflict", "unreadable", "undecided")
WORTH_A_NOTE = ("refuted", "conflict")
LONGEST_REASON = 70


def annotated(source: TexSource, entries: Sequence[PrintedVerdict]) -> str:
    """The text of the document with a note behind each display.

    Parameters
    ----------
    source : TexSource
    entries : sequence of PrintedVerdict
        In the order of the document.
    """
    notes: dict[str, list[tuple[int, str]]] = {}
    gathered: list[tuple[File, int, list[str]]] = []
    early: list[str] = []
    for (_, end), of_display in groupby(entries, key=lambda entry: entry.display):
        together = list(of_display)
        file, at = source.end_in_file(end - 1)
        if not (together[0].is_inline or _is_in_a_group(file.text, at)):
            gathered.append((file, at, [*early, *map(_words, together)]))
            early = []
            continue  # a line of prose, a footnote: what is wrong there joins another note
        wrong = [entry for entry in together if entry.answer in WORTH_A_NOTE]
        joined = gathered[-1][2] if gathered else early
        joined += [f"line {entry.place.line}: {_words(entry)}" for entry in wrong]
    for file, at, words in gathered:
        note = rf"\isoflopnote{{{'; '.join(dict.fromkeys(words))}}}"
        notes.setdefault(file.name, []).append((at, note))
    return _with_macro(_written(source, source.files[0], notes))


def _written(source: TexSource, file: File, notes: dict[str, list[tuple[int, str]]]) -> str:
    """The file with its notes and with the files that it includes."""
    changes = [(at, at, note) for at, note in notes.get(file.name, ())]
    for inclusion in source.inclusions:
        if inclusion.within == file:
            is_include = file.text.startswith(r"\include", inclusion.start)
            inside = _written(source, inclusion.file, notes)
            page = r"\clearpage " if is_include else ""
            changes.append((inclusion.start, inclusion.stop, f"{page}{inside}{page}"))
    text, position = "", 0
    for start, stop, new in sorted(changes):
        if start >= position:
            text += file.text[position:start] + new
            position = stop
    return text + file.text[position:]


def _with_macro(text: str) -> str:
    at = text.find(DOCUMENT)
    return MACRO + text if at < 0 else text[:at] + MACRO + text[at:]


def _words(entry: PrintedVerdict) -> str:
    """The verdict in LaTeX, with the number of the equation and a short reason."""
    number = f"({latex_escaped(entry.number)}) " if entry.number else ""
    reading = f", {latex_escaped(entry.reading)}" if entry.reading else ""
    answer = rf"\textbf{{{entry.answer}}}" if entry.answer == "refuted" else entry.answer
    reason = ""
    if entry.answer == "refuted" and entry.link is not None and entry.link.correction:
        reason = f"; right {latex_escaped(entry.link.correction.partition(':')[0])}"
    elif entry.answer in SHOWN_REASONS:
        short = entry.reason[:LONGEST_REASON]
        reason = f": {latex_escaped(short)}{'...' if short != entry.reason else ''}"
    return f"{number}{answer}{reading}{reason}"


def _is_in_a_group(text: str, position: int) -> bool:
    """Whether braces are open here, as in a footnote or a caption: no place for a note."""
    start = text.find(DOCUMENT)
    body = re.sub(r"\\[\\{}%]|(?<!\\)%[^\n]*", "", text[max(start, 0) : position])
    return body.count("{") > body.count("}")
