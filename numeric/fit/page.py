"""What a fit says, for every output: its numbers, where their intervals come from, warnings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, nan
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import DEFAULT
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.escapes import clean
from ...theory.typeset.numbers import Interval, Shortest, Significant
from ...theory.typeset.table import RULE, Column, Table, Words
from .._files import write
from ..data.columns import BUDGET, LETTERS
from ..errors import ArgumentError
from ..results import DEFAULT_LEVEL, Estimate, checked_level
from ..words import counted
from .cautions import cautions, run_ranges
from .quantities import quantities, several

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike

    from ...theory.data.notation import Notation
    from .fit import Fit

KEYS = ("value", "lo", "hi", "se")
WIDTH, MARGIN = 100, 11
#: So many rows that are no runs are listed, and so many warnings printed; JSON has them all.
ROWS_LISTED, MOST_WARNINGS = 12, 3
#: LaTeX in front of a table that must fit the lines of an article.
SMALL = r"\footnotesize\setlength{\tabcolsep}{4pt}"


@dataclass(frozen=True, kw_only=True)
class Page:
    """The numbers of a fit and what speaks against them.

    Attributes
    ----------
    fit : Fit
    level : float
        Nominal coverage of the intervals.
    computes, ratios : tuple of float
        What is derived for: FLOP, and overtraining ratios.
    """

    fit: Fit
    level: float
    computes: tuple[float, ...] = ()
    ratios: tuple[float, ...] = ()

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What speaks against the numbers, a sentence each."""
        return tuple(dict.fromkeys(cautions(self.fit, self.computes)))

    @cached_property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """A number a row: its name, kind ("coefficient" or "derived"), label and symbol, value (an
        estimate), the compute or ratio that it is at, and a note: "fixed", "at bound", or its unit.
        """
        fit, rows = self.fit, list[dict[str, Any]]()
        at_bound, fixed = fit.solution.at_bound, fit.solution.design.fixed
        for name, found in fit.estimates(self.level).items():
            row: dict[str, Any] = dict.fromkeys(("name", "label", "symbol"), name)
            row |= {"kind": "coefficient", "at": (), "value": found, "note": ""}
            if name in fixed:
                row |= {"value": Estimate(found.value), "note": "fixed"}
            elif name in at_bound and name not in fit.undetermined:
                row["note"] = "at bound"
            rows.append(row)
        for each in quantities(fit.model, self.computes, self.ratios):
            found, unit = fit.estimate(each.function, self.level), each.unit
            if found.undetermined:
                found, unit = Estimate(nan, undetermined=True), ""
            unit = "L" if unit == "loss" and fit.runs.metric == "accuracy" else unit
            row = {"name": each.name, "kind": "derived", "label": each.label, "at": each.at}
            rows.append({**row, "symbol": each.symbol, "value": found, "note": Words(unit, "")})
        return tuple(rows)

    def table(self, notation: str | Notation = DEFAULT) -> Table:
        """The coefficients, and what follows from them where something does, with the warnings; in
        the frame a row a number, NaN for what is undetermined.
        """
        spelling, rows = find_notation(notation), list[Any]()
        for row in self.rows:
            if row["kind"] == "derived" and len(rows) == len(self.fit.coefficients):
                rows.append(RULE)
            rows.append({**row, "label": Words(row["label"], _latex(row, spelling))})
        interval, ends = (
            f"{100 * self.level:.4g} % interval",
            Interval(Significant(5), "", " to ", ""),
        )
        columns = [
            Column("label", " ", align="left", only="page"),
            Column("name", only="data"),
            Column("kind", only="data"),
            Column("value", format=Significant(6), keys=KEYS),
            Column("value", "std. error", show="error", format=Significant(3), only="page"),
            Column("value", interval, show="interval", interval=ends, only="page"),
            Column("note", " ", align="left"),
        ]
        notes = [f"warning: {text}" for text in self.warnings[:MOST_WARNINGS]]
        if (more := len(self.warnings) - MOST_WARNINGS) > 0:
            notes.append(f"{counted(more, 'warning')} more in the plain data (--format json)")
        return Table(columns, rows, notes=notes)

    def to_latex(
        self, notation: str | Notation = DEFAULT, caption: str = "", label: str = ""
    ) -> str:
        """A booktabs table; with a caption or a label it floats, and says what was fitted."""
        notes = [f"{name}: {text}" for name, text in self.head.items() if name != "law"]
        table = self.table(notation).changed(notes=notes)
        return table.latex(caption, label, size=SMALL if caption or label else "")

    # -- text --------------------------------------------------------------------------------------

    @property
    def head(self) -> dict[str, str]:
        """What was fitted to what and how, and how it ended."""
        fit, columns = self.fit, columns_read(self.fit)
        law, digits = f"L = {fit.model}", Significant(3)
        if fit.runs.metric == "accuracy":
            baseline = fit.runs.random_baseline
            guessed = f"((Q - {baseline:g})/(1 - {baseline:g}))" if baseline else " Q"
            law += f", L = -log{guessed} of accuracy Q"
        read = ", ".join(f"{name} {column!r}" for name, column in columns.items() if column)
        read += "".join(f"; {name} from C = 6ND" for name, column in columns.items() if not column)
        if fit.model.is_expression:
            read += f"; coefficients {', '.join(fit.coefficients)}"
        elif all(name == column for name, column in columns.items()):
            read = ""
        value = Significant(10).text(fit.objective_value)
        worst = int(np.argmax(np.abs(fit.residuals)))
        with np.errstate(over="ignore"):
            size = float(np.sqrt(np.mean(fit.residuals**2)))
        optimum = (
            f"reached; {'log ' if fit.objective.in_logs else ''}residuals {digits.text(size)} (root "
            f"mean square), the largest {digits.text(float(fit.residuals[worst]))} (row "
            f"{fit.runs.row[worst]})"
        )
        if fit.undetermined:
            are = "is" if len(fit.undetermined) == 1 else "are"
            optimum = (
                f"reached, but {', '.join(fit.undetermined)} {are} NOT DETERMINED by these runs"
            )
        if not fit.converged:
            optimum = "NOT REACHED: the best point that was found is no certified minimum"
        return {
            "law": law,
            "runs": _runs(fit),
            **({"columns": read} if read else {}),
            "objective": f"{fit.objective.name}, {fit.objective}: {value}",
            "optimum": optimum,
            "intervals": _intervals(fit),
        }

    def __str__(self) -> str:
        """At most 100 columns wide; at most three warnings, how many more there are is said."""
        lines = [
            line
            for name, text in self.head.items()
            for line in wrap(
                clean(text),
                WIDTH,
                initial_indent=f"{name:{MARGIN}}",
                subsequent_indent=" " * MARGIN,
            )
        ]
        return "\n".join([*lines, "", self.table().text(WIDTH)])

    def html(self) -> str:
        """For a notebook: a status line, the table, the warnings."""
        from html import escape

        status = "; ".join(f"{name}: {text}" for name, text in self.head.items())
        return f"<p>{escape(clean(status))}</p>\n{self.table().html()}"

    # -- plain data --------------------------------------------------------------------------------

    def as_dict(self, name: str = "") -> dict[str, Any]:
        """Plain data of a law file; None for what the runs do not determine or no float can hold.

        law, model, metric ("loss" or "accuracy") and random_baseline, columns (None for what
        follows by C = 6ND), notation, name, source, objective (name, value, and its delta),
        coefficients and derived (each with value, se, lo and hi; derived at the compute and ratio
        of "at", with "@" and the value in the name where there are several), converged, ranges (the
        least and the greatest params, tokens and compute of the runs, as far as they have them),
        n_runs, n_rows, left_out, dropped (row and reason of each; row 1 is the first of data),
        at_bound, fixed, undetermined, open_directions, interval and warnings.
        """
        fit, runs, value = self.fit, self.fit.runs, float(self.fit.objective_value)
        numbers: dict[str, dict[str, Any]] = {"coefficient": {}, "derived": {}}
        for row in self.table().records():
            numbers[row["kind"]][row["name"]] = {key: row[key] for key in KEYS}
        asked = {"compute": self.computes, "ratio": self.ratios}
        return {
            "law": str(fit.model),
            "model": fit.model.name,
            "metric": runs.metric,
            "random_baseline": runs.random_baseline,
            "columns": columns_read(fit),
            "notation": DEFAULT.name,
            "name": name or "fit",
            "source": fit.source,
            "objective": {**fit.objective.as_dict(), "value": value if isfinite(value) else None},
            "coefficients": numbers["coefficient"],
            "at": {x: v[0] if len(v) == 1 else list(v) for x, v in asked.items() if v},
            "derived": numbers["derived"],
            "converged": bool(fit.converged),
            "ranges": {name: list(ends) for name, ends in run_ranges(runs).items()},
            "n_runs": len(runs),
            "n_rows": int(runs.n_rows),
            "left_out": int(runs.left_out),
            "dropped": [{"row": int(one.row), "reason": one.reason} for one in runs.dropped],
            "at_bound": list(fit.solution.at_bound),
            "fixed": sorted(fit.solution.design.fixed),
            "undetermined": list(fit.undetermined),
            "open_directions": list(fit.open_directions),
            "interval": {"level": self.level, **_of_draws(fit)},
            "warnings": list(self.warnings),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the plain data with the draws, where the fit is a result."""
        data, draws = self.as_dict(Path(path).stem), self.fit.drawn
        text = json.dumps(data, indent=2, allow_nan=False)
        if self.fit.model.name == "params-tokens" and self.fit.is_sound and draws is not None:
            columns = {
                name: [float(f"{value:.7g}") for value in column.tolist()]
                for name, column in zip(self.fit.coefficients, draws.coefficients.T, strict=True)
            }
            saved = json.dumps({"kind": draws.kind, "coefficients": columns}, allow_nan=False)
            text = f'{text[:-2]},\n  "draws": {saved}\n}}'
        try:
            write(path, f"{text}\n".encode())
        except OSError as error:
            complaint = f"cannot be written ({error.strerror})"
            raise ArgumentError("path", str(path), complaint=complaint) from None


def page(
    fit: Fit,
    level: float = DEFAULT_LEVEL,
    compute: ArrayLike | None = None,
    ratio: ArrayLike | None = None,
) -> Page:
    """The page of a fit, with the optimum (of a compute law the loss) at each compute and the penalty
    at each ratio.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or nothing of the law could be for it.
    """
    computes, ratios = several("compute", compute), several("ratio", ratio)
    quantities(fit.model, computes, ratios)
    return Page(fit=fit, level=checked_level(level), computes=computes, ratios=ratios)


def columns_read(fit: Fit) -> dict[str, str | None]:
    """The column of all that was fitted; None for what follows from two others by C = 6ND.

    Names are those of the quantities, for an expression those that it has.
    """
    runs = fit.runs
    quantity = {name: LETTERS.get(name, name) for name in fit.model.variables}
    read: dict[str, str | None] = {
        name: None if column == runs.derived else runs.columns.get(column, name)
        for name, column in quantity.items()
    }
    if None in read.values():
        others = [other for other in BUDGET if other not in quantity.values()]
        read |= {other: runs.columns[other] for other in others if other in runs.columns}
    rest = ("loss", "accuracy", "weight", "group")
    return read | {name: runs.columns[name] for name in rest if name in runs.columns}


def _runs(fit: Fit) -> str:
    runs = fit.runs
    text = f"{len(runs)} from {runs.source}"
    if runs.group is not None:
        text += f", in {counted(len({*runs.group.tolist()}), 'group')}"
    text += ", weighted" if runs.weight is not None else ""
    if runs.left_out:
        text += f"; {counted(runs.left_out, 'row')} left out by the condition"
    if runs.dropped:
        listed = [f"row {one.row} ({one.reason})" for one in runs.dropped[:ROWS_LISTED]]
        listed += ["..."] if len(runs.dropped) > ROWS_LISTED else []
        text += f"; {counted(len(runs.dropped), 'row')} dropped: {', '.join(listed)}"
    return text


def _intervals(fit: Fit) -> str:
    """Where the intervals come from, or why there are none."""
    if fit.drawn is None:
        return f"none: {_no_covariance(fit)}"
    if fit.draws is not None:
        what = "runs" if fit.draws.kind == "cases" else "groups of runs"
        drawn = counted(len(fit.draws), "resample")
        return f"percentiles of {drawn} of {what}, seed {fit.draws.seed}"
    how = "HC3" if fit.runs.group is None else "CR3, by group"
    freedom = counted(fit.solution.degrees_of_freedom(fit.runs.group), "degree")
    drawn = f"percentiles of 1,000 draws of the covariance ({how})"
    return f"{drawn}, Student's t with {freedom} of freedom"


def _no_covariance(fit: Fit) -> str:
    if not fit.converged:
        return "they are those of an optimum"
    try:
        _ = fit.covariance
    except ValueError as error:
        return str(error).removeprefix("covariance: ")
    return "the covariance exceeds the largest float"


def _of_draws(fit: Fit) -> dict[str, Any]:
    """The kind of the intervals, "bootstrap", "sandwich" or "none", and how they were drawn."""
    draws = fit.draws
    if fit.drawn is None or draws is None:
        none = {"kind": "none", "reason": _no_covariance(fit)}
        return none if fit.drawn is None else {"kind": "sandwich"}
    data = {"resample": draws.kind, "repeats": draws.done, "requested": draws.requested}
    more = {"failed": draws.failed, "seed": draws.seed, "interrupted": draws.interrupted}
    return {"kind": "bootstrap", **data, **more}


def _latex(row: dict[str, Any], spelling: Notation) -> str:
    r"""What a number is called in a paper; optima and penalties as functions, `N^*(10^{22})`."""
    from sympy import Symbol, latex

    from ...theory.typeset.printer import optimum_latex, symbol_latex

    letters = [
        optimum_latex(x.removesuffix("*"), spelling)
        if x.endswith("*")
        else symbol_latex(x, spelling) or latex(Symbol(x))
        for x in row["symbol"].split("/")
    ]
    at = "".join(f"({Shortest(6).finite_latex(value)})" for _, value in row["at"])
    return f"${'/'.join(letters)}{at}$"
