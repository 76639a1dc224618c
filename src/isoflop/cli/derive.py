"""isoflop derive: the compute-optimal envelope and the price of leaving it, derived and proved."""

from __future__ import annotations

from ..theory.typeset.escapes import clean
from ..theory.typeset.numbers import Shortest
from .arguments import Parser, add, add_output, add_switch
from .output import DONE, NEGATIVE, NO_VERDICT, json_text, shown
from .selection import add_law, budget, law_line, notation
from .selection import law as selected_law

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..numeric.law import Law
    from ..theory.data.notation import Notation

SUMMARY = "the compute-optimal envelope and the penalty off it, derived and proved"
HELP = """\
isoflop derive [--law LAW] [--budget EXPRESSION] [--proofs] [--format text|json|latex]

Derive N*(C), D*(C), L*(C) and the misallocation penalty of L = E + A N^-beta + B D^-gamma under a
budget, and prove every step. With a law also its numbers, under 6ND. Exit status 1 where a step is
refuted, 3 where one is undecided.

examples:
  isoflop derive
  isoflop derive --notation hoffmann --format latex
  isoflop derive --law besiroglu2024
  isoflop derive --budget 'kappa*N**a*D**d' --format json
"""
DIGITS = Shortest(7)


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

    if law and args.budget is not None:
        complaint = "cannot go with --law, whose numbers are under 6 N D"
        raise ValueError(f"--budget {shown(args.budget)}: {complaint}")
    under = budget(args) or SIX_ND
    off = misallocation(derive(budget=under))
    off.check_spelling(spelling)
    answers = [pair for subject in (off.envelope, off) for pair in subject.decisions.items()]
    failed = [(name, decision) for name, decision in answers if not decision.proved]
    is_refuted = any(decision.refuted for _, decision in failed)
    status = NEGATIVE if is_refuted else NO_VERDICT if failed else DONE
    if args.format == "json":
        data = derive_json(off.envelope, off, notation=spelling)
        return json_text(data | ({"numbers": _numbers(law, spelling)} if law else {})), status
    shares = off.envelope.named.shares
    doubts = [f"{name}: {one.answer.value.upper()}, {one.reason}" for name, one in failed]
    if args.format == "latex":
        parts = [f"% not proved: {line}" for line in doubts]
        parts += [off.envelope.to_latex(notation=spelling), off.to_latex(notation=spelling)]
        return "\n\n".join([*parts, *([_latex(law, shares, spelling)] if law else [])]), status
    parts = [_text(law, shares, spelling)] if law else []
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


def _figures(law: Law) -> dict[str, float]:
    """The constants of the envelope; without A and B only those of the exponents.
    ``params_coefficient`` and ``params_exponent`` are n and e of N*(C) = n C^e.
    """
    envelope = law.envelope
    shares = {"params": envelope.params_share, "tokens": envelope.tokens_share}
    found = {"exponent": envelope.exponent}
    if None not in (law.A, law.B):
        found["coefficient"] = envelope.coefficient
        found["params_coefficient"] = envelope.params(1.0)
        found["tokens_coefficient"] = envelope.tokens(1.0)
    found |= {f"{name}_exponent": share for name, share in shares.items()}
    return found | {f"{name}_share": share for name, share in shares.items()}


def _numbers(law: Law, spelling: Notation) -> dict[str, Any]:
    """The law and its constants for JSON, with intervals where the law has draws."""
    from ..numeric.law.tables import law_table

    bare = dict.fromkeys(("coefficient", "params_coefficient", "tokens_coefficient"))
    data = {"law": law.name, "coefficients": law.coefficients(spelling), **bare, **_figures(law)}
    return data if law.draws is None else data | {"estimates": law_table(law, spelling).records()}


def _text(law: Law, shares: Sequence[Any], spelling: Notation) -> str:
    """The formulas with their numbers for a terminal."""
    from ..numeric.law.tables import law_table
    from ..theory.typeset.plain import plain

    rows = [
        (plain(left, notation=spelling), x)
        for left, x in _equations(law, shares, DIGITS.text, "{}^{}")
    ]
    column = max(len(left) for left, _ in rows)
    lines = [law_line(law, spelling), *(f"  {left.ljust(column)} = {x}" for left, x in rows)]
    table = [] if law.draws is None else ["", *law_table(law, spelling).lines()]
    return "\n".join([*lines, *table])


def _latex(law: Law, shares: Sequence[Any], spelling: Notation) -> str:
    """The formulas with their numbers as an unnumbered align block."""
    from ..numeric.law.tables import law_table
    from ..theory.typeset.printer import render

    rows = [
        f"  {render(left, spelling)} &= {right}"
        for left, right in _equations(law, shares, DIGITS.finite_latex, "{}^{{{}}}")
    ]
    body = ", \\\\\n".join(rows)
    text = f"% {clean(law.name)}\n\\begin{{align*}}\n{body}.\n\\end{{align*}}"
    return text if law.draws is None else f"{text}\n\n{law_table(law, spelling).latex()}"


def _equations(
    law: Law, shares: Sequence[Any], write: Any, raised: str
) -> Iterator[tuple[Any, str]]:
    """Left sides as expressions and right sides as written numbers; `shares` are w_N and w_D."""
    from ..theory.envelope import optimum
    from ..theory.kernel import symbols as sym

    found = {name: write(x) for name, x in _figures(law).items()}
    yield sym.ALPHA, found["exponent"]
    yield from zip(shares, (found["params_share"], found["tokens_share"]), strict=True)
    if "coefficient" not in found:
        return
    yield sym.C0, found["coefficient"]
    for variable, role in ((sym.N, "params"), (sym.D, "tokens")):
        power = raised.format("C", found[f"{role}_exponent"])
        yield optimum(variable), f"{found[f'{role}_coefficient']} {power}"
    falling = raised.format("C", "-" + found["exponent"])
    limit = "E" if law.E is None else write(law.E)
    yield optimum(sym.L), f"{limit} + {found['coefficient']} {falling}"
