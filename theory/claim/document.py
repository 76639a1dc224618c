"""A LaTeX document as pieces: the claims of its displays with what stands beside them, the formulas
of its text, and what is declared in comments. Nothing is concluded from prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ..reader.tokens import ParseError

DISPLAYS = "equation|align|gather|multline|eqnarray|alignat|flalign|displaymath"
DECLARED = re.compile(r"%\s*isoflop:\s*([^\n]*)")
COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
LITERAL = re.compile(
    r"\\begin\{(verbatim|comment|lstlisting)\*?\}.*?\\end\{\1\*?\}|\\verb(\W).*?\2"
    r"|\\iffalse(?![a-z]).*?\\fi(?![a-z])",
    re.DOTALL,
)
INPUT = re.compile(r"\\(?:input|include)\s*\{\s*([^{}]+?)\s*\}")
PIECE = re.compile(
    r"\x01(?P<declared>[^\x02]*)\x02|\\(?P<section>(?:sub)*section)\b"
    r"|\\begin\{(?P<theorem>theorem|lemma|proposition|corollary|definition)\}"
    rf"|\\begin\{{(?P<name>(?:{DISPLAYS})\*?)\}}(?:\{{\d\}})?(?P<a>.*?)\\end\{{(?P=name)\}}"
    r"|(?<!\\)\\\[(?P<b>.*?)(?<!\\)\\\]|(?<!\\)\$\$(?P<c>.*?)(?<!\\)\$\$"
    r"|(?<!\\)\\\((?P<d>.*?)(?<!\\)\\\)|(?<!\\)\$(?P<e>[^$]*?)(?<!\\)\$"
    rf"|(?P<unclosed>\\begin\{{(?:{DISPLAYS})\*?\}}|(?<!\\)\\\[|\$\$)",
    re.DOTALL,
)
#: In front of a formula of the text that says what a name is, and between two such formulas.
EXPLAINS = re.compile(r"\b(?:where|let|set|put|define|write|denote)\s*\Z", re.IGNORECASE)
GOES_ON = re.compile(r"\s*(?:,|;)?\s*(?:and)?\s*(?:let)?\s*")
#: What has no meaning inside a display.
LAYOUT = re.compile(
    r"\\(?:begin|end)\{(?:aligned|split|gathered|alignedat)\}(?:\{\d\}|\[\w\])?"
    r"|\\(?:nonumber|notag)\b|[.,;]?\s*\\qedhere\b|\\[hv]space\*?\{[^{}]*\}"
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
NUMBERED = re.compile(r"\(\d+(?:\.\d+)*[a-z]?\)")
#: Beside a claim: `r \to 0`, `\beta > \gamma`, `0 < r < 1`, `u \in \mathbb{R}`.
BESIDE = re.compile(
    rf"\(?\s*(?:[\d.]+\s*(?:<|\\leq?)\s*)?{LETTER}"
    r"\s*(?:<|>|\\(?:to|rightarrow|leq?|geq?|neq?|in)(?![A-Za-z]))"
    rf"\s*(?:[+-]?[\d./^+]+|{LETTER}|\\mathbb\s*\{{?R\}}?|\\infty)"
    rf"(?:\s*(?:<|\\leq?)\s*(?:[\d.]+|{LETTER}))?\s*\)?"
)


@dataclass(frozen=True)
class Place:
    """A line of a file."""

    file: str
    line: int


NOWHERE = Place("", 0)


@dataclass(frozen=True)
class Piece:
    """A claim of the document, a formula of its text, a declaration or the start of a section.

    Attributes
    ----------
    kind : {"claim", "explained", "inline", "declared", "section", "theorem"}
        `explained` is a formula of the text behind "where" or "let".
    text : str
    place : Place
    conditions : tuple of str
        That stand beside the claim in its display.
    label : str
    premise : str
        The claim from which an arrow of implication leads to it.
    leads : bool
        Whether an arrow of implication leads from it.
    trouble : str
        Why it cannot be judged as it stands.
    display : int
        The number of its display; 0 of a formula of the text.
    """

    kind: str
    text: str
    place: Place = NOWHERE
    conditions: tuple[str, ...] = ()
    label: str = ""
    premise: str = ""
    leads: bool = False
    trouble: str = ""
    display: int = 0


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
        head = "".join(re.findall(r"\x01[^\x02]*\x02|\n", head))  # what is declared there
        body = (head + body).partition(r"\end{document}")[0]
        pieces = tuple(replace(piece, place=lines[line][1]) for line, piece in _pieces(body))
        if not any(piece.kind == "claim" for piece in pieces):
            raise ParseError("the document has no displayed equation")
        return cls(pieces, tuple(missing))


def _lines(
    text: str, name: str, read: Callable[[str], str], missing: list[str], opened: tuple[str, ...]
) -> Iterator[tuple[str, Place]]:
    """The lines without comments, each with its place; those of included files in theirs."""
    text = DECLARED.sub(lambda m: f"\x01{m[1].strip()}\x02", text)
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


# -- macros ----------------------------------------------------------------------------------------

MACRO = re.compile(r"\\([A-Za-z@]+)\*?")
DEFINER = re.compile(r"(?:re|provide)?newcommand|providecommand|def|gdef|DeclareMathOperator")
DEFINED = re.compile(
    r"\s*\{?\s*\\([A-Za-z@]+)\s*\}?\s*(?:\[(\d)\])?\s*(?:\[([^\]]*)\])?((?:#\d)*)\s*=?\s*"
)
OPTION = re.compile(r"\s*(?:\[([^\]]*)\])?")
MOST_EXPANSIONS, MOST_CHARACTERS = 20_000, 2_000_000
#: How many arguments, the first one's default, and the body.
Macro = tuple[int, str | None, str]


def expanded(text: str) -> str:
    """The text with its macros put in, every line in its place."""
    macros: dict[str, Macro] = {"ensuremath": (1, None, "#1"), "xspace": (0, None, "")}
    done, count, length = [], 0, 0
    while (found := MACRO.search(text)) is not None:
        name, stop, value = found[1], found.end(), None
        if DEFINER.fullmatch(name):
            stop, value = _defined(text, name, stop, macros), ""
        elif name in macros:
            value, stop = _value(text, found.end(1), *macros[name])
            count, length = count + 1, length + len(value)
            if count > MOST_EXPANSIONS or length > MOST_CHARACTERS:
                raise ParseError(f"the macro \\{name} does not come to an end")
        done.append(text[: found.end() if value is None else found.start()])
        lines = "" if value is None else "\n" * text.count("\n", found.start(), stop)
        text = f"{value or ''}{lines}{text[stop:]}"
    return "".join([*done, text])


def _defined(text: str, word: str, at: int, macros: dict[str, Macro]) -> int:
    """Note the macro that is defined here; where the definition ends."""
    head = DEFINED.match(text, at)
    if head is None:
        return at
    name, number, default, parameters = head.groups()
    if text[head.end() : head.end() + 1] != "{":  # with arguments that words delimit
        macros.pop(name, None)
        return at
    stop = _end(text, head.end())
    body = text[head.end() + 1 : stop - 1].replace("\n", " ")
    body = rf"\operatorname{{{body}}}" if word == "DeclareMathOperator" else body
    if word != "providecommand" or name not in macros:
        macros[name] = (int(number or len(parameters) // 2), default, body)
    return stop


def _value(text: str, at: int, count: int, default: str | None, body: str) -> tuple[str, int]:
    """What stands in place of a macro, and where its arguments end."""
    given = []
    for k in range(count):
        option = OPTION.match(text, at)
        assert option is not None
        if k == 0 and default is not None:
            given.append(default if option[1] is None else option[1])
            at = at if option[1] is None else option.end()
            continue
        at = at + len(text[at:]) - len(text[at:].lstrip())
        name, is_group = MACRO.match(text, at), text[at : at + 1] == "{"
        stop = _end(text, at) if is_group else name.end() if name else at + 1
        given.append(text[at + is_group : stop - is_group])
        at = stop
    value = re.sub(r"#(\d)", lambda m: given[int(m[1]) - 1] if int(m[1]) <= count else m[0], body)
    value = value.replace("\n", " ")
    return (f"{value} " if re.search(r"\\[A-Za-z]+\Z", value) else value), at


def _end(text: str, at: int) -> int:
    """Behind the group that opens here."""
    depth = 0
    for k in range(at, len(text)):
        if text[k] in "{}" and text[k - 1] != "\\":
            depth += 1 if text[k] == "{" else -1
            if depth == 0:
                return k + 1
    raise ParseError(f"a brace is never closed: {text[at : at + 30]!r}")


# -- displays --------------------------------------------------------------------------------------


def _pieces(text: str) -> Iterator[tuple[int, Piece]]:
    """The pieces, each with the number of newlines before it."""
    before, is_explained = 0, False
    for number, found in enumerate(PIECE.finditer(text), 1):
        between, before = text[before : found.start()], found.end()
        line = text.count("\n", 0, found.start())
        group = next((g for g in "abcde" if found[g] is not None), "")
        goes_on = is_explained and GOES_ON.fullmatch(between) is not None
        is_explained = group in ("d", "e") and (goes_on or EXPLAINS.search(between) is not None)
        if found["declared"] is not None:
            yield line, Piece("declared", found["declared"])
        elif found["unclosed"] is not None:
            yield line, Piece("claim", found[0], trouble="the display is not closed")
        elif group in ("d", "e"):
            yield line, Piece("explained" if is_explained else "inline", found[group].strip(" .,;"))
        elif group:
            for below, piece in _claims(found[group]):
                yield line + below, replace(piece, display=number)
        else:
            yield line, Piece("theorem" if found["theorem"] else "section", "")


def _claims(display: str) -> list[tuple[int, Piece]]:
    """The claims of a display, with the newlines before each; what "where" explains is first."""
    while (between := INTERTEXT.search(display)) is not None:
        at, stop = between.start(), _end(display, between.end() - 1)
        lines = "\n" * display.count("\n", at, stop)
        display = f"{display[:at]}\\\\{lines} {display[stop:]}"
    while (at := display.find(r"\boxed{")) >= 0:
        stop = _end(display, at + 6)
        inside = display[at + 7 : stop - 1].rstrip(" .,;")
        display = f"{display[:at]} {inside} {display[stop:]}"
    while FORMULA_IN_WORDS.search(display):
        display = FORMULA_IN_WORDS.sub(lambda m: f"{m[1]}}}{m[2]}\\text{{", display)
    text = LAYOUT.sub(lambda m: "\n" * m[0].count("\n") + " ", display)
    rows = _Rows()
    for mark, start, stop in _segments(text):
        segment = text[start:stop]
        if mark is not None and mark["row"] is not None:
            rows.pending = rows.pending if rows.pending in ("follows", "where") else "new"
            rows.first = len(rows.found)
        bare = LABEL.sub(lambda m: " " * len(m[0]), segment)
        blank = len(bare) - len(bare.lstrip(" &\n"))
        rows.take(mark, segment, text.count("\n", 0, start + blank))
    found = [row for row in rows.found if row[1].trouble or re.search(RELATION, row[1].text)]
    return sorted(found, key=lambda row: row[1].kind != "explained")


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


def _said(mark: re.Match[str]) -> tuple[str, str]:
    """The words of a mark, and what they say; nothing where that is not understood."""
    words = " ".join((mark["said"] or "").lower().replace("~", " ").strip(" ,.:;").split())
    return words, next((role for role, form in WORDS.items() if re.fullmatch(form, words)), "")


def _is_name(mark: re.Match[str]) -> bool:
    """`\\text{loss}`: one word that is a name in a formula."""
    words, role = _said(mark)
    is_word = re.fullmatch(r"[A-Za-z]+", mark["said"] or "") is not None
    return is_word and not role and NO_NAME.fullmatch(words) is None


class _Rows:
    """The claims of a display, as its segments are taken one by one."""

    def __init__(self) -> None:
        self.found: list[tuple[int, Piece]] = []
        self.waiting: tuple[str, ...] = ()
        self.pending, self.first = "new", 0

    def change(self, **changes: object) -> None:
        """Change the last claim."""
        at, piece = self.found[-1]
        self.found[-1] = at, replace(piece, **changes)  # type: ignore[arg-type]

    def take(self, mark: re.Match[str] | None, segment: str, line: int) -> None:
        """Take a segment for a claim, more of the claim before, or a condition beside it."""
        kinds = ("row", "beside", "follows", "condition")
        role = next((kind for kind in kinds if mark is not None and mark[kind]), "new")
        role, trouble = "new" if role == "row" else role, ""
        if mark is not None and mark["words"]:
            role = _said(mark)[1] or "trouble"
            trouble = f"what the words {mark['said'].strip()!r} make of it is not understood"
        if role == "trouble":
            first = min(self.first, len(self.found) - 1)
            self.found[first:] = [(at, replace(p, trouble=trouble)) for at, p in self.found[first:]]
        label, bare = LABEL.search(segment), AROUND.sub("", LABEL.sub(" ", segment))
        if not bare or NUMBERED.fullmatch(bare) or role == "remark":
            if label is not None and self.found:
                self.change(label=self.found[-1][1].label or label[1])
            self.pending = self.pending if role in ("beside", "remark") else role
            return
        if role in ("new", "beside") and self.pending != "new":
            role = self.pending
        self.pending = "new"
        bracketed = BRACKETED.fullmatch(bare) if self.found and role == "beside" else None
        if role == "beside" and self.found and (bracketed or BESIDE.fullmatch(bare)):
            role, bare = "condition", bracketed[1].strip() if bracketed else bare
        goes_on = re.match(rf"[\s&]*(?:{RELATION})", segment) or not re.search(RELATION, bare)
        if role == "condition":
            self.beside(bare)
        elif role in ("trouble", "more"):
            self.found.append((line, Piece("claim", bare, trouble=trouble)))
        elif self.found and role in ("new", "beside") and goes_on:
            self.change(text=f"{AROUND.sub('', self.found[-1][1].text)} {bare}")
            if label is not None:
                self.change(label=self.found[-1][1].label or label[1])
        else:
            premise = self.found[-1][1].text if role == "follows" and self.found else ""
            if premise:
                self.change(leads=True)
            kind, key = "explained" if role == "where" else "claim", label[1] if label else ""
            piece = Piece(kind, bare, NOWHERE, self.waiting, key, premise)
            self.found, self.waiting = [*self.found, (line, piece)], ()

    def beside(self, condition: str) -> None:
        """A condition of the claim before, or where there is none, of the next one."""
        while (inner := BRACKETED.fullmatch(condition)) is not None:
            condition = inner[1].strip()
        condition = REAL.sub(r"\1 real", condition)
        if re.fullmatch(rf"{LETTER}(?:\s*,\s*{LETTER})*", condition):
            return  # "for all N, D"
        if self.found:
            self.change(conditions=(*self.found[-1][1].conditions, condition))
        else:
            self.waiting = (*self.waiting, condition)
