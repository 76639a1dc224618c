"""The symbols of the theory, each with its LaTeX, unit, domain and meaning."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Symbol


@dataclass(frozen=True)
class Quantity:
    """What a symbol stands for."""

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
    quantity.name: quantity
    for quantity in (
        Quantity("N", "N", "parameters", "> 0", "number of model parameters"),
        Quantity("D", "D", "tokens", "> 0", "number of training tokens"),
        Quantity("C", "C", "FLOP", "> 0", "training compute"),
        Quantity("L", "L", "loss", "> E", "target loss"),
        Quantity("E", "E", "loss", ">= 0", "irreducible loss"),
        Quantity("A", "A", "loss", "> 0", "coefficient of the params term A N^-beta"),
        Quantity("B", "B", "loss", "> 0", "coefficient of the tokens term B D^-gamma"),
        Quantity("beta", r"\beta", "1", "> 0", "exponent of the params term"),
        Quantity("gamma", r"\gamma", "1", "> 0", "exponent of the tokens term"),
        Quantity("alpha", r"\alpha", "1", "> 0", "exponent of the compute law"),
        Quantity("C0", "C_0", "loss", "> 0", "coefficient of the compute law"),
        Quantity("kappa", r"\kappa", "FLOP", "> 0", "coefficient of the budget kappa N^a D^d"),
        Quantity("a", "a", "1", "> 0", "exponent of N in the budget"),
        Quantity("d", "d", "1", "> 0", "exponent of D in the budget"),
        Quantity("r", "r", "1", "> 0", "size ratio N/N*(C)"),
        Quantity("rho", r"\rho", "1", "> 0", "overtraining ratio (D/N)/(D*/N*)"),
        Quantity("s", "s", "1", "real", "logarithm of the size ratio, s = ln r"),
        Quantity("R", "R", "loss", "> 0", "reducible loss L - E"),
        Quantity("epsilon", r"\varepsilon", "1", "> 0", "tolerated excess of the penalty over 1"),
        Quantity("t", "t", "tokens per parameter", "> 0", "tokens per parameter D/N"),
        Quantity("N_max", r"N_{\max}", "parameters", "> 0", "largest allowed model"),
        Quantity("D_max", r"D_{\max}", "tokens", "> 0", "largest available data set"),
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
E, A, B, BETA, GAMMA = symbol("E"), symbol("A"), symbol("B"), symbol("beta"), symbol("gamma")
ALPHA, C0 = symbol("alpha"), symbol("C0")
KAPPA, BUDGET_A, BUDGET_D = symbol("kappa"), symbol("a"), symbol("d")
SIZE_RATIO, RATIO, LOG_SIZE_RATIO = symbol("r"), symbol("rho"), symbol("s")
REDUCIBLE, TOLERANCE, TOKENS_PER_PARAM = symbol("R"), symbol("epsilon"), symbol("t")
N_MAX, D_MAX = symbol("N_max"), symbol("D_max")
