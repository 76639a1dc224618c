"""How wide LaTeX is when it is set: an estimate that decides where lines are broken."""

from __future__ import annotations

import re
from functools import lru_cache

RELATIONS = frozenset(
    {r"\sim", r"\to", r"\ge", r"\le", r"\ne", r"\approx", r"\propto", r"\equiv", "=", "<", ">"}
)
OPERATORS = RELATIONS | frozenset({"+", "-", r"\times"})
WIDTHS = {
    r"\qquad": 20,
    r"\quad": 10,
    r"\iff": 27,
    r"\implies": 27,
    r"\Rightarrow": 16,
    r"\log": 15,
    r"\exp": 17,
    r"\max": 17,
    r"\min": 17,
    r"\left": 4,
    r"\right": 4,
    r"\biggl": 5,
    r"\biggr": 5,
    r"\nabla": 8,
    r"\sum": 15,
    r"\prod": 14,
    r"\,": 2,
    r"\;": 3,
    r"\!": -2,
    r"\ ": 3,
    ",": 5,
    ";": 5,
    "(": 4,
    ")": 4,
    "'": 3,
    "&": 0,
}
#: Commands that change the size or the style of what follows.
INVISIBLE = frozenset(
    {
        r"\bigl",
        r"\bigr",
        r"\Bigl",
        r"\Bigr",
        r"\big",
        r"\Big",
        r"\displaystyle",
        r"\mathcal",
        r"\mathbb",
    }
)
UPRIGHT = frozenset({r"\operatorname", r"\mathrm", r"\text"})
FRACTIONS = frozenset({r"\frac", r"\tfrac", r"\binom"})

#: In front of the name of a symbol, where symbols are macros: as wide as the symbol, about.
MACRO = r"\iso"

#: Scale of display, text, script and scriptscript style, in tenths.
STYLES = (10, 10, 7, 5)


@lru_cache(maxsize=16_384)
def width(latex: str, style: int = 0) -> int:
    """About how many points wide LaTeX is in a 10pt display; exponents and inner fractions are
    small.
    """
    tenths, position = 0, 0
    while position < len(latex):
        match = TOKEN.match(latex, position)
        assert match is not None
        token, position = match[0], match.end()
        if token in FRACTIONS:
            above, position = group(latex, position)
            below, position = group(latex, position)
            inside = style + 1 if token == r"\frac" else max(style, 1) + 1
            tenths += 10 * (
                max(width(above, inside), width(below, inside)) + (3 if token != r"\binom" else 12)
            )
        elif token in "^_":
            inner, position = group(latex, position)
            tenths += 10 * (width(inner, max(style, 1) + 1) + 1)
        elif token in UPRIGHT:
            inner, position = group(latex, position)
            tenths += (5 * len(inner) + 1) * STYLES[min(style, 3)]
        else:
            tenths += _token_width(token) * STYLES[min(style, 3)]
    return -(-tenths // 10)


TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


def _token_width(token: str) -> int:
    token = token.removeprefix(MACRO)
    if token in WIDTHS:
        return WIDTHS[token]
    if token in OPERATORS:
        return 13
    if token.isspace() or token in "{}" or token in INVISIBLE:
        return 0
    return 8 if token[:1].isupper() else 6


def group(text: str, start: int) -> tuple[str, int]:
    """The braced group (or single token) at `start`, and where it ends."""
    if text[start : start + 1] != "{":
        match = TOKEN.match(text, start)
        return (match[0], match.end()) if match else ("", start + 1)
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] == "{") - (text[position] == "}")
        if depth == 0:
            return text[start + 1 : position], position + 1
    return text[start + 1 :], len(text)
