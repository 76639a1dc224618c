r"""Beta distributed success rates: pass@k for any k, and the likelihood of counts.

Over the problems of a benchmark let the chance p that one sample is correct be Beta(a, b), except
for a share pi0 of problems that no sample solves (the atom). The closed form of fail@k is that of
isoflop.derivations.passk.pass_at_k_of_beta_problems, and -log pass@k has the two forms of
isoflop.derivations.passk.pass_at_k_stable_form. The logarithm of fail@k is minus a second
difference of log Gamma,

    log fail@k = -[log Gamma(b) - log Gamma(b + a) - log Gamma(b + k) + log Gamma(b + a + k)],

and so is the likelihood of c correct and m = n - c wrong samples of a problem, as m failures
followed by c successes:

    log B(a + c, b + m)/B(a, b) = log fail@m of Beta(a, b) + log fail@c of Beta(b + m, a).

Neither loses digits, whatever the sizes of a, b, n and k
(`isoflop.numeric.passk.gamma_differences`).

**When sampling stopped does not matter.** A rule that decides from the outcomes seen so far (of any
problem or model) whether to draw another sample multiplies the probability of the record by factors
that are the same for every p, a and b. The likelihood of (a, b) is the same as for n fixed
beforehand: p^c (1 - p)^m averaged over p, with n and c as they ended up (the likelihood principle;
n and c are sufficient). What an estimator is on average does depend on the rule: c/n, or "n < k
counts as solved". What is not harmless for the likelihood: a rule that looks at anything else that
tells about p (dropping problems because they are hard), or dropping rows by their outcome.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .gamma_differences import rise, second

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "LikelihoodExpansion",
    "beta_neg_log_pass",
    "beta_pass",
    "log_beta_fail",
    "log_rising",
    "neg_log_pass",
]

LOG_2 = math.log(2.0)
#: A fit is certified where a further Newton step promises less than this many nats.
ENOUGH = 1e-12
MOST_STEPS = 200
#: Newton on two coordinates moves at most so far in one step.
LONGEST = 2.0
#: log a and log b beyond this are taken for infinite.
FARTHEST = 60.0


# -- pass@k ----------------------------------------------------------------------------------------


def log_beta_fail(a: ArrayLike, b: ArrayLike, k: ArrayLike) -> Floats:
    """log fail@k where p is Beta(a, b), for any real k >= 0.

    Parameters
    ----------
    a, b : array_like
        > 0.
    k : array_like
        >= 0.

    Returns
    -------
    ndarray
        At most 0; relative error about 1e-15.
    """
    return -second(b, a, k)


def log_rising(x: ArrayLike, m: ArrayLike) -> Floats:
    """log of x (x + 1) ... (x + m - 1) = Gamma(x + m)/Gamma(x) for x > 0, real m >= 0; to rounding
    errors of m log(x + m).
    """
    return rise(x, m)


def neg_log_pass(log_fail: ArrayLike) -> Floats:
    """-log pass@k in nats from log fail@k, without cancellation at either end; inf for log fail@k =
    0.
    """
    s = np.asarray(log_fail, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.where(
            s > -LOG_2,
            -np.log(-np.expm1(np.maximum(s, -LOG_2))),
            -np.log1p(-np.exp(np.minimum(s, -LOG_2))),
        )


def beta_pass(a: ArrayLike, b: ArrayLike, k: ArrayLike, atom: ArrayLike = 0.0) -> Floats:
    """pass@k = (1 - pi0)(1 - fail@k of Beta(a, b)); `atom`: pi0, >= 0 and < 1."""
    return -(1.0 - np.asarray(atom, dtype=np.float64)) * np.expm1(log_beta_fail(a, b, k))


def beta_neg_log_pass(a: ArrayLike, b: ArrayLike, k: ArrayLike, atom: ArrayLike = 0.0) -> Floats:
    """-log pass@k in nats where p is Beta(a, b), and 0 for a share `atom` of the problems (>= 0 and
    < 1).
    """
    return neg_log_pass(log_beta_fail(a, b, k)) - np.log1p(-np.asarray(atom, dtype=np.float64))


# -- the likelihood of counts ----------------------------------------------------------------------


class LikelihoodExpansion(NamedTuple):
    """Log likelihood (R,) of every row, and its first (D, R) and second (D, D, R) derivatives in D
    coordinates.
    """

    value: Floats
    gradient: Floats
    hessian: Floats


# -- the greatest likelihood -----------------------------------------------------------------------


def maximise(at: Any, start: Floats, most_steps: int = MOST_STEPS) -> tuple[Floats, float, bool]:
    """Newton upwards from a start: negative curvature is turned round, a step that loses is
    shortened; the end, certified or not.

    `at` gives value, gradient (D,) and Hessian (D, D).
    """
    x, here = start, at(start)
    for _ in range(most_steps):
        sizes, vectors = np.linalg.eigh(-here.hessian)
        largest = max(float(np.abs(sizes).max()), 1e-300)
        along = here.gradient @ vectors
        convex = bool(sizes[0] > 1e-12 * largest)
        if convex and 0.5 * float(along @ (along / sizes)) <= ENOUGH:
            polished = x + vectors @ (along / sizes)
            return polished, float(here.value), True
        step = vectors @ (along / np.maximum(np.abs(sizes), 1e-10 * largest))
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
        slope = float(step @ here.gradient)
        share = 1.0
        while share > 1e-10:
            trial = x + share * step
            there = at(trial)
            if np.isfinite(
                there.value
            ) and there.value >= here.value + 1e-4 * share * slope - 1e-13 * abs(here.value):
                break
            share *= 0.5
        else:
            break
        x, here = trial, there
        if np.abs(x).max() > FARTHEST:
            break
    return x, float(here.value), False
