"""Every number of a fit as an estimate: its coefficients, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.columns import BUDGET
from ..errors import ArgumentError, outside, positive_number
from ..results import LEAST_DRAWS, Estimate
from .fitted import KEYS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from .derived import Quantity
    from .identifiability import Weak
    from .result import Fit

    Floats = NDArray[np.float64]

FIXED, AT_BOUND = "fixed", "at bound"
#: A name and the compute or the ratio that it is for, where there are several.
AT = "@"


@dataclass(frozen=True)
class FitNumber:
    """A number of a fit.

    Attributes
    ----------
    name : str
        Key in files: beta, alpha, N_star, ...; N_star@1e22, ... where there are several computes or
        ratios.
    label : str
        For a reader.
    estimate : Estimate
        Undetermined, with the value NaN, for what follows from coefficients that are undetermined.
    unit : str
    note : {"fixed", "at bound", ""}
    at : tuple of (str, float)
        The compute or the ratio that it is for.
    """

    name: str
    label: str
    estimate: Estimate
    unit: str = ""
    note: str = ""
    at: tuple[tuple[str, float], ...] = ()

    def as_dict(self) -> dict[str, float | None]:
        """The numbers by the names value, se, lo and hi; None for what is not finite."""
        numbers = self.estimate.as_dict("value", "lo", "hi", "se")
        return {key: None if numbers[key] is None else numbers[key] + 0.0 for key in KEYS}

    @property
    def remark(self) -> str:
        """The note and the unit, for a reader."""
        unit = "" if self.unit == "1" or self.estimate.undetermined else self.unit
        return ", ".join(filter(None, (self.note, "" if self.note == FIXED else unit)))

    @property
    def shown(self) -> Estimate:
        """The estimate without errors where it is known exactly."""
        known = self.estimate
        exact = self.note == FIXED or (known.standard_error == 0.0 and known.low == known.high)
        error = None if self.note == FIXED else known.standard_error
        return replace(known, low=None, high=None, standard_error=error) if exact else known


def several(name: str, given: ArrayLike | None) -> tuple[float, ...]:
    """The computes or the ratios that are given, each once.

    Raises
    ------
    ValueError
        Where one of them is not positive and finite, or they are no row of numbers.
    """
    if given is None or (isinstance(given, tuple) and not given):
        return ()
    values: list[Any] = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
    if not values:
        raise outside(name, given, "a number or a sequence of numbers")
    return tuple(dict.fromkeys(positive_number(name, value) for value in values))


def quantities(
    compute: ArrayLike | None = None, ratio: ArrayLike | None = None
) -> tuple[Quantity, ...]:
    """What follows from a params+tokens law, at every compute and ratio; with several, names carry
    "@" and the value.
    """
    from .derived import at_compute, default_quantities, penalty_at

    chosen = list(default_quantities())
    for value in (computes := several("compute", compute)):
        chosen += [
            replace(quantity, name=_named(quantity.name, value, computes))
            for quantity in at_compute(value)
        ]
    for value in (ratios := several("ratio", ratio)):
        chosen.append(replace(penalty_at(value), name=_named("penalty", value, ratios)))
    return tuple(chosen)


def _named(name: str, value: float, values: Sequence[float]) -> str:
    return name if len(values) == 1 else f"{name}{AT}{spelt(value)}"


def spelt(value: float) -> str:
    """A number as short as it can be told from any other.

    >>> spelt(1e21), spelt(10.0), spelt(0.1234567)
    ('1e21', '10', '0.1234567')
    """
    short = f"{value:.6g}"
    return (short if float(short) == value else repr(value)).replace("e+", "e")


# -- where errors come from ------------------------------------------------------------------------


class Errors:
    """Standard errors and intervals: standard deviations and percentiles of the resamples of a fit,
    without any those of its covariance, or none and the reason.

    Attributes
    ----------
    draws : Draws or None
        Where they come from the resamples.
    reason : str
        Why there are none; "" where there are some.
    trouble : list of str
        What could not be told of single quantities.
    """

    def __init__(self, fit: Fit, level: float) -> None:
        self.fit, self.level, self.reason = fit, level, ""
        self.draws = fit.draws if fit.converged else None
        self.trouble: list[str] = []
        self.own: dict[str, Estimate] = {}
        try:
            if not fit.converged:
                raise ValueError("they are those of an optimum")
            self.own = fit.estimates(level)
        except ValueError as error:
            complaint = str(error).removeprefix("covariance: ")
            self.reason = complaint.removesuffix(" (see the fit's identifiability)")

    @property
    def kind(self) -> str:
        """ "bootstrap", "sandwich" or "none"."""
        return "bootstrap" if self.draws is not None else "none" if self.reason else "sandwich"

    def warnings(self) -> list[str]:
        """What a reader must know of them."""
        return [*([f"no standard errors: {self.reason}"] if self.reason else []), *self.trouble]

    def coefficient(self, name: str) -> Estimate:
        """Of a coefficient."""
        value = self.fit.coefficients[name]
        if self.draws is not None:
            return self.own[name]
        if name in self.fit.design.given:
            return Estimate(value, value, value, 0.0)
        return Estimate(value) if name in self.fit.at_bound or self.reason else self.own[name]

    def quantity(self, quantity: Quantity, law: Any) -> Estimate:
        """Of what follows from a params+tokens law; without resamples by the delta method."""
        from .derived import derived

        fit, level, value = self.fit, self.level, quantity.value(law)
        if self.draws is not None:
            try:
                return Estimate.of_draws(value, self.draws.values(quantity), level)
            except ValueError as error:
                self.trouble.append(f"{quantity.label}: no interval, for in some resample {error}")
                return Estimate(value)
        if {*fit.at_bound} & {*quantity.coefficients} or self.reason:
            return Estimate(value)
        covariance, names = fit.covariance(), fit.model.coordinates
        (estimate,) = derived(law, covariance, names, (quantity,), level, fit.degrees_of_freedom)
        return estimate

    def loss(self, compute: float) -> Estimate:
        """Of a compute law; without resamples by the delta method."""
        fit = self.fit
        if self.draws is not None:
            thetas = np.vstack([fit.theta, fit.design.thetas(self.draws.coefficients)])
            value, *drawn = _curve(fit, compute, thetas)[0]
            return Estimate.of_draws(value, drawn, self.level)
        values, jacobian = _curve(fit, compute, fit.theta[None])
        if self.reason or fit.at_bound:
            return Estimate(values[0])
        gradient = np.linalg.solve(fit.design.to_coordinates.T, jacobian[0])
        error = float(np.sqrt(max(float(gradient @ fit.covariance() @ gradient), 0.0)))
        return Estimate.of_standard_error(
            float(values[0]), error, self.level, fit.degrees_of_freedom
        )

    def weak(self) -> tuple[Weak, ...]:
        """The coefficients that are hardly determined."""
        from .identifiability import LEVEL, hardly_determined

        if self.draws is None:
            return self.fit.identifiability().weak
        if len(self.draws) < LEAST_DRAWS:
            return ()
        return hardly_determined(self.fit, self.draws.estimates(LEVEL))


def coefficient_entry(fit: Fit, name: str, errors: Errors) -> FitNumber:
    note = FIXED if name in fit.design.given else AT_BOUND if name in fit.at_bound else ""
    estimate = errors.coefficient(name)
    if name in fit.undetermined:
        estimate, note = Estimate(estimate.value, undetermined=True), ""
    unit = _unit(fit, "loss * FLOP^alpha") if name == "C0" else ""
    return FitNumber(name, name, estimate, unit, note)


# -- what follows from the law ---------------------------------------------------------------------


def derived_entries(
    fit: Fit,
    errors: Errors,
    coefficients: Sequence[FitNumber],
    computes: Sequence[float],
    ratios: Sequence[float],
) -> list[FitNumber]:
    if fit.model.name == "params-tokens":
        entries = (_followed(fit, errors, item) for item in quantities(computes, ratios))
        return [entry for entry in entries if entry is not None]
    if ratios:
        complaint = f"is for a params-tokens law; {fit.model} has no penalty"
        raise ArgumentError("ratio", ratios[0], complaint=complaint)
    if computes and fit.model.is_expression:
        complaint = f"is for a params-tokens or a compute law; the fit is of {fit.model}"
        raise ArgumentError("compute", computes[0], complaint=complaint)
    of_law = [] if fit.model.is_expression else coefficients[::-1]
    followed = [entry for entry in of_law if entry.name in ("alpha", "C0")]
    for compute in computes:
        estimate = Estimate(nan, undetermined=True) if fit.undetermined else errors.loss(compute)
        label = f"L at {compute:.6g} FLOP".replace("e+", "e")
        name, at = _named("loss", compute, computes), (("compute", compute),)
        followed.append(FitNumber(name, label, estimate, _unit(fit, "loss"), at=at))
    return followed


def _followed(fit: Fit, errors: Errors, quantity: Quantity) -> FitNumber | None:
    """What follows from a params+tokens law; None where nothing does, with the reason in the
    errors' trouble.
    """
    label, unit = quantity.label.replace("e+", "e"), _unit(fit, quantity.unit)
    if _is_open(fit, quantity):
        estimate = Estimate(nan, undetermined=True)
        return FitNumber(quantity.name, label, estimate, unit, at=quantity.at)
    try:
        estimate = errors.quantity(quantity, fit.law_of(fit.coefficients))
    except ValueError as error:
        errors.trouble.append(f"{quantity.label}: cannot be derived ({error})")
        return None
    held = errors.kind != "bootstrap" and {*fit.at_bound} & {*quantity.coefficients}
    return FitNumber(quantity.name, label, estimate, unit, AT_BOUND if held else "", quantity.at)


def _is_open(fit: Fit, quantity: Quantity) -> bool:
    """Whether a quantity of a params+tokens law hangs on coefficients that are no result.

    Some quantities are the same for all laws that a design does not tell apart. A coefficient at a
    limit of the search, or as many runs as coefficients, leave nothing that could be.
    """
    depends = {*quantity.coefficients} & {*fit.undetermined}
    if not depends or fit.spare <= 0 or depends & {*fit.design.runaway(fit.theta)}:
        return bool(depends)
    name, settled = quantity.name.partition(AT)[0], fit.identifiability().quantities
    if name in ("L_star", "R_star"):
        curve = settled.get("alpha", False) and settled.get("C0", False)
        return not curve or (name == "L_star" and "E" in depends)
    return not settled.get(name, False)


def _unit(fit: Fit, unit: str) -> str:
    """The unit of what is predicted: the loss, or L as the fit defines it."""
    return unit if fit.runs.metric == "loss" else unit.replace("loss", "L")


def _curve(fit: Fit, compute: float, theta: Floats) -> tuple[Floats, Floats]:
    """A compute law at one compute for K parameters: (K,), and its derivatives (K, p)."""
    model = fit.design.model
    at: Any = type(model)(
        np.array([[np.log(compute)]]) - fit.design.centres[:, None], model.irreducible
    )
    values, jacobian = at.evaluate(theta)
    return values[:, 0], jacobian[:, :, 0]


# -- what was fitted ----------------------------------------------------------------------------


def outcome(fit: Fit) -> str:
    """What L stands for where it is not the loss: -log Q of accuracy Q, normalised by the accuracy
    of guessing.
    """
    if fit.runs.metric == "loss":
        return ""
    baseline = fit.runs.random_baseline
    return f"-log((Q - {baseline:g})/(1 - {baseline:g}))" if baseline else "-log Q"


def run_ranges(runs: Any) -> dict[str, list[float]]:
    """The least and the greatest params, tokens and compute of runs, as far as they have them."""
    held = {name: getattr(runs, name) for name in BUDGET}
    return {
        name: [float(values.min()), float(values.max())]
        for name, values in held.items()
        if values is not None
    }
