"""Optimal allocation of a budget, or the cheapest way to a target loss, with a size cap or a data
wall; and runs, by any two of params, tokens, compute and tokens per param, or one of them and a loss.
"""

from __future__ import annotations

from math import inf

from ..arrays import (
    any_of,
    is_foreign,
    larger,
    namespace,
    positive_values,
    real_values,
    smaller,
)
from ..errors import ArgumentError, outside, positive_number
from .result import CAPS, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .scaling_law import Law

OF_A_RUN = ("params", "tokens", "compute", "tokens_per_param")
#: Steps of Newton's method at most, and the step in log C at which it ends.
STEPS, SMALL = 60, 1e-12
#: How an argument is read; the others are positive numbers or arrays.
READING: Any = {"loss": real_values} | dict.fromkeys(CAPS, positive_number)


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
    if any(any_of(value == 0.0) for value in variables.values()):
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


# -- runs -----------------------------------------------------------------------------------------


def run_of(law: Law, given: Mapping[str, Any]) -> tuple[Any, Any]:
    """Params and tokens of a run from two of `OF_A_RUN`, or one of them and a loss that it can reach;
    not from a compute and a loss: two runs have that loss at that compute, or none.
    """
    known = (*OF_A_RUN, "loss")
    if len(given) != 2 or not {*given} <= {*known}:
        two = f"must be two of {', '.join(OF_A_RUN)}, or one of them with a loss"
        raise ArgumentError(", ".join(given), complaint=two)
    first, second = sorted(given, key=known.index)
    x = positive_values(first, given[first])
    if second == "loss" and first == "compute":
        both = "two runs have this loss at this compute; give params, tokens or tokens per param"
        raise ArgumentError("loss", given["loss"], complaint=both)
    if second == "loss":
        R = law.sum_for(given["loss"])
        if first == "tokens_per_param":
            return _on_ray(law, x, R)
        require_reach(law, given["loss"], {first: x})
        if first == "params":
            return x, law.of_sum("tokens_for_reducible_loss", R, x)
        return law.of_sum("params_for_reducible_loss", R, x), x
    y = positive_values(second, given[second])
    if second == "tokens":
        return x, y
    if first == "compute":
        return law.evaluate("ray_params", x, y), law.evaluate("ray_tokens", x, y)
    if second == "tokens_per_param":
        return (x, x * y) if first == "params" else (x / y, x)
    if first == "params":
        return x, law.evaluate("tokens_given_params", y, x)
    return law.evaluate("params_given_tokens", y, x), x


def require_reach(law: Law, loss: Any, held: Mapping[str, Any]) -> None:
    """An `ArgumentError` where a loss is beyond what the terms of the params or the tokens that are
    held, or capped, leave.
    """
    R = law.sum_for(loss)
    lowest = sum(law.of_sum(f"{x.removeprefix('max_')}_term", value) for x, value in held.items())
    beyond = lowest > R if len(held) > 1 else lowest >= R
    if not any_of(beyond):
        return
    import numpy as np

    place = int(np.argmax(beyond))
    reached, *at = (
        float(np.broadcast_to(x, np.shape(beyond)).flat[place]) for x in (lowest, *held.values())
    )
    words = ", ".join(f"{x}={value:g}" for x, value in zip(held, at, strict=True))
    side = "above" if law.form.sign > 0 else "below"
    bound = f"must be {side} {law.of_sum('loss_at', reached):.6g} at {words}, whatever the compute"
    raise ArgumentError("loss", loss, complaint=bound)


def _on_ray(law: Law, tokens_per_param: Any, R: Any) -> tuple[Any, Any]:
    """The run of these tokens per param that has this reducible loss.

    log R is convex and falls in log C on the ray, with the exponent as its slope: from below the
    root, where one of the two terms has the value, Newton's method goes to it from one side.
    """
    t = tokens_per_param
    params, tokens = law.of_sum("smallest_params", R), law.of_sum("smallest_tokens", R)
    compute = larger(law.compute(params, t * params), law.compute(tokens / t, tokens))
    xp = namespace(compute)
    for _ in range(STEPS):
        excess = xp.log(law.of_sum("ray_reducible_loss", compute, t) / R)
        step = excess / law.of_sum("ray_exponent", compute, t)
        compute = compute * xp.exp(step)
        if not is_foreign(step) and not any_of(abs(step) > SMALL):
            break
    return law.evaluate("ray_params", compute, t), law.evaluate("ray_tokens", compute, t)
