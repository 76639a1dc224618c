"""isoflop compare-laws: laws of downstream accuracy side by side, on runs that they were not fitted to."""

from __future__ import annotations

import sys

from ..numeric.errors import ArgumentError
from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, shown, with_options
from .evaluation_options import PUBLISHED, EvaluationTable, declare_guessing
from .render import WIDTH, csv_text, json_text
from .run_options import check_figure, is_terminal, say_interrupted, share, target, whole
from .tables import declare_evaluations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..numeric.accuracy.comparison import Comparison
    from ..numeric.accuracy.kind import Kind
    from ..numeric.accuracy.thresholds import Sweep
    from ..numeric.data.sample import Sample
    from .arguments import Options

SUMMARY = "laws of benchmark accuracy side by side: fitted, and judged on held-out runs"
FORMATS = ("text", "json", "csv", "latex")
LEVEL = 0.9
#: Options that take all the words after them.
LISTS = ("--law", "--threshold")
#: What a sweep shows: mean relative or absolute errors.
ERRORS = ("mre", "mae")
#: Studies beside the comparison, by their key in JSON.
STUDIES = {"thresholds": "--sweep", "choice": "--choose", "ceiling": "--ceiling", "proxies": "--proxies"}


def parser() -> Parser:
    """The options of this command."""
    from ..numeric.accuracy.laws import FIRST_STAGES, LAWS

    built = Parser(
        "isoflop compare-laws",
        [
            "RUNS [--hold-out CONDITION] [--law NAME ...] [--benchmark NAME ...]",
            "RUNS [--sweep] [--choose] [--proxies] [--bootstrap N --seed S]",
        ],
        "Laws of benchmark accuracy, each fitted to the runs that are not held out and judged on those\n"
        "that are: direct laws of compute, or of params and tokens, with and without a ceiling, broken power\n"
        "laws, and two-stage laws by way of a loss.\n"
        "Exit status 3: some law could not be fitted to some benchmark, or has no certified minimum there,\n"
        "or the runs are too few for a study; with --coefficients also where a coefficient is left open\n"
        "(errors on held-out runs do not need it, coefficients do).",
        [
            "isoflop simulate --seed 1 -o evaluations.csv",
            "isoflop compare-laws evaluations.csv --benchmark ARC-E --hold-out 'compute > 6e21'",
            "isoflop compare-laws evaluations.csv --benchmark PIQA --law compute bnsl --choose --ceiling",
            "isoflop compare-laws evaluations.csv --benchmark ARC-E --hold-out 'tokens/params > 100'",
        ],
    )
    declare_evaluations(built)
    declare_guessing(built)
    asked = built.add_argument_group("laws")
    takes_several(asked, "--law", "NAME", f"{', '.join(LAWS)}; default: those that the table has the columns for")
    takes_one(
        asked, "--hold-out", "CONDITION", "do not fit these runs, predict them, such as 'compute > 6e21 or tokens/params > 100'"
    )
    takes_one(asked, "--proxy", "COLUMN", "the loss or other metric that two-stage laws go by; default: the only one there is")
    takes_one(
        asked, "--first-stage", "|".join(FIRST_STAGES), f"how the proxy follows from the budget; default: {FIRST_STAGES[0]}"
    )
    studies = built.add_argument_group("further studies")
    studies.add_argument(
        "--sweep", action="store_true", help="fit below every threshold of compute, predict above it: from where on that succeeds"
    )
    takes_several(studies, "--threshold", "C", "of --sweep, in FLOP; default: 24 from 6e19 to 5e22")
    takes_one(studies, "--plot-sweep", "FILE", "of --sweep: draw errors against the threshold, and successes")
    takes_one(studies, "--error", "|".join(ERRORS), f"of --sweep: the errors in text and picture; default: {ERRORS[0]}")
    takes_one(studies, "--success", "SHARE", "of --sweep: the mean relative error that is a success; default: 10%")
    studies.add_argument(
        "--choose", action="store_true", help="AIC, AICc and BIC of the fitted runs beside extrapolation within them"
    )
    studies.add_argument(
        "--ceiling",
        action="store_true",
        help="whether all runs, held-out ones too, tell a ceiling of accuracy, by each law asked for that can have one",
    )
    studies.add_argument("--proxies", action="store_true", help="how well each loss or other proxy tells accuracy")
    sure = built.add_argument_group("uncertainty")
    takes_one(sure, "--bootstrap", "N", "refits to N resamples of the runs, for intervals; default: 0")
    takes_one(sure, "--seed", "S", "of the resamples; default: 0")
    takes_one(sure, "--level", "SHARE", f"of intervals; default: {LEVEL}")
    takes_one(sure, "--jobs", "J", "processes, -1 for all; needs joblib; default: 1")
    sure.add_argument("--coefficients", action="store_true", help="add the coefficients of every law to the text")
    declare_output(built, *FORMATS, plot="draw runs and laws, a panel a benchmark")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where a law has no certified fit, 130 where Ctrl-C left a part undone."""
    form = options.chosen("--format", FORMATS)
    asked = _Asked(options)
    comparison = asked.comparison()
    studies = {} if comparison.interrupted else asked.studies(comparison)
    if asked.plot is not None and comparison.benchmarks:
        _draw(comparison, asked.plot)
    if asked.plot_sweep is not None and "thresholds" in studies:
        _draw_sweep(studies["thresholds"][0], asked.plot_sweep, asked.error)
    interrupted = comparison.interrupted or any(
        getattr(each, "interrupted", False) for found in studies.values() for each in found
    )
    if form == "json":
        data = comparison.as_dict() | {name: [each.as_dict() for each in found] for name, found in studies.items()}
        text = json_text(data | {"studies_failed": asked.failed, "studies_notes": asked.notes})
    elif form == "csv":
        text = csv_text(comparison.rows())
    elif form == "latex":
        text = comparison.to_latex()
    else:
        from textwrap import wrap

        told = [
            each.to_text(asked.error) if name == "thresholds" else str(each) for name, found in studies.items() for each in found
        ]
        parts = [str(comparison), *asked.more(comparison), *told]
        if studies.get("ceiling"):
            from ..numeric.accuracy.ceiling import CAVEAT

            parts.append("\n".join(wrap(CAVEAT, WIDTH, subsequent_indent="  ")))
        parts += ["\n".join(wrap(f"warning: {text}", WIDTH, subsequent_indent="  ")) for text in (*asked.failed, *asked.notes)]
        text = "\n\n".join(parts)
    if interrupted:
        planned = len(comparison.asked) * len(asked.table.read().benchmarks)
        say_interrupted(f"{len(comparison.entries)} of {planned} fits are made; what was not reached is left out")
        return text, INTERRUPTED
    is_told = not asked.coefficients or not any(each.undetermined for each in comparison.entries)
    return text, DONE if comparison.sound and is_told and not asked.failed else NO_VERDICT


class _Asked:
    """The options of the command, each checked before any work is done."""

    def __init__(self, options: Options) -> None:
        from ..numeric.accuracy.laws import FIRST_STAGES, LAWS
        from ..theory.data.notation import close_matches

        self.options, self.table = options, EvaluationTable(options, LISTS)
        self.laws = options.several("--law")
        for name in self.laws or ():
            if name not in LAWS:
                raise UsageError(f"--law {shown(name)}: must be one of {', '.join(LAWS)}{close_matches(name, LAWS)}")
            if (self.laws or []).count(name) > 1:
                raise UsageError(f"--law {shown(name)}: is given twice")
        self.hold_out, self.proxy = options.one("--hold-out"), options.one("--proxy")
        self.first_stage = options.chosen("--first-stage", FIRST_STAGES)
        resamples = whole(options, "--bootstrap", least=0)
        if resamples == 1:
            raise UsageError("--bootstrap '1': must be 0, or at least 2 for intervals")
        self.resamples = resamples or 0
        self.seed = whole(options, "--seed", least=0) or 0
        self.level = share(options, "--level") or LEVEL
        self.jobs = whole(options, "--jobs", least=None) or 1
        self.sweep, self.choose = "--sweep" in options, "--choose" in options
        self.ceiling, self.proxies = "--ceiling" in options, "--proxies" in options
        found = options.positives("--threshold")
        self.thresholds = None if found is None else [value for _, value in found]
        self.success, self.error = share(options, "--success"), options.chosen("--error", ERRORS)
        for option in options.given("--threshold", "--success", "--error", "--plot-sweep"):
            if not self.sweep:
                raise UsageError(f"{option}: is for --sweep")
        for option in options.given("--sweep", "--choose", "--ceiling", "--proxies", "--coefficients"):
            allowed = ("text",) if option == "--coefficients" else ("text", "json")
            if options.chosen("--format", FORMATS) not in allowed:
                raise UsageError(f"{option}: is for --format {' or '.join(allowed)}")
        self.coefficients = "--coefficients" in options
        #: Studies that could not be made, and why; and what they left out.
        self.failed: list[str] = []
        self.notes: list[str] = []
        self.plot, self.plot_sweep = target(options, "--plot"), target(options, "--plot-sweep")
        target(options, "--output")
        if self.plot is not None:
            check_figure(self.plot)
        if self.plot_sweep is not None:
            check_figure(self.plot_sweep, "--plot-sweep")
        self.progress = is_terminal(sys.stderr)

    def comparison(self) -> Comparison:
        """The laws on the benchmarks."""
        from ..numeric.accuracy.compare import compare_laws

        evaluations, baselines = self.table.read(), self.table.baselines()
        try:
            return compare_laws(
                evaluations,
                laws=self.laws,
                benchmarks=evaluations.benchmarks,
                hold_out=self.hold_out,
                baselines=baselines,
                proxy=self.proxy,
                first_stage=self.first_stage,
                margin=self.table.margins,
                resamples=self.resamples,
                seed=self.seed,
                level=self.level,
                jobs=self.jobs,
                progress=self.progress,
            )
        except ArgumentError as error:
            raise with_options(error, self.options, {"laws": "--law"}) from None

    def more(self, comparison: Comparison) -> list[str]:
        """What the text has besides."""
        from ..numeric.accuracy.compare_text import coefficients_text

        return [coefficients_text(comparison)] if self.coefficients else []

    def studies(self, comparison: Comparison) -> dict[str, list[Any]]:
        """The further studies that were asked for, by name; of one that the runs are too few for, why in `failed`."""
        wanted: dict[str, tuple[bool, Callable[[Comparison], list[Any]]]] = {
            "thresholds": (self.sweep, self._thresholds),
            "choice": (self.choose, self._choices),
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
                self.failed.append(f"{STUDIES[name]}: {str(error).replace('thresholds=', '--threshold ')}")
        return found

    def _proxies(self, comparison: Comparison) -> list[Any]:
        from ..numeric.accuracy.proxy_quality import proxy_quality

        return [proxy_quality(self.table.read(), benchmarks=comparison.benchmarks)]

    def _thresholds(self, comparison: Comparison) -> list[Any]:
        """Threshold sensitivity, over all runs."""
        from ..numeric.accuracy.thresholds import SUCCESS, sweep_thresholds

        if isinstance(self.table.margins, dict):
            raise ValueError("takes one --margin for all benchmarks")
        samples = [self._sample(comparison, name) for name in comparison.benchmarks]
        own = [name for name in comparison.benchmarks if comparison.baselines[name].margin is not None]
        if own and self.table.margins is None:
            what = f"the laws' own, not that of {PUBLISHED} for {', '.join(own)}"
            self.notes.append(f"--sweep: one margin for all benchmarks, {what}")
        self._say_exact(comparison, "--sweep")
        sweep = sweep_thresholds(
            samples,
            self._kinds(comparison, None),
            thresholds=self.thresholds,
            success=self.success or SUCCESS,
            seed=self.seed,
            level=self.level,
            jobs=self.jobs,
            progress=self.progress,
        )
        return [sweep]

    def _choices(self, comparison: Comparison) -> list[Any]:
        """The choice of a law by the fitted runs alone, those with the proxy where some law needs it."""
        from numpy import isfinite

        from ..numeric.accuracy.choice import choose

        self._say_exact(comparison, "--choose")
        found: list[Any] = []
        for name in comparison.benchmarks:
            sample, kinds = self._fitted(comparison, name), self._kinds(comparison, name)
            known = isfinite(sample.at.proxy) if any("proxy" in kind.needs for kind in kinds) else None
            if known is not None and not known.all():
                self.notes.append(
                    f"--choose: {name}: {int((~known).sum())} of {len(sample)} runs lack the proxy {comparison.proxy} and are "
                    "left out for all laws; --law without two-stage laws uses them"
                )
                sample = sample.subset(known)
            found.append(choose(sample, kinds, jobs=self.jobs, progress=self.progress))
        return found

    def _ceilings(self, comparison: Comparison) -> list[Any]:
        """The ceilings that all runs tell, by the laws that were asked for; of one that they are too few for, why in `failed`."""
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
                        ceiling_of(sample, law=law, margin=margin, level=self.level, standard_error=baseline.standard_error)
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
                f"{study}: takes what guessing scores as exact; it is an estimate, with a standard error of up to "
                f"{errors[widest]:.2g} ({widest})"
            )

    def _margin(self, benchmark: str | None) -> float | None:
        margins = self.table.margins
        return margins.get(benchmark or "") if isinstance(margins, dict) else margins

    def _kinds(self, comparison: Comparison, benchmark: str | None) -> list[Kind]:
        """The laws in compute, not in k."""
        from ..numeric.accuracy.baselines import Baseline
        from ..numeric.accuracy.compare import kind_for
        from ..numeric.accuracy.comparison import IN_K

        names = [name for name in self.laws or comparison.asked if name != IN_K]
        baseline = Baseline(0.0) if benchmark is None else comparison.baselines[benchmark]
        return [kind_for(name, baseline, margin=self._margin(benchmark), first_stage=self.first_stage) for name in names]

    def _sample(self, comparison: Comparison, name: str) -> Sample:
        """All runs with a score, with the proxy where they have it."""
        from dataclasses import replace

        evaluations = self.table.read()
        sample = evaluations.sample(name, comparison.baselines[name].value)
        if comparison.proxy is None:
            return sample
        return replace(sample, at=replace(sample.at, proxy=evaluations.proxy(comparison.proxy)[sample.index]))

    def _fitted(self, comparison: Comparison, name: str) -> Sample:
        sample = self._sample(comparison, name)
        return sample if self.hold_out is None else sample.subset(~self.table.read().held_out(sample, self.hold_out))


def _draw(comparison: Comparison, path: str) -> None:
    from ..numeric.plot.compare import plot_comparison
    from ..numeric.plot.panels import save

    save(plot_comparison(comparison), path)


def _draw_sweep(sweep: Sweep, path: str, figure: str) -> None:
    from ..numeric.plot.panels import save
    from ..numeric.plot.thresholds import plot_thresholds

    save(plot_thresholds(sweep, figure=figure), path)
