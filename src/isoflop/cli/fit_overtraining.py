"""isoflop fit --law overtraining: what training past the compute optimum costs in loss and in
error, by the laws of Gadre et al. 2024.
"""

from __future__ import annotations

from ..numeric.errors import ArgumentError
from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, NO_VERDICT, UsageError, shown, with_options
from .evaluation_options import EvaluationTable, told_apart
from .render import TABLES, plain, written
from .run_options import check_figure, target
from .tables import declare_evaluations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..numeric.accuracy.baselines import Baseline
    from ..numeric.accuracy.overtraining import Overtraining
    from ..numeric.data.evaluations import Evaluations
    from .arguments import Options

FORMATS = ("text", "json", *TABLES)
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
OPTION_OF = {"proxy": "--loss"}


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop fit",
        [
            "RUNS --law overtraining --loss COLUMN [--benchmark NAME ...] [--fit-where CONDITION]",
            "RUNS --law overtraining --loss COLUMN [--compute C ...] [--tokens-per-param M ...]",
        ],
        "Two laws fitted to some runs, and what they say of the others (Gadre et al. 2024):\n"
        "  loss   L = E + (a M^eta + b M^-eta) C^-eta, M = tokens per parameter, C = 6 params "
        "tokens\n"
        "  error  1 - Q = epsilon - k exp(-gamma L), Q the mean raw accuracy over the benchmarks\n"
        "then the optimal M, which is the same at every compute, and what other M cost in loss and "
        "error.\n"
        "Exit status 3: a law has no certified minimum, or undetermined coefficients.",
        [
            "isoflop simulate --seed 1 -o evaluations.csv",
            "isoflop fit evaluations.csv --law overtraining --loss c4 --where 'dataset!=\"C4\"' "
            "--fit-where 'compute<1e21'",
            "isoflop fit evaluations.csv --law overtraining --loss c4 --benchmark ARC-E PIQA",
            "isoflop fit evaluations.csv --law overtraining --loss dclm --compute 1e23 "
            "--tokens-per-param 20 200",
        ],
    )
    # The error is of raw accuracy, and every run counts: what guessing scores plays no part.
    declare_evaluations(
        built,
        guessing=False,
        benchmarks=f"the error is that on these, {PUBLISHED}: the 17 of that paper; default: all",
    )
    law = built.add_argument_group("law and runs")
    takes_one(law, "--law", "overtraining", "this law")
    takes_one(law, "--loss", "COLUMN", "the losses; needed")
    takes_one(law, "--fit-where", "CONDITION", "fit the law of loss to these; default: all")
    takes_one(
        law,
        "--error-where",
        "CONDITION",
        "fit the law of error to these; default: those of --fit-where",
    )
    takes_one(
        law,
        "--predict-where",
        "CONDITION",
        "predict these; default: all that the law of loss is not fitted to",
    )
    follows = built.add_argument_group("what follows")
    takes_several(follows, "--compute", "C", "costs at these; default: the largest of the runs")
    takes_several(follows, "--tokens-per-param", "M", "default: 1 to 64 times the optimal")
    declare_output(
        built,
        *FORMATS,
        plot="draw loss against compute by tokens per parameter, and error against loss",
    )
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where a law is not determined."""
    form = options.chosen("--format", FORMATS)
    asked = _Asked(options)
    laws = asked.fit()
    if asked.plot is not None:
        from ..numeric.plot.overtraining import plot_overtraining
        from ..numeric.plot.panels import save

        save(plot_overtraining(laws), asked.plot)
    return written(form, laws, plain(laws.as_dict())), DONE if laws.is_sound else NO_VERDICT


class _RawTable(EvaluationTable):
    """The table of evaluations as it is, for an error of raw accuracy."""

    def _read(self) -> tuple[Evaluations, dict[str, Baseline]]:
        return self.evaluations(), {}

    def benchmarks(self) -> tuple[str, ...] | None:
        """Those that were asked for, None for all."""
        if self.names is None:
            return None
        from ..numeric.accuracy.overtraining import GADRE_TASKS

        read = self.read()
        named = told_apart(self.names, read.scores)
        if PUBLISHED not in named or PUBLISHED in read.scores:
            return named
        if lacking := [task for task in GADRE_TASKS if task not in read.scores]:
            what = f"{read.source} lacks {len(lacking)} of its {len(GADRE_TASKS)} tasks: {', '.join(lacking)}"
            raise UsageError(f"--benchmark {shown(PUBLISHED)}: {what}")
        return tuple(
            dict.fromkeys(
                task for name in named for task in (GADRE_TASKS if name == PUBLISHED else (name,))
            )
        )


class _Asked:
    """The options of the command, each checked before any work is done."""

    def __init__(self, options: Options) -> None:
        from ..numeric.data.where import parsed

        self.options, self.table = options, _RawTable(options, LISTS)
        self.loss = options.one("--loss")
        if self.loss is None or not self.loss.strip():
            raise UsageError("--loss is missing: name the column of losses")
        self.conditions = {name: options.one(option) for option, name in CONDITIONS.items()}
        for name, condition in self.conditions.items():
            if condition is not None:
                parsed(condition, name)
        self.compute, self.ratios = (
            [value for _, value in options.positives(option) or ()] or None for option in LISTS
        )
        self.plot = target(options, "--plot")
        if self.plot is not None:
            check_figure(self.plot)
        target(options, "--output")

    def fit(self) -> Overtraining:
        """Both laws, the predictions and the costs."""
        from ..numeric.accuracy.overtraining import fit_overtraining

        runs, benchmarks = self.table.read(), self.table.benchmarks()
        for name, condition in self.conditions.items():
            if condition is not None:
                with self.table.in_options():
                    runs.mask(condition, name)

        try:
            return fit_overtraining(
                runs,
                loss=str(self.loss),
                benchmarks=benchmarks,
                **self.conditions,
                compute=self.compute,
                tokens_per_param=self.ratios,
            )
        except ArgumentError as error:
            raise with_options(error, self.options, OPTION_OF) from None
