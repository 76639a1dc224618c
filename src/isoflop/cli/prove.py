"""isoflop prove: a claim of the user's own, proved, refuted or left undecided."""

from __future__ import annotations

import re

from .arguments import MARK, POSITIONAL, Parser, declare_output, takes_one, takes_several
from .errors import BAD_INPUT, DONE, NEGATIVE, NO_VERDICT, UsageError, blamed, shown
from .render import json_text
from .selection import declare_notation, law, notation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..theory.budget import Budget
    from ..theory.reader.tokens import ParseError
    from .arguments import Options

SUMMARY = "a claim of your own: proved, refuted or undecided"
FORMATS = ("text", "json")
#: Of an answer; any other is no verdict.
STATUS = {"proved": DONE, "refuted": NEGATIVE, "unreadable": BAD_INPUT}
SECONDS = 60.0
#: What a claim has and no option: a relation, in plain text or in LaTeX.
RELATION = re.compile(r"[=<>~]|\\[a-z]+")
OPTION = re.compile(r"--?[A-Za-z][A-Za-z-]*(=.*)?", re.DOTALL)


class ClaimParser(Parser):
    """A parser whose values may be claims that begin with a minus sign."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        options = {option for action in self._actions for option in action.option_strings}
        return super().parse_known_args([_marked(word, options) for word in args], namespace)


def _marked(word: str, options: set[str]) -> str:
    """The word, marked as a value where it is a claim and no option."""
    name, equals, _ = word.partition("=")
    if not word.startswith("-") or word in options or (equals and name in options):
        return word
    misspelt = word.startswith("--") and OPTION.fullmatch(word) is not None
    return MARK + word if RELATION.search(word) and not misspelt else word


def parser() -> Parser:
    """The options of this command."""
    built = ClaimParser(
        "isoflop prove",
        ["'LHS == RHS' [--assume ASSUMPTION] [--latex] [--notation NAME]"],
        """\
Decide a claim in the symbols of the law: ==, <=, >=, !=, propto; in a limit -> and ~; approx and
numbers at the coefficients of --law; a chain a == b <= c link by link; claim implies claim.
Understood: N, D, C, E, A, B, beta, gamma, L, R, T_N, T_D, N_opt, D_opt,
L_opt, R_opt, alpha, C0, w_N, w_D, G, P, r, rho, s; dL/dN is a derivative, the other letters held;
another letter is a free symbol, positive unless 'x real' or 'x < 0' is assumed. Both sides must
exist as they are typed.
Exit status 0 where all is proved, 1 where something is refuted, 3 where it is undecided
or only SymPy's limit says so.""",
        [
            "isoflop prove 'alpha == beta*gamma/(beta + gamma)'",
            "isoflop prove 'L(N, D) >= L_opt' --assume 'C == 6*N*D'",
            "isoflop prove 'P(r) ~ w_N*r^-beta as r -> 0'",
            "isoflop prove 'alpha approx 0.178' --law besiroglu2024",
            r"isoflop prove --latex '\frac{\alpha\beta}{\alpha+\beta} = \alpha_C' --notation hoffmann",
        ],
    )
    built.add_argument(
        POSITIONAL,
        nargs="*",
        metavar="CLAIM",
        help="what is to be decided, in quotes; it is never run as code",
    )
    group = built.add_argument_group("claim")
    several = "; may be given several times"
    kinds = "'symbol == expression', 'a > b', 'a >= b', 'a != b', 'x real'"
    takes_one(group, "--assume", "ASSUMPTION", kinds + several)
    other = "what a name means instead, as in 'R_opt := D*/N*' or 'k := kappa'"
    takes_one(group, "--let", "NAME := EXPRESSION", other + several)
    budget = "C as one term kappa N^a D^d, under which N_opt and the rest are meant; default: 6ND"
    takes_one(group, "--budget", "EXPRESSION", budget)
    laws = "a published law (see isoflop laws) or a JSON law file"
    takes_several(group, "--law", "LAW", f"{laws}, at whose coefficients numbers are compared")
    declare_notation(group)
    group.add_argument("--latex", action="store_true", help="read the claim as LaTeX")
    declare_output(built, *FORMATS)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form = options.chosen("--format", FORMATS)
    data, text = _claim(options)
    return (json_text(data) if form == "json" else text), STATUS.get(data["answer"], NO_VERDICT)


def _budget(options: Options) -> Budget | None:
    from ..theory.budget import Budget
    from ..theory.claim.vocabulary import refuse_clashes
    from ..theory.reader.tokens import ParseError

    text = options.one("--budget")
    if text is None:
        return None
    try:
        budget = Budget.parse(text)
        refuse_clashes(budget, notation(options).name)
        return budget
    except ParseError as error:
        raise UsageError(f"--budget {shown(text)}: {error.complaint}") from None
    except ValueError as error:
        raise blamed(error, ("--budget", text)) from None


# -- one claim -------------------------------------------------------------------------------------


def _claim(options: Options) -> tuple[dict[str, Any], str]:
    words = options.words(POSITIONAL)
    if words is None:
        hint = "give a claim in quotes, as in 'alpha == beta*gamma/(beta + gamma)'"
        raise UsageError(f"CLAIM is missing: {hint}")
    if len(words) > 1:
        typed = " ".join(map(shown, words))
        raise UsageError(f"CLAIM {typed}: must be one word; put the claim in quotes")
    from ..theory.claim.prove import prove
    from ..theory.reader.tokens import ParseError

    try:
        proof = prove(
            words[0],
            latex="--latex" in options,
            assume=options.words("--assume") or (),
            let=options.words("--let") or (),
            notation=notation(options).name if "--notation" in options else None,
            budget=_budget(options),
            law=law(options) if "--law" in options else None,
            seconds=SECONDS,
        )
    except ParseError as error:
        raise _where_typed(error, options) from None
    return proof.as_dict(), str(proof)


def _where_typed(error: ParseError, options: Options) -> UsageError:
    """The error with what it is about ahead: the claim or the option."""
    from ..theory.claim.prove import without_dollars
    from ..theory.reader.tokens import quoted

    names = {POSITIONAL: "CLAIM", "--assume": "--assume", "--let": "--let"}
    given = [(shown, text) for name, shown in names.items() for text in options.words(name) or ()]
    for name, text in given:
        if str(error).startswith((f"{quoted(text)}:", f"{quoted(without_dollars(text))}:")):
            return UsageError(f"{name} {error}")
    longest, _ = max(given, key=lambda pair: len(pair[1]))
    return UsageError(f"{longest}: {error}")
