r"""Broken neural scaling laws, and the two-term law along a fixed ratio as one of them.

.. math:: y = a + b\,C^{-c_0} \prod_{i=1}^n \left(1 + (C/d_i)^{1/f_i}\right)^{-c_i f_i}.

The local exponent -dlog|y - a|/dlog C is c_0 well below the first break and changes by c_i across
the break d_i, from a tenth to nine tenths of that over 2 f_i log 9 of log C. Source: Caballero et
al. 2023, arXiv 2210.14891.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import formulas
from ..errors import positive_array, positive_number
from .broken_model import AHEAD, PER_BREAK, log_curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..law import Law

    Floats = NDArray[np.float64]

__all__ = ["Break", "BrokenLaw"]


@dataclass(frozen=True, kw_only=True)
class Break:
    """One break.

    Attributes
    ----------
    change : float
        c: by how much the exponent changes.
    compute : float
        d; FLOP, > 0.
    width : float
        f, in log C; > 0. A small f is a sharp break.
    """

    change: float
    compute: float
    width: float

    def __post_init__(self) -> None:
        for name in ("compute", "width"):
            positive_number(name, getattr(self, name))


@dataclass(frozen=True, kw_only=True)
class BrokenLaw:
    """y = a + b C^-c0 prod_i (1 + (C/d_i)^(1/f_i))^(-c_i f_i), with numbers for its coefficients.

    Attributes
    ----------
    a : float
        The asymptote; of accuracy the limit for little compute where y - a grows, for much where it
        falls.
    b : float
        Not 0; below 0 where y lies below a.
    c0 : float
        Exponent below the first break.
    breaks : tuple of Break
        In the order of compute.

    Examples
    --------
    >>> law = BrokenLaw(a=0.9, b=-50.0, c0=0.1, breaks=(Break(change=0.2, compute=1e21, width=0.5),))
    >>> round(float(law.accuracy(1e22)), 4)
    0.7011
    """

    a: float
    b: float
    c0: float
    breaks: tuple[Break, ...] = ()

    @classmethod
    def from_coefficients(cls, coefficients: Floats) -> BrokenLaw:
        """The law of a, b, c0, c1, d1, f1, ... in this order."""
        a, b, c0 = map(float, coefficients[:AHEAD])
        rows = np.asarray(coefficients[AHEAD:]).reshape(-1, PER_BREAK).tolist()
        breaks = (Break(change=c, compute=d, width=f) for c, d, f in rows)
        return cls(a=a, b=b, c0=c0, breaks=tuple(breaks))

    @classmethod
    def of_ray(cls, law: Law, tokens_per_param: float) -> BrokenLaw:
        """A two-term law at D = t N under C = 6 N D: exactly a law with one break and c1 f1 = -1,
        or with none for beta = gamma.

        Raises
        ------
        ValueError
            Where the law lacks a coefficient, or the ratio is not positive.
        """
        t = positive_number("tokens_per_param", tokens_per_param)
        if law.E is None or law.A is None or law.B is None:
            raise ValueError(f"law={law.name!r}: E, A and B must have values")
        from_params = float(formulas.log_b_of_ray(t, law.A, law.beta))
        from_tokens = float(formulas.log_b_of_ray_from_tokens(t, law.B, law.gamma))
        steep, flat = max(law.beta, law.gamma), min(law.beta, law.gamma)
        c0 = float(formulas.c0_of_ray(steep))
        if steep == flat:
            return cls(a=law.E, b=math.exp(from_params) + math.exp(from_tokens), c0=c0)
        log_place = formulas.log_break_of_ray(t, law.A, law.B, law.beta, law.gamma)
        place = Break(
            change=float(formulas.c1_of_ray(steep, flat)),
            compute=math.exp(float(log_place)),
            width=float(formulas.f1_of_ray(steep, flat)),
        )
        steeper = from_params if law.beta > law.gamma else from_tokens
        return cls(a=law.E, b=math.exp(steeper), c0=c0, breaks=(place,))

    @property
    def coefficients(self) -> Floats:
        """(p,): a, b, c0, c1, d1, f1, ..."""
        breaks = [x for part in self.breaks for x in (part.change, part.compute, part.width)]
        return np.array([self.a, self.b, self.c0, *breaks])

    def accuracy(self, compute: Any) -> Any:
        """y, of the shape of ``compute`` (FLOP, > 0). Nothing keeps it between 0 and 1."""
        x = positive_array("compute", compute)
        height = np.exp(log_curve(self.coefficients[None], np.log(x.ravel()))[0])
        return (self.a + math.copysign(1.0, self.b) * height).reshape(x.shape)[()]

    @property
    def product(self) -> float:
        """c1 f1 of the first break: -1 for a two-term law at a fixed ratio."""
        return self.breaks[0].change * self.breaks[0].width
