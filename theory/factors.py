"""Laws and budgets of any number of factors, with general symbols."""

from __future__ import annotations

from dataclasses import replace

from sympy import Symbol, log

from .algebra import symbols as sym
from .algebra.functions import Partial
from .budget import Budget
from .envelope import derive
from .law import LawForm, Term
from .proof.claim import Claim
from .proof.words import listed_steps, say
from .theorem import Derivation


def factors(count: int) -> tuple[LawForm, Budget]:
    """R = sum_i A_i x_i^-b_i and C = kappa prod_i x_i^c_i for i = 1 .. count, with symbols for
    every constant.

    Raises
    ------
    ValueError
        Where `count` is below 1.
    """
    if count < 1:
        raise ValueError(f"count={count}: must be at least 1")
    numbered = [
        [Symbol(f"{name}_{i}", positive=True) for name in ("A", "x", "b", "c")]
        for i in range(1, count + 1)
    ]
    form = LawForm(tuple(Term(a, x, b) for a, x, b, _ in numbered), name=f"law of {count} factors")
    return form, Budget(sym.KAPPA, tuple((x, c) for _, x, _, c in numbered))


def factor_law(count: int, name: str) -> Derivation:
    """The compute-optimal envelope of a law of `count` factors, and how its optimum grows."""
    envelope = derive(*factors(count))
    names, derivation = envelope.named, envelope.derivation
    growth = tuple(
        Claim(
            f"growth_{t.variable}",
            Partial(log(best), log(sym.C)),
            "==",
            names.exponent / t.exponent,
            say("The optimum of {} is a power of compute:", t.variable),
        )
        for t, best in zip(envelope.form.terms, names.allocation, strict=True)
    )
    return replace(
        derivation,
        name=name,
        title=f"Laws of {('no', 'one', 'two', 'three', 'four', 'five')[count] if count < 6 else count} factors",
        statement=derivation.statement
        + " The factors grow as "
        + listed_steps([step.name for step in growth])
        + ".",
        steps=derivation.steps + growth,
        source="Duffin, Peterson and Zener 1967, Geometric Programming: degree of difficulty 0.",
    )
