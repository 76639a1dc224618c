"""The functions of the numerically safe forms, each with its exact definition."""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, Function, Integer, Mul, Pow, Rational, cosh, exp, log, sinh, tanh


class expm1(Function):
    """exp(x) - 1."""

    nargs = 1

    def definition(self) -> Expr:
        return exp(self.args[0]) - 1

    def fdiff(self, argindex: int = 1) -> Expr:
        return exp(self.args[0])

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return rf"\operatorname{{expm1}}\left({printer._print(self.args[0])}\right)"


class log1p(Function):
    """log(1 + x)."""

    nargs = 1

    def definition(self) -> Expr:
        return log(1 + self.args[0])

    def fdiff(self, argindex: int = 1) -> Expr:
        return 1 / (1 + self.args[0])

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return rf"\operatorname{{log1p}}\left({printer._print(self.args[0])}\right)"


class phi2(Function):
    """(exp(x) - 1 - x) / x^2, the second exponential-integrator function; it is positive, and
    phi2(0) = 1/2.
    """

    nargs = 1

    @classmethod
    def eval(cls, argument: Expr) -> Expr | None:
        return Rational(1, 2) if argument.is_zero else None

    def definition(self) -> Expr:
        x = self.args[0]
        return (exp(x) - 1 - x) / x ** Integer(2)

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return rf"\varphi_2\left({printer._print(self.args[0])}\right)"


class expm1_pair(Function):
    """(exp(-b s) - 1)/b + (exp(g s) - 1)/g of b, g and s, in which the linear terms in s cancel; it
    is positive.
    """

    nargs = 3

    def definition(self) -> Expr:
        b, g, s = self.args
        return (exp(-b * s) - 1) / b + (exp(g * s) - 1) / g


def meaning(e: Expr) -> Expr | None:
    """What a safe-form or hyperbolic function stands for; None for any other expression."""
    if hasattr(e, "definition"):
        return e.definition()
    return e.rewrite(exp) if isinstance(e, (sinh, cosh, tanh)) else None


def defined(expression: Expr) -> Expr:
    """The expression with every safe-form function replaced by its definition."""
    return expression.replace(lambda e: hasattr(e, "definition"), lambda e: e.definition())


class Partial(Function):
    """The derivative of an expression in a symbol or in the logarithm of one.

    `doit` evaluates it; until then the expression may hold names that stand for functions of the
    symbol.
    """

    nargs = 2

    def doit(self, **hints: Any) -> Expr:
        expression, variable = self.args
        if isinstance(variable, log):
            return variable.args[0] * expression.doit().diff(variable.args[0])
        return expression.doit().diff(variable)

    @property
    def order(self) -> tuple[Expr, tuple[Expr, ...]]:
        """The innermost expression, and the variables of all nested derivatives."""
        expression, variables = self.args[0], [self.args[1]]
        while isinstance(expression, Partial):
            expression, variables = expression.args[0], [*variables, expression.args[1]]
        return expression, tuple(variables)

    def _parts(self, printer: Any, mark: str, power: str, gap: str) -> tuple[str, str, str]:
        """The printed expression, numerator and denominator of the derivative."""
        expression, variables = self.order
        times = "" if len(variables) == 1 else power.format(len(variables))
        below = gap.join(
            mark + self._raised(x, printer._print(x), variables.count(x), power)
            for x in dict.fromkeys(variables)
        )
        return printer._print(expression), mark.strip() + times, below

    @staticmethod
    def _raised(variable: Expr, shown: str, times: int, power: str) -> str:
        if times == 1:
            return shown
        return (shown if variable.is_Symbol else f"({shown})") + power.format(times)

    def _latex(self, printer: Any, exp: Any = None) -> str:
        shown, above, below = self._parts(printer, r"\partial ", "^{{{}}}", r" \, ")
        if isinstance(self.order[0], Add | Mul | Pow):
            return rf"\frac{{{above}}}{{{below}}} \left({shown}\right)"
        return rf"\frac{{{above} {shown}}}{{{below}}}"

    def _sympystr(self, printer: Any) -> str:
        shown, above, below = self._parts(printer, "d", "^{}", " ")
        shown = f"({shown})" if isinstance(self.order[0], Add | Mul | Pow) else shown
        return f"{above} {shown}/{below}"
