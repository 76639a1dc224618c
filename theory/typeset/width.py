r"""How wide LaTeX is when it is set, which decides where lines are broken.

TeX's own rules in short: a formula is a row of atoms (letters, operators, relations, brackets), each
with the width that it has in Computer Modern, and the kinds of two neighbours say what space is
between them. Only heights are guessed: a bracket around a fraction is a tall one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

__all__ = ["MACRO", "RELATIONS", "TOKEN", "group", "width"]

#: In front of the name of a symbol, where symbols are macros: as wide as the symbol.
MACRO = r"\iso"
#: Macros whose letters differ between notations, or have an index: as wide as the widest.
WIDE_MACROS = {
    rf"{MACRO}{name}": points
    for name, points in {"Czero": 1214, "alpha": 1266, "beta": 644, "gamma": 619}.items()
}

#: Per cent of the 10pt size in display, text, script and scriptscript style: small letters are
#: relatively wider.
STYLES = (100, 100, 79, 66)
TEXT, SCRIPT = 1, 2

# -- widths of characters, in hundredths of a point of the 10pt fonts ------------------------------------------


def _table(text: str) -> dict[str, int]:
    words = text.split()
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


#: Letters in mathematics, and what a superscript is moved by (the italic correction).
ITALIC = _table(
    "A 750 B 759 C 715 D 828 E 738 F 643 G 786 H 831 I 440 J 555 K 849 L 681 M 970 N 803 O 763 P 642 "
    "Q 791 R 759 S 613 T 584 U 683 V 583 W 944 X 828 Y 581 Z 683 "
    "a 529 b 429 c 433 d 520 e 466 f 490 g 477 h 576 i 345 j 412 k 521 l 298 m 878 n 600 o 485 p 503 "
    "q 446 r 451 s 469 t 361 u 572 v 485 w 716 x 572 y 490 z 465 "
    r"\alpha 640 \beta 566 \gamma 518 \delta 444 \epsilon 406 \zeta 438 \eta 497 \theta 469 \iota 354 "
    r"\kappa 576 \lambda 583 \mu 603 \nu 494 \xi 438 \pi 570 \rho 517 \sigma 571 \tau 437 \upsilon 540 "
    r"\phi 596 \chi 626 \psi 651 \omega 622 \varepsilon 466 \vartheta 591 \varphi 654 \varrho 517 "
    r"\partial 531 \ell 417"
)
CORRECTION = _table(
    "B 50 C 72 D 28 E 58 F 139 H 81 I 78 J 96 K 72 M 109 N 109 O 28 P 139 R 8 S 58 T 139 U 109 V 222 "
    r"W 139 X 78 Y 222 Z 72 f 108 g 36 j 57 k 31 l 20 q 36 r 28 v 36 w 27 y 36 z 44 \beta 53 \gamma 56 "
    r"\delta 38 \zeta 74 \eta 36 \theta 28 \nu 64 \xi 46 \pi 36 \sigma 36 \tau 113 \upsilon 36 \psi 36 "
    r"\omega 36 \partial 56"
)
#: Upright letters: names of functions and text.
UPRIGHT = _table(
    "A 750 B 708 C 722 D 764 E 681 F 653 G 785 H 750 I 361 J 514 K 778 L 625 M 917 N 750 O 778 P 681 "
    "Q 778 R 736 S 556 T 722 U 750 V 750 W 1028 X 750 Y 750 Z 611 "
    "a 500 b 556 c 444 d 556 e 444 f 306 g 500 h 556 i 278 j 306 k 528 l 278 m 833 n 556 o 500 p 556 "
    "q 528 r 392 s 394 t 389 u 556 v 528 w 722 x 528 y 528 z 444"
)
OTHER = _table(
    r"\Gamma 625 \Delta 833 \Theta 778 \Lambda 694 \Xi 667 \Pi 750 \Sigma 722 \Phi 722 \Psi 778 \Omega 722 "
    r"\infty 1000 \nabla 833 \forall 556 \exists 556 \emptyset 500 \prime 275 \ldots 1172 \cdots 1172 "
    r"\dots 1172 \% 833 \$ 500 \& 778 \# 833 \_ 500 / 500 . 278 ! 278 | 278 ? 472 @ 778 ' 310"
)
RELATION = _table(
    r"= 778 < 778 > 778 : 278 \sim 778 \to 1000 \ge 778 \geq 778 \le 778 \leq 778 \ne 778 \neq 778 "
    r"\approx 778 \propto 778 \equiv 778 \in 667 \mid 278 \ll 1000 \gg 1000 \subset 778 \coloneqq 1056 "
    r"\iff 2414 \implies 2194 \Rightarrow 1000 \Leftrightarrow 1000 \rightarrow 1000 \mapsto 1000"
)
BINARY = _table(
    r"+ 778 - 778 * 500 \times 778 \cdot 278 \pm 778 \mp 778 \cup 667 \cap 667 \circ 500"
)
BRACKETS = _table(
    r"( 389 ) 389 [ 278 ] 278 \{ 500 \} 500 \lvert 278 \rvert 278 \lfloor 444 \rfloor 444 "
    r"\lceil 444 \rceil 444 \langle 389 \rangle 389"
)
OPENING = frozenset({"(", "[", r"\{", r"\lvert", r"\lfloor", r"\lceil", r"\langle"})
LARGE = {r"\sum": (1444, 1056), r"\prod": (1278, 944), r"\int": (1000, 667)}
WITH_LIMITS = frozenset({r"\min", r"\max", r"\lim", r"\sup", r"\inf"}) | LARGE.keys()
SPACES = _table(r"\qquad 2000 \quad 1000 \, 167 \: 222 \; 278 \! -167 ~ 333") | {r"\ ": 333}
NAMED = frozenset(
    {
        r"\log",
        r"\ln",
        r"\exp",
        r"\sin",
        r"\cos",
        r"\tan",
        r"\sinh",
        r"\cosh",
        r"\tanh",
        r"\arg",
        r"\Pr",
    }
    | WITH_LIMITS - LARGE.keys()
)
WORDS = frozenset({r"\operatorname", r"\mathrm", r"\text", r"\textbf", r"\textit", r"\mathbf"})
FRACTIONS = frozenset({r"\frac", r"\tfrac", r"\dfrac", r"\binom"})
#: Sizes of brackets: how wide a parenthesis is.
SIZED = {"big": 458, "Big": 597, "bigg": 736, "Bigg": 792}
SIZE = re.compile(r"\\(big|Big|bigg|Bigg)([lrm]?)$")
#: Brackets around so many storeys of fractions, in a display and in text.
STRETCHED = ((389, 389), (736, 597), (875, 792), (875, 875))

RELATIONS = frozenset(
    {r"\sim", r"\to", r"\ge", r"\le", r"\ne", r"\approx", r"\propto", r"\equiv", "=", "<", ">"}
)

#: Beside a fraction, behind a script, and around the line of a root.
BESIDE_FRACTION, BEHIND_SCRIPT, ROOT, TALL_ROOT = 120, 50, 833, 1000

# -- spaces ----------------------------------------------------------------------------------------------------

ORD, OP, BIN, REL, OPEN, CLOSE, PUNCT, INNER = range(8)
THIN, MEDIUM, THICK = 167, 222, 278
#: What stands between an atom of one kind and of the next; BIN and REL below, in text alone.
THIN_BETWEEN = frozenset({(ORD, OP), (OP, ORD), (OP, OP), (CLOSE, OP), (INNER, OP), (OP, INNER)})
THIN_IN_TEXT = frozenset(
    {(INNER, kind) for kind in (ORD, OPEN, PUNCT, INNER)}
    | {(ORD, INNER), (CLOSE, INNER)}
    | {(PUNCT, kind) for kind in (ORD, OP, REL, OPEN, CLOSE, PUNCT, INNER)}
)


@dataclass(frozen=True)
class Atom:
    """A part of a formula: its kind, its width, and by how much a superscript stands further right."""

    kind: int
    width: int
    correction: int = 0
    limits: bool = False


TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


@lru_cache(maxsize=16_384)
def width(latex: str, style: int = 0) -> int:
    """How many points wide LaTeX is in a formula of 10pt, rounded up; style 0 is a display."""
    return -(-_row(latex, style) // 100)


def _row(latex: str, style: int) -> int:
    """The width of atoms in a row, with the space between them."""
    atoms = _binary_between_two([atom for atom in _atoms(latex, style) if atom.width or atom.kind])
    total = sum(atom.width + atom.correction for atom in atoms)
    return total + sum(_space(left.kind, right.kind, style) for left, right in pairwise(atoms))


def _binary_between_two(atoms: list[Atom]) -> list[Atom]:
    """A minus in front of a formula is no operation."""
    found: list[Atom] = []
    for index, atom in enumerate(atoms):
        before = found[-1].kind if found else OPEN
        after = atoms[index + 1].kind if index + 1 < len(atoms) else CLOSE
        unary = before in (BIN, OP, REL, OPEN, PUNCT) or after in (REL, CLOSE, PUNCT)
        found.append(Atom(ORD, atom.width) if atom.kind == BIN and unary else atom)
    return found


def _space(left: int, right: int, style: int) -> int:
    if (left, right) in THIN_BETWEEN:
        return THIN
    if style >= SCRIPT:
        return 0
    if REL in (left, right):
        return THICK if left != right and left != OPEN and right != CLOSE else 0
    if BIN in (left, right):
        return MEDIUM
    return THIN if (left, right) in THIN_IN_TEXT else 0


def _atoms(latex: str, style: int) -> Iterator[Atom]:
    """The atoms of a formula, each with its scripts."""
    last: Atom | None = None
    below = above = 0
    position = 0
    while position < len(latex):
        token, after = _token(latex, position)
        if token in "^_":
            inner, position = group(latex, after)
            size = _row(inner, min(max(style, TEXT) + 1, 3))
            below, above = (size, above) if token == "_" else (below, size)
            last = last or Atom(ORD, 0)
            continue
        if token.isspace() or token in ("{}", "&", r"\\", r"\limits", r"\notag"):
            position = after
            continue
        if last is not None:
            yield _scripted(last, below, above, style)
        below = above = 0
        last, position = _atom(latex, position, style)
    if last is not None:
        yield _scripted(last, below, above, style)


def _scripted(atom: Atom, below: int, above: int, style: int) -> Atom:
    if not below and not above:
        return atom
    if atom.limits and style == 0:
        return Atom(atom.kind, max(atom.width, below, above))
    lower = atom.width + below
    upper = atom.width + atom.correction + above
    return Atom(atom.kind, max(lower if below else 0, upper if above else 0) + BEHIND_SCRIPT)


def _token(latex: str, position: int) -> tuple[str, int]:
    match = TOKEN.match(latex, position)
    assert match is not None
    return _letter(match[0]), match.end()


def _letter(token: str) -> str:
    """The letter that a macro stands for."""
    name = token.removeprefix(MACRO)
    if name == token:
        return token
    return token if token in WIDE_MACROS else name if len(name) == 1 else f"\\{name}"


def _atom(latex: str, position: int, style: int) -> tuple[Atom, int]:
    """The atom that begins here, and where it ends."""
    scale = STYLES[min(style, 3)]
    token, after = _token(latex, position)
    if token == "{":
        inner, after = group(latex, position)
        return Atom(ORD, _row(inner, style)), after
    if token in FRACTIONS:
        above, after = group(latex, after)
        below, after = group(latex, after)
        inside = min((TEXT if token == r"\tfrac" else 0 if token == r"\dfrac" else style) + 1, 3)
        beside = BESIDE_FRACTION if token != r"\binom" else SIZED["bigg" if style == 0 else "big"]
        return Atom(INNER, max(_row(above, inside), _row(below, inside)) + 2 * beside), after
    if token == r"\sqrt":
        inner, after = group(latex, after)
        return Atom(ORD, _row(inner, style) + (TALL_ROOT if _storeys(inner) else ROOT)), after
    if token == r"\left":
        return _enclosed(latex, after, style)
    if sized := SIZE.match(token):
        bracket, after = group(latex, after)
        kind = {"l": OPEN, "r": CLOSE, "m": REL, "": ORD}[sized[2]]
        return Atom(kind, SIZED[sized[1]] * BRACKETS.get(bracket, 389) // 389), after
    if token in WORDS:
        inner, after = group(latex, after)
        kind = OP if token == r"\operatorname" else ORD
        return Atom(kind, _upright(inner) * scale // 100), after
    if token in NAMED:
        return Atom(OP, _upright(token[1:]) * scale // 100, limits=token in WITH_LIMITS), after
    if token in LARGE:
        return Atom(OP, LARGE[token][min(style, 1)] * scale // 100, limits=True), after
    return _character(token, scale), after


def _character(token: str, scale: int) -> Atom:
    """A letter, a sign, a space; a command that only changes what follows is nothing."""
    if token in SPACES:
        return Atom(ORD, SPACES[token] * scale // 100)
    for kind, widths in ((REL, RELATION), (BIN, BINARY)):
        if token in widths:
            return Atom(kind, widths[token] * scale // 100)
    if token in BRACKETS:
        return Atom(OPEN if token in OPENING else CLOSE, BRACKETS[token] * scale // 100)
    if token in ",;":
        return Atom(PUNCT, 278 * scale // 100)
    if token in WIDE_MACROS:
        return Atom(ORD, WIDE_MACROS[token] * scale // 100)
    if token in ITALIC:
        return Atom(ORD, ITALIC[token] * scale // 100, CORRECTION.get(token, 0) * scale // 100)
    if token.isdigit():
        return Atom(ORD, 500 * scale // 100)
    return Atom(ORD, OTHER.get(token, 0 if token.startswith("\\") else 500) * scale // 100)


def _enclosed(latex: str, start: int, style: int) -> tuple[Atom, int]:
    r"""What stands between ``\left`` and its ``\right``."""
    opening, position = group(latex, start)
    begin, depth = position, 1
    while depth and position < len(latex):
        token, position = _token(latex, position)
        depth += (token == r"\left") - (token == r"\right")
    inner = latex[begin : position - len(r"\right")]
    closing, position = group(latex, position)
    size = STRETCHED[min(_storeys(inner), len(STRETCHED) - 1)][min(style, TEXT)]
    if size == STRETCHED[0][0] and "^" in inner:
        size = SIZED["big"]
    both = sum(0 if end == "." else BRACKETS.get(end, 389) for end in (opening, closing))
    return Atom(
        INNER, _row(inner, style) + both * size // 389 * STYLES[min(style, 3)] // 100
    ), position


def _storeys(latex: str) -> int:
    """How many fractions stand on each other, or a sum or product as one."""
    highest = position = 0
    while position < len(latex):
        token, position = _token(latex, position)
        if token in "^_":
            _, position = group(latex, position)
        elif token in FRACTIONS:
            above, position = group(latex, position)
            below, position = group(latex, position)
            highest = max(highest, 1 + max(_storeys(above), _storeys(below)))
        elif token in LARGE:
            highest = max(highest, 1)
    return highest


def _upright(text: str) -> int:
    """Of text and names of functions; a blank is a third of an em."""
    return sum(UPRIGHT.get(character, 333 if character == " " else 400) for character in text)


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
