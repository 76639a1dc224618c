"""Optimal allocation of a budget, or the cheapest way to a target loss, with a size cap or a data
wall.
"""

from __future__ import annotations

from math import inf

from ..arrays import (
    for_formulas,
    is_foreign,
    larger,
    least,
    positive_values,
    real_values,
    smaller,
)
from ..errors import ArgumentError, outside, positive_number
from .result import CAPS, Result
from .run import OF_A_RUN, require_reach, run_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .scaling_law import Law

#: How an argument is read. The formulas of a budget check it; those of params and tokens call these
#: by other names.
READING = {"compute": for_formulas, "loss": real_values} | dict.fromkeys(CAPS, positive_number)


def allocate(law: Law, arguments: Mapping[str, Any]) -> Result:
    """The allocation of the arguments of `Law.allocate`, by name."""
    is_pair = law.form.variables == ("params", "tokens")
    known = (*OF_A_RUN, "loss", *CAPS) if is_pair else ("compute", "loss")
    given: dict[str, Any] = {}
    for name, value in arguments.items():
        if name not in known:
            raise ArgumentError(name, complaint=f"must be one of {', '.join(known)}")
        if value is not None:
            given[name] = READING.get(name, positive_values)(name, value)
    caps = {name: given[name] for name in CAPS if name in given}
    values = {name: value for name, value in given.items() if name not in caps}
    is_target = len(values) == 1 and "tokens_per_param" not in values
    if not is_target and (len(values) != 2 or not is_pair):
        domain = "one of compute, loss, params and tokens, or two of them and tokens_per_param"
        raise ValueError(f"given {', '.join(values) or 'none'}: must be {domain}")
    if caps and not (is_target and values.keys() & {"compute", "loss"}):
        raise outside(*next(iter(caps.items())), "given with a compute or a loss alone")

    name, value = next(iter(values.items()))
    if not is_target:
        optimum = variables = dict(zip(law.form.variables, run_of(law, values), strict=True))
        compute = values["compute"] if "compute" in values else law.compute(**variables)
    elif name == "compute":
        compute, optimum = value, law.optimum(value)
        variables = _under(law, caps, optimum, "{}_given_{}", value)
        if len(caps) == 2:
            compute = smaller(compute, law.compute(*caps.values()))
    elif name == "loss":
        R = law.sum_for(value)
        if caps:
            require_reach(law, value, caps)
        compute = law.of_sum("compute_for_reducible_loss", R)
        optimum = law.optimum(compute)
        variables = _under(law, caps, optimum, "{}_for_reducible_loss", R)
        compute = law.compute(**variables) if caps else compute
    else:
        compute = law.evaluate(f"compute_at_max_{name}", value)
        optimum = variables = {**law.optimum(compute), name: value}
    if any(not is_foreign(value) and least(value) == 0.0 for value in variables.values()):
        shown = ", ".join(f"{name}={value!r}" for name, value in variables.items())
        raise ValueError(f"{shown}: the allocation lies beyond the range of a float")
    return Result(law=law, given=given, variables=variables, optimum=optimum, spent=compute)


def _under(
    law: Law, caps: Mapping[str, float], optimum: dict[str, Any], formula: str, kept: Any
) -> dict[str, Any]:
    """Params and tokens under caps, at a budget or at a reducible loss that is kept.

    The loss is convex along the budget, and the compute along the contour of a loss: where a cap
    binds the best lies at it, and the other variable goes on along the budget, as far as its own
    cap, or along the contour.
    """
    if not caps:
        return optimum
    params, tokens = optimum["params"], optimum["tokens"]
    largest, longest = (caps.get(name, inf) for name in CAPS)
    if longest < inf:
        params = larger(params, law.of_sum(formula.format("params", "tokens"), kept, longest))
    if largest < inf:
        tokens = larger(tokens, law.of_sum(formula.format("tokens", "params"), kept, largest))
    return {"params": smaller(params, largest), "tokens": smaller(tokens, longest)}
