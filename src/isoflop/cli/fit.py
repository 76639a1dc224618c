"""isoflop fit: a law fitted to runs, and how sure it is."""

from __future__ import annotations

import sys
from pathlib import Path

from ..numeric.errors import ArgumentError
from .arguments import Parser, declare_output, takes
from .domains import ends, finite, flop, guess, one_of, output, positive, whole
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, blamed, outside, shown
from .fit_kinds import OF
from .render import TABLES, draw, written
from .streams import is_terminal, say
from .tables import declare_runs, evaluations
from .tables import runs as runs_of_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..numeric.data.runs import Runs
    from ..numeric.fit import Fit
    from .arguments import Options

SUMMARY = "a law fitted to runs or counts: the global optimum, and how sure it is"
HELP = """\
isoflop fit RUNS [--model params-tokens|compute|EXPRESSION] [--column NAME=COLUMN] ...
isoflop fit RUNS [--objective NAME] [--fix NAME=VALUE] [--bound NAME=LOW:HIGH] ...
isoflop fit RUNS [--bootstrap N --seed S] [--save FILE] ...
isoflop fit COUNTS [--k K ...] ...  (see isoflop fit --of pass@k --help)
isoflop fit RUNS --law overtraining ...  (see isoflop fit --law overtraining --help)

The law that comes closest to the runs of a CSV or JSON file, without start values, with
standard errors and intervals of its coefficients and of what follows from them.
Exit status 3: no point was certified as a minimum, or the runs leave coefficients
undetermined: no result.

examples:
  isoflop fit runs.csv
  isoflop fit runs.csv --bootstrap 1000 --seed 1 --compute 1e22 1e24 --ratio 10 --save fit.json
  isoflop fit runs.csv --model compute --where 'loss < 4.5' --format json
  isoflop fit runs.csv --model 'E + a*(N^-p + (D/30)^-q)' --objective least-squares-log
  isoflop penalty --law fit.json --ratio 10
"""
OBJECTIVES = ("huber-log", "absolute-log", "least-squares-log", "least-squares")
FORMATS = ("text", "json", *TABLES)
#: More runs than this are resampled by all processors.
MANY = 2_000


def parser() -> Parser:
    """The options of this command."""
    from ..numeric.fit.models import MODELS

    models = [*MODELS]
    built = Parser(HELP)
    declare_runs(built)
    evaluations = (
        "the table holds evaluations: fit -log of normalised accuracy on this one, of the runs that "
        "exceed guessing by 0.05"
    )
    of_accuracy = built.add_argument_group("evaluations")
    takes(of_accuracy, "--benchmark", "NAME", evaluations)
    takes(of_accuracy, "--random-baseline", "SHARE", "accuracy of guessing on it", guess)
    law = built.add_argument_group("law and objective")
    model = (
        f"{', '.join(models)}, or an expression in columns and coefficients; default: {models[0]}"
    )
    what = "what the law is of; default: pass@k where the table holds counts of samples, else loss"
    takes(law, "--of", "|".join(OF), what, one_of(OF))
    takes(law, "--model", "MODEL", model, str.strip, value=models[0])
    fix = "keep a coefficient at a value, such as E=0; repeatable"
    takes(law, "--fix", "NAME=VALUE", fix, finite, "pairs", sets="fixed")
    bound = "keep a coefficient between two values, either may be empty; repeatable"
    takes(law, "--bound", "NAME=LOW:HIGH", bound, ends, "pairs", sets="bounds")
    objectives = f"{', '.join(OBJECTIVES)}; default: {OBJECTIVES[0]}"
    takes(law, "--objective", "NAME", objectives, one_of(OBJECTIVES), value=OBJECTIVES[0])
    sure = built.add_argument_group("uncertainty and what follows")
    bootstrap = (
        "standard errors and 90 % intervals from N resamples, at least 2, of runs, or of groups "
        "where the runs have them; default: sandwich covariance with the leverage of each run (HC3; CR3 by group) "
        "and Student's t"
    )
    takes(sure, "--bootstrap", "N", bootstrap, whole(2), sets="by")
    seed = "of the resamples, and of the starts of an expression; default: 0"
    takes(sure, "--seed", "S", seed, whole(0), value=0)
    compute = "add the optimum at each compute in FLOP (for a compute law, the loss)"
    takes(sure, "--compute", "C", compute, flop, "list")
    takes(sure, "--ratio", "RATIO", "add the penalty at each overtraining ratio", positive, "list")
    saved = "write the fit as JSON: a law file for every other command"
    takes(sure, "--save", "FILE", saved, output)
    declare_output(built, *FORMATS, plot="draw the fit and its residuals")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where the fit is no result, 130 where Ctrl-C left a
    part undone.
    """
    from ..numeric.fit.page import page

    save = options["--save"]
    _check(options, options["--model"])
    fit = _fitted(options)
    stopped = ""
    if "--bootstrap" in options and fit.is_sound:
        fit, stopped = _resampled(options, fit)
    found = page(fit, compute=options["--compute"], ratio=options["--ratio"])
    if save is not None:
        found.save(save)
    draw(options, fit.plot)
    data = found.as_dict("" if save is None else Path(save).stem)
    text = written(options["--format"], found, data)
    if stopped:
        say("interrupted", stopped)
        return text, INTERRUPTED
    return text, DONE if fit.is_sound else NO_VERDICT


def _check(options: Options, model: str) -> None:
    """Options that mean nothing beside the others."""
    from ..numeric.fit.models import MODELS

    form = MODELS.get(model)
    named = [name for name, known in MODELS.items() if not known.is_expression]
    has_draws = form is None or form.is_expression or "--bootstrap" in options
    misplaced = {
        "--compute": "" if model in named else f"--model {' or '.join(named)}",
        "--ratio": "" if model == named[0] else f"--model {named[0]}",
        "--seed": "" if has_draws else "--bootstrap, or for --model EXPRESSION",
    }
    for option, wanted in misplaced.items():
        if wanted and option in options:
            raise UsageError(f"{option} {shown(options.spelt(option))}: is for {wanted}")


def _fitted(options: Options) -> Fit:
    """The fit of the runs in the file."""
    import numpy as np

    from ..numeric.fit import fit

    model, fixed, bounds = options["--model"], options["--fix"] or {}, options["--bound"] or {}
    how = {"objective": options["--objective"], "seed": options["--seed"]}
    try:
        runs = _runs(options)
        highest = float(runs.loss.max())
        if not highest > fixed.get("E", 0.0):
            complaint = f"the highest loss of {len(runs)} runs is {highest:.6g}"
            raise outside("--fix", f"E={fixed['E']:g}", f"below some loss; {complaint}")
        return fit(runs, model=model, fixed=fixed, bounds=bounds, **how)
    except np.linalg.LinAlgError as defect:  # a ValueError to NumPy, but no fault of the input
        raise RuntimeError(f"the fit broke down: {defect}") from defect
    except ArgumentError as error:
        coefficient = error.argument.rpartition(" ")[2]
        for option in ("--fix", "--bound"):
            for word in options.words(option):
                if word.partition("=")[0].strip() == coefficient:
                    raise UsageError(f"{option} {shown(word)}: {error.complaint}") from None
        raise
    except ValueError as error:  # the reader of expressions, in theory, begins with what it read
        spelt = f"{model!r}: "
        option = f"--model {shown(model)}: " if str(error).startswith(spelt) else ""
        raise UsageError(f"{option}{str(error).removeprefix(spelt)}") from None


def _runs(options: Options) -> Runs:
    from ..numeric.fit.models import form_of

    form, benchmark = form_of(options["--model"]), options["--benchmark"]
    if benchmark is None:
        if "--random-baseline" in options:
            raise UsageError("--random-baseline: is for evaluations; name one by --benchmark")
        return runs_of_table(options, *form.requires, "loss", names=form.names)
    from ..numeric.accuracy.baselines import resolve
    from ..numeric.accuracy.law import runs_of

    read = evaluations(options)
    guessing = resolve(read, options["--random-baseline"], benchmarks=[benchmark])
    return runs_of(read, benchmark, guessing[benchmark], form.requires)


def _resampled(options: Options, fit: Fit) -> tuple[Fit, str]:
    """The fit with its draws, and what is to be said where Ctrl-C came before the last."""
    from ..numeric.words import counted

    repeats, seed = options["--bootstrap"], options["--seed"]
    total, jobs = counted(repeats, "resample"), -1 if len(fit.runs) > MANY else 1
    try:
        fit = fit.resampled(repeats, seed=seed, jobs=jobs, progress=is_terminal(sys.stderr))
    except KeyboardInterrupt:
        return fit, f"none of {total} is done; the intervals are of the sandwich covariance"
    except ValueError as error:
        raise blamed(error, ("--bootstrap", options.spelt("--bootstrap"))) from None
    draws: Any = fit.draws
    done = f"{draws.done} of {total} are done; the intervals are of these"
    return fit, done if draws.interrupted else ""
