"""The symbols of the theory, each with its LaTeX, unit, domain and meaning."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Symbol


@dataclass(frozen=True)
class Letter:
    """A symbol with its LaTeX, unit, domain and meaning."""

    name: str
    latex: str
    unit: str
    domain: str
    meaning: str

    @property
    def symbol(self) -> Symbol:
        return (
            Symbol(self.name, real=True)
            if self.domain == "real"
            else Symbol(self.name, positive=True)
        )


QUANTITIES = {
    letter.name: letter
    for letter in (
        Letter("N", "N", "parameters", "> 0", "number of model parameters"),
        Letter("D", "D", "tokens", "> 0", "number of training tokens"),
        Letter("C", "C", "FLOP", "> 0", "training compute"),
        Letter("L", "L", "loss", "> E", "target loss"),
        Letter("E", "E", "loss", ">= 0", "irreducible loss"),
        Letter("A", "A", "loss", "> 0", "coefficient of the params term A N^-beta"),
        Letter("B", "B", "loss", "> 0", "coefficient of the tokens term B D^-gamma"),
        Letter("beta", r"\beta", "1", "> 0", "exponent of the params term"),
        Letter("gamma", r"\gamma", "1", "> 0", "exponent of the tokens term"),
        Letter("alpha", r"\alpha", "1", "> 0", "exponent of the compute law"),
        Letter("C0", "C_0", "loss", "> 0", "coefficient of the compute law"),
        Letter("kappa", r"\kappa", "FLOP", "> 0", "coefficient of the budget kappa N^a D^d"),
        Letter("a", "a", "1", "> 0", "exponent of N in the budget"),
        Letter("d", "d", "1", "> 0", "exponent of D in the budget"),
        Letter("r", "r", "1", "> 0", "size ratio N/N*(C)"),
        Letter("rho", r"\rho", "1", "> 0", "overtraining ratio (D/N)/(D*/N*)"),
        Letter("s", "s", "1", "real", "logarithm of the size ratio, s = ln r"),
        Letter("R", "R", "loss", "> 0", "reducible loss L - E"),
        Letter("epsilon", r"\varepsilon", "1", "> 0", "tolerated excess of the penalty over 1"),
        Letter("t", "t", "tokens per parameter", "> 0", "tokens per parameter D/N"),
        Letter("N_max", r"N_{\max}", "parameters", "> 0", "largest allowed model"),
        Letter("D_max", r"D_{\max}", "tokens", "> 0", "largest available data set"),
    )
}


def symbol(name: str) -> Symbol:
    """The package's symbol of that name (positive, or real where the domain is the real line)."""
    if name not in QUANTITIES:
        raise ValueError(
            f"name={name!r}: not a symbol of the theory; known: {', '.join(QUANTITIES)}"
        )
    return QUANTITIES[name].symbol


N, D, C, L = symbol("N"), symbol("D"), symbol("C"), symbol("L")
#: The letters that a budget ties.
ON_BUDGET = frozenset((N, D, C))
E, A, B, BETA, GAMMA = symbol("E"), symbol("A"), symbol("B"), symbol("beta"), symbol("gamma")
ALPHA, C0 = symbol("alpha"), symbol("C0")
KAPPA, BUDGET_A, BUDGET_D = symbol("kappa"), symbol("a"), symbol("d")
SIZE_RATIO, RATIO, LOG_SIZE_RATIO = symbol("r"), symbol("rho"), symbol("s")
REDUCIBLE, TOLERANCE, TOKENS_PER_PARAM = symbol("R"), symbol("epsilon"), symbol("t")
N_MAX, D_MAX = symbol("N_max"), symbol("D_max")
