"""The three laws of -log pass@k at one k: what they depend on, and the names of their coefficients.

All three are fitted as sums of power terms by the fit layer; the gold reference law, xi0 + K0
g^kappa, is a compute law in 1/g. Source: Schaeffer et al. 2025, arXiv 2509.24012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import outside
from ..fit.models import COMPUTE, PARAMS_TOKENS, PowerTerms

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


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
    axis : str
        The covariate by which models are called cheap.
    """

    name: str
    formula: str
    covariates: tuple[str, ...]
    terms: PowerTerms
    coefficients: tuple[str, ...]
    axis: str = "compute"

    def variables(self, covariates: Mapping[str, Floats]) -> dict[str, Floats]:
        """What the form is fitted in, by the names of its variables."""
        given = [np.asarray(covariates[name], dtype=np.float64) for name in self.covariates]
        if self.name == "gold":
            given = [1.0 / given[0]]
        return dict(zip(self.terms.variables, given, strict=True))

    @property
    def exponents(self) -> tuple[str, ...]:
        """Names of the exponents."""
        return self.coefficients[1 + len(self.covariates) :]

    @property
    def floor(self) -> str:
        """The name of the irreducible part."""
        return self.coefficients[0]


_PARAMS_TOKENS = ("E0", "N0", "D0", "beta", "gamma")
KINDS = {
    kind.name: kind
    for kind in (
        PassKind("compute", "E0 + C0 C^-alpha", ("compute",), COMPUTE, ("E0", "C0", "alpha")),
        PassKind(
            "params-tokens",
            "E0 + N0 N^-beta + D0 D^-gamma",
            ("params", "tokens"),
            PARAMS_TOKENS,
            _PARAMS_TOKENS,
        ),
        PassKind("gold", "xi0 + K0 g^kappa", ("gold",), COMPUTE, ("xi0", "K0", "kappa"), "gold"),
    )
}


def kind_of(law: str) -> PassKind:
    """A law by name, or a ValueError."""
    if law not in KINDS:
        raise outside("law", law, f"one of {', '.join(KINDS)}")
    return KINDS[law]
