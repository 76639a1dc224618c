"""The signs that a formula in prose gives to letters: `s < 0`, `0 < s < 1`, `s \\in [0, 1]`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..reader.latex import tokenize_latex
from ..reader.tokens import ParseError
from .defined import Sides, name_alone

POSITIVE, NONNEGATIVE, NONZERO = frozenset([1]), frozenset([0, 1]), frozenset([-1, 1])
NEGATIVE, NONPOSITIVE, ANY = frozenset([-1]), frozenset([-1, 0]), frozenset([-1, 0, 1])
Signs = frozenset[int]

#: Not a sign yet: what follows may say it.
NOTHING_YET: Signs = frozenset()
IN = re.compile(r"(?P<left>.+?)\\in(?![A-Za-z])(?P<set>.+)", re.DOTALL)
NUMBERS = re.compile(
    r"\\(?:mathbb|mathbf|mathrm|Bbb)\s*\{?\s*(?P<letter>[RCNZQ])\s*\}?(?P<mark>.*)|\\(?P<bare>R|C|N|Z|Q|Reals)(?P<bared>.*)",
    re.DOTALL,
)
INTERVAL = re.compile(r"(?P<open>[(\[\]])(?P<low>[^,;]+)[,;](?P<high>[^,;]+)(?P<close>[)\]\[])")
INFINITE = re.compile(r"[-+]?\\infty")
ABSOLUTE = re.compile(r"\\left\||\\right\||\\[lr]?vert(?![A-Za-z])|\|")
PIECES = re.compile(r",(?![^{(\[]*[})\]])")
NUMBER = re.compile(
    r"[0-9]+(?:\.[0-9]+)?(?:\s*/\s*[0-9]+)?|\\[dt]?frac\s*\{?[0-9]+\}?\s*\{?[0-9]+\}?"
)
#: `z = -0.3`, `z \\approx -0.3 \\pm 0.1`, `z := x - y`.
VALUED = re.compile(
    r"(?P<letter>[^=<>~]+?)\s*(?:(?<!\\not):?=|\\(?:approx|simeq|equiv|triangleq|coloneqq)(?![A-Za-z]))"
)
WITH_ZERO = re.compile(
    r"(?P<letter>[^<>=]+?)\s*(?:[<>]|\\(?:geq?|leq?|neq?|gt|lt|geqslant|leqslant)(?![A-Za-z]))\s*0\s*"
)
#: `z^2 = 4`.
SQUARED = re.compile(r"(?P<letter>[^=<>~]+?)\s*\^\s*\{?\s*[0-9]*[02468]\s*\}?\s*=")
#: `z \\sim \\mathcal{N}(0, 1)`.
DRAWN = re.compile(
    r"(?P<letter>[^=<>~]+?)\s*(?:\\sim|~)\s*\\(?:mathcal|mathrm|mathsf|text|operatorname)(?![A-Za-z])"
)
MAY_BE_NEGATIVE = re.compile(r"-|\\(?:log|ln)(?![A-Za-z])")
SIZING = re.compile(r"\\(?:left|right|,|;|!|:|quad|qquad|big|Big|bigg|Bigg)(?![A-Za-z])")
RANK = {"<": 1, "<=": 1, ">": -1, ">=": -1}
UP_TO = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge"}


def signs_in(formula: str) -> Iterator[tuple[list[str], Signs | None, bool]]:
    """The letters of each piece with the signs that it gives them; no signs for a piece that is a
    letter alone, which the next piece may speak of.
    """
    for piece in PIECES.split(_tidy(formula)):
        member = IN.fullmatch(piece)
        if member is not None:
            letters = [name for part in member["left"].split(",") for name in _letter(part)]
            signs, discrete = signs_of_set(member["set"].strip())
            yield letters, signs, discrete
        elif name := _letter(piece):
            yield name, NOTHING_YET, False
        else:
            yield from _of_bounds(piece)


def _tidy(formula: str) -> str:
    """Without braces around a relation, and with one sign for `\\not=`."""
    return re.sub(r"\{\s*([<>=])\s*\}", r"\1", re.sub(r"\\not\s*=", r"\\ne ", formula))


def is_of_signs(formula: str) -> bool:
    """Whether it says nothing but the signs of letters."""
    for piece in PIECES.split(_tidy(formula)):
        member = IN.fullmatch(piece)
        bound = WITH_ZERO.fullmatch(piece)
        letter = bound["letter"] if bound is not None else piece
        if member is None and not _letter(letter):
            return False
        if member is not None and NUMBERS.fullmatch(member["set"].strip()) is None:
            return False
    return True


def signs_of_set(text: str) -> tuple[Signs | None, bool]:
    numbers = NUMBERS.fullmatch(text)
    if numbers is not None:
        letter = (numbers["letter"] or numbers["bare"])[0]
        mark = re.sub(r"[\s{}_^]", "", numbers["mark"] or numbers["bared"] or "")
        signs = {"": ANY, "+": POSITIVE, "++": POSITIVE, ">0": POSITIVE, "*": NONZERO}.get(mark)
        if mark in (r"\ge0", r"\geq0", ">=0", r"\geqslant0", "0+", "+0"):
            signs = NONNEGATIVE
        if mark in ("-", "--", "<0"):
            signs = NEGATIVE
        if letter == "N":
            signs = POSITIVE if mark != "0" else NONNEGATIVE
        return (None if letter == "C" else signs), letter in "NZQ"
    interval = INTERVAL.fullmatch(text)
    if interval is None:
        return None, False
    return _between(
        interval["low"], interval["open"] in "(]", interval["high"], interval["close"] in ")["
    ), False


def _of_bounds(piece: str) -> Iterator[tuple[list[str], Signs | None, bool]]:
    """`s < t < 0`: each letter by the numbers that it lies between."""
    for inside in ABSOLUTE.split(piece)[1::2]:
        if name := _letter(inside):
            yield name, ANY, False
    valued = VALUED.match(piece)
    if valued is not None and _letter(valued["letter"]):
        value = re.sub(r"\^\s*\{[^{}]*\}", "", piece[valued.end() :])
        if MAY_BE_NEGATIVE.search(value):
            yield _letter(valued["letter"]), ANY, True
        return
    squared = SQUARED.match(piece)
    if squared is not None and (name := _letter(squared["letter"])):
        yield name, ANY, True
        return
    drawn = DRAWN.match(piece)
    if drawn is not None and (name := _letter(drawn["letter"])):
        yield name, None, False
        return
    sides = Sides.of(piece)
    if sides is None or not sides.relations:
        return
    if [relation.text for relation in sides.relations] == ["!="]:
        if sides.sources[1].strip() == "0" and (name := _letter(sides.sources[0])):
            yield name, NONZERO, False
        return
    signs = [relation.text for relation in sides.relations]
    if not all(sign in RANK for sign in signs) or len({RANK[sign] for sign in signs}) > 1:
        return
    sources = [*sides.sources]
    if RANK[signs[0]] < 0:
        sources, signs = sources[::-1], [sign.replace(">", "<") for sign in signs[::-1]]
    bounds = [None if _letter(source) else _sign(source) for source in sources]
    for i, source in enumerate(sources):
        for letter in map(_letter, source.split(",")):
            low = [k for k in range(i) if bounds[k] is not None]
            high = [k for k in range(i + 1, len(sources)) if bounds[k] is not None]
            if not letter or not (low or high):
                continue
            least = sources[low[-1]] if low else r"-\infty"
            most = sources[high[0]] if high else r"\infty"
            is_above = "<" in signs[low[-1] : i] if low else True
            is_below = "<" in signs[i : high[0]] if high else True
            if not low and bounds[high[0]] == 1:
                continue  # `s < 1` of a letter that is positive
            yield letter, _between(least, is_above, most, is_below), False


def _between(low: str, above: bool, high: str, below: bool) -> Signs | None:
    """The signs of what lies between two bounds, strictly or not."""
    least, most = _sign(low), _sign(high)
    if least is None or most is None:
        return None
    signs = set()
    if least < 0:
        signs.add(-1)
    if (least < 0 or (least == 0 and not above)) and (most > 0 or (most == 0 and not below)):
        signs.add(0)
    if most > 0:
        signs.add(1)
    return frozenset(signs) or None


def _sign(text: str) -> int | None:
    """The sign of a bound: a number, infinity, or a letter, which is positive."""
    text = text.strip().strip("{}")
    sign, size = (-1, text[1:].strip()) if text.startswith("-") else (1, text.removeprefix("+"))
    if INFINITE.fullmatch(size) or _letter(size):
        return sign
    return None if NUMBER.fullmatch(size) is None else sign * bool(re.search("[1-9]", size))


def _letter(text: str) -> list[str]:
    """The name that a formula is, if it is one."""
    if not text.strip():
        return []
    try:
        tokens = tokenize_latex(text)
    except ParseError:
        return []
    named = name_alone(tokens)
    return [named[0]] if named is not None and not named[1] else []


def letters_of(formula: str) -> list[str]:
    """The letters that a formula lists, or of which it gives a bound."""
    names: list[str] = []
    for piece in PIECES.split(_tidy(formula)):
        member = IN.fullmatch(piece)
        sides = None if member is not None else Sides.of(piece)
        if member is not None:
            parts = tuple(member["left"].split(","))
        elif sides is not None and all(r.text in (*RANK, "!=") for r in sides.relations):
            parts = sides.sources
        else:
            parts = () if sides is not None else (piece,)
        names += [name for part in parts for name in _letter(part)]
    return names


def inequalities(formula: str) -> list[str]:
    """A chain or a membership of an interval as bounds: `0 < s < 1` and `s \\in (0, 1)` both say
    `0 < s` and `s < 1`; other formulas are left as they are.
    """
    member = IN.fullmatch(SIZING.sub(" ", formula))
    if member is not None:
        interval = INTERVAL.fullmatch(member["set"].strip())
        return [] if interval is None else _bounds_of(member["left"], interval)
    sides = Sides.of(formula)
    if sides is None or len(sides.relations) < 2:
        return [formula]
    if not all(relation.text in RANK for relation in sides.relations):
        return [formula]
    return [
        f"{left.strip()} {UP_TO[relation.text]} {right.strip()}"
        for left, relation, right in zip(
            sides.sources, sides.relations, sides.sources[1:], strict=False
        )
    ]


def _bounds_of(letters: str, interval: re.Match[str]) -> list[str]:
    low, high = interval["low"].strip(), interval["high"].strip()
    above = ">" if interval["open"] in "(]" else r"\ge"
    below = "<" if interval["close"] in ")[" else r"\le"
    bounds = []
    for letter in map(str.strip, letters.split(",")):
        if not INFINITE.fullmatch(low):
            bounds.append(f"{letter} {above} {low}")
        if not INFINITE.fullmatch(high):
            bounds.append(f"{letter} {below} {high}")
    return bounds
