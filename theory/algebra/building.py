"""Expressions built under bounds, with the conditions under which they have a value beside them.

Building an expression evaluates constants: what has no real value, a number too long to write down, and
a tower of exponentials are refused. Nothing that hangs on the sign of a sum is evaluated: it would be
decided by factorisation, which has no bound. What is built may cancel; where the expression has a value
is noted as the conditions of its `Domain`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from sympy import (
    Abs,
    Add,
    E,
    Expr,
    I,
    Integer,
    Pow,
    Rational,
    Symbol,
    cosh,
    exp,
    log,
    nan,
    oo,
    sinh,
    sqrt,
    tanh,
    zoo,
)

from .answer import Condition
from .factorials import Factorial, Gamma, whole_choice
from .tokens import ParseError, Token, quoted

LARGEST_DECIMAL_EXPONENT = 100
LARGEST_POWER_BITS = 10_000
LARGEST_EXPONENT = 1_000
LARGEST_ROOTED_BITS = 1_000
LARGEST_ROOT_BITS = (
    2_000_000  # u^(p/q) is evaluated by way of prime factors to powers of up to p and q
)

FUNCTIONS: dict[str, Callable[..., Expr]] = {
    "exp": exp,
    "log": log,
    "ln": log,
    "sqrt": sqrt,
    "abs": Abs,
}
#: What claims may have besides, each by way of the functions above.
MORE_FUNCTIONS: dict[str, Callable[..., Expr]] = {
    "sinh": sinh,
    "cosh": cosh,
    "tanh": tanh,
    "acosh": lambda x: log(x + sqrt(x**2 - 1)),
    "asinh": lambda x: log(x + sqrt(x**2 + 1)),
    "atanh": lambda x: log((1 + x) / (1 - x)) / 2,
    "log10": lambda x: log(x) / log(10),
    "log2": lambda x: log(x) / log(2),
    "log1p": lambda x: log(1 + x),
    "expm1": lambda x: exp(x) - 1,
    "Gamma": Gamma,
}
#: The greater or the less of two values, and the number of choices.
OF_TWO: dict[str, Callable[[Expr, Expr], Expr]] = {
    "binom": whole_choice,
    "max": lambda a, b: (a + b + Abs(a - b, evaluate=False)) / 2,
    "min": lambda a, b: (a + b - Abs(a - b, evaluate=False)) / 2,
}


@dataclass(frozen=True)
class NamedFunction:
    """A name that may be applied to arguments: `N_opt` stands for its body, `N_opt(10^21)` for the
    body there.

    Where the number of arguments is that of `other`, it is meant: `L(N, D)`, but `L(C)` is the
    least loss at C. A symbol of `instead` stands for another parameter: `P(rho)` is the penalty at
    the overtraining ratio rho, and so P at r = rho^(-1/2).
    """

    parameters: tuple[Symbol, ...]
    body: Expr
    other: NamedFunction | None = None
    instead: tuple[tuple[Symbol, Expr], ...] = ()


@dataclass
class Domain:
    """Where expressions as typed have a value, whatever of them cancels: what must be positive, not
    zero, or not negative.
    """

    positive: list[Expr] = field(default_factory=list)
    nonzero: list[Expr] = field(default_factory=list)
    nonnegative: list[Expr] = field(default_factory=list)

    @property
    def groups(self) -> tuple[list[Expr], list[Expr], list[Expr]]:
        return self.positive, self.nonzero, self.nonnegative

    @property
    def conditions(self) -> list[Condition]:
        """What must be positive, not zero, or not negative, as conditions."""
        relations = zip((">", "!=", ">="), self.groups, strict=True)
        return [Condition(e, relation) for relation, group in relations for e in group]

    def map(self, function: Callable[[Expr], Expr]) -> Domain:
        """The domain with each of its expressions replaced."""
        return Domain(*(list(map(function, group)) for group in self.groups))

    def power(self, base: Expr, exponent: Expr) -> None:
        """`base^exponent` is real: a whole negative power needs a base other than zero, a broken
        one a positive base.
        """
        if exponent.is_Integer:
            self._note(self.nonzero if exponent < 0 else None, base)
        else:
            self._note(self.positive, base)

    def divisor(self, value: Expr) -> None:
        self._note(self.nonzero, value)

    def logarithm(self, argument: Expr) -> None:
        self._note(self.positive, argument)

    def at_least_zero(self, value: Expr) -> None:
        """For a whole number, more than -1."""
        self._note(self.positive, value + 1)

    @staticmethod
    def _note(conditions: list[Expr] | None, value: Expr) -> None:
        if conditions is not None and value not in conditions and not plainly_positive(value):
            conditions.append(value)


def plainly_positive(value: Expr) -> bool:
    """Whether the expression is positive at first sight: a sum or a product of what is."""
    if value.is_Add or value.is_Mul:
        return all(map(plainly_positive, value.args))
    if value.is_Pow:
        return plainly_positive(value.base)
    is_positive_anywhere = isinstance(value, (exp, Factorial, Gamma))
    return bool(is_positive_anywhere or (value.is_Atom and value.is_positive))


class Builder:
    """Powers and functions of expressions that stand in a text, which is for the messages."""

    #: Whether what is read stays as it is written.
    kept = False

    def __init__(self, text: str, domain: Domain | None = None) -> None:
        self.text = text
        self.domain = Domain() if domain is None else domain

    def error(self, at: Token, what: str, rest: str = "") -> ParseError:
        return ParseError.at(self.text, at.position, what, rest)

    def refuse(self, what: str, token: Token) -> NoReturn:
        raise self.error(token, f"{what} {token.text!r}")

    def raised(self, base: Expr, exponent: Expr, at: Token) -> Expr:
        self._check_power(base, exponent, at)
        self.domain.power(base, exponent)
        return Pow(
            base,
            exponent,
            evaluate=bool(exponent.is_Integer or not (base.has(Add) or exponent.has(Add))),
        )

    def _check_power(self, base: Expr, exponent: Expr, at: Token) -> None:
        """Refuse 0^0, 0^-1, powers without a real value and constants that are too large to write
        down.
        """
        if base == 0 and not (exponent.is_Rational and exponent > 0):
            self.refuse("a power of zero at", at)
        if base.is_Rational and base < 0 and not exponent.is_Integer:
            self.refuse("a non-integer power of a negative number at", at)
        bits = _bits(base)
        self._check_size(bits, exponent, at)
        if bits or base.has(exp, E):
            self._check_tower(exponent, at)

    def _check_size(self, bits: int, exponent: Expr, at: Token) -> None:
        """Refuse a power of a number of `bits` bits that is too large to write down."""
        for number in exponent.atoms(Rational):
            size, root = abs(number), max(abs(number.p), number.q)
            rooted = LARGEST_POWER_BITS if number.is_Integer else LARGEST_ROOTED_BITS
            if (
                size > LARGEST_EXPONENT
                or bits > rooted
                or bits * size > LARGEST_POWER_BITS
                or bits * root > LARGEST_ROOT_BITS
            ):
                self.refuse("a number too large to write down at", at)

    def _check_tower(self, exponent: Expr, at: Token) -> None:
        """Refuse constants such as exp(exp(50)): their digits are beyond reach, and their sign may
        hang on them.
        """
        constants = (
            term.as_independent(*term.free_symbols, as_Add=False)[0]
            for term in Add.make_args(exponent)
        )
        if any(constant.has(exp, E) for constant in constants):
            self.refuse("a tower of exponentials at", at)

    def applied(self, function: Callable[..., Expr], argument: Expr, token: Token) -> Expr:
        if function is sqrt:
            return self.raised(argument, Rational(1, 2), token)
        if function is Gamma:
            self.domain.logarithm(argument)
            return Gamma(argument)
        if self.kept and function in (sinh, cosh, tanh):
            return function(argument)
        if function in MORE_FUNCTIONS.values():
            return self._composed(function, argument, token)
        if function is log and argument.is_Rational and argument <= 0:
            self.refuse("the logarithm of a number that is not positive at", token)
        if function is log:
            self.domain.logarithm(argument)
        if function is exp:  # exp(n log u) is evaluated as u^n
            self._check_size(max(map(_bits, argument.atoms(log)), default=0), argument, token)
            self._check_tower(argument, token)
        return function(argument, evaluate=not argument.has(Add))

    def _composed(self, function: Callable[..., Expr], argument: Expr, token: Token) -> Expr:
        """One of the functions that are made of exponentials and logarithms."""
        x = Symbol("x", positive=True)
        if function in (sinh, cosh, tanh):
            above = self.applied(exp, argument, token)
            below = self.applied(exp, -argument, token)
            total = above + below if function is not sinh else Integer(2)
            return (above + below) / 2 if function is cosh else (above - below) / total
        return substituted(function(x), {x: argument}, self.text, self.domain)


def substituted(
    expression: Expr, values: Mapping[Symbol, Expr], text: str, domain: Domain | None = None
) -> Expr:
    """The expression with symbols replaced all at once, under the bounds of the reader; `text` is
    for the messages.
    """
    if not expression.free_symbols & values.keys():
        return expression
    at = Token(
        "name",
        ", ".join(
            f"{x} = {values[x]}" for x in sorted(expression.free_symbols & values.keys(), key=str)
        ),
        0,
    )
    builder = Builder(text, domain)

    def rebuilt(part: Expr) -> Expr:
        if part.is_Symbol or not part.args:
            return values.get(part, part)
        arguments = [rebuilt(argument) for argument in part.args]
        if part.func in (exp, log):
            return builder.applied(part.func, arguments[0], at)
        if isinstance(part, Pow):
            return builder.raised(arguments[0], arguments[1], at)
        return part.func(*arguments)

    replaced = rebuilt(expression)
    if replaced.has(I, nan, oo, zoo):
        raise ParseError(f"{quoted(text)}: has no real value for {at.text}")
    return replaced


def _bits(expression: Expr) -> int:
    """Bits of the longest number in the expression other than 0 and 1, and their signs."""
    numbers = (max(abs(int(number.p)), int(number.q)) for number in expression.atoms(Rational))
    return max((n.bit_length() for n in numbers if n > 1), default=0)
