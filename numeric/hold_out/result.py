"""A finished backtest: every prediction beside what was observed, and what they come to."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from functools import cached_property
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Percent, Places, Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import RULE, WIDTH, Column, Table
from ..errors import outside
from ..words import counted
from .logistic import MEANINGS
from .splits import ALL
from .summaries import coverage, errors, stability
from .threshold import SUCCESS, Threshold, successes, threshold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pandas import DataFrame

    from .judge import Judged, Task
    from .splits import Rule

__all__ = ["Backtest"]

#: What a row of predictions is of, by what a table is of.
SUBJECT = {"runs": "", "counts": "k", "evaluations": "benchmark"}
RESPONSE = {"runs": "the loss", "counts": "-log pass@k", "evaluations": "accuracy"}
UNITS = {"compute": "FLOP", "params": "params", "tokens": "tokens", "gold": "nats"}
#: Errors of accuracy that differ by less than this are one.
SAME = 5e-5
#: With fewer runs than so many beyond its coefficients a law passes nearly through them.
SPARE = 3
#: More bins of decades than these have no room in a table; more notes no room under one.
MOST_BINS, MOST_NOTES = 8, 3
SHARE, THREE = Percent(places=1), Significant(3)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Backtest(Shown):
    """Laws fitted to some rows of a table and judged on others.

    Attributes
    ----------
    what : {"runs", "counts", "evaluations"}
        Losses, counts of correct samples, or accuracies.
    source : str
    method : str
        How laws of losses and counts were fitted.
    rule : Rule or None
        Which rows were held out; None for none.
    level : float
        Nominal coverage of intervals.
    resamples, seed : int
        Behind the intervals of final coefficients.
    tasks : tuple of Task
        What was to be fitted.
    judged : tuple of Judged
        What was.
    planned : int
        How many fits were to be made.
    notes : tuple of str
        What reading the table left out or doubted.
    interrupted : bool
        Whether Ctrl-C came before all were done.
    """

    what: str
    source: str
    method: str
    rule: Rule | None
    level: float
    resamples: int
    seed: int
    tasks: tuple[Task, ...]
    judged: tuple[Judged, ...]
    planned: int
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    def __len__(self) -> int:
        return len(self.judged)

    @property
    def laws(self) -> tuple[str, ...]:
        """That were to be fitted."""
        return tuple(dict.fromkeys(task.law for task in self.tasks))

    @property
    def subjects(self) -> tuple[Any, ...]:
        """The k of counts, the benchmarks of evaluations; ("",) for losses."""
        return tuple(dict.fromkeys(task.subject for task in self.tasks))

    @property
    def axis(self) -> str:
        """What makes a row expensive."""
        return "compute" if self.rule is None else self.rule.axis

    @property
    def has_cutoffs(self) -> bool:
        """Whether rows were held out by cutoffs, and not by a condition."""
        return self.rule is not None and self.rule.hold_out is None

    @property
    def has_verdict(self) -> bool:
        """Whether some prediction could be compared with an observation; of evaluations whether
        every law was fitted with a certified minimum.
        """
        if self.what == "evaluations":
            return all(one.converged or one.split.lacks for one in self.judged) and any(
                one.converged for one in self.judged
            )
        return bool(len(self.table)) and bool(self.table["usable"].any())

    def of(self, subject: Any = None, law: str | None = None) -> tuple[Judged, ...]:
        """The fits of one law, on one subject, or both, from the final one backwards."""
        for name, given, known in (("law", law, self.laws), ("subject", subject, self.subjects)):
            if given is not None and given not in known:
                raise outside(name, given, f"one of {', '.join(map(str, known))}")
        return tuple(
            one for one in self.judged if subject in (None, one.subject) and law in (None, one.law)
        )

    def final(self, law: str, subject: Any = "") -> Judged | None:
        """The fit to most rows, None where it was not reached."""
        return next((one for one in self.of(subject, law) if one.split.is_final), None)

    def fit(self, law: str, subject: Any = "") -> Any:
        """That law, fitted, with all that a fit answers; None where it could not be fitted."""
        final = self.final(law, subject)
        return None if final is None or final.fitted is None else final.fitted.fit

    # -- the long table ----------------------------------------------------------------------------

    @cached_property
    def table(self) -> DataFrame:
        """A row a prediction of a law that was fitted.

        subject, law, cutoff, n_train, target, size (its value on the axis), decades_held_out,
        observed, how_observed, measured (standard error of the log), predicted, lo, hi, error
        (predicted less observed), relative_error, inside (of the interval; None where there is
        none), converged, undetermined (names), usable (whether both numbers exist and the fit is
        certified, and of losses and counts leaves no coefficient open), left_out (why not).
        """
        import pandas as pd

        frames = [self._of(one) for one in self.judged if one.fitted is not None]
        frames = [frame for frame in frames if len(frame)]
        if frames:
            return pd.concat(frames, ignore_index=True)
        names = ["subject", "law", "cutoff", "target", "decades_held_out", "observed", "predicted"]
        names += ["error", "relative_error", "how_observed", "inside", "usable", "left_out"]
        return pd.DataFrame(columns=names).astype({"usable": bool, "error": float})

    def _of(self, one: Judged) -> DataFrame:
        from pandas import DataFrame

        task, split = self.tasks[one.task], one.split
        rows = np.flatnonzero(split.test)
        observed = task.observed.value[rows]
        size = task.covariates.get(self.axis, np.full(len(split.test), np.nan))[rows]
        decades = np.full(len(rows), np.nan)
        if self.rule is not None:
            decades = self.rule.decades(task, split)[rows]
        doubt = "" if one.converged and task.counts_open else one.doubt
        seen = np.isfinite(observed)
        usable = seen & np.isfinite(one.predicted) & (not doubt)
        inside = (one.low <= observed) & (observed <= one.high)
        frame = DataFrame(
            {
                "subject": one.subject,
                "law": one.law,
                "cutoff": split.at,
                "n_train": one.n_train,
                "target": [task.names[i] for i in rows],
                "size": size,
                "decades_held_out": decades,
                "observed": observed,
                "how_observed": [task.observed.how[i] for i in rows],
                "measured": task.observed.measured[rows],
                "predicted": one.predicted,
                "lo": one.low,
                "hi": one.high,
                "error": one.predicted - observed,
                "relative_error": one.predicted / observed - 1.0,
                "inside": np.where(usable & np.isfinite(one.high), inside, np.array(None)),
                "converged": one.converged,
                "undetermined": " ".join(one.undetermined),
                "usable": usable,
                "left_out": [
                    f"target not observed: {task.observed.how[i]}" if not known else doubt
                    for i, known in zip(rows, seen, strict=True)
                ],
            }
        )
        return frame.sort_values("decades_held_out", kind="stable")

    def to_frame(self) -> DataFrame:
        """The long table."""
        return self.table

    def rows(self) -> list[dict[str, Any]]:
        """Plain records of the long table; None for what is unknown. The subject is called k or
        benchmark.
        """
        name = SUBJECT[self.what]
        table = self.table.drop(columns=["size", "usable", "left_out"], errors="ignore")
        table = table.rename(columns={"subject": name}) if name else table.drop(columns="subject")
        return [
            {key: known(value) for key, value in row.items()} for row in table.to_dict("records")
        ]

    # -- what it comes to --------------------------------------------------------------------------

    @property
    def _by(self) -> list[str]:
        """What makes a group of predictions."""
        told = ["subject", "law"] if SUBJECT[self.what] else ["law"]
        return [*told, "how_observed"] if self.what == "counts" else told

    def errors(self, *, by_decades: bool = True) -> list[dict[str, Any]]:
        """Errors by law, k or benchmark, and decades held out; see
        `isoflop.numeric.hold_out.summaries.errors`.

        Those of counts are apart for targets that were observed in different ways (how_observed): by
        the unbiased "estimate", which takes as many samples of every problem as k, or by the
        "likelihood" of their counts, which rests on the same Beta-distributed success rates as the
        fits.
        """
        if not by_decades:
            return self._overall
        return self._named(errors(self.table, self._by, by_decades=True))

    @cached_property
    def _overall(self) -> list[dict[str, Any]]:
        return self._named(errors(self.table, self._by))

    def coverage(self, *, by_decades: bool = False) -> list[dict[str, Any]]:
        """How often observations lie in their prediction intervals; see
        `isoflop.numeric.hold_out.summaries.coverage`.
        """
        return self._named(coverage(self.table, self._by, by_decades=by_decades))

    def stability(self) -> list[dict[str, Any]]:
        """Over how many decades every coefficient stays where the final fit has it; see
        `isoflop.numeric.hold_out.summaries.stability`.
        """
        found = []
        for task in self.tasks:
            fits = [one for one in self.of(task.subject, task.law) if not one.split.lacks]
            if not self.has_cutoffs or not fits or not fits[0].split.is_final:
                continue
            assert self.rule is not None
            beyond = [float(np.nanmax(self.rule.decades(task, one.split))) for one in fits]
            place = {"subject": task.subject, "law": task.law}
            found += [place | row for row in stability(fits, beyond)]
        return self._named(found)

    def thresholds(self) -> list[Threshold]:
        """T50 of every law, where each cutoff in compute predicted all rows beyond it."""
        return self._thresholds

    @cached_property
    def _thresholds(self) -> list[Threshold]:
        if not self.has_cutoffs or self.axis != "compute" or self.rule is None:
            return []
        if self.rule.targets != ALL or not self.table["usable"].any():
            return []
        cells = self.successes()
        return [threshold(cells, law, seed=self.seed, level=self.level) for law in self.laws]

    def successes(self) -> DataFrame:
        """Whether the law succeeded, a row a subject, law and cutoff; see
        `isoflop.numeric.hold_out.threshold.successes`.
        """
        return successes(self.table)

    def failures(self) -> list[dict[str, Any]]:
        """What has no part in errors and coverage: law, k or benchmark, reason, n."""
        failed = [one for one in self.judged if one.fitted is None]
        counts = Counter((one.subject, one.law, f"no fit: {one.failed}") for one in failed)
        rows = self.table[self.table["left_out"] != ""]
        counts.update(zip(rows["subject"], rows["law"], rows["left_out"], strict=True))
        return self._named(
            [
                {"subject": subject, "law": law, "reason": reason, "n": n}
                for (subject, law, reason), n in counts.items()
            ]
        )

    def best(self, subject: Any) -> str | None:
        """The law with the least held-out MAE on a benchmark; of those that print alike the one with
        the fewest coefficients. None where none was judged. Laws that the fitted runs tell too little
        of, and laws in k, which are judged on other rows, are no candidates.
        """
        wide = {task.law: task.n_coefficients for task in self.tasks if task.subject == subject}
        mae = {
            row["law"]: row["mae"]
            for row in self.errors(by_decades=False)
            if row.get("benchmark") == subject and self._is_candidate(row["law"], subject)
        }
        close = [law for law in mae if mae[law] < min(mae.values()) + SAME]
        return min(close, key=lambda law: (wide[law], mae[law]), default=None)

    def _is_candidate(self, law: str, subject: Any) -> bool:
        fit = self.fit(law, subject)
        return fit is not None and fit.size >= len(fit.names) + SPARE and "k" not in fit.kind.asks

    @property
    def misleading(self) -> list[tuple[str, str, str]]:
        """(benchmark, closest to the fitted runs, best on the held-out ones) where the two differ."""
        found = []
        mae = {(row["benchmark"], row["law"]): row["mae"] for row in self.errors(by_decades=False)}
        for name in self.subjects:
            train = {
                one.law: one.train["rmse"] or 0.0
                for one in self.of(name)
                if one.split.is_final and one.train["n"] and self._is_candidate(one.law, name)
            }
            best, closest = self.best(name), min(train, key=train.__getitem__, default=None)
            if best is None or closest is None or (name, closest) not in mae:
                continue
            if mae[name, closest] > mae[name, best] + SAME:
                found.append((name, closest, best))
        return found

    def means(self) -> list[dict[str, Any]]:
        """Per law, over the benchmarks on which each of the laws was judged, without their average: n
        (benchmarks), the mean and the standard deviation (n - 1) of mae and mean_error.
        """
        from ..accuracy.averages import AVERAGE

        rows = [row for row in self.errors(by_decades=False) if row.get("benchmark") != AVERAGE]
        laws = [law for law in self.laws if any(row["law"] == law for row in rows)]
        judged = Counter(row.get("benchmark") for row in rows)
        rows = [row for row in rows if judged[row.get("benchmark")] == len(laws)]
        found = []
        for law in laws if self.what == "evaluations" else ():
            own = [row for row in rows if row["law"] == law]
            if len(own) > 1:
                row = {"law": law, "n": len(own)}
                for name in ("mae", "mean_error"):
                    values = [one[name] for one in own]
                    row[name] = float(np.mean(values))
                    row[f"{name}_deviation"] = float(np.std(values, ddof=1))
                found.append(row)
        return found

    def _named(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """With the subject under its own name: k, benchmark, or none."""
        name = SUBJECT[self.what]
        return [
            {(name if key == "subject" else key): value for key, value in row.items()}
            if name
            else {key: value for key, value in row.items() if key != "subject"}
            for row in rows
        ]

    # -- output ------------------------------------------------------------------------------------

    def coefficients(self) -> list[dict[str, Any]]:
        """Of every fit: law, k or benchmark, cutoff, n_train, why it failed, the coefficients with
        their intervals where there are some, the errors on the fitted rows, and doubts.
        """
        found = []
        for one in self.judged:
            row: dict[str, Any] = {"subject": one.subject, "law": one.law, "cutoff": one.split.at}
            row |= {"n_train": one.n_train}
            if one.fitted is None:
                found.append(row | {"failed": one.failed})
                continue
            row["coefficients"] = {
                name: estimate.as_dict("value", "lo", "hi")
                for name, estimate in one.fitted.estimates.items()
            }
            row |= {"train": one.train, "converged": one.converged}
            row |= {"undetermined": list(one.undetermined), "final": one.split.is_final}
            if self.what == "evaluations":
                fit = one.fitted.fit
                row |= {"formula": fit.kind.expression, "fitted_by": fit.kind.objective}
                row |= {"remarks": list(one.fitted.remarks)}
            found.append(row)
        return self._named(found)

    def as_dict(self) -> dict[str, Any]:
        """Plain data: what was done, the summaries, every fit and every prediction."""
        names = ("what", "source", "method", "axis", "level", "resamples", "seed")
        data = {name: getattr(self, name) for name in names}
        if self.rule is not None and self.rule.hold_out is not None:
            data["hold_out"] = self.rule.hold_out
        data |= {
            "laws": list(self.laws),
            "k": [k for k in self.subjects if self.what == "counts"],
            "fits": len(self.judged),
            "planned": self.planned,
            "interrupted": self.interrupted,
            "notes": list(self.notes),
            "errors": self.errors() if self.has_cutoffs else [],
            "errors_overall": self.errors(by_decades=False),
            "coverage": self.coverage(),
            "coverage_by_decades": self.coverage(by_decades=True) if self.has_cutoffs else [],
            "stability": self.stability(),
            "thresholds": [one.as_dict() for one in self.thresholds()],
            "failures": self.failures(),
        }
        if self.what == "evaluations":
            baselines = {task.subject: asdict(task.learner.baseline) for task in self.tasks}  # type: ignore[attr-defined]
            data |= {
                "random_baselines": baselines,
                "best": {name: self.best(name) for name in self.subjects},
                "means": self.means(),
                "closest_to_the_fitted_runs_is_not_best_on_held_out": [
                    {"benchmark": name, "closest": closest, "best": best}
                    for name, closest, best in self.misleading
                ],
            }
        return data | {"coefficients": self.coefficients(), "predictions": self.rows()}

    def plot(self) -> Any:
        """The figure; see `isoflop.numeric.plot.backtest.plot_backtest`."""
        from ..plot.backtest import plot_backtest

        return plot_backtest(self)

    # -- page --------------------------------------------------------------------------------------

    def tables(self) -> tuple[Table, ...]:
        """Errors and coverage by law; with cutoffs also by decades held out, and the stability of
        coefficients; of a sweep over evaluations the thresholds.
        """
        tables = [self._errors_table()]
        if self.has_cutoffs and self.what == "evaluations" and (found := self.thresholds()):
            tables.append(_thresholds_table(found, self.level))
        elif self.has_cutoffs:
            tables += [self._decades_table(), self._stability_table()]
        return tuple(table for table in tables if len(table))

    def _places(self, *, is_observed: bool = True) -> list[Column]:
        """Columns that say what a row is of."""
        name = SUBJECT[self.what]
        columns = [Column(name, align="left" if name == "benchmark" else "right")] if name else []
        columns.append(Column("law", of=self._marked, align="left"))
        if self.what == "counts" and is_observed:
            columns.append(Column("how_observed", "observed by", align="left"))
        return columns

    def _marked(self, row: dict[str, Any]) -> str:
        law, name = str(row["law"]), row.get("benchmark")
        return f"{law} *" if name is not None and self.best(name) == law else law

    def _errors_table(self) -> Table:
        if self.what == "evaluations":
            return self._accuracy_table()
        rows = [{**row} for row in self.errors(by_decades=False)]
        key = [name for name in (SUBJECT[self.what], "law", "how_observed") if name]
        inside = {tuple(row.get(one) for one in key): row for row in self.coverage()}
        for row in rows:
            own = inside.get(tuple(row.get(one) for one in key), {})
            row["coverage"] = own.get("coverage")
        columns = [
            *self._places(),
            Column("n", "predictions"),
            Column("n_targets", "targets"),
            Column("median_error", "error", format=SHARE),
            Column("median_bias", "signed", format=SHARE),
            Column("share_above", "above", format=SHARE),
            Column("coverage", "inside", format=SHARE),
        ]
        note = (
            "error, signed: medians of the relative error without and with its sign; above: share "
            f"of predictions above the observation; inside: share of observations within their "
            f"{100 * self.level:g} % prediction interval"
        )
        title = f"Errors of predictions of {RESPONSE[self.what]}"
        return Table(columns, rows, title, [note])

    def _accuracy_table(self) -> Table:
        """The errors on fitted and on held-out runs, benchmark by benchmark."""
        ahead = {(row["benchmark"], row["law"]): row for row in self.errors(by_decades=False)}
        inside = {(row["benchmark"], row["law"]): row["coverage"] for row in self.coverage()}
        rows: list[Any] = []
        for name in self.subjects:
            rows += [RULE] if rows else []
            for one in self.of(name):
                if one.split.is_final and one.fitted is not None:
                    held = ahead.get((name, one.law), {})
                    rows.append(
                        {
                            "benchmark": name,
                            "law": one.law,
                            "n_train": one.n_train,
                            "rmse": one.train["rmse"],
                            "r2": one.train["r2"],
                            "n": held.get("n", 0),
                            "mae": held.get("mae"),
                            "mre": held.get("mean_error"),
                            "inside": inside.get((name, one.law)),
                        }
                    )
        means = self.means()
        rows += (
            [RULE, *({"benchmark": f"mean of {row['n']}", **row} for row in means)] if means else []
        )
        for row in rows:
            if row is not RULE and "mean_error" in row:
                row["mre"], row["n"] = row["mean_error"], None
        columns = [
            *self._places(),
            Column("n_train", "fitted", of=lambda row: row.get("n_train"), missing=""),
            Column("rmse", "RMSE", of=lambda row: row.get("rmse"), format=Places(4), missing=""),
            Column("r2", "R2", of=lambda row: row.get("r2"), format=Places(4), missing=""),
            Column("n", "held out", missing=""),
            Column("mae", "MAE", format=Places(4)),
            Column("mre", "MRE", format=Percent(places=2)),
        ]
        if inside:
            columns.append(Column("inside", of=lambda row: row.get("inside"), format=SHARE))
        title = "Errors of accuracy: RMSE and R2 on fitted runs, MAE and MRE on held-out ones"
        return Table(
            columns, rows, title, ["*: the least MAE"] if any(map(self.best, self.subjects)) else []
        )

    def _decades_table(self) -> Table:
        """A row a law, a column a bin of decades: the median relative error."""
        rows = self.errors()
        bins = sorted({(row["decades_lo"], row["decades_hi"]) for row in rows})[:MOST_BINS]
        merged: dict[tuple[Any, ...], dict[str, Any]] = {}
        for row in rows:
            place = {
                name: row[name]
                for name in (SUBJECT[self.what], "law", "how_observed")
                if name and name in row
            }
            bare = place | {_bin(*ends): None for ends in bins}
            here = merged.setdefault(tuple(place.values()), bare)
            if (ends := (row["decades_lo"], row["decades_hi"])) in bins:
                here[_bin(*ends)] = row["median_error"]
        columns = [*self._places(), *(Column(_bin(*ends), format=SHARE) for ends in bins)]
        title = f"Median relative error by decades of {self.axis} from cutoff to target"
        return Table(columns, list(merged.values()), title)

    def _stability_table(self) -> Table:
        rows = [row for row in self.stability() if row["value"] is not None]
        columns = [
            *self._places(is_observed=False),
            Column("coefficient", align="left"),
            Column("value", "final", format=Significant(4)),
            Column("lo", format=Significant(4)),
            Column("hi", format=Significant(4)),
            Column("stable", "stable for", of=_decades, align="right"),
            Column("of_decades", "of", format=Places(1)),
        ]
        note = (
            f"stable for: so many decades of {self.axis} may be cut off with the estimate within the "
            f"final {100 * self.level:g} % interval; >= where no cutoff breaks it"
        )
        return Table(columns, rows, "Stability of coefficients", [note])

    def head(self) -> Iterator[str]:
        """What was fitted, and to predict what."""
        noun = self.tasks[0].noun
        names = {name for task in self.tasks for name in task.names}
        yield f"Backtest of {RESPONSE[self.what]} on {counted(len(names), noun)} of {self.source}"
        if self.rule is None:
            yield "no row is held out (--hold-out, --rolling or --sweep hold some out)"
        elif self.rule.hold_out is not None:
            yield f"held out: {self.rule.hold_out}"
        else:
            cuts = sorted({one.split.at for one in self.judged if one.split.at is not None})
            if cuts:
                span = f"{THREE.text(cuts[0])} to {THREE.text(cuts[-1])}"
                yield f"{counted(len(cuts), 'cutoff')} in {self.axis}, {span} {UNITS[self.axis]}"
        if len(self) < self.planned:
            yield f"only {len(self)} of {counted(self.planned, 'fit')} were made"

    def warnings(self) -> list[str]:
        """What a reader must know of the fits and of the rows, the most telling first."""
        said = []
        if not self.has_verdict and self.what != "evaluations":
            said.append("no prediction could be compared with an observation")
        started = {(one.subject, one.law) for one in self.judged if one.fitted is not None}
        for row in self.failures():
            name = row.get(SUBJECT[self.what], "")
            if row["reason"].startswith("no fit: fewer") and (name, row["law"]) in started:
                continue
            times = f" ({row['n']} times)" if row["n"] > 1 else ""
            said.append(f"{name} {row['law']}: {row['reason']}{times}".strip())
        for one in self.judged:
            if self.what == "evaluations" and one.fitted is not None and one.split.is_final:
                own = [*one.fitted.remarks]
                if one.undetermined:
                    own.insert(0, f"the runs leave {', '.join(one.undetermined)} open")
                said += [f"{one.subject}, {one.law}: {text}" for text in own]
        if self.what == "evaluations" and self.misleading:
            said.insert(
                0,
                f"on {len(self.misleading)} of {len(self.subjects)} benchmarks the law closest to "
                f"the fitted runs is not the best on held-out ones",
            )
        return [*said, *self.notes]

    def __str__(self) -> str:
        notes = self.warnings()
        rest = len(notes) - MOST_NOTES
        lines = [f"note: {note}" for note in notes[:MOST_NOTES]]
        lines += [f"and {counted(rest, 'note')} more (--format json)"] if rest > 0 else []
        parts = [
            "\n".join(fill(line, WIDTH, subsequent_indent="  ") for line in self.head()),
            *(table.text() for table in self.tables()),
            "\n".join(fill(line, WIDTH, subsequent_indent="  ") for line in lines),
        ]
        return "\n\n".join(part for part in parts if part)

    def __repr__(self) -> str:
        state = ", interrupted" if self.interrupted else ""
        fits = f"{len(self)} of {self.planned} fits{state}"
        return f"<Backtest of {', '.join(self.laws)} on {self.source}: {fits}>"


def known(value: Any) -> Any:
    """None for a number that is not finite."""
    return None if isinstance(value, float) and not isfinite(value) else value


def _bin(low: float, high: float) -> str:
    return f"{low:g}-{high:g}"


def _decades(row: dict[str, Any]) -> str:
    return f"{'>= ' if row['stable_censored'] else ''}{row['stable_decades']:.1f}"


def _thresholds_table(found: Sequence[Threshold], level: float) -> Table:
    """T50 of every law."""
    columns = [
        Column("law", align="left"),
        Column("T50", "T50 (FLOP)", of=_midpoint),
        Column("interval", f"{100 * level:g} % interval", of=_interval),
        Column("n_success", "successes"),
        Column("n_cells", "of fits"),
    ]
    notes = [
        f"{one.law}: {MEANINGS[one.outcome].replace('x50', 'T50').replace(' x', ' T')}"
        for one in found
        if one.outcome not in (None, "fitted")
    ]
    notes += dict.fromkeys(one.caution for one in found if one.caution)
    title = (
        f"From how much compute on a law predicts all runs beyond with a mean relative error below "
        f"{100 * SUCCESS:g} %, as a rule"
    )
    return Table(columns, list(found), title, notes)


def _midpoint(one: Threshold) -> str | None:
    low, high = one.bounds
    if one.T50 is not None:
        return THREE.text(one.T50)
    if low is not None and high is not None:
        return f"{THREE.text(low)} to {THREE.text(high)}"
    if high is not None:
        return f"<= {THREE.text(high)}"
    return None if low is None else f">= {THREE.text(low)}"


def _interval(one: Threshold) -> str | None:
    if one.without_interval:
        return None
    ends = ("no end" if end is None else THREE.text(end) for end in (one.low, one.high))
    return " to ".join(ends)
