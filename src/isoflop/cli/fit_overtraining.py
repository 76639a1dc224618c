"""isoflop fit --law overtraining: what training past the compute optimum costs in loss and in
error, by the laws of Gadre et al. 2024.
"""

from __future__ import annotations

from .arguments import Parser, declare_output, takes
from .domains import name
from .errors import DONE, NO_VERDICT, UsageError, shown
from .render import TABLES, draw, written
from .tables import declare_evaluations, evaluations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..numeric.data.evaluations import Evaluations
    from .arguments import Options

HELP = """\
isoflop fit RUNS --law overtraining --loss COLUMN [--benchmark NAME ...] [--fit-where CONDITION]

Two laws fitted to some runs, and what they say of the others (Gadre et al. 2024):
  loss   L = E + A params^-beta + B tokens^-beta
  error  1 - Q = epsilon - k exp(-gamma L), Q the mean raw accuracy over the benchmarks
then the optimal tokens per param, which are the same at every compute, and what 4, 16 and 64
times as many cost.
Exit status 3: a law has no certified minimum, or undetermined coefficients.

examples:
  isoflop simulate --seed 1 -o evaluations.csv
  isoflop fit evaluations.csv --law overtraining --loss c4 --where 'dataset!="C4"' --fit-where \
'compute<1e21'
"""
FORMATS = ("text", "json", *TABLES)
#: Stands for the tasks of Gadre et al. 2024.
PUBLISHED = "gadre2024"
#: Option -> how the library calls what it sets, and what it does.
CONDITIONS = {
    "--fit-where": ("fit_where", "fit the law of loss to these; default: all"),
    "--error-where": ("error_where", "fit the law of error to these; default: as --fit-where"),
    "--predict-where": ("predict_where", "predict these; default: all but those of --fit-where"),
}


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    declare_evaluations(
        built,
        benchmarks=f"the error is that on these, {PUBLISHED}: the 17 of that paper; default: all",
    )
    law = built.add_argument_group("law and runs")
    takes(law, "--law", "overtraining", "this law")
    takes(law, "--loss", "COLUMN", "the losses; needed", name, sets="proxy")
    for option, (_, what) in CONDITIONS.items():
        takes(law, option, "CONDITION", what)
    declare_output(built, *FORMATS, plot="draw loss against compute, and error against loss")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where a law is not determined."""
    from ..numeric.accuracy.overtraining import fit_overtraining

    loss = options["--loss"]
    if loss is None:
        raise UsageError("--loss is missing: name the column of losses")
    runs = evaluations(options)
    laws = fit_overtraining(
        runs,
        loss=loss,
        benchmarks=_benchmarks(options, runs),
        **{name: options[option] for option, (name, _) in CONDITIONS.items()},
    )
    draw(options, laws.plot)
    is_sound = laws.loss_fit.is_sound and laws.error_fit.is_sound
    return written(options["--format"], laws), DONE if is_sound else NO_VERDICT


def _benchmarks(options: Options, runs: Evaluations) -> tuple[str, ...] | None:
    """Those that were asked for, None for all."""
    from ..numeric.accuracy.overtraining import GADRE_TASKS

    words = options["--benchmark"]
    named = None if words is None else tuple(words)
    if named is None or PUBLISHED not in named or PUBLISHED in runs.scores:
        return named
    if lacking := [task for task in GADRE_TASKS if task not in runs.scores]:
        what = f"{runs.source} lacks {len(lacking)} of its {len(GADRE_TASKS)} tasks"
        raise UsageError(f"--benchmark {shown(PUBLISHED)}: {what}: {', '.join(lacking)}")
    return GADRE_TASKS
