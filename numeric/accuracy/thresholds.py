r"""From how much compute on do laws extrapolate: a sweep of the threshold between fitted and predicted runs.

For each benchmark, law and threshold T the law is fitted to the runs with C <= T and judged on those with C > T by its mean
absolute and mean relative error. A relative error below 10 % is a success; per law a logistic regression of success on log10 T,
pooled over benchmarks, tells T50, above which success is the rule. Source: Krajewski et al. 2025, arXiv 2512.08894, Appendix C.

The interval of T50 is that of `isoflop.numeric.accuracy.thresholds_found`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._parallel import in_order
from .._progress import progress_bar
from ..data.sample import above_guessing
from ..errors import outside, positive_array, positive_number, process_count, whole_number
from ..fit.intervals import checked_level
from .predicting import predicted
from .thresholds_found import Threshold, shared_cells, thresholds_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Sample
    from .kind import Kind

    Floats = NDArray[np.float64]

__all__ = ["Cell", "Sweep", "Threshold", "sweep_thresholds"]

#: The paper's range of thresholds in FLOP, and how many are tried, evenly in log T.
LOWEST, HIGHEST, COUNT = 6e19, 5e22, 24
SUCCESS, LEAST_TRAIN, LEAST_HELD_OUT = 0.10, 6, 3
RESAMPLES, LEVEL = 2000, 0.9


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One benchmark, law and threshold.

    Attributes
    ----------
    benchmark, law : str
    threshold : float
        FLOP.
    n_train, n_held_out : int
        Runs fitted and predicted.
    mae, mre : float or None
        Mean |Q - law| and mean |Q - law|/Q over the predicted runs; None where there is no fit.
    success : bool or None
        Whether the mean relative error is below the limit.
    reason : str
        Why there is no fit; "" where there is.
    """

    benchmark: str
    law: str
    threshold: float
    n_train: int
    n_held_out: int
    mae: float | None = None
    mre: float | None = None
    success: bool | None = None
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Errors of extrapolation over thresholds.

    Attributes
    ----------
    benchmarks, laws : tuple of str
    thresholds : tuple of float
        FLOP, increasing.
    cells : tuple of Cell
    found : tuple of Threshold
        One a law, from all its cells.
    shared : tuple of Threshold
        The same from the cells at which every law has a fit, for a comparison: a law that needs runs above guessing has no cell
        at low thresholds of a hard benchmark, where others fail. Empty where the laws have the same cells.
    success : float
        A relative error below this is a success.
    least_train, least_held_out : int
    margin : float
        Predicted runs exceed guessing by more than this.
    level : float
        Nominal coverage of the intervals.
    resamples, seed : int
    left_out : dict
        Benchmark -> why it has no cell.
    interrupted : bool
        Whether Ctrl-C ended it early.
    """

    benchmarks: tuple[str, ...]
    laws: tuple[str, ...]
    thresholds: tuple[float, ...]
    cells: tuple[Cell, ...]
    found: tuple[Threshold, ...]
    shared: tuple[Threshold, ...]
    success: float
    least_train: int
    least_held_out: int
    margin: float
    level: float
    resamples: int
    seed: int
    left_out: dict[str, str]
    interrupted: bool = False

    def curve(self, benchmark: str, law: str) -> list[Cell]:
        """The cells with a fit, by threshold."""
        return [each for each in self.cells if (each.benchmark, each.law) == (benchmark, law) and each.mre is not None]

    def of(self, law: str) -> Threshold:
        """What was found for a law."""
        for each in self.found:
            if each.law == law:
                return each
        raise outside("law", law, f"one of {', '.join(self.laws)}")

    def rows(self) -> list[dict[str, Any]]:
        """A record for every cell."""
        return [cell.as_dict() for cell in self.cells]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in ("cells", "found", "shared")}
        plain |= {name: list(plain[name]) for name in ("benchmarks", "laws", "thresholds")}
        plain |= {name: [each.as_dict() for each in getattr(self, name)] for name in ("found", "shared")}
        return plain | {"cells": self.rows()}

    def to_text(self, figure: str = "mre") -> str:
        """For a reader, at most 100 columns wide, with the mean relative ("mre") or absolute ("mae") errors."""
        from .thresholds_text import thresholds_text

        return thresholds_text(self, figure)

    def __str__(self) -> str:
        return self.to_text()


def sweep_thresholds(
    samples: Iterable[Sample],
    kinds: Sequence[Kind],
    *,
    thresholds: Any = None,
    success: float = SUCCESS,
    least_train: int = LEAST_TRAIN,
    least_held_out: int = LEAST_HELD_OUT,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = LEVEL,
    jobs: int = 1,
    progress: bool = False,
) -> Sweep:
    """Fit below every threshold, predict above it, and find from where on that succeeds.

    Parameters
    ----------
    samples : iterable of Sample
        One a benchmark; compute must be known. A law is fitted to the runs that exceed guessing by more than its own margin,
        if it needs the proxy to those that have it (the others hold NaN), and all laws are judged on the same runs, those that
        exceed guessing by more than the strictest margin.
    kinds : sequence of Kind
        Laws of different names.
    thresholds : array_like, optional
        T in FLOP, > 0; by default 24 from 6e19 to 5e22, evenly in log T. Those at which nothing can be fitted are left out.
    success : float
        Largest mean relative error that is a success, > 0.
    least_train, least_held_out : int
        Fewer runs are not fitted or judged; and a law needs more runs than it has coefficients.
    resamples : int
        Of benchmarks, for the intervals; 0: none. Fewer than four benchmarks have that of the profile likelihood.
    seed : int
    level : float
        Nominal coverage of the intervals.
    jobs : int
        Processes; more than one needs joblib.
    progress : bool

    Returns
    -------
    Sweep
        Partial, and marked so, where Ctrl-C ended it.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or no cell has enough runs.
    """
    named = {sample.benchmark: sample for sample in samples}
    names = [kind.name for kind in kinds]
    if not names or len({*names}) < len(names):
        raise outside("kinds", names, "at least one law, each of another name")
    if not named:
        raise outside("samples", list(named), "at least one benchmark")
    grid = np.geomspace(LOWEST, HIGHEST, COUNT) if thresholds is None else np.unique(positive_array("thresholds", thresholds))
    limit = positive_number("success", success)
    least = (whole_number("least_train", least_train, 1), whole_number("least_held_out", least_held_out, 1))
    repeats, drawn, nominal = whole_number("resamples", resamples, 0), whole_number("seed", seed, 0), checked_level(level)
    margin = max((kind.margin for kind in kinds if kind.margin is not None), default=0.0)

    cells: list[Cell] = []
    bar = progress_bar(len(named) * len(kinds), progress, what="thresholds", unit="curve")
    interrupted = False
    try:
        tasks = ((sample, kind, grid, limit, least, margin) for sample in named.values() for kind in kinds)
        for curve in in_order(_curve, tasks, process_count(jobs)):
            cells += curve
            bar.update(1)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        bar.close()
    used = sorted({cell.threshold for cell in cells if cell.mre is not None})
    if not used and not interrupted:
        raise ValueError(
            f"thresholds={grid[0]:.4g} to {grid[-1]:.4g}: no law has {least[0]} runs to fit and {least[1]} to predict at any of "
            f"them: {_reasons(cells)}"
        )
    kept = tuple(cell for cell in cells if used and used[0] <= cell.threshold <= used[-1])
    fitted, common = {cell.benchmark for cell in kept if cell.mre is not None}, shared_cells(names, kept)
    return Sweep(
        benchmarks=tuple(name for name in named if name in fitted),
        laws=tuple(names),
        thresholds=tuple(float(T) for T in grid if used and used[0] <= T <= used[-1]),
        cells=kept,
        found=thresholds_of(names, kept, repeats, drawn, nominal),
        shared=thresholds_of(names, common, repeats, drawn, nominal) if common else (),
        success=limit,
        least_train=least[0],
        least_held_out=least[1],
        margin=margin,
        level=nominal,
        resamples=repeats,
        seed=drawn,
        left_out={name: _reasons([c for c in cells if c.benchmark == name]) for name in named if name not in fitted},
        interrupted=interrupted,
    )


# -- cells -------------------------------------------------------------------------------------------------------------


def _curve(sample: Sample, kind: Kind, grid: Floats, success: float, least: tuple[int, int], margin: float) -> list[Cell]:
    """The cells of a benchmark and a law; thresholds that part the runs alike share a fit."""
    compute = sample.at.column("compute")
    usable = above_guessing(sample.accuracy, sample.baseline, kind.margin)
    if "proxy" in kind.needs and sample.at.proxy is not None:
        usable &= np.isfinite(sample.at.proxy)
    judged = above_guessing(sample.accuracy, sample.baseline, margin)
    known: dict[bytes, Cell] = {}
    cells = []
    for T in grid:
        train, held_out = usable & (compute <= T), judged & (compute > T)
        key = train.tobytes() + held_out.tobytes()
        if key not in known:
            known[key] = _cell(sample, kind, float(T), train, held_out, success, least)
        first = known[key]
        cells.append(Cell(**{**first.as_dict(), "threshold": float(T)}))
    return cells


def _cell(sample: Sample, kind: Kind, T: float, train: Any, held_out: Any, success: float, least: tuple[int, int]) -> Cell:
    n_train, n_held_out = int(train.sum()), int(held_out.sum())
    needed = max(least[0], len(kind.coefficients) + 1)

    def without(reason: str) -> Cell:
        return Cell(benchmark=sample.benchmark, law=kind.name, threshold=T, n_train=n_train, n_held_out=n_held_out, reason=reason)

    if n_train < needed:
        return without(f"fewer than {needed} runs up to the threshold")
    if n_held_out < least[1]:
        return without(f"fewer than {least[1]} runs above the threshold")
    target = sample.subset(held_out)
    try:
        found = kind.fit(sample.subset(train))
        error = np.abs(predicted(kind, found.coefficients, target.at, sample.baseline) - target.accuracy)
    except ValueError as error_:
        return without(f"no fit: {error_}")
    if not np.isfinite(error).all():
        return without("a prediction that is not finite")
    mre = float(np.mean(error / target.accuracy))
    return Cell(
        benchmark=sample.benchmark,
        law=kind.name,
        threshold=T,
        n_train=n_train,
        n_held_out=n_held_out,
        mae=float(np.mean(error)),
        mre=mre,
        success=mre < success,
    )


def _reasons(cells: Sequence[Cell]) -> str:
    return "; ".join(dict.fromkeys(cell.reason for cell in cells if cell.reason))
