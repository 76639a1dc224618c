"""Random identities between power-law expressions, true by construction, and false ones made from
them by a mutation.

Expressions are nested tuples, so that no simplifier can undo a rewriting and no code is shared with
what is tested: they are evaluated by mpmath directly. Every symbol stands for a positive number and
every base under a non-integer power or a logarithm is a sum of positive terms.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from random import Random
from typing import Any

import sympy
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from tests.theory import reference

Node = tuple[Any, ...]
Path = tuple[int, ...]
Rule = Callable[["Rewriter", Node], Node | None]

MP = reference.MP

EXPONENT_SYMBOLS = ("b", "g", "p", "d")
QUANTITY_SYMBOLS = ("A", "B", "N", "D", "C", "k")
LARGEST = 70  # nodes of an expression after which rewriting stops


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


ONE, MINUS_ONE = rat(1), rat(-1)


def inverse(node: Node) -> Node:
    return power(node, MINUS_ONE)


def negative(node: Node) -> Node:
    return ("rat", -node[1]) if node[0] == "rat" else mul(MINUS_ONE, node)


def children(node: Node) -> tuple[Node, ...]:
    return () if node[0] in ("sym", "rat") else node[1:]


def size(node: Node) -> int:
    return 1 + sum(map(size, children(node)))


def is_integer(node: Node) -> bool:
    return node[0] == "rat" and node[1].is_Integer


def is_rational(node: Node) -> bool:
    """Whether the expression is a rational function of its symbols."""
    if node[0] == "pow":
        return is_integer(node[2]) and is_rational(node[1])
    return node[0] not in ("exp", "log") and all(map(is_rational, children(node)))


def is_one_term(node: Node) -> bool:
    """Whether the expression is visibly one term: no sum beyond rational functions, no logarithm."""
    if is_rational(node) or node[0] == "exp":
        return True
    if node[0] == "mul":
        return all(map(is_one_term, node[1:]))
    return bool(node[0] == "pow" and is_one_term(node[1]))


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
    kind = node[0]
    if kind == "sym":
        return point[node[1]]
    if kind == "rat":
        return MP.mpf(int(node[1].p)) / int(node[1].q)
    if kind == "pi":
        return MP.pi
    values = [evaluate(child, point) for child in node[1:]]
    match kind:
        case "add" | "mul":
            return (MP.fsum if kind == "add" else MP.fprod)(values)
        case "pow":
            return MP.power(*values)
    return {"exp": MP.exp, "abs": abs, "log": MP.log}[kind](values[0])


FUNCTIONS = (sympy.Add, sympy.Mul, sympy.Pow, sympy.exp, sympy.log, sympy.Abs)
SYMPY = {function.__name__.lower(): function for function in FUNCTIONS}


@lru_cache(maxsize=50_000)
def to_sympy(node: Node, *, evaluated: bool) -> sympy.Expr:
    """As SymPy builds it by default, or exactly as it is written."""
    if node[0] == "sym":
        return sympy.Symbol(node[1], positive=True)
    if node[0] == "rat":
        return node[1]
    return SYMPY[node[0]](
        *(to_sympy(child, evaluated=evaluated) for child in node[1:]), evaluate=evaluated
    )


#: Quantities of the law that have no argument.
CONSTANTS = ("alpha", "w_N", "w_D", "G", "C0")


def from_text(text: str) -> Node:
    """A formula as a tuple; it is written as in Python, with ^ for a power."""
    return _from_python(ast.parse(text.replace("^", "**"), mode="eval").body)


def relation_from(text: str) -> tuple[Node, str, Node]:
    """Two sides and the relation between them, which stands between spaces."""
    relation = next(sign for sign in ("==", ">=", "<=", ">", "<") if f" {sign} " in text)
    left, right = text.split(f" {relation} ")
    return from_text(left), relation, from_text(right)


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


def from_sympy(expression: sympy.Expr) -> Node:
    """A formula of the theory as a tuple; functions by their definitions."""
    if expression.is_Symbol:
        return sym(expression.name)
    if expression.is_Rational:
        return ("rat", expression)
    if hasattr(expression, "definition"):
        return from_sympy(expression.definition())
    if expression is sympy.E:
        return ("exp", rat(1))
    if expression is sympy.pi:
        return ("pi",)
    if isinstance(expression, HyperbolicFunction):
        return from_sympy(expression.rewrite(sympy.exp))
    kinds = {function: kind for kind, function in SYMPY.items()}
    return (kinds[expression.func], *map(from_sympy, expression.args))


class Rewriter:
    """A seeded source of expressions and of rewritings that keep their values."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    # What follows mirrors the grammar of the kernel's world, from the inside out.

    def number(self) -> Node:
        return rat(
            self.random.choice((1, 2, 3, 4, 5, 6, 12, 18)),
            self.random.choice((1, 1, 1, 2, 3, 7, 10)),
        )

    def exponent(self) -> Node:
        """A rational function of the exponent symbols."""
        b, g = (sym(name) for name in self.random.sample(EXPONENT_SYMBOLS, 2))
        total = add(b, g)
        some = (b, negative(g), add(b, ONE), add(b, negative(g)), inverse(b), inverse(total))
        more = (mul(self.number(), b), mul(b, inverse(total)), mul(MINUS_ONE, g, inverse(total)))
        shares = (mul(b, g, inverse(total)), mul(add(b, mul(rat(2), g)), inverse(total)))
        number = rat(self.random.randint(1, 5), self.random.choice((1, 2, 3, 7)))
        return self.random.choice((*some, *more, *shares, number))

    def monomial(self) -> Node:
        """A number times powers of quantities."""
        names = self.random.sample(QUANTITY_SYMBOLS, self.random.randint(1, 3))
        return mul(self.number(), *(power(sym(name), self.exponent()) for name in names))

    def positive_rational(self) -> Node:
        """A quotient or a sum of products with positive coefficients."""
        x, y, z = (sym(n) for n in self.random.sample(QUANTITY_SYMBOLS + EXPONENT_SYMBOLS, 3))
        quotients = (mul(self.number(), x, inverse(y)), mul(x, inverse(add(x, y))))
        sums = (add(mul(self.number(), x), y), add(mul(x, y), mul(self.number(), z)))
        return self.random.choice((*quotients, *sums, mul(add(x, y), z)))

    def one_term(self) -> Node:
        return self.random.choice((self.monomial, self.positive_rational))()

    def term(self) -> Node:
        factors = [self.one_term()]
        if self.random.random() < 0.5:
            factors.append(power(self.one_term(), self.exponent()))
        if self.random.random() < 0.25:
            factors.append(("exp", self.exponent()))
        if self.random.random() < 0.25:
            factors.extend([("log", self.one_term())] * self.random.randint(1, 2))
        if self.random.random() < 0.15:
            first, second = (sym(name) for name in self.random.sample(QUANTITY_SYMBOLS, 2))
            factors.append(power(first, mul(self.exponent(), ("log", second))))
        return mul(*factors)

    def positive_sum(self) -> Node:
        return add(*(self.monomial() for _ in range(self.random.randint(2, 3))))

    def expression(self) -> Node:
        terms = [self.term() for _ in range(self.random.randint(1, 2))]
        if self.random.random() < 0.4:
            exponent = self.random.choice((self.exponent(), rat(2)))
            terms.append(mul(self.monomial(), power(self.positive_sum(), exponent)))
        if self.random.random() < 0.2:
            terms.append(("exp", negative(self.monomial())))
        return add(*terms)

    def rewritten(self, node: Node, steps: int) -> Node:
        """The expression after that many rewritings at random places.

        Division of a sum by a sum stays out of exponents, logarithms and bases: there the normal
        form needs one term.
        """
        for _ in range(steps):
            for _ in range(20):
                rule = self.random.choice(RULES)
                path, target = self.random.choice(list(subexpressions(node)))
                new = (
                    rule(self, target)
                    if rule is not multiply_and_divide_by_sum or is_outside(node, path)
                    else None
                )
                if new is not None:
                    node = replaced(node, path, new)
                    break
            if size(node) > LARGEST:
                break
        return node

    def mutated(self, node: Node) -> Node:
        """The expression with one mistake in it; it may still have the same value, which has to be
        ruled out.
        """
        mutation = self.random.choice(MUTATIONS)
        for _ in range(50):
            path, target = self.random.choice(list(subexpressions(node)))
            new = mutation(self, target)
            if new is not None:
                return replaced(node, path, new)
        return mul(node, rat(2))


# Each rule gives the expression spelt otherwise, or nothing where it does not apply.


def is_sum(node: Node) -> bool:
    return bool(node[0] == "add")


def others(node: Node, *places: int) -> list[Node]:
    """The factors or terms of a node without those at some places."""
    return [part for n, part in enumerate(node) if n and n not in places]


def split_power(r: Rewriter, node: Node) -> Node | None:
    """u^e = u^f u^(e-f)"""
    if node[0] != "pow" or not is_positive(node[1]):
        return None
    part = r.exponent()
    return mul(power(node[1], part), power(node[1], add(node[2], negative(part))))


def merge_powers(r: Rewriter, node: Node) -> Node | None:
    """u^e u^f = u^(e+f)"""
    pairs = itertools.combinations(enumerate(node[1:], 1), 2) if node[0] == "mul" else ()
    for (i, left), (j, right) in pairs:
        if left[0] == right[0] == "pow" and left[1] == right[1]:
            return mul(*others(node, i, j), power(left[1], add(left[2], right[2])))
    return None


def distribute_power(r: Rewriter, node: Node) -> Node | None:
    """(u v)^e = u^e v^e"""
    if node[0] != "pow" or node[1][0] != "mul" or not is_positive_product(node[1]):
        return None
    return mul(*(power(factor, node[2]) for factor in node[1][1:]))


def power_of_power(r: Rewriter, node: Node) -> Node | None:
    """u^e = (u^f)^(e/f)"""
    if node[0] != "pow" or not is_positive(node[1]):
        return None
    part = sym(r.random.choice(EXPONENT_SYMBOLS))
    return power(power(node[1], part), mul(node[2], inverse(part)))


def distribute_product(r: Rewriter, node: Node) -> Node | None:
    """x (y + z) = x y + x z"""
    sums = [i for i, part in enumerate(node) if i and is_sum(part)] if node[0] == "mul" else []
    if not sums:
        return None
    i = r.random.choice(sums)
    return add(*(mul(*others(node, i), term) for term in node[i][1:]))


def factor_out(r: Rewriter, node: Node) -> Node | None:
    """x + y = f (x/f + y/f)"""
    if not is_sum(node):
        return None
    factor = r.monomial()
    return mul(factor, add(*(mul(term, inverse(factor)) for term in node[1:])))


def exp_of_log(r: Rewriter, node: Node) -> Node | None:
    """x = exp(log x)"""
    return ("exp", ("log", node)) if is_positive(node) and is_one_term(node) else None


def power_as_exp(r: Rewriter, node: Node) -> Node | None:
    """u^e = exp(e log u)"""
    is_plain = node[0] == "pow" and is_positive(node[1])
    return ("exp", mul(node[2], ("log", node[1]))) if is_plain else None


def multiply_and_divide_by_sum(r: Rewriter, node: Node) -> Node | None:
    """x = (x f) f^-1 with f of several terms"""
    factor = r.positive_sum()
    terms = node[1:] if is_sum(node) else (node,)
    return mul(add(*(mul(term, factor) for term in terms)), inverse(factor))


def add_and_subtract(r: Rewriter, node: Node) -> Node | None:
    """x = x + y - y, the second y written differently"""
    if not is_rational(node):
        return None
    term = r.positive_rational()
    return add(node, term, negative(exp_of_log(r, term) or term))


def log_of_product(r: Rewriter, node: Node) -> Node | None:
    """log(u v) = log u + log v"""
    if node[0] != "log" or node[1][0] != "mul" or not is_positive_product(node[1]):
        return None
    return add(*(("log", factor) for factor in node[1][1:]))


def factor_number(r: Rewriter, node: Node) -> Node | None:
    """6 = 2 * 3, and so on"""
    if node[0] != "rat" or node[1].p in (0, 1, -1):
        return None
    divisor = r.random.choice((2, 3, 6))
    return mul(rat(divisor), ("rat", node[1] / divisor))


def square_a_sum(r: Rewriter, node: Node) -> Node | None:
    """(x + y)^2 = x^2 + 2 x y + y^2"""
    if node[0] != "pow" or node[2] != rat(2) or not is_sum(node[1]) or len(node[1]) != 3:
        return None
    x, y = node[1][1:]
    return add(power(x, rat(2)), mul(rat(2), x, y), power(y, rat(2)))


def is_positive(node: Node) -> bool:
    """Certainly positive where all symbols are: sums of positive terms."""
    match node[0]:
        case "sym" | "exp":
            return True
        case "rat":
            return bool(node[1] > 0)
        case "add" | "mul":
            return all(map(is_positive, node[1:]))
    return node[0] == "pow" and is_positive(node[1])


def is_positive_product(node: Node) -> bool:
    """All factors positive, and at most one that is more than one term."""
    several = sum(not is_one_term(factor) for factor in node[1:])
    return several <= 1 and all(map(is_positive, node[1:]))


RULES: tuple[Rule, ...] = (
    *(split_power, merge_powers, distribute_power, power_of_power, distribute_product),
    *(factor_out, exp_of_log, power_as_exp, multiply_and_divide_by_sum, add_and_subtract),
    *(log_of_product, factor_number, square_a_sum),
)


# Mistakes.


def one_left_out(kind: str) -> Rule:
    """A factor or a term left out."""

    def rule(r: Rewriter, node: Node) -> Node | None:
        if node[0] != kind:
            return None
        kept = others(node, r.random.randrange(1, len(node)))
        return mul(*kept) if kind == "mul" else add(*kept)

    return rule


def exchange_symbol(r: Rewriter, node: Node) -> Node | None:
    if node[0] != "sym":
        return None
    pool = EXPONENT_SYMBOLS if node[1] in EXPONENT_SYMBOLS else QUANTITY_SYMBOLS
    return sym(r.random.choice([name for name in pool if name != node[1]]))


def exponent_off_by(change: Node) -> Rule:
    """An exponent to which something is added."""
    return lambda r, node: (
        power(node[1], add(node[2], change))
        if node[0] == "pow" and (change == ONE or is_positive(node[1]))
        else None
    )


MUTATIONS: tuple[Rule, ...] = (
    lambda r, node: power(node[1], negative(node[2])) if node[0] == "pow" else None,
    exponent_off_by(ONE),
    one_left_out("mul"),
    one_left_out("add"),
    lambda r, node: mul(node, sym(r.random.choice(QUANTITY_SYMBOLS + EXPONENT_SYMBOLS))),
    lambda r, node: ("rat", node[1] + 1) if node[0] == "rat" else None,
    exchange_symbol,
    lambda r, node: mul(node, rat(10**20 + 1, 10**20)),
    exponent_off_by(rat(1, 10**20)),
)


def points(random: Random, names: list[str], count: int) -> Iterator[dict[str, Any]]:
    for _ in range(count):
        yield {name: MP.mpf(random.uniform(0.4, 2.5)) for name in names}


def relative_difference(left: Node, right: Node, random: Random, count: int = 3) -> Any:
    """The largest relative difference of the two sides at random points; 0 where both vanish to 40
    digits.
    """
    largest = MP.zero
    for point in points(random, symbols_of(left, right), count):
        a, b = evaluate(left, point), evaluate(right, point)
        scale = max(abs(a), abs(b))
        if scale > MP.mpf(10) ** -40:
            largest = max(largest, abs(a - b) / scale)
    return largest


def rewritten_pairs(
    seed: int, sources: list[Node], steps: tuple[int, int]
) -> Iterator[tuple[Node, Node]]:
    """Endless pairs of equal expressions; each fourth starts from one of `sources`."""
    rewriter = Rewriter(seed)
    for count in itertools.count(1):
        start = (
            rewriter.random.choice(sources) if sources and count % 4 == 0 else rewriter.expression()
        )
        left = rewriter.rewritten(start, rewriter.random.randint(0, 2))
        yield left, rewriter.rewritten(start, rewriter.random.randint(*steps))


def true_identities(seed: int, sources: list[Node]) -> Iterator[tuple[Node, Node]]:
    """Endless pairs of equal expressions that SymPy's automatic evaluation leaves different."""
    for left, right in rewritten_pairs(seed, sources, (3, 6)):
        if to_sympy(left, evaluated=True) != to_sympy(right, evaluated=True):
            yield left, right


def false_identities(seed: int, sources: list[Node]) -> Iterator[tuple[Node, Node]]:
    """Endless pairs of different expressions, each a true pair with a mistake; that they differ is
    computed with 60 digits.
    """
    rewriter = Rewriter(seed + 1)
    for left, right in rewritten_pairs(seed, sources, (0, 3)):
        mistaken = rewriter.mutated(right)
        if relative_difference(left, mistaken, rewriter.random) > MP.mpf(10) ** -30:
            yield left, mistaken
