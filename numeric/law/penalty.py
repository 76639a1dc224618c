"""What training off the compute-optimal allocation costs, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import nextafter

from ..arrays import for_formulas, larger
from ..errors import ArgumentError, positive_number
from .result import Result
from .run import run_of
from .tables import intervals_table, results_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from matplotlib.figure import Figure

    from ...theory.typeset.table import Table
    from .scaling_law import Law


def _at_ratio(formula: str, doc: str) -> Any:
    """A figure that follows from log N/N*."""
    return property(lambda cost: cost.law.evaluate(formula, cost.log_size_ratio), doc=doc)


def _of_run(figure: Callable[[Any], Any], doc: str) -> Any:
    """A figure of a run; None of a ratio, which many runs have."""
    return property(lambda cost: figure(cost) if cost.is_run else None, doc=doc)


@dataclass(frozen=True, kw_only=True, repr=False)
class Penalty(Result):
    """What an allocation costs against the compute-optimal one at the same compute.

    Every figure is a number, or an array of the shape of what was given, computed when it is read:
    from log N/N*, and those of a run, None of a ratio, from its params and tokens. A law of more
    variables than two has a loss penalty and an excess alone.
    """

    log_size_ratio: Any

    @property
    def is_run(self) -> bool:
        """Whether params and tokens were given, rather than a ratio."""
        return set(self.given) == {"params", "tokens"}

    @property
    def view(self) -> str:
        """Which table it is a row of."""
        return "runs" if self.is_run else "ratios"

    @property
    def names(self) -> tuple[str, ...]:
        """Its figures."""
        if self.log_size_ratio is None:
            return ("loss_penalty", "excess")
        return (*OF_RATIO, *OF_RUN) if self.is_run else OF_RATIO

    def again(self, law: Law, given: Mapping[str, Any]) -> Penalty:
        """The penalty of an allocation under another law."""
        return penalty(law, given)

    @property
    def ratio(self) -> Any:
        """Overtraining ratio rho = (D/N)/(D*/N*)."""
        known = self.given.get("ratio")
        return self.law.evaluate("ratio_at_log", self.log_size_ratio) if known is None else known

    @property
    def size_ratio(self) -> Any:
        """N/N*(C)."""
        known = self.given.get("size_ratio")
        found = "size_ratio_at_log", self.log_size_ratio
        return self.law.evaluate(*found) if known is None else known

    @property
    def excess(self) -> Any:
        """P - 1, without cancellation."""
        if self.log_size_ratio is not None:
            return excess_at(self.law, self.log_size_ratio)
        best = self.law.of_sum("optimal_reducible_loss", self.law.compute(**self.given))
        R = self.law.of_sum("reducible_loss", **self.given)
        return self.law.excess_of(larger(R / best, 1.0) - 1.0)

    @property
    def loss_penalty(self) -> Any:
        """P = (L - E)/(L* - E) >= 1."""
        if self.log_size_ratio is None or not self.law.is_sum:
            return 1.0 + self.excess
        return larger(self.law.evaluate("penalty", self.log_size_ratio), 1.0)

    effective_compute = _at_ratio(
        "effective_compute",
        "C_eff/C = P^(-1/alpha), the share of the budget that the envelope needs for the loss.",
    )
    lost_compute = _at_ratio("lost_compute", "1 - C_eff/C.")
    compute_overhead = _at_ratio(
        "compute_overhead",
        "Extra compute, relative to C, that reaches L*(C) at this model size; infinite where no "
        "number of tokens does. At 1 + d times the critical size the relative error is up to "
        "64 eps/d.",
    )
    tokens_factor = _at_ratio(
        "tokens_factor", "D/D* that reaches L*(C) at this model size, as exact as the overhead."
    )

    params = _of_run(lambda run: run.given["params"], "N.")
    tokens = _of_run(lambda run: run.given["tokens"], "D.")
    compute = _of_run(lambda run: run.law.compute(run.params, run.tokens), "C, usually 6 N D.")
    tokens_per_param = _of_run(lambda run: run.tokens / run.params, "D/N.")
    optimal_params = _of_run(lambda run: run.law.envelope.params(run.compute), "N*(C).")
    optimal_tokens = _of_run(lambda run: run.law.envelope.tokens(run.compute), "D*(C).")
    optimal_tokens_per_param = _of_run(
        lambda run: run.optimal_tokens / run.optimal_params, "D*/N*."
    )
    optimal_reducible_loss = _of_run(
        lambda run: run.law.envelope.reducible_loss(run.compute), "|L*(C) - E|."
    )
    reducible_loss = _of_run(
        lambda run: larger(
            run.law.reducible_loss(run.params, run.tokens), run.optimal_reducible_loss
        ),
        "|L - E|, at least that of the optimum: below it is the rounding of C.",
    )
    loss_excess = _of_run(
        lambda run: run.optimal_reducible_loss * run.excess, "|L - L*| = (P - 1)|L* - E|."
    )

    @property
    def optimal_loss(self) -> Any:
        """L*(C); None of a ratio, and where the law has no E."""
        is_known = self.is_run and self.law.E is not None
        return self.law.envelope.loss(self.compute) if is_known else None

    @property
    def loss(self) -> Any:
        """L, at least that of the optimum; None as that."""
        best = self.optimal_loss
        if best is None:
            return None
        own = self.law.loss(self.params, self.tokens)
        return larger(own, best) if self.law.form.sign > 0 else own

    def tables(self) -> tuple[Table, ...]:
        """A row an allocation; intervals where the law came from data."""
        rows = list(self.rows())
        return (results_table(rows, like=self), *intervals_table(rows))

    def plot(self, ax: Any = None) -> Figure:
        """The figure of the penalty against the ratio, with these allocations marked; in `ax` where it
        is given.
        """
        from ..plot.panels import figure_of, plot_penalty

        points = [[float(cost.ratio) for cost in self.rows()]]
        return figure_of(plot_penalty([self.law], ax, points=points))


#: The figures of every allocation by two variables, and of a run.
OF_RATIO = (
    *("ratio", "size_ratio", "loss_penalty", "excess"),
    *("effective_compute", "lost_compute", "compute_overhead", "tokens_factor"),
)
OF_RUN = (
    *("params", "tokens", "compute", "tokens_per_param"),
    *("optimal_params", "optimal_tokens", "optimal_tokens_per_param"),
    *("reducible_loss", "optimal_reducible_loss", "loss", "optimal_loss", "loss_excess"),
)


def penalty(law: Law, arguments: Mapping[str, Any]) -> Penalty:
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
        ((name, value),) = values.items()
        value = for_formulas(name, value)
        to_log = "log_size_ratio" if name == "size_ratio" else "log_size_ratio_at_ratio"
        return Penalty(law=law, given={name: value}, log_size_ratio=law.evaluate(to_log, value))
    if variables == ("params", "tokens"):
        values = dict(zip(variables, run_of(law, values), strict=True))
    elif set(values) != set(variables):
        raise ValueError(f"given {', '.join(values)}: must be {', '.join(variables)}")
    s = law.evaluate("log_size_ratio_of_run", **values) if len(values) == 2 else None
    return Penalty(law=law, given=values, log_size_ratio=s)


def excess_at(law: Law, s: Any) -> Any:
    """P - 1 at s = log N/N*."""
    return law.excess_of(law.of_sum("excess", s))


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """The interval of allocations whose loss penalty is at most 1 + within.

    Attributes
    ----------
    within : float
    size_ratio, ratio : tuple of float
        Lowest and highest N/N*(C), and overtraining ratio.
    """

    within: float
    size_ratio: tuple[float, float]
    ratio: tuple[float, float]

    def as_dict(self) -> dict[str, Any]:
        """The interval in plain types."""
        ends = {name: list(getattr(self, name)) for name in ("size_ratio", "ratio")}
        return {"within": self.within, **ends}


def tolerance(law: Law, within: float) -> Tolerance:
    """The two roots of P(s) - 1 = within, on either side of s = log N/N* = 0."""
    epsilon = positive_number("within", within)
    step = law.of_sum("tolerance_half_width", epsilon)

    def beyond(s: float) -> bool:
        try:
            return bool(excess_at(law, s) > epsilon)
        except ValueError:  # no float holds it
            return True

    def root(inner: float, outer: float) -> float:
        """The last s between that is not beyond: P is convex, and monotone on either side."""
        while not beyond(outer):
            inner, outer = outer, 2.0 * outer
        while (middle := inner + (outer - inner) / 2.0) not in (inner, outer):
            inner, outer = (inner, middle) if beyond(middle) else (middle, outer)
        return inner

    def end(name: str, to_log: str, s: float) -> float:
        """The end on a scale, a float inside."""
        try:
            value = float(law.evaluate(f"{name}_at_log", s))
            while beyond(law.evaluate(to_log, value)):
                value = nextafter(value, 1.0)
        except ValueError:
            reach = f"reach beyond the range of a float (log r = {s:.6g})"
            raise ValueError(f"within={epsilon!r}: the allocations within it {reach}") from None
        return value

    low, high = root(0.0, -step), root(0.0, step)
    sizes = ("size_ratio", "log_size_ratio")
    ratios = ("ratio", "log_size_ratio_at_ratio")
    return Tolerance(
        within=epsilon,
        size_ratio=(end(*sizes, low), end(*sizes, high)),
        ratio=(end(*ratios, high), end(*ratios, low)),
    )
