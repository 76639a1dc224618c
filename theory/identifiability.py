"""What a fit of the law tells: the rank of the Jacobian along a design.

theta = (log A, log B, beta, gamma), under C = kappa N D.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from sympy import Add, Expr, Integer, Matrix, Rational, Symbol, exp, log

from .algebra import symbols as sym
from .gradients import gradient
from .law import PARAMS_TOKENS, LawForm, Term
from .proof.argument_calculus import ByMonotone

#: Distance of neighbouring points of a design in log C.
SPACING = Symbol("z", positive=True)


def centred(term: Term, reference: Expr) -> Expr:
    """log A - b log x_0 = log(A x_0^-b): the parameter that replaces log A where the term is
    centred at x_0.
    """
    return log(term.coefficient) - term.exponent * log(reference)


@dataclass(frozen=True)
class DesignForm:
    """Runs along a path (N(C), D(C)), and the columns of the Jacobian of the loss in (E, log A, log
    B, beta, gamma).
    """

    params: Expr
    tokens: Expr
    form: LawForm = PARAMS_TOKENS

    def at(self, expression: Expr) -> Expr:
        """An expression in N and D along the path."""
        return expression.subs([(sym.N, self.params), (sym.D, self.tokens)], simultaneous=True)

    @cached_property
    def terms(self) -> tuple[Expr, Expr]:
        """T_N and T_D along the path."""
        params, tokens = self.form.terms
        return self.at(params.expression), self.at(tokens.expression)

    @cached_property
    def columns(self) -> dict[str, Expr]:
        """dL/dE, dL/dlog A, dL/dlog B, dL/dbeta, dL/dgamma along the path."""
        in_theta = (self.form.loss.diff(sym.E), *gradient(self.form.loss))
        names = ("E", "log A", "log B", "beta", "gamma")
        return dict(zip(names, map(self.at, in_theta), strict=True))

    def minor(self, *names: str) -> Expr:
        """Determinant of the named columns at as many points C e^(i z), i = 0, 1, ..."""
        rows = [
            [self.columns[name].subs(sym.C, sym.C * exp(i * SPACING)) for name in names]
            for i in range(len(names))
        ]
        return Matrix(rows).det(method="berkowitz")


def minor_beside_one(first: Callable[[Expr], Expr], second: Callable[[Expr], Expr]) -> Expr:
    """The minor of (1, f, g) at C, C e^z, C e^2z: (f_1 - f_0)(g_2 - g_0) - (f_2 - f_0)(g_1 - g_0)."""
    return minor_of_pair(at_runs(first), at_runs(second), Integer(1), Integer(2))


def at_runs(column: Callable[[Expr], Expr]) -> Callable[[Expr], Expr]:
    """A function of compute at C e^(i z), as one of i."""
    return lambda i: column(sym.C * exp(i * SPACING))


def minor_of_pairs(first: Callable[[int, int], Expr], second: Callable[[int, int], Expr]) -> Expr:
    """The minor of (1, f, g, u, v) at C e^(i z), i = 0..4, by Laplace's expansion: first(i, j) is
    that of (1, f, g) at the points 0, i, j, and second that of (1, u, v).
    """
    points = (1, 2, 3, 4)
    terms = []
    for pair in combinations(points, 2):
        rest = [i for i in points if i not in pair]
        terms.append((-1) ** (sum(pair) + 1) * first(*pair) * second(*rest))
    return Add(*terms)


def minor_of_pair(
    first: Callable[[Expr], Expr], second: Callable[[Expr], Expr], i: Expr, j: Expr
) -> Expr:
    """The minor of (1, f, g) at three points 0, i, j."""
    f, g = ([column(k) - column(Integer(0)) for k in (i, j)] for column in (first, second))
    return f[0] * g[1] - f[1] * g[0]


def three_point_minor(term: Expr, exponent: Expr, growth: Expr) -> tuple[Expr, ...]:
    """Factors of minus the minor of (1, T, -T log x) at C, C e^z, C e^2z, where T = A x^-b and x =
    const C^growth.

    With p = e^(-b growth z) it is growth z T^2 p (1 - p)^2: zero for no z > 0.
    """
    p = exp(-exponent * growth * SPACING)
    return growth, SPACING, term**2, p, (1 - p) ** 2


def step_falls(exponent: Expr, growth: Expr) -> ByMonotone:
    """1 - p is positive: 1 - e^(-b growth x) grows from 0 at x = 0."""
    x = Symbol("x", positive=True)
    return ByMonotone(1 - exp(-exponent * growth * x), x, SPACING, Integer(0))


def confluent_vandermonde(p: Expr, s: Expr) -> tuple[Expr, ...]:
    """Factors p s (1 - p)^2 (1 - s)^2 (p - s)^4 of the determinant of the rows (1, p^i, i p^i, s^i,
    i s^i), i = 0..4: zero only where 1, p, s are not distinct.
    """
    return p, s, (1 - p) ** 2, (1 - s) ** 2, (p - s) ** 4


def swapped(tokens_per_param: Expr) -> dict[Symbol, Expr]:
    """The law with its exponents exchanged that agrees on the ray D = t N: A' = B t^-gamma, B' = A
    t^beta.
    """
    return {
        sym.A: sym.B * tokens_per_param**-sym.GAMMA,
        sym.B: sym.A * tokens_per_param**sym.BETA,
        sym.BETA: sym.GAMMA,
        sym.GAMMA: sym.BETA,
    }


#: Growth of N and D with compute on a ray under C = kappa N D.
RAY_GROWTH = Rational(1, 2)
