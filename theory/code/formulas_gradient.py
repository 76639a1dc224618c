"""The gradients for the delta method as formulas to be printed: one function for every derivative
that is not constantly 0 or 1.

The derivative of the function `q` in a coordinate of (log A, log B, beta, gamma) is called
`q_by_log_A`, `q_by_beta`, ...; for a positive quantity it is the logarithm that is differentiated,
`log_q_by_beta`.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import And, Piecewise, log

from ..algebra import symbols as sym
from ..envelope import Envelope, derive
from ..gradients import Gradient, gradients, penalty_gradient
from .formulas import GeneratedFormula

#: Up to this exponent the derivatives of P are computed in one piece; products still have room.
LARGEST_SAFE_EXPONENT = 300
COORDINATES = ("log A", "log B", "beta", "gamma")


def gradient_formulas() -> tuple[GeneratedFormula, ...]:
    """The gradients of what the envelope of L = E + A N^-beta + B D^-gamma under C = 6 N D gives,
    and of the penalty.
    """
    envelope = derive()
    return (*_of_envelope(envelope), *_of_penalty(envelope))


def _of_envelope(envelope: Envelope) -> Iterator[GeneratedFormula]:
    closed = gradients(envelope)
    tokens_share = tuple(-part for part in closed.params_share)
    listed: tuple[tuple[str, Gradient, str], ...] = (
        ("exponent", closed.exponent, "alpha"),
        ("params_share", closed.params_share, "w_N"),
        ("tokens_share", tokens_share, "w_D"),
        ("log_coefficient", closed.log_coefficient, "log C0"),
        ("log_optimal_params", closed.log_params, "log N*"),
        ("log_optimal_tokens", closed.log_tokens, "log D*"),
        ("log_optimal_tokens_per_param", closed.log_tokens_per_param, "log(D*/N*)"),
        ("log_optimal_reducible_loss", closed.log_reducible, "log R*"),
        ("optimal_loss", closed.loss, "L*"),
    )
    for name, gradient, what in listed:
        for coordinate, part in zip(COORDINATES, gradient, strict=True):
            if part != 0:
                at = (sym.C,) if part.has(sym.C) else ()
                yield GeneratedFormula(
                    derivative_name(name, coordinate),
                    part,
                    at,
                    f"Derivative of {what} in {coordinate}{', at fixed compute' if at else ''}.",
                )


def derivative_name(function: str, coordinate: str) -> str:
    """Name of the function that is the derivative of another: `exponent_by_beta`,
    `log_coefficient_by_log_A`.
    """
    return f"{function}_by_{coordinate.replace(' ', '_')}"


def _of_penalty(envelope: Envelope) -> Iterator[GeneratedFormula]:
    s, b, g = sym.LOG_SIZE_RATIO, sym.BETA, sym.GAMMA
    closed = penalty_gradient(envelope)
    near = And((b + g) * s < LARGEST_SAFE_EXPONENT, -(b + g) * s < LARGEST_SAFE_EXPONENT)
    for exponent in (b, g):
        yield GeneratedFormula(
            derivative_name("penalty", exponent.name),
            Piecewise(
                (closed[exponent].safe, near),
                (closed[exponent].above_optimal_size, s > 0),
                (closed[exponent].below_optimal_size, True),
            ),
            (s,),
            f"Derivative of the penalty P in {exponent} at a fixed size ratio, without "
            f"cancellation near the optimum.",
            closed[exponent].as_difference.subs(s, log(sym.SIZE_RATIO)),
        )
