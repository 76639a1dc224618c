"""A finished backtest: every prediction beside what was observed, and what they come to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.shown import Shown
from ..errors import outside
from .splits import ALL
from .summaries import errors, stability
from .task import SUBJECT
from .threshold import successes, threshold
from .trial import predictions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pandas import DataFrame

    from ...theory.typeset.table import Table
    from .splits import Rule
    from .task import Task
    from .trial import Trial

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
    trials : tuple of Trial
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
    trials: tuple[Trial, ...]
    baselines: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """The laws with the rows of each."""
        return tuple(trial.task for trial in self.trials if trial.is_final)

    @property
    def laws(self) -> tuple[str, ...]:
        """That were to be fitted."""
        return tuple(dict.fromkeys(task.law for task in self.tasks))

    @property
    def subjects(self) -> tuple[Any, ...]:
        """The k of counts, the benchmarks of evaluations; ("",) for losses."""
        return tuple(dict.fromkeys(task.subject for task in self.tasks))

    @property
    def has_cutoffs(self) -> bool:
        """Whether rows were held out by cutoffs, and not by a condition."""
        return self.rule.hold_out is None

    @property
    def has_verdict(self) -> bool:
        """Whether some prediction could be compared with an observation; where nothing is held out,
        whether every law has a certified fit.
        """
        if self.rule.hold_out == "":
            return all(trial.converged for trial in self.trials)
        return bool(self.table["usable"].any())

    def of(self, subject: Any = None, law: str | None = None) -> tuple[Trial, ...]:
        """The fits of one law, on one subject, or both, from the final one backwards."""
        for name, given, known in (("law", law, self.laws), ("subject", subject, self.subjects)):
            if given is not None and given not in known:
                raise outside(name, given, f"one of {', '.join(map(str, known))}")
        return tuple(
            trial
            for trial in self.trials
            if subject in (None, trial.task.subject) and law in (None, trial.task.law)
        )

    def final(self, law: str, subject: Any = "") -> Trial:
        """The fit to most rows."""
        return self.of(subject, law)[0]

    def fit(self, law: str, subject: Any = "") -> Any:
        """That law, fitted, with all that a fit answers; None where it could not be fitted."""
        return self.final(law, subject).fit

    # -- what was predicted, and what it comes to --------------------------------------------------

    @cached_property
    def table(self) -> DataFrame:
        """A row a prediction; see `isoflop.numeric.hold_out.trial.predictions`."""
        return predictions(self.trials, self.rule)

    def to_frame(self) -> DataFrame:
        """The table of predictions."""
        return self.table

    def errors(self, *, by_decades: bool = True) -> DataFrame:
        """Errors and coverage by subject, law, and decades held out; see
        `isoflop.numeric.hold_out.summaries.errors`.
        """
        return errors(self.table, ["subject", "law"], by_decades=by_decades)

    def stability(self) -> DataFrame:
        """Over how many decades every coefficient stays where the final fit has it, of cutoffs; see
        `isoflop.numeric.hold_out.summaries.stability`.
        """
        from pandas import DataFrame

        found: list[dict[str, Any]] = []
        for task in self.tasks if self.has_cutoffs else ():
            own = [trial for trial in self.trials if trial.task is task and not trial.split.lacks]
            if own and own[0].is_final:
                beyond = [float(np.nanmax(self.rule.decades(task, one.split))) for one in own]
                place = {"subject": task.subject, "law": task.law}
                found += [place | row for row in stability(own, beyond)]
        return DataFrame(found)

    def successes(self) -> DataFrame:
        """Whether the law succeeded, a row a subject, law and cutoff; see
        `isoflop.numeric.hold_out.threshold.successes`.
        """
        return successes(self.table)

    @cached_property
    def _thresholds(self) -> list[dict[str, Any]]:
        is_sweep = self.has_cutoffs and self.rule.targets == ALL and self.rule.axis == "compute"
        if not is_sweep or not self.table["usable"].any():
            return []
        cells = self.successes()
        return [threshold(cells, law, seed=self.seed, level=self.level) for law in self.laws]

    def thresholds(self) -> list[dict[str, Any]]:
        """T50 of every law, where each cutoff in compute predicted all rows beyond it; see
        `isoflop.numeric.hold_out.threshold.threshold`.
        """
        return self._thresholds

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """What has no part in the errors and why, what speaks against a final fit, and what reading
        the table left out, the most telling first.
        """
        found = []
        if not self.has_verdict and self.rule.hold_out != "":
            found.append("no prediction could be compared with an observation")
        started = {(one.task.subject, one.task.law) for one in self.trials if one.fit is not None}
        failed = Counter(
            (one.task.subject, one.task.law, f"no fit: {one.failed}")
            for one in self.trials
            if one.fit is None
            and not (one.split.lacks and (one.task.subject, one.task.law) in started)
        )
        out = self.table[self.table["left_out"] != ""]
        failed.update(zip(out["subject"], out["law"], out["left_out"], strict=True))
        for (subject, law, reason), n in failed.items():
            found.append(f"{subject} {law}: {reason}{f' ({n} times)' if n > 1 else ''}".strip())
        for one in self.trials:
            if one.is_final:
                place = f"{one.task.subject} {one.task.law}".strip()
                found += [f"{place}: {remark}" for remark in one.remarks]
        return (*found, *self.notes)

    def coefficients(self) -> list[dict[str, Any]]:
        """Of every fit: subject, law, cutoff, n_train, why it failed, the coefficients with their
        intervals where there are some, the errors on the fitted rows, and doubts.
        """
        return [
            {
                "subject": trial.task.subject,
                "law": trial.task.law,
                "cutoff": trial.split.at,
                "n_train": trial.n_train,
                "final": trial.is_final,
                "failed": trial.failed,
                "coefficients": {
                    name: estimate.as_dict("value", "lo", "hi")
                    for name, estimate in trial.estimates.items()
                },
                "train": trial.train,
                "converged": trial.converged,
                "undetermined": list(trial.undetermined),
                "remarks": trial.remarks,
            }
            for trial in self.trials
        ]

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
            "random_baselines": {name: vars(one) for name, one in self.baselines.items()},
            "notes": list(self.doubts),
            "errors": self._records(self.errors()) if self.has_cutoffs else [],
            "errors_overall": self._records(self.errors(by_decades=False)),
            "stability": self._records(self.stability()),
            "thresholds": self.thresholds(),
            "coefficients": self._named(self.coefficients()),
            "predictions": self.rows(),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Plain records of the table; None for what is unknown."""
        return self._records(self.table.drop(columns=["size", "usable", "left_out"]))

    def _records(self, frame: DataFrame) -> list[dict[str, Any]]:
        cells = frame.astype(object).where(frame.notna(), None).to_dict("records")
        return self._named(cells)

    def _named(self, rows: list[dict[Any, Any]]) -> list[dict[str, Any]]:
        """With the subject under its own name, or without one, and None for what is not finite."""
        own = SUBJECT[self.what]
        return [
            {
                own if name == "subject" else str(name): known(value)
                for name, value in row.items()
                if own or name != "subject"
            }
            for row in rows
        ]

    def plot(self) -> Any:
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
        return f"<Backtest of {', '.join(self.laws)} on {self.source}: {len(self.trials)} fits>"


def known(value: Any) -> Any:
    """None for a number that is not finite."""
    return None if isinstance(value, float) and not isfinite(value) else value
