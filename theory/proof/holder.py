"""Hölder's inequality: a product of powers of sums, whose exponents add up to one, is at least the sum
of the products of their terms to these exponents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, permutations, product

from sympy import Add, Expr, Integer, Mul

from ..algebra.arithmetic import OutsideScope
from ..algebra.convert import arithmetic_for, normal_form

#: How many terms a sum may have, how many sums there may be, and how many orders of their terms are
#: tried.
MOST_TERMS, MOST_SUMS, MOST_ORDERS = 4, 3, 48
ONE = Integer(1)


def is_holder(larger: Expr, smaller: Expr, is_positive: Callable[[Expr], bool]) -> bool:
    """Whether `larger >= smaller` is an instance: (sum a_i)^u (sum b_i)^v >= sum a_i^u b_i^v with
    u + v = 1, both sides to any positive power and times any positive factor; where the exponents add
    up to less, the rest belongs to a sum of ones.
    """
    rest, powers = _powers_of_sums(larger / smaller)
    below = [(base, -e) for base, e in powers if is_positive(-e)]
    above = [(base, e) for base, e in powers if is_positive(e)]
    if len(below) != 1 or not above or len(above) + 1 != len(powers):
        return False
    ((base, whole),) = below
    bound = base.args
    sums = [(base.args, (e / whole).cancel()) for base, e in above]
    left_over = (1 - Add(*(e for _, e in sums))).cancel()
    if left_over != 0:
        if not is_positive(left_over):
            return False
        rest *= Integer(len(bound)) ** (-left_over * whole)
        sums.append(((ONE,) * len(bound), left_over))
    terms = [term for group in (bound, *(group for group, _ in sums)) for term in group]
    if (
        len(sums) > MOST_SUMS
        or len(bound) > MOST_TERMS
        or any(len(group) != len(bound) for group, _ in sums)
        or not all(map(is_positive, (rest, *terms)))
    ):
        return False
    factor = rest ** (1 / whole)
    return any(
        all(
            _is_one(factor * Mul(*(t**e for t, (_, e) in zip(row, sums, strict=True))) / one)
            for one, *row in zip(bound, *order, strict=True)
        )
        for order in _orders([group for group, _ in sums])
    )


def _powers_of_sums(e: Expr) -> tuple[Expr, list[tuple[Expr, Expr]]]:
    """What is no power of a sum in a product, and the sums with their exponents."""
    rest: list[Expr] = []
    exponents: dict[Expr, Expr] = {}
    for factor in Mul.make_args(e):
        base, exponent = factor.as_base_exp()
        content, sum_ = base.as_content_primitive() if base.is_Add else (base, ONE)
        if sum_.is_Add:
            exponents[sum_] = exponents.get(sum_, Integer(0)) + exponent
        rest.append(content**exponent if sum_.is_Add else factor)
    return Mul(*rest), [(base, e.cancel()) for base, e in exponents.items() if e != 0]


def _orders(groups: list[tuple[Expr, ...]]) -> Iterator[tuple[tuple[Expr, ...], ...]]:
    return islice(product(*(permutations(group) for group in groups)), MOST_ORDERS)


def _is_one(e: Expr) -> bool:
    try:
        arithmetic = arithmetic_for((e,))
        form = arithmetic.canonical(
            arithmetic.add(
                normal_form(e, arithmetic), arithmetic.negate(normal_form(ONE, arithmetic))
            )
        )
    except OutsideScope:
        return False
    return not form and not arithmetic.positive and not arithmetic.nonzero
