r"""The laws of accuracy, each a declaration.

.. math:: -\log Q' = E + \sum_k a_k x_k^{-b_k}, \qquad Q' = \frac{Q - Q_r}{1 - Q_r}, \qquad Q'_{max} = e^{-E};

the broken law of Q in compute, with one break; the two-stage laws, compute -> proxy ->
accuracy; the law of pass@k in compute and k,

.. math:: \log(-\log Q) = \log A + a \log C + b \log k + d \log C \log k, \qquad C_x = e^{-b/d}.

Sources: Krajewski et al. 2025, arXiv 2512.08894: equation 2 (compute), 10 (with a ceiling), 4
(params and tokens; its alpha is beta here and its beta gamma, as beta belongs to params
throughout), the last equation of Appendix L, Section 4.3 (two stages), equation 1 (broken, after
Caballero et al. 2023, arXiv 2210.14891), and equation 5 with the sign that it must have: the paper
prints +alpha log C with alpha > 0, which contradicts its equation 2 at k = 1. The objectives are
the paper's as well (Section 4.1, Section 3.3, Appendix M).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...theory.data.notation import close_matches
from .. import formulas
from ..errors import ArgumentError, outside
from ..fit.expression import Expression
from ..fit.fit import fit_form
from ..fit.objective import Objective
from ..fit.power import COMPUTE, PARAMS_TOKENS
from ..fit.uncertainty import SQUARES
from ..results import Estimate
from .broken import OF_BREAK, broken_values, fit_broken
from .law import MARGIN, Law, Part, as_runs, is_plane
from .two_stage import LINEAR, LOGISTIC, OVERTRAINING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Points
    from ..fit.power import PowerTerms
    from .baselines import Baseline
    from .law import LawFit

    Floats = NDArray[np.float64]

__all__ = ["BILINEAR", "LAWS", "USUAL", "crossing_of", "fit_bilinear", "law_named"]

HUBER = Objective(name="huber-log", delta=1e-3)
PLANE = Expression("exp(c + a*x + b*z + d*x*z)", extra=("x", "z"))
PLANE_COEFFICIENTS = ("log_A", "a", "b", "d")


def power_law(name: str, form: PowerTerms, objective: Objective = HUBER) -> Law:
    """The law of -log Q' that is a sum of power terms."""

    def fitted(sample: Points) -> tuple[Part, ...]:
        if len(sample) < (least := len(form.coefficients)):
            raise ValueError(
                f"{len(sample)} runs above guessing; must be at least {least} for the coefficients "
                f"of -log Q' = {form}"
            )
        return (Part.of(fit_form(as_runs(sample), form, objective)),)

    return Law(
        name=name,
        coefficients=form.coefficients,
        requires=form.requires,
        fitted=fitted,
        values=form.values,
        form=form,
    )


def fit_bilinear(sample: Points) -> tuple[Part, ...]:
    """Fit the plane of log y over log C, log k and their product at pairs of a run and k by least
    squares; ValueError where these do not determine its four coefficients. Distances from the means
    are used, as the product is nearly collinear with log k.
    """
    x, z = np.log(sample.compute), np.log(sample.k)
    x0, z0 = x.mean(), z.mean()
    if len(sample) < len(PLANE_COEFFICIENTS) or not is_plane(sample):
        domain = "points at two or more compute and two or more k, enough for four coefficients"
        raise outside("compute", f"{len(sample)} points", domain)

    def written(plane: Floats) -> Floats:
        c, a, b, d = plane.T
        return np.stack([c - a * x0 - b * z0 + d * x0 * z0, a - d * z0, b - d * x0, d], axis=1)

    fit = fit_form(as_runs(sample, x=x - x0, z=z - z0), PLANE, SQUARES)
    return (Part(fit, PLANE_COEFFICIENTS if fit.undetermined else (), written),)


def _on_plane(coefficients: Floats, at: Points) -> Floats:
    """-log Q (K, m), also below the compute at which the law holds."""
    named = dict(zip(PLANE_COEFFICIENTS, coefficients.T[:, :, None], strict=True))
    return np.asarray(np.exp(formulas.bilinear_log_value(compute=at.compute, k=at.k, **named)))


#: Fitted to all runs above guessing (Appendix M).
BROKEN = Law(
    name="bnsl",
    coefficients=OF_BREAK,
    requires=("compute",),
    fitted=lambda sample: (fit_broken(sample),),
    values=lambda coefficients, at: broken_values(coefficients, at.compute),
    is_neg_log=False,
    margin=0.0,
)
BILINEAR = Law(
    name="bilinear",
    coefficients=PLANE_COEFFICIENTS,
    requires=("compute", "k"),
    fitted=fit_bilinear,
    values=_on_plane,
)
_DECLARED = (
    power_law("compute", replace(COMPUTE, irreducible=""), SQUARES),
    power_law("compute-ceiling", COMPUTE),
    power_law("params-tokens", replace(PARAMS_TOKENS, irreducible="")),
    power_law("params-tokens-ceiling", PARAMS_TOKENS),
    BROKEN,
    LINEAR,
    LOGISTIC,
    BILINEAR,
    OVERTRAINING,
)
#: By name, in the order in which they are listed; and those that are fitted where none is named.
LAWS: dict[str, Law] = {law.name: law for law in _DECLARED}
USUAL = tuple(name for name in LAWS if name != OVERTRAINING.name)


def law_named(name: str, baseline: Baseline | None = None) -> Law:
    """The law with this name; ValueError where there is none. Where the baseline has a margin it
    replaces the usual one; laws that are fitted to all runs above guessing, or to all, keep theirs.
    """
    if name not in LAWS:
        raise ArgumentError("law", name, f"one of {', '.join(LAWS)}{close_matches(name, LAWS)}")
    found = LAWS[name]
    if baseline is None or baseline.margin is None or found.margin != MARGIN:
        return found
    return replace(found, margin=baseline.margin)


def crossing_of(fit: LawFit, level: float) -> Estimate | None:
    """C_x = exp(-b/d), the compute (FLOP) at which the curves of all k cross, with its percentile
    interval over refits; no ends where the interval of d holds 0, so that its sign is open. None for
    other laws, and for d = 0. Where d < 0 the law holds above C_x: below, more samples would solve
    less.
    """
    if fit.name != BILINEAR.name or fit.coefficients["d"] == 0.0:
        return None
    slope = fit.estimate("d", level)
    with np.errstate(over="ignore"):
        found = fit.estimate(
            lambda own: np.exp(formulas.bilinear_log_crossing(b=own["b"], d=own["d"])), level
        )
    is_open = slope.has_interval and not slope.excludes(0.0)
    return Estimate(found.value, undetermined=True, level=level) if is_open else found
