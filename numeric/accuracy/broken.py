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
from ..errors import nonnegative_number, number, outside, positive_array, positive_number
from ..law import Law
from .broken_model import AHEAD, PER_BREAK, log_curve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Break", "BrokenLaw"]

#: c1 f1 this close to -1 is -1, where no standard error is given.
CLOSE = 1e-6
POSITIVE_EXPONENTS = (
    "above 0 on both sides of the break: otherwise its two terms do not both fall with compute"
)


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
        object.__setattr__(self, "change", number("change", self.change))
        object.__setattr__(self, "compute", positive_number("compute", self.compute))
        object.__setattr__(self, "width", positive_number("width", self.width))


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

    Raises
    ------
    ValueError
        Where a coefficient is outside its domain.

    Examples
    --------
    >>> law = BrokenLaw(a=0.9, b=-50.0, c0=0.1, breaks=(Break(change=0.2, compute=1e21, width=0.5),))
    >>> round(float(law.accuracy(1e22)), 4)
    0.7011
    >>> round(float(law.local_exponent(1e21)), 4)
    0.2
    """

    a: float
    b: float
    c0: float
    breaks: tuple[Break, ...] = ()

    def __post_init__(self) -> None:
        for name in ("a", "b", "c0"):
            object.__setattr__(self, name, number(name, getattr(self, name)))
        if self.b == 0.0:
            raise outside("b", self.b, "a number other than 0")
        object.__setattr__(
            self, "breaks", tuple(sorted(self.breaks, key=lambda part: part.compute))
        )

    @classmethod
    def from_coefficients(cls, coefficients: Any) -> BrokenLaw:
        """The law of a, b, c0, c1, d1, f1, ... in this order."""
        values = [float(value) for value in coefficients]
        if len(values) < AHEAD or (len(values) - AHEAD) % PER_BREAK:
            raise ValueError(
                f"coefficients: {len(values)} numbers; must be a, b, c0 and three for each break"
            )
        a, b, c0, *rest = values
        parts = (rest[i : i + PER_BREAK] for i in range(0, len(rest), PER_BREAK))
        return cls(
            a=a, b=b, c0=c0, breaks=tuple(Break(change=c, compute=d, width=f) for c, d, f in parts)
        )

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
        place = Break(
            change=float(formulas.c1_of_ray(steep, flat)),
            compute=math.exp(
                float(formulas.log_break_of_ray(t, law.A, law.B, law.beta, law.gamma))
            ),
            width=float(formulas.f1_of_ray(steep, flat)),
        )
        return cls(
            a=law.E,
            b=math.exp(from_params if law.beta > law.gamma else from_tokens),
            c0=c0,
            breaks=(place,),
        )

    @property
    def coefficients(self) -> Floats:
        """(p,): a, b, c0, c1, d1, f1, ..."""
        ahead = [self.a, self.b, self.c0]
        return np.array(
            ahead
            + [value for part in self.breaks for value in (part.change, part.compute, part.width)]
        )

    def accuracy(self, compute: Any) -> Any:
        """y, of the shape of ``compute`` (FLOP, > 0). Nothing keeps it between 0 and 1."""
        x = positive_array("compute", compute)
        logs = np.log(x.ravel())
        height = np.exp(log_curve(self.coefficients[None], logs)[0])
        return (self.a + math.copysign(1.0, self.b) * height).reshape(x.shape)[()]

    def local_exponent(self, compute: Any) -> Any:
        """-dlog|y - a|/dlog C, of the shape of ``compute`` (FLOP, > 0)."""
        logs = np.log(positive_array("compute", compute))
        found = np.full(logs.shape, self.c0)
        for part in self.breaks:
            found -= formulas.break_slopes(part.change, logs - math.log(part.compute), part.width)[
                2
            ]
        return found[()]

    @property
    def exponents(self) -> tuple[float, ...]:
        """c0, c0 + c1, ...: the exponents between the breaks."""
        return tuple(np.cumsum([self.c0, *(part.change for part in self.breaks)]).tolist())

    @property
    def product(self) -> float:
        """c1 f1 of a law with one break: -1 for a two-term law at a fixed ratio."""
        self._one_break()
        return self.breaks[0].change * self.breaks[0].width

    def as_ray(
        self,
        tokens_per_param: float,
        *,
        tolerance: float = CLOSE,
        steeper: str = "params",
        name: str = "ray",
    ) -> Law:
        """The two-term law that is this law at D = t N under C = 6 N D, where c1 f1 = -1.

        Parameters
        ----------
        tokens_per_param : float
            t; > 0.
        tolerance : float
            How far c1 f1 may be from -1; the two terms then have the exponents c0 and c0 + c1 and
            agree at the break.
        steeper : {"params", "tokens"}
            Whose term has the larger exponent: runs at one ratio do not tell.
        name : str

        Raises
        ------
        ValueError
            Where there is not one break, c1 f1 is not -1, or a coefficient has the wrong sign for a
            sum of two falling terms.
        """
        self._one_break()
        t = positive_number("tokens_per_param", tokens_per_param)
        if abs(self.product + 1.0) > nonnegative_number("tolerance", tolerance):
            raise ValueError(
                f"c1 f1={self.product!r}: must be -1 to within {tolerance!r} for a two-term law at "
                f"a fixed ratio"
            )
        p, q = self.exponents
        if not (self.b > 0.0 and self.a >= 0.0 and min(p, q) > 0.0):
            raise ValueError(
                f"a={self.a!r}, b={self.b!r}, c0={p!r}, c0 + c1={q!r}: must be a >= 0, b > 0 and "
                f"exponents {POSITIVE_EXPONENTS}"
            )
        if steeper not in ("params", "tokens"):
            raise ValueError(f"steeper={steeper!r}: must be params or tokens")
        b, d1 = self.b, self.breaks[0].compute
        if steeper == "tokens":
            b, p, q = math.exp(float(formulas.log_b_reversed(b, d1, p, q))), q, p
        return Law(
            E=self.a,
            A=math.exp(float(formulas.log_A_of_ray(t, b, p))),
            B=math.exp(float(formulas.log_B_of_ray(t, b, d1, p, q))),
            beta=float(formulas.beta_of_ray(p)),
            gamma=float(formulas.gamma_of_ray(q)),
            name=name,
        )

    def _one_break(self) -> None:
        if len(self.breaks) != 1:
            raise ValueError(
                f"breaks={len(self.breaks)}: must be 1 for a two-term law at a fixed ratio"
            )

    def __str__(self) -> str:
        parts = "".join(
            f" (1 + (C/{part.compute:.4g})^(1/{part.width:.4g}))^({-part.change * part.width:+.4g})"
            for part in self.breaks
        )
        return (
            f"{self.a:.6g} {'-' if self.b < 0 else '+'} {abs(self.b):.4g} C^{-self.c0:.4g}{parts}"
        )
