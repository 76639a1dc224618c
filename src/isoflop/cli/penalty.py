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
OF_ALLOCATION = (
    "--ratio",
    "--size-ratio",
    "--params",
    "--compute",
    "--tokens",
    "--tokens-per-param",
)
#: What says which allocation; each of a group has as many values as the other.
ALLOCATIONS = (
    ("--ratio",),
    ("--size-ratio",),
    ("--params", "--tokens"),
    ("--params", "--tokens-per-param"),
    ("--compute", "--tokens-per-param"),
)

CHOICES = (
    "--ratio, or --size-ratio, or --params with --tokens, or --tokens-per-param with --params or "
    "--compute"
)


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop penalty",
        [
            "--law LAW ... --ratio RATIO ... [--within SHARE] [--plot FILE]",
            "--law LAW ... --size-ratio RATIO ...",
            "--law LAW ... --params N ... --tokens D ...",
            "--law LAW ... --compute C ... --tokens-per-param T ...",
            "--A A --B B --beta BETA --gamma GAMMA [--E E] ...",
        ],
        "What training off the compute-optimal allocation costs, against the optimum at the same "
        "compute.\n"
        "Ratios need the exponents of the law alone; runs need all its coefficients.",
        [
            "isoflop penalty --law besiroglu2024 --ratio 0.1 1 10",
            "isoflop penalty --law besiroglu2024 hoffmann2022 --size-ratio 50% --format json",
            "isoflop penalty --law besiroglu2024 --params 8B --tokens 15T",
            "isoflop penalty --law besiroglu2024 --compute 1e24 --tokens-per-param 20 200",
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
    takes_several(group, "--params", "N", "params of runs")
    takes_several(group, "--tokens", "D", "training tokens of runs, with --params")
    takes_several(
        group, "--tokens-per-param", "T", "tokens per param of runs, with --params or --compute"
    )
    takes_several(
        group,
        "--compute",
        "C",
        "compute of runs in FLOP, with --tokens-per-param; or for a law of accuracy the budgets at "
        "which it is shown, with --ratio or --size-ratio",
    )
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
            "--ratio is missing: give --ratio, --size-ratio, --params with --tokens or with "
            "--tokens-per-param, --within or --plot"
        )
    for option in options.given("--params", "--tokens-per-param"):
        require(laws, ("A", "B"), option)
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
    on_a_ray = "--tokens-per-param" in options
    budgets = [] if on_a_ray else [value for _, value in options.positives("--compute") or ()]
    if budgets:
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
    given = options.given(*OF_ALLOCATION)
    if given == ["--compute"]:
        return []
    of_ratio = [name for name in given if name != "--compute"] in (["--ratio"], ["--size-ratio"])
    names = tuple(name for name in given if not (of_ratio and name == "--compute"))
    if given and names not in ALLOCATIONS:
        missing = [
            " and ".join(name for name in allocation if name not in names)
            for allocation in ALLOCATIONS
            if {*names} < {*allocation}
        ]
        domain = f"needs {' or '.join(missing)}" if missing else f"must be {CHOICES}"
        raise UsageError(f"{_listed(options, given)}: {domain}")
    return [
        (
            {name.lstrip("-").replace("-", "_"): value for name, (_, value) in typed},
            tuple((name, text) for name, (text, _) in typed),
        )
        for typed in _together(options, names)
    ]


def _together(options: Options, names: Sequence[str]) -> list[list[tuple[str, tuple[str, float]]]]:
    """The values of the options that belong to each other; one value goes with all of the other's."""
    columns = [options.positives(name) or [] for name in names]
    size = max(map(len, columns), default=0)
    if any(len(column) not in (1, size) for column in columns):
        counts = " and ".join(str(len(column)) for column in columns)
        raise UsageError(
            f"{_listed(options, names)}: must be as many of one as of the other, got {counts}"
        )
    full = [column * size if len(column) == 1 else column for column in columns]
    return [list(zip(names, values, strict=True)) for values in zip(*full, strict=True)]


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
