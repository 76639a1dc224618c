"""The optimal allocation of a budget, or for a target loss, also before a data wall; runs given by any
two of params, tokens, compute and tokens per param, or by one of them and a loss; and what a run costs
against the optimum.
"""

from __future__ import annotations

from typing import NamedTuple

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
from .result import WALL, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from .scaling_law import Law

RATIOS = ("ratio", "size_ratio")
RUN_ARGUMENTS = ("params", "tokens", "compute", "tokens_per_param", "loss")
TWO_NUMBERS = "two of params, tokens, compute and tokens per param, or one of them with a loss"
#: Newton's method takes at most so many steps, and ends at a step in log C as small as this.
MOST_STEPS, LAST_STEP = 60, 1e-12


def _read(arguments: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    """The arguments that are not None, each checked to lie in its domain."""
    if unknown := [name for name in arguments if name not in known]:
        raise ArgumentError(unknown[0], complaint=f"must be one of {', '.join(known)}")
    readers: Any = {"loss": real_values, WALL: positive_number}
    given = {name: value for name, value in arguments.items() if value is not None}
    return {name: readers.get(name, positive_values)(name, x) for name, x in given.items()}


def allocate(law: Law, arguments: Mapping[str, Any]) -> Result:
    """The allocation for the arguments of `Law.allocate`, by name."""
    is_pair = law.form.variables == ("params", "tokens")
    given = _read(arguments, (*RUN_ARGUMENTS, WALL) if is_pair else ("compute", "loss"))
    values = {name: value for name, value in given.items() if name != WALL}
    wall, is_run = given.get(WALL), len(values) > 1
    if not values or [*values] == ["tokens_per_param"]:
        complaint = f"must be one of compute, loss, params and tokens, or {TWO_NUMBERS}"
        raise ArgumentError(", ".join(values) or "nothing given", complaint=complaint)
    if wall is not None and (is_run or not values.keys() & {"compute", "loss"}):
        raise outside(WALL, wall, "given with a compute or a loss alone")

    name, value = next(iter(values.items()))
    if is_run:
        optimum = variables = dict(zip(law.form.variables, run_of(law, values), strict=True))
        compute = values["compute"] if "compute" in values else law.compute(**variables)
    elif name == "compute":
        compute, optimum = value, law.optimum(value)
        variables = _before(law, wall, optimum, "params_given_tokens", value)
    elif name == "loss":
        R = _sum_within(law, value, {} if wall is None else {WALL: wall})
        compute = law.of_sum("compute_for_reducible_loss", R)
        optimum = law.optimum(compute)
        variables = _before(law, wall, optimum, "params_for_reducible_loss", R)
        compute = compute if wall is None else law.compute(**variables)
    else:
        compute = law.evaluate(f"compute_at_max_{name}", value)
        optimum = variables = {**law.optimum(compute), name: value}
    if any(any_of(value == 0.0) for value in variables.values()):
        shown = ", ".join(f"{name}={value!r}" for name, value in variables.items())
        raise ValueError(f"{shown}: the allocation lies beyond the range of a float")
    return Result(law=law, given=given, variables=variables, optimum=optimum, spent=compute)


def _before(
    law: Law, wall: float | None, optimum: dict[str, Any], formula: str, kept: Any
) -> dict[str, Any]:
    """Params and tokens before a data wall, for a budget or for a reducible loss, which is kept.

    The loss is convex along the budget, and the compute is convex along the contour of a loss. So
    where the wall binds, the optimum lies at it, and params move along the budget or the contour.
    """
    if wall is None:
        return optimum
    params = larger(optimum["params"], law.of_sum(formula, kept, wall))
    return {"params": params, "tokens": smaller(optimum["tokens"], wall)}


# -- against the optimum ---------------------------------------------------------------------------


def penalty(law: Law, arguments: Mapping[str, Any]) -> Result:
    """The penalty for the arguments of `Law.penalty`, by name."""
    variables = law.form.variables
    is_pair = variables == ("params", "tokens")
    given = _read(arguments, (*RATIOS, *(RUN_ARGUMENTS if is_pair else variables)))
    ratios = [name for name in RATIOS if name in given]
    if not given or (ratios and len(given) > 1):
        hint = "; a ratio costs the same at any size and compute" if ratios else ""
        complaint = f"must be a ratio, or a size ratio, or {TWO_NUMBERS}{hint}"
        raise ArgumentError(", ".join(given) or "nothing given", complaint=complaint)
    if ratios and len(variables) != 2:
        complaint = f"exists for laws of two variables, and this law has {', '.join(variables)}"
        raise ArgumentError(ratios[0], complaint=complaint)
    if is_pair and not ratios:
        given = dict(zip(variables, run_of(law, given), strict=True))
    elif not ratios and (missing := [name for name in variables if name not in given]):
        raise ValueError(f"missing {', '.join(missing)}: a run has {', '.join(variables)}")
    result = Result(law=law, given=given, variables=None if ratios else given)
    result.log_size_ratio  # noqa: B018 - values outside of their domain are refused at once
    return result


class Tolerance(NamedTuple):
    """The lowest and highest N/N*(C), and the lowest and highest overtraining ratio, at which the loss
    penalty is at most 1 + within.
    """

    within: float
    size_ratio: tuple[float, float]
    ratio: tuple[float, float]


def tolerance(law: Law, within: float) -> Tolerance:
    """The two roots of P(s) - 1 = within, on either side of s = log N/N* = 0."""
    epsilon = positive_number("within", within)

    def root(outer: float) -> float:
        """The farthest s within the tolerance, by bisection: P is monotone on either side of 0."""
        inner = 0.0
        while law.excess_at(outer) <= epsilon:
            inner, outer = outer, 2.0 * outer
        while (middle := inner + (outer - inner) / 2.0) not in (inner, outer):
            is_within = law.excess_at(middle) <= epsilon
            inner, outer = (middle, outer) if is_within else (inner, middle)
        return inner

    step = min(law.of_sum("tolerance_half_width", epsilon), 1.0)
    low, high = root(-step), root(step)
    sizes = law.evaluate("size_ratio_at_log", low), law.evaluate("size_ratio_at_log", high)
    ratios = law.evaluate("ratio_at_log", high), law.evaluate("ratio_at_log", low)
    return Tolerance(epsilon, sizes, ratios)


# -- runs ------------------------------------------------------------------------------------------


def run_of(law: Law, given: Mapping[str, Any]) -> tuple[Any, Any]:
    """Params and tokens of a run that two of `RUN_ARGUMENTS` give. A compute and a loss give none: two
    runs have that loss at that compute, or no run has.
    """
    names = tuple(name for name in RUN_ARGUMENTS if name in given)
    if names == ("compute", "loss"):
        complaint = "two runs have this loss at this compute, or none; "
        complaint += "give params, tokens or tokens per param with it"
        raise ArgumentError("loss", given["loss"], complaint=complaint)
    if names not in RUNS:
        raise ArgumentError(", ".join(given), complaint=f"a run is given by {TWO_NUMBERS}")
    first, second = (given[name] for name in names)
    if names[1] == "loss":
        second = _sum_within(law, second, {x: given[x] for x in names if x in ("params", "tokens")})
    return RUNS[names](law, first, second)


def _on_ray(law: Law, t: Any, R: Any) -> tuple[Any, Any]:
    """Params and tokens of the run with t tokens per param whose reducible sum is R.

    On the ray log R falls in log C and is convex, with minus the local exponent as its slope. Newton's
    method starts below the root, where one of the two terms alone is R, and converges from that side.
    """
    params, tokens = law.of_sum("smallest_params", R), law.of_sum("smallest_tokens", R)
    compute = larger(law.compute(params, t * params), law.compute(tokens / t, tokens))
    xp = namespace(compute)
    for _ in range(MOST_STEPS):
        excess = xp.log(law.of_sum("ray_reducible_loss", compute, t) / R)
        step = excess / law.of_sum("ray_exponent", compute, t)
        compute = compute * xp.exp(step)
        if not is_foreign(step) and not any_of(abs(step) > LAST_STEP):
            break
    return _at_compute(law, compute, t)


def _at_compute(law: Law, compute: Any, t: Any) -> tuple[Any, Any]:
    """Params and tokens of the run with t tokens per param at a compute."""
    return law.evaluate("ray_params", compute, t), law.evaluate("ray_tokens", compute, t)


#: Params and tokens of a run by the two numbers that give it; a loss is passed as its R.
RUNS: dict[tuple[str, ...], Callable[[Law, Any, Any], tuple[Any, Any]]] = {
    ("params", "tokens"): lambda law, N, D: (N, D),
    ("params", "compute"): lambda law, N, C: (N, law.evaluate("tokens_given_params", C, N)),
    ("params", "tokens_per_param"): lambda law, N, t: (N, N * t),
    ("params", "loss"): lambda law, N, R: (N, law.of_sum("tokens_for_reducible_loss", R, N)),
    ("tokens", "compute"): lambda law, D, C: (law.evaluate("params_given_tokens", C, D), D),
    ("tokens", "tokens_per_param"): lambda law, D, t: (D / t, D),
    ("tokens", "loss"): lambda law, D, R: (law.of_sum("params_for_reducible_loss", R, D), D),
    ("compute", "tokens_per_param"): _at_compute,
    ("tokens_per_param", "loss"): _on_ray,
}


def _sum_within(law: Law, loss: Any, held: Mapping[str, Any]) -> Any:
    """The R of a loss. An `ArgumentError` where the term of the params or tokens that are given, or
    of the data wall, exceeds it already.
    """
    R = law.sum_for(loss)
    for name, value in held.items():
        least = law.of_sum(f"{name.removeprefix('max_')}_term", value)
        if any_of(least >= R):
            import numpy as np

            together = np.broadcast_arrays(law.of_sum("loss_at", least), value, least >= R)
            lowest, limit, _ = (float(x.flat[np.argmax(together[-1])]) for x in together)
            bound = f"above {lowest:.6g} at {name}={limit:g}"
            raise outside("loss", loss, f"{bound}, whatever the compute")
    return R
