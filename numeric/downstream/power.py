r"""Accuracy whose negative log is a sum of power terms: the direct laws.

.. math:: -\log Q' = E + \sum_k a_k x_k^{-b_k}, \qquad Q' = \frac{Q - Q_r}{1 - Q_r}, \qquad Q'_{max} = e^{-E}.

Source: Krajewski et al. 2025, arXiv 2512.08894: equation 2 (compute), 10 (with a ceiling), 4 (params and tokens; its alpha is
beta here and its beta gamma, as beta belongs to params throughout), and the last equation of Appendix L.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric.downstream.kind import Found, Redone
from isoflop.numeric.downstream.normalise import accuracy, neg_log_accuracy
from isoflop.numeric.downstream.sample import above_guessing
from isoflop.numeric.fit.bootstrap import refit
from isoflop.numeric.fit.fitting import fit_terms
from isoflop.numeric.fit.models import COMPUTE, PARAMS_TOKENS, PowerTerms, in_coordinates
from isoflop.numeric.fit.objective import Objective
from isoflop.numeric.fit.separable import Centred
from isoflop.numeric.runs import Runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from isoflop.numeric.downstream.sample import Points, Sample

    Floats = NDArray[np.float64]

__all__ = ["CEILING_KINDS", "MARGIN", "POWER_KINDS", "PowerKind"]

#: The paper's: runs this little above guessing scatter too much for their logarithm.
MARGIN = 0.05
WORDS = {
    "huber-log": "Huber's function (delta {delta:g}) of log(-log Q')",
    "absolute-log": "absolute deviations of log(-log Q')",
    "least-squares-log": "least squares of log(-log Q')",
    "least-squares": "least squares of -log Q'",
    "pinball-log": "the pinball function (tau {tau:g}) of log(-log Q')",
}
SQUARES, HUBER = Objective(name="least-squares-log"), Objective(name="huber-log", delta=1e-3)


@dataclass(frozen=True)
class PowerKind:
    """A direct law; see `isoflop.numeric.downstream.kind.Kind` for what every law can do.

    Attributes
    ----------
    name : str
    terms : PowerTerms
        The form of -log Q'.
    objective : Objective
        Of log(-log Q'): by default the paper's.
    margin : float
    """

    name: str
    terms: PowerTerms
    objective: Objective
    margin: float | None = MARGIN

    @property
    def formula(self) -> str:
        """The law in plain text."""
        return f"-log Q' = {self.terms}"

    @property
    def fitted_by(self) -> str:
        """What is minimised."""
        return WORDS[self.objective.name].format(delta=self.objective.delta, tau=self.objective.tau)

    @property
    def coefficients(self) -> tuple[str, ...]:
        """E where there is a ceiling, prefactors, exponents."""
        return self.terms.coefficients

    @property
    def needs(self) -> tuple[str, ...]:
        """Columns of the runs."""
        return self.terms.variables

    @property
    def asks(self) -> tuple[str, ...]:
        """The same."""
        return self.terms.variables

    def fit(self, sample: Sample) -> Found:
        """The law closest to the runs; `Found.inside` is the `Fit` of -log Q'."""
        least = len(self.coefficients)
        if len(sample) < least:
            raise ValueError(
                f"{sample.benchmark}: {len(sample)} runs above guessing; must be at least {least} for the coefficients of "
                f"{self.formula}"
            )
        fit = fit_terms(self.runs(sample), self.terms, self.objective)
        return Found(
            coefficients=np.array(list(fit.coefficients.values())),
            value=fit.objective_value,
            converged=fit.converged,
            reason=fit.solution.reason or ("" if fit.converged else "no certified minimum"),
            undetermined=fit.undetermined,
            inside=fit,
        )

    def refit(self, sample: Sample, found: Found, weights: Floats, baselines: Floats) -> Redone:
        """The fit repeated; see `Kind.refit`."""
        usable = above_guessing(sample.accuracy, baselines[:, None], 0.0)
        raw = np.where(usable, sample.accuracy, 0.5 * (1.0 + baselines[:, None]))
        again = refit(found.inside, np.where(usable, weights, 0.0), neg_log_accuracy(raw, baselines[:, None]))
        return Redone(again.coefficients, again.converged)

    def neg_log(self, coefficients: Floats, at: Points) -> Floats:
        """-log Q' (K, m) of K laws (K, p) at m points."""
        logs = np.log(np.stack([at.column(name) for name in self.terms.variables]))
        return Centred(logs, self.terms.irreducible).evaluate(in_coordinates(self.terms, coefficients))[0]

    def accuracy(self, coefficients: Floats, at: Points, baselines: Floats) -> Floats:
        """Raw accuracy (K, m); see `Kind.accuracy`."""
        return np.asarray(accuracy(self.neg_log(coefficients, at), baselines[:, None]))

    def with_objective(self, objective: Objective) -> PowerKind:
        """The same form by another objective."""
        return replace(self, objective=objective)

    def runs(self, sample: Sample) -> Runs:
        """The runs of a sample with -log Q' for their loss."""
        at: dict[str, Any] = {name: getattr(sample.at, name) for name in ("params", "tokens", "compute")}
        at |= {name: sample.at.column(name) for name in self.needs}
        return Runs(
            **at,
            loss=np.asarray(neg_log_accuracy(sample.accuracy, sample.baseline)),
            row=np.arange(1, len(sample) + 1),
            metric="accuracy",
            random_baseline=sample.baseline,
            source=sample.benchmark,
            n_rows=len(sample),
        )


def _kind(name: str, terms: PowerTerms, objective: Objective, *, ceiling: bool) -> PowerKind:
    return PowerKind(name, replace(terms, irreducible=ceiling), objective)


#: By name; the objectives are the paper's (Section 4.1, Section 3.3, Appendix M).
POWER_KINDS = {
    kind.name: kind
    for kind in (
        _kind("compute", COMPUTE, SQUARES, ceiling=False),
        _kind("compute-ceiling", COMPUTE, HUBER, ceiling=True),
        _kind("params-tokens", PARAMS_TOKENS, HUBER, ceiling=False),
        _kind("params-tokens-ceiling", PARAMS_TOKENS, HUBER, ceiling=True),
    )
}
#: The law without a ceiling -> the one with it.
CEILING_KINDS = {"compute": "compute-ceiling", "params-tokens": "params-tokens-ceiling"}
