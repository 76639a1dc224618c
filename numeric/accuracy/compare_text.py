"""A comparison of laws for a reader, at most 100 columns wide."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..fit.text import WIDTH, number, table
from .ceiling import BESIDE
from .kind import BEYOND
from .power import CEILING_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .comparison import Comparison, Entry, LawMean

__all__ = ["coefficients_text", "compare_text"]

UNKNOWN = "-"
#: Relative errors from here on have three digits.
LARGE = 100.0
BOUND = "at most"
#: The law of least error, and one whose coefficients the runs leave open.
LEAST, LEAST_OPEN = "*", "(*)"
SHARE = "best in"
HEADINGS = ("law", "fitted", "RMSE", "R2", "held out", "MAE", BOUND, "MRE", SHARE)


def compare_text(comparison: Comparison) -> str:
    """Per benchmark the errors of every law, then the laws over all benchmarks, then what to be careful about."""
    lines = _head(comparison)
    for name in comparison.benchmarks:
        baseline = comparison.baselines[name]
        error = f" +- {number(baseline.standard_error, 2)}" if baseline.standard_error else ""
        lines += ["", f"{name}: accuracy of guessing {number(baseline.value, 4)}{error} ({baseline.how})"]
        entries = comparison.of(name)
        best = comparison.best(name)
        kept = [i for i, heading in enumerate(HEADINGS) if comparison.resamples or heading not in (BOUND, SHARE)]
        shares = {each.law: comparison.best_share(name, each.law) for each in entries}
        rows = [_row(each, best, shares[each.law]) for each in entries if each.fit is not None]
        lines += table([HEADINGS[i] for i in kept], [[row[i] for i in kept] for row in rows]) if rows else []
        lines += _wrapped([f"{each.law}: {text}" for each in entries for text in (each.open, *each.remarks) if text])
        lines += _wrapped([f"{each.law} is not compared with the others: {each.weak}" for each in entries if each.weak])
        lines += _wrapped([f"{each.law}: {each.crossing.text(comparison.level)}" for each in entries if each.crossing])
        lines += _wrapped([f"note: {note}" for note in comparison.notes.get(name, ())])
    lines += _means(comparison.means())
    lines += _warnings(comparison)
    return "\n".join(lines)


def coefficients_text(comparison: Comparison) -> str:
    """Every coefficient with its interval."""
    rows = [
        (each.benchmark, each.law, item["name"], number(item["value"], 6), _ends(item), _open(item))
        for each in comparison.entries
        for item in each.coefficients(comparison.level)
    ]
    shown = f"{100 * comparison.level:.4g} % interval"
    lines = table(("benchmark", "law", "coefficient", "value", shown, ""), rows)
    has_ceiling = any(each.fit is not None and each.fit.name in CEILING_KINDS.values() for each in comparison.entries)
    return "\n".join([*lines, *(_wrapped([f"note: {BESIDE}"]) if comparison.resamples and has_ceiling else [])])


def _head(comparison: Comparison) -> list[str]:
    held = f"held out: {comparison.hold_out}" if comparison.hold_out is not None else "no run is held out (--hold-out CONDITION)"
    lines = [f"laws of accuracy on {comparison.source}; {held}"]
    if comparison.proxy is not None:
        lines.append(f"proxy of the two-stage laws: {comparison.proxy}")
    more = f" (at most: in {100 * comparison.level:.4g} % of {comparison.resamples} resamples)" if comparison.resamples else ""
    lines.append(
        f"errors are of accuracy: RMSE and R2 on the fitted runs that are judged, MAE{more} and MRE on the held-out ones; *: the "
        "least MAE, of laws that print alike the one with the fewest coefficients"
        + (f"; {LEAST_OPEN}: the same, of a law that the runs leave open" if _any_open(comparison) else "")
        + ("; best in: the share of resamples in which the law has the least" if comparison.resamples else "")
    )
    kinds = {each.law: each.fit.kind for each in comparison.entries if each.fit is not None}
    lines += [f"{law}: {kind.formula}; {kind.fitted_by}" for law, kind in kinds.items()]
    return [line for text in lines for line in wrap(text, WIDTH, subsequent_indent="  ")]


def _any_open(comparison: Comparison) -> bool:
    """Whether some law of least error has coefficients that the runs leave open."""
    best = {name: comparison.best(name) for name in comparison.benchmarks}
    return any(each.undetermined for each in comparison.entries if each.law == best[each.benchmark])


def _row(each: Entry, best: str | None, share: float | None) -> tuple[str, ...]:
    train, held = each.train, each.held_out
    _, most = each.intervals.get("mae", (None, None))
    return (
        f"{each.law} {LEAST_OPEN if each.undetermined else LEAST}" if each.law == best else each.law,
        "0" if each.fit is None else str(len(each.fit.sample)),
        _figure(train.get("rmse")),
        _figure(train.get("r2")),
        str(held.get("n", 0)),
        _figure(held.get("mae")),
        "" if most is None else _figure(most),
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


def _ends(item: Mapping[str, Any]) -> str:
    """An interval; an end on a bound of the search is no end: the refits ask for one beyond."""
    if item["low"] is None or item["high"] is None:
        return ""
    if item["at_most"]:
        return f"at most {number(item['high'], 4)}"
    low, high = (f"{BEYOND[item[f'{end}_bound']]}{number(item[end], 4)}" for end in ("low", "high"))
    return f"{low} to {high}"


def _open(item: Mapping[str, Any]) -> str:
    return "at its bound" if item["bound"] else "left open by the runs" if item["open"] else ""
