"""Random identities between power-law expressions, true by construction, and false ones made from
them by a mistake.

An expression is a text in which ^ is a power; it is taken apart by Python's own parser, so that no
simplifier can undo a rewriting. Every letter stands for a positive number and every base under a
non-integer power or a logarithm is a sum of positive terms. What a rewriting or a mistake does stands
in a table, as an equality between two patterns.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from random import Random
from types import CodeType
from typing import Any

from tests.theory import values
from tests.theory.families import relation_from

MP = values.MP
Bound = dict[str, str]

EXPONENT_SYMBOLS = ("b", "g", "p", "d")
QUANTITY_SYMBOLS = ("A", "B", "N", "D", "C", "k")
#: Quantities of the law that have no argument.
CONSTANTS = ("alpha", "w_N", "w_D", "G", "C0")
FUNCTIONS = {"exp": MP.exp, "log": MP.log, "abs": abs}
NAME, LETTER = re.compile(r"\b[A-Za-z]\w*\b"), re.compile(r"\b[a-z]\b")
LARGEST = 70  # parts of an expression after which rewriting stops

# -- expressions -----------------------------------------------------------------------------------


def tree_of(text: str) -> ast.expr:
    return ast.parse(text.replace("^", "**"), mode="eval").body


def text_of(tree: ast.expr) -> str:
    return ast.unparse(tree).replace("**", "^")


def renamed(text: str, names: Mapping[str, str]) -> str:
    return NAME.sub(lambda found: names.get(found[0], found[0]), text)


def names_of(text: str) -> set[str]:
    """The names in an expression but for exp, log and abs."""
    return {*NAME.findall(text)} - FUNCTIONS.keys()


@lru_cache(maxsize=50_000)
def _code(text: str) -> CodeType:
    exact = re.sub(r"\b\d+\b", r"number(\g<0>)", text.replace("^", "**"))
    return compile(exact, text, "eval")


def evaluate(text: str, point: Mapping[str, Any]) -> Any:
    """The value where the point gives a number for each name, with 60 digits."""
    return eval(_code(text), {"__builtins__": {}, "number": MP.mpf, **FUNCTIONS}, point)


def children(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp():
            return [node.operand]
        case ast.Call():
            return node.args
    return []


def parts(node: ast.expr, outside: bool = True) -> Iterator[tuple[ast.expr, bool]]:
    """Every part of an expression, and whether it is reached through sums, products and integer
    powers alone.
    """
    yield node, outside
    for i, child in enumerate(children(node)):
        plain = isinstance(node, ast.BinOp | ast.UnaryOp)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            plain = i == 0 and is_integer(node.right)
        yield from parts(child, outside and plain)


def depth(node: ast.expr) -> int:
    return 1 + max(map(depth, children(node)), default=0)


class Put(ast.NodeTransformer):
    """A change of one part of an expression."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else self.generic_visit(node)


def called(node: ast.expr) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def is_integer(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def is_rational(node: ast.expr) -> bool:
    """Whether the expression is a rational function of its letters."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return is_integer(node.right) and is_rational(node.left)
    return called(node) not in FUNCTIONS and all(map(is_rational, children(node)))


def is_one_term(node: ast.expr) -> bool:
    """Whether the expression is visibly one term: no sum beyond rational functions, no logarithm."""
    if is_rational(node) or called(node) == "exp":
        return True
    match node:
        case ast.BinOp(op=ast.Mult() | ast.Div()):
            return all(map(is_one_term, children(node)))
        case ast.BinOp(op=ast.Pow()):
            return is_one_term(node.left)
    return False


def is_positive(node: ast.expr) -> bool:
    """Whether the expression is certainly positive where all letters are: sums of positive terms."""
    match node:
        case ast.Constant():
            return True
        case ast.Name():
            return node.id not in CONSTANTS
        case ast.BinOp(op=ast.Pow()):
            return is_positive(node.left)
        case ast.BinOp(op=ast.Add() | ast.Mult() | ast.Div()):
            return all(map(is_positive, children(node)))
    return called(node) == "exp"


# -- what is rewritten -----------------------------------------------------------------------------


def flat(node: ast.expr, kinds: tuple[type[ast.operator], ...]) -> list[ast.expr]:
    """The terms of a sum, or the factors of a product."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, kinds):
        return [part for child in children(node) for part in flat(child, kinds)]
    return [node]


def has_one_sum(node: ast.expr) -> bool:
    """Whether at most one factor has several terms."""
    return sum(not is_one_term(factor) for factor in flat(node, (ast.Mult, ast.Div))) <= 1


#: What a letter of a pattern stands for; every other letter is any expression. In a sum or product
#: of more than two parts one letter is a part, the other the rest.
MEANS: dict[str, Callable[[ast.expr], bool]] = {
    "p": is_positive,
    "q": lambda node: is_positive(node) and has_one_sum(node),
    "u": lambda node: is_positive(node) and is_one_term(node),
    "r": is_rational,
    "n": lambda node: isinstance(node, ast.Constant) and node.value != 1,
    "i": lambda node: isinstance(node, ast.Constant),
    "c": lambda node: isinstance(node, ast.Name) and node.id not in CONSTANTS,
}


def table(rows: str) -> tuple[tuple[ast.expr, str], ...]:
    relations = map(relation_from, rows.strip().splitlines())
    return tuple((tree_of(left), right) for left, _, right in relations)


EQUAL = table("""
p^e == p^f*p^(e - f)
p^e*p^h == p^(e + h)
x*p^e*p^h == x*p^(e + h)
(u*q)^e == u^e*q^e
p^e == (p^d)^(e/d)
x*(y + z) == x*y + x*z
x + y == m*(x/m + y/m)
x + y == y + x
x/y == x*y^(-1)
x - y == x + (-1)*y
u == exp(log(u))
p^e == exp(e*log(p))
r == r + k - exp(log(k))
log(u*q) == log(u) + log(q)
n == 2*(n/2)
n == 3*(n/3)
(x + y)^2 == x^2 + 2*x*y + y^2
""")
#: Division of a sum by a sum stays out of exponents, logarithms and bases: there the normal form
#: needs one term.
EQUAL_OUTSIDE = table("""
x == x*s/s
x + y == (x*s + y*s)/s
""")
MISTAKES = table("""
x^e == x^(-e)
x^e == x^(e + 1)
p^e == p^(e + 1/100000000000000000000)
x*y == x
x/y == y/x
x + y == x
x - y == x
x == x*d
x == x*100000000000000000001/100000000000000000000
i == i + 1
c == d
""")

EXPONENTS = (
    *("b", "-g", "b + 1", "b - g", "1/b", "1/(b + g)", "n*b", "b/(b + g)", "-g/(b + g)", "i"),
    *("b*g/(b + g)", "(b + 2*g)/(b + g)"),
)
MONOMIALS = ("n*x^e", "n*x^e*y^f", "n*x^e*y^f*z^h")
QUOTIENTS = ("n*x/y", "n*b/g", "x/(x + y)", "n*x + y", "x*b + n*y", "x*y + n*z", "(x + y)*g")
#: What a letter is drawn from; x, y and z are quantities, b and g exponents, all different.
GRAMMAR: dict[str, Sequence[str]] = {
    **dict.fromkeys("efh", EXPONENTS),
    **dict.fromkeys("mlo", MONOMIALS),
    "t": MONOMIALS + QUOTIENTS,
    "k": QUOTIENTS,
    "s": ("m + l", "m + l + o"),
    "d": ("x", "b"),
    "n": ("1", "2", "3", "4", "5", "6", "12", "18", "1/2", "3/2", "4/3", "6/7", "3/10", "12/7"),
    "i": ("1", "2", "3", "5/2", "4/3", "3/7", "5/7"),
}
#: What an expression may have besides, and how often.
MORE_FACTORS = (
    *((0.5, "t^e"), (0.25, "exp(e)"), (0.12, "log(t)"), (0.12, "log(t)*log(t)")),
    (0.15, "x^(e*log(y))"),
)
MORE_TERMS = ((0.2, "m*s^e"), (0.2, "m*s^2"), (0.2, "exp(-m)"))


class Rewriter:
    """A seeded source of expressions and of rewritings that keep their values."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def monomial(self) -> str:
        """A number times powers of quantities."""
        return self.made(MONOMIALS)

    def term(self) -> str:
        return "*".join([f"({self.made(GRAMMAR['t'])})", *self.some(MORE_FACTORS)])

    def expression(self) -> str:
        terms = [self.term() for _ in range(self.random.randint(1, 2))]
        return text_of(tree_of(" + ".join([*terms, *self.some(MORE_TERMS)])))

    def some(self, texts: Iterable[tuple[float, str]]) -> list[str]:
        return [self.made([text]) for share, text in texts if self.random.random() < share]

    def made(self, texts: Sequence[str]) -> str:
        """One of the texts, with its letters drawn."""
        exponents = self.random.sample(EXPONENT_SYMBOLS, 2)
        quantities = self.random.sample(QUANTITY_SYMBOLS, 3)
        bound = dict(zip("bgxyz", exponents + quantities, strict=True))
        return self.filled(self.random.choice(texts), bound)

    def filled(self, pattern: str, bound: Bound) -> str:
        """The pattern with its letters put in; those that have no meaning yet are drawn."""

        def put_in(letter: re.Match[str]) -> str:
            if letter[0] not in bound:
                bound[letter[0]] = self.made(GRAMMAR[letter[0]])
            return f"({bound[letter[0]]})"

        return text_of(tree_of(LETTER.sub(put_in, pattern)))

    def matches(self, pattern: ast.expr, node: ast.expr, bound: Bound) -> Iterator[Bound]:
        """Ways to read the node as the pattern, in random order."""
        match pattern, node:
            case ast.Name(id=letter), _:
                known = bound.get(letter)
                if text_of(node) == known if known else MEANS.get(letter, bool)(node):
                    yield {**bound, letter: text_of(node)}
            case ast.BinOp(op=ast.Add() | ast.Mult() as op), ast.BinOp() if type(op) is type(
                node.op
            ):
                for split in self.splits(node):
                    yield from self.all_match(children(pattern), split, bound)
            case (ast.BinOp(), ast.BinOp()) if type(pattern.op) is type(node.op):
                yield from self.all_match(children(pattern), children(node), bound)
            case (ast.Call(), ast.Call()) if called(pattern) == called(node):
                yield from self.all_match(children(pattern), children(node), bound)
            case (ast.Constant(), ast.Constant()) if pattern.value == node.value:
                yield bound

    def all_match(
        self, patterns: Sequence[ast.expr], nodes: Sequence[ast.expr], bound: Bound
    ) -> Iterator[Bound]:
        if not patterns:
            yield bound
            return
        for first in self.matches(patterns[0], nodes[0], bound):
            yield from self.all_match(patterns[1:], nodes[1:], first)

    def splits(self, node: ast.BinOp) -> Iterator[tuple[ast.expr, ast.expr]]:
        """One part of a sum or a product, and the rest of it, in either order."""
        every = flat(node, (type(node.op),))
        for i in self.random.sample(range(len(every)), len(every)):
            others = every[:i] + every[i + 1 :]
            rest = reduce(lambda one, other: ast.BinOp(one, node.op, other), others)
            yield every[i], rest
            yield rest, every[i]

    def changed(self, text: str, rules: Sequence[tuple[ast.expr, str]], tries: int) -> str | None:
        """The expression with a rule used at a random place; None where none of so many tries fits."""
        for _ in range(tries):
            whole, (pattern, result) = tree_of(text), self.random.choice(rules)
            target, is_outside = self.random.choice(list(parts(whole)))
            if (pattern, result) in EQUAL_OUTSIDE and not is_outside:
                continue
            if (bound := next(self.matches(pattern, target, {}), None)) is not None:
                return text_of(Put(target, tree_of(self.filled(result, bound))).visit(whole))
        return None

    def rewritten(self, text: str, steps: int) -> str:
        """The expression after that many rewritings at random places."""
        for _ in range(steps):
            text = self.changed(text, EQUAL + EQUAL_OUTSIDE, 20) or text
            if len(list(parts(tree_of(text)))) > LARGEST:
                break
        return text

    def mutated(self, text: str) -> str:
        """The expression with one mistake in it; it may still have the same value, which has to be
        ruled out.
        """
        rule = self.random.choice(MISTAKES)
        return self.changed(text, [rule], 50) or f"2*({text})"
