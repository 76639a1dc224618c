"""Double-double arithmetic, logarithm and exponential: about 106 bits, from plain float operations.

A power product exp(sum e_i ln x_i) loses eps |ln x| where its exponent is a float: a factor of 150 at 1e65,
and every digit of a small ln x that large terms cancel to.  Here the exponent is a `Wide`, the unevaluated
sum hi + lo of two floats with |lo| <= ulp(hi)/2, and only the last step rounds.

The arithmetic is made of + - * / alone, so hi and lo may be floats or NumPy float64 arrays, which broadcast
as usual.  `isoflop.numeric._wide_array` has the functions for arrays; both modules call the kernels below, so
they agree bit for bit.  Products split their operands: that overflows beyond 2^996 = 6.7e299, and low digits
are lost in products below about 2^-968.  Multiply exponents and logarithms, not the numbers themselves.

References
----------
.. [1] T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18
   (1971).
.. [2] M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error bounds for basic building blocks of
   double-word arithmetic", ACM Trans. Math. Softw. 44 (2017).
"""

from __future__ import annotations

import math

from ._wide_table import EXP, EXP_STEPS, LN2_HI, LN2_LO, LN2_MID, LOG, LOG_FIRST, LOG_STEPS

TYPE_CHECKING = False  # the name type checkers look for; importing typing would cost start-up time
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Real: TypeAlias = Any  # a float, or a float64 array
    Pair: TypeAlias = tuple[Real, Real]

SPLITTER = 2.0**27 + 1.0
ROUNDER = 1.5 * 2.0**52  # (x + ROUNDER) - ROUNDER is x rounded to an integer, half to even
STEPS_PER_NAT = EXP_STEPS / (LN2_HI + LN2_MID)
SQRT_HALF = math.sqrt(0.5)
THIRD_HI = 1.0 / 3.0
THIRD_LO = THIRD_HI * 2.0**-54  # the bits of 1/3 repeat

EXP_MAX = 710.0  # e^x overflows above 709.783
EXP_MIN = -746.0  # e^x rounds to 0 below -745.134
EXPM1_MIN = -40.0  # e^x - 1 rounds to -1 below -37.43
MIN_NORMAL_EXPONENT = -1022


# Error-free transformations: the rounded result and its rounding error.


def two_sum(a: Real, b: Real) -> Pair:
    """Return s, e with s = a + b rounded and s + e = a + b exactly (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def fast_two_sum(a: Real, b: Real) -> Pair:
    """Return `two_sum(a, b)` where |a| >= |b| or a = 0 (Dekker)."""
    s = a + b
    return s, b - (s - a)


def two_product(a: Real, b: Real) -> Pair:
    """Return p, e with p = a b rounded and p + e = a b exactly (Dekker, Veltkamp).

    Exact while |a|, |b| < 2^996 and a b is 0 or at least 2^-968 in size, and does not overflow.
    """
    p = a * b
    t = SPLITTER * a
    a_hi = t - (t - a)
    a_lo = a - a_hi
    t = SPLITTER * b
    b_hi = t - (t - b)
    b_lo = b - b_hi
    return p, a_lo * b_lo - (((p - a_hi * b_hi) - a_lo * b_hi) - a_hi * b_lo)


# On pairs: relative errors of at most 3 ([2], algorithm 6), 7 ([2], algorithm 10) and 15 times 2^-106.


def _add(a_hi: Real, a_lo: Real, b_hi: Real, b_lo: Real) -> Pair:
    s, s_err = two_sum(a_hi, b_hi)
    t, t_err = two_sum(a_lo, b_lo)
    s, c = fast_two_sum(s, s_err + t)
    return fast_two_sum(s, c + t_err)


def _mul(a_hi: Real, a_lo: Real, b_hi: Real, b_lo: Real) -> Pair:
    p, e = two_product(a_hi, b_hi)
    return fast_two_sum(p, e + (a_hi * b_lo + a_lo * b_hi))


def _div(a_hi: Real, a_lo: Real, b_hi: Real, b_lo: Real) -> Pair:
    q = a_hi / b_hi
    p, e = two_product(q, b_hi)
    rest = ((a_hi - p) - e) + (a_lo - q * b_lo)
    return fast_two_sum(q, rest / b_hi)


class Wide:
    """A number held as the unevaluated sum hi + lo, |lo| <= ulp(hi)/2.

    Takes part in + - * / and unary minus with `Wide`, float, int (beyond 2^53 as a pair) and float64 arrays,
    on either side.  In the domain that the module states the relative error is at most 15 * 2^-106 = 1.9e-31.

    Parameters
    ----------
    hi, lo : float or ndarray of float64
        The rounded number and the rest.
    """

    __slots__ = ("hi", "lo")
    __array_ufunc__ = None  # array + Wide is left to Wide.__radd__

    def __init__(self, hi: Real, lo: Real = 0.0) -> None:
        self.hi = hi
        self.lo = lo

    def __repr__(self) -> str:
        return f"Wide({self.hi!r}, {self.lo!r})"

    def __float__(self) -> float:
        return float(self.hi)

    def __neg__(self) -> Wide:
        return Wide(-self.hi, -self.lo)

    def __add__(self, other: Wide | Real) -> Wide:
        return Wide(*_add(self.hi, self.lo, *pair(other)))

    def __sub__(self, other: Wide | Real) -> Wide:
        b_hi, b_lo = pair(other)
        return Wide(*_add(self.hi, self.lo, -b_hi, -b_lo))

    def __mul__(self, other: Wide | Real) -> Wide:
        return Wide(*_mul(self.hi, self.lo, *pair(other)))

    def __truediv__(self, other: Wide | Real) -> Wide:
        return Wide(*_div(self.hi, self.lo, *pair(other)))

    def __rsub__(self, other: Real) -> Wide:
        return Wide(*_add(*pair(other), -self.hi, -self.lo))

    def __rtruediv__(self, other: Real) -> Wide:
        return Wide(*_div(*pair(other), self.hi, self.lo))

    __radd__ = __add__
    __rmul__ = __mul__


def pair(x: Wide | Real) -> Pair:
    """Return hi, lo of x: a Wide, a float, an int or a float64 array."""
    if isinstance(x, Wide):
        return x.hi, x.lo
    if isinstance(x, float):
        return x, 0.0
    if isinstance(x, int):
        try:
            hi = float(x)
        except OverflowError:
            raise ValueError(f"x has {x.bit_length()} bits and must be in the range of a float") from None
        return hi, float(x - int(hi))
    if getattr(x, "dtype", None) == "float64":
        return x, 0.0
    raise TypeError(f"x = {x!r} must be a Wide, float, int or float64 array")


def wide(x: Wide | Real) -> Wide:
    """Return x as a `Wide`: exact for a float, an array and an int below 2^106."""
    return Wide(*pair(x))


def ratio(p: int, q: int) -> Wide:
    """Return p/q for integers, with a relative error of at most 2^-106.

    Raises
    ------
    ValueError
        If q is 0.
    """
    if q == 0:
        raise ValueError(f"q = {q} must be a nonzero integer (the denominator of {p}/{q})")
    hi = p / q
    n, d = hi.as_integer_ratio()
    return Wide(hi, (p * d - n * q) / (q * d))


def log(x: Wide | float) -> Wide:
    """Return ln x.

    With x = 2^k m, c = j/256 nearest to m and f = (m - c)/(m + c): ln x = k ln 2 + ln c + 2 atanh f.
    At 1, where k = 0 and c = 1, f alone remains: relative precision is kept there.

    Parameters
    ----------
    x : float, int or Wide
        A positive finite number; subnormal numbers are exact.

    Returns
    -------
    Wide
        ln x with an error of at most 1e-30 max(1, |ln x|), and of at most 1e-28 |ln x|.

    Raises
    ------
    ValueError
        If x is not positive and finite.
    """
    hi, lo = pair(x)
    if not 0.0 < hi + lo < math.inf:
        raise ValueError(f"x = {x!r} must be positive and finite (argument of log)")
    m, k = math.frexp(hi)
    if m < SQRT_HALF:
        m, k = 2.0 * m, k - 1
    j = int(m * LOG_STEPS + 0.5)
    return Wide(*log_kernel(k, m, math.ldexp(lo, -k), j / LOG_STEPS, *LOG[j - LOG_FIRST]))


def log1p(x: float) -> Wide:
    """Return ln(1 + x) for a float x > -1, with the precision of `log`, also for small x.

    Raises
    ------
    ValueError
        If x is not in (-1, inf).
    """
    if not -1.0 < x < math.inf:
        raise ValueError(f"x = {x!r} must be finite and greater than -1 (argument of log1p)")
    return log(Wide(*two_sum(1.0, x)))


def log_kernel(k: Real, m_hi: Real, m_lo: Real, c: Real, log_c_hi: Real, log_c_lo: Real) -> Pair:
    """Return ln(2^k m) as a pair, for m within 1/512 of c (floats or arrays)."""
    n_hi, n_lo = two_sum(m_hi - c, m_lo)
    d_hi, d_lo = two_sum(m_hi, c)
    f = _div(n_hi, n_lo, d_hi, d_lo + m_lo)
    # atanh f = f + f t (1/3 + t/5 + t^2/7 + ...), t = f^2 < 2e-6: from t/5 on, float precision is enough
    t = _mul(*f, *f)
    u = t[0]
    tail = u * (1 / 5 + u * (1 / 7 + u / 9))
    v_hi, v_lo = fast_two_sum(THIRD_HI, tail)
    a_hi, a_lo = _add(*f, *_mul(*f, *_mul(*t, v_hi, v_lo + THIRD_LO)))
    e_hi, e_lo = fast_two_sum(k * LN2_HI, k * LN2_MID)
    return _add(*_add(e_hi, e_lo + k * LN2_LO, log_c_hi, log_c_lo), 2.0 * a_hi, 2.0 * a_lo)


def exp(x: Wide | float) -> float:
    """Return e^x rounded to a float.

    With n = round(64 x / ln 2) and r = x - n ln 2 / 64: e^x = 2^(n/64) (1 + expm1 r).

    Parameters
    ----------
    x : Wide, float or int

    Returns
    -------
    float
        e^x within 0.501 ulp, subnormal results included; 0.0 where e^x is below half the smallest subnormal.

    Raises
    ------
    OverflowError
        If e^x exceeds the largest float.
    ValueError
        If x is NaN.
    """
    hi, lo = pair(x)
    if hi < EXP_MIN:
        return 0.0
    p_hi, p_lo, e = _scaled_exp(hi, lo)
    if e <= MIN_NORMAL_EXPONENT:
        return math.ldexp(round_subnormal(p_hi, p_lo, math.ldexp(1.0, MIN_NORMAL_EXPONENT - e)), e)
    return _ldexp(p_hi + p_lo, e, hi)


def wide_exp(x: Wide | float) -> Wide:
    """Return e^x before its rounding to a float, with a relative error of at most 2^-66: for sums with it.

    Raises
    ------
    OverflowError
        If e^x exceeds the largest float.
    ValueError
        If x is NaN.
    """
    hi, lo = pair(x)
    if hi < EXP_MIN:
        return Wide(0.0)
    p_hi, p_lo, e = _scaled_exp(hi, lo)
    return Wide(_ldexp(p_hi, e, hi), math.ldexp(p_lo, e))


def expm1(x: Wide | float) -> float:
    """Return e^x - 1 rounded to a float, within 0.76 ulp, near x = 0 too.

    Raises
    ------
    OverflowError
        If e^x exceeds the largest float.
    ValueError
        If x is NaN.
    """
    hi, lo = pair(x)
    if hi < EXPM1_MIN:
        return -1.0
    p_hi, p_lo, e = _scaled_exp(hi, lo)
    return _ldexp(minus_unit(p_hi, p_lo, math.ldexp(1.0, -e)), e, hi)


def _scaled_exp(hi: float, lo: float) -> tuple[float, float, int]:
    """Return p_hi, p_lo, e with e^x = 2^e (p_hi + p_lo), 0.99 < p_hi < 2."""
    if hi > EXP_MAX:
        raise _overflow(hi)
    if math.isnan(hi + lo):
        raise ValueError(f"x = {Wide(hi, lo)!r} must be a number (argument of exp)")
    n = round_to_integer(hi * STEPS_PER_NAT)
    e, j = divmod(int(n), EXP_STEPS)
    return *exp_kernel(hi, lo, n, *EXP[j]), e


def _ldexp(p: float, e: int, x: float) -> float:
    try:
        return math.ldexp(p, e)
    except OverflowError:
        raise _overflow(x) from None


def _overflow(x: float) -> OverflowError:
    return OverflowError(f"x = {x!r} must be at most 709.78: e^x exceeds the largest float")


def round_to_integer(x: Real) -> Real:
    """Return x rounded to an integer, as a float, for |x| < 2^51."""
    return (x + ROUNDER) - ROUNDER


def exp_kernel(hi: Real, lo: Real, n: Real, root_hi: Real, root_lo: Real) -> Pair:
    """Return root * exp(x - n ln 2 / 64) as a pair, for n nearest to 64 x / ln 2 (floats or arrays)."""
    n = n / EXP_STEPS
    r_hi, r_lo = two_sum(hi - n * LN2_HI, -n * LN2_MID)
    r_hi, r_lo = two_sum(r_hi, r_lo + (lo - n * LN2_LO))
    # expm1 r = r + r^2 (1/2 + r/6 + ...), |r| < 0.0055: 2^-68 of the result is lost from the square on
    tail = 1 / 2 + r_hi * (1 / 6 + r_hi * (1 / 24 + r_hi * (1 / 120 + r_hi * (1 / 720 + r_hi / 5040))))
    q_hi, q_lo = fast_two_sum(r_hi, r_lo + r_hi * r_hi * tail)
    p, p_err = two_product(root_hi, q_hi)
    s, s_err = fast_two_sum(root_hi, p)
    return s, s_err + (p_err + (root_lo + (root_hi * q_lo + root_lo * q_hi)))


def minus_unit(p_hi: Real, p_lo: Real, unit: Real) -> Real:
    """Return p_hi + p_lo - unit, rounded once: (e^x - 1)/2^e where unit = 2^-e."""
    s, s_err = two_sum(p_hi, -unit)
    return s + (s_err + p_lo)


def round_subnormal(p_hi: Real, p_lo: Real, bias: Real) -> Real:
    """Return p_hi + p_lo rounded to a multiple of ulp(bias) where p_hi < bias, to a float elsewhere.

    With bias = 2^(-1022-e) that ulp, times 2^e, is the spacing of subnormal numbers: scaling rounds no more.
    """
    small = p_hi < bias
    shift = small * bias
    s, s_err = two_sum(shift, p_hi)
    return (s + (s_err + p_lo)) - shift
