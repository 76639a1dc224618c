"""The compute above which the laws of -log pass@k at several k hold together, and the cost at one k
of an allocation for another. Params+tokens laws are compared by their envelopes, the best that any
allocation reaches.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from ..law import Law

    Floats = NDArray[np.float64]

__all__ = ["last_crossings", "lost_compute"]

#: log C is searched between minus and plus this, 1e-300 to 1e300 FLOP (a crossing beyond counts as 0
#: or as infinite), by so many halvings, enough for neighbouring floats.
FARTHEST, HALVINGS = 300.0 * float(np.log(10.0)), 64


def last_crossings(E: ArrayLike, C0: ArrayLike, alpha: ArrayLike) -> Floats:
    """The compute in FLOP above which y_k(C) = E + C0 C^-alpha does not rise from each k to the next,
    as laws fitted apart do though pass@k does not fall with k.

    The difference of two such laws turns once (isoflop.derivations.passk.crossing_of_two_k), so that
    bisection beside the turning point finds the last crossing.

    Parameters
    ----------
    E, C0, alpha : array_like
        (..., K): coefficients of compute laws at K values of k in ascending order; E >= 0, C0 and
        alpha > 0.

    Returns
    -------
    ndarray
        (..., K - 1): 0 where the laws of two neighbouring k hold together everywhere, inf where
        they do at no large compute. Where neighbours hold together all do.

    Examples
    --------
    >>> last_crossings([0.0, 0.0], [1e3, 1e5], [0.15, 0.25]).round(-15).tolist()
    [1e+20]
    """
    each = (np.asarray(values, dtype=np.float64) for values in (E, C0, alpha))
    (e1, e2), (c1, c2), (a1, a2) = ((values[..., :-1], values[..., 1:]) for values in each)
    with np.errstate(divide="ignore"):  # what the floors share cancels
        above, below = np.log(np.maximum(e1 - e2, 0.0)), np.log(np.maximum(e2 - e1, 0.0))

    def rises(x: Floats) -> NDArray[np.bool_]:
        y1 = np.logaddexp(above, np.log(c1) - a1 * x)
        return np.asarray(y1 < np.logaddexp(below, np.log(c2) - a2 * x))

    turn, differ, end = np.zeros_like(a1), a1 != a2, np.full_like(a1, FARTHEST)
    turn[differ] = formulas.log_turning_compute(
        C0_1=c1[differ], C0_2=c2[differ], alpha_1=a1[differ], alpha_2=a2[differ]
    )
    turn = np.clip(turn, -end, end)
    at_turn = rises(turn)
    low, high = np.where(at_turn, turn, -end), np.where(at_turn, end, turn)
    nowhere, at_the_end = ~rises(low), rises(end)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        wrong = rises(middle)
        low, high = np.where(wrong, middle, low), np.where(wrong, high, middle)
    return np.where(at_the_end, np.inf, np.where(nowhere, 0.0, np.exp(0.5 * (low + high))))


def lost_compute(laws: Mapping[int, Law], compute: float) -> list[dict[str, Any]]:
    """The cost at one k of an allocation that is optimal for another, by params+tokens laws by k, at
    a compute in FLOP.

    A row for each pair of different k, `chosen` and `judged`, with `size_ratio` (params over the
    optimal ones), `loss_penalty` and `lost_compute`, the share of the budget that the optimum for the
    judged k would save.
    """
    rows = []
    for chosen, judged in permutations(laws, 2):
        optimum = laws[chosen].envelope
        cost = laws[judged].penalty(params=optimum.params(compute), tokens=optimum.tokens(compute))
        row: dict[str, Any] = {"compute": compute, "chosen": chosen, "judged": judged}
        names = ("size_ratio", "loss_penalty", "lost_compute")
        rows.append(row | {name: float(getattr(cost, name)) for name in names})
    return rows
