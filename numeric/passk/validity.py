"""Where laws of -log pass@k at several k contradict each other: where they say that more samples solve fewer problems.

pass@k does not fall with k. Laws y_k(C) = E + C0 C^-alpha whose coefficients depend on k break this wherever y_k2(C) > y_k1(C)
for some k1 < k2. The difference of two such laws turns once
(isoflop.derivations.passk.laws_with_floors_cross_at_most_twice), so they cross at most twice,
and bisection on either side of the turning point finds every crossing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import exponent_number, nonnegative_number, number, outside, positive_number
from ..formulas import log_crossing_compute, log_turning_compute

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Spans = tuple[tuple[float, float], ...]

__all__ = ["Crossing", "Validity", "Violation", "as_compute_law", "log_crossings", "validity", "validity_floor", "violations_at"]

#: log C is searched between minus and plus this, 1e-300 to 1e300 FLOP: beyond it a crossing counts as 0 or as infinite.
LARGEST_LOG_COMPUTE = 300.0 * float(np.log(10.0))
#: Halvings of that interval, enough for neighbouring floats.
HALVINGS = 64


class ComputeCoefficients(NamedTuple):
    """y = E + C0 C^-alpha: three numbers, or arrays that broadcast."""

    E: Any
    C0: Any
    alpha: Any


# -- crossings of two laws ---------------------------------------------------------------------------------------------


class LogCrossings(NamedTuple):
    """Crossings of laws at k1 < k2, over log C.

    Attributes
    ----------
    roots : ndarray
        (..., 2): log C of the crossings below and above the turning point; NaN where there is none.
    wrong_below, wrong_above : ndarray
        (...): whether y_k2 > y_k1 at the two ends of the range of compute.
    """

    roots: Floats
    wrong_below: Flags
    wrong_above: Flags

    @property
    def log_floor(self) -> Floats:
        """(...): log C_x, above which y_k2 <= y_k1; -inf where that holds everywhere, inf where at no large compute."""
        last = np.where(np.isnan(self.roots), -np.inf, self.roots).max(axis=-1)
        last = np.where(self.wrong_below & np.isneginf(last), np.inf, last)
        return np.where(self.wrong_above, np.inf, last)


def log_crossings(first: Any, second: Any) -> LogCrossings:
    """Every crossing of y = E + C0 C^-alpha at k1 and at k2 > k1.

    Parameters
    ----------
    first, second : (E, C0, alpha)
        Of k1 and of k2: numbers or arrays that broadcast; E >= 0 in nats, C0 > 0, alpha > 0.

    Returns
    -------
    LogCrossings

    Raises
    ------
    ValueError
        Where a coefficient is outside its domain.
    """
    (e1, c1, a1), (e2, c2, a2) = np.broadcast_arrays(*(np.stack(np.broadcast_arrays(*_checked(law))) for law in (first, second)))
    log_c1, log_c2 = np.log(c1), np.log(c2)
    with np.errstate(divide="ignore"):
        above, below = np.log(np.maximum(e1 - e2, 0.0)), np.log(np.maximum(e2 - e1, 0.0))

    def wrong(log_compute: Floats) -> Flags:
        few, many = log_c1 - a1 * log_compute, log_c2 - a2 * log_compute
        return np.asarray(np.logaddexp(above, few) < np.logaddexp(below, many))

    turn = np.zeros_like(a1)
    differ = a1 != a2
    turn[differ] = log_turning_compute(C0_1=c1[differ], C0_2=c2[differ], alpha_1=a1[differ], alpha_2=a2[differ])
    ends = np.full_like(a1, LARGEST_LOG_COMPUTE)
    turn = np.clip(turn, -ends, ends)
    sides = [_bisected(wrong, low, high) for low, high in ((-ends, turn), (turn, ends))]
    roots = np.stack(sides, axis=-1)
    bare = differ & (e1 == e2) & ~np.isnan(roots).all(axis=-1)  # floors that cancel: the crossing is known in closed form
    exact = log_crossing_compute(C0_1=c1[bare], C0_2=c2[bare], alpha_1=a1[bare], alpha_2=a2[bare])
    roots[bare] = np.where(np.isnan(roots[bare]), np.nan, np.asarray(exact)[..., None])
    return LogCrossings(roots, wrong(-ends), wrong(ends))


def _bisected(wrong: Any, low: Floats, high: Floats) -> Floats:
    """Where the order changes between two points, or NaN where it is the same at both."""
    at_low = wrong(low)
    changes = at_low != wrong(high)
    inner, outer = low.copy(), high.copy()
    for _ in range(HALVINGS):
        middle = 0.5 * (inner + outer)
        same = wrong(middle) == at_low
        inner, outer = np.where(same, middle, inner), np.where(same, outer, middle)
    return np.where(changes, 0.5 * (inner + outer), np.nan)


def _checked(law: Any) -> tuple[Floats, Floats, Floats]:
    found = []
    for name, values in zip(ComputeCoefficients._fields, law, strict=True):
        array = np.asarray(values, dtype=np.float64)
        good = np.isfinite(array) & ((array >= 0.0) if name == "E" else (array > 0.0))
        if not good.all():
            domain = "a finite number of at least 0" if name == "E" else "a positive finite number"
            raise outside(name, float(array[~good].flat[0]), domain)
        found.append(array)
    return found[0], found[1], found[2]


def validity_floor(E: Any, C0: Any, alpha: Any) -> Any:
    """C_x of many sets of laws at once, for instance of bootstrap draws: above it no two k contradict each other.

    Parameters
    ----------
    E, C0, alpha : array_like
        (..., K): coefficients of y = E + C0 C^-alpha at K >= 1 values of k, which increase along the last axis.

    Returns
    -------
    ndarray
        (...), FLOP: the largest over the pairs of k; 0 where no compute is excluded, inf where every large compute is.
    """
    coefficients = np.broadcast_arrays(*_checked((E, C0, alpha)))
    if not coefficients[0].ndim:
        raise outside("E", E, "an array with one value for every k along its last axis")
    i, j = np.triu_indices(coefficients[0].shape[-1], 1)
    first, second = ([x[..., part] for x in coefficients] for part in (i, j))
    floors = log_crossings(first, second).log_floor
    return np.exp(floors.max(axis=-1, initial=-np.inf))


# -- all pairs ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """Two laws at k1 < k2.

    Attributes
    ----------
    k : tuple of float
        k1 and k2.
    compute : tuple of float
        FLOP at which y_k1 = y_k2: none, one or two, ascending.
    wrong : tuple of (float, float)
        Intervals of compute where y_k2 > y_k1; 0 and inf stand for the ends of the range.
    """

    k: tuple[float, float]
    compute: tuple[float, ...]
    wrong: Spans

    @property
    def floor(self) -> float:
        """C_x of this pair: 0 where it is nowhere wrong, inf where it is wrong at every large compute."""
        return self.wrong[-1][1] if self.wrong else 0.0


@dataclass(frozen=True, kw_only=True)
class Validity:
    """Where laws at several k can hold together.

    Attributes
    ----------
    k : tuple of float
    pairs : tuple of Crossing
        Every pair k1 < k2.
    """

    k: tuple[float, ...]
    pairs: tuple[Crossing, ...]

    @property
    def wrong(self) -> Spans:
        """Intervals of compute at which some pair is wrong, merged."""
        return tuple(_merged(span for pair in self.pairs for span in pair.wrong))

    @property
    def floor(self) -> float:
        """C_x, FLOP: above it no pair is wrong; 0 where none is anywhere, inf where one is at every large compute."""
        return max((pair.floor for pair in self.pairs), default=0.0)

    @property
    def binding(self) -> tuple[float, float] | None:
        """The pair of k that sets the floor."""
        worst = max(self.pairs, key=lambda pair: pair.floor, default=None)
        return worst.k if worst is not None and worst.wrong else None

    def within(self, low: float, high: float) -> Spans:
        """What is wrong of a range of compute."""
        low, high = positive_number("low", low), positive_number("high", high)
        if not low < high:
            raise outside("high", high, f"above low={low!r}")
        return tuple((max(low, a), min(high, b)) for a, b in self.wrong if a < high and b > low)

    def holds(self, compute: Any) -> Any:
        """Whether no pair is wrong at a compute: a flag, or an array of them."""
        values = np.asarray(compute, dtype=np.float64)
        bad = ~(np.isfinite(values) & (values > 0.0))
        if bad.any():
            raise outside("compute", float(values[bad].flat[0]), "positive finite numbers")
        found = np.ones(values.shape, dtype=bool)
        for low, high in self.wrong:
            found &= ~((low < values) & (values < high))
        return bool(found) if found.ndim == 0 else found

    def require(self, compute: Any) -> None:
        """Raise a ValueError where the laws contradict each other at a compute."""
        values = np.asarray(compute, dtype=np.float64)
        wrong = ~np.asarray(self.holds(values))
        if wrong.any():
            shown = float(values[wrong].flat[0])
            pair = next(p for p in self.pairs if any(low < shown < high for low, high in p.wrong))
            raise ValueError(
                f"compute={shown:.6g}: the laws at k={pair.k[0]:g} and k={pair.k[1]:g} contradict each other there (more samples "
                f"would solve fewer problems); they hold together for {self._allowed()}"
            )

    def _allowed(self) -> str:
        edges = [0.0, *(edge for span in self.wrong for edge in span), np.inf]
        spans = [(low, high) for low, high in zip(edges[::2], edges[1::2], strict=True) if low < high]
        return " and ".join(_span(*span) for span in spans) or "no compute"

    def as_dict(self) -> dict[str, Any]:
        """Plain data; None for an unlimited end."""
        return {
            "k": list(self.k),
            "floor": _finite(self.floor),
            "bounded": bool(np.isfinite(self.floor)),
            "binding": None if self.binding is None else list(self.binding),
            "wrong": [[low, _finite(high)] for low, high in self.wrong],
            "pairs": [
                {
                    "k": list(pair.k),
                    "crossings": list(pair.compute),
                    "wrong": [[low, _finite(high)] for low, high in pair.wrong],
                }
                for pair in self.pairs
            ],
        }

    def __str__(self) -> str:
        from ..fit.text import table

        rows = [
            (
                f"{a:g}, {b:g}",
                ", ".join(f"{c:.4g}" for c in pair.compute) or "none",
                " and ".join(_span(*s) for s in pair.wrong) or "-",
            )
            for pair in self.pairs
            for a, b in (pair.k,)
        ]
        head = f"The laws hold together for {self._allowed()}"
        return "\n".join([head, *(table(("k1, k2", "cross at C", "contradict for"), rows) if rows else ())])


def validity(laws: Mapping[Any, Any]) -> Validity:
    """Where the compute laws at several k can hold together.

    Parameters
    ----------
    laws : mapping of number to law
        k to a `ComputeLaw`, to (E, C0, alpha), to a mapping with these names, or to a params+tokens `Law`, which stands for its
        compute-optimal envelope.

    Returns
    -------
    Validity

    Raises
    ------
    ValueError
        Where a k or a coefficient is outside its domain, or a law has no E.

    Notes
    -----
    The floor C_x of laws with E = 0 is (C0_2/C0_1)^(1/(alpha_2 - alpha_1)), isoflop.derivations.passk.crossing_of_two_k.

    Examples
    --------
    >>> found = validity({1: (0.0, 1e3, 0.15), 10: (0.0, 1e5, 0.25)})
    >>> f"{found.floor:.6g}"
    '1e+20'
    >>> found.holds([1e19, 1e21]).tolist()
    [False, True]
    """
    ordered = _by_k(laws, as_compute_law)
    pairs = []
    for (k1, first), (k2, second) in combinations(ordered, 2):
        found = log_crossings(first, second)
        roots = tuple(float(np.exp(root)) for root in found.roots if not np.isnan(root))
        edges = [0.0, *roots, np.inf]
        spans = tuple(span for n, span in enumerate(pairwise(edges)) if bool(found.wrong_below) == (n % 2 == 0))
        pairs.append(Crossing(k=(k1, k2), compute=roots, wrong=spans))
    return Validity(k=tuple(k for k, _ in ordered), pairs=tuple(pairs))


def as_compute_law(law: Any, name: str = "law") -> ComputeCoefficients:
    """E, C0 and alpha of a compute law in any spelling, or of the envelope of a params+tokens law."""
    from ..law import Law

    if isinstance(law, Law):
        values: Sequence[Any] = (law.E, law.envelope.coefficient, law.envelope.exponent)
    elif isinstance(law, Mapping):
        missing = [key for key in ComputeCoefficients._fields if key not in law]
        if missing:
            raise outside(name, dict(law), f"a mapping with E, C0 and alpha (missing: {', '.join(missing)})")
        values = [law[key] for key in ComputeCoefficients._fields]
    elif hasattr(law, "C0"):
        values = (law.E, law.C0, law.alpha)
    else:
        values = tuple(law) if isinstance(law, Iterable) and not isinstance(law, str) else ()
        if len(values) != 3:
            raise outside(name, law, "a compute law: E, C0 and alpha")
    E, C0, alpha = values
    if E is None:
        raise ValueError(f"{name}: E=None: the order of -log pass@k across k needs a value")
    return ComputeCoefficients(nonnegative_number("E", E), positive_number("C0", C0), exponent_number("alpha", alpha))


def _by_k(laws: Mapping[Any, Any], read: Any) -> list[tuple[float, Any]]:
    if not laws:
        raise outside("laws", dict(laws), "at least one law, by its k")
    found = [(number("k", k, "a number of at least 1"), read(law, f"laws[{k!r}]")) for k, law in laws.items()]
    for k, _ in found:
        if not k >= 1.0:
            raise outside("k", k, "a number of at least 1")
    if len({k for k, _ in found}) < len(found):
        raise outside("laws", list(laws), "laws at different k")
    return sorted(found, key=lambda pair: pair[0])


# -- laws at given runs ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Violation:
    """A point at which the laws at k1 < k2 contradict each other.

    Attributes
    ----------
    point : int
        Index into the points.
    k : tuple of float
        k1 and k2.
    neg_log : tuple of float
        y at k1 and at k2, nats.
    """

    point: int
    k: tuple[float, float]
    neg_log: tuple[float, float]

    @property
    def excess(self) -> float:
        """y_k2 - y_k1 > 0, nats."""
        return self.neg_log[1] - self.neg_log[0]


def violations_at(
    laws: Mapping[Any, Any], *, compute: Any = None, params: Any = None, tokens: Any = None
) -> tuple[Violation, ...]:
    """The pairs of k whose laws contradict each other at given runs.

    Parameters
    ----------
    laws : mapping of number to law
        k to a law: params+tokens laws for `params` and `tokens`, compute laws (as in `validity`) for `compute`.
    compute : float or array_like, optional
        FLOP.
    params, tokens : float or array_like, optional
        Runs; broadcast. Give either compute or both of these.

    Returns
    -------
    tuple of Violation
        In the order of the points, the largest excess first at each; empty where the laws hold together at all of them.
    """
    given = tuple(name for name, x in (("compute", compute), ("params", params), ("tokens", tokens)) if x is not None)
    if given not in (("compute",), ("params", "tokens")):
        raise ValueError(f"given {', '.join(given) or 'none'}: must be compute, or params and tokens")
    values = list(_values(laws, compute) if given == ("compute",) else _values_of_runs(laws, params, tokens))
    found = [
        Violation(point=int(point), k=(k1, k2), neg_log=(float(first[point]), float(second[point])))
        for (k1, first), (k2, second) in combinations(values, 2)
        for point in np.flatnonzero(second > first)
    ]
    return tuple(sorted(found, key=lambda violation: (violation.point, -violation.excess, violation.k)))


def _values(laws: Mapping[Any, Any], compute: Any) -> Iterator[tuple[float, Floats]]:
    from ..compute_law import ComputeLaw

    for k, law in _by_k(laws, as_compute_law):
        yield k, np.ravel(ComputeLaw(**law._asdict()).loss(np.asarray(compute, dtype=np.float64)))


def _values_of_runs(laws: Mapping[Any, Any], params: Any, tokens: Any) -> Iterator[tuple[float, Floats]]:
    for k, law in _by_k(laws, lambda law, name: law):
        if not hasattr(law, "needed"):
            raise outside(f"laws[{k:g}]", law, "a params+tokens law")
        yield k, np.ravel(law.loss(np.asarray(params, dtype=np.float64), np.asarray(tokens, dtype=np.float64)))


# -- intervals ---------------------------------------------------------------------------------------------------------


def _merged(spans: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for low, high in sorted(spans):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def _span(low: float, high: float) -> str:
    if low == 0.0:
        return "every C" if high == np.inf else f"C < {high:.4g}"
    return f"C > {low:.4g}" if high == np.inf else f"{low:.4g} < C < {high:.4g}"


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
