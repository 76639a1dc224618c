"""Limits: proved by leading terms; otherwise SymPy's limit is checked at points, which is not a proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from operator import methodcaller
from typing import Any

from mpmath import nstr
from sympy import (
    AccumBounds,
    Dummy,
    Expr,
    Integer,
    Limit,
    Pow,
    Symbol,
    nan,
    oo,
    powsimp,
    sympify,
    zoo,
)
from sympy import limit as limit_of_sympy

from .answer import Answer, Condition, Decision, Witness, undecided, weaker
from .arithmetic import OutsideScope
from .boundary import Sides, with_boundary
from .convert import normal_forms
from .deadline import OutOfTime, check, within
from .decide import decide
from .functions import defined
from .leading import Leading
from .points import DIGITS_OF_LIMITS, INFINITE, STEPS, Way
from .sample import Point, points
from .search import why_positive

#: The time limit for SymPy's limit, which may not return.
SECONDS = 10
#: At how many points a limit is checked, how many are drawn at most, and the digits of a witness.
POINTS, LARGEST_DRAW, SHOWN_DIGITS = 8, 400, 10
LEADING = "the leading term has this limit"


def decide_limit(
    lhs: Expr,
    relation: str,
    rhs: Expr,
    variable: Symbol,
    limit: str,
    *,
    assume: Sequence[Expr] = (),
    assume_nonnegative: Sequence[Expr] = (),
    seed: int = 0,
) -> Decision:
    """Decide `lhs ~ rhs` (the ratio tends to 1) or `lhs -> rhs` (the difference tends to 0) as the
    variable tends to 0 or oo; to 0 from above, and also from below if it may be negative.

    Assumptions about the variable must hold all the way to the limit.

    Returns
    -------
    Decision
        *proved* if leading terms give the claimed limit; *by SymPy's limit, not
        proved* if SymPy gives it and points agree; *refuted* if either gives another limit and a
        point shows it; *undecided* otherwise.
    """
    groups = [
        tuple(sympify(e, strict=True) for e in group)
        for group in ((lhs, rhs), assume, assume_nonnegative)
    ]
    if relation == "~" and groups[0][1] == 0:
        return undecided("a ratio to zero has no limit")
    if variable.is_real is not True:
        return undecided(f"the variable {variable} of a limit must be declared real")
    if relation == "~":  # the ratio has no value where the right side is zero
        groups[0] += (Pow(groups[0][1], -1, evaluate=False),)
    near = Symbol(variable.name, positive=True)
    signs = [sign for sign in (1, -1) if not (sign * variable).is_nonpositive]
    signs = signs if limit == "0" else [sign for sign in signs if sign == 1]
    if not signs:
        return undecided(f"{variable} does not tend to {limit}, as it is not positive")
    decision = None
    for sign in signs:
        sides, strict, weak = (
            tuple(e.xreplace({variable: sign * near}) for e in g) for g in groups
        )

        def judge(sides: Sides, assume: Sides) -> Decision:
            return _judged(sides, relation, near, limit, assume, seed)

        moving = tuple(e for e in weak if e.has(near))
        fixed = tuple(e for e in weak if not e.has(near))
        near_limit = with_boundary(judge, sides, (*strict, *moving), fixed)
        back = {near: sign * variable}
        one_sided = near_limit.in_terms_of(variable, near, methodcaller("xreplace", back), sign)
        decision = one_sided if decision is None else weaker(decision, one_sided)
    assert decision is not None
    return decision


def _judged(
    sides: Sides, relation: str, x: Symbol, limit: str, assume: Sides, seed: int
) -> Decision:
    """The decision as a positive variable tends to 0 or oo."""
    lhs, rhs, *_ = sides
    wanted = Integer(1) if relation == "~" else Integer(0) if rhs.has(x) else rhs
    e = lhs / rhs if relation == "~" else lhs - rhs if rhs.has(x) else lhs
    fixed = tuple(a for a in assume if not a.has(x))
    way = Way(lhs, relation, rhs, x, limit)
    near = list(islice(_points(sides, assume, x, seed, way), POINTS))
    if len(near) < POINTS:
        moving = " and ".join(f"{a} > 0" for a in assume if a.has(x))
        return undecided(
            f"the assumption {moving} does not hold all the way to {x} -> {limit}"
            if moving
            else f"only {len(near)} sampled points satisfy the assumptions"
        )
    answer, reason, found = Answer.PROVED, LEADING, leading_limit(e, x, limit, fixed)
    if found is None:
        answer, reason = Answer.BY_SYMPY, f"the limit is {wanted}"
        found = _by_sympy(e, x, limit, fixed)
    if found is None:
        return undecided(
            "neither leading terms nor SymPy's limit decide it; it may depend on how letters compare, "
            "as in beta > gamma"
        )
    tends, conditions = found
    same = _same(tends, wanted, fixed)
    if same.refuted:
        return _refuted(way, near, tends)
    if not same.proved:
        return undecided(f"the limit is {tends}; {same.reason}")
    if failure := next(filter(None, map(way.failure, near)), ""):
        return undecided(f"the limit is {tends}, and points disagree: {failure}")
    needed = (*(Condition(a, ">") for a in fixed), *conditions, *same.conditions)
    return Decision(answer, reason, tuple(dict.fromkeys(needed)))


def _points(sides: Sides, assume: Sides, x: Symbol, seed: int, way: Way) -> Iterator[Point]:
    """Points of the other letters at which the assumptions hold on the way to the limit."""
    letters = set[Symbol]().union(*(e.free_symbols for e in (*sides, *assume))) - {x}
    drawn = islice(points(letters, seed), LARGEST_DRAW) if letters else ({} for _ in range(POINTS))
    return (point for point in drawn if way.are_positive(assume, point))


def _refuted(way: Way, near: Sequence[Point], tends: Expr) -> Decision:
    """The refutation at a point where the sides do not approach each other."""
    compared = {"~": "the ratio of the sides"}.get(
        way.relation, "the difference of the sides" if way.rhs.has(way.x) else "the left side"
    )
    shown = tends if tends in INFINITE else powsimp(tends)
    for point in near:
        if way.failure(point) and (values := list(way.values(point, STEPS))):
            reason = (
                f"the two sides do not approach each other as {way.x} -> {way.limit}: "
                f"{compared} tends to {shown}"
            )
            return Decision(Answer.REFUTED, reason, witness=_witness(way, point, *values[-1]))
    return undecided(f"the limit is {shown}, and no point shows that it is another one")


def _witness(way: Way, point: Point, step: int, left: Any, right: Any) -> Witness:
    power = Pow(Integer(10), step if way.limit == "oo" else -step, evaluate=False)
    ordered = sorted({**point, way.x: power}.items(), key=lambda item: item[0].name)
    shown = [nstr(value, SHOWN_DIGITS) for value in (left, right)]
    rhs = str(way.rhs) if way.rhs in INFINITE else shown[1]
    return Witness(tuple(ordered), shown[0], rhs, DIGITS_OF_LIMITS)


# -- finding the limit -----------------------------------------------------------------------------

Found = tuple[Expr, tuple[Condition, ...]]


def leading_limit(e: Expr, x: Symbol, limit: str, assume: Sides) -> Found | None:
    """The limit by leading terms, with its side conditions; None where they do not decide it."""
    try:
        inside = defined(e).subs(x, 1 / x) if limit == "oo" else e
        arithmetic, (form,) = normal_forms((inside,), assume)
        inside = arithmetic.to_sympy(arithmetic.canonical(form))
    except OutsideScope:
        return None

    @cache
    def sign(e: Expr) -> int:
        return next((s for s in (1, -1) if why_positive(s * e, assume, strict=True)), 0)

    leading = Leading(x, assume, sign)
    needed = [Condition(part, ">") for part in arithmetic.positive]
    needed += [Condition(part, "!=") for part in arithmetic.nonzero]
    for condition in (c for c in needed if c.expression.has(x)):
        term = leading.term(condition.expression)
        near = None if term is None else leading.sign(term.coefficient)
        if not near or (near < 0 and condition.relation == ">"):
            return None
    found, fixed = leading.limit(inside), [c for c in needed if not c.expression.has(x)]
    is_open = found is None or any(c.relation == ">" for c in fixed)
    return None if found is None or is_open else (found, tuple(fixed))


def _by_sympy(e: Expr, x: Symbol, limit: str, assume: Sides) -> Found | None:
    """SymPy's limit, in letters that are positive exactly where the assumptions hold."""
    values, meanings = _free_letters(assume)
    try:
        with within(SECONDS):
            inside = defined(e).subs(values)
            tends = limit_of_sympy(inside, x, oo if limit == "oo" else 0, "+")
    except OutOfTime:
        check()
        return None
    except Exception:  # SymPy raises of every kind where it finds no limit
        return None
    if tends.has(x, nan, zoo, AccumBounds, Limit) or (tends.has(oo, -oo) and tends not in INFINITE):
        return None
    return tends.subs(meanings), ()


def _free_letters(
    assume: Iterable[Expr],
) -> tuple[list[tuple[Symbol, Expr]], list[tuple[Symbol, Expr]]]:
    """Assumptions as substitutions of positive letters, a > b as a = b + t, and the meaning of each t."""
    values: list[tuple[Symbol, Expr]] = []
    meanings: list[tuple[Symbol, Expr]] = []
    for assumption in assume:
        inside = assumption.subs(values).expand()
        for letter in sorted(inside.free_symbols, key=str):
            rest, part = inside.as_independent(letter, as_Add=True)
            slope = part / letter
            if not slope.has(letter) and slope.is_positive and rest.is_nonpositive:
                t = Dummy("t", positive=True)
                values.append((letter, (t - rest) / slope))
                meanings.insert(0, (t, inside))
                break
    return values, meanings


def _same(tends: Expr, wanted: Expr, assume: Sides) -> Decision:
    if tends in INFINITE or wanted in INFINITE:
        answer = Answer.PROVED if tends == wanted else Answer.REFUTED
        return Decision(answer, "")
    return decide(tends, wanted, assume=assume)
