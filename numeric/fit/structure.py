"""What a design can tell before anything is fitted: how many of the coefficients its sizes, tokens and computes determine.

The columns of the Jacobian of E + A N^-beta + B D^-gamma are 1, T_N, T_N log N, T_D and T_D log D. Each coincidence of the
design makes some of them dependent; the ranks below are those that `isoflop.derivations.data.rank_at_fixed_size`,
`rank_on_a_constant_size_ratio`, `rank_on_a_ray` and `rank_on_a_ray_with_equal_exponents` prove.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .result import Fit

    Floats = NDArray[np.float64]

#: Logarithms whose spread is at most this are one value.
EXACT = 1e-6
#: And up to this spread they are nearly one.
NEAR = 0.05
#: A multiple of N*(C) counts as constant up to this spread: it is that of a fitted law, whose exponents rounding leaves
#: uncertain on such a design.
FITTED = 1e-2
#: More levels than this are not told apart.
MOST_LEVELS = 8
PREFACTORS, EXPONENTS = ("A", "B"), ("beta", "gamma")
COLUMNS = {"params": ("N", ("A", "beta")), "tokens": ("D", ("B", "gamma"))}


@dataclass(frozen=True)
class Structure:
    """A coincidence of the design.

    Attributes
    ----------
    name : str
        "fixed-params", "fixed-tokens", "two-params", "two-tokens", "fixed-ratio", "constant-size-ratio", "one-power",
        "one-budget", "line", "few-points", "few-computes".
    exact : bool
        Whether it holds to 1e-6 in the logarithm (1e-2 for a multiple of the fitted N*); if not, it holds to 0.05.
    spread : float
        How far the runs depart from it: greatest minus least logarithm.
    rank : int or None
        The most of the free coefficients that such a design determines; None where it sets no limit.
    text : str
        What it means. "one-power" is no coincidence of the design alone: on a line, the fit makes one term vanish.
    remedy : str
        Runs that would end it.
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

    def as_dict(self) -> dict[str, Any]:
        """The attributes as plain data."""
        return {
            "name": self.name,
            "exact": self.exact,
            "spread": self.spread,
            "rank": self.rank,
            "text": self.text,
            "remedy": self.remedy,
            "leaves_open": list(self.leaves_open),
        }

    def __str__(self) -> str:
        nearly = "" if self.exact or self.name == "one-power" else f"nearly (within {self.spread:.2g} in the logarithm): "
        return f"{nearly}{self.text}"


def structures(fit: Fit) -> tuple[Structure, ...]:
    """The coincidences of a fit's design; none for laws other than params+tokens and compute."""
    free = estimated(fit)
    if fit.model.name == "compute":
        return _of_computes(np.log(fit.runs.compute), free)
    if fit.model.name != "params-tokens":
        return ()
    x, y = np.log(fit.runs.params), np.log(fit.runs.tokens)
    found = [*_few_points(x, y, free), *_few_levels(x, y, free)]
    if not any(item.name.startswith("fixed-") for item in found):
        found += _lines(fit, x, y, free)
    return tuple(found)


def estimated(fit: Fit) -> tuple[str, ...]:
    """The coefficients without a given value; a bound of the search is no knowledge of one that the fit puts on it."""
    return tuple(name for name in fit.model.coefficients if name not in fit.design.given)


def members(logs: Floats, within: float = EXACT) -> NDArray[np.int64]:
    """The number of the level of each value: from below, all within a distance of the least are one level.

    From the eighth level on they are counted as one: no law here has as many coefficients.
    """
    order = np.argsort(logs, kind="stable")
    ordered = logs[order]
    found = np.empty(len(logs), dtype=np.int64)
    start = level = 0
    while start < len(ordered):
        last = level == MOST_LEVELS - 1
        end = len(ordered) if last else int(np.searchsorted(ordered, ordered[start] + within, side="right"))
        found[order[start:end]] = level
        start, level = end, level + 1
    return found


def levels(logs: Floats, within: float = EXACT) -> int:
    """How many values there are, up to eight, where those no further apart than `within` are one."""
    return int(members(logs, within).max()) + 1


def points(x: Floats, y: Floats) -> int:
    """How many (x, y) there are, or no fewer than eight of them, where those no further apart than 1e-6 in both are one."""
    return int(np.unique(np.stack([members(x), members(y)]), axis=1).shape[1])


def spread(logs: Floats) -> float:
    """Greatest minus least."""
    return float(np.ptp(logs))


def slope(x: Floats, y: Floats) -> tuple[Floats, float]:
    """The direction (p, q) of the line that is closest to the points, and the spread of the distances from it."""
    centred = np.stack([x - x.mean(), y - y.mean()])
    axes = np.linalg.svd(centred, full_matrices=False)[0]
    return axes[:, 0], spread(axes[:, 1] @ centred)


# -- the compute law ---------------------------------------------------------------------------------------------------


def _of_computes(logs: Floats, free: tuple[str, ...]) -> tuple[Structure, ...]:
    for within, exact in ((EXACT, True), (NEAR, False)):
        count = levels(logs, within)
        if count < len(free):
            text = (
                f"{_counted(count, 'distinct compute')} for {len(free)} coefficients ({', '.join(free)}): "
                f"at most {count} of them can be told"
            )
            remedy = f"runs at {len(free)} or more computes, spread over several orders of magnitude"
            return (Structure("few-computes", exact, _within(logs, within), count, text, remedy, free),)
    return ()


def _within(logs: Floats, within: float) -> float:
    """The greatest spread of the values that count as one."""
    level = members(logs, within)
    return max(spread(logs[level == k]) for k in range(int(level.max()) + 1))


# -- the params+tokens law ---------------------------------------------------------------------------------------------


def _few_points(x: Floats, y: Floats, free: tuple[str, ...]) -> list[Structure]:
    count = points(x, y)
    if count >= len(free):
        return []
    text = f"{_counted(count, 'distinct (N, D)')} for {len(free)} coefficients: at most {count} combinations of them can be told"
    return [Structure("few-points", True, 0.0, count, text, f"runs at {len(free)} or more distinct (N, D)", free)]


def _few_levels(x: Floats, y: Floats, free: tuple[str, ...]) -> list[Structure]:
    found: list[Structure] = []
    for within, exact in ((EXACT, True), (NEAR, False)):
        counts = {"params": levels(x, within), "tokens": levels(y, within)}
        for column, logs in (("params", x), ("tokens", y)):
            letter, (prefactor, exponent) = COLUMNS[column]
            if counts[column] > 2 or {item.name.split("-")[1] for item in found} & {column}:
                continue
            rank = additive_rank(free, counts["params"], counts["tokens"])
            if exact and rank == len(free):
                continue
            open_there = tuple(name for name in ("E", prefactor, exponent) if name in free)
            if counts[column] == 1:
                text = (
                    f"all runs at one {letter}: {prefactor} {letter}^-{exponent} is a constant there, which E can take over, and "
                    f"a larger {exponent} is made good by a larger {prefactor}"
                )
                found.append(
                    Structure(f"fixed-{column}", exact, spread(logs), rank, text, f"runs at three or more {letter}", open_there)
                )
            elif not exact or rank < len(free):
                text = (
                    f"only two distinct {letter}: the two constants that {prefactor} {letter}^-{exponent} takes do not tell E, "
                    f"{prefactor} and {exponent} apart"
                )
                remedy = f"runs at a third {letter}, well apart from the other two"
                found.append(Structure(f"two-{column}", exact, _within(logs, within), rank, text, remedy, open_there))
    return found


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


def _lines(fit: Fit, x: Floats, y: Floats, free: tuple[str, ...]) -> list[Structure]:
    """Designs on a line in log N and log D: a ray, a budget, a path; and at a constant ratio to the optimal size."""
    found = []
    at_ratio, at_budget = spread(y - x), spread(y + x)
    (p, q), from_line = slope(x, y)
    balanced = _size_ratio_spread(fit)
    balanced_exactly = balanced is not None and balanced <= FITTED
    if balanced is not None and balanced <= NEAR:
        also = ", here a fixed D/N with beta = gamma" if at_ratio <= EXACT else ""
        text = (
            f"all runs at one multiple of N*(C) of the fitted law{also}: both terms fall with the same power of compute, so that "
            f"only E, the prefactor of that power and its exponent can be told"
        )
        remedy = "at the same computes, smaller models on more tokens and larger models on fewer"
        balanced_open = tuple(name for name in free if name != "E")
        found.append(
            Structure("constant-size-ratio", balanced_exactly, balanced, balanced_rank(free), text, remedy, balanced_open)
        )
    vanishing = [name for name in fit.at_bound if name in (*PREFACTORS, *EXPONENTS)]
    if vanishing and (balanced is None or balanced > NEAR) and from_line <= NEAR and p * q > 0.0:
        text = (
            f"the fit puts {' and '.join(vanishing)} on a bound: one power of compute describes these runs, as on the optimal "
            f"path, so that only E, its prefactor and its exponent can be told"
        )
        remedy = "at the same computes, smaller models on more tokens and larger models on fewer"
        found.append(Structure("one-power", False, from_line, None, text, remedy))
    if at_ratio <= NEAR:
        if not balanced_exactly:
            text = (
                "all runs at one D/N: the two exponents are told apart by their sizes, but which belongs to N and which to D is "
                "not: the law with the two terms exchanged has the same losses"
            )
            remedy = "runs at other ratios D/N, at least four times larger or smaller"
            found.append(Structure("fixed-ratio", at_ratio <= EXACT, at_ratio, None, text, remedy))
    elif at_budget <= NEAR:
        text = "all runs on one budget: every coefficient is determined, but only by the curvature of one isoFLOP profile"
        remedy = "runs on other budgets, an order of magnitude or more apart"
        found.append(Structure("one-budget", at_budget <= EXACT, at_budget, None, text, remedy))
    elif from_line <= NEAR and p * q > 0.0 and not balanced_exactly:
        text = (
            f"all runs on one line D ~ N^{q / p:.3g}: which exponent belongs to N and which to D is not told; the law with the "
            f"two terms exchanged has the same losses"
        )
        found.append(Structure("line", from_line <= EXACT, from_line, None, text, "at the same computes, runs at other sizes"))
    return found


def _size_ratio_spread(fit: Fit) -> float | None:
    """Spread of log(N/N*(C)) over the runs; None where the fitted law has no optimum that a float can hold."""
    needed = {name: fit.coefficients[name] for name in (*PREFACTORS, *EXPONENTS)}
    if not all(0.0 < value < np.inf for value in needed.values()):
        return None
    try:
        return spread(formulas.log_size_ratio_of_run(fit.runs.params, fit.runs.tokens, **needed))
    except ValueError:
        return None


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 or noun.endswith(')') else 's'}"
