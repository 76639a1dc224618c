"""isoflop fit: a law fitted to runs, and how sure it is."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise

from ..numeric.data.numerals import parse
from ..numeric.errors import ArgumentError
from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, blamed, outside, shown
from .render import TABLES, plain, written
from .run_options import (
    OBJECTIVES,
    check_figure,
    is_terminal,
    say_interrupted,
    share,
    target,
    whole,
)
from .tables import TableOptions, assignments, declare_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType
    from typing import Any

    from ..numeric.data.runs import Runs
    from ..numeric.fit.result import Fit
    from ..numeric.results import Estimate
    from .arguments import Options

SUMMARY = "a law fitted to runs or counts: the global optimum, and how sure it is"
DESCRIPTION = """\
The law that comes closest to the runs of a CSV or JSON file, without start values, with
standard errors and intervals of its coefficients and of what follows from them.
Exit status 3: no point was certified as a minimum, or the runs leave coefficients
undetermined: no result."""
FORMATS = ("text", "json", *TABLES)
#: What the law is of; by default what the table holds.
OF = ("loss", "pass@k")
#: Laws with tables and options of their own, by the word of --law -> the module of the command.
LAWS = {"overtraining": "fit_overtraining"}
LEVEL = 0.9
#: Options that take all numbers after them.
LISTS = ("--compute", "--ratio")
#: Arguments of the library whose options have other names.
OPTION_OF = {
    "model": "--model",
    "fixed": "--fix",
    "bounds": "--bound",
    "repeats": "--bootstrap",
    "kind": "--bootstrap",
    "quantity": "--profile",
}


def module_for(words: Sequence[str]) -> ModuleType:
    """This module, that of a law in `LAWS`, or that for counts of samples where --of says so or a
    table that is named holds them.
    """
    from importlib import import_module

    from . import fit_counts
    from .tables import names_counts

    law = next(iter(_after("--law", words)), None)
    if law in LAWS:
        return import_module(f"isoflop.cli.{LAWS[law]}")
    told = _after("--of", words)
    if told and told[0] not in OF:
        raise UsageError(f"--of {shown(told[0])}: must be one of {', '.join(OF)}")
    counts = told[0] == "pass@k" if told else names_counts(words)
    if law is not None and not counts:
        raise UsageError(
            f"--law {shown(law)}: must be {' or '.join(LAWS)}; other laws of runs are a --model"
        )
    return fit_counts if counts else sys.modules[__name__]


def _after(option: str, words: Sequence[str]) -> list[str]:
    """The values of an option, before the options of a command are known."""
    joined = [word.removeprefix(f"{option}=") for word in words if word.startswith(f"{option}=")]
    return [*joined, *(after for word, after in pairwise(words) if word == option)]


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop fit",
        [
            "RUNS [--model params-tokens|compute|EXPRESSION] [--column NAME=COLUMN] ...",
            "RUNS [--objective NAME] [--fix NAME=VALUE] [--bound NAME=LOW:HIGH] ...",
            "RUNS [--bootstrap N --seed S] [--save FILE] ...",
            "COUNTS [--k K ...] ...  (see isoflop fit --of pass@k --help)",
            "RUNS --law overtraining ...  (see isoflop fit --law overtraining --help)",
        ],
        DESCRIPTION,
        [
            "isoflop fit runs.csv",
            "isoflop fit runs.csv --bootstrap 1000 --seed 1 --compute 1e22 1e24 --ratio 10 --save "
            "fit.json",
            "isoflop fit runs.csv --model compute --where 'loss < 4.5' --format json",
            "isoflop fit runs.csv --model 'E + a*(N^-p + (D/30)^-q)' --objective least-squares-log",
            "isoflop penalty --law fit.json --ratio 10",
        ],
    )
    declare_runs(built)
    law = built.add_argument_group("law and objective")
    takes_one(
        law,
        "--of",
        "|".join(OF),
        "what the law is of; default: loss, or pass@k where the table holds counts of samples",
    )
    takes_one(
        law,
        "--model",
        "MODEL",
        f"{', '.join(_models())}, or an expression in columns and coefficients; default: "
        f"{next(iter(_models()))}",
    )
    takes_one(law, "--fix", "NAME=VALUE", "keep a coefficient at a value, such as E=0; repeatable")
    takes_one(
        law,
        "--bound",
        "NAME=LOW:HIGH",
        "keep a coefficient between two values, either may be empty; repeatable",
    )
    takes_one(law, "--objective", "NAME", f"{', '.join(OBJECTIVES)}; default: {OBJECTIVES[0]}")
    sure = built.add_argument_group("uncertainty and what follows")
    takes_one(
        sure,
        "--bootstrap",
        "N",
        "standard errors and percentile intervals from N resamples of runs, or of groups where the "
        "runs have them; default: sandwich covariance with the leverage of each run (HC3; CR3 by "
        "group) and Student's t",
    )
    takes_one(
        sure, "--seed", "S", "of the resamples, and of the starts of an expression; default: 0"
    )
    takes_one(sure, "--jobs", "J", "processes of the bootstrap, -1 for all; default: 1")
    takes_one(sure, "--level", "SHARE", "coverage of intervals; default: 0.9")
    takes_several(
        sure,
        "--compute",
        "C",
        "add the optimum at each compute in FLOP (for a compute law, the loss)",
    )
    takes_several(sure, "--ratio", "RATIO", "add the penalty at each overtraining ratio")
    takes_one(
        sure,
        "--profile",
        "NAME,...",
        "add the profile interval of a coefficient or of what follows from them; it takes all "
        "errors to be of one distribution; repeatable",
    )
    sure.add_argument(
        "--sensitivity",
        action="store_true",
        help="add the fits of the same law by other objectives",
    )
    sure.add_argument(
        "--diagnostics",
        action="store_true",
        help="add tests of the residuals and the runs that matter most",
    )
    takes_one(sure, "--save", "FILE", "write the fit as JSON: a law file for every other command")
    declare_output(built, *FORMATS, plot="draw the fit and its residuals")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where the fit is no result, 130 where Ctrl-C left a
    part undone.
    """
    from ..numeric.fit.summary import draws_of, law_name, write

    form, level = options.chosen("--format", FORMATS), share(options, "--level") or LEVEL
    table, model = TableOptions(options, "runs", LISTS), _model(options)
    _check(options, model, form)
    repeats = whole(options, "--bootstrap", least=1)
    save, plot = target(options, "--save"), target(options, "--plot")
    target(options, "--output")
    if plot is not None:
        check_figure(plot)
    asked = {"compute": _numbers(options, "--compute"), "ratio": _numbers(options, "--ratio")}
    fit = _fitted(options, table, model)
    warnings: list[str] = []
    stopped = ""
    profiles: dict[str, Estimate] = {}
    reports: dict[str, Any] = {}
    names = options.several("--profile") or []
    if repeats is not None and not fit.is_sound:
        warnings.append("no resamples: the fit is no result that they could tell about")
    elif repeats is not None:
        fit, stopped = _resampled(options, fit, repeats)
    if names and not fit.is_sound:
        warnings.append("no profile intervals: the fit is no result that they could be of")
        names = []
    if not stopped:
        try:
            profiles = _profiles(fit, names, level, asked)
            warnings += _doubts(fit) if profiles else []
            if "--sensitivity" in options:
                reports["sensitivity"] = fit.sensitivity(level=level)
            if "--diagnostics" in options:
                reports["diagnostics"] = fit.diagnostics()
        except KeyboardInterrupt:
            stopped = "the fit is complete, what was to follow it is not"
    summary = fit.summary(level=level, **asked)
    summary = replace(summary, warnings=(*summary.warnings, *warnings))
    data = summary.as_dict("" if save is None else law_name(save))
    if profiles:
        data["profile"] = _profiles_as_dict(profiles, fit)
    data |= {name: plain(report.as_dict()) for name, report in reports.items()}
    if save is not None:
        write(data | draws_of(fit), save)
    if plot is not None:
        from ..numeric.plot.fit import plot_fit_page
        from ..numeric.plot.panels import save as save_figure

        save_figure(plot_fit_page(fit), plot)
    text = summary.latex() if form == "latex" else written(form, summary, data)
    if form == "text":
        more = [_profile_text(profiles, fit)] if profiles else []
        text = "\n\n".join([text, *more, *map(str, reports.values())])
    if stopped:
        say_interrupted(stopped)
        return text, INTERRUPTED
    return text, DONE if fit.is_sound else NO_VERDICT


# -- the options -----------------------------------------------------------------------------------


def _models() -> Mapping[str, Any]:
    from ..numeric.fit.models import MODELS

    return MODELS


def _model(options: Options) -> str:
    text = options.one("--model")
    if text is None:
        return next(iter(_models()))
    if not text.strip():
        raise outside("--model", text, f"one of {', '.join(_models())} or an expression")
    return text.strip()


def _check(options: Options, model: str, form: str) -> None:
    """Options that mean nothing beside the others."""
    power_laws = [name for name, known in _models().items() if not known.is_expression]
    expression = model not in power_laws
    named, first = f"--model {' or '.join(power_laws)}", power_laws[0]
    misplaced = {
        "--compute": named if expression else "",
        "--sensitivity": named if expression else "",
        "--ratio": f"--model {first}" if model != first else "",
        "--seed": ""
        if expression or "--bootstrap" in options
        else "--bootstrap, or for --model EXPRESSION",
        "--jobs": "" if "--bootstrap" in options else "--bootstrap",
    }
    if form in TABLES:
        for option in ("--profile", "--sensitivity", "--diagnostics"):
            misplaced[option] = "--format text or json"
    for option, wanted in misplaced.items():
        if wanted and option in options:
            words = options.spelt(option, None)
            typed = f" {shown(words)}" if words else ""
            raise UsageError(f"{option}{typed}: is for {wanted}")


def _numbers(options: Options, option: str) -> list[float] | None:
    entries = options.positives(option)
    return None if entries is None else [value for _, value in entries]


def _fitted(options: Options, table: TableOptions, model: str) -> Fit:
    """The fit of the runs in the file."""
    import numpy as np

    from ..numeric.fit import fit

    fixed, bounds = _fixed(options), _bounds(options)
    for name in fixed.keys() & bounds.keys():
        raise UsageError(f"--fix and --bound: {name} is given in both; one is enough")
    try:
        runs = _runs(table, model)
        highest = float(runs.loss.max())
        if not highest > fixed.get("E", 0.0):
            complaint = f"the highest loss of {len(runs)} runs is {highest:.6g}"
            raise outside("--fix", f"E={fixed['E']:g}", f"below some loss; {complaint}")
        return fit(
            runs,
            model=model,
            objective=options.chosen("--objective", OBJECTIVES),
            fixed=fixed,
            bounds=bounds,
            seed=whole(options, "--seed", least=0) or 0,
        )
    except np.linalg.LinAlgError as defect:  # a ValueError to NumPy, but no fault of the input
        raise RuntimeError(f"the fit broke down: {defect}") from defect
    except ArgumentError as error:
        coefficient = error.argument.rpartition(" ")[2]
        for option in ("--fix", "--bound"):
            for word in options.words(option) or ():
                if word.partition("=")[0].strip() == coefficient:
                    raise UsageError(f"{option} {shown(word)}: {error.complaint}") from None
        raise
    except ValueError as error:  # the reader of expressions, in theory, begins with what it read
        spelt = f"{model!r}: "
        option = f"--model {shown(model)}: " if str(error).startswith(spelt) else ""
        raise UsageError(f"{option}{str(error).removeprefix(spelt)}") from None


def _runs(table: TableOptions, model: str) -> Runs:
    from ..numeric.fit.models import form_of

    form = form_of(model)
    return table.runs(*form.requires, "loss", names=form.names)


def _fixed(options: Options) -> dict[str, float]:
    fixed = assignments(options, "--fix", "NAME=VALUE, such as E=0")
    return {name: _finite("--fix", f"{name}={text}", text) for name, text in fixed.items()}


def _bounds(options: Options) -> dict[str, tuple[float | None, float | None]]:
    domain = "NAME=LOW:HIGH with LOW below HIGH, such as beta=0.1:1; one of the two may be empty"
    found = {}
    for name, ends in assignments(options, "--bound", domain).items():
        word = f"{name}={ends}"
        texts = ends.split(":")
        low, high = (
            _finite("--bound", word, text) if text.strip() else None
            for text in (texts if len(texts) == 2 else ("", ""))
        )
        if low is None and high is None:
            raise outside("--bound", word, domain)
        if low is not None and high is not None and not low < high:
            raise outside("--bound", word, domain)
        found[name] = (low, high)
    return found


def _finite(option: str, word: str, text: str) -> float:
    domain = "a name and a finite number"
    try:
        value = parse(text)
    except ValueError as error:
        raise outside(option, word, domain, str(error)) from None
    if not abs(value) < float("inf"):
        raise outside(option, word, domain)
    return value


# -- what is done with the fit ---------------------------------------------------------------------


def _resampled(options: Options, fit: Fit, repeats: int) -> tuple[Fit, str]:
    """The fit with its draws, and what is to be said where Ctrl-C came before the last."""
    from ..numeric.words import counted

    seed, jobs = whole(options, "--seed", least=0) or 0, whole(options, "--jobs", least=None) or 1
    total = counted(repeats, "resample")
    try:
        draws = fit.bootstrap(repeats, seed=seed, jobs=jobs, progress=is_terminal(sys.stderr))
    except KeyboardInterrupt:
        return fit, f"none of {total} is done; the intervals are of the sandwich covariance"
    done = f"{draws.done} of {total} are done; the intervals are of these"
    return fit.with_draws(draws), done if draws.interrupted else ""


def _profiles(fit: Fit, names: Sequence[str], level: float, asked: Any) -> dict[str, Estimate]:
    """The profile intervals by the name of the quantity."""
    intervals = {}
    for name in dict.fromkeys(names):
        for key, quantity in _quantities(fit, name, asked).items():
            try:
                intervals[key] = fit.profile(quantity, level=level)
            except ArgumentError:
                raise
            except ValueError as error:
                raise blamed(error, ("--profile", name)) from None
    return intervals


def _quantities(fit: Fit, name: str, asked: dict[str, Any]) -> dict[str, Any]:
    """The coefficient, or what is derived at every compute or ratio that was asked for."""
    from ..numeric.fit.entries import AT, quantities

    if fit.model.name != next(iter(_models())) or name in fit.names:
        return {name: name}
    known = {item.name: item for item in quantities(**asked)}
    chosen = {key: item for key, item in known.items() if name in (key, key.partition(AT)[0])}
    if not chosen:
        more = "" if all(asked.values()) else " (more with --compute and --ratio)"
        raise outside("--profile", name, f"one of {', '.join((*fit.names, *known))}{more}")
    return chosen


def _doubts(fit: Fit) -> list[str]:
    """What speaks against profile intervals."""
    from ..numeric.fit.diagnostics import doubts_of_one_distribution

    texts = []
    if fit.runs.group is not None:
        texts.append(
            "profile intervals take runs of one group for independent, and are too narrow where "
            "these share an error: use --bootstrap"
        )
    if doubts := doubts_of_one_distribution(fit):
        what = "one normal distribution" if fit.objective.is_square else "one distribution"
        texts.append(
            f"profile intervals take all errors to be of {what}, but of these residuals "
            f"{', and '.join(doubts)}: use --bootstrap"
        )
    return texts


def _profiles_as_dict(profiles: dict[str, Estimate], fit: Fit) -> dict[str, Any]:
    from ..numeric.fit.profile import basis

    return {
        name: estimate.as_dict(low="lo", high="hi")
        | {"level": estimate.level, "kind": "profile", "note": basis(fit)}
        for name, estimate in profiles.items()
    }


def _profile_text(profiles: dict[str, Estimate], fit: Fit) -> str:
    from ..numeric.fit.profile import basis
    from ..theory.typeset.numbers import Interval, Significant
    from ..theory.typeset.table import Column, Table

    (level,) = {estimate.level for estimate in profiles.values()}
    ends = Interval(Significant(5), "", " to ", "")
    heading = f"{100 * (level or 0.0):.4g} % interval"
    columns = [
        Column("name", "profile", align="left"),
        Column("estimate", "value", format=Significant(6)),
        Column("estimate", heading, show="interval", interval=ends),
    ]
    rows = [{"name": name, "estimate": estimate} for name, estimate in profiles.items()]
    return Table(columns, rows, notes=[f"profile intervals: {basis(fit)}"]).text()
