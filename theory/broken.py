"""The broken neural scaling law with any number of breaks, and the two-term law along a fixed ratio
as one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Add, Expr, Function, Integer, Mul, exp, log

from .algebra import symbols as sym
from .envelope import log_slope
from .ray import RayForm

CABALLERO = "Caballero et al. 2023, arXiv 2210.14891"


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
class BreakForm:
    """One factor (1 + (x/d)^(1/f))^(-c f) of a broken law.

    Attributes
    ----------
    change : Expr
        c: by how much the exponent changes across the break.
    place : Expr
        d > 0: the x of the break.
    width : Expr
        f > 0: the share passed goes from 1/(1 + e) to e/(1 + e) between d exp(-f) and d exp(f).
    """

    change: Expr
    place: Expr
    width: Expr

    def at(self, x: Expr) -> Expr:
        """The factor at x."""
        return (1 + self.ratio(x)) ** (-self.change * self.width)

    def ratio(self, x: Expr) -> Expr:
        """(x/d)^(1/f)."""
        return (x / self.place) ** (1 / self.width)

    def passed(self, x: Expr) -> Expr:
        """s = z/(1 + z) with z = (x/d)^(1/f): the share of the change of exponent that is reached
        at x.
        """
        z = self.ratio(x)
        return z / (1 + z)

    @property
    def reversed(self) -> BreakForm:
        """The same break with f < 0: a law read from its other end."""
        return BreakForm(-self.change, self.place, -self.width)


@dataclass(frozen=True)
class BrokenForm:
    """y = a + b x^-c0 prod_i (1 + (x/d_i)^(1/f_i))^(-c_i f_i) (Caballero et al. 2023, arXiv
    2210.14891).
    """

    a: Expr
    b: Expr
    c0: Expr
    breaks: tuple[BreakForm, ...]

    def at(self, x: Expr) -> Expr:
        """y at x."""
        return self.a + self.b * x**-self.c0 * Mul(*(part.at(x) for part in self.breaks))

    def exponent(self, x: Expr) -> Expr:
        """-dlog|y - a|/dlog x = c0 + sum_i c_i s_i."""
        return self.c0 + Add(*(part.change * part.passed(x) for part in self.breaks))

    @property
    def last_exponent(self) -> Expr:
        """c0 + sum_i c_i, the exponent well above every break."""
        return self.c0 + Add(*(part.change for part in self.breaks))

    @property
    def last_coefficient(self) -> Expr:
        """b prod_i d_i^c_i: y - a is this times x to minus the last exponent, well above every
        break.
        """
        return self.b * Mul(*(part.place**part.change for part in self.breaks))

    @property
    def reversed(self) -> BrokenForm:
        """The same law from its other end: every f_i and c_i with the other sign."""
        return BrokenForm(
            self.a,
            self.last_coefficient,
            self.last_exponent,
            tuple(part.reversed for part in self.breaks),
        )


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

    @property
    def law(self) -> BrokenForm:
        """As a law with any number of breaks."""
        return BrokenForm(self.a, self.b, self.c0, (BreakForm(self.c1, self.d1, self.f1),))

    def at(self, x: Expr) -> Expr:
        """y at x."""
        return self.law.at(x)


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


@dataclass(frozen=True)
class TwoTerms:
    """The coefficients of E + A N^-beta + B D^-gamma whose ray a one-break law with c1 f1 = -1 is."""

    A: Expr
    B: Expr
    beta: Expr
    gamma: Expr


def two_terms(ray: RayForm, b: Expr, d1: Expr, p: Expr, q: Expr) -> TwoTerms:
    """The two-term law behind a + b C^-p (1 + (C/d1)^(p - q)), the one-break law with c0 = p, c0 +
    c1 = q, f1 = 1/(p - q).

    The steeper term, p, is taken for that of params; the other attribution fits the ray as well.
    """
    params, tokens = (size.subs(sym.C, Integer(1)) for size in (ray.params, ray.tokens))
    growth = log_slope(ray.params)
    beta, gamma = p / growth, q / growth
    return TwoTerms(A=b * params**beta, B=b * d1 ** (q - p) * tokens**gamma, beta=beta, gamma=gamma)
