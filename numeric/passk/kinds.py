"""The three laws of -log pass@k at one k: what they depend on, and the names of their coefficients.

All three are fitted as sums of power terms by the fit layer; the gold reference law, xi0 + K0
g^kappa, is a compute law in 1/g. Source: Schaeffer et al. 2025, arXiv 2509.24012.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import outside, positive_array
from ..fit.models import COMPUTE, PARAMS_TOKENS, PowerTerms

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class PassKind:
    """One of the three laws.

    Attributes
    ----------
    name, formula : str
    covariates : tuple of str
        What it depends on, of the keys of `Counts.covariates`.
    terms : PowerTerms
        The form that is fitted.
    coefficients : tuple of str
        The paper's names, in the order of `terms.coefficients`: the irreducible part, prefactors,
        exponents.
    """

    name: str
    formula: str
    covariates: tuple[str, ...]
    terms: PowerTerms
    coefficients: tuple[str, ...]

    def rows(self, covariates: Mapping[str, Any], neg_log: Any = np.nan) -> Any:
        """Models as rows of the fit layer, whose loss is -log pass@k; a ValueError where a covariate
        is missing or not positive.
        """
        for name in self.covariates:
            if name not in covariates:
                needs = f"must have {name} for the law {self.name}"
                raise ValueError(f"covariates={sorted(covariates)}: {needs}")
        given = [np.atleast_1d(positive_array(name, covariates[name])) for name in self.covariates]
        given = [1.0 / given[0]] if self.name == "gold" else given
        variables = dict(zip(self.terms.variables, given, strict=True))
        return SimpleNamespace(**variables, loss=neg_log, weight=None)


GOLD = ("xi0", "K0", "kappa")
JOINT = ("E0", "N0", "D0", "beta", "gamma")
KINDS = {
    kind.name: kind
    for kind in (
        PassKind("compute", "E0 + C0 C^-alpha", ("compute",), COMPUTE, ("E0", "C0", "alpha")),
        PassKind(
            "params-tokens",
            "E0 + N0 N^-beta + D0 D^-gamma",
            ("params", "tokens"),
            PARAMS_TOKENS,
            JOINT,
        ),
        PassKind("gold", "xi0 + K0 g^kappa", ("gold",), COMPUTE, GOLD),
    )
}


def kind_of(law: str) -> PassKind:
    """A law by name, or a ValueError."""
    if law not in KINDS:
        raise outside("law", law, f"one of {', '.join(KINDS)}")
    return KINDS[law]
