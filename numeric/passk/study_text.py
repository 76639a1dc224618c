"""A study of pass@k for a reader, at most 100 columns wide."""

from __future__ import annotations

from math import isfinite
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..fit.text import WIDTH, table
from ..fit.text import number as finite
from ..words import counted
from .agreement import TOLERANCE
from .cautions import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .fit_at_k import PassFit
    from .laws import PassLaws
    from .lever import Trend
    from .study import PassStudy

DIGITS, ENDS = 4, 3
INFINITE = "inf"
#: Digits of values and of the ends of their intervals, 0 for no intervals, until a table is no wider than WIDTH.
PRECISIONS = ((DIGITS, 3), (3, 3), (3, 2), (2, 2), (DIGITS, 0))
#: Of more coefficients, prefactors are shown without their intervals, which JSON and CSV have.
MOST_WIDE = 3
COMPOSED_HEAD = (
    "k",
    "E0\ncomposed",
    "alpha\ncomposed",
    "at\nC max",
    "E0\nfitted",
    "alpha\nfitted",
    "largest difference\nin log y",
)
#: What verdicts mean but for "agree".
OTHERWISE = "differ: else, if it excludes 0; else it cannot be told."
MEANING = {
    "likelihood": "binomial counts over Beta success rates, models scattered lognormally about the law",
    "least-squares-log": "least squares of log(-log pass@k) on the unbiased estimates",
}


def study_text(study: PassStudy) -> str:
    """Every law with its table over k, then envelopes, penalties and the mixed-derivative test."""
    parts = [_law(study, name, laws) for name, laws in study.laws.items()]
    parts += [part for part in (_envelopes(study), _penalties(study), _composed(study), _mixed(study)) if part]
    return "\n\n".join("\n".join(part) for part in parts)


def _law(study: PassStudy, name: str, laws: PassLaws) -> list[str]:
    lines = [
        f"-log pass@k = {laws.kind.formula}  ({name})",
        f"{laws.method}: {MEANING[laws.method]}",
        *wrap(f"{_models(laws)}{_resampled(laws, study.level)}", WIDTH),
        "",
        *_narrowed(lambda digits, ends: _coefficients(laws, study.level, digits, ends)),
    ]
    for k, why in laws.failed.items():
        lines += wrap(f"k = {k}: no fit: {why}", WIDTH)
    return [*lines, *_findings(study, name, laws)]


def _narrowed(made: Callable[[int, int], list[str]]) -> list[str]:
    """A table of so many digits that it is no wider than WIDTH."""
    lines: list[str] = []
    for digits, ends in PRECISIONS:
        lines = made(digits, ends)
        if max(map(len, lines)) <= WIDTH:
            break
    return lines


def _coefficients(laws: PassLaws, level: float, digits: int, ends: int) -> list[str]:
    narrow = len(laws.kind.coefficients) > MOST_WIDE
    wide = [each for each in laws.kind.coefficients if ends and (not narrow or each not in laws.kind.prefactors)]
    columns = [
        "k",
        *(f"{each}\n{_percent(level)}" if laws.resamples and each in wide else each for each in laws.kind.coefficients),
    ]
    rows = []
    for fit in laws.fits:
        cells = [str(fit.k)]
        for coefficient, value in fit.coefficients.items():
            known = "open" if coefficient in fit.undetermined else number(value, digits)
            shown = fit.has_intervals and coefficient in wide
            cells.append(known + (f" {_of_fit(fit, coefficient, level, ends)}" if shown else ""))
        note = "" if fit.converged else "not certified"
        rows.append([*cells, number(fit.scatter, 3), str(fit.n_models), note])
    noted = any(row[-1] for row in rows)
    kept = [row if noted else row[:-1] for row in rows]
    return table([*columns, "scatter", "models", *([""] if noted else [])], kept)


def _of_fit(fit: PassFit, coefficient: str, level: float, digits: int) -> str:
    """The interval of a coefficient; an end that is none is marked < or >."""
    below, above = fit.open_ends(coefficient, level)
    low, high = (number(end, digits) for end in fit.interval(coefficient, level))
    return _marked(low, high, below, above)


def _marked(low: str, high: str, below: bool, above: bool) -> str:
    return f"[{'<' if below else ''}{low}, {'>' if above and high != INFINITE else ''}{high}]"


def _models(laws: PassLaws) -> str:
    first = laws.fits[0]
    lost = []
    if first.n_unsolved:
        lost.append(f"{first.n_unsolved} of them without a success")
    if first.n_without:
        lost.append(f"{first.n_without} left out without a success")
    refused = max(fit.n_refused for fit in laws.fits)
    if refused:
        lost.append(f"up to {refused} left out where some problem has fewer than k samples")
    if laws.n_without_covariates:
        lost.append(f"{laws.n_without_covariates} without {' and '.join(laws.kind.covariates)} left out")
    most = max(fit.n_models for fit in laws.fits)
    return counted(most, "model") + (f" ({'; '.join(lost)})" if lost else "")


def _resampled(laws: PassLaws, level: float) -> str:
    if not laws.resamples:
        return "; no resamples, no intervals"
    failed, done = sum(fit.n_failed for fit in laws.fits), laws.resamples * len(laws)
    lost = f"; {failed} of the {done} refits of this law were not certified and are left out" if failed else ""
    return f"; intervals {100 * level:g} %, {laws.resamples} resamples of {_drawn(laws)}, seed {laws.seed}{lost}"


def _drawn(laws: PassLaws) -> str:
    if laws.cluster is None:
        return "models"
    return f"the {len(np.unique(laws.covariates[laws.cluster]))} values of {laws.cluster} with all their models"


def _findings(study: PassStudy, name: str, laws: PassLaws) -> list[str]:
    lines = [*study.cautions[name], *_open(study, name, laws)]
    floor = laws.kind.floor
    if name in study.vanishing:
        lines.append(f"{floor}: {_told_from_0(study, name, laws)}")
    lines += _at_odds(study, laws) if name == "params-tokens" else []
    for item in study.trends.get(name, []):
        if item.name == floor or item.name in laws.kind.exponents:
            lines.append(_trend(item, laws.ks))
    if name in study.validity:
        lines.append(_together(study, name))
    elif len(laws) > 1:
        lines.append("with coefficients left open, where the laws at all k hold together is not told")
    return [part for line in lines for part in wrap(line, WIDTH, subsequent_indent="  ")]


def _told_from_0(study: PassStudy, name: str, laws: PassLaws) -> str:
    """At which k the irreducible part cannot be told from 0."""
    last = study.vanishing[name]
    first = [k for k in study.not_told_from_0[name] if last is None or k < last]
    if last is None and not first:
        return f"is above 0 up to k = {laws.ks[-1]}"
    parts = [f"at k = {listed(first, laws.ks)}"] if first else []
    parts += [f"from k = {last} on"] if last is not None else []
    return f"cannot be told from 0 {' and '.join(parts)}"


def _open(study: PassStudy, name: str, laws: PassLaws) -> list[str]:
    """At which k coefficients are open, in their value or at an end of their interval."""
    lines = []
    for coefficient in study.open[name]:
        at = [fit.k for fit in laws.fits if coefficient in fit.undetermined]
        if at:
            lines.append(f"{coefficient}: left open by the models at k = {listed(at, laws.ks)}")
        for side, what in enumerate(("below", "above")):
            at = [
                fit.k
                for fit in laws.fits
                if coefficient not in fit.undetermined and fit.open_ends(coefficient, study.level)[side]
            ]
            if at:
                share = f"over {50.0 * (1.0 - study.level):g} % of the refits end at a limit of the search"
                lines.append(f"{coefficient}: open {what} at k = {listed(at, laws.ks)}, where {share}")
    return lines


def _at_odds(study: PassStudy, laws: PassLaws) -> list[str]:
    """That the compute law says otherwise of E0, why, and which of the two to believe how far."""
    if not study.floors_at_odds:
        return []
    floor, at = laws.kind.floor, listed(study.floors_at_odds, laws.ks)
    doubt = [name for name in laws.kind.exponents if name in study.open["params-tokens"]]
    but = f", and {' and '.join(doubt)} {'are' if len(doubt) > 1 else 'is'} left open" if doubt else ""
    return [
        f"{floor}: at odds with that of the compute law at k = {at}: models off their best allocation lie on no single curve in "
        f"compute, and that law's {floor} and alpha take up the difference. Of the two this {floor} is the better founded; it is "
        f"what two power laws leave far beyond all models{but}"
    ]


def _trend(item: Trend, ks: tuple[int, ...]) -> str:
    if item.open_at:
        return f"{item.name}: its trend in k cannot be told, as it is open at k = {listed(item.open_at, ks)}"
    between = "" if item.slope_interval is None else f" {_between(*item.slope_interval)}"
    return f"{item.name}: {item.slope:+.4f}{between} for each unit of ln k: {item.verdict}"


def _together(study: PassStudy, name: str) -> str:
    found, laws = study.validity[name], study.laws[name]
    what = {"compute": "compute", "params-tokens": "compute, each at its best allocation,"}.get(name, "1/g")
    interval = study.validity_intervals.get(name)
    between = "" if interval is None else f" {_between(*interval)}"
    count, size = study.models_contradicted[name], len(laws.data.counts)
    those = f"; they contradict each other at {count} of the {counted(size, 'model')} themselves" if count else ""
    if found.floor == 0.0:
        return f"the laws at all k hold together at every {what.removesuffix(',')}{those}"
    pair = found.binding or (0, 0)
    if found.floor == float("inf"):
        where = f"every large {what.removesuffix(',')}"
        return f"the laws contradict each other at {where}: those at k = {pair[0]:g} and {pair[1]:g}{those}"
    above = f"{number(found.floor, DIGITS)}{between}"
    return f"the laws hold together for {what} above {above}: there k = {pair[0]:g} and {pair[1]:g} cross{those}"


def _envelopes(study: PassStudy) -> list[str]:
    if not study.envelopes:
        return []
    return [
        "Envelope of the params+tokens law beside the compute law",
        "",
        *_narrowed(lambda digits, ends: _envelope_table(study, digits, ends)),
        "median penalty: (y - E0)/(y* - E0) of the models' own params and tokens; a compute law fitted to",
        "them lies above the envelope by about as much.",
        *wrap(f"agree: the whole interval of the difference is below {100 * TOLERANCE:g} % of alpha; {OTHERWISE}", WIDTH),
    ]


def _envelope_table(study: PassStudy, digits: int, ends: int) -> list[str]:
    rows = []
    for item in study.envelopes:
        derived, fitted = item.derived["alpha"], item.fitted["alpha"]
        pair = item.difference_interval
        rows.append(
            [
                str(item.k),
                number(derived, digits) + _maybe(item.derived_intervals.get("alpha"), ends),
                number(fitted, digits) + _maybe(item.fitted_intervals.get("alpha"), ends),
                f"{item.difference_in_alpha:+.4f}" + _maybe(pair, ends),
                number(item.penalty, DIGITS),
                item.verdict,
            ]
        )
    return table(["k", "alpha\nderived", "alpha\nfitted", "difference", "median\npenalty", "verdict"], rows)


def _penalties(study: PassStudy) -> list[str]:
    if not study.penalties:
        return []
    rows = []
    for row in study.penalties:
        rows.append(
            [str(row["k"]), number(row["ratio"], DIGITS)]
            + [number(row[name], DIGITS) + _of(row, name) for name in ("loss_penalty", "effective_compute")]
            + ["open: " + ", ".join(row["undetermined"]) if row["undetermined"] else ""]
        )
    return [
        "What over- and undertraining cost, by the params+tokens law",
        "",
        *table(["k", "ratio", "penalty", "effective compute", ""], rows),
        "ratio: (D/N)/(D*/N*) at the same compute; penalty: (y - E0)/(y* - E0) of y = -log pass@k.",
        *_open_costs(study),
        *_where(study),
    ]


def _open_costs(study: PassStudy) -> list[str]:
    """What the marks mean, where there are any."""
    if not any(row.get(f"{name}_open") for row in study.penalties for name in ("loss_penalty", "effective_compute")):
        return []
    share = f"over {50.0 * (1.0 - study.level):g} % of the refits end at a limit of the search for an exponent"
    return wrap(f"< and >: no ends, as {share}.", WIDTH)


def _where(study: PassStudy) -> list[str]:
    """Where in compute the penalties may be believed."""
    found = study.validity.get("params-tokens")
    if found is None or not 0.0 < found.floor < float("inf"):
        return []
    above = f"above {number(found.floor, DIGITS)} FLOP only"
    return wrap(f"They do not depend on compute, but the laws at different k hold together {above}.", WIDTH)


def _composed(study: PassStudy) -> list[str]:
    if not study.compositions:
        return []
    law = study.compositions[0].composition
    own = law.compute_law
    return [
        f"By way of the gold likelihood, on the {study.laws['gold'].fits[0].n_models} models that have it:",
        f"g = {number(own.Eg, DIGITS)} + {number(own.Gg, DIGITS)} C^-{number(own.ag, DIGITS)}",
        "",
        *_narrowed(lambda digits, ends: _composed_table(study, digits, ends)),
        law.case,
        "at C max: exponent of y - E0 at the greatest compute of the models; alpha composed is its limit for",
        "C -> oo.",
        *_paired(study),
    ]


def _paired(study: PassStudy) -> list[str]:
    """How many refits the composed intervals are from."""
    done = study.laws["gold"].resamples
    used = [0 if way.draws is None else len(way.draws) for way in (item.composition for item in study.compositions)]
    if not done or min(used) == done:
        return []
    return wrap(f"intervals: from {min(used)} to {max(used)} of {done} resamples, those certified in both laws", WIDTH)


def _composed_table(study: PassStudy, digits: int, ends: int) -> list[str]:
    rows = []
    for item in study.compositions:
        way = item.composition
        bands = way.implied_bands(item.level)
        cells = []
        for value, band in ((way.implied.E, bands["E"]), (way.implied.alpha, bands["alpha"])):
            between = None if band.low is None else (float(band.low), float(band.high))
            cells.append(number(float(value or 0.0), digits) + _maybe(between, ends))
        cells.append(number(float(item.composed_reducible_exponent[-1]), digits))
        worst, ratio = item.largest
        rows.append(
            [
                f"{item.k:g}",
                *cells,
                number(item.direct.E or 0.0, digits),
                number(item.direct.alpha, digits),
                f"{ratio:+.3f} at {worst:.3g}",
            ]
        )
    return table(COMPOSED_HEAD, rows)


def _mixed(study: PassStudy) -> list[str]:
    if not study.mixed:
        return []
    rows = [
        [
            f"{item.k[0]}, {item.k[1]}",
            f"{item.compute[0]:.3g} to {item.compute[1]:.3g}",
            f"{item.measured:+.4f}",
            f"{item.predicted:+.4f}",
            f"{item.difference:+.4f}" + ("" if item.interval is None else f" {_between(*item.interval)}"),
            item.verdict,
        ]
        for item in study.mixed
    ]
    differ, told = sum(item.verdict == "differ" for item in study.mixed), sum(item.interval is not None for item in study.mixed)
    share = f"{100 * TOLERANCE:g} % of alpha"
    meaning = f"agree: the whole interval of the difference, from k to k, comes to less than {share}; {OTHERWISE}"
    return [
        "Mixed derivative d2 log y/(dlog C dlog k): of the models, and of the compute laws",
        "",
        *table(["k", "models of compute", "measured", "by the laws", "difference", "verdict"], rows),
        *(wrap(meaning, WIDTH) if told else []),
        *([f"{differ} of {told} differ beyond chance: where they do, the laws bend otherwise than the data."] if told else []),
    ]


def predictions_text(rows: Sequence[dict[str, Any]], level: float) -> str:
    """Predictions of the compute law with their intervals, a row a compute and k."""
    cells = [
        [
            f"{row['compute']:.4g}",
            str(row["k"]),
            number(row["neg_log"], DIGITS),
            _between(row["lo"], row["hi"]),
            number(row["pass_at_k"], DIGITS),
        ]
        for row in rows
    ]
    head = ["compute", "k", "-log pass@k", f"{100 * level:g} % for a new model", "pass@k"]
    return "\n".join(["Predictions of the compute law", "", *table(head, cells)])


def _of(row: dict[str, Any], name: str) -> str:
    """The interval of a cost behind its value, where there is one; an end that is none is marked < or >."""
    if f"{name}_lo" not in row:
        return ""
    low, high = (number(row[f"{name}_{end}"], ENDS) for end in ("lo", "hi"))
    return f" {_marked(low, high, row[f'{name}_open'] in ('below', 'both'), row[f'{name}_open'] in ('above', 'both'))}"


def number(value: float, digits: int) -> str:
    """A number; inf is one here, for computes that no model reaches."""
    return finite(value, digits) if isfinite(value) else INFINITE


def _percent(level: float) -> str:
    return f"[{100 * level:g} %]"


def _maybe(interval: tuple[float, float] | None, digits: int) -> str:
    """An interval behind a value, where there is one and room for it."""
    return f" {_between(*interval, digits)}" if interval is not None and digits else ""


def _between(low: float, high: float, digits: int = 3) -> str:
    return f"[{number(low, digits)}, {number(high, digits)}]"
