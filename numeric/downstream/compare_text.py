"""A comparison of laws for a reader, at most 100 columns wide, and as LaTeX."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from isoflop.numeric._latex import escaped
from isoflop.numeric.fit.text import WIDTH, number, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from isoflop.numeric.downstream.comparison import Comparison, Entry, LawMean

__all__ = ["coefficients_text", "compare_latex", "compare_text"]

UNKNOWN = "-"
#: Relative errors from here on have three digits.
LARGE = 100.0
#: So many laws stand side by side in LaTeX at the size of a table's text.
FEW = 5
INTERVAL = "interval"
SHARE = "best in"
HEADINGS = ("law", "fitted", "RMSE", "R2", "held out", "MAE", INTERVAL, "MRE", SHARE)


def compare_text(comparison: Comparison) -> str:
    """Per benchmark the errors of every law, then the laws over all benchmarks, then what to be careful about."""
    lines = _head(comparison)
    for name in comparison.benchmarks:
        baseline = comparison.baselines[name]
        error = f" +- {number(baseline.standard_error, 2)}" if baseline.standard_error else ""
        lines += ["", f"{name}: accuracy of guessing {number(baseline.value, 4)}{error} ({baseline.how})"]
        entries = comparison.of(name)
        best = comparison.best(name)
        kept = [i for i, heading in enumerate(HEADINGS) if comparison.resamples or heading not in (INTERVAL, SHARE)]
        shares = {each.law: comparison.best_share(name, each.law) for each in entries}
        rows = [_row(each, best, shares[each.law]) for each in entries if each.fit is not None]
        lines += table([HEADINGS[i] for i in kept], [[row[i] for i in kept] for row in rows])
        lines += _wrapped([f"{each.law}: {each.open}" for each in entries if each.open])
        lines += _wrapped([f"note: {note}" for note in comparison.notes.get(name, ())])
    lines += _means(comparison.means())
    lines += _warnings(comparison)
    return "\n".join(lines)


def coefficients_text(comparison: Comparison) -> str:
    """Every coefficient with its interval."""
    rows = [
        (each.benchmark, each.law, item["name"], number(item["value"], 6), _interval(item["low"], item["high"], 4), _open(item))
        for each in comparison.entries
        for item in each.coefficients(comparison.level)
    ]
    shown = f"{100 * comparison.level:.4g} % interval"
    return "\n".join(table(("benchmark", "law", "coefficient", "value", shown, ""), rows))


def compare_latex(comparison: Comparison) -> str:
    """A booktabs table: held-out MAE of every law and benchmark with the best in bold, and below it MRE."""
    laws = [law for law in comparison.laws if law != "bilinear"]
    size, heading, gap = (r"\small", r"\footnotesize", 4) if len(laws) <= FEW else (r"\footnotesize", r"\scriptsize", 2)
    held = rf"held out: \texttt{{{escaped(comparison.hold_out)}}}" if comparison.hold_out is not None else "none is held out"
    return "\n".join(
        [
            r"\begin{table}",
            rf"\centering{size}\setlength{{\tabcolsep}}{{{gap}pt}}",
            r"\begin{tabular}{@{}l" + "r" * len(laws) + "@{}}",
            r"\toprule",
            " & ".join(["", *(_stacked(law, heading) for law in laws)]) + r" \\",
            *_block(comparison, laws, "mae", "MAE"),
            *_block(comparison, laws, "mre", r"MRE (\%)"),
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{Errors of laws of accuracy on the runs that were not fitted ({held}); the least MAE in bold.}}",
            r"\end{table}",
        ]
    )


def _block(comparison: Comparison, laws: Sequence[str], figure: str, heading: str) -> list[str]:
    """The rows of one kind of error."""
    lines = [r"\midrule", rf"\multicolumn{{{len(laws) + 1}}}{{@{{}}l}}{{\emph{{{heading}}}}} \\"]
    for name in comparison.benchmarks:
        errors = {each.law: each.held_out.get(figure) for each in comparison.of(name)}
        best = comparison.best(name) if figure == "mae" else None
        cells = [
            rf"\textbf{{{_cell(errors.get(law), figure)}}}" if law == best else _cell(errors.get(law), figure) for law in laws
        ]
        lines.append(" & ".join([escaped(name), *cells]) + r" \\")
    return lines


def _cell(value: float | None, figure: str) -> str:
    return "--" if value is None else f"{value:.4f}" if figure == "mae" else f"{100.0 * value:.2f}"


def _stacked(law: str, size: str) -> str:
    """A name that breaks after its hyphens, and between syllables where it is long, for a narrow column."""
    lines = law.replace("exponential", "expo-nential").replace("-", r"-\\")
    return rf"{size}\shortstack[r]{{{lines}}}"


def _head(comparison: Comparison) -> list[str]:
    held = f"held out: {comparison.hold_out}" if comparison.hold_out is not None else "no run is held out (--hold-out CONDITION)"
    lines = [f"laws of accuracy on {comparison.source}; {held}"]
    if comparison.proxy is not None:
        lines.append(f"proxy of the two-stage laws: {comparison.proxy}")
    more = f" [{100 * comparison.level:.4g} % interval over {comparison.resamples} resamples]" if comparison.resamples else ""
    lines.append(
        f"errors are of accuracy: RMSE and R2 on the fitted runs that are judged, MAE{more} and MRE on the held-out ones; *: the "
        "least MAE, of laws that print alike the one with the fewest coefficients"
        + ("; best in: the share of resamples in which the law has the least" if comparison.resamples else "")
    )
    kinds = {each.law: each.fit.kind for each in comparison.entries if each.fit is not None}
    lines += [f"{law}: {kind.formula}; {kind.fitted_by}" for law, kind in kinds.items()]
    return [line for text in lines for line in wrap(text, WIDTH, subsequent_indent="  ")]


def _row(each: Entry, best: str | None, share: float | None) -> tuple[str, ...]:
    train, held = each.train, each.held_out
    low, high = each.intervals.get("mae", (None, None))
    return (
        f"{each.law} *" if each.law == best else each.law,
        "0" if each.fit is None else str(len(each.fit.sample)),
        _figure(train.get("rmse")),
        _figure(train.get("r2")),
        str(held.get("n", 0)),
        _figure(held.get("mae")),
        _interval(low, high, 3),
        _percent(held.get("mre")),
        UNKNOWN if share is None else f"{100.0 * share:.0f} %",
    )


def _means(means: Sequence[LawMean]) -> list[str]:
    if not means or means[0].n < 2:
        return []
    rows = [
        (
            each.law,
            _with_deviation(each, "mae", 1.0),
            _with_deviation(each, "mre", 100.0),
            _with_deviation(each, "rmse", 1.0),
            _with_deviation(each, "r2", 1.0),
        )
        for each in means
    ]
    title = f"mean +- standard deviation over the {means[0].n} benchmarks on which each of these laws was judged"
    headings = ("law", "held-out MAE", "held-out MRE (%)", "fitted RMSE", "fitted R2")
    return ["", title, *table(headings, rows)]


def _warnings(comparison: Comparison) -> list[str]:
    lines = [f"note: {text}" for text in comparison.warnings]
    if comparison.misleading:
        cases = "; ".join(
            f"{name}: {closest} fits closest, {best} predicts best" for name, closest, best in comparison.misleading
        )
        judged = sum(comparison.best(name) is not None for name in comparison.benchmarks)
        lines.append(
            f"warning: on {len(comparison.misleading)} of {judged} benchmarks the law closest to the fitted runs does not "
            f"predict the held-out ones best, so closeness is no reason to choose it ({cases})"
        )
    if comparison.interrupted:
        lines.append("interrupted: what was not reached is left out")
    return ["", *_wrapped(lines)] if lines else []


def _with_deviation(each: LawMean, name: str, scale: float) -> str:
    mean, deviation = each.mean[name], each.deviation[name]
    if mean is None or deviation is None:
        return UNKNOWN
    return f"{number(scale * mean, 3)} +- {number(scale * deviation, 2)}"


def _wrapped(texts: Sequence[str]) -> list[str]:
    return [line for text in texts for line in wrap(text, WIDTH, subsequent_indent="  ")]


def _figure(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.4f}" if abs(value) < 100.0 else number(value, 4)


def _percent(value: float | None) -> str:
    return UNKNOWN if value is None else f"{100.0 * value:.2f} %" if value < LARGE else f"{number(100.0 * value, 3)} %"


def _interval(low: float | None, high: float | None, digits: int) -> str:
    return "" if low is None or high is None else f"{number(low, digits)} to {number(high, digits)}"


def _open(item: Mapping[str, object]) -> str:
    return "left open by the runs" if item["open"] else ""
