"""Small changes to the steps of theorems, which mostly make them false: each path of checking must
object to every false one, also where the other path is broken.

Whether a mutant is false is found by a route that no path shares: its sides as mpmath functions, to 100
digits, at points from another generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

import pytest
from mpmath import isfinite, mp, mpf, workdps
from sympy import Add, Expr, Mul, Pow, Rational, Symbol, exp, lambdify, log, nan, oo, symbols, zoo
from sympy.core.function import AppliedUndef

from isoflop.derivations import NAMES
from isoflop.numeric.repeat import repeat
from isoflop.theory.kernel.answer import Answer, Decision
from isoflop.theory.kernel.bounds import ByBound
from isoflop.theory.kernel.functions import defined
from isoflop.theory.kernel.points import PointCheck, check_at_points
from isoflop.theory.kernel.rules import ByLeadingTerm
from isoflop.theory.theorem.step import Cited, Step, UnderLemma
from isoflop.theory.verification import load

#: Of every relation but ~, and quickly built.
SAMPLE = ("accuracy_ceiling", "envelope_exponent")
OPPOSITE = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}
DIGITS, POINTS, SHARE = 100, 24, mpf(10) ** -60
#: The variable of a limit is taken to 10 to these powers, or to minus these.
DECADES, NEAR = (60, 600, 6_000), mpf(10) ** -3

a, b, x, y = symbols("a b x y", positive=True)
Change = Callable[[Expr, Sequence[Symbol], Random], Iterator[Expr]]

# -- kinds of mutants: each maps a side to changed sides; `others` are the symbols of the claim -----


def parts(e: Expr) -> list[Expr]:
    return sorted(e.atoms(Add, Mul, Pow, exp), key=str)


def swap_symbols(side: Expr, others: Sequence[Symbol], random: Random) -> Iterator[Expr]:
    for first, second in combinations(sorted(side.free_symbols, key=str), 2):
        yield side.xreplace({first: second, second: first})


def flip_exponent(side: Expr, others: Sequence[Symbol], random: Random) -> Iterator[Expr]:
    for part in parts(side):
        if isinstance(part, Pow | exp):
            yield side.xreplace({part: 1 / part})


def drop_factor(side: Expr, others: Sequence[Symbol], random: Random) -> Iterator[Expr]:
    for part in parts(side):
        if isinstance(part, Mul):
            yield side.xreplace({part: Mul(*part.args[1:])})
            yield side.xreplace({part: Mul(*part.args[:-1])})


def add_factor(side: Expr, others: Sequence[Symbol], random: Random) -> Iterator[Expr]:
    first, *rest = Add.make_args(side)
    for symbol in others:
        yield Add(symbol * first, *rest)


def off_by_one(side: Expr, others: Sequence[Symbol], random: Random) -> Iterator[Expr]:
    for part in parts(side):
        if isinstance(part, Pow):
            yield side.xreplace({part: part.base ** (part.exp + random.choice((1, -1)))})


def double_term(side: Expr, others: Sequence[Symbol], random: Random) -> Iterator[Expr]:
    for part in parts(side):
        if isinstance(part, Add):
            yield side.xreplace({part: part + random.choice(part.args)})
    yield 2 * side


KINDS: tuple[Change, ...] = (
    swap_symbols,
    flip_exponent,
    drop_factor,
    add_factor,
    off_by_one,
    double_term,
)


def mutants(name: str, per_claim: int) -> Iterator[Step]:
    """Other claims, of some kinds for every step of a theorem, with its names written out."""
    for step in load(name).steps:
        claim, random = replace(step.unfolded, through=()), Random(f"{name} {step.name}")
        others = sorted(claim.symbols, key=str)
        found = [replace(claim, relation=OPPOSITE[r])] if (r := claim.relation) in OPPOSITE else []
        for change, side in ((c, s) for c in KINDS for s in ("lhs", "rhs")):
            own = getattr(claim, side)
            changed = [new for new in change(own, others, random) if new != own]
            usable = [new for new in changed if not new.has(nan, oo, zoo, -oo)]
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
    values = lambdify(letters, [lhs, rhs, *assumed, *bases], "mpmath")
    random, moving, tried = Random(f"truth {claim.name}"), claim.limit and claim.limit[0], 0

    def sides(point: dict[Symbol, Any]) -> tuple[Any, Any] | None:
        """Both values, where they are real and the assumptions hold."""
        with suppress(ArithmeticError, ValueError):
            left, right, *positive = map(mp.mpc, values(*(point[s] for s in letters)))
            own, powers = positive[: len(assumed)], positive[len(assumed) :]
            is_real = all(v.imag == 0 and isfinite(v) for v in (left, right, *positive))
            if is_real and all(v.real > 0 for v in own) and all(v.real >= 0 for v in powers):
                return left.real, right.real
        return None

    with workdps(DIGITS):
        for index in range(600):
            size = 30 * 12 ** min(index // 60, 6)
            point = {
                s: mpf(random.randint(1, size))
                / random.randint(1, size)
                * (-1 if s.is_negative or (s.is_positive is None and random.getrandbits(1)) else 1)
                for s in letters
            }
            if claim.limit is None:
                found = [pair for pair in [sides(point)] if pair is not None]
                failed = any(_fails(claim.relation, *pair) for pair in found)
            else:
                sign = -1 if claim.limit[1] == "0" else 1
                way = [sides({**point, moving: mpf(10) ** (sign * power)}) for power in DECADES]
                found = [
                    pair for pair in way if pair is not None and (pair[1] or claim.relation == "->")
                ]
                gaps = [abs(p - q if claim.relation == "->" else p / q - 1) for p, q in found]
                failed = len(gaps) == len(DECADES) and (
                    gaps[-1] >= NEAR or gaps[-1] >= gaps[0] >= SHARE
                )
            if failed:
                return True
            tried += bool(found)
            if tried == POINTS or not letters:
                break
    return False


def _fails(relation: str, left: Any, right: Any) -> bool:
    gap = left - right
    if abs(gap) <= SHARE * max(1, abs(left), abs(right)):
        return False
    return relation == "==" or (gap < 0) == (relation[0] == ">")


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


def objects(claim: Step) -> dict[str, bool]:
    """Whether each path that applies objects: the exact one where it fails to prove, the points where
    they name one at which the claim fails, or have none to name.
    """
    argument = claim.argument.argument if isinstance(claim.argument, UnderLemma) else claim.argument
    check = check_at_points(
        claim.lhs, claim.relation, claim.rhs, assume=claim.assume, limit=claim.limit
    )
    at_points = not check.passed and bool(check.witness or not claim.symbols)
    return {"points": at_points} | (
        {} if isinstance(argument, Cited) else {"exact": not claim.prove().proved}
    )


def missed(name: str, per_claim: int = 4) -> tuple[int, list[str]]:
    """How many mutants of a theorem are false, and those to which a path does not object."""
    false = [claim for claim in mutants(name, per_claim) if is_false(claim)]
    return len(false), [str(claim.formula) for claim in false if not all(objects(claim).values())]


def test_a_sample_is_refuted_by_each_path_alone() -> None:
    found = [missed(name, per_claim=2) for name in SAMPLE]
    assert [claim for _, claims in found for claim in claims] == []
    assert sum(count for count, _ in found) >= 20


@pytest.mark.slow
def test_every_false_mutant_of_every_theorem_is_refuted_by_each_path_alone() -> None:
    names = [(name,) for name in NAMES if not name.endswith("_errata")]
    found = repeat(missed, names, jobs=2).values
    assert [claim for _, claims in found for claim in claims] == []
    assert sum(count for count, _ in found) >= 1_000


BROKEN: dict[str, dict[str, Any]] = {
    "exact": {
        "isoflop.theory.kernel.rules.decide": Decision(Answer.PROVED, "whatever it is"),
        "isoflop.theory.kernel.bounds.decide_bound": Decision(Answer.PROVED, "whatever it is"),
    },
    "points": {
        "isoflop.theory.theorem.step.check_at_points": PointCheck(True, 64, "whatever it is"),
        f"{__name__}.check_at_points": PointCheck(True, 64, "whatever it is"),
    },
}


@pytest.mark.parametrize("broken", BROKEN)
def test_the_other_path_objects_where_one_is_broken(broken: str, monkeypatch: Any) -> None:
    false = [claim for name in SAMPLE for claim in mutants(name, 2) if is_false(claim)]
    assert {claim.relation for claim in false} == {"==", "<=", ">=", "<", ">", "->"}
    for target, answer in BROKEN[broken].items():
        monkeypatch.setattr(target, lambda *args, answer=answer, **options: answer)
    found = [objects(claim) for claim in false]
    assert all(object for each in found for path, object in each.items() if path != broken)
    assert sum(not each.get(broken, True) for each in found) >= 5  # the path is broken indeed
    assert not any(claim.verify().holds for claim in false)
