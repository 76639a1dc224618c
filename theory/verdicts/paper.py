"""The equations of a paper: what stands in displayed mathematics in a LaTeX document, or between two
markers of it.

Nothing is moved: labels, tags and prose are blanked out in place, so that every position in an
equation is one in the document. An aligned display is read as the chain that it is: a row that
begins with a relation continues the row before.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from ..reader.latex import RELATIONS, tokenize_latex
from ..reader.tokens import ParseError
from .document import (
    BEFORE_ORNAMENT,
    PROSE,
    Layout,
    ProseSentence,
    displays,
    end_of_group,
    inline_formulas,
)
from .source import BEGIN, END, TexSource

INNER = ("aligned", "alignedat", "gathered", "split", "subequations")
CASES = ("cases", "dcases", "rcases", "numcases")
ROWS_ARE_NUMBERED = ("align", "gather", "eqnarray", "flalign", "alignat")
#: What is replaced with these marks: words and signs that join claims, words that limit them, a new
#: row, and a sign that draws a conclusion.
AND, WHERE, ROW, SO = "\1", "\2", "\3", "\4"

WHERE_BETWEEN = re.compile(
    r"[\s}]*where[\s,:]*(?:\{|\s|\\(?:small|footnotesize|scriptsize|tiny)(?![A-Za-z]))*"
)
SUBEQUATIONS = re.compile(r"\\(begin|end)\{subequations\}")
NUMBERED_BY_SECTION = re.compile(
    r"\\(?:numberwithin|counterwithin)\*?\{equation\}|\\setcounter\{equation\}"
)
LABEL = re.compile(r"\\label\{([^{}]*)\}")
TAG = re.compile(r"\\tag\*?\{([^{}]*)\}")
UNNUMBERED = re.compile(r"\\(?:nonumber|notag)(?![A-Za-z])")
NESTED = re.compile(r"\\(begin|end)\{[A-Za-z]+\*?\}|(?P<row>\\\\)")
ONE_CASES = re.compile(
    rf"(?:\\left\s*\\\{{\s*)?\\begin\{{(?P<name>{'|'.join(CASES)})\*?\}}(?P<inside>.*?)\\end\{{(?P=name)\*?\}}"
    r"(?:\s*\\right\s*\.)?",
    re.DOTALL,
)
OTHERWISE = re.compile(r"\s*(?:\\text\w*\{|\\mbox\{)?\s*(?:otherwise|else)\b", re.IGNORECASE)
CUE = re.compile(
    r"(?:^|[^A-Za-z])(?P<word>where|let|letting|set|setting|put|define[sd]?|defining|denote[sd]?|denoting|with|write|writing)"
    r"(?:[\s~,:]|by|we|the|as|now|us)*\Z",
    re.IGNORECASE,
)
INTRODUCED = ("=", r"\equiv", r"\triangleq", r"\coloneqq", r"\propto")
LISTED = re.compile(r"[\s~,;]*(?:and)?[\s~,;]*")
INNER_MARK = re.compile(
    rf"\\(?:begin|end)\{{(?:{'|'.join(INNER)})\*?\}}(?:\[[a-z]\]|\{{[0-9]+\}})?"
)
LEFT_OUT = re.compile(
    r"\\(?:nonumber|notag|allowbreak|label|tag\*?|hspace\*?|vspace\*?|phantom|hphantom|vphantom|footnotemark|displaybreak|qedhere)(?![A-Za-z])"
)
NEW_ROW = re.compile(r"\\\\\*?(?:[ \t]*\[[^\]\n]*\])?")
WIDE_SPACE = re.compile(r"\\qq?uad(?![A-Za-z])")
WORD_THAT_LIMITS = re.compile(
    r"[\s(]*(?:and\s+|all\s+)?(?:for|where|when|whenever|if|iff|with|as|at|provided|given|under|only|assuming|unless|except|subject\s+to"
    r"|such\s+that|equality|s\.\s?t\.)(?![A-Za-z])",
    re.IGNORECASE,
)
WORD_THAT_TURNS = re.compile(
    r"\b(?:equality|equal|only|iff|not|or|unless|except|either|neither|no)\b", re.IGNORECASE
)
WORD_THAT_JOINS = re.compile(
    r"[\s~,;:.(]*(?:(?:and|or|so|so\s+that|hence|thus|then|that\s+is|i\.\s?e\.|e\.\s?g\.|namely|therefore|while|but|also"
    r"|respectively|resp\.|equivalently|consequently|similarly|likewise|finally"
    r"|(?:which|this|it)\s+(?:gives|yields|means|implies|is)|(?:we\s+)?(?:have|get|obtain|find)|it\s+follows\s+that"
    r"|(?:by|from|using|see)\s[^$]*|say|where|here|since\s+then)[\s~,;:.)]*)*",
    re.IGNORECASE,
)
IMPLIES = re.compile(
    r"\\(?:(?P<so>implies|Rightarrow|Longrightarrow)|impliedby|iff|Leftrightarrow|Longleftrightarrow|therefore|because|land|wedge)"
    r"(?![A-Za-z])"
)
#: Before prose, where that is no factor.
APART = re.compile(r"(?:\\qq?uad|\\[,;:! ]|[,;~])[\s~]*\Z")
QUANTIFIED = re.compile(r"^(?:\s|\\[,;:! ])*(?:(?:all|every|any|each)\b)?\s*")
PROVIDED = re.compile(
    r"[\s}]*(?:provided|assuming|as\s+long\s+as|given|under|subject\s+to|if|when|whenever)"
    r"(?:\s+that)?[\s,:]*"
)
NUMBER_BY_HAND = re.compile(
    r"(?:[\s&]|\\[,;:! ])*\(\s*[A-Z]?[0-9]+(?:\.[0-9]+)*[a-z]?\s*\)[\s.,;]*"
)
OTHERWISE_HOLDS = r"\text{otherwise}"
#: How many characters of prose before a display may say what it is about.
CONTEXT = 700
OTHER_RELATIONS = (
    "propto",
    "approx",
    "simeq",
    "cong",
    "asymp",
    "lesssim",
    "gtrsim",
    "ll",
    "gg",
    "in",
)
NAMED_RELATIONS = "|".join(sorted({*RELATIONS, *OTHER_RELATIONS}, key=len, reverse=True))
RELATION = re.compile(rf"->|[=<>]|(?:\\(?:{NAMED_RELATIONS})(?![A-Za-z]))")
#: How a row begins that continues the one before: with a relation or a sign.
GOES_ON = re.compile(
    rf"[\s&{{}}]*(?:{RELATION.pattern}|[-+]|\\(?:times|cdot|quad|qquad)(?![A-Za-z]))"
)
STRICT = {"<", ">", r"\lt", r"\gt", r"\ne", r"\neq"}
IN_PARENTHESES = re.compile(r"[\s&]*(?:\\left)?\((?P<inside>.*?)(?:\\right)?\)[\s&.,;]*", re.DOTALL)
LIMIT = re.compile(
    r"\s*\\?[A-Za-z]+\s*(?:->|\\(?:to|rightarrow|longrightarrow)(?![A-Za-z]))\s*(?:0(?:\^\{?\+\}?)?|\+?\\infty)[\s.,;]*"
)
#: A row that begins so has more factors of the row before.
FACTOR = re.compile(r"[\s&]*\\(?:times|cdot)(?![A-Za-z])")
TRAILING = re.compile(r"(?:[\s&.,;:]|\\[,;:! ]|\\qq?uad)+\Z")
EMPTY = re.compile(r"(?:[\s&.,;!:]|\\[,;:! ]|\\qq?uad(?![A-Za-z]))*")


NO_WORDS = ProseSentence(0, 0, "", ())


@dataclass(frozen=True)
class PrintedEquation:
    """One claim of a file.

    Attributes
    ----------
    text : str
        Its LaTeX, blank where the file has what is no part of the formula.
    start : int
        The position of the text in the file.
    conditions : tuple of str
        What is said of its domain or limit beside it: `r > 1`, `r \\to 0`.
    """

    text: str
    start: int
    conditions: tuple[str, ...] = ()
    unclear: str = ""
    """Prose beside it that says more than a condition, as "with equality if and only if"."""
    definitions: tuple[str, ...] = ()
    """Names that a display after the word "where" explains: `X_1 = \\frac{A}{B}`."""
    display: tuple[int, int] = (0, 0)
    """Where the display begins and ends that holds it."""
    number: str | None = None
    label: str | None = None
    cue: str = ""
    """The word that introduces it, where that is one as `let` or `where`."""
    prose: str = ""
    """The text of the section before it, as far as it can belong to it."""
    sentence: ProseSentence = NO_WORDS
    """The beginning of the sentence in which its display stands."""
    is_inline: bool = False
    is_branch: bool = False
    is_premise: bool = False
    """Whether a sign of conclusion follows."""
    premises: tuple[str, ...] = ()
    """The equations from which such signs draw it."""

    @property
    def first(self) -> int:
        """Where its first sign stands."""
        return self.start + len(self.text) - len(self.text.lstrip(" &\n\t"))

    @property
    def shown(self) -> str:
        """The formula on one line."""
        return " ".join(self.text.replace("&", " ").split())

    @property
    def limit(self) -> str | None:
        """The limit among the conditions."""
        return next((text for text in self.conditions if LIMIT.fullmatch(text)), None)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The conditions on the domain."""
        return tuple(text for text in self.conditions if not LIMIT.fullmatch(text))


def equations(
    source: TexSource,
    *,
    begin: str | None = None,
    end: str | None = None,
    known: Collection[str] = (),
) -> list[PrintedEquation]:
    """The claims of a document, in their order: those of its displays, and of its prose what a word
    such as "where" or "let" introduces.

    Parameters
    ----------
    source : TexSource
    begin, end : str, optional
        Markers, each as it stands in the document; there may be several marked regions. By default
        `% isoflop: begin` and `% isoflop: end` where the document has them, else all is read.
    known : collection of str
        Names that mean something, so that no equation defines them.

    Raises
    ------
    ParseError
        Where a marker is missing or out of order, a display is never closed, or there is no claim.
    """
    for name, marker in (("begin", begin), ("end", end)):
        if marker is not None and not marker.strip():
            raise ParseError(f"{name}={marker!r}: must not be blank")
    spans = list(regions(source, begin, end))
    rows = list(_numbered_rows(source.text))
    found = [
        claim
        for start, stop in spans
        for claim in (
            *_explained(source, start, stop, known),
            *_introduced(source.layout, start, stop),
        )
    ]
    found.sort(key=lambda claim: claim.start)
    if not found:
        between = f" between {begin or BEGIN!r} and {end or END!r}"
        is_marked = begin or end or BEGIN in source.text
        raise ParseError(f"no displayed equation stands{between if is_marked else ' in it'}")
    return [_with_number(claim, rows) for claim in found]


def regions(source: TexSource, begin: str | None, end: str | None) -> Iterator[tuple[int, int]]:
    """Where what is to be read begins and ends in the document."""
    text = source.text
    position = text.find(begin or BEGIN)
    if position < 0 and (begin or (end and end in text)):
        others = r"others can be named, as '\begin{document}' and '\end{document}'"
        raise ParseError(f"the marker {begin or BEGIN!r} is missing; {others}")
    if position < 0 and end and end not in text:
        raise ParseError(f"the marker {end!r} is missing")
    if position < 0:
        last = text.rfind(r"\end{document}")
        yield max(text.find(r"\begin{document}"), 0), len(text) if last < 0 else last
    begin, end = begin or BEGIN, end or END
    while position >= 0:
        start = position + len(begin)
        stop = text.find(end, start)
        if stop < 0:
            line = source.place(position).line
            raise ParseError(f"the marker {begin!r} in line {line} has no {end!r} after it")
        yield start, stop
        position = text.find(begin, stop + len(end))


def _explained(
    source: TexSource, start: int, stop: int, known: Collection[str]
) -> Iterator[PrintedEquation]:
    """The claims of each display, with the definitions of the one that a "where" joins to it."""
    text, layout = source.text, source.layout
    before: list[PrintedEquation] = []
    behind = start
    for display in displays(text, start, stop):
        if display.last is None or display.end is None:
            line = source.place(display.start).line
            raise ParseError(
                f"{display.opening!r} in line {line} is not closed by {display.closing!r}"
            )
        opening, end = display.start, display.end
        cue = CUE.search(text[max(behind, opening - 60) : opening])
        word = cue["word"].lower() if cue is not None else ""
        claims = [
            replace(
                claim,
                display=(opening, end),
                prose=_context(layout, start, opening),
                sentence=layout.before(opening),
                cue=word,
                is_branch=is_branch,
            )
            for branch, is_branch in _branches(text[display.first : display.last])
            for claim in _claims(branch, display.first)
        ]
        if before and PROVIDED.fullmatch(text, behind, opening):
            stated = tuple(claim.text.strip() for claim in claims)
            before = [replace(claim, conditions=claim.conditions + stated) for claim in before]
            claims = []
        if before and WHERE_BETWEEN.fullmatch(text, behind, opening):
            defined = [claim for claim in claims if _defines(claim.text, known)]
            texts = tuple(claim.text for claim in defined)
            before = [replace(claim, definitions=claim.definitions + texts) for claim in before]
            claims = [claim for claim in claims if claim not in defined]
        if claims:
            yield from before
            before = claims
        behind = end
    yield from before


def _branches(display: str) -> Iterator[tuple[str, bool]]:
    """The display with one branch of its `cases` at a time, the others blank; what follows the `&`
    of a branch is its condition.
    """
    match = ONE_CASES.search(display)
    if match is None:
        yield display, False
        return
    first, last = match.span("inside")
    ends = [row.end() for row in NEW_ROW.finditer(display, first, last)]
    for start, stop in pairwise([first, *ends, last]):
        branch = NEW_ROW.sub("", display[start:stop])
        if not branch.strip():
            continue
        value, ampersand, condition = branch.partition("&")
        if OTHERWISE.match(condition):
            condition = OTHERWISE_HOLDS
        kept = value + (WHERE if ampersand else "") + condition
        kept = kept[: stop - start].ljust(stop - start)
        before, after = (
            re.sub(r"[^\n]", " ", part)
            for part in (display[match.start() : start], display[stop : match.end()])
        )
        rest = display[: match.start()] + before + kept + after + display[match.end() :]
        for nested, _ in _branches(rest):
            yield nested, True


def _introduced(layout: Layout, start: int, stop: int) -> Iterator[PrintedEquation]:
    """The claims of the prose that a word such as "where" introduces."""
    cue, before = "", start
    for formula in inline_formulas(layout.prose, start, stop):
        between = layout.prose[before : formula.start]
        found = CUE.search(between)
        cue = (
            found["word"].lower() if found is not None else cue if LISTED.fullmatch(between) else ""
        )
        before = formula.end
        relation = RELATION.search(formula.text)
        if relation is None or not (cue and relation.group() in INTRODUCED):
            continue
        for claim in _claims(formula.text, formula.first):
            yield replace(
                claim,
                display=(formula.start, formula.end),
                prose=_context(layout, start, formula.first),
                sentence=layout.before(formula.start),
                cue=cue,
                is_inline=True,
            )


def _context(layout: Layout, start: int, at: int) -> str:
    """The prose of the section before a place, as far as it can say what stands there is about."""
    section = max((one for one in layout.headings if start <= one < at), default=start)
    return layout.text[max(section, at - CONTEXT) : at]


# -- numbers and labels ------------------------------------------------------------------------------------------------


def _numbered_rows(text: str) -> Iterator[tuple[int, int, str | None, str | None]]:
    """Where each row of each display begins and ends, its number where that is certain, and its
    label.
    """
    count = 0
    is_certain = NUMBERED_BY_SECTION.search(text) is None
    groups = [(match.start(), match[1]) for match in SUBEQUATIONS.finditer(text)]
    inside, letter = False, 0
    for display in displays(text):
        name, last = display.name, display.last
        if last is None:
            return
        while groups and groups[0][0] < display.start:
            inside, letter = groups.pop(0)[1] == "begin", 0
            count += inside
        bare = name.rstrip("*")
        is_numbered = bool(name) and not name.endswith("*") and bare != "displaymath"
        cuts = _row_ends(text[display.first : last]) if bare in ROWS_ARE_NUMBERED else []
        ends = [display.first + cut for cut in cuts]
        for first, stop in pairwise([display.start, *ends, last]):
            row = text[first:stop]
            label, tag = LABEL.search(row), TAG.search(row)
            number = tag[1] if tag is not None else None
            if is_numbered and tag is None and UNNUMBERED.search(row) is None and row.strip():
                count, letter = (count, letter + 1) if inside else (count + 1, 0)
                suffix = chr(ord("a") + (letter - 1) % 26) if inside else ""
                number = f"{count}{suffix}" if is_certain else None
            yield first, stop, number, label[1] if label is not None else None


def _row_ends(display: str) -> list[int]:
    """Where the rows of an aligned display end, those of what stands inside it aside."""
    depth, ends = 0, []
    for match in NESTED.finditer(display):
        if match["row"] is None:
            depth += 1 if match[1] == "begin" else -1
        elif depth == 0:
            ends.append(match.end())
    return ends


def _with_number(
    claim: PrintedEquation, rows: Sequence[tuple[int, int, str | None, str | None]]
) -> PrintedEquation:
    """The claim with the first number and the first label among the rows over which it stretches."""
    stop = claim.start + len(claim.text)
    own = [row for row in rows if row[0] < stop and row[1] > claim.first]
    number = next((row[2] for row in own if row[2] is not None), None)
    label = next((row[3] for row in own if row[3] is not None), None)
    return replace(claim, number=number, label=label)


# -- displays ----------------------------------------------------------------------------------------------------------


def _defines(text: str, known: Collection[str]) -> bool:
    """Whether a claim is an equality whose left side is a name that means nothing yet."""
    relations = [match.group() for match in RELATION.finditer(text)]
    if relations != ["="]:
        return False
    try:
        left = tokenize_latex(RELATION.split(text)[0].replace("&", " "))
    except ParseError:
        return False
    return len(left) == 1 and left[0].kind == "name" and left[0].text not in known


# -- one display -------------------------------------------------------------------------------------------------------


def _claims(display: str, start: int) -> Iterator[PrintedEquation]:
    """The claims of a display; a part that states a domain or a limit belongs to the claim before
    it.
    """
    text, embedded, unclear = _masked(display)
    current: PrintedEquation | None = None
    premises: tuple[str, ...] = ()
    for first, part, mark in _parts(text):
        bare = _without_parentheses(part)
        is_beside = bare != part or LIMIT.fullmatch(bare) or _is_domain(bare)
        is_joined = mark in (AND, SO) and not (current is not None and current.conditions)
        if mark == WHERE or (is_beside and not is_joined):
            beside = (inside for at, inside in embedded if first <= at + 1 <= first + len(part))
            stated = [*_listed(_without_parentheses(QUANTIFIED.sub("", bare))), *beside]
            if current is not None:
                known = tuple(
                    _trimmed(condition).strip()
                    for condition in stated
                    if not EMPTY.fullmatch(condition)
                )
                current = replace(current, conditions=current.conditions + known)
                continue
        if current is not None:
            is_premise = mark == SO
            premises = (*premises, current.text) if is_premise else ()
            yield replace(current, is_premise=is_premise)
        current = PrintedEquation(_trimmed(part), start + first, unclear=unclear, premises=premises)
    if current is not None:
        yield current


def _trimmed(part: str) -> str:
    """Without the punctuation and the space at its end."""
    while (shorter := TRAILING.sub("", part)) != part:
        part = shorter
    return part


def _masked(display: str) -> tuple[str, list[tuple[int, str]], str]:
    """The display with rows and prose as marks, the mathematics inside its limiting prose with its
    place, and unclear prose.
    """
    text = list(display)
    unclear = ""
    embedded: list[tuple[int, str]] = []

    def blank(first: int, last: int, mark: str = " ") -> None:
        for i in range(first, last):
            text[i] = "\n" if display[i] == "\n" else " "
        text[first] = mark

    for match in INNER_MARK.finditer(display):
        blank(*match.span())
    for match in LEFT_OUT.finditer(display):
        blank(match.start(), end_of_group(display, match.end()))
    for match in PROSE.finditer(display):
        last = end_of_group(display, match.end())
        inside = display[match.end() + 1 : last - 1]
        if BEFORE_ORNAMENT.search(display, 0, match.start()):
            continue
        if WORD_THAT_TURNS.search(inside):
            unclear = " ".join(inside.split())
        if WORD_THAT_LIMITS.match(inside):
            blank(match.start(), last, WHERE)
            embedded += [(match.start(), formula) for formula in re.findall(r"\$([^$]+)\$", inside)]
        elif "intertext" in match.group() or WORD_THAT_JOINS.fullmatch(inside):
            blank(match.start(), last, AND)
        elif re.search(r"[\s~]", inside) or APART.search(display, 0, match.start()):
            unclear = " ".join(inside.split())
            blank(match.start(), last, AND)
    for match in NEW_ROW.finditer("".join(text)):
        blank(*match.span(), ROW)
    for match in IMPLIES.finditer(display):
        blank(*match.span(), SO if match["so"] else AND)
    return "".join(text), embedded, unclear


def _parts(text: str) -> Iterator[tuple[int, str, str]]:
    """Claims and conditions with their places, each with the mark before it."""
    cuts = [(0, 0, AND), *_cuts(text), (len(text), len(text), AND)]
    joined: list[tuple[int, str, str]] = []
    is_after_comma = False
    word = ""
    for (_, first, cut), (stop, _, _) in pairwise(cuts):
        own = text[first:stop]
        mark = word if word and cut == "space" else cut
        word = mark if mark in (AND, SO) and EMPTY.fullmatch(own) else ""
        if (EMPTY.fullmatch(own) or NUMBER_BY_HAND.fullmatch(own)) and mark != WHERE:
            is_after_comma |= mark == ","
            continue
        limits = bool(joined) and joined[-1][2] == WHERE
        if limits and mark == "space" and EMPTY.fullmatch(joined[-1][1]):
            joined[-1] = (first, own, WHERE)
            continue
        before = joined[-1] if joined else None
        begins = is_after_comma and mark == ROW and not GOES_ON.match(own)
        is_after_comma = False
        if (
            before is not None
            and before[2] != WHERE
            and mark not in (AND, WHERE, SO)
            and (
                (_continues(own) and not begins)
                or (RELATION.search(before[1]) is None and mark == ROW)
            )
        ):
            start, earlier, kept = before
            gap = text[start + len(earlier) : first]
            bridge = re.sub(
                rf"[{AND}{WHERE}{ROW}{SO}]",
                " ",
                gap if mark == "," and not _is_link(own) else re.sub("[,;]", " ", gap),
            )
            joined[-1] = (start, earlier + bridge + own, kept)
        else:
            joined.append((first, own, mark))
    yield from joined


def _cuts(text: str) -> Iterator[tuple[int, int, str]]:
    """Where the text may be cut outside parentheses: at prose, commas, wide spaces and rows."""
    depth = 0
    for i, character in enumerate(text):
        escaped = text[i - 1 : i] == "\\"
        if character in "([{" and not (escaped and character != "{"):
            depth += 1
        elif character in ")]}" and not (escaped and character != "}"):
            depth -= 1
        elif character in (AND, WHERE, ROW, SO):
            depth = 0
            yield i, i + 1, character
        elif depth <= 0 and character in ",;" and not escaped:
            yield i, i + 1, ","
        elif depth <= 0 and character == "\\" and (space := WIDE_SPACE.match(text, i)) is not None:
            yield i, space.end(), "space"


def _continues(part: str) -> bool:
    """Whether a part goes on with the claim before: as a link of its chain, or as a piece of its
    last side.
    """
    return _is_link(part) or FACTOR.match(part) is not None or RELATION.search(part) is None


def _is_link(part: str) -> bool:
    return RELATION.match(part.lstrip(" \n\t&")) is not None


def _without_parentheses(part: str) -> str:
    """The relation of a part such as `(r > 1)` or `\\left(r \\to 0\\right)`; any other part as it
    is.
    """
    match = IN_PARENTHESES.fullmatch(part)
    inside = match["inside"] if match is not None else ""
    depths = list(accumulate((character in "([{") - (character in ")]}") for character in inside))
    return (
        inside
        if RELATION.search(inside) is not None and min(depths) >= 0 and depths[-1] == 0
        else part
    )


def _listed(part: str) -> list[str]:
    """The conditions of `beta > gamma, C \\to \\infty`, each a relation of its own."""
    cuts = [0, *(at for at, _, mark in _cuts(part) if mark == ","), len(part)]
    pieces = [part[first:last].strip(" ,;") for first, last in pairwise(cuts)]
    return pieces if all(RELATION.search(piece) for piece in pieces) else [part]


def _is_domain(part: str) -> bool:
    """Whether every relation is strict, as in `r > 1`, with a symbol alone on one side."""
    relations = [match.group() for match in RELATION.finditer(part)]
    sides = [side.strip(" &.,;\n()") for side in RELATION.split(part)]
    return (
        bool(relations)
        and set(relations) <= STRICT
        and any(re.fullmatch(r"\\?[A-Za-z]+", side) for side in sides)
    )
