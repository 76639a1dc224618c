"""How what the envelope gives, and the penalty at a fixed size ratio, move with each coefficient of
the law: the gradients of the delta method.

theta = (log A, log B, beta, gamma), under C = kappa N D.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, Symbol, exp, log

from .algebra import symbols as sym
from .algebra.functions import phi2
from .economics import sensitivities
from .envelope import Envelope, derive
from .law import PARAMS_TOKENS

Gradient = tuple[Expr, ...]


def gradient(expression: Expr) -> Gradient:
    """Derivatives in theta = (log A, log B, beta, gamma)."""
    return (
        sym.A * expression.diff(sym.A),
        sym.B * expression.diff(sym.B),
        expression.diff(sym.BETA),
        expression.diff(sym.GAMMA),
    )


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


# -- the penalty -----------------------------------------------------------------------------------------------
#
# With x = log r towards more params, P = w e^(-b x) + (1 - w) e^(g x), w = g/(b + g): the term of
# exponent b falls along x, the other, of exponent g, rises. Seen from the tokens term the same
# holds with b and g exchanged and x = -log r.


@dataclass(frozen=True)
class PenaltyDerivative:
    """dP/db at fixed x, for the term of share w and exponent b that falls along x while the other,
    of exponent g, rises.

    Attributes
    ----------
    share, own, other, along : sympy.Expr
        w, b, g and x.
    """

    share: Expr
    own: Expr
    other: Expr
    along: Expr

    @property
    def steps(self) -> Expr:
        """y = (b + g) x."""
        return (self.own + self.other) * self.along

    @property
    def scale(self) -> Expr:
        """w/(b + g)."""
        return self.share / (self.own + self.other)

    @property
    def safe(self) -> Expr:
        """g x^2 e^(-b x) phi2(y) with y = (b + g) x: positive, and no cancellation near x = 0."""
        return (
            (self.scale * (self.own + self.other) ** 2).cancel()
            * self.along**2
            * exp(-self.own * self.along)
            * phi2(self.steps)
        )

    @property
    def as_difference(self) -> Expr:
        """(w/(b + g)) (e^(g x) - (1 + y) e^(-b x)): from the growth of w, and from the exponent
        itself.
        """
        return self.scale * (
            exp(self.other * self.along) - (1 + self.steps) * exp(-self.own * self.along)
        )

    @property
    def where_rising(self) -> Expr:
        """(w/(b + g)) e^(g x) (1 - (1 + y) e^-y): for large x, where nothing on the way exceeds the
        result by far.
        """
        return self.scale * exp(self.other * self.along) * (1 - (1 + self.steps) * exp(-self.steps))

    @property
    def where_falling(self) -> Expr:
        """(w/(b + g)) e^(-b x) (e^y - 1 - y): the same for x far below 0."""
        return self.scale * exp(-self.own * self.along) * (exp(self.steps) - 1 - self.steps)

    @property
    def above_optimal_size(self) -> Expr:
        """The form for a size ratio far above 1."""
        return self.where_rising if self.along == sym.LOG_SIZE_RATIO else self.where_falling

    @property
    def below_optimal_size(self) -> Expr:
        """The form for a size ratio far below 1."""
        return self.where_falling if self.along == sym.LOG_SIZE_RATIO else self.where_rising


def penalty_gradient(envelope: Envelope) -> dict[Symbol, PenaltyDerivative]:
    """dP/dbeta and dP/dgamma at a fixed size ratio r = e^s, for two terms under C = kappa N D.

    P does not depend on A, B and C, so these two are the whole gradient. A fixed overtraining ratio
    is the fixed size ratio rho^(-1/2), whatever the exponents.

    Raises
    ------
    ValueError
        Where the law has more or fewer than two terms, or the budget other powers of its variables.

    Notes
    -----
    Source: differentiation of P(r) = w_N r^-beta + w_D r^gamma (Schaeffer et al. 2025, arXiv
    2509.24012).
    """
    terms, budget = envelope.form.terms, envelope.budget
    if len(terms) != 2 or any(power != 1 for _, power in budget.powers):
        raise ValueError(
            f"envelope: {envelope.form.loss} under {budget}: needs two terms and kappa*N*D"
        )
    first, second = (term.exponent for term in terms)
    w_n, w_d = envelope.shares
    s = sym.LOG_SIZE_RATIO
    return {
        first: PenaltyDerivative(w_n, first, second, s),
        second: PenaltyDerivative(w_d, second, first, -s),
    }
