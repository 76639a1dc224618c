"""What a fit says, gathered once for every output: estimates, what follows from them, warnings."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import groupby
from math import isfinite
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.data.notation import DEFAULT
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.escapes import clean, latex_words
from ...theory.typeset.numbers import Interval, Shortest, Significant
from ...theory.typeset.table import RULE, Column, Subheading, Table, Words
from ..data.columns import BUDGET, LETTERS
from ..errors import ArgumentError
from ..results import checked_level
from ..words import counted
from .cautions import cautions
from .entries import (
    AT,
    Errors,
    FitNumber,
    coefficient_entry,
    derived_entries,
    outcome,
    run_ranges,
    several,
)
from .fitted import DEFAULT_LEVEL, KEYS
from .objective import DESCRIPTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray
    from pandas import DataFrame

    from ...theory.data.notation import Notation
    from ..data.rows import Dropped
    from .resample import Draws
    from .result import Fit

    Floats = NDArray[np.float64]

__all__ = ["Summary", "summarise"]

SMOOTHED = "rho'' is averaged over the Hall-Sheather bandwidth of the residuals"
SHARP = (
    "by absolute deviations 90 % ones held the truth in 85 to 93 % of simulations; a bootstrap "
    "(--bootstrap) is preferable"
)
WIDTH, GAP = 100, "  "
#: What is drawn again and again, by kind of resample.
DRAWN = {"cases": "runs", "groups": "groups of runs", "residuals": "residuals"}
#: So many rows are listed for a reason why they are no runs; JSON has them all.
ROWS_LISTED = 12
#: A source whose first line is a header.
HEADED = re.compile(r"\.(csv|tsv|txt)'?$", re.IGNORECASE)
#: The value in a reason: "accuracy=0.2: must be above 0.25".
VALUE = re.compile(r"^(\w+)=[^:]*: ")
#: A certificate below this is rounding, which differs from machine to machine.
ROUNDING = 1e-12
PARAMETERS = {"delta": r"\delta"}
#: LaTeX in front of a table that must fit the lines of an article.
SMALL = r"\footnotesize\setlength{\tabcolsep}{4pt}"


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The numbers of a fit and what speaks against them.

    Attributes
    ----------
    fit : Fit
    level : float
        Nominal coverage of the intervals.
    kind : {"sandwich", "bootstrap", "none"}
        Where standard errors and intervals come from.
    coefficients, derived : tuple of FitNumber
    warnings : tuple of str
    compute, ratio : tuple of float
        What derived quantities are for.
    """

    fit: Fit
    level: float
    kind: str
    coefficients: tuple[FitNumber, ...]
    derived: tuple[FitNumber, ...]
    warnings: tuple[str, ...]
    compute: tuple[float, ...] = ()
    ratio: tuple[float, ...] = ()

    @property
    def draws(self) -> Draws | None:
        """The resamples, where standard errors and intervals come from them."""
        return self.fit.draws if self.kind == "bootstrap" else None

    @property
    def followed(self) -> tuple[FitNumber, ...]:
        """The derived quantities that are no coefficients."""
        own = {entry.name for entry in self.coefficients}
        return tuple(entry for entry in self.derived if entry.name not in own)

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

    def latex(self, notation: str | Notation = DEFAULT, caption: str = "", label: str = "") -> str:
        """One booktabs table of all numbers; with a caption or a label it floats."""
        spelling = find_notation(notation)
        rows: list[Any] = [_latex_row(entry, spelling) for entry in self.coefficients]
        for at, entries in groupby(self.followed, key=lambda entry: entry.at):
            rows += [RULE, *(Subheading(_at(name, value, spelling)) for name, value in at)]
            rows += [_latex_row(entry, spelling) for entry in entries]
        ends = Interval(Significant(5))
        columns = [Column("label", " ", align="left"), *self._numbers(ends)]
        table = Table(columns, rows, notes=self._latex_notes())
        if caption or label:
            return table.latex(caption, label, size=SMALL)
        needed, *tabular = table.latex().splitlines()
        notes = " ".join(f"{note.latex}." for note in self._latex_notes())
        below = ["", r"\smallskip\noindent", rf"\parbox{{\linewidth}}{{\footnotesize {notes}}}"]
        return "\n".join([needed, rf"{{{SMALL}\noindent", *tabular, *below, r"\par}"])

    def _latex_notes(self) -> list[Words]:
        """What a reader of the table must know: the runs, the objective, the intervals."""
        fit, draws, digits = self.fit, self.draws, Shortest(6)
        objective = latex_words(DESCRIPTIONS[fit.objective.name])
        for name, value in fit.objective.as_dict().items():
            if name in PARAMETERS:
                objective += f", ${PARAMETERS[name]} = {digits.finite_latex(value)}$"
        how = "none"
        if draws is not None:
            how = f"percentiles of {counted(len(draws), 'resample')} of {DRAWN[draws.kind]}"
        elif self.kind == "sandwich":
            how = f"sandwich covariance{' by group' if fit.runs.group is not None else ''}"
        runs = f"$n = {len(fit.runs)}$ {'run' if len(fit.runs) == 1 else 'runs'}"
        law = f"; $L$ is ${_accuracy_latex(fit)}$ of the accuracy $Q$" if outcome(fit) else ""
        notes = [Words("", f"{runs}{law}; {objective}"), Words("", f"Intervals: {how}")]
        if not fit.converged:
            notes.insert(0, Words("", "No certified minimum: these numbers are no result"))
        return notes

    def to_frame(self) -> DataFrame:
        """A pandas frame, a row a number: kind (coefficient or derived), value, se, lo, hi, note;
        NaN for what is undetermined.
        """
        import pandas as pd

        kinds = [("coefficient", self.coefficients), ("derived", self.derived)]
        rows = [
            {"name": entry.name, "kind": kind, **entry.as_dict(), "note": entry.note}
            for kind, entries in kinds
            for entry in entries
        ]
        return pd.DataFrame(rows).set_index("name").astype(dict.fromkeys(KEYS, float))

    # -- plain data --------------------------------------------------------------------------------

    def as_dict(self, name: str = "") -> dict[str, Any]:
        """Plain data of a law file; None for what the runs do not determine or no float can hold.

        law, model, metric ("loss" or "accuracy") and random_baseline, columns (None for what
        follows by C = 6ND), notation, name, source, objective (name, value, and its delta),
        coefficients and derived (each with value, se, lo and hi; derived at the compute and ratio
        of "at", with "@" and the value in the name where there are several), converged, ranges (the
        least and the greatest params, tokens and compute of the runs, as far as they have them),
        n_runs, n_rows, left_out, dropped (row and reason of each; row 1 is the first of data),
        at_bound, fixed, undetermined, interval, certificate, starts and warnings.
        """
        fit, warnings = self.fit, list(self.warnings)
        value, certificate = float(fit.objective_value), float(fit.solution.certificate)
        if not isfinite(value):
            warnings.append("the objective is not finite")
        at = {"compute": self.compute, "ratio": self.ratio}
        return {
            "law": str(fit.model),
            "model": fit.model.name,
            "metric": fit.runs.metric,
            "random_baseline": fit.runs.random_baseline,
            "columns": columns_read(fit),
            "notation": DEFAULT.name,
            "name": name or fit.name,
            "source": fit.source,
            "objective": {**fit.objective.as_dict(), "value": value if isfinite(value) else None},
            "coefficients": {
                **self._no_irreducible(),
                **{entry.name: entry.as_dict() for entry in self.coefficients},
            },
            "at": {
                name: values[0] if len(values) == 1 else list(values)
                for name, values in at.items()
                if values
            },
            "derived": {entry.name: entry.as_dict() for entry in self.derived},
            "converged": bool(fit.converged),
            "ranges": run_ranges(fit.runs),
            "n_runs": len(fit.runs),
            "n_rows": int(fit.runs.n_rows),
            "left_out": int(fit.runs.left_out),
            "dropped": [
                {"row": int(entry.row), "reason": entry.reason} for entry in fit.runs.dropped
            ],
            "at_bound": list(fit.at_bound),
            "fixed": sorted(fit.design.given),
            "undetermined": list(fit.undetermined),
            "interval": self._intervals_as_dict(),
            "certificate": certificate if isfinite(certificate) else None,
            "starts": {
                "followed": int(fit.solution.starts),
                "agreeing": int(fit.solution.agreeing),
            },
            "warnings": warnings,
        }

    def _no_irreducible(self) -> dict[str, dict[str, float]]:
        """The irreducible loss of a named law without one: it is 0, and known to be."""
        model = self.fit.model
        absent = not self.fit.model.is_expression and "E" not in model.coefficients
        return {"E": dict.fromkeys(KEYS, 0.0)} if absent else {}

    def _intervals_as_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {"kind": self.kind, "level": self.level}
        if self.draws is not None:
            draws = self.draws
            data |= {"resample": draws.kind, "repeats": draws.done, "requested": draws.requested}
            data |= {"failed": draws.failed, "seed": draws.seed, "interrupted": draws.interrupted}
        elif self.kind == "sandwich" and not self.fit.objective.is_square:
            from .covariance import bandwidth

            data |= {"curvature": SMOOTHED, "bandwidth": bandwidth(self.fit, self.fit.residuals)}
        return data

    # -- text --------------------------------------------------------------------------------------

    def __str__(self) -> str:
        """At most 100 columns wide."""
        fit = self.fit
        law = f"L = {fit.model}"
        law += f", L = {outcome(fit)} of accuracy Q" if outcome(fit) else ""
        objective = str(fit.objective)
        words = f"{fit.objective.name}, {objective[0].lower()}{objective[1:]}"
        words = words.replace(", huber", ", Huber")
        head = [("law", law), ("runs", _runs(fit)), ("columns", _columns(fit))]
        head += [("objective", f"{words}: {Significant(10).text(fit.objective_value)}")]
        lines = _pairs([*head, ("optimum", self._optimum())])
        for table in self.tables():
            lines += ["", *table.lines()]
        lines += ["", *_pairs([("intervals", self._intervals()), ("residuals", _residuals(fit))])]
        for text in self.warnings:
            lines += wrap(f"warning: {clean(text)}", WIDTH, subsequent_indent="  ")
        return "\n".join(lines)

    def _optimum(self) -> str:
        """How the minimum is certified, and what it does not determine."""
        fit = self.fit
        text = ", ".join(filter(None, (_certificate(fit), _starts(fit))))
        if not fit.converged:
            return f"NOT REACHED; the best point that was found is no certified minimum: {text}"
        if not fit.undetermined:
            return f"reached; {text}"
        following = [entry.label for entry in self.followed if entry.estimate.undetermined]
        are, them = ("is", "it") if len(fit.undetermined) == 1 else ("are", "them")
        also = f", nor what follows from {them}: {', '.join(following)}" if following else ""
        names = ", ".join(fit.undetermined)
        return f"reached, but {names} {are} NOT DETERMINED by these runs{also}; {text}"

    def _intervals(self) -> str:
        fit, draws = self.fit, self.draws
        if draws is not None:
            share = f", {draws.failed} without a certified minimum" if draws.failed else ""
            return (
                f"bootstrap: standard deviations and percentiles of "
                f"{counted(draws.done, 'resample')} of {DRAWN[draws.kind]}, seed {draws.seed}{share}"
            )
        entries = (*self.coefficients, *self.derived)
        if self.kind == "none" or not any(entry.estimate.standard_error for entry in entries):
            return "none"
        leverage = "scores summed by group, each seen from the others (CR3)"
        if fit.runs.group is None:
            leverage = "each run seen from the others (HC3)"
        freedom = counted(fit.degrees_of_freedom, "degree")
        how = f"sandwich covariance, {leverage}, Student's t with {freedom} of freedom"
        logs = (
            "; all but E and losses on a log or log-odds scale"
            if not fit.model.is_expression
            else ""
        )
        return f"{how}{logs}{f'; {SHARP}' if fit.objective.is_sharp else ''}"


def summarise(
    fit: Fit,
    *,
    level: float = DEFAULT_LEVEL,
    compute: ArrayLike | None = None,
    ratio: ArrayLike | None = None,
) -> Summary:
    """Gather what a fit says.

    Parameters
    ----------
    fit : Fit
        Standard errors and percentile intervals come from its draws; without any, from the sandwich
        covariance.
    level : float
        Nominal coverage of the intervals; 0 < level < 1.
    compute : float or sequence of float, optional
        Adds the optimum at each compute, or for a compute law the loss; FLOP, > 0.
    ratio : float or sequence of float, optional
        Adds the penalty at each overtraining ratio; 1, > 0.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or the law of the fit has nothing that it could be
        for.
    """
    level = checked_level(level)
    computes, ratios = several("compute", compute), several("ratio", ratio)
    errors = Errors(fit, level)
    coefficients = tuple(coefficient_entry(fit, name, errors) for name in fit.names)
    derived = tuple(derived_entries(fit, errors, coefficients, computes, ratios))
    warnings = cautions(fit, errors, computes, (*coefficients, *derived))
    return Summary(
        fit=fit,
        level=level,
        kind=errors.kind,
        coefficients=coefficients,
        derived=derived,
        warnings=tuple(dict.fromkeys(warnings)),
        compute=computes,
        ratio=ratios,
    )


# -- what was fitted -------------------------------------------------------------------------------


def _accuracy_latex(fit: Fit) -> str:
    baseline = fit.runs.random_baseline
    return rf"-\log((Q - {baseline:g})/(1 - {baseline:g}))" if baseline else r"-\log Q"


def columns_read(fit: Fit) -> dict[str, str | None]:
    """The column of all that was fitted; None for what follows from two others by C = 6ND.

    Names are those of the quantities, for an expression those that it has.
    """
    runs = fit.runs
    quantity = {name: LETTERS.get(name, name) for name in fit.model.variables}
    read: dict[str, str | None] = {
        name: runs.columns.get(column, name) for name, column in quantity.items()
    }
    for name, column in quantity.items():
        if column == runs.derived:
            del read[name]
            others = [other for other in BUDGET if other not in quantity.values()]
            read |= {other: runs.columns[other] for other in others if other in runs.columns}
            read[name] = None
    rest = ("loss", "accuracy", "weight", "group")
    return read | {name: runs.columns[name] for name in rest if name in runs.columns}


# -- sentences -------------------------------------------------------------------------------------


def _runs(fit: Fit) -> str:
    runs = fit.runs
    lost = [f"{runs.left_out} left out by the condition"] if runs.left_out else []
    lost += [_dropped(runs.dropped)] if runs.dropped else []
    first = "the first after the header" if HEADED.search(runs.source) else "the first"
    text = f"{len(runs)} from {runs.source}, where row 1 is {first}"
    if runs.group is not None:
        text += f"; in {counted(len(set(runs.group.tolist())), 'group')}"
    if runs.weight is not None:
        text += "; weighted"
    return clean(f"{text} (of {counted(runs.n_rows, 'row')}, {'; '.join(lost)})" if lost else text)


def _dropped(dropped: Sequence[Dropped]) -> str:
    """The rows that are no runs, by reason."""
    rows: dict[str, list[str]] = {}
    for entry in dropped:
        rows.setdefault(VALUE.sub(r"\1 ", entry.reason), []).append(str(entry.row))
    parts = []
    for reason, numbers in rows.items():
        rest = len(numbers) - ROWS_LISTED
        more = f" and {rest} more" if rest > 0 else ""
        plural = "s" if len(numbers) > 1 else ""
        parts.append(f"{reason} (row{plural} {', '.join(numbers[:ROWS_LISTED])}{more})")
    return f"{len(dropped)} dropped: {', '.join(parts)}"


def _columns(fit: Fit) -> str:
    """What was read from where, unless the columns have the names of the quantities."""
    read = columns_read(fit)
    if not fit.model.is_expression and all(name == column for name, column in read.items()):
        return ""
    text = ", ".join(f"{name} {column!r}" for name, column in read.items() if column is not None)
    text += "".join(f"; {name} from C = 6ND" for name, column in read.items() if column is None)
    return clean(
        text if not fit.model.is_expression else f"{text}; coefficients {', '.join(fit.names)}"
    )


def _certificate(fit: Fit) -> str:
    size = fit.solution.certificate
    if not isfinite(size):
        return "no certificate could be computed"
    share = f"below {ROUNDING:g}" if size < ROUNDING else Significant(2).text(size)
    if fit.objective.is_sharp:
        return f"its least subgradient has relative size {share}"
    return f"the share by which a Newton step would lower the objective is {share}"


def _starts(fit: Fit) -> str:
    """What the search for other minima found; nothing where there was none."""
    solution = fit.solution
    if {*getattr(fit.model, "exponents", fit.names)} <= {*fit.design.given}:
        return ""
    if fit.objective.is_sharp and not fit.model.is_expression:
        followed = solution.agreeing + len(solution.others)
        if followed == 1:
            return "the only minimum that was found"
        return f"the best of {followed} minima that were followed to the end"
    if solution.starts == 1:
        return "the scan of exponents shows one basin" if not fit.model.is_expression else ""
    ends = "ends" if solution.agreeing == 1 else "end"
    return f"{solution.agreeing} of {solution.starts} starts {ends} there"


def _residuals(fit: Fit) -> str:
    residuals, digits = fit.residuals, Significant(3)
    what = "log observed - log law" if fit.objective.in_logs else "observed - law"
    worst = int(np.argmax(np.abs(residuals)))
    middle, mean = float(np.median(np.abs(residuals))), float(np.sqrt(np.mean(residuals**2)))
    text = (
        f"{what}: median size {digits.text(middle)}, root mean square {digits.text(mean)}, "
        f"largest {digits.text(float(residuals[worst]))} (row {fit.runs.row[worst]})"
    )
    if fit.objective.name == "huber-log":
        within = int(np.count_nonzero(np.abs(residuals) <= fit.objective.delta))
        text += f"; {within} of {len(residuals)} within delta"
    return text


def _pairs(entries: Sequence[tuple[str, str]]) -> list[str]:
    """Names and values under each other, long values broken; no line for an empty value."""
    entries = [(name, value) for name, value in entries if value]
    column = max(len(name) for name, _ in entries) + len(GAP)
    lines = []
    for name, value in entries:
        first, *rest = wrap(value, WIDTH - column)
        lines += [f"{name.ljust(column)}{first}", *(" " * column + more for more in rest)]
    return lines


# -- LaTeX -----------------------------------------------------------------------------------------


def _latex_row(entry: FitNumber, spelling: Notation) -> dict[str, Any]:
    label = Words(entry.label, _symbol(entry, spelling))
    return {"label": label, "shown": entry.shown, "remark": _latex_remark(entry, spelling)}


def _at(name: str, value: float, spelling: Notation) -> Words:
    letter, unit = ("C", " FLOP") if name == "compute" else ("rho", "")
    written = Shortest(6).finite_latex(value)
    return Words(f"at {name} {value:g}", f"at ${spelling.latex(letter)} = {written}${unit}")


def _latex_remark(entry: FitNumber, spelling: Notation) -> Words:
    short = {"tokens per parameter": "tokens/param.", "L": "$L$"}
    remark = short.get(entry.remark, entry.remark)
    if "FLOP^alpha" in remark:
        loss = "$L$" if entry.unit.startswith("L") else "loss"
        remark = rf"{loss}\,FLOP${{}}^{{{spelling.latex('alpha')}}}$"
    return Words(entry.remark, remark)


def _symbol(entry: FitNumber, spelling: Notation) -> str:
    """What a number is called in a paper."""
    from ...theory.typeset.printer import optimum_latex, symbol_latex

    name = entry.name.partition(AT)[0]
    if entry.at:
        if name in ("loss", "penalty"):
            return f"${spelling.latex('L') if name == 'loss' else 'P'}$"
        letters = "DN" if name == "tokens_per_param" else name[0]
        return f"${'/'.join(optimum_latex(letter, spelling) for letter in letters)}$"
    shares = {"params_share": "w_N", "tokens_share": "w_D"}
    known = symbol_latex(shares.get(name, name), spelling)
    if known is None:
        from sympy import Symbol, latex

        known = latex(Symbol(name))
    return f"${known}$"


# -- files -----------------------------------------------------------------------------------------


def json_of(data: dict[str, Any]) -> str:
    """JSON with an entry a line; the draws, thousands of numbers, in one."""
    rest = {name: value for name, value in data.items() if name != "draws"}
    text = json.dumps(rest, indent=2, allow_nan=False)
    if "draws" in data:
        text = f'{text[:-2]},\n  "draws": {json.dumps(data["draws"], allow_nan=False)}\n}}'
    return text + "\n"


def draws_of(fit: Fit) -> dict[str, Any]:
    """How sure a params+tokens fit is, for its file: its draws, else the covariance; {} where there
    is none.
    """
    from ..law.uncertainty import Uncertainty

    if fit.model.name != "params-tokens" or not fit.is_sound:
        return {}
    if fit.draws is not None:
        draws = fit.draws.coefficients.tolist()
        return {"draws": Uncertainty("bootstrap", fit.names, draws).as_dict()}
    try:
        covariance = fit.covariance().tolist()
    except ValueError:  # the text says why there are no standard errors
        return {}
    names, freedom = fit.model.coordinates, fit.degrees_of_freedom
    return {"draws": Uncertainty("covariance", names, covariance, freedom).as_dict()}


def law_name(path: str | PathLike[str]) -> str:
    """What the law of a file is called: the file's name without its ending."""
    return Path(path).stem


def write(data: dict[str, Any], path: str | PathLike[str]) -> None:
    """Write plain data as JSON."""
    from .._files import write as write_file

    try:
        write_file(path, json_of(data).encode())
    except OSError as error:
        complaint = f"cannot be written ({error.strerror})"
        raise ArgumentError("path", str(path), complaint=complaint) from None
