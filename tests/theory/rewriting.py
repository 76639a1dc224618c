"""Random identities between power-law expressions, true by construction, and false ones made from
them by a mutation.

Expressions are nested tuples, so that no simplifier can undo a rewriting. Every symbol stands for a
positive number and every base under a non-integer power or a logarithm is a sum of positive terms.
What a rewriting or a mistake does stands in a table, as an equality between two patterns.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import sympy
from tests.theory import values

Node = tuple[Any, ...]
Path = tuple[int, ...]
Bound = dict[str, Node]

MP = values.MP

EXPONENT_SYMBOLS = ("b", "g", "p", "d")
QUANTITY_SYMBOLS = ("A", "B", "N", "D", "C", "k")
LARGEST = 70  # nodes of an expression after which rewriting stops

# -- expressions as tuples -------------------------------------------------------------------------


def sym(name: str) -> Node:
    return ("sym", name)


def rat(numerator: int, denominator: int = 1) -> Node:
    return ("rat", sympy.Rational(numerator, denominator))


def add(*terms: Node) -> Node:
    return ("add", *terms) if len(terms) > 1 else terms[0]


def mul(*factors: Node) -> Node:
    return ("mul", *factors) if len(factors) > 1 else factors[0]


def power(base: Node, exponent: Node) -> Node:
    return ("pow", base, exponent)


MINUS_ONE = rat(-1)


def inverse(node: Node) -> Node:
    return power(node, MINUS_ONE)


def negative(node: Node) -> Node:
    return ("rat", -node[1]) if node[0] == "rat" else mul(MINUS_ONE, node)


def children(node: Node) -> tuple[Node, ...]:
    return () if node[0] in ("sym", "rat") else node[1:]


def size(node: Node) -> int:
    return 1 + sum(map(size, children(node)))


def is_rational(node: Node) -> bool:
    """Whether the expression is a rational function of its symbols."""
    if node[0] == "pow":
        return is_integer(node[2]) and is_rational(node[1])
    return node[0] not in ("exp", "log") and all(map(is_rational, children(node)))


def is_integer(node: Node) -> bool:
    return node[0] == "rat" and node[1].is_Integer


def is_one_term(node: Node) -> bool:
    """Whether the expression is visibly one term: no sum beyond rational functions, no logarithm."""
    if is_rational(node) or node[0] == "exp":
        return True
    if node[0] == "mul":
        return all(map(is_one_term, node[1:]))
    return bool(node[0] == "pow" and is_one_term(node[1]))


def is_positive(node: Node) -> bool:
    """Whether the expression is certainly positive where all symbols are: sums of positive terms."""
    match node[0]:
        case "sym" | "exp":
            return True
        case "rat":
            return bool(node[1] > 0)
        case "add" | "mul":
            return all(map(is_positive, node[1:]))
    return node[0] == "pow" and is_positive(node[1])


def subexpressions(node: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    yield path, node
    for i, child in enumerate(children(node), start=1):
        yield from subexpressions(child, (*path, i))


def is_outside(node: Node, path: Path) -> bool:
    """Whether the path leads through sums, products and integer powers alone."""
    for i in path:
        if node[0] in ("exp", "log") or (node[0] == "pow" and (i == 2 or not is_integer(node[2]))):
            return False
        node = node[i]
    return True


def replaced(node: Node, path: Path, new: Node) -> Node:
    if not path:
        return new
    i, *rest = path
    return (*node[:i], replaced(node[i], tuple(rest), new), *node[i + 1 :])


def renamed(node: Node, names: Mapping[str, str]) -> Node:
    if node[0] == "sym":
        return sym(names.get(node[1], node[1]))
    return node if node[0] == "rat" else (node[0], *(renamed(child, names) for child in node[1:]))


def symbols_of(*nodes: Node) -> list[str]:
    return sorted({sub[1] for node in nodes for _, sub in subexpressions(node) if sub[0] == "sym"})


def evaluate(node: Node, point: Mapping[str, Any]) -> Any:
    """The value at a point, with 60 digits."""
    return values.value(to_sympy(node, evaluated=False), point)


FUNCTIONS = (sympy.Add, sympy.Mul, sympy.Pow, sympy.exp, sympy.log, sympy.Abs)
SYMPY = {function.__name__.lower(): function for function in FUNCTIONS}


@lru_cache(maxsize=50_000)
def to_sympy(node: Node, *, evaluated: bool) -> sympy.Expr:
    """The expression as SymPy builds it by default, or exactly as it is written."""
    if node[0] == "sym":
        return sympy.Symbol(node[1], positive=True)
    if node[0] == "rat":
        return node[1]
    parts = (to_sympy(child, evaluated=evaluated) for child in node[1:])
    return SYMPY[node[0]](*parts, evaluate=evaluated)


#: Quantities of the law that have no argument.
CONSTANTS = ("alpha", "w_N", "w_D", "G", "C0")


@lru_cache(maxsize=1_000)
def from_text(text: str) -> Node:
    """A formula as a tuple; it is written as in Python, with ^ for a power."""
    return _from_python(ast.parse(text.replace("^", "**"), mode="eval").body)


def relation_from(text: str) -> tuple[Node, str, Node]:
    """Two sides and the relation between them, which stands between spaces."""
    relation = next(sign for sign in ("==", ">=", "<=", ">", "<") if f" {sign} " in text)
    left, right = text.split(f" {relation} ")
    return from_text(left.strip()), relation, from_text(right.strip())


def _from_python(tree: ast.expr) -> Node:
    match tree:
        case ast.Constant(value=int(number)):
            return rat(number)
        case ast.Name(id=name):
            return (name,) if name in CONSTANTS else sym(name)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return (name, *map(_from_python, arguments))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return negative(_from_python(operand))
        case ast.BinOp(left=left, op=operation, right=right):
            one, other = _from_python(left), _from_python(right)
            match operation:
                case ast.Add():
                    return add(one, other)
                case ast.Sub():
                    return add(one, negative(other))
                case ast.Mult():
                    return mul(one, other)
                case ast.Div() if one[0] == other[0] == "rat":
                    return ("rat", one[1] / other[1])
                case ast.Div():
                    return mul(one, inverse(other))
                case ast.Pow():
                    return power(one, other)
    raise ValueError(f"{ast.unparse(tree)} is not read")


# -- what is rewritten -----------------------------------------------------------------------------


def factors_of_several_terms(node: Node) -> int:
    factors = node[1:] if node[0] == "mul" else (node,)
    return sum(not is_one_term(factor) for factor in factors)


#: What a letter of a pattern stands for; every other letter is any expression. In a sum or product
#: of more than two parts one letter is a part, the other the rest.
MEANS: dict[str, Callable[[Node], bool]] = {
    "p": is_positive,
    "q": lambda node: is_positive(node) and factors_of_several_terms(node) <= 1,
    "u": lambda node: is_positive(node) and is_one_term(node),
    "r": is_rational,
    "n": lambda node: node[0] == "rat" and node[1].p not in (0, 1, -1),
    "i": lambda node: node[0] == "rat",
    "c": lambda node: node[0] == "sym",
}


def table(rows: str) -> tuple[tuple[Node, Node], ...]:
    relations = map(relation_from, rows.strip().splitlines())
    return tuple((left, right) for left, _, right in relations)


EQUAL = table("""
p^e == p^f*p^(e - f)
p^e*p^h == p^(e + h)
x*p^e*p^h == x*p^(e + h)
(u*q)^e == u^e*q^e
p^e == (p^d)^(e/d)
x*(y + z) == x*y + x*z
x + y == m*(x/m + y/m)
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
x + y == x
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

    def monomial(self) -> Node:
        """A number times powers of quantities."""
        return self.made(MONOMIALS)

    def term(self) -> Node:
        return mul(self.made("t"), *self.some(MORE_FACTORS))

    def expression(self) -> Node:
        terms = [self.term() for _ in range(self.random.randint(1, 2))]
        return add(*terms, *self.some(MORE_TERMS))

    def some(self, parts: Iterable[tuple[float, str]]) -> list[Node]:
        return [self.made([text]) for share, text in parts if self.random.random() < share]

    def made(self, texts: Sequence[str]) -> Node:
        """One of the texts, with its letters drawn."""
        exponents = self.random.sample(EXPONENT_SYMBOLS, 2)
        quantities = self.random.sample(QUANTITY_SYMBOLS, 3)
        letters = zip("bgxyz", exponents + quantities, strict=True)
        bound = {letter: sym(name) for letter, name in letters}
        return self.filled(from_text(self.random.choice(texts)), bound)

    def filled(self, pattern: Node, bound: Bound) -> Node:
        """The pattern with its letters put in; those that have no meaning yet are drawn."""
        kind, *parts = pattern
        if kind == "rat":
            return pattern
        if kind == "sym":
            (letter,) = parts
            if letter not in bound:
                bound[letter] = self.made(GRAMMAR[letter])
            return bound[letter]
        inside = (self.filled(part, bound) for part in parts)
        if kind not in ("add", "mul"):
            return (kind, *inside)
        return (kind, *(x for part in inside for x in (part[1:] if part[0] == kind else (part,))))

    def matches(self, pattern: Node, node: Node, bound: Bound) -> Iterator[Bound]:
        """Ways to read the node as the pattern, in random order."""
        kind, *parts = pattern
        if kind == "sym":
            (letter,) = parts
            known = bound.get(letter)
            if node == known if known else MEANS.get(letter, bool)(node):
                yield {**bound, letter: node}
        elif kind == "rat" or node[0] != kind:
            if node == pattern:
                yield bound
        else:
            for split in self.splits(node) if kind in ("add", "mul") else [node[1:]]:
                yield from self.all_match(parts, split, bound)

    def all_match(
        self, patterns: Sequence[Node], nodes: Sequence[Node], bound: Bound
    ) -> Iterator[Bound]:
        if not patterns:
            yield bound
            return
        for first in self.matches(patterns[0], nodes[0], bound):
            yield from self.all_match(patterns[1:], nodes[1:], first)

    def splits(self, node: Node) -> Iterator[tuple[Node, Node]]:
        """One part of a sum or a product, and the rest of it, in either order."""
        kind, *parts = node
        for i in self.random.sample(range(len(parts)), len(parts)):
            others = parts[:i] + parts[i + 1 :]
            rest = (kind, *others) if len(others) > 1 else others[0]
            yield parts[i], rest
            yield rest, parts[i]

    def changed(self, rule: tuple[Node, Node], node: Node) -> Node | None:
        """The node by a rule, None where that does not apply."""
        bound = next(self.matches(rule[0], node, {}), None)
        return None if bound is None else self.filled(rule[1], bound)

    def rewritten(self, node: Node, steps: int) -> Node:
        """The expression after that many rewritings at random places."""
        for _ in range(steps):
            for _ in range(20):
                rule = self.random.choice(EQUAL + EQUAL_OUTSIDE)
                path, target = self.random.choice(list(subexpressions(node)))
                if rule in EQUAL_OUTSIDE and not is_outside(node, path):
                    continue
                if (new := self.changed(rule, target)) is not None:
                    node = replaced(node, path, new)
                    break
            if size(node) > LARGEST:
                break
        return node

    def mutated(self, node: Node) -> Node:
        """The expression with one mistake in it; it may still have the same value, which has to be
        ruled out.
        """
        rule = self.random.choice(MISTAKES)
        for _ in range(50):
            path, target = self.random.choice(list(subexpressions(node)))
            if (new := self.changed(rule, target)) is not None:
                return replaced(node, path, new)
        return mul(node, rat(2))
