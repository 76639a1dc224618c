"""The envelope: every claim proved and checked on all paths, and every closed form against direct
minimisation.
"""

from random import Random
from typing import Any

import pytest
import sympy
from sympy import Expr, Rational, Symbol, exp, symbols
from tests.theory import reference
from tests.theory.reference import CLOSE, MP, Numbers
from tests.theory.rewriting import evaluate, from_sympy

from isoflop.theory import symbols as sym
from isoflop.theory.budget import GENERAL, SIX_ND, Budget
from isoflop.theory.envelope import Envelope, derive
from isoflop.theory.kernel import decide
from isoflop.theory.law import PARAMS_TOKENS, LawForm, Term

N, D, C = sym.N, sym.D, sym.C
M, K, F, G, delta, zeta, N_c, D_c, a_N, a_D = symbols(
    "M K F G delta zeta N_c D_c a_N a_D", positive=True
)
c = symbols("c1:5", positive=True)
TWO = PARAMS_TOKENS.terms
THREE = LawForm((*TWO, Term(F, M, delta)))
FOUR = LawForm((*TWO, Term(F, M, delta), Term(G, K, zeta)))
KAPLAN = LawForm.from_expression(((N_c / N) ** (a_N / a_D) + D_c / D) ** a_D)
ACCURACY = LawForm.from_expression(exp(-(sym.E + PARAMS_TOKENS.reducible)))
PRINTED = LawForm.from_expression(1.69 + 406.4 * N**-0.34 + 410.7 * D**-0.28)


def budget(*powers: tuple[Symbol, Expr], kappa: Expr = sym.KAPPA) -> Budget:
    return Budget(kappa, tuple((x, sympy.sympify(power)) for x, power in powers))


CASES: dict[str, tuple[LawForm, Budget]] = {
    "two terms, 6 N D": (PARAMS_TOKENS, SIX_ND),
    "two terms, any monomial": (PARAMS_TOKENS, GENERAL),
    "two terms, 3 N^2 sqrt(D)": (PARAMS_TOKENS, Budget.parse("3 N^2 D^0.5")),
    "three terms, any monomial": (THREE, budget((N, c[0]), (D, c[1]), (M, c[2]))),
    "four terms, 6 N D M K": (FOUR, budget((N, 1), (D, 1), (M, 1), (K, 1), kappa=sympy.Integer(6))),
    "one term": (LawForm(TWO[:1]), budget((N, c[0]))),
    "Kaplan": (KAPLAN, SIX_ND),
    "accuracy, a decreasing function": (ACCURACY, SIX_ND),
    "numbers": (PRINTED, SIX_ND),
}


@pytest.fixture(scope="module")
def envelopes() -> dict[str, Envelope]:
    return {name: derive(*case) for name, case in CASES.items()}


# -- claims --------------------------------------------------------------------------------------------------------------


LONG = {"three terms, any monomial", "four terms, 6 N D M K"}


@pytest.mark.parametrize(
    "case", [pytest.param(x, marks=pytest.mark.slow) if x in LONG else x for x in CASES]
)
def test_every_claim_holds_on_all_paths(case: str, envelopes: dict[str, Envelope]) -> None:
    """Everything is positive: no proof may hide a restriction."""
    for verdict in [claim.verify(points=24) for claim in envelopes[case].claims.values()]:
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
    known = {
        envelope.params: scale * (C / 6) ** (g / (b + g)),
        envelope.tokens: (C / 6) ** (b / (b + g)) / scale,
        envelope.exponent: b * g / (b + g),
        envelope.loss: sym.E
        + 6 ** (b * g / (b + g))
        * (b + g)
        * (A / g) ** (g / (b + g))
        * (B / b) ** (b / (b + g))
        * C ** (-b * g / (b + g)),
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


# -- against direct minimisation -----------------------------------------------------------------------------------------


def point(envelope: Envelope, law: Numbers) -> dict[str, Any]:
    """The numbers of a law by the names that the envelope gives them."""
    values = {str(C): law.compute, str(sym.E): MP.one}
    for term, A, b, power in zip(
        envelope.form.terms, law.coefficients, law.exponents, law.powers, strict=True
    ):
        for expression, number in (
            (term.coefficient, A),
            (term.exponent, b),
            (envelope.budget.exponent(term.variable), power),
        ):
            if expression.is_Symbol:
                values[expression.name] = number
    if envelope.budget.coefficient.is_Symbol:
        values[envelope.budget.coefficient.name] = law.kappa
    return values


def at(expression: Expr, values: dict[str, Any]) -> Any:
    return evaluate(from_sympy(expression), values)


def close(found: Any, wanted: Any, tolerance: Any = CLOSE) -> bool:
    return bool(abs(found - wanted) <= tolerance * abs(wanted))


RANDOM_LAWS = [
    *(("two terms, 6 N D", 2, True, seed) for seed in range(10)),
    *(("two terms, any monomial", 2, False, seed) for seed in range(6)),
    *(("three terms, any monomial", 3, False, seed) for seed in range(4)),
    *(("four terms, 6 N D M K", 4, True, seed) for seed in range(2)),
]


@pytest.mark.parametrize(("case", "factors", "six_nd", "seed"), RANDOM_LAWS)
def test_optimum_of_a_random_law(
    case: str, factors: int, six_nd: bool, seed: int, envelopes: dict[str, Envelope]
) -> None:
    envelope = envelopes[case]
    law = reference.draw(Random(f"{case} {seed}"), factors, six_nd=six_nd)
    values = point(envelope, law)
    logs = reference.minimum(law)
    reducible = law.reducible(logs)
    for expression, wanted in zip(envelope.allocation, logs, strict=True):
        assert close(at(expression, values), MP.exp(wanted))
    assert close(at(envelope.reducible, values), reducible)
    assert close(at(envelope.loss, values), 1 + reducible)
    for share, term in zip(envelope.shares, law.terms(logs), strict=True):
        assert close(at(share, values), term / reducible)
    further = reference.least(law.with_compute(law.compute * 1000))
    exponent = MP.log(reducible / further) / MP.log(1000)
    assert close(at(envelope.exponent, values), exponent)
    assert close(at(envelope.coefficient, values), reducible * law.compute**exponent)
    values[str(sym.REDUCIBLE)] = reducible
    assert close(at(envelope.compute_for_reducible, values), law.compute)


# -- printed numbers -----------------------------------------------------------------------------------------------------

HOFFMANN = {"E": "1.69", "A": "406.4", "B": "410.7", "beta": "0.34", "gamma": "0.28"}
BESIROGLU = {"E": "1.8172", "A": "482.01", "B": "2085.43", "beta": "0.3478", "gamma": "0.3658"}


def printed(law: dict[str, str], **more: str) -> dict[str, Any]:
    return {name: MP.mpf(value) for name, value in (law | more).items()}


@pytest.mark.parametrize(
    ("law", "exponent", "coefficient"),
    [(HOFFMANN, "0.153548", "1071.365"), (BESIROGLU, "0.178286", "2708.498")],
    ids=["hoffmann, rounded", "besiroglu"],
)
def test_compute_law_in_numbers(law: dict[str, str], exponent: str, coefficient: str) -> None:
    envelope = derive()
    values = printed(law)
    assert MP.nstr(at(envelope.exponent, values), 6) == exponent
    assert MP.nstr(at(envelope.coefficient, values), 7) == coefficient


def test_law_in_numbers_gives_the_same_envelope() -> None:
    """Digits in the law itself or put in afterwards: one envelope."""
    exact = {symbol: Rational(HOFFMANN[symbol.name]) for symbol in PARAMS_TOKENS.coefficients}
    symbolic, numeric = derive(), derive(PRINTED)
    assert decide(symbolic.loss.subs(exact), numeric.loss).proved
    for left, right in zip(symbolic.allocation, numeric.allocation, strict=True):
        assert decide(left.subs(exact), right).proved
