"""The derived formulas at the coefficients of a law."""

from __future__ import annotations

from math import inf

from ..theory.typeset.escapes import clean
from .errors import UsageError, shown
from .render import law_line, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..numeric.law import Law
    from ..theory.data.notation import Notation
    from ..theory.envelope import Envelope

    Figures = dict[str, float | None]

DIGITS = 7
PRECISION = 20


def figures(law: Law, envelope: Envelope) -> Figures:
    """The constants of the envelope as floats; None where one needs a coefficient that the law does
    not have.

    ``params_coefficient`` and ``params_exponent`` are n and e of N*(C) = n C^e; likewise for
    tokens.
    """
    from sympy import Integer, Rational

    from ..theory import symbols as sym

    given = {sym.A: law.A, sym.B: law.B, sym.BETA: law.beta, sym.GAMMA: law.gamma}
    values = {symbol: Rational(repr(value)) for symbol, value in given.items() if value is not None}
    params, tokens = envelope.form.terms
    formulas = {
        "exponent": envelope.exponent,
        "coefficient": envelope.coefficient,
        "params_coefficient": envelope.params.subs(sym.C, Integer(1)),
        "params_exponent": envelope.exponent / params.exponent,
        "tokens_coefficient": envelope.tokens.subs(sym.C, Integer(1)),
        "tokens_exponent": envelope.exponent / tokens.exponent,
        "params_share": envelope.shares[0],
        "tokens_share": envelope.shares[1],
    }
    return {
        name: _float(name, formula.evalf(PRECISION, subs=values), law)
        if formula.free_symbols <= set(values)
        else None
        for name, formula in formulas.items()
    }


def _float(name: str, value: Any, law: Law) -> float:
    result = float(value)
    if not 0.0 < result < inf:
        raise UsageError(
            f"--law {shown(law.name)}: must have a {name} that a float can hold, got {value.n(4)}"
        )
    return result


def figures_text(law: Law, envelope: Envelope, spelling: Notation) -> str:
    """The formulas with their numbers for a terminal."""
    from ..theory.typeset.plain import plain

    rows = [
        (plain(left, notation=spelling), right)
        for left, right in _equations(law, envelope, lambda value: number(value, DIGITS), "{}^{}")
    ]
    column = max(len(left) for left, _ in rows)
    lines = [f"  {left.ljust(column)} = {right}" for left, right in rows]
    return "\n".join([law_line(law, spelling), *lines, *_intervals(law, spelling)])


def _intervals(law: Law, spelling: Notation) -> list[str]:
    """How sure the numbers are, where the law came from data."""
    from ..numeric.law.tables import law_table

    return [] if law.uncertainty is None else ["", "\n".join(law_table(law, spelling).lines())]


def figures_latex(law: Law, envelope: Envelope, spelling: Notation) -> str:
    """The formulas with their numbers as an unnumbered align block."""
    from ..numeric.law.tables import law_table
    from ..theory.typeset.numbers import Shortest
    from ..theory.typeset.printer import render

    rows = [
        f"  {render(left, spelling)} &= {right}"
        for left, right in _equations(law, envelope, Shortest(DIGITS).finite_latex, "{}^{{{}}}")
    ]
    body = ", \\\\\n".join(rows)
    text = f"% {clean(law.name)}\n\\begin{{align*}}\n{body}.\n\\end{{align*}}"
    return text if law.uncertainty is None else f"{text}\n\n{law_table(law, spelling).latex()}"


def _equations(
    law: Law, envelope: Envelope, write: Callable[[float], str], raised: str
) -> Iterator[tuple[Any, str]]:
    """Left sides as expressions, right sides as written numbers."""
    from ..theory import symbols as sym
    from ..theory.envelope import optimum

    written = {
        name: write(value) for name, value in figures(law, envelope).items() if value is not None
    }
    yield sym.ALPHA, written["exponent"]
    for name, role in zip(envelope.named.shares, ("params", "tokens"), strict=True):
        yield name, written[f"{role}_share"]
    if "coefficient" not in written:
        return
    yield sym.C0, written["coefficient"]
    for variable, role in ((sym.N, "params"), (sym.D, "tokens")):
        power = raised.format("C", written[f"{role}_exponent"])
        yield optimum(variable), f"{written[f'{role}_coefficient']} {power}"
    irreducible = "E" if law.E is None else write(law.E)
    yield (
        optimum(sym.L),
        f"{irreducible} + {written['coefficient']} {raised.format('C', '-' + written['exponent'])}",
    )
