"""A law of accuracy as a declaration, and its fit to a benchmark's runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.runs import Runs
from ..data.sample import SPREAD, above_guessing, one_ratio
from ..data.scale import accuracy, neg_log_accuracy
from ..errors import whole_number
from ..fit.fit import fit_form
from ..fit.newton import best_of, follow, minimise
from ..fit.objective import Objective
from ..fit.resample import case_weights, refits_of, together
from ..results import Band, Estimate, coverage_factor, percentiles
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations
    from ..data.sample import Points, Sample
    from ..fit.fit import Fit
    from ..fit.resample import Draws, Refits
    from ..fit.solution import Solution
    from .baselines import Baseline

    Floats = NDArray[np.float64]

__all__ = [
    "MARGIN",
    "SQUARES",
    "Law",
    "LawFit",
    "Part",
    "as_runs",
    "fit_law",
    "refits_near",
    "resampled",
    "runs_of",
]

#: By how much accuracy exceeds guessing in the runs that are fitted, as Krajewski et al. 2025 have
#: it (Section 4.1): closer to guessing runs scatter too much for their logarithm.
MARGIN = 0.05
SQUARES = Objective(name="least-squares-log")
#: Residuals of log(-log Q') of this size are rounding.
ROUNDING = 1e-9
#: Refits in one batch, and residuals that are drawn beside every refit, for a new run.
BATCH, NEW_RUNS = 50, 25
#: Other minima that refits start from as well, the steps of a refit, where it ends as a share of the
#: objective, and what Newton may promise beyond, a small part of what the next resample changes.
MOST_OTHERS, AGAIN, ENOUGH, CLOSE = 2, 100, 1e-8, 1e-3
#: Coefficients of the terms in params and in tokens.
OF_TERMS = ("A", "B", "beta", "gamma")
#: exp(-y) of this and beyond is 0 as a float.
SURELY_GUESSING = 1e3


@dataclass(frozen=True, kw_only=True)
class Law:
    """A law of accuracy.

    Attributes
    ----------
    name : str
        As on the command line.
    expression : str
        Plain text, in the letters of `coefficients`.
    coefficients : tuple of str
    requires : tuple of str
        Quantities of `Points` that a fit needs.
    fitted : callable
        Sample -> what is fitted: the law itself or its stages, each a `Part`; ValueError where the
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
    expression: str
    coefficients: tuple[str, ...]
    requires: tuple[str, ...]
    fitted: Callable[[Sample], tuple[Part, ...]]
    values: Callable[[Floats, Points], Floats]
    is_neg_log: bool = True
    margin: float | None = MARGIN
    form: Any = None

    @property
    def asks(self) -> tuple[str, ...]:
        """Quantities that a prediction needs: a two-stage law predicts without its proxy."""
        return tuple(name for name in self.requires if name != "proxy")

    def fit(self, sample: Sample) -> LawFit:
        """The law closest to the runs, all of which are used; ValueError where they are too few."""
        for name in self.requires:
            sample.at.column(name)  # or the error that says which is not known
        try:
            parts = self.fitted(sample)
        except ValueError as error:
            raise ValueError(f"{sample.benchmark}: {error}") from None
        return LawFit(kind=self, sample=sample, parts=parts)

    def accuracy(self, coefficients: Floats, at: Points, baselines: Floats) -> Floats:
        """Raw accuracy (K, m) of K laws (K, p), each with its accuracy of guessing (K,), at m
        points; a law of Q is not kept between 0 and 1.
        """
        for name in self.asks:
            at.column(name)
        values = self.values(coefficients, at)
        return np.asarray(accuracy(values, baselines[:, None]) if self.is_neg_log else values)


@dataclass(frozen=True, eq=False, kw_only=True)
class Part:
    """A fit behind a law, of the law itself or of a stage: what it came to, and how it is repeated.

    Attributes
    ----------
    coefficients : dict
        By name.
    objective_value : float
    converged : bool
        Whether the point is certified to be a minimum.
    refit : callable
        Weights (K, n) that say how often each run is drawn -> `Refits`.
    undetermined : tuple of str
        Coefficients that the runs leave open.
    remarks : tuple of str
    """

    coefficients: Mapping[str, float]
    objective_value: float
    converged: bool
    refit: Callable[..., Refits]
    undetermined: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, fit: Fit) -> Part:
        """A fit of a form as a part."""
        return cls(
            coefficients=fit.coefficients,
            objective_value=fit.objective_value,
            converged=fit.converged,
            refit=fit.solution.refit,
            undetermined=fit.undetermined,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class LawFit:
    """A law and the runs that it was fitted to; its coefficients are those of its parts in turn.

    Attributes
    ----------
    kind : Law
    sample : Sample
        The n runs of the fit.
    parts : tuple of Part
        What was fitted: the law itself, or its stages.
    draws : Draws or None
        The law refitted to resamples of its runs.
    baselines : ndarray
        (K,): the accuracy of guessing with which each draw was refitted.
    """

    kind: Law
    sample: Sample
    parts: tuple[Part, ...]
    draws: Draws | None = None
    baselines: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def name(self) -> str:
        """Of the law."""
        return self.kind.name

    @property
    def coefficients(self) -> dict[str, float]:
        """By name."""
        return {name: value for part in self.parts for name, value in part.coefficients.items()}

    @property
    def values(self) -> Floats:
        """(p,): the coefficients."""
        return np.array(list(self.coefficients.values()))

    @property
    def refitted(self) -> Floats:
        """(K, p): the coefficients refitted to resamples; K = 0 without resamples."""
        return np.empty((0, len(self.values))) if self.draws is None else self.draws.coefficients

    @property
    def objective_value(self) -> float:
        """What was minimised for the last part, at the minimum."""
        return self.parts[-1].objective_value

    @property
    def converged(self) -> bool:
        """Whether every part is certified to be a minimum."""
        return all(part.converged for part in self.parts)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the runs leave open: those of both terms where params and tokens cannot
        be told apart.
        """
        is_open = {name for part in self.parts for name in part.undetermined}
        is_open |= {*OF_TERMS} if self._one_ratio else set()
        return tuple(name for name in self.coefficients if name in is_open)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the coefficients must know."""
        found = [remark for part in self.parts for remark in part.remarks]
        if self._one_ratio:
            low, high = self._one_ratio
            found.append(
                f"N and D cannot be told apart: the {len(self.sample)} fitted runs are within a "
                f"factor {SPREAD:g} of one D/N ({low:.3g} to {high:.3g})"
            )
        return tuple(found)

    @property
    def _one_ratio(self) -> tuple[float, float] | None:
        """The least and the largest D/N, for a law of params and tokens whose runs are at one."""
        return one_ratio(self.sample.at) if {"params", "tokens"} <= {*self.kind.requires} else None

    # -- how sure it is ----------------------------------------------------------------------------

    def refit(self, *, weights: Floats, baselines: Floats) -> Refits:
        """The fit repeated: weights (K, n) say how often each run is drawn, baselines (K,) what
        guessing scores. A run that is not above its redrawn guessing accuracy (of a law of Q: by
        more than the margin) counts as not drawn.
        """
        Q, guessing, of_neg_log = self.sample.accuracy, baselines[:, None], self.kind.is_neg_log
        above = above_guessing(Q, guessing, 0.0 if of_neg_log else self.kind.margin)
        weights = np.where(above, weights, 0.0)
        if not of_neg_log:
            return together(part.refit(weights=weights) for part in self.parts)
        observed = neg_log_accuracy(np.where(above, Q, 0.5 * (1.0 + guessing)), guessing)
        return self.parts[0].refit(weights=weights, observed=observed)

    def estimates(self, level: float = 0.9) -> dict[str, Estimate]:
        """The coefficients with their percentile intervals over the resamples.

        An E of 0 has the limit of its profile for the upper end: refits that gather at 0 tell none.
        Without resamples, and where the runs leave a coefficient undetermined, there are no ends.
        """
        found, is_open = dict[str, Estimate](), self.undetermined
        for drawn, (name, value) in zip(self.refitted.T, self.coefficients.items(), strict=True):
            draws = () if name in is_open else drawn
            found[name] = Estimate.of_draws(value, draws, level, undetermined=name in is_open)
        E, spare = found.get("E"), len(self.sample) > len(self.values)
        if E is not None and E.value == 0.0 and E.has_interval and self.kind.form and spare:
            found["E"] = replace(E, low=0.0, high=self._limit_at_zero(level), at_most=True)
        return found

    def _limit_at_zero(self, level: float) -> float:
        """The upper limit of an E that is 0: the largest with n log(S(E)/min S) at most the quantile
        of chi^2, S(E) the least sum of squares of log(-log Q') with that E.
        """
        from scipy.optimize import brentq

        runs, n, form = as_runs(self.sample), len(self.sample), self.kind.form
        best = fit_form(runs, form, SQUARES)
        rounding, allowed = 0.5 * n * ROUNDING**2, coverage_factor(level) ** 2

        def excess(E: float) -> float:
            """Above 0 where the runs exclude this E."""
            held = fit_form(runs, form, SQUARES, fixed={"E": E}).objective_value
            return float(
                n * np.log((held + rounding) / (best.objective_value + rounding)) - allowed
            )

        greatest = float(runs.loss.max())
        if excess(greatest) <= 0.0:
            return greatest
        return float(brentq(excess, best.coefficients["E"], greatest, rtol=1e-9))

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

        Residuals are of log(-log Q') where runs and law are strictly between guessing and 1 and the
        refitted laws do not leave these, else of Q; they are stretched by sqrt(n/(n - p)) for what
        p coefficients took from them. There are no ends without refits, or where there are no more
        runs than coefficients.
        """
        n, p, guess = len(self.sample), len(self.values), self.sample.baseline
        law = self.accuracy(at)
        if self.draws is None or len(self.draws) < 2 or n <= p:
            return Band(law, level=level)
        random = np.random.default_rng([self.draws.seed, 1])
        observed, own = self.sample.accuracy, self.accuracy(self.sample.at)
        laws, guessing = (
            self.kind.accuracy(self.refitted, at, self.baselines),
            self.baselines[:, None],
        )
        both = np.stack([observed, own])
        in_logs = bool(((both > guess) & (both < 1.0)).all())
        in_logs &= bool(((laws >= guessing) & (laws <= 1.0)).all())
        if in_logs:
            observed, own = (_log_neg_log(values, guess) for values in (observed, own))
            laws = _log_neg_log(laws, guessing)
        residuals = np.sqrt(n / (n - p)) * (observed - own)
        values = laws + random.choice(residuals, size=(NEW_RUNS, *laws.shape))
        if in_logs:
            values = accuracy(np.minimum(np.exp(values), SURELY_GUESSING), guessing)
        return Band(law, *percentiles(values.reshape(-1, len(at)), level), level)


def _log_neg_log(values: Floats, baseline: Any) -> Floats:
    """log(-log Q'); infinite at guessing and at 1, where a law may be to rounding."""
    strictly = (values > baseline) & (values < 1.0)
    known = np.log(neg_log_accuracy(np.where(strictly, values, 0.5 * (1.0 + baseline)), baseline))
    return np.where(strictly, known, np.where(values < 1.0, np.inf, -np.inf))


def as_runs(sample: Sample, loss: Floats | None = None, **extra: Floats) -> Runs:
    """The runs of a sample with -log Q', or another quantity, for their loss."""
    at = sample.at
    if loss is None:
        loss = np.asarray(neg_log_accuracy(sample.accuracy, sample.baseline))
    return Runs(
        params=at.params,
        tokens=at.tokens,
        compute=at.compute,
        loss=loss,
        row=np.arange(1, len(sample) + 1),
        metric="accuracy",
        random_baseline=sample.baseline,
        source=sample.benchmark,
        n_rows=len(sample),
        extra=extra,
    )


def refits_near(solution: Solution, weights: Floats) -> tuple[Floats, Any]:
    """The fit to resamples, weights (K, n), from where it ended and its other minima: parameters
    (K, p), and whether each counts. Few runs leave valleys in which Newton creeps, so that one counts
    where little more is promised.
    """
    many = solution.problem._replace(weights=weights)
    starts = solution.theta, *solution.minimum.others[:MOST_OTHERS]
    begun = [np.tile(start, (len(weights), 1)) for start in starts]
    # Once without the detour: at the weights of the fit itself that is where it ended.
    straight = minimise(many, begun[0], enough=ENOUGH, steps=AGAIN)
    ends = best_of([straight, *(follow(many, start) for start in begun)])
    return ends.theta, ends.done | (ends.decrement <= CLOSE * ends.value)


def runs_of(
    evaluations: Evaluations, benchmark: str, baseline: Baseline, needed: Sequence[str]
) -> Runs:
    """The runs of a benchmark that exceed guessing by the margin, with -log Q' for their loss, for
    everything that `isoflop.fit` does.

    Raises
    ------
    ValueError
        Where a needed quantity of the runs is not known.
    """
    sample = evaluations.sample(benchmark, baseline.value)
    least = MARGIN if baseline.margin is None else baseline.margin
    kept = above_guessing(sample.accuracy, sample.baseline, least)
    for name in needed:
        sample.at.column(name)
    low = f"{counted(int((~kept).sum()), 'run')} left out: at most {least:g} above guessing, or 1"
    warnings = (*evaluations.warnings, *(() if kept.all() else (low,)))
    return replace(as_runs(sample.subset(kept)), source=evaluations.source, warnings=warnings)


def fit_law(sample: Sample, kind: Law) -> LawFit:
    """The law fitted to the runs that exceed guessing by more than its margin.

    Raises
    ------
    ValueError
        Where the runs are too few.
    """
    train = sample.subset(above_guessing(sample.accuracy, sample.baseline, kind.margin))
    if not len(train):
        raise ValueError(
            f"{sample.benchmark}: no run exceeds guessing ({sample.baseline:g}) by more than "
            f"{kind.margin:g} and is below 1"
        )
    return kind.fit(train)


def resampled(fit: LawFit, baseline: Baseline, resamples: int, seed: int) -> LawFit:
    """The same with refits to resamples of its runs, each with its own accuracy of guessing.

    Runs are drawn; the pairs of a run and its k come and go together. The weights of the resamples
    depend on seed and number of runs alone, so that laws on the same runs are paired.
    """
    repeats = whole_number("resamples", resamples, 0)
    random = np.random.default_rng(whole_number("seed", seed, 0))
    runs = fit.sample.index if fit.sample.at.k is not None else None
    weights = case_weights(runs, len(fit.sample), repeats, random)
    baselines = baseline.draws(repeats, random)
    if not repeats:
        return fit
    batches = [slice(start, start + BATCH) for start in range(0, repeats, BATCH)]
    samples = ({"weights": weights[rows], "baselines": baselines[rows]} for rows in batches)
    draws = refits_of(fit.refit, samples, repeats, seed=seed)
    return replace(fit, draws=draws, baselines=baselines[draws.index])
