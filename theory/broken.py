"""The broken neural scaling law with any number of breaks, and the two-term law along a fixed ratio
as one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Expr, Function, Integer, exp, log

from .envelope import log_slope
from .kernel import symbols as sym
from .ray import RayForm


class softplus(Function):
    """log(1 + exp(x)), to be computed without overflow."""

    nargs = 1

    def definition(self) -> Expr:
        return log(1 + exp(self.args[0]))

    def fdiff(self, argindex: int = 1) -> Expr:
        return logistic(self.args[0])

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return rf"\log\left(1 + e^{{{printer._print(self.args[0])}}}\right)"


class logistic(Function):
    """1/(1 + exp(-x)), to be computed without overflow."""

    nargs = 1

    def definition(self) -> Expr:
        return 1 / (1 + exp(-self.args[0]))

    def _latex(self, printer: Any, exp: Any = None) -> str:
        return rf"\frac{{1}}{{1 + e^{{{printer._print(-self.args[0])}}}}}"


@dataclass(frozen=True)
class OneBreak:
    """A broken law with one break, y = a + b x^-c0 (1 + (x/d1)^(1/f1))^(-c1 f1), in the letters of
    the source.

    The exponent is c0 well below the break d1 and c0 + c1 well above it.
    """

    a: Expr
    b: Expr
    c0: Expr
    c1: Expr
    d1: Expr
    f1: Expr

    def at(self, x: Expr) -> Expr:
        """y at x."""
        passed = (1 + (x / self.d1) ** (1 / self.f1)) ** (-self.c1 * self.f1)
        return self.a + self.b * x**-self.c0 * passed


@dataclass(frozen=True)
class BreakInLogs:
    """log of the factor of a break, -c f log(1 + exp(u)) with u = x/f, and its derivatives in c, x
    and log f.

    x = log(compute) - log d, so that a derivative in log d is minus that in x. With s = 1/(1 +
    exp(-u)) the share passed and H = -s log s - (1 - s) log(1 - s), every one is a product of terms
    that neither overflow nor cancel.
    """

    change: Expr
    distance: Expr
    width: Expr

    @property
    def _u(self) -> Expr:
        return self.distance / self.width

    @property
    def value(self) -> Expr:
        """-c f log(1 + e^u)."""
        return -self.change * self.width * softplus(self._u)

    @property
    def passed(self) -> Expr:
        """s."""
        return logistic(self._u)

    @property
    def left(self) -> Expr:
        """1 - s."""
        return logistic(-self._u)

    @property
    def entropy(self) -> Expr:
        """H = s log(1 + e^-u) + (1 - s) log(1 + e^u)."""
        return self.passed * softplus(-self._u) + self.left * softplus(self._u)

    @property
    def first(self) -> tuple[Expr, Expr, Expr]:
        """In c, x, log f: -f log(1 + e^u), -c s, -c f H."""
        return (
            -self.width * softplus(self._u),
            -self.change * self.passed,
            -self.change * self.width * self.entropy,
        )

    @property
    def second(self) -> dict[str, Expr]:
        """By pair of c, x and log f (named f): the pair c, c is 0."""
        c, f, u, spread = self.change, self.width, self._u, self.passed * self.left
        return {
            "cx": -self.passed,
            "cf": -f * self.entropy,
            "xx": -c * spread / f,
            "xf": c * u * spread,
            "ff": -c * f * (self.entropy + u**2 * spread),
        }


def broken_power_law(ray: RayForm) -> OneBreak:
    """The ray as a one-break law of compute: c0 = p, c1 = q - p, f1 = 1/(p - q), d1 where the two
    terms agree.

    p and q are the exponents of the params and the tokens term in compute; c1 f1 = -1. The break is
    smooth in the sense of the source (f1 > 0) for p > q; the formula holds for p != q.
    """
    n, d = ray.envelope.form.variables
    on_ray = {n: ray.params, d: ray.tokens}
    params, tokens = (term.expression.subs(on_ray) for term in ray.envelope.form.terms)
    p, q = (-log_slope(term.expand(force=True)) for term in (params, tokens))
    at_one = params.subs(sym.C, Integer(1)), tokens.subs(sym.C, Integer(1))
    return OneBreak(
        a=sym.E,
        b=at_one[0],
        c0=p,
        c1=q - p,
        d1=(at_one[0] / at_one[1]) ** (1 / (p - q)),
        f1=1 / (p - q),
    )
