"""What the prose before a display supposes: "Let $\\beta > \\gamma$.", "For every $r > 1$ we have"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .document import Inline, Layout, ProseSentence
from .paper import LIMIT, RELATION, PrintedEquation
from .sign_formulas import PIECES, inequalities

#: What holds from there on, and what holds in its sentence alone.
LASTING = r"let|letting|assume|assuming|suppose|supposing|set|take|taking|choose|consider|fix"
PASSING = r"if|when|whenever|for|with|where|under|at|given|provided|case|condition|once|as"
#: `\0` are the marks of formulas in a sentence.
FORMULAS = (
    r"(?![A-Za-z])[^.\0;:]{0,31}(?P<formulas>\0[0-9]+\0"
    r"(?:\s*(?:be\s[^.;:\0]{1,40}?)?(?:,|\band|,\s*and|\bwith|\bsuch\s+that|\bsatisfying)\s*\0[0-9]+\0)*)"
)
LASTINGLY = re.compile(rf"(?<![A-Za-z])(?:{LASTING}){FORMULAS}", re.IGNORECASE)
PASSINGLY = re.compile(rf"(?<![A-Za-z])(?:{PASSING}){FORMULAS}", re.IGNORECASE)
ANNOUNCES = re.compile(
    rf"(?<![A-Za-z])(?:{LASTING}|if|when|whenever|under|given|provided|condition|case)"
    r"(?:\s+that)?[\s,:~]*\Z",
    re.IGNORECASE,
)
LIMIT_AT_THE_END = re.compile(
    r"(?<![A-Za-z])(?:as|for|when|if|in the limit|limit of)\s+(?P<limit>\0[0-9]+\0)[\s,:~]*\Z",
    re.IGNORECASE,
)
DENIED = re.compile(
    r"(?:\b(?:not|never|no|nor|cannot|without|unless|neither|except|rather than|regardless|unlike|contrary to"
    r"|in contrast to|as opposed to|instead of)\b|n't\b)[^.;:\0]*\Z",
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
    r"(?:larger|smaller|greater|less|lower|higher)\s+than|exceed(?:s|ing)?|beyond|(?:above|below)\s+(?=[a-z\0])"
    r"|equal\s+(?:exponents|shares|terms)|(?:are|is)\s+(?:the\s+)?(?:equal|same|large|small)|dominat\w+|negligible"
    r"|ignoring|neglecting|regime|near\s+(?=[a-z\0])|(?:small|large)(?=\s+(?!language|scale|set|number|corp)[a-z\0])|sufficiently"
    r"|enough|special\s+case|symmetric(?:al)?|(?:over|under)trained|limited",
    re.IGNORECASE,
)
#: "the equation below"
POINTS_THERE = re.compile(
    r"(?:equation|formula|given|shown|see|defined|derived|stated|as)\s*\Z", re.IGNORECASE
)
#: "We drop this assumption."
DROPS = re.compile(
    r"\b(?:drop|lift|relax|remov|abandon|without)\w*\s+(?:this|that|the|these|those|any)\s+(?:last\s+)?"
    r"(?:assumption|condition|restriction|hypothes[ei]s|supposition)s?\b",
    re.IGNORECASE,
)
#: What may follow a formula and take back what it says.
DOUBTED = re.compile(
    r"[^.;:\0]*?\b(?:or|false|untrue|wrong|fails?|violated|not|never|no|nothing|unless|otherwise)\b",
    re.IGNORECASE,
)
TURNS_AWAY = re.compile(
    r"(?:otherwise|else|in\s+general|conversely|if\s+not|more\s+generally|without|unless)\b",
    re.IGNORECASE,
)


def denied(words: str) -> bool:
    """Whether the clause that the words end in says that something is not so."""
    return DENIED.search(words) is not None


def announces(sentence: ProseSentence) -> bool:
    """Whether the sentence ends in words that make a supposition of the display after them."""
    return ANNOUNCES.search(sentence.text) is not None and not denied(sentence.text)


def is_conditional(sentence: ProseSentence) -> bool:
    """Whether the sentence says what it says on a condition, or denies it."""
    return denied(sentence.text) or CONDITIONAL.search(sentence.text) is not None


def stated_for_good(layout: Layout) -> Iterator[tuple[int, str, bool]]:
    """What a document lets or assumes, each with where it says so, and whether more is said of it
    than is understood; nothing of a sentence that denies.
    """
    for sentence in layout.sentences:
        for match, formulas in _stated(LASTINGLY, sentence):
            is_doubtful = DOUBTED.match(sentence.text, match.end()) is not None
            for relation in _relations(formulas):
                yield formulas[-1].end, relation, is_doubtful


def stated_before(equation: PrintedEquation) -> list[str]:
    """What "if" or "for" says in the sentence before a display."""
    if equation.is_inline:
        return []
    stated = _stated(PASSINGLY, equation.sentence)
    return [relation for _, formulas in stated for relation in _relations(formulas)]


def turns_away(equation: PrintedEquation) -> bool:
    """Whether the sentence of an equation is about what is not supposed: "Otherwise,"."""
    return TURNS_AWAY.match(equation.sentence.text.lstrip()) is not None


def qualified(equation: PrintedEquation) -> str:
    """Words before a display that say where it is meant, and are not understood: "overtrained"."""
    words = equation.sentence.text
    for match in QUALIFIES.finditer(words):
        if not POINTS_THERE.search(words[: match.start()]):
            return " ".join(match.group().split())
    return ""


def limit_before(equation: PrintedEquation) -> str | None:
    """The limit that the prose names just before a display: "As $r \\to 0$"."""
    sentence = equation.sentence
    said = None if equation.is_inline else LIMIT_AT_THE_END.search(sentence.text)
    if said is None or denied(sentence.text[: said.start()]):
        return None
    (limit,) = sentence.formulas_in(said["limit"])
    return limit.text if LIMIT.fullmatch(limit.text) else None


def _stated(
    pattern: re.Pattern[str], sentence: ProseSentence
) -> Iterator[tuple[re.Match[str], list[Inline]]]:
    """Where a sentence states formulas in these words, and does not deny them, and the formulas."""
    for match in pattern.finditer(sentence.text):
        if not denied(sentence.text[: match.start()]):
            yield match, sentence.formulas_in(match["formulas"])


def _relations(formulas: Iterable[Inline]) -> Iterator[str]:
    """The relations, none of them a limit; `$a$, $b$ and $c > 0$` says so of all three."""
    listed: list[str] = []
    for formula in formulas:
        pieces = [piece.strip() for piece in PIECES.split(formula.text)]
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
