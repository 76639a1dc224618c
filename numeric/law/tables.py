"""The tables of a law, a penalty and an allocation: a column is one line, and every format and
command has it.
"""

from __future__ import annotations

from math import floor, isfinite, log10
from operator import attrgetter

from ...theory.data.notation import DEFAULT
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.numbers import Count, Format, Interval, Percent, Places, Shortest
from ...theory.typeset.table import RULE, Column, Subheading, Table, Words
from .penalty import Penalty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ...theory.data.notation import Notation
    from .allocation import Allocation
    from .params_tokens import Law

    Figure = tuple[Column, list[str]]

__all__ = [
    "allocation_page",
    "allocation_tables",
    "intervals_of",
    "law_table",
    "penalty_data",
    "penalty_page",
    "penalty_tables",
]

FOUR, FIVE, SHARE, SIZE = Shortest(4), Shortest(5), Percent(3), Count()


def _figure(
    key: str, heading: str, latex: str, views: str, form: Format = FOUR
) -> tuple[str, Figure]:
    return key, (Column(key, heading, latex, format=form, interval=Interval(form)), views.split())


#: Every figure of a penalty or an allocation: its column, LaTeX in the names of the notation, and
#: the tables that show it: ratios; sizes and costs of runs; page (runs in LaTeX); allocations. JSON
#: and frames have all of them.
FIGURES: dict[str, Figure] = dict(
    (
        _figure("params", "params", "{N}", "sizes costs page allocations", SIZE),
        _figure("tokens", "tokens", "{D}", "sizes costs page allocations", SIZE),
        _figure("tokens_per_param", "tokens\nper\nparam", "{D}/{N}", "sizes page allocations"),
        _figure("compute", "compute", "{C}", "sizes", SIZE),
        _figure("optimal_params", "optimal\nparams", "{N_opt}", "sizes", SIZE),
        _figure("optimal_tokens", "optimal\ntokens", "{D_opt}", "sizes", SIZE),
        _figure(
            "optimal_tokens_per_param",
            "optimal\ntokens\nper\nparam",
            "{D_opt}/{N_opt}",
            "sizes page",
        ),
        _figure("ratio", "ratio", "{rho}", "ratios sizes"),
        _figure("size_ratio", "size\nratio", "{N}/{N_opt}", "ratios sizes page"),
        _figure("loss", "loss", "{L}", "costs page allocations", FIVE),
        _figure("optimal_loss", "optimal\nloss", "{L_opt}", "costs", FIVE),
        _figure("loss_excess", "loss\nexcess", "{L} - {L_opt}", "costs", Shortest(3)),
        _figure("reducible_loss", "reducible\nloss", "{L} - {E}", "allocations", FIVE),
        _figure("optimal_reducible_loss", "", "{L_opt} - {E}", "", FIVE),
        _figure("loss_penalty", "loss\npenalty", "P", "ratios costs page", FIVE),
        _figure("excess", "excess", "P - 1", "ratios", SHARE),
        _figure("effective_compute", "effective\ncompute", r"{C}_{{\mathrm{{eff}}}}/{C}", "ratios"),
        _figure(
            "lost_compute",
            "lost\ncompute",
            r"1 - {C}_{{\mathrm{{eff}}}}/{C}",
            "ratios costs page",
            SHARE,
        ),
        _figure(
            "compute_overhead",
            "compute\noverhead",
            r"\Delta {C}/{C}",
            "ratios costs page",
            SHARE,
        ),
        _figure("tokens_factor", "", "D/{D_opt}", ""),
        _figure("accuracy", "accuracy", "Q", "", Places(4)),
        _figure("unspent_compute", "unspent\ncompute", "", "", SIZE),
    )
)
LETTERS = ("N", "D", "C", "L", "E", "rho", "N_opt", "D_opt", "L_opt")
#: From here on a number of a column is written with a power of ten, and has no say in how many
#: decimals the others have; where these are further apart or tiny, each has those that it needs.
LARGE, APART, MOST_PLACES = 1e4, 1e4, 5
#: What a table of intervals shows, where the law came from data.
SURE_OF_RATIOS = ("ratio", "loss_penalty", "lost_compute", "compute_overhead")
SURE_OF_RUNS = ("params", "tokens", "ratio", "loss_penalty", "lost_compute")
SURE_OF_ALLOCATIONS = ("compute", "params", "tokens", "tokens_per_param", "loss")


def columns(
    keys: Iterable[str],
    names: Mapping[str, str] | None = None,
    notation: str | Notation = DEFAULT,
) -> list[Column]:
    """The named columns; `names` are other headings for some."""
    own, spelling = names or {}, find_notation(notation)
    letters = {name: spelling.latex(name) for name in LETTERS}
    found = []
    for key in keys:
        column, _ = FIGURES[key]
        latex = "" if key in own or not column.latex else f"${column.latex.format(**letters)}$"
        found.append(column.changed(heading=own.get(key, column.heading), latex=latex))
    return found


def shown_in(view: str) -> list[str]:
    """The figures that one of the tables shows."""
    return [key for key, (_, views) in FIGURES.items() if view in views]


def penalty_tables(
    costs: Sequence[Penalty],
    names: Mapping[str, str] | None = None,
    like: Penalty | None = None,
) -> tuple[Table, ...]:
    """Penalties of one law: of ratios one table, of runs one for the sizes and one for the costs;
    and one of intervals. `like`: what they are like, where there may be none.
    """
    first = like or costs[0]
    of_runs = first.run is not None
    given = {name for name, _ in first.given}
    sure = [key for key in (SURE_OF_RUNS if of_runs else SURE_OF_RATIOS) if key not in given]
    return (
        *(Table(columns(shown_in(view), names), costs) for view in _views(of_runs)),
        *_intervals(first.law, costs, sure, sorted(given), names),
    )


def _views(of_runs: bool) -> tuple[str, ...]:
    return ("sizes", "costs") if of_runs else ("ratios",)


def penalty_data(costs: Sequence[Penalty], like: Penalty | None = None) -> Table:
    """Penalties with every figure, for JSON and frames."""
    first = like or costs[0]
    keys = [key for key in FIGURES if FIGURES[key][0].of or hasattr(first, key)]
    return Table(columns(keys), costs)


def penalty_page(
    found: Iterable[tuple[Law, Sequence[Penalty]]], notation: str | Notation = DEFAULT
) -> Table:
    """Penalties of several laws in one table, for a page."""
    blocks = [(law, costs) for law, costs in found if costs]
    costs = [cost for _, of_law in blocks for cost in of_law]
    of_runs = costs[0].run is not None
    without = {"loss"} if of_runs and all(law.E is None for law, _ in blocks) else set()
    keys = [key for key in shown_in("page" if of_runs else "ratios") if key not in without]
    given = {name for name, _ in costs[0].given}
    shown = [
        column if column.key in given else _aligned(column, costs)
        for column in columns(keys, None, notation)
    ]
    return Table(shown, _below_names([(law.name, of_law) for law, of_law in blocks]))


def _below_names(blocks: Iterable[tuple[str, Sequence[Any]]]) -> list[Any]:
    """The rows of several laws, each below its name."""
    return [row for name, rows in blocks for row in (RULE, Subheading(name), *rows)][1:]


def _aligned(column: Column, rows: Sequence[Any]) -> Column:
    """The column with the same number of decimals in all rows, where its numbers are of one size;
    shares are in per cent, which the heading says.
    """
    form = column.format
    if not isinstance(form, Percent | Shortest):
        return column
    share, entry = isinstance(form, Percent), column.entry
    factor = 100.0 if share else 1.0
    numbers = [
        factor * abs(value)
        for value in map(entry, rows)
        if value and isfinite(value) and factor * abs(value) < LARGE
    ]
    if not numbers or max(numbers) > APART * min(numbers):
        return column

    def decimals(number: float, digits: int) -> int:
        return max(0, digits - 1 - floor(log10(number)))

    least = 1 if share else 0
    fewest = 2 if share else 3
    places = max(least, decimals(max(numbers), form.digits), decimals(min(numbers), fewest))
    if places > MOST_PLACES:
        return column
    if not share:
        return column.changed(format=Places(places))
    if any(number < 100.0 <= round(number, places) for number in numbers):
        return column  # nothing below the whole is written as the whole

    def percent(row: Any) -> float | None:
        value = entry(row)
        return None if value is None else 100.0 * value

    return column.changed(of=percent, format=Places(places, form.infinite), unit="%")


def allocation_tables(
    allocations: Sequence[Allocation],
    names: Mapping[str, str] | None = None,
    accuracies: Sequence[float | None] = (),
    like: Allocation | None = None,
) -> tuple[Table, ...]:
    """Allocations of one law, with the accuracies where it is one of accuracy; and a table of
    intervals. `like`: what they are like, where there may be none.
    """
    first = like or allocations[0]
    unspent = any(allocation.unspent_compute for allocation in allocations)
    on_ray = first.on_ray
    figures = ["compute", *shown_in("allocations"), *(["accuracy"] if accuracies else [])]
    shown = columns([*figures, *(["loss_penalty"] if on_ray else [])], names)
    shown += [] if on_ray else [Column("binding", align="left")]
    shown += columns(["unspent_compute"]) if unspent else []
    rows = []
    for index, allocation in enumerate(allocations):
        both = (
            "max params, max tokens"
            if allocation.unspent_compute
            else allocation.binding.replace("_", " ")
        )
        rows.append(
            {
                **allocation.as_dict(),
                "binding": both,
                "accuracy": accuracies[index] if accuracies else None,
            }
        )
    given = first.given[0][0]
    sure = [key for key in SURE_OF_ALLOCATIONS if key != given]
    return (Table(shown, rows), *_intervals(first.law, allocations, sure, [given], names))


def allocation_page(
    tables: Sequence[tuple[str, Table]], notation: str | Notation = DEFAULT
) -> Table:
    """Allocations of several laws, each with its name, in one table, for a page."""
    of_key = {column.key: column for _, table in tables for column in table.columns}
    rows = [row for _, table in tables for row in table.rows]
    own = {key: column.heading for key, column in of_key.items()}
    shown = [
        _aligned(column, rows)
        for key, heading in own.items()
        for column in (
            columns([key], {} if heading == FIGURES[key][0].heading else own, notation)
            if key in FIGURES
            else [of_key[key]]
        )
    ]
    return Table(shown, _below_names([(name, table.rows) for name, table in tables]))


#: What is shown of a law, and what of its envelope alone.
OF_ENVELOPE = {
    "alpha": "exponent",
    "C0": "coefficient",
    "w_N": "params_share",
    "w_D": "tokens_share",
}
OF_LAW = {name: name for name in ("E", "A", "B", "beta", "gamma")} | {
    name: f"envelope.{attribute}" for name, attribute in OF_ENVELOPE.items()
}


def law_table(law: Law, notation: str | Notation = DEFAULT, names: Iterable[str] = OF_LAW) -> Table:
    """The coefficients and what follows from them, with intervals where the law came from data."""
    spelling = find_notation(notation)
    missing = {name for name in ("E", "A", "B") if getattr(law, name) is None}
    missing |= {"C0"} if missing & {"A", "B"} else set()
    rows = [
        {
            "name": Words(spelling.names()[name], f"${spelling.latex(name)}$"),
            "value": law.estimate(attrgetter(OF_LAW[name])),
        }
        for name in names
        if name not in missing
    ]
    shown = [
        Column("name", "", align="left"),
        Column("value", format=Shortest(6), keys=("value", "low", "high")),
    ]
    if law.draws is not None:
        interval = Interval(Shortest(5))
        shown.append(
            Column("value", interval_heading(), show="interval", interval=interval, only="page")
        )
    return Table(shown, rows, title=str(law))


def intervals_of(result: Penalty | Allocation) -> dict[str, Any]:
    """For JSON: the level and the ends of the interval of each figure under "intervals"; {} where
    nothing tells them.
    """
    if result.law.draws is None:
        return {}
    if isinstance(result, Penalty):
        figures, given = shown_in("ratios"), {name for name, _ in result.given}
        given |= {"ratio", "size_ratio"} if given & {"ratio", "size_ratio"} else set()
    else:
        figures, given = ["compute", *shown_in("allocations")], {result.given[0][0]}
    estimates = {
        name: result.estimate(FIGURES[name][0].of or name)
        for name in figures
        if name not in given and FIGURES[name][0].entry(result) is not None
    }
    ends = {name: estimate.as_dict(value="") for name, estimate in estimates.items()}
    return {"intervals": {"level": LEVEL, **ends}}


LEVEL = 0.9


def interval_heading(level: float = LEVEL) -> str:
    """What a column of intervals is called."""
    return f"{100 * level:.4g} % interval"


def _intervals(
    law: Law,
    results: Sequence[Any],
    keys: Sequence[str],
    given: Sequence[str],
    names: Mapping[str, str] | None,
) -> list[Table]:
    """What was given beside the intervals of what follows; no table where nothing says how sure the
    law is.
    """
    if law.draws is None:
        return []
    missing = {key for key in keys if any(getattr(result, key, 0.0) is None for result in results)}
    chosen = [key for key in keys if key not in missing and key not in given]
    shown = [
        *columns(given, names),
        *(column.changed(show="interval") for column in columns(chosen, names)),
    ]
    rows = [
        {key: getattr(result, key) for key in given} | {key: result.estimate(key) for key in chosen}
        for result in results
    ]
    return [Table(shown, rows, title=f"{interval_heading()}s:")]
