"""Expressions as lists of steps, for evaluation at many points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sympy import Expr, Symbol

from .deadline import check

Values = list[Any]
Step = Callable[[Values, Mapping[Symbol, Any]], Any]


class Undefined(ValueError):
    """The expression has no real value at the point, or the enclosure is too wide to tell."""


class Stepwise(ABC):
    """Evaluates expressions at points: each becomes steps once, and every step, whichever
    expressions share it, is taken once at a point.
    """

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._needs: list[Sequence[int]] = []
        self._index: dict[Expr, int] = {}
        self._orders: dict[Expr, Sequence[int]] = {}
        self._point: Mapping[Symbol, Any] | None = None
        self._values: Values = []

    @abstractmethod
    def _step(self, e: Expr) -> tuple[Step, Sequence[int]]:
        """What computes the expression from the values of earlier steps, and these steps."""

    def _value(self, e: Expr, point: Mapping[Symbol, Any], known: Values | None = None) -> Any:
        """The value at the point; `known` holds those of the steps taken there, by default where
        the point is that of the last call.
        """
        check()
        order = self._orders.get(e)
        if order is None:
            order = self._orders[e] = self._order(self._index_of(e))
        if known is None:
            if self._point != point:
                self._point, self._values = dict(point), []
            known = self._values
        values, steps = known, self._steps
        values += [None] * (len(steps) - len(values))
        for i in order:
            if values[i] is None:
                values[i] = steps[i](values, point)
        return values[order[-1]]

    def _index_of(self, e: Expr) -> int:
        if e not in self._index:
            step, needs = self._step(e)
            self._index[e] = len(self._steps)
            self._steps.append(step)
            self._needs.append(needs)
        return self._index[e]

    def _indices(self, expressions: Sequence[Expr]) -> list[int]:
        return [self._index_of(e) for e in expressions]

    def _order(self, last: int) -> Sequence[int]:
        """All steps that one needs, itself the last: a step comes after those that it needs."""
        needed, open_steps = {last}, [last]
        while open_steps:
            fresh = set(self._needs[open_steps.pop()]) - needed
            needed |= fresh
            open_steps += fresh
        return sorted(needed)
