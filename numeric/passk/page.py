"""The screen of laws of -log pass@k: one table over k, the verdict, at most three notes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ...theory.typeset.numbers import Interval, Significant
from ...theory.typeset.table import Column, Subheading, Table
from ..words import counted

if TYPE_CHECKING:
    from .laws import PassLaws

__all__ = ["tables_of"]

#: Columns: the irreducible part of every law, prefactors, exponents; and those that have their
#: intervals in the text.
FLOOR, PREFACTORS, EXPONENTS = "E0", ("C0", "N0", "D0", "K0"), ("alpha", "beta", "gamma", "kappa")
WITH_INTERVALS, EXTRA = (FLOOR, "alpha", "kappa"), ("penalty_", "y_")
THREE, TWO = Significant(3), Interval(Significant(2))


def tables_of(found: PassLaws) -> list[Table]:
    """Every law over k, prefactors only of a single law, and where the laws of all k hold together."""
    rows: list[Any] = []
    names: dict[str, Any] = {}
    for law in found.laws.values():
        kind, entries = law.kind, found.entries(law)
        of = "; alpha is that of its envelope" if kind.name == "params-tokens" else ""
        size = counted(max(fit.size for fit in law.fits), "model")
        rows.append(Subheading(f"{kind.name}: {kind.formula}, {size}{of}"))
        rows += [{**row, FLOOR: row[kind.floor]} for row in entries]
        names |= rows[-1]
    alone = len(found.laws) == 1
    shown = [name for name in (FLOOR, *(PREFACTORS if alone else ()), *EXPONENTS) if name in names]
    shown += [name for name in names if name.startswith(EXTRA)]
    heads = {FLOOR: "/".join(dict.fromkeys(law.kind.floor for law in found.laws.values()))}
    columns = [Column("k", align="left")]
    for name in shown:
        head = heads.get(name, name.replace("_", "\nat "))
        of_row = partial(_entry, name)
        style: Any = {"format": THREE, "interval": TWO, "of": of_row}
        style["show"] = "all" if name in WITH_INTERVALS else "value"
        columns.append(Column(name, head, **style))
    columns.append(Column("scatter", format=THREE))
    return [Table(columns, rows, "Laws of y = -log pass@k", _notes(found))]


def _entry(name: str, row: dict[str, Any]) -> Any:
    """An estimate, which not every row has."""
    return row.get(name)


def _notes(found: PassLaws) -> list[str]:
    """The verdict, how sure the numbers are, what speaks against them, and what another k's optimum
    costs.
    """
    holds = []
    for name, (floor, at) in found.holds_above.items():
        unit = "1/g" if name == "gold" else "C"
        ends = "" if floor.low is None else f" {TWO.text(floor.low, floor.high)}"
        where = f"above {unit} = {THREE.text(floor.value)}{ends}"
        best = " at the best allocation" if name == "params-tokens" else ""
        cross = f"{where}{best}, where k = {at[0]} and {at[1]} cross" if at else "everywhere"
        holds.append(f"for {name} {cross}")
    verdict = f"The laws of all k hold together {'; '.join(holds)}." if holds else ""
    how, fits = "no intervals", [fit for law in found.laws.values() for fit in law.fits]
    if found.resamples:
        clusters = dict.fromkeys(law.cluster for law in found.laws.values())
        drawn = " or ".join(f"values of {name}" if name else "models" for name in clusters)
        how = f"{100 * found.level:g} % intervals by {found.resamples} resamples of {drawn}"
        failed = sum(fit.n_failed for fit in fits)
        how += f", {failed} refits not certified" if failed else ""
        if any(fit.is_limited(found.level) for fit in fits):
            how += "; one of E0 from 0 ends at the limit of its profile"
    notes = [verdict, f"By {found.method}; {how}.", "; ".join(found.warnings)]
    if lost := found.ahead["lost_compute"]:
        worst = max(lost, key=lambda row: row["lost_compute"])
        share = f"{100 * worst['lost_compute']:.2g} % of C = {worst['compute']:.4g}"
        best = f"the optimum for k = {worst['chosen']} costs at k = {worst['judged']}"
        notes.append(f"{share} is the most that the optimum of one k costs at another: {best}.")
    return [note for note in notes if note]
