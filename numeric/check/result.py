"""What a check of runs found, its table and its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Interval, Percent, Places
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import RULE, WIDTH, Column, Table
from ..results import Band, Estimate
from ..words import counted
from .band import (
    CANNOT_TELL,
    CONSISTENT,
    INCONSISTENT,
    SHARE,
    SIGNED,
    difference_at,
    farthest,
    flop,
    round_percent,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.rows import Dropped
    from ..fit.objective import Objective
    from ..fit.power_law import PowerLaw
    from ..fit.result import Fit
    from ..law import Law
    from ..law.compute import ComputeLaw
    from .isoflop import BudgetMinimum

    Floats = NDArray[np.float64]

__all__ = ["CurveCheck", "PowerLawCheck", "RunsCheck", "ToleranceMeaning"]

#: A share of resamples at a bound up to this is not worth a word.
MOST_AT_BOUND = 0.05
#: Marks a row that is consistent within the tolerance, and yet different beyond chance.
MARK = "*"
LOSS = "difference in loss"
COLUMNS = (
    Column("name", "approach", align="left", only="page"),
    Column("approach", only="data"),
    Column("tokens_per_param", only="data"),
    Column("n_runs", "runs"),
    Column("n_budgets", only="data"),
    Column(
        "alpha",
        "empirical",
        over="alpha",
        show="all",
        format=Places(4),
        interval=Interval(Places(3), separator=","),
        keys=("alpha", "lo", "hi"),
        missing="",
    ),
    Column("alpha_predicted", "predicted", over="alpha", format=Places(4), missing=""),
    Column("raw_max_relative_difference", "raw", over=LOSS, format=SHARE, missing=""),
    Column("max_relative_difference", "largest", over=LOSS, format=SHARE, missing=""),
    Column("compute_at_max", only="data"),
    Column(
        "reach",
        "band",
        over=LOSS,
        show="interval",
        interval=Interval(SIGNED, "", " ", ""),
        missing="",
        only="page",
    ),
    Column("verdict", only="data"),
    Column(
        "verdict",
        align="left",
        of=lambda check: check.verdict + (MARK if check.within_yet_different else ""),
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


@dataclass(frozen=True, kw_only=True, eq=False)
class CurveCheck:
    """One approach: its compute law beside the one that the params+tokens law predicts for it.

    Where the runs do not allow the approach, all that follows from a compute law is None.

    Attributes
    ----------
    approach : {"frontier", "isoflop", "fixed-ratio"}
    verdict : {"consistent", "inconsistent", "cannot tell"}
    reason : str
        Of "cannot tell": what is missing. Of "inconsistent": where it is worst.
    n_runs : int
        Runs that the approach uses.
    n_budgets : int or None
        Budgets with a minimum, of "isoflop".
    tokens_per_param : float or None
        Of "fixed-ratio".
    law, raw_law : ComputeLaw or None
        Through the points of the approach: moved along the params+tokens law to where the
        prediction is, and as they are.
    predicted_law : ComputeLaw or None
        The envelope; of "fixed-ratio", the compute law through the law's own losses on the ray.
    alpha, C0, E : Estimate or None
        Of the empirical law, with the mean effect of selecting runs taken off.
    alpha_difference : Estimate or None
        Empirical minus predicted exponent, from paired resamples.
    compute : ndarray or None
        A grid from the lowest to the highest compute of the comparison, FLOP.
    band : Band or None
        There, the relative difference in loss of the empirical from the predicted curve with its
        simultaneous band.
    raw_difference : ndarray or None
        The same before any correction.
    share_at_bound : float
        Share of the resamples with E = 0, or an exponent at its bound: where it is not small, alpha
        is hardly identified.
    """

    approach: str
    verdict: str = CANNOT_TELL
    reason: str = ""
    n_runs: int = 0
    n_budgets: int | None = None
    tokens_per_param: float | None = None
    law: ComputeLaw | None = None
    raw_law: ComputeLaw | None = None
    predicted_law: ComputeLaw | None = None
    alpha: Estimate | None = None
    C0: Estimate | None = None
    E: Estimate | None = None
    alpha_difference: Estimate | None = None
    compute: Floats | None = field(default=None, repr=False)
    band: Band | None = field(default=None, repr=False)
    raw_difference: Floats | None = field(default=None, repr=False)
    share_at_bound: float = 0.0

    @property
    def name(self) -> str:
        """The approach, or the ratio."""
        ratio = self.tokens_per_param
        return self.approach if ratio is None else f"D/N = {ratio:.3g}"

    @property
    def alpha_predicted(self) -> float | None:
        """Exponent of the predicted law."""
        return None if self.predicted_law is None else self.predicted_law.alpha

    @property
    def max_relative_difference(self) -> float | None:
        """Largest absolute difference."""
        return None if self.band is None else float(abs(self.band.value).max())

    @property
    def raw_max_relative_difference(self) -> float | None:
        """Largest absolute difference before any correction."""
        return None if self.raw_difference is None else float(abs(self.raw_difference).max())

    @property
    def compute_at_max(self) -> float | None:
        """Where the difference is largest, FLOP."""
        if self.compute is None or self.band is None:
            return None
        return float(self.compute[abs(self.band.value).argmax()])

    @property
    def largest_correction(self) -> dict[str, float] | None:
        """The `share` of the predicted loss by which the corrections move the curve most, and at
        which `compute`.
        """
        if self.compute is None or self.band is None or self.raw_difference is None:
            return None
        taken = self.band.value - self.raw_difference
        place = abs(taken).argmax()
        return {"share": float(taken[place]), "compute": float(self.compute[place])}

    @property
    def reach(self) -> Estimate | None:
        """The largest difference, with how far down and up the band reaches anywhere."""
        if self.band is None or self.max_relative_difference is None:
            return None
        low, high = self.band.ends
        return Estimate(self.max_relative_difference, float(low.min()), float(high.max()))

    @property
    def differs_most(self) -> tuple[float, Estimate] | None:
        """The compute at which the band lies farthest from 0, and the difference there; None where
        it holds 0 throughout.
        """
        if self.compute is None or self.band is None:
            return None
        place = farthest(self.band)
        difference = self.band[place]
        return (float(self.compute[place]), difference) if difference.excludes(0.0) else None

    @property
    def differs(self) -> bool:
        """Whether the band leaves 0 anywhere, be it within the tolerance or not."""
        return self.differs_most is not None

    @property
    def within_yet_different(self) -> bool:
        """Whether it is consistent within the tolerance, and yet different beyond chance."""
        return self.verdict == CONSISTENT and self.differs

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the row of the table, alpha with the ends of its interval lo and hi, and what
        has no column.
        """
        (row,) = Table(COLUMNS, [self]).records()
        band, most = None, self.differs_most
        laws = {"raw": self.raw_law, "predicted": self.predicted_law}
        if self.compute is not None and self.band is not None:
            band = {"compute": self.compute.tolist(), **self.band.as_dict("difference", "lo", "hi")}
        return {
            **row,
            **{name: _plain(getattr(self, name)) for name in ("alpha_difference", "C0", "E")},
            **{name: law and law.coefficients() for name, law in laws.items()},
            "band": band,
            "compute_range": None if self.compute is None else self.compute[[0, -1]].tolist(),
            "largest_correction": self.largest_correction,
            "differs": self.differs,
            "differs_most": most and {"compute": most[0], **most[1].as_dict(low="lo", high="hi")},
            "share_at_bound": self.share_at_bound,
        }


@dataclass(frozen=True, kw_only=True)
class PowerLawCheck:
    """N*(C) or D*(C) through the isoFLOP minima beside the derived exponent.

    Attributes
    ----------
    quantity : {"params", "tokens"}
    raw, corrected : PowerLaw
        Through the minima as they are, and with the bias of the parabolas taken off.
    exponent : Estimate
        Of the corrected one; the median difference of the resamples, in which the law holds, is
        taken off.
    derived : Estimate
        w_N or w_D of the params+tokens law.
    difference : Estimate
        `exponent` minus `derived`, from paired resamples.
    """

    quantity: str
    raw: PowerLaw
    corrected: PowerLaw
    exponent: Estimate
    derived: Estimate
    difference: Estimate

    @property
    def differs(self) -> bool:
        """Whether the difference is beyond chance."""
        return self.difference.excludes(0.0)

    @property
    def symbol(self) -> str:
        """N*(C) or D*(C)."""
        return "N*(C)" if self.quantity == "params" else "D*(C)"

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "quantity": self.quantity,
            "raw": self.raw.as_dict(),
            "corrected": self.corrected.as_dict(),
            **{name: _plain(getattr(self, name)) for name in ("exponent", "derived", "difference")},
            "differs": self.differs,
        }


@dataclass(frozen=True, kw_only=True)
class ToleranceMeaning:
    """What a tolerance, a share of the loss, comes to on the envelope of a law.

    Attributes
    ----------
    compute : float
        Where, FLOP.
    reducible_share : float
        The same difference as a share of the reducible loss.
    compute_factor : float or None
        Compute that makes the loss lower by the tolerance, over the compute there; None where no
        compute does.
    """

    compute: float
    reducible_share: float
    compute_factor: float | None

    @classmethod
    def of(cls, law: Law, compute: float, tolerance: float) -> ToleranceMeaning:
        """Of a tolerance at one budget."""
        loss = float(law.envelope.loss(compute))
        share = tolerance * loss / float(law.envelope.reducible_loss(compute))
        try:
            factor = float(law.allocate(loss=(1.0 - tolerance) * loss).compute) / compute
        except ValueError:  # below E, or so near it that the compute is beyond the floats
            factor = None
        return cls(compute=compute, reducible_share=share, compute_factor=factor)


@dataclass(frozen=True, kw_only=True, eq=False)
class RunsCheck(Shown):
    """The derived envelope beside every compute law that the runs allow.

    Attributes
    ----------
    fit : Fit
        Of the params+tokens law.
    law : Law
    derived : dict of str to Estimate
        alpha, C0 and E of the envelope, and the exponents of N*(C) and D*(C).
    empirical : tuple of CurveCheck
        Frontier, isoFLOP minima, fixed ratios.
    budgets : tuple of BudgetMinimum
        What each isoFLOP profile says about its optimum, those left out with the reason.
    allocation : tuple of PowerLawCheck
        N*(C) and D*(C) through the minima; empty where there are too few.
    ratios_left_out : tuple of float
        The D/N that enough of the runs share to be compared with their ray, and that were not.
    verdict : {"consistent", "inconsistent", "cannot tell"}
        Inconsistent where any approach is; else consistent where at least one is; else cannot tell.
    n_runs : int
    dropped : tuple of Dropped
    warnings : tuple of str
    objective : Objective
        Of the joint fit.
    tolerance, level, band_level : float
        Relative difference in loss that counts as agreement; level of the intervals; level of each
        band.
    tolerance_means : ToleranceMeaning
        At the geometric mean of the runs' compute.
    compared : int
        How many bands there are: together they have the level of the intervals.
    bootstrap, n_resamples, seed : int
        Resamples that were asked for, and drawn.
    interrupted : bool
        Whether the resampling was stopped before its end.
    """

    fit: Fit
    law: Law
    derived: dict[str, Estimate]
    empirical: tuple[CurveCheck, ...]
    budgets: tuple[BudgetMinimum, ...]
    allocation: tuple[PowerLawCheck, ...]
    ratios_left_out: tuple[float, ...]
    verdict: str
    n_runs: int
    dropped: tuple[Dropped, ...]
    warnings: tuple[str, ...]
    objective: Objective
    tolerance: float
    tolerance_means: ToleranceMeaning
    level: float
    band_level: float
    compared: int
    bootstrap: int
    n_resamples: int
    interrupted: bool
    seed: int

    @property
    def allocation_differs(self) -> bool:
        """Whether N*(C) or D*(C) through the minima differs from the derived one beyond chance."""
        return any(check.differs for check in self.allocation)

    def tables(self) -> tuple[Table, ...]:
        """One table, with a row for each approach."""
        rows = [*self.empirical, RULE]
        return (Table(COLUMNS, rows, notes=tuple(_legend(self))),)

    def __str__(self) -> str:
        """The law, what it implies, a row an approach, the verdict, the isoFLOP allocation, notes
        and the legend; at most 100 columns.
        """
        (table,) = self.tables()
        warnings = (f"warning: {warning}" for warning in self.warnings)
        findings = [_verdict(self), *_allocation(self), *_notes(self), *warnings]
        head, body, legend = map(_wrapped, (_head(self), findings, map(str, table.notes)))
        return "\n".join([*head, "", *table.lines(), *body, "", *legend])

    def __getitem__(self, approach: str) -> CurveCheck:
        """The first check of an approach."""
        by_name = {check.approach: check for check in reversed(self.empirical)}
        if approach not in by_name:
            names = ", ".join(dict.fromkeys(check.approach for check in self.empirical))
            raise ValueError(f"approach={approach!r}: must be one of {names}")
        return by_name[approach]

    def as_dict(self) -> dict[str, Any]:
        """Everything in plain types, ready for JSON."""
        return {
            "kind": "runs",
            "law": self.law.as_dict(),
            "objective": self.objective.as_dict(),
            "derived": {name: _plain(estimate) for name, estimate in self.derived.items()},
            "empirical": [check.as_dict() for check in self.empirical],
            "budgets": [budget.as_dict() for budget in self.budgets],
            "allocation": [check.as_dict() for check in self.allocation],
            "ratios_left_out": list(self.ratios_left_out),
            "verdict": self.verdict,
            "allocation_differs": self.allocation_differs,
            "tolerance": self.tolerance,
            "tolerance_means": asdict(self.tolerance_means),
            "level": self.level,
            "band_level": self.band_level,
            "compared": self.compared,
            "resamples": {
                "asked": self.bootstrap,
                "done": self.n_resamples,
                "interrupted": self.interrupted,
                "seed": self.seed,
            },
            "n_runs": self.n_runs,
            "dropped": [{"row": int(entry.row), "reason": entry.reason} for entry in self.dropped],
            "warnings": list(self.warnings),
        }


def _plain(estimate: Estimate | None) -> dict[str, float | None] | None:
    return None if estimate is None else estimate.as_dict(low="lo", high="hi")


# -- as text -------------------------------------------------------------------------------------------


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
