"""What a check of runs found."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.shown import Shown
from ..results import Band, Estimate
from .band import CANNOT_TELL, CONSISTENT, farthest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...theory.typeset.table import Table
    from ..data.rows import Dropped
    from ..fit.objective import Objective
    from ..fit.power_law import PowerLaw
    from ..fit.result import Fit
    from ..law import Law
    from ..law.compute import ComputeLaw
    from .isoflop import BudgetMinimum

    Floats = NDArray[np.float64]

__all__ = ["CurveCheck", "PowerLawCheck", "RunsCheck", "ToleranceMeaning"]


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
        """Plain data: alpha with the ends of its interval lo and hi, the largest difference, the
        verdict, and the rest.
        """
        band, most = None, self.differs_most
        if self.compute is not None and self.band is not None:
            band = {"compute": self.compute.tolist(), **self.band.as_dict("difference", "lo", "hi")}
        return {
            "approach": self.approach,
            **(self.alpha or Estimate(np.nan)).as_dict("alpha", "lo", "hi"),
            "alpha_predicted": self.alpha_predicted,
            **{name: _plain(getattr(self, name)) for name in ("alpha_difference", "C0", "E")},
            "max_relative_difference": self.max_relative_difference,
            "compute_at_max": self.compute_at_max,
            "raw_max_relative_difference": self.raw_max_relative_difference,
            "band": band,
            "verdict": self.verdict,
            "reason": self.reason,
            "compute_range": None if self.compute is None else self.compute[[0, -1]].tolist(),
            "n_runs": self.n_runs,
            "n_budgets": self.n_budgets,
            "tokens_per_param": self.tokens_per_param,
            "raw": None if self.raw_law is None else self.raw_law.coefficients(),
            "predicted": None if self.predicted_law is None else self.predicted_law.coefficients(),
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
        from .runs_text import approaches

        return (approaches(self),)

    def __str__(self) -> str:
        from .runs_text import text

        return text(self)

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
