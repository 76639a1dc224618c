r"""Accuracy whose negative log is a law of params, tokens or compute: the direct laws.

Sums of power terms are the usual ones:

.. math:: -\log Q' = E + \sum_k a_k x_k^{-b_k}, \qquad Q' = \frac{Q - Q_r}{1 - Q_r}, \qquad Q'_{max} = e^{-E}.

Every other form that has a name (`isoflop.numeric.fit.models.MODELS`) is a law of -log Q' as well.

Source: Krajewski et al. 2025, arXiv 2512.08894: equation 2 (compute), 10 (with a ceiling), 4
(params and tokens; its alpha is beta here and its beta gamma, as beta belongs to params
throughout), and the last equation of Appendix L.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.runs import Runs
from ..data.sample import above_guessing
from ..data.scale import accuracy, neg_log_accuracy
from ..fit.fitting import fit_form
from ..fit.models import (
    COMPUTE,
    MODELS,
    PARAMS_TOKENS,
    SMALLEST_EXPONENT,
    Expression,
    PowerTerms,
)
from ..fit.objective import Objective
from ..results import coverage_factor
from .kind import MARGIN, Kind, LawFit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..data.sample import Points, Sample
    from ..fit.resample import Refits

    Floats = NDArray[np.float64]

__all__ = ["MARGIN", "MARGINS", "POWER_KINDS", "PowerKind", "limit_at_zero", "usable"]

#: Other margins of the paper than the usual one, by its names of benchmarks (Appendix M: else too
#: few runs are left).
MARGINS = {"LBPP": 0.02}
#: Residuals of log(-log Q') of this size are rounding.
ROUNDING = 1e-9
#: What an exponent at its lower bound says where the law has other terms.
OTHERWISE = "its term is a constant beside the others, or a straight line in the logarithm"
WORDS = {
    "huber-log": "Huber's function (delta {:g}) of log(-log Q')",
    "least-squares-log": "least squares of log(-log Q')",
}
SQUARES, HUBER = Objective(name="least-squares-log"), Objective(name="huber-log", delta=1e-3)


@dataclass(frozen=True)
class PowerKind(Kind):
    """A direct law.

    Attributes
    ----------
    name : str
    terms : PowerTerms or Expression
        The form of -log Q'.
    objective : Objective
        Of log(-log Q'): by default the paper's.
    margin : float
    """

    name: str
    terms: PowerTerms | Expression
    objective: Objective
    margin: float | None = MARGIN

    @property
    def formula(self) -> str:
        """The law in plain text."""
        return f"-log Q' = {self.terms}"

    @property
    def fitted_by(self) -> str:
        """What is minimised."""
        return WORDS[self.objective.name].format(self.objective.delta)

    @property
    def coefficients(self) -> tuple[str, ...]:
        """E where there is a ceiling, prefactors, exponents."""
        return self.terms.coefficients

    @property
    def requires(self) -> tuple[str, ...]:
        """Quantities of the runs."""
        return self.terms.requires

    @property
    def asks(self) -> tuple[str, ...]:
        """The same."""
        return self.terms.requires

    @property
    def _is_one_power(self) -> bool:
        return isinstance(self.terms, PowerTerms) and self.coefficients == (
            *self.terms.prefactors[:1],
            *self.terms.exponents[:1],
        )

    def fit(self, sample: Sample) -> LawFit:
        """The law closest to the runs."""
        least = len(self.coefficients)
        if len(sample) < least:
            raise ValueError(
                f"{sample.benchmark}: {len(sample)} runs above guessing; must be at least {least} "
                f"for the coefficients of "
                f"{self.formula}"
            )
        fit = fit_form(self.runs(sample), self.terms, self.objective)
        return LawFit(kind=self, sample=sample, parts=(fit,))

    def undetermined(self, fit: LawFit) -> Iterator[str]:
        """Coefficients that the runs leave open. The prefactor of one power is not: with its
        exponent on a bound it is a mean.
        """
        for name in super().undetermined(fit):
            if not (self._is_one_power and name in self.terms.prefactors):
                yield name

    def remarks(self, fit: LawFit) -> Iterator[str]:
        """Where an exponent lies on the least that is tried."""
        lower, _ = fit.at_limits(fit.values)
        held = {name for name, is_lower in zip(fit.names, lower, strict=True) if is_lower}
        for variable, name in zip(self.requires, self.terms.exponents, strict=False):
            if name in held:
                says = (
                    f"accuracy does not rise with {variable} ({self._straight(fit.sample)})"
                    if self._is_one_power
                    else OTHERWISE
                )
                yield f"{name} at its bound {SMALLEST_EXPONENT:g}: {says}"

    def _straight(self, sample: Sample) -> str:
        """The exponent of one power without any bound, by least squares of log(-log Q'): a straight
        line in log C.
        """
        logs = np.log(sample.at.column(self.requires[0]))
        off = logs - logs.mean()
        slope = off @ np.log(self.runs(sample).loss) / (off @ off)
        return f"least squares of log(-log Q') without a bound: {self.terms.exponents[0]} = {-slope:.4g}"

    def refit(self, fit: LawFit, weights: Floats, baselines: Floats) -> Refits:
        """The fit repeated."""
        weights, neg_logs = usable(fit.sample, weights, baselines)
        return fit.parts[0].refit(weights=weights, observed=neg_logs)

    def neg_log(self, coefficients: Floats, at: Points) -> Floats:
        """-log Q' (K, m) of K laws (K, p) at m points."""
        for name in self.requires:
            at.column(name)  # or the error that says which is not known
        return self.terms.values(coefficients, at)

    def accuracy(self, coefficients: Floats, at: Points, baselines: Floats) -> Floats:
        """Raw accuracy (K, m); see `Kind.accuracy`."""
        return np.asarray(accuracy(self.neg_log(coefficients, at), baselines[:, None]))

    def runs(self, sample: Sample) -> Runs:
        """The runs of a sample with -log Q' for their loss."""
        at: dict[str, Any] = {
            name: getattr(sample.at, name) for name in ("params", "tokens", "compute")
        }
        at |= {name: sample.at.column(name) for name in self.requires}
        return Runs(
            **at,
            loss=np.asarray(neg_log_accuracy(sample.accuracy, sample.baseline)),
            row=np.arange(1, len(sample) + 1),
            metric="accuracy",
            random_baseline=sample.baseline,
            source=sample.benchmark,
            n_rows=len(sample),
        )


def limit_at_zero(fit: LawFit, level: float) -> float | None:
    r"""The upper limit of an E that is 0, as refits gather there and tell none: the largest E with

    .. math:: n \log \frac{S(E)}{\min_E S} \le \chi^2_{1, level},

    S(E) being the least sum of squares of log(-log Q') with that E. None where E is not 0, or there
    are no more runs than coefficients.
    """
    kind: Any = fit.kind
    n = fit.size
    with_E = isinstance(kind, PowerKind) and isinstance(kind.terms, PowerTerms) and "E" in fit.names
    if not with_E or fit.coefficients["E"] != 0.0 or n <= len(fit.names):
        return None
    from scipy.optimize import brentq

    runs, rounding = kind.runs(fit.sample), 0.5 * n * ROUNDING**2
    free = fit_form(runs, kind.terms, SQUARES)
    allowed = coverage_factor(level) ** 2

    def excess(E: float) -> float:
        """Above 0 where the runs exclude this E."""
        held = fit_form(runs, kind.terms, SQUARES, fixed={"E": E})
        ratio = (held.objective_value + rounding) / (free.objective_value + rounding)
        return float(n * np.log(ratio)) - allowed

    greatest = float(runs.loss.max())
    if excess(greatest) <= 0.0:
        return greatest
    return float(brentq(excess, free.coefficients["E"], greatest, rtol=1e-9))


def usable(sample: Sample, weights: Floats, baselines: Floats) -> tuple[Floats, Floats]:
    """Weights (K, n), 0 for the runs at or below their redrawn accuracy of guessing (K,), which
    have no -log, and -log Q' (K, n).
    """
    guessing = baselines[:, None]
    above = above_guessing(sample.accuracy, guessing, 0.0)
    raw = np.where(above, sample.accuracy, 0.5 * (1.0 + guessing))
    return np.where(above, weights, 0.0), np.asarray(neg_log_accuracy(raw, guessing))


def _kind(name: str, terms: PowerTerms, objective: Objective, *, ceiling: bool) -> PowerKind:
    return PowerKind(name, replace(terms, irreducible=ceiling), objective)


#: By name; the objectives of the first four are the paper's (Section 4.1, Section 3.3, Appendix M).
POWER_KINDS = {
    kind.name: kind
    for kind in (
        _kind("compute", COMPUTE, SQUARES, ceiling=False),
        _kind("compute-ceiling", COMPUTE, HUBER, ceiling=True),
        _kind("params-tokens", PARAMS_TOKENS, HUBER, ceiling=False),
        _kind("params-tokens-ceiling", PARAMS_TOKENS, HUBER, ceiling=True),
        *(PowerKind(name, form, HUBER) for name, form in MODELS.items() if form.is_expression),
    )
}
