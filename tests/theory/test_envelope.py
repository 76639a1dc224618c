"""The envelope: every claim proved and checked on all paths, and every closed form against direct
minimisation.
"""

from functools import cache
from random import Random
from typing import Any

import pytest
from sympy import Rational
from tests.theory import reference
from tests.theory.laws import LAWS, PRINTED, THREE, M, N, budget
from tests.theory.reference import MP, Numbers
from tests.theory.values import close, value

from isoflop.theory.budget import SIX_ND
from isoflop.theory.envelope import Envelope, derive
from isoflop.theory.kernel import decide
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.law import PARAMS_TOKENS

C = sym.C
#: These stand for all laws in the fast suite.
SHORT = {"any monomial", "one term", "accuracy, a decreasing function"}


@cache
def envelope_of(case: str) -> Envelope:
    return derive(*LAWS[case])


@pytest.mark.parametrize(
    "case", [x if x in SHORT else pytest.param(x, marks=pytest.mark.slow) for x in LAWS]
)
def test_every_claim_holds_on_all_paths(case: str) -> None:
    """Everything is positive: no proof may hide a restriction."""
    for claim in envelope_of(case).claims.values():
        verdict = claim.verify(points=12)
        assert verdict.holds
        assert verdict.exact.proved
        assert verdict.exact.conditions == ()
        assert verdict.pointwise.passed


def test_closed_forms_are_as_printed() -> None:
    """The shapes that readers know (Hoffmann et al. 2022, equation 4, in other letters), decided by
    the normal form.
    """
    envelope = derive()
    A, B, b, g = sym.A, sym.B, sym.BETA, sym.GAMMA
    scale = (b * A / (g * B)) ** (1 / (b + g))
    constant = (b + g) * (A / g) ** (g / (b + g)) * (B / b) ** (b / (b + g))
    known = {
        envelope.params: scale * (C / 6) ** (g / (b + g)),
        envelope.tokens: (C / 6) ** (b / (b + g)) / scale,
        envelope.exponent: b * g / (b + g),
        envelope.loss: sym.E + constant * (C / 6) ** (-b * g / (b + g)),
        envelope.tokens_per_param: scale**-2 * (C / 6) ** ((b - g) / (b + g)),
        envelope.shares[0]: g / (b + g),
        envelope.shares[1]: b / (b + g),
    }
    for derived, printed in known.items():
        assert decide(derived, printed).proved


def test_law_and_budget_must_share_their_variables() -> None:
    with pytest.raises(ValueError, match="its variables must be those of the law, N, D, M"):
        derive(THREE, SIX_ND)
    with pytest.raises(ValueError, match="its variables must be those of the law"):
        derive(PARAMS_TOKENS, budget((N, 1), (M, 1)))
    with pytest.raises(ValueError, match="variable=M: the law's variables are N, D"):
        derive().optimum(M)


# -- against direct minimisation -------------------------------------------------------------------


def point(envelope: Envelope, law: Numbers) -> dict[str, Any]:
    """The numbers of a law by the names that the envelope gives them."""
    named = [(envelope.budget.coefficient, law.kappa), (C, law.compute), (sym.E, MP.one)]
    for term, A, b, power in zip(
        envelope.form.terms, law.coefficients, law.exponents, law.powers, strict=True
    ):
        named += [(term.coefficient, A), (term.exponent, b)]
        named += [(envelope.budget.exponent(term.variable), power)]
    return {expression.name: number for expression, number in named if expression.is_Symbol}


RANDOM_LAWS = [
    *(("6 N D", 2, True, seed) for seed in range(4)),
    *(("any monomial", 2, False, seed) for seed in range(3)),
    *(("three terms, any monomial", 3, False, seed) for seed in range(2)),
    ("four terms, 6 N D M K", 4, True, 0),
]


@pytest.mark.parametrize(("case", "factors", "six_nd", "seed"), RANDOM_LAWS)
def test_optimum_of_a_random_law(case: str, factors: int, six_nd: bool, seed: int) -> None:
    envelope = envelope_of(case)
    law = reference.draw(Random(f"{case} {seed}"), factors, six_nd=six_nd)
    logs = reference.minimum(law)
    reducible = law.reducible(logs)
    further = reference.least(law.with_compute(law.compute * 1000))
    exponent = MP.log(reducible / further) / MP.log(1000)
    values = point(envelope, law) | {str(sym.REDUCIBLE): reducible}
    shares = (term / reducible for term in law.terms(logs))
    for expression, wanted in (
        *zip(envelope.allocation, map(MP.exp, logs), strict=True),
        *zip(envelope.shares, shares, strict=True),
        (envelope.reducible, reducible),
        (envelope.loss, 1 + reducible),
        (envelope.exponent, exponent),
        (envelope.coefficient, reducible * law.compute**exponent),
        (envelope.compute_for_reducible, law.compute),
    ):
        assert close(value(expression, values), wanted)


HOFFMANN = {"E": "1.69", "A": "406.4", "B": "410.7", "beta": "0.34", "gamma": "0.28"}


def test_law_in_numbers_gives_the_same_envelope() -> None:
    """Digits in the law itself or put in afterwards: one envelope."""
    exact = {symbol: Rational(HOFFMANN[symbol.name]) for symbol in PARAMS_TOKENS.coefficients}
    symbolic, numeric = derive(), derive(PRINTED)
    assert decide(symbolic.loss.subs(exact), numeric.loss).proved
    for left, right in zip(symbolic.allocation, numeric.allocation, strict=True):
        assert decide(left.subs(exact), right).proved
