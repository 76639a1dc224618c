"""Misallocation: every claim on all paths, and every closed form against minimisation and root
finding with 60 digits.
"""

from random import Random
from typing import Any, NamedTuple

import pytest
import sympy
from sympy import Expr, Integer, exp, log, symbols
from tests.theory import reference
from tests.theory.reference import CLOSE, MP, Numbers, least, root
from tests.theory.rewriting import evaluate, from_sympy

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL, SIX_ND, Budget
from isoflop.theory.envelope import derive
from isoflop.theory.kernel import decide
from isoflop.theory.law import PARAMS_TOKENS, LawForm, Term
from isoflop.theory.penalty import (
    Misallocation,
    misallocation,
)

N, D, C, R, S, RHO = sym.N, sym.D, sym.C, sym.SIZE_RATIO, sym.LOG_SIZE_RATIO, sym.RATIO
N_c, D_c, a_N, a_D, M, F, delta = symbols("N_c D_c a_N a_D M F delta", positive=True)
KAPLAN = LawForm.from_expression(((N_c / N) ** (a_N / a_D) + D_c / D) ** a_D)
ACCURACY = LawForm.from_expression(exp(-(sym.E + PARAMS_TOKENS.reducible)))
PRINTED = LawForm.from_expression(1.69 + 406.4 * N**-0.34 + 410.7 * D**-0.28)

CASES: dict[str, tuple[LawForm, Budget]] = {
    "6 N D": (PARAMS_TOKENS, SIX_ND),
    "any monomial": (PARAMS_TOKENS, GENERAL),
    "3 N^2 sqrt(D)": (PARAMS_TOKENS, Budget.parse("3 N^2 D^0.5")),
    "Kaplan": (KAPLAN, SIX_ND),
    "accuracy, a decreasing function": (ACCURACY, SIX_ND),
    "numbers": (PRINTED, SIX_ND),
}


@pytest.fixture(scope="module")
def families() -> dict[str, Misallocation]:
    return {name: misallocation(derive(*case)) for name, case in CASES.items()}


# -- claims --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_every_claim_holds_on_all_paths(case: str, families: dict[str, Misallocation]) -> None:
    verdicts = {name: c.verify(points=16) for name, c in families[case].claims.items()}
    assert [name for name, verdict in verdicts.items() if not verdict.holds] == []
    assert all(verdict.pointwise.passed for verdict in verdicts.values())


def test_series_agree_with_the_taylor_expansion_of_sympy(
    families: dict[str, Misallocation],
) -> None:
    family = families["any monomial"]
    taylor = sympy.series(family.penalty.subs(R, exp(S)), S, 0, 5).removeO()
    for n in range(5):
        assert decide(family.series(4).coeff(S, n), taylor.expand().coeff(S, n)).proved


def test_penalty_needs_two_terms() -> None:
    three = LawForm((*PARAMS_TOKENS.terms, Term(F, M, delta)))
    spent = Budget(Integer(6), tuple((x, Integer(1)) for x in (N, D, M)))
    with pytest.raises(ValueError, match="has 3 terms; r alone fixes the allocation for two"):
        misallocation(derive(three, spent))


# -- against direct computation ------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """A random law with its optimum, and the names of its numbers."""

    family: Misallocation
    law: Numbers
    logs: list[Any]
    best: Any
    values: dict[str, Any]

    def at(self, expression: Expr, **more: Any) -> Any:
        return evaluate(from_sympy(expression), self.values | more)

    def moved(self, r: Any) -> list[Any]:
        """log N, log D at r times the optimal size and the same compute."""
        return self.law.completed([self.logs[0] + MP.log(r)])

    def tokens_for(self, log_params: Any, target: Any) -> Any:
        """log D at which R(N, D) is the target, by root finding."""
        return root(
            lambda u: MP.log(target) - MP.log(self.law.reducible([log_params, u])),
            self.logs[1] - 700,
            self.logs[1] + 3_000,
        )


def random_case(seed: int, families: dict[str, Misallocation]) -> Case:
    """Even seeds under 6 N D, odd seeds under a random monomial."""
    six_nd = seed % 2 == 0
    law = reference.draw(Random(f"penalty {seed}"), six_nd=six_nd)
    logs = reference.minimum(law)
    names = ("A", "B", "beta", "gamma", "a", "d", "kappa", "C")
    numbers = (*law.coefficients, *law.exponents, *law.powers, law.kappa, law.compute)
    values = dict(zip(names, numbers, strict=True)) | {"E": MP.one}
    family = families["6 N D" if six_nd else "any monomial"]
    return Case(family, law, logs, law.reducible(logs), values)


def close(found: Any, wanted: Any, tolerance: Any = CLOSE) -> bool:
    return bool(abs(found - wanted) <= tolerance * abs(wanted))


SEEDS = pytest.mark.parametrize("seed", range(6))


@SEEDS
def test_penalty(seed: int, families: dict[str, Misallocation]) -> None:
    """R at r N* and what the budget leaves, over the least R."""
    case = random_case(seed, families)
    family, random = case.family, Random(seed)
    for _ in range(4):
        r = MP.exp(MP.mpf(random.uniform(-4, 4)))
        logs = case.moved(r)
        wanted = case.law.reducible(logs) / case.best
        rho = MP.exp((logs[1] - logs[0]) - (case.logs[1] - case.logs[0]))
        assert close(case.at(family.penalty, r=r), wanted)
        assert close(case.at(family.ratio, r=r), rho)
        assert close(case.at(family.size_ratio, rho=rho), r)
        assert close(case.at(family.penalty_in_ratio, rho=rho), wanted)
        assert wanted > 1


@SEEDS
def test_excess_keeps_its_digits_near_the_optimum(
    seed: int, families: dict[str, Misallocation]
) -> None:
    """P - 1 at |log r| = 1e-8, where 60 digits of P still leave 40 of P - 1."""
    case = random_case(seed, families)
    for s in (MP.mpf("1e-8"), -MP.mpf("1e-8"), MP.mpf("0.3"), MP.mpf(5)):
        wanted = case.law.reducible(case.moved(MP.exp(s))) / case.best - 1
        assert close(case.at(case.family.excess, s=s), wanted, MP.mpf(10) ** -25)


@SEEDS
def test_effective_compute(seed: int, families: dict[str, Misallocation]) -> None:
    """The compute at which the least R is that of the misallocated run, by root finding on
    minimisations.
    """
    case = random_case(seed, families)
    r = MP.exp(MP.mpf(Random(seed).uniform(-2, 2)))
    target = case.law.reducible(case.moved(r))
    start = MP.log(case.law.compute)
    found = root(
        lambda c: MP.log(target) - MP.log(least(case.law.with_compute(MP.exp(c)))),
        start - 200,
        start + 10,
    )
    fraction = MP.exp(found) / case.law.compute
    s = MP.log(r)
    assert close(case.at(case.family.effective_compute, r=r), fraction)
    assert close(case.at(case.family.safe_effective_compute, s=s), fraction)
    assert close(case.at(case.family.lost_compute, s=s), 1 - fraction)


@SEEDS
def test_compute_overhead(seed: int, families: dict[str, Misallocation]) -> None:
    """The tokens that reach the optimal R with r N* params, by root finding; then the compute of
    that run.
    """
    case = random_case(seed, families)
    family = case.family
    wall = case.at(family.critical_size_ratio)
    for factor in (MP.mpf("1.01"), MP.mpf(2), MP.mpf(30)):
        r = wall * factor
        log_params = case.logs[0] + MP.log(r)
        log_tokens = case.tokens_for(log_params, case.best)
        overhead = case.law.compute_of([log_params, log_tokens]) / case.law.compute - 1
        s = MP.log(r)
        assert close(case.at(family.tokens_factor, r=r), MP.exp(log_tokens - case.logs[1]))
        assert close(case.at(family.compute_overhead, r=r), overhead)
        assert close(case.at(family.distant_overhead, s=s), overhead)
        assert close(case.at(family.safe_overhead, s=s), overhead)


@SEEDS
def test_critical_sizes_are_the_limits_of_solvability(
    seed: int, families: dict[str, Misallocation]
) -> None:
    """A hair above the wall enough tokens reach the optimal R; at the wall no number does. Likewise
    for tokens.
    """
    case = random_case(seed, families)
    hair = MP.mpf(10) ** -30
    for i, expression in enumerate(
        (case.family.critical_size_ratio, case.family.critical_tokens_ratio)
    ):
        wall = case.logs[i] + MP.log(case.at(expression))
        for shift, reachable in ((hair, True), (-hair, False)):
            logs = [MP.mpf(10**6)] * 2  # the other variable as good as infinite
            logs[i] = wall + shift
            assert (case.law.reducible(logs) < case.best) == reachable


@SEEDS
def test_tolerance(seed: int, families: dict[str, Misallocation]) -> None:
    """The interval of r with P <= 1 + epsilon, by root finding: its half width tends to the
    leading-order one.
    """
    case = random_case(seed, families)

    def error(epsilon: Any) -> Any:
        half = case.at(case.family.tolerance_half_width, epsilon=epsilon)

        def excess(s: Any) -> Any:
            return case.law.reducible(case.moved(MP.exp(s))) / case.best - 1 - epsilon

        right, left = (
            root(excess, MP.zero, 10 * half),
            root(lambda s: excess(-s), MP.zero, 10 * half),
        )
        return max(abs(right / half - 1), abs(left / half - 1))

    rough, fine = error(MP.mpf("1e-4")), error(MP.mpf("1e-8"))
    assert rough < 0.2
    assert fine < rough / 50 or fine < MP.mpf("1e-7")


@SEEDS
def test_iso_loss_contour(seed: int, families: dict[str, Misallocation]) -> None:
    case = random_case(seed, families)
    family = case.family
    target = 2 * case.best
    log_params = case.logs[0] + MP.mpf("0.7")
    log_tokens = case.tokens_for(log_params, target)
    values = {"N": MP.exp(log_params), "D": MP.exp(log_tokens), "R": target}
    assert close(case.at(family.iso_loss_tokens, **values), values["D"])
    assert close(case.at(family.iso_loss_params, **values), values["N"])
    for smallest, i in ((family.smallest_params, 0), (family.smallest_tokens, 1)):
        logs = [MP.mpf(10**6)] * 2
        logs[i] = MP.log(case.at(smallest, **values))
        assert close(case.law.reducible(logs), target)


@SEEDS
def test_corners(seed: int, families: dict[str, Misallocation]) -> None:
    """Where a cap starts to bind, R at the cap, and that staying at the cap is best beyond it."""
    case = random_case(seed, families)
    family, law = case.family, case.law
    for i, (variable, bound, threshold) in enumerate(
        ((N, sym.N_MAX, family.size_cap), (D, sym.D_MAX, family.data_wall))
    ):
        cap = MP.exp(case.logs[i] + Random(seed).uniform(-3, 3))
        start = MP.log(law.compute)

        def beyond(log_compute: Any, i: int = i, cap: Any = cap) -> Any:
            return reference.minimum(law.with_compute(MP.exp(log_compute)))[i] - MP.log(cap)

        found = root(beyond, start - 300, start + 300)
        assert close(case.at(threshold, **{bound.name: cap}), MP.exp(found))
        richer = law.with_compute(MP.exp(found + 2))

        def spent(log_capped: Any, i: int = i, law: Numbers = richer) -> list[Any]:
            logs = [log_capped, log_capped]
            other = 1 - i
            logs[other] = (
                MP.log(law.compute / law.kappa) - law.powers[i] * log_capped
            ) / law.powers[other]
            return logs

        values = {bound.name: cap, "C": richer.compute}
        left = family.envelope.budget.remaining(variable).subs(variable, bound)
        assert close(case.at(left, **values), MP.exp(spent(MP.log(cap))[1 - i]))
        at_cap = richer.reducible(spent(MP.log(cap)))
        for back in ("0.001", "0.1", "2"):
            assert richer.reducible(spent(MP.log(cap) - MP.mpf(back))) > at_cap


# -- printed numbers -----------------------------------------------------------------------------------------------------

HOFFMANN = {"beta": MP.mpf("0.34"), "gamma": MP.mpf("0.28")}
BESIROGLU = {"beta": MP.mpf("0.3478"), "gamma": MP.mpf("0.3658")}


def number(expression: Expr, law: dict[str, Any], digits: int, **more: str) -> str:
    values = law | {name: MP.mpf(value) for name, value in more.items()}
    return str(MP.nstr(evaluate(from_sympy(expression), values), digits))


@pytest.mark.parametrize(
    ("r", "penalty", "quadratic"), [("0.5", "1.030591", "1.030563"), ("10", "1.3617", "1.3373")]
)
def test_penalty_in_numbers(
    r: str, penalty: str, quadratic: str, families: dict[str, Misallocation]
) -> None:
    """Besiroglu et al.; the quadratic expansion beside it."""
    family = families["6 N D"]
    digits = len(penalty) - 1
    assert number(family.penalty, BESIROGLU, digits, r=r) == penalty
    assert number(family.series(2).subs(S, log(R)), BESIROGLU, digits, r=r) == quadratic


@pytest.mark.parametrize(
    ("law", "k", "percent"),
    [
        (HOFFMANN, "0.75", "2.85"),
        (HOFFMANN, "0.5", "20.8"),
        (HOFFMANN, "0.3", "105.5"),
        (HOFFMANN, "0.25", "188.6"),
        (BESIROGLU, "0.5", "25.9"),
        (BESIROGLU, "0.25", "346.5"),
    ],
)
def test_overhead_in_numbers(
    law: dict[str, Any], k: str, percent: str, families: dict[str, Misallocation]
) -> None:
    """H. de Vries prints 20 % and 188 % for the first law."""
    assert number(100 * families["6 N D"].compute_overhead, law, len(percent) - 1, r=k) == percent


@pytest.mark.parametrize(
    ("law", "size", "tokens"),
    [(HOFFMANN, "0.0965", "0.117"), (BESIROGLU, "0.1464", "0.1402")],
    ids=["hoffmann", "besiroglu"],
)
def test_critical_sizes_in_numbers(
    law: dict[str, Any], size: str, tokens: str, families: dict[str, Misallocation]
) -> None:
    family = families["6 N D"]
    assert number(family.critical_size_ratio, law, len(size.lstrip("0."))) == size
    assert number(family.critical_tokens_ratio, law, len(tokens.lstrip("0."))) == tokens
