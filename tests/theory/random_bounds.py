"""Random bounds, each true by the textbook argument that its family is named for.

A bound is `(left, relation, right, where)`: two expressions as texts, and what is assumed.
"""

from __future__ import annotations

from random import Random

from tests.theory.rewriting import relation_from

Constraint = tuple[str, str, str]
Bound = tuple[str, str, str, tuple[Constraint, ...]]

#: Positive quantities with no more structure than a factor has in a paper, and positive exponents.
POSITIVE = ("x", "3*x", "x/y", "x*y^beta", "x^beta", "(x + y)", "x/(x + y)", "A/N^beta")
EXPONENTS = ("beta", "alpha", "(beta/(beta + gamma))", "(1/2)", "(5/3)", "(beta + 1)")
ORDERED = (("x", "1"), ("x", "y"), ("x", "2"), ("(x*y)", "z"))
#: An exponent, the relation of its power to a tangent or a mean, and where.
CURVED = (
    *(("beta", ">=", "beta > 1"), ("beta", "<=", "beta < 1"), ("(beta/(beta + gamma))", "<=", "")),
    *(("(1/2)", "<=", ""), ("(3/2)", ">=", ""), ("2", ">=", ""), ("(-beta)", ">=", "")),
    *(("(-1/2)", ">=", ""), ("(beta + 1)", ">=", ""), ("(-1)", ">=", "")),
)
WEIGHTS = (("beta/(beta + gamma)", "gamma/(beta + gamma)"), ("(1/3)", "(2/3)"), ("(1/2)", "(1/2)"))
TERMS = ("x", "y", "x^beta", "y^gamma", "T_N(N)", "T_D(D)", "z")
ARGUMENTS = (("R_opt", "C"), ("L_opt", "C"), ("T_N", "N"), ("T_D", "D"))

#: The bound and what is assumed. {u} and {v} are positive, {e} an exponent, {l} larger than {s}; {c} is
#: a curved exponent with its relation {way} under {where}; {p} and {q} are weights, {t} and {k} terms, {n} a
#: number above 1, and {f} a falling quantity of {a}.
FAMILIES: dict[str, tuple[tuple[str, str], ...]] = {
    "monotone bound": (
        ("{l}^{e} > {s}^{e}", "{l} > {s}"),
        ("{s}^(-{e}) > {l}^(-{e})", "{l} > {s}"),
        ("log({l}) > log({s})", "{l} > {s}"),
        ("exp({l}) > exp({s})", "{l} > {s}"),
        ("exp(-{s}) > exp(-{l})", "{l} > {s}"),
        ("{l}/({l} + N) > {s}/({s} + N)", "{l} > {s}"),
        ("({l} + N)^{e} > ({s} + N)^{e}", "{l} > {s}"),
        ("{l}*log(1 + {l}) > {s}*log(1 + {s})", "{l} > {s}"),
        ("{l}^{e} + {l} > {s}^{e} + {s}", "{l} > {s}"),
        ("x^beta > x^gamma", "x > 1, beta > gamma"),
        ("x^gamma > x^beta", "x < 1, beta > gamma"),
        ("{n}^{e} > 1", ""),
        ("exp({u}) > 1", ""),
        ("1 > exp(-{u})", ""),
        ("log(1 + {u}) > 0", ""),
    ),
    "bound of the law": (
        ("{f}({a}) > {f}({n}*{a})", ""),
        ("{f}({a}) > {f}(x*{a})", "x > 1"),
        ("N_opt(x*C) > N_opt(C)", "x > 1"),
        ("D_opt(x*C) > D_opt(C)", "x > 1"),
        ("R(N, D) > R(x*N, D)", "x > 1"),
        ("L(N, D) > L(x*N, D)", "x > 1"),
        ("P(r) > 1", "r > 1"),
        ("P(r) > 1", "r < 1"),
        ("r^gamma > P(r)", "r > 1"),
        ("r^(-beta) > P(r)", "r < 1"),
        ("P(r) > w_D*r^gamma", ""),
        ("P(x) > P(r)", "r > 1, x > r"),
        ("P(x*r) > P(r)", "r > 1, x > 1"),
        ("P(r) >= (gamma*r^(-beta) + beta)/(beta + gamma)", "r > 1"),
        ("N_opt(C) > G", "C > 6"),
        ("D_opt(C)/N_opt(C) > D_opt(6)/N_opt(6)", "C > 6, beta > gamma"),
        ("beta/2 > alpha", "beta > gamma"),
        ("alpha > gamma/2", "beta > gamma"),
        ("x^(beta/2) > x^alpha", "x > 1, beta > gamma"),
        ("R_opt(C)^2 > R_opt(C)*R_opt(x*C)", "x > 1"),
    ),
    # Bernoulli, Jensen, and a tangent, for a power, exp and log
    "convexity bound": (
        ("(1 + {u})^{c} {way} 1 + {c}*{u}", "{where}"),
        ("x^{c} {way} 1 + {c}*(x - 1)", "{where}"),
        ("{p}*x^{c} + {q}*y^{c} {way} ({p}*x + {q}*y)^{c}", "{where}"),
        ("x^{c} {way} y^{c} + {c}*y^({c} - 1)*(x - y)", "{where}"),
        ("{p}*exp(x) + {q}*exp(y) >= exp({p}*x + {q}*y)", ""),
        ("{p}*log(x) + {q}*log(y) <= log({p}*x + {q}*y)", ""),
        ("exp(x) >= exp(y) + exp(y)*(x - y)", ""),
        ("log(x) <= log(y) + (x - y)/y", ""),
        ("x*log(x) >= y*log(y) + (1 + log(y))*(x - y)", ""),
    ),
    "logarithm bound": (
        ("{u} - 1 >= log({u})", ""),
        ("log({u}) >= 1 - 1/({u})", ""),
        ("{u} > log(1 + {u})", ""),
        ("log(1 + {u}) > {u}/(1 + {u})", ""),
        ("exp({u}) > 1 + {u}", ""),
        ("exp({u}) > 1 + {u} + ({u})^2/2", ""),
        ("exp(-{u}) > 1 - {u}", ""),
        ("1/(1 + {u}) > exp(-{u})", ""),
        ("{u} > 1 - exp(-{u})", ""),
        ("x - y >= y*log(x/y)", ""),
        ("(x^beta - 1)/beta >= log(x)", ""),
        ("x*log(x) >= x - 1", ""),
    ),
    "square bound": (
        ("(P(r) - 1)^2 >= 0", ""),
        ("log({u})^2 >= 0", ""),
        ("({t} - {k})^2 >= 0", ""),
        ("1 + ({t} - {k})^2 > 0", ""),
        ("({t} + {k})^2 >= 4*{t}*{k}", ""),
        ("{t}^2 + {k}^2 >= 2*{t}*{k}", ""),
        ("({t}^2 + {k}^2)*(N^2 + 1) >= ({t}*N + {k})^2", ""),
        ("(({t}^2 + {k}^2)*(N^2 + 1))^(1/2) >= {t}*N + {k}", ""),
        ("(P(r)*P(x))^(1/2) >= P((r*x)^(1/2))", ""),
    ),
}


def drawn(random: Random, family: str) -> Bound:
    """A bound of the family; half of those that are strict are stated weakly."""
    row = random.choice(FAMILIES[family])
    values = {"u": random.choice(POSITIVE), "e": random.choice(EXPONENTS)}
    values |= zip("ls", random.choice(ORDERED), strict=True)
    values |= zip(("c", "way", "where"), random.choice(CURVED), strict=True)
    values |= zip("pq", random.choice(WEIGHTS), strict=True)
    values |= zip("tk", (f"({term})" for term in random.sample(TERMS, 2)), strict=True)
    values |= zip("fa", random.choice(ARGUMENTS), strict=True)
    text, where = (part.format(n=random.randint(2, 5), **values) for part in row)
    left, relation, right = relation_from(text)
    if relation in (">", "<") and random.getrandbits(1):
        relation += "="
    return left, relation, right, tuple(map(relation_from, where.split(", "))) if where else ()
