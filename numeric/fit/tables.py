"""A fit as plain data, as a pandas frame and as a LaTeX table."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

from isoflop.numeric.fit.summary import DEFAULT_LEVEL, Figure, Summary, summarise
from isoflop.theory.notation import DEFAULT
from isoflop.theory.notation import notation as find_notation

if TYPE_CHECKING:
    from os import PathLike

    from pandas import DataFrame

    from isoflop.numeric.fit.bootstrap import Bootstrap
    from isoflop.numeric.fit.result import Fit
    from isoflop.theory.notation import Notation

__all__ = ["fit_dict", "fit_frame", "fit_json", "fit_latex", "save_fit", "summary_dict", "summary_json", "summary_latex"]

#: Significant digits of a compute and a ratio in LaTeX.
VALUE_DIGITS = 6


def fit_dict(
    fit: Fit,
    bootstrap: Bootstrap | None = None,
    *,
    level: float = DEFAULT_LEVEL,
    compute: float | None = None,
    ratio: float | None = None,
    name: str = "",
) -> dict[str, Any]:
    """The fit as plain data; None for what the runs do not determine or no float can hold.

    Parameters
    ----------
    fit : Fit
    bootstrap : Bootstrap, optional
        Where standard errors and intervals come from; else the sandwich covariance.
    level : float
        Nominal coverage of the intervals.
    compute, ratio : float, optional
        Add the optimum at this compute (FLOP), and the penalty at this overtraining ratio.
    name : str
        Of the law, for tables; by default the fit's own.

    Returns
    -------
    dict
        law, model, notation, name, source, objective (name, value, and delta or tau), coefficients and derived (each with value,
        se, lo and hi; derived at the compute and ratio of "at"), converged, n_runs, n_rows, left_out, dropped (row and reason of
        each), at_bound, fixed, undetermined, interval, certificate, starts and warnings. A file with it is a law file:
        `isoflop.numeric.lawfile` reads the coefficients.
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
        "notation": DEFAULT.name,
        "name": name or fit.name,
        "source": fit.source,
        "objective": {**fit.objective.as_dict(), "value": _finite(value)},
        "coefficients": {**_zero(summary), **{figure.name: figure.as_dict() for figure in summary.coefficients}},
        "at": {name: value for name, value in (("compute", summary.compute), ("ratio", summary.ratio)) if value is not None},
        "derived": {figure.name: figure.as_dict() for figure in summary.derived},
        "converged": bool(fit.converged),
        "n_runs": len(fit.runs),
        "n_rows": int(fit.runs.n_rows),
        "left_out": int(fit.runs.left_out),
        "dropped": [{"row": int(entry.row), "reason": entry.reason} for entry in fit.runs.dropped],
        "at_bound": list(fit.at_bound),
        "fixed": sorted(fit.design.given),
        "undetermined": list(summary.identifiability.undetermined),
        "interval": summary.intervals,
        "certificate": _finite(float(fit.solution.certificate)),
        "starts": {"followed": int(fit.solution.starts), "agreeing": int(fit.solution.agreeing)},
        "warnings": warnings,
    }


def _zero(summary: Summary) -> dict[str, dict[str, float]]:
    """The irreducible loss of a named law without one: it is 0, and known to be."""
    model = summary.fit.model
    absent = model.name != "general" and "E" not in model.coefficients
    return {"E": {"value": 0.0, "se": 0.0, "lo": 0.0, "hi": 0.0}} if absent else {}


def fit_json(fit: Fit, bootstrap: Bootstrap | None = None, **options: Any) -> str:
    """JSON text of `fit_dict`; floats read back unchanged."""
    return _text(fit_dict(fit, bootstrap, **options))


def summary_json(summary: Summary, name: str = "") -> str:
    """JSON text of what was gathered."""
    return _text(summary_dict(summary, name))


def _text(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def save_fit(fit: Fit, path: str | PathLike[str], bootstrap: Bootstrap | None = None, **options: Any) -> None:
    """Write `fit_dict` to a file, which is a law of the file's name for every command that takes one.

    Raises
    ------
    ValueError
        Where the file cannot be written.
    """
    write(fit_dict(fit, bootstrap, name=law_name(path), **options), path)


def law_name(path: str | PathLike[str]) -> str:
    """What the law of a file is called: the file's name without its ending."""
    from pathlib import Path

    return Path(path).stem


def write(data: dict[str, Any], path: str | PathLike[str]) -> None:
    """Write plain data as JSON."""
    from pathlib import Path

    try:
        Path(path).write_text(_text(data), encoding="utf-8")
    except OSError as error:
        raise ValueError(f"path={str(path)!r}: cannot be written ({error.strerror})") from None


def fit_frame(
    fit: Fit,
    bootstrap: Bootstrap | None = None,
    *,
    level: float = DEFAULT_LEVEL,
    compute: float | None = None,
    ratio: float | None = None,
) -> DataFrame:
    """A pandas frame, a row a figure: kind (coefficient or derived), value, se, lo, hi, note; NaN for what is not determined."""
    import pandas as pd

    summary = summarise(fit, bootstrap, level=level, compute=compute, ratio=ratio)
    figures = [*(("coefficient", each) for each in summary.coefficients), *(("derived", each) for each in summary.derived)]
    rows = [{"kind": kind, **figure.as_dict(), "note": figure.note} for kind, figure in figures]
    frame = pd.DataFrame(rows, index=pd.Index([figure.name for _, figure in figures], name="name"))
    return frame.astype(dict.fromkeys(("value", "se", "lo", "hi"), float))


def fit_latex(
    fit: Fit,
    bootstrap: Bootstrap | None = None,
    *,
    level: float = DEFAULT_LEVEL,
    compute: float | None = None,
    ratio: float | None = None,
    notation: str | Notation = DEFAULT,
    caption: str = "",
    label: str = "",
) -> str:
    """A booktabs table of the coefficients and what follows from them; with a caption or a label the table floats."""
    summary = summarise(fit, bootstrap, level=level, compute=compute, ratio=ratio)
    return summary_latex(summary, notation=notation, caption=caption, label=label)


def summary_latex(summary: Summary, *, notation: str | Notation = DEFAULT, caption: str = "", label: str = "") -> str:
    """The booktabs table of what was gathered."""
    from isoflop.theory.latex_table import estimate_table_latex

    spelling = find_notation(notation)
    groups = [
        [{"name": _symbol(figure, spelling), **figure.as_dict()} for figure in figures]
        for figures in (summary.coefficients, summary.followed)
        if figures
    ]
    return estimate_table_latex(groups, level=f"{100 * summary.level:.6g}", caption=caption, label=label)


def _symbol(figure: Figure, spelling: Notation) -> str:
    """What a figure is called in a paper."""
    from isoflop.theory.latex_printer import optimum_latex, symbol_latex
    from isoflop.theory.latex_table import number_latex

    best = {name: optimum_latex(name, spelling) for name in ("N", "D", "L", "R")}
    optima = {"N_star": best["N"], "D_star": best["D"], "L_star": best["L"], "R_star": best["R"]}
    optima |= {"tokens_per_param": f"{best['D']}/{best['N']}", "loss": spelling.latex("L")}
    for name, value in figure.at:
        written = number_latex(value, VALUE_DIGITS, trimmed=True)
        if name == "compute":
            return f"${optima[figure.name]}$ at ${written}$ FLOP"
        return rf"$P$ at ${spelling.latex('rho')} = {written}$"
    shares = {"params_share": "w_N", "tokens_share": "w_D"}
    known = symbol_latex(shares.get(figure.name, figure.name), spelling)
    if known is None:
        from sympy import Symbol, latex

        known = latex(Symbol(figure.name))
    return f"${known}$"


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
