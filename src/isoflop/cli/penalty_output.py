"""Penalties as JSON, LaTeX and text."""

from __future__ import annotations

from .render import clean, law_line, number, percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..numeric.penalty import Penalty, Tolerance
    from ..theory.data.notation import Notation

    Found = Sequence[tuple[Law, list[Penalty]]]

#: What figures of loss are called for a law of y = -log Q'.
IN_ACCURACY = {
    "loss": "-log\nQ'",
    "optimal_loss": "optimal\n-log\nQ'",
    "loss_excess": "-log\nQ'\nexcess",
    "loss_penalty": "penalty",
}
SIZES = "ratio: (D/N)/(D*/N*) at the same compute, above 1 overtrained; size ratio: N/N*."
LEGEND = (
    "loss penalty: (L - E)/(L* - E); excess: that minus 1, and loss excess: L - L*; lost compute:",
    "1 - effective compute, the share of the budget that the optimum needs for the same loss; "
    "compute",
    "overhead: extra compute that reaches L* at this size (never: no number of tokens does).",
)
LEGEND_IN_ACCURACY = (
    "penalty: (y - E)/(y* - E) of y = -log Q', Q' accuracy without guessing; excess: that minus 1; "
    "lost",
    "compute: 1 - effective compute, the share of the budget that the optimum needs for the same",
    "accuracy; compute overhead: extra compute that reaches y* at this size (never: no number of "
    "tokens",
    "does).",
)


#: What has an interval in JSON where the law came from data.
SURE = (
    "ratio",
    "size_ratio",
    "loss_penalty",
    "excess",
    "effective_compute",
    "lost_compute",
    "compute_overhead",
)


def penalty_data(found: Found, tolerances: Sequence[Tolerance]) -> dict[str, Any]:
    """The rows, with intervals for a law that came from data, and the tolerance intervals if any,
    for JSON.
    """
    from ..numeric.law_tables import intervals_of

    names = [law.name for law, _ in found]
    data: dict[str, Any] = {
        "law": names[0] if len(names) == 1 else names,
        "rows": [
            {"law": law.name, **figures.as_dict(), **intervals_of(figures, SURE)}
            for law, rows in found
            for figures in rows
        ],
    }
    if tolerances:
        intervals = [
            {"law": name, **entry.as_dict()} for name, entry in zip(names, tolerances, strict=True)
        ]
        data["tolerance"] = intervals[0] if len(intervals) == 1 else intervals
    return data


def penalty_latex(found: Found, tolerances: Sequence[Tolerance], spelling: Notation) -> str:
    """A table of the penalties, and a sentence for each tolerance interval."""
    from ..numeric.law_tables import penalty_page, penalty_tables
    from ..theory.typeset.escapes import latex_escaped
    from ..theory.typeset.numbers import Shortest

    parts = [penalty_page(found, spelling).latex()] if any(rows for _, rows in found) else []
    parts += [
        penalty_tables(rows)[-1].latex()
        for law, rows in found
        if rows and law.uncertainty is not None
    ]
    form, size_ratio = Shortest(4), f"{spelling.latex('N')}/{spelling.latex('N_opt')}"
    for (law, _), interval in zip(found, tolerances, strict=False):
        lowest, highest = map(form.finite_latex, interval.size_ratio)
        bound = form.finite_latex(interval.within)
        parts.append(
            rf"{latex_escaped(law.name)}: $P - 1 \le {bound}$ for ${lowest} \le "
            rf"{size_ratio} \le {highest}$."
        )
    return "\n\n".join(parts)


def penalty_text(
    found: Found,
    tolerances: Sequence[Tolerance],
    spelling: Notation,
    of_accuracy: Container[str] = frozenset(),
) -> str:
    """Tables of at most 100 columns, and what their columns mean; `of_accuracy`: the names of the
    laws of -log Q'.
    """
    from ..numeric.law_tables import penalty_tables

    lines: list[str] = []
    for law, rows in found:
        called = IN_ACCURACY if law.name in of_accuracy else {}
        lines += [law_line(law, spelling), ""]
        for table in penalty_tables(rows, called) if rows else ():
            lines += [table.text(), ""]
    for (law, _), interval in zip(found, tolerances, strict=False):
        lines += _tolerance_lines(
            law, interval, "y* - E" if law.name in of_accuracy else "the reducible loss L* - E"
        )
    kinds = {law.name in of_accuracy for law, rows in found if rows}
    legends = [*(LEGEND if False in kinds else ()), *(LEGEND_IN_ACCURACY if True in kinds else ())]
    return "\n".join([*lines, SIZES, *legends])


def _tolerance_lines(law: Law, interval: Tolerance, reducible: str) -> list[str]:
    low, high = (number(end) for end in interval.size_ratio)
    least, most = (number(end) for end in interval.ratio)
    compute = percent(law.penalty(size_ratio=interval.size_ratio[1]).lost_compute)
    return [
        f"{clean(law.name)}: excess at most {percent(interval.within)} of {reducible}, at most "
        f"{compute} of the",
        f"  compute lost, for size ratio {low} to {high}, ratio {least} to {most}",
        "",
    ]
