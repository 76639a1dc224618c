"""A law fitted to a benchmark's runs: resamples, intervals of the law, intervals of a new run,
errors.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.sample import SPREAD, above_guessing, one_ratio
from ..data.scale import accuracy, neg_log_accuracy
from ..errors import whole_number
from ..fit.fitted import Fitted
from ..fit.hold_out import errors
from ..fit.resample import Draws, case_weights, refits_of
from ..results import Estimate, percentiles
from .ceiling import limit_at_zero
from .power import MARGIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ..data.sample import Points, Sample
    from ..fit.resample import Refits
    from .baselines import Baseline
    from .kind import Found, Kind

    Floats = NDArray[np.float64]

__all__ = [
    "SAME",
    "LawFit",
    "errors",
    "fit_law",
    "outside_range",
    "predictions",
    "resampled",
    "simplest_of_least",
]

#: Errors of accuracy that differ by less than this are one.
SAME = 5e-5

#: Refits in one batch, after which a bar moves and an interrupt is heard.
BATCH = 50
#: Residuals that are drawn beside every refit, for a new run.
NEW_RUNS = 25
#: With fewer runs than so many beyond its coefficients a law passes nearly through them.
SPARE = 3
#: A share of the variance that is explained below which what is left is the larger part.
CHANGE = 0.5
#: Coefficients of the terms in params and in tokens.
OF_TERMS = ("A", "B", "beta", "gamma")
#: Beyond 0 and 1 by more than rounding.
ROUNDING = 1e-12
#: exp(-y) of this and beyond is 0 as a float.
SURELY_GUESSING = 1e3


@dataclass(frozen=True, kw_only=True, eq=False)
class LawFit(Fitted):
    """A law and the runs that it was fitted to.

    Attributes
    ----------
    kind : Kind
    sample : Sample
        The runs of the fit: n.
    found : Found
    n_below : int
        Runs that were not fitted: they exceed guessing by no more than the margin, or have accuracy
        1.
    margin : float or None
    draws : Draws or None
        The law refitted to resamples of its runs.
    baselines : ndarray
        (K,): the accuracy of guessing with which each draw was refitted.
    """

    kind: Kind
    sample: Sample
    found: Found
    n_below: int
    margin: float | None
    draws: Draws | None = None
    baselines: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def name(self) -> str:
        """Of the law."""
        return self.kind.name

    @property
    def coefficients(self) -> dict[str, float]:
        """By name."""
        return dict(zip(self.kind.coefficients, self.found.coefficients.tolist(), strict=True))

    @property
    def size(self) -> int:
        """Number of runs n."""
        return len(self.sample)

    @property
    def objective_value(self) -> float:
        """What was minimised, at the minimum."""
        return self.found.value

    @property
    def converged(self) -> bool:
        """Whether the point is certified to be a minimum."""
        return bool(self.found.converged)

    @property
    def refitted(self) -> Floats:
        """(K, p): the coefficients refitted to resamples; K = 0 without resamples."""
        return np.empty((0, len(self.names))) if self.draws is None else self.draws.coefficients

    def refit(self, *, weights: Floats, baselines: Floats) -> Refits:
        """The fit repeated: weights (K, n) say how often each run is drawn, baselines (K,) what
        guessing scores.
        """
        return self.kind.refit(self.sample, self.found, weights, baselines)

    def on_limit(self, coefficients: Floats) -> NDArray[np.bool_]:
        """Which of the coefficients (K, p) lie at a limit of the search."""
        return np.logical_or(*self.found.at_limits(coefficients))

    def estimates(self, level: float = 0.9) -> dict[str, Estimate]:
        """The coefficients with their percentile intervals over the resamples.

        An E of 0 has the limit of its profile for the upper end: refits that gather at 0 tell none.
        Without resamples, and where the runs leave a coefficient undetermined, there are no ends.
        """
        zero = limit_at_zero(self, level) if len(self.refitted) > 1 else None
        estimates = {}
        for (name, value), draws in zip(self.coefficients.items(), self.refitted.T, strict=True):
            loose = name in self.undetermined
            estimate = Estimate.of_draws(value, () if loose else draws, level, undetermined=loose)
            if name == "E" and zero is not None and not loose:
                estimate = replace(estimate, low=0.0, high=zero, at_most=True)
            at_limit = tuple(
                part
                for part in ("value", "low", "high")
                if self.limit_of(name, getattr(estimate, part)) is not None
            )
            estimates[name] = replace(estimate, at_limit=at_limit)
        return estimates

    def limit_of(self, name: str, value: float | None) -> str | None:
        """Which limit of the search a coefficient lies at: "lower", "upper" or None."""
        if value is None:
            return None
        lower, upper = self.found.at_limits(np.full(len(self.names), value))
        at = self.names.index(name)
        return "lower" if lower[at] else "upper" if upper[at] else None

    @property
    def one_ratio(self) -> tuple[float, float] | None:
        """The least and the largest D/N, for a law of params and tokens whose runs are at one
        ratio: see `sample.one_ratio`.
        """
        return one_ratio(self.sample.at) if {"params", "tokens"} <= {*self.kind.needs} else None

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the runs leave open: those of both terms where params and tokens cannot
        be told apart.
        """
        alike = (
            ()
            if self.one_ratio is None
            else tuple(name for name in self.kind.coefficients if name in OF_TERMS)
        )
        return tuple(dict.fromkeys((*self.found.undetermined, *alike)))

    @property
    def alike(self) -> str:
        """That params and tokens cannot be told apart; "" where they can, or the law is of
        something else.
        """
        if self.one_ratio is None:
            return ""
        low, high = self.one_ratio
        return (
            f"N and D cannot be told apart: the {len(self.sample)} fitted runs are within a factor "
            f"{SPREAD:g} of one D/N "
            f"({low:.3g} to {high:.3g})"
        )

    @property
    def weak(self) -> str:
        """Why the runs tell too little for this law to be preferred to another; "" where they do
        not.

        Runs hardly outnumber coefficients; or accuracies reach no further beyond the margin than it
        (or the usual one) is wide, so that noise decides which runs are fitted; or they scatter
        about the law by as much as they change.
        """
        n, p = len(self.sample), len(self.found.coefficients)
        if n < p + SPARE:
            return f"{n} runs for {p} coefficients"
        reach = float(self.sample.accuracy.max()) - self.sample.baseline
        if self.margin and reach - self.margin <= min(self.margin, MARGIN):
            return f"the fitted accuracies reach {reach:.3g} above guessing, those within {self.margin:g} of it are left out"
        R2 = errors(self.accuracy(self.sample.at), self.sample.accuracy)["r2"]
        if R2 is not None and R2 < CHANGE:
            return (
                f"the fitted accuracies scatter about the law as much as they change (R2 {R2:.2f})"
            )
        return ""

    def accuracy(self, at: Points) -> Floats:
        """Raw accuracy (m,) by the law."""
        guessing = np.array([self.sample.baseline])
        return np.asarray(self.kind.accuracy(self.found.coefficients[None], at, guessing)[0])

    def predict(self, rows: Sample) -> Floats:
        """Raw accuracy (m,) at runs."""
        return self.accuracy(rows.at)

    def drawn(self, at: Points) -> Floats:
        """Raw accuracy (K, m) by the refitted laws."""
        return np.asarray(self.kind.accuracy(self.refitted, at, self.baselines))

    def interval(self, at: Points, level: float) -> Floats | None:
        """Percentiles (m, 2) of the law's accuracy; None without refits."""
        return np.stack(percentiles(self.drawn(at), level), 1) if len(self.refitted) > 1 else None

    def new_run(self, at: Points, level: float) -> Floats | None:
        """Percentiles (m, 2) of the measured accuracy of a new run: refitted laws, each with the
        residual of some run.

        Residuals are of log(-log Q') where runs and law are strictly between guessing and 1 and the
        refitted laws do not leave these, else of Q; they are stretched by sqrt(n/(n - p)) for what
        p coefficients took from them. None without refits, or where there are no more runs than
        coefficients.
        """
        n, p = len(self.sample), len(self.found.coefficients)
        if self.draws is None or len(self.draws) < 2 or n <= p:
            return None
        random = np.random.default_rng([self.draws.seed, 1])
        laws, own = self.drawn(at), self.accuracy(self.sample.at)
        guessing, guess = self.baselines[:, None], self.sample.baseline
        clear = all(
            ((values > guess) & (values < 1.0)).all() for values in (own, self.sample.accuracy)
        )
        inside = clear and bool(((laws >= guessing) & (laws <= 1.0)).all())
        stretch = np.sqrt(n / (n - p))
        if inside:
            residuals = stretch * (
                _log_neg_log(self.sample.accuracy, guess) - _log_neg_log(own, guess)
            )
            around = _log_neg_log(laws, guessing)
        else:
            residuals, around = stretch * (self.sample.accuracy - own), laws
        values = around + random.choice(residuals, size=(NEW_RUNS, len(laws), len(at)))
        if inside:
            values = accuracy(np.minimum(np.exp(values), SURELY_GUESSING), guessing)
        return np.stack(percentiles(values.reshape(-1, len(at)), level), axis=1)


def fit_law(sample: Sample, kind: Kind) -> LawFit:
    """The law fitted to the runs that exceed guessing by more than its margin.

    Raises
    ------
    ValueError
        Where the runs are too few.
    """
    least = kind.margin
    train = sample.subset(above_guessing(sample.accuracy, sample.baseline, least))
    if not len(train):
        raise ValueError(
            f"{sample.benchmark}: no run exceeds guessing ({sample.baseline:g}) by more than "
            f"{least:g} and is below 1"
        )
    return LawFit(
        kind=kind,
        sample=train,
        found=kind.fit(train),
        n_below=len(sample) - len(train),
        margin=least,
    )


def resampled(
    fit: LawFit, baseline: Baseline, resamples: int, seed: int, *, progress: bool = False
) -> LawFit:
    """The same with refits to resamples of its runs, each with its own accuracy of guessing.

    Runs are drawn; the pairs of a run and its k come and go together. The weights of the resamples
    depend on seed and number of runs alone, so that laws on the same runs are paired.
    """
    repeats = whole_number("resamples", resamples, 0)
    random = np.random.default_rng(whole_number("seed", seed, 0))
    weights = case_weights(
        fit.sample.index if fit.sample.at.k is not None else None, len(fit.sample), repeats, random
    )
    baselines = baseline.draws(repeats, random)
    if not repeats:
        return fit
    batches = [slice(start, start + BATCH) for start in range(0, repeats, BATCH)]
    samples = ({"weights": weights[rows], "baselines": baselines[rows]} for rows in batches)
    try:
        draws = refits_of(fit, samples, repeats, seed=seed, progress=progress, what=fit.name)
    except KeyboardInterrupt:
        nothing, index = np.empty((0, len(fit.names))), np.empty(0, dtype=np.intp)
        draws = Draws(fit, nothing, index, repeats, failed=0, interrupted=True, seed=seed)
    return replace(fit, draws=draws, baselines=baselines[draws.index])


def predictions(
    fit: LawFit, runs: Sample, names: Sequence[str], level: float
) -> list[dict[str, Any]]:
    """What a law says of runs beside what they measured, a record a run; `names`: of all runs of
    the evaluations.

    `low` and `high` are the ends of the interval of a new run, None without refits.
    """
    if not len(runs):
        return []
    law, ends = fit.accuracy(runs.at), fit.new_run(runs.at, level)
    known = [
        part for part in ("compute", "params", "tokens", "k") if getattr(runs.at, part) is not None
    ]
    return [
        {"run": names[int(runs.index[i])] if names and runs.index is not None else None}
        | {part: float(getattr(runs.at, part)[i]) for part in known}
        | {"accuracy": float(runs.accuracy[i]), "predicted": float(law[i])}
        | {
            name: None if ends is None else float(ends[i, place])
            for place, name in enumerate(("low", "high"))
        }
        for i in range(len(runs))
    ]


def _log_neg_log(values: Floats, baseline: Any) -> Floats:
    """log(-log Q'); infinite at guessing and at 1, where a law may be to rounding."""
    strictly = (values > baseline) & (values < 1.0)
    known = np.log(neg_log_accuracy(np.where(strictly, values, 0.5 * (1.0 + baseline)), baseline))
    return np.where(strictly, known, np.where(values < 1.0, np.inf, -np.inf))


def outside_range(accuracies: Floats) -> int:
    """How many of these are no accuracy: below 0 or above 1."""
    return int(np.count_nonzero((accuracies < -ROUNDING) | (accuracies > 1.0 + ROUNDING)))


def simplest_of_least(errors: Mapping[str, float], width: Mapping[str, int]) -> str:
    """The law with the least error of accuracy; of laws within 5e-5 of it the one with the fewest
    coefficients.
    """
    least = min(errors.values())
    return min(
        (law for law in errors if errors[law] < least + SAME),
        key=lambda law: (width[law], errors[law]),
    )
