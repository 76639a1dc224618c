"""Laws, their closed forms and random products, whose value printing must not change."""

from dataclasses import replace

from hypothesis import strategies as st
from sympy import Expr, Integer, Mul, Pow, Rational, Symbol, exp
from tests.theory.laws import GENERAL

from isoflop.theory.budget import Budget
from isoflop.theory.envelope import Envelope, derive
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.law import LawForm, Term
from isoflop.theory.penalty import misallocation


def positive(name: str) -> Symbol:
    return Symbol(name, positive=True)


U, F, DELTA, SMALL_U = map(positive, ("U", "F", "delta", "u"))
THREE = derive(
    LawForm((Term(sym.A, sym.N, sym.BETA), Term(sym.B, sym.D, sym.GAMMA), Term(F, U, DELTA))),
    Budget(sym.KAPPA, ((sym.N, sym.BUDGET_A), (sym.D, sym.BUDGET_D), (U, SMALL_U))),
)
OWN_LETTERS = LawForm(
    (Term(sym.A, sym.N, sym.ALPHA), Term(sym.B, sym.D, sym.BETA)), name="in its own letters"
)
EQUAL = LawForm((Term(sym.A, sym.N, sym.BETA), Term(sym.B, sym.D, sym.BETA)))
ENVELOPES = {
    "6ND": derive(),
    "general": derive(budget=GENERAL),
    "three factors": THREE,
    "own letters": derive(OWN_LETTERS),
    "accuracy": derive(replace(derive().form, outer=exp(-sym.REDUCIBLE))),
    "equal exponents": derive(EQUAL),
}
NOTATIONS = ["schaeffer", "hoffmann"]
TWO_TERMS = [name for name, envelope in ENVELOPES.items() if len(envelope.form.terms) == 2]


def closed_forms(envelope: Envelope) -> dict[str, Expr]:
    """The closed forms of an envelope and its penalty, by name."""
    forms = {
        name: getattr(envelope, name) for name in ("exponent", "coefficient", "loss", "reducible")
    }
    forms |= {"law": envelope.form.loss, "budget": envelope.budget.compute()}
    for x, value, share in zip(
        envelope.form.variables, envelope.allocation, envelope.shares, strict=True
    ):
        forms |= {f"{x}*": value, f"share of {x}": share}
    if len(envelope.form.terms) != 2:
        return forms
    m = misallocation(envelope)
    names = (
        *("penalty", "penalty_in_ratio", "effective_compute", "tokens_factor", "compute_overhead"),
        *("ratio", "critical_size_ratio", "tolerance_half_width", "overtrained_tail"),
    )
    targets = ("iso_loss_tokens", "size_cap", "data_wall", "smallest_params")
    forms |= {name: getattr(m, name) for name in names}
    forms |= {name: getattr(m.targets, name) for name in targets}
    return forms | {"series": m.series(4), "in ratio": m.series_in_ratio(2)}


SYMBOLS = [sym.A, sym.B, sym.BETA, sym.GAMMA, sym.N, sym.D, sym.C, sym.SIZE_RATIO, U, F]
exponents = st.sampled_from(
    [
        *map(Integer, (1, 2, -1, -3)),
        *(Rational(1, 2), Rational(-3, 2)),
        *(-sym.BETA, sym.GAMMA / 2, sym.BETA - sym.GAMMA, -sym.BETA / (sym.BETA + sym.GAMMA)),
    ]
)
powers = st.builds(Pow, st.sampled_from(SYMBOLS), exponents)
sums = st.builds(
    lambda x, y, n: (x + n * y) ** -1,
    st.sampled_from(SYMBOLS),
    st.sampled_from(SYMBOLS),
    st.integers(1, 9),
)
decimals = st.sampled_from([2**twos * 5**fives for twos in range(13) for fives in range(13)])
numbers = st.one_of(
    st.builds(Rational, st.integers(-60, 60).filter(bool), st.integers(1, 60)),
    st.builds(Rational, st.integers(-(10**6), 10**6).filter(bool), decimals),
)
products = st.builds(
    lambda number, factors: Mul(number, *factors),
    numbers,
    st.lists(st.one_of(powers, sums), min_size=1, max_size=5),
)
