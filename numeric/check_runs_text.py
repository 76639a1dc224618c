"""The check of runs as a table of at most 100 columns."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isoflop.numeric.check_runs_result import CurveCheck, Estimate, RunsCheck

__all__ = ["check_runs_text"]

WIDTH = 100
WIDTHS = (14, 5, 20, 9, 7, 7, 17, 12)


def check_runs_text(result: RunsCheck) -> str:
    """The law, what it implies, a row an approach, the isoFLOP allocation, the verdict and its reasons."""
    alpha, C0 = result.derived["alpha"], result.derived["C0"]
    head = [
        str(result.law),
        f"{result.n_runs} runs; {result.objective}; intervals {result.level:.0%}, "
        f"{result.n_resamples} resamples, seed {result.seed}",
        f"derived envelope: alpha {_interval(alpha)}, C0 {C0.value:.4g} [{C0.lo:.4g}, {C0.hi:.4g}], "
        f"E {_interval(result.derived['E'])}",
    ]
    head = [*(line for text in head for line in wrap(text, WIDTH)), ""]
    columns = [
        f"{'':21}{' alpha '.center(30, '-')} {' difference in loss '.center(33, '-')}",
        _line("approach", "runs", "empirical", "predicted", "raw", "largest", "band", "verdict"),
    ]
    rule = "-" * (sum(WIDTHS) + len(WIDTHS) - 1)
    rows = [_row(check) for check in result.empirical]
    tail: list[str] = []
    for check in result.allocation:
        letter = "N" if check.quantity == "params" else "D"
        tail.append(
            f"isoFLOP minima: {letter}*(C) ~ C^{_interval(check.exponent)} (raw {check.raw.exponent:.4f}); "
            f"derived {check.derived_exponent:.4f}"
        )
    left_out = [budget for budget in result.budgets if budget.reason]
    for reason in dict.fromkeys(budget.reason for budget in left_out):
        where = ", ".join(f"{budget.compute:.3g}".replace("e+", "e") for budget in left_out if budget.reason == reason)
        tail.append(f"budgets left out ({where} FLOP): {reason}")
    tail += [
        f"{_name(check)}: differs from the prediction beyond chance, alpha by {_interval(check.alpha_difference, '+.4f')}"
        for check in result.empirical
        if check.differs and check.alpha_difference is not None
    ]
    for reason in dict.fromkeys(check.reason for check in result.empirical if check.reason):
        tail.append(f"{', '.join(_name(check) for check in result.empirical if check.reason == reason)}: {reason}")
    tail += [
        f"{_name(check)}: E or alpha at a bound in {check.share_at_bound:.0%} of the resamples: alpha is hardly identified, "
        f"the curve is"
        for check in result.empirical
        if check.share_at_bound > 0.05
    ]
    if result.dropped:
        tail.append(f"{len(result.dropped)} row{'s' if len(result.dropped) > 1 else ''} dropped")
    tail += [f"warning: {text}" for text in result.warnings]
    legend = (
        f"predicted: by the params-tokens law, its envelope or, at a fixed ratio, its ray. difference: relative, of the "
        f"empirical from the predicted curve over the observed compute, raw and with the biases of the approach taken off. "
        f"band: the reach of its simultaneous {result.band_level:.3g} band. consistent: the band within {result.tolerance:.2g} "
        f"throughout."
    )
    return "\n".join(
        [
            *head,
            *columns,
            rule,
            *rows,
            rule,
            f"verdict: {result.verdict}",
            *(line for text in (*tail, legend) for line in wrap(text, WIDTH)),
        ]
    )


def _row(check: CurveCheck) -> str:
    if check.alpha is None or check.lo is None or check.hi is None or check.max_relative_difference is None:
        return _line(_name(check), str(check.n_runs), "", "", "", "", "", check.verdict)
    return _line(
        _name(check),
        str(check.n_runs),
        f"{check.alpha.value:.4f} [{check.alpha.lo:.3f},{check.alpha.hi:.3f}]",
        f"{check.alpha_predicted:.4f}",
        f"{check.raw_max_relative_difference:.2%}",
        f"{check.max_relative_difference:.2%}",
        f"{check.lo.min():+.2%} {check.hi.max():+.2%}",
        check.verdict,
    )


def _name(check: CurveCheck) -> str:
    return check.approach if check.tokens_per_param is None else f"D/N = {check.tokens_per_param:.3g}"


def _interval(estimate: Estimate, digits: str = ".4f") -> str:
    return f"{estimate.value:{digits}} [{estimate.lo:{digits}}, {estimate.hi:{digits}}]"


def _line(*cells: str) -> str:
    last = len(WIDTHS) - 1
    return " ".join(
        cell.ljust(width) if index in {0, last} else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True))
    ).rstrip()
