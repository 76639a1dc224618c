"""The law and the budget of a document, found by their shape: a constant and two negative powers of
two letters, whatever the letters; and a multiple of powers of both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sympy import Add, Expr, Mul, Symbol, expand

from ..budget import Budget
from ..data.notation import DEFAULT, HOFFMANN, NOTATIONS, SCHAEFFER, Notation
from ..kernel import symbols as sym
from ..reader.building import APPLIED
from ..reader.latex import tokenize_latex
from ..reader.parse import read
from ..reader.tokens import ParseError, Token
from .document import NOWHERE, Piece, Place
from .typed import at_relations, called, limit_of, sources

#: The kinds of pieces that are formulas.
FORMULAS = ("claim", "explained", "inline")
LOSSES = ("L", "L_hat", "L_tilde", "L_bar", "ell", '"loss"', '"Loss"')
COMPUTES = ("C", '"FLOPs"', '"FLOPS"', '"FLOP"', '"compute"', '"Compute"')
#: Words that are functions and no letters.
NO_LETTERS = {*APPLIED}
DEFINED_AS = re.compile(r"\\mathrel\{:\}=|\\vcentcolon=|:\s*=")
NAMED_BEHIND = re.compile(r"=\s*:(?!=)")
#: What the other names mean where the letters are those of neither notation.
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
    def names(self) -> set[str]:
        """Every name in it."""
        return {token.text for part in self.parts for token in part if token.kind == "name"}

    def named(self, i: int) -> tuple[str, tuple[str, ...]]:
        """The name that a side is, with its arguments; an empty one where it is more."""
        found = called(self.parts[i]) if i < len(self.parts) else None
        return ("", ()) if found is None else (found[0].text, tuple(t.text for t in found[1]))

    def value(self, i: int) -> Expr | None:
        """A side in which every name is a letter; None where that cannot be read."""
        tokens = self.parts[i]
        names = {t.text for t in tokens if t.kind == "name"} - NO_LETTERS
        try:
            return read(self.text, tokens, {name: Symbol(name, positive=True) for name in names})
        except (ParseError, ValueError):
            return None


@dataclass(frozen=True)
class LawOfDocument:
    """What a formula says of the law.

    Attributes
    ----------
    notation : Notation or None
        Where the law is in letters: theirs.
    let : tuple of str
        Other names for N, D and L.
    numbers : tuple of (str, str)
        Where it is in numbers: canonical names and values.
    trouble : str
        Why it is no law of this shape.
    """

    notation: Notation | None = None
    let: tuple[str, ...] = ()
    numbers: tuple[tuple[str, str], ...] = ()
    trouble: str = ""
    has_constant: bool = True
    place: Place = NOWHERE
    names: frozenset[str] = frozenset()


def law_of(text: str) -> LawOfDocument | None:
    """The law that a formula gives: of the shape, or of another; None where it gives none."""
    try:
        sides = Sides.of(text)
    except ParseError as error:
        left = re.match(
            r"\s*(?:\\hat|\\mathcal)?\s*\{?\s*(?:L|\\ell)\s*\}?\s*(?:\(N,\s*D\)\s*)?&?\s*=", text
        )
        is_of_both = left is not None and "N" in text[left.end() :] and "D" in text[left.end() :]
        return LawOfDocument(trouble=f"is not read: {error.complaint}") if is_of_both else None
    name, arguments = sides.named(0)
    if not name or sides.relations[:1] not in (["=="], ["approx"]) or len(arguments) not in (0, 2):
        return None
    is_loss = name in LOSSES
    values = [sides.value(i) for i in range(1, len(sides.parts))]
    for value in values:
        if value is None:
            continue
        shape = _shape(value)
        if (
            shape is not None
            and (is_loss or shape[0] != 0)
            and {*arguments} <= set(map(str, value.free_symbols))
        ):
            letters = (str(letter) for _, letter, _ in shape[1:])
            is_at_the_optimum = any(x.endswith(("_opt", "_star")) for x in letters)
            return None if is_at_the_optimum else _law(name, sides, is_loss, *shape)
    own = {*arguments} or {"N", "D"}
    names = {token.text for token in sides.parts[1] if token.kind == "name"}
    is_value = any(x.endswith(("_opt", "_star")) for x in own) or names & {*LOSSES}
    if not is_loss or is_value or not own <= names:
        return None
    why = "is not read" if values[0] is None else "has another shape"
    return LawOfDocument(trouble=why, names=frozenset(names))


Term = tuple[Expr, Symbol, Expr]


def _shape(e: Expr) -> tuple[Expr, Term, Term] | None:
    """The constant and the two terms, coefficient, letter and exponent; those of N first."""
    constants, powers = [], []
    for term in Add.make_args(expand(e)):
        found = [
            f for f in Mul.make_args(term) if f.is_Pow and f.base.is_Symbol and (_is_plain(-f.exp))
        ]
        rest = None if len(found) != 1 else Mul(*(f for f in Mul.make_args(term) if f != found[0]))
        if rest is not None and _is_plain(rest):
            powers.append((rest, found[0].base, -found[0].exp))
        else:
            constants.append(term)
    constant = Add(*constants)
    plain = [constant, *(x for term in powers for x in term)]
    letters = [x for x in plain if x.is_Symbol]
    if len(powers) != 2 or not (_is_plain(constant) or constant == 0):
        return None
    if len(set(letters)) != len(letters) or len(letters) not in (2, 6 + (constant != 0)):
        return None
    first, second = sorted(powers, key=lambda term: (str(term[1]) != "N", str(term[1]) == "D"))
    return constant, first, second


def _is_plain(e: Expr) -> bool:
    """Whether it is one letter or a positive number."""
    return bool(e.is_Symbol or (e.is_Rational and e > 0))


def _law(
    name: str, sides: Sides, is_loss: bool, constant: Expr, first: Term, second: Term
) -> LawOfDocument:
    (a, n, beta), (b, d, gamma) = first, second
    let = [f"{x} := {own}" for x, own in ((str(n), "N"), (str(d), "D")) if x != own]
    let += [f"{x}_star := {own}_opt" for x, own in ((str(n), "N"), (str(d), "D")) if x != own]
    if is_loss and name not in ("L", "L_hat"):
        let.append(f"{sides.sources[0].split('(')[0]} := L")
    if a.is_number:
        values = zip(("E", "A", "B", "beta", "gamma"), (constant, a, b, beta, gamma), strict=True)
        return LawOfDocument(
            let=tuple(let), numbers=tuple((name, str(value)) for name, value in values)
        )
    letters = {
        "irreducible": str(constant) if constant != 0 else "E",
        "params_coefficient": str(a),
        "tokens_coefficient": str(b),
        "params_exponent": str(beta),
        "tokens_exponent": str(gamma),
    }
    notation = _notation(letters)
    return LawOfDocument(notation, tuple(let), has_constant=constant != 0 or not is_loss)


def _notation(letters: dict[str, str]) -> Notation:
    """The one with these letters: a known one, or one of the document's own."""
    exponents = {letters["params_exponent"], letters["tokens_exponent"]}
    for known in NOTATIONS.values():
        if all(getattr(known, role) == name for role, name in letters.items()):
            return known
    bases = {frozenset(["alpha", "beta"]): HOFFMANN, frozenset(["beta", "gamma"]): SCHAEFFER}
    base = bases.get(frozenset(exponents), DEFAULT)
    others = {} if frozenset(exponents) in bases else OTHERS
    taken = {r: x for r, x in OTHERS.items() if getattr(base, r) in letters.values()}
    own: dict[str, Any] = {**others, **taken, **letters}
    return replace(base, name="the document's", **own)


def laws_of(pieces: Sequence[Piece]) -> list[LawOfDocument | None]:
    """The law that each piece of a document gives. One of another shape counts before there is one
    of the shape, and where it has letters of its own.
    """
    found: list[LawOfDocument | None] = []
    parts, known = _functions_of_both(pieces), set[str]()
    for piece in pieces:
        law = law_of(_put_in(piece.text, parts)) if piece.kind in FORMULAS else None
        if law is not None and law.notation is not None:
            known |= {*law.notation.names().values(), "N", "D"}
        elif law is not None and law.trouble and known and law.names and law.names <= known:
            law = None
        found.append(law and replace(law, place=piece.place))
    return found


def _functions_of_both(pieces: Sequence[Piece]) -> dict[str, str]:
    """`R(N, D)` and what it stands for, by which a law may be written."""
    found: dict[str, str] = {}
    for piece in pieces:
        left, equals, right = piece.text.replace("&", " ").partition("=")
        is_call = re.fullmatch(r"\s*[A-Za-z]\(\w+,\s*\w+\)\s*", left) is not None
        if piece.kind in FORMULAS and equals and is_call and left.strip()[0] != "L":
            found.setdefault(left.strip(), right.partition("=")[0])
    return found


def _put_in(text: str, parts: Mapping[str, str]) -> str:
    left, equals, right = text.partition("=")
    for call, meaning in parts.items():
        if left.strip() != call:
            right = right.replace(call, f"({meaning})")
    return f"{left}{equals}{right}"


def budget_of(text: str, n: str = "N", d: str = "D") -> tuple[Budget, str] | None:
    """The budget that a formula gives, with the name that it has for C; None where it gives none."""
    try:
        sides = Sides.of(text)
    except ParseError:
        return None
    name, arguments = sides.named(0)
    if name not in COMPUTES or arguments not in ((), (n, d)):
        return None
    if sides.relations[:1] not in (["=="], ["approx"]):
        return None
    value = sides.value(1)
    letters = {Symbol(n, positive=True): sym.N, Symbol(d, positive=True): sym.D}
    if value is None or not letters.keys() <= value.free_symbols:
        return None
    try:
        return Budget.from_expression(value.xreplace(letters)), sides.sources[0].split("(")[0]
    except ValueError:
        return None
