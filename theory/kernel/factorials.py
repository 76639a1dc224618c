"""Factorials and values of the Gamma function.

A claim holds them as functions, whose arguments may still be replaced; `in_values` turns them into
positive symbols that obey Gamma(x + 1) = x Gamma(x). An identity that follows from this recurrence
is then an identity of rational functions.
"""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, Function, Integer, Mul, Symbol, factorial, floor

LARGEST_FACTORIAL = 100


class Factorial(Function):
    """The factorial x! of an integer x >= 0, as typed."""

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
    """Gamma(x) for x > 0, as typed."""

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
    """The expression with factorials and values of Gamma as symbols that obey the recurrence.

    Raises
    ------
    ValueError
        If an argument has no factorial.
    """
    return expression.replace(Factorial, lambda x: factorial_of(x.expand())).replace(
        Gamma, lambda x: factorial_of(x.expand() - 1)
    )


def whole_choice(n: Expr, k: Expr) -> Expr:
    """The binomial coefficient: n (n - 1) .../k! for a number k, else in factorials."""
    if k.is_Integer and 0 <= k <= LARGEST_FACTORIAL:
        return Mul(*((n - i) / Integer(i + 1) for i in range(int(k))))
    return Factorial(n) / (Factorial(k) * Factorial(n - k))


class Value(Symbol):
    """The value of a factorial as a positive symbol named after it, such as `(n - k)!`."""

    __slots__ = ()

    def _latex(self, printer: Any) -> str:
        return self.name


def factorial_of(x: Expr) -> Expr:
    """x! as a rational multiple of the symbol y!, where x = y + m and m is the integer part of the
    constant term, by (x + 1)! = (x + 1) x!.

    Raises
    ------
    ValueError
        If x is an integer below 0.

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
    """(m, y) with x = m + y, where m is the integer part of the constant term of x."""
    constant, rest = x.as_coeff_Add()
    whole = floor(constant)
    return whole, rest + (constant - whole)


def _spelled(sum_of_terms: Expr) -> str:
    """The sum with its positive terms first: n - k rather than -k + n."""
    terms = sorted(
        Add.make_args(sum_of_terms),
        key=lambda term: (term.could_extract_minus_sign(), term.is_number, str(term)),
    )
    signs = ("-" if term.could_extract_minus_sign() else "+" for term in terms)
    return " ".join(
        f"{sign} {-term if sign == '-' else term}" for sign, term in zip(signs, terms, strict=True)
    ).removeprefix("+ ")
