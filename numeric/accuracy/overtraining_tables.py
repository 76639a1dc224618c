"""The tables of the laws of over-training, for every form in which they are read, and their page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ...theory.typeset.escapes import clean, latex_escaped
from ...theory.typeset.numbers import Percent, Places, Significant
from ...theory.typeset.table import NEEDED, WIDTH, Column, Table, Words, latex_of
from ..words import counted
from .overtraining import doubts_of
from .points import InHundreds, interval_of, value_of

if TYPE_CHECKING:
    from .overtraining import Cost, Foretold, Overtraining, Prediction

__all__ = ["overtraining_latex", "overtraining_text", "tables_of"]

LONGEST_NAME = 26
#: So many of the predicted runs, those of the largest compute, are listed; JSON has all.
MOST_LISTED = 20
OF_A_RUN = (
    "interval of the law: where the law itself lies; of a new run: where such a run measures, with "
    "the scatter of the fitted "
    "runs about the law; both take the form of the law for granted"
)
#: Greek letters, and names of more than one letter, in LaTeX.
LATEX = {"beta": r"$\beta$", "gamma": r"$\gamma$", "eta": r"$\eta$", "epsilon": r"$\varepsilon$"}
LOSS, ERROR = (
    "L = E + (a M^eta + b M^-eta) C^-eta = E + A N^-beta + B D^-beta, M = D/N",
    "1 - Q = epsilon - k exp(-gamma L)",
)
CAPTION = (
    r"$L = E + (a M^{\eta} + b M^{-\eta}) C^{-\eta} = E + A N^{-\beta} + B D^{-\beta}$, $M = D/N$; "
    r"$1 - Q = \varepsilon - k\,e^{-\gamma L}$"
)
FOUR, THREE = Significant(4), Significant(3)


def overtraining_text(laws: Overtraining, costs: Sequence[Cost]) -> str:
    """The laws, the predictions, the cost of over-training, and every note."""
    notes = [
        line
        for text in _notes(laws, costs)
        for line in wrap(clean(text), WIDTH, subsequent_indent="  ")
    ]
    head = [line for label, text in _head(laws) for line in _labelled(label, clean(text))]
    parts = ["\n".join(head), *(table.text() for table in tables_of(laws, costs)), "\n".join(notes)]
    return "\n\n".join(part for part in parts if part)


def overtraining_latex(laws: Overtraining, costs: Sequence[Cost]) -> str:
    """The same in one float, for a document that loads booktabs."""
    about = "; ".join(latex_escaped(text) for label, text in _head(laws) if not label)
    lines = [NEEDED, r"\begin{table}[htbp]", r"\centering\footnotesize\setlength{\tabcolsep}{3pt}"]
    lines += [rf"\caption{{{CAPTION}. {about}.}}\smallskip"]
    for table in tables_of(laws, costs):
        title = latex_of(table.title)
        lines += [*([rf"{title}\\[2pt]"] if title else []), *table.tabular(), "", r"\medskip"]
    below = [note for table in tables_of(laws, costs) for note in table.notes]
    notes = " ".join(
        f"{latex_escaped(text[:1].upper() + text[1:])}."
        for text in (*map(str, below), *_notes(laws, costs))
    )
    lines += [rf"\parbox{{\linewidth}}{{{notes}}}"] if notes else []
    return "\n".join([*lines, r"\end{table}"])


def tables_of(laws: Overtraining, costs: Sequence[Cost]) -> tuple[Table, ...]:
    """Coefficients; predictions of loss and of error; costs at every compute."""
    tables = [_coefficients(laws), *_predictions(laws)]
    for budget in dict.fromkeys(cost.compute for cost in costs):
        tables += _costs(laws, [cost for cost in costs if cost.compute == budget])
    return tuple(tables)


# -- sentences -----------------------------------------------------------------------------------


def _head(laws: Overtraining) -> Iterator[tuple[str, str]]:
    """The laws, the runs that they were fitted to and what follows: labels, and texts."""
    yield "law of loss", LOSS
    yield (
        "",
        f"{counted(laws.n_loss, 'run')}, {laws.loss_name}, {laws.loss_fit.objective.name}: "
        f"{_scatter(laws.loss_errors)}",
    )
    if laws.determined:
        envelope = laws.law.envelope
        yield (
            "optimum",
            f"M* = {FOUR.text(laws.optimal_tokens_per_param)} tokens per parameter at every "
            f"compute{_of_optimum(laws)}",
        )
        yield (
            "",
            f"L* = E + {Significant(6).text(envelope.coefficient)} "
            f"C^-{Significant(6).text(envelope.exponent)}",
        )
    if laws.error_fit is not None:
        yield "law of error", ERROR
        benchmarks = counted(len(laws.benchmarks), "benchmark")
        yield (
            "",
            f"{counted(laws.n_error, 'run')}, mean over {benchmarks}, least-squares: "
            f"{_scatter(laws.error_errors)}",
        )
    yield "", f"runs of {laws.source}"


def _labelled(label: str, text: str) -> list[str]:
    return wrap(text, WIDTH, initial_indent=label.ljust(14), subsequent_indent=" " * 14)


def _of_optimum(laws: Overtraining) -> str:
    if laws.draws is None:
        return ""
    interval = laws.intervals["optimal_tokens_per_param"]
    shown = interval_of("", FOUR).interval.text(interval.low, interval.high)
    return (
        f" ({_percent(laws)} interval {'not bounded' if shown == '-' or 'inf' in shown else shown})"
    )


def _scatter(errors: Mapping[str, float | None]) -> str:
    """About the law, in the units of what it is of."""
    return f"RMSE {THREE.text(errors['rmse'])}, R2 {Places(5).text(errors['r2'])}"


def _percent(laws: Overtraining) -> str:
    return f"{100.0 * laws.level:.4g} %"


def _notes(laws: Overtraining, costs: Sequence[Cost]) -> Iterator[str]:
    if laws.draws is not None:
        stopped = ", interrupted" if laws.draws.interrupted else ""
        yield f"{_percent(laws)} intervals of the laws: {len(laws.draws)} resamples by {laws.draws.kind}{stopped}"
    yield from (*laws.notes, *doubts_of(costs))


# -- tables --------------------------------------------------------------------------------------


def _coefficients(laws: Overtraining) -> Table:
    rows = [
        {"name": Words(name, LATEX.get(name, f"${name}$")), "estimate": estimate}
        for name, estimate in laws.intervals.items()
        if name != "optimal_tokens_per_param"  # which the head tells
    ]
    columns = [
        Column("name", "coefficient", align="left"),
        value_of("estimate", "value", Significant(6)),
    ]
    columns += (
        [interval_of("estimate", FOUR, f"{_percent(laws)} interval")]
        if laws.draws is not None
        else []
    )
    return Table(columns, rows)


def _predictions(laws: Overtraining) -> Iterator[Table]:
    listed = sorted(laws.predictions, key=lambda run: -run.compute)[:MOST_LISTED]
    if not listed:
        return
    rest = len(laws.predictions) - len(listed)
    for what in ("loss", "error") if laws.error_fit is not None else ("loss",):
        notes = [f"and {counted(rest, 'run')} of less compute"] if rest else []
        notes += [OF_A_RUN] if laws.draws is not None and what == "loss" else []
        if any(getattr(run, what).is_fitted for run in listed):
            notes.append("*: the law was fitted to this run, so that this is no prediction")
        title = f"predictions of {what}" + (
            ", by the loss that the law of loss foretells" if what == "error" else ""
        )
        yield Table(list(_columns_of(laws, what)), listed, title=title, notes=notes)


def _columns_of(laws: Overtraining, what: str) -> Iterator[Column]:
    def entry(name: str) -> Any:
        def of(run: Prediction) -> Any:
            foretold: Foretold = getattr(run, what)
            return getattr(foretold, name)

        return of

    yield Column("run", of=_name, align="left")
    yield value_of("tokens_per_param", "M", THREE, "$M$")
    yield value_of(what, what, Places(4), of=entry("measured"))
    yield value_of("predicted", "predicted", Places(4), of=entry("predicted"))
    if laws.draws is not None:
        yield interval_of(
            "law", Places(3), f"{_percent(laws)} interval\nof the law", of=entry("predicted")
        )
        yield interval_of(
            "new_run", Places(3), f"{_percent(laws)} interval\nof a new run", of=entry("new_run")
        )
    yield value_of("difference", "off by", Percent(places=4, sign=True), of=entry("difference"))
    yield Column(
        "is_fitted", " ", align="left", of=lambda run: "*" if getattr(run, what).is_fitted else ""
    )


def _name(run: Prediction) -> str:
    """The name, its middle left out where it is long: names of runs tend to differ at the end."""
    plain = clean(run.run)
    if len(plain) <= LONGEST_NAME:
        return plain
    end = (LONGEST_NAME - 3) // 2
    return f"{plain[: LONGEST_NAME - 3 - end]}...{plain[-end:]}"


def _costs(laws: Overtraining, costs: Sequence[Cost]) -> Iterator[Table]:
    """The costs at one compute, and what the resamples say of them."""
    best = laws.optimal_tokens_per_param
    per_param = value_of("tokens_per_param", "M", THREE, "$M$")
    columns = [
        value_of("ratio", "M/M*", THREE, "$M/M^*$", of=lambda cost: cost.tokens_per_param / best),
        per_param,
        value_of("params", "params", THREE, "$N$"),
        value_of("tokens", "tokens", THREE, "$D$"),
        value_of("loss", "loss", Places(4), "$L$"),
        value_of("extra_loss", "extra\nloss", THREE, r"$\Delta L$"),
        value_of("penalty", "penalty", Significant(5)),
        value_of("lost_compute", "lost\ncompute", Percent(places=1), "lost compute"),
    ]
    if laws.error_fit is not None:
        columns += [value_of("error", "error", Places(4), "$1 - Q$")]
        columns += [value_of("extra_error", "extra\nerror", THREE, r"$\Delta(1 - Q)$")]
    budget = THREE.text(costs[0].compute)
    yield Table(
        columns, costs, title=f"what a ratio costs at {budget} FLOP, against M* at the same compute"
    )
    if laws.draws is None:
        return
    level = _percent(laws)
    columns = [
        per_param,
        interval_of("extra_loss", THREE, f"extra loss, {level}"),
        interval_of("lost_compute", InHundreds(), f"lost compute (%), {level}"),
    ]
    columns += (
        [interval_of("extra_error", THREE, f"extra error, {level}")]
        if laws.error_fit is not None
        else []
    )
    yield Table(columns, costs)
