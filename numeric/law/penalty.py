"""The misallocation penalty of a law as numbers, each computed when it is asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from ...theory.typeset.shown import Shown
from .. import formulas
from ..arrays import at_least, for_formulas
from ..errors import positive_number
from .figures import Result, figure
from .run import run_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol, TypeAlias

    from ...theory.typeset.table import Table
    from ..arrays import Forms
    from .params_tokens import Law

    Excess: TypeAlias = Callable[[float], Any]
    Scale: TypeAlias = tuple[Callable[..., Any], Callable[..., Any]]

    class PairLaw(Protocol):
        """What allocations and penalties need of a law of params and tokens."""

        @property
        def name(self) -> str: ...
        @property
        def E(self) -> float | None: ...
        @property
        def numbers(self) -> Mapping[str, float | None]: ...
        @property
        def forms(self) -> Forms: ...
        @property
        def envelope(self) -> Any: ...
        @property
        def uncertainty(self) -> Any: ...
        def compute(self, params: Any, tokens: Any) -> Any: ...
        def loss(self, params: Any, tokens: Any) -> Any: ...
        def reducible_loss(self, params: Any, tokens: Any) -> Any: ...
        def inner_sum_for(self, name: str, target: Any) -> Any: ...
        def penalty(self, *args: Any, **given: Any) -> Penalty: ...


LEAST = {
    "loss_penalty": 1.0,
    "excess": 0.0,
    "lost_compute": 0.0,
    "compute_overhead": 0.0,
    "loss_excess": 0.0,
}


@dataclass(frozen=True, kw_only=True, repr=False)
class Penalty(Result):
    """What an allocation costs against the compute-optimal one at the same compute.

    Attributes
    ----------
    ratio : float or ndarray
        Overtraining ratio rho = (D/N)/(D*/N*).
    size_ratio : float or ndarray
        r = N/N*(C).
    log_size_ratio : float or ndarray
        log r, from which everything else is computed.
    loss_penalty, excess : float or ndarray
        P = (L - E)/(L* - E) >= 1, and P - 1 without cancellation.
    effective_compute, lost_compute : float or ndarray
        C_eff/C = P^(-1/alpha), the share of the budget that the envelope needs for the same loss;
        and 1 - C_eff/C.
    compute_overhead : float or ndarray
        Extra compute, relative to C, that reaches L*(C) at this model size; inf where no number of
        tokens does.
    tokens_factor : float or ndarray
        D/D* that reaches L*(C) at this model size; inf where none does.
    run : Run or None
        The run that was given as params and tokens, else None.
    """

    law: Any
    log_size_ratio: Any
    given: tuple[tuple[str, Any], ...]
    least = LEAST

    @figure
    def ratio(self) -> Any:
        """Overtraining ratio rho, as it was given or from log r."""
        given = dict(self.given)
        return (
            given["ratio"] if "ratio" in given else self.law.forms.ratio_at_log(self.log_size_ratio)
        )

    @figure
    def size_ratio(self) -> Any:
        """Size ratio r, as it was given or from log r."""
        given = dict(self.given)
        return (
            given["size_ratio"]
            if "size_ratio" in given
            else self.law.forms.size_ratio_at_log(self.log_size_ratio)
        )

    @figure
    def loss_penalty(self) -> Any:
        """P = (L - E)/(L* - E)."""
        return at_least(self.law.forms.penalty(self.log_size_ratio), 1.0)

    @figure
    def excess(self) -> Any:
        """P - 1, without cancellation."""
        return self.law.forms.excess(self.log_size_ratio)

    @figure
    def effective_compute(self) -> Any:
        """C_eff/C = P^(-1/alpha)."""
        return self.law.forms.effective_compute(self.log_size_ratio)

    @figure
    def lost_compute(self) -> Any:
        """1 - C_eff/C."""
        return self.law.forms.lost_compute(self.log_size_ratio)

    @figure
    def compute_overhead(self) -> Any:
        """Extra compute, relative to C, that reaches L*(C) at this model size: infinite at the critical
        size. Where r is above that by a factor 1 + d, the relative error is up to 64 eps/d.
        """
        return self.law.forms.compute_overhead(self.log_size_ratio)

    @figure
    def tokens_factor(self) -> Any:
        """D/D* that reaches L*(C) at this model size, as exact as the compute overhead."""
        return self.law.forms.tokens_factor(self.log_size_ratio)

    @cached_property
    def run(self) -> Run | None:
        """The run and the optimum at its compute."""
        given = dict(self.given)
        return Run(law=self.law, **given, excess=self.excess) if "params" in given else None

    def _again(self, law: Any, given: dict[str, Any]) -> Penalty:
        return law.penalty(**given)

    def tables(self) -> tuple[Table, ...]:
        """A row an allocation; intervals where the law came from data."""
        from .tables import intervals_table, penalty_table

        rows = list(self.rows())
        return (penalty_table(rows, like=self), *intervals_table(rows))

    def plot(self, ax: Any = None) -> Any:
        """The penalty against the ratio, with these allocations marked."""
        from ..plot.panels import plot_penalty

        return plot_penalty([self.law], ax, points=[[float(cost.ratio) for cost in self.rows()]])

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name, those of the run included."""
        return super().as_dict() | (self.run.as_dict() if self.run is not None else {})

    def __getattr__(self, name: str) -> Any:
        """The figures of the run as attributes of the penalty itself: `cost.loss` is
        `cost.run.loss`.
        """
        if name in Run.figures() and self.run is not None:
            return getattr(self.run, name)
        without = " without params and tokens" if name in Run.figures() else ""
        raise AttributeError(f"Penalty has no attribute {name!r}{without}")


@dataclass(frozen=True, kw_only=True, repr=False)
class Run(Result):
    """A run and the optimum at its compute.

    Attributes
    ----------
    params, tokens, compute, tokens_per_param : float or ndarray
    optimal_params, optimal_tokens, optimal_tokens_per_param : float or ndarray
    reducible_loss, optimal_reducible_loss : float or ndarray
    loss, optimal_loss : float, ndarray or None
        None where the law has no E.
    loss_excess : float or ndarray
        L - L*, in the unit of the loss, computed as (P - 1)(L* - E).
    """

    law: PairLaw
    params: Any
    tokens: Any
    excess: Any
    first = ("params", "tokens")

    @figure
    def compute(self) -> Any:
        """C = 6 N D."""
        return self.law.compute(self.params, self.tokens)

    @figure
    def tokens_per_param(self) -> Any:
        """D/N."""
        return self.tokens / self.params

    @figure
    def optimal_params(self) -> Any:
        """N*(C)."""
        return self.law.envelope.params(self.compute)

    @figure
    def optimal_tokens(self) -> Any:
        """D*(C)."""
        return self.law.envelope.tokens(self.compute)

    @figure
    def optimal_tokens_per_param(self) -> Any:
        """D*/N*."""
        return self.optimal_tokens / self.optimal_params

    @figure
    def reducible_loss(self) -> Any:
        """L - E, at least that of the optimum: below it is the rounding of C = 6 N D."""
        return at_least(
            self.law.reducible_loss(self.params, self.tokens), self.optimal_reducible_loss
        )

    @figure
    def optimal_reducible_loss(self) -> Any:
        """L*(C) - E."""
        return self.law.envelope.reducible_loss(self.compute)

    @figure
    def loss(self) -> Any:
        """L, at least that of the optimum."""
        if self.law.E is None:
            return None
        return at_least(self.law.loss(self.params, self.tokens), self.optimal_loss)

    @figure
    def optimal_loss(self) -> Any:
        """L*(C)."""
        return None if self.law.E is None else self.law.envelope.loss(self.compute)

    @figure
    def loss_excess(self) -> Any:
        """L - L*."""
        return self.optimal_reducible_loss * self.excess


@dataclass(frozen=True, kw_only=True, repr=False)
class Tolerance(Shown):
    """The interval of allocations whose loss penalty is at most 1 + within.

    Attributes
    ----------
    within : float
    size_ratio : tuple of float
        Lowest and highest r = N/N*(C).
    ratio : tuple of float
        Lowest and highest overtraining ratio rho.
    """

    within: float
    size_ratio: tuple[float, float]
    ratio: tuple[float, float]

    def as_dict(self) -> dict[str, Any]:
        """The interval in plain types."""
        return {
            "within": self.within,
            "size_ratio": list(self.size_ratio),
            "ratio": list(self.ratio),
        }

    def tables(self) -> tuple[Table, ...]:
        """A row a scale."""
        from ...theory.typeset.numbers import Percent, Shortest
        from ...theory.typeset.table import Column, Table

        columns = [Column("scale", "", align="left")]
        columns += [Column(name, format=Shortest(4)) for name in ("lowest", "highest")]
        rows = [
            {"scale": name, "lowest": low, "highest": high}
            for name, (low, high) in (("ratio", self.ratio), ("size ratio", self.size_ratio))
        ]
        return (Table(columns, rows, title=f"excess at most {Percent(3).text(self.within)}"),)

    def __repr__(self) -> str:
        return f"Tolerance(within={self.within!r}, size_ratio={self.size_ratio!r}, ratio={self.ratio!r})"


def penalty(law: Law, given: dict[str, Any]) -> Penalty:
    """See `Law.penalty`; `given` is by the names of its arguments."""
    values = {name: value for name, value in given.items() if value is not None}
    of_ratio = {"ratio", "size_ratio"} & set(values)
    if not values or (of_ratio and len(values) > 1):
        raise ValueError(
            f"given {', '.join(values) or 'none'}: must be ratio, or size_ratio, or two of params, "
            f"tokens, compute, tokens_per_param and loss"
        )
    if of_ratio:
        values = {name: for_formulas(name, value) for name, value in values.items()}
        to_log: dict[str, Any] = {
            "ratio": formulas.log_size_ratio_at_ratio,
            "size_ratio": formulas.log_size_ratio,
        }
        ((name, value),) = values.items()
        s = to_log[name](value)
    else:
        values = dict(zip(("params", "tokens"), run_of(law, values), strict=True))
        s = formulas.log_size_ratio_of_run(**values, **law.needed("A", "B"))
    return Penalty(law=law, log_size_ratio=s, given=tuple(values.items()))


def tolerance(law: PairLaw, within: float, excess: Excess | None = None) -> Tolerance:
    """See `Law.tolerance`: the two roots of P(s) - 1 = within on either side of s = log r = 0.

    ``excess``: of the loss, where that of R is another.
    """
    epsilon, forms = positive_number("within", within), law.forms
    above: Excess = excess or forms.excess
    step = forms.tolerance_half_width(epsilon)

    def beyond(s: float) -> bool:
        try:
            return float(above(s)) > epsilon
        except ValueError:  # no float holds it
            return True

    size_ratio: Scale = (forms.size_ratio_at_log, forms.log_size_ratio)
    ratio: Scale = (forms.ratio_at_log, forms.log_size_ratio_at_ratio)
    lowest, highest = (_root(beyond, sign * step) for sign in (-1.0, 1.0))
    return Tolerance(
        within=epsilon,
        size_ratio=(
            _end(beyond, lowest, epsilon, size_ratio, 0.0),
            _end(beyond, highest, epsilon, size_ratio, math.inf),
        ),
        ratio=(
            _end(beyond, highest, epsilon, ratio, 0.0),
            _end(beyond, lowest, epsilon, ratio, math.inf),
        ),
    )


def _root(beyond: Callable[[float], bool], outer: float) -> float:
    """The last s with the sign of `outer` that is not beyond: P is convex, and monotone on that
    side.
    """
    inner = 0.0
    while not beyond(outer):
        inner, outer = outer, 2.0 * outer
    while (middle := inner + (outer - inner) / 2.0) not in (inner, outer):
        if beyond(middle):
            outer = middle
        else:
            inner = middle
    return inner


def _end(
    beyond: Callable[[float], bool], s: float, epsilon: float, scale: Scale, outside: float
) -> float:
    """The end of the interval on a scale: the last float inside."""
    from_log, to_log = scale
    try:
        value = float(from_log(s))
    except ValueError:
        value = math.inf
    if not 0.0 < value < math.inf:
        raise ValueError(
            f"within={epsilon!r}: the allocations within it reach beyond the range of a float (log "
            f"r = {s:.6g})"
        )

    def is_outside(end: float) -> bool:
        return not 0.0 < end < math.inf or beyond(float(to_log(end)))

    while not is_outside(math.nextafter(value, outside)):
        value = math.nextafter(value, outside)
    while is_outside(value):
        value = math.nextafter(value, 1.0)
    return value
