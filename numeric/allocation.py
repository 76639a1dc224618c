"""Optimal allocation of a budget, or the cheapest way to a target loss, with a size cap or a data wall."""

from __future__ import annotations

import math

from ..theory.data.notation import Frozen
from ._call import evaluate, is_scalar
from ._wide import Wide, wide
from .errors import number, outside, positive_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .law import Law


class Allocation(Frozen):
    """Params and tokens for a budget.

    Attributes
    ----------
    params, tokens, tokens_per_param : float or ndarray
    compute : float or ndarray
        The compute that is spent, 6 N D; less than the budget where both caps bind.
    loss : float, ndarray or None
        None where the law has no E.
    reducible_loss : float or ndarray
        L - E.
    binding : str or ndarray of str
        "none", "max_tokens" or "max_params": the cap that moves the allocation off the optimum (the first to bind as the budget
        grows, where both do).
    unspent_compute : float or ndarray
        What is left of the budget where both caps bind, else 0.
    """

    __slots__ = (  # noqa: RUF023 - as they are shown
        "params",
        "tokens",
        "tokens_per_param",
        "compute",
        "loss",
        "reducible_loss",
        "binding",
        "unspent_compute",
    )

    params: Any
    tokens: Any
    tokens_per_param: Any
    compute: Any
    loss: Any
    reducible_loss: Any
    binding: Any
    unspent_compute: Any

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __repr__(self) -> str:
        return f"Allocation({', '.join(f'{name}={value!r}' for name, value in self.as_dict().items())})"


def allocate(
    law: Law, *, compute: Any, loss: Any, reducible_loss: Any, max_params: float | None, max_tokens: float | None
) -> Allocation:
    """See `Law.allocate`."""
    given = {"compute": compute, "loss": loss, "reducible_loss": reducible_loss}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        raise ValueError(f"given {', '.join(chosen) or 'none'}: must be exactly one of compute, loss, reducible_loss")
    (name,) = chosen
    law.needed("A", "B", *(("E",) if name == "loss" else ()))
    caps = (
        None if max_params is None else positive_number("max_params", max_params),
        None if max_tokens is None else positive_number("max_tokens", max_tokens),
    )
    value = given[name]
    one = _for_compute if name == "compute" else _for_loss
    if is_scalar(value) or isinstance(value, (str, bytes, bool)):
        return one(law, _target(law, name, value), *caps)
    return _elementwise(one, law, name, value, caps)


def _target(law: Law, name: str, value: Any) -> float | Wide:
    """The compute, or the target reducible loss (L - E in double-double)."""
    if name != "loss":
        return positive_number(name, value)
    assert law.E is not None
    loss = number(name, value)
    if not loss > law.E:
        raise outside(name, value, f"a finite number above the irreducible loss E={law.E!r}")
    return wide(loss) - law.E


def _elementwise(one: Any, law: Law, name: str, values: Any, caps: tuple[float | None, float | None]) -> Allocation:
    import numpy as np

    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise outside(name, values, "a number or an array of numbers")
    records = [one(law, _target(law, name, float(value)), *caps) for value in array.ravel()]

    def column(field: str) -> Any:
        if field == "loss" and law.E is None:
            return None
        entries = [getattr(record, field) for record in records]
        return np.array(entries, dtype=None if field == "binding" else float).reshape(array.shape)

    return Allocation(**{field: column(field) for field in Allocation.__slots__})


def _for_compute(law: Law, budget: Any, max_params: float | None, max_tokens: float | None) -> Allocation:
    coefficients = law.needed("A", "B")
    size_cap = _threshold("max_params", max_params, coefficients)
    data_wall = _threshold("max_tokens", max_tokens, coefficients)
    if budget <= size_cap and budget <= data_wall:
        params = evaluate("optimal_params", coefficients, compute=budget)
        tokens = evaluate("optimal_tokens", coefficients, compute=budget)
        if not (_exceeds(params, max_params) or _exceeds(tokens, max_tokens)):  # rounding decides at the threshold
            per_param = evaluate("optimal_tokens_per_param", coefficients, compute=budget)
            reducible = evaluate("optimal_reducible_loss", coefficients, compute=budget)
            return _record(law, params, tokens, budget, reducible, "none", 0.0, per_param)
    unspent = 0.0
    if data_wall <= size_cap:
        binding, tokens = "max_tokens", max_tokens
        params = evaluate("params_given_tokens", {}, compute=budget, tokens=tokens)
        if _exceeds(params, max_params):
            params = max_params
            unspent = _left(budget, params, tokens)
    else:
        binding, params = "max_params", max_params
        tokens = evaluate("tokens_given_params", {}, compute=budget, params=params)
        if _exceeds(tokens, max_tokens):
            tokens = max_tokens
            unspent = _left(budget, params, tokens)
    reducible = evaluate("reducible_loss", coefficients, params=params, tokens=tokens)
    spent = evaluate("compute", {}, params=params, tokens=tokens) if unspent else budget
    return _record(law, params, tokens, spent, reducible, binding, unspent)


def _exceeds(value: float, cap: float | None) -> bool:
    return cap is not None and value > cap


def _threshold(name: str, cap: float | None, coefficients: dict[str, float]) -> float:
    """The compute above which a cap binds; without a cap, none does."""
    if cap is None:
        return float("inf")
    try:
        return float(evaluate(f"compute_at_{name}", coefficients, **{name: cap}))
    except ValueError:  # beyond the largest float: no budget reaches it
        return float("inf")


def _left(budget: float, params: Any, tokens: Any) -> float:
    return float(budget - evaluate("compute", {}, params=params, tokens=tokens))


def _for_loss(law: Law, reducible: Any, max_params: float | None, max_tokens: float | None) -> Allocation:
    coefficients = law.needed("A", "B")
    cheapest = evaluate("compute_for_reducible_loss", coefficients, reducible_loss=reducible)
    params = evaluate("optimal_params", coefficients, compute=cheapest)
    tokens = evaluate("optimal_tokens", coefficients, compute=cheapest)
    too_long = _exceeds(tokens, max_tokens)
    if not (_exceeds(params, max_params) or too_long):
        per_param = evaluate("optimal_tokens_per_param", coefficients, compute=cheapest)
        return _record(law, params, tokens, cheapest, reducible, "none", 0.0, per_param)
    if too_long:
        binding, tokens = "max_tokens", max_tokens
        _require_reachable(law, "tokens", "max_tokens", max_tokens, reducible)
        params = evaluate("params_for_reducible_loss", coefficients, reducible_loss=reducible, tokens=tokens)
        if _exceeds(params, max_params):
            raise _unreachable(law, reducible, max_params=max_params, max_tokens=max_tokens)
    else:
        binding, params = "max_params", max_params
        _require_reachable(law, "params", "max_params", max_params, reducible)
        tokens = evaluate("tokens_for_reducible_loss", coefficients, reducible_loss=reducible, params=params)
        if _exceeds(tokens, max_tokens):
            raise _unreachable(law, reducible, max_params=max_params, max_tokens=max_tokens)
    compute = evaluate("compute", {}, params=params, tokens=tokens)
    return _record(law, params, tokens, compute, reducible, binding, 0.0)


def _require_reachable(law: Law, variable: str, cap_name: str, cap: Any, reducible: Any) -> None:
    smallest = evaluate(f"smallest_{variable}", law.needed("A", "B"), reducible_loss=reducible)
    if not cap > smallest:
        raise _unreachable(law, reducible, **{cap_name: cap})


def _unreachable(law: Law, reducible: Any, **caps: Any) -> ValueError:
    shown = ", ".join(f"{name}={value!r}" for name, value in caps.items())
    target = f"reducible loss {float(reducible):.6g}"
    if law.E is not None:
        target += f" (loss {law.E + float(reducible):.6g})"
    return ValueError(
        f"{shown}: {target} cannot be reached under {'this cap' if len(caps) == 1 else 'these caps'}, whatever the compute"
    )


def _record(
    law: Law,
    params: Any,
    tokens: Any,
    compute: Any,
    reducible: Any,
    binding: str,
    unspent: float,
    per_param: Any = None,
) -> Allocation:
    if not (params > 0.0 and tokens > 0.0 and tokens / params < math.inf):
        raise ValueError(f"params={params!r}, tokens={tokens!r}: the allocation lies beyond the range of a float")
    loss = None if law.E is None else evaluate("loss_at", {"E": law.E}, reducible_loss=reducible)
    return Allocation(
        params=float(params),
        tokens=float(tokens),
        tokens_per_param=float(tokens / params if per_param is None else per_param),
        compute=float(compute),
        loss=loss,
        reducible_loss=float(reducible),
        binding=binding,
        unspent_compute=unspent,
    )
