"""A finished backtest: every fit, every prediction beside what was observed, what they come to."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Places, Shortest
from ...theory.typeset.table import Column, Table
from ..accuracy.points import InHundreds
from ..errors import outside
from ..fit.hold_out import HeldOut
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pandas import DataFrame

    from ..fit.hold_out import Judged
    from ..results import Estimate
    from .cutoffs import Cutoffs
    from .subject import Observed

__all__ = ["Backtest"]

#: The columns of a row, in their order.
COLUMNS = (
    *("law", "k", "cutoff", "n_train", "target", "decades_held_out", "observed", "how_observed"),
    *("measured", "predicted", "lo", "hi", "relative_error", "relative_error_pass", "inside"),
    *("converged", "undetermined"),
)
OF_COUNTS = ("k", "relative_error_pass")
#: Columns of the long table of every hold-out that have a name of their own here.
CALLED = {"subject": "k", "at": "cutoff", "low": "lo", "high": "hi"}
UNKNOWN = (
    *("value", "lo", "hi", "stable_decades", "overlap_decades"),
    *("stable_censored", "overlap_censored"),
)
#: More bins of decades than these have no room in a table.
MOST_BINS = 8
NUMBER = re.compile(r"\d+")
UNITS = {"compute": "FLOP", "params": "params", "tokens": "tokens", "gold": "nats"}
VALUE = Shortest(4)
#: A share, without the sign.
IN_PERCENT = InHundreds(inner=Places(1, largest=999.5))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Backtest(HeldOut):
    """Predictions of expensive models by laws fitted to cheap ones.

    The fits are by k (`subject`; 0 for runs) and law, from the last cutoff (`split.at`) to the
    first.

    Attributes
    ----------
    what : {"counts", "runs"}
    source : str
    method : str
        How the laws were fitted.
    axis : str
        What makes a model expensive.
    level : float
        Nominal coverage of intervals.
    resamples : int
        Behind the final intervals of coefficients.
    names : tuple of str
        (G,): of the models or runs.
    cutoffs : dict of str to Cutoffs
        By law: what is trained on and what is predicted.
    observed : dict of int to Observed
        By k (0 for runs): -log pass@k, or the loss, of every model.
    planned : int
        How many fits were to be made.
    hold_out : str or None
        The condition that holds out the targets, in place of cutoffs.
    """

    what: str
    source: str
    method: str
    axis: str
    level: float
    resamples: int
    names: tuple[str, ...]
    cutoffs: Mapping[str, Cutoffs]
    observed: Mapping[int, Observed]
    planned: int
    hold_out: str | None = None

    @property
    def laws(self) -> tuple[str, ...]:
        """That were to be fitted."""
        return tuple(self.cutoffs)

    @property
    def ks(self) -> tuple[int, ...]:
        """That were fitted; 0 for runs."""
        return tuple(self.observed)

    @property
    def is_of_counts(self) -> bool:
        """Whether models with counts are predicted, and not runs with a loss."""
        return self.what == "counts"

    @property
    def has_verdict(self) -> bool:
        """Whether some prediction could be compared with an observation."""
        return bool(self.table["usable"].any())

    def at(self, law: str, k: int = 0) -> tuple[Judged, ...]:
        """The fits of one law at one k, from the first cutoff to the last."""
        if law not in self.cutoffs:
            raise outside("law", law, f"one of {', '.join(self.laws)}")
        if k not in self.observed:
            raise outside("k", k, f"one of {', '.join(map(str, self.ks))}")
        return tuple(sorted(self.of(k, law), key=lambda fit: fit.n_train))

    def final(self, law: str, k: int = 0) -> Judged | None:
        """The fit up to the last cutoff, if it was reached: its coefficients are what others are
        compared with.
        """
        fits = self.at(law, k)
        last = (self.cutoffs[law].at or (None,))[-1]
        return fits[-1] if fits and fits[-1].split.at == last else None

    # -- the long table ----------------------------------------------------------------------------

    @cached_property
    def table(self) -> DataFrame:
        """A row a prediction of a law that was fitted, from cheap targets to expensive ones in each
        fit: the columns of `rows`, NaN for what is unknown, and besides

        size
            Of the target, its value on the axis.
        usable
            Whether the fit is certified, all its coefficients are determined, and the target is
            observed.
        left_out
            Why the prediction has no part in the coverage; "" where it has one.
        """
        import pandas as pd

        parts = [self._of_fit(fit) for fit in self.judged if fit.fitted is not None]
        if not parts:
            none = pd.DataFrame(columns=[*COLUMNS, "size", "usable", "left_out"])
            return none.astype({"usable": bool, "decades_held_out": float})
        table = pd.concat(parts, ignore_index=True)
        for name, order in (("law", self.laws), ("k", self.ks)):
            table[name] = pd.Categorical(table[name], categories=order, ordered=True)
        return table

    def _of_fit(self, fit: Judged) -> DataFrame:
        cutoffs, observed = self.cutoffs[fit.law], self.observed[int(fit.subject)]
        rows = fit.frame().rename(columns=CALLED)
        target = rows["row"].to_numpy()
        how = [observed.how[g] for g in target]
        doubt = fit.doubt or "the models leave no error of the prediction"
        rows["target"] = [self.names[g] for g in target]
        rows["decades_held_out"] = cutoffs.decades(fit.split.at)[target]
        rows["size"] = cutoffs.values[target]
        rows["measured"], rows["how_observed"] = observed.measured[target], how
        rows["relative_error_pass"] = np.expm1(rows["observed"] - rows["predicted"])
        seen = np.isfinite(fit.observed)
        rows["left_out"] = [
            f"target not observed: {way}" if not known else doubt if held is None else ""
            for known, way, held in zip(seen, how, rows["inside"], strict=True)
        ]
        return rows.sort_values("decades_held_out", kind="stable")

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row a prediction.

        law, k, cutoff, n_train, target, decades_held_out, observed, how_observed, measured
        (standard error of its log), predicted, lo, hi, relative_error, and for counts
        relative_error_pass; inside, converged, undetermined. None for what is unknown.
        """
        names = [name for name in COLUMNS if self.is_of_counts or name not in OF_COUNTS]
        for row in self.table[names].to_dict("records"):
            yield {name: known(value) for name, value in row.items()}

    # -- what it comes to --------------------------------------------------------------------------

    def errors(self, *, by_decades: bool = True) -> list[dict[str, Any]]:
        """Relative errors of -log pass@k (or the loss) by law, k and decades held out.

        Those of counts are apart for targets that were observed in different ways (how_observed):
        by the unbiased "estimate", which takes as many samples of every problem as k, or by the
        "likelihood" of their counts, which rests on the same Beta-distributed success rates as the
        fits.

        Parameters
        ----------
        by_decades : bool
            Apart by decades held out, in bins of whole numbers.

        Returns
        -------
        list of dict
            law, k, how_observed (of counts), decades_lo, decades_hi (with `by_decades`), n
            (predictions), n_targets (different models), median_error and mean_error (of the
            absolute relative error), median_bias (of the signed one, predicted less observed),
            share_above (of predictions above the observation), and for counts median_error_pass,
            mean_error_pass and median_bias_pass, those of pass@k.
        """
        groups = self._groups(self.table[self.table["usable"]], by_decades=by_decades)
        return [place | self._errors(group) for place, group in groups]

    def _errors(self, group: DataFrame) -> dict[str, Any]:
        row = {"n": len(group), "n_targets": group["target"].nunique()}
        parts = {"": group["relative_error"]}
        if self.is_of_counts:
            parts["_pass"] = group["relative_error_pass"]
        for name, signed in parts.items():
            row[f"median_error{name}"] = float(signed.abs().median())
            row[f"mean_error{name}"] = float(signed.abs().mean())
            row[f"median_bias{name}"] = float(signed.median())
            if not name:
                row["share_above"] = float((signed > 0.0).mean())
        return row

    def coverage(self, *, by_decades: bool = False) -> list[dict[str, Any]]:
        """How often the observation lies in the prediction interval, by law and k (k = None: of all
        k together), and for counts by how it was observed; see `errors`.

        Parameters
        ----------
        by_decades : bool
            Apart by decades held out (decades_lo, decades_hi), in bins of whole numbers.

        Returns
        -------
        list of dict
            law, k, n, n_targets, inside, coverage, se (binomial, as if predictions were
            independent), se_by_target (from the scatter of targets' shares: predictions of one
            model stand or fall together; None for one target).
        """
        counts = self.table[self.table["left_out"] == ""]
        groups = [*self._groups(counts, by_decades=by_decades)]
        if len(self.ks) > 1:
            groups += self._groups(counts, by_decades=by_decades, by_k=False)
        return [place | _coverage(group) for place, group in groups]

    def _groups(
        self, rows: DataFrame, *, by_decades: bool, by_k: bool = True
    ) -> Iterator[tuple[dict[str, Any], DataFrame]]:
        """The rows by law, k, way of observing and bin of decades held out, each with its place."""
        import pandas as pd

        if rows.empty:
            return
        keys = ["law", *(["k"] if by_k else []), *(["how_observed"] if self.is_of_counts else [])]
        if by_decades:
            decades = self.table["decades_held_out"][self.table["usable"]]
            bins = range(min(0, ceil(decades.min()) - 1), ceil(decades.max()) + 1)
            rows = rows.assign(decades=pd.cut(rows["decades_held_out"], list(bins)))
            keys.append("decades")
        for values, group in rows.groupby(keys, observed=True):
            place = {"law": None, "k": None} | dict(zip(keys, values, strict=True))
            if by_decades:
                bin_ = place.pop("decades")
                place |= {"decades_lo": float(bin_.left), "decades_hi": float(bin_.right)}
            yield place, group

    def stability(self) -> list[dict[str, Any]]:
        """Over how many decades every coefficient stays where the final fit has it.

        From the final fit (all training models) backwards, cutoff by cutoff.

        Returns
        -------
        list of dict
            law, k, coefficient, value, lo, hi (of the final fit), stable_decades (so far down the
            estimate stays within lo to hi), overlap_decades (so far down its own interval overlaps
            lo to hi), of_decades (final cutoff to the first one). stable_censored,
            overlap_censored: whether that holds at every cutoff, so that it is a lower limit. A fit
            that leaves a coefficient open ends the row. hi is None where the interval has no upper
            end; all but of_decades are None where the final fit leaves the coefficient open.
        """
        return [
            {"law": law, "k": k, "coefficient": name} | self._stability(law, k, name)
            for law in self.laws
            for k in self.ks
            if (final := self.final(law, k)) is not None and final.fitted is not None
            for name in final.fitted.coefficients
        ]

    def _stability(self, law: str, k: int, name: str) -> dict[str, Any]:
        final, *earlier = self.at(law, k)[::-1]
        # How far any of the models lies beyond the cutoffs says how far these are apart.
        beyond = [np.nanmax(self.cutoffs[law].decades(fit.split.at)) for fit in (final, *earlier)]
        down = [float(far - beyond[0]) for far in beyond]
        of_decades = {"of_decades": down[-1]}
        estimate = final.fitted.final(name)
        if estimate is None or not final.converged:
            return dict.fromkeys(UNKNOWN) | of_decades
        stays = [_stays(fit, name, estimate) for fit in (final, *earlier)]
        overlaps = [True, *(_overlaps(fit, name, estimate) for fit in earlier)]
        return {
            **estimate.as_dict("value", "lo", "hi"),
            "stable_decades": _down(down, stays),
            "overlap_decades": _down(down, overlaps),
            "stable_censored": all(stays),
            "overlap_censored": all(overlaps),
            **of_decades,
        }

    def failures(self) -> list[dict[str, Any]]:
        """What has no part in errors and coverage: law, k, reason, n."""
        failed = [fit for fit in self.judged if fit.fitted is None]
        counts = Counter((fit.law, fit.subject, f"no fit: {fit.failed}") for fit in failed)
        left_out = self.table[self.table["left_out"] != ""]
        counts.update(zip(left_out["law"], left_out["k"], left_out["left_out"], strict=True))
        return [
            {"law": law, "k": k, "reason": reason, "n": n} for (law, k, reason), n in counts.items()
        ]

    # -- output ------------------------------------------------------------------------------------

    def coefficients(self, fit: Judged) -> dict[str, Any]:
        """Of a fit: law, k, cutoff, n_train, why it failed, the coefficients with their own
        intervals, scatter and doubts.
        """
        row: dict[str, Any] = {
            "law": fit.law,
            "k": fit.subject,
            "cutoff": fit.split.at,
            "n_train": fit.n_train,
        }
        if fit.fitted is None:
            return row | {"failed": fit.failed}
        law = fit.fitted
        return row | {
            "coefficients": {
                name: one.as_dict("value", "lo", "hi") for name, one in law.estimates.items()
            },
            "scatter": known(law.scatter),
            "converged": fit.converged,
            "undetermined": list(fit.undetermined),
            "final": fit is self.final(fit.law, int(fit.subject)),
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain data: what was done, the summaries, every fit and every prediction."""
        names = ("what", "source", "method", "axis", "level", "resamples")
        held_out = {} if self.hold_out is None else {"hold_out": self.hold_out}
        return {
            **{name: getattr(self, name) for name in names},
            **held_out,
            "laws": list(self.laws),
            "k": [k for k in self.ks if k],
            "fits": len(self.judged),
            "planned": self.planned,
            "interrupted": self.interrupted,
            "targets": {
                law: [self.names[g] for g in np.flatnonzero(cutoffs.targets)]
                for law, cutoffs in self.cutoffs.items()
            },
            "errors": self.errors(),
            "errors_overall": self.errors(by_decades=False),
            "coverage": self.coverage(),
            "coverage_by_decades": self.coverage(by_decades=True),
            "stability": self.stability(),
            "failures": self.failures(),
            "coefficients": [self.coefficients(fit) for fit in self.judged],
            "predictions": list(self.rows()),
        }

    # -- page --------------------------------------------------------------------------------------

    def tables(self) -> tuple[Table, ...]:
        """Errors and coverage; over cutoffs also by decades held out, and the stability of
        coefficients.
        """
        tables = [_errors_table(self), _coverage_table(self)]
        if self.hold_out is None:
            by_decades = f"by decades of {self.axis} from cutoff to target"
            title = f"Median relative error of {_quantity(self)} in %, {by_decades}"
            errors = _by_decades(self, title, self.errors(), "median_error")
            coverage = _by_decades(
                self, f"The same {by_decades}", self.coverage(by_decades=True), "coverage"
            )
            tables = [tables[0], errors, tables[1], coverage, _stability_table(self)]
        return tuple(table for table in tables if len(table))

    def head(self) -> Iterator[str]:
        """What was fitted, and to predict what."""
        noun, what = ("model", "-log pass@k") if self.is_of_counts else ("run", "loss")
        rows = f"{counted(len(self.names), noun)} of {self.source}"
        yield f"Backtest of {what} on {rows}, fits by {self.method}"
        if self.hold_out is not None:
            yield f"  held out: {self.hold_out}"
        for law, cutoffs in self.cutoffs.items():
            targets = [self.names[g] for g in np.flatnonzero(cutoffs.targets)]
            which = targets[0] if len(targets) == 1 else counted(len(targets), noun)
            span = f"fitted to {counted(int(cutoffs.trainable.sum()), noun)}"
            if cutoffs.at:
                first, last = (VALUE.text(cutoffs.at[i]) for i in (0, -1))
                number = counted(len(cutoffs.at), "cutoff")
                span = f"{number} from {first} to {last} {UNITS[self.axis]}"
            yield f"  {law}: {span}, predicting {which}"
        if len(self) < self.planned:
            yield f"  only {len(self)} of {counted(self.planned, 'fit')} were made"
        if not self.has_verdict:
            yield "No prediction could be compared with an observation."

    def tail(self) -> Iterator[str]:
        """What is left out, alike reasons together."""
        merged: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in self.failures():
            merged.setdefault((row["law"], NUMBER.sub("#", row["reason"])), []).append(row)
        if merged:
            yield "Left out of errors and coverage"
        for (law, _), alike in merged.items():
            reasons = list(dict.fromkeys(row["reason"] for row in alike))
            at = f" at {len({row['k'] for row in alike})} k" if self.is_of_counts else ""
            count = sum(row["n"] for row in alike)
            times = "once" if count == 1 else f"{count} times"
            such = ", such as: " if len(reasons) > 1 else ": "
            yield f"  {law}: {times}{at}{such}{reasons[0]}"

    def __repr__(self) -> str:
        state = ", interrupted" if self.interrupted else ""
        fits = f"{len(self)} of {self.planned} fits{state}"
        return f"<Backtest of {', '.join(self.laws)} by {self.axis}: {fits}>"


def known(value: Any) -> Any:
    """None for a number that is not finite."""
    return None if isinstance(value, float) and not isfinite(value) else value


# -- sums ------------------------------------------------------------------------------------------


def _coverage(group: DataFrame) -> dict[str, Any]:
    inside = group["inside"].astype(bool)
    count, share = len(inside), float(inside.mean())
    sums = (inside - share).groupby(group["target"]).sum()
    models = len(sums)
    clustered = None
    if models > 1:
        clustered = sqrt(float((sums**2).sum()) * models / (models - 1)) / count
    return {
        "n": count,
        "n_targets": models,
        "inside": int(inside.sum()),
        "coverage": share,
        "se": sqrt(share * (1.0 - share) / count),
        "se_by_target": clustered,
    }


def _stays(fit: Judged, name: str, final: Estimate) -> bool:
    """Whether the coefficient of a sound fit lies within its final interval."""
    return fit.is_sound and not final.excludes(fit.fitted.coefficients[name])


def _overlaps(fit: Judged, name: str, final: Estimate) -> bool:
    """Whether the coefficient's own interval in a sound fit overlaps the final one."""
    if not fit.is_sound:
        return False
    own = fit.fitted.estimates[name]
    return bool(
        own.low <= (inf if final.high is None else final.high) and own.high >= (final.low or -inf)
    )


def _down(decades: Sequence[float], holds: Sequence[bool]) -> float:
    """Decades down to the last one in a row for which something holds."""
    count = len(holds) if all(holds) else list(holds).index(False)
    return max(0.0, decades[max(count - 1, 0)])


# -- tables --------------------------------------------------------------------------------


def _quantity(result: Backtest) -> str:
    return "-log pass@k" if result.is_of_counts else "the loss"


def _places(result: Backtest, *, is_observed: bool = True) -> list[Column]:
    """What a row is of: its law, and of counts k and how targets were observed."""
    law = Column("law", align="left")
    if not result.is_of_counts:
        return [law]
    k = Column("k", of=lambda row: "all" if row["k"] is None else row["k"])
    return [k, law, *([Column("how_observed", "observed by", align="left")] if is_observed else [])]


def _by_k(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """In the order of k, those of all k last."""
    return sorted(rows, key=lambda row: (row["k"] is None, row["k"] or 0))


def _shares(**headings: str) -> list[Column]:
    return [Column(key, heading, format=IN_PERCENT) for key, heading in headings.items()]


COUNTED = [Column("n", "predictions"), Column("n_targets", "targets")]


def _errors_table(result: Backtest) -> Table:
    columns = [*_places(result), *COUNTED]
    columns += _shares(median_error="error", median_bias="signed", share_above="above")
    quantity = _quantity(result)
    note = (
        f"error, signed: medians of the relative error of {quantity} without and with its sign; "
        f"above: "
        "share of predictions above the observation"
    )
    notes = [note]
    if result.is_of_counts:
        columns += _shares(median_error_pass="pass@k", median_bias_pass="signed")
        notes = [
            f"{note}; pass@k, signed: the same medians for pass@k",
            "observed by: the unbiased estimate, or the likelihood of the counts where some "
            "problem has fewer than k samples",
        ]
    title = f"Relative errors of predictions of {quantity} in %"
    return Table(columns, _by_k(result.errors(by_decades=False)), title, notes)


def _coverage_table(result: Backtest) -> Table:
    columns = [*_places(result), *COUNTED]
    columns += _shares(coverage="inside", se="se", se_by_target="by target")
    title = f"Coverage of the {100 * result.level:g} % prediction intervals in %"
    note = (
        "se: as if predictions were independent; by target: those of one target stand or fall "
        "together"
    )
    return Table(columns, _by_k(result.coverage()), title, [note])


def _by_decades(result: Backtest, title: str, rows: Sequence[dict[str, Any]], name: str) -> Table:
    """A row a law, k and way of observing, a column a bin of decades."""
    bins = sorted({(row["decades_lo"], row["decades_hi"]) for row in rows})[:MOST_BINS]
    merged: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in _by_k(rows):
        place = {key: row.get(key) for key in ("k", "law", "how_observed")}
        bare = place | dict.fromkeys(map(_bin, bins))
        here = merged.setdefault(tuple(place.values()), bare)
        here[_bin((row["decades_lo"], row["decades_hi"]))] = row[name]
    shares = [Column(key, format=IN_PERCENT) for key in map(_bin, bins)]
    return Table([*_places(result), *shares], list(merged.values()), title)


def _bin(ends: tuple[float, float]) -> str:
    return f"{ends[0]:g}-{ends[1]:g}"


def _stability_table(result: Backtest) -> Table:
    columns = [
        *_places(result, is_observed=False),
        Column("coefficient", align="left"),
        Column("value", "final", format=VALUE),
        Column("lo", format=VALUE),
        Column("hi", format=VALUE),
        *(
            Column(name, heading, of=_decades(name))
            for name, heading in (("stable", "inside"), ("overlap", "overlap"))
        ),
        Column("of_decades", "of", format=Places(1)),
    ]
    note = (
        f"inside: so many decades of {result.axis} may be cut off with the estimate within the "
        f"final "
        "interval; overlap: with its own interval overlapping it; of: decades there are, >= where "
        "none of "
        "their cutoffs breaks it. -: the final fit leaves the coefficient, or the end of its "
        "interval, open"
    )
    title = f"Stability of coefficients against their final {100 * result.level:g} % interval"
    return Table(columns, _by_k(result.stability()), title, [note])


def _decades(name: str) -> Any:
    """Decades, with the sign of a lower limit where all of them hold."""

    def of(row: dict[str, Any]) -> str | None:
        value, censored = row[f"{name}_decades"], row[f"{name}_censored"]
        return None if value is None else f"{'>= ' if censored else ''}{value:.1f}"

    return of
