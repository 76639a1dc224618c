"""isoflop backtest of evaluations: laws of benchmark accuracy on runs that they were not fitted to."""

from __future__ import annotations

import sys

from ..numeric.errors import ArgumentError
from .arguments import takes_one, takes_several
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, shown, with_options
from .evaluation_options import PUBLISHED, EvaluationTable
from .render import WIDTH, csv_text, json_text
from .run_options import check_figure, is_terminal, say_interrupted, share, target, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..numeric.accuracy.kind import Kind
    from ..numeric.backtest.comparison import Comparison
    from ..numeric.data.sample import Sample
    from ..numeric.data.table import Table
    from .arguments import Options, Parser

FORMATS = ("text", "json", "csv", "latex")
LEVEL = 0.9
#: Options that take all the words after them.
LISTS = ("--law", "--threshold")
#: Studies beside the comparison, by their key in JSON.
STUDIES = {
    "thresholds": "--sweep",
    "rolling": "--rolling",
    "ceiling": "--ceiling",
    "proxies": "--proxies",
}
#: Options that only evaluations have.
OF_EVALUATIONS = (
    *(
        "--benchmark",
        "--percent",
        "--metric",
        "--small-runs",
        "--margin",
        "--average",
        "--hold-out",
        "--proxy",
    ),
    *("--sweep", "--threshold", "--ceiling", "--proxies", "--coefficients"),
)


def declare_accuracy(parser: Parser) -> None:
    """The options of evaluations alone."""
    group = parser.add_argument_group("evaluations")
    takes_one(
        group,
        "--hold-out",
        "CONDITION",
        "predict these runs from all others, such as 'compute > 6e21'",
    )
    takes_one(
        group,
        "--proxy",
        "COLUMN",
        "the loss or other metric that two-stage laws go by; default: the only one there is",
    )
    group.add_argument(
        "--sweep",
        action="store_true",
        help="fit below every threshold of compute, predict above it: from where on that succeeds",
    )
    takes_several(group, "--threshold", "C", "of --sweep, in FLOP; default: 24 from 6e19 to 5e22")
    group.add_argument(
        "--ceiling",
        action="store_true",
        help="whether all runs tell a ceiling of accuracy, by each law that can have one",
    )
    group.add_argument(
        "--proxies", action="store_true", help="how well each loss or other proxy tells accuracy"
    )
    group.add_argument(
        "--coefficients", action="store_true", help="add the coefficients of every law to the text"
    )


def run(options: Options, table: Table | None = None) -> tuple[str, int]:
    """The output and exit status: 3 where a law has no certified fit, 130 where Ctrl-C left a part
    undone.
    """
    form = options.chosen("--format", FORMATS)
    asked = _Asked(options, table)
    comparison = asked.comparison()
    studies = {} if comparison.interrupted else asked.studies(comparison)
    if asked.plot is not None and comparison.benchmarks:
        _draw(comparison, studies.get("thresholds", []), asked.plot)
    interrupted = comparison.interrupted or any(
        getattr(each, "interrupted", False) for found in studies.values() for each in found
    )
    if form == "json":
        data = comparison.as_dict() | {
            name: [each.as_dict() for each in found] for name, found in studies.items()
        }
        text = json_text(data | {"studies_failed": asked.failed, "studies_notes": asked.notes})
    elif form == "csv":
        text = csv_text(comparison.rows())
    elif form == "latex":
        text = comparison.to_latex()
    else:
        text = _text(comparison, studies, asked)
    if interrupted:
        planned = len(comparison.asked) * len(asked.table.read().benchmarks)
        say_interrupted(
            f"{len(comparison.entries)} of {planned} fits are made; what was not reached is left "
            f"out"
        )
        return text, INTERRUPTED
    is_told = not asked.coefficients or not any(each.undetermined for each in comparison.entries)
    return text, DONE if comparison.sound and is_told and not asked.failed else NO_VERDICT


def _text(comparison: Comparison, studies: dict[str, list[Any]], asked: _Asked) -> str:
    from textwrap import wrap

    from ..numeric.backtest.comparison_tables import coefficients_of

    parts = [str(comparison)]
    parts += [coefficients_of(comparison).text()] if asked.coefficients else []
    parts += [str(each) for found in studies.values() for each in found]
    notes = [f"warning: {text}" for text in (*asked.failed, *asked.notes)]
    if studies.get("ceiling"):
        from ..numeric.accuracy.ceiling import CAVEAT

        notes.insert(0, CAVEAT)
    return "\n\n".join(
        [*parts, *("\n".join(wrap(note, WIDTH, subsequent_indent="  ")) for note in notes)]
    )


class _Asked:
    """The options of the command, each checked before any work is done."""

    def __init__(self, options: Options, table: Table | None) -> None:
        from ..numeric.accuracy.laws import LAWS
        from ..theory.data.notation import close_matches

        self.options, self.table = options, EvaluationTable(options, LISTS, table)
        self.laws = options.several("--law")
        for name in self.laws or ():
            if name not in LAWS:
                raise UsageError(
                    f"--law {shown(name)}: must be one of "
                    f"{', '.join(LAWS)}{close_matches(name, LAWS)}"
                )
            if (self.laws or []).count(name) > 1:
                raise UsageError(f"--law {shown(name)}: is given twice")
        self.hold_out, self.proxy = options.one("--hold-out"), options.one("--proxy")
        resamples = whole(options, "--bootstrap", least=0)
        if resamples == 1:
            raise UsageError("--bootstrap '1': must be 0, or at least 2 for intervals")
        self.resamples = resamples or 0
        self.seed = whole(options, "--seed", least=0) or 0
        self.level = share(options, "--level") or LEVEL
        self.jobs = whole(options, "--jobs", least=None) or 1
        self.sweep, self.rolling = "--sweep" in options, options.one("--rolling")
        if self.rolling not in (None, "compute"):
            raise UsageError(
                f"--rolling {shown(self.rolling or '')}: must be compute for evaluations"
            )
        self.ceiling, self.proxies = "--ceiling" in options, "--proxies" in options
        found = options.positives("--threshold")
        self.thresholds = None if found is None else [value for _, value in found]
        if self.thresholds is not None and not self.sweep:
            raise UsageError("--threshold: is for --sweep")
        for option in options.given(
            "--sweep", "--rolling", "--ceiling", "--proxies", "--coefficients"
        ):
            allowed = ("text",) if option == "--coefficients" else ("text", "json")
            if options.chosen("--format", FORMATS) not in allowed:
                raise UsageError(f"{option}: is for --format {' or '.join(allowed)}")
        self.coefficients = "--coefficients" in options
        #: Studies that could not be made, and why; and what they left out.
        self.failed: list[str] = []
        self.notes: list[str] = []
        self.plot = target(options, "--plot")
        target(options, "--output")
        if self.plot is not None:
            check_figure(self.plot)
        self.progress = is_terminal(sys.stderr)

    def comparison(self) -> Comparison:
        """The laws on the benchmarks."""
        from ..numeric.backtest.compare import compare_laws

        evaluations, baselines = self.table.read(), self.table.baselines()
        try:
            return compare_laws(
                evaluations,
                laws=self.laws,
                benchmarks=evaluations.benchmarks,
                hold_out=self.hold_out,
                baselines=baselines,
                proxy=self.proxy,
                margin=self.table.margins,
                resamples=self.resamples,
                seed=self.seed,
                level=self.level,
                jobs=self.jobs,
                progress=self.progress,
            )
        except ArgumentError as error:
            raise with_options(error, self.options, {"laws": "--law"}) from None

    def studies(self, comparison: Comparison) -> dict[str, list[Any]]:
        """The further studies that were asked for, by name; of one that the runs are too few for,
        why in `failed`.
        """
        wanted: dict[str, tuple[bool, Callable[[Comparison], list[Any]]]] = {
            "thresholds": (self.sweep, self._thresholds),
            "rolling": (self.rolling is not None, self._rolling),
            "ceiling": (self.ceiling, self._ceilings),
            "proxies": (self.proxies, self._proxies),
        }
        found: dict[str, list[Any]] = {}
        for name, (asked, study) in wanted.items():
            if not asked:
                continue
            try:
                found[name] = study(comparison)
            except ValueError as error:
                self.failed.append(
                    f"{STUDIES[name]}: {str(error).replace('thresholds=', '--threshold ')}"
                )
        return found

    def _proxies(self, comparison: Comparison) -> list[Any]:
        from ..numeric.accuracy.proxy_quality import proxy_quality

        return [proxy_quality(self.table.read(), benchmarks=comparison.benchmarks)]

    def _thresholds(self, comparison: Comparison) -> list[Any]:
        """Threshold sensitivity, over all runs."""
        from ..numeric.backtest.sweep import sweep_thresholds

        if isinstance(self.table.margins, dict):
            raise ValueError("takes one --margin for all benchmarks")
        samples = [self._sample(comparison, name) for name in comparison.benchmarks]
        own = [
            name for name in comparison.benchmarks if comparison.baselines[name].margin is not None
        ]
        if own and self.table.margins is None:
            what = f"the laws' own, not that of {PUBLISHED} for {', '.join(own)}"
            self.notes.append(f"--sweep: one margin for all benchmarks, {what}")
        self._say_exact(comparison, "--sweep")
        sweep = sweep_thresholds(
            samples,
            self._kinds(comparison, None),
            thresholds=self.thresholds,
            seed=self.seed,
            level=self.level,
            jobs=self.jobs,
            progress=self.progress,
        )
        return [sweep]

    def _rolling(self, comparison: Comparison) -> list[Any]:
        """Extrapolation within the fitted runs, those with the proxy where some law needs it."""
        from numpy import isfinite

        from ..numeric.backtest.origin import rolling_origin

        self._say_exact(comparison, "--rolling")
        found: list[Any] = []
        for name in comparison.benchmarks:
            sample, kinds = self._fitted(comparison, name), self._kinds(comparison, name)
            known = (
                isfinite(sample.at.proxy) if any("proxy" in kind.needs for kind in kinds) else None
            )
            if known is not None and not known.all():
                self.notes.append(
                    f"--rolling: {name}: {int((~known).sum())} of {len(sample)} runs lack the "
                    f"proxy {comparison.proxy} and are "
                    "left out for all laws; --law without two-stage laws uses them"
                )
                sample = sample.subset(known)
            found.append(rolling_origin(sample, kinds, jobs=self.jobs, progress=self.progress))
        return found

    def _ceilings(self, comparison: Comparison) -> list[Any]:
        """The ceilings that all runs tell, by the laws that were asked for; of one that they are
        too few for, why in `failed`.
        """
        from ..numeric.accuracy.ceiling import ceiling_of
        from ..numeric.accuracy.power import CEILING_KINDS

        asked = [law for law, other in CEILING_KINDS.items() if {law, other} & {*comparison.asked}]
        evaluations = self.table.read()
        if evaluations.params is None or evaluations.tokens is None:
            asked = [law for law in asked or ["compute"] if law == "compute"]
        found: list[Any] = []
        for name in comparison.benchmarks:
            baseline, sample = comparison.baselines[name], self._sample(comparison, name)
            margin = baseline.margin if self._margin(name) is None else self._margin(name)
            for law in asked or CEILING_KINDS:
                try:
                    found.append(
                        ceiling_of(
                            sample,
                            law=law,
                            margin=margin,
                            level=self.level,
                            standard_error=baseline.standard_error,
                        )
                    )
                except ValueError as error:
                    self.failed.append(f"--ceiling: {law}: {error}")
        return found

    def _say_exact(self, comparison: Comparison, study: str) -> None:
        """That a study takes for known what guessing scores."""
        errors = {name: comparison.baselines[name].standard_error for name in comparison.benchmarks}
        if any(errors.values()):
            widest = max(errors, key=errors.__getitem__)
            self.notes.append(
                f"{study}: takes what guessing scores as exact; it is an estimate, with a standard "
                f"error of up to "
                f"{errors[widest]:.2g} ({widest})"
            )

    def _margin(self, benchmark: str | None) -> float | None:
        margins = self.table.margins
        return margins.get(benchmark or "") if isinstance(margins, dict) else margins

    def _kinds(self, comparison: Comparison, benchmark: str | None) -> list[Kind]:
        """The laws in compute, not in k."""
        from ..numeric.accuracy.baselines import Baseline
        from ..numeric.accuracy.laws import kind_for
        from ..numeric.backtest.comparison import IN_K

        names = [name for name in self.laws or comparison.asked if name != IN_K]
        baseline = Baseline(0.0) if benchmark is None else comparison.baselines[benchmark]
        return [kind_for(name, baseline, margin=self._margin(benchmark)) for name in names]

    def _sample(self, comparison: Comparison, name: str) -> Sample:
        """All runs with a score, with the proxy where they have it."""
        from dataclasses import replace

        evaluations = self.table.read()
        sample = evaluations.sample(name, comparison.baselines[name].value)
        if comparison.proxy is None:
            return sample
        return replace(
            sample, at=replace(sample.at, proxy=evaluations.proxy(comparison.proxy)[sample.index])
        )

    def _fitted(self, comparison: Comparison, name: str) -> Sample:
        sample = self._sample(comparison, name)
        return (
            sample
            if self.hold_out is None
            else sample.subset(~self.table.read().held_out(sample, self.hold_out))
        )


def _draw(comparison: Comparison, sweeps: list[Any], path: str) -> None:
    """The sweep where there is one, else the comparison."""
    from ..numeric.plot.compare import plot_comparison
    from ..numeric.plot.panels import save
    from ..numeric.plot.thresholds import plot_thresholds

    save(plot_thresholds(sweeps[0]) if sweeps else plot_comparison(comparison), path)
