"""What every fitted law answers, whatever the law is and whatever it was fitted to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.shown import Shown
from ..results import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from dataclasses import Field
    from typing import ClassVar, Self

    from numpy.typing import NDArray

    from ...theory.typeset.table import Table
    from .resample import Draws, Refits
    from .solve import Solution

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["AT_LIMIT", "DEFAULT_LEVEL", "FREE", "NO_MINIMUM", "Fitted", "Joint", "Solved"]

DEFAULT_LEVEL = 0.9
#: A coefficient this close to a limit of the search, relative to its size, is on it.
AT_LIMIT = 1e-6
#: Of a coefficient that the search does not limit.
FREE = (-np.inf, np.inf)
NO_MINIMUM = "no certified minimum"


class Fitted(Shown, ABC):
    """Base of a law that was fitted to rows.

    A subclass is a frozen dataclass. It says what was fitted, by the abstract members, and how it
    is fitted again, by `refit`. Estimates, resamples, tables, LaTeX and the frame follow from
    these. A subclass that can carry resamples has a field ``draws: Draws | None = None``; one that
    knows standard errors without resamples overrides `standard_estimates`.

    Attributes
    ----------
    draws : Draws or None
        The law refitted to resamples of its rows, where that was done.

    Examples
    --------
    A mean as a law of one coefficient:

    >>> from dataclasses import dataclass
    >>> from isoflop.numeric.fit.resample import Draws, Refits
    >>> @dataclass(frozen=True, eq=False)
    ... class Mean(Fitted):
    ...     y: np.ndarray
    ...     draws: Draws | None = None
    ...     size = property(lambda self: len(self.y))
    ...     coefficients = property(lambda self: {"mean": float(self.y.mean())})
    ...     objective_value = property(lambda self: float(((self.y - self.y.mean()) ** 2).sum()))
    ...     converged = True
    ...
    ...     def predict(self, rows):
    ...         return np.full(len(rows), self.coefficients["mean"])
    ...
    ...     def refit(self, *, weights):
    ...         means = weights @ self.y / weights.sum(axis=1)
    ...         return Refits(means[:, None], np.full(len(means), True))
    >>> fit = Mean(np.array([1.0, 2.0, 4.0, 5.0])).resampled(400)
    >>> print(f"{fit.estimates(0.9)['mean']:.2f}")
    3.00 [1.75, 4.25]
    """

    draws: Draws | None = None
    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    # -- what a subclass says ----------------------------------------------------------------------

    @property
    @abstractmethod
    def coefficients(self) -> Mapping[str, float]:
        """The p coefficients by name."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of rows n."""

    @property
    @abstractmethod
    def objective_value(self) -> float:
        """What was minimised, at the minimum."""

    @property
    @abstractmethod
    def converged(self) -> bool:
        """Whether the point is certified to be a minimum. If not, the numbers are no result."""

    @abstractmethod
    def predict(self, rows: Any) -> Floats:
        """What the law says of other rows, (m,)."""

    @abstractmethod
    def refit(self, *args: Any, **resampled: Any) -> Refits:
        """The fit repeated K times, from where this one ended: by weights (K, n) that say how often
        each row is drawn, or by what else a `resample` of it takes.
        """

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the rows leave undetermined, or that lie at a limit of the search;
        empty for a sound fit.
        """
        return ()

    @property
    def reason(self) -> str:
        """What speaks against the fit, "" where it has converged."""
        return "" if self.converged else NO_MINIMUM

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the coefficients must know, beside `undetermined` and `reason`."""
        return ()

    @property
    def limits(self) -> Floats:
        """(p, 2): the limits that the search sets to each coefficient, -inf and inf where it sets
        none. A coefficient there is no estimate: the rows ask for one beyond. A value that the law
        may take, such as E = 0, is no limit.
        """
        return np.tile(FREE, (len(self.names), 1))

    def at_limits(self, coefficients: Floats) -> tuple[Mask, Mask]:
        """Which of the coefficients (..., p) lie on the lower and which on the upper limit of the
        search.
        """
        low, high = self.limits.T
        near = AT_LIMIT * np.abs(coefficients)
        return coefficients <= low + near, coefficients >= high - near

    def on_limit(self, coefficients: Floats) -> Mask:
        """Which of the coefficients (K, p) lie at a limit of the search, (K, p)."""
        return np.logical_or(*self.at_limits(coefficients))

    def law_of(self, coefficients: Mapping[str, float]) -> Any:
        """The law of this form with other coefficients."""
        raise NotImplementedError(f"{type(self).__name__} is of no law with methods of its own")

    def standard_estimates(self, level: float) -> dict[str, Estimate]:
        """The coefficients with intervals by standard errors; without any, by default."""
        return {
            name: Estimate(value, undetermined=name in self.undetermined, level=level)
            for name, value in self.coefficients.items()
        }

    # -- what follows ------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Of the p coefficients."""
        return tuple(self.coefficients)

    @property
    def values(self) -> Floats:
        """The p coefficients, in their order."""
        return np.array(list(self.coefficients.values()))

    @property
    def is_sound(self) -> bool:
        """Whether the fit converged and leaves no coefficient undetermined."""
        return self.converged and not self.undetermined

    @property
    def law(self) -> Any:
        """The fitted law, for everything that follows from one.

        Raises
        ------
        ValueError
            Where the fit did not converge or leaves coefficients undetermined.
            `law_of(coefficients)` makes a law all the same.
        """
        self.require_sound()
        return self.law_of(self.coefficients)

    def require_sound(self) -> None:
        """Raise a ValueError where the fit did not converge or leaves coefficients undetermined."""
        if not self.converged:
            raise ValueError("law: the fit did not converge; its coefficients are no result")
        if self.undetermined:
            raise ValueError(f"law: the runs leave {', '.join(self.undetermined)} undetermined")

    def estimates(self, level: float = DEFAULT_LEVEL) -> dict[str, Estimate]:
        """The coefficients with their intervals: percentiles of the resamples, or without any what
        `standard_estimates` knows.
        """
        if self.draws is None:
            return self.standard_estimates(level)
        return self.draws.estimates(level)

    def with_draws(self, draws: Draws | None) -> Self:
        """The same fit with these resamples."""
        return replace(self, draws=draws)

    def resampled(self, n: int = 1000, **options: Any) -> Self:
        """The same fit with `n` resamples; the options are those of `resample.resample`."""
        from .resample import resample

        return self.with_draws(resample(self, n, **options))

    @property
    def n_failed(self) -> int:
        """Refits that reached no certified minimum and are left out."""
        return 0 if self.draws is None else self.draws.failed

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C came before all resamples were done."""
        return self.draws is not None and self.draws.interrupted

    @property
    def at_limit(self) -> dict[str, int]:
        """In how many resamples a coefficient stopped at a limit of the search, for those that did
        in some.
        """
        if self.draws is None or not len(self.draws):
            return {}
        counts = self.on_limit(self.draws.coefficients).sum(axis=0).tolist()
        return {name: count for name, count in zip(self.names, counts, strict=True) if count}

    # -- for a reader and for a file ---------------------------------------------------------------

    def coefficient_table(self, level: float = DEFAULT_LEVEL) -> Table:
        """The coefficients with standard errors and intervals."""
        from ...theory.typeset.numbers import Significant
        from ...theory.typeset.table import Column, Table

        columns = [
            Column("coefficient", align="left"),
            Column("value", format=Significant(6), keys=("value", "lo", "hi", "se")),
            Column("value", "std. error", show="error", format=Significant(3), only="page"),
            Column("value", f"{100 * level:.4g} % interval", show="interval", only="page"),
        ]
        estimates = self.estimates(level).items()
        return Table(
            columns, [{"coefficient": name, "value": number} for name, number in estimates]
        )

    def tables(self) -> Sequence[Table]:
        """The table of the coefficients."""
        return (self.coefficient_table(),)

    def coefficients_as_dict(self, level: float = DEFAULT_LEVEL) -> dict[str, dict[str, Any]]:
        """Plain data by coefficient: value, se, lo and hi; None for what is not known."""
        return {
            name: {key: estimate.as_dict("value", "lo", "hi", "se")[key] for key in KEYS}
            for name, estimate in self.estimates(level).items()
        }


class Solved(Fitted):
    """Base of fits that a solver found.

    Attributes
    ----------
    solution : Solution
        Where it ended, and how that is certified.
    """

    solution: Solution

    @property
    def theta(self) -> Floats:
        """The solver's parameters."""
        return self.solution.theta

    @property
    def objective_value(self) -> float:
        """The objective at the optimum: the plain, weighted sum over the rows."""
        return self.solution.value

    @property
    def converged(self) -> bool:
        """Whether the point is certified to be a minimum."""
        return bool(self.solution.converged)


class Joint(Fitted):
    """Base of laws that are fitted one after the other and read as one: the coefficients of the
    first, then those of the next.

    Attributes
    ----------
    parts : tuple of Fitted
    """

    parts: tuple[Fitted, ...]

    @property
    def coefficients(self) -> dict[str, float]:
        """By name, those of the first part first."""
        return {name: value for part in self.parts for name, value in part.coefficients.items()}

    @property
    def objective_value(self) -> float:
        """What was minimised for the last part, at the minimum."""
        return self.parts[-1].objective_value

    @property
    def converged(self) -> bool:
        """Whether every part is certified to be a minimum."""
        return all(part.converged for part in self.parts)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the rows leave open."""
        return tuple(name for part in self.parts for name in part.undetermined)

    @property
    def reason(self) -> str:
        """What speaks against the parts."""
        return "; ".join(part.reason for part in self.parts if part.reason)

    @property
    def limits(self) -> Floats:
        """(p, 2): those of the parts."""
        return np.concatenate([part.limits for part in self.parts])


#: Of a number with its interval, in the files of fits.
KEYS = ("value", "se", "lo", "hi")
