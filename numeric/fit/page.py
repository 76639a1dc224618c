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
from .._files import save
from ..data.columns import BUDGET, LETTERS
from ..errors import ArgumentError, positive_number
from ..law.file import beyond
from ..results import DEFAULT_LEVEL, Estimate, checked_level
from ..words import counted
from .resample import FEW_GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
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
#: Root mean square of the log residuals: in the public sets of runs of one kind (eleven isoFLOP
#: studies, Hoffmann et al. among them) it is 0.3 to 2.7 %, pooled sets have 3 to 70 %.
LARGEST_SCATTER = 0.05
#: A range within this factor is narrow.
NARROWEST_RANGE = 2.0


@dataclass(frozen=True, kw_only=True)
class Page:
    """The numbers of a fit with intervals of this level, and of what follows at each "compute" and
    overtraining "ratio" of `at`; and what speaks against them.
    """

    fit: Fit
    level: float
    at: Mapping[str, tuple[float, ...]]

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What speaks against the numbers, a sentence each."""
        return tuple(dict.fromkeys(warnings_of(self.fit, self.at["compute"])))

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """A number a row: its name, kind ("coefficient" or "derived"), label and symbol, value (an
        estimate), the compute or ratio that it is at, and a note: "fixed" or "at bound". What
        follows from a law is that of a sound fit.
        """
        fit, rows = self.fit, list[dict[str, Any]]()
        at_bound, fixed = fit.solution.at_bound, fit.solution.model.fixed
        for name, found in fit.estimates(self.level).items():
            row = {"name": name, "kind": "coefficient", "label": name, "symbol": name, "at": ()}
            is_held = name in at_bound and name not in fit.undetermined
            note = "fixed" if name in fixed else "at bound" if is_held else ""
            value = Estimate(found.value) if name in fixed else found
            rows.append({**row, "value": value, "note": note})
        known = DERIVED.get(fit.solution.model.name, ()) if fit.is_sound else ()
        asked: dict[str, list[Any]] = {"": [()]}
        asked |= {what: [(x,) for x in values] for what, values in self.at.items()}
        for what, values in asked.items():
            for at in values:
                where = "".join(f" at {'ratio ' * (what == 'ratio')}{spelt(x)}" for x in at)
                where += " FLOP" if what == "compute" else ""
                several = f"@{spelt(*at)}" if len(values) > 1 else ""
                for own, name, symbol, function in known:
                    if own == what:
                        row = {"name": name + several, "kind": "derived", "symbol": symbol}
                        row |= {"label": LABELS.get(symbol, symbol) + where, "note": "", "at": at}
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
        fit, model, runs, columns = self.fit, self.fit.solution.model, self.fit.runs, read(self.fit)
        law, digits, objective = f"L = {model}", Significant(3), fit.solution.objective
        if runs.metric == "accuracy":
            guessing = runs.random_baseline
            law += ", L = -log"
            law += f"((Q - {guessing:g})/(1 - {guessing:g}))" if guessing else " Q"
            law += " of accuracy Q"
        spelling = ", ".join(f"{name} {column!r}" for name, column in columns.items() if column)
        spelling += "".join(f"; {x} from C = 6ND" for x, column in columns.items() if not column)
        if model.is_expression:
            spelling += f"; coefficients {', '.join(fit.coefficients)}"
        elif all(name == column for name, column in columns.items()):
            spelling = ""
        value = Significant(10).text(fit.objective_value)
        if not fit.converged:
            ended = "NOT REACHED: the best point that was found is no certified minimum"
        elif fit.undetermined:
            ended = f"reached, but these runs do NOT DETERMINE {', '.join(fit.undetermined)}"
        else:
            worst = int(np.argmax(np.abs(fit.residuals)))
            with np.errstate(over="ignore"):
                size = digits.text(float(np.sqrt(np.mean(fit.residuals**2))))
            largest = f"{digits.text(float(fit.residuals[worst]))} (row {runs.row[worst]})"
            what = f"{'log ' if objective.in_logs else ''}residuals"
            ended = f"reached; {what} {size} (root mean square), the largest {largest}"
        head = {
            "law": law,
            "runs": _runs(fit),
            "columns": spelling,
            "objective": f"{objective.name}, {objective}: {value}",
            "optimum": ended,
            "intervals": _intervals(fit),
        }
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
        fit, model, runs = self.fit, self.fit.solution.model, self.fit.runs
        numbers: dict[str, dict[str, Any]] = {"coefficient": {}, "derived": {}}
        for row in self.table().records():
            numbers[row["kind"]][row["name"]] = {key: row[key] for key in KEYS}
        value = float(fit.objective_value)
        objective = {
            **fit.solution.objective.as_dict(),
            "value": value if isfinite(value) else None,
        }
        return {
            "law": str(model),
            "model": model.name,
            "metric": runs.metric,
            "random_baseline": runs.random_baseline,
            "columns": read(fit),
            "notation": DEFAULT.name,
            "name": name or "fit",
            "source": source(fit),
            "objective": objective,
            "coefficients": numbers["coefficient"],
            "at": {x: v[0] if len(v) == 1 else list(v) for x, v in self.at.items() if v},
            "derived": numbers["derived"],
            "converged": bool(fit.converged),
            "ranges": {name: list(ends) for name, ends in run_ranges(runs).items()},
            "n_runs": len(runs),
            "n_rows": int(runs.n_rows),
            "left_out": int(runs.left_out),
            "dropped": [{"row": int(one.row), "reason": one.reason} for one in runs.dropped],
            "at_bound": list(fit.solution.at_bound),
            "fixed": sorted(model.fixed),
            "undetermined": list(fit.undetermined),
            "open_directions": list(fit.open_directions),
            "interval": {"level": self.level, **_of_draws(fit)},
            "warnings": list(self.warnings),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write the plain data with the draws, where the fit is a result."""
        data, draws = self.as_dict(Path(path).stem), self.fit.drawn
        text = json.dumps(data, indent=2, allow_nan=False)
        if data["model"] == "params-tokens" and self.fit.is_sound and draws is not None:
            columns = {
                name: [float(f"{value:.7g}") for value in column.tolist()]
                for name, column in zip(self.fit.coefficients, draws.coefficients.T, strict=True)
            }
            saved = json.dumps({"kind": draws.kind, "coefficients": columns}, allow_nan=False)
            text = f'{text[:-2]},\n  "draws": {saved}\n}}'
        save(path, f"{text}\n".encode())


def page(
    fit: Fit,
    level: float = DEFAULT_LEVEL,
    compute: ArrayLike | None = None,
    ratio: ArrayLike | None = None,
) -> Page:
    """The page of a fit: intervals of a level, with the optimum (of a compute law the loss) at each
    compute (FLOP) and the penalty at each overtraining ratio.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or nothing of the law could be for it.
    """
    at, model = dict[str, tuple[float, ...]](), fit.solution.model
    for what, given in (("compute", compute), ("ratio", ratio)):
        values: list[Any] = list(given) if isinstance(given, list | tuple | np.ndarray) else [given]
        at[what] = tuple(dict.fromkeys(positive_number(what, x) for x in values if x is not None))
        if at[what] and not any(what == own for own, *_ in DERIVED.get(model.name, ())):
            complaint = f"nothing that follows from {model} is at a {what}"
            raise ArgumentError(what, at[what][0], complaint=complaint)
    return Page(fit=fit, level=checked_level(level), at=at)


def _estimate(law: Any, function: Any, at: tuple[float, ...], level: float) -> Estimate:
    """What follows from a law; undetermined beyond the floats."""
    try:
        found: Estimate = law.estimate(lambda law: function(law, *at), level)
    except ValueError:
        return Estimate(nan, undetermined=True)
    return found


# -- what was read ---------------------------------------------------------------------------------


def source(fit: Fit) -> str:
    """What was fitted to what."""
    runs = f"{len(fit.runs)} runs of {fit.runs.source}"
    return f"{fit.solution.model} fitted to {runs} by {fit.solution.objective.name}"


def read(fit: Fit) -> dict[str, str | None]:
    """The column of all that was fitted; None for what follows from two others by C = 6ND.

    Names are those of the quantities, for an expression those that it has.
    """
    runs = fit.runs
    quantity = {name: LETTERS.get(name, name) for name in fit.solution.model.variables}
    found: dict[str, str | None] = {
        name: None if column == runs.derived else runs.columns.get(column, name)
        for name, column in quantity.items()
    }
    others = [x for x in BUDGET if None in found.values() and x not in quantity.values()]
    others += ["loss", "accuracy", "weight", "group"]
    return found | {name: runs.columns[name] for name in others if name in runs.columns}


def run_ranges(runs: object) -> dict[str, tuple[float, float]]:
    """The least and the greatest params, tokens and compute of runs, as far as they have them."""
    held = {name: getattr(runs, name) for name in BUDGET}
    return {
        name: (float(values.min()), float(values.max()))
        for name, values in held.items()
        if values is not None
    }


def _runs(fit: Fit) -> str:
    """How many runs of which table, and the rows that are none."""
    runs = fit.runs
    text = f"{len(runs)} from {runs.source}"
    if runs.group is not None:
        text += f", in {counted(len({*runs.group.tolist()}), 'group')}"
    if runs.left_out:
        text += f"; {counted(runs.left_out, 'row')} left out by the condition"
    if runs.dropped:
        listed = [f"row {one.row} ({one.reason})" for one in runs.dropped[:ROWS_LISTED]]
        listed += ["..."] if len(runs.dropped) > ROWS_LISTED else []
        text += f"; {counted(len(runs.dropped), 'row')} dropped: {', '.join(listed)}"
    return text


# -- where intervals come from ---------------------------------------------------------------------


def degrees_of_freedom(fit: Fit) -> int:
    """Of the t distribution that intervals take: runs less free coefficients, by group groups less
    one; at least 1.
    """
    group = fit.runs.group
    return max(fit.solution.spare if group is None else len({*group.tolist()}) - 1, 1)


def _intervals(fit: Fit) -> str:
    """Where the intervals come from, or why there are none."""
    if fit.drawn is None:
        return f"none: {_no_covariance(fit)}"
    if fit.draws is not None:
        what = "runs" if fit.draws.kind == "cases" else "groups of runs"
        drawn = counted(len(fit.draws), "resample")
        return f"percentiles of {drawn} of {what}, seed {fit.draws.seed}"
    how = "HC3" if fit.runs.group is None else "CR3, by group"
    freedom = counted(degrees_of_freedom(fit), "degree")
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


# -- what speaks against it ------------------------------------------------------------------------


def warnings_of(fit: Fit, computes: tuple[float, ...] = ()) -> Iterator[str]:
    """The warnings of a fit and of what is derived at computes: what reading the runs found, what
    the optimum does not tell, what the runs do not, what the intervals do not.
    """
    runs, solution, draws, ranges = fit.runs, fit.solution, fit.draws, run_ranges(fit.runs)
    variables = [LETTERS.get(name, name) for name in solution.model.variables]
    given, kept = "compute is taken as given", "the law reads params and tokens, not compute"
    for text in runs.warnings:
        yield text if "compute" in variables else text.replace(given, kept)
    numbers = np.stack([solution.observed, *(getattr(runs, x) for x in ranges)])
    if ranges and (again := len(runs) - np.unique(numbers, axis=1).shape[1]):
        yield f"{counted(again, 'duplicate')}: the same params, tokens and loss as another run"
    if not fit.converged:
        yield "no point was certified as a minimum: these numbers are no result"
    if fit.undetermined:
        moves = "; ".join(
            ", ".join(f"{name} {change:+.2g}" for name, change in direction.items())
            for direction in fit.open_directions
        )
        noticed = f"; no run notices these changes, in shares of each: {moves}" if moves else ""
        yield f"the runs leave {', '.join(fit.undetermined)} undetermined{noticed}"
    if "E" in solution.at_bound and fit.coefficients["E"] == 0.0:
        yield "E = 0 is the least it can be: these runs do not tell it from 0"
    with np.errstate(all="ignore"):
        logs = np.log(solution.fitted) - np.log(solution.observed)
        scatter = float(np.sqrt(np.mean(logs**2)))
    if fit.converged and runs.metric == "loss" and scatter > LARGEST_SCATTER:
        yield (
            f"the losses scatter about the law by {100.0 * scatter:.3g} % (root mean square), runs of "
            f"one kind by 3 % and less: fit one kind with --where, or another law"
        )
    for name in variables:
        low, high = ranges.get(name, (1.0, 1.0))
        if low < high < NARROWEST_RANGE * low:
            span = f"{high / low:.3g} alone ({low:.4g} to {high:.4g})"
            yield f"{name} spans a factor of {span}: what is fitted along it holds there"
    for compute in computes:
        if far := beyond(ranges, compute=compute):
            yield f"what is derived at {spelt(compute)} FLOP is far beyond the runs: {far}"
    groups = FEW_GROUPS if runs.group is None else len({*runs.group.tolist()})
    if groups < FEW_GROUPS and fit.drawn is not None:
        yield f"{counted(groups, 'group')}: with fewer than {FEW_GROUPS}, intervals by group are rough"
    if draws is not None and draws.interrupted:
        done = f"{draws.done} of {counted(draws.requested, 'resample')}"
        yield f"bootstrap: interrupted after {done}; the intervals are of these"
    if draws is not None and draws.failed:
        left = f"{draws.failed} of {counted(draws.done, 'refit')}"
        yield f"bootstrap: {left} reached no certified minimum; the intervals are of the others"


# -- words -----------------------------------------------------------------------------------------


def spelt(value: float) -> str:
    """A number as short as it can be told from any other.

    >>> spelt(1e21), spelt(10.0), spelt(0.1234567)
    ('1e21', '10', '0.1234567')
    """
    short = f"{value:.6g}"
    return (short if float(short) == value else repr(value)).replace("e+", "e")


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
