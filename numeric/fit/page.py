"""What a fit says, for every output: its numbers, where their intervals come from, warnings."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from math import isfinite, nan
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...theory.data.notation import DEFAULT
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.escapes import clean, latex_words
from ...theory.typeset.numbers import Interval, Shortest, Significant
from ...theory.typeset.table import RULE, Column, Subheading, Table, Words
from .._files import write
from ..data.columns import BUDGET, LETTERS
from ..errors import ArgumentError
from ..results import Estimate
from ..words import counted
from .cautions import outcome, run_ranges, warnings_of
from .fitted import KEYS
from .objective import DESCRIPTIONS
from .quantities import AT, quantities

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray
    from pandas import DataFrame

    from ...theory.data.notation import Notation
    from .fit import Fit

    Floats = NDArray[np.float64]

FIXED, AT_BOUND = "fixed", "at bound"
WIDTH = 100
#: What is drawn again and again, by kind of resample.
DRAWN = {"cases": "runs", "groups": "groups of runs"}
#: So many rows that are no runs are listed; JSON has them all.
ROWS_LISTED = 12
#: Digits of a draw in a file.
DIGITS = 7
#: LaTeX in front of a table that must fit the lines of an article.
SMALL = r"\footnotesize\setlength{\tabcolsep}{4pt}"


class Entry(NamedTuple):
    """A number of a fit, with what stands beside it: "fixed", "at bound" or its unit."""

    name: str
    label: str
    estimate: Estimate
    note: str = ""
    unit: str = ""
    at: tuple[tuple[str, float], ...] = ()

    @property
    def shown(self) -> Estimate:
        """The estimate, without ends where it is known exactly."""
        if self.note == FIXED:
            return Estimate(self.estimate.value)
        exact = self.estimate.standard_error == 0.0
        return replace(self.estimate, low=None, high=None) if exact else self.estimate

    @property
    def remark(self) -> str:
        """The note and the unit."""
        unit = "" if self.unit == "1" or self.estimate.undetermined else self.unit
        return ", ".join(filter(None, (self.note, unit)))

    def as_dict(self) -> dict[str, Any]:
        """value, se, lo and hi; None for what is not known."""
        numbers = self.estimate.as_dict("value", "lo", "hi", "se")
        return {key: numbers[key] for key in KEYS}


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
    more : tuple of str
        Further warnings.
    """

    fit: Fit
    level: float
    computes: tuple[float, ...] = ()
    ratios: tuple[float, ...] = ()
    more: tuple[str, ...] = ()

    @cached_property
    def coefficients(self) -> tuple[Entry, ...]:
        """The coefficients."""
        fit, estimates = self.fit, self.fit.estimates(self.level)
        notes = dict.fromkeys(fit.at_bound, AT_BOUND) | dict.fromkeys(fit.design.given, FIXED)
        notes |= dict.fromkeys(fit.undetermined, "")
        return tuple(
            Entry(name, name, estimate, notes.get(name, ""), unit="")
            for name, estimate in estimates.items()
        )

    @cached_property
    def derived(self) -> tuple[Entry, ...]:
        """What follows from them."""
        of = quantities(self.fit.model, self.computes, self.ratios)
        unit = "loss" if self.fit.runs.metric == "loss" else "L"
        entries = []
        for one in of:
            estimate = Estimate(nan, undetermined=True)
            if not {*one.needs} & {*self.fit.undetermined}:
                estimate = self.fit.following(one, self.level)
            note = AT_BOUND if {*one.needs} & {*self.fit.at_bound} else ""
            words = one.unit.replace("loss", unit)
            entries.append(Entry(one.name, one.label, estimate, note, words, one.at))
        return tuple(entries)

    @property
    def followed(self) -> tuple[Entry, ...]:
        """Those of them that are no coefficients."""
        return tuple(entry for entry in self.derived if entry.name not in self.fit.names)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What speaks against the numbers, a sentence each."""
        return (*warnings_of(self.fit, self.level, self.computes), *self.more)

    @staticmethod
    def name_of(path: str | PathLike[str]) -> str:
        """What the law of a file is called: the file's name without its ending."""
        return Path(path).stem

    def save(self, path: str | PathLike[str]) -> None:
        """Write the plain data with the draws, where the fit is a result."""
        data = self.as_dict(self.name_of(path))
        fit = self.fit
        if fit.model.name == "params-tokens" and fit.is_sound and fit.interval_kind != "none":
            drawn = {name: _rounded(column) for name, column in fit.drawn.columns.items()}
            data["draws"] = {"kind": fit.drawn.kind, "coefficients": drawn}
        try:
            write(path, json_of(data).encode())
        except OSError as error:
            complaint = f"cannot be written ({error.strerror})"
            raise ArgumentError("path", str(path), complaint=complaint) from None

    # -- tables ------------------------------------------------------------------------------------

    def tables(self) -> tuple[Table, ...]:
        """The coefficients, and what follows from them where something does."""
        groups = (("coefficient", self.coefficients), ("derived", self.followed))
        ends = Interval(Significant(5), "", " to ", "")
        return tuple(
            Table([Column("label", kind, align="left"), *self._numbers(ends)], entries)
            for kind, entries in groups
            if entries
        )

    def _numbers(self, ends: Interval) -> list[Column]:
        return [
            Column("shown", "value", format=Significant(6)),
            Column("shown", "std. error", show="error", format=Significant(3)),
            Column("shown", f"{100 * self.level:.4g} % interval", show="interval", interval=ends),
            Column("remark", " ", align="left"),
        ]

    def to_frame(self) -> DataFrame:
        """A pandas frame, a row a number: kind (coefficient or derived), value, se, lo, hi, note;
        NaN for what is undetermined.
        """
        import pandas as pd

        rows = [
            {"name": entry.name, "kind": kind, **entry.as_dict(), "note": entry.note}
            for kind, entries in (("coefficient", self.coefficients), ("derived", self.derived))
            for entry in entries
        ]
        return pd.DataFrame(rows).set_index("name").astype(dict.fromkeys(KEYS, float))

    def to_latex(
        self, notation: str | Notation = DEFAULT, caption: str = "", label: str = ""
    ) -> str:
        """One booktabs table of all numbers; with a caption or a label it floats."""
        spelling = find_notation(notation)
        rows: list[Any] = [_latex_row(entry, spelling) for entry in self.coefficients]
        for at, entries in groupby(self.followed, key=lambda entry: entry.at):
            rows += [RULE, *(Subheading(_latex_at(name, value, spelling)) for name, value in at)]
            rows += [_latex_row(entry, spelling) for entry in entries]
        columns = [Column("label", " ", align="left"), *self._numbers(Interval(Significant(5)))]
        notes = self._latex_notes()
        table = Table(columns, rows, notes=notes)
        if caption or label:
            return table.latex(caption, label, size=SMALL)
        needed, *tabular = table.latex().splitlines()
        text = " ".join(f"{note.latex}." for note in notes)
        below = ["", r"\smallskip\noindent", rf"\parbox{{\linewidth}}{{\footnotesize {text}}}"]
        return "\n".join([needed, rf"{{{SMALL}\noindent", *tabular, *below, r"\par}"])

    def _latex_notes(self) -> list[Words]:
        """What a reader of the table must know: the runs, the objective, the intervals."""
        fit = self.fit
        objective = latex_words(DESCRIPTIONS[fit.objective.name])
        if fit.objective.name == "huber-log":
            objective += rf", $\delta = {Shortest(6).finite_latex(fit.objective.delta)}$"
        law = f"; $L$ is ${latex_outcome(fit)}$ of the accuracy $Q$" if outcome(fit) else ""
        runs = f"$n = {fit.size}$ {'run' if fit.size == 1 else 'runs'}"
        notes = [f"{runs}{law}; {objective}", latex_words(f"Intervals: {self._intervals()}")]
        if not fit.converged:
            notes.insert(0, "No certified minimum: these numbers are no result")
        return [Words("", note) for note in notes]

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
        asked = {"compute": self.computes, "ratio": self.ratios}
        absent = not fit.model.is_expression and "E" not in fit.names  # then it is known to be 0
        coefficients = {"E": dict.fromkeys(KEYS, 0.0)} if absent else {}
        return {
            "law": str(fit.model),
            "model": fit.model.name,
            "metric": runs.metric,
            "random_baseline": runs.random_baseline,
            "columns": columns_read(fit),
            "notation": DEFAULT.name,
            "name": name or fit.name,
            "source": fit.source,
            "objective": {**fit.objective.as_dict(), "value": value if isfinite(value) else None},
            "coefficients": coefficients | {one.name: one.as_dict() for one in self.coefficients},
            "at": {x: v[0] if len(v) == 1 else list(v) for x, v in asked.items() if v},
            "derived": {one.name: one.as_dict() for one in self.derived},
            "converged": bool(fit.converged),
            "ranges": run_ranges(runs),
            "n_runs": len(runs),
            "n_rows": int(runs.n_rows),
            "left_out": int(runs.left_out),
            "dropped": [{"row": int(one.row), "reason": one.reason} for one in runs.dropped],
            "at_bound": list(fit.at_bound),
            "fixed": sorted(fit.design.given),
            "undetermined": list(fit.undetermined),
            "open_directions": list(fit.open_directions),
            "interval": self._intervals_as_dict(),
            "warnings": list(self.warnings),
        }

    def _intervals_as_dict(self) -> dict[str, Any]:
        kind, draws = self.fit.interval_kind, self.fit.draws
        data: dict[str, Any] = {"kind": kind, "level": self.level}
        if kind == "bootstrap" and draws is not None:
            data |= {"resample": draws.kind, "repeats": draws.done, "requested": draws.requested}
            data |= {"failed": draws.failed, "seed": draws.seed, "interrupted": draws.interrupted}
        return data

    # -- text --------------------------------------------------------------------------------------

    def __str__(self) -> str:
        """At most 100 columns wide."""
        fit = self.fit
        law = f"L = {fit.model}{f', L = {outcome(fit)} of accuracy Q' if outcome(fit) else ''}"
        value = Significant(10).text(fit.objective_value)
        objective = f"{fit.objective.name}, {fit.objective}: {value}"
        head = {"law": law, "runs": _runs(fit), "columns": _columns(fit)}
        lines = _pairs(head | {"objective": objective, "optimum": self._optimum()})
        for table in self.tables():
            lines += ["", *table.lines()]
        lines += ["", *_pairs({"intervals": self._intervals(), "residuals": _residuals(fit)})]
        for text in self.warnings:
            lines += wrap(f"warning: {clean(text)}", WIDTH, subsequent_indent="  ")
        return "\n".join(lines)

    def _optimum(self) -> str:
        fit = self.fit
        if not fit.converged:
            return "NOT REACHED: the best point that was found is no certified minimum"
        if not fit.undetermined:
            return "reached"
        are = "is" if len(fit.undetermined) == 1 else "are"
        return f"reached, but {', '.join(fit.undetermined)} {are} NOT DETERMINED by these runs"

    def _intervals(self) -> str:
        fit, draws = self.fit, self.fit.draws
        if fit.interval_kind == "bootstrap" and draws is not None:
            return (
                f"percentiles of {counted(len(draws), 'resample')} of {DRAWN[draws.kind]}, seed "
                f"{draws.seed}"
            )
        if fit.interval_kind == "none":
            return "none"
        how = "HC3" if fit.runs.group is None else "CR3, by group"
        freedom = counted(fit.degrees_of_freedom, "degree")
        return f"percentiles of 1,000 draws of the covariance ({how}), Student's t with {freedom} of freedom"


def latex_outcome(fit: Fit) -> str:
    """What L stands for where the table has accuracies."""
    baseline = fit.runs.random_baseline
    return rf"-\log((Q - {baseline:g})/(1 - {baseline:g}))" if baseline else r"-\log Q"


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


# -- parts of the text -----------------------------------------------------------------------------


def _runs(fit: Fit) -> str:
    runs = fit.runs
    text = f"{len(runs)} from {runs.source}"
    if runs.group is not None:
        text += f", in {counted(len(set(runs.group.tolist())), 'group')}"
    text += ", weighted" if runs.weight is not None else ""
    if runs.left_out:
        text += f"; {counted(runs.left_out, 'row')} left out by the condition"
    if runs.dropped:
        listed = [f"row {one.row} ({one.reason})" for one in runs.dropped[:ROWS_LISTED]]
        listed += ["..."] if len(runs.dropped) > ROWS_LISTED else []
        text += f"; {counted(len(runs.dropped), 'row')} dropped: {', '.join(listed)}"
    return clean(text)


def _columns(fit: Fit) -> str:
    """What was read from where, unless the columns have the names of the quantities."""
    read = columns_read(fit)
    if not fit.model.is_expression and all(name == column for name, column in read.items()):
        return ""
    text = ", ".join(f"{name} {column!r}" for name, column in read.items() if column is not None)
    text += "".join(f"; {name} from C = 6ND" for name, column in read.items() if column is None)
    named = f"; coefficients {', '.join(fit.names)}" if fit.model.is_expression else ""
    return clean(f"{text}{named}")


def _residuals(fit: Fit) -> str:
    residuals, digits = fit.residuals, Significant(3)
    what = "log observed - log law" if fit.objective.in_logs else "observed - law"
    worst = int(np.argmax(np.abs(residuals)))
    with np.errstate(over="ignore"):
        size = float(np.sqrt(np.mean(residuals**2)))
    return (
        f"{what}: median size {digits.text(float(np.median(np.abs(residuals))))}, root mean square "
        f"{digits.text(size)}, largest "
        f"{digits.text(float(residuals[worst]))} (row {fit.runs.row[worst]})"
    )


def _pairs(entries: dict[str, str]) -> list[str]:
    """Names and values under each other, long values broken; no line for an empty value."""
    column = max(len(name) for name, value in entries.items() if value) + 2
    lines = []
    for name, value in entries.items():
        broken = wrap(value, WIDTH - column)
        firsts = [name, *[""] * len(broken)]
        lines += [
            f"{first.ljust(column)}{part}" for first, part in zip(firsts, broken, strict=False)
        ]
    return lines


# -- parts of the LaTeX ----------------------------------------------------------------------------


def _latex_row(entry: Entry, spelling: Notation) -> dict[str, Any]:
    short = {"tokens per parameter": "tokens/param.", "L": "$L$"}
    remark = short.get(entry.remark, entry.remark)
    if "FLOP^alpha" in remark:
        remark = rf"{entry.unit.partition(' ')[0]}\,FLOP${{}}^{{{spelling.latex('alpha')}}}$"
    label = Words(entry.label, _symbol(entry, spelling))
    return {"label": label, "shown": entry.shown, "remark": Words(entry.remark, remark)}


def _latex_at(name: str, value: float, spelling: Notation) -> Words:
    letter, unit = ("C", " FLOP") if name == "compute" else ("rho", "")
    written = Shortest(6).finite_latex(value)
    return Words(f"at {name} {value:g}", f"at ${spelling.latex(letter)} = {written}${unit}")


def _symbol(entry: Entry, spelling: Notation) -> str:
    """What a number is called in a paper."""
    from ...theory.typeset.printer import optimum_latex, symbol_latex

    name = entry.name.partition(AT)[0]
    if name in ("loss", "penalty"):
        return f"${spelling.latex('L') if name == 'loss' else 'P'}$"
    if entry.at:
        letters = "DN" if name == "tokens_per_param" else name[0]
        return f"${'/'.join(optimum_latex(letter, spelling) for letter in letters)}$"
    shares = {"params_share": "w_N", "tokens_share": "w_D"}
    known = symbol_latex(shares.get(name, name), spelling)
    if known is None:
        from sympy import Symbol, latex

        known = latex(Symbol(name))
    return f"${known}$"


def _rounded(draws: Floats) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in draws.tolist()]


def json_of(data: dict[str, Any]) -> str:
    """JSON with an entry a line; the draws, thousands of numbers, in one."""
    rest = {name: value for name, value in data.items() if name != "draws"}
    text = json.dumps(rest, indent=2, allow_nan=False)
    if "draws" in data:
        text = f'{text[:-2]},\n  "draws": {json.dumps(data["draws"], allow_nan=False)}\n}}'
    return text + "\n"
