"""A study of pass@k for a reader: its tables, and what the text says besides."""

from __future__ import annotations

from dataclasses import replace
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
    from .study import LawInK, PassStudy

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
NO_ENDS = "of the refits end at a limit of the search"


def study_text(study: PassStudy) -> str:
    """Every law with its table over k and its findings, then the other tables."""
    parts = []
    for found in study.findings.values():
        laws = found.laws
        head = [
            f"-log pass@k = {laws.kind.formula}  ({laws.kind.name})",
            f"{laws.method}: {MEANING[laws.method]}",
            *wrap(f"{_models(laws)}{_resampled(laws, study.level)}", WIDTH),
            "",
        ]
        parts.append("\n".join([*head, _coefficients(study, found).changed(title="").text()]))
    parts += [str(table).replace("\n", "\n\n", 1) for table in _after(study)]
    return "\n\n".join(parts)


def tables(study: PassStudy) -> list[Table]:
    """All tables of a study."""
    laws = [_coefficients(study, found) for found in study.findings.values()]
    return [*laws, *_after(study)]


def _after(study: PassStudy) -> list[Table]:
    made = (
        (study.envelopes, _envelopes),
        (study.penalties, _penalties),
    )
    return [table(study) for items, table in made if items]


def _fitting(key: str, heading: str, of: Callable[[Any], Any] | None = None) -> Column:
    """A column of numbers, with their intervals, that gives up digits where there is no room."""
    return Column(key, heading, format=FOUR, show="all", interval=BRACKETS, of=of)


def _narrowed(table: Table) -> Table:
    """The table with so many digits in its fitting columns that it is no wider than WIDTH."""
    narrow = table
    for digits, ends in PRECISIONS:
        changes: dict[str, Any] = {"interval": Interval(Significant(ends))} if ends else {}
        columns = []
        for column in table.columns:
            if column.show == "all":
                fewer = {"format": Significant(digits)} if column.format == FOUR else {}
                column = column.changed(**changes, **fewer)
                if not ends:
                    plain = column.heading.partition("\n[")[0]
                    column = column.changed(show="value", heading=plain)
            columns.append(column)
        narrow = table.changed(columns=columns)
        if max(map(len, narrow.lines())) <= WIDTH:
            break
    return narrow


# -- the laws --------------------------------------------------------------------------------------


def _coefficients(study: PassStudy, found: LawInK) -> Table:
    laws, kind, level = found.laws, found.laws.kind, study.level
    narrow = len(kind.coefficients) > MOST_WIDE
    columns = [Column("k", align="left")]
    for name in kind.coefficients:
        with_ends = laws.resamples > 0 and not (narrow and name in kind.prefactors)
        heading = f"{name}\n[{100 * level:g} %]" if with_ends else name
        columns.append(_fitting(name, heading, _coefficient(name, level, with_ends)))
    columns += [Column("scatter", format=THREE), Column("n_models", "models", align="left")]
    if not all(fit.converged for fit in laws.fits):
        columns.append(Column("note", " ", align="left", of=_not_certified))
    failed = [f"k = {k}: no fit: {why}" for k, why in laws.failed.items()]
    notes = [*failed, *_findings(study, found)]
    return _narrowed(Table(columns, laws.fits, f"-log pass@k = {kind.formula}", notes))


def _coefficient(name: str, level: float, with_ends: bool) -> Callable[[Any], Any]:
    def of(fit: PassFit) -> Estimate:
        found = fit.estimate(name, level)
        return found if with_ends else replace(found, low=None, high=None)

    return of


def _not_certified(fit: PassFit) -> str:
    return "" if fit.converged else "not certified"


def _models(laws: PassLaws) -> str:
    first = laws.fits[0]
    refused = max(fit.n_refused for fit in laws.fits)
    lost = (
        (first.n_unsolved, f"{first.n_unsolved} of them without a success"),
        (first.n_without, f"{first.n_without} left out without a success"),
        (refused, f"up to {refused} left out where some problem has fewer than k samples"),
        (
            laws.n_without_covariates,
            f"{laws.n_without_covariates} without {' and '.join(laws.kind.covariates)} left out",
        ),
    )
    said = "; ".join(words for count, words in lost if count)
    most = max(fit.n_models for fit in laws.fits)
    return counted(most, "model") + (f" ({said})" if said else "")


def _resampled(laws: PassLaws, level: float) -> str:
    if not laws.resamples:
        return "; no resamples, no intervals"
    drawn = "models"
    if laws.cluster is not None:
        values = len(np.unique(laws.covariates[laws.cluster]))
        drawn = f"the {values} values of {laws.cluster} with all their models"
    failed, done = sum(fit.n_failed for fit in laws.fits), laws.resamples * len(laws)
    lost = (
        f"; {failed} of the {done} refits of this law were not certified and are left out"
        if failed
        else ""
    )
    return (
        f"; intervals {100 * level:g} %, {laws.resamples} resamples of {drawn}, seed "
        f"{laws.seed}{lost}"
    )


def _findings(study: PassStudy, found: LawInK) -> list[str]:
    laws, kind = found.laws, found.laws.kind
    lines = [*found.cautions, *_undetermined(found)]
    if found.not_told_from_0 is not None:
        lines.append(f"{kind.floor}: {_vanishes(found)}")
    if kind.name == "params-tokens" and study.floors_at_odds:
        lines.append(_at_odds(study, found))
    for item in found.trends:
        if item.name not in kind.prefactors:
            lines.append(_trend(item, laws.ks))
    if found.validity is not None:
        lines.append(_together(found))
    elif len(laws) > 1:
        lines.append(
            "with coefficients left open, where the laws at all k hold together is not told"
        )
    return lines


def _vanishes(found: LawInK) -> str:
    """At which k the irreducible part cannot be told from 0."""
    last, ks = found.vanishes_at, found.laws.ks
    first = [k for k in found.not_told_from_0 or () if last is None or k < last]
    if last is None and not first:
        return f"is above 0 up to k = {ks[-1]}"
    parts = [f"at k = {listed(first, ks)}"] if first else []
    parts += [f"from k = {last} on"] if last is not None else []
    return f"cannot be told from 0 {' and '.join(parts)}"


def _undetermined(found: LawInK) -> list[str]:
    """At which k coefficients are undetermined, in their value or at an end of their interval."""
    lines, laws = [], found.laws
    for name in found.open:
        at: dict[str, list[int]] = {"left": [], "below": [], "above": []}
        for fit in laws.fits:
            one = fit.estimate(name, found.level)
            side = "left" if one.undetermined else open_side(one)
            for key in ("below", "above") if side == "both" else (side,):
                if key is not None:
                    at[key].append(fit.k)
        share = f"over {50.0 * (1.0 - found.level):g} % {NO_ENDS}"
        for key, ks in at.items():
            how = "left open by the models" if key == "left" else f"open {key}"
            where = "" if key == "left" else f", where {share}"
            if ks:
                lines.append(f"{name}: {how} at k = {listed(ks, laws.ks)}{where}")
    return lines


def _at_odds(study: PassStudy, found: LawInK) -> str:
    """That the compute law says otherwise of E0, why, and which of the two to believe how far."""
    kind = found.laws.kind
    floor, at = kind.floor, listed(study.floors_at_odds, found.laws.ks)
    doubt = [name for name in kind.exponents if name in found.open]
    but = (
        f", and {' and '.join(doubt)} {'are' if len(doubt) > 1 else 'is'} left open"
        if doubt
        else ""
    )
    return (
        f"{floor}: at odds with that of the compute law at k = {at}: models off their best "
        f"allocation lie on no single curve in compute, and that law's {floor} and alpha take up "
        f"the difference. Of the two this {floor} is the better founded; it is what two power laws "
        f"leave far beyond all models{but}"
    )


def _trend(item: TrendInK, ks: tuple[int, ...]) -> str:
    if item.open_at:
        at = listed(item.open_at, ks)
        return f"{item.name}: its trend in k cannot be told, as it is open at k = {at}"
    slope = item.slope
    ends = f" {BRACKETS.text(slope.low, slope.high)}" if slope.has_interval else ""
    return f"{item.name}: {slope.value:+.4f}{ends} for each unit of ln k: {item.verdict}"


def _together(found: LawInK) -> str:
    validity, laws, count = found.validity, found.laws, found.models_contradicted
    assert validity is not None
    what = {"compute": "compute", "params-tokens": "compute, each at its best allocation,"}.get(
        laws.kind.name, "1/g"
    )
    plain = what.removesuffix(",")
    size = counted(len(laws.data.counts), "model")
    besides = f"; they contradict each other at {count} of the {size} themselves" if count else ""
    if validity.floor == 0.0:
        return f"the laws at all k hold together at every {plain}{besides}"
    one, two = validity.binding or (0, 0)
    if validity.floor == np.inf:
        return (
            f"the laws contradict each other at every large {plain}: those at k = {one:g} and "
            f"{two:g}{besides}"
        )
    ends = found.validity_interval
    between = "" if ends is None else f" {BRACKETS.text(*ends)}"
    above = f"{FOUR.text(validity.floor)}{between}"
    return (
        f"the laws hold together for {what} above {above}: there k = {one:g} and {two:g} "
        f"cross{besides}"
    )


# -- what follows from several laws ----------------------------------------------------------------


def _envelopes(study: PassStudy) -> Table:
    table = Table(
        [
            Column("k", align="left"),
            _fitting("derived", "alpha\nderived", lambda item: item.derived["alpha"]),
            _fitting("fitted", "alpha\nfitted", lambda item: item.fitted["alpha"]),
            _fitting("difference", "").changed(format=SIGNED),
            Column("penalty", "median\npenalty", format=FOUR),
            Column("verdict", align="left"),
        ],
        study.envelopes,
        "Envelope of the params+tokens law beside the compute law",
        [
            "median penalty: (y - E0)/(y* - E0) of the models' own params and tokens; a compute "
            "law fitted to them lies above the envelope by about as much.",
            f"agree: the whole interval of the difference is below {100 * TOLERANCE:g} % of "
            f"alpha; {OTHERWISE}",
        ],
    )
    return _narrowed(table)


def _penalties(study: PassStudy) -> Table:
    notes = [
        "ratio: (D/N)/(D*/N*) at the same compute; penalty: (y - E0)/(y* - E0) of y = -log pass@k."
    ]
    rows = study.penalties
    if any(item.loss_penalty.at_limit or item.effective_compute.at_limit for item in rows):
        share = f"over {50.0 * (1.0 - study.level):g} % {NO_ENDS} for an exponent"
        notes.append(f"< and >: no ends, as {share}.")
    found = study.findings["params-tokens"].validity
    if found is not None and 0.0 < found.floor < np.inf:
        above = f"above {FOUR.text(found.floor)} FLOP only"
        notes.append(
            f"They do not depend on compute, but the laws at different k hold together {above}."
        )
    columns = [
        Column("k", align="left"),
        Column("ratio", format=FOUR),
        _fitting("loss_penalty", "penalty"),
        _fitting("effective_compute", "effective compute"),
    ]
    if any(item.undetermined for item in rows):
        columns.append(Column("open", align="left", of=lambda item: ", ".join(item.undetermined)))
    title = "What over- and undertraining cost, by the params+tokens law"
    return Table(columns, rows, title, notes)


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
