"""isoflop fit COUNTS: the scaling laws of -log pass@k at every k, and what follows from them."""

from __future__ import annotations

import sys

from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, shown
from .render import TABLES, csv_text, json_text, plain, tables_text
from .run_options import check_figure, is_terminal, say_interrupted, share, target, whole
from .tables import TableOptions, declare_counts, draws_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..numeric.data.counts import Counts
    from ..numeric.passk.study import PassStudy
    from .arguments import Options

FORMATS = ("text", "json", "csv", *TABLES)
LAWS = ("compute", "params-tokens", "gold")
METHODS = ("likelihood", "least-squares-log")
#: What models are drawn together by: "auto" leaves it to the models, "none" draws them one by one.
AUTO, ALONE = "auto", "none"
CLUSTERS = ("params", "tokens", ALONE)
LISTS = ("--k", "--ratio", "--compute")
RESAMPLES, LEVEL = 200, 0.9


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop fit",
        [
            "COUNTS --models TABLE [--gold TABLE] [--law LAW,...] [--k K ...]",
            "COUNTS ... [--bootstrap N] [--ratio RATIO ...] [--compute C ...]",
        ],
        "COUNTS has a row for each model and problem: how many samples were drawn, and how many "
        "were correct.\n"
        "The models' params, tokens or compute are in COUNTS or in --models, the -log probability "
        "that each\n"
        "gives to the gold solutions in --gold. For every k, with intervals:\n"
        "  compute        -log pass@k = E0(k) + C0(k) C^-alpha(k)\n"
        "  params-tokens  -log pass@k = E0(k) + N0(k) N^-beta(k) + D0(k) D^-gamma(k)\n"
        "  gold           -log pass@k = xi0(k) + K0(k) g^kappa(k)\n"
        "then the compute above which the laws of all k hold together, and the envelope of the "
        "second law\n"
        "beside the first.\n"
        "Exit status 3: a coefficient is left open, a minimum is not certified, or a prediction is "
        "refused.",
        [
            "isoflop fit counts.csv --models models.csv",
            "isoflop fit counts.csv --models models.csv --law compute --k 1 10 100 --format csv",
            "isoflop fit counts.csv --models models.csv --gold gold.csv --plot laws.png",
            "isoflop fit counts.csv --models models.csv --k 1 10 --ratio 0.1 10 --compute 1e22",
        ],
    )
    declare_counts(built)
    asked = built.add_argument_group("laws")
    takes_one(
        asked,
        "--of",
        "pass@k",
        "what the law is of; default: pass@k, as the table holds counts of samples",
    )
    takes_one(
        asked,
        "--law",
        "LAW,...",
        f"{', '.join(LAWS)}; default: all for which the models' covariates are there",
    )
    takes_several(
        asked,
        "--k",
        "K",
        "default: 1, 2, 5, 10, ... up to 10,000, or to the fewest samples of any problem (least "
        "squares)",
    )
    takes_one(
        asked,
        "--method",
        "|".join(METHODS),
        "likelihood of the counts with models scattered about the law (default; any k, models "
        "without a success, adaptive "
        "sampling), or least squares on the unbiased estimates",
    )
    sure = built.add_argument_group("uncertainty and what follows")
    takes_one(sure, "--bootstrap", "N", f"resamples of models; 0 for none; default: {RESAMPLES}")
    takes_one(sure, "--seed", "S", "of the resamples; default: 0")
    takes_one(
        sure,
        "--cluster",
        "|".join(CLUSTERS),
        "draw models with the same params (or tokens) together, as checkpoints of one run should "
        "be, or one by one; default: "
        "params, where sizes repeat and there are at least four",
    )
    takes_one(sure, "--level", "SHARE", f"of intervals; default: {LEVEL}")
    takes_several(
        sure,
        "--ratio",
        "RATIO",
        "add the penalty and the effective compute at overtraining ratios, for every k",
    )
    takes_several(
        sure,
        "--compute",
        "C",
        "add predictions of the compute law at each compute in FLOP, and what the allocation that "
        "is optimal for one k costs at another; refused where the laws contradict each other",
    )
    declare_output(built, *FORMATS, plot="draw models, laws and coefficients against k")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where something is left open, 130 where Ctrl-C left a
    part undone.
    """
    form = options.chosen("--format", FORMATS)
    asked = _Asked(options)
    counts = asked.table.counts()
    study = asked.study(counts)
    if asked.plot is not None:
        from ..numeric.plot.panels import save
        from ..numeric.plot.passk_laws import plot_study

        save(plot_study(study)[0], asked.plot)
    if form == "json":
        text = json_text(plain(study.as_dict()))
    elif form == "csv":
        text = csv_text(study.rows())
    elif form in TABLES:
        text = tables_text(study.tables(), form)
    else:
        text = "\n\n".join([str(study), *_notes(counts)])
    if study.interrupted:
        say_interrupted(
            f"{study.done} of {study.planned} fits are made; laws and k that were not reached are "
            f"left out"
        )
        return text, INTERRUPTED
    return text, DONE if study.sound and not study.refused else NO_VERDICT


class _Asked:
    """The options of the command, each checked before any work is done."""

    def __init__(self, options: Options) -> None:
        self.table = TableOptions(options, "counts", LISTS)
        self.laws = options.several("--law")
        for name in self.laws or ():
            if name not in LAWS:
                raise UsageError(f"--law {shown(name)}: must be one of {', '.join(LAWS)}")
        self.k = draws_of(options)
        self.method = options.chosen("--method", METHODS)
        resamples = whole(options, "--bootstrap", least=0)
        if resamples == 1:
            raise UsageError("--bootstrap '1': must be 0, or at least 2 for intervals")
        self.resamples = RESAMPLES if resamples is None else resamples
        self.seed = whole(options, "--seed", least=0) or 0
        word = options.one("--cluster")
        if word is not None and word not in CLUSTERS:
            raise UsageError(f"--cluster {shown(word)}: must be one of {', '.join(CLUSTERS)}")
        self.cluster = AUTO if word is None else None if word == ALONE else word
        self.level = share(options, "--level") or LEVEL
        self.ratios, self.compute = (
            [value for _, value in options.positives(option) or []]
            for option in ("--ratio", "--compute")
        )
        if self.ratios and self.laws is not None and "params-tokens" not in self.laws:
            raise UsageError(
                f"--ratio {shown(' '.join(options.words('--ratio') or ()))}: is for the law "
                f"params-tokens"
            )
        self.plot = target(options, "--plot")
        target(options, "--output")
        if self.plot is not None:
            check_figure(self.plot)

    def study(self, counts: Counts) -> PassStudy:
        from ..numeric.passk.study import study_passk

        return study_passk(
            counts,
            laws=self.laws,
            k=self.k,
            method=self.method,
            resamples=self.resamples,
            seed=self.seed,
            cluster=self.cluster,
            level=self.level,
            ratios=self.ratios,
            compute=self.compute,
            progress=is_terminal(sys.stderr),
        )


def _notes(counts: Counts) -> list[str]:
    from ..numeric.data.rows import those_dropped

    dropped = [f"rows {those_dropped(counts.dropped)}"] if counts.dropped else []
    said = "\n".join(f"note: {text}" for text in [*counts.warnings, *dropped])
    return [said] if said else []
