"""The settings of theorems, which are the names that a text begins with, and the reading of texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sympy import Expr, Symbol

from .budget import SIX_ND, Budget
from .envelope import derive
from .passk import DRAWS, FAIL_AT, PASS_AT
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


def _envelope(budget: Budget) -> Setting:
    envelope = derive(budget=budget)
    return Setting(envelope.assumptions, envelope.definitions)


def _penalty(budget: Budget) -> Setting:
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


#: The settings that hold under any budget.
UNDER_A_BUDGET: Mapping[str, Callable[[Budget], Setting]] = {
    "envelope": _envelope,
    "penalty": _penalty,
}
#: The other settings.
SETTINGS: Mapping[str, Callable[[], Setting]] = {
    "runs at a fixed ratio": _ray,
    "function of the reducible loss": _function_of_the_loss,
    "no law": Setting,
    "passk": _passk,
}


def setting(name: str, compute: Expr | None = None) -> Setting:
    """The setting of a name, under the budget C = `compute` if that is given.

    Raises
    ------
    ValueError
        If there is no such setting, it has a budget of its own, or the expression is no budget.
    """
    if under := UNDER_A_BUDGET.get(name):
        return under(SIX_ND if compute is None else Budget.from_expression(compute))
    if name not in SETTINGS:
        raise ParseError(f"Setting: must be one of {', '.join((*UNDER_A_BUDGET, *SETTINGS))}")
    if compute is not None:
        raise ParseError(f"Budget: the setting {name} has a budget of its own")
    return SETTINGS[name]()


def theorem(text: str, name: str) -> Derivation:
    """The theorem of a text; ValueError names what cannot be read."""
    return texts.theorem(text, name, setting)


def errata(text: str) -> tuple[Erratum, ...]:
    """The slips and remarks of a text; ValueError names what cannot be read."""
    return texts.errata(text, setting)
