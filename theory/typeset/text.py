"""How formulas are laid out on paper, and their plain-text form for terminals.

SymPy sorts terms and factors by its own rules. Papers write E before A N^-beta before B D^-gamma
and coefficients before variables, and keep negative symbolic powers on the line. `Conventional` is
that layout as a mixin; the printer here and the LaTeX printer fill in the marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from textwrap import wrap
from typing import Any

from sympy import Add, Dummy, Expr, Function, Integer, Mul, Pow, Rational, Symbol, exp, log, oo
from sympy.core.alphabets import greeks
from sympy.core.function import AppliedUndef
from sympy.printing.str import StrPrinter

from .. import symbols as sym
from ..algebra import Decision
from ..algebra.functions import phi2
from ..data.notation import DEFAULT, SCHAEFFER, Notation
from ..data.notation import notation as find_notation
from ..envelope import Envelope
from ..penalty import Misallocation
from ..proof.claim import Claim

R, RHO, S = sym.SIZE_RATIO, sym.RATIO, sym.LOG_SIZE_RATIO
WIDTH = 100
OPTIMAL = "_opt"
HALF = Rational(1, 2)
LARGEST_FRACTION = 10

#: Names in the order in which papers write them within a product.
FACTOR_ORDER = (
    *(
        "E",
        "w",
        "a",
        "d",
        "alpha",
        "alpha_C",
        "beta",
        "gamma",
        "delta",
        "kappa",
        "A",
        "B",
        "C0",
        "epsilon",
    ),
    *("R", "L", "r", "rho", "k_D", "N", "D", "t", "N_max", "D_max", "C", "s"),
)
WORD = re.compile(r"(?!A [a-z]{2})(?<!\")[A-Za-z]\w*")
EXPONENTS = ("alpha", "beta", "gamma")
COEFFICIENTS = frozenset({"w", "a", "d", "beta", "gamma", "delta", "alpha", "alpha_C", "epsilon"})


# -- the order of a paper ------------------------------------------------------------------------------------


def _role(name: str) -> str:
    """The name in FACTOR_ORDER that a symbol's name goes with: delta for Greek and small letters of
    a user's.
    """
    stem, _, index = name.partition("_")
    if index == "opt":
        return stem if stem in FACTOR_ORDER else "D"
    if stem in ("w", "k") and index:
        return "w" if stem == "w" else "k_D"
    return "delta" if name not in FACTOR_ORDER and (stem in greeks or stem.islower()) else name


def _rank(name: str) -> tuple[int, str]:
    role = _role(name)
    return (
        FACTOR_ORDER.index(role) if role in FACTOR_ORDER else len(FACTOR_ORDER),
        _reading_order(name),
    )


def _reading_order(name: str) -> str:
    """w_N before w_D, as N before D."""
    _, _, index = name.partition("_")
    return f"{FACTOR_ORDER.index(index):03}" if index in FACTOR_ORDER else name


def _names(expression: Expr) -> list[str]:
    functions = [str(f.func) for f in expression.atoms(AppliedUndef)]
    return sorted([s.name for s in expression.free_symbols] + functions, key=_rank)


def _is_symbolic_power(factor: Expr) -> bool:
    return isinstance(factor, Pow) and not factor.exp.is_Rational


def _is_function(factor: Expr) -> bool:
    base = factor.as_base_exp()[0] if isinstance(factor, Pow) else factor
    return isinstance(base, Function) and not isinstance(base, AppliedUndef)


def _is_optimum(factor: Expr) -> bool:
    return isinstance(factor, AppliedUndef) and str(factor.func).endswith(OPTIMAL)


def _kind(factor: Expr) -> int:
    """Numbers, their powers, plain names, their powers, powers of longer bases, sums, functions."""
    if factor.is_Rational:
        return 0
    if _is_function(factor):
        return 6
    base = factor.base if isinstance(factor, Pow) else factor
    if base.is_Rational:
        return 1
    if not _is_symbolic_power(factor):
        return 5 if isinstance(base, Add) else 2
    return 3 if base.is_Symbol or _is_optimum(base) else 4


@lru_cache(maxsize=4096)
def _factor_key(factor: Expr) -> tuple[Any, ...]:
    base, power = (factor.base, factor.exp) if isinstance(factor, Pow) else (factor, Integer(1))
    degree = power if power.is_Rational else Integer(1)
    ranks = [_rank(name) for name in _names(base)]
    return (_kind(factor), ranks, degree if S in base.free_symbols else -degree, str(factor))


def ordered_factors(product: Expr) -> list[Expr]:
    """The factors of a product in the order of a paper: numbers, coefficients, variables, sums,
    functions.
    """
    return sorted(Mul.make_args(product), key=_factor_key)


def ordered_terms(total: Expr) -> list[Expr]:
    """The terms of a sum in the order of a paper, a positive one in front if there is one."""
    terms = sorted(Add.make_args(total), key=_term_key)
    first = next((i for i, term in enumerate(terms) if not is_negative(term)), 0)
    return terms[first:] + terms[:first]


def is_negative(term: Expr) -> bool:
    """Whether a term is written with a minus sign."""
    return bool(term.as_coeff_Mul()[0].is_negative)


@lru_cache(maxsize=4096)
def _term_key(term: Expr) -> tuple[Any, ...]:
    """Constants, then by degree in s; powers by their exponent: A N^-beta before B D^-gamma."""
    factors = ordered_factors(term)
    degree = next((f.as_base_exp()[1] for f in factors if f.as_base_exp()[0] == S), Integer(0))
    powers = [f for f in factors if _is_symbolic_power(f) or (_is_function(f) and f.free_symbols)]
    names = {name for power in powers for name in _power_names(power)}
    leading = min(
        (EXPONENTS.index(name) for name in names if name in EXPONENTS), default=len(EXPONENTS)
    )
    rest = [_factor_key(f) for f in factors if not f.is_Rational]
    return (degree, bool(powers), leading, [(rank, power, text) for _, rank, power, text in rest])


def _power_names(factor: Expr) -> list[str]:
    if _is_symbolic_power(factor) and not _is_function(factor):
        return _names(factor.exp)
    return _names(Add(*factor.args) if not isinstance(factor, Pow) else factor)


@dataclass(frozen=True)
class Quotient:
    """A product as sign, numerator over denominator, and what follows the fraction."""

    negative: bool
    numerator: list[Expr]
    denominator: list[Expr]
    tail: list[Expr]


def quotient(product: Expr) -> Quotient:
    """Split a product the way it is set: coefficients in the fraction, powers and longer sums
    behind it.
    """
    number, rest = _into_root(*product.as_coeff_Mul())
    over, under = abs(number).as_numer_denom()
    if is_decimal(abs(number)):
        over, under = abs(number), Integer(1)
    above = [over] if over != 1 else []
    below = [under] if under != 1 else []
    inline: list[Expr] = []
    for factor in _joined_roots(ordered_factors(rest)):
        base, power = (factor.base, factor.exp) if isinstance(factor, Pow) else (factor, Integer(1))
        if not power.is_Integer or _is_function(factor):
            inline.append(factor)
        elif power.is_negative:
            below.append(Pow(base, -power))
        elif factor != 1:
            above.append(factor)
    if not below:
        return Quotient(
            bool(number.is_negative), above + inline if above or inline else [Integer(1)], [], []
        )
    above, tail = _above_and_behind(above, below, inline)
    return Quotient(bool(number.is_negative), above or [Integer(1)], below, tail)


def _above_and_behind(
    above: list[Expr], below: list[Expr], inline: list[Expr]
) -> tuple[list[Expr], list[Expr]]:
    sums = [f for f in above if isinstance(f, Add) and not _is_coefficient(f)]
    plain = [f for f in above if f not in sums]
    variables = [f for f in plain if not _is_coefficient(f)]
    coefficients = [f for f in plain if _is_coefficient(f)]
    if all(map(_is_coefficient, below)) and any(f.free_symbols for f in coefficients):
        return coefficients, variables + inline + sums
    if plain:
        return plain, inline + sums
    powers = [f for f in inline if not isinstance(f.as_base_exp()[0], Add)]
    if powers:
        return powers, [f for f in inline if f not in powers] + sums
    return (sums, inline) if sums else ([], inline)


def _is_coefficient(factor: Expr) -> bool:
    return all(_role(name) in COEFFICIENTS for name in _names(factor))


def _joined_roots(factors: list[Expr]) -> list[Expr]:
    """Square roots under one sign."""
    roots = [f for f in factors if isinstance(f, Pow) and f.exp.is_Rational and f.exp.q == 2]
    if len(roots) < 2:
        return factors
    inside = Mul(*(f**2 for f in roots))
    return [*(f for f in factors if f not in roots), Pow(inside, HALF, evaluate=False)]


def _into_root(number: Rational, rest: Expr) -> tuple[Rational, Expr]:
    """sqrt(C/6) rather than sqrt(6) sqrt(C)/6."""
    roots = [f for f in Mul.make_args(rest) if isinstance(f, Pow) and f.exp == HALF]
    integer = next((f.base for f in roots if f.base.is_Integer), None)
    if integer is None or len(roots) < 2 or abs(number) * integer != 1:
        return number, rest
    joined = Pow(Mul(*(f.base for f in roots)) * number**2, HALF, evaluate=False)
    others = [f for f in Mul.make_args(rest) if f not in roots]
    return number * integer, Mul(*others, joined, evaluate=False)


def is_decimal(number: Rational) -> bool:
    """Whether a fraction reads better as the finite decimal that it is: 0.3478 rather than
    1739/5000.
    """
    if not number.is_Rational or number.q <= LARGEST_FRACTION:
        return False
    rest = int(number.q)
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def decimal_text(number: Rational) -> str:
    """The finite decimal expansion of a fraction that has one."""
    digits = next(k for k in range(1, int(number.q) + 1) if 10**k % number.q == 0)
    whole = str(abs(int(number.p)) * 10**digits // int(number.q)).rjust(digits + 1, "0")
    return f"{'-' if number.is_negative else ''}{whole[:-digits]}.{whole[-digits:]}"


class Conventional:
    """Sums, products and powers in the order of a paper; the marks are the subclass's."""

    _print: Callable[..., str]

    def bracket(self, text: str) -> str:
        raise NotImplementedError

    def fraction(self, above: list[Expr], below: list[Expr], *, alone: bool) -> str:
        raise NotImplementedError

    def raised(self, base: str, exponent: Expr) -> str:
        raise NotImplementedError

    def root(self, inside: Expr) -> str:
        raise NotImplementedError

    def reciprocal(self, base: Expr) -> str:
        return self.fraction([Integer(1)], [base], alone=True)

    def needs_bracket(self, base: Expr) -> bool:
        """Whether a base must be bracketed to carry an exponent."""
        return not (base.is_Symbol or base.is_Integer or _is_optimum(base))

    def separator(self, left: str, right: str) -> str:
        return " "

    def _print_Add(self, expression: Expr, order: str | None = None) -> str:
        first, *rest = ordered_terms(expression)
        text = self._print(first)
        for term in rest:
            negative = is_negative(term)
            text += f" {'-' if negative else '+'} {self._print(-term if negative else term)}"
        return text

    def _print_Mul(self, expression: Expr) -> str:
        parts = quotient(expression)
        if parts.denominator:
            pieces = [self.fraction(parts.numerator, parts.denominator, alone=not parts.tail)]
            pieces += [self._factor(f) for f in parts.tail]
        else:
            pieces = [self._factor(f) for f in parts.numerator]
        return ("-" if parts.negative else "") + self.joined(pieces)

    def joined(self, pieces: Sequence[str]) -> str:
        text = pieces[0]
        for piece in pieces[1:]:
            text += self.separator(text, piece) + piece
        return text

    def product(self, factors: list[Expr]) -> str:
        if len(factors) == 1:
            return self._print(factors[0])
        return self.joined([self._factor(f) for f in factors])

    def _factor(self, factor: Expr) -> str:
        text = self._print(factor)
        return self.bracket(text) if isinstance(factor, Add) else text

    def _print_Pow(self, expression: Expr, *_: Any, **__: Any) -> str:
        base, exponent = expression.base, expression.exp
        if exponent == HALF:
            return self.root(base)
        if exponent == -1:
            return self.reciprocal(base)
        text = self._print(base)
        return self.raised(self.bracket(text) if self.needs_bracket(base) else text, exponent)


# -- plain text ----------------------------------------------------------------------------------------------


class PlainPrinter(Conventional, StrPrinter):
    """`E + A N^-beta + B D^-gamma`: a space multiplies, as the package's own parser reads it back."""

    def __init__(self, spelling: Notation) -> None:
        super().__init__()
        self.names = spelling.names()
        self.optimum_mark = "*" if "*" in spelling.latex("N_opt") else OPTIMAL

    def bracket(self, text: str) -> str:
        return f"({text})"

    def separator(self, left: str, right: str) -> str:
        return "*" if right[0].isdigit() else " "

    def fraction(self, above: list[Expr], below: list[Expr], *, alone: bool) -> str:
        over = self._operand(above[0]) if len(above) == 1 else self.product(above)
        under = self._operand(below[0]) if len(below) == 1 else self.bracket(self.product(below))
        return f"{over}/{under}" if alone else f"({over}/{under})"

    def _operand(self, factor: Expr) -> str:
        text = self._print(factor)
        return self.bracket(text) if isinstance(factor, Add | Mul) else text

    def raised(self, base: str, exponent: Expr) -> str:
        text = self._print(exponent)
        return f"{base}^{text}" if re.fullmatch(r"-?[\w.]+", text) else f"{base}^({text})"

    def root(self, inside: Expr) -> str:
        return f"sqrt({self._print(inside)})"

    def _print_Symbol(self, expression: Symbol) -> str:
        if expression.name.startswith("w_"):
            return expression.name
        return self.names.get(expression.name, expression.name)

    def _print_Rational(self, expression: Rational) -> str:
        return (
            decimal_text(expression) if is_decimal(expression) else f"{expression.p}/{expression.q}"
        )

    def _print_AppliedUndef(self, expression: Expr) -> str:
        name = str(expression.func)
        if name.endswith(OPTIMAL):
            name = name.removesuffix(OPTIMAL) + self.optimum_mark
        return f"{name}({', '.join(map(self._print, expression.args))})"

    def _print_Function(self, expression: Expr) -> str:
        name = "arcosh" if expression.func.__name__ == "acosh" else expression.func.__name__
        return f"{name}({', '.join(map(self._print, expression.args))})"


def plain(expression: Expr, *, notation: str | Notation = DEFAULT) -> str:
    """The expression in plain text, in the order of a paper.

    Examples
    --------
    >>> from isoflop.theory.envelope import derive
    >>> print(plain(derive().params))
    (beta A/(gamma B))^(1/(beta + gamma)) (C/6)^(gamma/(beta + gamma))
    >>> print(plain(derive().exponent, notation="hoffmann"))
    alpha beta/(alpha + beta)
    """
    return PlainPrinter(find_notation(notation)).doprint(expression)


def in_letters_of(prose: str, envelope: Envelope) -> str:
    """A sentence about the law in N, D, A, B, beta and gamma, in the letters of another law."""
    words = {"alpha": abbreviated(envelope).exponent}
    if len(envelope.form.terms) == 2:
        params, tokens = envelope.form.terms
        words |= {"N": params.variable, "A": params.coefficient, "beta": params.exponent}
        words |= {"D": tokens.variable, "B": tokens.coefficient, "gamma": tokens.exponent}
    names = {
        word: symbol.name
        for word, symbol in words.items()
        if symbol.is_Symbol and symbol.name != word
    }
    return WORD.sub(lambda match: names.get(match[0], match[0]), prose) if names else prose


def respell(prose: str, spelling: Notation) -> str:
    """A sentence in plain text with its Greek names and optima in the notation; a word in quotation
    marks is left alone.
    """
    names = {
        f"{d}{old}": f"{d}{new}"
        for old, new in spelling.names().items()
        if old in EXPONENTS
        for d in ("", "d")
    }
    words = WORD.sub(lambda match: names.get(match[0], match[0]), prose)
    if "*" in spelling.latex("N_opt"):
        return words
    return re.sub(r"\b(d?[NDLRC])\*(?![\w*])", rf"\1{OPTIMAL}", words)


# -- the equations of an envelope and of a misallocation -----------------------------------------------------


@dataclass(frozen=True)
class Equation:
    """Sides that are equal (or stand in `relation`), with an order of what was left out and a
    condition.
    """

    sides: tuple[Expr, ...]
    relation: str = "="
    remainder: Expr | None = None
    condition: tuple[Expr, str, Expr] | None = None

    @property
    def label(self) -> Expr:
        return self.sides[0]


Line = tuple[Equation, ...]
Section = tuple[str, list[Line]]
PENALTY, EFFECTIVE, OVERHEAD = (Symbol(name, positive=True) for name in ("P", "C_eff", "Delta C"))
X = Symbol("x", real=True)


def check_spelling(envelope: Envelope, spelling: Notation) -> None:
    """Refuse to respell a law or a budget that uses the canonical letters for something else.

    Raises
    ------
    ValueError
        Where the notation would give alpha, beta or gamma of the law a meaning that they do not
        have in it.
    """
    if spelling == SCHAEFFER:
        return
    home = {sym.BETA: sym.N, sym.GAMMA: sym.D}
    parts = [
        (t.variable, t.exponent.free_symbols | t.coefficient.free_symbols)
        for t in envelope.form.terms
    ]
    parts += [
        (None, envelope.budget.compute().free_symbols),
        (None, envelope.form.outer.free_symbols),
    ]
    for variable, symbols in parts:
        for symbol in sorted(symbols & {sym.BETA, sym.GAMMA, sym.ALPHA}, key=str):
            if variable is None or home.get(symbol) != variable:
                place = "outside its term" if variable is None else f"in the {variable} term"
                raise ValueError(
                    f"notation={spelling.name!r}: respells laws with exponents beta on N and gamma "
                    f"on D; "
                    f"here {symbol} stands {place}"
                )


def abbreviated(envelope: Envelope) -> Envelope:
    """The envelope with N*(C), D*(C), alpha, C0, w_N, w_D as names: its claims read as in a paper."""
    taken = {
        s.name for s in envelope.form.loss.free_symbols | envelope.budget.compute().free_symbols
    }

    def fresh(*names: str) -> Symbol:
        return next(Symbol(name, positive=True) for name in names if name not in taken)

    return Envelope(
        envelope.form,
        envelope.budget,
        tuple(optimum(x) for x in envelope.form.variables),
        fresh("alpha", "alpha_C", "alpha_env"),
        fresh("C0", "K", "K_0"),
        tuple(Symbol(f"w_{x}", positive=True) for x in envelope.form.variables),
    )


def optimum(variable: Symbol) -> Expr:
    """x*(C) as an undetermined positive function of C."""
    return Function(f"{variable}{OPTIMAL}", positive=True)(sym.C)


def law_lines(envelope: Envelope) -> list[Line]:
    """L = ... and C = ..."""
    form = envelope.form
    loss = Equation((Function("L")(*form.variables), form.loss))
    return [(loss,), (Equation((sym.C, envelope.budget.compute())),)]


def envelope_lines(envelope: Envelope, spelling: Notation = DEFAULT) -> list[Line]:
    """The optimum, its ratio, exponent, shares, coefficient and loss, in names where that is
    shorter.
    """
    brief = abbreviated(envelope)
    allocation = zip(brief.allocation, _allocation(envelope, brief), strict=True)
    lines: list[Line] = [] if envelope.form.is_sum else [(_inner_sum(envelope),)]
    lines += [(Equation(sides),) for sides in allocation]
    if set(envelope.form.variables) == {sym.N, sym.D}:
        lines.append((Equation((brief.tokens_per_param, envelope.tokens_per_param)),))
    lines.append((exponent_equation(envelope, brief),))
    lines.append(share_equations(envelope, brief, spelling))
    lines.append((Equation((brief.coefficient, _coefficient(envelope, brief))),))
    if not envelope.form.is_sum:  # alpha and C0 are those of R*, not of the loss
        lines.append((Equation((optimum(sym.REDUCIBLE), brief.reducible)),))
    lines.append((Equation((optimum(sym.L), brief.loss, *_as_power_of_compute(envelope, brief))),))
    return lines


def _inner_sum(envelope: Envelope) -> Equation:
    """R(N, D) = ..., for a law that is a function of it."""
    return Equation((Function("R")(*envelope.form.variables), envelope.form.reducible))


def _as_power_of_compute(envelope: Envelope, brief: Envelope) -> tuple[Expr, ...]:
    """L* with the exponent of its own power law, where a function stands around R and leaves one."""
    form = envelope.form
    if form.is_sum or form.power is None or form.irreducible is None:
        return ()
    K, p = form.power
    return (
        form.irreducible
        + form.direction * K * brief.coefficient**p * sym.C ** -(p * brief.exponent),
    )


def _has_many_terms(envelope: Envelope) -> bool:
    return len(envelope.form.terms) > 2


def _allocation(envelope: Envelope, brief: Envelope) -> tuple[Expr, ...]:
    """The closed forms; for more than two terms the claims T_i = w_i R* solved for x_i, which stay
    short.
    """
    if not _has_many_terms(envelope):
        return envelope.allocation
    terms = zip(envelope.form.terms, brief.shares, strict=True)
    return tuple(Pow(t.coefficient / (w * brief.reducible), 1 / t.exponent) for t, w in terms)


def exponent_equation(envelope: Envelope, brief: Envelope) -> Equation:
    if not _has_many_terms(envelope):
        return Equation((brief.exponent, envelope.exponent))
    claim = brief.claims["exponent"]
    return Equation((claim.lhs, claim.rhs))


def share_equations(envelope: Envelope, brief: Envelope, spelling: Notation) -> Line:
    shares = list(envelope.shares)
    if _has_many_terms(envelope):
        shares = [brief.exponent * (share / envelope.exponent).cancel() for share in shares]
    unnamed: list[tuple[Symbol, ...]] = [()] * len(shares)
    names = _allocation_names(envelope, spelling) or unnamed
    pairs = zip(brief.shares, names, shares, strict=True)
    return tuple(Equation((w, *name, share)) for w, name, share in pairs)


def _allocation_names(envelope: Envelope, spelling: Notation) -> list[tuple[Symbol, ...]]:
    """Hoffmann's a and b, the exponents of x_i*(C), where they equal the shares and the names are
    free.
    """
    taken = {s.name for s in envelope.budget.compute().free_symbols}
    names: list[tuple[Symbol, ...]] = []
    for term, share in zip(envelope.form.terms, envelope.shares, strict=True):
        canonical = f"w_{term.variable}"
        name = spelling.names().get(canonical, canonical)
        if name in (canonical, *taken) or (envelope.exponent / term.exponent - share).cancel() != 0:
            return []
        names.append((Symbol(name, positive=True),))
    return names


def _coefficient(envelope: Envelope, brief: Envelope) -> Expr:
    """C0 with alpha and the shares by name: each factor (A_i/w_i)^w_i as it was derived."""
    if len(set(envelope.shares)) < len(envelope.shares) or any(
        share.is_number for share in envelope.shares
    ):
        return envelope.coefficient
    names = dict(zip(envelope.shares, brief.shares, strict=True))
    factors = []
    for factor in Mul.make_args(envelope.coefficient):
        base, power = factor.as_base_exp()
        if power == envelope.exponent and base == envelope.budget.coefficient:
            factors.append(Pow(base, brief.exponent))
        elif power in names:
            factors.append(Pow((base * power).cancel() / names[power], names[power]))
        else:
            factors.append(factor)
    return Mul(*factors)


def misallocation_sections(m: Misallocation) -> list[Section]:
    """Ratios, penalty, expansions and tails, effective compute, overhead, critical sizes, with
    headings.
    """
    envelope = m.envelope
    brief = Misallocation(abbreviated(envelope))
    n, d = envelope.form.variables
    n_star, d_star = brief.envelope.allocation
    tokens_factor = Symbol(f"k_{d}", positive=True)
    effective = brief.effective_compute.xreplace({brief.penalty: PENALTY})
    overhead = brief.compute_overhead.xreplace({brief.tokens_factor: tokens_factor})
    above_critical = (R, ">", brief.critical_size_ratio)
    return [
        (
            f"Penalty of {n} = r {n}* at the same compute C",
            [
                (
                    Equation((R, n / n_star)),
                    Equation((RHO, _over(d / n, d_star / n_star), m.ratio)),
                ),
                (Equation((Function("P")(R), _loss_ratio(envelope), brief.penalty)),),
                (Equation((Function("P")(RHO), brief.penalty_in_ratio)),),
                (Equation((PENALTY - 1, m.excess)),),
                (Equation((S, log(R))), Equation((phi2(X), phi2(X).definition()))),
                (Equation((PENALTY, m.series(4)), remainder=S**5),),
                (Equation((PENALTY, m.series_in_ratio(2)), remainder=log(RHO) ** 3),),
                (
                    Equation(
                        (PENALTY, brief.overtrained_tail), "~", condition=(R, "->", Integer(0))
                    ),
                    Equation((PENALTY, brief.undertrained_tail), "~", condition=(R, "->", oo)),
                ),
            ],
        ),
        (
            "Compute that reaches the same loss on the envelope",
            [(Equation((EFFECTIVE / sym.C, effective)),)],
        ),
        (
            f"The loss L*(C) with {n} = r {n}* and {d} = k_{d} {d}*, and the extra compute that it "
            f"takes",
            [
                (Equation((tokens_factor, brief.tokens_factor), condition=above_critical),),
                (Equation((OVERHEAD / sym.C, overhead)),),
            ],
        ),
        (
            "Sizes at and below which that loss is out of reach",
            [
                (
                    Equation((_critical(n) / n_star, brief.critical_size_ratio)),
                    Equation((_critical(d) / d_star, brief.critical_tokens_ratio)),
                )
            ],
        ),
        (
            "Exponent of the envelope and shares of the terms",
            [
                (
                    exponent_equation(envelope, brief.envelope),
                    *share_equations(envelope, brief.envelope, DEFAULT),
                )
            ],
        ),
    ]


def _over(above: Expr, below: Expr) -> Expr:
    """A fraction of two fractions, left as it is."""
    return Mul(above, Pow(below, -1, evaluate=False), evaluate=False)


def _loss_ratio(envelope: Envelope) -> Expr:
    """(L - E)/(L* - E), or R/R* where the law is no shifted sum."""
    offset = envelope.form.outer - sym.REDUCIBLE
    if sym.REDUCIBLE in offset.free_symbols:
        return sym.REDUCIBLE / optimum(sym.REDUCIBLE)
    return (sym.L - offset) / (optimum(sym.L) - offset)


def _critical(variable: Symbol) -> Symbol:
    return Symbol(f"{variable}_crit", positive=True)


# -- the text ------------------------------------------------------------------------------------------------


def envelope_text(
    envelope: Envelope, *, notation: str | Notation = DEFAULT, proofs: bool = True
) -> str:
    """The compute-optimal envelope for a terminal of 100 columns.

    Parameters
    ----------
    envelope : Envelope
    notation : {"schaeffer", "hoffmann"}
    proofs : bool
        Prove every claim and list how, and why it holds.

    Raises
    ------
    ValueError
        Where the notation would rename the law's own letters.
    """
    spelling = find_notation(notation)
    check_spelling(envelope, spelling)
    lines = [*law_lines(envelope), *envelope_lines(envelope, spelling)]
    parts = [
        "Compute-optimal envelope",
        "",
        *_table(lines, spelling, _label_width(lines, spelling)),
    ]
    if proofs:
        parts += ["", *_proofs(envelope, abbreviated(envelope), spelling)]
    return "\n".join(parts)


def misallocation_text(
    m: Misallocation, *, notation: str | Notation = DEFAULT, proofs: bool = False
) -> str:
    """The misallocation penalty and what follows from it, for a terminal of 100 columns."""
    spelling = find_notation(notation)
    check_spelling(m.envelope, spelling)
    sections = misallocation_sections(m)
    column = _label_width([line for _, lines in sections for line in lines], spelling)
    parts = []
    for heading, lines in sections:
        parts += [respell(heading, spelling), "", *_table(lines, spelling, column), ""]
    if proofs:
        brief = Misallocation(abbreviated(m.envelope))
        return "\n".join([*parts, *_proofs(m, brief, spelling)])
    return "\n".join(parts[:-1])


def _label_width(lines: Sequence[Line], spelling: Notation) -> int:
    printer = PlainPrinter(spelling)
    return max(len(printer.doprint(equation.label)) for line in lines for equation in line)


def _table(lines: Sequence[Line], spelling: Notation, column: int) -> list[str]:
    """One equation a row, the relations under each other."""
    printer = PlainPrinter(spelling)
    rows = []
    for equation in (equation for line in lines for equation in line):
        label = printer.doprint(equation.label)
        first, *rest = _broken(
            f"{equation.relation} {_right_side(equation, printer)}", WIDTH - column - 3
        )
        rows.append(f"  {label.ljust(column)} {first}")
        rows += [" " * (column + 5) + more for more in rest]
    return rows


def _right_side(equation: Equation, printer: PlainPrinter) -> str:
    text = f" {equation.relation} ".join(printer.doprint(side) for side in equation.sides[1:])
    if equation.remainder is not None:
        text += f" + O({printer.doprint(equation.remainder)})"
    if equation.condition is not None:
        left, relation, right = equation.condition
        text += f"   for {printer.doprint(left)} {relation} {printer.doprint(right)}"
    return text


def _broken(text: str, width: int) -> list[str]:
    """Lines of at most `width` where that can be, broken at spaces outside all brackets."""
    lines = [""]
    for word in _words(text):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines


def _words(text: str) -> list[str]:
    words, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == " " and depth == 0:
            words.append("")
        else:
            words[-1] += character
    return words


def _proofs(
    subject: Envelope | Misallocation, brief: Envelope | Misallocation, spelling: Notation
) -> list[str]:
    """Name, how proved, reason; with the side conditions, and in capitals what is not proved."""
    envelope = subject.envelope if isinstance(subject, Misallocation) else subject
    claims = subject.claims
    decisions = {name: claim.prove() for name, claim in claims.items()}
    hows = {
        name: claims[name].argument.label if decision.proved else decision.answer.value.upper()
        for name, decision in decisions.items()
    }
    name_width, how_width = max(map(len, claims)), max(map(len, hows.values()))
    indent = name_width + how_width + 6
    lines = [f"Proofs ({sum(d.proved for d in decisions.values())} of {len(claims)} proved)", ""]
    for name, decision in decisions.items():
        reason = respell(in_letters_of(claims[name].reason, envelope), spelling)
        sentences = [reason, "" if decision.proved else decision.reason]
        sentences.append(
            _where(side_conditions(claims[name], decision, brief.claims[name]), spelling)
        )
        rows = [row for sentence in sentences for row in wrap(sentence, WIDTH - indent)]
        lines.append(f"  {name.ljust(name_width)}  {hows[name].ljust(how_width)}  {rows[0]}")
        lines += [" " * indent + row for row in rows[1:]]
    return lines


def _where(conditions: Sequence[tuple[Expr, str]], spelling: Notation) -> str:
    printer = PlainPrinter(spelling)
    texts = [f"{printer.doprint(expression)} {relation} 0" for expression, relation in conditions]
    return f"where {', '.join(texts)}" if texts else ""


def side_conditions(claim: Claim, decision: Decision, brief: Claim) -> list[tuple[Expr, str]]:
    """What a proof assumes, by name, and what else it used that does not follow from the
    assumptions.
    """
    used = [(c.expression, c.relation) for c in decision.conditions]
    left = [
        (e, relation)
        for e, relation in used
        if not any(_follows(e, relation, a) for a in claim.assume)
    ]
    return [*((assumption, ">") for assumption in brief.assume), *left]


def _follows(expression: Expr, relation: str, assumption: Expr) -> bool:
    """Whether the condition is an assumption times something positive, or nonzero where that
    suffices.
    """
    opaque: dict[Expr, Symbol] = {}
    above, below = (_without_powers(side, opaque) for side in (expression, assumption))
    factor = (above / below).cancel().factor()
    return bool(factor.is_positive or (relation == "!=" and factor.is_negative))


def _without_powers(expression: Expr, opaque: dict[Expr, Symbol]) -> Expr:
    """The expression with every power that is no integer one as a name: a rational function."""
    expanded = expression.expand()
    powers = [p for p in expanded.atoms(Pow, exp) if isinstance(p, exp) or not p.exp.is_Integer]
    for power in powers:
        opaque.setdefault(power, Dummy(positive=True))
    return expanded.xreplace({power: opaque[power] for power in powers})
