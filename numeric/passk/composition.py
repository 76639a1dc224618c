"""Compute -> likelihood of the gold reference -> pass@k: two fitted laws composed to a compute law of -log pass@k.

y = xi0 + K0 g^kappa with g = Eg + Gg C^-ag, the mean negative log likelihood of the gold reference solution. For Eg = 0 that is
exactly E0 + C0 C^-alpha with alpha = kappa ag. For Eg > 0 it tends to a floor E0 above xi0, and its exponent falls from kappa ag
at small compute to ag at large (isoflop.derivations.passk.gold_law_composition, gold_law_local_exponent).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..compute_law import ComputeLaw
from ..errors import exponent_number, nonnegative_number, outside, positive_number
from ..fit.intervals import checked_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..arrays import Formula
    from ..fit.result import Fit

    Floats = NDArray[np.float64]

__all__ = ["Band", "Comparison", "Composition", "GoldLaw", "GoldOfCompute", "compare", "compose", "fit_gold_of_compute"]

DEFAULT_LEVEL = 0.95
#: log u is searched between minus and plus this for the compute above which the leading order is good.
LARGEST_LOG_U = 300.0
HALVINGS = 80
#: Below this relative error the difference of the ratio from 1 has too few digits.
SMALLEST_ERROR = 1e-9


# -- the two laws ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class GoldLaw:
    """y = xi0 + K0 g^kappa: -log pass@k over the gold reference's negative log likelihood g, both in nats.

    Attributes
    ----------
    xi0 : float
        >= 0.
    K0, kappa : float
        > 0.
    """

    xi0: float
    K0: float
    kappa: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "xi0", nonnegative_number("xi0", self.xi0))
        object.__setattr__(self, "K0", positive_number("K0", self.K0))
        object.__setattr__(self, "kappa", exponent_number("kappa", self.kappa))


@dataclass(frozen=True, kw_only=True)
class GoldOfCompute:
    """g = Eg + Gg C^-ag: the gold reference's negative log likelihood over compute, in nats.

    Attributes
    ----------
    Eg : float
        >= 0.
    Gg, ag : float
        > 0.
    """

    Eg: float
    Gg: float
    ag: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "Eg", nonnegative_number("Eg", self.Eg))
        object.__setattr__(self, "Gg", positive_number("Gg", self.Gg))
        object.__setattr__(self, "ag", exponent_number("ag", self.ag))


def fit_gold_of_compute(compute: Any, gold: Any, **options: Any) -> Fit:
    """The compute law of the gold reference's negative log likelihood, fitted as any compute law.

    Parameters
    ----------
    compute, gold : array_like
        One point a model: FLOP > 0, nats > 0.
    **options
        Of `isoflop.fit`: objective, bounds, irreducible=False for Eg = 0.

    Returns
    -------
    Fit
        Its coefficients E, C0, alpha are Eg, Gg, ag; `compose` takes it as it is.
    """
    from ..fit.fitting import fit

    return fit({"compute": compute, "loss": gold}, model="compute", **options)


# -- the composition ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Band:
    """A quantity of the composed law with an interval from draws.

    Attributes
    ----------
    value, low, high : float or ndarray
        low and high are None without draws.
    level : float
        Nominal coverage.
    """

    value: Any
    low: Any
    high: Any
    level: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Composition:
    """-log pass@k as a function of compute by way of the gold reference's likelihood.

    Attributes
    ----------
    gold_law : GoldLaw
    compute_law : GoldOfCompute
    draws : ndarray or None
        (R, 6): xi0, K0, kappa, Eg, Gg, ag of paired bootstrap draws.
    xi0_limit : float
        Upper limit of xi0 where draws on its bound tell none: the interval of the composed E0 = xi0 + ... reaches up to it.
    """

    gold_law: GoldLaw
    compute_law: GoldOfCompute
    draws: Floats | None = None
    xi0_limit: float = 0.0

    @property
    def has_gold_floor(self) -> bool:
        """Whether Eg > 0."""
        return self.compute_law.Eg > 0.0

    @property
    def case(self) -> str:
        """Which of the two cases holds, and what it means for the exponent."""
        if self.has_gold_floor:
            return "Eg > 0: E0 = xi0 + K0 Eg^kappa; the exponent falls from kappa ag to ag"
        return "Eg = 0: a power law with the exponent kappa ag above E0 = xi0"

    @property
    def implied(self) -> ComputeLaw:
        """(E0, C0, alpha): exact for Eg = 0, the leading order at large compute for Eg > 0."""
        E0, C0, alpha = _implied(self._own)
        return ComputeLaw(E=float(E0[0]), C0=float(C0[0]), alpha=float(alpha[0]), name="composed", source=self.case)

    def implied_bands(self, level: float = DEFAULT_LEVEL) -> dict[str, Band]:
        """E, C0 and alpha of `implied` with their intervals; a draw counts by its own case."""
        found = [_implied(x) for x in self._sets]
        bands = {
            name: self._band_of(found[0][i], found[-1][i] if len(found) > 1 else None, level, scalar=True)
            for i, name in enumerate(("E", "C0", "alpha"))
        }
        if bands["E"].high is not None:
            bands["E"] = replace(bands["E"], high=max(bands["E"].high, self.xi0_limit))
        return bands

    @property
    def exponent_limits(self) -> tuple[float, float]:
        """Exponents of y - E0 for C -> 0 and for C -> infinity: kappa ag and, for Eg > 0, ag."""
        first = float(formulas.composed_exponent_without_floor(kappa=self.gold_law.kappa, ag=self.compute_law.ag))
        return first, self.compute_law.ag if self.has_gold_floor else first

    def gold(self, compute: Any) -> Any:
        """g = Eg + Gg C^-ag, nats; ``compute``: FLOP, > 0, a number or an array."""
        return self._at(_gold, compute)

    def neg_log(self, compute: Any) -> Any:
        """y = -log pass@k, nats."""
        return self._at(_neg_log, compute)

    def pass_at_k(self, compute: Any) -> Any:
        """pass@k = exp(-y)."""
        return self._at(_pass_at_k, compute)

    def reducible(self, compute: Any) -> Any:
        """y - E0, nats."""
        return self._at(_reducible, compute)

    def local_exponent(self, compute: Any) -> Any:
        """-dlog(y - E0)/dlog C."""
        return self._at(_local_exponent, compute)

    def total_exponent(self, compute: Any) -> Any:
        """-dlog y/dlog C, of y itself."""
        return self._at(_total_exponent, compute)

    def correction(self, compute: Any) -> Any:
        """What the leading order for Eg > 0 misses, relative to it, to first order: (kappa - 1) Gg C^-ag/(2 Eg); 0 for Eg = 0."""
        return self._at(_correction, compute)

    def band(self, quantity: str, compute: Any, level: float = DEFAULT_LEVEL) -> Band:
        """A quantity with an interval from the draws.

        Parameters
        ----------
        quantity : str
            "gold", "neg_log", "pass_at_k", "reducible", "local_exponent", "total_exponent" or "correction".
        compute : float or array_like
            FLOP.
        level : float
            Nominal coverage.

        Returns
        -------
        Band
            The ends are quantiles of the draws; None without draws.
        """
        if quantity not in QUANTITIES:
            raise outside("quantity", quantity, f"one of {', '.join(QUANTITIES)}")
        values = np.asarray(compute, dtype=np.float64)
        found = [QUANTITIES[quantity](x, values.ravel()) for x in self._sets]
        shaped = [x.reshape(len(x), *values.shape) for x in found]
        return self._band_of(shaped[0], shaped[-1] if len(shaped) > 1 else None, level, scalar=values.ndim == 0)

    def good_below(self, error: float) -> float:
        """Compute up to which the law without the gold floor, xi0 + K0 (Gg C^-ag)^kappa, is good.

        There the relative error of y - xi0 is at most ``error``; inf for Eg = 0, where the law is exact.
        """
        x = positive_number("error", error)
        if not self.has_gold_floor:
            return math.inf
        law = self.compute_law
        return _or_inf(formulas.composed_bare_limit, error=x, Eg=law.Eg, Gg=law.Gg, ag=law.ag, kappa=self.gold_law.kappa)

    def good_above(self, error: float) -> float:
        """Compute from which on the leading order E0 + C0 C^-alpha of `implied` is good.

        There y - E0 is within a factor of 1 +- ``error`` of C0 C^-alpha; 0 where the form is exact: for Eg = 0 and for kappa = 1.
        """
        x = positive_number("error", error)
        if x < SMALLEST_ERROR:
            raise outside("error", error, f"a number of at least {SMALLEST_ERROR:g}")
        kappa, law = self.gold_law.kappa, self.compute_law
        if not self.has_gold_floor or kappa == 1.0:
            return 0.0

        def good(log_u: float) -> bool:
            return abs(float(formulas.composed_leading_ratio(u=math.exp(log_u), kappa=kappa)) - 1.0) <= x

        # The ratio is monotone in u, growing for kappa > 1 and falling for kappa < 1: good are the u below one end.
        inner, outer = -LARGEST_LOG_U, LARGEST_LOG_U / max(1.0, kappa)
        if good(outer):  # kappa so close to 1 that no compute within reach leaves the tolerance
            return 0.0
        for _ in range(HALVINGS):
            middle = 0.5 * (inner + outer)
            inner, outer = (middle, outer) if good(middle) else (inner, middle)
        return _or_inf(formulas.gold_compute, u=math.exp(inner), Eg=law.Eg, Gg=law.Gg, ag=law.ag)

    def as_dict(self, level: float = DEFAULT_LEVEL) -> dict[str, Any]:
        """Coefficients, case, and the implied compute law with its intervals, as plain data."""
        bands = self.implied_bands(level)
        small, large = self.exponent_limits
        below = self.good_below(0.01)
        return {
            "gold_law": {"xi0": self.gold_law.xi0, "K0": self.gold_law.K0, "kappa": self.gold_law.kappa},
            "gold_of_compute": {"Eg": self.compute_law.Eg, "Gg": self.compute_law.Gg, "ag": self.compute_law.ag},
            "case": self.case,
            "implied": {name: {"value": band.value, "lo": band.low, "hi": band.high} for name, band in bands.items()},
            "exponent_at_small_compute": small,
            "exponent_at_large_compute": large,
            "without_floor_good_to_1_percent_below": below if math.isfinite(below) else None,
            "leading_order_good_to_1_percent_above": self.good_above(0.01),
            "level": level,
            "draws": 0 if self.draws is None else len(self.draws),
            "draws_with_gold_floor": None if self.draws is None else int((self.draws[:, 3] > 0.0).sum()),
        }

    def __str__(self) -> str:
        small, large = self.exponent_limits
        lines = [
            self.case,
            f"E0 + C0 C^-alpha: {self.implied}",
            f"exponent {small:.4g} for C -> 0, {large:.4g} for C -> infinity",
        ]
        if self.has_gold_floor:
            below, above = self.good_below(0.01), self.good_above(0.01)
            lines.append(f"good to 1%: without the gold floor for C <= {below:.3g}, leading order for C >= {above:.3g} FLOP")
        return "\n".join(lines)

    # -- plumbing

    @property
    def _own(self) -> Floats:
        gold, law = self.gold_law, self.compute_law
        return np.array([[gold.xi0, gold.K0, gold.kappa, law.Eg, law.Gg, law.ag]])

    @property
    def _sets(self) -> list[Floats]:
        return [self._own] if self.draws is None else [self._own, self.draws]

    def _at(self, quantity: Callable[[Floats, Floats], Floats], compute: Any) -> Any:
        values = np.asarray(compute, dtype=np.float64)
        found = quantity(self._own, values.ravel())[0].reshape(values.shape)
        return float(found) if values.ndim == 0 else found

    @staticmethod
    def _band_of(own: Floats, draws: Floats | None, level: float, *, scalar: bool) -> Band:
        tail = 0.5 * (1.0 - checked_level(level))

        def plain(x: Floats) -> Any:
            return float(x) if scalar else x

        if draws is None:
            return Band(value=plain(own[0]), low=None, high=None, level=level)
        low, high = np.quantile(draws, [tail, 1.0 - tail], axis=0)
        return Band(value=plain(own[0]), low=plain(low), high=plain(high), level=level)


def compose(
    gold_law: Any, compute_law: Any, *, gold_draws: Any = None, compute_draws: Any = None, xi0_limit: float = 0.0
) -> Composition:
    """The composition of a law of pass@k in the gold likelihood with a compute law of that likelihood.

    Parameters
    ----------
    gold_law : GoldLaw, (xi0, K0, kappa) or mapping
        Of -log pass@k in g.
    compute_law : GoldOfCompute, (Eg, Gg, ag), mapping, ComputeLaw or Fit
        Of g in compute; of the last two E, C0, alpha are Eg, Gg, ag.
    gold_draws, compute_draws : array_like, optional
        (R, 3): bootstrap draws of the coefficients in that order, row by row from the same resample (for independent resamples
        any order will do). Where only one is given the other law counts as known.
    xi0_limit : float
        Upper limit of xi0 in nats, where its draws lie on the bound and tell none.

    Returns
    -------
    Composition

    Raises
    ------
    ValueError
        Where a coefficient or a draw is outside its domain, or the numbers of draws differ.

    Examples
    --------
    >>> both = compose((0.0, 2.0, 1.5), (0.0, 60.0, 0.1))
    >>> round(both.implied.alpha, 6)
    0.15
    >>> compose((0.0, 2.0, 1.5), (0.2, 60.0, 0.1)).implied.alpha
    0.1
    """
    gold = gold_law if isinstance(gold_law, GoldLaw) else GoldLaw(**_named(gold_law, "gold_law", ("xi0", "K0", "kappa")))
    law = _gold_of_compute(compute_law)
    parts = [
        _draws(gold_draws, "gold_draws", (gold.xi0, gold.K0, gold.kappa)),
        _draws(compute_draws, "compute_draws", (law.Eg, law.Gg, law.ag)),
    ]
    given = [len(part) for part, source in zip(parts, (gold_draws, compute_draws), strict=True) if source is not None]
    if len(set(given)) > 1:
        raise outside("compute_draws", f"{given[1]} draws", f"as many as gold_draws: {given[0]}")
    draws = None if not given else np.concatenate([np.broadcast_to(part, (given[0], 3)) for part in parts], axis=1)
    return Composition(gold_law=gold, compute_law=law, draws=draws, xi0_limit=nonnegative_number("xi0_limit", xi0_limit))


def _gold_of_compute(law: Any) -> GoldOfCompute:
    if isinstance(law, GoldOfCompute):
        return law
    if hasattr(law, "converged"):  # a fit: of no use where it has no result
        law = law.law
    if hasattr(law, "C0"):
        return GoldOfCompute(Eg=0.0 if law.E is None else law.E, Gg=law.C0, ag=law.alpha)
    if isinstance(law, Mapping) and "C0" in law:
        law = {"Eg": law.get("E", 0.0), "Gg": law["C0"], "ag": law.get("alpha")}
    return GoldOfCompute(**_named(law, "compute_law", ("Eg", "Gg", "ag")))


def _named(values: Any, name: str, keys: tuple[str, ...]) -> dict[str, Any]:
    if isinstance(values, Mapping):
        if set(values) != set(keys):
            raise outside(name, dict(values), f"a mapping with {', '.join(keys)}")
        return dict(values)
    try:
        found = list(values)
    except TypeError:
        found = []
    if len(found) != len(keys):
        raise outside(name, values, f"the coefficients {', '.join(keys)}")
    return dict(zip(keys, found, strict=True))


def _draws(values: Any, name: str, own: tuple[float, ...]) -> Floats:
    if values is None:
        return np.array([own])
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 3 or not len(array):
        raise outside(name, f"shape {array.shape}", "an array of shape (number of draws, 3)")
    good = np.isfinite(array) & (array > 0.0)
    good[:, 0] = np.isfinite(array[:, 0]) & (array[:, 0] >= 0.0)
    if not good.all():
        row = int(np.flatnonzero(~good.all(axis=1))[0])
        raise outside(f"{name}[{row}]", array[row].tolist(), "a floor of at least 0 and two positive numbers, all finite")
    return array


def _or_inf(function: Callable[..., Any], **arguments: float) -> float:
    """A compute, infinite where no float holds it."""
    try:
        return float(function(**arguments))
    except ValueError:
        return math.inf


# -- quantities: coefficients (R, 6) and compute (M,) to values (R, M) ----------------------------------------------------


def _columns(sets: Floats) -> dict[str, Floats]:
    names = ("xi0", "K0", "kappa", "Eg", "Gg", "ag")
    return {name: sets[:, i, None] for i, name in enumerate(names)}


def _taking(function: Formula[...], columns: Mapping[str, Floats], **more: Any) -> Floats:
    """The formula at those of the coefficients that it takes."""
    return np.asarray(function(**more, **{name: x for name, x in columns.items() if name in function.names}))


def _by_case(
    sets: Floats, compute: Floats, with_floor: Formula[...], without: Callable[[dict[str, Floats], Floats], Any]
) -> Floats:
    """The generated function where Eg > 0, the other where Eg = 0."""
    found = np.empty((len(sets), len(compute)))
    floored = sets[:, 3] > 0.0
    if floored.any():
        found[floored] = _taking(with_floor, _columns(sets[floored]), compute=compute)
    if not floored.all():
        found[~floored] = without(_columns(sets[~floored]), compute)
    return found


def _gold(sets: Floats, compute: Floats) -> Floats:
    return _taking(formulas.gold, _columns(sets), compute=compute)


def _neg_log(sets: Floats, compute: Floats) -> Floats:
    return _taking(formulas.composed, _columns(sets), compute=compute)


def _pass_at_k(sets: Floats, compute: Floats) -> Floats:
    return np.exp(-_neg_log(sets, compute))


def _reducible(sets: Floats, compute: Floats) -> Floats:
    def bare(columns: dict[str, Floats], at: Floats) -> Floats:
        return _taking(formulas.composed, columns | {"xi0": np.zeros_like(columns["xi0"])}, compute=at)

    return _by_case(sets, compute, formulas.composed_reducible, bare)


def _local_exponent(sets: Floats, compute: Floats) -> Floats:
    def bare(columns: dict[str, Floats], at: Floats) -> Floats:
        return np.broadcast_to(_taking(formulas.composed_exponent_without_floor, columns), (len(columns["ag"]), len(at)))

    return _by_case(sets, compute, formulas.composed_local_exponent, bare)


def _total_exponent(sets: Floats, compute: Floats) -> Floats:
    """d log y = (dlog (y - E0)) (y - E0)/y."""
    return np.asarray(_local_exponent(sets, compute) * _reducible(sets, compute) / _neg_log(sets, compute))


def _correction(sets: Floats, compute: Floats) -> Floats:
    def none(columns: dict[str, Floats], at: Floats) -> Floats:
        return np.zeros((len(columns["ag"]), len(at)))

    return _by_case(sets, compute, formulas.composed_correction, none)


QUANTITIES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "gold": _gold,
    "neg_log": _neg_log,
    "pass_at_k": _pass_at_k,
    "reducible": _reducible,
    "local_exponent": _local_exponent,
    "total_exponent": _total_exponent,
    "correction": _correction,
}


def _implied(sets: Floats) -> tuple[Floats, Floats, Floats]:
    """E0, C0, alpha of every set of coefficients, each by its own case."""
    columns = {name: x[:, 0] for name, x in _columns(sets).items()}
    floored = columns["Eg"] > 0.0
    E0, C0, alpha = columns["xi0"].copy(), np.empty(len(sets)), columns["ag"].copy()
    with_floor, bare = ({name: x[part] for name, x in columns.items()} for part in (floored, ~floored))
    if floored.any():
        E0[floored] = _taking(formulas.composed_floor, with_floor)
        C0[floored] = _taking(formulas.composed_coefficient, with_floor)
    if not floored.all():
        C0[~floored] = _taking(formulas.composed_coefficient_without_floor, bare)
        alpha[~floored] = _taking(formulas.composed_exponent_without_floor, bare)
    return E0, C0, alpha


# -- against a compute law fitted directly --------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """The composed law beside a compute law of -log pass@k fitted directly.

    Attributes
    ----------
    composition : Composition
    direct : ComputeLaw
    k : float or None
    compute : ndarray
        (M,), FLOP.
    composed, fitted : ndarray
        (M,): -log pass@k by the two, nats.
    composed_exponent, fitted_exponent : ndarray
        (M,): -dlog y/dlog C of the two.
    composed_reducible_exponent : ndarray
        (M,): -dlog(y - E0)/dlog C of the composed law; that of the other is its alpha.
    low, high : ndarray or None
        (M,): ends of the interval of `composed` from the draws.
    level : float
    """

    composition: Composition
    direct: ComputeLaw
    k: float | None
    compute: Floats
    composed: Floats
    fitted: Floats
    composed_exponent: Floats
    fitted_exponent: Floats
    composed_reducible_exponent: Floats
    low: Floats | None
    high: Floats | None
    level: float

    @property
    def difference(self) -> Floats:
        """composed - fitted, nats."""
        return self.composed - self.fitted

    @property
    def largest(self) -> tuple[float, float]:
        """The compute at which the two differ most in log y, and log(composed/fitted) there."""
        ratio = np.log(self.composed / self.fitted)
        worst = int(np.argmax(np.abs(ratio)))
        return float(self.compute[worst]), float(ratio[worst])

    def rows(self) -> list[dict[str, Any]]:
        """A record for every compute."""
        names = (
            "compute",
            "composed",
            "fitted",
            "difference",
            "composed_exponent",
            "fitted_exponent",
            "composed_reducible_exponent",
        )
        columns = {name: getattr(self, name) for name in names}
        ends = {} if self.low is None or self.high is None else {"lo": self.low, "hi": self.high}
        return [{"k": self.k, **{key: float(x[i]) for key, x in (columns | ends).items()}} for i in range(self.compute.size)]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        where, ratio = self.largest
        return {
            "k": self.k,
            "composition": self.composition.as_dict(self.level),
            "direct": self.direct.coefficients(),
            "largest": {"compute": where, "log_ratio": ratio},
            "rows": self.rows(),
        }

    def __str__(self) -> str:
        from ..fit.text import table

        law = self.composition.implied
        head = "" if self.k is None else f"k = {self.k:g}. "
        columns = (
            "C (FLOP)",
            "composed y",
            "fitted y",
            "difference",
            "exponent\nof y, composed",
            "fitted",
            "exponent of\ny - E0, composed",
        )
        rows = [
            [
                f"{row['compute']:.3g}".replace("e+", "e"),
                *(f"{row[name]:.5g}" for name in ("composed", "fitted")),
                f"{row['difference']:+.3g}",
                *(f"{row[name]:.4f}" for name in ("composed_exponent", "fitted_exponent", "composed_reducible_exponent")),
            ]
            for row in self.rows()
        ]
        return "\n".join(
            [
                f"{head}{self.composition.case}",
                f"composed: E0={law.E:.5g}, C0={law.C0:.5g}, alpha={law.alpha:.5g}",
                f"fitted:   E0={self.direct.E:.5g}, C0={self.direct.C0:.5g}, alpha={self.direct.alpha:.5g}",
                *table(columns, rows),
            ]
        )


def compare(
    composition: Composition, direct: Any, compute: Any, *, k: float | None = None, level: float = DEFAULT_LEVEL
) -> Comparison:
    """The composed law beside one fitted directly to -log pass@k over compute.

    Parameters
    ----------
    composition : Composition
    direct : ComputeLaw, (E, C0, alpha), mapping or Fit
    compute : array_like
        FLOP at which to compare.
    k : float, optional
        For tables.
    level : float
        Of the interval of the composed law, where it has draws.

    Returns
    -------
    Comparison
    """
    from .validity import as_compute_law

    law = ComputeLaw(**as_compute_law(direct.law if hasattr(direct, "converged") else direct, "direct")._asdict(), name="direct")
    values = np.atleast_1d(np.asarray(compute, dtype=np.float64))
    if values.ndim != 1 or not values.size:
        raise outside("compute", f"an array of shape {values.shape}", "a number or a list of numbers")
    band = composition.band("neg_log", values, level)
    return Comparison(
        composition=composition,
        direct=law,
        k=k,
        compute=values,
        composed=band.value,
        fitted=law.loss(values),
        composed_exponent=composition.total_exponent(values),
        fitted_exponent=formulas.local_exponent(compute=values, E=law.E, C0=law.C0, alpha=law.alpha),
        composed_reducible_exponent=composition.local_exponent(values),
        low=band.low,
        high=band.high,
        level=level,
    )
