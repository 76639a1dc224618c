"""A law of accuracy as a declaration, and its fit to a benchmark's runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.columns import BUDGET
from ..data.runs import Runs
from ..data.sample import SPREAD, above_guessing, one_ratio
from ..data.scale import accuracy, neg_log_accuracy
from ..errors import whole_number
from ..fit.fit import fit_form
from ..fit.limit import SQUARES, profile_limit, squares_at
from ..fit.resample import case_weights, refits_of, together
from ..results import Band, Estimate, coverage_factor, percentiles
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations
    from ..data.sample import Points
    from ..fit.fit import Fit
    from ..fit.resample import Draws, Refits
    from .baselines import Baseline

    Floats = NDArray[np.float64]

__all__ = ["MARGIN", "Law", "LawFit", "Part", "fit_law", "resampled", "runs_of"]

#: By how much accuracy exceeds guessing in the runs that are fitted, as Krajewski et al. 2025 have
#: it (Section 4.1): closer to guessing runs scatter too much for their logarithm.
MARGIN = 0.05
#: Residuals that are drawn beside every refit, for a new run.
NEW_RUNS = 25
#: Coefficients of the terms in params and in tokens.
OF_TERMS = ("A", "B", "beta", "gamma")
#: exp(-y) is 0 as a float where log y is this or more.
LARGEST_LOG = 7.0


@dataclass(frozen=True, kw_only=True)
class Law:
    """A law of accuracy.

    Attributes
    ----------
    name : str
    coefficients, requires : tuple of str
        Of `Points` the quantities that a fit needs.
    fitted : callable
        Points -> what is fitted: the law itself or its stages, each a `Part`; ValueError where the
        runs are too few.
    values : callable
        Coefficients (K, p) and m points -> -log Q', or Q (K, m).
    is_neg_log : bool
        Whether the law is of -log of normalised accuracy Q' = (Q - Q_r)/(1 - Q_r), or of Q.
    margin : float or None
        Runs are fitted where accuracy exceeds guessing by more than this; None: all runs, also
        those at or below guessing.
    form : PowerTerms or None
        What `isoflop.numeric.fit` fits, where it fits -log Q' itself.
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

    def accuracy(self, coefficients: Floats, at: Points, baselines: Floats) -> Floats:
        """Raw accuracy (K, m) of K laws (K, p), each with its accuracy of guessing (K,), at m
        points; a law of Q is not kept between 0 and 1.
        """
        for name in self.asks:
            at.column(name)
        values = self.values(coefficients, at)
        return np.asarray(accuracy(values, baselines[:, None]) if self.is_neg_log else values)


class Part(NamedTuple):
    """A fit behind a law, of the law itself or of a stage. Where the law is written in other
    coefficients than it is fitted in, `written` takes rows (K, p) of these to those, of which
    `undetermined` are left open.
    """

    fit: Fit
    undetermined: tuple[str, ...]
    written: Callable[[Floats], Floats] = np.asarray
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, fit: Fit) -> Part:
        """A fit in the coefficients of the law."""
        return cls(fit, fit.undetermined)

    def refit(self, weights: Floats, observed: Floats | None) -> Refits:
        """The fit repeated; see `isoflop.numeric.fit.solution.Solution.refit`."""
        again = self.fit.solution.refit(weights=weights, observed=observed)
        return again._replace(coefficients=self.written(again.coefficients))


@dataclass(frozen=True, kw_only=True, eq=False)
class LawFit:
    """A law and the runs that it was fitted to.

    Attributes
    ----------
    kind : Law
    sample : Points
        The n runs of the fit.
    parts : tuple of Part
    undetermined, remarks : tuple of str
        Coefficients that the runs leave open; what a reader of them must know.
    draws : Draws or None
        The law refitted to resamples of its runs.
    baselines : ndarray
        (K,): the accuracy of guessing with which each draw was refitted.
    """

    kind: Law
    sample: Points
    parts: tuple[Part, ...]
    undetermined: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    draws: Draws | None = None
    baselines: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def name(self) -> str:
        """Of the law."""
        return self.kind.name

    @cached_property
    def values(self) -> Floats:
        """(p,): the coefficients, those of the parts in turn."""
        own = (part.written(part.fit.solution.values[None])[0] for part in self.parts)
        return np.concatenate([*own])

    @property
    def coefficients(self) -> dict[str, float]:
        """The same by name."""
        return dict(zip(self.kind.coefficients, self.values.tolist(), strict=True))

    @property
    def objective_value(self) -> float:
        """At the minimum; of a law of two stages that of the last."""
        return self.parts[-1].fit.objective_value

    @property
    def converged(self) -> bool:
        """Whether the point is certified to be a minimum."""
        return all(part.fit.converged for part in self.parts)

    @property
    def refitted(self) -> Floats:
        """(K, p): the coefficients refitted to resamples; K = 0 without resamples."""
        return np.empty((0, len(self.values))) if self.draws is None else self.draws.coefficients

    # -- how sure it is ----------------------------------------------------------------------------

    def refit(self, *, weights: Floats, baselines: Floats) -> Refits:
        """The fit repeated: weights (K, n) say how often each run is drawn, baselines (K,) what
        guessing scores. A run that is not above its redrawn guessing accuracy (of a law of Q: by
        more than the margin) counts as not drawn.
        """
        Q, guessing, of_neg_log = self.sample.accuracy, baselines[:, None], self.kind.is_neg_log
        above = above_guessing(Q, guessing, 0.0 if of_neg_log else self.kind.margin)
        weights, observed = np.where(above, weights, 0.0), None
        if of_neg_log:
            values = np.where(above, Q, 0.5 * (1.0 + guessing))
            observed = np.asarray(neg_log_accuracy(values, guessing))
        again = together(part.refit(weights, observed) for part in self.parts)
        least = max(len(part.fit.solution.theta) for part in self.parts)
        enough = (weights > 0.0).sum(axis=1) >= least
        if self.sample.k is not None:
            enough &= [is_plane(self.sample.subset(drawn > 0.0)) for drawn in weights]
        return again._replace(converged=again.converged & enough)

    def estimates(self, level: float = 0.9) -> dict[str, Estimate]:
        """The coefficients with their percentile intervals over the resamples.

        An E of 0 has the limit of its profile for the upper end: refits that gather at 0 tell none.
        Without resamples, and where the runs leave a coefficient undetermined, there are no ends.
        """
        found = {}
        for drawn, (name, value) in zip(self.refitted.T, self.coefficients.items(), strict=True):
            is_open = name in self.undetermined
            draws = () if is_open else drawn
            found[name] = Estimate.of_draws(value, draws, level, undetermined=is_open)
        E, spare = found.get("E"), len(self.sample) > len(self.values)
        if E is not None and E.value == 0.0 and E.has_interval and self.kind.form and spare:
            found["E"] = replace(E, low=0.0, high=self._limit_at_zero(level), at_most=True)
        return found

    def _limit_at_zero(self, level: float) -> float:
        """The upper limit of an E that is 0: the largest with n log(S(E)/min S) at most the quantile
        of chi^2, S(E) the least sum of squares of log(-log Q') with that E.
        """
        runs, form = as_runs(self.sample), self.kind.form
        best = fit_form(runs, form, SQUARES).solution
        return profile_limit(
            lambda E: squares_at(form, runs, E),
            float(best.values[0]),
            float(coverage_factor(level) ** 2),
            best.fitted,
        )

    # -- what it says ------------------------------------------------------------------------------

    def accuracy(self, at: Points) -> Floats:
        """Raw accuracy (m,) by the law."""
        guessing = np.array([self.sample.baseline])
        return np.asarray(self.kind.accuracy(self.values[None], at, guessing)[0])

    def band(self, at: Points, level: float) -> Band:
        """The law's accuracy (m,) with its percentiles over the refits."""
        drawn = self.kind.accuracy(self.refitted, at, self.baselines)
        return Band.of_draws(self.accuracy(at), drawn, level)

    def new_run(self, at: Points, level: float) -> Band:
        """The same with percentiles of the measured accuracy of a new run: refitted laws, each with
        the residual of some run.

        Residuals are of log(-log Q') for a law of -log Q', else of Q; they are stretched by
        sqrt(n/(n - p)) for what p coefficients took from them. There are no ends without refits, or
        where there are no more runs than coefficients.
        """
        n, p, law = len(self.sample), len(self.values), self.accuracy(at)
        if self.draws is None or len(self.draws) < 2 or n <= p:
            return Band(law, level=level)
        random = np.random.default_rng([self.draws.seed, 1])
        seen, in_logs = self.sample.accuracy, self.kind.is_neg_log
        own = self.kind.values(self.values[None], self.sample)[0]
        laws = self.kind.values(self.refitted, at)
        if in_logs:
            seen = neg_log_accuracy(seen, self.sample.baseline)
            with np.errstate(divide="ignore"):
                seen, own, laws = np.log(seen), np.log(own), np.log(laws)
        residuals = np.sqrt(n / (n - p)) * (seen - own)
        values = laws + random.choice(residuals, size=(NEW_RUNS, *laws.shape))
        if in_logs:
            y = np.exp(np.minimum(values, LARGEST_LOG))
            values = accuracy(y, self.baselines[:, None])
        return Band(law, *percentiles(values.reshape(-1, len(at)), level), level)


def is_plane(at: Points) -> bool:
    """Whether points are at two or more compute, and at two or more k."""
    return all(len(np.unique(values)) > 1 for values in (at.compute, at.k))


def as_runs(sample: Points, loss: Floats | None = None, **extra: Floats) -> Runs:
    """The runs of a sample with -log Q', or another quantity, for their loss."""
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
    """The runs of a benchmark that exceed guessing by the margin, with -log Q' for their loss, for
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
    """The law fitted to the runs that exceed guessing by more than its margin; ValueError where they
    are too few, or lack a quantity that the law needs.
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
    is_open = {name for part in parts for name in part.undetermined}
    remarks = [remark for part in parts for remark in part.remarks]
    ratio = one_ratio(train) if {"params", "tokens"} <= {*kind.requires} else None
    if ratio is not None:
        is_open |= {*OF_TERMS}
        remarks.append(
            f"N and D cannot be told apart: the {len(train)} fitted runs are within a factor "
            f"{SPREAD:g} of one D/N ({ratio[0]:.3g} to {ratio[1]:.3g})"
        )
    left = tuple(name for name in kind.coefficients if name in is_open)
    return LawFit(kind=kind, sample=train, parts=parts, undetermined=left, remarks=tuple(remarks))


def resampled(fit: LawFit, baseline: Baseline, resamples: int, seed: int) -> LawFit:
    """The same with refits to resamples of its runs, each with its own accuracy of guessing.

    Runs are drawn; the pairs of a run and its k come and go together. The weights of the resamples
    depend on seed and number of runs alone, so that laws on the same runs are paired.
    """
    repeats = whole_number("resamples", resamples, 0)
    random = np.random.default_rng(whole_number("seed", seed, 0))
    runs = fit.sample.index if fit.sample.k is not None else None
    weights = case_weights(runs, len(fit.sample), repeats, random)
    baselines = baseline.draws(repeats, random)
    if not repeats:
        return fit
    samples = [{"weights": weights, "baselines": baselines}]
    draws = refits_of(fit.refit, samples, repeats, seed=seed)
    return replace(fit, draws=draws, baselines=baselines[draws.index])
