"""One page on a benchmark: laws, runs held out, what to train for it, and what to expect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..data.budget import NEAR
from ..data.rows import those_dropped
from ..data.sample import Points, Sample
from ..errors import ArgumentError, positive_array
from ..results import Band, Estimate, checked_level
from ..words import counted
from .benchmark import Benchmark, JudgedLaw, judge_laws
from .bilinear import BilinearKind
from .broken_ray import RayBreak, at_one_ratio, ray_break
from .planning import Planning, planned, planning_law

if TYPE_CHECKING:
    from ...theory.typeset.table import Table
    from ..data.evaluations import Evaluations
    from ..law import Law
    from .baselines import Baseline
    from .fitting import LawFit
    from .kind import Kind

__all__ = ["Forecast", "Report", "report_benchmark"]

RESAMPLES, LEVEL = 200, 0.9
#: Where nothing is asked for: so many times the largest compute of the fitted runs, and these
#: overtraining ratios.
AHEAD, RATIOS = 10.0, (0.1, 0.3, 3.0, 10.0, 30.0)


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """The accuracy that a law foretells.

    Attributes
    ----------
    law : str
    compute, params, tokens : float
        Params and tokens at `Report.tokens_per_param`.
    accuracy : Estimate
        With the interval of the law.
    new_run : Estimate
        The same, with the interval of what a new run would measure.
    decades : float
        log10 of compute over the largest compute of the fitted runs.
    k : float or None
        Of a law in compute and k.
    beyond : bool
        Whether the law in compute and k does not hold there, on the other side of C_x.
    """

    law: str
    compute: float
    params: float | None
    tokens: float | None
    accuracy: Estimate
    new_run: Estimate
    decades: float
    k: float | None = None
    beyond: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        plain = _plain({part.name: getattr(self, part.name) for part in fields(self)})
        del plain["new_run"]
        return (
            plain
            | self.accuracy.as_dict("accuracy")
            | self.new_run.as_dict("", "new_low", "new_high")
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Report:
    """What is known of a benchmark.

    Attributes
    ----------
    benchmark, source : str
    baseline : Baseline
    sample : Sample
        All runs with a score.
    is_held_out, is_judged : ndarray of bool
        Which of them are held out, and which of these the laws are judged on: those above guessing
        by `margin`.
    hold_out : str or None
        The condition.
    margin : float
        The strictest margin of the laws.
    laws : tuple of JudgedLaw
    forecasts : tuple of Forecast
    tokens_per_param : float or None
        At which laws of params and tokens are asked for a forecast.
    planning : Planning or None
    ray : RayBreak or None
        The one-break law of the fitted runs at one D/N, and whether it is a two-term law.
    pairs_ahead : Sample or None
        The held-out pairs of run and k that a law in k is judged on.
    open : tuple of str
        What the runs leave undetermined.
    left_out : tuple of str
        What is not on the page or not in the fits, and why.
    warnings : tuple of str
        What reading the runs doubted.
    two_budgets : str
        That laws of compute and laws of params and tokens take the same C for different runs, where
        the compute of the runs is not 6ND; "" where it is, or there are not both.
    level : float
    resamples, seed : int
    interrupted : bool
    run_names : tuple of str
        Of the runs of the evaluations, to which the sample points.
    """

    benchmark: str
    source: str
    baseline: Baseline
    sample: Sample
    is_held_out: Any
    is_judged: Any
    hold_out: str | None
    margin: float
    laws: tuple[JudgedLaw, ...]
    forecasts: tuple[Forecast, ...]
    tokens_per_param: float | None
    planning: Planning | None
    ray: RayBreak | None
    pairs_ahead: Sample | None
    open: tuple[str, ...]
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]
    two_budgets: str
    level: float
    resamples: int
    seed: int
    interrupted: bool
    run_names: tuple[str, ...]

    @property
    def fits(self) -> tuple[LawFit, ...]:
        """Of the laws."""
        return tuple(law.fit for law in self.laws)

    @property
    def n_held_out(self) -> int:
        """Runs that are held out."""
        return int(self.is_held_out.sum())

    @property
    def is_sound(self) -> bool:
        """Whether every law is a certified minimum with no coefficient undetermined."""
        return (self.ray is None or not self.ray.open) and all(
            law.fit.converged
            and not any(estimate.undetermined for estimate in law.estimates.values())
            for law in self.laws
        )

    @property
    def asks_for_params(self) -> bool:
        """Whether some law needs params or tokens for a forecast."""
        return any({"params", "tokens"} & set(fit.kind.asks) for fit in self.fits)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "benchmark": self.benchmark,
            "source": self.source,
            "random_baseline": _plain(self.baseline),
            "n_runs": len(self.sample),
            "n_held_out": self.n_held_out,
            "n_judged": int(self.is_judged.sum()),
            "hold_out": self.hold_out,
            "margin": self.margin,
            "laws": [_record(law, self.run_names) for law in self.laws],
            "forecasts": [forecast.as_dict() for forecast in self.forecasts],
            "tokens_per_param": self.tokens_per_param,
            "planning": _plain(self.planning),
            "ray": None if self.ray is None else self.ray.as_dict(),
            "open": list(self.open),
            "left_out": list(self.left_out),
            "warnings": list(self.warnings),
            "two_budgets": self.two_budgets,
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "interrupted": self.interrupted,
        }

    def tables(self) -> tuple[Table, ...]:
        """The tables of the page."""
        from .report_tables import tables_of

        return tables_of(self)

    def __str__(self) -> str:
        from .report_tables import report_text

        return report_text(self)

    def to_latex(self) -> str:
        """A fragment for a document that loads booktabs."""
        from .report_tables import report_latex

        return report_latex(self)


def report_benchmark(
    evaluations: Evaluations,
    benchmark: str,
    baseline: Baseline,
    kinds: Sequence[Kind],
    *,
    hold_out: str | None = None,
    compute: Any = None,
    ratio: Any = RATIOS,
    tokens_per_param: float | None = None,
    loss_laws: Sequence[Law] = (),
    proxy: str | None = None,
    ray: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = LEVEL,
    progress: bool = False,
) -> Report:
    """Fit laws to a benchmark and gather what follows.

    Parameters
    ----------
    evaluations : Evaluations
    benchmark : str
    baseline : Baseline
        Accuracy of guessing; where it has a standard error, every refit draws its own.
    kinds : sequence of Kind
        Laws of different names. One that cannot be fitted to these runs is left out, and that is
        said.
    hold_out : str, optional
        Condition on the runs that are not fitted but predicted.
    compute : array_like, optional
        Budgets in FLOP for forecasts and allocations; by default ten times the largest compute of
        the fitted runs.
    ratio : array_like
        Overtraining ratios for the table of penalties.
    tokens_per_param : float, optional
        D/N at which laws of params and tokens are asked for a forecast; by default the median of
        the fitted runs.
    loss_laws : sequence of Law
        Whose allocation is judged by this benchmark.
    proxy : str, optional
        Column for two-stage laws; by default the proxy of the runs where they have one alone.
    ray : float, optional
        D/N at which the one-break law is fitted to -log Q', see
        `isoflop.numeric.accuracy.broken_ray`; by default that of the runs where these are all at
        one.
    resamples : int
        Refits to resampled runs, for intervals; 0: none.
    seed : int
    level : float
        Nominal coverage of intervals.
    progress : bool

    Returns
    -------
    Report
        Partial, and marked so, where Ctrl-C ended it.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or no law can be fitted.
    """
    level = checked_level(level)
    ratios = np.atleast_1d(positive_array("ratio", ratio))
    if proxy is None and len(evaluations.proxies) == 1:
        (proxy,) = evaluations.proxies
    data = Benchmark.of(evaluations, benchmark, baseline, kinds, proxy=proxy, hold_out=hold_out)
    whole, held = data.runs, data.held
    if held.all():
        complaint = f"holds out all {len(whole)} runs of {benchmark}; must leave some to fit"
        raise ArgumentError("hold_out", hold_out, complaint=complaint)
    if hold_out is not None and not held.any() and not data.held_pairs.any():
        complaint = f"holds out none of the {len(whole)} runs of {benchmark}"
        raise ArgumentError("hold_out", hold_out, complaint=complaint)
    on_ray, no_ray = _at_one_ratio(whole.subset(~held), ray)
    found = judge_laws([data], resamples=resamples, seed=seed, progress=progress)
    fits: list[LawFit] = [one.fitted for one in found.judged if one.fitted is not None]
    left_out = [f"{one.law}: {one.failed}" for one in found.judged if one.fitted is None]
    interrupted = found.interrupted
    if not fits:
        complaint = f"no law can be fitted: {'; '.join(left_out)}"
        raise ArgumentError("benchmark", benchmark, complaint=complaint)
    data = replace(data, kinds=tuple(fit.kind for fit in fits))
    judged = held & data.is_judged(whole)
    budgets, per_param = _budgets(compute, fits), _tokens_per_param(tokens_per_param, fits)
    to_plan, reason = planning_law(fits)
    planning = None
    if to_plan is None:
        left_out.append(f"allocation and penalties: {reason}")
    else:
        planning = planned(to_plan, budgets, ratios, loss_laws, level)
    one_break = None
    if on_ray is not None and not interrupted:
        try:
            one_break = ray_break(on_ray, level=level, margin=data.margin)
        except ValueError as error:
            no_ray = [f"one-break law at one D/N: {error}"]
    left_out += [*no_ray, *_rows_left_out(evaluations, whole, held, judged, data.margin, fits)]
    sound = [one for one in found.judged if one.fitted is not None]
    laws = tuple(JudgedLaw.of(one, data, level) for one in sound)
    pairs_ahead = None
    if data.pairs is not None:
        pairs_ahead = data.pairs.subset(data.held_pairs & data.is_judged(data.pairs))
    return Report(
        benchmark=benchmark,
        source=evaluations.source,
        baseline=baseline,
        sample=whole,
        is_held_out=held,
        is_judged=judged,
        hold_out=hold_out,
        margin=data.margin,
        laws=laws,
        forecasts=tuple(_forecasts(fits, budgets, per_param, level)),
        tokens_per_param=per_param,
        planning=planning,
        ray=one_break,
        pairs_ahead=pairs_ahead,
        open=tuple(_undetermined(laws)),
        left_out=tuple(left_out),
        warnings=evaluations.warnings,
        two_budgets=_two_budgets(fits),
        level=level,
        resamples=resamples,
        seed=seed,
        interrupted=interrupted,
        run_names=tuple(map(str, evaluations.run)),
    )


# -- fits ----------------------------------------------------------------------------------------


def _is_in_k(kind: Kind) -> bool:
    return "k" in kind.requires


def _record(law: JudgedLaw, names: Sequence[str]) -> dict[str, Any]:
    """A law and its errors as plain data."""
    fit = law.fit
    train, held_out = ({**part} for part in (law.train, law.held_out))
    for part in (train, held_out):
        del part["outside"]
    return {
        "name": law.name,
        "formula": fit.kind.formula,
        "n_below": fit.n_below,
        "margin": fit.margin,
        "converged": fit.converged,
        "n_failed": fit.n_failed,
        "reason": fit.reason,
        "coefficients": [
            {
                "name": name,
                **estimate.as_dict(undetermined="is_open"),
                "bound": fit.limit_of(name, estimate.value),
                "low_bound": fit.limit_of(name, estimate.low),
                "high_bound": fit.limit_of(name, estimate.high),
                "at_most": estimate.at_most,
            }
            for name, estimate in law.estimates.items()
        ],
        "train": train,
        "held_out": held_out,
        "n_missed": law.n_missed,
        "crossing": _plain(law.crossing),
        "predictions": _plain(law.predictions(names)),
    }


def _undetermined(laws: Sequence[JudgedLaw]) -> Iterator[str]:
    for law in laws:
        fit, name = law.fit, law.name
        # Remarks tell of coefficients that lie at a limit themselves.
        loose = ", ".join(
            key
            for key, estimate in law.estimates.items()
            if estimate.undetermined and not fit.limit_of(key, estimate.value)
        )
        if loose:
            alike = f"; {fit.alike}" if fit.alike else ""
            yield f"{name}: these runs leave {loose} undetermined{alike}"
        yield from (f"{name}: {remark}" for remark in fit.remarks)
        if refits := ", ".join(
            f"{key} in {count} of {len(fit.refitted)} refits" for key, count in fit.at_limit.items()
        ):
            yield f"{name}: at a limit of the search: {refits}"
        if fit.weak:
            yield f"{name} is not compared with the others: {fit.weak}"
        if not fit.converged:
            reason = fit.reason or "the search did not settle"
            yield f"{name}: no certified minimum ({reason})"


def _at_one_ratio(sample: Sample, ratio: float | None) -> tuple[Sample | None, list[str]]:
    """The runs at a D/N, or at the one that all share; without these and nothing asked for there is
    nothing to say.
    """
    if sample.at.params is None or sample.at.tokens is None or sample.at.compute is None:
        return None, [] if ratio is None else [
            f"D/N = {ratio:g}: params and tokens of the runs are not known"
        ]
    return at_one_ratio(sample, ratio), []


# -- what follows ----------------------------------------------------------------------------------


def _budgets(compute: Any, fits: Sequence[LawFit]) -> Any:
    if compute is not None and np.size(compute):
        return np.atleast_1d(positive_array("compute", compute))
    known = [
        float(fit.sample.at.compute.max()) for fit in fits if fit.sample.at.compute is not None
    ]
    return np.array([AHEAD * max(known)]) if known else np.empty(0)


def _tokens_per_param(given: float | None, fits: Sequence[LawFit]) -> float | None:
    if given is not None:
        return float(positive_array("tokens_per_param", given))
    for fit in fits:
        at = fit.sample.at
        if at.params is not None and at.tokens is not None:
            return float(np.median(at.tokens / at.params))
    return None


def _forecasts(
    fits: Sequence[LawFit], budgets: Any, per_param: float | None, level: float
) -> list[Forecast]:
    if not len(budgets):
        return []
    params = tokens = None
    if per_param is not None:
        params, tokens = (
            formulas.ray_params(budgets, per_param),
            formulas.ray_tokens(budgets, per_param),
        )
    forecasts = []
    for fit in fits:
        for k in _some_k(fit) if _is_in_k(fit.kind) else (None,):
            at = Points(
                compute=budgets,
                params=params,
                tokens=tokens,
                k=None if k is None else np.full(len(budgets), k),
            )
            if all(getattr(at, name) is not None for name in fit.kind.asks):
                forecasts += _forecast(fit, at, k, level)
    return forecasts


def _some_k(fit: LawFit) -> tuple[float, ...]:
    """The least, the middle and the largest k of the pairs."""
    ks = np.unique(fit.sample.at.column("k"))
    return tuple(dict.fromkeys(float(ks[i]) for i in (0, len(ks) // 2, len(ks) - 1)))


def _forecast(fit: LawFit, at: Points, k: float | None, level: float) -> list[Forecast]:
    """What a law foretells at some points."""
    values = fit.accuracy(at)
    law, new = (
        Band(values, level=level) if ends is None else Band(values, ends[:, 0], ends[:, 1], level)
        for ends in (fit.interval(at, level), fit.new_run(at, level))
    )
    known = fit.sample.at.compute
    beyond = np.zeros(len(at), bool)
    if isinstance(fit.kind, BilinearKind):
        beyond = fit.kind.beyond(fit.values, at)
    return [
        Forecast(
            law=fit.name,
            compute=float(C),
            params=None if at.params is None else float(at.params[i]),
            tokens=None if at.tokens is None else float(at.tokens[i]),
            accuracy=law[i],
            new_run=new[i],
            decades=float("nan") if known is None else float(np.log10(C / known.max())),
            k=k,
            beyond=bool(beyond[i]),
        )
        for i, C in enumerate(at.column("compute"))
    ]


def _rows_left_out(
    evaluations: Evaluations,
    whole: Sample,
    held: Any,
    judged: Any,
    margin: float,
    fits: Sequence[LawFit],
) -> Iterator[str]:
    if missing := len(evaluations) - len(whole):
        runs = counted(missing, "run")
        yield f"{runs} of {len(evaluations)} without a score on {whole.benchmark}"
    below: dict[tuple[int, float | None, str], list[str]] = {}
    for fit in fits:
        what = "pair" if _is_in_k(fit.kind) else "run"
        below.setdefault((fit.n_below, fit.margin, what), []).append(fit.name)
    for (count, least, what), names in below.items():
        if count:
            rows = f"{counted(count, what)} not fitted by {', '.join(names)}"
            yield f"{rows}: at most {least:g} above guessing, or accuracy 1"
    if unjudged := int(held.sum() - judged.sum()):
        runs = counted(unjudged, "held-out run")
        yield f"{runs} not judged: at most {margin:g} above guessing, or accuracy 1"
    if evaluations.left_out:
        yield f"{counted(evaluations.left_out, 'row')} left out by the condition"
    if evaluations.dropped:
        yield f"rows {those_dropped(evaluations.dropped)}"


def _two_budgets(fits: Sequence[LawFit]) -> str:
    """That one C means two things to the laws; "" where it does not."""
    in_compute = [fit for fit in fits if "compute" in fit.kind.asks]
    in_params = [fit for fit in fits if {"params", "tokens"} & set(fit.kind.asks)]
    known = [
        fit.sample.at
        for fit in in_compute
        if fit.sample.at.params is not None and fit.sample.at.tokens is not None
    ]
    if not in_params or not known:
        return ""
    at = known[0]
    ratio = at.column("compute") / formulas.compute(at.column("params"), at.column("tokens"))
    if ((ratio >= NEAR[0]) & (ratio <= NEAR[1])).all():
        return ""
    theirs, others = (", ".join(fit.name for fit in some) for some in (in_compute, in_params))
    return (
        f"{theirs}: C is as the runs give it, {ratio.min():.3g} to {ratio.max():.3g} times 6ND; "
        f"{others}, and what to train: "
        "C = 6ND; at one C they speak of different runs"
    )


def _plain(value: Any) -> Any:
    """Plain data of what a report holds; None for what is not finite."""
    if isinstance(value, Estimate):
        ends = {f"{end}_bound": end in value.at_limit for end in ("low", "high")}
        return value.as_dict() | {"at_most": value.at_most} | ends
    if is_dataclass(value):
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, (tuple, list)):
        return [_plain(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return None if isinstance(value, float) and not np.isfinite(value) else value
