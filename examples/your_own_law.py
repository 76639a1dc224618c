"""A law of your own, written in SymPy, through the same derivation, proofs and code generator as
the built-in one.

Run: python examples/your_own_law.py

First the form of Kaplan et al. 2020 (arXiv 2001.08361), L = ((Nc/N)^(aN/aD) + Dc/D)^aD, with
constants as commonly quoted from that paper (not verified here): no irreducible loss, but a
monotone function of two power laws, so the theory applies. Then a law of three variables, where a
third kind of spending U (say, how much filtering the data get) also buys loss and also costs
compute; its numbers are made up.
"""

from sympy import symbols

from isoflop import law_from_expression

KAPLAN = {"Nc": 6.4e13, "Dc": 1.8e13, "aN": 0.076, "aD": 0.103}
THREE = {"E": 1.7, "A": 400.0, "b": 0.34, "B": 410.0, "g": 0.28, "F": 3.0, "h": 0.2}


def main() -> None:
    """Print the allocations of both laws at three budgets."""
    N, D, U, Nc, Dc, aN, aD, E, A, b, B, g, F, h = symbols(
        "N D U Nc Dc aN aD E A b B g F h", positive=True
    )
    kaplan = law_from_expression(
        ((Nc / N) ** (aN / aD) + Dc / D) ** aD, KAPLAN, name="Kaplan et al. 2020"
    )
    print(f"{kaplan.name}: L = {kaplan.form.loss}")
    print(f"N* = {kaplan.form.derived.params}")
    three = law_from_expression(
        E + A * N**-b + B * D**-g + F * U**-h,
        THREE,
        variables=("N", "D", "U"),
        budget="6*N*D*U^0.5",
        name="three variables",
    )
    for law in (kaplan, three):
        print(f"{law.name}: L* - E ~ C^-{law.envelope.exponent:.4f} with E = {law.E:g}")
        for compute in (1e20, 1e22, 1e24):
            optimum = law.allocate(compute=compute)
            spent = ", ".join(f"{name} {value:.3g}" for name, value in optimum.variables.items())
            print(f"  C = {compute:.0e}: {spent}, loss {optimum.loss:.4f}")


if __name__ == "__main__":
    main()
