"""Exact arguments from calculus: bounds from the sign of a derivative, and bounds with the same
difference.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sympy import Add, Expr, Integer, Pow, Symbol, exp, log, preorder_traversal

from .answer import BOUNDS, STRICT, undecided
from .arithmetic import Arithmetic, OutsideScope
from .convert import normal_form
from .decide import Answer, Condition, Decision, decide
from .field import CoefficientField
from .functions import defined
from .rules import (
    PROVED,
    Argument,
    ByPositiveTerms,
    Stated,
    differ,
    larger_and_smaller,
    premise,
    weakest,
)

ZERO = Integer(0)


@dataclass(frozen=True)
class BySameDifference:
    """The bound left >= right, whose difference is that of the claim (of either direction), holds
    by another argument.

    Where the claim is strict the other argument must prove left > right.
    """

    left: Expr
    right: Expr
    argument: Argument

    @property
    def strength(self) -> str:
        return self.argument.strength

    @property
    def label(self) -> str:
        return f"{self.argument.label}, rearranged"

    def establish(self, claim: Stated) -> Decision:
        if claim.relation not in BOUNDS:
            return undecided("rearranging serves bounds only")
        larger, smaller = larger_and_smaller(claim)
        bound = premise(claim, self.left, self.right, strict=claim.relation in STRICT)
        same = decide(larger - smaller, self.left - self.right, assume=claim.assume)
        if not same.proved:
            return undecided(f"the difference is another one: {same}")
        return _all_of(same, self.argument.establish(bound))


@dataclass(frozen=True)
class BySum:
    """Two bounds, each with its own argument, whose differences add up to that of the claim.

    Where the claim is strict one argument must prove left > right, the other left >= right.
    """

    one: BySameDifference
    other: BySameDifference
    label: ClassVar[str] = "sum of two bounds"

    @property
    def strength(self) -> str:
        return weakest((self.one.strength, self.other.strength))

    def establish(self, claim: Stated) -> Decision:
        if claim.relation not in BOUNDS:
            return undecided("bounds add up to a bound only")
        larger, smaller = larger_and_smaller(claim)
        parts = (self.one, self.other)
        total = Add(*(part.left - part.right for part in parts))
        same = decide(larger - smaller, total, assume=claim.assume)
        if not same.proved:
            return undecided(f"the differences add up to another one: {same}")
        strict = claim.relation in STRICT
        decisions = (
            _all_of(
                same,
                *(
                    part.argument.establish(premise(claim, part.left, part.right, strict=certain))
                    for part, certain in zip(parts, which, strict=True)
                ),
            )
            for which in (((True, False), (False, True)) if strict else ((False, False),))
        )
        first = next(decisions)
        return first if first.proved else next(decisions, first)


@dataclass(frozen=True)
class ByMonotone:
    """f(left) against f(right) for a function of one positive variable whose derivative keeps one
    sign.

    The claim's sides are f at `left` and at `right`. `slope` proves the sign of f' for every
    positive value of the variable, `order` proves which of the two points is the larger. A point
    may be 0 where f is continuous there. For a strict claim both are strict. The derivative is that
    of the function's definition, whatever derivative a safe form claims for itself.
    """

    function: Expr
    variable: Symbol
    left: Expr
    right: Expr
    increasing: bool = True
    order: Argument = field(default_factory=ByPositiveTerms)
    slope: Argument = field(default_factory=ByPositiveTerms)
    label: ClassVar[str] = "monotone function"

    @property
    def strength(self) -> str:
        return weakest((PROVED, self.order.strength, self.slope.strength))

    def establish(self, claim: Stated) -> Decision:
        if claim.relation not in BOUNDS:
            return undecided("a monotone function gives bounds only")
        if self.variable.is_positive is not True:
            return undecided(f"{self.variable} is not declared positive")
        outside = _not_smooth(self.function, self.variable)
        if outside:
            return undecided(outside)
        for point in (self.left, self.right):
            if not _is_positive(claim, point, claim.assume) and not (
                point == 0 and _continuous_at_zero(claim, self.function, self.variable)
            ):
                return undecided(f"{point} is not certainly in the domain")
        function, strict = defined(self.function), claim.relation in STRICT
        grows = (claim.relation in (">=", ">")) == self.increasing
        larger, smaller = (self.left, self.right) if grows else (self.right, self.left)
        derivative = function.diff(self.variable)
        free = tuple(a for a in claim.assume if self.variable not in a.free_symbols)
        above, below = (derivative, ZERO) if self.increasing else (ZERO, derivative)
        sign = self.slope.establish(premise(claim, above, below, strict=strict, assume=free))
        if any(self.variable in condition.expression.free_symbols for condition in sign.conditions):
            return undecided(f"the sign of the derivative holds only for some {self.variable}")
        return _all_of(
            _is_value(claim.lhs, function, self.variable, self.left, claim.assume),
            _is_value(claim.rhs, function, self.variable, self.right, claim.assume),
            sign,
            self.order.establish(premise(claim, larger, smaller, strict=strict)),
        )


@dataclass(frozen=True)
class ByConvexity:
    """A convex function lies above its tangents: f(left) >= f(at) + f'(at) (left - at).

    The domain is the real line for a real variable and x > 0 for a positive one; `curvature` proves
    f'' >= 0 throughout. For a strict claim it proves f'' > 0, and the two points must certainly
    differ. The derivatives are those of the definition.
    """

    function: Expr
    variable: Symbol
    left: Expr
    at: Expr
    curvature: Argument = field(default_factory=ByPositiveTerms)
    label: ClassVar[str] = "convexity"

    @property
    def strength(self) -> str:
        return weakest((PROVED, self.curvature.strength))

    def establish(self, claim: Stated) -> Decision:
        if claim.relation not in (">=", ">"):
            return undecided("convexity bounds a function from below")
        outside = _not_smooth(self.function, self.variable)
        if outside:
            return undecided(outside)
        for point in (self.left, self.at):
            in_domain = (
                _is_positive(claim, point, claim.assume)
                if self.variable.is_positive
                else defined(point).is_real
            )
            if not in_domain:
                return undecided(f"{point} is not certainly in the domain")
        free = tuple(a for a in claim.assume if self.variable not in a.free_symbols)
        function, strict = defined(self.function), claim.relation in STRICT
        sign = self.curvature.establish(
            premise(claim, function.diff(self.variable, 2), ZERO, strict=strict, assume=free)
        )
        if any(self.variable in condition.expression.free_symbols for condition in sign.conditions):
            return undecided(f"the curvature is certain only for some {self.variable}")
        if strict and not differ(claim, self.left, self.at):
            return undecided(f"{self.left} and {self.at} may agree, where the tangent touches")
        slope = function.diff(self.variable).subs(self.variable, self.at)
        tangent = function.subs(self.variable, self.at) + slope * (self.left - self.at)
        return _all_of(
            _is_value(claim.lhs, function, self.variable, self.left, claim.assume),
            decide(claim.rhs, tangent, assume=claim.assume),
            sign,
        )


def _is_value(
    side: Expr, function: Expr, variable: Symbol, point: Expr, assume: tuple[Expr, ...]
) -> Decision:
    return decide(side, function.subs(variable, point), assume=assume)


def _all_of(*decisions: Decision) -> Decision:
    """Proved where every premise is, with all their conditions."""
    for decision in decisions:
        if not decision.proved:
            return undecided(f"a premise is open: {decision}")
    conditions: tuple[Condition, ...] = tuple(
        c for decision in decisions for c in decision.conditions
    )
    return Decision(Answer.PROVED, "every premise is proved", tuple(dict.fromkeys(conditions)))


def _is_positive(claim: Stated, point: Expr, assume: tuple[Expr, ...]) -> bool:
    """Whether the point is certainly positive, at once or as an assumption plus something certainly
    not negative.
    """
    if ByPositiveTerms().establish(premise(claim, point, ZERO, strict=True, assume=assume)).proved:
        return True
    return any(
        decide(point, a).proved
        or ByPositiveTerms().establish(premise(claim, point, a, assume=assume)).proved
        for a in assume
    )


def _not_smooth(function: Expr, variable: Symbol) -> str:
    """Why the function may fail to be differentiable somewhere in its domain; empty where it
    certainly is not so.
    """
    plain = defined(function)
    for part in preorder_traversal(plain):
        if part.has(variable) and not (
            part.is_Symbol or part.is_Add or part.is_Mul or part.is_Pow or part.func in (exp, log)
        ):
            return f"{part.func.__name__} of {variable} is outside this argument"
    arithmetic = Arithmetic(CoefficientField(plain.free_symbols | {variable}))
    try:
        normal_form(plain, arithmetic)
    except OutsideScope as error:
        return str(error)
    open_conditions = [e for e in (*arithmetic.positive, *arithmetic.nonzero) if e.has(variable)]
    return (
        f"the function is defined only where {open_conditions[0]} keeps its sign"
        if open_conditions
        else ""
    )


def _continuous_at_zero(claim: Stated, function: Expr, variable: Symbol) -> bool:
    """Whether every power and logarithm of the variable is of something positive at 0, or a whole
    non-negative power.
    """
    for part in preorder_traversal(defined(function)):
        if isinstance(part, Pow) and part.base.has(variable):
            whole = part.exp.is_Integer and part.exp >= 0
            if not whole and not _is_positive(claim, part.base.subs(variable, 0), ()):
                return False
        if (
            isinstance(part, log)
            and part.has(variable)
            and not _is_positive(claim, part.args[0].subs(variable, 0), ())
        ):
            return False
    return True
