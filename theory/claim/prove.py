"""A claim as a user types it: proved, refuted with a witness, or undecided.

`prove` reads the text in a notation; `proved` splits it into chains and implications.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import Any

from sympy import Symbol

from ..budget import SIX_ND, Budget
from ..data.notation import DEFAULT, HOFFMANN
from ..kernel.answer import BOUNDS, Answer, undecided, weaker
from ..reader.tokens import ParseError, Token, quoted
from ..typeset.shown import Shown
from ..typeset.table import Column, Table
from .chain import Chain, ChainLink, Settings
from .correction import Corrector
from .document import BRACKETED, EQUALITY, SHORT, Piece, claims_of
from .numbers import Coefficients, HasCoefficients
from .text import Sides, as_typed, is_latex, limit_of, spans, without_dollars
from .vocabulary import Vocabulary, refuse_clashes

__all__ = ["Proof", "prove", "proved", "without_dollars"]

IMPLICATIONS = ("implies", "iff")
IMPLIES = re.compile(
    r"=>|[⇒⇔]|\bimplies\b|\biff\b|\\(?:implies|iff|(?:Long)?(?:left)?[Rr]ightarrow)(?![A-Za-z])"
)
IN_WORDS = re.compile(rf"\\(?:text|textrm|mbox)\s*\{{[^{{}}]*\}}|{EQUALITY}")
#: The names that only one of the notations has, and alpha, which means something else in each.
OURS = {*HOFFMANN.names()} - {*HOFFMANN.names().values()}
THEIRS = {*HOFFMANN.names().values()} - {*HOFFMANN.names()} | {"alpha"}
TWO_MEANINGS = undecided(
    "it fails in Schaeffer's letters and holds in Hoffmann's: a notation says which are meant"
)
#: The answers, the least useful first.
RANKED = (Answer.REFUTED, Answer.UNDECIDED, Answer.BY_SYMPY, Answer.PROVED)


@dataclass(frozen=True)
class Proof(Shown):
    """The verdict on a claim.

    Attributes
    ----------
    text : str
        The claim as typed.
    links : tuple of ChainLink
        One link for `a == b`, several for `a == b == c`.
    free : tuple of str
        Names that stand for free positive symbols because the law has none of that name.
    reading : str
        The claim in one line of plain text as it was read, every product with its star.
    assumptions : tuple of str
        The assumptions as they were read.
    """

    text: str
    links: tuple[ChainLink, ...]
    free: tuple[str, ...] = ()
    reading: str = ""
    assumptions: tuple[str, ...] = ()

    @property
    def answer(self) -> Answer:
        """The weakest answer of a link: refuted, undecided, by SymPy's limit, proved."""
        return reduce(weaker, (link.decision for link in self.links)).answer

    def tables(self) -> tuple[Table, ...]:
        """A table with a row for each link of the chain."""
        columns = [Column(name, align="left") for name in ("claim", "answer", "reason")]
        rows = [link.as_dict() for link in self.links]
        return (Table(columns, rows, title=f"{self.answer.value}: {self.text.strip()}"),)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "claim": self.text.strip(),
            "answer": self.answer.value,
            "reading": self._full_reading,
            "links": [link.as_dict() for link in self.links],
            "free": list(self.free),
        }

    @property
    def _full_reading(self) -> str:
        """The reading with the assumptions."""
        return ", assuming ".join(filter(None, (self.reading, ", ".join(self.assumptions))))

    def __str__(self) -> str:
        lines = [f"{self.answer.value}: {self.text.strip()}"]
        for link in self.links:
            lines.append(f"  {link.text}: {link}" if len(self.links) > 1 else f"  {link}")
            lines += [f"  derived: {link.derived}"] if link.derived else []
            lines += [f"  correction: {link.correction}"] if link.correction else []
        lines += [f"  free positive symbols: {', '.join(self.free)}"] if self.free else []
        return "\n".join([*lines, f"  read as {self._full_reading}"])


def prove(
    text: str,
    *,
    latex: bool = False,
    assume: Sequence[str] = (),
    let: Sequence[str] = (),
    notation: str | None = None,
    limit: str | None = None,
    budget: Budget | None = None,
    law: HasCoefficients | None = None,
    seed: int = 0,
    seconds: float | None = None,
) -> Proof:
    """Decide a claim, or a chain of claims, in the symbols of the law.

    Parameters
    ----------
    text : str
        `lhs == rhs` (also `=`), `<=`, `>=`, `<`, `>`, `!=`, `propto`, `approx`; with a limit, `lhs
        -> rhs` and `lhs ~ rhs`; `claim implies claim`, `claim iff claim`. Chains `a == b <= c` are
        checked link by link, and so are several claims behind commas or `and`; `claim for r > 1` has
        a condition. N, D, C, E, A, B, beta, gamma, L, R, T_N, T_D, N_opt, D_opt, L_opt,
        R_opt, C_opt, alpha, C0, w_N, w_D, G, P, r, rho and s mean the law's quantities; a single
        letter that means nothing is a free positive symbol. `dL/dN` is a derivative, every other
        letter held.
    latex : bool
        Read LaTeX, which may stand between dollars.
    assume : sequence of str
        `C == 6*N*D` replaces a symbol; `r > 1`, `beta <= gamma` and `s != 0` bound the domain. A
        letter of one's own is positive unless `x real`, `x < 0` or `x <= 0` is assumed.
    let : sequence of str
        `x := A/B` names an expression, which may have either sign, and `f(x) := x^2` a function;
        `R_opt := D*/N*` gives a name another meaning than the one it has by default.
    notation : {"schaeffer", "hoffmann"}, optional
        By default Schaeffer's letters; if these do not prove a claim that has alpha, a or b, and
        no gamma, w_N or w_D, Hoffmann's are tried (for a claim in a and b alone, only
        where they prove it). They are taken if they leave fewer letters
        without a meaning, or else prove an equation. An order, or a number of a law, that fails in
        one notation and holds in the other is undecided.
    limit : str, optional
        `r -> 0`, `r -> oo`, or a number, `r -> 1`, from both sides.
    budget : Budget, optional
        The compute, which defines N_opt and the rest, with its letters; 6 N D by default.
    law : Law, optional
        The law at whose coefficients claims with numbers are decided: `alpha == 0.178`,
        `alpha approx beta/2`. A number with a decimal point stands for all that rounds to it.
    seed : int
        The seed of the points at which a claim is tried.
    seconds : float, optional
        The limit for reading the claim, and for each of its links; what takes longer is undecided.

    Returns
    -------
    Proof
        The verdict, in the letters of the notation.

    Raises
    ------
    ValueError
        Naming what could not be read, and where. Nothing is evaluated as code.

    Notes
    -----
    A claim is about the values of its letters for which both sides are defined as they are typed,
    and the assumptions hold: what cancels still has to exist. Letters are independent. Where a
    claim does not hold for independent ones, but uses several that belong to one run (N, D and C,
    r, rho, s), it is decided for what they mean at that run, and the answer names those meanings.
    """
    if not isinstance(text, str):
        raise ValueError(f"text={text!r}: must be a claim as text, such as 'P(r) >= 1'")
    text = without_dollars(text) if latex else text

    def in_letters(name: str) -> Proof:
        refuse_clashes(budget or SIX_ND, name)
        settings = Settings(name, budget, assume, let, limit, seconds, seed)
        numbers = None if law is None else Coefficients.of(law, settings.words)
        return _of_text(text, replace(settings, numbers=numbers), latex)

    if notation is not None:
        return in_letters(notation)
    words = {*re.findall("[A-Za-z]+(?:_[A-Za-z]+)*", " ".join([text, *assume, *let]))}
    found: dict[str, Proof] = {}
    errors: list[ValueError] = []
    of_law = Settings(HOFFMANN.name).words.names.keys() - {"a", "b"}
    names = {word for word in words if len(word) == 1 or word in of_law}
    is_of_shares = bool(names) and names <= {"a", "b"}  # a + b = 1
    may_be_theirs = words & THEIRS and (words & of_law or is_of_shares) and not words & OURS
    for name in (DEFAULT.name, HOFFMANN.name)[: 2 if may_be_theirs else 1]:
        try:
            found[name] = in_letters(name)
            if found[name].answer is Answer.PROVED:
                break
        except ValueError as error:
            errors.append(error)
    if not found:
        if not latex and is_latex(text):
            raise ParseError(f"{errors[0]}: LaTeX is read with --latex (latex=True)")
        raise errors[0]
    # the first where both make as much sense
    best = max(found, key=lambda x: (-len(found[x].free), RANKED.index(found[x].answer)))
    ours, theirs = found.get(DEFAULT.name), found[best]
    if ours and (theirs is ours or (is_of_shares and theirs.answer is not Answer.PROVED)):
        return ours
    signs = {link.relation for link in theirs.links}
    is_one_of_two = law is not None or bool(signs & {*BOUNDS, "!="})
    is_as_free = ours is not None and len(ours.free) == len(theirs.free)
    if ours and (is_as_free or is_of_shares) and is_one_of_two and ours.answer is Answer.REFUTED:
        return replace(ours, links=tuple(replace(x, decision=TWO_MEANINGS) for x in ours.links))
    return replace(theirs, reading=f"{theirs.reading}, in Hoffmann's letters")


def _of_text(text: str, settings: Settings, latex: bool) -> Proof:
    """The verdict on a text: a claim, or several claims with the conditions beside them."""
    pieces = _pieces(text if latex else text.strip().replace("\n", r" \\ "))
    has_words = IN_WORDS.search(text) and any(piece.text != text for piece in pieces)
    if len(pieces) > 1 or has_words or any(piece.conditions for piece in pieces):
        return _several(text, pieces, settings, latex)
    return proved(text, settings, latex=latex)


def proved(text: str, settings: Settings, *, latex: bool = True) -> Proof:
    """The verdict on a claim without conditions beside it."""
    if (rewritten := limit_of(text, latex)) is not None:
        claim, towards = rewritten
        return replace(proved(claim, replace(settings, limit=towards), latex=latex), text=text)
    sides = Sides.of_claim(text, settings.words.names, latex=latex)
    if signs := [relation for relation in sides.relations if relation.text in IMPLICATIONS]:
        return _implied(text, signs, settings, latex)
    chain = Chain(sides, settings, latex)
    links = [_link(chain, i) for i in range(len(sides.relations))]
    return Proof(text, tuple(links), chain.free, chain.reading, chain.assumptions)


def _link(chain: Chain, i: int) -> ChainLink:
    """A link with its verdict: under the budget where it holds at one run alone, `C == 120*N^2` where
    `D == 20*N`. A claim about the law is not refuted so.
    """
    link = chain.link(i)
    if link.decision.answer is Answer.UNDECIDED and (meaning := chain.open_budget(i)):
        on_budget = Chain(chain.typed, chain.settings.under([meaning]), chain.latex)
        found = on_budget.link(i)
        if found.decision.proved or (found.decision.refuted and not chain.is_of_law(i)):
            chain, link = on_budget, replace(found, definitions=(meaning,))
    is_corrected = link.decision.refuted and chain.settings.numbers is None
    return replace(link, corrector=Corrector(chain, i)) if is_corrected else link


def _several(text: str, pieces: Sequence[Piece], settings: Settings, latex: bool) -> Proof:
    """The verdict on several claims. What stands behind "where" names an expression, or is assumed of a
    letter of the law; of a quantity of the law it is a claim as well.
    """
    words, named, assumed = settings.words, list[str](), list[str]()
    claims = [piece for piece in pieces if piece.kind == "claim"]
    for piece in (piece for piece in pieces if piece.kind == "explained"):
        sides = Sides.of_claim(piece.text, words.names, latex=latex)
        meaning = words.names.get(sides.defined)
        if meaning is None and sides.defined:
            named.append(piece.text)
        elif meaning is None or isinstance(meaning, Symbol):
            assumed.append(piece.text)
        else:
            claims.append(piece)
    settings = replace(settings, let=(*settings.let, *named))
    refuse_claims([condition for piece in claims for condition in piece.conditions], words)
    under = (settings.under((*assumed, *piece.conditions)) for piece in claims)
    pairs = zip(claims, under, strict=True)
    return _merged(text, [proved(piece.text, given, latex=latex) for piece, given in pairs])


def refuse_claims(conditions: Sequence[str], words: Vocabulary) -> None:
    """Refuse a condition such as `w_D > 2/3`, on a quantity of the law: it may be a claim.

    Raises
    ------
    ParseError
        Naming it.
    """
    for condition in conditions:
        match = SHORT.fullmatch(condition)
        sides = Sides.of(condition, words.names) if match is not None else None
        is_order = sides is not None and {x.text for x in sides.relations} & {*BOUNDS, "!="}
        if sides is not None and is_order and sides.named(0)[0] in words.means:
            complaint = f"ambiguous {quoted(condition)}: it may be a condition or a claim"
            raise ParseError(complaint)


def _pieces(text: str) -> list[Piece]:
    """The claims of a text, each with its conditions; none where an arrow leads from one to another.

    Raises
    ------
    ParseError
        Where `r > 1` or `beta = gamma` behind a comma may be a condition or another claim.
    """
    pieces = [] if IMPLIES.search(IN_WORDS.sub("", text)) else claims_of(text, beside=(BRACKETED,))
    is_alone = not any(
        piece.kind == "explained" or piece.conditions or IMPLIES.search(piece.text)
        for piece in pieces
    )
    claims = [piece.text for piece in pieces if piece.kind == "claim"]
    for typed in filter(SHORT.fullmatch, claims[1:]):
        if not (is_alone and re.search(rf"\band\b[\s}}]*{re.escape(typed)}", text)):
            hint = f": write `for {typed}` for a condition, or a claim by itself"
            raise ParseError(f"ambiguous {quoted(typed)} behind a claim", text=text, rest=hint)
    return pieces


def _merged(text: str, proofs: Sequence[Proof]) -> Proof:
    """The verdict on a text from the verdicts on its parts."""
    links = tuple(link for proof in proofs for link in proof.links)
    free = tuple(dict.fromkeys(name for proof in proofs for name in proof.free))
    readings = dict.fromkeys(proof._full_reading for proof in proofs)
    return Proof(text, links, free, "; ".join(readings))


# -- implications ----------------------------------------------------------------------------------


def _implied(text: str, signs: Sequence[Token], settings: Settings, latex: bool) -> Proof:
    """The verdict on `a == b implies c == d`, and on `iff` in both directions."""
    proofs: list[Proof] = []
    for sign, (one, other) in zip(signs, pairwise(spans(text, signs)), strict=True):
        for premise, conclusion in ((one, other), (other, one))[: 1 + (sign.text == "iff")]:
            sides = Sides.of_claim(premise, settings.words.names, latex=latex)
            read = Chain(sides, settings, latex)
            proof = _under(read, conclusion)
            links = tuple(
                replace(link, text=f"{premise.strip()} implies {link.text}") for link in proof.links
            )
            reading = f"{read.reading} implies {proof.reading}"
            proofs.append(
                replace(proof, links=links, reading=reading, assumptions=read.assumptions)
            )
    return _merged(text, proofs)


def _under(premise: Chain, conclusion: str) -> Proof:
    """The conclusion under the premise as an assumption, or the premise refuted where the conclusion
    fails; undecided where neither is an assumption that can be made.
    """
    settings, latex = premise.settings, premise.latex
    bare, check = _of_text(conclusion, settings, latex), ""
    meanings: tuple[str, ...] = ()
    if settings.numbers is not None and _fails_at_numbers(premise):
        why = undecided(f"the premise does not hold{settings.numbers.at}")
        return replace(bare, links=tuple(replace(x, decision=why) for x in bare.links))
    if bare.answer is Answer.PROVED:
        return bare
    try:
        assumed = _links(premise.text, settings, latex)
        return _of_text(conclusion, settings.under(assumed), latex)
    except ParseError as error:
        why = undecided(f"the premise cannot be taken for an assumption: {error}")
    fails = _links(premise.text, settings, latex, fails=True)
    assumed = _links(conclusion, settings, latex, fails=True)
    if len(fails) == len(assumed) == len(bare.links) == 1:  # P(r) = 1 implies r = 1
        if proved(fails[0], settings, latex=latex).answer is Answer.PROVED:
            assumed, why = [], undecided("the premise never holds")
        try:
            (link,) = proved(fails[0], settings.under(assumed), latex=latex).links
        except ParseError:
            link = bare.links[0]
        if link.decision.proved and assumed:
            reason = f"where the conclusion fails the premise does: {link.decision.reason}"
            why, check = replace(link.decision, reason=reason), link.check
            meanings = link.definitions
        elif link.relation == "!=" and link.decision.refuted:
            why = replace(link.decision, reason="the premise holds where the conclusion fails")
    links = (
        x
        if x.decision.proved
        else replace(x, decision=why, check=check, definitions=meanings, corrector=None)
        for x in bare.links
    )
    return replace(bare, links=tuple(links))


def _fails_at_numbers(premise: Chain) -> bool:
    """Whether a premise fails for the law whose numbers are given."""
    return any(premise.link(i).decision.refuted for i in range(len(premise.relations)))


def _links(text: str, settings: Settings, latex: bool, *, fails: bool = False) -> list[str]:
    """The links of a chain, `a < b` and `b < c`; where it `fails`, the inequations of its equations."""
    sides = Sides.of_claim(text, settings.words.names, latex=latex)
    if fails and any(sign.text != "==" for sign in sides.relations):
        return []
    return [
        as_typed(left, "!=" if fails else sign.text, right, latex=latex)
        for (left, right), sign in zip(pairwise(sides.sources), sides.relations, strict=True)
    ]
