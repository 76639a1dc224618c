"""What every law of accuracy can do, whatever its form: be fitted, be refitted to resamples, and
predict accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..data.sample import Points, Sample
    from ..fit.resample import Refits

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["Found", "Kind"]

#: A coefficient this close to a limit of the search, relative to its size, is on it.
AT_LIMIT = 1e-6


@dataclass(frozen=True, eq=False, kw_only=True)
class Found:
    """The end of a fit.

    Attributes
    ----------
    coefficients : ndarray
        (p,), in the order of `Kind.coefficients`.
    value : float
        The law's own objective there.
    converged : bool
        Whether the point is certified as a minimum.
    reason : str
        What speaks against it, "" where it has converged.
    undetermined : tuple of str
        Coefficients that the runs leave open.
    inside : Any
        What the law keeps for `Kind.refit`.
    limits : ndarray or None
        (p, 2): the limits that the search sets to each coefficient, -inf and inf where it sets
        none; None where it sets none to any. A coefficient there is no estimate: the runs ask for
        one beyond.
    remarks : tuple of str
        What a reader of the coefficients must know, beside that.
    """

    coefficients: Floats
    value: float
    converged: bool
    reason: str = ""
    undetermined: tuple[str, ...] = ()
    inside: Any = None
    limits: Floats | None = None
    remarks: tuple[str, ...] = ()

    def at_limits(self, coefficients: Floats) -> tuple[Mask, Mask]:
        """Which of the coefficients (..., p) lie on the lower and which on the upper limit of the
        search.
        """
        if self.limits is None:
            nowhere = np.zeros(np.shape(coefficients), bool)
            return nowhere, nowhere
        low, high = self.limits.T
        near = AT_LIMIT * np.abs(coefficients)
        return coefficients <= low + near, coefficients >= high - near

    def bounds(self, coefficients: Floats) -> Any:
        """The same as an array of "lower", "upper" or None."""
        lower, upper = self.at_limits(coefficients)
        return np.where(lower, "lower", np.where(upper, "upper", None))  # type: ignore[call-overload]


class Kind(Protocol):
    """A form of law.

    Attributes
    ----------
    name : str
        As on the command line.
    formula : str
        Plain text, in the letters of `coefficients`.
    fitted_by : str
        What is minimised.
    coefficients : tuple of str
    needs : tuple of str
        Quantities of `Points` that a fit needs.
    asks : tuple of str
        Quantities that a prediction needs: as `needs`, but a two-stage law predicts without its
        proxy.
    margin : float or None
        Runs are fitted where accuracy exceeds guessing by more than this; None: all runs, also
        those at or below guessing.
    """

    @property
    def name(self) -> str: ...
    @property
    def formula(self) -> str: ...
    @property
    def fitted_by(self) -> str: ...
    @property
    def coefficients(self) -> tuple[str, ...]: ...
    @property
    def needs(self) -> tuple[str, ...]: ...
    @property
    def asks(self) -> tuple[str, ...]: ...
    @property
    def margin(self) -> float | None: ...

    def fit(self, sample: Sample) -> Found:
        """The law closest to the runs, all of which are used; ValueError where they are too few."""
        ...

    def refit(self, sample: Sample, found: Found, weights: Floats, baselines: Floats) -> Refits:
        """The fit repeated K times: weights (K, n) how often each run is drawn (0: not), baselines
        (K,) accuracy of guessing.

        A run at or below its redrawn guessing accuracy has no -log and counts as not drawn.
        """
        ...

    def accuracy(self, coefficients: Floats, at: Points, baselines: Floats) -> Floats:
        """Raw accuracy (K, m) of K laws (K, p), each with its accuracy of guessing (K,), at m
        points.
        """
        ...
