"""What follows from a law: figures by name, for one allocation or arrays of them, with intervals
where the law came from data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter

from ...theory.typeset.shown import Shown
from ..arrays import is_number
from ..errors import outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Self

    from ..results import Estimate
    from .scaling_law import Law


#: The least value of a figure that is a cost.
LEAST = {"loss_penalty": 1.0} | dict.fromkeys(
    ("excess", "lost_compute", "compute_overhead", "loss_excess"), 0.0
)


@dataclass(frozen=True, kw_only=True, repr=False)
class Result(Shown):
    """Numbers, or arrays of numbers, that follow from a law.

    Attributes
    ----------
    law : Law
    given : mapping of str to float or ndarray
        What it follows from besides the law, by the names of the arguments.
    """

    law: Law
    given: Mapping[str, Any]

    @property
    def view(self) -> str:
        """Which table it is a row of: "ratios", "runs" or "allocations"."""
        raise NotImplementedError

    @property
    def names(self) -> tuple[str, ...]:
        """The figures that it has, in their order."""
        raise NotImplementedError

    def again(self, law: Law, given: Mapping[str, Any]) -> Self:
        """The same of another law, or of other values."""
        raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name."""
        return {name: getattr(self, name) for name in self.names}

    def rows(self) -> Iterator[Self]:
        """The results of the single values of what was given."""
        if all(map(is_number, self.given.values())):
            yield self
            return
        import numpy as np

        columns = np.broadcast_arrays(*self.given.values())
        for values in zip(*map(np.ravel, columns), strict=True):
            yield self.again(self.law, dict(zip(self.given, map(float, values), strict=True)))

    def estimate(self, figure: str | Callable[[Self], Any], level: float = 0.9) -> Estimate:
        """A figure, or a function of the result, with its interval where the law came from data:
        the percentiles over the draws of the law.

        The interval of a cost is one-sided where the allocation is nearer to the optimum than under
        the draws.

        Raises
        ------
        ValueError
            Where there is no such figure, or the result holds arrays: take one of its `rows`.
        """
        if not callable(figure) and (figure not in self.names or figure == "binding"):
            known = ", ".join(name for name in self.names if name != "binding")
            raise outside("figure", figure, f"one of {known}")
        if not all(map(is_number, self.given.values())):
            raise ValueError("estimate: is of one allocation; this holds arrays, see its rows()")
        of, least = (figure, None) if callable(figure) else (attrgetter(figure), LEAST.get(figure))
        return self.law.estimate(lambda law: of(self.again(law, self.given)), level, least=least)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"{type(self).__name__}({shown})"
