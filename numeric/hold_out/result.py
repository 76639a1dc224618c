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
from ..accuracy.averages import AVERAGE
from ..accuracy.laws import crossing_of
from ..errors import outside
from ..words import counted
from .splits import ALL
from .summaries import errors, stability
from .threshold import successes, threshold, threshold_table

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
MOST_NOTES = 3
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
        return bool(self.table["usable"].any())

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
        return None if final is None else final.fit

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

        frames = [self._of(one) for one in self.judged if one.fit is not None]
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
        observed, unknown = task.observed[rows], np.full(len(split.test), np.nan)
        how = [task.how[i] if task.how else "measured" for i in rows]
        decades = unknown if self.rule is None else self.rule.decades(task, split)
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
                "size": task.covariates.get(self.axis, unknown)[rows],
                "decades_held_out": decades[rows],
                "observed": observed,
                "how_observed": how,
                "measured": 0.0 if task.measured is None else task.measured[rows],
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
                    doubt if known else f"target not observed: {way}"
                    for way, known in zip(how, seen, strict=True)
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
        table = self.table.drop(columns=["size", "usable", "left_out"], errors="ignore")
        return [
            {key: known(value) for key, value in row.items()}
            for row in self._named(table.to_dict("records"))
        ]

    def _named(self, rows: Sequence[Any]) -> list[dict[str, Any]]:
        """With the subject under its own name: k, benchmark, or none."""
        name = SUBJECT[self.what]
        return [
            {
                (name if key == "subject" else str(key)): value
                for key, value in row.items()
                if name or key != "subject"
            }
            for row in rows
        ]

    # -- what it comes to --------------------------------------------------------------------------

    def errors(self, *, by_decades: bool = True) -> list[dict[str, Any]]:
        """Errors and coverage by law, k or benchmark, and decades held out; see
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

    @property
    def _by(self) -> list[str]:
        """What makes a group of predictions."""
        by = ["subject", "law"] if SUBJECT[self.what] else ["law"]
        return [*by, "how_observed"] if self.what == "counts" else by

    def stability(self) -> list[dict[str, Any]]:
        """Over how many decades every coefficient stays where the final fit has it; see
        `isoflop.numeric.hold_out.summaries.stability`.
        """
        found: list[dict[str, Any]] = []
        for task in self.tasks:
            fits = [one for one in self.of(task.subject, task.law) if not one.split.lacks]
            if not self.has_cutoffs or not fits or not fits[0].split.is_final:
                continue
            assert self.rule is not None
            beyond = [float(np.nanmax(self.rule.decades(task, one.split))) for one in fits]
            place = {"subject": task.subject, "law": task.law}
            found += [place | row for row in stability(fits, beyond, task.least_draws)]
        return self._named(found)

    @cached_property
    def _thresholds(self) -> list[dict[str, Any]]:
        if self.rule is None or not self.has_cutoffs or self.axis != "compute":
            return []
        if self.rule.targets != ALL or not self.table["usable"].any():
            return []
        cells = self.successes()
        return [threshold(cells, law, seed=self.seed, level=self.level) for law in self.laws]

    def thresholds(self) -> list[dict[str, Any]]:
        """T50 of every law, where each cutoff in compute predicted all rows beyond it; see
        `isoflop.numeric.hold_out.threshold.threshold`.
        """
        return self._thresholds

    def successes(self) -> DataFrame:
        """Whether the law succeeded, a row a subject, law and cutoff; see
        `isoflop.numeric.hold_out.threshold.successes`.
        """
        return successes(self.table)

    def failures(self) -> list[dict[str, Any]]:
        """What has no part in the errors: law, k or benchmark, reason, n."""
        failed = [one for one in self.judged if one.fit is None]
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
        the fewest coefficients. None where none was judged. Laws with hardly more runs than
        coefficients, and laws in k, which are judged on other rows, are no candidates.
        """
        mae, wide = {}, {}
        for row in self.errors(by_decades=False):
            fit = self.fit(row["law"], subject) if row.get("benchmark") == subject else None
            if fit is not None and fit.size >= len(fit.names) + SPARE and "k" not in fit.kind.asks:
                mae[row["law"]], wide[row["law"]] = row["mae"], len(fit.names)
        close = [law for law in mae if mae[law] < min(mae.values()) + SAME]
        return min(close, key=lambda law: (wide[law], mae[law]), default=None)

    def means(self) -> list[dict[str, Any]]:
        """Per law, over the benchmarks on which each of the laws was judged, without their average: n
        (benchmarks), the mean and the standard deviation (n - 1) of mae and mean_error.
        """
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

    def coefficients(self) -> list[dict[str, Any]]:
        """Of every fit: law, k or benchmark, cutoff, n_train, why it failed, the coefficients with
        their intervals where there are some, the errors on the fitted rows, and doubts.
        """
        found = []
        for one in self.judged:
            row: dict[str, Any] = {"subject": one.subject, "law": one.law, "cutoff": one.split.at}
            row |= {"n_train": one.n_train}
            found.append(row)
            if one.fit is None:
                row["failed"] = one.failed
                continue
            row["coefficients"] = {
                name: estimate.as_dict("value", "lo", "hi")
                for name, estimate in one.estimates.items()
            }
            row |= {"train": one.train, "converged": one.converged}
            row |= {"undetermined": list(one.undetermined), "final": one.split.is_final}
            if self.what == "evaluations":
                kind = one.fit.kind
                row |= {"formula": kind.expression, "fitted_by": kind.objective}
                row |= {"remarks": _remarks(one)}
        return self._named(found)

    # -- output ------------------------------------------------------------------------------------

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
            "stability": self.stability(),
            "thresholds": self.thresholds(),
            "failures": self.failures(),
        }
        if self.what == "evaluations":
            baselines = {task.subject: task.baseline for task in self.tasks}
            data |= {
                "random_baselines": {name: asdict(one) for name, one in baselines.items() if one},
                "best": {name: self.best(name) for name in self.subjects},
                "means": self.means(),
            }
        return data | {"coefficients": self.coefficients(), "predictions": self.rows()}

    def plot(self) -> Any:
        """The figure; see `isoflop.numeric.plot.backtest.plot_backtest`."""
        from ..plot.backtest import plot_backtest

        return plot_backtest(self)

    def tables(self) -> tuple[Table, ...]:
        """Errors and coverage by law; of a sweep over evaluations the thresholds too."""
        tables = [self._accuracy_table() if self.what == "evaluations" else self._errors_table()]
        if self.what == "evaluations" and self.thresholds():
            tables.append(threshold_table(self.thresholds(), self.level))
        return tuple(table for table in tables if len(table))

    def _errors_table(self) -> Table:
        name = SUBJECT[self.what]
        columns = [Column(name, align="right")] if name else []
        columns.append(Column("law", align="left"))
        if self.what == "counts":
            columns.append(Column("how_observed", "observed by", align="left"))
        columns += [
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
        return Table(columns, self.errors(by_decades=False), title, [note])

    def _accuracy_table(self) -> Table:
        """The errors on fitted and on held-out runs, benchmark by benchmark."""
        ahead = {(row["benchmark"], row["law"]): row for row in self.errors(by_decades=False)}
        rows: list[Any] = []
        for name in self.subjects:
            rows += [RULE] if rows else []
            best = self.best(name)
            for one in self.of(name):
                if one.split.is_final and one.fit is not None:
                    row = {"n": 0, **ahead.get((name, one.law), {}), "benchmark": name}
                    row["law"] = f"{one.law} *" if one.law == best else one.law
                    rows.append(
                        row
                        | {"n_train": one.n_train, "rmse": one.train["rmse"], "r2": one.train["r2"]}
                    )
        if means := self.means():
            rows += [
                RULE,
                *({**row, "benchmark": f"mean of {row['n']}", "n": None} for row in means),
            ]
        columns = [
            Column("benchmark", align="left"),
            Column("law", align="left"),
            Column("n_train", "fitted", of=lambda row: row.get("n_train"), missing=""),
            Column("rmse", "RMSE", of=lambda row: row.get("rmse"), format=Places(4), missing=""),
            Column("r2", "R2", of=lambda row: row.get("r2"), format=Places(4), missing=""),
            Column("n", "held out", missing=""),
            Column("mae", "MAE", of=lambda row: row.get("mae"), format=Places(4)),
            Column("mre", "MRE", of=lambda row: row.get("mean_error"), format=Percent(places=2)),
        ]
        if any(row["coverage"] is not None for row in ahead.values()):
            inside = Column("inside", of=lambda row: row.get("coverage"), format=SHARE)
            columns.append(inside)
        title = "Errors of accuracy: RMSE and R2 on fitted runs, MAE and MRE on held-out ones"
        has_best = any(self.best(name) is not None for name in self.subjects)
        return Table(columns, rows, title, ["*: the least MAE"] if has_best else [])

    def head(self) -> Iterator[str]:
        """What was fitted, and to predict what."""
        names = {name for task in self.tasks for name in task.names}
        many = counted(len(names), self.tasks[0].noun)
        yield f"Backtest of {RESPONSE[self.what]} on {many} of {self.source}"
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
        found = []
        if not self.has_verdict and self.what != "evaluations":
            found.append("no prediction could be compared with an observation")
        started = {(one.subject, one.law) for one in self.judged if one.fit is not None}
        for row in self.failures():
            name = row.get(SUBJECT[self.what], "")
            if row["reason"].startswith("no fit: fewer") and (name, row["law"]) in started:
                continue
            times = f" ({row['n']} times)" if row["n"] > 1 else ""
            found.append(f"{name} {row['law']}: {row['reason']}{times}".strip())
        for one in self.judged:
            if self.what == "evaluations" and one.fit is not None and one.split.is_final:
                own = _remarks(one)
                if one.undetermined:
                    own.insert(0, f"the runs leave {', '.join(one.undetermined)} open")
                found += [f"{one.subject}, {one.law}: {text}" for text in own]
        return [*found, *self.notes]

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


def _remarks(one: Judged) -> list[str]:
    """What a reader of the coefficients of a law of accuracy must know."""
    found, crossing = [*one.fit.remarks], crossing_of(one.fit, one.level)
    if crossing is not None:
        side = "above" if one.fit.coefficients["d"] < 0.0 else "below"
        found.append(f"the curves of all k cross at C_x = {crossing:.3g}; the law holds {side} it")
    return found


def known(value: Any) -> Any:
    """None for a number that is not finite."""
    return None if isinstance(value, float) and not isfinite(value) else value
