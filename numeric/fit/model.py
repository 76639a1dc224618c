"""What a form must offer to be fitted: the protocols behind every law here.

A `Form` knows its names and makes a law of coefficients. At its rows it is a `Model`: the Newton
solver (`isoflop.numeric.fit.newton`) minimises an objective of its residuals. The result is a
`isoflop.numeric.fit.fitted.Fitted`, on which `isoflop.numeric.fit.resample` and `hold_out` work.
`isoflop.numeric.fit.models` has the forms and the models of power terms and of a user's own
expressions.

Shapes: K parameter vectors at once, p parameters, n rows. The batch of K is what makes resamples
fast: write every method for arrays with K in front.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from . import newton

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from .objective import Objective
    from .optimality import Solution

    Floats = NDArray[np.float64]

__all__ = ["Form", "Model"]


@runtime_checkable
class Form(Protocol):
    """A law whose coefficients are not known yet."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The columns that it reads."""

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of the p coefficients as they are written: ("E", "A", "B", "beta", "gamma")."""

    @property
    def coordinates(self) -> tuple[str, ...]:
        """What covariances are of: "log A" for a prefactor, else the coefficient."""

    def law(self, coefficients: Mapping[str, float], name: str = "fit", source: str = "") -> Any:
        """The law with these coefficients."""


@runtime_checkable
class Model(Protocol):
    """A form at n rows, in the parameters theta (p,) that the solver moves.

    theta need not be the coefficients that a reader sees: a good choice is nearly uncorrelated,
    without sharp valleys, such as the logarithm of a term at the mean of the rows in place of its
    prefactor.
    """

    @property
    def model(self) -> newton.Model:
        """Values and derivatives in theta. Where a law leaves its domain, they are NaN or infinite:
        infinitely bad.
        """

    @property
    def lower(self) -> Floats:
        """(p,): the least theta, -inf where there is no limit; equal to `upper` where a parameter
        is fixed.
        """

    @property
    def upper(self) -> Floats:
        """(p,): the greatest theta."""

    @property
    def given(self) -> Mapping[str, float]:
        """Coefficients with a fixed value."""

    @property
    def to_coordinates(self) -> Floats:
        """(p, p): takes theta to the coordinates of the form."""

    def coefficients(self, theta: Floats) -> Floats:
        """The coefficients (K, p) that the parameters (K, p) stand for."""

    def thetas(self, coefficients: Floats) -> Floats:
        """The parameters (K, p) of coefficients (K, p)."""

    def at_bound(self, theta: Floats) -> tuple[str, ...]:
        """The coefficients, fixed ones apart, that lie on a bound."""

    def runaway(self, theta: Floats) -> tuple[str, ...]:
        """Coefficients at a limit of the search that the caller did not set: their values mean
        nothing.
        """

    def at(self, runs: Any) -> newton.Model:
        """The values and derivatives at other rows."""

    def solve(
        self,
        observed: Floats,
        weights: Floats | None,
        objective: Objective,
        start: Mapping[str, float] | None = None,
    ) -> Solution:
        """The best minimum that is found; from the start alone where one is given and the search
        needs one.
        """
