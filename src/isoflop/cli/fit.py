"""isoflop fit: a law fitted to runs, and how sure it is."""

from __future__ import annotations

import re
import sys

from isoflop.cli.arguments import Parser, declare_output, takes_one
from isoflop.cli.errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, blamed, outside, shown
from isoflop.cli.numerals import parse
from isoflop.cli.render import json_text, plain
from isoflop.cli.run_options import (
    OBJECTIVES,
    RunTable,
    assigned,
    check_figure,
    declare_runs,
    is_terminal,
    of_option,
    say_interrupted,
    share,
    target,
    whole,
)
from isoflop.theory.notation import close_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from isoflop.cli.arguments import Options
    from isoflop.numeric.fit.bootstrap import Bootstrap
    from isoflop.numeric.fit.result import Fit
    from isoflop.numeric.fit.summary import Summary
    from isoflop.numeric.runs import Runs

SUMMARY = "a law fitted to runs: the global optimum, and how sure it is"
FORMATS = ("text", "json", "latex")
#: The models that have a name, and what each needs of the runs.
MODELS = {"params-tokens": ("params", "tokens"), "compute": ("compute",)}
RESAMPLES = ("cases", "groups", "residuals")
LEVEL = 0.9
#: Options that only mean something beside another one.
BESIDE = {"--resample": "--bootstrap", "--jobs": "--bootstrap"}
WORD = re.compile(r"[A-Za-z][A-Za-z+_ -]*")


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop fit",
        [
            "RUNS [--model params-tokens|compute|EXPRESSION] [--column NAME=COLUMN] ...",
            "RUNS [--objective NAME] [--fix NAME=VALUE] [--bound NAME=LOW:HIGH] ...",
            "RUNS [--bootstrap N --seed S] [--save FILE] ...",
        ],
        "The law that comes closest to the runs of a CSV, JSON or Parquet file, without start values, with\n"
        "standard errors and intervals of its coefficients and of what follows from them.\n"
        "Exit status 3: no point was certified as a minimum, and what is printed is no result.",
        [
            "isoflop fit runs.csv",
            "isoflop fit runs.csv --bootstrap 1000 --seed 1 --compute 1e22 --ratio 10 --save fit.json",
            "isoflop fit runs.csv --model compute --where 'loss < 4.5' --format json",
            "isoflop fit runs.csv --model 'E + a*(N^-p + (D/30)^-q)' --objective least-squares-log",
            "isoflop penalty --law fit.json --ratio 10",
        ],
    )
    declare_runs(built)
    law = built.add_argument_group("law and objective")
    takes_one(
        law,
        "--model",
        "MODEL",
        f"{', '.join(MODELS)}, or an expression in columns and coefficients; default: {next(iter(MODELS))}",
    )
    law.add_argument("--no-irreducible", action="store_true", help="a law without E")
    takes_one(law, "--fix", "NAME=VALUE", "keep a coefficient at a value; repeatable")
    takes_one(law, "--bound", "NAME=LOW:HIGH", "keep a coefficient between two values, either may be empty; repeatable")
    takes_one(law, "--objective", "NAME", f"{', '.join(OBJECTIVES)}; default: {OBJECTIVES[0]}")
    takes_one(law, "--delta", "NUMBER", "where Huber's function turns linear; default: 1e-3")
    takes_one(law, "--tau", "SHARE", "quantile of pinball-log: small for a low quantile of the loss; default: 0.5")
    sure = built.add_argument_group("uncertainty and what follows")
    takes_one(sure, "--bootstrap", "N", "standard errors and percentile intervals from N resamples; default: sandwich covariance")
    takes_one(sure, "--seed", "S", "of the resamples, and of the starts of an expression; default: 0")
    takes_one(sure, "--resample", "|".join(RESAMPLES), "default: groups where the runs have them, else cases (runs)")
    takes_one(sure, "--jobs", "J", "processes of the bootstrap, -1 for all; needs joblib; default: 1")
    takes_one(sure, "--level", "SHARE", "coverage of intervals; default: 0.9")
    takes_one(sure, "--compute", "C", "add the optimum at this compute in FLOP (for a compute law, the loss)")
    takes_one(sure, "--ratio", "RATIO", "add the penalty at this overtraining ratio")
    takes_one(sure, "--profile", "NAME,...", "add the profile interval of a coefficient or of what follows from them; repeatable")
    sure.add_argument("--sensitivity", action="store_true", help="add the fits of the same law by other objectives")
    sure.add_argument("--diagnostics", action="store_true", help="add tests of the residuals and the runs that matter most")
    takes_one(sure, "--save", "FILE", "write the fit as JSON: a law file for every other command")
    declare_output(built, *FORMATS, plot="draw the fit and its residuals")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where no minimum is certified, 130 where Ctrl-C left a part undone."""
    form = options.chosen("--format", FORMATS)
    asked = _Asked(options)
    fit = asked.fitted(asked.runs())
    extras = _Extras(fit, asked)
    summary = extras.gathered()
    data = extras.data(summary)
    if asked.save is not None:
        _save(data, asked.save)
    if asked.plot is not None:
        _draw(fit, asked.plot)
    text = json_text(data) if form == "json" else extras.latex(summary) if form == "latex" else extras.text(summary)
    if extras.interrupted:
        say_interrupted(extras.interrupted)
        return text, INTERRUPTED
    return text, DONE if fit.converged else NO_VERDICT


# -- what was asked ----------------------------------------------------------------------------------------------------


class _Asked:
    """The options of the command, each checked before any work is done."""

    def __init__(self, options: Options) -> None:
        self.table = RunTable(options)
        self.model = _model(options)
        self.fit_options = _fit_options(options, self.model)
        self.level = share(options, "--level") or LEVEL
        self.compute, self.ratio = options.positive("--compute"), options.positive("--ratio")
        if self.compute is not None and self.model not in MODELS:
            raise UsageError(f"--compute {shown(str(options.one('--compute')))}: is for --model {' or '.join(MODELS)}")
        if self.ratio is not None and self.model != "params-tokens":
            raise UsageError(f"--ratio {shown(str(options.one('--ratio')))}: is for --model params-tokens")
        for option, other in BESIDE.items():
            if option in options and other not in options:
                raise UsageError(f"{option} {shown(str(options.one(option)))}: is for {other}")
        self.repeats = whole(options, "--bootstrap", least=1)
        self.seed = whole(options, "--seed", least=0) or 0
        self.kind = options.chosen("--resample", ("auto", *RESAMPLES))
        self.jobs = whole(options, "--jobs", least=None) or 1
        self.profiles = list(dict.fromkeys(options.several("--profile") or []))
        self.sensitivity, self.diagnostics = ("--sensitivity" in options, "--diagnostics" in options)
        if self.sensitivity and self.model not in MODELS:
            raise UsageError(f"--sensitivity: is for --model {' or '.join(MODELS)}")
        for option in options.given("--profile", "--sensitivity", "--diagnostics"):
            if options.chosen("--format", FORMATS) == "latex":
                raise UsageError(f"{option}: is for --format text or json")
        self.save, self.plot = target(options, "--save"), target(options, "--plot")
        target(options, "--output")
        if self.plot is not None:
            check_figure(self.plot)

    def runs(self) -> Runs:
        """The runs in the file."""
        return self.table.read(*self._needed(), "loss")

    def _needed(self) -> tuple[str, ...]:
        if self.model in MODELS:
            return MODELS[self.model]
        from isoflop.numeric.fit.general_fit import required

        try:
            return required(self.model)
        except ValueError as error:
            raise of_option(error, ("", "--model", self.model)) from None

    def fitted(self, runs: Runs) -> Fit:
        """The fit."""
        from isoflop.numeric.fit import fit

        E, highest = self.fit_options["fixed"].get("E"), float(runs.loss.max())
        if E is not None and not highest > E:
            raise UsageError(f"--fix 'E={E:g}': must be below some loss; the highest of {len(runs)} runs is {highest:.6g}")
        try:
            return fit(runs, model=self.model, seed=self.seed, **self.fit_options)
        except ValueError as error:
            raise of_option(error, ("model=", "--model", self.model)) from None


def _model(options: Options) -> str:
    text = options.one("--model")
    if text is None:
        return next(iter(MODELS))
    word = text.strip()
    hint = close_matches(word, MODELS) if WORD.fullmatch(word) else ""
    if word not in MODELS and (hint or not word):
        raise UsageError(f"--model {shown(text)}: must be one of {', '.join(MODELS)} or an expression{hint}")
    return word


def _fit_options(options: Options, model: str) -> dict[str, Any]:
    objective = options.chosen("--objective", OBJECTIVES)
    found: dict[str, Any] = {"objective": objective, "fixed": _fixed(options), "bounds": _bounds(options)}
    for option, owner in (("--delta", "huber-log"), ("--tau", "pinball-log")):
        if option in options and objective != owner:
            raise UsageError(f"{option} {shown(str(options.one(option)))}: is for --objective {owner}")
    delta, tau = options.positive("--delta"), share(options, "--tau")
    found |= {name: value for name, value in (("delta", delta), ("tau", tau)) if value is not None}
    if "--no-irreducible" in options:
        if model not in MODELS:
            raise UsageError(f"--no-irreducible: is for --model {' or '.join(MODELS)}; write the expression without E")
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
            raise outside("--bound", word, "NAME=LOW:HIGH, such as beta=0.1:1; one of the two may be empty")
        if name in found:
            raise UsageError(f"--bound {shown(word)}: {name} is given twice")
        first, second = (_finite("--bound", word, end) if end.strip() else None for end in (low, high))
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
            from isoflop.numeric.fit.sensitivity import sensitivity

            self.reports["sensitivity"] = sensitivity(self.fit, level=self.asked.level)
        if self.asked.diagnostics:
            self.reports["diagnostics"] = self.fit.diagnostics()

    def _bootstrap(self) -> Bootstrap | None:
        asked = self.asked
        if asked.repeats is None:
            return None
        try:
            found = self.fit.bootstrap(
                asked.repeats, seed=asked.seed, kind=asked.kind, progress=is_terminal(sys.stderr), jobs=asked.jobs
            )
        except KeyboardInterrupt:
            self.interrupted = f"none of {asked.repeats} resamples is done; the intervals are of the sandwich covariance"
            return None
        except ValueError as error:
            raise of_option(error, ("kind=", "--resample", asked.kind), ("jobs=", "--jobs", asked.jobs)) from None
        if found.interrupted:
            done = len(found) + found.failed
            self.interrupted = f"{done} of {asked.repeats} resamples are done; the intervals are of these"
        return found

    def _profiles(self) -> list[Any]:
        asked = self.asked
        found = []
        for name in asked.profiles:
            try:
                found.append(self.fit.profile(name, level=asked.level, compute=asked.compute, ratio=asked.ratio))
            except ValueError as error:
                raise blamed(error, ("--profile", name)) from None
        return found

    def gathered(self) -> Summary:
        """What the fit says."""
        from isoflop.numeric.fit.summary import summarise

        asked = self.asked
        return summarise(self.fit, self.bootstrap, level=asked.level, compute=asked.compute, ratio=asked.ratio)

    def data(self, summary: Summary) -> dict[str, Any]:
        """For JSON, and for the law file."""
        from isoflop.numeric.fit.tables import law_name, summary_dict

        data = summary_dict(summary, "" if self.asked.save is None else law_name(self.asked.save))
        if self.asked.profiles:
            data["profile"] = {each.name: each.as_dict() for each in self.profiles}
        return data | {name: plain(report.as_dict()) for name, report in self.reports.items()}

    def text(self, summary: Summary) -> str:
        """For a reader."""
        from isoflop.numeric.fit.text import profile_text, summary_text

        parts = [summary_text(summary), *([profile_text(self.profiles)] if self.profiles else [])]
        return "\n\n".join([*parts, *map(str, self.reports.values())])

    def latex(self, summary: Summary) -> str:
        """For a paper."""
        from isoflop.numeric.fit.tables import summary_latex

        return summary_latex(summary)


def _save(data: dict[str, Any], path: str) -> None:
    from isoflop.numeric.fit.tables import write

    try:
        write(data, path)
    except ValueError as error:
        raise blamed(error, ("--save", path)) from None


def _draw(fit: Fit, path: str) -> None:
    from isoflop.numeric.plot import save
    from isoflop.numeric.plot_fit import plot_fit_page

    try:
        save(plot_fit_page(fit), path)
    except ValueError as error:
        raise blamed(error, ("--plot", path)) from None
