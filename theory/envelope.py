"""The compute-optimal envelope of a law under a monomial budget, derived and proved in closed form.

For R = sum_i A_i x_i^-b_i and C = kappa prod_i x_i^c_i the logarithm of the balance condition b_i
T_i / c_i = const is linear in the log x_i; one linear solve gives the optimum. It is a geometric
programme of degree of difficulty 0 (Duffin, Peterson and Zener 1967, Geometric Programming); two
terms under C = 6 N D is the case of Hoffmann et al. 2022, arXiv 2203.15556.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from sympy import Add, Expr, Integer, Mul, Pow, Symbol, factor_terms, latex, log

from . import symbols as sym
from .budget import SIX_ND, Budget
from .law import PARAMS_TOKENS, LawForm
from .proof.claim import ByWeightedAmGm, Claim, Derivation


@dataclass(frozen=True)
class Envelope:
    """The optimum of a law under a budget, as closed forms in the compute C, each with the claim
    that proves it.

    Attributes
    ----------
    form, budget
        What was optimised and under which constraint.
    allocation : tuple of sympy.Expr
        x_i*(C), in the order of `form.variables`.
    exponent : sympy.Expr
        alpha, with 1/alpha = sum c_i/b_i.
    coefficient : sympy.Expr
        C0 = kappa^alpha prod (A_i/w_i)^w_i, so that R*(C) = C0 C^-alpha.
    shares : tuple of sympy.Expr
        w_i = alpha c_i/b_i, the constant share of term i in the optimal reducible loss.
    """

    form: LawForm
    budget: Budget
    allocation: tuple[Expr, ...]
    exponent: Expr
    coefficient: Expr
    shares: tuple[Expr, ...]

    @property
    def reducible(self) -> Expr:
        """R*(C) = C0 C^-alpha."""
        return self.coefficient * sym.C**-self.exponent

    @property
    def loss(self) -> Expr:
        """L*(C) = h(C0 C^-alpha); E + C0 C^-alpha for the default form."""
        return self.form.loss_at(self.reducible)

    def optimum(self, variable: Symbol) -> Expr:
        """x*(C) of one variable."""
        if variable not in self.form.variables:
            raise ValueError(
                f"variable={variable}: the law's variables are "
                f"{', '.join(map(str, self.form.variables))}"
            )
        return self.allocation[self.form.variables.index(variable)]

    @property
    def params(self) -> Expr:
        """N*(C)."""
        return self.optimum(sym.N)

    @property
    def tokens(self) -> Expr:
        """D*(C)."""
        return self.optimum(sym.D)

    @cached_property
    def tokens_per_param(self) -> Expr:
        """D*(C)/N*(C) in one power of C."""
        return gather(self.tokens / self.params)

    @property
    def compute_for_reducible(self) -> Expr:
        """C*(R) = (C0/R)^(1/alpha), the least compute that reaches the reducible loss R."""
        return (self.coefficient / sym.REDUCIBLE) ** (1 / self.exponent)

    def compute_where(self, variable: Symbol, bound: Expr) -> Expr:
        """The compute at which x*(C) reaches `bound`: beyond it a cap on that variable binds."""
        term = self.form.terms[self.form.variables.index(variable)]
        power = self.exponent / term.exponent
        at_one = self.optimum(variable).subs(sym.C, Integer(1))
        return gather((bound / at_one) ** (1 / power).cancel())

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """Every statement about this envelope by name, with its proof."""
        return {claim.name: claim for claim in _claims(self)}

    @property
    def derivation(self) -> Derivation:
        """The claims in the order of the argument."""
        return Derivation(
            name="compute_optimal_envelope",
            title="The compute law is the compute-optimal envelope",
            assumptions=(
                f"L = {self.form.loss} with positive coefficients and exponents",
                f"{self.budget} with {', '.join(map(str, self.form.variables))} positive reals",
            ),
            statement=rf"\min_{{{latex(self.budget.compute())} = C}} L = "
            rf"{latex(self.form.loss_at(sym.C0 * sym.C**-sym.ALPHA))}",
            steps=tuple(self.claims.values()),
            source=(
                "Hoffmann et al. 2022 (arXiv 2203.15556) for the allocation; Schaeffer et al. 2025 "
                "(arXiv 2509.24012) for the "
                "compute law as envelope; Duffin, Peterson and Zener 1967 for the dual that proves "
                "the global minimum."
            ),
            follows="The misallocation penalty, effective compute, overhead and the corner "
            "solutions.",
        )

    def to_latex(self, *, notation: str = "schaeffer") -> str:
        """The theorem as a LaTeX align block in the chosen notation."""
        from .typeset.latex import envelope_latex

        return envelope_latex(self, notation=notation)

    def _repr_latex_(self) -> str:
        return "$\\displaystyle " + latex(self.loss) + "$"

    def __str__(self) -> str:
        from .typeset.text import envelope_text

        return envelope_text(self)


def derive(form: LawForm = PARAMS_TOKENS, budget: Budget = SIX_ND) -> Envelope:
    """Derive the compute-optimal envelope of a law under a monomial budget.

    Parameters
    ----------
    form : LawForm
        h(sum_i A_i x_i^-b_i); by default L = E + A N^-beta + B D^-gamma.
    budget : Budget
        C = kappa prod_i x_i^c_i in the same variables; by default C = 6 N D.

    Returns
    -------
    Envelope
        x_i*(C), alpha, C0, the loss on the envelope and the shares; `envelope.claims` holds the
        proofs.

    Raises
    ------
    ValueError
        Where law and budget do not share their variables.

    Examples
    --------
    >>> envelope = derive()
    >>> print(envelope.exponent)
    beta*gamma/(beta + gamma)
    >>> all(claim.prove().proved for claim in envelope.claims.values())
    True
    """
    if set(form.variables) != set(budget.variables):
        raise ValueError(
            f"budget={budget}: its variables must be those of the law, "
            f"{', '.join(map(str, form.variables))}"
        )
    return _derived(form, budget)


@lru_cache(maxsize=64)
def _derived(form: LawForm, budget: Budget) -> Envelope:
    """Law and budget are immutable, so the envelope with its proved claims is worked out once."""
    powers = [budget.exponent(term.variable) for term in form.terms]
    exponents = [term.exponent for term in form.terms]
    exponent = (
        1 / Add(*(c / b for c, b in zip(powers, exponents, strict=True))).together()
    ).cancel()
    shares = tuple((exponent * c / b).cancel() for c, b in zip(powers, exponents, strict=True))
    balance = [
        b * term.coefficient / c for c, b, term in zip(powers, exponents, form.terms, strict=True)
    ]
    allocation = tuple(
        _optimum(i, exponents[i], balance, shares, exponent, budget) for i in range(len(form.terms))
    )
    weighted = [
        Pow(factor_terms((term.coefficient / w).cancel()), w)
        for term, w in zip(form.terms, shares, strict=True)
    ]
    coefficient = Mul(Pow(budget.coefficient, exponent), *weighted)
    return Envelope(form, budget, allocation, exponent, coefficient, shares)


def _optimum(
    i: int,
    exponent_i: Expr,
    balance: list[Expr],
    shares: tuple[Expr, ...],
    alpha: Expr,
    budget: Budget,
) -> Expr:
    """x_i* = (C/kappa)^(alpha/b_i) prod_j q_j^((delta_ij - w_j)/b_i) with q_j = b_j A_j / c_j.

    The solution of log q_i - b_i log x_i = log tau for all i and sum c_i log x_i = log(C/kappa).
    """
    factors = [
        Pow(q, ((Integer(i == j) - w) / exponent_i).cancel())
        for j, (q, w) in enumerate(zip(balance, shares, strict=True))
    ]
    return gather(Mul(Pow(sym.C / budget.coefficient, (alpha / exponent_i).cancel()), *factors))


def gather(expression: Expr) -> Expr:
    """A monomial with one power for each group of bases that share an exponent up to its sign."""
    exponents: dict[Expr, Expr] = {}
    for factor in Mul.make_args(
        expression.expand(power_base=True, power_exp=False, mul=False, log=False, basic=False)
    ):
        base, exponent = factor.as_base_exp()
        for part in Mul.make_args(base):
            inner, power = part.as_base_exp()
            exponents[inner] = exponents.get(inner, Integer(0)) + power * exponent
    groups: dict[Expr, Expr] = {}
    for base, total in exponents.items():
        exponent = total.together().cancel().factor()
        if exponent.could_extract_minus_sign():
            base, exponent = 1 / base, -exponent
        groups[exponent] = groups.get(exponent, Integer(1)) * base
    return Mul(*(Pow(base, exponent) for exponent, base in groups.items()))


def _claims(envelope: Envelope) -> list[Claim]:
    form, budget, alpha = envelope.form, envelope.budget, envelope.exponent
    terms = form.terms
    at_optimum = dict(zip(form.variables, envelope.allocation, strict=True))
    optimal_terms = [
        term.expression.subs(term.variable, at_optimum[term.variable]) for term in terms
    ]
    reducible = envelope.reducible
    claims = [
        Claim(
            "budget",
            budget.compute(at_optimum),
            "==",
            sym.C,
            "The allocation spends exactly the budget.",
        ),
        Claim(
            "exponent",
            1 / alpha,
            "==",
            Add(*(budget.exponent(t.variable) / t.exponent for t in terms)),
            "The reciprocal exponents add up, each weighted by the variable's power in the budget.",
        ),
    ]
    for term, value, share in zip(terms, optimal_terms, envelope.shares, strict=True):
        x, c = term.variable, budget.exponent(term.variable)
        claims.append(
            Claim(
                f"balance_{x}",
                term.exponent * value / c,
                "==",
                alpha * reducible,
                f"Balance: exponent times term, over the power of {x} in the budget, is alpha R* "
                f"for every term.",
            )
        )
        elasticity = (x * form.reducible.diff(x)).subs(list(at_optimum.items()), simultaneous=True)
        claims.append(
            Claim(
                f"stationarity_{x}",
                elasticity,
                "==",
                -alpha * c * reducible,
                f"Stationarity in log {x} along the budget; the Lagrange multiplier is alpha R*.",
            )
        )
        claims.append(
            Claim(
                f"share_{x}",
                value / reducible,
                "==",
                share,
                f"The {x} term's share of R* is the same at every C.",
            )
        )
    claims.append(
        Claim("shares_sum", Add(*envelope.shares), "==", Integer(1), "The shares add up to one.")
    )
    claims.append(
        Claim(
            "envelope",
            Add(*optimal_terms),
            "==",
            reducible,
            "R at the optimum is a power law of compute: R* = C0 C^-alpha.",
        )
    )
    claims.append(
        Claim(
            "global_minimum",
            form.reducible,
            ">=",
            reducible.subs(sym.C, budget.compute()),
            "Weighted AM-GM with the shares as weights: for every choice of the variables R is at "
            "least C0 C^-alpha at its own "
            "compute, with equality only where T_i/w_i agree, that is at the optimum.",
            ByWeightedAmGm(tuple(term.expression for term in terms), envelope.shares),
        )
    )
    if set(form.variables) == {sym.N, sym.D}:
        claims.append(
            Claim(
                "tokens_per_param",
                envelope.tokens / envelope.params,
                "==",
                envelope.tokens_per_param,
                "The optimal number of tokens per parameter is a single power of compute.",
            )
        )
    return claims


def log_slope(expression: Expr, variable: Symbol = sym.C) -> Expr:
    """dlog(expression)/dlog(variable)."""
    return (variable * log(expression).diff(variable)).expand().cancel()
