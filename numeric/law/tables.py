"""The tables of a law, a penalty and an allocation: a column is one line, and every format and
command has it.
"""

from __future__ import annotations

from math import floor, isfinite, log10
from operator import attrgetter

from ...theory.data.notation import DEFAULT
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.numbers import Count, Format, Interval, Percent, Places, Shortest
from ...theory.typeset.table import Column, Table, Words
from .penalty import Penalty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ...theory.data.notation import Notation
    from .allocation import Allocation
    from .params_tokens import Law

    Figure = tuple[Column, list[str]]

__all__ = ["allocation_table", "intervals_of", "intervals_table", "law_table", "penalty_table"]

FOUR, FIVE, SHARE, SIZE = Shortest(4), Shortest(5), Percent(3), Count()


def _figure(
    key: str, heading: str, latex: str, views: str, form: Format = FOUR
) -> tuple[str, Figure]:
    return key, (Column(key, heading, latex, format=form, interval=Interval(form)), views.split())


#: Every figure of a penalty or an allocation: its column, LaTeX in the names of the notation, and
#: the tables that show it: of ratios, of runs, of allocations. JSON and frames have all of them.
FIGURES: dict[str, Figure] = dict(
    (
        _figure("params", "params", "{N}", "runs allocations", SIZE),
        _figure("tokens", "tokens", "{D}", "runs allocations", SIZE),
        _figure("tokens_per_param", "tokens\nper\nparam", "{D}/{N}", "allocations"),
        _figure("compute", "compute", "{C}", "runs", SIZE),
        _figure("optimal_params", "optimal\nparams", "{N_opt}", "runs", SIZE),
        _figure("optimal_tokens", "optimal\ntokens", "{D_opt}", "runs", SIZE),
        _figure("optimal_tokens_per_param", "", "{D_opt}/{N_opt}", ""),
        _figure("ratio", "ratio", "{rho}", "ratios runs"),
        _figure("size_ratio", "size\nratio", "{N}/{N_opt}", "ratios"),
        _figure("loss", "loss", "{L}", "runs allocations", FIVE),
        _figure("optimal_loss", "optimal\nloss", "{L_opt}", "", FIVE),
        _figure("loss_excess", "loss\nexcess", "{L} - {L_opt}", "", Shortest(3)),
        _figure("reducible_loss", "reducible\nloss", "{L} - {E}", "allocations", FIVE),
        _figure("optimal_reducible_loss", "", "{L_opt} - {E}", "", FIVE),
        _figure("loss_penalty", "loss\npenalty", "P", "ratios runs", FIVE),
        _figure("excess", "excess", "P - 1", "ratios", SHARE),
        _figure("effective_compute", "effective\ncompute", r"{C}_{{\mathrm{{eff}}}}/{C}", "ratios"),
        _figure(
            "lost_compute", "lost\ncompute", r"1 - {C}_{{\mathrm{{eff}}}}/{C}", "ratios runs", SHARE
        ),
        _figure("compute_overhead", "compute\noverhead", r"\Delta {C}/{C}", "ratios runs", SHARE),
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
SURE = {
    "ratios": ("ratio", "loss_penalty", "lost_compute", "compute_overhead"),
    "runs": ("params", "tokens", "ratio", "loss_penalty", "lost_compute"),
    "allocations": ("compute", "params", "tokens", "tokens_per_param", "loss"),
}


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


def penalty_table(
    costs: Sequence[Penalty],
    names: Mapping[str, str] | None = None,
    notation: str | Notation = DEFAULT,
    *,
    aligned: bool = False,
    like: Penalty | None = None,
) -> Table:
    """Penalties of one law or several, all of ratios or all of runs: a row each.

    ``names``: other headings for some figures; ``aligned``: with as many decimals in all rows, as a
    page has them; ``like``: what they are like, where there may be none.
    """
    first = like or costs[0]
    keys = _of_known_losses(costs, shown_in("runs" if first.run is not None else "ratios"))
    given = {name for name, _ in first.given}
    shown = [
        column if column.key in given or not aligned else _aligned(column, costs)
        for column in columns(keys, names, notation)
    ]
    every = [key for key in FIGURES if FIGURES[key][0].of or hasattr(first, key)]
    hidden = [column.changed(only="data") for column in columns(every)]
    return Table([*_named(costs), *_ordered(shown, hidden)], costs)


def _ordered(shown: Sequence[Column], every: Sequence[Column]) -> list[Column]:
    """What is shown, and behind it what records alone have."""
    keys = {column.key for column in shown}
    return [*shown, *(column for column in every if column.key not in keys)]


def _named(rows: Sequence[Penalty | Allocation]) -> list[Column]:
    """A column of the law, on a page where there are several; records always have it."""
    several = len({row.law.name for row in rows}) > 1
    return [
        Column("law", align="left", of=lambda row: row.law.name, only="" if several else "data")
    ]


def _of_known_losses(rows: Sequence[Penalty | Allocation], keys: Sequence[str]) -> list[str]:
    """The figures without the loss where no law has an E."""
    known = any(row.law.E is not None for row in rows)
    return [key for key in keys if known or key != "loss"]


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

    return column.changed(
        of=percent,
        format=Places(places, form.infinite),
        heading=f"{column.head()} (%)",
        latex=column.latex and rf"{column.latex} (\%)",
    )


def allocation_table(
    allocations: Sequence[Allocation],
    names: Mapping[str, str] | None = None,
    notation: str | Notation = DEFAULT,
    *,
    accuracies: Sequence[float | None] = (),
    aligned: bool = False,
) -> Table:
    """Allocations of one law or several: a row each; with the accuracies where they are of laws of
    accuracy.
    """
    is_told = any(allocation.is_told for allocation in allocations)
    keys = ["compute", *_of_known_losses(allocations, shown_in("allocations"))]
    keys += ["loss_penalty"] if is_told else []
    shown = columns(keys, names, notation)
    if aligned:
        shown = [_aligned(column, allocations) for column in shown]
    if accuracies:
        of_row = dict(zip(map(id, allocations), accuracies, strict=True))
        shown += [columns(["accuracy"])[0].changed(of=lambda row: of_row[id(row)])]
    if any(allocation.caps for allocation in allocations):
        shown += [Column("binding", align="left", of=_binding)]
    if any(allocation.unspent_compute for allocation in allocations):
        shown += columns(["unspent_compute"])
    return Table([*_named(allocations), *shown], allocations)


def _binding(allocation: Allocation) -> str:
    """The cap that binds, in words."""
    both = "max params, max tokens"
    return both if allocation.unspent_compute else str(allocation.binding).replace("_", " ")


def intervals_table(
    results: Sequence[Penalty | Allocation], names: Mapping[str, str] | None = None
) -> list[Table]:
    """What was given beside the intervals of what follows, of the laws that came from data; no table
    where there is none.
    """
    sure = [result for result in results if result.law.draws is not None]
    if not sure:
        return []
    first = sure[0]
    view = "allocations"
    if isinstance(first, Penalty):
        view = "runs" if first.run is not None else "ratios"
    given = [name for name, _ in first.given]
    chosen = [key for key in _of_known_losses(sure, SURE[view]) if key not in given]
    shown = [
        *columns([name for name in given if name in FIGURES], names),
        *(column.changed(show="interval") for column in columns(chosen, names)),
    ]
    rows = [
        {"law": result.law.name}
        | {key: getattr(result, key) for key in given}
        | {key: result.estimate(key) for key in chosen}
        for result in sure
    ]
    several = len({row["law"] for row in rows}) > 1
    law = [Column("law", align="left")] if several else []
    return [Table([*law, *shown], rows, title=f"{interval_heading()}s:")]


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
        figures, given = ["compute", *shown_in("allocations")], {name for name, _ in result.given}
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
