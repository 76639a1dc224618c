r"""A comparison of laws as LaTeX: errors of every law on every benchmark, and the laws in compute and k with their crossing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...theory.typeset.formula import formula_latex
from .._latex import escaped
from .comparison import IN_K
from .fitting import simplest_of_least
from .latex_numbers import DASH, interval_tex, number_tex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .comparison import Comparison, Entry

__all__ = ["compare_latex"]

#: So many laws stand side by side at the size of a table's text.
FEW = 5
#: Marks take no width: columns stand as close as their figures allow.
OPEN, UNFITTED, WEAK = (rf"\rlap{{$^{{{mark}}}$}}" for mark in (r"\dagger", r"\ddagger", r"\ast"))


def compare_latex(comparison: Comparison) -> str:
    """Booktabs tables: RMSE on the fitted runs, MAE and MRE on the held-out ones; and the laws in k.

    MAE has below it what it is at most in resamples. The least MAE is bold, of laws whose coefficients the runs determine; the
    others are marked.
    """
    laws = [law for law in comparison.laws if law != IN_K]
    tables = [_errors(comparison, laws)] if laws else []
    if IN_K in comparison.laws:
        tables.append(_in_k(comparison))
    return "\n\n".join("\n".join(lines) for lines in tables)


# -- errors ------------------------------------------------------------------------------------------------------------


def _errors(comparison: Comparison, laws: Sequence[str]) -> list[str]:
    size, heading, gap = (r"\small", r"\footnotesize", 4) if len(laws) <= FEW else (r"\footnotesize", r"\scriptsize", 2)
    return [
        r"\begin{table}",
        rf"\centering{size}\setlength{{\tabcolsep}}{{{gap}pt}}",
        r"\begin{tabular}{@{}l" + "r" * len(laws) + "@{}}",
        r"\toprule",
        " & ".join(["", *(_stacked(law, heading) for law in laws)]) + r" \\",
        *_block(comparison, laws, "train", "rmse", "RMSE on the fitted runs"),
        *_block(comparison, laws, "held_out", "mae", "MAE on the held-out runs"),
        *_block(comparison, laws, "held_out", "mre", r"MRE on the held-out runs (\%)"),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{_caption(comparison, laws)}}}",
        r"\end{table}",
    ]


def _caption(comparison: Comparison, laws: Sequence[str]) -> str:
    held = rf"held out: \texttt{{{escaped(comparison.hold_out)}}}" if comparison.hold_out is not None else "none is held out"
    said = [f"Errors of laws of accuracy on the runs that were fitted and on those that were not ({held})"]
    entries = [each for each in comparison.entries if each.law in laws]
    if comparison.resamples and any(each.intervals for each in entries):
        said.append(
            rf"below MAE, what it is at most in ${100.0 * comparison.level:.4g}\,\%$ of ${comparison.resamples}$ resamples"
        )
    marks = {_mark(each) for each in entries}
    said.append(f"the least MAE in bold{', of laws without a mark' if any(marks) else ''}")
    said += [r"$^{\dagger}$: the runs leave coefficients open"] if OPEN in marks else []
    said += [r"$^{\ddagger}$: no certified minimum"] if UNFITTED in marks else []
    said += [r"$^{\ast}$: the fitted runs tell too little to prefer it"] if WEAK in marks else []
    return "; ".join(said) + "."


def _block(comparison: Comparison, laws: Sequence[str], part: str, figure: str, heading: str) -> list[str]:
    """The rows of one kind of error."""
    lines = [r"\midrule", rf"\multicolumn{{{len(laws) + 1}}}{{@{{}}l}}{{\emph{{{heading}}}}} \\"]
    for name in comparison.benchmarks:
        entries = {each.law: each for each in comparison.of(name)}
        best = _best(comparison, name) if figure == "mae" else None
        cells = [_cell(entries.get(law), part, figure, bold=law == best) for law in laws]
        lines.append(" & ".join([escaped(name), *cells]) + r" \\")
        bounds = [_bound(entries.get(law)) if figure == "mae" else "" for law in laws]
        if any(bounds):
            lines.append(" & ".join(["", *bounds]) + r" \\")
    return lines


def _best(comparison: Comparison, benchmark: str) -> str | None:
    """The law with the least MAE of those that the runs determine; of laws that differ by a rounding, the shortest."""
    known = {}
    width = {}
    for each in comparison.of(benchmark):
        error = each.held_out.get("mae")
        if each.fit is not None and each.law != IN_K and error is not None and not _mark(each):
            known[each.law], width[each.law] = error, len(each.fit.kind.coefficients)
    return simplest_of_least(known, width) if known else None


def _cell(each: Entry | None, part: str, figure: str, *, bold: bool) -> str:
    value = None if each is None else getattr(each, part).get(figure)
    if each is None or value is None:
        return DASH
    shown = f"{100.0 * value:.2f}" if figure == "mre" else f"{value:.4f}"
    return (rf"\textbf{{{shown}}}" if bold else shown) + _mark(each)


def _bound(each: Entry | None) -> str:
    return rf"\scriptsize $\leq {each.intervals['mae'][1]:.4f}$" if each is not None and "mae" in each.intervals else ""


def _mark(each: Entry) -> str:
    return UNFITTED if _is_failed(each) else OPEN if each.undetermined else WEAK if each.weak else ""


def _is_failed(each: Entry) -> bool:
    return each.fit is not None and not each.fit.found.converged


def _stacked(law: str, size: str) -> str:
    """A name that breaks after its hyphens, and between syllables where it is long, for a narrow column."""
    lines = law.replace("exponential", "expo-nential").replace("-", r"-\\")
    return rf"{size}\shortstack[r]{{{lines}}}"


# -- laws in k ---------------------------------------------------------------------------------------------------------


def _in_k(comparison: Comparison) -> list[str]:
    """Coefficients, C_x and errors of the laws in compute and k."""
    entries = [each for each in comparison.entries if each.law == IN_K and each.fit is not None]
    rows: list[str] = []
    for each in entries:
        rows += [r"\midrule", rf"\multicolumn{{3}}{{@{{}}l}}{{\emph{{{escaped(each.benchmark)}}}}} \\"]
        for item in each.coefficients(comparison.level):
            mark = OPEN if item["open"] else ""
            ends = interval_tex(item["low"], item["high"], 3)
            rows.append(rf"${formula_latex(item['name'])}$ & ${number_tex(item['value'], 4)}${mark} & {ends} \\")
        rows += _crossing_rows(each)
        for part, figure, name in (("train", "rmse", "RMSE, fitted"), ("held_out", "mae", "MAE, held out")):
            rows.append(rf"{name} & {_cell(each, part, figure, bold=False)} & {_bound(each) if figure == 'mae' else ''} \\")
    formula = formula_latex(entries[0].fit.kind.formula) if entries and entries[0].fit is not None else ""
    level = rf"${100.0 * comparison.level:.4g}\,\%$ of ${comparison.resamples}$ resamples"
    said = [
        rf"${formula}$ at every $k$. $C_x = e^{{-b/d}}$: where the curves of all $k$ cross; on the other side of it the law"
        " does not hold."
    ]
    said += [f"Intervals: {level}."] if comparison.resamples else []
    if any(each.undetermined for each in entries):
        said.append(r"$^{\dagger}$: the interval holds 0; with that of $d$ the side on which the law holds is open, and $C_x$.")
    return [
        r"\begin{table}",
        r"\centering\small",
        r"\begin{tabular}{@{}lrr@{}}",
        r"\toprule",
        r"& value & interval \\",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{' '.join(said)}}}",
        r"\end{table}",
    ]


def _wide(low: float | None, high: float | None) -> str:
    """Ends that may be many powers of ten apart."""
    return DASH if low is None or high is None else f"$[{number_tex(low, 2)},\\ {number_tex(high, 2)}]$"


def _crossing_rows(each: Entry) -> list[str]:
    found = each.crossing
    if found is None:
        return []
    value = DASH if found.compute is None else f"${number_tex(found.compute, 3)}$"
    rows = [rf"$C_x$ (FLOP) & {value}{'' if found.is_determined else OPEN} & {_wide(found.low, found.high)} \\"]
    for name, beyond, count in (
        ("fitted", found.fitted_beyond, found.n_fitted),
        ("held-out", found.held_out_beyond, found.n_held_out),
    ):
        if count:
            rows.append(rf"{name} runs where it does not hold & {beyond} of {count} & \\")
    return rows
