"""Which coefficients the runs of a fit tell apart: from the design, from the Jacobian, and in practice."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log
from statistics import NormalDist
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from .models import Design
from .nullspace import Direction, Linearised
from .structure import EXPONENTS, PREFACTORS, Structure, estimated, structures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .result import Fit

    Floats = NDArray[np.float64]

#: A coefficient whose standard error exceeds this share of it is not told in practice.
LARGEST_RELATIVE_ERROR = 1.0
#: Nor is a prefactor whose interval at this level spans more than this factor.
LARGEST_FACTOR, LEVEL = 10.0, 0.9
#: A quantity is determined where it changes by at most this share of itself along the open directions.
WITHIN = 1e-3
#: Laws whose losses differ by no more than this share are the same to the runs.
SAME = 1e-6
WIDTH = 100
NO_DERIVATIVES = "the law's derivatives at the point that was found are too large for floats, or none"
WIDER_RANGE = {
    "E": "runs of larger compute, where less of the loss is reducible",
    "A": "a wider range of N at large D",
    "beta": "a wider range of N at large D",
    "B": "a wider range of D at large N",
    "gamma": "a wider range of D at large N",
    "C0": "a wider range of compute",
    "alpha": "a wider range of compute",
}


@dataclass(frozen=True)
class Weak:
    """A coefficient that is determined on paper and not told in practice.

    Attributes
    ----------
    coefficient : str
    value, standard_error : float
    reason : str
    """

    coefficient: str
    value: float
    standard_error: float
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return {"coefficient": self.coefficient, "value": self.value, "se": self.standard_error, "reason": self.reason}

    def __str__(self) -> str:
        return f"{self.coefficient} = {self.value:.4g}: {self.reason}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Identifiability:
    """What a design determines.

    Attributes
    ----------
    n_runs : int
    coefficients : tuple of str
        Those that are estimated: all but the fixed ones.
    at_bound : tuple of str
        Those that the fit put on a bound; standard errors hold them there.
    rank : int
        How many combinations of them the runs determine: the smaller of what the design permits and of the numerical rank.
    numerical_rank : int
        Singular values above 1e-10 of the largest.
    structures : tuple of Structure
        Coincidences of the design.
    singular_values : tuple of float
        Of the Jacobian of the residuals in centred coordinates with columns of unit length.
    condition, condition_centred : float
        Condition number of J'J with unit columns, in the plain and in the centred coordinates; inf where it is singular.
    coordinates : tuple of str
        Rows of the correlation: E, logarithms of prefactors, exponents, as far as they are estimated.
    correlation : ndarray or None
        (k, k), of (J'J)^-1; None where J'J is singular.
    directions : tuple of Direction
        Those that are left open, then those that are weakly determined.
    undetermined : tuple of str
        Coefficients that move along an open direction, or that such a design leaves open.
    quantities : dict of str to bool
        alpha, C0 and the exponents of the allocation: whether they are the same for all laws that have
        these losses: to first order along the open directions, and for the exchanged law.
    swapped : dict of str to float or None
        A law with the two terms exchanged that has the same losses at these runs.
    swapped_difference : float or None
        By how much, relative to the loss, it differs at any of the runs.
    weak : tuple of Weak
    reason : str
        Why there are no standard errors, where there are none.
    """

    n_runs: int
    coefficients: tuple[str, ...]
    at_bound: tuple[str, ...]
    rank: int
    numerical_rank: int
    structures: tuple[Structure, ...]
    singular_values: tuple[float, ...]
    condition: float
    condition_centred: float
    coordinates: tuple[str, ...]
    correlation: Floats | None
    directions: tuple[Direction, ...]
    undetermined: tuple[str, ...]
    quantities: dict[str, bool]
    swapped: dict[str, float] | None
    swapped_difference: float | None
    weak: tuple[Weak, ...]
    reason: str

    @property
    def identified(self) -> bool:
        """Whether all coefficients are determined, and attributed to N and D."""
        exchanged = self.swapped_difference is not None and self.swapped_difference <= SAME
        one_power = any(item.name == "one-power" for item in self.structures)
        return self.rank == len(self.coefficients) and not exchanged and not one_power

    @property
    def remedies(self) -> tuple[str, ...]:
        """Runs that would tell apart what these do not."""
        wanted = [item.remedy for item in self.structures]
        wanted += [WIDER_RANGE[item.coefficient] for item in self.weak if item.coefficient in WIDER_RANGE]
        return tuple(dict.fromkeys(wanted))

    def as_dict(self) -> dict[str, Any]:
        """Plain data; None for what is infinite or does not exist."""
        return {
            "identified": self.identified,
            "n_runs": self.n_runs,
            "coefficients": list(self.coefficients),
            "at_bound": list(self.at_bound),
            "rank": self.rank,
            "numerical_rank": self.numerical_rank,
            "structures": [item.as_dict() for item in self.structures],
            "singular_values": list(self.singular_values),
            "condition": None if self.condition == inf else self.condition,
            "condition_centred": None if self.condition_centred == inf else self.condition_centred,
            "coordinates": list(self.coordinates),
            "correlation": None if self.correlation is None else self.correlation.tolist(),
            "directions": [item.as_dict() for item in self.directions],
            "undetermined": list(self.undetermined),
            "quantities": dict(self.quantities),
            "swapped": None if self.swapped is None else dict(self.swapped),
            "swapped_difference": self.swapped_difference,
            "weak": [item.as_dict() for item in self.weak],
            "reason": self.reason,
            "remedies": list(self.remedies),
        }

    def __str__(self) -> str:
        return "\n".join(line for text in _sentences(self) for line in wrap(text, WIDTH, subsequent_indent="  "))


def identifiability(fit: Fit) -> Identifiability:
    r"""Which coefficients of a fit its runs tell apart.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    Identifiability

    Notes
    -----
    Of (E, log A, log B, beta, gamma) runs on the optimal path, or at any constant multiple of N*(C), determine 3 combinations;
    so do runs at one N or at one D, and runs at a fixed D/N where beta = gamma. At a fixed D/N with different exponents all 5
    are determined, but not which term is that of N: the law with A' N^-gamma = B D^-gamma and B' D^-beta = A N^-beta on the ray
    has the same losses. So it is on any line D ~ N^m with m > 0, there with other exponents. One budget determines all 5,
    barely. Two distinct N determine 4.

    A coincidence counts as exact where logarithms agree to 1e-6 (1e-2 for a multiple of the fitted N*), as near up to 0.05. The
    condition number is of J'J with columns of unit length, in (E, log A, ...) and in the coordinates centred at the geometric
    mean of the design. In practice a coefficient is not told where its standard error exceeds it, or where the 90 % interval of
    a prefactor spans more than a factor of 10.
    """
    with np.errstate(all="ignore"):
        linear = Linearised.of(fit)
    if not linear.is_tame:
        return _unknown(fit)
    found = structures(fit)
    permitted = [item.rank for item in found if item.exact and item.rank is not None]
    rank = min([linear.rank, *permitted])
    open_directions = linear.open_directions(rank)
    moving = {name.removeprefix("log ") for direction in open_directions for name in direction.change}
    moving |= {name for item in found if item.exact for name in item.leaves_open}
    swapped, difference = _swapped(fit, found)
    weak, reason = _weak(fit, rank == len(linear.names))
    coefficients = estimated(fit)
    return Identifiability(
        n_runs=len(fit.runs),
        coefficients=coefficients,
        at_bound=fit.at_bound,
        rank=rank,
        numerical_rank=linear.rank,
        structures=found,
        singular_values=tuple(map(float, linear.singular_values)),
        condition=inf if rank < len(coefficients) else linear.condition(centred=False),
        condition_centred=inf if rank < len(coefficients) else linear.condition(),
        coordinates=linear.names,
        correlation=linear.correlation() if rank == len(coefficients) else None,
        directions=(*open_directions, *linear.weak_directions(rank)),
        undetermined=tuple(name for name in coefficients if name in moving),
        quantities=_quantities(
            fit,
            linear,
            rank,
            moving,
            {item.name for item in found},
            swapped if difference is not None and difference <= SAME else None,
        ),
        swapped=swapped,
        swapped_difference=difference,
        weak=weak,
        reason=reason,
    )


def _unknown(fit: Fit) -> Identifiability:
    """Of a point where the law has no derivatives that floats could hold: nothing can be said."""
    return Identifiability(
        n_runs=len(fit.runs),
        coefficients=estimated(fit),
        at_bound=fit.at_bound,
        rank=0,
        numerical_rank=0,
        structures=(),
        singular_values=(),
        condition=inf,
        condition_centred=inf,
        coordinates=(),
        correlation=None,
        directions=(),
        undetermined=(),
        quantities={},
        swapped=None,
        swapped_difference=None,
        weak=(),
        reason=NO_DERIVATIVES,
    )


def open_coefficients(fit: Fit) -> tuple[str, ...]:
    """Coefficients of a fit that are no result, in the order of the law.

    Those that the design leaves open or lets stand for either term, that went to a limit of the search, and where there are no
    more runs than free coefficients, all of these.
    """
    free = [name for name, is_free in zip(fit.model.coefficients, fit.free, strict=True) if is_free]
    left = {*fit.design.runaway(fit.theta), *(free if len(fit.runs) <= len(free) else ())}
    found = identifiability(fit)
    left.update(found.undetermined)
    if found.swapped_difference is not None and found.swapped_difference <= SAME:
        left.update({*PREFACTORS, *EXPONENTS} - {*fit.design.given})
    return tuple(name for name in fit.model.coefficients if name in left)


# -- parts -------------------------------------------------------------------------------------------------------------


def _quantities(
    fit: Fit, linear: Linearised, rank: int, undetermined: set[str], names: set[str], swapped: dict[str, float] | None
) -> dict[str, bool]:
    """Whether each quantity is the same for all laws with these losses: along the open directions, and under the exchange."""
    if fit.model.name != "params-tokens":
        return {}
    from .derived import default_quantities

    try:
        law: Any = fit.law_of(fit.coefficients)
        other: Any = law if swapped is None else fit.law_of(swapped)
        found = {}
        for item in default_quantities():
            value, gradient = item.value(law), item.gradient(law)
            settled = not undetermined & set(item.coefficients)
            if not settled and "constant-size-ratio" in names:
                along = linear.moves(np.array([gradient[coordinate] for coordinate in linear.names]), rank)
                settled = along <= WITHIN * abs(value)
            same = abs(item.value(other) - value) <= WITHIN * abs(value)
            found[item.name] = settled and same and "one-power" not in names
    except ValueError:
        return {}
    return found


def _swapped(fit: Fit, found: tuple[Structure, ...]) -> tuple[dict[str, float] | None, float | None]:
    """The law in which each variable carries the other's term: the line through log T of one against the log of the other."""
    on_line = any(item.name in ("fixed-ratio", "line") for item in found)
    if not on_line or not isinstance(fit.design, Design) or fit.design.given or set(fit.at_bound) & {*PREFACTORS, *EXPONENTS}:
        return None, None
    first = int("E" in fit.coefficients)
    terms = np.log(fit.design.model.evaluate(fit.theta[None])[1][0, first : first + 2])
    x, y = np.log(fit.runs.params), np.log(fit.runs.tokens)
    exchanged = {"E": fit.coefficients["E"]} if first else {}
    for prefactor, exponent, logs, term in (("A", "beta", x, terms[1]), ("B", "gamma", y, terms[0])):
        slope, offset = np.polyfit(logs - logs.mean(), term, 1)
        if not slope < 0.0:
            return None, None
        exchanged |= {prefactor: float(np.exp(offset - slope * logs.mean())), exponent: float(-slope)}
    if not all(np.isfinite(value) for value in exchanged.values()):
        return None, None
    losses = fit.design.model.evaluate(fit.design.theta(exchanged)[None])[0][0]
    ordered = {name: exchanged[name] for name in fit.model.coefficients}
    return ordered, float(np.max(np.abs(losses / fit.fitted - 1.0)))


def _weak(fit: Fit, regular: bool) -> tuple[tuple[Weak, ...], str]:
    if not regular:
        return (), "the runs leave some coefficients undetermined"
    try:
        errors, ends = fit.standard_errors, fit.intervals(LEVEL)
    except ValueError as error:
        return (), str(error).removeprefix("covariance: ")
    return hardly_determined(fit, errors, ends), ""


def hardly_determined(fit: Fit, errors: Mapping[str, float | None], ends: Mapping[str, tuple[float, float]]) -> tuple[Weak, ...]:
    """The free coefficients that are not told in practice, by their standard errors and their intervals of level 0.9."""
    logs = {name.removeprefix("log ") for name in fit.model.coordinates if name.startswith("log ")}
    found = []
    for name, is_free in zip(fit.model.coefficients, fit.free, strict=True):
        if not is_free:
            continue
        value, (low, high), error = fit.coefficients[name], ends[name], errors[name]
        # Without a standard error, the normal one of an interval as wide.
        spread = (high - low) / (2.0 * NormalDist().inv_cdf((1.0 + LEVEL) / 2.0)) if error is None else error
        if name in logs:
            span = log(high / low) if low > 0.0 and high < inf else inf
            if span > log(LARGEST_FACTOR):
                factor = f"a factor of {exp(span):.3g}" if span < 50.0 else f"{span / log(10.0):.3g} orders of magnitude"
                found.append(Weak(name, value, spread, f"its {LEVEL:.0%} interval spans {factor}"))
        elif spread > LARGEST_RELATIVE_ERROR * abs(value):
            wide = "standard error" if error is not None else f"{LEVEL:.0%} interval, that of a normal standard error of"
            found.append(Weak(name, value, spread, f"its {wide} {spread:.3g} exceeds it"))
    return tuple(found)


def _sentences(result: Identifiability) -> list[str]:
    names = ", ".join(result.coefficients)
    lines = [f"{result.n_runs} runs determine {result.rank} of {len(result.coefficients)} coefficients ({names})"]
    lines += [f"design: {item}" for item in result.structures]
    lines += [f"{name} is on a bound; standard errors hold it there" for name in result.at_bound]
    if result.undetermined:
        lines.append(f"not told apart: {', '.join(result.undetermined)}")
        told = [name for name in result.coefficients if name not in result.undetermined]
        told += [name for name, is_determined in result.quantities.items() if is_determined and not result.swapped]
        lines.append(f"determined all the same: {', '.join(told) or 'none of the coefficients by itself'}")
    lines += [f"{'open' if item.is_open else 'weak'}: {item}" for item in result.directions]
    if result.swapped is not None:
        law = ", ".join(f"{name} {value:.6g}" for name, value in result.swapped.items())
        lines.append(f"exchanged law: {law}; its losses at the runs are the same to {result.swapped_difference:.1g}")
        shared = [name for name, is_determined in result.quantities.items() if is_determined]
        lines.append(f"common to both: {', '.join(shared) or 'none of alpha, C0 and the exponents of the allocation'}")
    if result.condition_centred < inf:
        lines.append(f"condition of J'J (unit columns): {result.condition:.3g}, centred {result.condition_centred:.3g}")
    if result.correlation is not None:
        lines += _high_correlations(result.coordinates, result.correlation)
    lines += [f"in practice not told: {item}" for item in result.weak]
    if result.reason:
        lines.append(f"no standard errors: {result.reason}")
    lines += [f"would tell: {text}" for text in result.remedies]
    return lines


def _high_correlations(names: tuple[str, ...], matrix: Floats) -> list[str]:
    pairs = [
        f"{names[i]} and {names[j]} {matrix[i, j]:+.3f}"
        for i in range(len(names))
        for j in range(i + 1, len(names))
        if abs(matrix[i, j]) > 0.9
    ]
    return [f"correlated: {'; '.join(pairs)}"] if pairs else []
