"""Small changes to the steps of theorems, which mostly make them false: each path of checking must
object to every false one, also where the other path is broken.

Whether a mutant is false is found by a route that no path shares: its sides by mpmath alone, to 100
digits, at points from another generator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import combinations
from random import Random
from typing import Any

import mpmath
import pytest
from sympy import Add, Expr, Mul, Pow, Rational, Symbol, exp, log, nan, oo, symbols, zoo
from sympy.core.function import AppliedUndef
from tests.theory.values import value

from isoflop.derivations import NAMES
from isoflop.numeric.repeat import repeat
from isoflop.theory.kernel.answer import Answer, Decision
from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.kernel.functions import defined
from isoflop.theory.kernel.points import PointCheck
from isoflop.theory.kernel.rules import ByLeadingTerm
from isoflop.theory.theorem.step import Cited, Step, UnderLemma
from isoflop.theory.verification import load

#: A theorem, and how many mutants each of its steps has.
SAMPLE = (("envelope_exponent", 2), ("fail_at_k_is_completely_monotone", 2))
OPPOSITE = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}
MP = mpmath.mp.clone()
MP.dps = 100
POINTS, SHARE = 24, MP.mpf(10) ** -60
#: The variable of a limit is taken to 10 to these powers, or to minus these.
DECADES, NEAR = (60, 600, 6_000), MP.mpf(10) ** -3

a, b, x, y = symbols("a b x y", positive=True)

# -- mutants ---------------------------------------------------------------------------------------


def changed(side: Expr, others: Sequence[Symbol], random: Random) -> list[list[Expr]]:
    """A list of changed sides for each kind of mistake; `others` are the symbols of the claim."""
    inner = sorted(side.atoms(Add, Mul, Pow, exp), key=str)
    powers, products, sums = ([p for p in inner if isinstance(p, kind)] for kind in (Pow, Mul, Add))
    pairs = combinations(sorted(side.free_symbols, key=str), 2)
    first, *rest = Add.make_args(side)

    def put(old: Expr, new: Expr) -> Expr:
        return side.xreplace({old: new})

    return [
        [side.xreplace({one: other, other: one}) for one, other in pairs],
        [put(p, 1 / p) for p in inner if isinstance(p, (Pow, exp))],
        [put(p, Mul(*kept)) for p in products for kept in (p.args[1:], p.args[:-1])],
        [Add(symbol * first, *rest) for symbol in others],
        [put(p, p.base ** (p.exp + random.choice((1, -1)))) for p in powers],
        [*(put(p, p + random.choice(p.args)) for p in sums), 2 * side],
    ]


def mutants(name: str, per_claim: int) -> Iterator[Step]:
    """Other claims, of some kinds for every step of a theorem, with its names written out."""
    for step in load(name).steps:
        claim, random = replace(step.unfolded, through=()), Random(f"{name} {step.name}")
        others = sorted(claim.symbols, key=str)
        found = [replace(claim, relation=OPPOSITE[r])] if (r := claim.relation) in OPPOSITE else []
        for side in ("lhs", "rhs"):
            own = getattr(claim, side)
            for kind in changed(own, others, random):
                usable = [new for new in kind if new != own and not new.has(nan, oo, zoo, -oo)]
                if usable:
                    found.append(replace(claim, **{side: random.choice(usable)}))
        yield from random.sample(found, min(per_claim, len(found)))


# -- the truth about a mutant ----------------------------------------------------------------------


def is_false(claim: Step) -> bool:
    """Whether the claim fails at one of 24 points, or all along the way to its limit."""
    lhs, rhs, *assumed = map(defined, (claim.lhs, claim.rhs, *claim.assume))
    if any(e.has(AppliedUndef) for e in (lhs, rhs)):
        return False
    letters = sorted(set().union(*(e.free_symbols for e in (lhs, rhs, *assumed))), key=str)
    bases = [p.base for e in (lhs, rhs, *assumed) for p in e.atoms(Pow) if not p.exp.is_Integer]
    random, tried = Random(f"truth {claim.name}"), 0

    def sides(point: dict[Symbol, Any]) -> tuple[Any, Any] | None:
        """Both values, where they are real and the assumptions hold."""
        with suppress(ArithmeticError, ValueError):
            found = [MP.mpc(value(e, point, MP)) for e in (lhs, rhs, *assumed, *bases)]
            real = [v.real for v in found if v.imag == 0 and MP.isfinite(v)]
            positive, nonnegative = real[2 : 2 + len(assumed)], real[2 + len(assumed) :]
            if len(real) == len(found) and min([1, *positive]) > 0 <= min([1, *nonnegative]):
                return real[0], real[1]
        return None

    for index in range(600):
        size = 30 * 12 ** min(index // 60, 6)
        point = {
            s: MP.mpf(random.randint(1, size))
            / random.randint(1, size)
            * (-1 if s.is_negative or (s.is_positive is None and random.getrandbits(1)) else 1)
            for s in letters
        }
        way = [point]
        if claim.limit is not None:
            moving, sign = claim.limit[0], -1 if claim.limit[1] == "0" else 1
            way = [{**point, moving: MP.mpf(10) ** (sign * power)} for power in DECADES]
        found = [pair for place in way if (pair := sides(place)) is not None]
        if _fail(claim.relation, found):
            return True
        tried += bool(found)
        if tried == POINTS or not letters:
            break
    return False


def _fail(relation: str, found: Sequence[tuple[Any, Any]]) -> bool:
    """Whether the sides break the relation, for a limit at all places on the way to it."""
    if relation in ("->", "~"):
        gaps = [
            abs(p - q if relation == "->" else p / q - 1) for p, q in found if q or relation == "->"
        ]
        is_apart = bool(gaps) and (gaps[-1] >= NEAR or gaps[-1] >= gaps[0] >= SHARE)
        return len(gaps) == len(DECADES) and is_apart
    for left, right in found:
        gap = left - right
        if abs(gap) > SHARE * max(1, abs(left), abs(right)):
            return relation == "==" or (gap < 0) == (relation[0] == ">")
    return False


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (Step("c", (x + y) ** 2, "==", x**2 + 2 * x * y + y**2, "r"), False),
        (Step("c", (x + y) ** 2, "==", x**2 + x * y + y**2, "r"), True),
        (Step("c", x + 1 / x, ">=", Rational(2), "r", ByBound()), False),
        (Step("c", x * y, ">=", Rational(1), "r", ByBound(), assume=(x - 1, y - 1)), False),
        (Step("c", x + y, "<", x, "r", ByBound()), True),
        (Step("c", log(-x), "==", Rational(0), "r"), False),  # no values
        (Step("c", 1 + x**-a, "->", Rational(1), "r", ByLeadingTerm(x, "oo")), False),
        (Step("c", x**a + x**b, "~", x**a, "r", ByLeadingTerm(x, "0")), True),
    ],
)
def test_what_is_false_is_seen(claim: Step, expected: bool) -> None:
    assert is_false(claim) is expected


# -- the paths -------------------------------------------------------------------------------------


@cache
def false_mutants(name: str, per_claim: int) -> tuple[Step, ...]:
    return tuple(claim for claim in mutants(name, per_claim) if is_false(claim))


def objections(claim: Step) -> dict[str, bool]:
    """Whether each path that applies objects: the exact one where it fails to prove, the points where
    they name one at which the claim fails, or have none to name.
    """
    argument = claim.argument.argument if isinstance(claim.argument, UnderLemma) else claim.argument
    verdict = claim.verify(points=24)
    assert not verdict.holds
    points = verdict.pointwise
    found = {"points": not points.passed and bool(points.witness or not claim.symbols)}
    return found if isinstance(argument, Cited) else found | {"exact": not verdict.exact.proved}


def missed(name: str, per_claim: int) -> tuple[int, list[str]]:
    """How many mutants of a theorem are false, and those to which a path does not object."""
    false = false_mutants(name, per_claim)
    return len(false), [str(c.formula) for c in false if not all(objections(c).values())]


def test_a_sample_is_refuted_by_each_path_alone() -> None:
    found = [missed(*sample) for sample in SAMPLE]
    assert [claim for _, claims in found for claim in claims] == []
    assert sum(count for count, _ in found) >= 12


@pytest.mark.slow
def test_every_false_mutant_of_every_theorem_is_refuted_by_each_path_alone() -> None:
    names = [(name, 4) for name in NAMES if not name.endswith("_errata")]
    found = repeat(missed, names, jobs=2).values
    assert [claim for _, claims in found for claim in claims] == []
    assert sum(count for count, _ in found) >= 1_000


EVERYTHING = Decision(Answer.PROVED, "whatever it is")
BROKEN: dict[str, dict[str, Any]] = {
    "exact": {
        "isoflop.theory.kernel.rules.decide": EVERYTHING,
        "isoflop.theory.kernel.bounds.decide_bound": EVERYTHING,
    },
    "points": {
        "isoflop.theory.theorem.step.check_at_points": PointCheck(True, 24, "whatever it is")
    },
}


@pytest.mark.parametrize("broken", BROKEN)
def test_the_other_path_objects_where_one_is_broken(broken: str, monkeypatch: Any) -> None:
    false = [claim for sample in SAMPLE for claim in false_mutants(*sample)]
    assert {claim.relation for claim in false} == {"==", "<=", ">=", "<", ">"}
    for target, answer in BROKEN[broken].items():
        monkeypatch.setattr(target, lambda *args, answer=answer, **options: answer)
    found = [objections(claim) for claim in false]
    assert all(objects for each in found for path, objects in each.items() if path != broken)
    assert sum(not each.get(broken, True) for each in found) >= 5  # the path is broken indeed
