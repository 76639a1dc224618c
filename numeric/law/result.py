"""What follows from a law for an allocation: figures by name, for one or arrays of them, with
intervals where the law came from data.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from ...theory.typeset.shown import Shown
from ..arrays import is_number, larger, smaller
from ..errors import outside
from .tables import result_tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Self

    from matplotlib.figure import Figure

    from ...theory.typeset.table import Table
    from ..results import Estimate
    from .scaling_law import Law

__all__ = ["CAPS", "Result"]

CAPS = ("max_params", "max_tokens")
#: The figures of a ratio, of a run, and of an allocation.
OF_RATIO = (
    *("ratio", "size_ratio", "loss_penalty", "excess"),
    *("effective_compute", "lost_compute", "compute_overhead", "tokens_factor"),
)
OF_RUN = (
    *OF_RATIO,
    *("params", "tokens", "compute", "tokens_per_param"),
    *("optimal_params", "optimal_tokens", "optimal_tokens_per_param"),
    *("reducible_loss", "optimal_reducible_loss", "loss", "optimal_loss", "loss_excess"),
)
OF_ALLOCATION = (
    *("params", "tokens", "tokens_per_param", "compute", "loss", "reducible_loss"),
    *("unspent_compute", "binding"),
)
#: The least value of a figure that is a cost.
LEAST = {"loss_penalty": 1.0} | dict.fromkeys(
    ("excess", "lost_compute", "compute_overhead", "loss_excess"), 0.0
)


def _at_ratio(formula: str, name: str = "") -> Any:
    """A figure that follows from log N/N*, unless it was given under this name."""

    def figure(result: Result) -> Any:
        known = result.given.get(name)
        return result.law.evaluate(formula, result.log_size_ratio) if known is None else known

    return property(figure)


def _of_run(figure: Callable[[Any], Any]) -> Any:
    """A figure of a run; None of a ratio, which many runs have."""
    return property(lambda run: None if run.variables is None else figure(run))


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Result(Shown):
    """An allocation, and what it costs against the compute-optimal one at the same compute.

    Every figure is a number, or an array of the shape of what was given, computed when it is read.
    A law of more variables than two has a loss penalty and an excess, but no ratios.

    Attributes
    ----------
    law, given : Law, mapping of str to float or ndarray
        What it follows from, by the names of the arguments.
    variables, optimum : mapping of str to float or ndarray, or None
        The values of the law's variables (of a ratio None), and without the caps of an allocation.
    ratio, size_ratio : float or ndarray
        Overtraining ratio rho = (D/N)/(D*/N*), and N/N*(C).
    loss_penalty, excess : float or ndarray
        P = (L - E)/(L* - E) >= 1, and P - 1 without cancellation.
    effective_compute, lost_compute : float or ndarray
        C_eff/C = P^(-1/alpha), the share of the budget that the envelope needs for the loss; the rest.
    compute_overhead, tokens_factor : float or ndarray
        Extra compute, relative to C, and D/D*, that reach L*(C) at this model size; infinite where
        no number of tokens does. At 1 + d times the critical size their error is up to 64 eps/d.
    params, tokens, compute, tokens_per_param, loss, reducible_loss : float, ndarray or None
        Of a run; None of a ratio. Losses are at least those of the optimum: below is rounding.
    optimal_params, optimal_tokens, optimal_tokens_per_param : float, ndarray or None
        N*(C), D*(C) and D*/N* at its compute.
    optimal_loss, optimal_reducible_loss, loss_excess : float, ndarray or None
        L*(C), |L*(C) - E| and |L - L*|.
    unspent_compute, binding : float or ndarray, str or ndarray
        What is left of the budget where both caps bind, and the cap that moves an allocation off the
        optimum, "max_params", "max_tokens" or "none"; "given" where two numbers gave the run.
    """

    law: Law
    given: Mapping[str, Any]
    variables: Mapping[str, Any] | None = None
    optimum: Mapping[str, Any] | None = None
    spent: Any = None

    @property
    def is_run(self) -> bool:
        """Whether numbers gave params and tokens, rather than a ratio or the optimum."""
        return self.variables is not None and len({*self.given} - {*CAPS}) > 1

    @property
    def view(self) -> str:
        """Which table it is a row of: that of "allocations", "runs" or "ratios"."""
        is_pair = self.law.form.variables == ("params", "tokens")
        if self.optimum is not None:
            return "allocations"
        return "runs" if self.is_run and is_pair else "ratios"

    @property
    def names(self) -> tuple[str, ...]:
        """The figures that it has, in their order."""
        variables = self.law.form.variables
        if self.view == "allocations" and variables != ("params", "tokens"):
            return ("compute", "loss", "reducible_loss")
        if self.view == "allocations":
            return (*OF_ALLOCATION, "loss_penalty") if self.is_run else OF_ALLOCATION
        if len(variables) != 2:
            return ("loss_penalty", "excess")
        return OF_RUN if self.view == "runs" else OF_RATIO

    @cached_property
    def log_size_ratio(self) -> Any:
        """log N/N*; None of a law of more variables than two."""
        if "ratio" in self.given:
            return self.law.evaluate("log_size_ratio_at_ratio", self.given["ratio"])
        if "size_ratio" in self.given:
            return self.law.evaluate("log_size_ratio", self.given["size_ratio"])
        if self.variables is None or len(self.variables) != 2:
            return None
        return self.law.evaluate("log_size_ratio_of_run", **self.variables)

    # -- against the optimum ------------------------------------------------------------------------

    ratio = _at_ratio("ratio_at_log", "ratio")
    size_ratio = _at_ratio("size_ratio_at_log", "size_ratio")
    effective_compute = _at_ratio("effective_compute")
    lost_compute = _at_ratio("lost_compute")
    compute_overhead = _at_ratio("compute_overhead")
    tokens_factor = _at_ratio("tokens_factor")

    @property
    def excess(self) -> Any:
        """P - 1."""
        if self.log_size_ratio is not None:
            return self.law.excess_at(self.log_size_ratio)
        best = self.law.of_sum("optimal_reducible_loss", self.compute)
        R = self.law.of_sum("reducible_loss", **(self.variables or {}))
        return self.law.excess_of(larger(R / best, 1.0) - 1.0)

    @property
    def loss_penalty(self) -> Any:
        """P."""
        if self.log_size_ratio is None or not self.law.is_sum:
            return 1.0 + self.excess
        return larger(self.law.evaluate("penalty", self.log_size_ratio), 1.0)

    # -- of a run or an allocation ------------------------------------------------------------------

    params = _of_run(lambda run: run.variables["params"])
    tokens = _of_run(lambda run: run.variables["tokens"])
    tokens_per_param = _of_run(lambda run: run.tokens / run.params)
    compute = _of_run(
        lambda run: run.law.compute(**run.variables) if run.spent is None else run.spent
    )
    optimal_params = _of_run(lambda run: run.law.N_opt(run.compute))
    optimal_tokens = _of_run(lambda run: run.law.D_opt(run.compute))
    optimal_tokens_per_param = _of_run(lambda run: run.optimal_tokens / run.optimal_params)
    optimal_reducible_loss = _of_run(lambda run: run.law.envelope.reducible_loss(run.compute))
    reducible_loss = _of_run(
        lambda run: larger(run.law.reducible_loss(**run.variables), run.optimal_reducible_loss)
    )
    loss_excess = _of_run(lambda run: run.optimal_reducible_loss * run.excess)
    optimal_loss = _of_run(lambda run: None if run.law.E is None else run.law.L_opt(run.compute))

    @property
    def loss(self) -> Any:
        """L; None of a ratio, and where the law has no E."""
        best = self.optimal_loss
        if best is None or "loss" in self.given:
            return self.given.get("loss")
        worse = larger if self.law.form.sign > 0 else smaller
        return worse(self.law.loss(**(self.variables or {})), best)

    @property
    def unspent_compute(self) -> Any:
        """What is left of the budget."""
        budget = self.given.get("compute")
        return 0.0 * self.compute if self.is_run or budget is None else budget - self.compute

    @property
    def binding(self) -> Any:
        """The cap that binds."""
        if self.is_run:
            return "given"
        here, best = self.variables or {}, self.optimum or {}
        is_capped = [here[name] < best[name] for name in best]
        if is_number(self.params):
            return next((cap for cap, holds in zip(CAPS, is_capped, strict=True) if holds), "none")
        import numpy as np

        return np.select(is_capped, CAPS, "none")

    # -- how sure, and shown ------------------------------------------------------------------------

    def again(self, law: Law, given: Mapping[str, Any]) -> Any:
        """The result of other values, or of another law."""
        return (law.penalty if self.optimum is None else law.allocate)(**given)

    def rows(self) -> Iterator[Any]:
        """The results of the single values of what was given."""
        import numpy as np

        for values in zip(*map(np.ravel, np.broadcast_arrays(*self.given.values())), strict=True):
            yield self.again(self.law, dict(zip(self.given, map(float, values), strict=True)))

    def estimate(self, figure: str | Callable[[Self], Any], level: float = 0.9) -> Estimate:
        """A figure, or a function of the result, with its interval where the law came from data:
        the percentiles over the draws of the law.

        The interval of a cost is one-sided where the allocation is nearer to the optimum than under
        the draws.

        Raises
        ------
        ValueError
            Where there is no such figure, or the result holds arrays: take one of its `rows`.
        """
        if not callable(figure) and (figure not in self.names or figure == "binding"):
            known = ", ".join(name for name in self.names if name != "binding")
            raise outside("figure", figure, f"one of {known}")
        if not all(map(is_number, self.given.values())):
            raise ValueError("estimate: is of one allocation; this holds arrays, see its rows()")
        of, least = (figure, None) if callable(figure) else (attrgetter(figure), LEAST.get(figure))
        return self.law.estimate(lambda law: of(self.again(law, self.given)), level, least=least)

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name."""
        others = {} if self.optimum is None else self.variables or {}
        return dict(others) | {name: getattr(self, name) for name in self.names}

    def tables(self) -> tuple[Table, ...]:
        """A row an allocation; intervals where the law came from data."""
        return result_tables(list(self.rows()), like=self)

    def plot(self, ax: Any = None) -> Figure:
        """The figure of the penalty against the ratio, with these ratios or runs marked; of
        allocations that of the profiles of loss at their budgets, with the optima; in `ax` where it is given.
        """
        from ..plot.panels import figure_of, plot_isoflop, plot_penalty

        if self.optimum is not None:
            return figure_of(plot_isoflop(self.law, [float(x.compute) for x in self.rows()], ax))
        points = [[float(cost.ratio) for cost in self.rows()]]
        return figure_of(plot_penalty([self.law], ax, points=points))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"{type(self).__name__}({shown})"
