"""The shapes of a law and of a budget in a document, whatever the letters: a constant and negative
powers of two letters, and a multiple of powers of both.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sympy import Add, Expr, Integer, Mul, Symbol, expand

from ..budget import Budget
from ..data.notation import DEFAULT, HOFFMANN, KINDS, Notation
from ..kernel import symbols as sym
from ..reader.building import APPLIED
from ..reader.parse import read
from ..reader.tokens import ParseError
from .text import Sides

LOSSES = ("L", "L_hat", "L_tilde", "L_bar", "ell", '"loss"', '"Loss"')
OPTIMAL = ("_opt", "_star")
#: The names of these quantities in a law whose letters are of no notation of the package.
OTHERS = {"compute_exponent": "alpha_C", "params_allocation": "w_N", "tokens_allocation": "w_D"}
#: A part of the loss by a name of its own, as R(N, D).
PART = re.compile(r"[A-KM-Za-z]\(\w+,\s*\w+\)")
#: The names of the compute.
COMPUTES = ("C", '"FLOPs"', '"FLOPS"', '"FLOP"', '"compute"', '"Compute"')
#: The places of a constraint in a display: between words, and in a group.
WORDS = re.compile(r"\\(?:text|mbox|mathrm|textrm)\s*\{[^{}]*\}|\\q?quad(?![A-Za-z])|(?<!\d),|;")
GROUP = re.compile(r"\{([^{}]*=[^{}]*)\}")
EQUALS = re.compile(r"(=|<|\\(?:leq?|leqslant|approx|equiv|simeq)(?![A-Za-z]))")
Term = tuple[Expr, Symbol, Expr]


@dataclass(frozen=True)
class LawOfDocument:
    """The law that a formula gives: in letters or in numbers, or the `trouble` why it is not of the shape."""

    notation: Notation | None = None  # where it is in letters
    let: tuple[str, ...] = ()  # other names for N, D and L
    assume: tuple[str, ...] = ()  # E == 0 where it has no constant
    sizes: tuple[str, str] = ("N", "D")  # what the document calls them
    numbers: tuple[tuple[str, Expr], ...] = ()  # by canonical names, where it is in numbers
    trouble: str = ""  # why it is no law of this shape
    names: frozenset[str] = frozenset()
    line: int = 0


def sides_of(text: str) -> Sides | None:
    """A formula split at its relations; None where its tokens are not read."""
    try:
        return Sides.of(text, latex=True)
    except ParseError:
        return None


def name_of(text: str) -> str:
    """The name of a side such as `x` or `f(x)`; empty for any other side."""
    sides = sides_of(text)
    return "" if sides is None else sides.named(0)[0]


def _value(sides: Sides, i: int) -> Expr | None:
    """The value of a side in which every name is a letter; None where that cannot be read."""
    letters = {x: Symbol(x, positive=True) for x in sides.names - {*APPLIED}}
    try:
        return read(sides.text, sides.parts[i], letters)
    except (ParseError, ValueError):
        return None


def laws_of(texts: Sequence[str]) -> list[LawOfDocument | None]:
    """The law that each formula of a document gives; `R(N, D)` has the meaning that another one gives."""
    equations = [text.partition("=") for text in texts]
    parts = {
        left.strip(): right.partition("=")[0]
        for left, _, right in equations
        if right and PART.fullmatch(left.strip())
    }
    found = list[LawOfDocument | None]()
    for left, equals, right in equations:
        for call, meaning in parts.items() if left.strip() not in parts else ():
            right = right.replace(call, f"({meaning})")
        found.append(law_of(f"{left}{equals}{right}"))
    return found


def law_of(text: str) -> LawOfDocument | None:
    """The law that a formula gives, of the shape or of another; None where it gives none, as where it
    names C.
    """
    sides = sides_of(text)
    if sides is None:
        left, _, right = text.partition("=")
        is_law = {*"ND"} <= {*right} and name_of(left) in LOSSES
        return LawOfDocument(trouble="is not read") if is_law else None
    name, arguments = sides.named(0)
    if not sides.defined or len(arguments) not in (0, 2):
        return None
    values = [_value(sides, i) for i in range(1, len(sides.parts))]
    for shape in (_shape(value) for value in values if value is not None):
        if shape is not None and {*arguments} <= {str(x) for _, x, _ in shape[1:]}:
            is_at_the_optimum = any(str(x).endswith(OPTIMAL) for _, x, _ in shape[1:])
            is_law = not is_at_the_optimum and (name in LOSSES or shape[0] != 0)
            return _law(sides, *shape) if is_law else None
    own, names = {*arguments} or {"N", "D"}, frozenset(sides.names - {name})
    is_value = any(x.endswith(OPTIMAL) for x in own) or names & {"C", *LOSSES}
    if name not in LOSSES or is_value or not own <= names:
        return None
    why = "is not read" if values[0] is None else "has another shape"
    return LawOfDocument(trouble=why, names=names)


def _shape(e: Expr) -> tuple[Expr, Term, Term] | None:
    """The constant and the two terms (coefficient, letter, exponent) of a law, that of N first; None for
    another shape.
    """
    constant, powers = Integer(0), []
    for term in Add.make_args(expand(e)):
        found = [p for p in Mul.make_args(term) if p.is_Pow and p.base.is_Symbol]
        found = [p for p in found if _is_plain(-p.exp) and _is_plain(term / p)]
        if len(found) == 1:
            powers.append((term / found[0], found[0].base, -found[0].exp))
        else:
            constant += term
    letters = [x for x in (constant, *(x for term in powers for x in term)) if x.is_Symbol]
    is_sum = len(powers) == 2 and (_is_plain(constant) or constant == 0)
    is_of_letters = len({*letters}) == len(letters) in (2, 6 + (constant != 0))
    if not (is_sum and is_of_letters):
        return None
    first, second = sorted(powers, key=lambda term: (str(term[1]) != "N", str(term[1]) == "D"))
    return constant, first, second


def _is_plain(e: Expr) -> bool:
    """Whether an expression is one letter or a positive number."""
    return bool(e.is_Symbol or (e.is_Rational and e > 0))


def _law(sides: Sides, constant: Expr, first: Term, second: Term) -> LawOfDocument:
    """The law of this shape, in letters or in numbers."""
    (a, n, beta), (b, d, gamma) = first, second
    sizes, values = (str(n), str(d)), (constant, a, b, beta, gamma)
    others = [(x, own) for x, own in zip(sizes, "ND", strict=True) if x != own]
    let = [f"{x} := {own}" for x, own in others]
    let += [f"{x}{optimal} := {own}_opt" for x, own in others for optimal in OPTIMAL]
    if sides.defined in LOSSES and sides.defined not in ("L", "L_hat"):
        let.append(f"{sides.sources[0].split('(')[0]} := L")
        let += [f"{sides.defined}{optimal} := L_opt" for optimal in OPTIMAL]
    if a.is_number:
        numbers = (*zip(DEFAULT.names("params-tokens"), values, strict=True),)
        return LawOfDocument(let=tuple(let), sizes=sizes, numbers=numbers)
    absent = ("E == 0",) if constant == 0 and sides.defined in LOSSES else ()
    spelt = map(str, (constant or sym.E, *values[1:]))
    letters = dict(zip(KINDS["params-tokens"], spelt, strict=True))
    names = frozenset((*letters.values(), *sizes))
    return LawOfDocument(_notation(letters), tuple(let), absent, sizes, names=names)


def _notation(letters: dict[str, str]) -> Notation:
    """The notation of a law with these letters by role. Other quantities have the names of the notation
    with the same exponents, where these names are free.
    """
    exponents = {letters["params_exponent"], letters["tokens_exponent"]}
    base = HOFFMANN if exponents == {"alpha", "beta"} else DEFAULT
    is_like = exponents in ({"alpha", "beta"}, {"beta", "gamma"})
    is_free = not {base.letters[role] for role in OTHERS} & {*letters.values()}
    own = {**base.letters, **({} if is_like and is_free else OTHERS), **letters}
    # notations are compared by their name, title and source
    return replace(base, name="document's", source=", ".join(own.values()), letters=own)


def computes_of(
    text: str, sizes: tuple[str, str], known: Collection[str], *, any_form: bool = True
) -> list[Budget | None]:
    """The budgets that a formula gives by C, a constraint in it or below its `\\min` as well; None for
    one that is no multiple of powers of both N and D. `D = 20 N` and `C = 120 N^2` give none, and
    `D = C/(6 N)` does in `any_form` of an equation.
    """
    found = list[Budget | None]()
    for part in dict.fromkeys((text, *WORDS.split(text), *GROUP.findall(text))):
        sides = [side.strip(" $.&") for side in EQUALS.split(part)[::2]][:2]
        for compute, other in pairwise((*sides, *sides[:1])):
            if name_of(compute) not in COMPUTES:
                continue
            value = sides_of(other)
            names = {*re.findall("[A-Za-z]+", other)} if value is None else value.names
            own, others = names & {*sizes}, names - {*sizes} - {*APPLIED}
            budget = budget_of(f"C = {other}", sizes)
            is_doubtful = own and not others & {*known} and (len(own) == 2 or others)
            if budget is not None or is_doubtful:
                found.append(None if budget is None else budget[0])
    return found or (_solved(text, sizes) if any_form else [])


def _solved(text: str, sizes: tuple[str, str]) -> list[Budget | None]:
    """The budget of an equation such as `D = C/(6 N)`."""
    sides, C = sides_of(text), Symbol("C", positive=True)
    if sides is None or len(sides.relations) != 1 or sides.names != {"C", *sizes}:
        return []
    left, right = _value(sides, 0), _value(sides, 1)
    quotient = Integer(0) if not left or not right else left / right
    power = quotient.as_powers_dict()[C]
    if not power or not quotient.is_Mul or (quotient / C**power).has(C):
        return []
    budget = _budget((quotient / C**power) ** (-1 / power), sizes)
    return [] if budget is None else [budget]


def budget_of(text: str, sizes: tuple[str, str]) -> tuple[Budget, str] | None:
    """The budget that a formula gives, in the document's names for N and D, with its name for C; None
    where it gives none.
    """
    sides = sides_of(text)
    if sides is None or [x.text for x in sides.relations[:1]] not in (["=="], ["approx"]):
        return None
    left = 0 if sides.named(0)[0] else 1
    (name, arguments), value = sides.named(left), _value(sides, 1 - left)
    is_named = name != "" and arguments in ((), sizes)
    budget = None if value is None or not is_named else _budget(value, sizes)
    return None if budget is None else (budget, name)


def _budget(value: Expr, sizes: tuple[str, str]) -> Budget | None:
    """The budget with this compute, in the document's names for N and D; None where it is none."""
    letters = {Symbol(x, positive=True): own for x, own in zip(sizes, (sym.N, sym.D), strict=True)}
    if not {*letters} <= value.free_symbols:
        return None
    try:
        return Budget.from_expression(value.xreplace(letters))
    except ValueError:
        return None
