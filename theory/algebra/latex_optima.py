"""Least values, sums and products in LaTeX: what is varied below the operator, and what it is of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .building import FUNCTIONS
from .latex_names import spelt
from .latex_table import CLOSING, OPENING, RELATIONS, SUBJECT_TO, WORDS_OF_THREE
from .tokens import ParseError, Token, in_parentheses, name_token, operator

if TYPE_CHECKING:
    from .latex_input import LatexReader

LONGEST_SUM = 50


def extremum(reader: LatexReader, name: str, at: int) -> Iterable[Token]:
    """`\\max(a, b)`; `\\min_{N, D} L(N, D)`; `\\arg\\min_{N, D : 6ND = C} L(N, D)`."""
    if name == "arg":
        kind = reader.take("min").text
        if kind not in (r"\min", r"\max"):
            raise reader.error("cannot read", r"\arg", at)
        name = "arg" + kind[1:]
    piece = reader.peek()
    if piece is not None and piece.text == "_":
        reader.next += 1
        start = reader.pieces[reader.next].position if reader.next < len(reader.pieces) else at
        reader.raw("a variable")
        last = reader.pieces[reader.next - 1]
        stop = last.position + len(last.text)
        return optimum_of(reader, name, at, type(reader)(reader.text, start, stop))
    if name in ("argmin", "argmax"):
        raise reader.error("variables are expected below", rf"\{name}", at)
    if piece is None or piece.text not in ("(", "[", r"\{", r"\lbrace"):
        raise reader.error("parentheses are expected behind", rf"\{name}", at)
    closing = {"(": ")", "[": "]"}.get(piece.text, r"\}")
    reader.next += 1
    inside = reader.until(closing, piece)
    return [name_token(name, at), *in_parentheses(inside, piece.position)]


def optimum_of(reader: LatexReader, name: str, at: int, below: LatexReader) -> Iterator[Token]:
    """What is varied, and under which budget, and the one factor that is minimised."""
    if name not in ("min", "argmin"):
        raise reader.error("cannot read", rf"\{name}", at, ": only a least loss has a meaning")
    first, last = below.pieces[0], below.pieces[-1]
    start, stop = first.position, last.position + len(last.text)
    source = reader.text[start:stop]
    split = SUBJECT_TO.search(source)
    middle = start + split.start() if split is not None else stop
    opened = source.startswith("{")
    substack = re.match(r"\{\s*\\substack\s*\{", source)
    inner = start + (substack.end() if substack is not None else opened)
    variables = type(reader)(reader.text, inner, middle if split is not None else stop - opened)
    yield Token("mark", "argmin" if name == "argmin" else "minimum", at)
    yield operator("[", at)
    yield from variables.everything()
    if split is not None:
        yield Token("mark", "under", middle)
        yield from _constraint(reader, start + split.end(), stop - opened - (substack is not None))
    yield operator("]", at)
    yield from in_parentheses(_objective(reader, name), at)


def _constraint(reader: LatexReader, start: int, stop: int) -> Iterator[Token]:
    """`6ND = C`, also `\\text{s.t. FLOPs}(N, D) = C`, in which the budget is named alone."""
    if reader.text[start:stop].count("}") > reader.text[start:stop].count("{"):
        brace = reader.text.index("}", start)
        word = reader.text[start:brace].strip()
        start = brace + 1
        if word:
            yield name_token(f'"{word}"', start)
    for token in type(reader)(reader.text, start, stop).everything():
        is_relation = token.kind == "relation"
        yield Token("mark", token.text, token.position) if is_relation else token


def _objective(reader: LatexReader, name: str) -> list[Token]:
    tokens = _factors(reader, stops=(",",))
    sign = reader.peek()
    if sign is not None and sign.text in ("+", "-"):
        rest = f": parentheses are expected around what \\{name} is of"
        raise reader.error("ambiguous", sign.text, sign.position, rest)
    if not tokens:
        raise ParseError.at_end(reader.text, "what is minimised")
    return tokens


def _factors(
    reader: LatexReader, stops: Sequence[str], before: Sequence[Token] = ()
) -> list[Token]:
    """What stands before the next sign, relation, or end of the group."""
    tokens = [*before]
    depth = 0
    while (piece := reader.peek()) is not None and not _is_relation(piece):
        ends = (*CLOSING, "}", "+", "-", *stops, *(["|"] if reader.open_bars else []))
        if depth == 0 and piece.text in ends:
            break
        depth += (piece.text in OPENING) - (piece.text in CLOSING)
        tokens += reader.item(tokens)
    return tokens


def _is_relation(piece: Token) -> bool:
    return piece.text in ("=", "<", ">", ":") or (
        piece.kind == "command" and piece.text[1:] in {*RELATIONS, "overset", "stackrel", "colon"}
    )


def series(reader: LatexReader, name: str, at: int) -> Iterator[Token]:
    """A sum or a product over an index with numbers for bounds, written out."""
    bounds: dict[str, str] = {}
    while (piece := reader.peek()) is not None and piece.text in ("_", "^") and len(bounds) < 2:
        reader.next += 1
        bounds[piece.text] = reader.raw("a bound")
    lower = re.fullmatch(r"([a-zA-Z])\s*=\s*([0-9]+)", bounds.get("_", ""))
    upper = re.fullmatch(r"[0-9]+", bounds.get("^", ""))
    listed = re.fullmatch(
        r"([a-zA-Z])\s*\\in\s*\\\{\s*([0-9]+(?:\s*,\s*[0-9]+)*)\s*\\\}", bounds.get("_", "")
    )
    if lower is not None and upper is not None:
        index = lower[1]
        count = int(upper[0]) - int(lower[2]) + 1
        if not 0 < count <= LONGEST_SUM:
            rest = f": of {count} terms; 1 to {LONGEST_SUM} are read"
            raise reader.error("cannot read", rf"\{name}", at, rest)
        values = [str(value) for value in range(int(lower[2]), int(upper[0]) + 1)]
    elif listed is not None and "^" not in bounds:
        index, values = listed[1], [value.strip() for value in listed[2].split(",")]
    else:
        rest = ": its bounds are no numbers; write out its terms"
        raise reader.error("cannot read", rf"\{name}", at, rest)
    body = _term(reader, index, name)
    _refuse_unclear_index(reader, body, index)
    if index in FUNCTIONS or any(token.text == index == "e" for token in body):
        raise reader.error("cannot read", rf"\{name}", at, f": {index} is no index")
    terms: list[Token] = []
    for value in values:
        term = [part for token in body for part in _at_index(token, index, value)]
        sign = [operator("+" if name == "sum" else "*", at)] if terms else []
        terms += [*sign, *in_parentheses(term, at)]
    yield from in_parentheses(terms, at)


def _refuse_unclear_index(reader: LatexReader, body: Sequence[Token], index: str) -> None:
    """In `x_{ij}` one letter may be the index, or the two a word."""
    for token in body:
        for part in token.text.split("_")[1:] if token.kind == "name" else ():
            if index in part and 1 < len(part) < 4 and part not in WORDS_OF_THREE:
                rest = f": whether {part!r} holds the index {index} is not clear; write {index},j"
                raise reader.error("ambiguous", token.text, token.position, rest)


def _term(reader: LatexReader, index: str, name: str) -> list[Token]:
    """The factors up to the next sign, relation or end of the group; what comes behind must not
    have the index.
    """
    tokens = _factors(reader, (",", ";"), reader.item() if reader.at("+", "-") else [])
    if not tokens:
        raise ParseError.at_end(reader.text, f"a term of the {name}")
    start, faces = reader.next, dict(reader.faces)
    rest: list[Token] = []
    depth = 0
    while (piece := reader.peek()) is not None and not _is_relation(piece):
        depth += (piece.text in OPENING) - (piece.text in CLOSING)
        if depth < 0 or piece.text == "}" or (piece.text == "|" and reader.open_bars):
            break
        rest += reader.item(rest)
    later = next((token for token in rest if _has_index(token, index)), None)
    if later is not None:
        complaint = f": parentheses are expected around the terms of the {name}"
        raise reader.error("ambiguous", later.text, later.position, complaint)
    reader.next, reader.faces = start, faces
    return tokens


def _has_index(token: Token, index: str) -> bool:
    return token.kind == "name" and index in token.text.split("_")


def _at_index(token: Token, index: str, value: str) -> list[Token]:
    """The token at one value of an index: `x_i` is x1, and i itself the number."""
    base, *parts = token.text.split("_")
    if token.text == index:
        return in_parentheses([Token("number", value, token.position)], token.position)
    if token.kind != "name" or index not in parts:
        return [token]
    return [
        name_token(spelt(base, [value if p == index else p for p in parts], (), ()), token.position)
    ]
