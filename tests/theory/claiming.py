"""Random claims as a user types them, true by construction or false by one mistake; each verdict is
known without the package.

A claim is made of the texts of `rewriting`, in which the law's quantities stand as `R_opt(C)`. Those
are evaluated from what they mean (the least loss on the budget, found by Newton's method in
`reference`), never from a closed form. What is made true is checked at points of its domain with 60
digits; what is made false is kept only where it clearly fails at one.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from tests.theory import reference
from tests.theory.families import BOUNDS, RandomClaim, drawn, random_limits, relation_from
from tests.theory.rewriting import (
    CONSTANTS,
    MP,
    Rewriter,
    called,
    children,
    depth,
    evaluate,
    names_of,
    renamed,
    tree_of,
)

Constraint = tuple[str, str, str]

STRICT = (">", "<")
TURNED = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}
SAME = MP.mpf(10) ** -35
CLEARLY = MP.mpf(10) ** -25
TRUE_POINTS, FALSE_POINTS = 8, 24
SPELLING = {"b": "beta", "g": "gamma", "d": "q"}


class NoValue(ValueError):
    """A quantity of the law at an argument that is not positive; a mistake can lead there."""


@dataclass(frozen=True)
class Draft:
    """A chain of sides with the relations between them, and where it is claimed."""

    sides: tuple[str, ...]
    relations: tuple[str, ...]
    where: tuple[Constraint, ...] = ()


#: The letters that a quantity of the law stands on.
LETTERS = {
    **dict.fromkeys((*CONSTANTS, "R", "N_opt", "D_opt", "R_opt", "P"), "A B beta gamma"),
    **{"T_N": "A beta", "T_D": "B gamma"},
    **dict.fromkeys(("L", "L_opt"), "A B beta gamma E"),
}


class Meaning(dict[str, Any]):
    """The numbers of a point, and the law's quantities there by search."""

    def __init__(self, point: Mapping[str, Any]) -> None:
        super().__init__(point)
        self.found: dict[Any, Any] = {}

    def __missing__(self, name: str) -> Any:
        if name not in LETTERS:
            raise KeyError(name)
        return self.value(name) if name in CONSTANTS else partial(self.value, name)

    def optimum(self, compute: Any) -> tuple[Any, Any]:
        if compute not in self.found:
            sizes, exponents = (self["A"], self["B"]), (self["beta"], self["gamma"])
            law = reference.Numbers(sizes, exponents, (MP.one, MP.one), MP.mpf(6), compute)
            self.found[compute] = tuple(map(MP.exp, reference.minimum(law)))
        return self.found[compute]

    def value(self, name: str, *arguments: Any) -> Any:
        if any(MP.im(x) or not MP.re(x) > 0 for x in arguments):
            raise NoValue(name)
        floor = self.get("E", 0)
        if name in ("T_N", "T_D"):
            coefficient, exponent = LETTERS[name].split()
            return self[coefficient] * arguments[0] ** -self[exponent]
        if name in ("R", "L"):
            terms = (self.value(x, size) for x, size in zip(("T_N", "T_D"), arguments, strict=True))
            return sum(terms) + (floor if name == "L" else 0)
        if name == "alpha":
            once, twice = (self.value("R", *self.optimum(k * MP.one)) for k in (1, 2))
            return MP.log(once / twice, 2)
        compute = MP.mpf(6) if name == "G" else arguments[0] if "opt" in name else MP.one
        params, tokens = self.optimum(compute)
        least = self.value("R", params, tokens)
        if name == "P":
            return self.value("R", params * arguments[0], tokens / arguments[0]) / least
        return {
            **dict.fromkeys(("N_opt", "G"), params),
            **dict.fromkeys(("R_opt", "C0"), least),
            "D_opt": tokens,
            "L_opt": floor + least,
            "w_N": self.value("T_N", params) / least,
            "w_D": self.value("T_D", tokens) / least,
        }[name]


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
    is_equality = relation in STRICT and abs(share) <= SAME
    return is_equality or (abs(share) > CLEARLY and not agrees(relation, share))


LATEX = {
    **{f"{x}_opt": f"{x}^{{*}}" for x in "NDLR"},
    **{x: rf"\{x}" for x in ("alpha", "beta", "gamma", "kappa", "exp", "log")},
    **{"C0": "C_0", ">=": r"\ge", "<=": r"\le", "==": "="},
}
SIGNS: dict[type[ast.AST], str] = {ast.Add: " + ", ast.Sub: " - ", ast.Mult: r" \cdot "}


def latex_of(node: ast.expr) -> str:
    """The expression in LaTeX, with more brackets than a paper has."""
    inner = [latex_of(child) for child in children(node)]
    match node:
        case ast.BinOp(op=ast.Div()):
            return rf"\frac{{{inner[0]}}}{{{inner[1]}}}"
        case ast.BinOp(op=ast.Pow()):
            return rf"\left({inner[0]}\right)^{{{inner[1]}}}"
        case ast.BinOp(op=sign):
            return rf"\left({inner[0]}{SIGNS[type(sign)]}{inner[1]}\right)"
        case ast.UnaryOp():
            return rf"\left(-{inner[0]}\right)"
        case ast.Call() if called(node) == "abs":
            return rf"\left|{inner[0]}\right|"
        case ast.Call():
            name = LATEX.get(called(node), called(node))
            return rf"{name}\left({', '.join(inner)}\right)"
    return LATEX.get(ast.unparse(node), ast.unparse(node))


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
            **{family: partial(self.bound_of, family) for family in BOUNDS},
        }

    def _one_of(self, family: str) -> tuple[Constraint, tuple[Constraint, ...]]:
        claim, assumed, _ = drawn(self.random, family)
        return relation_from(claim), tuple(map(relation_from, assumed))

    # -- drafts of each kind, true ones and false ones

    def identity(self, truth: bool) -> Draft:
        (left, _, right), _ = self._one_of("identity")
        right = self._respelled(right)
        return Draft((left, right if truth else self._mistaken(right)), ("==",))

    def tree(self, truth: bool) -> Draft:
        start = renamed(self.rewriter.expression(), SPELLING)
        right = self._respelled(start, 3)
        return Draft((start, right if truth else self._mistaken(right)), ("==",))

    def chain(self, truth: bool) -> Draft:
        (left, _, right), _ = self._one_of("identity")
        sides = [left, right, *(self._respelled(right) for _ in range(self.random.randint(1, 2)))]
        relations = ["==" for _ in sides[1:]]
        if self.random.random() < 0.5:
            sides.append(f"{sides[-1]} + {self._monomial()}")
            relations.append(self.random.choice(("<=", "<")))
        if not truth:
            i = self.random.randrange(1, len(sides))
            sides[i] = self._mistaken(sides[i])
        return Draft(tuple(sides), tuple(relations))

    def bound(self, truth: bool) -> Draft:
        draft = self.random.choice((self._law_bound, self._mean, self._more, self._mean))()
        return draft if truth else self._spoiled(draft)

    def bound_of(self, family: str, truth: bool) -> Draft:
        (left, relation, right), where = self._one_of(family)
        if relation in STRICT and self.random.getrandbits(1):
            relation += "="
        draft = self._turned(Draft((left, right), (relation,), where))
        return draft if truth else self._spoiled(draft)

    def _law_bound(self) -> Draft:
        (left, relation, right), _ = self._one_of("law")
        return Draft((left, right), (relation,))

    def _mean(self) -> Draft:
        """sum w_i T_i >= prod T_i^w_i"""
        terms = [self._monomial() for _ in range(self.random.choice((2, 2, 3)))]
        parts = [self.random.randint(1, 4) for _ in terms]
        weights = [f"{part}/{sum(parts)}" for part in parts]
        if len(terms) == 2 and self.random.random() < 0.5:
            weights = ["beta/(beta + gamma)", "gamma/(beta + gamma)"]
        weighted = [*zip(weights, terms, strict=True)]
        left = " + ".join(f"{weight}*({term})" for weight, term in weighted)
        return Draft((left, "*".join(f"({term})^({weight})" for weight, term in weighted)), (">=",))

    def _more(self) -> Draft:
        """u + v > u"""
        first = renamed(self.rewriter.term(), SPELLING)
        more, relation = f"{first} + {self._monomial()}", self.random.choice((">", ">="))
        return Draft((more, self._respelled(first, 1)), (relation,))

    def _spoiled(self, draft: Draft) -> Draft:
        left, right = draft.sides
        (relation,) = draft.relations
        sides, spoiled = self.random.choice(
            (
                ((left, right), TURNED[relation]),
                ((left, f"{'3' if relation[0] == '>' else '1/3'}*({right})"), relation),
                ((right, self._respelled(right)), relation[0]),  # equal sides, a strict relation
                ((left, self._mistaken(right)), relation),
            )
        )
        return Draft(sides, (spoiled,), draft.where)

    def _under(self, assumed: str, true: Sequence[str], false: Sequence[str], truth: bool) -> Draft:
        (f, _, g), ((greater, _, less),) = self._one_of("constraint")
        one = (greater, assumed, less)
        where = one if self.random.random() < 0.5 else (less, TURNED[assumed], greater)
        relation = self.random.choice(true if truth else false)
        return self._turned(Draft((f, g), (relation,), (where,)))

    def _turned(self, draft: Draft) -> Draft:
        if self.random.random() < 0.5:
            return draft
        (relation,) = draft.relations
        return Draft(tuple(reversed(draft.sides)), (TURNED[relation],), draft.where)

    def _monomial(self) -> str:
        return renamed(self.rewriter.monomial(), SPELLING)

    def _respelled(self, text: str, steps: int = 2) -> str:
        return renamed(self.rewriter.rewritten(text, self.random.randint(0, steps)), SPELLING)

    def _mistaken(self, text: str) -> str:
        return renamed(self.rewriter.mutated(text), SPELLING)

    # -- checked and rendered

    def points(self, draft: Draft, count: int) -> Iterator[Meaning]:
        """Points where the assumptions hold; for a weak one of each two has its sides equal."""
        conditions = [f"{left} - ({right})" for left, _, right in draft.where]
        used = set().union(*map(names_of, (*draft.sides, *conditions)))
        used = used.union(*(LETTERS[name].split() for name in used & LETTERS.keys()))
        drawn = 0
        while drawn < count:
            names = sorted(used - LETTERS.keys())
            meaning = Meaning({name: MP.mpf(self.random.uniform(0.4, 2.5)) for name in names})
            if any("C" in constraint for constraint in draft.where):
                meaning["C"] *= 8
            for left, relation, right in draft.where:
                letter, other = (left, right) if left.isidentifier() else (right, left)
                if drawn % 2 and relation in (">=", "<=") and letter.isidentifier():
                    meaning[letter] = evaluate(other, meaning)
            if all(
                agrees(relation, gap(evaluate(left, meaning), evaluate(right, meaning)))
                for left, relation, right in draft.where
            ):
                drawn += 1
                yield meaning

    def gaps(self, draft: Draft, count: int) -> Iterator[list[tuple[str, Any]]]:
        """For each point where all sides have a real value the relations and the gaps of the sides;
        a mistake may leave none.
        """
        for meaning in self.points(draft, count):
            try:
                values = [evaluate(side, meaning) for side in draft.sides]
            except (ZeroDivisionError, OverflowError, NoValue):
                continue
            if all(MP.isfinite(value) and MP.im(value) == 0 for value in values):
                pairs = itertools.pairwise(map(MP.re, values))
                yield [(r, gap(*pair)) for r, pair in zip(draft.relations, pairs, strict=True)]

    def is_as_claimed(self, draft: Draft, truth: bool) -> bool:
        """Whether the draft is clearly true at all points, or clearly false at one."""
        if not truth:
            found = self.gaps(draft, FALSE_POINTS)
            return any(clearly_fails(*link) for links in found for link in links)
        points = [*self.gaps(draft, TRUE_POINTS)]
        assert len(points) == TRUE_POINTS, draft
        links = [*itertools.chain(*points)]
        assert all(agrees(f"{relation[0]}=", share) for relation, share in links), draft
        return all(agrees(*link) for link in links)  # strict bounds may hold by less than rounding

    def claim(self, kind: str, truth: bool) -> RandomClaim:
        if kind == "limit":
            found = next(limit for limit in self.limits if limit.truth is truth)
            return replace(found, kind=kind)
        drafts = (self.makers[kind](truth) for _ in itertools.count())
        draft = next(x for x in drafts if _can_be_written(x) and self.is_as_claimed(x, truth))
        latex = self.random.random() < 0.25
        sides = [latex_of(tree_of(side)) if latex else side for side in draft.sides]
        signs = [LATEX.get(r, r) if latex else r for r in draft.relations]
        links = (f" {sign} {side}" for sign, side in zip(signs, sides[1:], strict=True))
        assume = tuple(map(" ".join, draft.where))
        return RandomClaim(kind, truth, sides[0] + "".join(links), latex, assume)


def _can_be_written(draft: Draft) -> bool:
    """Not deeper than the reader goes."""
    return all(depth(tree_of(side)) < 25 for side in draft.sides)


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
