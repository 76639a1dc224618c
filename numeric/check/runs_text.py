"""The check of runs as a table and as text."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING

from ...theory.typeset.numbers import Interval, Percent, Places
from ...theory.typeset.table import RULE, WIDTH, Column, Table
from ..words import counted
from .band import (
    CANNOT_TELL,
    CONSISTENT,
    INCONSISTENT,
    SHARE,
    SIGNED,
    difference_at,
    flop,
    round_percent,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .runs_result import CurveCheck, RunsCheck

__all__ = ["approaches", "text"]

#: A share of resamples at a bound up to this is not worth a word.
MOST_AT_BOUND = 0.05
#: Marks a row that is consistent within the tolerance, and yet different beyond chance.
MARK = "*"
LOSS = "difference in loss"
COLUMNS = (
    Column("name", "approach", align="left", least_width=14, only="page"),
    Column("approach", only="data"),
    Column("tokens_per_param", only="data"),
    Column("n_runs", "runs", least_width=5),
    Column("n_budgets", only="data"),
    Column(
        "alpha",
        "empirical",
        over="alpha",
        show="all",
        format=Places(4),
        interval=Interval(Places(3), separator=","),
        keys=("alpha", "lo", "hi"),
        least_width=20,
        missing="",
    ),
    Column(
        "alpha_predicted", "predicted", over="alpha", format=Places(4), least_width=9, missing=""
    ),
    Column(
        "raw_max_relative_difference", "raw", over=LOSS, format=SHARE, least_width=7, missing=""
    ),
    Column(
        "max_relative_difference", "largest", over=LOSS, format=SHARE, least_width=7, missing=""
    ),
    Column("compute_at_max", only="data"),
    Column(
        "reach",
        "band",
        over=LOSS,
        show="interval",
        interval=Interval(SIGNED, "", " ", ""),
        least_width=17,
        missing="",
        only="page",
    ),
    Column("verdict", only="data"),
    Column(
        "verdict",
        align="left",
        of=lambda check: check.verdict + (MARK if check.within_yet_different else ""),
        least_width=12,
        only="page",
    ),
    Column("reason", only="data"),
)
#: Ratios that one line names.
MOST_NAMED = 12
#: Where a line does not end.
KEPT, NO_BREAK = re.compile(r"\[[^\]]*\]| (?:%|FLOP)"), "\N{NO-BREAK SPACE}"
#: What the verdict is about, where the allocation has to be told apart from it.
IN_LOSS = {
    CONSISTENT: "consistent in loss",
    INCONSISTENT: "inconsistent in loss",
    CANNOT_TELL: "cannot tell from the loss",
}


def text(result: RunsCheck) -> str:
    """The law, what it implies, a row an approach, the verdict, the isoFLOP allocation, notes and
    the legend; at most 100 columns.
    """
    table = approaches(result)
    findings = [
        _verdict(result),
        *_allocation(result),
        *_notes(result),
        *(f"warning: {warning}" for warning in result.warnings),
    ]
    head, body, legend = map(_wrapped, (_head(result), findings, map(str, table.notes)))
    return "\n".join([*head, "", *table.lines(), *body, "", *legend])


def approaches(result: RunsCheck) -> Table:
    """A row for each approach, with the legend as notes."""
    return Table(COLUMNS, [*result.empirical, RULE], notes=tuple(_legend(result)), gap=" ")


def _wrapped(texts: Iterable[str]) -> list[str]:
    """Lines of at most the width; an interval, and a number with its unit, stay together."""
    lines = []
    for text in texts:
        kept = KEPT.sub(lambda match: match[0].replace(" ", NO_BREAK), text)
        lines += wrap(kept, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return [line.replace(NO_BREAK, " ") for line in lines]


def _head(result: RunsCheck) -> list[str]:
    alpha, C0, E = (result.derived[name] for name in ("alpha", "C0", "E"))
    return [
        str(result.law),
        f"{counted(result.n_runs, 'run')}; {result.objective}; intervals "
        f"{round_percent(result.level)}, {counted(result.n_resamples, 'resample')}, "
        f"seed {result.seed}",
        f"derived envelope: alpha {alpha:.4f}, C0 {C0:.4g}, E {E:.4f}",
    ]


def _verdict(result: RunsCheck) -> str:
    if not result.allocation_differs:
        return f"verdict: {result.verdict}"
    also = " as well" if result.verdict == INCONSISTENT else ""
    return f"verdict: {IN_LOSS[result.verdict]}; the allocation differs{also}"


def _allocation(result: RunsCheck) -> Iterator[str]:
    for check in result.allocation:
        says = (
            "differs from the derived exponent beyond chance, by"
            if check.differs
            else "no difference beyond chance:"
        )
        yield (
            f"isoFLOP minima: {check.symbol} ~ C^{check.exponent:.4f} (raw "
            f"{check.raw.exponent:.4f}); derived C^{check.derived:.4f}; "
            f"{says} {check.difference:+.4f}"
        )


def _notes(result: RunsCheck) -> Iterator[str]:
    left_out: dict[str, list[float]] = {}
    for budget in result.budgets:
        if budget.reason:
            left_out.setdefault(budget.reason, []).append(budget.compute)
    for reason, budgets in left_out.items():
        where = ", ".join(flop(compute, 3) for compute in budgets)
        yield f"{'budget' if len(budgets) == 1 else 'budgets'} left out ({where}): {reason}"
    if ratios := result.ratios_left_out:
        named = ", ".join(f"{ratio:.3g}" for ratio in ratios[:MOST_NAMED])
        rest = f" and {len(ratios) - MOST_NAMED} more" if len(ratios) > MOST_NAMED else ""
        more = counted(len(ratios), "more ratio")
        yield f"{more} D/N not shown: {named}{rest} (--ratio chooses, in Python ratios=)"
    for check in result.empirical:
        if difference := _difference(check):
            yield f"{check.name}: {difference}"
    reasons: dict[str, list[str]] = {}
    for check in result.empirical:
        if check.reason:
            reasons.setdefault(check.reason, []).append(check.name)
    yield from (f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    for check in result.empirical:
        if check.share_at_bound > MOST_AT_BOUND:
            yield (
                f"{check.name}: in {Percent(places=0).text(check.share_at_bound)} of the resamples "
                "E or alpha ends at a bound; these runs determine the curve, but hardly alpha"
            )
    if result.dropped:
        yield f"{counted(len(result.dropped), 'row')} dropped"


def _difference(check: CurveCheck) -> str:
    """What differs beyond chance: the curve, and where, alpha, or both; empty where neither does."""
    alpha = check.alpha_difference
    if alpha is None:
        return ""
    alpha_differs, by_alpha = alpha.excludes(0.0), f"{alpha:+.4f}"
    if check.differs_most is None or check.verdict == INCONSISTENT:  # its reason says where
        curve = "" if check.differs else "; the curve does not"
        return f"alpha differs beyond chance, by {by_alpha}{curve}" if alpha_differs else ""
    within = ", within the tolerance" if check.within_yet_different else ""
    also = "so does alpha, by" if alpha_differs else "alpha does not,"
    by_curve = difference_at(*check.differs_most)
    return f"the curve differs beyond chance{within}, by {by_curve}; {also} {by_alpha}"


def _legend(result: RunsCheck) -> Iterator[str]:
    within = round_percent(result.tolerance)
    yield "predicted: by the params-tokens law: its envelope or, at a fixed ratio, its ray"
    yield (
        "difference in loss: relative, of the empirical from the predicted curve, where it is "
        "largest over the observed compute; raw, and with the biases of the approach taken off"
    )
    together = (
        f" each, {round_percent(result.level)} over the {result.compared} approaches together"
    )
    yield (
        "band: how far a simultaneous band of the difference reaches; its level is "
        f"{round_percent(result.band_level)}{together if result.compared > 1 else ''}"
    )
    yield (
        f"verdict of a row: consistent where the band is within {within} throughout, inconsistent "
        "where it lies wholly outside somewhere, else cannot tell"
    )
    yield "verdict of all: inconsistent where any row is, else consistent where any row is, else cannot tell"
    if any(check.within_yet_different for check in result.empirical):
        yield f"{MARK} within the tolerance, yet different beyond chance: the band leaves out 0"
    means = result.tolerance_means
    if means.compute_factor is None:
        takes = "no compute lowers the loss by so much"
    elif means.compute_factor < 2.0:
        takes = f"{within} less loss takes {round_percent(means.compute_factor - 1.0)} more compute"
    else:
        takes = f"{within} less loss takes {means.compute_factor:.3g} times the compute"
    yield (
        f"tolerance: {within} of the loss at {flop(means.compute)}, the geometric mean of the "
        f"runs, is {round_percent(means.reducible_share)} of the reducible loss of the fitted law; "
        f"{takes}"
    )
