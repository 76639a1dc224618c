"""Every statement about the penalty of a two-term law, with its proof."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sympy import Expr, Integer, Mul, Pow, Symbol, exp, factorial, log, oo

from .algebra import symbols as sym
from .algebra.functions import expm1, log1p
from .envelope import gather, product_of_powers
from .law import Term
from .proof.argument_calculus import ByMonotone, BySameDifference
from .proof.claim import ByLeadingTerm, ByWeightedAmGm, Claim
from .proof.words import function, say

if TYPE_CHECKING:
    from .penalty import Misallocation

R, S, RHO = sym.SIZE_RATIO, sym.LOG_SIZE_RATIO, sym.RATIO
X, Y = Symbol("x", real=True), Symbol("y", positive=True)


def tokens_factor(variable: Symbol) -> Symbol:
    """k_D: the multiple of D* that makes up for too few params."""
    return Symbol(f"k_{variable}", positive=True)


def critical(variable: Symbol) -> Symbol:
    """N_crit, D_crit: where one term alone is the reducible loss of the optimum."""
    return Symbol(f"{variable}_crit", positive=True)


def _at_share(term: Term, share: Expr) -> Expr:
    """The x at which a term is its share of R: (A/(w R))^(1/b)."""
    return (term.coefficient / (share * sym.REDUCIBLE)) ** (1 / term.exponent)


def _of_contours(m: Misallocation, ending: str, solved: Term, given: Term) -> Iterator[Claim]:
    """The iso-loss contour solved for one variable, as it is and without cancellation."""
    form, assume = m.envelope.form, (sym.REDUCIBLE - given.expression,)
    contour = m.iso_loss(solved, given)
    yield Claim(
        f"iso_loss{ending}",
        form.reducible.subs(solved.variable, contour),
        "==",
        sym.REDUCIBLE,
        say("Solve {} for {}:", (sym.REDUCIBLE, "=", form.reducible), solved.variable),
        assume=assume,
    )
    yield Claim(
        f"safe_iso_loss{ending}",
        contour,
        "==",
        m.safe_iso_loss(solved, given),
        say("The loss that is left for {}, through {} of a logarithm:", solved.variable, expm1(X)),
        assume=assume,
    )


def statements(m: Misallocation) -> list[Claim]:
    """The claims in the closed forms, or in the names, of `m`."""
    envelope = m.envelope
    form, budget = envelope.form, envelope.budget
    n, d = form.variables
    params, tokens = form.terms
    w_n, w_d = m._weights
    b, g = m._exponents
    n_star, d_star = envelope.optimum(n), envelope.optimum(d)
    moved = {n: R * n_star, d: R**-m._slope * d_star}
    with_ratio = {n: m.size_ratio * n_star, d: RHO * m.size_ratio * d_star}
    in_s = m.penalty.subs(R, exp(S))
    reached = {n: R * n_star, d: m.tokens_factor * d_star}
    above_wall = (1 - w_n * R**-b,)
    in_s_above_wall = tuple(e.subs(R, exp(S)) for e in above_wall)
    reducible = function("R")
    names = m.named.envelope
    at_least_one = ByWeightedAmGm((w_n * R**-b, w_d * R**g), (w_n, w_d))
    claims = [
        Claim(
            "budget_kept",
            product_of_powers(
                [budget.coefficient, *moved.values()],
                [Integer(1), *(budget.exponent(x) for x in moved)],
            ),
            "==",
            sym.C,
            say("The powers of {} cancel, and the optimum spends the budget:", R),
        ),
        Claim(
            "penalty",
            reducible(*moved.values()) / reducible(n_star, d_star),
            "==",
            m.penalty,
            say(
                "Each term is its share {} or {} of the least reducible loss, times the power of "
                "{} by which it moved:",
                *names.shares,
                R,
            ),
            where=envelope.definitions,
        ),
        Claim(
            "shares_cancel",
            b * w_n,
            "==",
            g * w_d,
            say("The exponents times their weights agree:"),
        ),
        Claim(
            "penalty_at_least_one",
            m.penalty,
            ">=",
            Integer(1),
            say("Weighted AM-GM for the two terms with the weights {} and {}; ", *names.shares)
            + say("by {shares_cancel} the powers of {} cancel in the geometric mean:", R),
            at_least_one,
            through=(product_of_powers([R**-b, R**g], [w_n, w_d]),),
        ),
        Claim(
            "equality",
            Mul(R**g, Pow(R**-b, -1, evaluate=False), evaluate=False),
            "==",
            R ** (b + g),
            say(
                "Equality holds where the two terms over their weights agree; their quotient is 1 "
                "where {} is 1, and only there:",
                R,
            ),
        ),
        Claim(
            "ratio",
            Mul(moved[d], Pow(moved[n], -1, evaluate=False), evaluate=False),
            "==",
            m.ratio * gather(d_star / n_star),
            say("The tokens per parameter change by the factor {}:", m.ratio),
        ),
        Claim(
            "penalty_in_ratio",
            reducible(*with_ratio.values()) / reducible(n_star, d_star),
            "==",
            m.penalty_in_ratio,
            say("In terms of {} the size ratio is {}:", RHO, (R, "=", m.size_ratio)),
            where=envelope.definitions,
        ),
        Claim(
            "excess",
            in_s - 1,
            "==",
            m.excess,
            say(
                "The terms of order 0 and 1 in {} cancel; what is left is a sum of positive terms:",
                S,
            ),
        ),
        Claim(
            "lost_compute",
            1 - m.effective_compute.subs(R, exp(S)),
            "==",
            m.lost_compute,
            say("One less a power is {} of minus a logarithm:", expm1(X)),
        ),
        Claim(
            "safe_effective_compute",
            m.effective_compute.subs(R, exp(S)),
            "==",
            m.safe_effective_compute,
            say("The logarithm of the penalty is {} of its excess:", log1p(X)),
        ),
        Claim(
            "effective_compute",
            envelope.reducible.subs(sym.C, sym.C * m.effective_compute),
            "==",
            m.penalty * envelope.reducible,
            say("The reducible loss of the optimum falls as {}:", sym.C**-names.exponent),
        ),
        Claim(
            "above_critical",
            w_n * R**-b,
            "==",
            (m.critical_size_ratio * n_star / (R * n_star)) ** b,
            say("So the term of {} takes less than the whole where {} exceeds ", n, R * n_star)
            + say("{}:", critical(n)),
        ),
        Claim(
            "tokens_factor",
            reducible(*reached.values()),
            "==",
            reducible(n_star, d_star),
            say("The term of {} takes what that of {} leaves of the least loss:", d, n),
            assume=above_wall,
            where=envelope.definitions,
        ),
        Claim(
            "compute_overhead",
            budget.compute(reached) / sym.C - 1,
            "==",
            m.compute_overhead,
            say("The compute of that run over {}, less 1:", sym.C),
            assume=above_wall,
        ),
        Claim(
            "never_cheaper",
            1 + m.compute_overhead,
            ">=",
            Integer(1),
            say("By {penalty_at_least_one}, {} is at most {}; ", 1 - w_n * R**-b, w_d * R**g)
            + say("the larger it is, the smaller is {}, and ", tokens_factor(d))
            + "where the two agree the product is 1:",
            ByMonotone(
                R ** budget.exponent(n) * (w_d / Y) ** (budget.exponent(d) / tokens.exponent),
                Y,
                1 - w_n * R**-b,
                w_d * R**g,
                False,
                BySameDifference(m.penalty, Integer(1), at_least_one),
            ),
            assume=above_wall,
        ),
        Claim(
            "safe_overhead",
            m.compute_overhead.subs(R, exp(S)),
            "==",
            m.safe_overhead,
            say("The gap to the critical size, through the excess of the penalty:"),
            assume=in_s_above_wall,
        ),
        Claim(
            "distant_overhead",
            m.compute_overhead.subs(R, exp(S)),
            "==",
            m.distant_overhead,
            say("The same through its definition:"),
            assume=in_s_above_wall,
        ),
        Claim(
            "safe_tokens_factor",
            m.tokens_factor.subs(R, exp(S)),
            "==",
            m.safe_tokens_factor,
            say("The gap to the critical size, through the two safe functions:"),
            assume=in_s_above_wall,
        ),
        Claim(
            "critical_size",
            params.expression.subs(n, m.critical_size_ratio * n_star),
            "==",
            envelope.reducible,
            say("At this size the {} term alone is the least reducible loss:", n),
        ),
        Claim(
            "critical_tokens",
            tokens.expression.subs(d, m.critical_tokens_ratio * d_star),
            "==",
            envelope.reducible,
            say("At this amount of data the {} term alone is the least reducible loss:", d),
        ),
        Claim(
            "overtrained_tail",
            m.penalty,
            "~",
            m.overtrained_tail,
            say("For {} the {} term dominates:", (R, "->", 0), n),
            ByLeadingTerm(R, "0"),
        ),
        Claim(
            "undertrained_tail",
            m.penalty,
            "~",
            m.undertrained_tail,
            say("For {} the {} term dominates:", (R, "->", oo), d),
            ByLeadingTerm(R, "oo"),
        ),
        *_of_contours(m, "", tokens, params),
        *_of_contours(m, "_params", params, tokens),
        Claim(
            "iso_loss_slope",
            n * m.iso_loss_tokens.diff(n),
            "==",
            m.iso_loss_tokens * m.iso_loss_slope.subs(d, m.iso_loss_tokens),
            say("Differentiate the contour in the logarithms:"),
            assume=(sym.REDUCIBLE - params.expression,),
        ),
        Claim(
            "iso_loss_tangency",
            m.iso_loss_slope.subs([(n, n_star), (d, d_star)], simultaneous=True),
            "==",
            -m._slope,
            say("At the optimum the iso-loss contour is tangent to the isoFLOP line:"),
        ),
        Claim(
            "data_wall",
            d_star.subs(sym.C, m.data_wall),
            "==",
            sym.D_MAX,
            say("At this compute the optimal {} reaches {}:", d, sym.D_MAX),
        ),
        Claim(
            "size_cap",
            n_star.subs(sym.C, m.size_cap),
            "==",
            sym.N_MAX,
            say("At this compute the optimal {} reaches {}:", n, sym.N_MAX),
        ),
        Claim(
            "compute_for_reducible",
            budget.compute(
                {
                    term.variable: _at_share(term, share)
                    for term, share in zip(form.terms, envelope.shares, strict=True)
                }
            ),
            "==",
            envelope.compute_for_reducible,
            say(
                "The compute of the params and tokens whose terms are their shares of {}:",
                sym.REDUCIBLE,
            ),
        ),
    ]
    derivative = in_s.diff(S)
    for order in range(2, 5):
        derivative = derivative.diff(S)
        claims.append(
            Claim(
                f"series_{order}",
                derivative.subs(S, 0) / factorial(order),
                "==",
                m.series(order).coeff(S, order),
                say(f"The Taylor coefficient of order {order} in {{}}:", (S, "=", log(R))),
            )
        )
    shadow = m.capped_reducible(d, sym.D_MAX)
    t_n, t_d = params.expression, tokens.expression
    at_cap = [(n, m.remaining(d).subs(d, sym.D_MAX)), (d, sym.D_MAX)]
    claims.append(
        Claim(
            "data_wall_shadow_price",
            sym.D_MAX * shadow.diff(sym.D_MAX),
            "==",
            (params.exponent * t_n / m._slope - tokens.exponent * t_d).subs(
                at_cap, simultaneous=True
            ),
            say("What a larger {} would save at fixed compute:", sym.D_MAX),
        )
    )
    return claims
