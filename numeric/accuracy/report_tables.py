r"""The tables of a report, for every form in which they are read, and the page that they make."""

from __future__ import annotations

from math import comb
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ...theory.typeset.escapes import clean, latex_escaped
from ...theory.typeset.formula import formula_latex
from ...theory.typeset.numbers import Format, Percent, Places, Shortest, Significant
from ...theory.typeset.table import NEEDED, WIDTH, Column, Subheading, Table, Words, latex_of
from ..words import counted
from .benchmark import best_law
from .broken_ray import TWIN
from .ceiling import BESIDE
from .points import InHundreds, PercentagePoints, interval_of, value_of
from .power import CEILING_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .broken_ray import RayBreak
    from .crossing import Crossing
    from .planning import Planning
    from .report import Forecast, Report

__all__ = ["report_latex", "report_text", "tables_of"]

#: A larger share of refits without a minimum makes intervals doubtful.
MOST_FAILED = 0.2
#: Misses of held-out runs that are less likely than this are not by chance.
CHANCE = 0.05
#: Budgets beside each other in the table of penalties; JSON has all.
MOST_BUDGETS = 4
STATES = {"undetermined": "undetermined", "value": "at a limit of the search"}


NAME, STATE = Column("name", "coefficient", align="left"), Column("state", " ", align="left")
COMPUTE = value_of("compute", "C (FLOP)", Significant(3), "$C$ (FLOP)")
#: An estimate and its interval; C0 and the like reach over many powers of ten.
ESTIMATE = (value_of("estimate", "value", Significant(4)), interval_of("estimate", Significant(4)))
ALLOCATED = (
    COMPUTE,
    value_of("params", "N", Significant(3), "$N^*$"),
    interval_of("params", Significant(3)),
    value_of("tokens", "D", Significant(3), "$D^*$"),
    interval_of("tokens", Significant(3)),
    value_of("tokens_per_param", "D/N", Significant(3), "$D^*/N^*$"),
    value_of("accuracy", "accuracy", Places(4), "$Q^*$"),
    interval_of("accuracy", Significant(3)),
)
PENALTY = (
    value_of("ratio", "ratio", Significant(3), r"$\rho$"),
    value_of("loss_penalty", "penalty P", Places(5), "$P$"),
    interval_of("loss_penalty", Significant(4)),
    value_of("effective_compute", "C_eff/C", Places(4), r"$C_{\mathrm{eff}}/C$"),
    value_of("greatest_loss", "greatest\nloss (points)", PercentagePoints(3), "at most (points)"),
)
LOSS_OPTIMAL = (
    Column("law", "law of loss", align="left"),
    COMPUTE,
    value_of("ratio", "ratio", Significant(3), r"$\rho$"),
    value_of("loss_penalty", "penalty\nP", Places(5), "$P$"),
    value_of("lost_accuracy", "points\nlost", PercentagePoints(3), "points lost"),
    interval_of("lost_accuracy", InHundreds()),
    value_of("compute_overhead", "extra\ncompute", PercentagePoints(1, unit=" %"), "extra compute"),
    interval_of("compute_overhead", InHundreds()),
)


# -- the page ------------------------------------------------------------------------------------


def report_text(report: Report) -> str:
    """Laws, errors, allocation, penalties, forecast, and what is not there; at most 100 columns."""
    text = f"{clean(report.benchmark)}: {counted(len(report.sample), 'run')} from {clean(report.source)}"
    if report.hold_out is not None:
        text += f", of which {report.n_held_out} are held out by {clean(report.hold_out)}"
    guessing = f"accuracy of guessing: {report.baseline}; Q' = (Q - Qr)/(1 - Qr)"
    head = "\n".join([*wrap(text, WIDTH), *wrap(guessing, WIDTH)])
    notes = [
        line for note in _notes(report) for line in wrap(clean(note), WIDTH, subsequent_indent="  ")
    ]
    return "\n\n".join(
        part
        for part in (head, *(table.text() for table in tables_of(report)), "\n".join(notes))
        if part
    )


def report_latex(report: Report) -> str:
    """The same as a fragment for a document that loads booktabs: tables below each other, up to 17
    cm wide.

    No float: two tables of this size would each be put on a page of its own. Lines break between
    the tables alone.
    """
    held = ""
    if report.hold_out is not None:
        held = rf", of which {report.n_held_out} are held out by \texttt{{{latex_escaped(report.hold_out)}}}"
    head = (
        rf"\textbf{{{latex_escaped(report.benchmark)}}}: laws of accuracy from "
        rf"{counted(len(report.sample), 'run')}{held}. "
        rf"$Q' = (Q - Q_r)/(1 - Q_r)$ with $Q_r$ = {Significant(4).latex(report.baseline.value)}."
    )
    lines = [
        NEEDED,
        r"\begingroup",
        r"\footnotesize\centering\setlength{\tabcolsep}{3pt}\setlength{\parindent}{0pt}",
    ]
    lines += [rf"\noindent\parbox{{\linewidth}}{{{head}}}"]
    for table in tables_of(report):
        notes = " ".join(_sentence(latex_of(note)) for note in table.notes)
        lines += ["", r"\smallskip", r"\begin{minipage}{\linewidth}\centering"]
        lines += [rf"{latex_of(table.title)}\\[2pt]"] if str(table.title) else []
        lines += table.tabular()
        lines += ["", rf"\parbox{{\linewidth}}{{\scriptsize {notes}}}"] if notes else []
        lines += [r"\end{minipage}"]
    notes = " ".join(_sentence(latex_escaped(note)) for note in _notes(report))
    lines += ["", rf"\noindent\parbox{{\linewidth}}{{\scriptsize {notes}}}"] if notes else []
    return "\n".join([*lines, "", r"\endgroup"])


def tables_of(report: Report) -> tuple[Table, ...]:
    """Coefficients, errors, one break, allocation, penalties, loss-optimal training, forecast:
    those that there are.
    """
    tables = [_coefficients(report), _errors(report)]
    tables += [_one_break(report.ray)] if report.ray is not None else []
    tables += _of_planning(report, report.planning) if report.planning is not None else []
    tables += [_forecasts(report)] if report.forecasts else []
    return tuple(tables)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _percent(level: float) -> str:
    return f"{100.0 * level:.4g} %"


# -- tables --------------------------------------------------------------------------------------


def _coefficients(report: Report) -> Table:
    rows: list[Any] = []
    for law in report.laws:
        formula = law.fit.kind.formula
        rows.append(
            Subheading(
                Words(
                    f"{law.name}: {formula}",
                    f"{latex_escaped(law.name)}: ${formula_latex(formula)}$",
                )
            )
        )
        for name, estimate in law.estimates.items():
            state = (
                "value"
                if law.fit.limit_of(name, estimate.value)
                else "undetermined"
                if estimate.undetermined
                else ""
            )
            entry = {"name": Words(name, f"${formula_latex(name)}$"), "estimate": estimate}
            rows.append(entry | {"value": estimate.value, "state": STATES.get(state, "")})
        if law.crossing is not None:
            rows.append(_crossing(law.crossing))
    columns = (
        NAME,
        value_of("value", "value", Significant(5)),
        interval_of("estimate", Significant(4), f"{_percent(report.level)} interval"),
        STATE,
    )
    return Table(
        columns,
        rows,
        notes=[
            f"{law.name}, judged at every k: {law.crossing.text(report.level)}"
            for law in report.laws
            if law.crossing is not None
        ],
    )


def _crossing(crossing: Crossing) -> dict[str, Any]:
    """The compute at which the curves of all k cross."""
    state = "" if crossing.is_determined else STATES["undetermined"]
    name = Words("C_x (FLOP)", "$C_x = e^{-b/d}$ (FLOP)")
    return {"name": name, "value": crossing.compute, "estimate": crossing.estimate, "state": state}


def _errors(report: Report) -> Table:
    def of(part: str, key: str) -> Any:
        return lambda law: getattr(law, part)[key]

    def columns(part: str, heading: str, keys: dict[str, str]) -> Iterator[Column]:
        over = heading if report.hold_out is not None else ""
        yield Column("n", "runs", over=over, of=of(part, "n"))
        for key, name in keys.items():
            form: Format = Percent(places=2) if key == "mre" else Significant(3)
            yield Column(
                key,
                name,
                latex="$R^2$" if key == "r2" else "",
                over=over,
                of=of(part, key),
                format=form,
            )

    names = {"mae": "MAE", "rmse": "RMSE", "r2": "R2"}
    shown = [Column("name", "law", align="left"), *columns("train", "fitted", names)]
    if report.hold_out is not None:
        shown += columns("held_out", "held out", {"mae": "MAE", "mre": "MRE", **names})
    compared = _compared(report) if report.hold_out is not None else ""
    return Table(
        shown, report.laws, title="Errors of accuracy", notes=[compared] if compared else []
    )


def _compared(report: Report) -> str:
    """Which law is closest to the runs, which predicts best."""
    closest, best = best_law(report.laws, "train", "rmse"), best_law(report.laws)
    if closest is None or best is None:
        return ""
    same = (
        "the same law"
        if closest == best
        else "not the same law: a closer fit need not predict better"
    )
    return f"closest to the fitted runs: {closest}; best on the held-out runs: {best}; {same}"


def _one_break(ray: RayBreak) -> Table:
    """The one-break law at one ratio of tokens to params."""
    three = Significant(3).text
    title = (
        f"One-break law of -log Q' at D/N = {three(ray.tokens_per_param)} "
        f"({counted(ray.n, 'run')} from {three(ray.lowest)} to {three(ray.highest)})"
    )
    rows = [
        {
            "name": Words(name, f"${formula_latex(name)}$"),
            "value": value,
            "state": "undetermined" if name in ray.open else "",
        }
        for name, value in ray.coefficients.items()
    ]
    errors = "; ".join(f"{name} {three(value)}" for name, value in ray.rmse.items())
    formula = "y = a + b C^-c0 (1 + (C/d1)^(1/f1))^(-c1 f1)"
    notes: list[str | Words] = [
        Words(formula, f"${formula_latex(formula)}$"),
        str(ray),
        f"RMSE of log(-log Q'): {errors}",
    ]
    notes += [f"note: {TWIN}"] if ray.is_near_twin else []
    columns = (
        NAME,
        value_of("value", "value", Significant(5)),
        STATE,
    )
    return Table(columns, rows, title=title, notes=notes)


def _of_planning(report: Report, plan: Planning) -> Iterator[Table]:
    facts: list[tuple[str, str, Any]] = [
        ("alpha", r"$\alpha$", plan.exponent),
        ("C0", "$C_0$", plan.coefficient),
        ("params grow as C to the", r"$w_N$ of $N^* \sim C^{w_N}$", plan.params_share),
    ]
    notes = []
    if plan.ceiling.value == 1.0 and plan.ceiling.low in (None, 1.0):
        has_E = plan.law in CEILING_KINDS.values()
        notes = [
            "E is 0: no ceiling below 1 shows"
            if has_E
            else "accuracy goes to 1, by the form of the law"
        ]
    else:
        facts.append(("highest accuracy", r"$Q_{\max}$", plan.ceiling))
    doubt = plan.doubt(report.level)
    notes += [f"{'warning' if plan.n_at_bound else 'note'}: {doubt}"] if doubt else []
    yield Table(
        (
            Column(
                "name",
                "-log Q' = E + C0 C^-alpha at best",
                r"$-\log Q' = E + C_0\,C^{-\alpha}$ at best",
                align="left",
            ),
            *ESTIMATE,
        ),
        [{"name": Words(text, latex), "estimate": estimate} for text, latex, estimate in facts],
        title=f"What to train for this benchmark ({plan.law})",
        notes=notes,
    )
    if plan.allocations:
        yield Table(ALLOCATED, plan.allocations)
    yield _penalties(plan)
    if plan.loss_optimal:
        title = "Training for the least loss: what it costs on this benchmark, beside the best allocation"
        yield Table(LOSS_OPTIMAL, plan.loss_optimal, title=title)


def _penalties(plan: Planning) -> Table:
    budgets = [lost["compute"] for lost in plan.penalties[0]["lost_accuracy"]]

    def at(i: int) -> Any:
        return lambda row: row["lost_accuracy"][i]["lost"]

    lost = [
        Column(
            f"lost_{i}",
            f"lost at\n{Significant(3).text(C)}",
            latex=f"at {Shortest(4).latex(C)}",
            of=at(i),
            format=PercentagePoints(3),
        )
        for i, C in enumerate(budgets[:MOST_BUDGETS])
    ]
    # For the intervals of several budgets there is no room; JSON has all.
    lost += [interval_of("lost_0", InHundreds(), of=at(0))] if len(budgets) == 1 else []
    title = "Overtraining ratio (D/N)/(D*/N*) at equal compute: factor of -log Q' - E, accuracy points lost"
    latex = r"Overtraining ratio $\rho = (D/N)/(D^*/N^*)$ at equal compute: factor of $-\log Q' - E$, accuracy points lost"
    return Table((*PENALTY, *lost), plan.penalties, title=Words(title, latex))


def _forecasts(report: Report) -> Table:
    level, ratio = _percent(report.level), report.tokens_per_param
    ends, of_points = (
        Places(4),
        "" if ratio is None or not report.asks_for_params else Significant(3).text(ratio),
    )
    columns = (
        COMPUTE,
        Column("law", of=_law_at, align="left"),
        value_of("accuracy", "accuracy", Places(4), "$Q$"),
        interval_of("accuracy", ends, f"{level} interval\nof the law"),
        interval_of("new_run", ends, f"{level} interval\nof a new run"),
        value_of("decades", "decades\nahead", Places(2, sign=True)),
    )
    notes = [f"warning: {report.two_budgets}"] if report.two_budgets else []
    notes += [*_missed(report), *_disjoint(report)]
    title = "Forecast" + (f"; laws of params and tokens at D/N = {of_points}" if of_points else "")
    return Table(
        columns,
        sorted(report.forecasts, key=lambda forecast: forecast.compute),
        title=title,
        notes=notes,
    )


def _law_at(forecast: Forecast) -> str:
    """The law, the k that it is asked at, and whether it holds there."""
    at = "" if forecast.k is None else f", k = {forecast.k:g}"
    return forecast.law + at + (" (does not hold)" if forecast.beyond else "")


# -- sentences -----------------------------------------------------------------------------------


def _missed(report: Report) -> Iterator[str]:
    """The laws that missed held-out runs by more than their interval of a new run, and oftener than
    chance has it.
    """
    for law in report.laws:
        n = int(law.held_out["n"] or 0)
        if n and law.n_missed is not None and _tail(law.n_missed, n, 1.0 - report.level) < CHANCE:
            yield (
                f"warning: {law.name}: {law.n_missed} of {n} held-out runs lie outside its "
                f"{_percent(report.level)} interval of "
                "a new run: its form does not hold there, and its forecast is surer than it should "
                "be"
            )


def _tail(least: int, n: int, share: float) -> float:
    """The probability of at least so many of n where each has this share."""
    return sum(comb(n, i) * share**i * (1.0 - share) ** (n - i) for i in range(least, n + 1))


def _disjoint(report: Report) -> list[str]:
    """That laws contradict each other: intervals of one quantity without a common point."""
    known = [each for each in report.forecasts if each.k is None and each.accuracy.has_interval]
    pairs: dict[str, None] = {}
    for i, one in enumerate(known):
        for other in known[i + 1 :]:
            low = max(one.accuracy.low, other.accuracy.low)  # type: ignore[type-var]
            high = min(one.accuracy.high, other.accuracy.high)  # type: ignore[type-var]
            if one.compute == other.compute and low > high:  # type: ignore[operator]
                pairs[f"{one.law} and {other.law}"] = None
    if not pairs:
        return []
    return [
        f"warning: intervals of the law without a common point: {'; '.join(pairs)}; each takes its "
        f"law for granted, so that at "
        "most one of the two forms is right there"
    ]


def _notes(report: Report) -> Iterator[str]:
    """What the intervals are, what was left out, and every warning."""
    plan = report.planning
    if any(len(fit.refitted) for fit in report.fits):
        guessing = (
            ", each with its own accuracy of guessing" if report.baseline.standard_error else ""
        )
        yield (
            f"intervals: percentiles of {report.resamples} refits to resampled runs{guessing}, "
            f"seed {report.seed}; of a new run: "
            "with the scatter of the runs about the law"
        )
        yield "intervals take the form of the law for granted: they do not cover its being wrong"
        if any(law.name in CEILING_KINDS.values() for law in report.laws):
            yield BESIDE
    if plan is not None and plan.n_at_bound:
        yield "< and > before an end: the refits there have a coefficient at a limit of the search, so that it is no end"
    failed = [fit for fit in report.fits if fit.n_failed]
    if failed:
        counts = ", ".join(f"{fit.name} {fit.n_failed}" for fit in failed)
        yield f"refits without a certified minimum, left out: {counts}"
    loose = [fit.name for fit in failed if fit.n_failed > MOST_FAILED * report.resamples]
    if loose:
        yield f"warning: so many are left out of {', '.join(loose)} that its intervals may be far off"
    if plan is not None and plan.n_failed:
        yield f"{plan.n_failed} refits of {plan.law} are no law with an envelope and are left out"
    yield from (f"not identified: {text}" for text in report.open)
    yield from (f"left out: {text}" for text in report.left_out)
    yield from (f"warning: {text}" for text in report.warnings)
    if report.two_budgets and not report.forecasts:
        yield f"warning: {report.two_budgets}"
    if report.interrupted:
        yield "interrupted: laws and refits that were not reached are left out"
