"""References for the numeric tests: R minimised along the budget with 60 digits, no closed form of an
optimum anywhere.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import mpmath
import pytest

DIGITS = 60
SETTLED = 1e-50  # what is left of an equation at its root


class Reference:
    """What a law implies, computed from its terms alone: R minimised along 6 N D = C, equations
    solved for their roots by secants.

    Floats are taken as the exact numbers that they are; values are mpmath numbers of 60 digits.
    """

    mp = mpmath.mp.clone()
    mp.dps = DIGITS

    def __init__(self, compute: float, A: float, B: float, beta: float, gamma: float) -> None:
        mpf = self.mp.mpf
        self.A, self.B, self.beta, self.gamma = mpf(A), mpf(B), mpf(beta), mpf(gamma)
        self.log_compute = self.mp.log(mpf(compute))
        self.log_params, self.reducible = self.minimum(self.log_compute)

    def root(self, gap: Callable[[Any], Any], start: Any = 0) -> Any:
        """Where a gap of logarithms closes."""
        return self.mp.findroot(gap, (start, start + 1), solver="secant", tol=SETTLED**2)

    # the two terms at given ln N, ln D, and the line ln D = ln C - ln 6 - ln N

    def terms(self, log_params: Any, log_tokens: Any) -> tuple[Any, Any]:
        return (
            self.A * self.mp.exp(-self.beta * log_params),
            self.B * self.mp.exp(-self.gamma * log_tokens),
        )

    def log_tokens_left(self, log_compute: Any, log_params: Any) -> Any:
        return log_compute - self.mp.log(6) - log_params

    def minimum(self, log_compute: Any) -> tuple[Any, Any]:
        """ln N and R at the least R for that compute: R is convex in ln N, so its slope changes
        sign once.
        """

        def slope(x: Any) -> Any:
            first, second = self.terms(x, self.log_tokens_left(log_compute, x))
            return self.mp.log(self.gamma * second) - self.mp.log(self.beta * first)

        x = self.root(slope)
        return x, sum(self.terms(x, self.log_tokens_left(log_compute, x)))

    # what follows, each by its definition

    @property
    def params(self) -> Any:
        return self.mp.exp(self.log_params)

    @property
    def log_tokens(self) -> Any:
        return self.log_tokens_left(self.log_compute, self.log_params)

    @property
    def tokens(self) -> Any:
        return self.mp.exp(self.log_tokens)

    def penalty(self, log_size_ratio: Any) -> Any:
        """R at r N* and what the budget leaves for D, over the least R."""
        x = self.log_params + log_size_ratio
        return sum(self.terms(x, self.log_tokens_left(self.log_compute, x))) / self.reducible

    def effective_compute(self, log_size_ratio: Any) -> Any:
        """The share of C whose minimised loss is that at r N*."""
        wanted = self.mp.log(self.penalty(log_size_ratio) * self.reducible)
        spent = self.root(lambda x: self.mp.log(self.minimum(x)[1]) - wanted, self.log_compute)
        return self.mp.exp(spent - self.log_compute)

    def log_tokens_for(self, reducible: Any, log_params: Any) -> Any:
        """ln D at which A N^-beta + B D^-gamma = R, None where no D is enough."""
        rest = reducible - self.terms(log_params, 0)[0]
        return None if rest <= 0 else self.log_where(self.B, self.gamma, rest)

    def log_params_for(self, reducible: Any, log_tokens: Any) -> Any:
        """ln N at which A N^-beta + B D^-gamma = R, None where no N is enough."""
        rest = reducible - self.terms(0, log_tokens)[1]
        return None if rest <= 0 else self.log_where(self.A, self.beta, rest)

    def log_where(self, coefficient: Any, exponent: Any, value: Any) -> Any:
        """x at which coefficient exp(-exponent x) has the value."""
        return (self.mp.log(coefficient) - self.mp.log(value)) / exponent

    def log_tokens_factor(self, log_size_ratio: Any) -> Any:
        """ln(D/D*) that reaches the least R with r N*, inf where no D does. 6 r N* D is the compute
        for it.
        """
        found = self.log_tokens_for(self.reducible, self.log_params + log_size_ratio)
        return self.mp.inf if found is None else found - self.log_tokens

    @cached_property
    def log_critical_size_ratio(self) -> Any:
        """ln r at which the params term alone is the least R."""
        return self.log_where(self.A, self.beta, self.reducible) - self.log_params

    @cached_property
    def log_critical_tokens_ratio(self) -> Any:
        """ln of the multiple of D* at which the tokens term alone is the least R."""
        return self.log_where(self.B, self.gamma, self.reducible) - self.log_tokens


@pytest.fixture(scope="session")
def reference() -> type[Reference]:
    return Reference
