"""The claims of verdicts.txt: what is proved holds at fresh points, what is refuted fails at its
witness.
"""

import re
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sympy import Expr, Lambda, Mul, Pow, Rational, Symbol, exp, log, oo, symbols, sympify
from tests.theory.values import FINE, fine, holds

from isoflop.theory.envelope import derive
from isoflop.theory.kernel import Decision, decide, limits
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.kernel.answer import STRICT
from isoflop.theory.kernel.bounds import decide_bound
from isoflop.theory.kernel.functions import phi2
from isoflop.theory.kernel.limits import decide_limit
from isoflop.theory.kernel.points import check_at_points
from isoflop.theory.kernel.sample import points
from isoflop.theory.penalty import misallocation

ROWS = (Path(__file__).parent / "verdicts.txt").read_text("utf-8").splitlines()
FRESH = 8
N, D, C, A, B, beta, gamma, E, r = (
    sym.N,
    sym.D,
    sym.C,
    sym.A,
    sym.B,
    sym.BETA,
    sym.GAMMA,
    sym.E,
    sym.SIZE_RATIO,
)
ENVELOPE = derive()
MEANINGS = {
    **{
        x.name: x
        for x in (N, D, C, A, B, beta, gamma, E, r, *symbols("b g k p q x y z", positive=True))
    },
    **{x.name: x for x in (*symbols("u s", real=True), *symbols("F n", nonnegative=True))},
    **dict(zip(("w_N", "w_D"), ENVELOPE.shares, strict=True)),
    **{"alpha": ENVELOPE.exponent, "phi2": phi2, "P": Lambda(r, misallocation(ENVELOPE).penalty)},
    **{"R": Lambda((N, D), A * N**-beta + B * D**-gamma), "R_opt": Lambda(C, ENVELOPE.reducible)},
    **{"L_opt": Lambda(C, ENVELOPE.loss), "N_opt": Lambda(C, ENVELOPE.params)},
    "D_opt": Lambda(C, ENVELOPE.tokens),
}


class Claim(NamedTuple):
    lhs: Expr
    relation: str
    rhs: Expr
    strict: tuple[Expr, ...]
    weak: tuple[Expr, ...]
    limit: tuple[Symbol, str] | None

    @classmethod
    def of(cls, claim: str, told: dict[str, list[str]], *, evaluate: bool = True) -> "Claim":
        lhs, relation, rhs = re.split(r" (==|>=|<=|>|<|->|~) ", claim)
        sides = [sympify(side, MEANINGS, evaluate=evaluate) for side in (lhs, rhs)]
        strict, weak = (
            tuple(sympify(x, MEANINGS) for x in told[kind]) for kind in ("if", "at least")
        )
        limit = [x.split(" -> ") for x in told["as"]]
        way = (MEANINGS[limit[0][0]], limit[0][1]) if limit else None
        return cls(sides[0], relation, sides[1], strict, weak, way)

    def judged(self) -> Decision:
        assumed: Any = {"assume": self.strict, "assume_nonnegative": self.weak}
        if self.limit is not None:
            return decide_limit(self.lhs, self.relation, self.rhs, *self.limit, **assumed)
        if self.relation == "==":
            return decide(self.lhs, self.rhs, **assumed)
        return decide_bound(self.lhs, self.relation, self.rhs, **assumed)

    def holds_at(self, point: dict[Symbol, Expr]) -> bool:
        if self.relation != "==":
            return holds(self.lhs, self.relation, self.rhs, point)
        left, right = (fine(side, point) for side in (self.lhs, self.rhs))
        return bool(abs(left - right) < FINE.mpf(10) ** -800 * max(1, abs(left)))


@pytest.fixture(autouse=True)
def _enough_time(monkeypatch) -> None:
    """SymPy's limit has its time on a busy machine too."""
    monkeypatch.setattr(limits, "SECONDS", 200)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row.removeprefix("slow "), marks=[pytest.mark.slow] * row.startswith("slow "))
        for row in ROWS
        if " | " in row and row[0] != "%"
    ],
)
def test_verdict(row: str) -> None:
    verdict, text, *more = row.split(" | ")
    told: dict[str, list[str]] = {kind: [] for kind in ("if", "at least", "as", "say", "where")}
    for part in more:
        kind = next(kind for kind in told if part.startswith(f"{kind} "))
        told[kind].append(part.removeprefix(f"{kind} "))
    claim = Claim.of(text, told)
    typed = [Claim.of(text, told, evaluate=False)] if claim.relation == "==" else []
    for each in (claim, *typed):
        decision = each.judged()
        found = "sympy" if "SymPy" in decision.answer.value else decision.answer.value
        assert found == verdict or (verdict == "open" and not decision.proved), decision
        if verdict == "undecided":
            assert (told["say"] or ["does not hold all the way"])[0] in decision.reason
            bare = each._replace(strict=(), weak=())
            assert each == bare or bare.judged().proved
        elif found == "refuted":
            check_witness(each, decision)
            if each.weak:  # it fails on the boundary alone
                assert each._replace(strict=each.weak, weak=()).judged().proved
        elif verdict == "proved" and each.limit is None:
            if each is claim:
                check_proof(each, decision)
            shown = [str(condition) for condition in decision.conditions]
            assert each.relation != "==" or each.weak or shown == told["where"]


def _holds(value: Any, relation: str) -> bool:
    return bool(value != 0 if relation == "!=" else value >= 0 if relation == ">=" else value > 0)


def check_proof(claim: Claim, decision: Decision) -> None:
    needed = [(c.expression, c.relation) for c in decision.conditions]
    letters = set().union(*(e.free_symbols for e in (claim.lhs, claim.rhs, *dict(needed))))
    inside = (
        point
        for point in points(letters, 2_718)
        if all(_holds(fine(e, point), relation) for e, relation in needed)
    )
    assert all(claim.holds_at(point) for point in islice(inside, FRESH if letters else 1))
    weak = [str(c) for c in decision.conditions if c.relation == ">="]
    assert weak == [f"{e} >= 0" for e in claim.weak]
    if claim.relation in STRICT and not weak:
        opposite = "<" if claim.relation == ">" else ">"
        assert claim._replace(relation=f"{claim.relation}=").judged().proved
        assert claim._replace(relation=opposite).judged().refuted
        for relation, holds_there in ((claim.relation, True), (opposite, False)):
            found = check_at_points(claim.lhs, relation, claim.rhs, assume=claim.strict)
            assert found.passed is holds_there


def check_witness(claim: Claim, decision: Decision) -> None:
    assert decision.witness is not None
    point = dict(decision.witness.point)
    assert all(fine(a, point) > 0 for a in claim.strict)
    assert all(fine(a, point) >= 0 for a in claim.weak)
    sides = [(claim.lhs, decision.witness.lhs), (claim.rhs, decision.witness.rhs)]
    if claim.rhs is oo:
        assert sides.pop()[1] == "oo"
    for side, decimal in sides:
        assert abs(fine(side, point) - FINE.mpf(decimal)) <= 1e-8 * abs(fine(side, point))
    if claim.limit is None:
        assert not claim.holds_at(point)
        return
    distance = fine(claim.limit[0], point)
    assert (distance < 1e-40) if claim.limit[1] == "0" else (distance > 1e40)
    if claim.rhs is not oo:
        left, right = (fine(side, point) for side in (claim.lhs, claim.rhs))
        assert abs(left / right - 1 if claim.relation == "~" else left - right) > 1e-3


# -- what no row can say ---------------------------------------------------------------------------

x, y = symbols("x y", positive=True)


def test_points_refute_an_equality_that_is_called_strict() -> None:
    for lhs, rhs in (((x + y) ** 2, x**2 + 2 * x * y + y**2), (log(x**2), 2 * log(x))):
        refuted = check_at_points(lhs, ">", rhs)
        assert not refuted.passed
        assert fine(lhs, dict(refuted.witness)) == pytest.approx(fine(rhs, dict(refuted.witness)))
        assert check_at_points(lhs, ">=", rhs).passed
    refuted = check_at_points(exp(x) * exp(y), "<", exp(x + y))
    assert not refuted.passed
    assert refuted.witness


@pytest.mark.parametrize("relation", ["==", "~", "", "=>"])
def test_other_relations_are_refused(relation) -> None:
    with pytest.raises(ValueError, match=f"relation='{relation}'"):
        decide_bound(x, relation, y)


def unevaluated(factor, e):
    """factor e/e as it is written."""
    return Mul(factor, e, Pow(e, -1, evaluate=False), evaluate=False)


def test_a_condition_is_stated_in_the_symbols_of_the_claim() -> None:
    """Also where an assumption about a symbol was put in."""
    decision = decide_bound(unevaluated(x, x - 2), ">=", 1, assume=(x - 1,))
    assert decision.proved
    assert [str(c) for c in decision.conditions] == ["x - 1 > 0", "x - 2 != 0"]
    decision = decide_bound(unevaluated(x, x - Rational(1, 2)), "<=", 1, assume=(1 - x,))
    assert decision.proved
    assert {str(c.expression.subs(x, Rational(1, 2))) for c in decision.conditions} == {"1/2", "0"}
