"""Laws of accuracy side by side: fitted to some runs, judged on those that were held out.

Source: Krajewski et al. 2025, arXiv 2512.08894, Sections 3.3, 4.1 and 4.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...theory.data.notation import close_matches
from ..accuracy.benchmark import Benchmark, JudgedLaw, judge_laws
from ..accuracy.laws import LAWS, kind_for
from ..data.rows import those_dropped
from ..errors import ArgumentError, number, outside, whole_number
from ..fit.fitted import DEFAULT_LEVEL
from ..results import checked_level
from ..words import counted
from .comparison import IN_K, Comparison

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..accuracy.baselines import Baseline
    from ..data.evaluations import Evaluations

__all__ = ["Comparison", "compare_laws"]

MARGIN = "a number from 0 to less than 1, or such numbers by benchmark"
#: What is compared where nothing is asked for.
USUAL = tuple(name for name in LAWS if name not in ("bnsl-2", "bnsl-3", IN_K))


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
    data: dict[str, Benchmark] = {}
    for name in names:
        in_k = len(evaluations.family(name)) > 1
        laws_here = [law for law in chosen if law != IN_K or in_k]
        if not laws_here:
            complaint = f"needs pass@k at several k; {name} has none"
            raise ArgumentError("law", IN_K, complaint=complaint)
        kinds = [kind_for(law, known[name], margin=margins.get(name)) for law in laws_here]
        rule: dict[str, Any] = {"proxy": proxy, "hold_out": hold_out}
        data[name] = Benchmark.of(evaluations, name, known[name], kinds, **rule)
    every = [(each, kind) for each in data.values() for kind in each.kinds]
    if not any(each.split(kind).train.any() for each, kind in every):
        complaint = f"holds out all the runs of {evaluations.source}; none is left to fit"
        raise ArgumentError("hold_out", hold_out, complaint=complaint)
    if hold_out is not None and not any(each.held_out(kind).any() for each, kind in every):
        complaint = f"holds out none of the runs of {evaluations.source}"
        raise ArgumentError("hold_out", hold_out, complaint=complaint)
    more: dict[str, Any] = {"resamples": repeats, "seed": seed, "jobs": jobs, "progress": progress}
    held_out = judge_laws(data.values(), **more)
    judged = [JudgedLaw.of(one, data[str(one.subject)], level) for one in held_out.judged]
    return Comparison(
        source=evaluations.source,
        asked=chosen,
        hold_out=hold_out,
        proxy=proxy,
        judged=tuple(judged),
        data=data,
        n_runs=len(evaluations),
        warnings=tuple(_warnings(evaluations)),
        run_names=tuple(map(str, evaluations.run)),
        level=level,
        resamples=repeats,
        seed=seed,
        interrupted=held_out.interrupted,
    )


# -- what is compared ------------------------------------------------------------------------------


def _chosen(
    laws: Sequence[str] | None, evaluations: Evaluations, proxy: str | None
) -> tuple[str, ...]:
    if laws is not None:
        unknown = [name for name in laws if name not in LAWS]
        for name in unknown[:1]:
            domain = f"one of {', '.join(LAWS)}{close_matches(name, LAWS)}"
            raise ArgumentError("law", name, domain)
        if not laws or len({*laws}) < len(laws):
            raise outside("laws", list(laws), "at least one law, each once")
        return tuple(laws)
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


def _warnings(evaluations: Evaluations) -> Iterator[str]:
    if evaluations.left_out:
        yield f"{counted(evaluations.left_out, 'row')} left out by the condition"
    if evaluations.dropped:
        yield f"of the rows, {those_dropped(evaluations.dropped)}"
    yield from evaluations.warnings
