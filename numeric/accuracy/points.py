"""Columns of accuracy: shares in points of a hundred, and an estimate in two columns, value and
interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...theory.typeset.numbers import Format, Interval, Significant
from ...theory.typeset.table import Column

__all__ = ["InHundreds", "PercentagePoints", "interval_of", "value_of"]


@dataclass(frozen=True)
class PercentagePoints(Format):
    """A share in points of a hundred: so many places behind the point, and at least two digits."""

    unit: str = ""

    def finite(self, value: float) -> str:
        points = 100.0 * value
        fits = points >= 10.0 ** (1 - self.digits) or points == 0.0
        return (f"{points:.{self.digits}f}" if fits else Significant(2).finite(points)) + self.unit


@dataclass(frozen=True)
class InHundreds(Format):
    """A share, times a hundred, in another format."""

    inner: Format = Significant(3)  # noqa: RUF009 - a value

    def finite(self, value: float) -> str:
        return self.inner.finite(100.0 * value)


def value_of(key: str, heading: str, form: Format, latex: str = "", **more: Any) -> Column:
    """A column of the values of numbers and estimates."""
    return Column(key, heading, latex=latex, format=form, **more)


def interval_of(key: str, end: Format, heading: str = "interval", **more: Any) -> Column:
    """A column of the intervals of estimates, as "low to high"."""
    return Column(key, heading, show="interval", interval=Interval(end, "", " to ", ""), **more)
