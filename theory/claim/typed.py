"""The text of a claim: its sides, the relations between them, and its limit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from ..reader.latex import tokens_of
from ..reader.tokens import OPTIMA, ParseError, Token
from .vocabulary import Vocabulary

RELATION = re.compile(
    r"<=>|=>|==|!=|<=|>=|->|~~|[=<>~≈∝⇒⇔≤≥≠→]|\\[A-Za-z]+|propto|approx|implies|iff"
)
#: The relations as LaTeX has them.
IN_LATEX = {
    "==": "=", "<=": r"\le", ">=": r"\ge", "!=": r"\ne", "propto": r"\propto",
    "approx": r"\approx", "~": r"\sim", "->": r"\to",
}  # fmt: skip
#: `\lim_{r \to 1} P(r) = 1`.
LIM = re.compile(r"\s*\\?lim\s*_\s*\{(?P<to>[^{}]*)\}(?P<body>[^=]+)==?(?P<value>[^=]+)")
#: `P(r) ~ w_N*r^-beta as r -> 0`, and `P \sim w_N r^{-\beta} \text{ as } r \to 0`.
AS = re.compile(
    r"(?P<claim>.+?),?(?:\\q?quad|\s)*(?:\sas\s|\\(?:text|mathrm)\{\s*as\s*\})\s*"
    r"(?P<to>\w+\s*(?:->|→|\\to|\\rightarrow)[^=<>~]+)"
)
LATEX = re.compile(r"\\|\^\*|[_^]\{")  # what no plain text has
CANNOT_BE_A_FACTOR = (")", "]", ",", "/", "*")


def is_latex(text: str) -> bool:
    """Whether a text has what no plain text has."""
    return LATEX.search(text) is not None


def without_dollars(text: str) -> str:
    """`$x = y$` as LaTeX between dollars."""
    inside = re.fullmatch(r"\s*(\${1,2})([^$]+)\1\s*", text)
    return text if inside is None else inside[2]


# -- sides and relations ---------------------------------------------------------------------------


def split(
    text: str, words: Vocabulary, *, latex: bool | None = None
) -> tuple[list[list[Token]], list[Token]]:
    """The tokens of each side, and the relations between them; LaTeX where it looks like it.

    Raises
    ------
    ParseError
        Where there is no relation, or nothing beside one.
    """
    latex = is_latex(text) if latex is None else latex
    tokens = tokens_of(text, latex=latex)
    for token in tokens:
        if token.kind == "number" and "E" in token.text and "E" in words.names:
            number = token.text.lower()
            hint = f": write {number} for the number, 2*E for a product with the irreducible loss"
            raise ParseError.at(text, token.position, f"ambiguous {token.text!r}", hint)
    parts, relations = at_relations(tokens if latex else starred(tokens, words.names))
    if not relations:
        known = "=, !=, <, <=, >, >=, propto, approx, ->, ~ or implies"
        raise ParseError(f"a relation is expected: {known}", text=text)
    for before, relation, after in zip(parts, relations, parts[1:], strict=False):
        if not (before and after):
            missing = f"an expression is missing beside {relation.text!r}"
            raise ParseError.at(text, relation.position, missing)
    return parts, relations


def at_relations(tokens: Iterable[Token]) -> tuple[list[list[Token]], list[Token]]:
    """The tokens of each side, and the relations between the sides."""
    parts: list[list[Token]] = [[]]
    relations: list[Token] = []
    for token in tokens:
        if token.kind == "relation":
            relations.append(token)
            parts.append([])
        else:
            parts[-1].append(token)
    return parts, relations


def starred(tokens: Sequence[Token], known: Collection[str]) -> list[Token]:
    """`N*(C)`, `D*/N*`, `L* - E`: a star behind which no factor can stand, or the argument C, is
    that of the optimum; `N* D*`, `L*-E` and `L*(2*C)` may be products as well, and are refused.
    """
    found: list[Token] = []
    for i, token in enumerate(tokens):
        before, after = tokens[i - 1] if i else token, tokens[i + 1 :]
        if token.text != "*" or OPTIMA.get(before.text) not in known:
            found.append(token)
            continue
        texts = [part.text for part in after[:3]]
        is_of_compute = texts == ["(", "C", ")"] and [t.kind for t in after[3:4]] != ["power"]
        is_over = not after or after[0].kind in ("relation", "power")
        is_close = token.position == before.position + 1
        is_spaced = is_close and bool(after) and after[0].position > token.position + 1
        is_signed = texts[:1] in (["+"], ["-"])
        if is_over or texts[0] in CANNOT_BE_A_FACTOR or is_of_compute or (is_signed and is_spaced):
            found[-1] = Token("name", OPTIMA[before.text], before.position)
            continue
        is_pair = texts[0] in OPTIMA and texts[1:2] == ["*"]
        inside = {part.text for part in _bracket(after) if part.kind == "name" or part.text in "+-"}
        if is_signed or is_spaced or is_pair or inside == {"C"}:
            hint = f"{OPTIMA[before.text]} for the optimum, {before.text} * for a product"
            raise ParseError(f"ambiguous '{before.text}*{texts[0]}': write {hint}")
        found.append(token)
    return found


def _bracket(tokens: Sequence[Token]) -> list[Token]:
    """The bracket with which these tokens begin."""
    depth, found = 0, list[Token]()
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            break
        found.append(token)
    return found


def called(tokens: Sequence[Token]) -> tuple[Token, list[Token]] | None:
    """The name that these tokens are, with its arguments where they are names: `f(x, y)`."""
    if not tokens or tokens[0].kind != "name":
        return None
    name, *rest = tokens
    arguments = rest[1:-1:2]
    marks = [token.text for token in (*rest[:1], *rest[2:-1:2], *rest[-1:])]
    is_call = marks == ["(", *[","] * (len(arguments) - 1), ")"] and bool(arguments)
    is_named = all(token.kind == "name" for token in arguments)
    return (name, arguments) if not rest or (is_call and is_named) else None


# -- what stands in the text -----------------------------------------------------------------------


def spans(text: str, relations: Sequence[Token]) -> list[str]:
    """The sides as they stand in the text."""
    sides, start = [], 0
    for relation in relations:
        sides.append(text[start : relation.position])
        match = RELATION.match(text, relation.position)
        start = match.end() if match is not None else relation.position + 1
    return [*sides, text[start:]]


def sources(text: str, relations: Sequence[Token]) -> list[str]:
    """The sides as they are typed, each on one line."""
    return list(map(in_one_line, spans(text, relations)))


def in_one_line(source: str) -> str:
    """What is typed, without the marks of alignment."""
    return " ".join(source.replace("&", " ").split())


def as_typed(left: str, relation: str, right: str, *, latex: bool = True) -> str:
    """A claim as it would be typed."""
    return f"{left} {IN_LATEX.get(relation, relation) if latex else relation} {right}"


def limit_of(text: str, latex: bool) -> tuple[str, str] | None:
    """A claim on `lim` as one with an arrow, or one that ends in `as r -> 1`, and its limit."""
    if (said := AS.fullmatch(text)) is not None:
        return said["claim"], said["to"]
    match = LIM.fullmatch(text)
    arrow = r"\to" if latex else "->"
    return match and (f"{match['body'].strip()} {arrow} {match['value'].strip()}", match["to"])
