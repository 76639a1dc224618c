"""The envelope at every k: the compute law derived from the params+tokens law beside the one fitted
directly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..fit.models import PARAMS_TOKENS
from ..fit.quantities import quantities
from ..fit.resample import paired
from ..law.compute import power
from ..results import Band, Estimate
from .across_k import TOLERANCE, verdict
from .fit_at_k import open_side

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from .fit_at_k import PassFit
    from .laws import PassLaws

    Floats = NDArray[np.float64]

#: Computes between the least and the greatest of the models at which two laws are compared.
POINTS = 33
SHOWN = ("E0", "C0", "alpha")


@dataclass(frozen=True, eq=False, kw_only=True)
class EnvelopeAtK:
    """Two compute laws at one k.

    Attributes
    ----------
    k : int
    derived, fitted : dict of str to Estimate
        E0, C0 and alpha of the envelope of the params+tokens law, and of the law fitted to compute
        alone.
    difference : Estimate
        Of alpha, fitted less derived, with both laws refitted to the same resamples.
    compute : ndarray
        (P,): from the least to the greatest compute of the models.
    excess : Band
        Fitted over derived -log pass@k there, less 1: what the models' own allocations cost, and
        what else the laws disagree in.
    penalty : float
        Median over the models of (y - E0)/(y* - E0), the misallocation penalty of their own params
        and tokens.
    undetermined : tuple of str
        Coefficients of the params+tokens law that the models leave undetermined.
    """

    k: int
    derived: dict[str, Estimate]
    fitted: dict[str, Estimate]
    difference: Estimate
    compute: Floats
    excess: Band
    penalty: float
    undetermined: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """Whether the exponents agree.

        "agree": the interval of their difference lies within `TOLERANCE` of the fitted alpha of 0;
        "differ": else where it excludes 0; "cannot tell": else, or where the params+tokens law is
        left open; "no resamples": without an interval.
        """
        if self.undetermined:
            return "cannot tell"
        return verdict(self.difference, TOLERANCE * abs(self.fitted["alpha"].value))

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        worst = int(np.argmax(np.abs(self.excess.value)))

        def intervals(law: dict[str, Estimate]) -> dict[str, list[Any]]:
            return {name: [one.low, one.high] for name, one in law.items() if one.has_interval}

        return {
            "k": self.k,
            "derived": {name: one.value for name, one in self.derived.items()},
            "fitted": {name: one.value for name, one in self.fitted.items()},
            "derived_intervals": intervals(self.derived),
            "fitted_intervals": intervals(self.fitted),
            "difference_in_alpha": self.difference.value,
            "difference_interval": [self.difference.low, self.difference.high]
            if self.difference.has_interval
            else None,
            "largest_excess": float(self.excess.value[worst]),
            "at_compute": float(self.compute[worst]),
            "median_penalty": self.penalty,
            "undetermined": list(self.undetermined),
            "verdict": self.verdict,
        }


def envelopes(joint: PassLaws, direct: PassLaws, *, level: float = 0.9) -> list[EnvelopeAtK]:
    """The derived envelope beside the direct compute law at every k that both have.

    Parameters
    ----------
    joint : PassLaws
        The params+tokens law.
    direct : PassLaws
        The compute law of the same models; with the same seed and number of resamples, differences
        have intervals.
    level : float
        Of the intervals.

    Raises
    ------
    ValueError
        Where the laws are not these two, or share no k.

    Notes
    -----
    The envelope is the best that any allocation reaches; models that were trained off the optimum
    lie above it, so that a direct fit estimates the envelope times the penalty of their allocations
    (derivations compute_optimal_envelope, misallocation_penalty).
    """
    for laws, name in ((joint, "params-tokens"), (direct, "compute")):
        if laws.kind.name != name:
            raise ValueError(f"law={laws.kind.name!r}: must be {name!r}")
    shared = [k for k in joint.ks if k in direct.ks]
    if not shared:
        raise ValueError(
            f"k={joint.ks}: must share some with those of the compute law, {direct.ks}"
        )
    same = (
        joint.weights.shape == direct.weights.shape
        and bool((joint.weights == direct.weights).all())
        and len(joint.weights) > 1
    )
    return [_envelope(joint.at(k), direct.at(k), joint.covariates, same, level) for k in shared]


def _envelope(
    joint: PassFit, direct: PassFit, covariates: dict[str, Floats], same: bool, level: float
) -> EnvelopeAtK:
    law = joint.law_of(joint.coefficients)
    values = {"E0": law.E, "C0": law.envelope.coefficient, "alpha": law.envelope.exponent}
    columns = envelope_columns(joint, joint.drawn)
    derived = {
        name: Estimate.of_draws(value, columns[name], level) for name, value in values.items()
    }
    derived["E0"] = joint.estimate("E0", level)
    compute = np.geomspace(covariates["compute"].min(), covariates["compute"].max(), POINTS)
    own = law.penalty(
        params=covariates["params"][joint.used], tokens=covariates["tokens"][joint.used]
    )
    differences, over = np.empty(0), np.empty((0, POINTS))
    if same and joint.spare > 0 and joint.draws is not None and direct.draws is not None:
        _, (of_joint, of_direct) = paired((joint.draws, direct.draws))
        columns = envelope_columns(joint, of_joint)
        differences = of_direct[:, direct.names.index("alpha")] - columns["alpha"]
        best = columns["E0"][:, None] + power(
            compute, np.log(columns["C0"])[:, None], columns["alpha"][:, None]
        )
        over = direct.predict_by(of_direct, {"compute": compute}) / best - 1.0
    excess = direct.predict({"compute": compute}) / law.envelope.loss(compute) - 1.0
    return EnvelopeAtK(
        k=joint.k,
        derived=derived,
        fitted=direct.estimates(level),
        difference=Estimate.of_draws(
            direct.coefficients["alpha"] - values["alpha"], differences, level
        ),
        compute=compute,
        excess=Band.of_draws(excess, over, level),
        penalty=float(np.median(own.loss_penalty)),
        undetermined=joint.undetermined,
    )


def envelope_columns(joint: PassFit, draws: Floats) -> dict[str, Floats]:
    """E0, C0 and alpha of the envelope (R,) for coefficients (R, p) of the params+tokens law."""
    given: dict[str, Any] = dict(zip(joint.kind.terms.coefficients, draws.T, strict=True))
    found = {
        quantity.name: quantity(given)
        for quantity in quantities(PARAMS_TOKENS)
        if quantity.name in SHOWN
    }
    return {"E0": given["E"], **found}


COSTS = ("loss_penalty", "effective_compute")


@dataclass(frozen=True, kw_only=True)
class CostAtK:
    """What an overtraining ratio costs at one k, by the params+tokens law.

    Attributes
    ----------
    k : int
    ratio : float
        (D/N)/(D*/N*) at the same compute.
    loss_penalty, effective_compute : Estimate
        (y - E0)/(y* - E0) of y = -log pass@k, and the share of the compute that the optimum needs
        for the same.
    undetermined : tuple of str
        Coefficients that the models leave undetermined.
    """

    k: int
    ratio: float
    loss_penalty: Estimate
    effective_compute: Estimate
    undetermined: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain data; NAME_open says which ends of an interval bound nothing."""
        row: dict[str, Any] = {"k": self.k, "ratio": self.ratio}
        for name in COSTS:
            cost: Estimate = getattr(self, name)
            row[name] = cost.value
            if cost.has_interval:
                row |= {
                    f"{name}_lo": cost.low,
                    f"{name}_hi": cost.high,
                    f"{name}_open": open_side(cost),
                }
        return row | {"undetermined": list(self.undetermined)}


def penalties(joint: PassLaws, ratios: Sequence[float], *, level: float = 0.9) -> list[CostAtK]:
    """What over- and undertraining cost at every k: the penalty and the effective compute at ratios
    (D/N)/(D*/N*).

    Parameters
    ----------
    joint : PassLaws
        The params+tokens law.
    ratios : sequence of float
        Overtraining ratios, > 0.
    level : float
        Of the percentile intervals, where there are resamples.

    Notes
    -----
    The penalty rises with both exponents, so that a limit of theirs is one of the penalty on the
    same side. The effective compute P^(-1/alpha) need not fall with both: a limit on either side is
    one of both of its ends.
    """
    if joint.kind.name != "params-tokens":
        raise ValueError(f"law={joint.kind.name!r}: must be 'params-tokens'")
    costs = []
    for fit in joint.fits:
        exponents = dict(zip(fit.kind.terms.coefficients, fit.drawn.T, strict=True))
        law, on_either = fit.law_of(fit.coefficients), fit.is_at_limit(level, *fit.kind.exponents)
        at_limit: dict[str, tuple[str, ...]] = {
            "loss_penalty": fit.ends_at_limit(level, *fit.kind.exponents),
            "effective_compute": ("low", "high") if on_either else (),
        }
        for ratio in ratios:
            own = law.penalty(ratio=ratio)
            estimates = {}
            for name in COSTS:
                drawn = _of_draws(name, exponents, ratio) if fit.has_intervals else np.empty(0)
                estimate = Estimate.of_draws(getattr(own, name), drawn, level)
                estimates[name] = replace(estimate, at_limit=at_limit[name])
            costs.append(
                CostAtK(k=fit.k, ratio=float(ratio), **estimates, undetermined=fit.undetermined)
            )
    return costs


def _of_draws(name: str, coefficients: Mapping[str, Floats], ratio: float) -> Floats:
    """A cost (R,) at a ratio by the exponents of each draw."""
    measure = {"loss_penalty": formulas.penalty, "effective_compute": formulas.effective_compute}[
        name
    ]
    s = formulas.log_size_ratio_at_ratio(np.array([ratio]))
    drawn = np.asarray(measure(s, beta=coefficients["beta"], gamma=coefficients["gamma"]))
    return np.maximum(drawn, 1.0) if name == "loss_penalty" else drawn
