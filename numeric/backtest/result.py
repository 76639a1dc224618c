"""A finished backtest: every fit, every prediction beside what was observed, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.shown import Shown
from ..errors import outside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from pandas import DataFrame

    from ...theory.typeset.table import Table
    from ..fit.hold_out import Judged
    from .cutoffs import Cutoffs
    from .extrapolation import Observed
    from .summary import Predictions

    Floats = NDArray[np.float64]

__all__ = ["Backtest"]


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
            raise ValueError(f"law={law!r}: must be one of {', '.join(self.laws)}")
        if k not in self.observed:
            raise outside("k", k, f"one of {', '.join(map(str, self.ks))}")
        fits = [each for each in self.judged if each.model == law and each.subject == k]
        return tuple(sorted(fits, key=lambda each: each.n_train))

    def final(self, law: str, k: int = 0) -> Judged | None:
        """The fit up to the last cutoff, if it was reached: its coefficients are what others are
        compared with.
        """
        fits = self.at(law, k)
        return fits[-1] if fits and fits[-1].split.at == self.cutoffs[law].at[-1] else None

    @cached_property
    def predictions(self) -> Predictions:
        """Every prediction as columns."""
        from .summary import predictions

        return predictions(self)

    # -- what it comes to ----------------------------------------------------------------------------------------------

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
        from .summary import errors

        return errors(self, edges, by_decades=by_decades, by_observation=by_observation)

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
        from .summary import coverage

        return coverage(self, by_decades=by_decades, by_observation=by_observation)

    def stability(self) -> list[dict[str, Any]]:
        """Over how many decades every coefficient stays where the final fit has it.

        From the final fit (all training models) backwards, cutoff by cutoff.

        Returns
        -------
        list of dict
            law, k, coefficient, value, lo, hi (of the final fit), stable_decades (so far down the
            estimate stays within lo to hi), overlap_decades (so far down its own interval overlaps
            lo to hi), of_decades (final cutoff to the first one). stable_censored,
            overlap_censored: whether that holds at every cutoff, so that it is a lower limit. hi is
            None where the interval has no upper end; all but of_decades are None where the final
            fit leaves the coefficient open.
        """
        from .summary import stability

        return stability(self)

    def failures(self) -> list[dict[str, Any]]:
        """What has no part in errors and coverage: law, k, reason, n."""
        from .summary import failures

        return failures(self)

    # -- output --------------------------------------------------------------------------------------------------------

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row a prediction.

        law, k, cutoff, n_train, target, decades_held_out, observed, how_observed, measured
        (standard error of its log), predicted, lo, hi, relative_error, and for counts
        relative_error_pass; inside, converged, undetermined. None for what is unknown.
        """
        table = self.predictions
        for index, (number, target) in enumerate(zip(table.fit, table.target, strict=True)):
            fit = self.judged[number]
            row: dict[str, Any] = {"law": fit.model}
            row |= {"k": fit.subject} if self.what == "counts" else {}
            row |= {"cutoff": fit.split.at, "n_train": fit.n_train, "target": self.names[target]}
            row |= {
                name: known(getattr(table, name)[index])
                for name in ("decades_held_out", "observed")
            }
            row["how_observed"] = self.observed[int(fit.subject)].how[target]
            names = ["measured", "predicted", "lo", "hi", "relative_error"]
            row |= {name: known(getattr(table, name)[index]) for name in names}
            row |= (
                {"relative_error_pass": known(table.relative_error_pass[index])}
                if self.what == "counts"
                else {}
            )
            row["inside"] = bool(table.inside[index]) if table.has_interval[index] else None
            yield row | {"converged": fit.converged, "undetermined": " ".join(fit.undetermined)}

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
        row["coefficients"] = {
            name: law.estimate(name).as_dict("value", "lo", "hi") for name in law.coefficients
        }
        row |= {"scatter": known(law.scatter), "converged": fit.converged}
        return row | {
            "undetermined": list(fit.undetermined),
            "final": fit is self.final(fit.model, int(fit.subject)),
        }

    def as_dict(self, *, predictions: bool = True) -> dict[str, Any]:
        """Plain data: what was done, the summaries, every fit and, unless it is left out, every
        prediction.
        """
        apart = self.what == "counts"
        found = {
            name: getattr(self, name)
            for name in ("what", "source", "method", "axis", "level", "resamples")
        }
        found |= {
            "laws": list(self.laws),
            "k": [k for k in self.ks if k],
            "fits": len(self.judged),
            "planned": self.planned,
        }
        found |= {
            "interrupted": self.interrupted,
            "targets": {
                law: [self.names[g] for g in np.flatnonzero(each.targets)]
                for law, each in self.cutoffs.items()
            },
            "errors": self.errors(by_observation=apart),
            "errors_overall": self.errors(by_decades=False, by_observation=apart),
            "coverage": self.coverage(by_observation=apart),
            "coverage_by_decades": self.coverage(by_decades=True, by_observation=apart),
            "stability": self.stability(),
            "failures": self.failures(),
            "coefficients": self.coefficient_rows(),
        }
        return found | ({"predictions": list(self.rows())} if predictions else {})

    def to_json(self) -> str:
        """The plain data as JSON."""
        import json

        return json.dumps(self.as_dict(), indent=2)

    def to_csv(self) -> str:
        """The rows as CSV with a heading."""
        import csv
        import io

        rows = list(self.rows())
        text = io.StringIO()
        writer = csv.DictWriter(text, rows[0] if rows else ["law"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()

    def tables(self) -> tuple[Table, ...]:
        """Errors, coverage and stability."""
        from .tables import tables_of

        return tables_of(self)

    def to_frame(self) -> DataFrame:
        """A pandas frame, a row a prediction."""
        from pandas import DataFrame

        return DataFrame(self.rows())

    def __str__(self) -> str:
        from .tables import backtest_text

        return backtest_text(self)

    def __repr__(self) -> str:
        state = ", interrupted" if self.interrupted else ""
        return f"<Backtest of {', '.join(self.laws)} by {self.axis}: {len(self.judged)} of {self.planned} fits{state}>"


def known(value: float) -> float | None:
    """None for what is no finite number."""
    return float(value) if isfinite(value) else None
