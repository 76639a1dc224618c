"""A ray of fixed tokens per parameter touches the envelope at one compute and lies above it everywhere else."""

from __future__ import annotations

from sympy import Integer, log

from isoflop.theory import symbols as sym
from isoflop.theory.identifiability import tangency_in_allocation
from isoflop.theory.penalty import misallocation
from isoflop.theory.proof.argument import ByWeightedAmGm
from isoflop.theory.proof.claim import Claim, Derivation
from isoflop.theory.ray import ray


def derivation() -> Derivation:
    """C_t = 6 (t G^2)^((beta + gamma)/(beta - gamma)): there the ray's size, loss and slope are the envelope's."""
    line, off = ray(), misallocation()
    envelope, touch = line.envelope, line.tangency
    size_ratio = line.params / envelope.params
    terms = tuple(
        term.expression.subs([(sym.N, line.params), (sym.D, line.tokens)])
        for term in envelope.form.terms
    )
    steps = (
        Claim("where", touch, "==", tangency_in_allocation(envelope), "Solve D*/N* = t for C."),
        Claim(
            "size",
            line.params.subs(sym.C, touch),
            "==",
            envelope.params.subs(sym.C, touch),
            "At C_t the ray's size is N*.",
        ),
        Claim(
            "loss",
            line.reducible.subs(sym.C, touch),
            "==",
            envelope.reducible.subs(sym.C, touch),
            "So its loss is that of the envelope.",
        ),
        Claim(
            "slope",
            line.reducible.diff(sym.C).subs(sym.C, touch),
            "==",
            envelope.reducible.diff(sym.C).subs(sym.C, touch),
            "And so is its slope: the curves are tangent, the local exponent is exactly alpha.",
        ),
        Claim(
            "above",
            line.reducible,
            ">=",
            envelope.reducible,
            "No ray passes below the envelope: weighted AM-GM on the ray's two terms.",
            ByWeightedAmGm(terms, envelope.shares),
        ),
        Claim(
            "penalty",
            line.reducible / envelope.reducible,
            "==",
            off.penalty.subs(sym.SIZE_RATIO, size_ratio),
            "The ray pays the misallocation penalty at its own size ratio.",
        ),
        Claim(
            "drift",
            sym.C * log(size_ratio).diff(sym.C),
            "==",
            (sym.BETA - sym.GAMMA) / (2 * (sym.BETA + sym.GAMMA)) + Integer(0),
            "That size ratio drifts as a power of compute, so a ray leaves the envelope on both sides unless beta = gamma.",
        ),
    )
    return Derivation(
        name="ray_tangency",
        title="Where a ray touches the envelope",
        assumptions=(
            "L = E + A N^-beta + B D^-gamma under C = 6 N D, all positive",
            "D = t N with t > 0 fixed",
            "beta != gamma",
        ),
        statement=r"C_t = 6\,(t G^2)^{(\beta+\gamma)/(\beta-\gamma)},\qquad R(C_t; t) = R^*(C_t),\qquad R(C; t) \ge R^*(C)",
        steps=steps,
        source="The envelope theorem: the envelope of the rays is the compute law.",
        follows="One ratio of tokens to params is right at one budget only.",
    )
