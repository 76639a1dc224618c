"""The laws of over-training for a reader, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from ..fit.text import UNKNOWN, WIDTH, clean, number, table
from ..words import counted
from .overtraining_costs import doubts_of

if TYPE_CHECKING:
    from .overtraining_costs import Cost
    from .overtraining_result import Overtraining
    from .overtraining_runs import Prediction

LONGEST_NAME = 26
SHORT = {"optimal_tokens_per_param": "M*"}
#: Behind the difference at a run that the law was fitted to.
FITTED = "*"
#: From here on a loss is written with an exponent.
LARGE = 1e4
#: So many of the predicted runs, those of the largest compute, are listed; JSON has all.
MOST_LISTED = 20
OF_A_RUN = (
    "interval of the law: where the law itself lies; of a new run: where such a run measures, with the scatter of the fitted "
    "runs about the law; both take the form of the law for granted"
)


def overtraining_text(found: Overtraining, costs: Sequence[Cost]) -> str:
    """The laws, the predictions, the cost of over-training, and every note."""
    budgets = dict.fromkeys(each.compute for each in costs)
    told = [_costs(found, [each for each in costs if each.compute == budget]) for budget in budgets]
    parts = [_laws(found), _intervals(found), _predictions(found), *told, _notes(found)]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _laws(found: Overtraining) -> list[str]:
    c, m = found.coefficients, found.compute_coefficients
    lines = [
        "law of loss   L = E + (a M^eta + b M^-eta) C^-eta, M = D/N",
        f"              E = {_six(c['E'])}, a = {_six(m['a'])}, b = {_six(m['b'])}, eta = {_six(m['eta'])}",
        f"              = E + A N^-beta + B D^-beta: A = {_six(c['A'])}, B = {_six(c['B'])}, beta = {_six(c['beta'])}",
        f"              {counted(found.n_loss, 'run')}, {clean(found.loss_name)}, {found.loss_fit.objective.name}:"
        f" {_scatter(found.loss_errors)}",
    ]
    if found.determined:
        envelope = found.law.envelope
        lines += [
            f"optimum       M* = {number(found.optimal_tokens_per_param, 4)} tokens per parameter at every compute"
            f"{_optimum_ends(found)}",
            f"              L* = E + {_six(envelope.coefficient)} C^-{_six(envelope.exponent)}",
        ]
    if found.error_fit is not None:
        e = found.error_coefficients or {}
        figures = ", ".join(f"{name} = {_finite(value, 6)}" for name, value in e.items())
        lines += [
            "law of error  1 - Q = epsilon - k exp(-gamma L)",
            f"              {figures}",
            f"              {counted(found.n_error, 'run')}, mean over {counted(len(found.benchmarks), 'benchmark')},"
            f" least-squares: {_scatter(found.error_errors)}",
        ]
    lines += wrap(f"runs of {clean(found.source)}", WIDTH, initial_indent=" " * 14, subsequent_indent=" " * 14)
    return lines


def _optimum_ends(found: Overtraining) -> str:
    if found.draws is None:
        return ""
    interval = found.intervals["optimal_tokens_per_param"]
    shown = f"{100.0 * found.level:.4g} % interval"
    return f" ({shown} not bounded)" if interval is None else f" ({shown} {' to '.join(_ends(interval))})"


def _scatter(errors: Mapping[str, float | None]) -> str:
    """About the law, in the units of what it is of."""
    rmse, r2 = errors["rmse"], errors["r2"]
    return f"RMSE {UNKNOWN if rmse is None else number(rmse, 3)}, R2 {UNKNOWN if r2 is None else f'{r2:.5f}'}"


def _intervals(found: Overtraining) -> list[str]:
    """The coefficients with their intervals."""
    if found.draws is None:
        return []
    values = found.coefficients | found.compute_coefficients | (found.error_coefficients or {})
    if found.determined:
        values["optimal_tokens_per_param"] = found.optimal_tokens_per_param
    rows = [
        (SHORT.get(name, name), _finite(values[name], 4), *_ends(interval))
        for name, interval in found.intervals.items()
        if name in values
    ]
    return table(("", "value", "from", "to"), rows)


def _ends(interval: tuple[float, float] | None) -> tuple[str, str]:
    return (UNKNOWN, UNKNOWN) if interval is None else (number(interval[0], 4), number(interval[1], 4))


def _predictions(found: Overtraining) -> list[str]:
    if not found.predictions:
        return []
    listed = sorted(found.predictions, key=lambda each: -each.compute)[:MOST_LISTED]
    drawn = found.draws is not None
    whats = ["loss", *(["error"] if found.error_fit is not None else [])]
    # With intervals the two would be wider than a page beside each other.
    ends = [f"{100.0 * found.level:.4g} % interval\n{of}" for of in ("of the law", "of a new run")]
    lines = ["predictions, by the loss that the law of loss foretells"]
    for group in [[what] for what in whats] if drawn else [whats]:
        head = ["run", "M"]
        for what in group:
            head += [what, "predicted", *(ends if drawn else []), "off by"]
        rows = [
            [_name(each), number(each.tokens_per_param, 3), *(cell for what in group for cell in _figures(each, what, drawn))]
            for each in listed
        ]
        lines += ["", *table(head, rows)] if len(lines) > 1 else table(head, rows)
    rest = len(found.predictions) - len(listed)
    lines += [f"and {counted(rest, 'run')} of less compute"] if rest else []
    own = any(getattr(each, f"in_{what}_fit") for each in listed for what in whats)
    lines += wrap(OF_A_RUN, WIDTH, subsequent_indent="  ") if drawn else []
    return [*lines, *([f"{FITTED}: the law was fitted to this run, so that this is no prediction"] if own else [])]


def _figures(each: Prediction, what: str, drawn: bool) -> list[str]:
    measured, predicted = getattr(each, what), getattr(each, f"predicted_{what}")
    off = getattr(each, f"{what}_difference")
    cells = [_four(measured), _four(predicted)]
    if drawn:
        intervals = getattr(each, f"{what}_interval"), getattr(each, f"new_{what}_interval")
        cells += [UNKNOWN if pair is None else f"{pair[0]:.3f} {pair[1]:.3f}" for pair in intervals]
    mark = FITTED if getattr(each, f"in_{what}_fit") else " "
    return [*cells, UNKNOWN if off is None else f"{100.0 * off:+.4f} %{mark}"]


def _costs(found: Overtraining, costs: Sequence[Cost]) -> list[str]:
    """A table of the costs at one compute."""
    head = ("M/M*", "M", "params", "tokens", "loss", "extra\nloss", "penalty", "lost\ncompute", "error", "extra\nerror")
    rows = [
        (
            number(each.tokens_per_param / found.optimal_tokens_per_param, 3),
            number(each.tokens_per_param, 3),
            number(each.params, 3),
            number(each.tokens, 3),
            _four(each.loss),
            number(each.extra_loss, 3),
            number(each.penalty, 5),
            f"{100.0 * each.lost_compute + 0.0:.1f} %",
            _four(each.error),
            UNKNOWN if each.extra_error is None else number(each.extra_error, 3),
        )
        for each in costs
    ]
    return [
        f"what a ratio costs at {number(costs[0].compute, 3)} FLOP, against M* at the same compute",
        *table(head, rows),
        *_cost_intervals(found, costs),
        *_wrapped(doubts_of(costs)),
    ]


def _cost_intervals(found: Overtraining, costs: Sequence[Cost]) -> list[str]:
    """What the resamples say of the same costs."""
    if found.draws is None:
        return []
    shown = f"{100.0 * found.level:.4g} %"
    head = ("M", f"extra loss, {shown}", f"lost compute, {shown}", *([f"extra error, {shown}"] if found.error_fit else []))
    rows = []
    for each in costs:
        parts = [(each.extra_loss_interval, 1.0, ""), (each.lost_compute_interval, 100.0, " %")]
        parts += [(each.extra_error_interval, 1.0, "")] if found.error_fit else []
        rows.append((number(each.tokens_per_param, 3), *(_scaled(*part) for part in parts)))
    return ["", *table(head, rows)]


def _scaled(interval: tuple[float, float] | None, factor: float, unit: str) -> str:
    if interval is None:
        return UNKNOWN
    low, high = (number(factor * end, 3) for end in interval)
    return f"at most {high}{unit}" if interval[0] == 0.0 else f"{low} to {high}{unit}"


def _notes(found: Overtraining) -> list[str]:
    lines = list(found.notes)
    if found.draws is not None:
        stopped = ", interrupted" if found.draws.interrupted else ""
        lines.insert(
            0, f"{100.0 * found.level:.4g} % intervals of the laws: {len(found.draws)} resamples by {found.draws.kind}{stopped}"
        )
    return _wrapped(lines)


def _wrapped(texts: Sequence[str]) -> list[str]:
    return [line for text in texts for line in wrap(clean(text), WIDTH, subsequent_indent="  ")]


def _name(each: Prediction) -> str:
    """The name, its middle left out where it is long: names of runs tend to differ at the end."""
    plain = clean(each.run)
    if len(plain) <= LONGEST_NAME:
        return plain
    end = (LONGEST_NAME - 3) // 2
    return f"{plain[: LONGEST_NAME - 3 - end]}...{plain[-end:]}"


def _finite(value: float, digits: int) -> str:
    return number(value, digits) if np.isfinite(value) else "inf"


def _six(value: float) -> str:
    return number(value, 6)


def _four(value: float | None) -> str:
    if value is None:
        return UNKNOWN
    return f"{value:.4f}" if abs(value) < LARGE else number(value, 5)
