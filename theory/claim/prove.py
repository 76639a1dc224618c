"""A claim as a user types it: proved, refuted with a witness, or undecided; a chain is checked link
by link.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from sympy import Symbol

from ..budget import SIX_ND, Budget
from ..data.notation import DEFAULT, HOFFMANN
from ..kernel.answer import BOUNDS, Answer, Decision, undecided, weaker
from ..reader.tokens import ParseError, Token
from ..typeset.shown import Shown
from ..typeset.table import Column, Table
from .at_law import HasCoefficients
from .chain import Chain, ChainLink, Settings
from .typed import Claims, as_typed, limit_of, separated, sources, spans
from .vocabulary import Vocabulary, refuse_clashes, said_of, vocabulary

#: `x, y real`, `x < 0`, `x <= 0`.
SIGN_ASSUMED = re.compile(
    r"\s*(?P<letters>\\?[A-Za-z]\w*(?:\s*,\s*\\?[A-Za-z]\w*)*)"
    r"(?:\s+(?:is\s+|are\s+)?(?P<real>real)|\s*(?P<sign><=?|>=)\s*0)\s*"
)
IMPLICATIONS = ("implies", "iff")
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


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
    read_as : tuple of str
        What the other names mean that are more than a letter, each with its meaning:
        `R_opt, the least reducible loss at C`.
    """

    text: str
    links: tuple[ChainLink, ...]
    free: tuple[str, ...] = ()
    read_as: tuple[str, ...] = ()
    signs: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Those of the free symbols that are not just positive."""
    reading: str = ""
    """The claim in one line of plain text as it was read, every product with its star."""

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
            "read_as": list(self.read_as),
        }

    def __str__(self) -> str:
        lines = [f"{self.answer.value}: {self.text.strip()}"]
        for link in self.links:
            lines += [f"  {line}" for line in link.lines(named=len(self.links) > 1)]
        positive = [name for name in self.free if name not in self.signs]
        if positive:
            lines.append(f"  free positive symbols: {', '.join(positive)}")
        if self.signs:
            others = [said_of(name, signs) for name, signs in self.signs.items()]
            lines.append(f"  free symbols: {', '.join(others)}")
        lines.append(f"  read as {self.reading}")
        if self.read_as and self.answer is not Answer.PROVED:
            lines.append(f"  where {'; '.join(self.read_as)}")
        return "\n".join(lines)


def prove(
    text: str,
    *,
    latex: bool = False,
    assume: Sequence[str] = (),
    define: Sequence[str] = (),
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
    define : sequence of str
        `X == A/B` names an expression, which may have either sign; the name must have no meaning of
        its own. One definition may use another. `f(x) == x^2` names a function.
    let : sequence of str
        `R_opt := D*/N*` gives a name another meaning than the one it has by default, or another
        name to one of its quantities: `k := kappa`. On the right side names have their default
        meanings.
    notation : {"schaeffer", "hoffmann"}, optional
        Schaeffer's letters by default. Where these do not prove a claim that is itself in
        Hoffmann's, with powers of N in alpha and of D in beta or with `a`, `b` or `alpha_C` as one
        side, it is judged in Hoffmann's, and the answer says so.
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
    refuse_clashes(budget or SIX_ND, notation or DEFAULT.name)
    text = without_dollars(text) if latex else text
    settings = Settings(
        notation or DEFAULT.name,
        budget,
        law,
        define=define,
        let=let,
        limit=limit,
        seed=seed,
        seconds=seconds,
    )
    try:
        proof, error = _with_signs(text, settings, latex, assume), None
    except ParseError as unread:
        proof, error = None, unread
    answered = proof is not None and proof.answer is Answer.PROVED
    if notation is None and not answered and _in_hoffmanns_letters(text, settings, latex):
        with suppress(ParseError, ValueError):
            refuse_clashes(budget or SIX_ND, HOFFMANN.name)
            other = _with_signs(text, replace(settings, notation=HOFFMANN.name), latex, assume)
            return replace(other, reading=f"{other.reading}, in Hoffmann's letters")
    if proof is None:
        raise error or ParseError("not read", text=text)
    return proof


def without_dollars(text: str) -> str:
    """`$x = y$` as LaTeX between dollars."""
    inside = re.fullmatch(r"\s*(\${1,2})([^$]+)\1\s*", text)
    return text if inside is None else inside[2]


def _with_signs(text: str, settings: Settings, latex: bool, assume: Sequence[str]) -> Proof:
    signs, others = signs_assumed(assume, settings.words)
    return proved(text, replace(settings, signs=signs), latex=latex, assume=others)


def _in_hoffmanns_letters(text: str, settings: Settings, latex: bool) -> bool:
    """Whether the claim itself is in Hoffmann's letters, whatever they prove: it has powers of N in
    alpha and of D in beta, as the law has them, or one side is a name that only they have, `a`; and
    gamma, which they have not, is not in it.
    """
    try:
        parts, _ = Claims(dict(settings.words.names), settings.words, latex).split(text)
    except ParseError:
        return False
    texts = [[token.text for token in part if token.text not in "()-"] for part in parts]
    words = {word for part in texts for word in part}
    powers = {
        (part[i], part[i + 2])
        for part in texts
        for i in range(len(part) - 2)
        if part[i + 1] in ("^", "**")
    }
    own = vocabulary(HOFFMANN.name, settings.budget or SIX_ND).names.keys()
    alone = {part[0] for part in texts if len(part) == 1} & (own - settings.words.names.keys())
    return "gamma" not in words and (powers >= {("N", "alpha"), ("D", "beta")} or bool(alone))


def signs_assumed(
    assume: Sequence[str], words: Vocabulary
) -> tuple[dict[str, frozenset[int]], list[str]]:
    """The signs of letters that the law does not have, and the other assumptions."""
    signs: dict[str, frozenset[int]] = {}
    others = []
    for text in assume:
        match = SIGN_ASSUMED.fullmatch(text)
        letters = re.findall(r"\w+", match["letters"]) if match is not None else []
        known = [name for name in letters if name in words.names]
        if match is not None and match["real"] and known:
            raise ParseError(f"{text!r}: {known[0]} is of the law, which says what it is")
        if match is None or known:
            others.append(text)
            continue
        allowed = frozenset(
            {None: [-1, 0, 1], "<": [-1], "<=": [-1, 0], ">=": [0, 1]}[match["sign"]]
        )
        for name in letters:
            signs[name] = signs.get(name, allowed) & allowed
    return signs, others


def proved(
    text: str,
    settings: Settings,
    *,
    latex: bool = True,
    define: Sequence[str] = (),
    assume: Sequence[str] = (),
    let: Sequence[str] = (),
    limit: str | None = None,
) -> Proof:
    """The verdict on a claim under these settings and what is added to them."""
    settings = replace(
        settings,
        define=(*settings.define, *define),
        assume=(*settings.assume, *assume),
        let=(*settings.let, *let),
        limit=limit or settings.limit,
    )
    if (rewritten := limit_of(text, latex)) is not None:
        claim, towards = rewritten
        return replace(proved(claim, settings, latex=latex, limit=towards), text=text)
    if (several := _several(text, settings, latex)) is not None:
        return several
    _, relations = Claims(dict(settings.words.names), settings.words, latex).split(text)
    if any(relation.text in IMPLICATIONS for relation in relations):
        return _implied(text, relations, settings, latex)
    chain = Chain(text, settings, latex)
    links = tuple(map(chain.link, range(len(relations))))
    free = chain.reader.free
    told = {
        str(symbol)
        for symbol, meaning in chain.words.definitions.items()
        if any(meaning in link.definitions for link in links)
    }
    if not any(side.has(free.get("d", Symbol("d"))) for side in chain.sides):
        told |= {"d"}  # of a derivative
    return Proof(
        text,
        links,
        tuple(name for name in free if name not in told),
        chain.reader.read_as,
        chain.words.signs,
        chain.reading,
    )


# -- several claims, and implications --------------------------------------------------------------


def _joined(
    text: str, settings: Settings, proofs: Sequence[tuple[int, Proof]], between: str
) -> Proof:
    """The verdict on claims that stand in one text, each with its place."""
    return Proof(
        text,
        tuple(
            replace(link, position=start + link.position)
            for start, proof in proofs
            for link in proof.links
        ),
        tuple(dict.fromkeys(name for _, proof in proofs for name in proof.free)),
        tuple(dict.fromkeys(name for _, proof in proofs for name in proof.read_as)),
        settings.signs,
        between.join(dict.fromkeys(proof.reading for _, proof in proofs)),
    )


def _several(text: str, settings: Settings, latex: bool) -> Proof | None:
    """`N^* = ..., D^* = ...`: each is judged; None where the text is one claim."""
    pieces = separated(text)
    if len(pieces) < 2:
        return None
    reader = Claims(dict(settings.words.names), settings.words, latex)
    try:
        relations = [[r.text for r in reader.split(piece)[1]] for _, piece in pieces]
    except ParseError:
        return None
    if any(name in IMPLICATIONS for names in relations for name in names):
        return None
    proofs = [(start, proved(piece, settings, latex=latex)) for start, piece in pieces]
    bounds = [set(names) <= {*BOUNDS, "!="} for names in relations]
    for (_, proof), is_bound in zip(proofs, bounds, strict=True):
        if is_bound and not all(bounds) and proof.answer is not Answer.PROVED:
            what = f"{proof.text.strip()} beside an equation may be a claim or a condition"
            raise ParseError(f"{what}: say --assume for a condition", text=text)
    return _joined(text, settings, proofs, "; ")


def _implied(text: str, relations: Sequence[Token], settings: Settings, latex: bool) -> Proof:
    """`a == b implies c == d`: the right side under the left one as an assumption; `iff` both ways."""
    signs = [relation for relation in relations if relation.text in IMPLICATIONS]
    statements = spans(text, signs)
    proofs: list[tuple[int, Proof]] = []
    for sign, (start, left), (after, right) in zip(signs, statements, statements[1:], strict=False):
        ways = [(left, right, after)]
        if sign.text == "iff":
            ways.append((right, left, start))
        for premise, conclusion, position in ways:
            proof = _under(premise, conclusion, settings, latex)
            named = [
                replace(link, text=f"{premise.strip()} implies {link.text}") for link in proof.links
            ]
            proofs.append((position, replace(proof, links=tuple(named))))
    return _joined(text, settings, proofs, "; ")


def _under(premise: str, conclusion: str, settings: Settings, latex: bool) -> Proof:
    """The conclusion where the premise is assumed; undecided where it cannot be."""
    _, relations = Claims(dict(settings.words.names), settings.words, latex).split(premise)
    sides = sources(premise, relations)
    assumed = [
        as_typed(left, relation.text, right, latex=latex)
        for left, relation, right in zip(sides, relations, sides[1:], strict=False)
    ]
    bare = proved(conclusion, settings, latex=latex)
    reading = f"{Chain(premise, settings, latex).reading} implies {bare.reading}"
    bare = replace(bare, reading=reading)
    if bare.answer is Answer.PROVED:
        return bare
    try:
        proof = proved(conclusion, settings, latex=latex, assume=assumed)
        proof = replace(proof, reading=reading)
        if proof.answer is not Answer.UNDECIDED:
            return proof
    except ParseError as error:
        unused = undecided(f"the premise cannot be taken for an assumption: {error}")
        links = (
            link if link.decision.proved else replace(link, decision=unused, corrector=None)
            for link in bare.links
        )
        proof = replace(bare, links=tuple(links))
    turned = _contrapositive(premise, conclusion, settings, latex)
    if turned is not None:
        decision, definitions = turned
        (link,) = proof.links
        link = replace(link, decision=decision, definitions=definitions, corrector=None)
        return replace(proof, links=(link,))
    return proof


def _contrapositive(
    premise: str, conclusion: str, settings: Settings, latex: bool
) -> tuple[Decision, tuple[str, ...]] | None:
    """That the premise fails wherever the conclusion does; None where that is not decided."""
    negated = []
    for text in (premise, conclusion):
        _, relations = Claims(dict(settings.words.names), settings.words, latex).split(text)
        if [r.text for r in relations if r.text not in NEGATED] or len(relations) != 1:
            return None
        left, right = sources(text, relations)
        negated.append(as_typed(left, NEGATED[relations[0].text], right, latex=latex))
    try:
        (link,) = proved(negated[0], settings, latex=latex, assume=negated[1:]).links
    except ParseError:
        return None
    decision = link.decision
    if decision.proved:
        reason = f"where the conclusion fails the premise does: {decision.reason}"
        return replace(decision, reason=reason), link.definitions
    if decision.witness is not None:
        reason = "the premise holds at a point where the conclusion fails"
        return replace(decision, reason=reason), link.definitions
    return None
