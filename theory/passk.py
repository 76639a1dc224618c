"""Laws of pass@k that depend on k, in closed form.

A problem that one sample solves with probability p is solved by at least one of k samples with
probability pass@k = 1 - (1 - p)^k; fail@k = (1 - p)^k. Over a benchmark both are means over its
problems.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Pow, Symbol, exp, log

from .kernel import symbols as sym
from .theorem.words import function

DRAWS = Symbol("k", positive=True)
PASS_AT, FAIL_AT = function("pass@"), function("fail@")


def turning_compute(first: tuple[Expr, Expr], second: tuple[Expr, Expr]) -> Expr:
    """The compute at which the difference of two laws, with or without floors, has its turning
    point: alpha_1 C0_1 C^-alpha_1 = alpha_2 C0_2 C^-alpha_2.
    """
    (c_1, alpha_1), (c_2, alpha_2) = first, second
    return Pow(alpha_2 * c_2 / (alpha_1 * c_1), 1 / (alpha_2 - alpha_1))


@dataclass(frozen=True)
class BilinearForm:
    """log(-log pass@k) = log A + a log C + b log k + d log C log k (Krajewski et al. 2025, equation
    5), with the signs of the fit.
    """

    coefficient: Expr
    compute: Expr
    draws: Expr
    mixed: Expr

    @property
    def log_value(self) -> Expr:
        return (
            log(self.coefficient)
            + self.compute * log(sym.C)
            + self.draws * log(DRAWS)
            + self.mixed * log(sym.C) * log(DRAWS)
        )

    @property
    def value(self) -> Expr:
        """-log pass@k."""
        return exp(self.log_value)

    @property
    def compute_exponent(self) -> Expr:
        """-(a + d log k), the exponent with which -log pass@k falls in C at fixed k."""
        return -(self.compute + self.mixed * log(DRAWS))

    @property
    def crossing(self) -> Expr:
        """C_x = exp(-b/d), where the curves of all k cross: below it more samples would solve fewer
        problems, which is impossible.
        """
        return exp(-self.draws / self.mixed)
