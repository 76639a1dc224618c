"""What K params+tokens laws at once imply at given runs and budgets: arrays of one row a law."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import formulas

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Laws"]

#: A law whose optimum lies further than exp of this from its terms' balance at one FLOP has lost a
#: term.
FARTHEST = 300.0


class Laws(NamedTuple):
    """Coefficients of K laws E + A N^-beta + B D^-gamma, each (K,)."""

    E: Floats
    A: Floats
    B: Floats
    beta: Floats
    gamma: Floats

    @classmethod
    def of(cls, coefficients: Any) -> Laws:
        """From rows E, A, B, beta, gamma."""
        return cls(*np.atleast_2d(np.asarray(coefficients, dtype=np.float64)).T)

    def __len__(self) -> int:
        return int(self.E.size)

    def some(self, chosen: Any) -> Laws:
        """The chosen ones."""
        return Laws(*(column[chosen] for column in self))

    @property
    def sound(self) -> NDArray[np.bool_]:
        """Whether neither term has vanished, so that there is an optimum to speak of; (K,)."""
        with np.errstate(all="ignore"):
            far = np.abs(np.log(self.A) - np.log(self.B)) / (self.beta + self.gamma)
            return np.asarray(np.isfinite(np.stack(self)).all(axis=0) & (far < FARTHEST))

    @property
    def terms(self) -> dict[str, Floats]:
        """The columns that broadcast against rows of runs."""
        return {name: getattr(self, name)[:, None] for name in ("A", "B", "beta", "gamma")}

    def losses(self, params: Floats, tokens: Floats) -> Floats:
        """L(N, D) at n runs; (K, n)."""
        return formulas.loss(params, tokens, self.E[:, None], **self.terms)

    def moved(self, losses: Floats, params: Floats, tokens: Floats, there: Floats) -> Floats:
        """Losses (K, n) moved along each law from the runs to where it has the losses `there`: L
        there/L(N, D).
        """
        return losses * there / self.losses(params, tokens)

    def envelope(self, compute: Floats) -> Floats:
        """L*(C) at n budgets; (K, n)."""
        return formulas.optimal_loss(compute, self.E[:, None], **self.terms)

    def ray(self, compute: Floats, tokens_per_param: float) -> Floats:
        """L(C) at n budgets on the ray D = t N; (K, n)."""
        reducible = formulas.ray_reducible_loss(compute, tokens_per_param, **self.terms)
        return formulas.loss_at(reducible, self.E[:, None])

    def params(self, compute: Floats) -> Floats:
        """N*(C); (K, n)."""
        return formulas.optimal_params(compute, **self.terms)

    def tokens(self, compute: Floats) -> Floats:
        """D*(C); (K, n)."""
        return formulas.optimal_tokens(compute, **self.terms)

    @property
    def alpha(self) -> Floats:
        """Exponent of the envelope; (K,)."""
        return formulas.exponent(self.beta, self.gamma)

    @property
    def log_C0(self) -> Floats:
        """Log coefficient of the envelope; (K,)."""
        return np.log(formulas.coefficient(self.A, self.B, self.beta, self.gamma))

    @property
    def shares(self) -> Floats:
        """w_N and w_D, the exponents of N*(C) and D*(C); (K, 2)."""
        both = (formulas.params_share, formulas.tokens_share)
        return np.stack([share(self.beta, self.gamma) for share in both], axis=-1)
