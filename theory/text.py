"""Theorems that are written as text: what a Markdown file says, as data for the checks.

    # The tails of the penalty
    Far from the optimum one term is the whole penalty.

    Setting: penalty

    A run with $r$ times the optimal size, $r > 0$, has for $r \\to 0$ {overtrained}.

    - **overtrained**: $P(r) \\sim w_N r^{-\\beta}$ as $r \\to 0$
      For small $r$ the term of $N$ dominates:

    Source: Leading terms of the penalty.

A formula is LaTeX between dollars, or plain text between backquotes. The setting gives the names of
the law and of its optimum, with what is assumed of them; `Let $x = ...$` gives a name of one's own,
and a paragraph that begins with "Assume" assumes something more. The last paragraph before the
steps is the statement: its claims are names of steps. Every letter that is not of the setting is
positive.

A step has its formula, `for` its conditions, `as` its limit, and `by` its argument where it is to
be that one and no other: `by positive terms`, `by the positive terms $x + y$`, `by the mean of $x$
and $y$ with the weights $u$ and $v$`, `by $f$, which falls in $x$, at $x_1$ and $x_2$`, where "and
there by ..." may say how the two places are compared. Without one an equality is decided by the normal form, a
limit by its leading term, and a bound by the search. Nothing of the file is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sympy import Expr, Integer, Symbol, oo
from sympy.core.function import AppliedUndef

from .algebra import symbols as sym
from .envelope import derive
from .penalty import misallocation
from .proof.argument import Argument, ByLeadingTerm, ByNormalForm, ByPositiveTerms, ByWeightedAmGm
from .proof.argument_calculus import ByMonotone
from .proof.bounds import ByBound
from .proof.claim import Claim
from .proof.words import (
    Definition,
    Formula,
    Sentence,
    all_positive,
    function,
    in_paper_order,
    say,
)
from .reader.building import NamedFunction
from .reader.latex import tokenize_latex
from .reader.parse import read
from .reader.tokens import GREEK, ParseError, Token, tokenize
from .theorem import Derivation, step

FORMULA = re.compile(r"\$(?P<latex>[^$]+)\$|`(?P<plain>[^`]+)`")
STEP = re.compile(r"- \*\*(?P<name>\w+)\*\*:\s+(?P<said>.+)")
ENDS = re.compile(r"(?P<key>Setting|Source|Follows):\s+(?P<said>.+)", re.DOTALL)
LET = re.compile(r"Let (?P<formula>\$[^$]+\$|`[^`]+`)\.?")
#: What may stand between the formulas of a step, before its argument.
BESIDE = re.compile(r"\s*,?\s+(?P<word>for|and|as)\s+")
HINT = re.compile(r"\s*,?\s+by (?P<said>.+)")
#: The relations as either reader spells them, and as a formula has them.
RELATIONS = {"==": "=", r"\sim": "~", r"\to": "->", r"\le": "<=", r"\ge": ">="}
LETTER = re.compile(r"(?!e)[a-z](_[a-z0-9]+)?")
SIGN = re.compile(
    r"(<=|>=|==|~|->|\\sim(?![a-z])|\\to(?![a-z])|\\leq?(?![a-z])|\\geq?(?![a-z])|=|<|>)"
)


@dataclass(frozen=True)
class Setting:
    """What the names of a theorem stand for to begin with, and what is assumed of them."""

    assumptions: tuple[str | Sentence, ...] = ()
    definitions: tuple[Definition, ...] = ()


def _envelope() -> Setting:
    envelope = derive()
    return Setting(envelope.assumptions, envelope.definitions)


def _penalty() -> Setting:
    family = misallocation()
    return Setting(family.envelope.assumptions, family.definitions)


SETTINGS: Mapping[str, Callable[[], Setting]] = {"envelope": _envelope, "penalty": _penalty}


def is_theorem(text: str) -> bool:
    """Whether a text names its setting, as a theorem does."""
    return re.search(r"^Setting:", text, re.MULTILINE) is not None


def load(path: Path) -> Derivation:
    """The theorem of a file.

    Raises
    ------
    ValueError
        Naming what cannot be read.
    """
    return theorem(path.read_text(encoding="utf-8"), path.stem)


def theorem(text: str, name: str) -> Derivation:
    """The theorem that a text spells.

    Raises
    ------
    ValueError
        Naming what cannot be read.
    """
    head, *paragraphs = re.split(r"\n\s*\n", text.strip())
    title = head.partition("\n")[0]
    if not title.startswith("# "):
        raise ParseError(f"{title[:60]!r}: the first line is the title, '# ...'")
    ends = {m["key"]: _joined(m["said"]) for p in paragraphs if (m := ENDS.fullmatch(p))}
    if ends.get("Setting") not in SETTINGS:
        raise ParseError(f"Setting: must be one of {', '.join(SETTINGS)}")
    if "Source" not in ends:
        raise ParseError("Source: is missing")
    setting = SETTINGS[ends["Setting"]]()
    reader = _Reader(setting.definitions)
    own = [p for p in paragraphs if not ENDS.fullmatch(p)]
    for paragraph in own:
        if let := LET.fullmatch(paragraph):
            reader.define(let["formula"])
    said = [p for p in own if not LET.fullmatch(p)]
    words = [p for p in said if not p.startswith("- **")]
    if not words:
        raise ParseError("states nothing: the paragraph before the steps is missing")
    *assumed, statement = words
    wrong = next((p for p in assumed if not p.startswith("Assume ")), None)
    if wrong is not None:
        raise ParseError(f"{wrong[:60]!r}: an assumption begins with 'Assume'")
    assumptions = (*setting.assumptions, *map(reader.sentence, assumed))
    stated = reader.sentence(statement)
    steps = tuple(reader.step(p) for p in said if p.startswith("- **"))
    return Derivation(
        name=name,
        title=title.removeprefix("# "),
        assumptions=(*assumptions, *reader.signs((*assumptions, stated), steps)),
        definitions=tuple(reader.definitions),
        statement=stated,
        steps=steps,
        source=ends["Source"],
        follows=ends.get("Follows", ""),
    )


def _joined(text: str) -> str:
    return " ".join(text.split())


class _Reader:
    """Reads formulas in the names of a theorem."""

    def __init__(self, definitions: tuple[Definition, ...]) -> None:
        letters = (value for value in vars(sym).values() if isinstance(value, Symbol))
        self.table: dict[str, Expr | NamedFunction] = {letter.name: letter for letter in letters}
        self.definitions: list[Definition] = []
        self.own: set[Symbol] = set()
        for definition in definitions:
            self._take(definition)

    def _take(self, definition: Definition) -> None:
        name = definition.name
        if isinstance(name, AppliedUndef):
            self.table[name.func.__name__] = NamedFunction(tuple(name.args), name)
        else:
            self.table[name.name] = name
        self.definitions.append(definition)

    def define(self, words: str) -> None:
        """Take the name that `$x = ...$` or `$f(x) = ...$` gives."""
        spelled = re.fullmatch(r"[$`]\s*(\w+)(?:\((\w)\))?\s*=(.+)[$`]", words, re.DOTALL)
        if spelled is None:
            raise ParseError(f"{words}: gives no name; 'Let $x = ...$'")
        name, argument, value = spelled.groups()
        if name in self.table:
            raise ParseError(f"{words}: {name!r} has a meaning already")
        parameter = argument and self.expression(argument, latex=False)
        left = function(name)(parameter) if argument else Symbol(name, positive=True)
        self._take(Definition(left, self.expression(value, latex=words.startswith("$"))))

    def expression(self, words: str, *, latex: bool) -> Expr:
        """An expression; a letter without a meaning is positive."""
        words = words.strip()
        if words in ("oo", r"\infty"):
            return oo
        tokens = tokenize_latex(words) if latex else tokenize(words)
        for token in tokens:
            self._introduce(token)
        return read(words, tokens, self.table)

    def _introduce(self, token: Token) -> None:
        is_letter = LETTER.fullmatch(token.text) is not None or token.text in GREEK
        if token.kind == "name" and is_letter and token.text not in self.table:
            letter = Symbol(token.text, positive=True)
            self.table[token.text] = letter
            self.own.add(letter)

    def formula(self, found: re.Match[str]) -> Formula:
        """A formula between dollars or backquotes."""
        latex = found["latex"] is not None
        sides = SIGN.split(found["latex"] if latex else found["plain"])
        signs = tuple(RELATIONS.get(sign.removesuffix("q"), sign) for sign in sides[1::2])
        return Formula(tuple(self.expression(side, latex=latex) for side in sides[::2]), signs)

    def sentence(self, words: str) -> Sentence:
        """Words with formulas between them."""
        words = _joined(words)
        return Sentence(FORMULA.sub("{}", words), tuple(map(self.formula, FORMULA.finditer(words))))

    def step(self, paragraph: str) -> Claim:
        """A step: its name and formula in the first line, its reason in the others."""
        head, _, reason = paragraph.partition("\n")
        found = STEP.fullmatch(head)
        first = found and FORMULA.match(found["said"])
        if found is None or first is None or not reason:
            raise ParseError(f"{head[:60]!r}: a step reads '- **name**: $formula$', and its reason")
        claim, assumed, limit = self.formula(first), [], None
        rest = found["said"][first.end() :]
        while beside := BESIDE.match(rest):
            said = FORMULA.match(rest, beside.end())
            if said is None:
                raise ParseError(f"{rest!r}: a formula is expected behind {beside['word']!r}")
            if beside["word"] == "as":
                limit = self.formula(said)
            else:
                assumed.append(_positive(self.formula(said)))
            rest = rest[said.end() :]
        hint = HINT.fullmatch(rest)
        if rest.strip(" .") and hint is None:
            raise ParseError(f"{rest!r}: only 'for', 'as' and 'by' can be read behind a formula")
        return step(
            found["name"],
            tuple(_alternating(claim)),
            self.sentence(reason),
            self.argument(hint["said"]) if hint else _argument(claim, limit),
            assume=tuple(assumed),
        )

    def signs(self, said: Iterable[str | Sentence], steps: Iterable[Claim]) -> tuple[Sentence, ...]:
        """That the letters of one's own are positive, where nothing says so.

        Raises
        ------
        ParseError
            Where one is said to be anything else.
        """
        used = frozenset().union(*(step.symbols for step in steps)) & self.own
        formulas = [f for s in said if isinstance(s, Sentence) for f in s.formulas if f.is_domain]
        for formula in formulas:
            if formula.sides[0] in self.own and formula.signs in (("<",), ("<=",), (">=",)):
                raise ParseError(
                    f"{formula}: every letter is positive; a bound is a condition of a step"
                )
        told = {f.sides[0] for f in formulas if f.signs == (">",) and f.sides[1].is_zero}
        untold = in_paper_order(used - told)
        return (say("Let ") + all_positive(untold) + ".",) if untold else ()

    def argument(self, hint: str) -> Argument:
        """The argument that a step names."""
        hint = hint.rstrip(".")
        if hint == "positive terms":
            return ByPositiveTerms()
        formulas = [self.formula(found).sides[0] for found in FORMULA.finditer(hint)]
        if re.fullmatch(r"the positive terms {}", FORMULA.sub("{}", hint)):
            return ByPositiveTerms(form=formulas[0])
        means = r"the mean of {}(?:(?:, | and ){})* with the weights {}(?:(?:, | and ){})*"
        if re.fullmatch(means, FORMULA.sub("{}", hint)) and len(formulas) % 2 == 0:
            half = len(formulas) // 2
            return ByWeightedAmGm(tuple(formulas[:half]), tuple(formulas[half:]))
        monotone = r"{}, which (falls|rises) in {}, at {} and {}"
        first, there, order = hint.partition(", and there by ")
        if way := re.fullmatch(monotone, FORMULA.sub("{}", first)):
            f, x, left, right = formulas[:4]
            if not isinstance(x, Symbol):
                raise ParseError(f"by {hint!r}: {x} is no letter")
            compared = self.argument(order) if there else ByBound()
            return ByMonotone(f, x, left, right, way[1] == "rises", compared)
        raise ParseError(
            f"by {hint!r}: must be 'by positive terms', 'by the positive terms $x$', 'by the mean "
            f"of $x$ and $y$ with the weights $u$ and $v$' or 'by $f$, which falls in $x$, at $u$ and $v$'"
        )


def _alternating(formula: Formula) -> Iterator[Expr | str]:
    yield formula.sides[0]
    for sign, side in zip(formula.signs, formula.sides[1:], strict=True):
        yield from (sign, side)


def _positive(formula: Formula) -> Expr:
    """What a condition calls positive."""
    if formula.signs not in ((">",), ("<",)):
        raise ParseError(f"{formula}: a condition of a step is a strict bound")
    left, right = formula.sides
    return left - right if formula.signs == (">",) else right - left


def _argument(claim: Formula, limit: Formula | None) -> Argument:
    """The argument where none is named."""
    if not claim.signs:
        raise ParseError(f"{claim}: a step states a relation")
    if claim.signs[0] in ("~", "->"):
        if limit is None or limit.signs != ("->",) or limit.sides[1] not in (oo, Integer(0)):
            raise ParseError(f"{claim}: says in no limit, 'as $r \\to 0$' or to infinity, it holds")
        variable, end = limit.sides
        if not isinstance(variable, Symbol):
            raise ParseError(f"{limit}: must be of a letter")
        return ByLeadingTerm(variable, "oo" if end == oo else "0")
    return ByNormalForm() if claim.signs[0] == "=" else ByBound()
