"""Factorials and values of the Gamma function.

They are positive symbols that know one thing, Gamma(x + 1) = x Gamma(x): an identity between them
that follows from the recurrence is then an identity of rational functions. As they are read from a
claim they are functions, whose arguments may still be replaced; `in_values` makes them symbols.
"""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, Function, Integer, Mul, Symbol, factorial, floor

LARGEST_FACTORIAL = 100


class Factorial(Function):
    """x! as it is typed, for a whole number x of at least 0."""

    nargs = 1
    is_positive = True

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        return _of_number(x)

    def _sympystr(self, printer: Any) -> str:
        argument = printer._print(self.args[0])
        return f"{argument}!" if self.args[0].is_Symbol else f"({argument})!"

    def _latex(self, printer: Any, exp: Any = None) -> str:
        argument = printer._print(self.args[0])
        shown = f"{argument}!" if self.args[0].is_Symbol else rf"\left({argument}\right)!"
        return shown if exp is None else rf"\left({shown}\right)^{{{exp}}}"


class Gamma(Function):
    """Gamma(x) as it is typed, for x > 0."""

    nargs = 1
    is_positive = True

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        return _of_number(x - 1)

    def _latex(self, printer: Any, exp: Any = None) -> str:
        shown = rf"\Gamma\left({printer._print(self.args[0])}\right)"
        return shown if exp is None else rf"{shown}^{{{exp}}}"


def _of_number(x: Expr) -> Expr | None:
    return factorial(x) if x.is_Integer and 0 <= x <= LARGEST_FACTORIAL else None


def in_values(expression: Expr) -> Expr:
    """The expression with factorials and values of Gamma as symbols that know their recurrence.

    Raises
    ------
    ValueError
        At an argument where they have no value.
    """
    return expression.replace(Factorial, lambda x: factorial_of(x.expand())).replace(
        Gamma, lambda x: factorial_of(x.expand() - 1)
    )


def whole_choice(n: Expr, k: Expr) -> Expr:
    """n choose k: n (n - 1) .../k! for a number k, else in factorials."""
    if k.is_Integer and 0 <= k <= LARGEST_FACTORIAL:
        return Mul(*((n - i) / Integer(i + 1) for i in range(int(k))))
    return Factorial(n) / (Factorial(k) * Factorial(n - k))


class Value(Symbol):
    """The positive value of a factorial at some argument, as a symbol: its name says which."""

    __slots__ = ()

    def _latex(self, printer: Any) -> str:
        return self.name


def factorial_of(x: Expr) -> Expr:
    """x! by (x + 1)! = (x + 1) x!: with x = y + m, m an integer, a rational multiple of the symbol
    y!.

    Raises
    ------
    ValueError
        Where x is an integer below 0.

    Examples
    --------
    >>> factorial_of(Symbol("k") + 1)
    k!*(k + 1)
    """
    whole, rest = _whole_part(x)
    if rest == 0:
        if whole < 0:
            raise ValueError(f"x={x}: a factorial needs a number of at least 0")
        return factorial(whole)
    above = Mul(*(rest + i for i in range(1, int(whole) + 1)))
    below = Mul(*(rest - i for i in range(-int(whole))))
    name = f"{rest}!" if rest.is_Symbol else f"({_spelled(rest)})!"
    return above / below * Value(name, positive=True)


def _whole_part(x: Expr) -> tuple[Expr, Expr]:
    """x = m + y with m the whole number in its constant term."""
    constant, rest = x.as_coeff_Add()
    whole = floor(constant)
    return whole, rest + (constant - whole)


def _spelled(sum_of_terms: Expr) -> str:
    """n - k rather than -k + n."""
    terms = sorted(
        Add.make_args(sum_of_terms),
        key=lambda term: (term.could_extract_minus_sign(), term.is_number, str(term)),
    )
    signs = ("-" if term.could_extract_minus_sign() else "+" for term in terms)
    return " ".join(
        f"{sign} {-term if sign == '-' else term}" for sign, term in zip(signs, terms, strict=True)
    ).removeprefix("+ ")
