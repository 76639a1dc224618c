"""The law and the budget of a document, found by their shape: a constant and two negative powers of
two letters, whatever the letters; and a multiple of powers of both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sympy import Add, Expr, Integer, Mul, Symbol, expand

from ..budget import Budget
from ..data.notation import DEFAULT, HOFFMANN, NOTATIONS, SCHAEFFER, Notation
from ..kernel import symbols as sym
from ..reader.building import APPLIED
from ..reader.latex import tokenize_latex
from ..reader.parse import read
from ..reader.tokens import ParseError, Token
from .document import NOWHERE, Piece, Place
from .typed import at_relations, called, limit_of, sources

#: A part of the loss, which is no loss by its name.
OF_BOTH = re.compile(r"[A-KM-Za-z]\(\w+,\s*\w+\)")
LOSSES = ("L", "L_hat", "L_tilde", "L_bar", "ell", '"loss"', '"Loss"')
COMPUTES = ("C", '"FLOPs"', '"FLOPS"', '"FLOP"', '"compute"', '"Compute"')
DEFINED_AS = re.compile(r"\\mathrel\{:\}=|\\vcentcolon=|:\s*=")
NAMED_BEHIND = re.compile(r"=\s*:(?!=)")
LAGRANGIAN = "is a Lagrangian"
MULTIPLIERS = [Symbol(name, positive=True) for name in ("lambda", "mu", "nu")]
OPTIMAL = ("_opt", "_star")
#: The canonical names in a law, by role, and what others mean where its letters are those of
#: neither notation.
ROLES = {
    "irreducible": "E",
    "params_coefficient": "A",
    "tokens_coefficient": "B",
    "params_exponent": "beta",
    "tokens_exponent": "gamma",
}
OTHERS = {"compute_exponent": "alpha_C", "params_allocation": "w_N", "tokens_allocation": "w_D"}


@dataclass(frozen=True)
class Sides:
    """A formula split at its relations; `N = 3` where it reads `3 =: N`, and `P(r) \\to 1` with its
    limit where it reads `\\lim_{r \\to 1} P(r) = 1`.
    """

    text: str
    parts: list[list[Token]]
    relations: list[str]
    sources: list[str]
    limit: str | None = None

    @classmethod
    def of(cls, text: str) -> Sides:
        """Read a formula; ParseError where its tokens are not read."""
        text = " ".join(DEFINED_AS.sub("=", text).replace("&", " ").split())
        behind = NAMED_BEHIND.search(text)
        if behind is not None:
            text = f"{text[behind.end() :]} = {text[: behind.start()]}".strip()
        text, limit = limit_of(text, latex=True) or (text, None)
        parts, relations = at_relations(tokenize_latex(text))
        return cls(text, parts, [r.text for r in relations], sources(text, relations), limit)

    @property
    def is_equation(self) -> bool:
        """Whether it begins with `x = y` or `x \\approx y`."""
        return self.relations[:1] in (["=="], ["approx"])

    @property
    def names(self) -> set[str]:
        """Every name in it."""
        return set().union(*map(_names, self.parts))

    def named(self, i: int) -> tuple[str, tuple[str, ...]]:
        """The name that a side is, with its arguments; an empty one where it is more."""
        found = called(self.parts[i]) if i < len(self.parts) else None
        return ("", ()) if found is None else (found[0].text, tuple(t.text for t in found[1]))

    def renamed(self, names: Mapping[str, str]) -> Sides:
        """With other names; what is typed stays."""
        parts = [[replace(t, text=names.get(t.text, t.text)) for t in part] for part in self.parts]
        return replace(self, parts=parts)

    def value(self, i: int) -> Expr | None:
        """A side in which every name is a letter; None where that cannot be read."""
        letters = {x: Symbol(x, positive=True) for x in _names(self.parts[i]) - {*APPLIED}}
        try:
            return read(self.text, self.parts[i], letters)
        except (ParseError, ValueError):
            return None


def name_of(text: str) -> str:
    """The name that a side is, with arguments or without; empty where it is more, or not read."""
    try:
        return Sides.of(text).named(0)[0]
    except ParseError:
        return ""


def _names(tokens: Sequence[Token]) -> set[str]:
    return {token.text for token in tokens if token.kind == "name"}


@dataclass(frozen=True)
class LawOfDocument:
    """What a formula says of the law.

    Attributes
    ----------
    notation : Notation or None
        Where the law is in letters: theirs.
    let : tuple of str
        Other names for N, D and L.
    sizes : tuple of str
        What the document calls N and D.
    numbers : tuple of (str, sympy.Expr)
        Where it is in numbers: canonical names and values.
    trouble : str
        Why it is no law of this shape.
    names : frozenset of str
        Those of a law of another shape.
    """

    notation: Notation | None = None
    let: tuple[str, ...] = ()
    sizes: tuple[str, str] = ("N", "D")
    numbers: tuple[tuple[str, Expr], ...] = ()
    trouble: str = ""
    has_constant: bool = True
    names: frozenset[str] = frozenset()
    place: Place = NOWHERE


def laws_of(pieces: Sequence[Piece]) -> list[LawOfDocument | None]:
    """The law that each piece of a document gives, `R(N, D)` being what it stands for. One of
    another shape counts before there is one of the shape, and where it has letters of its own.
    """
    formulas = [piece.text.partition("=") for piece in pieces if piece.kind != "declared"]
    meanings = {left.strip(): right for left, _, right in reversed(formulas) if right}
    parts = {call: right for call, right in meanings.items() if OF_BOTH.fullmatch(call)}
    found: list[LawOfDocument | None] = []
    known: set[str] = set()
    for piece in pieces:
        left, equals, right = piece.text.partition("=")
        for call, meaning in parts.items() if left.strip() not in parts else ():
            right = right.replace(call, f"({meaning.partition('=')[0]})")
        law = law_of(f"{left}{equals}{right}") if piece.kind != "declared" else None
        if law is not None and law.notation is not None:
            known |= {*law.notation.names().values(), *law.sizes}
        elif law is not None and known and law.names and law.names <= known:
            law = None
        found.append(law and replace(law, place=piece.place))
    return found


def law_of(text: str) -> LawOfDocument | None:
    """The law that a formula gives: of the shape, or of another; None where it gives none."""
    try:
        sides = Sides.of(text)
    except ParseError as error:
        left, _, right = text.partition("=")
        is_of_both = {*"ND"} <= {*right} and not re.search(r"L(?![_A-Za-z])", right)
        is_law = name_of(left) in LOSSES and is_of_both
        return LawOfDocument(trouble=f"is not read: {error.complaint}") if is_law else None
    name, arguments = sides.named(0)
    if not name or not sides.is_equation or len(arguments) not in (0, 2):
        return None
    values = [sides.value(i) for i in range(1, len(sides.parts))]
    for value in values:
        shape = None if value is None else _shape(value)
        if value is None or shape is None or not {*arguments} <= set(map(str, value.free_symbols)):
            continue
        if name in LOSSES or shape[0] != 0:
            is_at_the_optimum = any(str(x).endswith(OPTIMAL) for _, x, _ in shape[1:])
            return None if is_at_the_optimum else _law(name, sides, *shape)
    own, names = {*arguments} or {"N", "D"}, _names(sides.parts[1])
    is_value = any(x.endswith(OPTIMAL) for x in own) or names & {*LOSSES}
    if name not in LOSSES or is_value or not own <= names:
        return None
    if _is_lagrangian(values[0]):
        return LawOfDocument(trouble=LAGRANGIAN)
    why = "is not read" if values[0] is None else "has another shape"
    return LawOfDocument(trouble=why, names=frozenset(names))


Term = tuple[Expr, Symbol, Expr]


def _shape(e: Expr) -> tuple[Expr, Term, Term] | None:
    """The constant and the two terms, coefficient, letter and exponent; those of N first."""
    constants, powers = [], []
    for term in Add.make_args(expand(e)):
        factors = Mul.make_args(term)
        found = [f for f in factors if f.is_Pow and f.base.is_Symbol and _is_plain(-f.exp)]
        rest = Mul(*(f for f in factors if f not in found))
        if len(found) == 1 and _is_plain(rest):
            powers.append((rest, found[0].base, -found[0].exp))
        else:
            constants.append(term)
    constant = Add(*constants)
    letters = [x for x in (constant, *(x for term in powers for x in term)) if x.is_Symbol]
    if len(powers) != 2 or not (_is_plain(constant) or constant == 0):
        return None
    if len({*letters}) != len(letters) or len(letters) not in (2, 6 + (constant != 0)):
        return None
    first, second = sorted(powers, key=lambda term: (str(term[1]) != "N", str(term[1]) == "D"))
    return constant, first, second


def _is_lagrangian(e: Expr | None) -> bool:
    """Whether it is of the shape but for a multiplier of a budget, `lambda (6 N D - C)`."""
    multiplier = next((x for x in MULTIPLIERS if e is not None and x in e.free_symbols), None)
    if e is None or multiplier is None:
        return False
    shape, tied = _shape(e.xreplace({multiplier: Integer(0)})), expand(e.diff(multiplier))
    sizes = {shape[1][1], shape[2][1]} if shape else set()
    spent = [sizes & term.free_symbols for term in Add.make_args(tied)]
    return (
        bool(sizes)
        and multiplier not in tied.free_symbols
        and sorted(spent, key=len) == [set(), sizes]
    )


def _is_plain(e: Expr) -> bool:
    """Whether it is one letter or a positive number."""
    return bool(e.is_Symbol or (e.is_Rational and e > 0))


def _law(name: str, sides: Sides, constant: Expr, first: Term, second: Term) -> LawOfDocument:
    """The law of a shape, in letters or in numbers."""
    (a, n, beta), (b, d, gamma) = first, second
    sizes = str(n), str(d)
    others = [(x, own) for x, own in zip(sizes, "ND", strict=True) if x != own]
    let = [f"{x} := {own}" for x, own in others]
    let += [f"{x}{optimal} := {own}_opt" for x, own in others for optimal in OPTIMAL]
    if name in LOSSES and name not in ("L", "L_hat"):
        let.append(f"{sides.sources[0].split('(')[0]} := L")
    values = (constant, a, b, beta, gamma)
    if a.is_number:
        numbers = (*zip(ROLES.values(), values, strict=True),)
        return LawOfDocument(let=tuple(let), sizes=sizes, numbers=numbers)
    letters = dict(zip(ROLES, map(str, values), strict=True))
    letters["irreducible"] = "E" if constant == 0 else str(constant)
    has_constant = constant != 0 or name not in LOSSES
    return LawOfDocument(_notation(letters), tuple(let), sizes, has_constant=has_constant)


def _notation(letters: dict[str, str]) -> Notation:
    """The one with these letters: a known one, or one of the document's own."""
    for known in NOTATIONS.values():
        if all(getattr(known, role) == name for role, name in letters.items()):
            return known
    exponents = {letters["params_exponent"], letters["tokens_exponent"]}
    bases = ((HOFFMANN, {"alpha", "beta"}), (SCHAEFFER, {"beta", "gamma"}))
    base = next((known for known, own in bases if exponents == own), None)
    own: dict[str, Any] = {
        role: name
        for role, name in OTHERS.items()
        if base is None or getattr(base, role) in letters.values()
    }
    return replace(base or DEFAULT, name="the document's", **own | letters)


def budget_of(text: str, sizes: tuple[str, str] = ("N", "D")) -> tuple[Budget, str] | None:
    """The budget that a formula gives in the document's names for N and D, with its name for C;
    None where it gives none.
    """
    try:
        sides = Sides.of(text)
    except ParseError:
        return None
    left, right = (0, 1) if sides.named(0)[0] else (1, 0)
    name, arguments = sides.named(left)
    if not name or arguments not in ((), sizes) or not sides.is_equation:
        return None
    letters = {Symbol(x, positive=True): own for x, own in zip(sizes, (sym.N, sym.D), strict=True)}
    value = sides.value(right)
    if value is None or not letters.keys() <= value.free_symbols:
        return None
    try:
        return Budget.from_expression(value.xreplace(letters)), name
    except ValueError:
        return None
