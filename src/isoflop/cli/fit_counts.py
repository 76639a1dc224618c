"""isoflop fit COUNTS: the scaling laws of -log pass@k at every k, and what follows from them."""

from __future__ import annotations

import sys

from .arguments import Parser, declare_output, takes, takes_choice
from .domains import flop, one_of, positive, resamples, whole
from .errors import DONE, NO_VERDICT, UsageError, shown
from .render import TABLES, draw, written
from .streams import is_terminal
from .tables import counts, declare_counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .arguments import Options

HELP = """\
isoflop fit COUNTS [--models TABLE] [--gold TABLE] [--law LAW,...] [--k K ...] [--bootstrap N]

Laws of -log pass@k for every k, with intervals; params, tokens or compute of the models are in
COUNTS or in --models, the -log probability g that each gives to the gold solutions in --gold:
  compute        E0(k) + C0(k) C^-alpha(k)
  params-tokens  E0(k) + N0(k) N^-beta(k) + D0(k) D^-gamma(k), and alpha of its envelope
  gold           xi0(k) + K0(k) g^kappa(k)
and the compute above which the laws of all k hold together. Exit status 3: a coefficient is left
open, a minimum is not certified, or laws contradict each other at a compute that is asked for.

examples:
  isoflop fit counts.csv --models models.csv --k 1 10 --ratio 0.1 10 --compute 1e22
"""
LAWS, METHODS = ("compute", "params-tokens", "gold"), ("likelihood", "least-squares-log")


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    declare_counts(built)
    asked = built.add_argument_group("laws")
    takes(asked, "--of", "pass@k", "what the law is of; default: pass@k for counts of samples")
    of_models = f"{', '.join(LAWS)}; default: all for which the models' covariates are there"
    takes(asked, "--law", "LAW,...", of_models, one_of(LAWS), "list")
    usual = "default: 1, 2, 5, 10, ... up to 10,000, or to the fewest samples of any problem"
    takes(asked, "--k", "K", usual, whole(1), "list", distinct=True)
    how = "likelihood of the counts, for any k, or least squares on the unbiased estimates"
    takes_choice(asked, "--method", METHODS, how)
    models = "resamples of models; 0 for none; default: 200"
    takes(asked, "--bootstrap", "N", models, resamples, value=200)
    takes(asked, "--seed", "S", "of the resamples; default: 0", whole(0), value=0)
    takes(asked, "--ratio", "RATIO", "add the penalty at overtraining ratios", positive, "list")
    ahead = "add -log pass@k at each FLOP, and what the optimum of one k costs at another"
    takes(asked, "--compute", "C", ahead, flop, "list")
    plot = "draw models, laws and coefficients against k"
    declare_output(built, "text", "json", "csv", *TABLES, plot=plot)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where something is left open or refused."""
    form, laws = options["--format"], options["--law"]
    if "--ratio" in options and laws is not None and "params-tokens" not in laws:
        raise UsageError(f"--ratio {shown(options.spelt('--ratio'))}: is for the law params-tokens")
    read = counts(options)

    from ..numeric.data.rows import lost_rows
    from ..numeric.passk.laws import fit_passk
    from ..numeric.plot.passk_laws import plot_passk

    found = fit_passk(
        read,
        laws=laws,
        resamples=options["--bootstrap"],
        ratios=options["--ratio"] or [],
        compute=options["--compute"] or [],
        progress=is_terminal(sys.stderr),
        **{name: options[f"--{name}"] for name in ("k", "method", "seed")},
    )
    draw(options, lambda: plot_passk(found))
    text = written(form, found)
    if form == "text":
        dropped = [f"rows {lost_rows(0, read.dropped)}"] if read.dropped else []
        text = "\n".join([text, *(f"note: {each}" for each in (*read.warnings, *dropped))])
    return text, DONE if found.sound else NO_VERDICT
