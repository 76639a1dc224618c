"""The compute budget C = kappa * product of x_i^c_i; C = 6 N D by default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Integer, Mul, Pow, Symbol, sympify

from .kernel import symbols as sym
from .kernel.arithmetic import OutsideScope
from .kernel.convert import normal_forms
from .reader.parse import parse
from .reader.tokens import ParseError


@dataclass(frozen=True)
class Budget:
    """Training compute as a monomial of the variables.

    Parameters
    ----------
    coefficient : sympy.Expr
        kappa > 0, FLOP per unit of the product; 6 for dense transformers (forward and backward
        pass, Kaplan et al. 2020, arXiv 2001.08361, section 2.1).
    powers : tuple of (sympy.Symbol, sympy.Expr)
        The variables with their exponents c_i > 0.
    """

    coefficient: Expr
    powers: tuple[tuple[Symbol, Expr], ...]

    def __post_init__(self) -> None:
        for name, value in [
            ("coefficient", self.coefficient),
            *((f"exponent of {x}", c) for x, c in self.powers),
        ]:
            if not value.is_positive:
                raise ValueError(f"budget: {name}={value}: must be positive")
        if not self.powers:
            raise ValueError("budget: at least one variable is needed")

    @property
    def variables(self) -> tuple[Symbol, ...]:
        return tuple(variable for variable, _ in self.powers)

    def exponent(self, variable: Symbol) -> Expr:
        for candidate, power in self.powers:
            if candidate == variable:
                return power
        raise ValueError(f"variable={variable}: not in the budget {self}")

    def compute(self, values: Mapping[Symbol, Expr] | None = None) -> Expr:
        """kappa * product of x_i^c_i, at `values` where they are given."""
        values = values or {}
        return Mul(self.coefficient, *(values.get(x, x) ** c for x, c in self.powers))

    def remaining(self, fixed: Symbol) -> Expr:
        """The other of two variables if the budget C is spent and `fixed` is given."""
        other = next(x for x in self.variables if x != fixed)
        spent = self.coefficient * fixed ** self.exponent(fixed)
        return Pow(sym.C / spent, 1 / self.exponent(other))

    def __str__(self) -> str:
        return f"C = {self.compute()}"

    @classmethod
    def from_expression(
        cls, expression: Expr, variables: tuple[Symbol, ...] = (sym.N, sym.D)
    ) -> Budget:
        """Read kappa and the exponents off a monomial.

        Raises
        ------
        ValueError
            If the expression is not a monomial in all of the variables.
        """
        monomial = sympify(expression, strict=True)
        for variable in variables:
            if variable not in monomial.free_symbols:
                raise ValueError(f"budget={monomial}: does not depend on {variable}")
        try:
            arithmetic, (form,) = normal_forms((monomial,))
            form = arithmetic.canonical(form)
        except OutsideScope as error:
            raise ValueError(f"budget={monomial}: {error}") from error
        exponents = []
        for variable in variables:
            if len(form) == 1:
                exponent, form = arithmetic.split_power(form, variable)
                exponents.append(exponent)
        coefficient = arithmetic.to_sympy(form)
        if len(form) != 1 or any(
            value.free_symbols & set(variables) for value in (coefficient, *exponents)
        ):
            raise ValueError(
                f"budget={monomial}: must be one term kappa * N^a * D^d in "
                f"{', '.join(map(str, variables))}"
            )
        if not all(
            atom.is_Symbol or atom.is_Rational
            for value in (coefficient, *exponents)
            for atom in value.atoms()
        ):
            raise ValueError(
                f"budget={monomial}: its constants must be rational numbers or symbols"
            )
        return cls(coefficient, tuple(zip(variables, exponents, strict=True)))

    @classmethod
    def parse(cls, text: str, variables: tuple[Symbol, ...] = (sym.N, sym.D)) -> Budget:
        """Read `6ND`, `6*N^1*D`, `C = 6*N*D` or `kappa*N**a*D**d`; the text is parsed, never
        evaluated.
        """
        left, separator, right = text.partition("=")
        if separator and left.strip() != "C":
            raise ParseError(f"{text!r}: a budget reads C = kappa * N^a * D^d")
        table = {str(x): x for x in (*variables, sym.KAPPA, sym.BUDGET_A, sym.BUDGET_D)}
        return cls.from_expression(parse(right if separator else text, table), variables)


SIX_ND = Budget(Integer(6), ((sym.N, Integer(1)), (sym.D, Integer(1))))
