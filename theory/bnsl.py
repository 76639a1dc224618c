"""The broken neural scaling law with one break, and the two-term law along a fixed ratio as one of them."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import log_slope
from isoflop.theory.ray import Ray


@dataclass(frozen=True)
class OneBreak:
    """y = a + b x^-c0 (1 + (x/d1)^(1/f1))^(-c1 f1) (Caballero et al. 2023, arXiv 2210.14891), in the letters of the source.

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
        return self.a + self.b * x**-self.c0 * (1 + (x / self.d1) ** (1 / self.f1)) ** (-self.c1 * self.f1)


def broken_power_law(ray: Ray) -> OneBreak:
    """The ray as a one-break law of compute: c0 = p, c1 = q - p, f1 = 1/(p - q), d1 where the two terms agree.

    p and q are the exponents of the params and the tokens term in compute; c1 f1 = -1. The break is smooth in the sense of the
    source (f1 > 0) for p > q; the formula holds for p != q.
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
