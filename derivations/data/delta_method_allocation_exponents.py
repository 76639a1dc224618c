"""The gradient of the exponents w_N and w_D with which the optimal params and tokens grow."""

from __future__ import annotations

from sympy import log

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.gradients import gradient_claims, gradients
from isoflop.theory.theorem import Derivation, Partial, say, step


def derivation() -> Derivation:
    """grad w_N = (0, 0, -w_N, w_D)/(beta + gamma), from the growth of N*(C) and D*(C)."""
    names = derive().named
    of_params = gradients(names).params_share
    of_tokens = tuple(-part for part in of_params)
    in_log_compute = log(sym.C)
    growth = {
        share: Partial(log(optimum), in_log_compute)
        for share, optimum in zip(names.shares, names.allocation, strict=True)
    }
    steps = tuple(
        step(f"{share}_is_growth", (grows, "=", share), say("The growth of {}:", optimum))
        for (share, grows), optimum in zip(growth.items(), names.allocation, strict=True)
    )
    for share, gradient in zip(names.shares, (of_params, of_tokens), strict=True):
        steps += gradient_claims(
            str(share),
            growth[share],
            gradient,
            lambda variable: say("Differentiate this growth in {}:", variable),
        )[2:]
    b, g = sym.BETA, sym.GAMMA
    share = names.shares[0]
    steps += (
        step(
            "scale_free",
            (b * Partial(share, b) + g * Partial(share, g), "=", 0),
            say(
                "Scaling both exponents of the law together leaves {} as it is (Euler, degree 0):",
                share,
            ),
        ),
    )
    return Derivation(
        name="delta_method_allocation_exponents",
        title="Delta method for the exponents of the allocation",
        assumptions=derive().assumptions,
        definitions=derive().definitions,
        statement=say(
            "The optimal {} and {} grow as powers of {}, {w_N_is_growth} and "
            "{w_D_is_growth}, whose exponents depend on {} and {} alone, with {w_N_in_beta}, "
            "{w_N_in_gamma}, {w_D_in_beta} and {w_D_in_gamma}.",
            sym.N,
            sym.D,
            sym.C,
            b,
            g,
        ),
        steps=steps,
        source="Differentiation of the closed form.",
        follows="The error of either exponent is that of the ratio of the law's exponents alone.",
    )
