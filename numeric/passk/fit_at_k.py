"""A law of -log pass@k fitted at one k: its coefficients, how sure they are, what it predicts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from isoflop.numeric.fit.models import Design, in_coordinates
from isoflop.numeric.fit.newton import Problems, expand
from isoflop.numeric.fit.separable import Centred
from isoflop.numeric.passk.marginal import Marginal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from isoflop.numeric.fit.result import Fit
    from isoflop.numeric.passk.kinds import Kind
    from isoflop.numeric.passk.likelihood import Evidence

    Floats = NDArray[np.float64]

#: Eigenvalues of a Hessian below this share of the greatest leave a direction open.
FLATTEST = 1e-12


@dataclass(frozen=True, eq=False)
class Prediction:
    """What a law says of models: u = log(-log pass@k), its standard error, and what models scatter about it.

    Attributes
    ----------
    log_y : ndarray
        (M,): log of the law.
    standard_error : ndarray
        (M,): of that, from the errors of the coefficients.
    scatter : float
        Standard deviation of models about the law in u.
    degrees_of_freedom : float
        Models less free parameters, at least 1.
    """

    log_y: Floats
    standard_error: Floats
    scatter: float
    degrees_of_freedom: float

    @property
    def neg_log(self) -> Floats:
        """-log pass@k (M,) in nats."""
        return np.exp(self.log_y)

    @property
    def pass_at_k(self) -> Floats:
        """pass@k (M,)."""
        return np.exp(-self.neg_log)

    def interval(self, level: float = 0.9, *, measured: Any = 0.0) -> tuple[Floats, Floats]:
        """-log pass@k of a new model lies between these, by Student's t in u.

        `measured`: standard error of u in the measurement of that model itself, (M,) or a number.
        """
        from scipy.stats import t

        wide = float(t.ppf(0.5 + level / 2.0, self.degrees_of_freedom))
        half = wide * np.sqrt(self.standard_error**2 + self.scatter**2 + np.square(measured))
        return np.exp(self.log_y - half), np.exp(self.log_y + half)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PassFit:
    """One of the three laws at one k.

    Attributes
    ----------
    kind : Kind
    k : int
    method : {"likelihood", "least-squares-log"}
    fit : Fit
        In the fit layer's terms; its runs are the models that count, their loss what was taken for -log pass@k: the estimate, or
        under the likelihood its expectation (of the logarithm) given counts and law.
    evidence : Evidence or None
        Of the same models, where the method is the likelihood.
    used : ndarray of bool
        (G,): the models of the counts that take part.
    scatter : float
        Standard deviation of models about the law in log(-log pass@k), with the degrees of freedom that the coefficients leave.
    n_unsolved : int
        Models that take part without a correct sample.
    n_without : int
        Models left out because no sample is correct: -log pass@k has no estimate (least squares).
    n_refused : int
        Models left out because some problem has fewer than k samples (least squares).
    draws : ndarray
        (R, p): coefficients refitted to resamples of models; NaN where a refit was not certified. R = 0 without a bootstrap.
    """

    kind: Kind
    k: int
    method: str
    fit: Fit
    evidence: Evidence | None
    used: NDArray[np.bool_]
    scatter: float
    n_unsolved: int
    n_without: int
    n_refused: int
    draws: Floats

    @property
    def design(self) -> Design:
        """The form at the models, in the parameters of the solver."""
        assert isinstance(self.fit.design, Design)
        return self.fit.design

    @property
    def n_models(self) -> int:
        """How many models take part."""
        return int(self.used.sum())

    @cached_property
    def coefficients(self) -> dict[str, float]:
        """By the paper's names."""
        return dict(zip(self.kind.coefficients, self.fit.coefficients.values(), strict=True))

    @property
    def converged(self) -> bool:
        """Whether the minimum is certified."""
        return self.fit.converged

    @cached_property
    def undetermined(self) -> tuple[str, ...]:
        """Coefficients that the models leave open, by the paper's names."""
        own = dict(zip(self.kind.terms.coefficients, self.kind.coefficients, strict=True))
        return tuple(own[name] for name in self.fit.undetermined)

    @property
    def degrees_of_freedom(self) -> float:
        """Models less free coefficients, at least 1."""
        return float(max(1, self.n_models - int(self.fit.free.sum())))

    @property
    def certified_draws(self) -> Floats:
        """The draws whose refit was certified."""
        return self.draws[np.isfinite(self.draws).all(axis=1)] if len(self.draws) else self.draws

    def column(self, name: str) -> Floats:
        """The draws (R,) of a coefficient; NaN where a refit was not certified."""
        return self.draws[:, self.kind.coefficients.index(name)]

    def interval(self, name: str, level: float = 0.9) -> tuple[float, float]:
        """Percentile interval of a coefficient from the resamples.

        Raises
        ------
        ValueError
            Where there are fewer than two certified resamples.
        """
        from isoflop.numeric.fit.bootstrap import percentile

        if name not in self.kind.coefficients:
            raise ValueError(f"name={name!r}: the law {self.kind.formula} has {', '.join(self.kind.coefficients)}")
        found = self.column(name) if len(self.draws) else self.draws.ravel()
        found = found[np.isfinite(found)]
        if len(found) < 2:
            raise ValueError(f"k={self.k}: no interval of {name} without resamples; fit with resamples=200")
        return percentile(found, level)

    # -- predictions ---------------------------------------------------------------------------------------------------

    @cached_property
    def covariance(self) -> Floats:
        """Covariance (p, p) of the solver's parameters: the inverse Hessian, 0 for what is fixed or on a bound."""
        free = self.fit.free
        hessian = self._hessian()[np.ix_(free, free)]
        scale = np.sqrt(np.maximum(np.diag(hessian), 1e-300))
        values, vectors = np.linalg.eigh(hessian / np.outer(scale, scale))
        values = np.maximum(values, FLATTEST * values[-1])
        found = np.zeros((len(free), len(free)))
        found[np.ix_(free, free)] = (vectors / values) @ vectors.T / np.outer(scale, scale)
        return found

    def _hessian(self) -> Floats:
        """Of minus the log likelihood; for least squares the sum of squares over twice their variance."""
        design, theta = self.fit.design, self.fit.theta[None]
        if self.evidence is not None:
            problems = Problems(design.model, np.zeros(self.n_models), None, Marginal(self.evidence, self.scatter), True)
            return expand(problems, theta).hessian[0]
        problems = Problems.of(design.model, np.asarray(self.fit.runs.loss), None, self.fit.objective)
        return expand(problems, theta).hessian[0] / (2.0 * self.scatter**2)

    def predict(self, covariates: Mapping[str, Any]) -> Prediction:
        """What the law says of models with these covariates, (M,) each; keys as in `Counts.covariates`.

        Raises
        ------
        ValueError
            Where a covariate is missing or not positive.
        """
        model = self._model_at(covariates)
        values, jacobian = model.evaluate(self.fit.theta[None])
        slope = jacobian[0] / values[0]
        error = np.sqrt(np.maximum(np.einsum("pn,pq,qn->n", slope, self.covariance, slope), 0.0))
        return Prediction(np.log(values[0]), error, self.scatter, self.degrees_of_freedom)

    def neg_log(self, covariates: Mapping[str, Any]) -> Floats:
        """-log pass@k by the law, (M,)."""
        return self._model_at(covariates).evaluate(self.fit.theta[None])[0][0]

    def neg_log_of(self, draws: Floats, covariates: Mapping[str, Any]) -> Floats:
        """-log pass@k (R, M) by other coefficients (R, p), as `draws` has them."""
        model = self._model_at(covariates)
        moved = in_coordinates(self.kind.terms, draws)
        return model.evaluate(np.asarray(np.linalg.solve(self.design.to_coordinates, moved.T).T))[0]

    def _model_at(self, covariates: Mapping[str, Any]) -> Centred:
        for name in self.kind.covariates:
            if name not in covariates:
                raise ValueError(f"covariates={sorted(covariates)}: must have {name} for the law {self.kind.name}")
            given = np.asarray(covariates[name], dtype=np.float64)
            if not (np.isfinite(given) & (given > 0.0)).all():
                raise ValueError(f"{name}={covariates[name]!r}: must be positive finite numbers")
        logs = self.kind.logs({name: np.atleast_1d(covariates[name]) for name in self.kind.covariates})
        return Centred(logs - self.design.centres[:, None], self.kind.terms.irreducible)

    @property
    def law(self) -> Any:
        """The fitted law as a `Law` or a `ComputeLaw`, for all that follows from one (of the gold law a compute law in 1/g)."""
        return self.fit.law

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value:.6g}" for name, value in self.coefficients.items())
        return f"<{self.kind.name} at k={self.k}: {numbers}; {self.n_models} models, {self.method}>"
