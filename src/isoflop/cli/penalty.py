"""isoflop penalty: what over- or undertraining costs."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .arguments import Parser, declare_output, takes_one, takes_several
from .errors import DONE, UsageError, blamed, shown, typed
from .render import TABLES, count, json_text, law_line, number, percent, tables_text
from .selection import baselines, declare_law, notation, require
from .selection import laws as selected_laws

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..numeric.accuracy.planning import AccuracyPenalty
    from ..numeric.law import Law
    from ..numeric.law.penalty import Penalty, Tolerance
    from ..theory.data.notation import Notation
    from .arguments import Options

    Found = Sequence[tuple[Law, list[Penalty]]]
    #: Of a law of accuracy the accuracy of guessing, and its penalties.
    InAccuracy = dict[str, tuple[float, list[AccuracyPenalty]]]
    Typed = tuple[str, str]  # an option and its value
    Point = tuple[
        dict[str, float], tuple[Typed, ...]
    ]  # arguments of Law.penalty, and what was typed

SUMMARY = "what over- or undertraining costs"
FORMATS = ("text", "json", *TABLES)
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

#: What figures of loss are called for a law of y = -log Q'.
IN_ACCURACY = {
    "loss": "-log\nQ'",
    "optimal_loss": "optimal\n-log\nQ'",
    "loss_excess": "-log\nQ'\nexcess",
    "loss_penalty": "penalty",
}
SIZES = "ratio: (D/N)/(D*/N*) at the same compute, above 1 overtrained; size ratio: N/N*."
LEGEND = (
    "loss penalty: (L - E)/(L* - E); excess: that minus 1, and loss excess: L - L*; lost compute:",
    "1 - effective compute, the share of the budget that the optimum needs for the same loss; "
    "compute",
    "overhead: extra compute that reaches L* at this size (never: no number of tokens does).",
)
LEGEND_IN_ACCURACY = (
    "penalty: (y - E)/(y* - E) of y = -log Q', Q' accuracy without guessing; excess: that minus 1; "
    "lost",
    "compute: 1 - effective compute, the share of the budget that the optimum needs for the same",
    "accuracy; compute overhead: extra compute that reaches y* at this size (never: no number of "
    "tokens",
    "does).",
)

#: Of the compute of runs that were given one budget.
ROUNDING = 1e-9

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
            "--ratio is missing: give --ratio, --size-ratio, --tokens-per-param with --params or "
            "--compute, --params with --tokens, --within or --plot"
        )
    for option in options.given("--params", "--tokens-per-param"):
        require(laws, ("A", "B"), option)
    found = [(law, [_evaluated(law, point) for point in points]) for law in laws]
    tolerances = [] if within is None else [_tolerance(law, within, options) for law in laws]
    if plot is not None:
        _draw(plot, found, within)
    in_accuracy = _in_accuracy(options, found)
    if form == "json":
        return json_text(_data(found, tolerances, in_accuracy)), DONE
    if form in TABLES:
        return _page(form, found, tolerances, notation(options)), DONE
    return _text(found, tolerances, in_accuracy, notation(options)), DONE


def _in_accuracy(options: Options, found: Found) -> InAccuracy:
    """The penalties of the laws of accuracy, which have budgets at a ratio."""
    known = baselines([law for law, _ in found])
    on_a_ray = "--tokens-per-param" in options
    budgets = [] if on_a_ray else [value for _, value in options.positives("--compute") or ()]
    if budgets and not known:
        words = shown(" ".join(options.words("--compute") or ()))
        raise UsageError(
            f"--compute {words}: needs --tokens-per-param, or a law of accuracy with --ratio"
        )
    if not known:
        return {}
    from ..numeric.accuracy.planning import AccuracyLaw

    entries: InAccuracy = {}
    for law, rows in found:
        if law.name in known:
            accuracy = AccuracyLaw(law=law, random_baseline=known[law.name])
            costs = [
                accuracy.penalty(**dict(row.given), **({"compute": budget} if budget else {}))
                for row in rows
                for budget in ((None,) if row.run is not None else (budgets or (None,)))
            ]
            entries[law.name] = (known[law.name], costs)
    return entries


# -- output ----------------------------------------------------------------------------------------


def _data(found: Found, tolerances: Sequence[Tolerance], in_accuracy: InAccuracy) -> dict[str, Any]:
    """The rows, with intervals for a law that came from data, and the tolerance intervals if any."""
    from ..numeric.law.tables import intervals_of, penalty_data

    names = [law.name for law, _ in found]
    data: dict[str, Any] = {
        "law": names[0] if len(names) == 1 else names,
        "rows": [
            {"law": law.name, **record, **intervals_of(cost)}
            for law, rows in found
            for cost, record in zip(rows, penalty_data(rows).records() if rows else (), strict=True)
        ],
    }
    if tolerances:
        intervals = [
            {"law": name, **entry.as_dict()} for name, entry in zip(names, tolerances, strict=True)
        ]
        data["tolerance"] = intervals[0] if len(intervals) == 1 else intervals
    if in_accuracy:
        figures = ("accuracy", "optimal_accuracy", "lost_accuracy", "greatest_loss")
        data["accuracy"] = [
            {"law": name, "ratio": cost.ratio, "compute": cost.budget}
            | {figure: getattr(cost, figure) for figure in figures}
            for name, (_, costs) in in_accuracy.items()
            for cost in costs
        ]
    return data


def _page(form: str, found: Found, tolerances: Sequence[Tolerance], spelling: Notation) -> str:
    """The penalties of all laws in a table, intervals, and what keeps within the tolerance."""
    from ..numeric.law.tables import penalty_page, penalty_tables

    tables = [penalty_page(found, spelling)] if any(rows for _, rows in found) else []
    tables += [
        penalty_tables(rows)[-1] for law, rows in found if rows and law.uncertainty is not None
    ]
    named = [(law.name, tolerance) for (law, _), tolerance in zip(found, tolerances, strict=False)]
    if form != "latex":
        tables += [
            table.changed(title=f"{name}: {table.title}")
            for name, tolerance in named
            for table in tolerance.tables()
        ]
        return tables_text(tables, form)
    sentences = [_tolerance_latex(name, tolerance, spelling) for name, tolerance in named]
    return "\n\n".join([*([tables_text(tables, form)] if tables else []), *sentences])


def _tolerance_latex(name: str, interval: Tolerance, spelling: Notation) -> str:
    """The sizes within a tolerance as a sentence."""
    from ..theory.typeset.escapes import latex_escaped
    from ..theory.typeset.numbers import Shortest

    lowest, highest, bound = map(Shortest(4).finite_latex, (*interval.size_ratio, interval.within))
    size_ratio = f"{spelling.latex('N')}/{spelling.latex('N_opt')}"
    return rf"{latex_escaped(name)}: $P - 1 \le {bound}$ for ${lowest} \le {size_ratio} \le {highest}$."


def _text(
    found: Found, tolerances: Sequence[Tolerance], in_accuracy: InAccuracy, spelling: Notation
) -> str:
    """Tables of at most 100 columns, and what their columns mean."""
    from ..numeric.law.tables import penalty_tables

    lines: list[str] = []
    for law, rows in found:
        called = IN_ACCURACY if law.name in in_accuracy else {}
        lines += [law_line(law, spelling), ""]
        for table in penalty_tables(rows, called) if rows else ():
            lines += [table.text(), ""]
    for (law, _), interval in zip(found, tolerances, strict=False):
        lines += _tolerance_lines(
            law, interval, "y* - E" if law.name in in_accuracy else "the reducible loss L* - E"
        )
    kinds = {law.name in in_accuracy for law, rows in found if rows}
    lines += [
        SIZES,
        *(LEGEND if False in kinds else ()),
        *(LEGEND_IN_ACCURACY if True in kinds else ()),
    ]
    for name, (baseline, costs) in in_accuracy.items():
        if costs:
            from ..numeric.accuracy.planning import accuracy_table

            heading = f"{clean(name)} in accuracy, {number(baseline)} of which is guessing:"
            lines += ["", heading, accuracy_table(costs).text()]
    return "\n".join(lines)


def _tolerance_lines(law: Law, interval: Tolerance, reducible: str) -> list[str]:
    low, high = (number(end) for end in interval.size_ratio)
    least, most = (number(end) for end in interval.ratio)
    compute = percent(law.penalty(size_ratio=interval.size_ratio[1]).lost_compute)
    return [
        f"{clean(law.name)}: excess at most {percent(interval.within)} of {reducible}, at most "
        f"{compute} of the",
        f"  compute lost, for size ratio {low} to {high}, ratio {least} to {most}",
        "",
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


def _draw(path: str, found: Found, within: float | None) -> None:
    from ..numeric.plot.panels import plot_penalty, save

    costs = [cost for _, rows in found for cost in rows]
    budgets = [cost.run.compute for cost in costs if cost.run is not None]
    alike = bool(budgets) and max(budgets) <= min(budgets) * (1.0 + ROUNDING)
    best = costs[0].run if len(found) == 1 and alike else None
    try:
        ax = plot_penalty(
            [law for law, _ in found],
            within=within,
            points=[[cost.ratio for cost in rows] for _, rows in found],
            names=[[_name(cost) for cost in rows] for _, rows in found],
            optimal_tokens_per_param=None if best is None else best.optimal_tokens_per_param,
        )
        save(ax, path)
    except ValueError as error:
        raise blamed(error, ("--plot", path)) from None


def _name(cost: Penalty) -> str:
    """What a run is called in a figure."""
    return "" if cost.run is None else f"{count(cost.run.params)}, {count(cost.run.tokens)}"
