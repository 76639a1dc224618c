"""A fit as plain data, as a pandas frame and as a LaTeX table."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

from ...theory.data.notation import DEFAULT
from ...theory.data.notation import notation as find_notation
from ..errors import ArgumentError
from ..words import counted
from .objective import DESCRIPTIONS
from .summary import (
    AT,
    AT_BOUND,
    DEFAULT_LEVEL,
    FIXED,
    LIMIT,
    Figure,
    Summary,
    columns_read,
    outcome,
    run_ranges,
    summarise,
)
from .text import DRAWN

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import ArrayLike
    from pandas import DataFrame

    from ...theory.data.notation import Notation
    from .resample import Draws
    from .result import Fit

__all__ = [
    "fit_dict",
    "fit_frame",
    "fit_json",
    "fit_latex",
    "save_fit",
    "summary_dict",
    "summary_json",
    "summary_latex",
]

#: Marks of figures in LaTeX, and what they mean.
MARKS = {FIXED: "a", AT_BOUND: "b", LIMIT: "c"}
MEANINGS = {
    FIXED: "Fixed.",
    AT_BOUND: "On a bound, or depends on a coefficient that is: error unknown.",
    LIMIT: "An end of the interval is a limit of the search.",
}
#: Significant digits of a compute and a ratio in LaTeX.
VALUE_DIGITS = 6


def fit_dict(
    fit: Fit,
    bootstrap: Draws | None = None,
    *,
    level: float = DEFAULT_LEVEL,
    compute: ArrayLike | None = None,
    ratio: ArrayLike | None = None,
    name: str = "",
) -> dict[str, Any]:
    """The fit as plain data; None for what the runs do not determine or no float can hold.

    Parameters
    ----------
    fit : Fit
    bootstrap : Draws, optional
        Where standard errors and intervals come from; else the sandwich covariance.
    level : float
        Nominal coverage of the intervals.
    compute, ratio : float or sequence of float, optional
        Add the optimum at each compute (FLOP), and the penalty at each overtraining ratio.
    name : str
        Of the law, for tables; by default the fit's own.

    Returns
    -------
    dict
        law, model, metric ("loss" or "accuracy") and random_baseline, columns (None for what
        follows by C = 6ND), notation, name, source, objective (name, value, and delta or tau),
        coefficients and derived (each with value, se, lo and hi; derived at the compute and ratio
        of "at", with "@" and the value in the name where there are several), converged, ranges (the
        least and the greatest params, tokens and compute of the runs, as far as they have them),
        n_runs, n_rows, left_out, dropped (row and reason of each; row 1 is the first of data),
        at_bound, fixed, undetermined, interval, certificate, starts and warnings. A file with it is
        a law file: `isoflop.numeric.lawfile` reads the coefficients.
    """
    return summary_dict(summarise(fit, bootstrap, level=level, compute=compute, ratio=ratio), name)


def summary_dict(summary: Summary, name: str = "") -> dict[str, Any]:
    """Plain data of what was gathered."""
    fit, warnings = summary.fit, list(summary.warnings)
    value = float(fit.objective_value)
    if not isfinite(value):
        warnings.append("the objective is not finite")
    return {
        "law": str(fit.model),
        "model": fit.model.name,
        "metric": fit.runs.metric,
        "random_baseline": fit.runs.random_baseline,
        "columns": columns_read(fit),
        "notation": DEFAULT.name,
        "name": name or fit.name,
        "source": fit.source,
        "objective": {**fit.objective.as_dict(), "value": _finite(value)},
        "coefficients": {
            **_zero(summary),
            **{figure.name: figure.as_dict() for figure in summary.coefficients},
        },
        "at": {
            name: _alone(values)
            for name, values in (("compute", summary.compute), ("ratio", summary.ratio))
            if values
        },
        "derived": {figure.name: figure.as_dict() for figure in summary.derived},
        "converged": bool(fit.converged),
        "ranges": run_ranges(fit.runs),
        "n_runs": len(fit.runs),
        "n_rows": int(fit.runs.n_rows),
        "left_out": int(fit.runs.left_out),
        "dropped": [{"row": int(entry.row), "reason": entry.reason} for entry in fit.runs.dropped],
        "at_bound": list(fit.at_bound),
        "fixed": sorted(fit.design.given),
        "undetermined": list(fit.undetermined),
        "interval": summary.intervals,
        "certificate": _finite(float(fit.solution.certificate)),
        "starts": {"followed": int(fit.solution.starts), "agreeing": int(fit.solution.agreeing)},
        "warnings": warnings,
    }


def _alone(values: tuple[float, ...]) -> float | list[float]:
    """One value as a number, several as a list."""
    return values[0] if len(values) == 1 else list(values)


def _zero(summary: Summary) -> dict[str, dict[str, float]]:
    """The irreducible loss of a named law without one: it is 0, and known to be."""
    model = summary.fit.model
    absent = not model.is_expression and "E" not in model.coefficients
    return {"E": {"value": 0.0, "se": 0.0, "lo": 0.0, "hi": 0.0}} if absent else {}


def fit_json(fit: Fit, bootstrap: Draws | None = None, **options: Any) -> str:
    """JSON text of `fit_dict`; floats read back unchanged."""
    return _text(fit_dict(fit, bootstrap, **options))


def summary_json(summary: Summary, name: str = "") -> str:
    """JSON text of what was gathered."""
    return _text(summary_dict(summary, name))


def _text(data: dict[str, Any]) -> str:
    """JSON with an entry a line; the draws, thousands of numbers, in one."""
    rest = {name: value for name, value in data.items() if name != "draws"}
    text = json.dumps(rest, indent=2, allow_nan=False)
    if "draws" in data:
        text = f'{text[:-2]},\n  "draws": {json.dumps(data["draws"], allow_nan=False)}\n}}'
    return text + "\n"


def save_fit(
    fit: Fit, path: str | PathLike[str], bootstrap: Draws | None = None, **options: Any
) -> None:
    """Write `fit_dict` to a file, which is a law of the file's name for every command that takes
    one.

    Raises
    ------
    ValueError
        Where the file cannot be written.
    """
    write(fit_dict(fit, bootstrap, name=law_name(path), **options) | draws_of(fit, bootstrap), path)


def draws_of(fit: Fit, bootstrap: Draws | None) -> dict[str, Any]:
    """How sure a params+tokens fit is, for its file: the draws of the bootstrap, else the
    covariance; {} where there is none.
    """
    from ..uncertainty import Uncertainty

    if fit.model.name != "params-tokens" or not fit.converged or fit.undetermined:
        return {}
    if bootstrap is not None:
        return {
            "draws": Uncertainty(
                "bootstrap", bootstrap.names, bootstrap.coefficients.tolist()
            ).as_dict()
        }
    try:
        covariance = fit.covariance()
    except ValueError:  # the text says why there are no standard errors
        return {}
    found = Uncertainty(
        "covariance", fit.model.coordinates, covariance.tolist(), fit.degrees_of_freedom
    )
    return {"draws": found.as_dict()}


def law_name(path: str | PathLike[str]) -> str:
    """What the law of a file is called: the file's name without its ending."""
    from pathlib import Path

    return Path(path).stem


def write(data: dict[str, Any], path: str | PathLike[str]) -> None:
    """Write plain data as JSON."""
    from .._files import write as write_file

    try:
        write_file(path, _text(data).encode())
    except OSError as error:
        raise ArgumentError(
            "path", str(path), complaint=f"cannot be written ({error.strerror})"
        ) from None


def fit_frame(
    fit: Fit,
    bootstrap: Draws | None = None,
    *,
    level: float = DEFAULT_LEVEL,
    compute: ArrayLike | None = None,
    ratio: ArrayLike | None = None,
) -> DataFrame:
    """A pandas frame, a row a figure: kind (coefficient or derived), value, se, lo, hi, note; NaN
    for what is not determined.
    """
    import pandas as pd

    summary = summarise(fit, bootstrap, level=level, compute=compute, ratio=ratio)
    figures = [
        *(("coefficient", each) for each in summary.coefficients),
        *(("derived", each) for each in summary.derived),
    ]
    rows = [{"kind": kind, **figure.as_dict(), "note": figure.note} for kind, figure in figures]
    frame = pd.DataFrame(rows, index=pd.Index([figure.name for _, figure in figures], name="name"))
    return frame.astype(dict.fromkeys(("value", "se", "lo", "hi"), float))


def fit_latex(
    fit: Fit,
    bootstrap: Draws | None = None,
    *,
    level: float = DEFAULT_LEVEL,
    compute: ArrayLike | None = None,
    ratio: ArrayLike | None = None,
    notation: str | Notation = DEFAULT,
    caption: str = "",
    label: str = "",
) -> str:
    """A booktabs table of the coefficients and what follows from them; with a caption or a label
    the table floats.
    """
    summary = summarise(fit, bootstrap, level=level, compute=compute, ratio=ratio)
    return summary_latex(summary, notation=notation, caption=caption, label=label)


def summary_latex(
    summary: Summary, *, notation: str | Notation = DEFAULT, caption: str = "", label: str = ""
) -> str:
    """The booktabs table of what was gathered."""
    from ...theory.typeset.latex_table import estimate_table_latex

    spelling = find_notation(notation)
    groups = [
        [_latex_row(figure, spelling) for figure in figures]
        for figures in (summary.coefficients, summary.followed)
        if figures
    ]
    return estimate_table_latex(
        groups,
        level=f"{100 * summary.level:.6g}",
        notes=_notes(summary),
        caption=caption,
        label=label,
    )


def _latex_row(figure: Figure, spelling: Notation) -> dict[str, Any]:
    under = _under(figure, spelling)
    return {
        "name": _symbol(figure, spelling),
        **figure.as_dict(),
        "unit": _latex_unit(figure.unit, spelling),
        "mark": MARKS.get(figure.note, ""),
        "is_open": figure.is_open,
        **({"under": under} if under else {}),
    }


def _notes(summary: Summary) -> list[str]:
    """What a reader of the table must know: the runs, what was minimised, where the intervals come
    from, the marks.
    """
    from ...theory.typeset.latex_table import number_latex
    from ...theory.typeset.sentence import escaped

    fit, boot = summary.fit, summary.bootstrap
    parameters = {"delta": r"\delta", "tau": r"\tau"}
    given = {name: value for name, value in fit.objective.as_dict().items() if name in parameters}
    at = "".join(
        f", ${parameters[name]} = {number_latex(value, VALUE_DIGITS, trimmed=True)}$"
        for name, value in given.items()
    )
    level = rf"{100 * summary.level:.6g}\,\%"
    if boot is not None:
        how = f"{level}, percentiles of {counted(len(boot), 'resample')} of {DRAWN[boot.kind]}"
    elif summary.kind == "sandwich":
        how = f"{level}, sandwich covariance{' by group' if fit.runs.group is not None else ''}"
    else:
        how = "none"
    law = f"; $L$ is {_accuracy_latex(fit)} of the accuracy $Q$" if outcome(fit) else ""
    texts = [
        f"$n = {len(fit.runs)}$ {'run' if len(fit.runs) == 1 else 'runs'}{law}; "
        f"{escaped(DESCRIPTIONS[fit.objective.name])}{at}"
    ]
    texts.append(f"Intervals: {how}")
    notes = {figure.note for figure in (*summary.coefficients, *summary.followed)}
    texts += [
        rf"\textsuperscript{{{mark}}} {MEANINGS[note]}"
        for note, mark in MARKS.items()
        if note in notes
    ]
    if not fit.converged:
        texts.insert(0, "No certified minimum: these numbers are no result")
    return texts


def _accuracy_latex(fit: Fit) -> str:
    baseline = fit.runs.random_baseline
    return rf"$-\log((Q - {baseline:g})/(1 - {baseline:g}))$" if baseline else r"$-\log Q$"


def _latex_unit(unit: str, spelling: Notation) -> str:
    """A unit as short as a table needs it."""
    alpha = spelling.latex("alpha")
    short = {"1": "", "tokens per parameter": "tokens/param."}
    if "FLOP^alpha" in unit:
        return rf"{'$L$' if unit.startswith('L') else 'loss'}\,FLOP${{}}^{{{alpha}}}$"
    return short.get(unit, "$L$" if unit == "L" else unit)


def _under(figure: Figure, spelling: Notation) -> str:
    """What a figure is for."""
    from ...theory.typeset.latex_table import number_latex

    for name, value in figure.at:
        written = number_latex(value, VALUE_DIGITS, trimmed=True)
        if name == "compute":
            return f"at ${spelling.latex('C')} = {written}$ FLOP"
        return rf"at ${spelling.latex('rho')} = {written}$"
    return ""


def _symbol(figure: Figure, spelling: Notation) -> str:
    """What a figure is called in a paper."""
    from ...theory.typeset.printer import optimum_latex, symbol_latex

    name = figure.name.partition(AT)[0]
    if figure.at:
        best = {name: optimum_latex(name, spelling) for name in ("N", "D", "L", "R")}
        optima = {
            "N_star": best["N"],
            "D_star": best["D"],
            "L_star": best["L"],
            "R_star": best["R"],
        }
        optima |= {
            "tokens_per_param": f"{best['D']}/{best['N']}",
            "loss": spelling.latex("L"),
            "penalty": "P",
        }
        return f"${optima[name]}$"
    shares = {"params_share": "w_N", "tokens_share": "w_D"}
    known = symbol_latex(shares.get(name, name), spelling)
    if known is None:
        from sympy import Symbol, latex

        known = latex(Symbol(name))
    return f"${known}$"


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
