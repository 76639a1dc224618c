"""The tasks of a backtest: a law with the rows of a table to which it may be fitted, and on which it
may be judged; and their splits at cutoffs. The rules for benchmarks are those of Krajewski et al. 2025, arXiv 2512.08894,
Sections 3.3, 4.1 and 4.3.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..accuracy.law import fit_law, resampled
from ..accuracy.laws import USUAL, law_named
from ..data.columns import BUDGET
from ..data.sample import above_guessing
from ..errors import ArgumentError, outside, positive_number, whole_number
from ..fit.fit import MODELS, fit_form, form_of
from ..fit.objective import Objective
from ..fit.resample import LEAST_GROUPS, case_weights
from ..passk.curve import curve
from ..passk.fit_at_k import KINDS, fit_at_k, kind_of
from ..passk.laws import sizes_of
from ..passk.likelihood import evidence_of
from ..results import DEFAULT_LEVEL, Band, coverage_factor, percentiles

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray
    from pandas import DataFrame

    from ..accuracy.baselines import Baseline
    from ..data.counts import Counts
    from ..data.evaluations import Evaluations
    from ..data.runs import Runs
    from ..fit.fit import Fit

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Names = Sequence[str] | None

#: The objective of laws of loss: prediction intervals assume that the logarithm of the loss scatters
#: normally about a law.
SQUARES = Objective(name="least-squares-log")
#: The laws of loss that are compared by default, those that depend on the fewest quantities first.
LAWS_OF_LOSS = sorted(MODELS, key=lambda name: len(MODELS[name].requires))
#: The fewest runs that a cutoff leaves to a law of accuracy.
LEAST = 6
#: The quantities that cutoffs may be in. All grow with the expense of a row except gold, -log of the
#: probability of the gold reference solution.
AXES = ("compute", "params", "tokens", "gold")
#: Rows within so many decades are equally expensive: compute is rounded where it is 6ND.
ALIKE = 1e-9


class Task(NamedTuple):
    """A law to be fitted to some of n rows and judged on others.

    `subject` is the benchmark, or k of pass@k; "" for losses. `rows` has the `target`, the name of
    the row; `observed`, its loss, -log pass@k or accuracy, and `why` that is missing; the axes of
    cutoffs; whether the row may be fitted (`train`), be predicted (`test`) and be a cutoff
    (`grid`); and whether a condition holds it out (`held`). A cutoff leaves at least `least` rows.
    `fit` takes the rows to be fitted (n,) and a number of resamples to the law, or to a ValueError;
    `predict` a fit and rows (n,) to the predictions with intervals of new rows.
    """

    subject: Any
    law: str
    rows: DataFrame
    least: int
    fit: Callable[[Mask, int], Any]
    predict: Callable[[Any, Mask], Band]


class Split(NamedTuple):
    """The masks of the rows to fit and to predict, (n,) each; by how many decades each row is more
    expensive than the cutoff, or than the fitted rows; and the cutoff, NaN where there is none.
    """

    train: Mask
    test: Mask
    decades: Floats
    cutoff: float = np.nan


def splits_of(rows: DataFrame, least: int, axis: str, sweep: bool, cutoffs: Any) -> list[Split]:
    """The splits of the rows of a law, see `Task`, the most expensive cutoff first. In a sweep all
    rows beyond a cutoff are predicted, else the most expensive ones, which are never fitted.

    There is one split if a condition holds out rows, and one without rows if no cutoff leaves at
    least `least` rows to fit and one to predict.
    """
    train, test, grid = (rows[name].to_numpy() for name in ("train", "test", "grid"))
    sign, place = -1.0 if axis == "gold" else 1.0, np.full(len(rows), np.nan)
    if axis in rows:
        place = sign * np.log10(rows[axis].to_numpy(dtype=np.float64))
    if "held" in rows:
        held = rows["held"].to_numpy()
        fitted = train & ~held
        return [Split(fitted, test & held, place - place[fitted].max(initial=-np.inf))]
    known = np.isfinite(place)
    if not sweep:
        dearest = place >= place[known].max(initial=-np.inf) - ALIKE
        train, test = train & ~dearest, test & dearest
    train, test = train & known, test & known
    found, possible = list[Split](), np.sort(place[train & grid])[least - 1 :]
    if len(possible) and (place[test] > possible[0]).any():
        for cut in reversed(_places(np.unique(possible), cutoffs, sign)):
            if (fitted := train & (place <= cut)).sum() >= least:
                beyond, at = test & (place > cut), float(10.0 ** (sign * cut))
                found.append(Split(fitted, beyond, place - cut, at))
    nothing = np.zeros(len(place), dtype=bool)
    return found or [Split(nothing, nothing, place)]


def _places(possible: Floats, cutoffs: Any, sign: float) -> list[float]:
    """The cutoffs from cheap to expensive, in decades: all that are possible, a number of them evenly
    spread, or given values of the axis.
    """
    if cutoffs is None:
        return [*possible.tolist()]
    if isinstance(cutoffs, int):
        count = whole_number("cutoffs", cutoffs, 1)
        wanted = np.linspace(possible[-1], possible[0], count)
        return sorted({float(possible[np.abs(possible - at).argmin()]) for at in wanted})
    values = [positive_number("cutoffs", at) for at in np.atleast_1d(cutoffs).tolist()]
    if not values:
        raise outside("cutoffs", cutoffs, "a number of cutoffs, or a list of values of the axis")
    return sorted({sign * float(np.log10(value)) for value in values})


def _rows(axes: Mapping[str, Any], **columns: Any) -> DataFrame:
    """The rows of a task. By default every row may be fitted, be predicted and be a cutoff."""
    from pandas import DataFrame

    held = {"why": "", "train": True, "test": True, "grid": True, **axes, **columns}
    return DataFrame({name: x for name, x in held.items() if x is not None})


def _usable(
    laws: Mapping[str, Any], known: Collection[str], asked: Names, source: str
) -> dict[str, Any]:
    """The laws that depend on known quantities alone; an ArgumentError where the user asked for
    another one.
    """
    missing = {name: [x for x in law.requires if x not in known] for name, law in laws.items()}
    for name in [name for name in laws if missing[name] and asked is not None]:
        needs = ", ".join(laws[name].requires)
        complaint = f"{source} has no {' and no '.join(missing[name])}; the law needs {needs}"
        raise ArgumentError("laws", name, complaint=complaint)
    return {name: law for name, law in laws.items() if not missing[name]}


def loss_tasks(runs: Runs, asked: Names, hold_out: str | None, seed: int) -> Iterator[Task]:
    """A task for each law of the loss, given by name or formula; by default all with a name."""

    def fit(form: Any, chosen: Mask, resamples: int) -> Fit:
        some = runs.subset(chosen)
        found = fit_form(some, form, SQUARES, seed=seed)
        has_groups = some.group is None or len(np.unique(some.group)) >= LEAST_GROUPS
        can_be_drawn = resamples and found.is_sound and has_groups
        return found.resampled(resamples, seed=seed) if can_be_drawn else found

    held = hold_out and runs.mask(hold_out, "hold_out")
    axes, targets = {name: getattr(runs, name) for name in BUDGET}, [f"row {x}" for x in runs.row]
    rows = _rows(axes, target=targets, observed=runs.loss, held=held)
    forms = {name: form_of(name).on(runs) for name in asked or LAWS_OF_LOSS}
    for name, form in _usable(forms, rows.columns, asked, runs.source).items():
        least = len(form.coefficients) + 1
        yield Task("", name, rows, least, partial(fit, form), partial(_new_runs, runs))


def _new_runs(runs: Runs, fit: Fit, chosen: Mask) -> Band:
    """The losses that a law predicts for some of the runs, with the intervals of new runs: in the
    logarithm, the distance of an end from the law combines the percentiles of the draws of the law
    and, as an independent error, Student's t times the scatter of the fitted runs.
    """
    rows, level = runs.subset(chosen), DEFAULT_LEVEL
    law = np.asarray(fit.predict(rows), dtype=np.float64)
    if fit.drawn is None:
        return Band(law, level=level)
    solution, spare = fit.solution, max(1, fit.solution.spare)
    off = np.log(solution.fitted) - np.log(solution.observed)
    thetas = solution.model.write(fit.drawn.coefficients)
    scatter = coverage_factor(level, spare) * np.sqrt((off**2).sum() / spare)
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = percentiles(np.log(solution.model.at(rows).evaluate(thetas)[0]), level)
        below = np.hypot(np.log(law) - low, scatter)
        above = np.hypot(high - np.log(law), scatter)
    return Band(law, law * np.exp(-below), law * np.exp(above), level)


def pass_tasks(
    counts: Counts, ks: Sequence[int], asked: Names, hold_out: str | None, seed: int
) -> Iterator[Task]:
    """A task for each law of -log pass@k, by default all, at every k. Models of one size are drawn
    together, and the interval of a prediction includes the error of the model's own measurement.
    """

    def fit(kind: Any, k: int, evidence: Any, chosen: Mask, resamples: int) -> Any:
        part, group, weights = counts.subset(chosen), None, None
        if resamples:
            group = sizes_of(part)
            weights = case_weights(group, len(part), resamples, np.random.default_rng(seed))
        return fit_at_k(part, kind, k, evidence.some(chosen), weights, group)

    def predict(error: Any, found: Any, chosen: Mask) -> Band:
        at = {name: axes[name][chosen] for name in found.kind.requires}
        return found.predict(at, DEFAULT_LEVEL, error[chosen])

    held = hold_out and counts.mask(hold_out, "hold_out")
    once, axes = curve(counts, [1]), counts.covariates
    kinds = _usable({law: kind_of(law) for law in asked or KINDS}, axes, asked, counts.source)
    for k, evidence in evidence_of(counts, ks).items():
        found = curve(counts, [k])
        reasons = {
            "no success": once.pass_at_k == 0.0,
            "no failure": once.neg_log == 0.0,
            f"fewer than {k} samples of some problem": found.n_refused > 0,
            "every pass@k is 1": found.neg_log == 0.0,
        }
        why, error = np.select([*reasons.values()], [*reasons], ""), evidence.moments()[1]
        seen = {"observed": np.where(why == "", found.neg_log, np.nan), "why": why, "held": held}
        for name, kind in kinds.items():
            known = np.isfinite([axes[x] for x in kind.requires]).all(axis=0)
            used = dict.fromkeys(("train", "test", "grid"), known)
            rows, least = _rows(axes, target=counts.names, **seen, **used), len(kind.coefficients)
            fitted = partial(fit, kind, k, evidence)
            yield Task(k, name, rows, least + 1, fitted, partial(predict, error))


def accuracy_tasks(
    evaluations: Evaluations,
    baselines: Mapping[str, Baseline],
    proxy: str | None,
    asked: Names,
    hold_out: str | None,
    seed: int,
) -> Iterator[Task]:
    """A task for each law of accuracy on every benchmark, by default those for which the table has
    columns.

    A law is fitted to the runs that exceed guessing by more than its own margin and, if it needs the
    proxy, have it. All laws of a benchmark are judged on the runs that exceed guessing by more than
    the largest of their margins. The law in k needs a condition: cutoffs are at k = 1.
    """

    def fit(law: Any, sample: Any, chosen: Mask, resamples: int) -> Any:
        return resampled(fit_law(sample.subset(chosen), law), resamples, seed)

    def predict(sample: Any, found: Any, chosen: Mask) -> Band:
        return found.new_run(sample.subset(chosen), DEFAULT_LEVEL)

    if proxy is None and len(evaluations.proxies) == 1:
        proxy = next(iter(evaluations.proxies))
    if proxy is None and any("proxy" in law_named(law).requires for law in asked or ()):
        proxies = f"{evaluations.source} has {', '.join(evaluations.proxies) or 'none'}"
        raise ArgumentError("proxy", complaint=f"two-stage laws need one; {proxies}")
    for name, baseline in baselines.items():
        runs = evaluations.sample(name, baseline.value)
        if proxy is not None:  # NaN at runs without it
            runs = replace(runs, proxy=evaluations.proxy(proxy)[runs.index])
        known = [x for x in (*BUDGET, "proxy") if getattr(runs, x) is not None]
        known += ["k"] if hold_out is not None and len(evaluations.family(name)) > 1 else []
        every = {law: law_named(law, baseline) for law in asked or USUAL}
        judged = _usable(every, known, asked, evaluations.source)
        margin = max((law.margin for law in judged.values() if law.margin is not None), default=0.0)
        grid = above_guessing(runs.accuracy, runs.baseline, margin)
        if any("proxy" in law.requires for law in judged.values()):
            grid = grid & np.isfinite(runs.proxy)
        least = max(LEAST, *(1 + len(law.coefficients) for law in judged.values()), 0)
        for law in judged.values():
            in_k = "k" in law.requires
            sample = evaluations.sample(name, baseline.value, in_k=True) if in_k else runs
            has_all = np.isfinite(sample.proxy) if "proxy" in law.requires else True
            train, test = (
                has_all & above_guessing(sample.accuracy, sample.baseline, least_above)
                for least_above in (law.margin, margin)
            )
            rows = _rows(
                {x: getattr(sample, x) for x in BUDGET},
                target=evaluations.run[sample.index].astype(str),
                observed=sample.accuracy,
                train=train,
                test=test,
                grid=True if in_k else grid,
                held=hold_out and evaluations.held_out(sample, hold_out),
            )
            fitted, predicted = partial(fit, law, sample), partial(predict, sample)
            yield Task(name, law.name, rows, least, fitted, predicted)
