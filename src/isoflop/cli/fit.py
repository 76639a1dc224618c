"""isoflop fit: a law fitted to runs or to counts of samples, and how sure it is."""

from __future__ import annotations

import sys
from pathlib import Path

from .arguments import (
    Parser,
    add,
    add_list,
    add_output,
    file,
    finite,
    flop,
    guess,
    one_of,
    pair,
    positive,
    resamples,
    whole,
)
from .output import (
    DONE,
    INTERRUPTED,
    NO_VERDICT,
    answer,
    draw,
    is_terminal,
    json_text,
    say,
    tables_text,
)
from .tables import add_table, refuse_others, runs, table, view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..numeric.data.table import SourceTable
    from ..numeric.fit import Fit

SUMMARY = "a law fitted to runs or counts: the global optimum, and how sure it is"
HELP = """\
isoflop fit RUNS [--model MODEL] [--column NAME=COLUMN] [--objective NAME] ...
isoflop fit RUNS [--fix NAME=VALUE] [--bootstrap N --seed S] [--save FILE] ...
isoflop fit COUNTS [--law LAW,...] [--k K ...] ...

The law that comes closest to the runs of a CSV or JSON file, without start values, with
standard errors and intervals of its coefficients and of what follows from them.
For counts of samples, laws of -log pass@k for every k, in the compute, params and tokens of the
models, or in the -log probability g of the gold solutions (column gold):
  compute        E0(k) + C0(k) C^-alpha(k)
  params-tokens  E0(k) + N0(k) N^-beta(k) + D0(k) D^-gamma(k), and alpha of its envelope
  gold           xi0(k) + K0(k) g^kappa(k)
and the compute above which the laws of all k hold together.
Exit status 3: no minimum was certified, or the rows leave coefficients undetermined.

examples:
  isoflop fit runs.csv
  isoflop fit runs.csv --bootstrap 1000 --seed 1 --compute 1e22 1e24 --ratio 10 --save fit.json
  isoflop fit runs.csv --model compute --where 'loss < 4.5' --format json
  isoflop fit runs.csv --model 'E + a*(N^-p + (D/30)^-q)' --objective least-squares-log
  isoflop fit counts.csv --k 1 10 --ratio 0.1 10 --compute 1e22
  isoflop penalty --law fit.json --ratio 10
"""
#: More runs than this are resampled by all processors.
MANY = 2_000


def parser() -> Parser:
    """The options of this command."""
    from ..numeric.fit import OBJECTIVES
    from ..numeric.fit.fit import MODELS
    from ..numeric.passk.fit_at_k import KINDS
    from ..numeric.passk.laws import METHODS

    built = Parser(HELP)
    quantities = "params, tokens, compute, loss or group, n_samples, n_correct, or a name "
    quantities += "of an expression"
    add_table(built, "RUNS", "runs or counts", quantities, "\"loss < 4.5 and `data set` == 'c4'\"")
    law = built.add_argument_group("runs")
    benchmark = "fit -log of normalised accuracy on this benchmark, of runs 0.05 above guessing"
    add(law, "--benchmark", "NAME", benchmark)
    add(law, "--random-baseline", "SHARE", "accuracy of guessing on the benchmark", guess)
    model = f"{', '.join(MODELS)}, or an expression in columns and coefficients; default: "
    add(law, "--model", "MODEL", model + next(iter(MODELS)), str.strip)
    fix = "keep a coefficient at a value, such as E=0; repeatable"
    add(law, "--fix", "NAME=VALUE", fix, pair(finite), dest="fixed")
    objectives = f"{', '.join(OBJECTIVES)}; default: {OBJECTIVES[0]}"
    add(law, "--objective", "NAME", objectives, one_of(OBJECTIVES))
    add(law, "--save", "FILE", "write the fit as JSON: a law file for every other command", file)
    passes = built.add_argument_group("counts")
    laws = f"{', '.join(KINDS)}; default: all whose covariates the models have"
    add_list(passes, "--law", "LAW,...", laws, one_of([*KINDS]))
    usual = "default: 1, 2, 5, 10, ... up to 10,000, or to the fewest samples of any problem"
    add_list(passes, "--k", "K", usual, whole(1))
    how = "likelihood of the counts, for any k, or least squares on the unbiased estimates"
    add(passes, "--method", "|".join(METHODS), how, one_of(METHODS))
    sure = built.add_argument_group("uncertainty and what follows")
    bootstrap = (
        "90 % intervals from N resamples of runs, or of groups where runs have them; default: "
    )
    bootstrap += (
        "HC3 covariance (CR3 by group) with Student's t; for counts 200 resamples of models"
    )
    add(sure, "--bootstrap", "N", bootstrap, resamples)
    seed = "of the resamples, and of the starts of an expression; default: 0"
    add(sure, "--seed", "S", seed, whole(0))
    compute = (
        "add the optimum at each compute in FLOP, for a compute law the loss; for pass@k also "
    )
    add_list(sure, "--compute", "C", compute + "what the optimum of one k costs at another", flop)
    add_list(sure, "--ratio", "RATIO", "add the penalty at each overtraining ratio", positive)
    drawn = "draw the fit and its residuals, or models, laws and coefficients against k"
    add_output(built, "text", "json", "latex", plot=drawn)
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The command's output and exit status: 3 where the fit is no result, 130 after Ctrl-C."""
    from ..numeric.data.columns import kind_of

    held = table(args)
    kind = "counts" if kind_of(held, args.columns) == "counts" else "runs"
    refuse_others(args, kind, ("runs", "counts"))
    return _of_counts(args, held) if kind == "counts" else _of_runs(args, held)


def _of_runs(args: Namespace, held: SourceTable) -> tuple[str, int]:
    """The fit of one law to runs, and the exit status."""
    from ..numeric.fit import fit
    from ..numeric.fit.fit import MODELS

    model = args.model or next(iter(MODELS))
    if args.seed is not None and not args.bootstrap and model in MODELS:
        raise ValueError(f"seed={args.seed}: is for --bootstrap, or for --model EXPRESSION")
    given = {name: x for name in ("fixed", "objective") if (x := getattr(args, name))}
    data = runs(args, held, model)
    if (args.fixed or {}).get("E", 0.0) >= (highest := float(data.loss.max())):
        raise ValueError(f"fixed={args.fixed}: E must be below the highest loss, {highest:g}")
    found = fit(data, model=model, seed=args.seed or 0, **given)
    interruption = ""
    if args.bootstrap and found.is_sound:
        found, interruption = _resampled(args, found)
    at = {"compute": args.compute, "ratio": args.ratio}
    if args.save is not None:
        found.save(args.save, **at)
    draw(args, found.plot)
    if args.format == "json":
        text = json_text(found.as_dict(Path(args.save or "").stem, **at))
    else:
        text = tables_text(found.tables(**at), args.format)
    if interruption:
        say("interrupted", interruption)
        return text, INTERRUPTED
    return text, DONE if found.is_sound else NO_VERDICT


def _resampled(args: Namespace, fit: Fit) -> tuple[Fit, str]:
    """The fit with its draws, and after Ctrl-C what its intervals come from."""
    total, jobs = f"{args.bootstrap} resamples", -1 if len(fit.runs) > MANY else 1
    how = {"seed": args.seed or 0, "jobs": jobs, "progress": is_terminal(sys.stderr)}
    try:
        fit = fit.resampled(args.bootstrap, **how)
    except ValueError as error:
        complaint = getattr(error, "complaint", error)
        raise ValueError(f"--bootstrap {args.bootstrap}: {complaint}") from None
    except KeyboardInterrupt:
        return fit, f"before the first of {total}; the intervals come from the sandwich covariance"
    if fit.draws is None or not fit.draws.interrupted:
        return fit, ""
    return fit, f"after {fit.draws.done} of {total}; the intervals come from these"


def _of_counts(args: Namespace, held: SourceTable) -> tuple[str, int]:
    """The laws of the counts, and the exit status: 3 where something is undetermined or has no fit."""
    from ..numeric.data.counts import Counts
    from ..numeric.passk.laws import METHODS, fit_passk

    if args.ratio and args.law and "params-tokens" not in args.law:
        raise ValueError(f"ratio={args.ratio}: is for the law params-tokens")
    read = view(args, Counts, held)
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
    notes = [f"note: {text}" for text in read.notes] if args.format == "text" else []
    return "\n".join([answer(args, found), *notes]), DONE if found.sound else NO_VERDICT
