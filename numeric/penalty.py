"""The misallocation penalty of a law as numbers."""

from __future__ import annotations

import math

from ..theory.data.notation import Frozen
from ._call import evaluate, is_scalar
from .errors import outside, positive_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .law import Law

MEASURES = ("loss_penalty", "excess", "effective_compute", "lost_compute", "compute_overhead", "tokens_factor")
GENERATED = {"loss_penalty": "penalty"}
#: Runs within this of the critical size, in log r, are taken one by one: farther off the rounding of s costs a few eps.
CLOSE = 0.25


class Penalty(Frozen):
    """What an allocation costs against the compute-optimal one at the same compute.

    Attributes
    ----------
    ratio : float or ndarray
        Overtraining ratio rho = (D/N)/(D*/N*).
    size_ratio : float or ndarray
        r = N/N*(C).
    loss_penalty, excess : float or ndarray
        P = (L - E)/(L* - E) >= 1, and P - 1 without cancellation.
    effective_compute, lost_compute : float or ndarray
        C_eff/C = P^(-1/alpha), the share of the budget that the envelope needs for the same loss; and 1 - C_eff/C.
    compute_overhead : float or ndarray
        Extra compute, relative to C, that reaches L*(C) at this model size; inf where no number of tokens does.
    tokens_factor : float or ndarray
        D/D* that reaches L*(C) at this model size; inf where none does.
    run : Run or None
        The run that was given as params and tokens, else None.
    """

    __slots__ = ("ratio", "size_ratio", *MEASURES, "run")

    ratio: Any
    size_ratio: Any
    loss_penalty: Any
    excess: Any
    effective_compute: Any
    lost_compute: Any
    compute_overhead: Any
    tokens_factor: Any
    run: Run | None

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name, those of the run included."""
        figures = {name: getattr(self, name) for name in self.__slots__ if name != "run"}
        return figures | (self.run.as_dict() if self.run is not None else {})

    def __getattr__(self, name: str) -> Any:
        """The figures of the run as attributes of the penalty itself: `cost.loss` is `cost.run.loss`."""
        if name in Run.__slots__ and self.run is not None:
            return getattr(self.run, name)
        raise AttributeError(
            f"Penalty has no attribute {name!r}" + (" without params and tokens" if name in Run.__slots__ else "")
        )

    def __repr__(self) -> str:
        return f"Penalty({', '.join(f'{name}={value!r}' for name, value in self.as_dict().items())})"


class Run(Frozen):
    """A run and the optimum at its compute.

    Attributes
    ----------
    params, tokens, compute : float or ndarray
    optimal_params, optimal_tokens : float or ndarray
    reducible_loss, optimal_reducible_loss : float or ndarray
    loss, optimal_loss : float, ndarray or None
        None where the law has no E.
    loss_excess : float or ndarray
        L - L*, in the unit of the loss, computed as (P - 1)(L* - E).
    """

    __slots__ = (  # noqa: RUF023 - as they are shown
        "params",
        "tokens",
        "compute",
        "optimal_params",
        "optimal_tokens",
        "reducible_loss",
        "optimal_reducible_loss",
        "loss",
        "optimal_loss",
        "loss_excess",
    )

    params: Any
    tokens: Any
    compute: Any
    optimal_params: Any
    optimal_tokens: Any
    reducible_loss: Any
    optimal_reducible_loss: Any
    loss: Any
    optimal_loss: Any
    loss_excess: Any

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __repr__(self) -> str:
        return f"Run({', '.join(f'{name}={value!r}' for name, value in self.as_dict().items())})"


class Tolerance(Frozen):
    """The interval of allocations whose loss penalty is at most 1 + within.

    Attributes
    ----------
    within : float
    size_ratio : tuple of float
        Lowest and highest r = N/N*(C).
    ratio : tuple of float
        Lowest and highest overtraining ratio rho.
    """

    __slots__ = ("within", "size_ratio", "ratio")  # noqa: RUF023 - as they are shown

    within: float
    size_ratio: tuple[float, float]
    ratio: tuple[float, float]

    def as_dict(self) -> dict[str, Any]:
        """The interval in plain types."""
        return {"within": self.within, "size_ratio": list(self.size_ratio), "ratio": list(self.ratio)}

    def __repr__(self) -> str:
        return f"Tolerance(within={self.within!r}, size_ratio={self.size_ratio!r}, ratio={self.ratio!r})"


def penalty(law: Law, *, ratio: Any, size_ratio: Any, params: Any, tokens: Any) -> Penalty:
    """See `Law.penalty`."""
    given = {"ratio": ratio, "size_ratio": size_ratio, "params": params, "tokens": tokens}
    chosen = tuple(name for name, value in given.items() if value is not None)
    if chosen not in (("ratio",), ("size_ratio",), ("params", "tokens")):
        shown = ", ".join(chosen) or "none"
        raise ValueError(f"given {shown}: must be ratio, or size_ratio, or params and tokens")
    exponents = law.needed()
    if chosen == ("params", "tokens"):
        return _penalty_of_run(law, params, tokens)
    name = chosen[0]
    value = _number_or_array(name, given[name])
    measures = {
        measure: evaluate(f"{GENERATED.get(measure, measure)}_at_{name}", exponents, **{name: value}) for measure in MEASURES
    }
    if name == "ratio":
        return Penalty(ratio=value, size_ratio=evaluate("size_ratio", {}, ratio=value), **measures, run=None)
    return Penalty(ratio=evaluate("ratio", {}, size_ratio=value), size_ratio=value, **measures, run=None)


def _penalty_of_run(law: Law, params: Any, tokens: Any) -> Penalty:
    coefficients = law.needed("A", "B")
    s = evaluate("log_size_ratio_of_run", coefficients, params=params, tokens=tokens)
    measures = {measure: evaluate(GENERATED.get(measure, measure), coefficients, log_size_ratio=s) for measure in MEASURES}
    if not is_scalar(s):
        _refine_next_to_the_critical_size(measures, coefficients, s, params, tokens)
    compute = law.compute(params, tokens)
    envelope = law.envelope
    optimal_reducible = envelope.reducible_loss(compute)
    run = Run(
        params=_number_or_array("params", params),
        tokens=_number_or_array("tokens", tokens),
        compute=compute,
        optimal_params=envelope.params(compute),
        optimal_tokens=envelope.tokens(compute),
        reducible_loss=_at_least(law.reducible_loss(params, tokens), optimal_reducible),
        optimal_reducible_loss=optimal_reducible,
        loss=None if law.E is None else _at_least(law.loss(params, tokens), envelope.loss(compute)),
        optimal_loss=None if law.E is None else envelope.loss(compute),
        loss_excess=optimal_reducible * measures["excess"],
    )
    return Penalty(
        ratio=evaluate("ratio_at_log", {}, log_size_ratio=s),
        size_ratio=evaluate("size_ratio_at_log", {}, log_size_ratio=s),
        **measures,
        run=run,
    )


def _at_least(value: Any, least: Any) -> Any:
    """A value that weighted AM-GM holds at `least` or above: below it is the rounding of C = 6 N D, from which that comes."""
    if is_scalar(value):
        return max(value, least)
    import numpy as np

    return np.maximum(value, least)


def _refine_next_to_the_critical_size(
    measures: dict[str, Any], coefficients: dict[str, float], s: Any, params: Any, tokens: Any
) -> None:
    """The overhead and the tokens factor of runs so close to the pole that an s of double precision does not tell where they are.

    Their s is taken again in double-double, run by run.
    """
    import numpy as np

    critical = math.log(evaluate("params_share", coefficients)) / coefficients["beta"]
    close = np.abs(s - critical) < CLOSE * (1.0 + abs(critical))
    if not np.any(close):
        return
    runs = zip(*(np.broadcast_to(each, np.shape(s))[close].tolist() for each in (params, tokens)), strict=True)
    exact = [evaluate("log_size_ratio_of_run", coefficients, params=float(N), tokens=float(D)) for N, D in runs]
    for measure in ("compute_overhead", "tokens_factor"):
        figures = np.array(measures[measure])
        figures[close] = [evaluate(measure, coefficients, log_size_ratio=each) for each in exact]
        measures[measure] = figures[()]


def _number_or_array(name: str, value: Any) -> Any:
    if is_scalar(value):
        return positive_number(name, value)
    if isinstance(value, (str, bytes, bool)):
        raise outside(name, value, "a positive number or an array of them")
    import numpy as np

    return np.asarray(value)


def tolerance(law: Law, within: float) -> Tolerance:
    """See `Law.tolerance`: the two roots of P(s) - 1 = within on either side of s = log r = 0."""
    epsilon = positive_number("within", within)
    exponents = law.needed()
    step = float(evaluate("tolerance_half_width", exponents, tolerance=epsilon))
    lowest, highest = (_root(epsilon, exponents, sign * step) for sign in (-1.0, 1.0))
    return Tolerance(
        within=epsilon,
        size_ratio=(_end("size_ratio", lowest, epsilon, exponents), _end("size_ratio", highest, epsilon, exponents)),
        ratio=(_end("ratio", highest, epsilon, exponents), _end("ratio", lowest, epsilon, exponents)),
    )


def _excess(argument: str, value: float, exponents: dict[str, float]) -> float:
    """P - 1, infinite where no float holds it."""
    name = "excess" if argument == "log_size_ratio" else f"excess_at_{argument}"
    try:
        return float(evaluate(name, exponents, **{argument: value}))
    except ValueError:
        return math.inf


def _root(epsilon: float, exponents: dict[str, float], outer: float) -> float:
    """The last s with the sign of `outer` at which the excess, convex and monotone on that side, is at most epsilon."""
    inner = 0.0
    while _excess("log_size_ratio", outer, exponents) <= epsilon:
        inner, outer = outer, 2.0 * outer
    while (middle := inner + (outer - inner) / 2.0) not in (inner, outer):
        if _excess("log_size_ratio", middle, exponents) <= epsilon:
            inner = middle
        else:
            outer = middle
    return inner


def _end(argument: str, s: float, epsilon: float, exponents: dict[str, float]) -> float:
    """The end of the interval as a size ratio or an overtraining ratio: the last float inside."""
    try:
        value = float(evaluate(f"{argument}_at_log", {}, log_size_ratio=s))
    except ValueError:
        value = math.inf
    if not 0.0 < value < math.inf:
        raise ValueError(f"within={epsilon!r}: the allocations within it reach beyond the range of a float (log r = {s:.6g})")
    outside = math.inf if (s > 0.0) == (argument == "size_ratio") else 0.0
    while _excess(argument, math.nextafter(value, outside), exponents) <= epsilon:
        value = math.nextafter(value, outside)
    while _excess(argument, value, exponents) > epsilon:
        value = math.nextafter(value, 1.0)
    return value
