"""Functions in which the numerically safe forms are written; each carries its exact definition."""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, Function, Integer, Mul, Pow, Rational, exp, log


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
    """(exp(x) - 1 - x) / x^2, the second exponential-integrator function; phi2(0) = 1/2 and phi2 >
    0.
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
    """(exp(-b s) - 1)/b + (exp(g s) - 1)/g with the arguments b, g, s: positive, for what is linear
    in s cancels.
    """

    nargs = 3

    def definition(self) -> Expr:
        b, g, s = self.args
        return (exp(-b * s) - 1) / b + (exp(g * s) - 1) / g


def defined(expression: Expr) -> Expr:
    """The expression with every safe-form function replaced by its definition."""
    return expression.replace(lambda e: hasattr(e, "definition"), lambda e: e.definition())


class Partial(Function):
    """The derivative of the first argument in the second, a symbol or the logarithm of one, written
    out by `doit`: the first may hold names that stand for functions of the second.
    """

    nargs = 2

    def doit(self, **hints: Any) -> Expr:
        of, variable = self.args
        if isinstance(variable, log):
            return variable.args[0] * of.doit().diff(variable.args[0])
        return of.doit().diff(variable)

    @property
    def order(self) -> tuple[Expr, tuple[Expr, ...]]:
        """What is differentiated, and in which variables one after the other."""
        of, variables = self.args[0], [self.args[1]]
        while isinstance(of, Partial):
            of, variables = of.args[0], [*variables, of.args[1]]
        return of, tuple(variables)

    def _parts(self, printer: Any, mark: str, power: str, gap: str) -> tuple[str, str, str]:
        """What is differentiated, and what stands above and below the line before it."""
        of, variables = self.order
        times = "" if len(variables) == 1 else power.format(len(variables))
        below = gap.join(
            mark + self._raised(x, printer._print(x), variables.count(x), power)
            for x in dict.fromkeys(variables)
        )
        return printer._print(of), mark.strip() + times, below

    @staticmethod
    def _raised(variable: Expr, shown: str, times: int, power: str) -> str:
        if times == 1:
            return shown
        return (shown if variable.is_Symbol else f"({shown})") + power.format(times)

    def _latex(self, printer: Any, exp: Any = None) -> str:
        of, above, below = self._parts(printer, r"\partial ", "^{{{}}}", r" \, ")
        if isinstance(self.order[0], Add | Mul | Pow):
            return rf"\frac{{{above}}}{{{below}}} \left({of}\right)"
        return rf"\frac{{{above} {of}}}{{{below}}}"

    def _sympystr(self, printer: Any) -> str:
        of, above, below = self._parts(printer, "d", "^{}", " ")
        of = f"({of})" if isinstance(self.order[0], Add | Mul | Pow) else of
        return f"{above} {of}/{below}"


def partial(of: Expr, variable: Expr, order: int) -> Expr:
    """The derivative of some order, written out by `doit`."""
    for _ in range(order):
        of = Partial(of, variable)
    return of
