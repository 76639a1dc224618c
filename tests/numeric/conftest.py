"""References for the numeric tests: direct minimisation with 60 digits, no closed form of an
optimum anywhere.
"""

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import mpmath
import pytest

DIGITS = 60
SETTLED = 50  # digits to which a Newton iteration has to settle
START = 1e-13  # relative width at which bisection in floats hands over to the iteration of Newton
WIDEST = 1e9  # |ln N| and |ln D| are searched up to here


class Reference:
    """What a law implies, computed from its terms alone: R minimised along 6 N D = C, equations
    solved for their roots.

    Floats are taken as the exact numbers that they are; values are mpmath numbers of 60 digits.
    """

    mp = mpmath.mp.clone()
    mp.dps = DIGITS

    def __init__(self, compute: float, A: float, B: float, beta: float, gamma: float) -> None:
        mpf = self.mp.mpf
        self.A, self.B, self.beta, self.gamma = mpf(A), mpf(B), mpf(beta), mpf(gamma)
        self.log_compute = self.mp.log(mpf(compute))
        self.log_params, self.reducible = self.minimum(self.log_compute)

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

        def slope(x: Any) -> tuple[Any, Any]:
            first, second = self.terms(x, self.log_tokens_left(log_compute, x))
            return (
                self.gamma * second - self.beta * first,
                self.gamma**2 * second + self.beta**2 * first,
            )

        first = math.log(self.beta) + float(self.mp.log(self.A))
        second = math.log(self.gamma) + float(self.mp.log(self.B))
        beta, gamma, budget = (
            float(self.beta),
            float(self.gamma),
            float(self.log_tokens_left(log_compute, 0)),
        )

        def falls(x: float) -> bool:
            return first - beta * x > second - gamma * (budget - x)

        x = self.newton(slope, bisect(falls))
        return x, sum(self.terms(x, self.log_tokens_left(log_compute, x)))

    def newton(self, function: Callable[[Any], tuple[Any, Any]], start: float) -> Any:
        """The root of a function that returns its value and its slope."""
        x = self.mp.mpf(start)
        for _ in range(60):
            value, slope = function(x)
            x, before = x - value / slope, x
            if abs(x - before) <= self.mp.mpf(10) ** -SETTLED * max(1, abs(x)):
                return x
        raise AssertionError(f"Newton's iteration from {start} has not settled")

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
        wanted = self.penalty(log_size_ratio) * self.reducible
        budget = self.log_compute
        for _ in range(20):
            x, least = self.minimum(budget)
            _, second = self.terms(x, self.log_tokens_left(budget, x))
            step = (
                self.mp.log(least / wanted) * least / (self.gamma * second)
            )  # -dR/dlnC at fixed N is gamma T_D
            budget += step
            if abs(step) <= self.mp.mpf(10) ** -SETTLED * max(1, abs(budget)):
                return self.mp.exp(budget - self.log_compute)
        raise AssertionError("the compute for a loss has not settled")

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

        def gap(x: Any) -> tuple[Any, Any]:
            term = coefficient * self.mp.exp(-exponent * x)
            return term - value, -exponent * term

        top, slope, bottom = (
            float(self.mp.log(coefficient)),
            float(exponent),
            float(self.mp.log(value)),
        )
        return self.newton(gap, bisect(lambda x: top - slope * x > bottom))

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


def bisect(before: Callable[[float], bool]) -> float:
    """A float close to where a monotone condition, true on the left, becomes false."""
    low, high = -WIDEST, WIDEST
    while high - low > START * max(1.0, abs(low), abs(high)):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if before(middle) else (low, middle)
    return low


@pytest.fixture(scope="session")
def reference() -> type[Reference]:
    return Reference
