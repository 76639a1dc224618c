"""isoflop report: one page on a benchmark."""

from __future__ import annotations

import sys

from ..theory.data.notation import close_matches
from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, outside, shown
from .evaluation_options import EvaluationTable, declare_baseline
from .render import TABLES, written
from .run_options import check_figure, is_terminal, say_interrupted, target, whole
from .selection import loss_law
from .tables import declare_evaluations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..numeric.accuracy.report import Report
    from ..numeric.data.evaluations import Evaluations
    from .arguments import Options

SUMMARY = "one page on a benchmark: laws, errors, what to train for it, forecast"
DESCRIPTION = """\
Laws of a benchmark with intervals, their errors on fitted and held-out runs, the allocation of
params and tokens that is best for it, what over- and undertraining cost in points of accuracy,
what training for the least loss costs, and forecasts with the interval of a new run.
Exit status 3: a law cannot be fitted, is no certified minimum, or has coefficients left open, the
one-break law at one D/N included."""
FORMATS = ("text", "json", *TABLES)
DEFAULT_LAWS = ("compute", "compute-ceiling", "params-tokens")
LISTS = ("--law", "--loss-law", "--compute", "--ratio")
RESAMPLES = 200


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop report",
        [
            "RUNS --benchmark NAME [--law LAW ...] [--hold-out CONDITION] ...",
            "RUNS --benchmark NAME [--compute C ...] [--ratio RATIO ...] [--loss-law LAW]",
            "RUNS --benchmark NAME [--format FORMAT] [--output FILE] [--plot FILE]",
        ],
        DESCRIPTION,
        [
            "isoflop simulate --seed 1 -o evaluations.csv",
            "isoflop report evaluations.csv --benchmark ARC-E --hold-out 'compute > 6e21' "
            "--bootstrap 50",
            "isoflop report evaluations.csv --benchmark PIQA --bootstrap 0 --loss-law "
            "besiroglu2024",
            "isoflop report evaluations.csv --benchmark PIQA --law compute --format latex -o "
            "piqa.tex",
            "isoflop report evaluations.csv --benchmark HumanEval --law compute bilinear "
            "--bootstrap 50",
        ],
    )
    declare_evaluations(
        built,
        benchmarks="the benchmark, with the other k of its pass@k if it has some; needed unless it "
        "is alone",
    )
    declare_baseline(built)
    laws = built.add_argument_group("laws")
    takes_several(
        laws,
        "--law",
        "LAW",
        f"as in backtest; default: those of {', '.join(DEFAULT_LAWS)} that the runs allow",
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
        f"refits to resampled runs, for intervals of 90 %; 0: none; default: {RESAMPLES}",
    )
    takes_one(follows, "--seed", "S", "of the resamples; default: 0")
    declare_output(built, *FORMATS, plot="draw runs, laws, forecast and residuals")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where a law is not determined, 130 where Ctrl-C left
    a part undone.
    """
    form = options.chosen("--format", FORMATS)
    plot = target(options, "--plot")
    target(options, "--output")
    if plot is not None:
        check_figure(plot)
    report, n_laws = _report(options)
    if plot is not None:
        from ..numeric.plot.panels import save
        from ..numeric.plot.report import plot_report

        save(plot_report(report), plot)
    text = written(form, report, report.as_dict())
    if report.interrupted:
        from ..numeric.words import counted

        done = f"{len(report.laws)} of {counted(n_laws, 'law')} are fitted"
        say_interrupted(f"{done}; laws and refits that were not reached are left out")
        return text, INTERRUPTED
    return text, DONE if report.is_sound and len(report.laws) == n_laws else NO_VERDICT


def _report(options: Options) -> tuple[Report, int]:
    """The report, and how many laws it was asked for; every option is checked before any work."""
    table = EvaluationTable(options, LISTS)
    named = _laws(options)
    repeats = whole(options, "--bootstrap", least=0)
    if repeats == 1:
        raise UsageError("--bootstrap '1': must be 0, or at least 2 for intervals")
    settings: dict[str, Any] = {
        "hold_out": options.one("--hold-out"),
        "compute": [value for _, value in options.positives("--compute") or []],
        "ratio": [value for _, value in options.positives("--ratio") or []],
        "loss_laws": [loss_law(word) for word in options.words("--loss-law") or []],
        "resamples": repeats,
        "seed": whole(options, "--seed", least=0),
    }
    evaluations = table.read()
    benchmark = _benchmark(table, evaluations)
    baseline = table.baselines()[benchmark]
    names = named or _possible(evaluations)
    from ..numeric.accuracy.laws import kind_for
    from ..numeric.accuracy.planning import PLANNING
    from ..numeric.accuracy.report import report_benchmark

    kinds = [kind_for(name, baseline) for name in names]
    if not set(PLANNING) & set(names):
        why = "and --law names none" if named else "for which the runs lack params or tokens"
        for option in options.given("--ratio", "--loss-law"):
            words = shown(" ".join(options.words(option) or ()))
            raise UsageError(f"{option} {words}: is for {' or '.join(PLANNING)}, {why}")
    given = {name: value for name, value in settings.items() if value not in (None, [])}
    bar = is_terminal(sys.stderr)
    report = report_benchmark(evaluations, benchmark, baseline, kinds, progress=bar, **given)
    return report, len(names)


def _benchmark(table: EvaluationTable, evaluations: Evaluations) -> str:
    keys = tuple(evaluations.scores) if table.names is not None else evaluations.benchmarks
    # A benchmark that is measured by pass@k comes with its other k.
    named = [key for key in keys if key in (table.names or ())] or [
        key for key in keys if key in evaluations.benchmarks
    ]
    if len(keys) == 1 or len(named) == 1:
        return keys[0] if len(keys) == 1 else named[0]
    raise UsageError(
        f"--benchmark: name one of {', '.join(evaluations.benchmarks)}; a report is on one"
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
    has = {"params-tokens": has_both}
    names = [name for name in DEFAULT_LAWS if has.get(name, evaluations.compute is not None)]
    if not names:
        complaint = "has neither compute nor params and tokens; every law needs one of these"
        raise UsageError(f"{evaluations.source}: {complaint}")
    return tuple(names)
