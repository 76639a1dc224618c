"""Random bounds, each true by the textbook argument that its family is named for.

A bound is `(left, relation, right, where)`: two expressions in the tuples of `rewriting`, and what is
assumed. The quantities of the law stand in them by name, such as `("R_opt", C)`.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.theory.rewriting import (
    MINUS_ONE,
    ONE,
    Node,
    add,
    inverse,
    mul,
    negative,
    power,
    rat,
    sym,
)

Constraint = tuple[Node, str, Node]
Bound = tuple[Node, str, Node, tuple[Constraint, ...]]

BETA, GAMMA, X, Y, Z, R, N, D, C, A, B = map(
    sym, ("beta", "gamma", "x", "y", "z", "r", "N", "D", "C", "A", "B")
)
SHARE = mul(BETA, inverse(add(BETA, GAMMA)))
OTHER_SHARE = mul(GAMMA, inverse(add(BETA, GAMMA)))
HALF, TWO = rat(1, 2), rat(2)
PENALTY, LEAST, BEST = ("P", R), ("R_opt", C), ("L_opt", C)


def difference(left: Node, right: Node) -> Node:
    return add(left, negative(right))


def quotient(above: Node, below: Node) -> Node:
    return mul(above, inverse(below))


def log(node: Node) -> Node:
    return ("log", node)


def exp(node: Node) -> Node:
    return ("exp", node)


def positive(random: Random) -> Node:
    """A positive quantity with no more structure than a factor has in a paper."""
    return random.choice(
        (
            X,
            mul(rat(random.randint(2, 5)), X),
            quotient(X, Y),
            mul(X, power(Y, BETA)),
            power(X, BETA),
            add(X, Y),
            quotient(X, add(X, Y)),
            quotient(A, power(N, BETA)),
        )
    )


def exponent(random: Random) -> Node:
    return random.choice(
        (BETA, ("alpha",), SHARE, HALF, rat(random.randint(2, 7), 3), add(BETA, ONE))
    )


def monotone(random: Random) -> Bound:
    """The function rises or falls, and one argument is the larger."""
    e, relation = exponent(random), random.choice((">", ">="))
    larger, smaller = random.choice(((X, ONE), (X, Y), (X, TWO), (mul(X, Y), Z)))
    where = ((larger, ">", smaller),)
    factor = rat(random.randint(2, 5))
    return random.choice(
        [
            (power(larger, e), relation, power(smaller, e), where),
            (power(smaller, negative(e)), relation, power(larger, negative(e)), where),
            (log(larger), relation, log(smaller), where),
            (exp(larger), relation, exp(smaller), where),
            (exp(negative(smaller)), relation, exp(negative(larger)), where),
            (quotient(larger, add(larger, N)), relation, quotient(smaller, add(smaller, N)), where),
            (power(add(larger, N), e), relation, power(add(smaller, N), e), where),
            (mul(larger, log(add(ONE, larger))), relation, mul(smaller, log(add(ONE, smaller))), where),
            (add(power(larger, e), larger), relation, add(power(smaller, e), smaller), where),
            (power(X, BETA), relation, power(X, GAMMA), ((X, ">", ONE), (BETA, ">", GAMMA))),
            (power(X, GAMMA), relation, power(X, BETA), ((X, "<", ONE), (BETA, ">", GAMMA))),
            (power(factor, e), relation, ONE, ()),
            (exp(positive(random)), relation, ONE, ()),
            (ONE, relation, exp(negative(positive(random))), ()),
            (log(add(ONE, positive(random))), relation, rat(0), ()),
        ]
    )  # fmt: skip


def of_the_law(random: Random) -> Bound:
    """The quantities of the law, in their arguments and beside 1."""
    factor = rat(random.randint(2, 5))
    relation = random.choice((">", ">="))
    above, more = ((X, ">", ONE),), ((BETA, ">", GAMMA),)
    scaled: list[Bound] = [
        ((name, at), relation, (name, mul(by, at)), where)
        for name, at in (("R_opt", C), ("L_opt", C), ("T_N", N), ("T_D", D))
        for by, where in ((factor, ()), (X, above))
    ]
    growing: list[Bound] = [
        ((name, mul(X, C)), relation, (name, C), above) for name in ("N_opt", "D_opt")
    ]
    larger_run: list[Bound] = [
        ((name, N, D), relation, (name, mul(X, N), D), above) for name in ("R", "L")
    ]
    beyond: tuple[Constraint, ...] = ((R, ">", ONE),)
    below: tuple[Constraint, ...] = ((R, "<", ONE),)
    ratio = quotient(("D_opt", C), ("N_opt", C))
    penalty: list[Bound] = [
        (PENALTY, relation, ONE, beyond),
        (PENALTY, relation, ONE, below),
        (power(R, GAMMA), relation, PENALTY, beyond),
        (power(R, negative(BETA)), relation, PENALTY, below),
        (PENALTY, relation, mul(("w_D",), power(R, GAMMA)), ()),
        (("P", X), relation, PENALTY, (*beyond, (X, ">", R))),
        (("P", mul(X, R)), relation, PENALTY, (*beyond, *above)),
        (PENALTY, ">=", quotient(add(mul(GAMMA, power(R, negative(BETA))), BETA), add(BETA, GAMMA)), beyond),
    ]  # fmt: skip
    other: list[Bound] = [
        (("N_opt", C), relation, ("G",), ((C, ">", rat(6)),)),
        (ratio, relation, quotient(("D_opt", rat(6)), ("N_opt", rat(6))), ((C, ">", rat(6)), *more)),
        (mul(BETA, HALF), relation, ("alpha",), more),
        (("alpha",), relation, mul(GAMMA, HALF), more),
        (power(X, mul(HALF, BETA)), relation, power(X, ("alpha",)), (*above, *more)),
        (LEAST, relation, power(("R_opt", mul(X, C)), ONE), above),
        (power(LEAST, TWO), relation, mul(LEAST, ("R_opt", mul(X, C))), above),
    ]  # fmt: skip
    return random.choice(random.choice((scaled, growing, larger_run, penalty, other)))


def convex(random: Random) -> Bound:
    """Bernoulli, Jensen, and a tangent, for a power, exp and log."""
    e, where, upward = random.choice(
        [
            (BETA, ((BETA, ">", ONE),), True),
            (BETA, ((BETA, "<", ONE),), False),
            (SHARE, (), False),
            (HALF, (), False),
            (rat(3, 2), (), True),
            (TWO, (), True),
            (negative(BETA), (), True),
            (negative(HALF), (), True),
            (add(BETA, ONE), (), True),
            (MINUS_ONE, (), True),
        ]
    )
    relation = ">=" if upward else "<="
    u = random.choice((X, quotient(X, Y), mul(TWO, X), power(X, GAMMA)))
    weights = random.choice(((SHARE, OTHER_SHARE), (rat(1, 3), rat(2, 3)), (HALF, HALF)))

    def mean(left: Node, right: Node) -> Node:
        return add(mul(weights[0], left), mul(weights[1], right))

    def tangent(value: Node, slope: Node) -> Node:
        return add(value, mul(slope, difference(X, Y)))

    return random.choice(
        [
            (power(add(ONE, u), e), relation, add(ONE, mul(e, u)), where),
            (power(X, e), relation, add(ONE, mul(e, difference(X, ONE))), where),
            (mean(power(X, e), power(Y, e)), relation, power(mean(X, Y), e), where),
            (power(X, e), relation, tangent(power(Y, e), mul(e, power(Y, add(e, MINUS_ONE)))), where),
            (mean(exp(X), exp(Y)), ">=", exp(mean(X, Y)), ()),
            (mean(log(X), log(Y)), "<=", log(mean(X, Y)), ()),
            (exp(X), ">=", tangent(exp(Y), exp(Y)), ()),
            (log(X), "<=", tangent(log(Y), inverse(Y)), ()),
            (mul(X, log(X)), ">=", tangent(mul(Y, log(Y)), add(ONE, log(Y))), ()),
        ]
    )  # fmt: skip


def logarithmic(random: Random) -> Bound:
    """The standard bounds of log and exp."""
    u = positive(random)
    above, weak = add(ONE, u), random.choice((">", ">="))
    return random.choice(
        [
            (difference(u, ONE), ">=", log(u), ()),
            (log(u), ">=", difference(ONE, inverse(u)), ()),
            (u, weak, log(above), ()),
            (log(above), weak, quotient(u, above), ()),
            (exp(u), weak, above, ()),
            (exp(u), weak, add(above, mul(HALF, power(u, TWO))), ()),
            (exp(negative(u)), weak, difference(ONE, u), ()),
            (inverse(above), weak, exp(negative(u)), ()),
            (u, weak, difference(ONE, exp(negative(u))), ()),
            (difference(X, Y), ">=", mul(Y, log(quotient(X, Y))), ()),
            (quotient(difference(power(X, BETA), ONE), BETA), ">=", log(X), ()),
            (mul(X, log(X)), ">=", difference(X, ONE), ()),
            (u, weak, difference(log(above), log(ONE)), ()),
        ]
    )


def squares(random: Random) -> Bound:
    """Squares, and what a sum of them is at least."""
    u, v = random.sample((X, Y, power(X, BETA), power(Y, GAMMA), ("T_N", N), ("T_D", D), Z), 2)
    apart = difference(u, v)
    both = mul(add(power(u, TWO), power(v, TWO)), add(power(N, TWO), ONE))
    return random.choice(
        [
            (power(difference(PENALTY, ONE), TWO), ">=", rat(0), ()),
            (power(log(positive(random)), TWO), ">=", rat(0), ()),
            (power(apart, TWO), ">=", rat(0), ()),
            (add(ONE, power(apart, TWO)), ">", rat(0), ()),
            (power(add(u, v), TWO), ">=", mul(rat(4), u, v), ()),
            (add(power(u, TWO), power(v, TWO)), ">=", mul(TWO, u, v), ()),
            (both, ">=", power(add(mul(u, N), v), TWO), ()),
            (power(both, HALF), ">=", add(mul(u, N), v), ()),
            (power(mul(PENALTY, ("P", X)), HALF), ">=", ("P", power(mul(R, X), HALF)), ()),
        ]
    )


FAMILIES: dict[str, Callable[[Random], Bound]] = {
    "monotone bound": monotone,
    "bound of the law": of_the_law,
    "convexity bound": convex,
    "logarithm bound": logarithmic,
    "square bound": squares,
}
