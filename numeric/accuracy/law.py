"""A law of accuracy as a declaration, and its fit to a benchmark's runs: intervals of the law and of
a new run, and what speaks against it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.runs import Runs
from ..data.sample import SPREAD, above_guessing, one_ratio
from ..data.scale import accuracy, neg_log_accuracy
from ..errors import whole_number
from ..fit.fit import fit_form
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
    from .baselines import Baseline

    Floats = NDArray[np.float64]

__all__ = [
    "MARGIN",
    "NEG_LOG",
    "RAW",
    "SQUARES",
    "Law",
    "LawFit",
    "Part",
    "as_runs",
    "fit_law",
    "resampled",
    "runs_of",
]

#: What a law is of: -log of normalised accuracy Q' = (Q - Q_r)/(1 - Q_r), or raw accuracy.
NEG_LOG, RAW = "-log Q'", "Q"
#: By how much accuracy exceeds guessing in the runs that are fitted, as Krajewski et al. 2025 have
#: it (Section 4.1): closer to guessing runs scatter too much for their logarithm.
MARGIN = 0.05
NO_MINIMUM = "no certified minimum"
#: A coefficient this close to a limit of the search, relative to its size, is on it.
AT_LIMIT = 1e-6
SQUARES = Objective(name="least-squares-log")
#: Residuals of log(-log Q') of this size are rounding.
ROUNDING = 1e-9
#: Refits in one batch, and residuals that are drawn beside every refit, for a new run.
BATCH, NEW_RUNS = 50, 25
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
    requires, asks : tuple of str
        Quantities of `Points` that a fit needs, and those that a prediction needs: a two-stage law
        predicts without its proxy.
    response : {"-log Q'", "Q"}
        What the law is of.
    objective : str
        What is minimised.
    fitted : callable
        Sample -> what is fitted: the law itself or its stages, each a `Part`; ValueError where the
        runs are too few.
    values : callable
        Coefficients (K, p) and m points -> the response (K, m).
    margin : float or None
        Runs are fitted where accuracy exceeds guessing by more than this; None: all runs, also
        those at or below guessing.
    form : PowerTerms, Expression or None
        What `isoflop.numeric.fit` fits, where it fits the response itself.
    source : str
    """

    name: str
    expression: str
    coefficients: tuple[str, ...]
    requires: tuple[str, ...]
    asks: tuple[str, ...]
    response: str
    objective: str
    fitted: Callable[[Sample], tuple[Part, ...]]
    values: Callable[[Floats, Points], Floats]
    margin: float | None = MARGIN
    form: Any = None
    source: str = ""

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

    @property
    def is_neg_log(self) -> bool:
        """Whether it is of -log Q'."""
        return self.response == NEG_LOG


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
    limits : array_like
        (p, 2): the limits that the search sets to each coefficient, -inf and inf where it sets none
        that a value could be mistaken for.
    """

    coefficients: Mapping[str, float]
    objective_value: float
    converged: bool
    refit: Callable[..., Refits]
    undetermined: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    limits: Any = (-np.inf, np.inf)

    @classmethod
    def of(cls, fit: Fit) -> Part:
        """A fit of a form as a part."""
        return cls(
            coefficients=fit.coefficients,
            objective_value=fit.objective_value,
            converged=fit.converged,
            refit=fit.solution.refit,
            undetermined=fit.undetermined,
            limits=fit.solution.design.limits,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class LawFit:
    """A law and the runs that it was fitted to; its coefficients are those of its parts in turn.

    Attributes
    ----------
    kind : Law
    sample : Sample
        The runs of the fit: n.
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
    def size(self) -> int:
        """Number of runs n."""
        return len(self.sample)

    @property
    def coefficients(self) -> dict[str, float]:
        """By name, those of the first part first."""
        return {name: value for part in self.parts for name, value in part.coefficients.items()}

    @property
    def objective_value(self) -> float:
        """What was minimised for the last part, at the minimum."""
        return float(self.parts[-1].objective_value)

    @property
    def converged(self) -> bool:
        """Whether every part is certified to be a minimum."""
        return all(part.converged for part in self.parts)

    @property
    def limits(self) -> Floats:
        """(p, 2): those of the parts."""
        own = [np.broadcast_to(part.limits, (len(part.coefficients), 2)) for part in self.parts]
        return np.concatenate(own)

    def on_limit(self, coefficients: Floats) -> Any:
        """Which of the coefficients (K, p) lie at a limit of the search, (K, p)."""
        near = AT_LIMIT * np.abs(coefficients)
        low, high = self.limits.T
        return (coefficients <= low + near) | (coefficients >= high - near)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the p coefficients."""
        return tuple(self.coefficients)

    @property
    def values(self) -> Floats:
        """(p,): the coefficients."""
        return np.array(list(self.coefficients.values()))

    @property
    def refitted(self) -> Floats:
        """(K, p): the coefficients refitted to resamples; K = 0 without resamples."""
        return np.empty((0, len(self.names))) if self.draws is None else self.draws.coefficients

    def refit(self, *, weights: Floats, baselines: Floats) -> Refits:
        """The fit repeated: weights (K, n) say how often each run is drawn, baselines (K,) what
        guessing scores. A run that is not above its redrawn guessing accuracy (of a law of Q: by
        more than the margin) counts as not drawn.
        """
        Q, guessing = self.sample.accuracy, baselines[:, None]
        above = above_guessing(Q, guessing, 0.0 if self.kind.is_neg_log else self.kind.margin)
        weights = np.where(above, weights, 0.0)
        if not self.kind.is_neg_log:
            return together(part.refit(weights=weights) for part in self.parts)
        observed = neg_log_accuracy(np.where(above, Q, 0.5 * (1.0 + guessing)), guessing)
        return self.parts[0].refit(weights=weights, observed=observed)

    def estimates(self, level: float = 0.9) -> dict[str, Estimate]:
        """The coefficients with their percentile intervals over the resamples.

        An E of 0 has the limit of its profile for the upper end: refits that gather at 0 tell none.
        Without resamples, and where the runs leave a coefficient undetermined, there are no ends.
        """
        on_limit, found = self.on_limit(self.refitted), dict[str, Estimate]()
        for i, (name, value) in enumerate(self.coefficients.items()):
            if name in self.undetermined:
                found[name] = Estimate(value, undetermined=True, level=level)
                continue
            drawn, stopped = self.refitted[:, i], on_limit[:, i]
            found[name] = Estimate.of_draws(value, drawn, level, on_limit=stopped)
        E, spare = found.get("E"), self.size > len(self.names)
        if E is not None and E.value == 0.0 and E.has_interval and self.kind.form and spare:
            found["E"] = replace(E, low=0.0, high=self.limit_at_zero(level), at_most=True)
        return found

    def limit_at_zero(self, level: float) -> float:
        r"""The upper limit of an E that is 0: the largest one with

        .. math:: n \log \frac{S(E)}{\min_E S} \le \chi^2_{1, level},

        S(E) being the least sum of squares of log(-log Q') with that E.
        """
        from scipy.optimize import brentq

        runs = as_runs(self.sample)
        best = fit_form(runs, self.kind.form, SQUARES)
        rounding, allowed = 0.5 * self.size * ROUNDING**2, coverage_factor(level) ** 2

        def excess(E: float) -> float:
            """Above 0 where the runs exclude this E."""
            held = fit_form(runs, self.kind.form, SQUARES, fixed={"E": E})
            ratio = (held.objective_value + rounding) / (best.objective_value + rounding)
            return float(self.size * np.log(ratio)) - allowed

        greatest = float(runs.loss.max())
        if excess(greatest) <= 0.0:
            return greatest
        return float(brentq(excess, best.coefficients["E"], greatest, rtol=1e-9))

    # -- what speaks against it ----------------------------------------------------------------------

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
        own = [name for part in self.parts for name in part.undetermined]
        alike = [name for name in self.names if self.one_ratio and name in OF_TERMS]
        return tuple(dict.fromkeys((*own, *alike)))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the coefficients must know."""
        found = [remark for part in self.parts for remark in part.remarks]
        on_limit = zip(self.names, self.on_limit(self.values), strict=True)
        at_limit = [name for name, is_held in on_limit if is_held]
        found += [
            f"{name} = {self.coefficients[name]:g} is at a limit of the search" for name in at_limit
        ]
        if self.one_ratio is not None:
            low, high = self.one_ratio
            found.append(
                f"N and D cannot be told apart: the {self.size} fitted runs are within a factor "
                f"{SPREAD:g} of one D/N ({low:.3g} to {high:.3g})"
            )
        return tuple(found)

    # -- what it says --------------------------------------------------------------------------------

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

    def band(self, at: Points, level: float) -> Band:
        """The law's accuracy (m,) with its percentiles over the refits."""
        return Band.of_draws(self.accuracy(at), self.drawn(at), level)

    def new_run(self, at: Points, level: float) -> Band:
        """The same with percentiles of the measured accuracy of a new run: refitted laws, each with
        the residual of some run.

        Residuals are of log(-log Q') where runs and law are strictly between guessing and 1 and the
        refitted laws do not leave these, else of Q; they are stretched by sqrt(n/(n - p)) for what
        p coefficients took from them. There are no ends without refits, or where there are no more
        runs than coefficients.
        """
        n, p, guess = len(self.sample), len(self.names), self.sample.baseline
        law = self.accuracy(at)
        if self.draws is None or len(self.draws) < 2 or n <= p:
            return Band(law, level=level)
        random = np.random.default_rng([self.draws.seed, 1])
        observed, own, laws = self.sample.accuracy, self.accuracy(self.sample.at), self.drawn(at)
        guessing, both = self.baselines[:, None], np.stack([observed, own])
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


def as_runs(sample: Sample) -> Runs:
    """The runs of a sample with -log Q' for their loss."""
    return Runs(
        params=sample.at.params,
        tokens=sample.at.tokens,
        compute=sample.at.compute,
        loss=np.asarray(neg_log_accuracy(sample.accuracy, sample.baseline)),
        row=np.arange(1, len(sample) + 1),
        metric="accuracy",
        random_baseline=sample.baseline,
        source=sample.benchmark,
        n_rows=len(sample),
    )


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


def resampled(
    fit: LawFit, baseline: Baseline, resamples: int, seed: int, *, progress: bool = False
) -> LawFit:
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
    draws = refits_of(fit.refit, samples, repeats, seed=seed, progress=progress, what=fit.name)
    return replace(fit, draws=draws, baselines=baselines[draws.index])
