"""What a check of runs found: one table, one verdict, a few notes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ...theory.typeset.numbers import Interval, Places, Shortest, Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import Column, Table
from ..results import Estimate
from ..words import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from ..fit import Fit
    from .lack_of_fit import LackOfFit
    from .laws import RunsBudget

__all__ = ["CANNOT_TELL", "COLUMNS", "CONSISTENT", "INCONSISTENT", "Check"]

#: Notes that the text shows; JSON has all.
MOST_NOTES = 3
UNCERTIFIED = "the params-tokens fit is not certified to be a minimum"
CONSISTENT, INCONSISTENT, CANNOT_TELL = "consistent", "inconsistent", "cannot tell"


def _in_per_cent(row: dict[str, Any]) -> Estimate | None:
    found = row["difference"]
    return found and Estimate(*(100.0 * part for part in (found.value, found.low, found.high)))


def _of_data(key: str) -> Column:
    return Column(key, keys=(key, f"{key}_lo", f"{key}_hi"), only="data")


SIZE, PER_CENT = Significant(3), Places(1, sign=True)
ALPHA: Any = {"format": Places(4), "interval": Interval(Places(3), separator=",")}
REACH: Any = {"format": PER_CENT, "interval": Interval(PER_CENT, separator=","), "of": _in_per_cent}
COLUMNS = (
    *(Column(name, only="data") for name in ("approach", "tokens_per_param", "E", "C0")),
    *(_of_data(name) for name in ("alpha", "difference", "excess")),
    *(Column(name, only="data") for name in ("params_exponent", "reason")),
    Column("name", "approach", align="left", only="page"),
    Column("n_runs", "runs"),
    Column("alpha", show="all", only="page", missing="", **ALPHA),
    Column("params", "N*", format=SIZE, missing=""),
    Column("tokens", "D*", format=SIZE, missing=""),
    Column("loss", "L*", format=Places(4), missing=""),
    Column("difference", "difference, %", show="all", only="page", missing="", **REACH),
    Column("verdict", align="left"),
)
MEANINGS = (
    "alpha: exponent of the compute law, with its interval; N*, D*, L*: optimal params, tokens and "
    "loss at the compute of the first line, of a fixed D/N the loss of its runs",
    "difference, %: of the approach's curve from the one that the params+tokens law predicts "
    "for it (its envelope; at a fixed D/N its ray), relative to the loss, where it is largest over "
    "the compute of the runs, and how far its simultaneous band reaches there and elsewhere",
    "verdict: of a row consistent where the band lies within the tolerance, inconsistent where it "
    "lies outside somewhere, else cannot tell; of all inconsistent where a row is or the law does "
    "not fit its runs, else consistent where a row is, else cannot tell",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Check(Shown):
    """The derived envelope beside every compute law that the runs allow.

    Attributes
    ----------
    fit : Fit
        Of the params+tokens law.
    budget : RunsBudget
        What the runs cost, under which N*, D* and L* are meant.
    compute : float
        At which the table has them, FLOP.
    rows : list of dict
        One of the law and one of each approach; `to_frame` is their table.
    curves : dict of str to DataFrame
        By approach: compute, and there the predicted loss, the relative difference of the approach's
        curve from it, and lo and hi of its simultaneous band.
    budgets : DataFrame
        What each isoFLOP profile says of its optimum: compute (geometric mean of the runs', FLOP),
        n_runs, params_lo, params_hi; params, loss and curvature of the vertex (the parabola is loss +
        curvature (log N - log params)^2); corrected_params, corrected_tokens and corrected_loss without
        its bias. NaN where there is no minimum within the sizes.
    lack_of_fit : LackOfFit or None
        Whether the law fits its runs; None where they are too few to tell.
    verdict : {"consistent", "inconsistent", "cannot tell"}
        Inconsistent where any approach is, or where the law does not fit its runs; else consistent
        where at least one approach is; else cannot tell.
    notes : tuple of str
    tolerance, level : float
        Relative difference in loss that counts as agreement; level of the intervals, and of the
        bands together.
    draws, done, seed : int
        Resamples that were asked for, and drawn; 0 where the runs allow no approach.
    """

    fit: Fit
    budget: RunsBudget
    compute: float
    rows: list[dict[str, Any]]
    curves: dict[str, DataFrame]
    budgets: DataFrame
    lack_of_fit: LackOfFit | None
    verdict: str
    notes: tuple[str, ...]
    tolerance: float
    level: float
    draws: int
    done: int
    seed: int

    def optimum(self, compute: Any) -> tuple[Any, Any, Any]:
        """N*, D* and L* of the law at a compute, FLOP; numbers or arrays."""
        law = self.budget.law(**self.fit.coefficients)
        sizes = self.budget.unscaled(law.N_opt(compute), law.D_opt(compute))
        return (*sizes, law.L_opt(compute))

    @property
    def sentence(self) -> str:
        """The verdict and what it rests on."""
        told, own = self.lack_of_fit, [row for row in self.rows if row["verdict"] == self.verdict]
        if told is not None and told.matters(self.tolerance):
            where = f"the law does not fit its runs (p = {told.p_value:.3g}): {told}"
        elif self.verdict == CONSISTENT:
            fits = "" if told is None else f", and the law fits its runs (p = {told.p_value:.2g})"
            within = f"within {100.0 * self.tolerance:.3g} % of what the law predicts"
            where = f"{' and '.join(row['name'] for row in own)} {within}{fits}"
        elif own:
            first = min(own, key=lambda row: row["difference"] is None)
            where = f"{first['name']}: {first['reason']}"
        else:
            where = UNCERTIFIED
        return f"verdict: {self.verdict}: {where}"

    def __repr__(self) -> str:
        runs = self.fit.runs
        return f"<Check of {counted(len(runs), 'run')} of {runs.source}: {self.verdict}>"

    def tables(self) -> tuple[Table, ...]:
        """One table; below it the verdict and at most three notes."""
        title = (
            f"{counted(len(self.fit.runs), 'run')}; N*, D* and L* at "
            f"{Shortest(2).text(self.compute)} FLOP; {100.0 * self.level:.3g} % intervals"
        )
        notes = [f"note: {note}" for note in self.notes[:MOST_NOTES]]
        if left := len(self.notes[MOST_NOTES:]):
            notes[-1] += f" (and {left} more in JSON)"
        return (Table(COLUMNS, self.rows, title=title, notes=(self.sentence, *notes)),)

    def to_frame(self) -> DataFrame:
        """The table, by approach: "params+tokens" is the law itself, then "frontier", "isoflop" and
        "fixed-ratio".

        E, C0 and alpha (alpha_lo, alpha_hi) of the compute law, with the mean effect of selecting runs
        taken off alpha; params, tokens, loss: N*, D*, L*; params_exponent of N*(C), and excess: how
        far it goes beyond the derived one (excess_lo, excess_hi exclude 0 just where this is beyond
        chance); difference: the largest relative one of the curve from the one that theory predicts,
        with how far its band reaches anywhere (difference_lo, difference_hi); verdict and reason.
        """
        return super().to_frame().set_index("approach")

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
        told, runs, budgets = self.lack_of_fit, self.fit.runs, self.budgets
        return {
            "kind": "runs",
            "law": self.fit.model.law(self.fit.coefficients, source=self.fit.source).as_dict(),
            "objective": self.fit.objective.as_dict(),
            "budget": self.budget._asdict(),
            "compute": self.compute,
            "approaches": self.tables()[0].records(),
            "curves": {name: curve.to_dict("list") for name, curve in self.curves.items()},
            "budgets": budgets.astype(object).where(budgets.notna(), None).to_dict("records"),
            "lack_of_fit": told and {**asdict(told), "matters": told.matters(self.tolerance)},
            **{name: getattr(self, name) for name in ("verdict", "sentence", "tolerance", "level")},
            "notes": list(self.notes),
            "resamples": {"asked": self.draws, "done": self.done, "seed": self.seed},
            "n_runs": len(runs),
            "dropped": [{"row": int(entry.row), "reason": entry.reason} for entry in runs.dropped],
        }
