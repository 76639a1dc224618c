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
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ...theory.data.notation import Notation
    from .scaling_law import Law

LEVEL = 0.9
FOUR, FIVE, SHARE, SIZE = Shortest(4), Shortest(5), Percent(3), Count()
#: Every figure of a page: its heading, LaTeX in the letters of the notation, and its format.
FIGURES: dict[str, tuple[str, str, Format]] = {
    "params": ("params", "{N}", SIZE),
    "tokens": ("tokens", "{D}", SIZE),
    "tokens_per_param": ("tokens\nper\nparam", "{D}/{N}", FOUR),
    "compute": ("compute", "{C}", SIZE),
    "optimal_params": ("optimal\nparams", "{N_opt}", SIZE),
    "optimal_tokens": ("optimal\ntokens", "{D_opt}", SIZE),
    "ratio": ("ratio", "{rho}", FOUR),
    "size_ratio": ("size\nratio", "{N}/{N_opt}", FOUR),
    "loss": ("loss", "{L}", FIVE),
    "reducible_loss": ("reducible\nloss", "{L} - {E}", FIVE),
    "loss_penalty": ("loss\npenalty", "P", FIVE),
    "excess": ("excess", "P - 1", SHARE),
    "effective_compute": ("effective\ncompute", r"{C}_{{\mathrm{{eff}}}}/{C}", FOUR),
    "lost_compute": ("lost\ncompute", r"1 - {C}_{{\mathrm{{eff}}}}/{C}", SHARE),
    "compute_overhead": ("compute\noverhead", r"\Delta {C}/{C}", SHARE),
    "accuracy": ("accuracy", "Q", Places(4)),
    "unspent_compute": ("unspent\ncompute", "", SIZE),
    "binding": ("binding", "", FOUR),
}
LETTERS = ("N", "D", "C", "L", "E", "rho", "N_opt", "D_opt", "L_opt")
#: The figures that a table shows, in order, and those whose interval it shows; JSON and frames have
#: the rest.
SHOWN = {
    "ratios": "ratio size_ratio loss_penalty excess effective_compute lost_compute compute_overhead",
    "runs": "params tokens compute optimal_params optimal_tokens ratio loss loss_penalty lost_compute"
    " compute_overhead",
    "allocations": "compute params tokens tokens_per_param loss reducible_loss",
}
ESTIMATED = {
    "ratios": "loss_penalty lost_compute compute_overhead",
    "runs": "ratio loss_penalty lost_compute",
    "allocations": "params tokens tokens_per_param compute loss",
}


def result_tables(
    rows: Sequence[Any],
    headings: Mapping[str, str] | None = None,
    notation: str | Notation = DEFAULT,
    *,
    like: Any = None,
    more: Mapping[str, Callable[[Any], Any]] | None = None,
) -> tuple[Table, ...]:
    """Penalties, or allocations, of one law or several: a row each; and the intervals of the laws
    that came from data. `headings` are those of figures that are called otherwise, `like` is what
    the rows are like where there may be none, `more` are further columns as functions of a row.
    """
    spelling, more = find_notation(notation), more or {}
    letters = {name: spelling.latex(name) for name in LETTERS}

    def column(key: str, **other: Any) -> Column:
        heading, latex, form = FIGURES.get(key, (key, "", FOUR))
        own = (headings or {}).get(key)
        shown = "" if own or not latex else f"${latex.format(**letters)}$"
        return Column(key, own or heading, shown, format=form, interval=Interval(form), **other)

    first: Any = like or rows[0]
    keys = [key for key in SHOWN[first.view].split() if key in first.names]
    if all(row.law.E is None for row in rows):
        keys = [key for key in keys if key != "loss"]
    shown = [column(key) for key in keys]
    if first.view == "allocations":
        shown += [column("loss_penalty")] if any(row.is_run for row in rows) else []
        if any(row.given.keys() & {"max_params", "max_tokens"} for row in rows):
            shown += [column("binding", align="left", of=_binding)]
        shown += [column("unspent_compute")] if any(row.unspent_compute for row in rows) else []
    shown += [column(key, of=of) for key, of in more.items()]
    there = {each.key for each in shown}
    hidden = [Column(key, only="data") for key in first.names if key not in there]
    several = len({row.law.name for row in rows}) > 1
    law = Column("law", align="left", of=lambda row: row.law.name, only="" if several else "data")
    main = Table([law, *shown, *hidden], rows)
    if not (drawn := [row for row in rows if row.law.draws is not None]):
        return (main,)
    given = [key for key in first.given if key in FIGURES]
    sure = [key for key in ESTIMATED[first.view].split() if key not in given]
    sure = [key for key in sure if getattr(drawn[0], key, None) is not None]
    entries = [
        {"law": row.law.name, **row.given, **{key: row.estimate(key) for key in sure}}
        for row in drawn
    ]
    columns = [Column("law", align="left")] if several else []
    columns += [*map(column, given), *(column(key, show="interval") for key in sure)]
    return main, Table(columns, entries, title=f"{100 * LEVEL:.4g} % intervals:")


def _binding(row: Any) -> str:
    """The cap that binds, in words."""
    both = "max params, max tokens"
    return both if row.unspent_compute else str(row.binding).replace("_", " ")


def intervals_of(row: Any) -> dict[str, Any]:
    """For JSON: the level and the ends of the interval of each figure under "intervals"; {} where
    the law came from no data.
    """
    if row.law.draws is None:
        return {}
    fixed = {*row.given, *(() if row.variables else ("ratio", "size_ratio"))}
    keys = [x for x in row.names if x not in fixed and isinstance(getattr(row, x), float)]
    ends = {key: row.estimate(key).as_dict(value="") for key in keys}
    return {"intervals": {"level": LEVEL, **ends}}


#: What is shown of a law besides its coefficients.
OF_ENVELOPE = {
    "alpha": "exponent",
    "C0": "coefficient",
    "w_N": "params_share",
    "w_D": "tokens_share",
}


def law_table(law: Law, notation: str | Notation = DEFAULT) -> Table:
    """The coefficients and what follows from them, with intervals where the law came from data."""
    derived = OF_ENVELOPE if law.form.kind == "params-tokens" else ("alpha",)
    spelling, rows = find_notation(notation), []
    for name in dict.fromkeys((*law.numbers, *derived)):
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
        heading, interval = f"{100 * LEVEL:.4g} % interval", Interval(FIVE)
        shown.append(Column("value", heading, show="interval", interval=interval, only="page"))
    return Table(shown, rows, title=str(law))


def _value(name: str, law: Law) -> Any:
    """A coefficient of a law or of its envelope."""
    own = law.numbers.get(name)
    return law.evaluate(OF_ENVELOPE[name]) if own is None else own


def _source(row: Mapping[str, Any]) -> Words:
    return Words(row["source"], rf"\cite{{{row['source']}}}")


def laws(kind: str | None = None, notation: str | Notation = DEFAULT) -> Table:
    """The published laws as a table: names, coefficients, what they predict, and sources.

    Parameters
    ----------
    kind : {"params-tokens", "compute"}, optional
        Only these.
    notation : str
        Of the coefficients' headings.

    Examples
    --------
    >>> [row["law"] for row in laws("params-tokens").records()][:2]
    ['hoffmann2022', 'hoffmann2022-rounded']
    """
    from ...theory.data.notation import KINDS
    from ...theory.data.published import names, published

    spelling, kinds = find_notation(notation), (kind,) if kind else tuple(KINDS)
    headings = {name: own for one in kinds for name, own in spelling.names(one).items()}
    rows = [
        {"law": law.name, "kind": law.kind, "predicts": law.predicts, "source": law.source.key}
        | dict.fromkeys(headings)
        | {name: digits and float(digits) for name, digits in law.coefficients.items()}
        for law in (published(name) for one in kinds for name in names(one))
    ]
    coefficients = [
        Column(name, own, f"${spelling.latex(name)}$", format=Shortest(6))
        for name, own in headings.items()
    ]

    return Table(
        [
            Column("law", align="left"),
            Column("kind", align="left", only="data" if kind else ""),
            *coefficients,
            Column("predicts", align="left"),
            Column("source", align="left", of=_source),
        ],
        rows,
    )
