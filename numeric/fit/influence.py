"""How much each run holds the fit: its leverage, and what the coefficients would be without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .covariance import bandwidth
from .residual_tests import axes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .result import Fit

    Floats = NDArray[np.float64]

#: So many of the most influential runs are left out in earnest.
REFITTED = 5
SINGULAR = 1e-13


@dataclass(frozen=True)
class Influence:
    """A run, and what leaving it out does.

    Attributes
    ----------
    row : int
        Its number in the source.
    residual, leverage : float
        Observed less law, as in `Diagnostics`; diagonal of the projection on the Jacobian.
    distance : float
        Cook's distance: (change)' V^-1 (change)/p with the covariance V of the fit.
    alpha_change : float or None
        Change of alpha without the run, to first order (one Newton step); None for laws without
        alpha.
    alpha_change_refitted : float or None
        The same by fitting the others; None where that fit is not certified.
    """

    row: int
    residual: float
    leverage: float
    distance: float
    alpha_change: float | None
    alpha_change_refitted: float | None

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return {
            "row": self.row,
            "residual": self.residual,
            "leverage": self.leverage,
            "distance": self.distance,
            "alpha_change": self.alpha_change,
            "alpha_change_refitted": self.alpha_change_refitted,
        }

    def __str__(self) -> str:
        text = f"row {self.row}: residual {self.residual:+.4g}, leverage {self.leverage:.3f}, distance {self.distance:.3g}"
        change = (
            self.alpha_change if self.alpha_change_refitted is None else self.alpha_change_refitted
        )
        return text if change is None else f"{text}; alpha {change:+.4f} without it"


def leverages(fit: Fit) -> Floats:
    """(n,): the diagonal of the projection on the weighted columns of the Jacobian; their sum is
    its rank.
    """
    return np.asarray(np.sum(axes(weighted(fit)) ** 2, axis=1))


def weighted(fit: Fit) -> Floats:
    """(k, n): derivatives of the residuals by the free parameters of the solver, times the roots of
    the weights.
    """
    _, jacobian, _ = fit.linearised()
    roots = 1.0 if fit.runs.weight is None else np.sqrt(fit.runs.weight)
    return np.asarray(jacobian[fit.free] * roots)


def dropped_one(fit: Fit) -> Floats:
    """(n, p): change of the solver's parameters without each run in turn, to first order.

    Raises
    ------
    ValueError
        Where the runs do not tell the coefficients apart.

    Notes
    -----
    H_-i^-1 w psi(r_i) grad r_i with H_-i = H - w rho'' grad r grad r', by the formula of Sherman
    and Morrison; rho'' is averaged as in the covariance, so that it does not hinge on whether a
    residual lies within a narrow delta.
    """
    residuals, jacobian, _ = fit.linearised()
    free = fit.free
    weights = np.ones(len(residuals)) if fit.runs.weight is None else np.asarray(fit.runs.weight)
    scale = np.linalg.norm(jacobian, axis=1)
    scale[scale == 0.0] = 1.0
    unit = (jacobian / scale[:, None])[free]
    clip = fit.objective.clip(bandwidth(fit, residuals))
    smooth = clip.psi(residuals)
    curved: Any = weights * clip.curvature(smooth)
    hessian = (unit * curved) @ unit.T
    sizes = np.linalg.eigvalsh(hessian)
    if not sizes.size or sizes[0] <= SINGULAR * sizes[-1]:
        raise ValueError("influence: the runs do not tell the coefficients apart")
    pulled = np.linalg.solve(hessian, unit)
    left = np.maximum(1.0 - curved * np.sum(unit * pulled, axis=0), SINGULAR)
    changes = np.zeros((len(residuals), len(free)))
    changes[:, free] = (pulled * (weights * smooth / left)).T / scale[free]
    return changes


def influences(fit: Fit, most: int) -> tuple[Influence, ...]:
    """The most influential runs, the first few left out in earnest.

    Raises
    ------
    ValueError
        Where the runs do not tell the coefficients apart.
    """
    changes = dropped_one(fit) @ fit.design.to_coordinates.T
    free = fit.free
    covariance = fit.covariance()[np.ix_(free, free)]
    roots = np.sqrt(np.diag(covariance))
    if not (roots > 0.0).all():
        raise ValueError("influence: the standard errors are zero")
    turned = changes[:, free] / roots
    distances = np.sum(
        turned * np.linalg.solve(covariance / roots / roots[:, None], turned.T).T, axis=1
    ) / len(roots)
    order = np.argsort(-distances, kind="stable")[:most]
    gradient = _alpha_gradient(fit)
    refitted = _refitted_alphas(fit, order[:REFITTED]) if gradient is not None else {}
    hats = leverages(fit)
    return tuple(
        Influence(
            row=int(fit.runs.row[i]),
            residual=-float(fit.residuals[i]),
            leverage=float(hats[i]),
            distance=float(distances[i]),
            alpha_change=None if gradient is None else float(gradient @ changes[i]),
            alpha_change_refitted=refitted.get(int(i)),
        )
        for i in order
    )


def _alpha_gradient(fit: Fit) -> Floats | None:
    """Derivatives of alpha by the coordinates; None where the law has no alpha."""
    if fit.model.name == "compute":
        return np.array([float(name == "alpha") for name in fit.model.coordinates])
    if fit.model.name != "params-tokens":
        return None
    from .derived import ALPHA

    law: Any = fit.law_of(fit.coefficients)
    gradient = ALPHA.gradient(law)
    return np.array([gradient[name] for name in fit.model.coordinates])


def _refitted_alphas(fit: Fit, index: Any) -> dict[int, float]:
    """Change of alpha by fitting all runs but one; those whose fit is certified."""
    from .bootstrap import refit

    kept = np.ones((len(index), len(fit.runs)))
    kept[np.arange(len(index)), index] = 0.0
    found = refit(fit, kept)
    alphas = {}
    for i, coefficients, done in zip(index, found.coefficients, found.converged, strict=True):
        if done:
            names = dict(zip(fit.model.coefficients, map(float, coefficients), strict=True))
            alphas[int(i)] = (
                fit.law_of(names).envelope.exponent
                if fit.model.name == "params-tokens"
                else names["alpha"]
            )
    before = (
        fit.coefficients["alpha"]
        if fit.model.name == "compute"
        else fit.law_of(fit.coefficients).envelope.exponent
    )
    return {i: value - before for i, value in alphas.items()}
