"""The result of a backtest: every prediction with the observation, and what is read from it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Percent, Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import RULE, WIDTH, Column, Table
from ..errors import outside
from ..results import DEFAULT_LEVEL, records
from ..words import counted
from .threshold import SUCCESS, successes, thresholds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure
    from pandas import DataFrame

    from ..accuracy.baselines import Baseline

#: The response of the laws, and the heading of the subject of a law.
RESPONSES = {
    "runs": ("the loss", "subject"),
    "counts": ("-log pass@k", "k"),
    "evaluations": ("accuracy", "benchmark"),
}
MOST_NOTES = 3
SHARE, THREE, LEVEL = Percent(places=1), Significant(3), f"{100 * DEFAULT_LEVEL:g} %"
OF_ERRORS = (
    Column("law", align="left"),
    Column("n_train", "fitted"),
    Column("rmse", "RMSE", format=THREE),
    Column("n", "predictions"),
    Column("mae", "MAE", format=THREE),
    Column("mean_error", "mean", format=SHARE),
    Column("median_error", "median", format=SHARE),
    Column("median_bias", "signed", format=SHARE),
    Column("coverage", "inside", format=SHARE),
)
ERRORS_NOTE = (
    "mean, median: of the relative error; signed: its median with its sign; inside, where there are "
    f"intervals: share of observations within their {LEVEL} prediction interval"
)
OF_THRESHOLDS = (
    Column("law", align="left"),
    Column("outcome", align="left"),
    Column("T50", "T50 (FLOP)", format=THREE),
    Column("at_least", "at least", format=THREE),
    Column("at_most", "at most", format=THREE),
    Column("n_success", "successes"),
    Column("n_fits", "of fits"),
)
THRESHOLDS_TITLE = (
    "From how much compute on a law predicts all runs beyond with a mean relative error below "
    f"{100 * SUCCESS:g} %, as a rule"
)
KEYS = ["subject", "law"]
#: How each figure of the errors follows from the predictions.
FIGURES = {
    "n": ("error", "size"),
    "mae": ("off", "mean"),
    "median_error": ("relative", "median"),
    "mean_error": ("relative", "mean"),
    "median_bias": ("relative_error", "median"),
    "n_intervals": ("inside", "count"),
    "coverage": ("inside", "mean"),
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Backtest(Shown):
    """Laws fitted to some rows of a table and judged on others.

    The subject of a law is k of pass@k, or a benchmark, or "" for laws of loss.

    Attributes
    ----------
    what : {"runs", "counts", "evaluations"}
        The kind of the table: losses, counts of correct samples, or accuracies.
    source, hold_out, axis, sweep, resamples, seed
        The table and how it was split, see `isoflop.backtest`.
    fits : DataFrame
        A row for each fit, the final one of each law first: subject, law, cutoff, n_train, failed
        (why there is no fit or prediction), converged, undetermined (names), n, mae, mre, rmse and r2
        (on the fitted rows that may be predicted), fit (the `Fit`, `PassFit` or `LawFit`, or None)
        and split.
    table : DataFrame
        A row for each prediction: subject, law, cutoff, n_train, target, size (its value on the
        axis), decades_held_out, observed, predicted, lo, hi, error (predicted less observed),
        relative_error, usable (whether both numbers exist and the fit is certified, and for losses
        and counts leaves no coefficient undetermined), inside (whether the interval holds the
        observation; NA without an interval), left_out (why it is not usable).
    points : dict of DataFrame
        The rows of the table by subject, see `isoflop.numeric.hold_out.tasks.Task`.
    baselines : dict
        The accuracy of guessing on each benchmark, for evaluations.
    notes : tuple of str
        What is left out of the errors and why, doubts about a final fit, and rejected rows and
        warnings from reading the table.
    level : float
        The nominal coverage of all intervals.
    """

    what: str
    source: str
    hold_out: str | None
    axis: str
    sweep: bool
    resamples: int
    seed: int
    fits: DataFrame
    table: DataFrame
    points: Mapping[Any, DataFrame]
    baselines: Mapping[str, Baseline]
    notes: tuple[str, ...] = ()
    level: float = DEFAULT_LEVEL

    @property
    def laws(self) -> list[str]:
        """The names of the laws."""
        return list(self.fits["law"].unique())

    @property
    def finals(self) -> DataFrame:
        """The fit of every law to the most rows."""
        return self.fits.drop_duplicates(KEYS)

    def fit(self, law: str, subject: Any = "") -> Any:
        """The fit of a law to the most rows; None if it could not be fitted."""
        own = self.finals.query("law == @law and subject == @subject")
        if own.empty:
            raise outside("law", law, f"one that was fitted on {subject}")
        return own["fit"].iloc[0]

    @property
    def has_verdict(self) -> bool:
        """Whether any prediction could be compared with an observation."""
        return bool(self.table["usable"].any())

    def errors(self, *, by_decades: bool = True) -> DataFrame:
        """The errors of the usable predictions by subject and law, and by decades held out.

        A frame of subject, law, decades (rounded up to whole numbers), n (predictions), mae,
        median_error and mean_error (of the absolute relative error), median_bias (of the signed
        one, predicted less observed), n_intervals (predictions with one) and coverage (share of
        these observations inside; NA without any).
        """
        rows = self.table[self.table["usable"]]
        rows = rows.assign(
            decades=np.ceil(rows["decades_held_out"]),
            off=rows["error"].abs(),
            relative=rows["relative_error"].abs(),
        )
        keys = [*KEYS, *(["decades"] if by_decades else [])]
        return rows.groupby(keys, sort=by_decades).agg(**FIGURES).reset_index()

    @cached_property
    def coefficients(self) -> DataFrame:
        """The coefficients of the final fits, and over how many decades of cutoffs each is stable.

        A frame of subject, law, coefficient, value, lo, hi; of_decades (from the final cutoff to the
        first); stable_decades (how far down from the final cutoff the estimate stays within lo to
        hi; it ends at a fit without a certified minimum, or with an undetermined coefficient) and
        stable_censored (whether it stays at every cutoff, so that stable_decades is a lower limit).
        The last three are NaN without cutoffs, the last two also without an interval.
        """
        from pandas import DataFrame

        found: list[tuple[Any, ...]] = []
        for (subject, law), own in self.fits.groupby(KEYS, sort=False):
            down = np.abs(np.log10(own["cutoff"] / own["cutoff"].iloc[0])).to_numpy()
            sound, final = own["converged"] & (own["undetermined"] == ""), own["fit"].iloc[0]
            for name, estimate in ({} if final is None else final.estimates(self.level)).items():
                stable: tuple[Any, Any] = (np.nan, np.nan)
                if final.converged and estimate.has_interval and self.hold_out is None:
                    pairs = zip(own["fit"], sound, strict=True)
                    stays = [ok and not estimate.excludes(x.coefficients[name]) for x, ok in pairs]
                    stable = down[max(0, [*stays, False].index(False) - 1)], all(stays)
                values = estimate.as_dict().values()
                found.append((subject, law, name, *values, *stable, down[-1]))
        columns = [*KEYS, "coefficient", "value", "lo", "hi"]
        columns += ["stable_decades", "stable_censored", "of_decades"]
        return DataFrame(found, columns=columns)

    @cached_property
    def successes(self) -> DataFrame:
        """Whether each law succeeded at each cutoff; see `isoflop.numeric.hold_out.threshold`."""
        return successes(self.table)

    @cached_property
    def thresholds(self) -> DataFrame:
        """T50 of every law, where each cutoff in compute predicted all rows beyond it; see
        `isoflop.numeric.hold_out.threshold`.
        """
        has_thresholds = self.sweep and self.axis == "compute"
        return thresholds(self.successes if has_thresholds else self.successes[:0])

    # -- output ------------------------------------------------------------------------------------

    def to_frame(self) -> DataFrame:
        """The table of predictions."""
        return self.table

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the settings, and the records of every frame."""
        names = ("what", "source", "hold_out", "axis", "level", "resamples", "seed", "notes")
        frames = {
            "errors": self.errors(),
            "errors_overall": self.errors(by_decades=False),
            "thresholds": self.thresholds,
            "coefficients": self.coefficients,
            "fits": self.fits.drop(columns=["fit", "split"]),
            "predictions": self.table,
        }
        found = {name: getattr(self, name) for name in names}
        found["random_baselines"] = {name: asdict(share) for name, share in self.baselines.items()}
        return found | {name: records(frame) for name, frame in frames.items()}

    def __repr__(self) -> str:
        return f"Backtest({self.source}; {counted(len(self.table), 'held-out prediction')})"

    def plot(self) -> Figure:
        """The figure; see `isoflop.numeric.plot.backtest.plot_backtest`."""
        from ..plot.backtest import plot_backtest

        return plot_backtest(self)

    def tables(self) -> tuple[Table, ...]:
        """The errors and the coverage by law, and in a sweep over evaluations the thresholds."""
        response, heading = RESPONSES[self.what]
        finals = self.finals.dropna(subset="fit")[[*KEYS, "n_train", "rmse"]]
        every = finals.merge(self.errors(by_decades=False), "left", KEYS).fillna({"n": 0})
        rows: list[Any] = []
        for _, own in every.astype({"n": int}).groupby("subject", sort=False):
            rows += [*([RULE] if rows and len(self.laws) > 1 else []), *records(own)]
        columns = [*OF_ERRORS] if every["n_intervals"].any() else [*OF_ERRORS[:-1]]
        if self.what != "runs":
            columns.insert(0, Column("subject", heading, align="left"))
        title = f"Errors of {response} on fitted rows (RMSE) and of predictions"
        tables = [Table(columns, rows, title, [ERRORS_NOTE])]
        if self.what == "evaluations":
            tables.append(Table(OF_THRESHOLDS, records(self.thresholds), THRESHOLDS_TITLE))
        return tuple(table for table in tables if len(table))

    def __str__(self) -> str:
        """What was held out, the tables, and at most three notes."""
        rows = {name for points in self.points.values() for name in points["target"]}
        how, cuts = f"held out: {self.hold_out}", self.fits["cutoff"]
        if self.hold_out is None:
            span = f"{THREE.text(cuts.min())} to {THREE.text(cuts.max())}"
            how = f"{counted(cuts.nunique(), 'cutoff')} in {self.axis}, {span}"
        what = f"{RESPONSES[self.what][0]} on {counted(len(rows), 'row')} of {self.source}"
        rest = len(self.notes) - MOST_NOTES
        lines = [f"note: {note}" for note in self.notes[:MOST_NOTES]]
        lines += [f"and {counted(rest, 'note')} more (--format json)"] if rest > 0 else []
        notes = "\n".join(fill(line, WIDTH, subsequent_indent="  ") for line in lines)
        tables = [table.text() for table in self.tables()]
        return "\n\n".join(filter(None, [f"Backtest of {what}\n{how}", *tables, notes]))
