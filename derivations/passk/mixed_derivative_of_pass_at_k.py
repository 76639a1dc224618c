"""How fast the exponent in compute grows with log k is how fast the exponent in k grows with log C."""

from __future__ import annotations

from sympy import Expr, Symbol, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.passk import DRAWS, KRAJEWSKI
from isoflop.theory.theorem import (
    Definition,
    Derivation,
    Partial,
    all_positive,
    function,
    say,
    step,
)


def derivation() -> Derivation:
    """Both are minus the mixed second difference of log(-log pass@k) over a rectangle in log C and log k."""
    c1, c2, k1, k2 = symbols("C_1 C_2 k_1 k_2", positive=True)
    y11, y12, y21, y22 = (
        Symbol(f"y_{corner}", positive=True) for corner in ("11", "12", "21", "22")
    )
    a, b, mixed = symbols("a b c", positive=True)
    h, v, floor, front, fall = symbols("h v F G g", positive=True)
    C, k = sym.C, DRAWS
    bilinear, floored = function("y")(C, k), function("f")(C, k)

    def exponent(before: Expr, after: Expr, steps: Expr) -> Expr:
        return -log(after / before) / log(steps)

    def local(of: Expr, variable: Symbol) -> Expr:
        return -Partial(log(of), log(variable))

    in_compute = (exponent(y11, y21, c2 / c1), exponent(y12, y22, c2 / c1))
    in_draws = (exponent(y11, y12, k2 / k1), exponent(y21, y22, k2 / k1))
    steps = (
        step(
            "any_form",
            (
                (in_compute[1] - in_compute[0]) / log(k2 / k1),
                "=",
                (in_draws[1] - in_draws[0]) / log(c2 / c1),
            ),
            "Both sides are the mixed second difference over the two distances:",
        ),
        step(
            "bilinear_in_compute",
            (Partial(local(bilinear, C), log(k)), "=", -mixed),
            "For the bilinear law the exponent in compute changes at a constant rate:",
        ),
        step(
            "bilinear_in_draws",
            (Partial(local(bilinear, k), log(C)), "=", -mixed),
            say("And so does the exponent in {}:", k),
        ),
        step(
            "with_an_irreducible_term",
            (Partial(local(floored, C), log(k)), "=", Partial(local(floored, k), log(C))),
            say("For a law with an irreducible term that falls with {}:", k),
        ),
    )
    return Derivation(
        name="mixed_derivative_of_pass_at_k",
        title="The mixed derivative of pass@k in compute and the number of samples",
        assumptions=(
            say(
                "Let {}, {}, {} and {} be the values of {} at compute {} and {}, each with {} "
                "and with {} draws: {} is that at {} and {}. Let further ",
                y11,
                y12,
                y21,
                y22,
                -log(function("pass@")(k)),
                c1,
                c2,
                k1,
                k2,
                y12,
                c1,
                k2,
            )
            + all_positive((C, k, sym.A, a, b, mixed, front, fall, floor, h, v))
            + ".",
        ),
        definitions=(
            Definition(bilinear, sym.A * C**a * k**b * C ** (mixed * log(k))),
            Definition(floored, floor * k**-h + front * C**-fall * k**-v),
        ),
        statement=say(
            "For any four values the exponent in compute changes with the logarithm of {} as "
            "the exponent in {} changes with that of {}: {any_form}. For the bilinear law "
            "the rate is a constant, {bilinear_in_compute} and {bilinear_in_draws}, and for "
            "a law with an irreducible term {with_an_irreducible_term}.",
            k,
            k,
            C,
        ),
        steps=steps,
        source=f"Symmetry of second derivatives; {KRAJEWSKI}, equation 5, for the bilinear law.",
        follows="Exponents in compute fitted at several numbers of samples predict "
        "how the exponent in that number depends on compute.",
    )
