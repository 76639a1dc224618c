"""How a fit depends on what it minimises: the same runs and law under every objective."""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..errors import UNIT_INTERVAL, number, outside
from .fitting import fit
from .objective import Objective
from .result import DEFAULT_LEVEL, Fit
from .solver import solve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pandas import DataFrame

#: Widths of Huber's function, Hoffmann et al.'s 1e-3 in the middle.
DELTAS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
#: Quantiles of the pinball function. 0.5 is the absolute deviation.
TAUS = (0.25, 0.75)
WIDTH = 100
DERIVED = ("alpha", "C0", "params_share")
MOST_DIGITS = 5
HEADINGS = {"params_share": "exponent\nof N*(C)"}
MARKS = {" *": "* another quantile of the losses than their middle", " !": "! no certified minimum"}


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error and interval, None where there is none."""

    value: float
    standard_error: float | None
    low: float | None
    high: float | None

    def as_dict(self) -> dict[str, float | None]:
        """The numbers by the names value, se, lo and hi."""
        return {"value": self.value, "se": self.standard_error, "lo": self.low, "hi": self.high}


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
        parameter = {
            "huber-log": f" {self.objective.delta:g}",
            "pinball-log": f" {self.objective.tau:g}",
        }
        return f"{self.objective.name}{parameter.get(self.objective.name, '')}"

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "objective": self.objective.as_dict() | {"value": self.fit.objective_value},
            "converged": self.converged,
            "central": self.central,
            "estimates": {name: estimate.as_dict() for name, estimate in self.estimates.items()},
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """A law fitted to the same runs under several objectives.

    Attributes
    ----------
    reference : Variant
        Under the objective of the fit, or Huber's with delta 1e-3.
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

    def range(self, name: str = "alpha") -> tuple[float, float]:
        """The least and the greatest estimate over the certified fits whose objective aims at the
        middle of the losses.

        Raises
        ------
        ValueError
            Where there is no such quantity, or no such fit.
        """
        if name not in self.names:
            raise ValueError(f"name={name!r}: must be one of {', '.join(self.names)}")
        values = [
            item.estimates[name].value
            for item in self.variants
            if item.converged and item.central and name in item.estimates
        ]
        if not values:
            raise ValueError(
                f"name={name!r}: no fit of it is certified under an objective of the middle"
            )
        return min(values), max(values)

    def over_interval(self, name: str = "alpha") -> float | None:
        """The width of the range over that of the reference's interval; None without an interval,
        or with one of no width.
        """
        estimate = self.reference.estimates[name]
        if estimate.low is None or estimate.high is None or not estimate.high > estimate.low:
            return None
        low, high = self.range(name)
        return (high - low) / (estimate.high - estimate.low)

    def to_frame(self) -> DataFrame:
        """A pandas frame: a row an objective, columns for each quantity and its standard error."""
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for item in self.variants:
            row: dict[str, Any] = {
                "objective": item.objective.name,
                "parameter": item.objective.as_dict().get(
                    "delta", item.objective.as_dict().get("tau")
                ),
                "value": item.fit.objective_value,
                "converged": item.converged,
                "central": item.central,
            }
            for name, estimate in item.estimates.items():
                row |= {name: estimate.value, f"{name}_se": estimate.standard_error}
            rows.append(row)
        return pd.DataFrame(
            rows, index=pd.Index([item.label for item in self.variants], name="label")
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the variants, and the range of every quantity beside its interval."""
        return {
            "level": self.level,
            "reference": self.reference.label,
            "variants": [item.as_dict() for item in self.variants],
            "ranges": {name: self._range_as_dict(name) for name in self.names},
        }

    def _range_as_dict(self, name: str) -> dict[str, float | None]:
        try:
            low, high = self.range(name)
        except ValueError:
            return {"lo": None, "hi": None, "over_interval": None}
        return {"lo": low, "hi": high, "over_interval": self.over_interval(name)}

    def __str__(self) -> str:
        for digits in range(MOST_DIGITS, 0, -1):
            lines = self._table(digits)
            if max(map(len, lines)) <= WIDTH:
                break
        marks = [
            meaning
            for mark, meaning in MARKS.items()
            if any(mark in self._marks(item) for item in self.variants)
        ]
        return "\n".join([*lines, *marks, *wrap(self._summary(), WIDTH)])

    def _table(self, digits: int) -> list[str]:
        from .text import number, table

        def shown(value: float | None, digits: int) -> str:
            return "-" if value is None else number(value, digits)

        rows = []
        for item in self.variants:
            values = [
                item.estimates[name].value if name in item.estimates else None
                for name in self.names
            ]
            alpha = item.estimates.get("alpha")
            error = shown(None if alpha is None else alpha.standard_error, 3)
            rows.append(
                [
                    "".join([item.label, *self._marks(item)]),
                    *(shown(value, digits) for value in values),
                    error,
                    "",
                ]
            )
        return table(
            [
                "objective",
                *(HEADINGS.get(name, name) for name in self.names),
                "std. error\nof alpha",
                "",
            ],
            rows,
        )

    def _marks(self, item: Variant) -> list[str]:
        return [
            mark
            for mark, held in zip(MARKS, (not item.central, not item.converged), strict=True)
            if held
        ]

    def _summary(self) -> str:
        if "alpha" not in self.names:
            return "the law has no alpha"
        try:
            low, high = self.range()
        except ValueError as error:
            return str(error)
        text = f"alpha lies between {low:.4f} and {high:.4f} over the objectives that aim at the middle of the losses"
        estimate, share = self.reference.estimates["alpha"], self.over_interval()
        if share is None:
            return f"{text}; there is no interval to compare with"
        verdict = (
            "the choice of objective matters more than the interval says"
            if share > 1.0
            else "within what the interval allows for"
        )
        if share <= 1.0 and not (estimate.low <= low and high <= estimate.high):  # type: ignore[operator]
            verdict = "in part outside the interval"
        interval = f"{100 * self.level:.4g} % interval [{estimate.low:.4f}, {estimate.high:.4f}]"
        return f"{text}: {share:.3g} times the width of its {interval} under {self.reference.label}; {verdict}"


def sensitivity(
    runs: Any,
    *,
    deltas: Sequence[float] = DELTAS,
    taus: Sequence[float] = TAUS,
    level: float = DEFAULT_LEVEL,
    **options: Any,
) -> Sensitivity:
    """How alpha and every coefficient move over the objectives.

    Parameters
    ----------
    runs : Fit, Runs, path, or anything that `pandas.DataFrame` accepts
        A fit keeps its law, bounds and fixed coefficients.
    deltas : sequence of float
        Widths of Huber's function of the log residuals; > 0.
    taus : sequence of float
        Quantiles of the pinball function, between 0 and 1. They aim at other quantiles of the
        losses than their middle, so that they do not count in the range.
    level : float
        Nominal coverage of the intervals.
    **options
        Of `fit` where runs are given: model, objective, irreducible, bounds, fixed.

    Returns
    -------
    Sensitivity

    Raises
    ------
    ValueError
        Where an argument is outside its domain, options are given beside a fit, or the fit is of a
        general law.
    """
    coverage = number("level", level, UNIT_INTERVAL)
    if not 0.0 < coverage < 1.0:
        raise outside("level", level, UNIT_INTERVAL)
    if isinstance(runs, Fit) and options:
        raise ValueError(
            f"options {', '.join(options)}: a fit has its own; must be given with runs only"
        )
    base = runs if isinstance(runs, Fit) else fit(runs, **options)
    if base.model.is_expression:
        raise ValueError(
            f"runs: a fit of {base.model}; must be of a params+tokens or a compute law"
        )
    objectives = [
        *(Objective(name="huber-log", delta=delta) for delta in deltas),
        *(Objective(name=name) for name in ("absolute-log", "least-squares-log", "least-squares")),
        *(Objective(name="pinball-log", tau=tau) for tau in taus),
    ]
    reference = _variant(base, coverage)
    others = [
        reference
        if item.as_dict() == base.objective.as_dict()
        else _variant(_refitted(base, item), coverage)
        for item in objectives
    ]
    if reference not in others:
        others.insert(0, reference)
    return Sensitivity(reference, tuple(others), coverage)


def _refitted(base: Fit, objective: Objective) -> Fit:
    solution = solve(base.design, base.runs.loss, base.runs.weight, objective)
    return replace(base, objective=objective, solution=solution)


def _variant(fitted: Fit, level: float) -> Variant:
    values = fitted.coefficients
    estimates = {name: Estimate(value, None, None, None) for name, value in values.items()}
    try:
        errors, intervals = fitted.standard_errors, fitted.intervals(level)
        estimates = {
            name: Estimate(value, errors[name], *intervals[name]) for name, value in values.items()
        }
        reason = ""
    except ValueError as error:
        reason = str(error)
    if fitted.model.name != "params-tokens":
        return Variant(fitted, estimates, reason)
    derived, missing = _derived(fitted, level, with_errors=not reason)
    return Variant(fitted, estimates | derived, reason or missing)


def _derived(fitted: Fit, level: float, *, with_errors: bool) -> tuple[dict[str, Estimate], str]:
    from .derived import default_quantities

    try:
        if with_errors:
            found = fitted.derived(level=level)
            return {
                name: Estimate(
                    found[name].value, found[name].standard_error, found[name].low, found[name].high
                )
                for name in DERIVED
            }, ""
        law: Any = fitted.law_of(fitted.coefficients)
        quantities = {item.name: item for item in default_quantities()}
        return {
            name: Estimate(quantities[name].value(law), None, None, None) for name in DERIVED
        }, ""
    except ValueError as error:
        return {}, str(error)
