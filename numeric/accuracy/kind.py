"""What every law of accuracy can do, whatever its form, and the fit of one to a benchmark's runs:
intervals of the law, intervals of a new run, errors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ..data.sample import SPREAD, one_ratio
from ..data.scale import accuracy, neg_log_accuracy
from ..fit.fitted import Joint
from ..fit.hold_out import errors
from ..results import Estimate, percentiles

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from numpy.typing import NDArray

    from ..data.sample import Points, Sample
    from ..fit.fitted import Fitted
    from ..fit.resample import Draws, Refits

    Floats = NDArray[np.float64]

__all__ = ["MARGIN", "Kind", "LawFit"]

#: By how much accuracy exceeds guessing in the runs that are fitted, as Krajewski et al. 2025 have
#: it (Section 4.1): closer to guessing runs scatter too much for their logarithm.
MARGIN = 0.05
#: Residuals that are drawn beside every refit, for a new run.
NEW_RUNS = 25
#: With fewer runs than so many beyond its coefficients a law passes nearly through them.
SPARE = 3
#: A share of the variance that is explained below which what is left is the larger part.
CHANGE = 0.5
#: Coefficients of the terms in params and in tokens.
OF_TERMS = ("A", "B", "beta", "gamma")
#: exp(-y) of this and beyond is 0 as a float.
SURELY_GUESSING = 1e3


class Kind(ABC):
    """A form of law of accuracy: a `isoflop.numeric.fit.models.Form` with a baseline.

    A subclass is a frozen dataclass. It says how the law is fitted, in parts that are each a
    `Fitted`, and how it is fitted again where guessing scores something else.

    Attributes
    ----------
    name : str
        As on the command line.
    formula : str
        Plain text, in the letters of `coefficients`.
    fitted_by : str
        What is minimised.
    coefficients : tuple of str
    requires : tuple of str
        Quantities of `Points` that a fit needs.
    asks : tuple of str
        Quantities that a prediction needs: as `requires`, but a two-stage law predicts without its
        proxy.
    margin : float or None
        Runs are fitted where accuracy exceeds guessing by more than this; None: all runs, also
        those at or below guessing.
    """

    if TYPE_CHECKING:

        @property
        def name(self) -> str: ...
        @property
        def formula(self) -> str: ...
        @property
        def fitted_by(self) -> str: ...
        @property
        def coefficients(self) -> tuple[str, ...]: ...
        @property
        def requires(self) -> tuple[str, ...]: ...
        @property
        def asks(self) -> tuple[str, ...]: ...
        @property
        def margin(self) -> float | None: ...

    @abstractmethod
    def fit(self, sample: Sample) -> LawFit:
        """The law closest to the runs, all of which are used; ValueError where they are too few."""

    @abstractmethod
    def refit(self, fit: LawFit, weights: Floats, baselines: Floats) -> Refits:
        """The fit repeated K times; see `LawFit.refit`."""

    @abstractmethod
    def accuracy(self, coefficients: Floats, at: Points, baselines: Floats) -> Floats:
        """Raw accuracy (K, m) of K laws (K, p), each with its accuracy of guessing (K,), at m
        points.
        """

    def undetermined(self, fit: LawFit) -> Iterable[str]:
        """Coefficients that the runs leave open."""
        return super(LawFit, fit).undetermined

    def reason(self, fit: LawFit) -> str:
        """What speaks against a fit, "" where it has converged."""
        return super(LawFit, fit).reason

    def remarks(self, fit: LawFit) -> Iterable[str]:
        """What a reader of the coefficients must know."""
        return [remark for part in fit.parts for remark in part.remarks]


@dataclass(frozen=True, kw_only=True, eq=False)
class LawFit(Joint):
    """A law and the runs that it was fitted to.

    Attributes
    ----------
    kind : Kind
    sample : Sample
        The runs of the fit: n.
    parts : tuple of Fitted
        What was fitted: the law itself, or its stages.
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
    parts: tuple[Fitted, ...]
    n_below: int = 0
    margin: float | None = None
    draws: Draws | None = None
    baselines: Floats = field(default_factory=lambda: np.empty(0))

    @property
    def name(self) -> str:
        """Of the law."""
        return self.kind.name

    @property
    def size(self) -> int:
        """Number of runs n."""
        return len(self.sample)

    @property
    def refitted(self) -> Floats:
        """(K, p): the coefficients refitted to resamples; K = 0 without resamples."""
        return np.empty((0, len(self.names))) if self.draws is None else self.draws.coefficients

    def refit(self, *, weights: Floats, baselines: Floats) -> Refits:
        """The fit repeated: weights (K, n) say how often each run is drawn, baselines (K,) what
        guessing scores. A run at or below its redrawn guessing accuracy counts as not drawn.
        """
        return self.kind.refit(self, weights, baselines)

    def estimates(self, level: float = 0.9) -> dict[str, Estimate]:
        """The coefficients with their percentile intervals over the resamples.

        An E of 0 has the limit of its profile for the upper end: refits that gather at 0 tell none.
        Without resamples, and where the runs leave a coefficient undetermined, there are no ends.
        """
        from .power import limit_at_zero

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
        lower, upper = self.at_limits(np.full(len(self.names), value))
        at = self.names.index(name)
        return "lower" if lower[at] else "upper" if upper[at] else None

    @property
    def one_ratio(self) -> tuple[float, float] | None:
        """The least and the largest D/N, for a law of params and tokens whose runs are at one
        ratio: see `sample.one_ratio`.
        """
        return one_ratio(self.sample.at) if {"params", "tokens"} <= {*self.kind.requires} else None

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the runs leave open: those of both terms where params and tokens cannot
        be told apart.
        """
        alike = (
            () if self.one_ratio is None else tuple(name for name in self.names if name in OF_TERMS)
        )
        return tuple(dict.fromkeys((*self.kind.undetermined(self), *alike)))

    @property
    def reason(self) -> str:
        """What speaks against the fit, by stage where there are two; "" where it has converged."""
        return self.kind.reason(self)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the coefficients must know, beside that."""
        return tuple(self.kind.remarks(self))

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
        n, p = len(self.sample), len(self.names)
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
        return np.asarray(self.kind.accuracy(self.values[None], at, guessing)[0])

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
        n, p = len(self.sample), len(self.names)
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


def _log_neg_log(values: Floats, baseline: Any) -> Floats:
    """log(-log Q'); infinite at guessing and at 1, where a law may be to rounding."""
    strictly = (values > baseline) & (values < 1.0)
    known = np.log(neg_log_accuracy(np.where(strictly, values, 0.5 * (1.0 + baseline)), baseline))
    return np.where(strictly, known, np.where(values < 1.0, np.inf, -np.inf))
