"""A finished backtest: every prediction beside what was observed, and what they come to."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

from ...theory.typeset.shown import Shown
from ..errors import outside
from .fold import predictions
from .splits import ALL
from .summaries import errors, stability
from .task import SUBJECT
from .threshold import successes, threshold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure
    from pandas import DataFrame

    from ...theory.typeset.table import Table
    from ..accuracy.baselines import Baseline
    from .fold import Fold
    from .splits import Rule
    from .task import Task

__all__ = ["Backtest"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Backtest(Shown):
    """Laws fitted to some rows of a table and judged on others.

    Attributes
    ----------
    what : {"runs", "counts", "evaluations"}
        Losses, counts of correct samples, or accuracies.
    source : str
    rule : Rule
        Which rows were held out.
    level : float
        Nominal coverage of intervals.
    resamples, seed : int
        Behind the intervals of final coefficients.
    folds : tuple of Fold
        What was fitted, task by task, from the final split of each backwards.
    baselines : dict
        Of evaluations: what guessing scores on each benchmark.
    notes : tuple of str
        What reading the table left out or doubted.
    """

    what: str
    source: str
    rule: Rule
    level: float
    resamples: int
    seed: int
    folds: tuple[Fold, ...]
    baselines: Mapping[str, Baseline]
    notes: tuple[str, ...] = ()

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The laws with the rows of each."""
        return tuple(fold.task for fold in self.folds if fold.is_final)

    @property
    def laws(self) -> tuple[str, ...]:
        """That were to be fitted."""
        return tuple(dict.fromkeys(task.law for task in self.tasks))

    @property
    def subjects(self) -> tuple[Any, ...]:
        """The k of counts, the benchmarks of evaluations; ("",) for losses."""
        return tuple(dict.fromkeys(task.subject for task in self.tasks))

    @property
    def has_verdict(self) -> bool:
        """Whether some prediction could be compared with an observation; where nothing is held out,
        whether every law has a certified fit.
        """
        if self.rule.hold_out == "":
            return all(fold.converged for fold in self.folds)
        return bool(self.table["usable"].any())

    def of(self, subject: Any = None, law: str | None = None) -> tuple[Fold, ...]:
        """The fits of one law, on one subject, or both, from the final one backwards."""
        for name, given, known in (("law", law, self.laws), ("subject", subject, self.subjects)):
            if given is not None and given not in known:
                raise outside(name, given, f"one of {', '.join(map(str, known))}")
        return tuple(
            fold
            for fold in self.folds
            if subject in (None, fold.task.subject) and law in (None, fold.task.law)
        )

    def final(self, law: str, subject: Any = "") -> Fold:
        """The fit to most rows."""
        return self.of(subject, law)[0]

    def fit(self, law: str, subject: Any = "") -> Any:
        """That law, fitted, with all that a fit answers; None where it could not be fitted."""
        return self.final(law, subject).fit

    # -- what was predicted, and what it comes to --------------------------------------------------

    @cached_property
    def table(self) -> DataFrame:
        """A row a prediction; see `isoflop.numeric.hold_out.fold.predictions`."""
        return predictions(self.folds, self.rule)

    def to_frame(self) -> DataFrame:
        """The table of predictions."""
        return self.table

    def errors(self, *, by_decades: bool = True) -> DataFrame:
        """Errors and coverage by subject, law, and decades held out; see
        `isoflop.numeric.hold_out.summaries.errors`.
        """
        return errors(self.table, by_decades=by_decades)

    def stability(self) -> DataFrame:
        """Over how many decades every coefficient stays where the final fit has it; see
        `isoflop.numeric.hold_out.summaries.stability`.
        """
        return stability(self.folds, self.rule)

    @cached_property
    def successes(self) -> DataFrame:
        """Whether the law succeeded, a row a subject, law and cutoff; see
        `isoflop.numeric.hold_out.threshold.successes`.
        """
        return successes(self.table)

    @cached_property
    def thresholds(self) -> list[dict[str, Any]]:
        """T50 of every law, where each cutoff in compute predicted all rows beyond it; see
        `isoflop.numeric.hold_out.threshold.threshold`.
        """
        is_sweep = self.rule.hold_out is None and self.rule.targets == ALL
        if not is_sweep or self.rule.axis != "compute" or not self.table["usable"].any():
            return []
        more: dict[str, Any] = {"seed": self.seed, "level": self.level}
        return [threshold(self.successes, law, **more) for law in self.laws]

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """What has no part in the errors and why, what speaks against a final fit, and what reading
        the table left out, the most telling first.
        """
        found = []
        if not self.has_verdict and self.rule.hold_out != "":
            found.append("no prediction could be compared with an observation")
        started = {fold.place for fold in self.folds if fold.fit is not None}
        reasons = Counter(
            f"{fold.place}: no fit: {fold.failed}"
            for fold in self.folds
            if fold.fit is None and not (fold.split.lacks and fold.place in started)
        )
        out = self.table[self.table["left_out"] != ""]
        for subject, law, why in zip(out["subject"], out["law"], out["left_out"], strict=True):
            reasons[f"{subject} {law}".strip() + f": {why}"] += 1
        found += [f"{why} ({n} times)" if n > 1 else why for why, n in reasons.items()]
        for fold in self.folds:
            if fold.is_final:
                found += [f"{fold.place}: {remark}" for remark in fold.remarks]
        return (*found, *self.notes)

    # -- output ------------------------------------------------------------------------------------

    def as_dict(self) -> dict[str, Any]:
        """Plain data: what was done, the summaries, every fit and every prediction. The subject is
        called k or benchmark.
        """
        names = ("what", "source", "level", "resamples", "seed")
        data = {name: getattr(self, name) for name in names} | {"axis": self.rule.axis}
        data |= {"hold_out": self.rule.hold_out} if self.rule.hold_out else {}
        return data | {
            "laws": list(self.laws),
            "random_baselines": {name: asdict(one) for name, one in self.baselines.items()},
            "notes": list(self.doubts),
            "errors": [] if self.rule.hold_out is not None else self._records(self.errors()),
            "errors_overall": self._records(self.errors(by_decades=False)),
            "stability": self._records(self.stability()),
            "thresholds": self.thresholds,
            "coefficients": self._named([fold.as_dict() for fold in self.folds]),
            "predictions": self.rows(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Plain records of the table; None for what is unknown."""
        return self._records(self.table)

    def _records(self, frame: DataFrame) -> list[dict[str, Any]]:
        return self._named(frame.astype(object).where(frame.notna(), None).to_dict("records"))

    def _named(self, rows: list[dict[Any, Any]]) -> list[dict[str, Any]]:
        """With the subject under its own name, or without one, and None for what is not finite."""
        own, found = SUBJECT[self.what], []
        for row in rows:
            subject = row.pop("subject")
            plain = {name: None if is_infinite(value) else value for name, value in row.items()}
            found.append({own: subject, **plain} if own else plain)
        return found

    def plot(self) -> Figure:
        """The figure; see `isoflop.numeric.plot.backtest.plot_backtest`."""
        from ..plot.backtest import plot_backtest

        return plot_backtest(self)

    def tables(self) -> tuple[Table, ...]:
        """Errors and coverage by law; of a sweep over evaluations the thresholds too."""
        from .page import tables_of

        return tables_of(self)

    def __str__(self) -> str:
        from .page import text_of

        return text_of(self)

    def __repr__(self) -> str:
        return f"<Backtest of {', '.join(self.laws)} on {self.source}: {len(self.folds)} fits>"


def is_infinite(value: Any) -> bool:
    """Whether a value is a float that is not finite."""
    return isinstance(value, float) and not isfinite(value)
