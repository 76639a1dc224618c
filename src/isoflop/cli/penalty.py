"""isoflop penalty: what over- or undertraining costs."""

from __future__ import annotations

from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, UsageError, blamed, typed
from .penalty_accuracy import accuracy_rows, accuracy_text, baselines, refuse_budgets
from .penalty_output import penalty_data, penalty_latex, penalty_text
from .render import json_text
from .selection import declare_law, notation, require
from .selection import laws as selected_laws

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..numeric.penalty import Penalty, Tolerance
    from .arguments import Options

    Typed = tuple[str, str]  # an option and its value
    Point = tuple[
        dict[str, float], tuple[Typed, ...]
    ]  # arguments of Law.penalty, and what was typed

SUMMARY = "what over- or undertraining costs"
FORMATS = ("text", "json", "latex")
POINTS = ("--ratio", "--size-ratio", "--params", "--tokens")


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop penalty",
        [
            "--law LAW ... --ratio RATIO ... [--within SHARE] [--plot FILE]",
            "--law LAW ... --size-ratio RATIO ...",
            "--law LAW ... --params N ... --tokens D ...",
            "--A A --B B --beta BETA --gamma GAMMA [--E E] ...",
        ],
        "What training off the compute-optimal allocation costs, against the optimum at the same "
        "compute.\n"
        "Ratios need the exponents of the law alone; runs need all its coefficients.",
        [
            "isoflop penalty --law besiroglu2024 --ratio 0.1 1 10",
            "isoflop penalty --law besiroglu2024 hoffmann2022 --size-ratio 50% --format json",
            "isoflop penalty --law besiroglu2024 --params 8B --tokens 15T",
            "isoflop penalty --law krajewski2025-arc-e --ratio 10 --compute 1e23",
            "isoflop penalty --beta 0.34 --gamma 0.28 --ratio 10 --within 1% --plot penalty.pdf",
        ],
    )
    group = built.add_argument_group("allocation")
    takes_several(
        group,
        "--ratio",
        "RATIO",
        "overtraining ratio (D/N)/(D*/N*) at the same compute; above 1 overtrained",
    )
    takes_several(group, "--size-ratio", "RATIO", "N/N* at the same compute")
    takes_several(group, "--params", "N", "params of runs, with as many --tokens")
    takes_several(group, "--tokens", "D", "training tokens of runs")
    takes_one(
        group,
        "--within",
        "SHARE",
        "the ratios at which the loss penalty exceeds 1 by at most this share of the reducible "
        "loss, such as 1%",
    )
    accuracy = built.add_argument_group("laws of accuracy, -log Q' = E + A N^-beta + B D^-gamma")
    takes_one(
        accuracy,
        "--random-baseline",
        "SHARE",
        "accuracy of guessing Qr, Q' = (Q - Qr)/(1 - Qr); then add accuracy points; published laws "
        "of accuracy know theirs",
    )
    takes_several(
        accuracy,
        "--compute",
        "C",
        "budgets in FLOP at which accuracy is shown, beside --ratio or --size-ratio",
    )
    declare_law(built, several=True)
    declare_output(built, *FORMATS, plot="draw the penalty against the ratio")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form = options.chosen("--format", FORMATS)
    laws = selected_laws(options)
    points = _points(options)
    within, plot = options.positive("--within"), options.one("--plot")
    if not points and within is None and plot is None:
        raise UsageError(
            "--ratio is missing: give --ratio, --size-ratio, --params with --tokens, --within or "
            "--plot"
        )
    if "--params" in options:
        require(laws, ("A", "B"), "--params")
    found = [(law, [_evaluated(law, point) for point in points]) for law in laws]
    tolerances = [] if within is None else [_tolerance(law, within, options) for law in laws]
    if plot is not None:
        _draw(plot, found, within)
    known = baselines(options, laws)
    in_accuracy = _in_accuracy(options, found, known)
    if form == "json":
        accuracies = (
            {"accuracy": [entry for _, _, entries in in_accuracy for entry in entries]}
            if in_accuracy
            else {}
        )
        return json_text(penalty_data(found, tolerances) | accuracies), DONE
    if form == "latex":
        return penalty_latex(found, tolerances, notation(options)), DONE
    lines = [
        line
        for law, baseline, entries in in_accuracy
        for line in accuracy_text(law, baseline, entries)
    ]
    text = penalty_text(found, tolerances, notation(options), known)
    return "\n".join([text, *(["", *lines] if lines else [])]), DONE


def _in_accuracy(
    options: Options, found: Sequence[tuple[Law, Sequence[Penalty]]], known: dict[str, float]
) -> list[tuple[Law, float, list[dict[str, Any]]]]:
    """Of the laws of accuracy the rows in accuracy points."""
    budgets = [value for _, value in options.positives("--compute") or ()]
    for option in options.given("--params"):
        if budgets:
            raise UsageError(
                f"--compute: is for --ratio or --size-ratio; runs of {option} have their own"
            )
    refuse_budgets(options, known)
    if not known:
        return []
    asked = options.given("--random-baseline", "--compute")
    laws = [(law, rows) for law, rows in found if law.name in known and rows]
    require([law for law, _ in laws], ("E", "A", "B"), asked[0] if asked else "--law")
    return [
        (law, known[law.name], accuracy_rows(law, known[law.name], rows, budgets))
        for law, rows in laws
    ]


# -- input -----------------------------------------------------------------------------------------


def _points(options: Options) -> list[Point]:
    given = options.given(*POINTS)
    if given in (["--ratio"], ["--size-ratio"]):
        (option,) = given
        name = option.lstrip("-").replace("-", "_")
        return [
            ({name: value}, ((option, text),)) for text, value in options.positives(option) or ()
        ]
    if given == ["--params", "--tokens"]:
        params, tokens = options.positives("--params") or [], options.positives("--tokens") or []
        if len(params) != len(tokens):
            counts = f"got {len(params)} and {len(tokens)}"
            raise UsageError(
                f"{_listed(options, given)}: must be as many tokens as params, {counts}"
            )
        return [
            ({"params": n, "tokens": d}, (("--params", n_text), ("--tokens", d_text)))
            for (n_text, n), (d_text, d) in zip(params, tokens, strict=True)
        ]
    if given in (["--params"], ["--tokens"]):
        (missing,) = {"--params", "--tokens"} - {*given}
        raise UsageError(f"{_listed(options, given)}: needs {missing}")
    if given:
        raise UsageError(
            f"{_listed(options, given)}: must be --ratio, or --size-ratio, or --params with "
            f"--tokens"
        )
    return []


def _listed(options: Options, given: Sequence[str]) -> str:
    return typed(*((option, " ".join(options.several(option) or ())) for option in given))


def _evaluated(law: Law, point: Point) -> Penalty:
    arguments, given = point
    try:
        found = law.penalty(**arguments)
        found.as_dict()  # computed here, where the options that led to a figure without a float are known
    except ValueError as error:
        raise blamed(error, *given) from None
    return found


def _tolerance(law: Law, within: float, options: Options) -> Tolerance:
    try:
        return law.tolerance(within)
    except ValueError as error:
        raise blamed(error, ("--within", str(options.one("--within")))) from None


def _draw(path: str, found: Sequence[tuple[Law, Sequence[Penalty]]], within: float | None) -> None:
    from ..numeric.plot.panels import plot_penalty, save

    try:
        named = [(law.name, law.beta, law.gamma) for law, _ in found]
        marked = [[figures.ratio for figures in rows] for _, rows in found]
        save(plot_penalty(named, within=within, points=marked), path)
    except ValueError as error:
        raise blamed(error, ("--plot", path)) from None
