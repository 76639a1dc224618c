"""A compute law: the loss as a function of training compute alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...theory.data.notation import Notation
from ...theory.data.notation import notation as find_notation
from ...theory.typeset.shown import Shown
from ..arrays import is_number, positive_values, real_values
from ..errors import ArgumentError, exponent_number, nonnegative_number, positive_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any, NoReturn

    from ...theory.typeset.table import Table

#: exp of more than this exceeds the largest float.
LARGEST_LOG = math.log(1.7976931348623157e308)


@dataclass(frozen=True, kw_only=True, repr=False)
class ComputeLaw(Shown):
    """L = E + C0 C^-alpha.

    Parameters
    ----------
    C0 : float
        Reducible loss extrapolated to one FLOP, > 0, in the unit of the loss.
    alpha : float
        Exponent of compute, > 0.
    E : float, optional
        Irreducible loss, >= 0. Without it only the reducible loss is available.
    name, source : str
        For tables and files.

    Raises
    ------
    ValueError
        Where a coefficient is outside its domain.

    Notes
    -----
    Frozen and hashable. The envelope of a params+tokens law has this form exactly (`Law.envelope`);
    its restriction to a fixed ratio D/N has it only approximately.

    Examples
    --------
    >>> law = ComputeLaw(E=1.8, C0=1000.0, alpha=0.15)
    >>> round(law.loss(1e21), 6)
    2.507946
    """

    C0: float
    alpha: float
    E: float | None = None
    name: str = "custom"
    source: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "C0", positive_number("C0", self.C0))
        object.__setattr__(self, "alpha", exponent_number("alpha", self.alpha))
        if self.E is not None:
            object.__setattr__(self, "E", nonnegative_number("E", self.E))

    @property
    def exponent(self) -> float:
        """alpha, by the name that it has on an envelope."""
        return self.alpha

    @property
    def coefficient(self) -> float:
        """C0, by the name that it has on an envelope."""
        return self.C0

    def loss(self, compute: Any) -> Any:
        """L = E + C0 C^-alpha; ``compute``: FLOP, > 0, a number or an array."""
        if self.E is None:
            raise ValueError(f"E=None: the loss needs a value; the law {self.name!r} has none")
        return self.E + self.reducible_loss(compute)

    def reducible_loss(self, compute: Any) -> Any:
        """L - E = C0 C^-alpha; ``compute``: FLOP, > 0, a number or an array."""
        return power(compute, math.log(self.C0), self.alpha)

    @property
    def envelope(self) -> ComputeLaw:
        """The best loss for every budget: the law itself."""
        return self

    def compute_for(self, loss: Any) -> Any:
        """The least compute for a loss above E: (C0/(L - E))^(1/alpha)."""
        if self.E is None:
            raise ValueError(f"E=None: the loss needs a value; the law {self.name!r} has none")
        reducible = positive_values("loss - E", real_values("loss", loss) - self.E)
        return power(reducible, math.log(self.C0) / self.alpha, 1.0 / self.alpha)

    def allocate(self, compute: Any = None, **options: Any) -> NoReturn:
        """Nothing here says which params and tokens are optimal: an `ArgumentError`."""
        self._refuse("params, tokens", "an allocation")

    def penalty(self, ratio: Any = None, **options: Any) -> NoReturn:
        """Nothing here says what another allocation costs: an `ArgumentError`."""
        self._refuse("beta, gamma", "a penalty")

    def tolerance(self, within: float) -> NoReturn:
        """Nothing here says which allocations lie within: an `ArgumentError`."""
        self._refuse("beta, gamma", "a tolerance")

    def _refuse(self, missing: str, wanted: str) -> NoReturn:
        complaint = f"not in the compute law {self.name!r}; {wanted} needs a params+tokens law"
        raise ArgumentError(missing, complaint=complaint)

    def save(self, path: str | PathLike[str], notation: str | Notation = "schaeffer") -> None:
        """Write a law file, which `isoflop.law` reads."""
        from .file import write

        write(self.as_dict(notation), path)

    def tables(self) -> tuple[Table, ...]:
        """The coefficients."""
        from ...theory.typeset.numbers import Shortest
        from ...theory.typeset.table import Column, Table

        known = {name: value for name, value in self.coefficients().items() if value is not None}
        rows = [{"name": name, "value": value} for name, value in known.items()]
        shown = [Column("name", "", align="left"), Column("value", format=Shortest(6))]
        return (Table(shown, rows, title=str(self)),)

    def coefficients(self, notation: str | Notation = "schaeffer") -> dict[str, float | None]:
        """The coefficients by their names in a notation."""
        values: dict[str, float | None] = {"E": self.E, "C0": self.C0, "alpha": self.alpha}
        return find_notation(notation).from_canonical(values, kind="compute", partial=True)

    def as_dict(self, notation: str | Notation = "schaeffer") -> dict[str, Any]:
        """Name, notation, coefficients and source as plain data."""
        return {
            "name": self.name,
            "notation": find_notation(notation).name,
            "coefficients": self.coefficients(notation),
            "source": self.source,
        }

    def __repr__(self) -> str:
        E = "" if self.E is None else f"E={self.E!r}, "
        return f"ComputeLaw({E}C0={self.C0!r}, alpha={self.alpha!r}, name={self.name!r})"

    def __str__(self) -> str:
        E = "E" if self.E is None else f"{self.E:.6g}"
        return f"L = {E} + {self.C0:.6g} C^-{self.alpha:.6g}  ({self.name})"


def power(compute: Any, log_C0: Any, alpha: Any) -> Any:
    """C0 C^-alpha from log C0; numbers, or arrays that broadcast.

    Raises
    ------
    ValueError
        Where compute is not positive and finite, or the result exceeds the largest float.
    """
    if is_number(compute) and is_number(log_C0):
        exponent = log_C0 - alpha * math.log(positive_number("compute", compute))
        if exponent > LARGEST_LOG:
            raise ValueError(f"compute={compute!r}: C0 C^-alpha exceeds the largest float")
        return math.exp(exponent)
    import numpy as np

    values = np.asarray(compute, dtype=np.float64)
    outside = ~(np.isfinite(values) & (values > 0.0))
    if outside.any():
        raise ValueError(f"compute={values[outside].flat[0]!r}: must be positive finite numbers")
    exponents = log_C0 - alpha * np.log(values)
    if (exponents > LARGEST_LOG).any():
        raise ValueError(f"compute={values.min()!r}: C0 C^-alpha exceeds the largest float")
    return np.exp(exponents)
