"""The laws of accuracy by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...theory.data.notation import close_matches
from ..errors import ArgumentError
from ..fit.models import MODELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.evaluations import Evaluations
    from ..data.sample import Sample
    from .baselines import Baseline
    from .kind import Kind

    Mask = NDArray[np.bool_]

__all__ = ["LAWS", "held_out_of", "kind_for", "law_named"]

#: In the order in which they are listed. bnsl-2 and so on have as many breaks; forms of
#: `isoflop.numeric.fit.models.MODELS` that are expressions are laws of -log Q' as well.
LAWS = (
    "compute",
    "compute-ceiling",
    "params-tokens",
    "params-tokens-ceiling",
    "bnsl",
    "bnsl-2",
    "bnsl-3",
    "two-stage-linear",
    "two-stage-logistic",
    "two-stage-exponential",
    "bilinear",
    *(name for name, form in MODELS.items() if form.is_expression),
)


def law_named(name: str, *, margin: float | None = None) -> Kind:
    """A law by name.

    Parameters
    ----------
    name : str
        One of `LAWS`.
    margin : float, optional
        By how much accuracy must exceed guessing for a run to be fitted, in place of the law's own.

    Raises
    ------
    ValueError
        Where there is no such law.
    """
    if name not in LAWS:
        raise ArgumentError("law", name, f"one of {', '.join(LAWS)}{close_matches(name, LAWS)}")
    found = _found(name)
    if margin is None:
        return found
    return replace(found, margin=margin)  # type: ignore[type-var]


def _found(name: str) -> Kind:
    if name.startswith("two-stage-"):
        from .two_stage import two_stage

        return two_stage(name.removeprefix("two-stage-"))
    if name.startswith("bnsl"):
        from .broken_fit import BNSL_KINDS

        return BNSL_KINDS[name]
    if name == "bilinear":
        from .bilinear import BILINEAR

        return BILINEAR
    from .power import POWER_KINDS

    return POWER_KINDS[name]


def kind_for(law: str, baseline: Baseline, *, margin: float | None = None) -> Kind:
    """A law by name, for a benchmark: with the margin that is given, else that which comes with the
    accuracy of guessing.

    The latter takes the place of the laws' usual one alone: a law that is fitted to all runs above
    guessing, or to all, still is.
    """
    from .kind import MARGIN

    found = law_named(law, margin=margin)
    if margin is None and baseline.margin is not None and found.margin == MARGIN:
        return law_named(law, margin=baseline.margin)
    return found


def held_out_of(evaluations: Evaluations, sample: Sample, condition: str | None) -> Mask:
    """The runs of a sample that a condition holds out (n,); none without one.

    A condition on k concerns the pairs alone: runs without k are those at k = 1.
    """
    if condition is None:
        return np.zeros(len(sample), bool)
    if sample.at.k is None:
        sample = replace(sample, at=replace(sample.at, k=np.ones(len(sample))))
    return evaluations.held_out(sample, condition)
