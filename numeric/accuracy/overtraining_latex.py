"""The laws of over-training as a fragment of LaTeX: booktabs tables in one float."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .._latex import escaped
from ..words import counted
from .overtraining_costs import doubts_of

if TYPE_CHECKING:
    from .overtraining_costs import Cost
    from .overtraining_result import Overtraining
    from .overtraining_runs import Prediction

__all__ = ["overtraining_latex"]

NEEDED = r"% needs \usepackage{booktabs}"
DASH = "---"
LARGE = 1e4
FITTED = r"\rlap{$^{*}$}"
NAMES = {
    "beta": r"$\beta$",
    "gamma": r"$\gamma$",
    "eta": r"$\eta$",
    "epsilon": r"$\varepsilon$",
    "optimal_tokens_per_param": "$M^{*}$",
}
#: So many of the predicted runs, those of the largest compute, are in the table; CSV has all.
MOST_LISTED = 30


def overtraining_latex(found: Overtraining, costs: Sequence[Cost]) -> str:
    """Coefficients, predictions and costs in one float, with every note below.

    Returns
    -------
    str
        The document must load booktabs.
    """
    budgets = dict.fromkeys(each.compute for each in costs)
    parts = [
        _coefficients(found),
        _predictions(found),
        *(_costs([each for each in costs if each.compute == budget]) for budget in budgets),
    ]
    tables = "\n\n\\medskip\n".join("\n".join(part) for part in parts if part)
    notes = " ".join(f"{escaped(note[:1].upper() + note[1:])}." for note in (*found.notes, *doubts_of(costs)))
    below = ["", r"\smallskip", rf"\parbox{{\linewidth}}{{{notes}}}"] if notes else []
    return "\n".join(
        [
            NEEDED,
            r"\begin{table}[htbp]",
            r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{_caption(found)}}}\smallskip",
            tables,
            *below,
            r"\end{table}",
        ]
    )


def _caption(found: Overtraining) -> str:
    text = (
        r"$L = E + (a M^{\eta} + b M^{-\eta}) C^{-\eta} = E + A N^{-\beta} + B D^{-\beta}$, $M = D/N$, of "
        rf"{escaped(found.loss_name)} on {counted(found.n_loss, 'run')} ({_scatter(found.loss_errors)})"
    )
    if found.error_fit is not None:
        text += (
            rf"; $1 - Q = \varepsilon - k\,e^{{-\gamma L}}$, $Q$ the mean over {counted(len(found.benchmarks), 'benchmark')}, on "
            f"{counted(found.n_error, 'run')} ({_scatter(found.error_errors)})"
        )
    return text + "."


def _scatter(errors: dict[str, float | None]) -> str:
    rmse, r2 = errors["rmse"], errors["r2"]
    return f"RMSE {_number(rmse, 3)}, $R^2$ {DASH if r2 is None else f'{r2:.4f}'}"


def _coefficients(found: Overtraining) -> list[str]:
    values = found.coefficients | found.compute_coefficients | (found.error_coefficients or {})
    if found.determined:
        values["optimal_tokens_per_param"] = found.optimal_tokens_per_param
    if found.draws is None:
        names = [NAMES.get(name, f"${name}$") for name in values]
        return _tabular("r" * len(names), names, [" & ".join(_number(value, 4) for value in values.values())])
    rows = []
    for name, value in values.items():
        ends = found.intervals.get(name)
        shown = DASH if ends is None else f"{_number(ends[0], 3)} to {_number(ends[1], 3)}"
        rows.append(f"{NAMES.get(name, f'${name}$')} & {_number(value, 4)} & {shown}")
    return _tabular("@{}lrr@{}", ["", "", rf"{100.0 * found.level:.4g}\,\% interval"], rows)


def _predictions(found: Overtraining) -> list[str]:
    listed = sorted(found.predictions, key=lambda each: -each.compute)[:MOST_LISTED]
    if not listed:
        return []
    whats = ["loss", *(["error"] if found.error_fit is not None else [])]
    head = ["run", "$M$", *(cell for what in whats for cell in (what, "predicted", r"off by (\%)"))]
    rows = [
        " & ".join(
            [escaped(each.run), _number(each.tokens_per_param, 3), *(cell for what in whats for cell in _cells(each, what))]
        )
        for each in listed
    ]
    own = any(getattr(each, f"in_{what}_fit") for each in listed for what in whats)
    width = 2 + 3 * len(whats)
    under = [rf"\multicolumn{{{width}}}{{@{{}}l@{{}}}}{{$^{{*}}$ the law was fitted to this run}}"] if own else []
    return _tabular("@{}lr" + "rrr" * len(whats) + "@{}", head, [*rows, *under])


def _cells(each: Prediction, what: str) -> list[str]:
    measured, predicted, off = (getattr(each, name) for name in (what, f"predicted_{what}", f"{what}_difference"))
    mark = FITTED if getattr(each, f"in_{what}_fit") else ""
    cells = [_fixed(value) for value in (measured, predicted)]
    return [*cells, DASH if off is None else f"${100.0 * off:+.4f}${mark}"]


def _costs(costs: Sequence[Cost]) -> list[str]:
    head = ["$M$", "$N$", "$D$", "$L$", r"$\Delta L$", r"$(L-E)/(L^{*}-E)$", r"lost compute (\%)"]
    in_error = any(each.error is not None for each in costs)
    head += ["$1 - Q$", r"$\Delta(1-Q)$"] if in_error else []
    rows = []
    for each in costs:
        cells = [_number(value, 3) for value in (each.tokens_per_param, each.params, each.tokens)]
        cells += [_fixed(each.loss), _number(each.extra_loss, 3), _fixed(each.penalty)]
        cells += [f"{100.0 * each.lost_compute + 0.0:.1f}"]
        cells += [_fixed(each.error), _number(each.extra_error, 3)] if in_error else []
        rows.append(" & ".join(cells))
    above = rf"\multicolumn{{{len(head)}}}{{@{{}}l@{{}}}}{{$C = {_bare(costs[0].compute, 3)}$ FLOP}} \\"
    return _tabular("@{}" + "r" * len(head) + "@{}", head, rows, [above])


def _tabular(columns: str, head: Sequence[str], rows: Sequence[str], above: Sequence[str] = ()) -> list[str]:
    body = [rf"{row} \\" for row in rows]
    top = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *above, rf"{' & '.join(head)} \\", r"\midrule"]
    return [*top, *body, r"\bottomrule", r"\end{tabular}"]


def _fixed(value: float | None) -> str:
    """Four places, beside others below each other; more than fits is a power of ten."""
    return _number(value, 5) if value is None or abs(value) >= LARGE else f"${value:.4f}$"


def _bare(value: float, digits: int) -> str:
    from ...theory.typeset.latex_table import number_latex

    return str(number_latex(value, digits, trimmed=True))


def _number(value: float | None, digits: int) -> str:
    return DASH if value is None or not np.isfinite(value) else f"${_bare(value, digits)}$"
