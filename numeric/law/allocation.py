"""Optimal allocation of a budget, or the cheapest way to a target loss, with a size cap or a data
wall.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from .. import formulas
from ..arrays import (
    any_of,
    for_formulas,
    greatest,
    is_foreign,
    is_number,
    least,
    namespace,
    positive_values,
    real_values,
)
from ..errors import outside, positive_number
from .figures import Result, figure
from .run import run_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from ...theory.typeset.table import Table
    from .params_tokens import Law
    from .penalty import PairLaw, Penalty

    Kind = TypeVar("Kind", bound="Allocation")

#: What an optimum is asked for by, in the order of `Law.allocate`.
TARGETS = ("compute", "loss", "reducible_loss", "params", "tokens")


@dataclass(frozen=True, kw_only=True, repr=False)
class Allocation(Result):
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
        "none", "max_tokens" or "max_params": the cap that moves the allocation off the optimum (the
        first to bind as the budget grows, where both do); "given" where two numbers tell the run.
    unspent_compute : float or ndarray
        What is left of the budget where both caps bind, else 0.
    penalty : Penalty
        What the allocation costs against the optimum at the compute that is spent.
    """

    law: Law
    params: Any
    tokens: Any
    compute: Any
    at_max_params: Any
    at_max_tokens: Any
    given: tuple[tuple[str, Any], ...]
    caps: dict[str, float]
    first = ("params", "tokens", "tokens_per_param", "compute", "loss", "reducible_loss")

    @property
    def is_told(self) -> bool:
        """Whether two numbers tell the run, rather than one the optimum."""
        return len(self.given) > 1

    @property
    def moved(self) -> bool:
        """Whether it lies off the optimum anywhere."""
        return self.is_told or any_of(self.at_max_params) or any_of(self.at_max_tokens)

    @cached_property
    def penalty(self) -> Penalty:
        """What the allocation costs against the optimum at the compute that is spent."""
        return self.law.penalty(params=self.params, tokens=self.tokens)

    @property
    def loss_penalty(self) -> Any:
        """(L - E)/(L* - E)."""
        return self.penalty.loss_penalty

    @figure
    def unspent_compute(self) -> Any:
        """What is left of the budget where both caps bind."""
        budget = dict(self.given).get("compute")
        return 0.0 * self.compute if self.is_told or budget is None else budget - self.compute

    @figure
    def tokens_per_param(self) -> Any:
        """D/N."""
        return self.tokens / self.params

    @figure
    def reducible_loss(self) -> Any:
        """L - E."""
        given = dict(self.given)
        if "reducible_loss" in given:
            return given["reducible_loss"]
        if "loss" in given:
            return given["loss"] - self.law.E
        if self.moved:
            return self.law.reducible_loss(self.params, self.tokens)
        return self.law.envelope.reducible_loss(self.compute)

    @figure
    def loss(self) -> Any:
        """L, None where the law has no E."""
        if self.law.E is None:
            return None
        target = dict(self.given).get("loss")
        return formulas.loss_at(self.reducible_loss, self.law.E) if target is None else target

    @figure
    def binding(self) -> Any:
        """The cap that moves the allocation off the optimum."""
        if self.is_told:
            return "given"
        if is_number(self.params):
            return (
                "max_tokens"
                if self.at_max_tokens
                else "max_params"
                if self.at_max_params
                else "none"
            )
        import numpy as np

        capped = np.where(
            self.at_max_params, "max_params", np.where(self.at_max_tokens, "max_tokens", "none")
        )
        return np.broadcast_to(capped, np.shape(self.params))

    def _again(self, law: Any, given: dict[str, Any]) -> Allocation:
        return law.allocate(**given, **self.caps)

    def tables(self) -> tuple[Table, ...]:
        """A row a budget; intervals where the law came from data."""
        from .tables import allocation_table, intervals_table

        rows = list(self.rows())
        return (allocation_table(rows), *intervals_table(rows))

    def plot(self, ax: Any = None) -> Any:
        """The profiles of loss at these budgets, with their optima."""
        from ..plot.panels import plot_isoflop

        return plot_isoflop(self.law, [float(row.compute) for row in self.rows()], ax)

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name."""
        return super().as_dict() | ({"loss_penalty": self.loss_penalty} if self.is_told else {})


def allocate(
    law: PairLaw, given: dict[str, Any], caps: dict[str, float | None], kind: type[Kind]
) -> Kind:
    """See `Law.allocate`; `given` is by the names of its arguments, `caps` are max_params and
    max_tokens.
    """
    values = {name: value for name, value in given.items() if value is not None}
    limits = {cap: positive_number(cap, value) for cap, value in caps.items() if value is not None}
    if len(values) != 1 or "tokens_per_param" in values:
        found = _told(law, values, limits)
    else:
        ((name, value),) = values.items()
        if limits and name in ("params", "tokens"):
            domain = f"given with a compute or a loss, not with {name}"
            raise outside(*next(iter(limits.items())), domain)
        if name in ("loss", "reducible_loss"):
            values = {name: real_values(name, value)}
            found = _for_inner_sum(law, law.inner_sum_for(name, value), **limits)
        else:
            # The formulas of a budget check it; those of params and tokens call these by other names.
            checked = for_formulas if name == "compute" else positive_values
            values = {name: checked(name, value)}
            found = _FOR[name](law, values[name], **limits)
    _require_floats(found["params"], found["tokens"])
    pair: Any = law  # a kind has a narrower field
    return kind(law=pair, given=tuple(values.items()), caps=limits, **found)


def _for_compute(
    law: PairLaw, budget: Any, max_params: float = math.inf, max_tokens: float = math.inf
) -> dict[str, Any]:
    forms = law.forms
    caps = {"at_max_params": False, "at_max_tokens": False}
    if max_params == max_tokens == math.inf:
        params = forms.optimal_params(budget)
        tokens = forms.optimal_tokens(budget)
        return {"params": params, "tokens": tokens, "compute": budget} | caps
    size_cap = _or_inf(forms.compute_at_max_params, max_params)
    data_wall = _or_inf(forms.compute_at_max_tokens, max_tokens)
    params = _or_inf(forms.optimal_params, budget)
    tokens = _or_inf(forms.optimal_tokens, budget)
    capped = (budget > min(size_cap, data_wall)) | (params > max_params) | (tokens > max_tokens)
    is_wall = max_tokens < math.inf and data_wall <= size_cap
    if is_wall:
        at_cap = (forms.params_given_tokens(budget, max_tokens), max_tokens)
    else:
        at_cap = (max_params, forms.tokens_given_params(budget, max_params))
    both = capped & ((at_cap[0] > max_params) | (at_cap[1] > max_tokens))
    spent = forms.compute(max_params, max_tokens) if any_of(both) else 0.0
    where = namespace(budget).where
    caps["at_max_tokens" if is_wall else "at_max_params"] = capped
    return caps | {
        "params": where(both, max_params, where(capped, at_cap[0], params)),
        "tokens": where(both, max_tokens, where(capped, at_cap[1], tokens)),
        "compute": where(both, spent, budget),
    }


def _or_inf(formula: Any, value: Any) -> Any:
    """The formula at a value; infinite where a number exceeds the largest float, and where there is
    no cap.
    """
    if not is_number(value):
        return formula(value)
    try:
        return math.inf if value == math.inf else formula(value)
    except ValueError:
        return math.inf


def _told(law: PairLaw, values: dict[str, Any], limits: dict[str, float]) -> dict[str, Any]:
    """The run that two numbers tell."""
    if len(values) != 2:
        raise ValueError(
            f"given {', '.join(values) or 'none'}: must be one of {', '.join(TARGETS)}, or two of "
            f"them and tokens_per_param"
        )
    if limits:
        raise outside(*next(iter(limits.items())), "given with a compute or a loss alone")
    params, tokens = run_of(law, values)
    compute = values.get("compute")
    if compute is None:
        compute = law.forms.compute(params, tokens)
    uncapped = {"at_max_params": False, "at_max_tokens": False}
    return {"params": params, "tokens": tokens, "compute": compute, **uncapped}


def _for_params(law: PairLaw, params: Any) -> dict[str, Any]:
    """The optimum that has these params."""
    return _for_compute(law, law.forms.compute_at_max_params(params)) | {"params": params}


def _for_tokens(law: PairLaw, tokens: Any) -> dict[str, Any]:
    """The optimum that has these tokens."""
    return _for_compute(law, law.forms.compute_at_max_tokens(tokens)) | {"tokens": tokens}


def _for_inner_sum(
    law: PairLaw, reducible: Any, max_params: float = math.inf, max_tokens: float = math.inf
) -> dict[str, Any]:
    forms = law.forms
    cheapest = forms.compute_for_reducible_loss(reducible)
    params = forms.optimal_params(cheapest)
    tokens = forms.optimal_tokens(cheapest)
    found = {
        "params": params,
        "tokens": tokens,
        "compute": cheapest,
        "at_max_params": False,
        "at_max_tokens": False,
    }
    if max_params == max_tokens == math.inf:
        return found
    where = namespace(reducible).where
    too_long = tokens > max_tokens
    too_large = (params > max_params) & (too_long == False)  # noqa: E712 - of arrays too
    if any_of(too_long):
        _require(
            law,
            reducible,
            too_long & (forms.smallest_tokens(reducible) >= max_tokens),
            max_tokens=max_tokens,
        )
        target = where(too_long, reducible, 2.0 * forms.tokens_term(max_tokens))
        larger = forms.params_for_reducible_loss(target, max_tokens)
        params, tokens = where(too_long, larger, params), where(too_long, max_tokens, tokens)
    if any_of(too_large):
        _require(
            law,
            reducible,
            too_large & (forms.smallest_params(reducible) >= max_params),
            max_params=max_params,
        )
        target = where(too_large, reducible, 2.0 * forms.params_term(max_params))
        longer = forms.tokens_for_reducible_loss(target, max_params)
        params, tokens = where(too_large, max_params, params), where(too_large, longer, tokens)
    _require(
        law,
        reducible,
        (params > max_params) | (tokens > max_tokens),
        max_params=max_params,
        max_tokens=max_tokens,
    )
    compute = where(too_long | too_large, forms.compute(params, tokens), cheapest)
    return found | {
        "params": params,
        "tokens": tokens,
        "compute": compute,
        "at_max_params": too_large,
        "at_max_tokens": too_long,
    }


def _require(law: PairLaw, reducible: Any, unreachable: Any, **caps: float) -> None:
    """A ValueError that names the first target that cannot be reached under the caps."""
    if is_foreign(unreachable) or not any_of(unreachable):
        return
    import numpy as np

    first = float(np.extract(unreachable, reducible)[0])
    shown = ", ".join(f"{name}={value!r}" for name, value in caps.items())
    is_relative = law.numbers.get("E", 0.0) is None
    target = (
        f"reducible loss {first:.6g}" if is_relative else f"loss {law.forms.loss_at(first):.6g}"
    )
    these = "this cap" if len(caps) == 1 else "these caps"
    raise ValueError(f"{shown}: {target} cannot be reached under {these}, whatever the compute")


def _require_floats(params: Any, tokens: Any) -> None:
    """A ValueError where params or tokens are 0, or tokens per param infinite, as floats."""
    if is_foreign(params):
        return
    smallest, shortest, longest = least(params), least(tokens), greatest(tokens)
    if not (smallest > 0.0 and shortest > 0.0) or (
        longest / smallest == math.inf and any_of(tokens / params == math.inf)
    ):
        raise ValueError(
            f"params={params!r}, tokens={tokens!r}: the allocation lies beyond the range of a float"
        )


_FOR: dict[str, Callable[..., dict[str, Any]]] = {
    "compute": _for_compute,
    "params": _for_params,
    "tokens": _for_tokens,
}
