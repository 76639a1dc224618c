"""Kaplan's joint law is a power of a params+tokens law: its envelope has 1/alpha = 1/alpha_N + 1/alpha_D."""

from __future__ import annotations

from sympy import Expr, Subs, log, symbols

from isoflop.theory import symbols as sym
from isoflop.theory.budget import SIX_ND
from isoflop.theory.envelope import derive
from isoflop.theory.law import LawForm
from isoflop.theory.proof.arguments import ByMonotone, ByWeightedAmGm
from isoflop.theory.theorem import Definition, Derivation, Partial, function, say, step

LOSS, SUM, PENALTY = (function(name) for name in ("L_K", "S", "P_K"))
OPTIMUM = function("N_K"), function("D_K")
N_C, D_C, ALPHA_N, ALPHA_D = symbols("N_c D_c alpha_N alpha_D", positive=True)
ALPHA, CONSTANT, WEIGHT, LEVEL = symbols("alpha_K C_K w_K y", positive=True)


def derivation() -> Derivation:
    """[(N_c/N)^(alpha_N/alpha_D) + D_c/D]^alpha_D: its optimum, envelope, exponent and penalty, from the law as printed."""
    n, d, C, r = sym.N, sym.D, sym.C, sym.SIZE_RATIO
    a_n, a_d, alpha, w = ALPHA_N, ALPHA_D, ALPHA, WEIGHT
    inner = (N_C / n) ** (a_n / a_d) + D_C / d
    form = LawForm.from_expression(inner**a_d, name="Kaplan's joint law")
    envelope = derive(form)
    best = n_star, d_star = tuple(name(C) for name in OPTIMUM)
    w_n, w_d = envelope.shares
    spent, loss = SIX_ND.compute(), LOSS(n, d)
    compute_law = CONSTANT * C**-alpha

    def there(expression: Expr) -> Expr:
        return Subs(expression, (n, d), best)

    steps = (
        step(
            "as_wrapped_law",
            (loss, "=", SUM(n, d) ** a_d),
            say(
                "The outer function {} increases, and {} is a sum of two powers:",
                LEVEL**a_d,
                SUM(n, d),
            ),
        ),
        step(
            "global_minimum",
            (loss, ">=", compute_law.subs(C, spent)),
            say(
                "Weighted AM-GM on the two terms of {} with the weights {} and {}; {} and {} "
                "enter the mean through their product. Then raise both sides to the power {}:",
                SUM(n, d),
                w,
                1 - w,
                n,
                d,
                a_d,
            ),
            ByMonotone(
                LEVEL**a_d,
                LEVEL,
                form.reducible,
                envelope.reducible.subs(C, spent),
                order=ByWeightedAmGm(tuple(t.expression for t in form.terms), envelope.shares),
            ),
        ),
        step(
            "budget", (spent.subs({n: n_star, d: d_star}), "=", C), "The optimum spends the budget:"
        ),
        step(
            "balance",
            (there(Partial(loss, log(n))), "=", there(Partial(loss, log(d)))),
            say("There a percent of {} and a percent of {} are worth the same:", n, d),
        ),
        step(
            "envelope",
            (LOSS(n_star, d_star), "=", compute_law),
            say("And the bound of {global_minimum} is attained:"),
        ),
        step(
            "exponent",
            (1 / alpha, "=", 1 / a_n + 1 / a_d),
            say("The exponent is that of a plain sum with the exponents {} and {}:", a_n, a_d),
        ),
        step(
            "penalty",
            (LOSS(r * n_star, d_star / r) / LOSS(n_star, d_star), "=", PENALTY(r) ** a_d),
            say("The move multiplies {} by {}:", SUM(n, d), PENALTY(r)),
        ),
        step(
            "penalty_at_least_one",
            (PENALTY(r), ">=", 1),
            say("Weighted AM-GM with the weights {} and {}; the powers of {} cancel:", w, 1 - w, r),
            ByWeightedAmGm((w_n * r ** (-a_n / a_d), w_d * r), envelope.shares),
        ),
        step(
            "growth_of_params",
            (Partial(log(n_star), log(C)), "=", a_d / (a_n + a_d)),
            say("The optimal size is a power of {}:", C),
        ),
    )
    return Derivation(
        name="kaplan_form",
        title="Kaplan's joint law",
        assumptions=(
            say(
                "Let {} be the loss of a model with {} params trained on {} tokens, with "
                "positive constants {}, {}, {} and {}.",
                (loss, "=", inner**a_d),
                (n, ">", 0),
                (d, ">", 0),
                N_C,
                D_C,
                a_n,
                a_d,
            ),
            envelope.assumptions[1],
        ),
        definitions=(
            Definition(loss, inner**a_d),
            Definition(SUM(n, d), inner),
            Definition(alpha, a_n * a_d / (a_n + a_d)),
            Definition(w, envelope.shares[0]),
            Definition(CONSTANT, (6 * N_C * D_C / (1 - w)) ** alpha * w ** (-a_d * w)),
            *(Definition(*pair) for pair in zip(best, envelope.allocation, strict=True)),
            Definition(PENALTY(r), w * r ** (-a_n / a_d) + (1 - w) * r),
        ),
        statement=say(
            "The law is a power of a sum, {as_wrapped_law}, and for all positive {} and {} "
            "{global_minimum}. At compute {} the bound is attained at {} and {}: {budget} "
            "and {envelope}, with {exponent}. The optimal size grows with the exponent "
            "{growth_of_params}. A run at the same compute with {} times this size, {}, pays "
            "a power of the penalty on its whole loss, {penalty}, where "
            "{penalty_at_least_one}.",
            n,
            d,
            C,
            n_star,
            d_star,
            r,
            (r, ">", 0),
        ),
        steps=steps,
        source="Kaplan et al. 2020, arXiv 2001.08361, for the law; wrapper theorem.",
        follows="The law has no irreducible loss: its penalty acts on the whole loss.",
    )
