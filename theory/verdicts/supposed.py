"""What the prose before a display supposes: "Let $\\beta > \\gamma$.", "For every $r > 1$ we have"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .paper import CONTEXT, LIMIT, RELATION, PrintedEquation
from .sign_formulas import PIECES, inequalities

#: What holds from there on, and what holds in its sentence alone.
LASTING = r"let|letting|assume|assuming|suppose|supposing|set|take|taking|choose|consider|fix"
PASSING = r"if|when|whenever|for|with|where|under|at|given|provided|case|condition|once|as"
FORMULAS = (
    r"(?![A-Za-z])[^.$;:]{0,30}\$(?P<formulas>[^$]+)\$"
    r"(?P<more>(?:\s*(?:be\s[^.;:$]{1,40}?)?(?:,|\band|,\s*and|\bwith|\bsuch\s+that|\bsatisfying)\s*\$[^$]+\$)*)"
)
LASTINGLY = re.compile(rf"(?<![A-Za-z])(?:{LASTING}){FORMULAS}", re.IGNORECASE)
PASSINGLY = re.compile(rf"(?<![A-Za-z])(?:{PASSING}){FORMULAS}", re.IGNORECASE)
ANNOUNCES = re.compile(
    rf"(?<![A-Za-z])(?:{LASTING}|if|when|whenever|under|given|provided|condition|case)"
    r"(?:\s+that)?[\s,:~]*\Z",
    re.IGNORECASE,
)
LIMIT_AT_THE_END = re.compile(
    r"(?<![A-Za-z])(?:as|for|when|if|in the limit|limit of)\s+\$(?P<limit>[^$]+)\$[\s,:~]*\Z",
    re.IGNORECASE,
)
DENIED = re.compile(
    r"(?:\b(?:not|never|no|nor|cannot|without|unless|neither|except|rather than|regardless|unlike|contrary to"
    r"|in contrast to|as opposed to|instead of)\b|n't\b)[^.;:$]*\$?\s*\Z",
    re.IGNORECASE,
)
LETTER = re.compile(r"\\?[A-Za-z]+(?:_(?:\w|\{\w+\}))?")
SIGN = re.compile(
    rf"(?:{LETTER.pattern})\s*(?P<says>(?:[<>]|\\(?:geq?|leq?|neq?)(?![A-Za-z]))\s*0)"
)
CONDITIONAL = re.compile(
    r"\b(?:if|unless|when|whenever|were|instead|would|for example|inference)\b", re.I
)
#: Words that say for which runs or laws something is meant.
QUALIFIES = re.compile(
    r"(?:larger|smaller|greater|less|lower|higher)\s+than|exceed(?:s|ing)?|beyond|(?:above|below)\s+(?=[a-z$])"
    r"|equal\s+(?:exponents|shares|terms)|(?:are|is)\s+(?:the\s+)?(?:equal|same|large|small)|dominat\w+|negligible"
    r"|ignoring|neglecting|regime|near\s+(?=[a-z$])|(?:small|large)(?=\s+(?!language|scale|set|number|corp)[a-z$])|sufficiently"
    r"|enough|special\s+case|symmetric(?:al)?|(?:over|under)trained|limited",
    re.IGNORECASE,
)
#: "the equation below"
POINTS_THERE = re.compile(
    r"(?:equation|formula|given|shown|see|defined|derived|stated|as)\s*\Z", re.IGNORECASE
)
MATHEMATICS = re.compile(r"\$[^$]*\$|\\\(.*?\\\)|\\begin\{.*?\\end\{[^}]*\}|\\\[.*?\\\]", re.DOTALL)
#: "We drop this assumption."
DROPS = re.compile(
    r"\b(?:drop|lift|relax|remov|abandon|without)\w*\s+(?:this|that|the|these|those|any)\s+(?:last\s+)?"
    r"(?:assumption|condition|restriction|hypothes[ei]s|supposition)s?\b",
    re.IGNORECASE,
)
#: What may follow a formula and take back what it says.
DOUBTED = re.compile(
    r"[^.;:$]*?\b(?:or|false|untrue|wrong|fails?|violated|not|never|no|nothing|unless|otherwise)\b",
    re.IGNORECASE,
)
TURNS_AWAY = re.compile(
    r"(?:otherwise|else|in\s+general|conversely|if\s+not|more\s+generally|without|unless)\b",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"[.]\s")
LISTS = r"itemize|enumerate|description"
NEW_ITEM = re.compile(rf"\\item(?![A-Za-z])|\\(?:begin|end)\{{(?:{LISTS})\}}")
END_OF_ITEM = re.compile(rf"\\item(?![A-Za-z])|\\end\{{(?:{LISTS})\}}")


def denied(prose: str) -> bool:
    """Whether the clause that the prose ends in says that something is not so."""
    sentences = SENTENCE.split(prose)
    return DENIED.search(sentences[-1]) is not None


def announces(prose: str) -> bool:
    """Whether the prose ends in words that make a supposition of the display after them."""
    return ANNOUNCES.search(prose) is not None and not denied(prose)


def is_conditional(prose: str) -> bool:
    """Whether the sentence that the prose ends in says what it says on a condition, or denies it."""
    sentence = SENTENCE.split(prose[-CONTEXT:])[-1]
    return denied(sentence) or CONDITIONAL.search(sentence) is not None


def stated_for_good(text: str) -> Iterator[tuple[int, str, bool]]:
    """What a document lets or assumes, each with where it says so, and whether more is said of it
    than is understood; nothing of a sentence that denies.
    """
    for match in LASTINGLY.finditer(text):
        if not denied(text[max(match.start() - CONTEXT, 0) : match.start()]):
            is_doubtful = DOUBTED.match(text, match.end()) is not None
            for formula in _formulas(match):
                yield match.end(), formula, is_doubtful


def turns_away(equation: PrintedEquation) -> bool:
    """Whether the sentence of an equation is about what is not supposed: "Otherwise,"."""
    return TURNS_AWAY.match(SENTENCE.split(equation.prose)[-1].lstrip()) is not None


def stated_before(equation: PrintedEquation) -> list[str]:
    """What "if" or "for" says in the sentence before a display."""
    if equation.is_inline:
        return []
    prose = equation.prose
    sentence = prose[max((match.end() for match in SENTENCE.finditer(prose)), default=0) :]
    return [
        formula
        for match in PASSINGLY.finditer(sentence)
        if not denied(sentence[: match.start()])
        for formula in _formulas(match)
    ]


def qualified(equation: PrintedEquation) -> str:
    """Words before a display that say where it is meant, and are not understood: "overtrained"."""
    sentence = SENTENCE.split(equation.prose)[-1]
    words = MATHEMATICS.sub(lambda match: "$".ljust(len(match.group())), sentence)
    for match in QUALIFIES.finditer(words):
        if not POINTS_THERE.search(words[: match.start()]):
            return " ".join(match.group().split())
    return ""


def limit_before(equation: PrintedEquation) -> str | None:
    """The limit that the prose names just before a display: "As $r \\to 0$"."""
    said = None if equation.is_inline else LIMIT_AT_THE_END.search(equation.prose)
    if said is None or not LIMIT.fullmatch(said["limit"]) or denied(equation.prose[: said.start()]):
        return None
    return said["limit"]


def end_of_item(text: str, at: int) -> int | None:
    """Where the item of a list ends in which a place of the document lies."""
    marks = [match.group() for match in NEW_ITEM.finditer(text, 0, at)]
    if not marks or marks[-1].startswith(r"\end"):
        return None
    following = END_OF_ITEM.search(text, at)
    return following.start() if following is not None else None


def _formulas(match: re.Match[str]) -> Iterator[str]:
    """The relations between the dollars, none of them a limit; `$a$, $b$ and $c > 0$` says so of
    all three.
    """
    listed: list[str] = []
    for formula in (match["formulas"], *re.findall(r"\$([^$]+)\$", match["more"])):
        pieces = [piece.strip() for piece in PIECES.split(formula)]
        for piece in pieces:
            sign = SIGN.fullmatch(piece)
            if LETTER.fullmatch(piece):
                listed.append(piece)
            elif sign is not None:
                yield from (f"{letter} {sign['says']}" for letter in listed)
                yield piece
                listed = []
        if all(RELATION.search(piece) for piece in pieces):
            for piece in pieces:
                if not LIMIT.fullmatch(piece) and not SIGN.fullmatch(piece):
                    yield from inequalities(piece)
