"""What the equations of a document come to: small documents whose truth is known."""

import json

import pytest

from isoflop.theory.claim.chain import Settings
from isoflop.theory.claim.document import Document
from isoflop.theory.claim.paper import Judgement
from isoflop.theory.claim.paper import judged as judged_pieces

LETTERS = {
    "p": "proved",
    "r": "refuted",
    "u": "undecided",
    "x": "unreadable",
    "d": "definition",
    "g": "given",
    "o": "at the optimum",
    "b": "along the budget",
}
LAW = r"\[ L(N, D) = E + \frac{A}{N^\alpha} + \frac{B}{D^\beta} \]"
OURS = r"\[ L(N, D) = E + A N^{-\beta} + B D^{-\gamma} \]"


def judged(text: str, notation: str | None = None) -> list[Judgement]:
    document = Document.read(text, "paper.tex", str)
    settings = Settings(notation=notation or "schaeffer", seconds=30.0)
    return [one for _, found in judged_pieces(document, settings, notation) for one in found]


def answers(text: str) -> str:
    short = {answer: letter for letter, answer in LETTERS.items()}
    return "".join(short[one.answer] for one in judged(text))


#: Documents whose own law binds what is derived from it.
OF_THE_LAW = {
    # exponents exchanged, N and D exchanged, other letters, another name of the constant
    r"\[ L = E + A N^{-\gamma} + B D^{-\beta} \] \[ N^* \propto C^{\gamma/(\beta+\gamma)} \]"
    r"\[ N^* \propto C^{\beta/(\beta+\gamma)} \]": "grp",
    r"The law $L = E + A N^{-\gamma} + B D^{-\beta}$. \[ N^* \propto C^{\gamma/(\beta+\gamma)} \]": "r",
    r"\[ L = E + A/D^\alpha + B/N^\beta \] \[ N^* \propto C^{\alpha/(\alpha+\beta)} \]"
    r"\[ N^* \propto C^{\beta/(\alpha+\beta)} \]": "gpr",
    r"\[ L = L_\infty + \frac{A}{N^\alpha} + \frac{B}{D^\beta} \]"
    r"\[ \alpha A N^{-\alpha} = \beta B D^{-\beta} \] \[ N^* \propto C^{\beta/(\alpha+\beta)} \]": "gop",
    r"\[ L = E_0 + \frac{A}{N^\alpha} + \frac{B}{D^\beta} \] \[ L^* = E_0 + C_0 C^{-\alpha_C} \]"
    r"\[ L^* = E + C_0 C^{-\alpha_C} \]": "gpu",
    r"\[ L = A N^{-a} + B D^{-b} \] \[ N^* \propto C^{b/(a+b)} \] \[ L^* \propto C^{-ab/(a+b)} \]"
    r"\[ N^* \propto C^{a/(a+b)} \]": "gppr",
    r"\[ L(P, T) = E + A P^{-\alpha} + B T^{-\beta} \] \[ P^* \propto C^{\beta/(\alpha+\beta)} \]": "gp",
    r"$L(N, D) = E + R(N, D)$, $R(N, D) = A N^{-\alpha} + B D^{-\beta}$"
    r"\[ N^* = G (C/6)^{\beta/(\alpha+\beta)} \]": "p",
    # the budget and the optimum in the document's letters for N and D
    r"\[ L(\Psi, D) = E + \frac{A}{\Psi^\alpha} + \frac{B}{D^\beta} \] \[ C = 2 \Psi D \]"
    r"\[ \Psi^* = \left(\frac{\alpha A}{\beta B}\right)^{1/(\alpha+\beta)} (C/2)^{\beta/(\alpha+\beta)} \]"
    r"\[ \Psi_{opt} = \left(\frac{\alpha A}{\beta B}\right)^{1/(\alpha+\beta)} (C/6)^{\beta/(\alpha+\beta)} \]": "ggpr",
    r"\[ L(P, T) = E + A P^{-\alpha} + B T^{-\beta} \] \[ C = 3 P T \] \[ 3 P^* T^* = C \]"
    r"\[ 6 P_{opt} T_{opt} = C \]": "ggpr",
    # conditions, and what holds under equal exponents though it names neither or one of them
    rf"{LAW} \[ N^* \propto C^{{1/2}} \] \[ \alpha = \beta \] \[ D \ge 20 N \] \[ \frac{{C}}{{6}} = \frac{{10^{{22}}}}{{6}} \]"
    rf"\[ N^* \propto C^{{\alpha/(\alpha+\beta)}} \]": "guuuur",
    rf"{LAW} \[ A = e^a \] \[ 10^3 = 1,000 \]": "gux",
    # numbers of the law, and rounded numbers without them
    r"\[ L = E + A/N^\alpha + B/D^\beta \] \[ \frac{\beta}{\alpha + \beta} = \frac{0.28}{0.34 + 0.28} \]": "gu",
    r"\[ L = 1.69 + \frac{406.4}{N^{0.34}} + \frac{410.7}{D^{0.28}} \] \[ N^* \propto C^{0.45} \]"
    r"\[ N^* \propto C^{0.48} \] \[ D^* \propto C^{0.5484} \]": "gprp",
    r"\[ L = E + A/N^\alpha + B/D^\beta \] \[ N^* \propto C^{0.49} \]"
    r"\[ \frac{\alpha A N^{-\alpha}}{\beta B D^{-\beta}} = 1 \;\Longrightarrow\; N \propto C^{\mathbf{0.5}} \]": "guou",
    # laws of another shape, unread or missing
    r"\[ \ell(N,D) = E + \frac{A}{N^\beta} + \frac{B}{D^{2\gamma}} \]"
    r"\[ D^* = G^{-1} (C/6)^{\beta/(\beta+\gamma)} \]": "du",
    r"\[ L = E + A N^{-\beta} + B D^{-\gamma} + K N^{-\beta} D^{-\gamma} \]"
    r"\[ N^* = G (C/6)^{\gamma/(\beta+\gamma)} \] \[ P(r) \ge 1 \]": "uuu",
    r"\[ L = E + A (N + N_0)^{-\beta} + B D^{-\gamma} \] \[ N^* \propto C^{w_N} \]": "uu",
    r"\[ L = E + A/N^\beta + \int B/D^\gamma \] \[ N^* = G (C/6)^{w_N} \]": "xu",
    r"\[ L = E + A/N^\beta + B/D^\gamma + \text{const} \] \[ N^* = G (C/6)^{w_N} \]": "xu",
    r"\[ \mathrm{loss} = E + A/N^\beta + B/D^\gamma + F \] \[ N^* = G (C/6)^{w_N} \]": "du",
    r"\[ \alpha = \frac{\beta\gamma}{\beta+\gamma} \] \[ x = y^2 \] \[ x y = y^3 \]": "udp",
    r"\[ L(N) = A N^{-\beta} \] \[ N^* \propto C^{w_N} \]": "uu",
    LAW + r"\[ L(N, D) = E + A N^{-\alpha} + B D^{-\beta} + K (ND)^{-\delta} \]"
    r"\[ N^* = G (C/6)^a \]": "guu",
    LAW + r"\[ L(N, D) = E + A N^{\alpha} + B D^{-\beta} \] \[ N^* = G (C/6)^a \]": "grp",
    LAW
    + r"\[ N^* = G (C/6)^a \]"
    + OURS
    + r"\[ N^* = G (C/6)^{w_N} \] \[ N^* = G (C/6)^{w_D} \]": "gpgpr",
    # budgets
    r"$L = E + A N^{-\beta} + B D^{-\gamma}$ and $\text{FLOPs} = 2ND$: \[ N^* = G (C/6)^{w_N} \]"
    r"\[ N^* = G (C/2)^{w_N} \]": "rp",
    OURS + r"\[ C = \kappa N D \] \[ N^* = G (C/\kappa)^{w_N} \] \[ N^* = G (C/6)^{w_N}\]": "ggpr",
    OURS + r"\[ C = 6 N D \] \[ C = 8 N D \] \[ N^* D^* = C/6 \]": "ggrp",
}
DOCUMENTS = {
    # a letter e is the constant of the law where it stands for it, and the base of e^x
    r"\[ L = e + A N^{-\alpha} + B D^{-\beta} \] \[ L^* - e = e^{\log C_0} C^{-\alpha_C} \]"
    r"\[ N^* \propto C^{\alpha/(\alpha+\beta)} \]": "gpr",
    # what holds along the budget alone is no partial derivative; what is declared for it, one
    LAW
    + "\\[ \\partial L/\\partial N = -\\alpha A N^{-\\alpha-1} + \\beta B D^{-\\beta}/N \\]": "gu",
    f"{LAW}\n% isoflop: along the budget\n\\[ \\partial L/\\partial N ="
    r" -\alpha A N^{-\alpha-1} + \beta B D^{-\beta}/N \]": "gb",
    LAW + r"\[ \frac{dL}{dN} = -\alpha A N^{-\alpha-1} + \beta B D^{-\beta}/N \]": "gb",
    LAW + r"\[ \frac{\partial L}{\partial N} = -\beta B D^{-\beta}/N \]": "gu",
    LAW + r"\[ \frac{\partial L}{\partial N} = 0 \] \[ \frac{\partial L}{\partial D} = 0 \]": "goo",
    LAW + r"\[ L - E = (1 + \alpha/\beta) A N^{-\alpha} \]"
    "\n% isoflop: at N = N^*, D = D^*\n\\[ L - E = (1 + \\alpha/\\beta) A N^{-\\alpha} \\]": "gup",
    OURS + r"\[ \lim_{r \to 1} P(r) = 1 \] \[ \lim_{r \to 1} P(r) = 2 \]": "gpr",
    # what stands in a display
    r"\newcommand{\Nopt}{\ensuremath{N^{\star}}\xspace}" + LAW + r"\[ \Nopt(C) = G (C/6)^a \]"
    r"\[ \Nopt(C) = C G (C/6)^a \]": "gpr",
    OURS + r"\[ \beta > \gamma \iff w_D > w_N \] \[ w_N > w_D \iff \beta > \gamma \]": "gpr",
    OURS
    + r"\[ P(r) > 1 \quad \text{for } r > 1 \] \[ P(r) \sim w_D r^\gamma \quad (r \to \infty) \]"
    r"\[ P(r) \sim w_D r^\gamma \quad \text{as } r \to 0 \] \[ P(r) > 1 \text{ for all $r > 1$.} \]": "gpprp",
    OURS + r"\[ P(r) \ge 1 \text{ with equality iff } r = 1 \]": "gpx",
    OURS
    + r"\[ P(r) > 1 \text{ unless } r = 1 \] \[ P(r) > 1 \text{ for } r<1 \text{ or } r>2 \]": "gxxxx",
    r"\[ r^2 > r \] \[ r^2 > r, \quad r > 1 \] \[ r^2 > r \quad \forall r > 1 \]": "uuu",
    r"\[ x^2 > x \] \[ x^2 > x, \quad x > 1 \] \[ x^2 > x \quad \forall x > 1 \]": "upp",
    r"\[ \sqrt{u^2} = u, \quad u \in \mathbb{R}. \] \[ \sqrt{v^2} = v \]": "rp",
    r"\[ z^3 > -1 \quad \text{where $z$ may be negative} \]": "xx",
    OURS
    + r"\[ w_D > w_N \] \[ w_D > w_N \quad \text{if } \beta > \gamma \] \[ w_N = w_D \]": "gupr",
    OURS
    + r"\begin{align} N^* &= G (C/6)^{w_N} && \text{by (3)} \\ &= G (C/6)^{\gamma/(\beta+\gamma)}"
    r"\text{ since } w_N = x \\ D^* &= G^{-1} (C/6)^{w_D}. \quad \text{(tokens)} \end{align}": "gppp",
    OURS + r"\[ N^* \propto C^p \text{ where } p = \frac{\gamma}{\beta+\gamma} \]": "gdp",
    r"\[ f = \begin{cases} A & N > 1 \\ B & \text{otherwise} \end{cases} \]": "x",
    r"\[ x = y \] \[ 1 = 2 \] \[ x = z = y + 1": "drx",
    # definitions
    r"\[ x = A B \] \[ x^2 = A^2 B^2 \] \[ x^2 = A B \]": "dpr",
    r"\[ x^2 = A^2 B^2, \] where $x = A y$ and $y = B$.": "pdd",
    r"Let $x = A B$. \[ x^2 = A^2 B^2 \]": "dp",
    r"\[ x = A B = A + B \]": "dr",
    "\\[ x = A B \\]\n\\[ x = A + B \\]\n\\[ x = A B \\]": "duu",
    "\\[ x = A B \\] \\section{Two}\n\\[ x = A + B \\] \\[ x - A = B \\]": "duu",
    r"\[ f(x) = x^2 \] \[ f(3) = 9 \] \[ f'(2) = 5 \]": "dpr",
    r"\[ x = \int A \] \[ x = 2 x \]": "xu",
    r"\[ A B =: x \] \[ x^2 = A^2 B^2 \]": "dp",
    r"\[ x + y = z + v \] \[ \frac{A}{x} = B \]": "uu",
    r"\[ 6 x - A = 0 \] \[ x = A / 6 \] \[ x = A \]": "udr",
    LAW + r"\[ \frac{D^\beta}{N^\alpha} = \frac{\beta B}{\alpha A} =: G \] \[ G = 1 \]": "guou",
    OURS + r"\[ P = A N^{-\beta} \] \[ P \ge 1 \]": "guu",
    OURS + r"Let $D = r D^*$. \[ P(r) = w_N r^{-\beta} + w_D r^{\gamma} \]": "guu",
    OURS + r"\[ N = r N^* \] \[ P(r) = w_N r^{-\beta} + w_D r^{\gamma} \]": "gpp",
    # at the optimum, along the budget; the multiplier is a letter that nothing defines
    LAW
    + r"\[ \alpha A N^{-\alpha} = \beta B D^{-\beta} \] \[ A N^{-\alpha} = B D^{-\beta} \]": "gor",
    LAW + r"\[ \frac{\partial L}{\partial N} = -\frac{\alpha A}{N^{\alpha+1}} = 6 \lambda D \]"
    r"\[ \frac{\partial L}{\partial D} = -\frac{\beta B}{D^{\beta+1}} = 6 \lambda N \]": "gpupu",
    LAW
    + r"\[ \mathcal{L}(N,D,\lambda) = E + \frac{A}{N^\alpha} + \frac{B}{D^\beta} + \lambda (ND - \frac{C}{6}) \]"
    r"\[ \frac{\partial \mathcal{L}}{\partial N} = -\frac{A\alpha}{N^{\alpha+1}} + \lambda D = 0 \]"
    r"\[ \frac{\partial \mathcal{L}}{\partial D} = -\frac{B\beta}{D^{\beta+1}} + \lambda N = 0 \]": "gxuuuu",
    LAW + r"\[ \frac{\partial L}{\partial N} = -\frac{\alpha A}{N^{\alpha+1}}"
    r"+ \frac{\beta B}{D^{\beta+1}} \cdot \frac{C}{6N^2} = 0 \]": "gbo",
    LAW + r"\[ \frac{\partial L}{\partial N} = \alpha A N^{-\alpha-1} \]": "gr",
    LAW + r"\[ N = G (C/6)^{a} \] \[ N = G (C/6)^{b} \]": "gor",
    # a run beside the optimum is any run: what holds at the optimum alone is not proved of it
    LAW + r"Let $k = N/N^*$. \[ D = k D^* \] \[ k D = N D/N^* \]": "gdup",
    LAW + r"Let $x = D/D^*$. \[ x = 1 \]": "gdu",
    LAW + r"Let $k = N/(G (C/6)^a)$. \[ D = k G^{-1} (C/6)^b \]": "gdu",
    LAW + r"Let $M = D/N$. \[ M = G^{-2} (C/6)^{b-a} \]": "gdu",
    LAW + r"Let $u = A N^{-\alpha}/(B D^{-\beta})$. \[ u = \beta/\alpha \]": "gdu",
    LAW + r"\[ L(N, D) - E = L^* - E \]": "gu",
    LAW + "\\[ N/N^* = D/D^* \\]\n% isoflop: at N = N^*, D = D^*\n\\[ N/N^* = D/D^* \\]": "gup",
    LAW
    + r"\begin{align} \log N^* &= \log G + a \log(C/6) \\ \log D^* &= -\log G + a \log (C/6) \end{align}": "gpr",
    # implications
    OURS
    + r"\[ \beta > \gamma \implies w_D > w_N \] \[ \beta > \gamma \implies w_D < w_N \]": "ggpgr",
    LAW
    + r"\[ \alpha = \beta \implies a = \frac12 \] \[ \alpha = \beta \implies a = \frac13 \]": "ggpgr",
    r"\[ x^2 = y^3 \implies x = y \] \[ \frac{x}{y} = 1 \]": "uuu",
    # what the document gives
    LAW + r"\[ D = 20 N \implies C = 100 N^2 \]": "ggr",
    LAW
    + r"\[ D = 20 N \] \[ C = 120 N^2 \] \[ C = 120 N^3 \] \[ N = \sqrt{C/120} \] \[ N = \sqrt{C/100} \]": "ggprpr",
    LAW + r"\[ C = 120 N^2 \]": "gu",
    LAW
    + r"\[ N = 70\times10^9, \quad D = 1.4\times 10^{12} \] \[ C = 5.88\times10^{24} \]": "gggr",
    LAW
    + r"\[ N = 70\times10^9, \quad D = 1.4\times 10^{12} \] \[ C = 5.88\times10^{23} \]": "gggp",
    LAW + r"\[ D = 20 N \] \[ C = 100 N^2 \] \[ D = 100 N \] \[ C = 600 N^2 \]": "ggrgp",
    # the law at the optimum is no other law
    LAW
    + r"\[ L^* = E + \frac{A}{(N^*)^{\alpha}} + \frac{B}{(D^*)^{\beta}} \] \[ N^\star \propto C^{a} \]": "gpp",
    LAW + r"\[ L(N_{opt}, D_{opt}) = E + A/N_{opt}^{\beta} + B/D_{opt}^{\alpha} \]": "gr",
    r"\[ L_{opt} = E + A N_{opt}^{-\alpha} + B D_{opt}^{-\beta} \]": "u",
    LAW + r"\[ D = t N \] \[ C = 6 t N^2 \] \[ C = 6 t N \]": "guuu",
    r"\[ L = 1.69 + 406.4/N^{0.34} + 410.7/D^{0.28} \] \[ \alpha_C = 0.154 \] \[ \alpha_C = 0.31 \]"
    r"\[ a \approx 0.45 \] \[ a = 0.46 \]": "gprpu",
    LAW
    + r"\[ E = 1.69, \quad A = 406.4, \quad B = 410.7, \quad \alpha = 0.34, \quad \beta = 0.28 \]"
    r"\[ \alpha_C = 0.154 \] \[ \alpha_C = 0.31 \] \[ C = 5.76\times 10^{23} \]"
    r"\[ N^* = 3.2\times 10^{10} \] \[ N^* = 9\times 10^{10} \]": "gggggg" + "pr" + "g" + "pr",
}


@pytest.mark.parametrize("text", [*OF_THE_LAW, *DOCUMENTS])
def test_documents(text) -> None:
    assert answers(text) == {**OF_THE_LAW, **DOCUMENTS}[text]


#: Declared lines, in front of or between displays.
DECLARED = {
    "% isoflop: notation schaeffer\n"
    r"\[ \alpha = \frac{\beta\gamma}{\beta+\gamma} \] \[ w_N = \frac{\beta}{\beta+\gamma} \]": "pr",
    f"% isoflop: budget kappa N D\n{OURS} \\[ N^* = G (C/\\kappa)^{{w_N}} \\]": "gp",
    f"{LAW}\n% isoflop: let k_N = r\n\\[ P(k_N) = a k_N^{{-\\alpha}} + b k_N^{{\\beta}} \\]": "gp",
    f"{LAW}\n% isoflop: assume \\alpha > \\beta\n\\[ a < b \\] \\section{{x}} \\[ a < b \\]": "gpu",
    f"{LAW}\n% isoflop: at \\alpha = \\beta\n\\begin{{align}} a &= b \\\\ b &= a \\end{{align}} \\[ a = b \\]": "gppr",
    f"{LAW}\n% isoflop: skip\n\\begin{{align}} a &= b \\\\ b &= a \\end{{align}} \\[ a = b \\]": "gr",
    "% isoflop: z real\n\\[ \\sqrt{z^2} = z \\] \\[ z^2 \\ge 0 \\]": "rp",
    "% isoflop: foo\n\\[ 1 = 1 \\]": "xp",
    "\\[ 1 = 1 \\] % \\[ 1 = 2 \\]": "p",
}


@pytest.mark.parametrize("text", DECLARED)
def test_what_is_declared(text) -> None:
    assert answers(text) == DECLARED[text]


PAPER = r"""
\newcommand{\Nopt}{N_{\mathrm{opt}}}
\newcommand{\pow}[2]{#1^{#2}}
\begin{document}
\begin{equation}\label{eq:law}
  L(N, D) = E + \frac{A}{\pow{N}{\alpha}} + \frac{B}{D^{\beta}}.
\end{equation}
\begin{align}
  \Nopt(C) &= G \left(\frac{C}{6}\right)^{\frac{\beta}{\alpha + \beta}}, \label{eq:n} \\
  D_{\mathrm{opt}}(C) &= G^{-1} \left(\frac{C}{6}\right)^{\frac{\alpha}{\alpha + \beta}}, \tag{3}
\end{align}
where $G = \left(\frac{\alpha A}{\beta B}\right)^{\frac{1}{\alpha + \beta}}$. Put $x = \alpha / \beta$. Then
\[ \frac{\beta}{\alpha + \beta} = \frac{1}{1 + x}. \]
\begin{equation}\label{eq:least}
  L_{\mathrm{opt}} = E + \left(1 + \frac{\alpha}{\beta}\right) A \Nopt^{-\alpha}.
\end{equation}
\end{document}
"""
#: One slip each: what is right in the document, and what stands there instead.
SLIPS = [
    (r"\right)^{\frac{\beta}", r"\right)^{\frac{\alpha}"),
    (r"G \left(\frac{C}{6}", r"G \left(\frac{C}{2}"),
    (r"= G^{-1}", "= G"),
    (r"(\frac{\alpha A}{\beta B}", r"(\frac{\beta A}{\alpha B}"),
    (r"^{\frac{1}{\alpha + \beta}}$", r"^{\frac{2}{\alpha + \beta}}$"),
    (r"\frac{1}{1 + x}", r"\frac{x}{1 + x}"),
    (r"x = \alpha / \beta", r"x = \beta / \alpha"),
    (r"1 + \frac{\alpha}{\beta}\right", r"1 + \frac{\beta}{\alpha}\right"),
    (r"\Nopt^{-\alpha}", r"\Nopt^{\alpha}"),
    (r"= E + \left(1", r"= E - \left(1"),
    (r"{D^{\beta}}.", r"{D^{\alpha}}."),
]


def test_a_paper_without_slips() -> None:
    assert answers(PAPER) == "gpppdpp"
    labels = [(one.piece.place.line, one.piece.label) for one in judged(PAPER) if one.piece.label]
    assert labels == [(6, "eq:law"), (9, "eq:n"), (10, "3"), (15, "eq:least")]


@pytest.mark.parametrize(("right", "wrong"), SLIPS)
def test_a_slip_is_never_proved_silently(right, wrong) -> None:
    assert PAPER.count(right) == 1
    found = [one.answer for one in judged(PAPER.replace(right, wrong))]
    assert {"refuted", "undecided"} & {*found}
    assert "refuted" in found or wrong == r"{D^{\alpha}}."


def test_a_refuted_row_has_its_correction_and_a_proved_one_its_reading() -> None:
    right, wrong = SLIPS[0]
    (refuted,) = (one for one in judged(PAPER.replace(right, wrong)) if one.answer == "refuted")
    assert refuted.link is not None
    assert "exchanged" in refuted.link.correction
    assert refuted.where == "it holds where alpha = beta"
    assert judged(PAPER)[1].read == "N_opt(C) == G*(C/6)^(beta/(alpha + beta))"


def test_what_is_not_judged_names_the_line_that_settles_it() -> None:
    cases = {
        OURS + r"\[ w_D > w_N \]": r"assume \beta > \gamma",
        OURS + r"\[ N^* = k C^{w_N} \]": "let k = ...",
        r"\[ N^* = G (C/6)^{w_N} \]": "notation schaeffer",
        r"\[ \beta < \gamma \]": r"assume \beta < \gamma",
    }
    assert {text: judged(text)[-1].remedy for text in cases} == cases


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("row", "code", "answer"),
    [
        (r"w_N + w_D = 1", 0, "proved"),
        (r"w_N = \frac{\beta}{\beta + \gamma}", 1, "refuted"),
        (r"x = \int y", 2, "unreadable"),
        (r"w_D > w_N", 3, "undecided"),
    ],
)
def test_the_status_is_that_of_the_worst_verdict(run_cli, in_folder, row, code, answer) -> None:
    (in_folder / "paper.tex").write_text(f"{OURS}\n\\[ {row} \\]", encoding="utf-8")
    result = run_cli("verify", "paper.tex")
    assert (result.code, result.err) == (code, "")
    assert (row in result.out) == (answer != "proved")
    assert row in run_cli("verify", "paper.tex", "--all").out
    data = json.loads(run_cli("verify", "paper.tex", "--format", "json").out)
    assert (data["file"], data["counts"][answer]) == ("paper.tex", 1)
    entry = data["equations"][-1]
    assert (entry["line"], entry["answer"]) == (2, answer)
    assert (entry.get("witness") is not None) == (answer == "refuted")


def test_refuted_rows_come_first_and_files_are_followed(run_cli, in_folder) -> None:
    text = f"{OURS}\n\\[ w_D > w_N \\]\n\\input{{more}} \\input{{none}}\n"
    (in_folder / "paper.tex").write_text(text, encoding="utf-8")
    (in_folder / "more.tex").write_text("\n\\input{paper}\\[ w_N = w_D \\]", encoding="utf-8")
    lines = run_cli("verify", "paper.tex").out.splitlines()
    assert lines[0].startswith("more.tex line 2  refuted")
    assert any(line.startswith("line 2  not judged") for line in lines)
    assert "paper (line 2), none (line 3)" in lines[-2]
    assert lines[-1] == "paper.tex: 1 refuted, 1 not judged, 1 given (--all lists them)"


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"no equation", "no displayed equation"),
        (b"\xff\xfe", "no text in UTF-8"),
        (b"\\def\\x{\\x} \\[ \\x \\]", "does not come to an end"),
        (b"\\def\\x{\\x " + b"y" * 3000 + b"} \\[ \\x \\]", "does not come to an end"),
        (b"\\newcommand{\\x}{", "never closed"),
    ],
)
def test_bad_papers(run_cli, in_folder, content, named) -> None:
    (in_folder / "paper.tex").write_bytes(content)
    result = run_cli("verify", "paper.tex")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert "'paper.tex'" in result.err
    assert named in result.err


def test_declared_lines_hold_to_the_end_of_the_paper(run_cli, in_folder) -> None:
    lines = "% isoflop: budget 12 N D\n% isoflop: assume \\beta > \\alpha\n"
    text = f"{lines}{LAW} \\[ a > b \\] \\[ N^* = G (C/12)^a \\]"
    (in_folder / "paper.tex").write_text(text, encoding="utf-8")
    result = run_cli("verify", "paper.tex")
    assert (result.code, "2 proved" in result.out) == (0, True), result.out
    assert run_cli("verify", "missing.tex").code == 2
