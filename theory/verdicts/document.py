r"""The layout of a LaTeX document whose macros are expanded: its displays, the formulas in its prose,
its sentences, and the parts in which what it says holds: theorems, proofs, sections, items of lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

DISPLAYS = (
    "equation",
    "align",
    "gather",
    "multline",
    "eqnarray",
    "flalign",
    "alignat",
    "displaymath",
    "dmath",
)
OPENING = re.compile(
    rf"(?<!\\)(?:\\begin\{{(?P<name>(?:{'|'.join(DISPLAYS)})\*?)\}}(?:\{{[0-9]+\}})?|(?P<bracket>\\\[)|(?P<dollars>\$\$))"
)
INLINE = re.compile(
    r"(?<!\\)\$(?P<dollars>(?:[^$\\\n]|\\.|\n(?!\s*\n))+?)\$|\\\((?P<round>.+?)\\\)", re.DOTALL
)
SECTION = re.compile(r"\\(?:sub)*(?:section|paragraph)\*?(?![A-Za-z])|\\chapter\*?(?![A-Za-z])")
THEOREMS = ("theorem", "lemma", "proposition", "corollary", "example", "remark", "claim")
NEW_THEOREM = re.compile(r"\\newtheorem\*?\{([^{}]*)\}")
#: "In the setting of Theorem~\\ref{...}".
SETTING = re.compile(
    r"\b(?:setting|notation|assumptions?|hypothes[ei]s|conditions?) of (?:[A-Z][a-z]+\.?)?[\s~]*"
    r"\\(?:[cC]|auto)?ref\{(?P<label>[^{}]*)\}"
)
ENVIRONMENT = re.compile(r"\\begin\{(?P<name>[A-Za-z]+\*?)\}")
LISTS = r"itemize|enumerate|description"
NEW_ITEM = re.compile(rf"\\item(?![A-Za-z])|\\(?:begin|end)\{{(?:{LISTS})\}}")
END_OF_ITEM = re.compile(rf"\\item(?![A-Za-z])|\\end\{{(?:{LISTS})\}}")
#: Words in a display.
PROSE = re.compile(r"\\(?:text|textrm|textnormal|textit|mbox|intertext|shortintertext)(?=\{)")
#: Before words that are an index or a name.
BEFORE_ORNAMENT = re.compile(r"(?:[_^@]\s*\{?|\\(?:mathrm|operatorname)\{)\s*$")
#: The full stop at the end of a display.
STOPPED = re.compile(r"\.(?:\s|\\label\{[^{}]*\}|\\(?:qedhere|notag|nonumber))*\Z")
ABBREVIATION = re.compile(
    r"(?:i\.\s?e|e\.\s?g|cf|resp|et al|eq|eqs|fig|sec|s\.\s?t|w\.\s?r\.\s?t)\Z", re.IGNORECASE
)
SENTENCE_ENDS = re.compile(
    r"[.?!](?=\s|\Z|\\footnote|\})|\\footnote(?=\{)|\n\s*\n|\\(?:item|begin|end|label|caption)(?![A-Za-z])"
)
#: The place of a formula in a sentence, which is `\0`, its number and `\0`.
FORMULA = re.compile(r"\0([0-9]+)\0")


@dataclass(frozen=True)
class Display:
    """Where a display begins, where its contents begin and end, and where it ends; the latter two
    None where it is never closed.
    """

    start: int
    first: int
    last: int | None
    end: int | None
    opening: str
    closing: str
    name: str
    """Of its environment; empty without one."""


def displays(text: str, start: int = 0, stop: int | None = None) -> Iterator[Display]:
    """The displays of a part of the text; the last may be one that is never closed."""
    stop = len(text) if stop is None else stop
    while (opening := OPENING.search(text, start, stop)) is not None:
        name = opening["name"] or ""
        closing = rf"\end{{{name}}}" if name else r"\]" if opening["bracket"] else "$$"
        last = text.find(closing, opening.end(), stop)
        is_closed = last >= 0
        start = last + len(closing)
        yield Display(
            opening.start(),
            opening.end(),
            last if is_closed else None,
            start if is_closed else None,
            opening.group(),
            closing,
            name,
        )
        if not is_closed:
            return


@dataclass(frozen=True)
class Inline:
    """A formula in the prose: where it begins with its dollar, where it ends, and where its text
    begins.
    """

    start: int
    end: int
    first: int
    text: str


def inline_formulas(text: str, start: int = 0, stop: int | None = None) -> Iterator[Inline]:
    """The formulas between dollars, or between `\\(` and `\\)`."""
    for match in INLINE.finditer(text, start, len(text) if stop is None else stop):
        name = "dollars" if match["dollars"] is not None else "round"
        yield Inline(match.start(), match.end(), match.start(name), match[name])


@dataclass(frozen=True)
class ProseSentence:
    """A sentence, or its beginning, as words with a mark for each formula.

    Attributes
    ----------
    start, end : int
        In the document.
    text : str
        With the mark `FORMULA` for each formula.
    formulas : tuple of Inline
    """

    start: int
    end: int
    text: str
    formulas: tuple[Inline, ...]

    @classmethod
    def of(cls, prose: str, start: int, end: int) -> ProseSentence:
        formulas = tuple(inline_formulas(prose, start, end))
        pieces, last = [], start
        for i, formula in enumerate(formulas):
            pieces += [prose[last : formula.start].replace("\0", " "), f" \0{i}\0 "]
            last = formula.end
        text = "".join([*pieces, prose[last:end].replace("\0", " ")])
        return cls(start, end, text, formulas)

    def formulas_in(self, words: str) -> list[Inline]:
        """The formulas whose marks stand in some of its words."""
        return [self.formulas[int(i)] for i in FORMULA.findall(words)]

    def __contains__(self, at: int) -> bool:
        return self.start <= at < self.end


@dataclass(frozen=True)
class Scope:
    """From where to where in the document something holds.

    Attributes
    ----------
    first : int
    last : int or None
        The end of the proof or of the theorem that it belongs to; None without one.
    again : tuple of tuple of int
        The theorems that take the setting of the one it belongs to, from where to where.
    """

    first: int
    last: int | None = None
    again: tuple[tuple[int, int], ...] = ()

    def since(self, at: int) -> int | None:
        """From where on it holds at a place of the document; None where it does not hold."""
        spans = ((self.first, self.last), *self.again)
        starts = [start for start, end in spans if start <= at and (end is None or at < end)]
        return max(starts, default=None)


@dataclass(frozen=True)
class Environment:
    """A theorem with the proof that follows it, or a proof.

    Attributes
    ----------
    start, end : int
    is_proof : bool
    settings : frozenset of int
        Where the theorems begin whose settings it takes, and those that they take.
    """

    start: int
    end: int
    is_proof: bool
    settings: frozenset[int] = frozenset()

    def __contains__(self, at: int) -> bool:
        return self.start <= at < self.end


@dataclass(frozen=True)
class Layout:
    """The parts of a document."""

    text: str

    @cached_property
    def prose(self) -> str:
        """The text with blanks for its displays, of which only a full stop at the end is left."""
        characters = list(self.text)
        for display in displays(self.text):
            if display.last is None or display.end is None:
                break
            characters[display.start : display.end] = " " * (display.end - display.start)
            if STOPPED.search(self.text[display.first : display.last]):
                characters[display.end - 1] = "."
        return "".join(characters)

    @cached_property
    def words(self) -> str:
        """The prose with the words in displays, and between their rows."""
        characters = list(self.prose)
        for display in displays(self.text):
            last = display.first if display.last is None else display.last
            for match in PROSE.finditer(self.text, display.first, last):
                if BEFORE_ORNAMENT.search(self.text, display.first, match.start()) is None:
                    end = min(end_of_group(self.text, match.end()) - 1, last)
                    characters[match.end() + 1 : end] = self.text[match.end() + 1 : end]
        return "".join(characters)

    @cached_property
    def sentences(self) -> tuple[ProseSentence, ...]:
        """The sentences; a display is a part of the one around it."""
        inside = [range(formula.start + 1, formula.end) for formula in inline_formulas(self.words)]
        ends, start, following = [0], 0, 0
        for match in SENTENCE_ENDS.finditer(self.words):
            at = match.start()
            while following < len(inside) and inside[following].stop <= at:
                following += 1
            is_in_formula = following < len(inside) and at in inside[following]
            before = self.words[max(start, at - 8) : at]
            is_abbreviation = match.group() == "." and ABBREVIATION.search(before)
            is_before_display = "\n" in match.group() and OPENING.match(self.text, match.end())
            if is_in_formula or is_abbreviation or is_before_display:
                continue
            start = match.end()
            ends.append(start)
        return tuple(
            ProseSentence.of(self.words, *span) for span in pairwise([*ends, len(self.words)])
        )

    def before(self, at: int) -> ProseSentence:
        """The beginning of a sentence, up to a place in it."""
        start = max((one.start for one in self.sentences if one.start <= at), default=0)
        return ProseSentence.of(self.words, start, at)

    # -- parts -----------------------------------------------------------------------------------------

    @cached_property
    def headings(self) -> tuple[int, ...]:
        return tuple(match.start() for match in SECTION.finditer(self.text))

    @cached_property
    def environments(self) -> tuple[Environment, ...]:
        """The theorems, each with the proof that follows it, and the proofs, in their order."""
        text = self.text
        names = {*THEOREMS, *NEW_THEOREM.findall(text)}
        spans: list[Environment] = []
        for match in ENVIRONMENT.finditer(text):
            bare = match["name"].rstrip("*")
            closing = text.find(rf"\end{{{match['name']}}}", match.end())
            if (bare == "proof" or bare in names) and closing >= 0:
                spans.append(Environment(match.start(), closing, bare == "proof"))
        whole: list[Environment] = []
        for span, following in zip(spans, [*spans[1:], None], strict=False):
            labels = [
                rf"\label{{{reference['label']}}}"
                for reference in SETTING.finditer(text, span.start, span.end)
            ]
            homes = [
                home
                for home in whole
                if not home.is_proof
                and any(label in text[home.start : home.end] for label in labels)
            ]
            is_proved = following is not None and following.is_proof and not span.is_proof
            end = following.end if following is not None and is_proved else span.end
            settings = frozenset[int]().union(*({home.start, *home.settings} for home in homes))
            whole.append(Environment(span.start, end, span.is_proof, settings))
        return tuple(whole)

    def part(self, at: int) -> Scope:
        """The theorem with its proof, or else the section, in which a place lies."""
        inside = [one for one in self.environments if at in one]
        if inside:
            widest = min(inside, key=lambda one: one.start)
            return Scope(widest.start, widest.end)
        ends = [0, *self.headings, len(self.text) + 1]
        return next(Scope(a, b) for a, b in pairwise(ends) if a <= at < b)

    def theorem(self, at: int) -> int:
        """Where the theorem begins in which a place lies; 0 outside of one."""
        return min((one.start for one in self.environments if at in one), default=0)

    def scope(self, at: int, since: int, name: str = "") -> Scope:
        """A name loses its meaning at the end of the proof that gives it one; a letter of a theorem
        at the end of the theorem and its proof, but it has it again where a theorem takes that
        setting. A letter with an index keeps it in a document whose theorems take no settings.
        """
        within = [one for one in self.environments if at in one]
        keeps = "_" in name and not any(one.settings for one in self.environments)
        last = min((one.end for one in within if one.is_proof or not keeps), default=None)
        if any(one.is_proof for one in within):
            return Scope(since, last)
        again = [
            (later.start, later.end)
            for later in self.environments
            if any(one.start in later.settings for one in within)
        ]
        return Scope(since, last, tuple(again))

    def scope_of_supposition(self, at: int) -> Scope:
        """In a theorem to its end, else to the end of the section, and in a list to the next item."""
        scope = self.scope(at, at)
        heading = next((h for h in self.headings if h >= at), None) if scope.last is None else None
        ends = (scope.last, heading, self._end_of_item(at))
        last = min((end for end in ends if end is not None), default=None)
        return Scope(scope.first, last, scope.again)

    def _end_of_item(self, at: int) -> int | None:
        """Where the item of a list ends in which a place lies."""
        marks = [match.group() for match in NEW_ITEM.finditer(self.text, 0, at)]
        if not marks or marks[-1].startswith(r"\end"):
            return None
        following = END_OF_ITEM.search(self.text, at)
        return following.start() if following is not None else None


def end_of_group(text: str, position: int) -> int:
    """The end of the group in braces that begins here; the position itself where none does."""
    if text[position : position + 1] != "{":
        return position
    depth = 0
    for i in range(position, len(text)):
        if text[i] in "{}" and text[i - 1] != "\\":
            depth += 1 if text[i] == "{" else -1
            if depth == 0:
                return i + 1
    return len(text)
