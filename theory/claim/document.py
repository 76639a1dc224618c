"""A LaTeX document as pieces: the claims of its displays with the conditions beside them, the formulas
of its text, and the declarations in comments. Nothing is concluded from prose.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..reader.tokens import ParseError
from .macros import expanded

DISPLAYS = "equation|align|gather|multline|eqnarray|alignat|flalign|displaymath"
#: `% isoflop: assume \beta > \gamma`, and any other comment.
DECLARED = r"%[ \t]*isoflop:[ \t]*"
DECLARATION = re.compile(rf"{DECLARED}([^\n]*)")
COMMENT = re.compile(rf"(?<!\\)((?:\\\\)*)(?!{DECLARED})%[^\n]*")
LITERAL = re.compile(
    r"\\begin\{(verbatim|comment|lstlisting)\*?\}.*?\\end\{\1\*?\}|\\iffalse\b.*?\\fi\b", re.DOTALL
)
INPUT = re.compile(r"\\(?:input|include)\s*\{\s*([^{}]+?)\s*\}")
PIECE = re.compile(
    rf"{DECLARED}(?P<declared>[^\n]*)"
    r"|\\(?P<section>(?:sub)*section\b|begin\{(?:theorem|lemma|proposition|corollary)\})"
    rf"|\\begin\{{(?P<name>(?:{DISPLAYS})\*?)\}}(?:\{{\d\}})?(?P<a>.*?)\\end\{{(?P=name)\}}"
    r"|(?<!\\)\\\[(?P<b>.*?)(?<!\\)\\\]|(?<!\\)\$\$(?P<c>.*?)(?<!\\)\$\$"
    r"|(?<!\\)\\\((?P<d>.*?)(?<!\\)\\\)|(?<!\\)\$(?P<e>[^$]*?)(?<!\\)\$",
    re.DOTALL,
)
#: The words in front of a formula of the text that defines a name, and between two such formulas.
EXPLAINS = re.compile(r"\b(where|let|set|put|define|write|denote)\s*\Z", re.IGNORECASE)
GOES_ON = re.compile(r"[\s,;]*(?:and)?\s*(?:let)?\s*")
BEHIND_A_DISPLAY = re.compile(r"[\s,.]*where\s*")
#: The rows of a display in a block, with marks at its ends: what stands behind it is of all rows.
BLOCK = re.compile(r"\\(begin|end)\{(?:aligned|split|gathered|alignedat)\}(?:\{\d\}|\[\w\])?")
BLOCK_MARKS = {"begin": "\x02", "end": "\x03"}
#: Commands without a meaning for the claims of a display.
LAYOUT = re.compile(
    rf"\\(?:nonumber|notag)\b|[.,;]?\s*\\qedhere\b|\\vspace\*?\{{[^{{}}]*\}}|{DECLARED}[^\n]*"
    r"|\\mathrel\s*\{\s*\\h?phantom\s*\{[^{}]*\}\s*\}|\\[hv]?phantom\s*\{[^{}]*\}"
)
FORMULA_IN_WORDS = re.compile(r"(\\(?:text|mbox)\s*\{[^{}$]*)\$([^{}$]*)\$")
#: A unit behind a value: `6ND \\, \\text{FLOPs}`.
UNIT = re.compile(
    r"(?<=[\w})\]])(?:\\[,;:! ]|[\s~]|\\q?quad(?![A-Za-z]))*\(?\s*\\(?:text|mathrm|textrm|mbox)"
    r"\s*\{\s*\(?(?:FLOPs?|FLOPS|tokens|param(?:eter)?s)\)?\s*\}\s*\)?(?=\s*(?:[.,;]|\\\\|\Z))"
)
#: Words that stand for an arrow between two claims, and for two claims at once.
ARROWS = {"iff|if and only if": r" \\iff ", "implies": r" \\implies "}
EQUALITY = r"with equality (?:iff|if and only if|exactly (?:when|if))"
LABEL = re.compile(r"\\(?:label|tag\*?)\s*\{([^{}]*)\}")
#: Spaces that separate formulas.
WIDE = r"\\q?quad(?![A-Za-z])|\\hspace\*?\{[^{}]*\}|(?:\\[;: ]\s*|~){2,}"
#: Words in plain text, some of them only in front of a condition.
PLAIN_WORDS = (
    rf"(?<=\s)(?:(?i:and)(?=\s)|{EQUALITY}(?=\s)|(?:for|if|as|when|where)"
    r"(?=\s+[^\s=<>]+\s*(?:[<>=!→]|->|\\(?:to|n?eq?|[gl]eq?)(?![A-Za-z]))))"
)
#: Marks that separate the claims of a display when they stand outside of brackets, and brackets.
MARK = re.compile(
    rf"{LABEL.pattern}|(?P<words>(?<![_^])\\(?:text|textrm|textit|mbox)\s*\{{(?P<text>[^{{}}]*)\}})"
    rf"|(?P<plain>{PLAIN_WORDS})"
    r"|(?P<row>\\\\\*?(?:\[[^\]]*\])?)"
    rf"|(?P<beside>{WIDE}|(?<!\d),|,(?!\d{{3}}(?!\d))|;|&&)"
    r"|(?P<follows>\\(?:implies|Rightarrow|Longrightarrow|therefore)(?![A-Za-z]))"
    r"|(?P<condition>\\forall(?![A-Za-z]))"
    r"|(?P<opens>\\begin\b|\\langle\b|\\?[(\[{])|(?P<closes>\\end\b|\\rangle\b|\\?[)\]}])|\\."
)
#: The role of what follows words in a display; a remark says why a claim holds, not where. A display
#: with other words is not read.
WORDS = {
    "condition": r"(?:for|as|if|when|whenever|provided|given|assuming|under)(?: that)?"
    r"(?: all| every| any| each)?",
    "where": r"(?:and )?(?:where|with)",
    "equality": EQUALITY,
    "beside": r"(?:and|so that|so|hence|thus|therefore|then|or equivalently|i\.e\.|that is)?",
    "remark": r"\(?(?:since|because|by|from|using|due to|as in|see|cf)\b.*|\([^()]*\)",
}
#: Roles that continue across a new row or a space.
PERSISTENT_ROLES = ("where", "follows", "condition", "equality")
RELATION = (
    r"=|<|>|[≤≥≠≔≈∝→⇒⇔]|(?<=\s)(?:propto|approx|~)(?=\s)"
    r"|\\(?:le|ge|leq|geq|ne|neq|sim|to|propto|approx|equiv|triangleq|rightarrow|in|iff"
    r"|asymp|ll|gg|gtrsim|Longleftrightarrow|Leftrightarrow|leqslant|geqslant|simeq|lesssim)(?![A-Za-z])"
)
ORDER = re.compile(r"[<>]=|\\(?:leq?|geq?|leqslant|geqslant)")
LETTER = r"\\?[A-Za-z]+(?:_(?:\w|\{\w+\}))?"
#: Spaces, punctuation and marks of alignment at the ends of a claim.
AROUND = re.compile(r"\A(?:\\[,;:! ]|[\s&.,;~\x02\x03])+|(?:\\[,;:! ]|[\s&.,;~\x02\x03])+\Z")
#: Conditions beside a claim: in brackets, `N, D` of "for all N, D" or a number, and `r \to 0`,
#: `\beta > \gamma`, `u \in \mathbb{R}`; in front of an arrow also `\alpha = \beta`.
BRACKETED = re.compile(r"(?:\\left|\\[bB]igl?)?\s*\((.*?)(?:\\right|\\[bB]igr?)?\s*\)", re.DOTALL)
LETTERS = re.compile(rf"{LETTER}(?:\s*,\s*{LETTER})*|[\d.]+[a-z]?")
BESIDE = re.compile(
    rf"((?:[\d.]+\s*)?{LETTER})\s*(?:<|>|\\(?:to|rightarrow|leq?|geq?|neq?|in)(?![A-Za-z]))"
    rf"\s*(?:[+-]?[\d./^+]+|(?:[\d.]+\s*)?{LETTER}|\\mathbb\{{R\}}|\\infty)"
)
CONDITIONS = (BRACKETED, LETTERS, BESIDE)
#: A relation between a letter and a number or another letter; one of them in front of an arrow.
SHORT = re.compile(rf"{LETTER}\s*(?:[<>=!]=?|->|[→≤≥≠]|\\[a-z]+)\s*(?:[+-]?[\d./^+]+|{LETTER})")
PREMISE = re.compile(rf"{BESIDE.pattern}|(?:\\[a-z]+|[A-Z]|r|s)\s*=\s*(?:\\[a-z]+|[\d.]+|[A-Z])")
ENDS_IN_RELATION = re.compile(rf"(?:{RELATION})\s*\Z|:\Z")
#: Words that have no role, which leave the rest of their row unread.
LEFT_WORDS = re.compile(r"(?<![_^{])\\(?:text|textrm|textit|mbox)\s*\{[^{}]*[a-z]{2}[^{}]*\}")
BEGINS_WITH_WORDS = re.compile(rf"[\s&~(\[]*{LEFT_WORDS.pattern}")


@dataclass(frozen=True)
class Piece:
    """A claim of the document, a formula of its text, or a declaration."""

    kind: str  # "claim"; "explained" behind "where" or "let", or "inline"; "declared"
    text: str
    file: str = ""
    line: int = 0
    conditions: tuple[str, ...] = ()  # beside it, in front of its arrow, or declared
    label: str = ""
    follows: bool = False  # whether an arrow leads to it
    is_premise: bool = False  # whether an arrow leads from it to the next claim of its row
    is_let: bool = False  # whether it stands behind "let" or the like, not behind "where"


def pieces_of(text: str, name: str, read: Callable[[str], str]) -> tuple[list[Piece], list[str]]:
    """The pieces of a document, in order, and the files that it includes but are missing; `read(name)`
    is the text of a file. ParseError where there is no display, or the macros come to no end.
    """
    missing: list[str] = []
    lines = list(_lines(text, name, read, missing, (name,)))
    whole = expanded("\n".join(line for line, *_ in lines))
    head, _, body = whole.rpartition(r"\begin{document}")
    head = "".join(re.findall(rf"{DECLARED}[^\n]*|\n", head))  # what is declared there
    found = _pieces((head + body).partition(r"\end{document}")[0])
    if not any(piece.kind == "claim" for piece in found):
        raise ParseError("the document has no displayed equation")
    return [replace(p, file=lines[p.line][1], line=lines[p.line][2]) for p in found], missing


def _lines(
    text: str, name: str, read: Callable[[str], str], missing: list[str], opened: tuple[str, ...]
) -> Iterator[tuple[str, str, int]]:
    """The lines without comments, each with its file and number, those of included files too."""
    text = COMMENT.sub(r"\1", LITERAL.sub(lambda m: "\n" * m[0].count("\n"), text))
    for number, line in enumerate(text.split("\n"), 1):
        at = 0
        for found in INPUT.finditer(line):
            yield line[at : found.start()], name, number
            at, file = found.end(), found[1] if "." in found[1] else f"{found[1]}.tex"
            try:
                inner = read(file) if file not in opened else None
            except (OSError, ValueError):
                inner = None
            if inner is None:
                missing.append(f"{found[1]} (line {number})")
            else:
                yield from _lines(inner, file, read, missing, (*opened, file))
        yield line[at:], name, number


def _pieces(text: str) -> list[Piece]:
    """The pieces, each with the number of newlines before it as its line. A formula behind "where" right
    after a display comes before it.
    """
    pieces: list[Piece] = []
    before, place, word = 0, 0, ""  # the word that a formula of the text explains a name behind
    once: tuple[str, ...] = ()  # of the next display
    assumed: tuple[str, ...] = ()  # up to the next section or theorem

    def declare(declaration: str, line: int) -> None:
        nonlocal once, assumed
        word, _, rest = declaration.strip().partition(" ")
        values = tuple(re.split(r"\s*,\s*", rest.strip()))
        if word in ("at", "skip"):
            once = (*once, *(values if word == "at" else ["skip"]))
        elif word == "assume" or values == ("real",):
            assumed = (*assumed, *(values if word == "assume" else [f"{word} real"]))
        else:
            pieces.append(Piece("declared", f"{word} {rest}", line=line))

    for found in PIECE.finditer(text):
        between, before = text[before : found.start()], found.end()
        line = text.count("\n", 0, found.start())
        group = next((g for g in "abcde" if found[g] is not None), "")
        goes_on = word != "" and GOES_ON.fullmatch(between) is not None
        opening = EXPLAINS.search(between)
        word = opening[1].lower() if opening is not None else word if goes_on else ""
        word = word if group in ("d", "e") else ""
        if found["declared"] is not None:
            declare(found["declared"], line)
        elif group in ("d", "e"):
            kind, is_let = "explained" if word else "inline", word not in ("", "where")
            formula = UNIT.sub("", found[group].strip(" .,;"))
            piece = Piece(kind, formula, line=line, conditions=assumed, is_let=is_let)
            if not (goes_on or BEHIND_A_DISPLAY.fullmatch(between)):
                place = len(pieces)
            pieces.insert(place, piece)
            place += 1
        elif group:
            for inside in DECLARATION.finditer(found[group]):
                declare(inside[1], line)
            place = len(pieces)
            claims = claims_of(found[group], line)
            for piece in (claim for claim in claims if relates(claim.text)):
                kind = "inline" if "skip" in once else piece.kind
                conditions = (*assumed, *once, *piece.conditions)
                pieces.append(replace(piece, kind=kind, conditions=conditions))
            once = ()
        else:  # a section, or a theorem
            assumed = ()
    return pieces


# -- displays --------------------------------------------------------------------------------------


def claims_of(
    display: str, line: int = 0, beside: Sequence[re.Pattern[str]] = CONDITIONS
) -> list[Piece]:
    """The claims of a display, or of a text with several; those behind "where" come first. What has
    one of the forms `beside` a claim is a condition of it.
    """
    while FORMULA_IN_WORDS.search(display):
        display = FORMULA_IN_WORDS.sub(r"\1}\2\\text{", display)
    for words, arrow in ARROWS.items():
        display = re.sub(rf"\\(?:text|textrm|mbox)\s*\{{\s*(?:{words})\s*\}}", arrow, display)
    display = BLOCK.sub(lambda m: BLOCK_MARKS[m[1]], display)
    text = UNIT.sub("", LAYOUT.sub(lambda m: "\n" * m[0].count("\n") + " ", display))
    text = "\\\\".join(map(_columns, text.split("\\\\")))
    claims = _Claims(text, line, beside)
    segments = list(_segments(text))
    for i, (mark, start, stop) in enumerate(segments):
        row = itertools.takewhile(lambda segment: segment[0] != "row", segments[i + 1 :])
        after = next((role for role, *span in row if text[slice(*span)].strip()), "")
        claims.add(mark, start, stop, after)
    return sorted(claims.found, key=lambda piece: piece.kind != "explained")


@dataclass
class _Claims:
    """The claims of a display, segment by segment."""

    text: str
    line: int
    beside: Sequence[re.Pattern[str]]
    found: list[Piece] = field(default_factory=list)
    waiting: tuple[str, ...] = ()  # conditions of the next claim
    role: str = "row"
    before: str = ""  # the role of the segment before
    is_behind_condition: bool = False
    end: int = 0  # of that segment
    is_new_row: bool = True
    first: int = 0  # the first claim of the row, and the first one that a condition is for
    scope: int = 0
    block: int = 0  # the first claim of a block, and whether it has ended in this row
    is_behind_block: bool = False

    def add(self, mark: str, start: int, stop: int, after: str) -> None:
        """Read the segment behind a mark; `after` is the role of the next one in its row."""
        is_persistent = self.role in PERSISTENT_ROLES and mark in ("row", "beside")
        self.role = self.role if is_persistent else mark
        self.is_new_row |= mark == "row"
        blank = LABEL.sub(lambda m: " " * len(m[0]), self.text[start:stop])
        label, bare = LABEL.search(self.text, start, stop), AROUND.sub("", blank)
        self.is_behind_block &= mark != "row"
        self.block = len(self.found) if BLOCK_MARKS["begin"] in blank else self.block
        if bare and self.role != "remark":
            self.first = len(self.found) if self.is_new_row else self.first
            self.is_behind_condition = self._read(blank, bare, start, stop, after)
            self.before, self.role = self.role, ""
        if bare:
            self.end, self.is_new_row = stop, False
        if BLOCK_MARKS["end"] in blank:
            self.first, self.is_behind_block = self.block, True
        if label is not None and self.found and not self.found[-1].label:
            self.found[-1] = replace(self.found[-1], label=label[1])

    def _read(self, blank: str, bare: str, start: int, stop: int, after: str) -> bool:
        """Read a segment that is not empty by its role, and say whether it is a condition."""
        last = self.found[-1] if self.found else None
        begins = re.match(rf"[\s&]*(?:{RELATION})", blank) is not None
        is_unread = last is not None and not self.is_new_row and LEFT_WORDS.search(last.text)
        is_open = last is not None and bool(
            not relates(last.text)
            or ENDS_IN_RELATION.search(last.text)
            or is_unread
            or (BEGINS_WITH_WORDS.match(bare) and not self.is_new_row)
        )
        is_beside = self.role == "beside" and not (begins or is_open or self.waiting or not last)
        if is_beside and self.before in ("where", "condition") and SHORT.fullmatch(bare):
            self.role = self.before  # where a = 2, b = 3
        iff = r"\iff" if "\\" in self.text else "iff"
        is_equality = self.role == "equality" and last is not None
        equalities = _equalities(last.text, f"{iff} {bare}") if last and is_equality else []
        goes_on = not relates(bare) or (self.role in ("row", "beside") and (begins or is_open))
        is_condition = self.role == "condition" or (
            is_beside
            and after != "follows"
            and any(form.fullmatch(bare.replace("&", " ")) for form in self.beside)
        )
        attaches = is_condition and not is_unread
        if last and equalities:
            self.found += [replace(last, text=text, label="") for text in equalities]
        elif attaches:
            self._attach(bare, is_of_next=self.is_new_row and bool(after))
        elif last and (goes_on or is_equality or is_unread):
            self._join(last, bare, start, begins)
        else:
            if last and self.role == "follows":
                self.waiting = last.conditions
                self.found[-1] = replace(last, is_premise=not self.is_new_row)
                if PREMISE.fullmatch(last.text) and not last.follows:
                    self.waiting = (*self.found.pop().conditions, last.text)
            kind = "explained" if self.role == "where" else "claim"
            indent = len(blank) - len(blank.lstrip(" &\n"))
            at = self.line + self.text.count("\n", 0, start + indent)
            typed = self.text[self.end : stop].strip() if self.role == "equality" else bare
            piece = Piece(kind, typed, "", at, self.waiting, follows=self.role == "follows")
            self.found.append(piece)
            self.waiting = ()
        return attaches

    def _join(self, last: Piece, bare: str, start: int, begins: bool) -> None:
        """Join a part to the claim in front of it, with the words between them, which are no product."""
        between = self.text[self.end : start]
        words = [m["text"] or m["plain"] for m in MARK.finditer(between)]
        has_words = any(word and _role_of(word) != "remark" for word in words)
        is_at_once = begins or self.is_new_row or ENDS_IN_RELATION.search(last.text)
        if is_at_once and not has_words and not last.conditions:
            between = ""
        self.found[-1] = replace(last, text=f"{last.text}{between} {bare}")

    def _attach(self, bare: str, is_of_next: bool) -> None:
        """Attach a condition to the next claim, or to the claims in front of it in its row that have none."""
        condition = _condition(bare)
        if not self.found or is_of_next or (self.waiting and self.is_behind_condition):
            self.waiting += condition
            return
        if not self.is_behind_condition:
            self.scope = len(self.found) - 1
            is_of_all = self.role == "condition" or self.is_behind_block
            while is_of_all and self.scope > self.first:
                if self.found[self.scope - 1].conditions:
                    break
                self.scope -= 1
        for i in range(self.scope, len(self.found)):
            piece = self.found[i]
            self.found[i] = replace(piece, conditions=piece.conditions + condition)


def _columns(row: str) -> str:
    """A row of an alignment with `&&` between its columns, where every second mark stands."""
    count = itertools.count(1)
    return re.sub(r"(?<!\\)&", lambda _: "&&" if next(count) % 2 == 0 else "&", row)


def relates(text: str) -> bool:
    """Whether a text has a relation."""
    return re.search(RELATION, text) is not None


def _equalities(bound: str, condition: str) -> list[str]:
    """The claims that the orders of a bound are equalities `iff` a condition holds."""
    parts = re.split(rf"\s*((?:{RELATION})+)\s*", bound)
    links = zip(parts[:-2:2], parts[1::2], parts[2::2], strict=True)
    return [f"{a} = {b} {condition}" for a, sign, b in links if ORDER.fullmatch(sign)]


def _segments(text: str) -> Iterator[tuple[str, int, int]]:
    """The segments between the marks outside of brackets, each with its role, which follows from the
    mark before it, its start and its stop.
    """
    start, depth, before = 0, 0, "row"
    for mark in MARK.finditer(text):
        depth += bool(mark["opens"]) - bool(mark["closes"])
        role = next((r for r in ("row", "beside", "follows", "condition") if mark[r]), "")
        typed = mark["text"] if mark["words"] else mark["plain"]
        if typed is not None:
            role = _role_of(typed)
        if role and depth <= 0:
            yield before, start, mark.start()
            before, start = role, mark.end()
    yield before, start, len(text)


def _role_of(typed: str) -> str:
    """The role of what stands behind some words; empty for other words."""
    words = " ".join(typed.lower().replace("~", " ").strip(" ,.:;").split())
    return next((role for role, form in WORDS.items() if re.fullmatch(form, words)), "")


def _condition(text: str) -> tuple[str, ...]:
    """A condition without its brackets; nothing for the letters of "for all N, D"."""
    while (inner := BRACKETED.fullmatch(text.strip())) is not None:
        text = inner[1]
    text = re.sub(r"\s*\\in\s*\\mathbb\{R\}", " real", " ".join(text.replace("&", " ").split()))
    several = re.split(r"\s*,(?!\d{3}(?!\d))\s*", text)
    if len(several) > 1 and all(map(BESIDE.fullmatch, several)):
        return tuple(several)  # (r > 1, \gamma > \beta)
    return () if LETTERS.fullmatch(text) else (text,)
