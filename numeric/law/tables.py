"""The tables of laws, penalties and allocations: a column is one line, and every format and command
has it.
"""

from __future__ import annotations

from functools import partial

from ...theory.data.notation import DEFAULT
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.numbers import Count, Format, Interval, Percent, Places, Shortest
from ...theory.typeset.table import Column, Table, Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from ...theory.data.notation import Notation
    from .scaling_law import Law

LEVEL = 0.9
FOUR, FIVE, SHARE, SIZE = Shortest(4), Shortest(5), Percent(3), Count()
#: Every figure of a page: its heading, LaTeX in the letters of the notation, its format, and the
#: tables that show it, in capitals where an interval is shown too. JSON and frames have the rest.
FIGURES: dict[str, tuple[str, str, Format, str]] = {
    "params": ("params", "{N}", SIZE, "RUNS ALLOCATIONS"),
    "tokens": ("tokens", "{D}", SIZE, "RUNS ALLOCATIONS"),
    "tokens_per_param": ("tokens\nper\nparam", "{D}/{N}", FOUR, "ALLOCATIONS"),
    "compute": ("compute", "{C}", SIZE, "runs ALLOCATIONS"),
    "optimal_params": ("optimal\nparams", "{N_opt}", SIZE, "runs"),
    "optimal_tokens": ("optimal\ntokens", "{D_opt}", SIZE, "runs"),
    "ratio": ("ratio", "{rho}", FOUR, "RATIOS RUNS"),
    "size_ratio": ("size\nratio", "{N}/{N_opt}", FOUR, "ratios"),
    "loss": ("loss", "{L}", FIVE, "runs ALLOCATIONS"),
    "reducible_loss": ("reducible\nloss", "{L} - {E}", FIVE, "allocations"),
    "loss_penalty": ("loss\npenalty", "P", FIVE, "RATIOS RUNS"),
    "excess": ("excess", "P - 1", SHARE, "ratios"),
    "effective_compute": (
        "effective\ncompute",
        r"{C}_{{\mathrm{{eff}}}}/{C}",
        FOUR,
        "ratios",
    ),
    "lost_compute": (
        "lost\ncompute",
        r"1 - {C}_{{\mathrm{{eff}}}}/{C}",
        SHARE,
        "RATIOS RUNS",
    ),
    "compute_overhead": ("compute\noverhead", r"\Delta {C}/{C}", SHARE, "RATIOS runs"),
    "accuracy": ("accuracy", "Q", Places(4), ""),
    "unspent_compute": ("unspent\ncompute", "", SIZE, ""),
    "binding": ("binding", "", FOUR, ""),
}
LETTERS = ("N", "D", "C", "L", "E", "rho", "N_opt", "D_opt", "L_opt")


def _column(key: str, names: Mapping[str, str], notation: str | Notation) -> Column:
    """The column of a figure; `names` has other headings for some."""
    spelling = find_notation(notation)
    heading, latex, form, _ = FIGURES.get(key, (key, "", FOUR, ""))
    letters = {name: spelling.latex(name) for name in LETTERS}
    shown = "" if key in names or not latex else f"${latex.format(**letters)}$"
    return Column(key, names.get(key, heading), shown, format=form, interval=Interval(form))


def shown_in(view: str) -> list[str]:
    """The figures that the table of "ratios", "runs" or "allocations" shows."""
    return [key for key, (*_, views) in FIGURES.items() if view in views.lower()]


def results_table(
    rows: Sequence[Any],
    names: Mapping[str, str] | None = None,
    notation: str | Notation = DEFAULT,
    *,
    like: Any = None,
    more: Mapping[str, Callable[[Any], Any]] | None = None,
) -> Table:
    """Penalties, or allocations, of one law or several: a row each.

    ``names``: other headings for some figures; ``like``: what they are like, where there may be none;
    ``more``: columns of what the rows do not have themselves.
    """
    first: Any = like or rows[0]
    known = any(row.law.E is not None for row in rows)
    keys = [key for key in shown_in(first.view) if key in first.names and (known or key != "loss")]
    if first.view == "allocations":
        keys.remove("compute")
        keys = ["compute", *keys]
        keys += ["loss_penalty"] if any(row.is_run for row in rows) else []
        if any(row.caps for row in rows):
            keys += ["binding"]
        keys += ["unspent_compute"] if any(row.unspent_compute for row in rows) else []
    shown = [_column(key, names or {}, notation) for key in keys]
    shown += [
        _column(key, names or {}, notation).changed(of=of) for key, of in (more or {}).items()
    ]
    shown = [
        column.changed(align="left", of=_binding) if column.key == "binding" else column
        for column in shown
    ]
    several = len({row.law.name for row in rows}) > 1
    law = Column("law", align="left", of=lambda row: row.law.name, only="" if several else "data")
    hidden = [Column(key, only="data") for key in first.names if key not in {*keys, *(more or {})}]
    return Table([law, *shown, *hidden], rows)


def _binding(row: Any) -> str:
    """The cap that binds, in words."""
    both = "max params, max tokens"
    return both if row.unspent_compute else str(row.binding).replace("_", " ")


def intervals_table(rows: Sequence[Any], names: Mapping[str, str] | None = None) -> list[Table]:
    """What was given beside the intervals of what follows, of the laws that came from data; no table
    where there is none.
    """
    rows = [row for row in rows if row.law.draws is not None]
    if not rows:
        return []
    first: Any = rows[0]
    given = [key for key in first.given if key in FIGURES]
    keys = [key for key, (*_, views) in FIGURES.items() if first.view.upper() in views]
    keys = [key for key in keys if key not in given and getattr(first, key) is not None]
    columns = [_column(key, names or {}, DEFAULT) for key in given]
    columns += [_column(key, names or {}, DEFAULT).changed(show="interval") for key in keys]
    entries = [
        {"law": row.law.name, **row.given, **{key: row.estimate(key) for key in keys}}
        for row in rows
    ]
    if len({entry["law"] for entry in entries}) > 1:
        columns = [Column("law", align="left"), *columns]
    return [Table(columns, entries, title=f"{100 * LEVEL:.4g} % intervals:")]


def intervals_of(row: Any) -> dict[str, Any]:
    """For JSON: the level and the ends of the interval of each figure under "intervals"; {} where
    nothing tells them.
    """
    if row.law.draws is None:
        return {}
    known = {*row.given, *({"ratio", "size_ratio"} if row.view == "ratios" else ())}
    ends = {
        key: row.estimate(key).as_dict(value="")
        for key in shown_in("ratios" if row.view == "runs" else row.view)
        if key not in known and getattr(row, key) is not None
    }
    return {"intervals": {"level": LEVEL, **ends}}


#: What is shown of a law, and what of its envelope alone.
OF_ENVELOPE = {
    "alpha": "exponent",
    "C0": "coefficient",
    "w_N": "params_share",
    "w_D": "tokens_share",
}


def law_table(
    law: Law,
    notation: str | Notation = DEFAULT,
    names: Iterable[str] = ("E", "A", "B", "beta", "gamma", *OF_ENVELOPE),
) -> Table:
    """The coefficients and what follows from them, with intervals where the law came from data."""
    if law.form.kind != "params-tokens":
        names = (*law.numbers, *([] if "alpha" in law.numbers else ["alpha"]))
    spelling = find_notation(notation)
    rows = []
    for name in names:
        if law.numbers.get(name, 1.0) is None or (name == "C0" and None in (law.A, law.B)):
            continue
        own = law.form.derived is not None and name in law.numbers
        words = name if own else Words(spelling.names()[name], f"${spelling.latex(name)}$")
        rows.append({"name": words, "value": law.estimate(partial(_value, name))})
    shown = [
        Column("name", "", align="left"),
        Column("value", format=Shortest(6), keys=("value", "low", "high")),
    ]
    if law.draws is not None:
        heading, interval = f"{100 * LEVEL:.4g} % interval", Interval(Shortest(5))
        shown.append(Column("value", heading, show="interval", interval=interval, only="page"))
    return Table(shown, rows, title=str(law))


def _value(name: str, law: Law) -> Any:
    """A coefficient of a law or of its envelope."""
    own = law.numbers.get(name)
    return law.evaluate(OF_ENVELOPE[name]) if own is None else own


def laws(
    kind: str | None = None,
    notation: str | Notation = DEFAULT,
    only: Iterable[str] | None = None,
) -> Table:
    """The published laws as a table: names, coefficients, what they predict, and sources.

    Parameters
    ----------
    kind : {"params-tokens", "compute"}, optional
        Only these.
    notation : str
        Of the coefficients' headings.
    only : iterable of str, optional
        The names of laws, in this order.

    Examples
    --------
    >>> [row["law"] for row in laws("params-tokens").records()][:2]
    ['hoffmann2022', 'hoffmann2022-rounded']
    """
    from ...theory.data.notation import KINDS
    from ...theory.data.published import names, published

    spelling, kinds = find_notation(notation), (kind,) if kind else tuple(KINDS)
    known = [name for one in kinds for name in names(one)]
    chosen = [published(name) for name in (known if only is None else only) if name in known]
    headings: dict[str, str] = {}
    for one in kinds:
        headings |= spelling.names(one)
    rows = [
        {"law": law.name, "kind": law.kind, "predicts": law.predicts, "source": law.source.key}
        | dict.fromkeys(headings)
        | {name: digits and float(digits) for name, digits in law.coefficients.items()}
        for law in chosen
    ]
    return Table(
        [
            Column("law", align="left"),
            Column("kind", align="left", only="data" if kind else ""),
            *(
                Column(name, own, f"${spelling.latex(name)}$", format=Shortest(6))
                for name, own in headings.items()
            ),
            Column("predicts", align="left"),
            Column("source", align="left", of=_cited),
        ],
        rows,
    )


def _cited(row: Mapping[str, Any]) -> Words:
    return Words(row["source"], rf"\cite{{{row['source']}}}")
