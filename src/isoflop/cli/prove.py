"""isoflop prove: a claim of the user's own, proved, refuted or left undecided."""

from __future__ import annotations

from .arguments import POSITIONAL, Parser, declare_output, takes
from .errors import BAD_INPUT, DONE, NEGATIVE, NO_VERDICT, UsageError, shown
from .render import json_text
from .selection import declare_notation, law, notation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..theory.budget import Budget
    from .arguments import Options

SUMMARY = "a claim of your own: proved, refuted or undecided"
HELP = r"""isoflop prove 'LHS == RHS' [--assume ASSUMPTION] [--latex] [--notation NAME]

Decide a claim in the symbols of the law: ==, <=, >=, !=, propto; in a limit -> and ~; approx and
numbers at the coefficients of --law; a chain a == b <= c link by link; claim implies claim.
Understood: N, D, C, E, A, B, beta, gamma, L, R, T_N, T_D, N_opt, D_opt,
L_opt, R_opt, alpha, C0, w_N, w_D, G, P, r, rho, s; dL/dN is a derivative, the other letters held;
another letter is a free symbol, positive unless 'x real' or 'x < 0' is assumed. Both sides must
exist as they are typed.
Exit status 0 where all is proved, 1 where something is refuted, 3 where it is undecided
or only SymPy's limit says so.

examples:
  isoflop prove 'alpha == beta*gamma/(beta + gamma)'
  isoflop prove 'L(N, D) >= L_opt' --assume 'C == 6*N*D'
  isoflop prove 'P(r) ~ w_N*r^-beta as r -> 0'
  isoflop prove 'alpha approx 0.178' --law besiroglu2024
  isoflop prove --latex '\frac{\alpha\beta}{\alpha+\beta} = \alpha_C' --notation hoffmann
"""
FORMATS = ("text", "json")
#: Of an answer; any other is no verdict.
STATUS = {"proved": DONE, "refuted": NEGATIVE, "unreadable": BAD_INPUT}
SECONDS = 60.0


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    built.add_argument(
        POSITIONAL,
        nargs="*",
        metavar="CLAIM",
        help="what is to be decided, in quotes; it is never run as code",
    )
    group = built.add_argument_group("claim")
    several = "; may be given several times"
    kinds = "'symbol == expression', 'a > b', 'a >= b', 'a != b', 'x real'"
    takes(group, "--assume", "ASSUMPTION", kinds + several, form="each")
    other = "what a name means instead, as in 'R_opt := D*/N*' or 'k := kappa'"
    takes(group, "--let", "NAME := EXPRESSION", other + several, form="each")
    budget = "C as one term kappa N^a D^d, under which N_opt and the rest are meant; default: 6ND"
    takes(group, "--budget", "EXPRESSION", budget)
    laws = "a published law (see isoflop laws) or a JSON law file"
    takes(
        group, "--law", "LAW", f"{laws}, at whose coefficients numbers are compared", form="words"
    )
    declare_notation(group)
    group.add_argument("--latex", action="store_true", help="read the claim as LaTeX")
    declare_output(built, *FORMATS)
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status."""
    form, words = options["--format"], options.words(POSITIONAL)
    if not words:
        hint = "give a claim in quotes, as in 'alpha == beta*gamma/(beta + gamma)'"
        raise UsageError(f"CLAIM is missing: {hint}")
    if len(words) > 1:
        typed = " ".join(map(shown, words))
        raise UsageError(f"CLAIM {typed}: must be one word; put the claim in quotes")
    from ..theory.claim.prove import prove

    try:
        proof = prove(
            words[0],
            latex="--latex" in options,
            assume=options.words("--assume"),
            let=options.words("--let"),
            notation=notation(options).name if "--notation" in options else None,
            budget=_budget(options),
            law=law(options) if "--law" in options else None,
            seconds=SECONDS,
        )
    except ValueError as error:
        raise UsageError(f"{_where(str(error), options)}{error}") from None
    answer = STATUS.get(proof.answer.value, NO_VERDICT)
    return json_text(proof.as_dict()) if form == "json" else str(proof), answer


def _budget(options: Options) -> Budget | None:
    from ..theory.budget import Budget

    text = options["--budget"]
    try:
        return None if text is None else Budget.parse(text)
    except ValueError as error:
        complaint = getattr(error, "complaint", error)
        raise UsageError(f"--budget {shown(str(text))}: {complaint}") from None


def _where(error: str, options: Options) -> str:
    """Which words an error is about: those that it quotes first; else, the claim."""
    from ..theory.claim.prove import without_dollars
    from ..theory.reader.tokens import quoted

    for option in ("--assume", "--let"):
        for text in options.words(option):
            if error.startswith((f"{quoted(text)}:", f"{quoted(without_dollars(text))}:")):
                return f"{option} "
    return "" if error.startswith("budget=") else "CLAIM " if error[0] in "'\"" else "CLAIM: "
