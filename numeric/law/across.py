"""What an allocation that is optimal for one law costs under another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..arrays import at_least
from ..errors import positive_array

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .params_tokens import Law

    Floats = NDArray[np.float64]

__all__ = ["COEFFICIENTS", "AllocationAcross", "across_all", "allocation_across", "budgets_of"]

COEFFICIENTS = ("A", "B", "beta", "gamma")


@dataclass(frozen=True, kw_only=True, eq=False)
class AllocationAcross:
    """One law's optimal allocation, judged by another law; a value for every compute.

    Attributes
    ----------
    compute : ndarray
        FLOP.
    params, tokens : ndarray
        The allocation: optimal for the first law.
    optimal_params, optimal_tokens : ndarray
        What is optimal for the second.
    log_size_ratio : ndarray
        log(params/optimal_params).
    loss_penalty, excess : ndarray
        P = (y - E)/(y* - E) under the second law, and P - 1 without cancellation.
    effective_compute, lost_compute : ndarray
        C_eff/C, the share of the compute that the second law's optimum needs for the same value;
        and 1 - C_eff/C.
    optimal_reducible : ndarray
        y* - E under the second law.
    """

    compute: Floats
    params: Floats
    tokens: Floats
    optimal_params: Floats
    optimal_tokens: Floats
    log_size_ratio: Floats
    loss_penalty: Floats
    excess: Floats
    effective_compute: Floats
    lost_compute: Floats
    optimal_reducible: Floats


def allocation_across(chosen: Law, judged: Law, compute: Any) -> AllocationAcross:
    """What it costs under one law to allocate optimally for another.

    Parameters
    ----------
    chosen : Law
        The law that chooses params and tokens. Needs A and B.
    judged : Law
        The law by which the result counts. Needs A and B.
    compute : float or array_like
        Budgets C = 6 N D in FLOP, > 0, in one dimension.

    Returns
    -------
    AllocationAcross

    Raises
    ------
    ValueError
        Where a compute is outside its domain, or a law has no A and B.

    Notes
    -----
    r = (G_1/G_2) (C/6)^(w_N(1) - w_N(2)) and P = (gamma_2 r^-beta_2 + beta_2 r^gamma_2)/(beta_2 +
    gamma_2): isoflop.derivations.passk.allocation_across_k.

    Examples
    --------
    >>> from isoflop.numeric.law import Law
    >>> few, many = (
    ...     Law(A=40.0, B=90.0, beta=0.2, gamma=0.2),
    ...     Law(A=400.0, B=900.0, beta=0.3, gamma=0.35),
    ... )
    >>> allocation_across(few, many, 1e21).excess.round(5).tolist()
    [0.28831]
    """
    budgets = budgets_of(compute)
    s = _log_size_ratio(chosen.needed("A", "B"), judged.needed("A", "B"), budgets)
    exponents = {"beta": judged.beta, "gamma": judged.gamma}
    return AllocationAcross(
        compute=budgets,
        params=chosen.envelope.params(budgets),
        tokens=chosen.envelope.tokens(budgets),
        optimal_params=judged.envelope.params(budgets),
        optimal_tokens=judged.envelope.tokens(budgets),
        log_size_ratio=s,
        loss_penalty=at_least(formulas.penalty(s, **exponents), 1.0),
        excess=formulas.excess(s, **exponents),
        effective_compute=formulas.effective_compute(s, **exponents),
        lost_compute=formulas.lost_compute(s, **exponents),
        optimal_reducible=judged.envelope.reducible_loss(budgets),
    )


def across_all(
    columns: Mapping[str, Floats], budgets: Floats, *, excess: bool = True
) -> dict[str, Floats]:
    """log_size_ratio, lost_compute and excess (..., K, K, M) of all pairs of laws: A, B, beta and
    gamma, (..., K) each.

    First the law that chooses, then the one that judges, then the budget. The excess of far-off
    pairs is beyond the floats.
    """
    first = {name: columns[name][..., :, None, None] for name in COEFFICIENTS}
    second = {name: columns[name][..., None, :, None] for name in COEFFICIENTS}
    s = _log_size_ratio(first, second, budgets)
    exponents = {name: second[name] for name in ("beta", "gamma")}
    measures = {"log_size_ratio": s, "lost_compute": formulas.lost_compute(s, **exponents)}
    return measures | ({"excess": formulas.excess(s, **exponents)} if excess else {})


def _log_size_ratio(first: Mapping[str, Any], second: Mapping[str, Any], budgets: Floats) -> Floats:
    numbered = {
        f"{name}_{n}": law[name] for n, law in ((1, first), (2, second)) for name in COEFFICIENTS
    }
    return np.asarray(formulas.log_size_ratio_across(compute=budgets, **numbered))


def budgets_of(compute: Any) -> Floats:
    """Budgets (M,) in FLOP, or a ValueError."""
    budgets = np.atleast_1d(positive_array("compute", compute))
    if budgets.ndim != 1 or not budgets.size:
        raise ValueError(
            f"compute: has shape {budgets.shape}, must be a number or a list of numbers"
        )
    return budgets
