"""What training off the compute-optimal allocation costs, and the allocations that cost little."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays import positive_values
from ..errors import ArgumentError, positive_number
from .allocation import run_of
from .result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .scaling_law import Law


def penalty(law: Law, arguments: Mapping[str, Any]) -> Result:
    """The penalty of the arguments of `Law.penalty`, by name."""
    values = {name: value for name, value in arguments.items() if value is not None}
    variables = law.form.variables
    of_ratio = values.keys() & {"ratio", "size_ratio"}
    if not values or (of_ratio and len(values) > 1):
        domain = (
            "ratio, or size_ratio, or two of params, tokens, compute, tokens_per_param and loss"
        )
        raise ValueError(f"given {', '.join(values) or 'none'}: must be {domain}")
    if of_ratio and len(variables) != 2:
        complaint = f"is of laws of two variables, not of {', '.join(variables)}"
        raise ArgumentError(next(iter(values)), complaint=complaint)
    if of_ratio:
        result = Result(
            law=law, given={x: positive_values(x, value) for x, value in values.items()}
        )
    else:
        if variables == ("params", "tokens"):
            values = dict(zip(variables, run_of(law, values), strict=True))
        elif set(values) != set(variables):
            raise ValueError(f"given {', '.join(values)}: must be {', '.join(variables)}")
        result = Result(law=law, given=values, variables=values)
    result.log_size_ratio  # noqa: B018 - what is outside of its domain is refused at once
    return result


class Tolerance(NamedTuple):
    """The lowest and highest N/N*(C), and overtraining ratio, of the allocations whose loss penalty is
    at most 1 + within.
    """

    within: float
    size_ratio: tuple[float, float]
    ratio: tuple[float, float]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return self._asdict()


def tolerance(law: Law, within: float) -> Tolerance:
    """The two roots of P(s) - 1 = within, on either side of s = log N/N* = 0."""
    epsilon = positive_number("within", within)

    def root(outer: float) -> float:
        """The last s within, by bisection: P is convex, and monotone on either side."""
        inner = 0.0
        while law.excess_at(outer) <= epsilon:
            inner, outer = outer, 2.0 * outer
        while (middle := inner + (outer - inner) / 2.0) not in (inner, outer):
            if law.excess_at(middle) <= epsilon:
                inner = middle
            else:
                outer = middle
        return inner

    step = law.of_sum("tolerance_half_width", epsilon)
    low, high = root(-step), root(step)
    sizes = law.evaluate("size_ratio_at_log", low), law.evaluate("size_ratio_at_log", high)
    ratios = law.evaluate("ratio_at_log", high), law.evaluate("ratio_at_log", low)
    return Tolerance(epsilon, sizes, ratios)
