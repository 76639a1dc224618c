"""Bounds between sums of power-law terms: proved by positive terms or weighted AM-GM, refuted by an
enclosure, or undecided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice
from typing import Any

from sympy import Add, Dummy, Expr, Matrix, Symbol, sympify
from sympy.polys.matrices import DomainMatrix

from ..algebra.answer import Answer, Condition, Decision, Witness
from ..algebra.arithmetic import Arithmetic, NormalForm, OutsideScope
from ..algebra.boundary import put_in, with_boundary
from ..algebra.convert import arithmetic_for, normal_form
from ..algebra.decide import (
    DIGITS,
    POINTS_AT_HIGH_PRECISION,
    POINTS_TO_PROVE,
    decide,
    points_where,
    witness_at,
)
from ..algebra.interval import IntervalEvaluator, Undefined, certainly_nonzero
from ..algebra.sample import Point, points
from .argument import ByWeightedAmGm
from .claim import Claim

POINTS_TO_REFUTE = 64
LARGEST_DRAW = 600
MOST_POSITIVE_TERMS = 3
EQUAL = "the two sides are equal"
POSITIVE = "the difference is a sum of positive terms"
NEVER_NEGATIVE = "the difference is a sum of terms that are never negative"


def decide_bound(
    lhs: Expr,
    relation: str,
    rhs: Expr,
    *,
    assume: Sequence[Expr] = (),
    assume_nonnegative: Sequence[Expr] = (),
    seed: int = 0,
) -> Decision:
    """Decide `lhs >= rhs` or `lhs <= rhs` for all values of the symbols where the assumptions hold,
    or the same with `>`, `<`.

    Returns
    -------
    Decision
        *proved* where the two sides are equal, where the difference is a sum of positive terms, or
        where its one negative term is at most the weighted geometric mean of the positive ones;
        *refuted* at a point where an enclosure of the difference lies on the wrong side;
        *undecided* otherwise. A strict bound is proved by positive terms alone, and refuted where
        the two sides are one and the same.
    """
    if relation not in ("<=", ">=", "<", ">"):
        raise ValueError(f"relation={relation!r}: must be <=, >=, < or >")
    sides, strict, weak = (
        tuple(sympify(e, strict=True) for e in group)
        for group in ((lhs, rhs), assume, assume_nonnegative)
    )

    def judged(sides: tuple[Expr, ...], assume: tuple[Expr, ...]) -> Decision:
        return _with_points(sides[0], relation, sides[1], assume, seed)

    return with_boundary(judged, sides, strict, weak)


def _with_points(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int
) -> Decision:
    """The decision, proved only where sampled points satisfy its conditions."""
    decision = _decide(lhs, relation, rhs, assume, seed)
    if decision.proved:
        conditions = tuple(
            dict.fromkeys((*(Condition(a, ">") for a in assume), *decision.conditions))
        )
        symbols = lhs.free_symbols.union(
            rhs.free_symbols, *(c.expression.free_symbols for c in conditions)
        )
        found = len(points_where(conditions, symbols, seed, POINTS_TO_PROVE))
        if found < POINTS_TO_PROVE:
            reason = (
                f"the bound holds on its conditions, but only {found} sampled points satisfy them"
            )
            return Decision(Answer.UNDECIDED, reason, conditions)
    return decision


def _decide(lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int) -> Decision:
    if relation in ("<", ">"):
        return _strict(lhs, relation, rhs, assume, seed)
    larger, smaller = (lhs, rhs) if relation == ">=" else (rhs, lhs)
    refuted = _refuted(lhs, relation, rhs, assume, seed)
    if refuted is not None:
        return refuted
    equal = decide(larger, smaller, assume=assume, seed=seed)
    if equal.proved:
        return Decision(Answer.PROVED, EQUAL, equal.conditions)
    inside = _inside(assume)
    kept = tuple(
        a
        for a in (a.subs([(x, value) for x, value, _ in inside]) for a in assume)
        if a.is_positive is not True
    )
    for x, value, _ in inside:
        larger, smaller = (put_in(side, {x: value}) for side in (larger, smaller))
    try:
        decision = _by_terms(larger, smaller, kept)
    except OutsideScope as error:
        return Decision(Answer.UNDECIDED, str(error))
    if decision.proved:
        back = [excess for _, _, excess in reversed(inside)]
        conditions = [Condition(c.expression.subs(back), c.relation) for c in decision.conditions]
        return Decision(
            Answer.PROVED,
            decision.reason,
            tuple(dict.fromkeys((*(Condition(a, ">") for a in assume), *conditions))),
        )
    return decision


def _strict(lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int) -> Decision:
    weak = _decide(lhs, f"{relation}=", rhs, assume, seed)
    if not weak.proved:
        return weak
    needed = [c for c in weak.conditions if c.relation != ">" or c.expression not in assume]
    if weak.reason == POSITIVE and not needed:
        return weak
    if weak.reason == POSITIVE:
        shown = ", ".join(map(str, needed))
        return Decision(
            Answer.UNDECIDED,
            f"it is proved only where {shown}, which is not assumed",
            weak.conditions,
        )
    if weak.reason == EQUAL and (witness := _any_point(lhs, rhs, assume, seed)) is not None:
        return Decision(Answer.REFUTED, EQUAL, witness=witness)
    return Decision(
        Answer.UNDECIDED,
        f"{relation}= is proved ({weak.reason}); whether the two sides are ever equal is not "
        f"decided",
    )


def _any_point(lhs: Expr, rhs: Expr, assume: Sequence[Expr], seed: int) -> Witness | None:
    evaluator = IntervalEvaluator()
    for point in islice(
        points(lhs.free_symbols.union(rhs.free_symbols, *(a.free_symbols for a in assume)), seed),
        LARGEST_DRAW,
    ):
        try:
            if all(evaluator.evaluate(a, point).a > 0 for a in assume):
                value = evaluator.evaluate(lhs, point)
                witness = witness_at(
                    point, value, -abs(value) - 1
                )  # ten digits: there is no difference to show
                return replace(witness, rhs=witness.lhs)
        except Undefined:
            continue
    return None


def _refuted(
    lhs: Expr, relation: str, rhs: Expr, assume: Sequence[Expr], seed: int
) -> Decision | None:
    evaluator = IntervalEvaluator()
    symbols = lhs.free_symbols.union(rhs.free_symbols, *(a.free_symbols for a in assume))
    used = 0
    close: list[Point] = []  # where more digits are needed to tell the sides apart
    for point in islice(points(symbols, seed), LARGEST_DRAW):
        try:
            if any(not evaluator.evaluate(a, point).a > 0 for a in assume):
                continue
            left, right = evaluator.evaluate(lhs, point), evaluator.evaluate(rhs, point)
        except Undefined:
            continue
        used += 1
        if _fails(left - right, relation):
            return _refutation(relation, point, left, right, evaluator)
        if not certainly_nonzero(left - right):
            close.append(point)
        if used == POINTS_TO_REFUTE or not symbols:
            break
    for digits in DIGITS:
        finer = IntervalEvaluator(digits)
        for point in close[:POINTS_AT_HIGH_PRECISION]:
            left, right = finer.evaluate(lhs, point), finer.evaluate(rhs, point)
            if _fails(left - right, relation):
                return _refutation(relation, point, left, right, finer)
    return None


def _fails(difference: Any, relation: str) -> bool:
    return bool(difference.b < 0 if relation == ">=" else difference.a > 0)


def _refutation(
    relation: str, point: Point, left: Any, right: Any, evaluator: IntervalEvaluator
) -> Decision:
    witness = witness_at(point, left, right, evaluator.context.dps)
    return Decision(Answer.REFUTED, f"lhs {relation} rhs fails at a point", witness=witness)


def _inside(assume: Sequence[Expr]) -> list[tuple[Symbol, Expr, tuple[Symbol, Expr]]]:
    """What builds bounds of the form x > e and x < e in: x = e + u, x = e/(1 + u) with u > 0, and
    what u is.
    """
    replacements: list[tuple[Symbol, Expr, tuple[Symbol, Expr]]] = []
    for assumption in assume:
        current = assumption.subs([(x, value) for x, value, _ in replacements])
        for x in sorted(current.free_symbols, key=lambda symbol: symbol.name):
            bound = x - current if current.coeff(x, 1) == 1 else x + current
            if (
                x in bound.free_symbols
                or bound.is_positive is not True
                or any(x == old for old, _, _ in replacements)
            ):
                continue
            if current.coeff(x, 1) != 1 and x.is_positive is not True:
                continue  # below a bound x may be negative
            excess = Dummy("u", positive=True)
            if current.coeff(x, 1) == 1:
                replacements.append((x, bound + excess, (excess, x - bound)))
            else:
                replacements.append((x, bound / (1 + excess), (excess, bound / x - 1)))
            break
    return replacements


def _by_terms(larger: Expr, smaller: Expr, assume: Sequence[Expr]) -> Decision:
    """Positive terms, or one negative term under a weighted geometric mean, in the difference as it
    is and expanded.
    """
    arithmetic = arithmetic_for((larger, smaller), assume)
    difference = arithmetic.add(
        normal_form(larger, arithmetic), arithmetic.negate(normal_form(smaller, arithmetic))
    )
    difference = arithmetic.canonical(difference)
    conditions = tuple(Condition(e, ">") for e in arithmetic.positive) + tuple(
        Condition(e, "!=") for e in arithmetic.nonzero
    )
    decisions = []
    for read in (_whole, _split, _expanded):
        try:
            terms = read(difference, arithmetic)
            decision = _from_signs(
                *_by_sign(terms, arithmetic), assume, strictly=_has_positive(terms, arithmetic)
            )
        except OutsideScope as error:
            decision = Decision(Answer.UNDECIDED, str(error))
        if decision.proved:
            return Decision(
                Answer.PROVED,
                decision.reason,
                tuple(dict.fromkeys((*conditions, *decision.conditions))),
            )
        decisions.append(decision)
    return decisions[-1]


def _whole(form: NormalForm, arithmetic: Arithmetic) -> list[NormalForm]:
    return [{key: value} for key, value in form.items()]


def _expanded(form: NormalForm, arithmetic: Arithmetic) -> list[NormalForm]:
    """The form times its denominators, which must be positive, one monomial at a time."""
    field = arithmetic.field
    denominators = dict.fromkeys(field.field(value.denom) for value in form.values())
    common = field.one
    for denominator in denominators:
        if field.sign_of(denominator) != (1, []):
            raise OutsideScope(
                f"the sign of the denominator {field.to_sympy(denominator)} is not certain"
            )
        common *= denominator
    return _split({key: value * common for key, value in form.items()}, arithmetic)


def _split(form: NormalForm, arithmetic: Arithmetic) -> list[NormalForm]:
    """One monomial of a numerator at a time, over its denominator."""
    field = arithmetic.field
    return [
        {key: field.field(field.ring.from_dict({monomial: coefficient})) / field.field(value.denom)}
        for key, value in form.items()
        for monomial, coefficient in value.numer.terms()
    ]


def _by_sign(terms: Sequence[NormalForm], arithmetic: Arithmetic) -> tuple[list[Expr], list[Expr]]:
    """The terms that are never negative, and the others with their sign turned; OutsideScope where
    a sign is not certain.
    """
    positive: list[Expr] = []
    negative: list[Expr] = []
    for term in terms:
        ((key, value),) = term.items()
        expression = arithmetic.to_sympy(term)
        if arithmetic.is_nonnegative(key, value):
            positive.append(expression)
        elif arithmetic.is_nonnegative(key, -value):
            negative.append(-expression)
        else:
            raise OutsideScope(f"the sign of the term {expression} is not certain")
    return positive, negative


def _has_positive(terms: Sequence[NormalForm], arithmetic: Arithmetic) -> bool:
    """Whether some term cannot vanish."""
    return any(
        arithmetic.sign_of_term(key, value) == 1 for term in terms for key, value in term.items()
    )


def _from_signs(
    positive: Sequence[Expr], negative: Sequence[Expr], assume: Sequence[Expr], *, strictly: bool
) -> Decision:
    if not negative:
        return Decision(Answer.PROVED, POSITIVE if strictly else NEVER_NEGATIVE)
    if len(negative) != 1 or not 2 <= len(positive) <= MOST_POSITIVE_TERMS:
        return Decision(
            Answer.UNDECIDED,
            f"the difference has {len(positive)} positive and {len(negative)} negative terms; "
            f"weighted AM-GM is tried on one "
            f"negative term against 2 to {MOST_POSITIVE_TERMS} positive ones",
        )
    for weights in _weights(positive, negative[0]):
        claim = Claim("bound", Add(*positive), ">=", negative[0], "", assume=tuple(assume))
        decision = ByWeightedAmGm(tuple(positive), weights).establish(claim)
        if decision.proved:
            return decision
    return Decision(
        Answer.UNDECIDED,
        "no weights make the negative term the weighted geometric mean of the positive ones",
    )


def _weights(terms: Sequence[Expr], bound: Expr) -> Iterator[tuple[Expr, ...]]:
    """Candidate weights: solutions of sum w_i = 1 with the powers of some symbols matched."""
    symbols = sorted(
        bound.free_symbols.union(*(term.free_symbols for term in terms)),
        key=lambda symbol: symbol.name,
    )
    exponents = {x: [_exponent(term, x) for term in (*terms, bound)] for x in symbols}
    usable = [
        x
        for x in symbols
        if all(e is not None for e in exponents[x]) and len(set(exponents[x][:-1])) > 1
    ]
    for chosen in combinations(usable, len(terms) - 1):
        rows = [[1] * (len(terms) + 1), *(exponents[x] for x in chosen)]
        system = DomainMatrix.from_Matrix(
            Matrix(rows)
        ).to_field()  # of rational functions: nothing is left to simplify
        matrix, right = system[:, :-1], system[:, -1:]
        if matrix.det() != system.domain.zero:
            yield tuple(matrix.lu_solve(right).to_Matrix())


def _exponent(term: Expr, symbol: Symbol) -> Expr | None:
    """The exponent of the symbol in a monomial, None where the term is no monomial in it."""
    arithmetic = arithmetic_for((term, symbol))
    form = arithmetic.canonical(normal_form(term, arithmetic))
    if len(form) != 1:
        return None
    exponent, rest = arithmetic.split_power(form, symbol)
    return None if exponent.has(symbol) or arithmetic.to_sympy(rest).has(symbol) else exponent
