"""Random claims as a user types them, true by construction or false by one mistake; each verdict is
known without the package.

A claim is made of the tuples of `rewriting`, and of the law's quantities such as `("R_opt", C)`.
Those are evaluated from what they mean (the least loss on the budget, found by Newton's method in
`reference`), never from a closed form. What is made true is checked at points of its domain with 60
digits; what is made false is kept only where it clearly fails at one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from tests.theory import random_bounds, reference, rewriting
from tests.theory.random_limits import random_limits
from tests.theory.rewriting import (
    MINUS_ONE,
    MP,
    Node,
    Rewriter,
    add,
    inverse,
    mul,
    power,
    rat,
    relation_from,
    renamed,
    sym,
)

Point = dict[str, Any]
Constraint = tuple[Node, str, Node]

TURNED = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}
SAME = MP.mpf(10) ** -35
CLEARLY = MP.mpf(10) ** -25
TRUE_POINTS, FALSE_POINTS = 8, 24
SPELLING = {"b": "beta", "g": "gamma", "p": "p", "d": "q"}

C, BETA, GAMMA = map(sym, ("C", "beta", "gamma"))
TOTAL = add(BETA, GAMMA)


class NoValue(ValueError):
    """A quantity of the law at an argument that is not positive; a mistake can lead there."""


@dataclass(frozen=True)
class RandomClaim:
    """What is typed, and whether it is true."""

    kind: str
    truth: bool
    text: str
    latex: bool = False
    assume: tuple[str, ...] = ()
    limit: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        return {"latex": self.latex, "assume": self.assume, "limit": self.limit}


@dataclass(frozen=True)
class Draft:
    """A chain of sides with the relations between them, and where it is claimed."""

    sides: tuple[Node, ...]
    relations: tuple[str, ...]
    where: tuple[Constraint, ...] = ()


@dataclass
class Meaning:
    """The law's quantities at a point, by search."""

    point: Mapping[str, Any]
    found: dict[Any, Any] = field(default_factory=dict)

    def optimum(self, compute: Any) -> tuple[Any, Any]:
        if compute not in self.found:
            coefficients, exponents = (
                tuple(self.point[x] for x in pair) for pair in (("A", "B"), ("beta", "gamma"))
            )
            law = reference.Numbers(coefficients, exponents, (MP.one, MP.one), MP.mpf(6), compute)
            self.found[compute] = tuple(map(MP.exp, reference.minimum(law)))
        return self.found[compute]

    def term(self, name: str, size: Any) -> Any:
        coefficient, exponent = ("A", "beta") if name == "T_N" else ("B", "gamma")
        return self.point[coefficient] * size ** -self.point[exponent]

    def reducible(self, params: Any, tokens: Any) -> Any:
        return self.term("T_N", params) + self.term("T_D", tokens)

    def value(self, name: str, arguments: Sequence[Any]) -> Any:
        floor = self.point.get("E", 0)
        if name in ("T_N", "T_D"):
            return self.term(name, *arguments)
        if name in ("R", "L"):
            return self.reducible(*arguments) + (floor if name == "L" else 0)
        if name == "alpha":
            once, twice = (self.reducible(*self.optimum(k * MP.one)) for k in (1, 2))
            return MP.log(once / twice, 2)
        compute = MP.mpf(6) if name == "G" else arguments[0] if "opt" in name else MP.one
        params, tokens = self.optimum(compute)
        least = self.reducible(params, tokens)
        if name == "P":
            return self.reducible(params * arguments[0], tokens / arguments[0]) / least
        return {
            **dict.fromkeys(("N_opt", "G"), params),
            **dict.fromkeys(("R_opt", "C0"), least),
            "D_opt": tokens,
            "L_opt": floor + least,
            "w_N": self.term("T_N", params) / least,
            "w_D": self.term("T_D", tokens) / least,
        }[name]


ATTACHED = {"T_N": "A beta", "T_D": "B gamma", "L": "A B beta gamma E", "L_opt": "A B beta gamma E"}
NAMES = "T_N T_D R L N_opt D_opt R_opt L_opt C0 alpha G w_N w_D P"
QUANTITIES = {*NAMES.split()}


def symbols_of(*nodes: Node) -> set[str]:
    """The symbols, with those that a quantity stands on."""
    found = set(rewriting.symbols_of(*nodes))
    for node in nodes:
        for _, part in rewriting.subexpressions(node):
            if part[0] in QUANTITIES:
                found |= set(ATTACHED.get(part[0], "A B beta gamma").split())
    return found


def evaluate(node: Node, meaning: Meaning) -> Any:
    known = dict(meaning.point)

    def plain(node: Node) -> Node:
        if node[0] in QUANTITIES:
            name = f"#{len(known)}"
            arguments = [evaluate(argument, meaning) for argument in node[1:]]
            if any(MP.im(value) or not MP.re(value) > 0 for value in arguments):
                raise NoValue(node)
            known[name] = meaning.value(node[0], arguments)
            return sym(name)
        return node if node[0] in ("sym", "rat") else (node[0], *map(plain, node[1:]))

    return rewriting.evaluate(plain(node), known)


def gap(left: Any, right: Any) -> Any:
    """left - right as a share of the larger."""
    return (left - right) / max(abs(left), abs(right), MP.mpf(10) ** -40)


def agrees(relation: str, share: Any) -> bool:
    """Whether the relation holds, to rounding where it is weak."""
    return {
        "==": abs(share) <= SAME,
        ">=": share >= -SAME,
        "<=": share <= SAME,
        ">": share > SAME,
        "<": share < -SAME,
    }[relation]


def clearly_fails(relation: str, share: Any) -> bool:
    """Whether the relation fails; a strict one also where both sides are equal to rounding, as nothing
    that is made here comes so close otherwise.
    """
    return {
        "==": abs(share) > CLEARLY,
        ">=": share < -CLEARLY,
        "<=": share > CLEARLY,
        ">": share <= SAME,
        "<": share >= -SAME,
    }[relation]


LATEX = {
    **{f"{x}_opt": f"{x}^{{*}}" for x in "NDLR"},
    **{x: rf"\{x}" for x in ("alpha", "beta", "gamma", "kappa", "exp", "log")},
    **{"C0": "C_0", ">=": r"\ge", "<=": r"\le", "==": "="},
}


def text_of(node: Node, latex: bool = False) -> str:
    """The expression as it would be typed, with more brackets."""
    kind, *arguments = node
    opens, closes, times = (r"\left(", r"\right)", r" \cdot ") if latex else ("(", ")", "*")
    if kind == "sym":
        return str(LATEX.get(arguments[0], arguments[0]) if latex else arguments[0])
    if kind == "rat":
        number = arguments[0]
        is_quotient = latex and number.q > 1
        text = rf"\frac{{{number.p}}}{{{number.q}}}" if is_quotient else str(number)
        return f"{opens}{text}{closes}" if number < 0 or number.q > 1 else text
    inner = [text_of(argument, latex) for argument in arguments]
    match kind:
        case "mul" if latex and arguments[1:] and arguments[-1][::2] == ("pow", MINUS_ONE):
            product = times.join(inner[:-1])
            return rf"\frac{{{product}}}{{{text_of(arguments[-1][1], latex)}}}"
        case "add" | "mul":
            return f"{opens}{(' + ' if kind == 'add' else times).join(inner)}{closes}"
        case "pow":
            return f"{opens}{inner[0]}{closes}^" + (f"{{{inner[1]}}}" if latex else f"({inner[1]})")
        case "abs" if latex:
            return rf"\left|{inner[0]}\right|"
    name = LATEX.get(kind, kind) if latex else kind
    return f"{name}{opens}{', '.join(inner)}{closes}" if inner else str(name)


#: What the law implies; x scales.
LAW_IDENTITIES = """
alpha == beta*gamma/(beta + gamma)
alpha == 1/(1/beta + 1/gamma)
R_opt(x*C) == x^(-beta*gamma/(beta + gamma))*R_opt(C)
R_opt(x*C) == x^(-alpha)*R_opt(C)
N_opt(x*C) == x^(gamma/(beta + gamma))*N_opt(C)
D_opt(x*C) == x^(beta/(beta + gamma))*D_opt(C)
6*N_opt(C)*D_opt(C) == C
T_N(N_opt(C)) == w_N*R_opt(C)
T_D(D_opt(C)) == w_D*R_opt(C)
beta*T_N(N_opt(C)) == gamma*T_D(D_opt(C))
w_N + w_D == 1
w_N == gamma/(beta + gamma)
R_opt(C) == C0*C^(-alpha)
L_opt(C) - E == R_opt(C)
L_opt(C) == L(N_opt(C), D_opt(C))
N_opt(C) == G*(C/6)^(gamma/(beta + gamma))
P(r) == w_N*r^(-beta) + w_D*r^gamma
R(r*N_opt(C), D_opt(C)/r) == P(r)*R_opt(C)
G^(beta + gamma) == beta*A/(gamma*B)
N_opt(C)/D_opt(C) == G^2*(C/6)^((gamma - beta)/(beta + gamma))
"""
LAW_BOUNDS = """
P(r) >= 1
R(N, D) >= R_opt(6*N*D)
L(N, D) >= L_opt(6*N*D)
alpha <= beta
alpha < gamma
w_N < 1
R(r*N_opt(C), D_opt(C)/r) >= R_opt(C)
R(N, D) > T_N(N)
x^beta + x^(-beta) >= 2
L(N, D) >= R(N, D)
"""
#: What is assumed, and a bound that it implies: strictly, or weakly where it is assumed weakly, with
#: equality where the assumed sides are equal.
UNDER_CONSTRAINTS = """
x > y: x^2 > y^2
x > y: x*z > y*z
x > y: x + z > y + z
x > 1: x^3 > x
x > 1: x > 1
x > 2: x*y > 2*y
beta > gamma: beta > gamma
beta > gamma: beta/2 > alpha
beta > gamma: alpha > gamma/2
beta > gamma: w_D > w_N
beta > gamma: beta/(beta + gamma) > 1/2
beta > gamma: T_D(D_opt(C)) > T_N(N_opt(C))
C > 6: C/6 > 1
x > y + z: x > y + z
x*y > z: x*y*N > z*N
"""


class Maker:
    """A seeded source of claims."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.rewriter = Rewriter(seed)
        self.limits = random_limits(seed)
        weak = (">=", (">=",), (">", ">", "<=", "<"))  # false ones often fail at equality alone
        self.makers: dict[str, Callable[[bool], Draft]] = {
            "identity": self.identity,
            "random tree": self.tree,
            "chain": self.chain,
            "bound": self.bound,
            "strict assumption": partial(self._under, ">", (">", ">="), ("<", "<=")),
            "weak assumption": partial(self._under, *weak),
            **{family: partial(self.bound_of, family) for family in random_bounds.FAMILIES},
        }

    def _one_of(self, table: str) -> list[Constraint]:
        return [*map(relation_from, self.random.choice(table.strip().splitlines()).split(": "))]

    # -- drafts of each kind, true ones and false ones

    def identity(self, truth: bool) -> Draft:
        left, _, right = self._one_of(LAW_IDENTITIES)[0]
        right = self._respelled(right)
        return Draft((left, right if truth else self._mistaken(right)), ("==",))

    def tree(self, truth: bool) -> Draft:
        start = renamed(self.rewriter.expression(), SPELLING)
        right = self._respelled(start, 3)
        return Draft((start, right if truth else self._mistaken(right)), ("==",))

    def chain(self, truth: bool) -> Draft:
        left, _, right = self._one_of(LAW_IDENTITIES)[0]
        sides = [left, right, *(self._respelled(right) for _ in range(self.random.randint(1, 2)))]
        relations = ["==" for _ in sides[1:]]
        if self.random.random() < 0.5:
            sides.append(add(sides[-1], renamed(self.rewriter.monomial(), SPELLING)))
            relations.append(self.random.choice(("<=", "<")))
        if not truth:
            i = self.random.randrange(1, len(sides))
            sides[i] = self._mistaken(sides[i])
        return Draft(tuple(sides), tuple(relations))

    def bound(self, truth: bool) -> Draft:
        draft = self.random.choice((self._law_bound, self._mean, self._more, self._mean))()
        return draft if truth else self._spoiled(draft)

    def bound_of(self, family: str, truth: bool) -> Draft:
        left, relation, right, where = random_bounds.drawn(self.random, family)
        draft = self._turned(Draft((left, right), (relation,), where))
        return draft if truth else self._spoiled(draft)

    def _law_bound(self) -> Draft:
        ((left, relation, right),) = self._one_of(LAW_BOUNDS)
        return Draft((left, right), (relation,))

    def _mean(self) -> Draft:
        """sum w_i T_i >= prod T_i^w_i"""
        terms = [
            renamed(self.rewriter.monomial(), SPELLING)
            for _ in range(self.random.choice((2, 2, 3)))
        ]
        if len(terms) == 2 and self.random.random() < 0.5:
            weights = [mul(BETA, inverse(TOTAL)), mul(GAMMA, inverse(TOTAL))]
        else:
            parts = [self.random.randint(1, 4) for _ in terms]
            weights = [rat(part, sum(parts)) for part in parts]
        left = add(*(mul(w, t) for w, t in zip(weights, terms, strict=True)))
        return Draft(
            (left, mul(*(power(t, w) for w, t in zip(weights, terms, strict=True)))), (">=",)
        )

    def _more(self) -> Draft:
        """u + v > u"""
        first = renamed(self.rewriter.term(), SPELLING)
        more = add(first, renamed(self.rewriter.monomial(), SPELLING))
        relation = self.random.choice((">", ">="))
        return Draft((more, self._respelled(first, 1)), (relation,))

    def _spoiled(self, draft: Draft) -> Draft:
        left, right = draft.sides
        (relation,) = draft.relations
        spoiled = self.random.choice(
            (
                ((left, right), TURNED[relation]),
                ((left, mul(right, rat(3) if relation[0] == ">" else rat(1, 3))), relation),
                ((right, self._respelled(right)), relation[0]),  # equal sides, a strict relation
                ((left, self._mistaken(right)), relation),
            )
        )
        return Draft(spoiled[0], (spoiled[1],), draft.where)

    def _under(self, assumed: str, true: Sequence[str], false: Sequence[str], truth: bool) -> Draft:
        (greater, _, less), (f, _, g) = self._one_of(UNDER_CONSTRAINTS)
        one = (greater, assumed, less)
        where = one if self.random.random() < 0.5 else (less, TURNED[assumed], greater)
        relation = self.random.choice(true if truth else false)
        return self._turned(Draft((f, g), (relation,), (where,)))

    def _turned(self, draft: Draft) -> Draft:
        if self.random.random() < 0.5:
            return draft
        (relation,) = draft.relations
        return Draft(tuple(reversed(draft.sides)), (TURNED[relation],), draft.where)

    def _respelled(self, node: Node, steps: int = 2) -> Node:
        return renamed(self.rewriter.rewritten(node, self.random.randint(0, steps)), SPELLING)

    def _mistaken(self, node: Node) -> Node:
        return renamed(self.rewriter.mutated(node), SPELLING)

    # -- checked and rendered

    def points(self, draft: Draft, count: int) -> Iterator[Point]:
        """Points where the assumptions hold; for a weak one of each two has its sides equal."""
        names = sorted(
            symbols_of(
                *draft.sides, *(side for left, _, right in draft.where for side in (left, right))
            )
        )
        drawn = 0
        while drawn < count:
            point = {name: MP.mpf(self.random.uniform(0.4, 2.5)) for name in names}
            if "C" in point and any(C in constraint for constraint in draft.where):
                point["C"] *= 8
            meaning = Meaning(point)
            on_boundary = drawn % 2 == 1
            for left, relation, right in draft.where:
                if on_boundary and relation in (">=", "<="):
                    self._equalise(point, left, right, meaning)
            values = [
                (relation, gap(evaluate(left, meaning), evaluate(right, meaning)))
                for left, relation, right in draft.where
            ]
            if all(agrees(relation, share) for relation, share in values):
                drawn += 1
                yield point

    @staticmethod
    def _equalise(point: Point, left: Node, right: Node, meaning: Meaning) -> None:
        symbol, other = (left, right) if left[0] == "sym" else (right, left)
        if symbol[0] == "sym":
            point[symbol[1]] = evaluate(other, meaning)

    def verdicts(self, draft: Draft, count: int) -> Iterator[list[tuple[str, Any]]]:
        """For each point where all sides have a real value the relations and the gaps of the sides;
        a mistake may leave none.
        """
        for point in self.points(draft, count):
            meaning = Meaning(point)
            try:
                values = [evaluate(side, meaning) for side in draft.sides]
            except (ZeroDivisionError, OverflowError, NoValue):
                continue
            if not all(MP.isfinite(value) and MP.im(value) == 0 for value in values):
                continue
            values = list(map(MP.re, values))
            yield [
                (r, gap(a, b))
                for r, (a, b) in zip(draft.relations, itertools.pairwise(values), strict=True)
            ]

    def is_true(self, draft: Draft) -> bool:
        found = list(self.verdicts(draft, TRUE_POINTS))
        return len(found) == TRUE_POINTS and all(
            agrees(r, share) for links in found for r, share in links
        )

    def is_clearly_false(self, draft: Draft) -> bool:
        return any(
            clearly_fails(r, share)
            for links in self.verdicts(draft, FALSE_POINTS)
            for r, share in links
        )

    def claim(self, kind: str, truth: bool) -> RandomClaim:
        if kind == "limit":
            found = next(limit for limit in self.limits if limit.truth is truth)
            return RandomClaim(kind, truth, found.text, assume=found.assume, limit=found.limit)
        while True:
            draft = self.makers[kind](truth)
            if not _can_be_written(draft):
                continue
            if truth:
                assert self.is_true(draft), draft
                break
            if self.is_clearly_false(draft):
                break
        latex = self.random.random() < 0.25
        sides = [text_of(side, latex) for side in draft.sides]
        signs = [LATEX[r] if latex and r in LATEX else r for r in draft.relations]
        links = (f" {sign} {side}" for sign, side in zip(signs, sides[1:], strict=True))
        written = sides[0] + "".join(links)
        assume = tuple(f"{text_of(x)} {relation} {text_of(y)}" for x, relation, y in draft.where)
        return RandomClaim(kind, truth, written, latex, assume)


def _can_be_written(draft: Draft) -> bool:
    """Not deeper than the reader goes."""
    return all(len(path) < 25 for side in draft.sides for path, _ in rewriting.subexpressions(side))


SHARES = {
    "identity": 16, "random tree": 14, "chain": 10, "bound": 18, "strict assumption": 10, "weak assumption": 10,
    "limit": 12,
    "monotone bound": 6, "bound of the law": 6, "convexity bound": 5, "logarithm bound": 5, "square bound": 5,
}  # fmt: skip


def random_claims(seed: int, shares: Mapping[str, int] = SHARES) -> Iterator[RandomClaim]:
    """Endless claims of these kinds, half of them true."""
    maker = Maker(seed)
    while True:
        (kind,) = maker.random.choices(list(shares), list(shares.values()))
        yield maker.claim(kind, maker.random.random() < 0.5)
