"""What a reader must know of the models and k that laws of -log pass@k were fitted to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..fit.resample import FEW_GROUPS, LEAST_GROUPS
from ..words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ..data.counts import Counts
    from .curve import Curve
    from .laws import PassLaws

SIZE = "params"
#: Leaves to the models what is drawn together.
AUTO = "auto"
#: Values of k that are named one by one.
MOST_LISTED = 3
#: So many problems of a group whose samples end with the last of a fixed number of successes are no
#: chance.
LEAST_STOPPED = 5


def clusters(counts: Counts, cluster: str | None) -> tuple[str | None, NDArray[np.object_] | None]:
    """What models are drawn together by: the covariate, and its value at every model; None where
    they are drawn one by one.

    "auto" is params, where sizes repeat and there are enough of them.

    Raises
    ------
    ValueError
        Where the models do not have the covariate, or too few values of it to be resampled.
    """
    if cluster == AUTO:
        sizes = _sizes(counts)
        repeat = sizes is not None and LEAST_GROUPS <= sizes < len(counts)
        cluster = SIZE if repeat else None
    if cluster is None:
        return None, None
    if cluster not in counts.covariates:
        raise ValueError(
            f"cluster={cluster!r}: must be one of {', '.join(counts.covariates) or 'no covariate'},"
            f" which the models have"
        )
    values = counts.covariates[cluster]
    if (number := len(np.unique(values))) < LEAST_GROUPS:
        raise ValueError(
            f"cluster={cluster!r}: has {number} values; must have at least {LEAST_GROUPS} to be "
            f"resampled"
        )
    return cluster, np.array([repr(float(value)) for value in values], dtype=object)


def cautions(laws: PassLaws, level: float = 0.9) -> list[str]:
    """What limits the laws of these models, a sentence each."""
    return [*_of_counts(laws), *(_of_resamples(laws, level) if laws.resamples else ())]


def of_estimates(curve: Curve) -> list[str]:
    """What makes estimates of pass@k misleading, a sentence each: sampling that stopped at a
    success, and values at odds.

    Of the same problems at every k the estimates rise and are concave; they need not where problems
    with fewer than k samples are left out.
    """
    from .inequalities import RISING, violations

    said = [
        f"{found}: estimates take the number as fixed beforehand, and are too high"
        for found in _stopped(curve.counts)
    ]
    broken = violations(curve).violations if curve.n_problems.any() else ()
    if broken:
        groups = list(dict.fromkeys(" ".join(one.label) for one in broken))
        falls = len({one.label for one in broken if one.inequality == RISING})
        those = f"{groups[0]}{f' and {len(groups) - 1} more' if len(groups) > 1 else ''}"
        said.append(
            f"values contradict each other in {counted(len(groups), 'group')} ({those})"
            f"{f', in {falls} of them pass@k falls with k' if falls else ''}: means at larger k "
            f"leave out the problems with "
            f"fewer samples, which are not like the others; --check lists the values, fit allows "
            f"for such sampling"
        )
    return said


def _stopped(counts: Counts) -> list[str]:
    """That sampling stopped at the first success, or at another: within a group all with fewer
    samples than the most have as many correct ones, and none has more."""
    found: dict[int, int] = {}
    for g in range(len(counts)):
        n, c = counts.per_group(g)
        short = n < n.max()
        last = int(c.max())
        if (
            last
            and short.sum() >= LEAST_STOPPED
            and (c[short] == last).all()
            and len(np.unique(n[short])) > 1
        ):
            found[last] = found.get(last, 0) + 1
    return [
        f"sampling stopped at {'the first success' if last == 1 else f'{last} successes'} in "
        f"{counted(groups, 'group')}"
        for last, groups in sorted(found.items())
    ]


def _of_counts(laws: PassLaws) -> Iterator[str]:
    counts, likelihood = laws.data.counts, laws.method == "likelihood"
    most, size = int(counts.n.max()), len(counts)
    if laws.ks[-1] > most:
        yield (
            f"no problem has more than {most} samples: beyond k = {most} pass@k is the tail of the "
            f"Beta distribution"
        )
    for stopped in () if likelihood else _stopped(counts):
        yield (
            f"{stopped}: least squares takes estimates that are too high; the likelihood allows "
            f"for it"
        )
    if alone := int((np.bincount(counts.group) == 1).sum()):
        some = f"{alone} of {counted(size, 'model')} {'has' if alone == 1 else 'have'}"
        what = "all models have" if alone == size else some
        shape = ", and the shape of its distribution of success rates is not told"
        yield (
            f"{what} a single problem: pass@k is that of this problem alone"
            f"{shape if likelihood else ''}"
        )


def _of_resamples(laws: PassLaws, level: float) -> Iterator[str]:
    counts, sizes = laws.data.counts, _sizes(laws.data.counts)
    if none := [fit.k for fit in laws.fits if fit.spare <= 0]:
        yield (
            f"k = {listed(none, laws.ks)}: no intervals, as there are no more models than the "
            f"{len(laws.kind.coefficients)} coefficients"
        )
    if laws.cluster is not None:
        groups = len(np.unique(counts.covariates[laws.cluster]))
        if groups < FEW_GROUPS:
            yield (
                f"{groups} values of {laws.cluster} are drawn: with fewer than {FEW_GROUPS}, "
                f"intervals are rough"
            )
    elif sizes is not None and sizes < len(counts):
        yield (
            f"{counted(len(counts), 'model')} of {counted(sizes, 'size')} are drawn as if "
            f"independent: intervals are too narrow where models of a size are checkpoints of one "
            f"run (cluster params draws them together)"
        )
    if any(fit.is_limited(level) for fit in laws.fits):
        of = "likelihood" if laws.method == "likelihood" else "sum of squares"
        yield (
            f"{laws.kind.floor}: an interval from 0 is an upper limit by the profile {of}, not one "
            f"of resamples"
        )


def _sizes(counts: Counts) -> int | None:
    sizes = counts.covariates.get(SIZE)
    return None if sizes is None else len(np.unique(sizes))


def listed(ks: Sequence[int], among: Sequence[int] = ()) -> str:
    """Values of k in words; more than three that follow each other among others by the first and
    the last.

    >>> listed([1, 2, 5, 10], [1, 2, 5, 10, 20]), listed([1, 2, 10, 20], [1, 2, 5, 10, 20])
    ('1 to 10', '1, 2, 10, 20')
    """
    first = among.index(ks[0]) if ks[0] in among else 0
    if len(ks) > MOST_LISTED and tuple(among[first : first + len(ks)]) == tuple(ks):
        return f"{ks[0]} to {ks[-1]}"
    return ", ".join(map(str, ks))
