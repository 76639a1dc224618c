"""Shares as percentages in columns whose heading has the unit."""

from __future__ import annotations

from dataclasses import dataclass

from ...theory.typeset.numbers import Format, Significant

__all__ = ["InHundreds"]


@dataclass(frozen=True)
class InHundreds(Format):
    """A share, times a hundred, in another format."""

    inner: Format = Significant(3)  # noqa: RUF009 - a value

    def finite(self, value: float) -> str:
        return self.inner.finite(100.0 * value)
