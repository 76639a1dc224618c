"""What the residuals of a fit show: their size and shape, trends, lack of fit, the runs that hold
the fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.columns import BUDGET, LETTERS
from .identifiability import NORMAL_MAD
from .influence import Influence, influences, leverages, weighted
from .residual_tests import (
    ResidualTest,
    added_terms,
    between_groups,
    constant,
    intraclass,
    normality,
    rank_trend,
    replicates,
    zero_mean,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .result import Fit

    Floats = NDArray[np.float64]

#: A p-value below this is worth a sentence.
LEVEL = 0.01
#: Rows that are listed.
LISTED = 5
#: A distance above this moves the coefficients by more than a standard error in all directions
#: together.
INFLUENTIAL = 1.0
WIDTH = 100
UNKNOWN = "-"
COLUMNS = {"params": "log N", "tokens": "log D", "compute": "log C"}


@dataclass(frozen=True)
class Outlier:
    """A run with a large residual: its row in the source, the residual, and the residual in robust
    standard deviations.
    """

    row: int
    residual: float
    deviations: float | None

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return {"row": self.row, "residual": self.residual, "deviations": self.deviations}

    def __str__(self) -> str:
        scaled = "" if self.deviations is None else f" ({self.deviations:+.1f} robust sd)"
        return f"row {self.row} {self.residual:+.4g}{scaled}"


@dataclass(frozen=True)
class Trend:
    """Residuals along a variable.

    Attributes
    ----------
    variable : str
        "log N", "log D", "log C" or "log fitted".
    slope : float or None
        Of the least squares line of the residuals; None where the variable does not vary.
    monotone : ResidualTest
        Spearman's rank correlation.
    structure : ResidualTest
        F-test of a line and a parabola in the variable added to the linearised law.
    """

    variable: str
    slope: float | None
    monotone: ResidualTest
    structure: ResidualTest

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return {
            "variable": self.variable,
            "slope": self.slope,
            "monotone": self.monotone.as_dict(),
            "structure": self.structure.as_dict(),
        }

    def __str__(self) -> str:
        slope = "does not vary" if self.slope is None else f"slope {self.slope:+.3g} per unit of it"
        return f"{self.variable}: {slope}; {self.monotone}; {self.structure}"

    @property
    def cells(self) -> tuple[str, ...]:
        """Variable, slope, and each test's statistic and p-value."""
        slope = UNKNOWN if self.slope is None else f"{self.slope:+.3g}"
        return (self.variable, slope, *_cells(self.monotone), *_cells(self.structure), "")


@dataclass(frozen=True, eq=False, kw_only=True)
class Diagnostics:
    """What the residuals show. A residual is log(observed) - log(law), or observed - law for
    "least-squares": the runs above the law have positive ones, as in figures and text.
    `Fit.residuals`, which the objective sums, are minus these.

    Attributes
    ----------
    n_runs : int
    unit : str
        "log loss" or "loss".
    bias, sd, mad : float or None
        Mean; standard deviation with n - p degrees of freedom, None where there are none; median
        absolute deviation from the median times 1.4826, which is the standard deviation where
        residuals are normal.
    skewness, kurtosis : float or None
        Third and fourth standardised moments, the latter less 3; None where residuals do not vary.
    delta, share_beyond : float or None
        Of "huber-log": the share of the runs whose absolute residual exceeds delta.
    r_squared : float or None
        1 - sum w e^2/sum w (log L - mean)^2 with e in logarithms; None where the losses do not
        vary.
    mean_zero, normal : ResidualTest
    trends : tuple of Trend
    scedasticity : tuple of ResidualTest
        Spearman's rank correlation of the distance of a residual from the median with log C (or log
        N) and with log fitted.
    lack_of_fit : ResidualTest
        Where runs have replicates.
    groups : ResidualTest
    intraclass : float or None
        Correlation of two residuals of a group.
    largest_leverage, mean_leverage : float
        Diagonal of the projection on the Jacobian; its mean is rank/n.
    outliers : tuple of Outlier
        The largest residuals.
    influential : tuple of Influence
        The runs whose absence moves the coefficients most.
    influence_reason : str
        Why there are none, where there are none.
    """

    n_runs: int
    unit: str
    bias: float
    sd: float | None
    mad: float
    skewness: float | None
    kurtosis: float | None
    delta: float | None
    share_beyond: float | None
    r_squared: float | None
    mean_zero: ResidualTest
    normal: ResidualTest
    trends: tuple[Trend, ...]
    scedasticity: tuple[ResidualTest, ...]
    lack_of_fit: ResidualTest
    groups: ResidualTest
    intraclass: float | None
    largest_leverage: float
    mean_leverage: float
    outliers: tuple[Outlier, ...]
    influential: tuple[Influence, ...]
    influence_reason: str

    @property
    def tests(self) -> tuple[ResidualTest, ...]:
        """All tests."""
        along = [test for trend in self.trends for test in (trend.monotone, trend.structure)]
        return (
            self.mean_zero,
            self.normal,
            *along,
            *self.scedasticity,
            self.lack_of_fit,
            self.groups,
        )

    @property
    def findings(self) -> tuple[str, ...]:
        """What the tests mean, in words."""
        return tuple(_findings(self))

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        plain = (
            "n_runs",
            "unit",
            "bias",
            "sd",
            "mad",
            "skewness",
            "kurtosis",
            "delta",
            "share_beyond",
            "r_squared",
        )
        return {
            **{name: getattr(self, name) for name in plain},
            "mean_zero": self.mean_zero.as_dict(),
            "normal": self.normal.as_dict(),
            "trends": [item.as_dict() for item in self.trends],
            "scedasticity": [item.as_dict() for item in self.scedasticity],
            "lack_of_fit": self.lack_of_fit.as_dict(),
            "groups": self.groups.as_dict(),
            "intraclass": self.intraclass,
            "largest_leverage": self.largest_leverage,
            "mean_leverage": self.mean_leverage,
            "outliers": [item.as_dict() for item in self.outliers],
            "influential": [item.as_dict() for item in self.influential],
            "influence_reason": self.influence_reason,
            "findings": list(self.findings),
        }

    def __str__(self) -> str:
        lines = [*self._sizes(), str(self.mean_zero), str(self.normal)]
        rest = [str(test) for test in (*self.scedasticity, self.lack_of_fit, self.groups)]
        if self.intraclass is not None:
            rest.append(f"correlation within a group: {self.intraclass:.3g}")
        rest.append("largest: " + ", ".join(map(str, self.outliers)))
        rest += [f"influential: {item}" for item in self.influential]
        if self.influence_reason:
            rest.append(f"influence not found: {self.influence_reason}")
        rest += [f"- {text}" for text in self.findings]
        return "\n".join([*_wrapped(lines), *self._trend_table(), *_wrapped(rest)])

    def _sizes(self) -> list[str]:
        spread = "no degrees of freedom" if self.sd is None else f"standard deviation {self.sd:.4g}"
        parts = [
            f"mean {self.bias:+.3g}",
            f"{spread} (n - p degrees of freedom)" if self.sd is not None else spread,
        ]
        parts.append(f"robust sd {self.mad:.4g} (1.4826 times the median absolute deviation)")
        if self.skewness is not None:
            parts.append(f"skewness {self.skewness:+.2f}, excess kurtosis {self.kurtosis:+.2f}")
        if self.share_beyond is not None:
            parts.append(f"{100 * self.share_beyond:.0f} % beyond delta {self.delta:g}")
        if self.r_squared is not None:
            parts.append(f"R^2 in logs {self.r_squared:.5f}")
        return [f"residuals of {self.unit}: {'; '.join(parts)}"]

    def _trend_table(self) -> list[str]:
        """Trends under two headings: up or down all along, and bent."""
        from .text import table

        headings = (
            "residuals\nalong",
            "slope per\nunit",
            "up or down:\nSpearman",
            "\np",
            "curved:\nF",
            "\np",
            "",
        )
        tests = [
            (trend.variable, test)
            for trend in self.trends
            for test in (trend.monotone, trend.structure)
        ]
        reasons = [f"{variable}: {test}" for variable, test in tests if test.p_value is None]
        about = (
            f"slope: {self.unit} per unit of the natural log; Spearman: do residuals rise or fall "
            f"along it; F: would a line and "
            "a parabola in it, added to the law, explain more"
        )
        return [
            *table(headings, [trend.cells for trend in self.trends]),
            *_wrapped([about, *reasons]),
        ]


def diagnostics(fit: Fit) -> Diagnostics:
    """What the residuals of a fit show.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    Diagnostics
        A test that cannot be made has no p-value but a reason.

    Notes
    -----
    Trends are tested in two ways. Spearman's rank correlation is that of the residuals as they are;
    the F-test adds a line and a parabola in the variable to the linearised law and asks whether
    they would explain more, which allows for what the fit has already absorbed. With a dozen tests
    one p-value below 0.05 is to be expected by chance; words are spent on those below 0.01.
    """
    residuals = _observed_less_law(fit)
    weights = np.ones(len(residuals)) if fit.runs.weight is None else np.asarray(fit.runs.weight)
    rooted, columns = residuals * np.sqrt(weights), weighted(fit)
    spare = len(residuals) - int(fit.free.sum())
    centre = float(np.median(residuals))
    mad = NORMAL_MAD * float(np.median(np.abs(residuals - centre)))
    groups = (
        None
        if fit.runs.group is None
        else np.unique(fit.runs.group.astype(str), return_inverse=True)[1]
    )
    skewness, kurtosis = _shape(residuals)
    found, reason = _influences(fit)
    huber = fit.objective.name == "huber-log"
    variables = _variables(fit)
    hats = leverages(fit)
    return Diagnostics(
        n_runs=len(residuals),
        unit="log loss" if fit.objective.in_logs else "loss",
        bias=float(residuals.mean()),
        sd=float(np.sqrt(np.sum((residuals - residuals.mean()) ** 2) / spare))
        if spare > 0
        else None,
        mad=mad,
        skewness=skewness,
        kurtosis=kurtosis,
        delta=fit.objective.delta if huber else None,
        share_beyond=float(np.mean(np.abs(residuals) > fit.objective.delta)) if huber else None,
        r_squared=_r_squared(fit, weights),
        mean_zero=zero_mean(residuals),
        normal=normality(residuals),
        trends=tuple(
            _trend(name, values, residuals, rooted, columns, weights)
            for name, values in variables.items()
        ),
        scedasticity=_scedasticity(fit, centre),
        lack_of_fit=replicates(rooted, columns, _points(fit), weights),
        groups=between_groups(residuals, groups),
        intraclass=intraclass(residuals, groups),
        largest_leverage=float(hats.max()),
        mean_leverage=float(hats.mean()),
        outliers=_outliers(fit, centre, mad),
        influential=found,
        influence_reason=reason,
    )


def doubts_of_one_distribution(fit: Fit) -> tuple[str, ...]:
    """What in the residuals speaks against errors of one distribution (for least squares: a normal
    one), at the level of 1 %.

    Profile intervals take the errors to be so; sandwich and bootstrap do not.
    """
    centre = float(np.median(_observed_less_law(fit)))
    tests = [test for test in _scedasticity(fit, centre) if test.rejects(LEVEL)]
    words = [f"their spread changes ({test})" for test in tests]
    if fit.objective.is_square and (normal := normality(_observed_less_law(fit))).rejects(LEVEL):
        words.append(f"they are not normal ({normal})")
    return tuple(words)


# -- parts -------------------------------------------------------------------------------------------------------------


def _observed_less_law(fit: Fit) -> Floats:
    return -fit.residuals


def _variables(fit: Fit) -> dict[str, Floats]:
    """The logarithms of what the runs have, and of the law."""
    held = {label: getattr(fit.runs, name) for name, label in COLUMNS.items()}
    logs = {label: np.log(values) for label, values in held.items() if values is not None}
    return {**logs, "log fitted": np.log(np.abs(fit.fitted))}


def _scedasticity(fit: Fit, centre: float) -> tuple[ResidualTest, ...]:
    """Whether residuals are farther from their median at some computes, or at some losses, than at
    others.
    """
    against = {
        name: values for name, values in _variables(fit).items() if name in ("log C", "log fitted")
    }
    distance = np.abs(_observed_less_law(fit) - centre)
    return tuple(
        rank_trend(f"spread against {name} (Spearman)", distance, values)
        for name, values in against.items()
    )


def _cells(test: ResidualTest) -> tuple[str, str]:
    if test.p_value is None or test.statistic is None:
        return UNKNOWN, UNKNOWN
    return f"{test.statistic:.3g}", f"{test.p_value:.3g}"


def _wrapped(texts: Sequence[str]) -> list[str]:
    return [line for text in texts for line in wrap(text, WIDTH, subsequent_indent="  ")]


def _points(fit: Fit) -> NDArray[np.int64]:
    """The number of the distinct point that each run is at: equal values of all that the law reads."""
    held = {name: getattr(fit.runs, name) for name in BUDGET}
    named = [LETTERS.get(name, name) for name in fit.model.variables]
    read = [
        np.asarray(held[name] if name in held else fit.runs.extra[name], dtype=np.float64)
        for name in named
    ]
    return np.asarray(np.unique(np.stack(read), axis=1, return_inverse=True)[1]).reshape(-1)


def _trend(
    name: str, values: Floats, residuals: Floats, rooted: Floats, columns: Floats, weights: Floats
) -> Trend:
    monotone = rank_trend("monotone (Spearman)", residuals, values)
    label = "line and parabola added (F)"
    if constant(values):
        return Trend(
            name, None, monotone, ResidualTest.impossible(label, "the runs do not vary in it")
        )
    z = (values - values.mean()) / values.std()
    added = np.stack([z, z**2]) * np.sqrt(weights)
    slope = float(z @ residuals / (z @ z) / values.std())
    return Trend(name, slope, monotone, added_terms(label, rooted, columns, added))


def _shape(residuals: Floats) -> tuple[float | None, float | None]:
    if constant(residuals):
        return None, None
    z = (residuals - residuals.mean()) / residuals.std()
    return float(np.mean(z**3)), float(np.mean(z**4) - 3.0)


def _r_squared(fit: Fit, weights: Floats) -> float | None:
    logs = np.log(np.asarray(fit.runs.loss))
    if constant(logs) or not (fit.fitted > 0.0).all():
        return None
    around = logs - np.average(logs, weights=weights)
    return 1.0 - float(
        np.sum(weights * (np.log(fit.fitted) - logs) ** 2) / np.sum(weights * around**2)
    )


def _outliers(fit: Fit, centre: float, mad: float) -> tuple[Outlier, ...]:
    residuals = _observed_less_law(fit)
    order = np.argsort(-np.abs(residuals), kind="stable")[:LISTED]
    return tuple(
        Outlier(
            int(fit.runs.row[i]),
            float(residuals[i]),
            float((residuals[i] - centre) / mad) if mad > 0.0 else None,
        )
        for i in order
    )


def _influences(fit: Fit) -> tuple[tuple[Influence, ...], str]:
    try:
        return influences(fit, LISTED), ""
    except ValueError as error:
        return (), str(error)


def _findings(found: Diagnostics) -> list[str]:
    words = []
    if found.mean_zero.rejects(LEVEL):
        side = "below" if found.bias > 0.0 else "above"
        words.append(
            f"on average the law lies {side} the runs by {abs(found.bias):.2g} of {found.unit}"
        )
    structured = [trend.variable for trend in found.trends if trend.structure.rejects(LEVEL)]
    monotone = [
        trend.variable
        for trend in found.trends
        if trend.monotone.rejects(LEVEL) and trend.variable not in structured
    ]
    if structured:
        words.append(
            f"residuals have a shape along {', '.join(structured)}: the law does not fit there, or "
            f"the runs "
            "differ in more than N and D"
        )
    if monotone:
        words.append(
            f"residuals drift along {', '.join(monotone)}, no more than the coefficients could "
            f"take up"
        )
    if any(test.rejects(LEVEL) for test in found.scedasticity):
        words.append(
            "residuals spread more in some places than in others: sandwich and case bootstrap "
            "allow for that, "
            "classical errors do not"
        )
    if found.normal.rejects(LEVEL):
        tails = found.kurtosis is not None and found.kurtosis > 0.0
        words.append(
            f"residuals are not normal{' (long tails)' if tails else ''}: a robust objective loses "
            f"less to "
            "that than least squares"
        )
    if found.lack_of_fit.rejects(LEVEL):
        words.append("runs at the same point agree better with each other than with the law")
    if found.groups.rejects(LEVEL):
        words.append("residuals of one group are alike: resample groups, not runs")
    held = [str(item.row) for item in found.influential if item.distance > INFLUENTIAL]
    if held:
        words.append(
            f"without row {' or '.join(held)} the coefficients would be others by more than their "
            f"errors"
        )
    return words or ["nothing in the residuals speaks against the law"]
