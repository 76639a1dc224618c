"""isoflop report: one page on a benchmark."""

from __future__ import annotations

import sys

from ..theory.data.notation import close_matches
from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, outside, shown
from .evaluation_options import EvaluationTable, declare_guessing
from .render import json_text, plain
from .run_options import check_figure, is_terminal, say_interrupted, share, target, whole
from .selection import loss_law
from .tables import declare_evaluations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..numeric.accuracy.report import Report
    from ..numeric.data.evaluations import Evaluations
    from .arguments import Options

SUMMARY = "one page on a benchmark: laws, errors, what to train for it, forecast"
FORMATS = ("text", "json", "latex")
DEFAULT_LAWS = ("compute", "compute-ceiling", "params-tokens")
LISTS = ("--law", "--loss-law", "--compute", "--ratio")
RESAMPLES, LEVEL = 200, 0.9
#: How the library calls what an option sets.


def parser() -> Parser:
    """The options of this command."""
    from ..numeric.data.sample import SPREAD

    built = Parser(
        "isoflop report",
        [
            "RUNS --benchmark NAME [--law LAW ...] [--hold-out CONDITION] ...",
            "RUNS --benchmark NAME [--compute C ...] [--ratio RATIO ...] [--loss-law LAW]",
            "RUNS --benchmark NAME [--format text|json|latex] [--output FILE] [--plot FILE]",
        ],
        "Laws of a benchmark with intervals, their errors on fitted and held-out runs, the "
        "allocation of\n"
        "params and tokens that is best for it, what over- and undertraining cost in points of "
        "accuracy,\n"
        "what training for the least loss costs, and forecasts with the interval of a new run.\n"
        "Exit status 3: a law cannot be fitted, is no certified minimum, or has coefficients left "
        "open, the\n"
        "one-break law at one D/N included.",
        [
            "isoflop simulate --dataset mixture --seed 1 -o evaluations.csv",
            "isoflop report evaluations.csv --benchmark ARC-E --hold-out 'compute > 6e21' "
            "--bootstrap 50",
            "isoflop report evaluations.csv --benchmark PIQA --bootstrap 0 --loss-law "
            "besiroglu2024",
            "isoflop report evaluations.csv --benchmark PIQA --law compute --format latex -o "
            "piqa.tex",
            "isoflop report evaluations.csv --benchmark PIQA --law compute --ray 20 --bootstrap 0",
            "isoflop report evaluations.csv --benchmark HumanEval --law compute bilinear "
            "--bootstrap 50",
        ],
    )
    declare_evaluations(
        built,
        benchmarks="the benchmark, with the other k of its pass@k if it has some; needed unless it "
        "is alone",
    )
    declare_guessing(built)
    laws = built.add_argument_group("laws")
    takes_several(
        laws,
        "--law",
        "LAW",
        f"as in backtest; default: those of {', '.join(DEFAULT_LAWS)} that the runs allow",
    )
    takes_one(laws, "--proxy", "COLUMN", "of two-stage laws: loss or another metric of the run")
    takes_one(
        laws,
        "--first-stage",
        "NAME",
        "of two-stage laws: how the proxy follows from the budget; default: compute",
    )
    takes_one(
        laws,
        "--hold-out",
        "CONDITION",
        "runs that are not fitted but predicted, such as 'compute > 6e21'",
    )
    follows = built.add_argument_group("what follows, and how sure it is")
    takes_several(
        follows,
        "--compute",
        "C",
        "budgets in FLOP for forecasts and allocations; default: ten times the largest fitted run",
    )
    takes_several(
        follows,
        "--ratio",
        "RATIO",
        "overtraining ratios of the table of penalties; default: 0.1 0.3 3 10 30",
    )
    takes_one(
        follows,
        "--tokens-per-param",
        "NUMBER",
        "D/N of the forecasts by laws of params and tokens; default: the runs' median",
    )
    takes_one(
        follows,
        "--ray",
        "RATIO",
        "fit the one-break law to -log Q' of the runs at this D/N, and say whether it is the "
        "params+tokens law, c1 f1 = -1; "
        f"default: where all fitted runs are at one, each within a factor {SPREAD:g} of it",
    )
    takes_several(
        follows,
        "--loss-law",
        "LAW",
        "a published law of loss or a JSON law file: what its allocation costs here",
    )
    takes_one(
        follows,
        "--bootstrap",
        "N",
        f"refits to resampled runs, for intervals; 0: none; default: {RESAMPLES}",
    )
    takes_one(follows, "--seed", "S", "of the resamples; default: 0")
    takes_one(follows, "--level", "SHARE", f"coverage of intervals; default: {LEVEL}")
    declare_output(built, *FORMATS, plot="draw runs, laws, forecast and residuals")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where a law is not determined, 130 where Ctrl-C left
    a part undone.
    """
    form = options.chosen("--format", FORMATS)
    asked = _Asked(options)
    report = asked.report()
    if asked.plot is not None:
        from ..numeric.plot.panels import save
        from ..numeric.plot.report import plot_report

        save(plot_report(report), asked.plot)
    text = (
        json_text(plain(report.as_dict()))
        if form == "json"
        else report.to_latex()
        if form == "latex"
        else str(report)
    )
    if report.interrupted:
        from ..numeric.words import counted

        done = f"{len(report.laws)} of {counted(asked.n_laws, 'law')} are fitted"
        say_interrupted(f"{done}; laws and refits that were not reached are left out")
        return text, INTERRUPTED
    return text, DONE if report.is_sound and len(report.laws) == asked.n_laws else NO_VERDICT


class _Asked:
    """The options of the command, each checked before any work is done."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.table = EvaluationTable(options, LISTS)
        self.names = _laws(options)
        self.first_stage = options.one("--first-stage")
        if self.first_stage is not None:
            from ..numeric.accuracy.laws import FIRST_STAGES

            self.first_stage = options.chosen("--first-stage", FIRST_STAGES)
        self.compute = [value for _, value in options.positives("--compute") or []]
        self.ratios = [value for _, value in options.positives("--ratio") or []]
        self.tokens_per_param = options.positive("--tokens-per-param")
        self.ray = options.positive("--ray")
        self.loss_laws = [loss_law(word) for word in options.words("--loss-law") or []]
        repeats = whole(options, "--bootstrap", least=0)
        if repeats == 1:
            raise UsageError("--bootstrap '1': must be 0, or at least 2 for intervals")
        self.resamples = RESAMPLES if repeats is None else repeats
        self.seed = whole(options, "--seed", least=0) or 0
        self.level = share(options, "--level") or LEVEL
        self.plot = target(options, "--plot")
        target(options, "--output")
        if self.plot is not None:
            check_figure(self.plot)
        self.n_laws = 0

    def report(self) -> Report:
        from ..numeric.accuracy.laws import kind_for
        from ..numeric.accuracy.planning import PLANNING
        from ..numeric.accuracy.report import RATIOS, report_benchmark

        evaluations = self.table.read()
        benchmark = self._benchmark(evaluations)
        baseline = self.table.baselines()[benchmark]
        names = self.names or _possible(evaluations)
        self.n_laws = len(names)
        stage = self.first_stage or "compute"
        kinds = [
            kind_for(name, baseline, margin=self.table.margin, first_stage=stage) for name in names
        ]
        if not any({"params", "tokens"} & set(kind.asks) for kind in kinds):
            _refuse_idle(
                self.options,
                ("--tokens-per-param",),
                "laws of params and tokens",
                named=self.names is not None,
            )
        if not set(PLANNING) & set(names):
            _refuse_idle(
                self.options,
                ("--ratio", "--loss-law"),
                " or ".join(PLANNING),
                named=self.names is not None,
            )
        settings: dict[str, Any] = {
            "hold_out": self.options.one("--hold-out"),
            "tokens_per_param": self.tokens_per_param,
            "proxy": self._proxy(evaluations, names),
            "ray": self.ray,
        }
        return report_benchmark(
            evaluations,
            benchmark,
            baseline,
            kinds,
            **settings,
            compute=self.compute or None,
            ratio=self.ratios or RATIOS,
            loss_laws=self.loss_laws,
            resamples=self.resamples,
            seed=self.seed,
            level=self.level,
            progress=is_terminal(sys.stderr),
        )

    def _benchmark(self, evaluations: Evaluations) -> str:
        if self.table.average is not None:
            from ..numeric.accuracy.averages import AVERAGE

            return AVERAGE
        keys = tuple(evaluations.scores) if self.table.names is not None else evaluations.benchmarks
        if len(keys) == 1:
            return keys[0]
        # A benchmark that is measured by pass@k comes with its other k.
        named = [key for key in keys if key in (self.table.names or ())] or [
            key for key in keys if key in evaluations.benchmarks
        ]
        if len(named) == 1:
            return named[0]
        raise UsageError(
            f"--benchmark: name one of {', '.join(evaluations.benchmarks)}; a report is on one"
        )

    def _proxy(self, evaluations: Evaluations, names: tuple[str, ...]) -> str | None:
        """The proxy of two-stage laws: the one that was named, else the only one there is."""
        given = self.options.one("--proxy")
        staged = [name for name in names if name.startswith("two-stage")]
        if not staged:
            for option in self.options.given("--proxy", "--first-stage"):
                raise UsageError(
                    f"{option} {shown(str(self.options.one(option)))}: is for two-stage laws, and "
                    f"--law names none"
                )
            return None
        if given is None and len(evaluations.proxies) != 1:
            have = ", ".join(evaluations.proxies)
            raise UsageError(
                f"--proxy is missing: {staged[0]} needs one; {evaluations.source} has "
                f"{have or 'none'}"
            )
        return given if given is not None else next(iter(evaluations.proxies))


def _refuse_idle(options: Options, idle: tuple[str, ...], law: str, *, named: bool) -> None:
    """UsageError where an option was given that no law of the report can answer."""
    for option in options.given(*idle):
        why = "and --law names none" if named else "for which the runs lack params or tokens"
        raise UsageError(
            f"{option} {shown(' '.join(options.words(option) or ()))}: is for {law}, {why}"
        )


def _laws(options: Options) -> tuple[str, ...] | None:
    """The laws that were asked for, None where none was."""
    words = options.several("--law")
    if words is None:
        return None
    from ..numeric.accuracy.laws import LAWS

    for word in words:
        if word not in LAWS:
            raise outside("--law", word, f"one of {', '.join(LAWS)}{close_matches(word, LAWS)}")
        if words.count(word) > 1:
            raise UsageError(f"--law {shown(word)}: is given twice")
    return tuple(words)


def _possible(evaluations: Evaluations) -> tuple[str, ...]:
    """The default laws for which there are the quantities."""
    has_both = evaluations.params is not None and evaluations.tokens is not None
    has_compute = evaluations.compute is not None
    found = tuple(
        name for name in DEFAULT_LAWS if (has_both if name.startswith("params") else has_compute)
    )
    if not found:
        raise UsageError(
            f"{evaluations.source}: has neither compute nor params and tokens; every law needs one "
            f"of these"
        )
    return found
