"""A check as a table of at most 100 columns."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .published import BenchmarkCheck, PublishedCheck

__all__ = ["check_text"]

WIDTH = 100
#: Widths of the columns, grouped under one heading each.
GROUPS = ((10, 11), (7, 7), (7, 7, 7), (6, 7, 8), (7,))


def check_text(result: PublishedCheck) -> str:
    """The rows under their headings, the count of the verdicts, what the columns are, and the source."""
    lo, hi = result.compute_range
    budgets = [_flop(compute) for compute in (lo, result.reference_compute, hi)]
    heading = _heading("", "alpha", "alpha of the ray at C", "max |difference|", "")
    alphas, differences = ("derived", "fitted", *budgets), ("ray", "at C", "envelope")
    columns = _line("benchmark", "metric", *alphas, *differences, "verdict")
    rule = "-" * len(columns)
    legend = (
        f"derived: envelope of the params-tokens law. fitted: compute law. ray: the params-tokens law at "
        f"D/N={result.tokens_per_param:g}. |difference|: of the raw accuracy from that of the compute law, "
        f"for C from {budgets[0]} to {budgets[2]} FLOP. agrees: at most {result.tolerance:g} on the ray; "
        f"descriptive, for the tables give no errors."
    )
    count = f"{result.agrees} of {len(result.rows)} agree, {result.differs} {_verb(result.differs)}."
    return "\n".join(
        [
            heading,
            columns,
            rule,
            *(_row(row) for row in result.rows),
            rule,
            count,
            *wrap(legend, WIDTH),
            *wrap(f"Source: {result.source}", WIDTH),
        ]
    )


def _row(row: BenchmarkCheck) -> str:
    return _line(
        row.name,
        row.metric_type,
        *(
            f"{alpha:.4f}"
            for alpha in (
                row.alpha_derived,
                row.alpha_empirical,
                row.alpha_ray_lo,
                row.alpha_ray,
                row.alpha_ray_hi,
            )
        ),
        f"{row.max_abs_difference:.4f}",
        _flop(row.compute_at_max),
        f"{row.max_abs_difference_envelope:.4f}",
        row.verdict,
    )


def _line(*cells: str) -> str:
    """Words to the left, numbers to the right; groups two spaces apart, their columns one."""
    last = sum(map(len, GROUPS)) - 1
    placed = iter(cell.ljust if index in {0, 1, last} else cell.rjust for index, cell in enumerate(cells))
    return "  ".join(" ".join(next(placed)(width) for width in group) for group in GROUPS).rstrip()


def _heading(*titles: str) -> str:
    """Each title centred over its group between dashes."""
    widths = [sum(group) + len(group) - 1 for group in GROUPS]
    return "  ".join(
        f" {title} ".center(width, "-") if title else " " * width for title, width in zip(titles, widths, strict=True)
    ).rstrip()


def _flop(compute: float) -> str:
    """Three digits: 1e18, 3.77e22."""
    return f"{compute:.3g}".replace("e+", "e")


def _verb(count: int) -> str:
    return "differs" if count == 1 else "differ"
