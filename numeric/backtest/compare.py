"""Laws of accuracy side by side: fitted to some runs, judged on those that were held out.

Source: Krajewski et al. 2025, arXiv 2512.08894, Sections 3.3, 4.1 and 4.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import close_matches
from ..accuracy.crossing import crossing_of
from ..accuracy.fitting import errors, outside_range
from ..accuracy.laws import LAWS, held_out_of, kind_for
from ..data.rows import those_dropped
from ..data.sample import above_guessing
from ..errors import ArgumentError, number, outside, whole_number
from ..fit.fitted import DEFAULT_LEVEL
from ..fit.hold_out import Split, Trial, judge
from ..results import checked_level
from ..words import counted
from .accuracies import AccuracyLaw, strictest_margin
from .comparison import IN_K, Comparison, Entry, LawMean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ..accuracy.baselines import Baseline
    from ..accuracy.kind import Kind
    from ..data.evaluations import Evaluations
    from ..data.sample import Sample
    from ..fit.hold_out import Judged

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["Comparison", "Entry", "LawMean", "compare_laws"]

MARGIN = "a number from 0 to less than 1, or such numbers by benchmark"
#: What the rows of a table are.
NOUNS = {"runs": "runs", "proxy": "runs with the proxy", "pairs": "pairs of run and k"}
#: What is compared where nothing is asked for.
USUAL = tuple(
    name for name in LAWS if name not in ("bnsl-2", "bnsl-3", "two-stage-exponential", IN_K)
)


def compare_laws(
    evaluations: Evaluations,
    *,
    laws: Sequence[str] | None = None,
    benchmarks: Sequence[str] | None = None,
    hold_out: str | None = None,
    baselines: Mapping[str, Baseline] | None = None,
    proxy: str | None = None,
    margin: float | Mapping[str, float] | None = None,
    resamples: int = 0,
    seed: int = 0,
    level: float = DEFAULT_LEVEL,
    jobs: int = 1,
    progress: bool = False,
) -> Comparison:
    """Fit every law to the runs that are not held out, and judge it on those that are.

    Parameters
    ----------
    evaluations : Evaluations
    laws : sequence of str, optional
        Names as in `isoflop.numeric.accuracy.laws.LAWS`. By default the direct laws and, with a
        proxy, two-stage-linear and two-stage-logistic; for benchmarks measured at several k the
        bilinear law as well.
    benchmarks : sequence of str, optional
        By default all.
    hold_out : str, optional
        Condition on the runs that are not fitted, as in "compute > 6e21 or tokens/params > 100",
        with the names of `Evaluations.mask`; for the bilinear law also k. By default none is held
        out.
    baselines : mapping of str to Baseline, optional
        By default what `isoflop.numeric.accuracy.baselines.resolve` finds.
    proxy : str, optional
        Column of the proxy of two-stage laws; by default the only one there is.
    margin : float or mapping of str to float, optional
        Fit where accuracy exceeds guessing by more than this, for all benchmarks or by benchmark,
        in place of the laws' own; if it is not given, `Baseline.margin` takes the place of the
        usual one of 0.05.
    resamples : int
        Bootstrap refits to resamples of the runs, with redrawn accuracy of guessing where that is
        an estimate.
    seed : int
    level : float
        Nominal coverage of intervals.
    jobs : int
        Processes; more than one needs joblib.
    progress : bool

    Returns
    -------
    Comparison
        Partial, and marked so, where Ctrl-C ended it.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or no run is left to fit, or to judge.
    """
    from ..accuracy.baselines import resolve

    chosen = _chosen(laws, evaluations, proxy)
    proxy = _proxy(evaluations, proxy, chosen)
    names = tuple(evaluations.benchmarks if benchmarks is None else benchmarks)
    if not names:
        raise outside("benchmarks", list(names), "at least one benchmark")
    for name in names:
        evaluations.require(name)
        if proxy is not None and evaluations.proxy(proxy) is evaluations.scores[name]:
            raise ArgumentError(
                "proxy",
                proxy,
                complaint="is the benchmark itself, whose accuracy is to be foretold",
            )
    known = resolve(evaluations, benchmarks=names) if baselines is None else dict(baselines)
    if missing := [name for name in names if name not in known]:
        raise ValueError(f"baselines: {missing[0]!r} is missing; they are of {', '.join(known)}")
    repeats, seed = whole_number("resamples", resamples, 0), whole_number("seed", seed, 0)
    level, margins = checked_level(level), _margins(margin, names)
    trials: list[Trial] = []
    notes, runs, strictest = {}, {}, {}
    for name in names:
        laws_here = [law for law in chosen if law != IN_K or len(evaluations.family(name)) > 1]
        if not laws_here:
            complaint = f"needs pass@k at several k; {name} has none"
            raise ArgumentError("law", IN_K, complaint=complaint)
        baseline = known[name]
        kinds = [kind_for(law, baseline, margin=margins.get(name)) for law in laws_here]
        strictest[name] = strictest_margin(kinds)
        shapes = dict.fromkeys(["runs", *map(_shape, kinds)])
        samples = {shape: _sample(evaluations, name, baseline, proxy, shape) for shape in shapes}
        held = {
            shape: held_out_of(evaluations, sample, hold_out) for shape, sample in samples.items()
        }
        runs[name] = samples["runs"], held["runs"]
        used = {shape: samples[shape] for shape in dict.fromkeys(map(_shape, kinds))}
        notes[name] = tuple(_notes(evaluations, samples["runs"], used, held, strictest[name]))
        splits = {
            shape: _split(sample, held[shape], strictest[name]) for shape, sample in used.items()
        }
        for kind in kinds:
            sample, learner = used[_shape(kind)], AccuracyLaw(kind, baseline, repeats, seed)
            trials.append(Trial(learner, sample, splits[_shape(kind)], sample.accuracy, name))
    _some_of_both(evaluations, hold_out, [trial.split for trial in trials])
    held_out = judge(trials, jobs=jobs, progress=progress, then=_stop_if_interrupted)
    entries = tuple(
        _entry(trial, judged, strictest[str(judged.subject)], level)
        for trial, judged in zip(trials, held_out.judged, strict=False)
    )
    done = {each.benchmark for each in entries}
    return Comparison(
        source=evaluations.source,
        benchmarks=tuple(name for name in names if name in done),
        laws=tuple(dict.fromkeys(each.law for each in entries)),
        asked=chosen,
        hold_out=hold_out,
        proxy=proxy,
        entries=entries,
        baselines=known,
        notes=notes,
        samples=runs,
        warnings=tuple(_warnings(evaluations)),
        run_names=tuple(map(str, evaluations.run)),
        level=level,
        resamples=repeats,
        seed=seed,
        interrupted=held_out.interrupted,
    )


def _split(sample: Sample, held: Mask, margin: float) -> Split:
    """Held-out runs are judged where they exceed guessing by more than the strictest margin of the
    laws.
    """
    judged = above_guessing(sample.accuracy, sample.baseline, margin)
    return Split("held out", ~held, held & judged)


def _some_of_both(evaluations: Evaluations, hold_out: str | None, splits: Sequence[Split]) -> None:
    """ValueError where a condition holds out none of the runs, or all of them."""
    if hold_out is not None and all(split.train.all() for split in splits):
        raise ArgumentError(
            "hold_out", hold_out, complaint=f"holds out none of the runs of {evaluations.source}"
        )
    if not any(split.train.any() for split in splits):
        complaint = f"holds out all the runs of {evaluations.source}; none is left to fit"
        raise ArgumentError("hold_out", hold_out, complaint=complaint)


def _stop_if_interrupted(judged: Judged) -> None:
    """Ctrl-C among the refits of a law leaves the laws after it."""
    if judged.fitted is not None and judged.fitted.interrupted:
        raise StopIteration


# -- what is compared --------------------------------------------------------------------------------------------------


def _chosen(
    laws: Sequence[str] | None, evaluations: Evaluations, proxy: str | None
) -> tuple[str, ...]:
    if laws is not None:
        names = tuple(laws)
        for name in names:
            if name not in LAWS:
                raise ArgumentError(
                    "law", name, f"one of {', '.join(LAWS)}{close_matches(name, LAWS)}"
                )
        if not names or len({*names}) < len(names):
            raise outside("laws", list(names), "at least one law, each once")
        return names
    has_proxy = proxy is not None or len(evaluations.proxies) == 1
    has_both = evaluations.params is not None and evaluations.tokens is not None
    in_k = any(len(evaluations.family(name)) > 1 for name in evaluations.benchmarks)
    usual = [
        name
        for name in USUAL
        if (has_proxy or not name.startswith("two-stage"))
        and (has_both or not name.startswith("params"))
    ]
    return (*usual, *((IN_K,) if in_k else ()))


def _proxy(evaluations: Evaluations, proxy: str | None, laws: Sequence[str]) -> str | None:
    if not any(law.startswith("two-stage") for law in laws):
        if proxy is not None:
            complaint = f"is for two-stage laws; those asked for are {', '.join(laws)}"
            raise ArgumentError("proxy", proxy, complaint=complaint)
        return None
    if proxy is None:
        if len(evaluations.proxies) == 1:
            return next(iter(evaluations.proxies))
        have = ", ".join(evaluations.proxies)
        complaint = (
            f"two-stage laws need one; {evaluations.source} has {have or 'no loss or other proxy'}"
        )
        raise ArgumentError("proxy", complaint=complaint)
    evaluations.proxy(proxy)
    return proxy


def _margins(margin: Any, names: Sequence[str]) -> dict[str, float]:
    if margin is None:
        return {}
    given = dict(margin) if isinstance(margin, Mapping) else dict.fromkeys(names, margin)
    for name, value in given.items():
        if name not in names:
            known = f"{close_matches(name, names)}: {', '.join(names)}"
            raise ArgumentError("margin", complaint=f"{name!r} is none of the benchmarks{known}")
        if not 0.0 <= number("margin", value, MARGIN) < 1.0:
            raise outside("margin", value, MARGIN)
    return given


def _shape(kind: Kind) -> str:
    return "pairs" if "k" in kind.needs else "proxy" if "proxy" in kind.needs else "runs"


def _sample(
    evaluations: Evaluations, name: str, baseline: Baseline, proxy: str | None, shape: str
) -> Sample:
    if shape == "pairs":
        return evaluations.pairs(name, baseline.value)
    return evaluations.sample(name, baseline.value, proxy=proxy if shape == "proxy" else None)


def _warnings(evaluations: Evaluations) -> Iterator[str]:
    if evaluations.left_out:
        yield f"{counted(evaluations.left_out, 'row')} left out by the condition"
    if evaluations.dropped:
        yield f"of the rows, {those_dropped(evaluations.dropped)}"
    yield from evaluations.warnings


def _notes(
    evaluations: Evaluations,
    runs: Sample,
    samples: Mapping[str, Sample],
    held: Mapping[str, Mask],
    strictest: float,
) -> Iterator[str]:
    """The runs of a benchmark that have no part, and why."""
    if unscored := len(evaluations) - len(runs):
        yield f"{unscored} of {counted(len(evaluations), 'run')} have no score"
    for shape, sample in samples.items():
        if shape == "proxy" and "runs" in samples and len(sample) == len(samples["runs"]):
            continue  # the same runs
        judged = above_guessing(sample.accuracy, sample.baseline, strictest)
        perfect = int((sample.accuracy == 1.0).sum())
        low = int((~judged).sum()) - perfect
        if not (low or perfect):
            continue
        parts = [f"{low} within {strictest:g} of guessing or below it"] if low else []
        parts += [f"{perfect} of accuracy exactly 1, whose -log is 0"] if perfect else []
        parts_held = int((held[shape] & ~judged).sum())
        where = f" ({parts_held} of them held out)" if parts_held else ""
        rows = f"{len(sample)} {NOUNS[shape]}"
        yield f"of {rows} no law is judged on {' and '.join(parts)}{where}"


# -- one law on one benchmark ------------------------------------------------------------------------------------------


def _entry(trial: Trial, judged: Judged, strictest: float, level: float) -> Entry:
    sample, split, fit = trial.rows, trial.split, judged.fitted
    if fit is None:
        return Entry(benchmark=sample.benchmark, law=judged.law, fit=None, failed=judged.failed)
    ahead = sample.subset(split.test)
    behind = sample.subset(
        split.train & above_guessing(sample.accuracy, sample.baseline, strictest)
    )
    intervals, mae_draws = {}, np.empty(0)
    if len(ahead) and len(fit.refitted) > 1:
        off = np.abs(fit.drawn(ahead.at) - ahead.accuracy)
        spread = {"mae": off.mean(axis=1), "mre": (off / ahead.accuracy).mean(axis=1)}
        intervals, mae_draws = (
            {name: (0.0, float(np.quantile(values, level))) for name, values in spread.items()},
            spread["mae"],
        )
    return Entry(
        benchmark=sample.benchmark,
        law=judged.law,
        fit=fit,
        train=_errors(fit.predict(behind), behind.accuracy) if len(behind) else {"n": 0},
        held_out=_errors(judged.predicted, judged.observed) if len(ahead) else {"n": 0},
        intervals=intervals,
        mae_draws=mae_draws,
        crossing=crossing_of(fit, ahead, level),
        ahead=ahead,
    )


def _errors(predicted: Floats, observed: Floats) -> dict[str, float | None]:
    """Errors of accuracy, and at how many of the runs the law predicts one outside [0, 1]."""
    return errors(predicted, observed) | {"outside": outside_range(predicted)}
