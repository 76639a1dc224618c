"""In the law bilinear in log C and log k the curves of all k meet at a single compute, C_x = exp(-b/d)."""

from __future__ import annotations

from sympy import Integer, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.passk import DRAWS, KRAJEWSKI, BilinearLaw
from isoflop.theory.proof.argument_calculus import ByMonotone
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """log(-log pass@k) = log A + a log C + b log k + d log C log k: the slope in log k is b + d log C."""
    a, b, d = (Symbol(name, real=True) for name in ("a", "b", "d"))
    law = BilinearLaw(sym.A, a, b, d)
    falling, v, x = (Symbol(name, positive=True) for name in ("m", "v", "x"))
    fitted = BilinearLaw(sym.A, a, b, -falling)
    slope = DRAWS * fitted.log_value.diff(DRAWS)
    return Derivation(
        name="bilinear_law_crosses_once",
        title="The bilinear law in compute and k has one crossing point",
        assumptions=(
            "y = -log pass@k with log y = log A + a log C + b log k + d log C log k and d nonzero",
        ),
        statement=r"C_x = e^{-b/d}, \qquad -\log \mathrm{pass}@k\,(C_x) = A e^{-ab/d} \text{ for every } k",
        steps=(
            Claim(
                "common_crossing",
                law.value.subs(sym.C, law.crossing),
                "==",
                law.value_at_crossing,
                "At C_x the terms in log k cancel, whatever k is.",
            ),
            Claim(
                "in_powers",
                law.value,
                "==",
                sym.A * sym.C ** (-law.compute_exponent) * DRAWS**b,
                "At fixed k it is a power law of compute, with an exponent affine in log k.",
            ),
            Claim(
                "in_powers_of_k",
                law.value,
                "==",
                sym.A * sym.C**a * DRAWS ** (-law.draws_exponent),
                "At fixed C it is a power law of k, with an exponent affine in log C.",
            ),
            Claim(
                "wrong_way_below",
                slope.subs(sym.C, fitted.crossing / (1 + v)),
                ">",
                Integer(0),
                "For negative d, here -m, as fitted: below C_x, at C = C_x/(1 + v), y grows with k, which is impossible.",
                ByMonotone(falling * log(1 + x), x, v, Integer(0)),
            ),
            Claim(
                "right_way_above",
                slope.subs(sym.C, fitted.crossing * (1 + v)),
                "<",
                Integer(0),
                "Above C_x it falls.",
                ByMonotone(-falling * log(1 + x), x, v, Integer(0), increasing=False),
            ),
        ),
        source=f"{KRAJEWSKI}, equation 5, for the law; the crossing follows from it.",
        follows="The law is meaningful for C > C_x only, whatever k.",
    )
