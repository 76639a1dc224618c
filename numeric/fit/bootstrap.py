"""Refits to resampled runs, many at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .._parallel import in_order
from .._progress import progress_bar
from ..errors import ArgumentError, process_count, whole_number
from .intervals import Interval, checked_level
from .models import Design, in_coordinates
from .newton import Problems, minimise
from .objective import Clip
from .path import follow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from .derived import Quantity
    from .result import Fit

    Floats = NDArray[np.float64]

KINDS = ("cases", "groups", "residuals")
#: Resamples in one batch; each has its own random numbers, so that the draws do not depend on how batches are run.
BATCH = 100
#: Other minima of the fit from which every refit starts as well.
MOST_OTHERS = 2
#: Noise that the runs of a group share shows in the scatter of groups alone: fewer than the first cannot tell it (two groups have
#: three resamples, three have ten), fewer than the second tell it roughly.
LEAST_GROUPS, FEW_GROUPS = 4, 10
#: Fewer draws have no standard error and no percentiles.
LEAST_DRAWS = 2
#: The standard deviation of normal draws is the distance of these quantiles over that width; where it is so many times as
#: large, a few draws make it.
CENTRAL, NORMAL_WIDTH, HEAVY = (0.05, 0.95), 3.2897072539, 2.0


@dataclass(frozen=True)
class Refits:
    """Refitted coefficients (K, p), objectives (K,) and whether each minimum is certified (K,)."""

    theta: Floats
    coefficients: Floats
    values: Floats
    converged: NDArray[np.bool_]


def refit(fit: Fit, weights: Floats | None = None, observed: Floats | None = None) -> Refits:
    """The fit repeated with other weights, or to other observed values.

    Parameters
    ----------
    fit : Fit
        Of a params+tokens or a compute law.
    weights : ndarray of shape (K, n), optional
        How often each run is drawn; times the runs' own weights.
    observed : ndarray of shape (K, n), optional

    Returns
    -------
    Refits
        With the columns of `fit.coefficients`. All are refitted at once from the fit and its other minima. A refit that ends
        there at no certified minimum is made once more by itself, as the fit was. Together, those by a sharp objective are left
        smooth over a small share of the median residual; of a named law each is then followed to its sharp minimum.
    """
    own = fit.runs.weight
    if weights is None:
        drawn = own
        count = len(np.atleast_2d(observed))  # type: ignore[arg-type]
    else:
        drawn = np.asarray(weights, dtype=np.float64)
        drawn = drawn if own is None else drawn * own
        count = len(drawn)
    values = np.asarray(fit.runs.loss if observed is None else observed, dtype=np.float64)
    problems = Problems.of(fit.design.model, values, drawn, fit.objective)
    ends = [
        follow(problems, fit.objective, np.repeat(start[None], count, axis=0), fit.design.lower, fit.design.upper)
        for start in _starts(fit)
    ]
    best, each = np.argmin([end.value for end in ends], axis=0), np.arange(count)
    theta, value, done = (np.stack(parts)[best, each] for parts in zip(*((e.theta, e.value, e.done) for e in ends), strict=True))
    exact = fit.objective.is_sharp and isinstance(fit.design, Design)
    for index in range(count) if exact else np.flatnonzero(~done):
        own = drawn if drawn is None or drawn.ndim == 1 else drawn[index]
        end = _alone(fit, values if values.ndim == 1 else values[index], own, theta[index])
        if end is not None and (end.converged or end.value < value[index]):
            theta[index], value[index], done[index] = end.theta, end.value, end.converged
    return Refits(theta, fit.design.coefficients(theta), value, done)


def _alone(fit: Fit, observed: Floats, weights: Floats | None, near: Floats) -> Any:
    """Where the solver of the fit itself ends for one resample; None where it finds no law.

    By a sharp objective next to the smooth minimum at hand, if that is certified.
    """
    from .general import solve as solve_general
    from .nonsmooth import sharpen
    from .solver import Solution, solve

    drawn = np.arange(len(observed)) if weights is None else np.flatnonzero(weights)
    observed, weights = observed[drawn], None if weights is None else weights[drawn]
    design = fit.design
    part: Any = design.model.part(drawn)
    try:
        if isinstance(design, Design):
            if fit.objective.is_sharp:
                problem = Problems.of(part, observed, weights, fit.objective)
                end = sharpen(problem, fit.objective, near, design.lower, design.upper)
                if end.certified:
                    return Solution(end.theta, end.value, True, end.subgradient, 1, 1, near[None][:0])
            return solve(replace(design, model=part), observed, weights, fit.objective)
        names = [name for name in fit.model.coefficients if name not in design.given]
        ends = zip(fit.model.coefficients, design.lower, design.upper, strict=True)
        return solve_general(
            part,
            observed,
            weights,
            fit.objective,
            bounds={name: (float(low), float(high)) for name, low, high in ends if name in names},
            fixed=design.given,
            starts=[{name: fit.coefficients[name] for name in names}],
        )
    except ValueError:
        return None


def _starts(fit: Fit) -> list[Floats]:
    """The fit, its other minima, and the least squares fit: where a resample draws outliers often, its minimum is near that."""
    found = [fit.theta, *fit.solution.others[:MOST_OTHERS]]
    if not fit.objective.is_square:
        problems = Problems.of(fit.design.model, np.asarray(fit.runs.loss), fit.runs.weight, fit.objective)
        squares = problems.with_clip(Clip(2.0, -np.inf, np.inf))
        found.append(minimise(squares, fit.theta[None], fit.design.lower, fit.design.upper).theta[0])
    return found


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Coefficients refitted to resamples.

    Attributes
    ----------
    fit : Fit
    kind : {"cases", "groups", "residuals"}
    seed : int
    requested : int
        How many resamples were asked for.
    draws : ndarray
        (K, p): the coefficients of the resamples whose fit is certified, in the order of `fit.coefficients`.
    failed : int
        How many refits were not certified and are left out.
    interrupted : bool
        Whether it was stopped before all resamples were done.
    """

    fit: Fit
    kind: str
    seed: int
    requested: int
    draws: Floats
    failed: int
    interrupted: bool

    def __len__(self) -> int:
        return len(self.draws)

    @cached_property
    def columns(self) -> dict[str, Floats]:
        """The draws of every coefficient by name."""
        return dict(zip(self.fit.model.coefficients, self.draws.T, strict=True))

    @property
    def standard_errors(self) -> dict[str, float | None]:
        """Standard deviation of the draws, by coefficient; None where a few draws make it. Of at least two draws."""
        self._several()
        return {name: standard_error(column) for name, column in self.columns.items()}

    def intervals(self, level: float = 0.9) -> dict[str, tuple[float, float]]:
        """Percentile intervals by coefficient."""
        return {name: percentile(column, level) for name, column in self.columns.items()}

    def derived(self, *, compute: float | None = None, ratio: float | None = None, level: float = 0.9) -> dict[str, Interval]:
        """What follows from a params+tokens fit, by name, with percentile intervals; the names are those of `Fit.derived`."""
        from .derived import default_quantities

        law, found = self.fit.law, {}
        for quantity in default_quantities(compute, ratio):
            low, high = percentile(self.quantity(quantity), level)
            found[quantity.name] = Interval(
                name=quantity.name, value=quantity.value(law), low=low, high=high, level=level, kind="bootstrap"
            )
        return found

    def __repr__(self) -> str:
        state = ", interrupted" if self.interrupted else ""
        return f"<Bootstrap of {len(self)} fits by {self.kind}, seed {self.seed}, {self.failed} left out{state}>"

    def quantity(self, quantity: Quantity) -> Floats:
        """The draws (K,) of a derived quantity (of `isoflop.numeric.fit.derived`); inf where one exceeds the largest float."""
        given: dict[str, Any] = {"E": np.zeros(len(self.draws)), **self.columns}
        try:
            return np.asarray(quantity.values(**given))
        except ValueError:
            each = ({name: column[index : index + 1] for name, column in given.items()} for index in range(len(self.draws)))
            return np.array([_or_infinite(quantity, one) for one in each])

    @cached_property
    def at_limit(self) -> dict[str, float]:
        """The share of resamples in which a coefficient ran to a limit of the search, of those for which that happened."""
        design = self.fit.design
        if not isinstance(design, Design):
            return {}
        theta = np.linalg.solve(design.to_coordinates, in_coordinates(self.fit.model, self.draws).T).T
        runaway = [design.runaway(row) for row in theta]
        shares = {name: float(np.mean([name in each for each in runaway])) for name in self.fit.model.coefficients}
        return {name: share for name, share in shares.items() if share}

    def covariance(self) -> Floats:
        """Covariance (p, p) of the coordinates: logarithms of the prefactors, the rest as it is."""
        self._several()
        return np.cov(in_coordinates(self.fit.model, self.draws), rowvar=False)

    def _several(self) -> None:
        if len(self) < LEAST_DRAWS:
            raise ValueError(f"bootstrap: has {len(self)} draw; must have at least {LEAST_DRAWS} for a standard error")


def percentile(draws: Floats, level: float) -> tuple[float, float]:
    """The central interval that holds a share `level` of the draws; an end is inf where as many of them are."""
    level = checked_level(level)
    shares = [(1.0 - level) / 2.0, (1.0 + level) / 2.0]
    if np.isfinite(draws).all():
        low, high = np.quantile(draws, shares)
    else:  # between a number and infinity there is nothing to interpolate
        (low, _), (_, high) = (np.quantile(draws, shares, method=method) for method in ("lower", "higher"))
    return float(low), float(high)


def standard_error(draws: Floats) -> float | None:
    """The standard deviation of the draws; None where a few of them make it, so that it tells nothing."""
    if not np.isfinite(draws).all():
        return None
    largest = float(np.abs(draws).max())
    if largest == 0.0:
        return 0.0
    spread = largest * float(np.std(draws / largest, ddof=1))
    low, high = np.quantile(draws, CENTRAL)
    return spread if spread <= HEAVY * float(high - low) / NORMAL_WIDTH else None


def _or_infinite(quantity: Quantity, given: dict[str, Any]) -> float:
    try:
        return float(quantity.values(**given)[0])
    except ValueError as error:
        if "exceeds the largest float" not in str(error):
            raise
        return float("inf")


def bootstrap(
    fit: Fit, repeats: int = 1000, *, seed: int = 0, kind: str = "auto", progress: bool = False, jobs: int = 1
) -> Bootstrap:
    """Resample the runs, refit, repeat.

    Parameters
    ----------
    fit : Fit
    repeats : int
        How many resamples.
    seed : int
        The draws are the same for every number of jobs.
    kind : {"auto", "cases", "groups", "residuals"}
        "cases" draws runs, "groups" whole groups of runs (the column group), "residuals" keeps the design and draws
        residuals, centred and inflated by sqrt(n/(n - p)). "auto": groups where the runs have them, else cases.
    progress : bool
        Show a bar on the standard error.
    jobs : int
        Processes; more than one needs joblib, whose backends (loky, dask, ray) then run the batches.

    Returns
    -------
    Bootstrap
        Of the resamples that were done where it is interrupted by Ctrl-C.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or the fit leaves coefficients undetermined: its resamples would tell about the
        search, not about the runs.
    """
    repeats, seed, jobs = whole_number("repeats", repeats, 1), whole_number("seed", seed, 0), process_count(jobs)
    if fit.undetermined:
        raise ValueError(f"bootstrap: the runs leave {', '.join(fit.undetermined)} undetermined (see the fit's identifiability)")
    chosen = ("cases" if fit.runs.group is None else "groups") if kind == "auto" else kind
    if chosen not in KINDS:
        raise ArgumentError("kind", kind, f"auto or one of {', '.join(KINDS)}")
    if chosen == "groups":
        if fit.runs.group is None:
            raise ArgumentError("kind", "groups", complaint="the runs have no column group")
        if len(np.unique(fit.runs.group.astype(str))) < LEAST_GROUPS:
            complaint = f"resampling whole groups needs at least {LEAST_GROUPS} of them"
            cure = "cases (--resample cases) are single runs, drawn as if they were independent"
            raise ArgumentError("kind", "groups", complaint=f"{complaint}; {cure}")
    sizes = [min(BATCH, repeats - first) for first in range(0, repeats, BATCH)]
    seeds = (np.random.SeedSequence(seed, spawn_key=(index,)) for index in range(len(sizes)))
    done: list[Refits] = []
    interrupted = False
    bar = progress_bar(repeats, progress, what="bootstrap", unit="fit")
    try:
        for found in _run(fit, chosen, sizes, seeds, jobs):
            done.append(found)
            bar.update(len(found.values))
    except KeyboardInterrupt:
        if not done:
            raise
        interrupted = True
    finally:
        bar.close()
    draws = np.concatenate([found.coefficients[found.converged] for found in done])
    failed = sum(int((~found.converged).sum()) for found in done)
    if not len(draws):
        raise ValueError(f"bootstrap: none of {failed} refits reached a minimum; the runs do not determine the law")
    return Bootstrap(fit, chosen, seed, repeats, draws, failed, interrupted)


def _run(fit: Fit, kind: str, sizes: list[int], seeds: Iterable[np.random.SeedSequence], jobs: int) -> Iterator[Refits]:
    """The batches in order, as they are done."""
    return in_order(batch, ((fit, kind, size, seed) for size, seed in zip(sizes, seeds, strict=True)), jobs)


def batch(fit: Fit, kind: str, size: int, seed: np.random.SeedSequence) -> Refits:
    """Refits to `size` resamples."""
    random = np.random.default_rng(seed)
    if kind == "residuals":
        return refit(fit, observed=resampled_values(fit, size, random))
    return refit(fit, weights=counts(fit.runs.group if kind == "groups" else None, len(fit.runs), size, random))


def counts(group: Any, runs: int, size: int, random: np.random.Generator) -> Floats:
    """How often each of the runs is drawn, (size, runs): runs one by one, or whole groups."""
    if group is None:
        return random.multinomial(runs, np.full(runs, 1.0 / runs), size=size).astype(np.float64)
    names, member = np.unique(group.astype(str), return_inverse=True)
    drawn = random.multinomial(len(names), np.full(len(names), 1.0 / len(names)), size=size)
    return drawn[:, member].astype(np.float64)


def resampled_values(fit: Fit, size: int, random: np.random.Generator) -> Floats:
    """Observed values (size, n) with residuals drawn from the fit's own."""
    errors = -fit.residuals
    spare = len(errors) - int(fit.free.sum())
    if spare <= 0:
        complaint = f"{len(errors)} runs leave no residuals for {int(fit.free.sum())} coefficients"
        raise ArgumentError("kind", "residuals", complaint=complaint)
    errors = (errors - errors.mean()) * np.sqrt(len(errors) / spare)
    drawn = random.choice(errors, size=(size, len(errors)))
    if fit.objective.in_logs:
        return np.asarray(fit.fitted * np.exp(drawn))
    values = np.asarray(fit.fitted + drawn)
    if (values <= 0.0).any():
        raise ArgumentError("kind", "residuals", complaint="a resampled loss is not positive; draw cases")
    return values
