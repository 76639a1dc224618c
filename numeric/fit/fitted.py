"""The base of every fitted law: coefficients, whether they are a result, and their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside
from ..results import DEFAULT_LEVEL, Estimate, checked_level
from .identify import undetermined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from .resample import Draws
    from .solution import Solution

    Floats = NDArray[np.float64]

__all__ = ["Fitted"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fitted:
    """A fitted law. Where there are refits to resamples, standard errors and intervals come from these."""

    solution: Solution  # the law at its rows, what was minimised, and where the solver ended
    draws: Draws | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        return tuple(self.solution.model.coefficients)

    @property
    def values(self) -> Floats:
        """The coefficients, (p,)."""
        return self.solution.values

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """The coefficients by name."""
        return dict(zip(self.names, self.values.tolist(), strict=True))

    @property
    def objective_value(self) -> float:
        """The objective at the optimum: the weighted sum over the rows."""
        return self.solution.value

    @property
    def converged(self) -> bool:
        """Whether the point is certified to be a minimum. If not, the numbers are not a result."""
        return self.solution.converged

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients whose values are not a result: left open by the rows, or at a limit of the
        search; empty for a sound fit.
        """
        return undetermined(self.solution)

    @property
    def is_sound(self) -> bool:
        """Whether the fit converged and leaves no coefficient undetermined."""
        return self.converged and not self.undetermined

    @cached_property
    def law(self) -> Any:
        """The fitted `Law`, for everything that follows from one; a ValueError where the fit did not
        converge or leaves coefficients undetermined.
        """
        if not self.converged:
            raise ValueError("law: the fit did not converge; its coefficients are no result")
        if self.undetermined:
            raise ValueError(f"law: the fit leaves {', '.join(self.undetermined)} undetermined")
        return self.solution.model.law(self.coefficients, **self._described())

    def _described(self) -> dict[str, Any]:
        """Arguments of `law` beside its coefficients: its source, ranges and draws."""
        return {}

    # -- uncertainty -------------------------------------------------------------------------------

    @property
    def drawn(self) -> Draws | None:
        """The draws from which every interval comes; None where there are none."""
        return self.draws

    @property
    def draws_on_limit(self) -> Any:
        """Which coefficients of the draws stopped at a limit of the search, (K, p), or None."""
        if self.draws is None:
            return None
        model = self.solution.model
        return model.runaway(model.write(self.draws.coefficients))

    def estimate(
        self,
        quantity: str | Callable[[Mapping[str, Floats]], ArrayLike],
        level: float = DEFAULT_LEVEL,
    ) -> Estimate:
        """A coefficient, or a function of the coefficients, with percentiles of the draws as its
        interval; an undetermined quantity has no interval.

        Parameters
        ----------
        quantity : str or callable
            A coefficient, or a function that takes arrays (K,) of the coefficients by name to an
            array (K,). For quantities of the law: `fit.law.estimate(lambda law: law.N_opt(1e24))`.
        level : float
            Nominal coverage, 0 < level < 1.
        """
        names, level = self.names, checked_level(level)
        if not callable(quantity) and quantity not in names:
            raise outside("quantity", quantity, f"one of {', '.join(names)}, or a function of them")
        function = quantity if callable(quantity) else itemgetter(quantity)

        def evaluated(rows: Floats) -> Floats:
            return np.asarray(function(dict(zip(names, rows.T, strict=True))), dtype=np.float64)

        value = float(evaluated(self.values[None])[0])
        is_open = bool(self.undetermined if callable(quantity) else quantity in self.undetermined)
        if self.drawn is None or is_open:
            return Estimate(value, undetermined=is_open, level=level)
        drawn = evaluated(self.drawn.coefficients)
        if callable(quantity):
            return Estimate.of_draws(value, drawn, level)
        on_limit = self.draws_on_limit
        stopped = None if on_limit is None else on_limit[:, names.index(quantity)]
        found = Estimate.of_draws(value, drawn, level, on_limit=stopped)
        return self._refined(quantity, found, level) if found.has_interval else found

    def _refined(self, name: str, found: Estimate, level: float) -> Estimate:
        """The estimate of a coefficient whose interval or error does not come from draws alone."""
        del name, level
        return found

    def estimates(self, level: float = DEFAULT_LEVEL) -> dict[str, Estimate]:
        """The coefficients with their intervals."""
        return {name: self.estimate(name, level) for name in self.names}

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value:.6g}" for name, value in self.coefficients.items())
        ended = f"{self.solution.objective.name} {self.objective_value:.10g}"
        rows = f"{len(self.solution.observed)} runs"
        left = f"; undetermined: {', '.join(self.undetermined)}" if self.undetermined else ""
        name = type(self).__name__
        return f"{name}({numbers}; {ended}; {rows}; converged={self.converged}{left})"
