r"""Differences of f = log Gamma without cancellation: for x > 0 and s, t >= 0

    first:    f(x + t) - f(x),
    second:   f(x + s + t) - f(x + s) - f(x + t) + f(x),

each as a sum of terms of one sign, or of terms that cancel by a small factor only: subtracting
values of log Gamma at 1e9 leaves no digit of a difference of 1e-6. Two steps:

* f(x) = f(x + 1) - log x: the differences of log x add up with one sign (below), until x >= 12.
* Stirling's series there. Its terms are y log y, log y and odd powers 1/y^m, and with sigma = s/x <=
  tau = t/x

      log x:    -log(1 + rho),  rho = sigma tau/(1 + sigma + tau)
      1/x^m:    x^-m [(1 - v^m)(1 - w^m) + z^m (1 - e^m)],
                v = 1/(1 + sigma), w = 1/(1 + tau), e = 1/(1 + rho), z = 1/(1 + sigma + tau)
      x log x:  x [sigma log(1 + tau) - phi(sigma) + T chi(sigma/T)],  T = 1 + sigma + tau,
                phi(z) = (1 + z) log(1 + z) - z,  chi(z) = -log(1 - z) - z.

  The second line is the product of first differences plus what x + s + t lacks to (x + s)(x + t)/x.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["rise", "second"]

#: Stirling's series is used from here on; its first neglected term is then below 1e-14 of the
#: difference.
LARGE = 12
#: B_2, B_4, ..., B_12.
BERNOULLI = (
    Fraction(1, 6),
    Fraction(-1, 30),
    Fraction(1, 42),
    Fraction(-1, 30),
    Fraction(5, 66),
    Fraction(-691, 2730),
)
#: Coefficients of x^-m beside (x - 1/2) log x, log x and nothing; by the power m.
LOG_GAMMA = {2 * j - 1: float(b / (2 * j * (2 * j - 1))) for j, b in enumerate(BERNOULLI, 1)}
#: log(1 + z) = 2 atanh r, r = z/(2 + z): r^2 <= 1/9 for |z| <= 1/2, and 9^-17 is below a rounding
#: error.
ATANH = tuple(1.0 / (2 * i + 3) for i in range(17))


def rise(x: Any, t: Any) -> Floats:
    """log Gamma(x + t) - log Gamma(x) for x > 0, t >= 0, arrays that broadcast: to rounding errors
    of t log(x + t).

    Sums of these with both signs cancel where x is large; that is what `second` is for.
    """
    x, t = _arrays(x, t)
    found = np.zeros(x.shape)
    low = x < LARGE
    if low.any():
        found[low] = -np.log1p(t[low] / _ladder(x[low])).sum(axis=0)
        x = np.where(low, x + LARGE, x)
    found += (x - 0.5) * np.log1p(t / x) + t * (np.log(x + t) - 1.0)
    # lost is 1 - (x/(x + t))^m, power x^-m, for m = 1, 3, 5, ...
    inverse, ratio = 1.0 / x, x / (x + t)
    lost = t / (x + t)
    two_steps, squared, power, smaller = (
        lost * (1.0 + ratio),
        ratio * ratio,
        inverse,
        inverse * inverse,
    )
    for coefficient in LOG_GAMMA.values():
        found -= coefficient * power * lost
        lost = two_steps + squared * lost
        power = power * smaller
    return found


def second(x: Any, s: Any, t: Any) -> Floats:
    """log Gamma(x + s + t) - log Gamma(x + s) - log Gamma(x + t) + log Gamma(x), at least 0, for
    x > 0 and s, t >= 0, arrays that broadcast.
    """
    x, s, t = _arrays(x, s, t)
    found = np.zeros(x.shape)
    low = x < LARGE
    if low.any():
        found[low] = np.log1p(_Parts.of(_ladder(x[low]), s[low], t[low]).rho).sum(axis=0)
        x = np.where(low, x + LARGE, x)
    parts = _Parts.of(x, s, t)
    found += x * _of_xlogx(np.minimum(s, t) / x, np.maximum(s, t) / x) + 0.5 * np.log1p(parts.rho)
    for m, difference in enumerate(parts.powers(max(LOG_GAMMA)), 1):
        found += LOG_GAMMA.get(m, 0.0) * difference
    return found


class _Parts(NamedTuple):
    """What the second differences of log x and of x^-m are made of; the three u are 1 - v, 1 - w
    and 1 - e.
    """

    x: Any
    rho: Any
    u: tuple[Any, Any, Any]
    one_minus_u: tuple[Any, Any, Any]
    z: Any

    @classmethod
    def of(cls, x: Any, s: Any, t: Any) -> _Parts:
        xs, xt, xst = x + s, x + t, x + s + t
        return cls(
            x,
            (s / x) * (t / xst),
            (s / xs, t / xt, (s / xs) * (t / xt)),
            (x / xs, x / xt, (x / xs) * (xst / xt)),
            x / xst,
        )

    def powers(self, most: int) -> Any:
        """The second differences of x^-1, x^-2, ..., x^-most."""
        lost = self.u
        inverse, z = 1.0 / self.x, self.z
        power, z_power = inverse, z
        for _ in range(most):
            yield power * (lost[0] * lost[1] + z_power * lost[2])
            # 1 - v^(m + 1) = (1 - v) + v (1 - v^m)
            lost = tuple(u + v * r for u, v, r in zip(self.u, self.one_minus_u, lost, strict=True))
            power, z_power = power * inverse, z_power * z


def _of_xlogx(low: Floats, high: Floats) -> Floats:
    """The second difference of x log x, over x, at sigma = low <= tau = high."""
    total = 1.0 + low + high
    small = np.minimum(low, 0.5)
    phi = np.where(
        low <= 0.5,
        small * small + (1.0 + small) * _log1p_minus(small),
        (1.0 + low) * np.log1p(low) - low,
    )
    found: Floats = low * np.log1p(high) - phi - total * _log1p_minus(-low / total)
    return found


def _log1p_minus(z: Floats) -> Floats:
    """log(1 + z) - z for |z| <= 1/2: -z r + 2 r^3 (1/3 + r^2/5 + ...), r = z/(2 + z)."""
    r = z / (2.0 + z)
    square = r * r
    series = np.full_like(r, ATANH[-1])
    for coefficient in ATANH[-2::-1]:
        series *= square
        series += coefficient
    return 2.0 * r * square * series - z * r


def _arrays(*values: Any) -> tuple[Floats, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values)))


def _ladder(x: Floats) -> Floats:
    """x, x + 1, ..., x + 11 along a new first axis."""
    return x + np.arange(float(LARGE)).reshape(-1, *(1,) * x.ndim)
