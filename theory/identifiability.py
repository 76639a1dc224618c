"""What a fit of the law tells: gradients for the delta method, and the rank of the Jacobian along a
design.

theta = (log A, log B, beta, gamma), under C = kappa N D.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from sympy import Add, Expr, Integer, Matrix, Rational, Symbol, exp, log

from .algebra import symbols as sym
from .algebra.functions import Partial
from .envelope import Envelope, derive
from .law import PARAMS_TOKENS, LawForm, Term
from .marginal import sensitivities
from .proof.argument_calculus import ByMonotone
from .proof.claim import Claim
from .proof.words import Sentence
from .ray import RayForm

Gradient = tuple[Expr, ...]

#: Distance of neighbouring points of a design in log C.
SPACING = Symbol("z", positive=True)


def gradient(expression: Expr) -> Gradient:
    """Derivatives in theta = (log A, log B, beta, gamma)."""
    return (
        sym.A * expression.diff(sym.A),
        sym.B * expression.diff(sym.B),
        expression.diff(sym.BETA),
        expression.diff(sym.GAMMA),
    )


def quadratic_form(left: Gradient, covariance: Matrix) -> Expr:
    """g' V g, the variance of a quantity whose gradient is g, to leading order."""
    return Add(*(a * covariance[i, j] * b for i, a in enumerate(left) for j, b in enumerate(left)))


@dataclass(frozen=True)
class Gradients:
    """Closed gradients of what the envelope gives, in theta; log N* and log D* at the compute of
    interest.

    They follow from the envelope theorem: no optimum moves to first order.
    """

    envelope: Envelope

    @property
    def _sum(self) -> Expr:
        return sym.BETA + sym.GAMMA

    @property
    def exponent(self) -> Gradient:
        """grad alpha = (0, 0, w_N^2, w_D^2)."""
        w_n, w_d = self.envelope.shares
        return (Integer(0), Integer(0), w_n**2, w_d**2)

    @property
    def params_share(self) -> Gradient:
        """grad w_N = (0, 0, -w_N, w_D)/(beta + gamma); w_N is the exponent of N*(C) as well."""
        w_n, w_d = self.envelope.shares
        return (Integer(0), Integer(0), -w_n / self._sum, w_d / self._sum)

    @property
    def log_params(self) -> Gradient:
        """grad log N* = (1, -1, 1/beta - log N*, log D* - 1/gamma)/(beta + gamma)."""
        log_n, log_d = log(self.envelope.params), log(self.envelope.tokens)
        parts = (Integer(1), Integer(-1), 1 / sym.BETA - log_n, log_d - 1 / sym.GAMMA)
        return tuple(part / self._sum for part in parts)

    @property
    def log_tokens(self) -> Gradient:
        """grad log D* = -grad log N*, since N* D* is fixed by the budget."""
        return tuple(-part for part in self.log_params)

    @property
    def log_tokens_per_param(self) -> Gradient:
        """grad log(D*/N*) = -2 grad log N*."""
        return tuple(-2 * part for part in self.log_params)

    @property
    def loss(self) -> Gradient:
        """grad L* = R* (w_N, w_D, -w_N log N*, -w_D log D*); the derivative in E is 1."""
        by_symbol = sensitivities(self.envelope)
        return tuple(by_symbol[symbol] for symbol in (sym.A, sym.B, sym.BETA, sym.GAMMA))

    @property
    def log_reducible(self) -> Gradient:
        """grad log R* = (w_N, w_D, -w_N log N*, -w_D log D*)."""
        return tuple(part / self.envelope.reducible for part in self.loss)

    @property
    def log_coefficient(self) -> Gradient:
        """grad log C0 = (w_N, w_D, w_N (w_N log kappa - log G), w_D (w_D log kappa + log G)) with G
        = N*(kappa).
        """
        w_n, w_d = self.envelope.shares
        kappa = self.envelope.budget.coefficient
        log_g = log(self.envelope.params.subs(sym.C, kappa))
        return (w_n, w_d, w_n * (w_n * log(kappa) - log_g), w_d * (w_d * log(kappa) + log_g))

    def variance_of_exponent(self, beta: Expr, gamma: Expr, covariance: Expr) -> Expr:
        """Var alpha = w_N^4 Var beta + w_D^4 Var gamma + 2 w_N^2 w_D^2 Cov(beta, gamma), to leading
        order.
        """
        w_n, w_d = self.envelope.shares
        return w_n**4 * beta + w_d**4 * gamma + 2 * w_n**2 * w_d**2 * covariance


#: What the gradients are taken in, and how steps name them.
THETA = {"log_A": log(sym.A), "log_B": log(sym.B), "beta": sym.BETA, "gamma": sym.GAMMA}


def gradient_claims(
    name: str, quantity: Expr, closed: Gradient, reason: Callable[[Expr], Sentence]
) -> tuple[Claim, ...]:
    """The derivatives of a named quantity in theta, each with its closed form; none where the name
    does not depend on the parameter.
    """
    return tuple(
        Claim(f"{name}_in_{parameter}", Partial(quantity, variable), "==", form, reason(variable))
        for (parameter, variable), form in zip(THETA.items(), closed, strict=True)
    )


def gradients(envelope: Envelope | None = None) -> Gradients:
    """The gradients for L = E + A N^-beta + B D^-gamma under C = kappa N D (kappa = 6 by default).

    Raises
    ------
    ValueError
        For another law, or a budget with other powers of N and D.
    """
    envelope = derive() if envelope is None else envelope
    if envelope.form != PARAMS_TOKENS or any(power != 1 for _, power in envelope.budget.powers):
        raise ValueError(
            f"envelope: {envelope.form.loss} under {envelope.budget}: needs {PARAMS_TOKENS.loss} "
            f"and kappa*N*D"
        )
    return Gradients(envelope)


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


def coefficient_for_reducible(envelope: Envelope) -> Expr:
    """A = w_N (R (C/kappa)^alpha (w_D/B)^w_D)^(1/w_N): log A replaced by log R*(C) as a parameter
    of the fit.
    """
    w_n, w_d = envelope.shares
    spent = (sym.C / envelope.budget.coefficient) ** envelope.exponent
    return w_n * (sym.REDUCIBLE * spent * (w_d / sym.B) ** w_d) ** (1 / w_n)


def coefficient_for_params(envelope: Envelope) -> Expr:
    """A = (gamma B/beta) (N (C/kappa)^-w_N)^(beta + gamma): log A replaced by log N*(C)."""
    spent = (sym.C / envelope.budget.coefficient) ** envelope.shares[0]
    return sym.GAMMA * sym.B / sym.BETA * (sym.N / spent) ** (sym.BETA + sym.GAMMA)


def exponent_for_alpha() -> Expr:
    """gamma = alpha beta/(beta - alpha): gamma replaced by alpha."""
    return sym.ALPHA * sym.BETA / (sym.BETA - sym.ALPHA)


def tangency_in_allocation(envelope: Envelope) -> Expr:
    """C_t = kappa (t G^2)^((beta + gamma)/(beta - gamma)) with G = N*(kappa), under C = kappa N D."""
    kappa = envelope.budget.coefficient
    at_kappa = envelope.params.subs(sym.C, kappa)
    return kappa * (sym.TOKENS_PER_PARAM * at_kappa**2) ** (
        (sym.BETA + sym.GAMMA) / (sym.BETA - sym.GAMMA)
    )


def ray_params_share(ray: RayForm) -> Expr:
    """v = T_N/R on the ray."""
    params = ray.envelope.form.terms[0]
    return params.expression.subs(params.variable, ray.params) / ray.reducible


@dataclass(frozen=True)
class ThreePointFit:
    """E' + c m^i through E + u p^i + v s^i at i = 0, 1, 2: a compute law through three runs of a
    ray, equally spaced in log C.

    u and v are the two terms at the first run, p and s the factors by which they fall from run to
    run.
    """

    u: Expr
    v: Expr
    p: Expr
    s: Expr

    def reducible(self, i: int) -> Expr:
        """z_i = u p^i + v s^i."""
        return self.u * self.p**i + self.v * self.s**i

    @property
    def factor(self) -> Expr:
        """m: the mean of p and s with weights u (1 - p) and v (1 - s)."""
        falls = self.u * (1 - self.p), self.v * (1 - self.s)
        return (falls[0] * self.p + falls[1] * self.s) / (falls[0] + falls[1])

    @property
    def excess_irreducible(self) -> Expr:
        """E' - E = u v (p - s)^2/(u (1 - p)^2 + v (1 - s)^2)."""
        u, v, p, s = self.u, self.v, self.p, self.s
        return u * v * (p - s) ** 2 / (u * (1 - p) ** 2 + v * (1 - s) ** 2)

    @property
    def coefficient(self) -> Expr:
        """c = (u (1 - p) + v (1 - s))^2/(u (1 - p)^2 + v (1 - s)^2)."""
        u, v, p, s = self.u, self.v, self.p, self.s
        return (u * (1 - p) + v * (1 - s)) ** 2 / (u * (1 - p) ** 2 + v * (1 - s) ** 2)

    @property
    def next_excess(self) -> Expr:
        """Fit minus truth at the next run: u (1 - p) v (1 - s) (p - s)^2/(u (1 - p) + v (1 - s))."""
        u, v, p, s = self.u, self.v, self.p, self.s
        return u * (1 - p) * v * (1 - s) * (p - s) ** 2 / (u * (1 - p) + v * (1 - s))


#: Growth of N and D with compute on a ray under C = kappa N D.
RAY_GROWTH = Rational(1, 2)
