"""Expansions of the cost of misallocation in s = log r.

P(s) = w_N e^(-beta s) + w_D e^(g s) is the moment generating function of a variable that is -beta
with probability w_N and g = gamma a/d with probability w_D; its mean is 0, so log P expands in the
cumulants.
"""

from __future__ import annotations

from sympy import Add, Expr, Integer

from .algebra import symbols as sym
from .penalty import Misallocation

R, S = sym.SIZE_RATIO, sym.LOG_SIZE_RATIO


def moment(m: Misallocation, order: int) -> Expr:
    """E X^n = w_N (-beta)^n + w_D g^n, the n-th derivative of P at s = 0."""
    (w_n, w_d), (b, g) = m._weights, m._exponents
    return (w_n * (-b) ** order + w_d * g**order).factor()


def cumulants(m: Misallocation) -> tuple[Expr, ...]:
    """beta g, beta g (g - beta), beta g (beta^2 - 4 beta g + g^2): derivatives 2 to 4 of log P at s
    = 0.
    """
    second, third, fourth = (moment(m, n) for n in (2, 3, 4))
    return second, third, (fourth - 3 * second**2).factor()


def log_penalty_series(m: Misallocation, order: int = 4) -> Expr:
    """Taylor polynomial of log P in s, up to order 4: sum kappa_n s^n / n!."""
    if not 2 <= order <= 4:
        raise ValueError(f"order={order}: must be 2, 3 or 4")
    factorials = (Integer(2), Integer(6), Integer(24))
    terms = zip(cumulants(m), factorials, range(2, 5), strict=True)
    return Add(*((k / f).factor() * S**n for k, f, n in terms if n <= order))


def log_effective_compute_series(m: Misallocation, order: int = 4) -> Expr:
    """Taylor polynomial of log(C_eff/C) = -log(P)/alpha in s: -((b+g)/2) s^2 + ((b^2-g^2)/6) s^3 +
    ... under C = 6 N D.
    """
    series, alpha = log_penalty_series(m, order), m.envelope.exponent
    return Add(*((-series.coeff(S, n) / alpha).factor() * S**n for n in range(2, order + 1)))


def log_overhead_series(m: Misallocation, order: int = 3) -> Expr:
    """Taylor polynomial in s of log(k^a k_D^d), the compute that reaches L*(C) with N = k N*, k =
    e^s, relative to C.

    With q = (P - 1) e^(-g s)/w_D it is -(d/gamma) log(1 - q); ((b+g)/2) s^2 - ((b+g)(b+2g)/6) s^3 +
    ... under C = 6 N D.
    """
    if not 2 <= order <= 3:
        raise ValueError(f"order={order}: must be 2 or 3")
    (_, w_d), (_, g) = m._weights, m._exponents
    second, third = moment(m, 2) / 2, moment(m, 3) / 6
    scale = m._overhead_power / w_d
    coefficients = {2: scale * second, 3: scale * (third - g * second)}
    return Add(*(coefficients[n].factor() * S**n for n in range(2, order + 1)))
