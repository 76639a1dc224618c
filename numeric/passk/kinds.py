"""The three laws of -log pass@k at one k: what they depend on, and the names of their coefficients.

All three are fitted as sums of power terms by the fit layer; the gold reference law, xi0 + K0
g^kappa, is a compute law in 1/g.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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
    name : str
    formula : str
    covariates : tuple of str
        What it depends on, of the keys of `Counts.covariates`.
    terms : PowerTerms
        The form that is fitted.
    coefficients : tuple of str
        The paper's names, in the order of `terms.coefficients`.
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
            return {"compute": 1.0 / given[0]}
        return dict(zip(self.terms.variables, given, strict=True))

    def logs(self, covariates: Mapping[str, Floats]) -> Floats:
        """Logarithms of the variables of the form, (m, M)."""
        variables = self.variables(covariates)
        return np.log(np.stack([variables[name] for name in self.terms.variables]))

    def index(self, name: str) -> int:
        """The place of a coefficient, or a ValueError."""
        if name not in self.coefficients:
            raise ValueError(
                f"name={name!r}: the law {self.formula} has {', '.join(self.coefficients)}"
            )
        return self.coefficients.index(name)

    @property
    def exponents(self) -> tuple[str, ...]:
        """Names of the exponents."""
        return tuple(
            name
            for name, own in zip(self.coefficients, self.terms.coefficients, strict=True)
            if own in self.terms.exponents
        )

    @property
    def prefactors(self) -> tuple[str, ...]:
        """Names of the prefactors."""
        return tuple(name for name in self.coefficients[1:] if name not in self.exponents)

    @property
    def floor(self) -> str:
        """The name of the irreducible part."""
        return self.coefficients[0]


#: Schaeffer et al. 2025, arXiv 2509.24012.
KINDS = {
    kind.name: kind
    for kind in (
        PassKind("compute", "E0 + C0 C^-alpha", ("compute",), COMPUTE, ("E0", "C0", "alpha")),
        PassKind(
            "params-tokens",
            "E0 + N0 N^-beta + D0 D^-gamma",
            ("params", "tokens"),
            PARAMS_TOKENS,
            ("E0", "N0", "D0", "beta", "gamma"),
        ),
        PassKind(
            "gold", "xi0 + K0 g^kappa", ("gold",), COMPUTE, ("xi0", "K0", "kappa"), axis="gold"
        ),
    )
}


def kind_of(law: str) -> PassKind:
    """A law by name, or a ValueError."""
    if law not in KINDS:
        raise ValueError(f"law={law!r}: must be one of {', '.join(KINDS)}")
    return KINDS[law]
