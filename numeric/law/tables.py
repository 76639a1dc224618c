"""The table of a law's coefficients with what follows from them, and the table of published laws."""

from __future__ import annotations

from ...theory.data.notation import DEFAULT, KINDS
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.numbers import Interval, Shortest
from ...theory.typeset.table import Column, Table, Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...theory.data.notation import Notation
    from .scaling_law import Law

LEVEL = 0.9
#: The figures of the envelope that the table of a law shows, by their letters.
ENVELOPE_FIGURES = {
    "alpha": "exponent",
    "C0": "coefficient",
    "w_N": "params_share",
    "w_D": "tokens_share",
}


def law_table(law: Law, notation: str | Notation = DEFAULT) -> Table:
    """The coefficients and what follows from them, with intervals where the law has draws."""
    derived = ENVELOPE_FIGURES if law.form.kind == "params-tokens" else ("alpha",)
    spelling, rows = find_notation(notation), []
    for name in dict.fromkeys((*law.numbers, *derived)):
        if law.numbers.get(name, 1.0) is None or (name == "C0" and None in (law.A, law.B)):
            continue
        is_own = law.form.derived is not None and name in law.numbers
        words = name if is_own else Words(spelling.names()[name], f"${spelling.latex(name)}$")

        def value(law: Law, name: str = name) -> Any:
            known = law.numbers.get(name)
            return law.evaluate(ENVELOPE_FIGURES[name]) if known is None else known

        rows.append({"name": words, "value": law.estimate(value)})
    shown = [
        Column("name", "", align="left"),
        Column("value", format=Shortest(6), keys=("value", "low", "high")),
    ]
    if law.draws is not None:
        heading, interval = f"{100 * LEVEL:.4g} % interval", Interval(Shortest(5))
        shown.append(Column("value", heading, show="interval", interval=interval, only="page"))
    return Table(shown, rows, title=str(law))


def laws(kind: str | None = None, notation: str | Notation = DEFAULT) -> Table:
    """The published laws as a table: names, coefficients, what they predict, and sources.

    Parameters
    ----------
    kind : {"params-tokens", "compute"}, optional
        Only laws of this kind.
    notation : str
        The notation of the headings of coefficients.

    Examples
    --------
    >>> [row["law"] for row in laws("params-tokens").records()][:2]
    ['hoffmann2022', 'hoffmann2022-rounded']
    """
    from ...theory.data.published import names, published

    spelling, kinds = find_notation(notation), (kind,) if kind else tuple(KINDS)
    found = [published(name) for each in kinds for name in names(each)]
    headings = {name: letter for each in kinds for name, letter in spelling.names(each).items()}
    columns = [
        Column("law", align="left", of=lambda law: law.name),
        Column("kind", align="left", only="data" if kind else ""),
        *(_coefficient(name, x, f"${spelling.latex(name)}$") for name, x in headings.items()),
        Column("predicts", align="left"),
        Column("source", align="left", of=lambda law: Words(law.source.key, _cited(law))),
    ]
    return Table(columns, found)


def _coefficient(name: str, heading: str, latex: str) -> Column:
    def value(law: Any) -> float | None:
        digits = law.coefficients.get(name)
        return digits and float(digits)

    return Column(name, heading, latex, format=Shortest(6), of=value)


def _cited(law: Any) -> str:
    return rf"\cite{{{law.source.key}}}"
