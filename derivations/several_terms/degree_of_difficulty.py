"""Posynomial programmes are convex in the logarithms; with as many free terms as conditions the optimum is a monomial."""

from __future__ import annotations

from sympy import Subs, exp, sqrt, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.proof.arguments import ByLeadingTerm, ByPositiveTerms, Cited
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

DUFFIN = "Duffin, Peterson and Zener 1967, Geometric Programming, duality theorem"


def derivation() -> Derivation:
    """Convexity, the dual of the params+tokens law and its one feasible point, a programme not attained, and strong duality."""
    envelope = derive()
    names, claims = envelope.named, envelope.named_steps
    b, g, spent = sym.BETA, sym.GAMMA, envelope.budget.coefficient
    x, y, u, v = symbols("x y u v", real=True)
    z, extra, side, first, third = symbols("z F t q m", positive=True)
    (w_n, w_d), alpha = names.shares, names.exponent
    along = function("f")
    posynomial = sym.A * exp(-b * x) + sym.B * exp(-g * y) + spent * exp(x + y)
    curvature = (b * u) ** 2 * sym.A * exp(-b * x) + (g * v) ** 2 * sym.B * exp(-g * y)
    curvature += (u + v) ** 2 * spent * exp(x + y)
    symmetric = sym.A * sym.N**-b + sym.A * sym.D**-b + extra * (sym.N * sym.D) ** (-b / 2)
    dual = (sym.A / w_n) ** w_n * (sym.B / w_d) ** w_d * (spent / sym.C) ** alpha
    dual_of_three = (
        (sym.A / first) ** (2 * first) * (extra / third) ** third * (spent / sym.C) ** (b / 2)
    )
    steps = (
        step(
            "curvature",
            (Subs(Partial(Partial(along(z), z), z), z, 0), "=", curvature),
            say("Every term is an exponential of a linear function of {}:", z),
        ),
        step(
            "convex",
            (curvature, ">=", 0),
            "It is a sum of squares times positive terms:",
            ByPositiveTerms(),
        ),
        claims["shares_sum"],
        *(step for name, step in claims.items() if name.startswith("power_")),
        step(
            "one_dual_point",
            (b + g, ">", 0),
            say(
                "These three linear equations in {}, {} and {} have this determinant, and so one "
                "solution:",
                w_n,
                w_d,
                alpha,
            ),
            ByPositiveTerms(),
        ),
        step(
            "monomial",
            (dual, "=", names.reducible),
            say("The dual value there is a monomial in {}, {} and {}:", sym.A, sym.B, sym.C),
        ),
        claims["global_minimum"],
        step(
            "not_attained",
            (z + 1 / (1 / z), "->", 0),
            say("On the bound, with {} for {}:", 1 / z, sym.D),
            ByLeadingTerm(z, "0"),
        ),
        step("never_reached", (z + 1 / (1 / z), ">", 0), "It stays above that:", ByPositiveTerms()),
        step(
            "strong_duality",
            ((2 * sym.A + extra) * side**-b, "=", dual_of_three),
            say(
                "The law {} is least at {} and {}, where the dual at the weights {}, {} and {} "
                "has the same value; that this holds for every such law is taken from the "
                "literature:",
                symmetric,
                (sym.N, "=", side),
                (sym.D, "=", side),
                first,
                first,
                third,
            ),
            Cited(DUFFIN),
        ),
    )
    return Derivation(
        name="degree_of_difficulty",
        title="When the optimum is a monomial",
        assumptions=(
            *envelope.assumptions,
            say(
                "A posynomial is a sum of positive multiples of products of powers; to minimise one "
                "under an upper bound on a monomial has the degree of difficulty of the number of "
                "terms, that of the bound among them, less that of the variables, less 1."
            ),
            say(
                "The logarithms of {} and {} are {} and {}; along a direction with the real "
                "components {} and {} the sum of the terms is {} at {}. Let {}.",
                sym.N,
                sym.D,
                x,
                y,
                u,
                v,
                along(z),
                (z, ">", 0),
                (extra, ">", 0),
            ),
        ),
        definitions=(
            *envelope.definitions,
            Definition(
                along(z), posynomial.subs([(x, x + z * u), (y, y + z * v)], simultaneous=True)
            ),
            Definition(side, sqrt(sym.C / spent)),
            Definition(first, sym.A / (2 * sym.A + extra)),
            Definition(third, extra / (2 * sym.A + extra)),
        ),
        statement=say(
            "In the logarithms the programme is convex, {curvature} with {convex}, so that "
            "every local minimum is global. The law of params and tokens has the degree of "
            "difficulty 0: the dual weights solve {shares_sum}, {power_N} and {power_D}, "
            "which have one solution, {one_dual_point}, and the minimum is the dual value "
            "there, {monomial}, for {global_minimum}. Without a positive dual point a "
            "minimum need not exist: {}, where {} is at most 1, comes down to 0, "
            "{not_attained}, and does not reach it, {never_reached}. With more terms than "
            "the degree 0 allows, the greatest dual value is the minimum still, "
            "{strong_duality}.",
            sym.N + 1 / sym.D,
            sym.N * sym.D,
        ),
        steps=steps,
        source=DUFFIN,
        follows="Laws of one term for each variable have closed forms; an interaction term costs one "
        "scalar equation.",
    )
