"""isoflop prove: a claim of the user's own, proved, refuted or left undecided."""

from __future__ import annotations

from .arguments import Parser, add, add_output, add_switch
from .output import BAD_INPUT, DONE, NEGATIVE, NO_VERDICT, json_text, shown
from .selection import add_notation, budget, law

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

SUMMARY = "a claim of your own: proved, refuted or undecided"
HELP = r"""isoflop prove 'LHS == RHS' [--assume ASSUMPTION] [--latex] [--notation NAME]

Decide a claim in the symbols of the law: ==, <=, >=, !=, propto; in a limit -> and ~; approx and
numbers at the coefficients of --law; a chain a == b <= c link by link; claim implies claim.
These names mean those of the law: N, D, C, E, A, B, beta, gamma, L, R, T_N, T_D, N_opt, D_opt,
L_opt, R_opt, C_opt, alpha, C0, w_N, w_D, G, P, r, rho, s. dL/dN is a derivative with the other
letters held. Any other letter is a free symbol, positive unless 'x real' or 'x < 0' is assumed.
Both sides must exist as they are typed.
Exit status 0 where all is proved, 1 where something is refuted, 3 where it is undecided
or only SymPy's limit says so.

examples:
  isoflop prove 'alpha == beta*gamma/(beta + gamma)'
  isoflop prove 'L(N, D) >= L_opt' --assume 'C == 6*N*D'
  isoflop prove 'P(r) ~ w_N*r^-beta as r -> 0'
  isoflop prove 'alpha approx 0.178' --law besiroglu2024
  isoflop prove --latex '\frac{\alpha\beta}{\alpha+\beta} = \alpha_C' --notation hoffmann
"""
#: The exit status of an answer; any other answer is no verdict.
STATUS = {"proved": DONE, "refuted": NEGATIVE, "unreadable": BAD_INPUT}
SECONDS = 60.0


def parser() -> Parser:
    """The options of this command."""
    built = Parser(HELP)
    claim = "the claim to be decided, in quotes; it is never run as code"
    built.add_argument("claim", nargs="*", metavar="CLAIM", help=claim)
    group = built.add_argument_group("claim")
    kinds = "'symbol == expression', 'a > b', 'a >= b', 'a != b', 'x real'; repeatable"
    add(group, "--assume", "ASSUMPTION", kinds, action="append", default=[])
    other = "another meaning of a name, as in 'R_opt := D*/N*' or 'k := kappa'; repeatable"
    add(group, "--let", "NAME := EXPRESSION", other, action="append", default=[])
    budget = "C as one term kappa N^a D^d, which defines N_opt and the rest; default: 6ND"
    add(group, "--budget", "EXPRESSION", budget)
    at = "a published law (see isoflop laws) or a JSON law file, at whose coefficients numbers are"
    add(group, "--law", "LAW", f"{at} compared", nargs="+")
    add_notation(group)
    add_switch(group, "--latex", "read the claim as LaTeX")
    add_output(built, "text", "json")
    return built


def run(args: Namespace) -> tuple[str, int]:
    """The command's output and exit status."""
    if not args.claim:
        hint = "give a claim in quotes, as in 'alpha == beta*gamma/(beta + gamma)'"
        raise ValueError(f"CLAIM is missing: {hint}")
    if len(args.claim) > 1:
        typed = " ".join(map(shown, args.claim))
        raise ValueError(f"CLAIM {typed}: must be one word; put the claim in quotes")
    from ..theory.claim.prove import prove

    under, numbers = budget(args), law(args) if args.law else None
    try:
        proof = prove(
            args.claim[0],
            latex=args.latex,
            assume=args.assume,
            let=args.let,
            notation=args.notation,
            budget=under,
            law=numbers,
            seconds=SECONDS,
        )
    except ValueError as error:
        raise ValueError(f"{_where(str(error), args)}{error}") from None
    text = json_text(proof.as_dict()) if args.format == "json" else str(proof)
    return text, STATUS.get(proof.answer.value, NO_VERDICT)


def _where(error: str, args: Namespace) -> str:
    """The option or argument that an error is about: the one that it quotes, else the claim."""
    from ..theory.claim.prove import without_dollars
    from ..theory.reader.tokens import quoted

    for option, texts in (("--assume", args.assume), ("--let", args.let)):
        for text in texts:
            if error.startswith((f"{quoted(text)}:", f"{quoted(without_dollars(text))}:")):
                return f"{option} "
    return "" if error.startswith("budget=") else "CLAIM " if error[0] in "'\"" else "CLAIM: "
