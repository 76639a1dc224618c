"""A law of accuracy as a declaration, and its fit to a benchmark's runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.columns import BUDGET
from ..data.runs import Runs
from ..data.sample import SPREAD, above_guessing, one_ratio
from ..data.scale import accuracy, neg_log_accuracy
from ..errors import whole_number
from ..fit.fit import fit_form
from ..fit.fitted import Fitted
from ..fit.resample import Draws, case_weights
from ..fit.uncertainty import SQUARES, profile_limit, squares_at
from ..results import Band, Estimate, coverage_factor, percentiles
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations
    from ..data.sample import Points
    from ..fit.fit import Fit
    from .baselines import Baseline

    Floats = NDArray[np.float64]

__all__ = ["MARGIN", "Law", "LawFit", "Part", "fit_law", "resampled", "runs_of"]

#: Accuracy exceeds guessing by more than this in the runs that are fitted, as in Krajewski et al.
#: 2025, Section 4.1: closer to guessing the logarithm scatters too much.
MARGIN = 0.05
#: Residuals drawn for every refit in the interval of a new run.
NEW_RUNS = 25
#: Coefficients of the terms in params and in tokens.
TERM_COEFFICIENTS = ("A", "B", "beta", "gamma")
#: exp(-y) is 0 as a float where log y is at least this.
LARGEST_LOG = 7.0


@dataclass(frozen=True, kw_only=True)
class Law:
    """A law of accuracy.

    Attributes
    ----------
    name : str
    coefficients, requires : tuple of str
        The names of the coefficients; the quantities of `Points` that a fit needs.
    fitted : callable
        Fits `Points`: the law itself or its stages, each a `Part`; ValueError where there are too
        few runs.
    values : callable
        -log Q', or Q, (K, m), from coefficients (K, p) and m points.
    is_neg_log : bool
        Whether the law is of -log of normalised accuracy Q' = (Q - Q_r)/(1 - Q_r), or of Q.
    margin : float or None
        Runs are fitted where accuracy exceeds guessing by more than this; None: all runs, also
        those at or below guessing.
    form : PowerTerms or None
        The form that `isoflop.numeric.fit` fits to -log Q', where there is one.
    """

    name: str
    coefficients: tuple[str, ...]
    requires: tuple[str, ...]
    fitted: Callable[[Points], tuple[Part, ...]]
    values: Callable[[Floats, Points], Floats]
    is_neg_log: bool = True
    margin: float | None = MARGIN
    form: Any = None

    @property
    def asks(self) -> tuple[str, ...]:
        """Quantities that a prediction needs: a two-stage law predicts without its proxy."""
        return tuple(name for name in self.requires if name != "proxy")

    def accuracy(self, coefficients: Floats, at: Points, baseline: float) -> Floats:
        """Raw accuracy (K, m) at m points by K laws (K, p), with the accuracy of guessing; a law of Q
        is not kept between 0 and 1.
        """
        for name in self.asks:
            at.column(name)
        values = self.values(coefficients, at)
        return np.asarray(accuracy(values, baseline) if self.is_neg_log else values)


class Part(NamedTuple):
    """A fit behind a law, of the law itself or of a stage. `written` takes the coefficients (K, p) of
    the fit to those of the law, of which `undetermined` are left open.
    """

    fit: Fit
    undetermined: tuple[str, ...]
    written: Callable[[Floats], Floats] = np.asarray

    @classmethod
    def of(cls, fit: Fit) -> Part:
        """A fit in the coefficients of the law."""
        return cls(fit, fit.undetermined)

    def refit(self, weights: Floats) -> Draws:
        """The fit repeated with weights (K, n), how often each run is drawn."""
        again = self.fit.solution.refit(weights=weights)
        return replace(again, rows=self.written(again.rows))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LawFit(Fitted):
    """A law fitted to runs on a benchmark; its solution is that of the last stage.

    Attributes
    ----------
    kind : Law
    sample : Points
        The n runs of the fit.
    parts : tuple of Part
    """

    kind: Law
    sample: Points
    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """The name of the law."""
        return self.kind.name

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        return self.kind.coefficients

    @cached_property
    def values(self) -> Floats:
        """The coefficients of the parts in turn, (p,)."""
        return np.concatenate([part.written(part.fit.values[None])[0] for part in self.parts])

    @property
    def converged(self) -> bool:
        """Whether the minimum of every part is certified."""
        return all(part.fit.converged for part in self.parts)

    @cached_property
    def _ratio(self) -> tuple[float, float] | None:
        """The range of D/N where it is too narrow to tell params from tokens."""
        return one_ratio(self.sample) if {"params", "tokens"} <= {*self.kind.requires} else None

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the runs leave open."""
        left = {name for part in self.parts for name in part.undetermined}
        left |= {*TERM_COEFFICIENTS} if self._ratio else set()
        return tuple(name for name in self.names if name in left)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences that a reader of the coefficients must know."""
        if self._ratio is None:
            return ()
        return (
            f"N and D cannot be told apart: the {len(self.sample)} fitted runs are within a "
            f"factor {SPREAD:g} of one D/N ({self._ratio[0]:.3g} to {self._ratio[1]:.3g})",
        )

    @property
    def refitted(self) -> Floats:
        """The coefficients refitted to K resamples, (K, p)."""
        return np.empty((0, len(self.names))) if self.draws is None else self.draws.coefficients

    # -- uncertainty -------------------------------------------------------------------------------

    @property
    def draws_on_limit(self) -> Any:
        """None: stages have no common limits."""
        return None

    def refit(self, weights: Floats) -> Draws:
        """The fit repeated with weights (K, n), how often each run is drawn."""
        parts = [part.refit(weights) for part in self.parts]
        least = max(len(part.fit.names) for part in self.parts)
        enough = (weights > 0.0).sum(axis=1) >= least
        if self.sample.k is not None:
            enough &= [is_plane(self.sample.subset(drawn > 0.0)) for drawn in weights]
        rows = np.concatenate([part.rows for part in parts], axis=1)
        return Draws(rows=rows, converged=np.all([enough, *(x.converged for x in parts)], axis=0))

    def _refined(self, name: str, found: Estimate, level: float) -> Estimate:
        """An E of 0 has the limit of its profile for the upper end, as refits gather at 0: the largest
        with n log(S(E)/min S) at most the quantile of chi^2, S(E) being the least sum of squares of
        log(-log Q') with that E.
        """
        form, spare = self.kind.form, len(self.sample) > len(self.names)
        if name != "E" or found.value != 0.0 or not form or not spare:
            return found
        runs = as_runs(self.sample)
        best = fit_form(runs, form, SQUARES).solution
        limit = profile_limit(
            lambda E: squares_at(form, runs, E),
            float(best.values[0]),
            float(coverage_factor(level) ** 2),
            best.fitted,
        )
        return replace(found, low=0.0, high=limit, at_most=True)

    # -- predictions -------------------------------------------------------------------------------

    def accuracy(self, at: Points) -> Floats:
        """Raw accuracy by the law, (m,)."""
        return np.asarray(self.kind.accuracy(self.values[None], at, self.sample.baseline)[0])

    def band(self, at: Points, level: float) -> Band:
        """The law's accuracy (m,) with its percentiles over the refits."""
        drawn = self.kind.accuracy(self.refitted, at, self.sample.baseline)
        return Band.of_draws(self.accuracy(at), drawn, level)

    def new_run(self, at: Points, level: float) -> Band:
        """The law's accuracy (m,) with percentiles of the measured accuracy of a new run: refitted
        laws, each with the residual of some run.

        Residuals are of log(-log Q') for a law of -log Q', else of Q; they are stretched by
        sqrt(n/(n - p)), as the fit of p coefficients makes them smaller. There are no ends without refits, or
        where there are no more runs than coefficients.
        """
        n, p, law = len(self.sample), len(self.values), self.accuracy(at)
        if self.draws is None or len(self.draws) < 2 or n <= p:
            return Band(law, level=level)
        random = np.random.default_rng([self.draws.seed, 1])
        seen, in_logs = self.sample.accuracy, self.kind.is_neg_log
        fitted = self.kind.values(self.values[None], self.sample)[0]
        laws = self.kind.values(self.refitted, at)
        if in_logs:
            seen = neg_log_accuracy(seen, self.sample.baseline)
            with np.errstate(divide="ignore"):
                seen, fitted, laws = np.log(seen), np.log(fitted), np.log(laws)
        residuals = np.sqrt(n / (n - p)) * (seen - fitted)
        values = laws + random.choice(residuals, size=(NEW_RUNS, *laws.shape))
        if in_logs:
            y = np.exp(np.minimum(values, LARGEST_LOG))
            values = accuracy(y, self.sample.baseline)
        return Band(law, *percentiles(values.reshape(-1, len(at)), level), level)


def is_plane(at: Points) -> bool:
    """Whether points are at two or more compute, and at two or more k."""
    return all(len(np.unique(values)) > 1 for values in (at.compute, at.k))


def as_runs(sample: Points, loss: Floats | None = None, **extra: Floats) -> Runs:
    """The points as runs whose loss is -log Q', or another quantity."""
    from pandas import DataFrame

    if loss is None:
        loss = np.asarray(neg_log_accuracy(sample.accuracy, sample.baseline))
    held = {x: v for x in BUDGET if (v := getattr(sample, x)) is not None}
    return Runs(
        frame=DataFrame({**extra, **held, "loss": loss}, index=range(1, len(sample) + 1)),
        metric="accuracy",
        random_baseline=sample.baseline,
        source=sample.benchmark,
        n_rows=len(sample),
    )


def runs_of(
    evaluations: Evaluations, benchmark: str, baseline: Baseline, needed: Sequence[str]
) -> Runs:
    """The runs that exceed guessing on a benchmark by the margin, with -log Q' for their loss, for
    everything that `isoflop.fit` does; ValueError where a needed quantity is not known.
    """
    sample = evaluations.sample(benchmark, baseline.value)
    least = MARGIN if baseline.margin is None else baseline.margin
    kept = above_guessing(sample.accuracy, sample.baseline, least)
    for name in needed:
        sample.column(name)
    low = f"{counted(int((~kept).sum()), 'run')} left out: at most {least:g} above guessing, or 1"
    warnings = (*evaluations.warnings, *(() if kept.all() else (low,)))
    return replace(as_runs(sample.subset(kept)), source=evaluations.source, warnings=warnings)


def fit_law(sample: Points, kind: Law) -> LawFit:
    """Fit a law to the runs that exceed guessing by more than its margin; ValueError where there are
    too few, or a quantity that the law needs is not known.
    """
    train = sample.subset(above_guessing(sample.accuracy, sample.baseline, kind.margin))
    if not len(train):
        raise ValueError(
            f"{sample.benchmark}: no run exceeds guessing ({sample.baseline:g}) by more than "
            f"{kind.margin:g} and is below 1"
        )
    for name in kind.requires:
        train.column(name)  # or the error that says which is not known
    try:
        parts = kind.fitted(train)
    except ValueError as error:
        raise ValueError(f"{sample.benchmark}: {error}") from None
    return LawFit(solution=parts[-1].fit.solution, kind=kind, sample=train, parts=parts)


def resampled(fit: LawFit, resamples: int, seed: int) -> LawFit:
    """The same fit with refits to resamples of its runs; the pairs of a run and its k come and go
    together. The weights of the resamples depend on seed and number of runs alone, so that laws on
    the same runs are paired.
    """
    repeats = whole_number("resamples", resamples, 0)
    random = np.random.default_rng(whole_number("seed", seed, 0))
    if not repeats:
        return fit
    runs = fit.sample.index if fit.sample.k is not None else None
    weights = case_weights(runs, len(fit.sample), repeats, random)
    return replace(fit, draws=replace(fit.refit(weights), requested=repeats, seed=seed))
