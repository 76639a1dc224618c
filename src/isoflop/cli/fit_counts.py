"""isoflop fit COUNTS: the scaling laws of -log pass@k at every k, and what follows from them."""

from __future__ import annotations

import sys

from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, NO_VERDICT, UsageError, shown
from .render import TABLES, csv_text, json_text, plain, tables_text
from .run_options import check_figure, is_terminal, share, target, whole
from .tables import TableOptions, declare_counts, draws_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .arguments import Options

FORMATS = ("text", "json", "csv", *TABLES)
LAWS = ("compute", "params-tokens", "gold")
METHODS = ("likelihood", "least-squares-log")
#: What models are drawn together by: "auto" leaves it to the models, "none" draws them one by one.
CLUSTERS = {"auto": "auto", "params": "params", "tokens": "tokens", "none": None}
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
        "Laws of -log pass@k for every k, with intervals; params, tokens or compute of the "
        "models are in\n"
        "COUNTS or in --models, the -log probability g that each gives to the gold solutions in"
        " --gold:\n"
        "  compute        E0(k) + C0(k) C^-alpha(k)\n"
        "  params-tokens  E0(k) + N0(k) N^-beta(k) + D0(k) D^-gamma(k), and alpha of its envelope\n"
        "  gold           xi0(k) + K0(k) g^kappa(k)\n"
        "and the compute above which the laws of all k hold together. Exit status 3: a "
        "coefficient is left\n"
        "open, a minimum is not certified, or laws contradict each other at a compute that is "
        "asked for.",
        [
            "isoflop fit counts.csv --models models.csv --law compute --k 1 10 100 --format csv",
            "isoflop fit counts.csv --models models.csv --gold gold.csv --plot laws.png",
            "isoflop fit counts.csv --models models.csv --k 1 10 --ratio 0.1 10 --compute 1e22",
        ],
    )
    declare_counts(built)
    asked = built.add_argument_group("laws")
    takes_one(asked, "--of", "pass@k", "what the law is of; default: pass@k for counts of samples")
    of_models = "default: all for which the models' covariates are there"
    takes_one(asked, "--law", "LAW,...", f"{', '.join(LAWS)}; {of_models}")
    usual = "1, 2, 5, 10, ... up to 10,000, or to the fewest samples of any problem (least squares)"
    takes_several(asked, "--k", "K", f"default: {usual}")
    how = "likelihood of the counts (default; any k, models without a success, adaptive sampling)"
    how += ", or least squares on the unbiased estimates"
    takes_one(asked, "--method", "|".join(METHODS), how)
    sure = built.add_argument_group("uncertainty and what follows")
    takes_one(sure, "--bootstrap", "N", f"resamples of models; 0 for none; default: {RESAMPLES}")
    takes_one(sure, "--seed", "S", "of the resamples; default: 0")
    together = "draw models with the same params (or tokens) together, as checkpoints of one run "
    together += "should be, or one by one; default (auto): params, where four sizes or more repeat"
    takes_one(sure, "--cluster", "|".join(CLUSTERS), together)
    takes_one(sure, "--level", "SHARE", f"of intervals; default: {LEVEL}")
    takes_several(sure, "--ratio", "RATIO", "add the penalty at overtraining ratios, for every k")
    ahead = "add -log pass@k by the compute law at each compute in FLOP, and what the allocation "
    ahead += "that is optimal for one k costs at another; refused where laws contradict each other"
    takes_several(sure, "--compute", "C", ahead)
    declare_output(built, *FORMATS, plot="draw models, laws and coefficients against k")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where something is left open or refused."""
    form = options.chosen("--format", FORMATS)
    table = TableOptions(options, "counts", LISTS)
    asked, plot = _asked(options), target(options, "--plot")
    if plot is not None:
        check_figure(plot)
    counts = table.counts()

    from ..numeric.passk.laws import fit_passk

    found = fit_passk(counts, progress=is_terminal(sys.stderr), **asked)
    if plot is not None:
        from ..numeric.plot.panels import save
        from ..numeric.plot.passk_laws import plot_passk

        save(plot_passk(found)[0], plot)
    if form == "json":
        text = json_text(plain(found.as_dict()))
    elif form == "csv":
        text = csv_text(found.rows())
    elif form in TABLES:
        text = tables_text(found.tables(), form)
    else:
        from ..numeric.data.rows import those_dropped

        dropped = [f"rows {those_dropped(counts.dropped)}"] if counts.dropped else []
        text = "\n".join([str(found), *(f"note: {each}" for each in (*counts.warnings, *dropped))])
    return text, DONE if found.sound and not found.ahead["refused"] else NO_VERDICT


def _asked(options: Options) -> dict[str, Any]:
    """What the options say, by the arguments of `fit_passk`, checked before any work is done."""
    laws = options.several("--law")
    for name in laws or ():
        if name not in LAWS:
            raise UsageError(f"--law {shown(name)}: must be one of {', '.join(LAWS)}")
    resamples = whole(options, "--bootstrap", least=0)
    if resamples == 1:
        raise UsageError("--bootstrap '1': must be 0, or at least 2 for intervals")
    ratios, compute = (
        [value for _, value in options.positives(option) or []]
        for option in ("--ratio", "--compute")
    )
    if ratios and laws is not None and "params-tokens" not in laws:
        words = " ".join(options.words("--ratio") or ())
        raise UsageError(f"--ratio {shown(words)}: is for the law params-tokens")
    return {
        "laws": laws,
        "k": draws_of(options),
        "method": options.chosen("--method", METHODS),
        "resamples": RESAMPLES if resamples is None else resamples,
        "seed": whole(options, "--seed", least=0) or 0,
        "cluster": CLUSTERS[options.chosen("--cluster", tuple(CLUSTERS))],
        "level": share(options, "--level") or LEVEL,
        "ratios": ratios,
        "compute": compute,
    }
