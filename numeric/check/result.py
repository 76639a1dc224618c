"""What a check of runs found: one table, one verdict, a few notes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Interval, Places, Shortest, Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import Column, Table
from ..results import Band, Estimate
from ..words import counted
from .band import CANNOT_TELL, CONSISTENT

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from pandas import DataFrame

    from ..fit import Fit
    from ..law import Law
    from .lack_of_fit import LackOfFit
    from .laws import Laws

    Floats = NDArray[np.float64]

__all__ = ["AllocationCheck", "Check", "CurveCheck"]

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
    Column("params", "N*", format=SIZE, missing=""),
    Column("tokens", "D*", format=SIZE, missing=""),
    Column("loss", "L*", format=Places(4), missing=""),
    Column("max_relative_difference", only="data"),
    Column(
        "reach",
        "difference, %",
        show="all",
        format=PER_CENT,
        interval=Interval(PER_CENT, separator=","),
        missing="",
        only="page",
    ),
    Column("verdict", align="left"),
    Column("reason", only="data"),
)
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
    params, tokens, loss : float or None
        N*, D* and L* at `Check.compute`.
    compute : ndarray or None
        A grid from the lowest to the highest compute of the comparison, FLOP.
    band : Band or None
        There, the relative difference in loss of the empirical from the predicted curve with its
        simultaneous band.
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
    params: float | None = None
    tokens: float | None = None
    loss: float | None = None
    compute: Floats | None = field(default=None, repr=False)
    band: Band | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The approach, or the ratio."""
        ratio = self.tokens_per_param
        return TITLES.get(self.approach, self.approach) if ratio is None else f"D/N = {ratio:.3g}"

    @property
    def max_relative_difference(self) -> float | None:
        """Largest absolute difference."""
        return None if self.band is None else float(abs(self.band.value).max())

    @property
    def reach(self) -> Estimate | None:
        """The largest difference, with how far down and up the band reaches anywhere, per cent."""
        if self.band is None:
            return None
        low, high = self.band.ends
        most = float(self.band.value[abs(self.band.value).argmax()])
        return Estimate(100.0 * most, 100.0 * float(low.min()), 100.0 * float(high.max()))

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the row of the table, alpha with the ends of its interval lo and hi, and what
        has no column.
        """
        (row,) = Table(COLUMNS, [self]).records()
        band = None
        if self.compute is not None and self.band is not None:
            band = {"compute": self.compute.tolist(), **self.band.as_dict("difference", "lo", "hi")}
        return {
            **row,
            "empirical": self.law and self.law.coefficients(),
            "predicted": self.predicted_law and self.predicted_law.coefficients(),
            "band": band,
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
        numbers = {
            name: plain(getattr(self, name)) for name in ("exponent", "derived", "difference")
        }
        return {"quantity": self.quantity, **numbers, "differs": self.differs}


@dataclass(frozen=True, kw_only=True, eq=False)
class Check(Shown):
    """The derived envelope beside every compute law that the runs allow.

    Attributes
    ----------
    fit : Fit
        Of the params+tokens law.
    laws : Laws
        The same under the budget of the runs, whose formulas for N*, D* and L* are meant.
    derived : dict of str to Estimate
        alpha, C0 and E of the envelope, and the exponents of N*(C) and D*(C), with the intervals of
        the fit.
    empirical : tuple of CurveCheck
        Frontier, isoFLOP minima, fixed ratios.
    lack_of_fit : LackOfFit or None
        Whether the law fits its runs; None where they are too few to tell.
    budgets : DataFrame
        What each isoFLOP profile says about its optimum; see
        `isoflop.numeric.check.approaches.Isoflop.frame`.
    allocation : tuple of AllocationCheck
        N*(C) and D*(C) through the minima; empty where there are too few.
    compute : float
        At which N*, D* and L* are given, FLOP.
    verdict : {"consistent", "inconsistent", "cannot tell"}
        Inconsistent where any approach is, or where the law does not fit its runs; else consistent
        where at least one approach is; else cannot tell.
    warnings : tuple of str
    tolerance, level : float
        Relative difference in loss that counts as agreement; level of the intervals, and of the
        bands together.
    draws, done, seed : int
        Resamples that were asked for, and drawn; 0 where the runs allow no approach.
    """

    fit: Fit
    laws: Laws
    derived: dict[str, Estimate]
    empirical: tuple[CurveCheck, ...]
    lack_of_fit: LackOfFit | None
    budgets: DataFrame
    allocation: tuple[AllocationCheck, ...]
    compute: float
    verdict: str
    warnings: tuple[str, ...]
    tolerance: float
    level: float
    draws: int
    done: int
    seed: int

    @property
    def interrupted(self) -> bool:
        """Whether the resampling was stopped before its end."""
        return 0 < self.done < self.draws

    def optimum(self, compute: Any) -> tuple[Any, Any, Any]:
        """N*, D* and L* of the law at budgets (n,), FLOP, under the budget of the runs."""
        at = np.asarray(compute, dtype=np.float64)
        laws, flat = self.laws, np.atleast_1d(at)
        params, tokens, loss = laws.params(flat)[0], laws.tokens(flat)[0], laws.envelope(flat)[0]
        return params.reshape(at.shape), tokens.reshape(at.shape), loss.reshape(at.shape)

    def __getitem__(self, approach: str) -> CurveCheck:
        """The first check of an approach."""
        by_name = {check.approach: check for check in reversed(self.empirical)}
        if approach not in by_name:
            names = ", ".join(dict.fromkeys(check.approach for check in self.empirical))
            raise ValueError(f"approach={approach!r}: must be one of {names}")
        return by_name[approach]

    @property
    def sentence(self) -> str:
        """The verdict and what it rests on."""
        told = self.lack_of_fit
        if told is not None and told.matters(self.tolerance):
            where = f"the law does not fit its runs (p = {told.p_value:.3g}): {told}"
        elif self.verdict == CONSISTENT:
            agree = [check.name for check in self.empirical if check.verdict == CONSISTENT]
            fits = "" if told is None else f", and the law fits its runs (p = {told.p_value:.2g})"
            within = f"{100.0 * self.tolerance:.3g} %"
            where = f"{' and '.join(agree)} within {within} of what the law predicts{fits}"
        else:
            said = [each for each in self.empirical if each.verdict == self.verdict]
            said.sort(key=lambda check: check.band is None)
            where = f"{said[0].name}: {said[0].reason}" if said else UNCERTIFIED
        return f"verdict: {self.verdict}: {where}"

    @property
    def notes(self) -> tuple[str, ...]:
        """The allocation where it differs, the warnings, and how many rows were left out."""
        allocation = (str(check) for check in self.allocation if check.differs)
        dropped = len(self.fit.runs.dropped)
        left_out = [f"{counted(dropped, 'row')} dropped"] if dropped else []
        return (*allocation, *self.warnings, *left_out)

    def __repr__(self) -> str:
        runs = self.fit.runs
        return f"<Check of {counted(len(runs), 'run')} of {runs.source}: {self.verdict}>"

    def tables(self) -> tuple[Table, ...]:
        """One table, with a row for the law and one for each approach; below it the verdict and at
        most three notes.
        """
        params, tokens, loss = map(float, self.optimum(self.compute))
        own = CurveCheck(
            approach="params+tokens",
            verdict="",
            n_runs=len(self.fit.runs),
            alpha=self.derived["alpha"],
            params=params,
            tokens=tokens,
            loss=loss,
        )
        title = (
            f"{counted(own.n_runs, 'run')}; N*, D* and L* at {Shortest(2).text(self.compute)} FLOP; "
            f"{100.0 * self.level:.3g} % intervals"
        )
        notes = [f"note: {note}" for note in self.notes]
        if left := len(notes[MOST_NOTES:]):
            notes[MOST_NOTES - 1] += f" (and {left} more in JSON)"
        below = (self.sentence, *notes[:MOST_NOTES])
        return (Table(COLUMNS, [own, *self.empirical], title=title, notes=below),)

    def explained(self) -> str:
        """The text, and what its columns mean."""
        (table,) = self.tables()
        return table.changed(notes=(*table.notes, *MEANINGS)).text()

    def plot(self) -> Figure:
        """The figure of `isoflop.numeric.plot.check.plot_check_runs`."""
        from ..plot.check import plot_check_runs

        return plot_check_runs(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything in plain types, ready for JSON."""
        params, tokens, loss = map(float, self.optimum(self.compute))
        told, runs = self.lack_of_fit, self.fit.runs
        budgets = self.budgets.astype(object).where(self.budgets.notna(), None)
        return {
            "kind": "runs",
            "law": self.fit.model.law(self.fit.coefficients, source=self.fit.source).as_dict(),
            "objective": self.fit.objective.as_dict(),
            "budget": self.laws.budget._asdict(),
            "optimum": {
                "compute": self.compute,
                "params": params,
                "tokens": tokens,
                "loss": loss,
            },
            "derived": {name: plain(estimate) for name, estimate in self.derived.items()},
            "empirical": [check.as_dict() for check in self.empirical],
            "lack_of_fit": told and {**asdict(told), "matters": told.matters(self.tolerance)},
            "budgets": budgets.to_dict("records"),
            "allocation": [check.as_dict() for check in self.allocation],
            "verdict": self.verdict,
            "sentence": self.sentence,
            "allocation_differs": any(check.differs for check in self.allocation),
            "tolerance": self.tolerance,
            "level": self.level,
            "resamples": {
                "asked": self.draws,
                "done": self.done,
                "interrupted": self.interrupted,
                "seed": self.seed,
            },
            "n_runs": len(runs),
            "dropped": [{"row": int(entry.row), "reason": entry.reason} for entry in runs.dropped],
            "warnings": list(self.warnings),
        }


def plain(estimate: Estimate | None) -> dict[str, float | None] | None:
    """Plain data of an estimate, where there is one."""
    return None if estimate is None else estimate.as_dict(low="lo", high="hi")
