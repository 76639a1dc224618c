"""How a fit depends on what it minimises: the same runs and law under every objective."""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ...theory.typeset.numbers import Significant
from ...theory.typeset.shown import Shown
from ...theory.typeset.table import WIDTH, Column, Table
from ..errors import ArgumentError
from ..results import Estimate, checked_level
from .fitted import DEFAULT_LEVEL
from .objective import Objective
from .solver import solve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .result import Fit

#: Widths of Huber's function, Hoffmann et al.'s 1e-3 in the middle.
DELTAS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
#: Quantiles of the pinball function. 0.5 is the absolute deviation.
TAUS = (0.25, 0.75)
DERIVED = ("alpha", "C0", "params_share")
HEADINGS = {"params_share": "exponent\nof N*(C)"}
NOT_CENTRAL, NOT_CONVERGED = " *", " !"


@dataclass(frozen=True, eq=False)
class Variant:
    """The fit under one objective.

    Attributes
    ----------
    fit : Fit
    estimates : dict of str to Estimate
        The coefficients; for a params+tokens law alpha, C0 and params_share, the exponent of N*(C),
        as well.
    reason : str
        Why there are no standard errors, or no derived quantities, where there are none.
    """

    fit: Fit
    estimates: dict[str, Estimate]
    reason: str

    @property
    def objective(self) -> Objective:
        """What it minimises."""
        return self.fit.objective

    @property
    def converged(self) -> bool:
        """Whether its minimum is certified."""
        return self.fit.converged

    @property
    def central(self) -> bool:
        """Whether it estimates the middle of the losses, not another quantile."""
        return self.objective.name != "pinball-log" or self.objective.tau == 0.5

    @property
    def label(self) -> str:
        """The objective in short."""
        name, *parameter = self.objective.as_dict().values()
        return " ".join([name, *(f"{value:g}" for value in parameter)])

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "objective": self.objective.as_dict() | {"value": self.fit.objective_value},
            "converged": self.converged,
            "central": self.central,
            "estimates": {
                name: estimate.as_dict("value", "lo", "hi", "se")
                for name, estimate in self.estimates.items()
            },
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class Sensitivity(Shown):
    """A law fitted to the same runs under several objectives.

    Attributes
    ----------
    reference : Variant
        Under the objective of the fit.
    variants : tuple of Variant
        All of them, the reference among them.
    level : float
        Of the intervals.
    """

    reference: Variant
    variants: tuple[Variant, ...]
    level: float

    @property
    def names(self) -> tuple[str, ...]:
        """The quantities of the reference."""
        return tuple(self.reference.estimates)

    def range(self, name: str = "alpha") -> tuple[float, float] | None:
        """The least and the greatest estimate over the certified fits whose objective aims at the
        middle of the losses; None without such a fit.
        """
        values = [
            item.estimates[name].value
            for item in self.variants
            if item.converged and item.central and name in item.estimates
        ]
        return (min(values), max(values)) if values else None

    def over_interval(self, name: str = "alpha") -> float | None:
        """The width of the range over that of the reference's interval; None without an interval,
        or with one of no width.
        """
        estimate, ends = self.reference.estimates[name], self.range(name)
        if ends is None or estimate.low is None or estimate.high is None:
            return None
        width = estimate.high - estimate.low
        return (ends[1] - ends[0]) / width if width > 0.0 else None

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the variants, and the range of every quantity beside its interval."""
        ranges = {}
        for name in self.names:
            low, high = self.range(name) or (None, None)
            ranges[name] = {"lo": low, "hi": high, "over_interval": self.over_interval(name)}
        return {
            "level": self.level,
            "reference": self.reference.label,
            "variants": [item.as_dict() for item in self.variants],
            "ranges": ranges,
        }

    def tables(self) -> tuple[Table, ...]:
        """A row an objective."""
        columns = [Column("objective", align="left")]
        columns += [
            Column(name, HEADINGS.get(name, name), format=Significant(5)) for name in self.names
        ]
        if "alpha" in self.names:
            error, three = "std. error\nof alpha", Significant(3)
            columns.append(Column("alpha", error, show="error", format=three, error_key="alpha_se"))
        rows, notes = [], []
        for item in self.variants:
            marks = "" if item.central else NOT_CENTRAL
            marks += "" if item.converged else NOT_CONVERGED
            estimates = {name: item.estimates.get(name) for name in self.names}
            rows.append({"objective": f"{item.label}{marks}", **estimates})
        if not all(item.central for item in self.variants):
            notes.append("* another quantile of the losses than their middle")
        if not all(item.converged for item in self.variants):
            notes.append("! no certified minimum")
        return (Table(columns, rows, notes=notes),)

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *wrap(self._conclusion(), WIDTH)])

    def _conclusion(self) -> str:
        ends = self.range()
        if "alpha" not in self.names:
            return "the law has no alpha"
        if ends is None:
            return "no fit is certified under an objective of the middle of the losses"
        (low, high), share = ends, self.over_interval()
        text = (
            f"alpha lies between {low:.4f} and {high:.4f} over the objectives that aim at the "
            f"middle of the losses"
        )
        if share is None:
            return f"{text}; there is no interval to compare with"
        estimate = self.reference.estimates["alpha"]
        verdict = "within what the interval allows for"
        if share > 1.0:
            verdict = "the choice of objective matters more than the interval says"
        elif estimate.excludes(low) or estimate.excludes(high):
            verdict = "in part outside the interval"
        interval = f"{100 * self.level:.4g} % interval [{estimate.low:.4f}, {estimate.high:.4f}]"
        under = self.reference.label
        return f"{text}: {share:.3g} times the width of its {interval} under {under}; {verdict}"


def sensitivity(
    fit: Fit,
    *,
    deltas: Sequence[float] = DELTAS,
    taus: Sequence[float] = TAUS,
    level: float = DEFAULT_LEVEL,
) -> Sensitivity:
    """How alpha and every coefficient move over the objectives.

    Parameters
    ----------
    fit : Fit
        Of a params+tokens or a compute law; the others keep its bounds and fixed coefficients.
    deltas : sequence of float
        Widths of Huber's function of the log residuals; > 0.
    taus : sequence of float
        Quantiles of the pinball function, between 0 and 1. They aim at other quantiles of the
        losses than their middle, so that they do not count in the range.
    level : float
        Nominal coverage of the intervals.

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or the fit is of an expression.
    """
    checked_level(level)
    if fit.model.is_expression:
        complaint = f"is of {fit.model}; must be of a params+tokens or a compute law"
        raise ArgumentError("fit", complaint=complaint)
    objectives = [
        *(Objective(name="huber-log", delta=delta) for delta in deltas),
        *(Objective(name=name) for name in ("absolute-log", "least-squares-log", "least-squares")),
        *(Objective(name="pinball-log", tau=tau) for tau in taus),
    ]
    reference = _variant(fit, level)
    variants = [
        reference
        if objective.as_dict() == fit.objective.as_dict()
        else _variant(_refitted(fit, objective), level)
        for objective in objectives
    ]
    if reference not in variants:
        variants.insert(0, reference)
    return Sensitivity(reference, tuple(variants), level)


def _refitted(fit: Fit, objective: Objective) -> Fit:
    solution = solve(fit.design, fit.runs.loss, fit.runs.weight, objective)
    return replace(fit, objective=objective, solution=solution, draws=None)


def _variant(fit: Fit, level: float) -> Variant:
    from .derived import default_quantities

    estimates, reason = {name: Estimate(value) for name, value in fit.coefficients.items()}, ""
    try:
        estimates = fit.wald(level)
    except ValueError as error:
        reason = str(error)
    if fit.model.name != "params-tokens":
        return Variant(fit, estimates, reason)
    try:
        if not reason:
            derived = fit.derived(level=level)
        else:
            law: Any = fit.law_of(fit.coefficients)
            derived = {item.name: Estimate(item.value(law)) for item in default_quantities()}
    except ValueError as error:
        return Variant(fit, estimates, reason or str(error))
    return Variant(fit, estimates | {name: derived[name] for name in DERIVED}, reason)
