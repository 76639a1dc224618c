"""What a law implies, by root finding with 60 digits: no closed form of the theory is used.

The reducible loss is R(u) = sum A_i exp(-b_i u_i) with u_i = log x_i, and the budget a plane, sum
c_i u_i = log(C/kappa).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from tests.theory import values

MP = values.MP
CLOSE = MP.mpf(10) ** -40
STEP = MP.mpf(10) ** -15  # to points nearby, which tell a minimum from other stationary points


@dataclass(frozen=True)
class Numbers:
    """A law and a budget in numbers: A_i, b_i, c_i, kappa and the compute C."""

    coefficients: tuple[Any, ...]
    exponents: tuple[Any, ...]
    powers: tuple[Any, ...]
    kappa: Any
    compute: Any

    def with_compute(self, compute: Any) -> Numbers:
        return Numbers(self.coefficients, self.exponents, self.powers, self.kappa, compute)

    def terms(self, logs: list[Any]) -> list[Any]:
        return [
            A * MP.exp(-b * u)
            for A, b, u in zip(self.coefficients, self.exponents, logs, strict=True)
        ]

    def reducible(self, logs: list[Any]) -> Any:
        return MP.fsum(self.terms(logs))

    def completed(self, logs: list[Any]) -> list[Any]:
        """All but the last log x_i, with the last from the budget."""
        spent = MP.fdot(zip(self.powers, logs, strict=False))
        return [*logs, (MP.log(self.compute / self.kappa) - spent) / self.powers[-1]]

    def compute_of(self, logs: list[Any]) -> Any:
        return self.kappa * MP.exp(MP.fdot(zip(self.powers, logs, strict=True)))


def draw(random: Random, factors: int = 2, *, six_nd: bool = True) -> Numbers:
    """A law from a wide range; the budget 6 x_1 ... x_m, or a random monomial."""

    def number(low: float, high: float) -> Any:
        return MP.mpf(random.uniform(low, high))

    return Numbers(
        tuple(MP.exp(number(-2, 18)) for _ in range(factors)),
        tuple(number(0.1, 1.5) for _ in range(factors)),
        tuple(MP.one if six_nd else number(0.3, 3) for _ in range(factors)),
        MP.mpf(6) if six_nd else number(0.5, 20),
        MP.exp(number(35, 69)),
    )


def minimum(law: Numbers) -> list[Any]:
    """log x_i at the least R on the budget.

    It is where the loss per unit of log compute, b_i T_i/c_i, is the same in every variable: log R is
    convex in the logarithms, so the only stationary point is the minimum. That R is larger nearby is
    checked.
    """

    def slopes(*logs: Any) -> list[Any]:
        rates = zip(law.exponents, law.terms(law.completed(list(logs))), law.powers, strict=True)
        *others, last = (MP.log(b * term / c) for b, term, c in rates)
        return [rate - last for rate in others]

    free = len(law.exponents) - 1
    found = list(MP.findroot(slopes, (0,) * free))
    logs = law.completed(found)
    for i, step in product(range(free), (STEP, -STEP)):
        nearby = [*found[:i], found[i] + step, *found[i + 1 :]]
        assert law.reducible(law.completed(nearby)) > law.reducible(logs)
    return logs


def least(law: Numbers) -> Any:
    """R at the minimum."""
    return law.reducible(minimum(law))


def root(function: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Where an increasing function changes sign."""
    ends = (MP.mpf(low), MP.mpf(high))
    assert function(ends[0]) < 0 < function(ends[1])
    return MP.findroot(function, ends, solver="illinois", maxsteps=2_000, verify=False)
