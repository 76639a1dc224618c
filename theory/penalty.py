"""The cost of training off the compute-optimal allocation.

All of it follows from the envelope: at compute C, move N to r N*(C) and D to whatever the budget
leaves. The penalty P = (L - E)/(L* - E) depends on the exponents and r alone: not on E, A, B or C.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sympy import (
    Add,
    Expr,
    Function,
    Integer,
    Mul,
    Pow,
    Symbol,
    exp,
    factorial,
    log,
    oo,
    sqrt,
)

from .data.notation import DEFAULT, Notation
from .envelope import (
    Envelope,
    derive,
    equal,
    exponent_equation,
    gather,
    optimum,
    product_of_powers,
    share_equations,
)
from .kernel import symbols as sym
from .kernel.bounds import ByBound
from .kernel.functions import expm1, log1p, phi2
from .kernel.rules import ByLeadingTerm
from .targets import Targets
from .theorem.step import Step
from .theorem.words import Definition, Formula, function, say
from .typeset.equations import Displayed, Line, Section

R, S, RHO = sym.SIZE_RATIO, sym.LOG_SIZE_RATIO, sym.RATIO
X = Symbol("x", real=True)

PENALTY = function("P")
EFFECTIVE = Symbol("C_eff", positive=True)
#: As equations print them.
P, OVERHEAD = Symbol("P", positive=True), Symbol("Delta C", positive=True)


@dataclass(frozen=True)
class Misallocation(Displayed):
    """The closed forms of the penalty of a two-term law under C = kappa N^a D^d.

    r is the size ratio N/N*(C), rho the overtraining ratio (D/N)/(D*/N*), s = log r.
    """

    envelope: Envelope

    @property
    def _weights(self) -> tuple[Expr, Expr]:
        w_n, w_d = self.envelope.shares
        return w_n, w_d

    @property
    def _exponents(self) -> tuple[Expr, Expr]:
        """beta, and the power of r with which the tokens term grows: gamma a/d."""
        params, tokens = self.envelope.form.terms
        return params.exponent, (tokens.exponent * self._slope).cancel()

    @property
    def _slope(self) -> Expr:
        """a/d: at fixed compute D/D* = r^-(a/d)."""
        budget = self.envelope.budget
        n, d = self.envelope.form.variables
        return (budget.exponent(n) / budget.exponent(d)).cancel()

    # -- fixed compute ---------------------------------------------------------------------------------------------

    @property
    def penalty(self) -> Expr:
        """P(r) = w_N r^-beta + w_D r^(gamma a/d)."""
        (w_n, w_d), (b, g) = self._weights, self._exponents
        return w_n * R**-b + w_d * R**g

    @property
    def size_ratio(self) -> Expr:
        """r as a function of rho at the same compute: rho^(-d/(a+d)), rho^(-1/2) under C = 6 N D."""
        return RHO ** (-1 / (1 + self._slope)).cancel()

    @property
    def ratio(self) -> Expr:
        """rho as a function of r at the same compute: r^(-(a+d)/d), r^-2 under C = 6 N D."""
        return R ** (-1 - self._slope)

    @property
    def log_size_ratio_of_run(self) -> Expr:
        """s = log r of a run at its own compute, from the ratio of the elasticities of the two terms
        in compute, which is 1 at the optimum.
        """
        budget, (b, g) = self.envelope.budget, self._exponents
        params, tokens = (
            term.exponent * term.expression / budget.exponent(term.variable)
            for term in self.envelope.form.terms
        )
        return log(tokens / params) / (b + g)

    @property
    def penalty_in_ratio(self) -> Expr:
        """P as a function of rho."""
        (w_n, w_d), (b, g) = self._weights, self._exponents
        power = (1 / (1 + self._slope)).cancel()
        return w_n * RHO ** (b * power).cancel() + w_d * RHO ** (-g * power).cancel()

    @property
    def excess(self) -> Expr:
        """P - 1 = s^2 (w_N b^2 phi2(-b s) + w_D g^2 phi2(g s)) with s = log r and g = gamma a/d,
        which does not cancel near r = 1.
        """
        (w_n, _), (b, g) = self._weights, self._exponents
        common = (w_n * b).cancel()
        return S**2 * common * (b * phi2(-b * S) + g * phi2(g * S))

    def series(self, order: int = 2) -> Expr:
        """Taylor polynomial of P in s = log r up to `order`."""
        return Add(*(self._taylor(n) * S**n for n in range(order + 1)))

    def series_in_ratio(self, order: int = 2) -> Expr:
        """Taylor polynomial of P in log rho up to `order`."""
        step = -(1 / (1 + self._slope)).cancel() * log(RHO)
        return Add(*(self._taylor(n) * step**n for n in range(order + 1)))

    def _taylor(self, n: int) -> Expr:
        (w_n, w_d), (b, g) = self._weights, self._exponents
        return ((w_n * (-b) ** n + w_d * g**n) / factorial(n)).factor()

    @property
    def overtrained_tail(self) -> Expr:
        """P ~ w_N r^-beta for r -> 0."""
        return self._weights[0] * R ** -self._exponents[0]

    @property
    def undertrained_tail(self) -> Expr:
        """P ~ w_D r^(gamma a/d) for r -> infinity."""
        return self._weights[1] * R ** self._exponents[1]

    # -- compute ---------------------------------------------------------------------------------------------------

    @property
    def effective_compute(self) -> Expr:
        """C_eff/C = P^(-1/alpha): the share of the compute with which the optimum has the same loss."""
        return Pow(self.penalty, -1 / self.envelope.exponent)

    @property
    def safe_effective_compute(self) -> Expr:
        """C_eff/C = exp(-log1p(P - 1)/alpha), which keeps the digits of log P."""
        return exp(-log1p(self.excess) / self.envelope.exponent)

    @property
    def lost_compute(self) -> Expr:
        """1 - C_eff/C = -expm1(-log1p(P - 1)/alpha), which does not cancel near r = 1."""
        return -expm1(-log1p(self.excess) / self.envelope.exponent)

    @property
    def tokens_factor(self) -> Expr:
        """k_D = D/D* that reaches L*(C) with N = r N*: ((1 - w_N r^-beta)/w_D)^(-1/gamma) (H. de
        Vries 2023).
        """
        w_n, w_d = self._weights
        params, tokens = self.envelope.form.terms
        return ((1 - w_n * R**-params.exponent) / w_d) ** (-1 / tokens.exponent)

    @property
    def compute_overhead(self) -> Expr:
        """r^a k_D^d - 1: the extra compute, relative to C, that reaches L*(C) with N = r N*."""
        budget = self.envelope.budget
        n, d = self.envelope.form.variables
        return R ** budget.exponent(n) * self.tokens_factor ** budget.exponent(d) - 1

    @property
    def overhead_gap(self) -> Expr:
        """q = (P - 1) r^(-gamma a/d) / w_D, so that the overhead is (1 - q)^(-d/gamma) - 1; q < 1
        above the critical size.
        """
        return self.excess * exp(-self._exponents[1] * S) / self._weights[1]

    @property
    def safe_overhead(self) -> Expr:
        """expm1(-(d/gamma) log1p(-q)): the overhead without cancellation near r = 1."""
        return expm1(-self._overhead_power * log1p(-self.overhead_gap))

    @property
    def distant_overhead(self) -> Expr:
        """The overhead through (1 - w_N r^-beta)/w_D, which is accurate away from r = 1, where q
        approaches 1.
        """
        _, g = self._exponents
        return expm1(self._overhead_power * (g * S - self._log_gap_complement))

    @property
    def _log_gap_complement(self) -> Expr:
        """log((1 - w_N r^-beta)/w_D) = log1p(-(w_N/w_D) expm1(-beta s)), which does not cancel near
        r = 1.
        """
        return log1p(-self.gap_ratio)

    @property
    def gap_ratio(self) -> Expr:
        """(w_N/w_D) (r^-beta - 1): where it reaches 1 the size is the critical one."""
        w_n, w_d = self._weights
        return (w_n / w_d).cancel() * expm1(-self._exponents[0] * S)

    @property
    def safe_tokens_factor(self) -> Expr:
        """k_D through log1p and expm1, which does not cancel near r = 1."""
        return exp(-self._log_gap_complement / self.envelope.form.terms[1].exponent)

    @property
    def _overhead_power(self) -> Expr:
        """d/gamma."""
        tokens = self.envelope.form.terms[1]
        return (self.envelope.budget.exponent(tokens.variable) / tokens.exponent).cancel()

    @property
    def critical_size_ratio(self) -> Expr:
        """k_crit = w_N^(1/beta): at or below k_crit N*(C) params no number of tokens reaches L*(C)."""
        return Pow(self._weights[0], 1 / self.envelope.form.terms[0].exponent)

    @property
    def critical_tokens_ratio(self) -> Expr:
        """w_D^(1/gamma): at or below that multiple of D*(C) no model size reaches L*(C)."""
        return Pow(self._weights[1], 1 / self.envelope.form.terms[1].exponent)

    # -- tolerance -------------------------------------------------------------------------------------------------

    @property
    def tolerance_half_width(self) -> Expr:
        """The half width in log r of the interval where P <= 1 + epsilon, to leading order: the root
        of epsilon over the second Taylor coefficient.
        """
        return sqrt(sym.TOLERANCE / self._taylor(2))

    # -- proofs ----------------------------------------------------------------------------------------------------

    def statements(self) -> list[Step]:
        """The steps that prove the closed forms."""
        return list(statements(self))

    @property
    def targets(self) -> Targets:
        """The closed forms for a target loss and for caps."""
        return Targets(self.envelope)

    @cached_property
    def named(self) -> Misallocation:
        """The family with the optimum, the exponent and the shares as names."""
        return Misallocation(self.envelope.named)

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The definitions of the names of the law, of its envelope and of a run off the optimum."""
        brief, (n, d) = self.named, self.envelope.form.variables
        return (
            *self.envelope.definitions,
            Definition(PENALTY(R), brief.penalty),
            Definition(EFFECTIVE, sym.C * PENALTY(R) ** (-1 / brief.envelope.exponent)),
            Definition(tokens_factor(d), brief.tokens_factor),
            Definition(critical(n), brief.critical_size_ratio * brief.envelope.optimum(n)),
            Definition(critical(d), brief.critical_tokens_ratio * brief.envelope.optimum(d)),
        )

    def check_spelling(self, spelling: Notation) -> None:
        """Raise ValueError if the notation would rename the law's own letters."""
        self.envelope.check_spelling(spelling)

    def sections(self, spelling: Notation = DEFAULT) -> list[Section]:
        """The printed equations: ratios, penalty, effective compute, overhead, critical sizes, shares."""
        brief, (n, d) = self.named, self.envelope.form.variables
        envelope, (n_star, d_star) = self.envelope, brief.envelope.allocation
        k_d, size = tokens_factor(d), (n, "=", R * n_star)
        ratios = (
            Formula.equal(R, n / n_star),
            Formula.equal(RHO, _over(d / n, d_star / n_star), self.ratio),
        )
        tails = (
            Formula((P, brief.overtrained_tail), ("~",), (Formula.of(R, "->", 0),)),
            Formula((P, brief.undertrained_tail), ("~",), (Formula.of(R, "->", oo),)),
        )
        penalty: list[Line] = [
            ratios,
            (Formula.equal(Function("P")(R), _loss_ratio(envelope), brief.penalty),),
            (Formula.equal(Function("P")(RHO), brief.penalty_in_ratio),),
            (Formula.equal(P - 1, self.excess),),
            (Formula.equal(S, log(R)), Formula.equal(phi2(X), phi2(X).definition())),
            (Formula.equal(P, self.series(4), remainder=S**5),),
            (Formula.equal(P, self.series_in_ratio(2), remainder=log(RHO) ** 3),),
            tails,
        ]
        effective = brief.effective_compute.xreplace({brief.penalty: P})
        overhead = brief.compute_overhead.xreplace({brief.tokens_factor: k_d})
        above_critical = Formula.of(R, ">", brief.critical_size_ratio)
        made_up: list[Line] = [
            (Formula((k_d, brief.tokens_factor), ("=",), (above_critical,)),),
            (Formula.equal(OVERHEAD / sym.C, overhead),),
        ]
        out_of_reach = (
            Formula.equal(critical(n) / n_star, brief.critical_size_ratio),
            Formula.equal(critical(d) / d_star, brief.critical_tokens_ratio),
        )
        shares = (
            exponent_equation(envelope, brief.envelope),
            *share_equations(envelope, brief.envelope, DEFAULT),
        )
        loss = say("The loss {} with {} and {}, ", optimum(sym.L), size, (d, "=", k_d * d_star))
        return [
            (say("Penalty of {} at the same compute {}", size, sym.C), penalty),
            (
                "Compute that reaches the same loss on the envelope",
                [(Formula.equal(EFFECTIVE / sym.C, effective),)],
            ),
            (loss + "and the extra compute that it takes", made_up),
            ("Sizes at and below which that loss is out of reach", [out_of_reach]),
            ("Exponent of the envelope and shares of the terms", [shares]),
        ]


def misallocation(envelope: Envelope | None = None) -> Misallocation:
    """The penalty family of a two-term envelope (by default L = E + A N^-beta + B D^-gamma under C
    = 6 N D).

    Raises
    ------
    ValueError
        If the law does not have two terms.
    """
    envelope = derive() if envelope is None else envelope
    if len(envelope.form.terms) != 2:
        raise ValueError(
            f"envelope: has {len(envelope.form.terms)} terms; r alone fixes the allocation for two"
        )
    return Misallocation(envelope)


def _over(above: Expr, below: Expr) -> Expr:
    """A fraction of two fractions, not simplified."""
    return Mul(above, Pow(below, -1, evaluate=False), evaluate=False)


def _loss_ratio(envelope: Envelope) -> Expr:
    """(L - E)/(L* - E), or R/R* if the law is not E + R."""
    offset = envelope.form.outer - sym.REDUCIBLE
    if sym.REDUCIBLE in offset.free_symbols:
        return sym.REDUCIBLE / optimum(sym.REDUCIBLE)
    return (sym.L - offset) / (optimum(sym.L) - offset)


# -- names and statements --------------------------------------------------------------------------


def tokens_factor(variable: Symbol) -> Symbol:
    """k_D: the multiple of D* with which a run of another size reaches the optimal loss."""
    return Symbol(f"k_{variable}", positive=True)


def critical(variable: Symbol) -> Symbol:
    """N_crit or D_crit: where one term alone is the reducible loss of the optimum."""
    return Symbol(f"{variable}_crit", positive=True)


def statements(m: Misallocation) -> Iterator[Step]:
    """The steps in the closed forms of `m`, or in its names if `m` is a named family."""
    yield from _penalty_steps(m)
    yield from _expansion_steps(m)
    yield from _compute_steps(m)
    yield from _overhead_steps(m)
    yield from m.targets.steps()


def _penalty_steps(m: Misallocation) -> Iterator[Step]:
    """The penalty of a run with r N* params and the tokens that the budget leaves."""
    envelope, loss = m.envelope, function("R")
    budget, (n, d) = envelope.budget, envelope.form.variables
    (w_n, w_d), (b, g) = m._weights, m._exponents
    n_star, d_star = envelope.allocation
    moved = {n: R * n_star, d: R**-m._slope * d_star}
    with_ratio = (m.size_ratio * n_star, RHO * m.size_ratio * d_star)
    powers = [Integer(1), *(budget.exponent(x) for x in moved)]
    w, defined = m.named.envelope.shares, {"where": envelope.definitions}
    yield equal(
        "budget_kept",
        (product_of_powers([budget.coefficient, *moved.values()], powers), sym.C),
        say("The powers of {} cancel, and the optimum spends the budget:", R),
    )
    yield equal(
        "penalty",
        (loss(*moved.values()) / loss(n_star, d_star), m.penalty),
        say(
            "Each term is its share {} or {} of the least reducible loss, times the power of {} by "
            "which it moved:",
            *w,
            R,
        ),
        **defined,
    )
    yield equal("shares_cancel", (b * w_n, g * w_d), "The exponents times their weights agree:")
    yield Step(
        "penalty_at_least_one",
        m.penalty,
        ">=",
        Integer(1),
        say("Weighted AM-GM for the two terms with the weights {} and {}; ", *w)
        + say("by {shares_cancel} the powers of {} cancel in the geometric mean:", R),
        ByBound(mean=True),
        through=(product_of_powers([R**-b, R**g], [w_n, w_d]),),
    )
    yield equal(
        "equality",
        (_over(R**g, R**-b), R ** (b + g)),
        say(
            "Equality holds where the two terms over their weights agree; their quotient is 1 where "
            "{} is 1, and only there:",
            R,
        ),
    )
    yield equal(
        "ratio",
        (_over(moved[d], moved[n]), m.ratio * gather(d_star / n_star)),
        say("The tokens per parameter change by the factor {}:", m.ratio),
    )
    yield equal(
        "penalty_in_ratio",
        (loss(*with_ratio) / loss(n_star, d_star), m.penalty_in_ratio),
        say("In terms of {} the size ratio is {}:", RHO, (R, "=", m.size_ratio)),
        **defined,
    )


def _expansion_steps(m: Misallocation) -> Iterator[Step]:
    """The excess and the Taylor series near the optimum, and the tails far from it."""
    n, d = m.envelope.form.variables
    in_s = m.penalty.subs(R, exp(S))
    derivative = in_s.diff(S)
    yield equal(
        "excess",
        (in_s - 1, m.excess),
        say("The terms of order 0 and 1 in {} cancel; what is left is a sum of positive terms:", S),
    )
    for name, tail, end, x in (
        ("overtrained_tail", m.overtrained_tail, Integer(0), n),
        ("undertrained_tail", m.undertrained_tail, oo, d),
    ):
        reason = say("For {} the {} term dominates:", (R, "->", end), x)
        yield Step(name, m.penalty, "~", tail, reason, ByLeadingTerm(R, str(end)))
    for order in (2, 3, 4):
        derivative = derivative.diff(S)
        yield equal(
            f"series_{order}",
            (derivative.subs(S, 0) / factorial(order), m.series(order).coeff(S, order)),
            say(f"The Taylor coefficient of order {order} in {{}}:", (S, "=", log(R))),
        )


def _compute_steps(m: Misallocation) -> Iterator[Step]:
    """The effective compute, the critical sizes, and the compute that reaches a loss."""
    envelope, (n_star, d_star) = m.envelope, m.envelope.allocation
    (params, tokens), least = envelope.form.terms, envelope.reducible
    share = m.effective_compute.subs(R, exp(S))
    yield equal(
        "lost_compute",
        (1 - share, m.lost_compute),
        say("One less a power is {} of minus a logarithm:", expm1(X)),
    )
    yield equal(
        "safe_effective_compute",
        (share, m.safe_effective_compute),
        say("The logarithm of the penalty is {} of its excess:", log1p(X)),
    )
    yield equal(
        "effective_compute",
        (least.subs(sym.C, sym.C * m.effective_compute), m.penalty * least),
        say("The reducible loss of the optimum falls as {}:", sym.C**-m.named.envelope.exponent),
    )
    for name, term, ratio, best in (
        ("critical_size", params, m.critical_size_ratio, n_star),
        ("critical_tokens", tokens, m.critical_tokens_ratio, d_star),
    ):
        x = term.variable
        yield equal(
            name,
            (term.expression.subs(x, ratio * best), least),
            say("At {} the term of {} alone is the least reducible loss:", critical(x), x),
        )
    at_shares = {
        term.variable: (term.coefficient / (share * sym.REDUCIBLE)) ** (1 / term.exponent)
        for term, share in zip(envelope.form.terms, envelope.shares, strict=True)
    }
    yield equal(
        "compute_for_reducible",
        (envelope.budget.compute(at_shares), envelope.compute_for_reducible),
        say(
            "The compute of the params and tokens whose terms are their shares of {}:",
            sym.REDUCIBLE,
        ),
    )


def _overhead_steps(m: Misallocation) -> Iterator[Step]:
    """The tokens and the compute with which r N* params reach the optimal loss, above N_crit."""
    envelope, loss = m.envelope, function("R")
    (n, d), (n_star, d_star) = envelope.form.variables, envelope.allocation
    (w_n, w_d), (b, g) = m._weights, m._exponents
    left = 1 - w_n * R**-b
    reached = {n: R * n_star, d: m.tokens_factor * d_star}
    yield equal(
        "above_critical",
        (w_n * R**-b, (m.critical_size_ratio * n_star / (R * n_star)) ** b),
        say(
            "So the term of {} takes less than the whole where {} exceeds {}:",
            n,
            R * n_star,
            critical(n),
        ),
    )
    yield equal(
        "tokens_factor",
        (loss(*reached.values()), loss(n_star, d_star)),
        say("The term of {} takes what that of {} leaves of the least loss:", d, n),
        assume=(left,),
        where=envelope.definitions,
    )
    yield equal(
        "compute_overhead",
        (envelope.budget.compute(reached) / sym.C - 1, m.compute_overhead),
        say("The compute of that run over {}, less 1:", sym.C),
        assume=(left,),
    )
    yield Step(
        "never_cheaper",
        1 + m.compute_overhead,
        ">=",
        Integer(1),
        say("By {penalty_at_least_one}, {} is at most {}; ", left, w_d * R**g)
        + say("the larger it is, the smaller is {}, and ", tokens_factor(d))
        + "where the two agree the product is 1:",
        ByBound(),
        assume=(left,),
    )
    for name, form, safe, reason in (
        (
            "safe_overhead",
            *(m.compute_overhead, m.safe_overhead),
            "The gap to the critical size, through the excess of the penalty:",
        ),
        (
            "distant_overhead",
            *(m.compute_overhead, m.distant_overhead),
            "The same through its definition:",
        ),
        (
            "safe_tokens_factor",
            *(m.tokens_factor, m.safe_tokens_factor),
            "The gap to the critical size, through the two safe functions:",
        ),
    ):
        yield equal(name, (form.subs(R, exp(S)), safe), reason, assume=(left.subs(R, exp(S)),))
