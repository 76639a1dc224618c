"""isoflop derive: the compute-optimal envelope and the price of leaving it, derived and proved."""

from __future__ import annotations

from math import inf

from ..theory.typeset.escapes import clean
from ..theory.typeset.numbers import Shortest
from .arguments import Parser, add, add_output, add_switch
from .output import DONE, NEGATIVE, NO_VERDICT, json_text, shown
from .runs import law_line
from .selection import add_law, budget, notation
from .selection import law as selected_law

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from typing import Any

    from ..numeric.law import Law
    from ..theory.data.notation import Notation
    from ..theory.envelope import Envelope

SUMMARY = "the compute-optimal envelope and the penalty off it, derived and proved"
HELP = """\
isoflop derive [--law LAW] [--budget EXPRESSION] [--proofs] [--format text|json|latex]

Derive N*(C), D*(C), L*(C) and the misallocation penalty of L = E + A N^-beta + B D^-gamma under a
budget, and prove every step. With a law: its numbers too. Exit status 1 where a step is refuted, 3
where one is undecided.

examples:
  isoflop derive
  isoflop derive --notation hoffmann --format latex
  isoflop derive --law besiroglu2024
  isoflop derive --budget 'kappa*N**a*D**d' --format json
"""
DIGITS, PRECISION = Shortest(7), 20


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    group = built.add_argument_group("derivation")
    budget = "C as one term kappa N^a D^d, such as 6ND, 6*N*D or 'C = 6*N^1*D'; default: 6ND"
    add(group, "--budget", "EXPRESSION", budget)
    add_switch(group, "--proofs", "every formula, and every statement with its proof")
    add_law(built, several=False)
    add_output(built, "text", "json", "latex")
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The command's output and exit status."""
    spelling, law = notation(args), selected_law(args) if args.law else None

    from ..theory.budget import SIX_ND
    from ..theory.code.export import derive_json
    from ..theory.envelope import derive
    from ..theory.penalty import misallocation
    from ..theory.typeset.equations import sections_text

    under = budget(args) or SIX_ND
    if law and (free := under.compute().free_symbols - {*under.variables}):
        names = ", ".join(sorted(map(str, free)))
        complaint = f"must be without {names} where a law is given, whose numbers need them"
        raise ValueError(f"--budget {shown(args.budget)}: {complaint}")
    off = misallocation(derive(budget=under))
    off.check_spelling(spelling)
    answers = [pair for subject in (off.envelope, off) for pair in subject.decisions.items()]
    failed = [(name, decision) for name, decision in answers if not decision.proved]
    is_refuted = any(decision.refuted for _, decision in failed)
    status = NEGATIVE if is_refuted else NO_VERDICT if failed else DONE
    if args.format == "json":
        data = derive_json(off.envelope, off, notation=spelling)
        return json_text(
            data | ({"numbers": _numbers(law, off.envelope, spelling)} if law else {})
        ), status
    doubts = [f"{name}: {one.answer.value.upper()}, {one.reason}" for name, one in failed]
    if args.format == "latex":
        parts = [f"% not proved: {line}" for line in doubts]
        parts += [off.envelope.to_latex(notation=spelling), off.to_latex(notation=spelling)]
        return "\n\n".join(
            [*parts, *([_latex(law, off.envelope, spelling)] if law else [])]
        ), status
    parts = [_text(law, off.envelope, spelling)] if law else []
    if args.proofs:
        parts += [subject.text(notation=spelling, proofs=True) for subject in (off.envelope, off)]
        return "\n\n".join(parts), status
    (heading, about_penalty), (_, effective), *_ = off.sections(spelling)
    formulas = [*off.envelope.sections(spelling), (heading, [*about_penalty[:2], *effective])]
    count = f"{len(answers) - len(failed)} of {len(answers)}" if failed else f"{len(answers)}"
    closing = [f"{count} statements proved (--proofs lists them)", *doubts]
    lines = sections_text(formulas, spelling)
    return "\n\n".join([*parts, "\n".join(lines), "\n  ".join(closing)]), status


# -- numbers ---------------------------------------------------------------------------------------


def _figures(law: Law, envelope: Envelope) -> dict[str, float | None]:
    """The constants of the envelope as floats; None where one needs a coefficient that the law does
    not have. ``params_coefficient`` and ``params_exponent`` are n and e of N*(C) = n C^e.
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
    found: dict[str, float | None] = {}
    for name, formula in formulas.items():
        found[name] = None
        if formula.free_symbols <= values.keys():
            value = formula.evalf(PRECISION, subs=values)
            if not 0.0 < float(value) < inf:
                held = f"must have a {name} that a float can hold, got {value.n(4)}"
                raise ValueError(f"--law {shown(law.name)}: {held}")
            found[name] = float(value)
    return found


def _numbers(law: Law, envelope: Envelope, spelling: Notation) -> dict[str, Any]:
    """The law and its constants for JSON, with intervals where the law came from data."""
    from ..numeric.law.tables import law_table

    data = {"law": law.name, "coefficients": law.coefficients(spelling), **_figures(law, envelope)}
    return data if law.draws is None else data | {"estimates": law_table(law, spelling).records()}


def _text(law: Law, envelope: Envelope, spelling: Notation) -> str:
    """The formulas with their numbers for a terminal."""
    from ..numeric.law.tables import law_table
    from ..theory.typeset.plain import plain

    rows = [
        (plain(left, notation=spelling), right)
        for left, right in _equations(law, envelope, DIGITS.text, "{}^{}")
    ]
    column = max(len(left) for left, _ in rows)
    lines = [law_line(law, spelling), *(f"  {left.ljust(column)} = {x}" for left, x in rows)]
    return "\n".join(
        lines if law.draws is None else [*lines, "", *law_table(law, spelling).lines()]
    )


def _latex(law: Law, envelope: Envelope, spelling: Notation) -> str:
    """The formulas with their numbers as an unnumbered align block."""
    from ..numeric.law.tables import law_table
    from ..theory.typeset.printer import render

    rows = [
        f"  {render(left, spelling)} &= {right}"
        for left, right in _equations(law, envelope, DIGITS.finite_latex, "{}^{{{}}}")
    ]
    body = ", \\\\\n".join(rows)
    text = f"% {clean(law.name)}\n\\begin{{align*}}\n{body}.\n\\end{{align*}}"
    return text if law.draws is None else f"{text}\n\n{law_table(law, spelling).latex()}"


def _equations(law: Law, envelope: Envelope, write: Any, raised: str) -> Iterator[tuple[Any, str]]:
    """Left sides as expressions, right sides as written numbers."""
    from ..theory import symbols as sym
    from ..theory.envelope import optimum

    found = {name: write(x) for name, x in _figures(law, envelope).items() if x is not None}
    yield sym.ALPHA, found["exponent"]
    yield from zip(
        envelope.named.shares, (found["params_share"], found["tokens_share"]), strict=True
    )
    if "coefficient" not in found:
        return
    yield sym.C0, found["coefficient"]
    for variable, role in ((sym.N, "params"), (sym.D, "tokens")):
        power = raised.format("C", found[f"{role}_exponent"])
        yield optimum(variable), f"{found[f'{role}_coefficient']} {power}"
    irreducible = "E" if law.E is None else write(law.E)
    falling = raised.format("C", "-" + found["exponent"])
    yield optimum(sym.L), f"{irreducible} + {found['coefficient']} {falling}"
