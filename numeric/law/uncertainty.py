"""How sure the coefficients of a law from data are, as a saved fit keeps it: draws of them, or
their covariance.

Whatever follows from a law follows from each of its draws as well: the percentiles of those are its
interval.
"""

from __future__ import annotations

from functools import lru_cache
from math import isfinite

from ..errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..results import Estimate
    from .params_tokens import Law

__all__ = ["LEVEL", "Uncertainty", "drawn_laws", "estimated"]

LEVEL = 0.9
#: Laws that are drawn from a covariance, and the seed of those.
DRAWS, SEED = 1000, 0
NAMES = ("E", "A", "B", "beta", "gamma")
COORDINATES = ("E", "log A", "log B", "beta", "gamma")
#: Digits of a draw in a file.
DIGITS = 7


class Uncertainty:
    """Draws of the coefficients, or the covariance of their estimates.

    Attributes
    ----------
    kind : {"bootstrap", "covariance"}
    names : tuple of str
        The coefficients of a row of draws, or the coordinates of the covariance (E, log A, log B,
        beta, gamma).
    rows : tuple of tuple of float
        A row a draw, or the covariance.
    degrees_of_freedom : int or None
        Of Student's t, from which a covariance makes its draws; without them from the normal
        distribution.
    """

    def __init__(
        self,
        kind: str,
        names: Sequence[str],
        rows: Sequence[Sequence[float]],
        degrees_of_freedom: int | None = None,
    ) -> None:
        self.kind, self.names, self.degrees_of_freedom = kind, tuple(names), degrees_of_freedom
        self.rows = tuple(tuple(map(float, row)) for row in rows)

    @classmethod
    def from_data(cls, data: Any) -> Uncertainty:
        """What `as_dict` wrote; ValueError where it is something else."""
        try:
            if data["kind"] == "bootstrap":
                columns = data["coefficients"]
                found = cls("bootstrap", tuple(columns), list(zip(*columns.values(), strict=True)))
            else:
                found = cls(
                    "covariance",
                    data["coordinates"],
                    data["covariance"],
                    data.get("degrees_of_freedom"),
                )
            known = NAMES if found.kind == "bootstrap" else COORDINATES
            sound = bool(found.rows) and {*found.names} <= {*known} and data["kind"] == found.kind
            sound &= all(
                len(row) == len(found.names) and all(map(isfinite, row)) for row in found.rows
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            sound = False
        if not sound:
            raise ArgumentError(
                "draws", "...", complaint="must be the draws or the covariance of a saved fit"
            )
        return found

    def as_dict(self) -> dict[str, Any]:
        """Plain data: a list of draws by coefficient, or the covariance."""
        if self.kind == "bootstrap":
            columns = zip(
                *([float(f"{value:.{DIGITS}g}") for value in row] for row in self.rows), strict=True
            )
            return {
                "kind": self.kind,
                "coefficients": dict(zip(self.names, map(list, columns), strict=True)),
            }
        data: dict[str, Any] = {
            "kind": self.kind,
            "coordinates": list(self.names),
            "covariance": [list(row) for row in self.rows],
        }
        return data | {"degrees_of_freedom": self.degrees_of_freedom}

    def laws(self, law: Law) -> tuple[Law, ...]:
        """The law with each draw of its coefficients; those that are not drawn are its own."""
        own = {name: getattr(law, name) for name in NAMES}
        if self.kind == "covariance":
            draws = self._from_covariance(law)
        else:
            draws = [dict(zip(self.names, row, strict=True)) for row in self.rows]
        return tuple(
            type(law)(**{**own, **draw}, name=law.name, source=law.source) for draw in draws
        )

    def _from_covariance(self, law: Law) -> list[dict[str, float]]:
        """Draws that are symmetric in E and in the logarithms of the others, as the intervals of a
        fit are; E is at least 0.
        """
        import numpy as np

        random = np.random.default_rng(SEED)
        coefficients = [name.removeprefix("log ") for name in self.names]
        centres = [getattr(law, name) for name in coefficients]
        if None in centres:
            raise ArgumentError(
                "draws", ", ".join(self.names), complaint="must be of coefficients that the law has"
            )
        exponents = [
            value if name in ("beta", "gamma") else 1.0
            for name, value in zip(coefficients, centres, strict=True)
        ]
        covariance = np.array(self.rows) / np.outer(exponents, exponents)
        steps = random.multivariate_normal(
            np.zeros(len(centres)), covariance, size=DRAWS, method="eigh"
        )
        if self.degrees_of_freedom is not None:
            freedom = self.degrees_of_freedom
            steps *= np.sqrt(freedom / random.chisquare(freedom, size=DRAWS))[:, None]
        columns = {
            name: np.maximum(centre + step, 0.0) if name == "E" else centre * np.exp(step)
            for name, centre, step in zip(coefficients, centres, steps.T, strict=True)
        }
        return [
            {name: float(column[index]) for name, column in columns.items()}
            for index in range(DRAWS)
        ]


def estimated(
    law: Any, quantity: Callable[[Any], float], level: float = LEVEL, least: float | None = None
) -> Estimate:
    """See `Law.estimate`. There is no interval where the quantity does not exist for one of the
    draws.
    """
    from ..results import Estimate

    value, drawn = float(quantity(law)), [_or_nan(quantity, other) for other in drawn_laws(law)]
    estimate = Estimate.of_draws(value, drawn, level)
    if least is not None and estimate.low is not None and value < estimate.low:
        return Estimate.of_draws(value, drawn, level, least=least)
    return estimate


@lru_cache(maxsize=8)
def _laws(uncertainty: Uncertainty, law: Law) -> tuple[Law, ...]:
    return uncertainty.laws(law)


def drawn_laws(law: Any) -> tuple[Law, ...]:
    """The law with each of its draws, made once."""
    return () if law.uncertainty is None else _laws(law.uncertainty, law)


def _or_nan(quantity: Callable[[Law], float], law: Law) -> float:
    try:
        return float(quantity(law))
    except ValueError:  # beyond the floats
        return float("nan")
