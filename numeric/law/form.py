"""The form of a law: its variables, its coefficients and the functions generated for it; and the two
built-in forms, whose coefficients have names in each notation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

from .. import formulas
from ..arrays import formula

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ...theory.envelope import Envelope
    from ..arrays import Positive, Real

__all__ = ["COMPUTE", "PARAMS_TOKENS", "CompiledForm", "power"]


@dataclass(frozen=True, kw_only=True)
class CompiledForm:
    """Everything about a law except the values of its coefficients."""

    kind: str  # "params-tokens", "compute" or "expression"
    loss: str  # the formula; that of a built-in form has its coefficients in braces
    variables: tuple[str, ...]
    coefficients: tuple[str, ...]
    needed: tuple[str, ...]  # coefficients that a law of this form cannot be without
    functions: Any = field(compare=False)  # formulas by name
    #: How pickle makes the form again: its name in this module, or a function with its arguments.
    made: str | tuple[Any, ...] = field(compare=False)
    #: Turns the name of a formula of a law E + R into its name for R in a law E + K R^p.
    of_sum: Callable[[str], str] = field(default=str, compare=False)
    #: E from the coefficients: the limit of the law as its variables grow.
    limit: Callable[[Mapping[str, Any]], Any] = field(default=lambda x: x["E"], compare=False)
    #: The symbolic optimum of a user's own law, with its proofs.
    derived: Envelope | None = field(default=None, compare=False)

    def __reduce__(self) -> str | tuple[Any, ...]:
        return self.made


#: L = E + A N^-beta + B D^-gamma under C = 6 N D.
PARAMS_TOKENS = CompiledForm(
    kind="params-tokens",
    loss="{E} + {A} N^-{beta} + {B} D^-{gamma}",
    variables=("params", "tokens"),
    coefficients=("E", "A", "B", "beta", "gamma"),
    needed=("beta", "gamma"),
    functions=formulas,
    made="PARAMS_TOKENS",
)


@formula
def power(xp: Any, compute: Positive, log_C0: Real, alpha: Real) -> Any:
    """C0 C^-alpha from log C0."""
    return xp.exp(log_C0 - alpha * xp.log(compute))


@formula
def _reducible(xp: Any, compute: Positive, C0: Real, alpha: Real) -> Any:
    return power.body(xp, compute, xp.log(C0), alpha)


@formula
def _loss(xp: Any, compute: Positive, E: Real, C0: Real, alpha: Real) -> Any:
    return E + power.body(xp, compute, xp.log(C0), alpha)


@formula
def _exponent(xp: Any, alpha: Real) -> Any:
    return alpha


@formula
def _coefficient(xp: Any, C0: Real) -> Any:
    return C0


#: L = E + C0 C^-alpha, which is its own envelope: exactly the envelope of a params+tokens law, and
#: nearly its losses at one D/N.
COMPUTE = CompiledForm(
    kind="compute",
    loss="{E} + {C0} C^-{alpha}",
    variables=("compute",),
    coefficients=("E", "C0", "alpha"),
    needed=("C0", "alpha"),
    functions=SimpleNamespace(
        loss=_loss,
        reducible_loss=_reducible,
        exponent=_exponent,
        coefficient=_coefficient,
        optimal_loss=_loss,
        optimal_reducible_loss=_reducible,
    ),
    made="COMPUTE",
)
