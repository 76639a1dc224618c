"""The equations that an envelope and a misallocation are printed as, in text and in LaTeX."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Dummy, Expr, Function, Integer, Mul, Pow, Symbol, exp, log, oo

from ..algebra import Decision
from ..algebra import symbols as sym
from ..algebra.functions import phi2
from ..data.notation import DEFAULT, SCHAEFFER, Notation
from ..envelope import Envelope, optimum
from ..penalty import Misallocation
from ..proof.claim import Claim
from ..proof.words import Sentence, condition, say

R, RHO, S = sym.SIZE_RATIO, sym.RATIO, sym.LOG_SIZE_RATIO


@dataclass(frozen=True)
class Equation:
    """Sides that are equal (or stand in `relation`), with an order of what was left out and a
    condition.
    """

    sides: tuple[Expr, ...]
    relation: str = "="
    remainder: Expr | None = None
    condition: tuple[Expr, str, Expr] | None = None

    @property
    def label(self) -> Expr:
        return self.sides[0]


Line = tuple[Equation, ...]
Section = tuple[Sentence | str, list[Line]]
PENALTY, EFFECTIVE, OVERHEAD = (Symbol(name, positive=True) for name in ("P", "C_eff", "Delta C"))
X = Symbol("x", real=True)


def check_spelling(envelope: Envelope, spelling: Notation) -> None:
    """Refuse to respell a law or a budget that uses the canonical letters for something else.

    Raises
    ------
    ValueError
        Where the notation would give alpha, beta or gamma of the law a meaning that they do not
        have in it.
    """
    if spelling == SCHAEFFER:
        return
    home = {sym.BETA: sym.N, sym.GAMMA: sym.D}
    parts = [
        (t.variable, t.exponent.free_symbols | t.coefficient.free_symbols)
        for t in envelope.form.terms
    ]
    parts += [
        (None, envelope.budget.compute().free_symbols),
        (None, envelope.form.outer.free_symbols),
    ]
    for variable, symbols in parts:
        for symbol in sorted(symbols & {sym.BETA, sym.GAMMA, sym.ALPHA}, key=str):
            if variable is None or home.get(symbol) != variable:
                place = "outside its term" if variable is None else f"in the {variable} term"
                raise ValueError(
                    f"notation={spelling.name!r}: respells laws with exponents beta on N and gamma "
                    f"on D; "
                    f"here {symbol} stands {place}"
                )


def law_lines(envelope: Envelope) -> list[Line]:
    """L = ... and C = ..."""
    form = envelope.form
    loss = Equation((Function("L")(*form.variables), form.loss))
    return [(loss,), (Equation((sym.C, envelope.budget.compute())),)]


def envelope_lines(envelope: Envelope, spelling: Notation = DEFAULT) -> list[Line]:
    """The optimum, its ratio, exponent, shares, coefficient and loss, in names where that is
    shorter.
    """
    brief = envelope.named
    allocation = zip(brief.allocation, _allocation(envelope, brief), strict=True)
    lines: list[Line] = [] if envelope.form.is_sum else [(_inner_sum(envelope),)]
    lines += [(Equation(sides),) for sides in allocation]
    if set(envelope.form.variables) == {sym.N, sym.D}:
        lines.append((Equation((brief.tokens_per_param, envelope.tokens_per_param)),))
    lines.append((exponent_equation(envelope, brief),))
    lines.append(share_equations(envelope, brief, spelling))
    lines.append((Equation((brief.coefficient, coefficient_in_names(envelope, brief))),))
    if not envelope.form.is_sum:  # alpha and C0 are those of R*, not of the loss
        lines.append((Equation((optimum(sym.REDUCIBLE), brief.reducible)),))
    lines.append((Equation((optimum(sym.L), brief.loss, *_as_power_of_compute(envelope, brief))),))
    return lines


def _inner_sum(envelope: Envelope) -> Equation:
    """R(N, D) = ..., for a law that is a function of it."""
    return Equation((Function("R")(*envelope.form.variables), envelope.form.reducible))


def _as_power_of_compute(envelope: Envelope, brief: Envelope) -> tuple[Expr, ...]:
    """L* with the exponent of its own power law, where a function stands around R and leaves one."""
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


def _allocation(envelope: Envelope, brief: Envelope) -> tuple[Expr, ...]:
    """The closed forms; for more than two terms the claims T_i = w_i R* solved for x_i, which stay
    short.
    """
    if not _has_many_terms(envelope):
        return envelope.allocation
    terms = zip(envelope.form.terms, brief.shares, strict=True)
    return tuple(Pow(t.coefficient / (w * brief.reducible), 1 / t.exponent) for t, w in terms)


def exponent_equation(envelope: Envelope, brief: Envelope) -> Equation:
    if not _has_many_terms(envelope):
        return Equation((brief.exponent, envelope.exponent))
    claim = brief.claims["exponent"]
    return Equation((claim.lhs, claim.rhs))


def share_equations(envelope: Envelope, brief: Envelope, spelling: Notation) -> Line:
    shares = list(envelope.shares)
    if _has_many_terms(envelope):
        shares = [brief.exponent * (share / envelope.exponent).cancel() for share in shares]
    unnamed: list[tuple[Symbol, ...]] = [()] * len(shares)
    names = _allocation_names(envelope, spelling) or unnamed
    pairs = zip(brief.shares, names, shares, strict=True)
    return tuple(Equation((w, *name, share)) for w, name, share in pairs)


def _allocation_names(envelope: Envelope, spelling: Notation) -> list[tuple[Symbol, ...]]:
    """Hoffmann's a and b, the exponents of x_i*(C), where they equal the shares and the names are
    free.
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


def coefficient_in_names(envelope: Envelope, brief: Envelope) -> Expr:
    """C0 with alpha and the shares by name: each factor (A_i/w_i)^w_i as it was derived."""
    if len(set(envelope.shares)) < len(envelope.shares) or any(
        share.is_number for share in envelope.shares
    ):
        return envelope.coefficient
    names = dict(zip(envelope.shares, brief.shares, strict=True))
    factors = []
    for factor in Mul.make_args(envelope.coefficient):
        base, power = factor.as_base_exp()
        if power == envelope.exponent and base == envelope.budget.coefficient:
            factors.append(Pow(base, brief.exponent))
        elif power in names:
            factors.append(Pow((base * power).cancel() / names[power], names[power]))
        else:
            factors.append(factor)
    return Mul(*factors)


def misallocation_sections(m: Misallocation) -> list[Section]:
    """Ratios, penalty, expansions and tails, effective compute, overhead, critical sizes, with
    headings.
    """
    envelope = m.envelope
    brief = m.named
    n, d = envelope.form.variables
    n_star, d_star = brief.envelope.allocation
    tokens_factor = Symbol(f"k_{d}", positive=True)
    effective = brief.effective_compute.xreplace({brief.penalty: PENALTY})
    overhead = brief.compute_overhead.xreplace({brief.tokens_factor: tokens_factor})
    above_critical = (R, ">", brief.critical_size_ratio)
    return [
        (
            say("Penalty of {} at the same compute {}", (n, "=", R * n_star), sym.C),
            [
                (
                    Equation((R, n / n_star)),
                    Equation((RHO, _over(d / n, d_star / n_star), m.ratio)),
                ),
                (Equation((Function("P")(R), _loss_ratio(envelope), brief.penalty)),),
                (Equation((Function("P")(RHO), brief.penalty_in_ratio)),),
                (Equation((PENALTY - 1, m.excess)),),
                (Equation((S, log(R))), Equation((phi2(X), phi2(X).definition()))),
                (Equation((PENALTY, m.series(4)), remainder=S**5),),
                (Equation((PENALTY, m.series_in_ratio(2)), remainder=log(RHO) ** 3),),
                (
                    Equation(
                        (PENALTY, brief.overtrained_tail), "~", condition=(R, "->", Integer(0))
                    ),
                    Equation((PENALTY, brief.undertrained_tail), "~", condition=(R, "->", oo)),
                ),
            ],
        ),
        (
            say("Compute that reaches the same loss on the envelope"),
            [(Equation((EFFECTIVE / sym.C, effective)),)],
        ),
        (
            say(
                "The loss {} with {} and {}, and the extra compute that it takes",
                optimum(sym.L),
                (n, "=", R * n_star),
                (d, "=", tokens_factor * d_star),
            ),
            [
                (Equation((tokens_factor, brief.tokens_factor), condition=above_critical),),
                (Equation((OVERHEAD / sym.C, overhead)),),
            ],
        ),
        (
            say("Sizes at and below which that loss is out of reach"),
            [
                (
                    Equation((_critical(n) / n_star, brief.critical_size_ratio)),
                    Equation((_critical(d) / d_star, brief.critical_tokens_ratio)),
                )
            ],
        ),
        (
            say("Exponent of the envelope and shares of the terms"),
            [
                (
                    exponent_equation(envelope, brief.envelope),
                    *share_equations(envelope, brief.envelope, DEFAULT),
                )
            ],
        ),
    ]


def _over(above: Expr, below: Expr) -> Expr:
    """A fraction of two fractions, left as it is."""
    return Mul(above, Pow(below, -1, evaluate=False), evaluate=False)


def _loss_ratio(envelope: Envelope) -> Expr:
    """(L - E)/(L* - E), or R/R* where the law is no shifted sum."""
    offset = envelope.form.outer - sym.REDUCIBLE
    if sym.REDUCIBLE in offset.free_symbols:
        return sym.REDUCIBLE / optimum(sym.REDUCIBLE)
    return (sym.L - offset) / (optimum(sym.L) - offset)


def _critical(variable: Symbol) -> Symbol:
    return Symbol(f"{variable}_crit", positive=True)


def side_conditions(claim: Claim, decision: Decision, brief: Claim) -> list[tuple[Expr, str]]:
    """What a proof assumes, by name, and what else it used that does not follow from the
    assumptions.
    """
    used = [(c.expression, c.relation) for c in decision.conditions]
    left = [
        (e, relation)
        for e, relation in used
        if not any(_follows(e, relation, a) for a in claim.assume)
        and not (relation == "!=" and _is_removable(e, claim))
    ]
    assumed = ((said.sides[0], said.signs[0]) for said in map(condition, brief.assume))
    return [*assumed, *left]


def _is_removable(expression: Expr, claim: Claim) -> bool:
    """Whether the expression is nonzero for the quotient that defines `phi2` alone, which has a value
    at zero: both sides are continuous there.
    """
    sides = [claim.lhs, claim.rhs]
    zeros = [f.args[0] for side in sides for f in side.atoms(phi2)]
    if not any(_follows(expression, "!=", zero) for zero in zeros):
        return False
    bare = [side.replace(phi2, lambda x: Dummy(positive=True)) for side in sides]
    parts = [part for side in bare for part in side.atoms(Pow, log)]
    below = [p.args[0] for p in parts if isinstance(p, log) or not p.exp.is_nonnegative]
    return all(part.is_positive for part in below)


def _follows(expression: Expr, relation: str, assumption: Expr) -> bool:
    """Whether the condition is an assumption times something positive, or nonzero where that
    suffices.
    """
    opaque: dict[Expr, Symbol] = {}
    above, below = (_without_powers(side, opaque) for side in (expression, assumption))
    factor = (above / below).cancel().factor()
    if relation == "!=":
        return bool(factor.is_nonzero or (above * factor).is_positive)
    return bool(factor.is_positive)


def _without_powers(expression: Expr, opaque: dict[Expr, Symbol]) -> Expr:
    """The expression with every power that is no integer one as a name: a rational function."""
    expanded = expression.expand()
    powers = [p for p in expanded.atoms(Pow, exp) if isinstance(p, exp) or not p.exp.is_Integer]
    for power in powers:
        opaque.setdefault(power, Dummy(positive=True))
    return expanded.xreplace({power: opaque[power] for power in powers})
