"""What a check of runs found: one table, one verdict, a few notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Interval, Places, Shortest, Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import WIDTH, Column, Table
from ..results import Band, Estimate
from ..words import counted
from .band import CANNOT_TELL, CONSISTENT, difference_at, farthest, round_percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.rows import Dropped
    from ..fit.fit import Fit
    from ..fit.objective import Objective
    from ..law import Law
    from .isoflop import BudgetMinimum
    from .lack_of_fit import LackOfFit
    from .laws import Laws

    Floats = NDArray[np.float64]

__all__ = ["AllocationCheck", "CurveCheck", "RunsCheck"]

#: Exponents of N*(C) and D*(C) that differ by less are the same.
SAME_EXPONENT = 0.01
#: Notes that the text shows; JSON has all.
MOST_NOTES = 3
PER_CENT = Places(1, sign=True)
UNCERTIFIED = "the params-tokens fit is not certified to be a minimum"
TITLES = {"frontier": "frontier", "isoflop": "isoFLOP minima", "fixed-ratio": "fixed D/N"}
SIZE = Significant(3)
COLUMNS = (
    Column("name", "approach", align="left", only="page"),
    Column("approach", only="data"),
    Column("tokens_per_param", only="data"),
    Column("n_runs", "runs"),
    Column("n_budgets", only="data"),
    Column(
        "alpha",
        show="all",
        format=Places(4),
        interval=Interval(Places(3), separator=","),
        keys=("alpha", "lo", "hi"),
        missing="",
    ),
    Column("alpha_predicted", only="data"),
    Column("params", "N*", format=SIZE, missing=""),
    Column("tokens", "D*", format=SIZE, missing=""),
    Column("loss", "L*", format=Places(4), missing=""),
    Column("max_relative_difference", only="data"),
    Column("compute_at_max", only="data"),
    Column(
        "reach",
        "difference, %",
        of=lambda check: check.reach and check.reach.mapped(lambda share: 100.0 * share),
        show="all",
        format=PER_CENT,
        interval=Interval(PER_CENT, separator=","),
        missing="",
        only="page",
    ),
    Column("verdict", align="left"),
    Column("reason", only="data"),
)
#: Where a line does not end.
KEPT, NO_BREAK = re.compile(r"\[[^\]]*\]| (?:%|FLOP)"), "\N{NO-BREAK SPACE}"
MEANINGS = (
    "alpha: exponent of the compute law, with its interval",
    "N*, D*, L*: optimal params, tokens and loss at the compute of the first line; of a fixed D/N "
    "the loss of its runs",
    "difference, %: of the approach's curve from the one that the params+tokens law predicts "
    "for it (its envelope; at a fixed D/N its ray), relative to the loss, where it is largest over "
    "the compute of the runs, and how far its simultaneous band reaches there and elsewhere",
    "verdict of a row: consistent where the band lies within the tolerance, inconsistent where it "
    "lies outside somewhere, else cannot tell",
    "verdict: inconsistent where a row is or the law does not fit its runs, else consistent where a "
    "row is, else cannot tell",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class CurveCheck:
    """One approach: its compute law beside the one that the params+tokens law predicts for it.

    Where the runs do not allow the approach, all that follows from a compute law is None.

    Attributes
    ----------
    approach : {"params+tokens", "frontier", "isoflop", "fixed-ratio"}
        The first is the law itself, in the table alone.
    verdict : {"consistent", "inconsistent", "cannot tell", ""}
    reason : str
        Of "cannot tell": what is missing. Of "inconsistent": where it is worst.
    n_runs : int
        Runs that the approach uses.
    n_budgets : int or None
        Budgets with a minimum, of "isoflop".
    tokens_per_param : float or None
        Of "fixed-ratio".
    law, predicted_law : Law or None
        Through the points of the approach, moved along the params+tokens law to where the
        prediction is; and the prediction: the envelope, or of "fixed-ratio" the compute law through
        the law's own losses on the ray.
    alpha : Estimate or None
        Of the empirical law, with the mean effect of selecting runs taken off.
    alpha_difference : Estimate or None
        Empirical minus predicted exponent, from paired resamples.
    params, tokens, loss : float or None
        N*, D* and L* at `RunsCheck.compute`.
    compute : ndarray or None
        A grid from the lowest to the highest compute of the comparison, FLOP.
    band : Band or None
        There, the relative difference in loss of the empirical from the predicted curve with its
        simultaneous band.
    correction : (float, float) or None
        The largest share of the loss by which a point was moved, and at which compute.
    """

    approach: str
    verdict: str = CANNOT_TELL
    reason: str = ""
    n_runs: int = 0
    n_budgets: int | None = None
    tokens_per_param: float | None = None
    law: Law | None = None
    predicted_law: Law | None = None
    alpha: Estimate | None = None
    alpha_difference: Estimate | None = None
    params: float | None = None
    tokens: float | None = None
    loss: float | None = None
    compute: Floats | None = field(default=None, repr=False)
    band: Band | None = field(default=None, repr=False)
    correction: tuple[float, float] | None = None

    @property
    def name(self) -> str:
        """The approach, or the ratio."""
        ratio = self.tokens_per_param
        return TITLES.get(self.approach, self.approach) if ratio is None else f"D/N = {ratio:.3g}"

    @property
    def alpha_predicted(self) -> float | None:
        """Exponent of the predicted law."""
        return None if self.predicted_law is None else self.predicted_law.alpha

    @property
    def max_relative_difference(self) -> float | None:
        """Largest absolute difference."""
        return None if self.band is None else float(abs(self.band.value).max())

    @property
    def compute_at_max(self) -> float | None:
        """Where the difference is largest, FLOP."""
        if self.compute is None or self.band is None:
            return None
        return float(self.compute[abs(self.band.value).argmax()])

    @property
    def reach(self) -> Estimate | None:
        """The largest difference, with how far down and up the band reaches anywhere."""
        if self.band is None:
            return None
        low, high = self.band.ends
        most = float(self.band.value[abs(self.band.value).argmax()])
        return Estimate(most, float(low.min()), float(high.max()))

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

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the row of the table, alpha with the ends of its interval lo and hi, and what
        has no column.
        """
        (row,) = Table(COLUMNS, [self]).records()
        band, most = None, self.differs_most
        if self.compute is not None and self.band is not None:
            band = {"compute": self.compute.tolist(), **self.band.as_dict("difference", "lo", "hi")}
        return {
            **row,
            "alpha_difference": _plain(self.alpha_difference),
            "empirical": self.law and self.law.coefficients(),
            "predicted": self.predicted_law and self.predicted_law.coefficients(),
            "band": band,
            "largest_correction": self.correction
            and dict(zip(("share", "compute"), self.correction, strict=True)),
            "differs": most is not None,
            "differs_most": most and {"compute": most[0], **most[1].as_dict(low="lo", high="hi")},
        }


@dataclass(frozen=True, kw_only=True)
class AllocationCheck:
    """The exponent of N*(C) or D*(C) through the isoFLOP minima beside the derived one.

    Attributes
    ----------
    quantity : {"params", "tokens"}
    exponent : Estimate
        With the bias of the parabolas taken off, and the median difference of the resamples, in
        which the law holds.
    derived : Estimate
        Of the params+tokens law.
    difference : Estimate
        `exponent` minus `derived`, from paired resamples.
    """

    quantity: str
    exponent: Estimate
    derived: Estimate
    difference: Estimate

    @property
    def differs(self) -> bool:
        """Whether the difference is beyond chance, and beyond 0.01."""
        return self.difference.excludes(0.0) and abs(self.difference.value) > SAME_EXPONENT

    def __str__(self) -> str:
        symbol = "N*(C)" if self.quantity == "params" else "D*(C)"
        return (
            f"{symbol} through the isoFLOP minima grows as C^{self.exponent:.3f}, by the law as "
            f"C^{self.derived:.3f}: they differ beyond chance"
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        names = ("exponent", "derived", "difference")
        numbers = {name: _plain(getattr(self, name)) for name in names}
        return {"quantity": self.quantity, **numbers, "differs": self.differs}


@dataclass(frozen=True, kw_only=True, eq=False)
class RunsCheck(Shown):
    """The derived envelope beside every compute law that the runs allow.

    Attributes
    ----------
    fit : Fit
        Of the params+tokens law.
    law : Law
    laws : Laws
        The same under the budget of the runs, whose formulas for N*, D* and L* are meant.
    derived : dict of str to Estimate
        alpha, C0 and E of the envelope, and the exponents of N*(C) and D*(C).
    empirical : tuple of CurveCheck
        Frontier, isoFLOP minima, fixed ratios.
    lack_of_fit : LackOfFit or None
        Whether the law fits its runs; None where they are too few to tell.
    budgets : tuple of BudgetMinimum
        What each isoFLOP profile says about its optimum, those left out with the reason.
    allocation : tuple of AllocationCheck
        N*(C) and D*(C) through the minima; empty where there are too few.
    compute : float
        At which N*, D* and L* are given, FLOP.
    verdict : {"consistent", "inconsistent", "cannot tell"}
        Inconsistent where any approach is, or where the law does not fit its runs; else consistent
        where at least one approach is; else cannot tell.
    n_runs : int
    dropped : tuple of Dropped
    warnings : tuple of str
    objective : Objective
        Of the joint fit.
    tolerance, level, band_level : float
        Relative difference in loss that counts as agreement; level of the intervals; level of each
        band.
    bootstrap, n_resamples, seed : int
        Resamples that were asked for, and drawn.
    interrupted : bool
        Whether the resampling was stopped before its end.
    """

    fit: Fit
    law: Law
    laws: Laws
    derived: dict[str, Estimate]
    empirical: tuple[CurveCheck, ...]
    lack_of_fit: LackOfFit | None
    budgets: tuple[BudgetMinimum, ...]
    allocation: tuple[AllocationCheck, ...]
    compute: float
    verdict: str
    n_runs: int
    dropped: tuple[Dropped, ...]
    warnings: tuple[str, ...]
    objective: Objective
    tolerance: float
    level: float
    band_level: float
    bootstrap: int
    n_resamples: int
    interrupted: bool
    seed: int

    @property
    def allocation_differs(self) -> bool:
        """Whether N*(C) or D*(C) through the minima differs from the derived one beyond chance."""
        return any(check.differs for check in self.allocation)

    def optimum(self, compute: Any) -> tuple[Any, Any, Any]:
        """N*, D* and L* of the law at budgets (n,), FLOP, under the budget of the runs."""
        at = np.asarray(compute, dtype=np.float64)
        laws, flat = self.laws, np.atleast_1d(at)
        params, tokens, loss = laws.params(flat)[0], laws.tokens(flat)[0], laws.envelope(flat)[0]
        return params.reshape(at.shape), tokens.reshape(at.shape), loss.reshape(at.shape)

    def tables(self) -> tuple[Table, ...]:
        """One table, with a row for the law and one for each approach."""
        params, tokens, loss = map(float, self.optimum(self.compute))
        alpha = self.derived["alpha"]
        own = CurveCheck(
            approach="params+tokens",
            verdict="",
            n_runs=self.n_runs,
            alpha=alpha,
            params=params,
            tokens=tokens,
            loss=loss,
        )
        return (Table(COLUMNS, [own, *self.empirical], notes=(self.sentence, *self.notes)),)

    @property
    def sentence(self) -> str:
        """The verdict and what it rests on."""
        told = self.lack_of_fit
        if told is not None and told.matters(self.tolerance):
            where = f"the law does not fit its runs (p = {told.p_value:.3g}): {told}"
        elif self.verdict == CONSISTENT:
            agree = [check.name for check in self.empirical if check.verdict == CONSISTENT]
            fits = "" if told is None else f", and the law fits its runs (p = {told.p_value:.2g})"
            within = round_percent(self.tolerance)
            where = f"{' and '.join(agree)} within {within} of what the law predicts{fits}"
        else:
            said = [each for each in self.empirical if each.verdict == self.verdict]
            said.sort(key=lambda check: check.band is None)
            where = f"{said[0].name}: {said[0].reason}" if said else UNCERTIFIED
        return f"verdict: {self.verdict}: {where}"

    @property
    def notes(self) -> tuple[str, ...]:
        """The allocation where it differs, what differs within the tolerance, and the warnings."""
        return tuple(self._notes())

    def _notes(self) -> Iterator[str]:
        yield from (str(check) for check in self.allocation if check.differs)
        yield from self.warnings
        for check in self.empirical:
            if check.verdict == CONSISTENT and check.differs_most is not None:
                yield f"{check.name}: within the tolerance, but {difference_at(*check.differs_most)}"
        if self.dropped:
            yield f"{counted(len(self.dropped), 'row')} dropped"

    def __str__(self) -> str:
        """A line on the runs, the table, the verdict and at most three notes; 100 columns."""
        (table,) = self.tables()
        at = Shortest(2).text(self.compute)
        head = (
            f"{counted(self.n_runs, 'run')}; N*, D* and L* at {at} FLOP; "
            f"{round_percent(self.level)} intervals of {counted(self.n_resamples, 'resample')}"
        )
        notes = [f"note: {note}" for note in self.notes]
        shown = notes[:MOST_NOTES]
        if len(notes) > MOST_NOTES:
            shown[-1] += f" (and {len(notes) - MOST_NOTES} more in JSON)"
        return "\n".join([head, *table.lines(), *_wrapped(self.sentence, *shown)])

    def explained(self) -> str:
        """The text, and what its columns mean."""
        return "\n".join([str(self), "", *_wrapped(*MEANINGS)])

    def plot(self) -> Any:
        """The figure of `isoflop.numeric.plot.check.plot_check_runs`."""
        from ..plot.check import plot_check_runs

        return plot_check_runs(self)

    def __getitem__(self, approach: str) -> CurveCheck:
        """The first check of an approach."""
        by_name = {check.approach: check for check in reversed(self.empirical)}
        if approach not in by_name:
            names = ", ".join(dict.fromkeys(check.approach for check in self.empirical))
            raise ValueError(f"approach={approach!r}: must be one of {names}")
        return by_name[approach]

    def as_dict(self) -> dict[str, Any]:
        """Everything in plain types, ready for JSON."""
        params, tokens, loss = map(float, self.optimum(self.compute))
        told = self.lack_of_fit
        return {
            "kind": "runs",
            "law": self.law.as_dict(),
            "objective": self.objective.as_dict(),
            "budget": dict(zip(("kappa", "a", "d"), self.laws.budget, strict=True)),
            "optimum": {
                "compute": self.compute,
                "params": params,
                "tokens": tokens,
                "loss": loss,
            },
            "derived": {name: _plain(estimate) for name, estimate in self.derived.items()},
            "empirical": [check.as_dict() for check in self.empirical],
            "lack_of_fit": told and {**told.as_dict(), "matters": told.matters(self.tolerance)},
            "budgets": [budget.as_dict() for budget in self.budgets],
            "allocation": [check.as_dict() for check in self.allocation],
            "verdict": self.verdict,
            "sentence": self.sentence,
            "allocation_differs": self.allocation_differs,
            "tolerance": self.tolerance,
            "level": self.level,
            "band_level": self.band_level,
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


def _wrapped(*texts: str) -> list[str]:
    """Lines of at most the width; an interval, and a number with its unit, stay together."""
    lines = []
    for text in texts:
        kept = KEPT.sub(lambda match: match[0].replace(" ", NO_BREAK), text)
        lines += wrap(kept, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return [line.replace(NO_BREAK, " ") for line in lines]
