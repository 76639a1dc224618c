r"""The frontier (approach 1 of Hoffmann et al. 2022, arXiv 2203.15556): the runs that no run of the
same or less compute beats.

Hoffmann et al. take the lowest of the training curves at every FLOP count. Final losses alone leave
the undominated runs, the lower left staircase of loss against compute. Bins of log compute, the
other choice, need a width that nothing fixes, and keep the best run of a bin even where a cheaper
run of the bin below beats it.

Two biases pull apart. No run sits exactly at the optimum of its budget, so the staircase lies above
the envelope; with a params+tokens law at hand every run is moved along the law to the optimum of
its own compute, L L*(C)/L(N, D). And the least of many noisy losses is too low; the moved staircase
keeps that bias, which only a simulation of the noise can tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .approaches import Approach, Points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .laws import Laws

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = ["Frontier", "frontier"]


@dataclass(frozen=True, eq=False)
class Frontier(Approach):
    """Approach 1: compute laws through the undominated runs, moved to the optimum of their own
    compute.
    """

    params: Floats
    tokens: Floats
    compute: Floats

    name = "frontier"
    more_runs = "more near the optimum"

    def points(self, losses: Floats, weights: Floats | None, laws: Laws) -> Points:
        """The frontier is that of the losses as they are; its runs are then moved to the envelope."""
        chosen = frontier(self.compute, losses).astype(np.float64)
        if weights is not None:
            chosen *= weights
        moved = laws.moved(losses, self.params, self.tokens, laws.envelope(self.compute))
        return Points(losses, moved, chosen, chosen)

    def described(self, losses: Floats) -> dict[str, Any]:
        """The number of runs on the frontier."""
        return {"n_runs": int(frontier(self.compute, losses).sum())}


def frontier(compute: Floats, losses: Floats) -> Flags:
    """The runs whose loss is below that of every cheaper run and not above that of any run with the
    same compute.

    Parameters
    ----------
    compute : ndarray
        (n,).
    losses : ndarray
        (n,) or (K, n).

    Returns
    -------
    ndarray of bool
        Of the shape of `losses`.

    Examples
    --------
    >>> frontier(np.array([1.0, 2.0, 3.0, 4.0]), np.array([3.0, 2.0, 2.5, 1.5]))
    array([ True,  True, False,  True])
    """
    rows = np.atleast_2d(losses)
    order = np.argsort(compute, kind="stable")
    _, starts, which = np.unique(compute[order], return_index=True, return_inverse=True)
    sorted_rows = rows[:, order]
    best = np.minimum.reduceat(sorted_rows, starts, axis=1)
    before = np.full_like(best, np.inf)
    before[:, 1:] = np.minimum.accumulate(best, axis=1)[:, :-1]
    found = np.empty(rows.shape, dtype=bool)
    found[:, order] = (sorted_rows == best[:, which]) & (sorted_rows < before[:, which])
    return found.reshape(np.shape(losses))
