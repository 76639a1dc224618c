"""The laws that have a name, as declarations.

To add one, add a form to `MODELS`, as in

    Expression("E + a*N^-b*D^-c + k*log(D)", name="product-log")

`fit --model NAME`, `backtest --law NAME` and `isoflop.fit(runs, model=NAME)` know it then. A law
that needs no name is fitted and judged as its text. Sums of power terms are better declared as
`PowerTerms`: their starts come from a grid of the exponents and their covariance is that of the
logarithms of the prefactors.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...theory.data.notation import close_matches
from ..errors import outside
from .expression import Expression
from .power import PowerTerms

if TYPE_CHECKING:
    from sympy import Expr

#: What tells an expression from a name.
OPERATORS = frozenset("+*^/()")

PARAMS_TOKENS = PowerTerms(
    name="params-tokens",
    variables=("params", "tokens"),
    prefactors=("A", "B"),
    exponents=("beta", "gamma"),
)
COMPUTE = PowerTerms(
    name="compute", variables=("compute",), prefactors=("C0",), exponents=("alpha",)
)
#: The over-training law of Gadre et al. 2024, arXiv 2403.08540: with C = 6 N D and M = D/N it is
#: E + (a M^eta + b M^-eta) C^-eta, eta = beta/2 (derivation `overtraining_law`).
ONE_EXPONENT = replace(PARAMS_TOKENS, name="one-exponent", exponents=("beta", "beta"))
MODELS: dict[str, PowerTerms | Expression] = {form.name: form for form in (PARAMS_TOKENS, COMPUTE)}


def form_of(model: Expr | str) -> PowerTerms | Expression:
    """A form by name, or of an expression; a ValueError for a name that is misspelt."""
    if not isinstance(model, str):
        return Expression(model)
    is_word = not OPERATORS.intersection(model)
    if model not in MODELS and is_word and (hint := close_matches(model, MODELS)):
        raise outside("model", model, f"one of {', '.join(MODELS)} or an expression{hint}")
    return MODELS.get(model) or Expression(model)
