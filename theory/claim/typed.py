"""The text of a claim: its sides, the relations between them, and claims side by side."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate

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
SEPARATOR = re.compile(
    r"(?<!\d),|,(?!\d{3}(?!\d))|;|\\q?quad(?![A-Za-z])|\\(?:text|mathrm)\{\s*and\s*\}"
    r"|(?<![A-Za-z_\\])and(?![A-Za-z_])"
)


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


def starred(
    tokens: Sequence[Token], known: Collection[str], ends: Sequence[str] = CANNOT_BE_A_FACTOR
) -> list[Token]:
    """`N*(C)`, `D*/N*`: a star behind which no factor can stand, or the argument C, is that of the
    optimum; `N* D*` and `L*(2*C)` may be products as well, and are refused.
    """
    found: list[Token] = []
    for i, token in enumerate(tokens):
        before, after = tokens[i - 1] if i else token, tokens[i + 1 :]
        if token.text != "*" or OPTIMA.get(before.text) not in known:
            found.append(token)
            continue
        inside = _inside(after)
        behind = after[len(inside) + 2 :] if inside else ()
        is_raised = bool(behind) and behind[0].kind == "power"
        is_of_compute = [part.text for part in inside] == ["C"] and not is_raised
        if _ends_there(after, ends) or is_of_compute:
            found[-1] = Token("name", OPTIMA[before.text], before.position)
            continue
        is_spaced = after[0].position > token.position + 1 == before.position + 2
        is_pair = after[0].text in OPTIMA and [t.text for t in after[1:2]] == ["*"]
        has_compute = {part.text for part in inside if part.kind == "name"} == {"C"}
        is_multiple = has_compute and not {"+", "-"} & {part.text for part in inside}
        if is_spaced or is_multiple or (is_pair and _ends_there(after[2:], ends)):
            shown = "".join(
                part.text for part in (after[: len(inside) + 2] if inside else after[:1])
            )
            hint = f"{OPTIMA[before.text]} for the optimum, {before.text} * for a product"
            raise ParseError(f"ambiguous '{before.text}*{shown}': write {hint}")
        found.append(token)
    return found


def _inside(tokens: Sequence[Token]) -> Sequence[Token]:
    """What stands in the bracket with which these tokens begin."""
    depths = list(accumulate((token.text == "(") - (token.text == ")") for token in tokens))
    is_open = bool(tokens) and tokens[0].text == "(" and 0 in depths
    return tokens[1 : depths.index(0)] if is_open else ()


def _ends_there(after: Sequence[Token], ends: Sequence[str]) -> bool:
    """Whether no factor can stand here."""
    return not after or after[0].kind in ("relation", "power") or after[0].text in ends


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


def separated(text: str) -> list[str]:
    """The claims that stand side by side in a text: between commas, semicolons, wide spaces and
    `and`, outside of brackets.
    """
    pieces, start, depth, position = [], 0, 0, 0
    while position < len(text):
        depth += (text[position] in "([{") - (text[position] in ")]}")
        match = SEPARATOR.match(text, position) if depth == 0 else None
        if match is not None:
            pieces.append(text[start:position])
            start = position = match.end()
        else:
            position += 2 if text[position] == "\\" else 1
    return [piece for piece in (*pieces, text[start:]) if piece.strip()]
