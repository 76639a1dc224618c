"""Random claims in plain text, made of theorems by rewriting, and their truth by direct numerical
minimisation with 60 digits.

A name such as `N_opt` or `w_N` is a symbol here, and its value is found by a search for the
optimum: no closed form is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.theory.reference import MP, Numbers, minimum
from tests.theory.rewriting import (
    Node,
    Rewriter,
    add,
    evaluate,
    from_sympy,
    inverse,
    mul,
    rat,
    renamed,
    replaced,
    subexpressions,
    sym,
    symbols_of,
)

from isoflop.derivations import derivation
from isoflop.theory.claim.vocabulary import vocabulary
from isoflop.theory.envelope import derive
from isoflop.theory.penalty import misallocation
from isoflop.theory.reader.building import NamedFunction

SHORT = {"beta": "b", "gamma": "g"}  # what the rewriter calls the exponents
LONG = {short: long for long, short in SHORT.items()}
QUANTITIES = (
    "N_opt",
    "D_opt",
    "L_opt",
    "R_opt",
    "alpha",
    "C0",
    "w_N",
    "w_D",
    "G",
    "P",
    "R",
    "L",
    "T_N",
    "T_D",
)
APPLIED = {
    "N_opt": "C",
    "D_opt": "C",
    "L_opt": "C",
    "R_opt": "C",
    "P": "r",
    "R": "N, D",
    "L": "N, D",
    "T_N": "N",
    "T_D": "D",
}
ON_BUDGET = mul(rat(6), sym("N"), sym("D"))
SAME, DIFFERENT = MP.mpf(10) ** -35, MP.mpf(10) ** -25


@dataclass(frozen=True)
class Statement:
    """An equality as text, with the assumptions that it needs, and its sides for the independent
    evaluation.
    """

    text: str
    assume: tuple[str, ...]
    lhs: Node
    rhs: Node

    def differences(self, random: Random, count: int = 3) -> list[Any]:
        """Relative differences of the two sides at random points where both are real and the
        assumptions hold.
        """
        found: list[Any] = []
        while len(found) < count:
            point = self._point(random)
            if is_real(self.lhs, point) and is_real(self.rhs, point):
                left, right = evaluate(self.lhs, point), evaluate(self.rhs, point)
                found.append(abs(left - right) / max(abs(left), abs(right), MP.mpf(10) ** -20))
        return found

    def _point(self, random: Random) -> dict[str, Any]:
        names = {
            *symbols_of(self.lhs, self.rhs),
            "A",
            "B",
            "C",
            "E",
            "N",
            "D",
            "beta",
            "gamma",
            "r",
        } - set(QUANTITIES)
        point = {name: MP.mpf(random.uniform(0.4, 2.5)) for name in sorted(names)}
        if self.assume:
            point["C"] = 6 * point["N"] * point["D"]
        return point | quantities(point)


def is_real(side: Node, point: dict[str, Any]) -> bool:
    """Whether every part is: two complex parts may cancel outside the domain."""
    return not any(isinstance(evaluate(part, point), MP.mpc) for _, part in subexpressions(side))


def quantities(point: dict[str, Any]) -> dict[str, Any]:
    """The named quantities at a point, by minimisation."""
    exponents = (point["beta"], point["gamma"])
    law = Numbers((point["A"], point["B"]), exponents, (MP.one, MP.one), MP.mpf(6), point["C"])
    best = minimum(law)
    least, doubled = law.reducible(best), law.with_compute(2 * law.compute)
    alpha = MP.log(least / doubled.reducible(minimum(doubled))) / MP.log(2)
    here = [MP.log(point["N"]), MP.log(point["D"])]
    shifted = [best[0] + MP.log(point["r"]), best[1] - MP.log(point["r"])]
    at_six = minimum(law.with_compute(MP.mpf(6)))
    params, tokens = law.terms(best)
    return {
        "N_opt": MP.exp(best[0]),
        "D_opt": MP.exp(best[1]),
        "R_opt": least,
        "L_opt": least + point["E"],
        "alpha": alpha,
        "C0": least * law.compute**alpha,
        "w_N": params / least,
        "w_D": tokens / least,
        "G": MP.exp(at_six[0]),
        "P": law.reducible(shifted) / least,
        "R": law.reducible(here),
        "L": law.reducible(here) + point["E"],
        "T_N": law.terms(here)[0],
        "T_D": law.terms(here)[1],
    }


def theorems() -> list[tuple[Node, Node]]:
    """Equalities of the theory: claims, and names against their closed forms."""
    envelope = derive()
    claims = (
        *envelope.claims.values(),
        *misallocation(envelope).claims.values(),
        *(step.unfolded for step in derivation("fixed_ratio_ray").steps),
    )
    pairs = [(claim.lhs, claim.rhs) for claim in claims if claim.relation == "=="]
    found = [
        (node(left), node(right)) for left, right in pairs if is_plain(left) and is_plain(right)
    ]
    names = vocabulary().names
    for name in QUANTITIES:
        meaning = names[name]
        found.append(
            (sym(name), node(meaning.body if isinstance(meaning, NamedFunction) else meaning))
        )
    return found


def is_plain(expression: Any) -> bool:
    return {symbol.name for symbol in expression.free_symbols} <= {
        "A",
        "B",
        "C",
        "D",
        "E",
        "N",
        "beta",
        "gamma",
        "r",
        "t",
    }


def node(expression: Any) -> Node:
    return renamed(from_sympy(expression), SHORT)


def statements(seed: int) -> Iterator[Statement]:
    """Endless true statements."""
    rewriter, known = Rewriter(seed), theorems()
    random = rewriter.random
    named = [pair for pair in known if pair[0][0] == "sym"]
    while True:
        left, right = random.choice(known)
        for _ in range(random.randint(0, 2)):
            left, right = combined(random, (left, right), random.choice(named))
        left = rewriter.rewritten(left, random.randint(0, 2))
        right = rewriter.rewritten(right, random.randint(1, 4))
        assume: tuple[str, ...] = ()
        if random.random() < 0.25 and "C" in symbols_of(left, right):
            right, assume = (
                on_budget(random, right),
                (random.choice(("C == 6*N*D", "6ND = C", "C = 6 N D")),),
            )
        if random.random() < 0.5:
            left, right = right, left
        yield stated(left, right, assume, random)


def mistaken(seed: int) -> Iterator[Statement]:
    """Endless statements with one mistake in the right side; some may be true all the same."""
    rewriter = Rewriter(seed + 1)
    for statement in statements(seed):
        wrong = coarser(rewriter.mutated(renamed(statement.rhs, SHORT)))
        yield stated(renamed(statement.lhs, SHORT), wrong, statement.assume, rewriter.random)


def coarser(part: Node) -> Node:
    """With 1/100 for the rewriter's 10^-20: the reader refuses exponents of so many digits."""
    if part[0] == "rat":
        return (rat(101, 100) if part[1] > 1 else rat(1, 100)) if part[1].q == 10**20 else part
    return part if part[0] == "sym" else (part[0], *map(coarser, part[1:]))


def combined(
    random: Random, first: tuple[Node, Node], second: tuple[Node, Node]
) -> tuple[Node, Node]:
    """Both equalities multiplied, divided, added or nested side by side."""
    (a, b), (c, d) = first, second
    match random.randrange(4):
        case 0:
            return mul(a, c), mul(b, d)
        case 1:
            return mul(a, inverse(c)), mul(b, inverse(d))
        case 2:
            return add(a, c), add(d, b)
    return add(mul(rat(2), a), mul(rat(-1), c)), add(mul(rat(-1), d), mul(rat(2), b))


def on_budget(random: Random, side: Node) -> Node:
    """6 N D for C, in some places."""
    for path, part in list(subexpressions(side)):
        if part == sym("C") and random.random() < 0.7:
            side = replaced(side, path, ON_BUDGET)
    return side


def stated(left: Node, right: Node, assume: tuple[str, ...], random: Random) -> Statement:
    left, right = renamed(left, LONG), renamed(right, LONG)
    text = f"{written(left, random)} {random.choice(('==', '='))} {written(right, random)}"
    return Statement(text, assume, left, right)


def written(part: Node, random: Random) -> str:
    """The expression as one of the many texts that a user might type for it."""
    kind = part[0]
    if kind == "sym":
        applied = part[1] in APPLIED and random.random() < 0.5
        return f"{part[1]}({APPLIED[part[1]]})" if applied else part[1]
    if kind == "rat":
        return str(part[1]) if part[1].is_Integer and part[1] >= 0 else f"({part[1]})"
    inner = [written(child, random) for child in part[1:]]
    if kind == "add":
        return "(" + " + ".join(inner) + ")"
    if kind == "mul":
        return "(" + "".join(f"*{one}" for one in _shuffled(inner, random)).removeprefix("*") + ")"
    if kind == "pow":
        if part[2] == rat(-1) and random.random() < 0.5:
            return f"(1/{_atomic(inner[0])})"
        return f"{_atomic(inner[0])}{random.choice(('^', '**'))}({inner[1]})"
    return f"{kind if kind == 'exp' else random.choice(('log', 'ln'))}({inner[0]})"


def _shuffled(parts: list[str], random: Random) -> list[str]:
    return random.sample(parts, len(parts)) if random.random() < 0.3 else parts


def _atomic(text: str) -> str:
    return text if text.isalnum() or (text[0] == "(" and _closes_last(text)) else f"({text})"


def _closes_last(text: str) -> bool:
    depth = 0
    for i, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return i == len(text) - 1
    return False
