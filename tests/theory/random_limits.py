"""Random limits as a user types them, true by the textbook argument of their family, or false by
one mistake.

Every limit is followed with 1,000 digits to 10^160, or its inverse: what must vanish shrinks all the
way where the claim is true, and does not at some point where it is false. The law's quantities are
evaluated from what they mean, the stationary point on the budget, and never from a closed form.

`python -m tests.theory.random_limits --number 600 --seed 1` prints how many of each family are
decided.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import Any

from tests.theory import rewriting
from tests.theory.claiming import (
    GREEK,
    LATEX_RELATIONS,
    Meaning,
    Point,
    RandomClaim,
    latex_text,
    plain_text,
    symbols_of,
)
from tests.theory.rewriting import (
    MP,
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

from isoflop.theory.kernel.answer import Answer

Constraint = tuple[Node, str, Node]

DIGITS = 1_000
STEPS = (20, 40, 80, 160)
POINTS = 4
LATEX_SHARE = 0.25
#: A smaller remainder has vanished: what cancels on the way costs up to 800 digits.
ROUNDING = MP.mpf(10) ** -60

BETA, GAMMA, X, Y, Z, R, K = map(sym, ("beta", "gamma", "x", "y", "z", "r", "k"))
A, B, C, D, E, N, P = map(sym, "ABCDENp")
W_N, W_D, ALPHA = ("w_N",), ("w_D",), ("alpha",)
TWO, HALF, ZERO = rat(2), rat(1, 2), rat(0)
BIGGER, SMALLER, EQUAL = (BETA, ">", GAMMA), (BETA, "<", GAMMA), (BETA, "==", GAMMA)
AT_LEAST, AT_MOST = (BETA, ">=", GAMMA), (BETA, "<=", GAMMA)
HAS_FLOOR = (E, ">", ZERO)  # of what is drawn E is positive
GAP = add(BETA, negative(GAMMA))
INFINITY = "oo"


@dataclass(frozen=True)
class Limit:
    """`left relation right` as the variable tends to 0 or oo, where the constraints hold."""

    left: Node
    relation: str
    right: Any
    variable: str
    target: str
    where: tuple[Constraint, ...] = ()


def quotient(above: Node, below: Node) -> Node:
    return mul(above, inverse(below))


def minus(left: Node, right: Node) -> Node:
    return add(left, negative(right))


def log(node: Node) -> Node:
    return ("log", node)


def exp(node: Node) -> Node:
    return ("exp", node)


def coefficient(random: Random) -> Node:
    """A positive factor that does not move."""
    return random.choice(
        (ONE, Y, Z, rat(random.randint(2, 7)), mul(rat(3), Y), power(Y, BETA), quotient(Y, Z), W_N)
    )


def exponent(random: Random) -> Node:
    """A positive exponent."""
    return random.choice(
        (
            BETA,
            GAMMA,
            HALF,
            rat(random.randint(2, 5), 3),
            ONE,
            ALPHA,
            add(BETA, GAMMA),
            mul(TWO, BETA),
        )
    )


def vanishing(random: Random) -> tuple[Node, str]:
    """A power of x that tends to 0, and where x goes for it."""
    target, e = random.choice(("0", "oo")), exponent(random)
    return mul(coefficient(random), power(X, e if target == "0" else negative(e))), target


# -- families: true limits ---------------------------------------------------------------------------


def sum_of_powers(random: Random) -> Limit:
    c, d = coefficient(random), coefficient(random)
    small, target = vanishing(random)
    small_order, large_order = sorted(random.sample(range(1, 9), 2))
    low, high = (mul(f, power(X, rat(n, 3))) for f, n in ((c, small_order), (d, large_order)))
    return random.choice(
        (
            Limit(add(c, small), "->", c, "x", target),
            Limit(add(low, high), "~", low, "x", "0"),
            Limit(add(low, high), "~", high, "x", "oo"),
            Limit(add(high, negative(low)), "->", INFINITY, "x", "oo"),
            Limit(
                add(mul(c, power(X, BETA)), mul(d, power(X, GAMMA))),
                "~",
                mul(c, power(X, BETA)),
                "x",
                "oo",
                (BIGGER,),
            ),
            Limit(
                add(mul(c, power(X, BETA)), mul(d, power(X, GAMMA))),
                "~",
                mul(d, power(X, GAMMA)),
                "x",
                "0",
                (BIGGER,),
            ),
            Limit(power(C, GAP), "->", INFINITY, "C", "oo", (BIGGER,)),
            Limit(add(Y, power(X, GAP)), "->", Y, "x", "oo", (SMALLER,)),
            Limit(add(Y, mul(Z, power(X, GAP))), "->", add(Y, Z), "x", "oo", (EQUAL,)),
        )
    )


def quotient_of_sums(random: Random) -> Limit:
    a, b, c = (coefficient(random) for _ in range(3))
    e = exponent(random)
    x, y = power(X, e), power(X, mul(TWO, e))
    fraction = quotient(add(mul(a, x), b), add(mul(c, x), ONE))
    both = quotient(
        add(mul(a, power(X, BETA)), power(X, GAMMA)), add(power(X, BETA), mul(b, power(X, GAMMA)))
    )
    return random.choice(
        (
            Limit(quotient(x, add(x, b)), "->", ONE, "x", "oo"),
            Limit(quotient(x, add(x, b)), "->", ZERO, "x", "0"),
            Limit(fraction, "->", quotient(a, c), "x", "oo"),
            Limit(fraction, "->", b, "x", "0"),
            Limit(quotient(add(y, x), add(x, b)), "->", INFINITY, "x", "oo"),
            Limit(quotient(add(y, mul(a, x)), add(mul(c, y), ONE)), "->", inverse(c), "x", "oo"),
            Limit(both, "->", a, "x", "oo", (BIGGER,)),
            Limit(both, "->", inverse(b), "x", "0", (BIGGER,)),
            Limit(both, "->", inverse(b), "x", "oo", (SMALLER,)),
            Limit(both, "->", quotient(add(a, ONE), add(ONE, b)), "x", "0", (EQUAL,)),
        )
    )


def sum_under_a_power(random: Random) -> Limit:
    small, target = vanishing(random)
    e = exponent(random)
    c = coefficient(random)
    root = power(add(power(X, TWO), mul(c, X)), HALF)
    return random.choice(
        (
            Limit(power(add(ONE, small), e), "->", ONE, "x", target),
            Limit(power(add(c, small), negative(e)), "->", power(c, negative(e)), "x", target),
            Limit(power(add(X, Y), e), "~", power(X, e), "x", "oo"),
            Limit(root, "~", X, "x", "oo"),
            Limit(minus(root, X), "->", mul(HALF, c), "x", "oo"),
            Limit(minus(power(add(power(X, TWO), ONE), HALF), X), "->", ZERO, "x", "oo"),
            Limit(
                power(add(power(X, BETA), power(X, GAMMA)), inverse(BETA)),
                "~",
                X,
                "x",
                "oo",
                (BIGGER,),
            ),
            Limit(quotient(minus(power(add(ONE, X), BETA), ONE), X), "->", BETA, "x", "0"),
        )
    )


def exponential(random: Random) -> Limit:
    e, c = exponent(random), coefficient(random)
    small, target = vanishing(random)
    decay = exp(negative(mul(c, X)))
    return random.choice(
        (
            Limit(decay, "->", ZERO, "x", "oo"),
            Limit(decay, "->", ONE, "x", "0"),
            Limit(mul(power(X, e), decay), "->", ZERO, "x", "oo"),
            Limit(mul(decay, inverse(power(X, negative(e)))), "->", ZERO, "x", "oo"),
            Limit(quotient(exp(X), power(X, e)), "->", INFINITY, "x", "oo"),
            Limit(exp(small), "->", ONE, "x", target),
            Limit(minus(ONE, decay), "~", mul(c, X), "x", "0"),
            Limit(quotient(minus(exp(mul(c, X)), ONE), X), "->", c, "x", "0"),
            Limit(power(add(ONE, quotient(c, X)), X), "->", exp(c), "x", "oo"),
            Limit(minus(Y, mul(Y, exp(negative(quotient(X, Y))))), "->", Y, "x", "oo"),
            Limit(exp(negative(power(X, GAP))), "->", ZERO, "x", "oo", (BIGGER,)),
            Limit(exp(negative(power(X, GAP))), "->", ONE, "x", "oo", (SMALLER,)),
            Limit(quotient(add(exp(X), X), add(exp(X), ONE)), "->", ONE, "x", "oo"),
        )
    )


def logarithm(random: Random) -> Limit:
    e, c = exponent(random), coefficient(random)
    small, target = vanishing(random)
    return random.choice(
        (
            Limit(log(X), "->", INFINITY, "x", "oo"),
            Limit(quotient(log(X), power(X, e)), "->", ZERO, "x", "oo"),
            Limit(mul(power(X, e), log(X)), "->", ZERO, "x", "0"),
            Limit(log(add(ONE, small)), "~", small, "x", target),
            Limit(quotient(log(add(mul(c, power(X, e)), ONE)), log(X)), "->", e, "x", "oo"),
            Limit(inverse(log(X)), "->", ZERO, "x", random.choice(("0", "oo"))),
            Limit(log(add(X, Y)), "~", log(X), "x", "oo"),
            Limit(minus(log(add(X, Y)), log(X)), "->", ZERO, "x", "oo"),
            Limit(
                quotient(log(add(power(X, BETA), power(X, GAMMA))), log(X)),
                "->",
                BETA,
                "x",
                "oo",
                (BIGGER,),
            ),
            Limit(
                quotient(log(add(power(X, BETA), power(X, GAMMA))), log(X)),
                "->",
                GAMMA,
                "x",
                "oo",
                (AT_MOST,),
            ),
            Limit(minus(log(add(exp(X), ONE)), X), "->", ZERO, "x", "oo"),
            Limit(log(log(X)), "->", INFINITY, "x", "oo"),
        )
    )


def of_the_law(random: Random) -> Limit:
    penalty, best, least = ("P", R), ("L_opt", C), ("R_opt", C)
    params, tokens = ("N_opt", C), ("D_opt", C)
    t_n, t_d = ("T_N", N), ("T_D", D)
    local = quotient(add(mul(BETA, t_n), mul(GAMMA, t_d)), add(t_n, t_d))
    left_over = quotient(minus(ONE, mul(W_N, power(K, negative(BETA)))), W_D)
    effective = mul(C, power(penalty, negative(inverse(ALPHA))))
    return random.choice(
        (
            Limit(penalty, "~", mul(W_N, power(R, negative(BETA))), "r", "0"),
            Limit(penalty, "~", mul(W_D, power(R, GAMMA)), "r", "oo"),
            Limit(penalty, "->", INFINITY, "r", random.choice(("0", "oo"))),
            Limit(inverse(penalty), "->", ZERO, "r", random.choice(("0", "oo"))),
            Limit(quotient(log(penalty), log(R)), "->", GAMMA, "r", "oo"),
            Limit(quotient(log(penalty), log(R)), "->", negative(BETA), "r", "0"),
            Limit(effective, "->", ZERO, "r", random.choice(("0", "oo"))),
            Limit(
                mul(power(penalty, negative(inverse(ALPHA))), power(R, quotient(GAMMA, ALPHA))),
                "->",
                power(W_D, negative(inverse(ALPHA))),
                "r",
                "oo",
            ),
            Limit(local, "->", BETA, "N", "0"),
            Limit(local, "->", GAMMA, "N", "oo"),
            Limit(local, "->", BETA, "D", "oo"),
            Limit(
                power(left_over, negative(inverse(GAMMA))),
                "->",
                power(W_D, inverse(GAMMA)),
                "k",
                "oo",
            ),
            Limit(best, "->", E, "C", "oo"),
            Limit(best, "->", INFINITY, "C", "0"),
            Limit(quotient(least, best), "->", ZERO, "C", "oo", (HAS_FLOOR,)),
            Limit(quotient(least, best), "->", ONE, "C", "0"),
            Limit(quotient(log(least), log(C)), "->", negative(ALPHA), "C", "oo"),
            Limit(
                quotient(log(params), log(C)), "->", quotient(GAMMA, add(BETA, GAMMA)), "C", "oo"
            ),
            Limit(quotient(tokens, params), "->", INFINITY, "C", "oo", (BIGGER,)),
            Limit(quotient(tokens, params), "->", ZERO, "C", "oo", (SMALLER,)),
            Limit(quotient(params, tokens), "->", ZERO, "C", "oo", (BIGGER,)),
            Limit(("L", N, D), "->", add(E, ("T_D", D)), "N", "oo"),
            Limit(quotient(t_n, ("R", N, D)), "->", ONE, "D", "oo"),
        )
    )


def taylor(random: Random) -> Limit:
    at = ("P", exp(X))
    e, c = random.choice((BETA, GAMMA, TWO, HALF)), random.choice((ONE, Y, TWO, BETA))
    bowl = mul(HALF, BETA, GAMMA)
    x_c = mul(c, X)
    return random.choice(
        (
            Limit(quotient(minus(at, ONE), power(X, TWO)), "->", bowl, "x", "0"),
            Limit(minus(at, ONE), "~", mul(bowl, power(X, TWO)), "x", "0"),
            Limit(quotient(minus(("P", add(ONE, X)), ONE), power(X, TWO)), "->", bowl, "x", "0"),
            Limit(
                quotient(minus(minus(exp(x_c), ONE), x_c), power(X, TWO)),
                "->",
                mul(HALF, power(c, TWO)),
                "x",
                "0",
            ),
            Limit(
                quotient(minus(add(exp(x_c), exp(negative(x_c))), TWO), power(X, TWO)),
                "->",
                power(c, TWO),
                "x",
                "0",
            ),
            Limit(
                quotient(minus(log(add(ONE, x_c)), x_c), power(X, TWO)),
                "->",
                mul(rat(-1, 2), power(c, TWO)),
                "x",
                "0",
            ),
            Limit(
                quotient(minus(minus(power(add(ONE, X), e), ONE), mul(e, X)), power(X, TWO)),
                "->",
                mul(HALF, e, minus(e, ONE)),
                "x",
                "0",
            ),
            Limit(
                quotient(minus(power(add(ONE, X), e), power(add(ONE, X), negative(e))), X),
                "->",
                mul(TWO, e),
                "x",
                "0",
            ),
            Limit(quotient(log(at), power(X, TWO)), "->", bowl, "x", "0"),
            Limit(mul(X, minus(exp(inverse(X)), ONE)), "->", ONE, "x", "oo"),
            Limit(mul(X, minus(power(Y, inverse(X)), ONE)), "->", log(Y), "x", "oo"),
        )
    )


def difference_quotient(random: Random) -> Limit:
    moved = random.choice((add(Y, X), mul(Y, add(ONE, X))))
    factor = ONE if moved == add(Y, X) else Y
    e = random.choice((BETA, negative(GAMMA), HALF, rat(3), negative(ALPHA)))

    def slope(at_moved: Node, at: Node, derivative: Node) -> Limit:
        return Limit(quotient(minus(at_moved, at), X), "->", mul(factor, derivative), "x", "0")

    return random.choice(
        (
            slope(power(moved, e), power(Y, e), mul(e, power(Y, minus(e, ONE)))),
            slope(exp(negative(moved)), exp(negative(Y)), negative(exp(negative(Y)))),
            slope(log(moved), log(Y), inverse(Y)),
            slope(
                ("T_N", moved),
                ("T_N", Y),
                mul(negative(BETA), A, power(Y, minus(negative(BETA), ONE))),
            ),
            slope(
                ("R", moved, D),
                ("R", Y, D),
                mul(negative(BETA), A, power(Y, minus(negative(BETA), ONE))),
            ),
            slope(
                inverse(add(ONE, moved)),
                inverse(add(ONE, Y)),
                negative(power(add(ONE, Y), rat(-2))),
            ),
        )
    )


FAMILIES: dict[str, Callable[[Random], Limit]] = {
    "sum of powers": sum_of_powers,
    "quotient of sums": quotient_of_sums,
    "sum under a power": sum_under_a_power,
    "exponential": exponential,
    "logarithm": logarithm,
    "of the law": of_the_law,
    "Taylor": taylor,
    "difference quotient": difference_quotient,
}


# -- mistakes ----------------------------------------------------------------------------------------


def mistaken(limit: Limit, random: Random) -> Limit:
    """The limit with one mistake."""
    left, right = limit.left, limit.right
    wrong: list[Any] = [INFINITY, ZERO, ONE] if limit.relation == "->" else []
    if right != INFINITY:
        wrong += [mul(TWO, right), mul(Y, right), power(right, TWO)]
        wrong += [add(right, ONE), minus(right, ONE)] if limit.relation == "->" else []
        for one, other in ((BETA, GAMMA), (GAMMA, BETA)):
            swapped = _exchanged(right, one, other)
            wrong += [swapped, swapped] if swapped != right else []
    wrong = [other for other in wrong if other != right]
    turned = {">": "<=", "<": ">=", ">=": "<=", "<=": ">="}
    options = [
        Limit(left, limit.relation, random.choice(wrong), limit.variable, limit.target, limit.where)
    ] * 3
    options += [
        Limit(
            left,
            limit.relation,
            right,
            limit.variable,
            "0" if limit.target == "oo" else "oo",
            limit.where,
        )
    ]
    options += [
        Limit(left, limit.relation, right, limit.variable, limit.target, ((a, turned[r], b),))
        for a, r, b in limit.where
        if r in turned and (a, r, b) != HAS_FLOOR
    ]
    return random.choice(options)


def _exchanged(node: Node, one: Node, other: Node) -> Node:
    if node == one:
        return other
    return (
        node
        if node[0] in ("sym", "rat")
        else (node[0], *(_exchanged(part, one, other) for part in node[1:]))
    )


# -- checked at points -------------------------------------------------------------------------------


class Precise(Meaning):
    """The law's quantities with all digits of the context."""

    def optimum(self, compute: Any) -> tuple[Any, Any]:
        """Where the derivative of R along the budget is zero, in logarithms."""
        if compute not in self.found:
            A, B, beta, gamma = (self.point[name] for name in ("A", "B", "beta", "gamma"))
            whole = MP.log(compute / self.kappa)
            u = MP.mpf(0.5) * whole
            for _ in range(4_000):
                down, up = A * beta * MP.exp(-beta * u), B * gamma * MP.exp(-gamma * (whole - u))
                step = MP.log(down / up) / (beta + gamma)
                u += step
                if abs(step) <= MP.mpf(10) ** (5 - MP.dps) * max(1, abs(u)):
                    break
            self.found[compute] = (MP.exp(u), MP.exp(whole - u))
        return self.found[compute]


def remainders(limit: Limit, point: Point) -> list[Any]:
    """What must vanish, on the way."""
    values = []
    for step in STEPS:
        at = point | {limit.variable: MP.mpf(10) ** (step if limit.target == "oo" else -step)}
        left = _value(limit.left, at)
        if limit.right == INFINITY:
            values.append(1 / left if left > 0 else MP.inf)
            continue
        right = _value(limit.right, at)
        values.append(abs(left / right - 1 if limit.relation == "~" else left - right))
    return values


def vanishes(values: list[Any]) -> bool:
    return all(b < a * MP.mpf("0.9999") or b <= ROUNDING for a, b in itertools.pairwise(values))


def _value(node: Node, point: Point) -> Any:
    meaning = Precise(point)

    def plain(part: Node) -> Node:
        if part[0] in ("sym", "rat"):
            return part
        inner = tuple(map(plain, part[1:]))
        if part[0] in ("add", "mul", "pow", "exp", "log"):
            return (part[0], *inner)
        name = f"#{len(known)}"
        known[name] = meaning.value(part[0], [rewriting.evaluate(a, known) for a in inner])
        return sym(name)

    known = dict(point)
    return rewriting.evaluate(plain(node), known)


def holds(limit: Limit, random: Random) -> bool | None:
    """Whether the remainder vanishes at every drawn point; None where it cannot be evaluated."""
    sides = [limit.left, *([] if limit.right == INFINITY else [limit.right])]
    names = sorted(symbols_of(*sides, *(side for a, _, b in limit.where for side in (a, b))))
    verdicts = []
    with MP.workdps(DIGITS):
        for index in range(POINTS):
            point = {name: MP.mpf(random.uniform(0.4, 2.5)) for name in names}
            for (_, smaller), relation, (_, larger) in (c for c in limit.where if c != HAS_FLOOR):
                low, high = sorted((point[smaller], point[larger]))
                point[smaller], point[larger] = (high, low) if relation[0] == ">" else (low, high)
                if relation == "==" or (relation in (">=", "<=") and index % 2):
                    point[smaller] = point[larger]
            try:
                verdicts.append(vanishes(remainders(limit, point)))
            except (ZeroDivisionError, ValueError, OverflowError, TypeError):
                return None
    return all(verdicts)


# -- as typed ----------------------------------------------------------------------------------------


def typed(kind: str, truth: bool, limit: Limit, latex: bool) -> RandomClaim:
    write = latex_text if latex else plain_text
    infinite = r"\infty" if latex else INFINITY
    right = infinite if limit.right == INFINITY else write(limit.right)
    relation = LATEX_RELATIONS[limit.relation] if latex else limit.relation
    assume = tuple(f"{plain_text(a)} {r} {plain_text(b)}" for a, r, b in limit.where)
    variable = GREEK.get(limit.variable, limit.variable) if latex else limit.variable
    text = f"{write(limit.left)} {relation} {right}"
    return RandomClaim(kind, truth, text, latex, assume, f"{variable} -> {limit.target}")


def random_limit(random: Random, truth: bool) -> tuple[str, Limit]:
    """A limit and its family, with the truth that is wanted."""
    while True:
        kind = random.choice(list(FAMILIES))
        limit = FAMILIES[kind](random)
        if not truth:
            limit = mistaken(limit, random)
        verdict = holds(limit, random)
        if truth:
            assert verdict, (kind, limit)
            return kind, limit
        if verdict is False:
            return kind, limit


def random_limits(seed: int) -> Iterator[RandomClaim]:
    """Endless limits of all families, half of them true."""
    random = Random(seed)
    while True:
        truth = random.random() < 0.5
        kind, limit = random_limit(random, truth)
        yield typed(kind, truth, limit, random.random() < LATEX_SHARE)


def claims(count: int, seed: int) -> list[tuple[str, bool, str, dict[str, Any]]]:
    """So many limits: family, truth, text and options of `prove`."""
    return [
        (claim.kind, bool(claim.truth), claim.text, claim.options)
        for claim in itertools.islice(random_limits(seed), count)
    ]


BY_SYMPY = Answer.BY_SYMPY.value


@dataclass(frozen=True)
class Judged:
    """A limit with its verdict."""

    kind: str
    truth: bool
    text: str
    options: dict[str, Any]
    answer: str
    reason: str
    seconds: float

    @property
    def misjudged(self) -> bool:
        return self.answer in (("refuted",) if self.truth else ("proved", BY_SYMPY))


def judged(count: int, seed: int) -> list[Judged]:
    """What the prover says of so many limits."""
    from isoflop.theory.claim.prove import prove
    from isoflop.theory.reader.tokens import ParseError

    verdicts = []
    for kind, truth, text, options in claims(count, seed):
        start = perf_counter()
        try:
            proof = prove(text, **options, seconds=60)
            answer, reason = proof.answer.value, str(proof)
        except ParseError as error:
            answer, reason = "unreadable", str(error)
        verdicts.append(Judged(kind, truth, text, options, answer, reason, perf_counter() - start))
    return verdicts


ANSWERS = ("proved", BY_SYMPY, "refuted", "undecided", "unreadable")


def rates(verdicts: list[Judged]) -> str:
    """A table of the verdicts on each family."""
    lines = [
        f"{'family':<22}{'truth':<7}{'n':>5}"
        + "".join(f"{a[:11]:>12}" for a in ANSWERS)
        + f"{'misjudged':>11}"
    ]
    for kind in ("all", *FAMILIES):
        for truth in (True, False):
            rows = [v for v in verdicts if v.truth is truth and kind in ("all", v.kind)]
            counts = "".join(f"{sum(v.answer == answer for v in rows):>12}" for answer in ANSWERS)
            lines.append(
                f"{kind:<22}{truth!s:<7}{len(rows):>5}{counts}{sum(v.misjudged for v in rows):>11}"
            )
    seconds = sorted(v.seconds for v in verdicts)
    lines.append(
        f"seconds: median {seconds[len(seconds) // 2]:.3f}, 95 % {seconds[int(0.95 * len(seconds))]:.2f}, longest {seconds[-1]:.1f}"
    )
    return "\n".join(lines)


def main() -> None:
    """Print the rates, and every limit that is misjudged or not decided."""
    parser = argparse.ArgumentParser(
        description="Random limits against the prover.", allow_abbrev=False
    )
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    verdicts = judged(options.number, options.seed)
    print(rates(verdicts))
    for verdict in verdicts:
        if verdict.misjudged or verdict.answer in ("undecided", "unreadable"):
            print(f"{verdict.truth} {verdict.options}\n{verdict.reason}\n")


if __name__ == "__main__":
    main()
