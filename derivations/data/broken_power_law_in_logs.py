"""The logarithm of a break's factor and its derivatives in forms that neither overflow nor cancel."""

from __future__ import annotations

from sympy import Expr, Symbol, exp, log

from isoflop.theory.algebra.functions import defined
from isoflop.theory.broken import Break, BreakInLogs
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """Differentiate -c f log(1 + exp(x/f)) in c, in x = log(C/d) and in log f, twice."""
    f, place = (Symbol(name, positive=True) for name in ("f", "d"))
    c, x = (Symbol(name, real=True) for name in ("c", "x"))
    part = BreakInLogs(c, x, f)
    plain = -c * f * log(1 + exp(x / f))

    def in_log_width(e: Expr) -> Expr:
        return f * e.diff(f)

    first = plain.diff(x), in_log_width(plain)
    pairs = {
        "cx": first[0].diff(c),
        "cf": first[1].diff(c),
        "xx": first[0].diff(x),
        "xf": first[1].diff(x),
        "ff": in_log_width(first[1]),
    }
    steps = (
        Claim(
            "factor",
            log(Break(c, place, f).at(place * exp(x))),
            "==",
            defined(part.value),
            "(C/d)^(1/f) = exp(x/f): the logarithm of the factor is -c f softplus(x/f).",
        ),
        *(
            Claim(f"first_{name}", derivative, "==", defined(form), reason)
            for name, derivative, form, reason in zip(
                ("distance", "width"),
                first,
                part.first[1:],
                (
                    "softplus' is the share passed.",
                    "In log f the entropy of the share is left: log(1 + e^u) - u s = H.",
                ),
                strict=True,
            )
        ),
        *(
            Claim(
                f"second_{pair}",
                pairs[pair],
                "==",
                defined(form),
                "Differentiate once more, with s' = s (1 - s).",
            )
            for pair, form in part.second.items()
        ),
    )
    return Derivation(
        name="broken_power_law_in_logs",
        title="A break in logarithms",
        assumptions=("x = log C - log d real, f > 0, c of either sign; u = x/f, s = 1/(1 + e^-u)",),
        statement=(
            r"\log\left(1 + e^{u}\right)^{-cf} = -cf\log(1 + e^u), \qquad"
            r"\frac{\partial}{\partial \log f} = -cf\,\left(s\log(1 + e^{-u}) + (1 - s)\log(1 + e^u)\right)"
        ),
        steps=steps,
        source="Differentiation.",
        follows="A fit in c, log d and log f has an exact Hessian at every distance from the break.",
    )
