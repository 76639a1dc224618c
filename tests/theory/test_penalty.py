"""Misallocation: every claim on all paths, and every closed form against minimisation and root
finding with 60 digits.
"""

from functools import cache
from random import Random
from typing import Any, NamedTuple

import pytest
import sympy
from sympy import Expr, Rational, exp
from tests.theory import reference
from tests.theory.laws import THREE, TWO_TERMS, D, M, N, budget
from tests.theory.reference import MP, Numbers, least, root
from tests.theory.values import close, value

from isoflop.theory.accuracy import AccuracyPenaltyForm
from isoflop.theory.envelope import derive
from isoflop.theory.kernel import decide
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.penalty import Misallocation, misallocation

R, S = sym.SIZE_RATIO, sym.LOG_SIZE_RATIO
FAR = MP.mpf(10**6)  # a logarithm of params or tokens as good as infinite


@cache
def family_of(case: str) -> Misallocation:
    return misallocation(derive(*TWO_TERMS[case]))


#: The general budget stands for them in the fast suite.
LONG = set(TWO_TERMS) - {"any monomial"}


@pytest.mark.parametrize(
    "case", [pytest.param(x, marks=pytest.mark.slow) if x in LONG else x for x in TWO_TERMS]
)
def test_every_claim_holds_on_all_paths(case: str) -> None:
    verdicts = {name: claim.verify(points=8) for name, claim in family_of(case).claims.items()}
    assert [name for name, verdict in verdicts.items() if not verdict.holds] == []
    assert all(verdict.pointwise.passed for verdict in verdicts.values())


def test_series_agree_with_the_taylor_expansion_of_sympy() -> None:
    family = family_of("any monomial")
    taylor = sympy.series(family.penalty.subs(R, exp(S)), S, 0, 5).removeO()
    for n in range(5):
        assert decide(family.series(4).coeff(S, n), taylor.expand().coeff(S, n)).proved


def test_penalty_needs_two_terms() -> None:
    with pytest.raises(ValueError, match="has 3 terms; r alone fixes the allocation for two"):
        misallocation(derive(THREE, budget((N, 1), (D, 1), (M, 1))))


# -- against direct computation --------------------------------------------------------------------


class Case(NamedTuple):
    """A random law with its optimum, and the names of its numbers."""

    family: Misallocation
    law: Numbers
    logs: list[Any]
    best: Any
    values: dict[str, Any]
    random: Random

    def at(self, expression: Expr, **more: Any) -> Any:
        return value(expression, self.values | more)

    def moved(self, r: Any) -> list[Any]:
        """log N, log D at r times the optimal size and the same compute."""
        return self.law.completed([self.logs[0] + MP.log(r)])

    def penalty(self, r: Any) -> Any:
        return self.law.reducible(self.moved(r)) / self.best

    def tokens_for(self, log_params: Any, target: Any) -> Any:
        """log D at which R(N, D) is the target, by root finding."""
        return root(
            lambda u: MP.log(target) - MP.log(self.law.reducible([log_params, u])),
            self.logs[1] - 700,
            self.logs[1] + 3_000,
        )


@pytest.fixture(scope="module", params=range(4), ids="law {}".format)
def case(request: pytest.FixtureRequest) -> Case:
    """Even ones under 6 N D, odd ones under a random monomial."""
    six_nd = request.param % 2 == 0
    law = reference.draw(Random(f"penalty {request.param}"), six_nd=six_nd)
    logs = reference.minimum(law)
    names = ("A", "B", "beta", "gamma", "a", "d", "kappa", "C")
    numbers = (*law.coefficients, *law.exponents, *law.powers, law.kappa, law.compute)
    values = dict(zip(names, numbers, strict=True)) | {"E": MP.one}
    family = family_of("6 N D" if six_nd else "any monomial")
    return Case(family, law, logs, law.reducible(logs), values, Random(request.param))


def test_penalty(case: Case) -> None:
    """R at r N* and what the budget leaves, over the least R."""
    family = case.family
    for _ in range(4):
        r = MP.exp(case.random.uniform(-4, 4))
        logs, wanted = case.moved(r), case.penalty(r)
        rho = MP.exp((logs[1] - logs[0]) - (case.logs[1] - case.logs[0]))
        assert close(case.at(family.penalty, r=r), wanted)
        assert close(case.at(family.ratio, r=r), rho)
        assert close(case.at(family.size_ratio, rho=rho), r)
        assert close(case.at(family.penalty_in_ratio, rho=rho), wanted)
        assert wanted > 1


def test_excess_keeps_its_digits_near_the_optimum(case: Case) -> None:
    """P - 1 at |log r| = 1e-8, where 60 digits of P still leave 40 of P - 1."""
    for s in (MP.mpf("1e-8"), -MP.mpf("1e-8"), MP.mpf("0.3"), MP.mpf(5)):
        wanted = case.penalty(MP.exp(s)) - 1
        assert close(case.at(case.family.excess, s=s), wanted, MP.mpf(10) ** -25)


def test_effective_compute(case: Case) -> None:
    """The compute at which the least R is that of the misallocated run, by root finding on
    minimisations.
    """
    r = MP.exp(case.random.uniform(-2, 2))
    target, start = case.penalty(r) * case.best, MP.log(case.law.compute)
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


def test_compute_overhead(case: Case) -> None:
    """The tokens that reach the optimal R with r N* params, by root finding; then the compute of
    that run.
    """
    family = case.family
    wall = case.at(family.critical_size_ratio)
    for factor in (MP.mpf("1.01"), MP.mpf(2), MP.mpf(30)):
        r = wall * factor
        log_params, s = case.logs[0] + MP.log(r), MP.log(r)
        log_tokens = case.tokens_for(log_params, case.best)
        overhead = case.law.compute_of([log_params, log_tokens]) / case.law.compute - 1
        assert close(case.at(family.tokens_factor, r=r), MP.exp(log_tokens - case.logs[1]))
        assert close(case.at(family.compute_overhead, r=r), overhead)
        assert close(case.at(family.distant_overhead, s=s), overhead)
        assert close(case.at(family.safe_overhead, s=s), overhead)


def test_critical_sizes_are_the_limits_of_solvability(case: Case) -> None:
    """A hair above the wall enough tokens reach the optimal R; at the wall no number does. Likewise
    for tokens.
    """
    hair = MP.mpf(10) ** -30
    for i, ratio in enumerate((case.family.critical_size_ratio, case.family.critical_tokens_ratio)):
        for shift, reachable in ((hair, True), (-hair, False)):
            logs = [FAR] * 2
            logs[i] = case.logs[i] + MP.log(case.at(ratio)) + shift
            assert (case.law.reducible(logs) < case.best) == reachable


def test_tolerance(case: Case) -> None:
    """The interval of r with P <= 1 + epsilon, by root finding: its half width tends to the
    leading-order one.
    """

    def error(epsilon: Any) -> Any:
        half = case.at(case.family.tolerance_half_width, epsilon=epsilon)

        def excess(s: Any) -> Any:
            return case.penalty(MP.exp(s)) - 1 - epsilon

        above, below = (root(f, MP.zero, 10 * half) for f in (excess, lambda s: excess(-s)))
        return max(abs(above / half - 1), abs(below / half - 1))

    rough, fine = error(MP.mpf("1e-4")), error(MP.mpf("1e-8"))
    assert rough < 0.2
    assert fine < rough / 50 or fine < MP.mpf("1e-7")


def test_iso_loss_contour(case: Case) -> None:
    family, target = case.family.targets, 2 * case.best
    log_params = case.logs[0] + MP.mpf("0.7")
    log_tokens = case.tokens_for(log_params, target)
    values = {"N": MP.exp(log_params), "D": MP.exp(log_tokens), "R": target}
    assert close(case.at(family.iso_loss_tokens, **values), values["D"])
    assert close(case.at(family.iso_loss_params, **values), values["N"])
    for i, smallest in enumerate((family.smallest_params, family.smallest_tokens)):
        logs = [FAR] * 2
        logs[i] = MP.log(case.at(smallest, **values))
        assert close(case.law.reducible(logs), target)


@pytest.mark.parametrize("i", [0, 1], ids=["size cap", "data wall"])
def test_corners(case: Case, i: int) -> None:
    """Where a cap starts to bind, R at the cap, and that staying at the cap is best beyond it."""
    variable, bound = ((N, sym.N_MAX), (D, sym.D_MAX))[i]
    targets = case.family.targets
    threshold = (targets.size_cap, targets.data_wall)[i]
    law, start = case.law, MP.log(case.law.compute)
    log_cap = case.logs[i] + case.random.uniform(-3, 3)
    found = root(
        lambda c: reference.minimum(law.with_compute(MP.exp(c)))[i] - log_cap,
        start - 300,
        start + 300,
    )
    cap = MP.exp(log_cap)
    assert close(case.at(threshold, **{bound.name: cap}), MP.exp(found))
    richer = law.with_compute(MP.exp(found + 2))

    def spent(log_capped: Any) -> list[Any]:
        """The budget spent with the capped variable at this logarithm."""
        left = MP.log(richer.compute / richer.kappa) - richer.powers[i] * log_capped
        other = left / richer.powers[1 - i]
        return [log_capped, other] if i == 0 else [other, log_capped]

    rest = case.family.envelope.budget.remaining(variable).subs(variable, bound)
    values = {bound.name: cap, "C": richer.compute}
    assert close(case.at(rest, **values), MP.exp(spent(log_cap)[1 - i]))
    at_cap = richer.reducible(spent(log_cap))
    for back in ("0.001", "0.1", "2"):
        assert richer.reducible(spent(log_cap - MP.mpf(back))) > at_cap


# -- accuracy lost ---------------------------------------------------------------------------------


@pytest.mark.parametrize("excess", ["0.001", "0.3", "5"])
def test_the_greatest_loss_of_accuracy_by_root_finding(excess: str) -> None:
    penalty, floor = 1 + MP.mpf(excess), MP.mpf("0.1")

    def lost(reducible: Any) -> Any:
        at_best, off = (MP.exp(-floor - factor * reducible) for factor in (1, penalty))
        return MP.mpf("0.75") * (at_best - off)

    worst = MP.findroot(lambda r: MP.diff(lost, r), MP.mpf("0.9") / MP.sqrt(penalty))
    given = map(Rational, ("0.7", excess, "0.1", "0.25"))
    law = AccuracyPenaltyForm(*given)
    for form in (law.greatest_lost, law.safe_greatest_lost):
        assert close(value(form, {}), lost(worst), MP.mpf(10) ** -12)
    for form in (law.lost, law.safe_lost):
        assert close(value(form, {}), lost(MP.mpf("0.7")), MP.mpf(10) ** -30)
