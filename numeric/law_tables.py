"""The tables of a law, a penalty and an allocation: a column is one line, and every format and
command has it.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ..theory.data.notation import DEFAULT
from ..theory.data.notation import notation as find_notation
from ..theory.typeset.numbers import Count, Format, Interval, Percent, Places, Shortest
from ..theory.typeset.table import RULE, Column, Subheading, Table, Words
from .penalty import Penalty
from .uncertainty import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..theory.data.notation import Notation
    from .allocation import Allocation
    from .law import Law

__all__ = ["allocation_tables", "intervals_of", "law_table", "penalty_page", "penalty_tables"]

FOUR, FIVE, SHARE, SIZE = Shortest(4), Shortest(5), Percent(3), Count()


def _column(key: str, heading: str, form: Format = FOUR) -> Column:
    return Column(key, heading, format=form, interval=Interval(form))


#: Every figure of a penalty and an allocation.
COLUMNS = {
    column.key: column
    for column in (
        _column("ratio", "ratio"),
        _column("size_ratio", "size\nratio"),
        _column("loss_penalty", "loss\npenalty", FIVE),
        _column("excess", "excess", SHARE),
        _column("effective_compute", "effective\ncompute"),
        _column("lost_compute", "lost\ncompute", SHARE),
        _column("compute_overhead", "compute\noverhead", SHARE),
        _column("params", "params", SIZE),
        _column("tokens", "tokens", SIZE),
        _column("tokens_per_param", "tokens\nper\nparam"),
        _column("compute", "compute", SIZE),
        _column("optimal_params", "optimal\nparams", SIZE),
        _column("optimal_tokens", "optimal\ntokens", SIZE),
        _column("optimal_tokens_per_param", "optimal\ntokens\nper\nparam"),
        _column("loss", "loss", FIVE),
        _column("reducible_loss", "reducible\nloss", FIVE),
        _column("optimal_loss", "optimal\nloss", FIVE),
        _column("loss_excess", "loss\nexcess", Shortest(3)),
        Column("binding", align="left"),
        _column("unspent_compute", "unspent\ncompute", SIZE),
        Column("accuracy", format=Places(4)),
    )
}


def _headings(spelling: Notation) -> dict[str, str]:
    """The headings of the columns in LaTeX."""
    N, D, C, L, E, rho, best_N, best_D, best_L = (
        spelling.latex(name) for name in ("N", "D", "C", "L", "E", "rho", "N_opt", "D_opt", "L_opt")
    )
    effective = rf"{C}_{{\mathrm{{eff}}}}/{C}"
    return {
        "ratio": f"${rho}$",
        "size_ratio": f"${N}/{best_N}$",
        "loss_penalty": "$P$",
        "excess": "$P - 1$",
        "effective_compute": f"${effective}$",
        "lost_compute": f"$1 - {effective}$",
        "compute_overhead": rf"$\Delta {C}/{C}$",
        "params": f"${N}$",
        "tokens": f"${D}$",
        "tokens_per_param": f"${D}/{N}$",
        "compute": f"${C}$",
        "optimal_params": f"${best_N}$",
        "optimal_tokens": f"${best_D}$",
        "optimal_tokens_per_param": f"${best_D}/{best_N}$",
        "loss": f"${L}$",
        "reducible_loss": f"${L} - {E}$",
        "optimal_loss": f"${best_L}$",
        "loss_excess": f"${L} - {best_L}$",
    }


OF_RATIOS = (
    "ratio",
    "size_ratio",
    "loss_penalty",
    "excess",
    "effective_compute",
    "lost_compute",
    "compute_overhead",
)
OF_RUNS = (
    "params",
    "tokens",
    "tokens_per_param",
    "compute",
    "optimal_params",
    "optimal_tokens",
    "optimal_tokens_per_param",
    "ratio",
    "size_ratio",
)
COSTS = (
    "params",
    "tokens",
    "loss",
    "optimal_loss",
    "loss_excess",
    "loss_penalty",
    "lost_compute",
    "compute_overhead",
)
OF_ALLOCATIONS = (
    "compute",
    "params",
    "tokens",
    "tokens_per_param",
    "loss",
    "reducible_loss",
    "binding",
)
#: Of runs in LaTeX, where the sizes and the costs stand in one table.
ON_A_PAGE = (
    "params",
    "tokens",
    "tokens_per_param",
    "optimal_tokens_per_param",
    "size_ratio",
    "loss",
    "loss_penalty",
    "lost_compute",
    "compute_overhead",
)
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
    own, latex = names or {}, _headings(find_notation(notation))
    return [
        replace(
            COLUMNS[key],
            heading=own.get(key, COLUMNS[key].heading),
            latex="" if key in own else latex.get(key, ""),
        )
        for key in keys
    ]


def penalty_tables(
    costs: Sequence[Penalty], names: Mapping[str, str] | None = None
) -> tuple[Table, ...]:
    """Penalties of one law: of ratios one table, of runs one for the sizes and one for the costs;
    and one of intervals.
    """
    rows = [_rows(cost) for cost in costs]
    if costs[0].run is None:
        tables = [Table(columns(OF_RATIOS, names), rows)]
    else:
        tables = [Table(columns(OF_RUNS, names), rows), Table(columns(COSTS, names), rows)]
    shown = SURE_OF_RATIOS if costs[0].run is None else SURE_OF_RUNS
    given = {name for name, _ in costs[0].given}
    return (
        *tables,
        *_intervals(costs, [key for key in shown if key not in given], sorted(given), names),
    )


def penalty_page(
    found: Iterable[tuple[Law, Sequence[Penalty]]], notation: str | Notation = DEFAULT
) -> Table:
    """Penalties of several laws in one table, for a page."""
    blocks = [(law, costs) for law, costs in found if costs]
    of_runs = blocks[0][1][0].run is not None
    rows = [
        row for law, costs in blocks for row in (Subheading(law.name), *map(_rows, costs), RULE)
    ]
    keys = ON_A_PAGE if of_runs else OF_RATIOS
    without = {"loss"} if of_runs and all(law.E is None for law, _ in blocks) else set()
    return Table(columns([key for key in keys if key not in without], None, notation), rows[:-1])


def allocation_tables(
    allocations: Sequence[Allocation],
    names: Mapping[str, str] | None = None,
    accuracies: Sequence[float | None] = (),
) -> tuple[Table, ...]:
    """Allocations of one law, with the accuracies where it is one of accuracy; and a table of
    intervals.
    """
    unspent = any(allocation.unspent_compute for allocation in allocations)
    shown = [
        *OF_ALLOCATIONS[:-1],
        *(["accuracy"] if accuracies else []),
        "loss_penalty" if allocations[0].on_ray else "binding",
        *(["unspent_compute"] if unspent else []),
    ]
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
    given = allocations[0].target[0]
    sure = [key for key in SURE_OF_ALLOCATIONS if key != given]
    return (Table(columns(shown, names), rows), *_intervals(allocations, sure, [given], names))


def law_table(law: Law, notation: str | Notation = DEFAULT) -> Table:
    """The coefficients and what follows from them, with intervals where the law came from data."""
    spelling = find_notation(notation)
    quantities: dict[str, Any] = {
        name: attrgetter(name) for name in ("E", "A", "B", "beta", "gamma")
    }
    quantities |= {
        "alpha": attrgetter("envelope.exponent"),
        "C0": attrgetter("envelope.coefficient"),
    }
    quantities |= {
        "w_N": attrgetter("envelope.params_share"),
        "w_D": attrgetter("envelope.tokens_share"),
    }
    missing = {name for name in ("E", "A", "B") if getattr(law, name) is None}
    missing |= {"C0"} if missing & {"A", "B"} else set()
    rows = [
        {
            "name": Words(spelling.names()[name], f"${spelling.latex(name)}$"),
            "value": law.estimate(of),
        }
        for name, of in quantities.items()
        if name not in missing
    ]
    shown = [
        Column("name", "", align="left"),
        Column("value", format=Shortest(6), keys=("value", "low", "high")),
    ]
    if law.uncertainty is not None:
        shown.append(
            Column(
                "value",
                interval_heading(),
                show="interval",
                interval=Interval(Shortest(5)),
                only="page",
            )
        )
    return Table(shown, rows, title=str(law))


def intervals_of(result: Penalty | Allocation, figures: Iterable[str]) -> dict[str, Any]:
    """For JSON: the level and the ends of the interval of each figure under "intervals"; {} where
    nothing tells them.
    """
    if result.law.uncertainty is None:
        return {}
    given = (
        {name for name, _ in result.given} if isinstance(result, Penalty) else {result.target[0]}
    )
    given |= {"ratio", "size_ratio"} if given & {"ratio", "size_ratio"} else set()
    estimates = {
        name: result.estimate(name)
        for name in figures
        if name not in given and getattr(result, name) is not None
    }
    ends = {name: estimate.as_dict(value="") for name, estimate in estimates.items()}
    return {"intervals": {"level": LEVEL, **ends}}


def interval_heading(level: float = LEVEL) -> str:
    """What a column of intervals is called."""
    return f"{100 * level:.4g} % interval"


def _rows(cost: Penalty) -> dict[str, Any]:
    row = cost.as_dict()
    if cost.run is not None:
        row["tokens_per_param"] = row["tokens"] / row["params"]
        row["optimal_tokens_per_param"] = row["optimal_tokens"] / row["optimal_params"]
    return row


def _intervals(
    results: Sequence[Any],
    keys: Sequence[str],
    given: Sequence[str],
    names: Mapping[str, str] | None,
) -> list[Table]:
    """What was given beside the intervals of what follows; no table where nothing says how sure the
    law is.
    """
    if results[0].law.uncertainty is None:
        return []
    missing = {key for key in keys if any(getattr(result, key, 0.0) is None for result in results)}
    chosen = [key for key in keys if key not in missing and key not in given]
    shown = [
        *columns(given, names),
        *(replace(column, show="interval") for column in columns(chosen, names)),
    ]
    rows = [
        {key: getattr(result, key) for key in given} | {key: result.estimate(key) for key in chosen}
        for result in results
    ]
    return [Table(shown, rows, title=f"{interval_heading()}s:")]
