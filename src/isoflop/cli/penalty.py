"""isoflop penalty: what over- or undertraining costs."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from .arguments import Parser, declare_output, takes_one, takes_several
from .asked import OF_A_RUN, asked, declare_run, doubts, listed
from .errors import DONE, UsageError, blamed, shown
from .render import TABLES, count, json_text, law_line, number, percent, tables_text
from .run_options import say_notes
from .selection import baselines, declare_law, law_files, notation, require
from .selection import laws as selected_laws

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..numeric.accuracy.planning import AccuracyPenalty
    from ..numeric.law import Law
    from ..numeric.law.penalty import Penalty, Tolerance
    from ..theory.data.notation import Notation
    from ..theory.typeset.table import Table
    from .arguments import Options
    from .asked import Asked

    Found = Sequence[tuple[Law, list[Penalty]]]
    #: Of a law of accuracy the accuracy of guessing, and its penalties.
    InAccuracy = dict[str, tuple[float, list[AccuracyPenalty]]]

SUMMARY = "what over- or undertraining costs"
FORMATS = ("text", "json", *TABLES)
RATIOS = ("--ratio", "--size-ratio")
#: Where nothing else is asked.
USUAL_RATIOS = (0.1, 0.3, 1.0, 3.0, 10.0)
#: What figures of loss are called for a law of y = -log Q'.
IN_ACCURACY = {"loss": "-log\nQ'", "loss_penalty": "penalty"}
MEANINGS = (
    "ratio: (D/N)/(D*/N*) at the same compute, above 1 overtrained; size ratio: N/N*",
    "optimal params and tokens: N* and D* at the run's compute",
    "loss penalty: (L - E)/(L* - E), of a law of accuracy (y - E)/(y* - E) with y = -log Q', Q' the "
    "accuracy without guessing; excess: that minus 1",
    "lost compute: 1 - effective compute, the share of the budget that the optimum needs for the "
    "same loss",
    "compute overhead: extra compute that reaches L* at this size; never: no number of tokens does",
)
#: Of the compute of runs that were given one budget.
ROUNDING = 1e-9


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop penalty",
        [
            "--law LAW ... [--ratio RATIO ... | --size-ratio RATIO ...]",
            "--law LAW ... --params N ... --tokens D ...",
            "--law LAW ... --compute C ... --tokens-per-param T ...",
            "--law LAW ... [--within SHARE] [--plot FILE]",
            "--A A --B B --beta BETA --gamma GAMMA [--E E] ...",
        ],
        "What training off the compute-optimal allocation costs, against the optimum at the same "
        "compute.\n"
        "Ratios need the exponents of the law alone; runs need all its coefficients. Any two of\n"
        "params, tokens, compute and tokens per param tell a run, or one of them and its loss.",
        [
            "isoflop penalty --law besiroglu2024",
            "isoflop penalty --law besiroglu2024 hoffmann2022 --size-ratio 50% --format json",
            "isoflop penalty --law besiroglu2024 --params 8B --tokens 15T",
            "isoflop penalty --law besiroglu2024 hoffmann2022 --params 405B --compute 3.8e25",
            "isoflop penalty --law krajewski2025-arc-e --ratio 10 --compute 1e23",
            "isoflop penalty --beta 0.34 --gamma 0.28 --ratio 10 --within 1% --plot penalty.pdf",
        ],
    )
    group = built.add_argument_group("allocation")
    takes_several(
        group,
        "--ratio",
        "RATIO",
        "overtraining ratio (D/N)/(D*/N*) at the same compute; above 1 overtrained; default: "
        f"{', '.join(map(number, USUAL_RATIOS))}",
    )
    takes_several(group, "--size-ratio", "RATIO", "N/N* at the same compute")
    declare_run(group, loss="loss that the run is to reach, in place of its second number")
    takes_one(
        group,
        "--within",
        "SHARE",
        "the ratios at which the loss penalty exceeds 1 by at most this share of the reducible "
        "loss, such as 1%",
    )
    group.add_argument("--explain", action="store_true", help="say what the columns mean")
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
        points = [({"ratio": ratio}, ()) for ratio in USUAL_RATIOS]
    if options.given(*RATIOS) == []:
        for option in options.given(*OF_A_RUN):
            require(laws, ("A", "B", "E") if option == "--loss" else ("A", "B"), option)
    found = [(law, [_evaluated(law, point) for point in points]) for law in laws]
    tolerances = [] if within is None else [_tolerance(law, within, options) for law in laws]
    if plot is not None:
        _draw(plot, found, within)
    in_accuracy = _in_accuracy(options, found)
    runs = [(law, [cost.run for cost in costs if cost.run is not None]) for law, costs in found]
    warnings = doubts(runs, law_files(options))
    if form == "json":
        return json_text(_data(found, tolerances, in_accuracy, warnings)), DONE
    if form in TABLES:
        say_notes(warnings)
        return _page(form, found, tolerances, notation(options)), DONE
    lines = _text(found, tolerances, in_accuracy, notation(options))
    lines += [f"warning: {text}" for text in warnings]
    if "--explain" in options:
        from textwrap import wrap

        lines += ["", *(line for text in MEANINGS for line in wrap(text, 100))]
    return "\n".join(lines), DONE


def _in_accuracy(options: Options, found: Found) -> InAccuracy:
    """The penalties of the laws of accuracy, which have budgets at a ratio."""
    known = baselines([law for law, _ in found])
    of_ratio = bool(options.given(*RATIOS))
    budgets = [value for _, value in options.positives("--compute") or ()] if of_ratio else []
    if budgets and not known:
        words = shown(" ".join(options.words("--compute") or ()))
        raise UsageError(f"--compute {words}: at a ratio is for a law of accuracy")
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


def _tables(
    found: Found, in_accuracy: InAccuracy, spelling: Notation, *, aligned: bool = False
) -> list[Table]:
    """A table of the laws of loss and one of the laws of accuracy, and one of intervals."""
    from ..numeric.law.tables import intervals_table, penalty_table

    tables = []
    for of_accuracy in (False, True):
        rows = [
            cost
            for law, costs in found
            if (law.name in in_accuracy) == of_accuracy
            for cost in costs
        ]
        names = IN_ACCURACY if of_accuracy else {}
        if rows:
            tables.append(penalty_table(rows, names, spelling, aligned=aligned))
            tables += intervals_table(rows, names)
    return tables


def _data(
    found: Found, tolerances: Sequence[Tolerance], in_accuracy: InAccuracy, warnings: list[str]
) -> dict[str, Any]:
    """The rows, with intervals for a law that came from data, and the tolerance intervals if any."""
    from ..numeric.law.tables import intervals_of, penalty_table

    names = [law.name for law, _ in found]
    data: dict[str, Any] = {
        "law": names[0] if len(names) == 1 else names,
        "rows": [
            {**record, **intervals_of(cost)}
            for _, rows in found
            if rows
            for cost, record in zip(rows, penalty_table(rows).records(), strict=True)
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
    return {**data, **({"warnings": warnings} if warnings else {})}


def _page(form: str, found: Found, tolerances: Sequence[Tolerance], spelling: Notation) -> str:
    """The penalties of all laws in a table, intervals, and what keeps within the tolerance."""
    tables = _tables(found, {}, spelling, aligned=True)
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
) -> list[str]:
    """A line a law, and a table of all."""
    lines = [law_line(law, spelling) for law, _ in found]
    for table in _tables(found, in_accuracy, spelling):
        lines += ["", table.text()]
    for (law, _), interval in zip(found, tolerances, strict=False):
        reducible = "y* - E" if law.name in in_accuracy else "the reducible loss L* - E"
        lines += ["", *_tolerance_lines(law, interval, reducible)]
    for name, (baseline, costs) in in_accuracy.items():
        if costs:
            from ..numeric.accuracy.planning import accuracy_table

            heading = f"{clean(name)} in accuracy, {number(baseline)} of which is guessing:"
            lines += ["", heading, accuracy_table(costs).text()]
    return lines


def _tolerance_lines(law: Law, interval: Tolerance, reducible: str) -> list[str]:
    low, high = (number(end) for end in interval.size_ratio)
    least, most = (number(end) for end in interval.ratio)
    compute = percent(law.penalty(size_ratio=interval.size_ratio[1]).lost_compute)
    return [
        f"{clean(law.name)}: excess at most {percent(interval.within)} of {reducible}, at most "
        f"{compute} of the",
        f"  compute lost, for size ratio {low} to {high}, ratio {least} to {most}",
    ]


# -- input -----------------------------------------------------------------------------------------


def _points(options: Options) -> list[Asked]:
    """The ratios or the runs that are asked about."""
    ratios, of_run = options.given(*RATIOS), options.given(*OF_A_RUN)
    if len(ratios) > 1 or (ratios and of_run not in ([], ["--compute"])):
        either = "must be --ratio, or --size-ratio, or a run"
        raise UsageError(f"{listed(options, [*ratios, *of_run])}: {either}")
    if ratios or not of_run:
        return asked(options, ratios)
    if len(of_run) != 2:
        two = "two of --params, --tokens, --compute and --tokens-per-param, or one with --loss"
        raise UsageError(f"{listed(options, of_run)}: a run takes {two}")
    return asked(options, of_run)


def _evaluated(law: Law, point: Asked) -> Penalty:
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
