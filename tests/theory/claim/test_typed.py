"""What researchers type, in LaTeX and in plain text: each is true, and proved as it is first spelt."""

import pytest

import isoflop

#: The notation, the statement, and what is assumed after a bar.
STATEMENTS = r"""
hoffmann: N^*(C) = G\left(\frac{C}{6}\right)^{a}
hoffmann: D^*(C) = G^{-1}\left(\frac{C}{6}\right)^{b}
hoffmann: G = \left(\frac{\alpha A}{\beta B}\right)^{\frac{1}{\alpha+\beta}}
hoffmann: a = \frac{\beta}{\alpha+\beta}
hoffmann: a + b = 1
hoffmann: \alpha A N_{opt}^{-\alpha} = \beta B D_{opt}^{-\beta}
schaeffer: \alpha = \frac{\beta\gamma}{\beta+\gamma}
schaeffer: \frac{1}{\alpha} = \frac{1}{\beta} + \frac{1}{\gamma}
schaeffer: N^* \propto C^{\gamma/(\beta+\gamma)}
schaeffer: D^* \propto C^{\frac{\beta}{\beta+\gamma}}
schaeffer: \frac{D^*}{N^*} \propto C^{\frac{\beta-\gamma}{\beta+\gamma}}
schaeffer: 6 N^* D^* = C
schaeffer: \beta A (N^*)^{-\beta} = \gamma B (D^*)^{-\gamma}
schaeffer: L^*(C) = E + C_0 C^{-\alpha}
schaeffer: L^*(C) - E = \left(1 + \frac{\beta}{\gamma}\right) A (N^*)^{-\beta}
schaeffer: \frac{\partial L}{\partial N} = -\beta A N^{-\beta-1}
schaeffer: \frac{dL^*}{dC} = -\alpha C_0 C^{-\alpha-1}
schaeffer: \frac{d\log R^*}{d\log C} = -\alpha
schaeffer: \lim_{C\to\infty} L^*(C) = E
schaeffer: P(r) = \frac{\gamma r^{-\beta} + \beta r^{\gamma}}{\beta+\gamma}
schaeffer: P(r) \ge 1
schaeffer: P(r) = 1 \iff r = 1
schaeffer: P'(1) = 0
schaeffer: P''(1) = \beta\gamma
schaeffer: P(r) \sim \frac{\gamma}{\beta+\gamma} r^{-\beta} \text{ as } r \to 0
schaeffer: \alpha \le \frac{\beta+\gamma}{4}
schaeffer: \beta > \gamma \implies w_D > w_N
schaeffer: \beta = \gamma \implies \alpha = \frac{\beta}{2}
schaeffer: L(N, D) \ge L^*(6 N D)
schaeffer: R^*(2C) = 2^{-\alpha} R^*(C)
schaeffer: w_N = \frac{\gamma}{\beta+\gamma}
schaeffer: T_N(N^*) = w_N R^*
schaeffer: C^*(L) = \left(\frac{C_0}{L-E}\right)^{1/\alpha}
schaeffer: N_{opt}(C) = \left(\frac{\beta A}{\gamma B}\right)^{1/(\beta+\gamma)} (C/6)^{\gamma/(\beta+\gamma)}
schaeffer: \left(1 - p\right)^k \le e^{-kp}
schaeffer: (1+x)^k \ge 1 + kx | k > 1
schaeffer: P(r) > 1 | r > 1
schaeffer: e^{-x} \ge 1 - x
schaeffer: alpha == beta*gamma/(beta + gamma)
schaeffer: 1/alpha == 1/beta + 1/gamma
schaeffer: N_opt*D_opt == C/6
schaeffer: N_opt propto C^(gamma/(beta + gamma))
schaeffer: D_opt/N_opt propto C^((beta - gamma)/(beta + gamma))
schaeffer: L_opt(C) == E + C0*C^-alpha
schaeffer: P(r) >= 1
schaeffer: P(1) == 1
schaeffer: P(r) == P(1/r) | beta == gamma
schaeffer: log(P(r)) <= gamma*log(r) | r > 1
schaeffer: P(r) ~ w_D*r^gamma as r -> oo
schaeffer: dL/dN == -beta*T_N/N
schaeffer: dN_opt/dC == w_N*N_opt/C
schaeffer: L(N, D) >= L_opt(6*N*D)
schaeffer: R(x*N_opt, D_opt/x) == P(x)*R_opt
schaeffer: w_N + w_D == 1
schaeffer: rho == r^-2
schaeffer: log(x) <= x - 1
schaeffer: -log(Q) == A*C^-a implies Q == exp(-A*C^-a)
schaeffer: x^2 + y^2 >= 2*x*y
hoffmann: alpha_C == alpha*beta/(alpha + beta)
hoffmann: L(N, D) == E + A/N^alpha + B/D^beta
schaeffer: P(r) -> oo as r -> 0
schaeffer: C_opt(L_opt(C)) == C
""".strip().splitlines()


@pytest.mark.parametrize("line", STATEMENTS)
def test_a_true_statement_is_proved(line: str) -> None:
    notation, _, claim = line.partition(": ")
    text, *assume = claim.split(" | ")
    latex = "\\" in text or "^*" in text
    proof = isoflop.prove(text, latex=latex, notation=notation, assume=assume)
    assert proof.answer.value == "proved", str(proof)
