"""Expressions built within bounds on time and size, together with the conditions of their domain.

Building an expression evaluates its constants: those without a real value, numbers too long to write
down, and towers of exponentials are refused. Nothing that depends on the sign of a sum is evaluated:
SymPy would decide it by factorisation, which has no bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from sympy import Abs, Add, E, Expr, I, Pow, Rational, Symbol, nan, oo, zoo

from sympy import exp, log, sqrt  # isort: skip

from ..kernel.answer import Condition
from ..kernel.factorials import LARGEST_FACTORIAL, Factorial, Gamma, whole_choice
from .tokens import ParseError, Pieces, Token, quoted

#: The bounds on powers of constants: bits of the power, size of the exponent, bits under a root.
LARGEST_POWER_BITS = 10_000
LARGEST_EXPONENT = 1_000
LARGEST_ROOTED_BITS = 1_000
#: Bits times p or q, whichever is larger, of u^(p/q): SymPy factors u and raises the factors to these.
LARGEST_ROOT_BITS = 2_000_000

FUNCTIONS: dict[str, Callable[..., Expr]] = {
    "exp": exp, "log": log, "ln": log, "sqrt": sqrt, "abs": Abs,
}  # fmt: skip
#: Further functions of claims, in terms of those above.
MORE_FUNCTIONS: dict[str, Callable[[Expr], Expr]] = {
    "sinh": lambda x: (exp(x) - exp(-x)) / 2,
    "cosh": lambda x: (exp(x) + exp(-x)) / 2,
    "tanh": lambda x: (exp(x) - exp(-x)) / (exp(x) + exp(-x)),
    "log10": lambda x: log(x) / log(10),
    "log2": lambda x: log(x) / log(2),
    "log1p": lambda x: log(1 + x),
    "expm1": lambda x: exp(x) - 1,
    "Gamma": Gamma,
}
#: The greater and the smaller of two values.
EXTREMA: dict[str, Callable[[Expr, Expr], Expr]] = {
    "max": lambda a, b: (a + b + Abs(a - b, evaluate=False)) / 2,
    "min": lambda a, b: (a + b - Abs(a - b, evaluate=False)) / 2,
}
APPLIED = {*FUNCTIONS, *MORE_FUNCTIONS, *EXTREMA, "binom"}


@dataclass(frozen=True)
class NamedFunction:
    """A name that may be applied to arguments: `N_opt` is its body, `N_opt(10^21)` the body's value.

    `other` is the function of the same name with another number of arguments: `L(N, D)` is the loss
    and `L(C)` the least loss at C. `instead` gives the parameter for arguments that are another
    quantity: `P(rho)` is the penalty at the overtraining ratio rho, which is P at r = rho^(-1/2).
    """

    parameters: tuple[Symbol, ...]
    body: Expr
    other: NamedFunction | None = None
    instead: tuple[tuple[Symbol, Expr], ...] = ()

    def map(self, function: Callable[[Expr], Expr]) -> NamedFunction:
        """The function with `function` applied to its bodies and to the values of `instead`."""
        other = None if self.other is None else self.other.map(function)
        instead = tuple((symbol, function(value)) for symbol, value in self.instead)
        return replace(self, body=function(self.body), other=other, instead=instead)

    @property
    def cases(self) -> tuple[NamedFunction, ...]:
        """The function itself, and the one with another number of arguments, if any."""
        return (self,) if self.other is None else (self, self.other)


@dataclass
class Domain:
    """The domain of expressions as typed, before anything cancels: the expressions that must be
    positive, nonzero, or nonnegative there.
    """

    positive: list[Expr] = field(default_factory=list)
    nonzero: list[Expr] = field(default_factory=list)
    nonnegative: list[Expr] = field(default_factory=list)

    @classmethod
    def of(cls, conditions: Iterable[Condition]) -> Domain:
        """The domain where all of the conditions hold."""
        domain = cls()
        for condition in conditions:
            domain.by_relation[condition.relation].append(condition.expression)
        return domain

    @property
    def by_relation(self) -> dict[str, list[Expr]]:
        return {">": self.positive, "!=": self.nonzero, ">=": self.nonnegative}

    @property
    def groups(self) -> tuple[list[Expr], ...]:
        return tuple(self.by_relation.values())

    @property
    def conditions(self) -> list[Condition]:
        """The domain as conditions."""
        return [Condition(e, relation) for relation, es in self.by_relation.items() for e in es]

    def map(self, function: Callable[[Expr], Expr]) -> Domain:
        """The domain with `function` applied to each of its expressions."""
        return Domain(*(list(map(function, group)) for group in self.groups))

    def add(self, other: Domain) -> None:
        """Add the conditions of another domain."""
        for group, more in zip(self.groups, other.groups, strict=True):
            group += [value for value in more if value not in group]

    @staticmethod
    def note(group: list[Expr], value: Expr) -> None:
        """Add an expression to one of the groups, unless it is plainly positive."""
        if value not in group and not plainly_positive(value):
            group.append(value)


def plainly_positive(value: Expr) -> bool:
    """Whether the expression is a sum or product of positive letters, numbers and exponentials."""
    if value.is_Add or value.is_Mul:
        return all(map(plainly_positive, value.args))
    if value.is_Pow:
        return plainly_positive(value.base)
    is_positive_anywhere = isinstance(value, (exp, Factorial, Gamma))
    return bool(is_positive_anywhere or (value.is_Atom and value.is_positive))


@dataclass
class Builder(Pieces):
    """Builds powers and functions of expressions; `text`, which they are read from, is for messages."""

    text: str
    domain: Domain = field(default_factory=Domain)

    def raised(self, base: Expr, exponent: Expr, at: Token) -> Expr:
        """The power of a base; one without a real value, or too large to write down, is refused."""
        if base == E:
            return self.applied(exp, exponent, at)
        if base == 0 and not (exponent.is_Rational and exponent > 0):
            self.refuse(at, "a power of zero at {}")
        if base.is_Rational and base < 0 and not exponent.is_Integer:
            self.refuse(at, "a non-integer power of a negative number at {}")
        bits = _bits([base])
        self._check_size(bits, exponent, at)
        if bits or base.has(exp, E):
            self._check_tower(exponent, at)
        if not exponent.is_Integer:
            self.domain.note(self.domain.positive, base)
        elif exponent < 0:
            self.domain.note(self.domain.nonzero, base)
        is_sum = base.has(Add) or exponent.has(Add)
        return Pow(base, exponent, evaluate=bool(exponent.is_Integer or not is_sum))

    def _check_size(self, bits: int, exponent: Expr, at: Token) -> None:
        """Refuse a power of a number of `bits` bits that is too large to write down."""
        for number in exponent.atoms(Rational):
            size, root = abs(number), max(abs(number.p), number.q)
            rooted = LARGEST_POWER_BITS if number.is_Integer else LARGEST_ROOTED_BITS
            is_long = bits * size > LARGEST_POWER_BITS or bits * root > LARGEST_ROOT_BITS
            if size > LARGEST_EXPONENT or bits > rooted or is_long:
                self.refuse(at, "a number too large to write down at {}")

    def _check_tower(self, exponent: Expr, at: Token) -> None:
        """Refuse constants such as exp(exp(50)), whose digits cannot be computed."""
        for term in Add.make_args(exponent):
            if term.as_independent(*term.free_symbols, as_Add=False)[0].has(exp, E):
                self.refuse(at, "a tower of exponentials at {}")

    def applied(self, function: Callable[..., Expr], argument: Expr, at: Token) -> Expr:
        """The value of a function of one argument."""
        if function is sqrt:
            return self.raised(argument, Rational(1, 2), at)
        if function is log and argument.is_Rational and argument <= 0:
            self.refuse(at, "the logarithm of a number that is not positive at {}")
        if function in (log, Gamma):
            self.domain.note(self.domain.positive, argument)
        if function is exp:  # exp(n log u) is evaluated as u^n
            self._check_size(_bits(argument.atoms(log)), argument, at)
            self._check_tower(argument, at)
        if function in (exp, log, Abs):
            return function(argument, evaluate=not argument.has(Add))
        if function is Gamma:
            return function(argument)
        x = Symbol("x", positive=True)
        return substituted(function(x), {x: argument}, self.text, self.domain)

    def factorial(self, n: Expr, at: Token) -> Expr:
        self._check_count(n, at)
        return Factorial(n)

    def choices(self, n: Expr, k: Expr, at: Token) -> Expr:
        """The binomial coefficient n over k, in factorials unless k is a number."""
        for count in (k,) if k.is_number else (k, n - k):
            self._check_count(count, at)
        return whole_choice(n, k)

    def _check_count(self, n: Expr, at: Token) -> None:
        if n.is_number and not (n.is_Integer and 0 <= n <= LARGEST_FACTORIAL):
            self.refuse(at, f"a whole number from 0 to {LARGEST_FACTORIAL} is expected at {{}}")
        self.domain.note(self.domain.positive, n + 1)


def substituted(
    expression: Expr, values: Mapping[Symbol, Expr], text: str, domain: Domain | None = None
) -> Expr:
    """The expression with symbols replaced by values all at once, within the bounds of the builder;
    `text` is for messages.
    """
    replaced = sorted(expression.free_symbols & values.keys(), key=str)
    if not replaced:
        return expression
    at = Token("name", ", ".join(f"{x} = {values[x]}" for x in replaced), 0)
    builder = Builder(text, Domain() if domain is None else domain)

    def rebuilt(part: Expr) -> Expr:
        if part.is_Symbol or not part.args:
            return values.get(part, part)
        arguments = [rebuilt(argument) for argument in part.args]
        if part.func in (exp, log):
            return builder.applied(part.func, arguments[0], at)
        return (
            builder.raised(arguments[0], arguments[1], at) if part.is_Pow else part.func(*arguments)
        )

    result = rebuilt(expression)
    if result.has(I, nan, oo, zoo):
        raise ParseError(f"{quoted(text)}: has no real value for {at.text}")
    return result


def _bits(expressions: Iterable[Expr]) -> int:
    """The bits of the longest number in the expressions, where 0, 1 and -1 have none."""
    numbers = (number for expression in expressions for number in expression.atoms(Rational))
    sizes = (max(abs(int(number.p)), int(number.q)) for number in numbers)
    return max((n.bit_length() for n in sizes if n > 1), default=0)
