"""The compute-optimal envelope of a law under a monomial budget, derived and proved in closed form.

For R = sum_i A_i x_i^-b_i and C = kappa prod_i x_i^c_i the logarithm of the balance condition b_i
T_i / c_i = const is linear in the log x_i; one linear solve gives the optimum. This is a geometric
programme of degree of difficulty 0 (Duffin, Peterson and Zener 1967, Geometric Programming); two
terms under C = 6 N D are the case of Hoffmann et al. 2022, arXiv 2203.15556.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from sympy import Add, Expr, Function, Integer, Mul, Pow, Symbol, factor_terms

from .budget import SIX_ND, Budget
from .data.notation import DEFAULT, SCHAEFFER, Notation
from .kernel import symbols as sym
from .kernel.bounds import ByBound
from .law import PARAMS_TOKENS, LawForm
from .theorem.step import Step
from .theorem.words import (
    Definition,
    Formula,
    Sentence,
    all_positive,
    function,
    in_paper_order,
    listed,
    say,
)
from .typeset.equations import Displayed, Line, Section


@dataclass(frozen=True)
class Envelope(Displayed):
    """The optimum of a law under a budget, as closed forms in the compute C, each proved by a step.

    Attributes
    ----------
    form, budget
        The law and the constraint.
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

    def statements(self) -> list[Step]:
        """The steps that prove the closed forms."""
        return list(_claims(self))

    @cached_property
    def named(self) -> Envelope:
        """The envelope with its optimum, exponent, coefficient and shares as names, as a paper writes
        it.
        """
        return Envelope(
            self.form,
            self.budget,
            tuple(optimum(x) for x in self.form.variables),
            self.fresh(
                *(("alpha", "alpha_C") if self.has_usual_letters else ()),
                "alpha_0",
                "alpha_env",
            ),
            self.fresh(*(("C0",) if self.has_usual_letters else ()), "K", "K_0"),
            tuple(Symbol(f"w_{x}", positive=True) for x in self.form.variables),
        )

    @property
    def has_usual_letters(self) -> bool:
        """Whether the law is one of params or tokens, so that the usual letters are used."""
        return bool({sym.N, sym.D} & set(self.form.variables))

    @property
    def functions(self) -> tuple[Expr, Expr]:
        """The names of the loss and of its reducible part: L(N, D) and R(N, D), or F and S for others."""
        names = ("L", "R") if self.has_usual_letters else ("F", "S")
        loss, reducible = (function(name)(*self.form.variables) for name in names)
        return loss, reducible

    def fresh(self, *names: str) -> Symbol:
        """The first of the names that occurs neither in the law nor in the budget."""
        taken = {x.name for x in self.form.loss.free_symbols | self.budget.compute().free_symbols}
        return next(Symbol(name, positive=True) for name in names if name not in taken)

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """The definitions of the names of the law and of its envelope."""
        brief, form = self.named, self.form
        loss, reducible = self.functions
        return (
            Definition(reducible, form.reducible),
            Definition(loss, form.loss),
            Definition(brief.exponent, self.exponent),
            *map(Definition, brief.shares, self.shares),
            Definition(brief.coefficient, self.coefficient_in_names),
            *map(Definition, brief.allocation, self.allocation),
        )

    @property
    def coefficient_in_names(self) -> Expr:
        """kappa^alpha prod (A_i/w_i)^w_i with alpha and the shares by name."""
        brief, terms = self.named, self.form.terms
        factors = (Pow(t.coefficient / w, w) for t, w in zip(terms, brief.shares, strict=True))
        return Mul(Pow(self.budget.coefficient, brief.exponent), *factors)

    @property
    def assumptions(self) -> tuple[Sentence, ...]:
        """The sentences that introduce the law and the budget with their letters."""
        form, budget = self.form, self.budget
        loss, reducible = self.functions
        limit = {form.irreducible} if form.irreducible in form.loss.free_symbols else set()
        constants = (form.loss.free_symbols | budget.compute().free_symbols) - {*form.variables}
        if form.variables == (sym.N, sym.D):
            law = say("A model with {} params trained on {} tokens, ", sym.N, sym.D)
            law += all_positive(form.variables) + ", has "
        else:
            law = say("For ") + all_positive(form.variables) + " let there be "
        law += say("the loss {} with ", (loss, "=", form.loss_at(reducible)))
        law += say("the reducible loss {}", (reducible, "=", form.reducible))
        if constants - limit:
            law += ", where " + all_positive(in_paper_order(constants - limit))
        if limit:
            law += say(" and the irreducible loss is {}", (form.irreducible, ">=", 0))
        compute = say(
            "The compute is {}, with {}.", (sym.C, "=", budget.compute()), (sym.C, ">", 0)
        )
        return law + ".", compute

    def check_spelling(self, spelling: Notation) -> None:
        """Refuse a notation that would rename alpha, beta or gamma where they mean something else.

        Raises
        ------
        ValueError
            If one of these letters is not the exponent of its usual term.
        """
        if spelling == SCHAEFFER:
            return
        home = {sym.BETA: sym.N, sym.GAMMA: sym.D}
        parts = [
            (t.variable, t.exponent.free_symbols | t.coefficient.free_symbols)
            for t in self.form.terms
        ]
        parts += [(None, self.budget.compute().free_symbols | self.form.outer.free_symbols)]
        for variable, symbols in parts:
            for symbol in sorted(symbols & {sym.BETA, sym.GAMMA, sym.ALPHA}, key=str):
                if variable is None or home.get(symbol) != variable:
                    place = "outside its term" if variable is None else f"in the {variable} term"
                    raise ValueError(
                        f"notation={spelling.name!r}: respells laws with exponents beta on N and "
                        f"gamma on D; here {symbol} stands {place}"
                    )

    def sections(self, spelling: Notation = DEFAULT) -> list[Section]:
        """The printed equations: law, budget, optimum, exponent, shares, coefficient and loss, in
        names where that is shorter.
        """
        form, brief = self.form, self.named
        loss = Formula.equal(Function("L")(*form.variables), form.loss)
        lines: list[Line] = [(loss,), (Formula.equal(sym.C, self.budget.compute()),)]
        if not form.is_sum:
            lines.append((Formula.equal(Function("R")(*form.variables), form.reducible),))
        allocation = zip(brief.allocation, _printed_allocation(self, brief), strict=True)
        lines += [(Formula.equal(*sides),) for sides in allocation]
        if set(form.variables) == {sym.N, sym.D}:
            lines.append((Formula.equal(brief.tokens_per_param, self.tokens_per_param),))
        lines.append((exponent_equation(self, brief),))
        lines.append(share_equations(self, brief, spelling))
        constant = self.coefficient
        constant = constant if constant.is_number else self.coefficient_in_names
        lines.append((Formula.equal(brief.coefficient, constant),))
        if not form.is_sum:  # alpha and C0 belong to R*, not to the loss
            lines.append((Formula.equal(optimum(sym.REDUCIBLE), brief.reducible),))
        least = (optimum(sym.L), brief.loss, *_as_power_of_compute(self, brief))
        return [("Compute-optimal envelope", [*lines, (Formula.equal(*least),)])]

    def __str__(self) -> str:
        return self.text(proofs=True)


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
        If law and budget have different variables.

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
    """The envelope, computed once for each law and budget."""
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
    """The monomial with one power for each group of bases whose exponents agree up to sign."""
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


def optimum(variable: Symbol) -> Expr:
    """The name x*(C) of an optimum, as a positive function of C."""
    return function(f"{variable}_opt")(sym.C)


def equal(name: str, sides: tuple[Expr, Expr], reason: str | Sentence, **more: Any) -> Step:
    """The step that two sides are equal."""
    lhs, rhs = sides
    return Step(name, lhs, "==", rhs, say(reason) if isinstance(reason, str) else reason, **more)


def _claims(envelope: Envelope) -> Iterator[Step]:
    form, budget, alpha = envelope.form, envelope.budget, envelope.exponent
    terms, shares, names = form.terms, envelope.shares, envelope.named
    powers = [budget.exponent(term.variable) for term in terms]
    each = "" if all(c == 1 for c in powers) else ", each times that of the budget"
    reciprocals = (c / term.exponent for c, term in zip(powers, terms, strict=True))
    yield equal(
        "shares_sum",
        (Add(*shares), Integer(1)),
        "The shares of the terms in the reducible loss sum to one:",
    )
    yield equal(
        "exponent",
        (1 / alpha, Add(*reciprocals)),
        f"The reciprocals of the exponents add up{each}:",
    )
    for term, share, c in zip(terms, shares, powers, strict=True):
        yield equal(
            f"power_{term.variable}",
            (term.exponent * share, alpha * c),
            say("The exponent of {} times the share of its term:", term.variable),
        )
    yield _global_minimum(envelope)
    at_optimum = dict(zip(form.variables, envelope.allocation, strict=True))
    for term, share, reason in zip(terms, shares, _reasons_at_optimum(names), strict=True):
        x = term.variable
        yield equal(
            f"share_{x}",
            (term.expression.subs(x, at_optimum[x]), share * envelope.reducible),
            reason,
        )
    yield equal(
        "budget",
        (budget.compute(at_optimum), sym.C),
        "This point spends exactly the budget:",
    )
    optimal_terms = [t.expression.subs(t.variable, at_optimum[t.variable]) for t in terms]
    yield equal(
        "envelope",
        (Add(*optimal_terms), envelope.reducible),
        "So the bound is attained there, and at no other point of this compute:",
    )
    irreducible = form.irreducible in form.loss.free_symbols
    yield equal(
        "loss",
        (envelope.functions[0].func(*envelope.allocation), envelope.loss),
        "With the irreducible loss added, the loss at the optimum is:"
        if irreducible
        else "The loss at the optimum is:",
        where=envelope.definitions[:2],
    )
    if set(form.variables) == {sym.N, sym.D}:
        yield equal(
            "tokens_per_param",
            (envelope.tokens / envelope.params, _derived(form, budget).tokens_per_param),
            "The optimal number of tokens per parameter is the quotient of the two:",
        )


def _global_minimum(envelope: Envelope) -> Step:
    """The step that bounds the reducible loss by weighted AM-GM."""
    terms, shares, names = envelope.form.terms, envelope.shares, envelope.named.shares
    levels = [term.expression / w for term, w in zip(terms, shares, strict=True)]
    return Step(
        "global_minimum",
        envelope.form.reducible,
        ">=",
        envelope.reducible.subs(sym.C, envelope.budget.compute()),
        "Weighted AM-GM with the weights "
        + listed(names)
        + " ({shares_sum}) bounds the sum by a geometric mean, into which the variables enter "
        + "through the compute alone ("
        + listed([f"power_{term.variable}" for term in terms])
        + "):",
        ByBound(mean=len(terms) > 1),
        through=(product_of_powers(levels, shares), _gathered_powers(envelope)),
    )


def _reasons_at_optimum(names: Envelope) -> Iterator[Sentence]:
    """The reasons why each term has its share at the optimum, and only there."""
    terms, shares = names.form.terms, names.shares
    levels = [term.expression / w for term, w in zip(terms, shares, strict=True)]
    all_agree = tuple(part for level in levels for part in (level, "="))[:-1]
    first, *others = (term.variable for term in terms)
    yield (
        say("Equality holds where {}, and nowhere else. ", all_agree)
        + "As the weights add up to one, this common value is the sum on the left; "
        + say("at compute {} it is {}. So the term of {} is ", sym.C, names.reducible, first)
        + say(
            "{}: by substitution it is so at {}, ", shares[0] * names.reducible, names.allocation[0]
        )
        + say("and, as a power of {}, nowhere else:", first)
    )
    for x, w, best in zip(others, shares[1:], names.allocation[1:], strict=True):
        yield (
            say("Likewise the term of {} is {}, ", x, w * names.reducible)
            + say("at {} and nowhere else:", best)
        )


def product_of_powers(bases: Sequence[Expr], exponents: Sequence[Expr]) -> Expr:
    """The product of powers, not simplified."""
    powers = (
        x if w == 1 else Pow(x, w, evaluate=False) for x, w in zip(bases, exponents, strict=True)
    )
    return Mul(*powers, evaluate=False)


def _gathered_powers(envelope: Envelope) -> Expr:
    """prod (A_i/w_i)^w_i times prod x_i^-(alpha c_i), the geometric mean of the terms."""
    terms, shares = envelope.form.terms, envelope.shares
    constants = [Pow(t.coefficient / w, w) for t, w in zip(terms, shares, strict=True)]
    variables = [
        Pow(t.variable, -envelope.exponent * envelope.budget.exponent(t.variable)) for t in terms
    ]
    return Mul(*constants, *variables)


# -- the equations in names ------------------------------------------------------------------------------------


def _as_power_of_compute(envelope: Envelope, brief: Envelope) -> tuple[Expr, ...]:
    """L* as a power law of compute, if the law is a function of R that leaves it one."""
    form = envelope.form
    if form.is_sum or form.power is None or form.irreducible is None:
        return ()
    K, p = form.power
    return (
        form.irreducible
        + form.direction * K * brief.coefficient**p * sym.C ** -(p * brief.exponent),
    )


def _has_many_terms(envelope: Envelope) -> bool:
    return len(envelope.form.terms) > 2


def _printed_allocation(envelope: Envelope, brief: Envelope) -> tuple[Expr, ...]:
    """The closed forms; for more than two terms x_i* from T_i = w_i R*, which is shorter."""
    if not _has_many_terms(envelope):
        return envelope.allocation
    terms = zip(envelope.form.terms, brief.shares, strict=True)
    return tuple(Pow(t.coefficient / (w * brief.reducible), 1 / t.exponent) for t, w in terms)


def exponent_equation(envelope: Envelope, brief: Envelope) -> Formula:
    if not _has_many_terms(envelope):
        return Formula.equal(brief.exponent, envelope.exponent)
    claim = brief.claims["exponent"]
    return Formula.equal(claim.lhs, claim.rhs)


def share_equations(envelope: Envelope, brief: Envelope, spelling: Notation) -> Line:
    shares = list(envelope.shares)
    if _has_many_terms(envelope):
        shares = [brief.exponent * (share / envelope.exponent).cancel() for share in shares]
    unnamed: list[tuple[Symbol, ...]] = [()] * len(shares)
    names = _allocation_names(envelope, spelling) or unnamed
    pairs = zip(brief.shares, names, shares, strict=True)
    return tuple(Formula.equal(w, *name, share) for w, name, share in pairs)


def _allocation_names(envelope: Envelope, spelling: Notation) -> list[tuple[Symbol, ...]]:
    """Hoffmann's a and b, the exponents of x_i*(C), if they equal the shares and are free as names;
    else nothing.
    """
    taken = {s.name for s in envelope.budget.compute().free_symbols}
    names: list[tuple[Symbol, ...]] = []
    for term, share in zip(envelope.form.terms, envelope.shares, strict=True):
        canonical = f"w_{term.variable}"
        name = spelling.names().get(canonical, canonical)
        if name in (canonical, *taken) or (envelope.exponent / term.exponent - share).cancel() != 0:
            return []
        names.append((Symbol(name, positive=True),))
    return names
