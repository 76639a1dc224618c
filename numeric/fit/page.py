"""What a fit says, for every output: its numbers, where their intervals come from, warnings."""

from __future__ import annotations

import json
from collections.abc import Callable
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
from ..errors import ArgumentError, positive_number
from ..results import DEFAULT_LEVEL, Estimate, checked_level
from ..words import counted
from .cautions import cautions, run_ranges, spelt

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike

    from ...theory.data.notation import Notation
    from .fit import Fit

#: What follows from a law, by its form: what it is at, its name and symbol, and a function of the law
#: and of that.
DERIVED: dict[str, tuple[tuple[str, str, str, Callable[..., Any]], ...]] = {
    "params-tokens": (
        ("", "alpha", "alpha", lambda law: law.envelope.exponent),
        ("", "C0", "C0", lambda law: law.envelope.coefficient),
        ("", "params_share", "w_N", lambda law: law.envelope.params_share),
        ("", "tokens_share", "w_D", lambda law: law.envelope.tokens_share),
        ("compute", "N_star", "N*", lambda law, C: law.N_opt(C)),
        ("compute", "D_star", "D*", lambda law, C: law.D_opt(C)),
        ("compute", "tokens_per_param", "D*/N*", lambda law, C: law.envelope.tokens_per_param(C)),
        ("compute", "L_star", "L*", lambda law, C: law.L_opt(C)),
        ("compute", "R_star", "R*", lambda law, C: law.envelope.reducible_loss(C)),
        ("ratio", "penalty", "P", lambda law, rho: law.penalty(rho).loss_penalty),
    ),
    "compute": (("compute", "loss", "L", lambda law, C: law.loss(C)),),
}
#: How text calls what has another symbol in a paper.
LABELS = {"w_N": "exponent of N*(C)", "w_D": "exponent of D*(C)", "P": "penalty"}
KEYS = ("value", "lo", "hi", "se")
WIDTH, MARGIN = 100, 11
#: So many rows that are no runs are listed, and so many warnings printed; JSON has them all.
ROWS_LISTED, MOST_WARNINGS = 12, 3
#: LaTeX in front of a table that must fit the lines of an article.
SMALL = r"\footnotesize\setlength{\tabcolsep}{4pt}"


@dataclass(frozen=True, kw_only=True)
class Page:
    """The numbers of a fit with intervals of this level, and of what follows at computes and
    overtraining ratios; and what speaks against them.
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
    def rows(self) -> list[dict[str, Any]]:
        """A number a row: its name, kind ("coefficient" or "derived"), label and symbol, value (an
        estimate), the compute or ratio that it is at, and a note: "fixed" or "at bound". What
        follows from a law is that of a sound fit.
        """
        fit, rows = self.fit, list[dict[str, Any]]()
        at_bound, fixed = fit.solution.at_bound, fit.model.fixed
        for name, found in fit.estimates(self.level).items():
            row = {"name": name, "kind": "coefficient", "label": name, "symbol": name, "at": ()}
            is_held = name in at_bound and name not in fit.undetermined
            note = "fixed" if name in fixed else "at bound" if is_held else ""
            value = Estimate(found.value) if name in fixed else found
            rows.append({**row, "value": value, "note": note})
        known = DERIVED.get(fit.model.name, ()) if fit.is_sound else ()
        asked = (("", ((),)), *_asked(self.computes, self.ratios))
        for what, at in ((what, at) for what, values in asked for at in values):
            where = "".join(f" at {'ratio ' * (what == 'ratio')}{spelt(value)}" for value in at)
            where += " FLOP" if what == "compute" else ""
            several = f"@{spelt(*at)}" if len(dict(asked)[what]) > 1 else ""
            for own, name, symbol, function in known:
                if own == what:
                    row = {"name": name + several, "kind": "derived", "symbol": symbol, "at": at}
                    row |= {"label": LABELS.get(symbol, symbol) + where, "note": ""}
                    rows.append({**row, "value": _estimate(fit.law, function, at, self.level)})
        return rows

    def table(self, notation: str | Notation = DEFAULT) -> Table:
        """The coefficients, and what follows from them where something does, with the warnings; in
        the frame a row a number, NaN for what is undetermined.
        """
        spelling = find_notation(notation)
        rows: list[Any] = [
            {**row, "label": Words(row["label"], _latex(row, spelling))} for row in self.rows
        ]
        if len(rows) > (count := len(self.fit.coefficients)):
            rows.insert(count, RULE)
        heading = f"{100 * self.level:.4g} % interval"
        ends = Interval(Significant(5), "{} to {}")
        columns = [
            Column("label", " ", align="left", only="page"),
            Column("name", only="data"),
            Column("kind", only="data"),
            Column("value", format=Significant(6), keys=KEYS),
            Column("value", "std. error", show="error", format=Significant(3), only="page"),
            Column("value", heading, show="interval", interval=ends, only="page"),
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

    @property
    def head(self) -> dict[str, str]:
        """What was fitted to what and how, and how it ended."""
        fit, runs, columns = self.fit, self.fit.runs, columns_read(self.fit)
        law, digits = f"L = {fit.model}", Significant(3)
        if runs.metric == "accuracy":
            guessing = runs.random_baseline
            law += ", L = -log"
            law += f"((Q - {guessing:g})/(1 - {guessing:g}))" if guessing else " Q"
            law += " of accuracy Q"
        read = ", ".join(f"{name} {column!r}" for name, column in columns.items() if column)
        read += "".join(f"; {name} from C = 6ND" for name, column in columns.items() if not column)
        if fit.model.is_expression:
            read += f"; coefficients {', '.join(fit.coefficients)}"
        elif all(name == column for name, column in columns.items()):
            read = ""
        value = Significant(10).text(fit.objective_value)
        head = {"law": law, "runs": _runs(fit), "columns": read}
        head["objective"] = f"{fit.objective.name}, {fit.objective}: {value}"
        if not fit.converged:
            ended = "NOT REACHED: the best point that was found is no certified minimum"
        elif fit.undetermined:
            ended = f"reached, but these runs do NOT DETERMINE {', '.join(fit.undetermined)}"
        else:
            worst = int(np.argmax(np.abs(fit.residuals)))
            with np.errstate(over="ignore"):
                size = digits.text(float(np.sqrt(np.mean(fit.residuals**2))))
            largest = f"{digits.text(float(fit.residuals[worst]))} (row {runs.row[worst]})"
            what = f"{'log ' if fit.objective.in_logs else ''}residuals"
            ended = f"reached; {what} {size} (root mean square), the largest {largest}"
        head |= {"optimum": ended, "intervals": _intervals(fit)}
        return {name: text for name, text in head.items() if text}

    def __str__(self) -> str:
        """At most 100 columns wide; at most three warnings, how many more there are is said."""
        lines = [
            line
            for name, text in self.head.items()
            for line in wrap(f"{name:{MARGIN}}{clean(text)}", WIDTH, subsequent_indent=" " * MARGIN)
        ]
        return "\n".join([*lines, "", self.table().text()])

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
            "fixed": sorted(fit.model.fixed),
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
    computes, ratios = _each("compute", compute), _each("ratio", ratio)
    for what, values in _asked(computes, ratios):
        if values and not any(what == at for at, *_ in DERIVED.get(fit.model.name, ())):
            complaint = f"nothing that follows from {fit.model} is at a {what}"
            raise ArgumentError(what, values[0][0], complaint=complaint)
    return Page(fit=fit, level=checked_level(level), computes=computes, ratios=ratios)


def _asked(computes: tuple[float, ...], ratios: tuple[float, ...]) -> tuple[tuple[str, Any], ...]:
    """The arguments of what is at a compute, and at a ratio."""
    return ("compute", [(x,) for x in computes]), ("ratio", [(x,) for x in ratios])


def _estimate(law: Any, function: Any, at: tuple[float, ...], level: float) -> Estimate:
    """What follows from a law; undetermined beyond the floats."""
    try:
        found: Estimate = law.estimate(lambda law: function(law, *at), level)
    except ValueError:
        return Estimate(nan, undetermined=True)
    return found


def _each(name: str, given: ArrayLike | None) -> tuple[float, ...]:
    """The computes or the ratios that are given, each once."""
    values: list[Any] = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
    return tuple(dict.fromkeys(positive_number(name, x) for x in values if x is not None))


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
    others = [x for x in BUDGET if None in read.values() and x not in quantity.values()]
    others += ["loss", "accuracy", "weight", "group"]
    return read | {name: runs.columns[name] for name in others if name in runs.columns}


def _runs(fit: Fit) -> str:
    """How many runs of which table, and the rows that are none."""
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
    freedom = counted(fit.degrees_of_freedom, "degree")
    drawn = f"percentiles of 1,000 draws of the covariance ({how})"
    return f"{drawn}, Student's t with {freedom} of freedom"


def _no_covariance(fit: Fit) -> str:
    """Why there are no draws."""
    try:
        _ = fit.converged and fit.covariance
    except ValueError as error:
        return str(error).removeprefix("covariance: ")
    return "the covariance exceeds the largest float" if fit.converged else "no optimum was reached"


def _of_draws(fit: Fit) -> dict[str, Any]:
    """The kind of the intervals, "bootstrap", "sandwich" or "none", and how they were drawn."""
    draws = fit.draws
    if fit.drawn is None:
        return {"kind": "none", "reason": _no_covariance(fit)}
    if draws is None:
        return {"kind": "sandwich"}
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
    at = "".join(f"({Shortest(6).finite_latex(value)})" for value in row["at"])
    return f"${'/'.join(letters)}{at}$"
