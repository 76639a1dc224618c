r"""The report of a benchmark as a fragment of LaTeX: booktabs tables in one float, for pasting into a paper."""

from __future__ import annotations

import re
from math import floor, log10
from typing import TYPE_CHECKING, Any

from isoflop.numeric._latex import escaped
from isoflop.numeric.downstream.report_text import POINTS
from isoflop.numeric.runs_cells import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isoflop.numeric.downstream.report import Report
    from isoflop.numeric.downstream.report_planning import Planning

__all__ = ["formula_tex", "report_latex"]

NEEDED = r"% needs \usepackage{booktabs}"
TOKEN = re.compile(r"[A-Za-z]\w*'?|\d+(?:\.\d+)?|\^|[()]|\s+|.")
GREEK = {"alpha", "beta", "gamma", "epsilon", "delta"}
UPRIGHT = {"log": r"\log", "exp": r"\exp"}
NAMES = {"log_A": r"\log A", "decay": r"\delta"}
DASH = "---"
#: Powers of ten from here on are written as such.
LARGEST_PLAIN, SMALLEST_PLAIN = 1e5, 1e-3


def report_latex(report: Report) -> str:
    """Two floats: coefficients and errors of the laws; then allocation, penalties and forecast, with notes below.

    Returns
    -------
    str
        The document must load booktabs.
    """
    plan = report.planning
    follows = [] if plan is None else [_allocations(plan), _penalties(plan), _loss_optimal(plan)]
    notes = ["", r"\smallskip", rf"\parbox{{\linewidth}}{{{' '.join(_notes(report))}}}"]
    first = _floating(_caption(report), [_coefficients(report), _errors(report)], [])
    second = _floating(rf"{escaped(report.benchmark)}: what follows. {_what(report)}", [*follows, _forecasts(report)], notes)
    return "\n".join([NEEDED, *first, "", *second])


def _floating(caption: str, parts: Sequence[Sequence[str]], notes: Sequence[str]) -> list[str]:
    tables = "\n\n\\medskip\n".join("\n".join(part) for part in parts if part)
    top = [r"\begin{table}[htbp]", r"\centering\footnotesize\setlength{\tabcolsep}{3pt}", rf"\caption{{{caption}}}\smallskip"]
    return [*top, tables, *notes, r"\end{table}"]


def _caption(report: Report) -> str:
    held = f", of which {report.n_held_out} are held out by {_typed(report.hold_out)}" if report.hold_out is not None else ""
    return (
        rf"{escaped(report.benchmark)}: laws of accuracy from {counted(len(report.sample), 'run')}{held}. "
        rf"$Q' = (Q - Q_r)/(1 - Q_r)$ with $Q_r = {_number(report.baseline.value, 4)}$. {_what(report)}"
    )


def _what(report: Report) -> str:
    return rf"Intervals: {_level(report)}." if any(len(fit.draws) for fit in report.fits) else ""


# -- tables ------------------------------------------------------------------------------------------------------------


def _coefficients(report: Report) -> list[str]:
    rows = []
    for law in report.laws:
        rows.append(rf"\multicolumn{{3}}{{@{{}}l}}{{{escaped(law.name)}: ${formula_tex(law.formula)}$}}")
        for each in law.coefficients:
            interval = r"not determined" if each.is_open else _interval(each.low, each.high, 3)
            rows.append(_row(rf"\quad ${formula_tex(each.name)}$", f"${_number(each.value, 4)}$", interval))
    return _tabular("@{}lrr@{}", ("coefficient", "value", "interval"), rows)


def _errors(report: Report) -> list[str]:
    held = report.hold_out is not None
    heading = ["law", "runs", "MAE", "RMSE", "$R^2$", *(["runs", "MAE", "MRE", "RMSE", "$R^2$"] if held else [])]
    above = [r"& \multicolumn{4}{c}{fitted}" + (r" & \multicolumn{5}{c}{held out}" if held else "") + r" \\"]
    above += [r"\cmidrule(lr){2-5}" + (r"\cmidrule(l){6-10}" if held else "")]
    rows = []
    for law in report.laws:
        cells = [str(law.train["n"]), *(_figure(law.train[name]) for name in ("mae", "rmse", "r2"))]
        if held:
            mre = law.held_out["mre"]
            cells += [str(law.held_out["n"]), _figure(law.held_out["mae"])]
            cells += [DASH if mre is None else rf"${_number(100.0 * mre, 3)}\,\%$"]
            cells += [_figure(law.held_out[name]) for name in ("rmse", "r2")]
        rows.append(_row(escaped(law.name), *cells))
    return _tabular("@{}l" + "r" * (len(heading) - 1) + "@{}", heading, rows, above)


def _allocations(plan: Planning) -> list[str]:
    rows = []
    for row in plan.allocations:
        names = ("params", "tokens", "tokens_per_param", "accuracy")
        rows.append(_row(_given(row["compute"]), *(f"${_number(row[name].value, 3)}$" for name in names)))
        rows.append(_row("", *(_small(row[name].low, row[name].high) for name in names)))
    facts = [rf"$\alpha = {_number(plan.exponent.value, 3)}$ {_interval(plan.exponent.low, plan.exponent.high, 3)}"]
    facts.append(rf"$N^* \sim C^{{w_N}}$, $w_N = {_number(plan.params_share.value, 3)}$ {_estimate_ends(plan.params_share)}")
    title = rf"Best allocation by {escaped(plan.law)}: $-\log Q' = E + C_0\,C^{{-\alpha}}$, {', '.join(facts)}\\[2pt]"
    heading = ("$C$ (FLOP)", "$N^*$", "$D^*$", "$D^*/N^*$", "$Q^*$")
    return [title, *_tabular("@{}lrrrr@{}", heading, rows)] if rows else [title]


def _penalties(plan: Planning) -> list[str]:
    budgets = [each["compute"] for each in plan.penalties[0]["lost_accuracy"]][:MOST_BUDGETS]
    heading = [r"$\rho$", "$P$", "interval", r"$C_{\mathrm{eff}}/C$", "at most"]
    heading += [f"at {_given(C)}" for C in budgets]
    rows = []
    for row in plan.penalties:
        P, lost = row["loss_penalty"], row["lost_accuracy"][:MOST_BUDGETS]
        cells = [f"${_number(P.value, 5)}$", _interval(P.low, P.high, 4), f"${_number(row['effective_compute'].value, 3)}$"]
        cells += [f"${_number(POINTS * row['greatest_loss'].value, 3)}$"]
        cells += [f"${_number(POINTS * each['lost'].value, 3)}$" for each in lost]
        rows.append(_row(_given(row["ratio"]), *cells))
    title = r"Overtraining ratio $\rho = (D/N)/(D^*/N^*)$ at equal compute\\[2pt]"
    last = len(heading)
    above = [rf"& & & & \multicolumn{{{last - 4}}}{{c}}{{points lost}} \\", rf"\cmidrule(l){{5-{last}}}"]
    return [title, *_tabular("@{}l" + "r" * (last - 1) + "@{}", heading, rows, above)]


def _loss_optimal(plan: Planning) -> list[str]:
    if not plan.loss_optimal:
        return []
    rows = []
    for row in plan.loss_optimal:
        ratio, P, lost, extra = (row[name] for name in ("ratio", "loss_penalty", "lost_accuracy", "compute_overhead"))
        cells = [_given(row["compute"]), f"${_number(ratio.value, 3)}$", f"${_number(P.value, 5)}$"]
        cells += [f"${_number(POINTS * lost.value, 3)}$", rf"${_number(100.0 * extra.value, 3)}\,\%$"]
        rows.append(_row(escaped(row["law"]), *cells))
        ends = ((ratio, 1.0), (P, 1.0), (lost, POINTS), (extra, 100.0))
        rows.append(_row("", "", *(_small(each.low, each.high, scale) for each, scale in ends)))
    heading = ("law of loss", "$C$ (FLOP)", r"$\rho$", "$P$", "points lost", "extra compute")
    return [r"Training for the least loss, judged by this benchmark\\[2pt]", *_tabular("@{}lrrrrr@{}", heading, rows)]


def _forecasts(report: Report) -> list[str]:
    if not report.forecasts:
        return []
    rows = []
    for each in sorted(report.forecasts, key=lambda each: each.compute):
        law, new = (_fixed(low, high) for low, high in ((each.low, each.high), (each.new_low, each.new_high)))
        rows.append(_row(_given(each.compute), escaped(each.law), f"${each.accuracy:.4f}$", law, new))
    ratio = report.tokens_per_param
    at = f", laws of params and tokens at $D/N = {_number(ratio, 3)}$" if ratio is not None and report.asks_for_params else ""
    heading = ("$C$ (FLOP)", "law", "$Q$", "interval of the law", "interval of a new run")
    return [rf"Forecast{at}\\[2pt]", *_tabular("@{}llrrr@{}", heading, rows)]


def _notes(report: Report) -> list[str]:
    texts = []
    if any(len(fit.draws) for fit in report.fits):
        texts.append(
            f"Intervals are percentiles of {report.resamples} refits to resampled runs; that of a new run adds the scatter of "
            "the runs about the law. They take the form of the law for granted."
        )
    texts += [f"Not identified: {escaped(text)}." for text in report.open]
    texts += [f"Left out: {escaped(text)}." for text in report.left_out]
    if report.interrupted:
        texts.append("Interrupted: laws and refits that were not reached are left out.")
    return texts


# -- parts -------------------------------------------------------------------------------------------------------------

#: Budgets beside each other in the table of penalties; JSON has all.
MOST_BUDGETS = 3


def _tabular(columns: str, heading: Sequence[str], rows: Sequence[str], above: Sequence[str] = ()) -> list[str]:
    body = [rf"{row} \\" for row in rows]
    return [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *above,
        rf"{' & '.join(heading)} \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _row(*cells: str) -> str:
    return " & ".join(cells)


def _number(value: float, digits: int, *, trimmed: bool = False) -> str:
    from isoflop.theory.latex_table import number_latex

    return str(number_latex(value, digits, trimmed=trimmed))


def _given(value: float) -> str:
    """What the user chose, without zeros at the end."""
    return f"${_number(value, 4, trimmed=True)}$"


def _figure(value: float | None) -> str:
    return DASH if value is None else f"${_number(value, 3)}$"


def _estimate_ends(estimate: Any) -> str:
    return _interval(estimate.low, estimate.high, 3)


def _interval(low: float | None, high: float | None, digits: int, scale: float = 1.0) -> str:
    r"""Both ends in brackets, over one power of ten where they are large or small: $[1.2, 3.4]\times 10^{10}$."""
    if low is None or high is None:
        return DASH
    low, high = scale * low, scale * high
    size = max(abs(low), abs(high))
    if size == 0.0 or (size < LARGEST_PLAIN and (min(abs(low), abs(high)) >= SMALLEST_PLAIN or size >= 1.0)):
        return f"$[{_number(low, digits)},\\ {_number(high, digits)}]$"
    power = floor(log10(size))
    ends = ",\\ ".join(f"{value / 10.0**power:.{digits - 1}f}" for value in (low, high))
    return rf"$[{ends}]\times 10^{{{power}}}$"


def _small(low: float | None, high: float | None, scale: float = 1.0) -> str:
    return rf"\scriptsize {_interval(low, high, 3, scale)}"


def _fixed(low: float | None, high: float | None) -> str:
    return DASH if low is None or high is None else f"$[{low:.4f},\\ {high:.4f}]$"


def _level(report: Report) -> str:
    return rf"${100.0 * report.level:.4g}\,\%$"


def _typed(text: str | None) -> str:
    return rf"\texttt{{{escaped(text or '')}}}"


def formula_tex(text: str) -> str:
    r"""A law's plain formula, or the name of a coefficient, in LaTeX's mathematics.

    >>> formula_tex("-log Q' = E + C0 C^-alpha")
    "-\\log Q' = E + C_{0} C^{-\\alpha}"
    >>> formula_tex("(1 + (C/d1)^(1/f1))^(-c1 f1)")
    '(1 + (C/d_{1})^{1/f_{1}})^{-c_{1} f_{1}}'
    """
    tokens = TOKEN.findall(text)
    return _tex(tokens, [])


def _tex(tokens: list[str], done: list[str]) -> str:
    while tokens:
        token = tokens.pop(0)
        done.append(f"^{{{_exponent(tokens)}}}" if token == "^" else _letter(token))
    return "".join(done)


def _exponent(tokens: list[str]) -> str:
    """What stands behind ^: a sign and a name or number, or all that is in parentheses, without them."""
    if tokens[:1] != ["("]:
        taken = [tokens.pop(0)]
        if taken == ["-"]:
            taken.append(tokens.pop(0))
        return _tex(taken, [])
    depth, inside = 0, []
    while True:
        token = tokens.pop(0)
        depth += {"(": 1, ")": -1}.get(token, 0)
        inside.append(token)
        if not depth:
            return _tex(inside[1:-1], [])


def _letter(token: str) -> str:
    if token in NAMES or token in UPRIGHT:
        return NAMES.get(token) or UPRIGHT[token]
    name, number = re.fullmatch(r"(.*?)_?(\d*)", token, re.DOTALL).groups()  # type: ignore[union-attr]
    if not name or not name[0].isalpha():
        return token
    letter = rf"\{name}" if name in GREEK else name if len(name.rstrip("'")) == 1 else rf"\mathit{{{name}}}"
    return f"{letter}_{{{number}}}" if number else letter
