r"""The report of a benchmark as a fragment of LaTeX: booktabs tables one below the other, on a page where there are not many."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .._latex import escaped
from ..words import counted
from .latex_numbers import DASH, interval_tex, number_tex
from .report_text import POINTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .crossing import Crossing
    from .report import Forecast, Report
    from .report_planning import Estimate, Planning

__all__ = ["formula_tex", "report_latex"]

NEEDED = r"% needs \usepackage{booktabs}"
TOKEN = re.compile(r"[A-Za-z]\w*'?|\d+(?:\.\d+)?|\^|[()]|\s+|.")
GREEK = {"alpha", "beta", "gamma", "epsilon", "delta"}
UPRIGHT = {"log": r"\log", "exp": r"\exp"}
NAMES = {"log_A": r"\log A", "decay": r"\delta"}


def report_latex(report: Report) -> str:
    """Coefficients and errors of the laws; allocation, penalties and forecast; notes.

    No float: two tables of this size would each be put on a page of its own. Lines break between the tables alone.

    Returns
    -------
    str
        The document must load booktabs.
    """
    plan = report.planning
    follows = [] if plan is None else [_allocations(report, plan), _penalties(plan), _loss_optimal(plan)]
    parts = [_coefficients(report), _errors(report), _ray(report), *follows, _forecasts(report)]
    tables = "\n\n\\smallskip\n".join("\n".join([*KEPT, *part, *TOGETHER]) for part in parts if part)
    notes = rf"\noindent\parbox{{\linewidth}}{{\scriptsize {' '.join(_notes(report))}}}"
    head = rf"\noindent\parbox{{\linewidth}}{{{_caption(report)}}}"
    return "\n".join([NEEDED, *BEGIN, head, "", r"\smallskip", tables, "", notes, *END])


BEGIN = [
    r"\begingroup",
    r"\footnotesize\centering\setlength{\tabcolsep}{3pt}\setlength{\parindent}{0pt}\renewcommand{\arraystretch}{0.92}",
]
END = ["", r"\endgroup"]
#: What is not broken over pages.
KEPT, TOGETHER = [r"\begin{minipage}{\linewidth}\centering"], [r"\end{minipage}"]


def _caption(report: Report) -> str:
    held = f", of which {report.n_held_out} are held out by {_typed(report.hold_out)}" if report.hold_out is not None else ""
    return (
        rf"\textbf{{{escaped(report.benchmark)}}}: laws of accuracy from {counted(len(report.sample), 'run')}{held}. "
        rf"$Q' = (Q - Q_r)/(1 - Q_r)$ with $Q_r = {number_tex(report.baseline.value, 4)}$. {_what(report)}"
    )


def _what(report: Report) -> str:
    return rf"Intervals: {_level(report)}." if any(len(fit.draws) for fit in report.fits) else ""


# -- tables ------------------------------------------------------------------------------------------------------------


def _coefficients(report: Report) -> list[str]:
    rows = []
    for law in report.laws:
        rows.append(rf"\multicolumn{{3}}{{@{{}}l}}{{{escaped(law.name)}: ${formula_tex(law.formula)}$}}")
        for each in law.coefficients:
            interval = (
                "at its bound" if each.bound else "not determined" if each.is_open else interval_tex(each.low, each.high, 3)
            )
            interval = interval.replace("$[", "$[{<}") if each.low_bound == "lower" else interval
            interval = interval.replace("]$", r"\ {>}]$") if each.high_bound == "upper" else interval
            rows.append(_row(rf"\quad ${formula_tex(each.name)}$", f"${number_tex(each.value, 4)}$", interval))
        if law.crossing is not None:
            rows.append(_crossing(law.crossing))
    return _tabular("@{}lrr@{}", ("coefficient", "value", "interval"), rows)


def _crossing(found: Crossing) -> str:
    """C_x of a law in k, whose interval may reach over many powers of ten."""
    value = DASH if found.compute is None else f"${number_tex(found.compute, 3)}$"
    ends = DASH
    if not found.is_determined:
        ends = "not determined"
    elif found.low is not None and found.high is not None:
        ends = f"$[{number_tex(found.low, 2)},\\ {number_tex(found.high, 2)}]$"
    return _row(rf"\quad $C_x = e^{{-b/d}}$ (FLOP), holds {found.holds} it", value, ends)


def _ray(report: Report) -> list[str]:
    """The one-break law at one ratio of tokens to params, without a table."""
    ray = report.ray
    if ray is None:
        return []
    ends = r"not determined" if ray.low is None else interval_tex(ray.low, ray.high, 3)
    low, high = (number_tex(value, 3) for value in (ray.lowest, ray.highest))
    p = ""
    if ray.p_two_terms is not None and ray.p_no_break is not None:
        p = (
            rf" ($F$ tests: two terms against one break, $p = {number_tex(ray.p_two_terms, 2)}$; no break against two terms, "
            rf"$p = {number_tex(ray.p_no_break, 2)}$)"
        )
    errors = ", ".join(f"{name} ${number_tex(value, 3)}$" for name, value in ray.rmse.items())
    twin = rf" Note: {TWIN_TEX}." if ray.is_near_twin else ""
    text = (
        rf"One-break law of $-\log Q'$ at $D/N = {number_tex(ray.tokens_per_param, 3)}$ "
        rf"({counted(ray.n, 'run')}, ${low}$ to ${high}$): "
        rf"$c_1 f_1 = {number_tex(ray.product, 4)}$ ({ends}), {VERDICTS[ray.verdict]}{p}. "
        rf"RMSE of $\log(-\log Q')$: {errors}.{twin}"
    )
    return [rf"\parbox{{\linewidth}}{{{text}}}"]


VERDICTS = {
    "two terms": "the two-term law at a fixed ratio, $c_1 f_1 = -1$",
    "no two terms": "not the two-term law at a fixed ratio, $c_1 f_1 = -1$",
    "open": "open whether the two-term law, for a law without a break is as close",
    "cannot tell": "these runs cannot tell whether it is the two-term law",
}
TWIN_TEX = (
    "exponents of ratio $2:1$ have two exact broken laws, $c_1 f_1 = -1$ and $c_1 f_1 = -2$, for "
    "$t^2 + t + E = (t + 1/2)^2 + E - 1/4$"
)


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
            cells += [DASH if mre is None else rf"${number_tex(100.0 * mre, 3)}\,\%$"]
            cells += [_figure(law.held_out[name]) for name in ("rmse", "r2")]
        rows.append(_row(escaped(law.name), *cells))
    return _tabular("@{}l" + "r" * (len(heading) - 1) + "@{}", heading, rows, above)


def _allocations(report: Report, plan: Planning) -> list[str]:
    rows = []
    for row in plan.allocations:
        names = ("params", "tokens", "tokens_per_param", "accuracy")
        rows.append(_row(_given(row["compute"]), *(f"${number_tex(row[name].value, 3)}$" for name in names)))
        rows.append(_row("", *(_small(row[name].low, row[name].high) for name in names)))
    facts = [rf"$\alpha = {number_tex(plan.exponent.value, 3)}$ {interval_tex(plan.exponent.low, plan.exponent.high, 3)}"]
    facts.append(rf"$C_0 = {number_tex(plan.coefficient.value, 3)}$ {_estimate_ends(plan.coefficient)}")
    facts.append(rf"$N^* \sim C^{{w_N}}$, $w_N = {number_tex(plan.params_share.value, 3)}$ {_estimate_ends(plan.params_share)}")
    title = rf"Best allocation by {escaped(plan.law)}: $-\log Q' = E + C_0\,C^{{-\alpha}}$, {', '.join(facts)}\\[2pt]"
    heading = ("$C$ (FLOP)", "$N^*$", "$D^*$", "$D^*/N^*$", "$Q^*$")
    above = [title, *_doubt(report, plan)]
    return [*above, *_tabular("@{}lrrrr@{}", heading, rows)] if rows else above


def _penalties(plan: Planning) -> list[str]:
    budgets = [each["compute"] for each in plan.penalties[0]["lost_accuracy"]][:MOST_BUDGETS]
    heading = [r"$\rho$", "$P$", "interval", r"$C_{\mathrm{eff}}/C$", "at most"]
    heading += [f"at {_given(C)}" for C in budgets]
    alone = len(budgets) == 1  # else there is no room; JSON has all
    heading += ["interval"] if alone else []
    rows = []
    for row in plan.penalties:
        P, lost = row["loss_penalty"], row["lost_accuracy"][:MOST_BUDGETS]
        cells = [
            f"${number_tex(P.value, 5)}$",
            interval_tex(P.low, P.high, 4),
            f"${number_tex(row['effective_compute'].value, 3)}$",
        ]
        cells += [f"${number_tex(POINTS * row['greatest_loss'].value, 3)}$"]
        cells += [f"${number_tex(POINTS * each['lost'].value, 3)}$" for each in lost]
        cells += [interval_tex(lost[0]["lost"].low, lost[0]["lost"].high, 3, POINTS)] if alone else []
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
        cells = [_given(row["compute"]), f"${number_tex(ratio.value, 3)}$", f"${number_tex(P.value, 5)}$"]
        cells += [f"${number_tex(POINTS * lost.value, 3)}$", rf"${number_tex(100.0 * extra.value, 3)}\,\%$"]
        rows.append(_row(escaped(row["law"]), *cells))
        ends = ((ratio, 1.0), (P, 1.0), (lost, POINTS), (extra, 100.0))
        rows.append(_row("", "", *(_bounded(each, scale) for each, scale in ends)))
    heading = ("law of loss", "$C$ (FLOP)", r"$\rho$", "$P$", "points lost", "extra compute")
    return [r"Training for the least loss, judged by this benchmark\\[2pt]", *_tabular("@{}lrrrrr@{}", heading, rows)]


def _forecasts(report: Report) -> list[str]:
    if not report.forecasts:
        return []
    rows = []
    for each in sorted(report.forecasts, key=lambda each: each.compute):
        law, new = (_fixed(low, high) for low, high in ((each.low, each.high), (each.new_low, each.new_high)))
        rows.append(_row(_given(each.compute), escaped(each.law) + _at_k(each), f"${each.accuracy:.4f}$", law, new))
    ratio = report.tokens_per_param
    at = f", laws of params and tokens at $D/N = {number_tex(ratio, 3)}$" if ratio is not None and report.asks_for_params else ""
    heading = ("$C$ (FLOP)", "law", "$Q$", "interval of it", "of a new run")
    return [rf"Forecast{at}\\[2pt]", *_tabular("@{}llrrr@{}", heading, rows)]


def _at_k(each: Forecast) -> str:
    """Of a law in k, and whether it holds there."""
    where = "" if each.k is None else f", $k = {each.k:g}$"
    return where + (", does not hold" if each.beyond else "")


def _notes(report: Report) -> list[str]:
    texts = []
    if any(len(fit.draws) for fit in report.fits):
        texts.append(
            f"Intervals are percentiles of {report.resamples} refits to resampled runs; that of a new run adds the scatter of "
            "the runs about the law. They take the form of the law for granted."
        )
    texts += [f"{escaped(law.name)}: {escaped(law.crossing.text(report.level))}." for law in report.laws if law.crossing]
    texts += [f"Not identified: {escaped(text)}." for text in report.open]
    texts += [f"Left out: {escaped(text)}." for text in report.left_out]
    texts += [f"Warning: {escaped(text)}." for text in (*report.warnings, report.two_budgets) if text]
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


def _given(value: float) -> str:
    """What the user chose, without zeros at the end."""
    return f"${number_tex(value, 4, trimmed=True)}$"


def _figure(value: float | None) -> str:
    return DASH if value is None else f"${number_tex(value, 3)}$"


def _doubt(report: Report, plan: Planning) -> list[str]:
    doubt = plan.doubt(report.level)
    return [rf"\parbox{{\linewidth}}{{{'Warning' if plan.n_at_bound else 'Note'}: {escaped(doubt)}.}}\\[2pt]"] if doubt else []


def _estimate_ends(estimate: Any) -> str:
    return interval_tex(estimate.low, estimate.high, 3)


def _bounded(each: Estimate, scale: float) -> str:
    """An interval, or the bound of a cost that may as well be the least."""
    if each.at_most and each.high is not None:
        return rf"\scriptsize $\leq {number_tex(scale * each.high, 3)}$"
    return _small(each.low, each.high, scale)


def _small(low: float | None, high: float | None, scale: float = 1.0) -> str:
    return rf"\scriptsize {interval_tex(low, high, 3, scale)}"


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
