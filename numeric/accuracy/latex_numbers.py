r"""Numbers and intervals in LaTeX's mathematics."""

from __future__ import annotations

from math import floor, log10

__all__ = ["DASH", "interval_tex", "number_tex"]

DASH = "---"
#: Powers of ten from here on are written as such.
LARGEST_PLAIN, SMALLEST_PLAIN = 1e5, 1e-3
#: Ends farther apart have each their own power.
APART = 100.0


def number_tex(value: float, digits: int, *, trimmed: bool = False) -> str:
    """A number with so many digits; without zeros at its end where trimmed."""
    from ...theory.typeset.latex_table import number_latex

    return str(number_latex(value, digits, trimmed=trimmed))


def interval_tex(low: float | None, high: float | None, digits: int, scale: float = 1.0) -> str:
    r"""Both ends in brackets, over one power of ten where both are large or small: $[1.2, 3.4]\times 10^{10}$."""
    if low is None or high is None:
        return DASH
    low, high = scale * low, scale * high
    size, least = max(abs(low), abs(high)), min(abs(low), abs(high))
    plain = size < LARGEST_PLAIN and (least >= SMALLEST_PLAIN or size >= 1.0 or (least == 0.0 and size >= SMALLEST_PLAIN))
    if size == 0.0 or plain or (least > 0.0 and size > APART * least):
        return f"$[{number_tex(low, digits)},\\ {number_tex(high, digits)}]$"
    power = floor(log10(size))
    ends = ",\\ ".join(f"{value / 10.0**power:.{digits - 1}f}" for value in (low, high))
    return rf"$[{ends}]\times 10^{{{power}}}$"
