"""What a fit says, gathered once for text, JSON, frames and LaTeX: figures with their errors and intervals, and warnings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from isoflop.numeric._domain import positive_number
from isoflop.numeric.fit.intervals import checked_level, normal_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from isoflop.numeric.fit.bootstrap import Bootstrap
    from isoflop.numeric.fit.derived import Quantity
    from isoflop.numeric.fit.identifiability import Identifiability
    from isoflop.numeric.fit.result import Fit

    Floats = NDArray[np.float64]

DEFAULT_LEVEL = 0.9
FIXED, AT_BOUND, OPEN = "fixed", "at bound", "not determined"
#: Fewer resamples than this have no standard error and no percentiles.
LEAST_DRAWS = 2
#: Below so many resamples beyond either end, percentiles are rough.
LEAST_IN_TAIL = 5


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A number of a fit.

    Attributes
    ----------
    name : str
        Key in files: beta, alpha, N_star, ...
    label : str
        For a reader.
    unit : str
    value : float
    se, lo, hi : float or None
        Standard error and interval; None where the runs do not determine them.
    note : str
        "fixed", "at bound", "not determined" by such a design, or "".
    at : tuple of (str, float)
        The compute or the ratio that it is for.
    """

    name: str
    label: str
    unit: str = ""
    value: float
    se: float | None = None
    lo: float | None = None
    hi: float | None = None
    note: str = ""
    at: tuple[tuple[str, float], ...] = ()

    def as_dict(self) -> dict[str, float | None]:
        """The numbers by the names value, se, lo and hi; None for what is not finite."""
        return {name: _finite(getattr(self, name)) for name in ("value", "se", "lo", "hi")}

    @property
    def lacks_an_end(self) -> bool:
        """Whether the interval has an end that no float can hold."""
        return any(end is not None and not isfinite(end) for end in (self.se, self.lo, self.hi))


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The figures of a fit and what speaks against them.

    Attributes
    ----------
    fit : Fit
    bootstrap : Bootstrap or None
        Where standard errors and intervals come from it.
    level : float
        Nominal coverage of the intervals.
    kind : {"sandwich", "bootstrap", "none"}
        Where standard errors and intervals come from.
    coefficients, derived : tuple of Figure
    warnings : tuple of str
    identifiability : Identifiability
        What the design of the runs determines.
    compute, ratio : float or None
        What derived quantities are for.
    """

    fit: Fit
    bootstrap: Bootstrap | None
    level: float
    kind: str
    coefficients: tuple[Figure, ...]
    derived: tuple[Figure, ...]
    warnings: tuple[str, ...]
    identifiability: Identifiability
    compute: float | None = None
    ratio: float | None = None

    @property
    def followed(self) -> tuple[Figure, ...]:
        """The derived quantities that are no coefficients."""
        own = {figure.name for figure in self.coefficients}
        return tuple(figure for figure in self.derived if figure.name not in own)

    @property
    def intervals(self) -> dict[str, Any]:
        """How the intervals were made, as plain data."""
        data: dict[str, Any] = {"kind": self.kind, "level": self.level}
        if self.bootstrap is not None:
            boot = self.bootstrap
            data |= {"resample": boot.kind, "repeats": len(boot) + boot.failed, "requested": boot.requested}
            data |= {"failed": boot.failed, "seed": boot.seed, "interrupted": boot.interrupted}
        return data


def summarise(
    fit: Fit,
    bootstrap: Bootstrap | None = None,
    *,
    level: float = DEFAULT_LEVEL,
    compute: float | None = None,
    ratio: float | None = None,
) -> Summary:
    """Gather what a fit says.

    Parameters
    ----------
    fit : Fit
    bootstrap : Bootstrap, optional
        Standard errors and percentile intervals come from it; else from the sandwich covariance.
    level : float
        Nominal coverage of the intervals; 0 < level < 1.
    compute : float, optional
        Adds the optimum at this compute, or for a compute law the loss; FLOP, > 0.
    ratio : float, optional
        Adds the penalty at this overtraining ratio; 1, > 0.

    Returns
    -------
    Summary

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or the law of the fit has nothing that it could be for.
    """
    level = checked_level(level)
    found = fit.identifiability()
    measured = _Sandwich(fit, level) if bootstrap is None else _Percentiles(bootstrap, level)
    coefficients = tuple(measured.coefficient(name) for name in fit.model.coefficients)
    derived, trouble = _derived(fit, measured, coefficients, compute, ratio)
    coefficients = tuple(_marked(figure, figure.name in found.undetermined) for figure in coefficients)
    is_open = found.rank < len(found.coefficients)
    derived = tuple(_marked(figure, is_open and not _told(figure.name, found)) for figure in derived)
    warnings = [
        *fit.runs.warnings,
        *_convergence(fit),
        *_on_bounds(fit, resampled=bootstrap is not None),
        *_below_irreducible(fit),
        *measured.warnings(),
        *trouble,
        *(
            f"{each.label}: an end of its interval exceeds the largest float"
            for each in (*coefficients, *derived)
            if each.lacks_an_end
        ),
        *_left_open(found),
    ]
    return Summary(
        fit=fit,
        bootstrap=bootstrap,
        level=level,
        kind=measured.kind,
        coefficients=coefficients,
        derived=derived,
        warnings=tuple(dict.fromkeys(warnings)),
        identifiability=found,
        compute=compute,
        ratio=ratio,
    )


def _marked(figure: Figure, is_open: bool) -> Figure:
    return replace(figure, note=OPEN) if is_open and not figure.note else figure


def _told(name: str, found: Identifiability) -> bool:
    """Whether a design that leaves something open determines this all the same."""
    return found.quantities.get(name, name in found.coefficients and name not in found.undetermined)


# -- where errors come from --------------------------------------------------------------------------------------------


class _Sandwich:
    """Standard errors and normal intervals from the covariance, or none and the reason."""

    def __init__(self, fit: Fit, level: float) -> None:
        self.fit, self.level, self.reason = fit, level, ""
        if not fit.converged:
            self.reason = "they are those of an optimum"
            return
        try:
            self.matrix = fit.covariance()
            self.errors, self.ends = fit.standard_errors, fit.intervals(level)
        except ValueError as error:
            self.reason = str(error).removeprefix("covariance: ").removesuffix(" (see the fit's identifiability)")

    @property
    def kind(self) -> str:
        return "none" if self.reason else "sandwich"

    def warnings(self) -> list[str]:
        return [f"no standard errors: {self.reason}"] if self.reason else []

    def coefficient(self, name: str) -> Figure:
        held = _held(self.fit, name)
        value = self.fit.coefficients[name]
        if held == FIXED:
            return Figure(name=name, label=name, value=value, se=0.0, lo=value, hi=value, note=held)
        if held or self.reason:
            return Figure(name=name, label=name, value=value, note=held)
        lo, hi = self.ends[name]
        return Figure(name=name, label=name, value=value, se=self.errors[name], lo=lo, hi=hi)

    def quantity(self, chosen: Quantity, law: Any) -> Figure:
        """Of a params+tokens law, by the delta method."""
        value = chosen.value(law)
        if set(self.fit.at_bound) & set(chosen.coefficients):
            return replace(_figure(chosen, value), note=AT_BOUND)
        if self.reason:
            return _figure(chosen, value)
        from isoflop.numeric.fit.derived import derived

        (found,) = derived(law, self.matrix, self.fit.model.coordinates, (chosen,), self.level)
        return _figure(chosen, value, found.standard_error, found.low, found.high)

    def loss(self, compute: float) -> Figure:
        """Of a compute law: the model's own gradient, by the delta method."""
        value, gradient = _loss_at(self.fit, compute)
        if self.reason or self.fit.at_bound:
            return _loss_figure(compute, value)
        turned = np.linalg.solve(self.fit.design.to_coordinates.T, gradient)
        se = float(np.sqrt(max(float(turned @ self.matrix @ turned), 0.0)))
        reach = normal_quantile(self.level) * se
        return _loss_figure(compute, value, se, value - reach, value + reach)


class _Percentiles:
    """Standard deviations and percentiles of the resamples."""

    kind = "bootstrap"

    def __init__(self, bootstrap: Bootstrap, level: float) -> None:
        self.boot, self.fit, self.level = bootstrap, bootstrap.fit, level
        self.trouble: list[str] = []

    def warnings(self) -> list[str]:
        boot = self.boot
        found = list(self.trouble)
        done = len(boot) + boot.failed
        if boot.interrupted:
            found.append(f"bootstrap: interrupted after {done} of {boot.requested} resamples; the intervals are of these")
        if boot.failed:
            found.append(f"bootstrap: {boot.failed} of {done} refits reached no certified minimum and are left out")
        if len(boot) < LEAST_DRAWS:
            found.append(f"bootstrap: {len(boot)} resample gives no standard error and no interval")
        elif 0.5 * (1.0 - self.level) * len(boot) < LEAST_IN_TAIL:
            found.append(f"bootstrap: {len(boot)} resamples are few for intervals of level {self.level:g}")
        return found

    def coefficient(self, name: str) -> Figure:
        held = _held(self.fit, name)
        known = Figure(name=name, label=name, value=self.fit.coefficients[name], note=held)
        return self._drawn(self.boot.columns[name], known)

    def quantity(self, chosen: Quantity, law: Any) -> Figure:
        known = _figure(chosen, chosen.value(law))
        try:
            draws = self.boot.quantity(chosen)
        except ValueError as error:
            self.trouble.append(f"{known.label}: no interval, for in some resample {error}")
            return known
        return self._drawn(draws, known)

    def loss(self, compute: float) -> Figure:
        design: Any = self.fit.design
        theta = np.stack([design.theta(dict(zip(self.boot.columns, row, strict=True))) for row in self.boot.draws])
        draws = _curve(self.fit, compute, theta)[0]
        value, _ = _loss_at(self.fit, compute)
        return self._drawn(draws, _loss_figure(compute, value))

    def _drawn(self, draws: Floats, known: Figure) -> Figure:
        if len(draws) < LEAST_DRAWS:
            return known
        from isoflop.numeric.fit.bootstrap import percentile

        lo, hi = percentile(draws, self.level)
        return replace(known, se=float(np.std(draws, ddof=1)), lo=lo, hi=hi)


def _held(fit: Fit, name: str) -> str:
    return FIXED if name in _given(fit) else AT_BOUND if name in fit.at_bound else ""


def _given(fit: Fit) -> frozenset[str]:
    return frozenset(fit.design.given)


def _figure(quantity: Quantity, value: float, *numbers: float) -> Figure:
    label = quantity.label.replace("e+", "e")
    return _measured(Figure(name=quantity.name, label=label, unit=quantity.unit, value=value, at=quantity.at), numbers)


def _measured(known: Figure, numbers: Sequence[float]) -> Figure:
    se, lo, hi = numbers or (None, None, None)
    return replace(known, se=se, lo=lo, hi=hi)


# -- what follows from the law -----------------------------------------------------------------------------------------


def _derived(
    fit: Fit, measured: _Sandwich | _Percentiles, coefficients: Sequence[Figure], compute: float | None, ratio: float | None
) -> tuple[tuple[Figure, ...], list[str]]:
    """The derived quantities, and why there are none."""
    if fit.model.name == "params-tokens":
        from isoflop.numeric.fit.derived import default_quantities

        found: list[Figure] = []
        trouble: list[str] = []
        for quantity in default_quantities(compute, ratio):
            try:
                found.append(measured.quantity(quantity, fit.law))
            except ValueError as error:
                trouble.append(f"{quantity.label}: cannot be derived ({error})")
        return tuple(found), trouble
    if ratio is not None:
        raise ValueError(f"ratio={ratio!r}: is for a params-tokens law; {fit.model} has no penalty")
    if fit.model.name == "compute":
        of_law = tuple(figure for figure in coefficients if figure.name in ("alpha", "C0"))[::-1]
        return of_law if compute is None else (*of_law, measured.loss(positive_number("compute", compute))), []
    if compute is not None:
        raise ValueError(f"compute={compute!r}: is for a params-tokens or a compute law; the fit is of {fit.model}")
    return (), []


def _curve(fit: Fit, compute: float, theta: Floats) -> tuple[Floats, Floats]:
    """A compute law at one compute for K parameters: (K,), and its derivatives (K, p)."""
    design: Any = fit.design
    at = type(design.model)(np.array([[np.log(compute)]]) - design.centres[:, None], design.model.irreducible)
    values, jacobian = at.evaluate(theta)
    return values[:, 0], jacobian[:, :, 0]


def _loss_at(fit: Fit, compute: float) -> tuple[float, Floats]:
    values, jacobian = _curve(fit, compute, fit.theta[None])
    return float(values[0]), jacobian[0]


def _loss_figure(compute: float, value: float, *numbers: float) -> Figure:
    label = f"L at {compute:.6g} FLOP".replace("e+", "e")
    known = Figure(name="loss", label=label, unit="loss", value=value, at=(("compute", compute),))
    return _measured(known, numbers)


# -- warnings ----------------------------------------------------------------------------------------------------------


def _convergence(fit: Fit) -> list[str]:
    if fit.converged:
        return []
    reason = getattr(fit.solution, "reason", "")
    return [f"the fit did not reach an optimum{f': {reason}' if reason else ''}; its numbers are no result"]


def _on_bounds(fit: Fit, *, resampled: bool) -> list[str]:
    """What it means that coefficients are on a bound."""
    names = fit.at_bound
    if not names:
        return []
    texts = []
    for name in names:
        meaning = _meaning(fit, name, _side(fit, name))
        texts.append(f"{name} = {fit.coefficients[name]:.6g} is on a bound{f': {meaning}' if meaning else ''}")
    those = f"what depends on {', '.join(names)}"
    if resampled:
        return [*texts, f"percentile intervals of {those} need not cover as often as their level says"]
    return [
        *texts,
        f"the errors of {those} are unknown; the others hold for {'this value' if len(names) == 1 else 'these values'}",
    ]


def _side(fit: Fit, name: str) -> str:
    index = fit.model.coefficients.index(name)
    low, high = float(fit.design.lower[index]), float(fit.design.upper[index])
    return "lower" if abs(fit.theta[index] - low) <= abs(high - fit.theta[index]) else "upper"


def _meaning(fit: Fit, name: str, side: str) -> str:
    from isoflop.numeric.fit.models import LARGEST_EXPONENT, SMALLEST_EXPONENT, PowerTerms

    terms, design = fit.model, cast("Any", fit.design)
    if not isinstance(terms, PowerTerms):
        return f"its {side} one"
    if name == "E" and fit.coefficients[name] == 0.0:
        return "these runs show no irreducible loss"
    if name in terms.prefactors and side == "lower" and design.centres[terms.prefactors.index(name)] != 0.0:
        return "its term is too small to be seen in these runs"
    if name in terms.exponents and fit.coefficients[name] in (SMALLEST_EXPONENT, LARGEST_EXPONENT):
        return "its term hardly falls over these runs" if side == "lower" else "its term falls faster than these runs can tell"
    return f"the {side} one that was given"


def _below_irreducible(fit: Fit) -> list[str]:
    """No law with a given E comes near losses below it."""
    E = fit.coefficients.get("E", 0.0)
    if not (E > 0.0 and _held(fit, "E")):
        return []
    n = int(np.count_nonzero(np.asarray(fit.runs.loss) <= E))
    return (
        [f"{n} of {len(fit.runs)} runs have a loss of at most E = {E:.6g}, which is given: no such law reaches them"] if n else []
    )


def _left_open(found: Identifiability) -> list[str]:
    """What the design leaves open, and the runs that would settle it."""
    texts = []
    if found.rank < len(found.coefficients):
        moving = f", and leave open {', '.join(found.undetermined)}" if found.undetermined else ""
        texts.append(f"the runs determine {found.rank} combinations of {len(found.coefficients)} coefficients{moving}")
    texts += [f"{item}; what would tell: {item.remedy}" for item in found.structures]
    return [*texts, *(f"hardly determined: {item}" for item in found.weak)]


def _finite(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else value + 0.0


__all__ = ["AT_BOUND", "FIXED", "OPEN", "Figure", "Summary", "summarise"]
