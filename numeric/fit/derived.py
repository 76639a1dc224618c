"""What follows from a fitted law, with its uncertainty: alpha, C0, the optimum at a compute, the
penalty at a ratio.

Values, values of many laws at once and gradients are calls of generated functions; standard errors
are those of the delta method.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..errors import ArgumentError, positive_number
from ..results import Estimate
from .fitted import DEFAULT_LEVEL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ..arrays import Proved
    from ..law import Law

    Floats = NDArray[np.float64]

#: The coordinates in which a fit states its covariance.
COORDINATES = ("E", "log A", "log B", "beta", "gamma")
#: Rounding of g' V g, relative to the sum of the sizes of its terms: below it a negative variance
#: is zero.
ROUNDING = 1e-10

EXPONENTS = ("beta", "gamma")
ALL_BUT_E = ("A", "B", *EXPONENTS)


@dataclass(frozen=True)
class Quantity:
    """A number that a law determines, with its gradient.

    Attributes
    ----------
    name : str
        Key of tables and files: alpha, C0, N_star, ...
    label : str
        The same for a reader, with the compute or the ratio that it is for.
    unit : str
    function : Proved
        What computes it; its derivatives are the formulas `function_by_...`, or
        `log_function_by_...` for those of its logarithm.
    coefficients : tuple of str
        What it depends on, of E, A, B, beta, gamma.
    at : tuple of (str, float)
        What it is for: compute or ratio.
    log : bool
        Whether intervals are formed on a log scale.
    by_log : bool
        Whether the derivatives are those of its logarithm.
    floor, ceiling : float
        Where the log scale begins: intervals are symmetric in log(value - floor); between a floor
        and a ceiling, in the log of the ratio of the distances to these.
    distance : Proved, optional
        What computes value - floor without cancellation.
    """

    name: str
    label: str
    unit: str
    function: Proved[...]
    coefficients: tuple[str, ...]
    at: tuple[tuple[str, float], ...] = ()
    log: bool = False
    by_log: bool = False
    floor: float = 0.0
    ceiling: float = inf
    distance: Proved[...] | None = None

    def value(self, law: Law) -> float:
        """The quantity of one law.

        Raises
        ------
        ValueError
            Where the law lacks a coefficient that it needs, or it exceeds the largest float.
        """
        return float(self._call(self.function, self._needed(law)))

    def values(self, **coefficients: ArrayLike) -> Floats:
        """The quantity (K,) of many laws at once.

        Parameters
        ----------
        **coefficients : array_like
            Those that it depends on and any others of E, A, B, beta, gamma: of shape (K,), or
            numbers that they share.

        Raises
        ------
        ValueError
            Where a coefficient is outside its domain or a result exceeds the largest float.
        """
        shape = np.broadcast_shapes(*(np.shape(x) for x in coefficients.values()))
        found = self._call(self.function, self._arrays(coefficients))
        return np.array(np.broadcast_to(found, shape))

    def __call__(self, columns: Mapping[str, Floats]) -> Floats:
        """The quantity (K,) of many laws, from their coefficients by name; inf where one exceeds
        the largest float.
        """
        given: dict[str, Any] = {"E": np.zeros(len(columns["beta"])), **columns}
        try:
            return self.values(**given)
        except ValueError:
            rows = (
                {name: column[index : index + 1] for name, column in given.items()}
                for index in range(len(given["beta"]))
            )
            return np.array([self._or_infinite(row) for row in rows])

    def _or_infinite(self, given: dict[str, Any]) -> float:
        try:
            return float(self.values(**given)[0])
        except ValueError as error:
            if "exceeds the largest float" not in str(error):
                raise
            return inf

    def gradient(self, law: Law) -> dict[str, float]:
        """Derivatives of the value in E, log A, log B, beta and gamma.

        Notes
        -----
        The closed gradients are proved in the theorems `delta_method` and `penalty_gradient`.
        """
        found = self.gradients(**self._needed(law))[0]
        return dict(zip(COORDINATES, found.tolist(), strict=True))

    def gradients(self, **coefficients: ArrayLike) -> Floats:
        """The same for many laws at once: (K, 5) in the order E, log A, log B, beta, gamma, for
        coefficients as in `values`.
        """
        given = self._arrays(coefficients)
        scale = self._call(self.function, given) if self.by_log else 1.0
        found = np.zeros((max(map(np.size, given.values())), len(COORDINATES)))
        for column, coordinate in enumerate(COORDINATES):
            if coordinate.removeprefix("log ") not in self.coefficients:
                continue
            if coordinate == "E":
                found[:, column] = 1.0
                continue
            by = f"{self.function.__name__}_by_{coordinate.replace(' ', '_')}"
            function = getattr(formulas, f"log_{by}" if self.by_log else by)
            found[:, column] = scale * self._call(function, given)
        return found

    def estimate(
        self,
        law: Law,
        standard_error: float,
        level: float,
        degrees_of_freedom: float | None = None,
    ) -> Estimate:
        """The value with ends so many standard errors away on the quantity's scale."""
        value = self.value(law)
        if not self.log:
            return Estimate.of_standard_error(value, standard_error, level, degrees_of_freedom)
        above = Estimate.of_standard_error(
            float(self._call(self.distance or self.function, self._needed(law))),
            standard_error,
            level,
            degrees_of_freedom,
            within=(0.0, self.ceiling - self.floor),
        )
        assert above.low is not None
        assert above.high is not None
        return replace(above, value=value, low=self.floor + above.low, high=self.floor + above.high)

    def _call(self, function: Proved[...], given: Mapping[str, Any]) -> Any:
        """A formula of those of the coefficients and of the other arguments that it has."""
        others = dict(self.at)
        if "ratio" in others:
            others["log_size_ratio"] = formulas.log_size_ratio_at_ratio(others.pop("ratio"))
        taken = {**given, **others}
        return function(**{name: taken[name] for name in function.names if name in taken})

    def _arrays(self, coefficients: Mapping[str, ArrayLike]) -> dict[str, Floats]:
        return {
            name: np.asarray(coefficients[name], dtype=np.float64) for name in self.coefficients
        }

    def _needed(self, law: Law) -> dict[str, float]:
        return law.needed(*(name for name in self.coefficients if name not in EXPONENTS))


# -- the quantities ----------------------------------------------------------------------------------------------------

ALPHA = Quantity("alpha", "alpha", "1", formulas.exponent, EXPONENTS, log=True)
C0 = Quantity(
    "C0", "C0", "loss * FLOP^alpha", formulas.coefficient, ALL_BUT_E, log=True, by_log=True
)
PARAMS_SHARE = Quantity(
    "params_share",
    "exponent of N*(C)",
    "1",
    formulas.params_share,
    EXPONENTS,
    log=True,
    ceiling=1.0,
)
TOKENS_SHARE = Quantity(
    "tokens_share",
    "exponent of D*(C)",
    "1",
    formulas.tokens_share,
    EXPONENTS,
    log=True,
    ceiling=1.0,
)


def at_compute(compute: float) -> tuple[Quantity, ...]:
    """N*, D*, D*/N*, L* and R* at a compute.

    Raises
    ------
    ValueError
        Where the compute is not positive and finite.
    """
    flop = positive_number("compute", compute)
    where, at = f"at {flop:.6g} FLOP", (("compute", flop),)

    def positive(name: str, symbol: str, unit: str, function: Proved[...]) -> Quantity:
        return Quantity(
            name, f"{symbol} {where}", unit, function, ALL_BUT_E, at, log=True, by_log=True
        )

    return (
        positive("N_star", "N*", "params", formulas.optimal_params),
        positive("D_star", "D*", "tokens", formulas.optimal_tokens),
        positive(
            "tokens_per_param", "D*/N*", "tokens per parameter", formulas.optimal_tokens_per_param
        ),
        Quantity("L_star", f"L* {where}", "loss", formulas.optimal_loss, ("E", *ALL_BUT_E), at),
        positive("R_star", "R*", "loss", formulas.optimal_reducible_loss),
    )


def penalty_at(ratio: float) -> Quantity:
    """The penalty P = (L - E)/(L* - E) at an overtraining ratio; its intervals are formed in log(P
    - 1), so they stay above 1.

    Raises
    ------
    ValueError
        Where the ratio is not positive and finite.
    """
    rho = positive_number("ratio", ratio)
    return Quantity(
        "penalty",
        f"penalty at ratio {rho:.6g}",
        "1",
        formulas.penalty,
        EXPONENTS,
        (("ratio", rho),),
        log=True,
        floor=1.0,
        distance=formulas.excess,
    )


def default_quantities(
    compute: float | None = None, ratio: float | None = None
) -> tuple[Quantity, ...]:
    """alpha, C0 and the exponents of the allocation; the optimum where a compute is given, the
    penalty where a ratio is.

    Raises
    ------
    ValueError
        Where the compute or the ratio is not positive and finite.
    """
    return (
        ALPHA,
        C0,
        PARAMS_SHARE,
        TOKENS_SHARE,
        *(() if compute is None else at_compute(compute)),
        *(() if ratio is None else (penalty_at(ratio),)),
    )


# -- the delta method ------------------------------------------------------------------------------


def derived(
    law: Law,
    covariance: ArrayLike,
    coordinates: Sequence[str] = COORDINATES,
    quantities: Sequence[Quantity] = (ALPHA, C0, PARAMS_SHARE, TOKENS_SHARE),
    level: float = DEFAULT_LEVEL,
    degrees_of_freedom: float | None = None,
) -> tuple[Estimate, ...]:
    """Standard errors and intervals by the delta method: se^2 = g' V g with the gradient g of each
    quantity.

    Parameters
    ----------
    law : Law
        The fitted law.
    covariance : array_like of shape (p, p)
        Covariance of the estimates in `coordinates`; rows and columns of coefficients that are
        fixed or at a bound are zero.
    coordinates : sequence of str
        Of E, log A, log B, beta, gamma, in the order of the covariance; those left out count as
        known exactly.
    quantities : sequence of Quantity
    level : float
        Nominal coverage of the intervals, between 0 and 1.
    degrees_of_freedom : float, optional
        Of Student's t; without them the intervals are normal.

    Returns
    -------
    tuple of Estimate
        In the order of `quantities`. Intervals of positive quantities are symmetric on the log
        scale, that of the penalty in log(P - 1), those of shares in their log odds, that of L* on
        the plain scale.

    Raises
    ------
    ValueError
        Where a variance is negative or exceeds the largest float.

    Examples
    --------
    >>> from isoflop.numeric.law import law
    >>> fitted = law("besiroglu2024")
    >>> (alpha,) = derived(fitted, [[4e-4, 1e-4], [1e-4, 4e-4]], ("beta", "gamma"), (ALPHA,))
    >>> f"{alpha.value:.4f} +- {alpha.standard_error:.4f}"
    '0.1783 +- 0.0079'
    """
    matrix = np.asarray(covariance, dtype=np.float64)
    estimates = []
    for quantity in quantities:
        by_coordinate = quantity.gradient(law)
        gradient = np.array([by_coordinate[name] for name in coordinates])
        with np.errstate(over="ignore", invalid="ignore"):
            parts = gradient[:, None] * matrix * gradient
            variance, size = float(parts.sum()), float(np.abs(parts).sum())
        if not isfinite(size) or variance < -ROUNDING * size:
            complaint = f"gives {quantity.label} the variance {variance!r}"
            raise ArgumentError("covariance", complaint=complaint)
        error = sqrt(max(variance, 0.0))
        estimates.append(quantity.estimate(law, error, level, degrees_of_freedom))
    return tuple(estimates)
