"""A choice between laws for a reader, at most 100 columns wide."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from ..fit.text import WIDTH, clean, number, table
from ..words import counted

if TYPE_CHECKING:
    from .choice import Choice

__all__ = ["choice_text"]

UNKNOWN = "-"


def choice_text(choice: Choice) -> str:
    """The criteria of every law beside its extrapolation, and each pair of which the closer law predicts worse."""
    parts = [_head(choice), _criteria(choice), _folds(choice), _verdict(choice)]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _head(choice: Choice) -> list[str]:
    left = f", {choice.left_out} left out below that or at accuracy 1" if choice.left_out else ""
    text = (
        f"{clean(choice.benchmark)}: the same {counted(choice.n, 'run')} for every law, above guessing by more than "
        f"{choice.margin:g}{left}. Criteria: Gaussian residuals of raw accuracy, coefficients refitted by least squares of "
        "accuracy; K counts the coefficients that the accuracies depend on, and the variance. Extrapolation: each law's own fit "
        "up to a cut in compute predicts the runs up to the next cut; mean and median |error| are over all of these."
    )
    return wrap(text, WIDTH)


def _criteria(choice: Choice) -> list[str]:
    errors = choice.extrapolation(*choice.laws) if choice.laws else {}
    middle = choice.typical(*choice.laws) if choice.laws else {}
    heading = ("law", "RMSE\nown fit", "least\nsquares", "K", "AIC", "AICc", "BIC", "mean\n|error|", "median\n|error|")
    rows = []
    for each in choice.criteria:
        sizes = [UNKNOWN if value is None else number(value, 3) for value in (each.own_rmse, each.rmse)]
        figures = [UNKNOWN if value is None else f"{value:.1f}" for value in (each.aic, each.aicc, each.bic)]
        count = UNKNOWN if each.n_free is None else str(each.n_free + 1)
        ahead = [number(found[each.law], 3) if each.law in found else UNKNOWN for found in (errors, middle)]
        rows.append((each.law, *sizes, count, *figures, *ahead))
    return table(heading, rows)


def _folds(choice: Choice) -> list[str]:
    laws = [law for law in choice.laws if any(law in fold.off for fold in choice.folds)]
    if not laws:
        return []
    rows = []
    for fold in choice.folds:
        errors = fold.errors
        cells = [number(errors[law], 3) if law in errors else UNKNOWN for law in laws]
        rows.append((number(fold.cut, 3), number(fold.until, 3), str(fold.n_train), str(fold.n_next), *cells, ""))
    heads = ["\n".join(law.split("-")) for law in laws]
    return table(("cut (FLOP)", "until", "fitted", "predicted", *heads, ""), rows)


def _verdict(choice: Choice) -> list[str]:
    lines = [
        f"closest to the runs: {choice.closest or UNKNOWN}; least AICc: {choice.best_aicc or UNKNOWN}; "
        f"least BIC: {choice.best_bic or UNKNOWN}; extrapolates best: {choice.best_extrapolation or UNKNOWN}"
    ]
    lines += [
        f"warning: {each.closer} is closer to the runs than {each.farther} (RMSE {number(each.rmse[0], 3)} against "
        f"{number(each.rmse[1], 3)}) and extrapolates worse (mean {number(each.error[0], 3)} against {number(each.error[1], 3)}, "
        f"median {number(each.median[0], 3)} against {number(each.median[1], 3)}, over {counted(each.n_predicted, 'run')})"
        for each in choice.reversals
    ]
    lines += [
        f"warning: {law}: {n} of {counted(total, 'prediction')} lie outside [0, 1], where no accuracy is; they count as they are"
        for law, (n, total) in choice.outside.items()
        if n
    ]
    lines += [f"note: {each.law}: {clean(each.failed)}" for each in choice.criteria if each.failed]
    lines += [
        f"note: {each.law}: the likelihood grows as coefficients do without bound; the criteria are those of its limit"
        for each in choice.criteria
        if not each.is_attained
    ]
    lines += [
        f"note: {law}: no prediction from the runs up to {number(fold.cut, 3)} FLOP: {clean(reason)}"
        for fold in choice.folds
        for law, reason in fold.failed.items()
    ]
    if not choice.folds and not choice.interrupted:
        lines.append("note: too few runs of different compute for an extrapolation")
    if choice.interrupted:
        lines.append("note: interrupted: laws and cuts that were not reached are left out")
    return [line for text in lines for line in wrap(text, WIDTH, subsequent_indent="  ")]
