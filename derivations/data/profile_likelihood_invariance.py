"""The profile of alpha, log N*(C) or L*(C) does not depend on the parameters in which the law is fitted."""

from __future__ import annotations

from sympy import Expr, Integer, Symbol, log

from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.identifiability import (
    coefficient_for_params,
    coefficient_for_reducible,
    exponent_for_alpha,
)
from isoflop.theory.proof.argument import ByNormalForm, UnderLemma
from isoflop.theory.proof.argument_calculus import ByConvexity
from isoflop.theory.proof.claim import Claim, Derivation

RUNS, RSS, LEAST, VARIANCE, X = (
    Symbol(name, positive=True) for name in ("n", "S", "S_0", "V", "x")
)
LEMMA = (
    "Let theta -> (psi, eta) be one-to-one. The least S over all theta with psi(theta) = psi is the least S(psi, eta) over "
    "eta: the "
    "same laws in other coordinates."
)
SOURCE = "Cox and Hinkley 1974, Theoretical Statistics"


def log_likelihood(squares: Expr, variance: Expr) -> Expr:
    """Of n independent normal errors, but for a constant."""
    return -(RUNS * log(variance) + squares / variance) / 2


def derivation() -> Derivation:
    """psi = log R*(C), log N*(C) or alpha takes the place of log A or gamma, one to one; the ratio is n log(S(psi)/S_min)."""
    envelope = derive()
    by_loss, by_size = coefficient_for_reducible(envelope), coefficient_for_params(envelope)
    ratio = 2 * (log_likelihood(LEAST, LEAST / RUNS) - log_likelihood(RSS, RSS / RUNS))
    at_best = log_likelihood(RSS, RSS / (RUNS * X))
    steps = (
        Claim(
            "loss_as_parameter",
            envelope.reducible.subs(sym.A, by_loss),
            "==",
            sym.REDUCIBLE,
            "Whatever B, beta and gamma, this A solves R*(C) = R.",
        ),
        Claim(
            "size_as_parameter",
            envelope.tokens.subs(sym.A, by_size),
            "==",
            sym.C / (6 * sym.N),
            "Whatever B, beta and gamma, this A solves N*(C) = N: D* is then C/(6 N).",
        ),
        Claim(
            "exponent_as_parameter",
            1 / envelope.exponent.subs(sym.GAMMA, exponent_for_alpha()),
            "==",
            1 / sym.ALPHA,
            "gamma solves alpha = beta gamma/(beta + gamma) for every beta above alpha.",
        ),
        Claim(
            "one_to_one",
            by_loss.subs(sym.REDUCIBLE, envelope.reducible),
            "==",
            sym.A,
            "And back: the change of parameters is one-to-one, so both fits search the same laws.",
            UnderLemma(LEMMA, SOURCE, ByNormalForm()),
        ),
        Claim(
            "variance_convex",
            -log(X),
            ">=",
            1 - X,
            "-log lies above its tangent at 1.",
            ByConvexity(-log(X), X, X, Integer(1)),
        ),
        Claim(
            "variance",
            2 * (log_likelihood(RSS, RSS / RUNS) - at_best) / RUNS,
            "==",
            X - 1 - log(X),
            "By how much the likelihood at the variance S/(n x) falls short of that at S/n: the latter is the maximum.",
        ),
        Claim(
            "likelihood_ratio",
            ratio,
            "==",
            RUNS * log(RSS / LEAST),
            "Twice the log likelihood ratio of two fits is n log(S/S_min).",
        ),
    )
    return Derivation(
        name="profile_likelihood_invariance",
        title="Profile likelihood of what the envelope gives",
        assumptions=(
            "Independent normal errors of one unknown variance: least squares",
            "S(psi) is the least sum of squares at a given psi",
        ),
        statement=r"2\left(\ell_{\max} - \ell(\psi)\right) = n \log\frac{S(\psi)}{S_{\min}}",
        steps=steps,
        source=f"{SOURCE}; for the chi-squared limit Wilks 1938, Ann. Math. Statist. 9, 60-62.",
        follows="The set where n log(S(psi)/S_min) is at most the chi-squared quantile is an approximate confidence set, the "
        "same in all "
        "coordinates. A profile of another objective, such as Huber's, needs a calibration of its own.",
    )
