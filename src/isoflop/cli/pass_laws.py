"""Laws of pass@k as isoflop fit has them: their options, and the fit of a table of counts."""

from __future__ import annotations

import sys

from .arguments import add, add_list, one_of, whole
from .output import DONE, NO_VERDICT, answer, is_terminal
from .tables import add_models, counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..numeric.data.table import Table
    from .arguments import Parser


def add_pass_laws(parser: Parser) -> None:
    """The options of laws of pass@k alone."""
    from ..numeric.passk.fit_at_k import KINDS
    from ..numeric.passk.laws import METHODS

    passes = parser.add_argument_group("laws of pass@k")
    add_models(passes)
    of_models = f"{', '.join(KINDS)}; default: all for which the models' covariates are there"
    add_list(passes, "--law", "LAW,...", of_models, one_of([*KINDS]))
    usual = "default: 1, 2, 5, 10, ... up to 10,000, or to the fewest samples of any problem"
    add_list(passes, "--k", "K", usual, whole(1))
    how = "likelihood of the counts, for any k, or least squares on the unbiased estimates"
    add(passes, "--method", "|".join(METHODS), how, one_of(METHODS))


def fit_counts(args: Namespace, held: Table) -> tuple[str, int]:
    """The laws of the counts, and the exit status: 3 where something is left open or refused."""
    from ..numeric.passk.laws import METHODS, fit_passk

    if args.ratio and args.law and "params-tokens" not in args.law:
        raise ValueError(f"ratio={args.ratio}: is for the law params-tokens")
    read = counts(args, held)
    found = fit_passk(
        read,
        laws=args.law,
        k=args.k,
        method=args.method or METHODS[0],
        resamples=200 if args.bootstrap is None else args.bootstrap,
        seed=args.seed or 0,
        ratios=args.ratio or [],
        compute=args.compute or [],
        progress=is_terminal(sys.stderr),
    )
    text = answer(args, found)
    if args.format == "text":
        text = "\n".join([text, *(f"note: {each}" for each in read.notes)])
    return text, DONE if found.sound else NO_VERDICT
