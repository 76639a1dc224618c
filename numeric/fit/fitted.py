"""What every fitted law answers, whatever the law is and whatever it was fitted to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...theory.typeset.numbers import Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import Column, Table
from ..errors import outside
from ..results import Estimate, checked_level
from .resample import Draws, resample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from dataclasses import Field
    from typing import ClassVar, Self

    from numpy.typing import ArrayLike, NDArray

    from .resample import Refits

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["DEFAULT_LEVEL", "Fitted"]

DEFAULT_LEVEL = 0.9
#: A coefficient this close to a limit of the search, relative to its size, is on it.
AT_LIMIT = 1e-6
NO_MINIMUM = "no certified minimum"


class Fitted(Shown, ABC):
    """Base of a law that was fitted to rows.

    A subclass is a frozen dataclass. It says what was fitted, by the abstract members, and how it
    is fitted again, by `refit`. Estimates, resamples and tables follow. A subclass that can carry
    resamples has a field ``draws: Draws | None = None``; one that knows intervals without resamples
    overrides `drawn_laws`.

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
    >>> print(f"{fit.estimates(0.9)['mean']:.2f}", f"{fit.estimate(lambda c: c['mean'] ** 2):.1f}")
    3.00 [1.75, 4.25] 9.0 [3.1, 18.1]
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
        return np.tile([-np.inf, np.inf], (len(self.names), 1))

    def on_limit(self, coefficients: Floats) -> Mask:
        """Which of the coefficients (K, p) lie at a limit of the search, (K, p)."""
        near = AT_LIMIT * np.abs(coefficients)
        low, high = self.limits.T
        return np.asarray((coefficients <= low + near) | (coefficients >= high - near))

    def law_of(self, coefficients: Mapping[str, float]) -> Any:
        """The law of this form with other coefficients."""
        raise NotImplementedError(f"{type(self).__name__} is of no law with methods of its own")

    def drawn_laws(self) -> Draws | None:
        """The draws that intervals come from; None where there are none."""
        return self.draws

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
        if not self.converged:
            raise ValueError("law: the fit did not converge; its coefficients are no result")
        if self.undetermined:
            raise ValueError(f"law: the runs leave {', '.join(self.undetermined)} undetermined")
        return self.law_of(self.coefficients)

    def estimate(self, quantity: Any, level: float = DEFAULT_LEVEL) -> Estimate:
        """A coefficient, or a function of all, with the percentile interval of the draws.

        Parameters
        ----------
        quantity : str or callable
            The name of a coefficient; or a function that takes arrays (K,) of the coefficients by
            name to an array (K,).
        level : float
            Nominal coverage, 0 < level < 1.

        Raises
        ------
        ValueError
            Where there is no such coefficient, or a level outside its domain.
        """
        if not callable(quantity) and quantity not in self.names:
            domain = f"one of {', '.join(self.names)}, or a function of them"
            raise outside("quantity", quantity, domain)
        of = quantity if callable(quantity) else itemgetter(quantity)
        draws, level = self.drawn_laws(), checked_level(level)
        value, is_open = (
            float(self._evaluated(of, self.values[None])[0]),
            quantity in self.undetermined,
        )
        if draws is None:
            return Estimate(value, undetermined=is_open, level=level)
        on_limit = None
        if draws is self.draws and not callable(quantity):
            on_limit = self.on_limit(draws.coefficients)[:, self.names.index(quantity)]
        drawn = self._evaluated(of, draws.coefficients)
        return Estimate.of_draws(value, drawn, level, on_limit=on_limit, undetermined=is_open)

    def _evaluated(self, quantity: Callable[..., ArrayLike], coefficients: Floats) -> Floats:
        """A function of the coefficients (K, p) by name."""
        columns = dict(zip(self.names, coefficients.T, strict=True))
        return np.asarray(quantity(columns), dtype=np.float64)

    def estimates(self, level: float = DEFAULT_LEVEL) -> dict[str, Estimate]:
        """The coefficients with their intervals."""
        return {name: self.estimate(name, level) for name in self.names}

    def with_draws(self, draws: Draws | None) -> Self:
        """The same fit with these resamples."""
        return replace(self, draws=draws)

    def resampled(self, n: int = 1000, **options: Any) -> Self:
        """The same fit with `n` resamples; the options are those of `resample.resample`."""
        return self.with_draws(resample(self, n, **options))

    def tables(self) -> Sequence[Table]:
        """The coefficients with standard errors and intervals."""
        columns = [
            Column("coefficient", align="left"),
            Column("value", format=Significant(6), keys=("value", "lo", "hi", "se")),
            Column("value", "std. error", show="error", format=Significant(3), only="page"),
            Column("value", f"{100 * DEFAULT_LEVEL:g} % interval", show="interval", only="page"),
        ]
        rows = [{"coefficient": name, "value": one} for name, one in self.estimates().items()]
        return (Table(columns, rows),)
