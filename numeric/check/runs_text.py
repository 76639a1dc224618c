"""The check of runs as a table of at most 100 columns."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING

from ...theory.typeset.numbers import Interval, Percent, Places
from ...theory.typeset.table import RULE, Column, Table
from ..words import counted
from .band import CANNOT_TELL, CONSISTENT, INCONSISTENT
from .phrases import SHARE, SIGNED, flop, in_percent, round_percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .runs_result import CurveCheck, PowerLawCheck, RunsCheck

__all__ = ["approaches", "text"]

WIDTH = 100
#: A share of resamples at a bound up to this is not worth a word.
MOST_AT_BOUND = 0.05
#: Marks a row that is consistent within the tolerance, and yet different beyond chance.
MARK = "*"
#: One description for the text, LaTeX, the notebook and the frame.
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
        "alpha_predicted",
        "predicted",
        over="alpha",
        format=Places(4),
        least_width=9,
        missing="",
    ),
    Column(
        "raw_max_relative_difference",
        "raw",
        over="difference in loss",
        format=SHARE,
        least_width=7,
        missing="",
    ),
    Column(
        "max_relative_difference",
        "largest",
        over="difference in loss",
        format=SHARE,
        least_width=7,
        missing="",
    ),
    Column("compute_at_max", only="data"),
    Column(
        "reach",
        "band",
        over="difference in loss",
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
    the legend.
    """
    said = [
        _verdict(result),
        *_allocation(result),
        *_notes(result),
        *(f"warning: {warning}" for warning in result.warnings),
    ]
    return "\n".join(
        [
            *_wrapped(_head(result)),
            "",
            *approaches(result).lines(),
            *_wrapped(said),
            "",
            *_wrapped(_legend(result)),
        ]
    )


def approaches(result: RunsCheck) -> Table:
    """A row for each approach, with the legend as notes."""
    return Table(COLUMNS, [*result.empirical, RULE], notes=tuple(_legend(result)), gap=" ")


def _wrapped(texts: Iterable[str]) -> list[str]:
    """Lines of at most the width; an interval, and a number with its unit, stay together."""
    lines = []
    for text in texts:
        kept = KEPT.sub(lambda found: found[0].replace(" ", NO_BREAK), text)
        lines += wrap(kept, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return [line.replace(NO_BREAK, " ") for line in lines]


def _head(result: RunsCheck) -> list[str]:
    alpha, C0, E = (result.derived[name] for name in ("alpha", "C0", "E"))
    return [
        str(result.law),
        f"{counted(result.n_runs, 'run')}; {result.objective}; intervals "
        f"{round_percent(result.level)}, "
        f"{counted(result.n_resamples, 'resample')}, seed {result.seed}",
        f"derived envelope: alpha {alpha:.4f}, C0 {C0:.4g}, E {E:.4f}",
    ]


def _verdict(result: RunsCheck) -> str:
    if not result.allocation_differs:
        return f"verdict: {result.verdict}"
    also = " as well" if result.verdict == INCONSISTENT else ""
    return f"verdict: {IN_LOSS[result.verdict]}; the allocation differs{also}"


def _allocation(result: RunsCheck) -> Iterator[str]:
    for check in result.allocation:
        letter = "N" if check.quantity == "params" else "D"
        yield (
            f"isoFLOP minima: {letter}*(C) ~ C^{check.exponent:.4f} (raw "
            f"{check.raw.exponent:.4f}); derived "
            f"C^{check.derived:.4f}; {_told(check)}"
        )


def _told(check: PowerLawCheck) -> str:
    by = f"{check.difference:+.4f}"
    if check.differs:
        return f"differs from the derived exponent beyond chance, by {by}"
    return f"no difference beyond chance: {by}"


def _notes(result: RunsCheck) -> Iterator[str]:
    left_out = [budget for budget in result.budgets if budget.reason]
    for reason in dict.fromkeys(budget.reason for budget in left_out):
        where = [flop(budget.compute, 3) for budget in left_out if budget.reason == reason]
        yield f"{'budget' if len(where) == 1 else 'budgets'} left out ({', '.join(where)} FLOP): {reason}"
    if result.ratios_left_out:
        more = counted(len(result.ratios_left_out), "more ratio")
        yield f"{more} D/N not shown: {_listed(result.ratios_left_out)} (--ratio chooses, in Python ratios=)"
    for check in result.empirical:
        if note := _difference(check):
            yield f"{check.name}: {note}"
    for reason in dict.fromkeys(check.reason for check in result.empirical if check.reason):
        yield f"{', '.join(check.name for check in result.empirical if check.reason == reason)}: {reason}"
    for check in result.empirical:
        if check.share_at_bound > MOST_AT_BOUND:
            yield (
                f"{check.name}: in {Percent(places=0).text(check.share_at_bound)} of the resamples "
                f"E or alpha ends at a bound; "
                f"these runs determine the curve, but hardly alpha"
            )
    if result.dropped:
        yield f"{counted(len(result.dropped), 'row')} dropped"


def _listed(ratios: tuple[float, ...]) -> str:
    rest = len(ratios) - MOST_NAMED
    return ", ".join(f"{ratio:.3g}" for ratio in ratios[:MOST_NAMED]) + (
        f" and {rest} more" if rest > 0 else ""
    )


def _difference(check: CurveCheck) -> str:
    """What differs beyond chance: the curve, and where, alpha, or both; empty where neither does."""
    alpha = check.alpha_difference
    if alpha is None:
        return ""
    by_alpha = f"{alpha:+.4f}"
    if check.verdict == INCONSISTENT:  # its reason says where the curve differs
        return f"alpha differs beyond chance, by {by_alpha}" if alpha.excludes(0.0) else ""
    if check.differs_most is None:
        return (
            f"alpha differs beyond chance, by {by_alpha}; the curve does not"
            if alpha.excludes(0.0)
            else ""
        )
    compute, found = check.differs_most
    within = ", within the tolerance" if check.within_yet_different else ""
    also = "so does alpha, by" if alpha.excludes(0.0) else "alpha does not,"
    by_curve = f"{in_percent(found)} at {flop(compute)} FLOP"
    return f"the curve differs beyond chance{within}, by {by_curve}; {also} {by_alpha}"


def _legend(result: RunsCheck) -> Iterator[str]:
    within = round_percent(result.tolerance)
    yield "predicted: by the params-tokens law: its envelope or, at a fixed ratio, its ray"
    yield (
        "difference in loss: relative, of the empirical from the predicted curve, where it is "
        "largest over the observed "
        "compute; raw, and with the biases of the approach taken off"
    )
    together = (
        f" each, {round_percent(result.level)} over the {result.compared} approaches together"
    )
    yield (
        f"band: how far a simultaneous band of the difference reaches; its level is "
        f"{round_percent(result.band_level)}"
        f"{together if result.compared > 1 else ''}"
    )
    yield (
        f"verdict of a row: consistent where the band is within {within} throughout, inconsistent "
        f"where it lies wholly outside "
        f"somewhere, else cannot tell"
    )
    yield "verdict of all: inconsistent where any row is, else consistent where any row is, else cannot tell"
    if any(check.within_yet_different for check in result.empirical):
        yield f"{MARK} within the tolerance, yet different beyond chance: the band leaves out 0"
    yield _tolerance(result)


def _tolerance(result: RunsCheck) -> str:
    means, within = result.tolerance_means, round_percent(result.tolerance)
    if means.compute_factor is None:
        takes = "no compute lowers the loss by so much"
    elif means.compute_factor < 2.0:
        takes = f"{within} less loss takes {round_percent(means.compute_factor - 1.0)} more compute"
    else:
        takes = f"{within} less loss takes {means.compute_factor:.3g} times the compute"
    return (
        f"tolerance: {within} of the loss at {flop(means.compute)} FLOP, the geometric mean of the "
        f"runs, is "
        f"{round_percent(means.reducible_share)} of the reducible loss of the fitted law; {takes}"
    )
