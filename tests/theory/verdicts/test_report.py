"""What the equations of a whole document come to."""

import pytest

from isoflop.theory.verdicts.paper import equations
from isoflop.theory.verdicts.prove import Settings
from isoflop.theory.verdicts.report import report
from isoflop.theory.verdicts.source import read_source

PAPER = r"""
\documentclass{article}
\newcommand{\Nopt}{N_{\mathrm{opt}}}
\newcommand{\Loss}{\mathcal{L}}
\begin{document}
\begin{equation}\label{eq:law}
  L(N, D) = E + \frac{A}{N^{\alpha}} + \frac{B}{D^{\beta}}.
\end{equation}
Training takes $C = 6ND$ operations. The Lagrangian is
\begin{equation}
  \Loss(N, D, \lambda) = L(N, D) + \lambda (6 N D - C).
\end{equation}
Setting its derivatives to zero gives
\begin{align}
  \frac{\partial \Loss}{\partial N} &= -\frac{\alpha A}{N^{\alpha + 1}} + 6 \lambda D = 0, \\
  \frac{\partial \Loss}{\partial D} &= -\frac{\beta B}{D^{\beta + 1}} + 6 \lambda N = 0.
\end{align}
The optimal allocation is
\begin{align}
  \Nopt(C) &= G \left(\frac{C}{6}\right)^{\frac{\alpha}{\alpha + \beta}}, \label{eq:nopt} \\
  D_{\mathrm{opt}}(C) &= G^{-1} C^{\frac{\alpha}{\alpha + \beta}}, \label{eq:dopt}
\end{align}
where $G = \left(\frac{\alpha A}{\beta B}\right)^{\frac{1}{\alpha + \beta}}$. Put $x = \alpha / \beta$. Then
\[ \frac{\beta}{\alpha + \beta} = \frac{1}{1 + x}. \]
The least loss is
\begin{equation}\label{eq:least}
  L_{\mathrm{opt}} = E + \left(1 + \frac{\alpha}{\beta}\right) A \Nopt^{\alpha}.
\end{equation}
\end{document}
"""


def decided(body: str, **settings):
    source = read_source(body)
    chosen = Settings(**{"notation": "hoffmann", **settings})
    printed = equations(source, known=chosen.words.names)
    return [entry for _, entries in report(source, printed, chosen) for entry in entries]


def answers(body: str, **settings) -> list[str]:
    return [entry.answer for entry in decided(body, **settings)]


def test_planted_errors_are_found_and_nothing_else_is_refuted() -> None:
    entries = decided(PAPER)
    assert [(e.number, e.label) for e in entries if e.answer == "refuted"] == [
        ("5", "eq:nopt"),
        ("6", "eq:dopt"),
        ("7", "eq:least"),
    ]
    assert {e.answer for e in entries} == {"refuted", "proved", "definition"}
    right = [e.link.correction.partition(":")[0] for e in entries if e.answer == "refuted"]
    assert "exchanged" in right[0]
    assert "with a factor 6^" in right[1]
    assert right[2] == ""
    assert [e.place.line for e in entries if e.reading == "at the optimum"] == [16]
    assert entries[-2].uses[0].shown == r"x = \alpha / \beta"


DOCUMENTS = {
    # definitions
    r"\[ x = A B \] \[ x^2 = A^2 B^2 \]": ["definition", "proved"],
    r"\[ u = 3 A \] \[ f(x) = x - 3 A \] \[ f(u) = 0 \]": ["definition", "definition", "proved"],
    r"\[ x := A B \] \[ x^2 = A B \]": ["definition", "refuted"],
    r"\[ t = \log A \] \[ e^{t} = A \] \[ e^{t} = B \]": ["definition", "proved", "refuted"],
    r"\[ f(N_{opt}) = A \] \[ f(N) = A N \]": ["unreadable", "definition"],
    r"\[ \mathrm{fail}@k = (1 - p)^k \] \[ \mathrm{fail}@(k + 1) = (1 - p) \mathrm{fail}@k: \]": [
        "definition",
        "proved",
    ],
    r"Let $\alpha = \beta$. \[ P(r) = P(1/r) \]": ["condition", "proved"],
    r"\begin{theorem} Let $\alpha = \beta$. \[ \alpha + \beta = 2 \alpha \] \end{theorem}"
    r"\[ \alpha + \beta = 2 \alpha \]": ["condition", "proved", "refuted"],
    r"\begin{theorem}\label{t} Let $x = A B$ and $\alpha = \beta$. \end{theorem}"
    r"\begin{theorem} Let $x = A + B$. \end{theorem}"
    r"\begin{theorem} Take the setting of Theorem~\ref{t}. \[ x^2 = A^2 B^2 \] \end{theorem}"
    r"\begin{theorem} \[ x = A B \] \[ \alpha + \beta = 2 \alpha \] \end{theorem}": [
        "definition",
        "condition",
        "definition",
        "proved",
        "definition",
        "refuted",
    ],
    r"\begin{theorem} Let $x = n!!$. \end{theorem}"
    r"\begin{theorem} Let $y = A + x$. \[ y - x = A \] \end{theorem}": [
        "unreadable",
        "definition",
        "proved",
    ],
    r"\begin{theorem} Let $x = A y$. \end{theorem}"
    r"\begin{theorem} Let $y = A x$. \[ y / x = A \] \end{theorem}": [
        "definition",
        "definition",
        "proved",
    ],
    r"\begin{theorem}\label{t} Let $\alpha = \beta$. \end{theorem}"
    r"\begin{theorem} In the setting of Theorem~\ref{t}: \[ \alpha + \beta = 2 \alpha \] \end{theorem}"
    r"\begin{theorem} \[ \alpha + \beta = 2 \alpha \] \end{theorem}": [
        "condition",
        "proved",
        "refuted",
    ],
    r"\[ A N^{-\alpha} \to 0 \quad (\alpha > \beta, N \to \infty) \]": ["proved"],
    r"As $r \to 0$, \[ P(r) \sim w_N r^{-\alpha} \] and as $r \to \infty$ \[ P(r) \sim w_N r^{-\alpha}. \]": [
        "proved",
        "refuted",
    ],
    r"Not as $r \to 0$: \[ P(r) \sim w_N r^{-\alpha}. \]": ["unreadable"],
    r"Let $y_1(x) = A x$. \[ h(x) = y_1(x) - A \] \[ h(1) = 0 \]": [
        "definition",
        "definition",
        "proved",
    ],
    r"Let $\alpha = \beta + h$. \[ \alpha^2 = (\beta + h)^2 \]": ["condition", "proved"],
    r"We set $A = 1$ and have \[ A + B \ge 2 \sqrt{A B}. \] Equality holds only where $A = B$.": [
        "condition",
        "proved",
        "condition",
    ],
    r"\[ A B =: x \] \[ x^2 = A^2 B^2 \]": ["definition", "proved"],
    r"Let $x = A B$. \[ x^2 = A^2 B^2 \]": ["definition", "proved"],
    r"\[ x^2 = A^2 B^2, \] where $x = A B$.": ["proved", "definition"],
    r"\[ y = B \] \[ x^2 = A^2 B^2, \] where \[ x = A y. \]": ["definition", "proved"],
    r"\[ x^2 y = A^2 B^3, \] where $x = A B$ and $y = B$.": ["proved", "definition", "definition"],
    r"\[ f(x) = E + x^2 \] \[ f(3) = E + 9 \]": ["definition", "proved"],
    r"\[ x = A = B \]": ["definition", "condition"],
    r"\[ x = A B \] \[ x = A + B \]": ["definition", "conflict"],
    r"\[ x = A B \] Now let $x = A + B$. \[ x = A + B \]": ["definition", "definition", "proved"],
    r"\[ x = \int A \] \[ x = A B \]": ["unreadable", "undecided"],
    # what prose supposes, and what it denies
    r"Let $\alpha > \beta$. \[ w_D > w_N \]": ["proved"],
    r"Assume $\alpha = \beta$. Then \[ \alpha_C = \alpha/2 \]": ["proved"],
    r"If $\alpha > \beta$, \[ w_D > w_N. \] In general \[ w_D > w_N \]": ["proved", "refuted"],
    r"Under the condition \[ \alpha = \beta \] we have \[ \alpha_C = \alpha/2 \]": [
        "condition",
        "proved",
    ],
    r"Let $\beta = \alpha$. Now let $\beta = 2 \alpha$. \[ \alpha_C = 2 \alpha/3 \]": [
        "condition",
        "condition",
        "proved",
    ],
    r"We do not let $\beta = \alpha$. \[ \alpha_C = \alpha/2 \]": ["condition", "refuted"],
    r"\begin{itemize} \item Let $\beta = \alpha$. \[ \alpha_C = \alpha/2 \] \item Here \[ \alpha_C = \alpha/2 \]"
    r"\end{itemize}": ["condition", "proved", "refuted"],
    r"\[ \alpha_C = \frac{\alpha}{2}, \qquad \alpha = \beta. \]": ["proved", "condition"],
    r"\[ \alpha > \beta \implies w_D > w_N \]": ["condition", "proved"],
    r"\[ w_D > w_N \quad\text{and}\quad \alpha > \beta \]": ["refuted", "undecided"],
    r"\[ P(r) > 1 \quad\text{for } r > 1 \text{ and } \alpha > \beta \]": ["proved"],
    r"\[ \alpha_C < \alpha \text{ is false} \]": ["unreadable"],
    r"\[ 0 < \alpha \quad\text{fails} \]": ["unreadable"],
    r"\[ \text{It is false that } \alpha = \beta \]": ["unreadable"],
    # names that are something else in the document
    r"Let $r = D/N$. \[ P(r) = \frac{L - E}{L^* - E} \]": ["condition", "undecided"],
    r"\[ C = 2 N D \] \[ N^* D^* = C/6 \] \[ w_N + w_D = 1 \]": [
        "conflict",
        "undecided",
        "proved",
    ],
    r"The compute is $C = N D$. \[ N^* D^* = C \] \[ w_N + w_D = 1 \]": ["undecided", "proved"],
    r"\begin{theorem} The compute is $C = 8 N D$. \[ N^* D^* = C/8 \] \[ N^* D^* = C/6 \] \end{theorem}"
    r"\[ N^* D^* = C/6 \] \[ N^* D^* = C/8 \]": ["proved", "refuted", "proved", "refuted"],
    r"Let $x$ be real, $s \ge 0$. \[ e^s \ge 1 \]": ["proved"],
    r"\begin{theorem} If the compute is $C = 8 N D$, much changes. \[ N^* D^* = C/6 \] \end{theorem}": [
        "undecided"
    ],
    r"\begin{theorem} The compute is $C = \kappa N^a D^d$. \[ w_N \alpha = a \alpha_C \] \end{theorem}"
    r"\[ a = \frac{\beta}{\alpha + \beta} \]": ["proved", "proved"],
    r"Let $P = A N^{-\alpha}$. \[ P \ge 1 \]": ["conflict", "undecided"],
    r"\[ L(N, D) = E + A N^{-\beta} + B D^{-\gamma} \] \[ \alpha < \beta \]": [
        "unreadable",
        "undecided",
    ],
    r"\[ f(x) = x^2 \] \[ f'(2) = 4 \] \[ f'(2) = 6 \]": ["definition", "proved", "refuted"],
    # names of the law with another meaning
    r"\[ R_{opt} = \frac{D^*}{N^*} \]": ["conflict"],
    r"Let $G = N + D$.": ["conflict"],
    r"\[ G := N + D \]": ["conflict"],
    r"\[ L(N) = E + A N^{-\alpha} \]": ["conflict"],
    r"\[ L(N, D) = E + A N^{-\beta} + B D^{-\alpha} \]": ["conflict"],
    r"\[ C = 8 N D \]": ["conflict"],
    # conditions
    r"\[ D = 20 N \]": ["condition"],
    r"\[ E = 1.69 \]": ["condition"],
    r"\[ C = 6 N D \]": ["proved"],
    r"\[ \alpha A N^{-\alpha} = \beta B D^{-\beta} \]": ["proved"],
    r"\[ \frac{\partial L}{\partial N} = 0 \]": ["proved"],
    r"\[ \frac{d L}{d N} = -\alpha A N^{-\alpha - 1} + \beta B (6/C)^{\beta} N^{\beta - 1} = 0 \]": [
        "proved",
        "proved",
    ],
    r"At the optimum \[ A N^{-\alpha} = B D^{-\beta}. \]": ["refuted"],
    r"\[ A N^{-\alpha} = B D^{-\beta} \]": ["undecided"],
    r"\[ N = G (C/6)^{\beta/(\alpha+\beta)} \]": ["proved"],
    r"\[ N = G (C/6)^{\alpha/(\alpha+\beta)} \]": ["refuted"],
    # what may be a condition
    r"The derivative turns at \[ C_0 C^{-\alpha_C} = 1. \]": ["undecided"],
    r"\[ N \le w_N N^* \]": ["undecided"],
    r"\[ N = \frac{C}{6 D_{\max}} \]": ["condition"],
    r"\[ \sqrt{\alpha - \beta}^2 = \alpha - \beta \] provided that \[ \alpha > \beta. \]": [
        "proved"
    ],
    r"\[ \frac{d^2 L}{d(\log N)^2}\Big|_{*} = \alpha\beta (L^* - E) \]": ["proved"],
    # numbers
    r"\[ L(N, D) = 1.69 + \frac{400}{N^{0.3}} + \frac{400}{D^{0.3}} \] \[ a = b = 0.5 \]": [
        "condition",
        "proved",
        "proved",
    ],
    r"\[ a = 0.5 \]": ["undecided"],
    # letters of which nothing is known
    r"\[ x + y = z + v \]": ["undecided"],
    r"\[ y x^2 \ge x \quad \text{for } x > 1 \]": ["undecided"],
    r"\[ \frac{A}{x} = B \]": ["undecided"],
    r"\[ 6 x - A = 0 \] \[ x = A / 6 \]": ["definition", "proved"],
    # several at once
    r"\[ f = \begin{cases} A & N > 1 \\ B & \text{otherwise} \end{cases} \]": ["unreadable"] * 2,
    r"\[ a = \frac{\beta}{\alpha + \beta} \quad\text{and}\quad b = \frac{\alpha}{\alpha + \beta} \]": [
        "proved",
        "proved",
    ],
    r"\[ C = 6 N D \implies D = \frac{C}{6 N} \]": ["proved", "proved"],
    r"\[ N^* = G (C/6)^a \quad\text{where}\quad a = \frac{\beta}{\alpha + \beta} \]": [
        "proved",
        "proved",
    ],
}


@pytest.mark.parametrize("body", DOCUMENTS)
def test_documents(body) -> None:
    assert answers(body) == DOCUMENTS[body]


def test_let_takes_a_name_back() -> None:
    body = r"\[ R_{opt} = \frac{D^*}{N^*} \]"
    (entry,) = decided(body)
    assert "--let" in entry.reason
    renamed = entry.reason.partition("--let '")[2].rstrip("'")
    assert answers(body, let=[renamed]) == ["proved"]
    assert answers(body, let=["R_opt := D*/N*"]) == ["proved"]


def test_numbers_and_labels() -> None:
    body = r"""
\begin{equation} A = A \label{one} \end{equation}
\begin{align} A &= A \nonumber \\ B &= B \label{two} \\ C &= C \tag{x} \end{align}
\begin{align*} A &= A \end{align*}
\begin{subequations} \begin{align} A &= A \\ B &= B \end{align} \end{subequations}
\[ A = A \]
\begin{equation} \begin{split} A &= A \\ &= A \end{split} \end{equation}
"""
    found = [(e.number, e.label) for e in decided(body)]
    assert found == [
        ("1", "one"),
        (None, None),
        ("2", "two"),
        ("x", None),
        (None, None),
        ("3a", None),
        ("3b", None),
        (None, None),
        ("4", None),
        ("4", None),
    ]


def test_letters_of_a_proof_end_with_it() -> None:
    body = r"""
\newtheorem{thm}{Theorem}
\begin{thm} Let $x = A$. \[ x = A \] \end{thm} \begin{proof} Put $y = B$. \[ x y = A B \] \end{proof}
\begin{thm} Let $x = B$. \[ x = B \] \end{thm} \begin{proof} \[ x = y \] \end{proof}
\[ N_x = x \]
"""
    assert answers(body) == [
        *("definition", "proved", "definition", "proved"),
        *("definition", "proved", "definition"),
        "definition",
    ]


ONLY_THERE = r"\[ \frac{\alpha}{\alpha + \beta} = \frac{\alpha}{2 \beta} \]"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"\[ z^3 > 0, \quad \text{where $z$ may be negative.} \]", ["undecided"]),
        (r"\[ z < z^2 + 1 \quad \text{for negative $z$} \]", ["proved"]),
        (
            r"\begin{align} a &= \frac{\beta}{\alpha + \beta} \\ \intertext{Let $\alpha = \beta$. Then}"
            r" a &= \frac{1}{2} \end{align}",
            ["proved", "proved"],
        ),
        (r"Let \(z \in [0,1]\). \[ z \ge z^2 \]", ["proved"]),
        ("For all real $z$\n\n\\[ z^3 \\ge 0 \\]", ["refuted"]),
        ("If $\\alpha = \\beta$,\n\n" + ONLY_THERE, ["proved"]),
        ("If $\\alpha = \\beta$, all is well.\n\n" + ONLY_THERE, ["refuted"]),
    ],
)
def test_words_are_read_wherever_they_stand(body, expected) -> None:
    """In a display, between its rows, beside either kind of formula, and before an empty line."""
    assert answers(body) == expected
