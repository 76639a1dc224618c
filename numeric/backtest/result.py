"""A finished backtest: every fit, every prediction beside what was observed, and what they come to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil, inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.shown import Shown
from ..errors import outside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pandas import DataFrame

    from ...theory.typeset.table import Table
    from ..fit.hold_out import Judged
    from ..results import Estimate
    from .cutoffs import Cutoffs
    from .extrapolation import Observed

__all__ = ["Backtest"]

#: The columns of a row, in their order; the last of them are of counts alone.
COLUMNS = (
    *("law", "k", "cutoff", "n_train", "target", "decades_held_out", "observed", "how_observed"),
    *("measured", "predicted", "lo", "hi", "relative_error", "relative_error_pass", "inside"),
    *("converged", "undetermined"),
)
OF_COUNTS = ("k", "relative_error_pass")
UNKNOWN = (
    *("value", "lo", "hi", "stable_decades", "overlap_decades"),
    *("stable_censored", "overlap_censored"),
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Backtest(Shown):
    """Predictions of expensive models by laws fitted to cheap ones.

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
    judged : tuple of Judged
        The fits, by k (`subject`) and law (`model`), from the last cutoff (`split.at`) to the
        first.
    planned : int
        How many fits were to be made.
    interrupted : bool
        Whether Ctrl-C left some of them undone.
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
    judged: tuple[Judged, ...]
    planned: int
    interrupted: bool
    hold_out: str | None = None

    @property
    def laws(self) -> tuple[str, ...]:
        """That were fitted."""
        return tuple(self.cutoffs)

    @property
    def ks(self) -> tuple[int, ...]:
        """That were fitted; 0 for runs."""
        return tuple(self.observed)

    def __len__(self) -> int:
        return len(self.judged)

    def at(self, law: str, k: int = 0) -> tuple[Judged, ...]:
        """The fits of one law at one k, from the first cutoff to the last."""
        if law not in self.cutoffs:
            raise outside("law", law, f"one of {', '.join(self.laws)}")
        if k not in self.observed:
            raise outside("k", k, f"one of {', '.join(map(str, self.ks))}")
        fits = [fit for fit in self.judged if fit.model == law and fit.subject == k]
        return tuple(sorted(fits, key=lambda fit: fit.n_train))

    def final(self, law: str, k: int = 0) -> Judged | None:
        """The fit up to the last cutoff, if it was reached: its coefficients are what others are
        compared with.
        """
        fits = self.at(law, k)
        last = (self.cutoffs[law].at or (None,))[-1]
        return fits[-1] if fits and fits[-1].split.at == last else None

    # -- the long table --------------------------------------------------------------------------------

    @cached_property
    def table(self) -> DataFrame:
        """A row a prediction, from cheap targets to expensive ones in each fit: the columns of
        `rows`, NaN for what is unknown, and besides

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
        import pandas as pd

        cutoffs, observations = self.cutoffs[fit.model], self.observed[int(fit.subject)]
        order = np.argsort(cutoffs.position[fit.rows], kind="stable")
        target, observed, predicted = fit.rows[order], fit.observed[order], fit.predicted[order]
        lo, hi = (
            np.full(len(order), np.nan) if end is None else end[order]
            for end in (fit.low, fit.high)
        )
        is_observed = np.isfinite(observed)
        usable = is_observed & np.isfinite(predicted) & fit.is_sound
        has_interval = usable & np.isfinite(hi)
        how = [observations.how[g] for g in target]
        doubt = fit.failed or "the models leave no error of the prediction"
        if fit.undetermined:
            doubt = f"the models leave {', '.join(fit.undetermined)} open"
        elif not fit.converged:
            doubt = "the fit is not certified as a minimum"
        return pd.DataFrame(
            {
                "law": fit.model,
                "k": fit.subject,
                "cutoff": fit.split.at,
                "n_train": fit.n_train,
                "target": [self.names[g] for g in target],
                "decades_held_out": cutoffs.position[target] - cutoffs.place(fit.split.at),
                "observed": observed,
                "how_observed": how,
                "measured": observations.measured[target],
                "predicted": predicted,
                "lo": lo,
                "hi": hi,
                "relative_error": predicted / observed - 1.0,
                "relative_error_pass": np.expm1(observed - predicted),
                "inside": np.where(
                    has_interval, (lo <= observed) & (observed <= hi), np.array(None)
                ),
                "converged": fit.converged,
                "undetermined": " ".join(fit.undetermined),
                "size": cutoffs.values[target],
                "usable": usable,
                "left_out": [
                    "" if known else (doubt if seen else f"target not observed: {way}")
                    for known, seen, way in zip(has_interval, is_observed, how, strict=True)
                ],
            }
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row a prediction.

        law, k, cutoff, n_train, target, decades_held_out, observed, how_observed, measured
        (standard error of its log), predicted, lo, hi, relative_error, and for counts
        relative_error_pass; inside, converged, undetermined. None for what is unknown.
        """
        names = [name for name in COLUMNS if self.what == "counts" or name not in OF_COUNTS]
        for row in self.table[names].to_dict("records"):
            yield {name: known(value) for name, value in row.items()}

    # -- what it comes to ------------------------------------------------------------------------------

    def errors(
        self,
        edges: Sequence[float] | None = None,
        *,
        by_decades: bool = True,
        by_observation: bool = False,
    ) -> list[dict[str, Any]]:
        """Relative errors of -log pass@k (or the loss) by law, k and decades held out.

        Parameters
        ----------
        edges : sequence of float, optional
            Of the bins of decades; by default whole numbers from 0 on.
        by_decades : bool
            Apart by decades held out.
        by_observation : bool
            Apart for targets that were observed in different ways (how_observed): by the unbiased
            "estimate", which takes as many samples of every problem as k, or by the "likelihood" of
            their counts, which rests on the same Beta-distributed success rates as the fits.

        Returns
        -------
        list of dict
            law, k, how_observed (with `by_observation`), decades_lo, decades_hi (with
            `by_decades`), n (predictions), n_targets (different models), median_error and
            mean_error (of the absolute relative error), median_bias (of the signed one, predicted
            less observed), share_above (of predictions above the observation), and for counts
            median_error_pass, mean_error_pass and median_bias_pass, those of pass@k.
        """
        usable = self.table[self.table["usable"]]
        bins = self._bins(edges) if by_decades else None
        return [
            place | self._errors(group)
            for place, group in _groups(usable, bins, by_observation=by_observation)
        ]

    def _errors(self, group: DataFrame) -> dict[str, Any]:
        signed = group["relative_error"].to_numpy()
        row = {
            "n": len(group),
            "n_targets": group["target"].nunique(),
            "median_error": float(np.median(np.abs(signed))),
            "mean_error": float(np.mean(np.abs(signed))),
            "median_bias": float(np.median(signed)),
            "share_above": float(np.mean(signed > 0.0)),
        }
        if self.what == "counts":
            of_pass = group["relative_error_pass"].to_numpy()
            row |= {
                "median_error_pass": float(np.median(np.abs(of_pass))),
                "mean_error_pass": float(np.mean(np.abs(of_pass))),
                "median_bias_pass": float(np.median(of_pass)),
            }
        return row

    def coverage(
        self, *, by_decades: bool = False, by_observation: bool = False
    ) -> list[dict[str, Any]]:
        """How often the observation lies in the prediction interval, by law and k (k = None: of all
        k together).

        Parameters
        ----------
        by_decades : bool
            Apart by decades held out (decades_lo, decades_hi), in bins of whole numbers.
        by_observation : bool
            Apart by how targets were observed (how_observed); see `errors`.

        Returns
        -------
        list of dict
            law, k, n, n_targets, inside, coverage, se (binomial, as if predictions were
            independent), se_by_target (from the scatter of targets' shares: predictions of one
            model stand or fall together; None for one target).
        """
        counted = self.table[self.table["left_out"] == ""]
        bins = self._bins(None) if by_decades else None
        groups = list(_groups(counted, bins, by_observation=by_observation))
        if len(self.ks) > 1:
            groups += _groups(counted, bins, by_observation=by_observation, by_k=False)
        return [place | _coverage(group) for place, group in groups]

    def _bins(self, edges: Sequence[float] | None) -> list[float]:
        if edges is None:
            decades = self.table["decades_held_out"][self.table["usable"]]
            low, high = decades.min(), decades.max()
            return (
                []
                if decades.empty
                else [float(x) for x in range(min(0, ceil(low) - 1), ceil(high) + 1)]
            )
        ends = [float(end) for end in edges]
        if len(ends) < 2 or not all(low < high for low, high in pairwise(ends)):
            raise outside("edges", edges, "at least two numbers, each below the next")
        return ends

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
        place = [self.cutoffs[law].place(fit.split.at) for fit in (final, *earlier)]
        of_decades = {"of_decades": place[0] - place[-1]}
        estimate = final.fitted.final(name)
        if estimate is None or not final.converged:
            return dict.fromkeys(UNKNOWN) | of_decades
        stays = [_stays(fit, name, estimate) for fit in (final, *earlier)]
        overlaps = [True, *(_overlaps(fit, name, estimate) for fit in earlier)]
        return {
            **estimate.as_dict("value", "lo", "hi"),
            "stable_decades": _down(place, stays),
            "overlap_decades": _down(place, overlaps),
            "stable_censored": all(stays),
            "overlap_censored": all(overlaps),
            **of_decades,
        }

    def failures(self) -> list[dict[str, Any]]:
        """What has no part in errors and coverage: law, k, reason, n."""
        failed = [fit for fit in self.judged if fit.fitted is None]
        counts = Counter((fit.model, fit.subject, f"no fit: {fit.failed}") for fit in failed)
        left_out = self.table[self.table["left_out"] != ""]
        counts.update(zip(left_out["law"], left_out["k"], left_out["left_out"], strict=True))
        return [
            {"law": law, "k": k, "reason": reason, "n": n} for (law, k, reason), n in counts.items()
        ]

    # -- output ----------------------------------------------------------------------------------------

    def coefficient_rows(self) -> list[dict[str, Any]]:
        """A row a fit: law, k, cutoff, n_train, why it failed, the coefficients with their own
        intervals, scatter and doubts.
        """
        return [self._coefficients(fit) for fit in self.judged]

    def _coefficients(self, fit: Judged) -> dict[str, Any]:
        row: dict[str, Any] = {
            "law": fit.model,
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
            "final": fit is self.final(fit.model, int(fit.subject)),
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain data: what was done, the summaries, every fit and every prediction."""
        apart = self.what == "counts"
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
            "errors": self.errors(by_observation=apart),
            "errors_overall": self.errors(by_decades=False, by_observation=apart),
            "coverage": self.coverage(by_observation=apart),
            "coverage_by_decades": self.coverage(by_decades=True, by_observation=apart),
            "stability": self.stability(),
            "failures": self.failures(),
            "coefficients": self.coefficient_rows(),
            "predictions": list(self.rows()),
        }

    def to_frame(self) -> DataFrame:
        """The rows as a pandas frame."""
        from pandas import DataFrame

        return DataFrame(self.rows())

    def tables(self) -> tuple[Table, ...]:
        """Errors, coverage and stability."""
        from .tables import tables_of

        return tables_of(self)

    def __str__(self) -> str:
        from .tables import text_of

        return text_of(self)

    def __repr__(self) -> str:
        state = ", interrupted" if self.interrupted else ""
        return f"<Backtest of {', '.join(self.laws)} by {self.axis}: {len(self.judged)} of {self.planned} fits{state}>"


def known(value: Any) -> Any:
    """None for a number that is not finite."""
    return None if isinstance(value, float) and not isfinite(value) else value


def _groups(
    rows: DataFrame, bins: Sequence[float] | None, *, by_observation: bool, by_k: bool = True
) -> Iterator[tuple[dict[str, Any], DataFrame]]:
    """The rows by law, k, way of observing and bin of decades held out, each with its place."""
    import pandas as pd

    if rows.empty:
        return
    keys = ["law", *(["k"] if by_k else []), *(["how_observed"] if by_observation else [])]
    if bins is not None:
        rows = rows.assign(decades=pd.cut(rows["decades_held_out"], list(bins)))
        keys.append("decades")
    for values, group in rows.groupby(keys, observed=True):
        place = {"law": None, "k": None} | dict(zip(keys, values, strict=True))
        if bins is not None:
            decades = place.pop("decades")
            place |= {"decades_lo": float(decades.left), "decades_hi": float(decades.right)}
        yield place, group


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


def _down(place: Sequence[float], holds: Sequence[bool]) -> float:
    """Decades from the first place down to the last one in a row for which something holds."""
    count = len(holds) if all(holds) else list(holds).index(False)
    return max(0.0, place[0] - place[max(count - 1, 0)])
