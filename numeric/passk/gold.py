"""Compute -> likelihood of the gold solution -> pass@k: two fitted laws composed to a compute law
of -log pass@k.

y = xi0 + K0 g^kappa with g = Eg + Gg C^-ag, the mean -log probability of the gold solution in nats.
For Eg = 0 that is E0 + C0 C^-alpha with alpha = kappa ag. For Eg > 0 it tends to a floor E0 above
xi0, and its exponent falls from kappa ag at small compute to ag at large
(isoflop.derivations.passk.gold_law_composition).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..fit.fitting import fit as fit_runs
from ..fit.resample import paired, refits_of
from ..law.compute import ComputeLaw
from ..results import Band, Estimate
from .laws import fit_passk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .laws import PassLaws

    Floats = NDArray[np.float64]

__all__ = ["ByGold", "Composition", "by_way_of_gold"]

NAMES = ("xi0", "K0", "kappa", "Eg", "Gg", "ag")
#: Computes at which the composed law is compared with one fitted directly.
POINTS = 5
#: Fewer draws have no interval.
LEAST_DRAWS = 2


@dataclass(frozen=True, eq=False)
class Composition:
    """Sets of coefficients of the two laws; every method has a row a set, each by its own case.

    Attributes
    ----------
    coefficients : ndarray
        (R, 6): xi0 >= 0, K0 > 0, kappa > 0 of -log pass@k in g; Eg >= 0, Gg > 0, ag > 0 of g in
        compute.
    """

    coefficients: Floats

    @property
    def has_gold_floor(self) -> NDArray[np.bool_]:
        """(R,): whether Eg > 0."""
        return self.coefficients[:, 3] > 0.0

    def implied(self) -> Floats:
        """E0, C0, alpha (R, 3): exact for Eg = 0, the leading order at large compute for Eg > 0."""
        xi0, K0, kappa, _, Gg, ag = self.coefficients.T
        Eg = self._columns()["Eg"][:, 0]
        of_floor = formulas.composed_floor(Eg=Eg, K0=K0, kappa=kappa, xi0=xi0)
        coefficient = formulas.composed_coefficient(Eg=Eg, Gg=Gg, K0=K0, kappa=kappa)
        bare = formulas.composed_coefficient_without_floor(Gg=Gg, K0=K0, kappa=kappa)
        exponent = formulas.composed_exponent_without_floor(ag=ag, kappa=kappa)
        with_floor, without = (of_floor, coefficient, ag), (xi0, bare, exponent)
        return np.where(self.has_gold_floor, with_floor, without).T

    def neg_log(self, compute: Any) -> Floats:
        """y (R, M) at compute (M,) in FLOP."""
        columns = dict(zip(NAMES, self.coefficients.T[..., None], strict=True))
        return np.asarray(formulas.composed(compute=np.asarray(compute), **columns))

    def reducible(self, compute: Any) -> Floats:
        """y - E0 (R, M), without cancellation."""
        columns = self._columns()
        del columns["xi0"]
        above_floor = formulas.composed_reducible(compute=np.asarray(compute), **columns)
        bare = self.coefficients * [0.0, 1.0, 1.0, 1.0, 1.0, 1.0]
        above_none = Composition(bare).neg_log(compute)
        return np.where(self.has_gold_floor[:, None], above_floor, above_none)

    def reducible_exponent(self, compute: Any) -> Floats:
        """-dlog(y - E0)/dlog C, (R, M)."""
        columns = {name: self._columns()[name] for name in ("Eg", "Gg", "ag", "kappa")}
        local = formulas.composed_local_exponent(compute=np.asarray(compute), **columns)
        return np.where(self.has_gold_floor[:, None], local, self.implied()[:, 2:])

    def exponent(self, compute: Any) -> Floats:
        """-dlog y/dlog C, (R, M)."""
        return self.reducible_exponent(compute) * self.reducible(compute) / self.neg_log(compute)

    def _columns(self) -> dict[str, Floats]:
        """(R, 1) each, for the formulas of Eg > 0; where it is 0 they are of no use, at Eg = 1."""
        columns = dict(zip(NAMES, self.coefficients.T[..., None], strict=True))
        return columns | {"Eg": np.where(self.has_gold_floor[:, None], columns["Eg"], 1.0)}


@dataclass(frozen=True, kw_only=True, eq=False)
class ByGold:
    """The composed law at one k beside a compute law of -log pass@k that was fitted directly to the
    same models.

    Attributes
    ----------
    k : int
    composition : Composition
        Of the estimates, one set.
    draws : Composition or None
        Of the resamples that are certified in both laws.
    implied : dict of str to Estimate
        E, C0 and alpha of `Composition.implied`.
    direct : ComputeLaw
    compute : ndarray
        (M,): from the least to the greatest of the models.
    composed : Band
        -log pass@k there.
    level : float
    """

    k: int
    composition: Composition
    draws: Composition | None
    implied: dict[str, Estimate]
    direct: ComputeLaw
    compute: Floats
    composed: Band
    level: float

    @property
    def case(self) -> str:
        """Which of the two cases holds, and what it means for the exponent."""
        if self.composition.has_gold_floor[0]:
            return "Eg > 0: E0 = xi0 + K0 Eg^kappa; the exponent falls from kappa ag to ag"
        return "Eg = 0: a power law with the exponent kappa ag above E0 = xi0"

    @property
    def greatest_exponent(self) -> float:
        """-dlog(y - E0)/dlog C at the greatest compute of the models."""
        return float(self.composition.reducible_exponent(self.compute)[0, -1])

    @property
    def largest(self) -> tuple[float, float]:
        """Where the two laws differ most in log y, and log(composed/fitted) there."""
        ratio = np.log(self.composed.value / self.direct.loss(self.compute))
        worst = int(np.argmax(np.abs(ratio)))
        return float(self.compute[worst]), float(ratio[worst])

    def rows(self) -> list[dict[str, Any]]:
        """A record for every compute."""
        law, fitted = self.direct, self.direct.loss(self.compute)
        columns: dict[str, Any] = {
            "k": np.full(self.compute.shape, self.k),
            "compute": self.compute,
            "composed": self.composed.value,
            "fitted": fitted,
            "difference": self.composed.value - fitted,
            "composed_exponent": self.composition.exponent(self.compute)[0],
            "fitted_exponent": formulas.local_exponent(
                compute=self.compute, E=law.E, C0=law.C0, alpha=law.alpha
            ),
            "composed_reducible_exponent": self.composition.reducible_exponent(self.compute)[0],
        }
        if self.composed.low is not None:
            columns |= {"lo": self.composed.low, "hi": self.composed.high}
        cells = zip(*(column.tolist() for column in columns.values()), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in cells]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        where, ratio = self.largest
        (xi0, K0, kappa, Eg, Gg, ag) = self.composition.coefficients[0].tolist()
        return {
            "k": self.k,
            "composition": {
                "gold_law": {"xi0": xi0, "K0": K0, "kappa": kappa},
                "gold_of_compute": {"Eg": Eg, "Gg": Gg, "ag": ag},
                "case": self.case,
                "implied": {
                    name: estimate.as_dict(low="lo", high="hi")
                    for name, estimate in self.implied.items()
                },
                "exponent_at_small_compute": kappa * ag,
                "exponent_at_large_compute": ag if Eg > 0.0 else kappa * ag,
                "level": self.level,
                "draws": 0 if self.draws is None else len(self.draws.coefficients),
                "draws_with_gold_floor": None
                if self.draws is None
                else int(self.draws.has_gold_floor.sum()),
            },
            "direct": self.direct.coefficients(),
            "largest": {"compute": where, "log_ratio": ratio},
            "rows": self.rows(),
        }


def by_way_of_gold(laws: PassLaws, *, level: float = 0.9) -> list[ByGold]:
    """The gold law composed with the compute law of the gold likelihood, beside a compute law
    fitted to the same models.

    Parameters
    ----------
    laws : PassLaws
        Gold laws of models whose compute is known.
    level : float
        Of the intervals, where the laws have resamples; all three laws are refitted to the same.

    Returns
    -------
    list of ByGold
        One a k.

    Raises
    ------
    ValueError
        Where the laws are no gold laws, the compute of a model is unknown, or the gold likelihood
        has no law in it.
    """
    if laws.kind.name != "gold":
        raise ValueError(f"law={laws.kind.name!r}: must be 'gold'")
    compute = laws.covariates.get("compute")
    if compute is None or not np.isfinite(compute).all():
        raise ValueError(f"{laws.data.counts.source}: no compute of some models that have gold")
    of_runs = {"compute": compute, "loss": laws.covariates["gold"]}
    gold = fit_runs(of_runs, model="compute", objective="least-squares-log")
    if laws.resamples:
        gold = gold.with_draws(refits_of(gold, [{"weights": laws.weights}], laws.resamples))
    direct = fit_passk(
        laws.data,
        law="compute",
        method=laws.method,
        resamples=laws.resamples,
        seed=laws.seed,
        cluster=laws.cluster,
    )
    points = np.geomspace(compute.min(), compute.max(), POINTS)
    results = []
    for fit in laws.fits:
        if fit.k not in direct.ks:
            continue
        other = direct.at(fit.k)
        own = Composition(np.array([[*fit.coefficients.values(), *gold.coefficients.values()]]))
        sets = np.empty((0, len(NAMES)))
        if gold.draws is not None and fit.draws is not None and fit.spare > 0:
            sets = np.concatenate(paired((fit.draws, gold.draws))[1], axis=1)
        drawn = Composition(sets)
        estimates = {
            name: Estimate.of_draws(value, column, level)
            for name, value, column in zip(
                ("E", "C0", "alpha"), own.implied()[0], drawn.implied().T, strict=True
            )
        }
        if estimates["E"].high is not None and fit.is_limited(level):
            # Draws on the bound xi0 = 0 tell no upper end.
            most = max(estimates["E"].high, fit.interval(fit.kind.floor, level)[1])
            estimates["E"] = replace(estimates["E"], high=most)
        results.append(
            ByGold(
                k=fit.k,
                composition=own,
                draws=drawn if len(sets) >= LEAST_DRAWS else None,
                implied=estimates,
                direct=other.law_of(other.coefficients),
                compute=points,
                composed=Band.of_draws(own.neg_log(points)[0], drawn.neg_log(points), level),
                level=level,
            )
        )
    return results
