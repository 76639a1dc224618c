"""The envelope at every k: the compute law derived from the params+tokens law beside the one fitted directly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compute_law import power
from ..fit.bootstrap import percentile
from ..fit.derived import default_quantities
from .agreement import TOLERANCE, verdict
from .fit_at_k import OPEN

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    derived, fitted : dict of str to float
        E0, C0 and alpha of the envelope of the params+tokens law, and of the law fitted to compute alone.
    derived_intervals, fitted_intervals : dict of str to (float, float)
        Intervals from the resamples, of E0 as `PassFit.interval` has them; empty without.
    difference_in_alpha : float
        Fitted less derived.
    difference_interval : tuple of float, or None
        Of that, with both laws refitted to the same resamples.
    compute : ndarray
        (P,): from the least to the greatest compute of the models.
    excess : ndarray
        (P,): fitted over derived -log pass@k, less 1: what the models' own allocations cost, and what else the laws disagree in.
    excess_low, excess_high : ndarray or None
        (P,): percentiles over the resamples.
    penalty : float
        Median over the models of (y - E0)/(y* - E0), the misallocation penalty of their own params and tokens.
    undetermined : tuple of str
        Coefficients of the params+tokens law that the models leave open.
    """

    k: int
    derived: dict[str, float]
    fitted: dict[str, float]
    derived_intervals: dict[str, tuple[float, float]]
    fitted_intervals: dict[str, tuple[float, float]]
    difference_in_alpha: float
    difference_interval: tuple[float, float] | None
    compute: Floats
    excess: Floats
    excess_low: Floats | None
    excess_high: Floats | None
    penalty: float
    undetermined: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """Whether the exponents agree.

        "agree": the interval of their difference lies within `TOLERANCE` of the fitted alpha of 0; "differ": else where it
        excludes 0; "cannot tell": else, or where the params+tokens law is left open; "no resamples": without an interval.
        """
        if self.undetermined:
            return "cannot tell"
        return verdict(self.difference_interval, TOLERANCE * abs(self.fitted["alpha"]))

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        worst = int(np.argmax(np.abs(self.excess)))
        return {
            "k": self.k,
            "derived": self.derived,
            "fitted": self.fitted,
            "derived_intervals": {name: list(pair) for name, pair in self.derived_intervals.items()},
            "fitted_intervals": {name: list(pair) for name, pair in self.fitted_intervals.items()},
            "difference_in_alpha": self.difference_in_alpha,
            "difference_interval": None if self.difference_interval is None else list(self.difference_interval),
            "largest_excess": float(self.excess[worst]),
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
        The compute law of the same models; with the same seed and number of resamples, differences have intervals.
    level : float
        Of the intervals.

    Raises
    ------
    ValueError
        Where the laws are not these two, or share no k.

    Notes
    -----
    The envelope is the best that any allocation reaches; models that were trained off the optimum lie above it, so that a
    direct fit estimates the envelope times the penalty of their allocations (derivations compute_optimal_envelope,
    misallocation_penalty).
    """
    for laws, name in ((joint, "params-tokens"), (direct, "compute")):
        if laws.kind.name != name:
            raise ValueError(f"law={laws.kind.name!r}: must be {name!r}")
    shared = [k for k in joint.ks if k in direct.ks]
    if not shared:
        raise ValueError(f"k={joint.ks}: must share some with those of the compute law, {direct.ks}")
    paired = (
        joint.weights.shape == direct.weights.shape and bool((joint.weights == direct.weights).all()) and len(joint.weights) > 1
    )
    return [_envelope(joint.at(k), direct.at(k), joint.covariates, paired, level) for k in shared]


def _envelope(joint: PassFit, direct: PassFit, covariates: dict[str, Floats], paired: bool, level: float) -> EnvelopeAtK:
    law = joint.fit.law_of(joint.fit.coefficients)
    derived = {"E0": law.E, "C0": law.envelope.coefficient, "alpha": law.envelope.exponent}
    compute = np.geomspace(covariates["compute"].min(), covariates["compute"].max(), POINTS)
    excess = direct.neg_log({"compute": compute}) / law.envelope.loss(compute) - 1.0
    used = joint.used
    own = law.penalty(params=covariates["params"][used], tokens=covariates["tokens"][used])
    low = high = difference = None
    derived_intervals: dict[str, tuple[float, float]] = {}
    if joint.has_intervals:
        columns = envelope_columns(joint, joint.certified_draws)
        derived_intervals = {"E0": joint.interval("E0", level)}
        derived_intervals |= {name: percentile(columns[name], level) for name in SHOWN if name != "E0"}
    if paired and joint.spare > 0:
        good = np.isfinite(joint.draws).all(axis=1) & np.isfinite(direct.draws).all(axis=1)
        if good.sum() > 1:
            columns = envelope_columns(joint, joint.draws[good])
            own_alpha = direct.draws[good][:, direct.kind.coefficients.index("alpha")]
            difference = percentile(own_alpha - columns["alpha"], level)
            best = columns["E0"][:, None] + power(compute, np.log(columns["C0"])[:, None], columns["alpha"][:, None])
            over = direct.neg_log_of(direct.draws[good], {"compute": compute}) / best - 1.0
            low, high = np.quantile(over, [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=0)
    return EnvelopeAtK(
        k=joint.k,
        derived=derived,
        fitted=dict(direct.coefficients),
        derived_intervals=derived_intervals,
        fitted_intervals={name: direct.interval(name, level) for name in SHOWN} if direct.has_intervals else {},
        difference_in_alpha=direct.coefficients["alpha"] - derived["alpha"],
        difference_interval=difference,
        compute=compute,
        excess=excess,
        excess_low=low,
        excess_high=high,
        penalty=float(np.median(own.loss_penalty)),
        undetermined=joint.undetermined,
    )


def envelope_columns(joint: PassFit, draws: Floats) -> dict[str, Floats]:
    """E0, C0 and alpha of the envelope (R,) for coefficients (R, p) of the params+tokens law."""
    given: dict[str, Any] = dict(zip(joint.kind.terms.coefficients, draws.T, strict=True))
    found = {quantity.name: quantity.values(**given) for quantity in default_quantities() if quantity.name in SHOWN}
    return {"E0": given["E"], **found}


def penalties(joint: PassLaws, ratios: Sequence[float], *, level: float = 0.9) -> list[dict[str, Any]]:
    """What over- and undertraining cost at every k: the penalty and the effective compute at ratios (D/N)/(D*/N*).

    Parameters
    ----------
    joint : PassLaws
        The params+tokens law.
    ratios : sequence of float
        Overtraining ratios, > 0.
    level : float
        Of the percentile intervals, where there are resamples.

    Returns
    -------
    list of dict
        A row a k and ratio: k, ratio, loss_penalty, effective_compute, with _lo, _hi and _open where there are resamples, and
        what the models leave undetermined. _open: which ends are none ("above", "below", "both", else None), as too many
        resamples ran into a limit of the search.

    Notes
    -----
    The penalty rises with both exponents, so that a limit of theirs is one of the penalty on the same side. The effective compute
    P^(-1/alpha) need not fall with both: a limit on either side leaves both of its ends open.
    """
    if joint.kind.name != "params-tokens":
        raise ValueError(f"law={joint.kind.name!r}: must be 'params-tokens'")
    rows = []
    for fit in joint.fits:
        law = fit.fit.law_of(fit.fit.coefficients)
        names = fit.kind.terms.coefficients
        drawn = [fit.fit.law_of(dict(zip(names, map(float, row), strict=True))) for row in fit.certified_draws]
        ends = _open_ends(fit, level)
        for ratio in ratios:
            cost = law.penalty(ratio=ratio)
            row: dict[str, Any] = {"k": fit.k, "ratio": float(ratio)}
            for name in ("loss_penalty", "effective_compute"):
                row[name] = float(getattr(cost, name))
                if len(drawn) > 1:
                    values = np.array([getattr(other.penalty(ratio=ratio), name) for other in drawn])
                    row[f"{name}_lo"], row[f"{name}_hi"] = percentile(values, level)
                    row[f"{name}_open"] = OPEN[ends[name]]
            rows.append(row | {"undetermined": list(fit.undetermined)})
    return rows


def _open_ends(fit: PassFit, level: float) -> dict[str, tuple[bool, bool]]:
    """Of the penalty and the effective compute: whether their lower and upper ends are none."""
    if not fit.has_intervals:
        return {}
    below, above = (np.any(sides, axis=0) for sides in zip(*map(fit.sides_at_edge, fit.kind.exponents), strict=True))
    either = fit.too_many(below | above, level)
    return {"loss_penalty": (fit.too_many(below, level), fit.too_many(above, level)), "effective_compute": (either, either)}
