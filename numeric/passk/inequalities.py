"""Whether a table of pass@k is possible: from 0 to 1, rising and concave in k.

For any success rates of the problems pass@k is the mean of 1 - (1 - p)^k, which rises and is
concave in k from pass@0 = 0 on (`isoflop.derivations.passk.fail_at_k_is_completely_monotone`).
The unbiased estimates themselves obey this, as long as they are of the same problems at every k:
where problems with n < k are left out, or counted as solved, they need not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.pass_table import pass_groups
from ..errors import nonnegative_number
from .curve import Curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["STATEMENTS", "impossible"]

#: In pass@k: ample for a table printed to ten digits; and what the bounds are computed to.
TOLERANCE, ROUNDING = 1e-9, 1e-14
UNIT, RISING, CONCAVE = "from 0 to 1", "non-decreasing", "concave"
STATEMENTS = {
    UNIT: "0 <= pass@k <= 1",
    RISING: "pass@j <= pass@k for j < k",
    CONCAVE: "pass@k is at or above the chord of its neighbours, k = 0 being one",
}


def impossible(data: Any, *, tolerance: float = TOLERANCE, **reading: Any) -> list[dict[str, Any]]:
    """The entries of a table of pass@k that no distribution of success rates can produce.

    Parameters
    ----------
    data : Curve, path, or anything that ``pandas.DataFrame`` accepts
        A row for each group and k.
    tolerance : float
        How far each entry may be off by rounding, in pass@k.
    **reading
        How to read a table; see `isoflop.numeric.data.pass_table.pass_groups`.

    Returns
    -------
    list of dict
        A row for each entry and inequality that it breaks: the columns of the group, `row` (of the
        source, from 1), `inequality` (of `STATEMENTS`), k, `pass_at_k`, `bound`, the k of the
        entries that make it as `others`, and `excess`, how far off it is. Empty where all entries
        are possible.

    Examples
    --------
    >>> found = impossible({"k": [1, 2, 4], "pass_at_k": [0.1, 0.3, 0.25]})
    >>> [(one["inequality"], one["k"], round(one["excess"], 4)) for one in found]
    [('non-decreasing', 4, 0.05), ('concave', 1, 0.05)]
    """
    tolerance = nonnegative_number("tolerance", tolerance)
    rows = []
    for label, k, x, row in _groups(data, reading):
        for at, name, bound, others, rounding in _bounds(k, x, tolerance):
            excess = abs(bound - x[at])
            if excess - rounding > ROUNDING:
                entry = {"row": int(row[at]), "inequality": name, "k": int(k[at])}
                numbers = {"pass_at_k": float(x[at]), "bound": bound, "excess": float(excess)}
                rows.append(label | entry | numbers | {"others": others})
    return rows


def _groups(data: Any, reading: dict[str, Any]) -> Iterator[tuple[dict[str, str], Any, Any, Any]]:
    """Of each group its columns, k in ascending order, pass@k, and the rows of the source."""
    if isinstance(data, Curve):
        for g, label in enumerate(data.counts.labels):
            known = np.flatnonzero(np.isfinite(data.pass_at_k[g]))
            order = known[np.argsort(data.ks[known])]
            rows = g * len(data.ks) + order + 1
            columns = dict(zip(data.counts.by, label, strict=True))
            yield columns, data.ks[order], data.pass_at_k[g, order], rows
        return
    yield from pass_groups(data, **reading)


def _bounds(
    k: Any, x: Floats, tolerance: float
) -> Iterator[tuple[int, str, float, list[int], float]]:
    """Of each entry that may break an inequality its place, the inequality, the bound, the k that
    make it, and the rounding of all: those of one group, in ascending k.

    Entries beyond [0, 1] break that inequality and bound no others; pass@0 = 0 is exact.
    """
    for at in np.flatnonzero((x < 0.0) | (x > 1.0)):
        yield int(at), UNIT, float(x[at] > 0.0), [], tolerance
    usable = np.flatnonzero((x >= 0.0) & (x <= 1.0))
    ks, values = np.append(0, k[usable]), np.append(0.0, x[usable])
    for i in range(1, len(ks)):
        top = int(np.argmax(values[:i]))
        if values[top] > values[i]:
            yield int(usable[i - 1]), RISING, float(values[top]), [int(ks[top])], 2.0 * tolerance
    for i in range(1, len(ks) - 1):
        share = float(ks[i] - ks[i - 1]) / float(ks[i + 1] - ks[i - 1])
        chord = float((1.0 - share) * values[i - 1] + share * values[i + 1])
        others = [int(other) for other in (ks[i - 1], ks[i + 1]) if other > 0]
        rounding = tolerance * (1.0 + share + (1.0 - share) * (ks[i - 1] > 0))
        if chord > values[i]:
            yield int(usable[i - 1]), CONCAVE, chord, others, float(rounding)
