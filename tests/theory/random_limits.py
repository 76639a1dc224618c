"""Random limits as a user types them: true by the textbook argument of their family, or false by one
mistake, which leaves a right side that cannot be the limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

#: Positive factors that do not move, and positive exponents.
FACTORS = ("1", "y", "z", "2", "7", "3*y", "y^beta", "(y/z)", "w_N")
EXPONENTS = ("beta", "gamma", "(1/2)", "(5/3)", "1", "alpha", "(beta + gamma)", "(2*beta)")
FLOOR, MORE, LESS, SAME = "E > 0", "beta > gamma", "beta < gamma", "beta == gamma"
NONE = ""
#: By family: the sides, the limit, and what is assumed; {c} and {d} are factors, {e} an exponent.
FAMILIES: dict[str, tuple[tuple[str, str, str, str, str], ...]] = {
    "sum of powers": (
        ("{c} + {d}*x^{e}", "->", "{c}", "x -> 0", NONE),
        ("{c} + {d}*x^(-{e})", "->", "{c}", "x -> oo", NONE),
        ("{c}*x^(2/3) + {d}*x^(7/3)", "~", "{c}*x^(2/3)", "x -> 0", NONE),
        ("{c}*x^(2/3) + {d}*x^(7/3)", "~", "{d}*x^(7/3)", "x -> oo", NONE),
        ("{c}*x^(7/3) - {d}*x^(2/3)", "->", "oo", "x -> oo", NONE),
        ("{c}*x^beta + {d}*x^gamma", "~", "{c}*x^beta", "x -> oo", MORE),
        ("{c}*x^beta + {d}*x^gamma", "~", "{d}*x^gamma", "x -> 0", MORE),
        ("y + z*x^(beta - gamma)", "->", "y", "x -> oo", LESS),
        ("y + z*x^(beta - gamma)", "->", "y + z", "x -> oo", SAME),
    ),
    "quotient of sums": (
        ("x^{e}/(x^{e} + {c})", "->", "1", "x -> oo", NONE),
        ("({c}*x^{e} + {d})/(3*x^{e} + 1)", "->", "{c}/3", "x -> oo", NONE),
        ("({c}*x^{e} + {d})/(3*x^{e} + 1)", "->", "{d}", "x -> 0", NONE),
        ("(x^(2*{e}) + x^{e})/(x^{e} + {c})", "->", "oo", "x -> oo", NONE),
        ("({c}*x^beta + x^gamma)/(x^beta + {d}*x^gamma)", "->", "{c}", "x -> oo", MORE),
        ("({c}*x^beta + x^gamma)/(x^beta + {d}*x^gamma)", "->", "1/({d})", "x -> oo", LESS),
    ),
    "sum under a power": (
        ("({c} + {d}*x^{e})^(-{e})", "->", "({c})^(-{e})", "x -> 0", NONE),
        ("(x + y)^{e}", "~", "x^{e}", "x -> oo", NONE),
        ("sqrt(x^2 + {c}*x) - x", "->", "{c}/2", "x -> oo", NONE),
        ("(x^beta + x^gamma)^(1/beta)", "~", "x", "x -> oo", MORE),
        ("((1 + x)^beta - 1)/x", "->", "beta", "x -> 0", NONE),
    ),
    "exponential": (
        ("x^{e}*exp(-{c}*x)", "->", "0", "x -> oo", NONE),
        ("exp(x)/x^{e}", "->", "oo", "x -> oo", NONE),
        ("1 - exp(-{c}*x)", "~", "{c}*x", "x -> 0", NONE),
        ("(1 + {c}/x)^x", "->", "exp({c})", "x -> oo", NONE),
        ("exp(-x^(beta - gamma))", "->", "1", "x -> oo", LESS),
        ("y - y*exp(-x/y)", "->", "y", "x -> oo", NONE),
    ),
    "logarithm": (
        ("log(x)/x^{e}", "->", "0", "x -> oo", NONE),
        ("x^{e}*log(x)", "->", "0", "x -> 0", NONE),
        ("log(1 + {c}*x^{e})", "~", "{c}*x^{e}", "x -> 0", NONE),
        ("log({c}*x^{e} + 1)/log(x)", "->", "{e}", "x -> oo", NONE),
        ("log(x + y)", "~", "log(x)", "x -> oo", NONE),
        ("log(x^beta + x^gamma)/log(x)", "->", "beta", "x -> oo", MORE),
    ),
    "of the law": (
        ("P(r)", "~", "w_N*r^(-beta)", "r -> 0", NONE),
        ("P(r)", "~", "w_D*r^gamma", "r -> oo", NONE),
        ("1/P(r)", "->", "0", "r -> 0", NONE),
        ("log(P(r))/log(r)", "->", "gamma", "r -> oo", NONE),
        ("C*P(r)^(-1/alpha)", "->", "0", "r -> oo", NONE),
        ("(beta*T_N(N) + gamma*T_D(D))/(T_N(N) + T_D(D))", "->", "beta", "N -> 0", NONE),
        ("L_opt(C)", "->", "E", "C -> oo", FLOOR),
        ("R_opt(C)/L_opt(C)", "->", "0", "C -> oo", FLOOR),
        ("log(R_opt(C))/log(C)", "->", "-alpha", "C -> oo", NONE),
        ("D_opt(C)/N_opt(C)", "->", "oo", "C -> oo", MORE),
        ("D_opt(C)/N_opt(C)", "->", "0", "C -> oo", LESS),
        ("L(N, D)", "->", "E + T_D(D)", "N -> oo", NONE),
    ),
    "Taylor": (
        ("(P(exp(x)) - 1)/x^2", "->", "beta*gamma/2", "x -> 0", NONE),
        ("P(1 + x) - 1", "~", "beta*gamma*x^2/2", "x -> 0", NONE),
        ("log(P(exp(x)))/x^2", "->", "beta*gamma/2", "x -> 0", NONE),
        ("(exp({c}*x) - 1 - {c}*x)/x^2", "->", "({c})^2/2", "x -> 0", NONE),
        ("(log(1 + {c}*x) - {c}*x)/x^2", "->", "-({c})^2/2", "x -> 0", NONE),
        ("((1 + x)^{e} - (1 + x)^(-{e}))/x", "->", "2*{e}", "x -> 0", NONE),
    ),
    "difference quotient": (
        ("((y + x)^{e} - y^{e})/x", "->", "{e}*y^({e} - 1)", "x -> 0", NONE),
        ("(log(y + x) - log(y))/x", "->", "1/y", "x -> 0", NONE),
        ("(exp(-y*(1 + x)) - exp(-y))/x", "->", "-y*exp(-y)", "x -> 0", NONE),
        ("(T_N(y + x) - T_N(y))/x", "->", "-beta*A*y^(-beta - 1)", "x -> 0", NONE),
        ("(R(y + x, D) - R(y, D))/x", "->", "-beta*A*y^(-beta - 1)", "x -> 0", NONE),
    ),
}


@dataclass(frozen=True)
class RandomLimit:
    """A claim with its truth, and how it is passed to `prove`."""

    kind: str
    truth: bool
    text: str
    limit: str
    assume: tuple[str, ...]


def random_limits(seed: int) -> Iterator[RandomLimit]:
    """Endless limits of all families, half of them true."""
    random = Random(seed)
    while True:
        kind = random.choice(list(FAMILIES))
        *sides, limit, assume = random.choice(FAMILIES[kind])
        values = {name: random.choice(FACTORS) for name in "cd"} | {"e": random.choice(EXPONENTS)}
        left, relation, right = (side.format(**values) for side in sides)
        truth = random.random() < 0.5
        if not truth:
            wrong = [f"2*({right})"] if right not in ("0", "oo") else ["1"]
            wrong += [f"{right} + 1"] if relation == "->" and right != "oo" else []
            wrong += ["oo"] if relation == "->" and right != "oo" else []
            right = random.choice(wrong)
        text = f"{left} {relation} {right}"
        yield RandomLimit(kind, truth, text, limit, (assume,) if assume else ())
