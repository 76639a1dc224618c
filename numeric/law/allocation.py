"""Optimal allocation of a budget, or the cheapest way to a target loss, with a size cap or a data
wall.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from ..arrays import (
    any_of,
    for_formulas,
    is_foreign,
    is_number,
    larger,
    least,
    namespace,
    positive_values,
    real_values,
    smaller,
)
from ..errors import ArgumentError, outside, positive_number
from .penalty import Penalty, penalty
from .result import Result
from .run import LOSSES, run_of
from .tables import intervals_table, results_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from matplotlib.figure import Figure

    from ...theory.typeset.table import Table
    from .scaling_law import Law

TARGETS = ("compute", *LOSSES, "params", "tokens")
CAPS = ("max_params", "max_tokens")


@dataclass(frozen=True, kw_only=True, repr=False)
class Allocation(Result):
    """The values of a law's variables for a budget: params and tokens.

    Attributes
    ----------
    variables : mapping of str to float or ndarray
        By name, in the order of the law; params and tokens are attributes too.
    compute : float or ndarray
        The compute that is spent; less than the budget where both caps bind.
    caps : mapping of str to float
        max_params and max_tokens, where they were given.
    capped : bool or ndarray of bool
        Where a cap moves the allocation off the optimum.
    """

    variables: Mapping[str, Any]
    compute: Any
    caps: Mapping[str, float]
    capped: Any = False
    view = "allocations"

    @property
    def is_run(self) -> bool:
        """Whether two numbers gave a run, rather than one the optimum."""
        return len(self.given) > 1

    @property
    def names(self) -> tuple[str, ...]:
        """Its variables, and what follows from them."""
        losses = ("compute", "loss", "reducible_loss")
        if self.law.form.variables != ("params", "tokens"):
            return losses
        figures = ("params", "tokens", "tokens_per_param", *losses, "unspent_compute", "binding")
        return (*figures, "loss_penalty") if self.is_run else figures

    def as_dict(self) -> dict[str, Any]:
        """Every variable and figure by name."""
        return {**self.variables, **super().as_dict()}

    def again(self, law: Law, given: Mapping[str, Any]) -> Allocation:
        """The allocation for the same under another law."""
        return allocate(law, {**given, **self.caps})

    @property
    def params(self) -> Any:
        """N."""
        return self.variables["params"]

    @property
    def tokens(self) -> Any:
        """D."""
        return self.variables["tokens"]

    @property
    def tokens_per_param(self) -> Any:
        """D/N."""
        return self.tokens / self.params

    @property
    def loss(self) -> Any:
        """L; None where the law has no E."""
        if self.law.E is None or "loss" in self.given:
            return self.given.get("loss")
        return self.law.loss(**self.variables)

    @property
    def reducible_loss(self) -> Any:
        """|L - E|."""
        known = self.given.get("reducible_loss")
        return self.law.reducible_loss(**self.variables) if known is None else known

    @property
    def unspent_compute(self) -> Any:
        """What is left of the budget where both caps bind, else 0."""
        budget = self.given.get("compute")
        return 0.0 * self.compute if self.is_run or budget is None else budget - self.compute

    @property
    def binding(self) -> Any:
        """The cap that binds, "max_tokens" or "max_params", the first to as the budget grows where both
        do; or "none"; "given" where two numbers gave the run.
        """
        if self.is_run:
            return "given"
        cap = next(iter(self.caps), "none")
        if len(self.caps) == 2:
            # Where the caps together are too large a model, the optimum meets the wall first.
            corner = self.law.evaluate("log_size_ratio_of_run", *self.caps.values())
            cap = "max_tokens" if corner >= 0.0 else "max_params"
        if is_number(self.params):
            return cap if self.capped else "none"
        import numpy as np

        return np.where(np.broadcast_to(self.capped, np.shape(self.params)), cap, "none")

    @property
    def penalty(self) -> Penalty:
        """What the allocation costs against the optimum at the compute that is spent."""
        return penalty(self.law, self.variables)

    @property
    def loss_penalty(self) -> Any:
        """(L - E)/(L* - E)."""
        return self.penalty.loss_penalty

    def tables(self) -> tuple[Table, ...]:
        """A row a budget; intervals where the law came from data."""
        rows = list(self.rows())
        return (results_table(rows, like=self), *intervals_table(rows))

    def plot(self, ax: Any = None) -> Figure:
        """The figure of the profiles of loss at these budgets, with their optima; in `ax` where it is
        given.
        """
        from ..plot.panels import figure_of, plot_isoflop

        budgets = [float(row.compute) for row in self.rows()]
        return figure_of(plot_isoflop(self.law, budgets, ax))


def allocate(law: Law, arguments: Mapping[str, Any]) -> Allocation:
    """The allocation of the arguments of `Law.allocate`, by name."""
    # The formulas of a budget check it; those of params and tokens call these by other names.
    reading = {"compute": for_formulas, "loss": real_values}
    given = {name: value for name, value in arguments.items() if value is not None}
    caps = {name: positive_number(name, given.pop(name)) for name in CAPS if name in given}
    values = {name: reading.get(name, positive_values)(name, x) for name, x in given.items()}
    is_pair = law.form.variables == ("params", "tokens")
    if not is_pair and (wrong := [x for x in (*values, *caps) if x not in ("compute", *LOSSES)]):
        complaint = f"is of params and tokens, not of {', '.join(law.form.variables)}"
        raise ArgumentError(wrong[0], arguments[wrong[0]], complaint=complaint)
    is_target = len(values) == 1 and "tokens_per_param" not in values
    if not is_target and (len(values) != 2 or not is_pair):
        domain = f"one of {', '.join(TARGETS)}, or two of them and tokens_per_param"
        raise ValueError(f"given {', '.join(values) or 'none'}: must be {domain}")
    if caps and not (is_target and values.keys() & {"compute", *LOSSES}):
        raise outside(*next(iter(caps.items())), "given with a compute or a loss alone")

    name, capped = next(iter(values)), False
    if not is_target:
        variables = dict(zip(law.form.variables, run_of(law, values), strict=True))
        compute = values["compute"] if "compute" in values else law.compute(**variables)
    elif name in ("params", "tokens"):
        compute = law.evaluate(f"compute_at_max_{name}", values[name])
        variables = {**law.optimum(compute), name: values[name]}
    else:
        R = law.sum_for(name, values[name]) if name in LOSSES else None
        compute = values[name] if R is None else law.of_sum("compute_for_reducible_loss", R)
        variables = law.optimum(compute)
        if caps:
            variables, capped = _under(law, caps, variables, compute, R)
            if R is not None:
                spent = law.compute(**variables)
                compute = namespace(spent).where(capped, spent, compute)
            elif len(caps) == 2:
                compute = smaller(compute, law.compute(*caps.values()))
    if any(not is_foreign(value) and least(value) == 0.0 for value in variables.values()):
        shown = ", ".join(f"{name}={value!r}" for name, value in variables.items())
        raise ValueError(f"{shown}: the allocation lies beyond the range of a float")
    return Allocation(
        law=law, given=values, variables=variables, compute=compute, caps=caps, capped=capped
    )


def _under(
    law: Law, caps: Mapping[str, float], optimum: Mapping[str, Any], budget: Any, R: Any
) -> tuple[dict[str, Any], Any]:
    """Params and tokens under caps, and where one binds: of a budget, or of a reducible loss R.

    The loss is convex along the budget, and the compute along the contour of a loss: where a cap
    binds the best lies at it, and the other variable goes on along the budget, as far as its own
    cap, or along the contour.
    """
    params, tokens = optimum["params"], optimum["tokens"]
    largest, longest = (caps.get(name, inf) for name in CAPS)
    capped = (params > largest) | (tokens > longest)
    if R is not None:
        for name in caps:
            variable = name.removeprefix("max_")
            _require(
                law, R, law.of_sum(f"smallest_{variable}", R) >= caps[name], {name: caps[name]}
            )
        if len(caps) == 2:
            _require(law, R, law.of_sum("reducible_loss", largest, longest) > R, caps)
    of_params, of_tokens, kept = (
        ("params_given_tokens", "tokens_given_params", budget)
        if R is None
        else ("params_for_reducible_loss", "tokens_for_reducible_loss", R)
    )
    if longest < inf:
        params = larger(params, law.of_sum(of_params, kept, longest))
    if largest < inf:
        tokens = larger(tokens, law.of_sum(of_tokens, kept, largest))
    return {"params": smaller(params, largest), "tokens": smaller(tokens, longest)}, capped


def _require(law: Law, R: Any, beyond: Any, caps: Mapping[str, float]) -> None:
    """A ValueError that names the first target that cannot be reached under the caps."""
    if is_foreign(beyond) or not any_of(beyond):
        return
    import numpy as np

    first = float(np.extract(beyond, np.broadcast_to(R, np.shape(beyond)))[0])
    shown = ", ".join(f"{name}={value:g}" for name, value in caps.items())
    target = f"reducible loss {first:.6g}"
    if is_number(law.E):
        target = f"loss {law.of_sum('loss_at', first):.6g}"
    these = "this cap" if len(caps) == 1 else "these caps"
    raise ValueError(f"{shown}: {target} cannot be reached under {these}, whatever the compute")
