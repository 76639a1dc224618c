"""For beta = gamma the penalty is cosh(beta log r), and its tolerance interval is exact."""

from __future__ import annotations

from sympy import Symbol, cosh, exp, log, sinh

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.law import LawForm, Term
from isoflop.theory.penalty import equal_exponent_penalty, misallocation
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The law with one exponent, its optimum, its penalty, and the interval where P <= 1 + epsilon."""
    b, s, r = sym.BETA, sym.LOG_SIZE_RATIO, sym.SIZE_RATIO
    form = LawForm((Term(sym.A, sym.N, b), Term(sym.B, sym.D, b)))
    envelope = derive(form)
    along = (
        form.reducible.subs([(sym.N, envelope.params * exp(s)), (sym.D, envelope.tokens * exp(-s))])
        / envelope.reducible
    )
    closed = equal_exponent_penalty().rhs
    m = misallocation(envelope)
    width = m.equal_exponent_half_width.rewrite(log)
    u = Symbol("u", real=True)
    steps = (
        Claim(
            "penalty",
            along,
            "==",
            cosh(b * s),
            "Both shares are 1/2, so the two exponentials make a hyperbolic cosine.",
        ),
        Claim("in_size_ratio", along.subs(s, log(r)), "==", closed, "The same with s = log r."),
        Claim(
            "slope",
            along.diff(s),
            "==",
            b * sinh(b * s),
            "Its slope is beta sinh(beta s): zero at the optimum alone.",
        ),
        Claim(
            "symmetric",
            along.subs(s, -s),
            "==",
            along,
            "Twice too large and twice too small cost the same.",
        ),
        Claim(
            "tolerance_above",
            along.subs(s, width),
            "==",
            1 + sym.TOLERANCE,
            "P = 1 + epsilon at s = arcosh(1 + epsilon)/beta, exactly.",
        ),
        Claim(
            "tolerance_below", along.subs(s, -width), "==", 1 + sym.TOLERANCE, "And at minus that."
        ),
        Claim(
            "product",
            along * along.subs(s, u),
            "==",
            (along.subs(s, s + u) + along.subs(s, s - u)) / 2,
            "Penalties obey the addition theorem of cosh.",
        ),
    )
    return Derivation(
        name="equal_exponents_give_cosh",
        title="Equal exponents",
        assumptions=(
            "L = E + A N^-beta + B D^-beta with positive coefficients and exponent",
            "N = N* e^s, D = D* e^-s at the same compute",
        ),
        statement=r"P = \cosh(\beta \log r),\qquad P \le 1 + \varepsilon \iff |\log r| \le "
        r"\operatorname{arcosh}(1+\varepsilon)/\beta",
        steps=steps,
        source="The penalty of Schaeffer et al. 2025, arXiv 2509.24012, at beta = gamma.",
        follows="Laws with nearly equal exponents have a nearly symmetric penalty.",
    )
