"""For beta = gamma the penalty is cosh(beta log r), and its tolerance interval is exact."""

from __future__ import annotations

from sympy import Expr, Symbol, cosh, exp, log, sinh

from isoflop.theory import symbols as sym
from isoflop.theory.penalty import PENALTY, misallocation, penalty_along_budget
from isoflop.theory.theorem import Definition, Derivation, Partial, say, step


def derivation() -> Derivation:
    """The law with one exponent, its optimum, its penalty, and the interval where P <= 1 + epsilon."""
    b, s, r = sym.BETA, sym.LOG_SIZE_RATIO, sym.SIZE_RATIO
    m = misallocation()
    epsilon, u, width = sym.TOLERANCE, Symbol("u", real=True), Symbol("h", positive=True)

    def penalty(at: Expr) -> Expr:
        return PENALTY(exp(at))

    steps = (
        penalty_along_budget(m),
        step(
            "hyperbolic_cosine",
            (penalty(s), "=", (exp(-b * s) + exp(b * s)) / 2, "=", cosh(b * s)),
            "Both shares are one half:",
        ),
        step(
            "in_size_ratio", (PENALTY(r), "=", cosh(b * log(r))), say("With {}:", (s, "=", log(r)))
        ),
        step(
            "slope",
            (Partial(penalty(s), s), "=", b * sinh(b * s)),
            say("The slope has the sign of {}:", s),
        ),
        step(
            "symmetric",
            (penalty(-s), "=", penalty(s)),
            "Too large and too small by the same factor cost the same:",
        ),
        step(
            "tolerance_above",
            (penalty(width), "=", 1 + epsilon),
            say("The inverse hyperbolic cosine of {} is {}:", 1 + epsilon, b * width),
        ),
        step(
            "tolerance_below", (penalty(-width), "=", 1 + epsilon), say("By symmetry, {symmetric}:")
        ),
        step(
            "product",
            (penalty(s) * penalty(u), "=", (penalty(s + u) + penalty(s - u)) / 2),
            say("The addition theorem of the hyperbolic cosine, for real {}:", u),
        ),
    )
    return Derivation(
        name="equal_exponents_give_cosh",
        title="Equal exponents",
        assumptions=(
            *m.envelope.assumptions,
            say("Let {}, {} real, and {}.", (sym.GAMMA, "=", b), s, (epsilon, ">", 0)),
        ),
        definitions=(
            Definition(sym.GAMMA, b),
            *m.definitions,
            Definition(width, m.equal_exponent_half_width.rewrite(log)),
        ),
        statement=say(
            "A run with {} times the optimal size at its compute has the penalty {}, the "
            "same for {}: {penalty}, {hyperbolic_cosine} and {symmetric}. Its slope {slope} "
            "has the sign of {}, and it exceeds one by {} at the distance {} on both sides: "
            "{tolerance_above} and {tolerance_below}.",
            exp(s),
            penalty(s),
            -s,
            s,
            epsilon,
            width,
        ),
        steps=steps,
        source="The penalty of Schaeffer et al. 2025, arXiv 2509.24012, at equal exponents.",
        follows="Laws with nearly equal exponents have a nearly symmetric penalty.",
    )
