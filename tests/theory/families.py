"""Families of claims with known truth: the rows of families.txt, with what stands in braces drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

TEXT = Path(__file__).with_name("families.txt").read_text("utf-8")
#: Claim, assumptions and limit of every row, by family.
FAMILIES: dict[str, list[list[str]]] = {
    name: [[part.strip() for part in row.split("|")] for row in rows.splitlines()]
    for name, rows in re.findall(r"^%% (.+)\n((?:[^%].*\n)*)", TEXT, re.MULTILINE)
}
LIMITS = [name for name in FAMILIES if name.startswith("limit: ")]
BOUNDS = [name for name in FAMILIES if name.endswith(("bound", "bound of the law"))]

#: Positive quantities with no more structure than a factor has in a paper, and positive exponents.
POSITIVE = ("x", "3*x", "x/y", "x*y^beta", "x^beta", "(x + y)", "x/(x + y)", "A/N^beta")
EXPONENTS = ("beta", "alpha", "(beta/(beta + gamma))", "(1/2)", "(5/3)", "(beta + 1)")
ORDERED = (("x", "1"), ("x", "y"), ("x", "2"), ("(x*y)", "z"))
#: An exponent, the relation of its power to a tangent or a mean, and where.
CURVED = (
    *(("beta", ">=", "beta > 1"), ("beta", "<=", "beta < 1"), ("(beta/(beta + gamma))", "<=", "")),
    *(("(1/2)", "<=", ""), ("(3/2)", ">=", ""), ("2", ">=", ""), ("(-beta)", ">=", "")),
    *(("(-1/2)", ">=", ""), ("(beta + 1)", ">=", ""), ("(-1)", ">=", "")),
)
WEIGHTS = (("beta/(beta + gamma)", "gamma/(beta + gamma)"), ("(1/3)", "(2/3)"), ("(1/2)", "(1/2)"))
TERMS = ("x", "y", "x^beta", "y^gamma", "T_N(N)", "T_D(D)", "z")
ARGUMENTS = (("R_opt", "C"), ("L_opt", "C"), ("T_N", "N"), ("T_D", "D"))
#: Factors that do not move in a limit, and exponents of what does.
FACTORS = ("1", "y", "z", "2", "7", "3*y", "y^beta", "(y/z)", "w_N")
MOVING = ("beta", "gamma", "(1/2)", "(5/3)", "1", "alpha", "(beta + gamma)", "(2*beta)")


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


def relation_from(text: str) -> tuple[str, str, str]:
    """Two sides and the relation between them, which stands between spaces."""
    left, relation, right = re.split(r" (==|>=|<=|->|>|<|~) ", text)
    return left, relation, right


def drawn(random: Random, family: str) -> tuple[str, list[str], str]:
    """A claim of the family, what it assumes, and its limit."""
    values = {"u": random.choice(POSITIVE), "e": random.choice(EXPONENTS)}
    values |= zip("ls", random.choice(ORDERED), strict=True)
    values |= zip(("c", "way", "where"), random.choice(CURVED), strict=True)
    values |= zip("pq", random.choice(WEIGHTS), strict=True)
    values |= zip("tk", (f"({term})" for term in random.sample(TERMS, 2)), strict=True)
    values |= zip("fa", random.choice(ARGUMENTS), strict=True)
    values |= {"v": random.choice(FACTORS), "w": random.choice(FACTORS)}
    values |= {"h": random.choice(MOVING), "n": str(random.randint(2, 5))}
    row = [part.format(**values) for part in random.choice(FAMILIES[family])]
    claim, assumed, limit, *_ = (*row, "", "")
    return claim, list(filter(None, assumed.split(", "))), limit


def random_limits(seed: int) -> Iterator[RandomClaim]:
    """Endless limits of all families, half of them true; a false one has a right side that cannot be
    the limit.
    """
    random = Random(seed)
    while True:
        kind = random.choice(LIMITS)
        claim, assumed, limit = drawn(random, kind)
        left, relation, right = relation_from(claim)
        truth = random.random() < 0.5
        if not truth:
            is_open = relation == "->" and right != "oo"
            wrong = [f"2*({right})"] if right not in ("0", "oo") else ["1"]
            right = random.choice([*wrong, *([f"{right} + 1", "oo"] if is_open else [])])
        text = f"{left} {relation} {right}"
        yield RandomClaim(kind, truth, text, assume=tuple(assumed), limit=limit)
