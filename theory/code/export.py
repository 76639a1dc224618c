"""A derivation as plain data for JSON: strings that `sympy.sympify` reads back, claims with their
answers.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Float, Symbol

from ..data.notation import DEFAULT, SCHAEFFER, Notation
from ..data.notation import notation as find_notation
from ..envelope import Envelope
from ..kernel.functions import defined
from ..penalty import Misallocation
from ..theorem.step import Step
from ..typeset.layout import EXPONENTS
from ..typeset.plain import plain
from ..typeset.words import plain_sentence

__all__ = ["derive_json"]


def derive_json(
    envelope: Envelope,
    misallocation: Misallocation | None = None,
    *,
    notation: str | Notation = DEFAULT,
) -> dict[str, Any]:
    """The envelope and the misallocation penalty as plain data.

    Parameters
    ----------
    envelope : Envelope
    misallocation : Misallocation, optional
        Of that envelope; without it (a law with more than two terms has none) ``penalty`` is None.
    notation : {"schaeffer", "hoffmann"}
        The letters of the strings.

    Returns
    -------
    dict
        The law, its envelope and the penalty as strings for ``sympy.sympify`` with positive symbols
        as locals, without floats; None where the law has other variables than params and tokens.
        ``claims``: name, relation, lhs, rhs, argument, answer, conditions, reason; the answer comes
        from proving the claim now.

    Raises
    ------
    ValueError
        If the penalty belongs to another envelope, or the notation would rename the law's own
        letters.

    Examples
    --------
    >>> from isoflop.theory.envelope import derive
    >>> derive_json(derive(), notation="hoffmann")["exponent"]
    'alpha*beta/(alpha + beta)'
    """
    spelling = find_notation(notation)
    envelope.check_spelling(spelling)
    if misallocation is not None and misallocation.envelope != envelope:
        raise ValueError(
            f"misallocation: is of the envelope under C = "
            f"{plain(misallocation.envelope.budget.compute())}, not of this one"
        )
    names = _renaming(spelling)

    def text(expression: Expr) -> str:
        return _text(expression, names)

    variables = list(map(str, envelope.form.variables))
    allocation = dict(zip(variables, map(text, envelope.allocation), strict=True))
    both = {"N", "D"} <= allocation.keys()
    claims = [*envelope.claims.values(), *(misallocation.claims.values() if misallocation else ())]
    return {
        "notation": spelling.name,
        "law": text(envelope.form.loss),
        "budget": text(envelope.budget.compute()),
        "params": allocation.get("N"),
        "tokens": allocation.get("D"),
        "tokens_per_param": text(envelope.tokens_per_param) if both else None,
        "allocation": allocation,
        "exponent": text(envelope.exponent),
        "coefficient": text(envelope.coefficient),
        "shares": dict(zip(variables, map(text, envelope.shares), strict=True)),
        "loss": text(envelope.loss),
        "penalty": text(misallocation.penalty) if misallocation is not None else None,
        "claims": [_claim(claim, spelling, names) for claim in claims],
    }


def _claim(claim: Step, spelling: Notation, names: dict[Symbol, Symbol]) -> dict[str, Any]:
    decision, claim = claim.prove(), claim.unfolded
    return {
        "name": claim.name,
        "relation": claim.relation,
        "lhs": _text(claim.lhs, names),
        "rhs": _text(claim.rhs, names),
        "argument": claim.argument.label,
        "answer": decision.answer.value,
        "conditions": [f"{_text(c.expression, names)} {c.relation} 0" for c in decision.conditions],
        "reason": plain_sentence(claim.reason, spelling),
    }


def _renaming(spelling: Notation) -> dict[Symbol, Symbol]:
    """The symbol of the notation for each canonical symbol, for a simultaneous replacement."""
    if spelling == SCHAEFFER:
        return {}
    new = spelling.names()
    return {Symbol(name, positive=True): Symbol(new[name], positive=True) for name in EXPONENTS}


def _text(expression: Expr, names: dict[Symbol, Symbol]) -> str:
    """The expression as a SymPy string, with expm1, log1p and phi2 written out."""
    plain = defined(expression)
    if plain.has(Float):
        raise ValueError(f"expression={plain}: holds a float; give the law exact coefficients")
    return str(plain.xreplace(names))
