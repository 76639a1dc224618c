"""What follows from a law: figures, each computed when it is first asked for, with its interval
where the law came from data.
"""

from __future__ import annotations

from functools import cached_property
from operator import attrgetter

from ...theory.typeset.shown import Shown
from ..arrays import is_number
from ..errors import outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, ClassVar, Self

    from ..results import Estimate


class figure(cached_property):
    """A figure of a result: an attribute, and an entry of every table, file and frame of it."""


class Result(Shown):
    """Numbers, or arrays of numbers, that follow from a law.

    A subclass decorates its figures with `figure`, and says in `_again` how it follows from another
    law or from other values of what was `given`.
    """

    law: Any
    given: tuple[tuple[str, Any], ...]
    #: The first figures, among them those that are fields.
    first: ClassVar[tuple[str, ...]] = ()
    #: The least value that a figure can have, where it is a cost.
    least: ClassVar[dict[str, float]] = {}

    @classmethod
    def figures(cls) -> tuple[str, ...]:
        """The names of the figures, in their order."""
        found = dict.fromkeys(cls.first)
        for base in reversed(cls.__mro__):
            found |= {name: None for name, of in vars(base).items() if isinstance(of, figure)}
        return tuple(found)

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name."""
        return {name: getattr(self, name) for name in self.figures()}

    def _again(self, law: Any, given: dict[str, Any]) -> Self:
        raise NotImplementedError

    def rows(self) -> Iterator[Self]:
        """The results of the single values of what was given."""
        if all(is_number(value) for _, value in self.given):
            yield self
            return
        import numpy as np

        names = [name for name, _ in self.given]
        columns = np.broadcast_arrays(*(value for _, value in self.given))
        for values in zip(*map(np.ravel, columns), strict=True):
            yield self._again(self.law, dict(zip(names, map(float, values), strict=True)))

    def estimate(self, figure: str | Callable[[Self], float], level: float = 0.9) -> Estimate:
        """A figure, or a function of the result, with its interval, where the law came from data:
        the percentiles over the draws of the law.

        The interval of a cost is one-sided where the allocation is nearer to the optimum than under
        the draws.

        Raises
        ------
        ValueError
            Where there is no such figure, or the result holds arrays: take one of its `rows`.
        """
        known = [
            name for name, value in self.as_dict().items() if not isinstance(value, str | None)
        ]
        if not callable(figure) and figure not in known:
            raise outside("figure", figure, f"one of {', '.join(known)}")
        if not all(is_number(value) for _, value in self.given):
            raise ValueError("estimate: is of one allocation; this holds arrays, see its rows()")
        of, least = (
            (figure, None) if callable(figure) else (attrgetter(figure), self.least.get(figure))
        )
        given = dict(self.given)
        return self.law.estimate(lambda law: of(self._again(law, given)), level, least=least)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"{type(self).__name__}({shown})"
