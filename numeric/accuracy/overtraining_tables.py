"""The tables of the laws of over-training, for every form in which they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ...theory.typeset.escapes import clean, latex_escaped
from ...theory.typeset.numbers import Percent, Places, Significant
from ...theory.typeset.table import WIDTH, Column, Table, Words
from ..words import counted
from .points import InHundreds, interval_of, value_of

if TYPE_CHECKING:
    from .overtraining import ForetoldRun, Overtraining

__all__ = ["SIZE", "caption", "head", "tables_of"]

LONGEST_NAME = 26
#: So many of the predicted runs, those of the largest compute, are listed; JSON has all.
MOST_LISTED = 20
OF_A_RUN = (
    "interval of the law: where the law itself lies; of a new run: where such a run measures, with "
    "the scatter of the fitted runs about the law; both take the form of the law for granted"
)
#: Greek letters, and names of more than one letter, in LaTeX.
LATEX = {"beta": r"$\beta$", "gamma": r"$\gamma$", "eta": r"$\eta$", "epsilon": r"$\varepsilon$"}
LOSS = "L = E + (a M^eta + b M^-eta) C^-eta = E + A N^-beta + B D^-beta, M = D/N"
ERROR = "1 - Q = epsilon - k exp(-gamma L)"
CAPTION = (
    r"$L = E + (a M^{\eta} + b M^{-\eta}) C^{-\eta} = E + A N^{-\beta} + B D^{-\beta}$, $M = D/N$; "
    r"$1 - Q = \varepsilon - k\,e^{-\gamma L}$"
)
SIZE = r"\footnotesize\setlength{\tabcolsep}{3pt}"
SIX, FOUR, THREE = Significant(6), Significant(4), Significant(3)


def head(laws: Overtraining) -> str:
    """The laws, the runs that they were fitted to and the optimum."""
    return "\n".join(
        line
        for label, text in _facts(laws)
        for line in wrap(
            clean(text), WIDTH, initial_indent=label.ljust(14), subsequent_indent=" " * 14
        )
    )


def caption(laws: Overtraining) -> str:
    """LaTeX of both laws and the runs that they were fitted to."""
    about = "; ".join(latex_escaped(text) for label, text in _facts(laws) if not label)
    return f"{CAPTION}. {about}."


def _facts(laws: Overtraining) -> Iterator[tuple[str, str]]:
    yield "law of loss", LOSS
    runs = counted(int(laws.for_loss.sum()), "run")
    yield "", f"{runs}, {laws.loss_name}, least-squares: {_scatter(laws.loss_errors)}"
    if laws.loss_fit.is_sound:
        interval = ""
        if laws.draws is not None:
            best = laws.intervals["optimal_tokens_per_param"]
            shown = interval_of("", FOUR).interval.text(best.low, best.high)
            bounds = "not bounded" if shown == "-" or "inf" in shown else shown
            interval = f" ({_percent(laws)} interval {bounds})"
        envelope = laws.law.envelope
        best_ratio = FOUR.text(laws.optimal_tokens_per_param)
        yield "optimum", f"M* = {best_ratio} tokens per parameter at every compute{interval}"
        yield "", f"L* = E + {SIX.text(envelope.coefficient)} C^-{SIX.text(envelope.exponent)}"
    yield "law of error", ERROR
    runs = counted(int(laws.for_error.sum()), "run")
    mean = f"mean over {counted(len(laws.benchmarks), 'benchmark')}"
    yield "", f"{runs}, {mean}, least-squares: {_scatter(laws.error_errors)}"
    yield "", f"runs of {laws.source}"


def _scatter(errors: Mapping[str, float | None]) -> str:
    """About the law, in the units of what it is of."""
    return f"RMSE {THREE.text(errors['rmse'])}, R2 {Places(5).text(errors['r2'])}"


def _percent(laws: Overtraining) -> str:
    return f"{100.0 * laws.level:.4g} %"


def tables_of(laws: Overtraining) -> tuple[Table, ...]:
    """Coefficients; predictions of loss and of error; costs at every compute."""
    *tables, last = [_coefficients(laws), *_predictions(laws), *_costs(laws)]
    notes = list(laws.notes)
    if laws.draws is not None:
        stopped = ", interrupted" if laws.draws.interrupted else ""
        resamples = f"{len(laws.draws)} resamples by {laws.draws.kind}{stopped}"
        notes = [f"{_percent(laws)} intervals of the laws: {resamples}", *notes]
    return *tables, last.changed(notes=[*last.notes, *notes])


def _coefficients(laws: Overtraining) -> Table:
    rows = [
        {"name": Words(name, LATEX.get(name, f"${name}$")), "estimate": estimate}
        for name, estimate in laws.intervals.items()
        if name != "optimal_tokens_per_param"  # it is in the head
    ]
    columns = [Column("name", "coefficient", align="left"), value_of("estimate", "value", SIX)]
    if laws.draws is not None:
        columns.append(interval_of("estimate", FOUR, f"{_percent(laws)} interval"))
    return Table(columns, rows)


def _predictions(laws: Overtraining) -> Iterator[Table]:
    runs = sorted(laws.predictions, key=lambda run: -run.compute)
    listed, rest = runs[:MOST_LISTED], len(runs[MOST_LISTED:])
    for what, by in (("loss", ""), ("error", ", by the loss that the law of loss foretells")):
        notes = [f"and {counted(rest, 'run')} of less compute"] if rest else []
        notes += [OF_A_RUN] if laws.draws is not None and what == "loss" else []
        if any(getattr(run, what).is_fitted for run in listed):
            notes.append("*: the law was fitted to this run, so that this is no prediction")
        if listed:
            columns = list(_columns_of(laws, what))
            yield Table(columns, listed, title=f"predictions of {what}{by}", notes=notes)


def _columns_of(laws: Overtraining, what: str) -> Iterator[Column]:
    def entry(name: str) -> Any:
        return lambda run: getattr(getattr(run, what), name)

    yield Column("run", of=_name, align="left")
    yield value_of("tokens_per_param", "M", THREE, "$M$")
    yield value_of(what, what, Places(4), of=entry("measured"))
    yield value_of("predicted", "predicted", Places(4), of=entry("predicted"))
    if laws.draws is not None:
        level = f"{_percent(laws)} interval\nof"
        yield interval_of("law", Places(3), f"{level} the law", of=entry("predicted"))
        yield interval_of("new_run", Places(3), f"{level} a new run", of=entry("new_run"))
    yield value_of("difference", "off by", Percent(places=4, sign=True), of=entry("difference"))
    fitted = entry("is_fitted")
    yield Column("is_fitted", " ", align="left", of=lambda run: "*" if fitted(run) else "")


def _name(run: ForetoldRun) -> str:
    """The name, its middle left out where it is long: names of runs tend to differ at the end."""
    plain = clean(run.run)
    if len(plain) <= LONGEST_NAME:
        return plain
    end = (LONGEST_NAME - 3) // 2
    return f"{plain[: LONGEST_NAME - 3 - end]}...{plain[-end:]}"


def _costs(laws: Overtraining) -> Iterator[Table]:
    """The costs at every compute, and their intervals."""
    per_param = value_of("tokens_per_param", "M", THREE, "$M$")
    columns = [
        value_of(
            "ratio",
            "M/M*",
            THREE,
            "$M/M^*$",
            of=lambda cost: cost.tokens_per_param / laws.optimal_tokens_per_param,
        ),
        per_param,
        value_of("params", "params", THREE, "$N$"),
        value_of("tokens", "tokens", THREE, "$D$"),
        value_of("loss", "loss", Places(4), "$L$"),
        value_of("extra_loss", "extra\nloss", THREE, r"$\Delta L$"),
        value_of("penalty", "penalty", Significant(5)),
        value_of("lost_compute", "lost\ncompute", Percent(places=1), "lost compute"),
        value_of("error", "error", Places(4), "$1 - Q$"),
        value_of("extra_error", "extra\nerror", THREE, r"$\Delta(1 - Q)$"),
    ]
    level = _percent(laws)
    intervals = [
        per_param,
        interval_of("extra_loss", THREE, f"extra loss, {level}"),
        interval_of("lost_compute", InHundreds(), f"lost compute (%), {level}"),
        interval_of("extra_error", THREE, f"extra error, {level}"),
    ]
    for budget in dict.fromkeys(cost.compute for cost in laws.costs):
        costs = [cost for cost in laws.costs if cost.compute == budget]
        title = f"what a ratio costs at {THREE.text(budget)} FLOP, against M* at the same compute"
        yield Table(columns, costs, title=title)
        if laws.draws is not None:
            yield Table(intervals, costs, title=f"intervals of costs at {THREE.text(budget)} FLOP")
