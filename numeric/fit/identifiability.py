"""Which coefficients the runs of a fit tell apart: from the design, from the Jacobian, and in
practice.

*The design.* The columns of the Jacobian of E + A N^-beta + B D^-gamma are 1, T_N, T_N log N, T_D
and T_D log D. Each coincidence of the design makes some of them dependent. The ranks below are
those that the theorems `rank_three` and `rank_on_a_ray` prove.

*The Jacobian.* Its singular vectors are the directions in which the coefficients move and the
fitted losses hardly do. They are those of the triangle R of J = QR, which is small whatever the
number of runs.

*In practice* a coefficient is undetermined where its standard error exceeds it, or where the
interval of a prefactor is wide.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import exp, inf, log
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..results import coverage_factor
from .covariance import independence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from ..results import Estimate
    from .result import Fit

    Floats = NDArray[np.float64]

PREFACTORS, EXPONENTS = ("A", "B"), ("beta", "gamma")
COLUMNS = {"params": ("N", ("A", "beta")), "tokens": ("D", ("B", "gamma"))}
#: Logarithms whose spread is at most EXACT are one value, up to NEAR nearly one. A multiple of
#: N*(C) is constant up to FITTED: it is that of a fitted law, whose exponents rounding leaves
#: uncertain on such a design.
EXACT, NEAR, FITTED = 1e-6, 0.05, 1e-2
#: More levels than this are not told apart.
MOST_LEVELS = 8
#: Singular values below this share of the largest are zero.
RANK = 1e-10
#: Columns of unit length that are this close to dependent leave terms of one exponent open.
DEPENDENT = 1e-6
#: A column this small beside the largest, all being derivatives by logarithms and exponents, is
#: rounding.
ZERO_COLUMN = 1e-13
#: Derivatives beyond it have no squares.
LARGE = 1e150
#: Entries of a direction below this share of the largest are left out.
SHOWN = 1e-4
#: In practice undetermined: a standard error beyond this share of the coefficient, or an interval
#: of a prefactor at this level that spans more than this factor.
LARGEST_RELATIVE_ERROR, LARGEST_FACTOR, LEVEL = 1.0, 10.0, 0.9
#: A quantity is determined where it changes by at most this share of itself along the open
#: directions.
WITHIN = 1e-3
#: Laws whose losses differ by no more than this share are the same to the runs.
SAME = 1e-6
WIDTH = 100
NO_DERIVATIVES = (
    "the law's derivatives at the point that was found are too large for floats, or none"
)
OTHER_SHAPES = "at the same computes, smaller models on more tokens and larger models on fewer"
WIDER_RANGE = {
    "E": "runs of larger compute, where less of the loss is reducible",
    "A": "a wider range of N at large D",
    "beta": "a wider range of N at large D",
    "B": "a wider range of D at large N",
    "gamma": "a wider range of D at large N",
    "C0": "a wider range of compute",
    "alpha": "a wider range of compute",
}


# -- the result --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Structure:
    """A coincidence of the design.

    Attributes
    ----------
    name : str
        "fixed-params", "fixed-tokens", "two-params", "two-tokens", "fixed-ratio",
        "constant-size-ratio", "one-power", "one-budget", "line", "few-points", "few-computes".
        "one-power" is no coincidence of the design alone: on a line, the fit makes one term vanish.
    exact : bool
        Whether it holds to 1e-6 in the logarithm (1e-2 for a multiple of the fitted N*); if not, to
        0.05.
    spread : float
        How far the runs depart from it: greatest minus least logarithm.
    rank : int or None
        The most of the free coefficients that such a design determines; None where it sets no
        limit.
    text, remedy : str
        What it means, and runs that would end it.
    leaves_open : tuple of str
        Coefficients that no number of such runs would tell.
    """

    name: str
    exact: bool
    spread: float
    rank: int | None
    text: str
    remedy: str
    leaves_open: tuple[str, ...] = ()

    def __str__(self) -> str:
        nearly = (
            ""
            if self.exact or self.name == "one-power"
            else f"nearly (within {self.spread:.2g} in the logarithm): "
        )
        return f"{nearly}{self.text}"


@dataclass(frozen=True)
class Weak:
    """A coefficient that is determined on paper and not in practice, with its standard error `se`
    and the reason.
    """

    coefficient: str
    value: float
    se: float
    reason: str

    def __str__(self) -> str:
        return f"{self.coefficient} = {self.value:.4g}: {self.reason}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Identifiability:
    """What a design determines.

    Attributes
    ----------
    n_runs : int
    coefficients : tuple of str
        Those that are estimated: all but the fixed ones.
    at_bound : tuple of str
        Those that the fit put on a bound; standard errors hold them there.
    rank : int
        How many combinations of them the runs determine: the smaller of what the design permits and
        of the number of singular values above 1e-10 of the largest.
    structures : tuple of Structure
        Coincidences of the design.
    condition : float
        Condition number of J'J of the residuals in centred coordinates with columns of unit length;
        inf where it is singular.
    directions : tuple of dict of str to float
        Combined changes of the coefficients that no run notices: coordinate (E, the logarithm of a
        prefactor, an exponent) -> change, scaled so that the largest relative one is 1.
    undetermined : tuple of str
        Coefficients that move along an open direction, or that such a design leaves open.
    quantities : dict of str to bool
        alpha, C0 and the exponents of the allocation: whether they are the same for all laws that
        have these losses, to first order along the open directions and for the exchanged law.
    swapped : dict of str to float or None
        A law with the two terms exchanged that has the same losses at these runs.
    swapped_difference : float or None
        By how much, relative to the loss, it differs at any of the runs.
    weak : tuple of Weak
    reason : str
        Why there are no standard errors, where there are none.
    """

    n_runs: int
    coefficients: tuple[str, ...]
    at_bound: tuple[str, ...]
    rank: int = 0
    structures: tuple[Structure, ...] = ()
    condition: float = inf
    directions: tuple[dict[str, float], ...] = ()
    undetermined: tuple[str, ...] = ()
    quantities: dict[str, bool] = field(default_factory=dict)
    swapped: dict[str, float] | None = None
    swapped_difference: float | None = None
    weak: tuple[Weak, ...] = ()
    reason: str = ""

    @property
    def is_exchangeable(self) -> bool:
        """Whether the law with the two terms exchanged has the same losses."""
        return self.swapped_difference is not None and self.swapped_difference <= SAME

    @property
    def identified(self) -> bool:
        """Whether all coefficients are determined, and attributed to N and D."""
        one_power = any(item.name == "one-power" for item in self.structures)
        return self.rank == len(self.coefficients) and not self.is_exchangeable and not one_power

    @property
    def remedies(self) -> tuple[str, ...]:
        """Runs that would tell apart what these do not."""
        wanted = [item.remedy for item in self.structures]
        wanted += [
            WIDER_RANGE[item.coefficient] for item in self.weak if item.coefficient in WIDER_RANGE
        ]
        return tuple(dict.fromkeys(wanted))

    def __str__(self) -> str:
        return "\n".join(
            line for text in self._sentences() for line in wrap(text, WIDTH, subsequent_indent="  ")
        )

    def _sentences(self) -> Iterator[str]:
        names = ", ".join(self.coefficients)
        yield f"{self.n_runs} runs determine {self.rank} of {len(self.coefficients)} coefficients ({names})"
        yield from (f"design: {item}" for item in self.structures)
        yield from (
            f"{name} is on a bound; standard errors hold it there" for name in self.at_bound
        )
        shared = [name for name, is_determined in self.quantities.items() if is_determined]
        if self.undetermined:
            yield f"not told apart: {', '.join(self.undetermined)}"
            told = [name for name in self.coefficients if name not in self.undetermined]
            told += [] if self.swapped else shared
            yield f"determined all the same: {', '.join(told) or 'none of the coefficients by itself'}"
        for direction in self.directions:
            moves = ", ".join(f"{name} {value:+.3g}" for name, value in direction.items())
            yield f"open: {moves}: no run notices"
        if self.swapped is not None:
            law = ", ".join(f"{name} {value:.6g}" for name, value in self.swapped.items())
            yield f"exchanged law: {law}; its losses at the runs are the same to {self.swapped_difference:.1g}"
            yield f"common to both: {', '.join(shared) or 'none of alpha, C0 and the exponents of the allocation'}"
        if self.condition < inf:
            yield f"condition of J'J (centred, unit columns): {self.condition:.3g}"
        yield from (f"in practice not told: {item}" for item in self.weak)
        if self.reason:
            yield f"no standard errors: {self.reason}"
        yield from (f"would tell: {text}" for text in self.remedies)


def identifiability(fit: Fit) -> Identifiability:
    """Which coefficients of a fit its runs tell apart.

    Notes
    -----
    Of (E, log A, log B, beta, gamma) runs on the optimal path, or at any constant multiple of
    N*(C), determine 3 combinations; so do runs at one N or at one D, and runs at a fixed D/N where
    beta = gamma. At a fixed D/N with different exponents all 5 are determined, but not which term
    is that of N: the law with A' N^-gamma = B D^-gamma and B' D^-beta = A N^-beta on the ray has
    the same losses. So it is on any line D ~ N^m with m > 0, there with other exponents. One budget
    determines all 5, barely. Two distinct N determine 4.
    """
    coefficients = estimated(fit)
    linear = Linearised.of(fit)
    if linear is None:
        return Identifiability(
            n_runs=len(fit.runs),
            coefficients=coefficients,
            at_bound=fit.at_bound,
            reason=NO_DERIVATIVES,
        )
    found = structures(fit)
    rank = min(
        [linear.rank, *(item.rank for item in found if item.exact and item.rank is not None)]
    )
    is_full = rank == len(coefficients)
    directions = linear.open_directions(rank)
    moving = {name.removeprefix("log ") for direction in directions for name in direction}
    moving |= {name for item in found if item.exact for name in item.leaves_open}
    swapped, difference = _swapped(fit, found)
    weak, reason = _weak(fit) if is_full else ((), "the runs leave some coefficients undetermined")
    result = Identifiability(
        n_runs=len(fit.runs),
        coefficients=coefficients,
        at_bound=fit.at_bound,
        rank=rank,
        structures=found,
        condition=linear.condition if is_full else inf,
        directions=directions,
        undetermined=tuple(name for name in coefficients if name in moving),
        swapped=swapped,
        swapped_difference=difference,
        weak=weak,
        reason=reason,
    )
    return replace(result, quantities=_quantities(fit, linear, result, moving))


def open_coefficients(fit: Fit) -> tuple[str, ...]:
    """Coefficients of a fit that are no result, in the order of the law.

    Those that the design leaves open or lets stand for either term, that went to a limit of the
    search, and where there are no more runs than free coefficients, all of these. Terms of one
    exponent are all open where a combination of coefficients is, or one at a limit.
    """
    if fit.model.is_shared:
        columns = fit.linearised()[1][fit.free]
        at_limit = {*fit.at_bound} - {"E"}
        return fit.names if at_limit or independence(columns) < DEPENDENT else ()
    free = [name for name, is_free in zip(fit.model.coefficients, fit.free, strict=True) if is_free]
    result = fit.identifiability()
    left = {
        *fit.design.runaway(fit.theta),
        *result.undetermined,
        *(free if len(fit.runs) <= len(free) else ()),
    }
    if result.is_exchangeable:
        left.update({*PREFACTORS, *EXPONENTS} - {*fit.design.given})
    return tuple(name for name in fit.model.coefficients if name in left)


def estimated(fit: Fit) -> tuple[str, ...]:
    """The coefficients without a given value; a bound of the search is no knowledge of one that the
    fit puts on it.
    """
    return tuple(name for name in fit.model.coefficients if name not in fit.design.given)


# -- from the design ---------------------------------------------------------------------------------------------------


def structures(fit: Fit) -> tuple[Structure, ...]:
    """The coincidences of a fit's design; none for laws other than params+tokens and compute."""
    free = estimated(fit)
    if fit.model.name == "compute":
        return tuple(_few_computes(np.log(fit.runs.compute), free))
    if fit.model.name != "params-tokens":
        return ()
    x, y = np.log(fit.runs.params), np.log(fit.runs.tokens)
    found = [*_few_points(x, y, free), *_few_levels(x, y, free)]
    if not any(item.name.startswith("fixed-") for item in found):
        found += _lines(fit, x, y, free)
    return tuple(found)


def members(logs: Floats, within: float = EXACT) -> NDArray[np.int64]:
    """The number of the level of each value: from below, all within a distance of the least are one
    level.

    From the eighth level on they are counted as one: no law here has as many coefficients.
    """
    level = np.full(len(logs), MOST_LEVELS - 1)
    left = np.arange(len(logs))
    for number in range(MOST_LEVELS - 1):
        if not len(left):
            break
        inside = logs[left] <= logs[left].min() + within
        level[left[inside]] = number
        left = left[~inside]
    return level


def levels(logs: Floats, within: float = EXACT) -> int:
    """How many values there are, up to eight, where those no further apart than `within` are one."""
    return int(members(logs, within).max()) + 1


def points(x: Floats, y: Floats) -> int:
    """How many (x, y) there are, or no fewer than eight of them, where those no further apart than
    1e-6 in both are one.
    """
    return int(np.count_nonzero(np.bincount(MOST_LEVELS * members(x) + members(y))))


def spread(logs: Floats) -> float:
    """Greatest minus least."""
    return float(np.ptp(logs))


def _widest_level(logs: Floats, within: float) -> float:
    """The greatest spread of the values that count as one."""
    level = members(logs, within)
    return max(spread(logs[level == k]) for k in range(int(level.max()) + 1))


def _few_computes(logs: Floats, free: tuple[str, ...]) -> Iterator[Structure]:
    for within, exact in ((EXACT, True), (NEAR, False)):
        count = levels(logs, within)
        if count < len(free):
            text = (
                f"{_counted(count, 'distinct compute')} for {len(free)} coefficients "
                f"({', '.join(free)}): "
                f"at most {count} of them can be told"
            )
            remedy = (
                f"runs at {len(free)} or more computes, spread over several orders of magnitude"
            )
            yield Structure(
                "few-computes", exact, _widest_level(logs, within), count, text, remedy, free
            )
            return


def _few_points(x: Floats, y: Floats, free: tuple[str, ...]) -> Iterator[Structure]:
    count = points(x, y)
    if count < len(free):
        text = f"{_counted(count, 'distinct (N, D)')} for {len(free)} coefficients: at most {count} combinations of them can be told"
        yield Structure(
            "few-points",
            True,
            0.0,
            count,
            text,
            f"runs at {len(free)} or more distinct (N, D)",
            free,
        )


def _few_levels(x: Floats, y: Floats, free: tuple[str, ...]) -> Iterator[Structure]:
    """One or two distinct N or D, exactly or else nearly."""
    logs_of = {"params": x, "tokens": y}
    done = set()
    for within, exact in ((EXACT, True), (NEAR, False)):
        counts = {column: levels(logs, within) for column, logs in logs_of.items()}
        rank = additive_rank(free, counts["params"], counts["tokens"])
        for column, logs in logs_of.items():
            if counts[column] > 2 or column in done or (exact and rank == len(free)):
                continue
            done.add(column)
            letter, (prefactor, exponent) = COLUMNS[column]
            left = tuple(name for name in ("E", prefactor, exponent) if name in free)
            if counts[column] == 1:
                text = (
                    f"all runs at one {letter}: {prefactor} {letter}^-{exponent} is a constant "
                    f"there, which E can take over, "
                    f"and a larger {exponent} is made good by a larger {prefactor}"
                )
                yield Structure(
                    f"fixed-{column}",
                    exact,
                    spread(logs),
                    rank,
                    text,
                    f"runs at three or more {letter}",
                    left,
                )
            else:
                text = (
                    f"only two distinct {letter}: the two constants that {prefactor} "
                    f"{letter}^-{exponent} takes do not tell E, "
                    f"{prefactor} and {exponent} apart"
                )
                remedy = f"runs at a third {letter}, well apart from the other two"
                yield Structure(
                    f"two-{column}", exact, _widest_level(logs, within), rank, text, remedy, left
                )


def additive_rank(free: tuple[str, ...], sizes: int, data: int) -> int:
    """The rank that E + f(N) + g(D) at so many distinct N and D has at most.

    f takes one of `sizes` values and g one of `data`; E is a constant, which either can hold.
    """
    of_params = len({"A", "beta"} & set(free))
    of_tokens = len({"B", "gamma"} & set(free))
    if "E" in free:
        return 1 + min(of_params, sizes - 1) + min(of_tokens, data - 1)
    return min(min(of_params, sizes) + min(of_tokens, data), sizes + data - 1)


def balanced_rank(free: tuple[str, ...]) -> int:
    """The rank where both terms are one function of compute: span{1, R, R log C}."""
    of_terms = [name for name in free if name != "E"]
    dimensions = min(len(of_terms), 2 if set(of_terms) & set(EXPONENTS) else 1)
    return dimensions + ("E" in free)


def _lines(fit: Fit, x: Floats, y: Floats, free: tuple[str, ...]) -> Iterator[Structure]:
    """Designs on a line in log N and log D: a ray, a budget, a path; and at a constant ratio to the
    optimal size.
    """
    at_ratio, at_budget = spread(y - x), spread(y + x)
    centred = np.stack([x - x.mean(), y - y.mean()])
    across, along = np.linalg.eigh(centred @ centred.T)[1].T
    from_line, rises = spread(across @ centred), along[0] * along[1] > 0.0
    balanced = _size_ratio_spread(fit)
    balanced_exactly = balanced <= FITTED
    if balanced <= NEAR:
        also = ", here a fixed D/N with beta = gamma" if at_ratio <= EXACT else ""
        text = (
            f"all runs at one multiple of N*(C) of the fitted law{also}: both terms fall with the "
            f"same power of compute, so that "
            f"only E, the prefactor of that power and its exponent can be told"
        )
        of_terms = tuple(name for name in free if name != "E")
        rank = balanced_rank(free)
        yield Structure(
            "constant-size-ratio", balanced_exactly, balanced, rank, text, OTHER_SHAPES, of_terms
        )
    vanishing = [name for name in fit.at_bound if name in (*PREFACTORS, *EXPONENTS)]
    if vanishing and balanced > NEAR and from_line <= NEAR and rises:
        text = (
            f"the fit puts {' and '.join(vanishing)} on a bound: one power of compute describes "
            f"these runs, as on the optimal "
            f"path, so that only E, its prefactor and its exponent can be told"
        )
        yield Structure("one-power", False, from_line, None, text, OTHER_SHAPES)
    if at_ratio <= NEAR:
        if not balanced_exactly:
            text = (
                "all runs at one D/N: the two exponents are told apart by their sizes, but which "
                "belongs to N and which to D is "
                "not: the law with the two terms exchanged has the same losses"
            )
            remedy = "runs at other ratios D/N, at least four times larger or smaller"
            yield Structure("fixed-ratio", at_ratio <= EXACT, at_ratio, None, text, remedy)
    elif at_budget <= NEAR:
        text = "all runs on one budget: every coefficient is determined, but only by the curvature of one isoFLOP profile"
        remedy = "runs on other budgets, an order of magnitude or more apart"
        yield Structure("one-budget", at_budget <= EXACT, at_budget, None, text, remedy)
    elif from_line <= NEAR and rises and not balanced_exactly:
        text = (
            f"all runs on one line D ~ N^{along[1] / along[0]:.3g}: which exponent belongs to N "
            f"and which to D is not told; "
            f"the law with the two terms exchanged has the same losses"
        )
        yield Structure(
            "line",
            from_line <= EXACT,
            from_line,
            None,
            text,
            "at the same computes, runs at other sizes",
        )


def _size_ratio_spread(fit: Fit) -> float:
    """Spread of log(N/N*(C)) over the runs; infinite where the fitted law has no optimum that a
    float can hold.
    """
    needed = {name: fit.coefficients[name] for name in (*PREFACTORS, *EXPONENTS)}
    if not all(0.0 < value < inf for value in needed.values()):
        return inf
    try:
        return spread(formulas.log_size_ratio_of_run(fit.runs.params, fit.runs.tokens, **needed))
    except ValueError:
        return inf


def _swapped(
    fit: Fit, found: tuple[Structure, ...]
) -> tuple[dict[str, float] | None, float | None]:
    """The law in which each variable carries the other's term: the line through log T of one
    against the log of the other.
    """
    on_line = any(item.name in ("fixed-ratio", "line") for item in found)
    if (
        not on_line
        or fit.model.is_expression
        or fit.design.given
        or set(fit.at_bound) & {*PREFACTORS, *EXPONENTS}
    ):
        return None, None
    first = int("E" in fit.coefficients)
    of_params, of_tokens = np.log(
        fit.design.model.evaluate(fit.theta[None])[1][0, first : first + 2]
    )
    exchanged = {"E": fit.coefficients["E"]} if first else {}
    for column, term in (("params", of_tokens), ("tokens", of_params)):
        logs = np.log(getattr(fit.runs, column))
        slope, offset = np.polyfit(logs - logs.mean(), term, 1)
        if not slope < 0.0:
            return None, None
        prefactor, exponent = COLUMNS[column][1]
        exchanged |= {
            prefactor: float(np.exp(offset - slope * logs.mean())),
            exponent: float(-slope),
        }
    if not all(np.isfinite(value) for value in exchanged.values()):
        return None, None
    losses = fit.design.model.evaluate(fit.design.theta(exchanged)[None])[0][0]
    ordered = {name: exchanged[name] for name in fit.model.coefficients}
    return ordered, float(np.max(np.abs(losses / fit.fitted - 1.0)))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 or noun.endswith(')') else 's'}"


# -- from the Jacobian -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Linearised:
    """The Jacobian J of a fit in the k coordinates that are not given, plain and centred, rotated
    to m <= k rows.

    Attributes
    ----------
    names : tuple of str
        The coordinates.
    plain : ndarray
        (k, m): R' of J = QR, where J holds the derivatives of the residuals times the root of the
        weight.
    centring : ndarray
        (k, k): takes centred coordinates to the plain ones.
    size : ndarray
        (k,): by how much each coordinate changes where its coefficient changes by its own size.
    floor : float
        Columns whose norm is below this share of the largest are zero.
    """

    names: tuple[str, ...]
    plain: Floats
    centring: Floats
    size: Floats
    floor: float

    @classmethod
    def of(cls, fit: Fit) -> Linearised | None:
        """The linearisation at the fit's optimum; None where its derivatives are no numbers that
        can be squared.
        """
        is_named = not fit.model.is_expression
        free = np.array([name not in fit.design.given for name in fit.model.coefficients])
        with np.errstate(all="ignore"):
            _, jacobian, _ = fit.linearised()
            jacobian = jacobian * np.sqrt(fit.weights)
            if not np.abs(jacobian[free]).max(initial=0.0) < LARGE:
                return None
            triangle = np.asarray(
                np.linalg.qr(np.where(free[:, None], jacobian, 0.0).T, mode="r")
            ).T
        coordinates = np.array(fit.model.coordinates)[free]
        values = np.array([fit.coefficients[name] for name in estimated(fit)])
        is_log = np.array([name.startswith("log ") for name in coordinates], dtype=bool)
        return cls(
            names=tuple(coordinates.tolist()),
            plain=np.linalg.solve(fit.design.to_coordinates.T, triangle)[free],
            centring=_centring(fit, fit.design)[np.ix_(free, free)]
            if is_named
            else np.eye(len(values)),
            size=np.where(is_log | (values == 0.0), 1.0, np.abs(values)),
            floor=ZERO_COLUMN if is_named else 0.0,
        )

    @cached_property
    def centred(self) -> Floats:
        """(k, m): derivatives by the centred coordinates."""
        return np.asarray(self.centring.T @ self.plain)

    @cached_property
    def _decomposition(self) -> tuple[Floats, Floats]:
        unit, _ = _unit(self.centred, self.floor)
        vectors, values, _ = np.linalg.svd(unit, full_matrices=len(unit) > unit.shape[1])
        return np.concatenate([values, np.zeros(len(self.names) - len(values))]), vectors

    @property
    def singular_values(self) -> Floats:
        """(k,): of the centred columns of unit length, falling."""
        return self._decomposition[0]

    @property
    def rank(self) -> int:
        """How many singular values exceed 1e-10 of the largest."""
        values = self.singular_values
        return int(np.sum(values > RANK * values[0])) if len(values) else 0

    @property
    def condition(self) -> float:
        """Condition number of J'J with centred unit columns: the squared ratio of the extreme
        singular values.
        """
        values = self.singular_values
        return float((values[0] / values[-1]) ** 2) if len(values) else 1.0

    def open_directions(self, rank: int) -> tuple[dict[str, float], ...]:
        """A basis with many zeros of the directions beyond so many determined ones."""
        return tuple(map(self._change, self._open_basis(rank))) if rank < len(self.names) else ()

    def moves(self, gradient: Floats, rank: int) -> float:
        """The most that a quantity with this gradient changes, to first order, along an open
        direction.
        """
        if rank >= len(self.names):
            return 0.0
        along = self._open_basis(rank)
        along /= np.abs(along / self.size).max(axis=1, keepdims=True)
        return float(np.abs(along @ gradient).max())

    def _open_basis(self, rank: int) -> Floats:
        """(k - rank, k): the directions of the smallest singular values, with many zeros."""
        # Changes that, made alone, move the residuals equally.
        alone = 1.0 / _unit(self.plain, self.floor)[1]
        norms = _unit(self.centred, self.floor)[1]
        basis = (self.centring @ (self._decomposition[1][:, rank:] / norms[:, None])).T
        with np.errstate(all="ignore"):
            scaled = basis / alone
        scaled /= np.abs(scaled).max(axis=1, keepdims=True)
        return _reduced(scaled) * alone if np.isfinite(scaled).all() else basis

    def _change(self, move: Floats) -> dict[str, float]:
        relative = move / self.size
        largest = relative[np.argmax(np.abs(relative))]
        return {
            name: float(value)
            for name, value, part in zip(
                self.names, move / largest, relative / largest, strict=True
            )
            if abs(part) >= SHOWN
        }


def _centring(fit: Fit, design: Any) -> Floats:
    """Takes coordinates centred at the geometric means, where prefactor and exponent are both free,
    to the plain ones.
    """
    given = fit.design.given
    means = [float(np.log(getattr(fit.runs, name)).mean()) for name in fit.model.variables]
    pairs = zip(fit.model.prefactors, fit.model.exponents, means, design.centres, strict=True)
    centres = np.array(
        [centre if a in given or b in given else mean for a, b, mean, centre in pairs]
    )
    return np.asarray(replace(design, centres=centres).to_coordinates)


def _unit(columns: Floats, floor: float) -> tuple[Floats, Floats]:
    """Columns (k, m) of unit length, and their lengths (k,); those shorter than a share of the
    longest are 0, and count as of length 1.
    """
    largest = np.abs(columns).max(axis=1, initial=0.0)
    scale = np.where(largest > 0.0, largest, 1.0)
    lengths = scale * np.linalg.norm(columns / scale[:, None], axis=1)
    is_zero = lengths <= floor * lengths.max(initial=0.0)
    lengths[is_zero] = 1.0
    return np.where(is_zero[:, None], 0.0, columns / lengths[:, None]), lengths


def _reduced(basis: Floats) -> Floats:
    """The basis (m, k) of the same space that is the identity at m well-conditioned places, without
    what is small beside its rows.
    """
    from scipy.linalg import qr

    pivots = np.sort(qr(basis, mode="r", pivoting=True)[1][: len(basis)])
    reduced = np.linalg.solve(basis[:, pivots], basis)
    largest = np.abs(reduced).max(axis=1, keepdims=True)
    return np.where(np.abs(reduced) > SHOWN * largest, reduced, 0.0)


def _quantities(
    fit: Fit, linear: Linearised, result: Identifiability, moving: set[str]
) -> dict[str, bool]:
    """Whether each quantity is the same for all laws with these losses: along the open directions,
    and under the exchange.
    """
    if fit.model.name != "params-tokens":
        return {}
    from .derived import default_quantities

    names = {item.name for item in result.structures}
    determined = {}
    try:
        law: Any = fit.law_of(fit.coefficients)
        other: Any = (
            fit.law_of(result.swapped)
            if result.swapped is not None and result.is_exchangeable
            else law
        )
        for item in default_quantities():
            value, gradient = item.value(law), item.gradient(law)
            settled = not moving & set(item.coefficients)
            if not settled and "constant-size-ratio" in names:
                along = linear.moves(
                    np.array([gradient[coordinate] for coordinate in linear.names]), result.rank
                )
                settled = along <= WITHIN * abs(value)
            same = abs(item.value(other) - value) <= WITHIN * abs(value)
            determined[item.name] = settled and same and "one-power" not in names
    except ValueError:
        return {}
    return determined


# -- in practice -------------------------------------------------------------------------------------------------------


def _weak(fit: Fit) -> tuple[tuple[Weak, ...], str]:
    try:
        return hardly_determined(fit, fit.wald(LEVEL)), ""
    except ValueError as error:
        return (), str(error).removeprefix("covariance: ")


def hardly_determined(fit: Fit, estimates: Mapping[str, Estimate]) -> tuple[Weak, ...]:
    """The free coefficients that are undetermined in practice, by estimates of level 0.9."""
    weak = []
    for name, coordinate, is_free in zip(fit.names, fit.model.coordinates, fit.free, strict=True):
        if not is_free:
            continue
        estimate = estimates[name]
        value, low, high = estimate.value, estimate.low, estimate.high
        assert low is not None
        assert high is not None
        error, wide = estimate.standard_error, "standard error"
        if error is None:  # the normal one of an interval as wide
            error = (high - low) / (2.0 * coverage_factor(LEVEL))
            wide = f"{LEVEL:.0%} interval, that of a normal standard error of"
        if coordinate != name:
            span = log(high / low) if low > 0.0 and high < inf else inf
            if span > log(LARGEST_FACTOR):
                orders = f"{span / log(10.0):.3g} orders of magnitude"
                factor = f"a factor of {exp(span):.3g}" if span < 50.0 else orders
                weak.append(Weak(name, value, error, f"its {LEVEL:.0%} interval spans {factor}"))
        elif error > LARGEST_RELATIVE_ERROR * abs(value):
            weak.append(Weak(name, value, error, f"its {wide} {error:.3g} exceeds it"))
    return tuple(weak)
