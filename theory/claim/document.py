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
    r"|(?<!\\)\\\((?P<d>.*?)(?<!\\)\\\)|(?<!\\)\$(?P<e>[^$]*?)(?<!\\)\$",
    re.DOTALL,
)
UNCLOSED = re.compile(rf"\\begin\{{(?:{DISPLAYS})\*?\}}|(?<!\\)\\\[|\$\$")
#: In front of a formula of the text that says what a name is, and between two such formulas.
EXPLAINS = re.compile(r"\b(?:where|let|set|put|define|write|denote)\s*\Z", re.IGNORECASE)
GOES_ON = re.compile(r"\s*(?:,|;)?\s*(?:and)?\s*(?:let)?\s*")
#: What has no meaning inside a display.
LAYOUT = re.compile(
    r"\\(?:begin|end)\{(?:aligned|split|gathered|alignedat)\}(?:\{\d\}|\[\w\])?|\\(?:nonumber|notag)\b"
    r"|[.,;]?\s*\\qedhere\b|\\(?:displaystyle|textstyle|small|hfill|allowdisplaybreaks)\b|\\[hv]space\*?\{[^{}]*\}"
)
MARK = re.compile(
    r"(?P<label>\\(?:label|tag\*?)\s*\{(?P<key>[^{}]*)\})"
    r"|(?P<words>\\(?:text|textrm|textit|mbox)\s*\{(?P<said>[^{}]*)\})"
    r"|(?P<row>\\\\\*?(?:\[[^\]]*\])?)|(?P<apart>\\q?quad(?![A-Za-z])|[,;]|&&)"
    r"|(?P<implies>\\(?:implies|Rightarrow|Longrightarrow|therefore)(?![A-Za-z]))"
    r"|(?P<forall>\\forall(?![A-Za-z]))"
)
CONDITION = re.compile(
    r"(?:for|as|if|when|whenever|provided|given|assuming|under)(?: that)?(?: all| every| any| each)?"
)
WHERE = re.compile(r"(?:and )?(?:where|with)")
JOINS = re.compile(r"(?:and|so that|so|hence|thus|therefore|then|or equivalently|i\.e\.|that is)?")
#: Words that say why, not where, a claim holds.
REMARK = re.compile(r"\(?(?:since|because|by|from|using|due to|as in|see|cf)\b.*|\([^()]*\)")
EQUALITY = re.compile(r"(?:with )?equality .*")
NO_NAME = re.compile(r"or|not|only|otherwise|else|unless|false|wrong|nowhere|never")
INTERTEXT = re.compile(r"\\(?:short)?intertext\s*\{")
BRACKETED = re.compile(
    r"(?:\\left|\\bigl?|\\Bigl?)?\s*\((.*?)(?:\\right|\\bigr?|\\Bigr?)?\s*\)", re.DOTALL
)
FORMULA_IN_WORDS = re.compile(r"(\\(?:text|mbox)\s*\{[^{}$]*)\$([^{}$]*)\$")
RELATION = (
    r"=|<|>|\\(?:le|ge|leq|geq|ne|neq|sim|to|propto|approx|equiv|triangleq|rightarrow|in|iff"
    r"|Leftrightarrow|leqslant|geqslant|simeq|lesssim)(?![A-Za-z])"
)
LINK = re.compile(rf"[\s&]*(?:{RELATION})")
LETTER = r"\\?[A-Za-z]+(?:_(?:\w|\{\w+\}))?"
#: Spaces, punctuation and marks of alignment at the ends of a claim.
AROUND = re.compile(r"\A(?:\\[,;:! ]|[\s&.,;~])+|(?:\\[,;:! ]|[\s&.,;~])+\Z")
#: Beside a claim: `r \to 0`, `\beta > \gamma`, `0 < r < 1`, `u \in \mathbb{R}`.
BESIDE = re.compile(
    rf"\(?\s*(?:[\d.]+\s*(?:<|\\leq?)\s*)?{LETTER}\s*(?:<|>|\\(?:to|rightarrow|leq?|geq?|neq?|in)(?![A-Za-z]))"
    rf"\s*(?:[+-]?[\d./^+]+|{LETTER}|\\mathbb\s*\{{?R\}}?|\\infty)(?:\s*(?:<|\\leq?)\s*(?:[\d.]+|{LETTER}))?\s*\)?"
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
        The number of its display, or of its formula of the text.
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
        places = [place for _, place in lines]
        whole = expanded("\n".join(line for line, _ in lines))
        head, _, body = whole.rpartition(r"\begin{document}")
        head = "".join(re.findall(r"\x01[^\x02]*\x02|\n", head))  # what is declared there
        body = (head + body).partition(r"\end{document}")[0]
        pieces = [replace(piece, place=places[line]) for line, piece in _pieces(body)]
        if not any(piece.kind == "claim" for piece in pieces):
            raise ParseError("the document has no displayed equation")
        return cls(tuple(pieces), tuple(missing))


def _lines(
    text: str, name: str, read: Callable[[str], str], missing: list[str], opened: tuple[str, ...]
) -> Iterator[tuple[str, Place]]:
    """The lines without comments, each with its place; those of included files in theirs."""
    text = DECLARED.sub(lambda m: f"\x01{m[1].strip()}\x02", text)
    text = COMMENT.sub(r"\1", LITERAL.sub(lambda m: "\n" * m[0].count("\n"), text))
    for number, line in enumerate(text.split("\n"), 1):
        place, at = Place(name, number), 0
        for found in INPUT.finditer(line):
            yield line[at : found.start()], place
            at, file = found.end(), found[1] if "." in found[1] else f"{found[1]}.tex"
            try:
                inner = read(file) if file not in opened else None
            except (OSError, ValueError):
                inner = None
            if inner is None:
                missing.append(f"{found[1]} (line {number})")
            else:
                yield from _lines(inner, file, read, missing, (*opened, file))
        yield line[at:], place


# -- macros ----------------------------------------------------------------------------------------

MACRO = re.compile(r"\\([A-Za-z@]+)\*?")
DEFINER = re.compile(r"(?:re|provide)?newcommand|providecommand|def|gdef|DeclareMathOperator|let")
MOST_EXPANSIONS = 20_000
#: How many arguments, the first one's default, and the body.
Macros = dict[str, tuple[int, str | None, str]]


def expanded(text: str) -> str:
    """The text with its macros put in, every line in its place."""
    macros: Macros = {"ensuremath": (1, None, "#1"), "xspace": (0, None, "")}
    done: list[str] = []
    count = 0
    while (found := MACRO.search(text)) is not None:
        name, stop = found[1], found.end()
        if DEFINER.fullmatch(name):
            stop = _defined(text, name, found.end(), macros)
            value = ""
        elif name in macros and count < MOST_EXPANSIONS:
            value, stop = _value(text, found.end(1), *macros[name])
            count += 1
        elif name in macros:
            raise ParseError(f"the macro \\{name} does not come to an end")
        else:
            done.append(text[:stop])
            text = text[stop:]
            continue
        done.append(text[: found.start()])
        text = value + "\n" * text.count("\n", found.start(), stop) + text[stop:]
    return "".join([*done, text]).replace("\x03", "\\")  # what `let` keeps


def _defined(text: str, word: str, at: int, macros: Macros) -> int:
    """Note the macro that is defined here; where the definition ends."""
    head = re.compile(
        r"\s*\{?\s*\\([A-Za-z@]+)\s*\}?\s*(?:\[(\d)\])?\s*(?:\[([^\]]*)\])?((?:#\d)*)\s*=?\s*"
    ).match(text, at)
    if head is None:
        return at
    name, number, default, parameters = head.groups()
    if word == "let":
        other = MACRO.match(text, head.end())
        if other is None:
            return at
        macros[name] = macros.get(other[1], (0, None, f"\x03{other[1]} "))
        return other.end()
    if text[head.end() : head.end() + 1] != "{":  # with arguments that words delimit
        macros.pop(name, None)
        return at
    stop = _end(text, head.end())
    body = text[head.end() + 1 : stop - 1].replace("\n", " ")
    if word == "DeclareMathOperator":
        body = rf"\operatorname{{{body}}}"
    if word != "providecommand" or name not in macros:
        macros[name] = (int(number or len(parameters) // 2), default, body)
    return stop


def _value(text: str, at: int, count: int, default: str | None, body: str) -> tuple[str, int]:
    """What stands in place of a macro, and where its arguments end."""
    given = []
    for k in range(count):
        space = re.compile(r"\s*").match(text, at)
        at = space.end() if space is not None else at
        option = re.compile(r"\[([^\]]*)\]").match(text, at)
        if k == 0 and default is not None:
            given.append(option[1] if option is not None else default)
            at = option.end() if option is not None else at
            continue
        name = MACRO.match(text, at)
        stop = _end(text, at) if text[at : at + 1] == "{" else name.end() if name else at + 1
        given.append(text[at + 1 : stop - 1] if text[at : at + 1] == "{" else text[at:stop])
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
        if (unclosed := UNCLOSED.search(between)) is not None:
            above = between.count("\n", unclosed.start())
            yield line - above, Piece("claim", unclosed[0], trouble="the display is not closed")
        group = next((g for g in "abcde" if found[g] is not None), "")
        cue = is_explained if GOES_ON.fullmatch(between) else False
        is_explained = group in ("d", "e") and (cue or EXPLAINS.search(between) is not None)
        if found["declared"] is not None:
            yield line, Piece("declared", found["declared"])
        elif not group:
            yield line, Piece("theorem" if found["theorem"] else "section", "")
        elif group in "abc":
            for below, piece in _claims(found[group]):
                yield line + below, replace(piece, display=number)
        else:
            yield line, Piece("explained" if is_explained else "inline", found[group].strip(" .,;"))
    if (unclosed := UNCLOSED.search(text, before)) is not None:
        line = text.count("\n", 0, unclosed.start())
        yield line, Piece("claim", unclosed[0], trouble="the display is not closed")


def _unboxed(text: str) -> str:
    while (at := text.find(r"\boxed{")) >= 0:
        stop = _end(text, at + 6)
        text = f"{text[:at]} {text[at + 7 : stop - 1].rstrip(' .,;')} {text[stop:]}"
    return text


def _claims(display: str) -> list[tuple[int, Piece]]:
    """The claims of a display, each with the newlines before it; what "where" explains comes first."""
    text = LAYOUT.sub(lambda m: "\n" * m[0].count("\n") + " ", _unboxed(display))
    while (between := INTERTEXT.search(text)) is not None:
        stop = _end(text, between.end() - 1)
        lines = "\n" * text.count("\n", between.start(), stop)
        text = f"{text[: between.start()]}\\\\{lines} {text[stop:]}"
    while FORMULA_IN_WORDS.search(text):
        text = FORMULA_IN_WORDS.sub(lambda m: f"{m[1]}}}{m[2]}\\text{{", text)
    rows = _Rows()
    for mark, start, stop in _segments(text):
        segment = text[start:stop]
        blank = len(segment) - len(segment.lstrip(" &\n"))
        rows.take(mark, segment, text.count("\n", 0, start + blank))
    found = [row for row in rows.found if row[1].trouble or re.search(RELATION, row[1].text)]
    return sorted(found, key=lambda row: row[1].kind != "explained")


def _trimmed(segment: str) -> str:
    """Without the spaces, punctuation and marks of alignment at its ends."""
    return AROUND.sub("", segment)


def _segments(text: str) -> Iterator[tuple[re.Match[str] | None, int, int]]:
    """What stands between the marks outside of brackets, each behind its mark."""
    at, start, depth, mark = 0, 0, 0, None
    while at < len(text):
        found = MARK.match(text, at) if depth <= 0 and text[at - 1 : at] not in ("_", "^") else None
        if found is not None and not _is_name(found):
            yield mark, start, at
            mark, start, at = found, found.end(), found.end()
            continue
        depth += (text[at] in "([{") - (text[at] in ")]}")
        depth += text.startswith("\\begin{", at) - text.startswith("\\end{", at)
        at += 2 if text[at] == "\\" else 1
    yield mark, start, len(text)


def _said(mark: re.Match[str]) -> str:
    return " ".join((mark["said"] or "").lower().replace("~", " ").strip(" ,.:;").split())


def _is_name(mark: re.Match[str]) -> bool:
    """`\\text{loss}`: one word that is a name in a formula."""
    words = _said(mark)
    is_known = any(k.fullmatch(words) for k in (CONDITION, WHERE, JOINS, REMARK, NO_NAME))
    return re.fullmatch(r"[A-Za-z]+", mark["said"] or "") is not None and not is_known


class _Rows:
    """The claims of a display, as its segments are taken one by one."""

    def __init__(self) -> None:
        self.found: list[tuple[int, Piece]] = []
        self.waiting: tuple[str, ...] = ()
        self.role, self.label, self.words, self.row = "new", "", "", 0

    def take(self, mark: re.Match[str] | None, segment: str, line: int) -> None:
        """Take a segment for a claim, more of the claim before, or a condition beside it."""
        if mark is not None and mark["label"] is not None:
            key = mark["key"]
            if self.found and not self.label:
                at, piece = self.found[-1]
                self.found[-1] = at, replace(piece, label=piece.label or key)
            else:
                self.label = key
            role = "more" if self.found else self.role
        else:
            role = self._role(mark)
        if mark is not None and mark["row"]:
            self.role = self.role if self.role in ("follows", "where") else "new"
            self.row = len(self.found)
        bare = _trimmed(segment)
        if not bare or re.fullmatch(r"\(\d+(?:\.\d+)*[a-z]?\)|\\[,;!: ]", bare):
            self.role = role if role not in ("more", "beside", "remark") else self.role
            return
        if role == "remark":
            return
        role, self.role = (
            (self.role if role in ("new", "beside") and self.role != "new" else role),
            "new",
        )
        bracketed = BRACKETED.fullmatch(bare) if self.found and role == "beside" else None
        if role == "beside" and self.found and (bracketed or BESIDE.fullmatch(bare)):
            role, bare = "condition", bracketed[1].strip() if bracketed else bare
        has_relation = re.search(RELATION, bare) is not None
        goes_on = LINK.match(segment) is not None or not has_relation
        if role == "condition":
            self._beside(bare)
        elif role == "trouble":
            self.found.append((line, Piece("claim", bare, trouble=self.words)))
        elif self.found and (role == "more" or (role in ("new", "beside") and goes_on)):
            at, piece = self.found[-1]
            self.found[-1] = (
                at,
                replace(piece, text=f"{_trimmed(piece.text)} {_trimmed(segment)}"),
            )
        else:
            kind = "explained" if role == "where" else "claim"
            piece = Piece(kind, bare, conditions=self.waiting, label=self.label)
            if role == "follows" and self.found:
                at, premise = self.found[-1]
                self.found[-1] = at, replace(premise, leads=True)
                piece = replace(piece, premise=premise.text)
            self.found.append((line, piece))
            self.label, self.waiting = "", ()

    def _role(self, mark: re.Match[str] | None) -> str:
        if mark is None or mark["row"] is not None:
            return "new"
        if mark["apart"] is not None:
            return "beside"
        if mark["implies"] is not None:
            return "follows"
        words = _said(mark)
        if mark["forall"] is not None or CONDITION.fullmatch(words):
            return "condition"
        if WHERE.fullmatch(words):
            return "where"
        if JOINS.fullmatch(words):
            return "beside"
        if REMARK.fullmatch(words):
            return "remark"
        self.words = f"what the words {mark['said'].strip()!r} make of it is not understood"
        if not EQUALITY.fullmatch(words):
            first = min(self.row, len(self.found) - 1)
            rows = [(at, replace(piece, trouble=self.words)) for at, piece in self.found[first:]]
            self.found[first:] = rows
        return "trouble"

    def _beside(self, condition: str) -> None:
        """A condition of the claim before, or where there is none, of the next one."""
        while (inner := BRACKETED.fullmatch(condition)) is not None:
            condition = inner[1].strip()
        condition = re.sub(rf"({LETTER})\s*\\in\s*\\mathbb\s*\{{?R\}}?", r"\1 real", condition)
        if re.fullmatch(rf"{LETTER}(?:\s*,\s*{LETTER})*", condition):
            return  # "for all N, D"
        if self.found:
            at, piece = self.found[-1]
            self.found[-1] = at, replace(piece, conditions=(*piece.conditions, condition))
        else:
            self.waiting = (*self.waiting, condition)
