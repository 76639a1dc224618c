"""How fast the exponent in compute grows with log k is how fast the exponent in k grows with log C."""

from __future__ import annotations

from sympy import Expr, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.passk import DRAWS, KRAJEWSKI, BilinearLaw
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Both are minus the mixed second difference of log(-log pass@k) over a rectangle in log C and log k."""
    c1, c2, k1, k2 = (Symbol(name, positive=True) for name in ("C_1", "C_2", "k_1", "k_2"))
    y11, y12, y21, y22 = (
        Symbol(f"y_{corner}", positive=True) for corner in ("11", "12", "21", "22")
    )
    a, b, d = (Symbol(name, real=True) for name in ("a", "b", "d"))
    h, v, floor = (Symbol(name, positive=True) for name in ("h", "v", "E0"))

    def exponent(before: Expr, after: Expr, steps: Expr) -> Expr:
        return -log(after / before) / log(steps)

    in_compute = (exponent(y11, y21, c2 / c1), exponent(y12, y22, c2 / c1))
    in_draws = (exponent(y11, y12, k2 / k1), exponent(y21, y22, k2 / k1))
    bilinear = BilinearLaw(sym.A, a, b, d)
    with_floor = log(floor * DRAWS**-h + sym.C0 * sym.C**-sym.ALPHA * DRAWS**-v)
    compute_exponent, draws_exponent = (
        -sym.C * with_floor.diff(sym.C),
        -DRAWS * with_floor.diff(DRAWS),
    )
    return Derivation(
        name="mixed_derivative_of_pass_at_k",
        title="The mixed derivative of pass@k in compute and k",
        assumptions=(
            "y = -log pass@k > 0, of any form, with four values at two C and two k",
            "y twice continuously differentiable for the differential form",
        ),
        statement=(
            r"\frac{\partial}{\partial \log k}\left(-\frac{\partial \log y}{\partial \log C}\right)"
            r"= \frac{\partial}{\partial \log C}\left(-\frac{\partial \log y}{\partial \log k}\right)"
        ),
        steps=(
            Claim(
                "any_form",
                (in_compute[1] - in_compute[0]) / log(k2 / k1),
                "==",
                (in_draws[1] - in_draws[0]) / log(c2 / c1),
                "For any four values: the exponent between C_1 and C_2 changes with log k as the exponent between k_1 and k_2 "
                "changes with log C. Small rectangles give the derivatives.",
            ),
            Claim(
                "bilinear_in_compute",
                bilinear.compute_exponent.subs(DRAWS, k2)
                - bilinear.compute_exponent.subs(DRAWS, k1),
                "==",
                -d * log(k2 / k1),
                "For the bilinear law the exponent in compute changes by -d for each unit of log k,",
            ),
            Claim(
                "bilinear_in_draws",
                bilinear.draws_exponent.subs(sym.C, c2) - bilinear.draws_exponent.subs(sym.C, c1),
                "==",
                -d * log(c2 / c1),
                "and the exponent in k by -d for each unit of log C.",
            ),
            Claim(
                "with_an_irreducible_term",
                DRAWS * compute_exponent.diff(DRAWS),
                "==",
                sym.C * draws_exponent.diff(sym.C),
                "In differential form, for a law with an irreducible term that falls with k.",
            ),
        ),
        source=f"Symmetry of second derivatives; {KRAJEWSKI}, equation 5, for the bilinear law.",
        follows="Exponents in compute fitted at several k predict how the exponent in k depends on compute.",
    )
