"""Intervals of coefficients by the normal approximation."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt
from typing import TYPE_CHECKING, Any

from ..errors import UNIT_INTERVAL, number, outside
from ..results import coverage_factor

if TYPE_CHECKING:
    from .result import Fit


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An interval of a coefficient or of a derived quantity.

    Attributes
    ----------
    name : str
    value : float
        The estimate.
    low, high : float or None
        None where the data bound the quantity on that side at no value.
    level : float
        Nominal coverage.
    kind : str
        How it was made.
    note : str
        What it rests on.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    level: float
    kind: str
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The numbers by the names value, lo and hi; level, kind and note."""
        return {
            "value": self.value,
            "lo": self.low,
            "hi": self.high,
            "level": self.level,
            "kind": self.kind,
            **({"note": self.note} if self.note else {}),
        }


def checked_level(level: float) -> float:
    """The level, or a ValueError where it is not between 0 and 1."""
    found = number("level", level, UNIT_INTERVAL)
    if not 0.0 < found < 1.0:
        raise outside("level", level, UNIT_INTERVAL)
    return found


def normal_quantile(level: float, degrees_of_freedom: int | None = None) -> float:
    """Half the width, in standard errors, of the central interval of that coverage; with degrees of
    freedom, of Student's t.
    """
    return coverage_factor(checked_level(level), degrees_of_freedom)


def wald(fit: Fit, level: float, kind: str) -> dict[str, tuple[float, float]]:
    """estimate -+ z se by coefficient, for prefactors and exponents in the logarithm; that of E is
    cut at 0, the least E.
    """
    quantile = normal_quantile(level, fit.degrees_of_freedom)
    positive = {*getattr(fit.model, "exponents", ())}
    variances = fit.covariance(kind).diagonal()
    found = {}
    for name, coordinate, variance in zip(
        fit.model.coefficients, fit.model.coordinates, variances, strict=True
    ):
        value, spread = fit.coefficients[name], quantile * sqrt(max(float(variance), 0.0))
        if name in positive:
            spread /= value
        if coordinate == f"log {name}" or name in positive:
            found[name] = (
                value * exp(-spread),
                value * (exp(spread) if spread < 700.0 else float("inf")),
            )
        else:
            found[name] = (max(value - spread, 0.0) if positive else value - spread, value + spread)
    return found
