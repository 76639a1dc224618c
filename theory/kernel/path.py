"""Proofs along a path: an expression that is not negative at one point stays so where its slope has
the right sign on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from sympy import Expr, Integer, Pow, Symbol

from .boundary import put_in, solved
from .leading import Leading
from .points import INFINITE
from .signs import Assumed, Prover
from .terms import DefinedForm

#: The symbols that are moved, and the order up to which slopes are looked at, at most.
MOST_SYMBOLS, HIGHEST_SLOPE = 6, 3
ZERO, ONE = Integer(0), Integer(1)


def along(search: Prover, e: Expr, assume: Assumed, strict: bool, depth: int) -> str:
    """Why e is positive (not negative, if not strict), by its value at a start and its slope, or by its
    values at two ends where it is concave between them.
    """
    for x in _movable(search, e, assume):
        ends = list(_ends(x, assume))
        low, high = ([start for start, way in ends if way == (side,)] for side in (1, -1))
        if len(low) == len(high) == 1 and _is_positive_between(
            search, e, x, (*low, *high), assume, strict, depth
        ):
            return f"the difference is concave in {x}, and not negative at {low[0]} and {high[0]}"
        for start, directions in chain(ends, _inner_starts(search, e, x, assume)):
            here = strict and len(directions) > 1
            if here and not _is_positive_at(search, e, x, start, assume, depth):
                continue
            for direction in directions:
                reason = _from(search, e, x, start, direction, assume, strict, depth)
                if not reason:
                    break
            else:
                return reason
    return ""


def _is_positive_between(
    search: Prover,
    e: Expr,
    x: Symbol,
    ends: Sequence[Expr],
    assume: Assumed,
    strict: bool,
    depth: int,
) -> bool:
    """Whether e is positive (not negative, if not strict) between two ends of x: concave, not negative
    at either end and, for a strict bound, positive at one.
    """
    bending = e.diff(x, 2).expand()
    if bending != 0 and search.plain_sign(bending, assume).value != -1:
        return False
    there = tuple(a for a in assume if x not in a.free_symbols)
    values = [_value_at(search, e, x, end, there) for end in ends]
    if None in values:
        return False
    signs = [search.sign(value, there, depth) for value in values if value != 0]
    return all(one.value == 1 for one in signs) and (not strict or any(one.strict for one in signs))


def _is_positive_at(
    search: Prover, e: Expr, x: Symbol, start: Expr, assume: Assumed, depth: int
) -> bool:
    """Whether the value at an inner start is positive, which a strict bound needs there."""
    there = tuple(a for a in assume if x not in a.free_symbols)
    value = _value_at(search, e, x, start, there)
    return value is not None and bool(search.why(value, there, True, depth - 1))


def _movable(search: Prover, e: Expr, assume: Assumed) -> list[Symbol]:
    """The symbols to move: first those bounded by an assumption, then those outside exponents."""
    bounded = set().union(*(a.free_symbols for a in assume)) if assume else set()
    ordered = sorted(e.free_symbols, key=lambda x: (x not in bounded, _in_exponents(e, x), x.name))
    return ordered[:MOST_SYMBOLS]


def _ends(x: Symbol, assume: Assumed) -> Iterator[tuple[Expr, tuple[int, ...]]]:
    """The ends of the range of x, each with the one direction that leads away from it."""
    is_bounded_below = False
    for assumption in assume:
        direction = direction_of(assumption, x) if x in assumption.free_symbols else 0
        start = solved(assumption, x) if direction else None
        if start is not None:
            is_bounded_below |= direction == 1
            yield start, (direction,)
    if x.is_positive and not is_bounded_below:
        yield ZERO, (1,)


def _inner_starts(
    search: Prover, e: Expr, x: Symbol, assume: Assumed
) -> Iterator[tuple[Expr, tuple[int, ...]]]:
    """The starting values within the range of x, from which it must be moved in both directions."""
    if x.is_positive:
        for start in (ONE, *by_name(e.free_symbols - {x})):
            free = tuple(a for a in assume if x not in a.free_symbols)
            if (
                start.is_positive
                and _lies_inside(search, start, x, assume)
                and search.holds_at_points(put_in(e, {x: start}), free)
            ):
                yield start, (1, -1)
    elif x.is_real:
        yield ZERO, (1, -1)


def _lies_inside(search: Prover, start: Expr, x: Symbol, assume: Assumed) -> bool:
    near = search.points_where((x, *start.free_symbols), assume)
    sides = {search.sign_at(x - start, place) for place in near}
    return {1, -1} <= sides


def _from(
    search: Prover,
    e: Expr,
    x: Symbol,
    start: Expr,
    direction: int,
    assume: Assumed,
    strict: bool,
    depth: int,
    order: int = HIGHEST_SLOPE,
) -> str:
    """Why `e >= 0` after x has moved from its start: by the value there and the slope on the way, which
    may have the right sign for the same reason.
    """
    way = direction * (x - start) if start != 0 or not x.is_positive else None

    def holds_on_the_way(a: Expr) -> bool:
        """Whether an assumption that holds at the end holds on the whole way: it falls, or rises from
        a positive value at the start.
        """
        rises = direction_of(a, x) * direction
        return rises == -1 or (rises == 1 and put_in(a, {x: start}).is_positive is True)

    kept = tuple(a for a in assume if x not in a.free_symbols or (a != way and holds_on_the_way(a)))
    region = kept if way is None else (*kept, way)
    there = tuple(put_in(a, {x: start}) if x in a.free_symbols else a for a in kept)
    slope = direction * e.diff(x)
    if not search.holds_at_points(slope, region) or DefinedForm.of(e, region) is None:
        return ""  # the expression falls somewhere, or is not smooth on the whole way
    value = _value_at(search, e, x, start, there)
    if value is None:
        return ""
    if not search.why(value, there, False, depth - 1):
        return ""
    reason = search.why(slope, region, strict, depth - 1)
    if not reason and order > 1 and start.is_number:
        reading = DefinedForm.of(slope, region)
        further = (x, start, direction, assume, strict, depth, order - 1)
        reason = "" if reading is None else _from(search, reading.reduced, *further)
    if not reason:
        return ""
    way_to_go = "rises" if direction > 0 else "falls"
    return (
        f"the difference is not negative at {x} = {start}, and grows as {x} {way_to_go} from "
        f"there: {reason}"
    )


def _value_at(search: Prover, e: Expr, x: Symbol, start: Expr, assume: Assumed) -> Expr | None:
    """The value at the start, by continuity; None if there is none."""
    if start == 0:
        value = at_zero(search, e, x, assume) if x.is_positive else put_in(e, {x: ZERO})
    elif start.is_positive or not x.is_positive:
        value = put_in(e, {x: start})
    else:
        return None
    if value is None:
        return None
    reading = DefinedForm.of(value, assume)
    return None if reading is None else reading.to_sympy()


def at_zero(search: Prover, e: Expr, x: Symbol, assume: Assumed) -> Expr | None:
    """The limit for x -> 0 from above, if leading terms give one."""

    def sign(e: Expr) -> int:
        found = search.sign(e, assume, 1)
        return found.value if found.strict else 0

    value = Leading(x, assume, sign).limit(e)
    return None if value is None or value in INFINITE else value


def direction_of(assumption: Expr, x: Symbol) -> int:
    """1 if the assumption bounds x from below, -1 if from above, 0 if neither is evident."""
    slope = assumption.diff(x)
    return 1 if slope.is_positive else -1 if slope.is_negative else 0


def _in_exponents(e: Expr, x: Symbol) -> bool:
    return any(part.exp.has(x) for part in e.atoms(Pow))


def by_name(symbols: Iterable[Symbol]) -> list[Symbol]:
    return sorted(symbols, key=lambda x: x.name)
