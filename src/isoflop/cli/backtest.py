"""isoflop backtest: laws judged on rows that they were not fitted to."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from textwrap import fill

from ..numeric.data.numerals import parse
from ..numeric.errors import ArgumentError
from .arguments import POSITIONAL, Parser, declare_output, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, outside, shown, with_options
from .evaluation_options import LISTS as OF_EVALUATION_LISTS
from .evaluation_options import PUBLISHED, EvaluationTable, declare_guessing
from .render import TABLES, WIDTH, csv_text, json_text, tables_text
from .run_options import check_figure, is_terminal, say_interrupted, share, target, whole
from .tables import TableOptions, declare_evaluations, declare_models, draws_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..numeric.backtest import Backtest
    from ..numeric.backtest.comparison import Comparison
    from ..numeric.data.table import RawTable
    from .arguments import Options

SUMMARY = "judge laws on runs, evaluations or counts that they were not fitted to"
FORMATS = ("text", "json", "csv", *TABLES)
#: What a table is of, by what --of calls it.
EVALUATIONS = "evaluations"
OF = {"loss": "runs", "accuracy": EVALUATIONS, "pass@k": "counts"}
AXES = ("compute", "params", "tokens", "gold")
LISTS = ("--law", "--k", "--cutoffs", *OF_EVALUATION_LISTS)
OF_COUNTS = ("--k", "--by", "--models", "--gold")
#: Options that only evaluations have.
OF_EVALUATIONS = (
    *("--benchmark", "--percent", "--metric", "--small-runs", "--margin", "--average", "--proxy"),
)
LEVEL, RESAMPLES = 0.9, 200
#: A law with one of these is a formula.
OPERATORS = frozenset("+*/^(")
#: Argument of the library -> option, where they are not called alike.
OPTION_OF = {
    "laws": "--law",
    "law": "--law",
    "model": "--law",
    "axis": "--rolling",
    "thresholds": "--cutoffs",
}


def parser() -> Parser:
    """The options of this command."""
    from ..numeric.accuracy.laws import LAWS as OF_ACCURACY
    from ..numeric.fit.models import MODELS
    from ..numeric.passk.kinds import KINDS

    built = Parser(
        "isoflop backtest",
        ["TABLE [--law LAW ...] [--hold-out CONDITION | --rolling AXIS | --sweep]"],
        "TABLE holds runs with a loss, evaluations of runs on benchmarks, or counts of samples and\n"
        "correct ones by model and problem; the columns tell which, or --of does.\n"
        "The laws are fitted to some rows and predict others: those of a condition (--hold-out);\n"
        "from cutoff to cutoff (--rolling); or from every cutoff all beyond it (--sweep).\n"
        "Runs and counts: relative errors by decades held out, the coverage of prediction\n"
        "intervals, and over how many decades every coefficient stays within its final interval.\n"
        "Evaluations: laws of accuracy side by side; --rolling and --sweep are added to that.\n"
        "Exit status 3: no prediction could be compared with an observation, or a law of accuracy\n"
        "has no certified fit; 2: no fit could be made at all.",
        [
            "isoflop backtest counts.csv --models models.csv --k 1 100",
            "isoflop backtest counts.csv --models models.csv --sweep --plot backtest.png",
            "isoflop backtest runs.csv --targets 10% --plot backtest.png",
            "isoflop simulate --seed 1 -o evaluations.csv",
            "isoflop backtest evaluations.csv --benchmark ARC-E --hold-out 'compute > 6e21'",
        ],
    )
    declare_evaluations(built, metavar="TABLE")
    declare_guessing(built)
    counts = built.add_argument_group("counts")
    declare_models(counts)
    takes_several(counts, "--k", "K", "default: 1, 10, 100, ... up to 10,000")
    asked = built.add_argument_group("backtest")
    takes_one(asked, "--of", "|".join(OF), "what the laws are of; default: what the columns tell")
    takes_several(
        asked,
        "--law",
        "LAW",
        f"of a loss {', '.join(MODELS)}, or an expression; of pass@k {', '.join(KINDS)}; of "
        f"accuracy {', '.join(OF_ACCURACY)}; default: those with columns",
    )
    takes_one(
        asked,
        "--proxy",
        "COLUMN",
        "the loss or other metric that two-stage laws of accuracy go by; default: the only one "
        "there is",
    )
    held_out = "predict these rows from all others, such as 'compute > 6e21'"
    takes_one(asked, "--hold-out", "CONDITION", held_out)
    takes_one(
        asked,
        "--rolling",
        "|".join(AXES),
        f"cutoffs in this; of runs and counts by default {AXES[0]}; evaluations: the runs up to "
        f"the next cutoff, of those that are not held out",
    )
    asked.add_argument(
        "--sweep",
        action="store_true",
        help="from every cutoff predict all rows beyond it; evaluations: from where on that succeeds",
    )
    takes_several(
        asked,
        "--cutoffs",
        "N|VALUE,...",
        "so many, evenly spread, or these values; default: every model's; of evaluations 6, and "
        "with --sweep 24 from 6e19 to 5e22 FLOP",
    )
    takes_one(
        asked,
        "--targets",
        "N|SHARE",
        "of runs and counts, what is predicted and never trained on: models at the N highest "
        "values, or a share of the models; default: 1",
    )
    takes_one(asked, "--level", "SHARE", f"nominal coverage of intervals; default: {LEVEL}")
    takes_one(
        asked,
        "--bootstrap",
        "N",
        f"resamples behind intervals; default: {RESAMPLES}, of evaluations 0: none",
    )
    takes_one(asked, "--seed", "S", "of the resamples; default: 0")
    takes_one(asked, "--jobs", "J", "processes, -1 for all; needs joblib; default: 1")
    drawn = "draw the errors; of evaluations the laws, or the successes of the sweep"
    declare_output(built, *FORMATS, plot=drawn)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where nothing could be compared or a law has no
    certified fit, 130 where Ctrl-C left a part undone.
    """
    if options.words(POSITIONAL) is None:
        after = "".join(
            f", in front of {option}, which takes all that follows it"
            for option in options.given(*LISTS)[:1]
        )
        raise UsageError(f"TABLE is missing: name a CSV or JSON file{after}")
    what = OF[options.chosen("--of", tuple(OF))] if "--of" in options else None
    if what is None and options.given(*OF_EVALUATIONS):
        what = EVALUATIONS
    table = None
    if what is None:
        from ..numeric.backtest.trials import kind_of_table

        file = TableOptions(options, EVALUATIONS, LISTS)
        table = file.table()
        what = kind_of_table(table, file.columns)
    plot, form = target(options, "--plot"), options.chosen("--format", FORMATS)
    target(options, "--output")
    if plot is not None:
        check_figure(plot)
    resamples, usual = (
        whole(options, "--bootstrap", least=0),
        0 if what == EVALUATIONS else RESAMPLES,
    )
    settings = {
        "laws": _laws(options),
        "hold_out": options.one("--hold-out"),
        "level": share(options, "--level") or LEVEL,
        "seed": whole(options, "--seed", least=0) or 0,
        "jobs": whole(options, "--jobs", least=None) or 1,
        "progress": is_terminal(sys.stderr),
        "resamples": usual if resamples is None else resamples,
    }
    try:
        if what == EVALUATIONS:
            found = _of_evaluations(options, table, form, settings)
        else:
            found = _Found(_of_models(options, what, table, settings))
    except ArgumentError as error:
        raise with_options(error, options, OPTION_OF) from None
    if plot is not None:
        _draw(found, plot)
    text, result = _written(found, form), found.result
    if any(one.interrupted for one in (result, *found.studies())):
        made = f"{len(result)} of {result.planned} fits are made"
        say_interrupted(f"{made}; what was not reached is left out")
        return text, INTERRUPTED
    return text, DONE if result.has_verdict and not found.failed else NO_VERDICT


@dataclass
class _Found:
    """A result; and further hold-outs of the laws of a comparison, by the key that they have in
    JSON, with those that the runs are too few for and what is to be said of them.
    """

    result: Any
    further: dict[str, list[Any]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def studies(self) -> list[Any]:
        """The further ones."""
        return [one for several in self.further.values() for one in several]


def _draw(found: _Found, plot: str) -> None:
    from ..numeric.backtest import Backtest
    from ..numeric.plot.backtest import plot_errors, plot_sweep
    from ..numeric.plot.compare import plot_comparison
    from ..numeric.plot.panels import save

    result = found.result
    if isinstance(result, Backtest):
        save(plot_errors(result), plot)
    elif result.benchmarks:
        sweeps = found.further.get("thresholds")
        save(plot_sweep(sweeps[0]) if sweeps else plot_comparison(result), plot)


def _written(found: _Found, form: str) -> str:
    from ..numeric.backtest import Backtest

    result = found.result
    if form == "json":
        data = result.as_dict()
        data |= {name: [one.as_dict() for one in many] for name, many in found.further.items()}
        if not isinstance(result, Backtest):
            data |= {"studies_failed": found.failed, "studies_notes": found.notes}
        return json_text(data)
    if form == "csv":
        return csv_text(list(result.rows()))
    if form == "latex":
        return str(result.to_latex())
    if form in TABLES:
        return tables_text(result.tables(), form)
    warnings = [f"warning: {each}" for each in (*found.failed, *found.notes)]
    parts = [str(one) for one in (result, *found.studies())]
    return "\n\n".join([*parts, *(fill(each, WIDTH, subsequent_indent="  ") for each in warnings)])


def _laws(options: Options) -> list[str] | None:
    """Names of laws, and formulas, which may hold spaces."""
    words = options.words("--law")
    if words is None:
        return None
    laws = [
        law
        for word in words
        for law in ([word] if OPERATORS & {*word} else word.replace(",", " ").split() or [word])
    ]
    for law in laws:
        if laws.count(law) > 1:
            raise UsageError(f"--law {shown(law)}: is given twice")
    return laws


def _cutoffs(options: Options) -> int | list[float] | None:
    """One small whole number is how many."""
    typed = options.positives("--cutoffs")
    if typed is None:
        return None
    values = [value for _, value in typed]
    is_count = len(values) == 1 and values[0] == int(values[0]) and values[0] <= 1e4
    return int(values[0]) if is_count and options.one("--rolling") != "gold" else values


# -- runs and counts -------------------------------------------------------------------------------


def _of_models(
    options: Options, what: str, table: RawTable | None, settings: dict[str, Any]
) -> Backtest:
    from ..numeric.backtest import backtest

    others = "evaluations" if what == "counts" else "counts or evaluations"
    foreign = ("--random-baseline",) if what == "counts" else OF_COUNTS
    for option in options.given(*foreign, *OF_EVALUATIONS):
        typed = " ".join(options.words(option) or ()) if option != "--percent" else ""
        raise UsageError(f"{option} {shown(typed)}: is for {others}, not for {what}")
    others_given = options.given("--rolling", "--sweep", "--cutoffs", "--targets")
    if "--hold-out" in options and others_given:
        raise UsageError(
            f"--hold-out: is a rule of its own, not to be joined with {others_given[0]}"
        )
    if "--sweep" in options and "--targets" in options:
        raise UsageError("--targets: is not for --sweep, which predicts all rows beyond a cutoff")
    settings |= {
        "axis": options.chosen("--rolling", AXES),
        "targets": "all" if "--sweep" in options else _targets(options),
        "cutoffs": _cutoffs(options),
        "k": draws_of(options),
    }
    file = TableOptions(options, what, LISTS, table)
    if what == "counts":
        return backtest(file.counts(), **settings)
    from ..numeric.fit.models import form_of

    columns = {name for law in settings["laws"] or () for name in form_of(law).names}
    return backtest(file.runs("loss", names=columns), **settings)


def _targets(options: Options) -> int | float:
    text = options.one("--targets")
    if text is None:
        return 1
    domain = "a whole number of at least 1, or a share between 0 and 1"
    try:
        value = parse(text)
    except ValueError as error:
        raise outside("--targets", text, domain, str(error)) from None
    if 0.0 < value < 1.0:
        return value
    if not 1.0 <= value < 2.0**53 or value != int(value) or {"%", "."} & {*text}:
        raise outside("--targets", text, domain)
    return int(value)


# -- evaluations -----------------------------------------------------------------------------------


def _of_evaluations(
    options: Options, table: RawTable | None, form: str, settings: dict[str, Any]
) -> _Found:
    from ..numeric.backtest.compare import compare_laws

    for option in options.given(*OF_COUNTS, "--targets"):
        raise UsageError(f"{option}: is for counts or runs, not for evaluations")
    if settings["resamples"] == 1:
        raise UsageError("--bootstrap '1': must be 0, or at least 2 for intervals")
    if options.one("--rolling") not in (None, "compute"):
        axis = shown(options.one("--rolling") or "")
        raise UsageError(f"--rolling {axis}: must be compute for evaluations")
    studied = options.given("--rolling", "--sweep")
    if "--cutoffs" in options and not studied:
        raise UsageError("--cutoffs: is for --rolling or --sweep")
    if studied and form not in ("text", "json"):
        raise UsageError(f"{studied[0]}: is for --format text or json")
    file = EvaluationTable(options, LISTS, table)
    cutoffs, evaluations = _cutoffs(options), file.read()
    comparison = compare_laws(
        evaluations,
        benchmarks=evaluations.benchmarks,
        baselines=file.baselines(),
        proxy=options.one("--proxy"),
        margin=file.margins,
        **settings,
    )
    found = _Found(comparison)
    studies = {"--sweep": ("thresholds", _sweep), "--rolling": ("rolling", _rolling)}
    for option, (name, study) in studies.items():
        if option in options and not comparison.interrupted:
            found.notes += _takes_guessing_as_exact(comparison, option)
            try:
                found.further[name] = study(file, comparison, cutoffs, settings, found.notes)
            except ValueError as error:
                why = str(error).replace("thresholds=", "--cutoffs ")
                found.failed.append(f"{option}: {why}")
    return found


def _sweep(
    file: EvaluationTable,
    comparison: Comparison,
    cutoffs: Any,
    settings: dict[str, Any],
    notes: list[str],
) -> list[Any]:
    """The laws in compute from every threshold to all runs beyond it."""
    from ..numeric.accuracy.baselines import Baseline
    from ..numeric.accuracy.laws import kind_for
    from ..numeric.backtest.comparison import IN_K
    from ..numeric.backtest.sweep import sweep_thresholds

    if isinstance(file.margins, dict):
        raise ValueError("takes one --margin for all benchmarks")
    data = [comparison.data[name] for name in comparison.benchmarks]
    own = [each.name for each in data if each.baseline.margin is not None]
    if own and file.margins is None:
        what = f"the laws' own, not that of {PUBLISHED} for {', '.join(own)}"
        notes.append(f"--sweep: one margin for all benchmarks, {what}")
    kinds = [
        kind_for(name, Baseline(0.0), margin=file.margins)
        for name in comparison.asked
        if name != IN_K
    ]
    chosen = {name: settings[name] for name in ("jobs", "progress", "seed", "level")}
    return [sweep_thresholds([each.runs for each in data], kinds, thresholds=cutoffs, **chosen)]


def _rolling(
    file: EvaluationTable,
    comparison: Comparison,
    cutoffs: Any,
    settings: dict[str, Any],
    notes: list[str],
) -> list[Any]:
    """The laws in compute from cutoff to cutoff within the fitted runs, those with the proxy where
    some law needs it.
    """
    from numpy import all as every

    from ..numeric.backtest.comparison import IN_K
    from ..numeric.backtest.origin import CUTOFFS, rolling_origin

    results: list[Any] = []
    for name in comparison.benchmarks:
        data = comparison.data[name]
        kinds = [kind for kind in data.kinds if kind.name != IN_K]
        fitted, known = ~data.held, every([data.has_proxy(kind) for kind in kinds], axis=0)
        if missing := int((fitted & ~known).sum()):
            notes.append(
                f"--rolling: {name}: {missing} of {int(fitted.sum())} runs lack the proxy "
                f"{comparison.proxy} and are left out for all laws; --law without two-stage laws "
                f"uses them"
            )
        chosen = {option: settings[option] for option in ("jobs", "progress")}
        sample = data.runs.subset(fitted & known)
        results.append(rolling_origin(sample, kinds, cutoffs=cutoffs or CUTOFFS, **chosen))
    return results


def _takes_guessing_as_exact(comparison: Comparison, study: str) -> list[str]:
    """That what guessing scores is an estimate somewhere, and not exact."""
    data = comparison.data
    errors = {name: data[name].baseline.standard_error for name in comparison.benchmarks}
    if not any(errors.values()):
        return []
    widest = max(errors, key=errors.__getitem__)
    return [
        f"{study}: takes what guessing scores as exact; it is an estimate, with a standard "
        f"error of up to {errors[widest]:.2g} ({widest})"
    ]
