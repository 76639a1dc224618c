"""The report of a benchmark for a reader, at most 100 columns wide."""

from __future__ import annotations

from math import comb
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..fit.text import WIDTH, clean, number, table
from ..words import counted
from .at_zero import BESIDE
from .bnsl_ray import TWIN
from .fitting import simplest_of_least
from .kind import BEYOND
from .power import CEILING_KINDS

if TYPE_CHECKING:
    from .report import Coefficient, Report
    from .report_planning import Estimate, Planning

__all__ = ["POINTS", "report_tables", "report_text"]

UNKNOWN = "-"
#: Points of accuracy in 1.
POINTS = 100.0


def report_text(report: Report) -> str:
    """Laws, errors, allocation, penalties, forecast, and what is not there."""
    parts = [_head(report), *report_tables(report), _notes(report)]
    return "\n\n".join("\n".join(part) for part in parts if part)


def report_tables(report: Report) -> list[list[str]]:
    """The lines of every table that there is, each with its heading."""
    parts = [_laws(report), _errors(report), _crossings(report), _ray(report)]
    if report.planning is not None:
        parts += [
            _allocations(report, report.planning),
            _penalties(report, report.planning),
            _loss_optimal(report, report.planning),
        ]
    return [part for part in (*parts, _forecasts(report)) if part]


def _head(report: Report) -> list[str]:
    text = f"{clean(report.benchmark)}: {counted(len(report.sample), 'run')} from {clean(report.source)}"
    if report.hold_out is not None:
        text += f", of which {report.n_held_out} are held out by {clean(report.hold_out)}"
    lines = wrap(text, WIDTH)
    return [*lines, *wrap(f"accuracy of guessing: {report.baseline}; Q' = (Q - Qr)/(1 - Qr)", WIDTH)]


def _laws(report: Report) -> list[str]:
    width = max(len(law.name) for law in report.laws) + 2
    lines = []
    for law in report.laws:
        lines += wrap(f"{law.name.ljust(width)}{clean(law.formula)}", WIDTH, subsequent_indent=" " * width)
    heading = ("law", "coefficient", "value", f"{_percent(report.level)} interval", "")
    cells = [
        (
            law.name if i == 0 else "",
            each.name,
            number(each.value, 5),
            _interval(each),
            "at its bound" if each.bound else "open" if each.is_open else "",
        )
        for law in report.laws
        for i, each in enumerate(law.coefficients)
    ]
    return [*lines, "", *table(heading, cells)]


def _errors(report: Report) -> list[str]:
    held = report.hold_out is not None
    columns = ["law", "fitted\nruns", "MAE", "RMSE", "R2"]
    columns += ["held-out\nruns", "MAE", "MRE", "RMSE", "R2"] if held else []
    rows = []
    for law in report.laws:
        cells = [str(law.train["n"]), *(_figure(law.train[name]) for name in ("mae", "rmse", "r2"))]
        if held:
            mre = law.held_out["mre"]
            cells += [str(law.held_out["n"]), _figure(law.held_out["mae"])]
            cells += [
                UNKNOWN if mre is None else f"{100.0 * mre:.2f} %",
                *(_figure(law.held_out[name]) for name in ("rmse", "r2")),
            ]
        rows.append((law.name, *cells, ""))
    lines = ["Errors of accuracy", *table((*columns, ""), rows)]
    if held:
        lines += wrap(_compared(report), WIDTH)
    return lines


def _compared(report: Report) -> str:
    """Which law is closest to the runs, which predicts best."""
    # A law in k is judged on other data.
    weak = {fit.name for fit in report.fits if fit.weak or "k" in fit.kind.asks}
    fits = {law.name: law.train["rmse"] for law in report.laws if law.train["rmse"] is not None and law.name not in weak}
    ahead = {law.name: law.held_out["mae"] for law in report.laws if law.held_out["mae"] is not None and law.name not in weak}
    if not fits or not ahead:
        return ""
    width = {law.name: len(law.coefficients) for law in report.laws}
    closest, best = simplest_of_least(fits, width), simplest_of_least(ahead, width)
    said = "the same law" if closest == best else "not the same law: a closer fit need not predict better"
    return f"closest to the fitted runs: {closest}; best on the held-out runs: {best}; {said}"


def _crossings(report: Report) -> list[str]:
    return [
        line
        for law in report.laws
        if law.crossing is not None
        for line in wrap(f"{law.name}, judged at every k: {law.crossing.text(report.level)}", WIDTH, subsequent_indent="  ")
    ]


def _ray(report: Report) -> list[str]:
    """The one-break law at one ratio of tokens to params."""
    ray = report.ray
    if ray is None:
        return []
    heading = (
        f"One-break law of -log Q' at D/N = {number(ray.tokens_per_param, 3)} ({counted(ray.n, 'run')} from "
        f"{number(ray.lowest, 3)} to {number(ray.highest, 3)})"
    )
    values = ", ".join(
        f"{name} = {number(value, 5)}{' (open)' if name in ray.open else ''}" for name, value in ray.coefficients.items()
    )
    errors = "; ".join(f"{name} {number(value, 3)}" for name, value in ray.rmse.items())
    texts = [f"y = a + b C^-c0 (1 + (C/d1)^(1/f1))^(-c1 f1): {values}", str(ray), f"RMSE of log(-log Q'): {errors}"]
    texts += [f"note: {TWIN}"] if ray.is_near_twin else []
    lines = [line for text in texts for line in wrap(text, WIDTH, subsequent_indent="  ")]
    return [heading, *lines]


def _allocations(report: Report, plan: Planning) -> list[str]:
    lines = [f"What to train for this benchmark ({plan.law})"]
    facts = [
        f"-log Q' = E + C0 C^-alpha at best, alpha = {_estimate(plan.exponent, 4)}",
        f"C0 = {_estimate(plan.coefficient, 4)}",
    ]
    facts.append(f"params grow as C^{_estimate(plan.params_share, 4)}")
    is_bound = plan.ceiling.value == 1.0 and plan.ceiling.low in (None, 1.0)
    has_E = plan.law in CEILING_KINDS.values()
    no_ceiling = "E is 0: no ceiling below 1 shows" if has_E else "accuracy goes to 1, by the form of the law"
    facts.append(no_ceiling if is_bound else f"highest accuracy {_estimate(plan.ceiling, 4)}")
    lines += wrap("; ".join(facts), WIDTH)
    doubt = plan.doubt(report.level)
    lines += wrap(f"{'warning' if plan.n_at_bound else 'note'}: {doubt}", WIDTH, subsequent_indent="  ") if doubt else []
    if not plan.allocations:
        return lines
    heading = ("C (FLOP)", "N", "interval", "D", "interval", "D/N", "accuracy", "interval")
    rows = []
    for row in plan.allocations:
        cells = [number(row["compute"], 3)]
        for name in ("params", "tokens"):
            cells += [number(row[name].value, 3), _ends(row[name], 3)]
        cells += [number(row["tokens_per_param"].value, 3), f"{row['accuracy'].value:.4f}", _ends(row["accuracy"], 3)]
        rows.append(tuple(cells))
    return [*lines, *table(heading, rows)]


def _penalties(report: Report, plan: Planning) -> list[str]:
    budgets = [each["compute"] for each in plan.penalties[0]["lost_accuracy"]]
    heading = ["ratio", "penalty P", "interval", "C_eff/C", "greatest\nloss (points)"]
    heading += [f"lost at\n{number(C, 3)}" for C in budgets[:MOST_BUDGETS]]
    alone = len(budgets) == 1  # else there is no room; JSON has all
    heading += ["interval"] if alone else []
    rows = []
    for row in plan.penalties:
        cells = [number(row["ratio"], 3), f"{row['loss_penalty'].value:.5f}", _ends(row["loss_penalty"], 4)]
        cells += [f"{row['effective_compute'].value:.4f}", _points(row["greatest_loss"].value)]
        cells += [_points(each["lost"].value) for each in row["lost_accuracy"][:MOST_BUDGETS]]
        cells += [_ends(row["lost_accuracy"][0]["lost"], 3, POINTS)] if alone else []
        rows.append((*cells, ""))
    title = "Overtraining ratio (D/N)/(D*/N*) at equal compute: factor of -log Q' - E, accuracy points lost"
    return [title, *table((*heading, ""), rows)]


def _loss_optimal(report: Report, plan: Planning) -> list[str]:
    if not plan.loss_optimal:
        return []
    heading = ("law of loss", "C (FLOP)", "ratio", "penalty P", "points lost", "interval", "extra compute", "interval")
    rows = []
    for row in plan.loss_optimal:
        lost, extra = row["lost_accuracy"], row["compute_overhead"]
        rows.append(
            (
                clean(row["law"]),
                number(row["compute"], 3),
                number(row["ratio"].value, 3),
                f"{row['loss_penalty'].value:.5f}",
                _points(lost.value),
                _ends(lost, 3, POINTS),
                f"{_cost(100.0 * extra.value, 1)} %",
                _ends(extra, 3, 100.0),
            )
        )
    return ["Training for the least loss: what it costs on this benchmark, beside the best allocation", *table(heading, rows)]


def _forecasts(report: Report) -> list[str]:
    if not report.forecasts:
        return []
    level = _percent(report.level)
    heading = (
        "C (FLOP)",
        "law",
        "accuracy",
        f"{level} interval\nof the law",
        f"{level} interval\nof a new run",
        "decades\nahead",
        "",
    )
    rows = []
    for each in sorted(report.forecasts, key=lambda each: each.compute):
        law, new = (
            UNKNOWN if low is None or high is None else f"{low:.4f} to {high:.4f}"
            for low, high in ((each.low, each.high), (each.new_low, each.new_high))
        )
        decades = UNKNOWN if each.decades != each.decades else f"{each.decades:+.2f}"
        law_at = each.law if each.k is None else f"{each.law}, k = {each.k:g}"
        law_at += " (does not hold)" if each.beyond else ""
        rows.append((number(each.compute, 3), law_at, f"{each.accuracy:.4f}", law, new, decades, ""))
    ratio = report.tokens_per_param
    at = "" if ratio is None or not report.asks_for_params else f"; laws of params and tokens at D/N = {number(ratio, 3)}"
    notes = [
        line
        for text in (*_budgets(report), *_missed(report), *_disjoint(report))
        for line in wrap(text, WIDTH, subsequent_indent="  ")
    ]
    return [f"Forecast{at}", *table(heading, rows), *notes]


def _budgets(report: Report) -> list[str]:
    """That laws take one C for different runs."""
    return [f"warning: {report.two_budgets}"] if report.two_budgets else []


def _missed(report: Report) -> list[str]:
    """The laws that missed held-out runs by more than their interval of a new run, and oftener than chance has it."""
    said = []
    for law in report.laws:
        n = law.held_out["n"]
        if n and law.n_missed is not None and _tail(law.n_missed, int(n), 1.0 - report.level) < CHANCE:
            said.append(
                f"warning: {law.name}: {law.n_missed} of {int(n)} held-out runs lie outside its {_percent(report.level)} "
                "interval of a new run: its form does not hold there, and its forecast is surer than it should be"
            )
    return said


def _tail(least: int, n: int, share: float) -> float:
    """The probability of at least so many of n where each has this share."""
    return sum(comb(n, i) * share**i * (1.0 - share) ** (n - i) for i in range(least, n + 1))


def _disjoint(report: Report) -> list[str]:
    """That laws contradict each other: intervals of one quantity without a common point."""
    found: dict[str, None] = {}
    known = [each for each in report.forecasts if each.k is None and each.low is not None and each.high is not None]
    for i, one in enumerate(known):
        for other in known[i + 1 :]:
            if one.compute == other.compute and (one.low > other.high or other.low > one.high):  # type: ignore[operator]
                found[f"{one.law} and {other.law}"] = None
    if not found:
        return []
    return [
        f"warning: intervals of the law without a common point: {'; '.join(found)}; each takes its law for granted, so that at "
        "most one of the two forms is right there"
    ]


def _notes(report: Report) -> list[str]:
    texts = []
    if any(len(fit.draws) for fit in report.fits):
        guessing = ", each with its own accuracy of guessing" if report.baseline.standard_error else ""
        texts.append(
            f"intervals: percentiles of {report.resamples} refits to resampled runs{guessing}, seed {report.seed}; of a new run: "
            "with the scatter of the runs about the law"
        )
        texts.append("intervals take the form of the law for granted: they do not cover its being wrong")
        texts += [BESIDE] if any(law.name in CEILING_KINDS.values() for law in report.laws) else []
    if report.planning is not None and report.planning.n_at_bound:
        texts.append("< and > before an end: the refits there have a coefficient on a bound of the search, so that it is no end")
    failed = [f"{law.name} {law.n_failed}" for law in report.laws if law.n_failed]
    if failed:
        texts.append(f"refits without a certified minimum, left out: {', '.join(failed)}")
    loose = [law.name for law in report.laws if law.n_failed > MOST_FAILED * report.resamples]
    if loose:
        texts.append(f"warning: so many are left out of {', '.join(loose)} that its intervals may be far off")
    if report.planning is not None and report.planning.n_failed:
        texts.append(f"{report.planning.n_failed} refits of {report.planning.law} are no law with an envelope and are left out")
    texts += [f"not identified: {clean(text)}" for text in report.open]
    texts += [f"left out: {clean(text)}" for text in report.left_out]
    texts += [f"warning: {clean(text)}" for text in report.warnings]
    texts += _budgets(report) if not report.forecasts else []
    if report.interrupted:
        texts.append("interrupted: laws and refits that were not reached are left out")
    return [line for text in texts for line in wrap(text, WIDTH, subsequent_indent="  ")]


#: A larger share of refits without a minimum makes intervals doubtful.
MOST_FAILED = 0.2
#: Misses of held-out runs that are less likely than this are not by chance.
CHANCE = 0.05
#: Budgets beside each other in the table of penalties; JSON has all.
MOST_BUDGETS = 4


def _percent(level: float) -> str:
    return f"{100.0 * level:.4g} %"


def _figure(value: float | None) -> str:
    return UNKNOWN if value is None else number(value, 3)


def _points(lost: float) -> str:
    return _cost(POINTS * lost, 3)


def _cost(value: float, decimals: int) -> str:
    """With so many decimals, and at least two digits."""
    return f"{value:.{decimals}f}" if value >= 10.0 ** (1 - decimals) or value == 0.0 else number(value, 2)


def _estimate(estimate: Estimate, digits: int) -> str:
    ends = _ends(estimate, digits)
    return number(estimate.value, digits) + ("" if ends == UNKNOWN else f" ({ends})")


def _ends(estimate: Any, digits: int, scale: float = 1.0) -> str:
    more, less = BEYOND["upper" if estimate.high_bound else None], BEYOND["lower" if estimate.low_bound else None]
    if estimate.at_most:
        return "not bounded" if estimate.high is None else f"at most {more}{number(scale * estimate.high, digits)}"
    if estimate.low is None or estimate.high is None:
        return UNKNOWN
    return f"{less}{number(scale * estimate.low, digits)} to {more}{number(scale * estimate.high, digits)}"


def _interval(each: Coefficient) -> str:
    """An interval; an end on a bound of the search is marked, for the refits ask for one beyond."""
    if each.low is None or each.high is None:
        return UNKNOWN
    if each.at_most:
        return f"at most {number(each.high, 4)}"
    low, high = (f"{BEYOND[b]}{number(end, 4)}" for end, b in ((each.low, each.low_bound), (each.high, each.high_bound)))
    return f"{low} to {high}"
