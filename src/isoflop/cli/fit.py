"""isoflop fit: a law fitted to runs, and how sure it is."""

from __future__ import annotations

import re
import sys
from itertools import pairwise

from ..numeric.errors import ArgumentError
from ..theory.data.notation import close_matches
from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, blamed, of_option, outside, shown
from .numerals import parse
from .render import json_text, plain
from .run_options import (
    OBJECTIVES,
    check_figure,
    is_terminal,
    say_interrupted,
    share,
    target,
    whole,
)
from .tables import TableOptions, assigned, declare_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType
    from typing import Any

    from ..numeric.data.runs import Runs
    from ..numeric.fit.resample import Draws
    from ..numeric.fit.result import Fit
    from ..numeric.fit.summary import Summary
    from .arguments import Options

SUMMARY = "a law fitted to runs or counts: the global optimum, and how sure it is"
FORMATS = ("text", "json", "latex")
#: What the law is of; by default what the table holds.
OF = ("loss", "pass@k")
#: Laws with tables and options of their own, by the word of --law -> the module of the command.
LAWS = {"overtraining": "fit_overtraining"}
RESAMPLES = ("cases", "groups", "residuals")
AUTO = "auto"
LEVEL = 0.9
#: Options that only mean something beside another one.
BESIDE = {"--resample": "--bootstrap", "--jobs": "--bootstrap"}
#: Options that take all numbers after them.
LISTS = ("--compute", "--ratio")
WORD = re.compile(r"[A-Za-z][A-Za-z+_ -]*")
#: How the library begins an error about a coefficient's value or bounds.
SIDE = re.compile(r"(?:lower|upper) bound of ")
COEFFICIENT = re.compile(
    r"(?:coefficient '(\w+)'|(?:fixed|(?:(?:lower|upper) )?bounds? of) (\w+)=|(?:bounds|fixed): "
    r"(\w+) )"
)


def module_for(words: Sequence[str]) -> ModuleType:
    """This module, that of a law in `LAWS`, or that for counts of samples where --of says so or a
    table that is named holds them.
    """
    from importlib import import_module

    from . import fit_counts
    from .tables import names_counts

    for law in _after("--law", words):
        if law in LAWS:
            return import_module(f"isoflop.cli.{LAWS[law]}")
    told = _after("--of", words)
    if told and told[0] not in OF:
        raise UsageError(f"--of {shown(told[0])}: must be one of {', '.join(OF)}")
    counts = told[0] == "pass@k" if told else names_counts(words)
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
        "The law that comes closest to the runs of a CSV or JSON file, without start values, with\n"
        "standard errors and intervals of its coefficients and of what follows from them.\n"
        "Exit status 3: no point was certified as a minimum, or the runs leave coefficients open: "
        "no result.",
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
    law.add_argument("--no-irreducible", action="store_true", help="a law without E")
    takes_one(law, "--fix", "NAME=VALUE", "keep a coefficient at a value; repeatable")
    takes_one(
        law,
        "--bound",
        "NAME=LOW:HIGH",
        "keep a coefficient between two values, either may be empty; repeatable",
    )
    takes_one(law, "--objective", "NAME", f"{', '.join(OBJECTIVES)}; default: {OBJECTIVES[0]}")
    takes_one(law, "--delta", "NUMBER", "where Huber's function turns linear; default: 1e-3")
    takes_one(
        law,
        "--tau",
        "SHARE",
        "quantile of pinball-log: small for a low quantile of the loss; default: 0.5",
    )
    sure = built.add_argument_group("uncertainty and what follows")
    takes_one(
        sure,
        "--bootstrap",
        "N",
        "standard errors and percentile intervals from N resamples; default: sandwich covariance "
        "with the leverage of each run "
        "(HC3; CR3 by group) and Student's t, for Huber's function and absolute deviations with "
        "rho'' averaged over the "
        "Hall-Sheather bandwidth",
    )
    takes_one(
        sure, "--seed", "S", "of the resamples, and of the starts of an expression; default: 0"
    )
    takes_one(
        sure,
        "--resample",
        "|".join((AUTO, *RESAMPLES)),
        "default: auto, groups where the runs have them, else cases (runs)",
    )
    takes_one(
        sure, "--jobs", "J", "processes of the bootstrap, -1 for all; needs joblib; default: 1"
    )
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
        "errors to be of one distribution; "
        "repeatable",
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
    form = options.chosen("--format", FORMATS)
    asked = _Asked(options)
    fit = asked.fitted(asked.runs())
    extras = _Extras(fit, asked)
    summary = extras.gathered()
    data = extras.data(summary)
    if asked.save is not None:
        from ..numeric.fit.tables import draws_of

        _save(data | draws_of(fit, summary.bootstrap), asked.save)
    if asked.plot is not None:
        _draw(fit, asked.plot)
    text = (
        json_text(data)
        if form == "json"
        else extras.latex(summary)
        if form == "latex"
        else extras.text(summary)
    )
    if extras.interrupted:
        say_interrupted(extras.interrupted)
        return text, INTERRUPTED
    return text, DONE if _is_sound(fit) else NO_VERDICT


def _is_sound(fit: Fit) -> bool:
    """Whether a minimum is certified and the runs determine it."""
    return fit.converged and not fit.undetermined


# -- what was asked ----------------------------------------------------------------------------------------------------


class _Asked:
    """The options of the command, each checked before any work is done."""

    def __init__(self, options: Options) -> None:
        self.table = TableOptions(options, "runs", LISTS)
        self.model = _model(options)
        named = [name for name, form in _models().items() if not form.is_expression]
        self.given = {option: options.words(option) or [] for option in ("--fix", "--bound")}
        self.fit_options = _fit_options(options, self.model)
        self.level = share(options, "--level") or LEVEL
        self.compute, self.ratio = (_numbers(options, option) for option in LISTS)
        if self.compute and self.model not in named:
            raise UsageError(
                f"--compute {_words(options, '--compute')}: is for --model {' or '.join(named)}"
            )
        if self.ratio and self.model != "params-tokens":
            raise UsageError(f"--ratio {_words(options, '--ratio')}: is for --model params-tokens")
        if "--seed" in options and "--bootstrap" not in options and self.model in named:
            raise UsageError(
                f"--seed {shown(str(options.one('--seed')))}: is for --bootstrap, or for --model "
                f"EXPRESSION"
            )
        for option, other in BESIDE.items():
            if option in options and other not in options:
                raise UsageError(f"{option} {shown(str(options.one(option)))}: is for {other}")
        self.repeats = whole(options, "--bootstrap", least=1)
        self.seed = whole(options, "--seed", least=0) or 0
        self.kind = options.chosen("--resample", (AUTO, *RESAMPLES))
        self.jobs = whole(options, "--jobs", least=None) or 1
        self.profiles = list(dict.fromkeys(options.several("--profile") or []))
        self.sensitivity, self.diagnostics = (
            "--sensitivity" in options,
            "--diagnostics" in options,
        )
        if self.sensitivity and self.model not in named:
            raise UsageError(f"--sensitivity: is for --model {' or '.join(named)}")
        for option in options.given("--profile", "--sensitivity", "--diagnostics"):
            if options.chosen("--format", FORMATS) == "latex":
                raise UsageError(f"{option}: is for --format text or json")
        self.save, self.plot = target(options, "--save"), target(options, "--plot")
        target(options, "--output")
        if self.plot is not None:
            check_figure(self.plot)

    def runs(self) -> Runs:
        """The runs in the file."""
        from ..numeric.fit.models import form_of

        form = form_of(self.model)
        try:
            needed, names = form.requires, form.names
        except ValueError as error:  # of the reader of expressions, in theory
            raise self._of_model(error) from None
        return self.table.runs(*needed, "loss", names=names)

    def fitted(self, runs: Runs) -> Fit:
        """The fit."""
        import numpy as np

        from ..numeric.fit import fit

        E, highest = self.fit_options["fixed"].get("E"), float(runs.loss.max())
        if E is not None and not highest > E:
            raise UsageError(
                f"--fix 'E={E:g}': must be below some loss; the highest of {len(runs)} runs is "
                f"{highest:.6g}"
            )
        try:
            return fit(runs, model=self.model, seed=self.seed, **self.fit_options)
        except np.linalg.LinAlgError as defect:  # a ValueError to NumPy, but no fault of the input
            raise RuntimeError(f"the fit broke down: {defect}") from defect
        except ValueError as error:
            raise self._of_coefficient(error) or self._of_model(error) from None

    def _of_model(self, error: ValueError) -> UsageError:
        """The error with --model ahead where it is about that; the reader of expressions names what
        it read.
        """
        spelt = f"{self.model!r}: "
        if not isinstance(error, ArgumentError) and str(error).startswith(spelt):
            return UsageError(f"--model {shown(self.model)}: {str(error).removeprefix(spelt)}")
        return of_option(error, ("model", "--model", self.model))

    def _of_coefficient(self, error: ValueError) -> UsageError | None:
        """The error with the --fix or --bound that it is about; None where it is about none."""
        found = COEFFICIENT.match(str(error))
        name = next(filter(None, found.groups()), "") if found else ""
        for option, words in self.given.items():
            for word in words:
                if name and word.partition("=")[0].strip() == name:
                    side = SIDE.match(str(error))
                    message = str(error) if side else str(error).partition(": ")[2]
                    return UsageError(f"{option} {shown(word)}: {message}")
        return None


def _models() -> Mapping[str, Any]:
    from ..numeric.fit.models import MODELS

    return MODELS


def _numbers(options: Options, option: str) -> list[float] | None:
    found = options.positives(option)
    return None if found is None else [value for _, value in found]


def _words(options: Options, option: str) -> str:
    return shown(" ".join(options.words(option) or ()))


def _model(options: Options) -> str:
    text = options.one("--model")
    if text is None:
        return next(iter(_models()))
    word = text.strip()
    hint = close_matches(word, _models()) if WORD.fullmatch(word) else ""
    if word not in _models() and (hint or not word):
        raise UsageError(
            f"--model {shown(text)}: must be one of {', '.join(_models())} or an expression{hint}"
        )
    return word


def _fit_options(options: Options, model: str) -> dict[str, Any]:
    objective = options.chosen("--objective", OBJECTIVES)
    found: dict[str, Any] = {
        "objective": objective,
        "fixed": _fixed(options),
        "bounds": _bounds(options),
    }
    for option, owner in (("--delta", "huber-log"), ("--tau", "pinball-log")):
        if option in options and objective != owner:
            raise UsageError(
                f"{option} {shown(str(options.one(option)))}: is for --objective {owner}"
            )
    delta, tau = options.positive("--delta"), share(options, "--tau")
    found |= {name: value for name, value in (("delta", delta), ("tau", tau)) if value is not None}
    if "--no-irreducible" in options:
        named = [name for name, form in _models().items() if not form.is_expression]
        if model not in named:
            raise UsageError(
                f"--no-irreducible: is for --model {' or '.join(named)}; write the expression "
                f"without E"
            )
        found["irreducible"] = False
    for name in found["fixed"].keys() & found["bounds"].keys():
        raise UsageError(f"--fix and --bound: {name} is given in both; one is enough")
    return found


def _fixed(options: Options) -> dict[str, float]:
    found: dict[str, float] = {}
    for word in options.words("--fix") or ():
        name, value = assigned("--fix", word, "NAME=VALUE, such as E=0")
        if name in found:
            raise UsageError(f"--fix {shown(word)}: {name} is given twice")
        found[name] = _finite("--fix", word, value)
    return found


def _bounds(options: Options) -> dict[str, tuple[float | None, float | None]]:
    found: dict[str, tuple[float | None, float | None]] = {}
    for word in options.words("--bound") or ():
        name, ends = assigned("--bound", word, "NAME=LOW:HIGH, such as beta=0.1:1")
        low, colon, high = ends.partition(":")
        if not colon or not (low.strip() or high.strip()):
            raise outside(
                "--bound", word, "NAME=LOW:HIGH, such as beta=0.1:1; one of the two may be empty"
            )
        if name in found:
            raise UsageError(f"--bound {shown(word)}: {name} is given twice")
        first, second = (
            _finite("--bound", word, end) if end.strip() else None for end in (low, high)
        )
        if first is not None and second is not None and not first < second:
            raise outside("--bound", word, "NAME=LOW:HIGH with LOW below HIGH")
        found[name] = (first, second)
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


# -- what is done with the fit -----------------------------------------------------------------------------------------


class _Extras:
    """Bootstrap, profiles and reports of a fit, as far as Ctrl-C lets them come."""

    def __init__(self, fit: Fit, asked: _Asked) -> None:
        self.fit, self.asked, self.interrupted = fit, asked, ""
        self.warnings: list[str] = []
        self.bootstrap = self._bootstrap()
        #: By key of the JSON.
        self.reports: dict[str, Any] = {}
        self.profiles: list[Any] = []
        if self.interrupted:
            return
        try:
            self.profiles = self._profiles()
            self._report()
        except KeyboardInterrupt:
            self.interrupted = "the fit is complete, what was to follow it is not"

    def _report(self) -> None:
        if self.asked.sensitivity:
            from ..numeric.fit.sensitivity import sensitivity

            self.reports["sensitivity"] = sensitivity(self.fit, level=self.asked.level)
        if self.asked.diagnostics:
            self.reports["diagnostics"] = self.fit.diagnostics()

    def _bootstrap(self) -> Draws | None:
        asked = self.asked
        if asked.repeats is None:
            return None
        if not _is_sound(self.fit):
            self.warnings.append("no resamples: the fit is no result that they could tell about")
            return None
        from ..numeric.words import counted

        try:
            found = self.fit.bootstrap(
                asked.repeats,
                seed=asked.seed,
                kind=asked.kind,
                progress=is_terminal(sys.stderr),
                jobs=asked.jobs,
            )
        except KeyboardInterrupt:
            self.interrupted = f"none of {counted(asked.repeats, 'resample')} is done; the intervals are of the sandwich covariance"
            return None
        except ArgumentError as error:
            raise self._of_resamples(error) from None
        if found.interrupted:
            done = found.done
            self.interrupted = f"{done} of {counted(asked.repeats, 'resample')} are done; the intervals are of these"
        return found

    def _of_resamples(self, error: ArgumentError) -> UsageError:
        """The error in the options' words; without --resample it is --bootstrap that chose how to
        draw.
        """
        asked = self.asked
        if asked.kind == AUTO:
            return of_option(
                error, ("kind", "--bootstrap", asked.repeats), ("jobs", "--jobs", asked.jobs)
            )
        return of_option(error, ("kind", "--resample", asked.kind), ("jobs", "--jobs", asked.jobs))

    def _profiles(self) -> list[Any]:
        from dataclasses import replace

        asked = self.asked
        if asked.profiles and not _is_sound(self.fit):
            self.warnings.append("no profile intervals: the fit is no result that they could be of")
            return []
        found = []
        for name in asked.profiles:
            for quantity in self._named(name):
                try:
                    each = self.fit.profile(quantity, level=asked.level)
                except ValueError as error:
                    objective = ("--objective", self.fit.objective.name)
                    of_objective = (
                        isinstance(error, ArgumentError) and error.argument == "objective"
                    )
                    raise blamed(
                        error, ("--profile", name), *([objective] if of_objective else [])
                    ) from None
                found.append(
                    each if isinstance(quantity, str) else replace(each, name=quantity.name)
                )
        if found:
            self._doubt_profiles()
        return found

    def _named(self, name: str) -> list[Any]:
        """The coefficient, or what is derived at every compute or ratio that was asked for."""
        if self.asked.model != "params-tokens" or name in self.fit.model.coefficients:
            return [name]
        from ..numeric.fit.summary import AT, quantities

        known = quantities(self.asked.compute, self.asked.ratio)
        chosen: list[Any] = [
            each for each in known if name in (each.name, each.name.partition(AT)[0])
        ]
        if chosen:
            return chosen
        more = (
            "" if self.asked.compute and self.asked.ratio else " (more with --compute and --ratio)"
        )
        names = ", ".join((*self.fit.model.coefficients, *(each.name for each in known)))
        raise UsageError(f"--profile {shown(name)}: must be one of {names}{more}")

    def _doubt_profiles(self) -> None:
        from ..numeric.fit.diagnostics import doubts_of_one_distribution

        if self.fit.runs.group is not None:
            self.warnings.append(
                "profile intervals take runs of one group for independent, and are too narrow "
                "where these share an error: use "
                "--bootstrap"
            )
        if doubts := doubts_of_one_distribution(self.fit):
            what = "one normal distribution" if self.fit.objective.is_square else "one distribution"
            self.warnings.append(
                f"profile intervals take all errors to be of {what}, but of these residuals "
                f"{', and '.join(doubts)}: "
                "use --bootstrap"
            )

    def gathered(self) -> Summary:
        """What the fit says."""
        from dataclasses import replace

        from ..numeric.fit.summary import summarise

        asked = self.asked
        found = summarise(
            self.fit, self.bootstrap, level=asked.level, compute=asked.compute, ratio=asked.ratio
        )
        return replace(found, warnings=(*found.warnings, *self.warnings))

    def data(self, summary: Summary) -> dict[str, Any]:
        """For JSON, and for the law file."""
        from ..numeric.fit.tables import law_name, summary_dict

        data = summary_dict(summary, "" if self.asked.save is None else law_name(self.asked.save))
        if self.profiles:
            data["profile"] = {each.name: each.as_dict() for each in self.profiles}
        return data | {name: plain(report.as_dict()) for name, report in self.reports.items()}

    def text(self, summary: Summary) -> str:
        """For a reader."""
        from ..numeric.fit.text import profile_text, summary_text

        parts = [summary_text(summary), *([profile_text(self.profiles)] if self.profiles else [])]
        return "\n\n".join([*parts, *map(str, self.reports.values())])

    def latex(self, summary: Summary) -> str:
        """For a paper."""
        from ..numeric.fit.tables import summary_latex

        return summary_latex(summary)


def _save(data: dict[str, Any], path: str) -> None:
    from ..numeric.fit.tables import write

    try:
        write(data, path)
    except ValueError as error:
        raise blamed(error, ("--save", path)) from None


def _draw(fit: Fit, path: str) -> None:
    from ..numeric.plot.fit import plot_fit_page
    from ..numeric.plot.panels import save

    try:
        save(plot_fit_page(fit), path)
    except ValueError as error:
        raise blamed(error, ("--plot", path)) from None
