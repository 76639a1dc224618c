"""Starts for a law about whose coefficients nothing is known.

The coefficients in which the law is not linear are drawn: their sizes from a Latin hypercube over
the sizes that numbers in such laws have, pure numbers such as exponents, or the scale of a variable
or of its reciprocal, both signs. The others follow from linear least squares. The draws that fit
best move downhill, many at once, and where they end become starts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DRAWS = 1024  # for every coefficient that is drawn
MOST_DRAWS = 8192
MOST_RUNS = 400  # the scan looks at so many runs, evenly spaced
BLOCK = 65_536
PURE_NUMBERS = (-3.0, 1.0)  # log10 of their sizes
MARGIN = 1.0  # how far beyond a variable's range, in log10, its scale may lie
RIDGE = 1e-13
LONGEST = 3.0  # a step downhill, in the logarithm of a size
POSITIVE = 0.75  # share of draws above 0 where both signs are allowed
REFINED, DOWNHILL = 256, 20  # so many draws take so many steps downhill
#: Starts differ by at least this much in the logarithm of some coefficient, or in a sign.
APART = 0.2


def starts(
    model: Any,
    observed: Floats,
    weights: Floats,
    lower: Floats,
    upper: Floats,
    *,
    count: int,
    seed: int = 0,
) -> Floats:
    """Up to `count` coefficient vectors (m, p), the best first.

    Parameters
    ----------
    model : ExpressionModel
    observed : ndarray
        (n,).
    weights : ndarray
        (n,): of the squared differences between the law and what is observed.
    lower, upper : ndarray
        (p,): bounds; equal for a coefficient that is fixed.
    count, seed : int
    """
    model, observed, weights = _thinned(model, observed, weights)
    linear, drawn = _parts(model, lower, upper)
    theta = _draws(model, drawn, lower, upper, np.random.default_rng(seed))
    scores = np.empty(len(theta))
    rows = max(1, BLOCK // model.size)
    for first in range(0, len(theta), rows):
        block = slice(first, first + rows)
        scores[block] = solve_linear(model, observed, weights, theta[block], linear, lower, upper)
    kept = np.argsort(scores, kind="stable")[:REFINED]
    kept = kept[np.isfinite(scores[kept])]
    theta, scores = _downhill(model, observed, weights, theta[kept], drawn, linear, lower, upper)
    return _distinct(theta, scores, drawn, count)


def refined(
    model: Any, observed: Floats, weights: Floats, theta: Floats, lower: Floats, upper: Floats
) -> Floats:
    """Coefficients (K, p) that are the caller's, as they are and further downhill: (2 K, p)."""
    model, observed, weights = _thinned(model, observed, weights)
    linear, drawn = _parts(model, lower, upper)
    lowered, _ = _downhill(model, observed, weights, theta.copy(), drawn, linear, lower, upper)
    return np.concatenate([theta, lowered])


def _thinned(model: Any, observed: Floats, weights: Floats) -> tuple[Any, Floats, Floats]:
    runs = np.unique(np.linspace(0, model.size - 1, min(model.size, MOST_RUNS)).round().astype(int))
    return model.part(runs), observed[runs], weights[runs]


def _parts(model: Any, lower: Floats, upper: Floats) -> tuple[Any, Any]:
    """Positions of the free coefficients in which the law is linear, and of the other free ones."""
    free = np.flatnonzero(lower < upper)
    is_linear = np.isin(free, model.linear)
    return free[is_linear], free[~is_linear]


def _draws(
    model: Any, drawn: Any, lower: Floats, upper: Floats, random: np.random.Generator
) -> Floats:
    base = np.clip(np.zeros(len(lower)), lower, upper)
    if not len(drawn):
        return base[None].copy()
    count = min(MOST_DRAWS, DRAWS * len(drawn))
    uniform = _latin_hypercube(count, 2 * len(drawn), random)
    theta = np.tile(base, (count, 1))
    ranges = _sizes(model.variables.values())
    for k, i in enumerate(drawn):
        theta[:, i] = _one(uniform[:, 2 * k], uniform[:, 2 * k + 1], ranges, lower[i], upper[i])
    return theta


def _latin_hypercube(count: int, width: int, random: np.random.Generator) -> Floats:
    """Points (count, width) of the unit cube, one in every slice of the width 1/count along every
    axis.
    """
    slices = np.stack([random.permutation(count) for _ in range(width)], axis=1)
    return np.asarray((slices + random.random((count, width))) / count)


def _sizes(variables: Any) -> list[tuple[float, float]]:
    """Ranges of log10 of the sizes that a coefficient may have: pure numbers twice, the scales of
    variables, reciprocals.
    """
    scales = []
    for array in variables:
        sizes = np.abs(array[array != 0.0])
        if sizes.size:
            low, high = np.log10(sizes.min()) - MARGIN, np.log10(sizes.max()) + MARGIN
            scales += [(low, high), (-high, -low)]
    return [PURE_NUMBERS] * max(1, len(scales)) + scales


def _one(
    which: Floats, sign: Floats, ranges: Sequence[tuple[float, float]], lower: float, upper: float
) -> Floats:
    """Numbers between the bounds: evenly between two bounds of like size, else by size and sign."""
    if np.isfinite(lower) and np.isfinite(upper):
        if lower > 0.0 and upper > 10.0 * lower:
            return np.asarray(lower * (upper / lower) ** which)
        return lower + (upper - lower) * which
    position = which * len(ranges)
    chosen = np.minimum(position.astype(int), len(ranges) - 1)
    lows, highs = np.array(ranges).T
    sizes = 10.0 ** (lows[chosen] + (highs - lows)[chosen] * (position - chosen))
    if lower >= 0.0:
        return lower + sizes
    if upper <= 0.0:
        return upper - sizes
    return np.clip(np.where(sign < POSITIVE, sizes, -sizes), lower, upper)


def solve_linear(
    model: Any,
    observed: Floats,
    weights: Floats,
    theta: Floats,
    linear: Any,
    lower: Floats,
    upper: Floats,
) -> Floats:
    """Put the best linear coefficients into theta (K, p); the weighted sums of squares, infinite
    where there is none.

    `observed` and `weights` are (n,) or (K, n), the bounds (p,) or (K, p).
    """
    if len(linear):
        theta[:, linear] = 0.0
    values, jacobian = model.evaluate(theta)
    with np.errstate(all="ignore"):
        root = np.sqrt(weights)
        target = (observed - values) * root
        columns = jacobian[:, linear] * root[..., None, :]
        good = np.isfinite(target).all(axis=1) & np.isfinite(columns).all(axis=(1, 2))
        target[~good], columns[~good] = 0.0, 0.0
        if len(linear):
            found = _least_squares(columns, target)
            inside = np.clip(found, lower[..., linear], upper[..., linear])
            if (
                inside != found
            ).any():  # those beyond their bounds stay at them, the others are solved for again
                held = inside != found
                rest = target - np.einsum("kl,kln->kn", np.where(held, inside, 0.0), columns)
                found = np.where(
                    held, inside, _least_squares(np.where(held[:, :, None], 0.0, columns), rest)
                )
                inside = np.clip(found, lower[..., linear], upper[..., linear])
            theta[:, linear] = inside
            target = target - np.einsum("kl,kln->kn", inside, columns)
        scores = np.sum(target**2, axis=1)
    return np.where(good & np.isfinite(scores), scores, np.inf)


def _downhill(
    model: Any,
    observed: Floats,
    weights: Floats,
    theta: Floats,
    drawn: Any,
    linear: Any,
    lower: Floats,
    upper: Floats,
) -> tuple[Floats, Floats]:
    """Coefficients (K, p) after damped Gauss-Newton steps in the logarithms of the drawn sizes, and
    their sums of squares.
    """
    scores = solve_linear(model, observed, weights, theta, linear, lower, upper)
    damping = np.full(len(theta), 0.1)
    moved = np.concatenate([drawn, linear])
    root = np.sqrt(weights)
    for _ in range(DOWNHILL if len(drawn) else 0):
        with np.errstate(all="ignore"):
            values, jacobian = model.evaluate(theta)
            slopes = np.concatenate([theta[:, drawn], np.ones((len(theta), len(linear)))], axis=1)
            columns = jacobian[:, moved] * slopes[:, :, None] * root
            good = np.isfinite(columns).all(axis=(1, 2)) & np.isfinite(values).all(axis=1)
            columns[~good] = 0.0
            target = np.where(good[:, None], (observed - values) * root, 0.0)
            step = np.clip(_least_squares(columns, target, damping), -LONGEST, LONGEST)
            trial = theta.copy()
            trial[:, drawn] = np.clip(
                theta[:, drawn] * np.exp(step[:, : len(drawn)]), lower[drawn], upper[drawn]
            )
        found = solve_linear(model, observed, weights, trial, linear, lower, upper)
        better = found < scores
        theta[better], scores[better] = trial[better], found[better]
        damping = np.where(better, 0.2 * damping, 5.0 * damping)
    return theta, scores


def _least_squares(columns: Floats, target: Floats, damping: Any = 0.0) -> Floats:
    """Coefficients (K, l) of columns (K, l, n) closest to targets (K, n), damped in units of the
    columns' lengths.
    """
    lengths = np.linalg.norm(columns, axis=2)
    scale = np.where(lengths > 0.0, lengths, 1.0)
    unit = columns / scale[:, :, None]
    added = np.broadcast_to(RIDGE + np.asarray(damping), len(columns))[:, None] + (lengths == 0.0)
    gram = np.matmul(unit, unit.transpose(0, 2, 1)) + added[:, :, None] * np.eye(columns.shape[1])
    right = np.einsum("kln,kn->kl", unit, target)
    return np.asarray(np.linalg.solve(gram, right[:, :, None])[:, :, 0] / scale)


def _distinct(theta: Floats, scores: Floats, drawn: Any, count: int) -> Floats:
    """The best vectors that differ from each other in a coefficient that was drawn."""
    with np.errstate(divide="ignore"):
        logs, signs = np.log(np.abs(theta[:, drawn])), np.sign(theta[:, drawn])
    kept: list[int] = []
    for i in np.argsort(scores, kind="stable"):
        if len(kept) == count or not np.isfinite(scores[i]):
            break
        same = (np.abs(logs[kept] - logs[i]) < APART) & (signs[kept] == signs[i])
        if not kept or (len(drawn) and not same.all(axis=1).any()):
            kept.append(int(i))
    return theta[kept]
