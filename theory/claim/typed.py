"""The text of a claim: its sides, the relations between them, and claims side by side."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from ..reader.latex import tokens_of
from ..reader.tokens import OPTIMA, ParseError, Token
from .vocabulary import Vocabulary

RELATION = re.compile(
    r"<=>|=>|==|!=|<=|>=|->|~~|[=<>~\u2248\u221d\u21d2\u21d4\u2264\u2265\u2260\u2192]"
    r"|\\[A-Za-z]+|propto|approx|implies|iff"
)
#: Relations that are typed as words, and other spellings of relations.
WORDS = ("propto", "approx", "implies", "iff")
RELATION_NAMES = {
    "=": "==", "~~": "approx", "\u2248": "approx", "\u221d": "propto",
    "=>": "implies", "\u21d2": "implies", "<=>": "iff", "\u21d4": "iff",
}  # fmt: skip
#: The relations as LaTeX has them.
IN_LATEX = {
    "==": "=", "<=": r"\le", ">=": r"\ge", "!=": r"\ne", "propto": r"\propto",
    "approx": r"\approx", "~": r"\sim", "->": r"\to",
}  # fmt: skip
#: `\lim_{r \to 1} P(r) = 1`, and `lim(P(r), r, 1) = 1`.
LIM = re.compile(r"\s*\\?lim\s*_\s*\{(?P<to>[^{}]*)\}(?P<body>[^=]+)==?(?P<value>[^=]+)")
LIM_CALLED = re.compile(
    r"\s*lim\((?P<body>.+),\s*(?P<name>\w+)\s*,\s*(?P<end>[^,()]+)\)\s*==?(?P<value>[^=]+)"
)
LATEX = re.compile(r"\\|\^\*|[_^]\{")  # what no plain text has
CANNOT_BE_A_FACTOR = (")", "]", ",", "/", "*")
SEPARATOR = re.compile(
    r"[,;]|\\q?quad(?![A-Za-z])|\\(?:text|mathrm)\{\s*and\s*\}|(?<![A-Za-z_\\])and(?![A-Za-z_])"
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
    tokens = [
        Token("relation", token.text, token.position) if token.text in WORDS else token
        for token in tokens_of(text, latex=latex)
    ]
    tokens = tokens if latex else starred(tokens, words.names)
    _refuse_capital_exponents(text, tokens, words)
    parts, relations = at_relations(tokens)
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
            name = RELATION_NAMES.get(token.text, token.text)
            relations.append(Token("relation", name, token.position))
            parts.append([])
        else:
            parts[-1].append(token)
    return parts, relations


def _refuse_capital_exponents(text: str, tokens: Iterable[Token], words: Vocabulary) -> None:
    """`2E-3` is a number elsewhere, and here it may be 2*E - 3."""
    for token in tokens:
        if token.kind == "number" and "E" in token.text and "E" in words.names:
            number = token.text.lower()
            hint = f": write {number} for the number, 2*E for a product with the irreducible loss"
            raise ParseError.at(text, token.position, f"ambiguous {token.text!r}", hint)


def starred(
    tokens: Sequence[Token], known: Collection[str], ends: Sequence[str] = CANNOT_BE_A_FACTOR
) -> list[Token]:
    """`N*(C)`, `D*/N*`: a star behind which no factor can stand, or the argument C, is that of the
    optimum.

    Raises
    ------
    ParseError
        Where it may be a product as well: `N* D*`.
    """
    found: list[Token] = []
    for i, token in enumerate(tokens):
        before, after = tokens[i - 1] if i else token, tokens[i + 1 : i + 4]
        if token.text == "*" and OPTIMA.get(before.text) in known:
            if _ends_there(after, ends) or [part.text for part in after] == ["(", "C", ")"]:
                found[-1] = Token("name", OPTIMA[before.text], before.position)
                continue
            is_spaced = after[0].position > token.position + 1 == before.position + 2
            is_pair = after[0].text in OPTIMA and [t.text for t in after[1:2]] == ["*"]
            if is_spaced or (is_pair and _ends_there(tokens[i + 3 : i + 4], ends)):
                both = f"{before.text}*{after[0].text}"
                hint = f"{OPTIMA[before.text]} for the optimum, {before.text} * for a product"
                raise ParseError(f"ambiguous {both!r}: write {hint}")
        found.append(token)
    return found


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


def spans(text: str, relations: Sequence[Token]) -> list[tuple[int, str]]:
    """The sides as they stand in the text, each with its place."""
    sides, start = [], 0
    for relation in relations:
        sides.append((start, text[start : relation.position]))
        match = RELATION.match(text, relation.position)
        start = match.end() if match is not None else relation.position + 1
    return [*sides, (start, text[start:])]


def sources(text: str, relations: Sequence[Token]) -> list[str]:
    """The sides as they are typed, each on one line."""
    return [in_one_line(source) for _, source in spans(text, relations)]


def in_one_line(source: str) -> str:
    """What is typed, without the marks of alignment."""
    return " ".join(source.replace("&", " ").split())


def as_typed(left: str, relation: str, right: str, *, latex: bool = True) -> str:
    """A claim as it would be typed."""
    return f"{left} {IN_LATEX.get(relation, relation) if latex else relation} {right}"


def limit_of(text: str, latex: bool) -> tuple[str, str] | None:
    """A claim on `lim` as one with an arrow, and its limit: `P(r) -> 1` and `r -> 1`."""
    match, called = LIM.fullmatch(text), LIM_CALLED.fullmatch(text)
    if called is not None:
        arrow, to = "->", f"{called['name']} -> {called['end']}"
    elif match is not None:
        arrow, to = r"\to" if latex else "->", match["to"]
    else:
        return None
    found = called or match
    assert found is not None
    return f"{found['body'].strip()} {arrow} {found['value'].strip()}", to


def separated(text: str) -> list[tuple[int, str]]:
    """The claims that stand side by side in a text, each with its place: between commas,
    semicolons, wide spaces and `and`, outside of brackets.
    """
    pieces, start, depth, position = [], 0, 0, 0
    while position < len(text):
        depth += (text[position] in "([{") - (text[position] in ")]}")
        match = SEPARATOR.match(text, position) if depth == 0 else None
        if match is not None:
            pieces.append((start, text[start:position]))
            start = position = match.end()
        else:
            position += 2 if text[position] == "\\" else 1
    pieces.append((start, text[start:]))
    return [(place, piece) for place, piece in pieces if piece.strip()]
