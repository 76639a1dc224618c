"""What a law implies, by direct minimisation and root finding with 50 digits: no closed form of the
theory is used.

The reducible loss is R(u) = sum A_i exp(-b_i u_i) with u_i = log x_i, and the budget a plane, sum
c_i u_i = log(C/kappa).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.theory import values

MP = values.MP
CLOSE = MP.mpf(10) ** -40  # ten digits less than the search settles to
SETTLED = MP.mpf(10) ** -50
RIDGE = MP.mpf(10) ** -25  # on the Hessian, which vanishes to 60 digits far from the minimum
ROUNDING = MP.mpf(10) ** -45  # a gain in log R below which steps are not judged any more


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
    """log x_i at the least R on the budget: Newton's method on log R in all but one variable, the
    step halved until it gains.

    log R is convex in the logarithms, so the only stationary point is the minimum.
    """
    free = len(law.exponents) - 1
    logs = [MP.zero] * free

    def value(at: list[Any]) -> Any:
        return MP.log(law.reducible(law.completed(at)))

    for _ in range(400):
        gradient, hessian = _derivatives(law, logs)
        for j in range(free):
            hessian[j][j] += RIDGE
        step = [-x for x in MP.lu_solve(MP.matrix(hessian), MP.matrix(gradient))]
        gain = -MP.fdot(zip(gradient, step, strict=True))  # that a linear function would give
        scale, start = MP.one, value(logs)
        while gain > ROUNDING and value(_moved(logs, step, scale)) > start - scale * gain / 4:
            scale /= 2
        logs = _moved(logs, step, scale)
        if max(map(abs, step)) < SETTLED * max(1, *map(abs, logs)):
            return law.completed(logs)
    raise AssertionError(f"the search does not settle: {law}")


def _moved(logs: list[Any], step: list[Any], scale: Any) -> list[Any]:
    return [u + scale * s for u, s in zip(logs, step, strict=True)]


def _derivatives(law: Numbers, logs: list[Any]) -> tuple[list[Any], list[list[Any]]]:
    """Gradient and Hessian of log R along the budget, from the shares p_i of the terms in R and
    their slopes.

    Term i has log-slope -b_i in its own variable; the last also depends on u_j through the budget,
    with slope +b_m c_j/c_m.
    """
    terms = law.terms(law.completed(logs))
    total = MP.fsum(terms)
    shares = [term / total for term in terms]
    free = range(len(logs))
    last = law.exponents[-1] / law.powers[-1]
    slopes = [[-law.exponents[j] if i == j else MP.zero for j in free] for i in free]
    slopes.append([last * law.powers[j] for j in free])
    gradient = [MP.fsum(p * s[j] for p, s in zip(shares, slopes, strict=True)) for j in free]
    hessian = [
        [
            MP.fsum(p * s[j] * s[k] for p, s in zip(shares, slopes, strict=True))
            - gradient[j] * gradient[k]
            for k in free
        ]
        for j in free
    ]
    return gradient, hessian


def least(law: Numbers) -> Any:
    """R at the minimum."""
    return law.reducible(minimum(law))


def root(function: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Where an increasing function changes sign."""
    ends = (MP.mpf(low), MP.mpf(high))
    assert function(ends[0]) < 0 < function(ends[1])
    return MP.findroot(function, ends, solver="illinois", maxsteps=2_000, verify=False)
