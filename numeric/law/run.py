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

__all__ = ["LOSSES", "OF_A_RUN", "run_of"]

OF_A_RUN = ("params", "tokens", "compute", "tokens_per_param")
LOSSES = ("loss", "reducible_loss")
#: Steps of Newton's method at most, and the step in log C at which it ends.
STEPS, SMALL = 60, 1e-12


def run_of(law: Law, given: Mapping[str, Any]) -> tuple[Any, Any]:
    """Params and tokens of a run.

    Parameters
    ----------
    law : Law
        Of params and tokens.
    given : mapping of str to float or array_like
        Two of `OF_A_RUN`, or one of them and one of `LOSSES`.

    Raises
    ------
    ValueError
        Where other things are given, one is outside its domain, or the loss cannot be reached.
        With a compute and a loss as well: two runs have that loss at that compute, or none.
    """
    first, *others = names = sorted(given, key=(*OF_A_RUN, *LOSSES).index)
    second = others[0] if others else ""
    if len(names) != 2 or first in LOSSES:
        two = f"two of {', '.join(OF_A_RUN)}, or one of them with a loss"
        raise ArgumentError(", ".join(names), complaint=f"must be {two}")
    if first == "compute" and second in LOSSES:
        both = "two runs have this loss at this compute; give params, tokens or tokens per param"
        raise ArgumentError(second, given[second], complaint=both)
    x = positive_values(first, given[first])
    if second not in LOSSES:
        return _of_two(law, first, x, second, positive_values(second, given[second]))
    R = law.sum_for(second, given[second])
    if first == "tokens_per_param":
        return _on_ray(law, x, R)
    smallest = law.of_sum(f"smallest_{first}", R)
    if not is_foreign(smallest) and any_of(smallest >= x):
        raise ArgumentError(
            second, given[second], complaint=_bound(law, second, first, x, smallest)
        )
    if first == "params":
        return x, law.of_sum("tokens_for_reducible_loss", R, x)
    return law.of_sum("params_for_reducible_loss", R, x), x


def _bound(law: Law, target: str, first: str, x: Any, smallest: Any) -> str:
    """What a loss must be beyond at the first x of its params, or tokens, that do not reach it: the
    loss to which it tends there as the other grows.
    """
    import numpy as np

    x, smallest = (part.ravel() for part in np.broadcast_arrays(x, smallest))
    place = int(np.argmax(smallest >= x))
    least = float(law.of_sum(f"{first}_term", float(x[place])))
    least = law.of_sum("loss_at", least) if target == "loss" else law.reducible_of(least)
    other = "tokens" if first == "params" else "params"
    side = "below" if target == "loss" and law.form.sign < 0 else "above"
    return f"must be {side} {least:.6g} at {first}={x[place]:g}, whatever the {other}"


def _of_two(law: Law, first: str, x: Any, second: str, y: Any) -> tuple[Any, Any]:
    """Params and tokens from two of `OF_A_RUN`, in that order."""
    if second == "tokens":
        return x, y
    if first == "compute":
        return law.evaluate("ray_params", x, y), law.evaluate("ray_tokens", x, y)
    if second == "tokens_per_param":
        return (x, x * y) if first == "params" else (x / y, x)
    if first == "params":
        return x, law.evaluate("tokens_given_params", y, x)
    return law.evaluate("params_given_tokens", y, x), x


def _on_ray(law: Law, tokens_per_param: Any, R: Any) -> tuple[Any, Any]:
    """The run of these tokens per param that has this reducible loss.

    log R is convex and falls in log C on the ray, with the exponent as its slope: from below the
    root, where one of the two terms has the value, Newton's method goes to it from one side.
    """
    t, params, tokens = (
        tokens_per_param,
        law.of_sum("smallest_params", R),
        law.of_sum("smallest_tokens", R),
    )
    compute = larger(law.compute(params, t * params), law.compute(tokens / t, tokens))
    xp = namespace(compute)
    for _ in range(STEPS):
        excess = xp.log(law.of_sum("ray_reducible_loss", compute, t) / R)
        step = excess / law.of_sum("ray_exponent", compute, t)
        compute = compute * xp.exp(step)
        if not is_foreign(step) and greatest(abs(step)) <= SMALL:
            break
    return law.evaluate("ray_params", compute, t), law.evaluate("ray_tokens", compute, t)
