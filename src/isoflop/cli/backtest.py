"""isoflop backtest: laws fitted to the cheap models predict the expensive ones."""

from __future__ import annotations

import sys

from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, INTERRUPTED, NO_VERDICT, UsageError, outside, shown
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
from .tables import TableOptions, declare_counts, draws_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..numeric.passk.backtest.result import Backtest
    from .arguments import Options

SUMMARY = "fit the cheap models, predict the expensive ones: errors, coverage, stability"
FORMATS = ("text", "json", "csv")
LAWS = ("compute", "params-tokens", "gold")
AXES = ("compute", "params", "tokens", "gold")
LIKELIHOOD, SQUARES = "likelihood", "least-squares-log"
#: By what the table is of; the first is the default. A quantile is not what a prediction of the loss estimates.
METHODS = {
    "counts": (LIKELIHOOD, SQUARES),
    "runs": (SQUARES, *(name for name in OBJECTIVES if name not in (SQUARES, "pinball-log"))),
}
LISTS = ("--k", "--cutoffs", "--plot-k")
ALL = "all"
OF_COUNTS, OF_RUNS = ("--k", "--by", "--models", "--gold", "--cluster", "--plot-k"), ("--random-baseline",)
#: So many have room in a figure; without --k these are there.
MOST_DRAWN, POWERS = 4, (1, 10, 100, 1000, 10_000)
LEVEL, RESAMPLES = 0.9, 200
#: What models are drawn together by: "auto" leaves it to the models, "none" draws them one by one.
AUTO, ALONE = "auto", "none"
CLUSTERS = ("params", "tokens", ALONE)
#: How the library calls what an option sets.
OPTIONS = {
    "laws": "--law",
    "law": "--law",
    "axis": "--by-axis",
    "targets": "--targets",
    "cutoffs": "--cutoffs",
    "k": "--k",
    "cluster": "--cluster",
    "checkpoint": "--checkpoint",
    "jobs": "--jobs",
    "method": "--method",
}


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop backtest",
        [
            "COUNTS [--models TABLE] [--gold TABLE] [--law LAW,...] [--k K ...] ...",
            "RUNS [--column NAME=COLUMN] ... [--where CONDITION] ...",
            "COUNTS|RUNS [--by-axis AXIS] [--targets N|SHARE|all] [--cutoffs N|VALUE,...]",
            "            [--checkpoint FILE] [--plot FILE [--plot-k K ...]]",
        ],
        "COUNTS has a row for each model and problem with numbers of samples and of correct ones, RUNS a row\n"
        "for each run with its loss; the columns tell which. For every cutoff the laws are fitted to the\n"
        "models up to it and predict the most expensive ones: relative errors by decades held out, the\n"
        "coverage of prediction intervals, and over how many decades every coefficient stays within its\n"
        "final interval.\n"
        "Exit status 3: no prediction could be compared with an observation; 2: no fit could be made at all.",
        [
            "isoflop backtest counts.csv --models models.csv --k 1 100",
            "isoflop backtest counts.csv --models models.csv --targets all --checkpoint work.jsonl",
            "isoflop backtest counts.csv --models models.csv --cutoffs 12 --format csv --output rows.csv",
            "isoflop backtest counts.csv --models models.csv --plot backtest.png --plot-k 1 100 10000",
            "isoflop backtest runs.csv --targets 10% --plot backtest.png",
        ],
    )
    declare_counts(built)
    takes_one(
        built, "--random-baseline", "SHARE", "of runs with accuracy: that of guessing; then -log((Q - Qr)/(1 - Qr)) is fitted"
    )
    asked = built.add_argument_group("backtest")
    takes_one(asked, "--law", "LAW,...", f"{', '.join(LAWS)}; default: all for which there are covariates of enough models")
    takes_several(asked, "--k", "K", "of counts; default: 1, 10, 100, ... up to 10,000, or to the fewest samples (least squares)")
    takes_one(asked, "--by-axis", "|".join(AXES), f"what makes a model expensive; default: {AXES[0]}")
    takes_one(
        asked,
        "--targets",
        "N|SHARE|all",
        "what is predicted and never trained on: models at the N highest values, or a share of the models; all: from every "
        "cutoff all models beyond it; default: 1",
    )
    takes_several(
        asked, "--cutoffs", "N|VALUE,...", "so many, evenly spread, or these values of the axis; default: every model's"
    )
    takes_one(
        asked,
        "--method",
        "NAME",
        f"of counts {', '.join(METHODS['counts'])}; of runs {', '.join(METHODS['runs'])}; default: the first",
    )
    takes_one(asked, "--level", "SHARE", f"nominal coverage of intervals; default: {LEVEL}")
    takes_one(
        asked, "--bootstrap", "N", f"resamples behind final intervals of coefficients; default: {RESAMPLES}; 0: standard errors"
    )
    takes_one(asked, "--seed", "S", "of the resamples; default: 0")
    takes_one(
        asked,
        "--cluster",
        "|".join(CLUSTERS),
        "of counts: draw models with the same params (or tokens) together, or one by one; default: params, where sizes repeat "
        "and there are at least four",
    )
    takes_one(asked, "--checkpoint", "FILE", "keep every fit there as soon as it is made, and make none again that is there")
    takes_one(asked, "--jobs", "J", "processes, -1 for all; needs joblib; default: 1")
    takes_several(asked, "--plot-k", "K", "one to four k to draw; default: the first")
    declare_output(built, *FORMATS, plot="draw errors and coefficients")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: 3 where nothing could be compared, 130 where Ctrl-C left a part undone."""
    form = options.chosen("--format", FORMATS)
    settings = _settings(options)
    path = target(options, "--plot")
    target(options, "--output")
    if path is not None:
        check_figure(path)
    drawn = _drawn(options, settings["k"])
    result = _tested(options, settings)
    if path is not None:
        from ..numeric.plot.backtest import plot_backtest
        from ..numeric.plot.panels import save

        save(plot_backtest(result, k=drawn), path)
    text = json_text(plain(result.as_dict())) if form == "json" else result.to_csv() if form == "csv" else str(result)
    if result.interrupted:
        say_interrupted(f"{len(result)} of {result.planned} fits are made{_kept(settings['checkpoint'])}")
        return text, INTERRUPTED
    return text, DONE if result.table.usable.any() else NO_VERDICT


# -- what was asked ----------------------------------------------------------------------------------------------------


def _settings(options: Options) -> dict[str, Any]:
    """What needs no table to be checked."""
    found: dict[str, Any] = {
        "axis": options.chosen("--by-axis", AXES),
        "targets": _targets(options),
        "cutoffs": _cutoffs(options),
    }
    laws = options.several("--law")
    for law in laws or ():
        if law not in LAWS:
            raise outside("--law", law, f"one of {', '.join(LAWS)}")
    found["laws"] = None if laws is None else list(dict.fromkeys(laws))
    found["k"] = draws_of(options)
    found["level"] = share(options, "--level") or LEVEL
    repeats = whole(options, "--bootstrap", least=0)
    found["resamples"] = RESAMPLES if repeats is None else repeats
    found["seed"] = whole(options, "--seed", least=0) or 0
    word = options.chosen("--cluster", CLUSTERS) if "--cluster" in options else AUTO
    found["cluster"] = None if word == ALONE else word
    found["jobs"] = whole(options, "--jobs", least=None) or 1
    found["checkpoint"] = target(options, "--checkpoint")
    every = tuple(dict.fromkeys((*METHODS["counts"], *METHODS["runs"])))
    found["method"] = options.chosen("--method", every) if "--method" in options else None
    return found


def _drawn(options: Options, ks: list[int] | None) -> list[int] | None:
    """The k to be drawn."""
    found = draws_of(options, "--plot-k")
    if found is None:
        return None
    typed, held = shown(" ".join(options.words("--plot-k") or ())), ks or POWERS
    if "--plot" not in options:
        raise UsageError(f"--plot-k {typed}: needs --plot FILE")
    if len(found) > MOST_DRAWN:
        raise UsageError(f"--plot-k {typed}: must be at most {MOST_DRAWN} values, which are drawn beside each other")
    for each in found:
        if each not in held:
            raise UsageError(f"--plot-k {typed}: {each} is not fitted; must be of {', '.join(map(str, held))}")
    return found


def _targets(options: Options) -> int | float | str:
    text = options.one("--targets")
    if text is None:
        return 1
    if text.strip() == ALL:
        return ALL
    domain = "all, a whole number of at least 1, or a share between 0 and 1"
    try:
        value = parse(text)
    except ValueError as error:
        raise outside("--targets", text, domain, str(error)) from None
    if 0.0 < value < 1.0:
        return value
    if "%" in text or (value == 1.0 and "." in text):  # of all models, not one of them
        note = "nothing would be left to fit; all predicts from every cutoff" if value == 1.0 else ""
        raise outside("--targets", text.strip(), domain, note)
    if not (1.0 <= value < 2.0**53 and value == int(value)):
        raise outside("--targets", text, domain)
    return int(value)


def _cutoffs(options: Options) -> int | list[float] | None:
    """One small whole number is how many."""
    found = options.positives("--cutoffs")
    if found is None:
        return None
    values = [value for _, value in found]
    if len(values) == 1 and values[0] == int(values[0]) and values[0] <= 1e4 and options.chosen("--by-axis", AXES) != "gold":
        return int(values[0])
    return values


def _tested(options: Options, settings: dict[str, Any]) -> Backtest:
    file = TableOptions(options, "counts", LISTS)
    from ..numeric.passk.backtest import backtest
    from ..numeric.passk.backtest.reading import kind_of_table

    table = file.table()
    kind = kind_of_table(table, file.columns)
    for option in options.given(*(OF_RUNS if kind == "counts" else OF_COUNTS)):
        what = "runs with an accuracy" if kind == "counts" else "counts of correct samples"
        raise UsageError(f"{option} {shown(' '.join(options.words(option) or ()))}: is for {what}; {table.source} has {kind}")
    method = settings["method"]
    if method is not None and method not in METHODS[kind]:
        raise UsageError(f"--method {shown(method)}: must be one of {', '.join(METHODS[kind])} for {kind}")
    data: Any = file.counts() if kind == "counts" else file.runs("loss")
    try:
        return backtest(data, progress=is_terminal(sys.stderr), **settings)
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(f"{str(stop) or 'no further fit is made'}{_kept(settings['checkpoint'])}") from None
    except ValueError as error:
        raise _of_option(error, options) from None


def _kept(checkpoint: str | None) -> str:
    """How an interrupted backtest goes on."""
    return f"; {checkpoint} has every fit that is made, and the same command makes the rest" if checkpoint else ""


def _of_option(error: ValueError, options: Options) -> UsageError:
    """The error in the user's words where it begins with an argument that has an option."""
    name, equals, rest = str(error).partition("=")
    value, colon, complaint = rest.partition(": ")
    if not (equals and colon and name in OPTIONS):
        return UsageError(str(error))
    option = OPTIONS[name]
    typed = value.strip("'\"")
    if name == "law" and "--targets" in options and "to be predicted" in complaint:
        return UsageError(f"--targets {shown(str(options.one('--targets')))}: law {typed}: {complaint}")
    return UsageError(
        f"{option} {shown(typed)}: {complaint}" if option in options or name == "law" else f"{option} {typed}: {complaint}"
    )
