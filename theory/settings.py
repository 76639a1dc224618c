"""The settings of theorems, which are the names that a text begins with, and the reading of texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from sympy import Expr, Symbol

from .budget import GENERAL, SIX_ND, Budget
from .envelope import derive
from .passk import DRAWS, FAIL_AT, PASS_AT, cross_allocation
from .penalty import misallocation
from .ray import ray
from .reader.tokens import ParseError
from .theorem import text as texts
from .theorem.derivation import Derivation
from .theorem.errata import Erratum
from .theorem.names import Names, Setting
from .theorem.words import function

#: Any function h(y) of the reducible loss.
OUTER = function("h")(Symbol("y", positive=True))


def _envelope(budget: Budget = SIX_ND) -> Setting:
    envelope = derive(budget=budget)
    return Setting(envelope.assumptions, envelope.definitions)


def _penalty(budget: Budget = SIX_ND) -> Setting:
    family = misallocation(derive(budget=budget))
    return Setting(family.envelope.assumptions, family.definitions)


def _ray() -> Setting:
    line = ray()
    penalty = misallocation().definitions
    return Setting(line.assumptions, tuple(dict.fromkeys((*line.definitions, *penalty))))


def _function_of_the_loss() -> Setting:
    family = misallocation()
    _, budget = family.envelope.assumptions
    bare = Setting(definitions=family.definitions, functions=(OUTER,))
    law = Names(bare).sentence(
        "A model with $N$ params trained on $D$ tokens, $N$, $D > 0$, has the loss $h(R(N, D))$, "
        r"where $R(N, D) = A N^{-\beta} + B D^{-\gamma}$ and $A$, $B$, $\beta$, $\gamma > 0$."
    )
    return Setting((law, budget), bare.definitions, bare.functions)


def _passk() -> Setting:
    return Setting(functions=(PASS_AT(DRAWS), FAIL_AT(DRAWS)))


def _two_numbers_of_draws() -> Setting:
    pair = cross_allocation()
    return Setting(pair.assumptions, pair.definitions)


#: The settings that hold under any budget.
UNDER_A_BUDGET: Mapping[str, Callable[[Budget], Setting]] = {
    "envelope": _envelope,
    "penalty": _penalty,
}
#: Every setting by name.
SETTINGS: Mapping[str, Callable[[], Setting]] = {
    "envelope": _envelope,
    "penalty": _penalty,
    "runs at a fixed ratio": _ray,
    "penalty under a general budget": partial(_penalty, GENERAL),
    "function of the reducible loss": _function_of_the_loss,
    "no law": Setting,
    "passk": _passk,
    "passk at two numbers of draws": _two_numbers_of_draws,
}


def setting(name: str, compute: Expr | None = None) -> Setting:
    """The setting of a name, under the budget C = `compute` if that is given.

    Raises
    ------
    ValueError
        If there is no such setting, it has a budget of its own, or the expression is no budget.
    """
    if name not in SETTINGS:
        raise ParseError(f"Setting: must be one of {', '.join(SETTINGS)}")
    if compute is None:
        return SETTINGS[name]()
    if name not in UNDER_A_BUDGET:
        raise ParseError(f"Budget: the setting {name} has a budget of its own")
    return UNDER_A_BUDGET[name](Budget.from_expression(compute))


def theorem(text: str, name: str) -> Derivation:
    """The theorem of a text; ValueError names what cannot be read."""
    return texts.theorem(text, name, setting)


def errata(text: str) -> tuple[Erratum, ...]:
    """The slips and remarks of a text; ValueError names what cannot be read."""
    return texts.errata(text, setting)
