"""The objective of a fit: the sum over the runs of rho(residual), each times its weight."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import positive_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

OBJECTIVES = ("huber-log", "absolute-log", "least-squares-log", "least-squares")
DEFAULT_DELTA = 1e-3


@dataclass(frozen=True, kw_only=True)
class Objective:
    """A sum of rho(r) over the runs, each times its weight, with r = log(law) - log(observed) for names
    that end in "log", else law - observed.

    "huber-log" is r^2/2 up to a size delta of r, and delta (abs(r) - delta/2) beyond; Hoffmann et al.
    2022 (arXiv 2203.15556) take delta = 1e-3. "absolute-log" is abs(r), "least-squares-log" and
    "least-squares" are r^2.
    """

    name: str = "huber-log"
    delta: float = DEFAULT_DELTA

    def __post_init__(self) -> None:
        if self.name not in OBJECTIVES:
            raise ValueError(f"objective={self.name!r}: must be one of {', '.join(OBJECTIVES)}")
        object.__setattr__(self, "delta", positive_number("delta", self.delta))

    @property
    def in_logs(self) -> bool:
        """Whether residuals are in logarithms."""
        return self.name.endswith("log")

    @property
    def width(self) -> float:
        """Half width of the range of residuals where rho is curved: delta, 0 with a kink, infinite
        for squares.
        """
        return {"huber-log": self.delta, "absolute-log": 0.0}.get(self.name, inf)

    def measure(self, residuals: Floats, width: Any = None) -> tuple[Floats, Floats, Floats]:
        """rho, its slope psi and its curvature at residuals (K, n); with a half width, (K, 1) or one
        number, in place of the objective's, rho keeps its largest slope and is curved over this range.

        psi = clip(r slope, -bound, bound) with bound = delta or 1 and slope = bound/width, so that
        rho = psi (r - psi/(2 slope)).
        """
        if self.width == inf:
            return residuals * residuals, 2.0 * residuals, np.full_like(residuals, 2.0)
        bound = self.delta if self.name == "huber-log" else 1.0
        slope = bound / np.maximum(self.width if width is None else width, 1e-300)
        psi = residuals * slope
        curved = np.abs(psi) < bound
        psi = np.clip(psi, -bound, bound)
        return psi * (residuals - 0.5 / slope * psi), psi, curved * slope

    def rounding(self, size: Floats, width: Any = None) -> Floats:
        """rho at residuals that are rounding errors of a size."""
        return self.measure(size, width)[0]

    def as_dict(self) -> dict[str, Any]:
        """The name, and delta where the objective has one."""
        return {"name": self.name, **({"delta": self.delta} if self.name == "huber-log" else {})}

    def __str__(self) -> str:
        return f"{self.name}{f' (delta {self.delta:g})' if self.name == 'huber-log' else ''}"
