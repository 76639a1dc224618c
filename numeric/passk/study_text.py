"""A study of pass@k for a reader: its tables, each described once, and what the text says besides."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Interval, Places, Significant
from ...theory.typeset.table import Column, Table
from ..words import counted
from .across_k import TOLERANCE
from .cautions import listed
from .fit_at_k import open_side

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..results import Estimate
    from .across_k import TrendInK
    from .fit_at_k import PassFit
    from .laws import PassLaws
    from .study import PassStudy

WIDTH = 100
FOUR, THREE = Significant(4), Significant(3)
BRACKETS, SIGNED = Interval(THREE), Places(4, sign=True)
#: Digits of values and of the ends of their intervals, 0 for no intervals, until a table is no
#: wider than WIDTH.
PRECISIONS = ((4, 3), (3, 3), (3, 2), (2, 2), (4, 0))
#: Of more coefficients, prefactors are shown without their intervals, which JSON and CSV have.
MOST_WIDE = 3
#: What verdicts mean but for "agree".
OTHERWISE = "differ: else, if it excludes 0; else it cannot be told."
MEANING = {
    "likelihood": "binomial counts over Beta success rates, models scattered lognormally about the "
    "law",
    "least-squares-log": "least squares of log(-log pass@k) on the unbiased estimates",
}


def study_text(study: PassStudy) -> str:
    """Every law with its table over k and its findings, then the other tables."""
    parts = [_law(study, name, laws) for name, laws in study.laws.items()]
    parts += [str(table).replace("\n", "\n\n", 1) for table in _after(study)]
    return "\n\n".join(parts)


def tables(study: PassStudy) -> list[Table]:
    """All tables of a study."""
    return [*(_coefficients(laws, study.level) for laws in study.laws.values()), *_after(study)]


def _after(study: PassStudy) -> list[Table]:
    made = (
        (study.envelopes, _envelopes),
        (study.penalties, _penalties),
        (study.compositions, _composed),
        (study.mixed, _mixed),
    )
    return [table(study) for items, table in made if items]


def _narrowed(made: Callable[[int, int], Table]) -> Table:
    """A table of so many digits that it is no wider than WIDTH."""
    for digits, ends in PRECISIONS:
        table = made(digits, ends)
        if max(map(len, table.lines())) <= WIDTH:
            break
    return table


def _with_interval(
    key: str, heading: str, digits: int, ends: int, of: Callable[[Any], Any]
) -> Column:
    """A column of estimates with their intervals, without these where there is no room."""
    interval = Interval(Significant(ends or 1))
    return Column(
        key,
        heading,
        format=Significant(digits),
        show="all" if ends else "value",
        interval=interval,
        of=of,
    )


# -- the laws ----------------------------------------------------------------------------------------------------------


def _law(study: PassStudy, name: str, laws: PassLaws) -> str:
    lines = [
        f"-log pass@k = {laws.kind.formula}  ({name})",
        f"{laws.method}: {MEANING[laws.method]}",
        *wrap(f"{_models(laws)}{_resampled(laws, study.level)}", WIDTH),
        "",
        *_coefficients(laws, study.level).lines(),
    ]
    findings = [f"k = {k}: no fit: {why}" for k, why in laws.failed.items()]
    for line in [*findings, *_findings(study, name, laws)]:
        lines += wrap(line, WIDTH, subsequent_indent="  ")
    return "\n".join(lines)


def _coefficients(laws: PassLaws, level: float) -> Table:
    kind = laws.kind
    narrow = len(kind.coefficients) > MOST_WIDE

    def made(digits: int, ends: int) -> Table:
        columns = [Column("k", align="left")]
        for name in kind.coefficients:
            wide = bool(laws.resamples and ends) and not (narrow and name in kind.prefactors)
            heading = f"{name}\n[{100 * level:g} %]" if wide else name
            columns.append(
                _with_interval(
                    name, heading, digits, ends if wide else 0, _coefficient(name, level)
                )
            )
        columns += [Column("scatter", format=THREE), Column("n_models", "models", align="left")]
        if not all(fit.converged for fit in laws.fits):
            columns.append(
                Column(
                    "note",
                    " ",
                    align="left",
                    of=lambda fit: "" if fit.converged else "not certified",
                )
            )
        return Table(columns, laws.fits, f"-log pass@k = {kind.formula}")

    return _narrowed(made)


def _coefficient(name: str, level: float) -> Callable[[Any], Estimate]:
    def of(fit: PassFit) -> Estimate:
        return fit.estimate(name, level)

    return of


def _models(laws: PassLaws) -> str:
    first = laws.fits[0]
    lost = []
    if first.n_unsolved:
        lost.append(f"{first.n_unsolved} of them without a success")
    if first.n_without:
        lost.append(f"{first.n_without} left out without a success")
    if refused := max(fit.n_refused for fit in laws.fits):
        lost.append(f"up to {refused} left out where some problem has fewer than k samples")
    if laws.n_without_covariates:
        lost.append(
            f"{laws.n_without_covariates} without {' and '.join(laws.kind.covariates)} left out"
        )
    most = max(fit.n_models for fit in laws.fits)
    return counted(most, "model") + (f" ({'; '.join(lost)})" if lost else "")


def _resampled(laws: PassLaws, level: float) -> str:
    if not laws.resamples:
        return "; no resamples, no intervals"
    drawn = "models"
    if laws.cluster is not None:
        drawn = f"the {len(np.unique(laws.covariates[laws.cluster]))} values of {laws.cluster} with all their models"
    failed, done = sum(fit.n_failed for fit in laws.fits), laws.resamples * len(laws)
    lost = (
        f"; {failed} of the {done} refits of this law were not certified and are left out"
        if failed
        else ""
    )
    return f"; intervals {100 * level:g} %, {laws.resamples} resamples of {drawn}, seed {laws.seed}{lost}"


def _findings(study: PassStudy, name: str, laws: PassLaws) -> list[str]:
    lines = [*study.cautions[name], *_undetermined(study, name, laws)]
    floor = laws.kind.floor
    if name in study.vanishing:
        lines.append(f"{floor}: {_vanishes(study, name, laws)}")
    lines += _at_odds(study, laws) if name == "params-tokens" else []
    for item in study.trends.get(name, []):
        if item.name == floor or item.name in laws.kind.exponents:
            lines.append(_trend(item, laws.ks))
    if name in study.validity:
        lines.append(_together(study, name))
    elif len(laws) > 1:
        lines.append(
            "with coefficients left open, where the laws at all k hold together is not told"
        )
    return lines


def _vanishes(study: PassStudy, name: str, laws: PassLaws) -> str:
    """At which k the irreducible part cannot be told from 0."""
    last = study.vanishing[name]
    first = [k for k in study.not_told_from_0[name] if last is None or k < last]
    if last is None and not first:
        return f"is above 0 up to k = {laws.ks[-1]}"
    parts = [f"at k = {listed(first, laws.ks)}"] if first else []
    parts += [f"from k = {last} on"] if last is not None else []
    return f"cannot be told from 0 {' and '.join(parts)}"


def _undetermined(study: PassStudy, name: str, laws: PassLaws) -> list[str]:
    """At which k coefficients are undetermined, in their value or at an end of their interval."""
    lines = []
    share = f"over {50.0 * (1.0 - study.level):g} % of the refits end at a limit of the search"
    for coefficient in study.open[name]:
        found = {fit.k: fit.estimate(coefficient, study.level) for fit in laws.fits}
        if at := [k for k, one in found.items() if one.undetermined]:
            lines.append(f"{coefficient}: left open by the models at k = {listed(at, laws.ks)}")
        for side in ("below", "above"):
            if at := [
                k
                for k, one in found.items()
                if not one.undetermined and open_side(one) in (side, "both")
            ]:
                lines.append(
                    f"{coefficient}: open {side} at k = {listed(at, laws.ks)}, where {share}"
                )
    return lines


def _at_odds(study: PassStudy, laws: PassLaws) -> list[str]:
    """That the compute law says otherwise of E0, why, and which of the two to believe how far."""
    if not study.floors_at_odds:
        return []
    floor, at = laws.kind.floor, listed(study.floors_at_odds, laws.ks)
    doubt = [name for name in laws.kind.exponents if name in study.open["params-tokens"]]
    but = (
        f", and {' and '.join(doubt)} {'are' if len(doubt) > 1 else 'is'} left open"
        if doubt
        else ""
    )
    return [
        f"{floor}: at odds with that of the compute law at k = {at}: models off their best "
        f"allocation lie on no single curve in "
        f"compute, and that law's {floor} and alpha take up the difference. Of the two this "
        f"{floor} is the better founded; it is "
        f"what two power laws leave far beyond all models{but}"
    ]


def _trend(item: TrendInK, ks: tuple[int, ...]) -> str:
    if item.open_at:
        return f"{item.name}: its trend in k cannot be told, as it is open at k = {listed(item.open_at, ks)}"
    return f"{item.name}: {_signed(item.slope)} for each unit of ln k: {item.verdict}"


def _signed(estimate: Estimate) -> str:
    ends = f" {BRACKETS.text(estimate.low, estimate.high)}" if estimate.has_interval else ""
    return f"{estimate.value:+.4f}{ends}"


def _together(study: PassStudy, name: str) -> str:
    found, laws = study.validity[name], study.laws[name]
    what = {"compute": "compute", "params-tokens": "compute, each at its best allocation,"}.get(
        name, "1/g"
    )
    count, size = study.models_contradicted[name], len(laws.data.counts)
    besides = (
        f"; they contradict each other at {count} of the {counted(size, 'model')} themselves"
        if count
        else ""
    )
    if found.floor == 0.0:
        return f"the laws at all k hold together at every {what.removesuffix(',')}{besides}"
    one, two = found.binding or (0, 0)
    if found.floor == np.inf:
        where = f"every large {what.removesuffix(',')}"
        return (
            f"the laws contradict each other at {where}: those at k = {one:g} and {two:g}{besides}"
        )
    interval = study.validity_intervals.get(name)
    between = "" if interval is None else f" {BRACKETS.text(*interval)}"
    above = f"{FOUR.text(found.floor)}{between}"
    return f"the laws hold together for {what} above {above}: there k = {one:g} and {two:g} cross{besides}"


# -- what follows from several laws ------------------------------------------------------------------------------------


def _envelopes(study: PassStudy) -> Table:
    def made(digits: int, ends: int) -> Table:
        return Table(
            [
                Column("k", align="left"),
                _with_interval(
                    "derived", "alpha\nderived", digits, ends, lambda item: item.derived["alpha"]
                ),
                _with_interval(
                    "fitted", "alpha\nfitted", digits, ends, lambda item: item.fitted["alpha"]
                ),
                Column(
                    "difference",
                    format=SIGNED,
                    show="all" if ends else "value",
                    interval=Interval(Significant(ends or 1)),
                ),
                Column("penalty", "median\npenalty", format=FOUR),
                Column("verdict", align="left"),
            ],
            study.envelopes,
            "Envelope of the params+tokens law beside the compute law",
            [
                "median penalty: (y - E0)/(y* - E0) of the models' own params and tokens; a "
                "compute law fitted to them lies "
                "above the envelope by about as much.",
                f"agree: the whole interval of the difference is below {100 * TOLERANCE:g} % of "
                f"alpha; {OTHERWISE}",
            ],
        )

    return _narrowed(made)


def _penalties(study: PassStudy) -> Table:
    notes = [
        "ratio: (D/N)/(D*/N*) at the same compute; penalty: (y - E0)/(y* - E0) of y = -log pass@k."
    ]
    if any(
        cost.at_limit
        for item in study.penalties
        for cost in (item.loss_penalty, item.effective_compute)
    ):
        share = f"over {50.0 * (1.0 - study.level):g} % of the refits end at a limit of the search for an exponent"
        notes.append(f"< and >: no ends, as {share}.")
    found = study.validity.get("params-tokens")
    if found is not None and 0.0 < found.floor < np.inf:
        above = f"above {FOUR.text(found.floor)} FLOP only"
        notes.append(
            f"They do not depend on compute, but the laws at different k hold together {above}."
        )
    cost: dict[str, Any] = {"format": FOUR, "show": "all", "interval": BRACKETS}
    columns = [
        Column("k", align="left"),
        Column("ratio", format=FOUR),
        Column("loss_penalty", "penalty", **cost),
        Column("effective_compute", "effective compute", **cost),
    ]
    if any(item.undetermined for item in study.penalties):
        columns.append(Column("open", align="left", of=lambda item: ", ".join(item.undetermined)))
    return Table(
        columns,
        study.penalties,
        "What over- and undertraining cost, by the params+tokens law",
        notes,
    )


def _composed(study: PassStudy) -> Table:
    first = study.compositions[0]
    Eg, Gg, ag = map(FOUR.text, first.composition.coefficients[0, 3:])
    done = study.laws["gold"].resamples
    used = [
        0 if item.draws is None else len(item.draws.coefficients) for item in study.compositions
    ]
    notes = [
        f"On the {study.laws['gold'].fits[0].n_models} models that have it, g = {Eg} + {Gg} "
        f"C^-{ag}",
        first.case,
        "at C max: exponent of y - E0 at the greatest compute of the models; alpha composed is its "
        "limit for C -> oo.",
    ]
    if done and min(used) < done:
        notes.append(
            f"intervals: from {min(used)} to {max(used)} of {done} resamples, those certified in "
            f"both laws"
        )

    def made(digits: int, ends: int) -> Table:
        return Table(
            [
                Column("k", align="left"),
                _with_interval(
                    "E0_composed", "E0\ncomposed", digits, ends, lambda item: item.implied["E"]
                ),
                _with_interval(
                    "alpha_composed",
                    "alpha\ncomposed",
                    digits,
                    ends,
                    lambda item: item.implied["alpha"],
                ),
                Column(
                    "exponent",
                    "at\nC max",
                    format=Significant(digits),
                    of=lambda item: item.greatest_exponent,
                ),
                Column(
                    "E0_fitted",
                    "E0\nfitted",
                    format=Significant(digits),
                    of=lambda item: item.direct.E,
                ),
                Column(
                    "alpha_fitted",
                    "alpha\nfitted",
                    format=Significant(digits),
                    of=lambda item: item.direct.alpha,
                ),
                Column(
                    "largest",
                    "largest difference\nin log y",
                    align="left",
                    of=lambda item: f"{item.largest[1]:+.3f} at {item.largest[0]:.3g}",
                ),
            ],
            study.compositions,
            "By way of the gold likelihood",
            notes,
        )

    return _narrowed(made)


def _mixed(study: PassStudy) -> Table:
    differ = sum(item.verdict == "differ" for item in study.mixed)
    determined = sum(item.difference.has_interval for item in study.mixed)
    share = f"{100 * TOLERANCE:g} % of alpha"
    notes = [
        f"agree: the whole interval of the difference, from k to k, comes to less than {share}; "
        f"{OTHERWISE}",
        f"{differ} of {determined} differ beyond chance: where they do, the laws bend otherwise "
        f"than the data.",
    ]
    return Table(
        [
            Column("k", align="left", of=lambda item: f"{item.k[0]}, {item.k[1]}"),
            Column(
                "compute",
                "models of compute",
                of=lambda item: f"{item.compute[0]:.3g} to {item.compute[1]:.3g}",
            ),
            Column("measured", format=SIGNED),
            Column("predicted", "by the laws", format=SIGNED),
            Column("difference", format=SIGNED, show="all", interval=BRACKETS),
            Column("verdict", align="left"),
        ],
        study.mixed,
        "Mixed derivative d2 log y/(dlog C dlog k): of the models, and of the compute laws",
        notes if determined else (),
    )


def predictions_table(rows: Sequence[dict[str, Any]], level: float) -> Table:
    """Predictions of the compute law with their intervals, a row a compute and k."""
    return Table(
        [
            Column("compute", align="left", of=lambda row: f"{row['compute']:.4g}"),
            Column("k"),
            Column("neg_log", "-log pass@k", format=FOUR),
            Column(
                "interval",
                f"{100 * level:g} % for a new model",
                of=lambda row: BRACKETS.text(row["lo"], row["hi"]),
            ),
            Column("pass_at_k", "pass@k", format=FOUR, align="left"),
        ],
        rows,
        "Predictions of the compute law",
    )
