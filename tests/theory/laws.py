"""Laws and budgets on which envelope and penalty are tested."""

from __future__ import annotations

import sympy
from sympy import Expr, Symbol, exp, symbols

from isoflop.theory.budget import SIX_ND, Budget
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.law import PARAMS_TOKENS, LawForm, Term

N, D = sym.N, sym.D
M, K, F, G, delta, zeta, N_c, D_c, a_N, a_D = symbols(
    "M K F G delta zeta N_c D_c a_N a_D", positive=True
)
c = symbols("c1:4", positive=True)
TWO = PARAMS_TOKENS.terms
THREE = LawForm((*TWO, Term(F, M, delta)))
FOUR = LawForm((*TWO, Term(F, M, delta), Term(G, K, zeta)))
KAPLAN = LawForm.from_expression(((N_c / N) ** (a_N / a_D) + D_c / D) ** a_D)
ACCURACY = LawForm.from_expression(exp(-(sym.E + PARAMS_TOKENS.reducible)))
PRINTED = LawForm.from_expression(1.69 + 406.4 * N**-0.34 + 410.7 * D**-0.28)


def budget(*powers: tuple[Symbol, Expr | int], kappa: Expr = sym.KAPPA) -> Budget:
    return Budget(kappa, tuple((x, sympy.sympify(power)) for x, power in powers))


GENERAL = budget((N, sym.BUDGET_A), (D, sym.BUDGET_D))
SIX = sympy.Integer(6)
TWO_TERMS: dict[str, tuple[LawForm, Budget]] = {
    "6 N D": (PARAMS_TOKENS, SIX_ND),
    "any monomial": (PARAMS_TOKENS, GENERAL),
    "3 N^2 sqrt(D)": (PARAMS_TOKENS, Budget.parse("3 N^2 D^0.5")),
    "Kaplan": (KAPLAN, SIX_ND),
    "accuracy, a decreasing function": (ACCURACY, SIX_ND),
    "numbers": (PRINTED, SIX_ND),
}
LAWS = TWO_TERMS | {
    "one term": (LawForm(TWO[:1]), budget((N, c[0]))),
    "three terms, any monomial": (THREE, budget((N, c[0]), (D, c[1]), (M, c[2]))),
    "four terms, 6 N D M K": (FOUR, budget((N, 1), (D, 1), (M, 1), (K, 1), kappa=SIX)),
}
