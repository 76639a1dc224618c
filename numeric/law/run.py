"""A run: any two of params, tokens, compute and tokens per param, or one of them with the loss that
it is to reach.
"""

from __future__ import annotations

from ..arrays import any_of, greatest, is_foreign, larger, namespace, positive_values
from ..errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .scaling_law import Law

__all__ = ["OF_A_RUN", "require_reach", "run_of"]

OF_A_RUN = ("params", "tokens", "compute", "tokens_per_param")
#: Steps of Newton's method at most, and the step in log C at which it ends.
STEPS, SMALL = 60, 1e-12


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
    least = sum(law.of_sum(f"{x.removeprefix('max_')}_term", value) for x, value in held.items())
    beyond = least > R if len(held) > 1 else least >= R
    if is_foreign(beyond) or not any_of(beyond):
        return
    import numpy as np

    place = int(np.argmax(beyond))
    least, *at = (
        float(np.broadcast_to(x, np.shape(beyond)).flat[place]) for x in (least, *held.values())
    )
    words = ", ".join(f"{x}={value:g}" for x, value in zip(held, at, strict=True))
    side = "above" if law.form.sign > 0 else "below"
    bound = f"must be {side} {law.of_sum('loss_at', least):.6g} at {words}, whatever the compute"
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
        if not is_foreign(step) and greatest(abs(step)) <= SMALL:
            break
    return law.evaluate("ray_params", compute, t), law.evaluate("ray_tokens", compute, t)
