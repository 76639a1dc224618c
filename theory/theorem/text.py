r"""Theorems that are written as text: what a Markdown file says, as data for the checks.

    # The tails of the penalty
    Far from the optimum one term is the whole penalty.

    Setting: penalty

    A run with $r$ times the optimal size, $r > 0$, has for $r \to 0$ {overtrained}.

    - **overtrained**: $P(r) \sim w_N r^{-\beta}$ as $r \to 0$
      For small $r$ the term of $N$ dominates:

    Source: Leading terms of the penalty.

A formula is LaTeX between dollars, or plain text between backquotes. The setting gives the names of
the law and of its optimum, with what is assumed of them, under `Budget: $C = 6 N D$` where no other
line gives another one, and in Schaeffer's letters unless it says `Notation: hoffmann`. `Let $x =
...$` gives a name of one's own, or a letter of the law a value, `Let $\gamma = \beta$`. `Assume
$\beta < \gamma$` is a condition of every step, and a paragraph that begins with "Assume" and has
words assumes something more. The last paragraph before the steps is the statement: its claims are
names of steps. Every letter that is not of the setting is positive, unless `Let $x$ be real` says so. The
number of draws is what stands behind "pass@" and "fail@", which `Let` may give a value where the
setting is passk. Of factorials, binomials and values of Gamma only the recurrence is known.

A step has its formula, `for` its conditions, `as` its limit, and `by` its argument where it is to
be that one and no other: `by positive terms`, `by the positive terms $x + y$`, `by the factors $x$
and $y$` (each is positive, or a square of what is not zero), `by the mean of $x$ and $y$ with the
weights $u$ and $v$`, `by $f$, which falls in $x$, at $x_1$ and $x_2$`, where "and there by ..." may
say how the two places are compared, `by $f$, which is convex in $x$, at $x_1$ and $x_2$`, where the
tangent at $x_2$ lies below. Without one an equality is decided by the normal form, a limit by its
leading term, and a bound by the search. `by the lemma of Tung 1975` grants the paragraph
`Lemma of Tung 1975, Title: ...`, and `cited from SOURCE` proves nothing: such steps have a status of
their own. Nothing of the file is run. Several lines of steps may have one reason below them.

A file of errata has a section for each slip, `## Slip: name`: where it is, what is printed, which
is refuted, `At $k = 10$, $q = 1/2$` where this has to be at a telling point, and what holds instead;
or `## Remark: name` with what is no slip in the strict sense.

A derivative, and a value at a point, stay as they are written: `\frac{\partial L(N, D)}{\partial N}`
of a name is taken when the step is judged, with every other letter held, and
`\left. f \right|_{N = 1, D = 2}` is the value there. A name that the setting gives no value, `h(x)`
of a law h(R), is any function: from `x = y` follows `h(x) = h(y)`, from a bound the same bound for
a function that `for $\frac{\partial h(y)}{\partial y} > 0$` grows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, TypeVar

from sympy import Expr, Function, Integer, Symbol, cosh, oo, sinh
from sympy.core.function import AppliedUndef

from ..budget import GENERAL, SIX_ND, Budget
from ..data.notation import notation
from ..envelope import derive
from ..kernel import symbols as sym
from ..kernel.answer import BOUNDS
from ..kernel.bounds import ByBound
from ..kernel.functions import expm1, log1p, phi2
from ..kernel.rules import (
    Argument,
    ByApplying,
    ByLeadingTerm,
    ByNormalForm,
    ByWeightedAmGm,
)
from ..passk import DRAWS, FAIL_AT, PASS_AT, cross_allocation
from ..penalty import misallocation
from ..ray import ray
from ..reader.building import MORE_FUNCTIONS, NamedFunction
from ..reader.latex import tokens_of
from ..reader.parse import read
from ..reader.tokens import AT, GREEK, ParseError, Token
from .argument import Cited, UnderLemma
from .claim import Claim
from .derivation import Derivation, step
from .errata import Erratum, Remark
from .words import (
    Definition,
    Formula,
    Sentence,
    all_positive,
    function,
    in_paper_order,
    needed,
    say,
)

Read = TypeVar("Read")
X = Symbol("x")
#: Functions that stay as they are written.
WHOLE = (expm1, log1p, phi2, sinh, cosh)
#: What a law may be of the reducible loss.
OUTER = function("h")(Symbol("y", positive=True))
SECTION = re.compile(r"^## ", re.MULTILINE)
AT_POINT = re.compile(r"At [$`]")
FORMULA = re.compile(r"\$(?P<latex>[^$]+)\$|`(?P<plain>[^`]+)`")
STEP = re.compile(r"- \*\*(?P<name>\w+)\*\*:\s+(?P<said>.+)")
ENDS = re.compile(r"(?P<key>Setting|Budget|Notation|Source|Follows):\s+(?P<said>.+)", re.DOTALL)
LET = re.compile(r"Let (?P<formula>\$[^$]+\$|`[^`]+`)\.?")
REAL = re.compile(r"Let .+ be real\.?", re.DOTALL)
#: What is assumed throughout: nothing but formulas.
ASSUMED = re.compile(r"Assume (?:that )?(?:\$[^$]+\$|`[^`]+`|\s|,|and)+\.?")
LEMMA = re.compile(r"Lemma of (?P<source>[^:]+):\s+(?P<said>.+)", re.DOTALL)
#: What may stand between the formulas of a step, before its argument.
BESIDE = re.compile(r"\s*,?\s+(?P<word>for|and|as)\s+")
HINT = re.compile(r"\s*,?\s+(by (?P<said>.+)|cited from (?P<source>.+))")
#: The relations as either reader spells them, and as a formula has them.
RELATIONS = {"==": "=", r"\sim": "~", r"\to": "->", r"\le": "<=", r"\ge": ">=", r"\ne": "!="}
#: A letter, `x`, `C_x` or `alpha1`; its index stands behind `_` where it is printed.
LETTER = re.compile(
    rf"(?!e$)(?P<base>[A-Za-z]|{'|'.join(GREEK)})(?P<index>[0-9]*|_[A-Za-z0-9]{{1,2}})"
)
SIGN = re.compile(r"(<=|>=|!=|==|~|->|\\(?:sim|to|leq?|geq?|neq?)(?![a-z])|=|<|>)")


@dataclass(frozen=True)
class Setting:
    """What the names of a theorem stand for to begin with, and what is assumed of them."""

    assumptions: tuple[str | Sentence, ...] = ()
    definitions: tuple[Definition, ...] = ()
    functions: tuple[AppliedUndef, ...] = ()


def _envelope(budget: Budget = SIX_ND) -> Setting:
    envelope = derive(budget=budget)
    return Setting(envelope.assumptions, envelope.definitions)


def _penalty(budget: Budget = SIX_ND) -> Setting:
    family = misallocation(derive(budget=budget))
    return Setting(family.envelope.assumptions, family.definitions)


def _ray() -> Setting:
    line = ray()
    penalty = misallocation().definitions
    return Setting(line.assumptions, tuple(dict.fromkeys((*line.definitions, *penalty))))


def _general_budget() -> Setting:
    return _penalty(GENERAL)


def _function_of_the_loss() -> Setting:
    family = misallocation()
    law = (
        "A model with $N$ params trained on $D$ tokens, $N$, $D > 0$, has the loss $h(R(N, D))$, "
        r"where $R(N, D) = A N^{-\beta} + B D^{-\gamma}$ and $A$, $B$, $\beta$, $\gamma > 0$."
    )
    _, budget = family.envelope.assumptions
    bare = Setting(definitions=family.definitions, functions=(OUTER,))
    return replace(bare, assumptions=(_Reader(bare).sentence(law), budget))


def _passk() -> Setting:
    return Setting(functions=(PASS_AT(DRAWS), FAIL_AT(DRAWS)))


def _two_numbers_of_draws() -> Setting:
    pair = cross_allocation()
    return Setting(pair.assumptions, pair.definitions)


SETTINGS: Mapping[str, Callable[..., Setting]] = {
    "envelope": _envelope,
    "penalty": _penalty,
    "runs at a fixed ratio": _ray,
    "penalty under a general budget": _general_budget,
    "function of the reducible loss": _function_of_the_loss,
    "no law": Setting,
    "passk": _passk,
    "passk at two numbers of draws": _two_numbers_of_draws,
}


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
    body, *sections = SECTION.split(text)
    head, *paragraphs = _paragraphs(body)
    title = head.partition("\n")[0]
    if not title.startswith("# "):
        raise ParseError(f"{title[:60]!r}: the first line is the title, '# ...'")
    ends = _ends(paragraphs)
    if "Source" not in ends:
        raise ParseError("Source: is missing")
    setting = _setting(ends)
    reader = _Reader(setting, ends.get("Notation"))
    _each(text, paragraphs, reader.declare)
    said = [p for p in paragraphs if not any(k.fullmatch(p) for k in (ENDS, LET, LEMMA))]
    words = [p for p in said if not p.startswith("- **")]
    if not words:
        raise ParseError("states nothing: the paragraph before the steps is missing")
    *assumed, statement = words
    wrong = next((p for p in assumed if not (p.startswith("Assume ") or REAL.fullmatch(p))), None)
    if wrong is not None:
        raise ParseError(
            f"{wrong[:60]!r}: an assumption begins with 'Assume'; the statement is the one paragraph "
            "of other words"
        )
    assumptions = (*setting.assumptions, *_each(text, assumed, reader.assumption))
    (stated,) = _each(text, [statement], reader.sentence)
    slips = (slip for slip in map(reader.section, sections) if isinstance(slip, Erratum))
    steps = (
        *chain(*_each(text, [p for p in said if p.startswith("- **")], reader.steps)),
        *(replace(c, name=f"{slip.name}.{c.name}") for slip in slips for c in slip.corrections),
    )
    return Derivation(
        name=name,
        title=reader.words(title.removeprefix("# ")),
        assumptions=(
            *assumptions,
            *reader.signs((*assumptions, stated, *(s.reason for s in steps)), steps),
        ),
        definitions=tuple(reader.definitions),
        statement=stated,
        steps=steps,
        source=ends["Source"],
        follows=reader.words(ends.get("Follows", "")),
    )


def errata(path: Path) -> tuple[tuple[Erratum, ...], tuple[Remark, ...]]:
    """The slips and the remarks of a file, which its sections are.

    Raises
    ------
    ValueError
        Naming what cannot be read.
    """
    text = path.read_text(encoding="utf-8")
    body, *sections = SECTION.split(text)
    paragraphs = _paragraphs(body)
    ends = _ends(paragraphs)
    reader = _Reader(_setting(ends), ends.get("Notation"))
    _each(text, paragraphs, reader.declare)
    found = list(map(reader.section, sections))
    return (
        tuple(each for each in found if isinstance(each, Erratum)),
        tuple(each for each in found if isinstance(each, Remark)),
    )


def budget(text: str) -> Budget:
    """The budget under which the theorem of a text is meant."""
    return _budget(_ends(_paragraphs(text))) or SIX_ND


def _ends(paragraphs: Iterable[str]) -> dict[str, str]:
    """What the lines with a key say."""
    return {m["key"]: _joined(m["said"]) for p in paragraphs if (m := ENDS.fullmatch(p))}


def _paragraphs(text: str) -> list[str]:
    return re.split(r"\n\s*\n", text.strip())


def _each(text: str, paragraphs: Iterable[str], read: Callable[[str], Read]) -> list[Read]:
    """What is read of each paragraph; an error names the line where it begins."""
    found = []
    for paragraph in paragraphs:
        try:
            found.append(read(paragraph))
        except ValueError as error:
            line = text.count("\n", 0, text.index(paragraph)) + 1
            raise ParseError(f"line {line}: {error}") from None
    return found


def _setting(ends: Mapping[str, str]) -> Setting:
    name = ends.get("Setting", "")
    if name not in SETTINGS:
        raise ParseError(f"Setting: must be one of {', '.join(SETTINGS)}")
    budget = _budget(ends)
    if budget is None:
        return SETTINGS[name]()
    if name not in ("envelope", "penalty"):
        raise ParseError(f"Budget: the setting {name} has its own")
    return SETTINGS[name](budget)


def _budget(ends: Mapping[str, str]) -> Budget | None:
    words = ends.get("Budget", "").rstrip(".")
    if not words:
        return None
    left, equals, right = words.strip("$`").partition("=")
    if not equals or left.strip() != "C":
        raise ParseError(f"{words!r}: a budget reads 'Budget: $C = 6 N D$'")
    value = _Reader(Setting()).expression(right, latex=words.startswith("$"))
    return Budget.from_expression(value)


def _joined(text: str) -> str:
    return " ".join(text.split())


class _Reader:
    """Reads formulas in the names of a theorem."""

    def __init__(self, setting: Setting, spelling: str | None = None) -> None:
        letters = (value for value in vars(sym).values() if isinstance(value, Symbol))
        self.table: dict[str, Expr | NamedFunction] = {letter.name: letter for letter in letters}
        self.table |= {f.__name__: NamedFunction((X,), f(X)) for f in WHOLE}
        self.definitions: list[Definition] = []
        self.lemmas: dict[str, Sentence] = {}
        self.without_value = {_typed(f): f for f in setting.functions}
        for name, measure in self.without_value.items():
            self._name(name, measure)
        for definition in setting.definitions:
            self._take(definition)
        said = (words.names for words in setting.assumptions if isinstance(words, Sentence))
        own = (d.value.free_symbols - d.name.free_symbols for d in setting.definitions)
        #: The letters of the law that have no value.
        self.given = frozenset().union(*own) - {d.name for d in setting.definitions}
        #: What the setting says of letters, or what they stand for.
        self.known = frozenset().union(*said, (d.name for d in setting.definitions))
        #: The conditions of every step.
        self.throughout: tuple[Formula, ...] = ()
        #: Names that have no meaning in the notation of the text, but in that of the package.
        self.foreign: frozenset[str] = frozenset()
        if spelling is not None:
            self._respell(spelling)

    def declare(self, paragraph: str) -> None:
        """Take what a paragraph defines or grants."""
        if REAL.fullmatch(paragraph):
            self.real(paragraph)
        elif let := LET.fullmatch(paragraph):
            self.define(let["formula"])
        elif lemma := LEMMA.fullmatch(paragraph):
            self.lemmas[_joined(lemma["source"])] = self.sentence(lemma["said"])

    def _name(self, spelled: str, name: Expr) -> None:
        """Let a name stand for a letter or a function, as either reader spells it."""
        is_function = isinstance(name, AppliedUndef)
        meaning = NamedFunction(tuple(name.args), name) if is_function else name
        for each in (spelled, re.sub(r"_(?=[0-9]+$)", "", spelled)):
            self.table[each] = meaning

    def _respell(self, spelling: str) -> None:
        """Call the quantities of the law as another notation does."""
        names = notation(spelling).names()
        taken = {str(letter) for letter in self.given} - names.keys()
        if clash := sorted(taken & set(names.values())):
            raise ParseError(f"Notation: {clash[0]} is a letter of the budget")
        others = {name: is_of for name, is_of in self.table.items() if name not in names}
        own = {names[name]: self.table[name] for name in names if name in self.table}
        self.table = others | own
        self.foreign = frozenset(names) - self.table.keys()

    def assumption(self, words: str) -> Sentence:
        """What is assumed; formulas without words are conditions of every step.

        Raises
        ------
        ParseError
            Where words assume something of the letters of the law.
        """
        said = self.sentence(words)
        links = [link for f in said.formulas for link in _links(f)]
        told = [link for link in links if not _is_positive_letter(link)]
        if ASSUMED.fullmatch(_joined(words)):
            if any(_positive(link).is_nonpositive for link in told):
                raise ParseError(f"{words!r}: every letter is positive")
            self.throughout += tuple(told)
            return said
        for link in told:
            if link.names <= self.known and link.signs[0] in BOUNDS:
                raise ParseError(f"{words[:60]!r}: say 'Assume ${link}$', without words")
        return said

    def _take(self, definition: Definition) -> None:
        self._name(_typed(definition.name), definition.name)
        self.definitions.append(definition)

    def real(self, words: str) -> None:
        """Take the letters of `Let $x$ and $y$ be real`."""
        for found in FORMULA.finditer(words):
            spelled, latex = _spelled(found)
            first, *more = tokens_of(spelled, latex=latex)
            if more or not LETTER.fullmatch(first.text):
                raise ParseError(f"{words}: {spelled} is no letter")
            name = _indexed(first.text)
            self._name(name, Symbol(name, real=True))

    def define(self, words: str) -> None:
        """Take the name that `$x = ...$` or `$f(x, y) = ...$` gives."""
        latex, (given, sign, value) = words.startswith("$"), words[1:-1].partition("=")
        tokens = tokens_of(given, latex=latex)
        name, *arguments = (token.text for token in tokens)
        if (
            not sign
            or tokens[0].kind != "name"
            or "".join(arguments[:1] + arguments[-1:]) not in ("", "()")
        ):
            raise ParseError(f"{words}: gives no name; 'Let $x = ...$'")
        letter = self.table.get(name)
        is_free = letter in self.given and not arguments
        if letter is not None and name not in self.without_value and not is_free:
            raise ParseError(f"{words}: {name!r} has a meaning already")
        for token in tokens[1:]:
            self._introduce(token)
        parameters = [self.expression(letter, latex=False) for letter in arguments[1:-1:2]]
        body = self.expression(value, latex=latex)
        if is_free:
            self._give(letter, body, words)
            return
        assumed = {"positive": True} if body.is_positive else {"real": True}
        given_by_setting = self.without_value.pop(name, None)
        called = _indexed(name) if given_by_setting is None else given_by_setting.func.__name__
        kind = Function if arguments else Symbol
        left = kind(called, **assumed)
        self._take(Definition(left(*parameters) if arguments else left, body))
        self.known |= {self.definitions[-1].name}

    def _give(self, letter: Symbol, value: Expr, words: str) -> None:
        """Give a letter of the law a value in the other letters of the law."""
        self.given -= {letter}
        if not value.is_positive or not value.free_symbols <= self.given:
            raise ParseError(f"{words}: must be positive, and in other letters of the law")
        self.definitions.insert(0, Definition(letter, value))

    def expression(self, words: str, *, latex: bool) -> Expr:
        """An expression; a letter without a meaning is positive."""
        words = words.strip()
        if words in ("oo", r"\infty"):
            return oo
        tokens = tokens_of(words, latex=latex)
        for token, after in pairwise((*tokens, Token("end", "", len(words)))):
            is_new = self._introduce(token)
            if is_new and after.text == "(" and not words[after.position - 1].isspace():
                raise ParseError(f"{words!r}: {token.text} is no function; 'Let $f(x) = ...$'")
        return read(words, tokens, self.table, kept=True)

    def _introduce(self, token: Token) -> bool:
        """Whether it is a letter without a meaning, which is a positive one from here on."""
        if token.kind != "name" or token.text in (*self.table, *MORE_FUNCTIONS):
            return False
        if token.text in self.foreign:
            raise ParseError(f"{token.text!r}: is no letter of the notation of this text")
        if not LETTER.fullmatch(token.text):
            return False
        letter = Symbol(_indexed(token.text), positive=True)
        self._name(letter.name, letter)
        return True

    def formula(self, found: re.Match[str]) -> Formula:
        """A formula between dollars or backquotes."""
        spelled, latex = _spelled(found)
        sides = _sides(spelled)
        signs = tuple(RELATIONS.get(sign.removesuffix("q"), sign) for sign in sides[1::2])
        return Formula(tuple(self.expression(side, latex=latex) for side in sides[::2]), signs)

    def sentence(self, words: str) -> Sentence:
        """Words with formulas between them."""
        words = _joined(words)
        return Sentence(FORMULA.sub("{}", words), tuple(map(self.formula, FORMULA.finditer(words))))

    def words(self, text: str) -> str | Sentence:
        """Words, as a sentence where there are formulas between them."""
        return self.sentence(text) if FORMULA.search(text) else text

    def section(self, text: str) -> Erratum | Remark:
        """A slip of a paper, as printed and corrected, or a remark."""
        head, *paragraphs = _paragraphs(text)
        title, _, where = head.partition("\n")
        steps = [step for p in paragraphs if p.startswith("- **") for step in self.steps(p)]
        claims = tuple(replace(c, where=needed(self.definitions, c)) for c in steps)
        words = [p for p in paragraphs if not p.startswith("- **")]
        at = [
            self.formula(f).sides for p in words if AT_POINT.match(p) for f in FORMULA.finditer(p)
        ]
        comment = _joined(" ".join(p for p in words if not AT_POINT.match(p)))
        kind, _, name = title.partition(": ")
        if kind == "Remark":
            return Remark(name, where, comment, claims)
        if kind != "Slip" or len(claims) < 2:
            raise ParseError(f"{title!r}: a section is '## Slip: name' or '## Remark: name'")
        printed, *corrected = claims
        return Erratum(name, where, printed, tuple(corrected), comment, tuple(at))

    def steps(self, paragraph: str) -> list[Claim]:
        """Steps, each a line with its name and formula, and their reason in the lines below."""
        heads, _, reason = paragraph.partition("\n  ")
        return [self.step(head, reason) for head in heads.split("\n")]

    def step(self, head: str, reason: str) -> Claim:
        """A step of a name, a formula and a reason."""
        found = STEP.fullmatch(head)
        first = found and FORMULA.match(found["said"])
        if found is None or first is None or not reason:
            raise ParseError(f"{head[:60]!r}: a step reads '- **name**: $formula$', and its reason")
        claim, assumed, limit = self.formula(first), [*map(_positive, self.throughout)], None
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
            raise ParseError(
                f"{rest!r}: only 'for', 'as', 'by' and 'cited from' can be read behind a formula"
            )
        argument = self.hinted(hint, claim, limit) if hint else _argument(claim, limit)
        if any(_applies(measure.func, claim) for measure in self.without_value.values()):
            argument = _inside(argument)
        return step(
            found["name"],
            tuple(_alternating(claim)),
            self.sentence(reason),
            argument,
            assume=tuple(assumed),
        )

    def signs(self, said: Iterable[str | Sentence], steps: Iterable[Claim]) -> tuple[Sentence, ...]:
        """That the letters that the setting does not have are positive, where nothing says so.

        Raises
        ------
        ParseError
            Where one is said to be anything else.
        """
        steps = tuple(steps)
        values = (
            d.value.free_symbols - d.name.free_symbols for d in needed(self.definitions, steps)
        )
        used = frozenset().union(*(step.symbols for step in steps), *values) - self.known
        own = frozenset(letter for letter in used if letter.is_positive)
        formulas = [f for s in said if isinstance(s, Sentence) for f in s.formulas if f.is_domain]
        for formula in formulas:
            letter = formula.sides[0]
            is_own = letter.is_positive and letter not in self.known
            if not formula.signs or not is_own or formula in self.throughout:
                continue
            if not (_leaves_room(formula) or _is_zero_loss(formula)):
                raise ParseError(
                    f"{formula}: every letter is positive; a bound is a condition of a step, or "
                    f"'Assume ${formula}$' of all"
                )
        told = {
            f.sides[0]
            for f in formulas
            if (f.signs == (">",) and f.sides[1].is_zero) or _is_zero_loss(f)
        }
        told |= {f.sides[1] for f in formulas if f.sides[0].is_zero and f.signs[:1] == ("<",)}
        untold = in_paper_order(own - told)
        return (say("Let ") + all_positive(untold) + ".",) if untold else ()

    def hinted(self, hint: re.Match[str], claim: Formula, limit: Formula | None) -> Argument:
        """The argument of a step that names one, a lemma or where it is taken from."""
        if hint["source"]:
            return Cited(hint["source"].rstrip("."))
        if not (lemma := re.fullmatch(r"the lemma of (.+?)\.?", hint["said"])):
            return self.argument(hint["said"])
        granted = [source for source in self.lemmas if source.startswith(lemma[1])]
        if len(granted) != 1:
            raise ParseError(f"{hint['said']!r}: must name a paragraph 'Lemma of SOURCE: ...'")
        return UnderLemma(self.lemmas[granted[0]], granted[0], _argument(claim, limit))

    def argument(self, hint: str) -> Argument:
        """The argument that a step names."""
        hint = hint.rstrip(".")
        formulas = [self.formula(found).sides[0] for found in FORMULA.finditer(hint)]
        means = r"the mean of {}(?:(?:, | and ){})* with the weights {}(?:(?:, | and ){})*"
        if re.fullmatch(means, FORMULA.sub("{}", hint)) and len(formulas) % 2 == 0:
            half = len(formulas) // 2
            return ByWeightedAmGm(tuple(formulas[:half]), tuple(formulas[half:]))
        raise ParseError(
            f"by {hint!r}: must be 'by the mean of $x$ and $y$ with the weights $u$ and $v$', or 'by "
            f"the lemma of SOURCE'"
        )


def _spelled(found: re.Match[str]) -> tuple[str, bool]:
    """What stands between dollars or backquotes, and whether it is LaTeX."""
    is_latex = found["latex"] is not None
    return found["latex" if is_latex else "plain"], is_latex


def _typed(name: Expr) -> str:
    """A name as the readers spell it."""
    called = name.func.__name__ if isinstance(name, AppliedUndef) else str(name)
    return called.replace("@", AT)


def _indexed(name: str) -> str:
    """`y_1` for `y1`: the name under which a letter is printed."""
    return re.sub(r"(?<=[A-Za-z])(?=[0-9]+$)", "_", name)


def _leaves_room(formula: Formula) -> bool:
    """Whether positive values of the letter on its left side may satisfy a bound."""
    sign, other = formula.signs[0], formula.sides[1]
    if sign in ("<", "<="):
        return bool(other.is_positive)
    return sign != ">=" or bool(other.is_positive)


def _sides(formula: str) -> list[str]:
    """The sides of a formula with the signs between them, which stand in no brackets."""
    parts, start = [], 0
    for sign in SIGN.finditer(formula):
        before = formula[: sign.start()]
        if sum(map(before.count, "([{")) == sum(map(before.count, ")]}")):
            parts += [formula[start : sign.start()], sign[0]]
            start = sign.end()
    return [*parts, formula[start:]]


def _links(formula: Formula) -> list[Formula]:
    """`0 < x < 1` as two."""
    pairs = zip(formula.sides, formula.signs, formula.sides[1:], strict=False)
    return [Formula.of(left, sign, right) for left, sign, right in pairs]


def _is_positive_letter(formula: Formula) -> bool:
    """Whether it says no more than that what is positive is so."""
    return formula.signs == (">",) and bool((formula.sides[0] - formula.sides[1]).is_positive)


def _is_zero_loss(formula: Formula) -> bool:
    """Whether it says that nothing may be irreducible, E >= 0."""
    return formula.sides == (sym.E, Integer(0)) and formula.signs == (">=",)


def _alternating(formula: Formula) -> Iterator[Expr | str]:
    yield formula.sides[0]
    for sign, side in zip(formula.signs, formula.sides[1:], strict=True):
        yield from (sign, side)


def _applies(function: Any, claim: Formula) -> bool:
    """Whether every side is the function at one place, as in `h(x) = h(y)`."""
    return all(side.func == function and len(side.args) == 1 for side in claim.sides)


def _inside(argument: Argument) -> Argument:
    """The argument for what a function without a value is applied to."""
    if isinstance(argument, UnderLemma):
        return replace(argument, argument=_inside(argument.argument))
    return ByApplying(argument)


def _positive(formula: Formula) -> Expr:
    """What a condition calls positive."""
    if formula.signs not in ((">",), ("<",), ("!=",)):
        raise ParseError(f"{formula}: a condition of a step is a strict bound, or that two differ")
    left, right = formula.sides
    if formula.signs == ("!=",):
        return (left - right) ** 2
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
