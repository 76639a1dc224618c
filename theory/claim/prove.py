"""A claim as a user types it: proved, refuted with a witness, or undecided.

`prove` reads the text in a notation; `proved` takes it apart into single claims, chains and
implications; a `Chain` decides each of its links.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import pairwise
from typing import Any

from ..budget import SIX_ND, Budget
from ..data.notation import DEFAULT, HOFFMANN
from ..kernel.answer import BOUNDS, Answer, undecided, weaker
from ..reader.tokens import ParseError, Token
from ..typeset.shown import Shown
from ..typeset.table import Column, Table
from .at_law import Coefficients, HasCoefficients
from .chain import Chain, ChainLink, Settings
from .correction import Corrector
from .typed import as_typed, limit_of, separated, sources, spans, split, without_dollars
from .vocabulary import refuse_clashes

__all__ = ["Proof", "prove", "proved", "without_dollars"]

IMPLICATIONS = ("implies", "iff")
SIGNS_SAID = {
    frozenset([1]): ">", frozenset([0, 1]): ">=", frozenset([-1, 1]): "!=",
    frozenset([-1]): "<", frozenset([-1, 0]): "<=", frozenset([0]): "=",
}  # fmt: skip
#: The names that the law has in one of the two notations alone, and alpha, which both have: of what.
HOFFMANNS = frozenset(HOFFMANN.names().values()) - {*HOFFMANN.names()} | {"alpha"}
OURS_ALONE = frozenset(HOFFMANN.names()) - {*HOFFMANN.names().values()}
#: The terms of the law as Hoffmann has them, `A/N^alpha` and `B D^{-\\beta}`.
HOFFMANNS_TERMS = re.compile(r"\bN\W{0,4}\^\W{0,4}alpha.*\bD\W{0,4}\^\W{0,4}beta", re.DOTALL)


@dataclass(frozen=True)
class Proof(Shown):
    """The verdict on a claim.

    Attributes
    ----------
    text : str
        As typed.
    links : tuple of ChainLink
        One for `a == b`, several for `a == b == c`.
    free : tuple of str
        Names that stand for free symbols because the law has none of that name.
    signs : mapping of str to frozenset of int
        Those of the free symbols that are not just positive.
    reading : str
        The claim in one line of plain text as it was read, every product with its star.
    """

    text: str
    links: tuple[ChainLink, ...]
    free: tuple[str, ...] = ()
    signs: Mapping[str, frozenset[int]] = field(default_factory=dict)
    reading: str = ""

    @property
    def answer(self) -> Answer:
        """The weakest of the links': refuted, undecided, by SymPy's limit, proved."""
        return reduce(weaker, (link.decision for link in self.links)).answer

    def tables(self) -> tuple[Table, ...]:
        """A row a link of the chain."""
        columns = [Column(name, align="left") for name in ("claim", "answer", "reason")]
        rows = [
            {
                "claim": link.text or self.text.strip(),
                "answer": link.decision.answer.value,
                "reason": link.decision.reason,
            }
            for link in self.links
        ]
        return (Table(columns, rows, title=f"{self.answer.value}: {self.text.strip()}"),)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "claim": self.text.strip(),
            "answer": self.answer.value,
            "reading": self.reading,
            "links": [link.as_dict() for link in self.links],
            "free": list(self.free),
        }

    def __str__(self) -> str:
        lines = [f"{self.answer.value}: {self.text.strip()}"]
        for link in self.links:
            lines += [f"  {line}" for line in link.lines(named=len(self.links) > 1)]
        positive = [name for name in self.free if name not in self.signs]
        lines += [f"  free positive symbols: {', '.join(positive)}"] if positive else []
        bounds = ((name, SIGNS_SAID.get(signs)) for name, signs in self.signs.items())
        others = [f"{x} {sign} 0" if sign else f"{x} real" for x, sign in bounds]
        lines += [f"  free symbols: {', '.join(others)}"] if others else []
        return "\n".join([*lines, f"  read as {self.reading}"])


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
        `lhs == rhs` (also `=`), `<=`, `>=`, `<`, `>`, `!=`; `lhs propto rhs`, `lhs approx rhs`; with
        `limit`, `lhs -> rhs` and `lhs ~ rhs`; `claim implies claim`, `claim iff claim`. Chains
        `a == b <= c` are checked link by link. Names of the law mean the law's quantities: N, D, C,
        E, A, B, beta, gamma, L, R, T_N, T_D, N_opt, D_opt, L_opt, R_opt, alpha, C0, w_N, w_D, G, P,
        r, rho, s; a single letter that means nothing is a free positive symbol. `dL/dN` is a
        derivative, every other letter held.
    latex : bool
        Read LaTeX, which may stand between dollars: `\\frac{\\beta\\gamma}{\\beta+\\gamma} =
        \\alpha`, `N^{*}(C)`, ...
    assume : sequence of str
        `C == 6*N*D` replaces a symbol; `r > 1`, `beta <= gamma` and `s != 0` bound the domain. A
        letter of one's own is positive unless `x real`, `x < 0` or `x <= 0` is assumed.
    let : sequence of str
        `x := A/B` names an expression, which may have either sign, and `f(x) := x^2` a function;
        `R_opt := D*/N*` gives a name another meaning than the one it has by default, `k := kappa`
        another name to a quantity. On the right side names have their default meanings.
    notation : {"schaeffer", "hoffmann"}, optional
        Schaeffer's letters by default. A claim that is not proved in these, and has alpha or a name
        that only Hoffmann's have (a, b) and none that only these have (gamma), is read in
        Hoffmann's, and judged so where these prove it, or where it has a meaning in them alone; the
        answer says so.
    limit : str, optional
        `r -> 0`, `r -> oo`, or a number, `r -> 1`, from both sides.
    budget : Budget, optional
        Under which N_opt and the rest are meant; 6 N D by default. Its letters (kappa, a, d) are
        names as well.
    law : Law, optional
        At whose coefficients claims with numbers are decided: `alpha == 0.178`,
        `alpha approx beta/2`. A number with a decimal point stands for all that rounds to it.
    seed : int
        Of the points at which a claim is tried.
    seconds : float, optional
        For reading the claim, and for each of its links; a link that takes longer is undecided. No
        limit by default.

    Returns
    -------
    Proof
        In the letters of the notation.

    Raises
    ------
    ParseError
        Naming what could not be read, and where. Nothing is evaluated as code.

    Notes
    -----
    A claim is about the values of its letters for which both sides are defined as they are typed,
    and the assumptions hold: what cancels still has to exist. Letters are independent. Where a
    claim does not hold for independent ones, but uses several that belong to one run (N, D and C,
    r, rho, s), it is decided for what they mean at that run, and the answer names those meanings.
    """
    text = without_dollars(text) if latex else text

    def in_letters(name: str) -> Proof:
        refuse_clashes(budget or SIX_ND, name)
        settings = Settings(name, budget, assume, let, limit, seconds, seed)
        numbers = None if law is None else Coefficients.of(law, settings.words)
        return proved(text, replace(settings, numbers=numbers), latex=latex)

    if notation is not None:
        return in_letters(notation)
    words = set(re.findall("[A-Za-z]+(?:_[A-Za-z]+)*", " ".join([text, *assume])))
    may_be_hoffmanns = words & HOFFMANNS and not words & OURS_ALONE
    found: dict[str, Proof] = {}
    errors: list[ValueError] = []
    for name in (DEFAULT.name, HOFFMANN.name)[: 1 + bool(may_be_hoffmanns)]:
        try:
            found[name] = in_letters(name)
        except ValueError as error:
            errors.append(error)
        if name in found and found[name].answer is Answer.PROVED:
            break
    proof, other = (found.get(name) for name in (DEFAULT.name, HOFFMANN.name))
    if other is not None and (proof is None or _is_hoffmanns(other, proof)):
        return replace(other, reading=f"{other.reading}, in Hoffmann's letters")
    if proof is None:
        raise errors[0]
    return proof


def _is_hoffmanns(other: Proof, proof: Proof) -> bool:
    """Whether a claim that is not proved in the default letters is meant in Hoffmann's: where it
    holds in them, has no meaning by default, or fails in both and has the others' terms of the law,
    or letters that by default are not the law's.
    """
    if other.answer is not Answer.REFUTED:
        return other.answer is Answer.PROVED
    is_unknown = any("is unknown" in link.decision.reason for link in proof.links)
    is_theirs = len(other.free) < len(proof.free) or HOFFMANNS_TERMS.search(proof.text)
    return is_unknown or (proof.answer is Answer.REFUTED and bool(is_theirs))


# -- single claims, several claims, and implications -----------------------------------------------


def proved(
    text: str,
    settings: Settings,
    *,
    latex: bool = True,
    assume: Sequence[str] = (),
    let: Sequence[str] = (),
    limit: str | None = None,
) -> Proof:
    """The verdict on a claim under these settings and what is added to them."""
    settings = replace(
        settings,
        assume=(*settings.assume, *assume),
        let=(*settings.let, *let),
        limit=limit or settings.limit,
    )
    if (rewritten := limit_of(text, latex)) is not None:
        claim, towards = rewritten
        return replace(proved(claim, settings, latex=latex, limit=towards), text=text)
    if (several := _several(text, settings, latex)) is not None:
        return several
    _, relations = split(text, settings.words, latex=latex)
    if any(relation.text in IMPLICATIONS for relation in relations):
        return _implied(text, relations, settings, latex)
    chain = Chain(text, settings, latex)
    links = [chain.link(i) for i in range(len(relations))]
    for i, link in enumerate(links):
        if link.decision.refuted and settings.numbers is None:
            links[i] = replace(link, corrector=Corrector(chain, i))
    return Proof(text, tuple(links), chain.free(links), chain.words.signs, chain.reading)


def _joined(text: str, proofs: Sequence[Proof]) -> Proof:
    """The verdict on claims that stand in one text."""
    links = tuple(link for proof in proofs for link in proof.links)
    free = tuple(dict.fromkeys(name for proof in proofs for name in proof.free))
    reading = "; ".join(dict.fromkeys(proof.reading for proof in proofs))
    return Proof(text, links, free, proofs[0].signs, reading)


def _several(text: str, settings: Settings, latex: bool) -> Proof | None:
    """`N^* = ..., D^* = ...`: each is judged; None where the text is one claim."""
    pieces = separated(text)
    if len(pieces) < 2:
        return None
    try:
        signs = [split(piece, settings.words, latex=latex)[1] for piece in pieces]
    except ParseError:
        return None
    relations = [{sign.text for sign in each} for each in signs]
    if any(names & {*IMPLICATIONS} for names in relations):
        return None
    proofs = [proved(piece, settings, latex=latex) for piece in pieces]
    bounds = [names <= {*BOUNDS, "!="} for names in relations]
    for proof, is_bound in zip(proofs, bounds, strict=True):
        if is_bound and not all(bounds) and proof.answer is not Answer.PROVED:
            what = f"{proof.text.strip()} beside an equation may be a claim or a condition"
            raise ParseError(f"{what}: say --assume for a condition", text=text)
    return _joined(text, proofs)


def _implied(text: str, relations: Sequence[Token], settings: Settings, latex: bool) -> Proof:
    """`a == b implies c == d`: the right side where the left one is assumed; `iff` both ways."""
    signs = [relation for relation in relations if relation.text in IMPLICATIONS]
    proofs: list[Proof] = []
    for sign, (one, other) in zip(signs, pairwise(spans(text, signs)), strict=True):
        for premise, conclusion in ((one, other), (other, one))[: 1 + (sign.text == "iff")]:
            proof = _under(premise, conclusion, settings, latex)
            said = f"{premise.strip()} implies "
            links = tuple(replace(link, text=said + link.text) for link in proof.links)
            proofs.append(replace(proof, links=links))
    return _joined(text, proofs)


def _under(premise: str, conclusion: str, settings: Settings, latex: bool) -> Proof:
    """The conclusion where the premise is assumed; undecided where it cannot be, and neither can
    the converse of equations.
    """
    bare = proved(conclusion, settings, latex=latex)
    reading = f"{Chain(premise, settings, latex).reading} implies {bare.reading}"
    bare = replace(bare, reading=reading)
    if bare.answer is Answer.PROVED:
        return bare
    try:
        assumed = _links_of(premise, settings, latex)
        return replace(proved(conclusion, settings, latex=latex, assume=assumed), reading=reading)
    except ParseError as error:
        if (turned := _contrapositive(premise, conclusion, settings, latex)) is not None:
            return replace(bare, links=(replace(bare.links[0], **turned),))
        why = undecided(f"the premise cannot be taken for an assumption: {error}")
        links = (
            link if link.decision.proved else replace(link, decision=why, corrector=None)
            for link in bare.links
        )
        return replace(bare, links=tuple(links))


def _links_of(text: str, settings: Settings, latex: bool, *, equal: str = "==") -> list[str]:
    """A chain as its links, `a < b` and `b < c`, with another sign in place of `==`."""
    _, relations = split(text, settings.words, latex=latex)
    links = zip(pairwise(sources(text, relations)), relations, strict=True)
    return [
        as_typed(left, equal if sign.text == "==" else sign.text, right, latex=latex)
        for (left, right), sign in links
    ]


def _contrapositive(
    premise: str, conclusion: str, settings: Settings, latex: bool
) -> dict[str, Any] | None:
    """That one equation fails wherever another does, as what it changes of the link; None where
    that is not decided.
    """
    pair = (premise, conclusion)
    if any([r.text for r in split(x, settings.words, latex=latex)[1]] != ["=="] for x in pair):
        return None
    (fails,), assumed = (_links_of(x, settings, latex, equal="!=") for x in pair)
    try:
        (link,) = proved(fails, settings, latex=latex, assume=assumed).links
    except ParseError:
        return None
    if link.decision.proved:
        reason = f"where the conclusion fails the premise does: {link.decision.reason}"
    elif link.decision.witness is not None:
        reason = "the premise holds at a point where the conclusion fails"
    else:
        return None
    decision = replace(link.decision, reason=reason)
    return {"decision": decision, "definitions": link.definitions, "corrector": None}
