"""A LaTeX document as pieces: the claims of its displays with what stands beside them, the formulas
of its text, and what is declared in comments. Nothing is concluded from prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ..reader.tokens import ParseError
from .macros import end_of_group, expanded

DISPLAYS = "equation|align|gather|multline|eqnarray|alignat|flalign|displaymath"
#: `% isoflop: assume \beta > \gamma`, and any other comment.
DECLARED = r"%[ \t]*isoflop:[ \t]*"
COMMENT = re.compile(rf"(?<!\\)((?:\\\\)*)(?!{DECLARED})%[^\n]*")
LITERAL = re.compile(
    r"\\begin\{(verbatim|comment|lstlisting)\*?\}.*?\\end\{\1\*?\}|\\verb(\W).*?\2"
    r"|\\iffalse(?![a-z]).*?\\fi(?![a-z])",
    re.DOTALL,
)
INPUT = re.compile(r"\\(?:input|include)\s*\{\s*([^{}]+?)\s*\}")
PIECE = re.compile(
    rf"{DECLARED}(?P<declared>[^\n]*)"
    r"|\\(?P<section>(?:sub)*section\b|begin\{(?:theorem|lemma|proposition|corollary)\})"
    rf"|\\begin\{{(?P<name>(?:{DISPLAYS})\*?)\}}(?:\{{\d\}})?(?P<a>.*?)\\end\{{(?P=name)\}}"
    r"|(?<!\\)\\\[(?P<b>.*?)(?<!\\)\\\]|(?<!\\)\$\$(?P<c>.*?)(?<!\\)\$\$"
    r"|(?<!\\)\\\((?P<d>.*?)(?<!\\)\\\)|(?<!\\)\$(?P<e>[^$]*?)(?<!\\)\$"
    rf"|(?P<unclosed>\\begin\{{(?:{DISPLAYS})\*?\}}|(?<!\\)\\\[|\$\$)",
    re.DOTALL,
)
#: What is declared to hold: of the next display alone, and to the end of the section.
ONCE = re.compile(r"at\s+(?P<said>.+)|skip|along the budget")
ASSUMED = re.compile(r"assume\s+(?P<said>.+)|\S+\s+real")
#: In front of a formula of the text that says what a name is, and between two such formulas.
EXPLAINS = re.compile(r"\b(?:where|let|set|put|define|write|denote)\s*\Z", re.IGNORECASE)
GOES_ON = re.compile(r"\s*(?:,|;)?\s*(?:and)?\s*(?:let)?\s*")
#: What has no meaning inside a display.
LAYOUT = re.compile(
    r"\\(?:begin|end)\{(?:aligned|split|gathered|alignedat)\}(?:\{\d\}|\[\w\])?"
    rf"|\\(?:nonumber|notag)\b|[.,;]?\s*\\qedhere\b|\\[hv]space\*?\{{[^{{}}]*\}}|{DECLARED}[^\n]*"
    r"|\\(?:displaystyle|textstyle|small|hfill|allowdisplaybreaks)\b"
)
LABEL = re.compile(r"\\(?:label|tag\*?)\s*\{([^{}]*)\}")
MARK = re.compile(
    r"(?P<words>\\(?:text|textrm|textit|mbox)\s*\{(?P<said>[^{}]*)\})"
    r"|(?P<row>\\\\\*?(?:\[[^\]]*\])?)"
    r"|(?P<beside>\\q?quad(?![A-Za-z])|(?<!\d),|,(?!\d{3}(?!\d))|;|&&)"
    r"|(?P<follows>\\(?:implies|Rightarrow|Longrightarrow|therefore)(?![A-Za-z]))"
    r"|(?P<condition>\\forall(?![A-Za-z]))"
)
#: What words beside a claim say of it; the last two say why, not where, it holds, or more.
WORDS = {
    "condition": r"(?:for|as|if|when|whenever|provided|given|assuming|under)(?: that)?"
    r"(?: all| every| any| each)?",
    "where": r"(?:and )?(?:where|with)",
    "beside": r"(?:and|so that|so|hence|thus|therefore|then|or equivalently|i\.e\.|that is)?",
    "remark": r"\(?(?:since|because|by|from|using|due to|as in|see|cf)\b.*|\([^()]*\)",
    "more": r"(?:with )?equality .*",
}
NO_NAME = re.compile(r"or|not|only|otherwise|else|unless|false|wrong|nowhere|never")
BRACKETED = re.compile(
    r"(?:\\left|\\bigl?|\\Bigl?)?\s*\((.*?)(?:\\right|\\bigr?|\\Bigr?)?\s*\)", re.DOTALL
)
INTERTEXT = re.compile(r"\\(?:short)?intertext\s*\{")
FORMULA_IN_WORDS = re.compile(r"(\\(?:text|mbox)\s*\{[^{}$]*)\$([^{}$]*)\$")
RELATION = (
    r"=|<|>|\\(?:le|ge|leq|geq|ne|neq|sim|to|propto|approx|equiv|triangleq|rightarrow|in|iff"
    r"|Leftrightarrow|leqslant|geqslant|simeq|lesssim)(?![A-Za-z])"
)
LETTER = r"\\?[A-Za-z]+(?:_(?:\w|\{\w+\}))?"
REAL = re.compile(rf"({LETTER})\s*\\in\s*\\mathbb\s*\{{?R\}}?")
#: Spaces, punctuation and marks of alignment at the ends of a claim.
AROUND = re.compile(r"\A(?:\\[,;:! ]|[\s&.,;~])+|(?:\\[,;:! ]|[\s&.,;~])+\Z")
UNFINISHED = re.compile(rf"(?:{RELATION}|[-+*/])\s*\Z")
NUMBERED = re.compile(r"\(\d+(?:\.\d+)*[a-z]?\)")
#: Beside a claim: `r \to 0`, `\beta > \gamma`, `0 < r < 1`, `u \in \mathbb{R}`.
BESIDE = re.compile(
    rf"\(?\s*(?:[\d.]+\s*(?:<|\\leq?)\s*)?{LETTER}"
    r"\s*(?:<|>|\\(?:to|rightarrow|leq?|geq?|neq?|in)(?![A-Za-z]))"
    rf"\s*(?:[+-]?[\d./^+]+|{LETTER}|\\mathbb\s*\{{?R\}}?|\\infty)"
    rf"(?:\s*(?:<|\\leq?)\s*(?:[\d.]+|{LETTER}))?\s*\)?"
)
#: In front of an arrow, `\beta > \gamma` or `\alpha = \beta`.
PREMISE = re.compile(rf"{BESIDE.pattern}|\\[a-z]+\s*=\s*(?:\\[a-z]+|[\d.]+)")


@dataclass(frozen=True)
class Place:
    """A line of a file."""

    file: str
    line: int


NOWHERE = Place("", 0)


@dataclass(frozen=True)
class Piece:
    """A claim of the document, a formula of its text, or a declaration.

    Attributes
    ----------
    kind : {"claim", "explained", "inline", "declared"}
        `explained` is a formula of the text behind "where" or "let", `inline` any other one, and
        what is no claim of a display.
    text : str
    place : Place
    conditions : tuple of str
        That stand beside the claim in its display, from which an arrow leads to it, or that are
        declared.
    label : str
    follows : bool
        Whether an arrow leads to it from the claim before.
    trouble : str
        Why it cannot be judged as it stands.
    """

    kind: str
    text: str
    place: Place = NOWHERE
    conditions: tuple[str, ...] = ()
    label: str = ""
    follows: bool = False
    trouble: str = ""


@dataclass(frozen=True)
class Document:
    """The pieces of a document, in order, and the files that it includes but are missing."""

    pieces: tuple[Piece, ...]
    missing: tuple[str, ...]

    @classmethod
    def read(cls, text: str, name: str, read: Callable[[str], str]) -> Document:
        """Read a document; `read(name)` is the text of a file that it includes.

        Raises
        ------
        ParseError
            Where it has no displayed formula, or its macros do not come to an end.
        """
        missing: list[str] = []
        lines = list(_lines(text, name, read, missing, (name,)))
        whole = expanded("\n".join(line for line, _ in lines))
        head, _, body = whole.rpartition(r"\begin{document}")
        head = "".join(re.findall(rf"{DECLARED}[^\n]*|\n", head))  # what is declared there
        body = (head + body).partition(r"\end{document}")[0]
        found = _pieces(body)
        pieces = tuple(replace(piece, place=lines[piece.place.line][1]) for piece in found)
        if not any(piece.kind == "claim" for piece in pieces):
            raise ParseError("the document has no displayed equation")
        return cls(pieces, tuple(missing))


def _lines(
    text: str, name: str, read: Callable[[str], str], missing: list[str], opened: tuple[str, ...]
) -> Iterator[tuple[str, Place]]:
    """The lines without comments, each with its place; those of included files in theirs."""
    text = COMMENT.sub(r"\1", LITERAL.sub(lambda m: "\n" * m[0].count("\n"), text))
    for number, line in enumerate(text.split("\n"), 1):
        at = 0
        for found in INPUT.finditer(line):
            yield line[at : found.start()], Place(name, number)
            at, file = found.end(), found[1] if "." in found[1] else f"{found[1]}.tex"
            try:
                inner = read(file) if file not in opened else None
            except (OSError, ValueError):
                inner = None
            if inner is None:
                missing.append(f"{found[1]} (line {number})")
            else:
                yield from _lines(inner, file, read, missing, (*opened, file))
        yield line[at:], Place(name, number)


def _pieces(text: str) -> Iterator[Piece]:
    """The pieces; the place of each says how many newlines are before it."""
    before, is_explained = 0, False
    once: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    for found in PIECE.finditer(text):
        between, before = text[before : found.start()], found.end()
        place = Place("", text.count("\n", 0, found.start()))
        group = next((g for g in "abcde" if found[g] is not None), "")
        goes_on = is_explained and GOES_ON.fullmatch(between) is not None
        is_explained = group in ("d", "e") and (goes_on or EXPLAINS.search(between) is not None)
        if found["declared"] is not None:
            declared = found["declared"].strip()
            if (said := ONCE.fullmatch(declared)) is not None:
                once = (*once, *_separate(said["said"] or declared))
            elif (said := ASSUMED.fullmatch(declared)) is not None:
                assumed = (*assumed, *_separate(said["said"] or declared))
            else:
                yield Piece("declared", declared, place)
        elif found["unclosed"] is not None:
            yield Piece("claim", found[0], place, trouble="the display is not closed")
        elif group in ("d", "e"):
            kind = "explained" if is_explained else "inline"
            yield Piece(kind, found[group].strip(" .,;"), place, assumed)
        elif group:
            for piece in _claims(found[group], place.line):
                kind = "inline" if "skip" in once else piece.kind
                conditions = (*assumed, *once, *piece.conditions)
                yield replace(piece, kind=kind, conditions=conditions)
            once = ()
        else:  # a section, or a theorem
            assumed = ()


def _separate(conditions: str) -> list[str]:
    """The conditions between the commas of a declaration."""
    return re.split(r"\s*,(?![^()]*\))\s*", conditions)


# -- displays --------------------------------------------------------------------------------------


def _claims(display: str, line: int) -> list[Piece]:
    """The claims of a display; what "where" explains is first."""
    while (between := INTERTEXT.search(display)) is not None:
        at, stop = between.start(), end_of_group(display, between.end() - 1)
        lines = "\n" * display.count("\n", at, stop)
        display = f"{display[:at]}\\\\{lines} {display[stop:]}"
    while (at := display.find(r"\boxed{")) >= 0:
        stop = end_of_group(display, at + 6)
        inside = display[at + 7 : stop - 1].rstrip(" .,;")
        display = f"{display[:at]} {inside} {display[stop:]}"
    while FORMULA_IN_WORDS.search(display):
        display = FORMULA_IN_WORDS.sub(lambda m: f"{m[1]}}}{m[2]}\\text{{", display)
    text = LAYOUT.sub(lambda m: "\n" * m[0].count("\n") + " ", display)
    rows = _Rows()
    for mark, start, stop in _segments(text):
        bare = LABEL.sub(lambda m: " " * len(m[0]), text[start:stop])
        begins = start + len(bare) - len(bare.lstrip(" &\n"))
        rows.take(mark, text[start:stop], Place("", line + text.count("\n", 0, begins)))
    found = [p for p in rows.found if p.trouble or re.search(RELATION, p.text)]
    return sorted(found, key=lambda p: p.kind != "explained")


def _segments(text: str) -> Iterator[tuple[re.Match[str] | None, int, int]]:
    """What stands between the marks outside of brackets, each behind its mark."""
    at, start, depth, mark = 0, 0, 0, None
    while at < len(text):
        found = MARK.match(text, at) if depth <= 0 and text[at - 1 : at] not in ("_", "^") else None
        label = LABEL.match(text, at)
        if found is not None and not _is_name(found):
            yield mark, start, at
            mark, start, at = found, found.end(), found.end()
        elif label is not None:
            at = label.end()
        else:
            depth += (text[at] in "([{") - (text[at] in ")]}")
            depth += text.startswith("\\begin{", at) - text.startswith("\\end{", at)
            at += 2 if text[at] == "\\" else 1
    yield mark, start, len(text)


def _role(mark: re.Match[str] | None) -> str:
    """What a mark says of what stands behind it: one of `WORDS`, or of the groups of `MARK`; words
    that are not understood are "trouble".
    """
    if mark is None or not mark["words"]:
        return "row" if mark is None else next(r for r in mark.groupdict() if mark[r])
    words = " ".join(mark["said"].lower().replace("~", " ").strip(" ,.:;").split())
    return next((role for role, form in WORDS.items() if re.fullmatch(form, words)), "trouble")


def _is_name(mark: re.Match[str]) -> bool:
    """`\\text{loss}`: one word that is a name in a formula."""
    word = (mark["said"] or "").strip(" ~,.:;").lower()
    is_word = re.fullmatch(r"[A-Za-z]+", mark["said"] or "") is not None
    return is_word and _role(mark) == "trouble" and NO_NAME.fullmatch(word) is None


class _Rows:
    """The claims of a display, as its segments are taken one by one.

    Attributes
    ----------
    found : list of Piece
    waiting : tuple of str
        Conditions of the next claim.
    pending : str
        What marks say of the segment to come.
    first : int
        Which claim is the first one of the row.
    """

    def __init__(self) -> None:
        self.found: list[Piece] = []
        self.waiting: tuple[str, ...] = ()
        self.pending, self.first = "row", 0

    def take(self, mark: re.Match[str] | None, segment: str, place: Place) -> None:
        """Take a segment for a claim, more of the claim before, or a condition beside it."""
        role, said = _role(mark), "" if mark is None else (mark["said"] or mark[0]).strip()
        trouble = f"what the words {said!r} make of it is not understood"
        if role == "row":
            self.pending = self.pending if self.pending in ("follows", "where") else "row"
            self.first = len(self.found)
        if role == "trouble":
            first = min(self.first, len(self.found) - 1)
            self.found[first:] = [replace(p, trouble=trouble) for p in self.found[first:]]
        label, bare = LABEL.search(segment), AROUND.sub("", LABEL.sub(" ", segment))
        if not bare or NUMBERED.fullmatch(bare) or role == "remark":
            self.pending = self.pending if role in ("row", "beside", "remark") else role
        else:
            if role in ("row", "beside") and self.pending != "row":
                role = self.pending
            self.pending = "row"
            if role in ("trouble", "more"):
                self.found.append(Piece("claim", bare, place, trouble=trouble))
            else:
                goes_on = re.match(rf"[\s&]*(?:{RELATION})", segment) is not None
                self._add(role, bare, place, goes_on=goes_on)
        if label is not None and self.found and not self.found[-1].label:
            self.found[-1] = replace(self.found[-1], label=label[1])

    def _add(self, role: str, bare: str, place: Place, *, goes_on: bool) -> None:
        """Take what stands in a segment; `goes_on` where it begins with a relation."""
        last = self.found[-1] if self.found else None
        bracketed = BRACKETED.fullmatch(bare) if last and role == "beside" else None
        has_relation = re.search(RELATION, bare) is not None
        is_letter = last and re.fullmatch(LETTER, bare) and not UNFINISHED.search(last.text)
        is_beside = bracketed or BESIDE.fullmatch(bare) or is_letter
        if role == "condition" or (last and role == "beside" and is_beside):
            self._beside(bracketed[1] if bracketed else bare)
        elif last and role in ("row", "beside") and (goes_on or not has_relation):
            text = f"{AROUND.sub('', last.text)} {bare}"
            self.found[-1] = replace(last, text=text)
        else:
            if last and role == "follows" and PREMISE.fullmatch(last.text):
                self.found.pop()
                self.waiting = (*last.conditions, last.text)
            kind, follows = "explained" if role == "where" else "claim", role == "follows"
            self.found.append(Piece(kind, bare, place, self.waiting, follows=follows))
            self.waiting = ()

    def _beside(self, condition: str) -> None:
        """A condition of the claim before, or where there is none, of the next one."""
        while (inner := BRACKETED.fullmatch(condition.strip())) is not None:
            condition = inner[1]
        condition = REAL.sub(r"\1 real", condition.strip())
        if re.fullmatch(rf"{LETTER}(?:\s*,\s*{LETTER})*", condition):
            return  # "for all N, D"
        if self.found:
            last = self.found[-1]
            self.found[-1] = replace(last, conditions=(*last.conditions, condition))
        else:
            self.waiting = (*self.waiting, condition)
