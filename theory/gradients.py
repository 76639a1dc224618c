"""How the penalty at a fixed size ratio moves with each exponent of the law: the delta method for
P.

With x = log r towards more params, P = w e^(-b x) + (1 - w) e^(g x), w = g/(b + g): the term of
exponent b falls along x, the other, of exponent g, rises. Seen from the tokens term the same holds
with b and g exchanged and x = -log r.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol, exp

from .algebra import symbols as sym
from .algebra.functions import phi2
from .envelope import Envelope


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
