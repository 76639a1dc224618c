"""How what the envelope gives, and the penalty at a fixed size ratio, move with each coefficient of
the law: the gradients of the delta method.

theta = (log A, log B, beta, gamma), under C = kappa N D.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Integer, Symbol, exp, log

from .envelope import Envelope, derive
from .kernel import symbols as sym
from .kernel.functions import phi2
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


def gradients(envelope: Envelope | None = None) -> dict[str, Gradient]:
    """Closed gradients in theta of what the envelope of L = E + A N^-beta + B D^-gamma under C =
    kappa N D gives (kappa = 6 by default); those that depend on compute, at a fixed compute.

    They follow from the envelope theorem: no optimum moves to first order. The derivative of the
    optimal loss in E is 1.

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
    (w_n, w_d), kappa = envelope.shares, envelope.budget.coefficient
    total, zero, one = sym.BETA + sym.GAMMA, Integer(0), Integer(1)
    log_n, log_d = log(envelope.params), log(envelope.tokens)
    log_g = log(envelope.params.subs(sym.C, kappa))
    loss = tuple(part * envelope.reducible for part in (w_n, w_d, -w_n * log_n, -w_d * log_d))
    log_params = tuple(
        part / total for part in (one, -one, 1 / sym.BETA - log_n, log_d - 1 / sym.GAMMA)
    )
    share = (zero, zero, -w_n / total, w_d / total)
    of_log_kappa = (w_n * (w_n * log(kappa) - log_g), w_d * (w_d * log(kappa) + log_g))
    return {
        "exponent": (zero, zero, w_n**2, w_d**2),
        "params_share": share,
        "tokens_share": tuple(-part for part in share),
        "log_coefficient": (w_n, w_d, *of_log_kappa),
        "log_optimal_params": log_params,
        "log_optimal_tokens": tuple(-part for part in log_params),
        "log_optimal_tokens_per_param": tuple(-2 * part for part in log_params),
        "log_optimal_reducible_loss": tuple(part / envelope.reducible for part in loss),
        "optimal_loss": loss,
    }


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

    def far(self, rising: bool) -> Expr:
        """The same far from 0, where nothing on the way exceeds the result by far: for large x, where
        P rises, (w/(b + g)) e^(g x) (1 - (1 + y) e^-y); else (w/(b + g)) e^(-b x) (e^y - 1 - y).
        """
        y, scale = self.steps, self.scale
        if rising:
            return scale * exp(self.other * self.along) * (1 - (1 + y) * exp(-y))
        return scale * exp(-self.own * self.along) * (exp(y) - 1 - y)

    @property
    def above_optimal_size(self) -> Expr:
        """The form for a size ratio far above 1."""
        return self.far(self.along == sym.LOG_SIZE_RATIO)

    @property
    def below_optimal_size(self) -> Expr:
        """The form for a size ratio far below 1."""
        return self.far(self.along != sym.LOG_SIZE_RATIO)


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
