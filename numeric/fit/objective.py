r"""What a fit minimises: the sum over the runs of rho(residual).

Every objective here has a derivative of the form psi(r) = clip(slope r, low, high), so that

    rho(r) = psi r - psi^2/(2 slope),

least squares with infinite bounds, Huber's function with bounds +-delta, and the absolute deviation
in the limit of an infinite slope. The same three numbers make the smooth objectives that lead to a
sharp one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import positive_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DESCRIPTIONS = {
    "huber-log": "Huber's function of the log residuals, sum",
    "absolute-log": "absolute log residuals, sum",
    "least-squares-log": "squares of the log residuals, sum",
    "least-squares": "squares of the residuals, sum",
}
OBJECTIVES = tuple(DESCRIPTIONS)
DEFAULT_DELTA = 1e-3


class Clip(NamedTuple):
    """psi(r) = clip(slope r, low, high): numbers, or columns of one number a problem."""

    slope: Any
    low: Any
    high: Any

    def psi(self, residuals: Floats) -> Floats:
        """Derivative of rho."""
        scaled = np.multiply(residuals, self.slope)
        return (
            scaled
            if self.is_square
            else np.minimum(np.maximum(scaled, self.low, out=scaled), self.high, out=scaled)
        )

    def rho(self, residuals: Floats, psi: Floats) -> Floats:
        """The function, given its derivative there."""
        rho: Floats = psi * (-0.5 / self.slope)
        rho += residuals
        rho *= psi
        return rho

    def curvature(self, psi: Floats) -> Any:
        """Second derivative of rho, given the first: the slope strictly between the bounds, else 0."""
        if self.is_square:
            return self.slope
        return ((psi > self.low) & (psi < self.high)) * self.slope

    def value(self, residuals: Floats) -> Floats:
        """The function alone."""
        return self.rho(residuals, self.psi(residuals))

    def rounding(self, size: Floats) -> Floats:
        """What rounding errors of a size cost where they are all the residuals."""
        return self.value(size)

    def measure(self, residuals: Floats) -> tuple[Floats, Floats, Any]:
        """The function and its two derivatives."""
        psi = self.psi(residuals)
        return self.rho(residuals, psi), psi, self.curvature(psi)

    def some(self, of: Callable[[Any], Any]) -> Clip:
        """For some of the problems, which `of` takes out of an array of one row a problem."""
        return Clip(*map(of, self))

    @property
    def is_square(self) -> bool:
        return isinstance(self.high, float) and self.high == inf


@dataclass(frozen=True, kw_only=True)
class Objective:
    r"""A sum of rho(r) over the runs, each times its weight.

    Attributes
    ----------
    name : str
        "huber-log": r^2/2 for \|r\| <= delta and delta (\|r\| - delta/2) beyond; "absolute-log":
        \|r\|; "least-squares-log" and "least-squares": r^2. r = log(law) - log(observed) for names
        that end in "log", else law - observed.
    delta : float
        Of "huber-log"; > 0. Hoffmann et al. 2022 (arXiv 2203.15556) take 1e-3.

    Raises
    ------
    ValueError
        For an unknown name, or a delta outside its domain.
    """

    name: str = "huber-log"
    delta: float = DEFAULT_DELTA

    def __post_init__(self) -> None:
        if self.name not in OBJECTIVES:
            raise ValueError(f"objective={self.name!r}: must be one of {', '.join(OBJECTIVES)}")
        object.__setattr__(self, "delta", positive_number("delta", self.delta))

    @property
    def in_logs(self) -> bool:
        """Whether residuals are those of the logarithms."""
        return self.name.endswith("log")

    @property
    def is_square(self) -> bool:
        """Whether rho is r^2."""
        return self.name.startswith("least-squares")

    @property
    def is_sharp(self) -> bool:
        """Whether rho has a kink at 0."""
        return self.name == "absolute-log"

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest slope of rho."""
        steepest = {"huber-log": self.delta, "absolute-log": 1.0}.get(self.name, inf)
        return -steepest, steepest

    @property
    def width(self) -> float:
        """Half width of the residuals where rho is curved: delta, 0 for a sharp objective, infinite
        for squares.
        """
        return {"huber-log": self.delta, "absolute-log": 0.0}.get(self.name, inf)

    def clip(self, width: Any = None) -> Clip:
        """The objective, or where `width` exceeds its own, the smoother one that is curved over
        that half width.
        """
        low, high = self.bounds
        if self.is_square:
            return Clip(2.0, low, high)
        wide = self.width if width is None else np.maximum(width, self.width)
        with np.errstate(divide="ignore"):
            return Clip(np.divide(0.5 * (high - low), wide), low, high)

    def residuals(self, values: Floats, observed: Floats) -> Floats:
        """log(values) - log(observed), or values - observed."""
        return np.log(values) - np.log(observed) if self.in_logs else values - observed

    def value(self, residuals: Floats, weights: Floats | None = None) -> float:
        """The weighted sum of rho over residuals."""
        if self.is_sharp:
            rho = np.abs(residuals)
        else:
            clip = self.clip()
            rho = clip.rho(residuals, clip.psi(residuals))
        return float(np.sum(rho if weights is None else weights * rho))

    def as_dict(self) -> dict[str, Any]:
        """The name, and the delta where it has one."""
        return {"name": self.name, **({"delta": self.delta} if self.name == "huber-log" else {})}

    def __str__(self) -> str:
        delta = f" (delta {self.delta:g})" if self.name == "huber-log" else ""
        return f"{DESCRIPTIONS[self.name]}{delta}"
