"""isoflop derive: the compute-optimal envelope and the price of leaving it, derived and proved."""

from __future__ import annotations

from .arguments import Parser, declare_output, takes
from .errors import DONE, NEGATIVE, NO_VERDICT, UsageError, blamed, typed
from .figures import figures, figures_latex, figures_text
from .render import json_text
from .selection import declare_law, notation
from .selection import law as selected_law

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..numeric.law import Law
    from ..theory.budget import Budget
    from ..theory.data.notation import Notation
    from ..theory.kernel import Decision
    from ..theory.penalty import Misallocation
    from ..theory.theorem.claim import Claim
    from .arguments import Options

    Answers = Sequence[tuple[Claim, Decision]]

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
FORMATS = ("text", "json", "latex")


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    group = built.add_argument_group("derivation")
    takes(
        group,
        "--budget",
        "EXPRESSION",
        "C as one term kappa N^a D^d, such as 6ND, 6*N*D or 'C = 6*N^1*D'; default: 6ND",
    )
    group.add_argument(
        "--proofs", action="store_true", help="every formula, and every statement with its proof"
    )
    declare_law(built, several=False)
    declare_output(built, *FORMATS)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form, spelling = options["--format"], notation(options)
    law = selected_law(options) if "--law" in options else None
    budget = _budget(options)
    if law is not None:
        _require_numbers(budget, options)

    from ..theory.envelope import derive
    from ..theory.penalty import misallocation

    off = misallocation(derive(budget=budget))
    _check_notation(off, spelling)
    if form == "json":
        return _json(off, law, spelling)
    answers = [
        (subject.claims[name], decision)
        for subject in (off.envelope, off)
        for name, decision in subject.decisions.items()
    ]
    written = _latex if form == "latex" else _proofs if "--proofs" in options else _text
    return written(off, law, answers, spelling), _status(
        [decision.answer.value for _, decision in answers]
    )


def _status(answers: Sequence[str]) -> int:
    if "refuted" in answers:
        return NEGATIVE
    return DONE if set(answers) == {"proved"} else NO_VERDICT


# -- input -----------------------------------------------------------------------------------------


def _budget(options: Options) -> Budget:
    from ..theory.budget import SIX_ND, Budget

    text = options["--budget"]
    if text is None:
        return SIX_ND
    try:
        return Budget.parse(text)
    except ValueError as error:
        raise blamed(error, ("--budget", text)) from None


def _require_numbers(budget: Budget, options: Options) -> None:
    free = budget.compute().free_symbols - set(budget.variables)
    if free:
        names = ", ".join(sorted(map(str, free)))
        given = typed(("--budget", options.spelt("--budget")))
        raise UsageError(
            f"{given}: must be without {names} where a law is given, whose numbers need them"
        )


def _check_notation(off: Misallocation, spelling: Notation) -> None:
    """UsageError where the notation would give a letter of the budget a second meaning."""
    try:
        off.check_spelling(spelling)
    except ValueError as error:
        raise blamed(error, ("--notation", spelling.name)) from None


# -- output ----------------------------------------------------------------------------------------


def _json(off: Misallocation, law: Law | None, spelling: Notation) -> tuple[str, int]:
    from ..theory.code.export import derive_json

    data = derive_json(off.envelope, off, notation=spelling)
    if law is not None:
        data["numbers"] = {
            "law": law.name,
            "coefficients": law.coefficients(spelling),
            **figures(law, off.envelope),
        }
        if law.draws is not None:
            from ..numeric.law.tables import law_table

            data["numbers"]["estimates"] = law_table(law, spelling).records()
    return json_text(data), _status([claim["answer"] for claim in data["claims"]])


def _text(off: Misallocation, law: Law | None, answers: Answers, spelling: Notation) -> str:
    """The numbers of the law, the formulas, and whether everything was proved."""
    from ..theory.typeset.equations import sections_text

    (heading, about_penalty), (_, effective), *_ = off.sections(spelling)
    formulas = [*off.envelope.sections(spelling), (heading, [*about_penalty[:2], *effective])]
    proved = sum(decision.proved for _, decision in answers)
    count = str(proved) if proved == len(answers) else f"{proved} of {len(answers)}"
    parts = [] if law is None else [figures_text(law, off.envelope, spelling)]
    parts.append("\n".join(sections_text(formulas, spelling)))
    closing = [f"{count} statements proved (--proofs lists them)", *_unproved(answers)]
    return "\n\n".join([*parts, "\n  ".join(closing)])


def _proofs(off: Misallocation, law: Law | None, answers: Answers, spelling: Notation) -> str:
    """Every formula and every statement with its proof."""
    parts = [] if law is None else [figures_text(law, off.envelope, spelling)]
    parts += [subject.text(notation=spelling, proofs=True) for subject in (off.envelope, off)]
    return "\n\n".join(parts)


def _latex(off: Misallocation, law: Law | None, answers: Answers, spelling: Notation) -> str:
    parts = [f"% not proved: {line}" for line in _unproved(answers)]
    parts += [off.envelope.to_latex(notation=spelling), off.to_latex(notation=spelling)]
    if law is not None:
        parts.append(figures_latex(law, off.envelope, spelling))
    return "\n\n".join(parts)


def _unproved(answers: Answers) -> list[str]:
    return [
        f"{claim.name}: {decision.answer.value.upper()}, {decision.reason}"
        for claim, decision in answers
        if not decision.proved
    ]
