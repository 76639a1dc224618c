"""isoflop overtraining: what training past the compute optimum costs in loss and in error, by the
laws of Gadre et al. 2024.
"""

from __future__ import annotations

import sys

from ..numeric.errors import ArgumentError
from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, shown, with_options
from .evaluation_options import EvaluationTable, told_apart
from .render import csv_text, json_text, plain
from .run_options import check_figure, is_terminal, say_interrupted, share, target, whole
from .tables import declare_evaluations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..numeric.accuracy.baselines import Baseline
    from ..numeric.accuracy.overtraining import Cost, Overtraining
    from ..numeric.data.evaluations import Evaluations
    from .arguments import Options

SUMMARY = "what training past the compute optimum costs in loss and in downstream error"
FORMATS = ("text", "json", "csv", "latex")
RESAMPLED = ("residuals", "cases")
RESAMPLES, LEVEL = 200, 0.9
#: Stands for the tasks of Gadre et al. 2024.
PUBLISHED = "gadre2024"
#: Options that take all the words after them.
LISTS = ("--compute", "--tokens-per-param")
#: Option -> how the library calls what it sets.
CONDITIONS = {
    "--fit-where": "fit_where",
    "--error-where": "error_where",
    "--predict-where": "predict_where",
}
OPTION_OF = {"proxy": "--loss", "repeats": "--bootstrap", "kind": "--resample"}


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop overtraining",
        [
            "RUNS --loss COLUMN [--benchmark NAME ...] [--fit-where CONDITION] ...",
            "RUNS --loss COLUMN [--compute C ...] [--tokens-per-param M ...]",
            "RUNS --loss COLUMN [--bootstrap N --seed S] [--plot FILE]",
        ],
        "Two laws fitted to some runs, and what they say of the others (Gadre et al. 2024):\n"
        "  loss   L = E + (a M^eta + b M^-eta) C^-eta, M = tokens per parameter, C = 6 params "
        "tokens\n"
        "  error  1 - Q = epsilon - k exp(-gamma L), Q the mean raw accuracy over the benchmarks\n"
        "then the optimal M, which is the same at every compute, and what other M cost in loss and "
        "error.\n"
        "Exit status 3: a law has no certified minimum, or coefficients that the runs leave open.",
        [
            "isoflop simulate --seed 1 -o evaluations.csv",
            "isoflop overtraining evaluations.csv --loss c4 --where 'dataset!=\"C4\"' --fit-where "
            "'compute<1e21'",
            "isoflop overtraining evaluations.csv --loss c4 --benchmark ARC-E PIQA --bootstrap 50 "
            "--seed 1",
            "isoflop overtraining evaluations.csv --loss dclm --compute 1e23 --tokens-per-param 20 "
            "200",
        ],
    )
    # What guessing scores has no place here: the error is of raw accuracy, and every run counts.
    declare_evaluations(
        built,
        guessing=False,
        benchmarks=f"the error is that on these, {PUBLISHED}: the 17 of that paper; default: all",
    )
    chosen = built.add_argument_group("runs")
    takes_one(chosen, "--loss", "COLUMN", "the losses; needed")
    takes_one(
        chosen,
        "--fit-where",
        "CONDITION",
        "fit the law of loss to these, such as 'compute < 1e21'; default: all",
    )
    takes_one(
        chosen,
        "--error-where",
        "CONDITION",
        "fit the law of error to these; default: those of --fit-where",
    )
    takes_one(
        chosen,
        "--predict-where",
        "CONDITION",
        "predict these; default: all that the law of loss is not fitted to",
    )
    costs = built.add_argument_group("costs")
    takes_several(costs, "--compute", "C", "in FLOP; default: the largest of the runs")
    takes_several(costs, "--tokens-per-param", "M", "default: 1 to 64 times the optimal")
    sure = built.add_argument_group("uncertainty")
    takes_one(
        sure,
        "--bootstrap",
        "N",
        f"refits to N resamples, for intervals; 0: none; default: {RESAMPLES}",
    )
    takes_one(sure, "--seed", "S", "of the resamples; default: 0")
    takes_one(sure, "--level", "SHARE", f"of the intervals; default: {LEVEL}")
    takes_one(
        sure,
        "--resample",
        "|".join(RESAMPLED),
        "what is drawn: residuals about the laws, which works for a few planned runs, or whole "
        "runs, of which there must be "
        "many; default: residuals",
    )
    declare_output(
        built,
        *FORMATS,
        plot="draw loss against compute by tokens per parameter, and error against loss",
    )
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where a law is not determined, 130 where Ctrl-C left
    resamples undone.
    """
    form = options.chosen("--format", FORMATS)
    asked = _Asked(options)
    found = asked.fit()
    costs = asked.costs(found)
    if asked.plot is not None:
        _draw(found, asked.plot)
    if form == "json":
        from ..numeric.accuracy.overtraining import doubts_of

        more = {
            "costs": [each.as_dict() for each in costs],
            "notes": [*found.notes, *doubts_of(costs)],
        }
        text = json_text(plain(found.as_dict() | more))
    elif form == "csv":
        text = csv_text(found.rows())
    elif form == "latex":
        text = found.to_latex(costs)
    else:
        text = found.to_text(costs)
    if found.draws is not None and found.draws.interrupted:
        say_interrupted(f"intervals from {len(found.draws)} of {found.draws.requested} resamples")
        return text, INTERRUPTED
    return text, DONE if found.sound else NO_VERDICT


class _RawTable(EvaluationTable):
    """The table of evaluations as it is: the error is of raw accuracy, so that no one needs to know
    what guessing scores.
    """

    def _read(self) -> tuple[Evaluations, dict[str, Baseline]]:
        return self.evaluations(), {}

    def benchmarks(self) -> tuple[str, ...] | None:
        """Those that were asked for, None for all."""
        if self.names is None:
            return None
        from ..numeric.accuracy.overtraining import GADRE_TASKS

        read = self.read()
        named = list(told_apart(self.names, read.scores))
        if PUBLISHED in named and PUBLISHED not in read.scores:
            if lacking := [task for task in GADRE_TASKS if task not in read.scores]:
                what = f"{read.source} lacks {len(lacking)} of its {len(GADRE_TASKS)} tasks: {', '.join(lacking)}"
                raise UsageError(f"--benchmark {shown(PUBLISHED)}: {what}")
            named = [
                task for name in named for task in (GADRE_TASKS if name == PUBLISHED else (name,))
            ]
        return tuple(dict.fromkeys(named))


class _Asked:
    """The options of the command, each checked before any work is done."""

    def __init__(self, options: Options) -> None:
        from ..numeric.data.where import Where

        self.options, self.table = options, _RawTable(options, LISTS)
        self.loss = options.one("--loss")
        if self.loss is None or not self.loss.strip():
            raise UsageError("--loss is missing: name the column of losses")
        self.conditions = {option: options.one(option) for option in CONDITIONS}
        for option, condition in self.conditions.items():
            if condition is not None:
                Where.parse(condition, CONDITIONS[option])
        self.compute, self.ratios = (
            None if (found := options.positives(option)) is None else [value for _, value in found]
            for option in LISTS
        )
        resamples = whole(options, "--bootstrap", least=0)
        if resamples == 1:
            raise UsageError("--bootstrap '1': must be 0, or at least 2 for intervals")
        self.resamples = RESAMPLES if resamples is None else resamples
        #: Intervals that no one asked for are no reason to refuse runs that are too few for them.
        self.must_resample = resamples is not None
        self.seed = whole(options, "--seed", least=0) or 0
        self.level = share(options, "--level") or LEVEL
        self.resampled = options.chosen("--resample", RESAMPLED)
        for option in options.given("--seed", "--level", "--resample"):
            if not self.resamples:
                raise UsageError(f"{option} {shown(options.one(option) or '')}: is for --bootstrap")
        self.plot = target(options, "--plot")
        if self.plot is not None:
            check_figure(self.plot)
        target(options, "--output")

    def fit(self) -> Overtraining:
        """Both laws and the predictions."""
        from ..numeric.accuracy.overtraining import fit_overtraining

        runs, benchmarks = self.table.read(), self.table.benchmarks()
        for option, condition in self.conditions.items():
            if condition is not None:
                with self.table.in_options():
                    runs.mask(condition, CONDITIONS[option])
        fit_where, error_where, predict_where = self.conditions.values()

        def fitted(repeats: int) -> Overtraining:
            return fit_overtraining(
                runs,
                loss=str(self.loss),
                benchmarks=benchmarks,
                fit_where=fit_where,
                error_where=error_where,
                predict_where=predict_where,
                repeats=repeats,
                kind=self.resampled,
                seed=self.seed,
                level=self.level,
                progress=is_terminal(sys.stderr),
            )

        try:
            return fitted(self.resamples)
        except ArgumentError as error:
            if not self.must_resample and error.argument in ("kind", "repeats"):
                from dataclasses import replace

                found = fitted(0)
                return replace(found, notes=(*found.notes, f"no intervals: {error.complaint}"))
            raise with_options(error, self.options, OPTION_OF) from None

    def costs(self, found: Overtraining) -> tuple[Cost, ...]:
        """What the ratios that were asked for cost."""
        return found.costs(self.compute, self.ratios)


def _draw(found: Overtraining, path: str) -> None:
    from ..numeric.plot.overtraining import plot_overtraining
    from ..numeric.plot.panels import save

    save(plot_overtraining(found), path)
