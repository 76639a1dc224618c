"""At prices p and q the cheapest run has pN/(qD) = beta T_N/(gamma T_D); for beta = gamma it has a closed form."""

from __future__ import annotations

from sympy import Add, Integer

from isoflop.theory import symbols as sym
from isoflop.theory.economics import PRICE_D, PRICE_N, ces_cost, ces_inputs
from isoflop.theory.law import PARAMS_TOKENS, LawForm, Term
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByWeightedAmGm
from isoflop.theory.proof.claim import Claim, Derivation


def derivation() -> Derivation:
    """The first-order condition; for one exponent the cheapest inputs, their cost, Shephard's lemma and Hoelder's bound."""
    m, b = misallocation(), sym.BETA
    contour, p, q = m.iso_loss_tokens, PRICE_N, PRICE_D
    bill = p * sym.N + q * contour
    spent, target = p * sym.N + q * sym.D, sym.REDUCIBLE
    equal = LawForm((Term(sym.A, sym.N, b), Term(sym.B, sym.D, b)))
    (t_n, t_d), law = (term.expression for term in equal.terms), equal.reducible
    inputs = dict(zip((sym.N, sym.D), ces_inputs(), strict=True))
    cost = ces_cost()
    theta = b / (1 + b)
    hoelder, bounds = [], []
    for name, price, term in (("params", p, equal.terms[0]), ("tokens", q, equal.terms[1])):
        bill_share, loss_share = (
            theta * price * term.variable / spent,
            term.expression / law / (1 + b),
        )
        bound = (
            price**theta * term.coefficient ** (1 / (1 + b)) * spent**-theta * law ** (-1 / (1 + b))
        )
        reason = f"Weighted AM-GM for {name}: with theta = beta/(1+beta) the amount cancels from the geometric mean."
        means = ByWeightedAmGm((bill_share, loss_share), (theta, 1 / (1 + b)))
        hoelder.append(
            Claim(f"hoelder_{name}", bill_share + loss_share, ">=", bound, reason, means)
        )
        bounds.append(bound)
    steps = (
        Claim(
            "first_order",
            sym.N * bill.diff(sym.N),
            "==",
            (p * sym.N + q * sym.D * m.iso_loss_slope).subs(sym.D, contour),
            "N d(p N + q D)/dN = p N - q D beta T_N/(gamma T_D) on the contour: zero where p N/(q D) = beta T_N/(gamma T_D).",
            assume=(target - PARAMS_TOKENS.terms[0].expression,),
        ),
        Claim(
            "reaches_target",
            law.subs(inputs),
            "==",
            target,
            "For beta = gamma the inputs reach R ...",
        ),
        Claim(
            "bill",
            spent.subs(inputs),
            "==",
            cost,
            "... and cost R^(-1/beta) Z^((1+beta)/beta), Z = A^(1/(1+beta)) p^(beta/(1+beta)) + B^(1/(1+beta)) "
            "q^(beta/(1+beta)).",
        ),
        Claim(
            "condition_holds",
            (p * sym.N / (q * sym.D)).subs(inputs),
            "==",
            (t_n / t_d).subs(inputs),
            "They satisfy the first-order condition.",
        ),
        Claim(
            "shephard",
            cost.diff(p),
            "==",
            inputs[sym.N],
            "The cost rises with the price of params by N, as Shephard's lemma says.",
        ),
        *hoelder,
        Claim(
            "left_sides_add_up",
            Add(*(claim.lhs for claim in hoelder)),
            "==",
            Integer(1),
            "The two left sides add up to 1 ...",
        ),
        Claim(
            "right_sides_add_up",
            Add(*bounds),
            "==",
            (cost.subs(target, law) / spent) ** theta,
            "... and the right sides to the power theta of the least cost over p N + q D: no run with the same loss costs less.",
        ),
    )
    return Derivation(
        name="linear_prices",
        title="Least cost at linear prices",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma with positive coefficients and exponents",
            "cost p N + q D with p, q > 0, reducible loss R fixed",
        ),
        statement=r"\frac{pN}{qD} = \frac{\beta T_N}{\gamma T_D};\qquad \beta=\gamma:\; \min(pN+qD) = "
        r"R^{-1/\beta}\bigl[A^{\frac1{1+\beta}}p^{\frac\beta{1+\beta}} + "
        r"B^{\frac1{1+\beta}}q^{\frac\beta{1+\beta}}\bigr]^{\frac{1+\beta}\beta}",
        steps=steps,
        source="Cost function of a CES technology; Hoelder's inequality.",
        follows="Prices outside the product form, such as data bought once, keep a closed form for equal exponents.",
    )
