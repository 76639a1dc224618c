"""A copy of a document with the verdicts beside its displays."""

import shutil
import subprocess

import pytest

from isoflop.theory.typeset.annotated import MACRO, annotated
from isoflop.theory.verdicts.paper import equations
from isoflop.theory.verdicts.prove import Settings
from isoflop.theory.verdicts.report import report
from isoflop.theory.verdicts.source import read_source

MAIN = r"""\documentclass[twocolumn]{article}
\usepackage{amsmath,amsthm}
\newcommand{\be}{\begin{equation}} \newcommand{\ee}{\end{equation}}
\newtheorem{thm}{Theorem}
\begin{document}
Text\footnote{A note with \[ a = \frac{\alpha}{\alpha+\beta} \] in it.} and
\be N^* = G (C/6)^a \ee goes on
\include{two}
\begin{figure} \[ a = \frac{\beta}{\alpha+\beta} \]
\caption{Where $b = \alpha/(\alpha+\beta)$ holds.} \end{figure}
\begin{table}\begin{tabular}{l}\parbox{3cm}{\[ b = \frac{\beta}{\alpha+\beta} \]}\end{tabular}\end{table}
\begin{thm} \begin{subequations} \begin{align} a &= \frac{\beta}{\alpha+\beta} \\ b &= \frac{\alpha}{\alpha+\beta}
\end{align} \end{subequations} \end{thm}
\begin{itemize} \item $$ a - b = \frac{\beta - \alpha}{\alpha+\beta} $$ \end{itemize}
\begin{minipage}{5cm} \begin{gather*} a = 1 - b \end{gather*} \end{minipage}
\begin{multline} L(N,D) = E \\ + A N^{-\alpha} + B D^{-\beta} \end{multline}
\begin{proof} \[ C = 6 N D \qedhere \] \end{proof}
Let $R_{opt} := D^*/N^*$ and % a comment
\[ x_{50\%} = \int N & \]
\end{document}
"""
TWO = r"""In the second file
\begin{align} D^* &= G^{-1} (C/6)^b, & b &= \frac{\alpha}{\alpha+\beta} \\ L^* &= E \end{align}
is it.
"""
FILES = {"two.tex": TWO}


def copy() -> str:
    source = read_source(MAIN.replace(" & \\]", " \\]"), "main.tex", read=FILES.__getitem__)
    settings = Settings(notation="hoffmann")
    printed = equations(source, known=settings.words.names)
    return annotated(source, [e for _, es in report(source, printed, settings) for e in es])


def test_the_copy_is_the_document_with_notes() -> None:
    text = copy()
    assert text.index(MACRO) == text.index(r"\begin{document}") - len(MACRO)
    assert r"(1) proved}" in text[text.index(r"\ee\isoflopnote{") :][:200]
    assert r"\[ a = \frac{\alpha}{\alpha+\beta} \] in it" in text  # no note inside a footnote
    without = text.replace(MACRO, "")
    while r"\isoflopnote{" in without:
        start = without.index(r"\isoflopnote{")
        depth, stop = 0, start
        for stop in range(start + len(r"\isoflopnote"), len(without)):
            depth += (without[stop] == "{") - (without[stop] == "}")
            if depth == 0:
                break
        without = without[:start] + without[stop + 1 :]
    assert without == MAIN.replace(" & \\]", " \\]").replace(
        r"\include{two}", rf"\clearpage {TWO}\clearpage "
    )


def test_what_is_wrong_in_a_footnote_joins_a_note() -> None:
    assert r"line 6: \textbf{refuted}" in copy()
    assert r"line 11: \textbf{refuted}" in copy()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_the_copy_compiles(tmp_path) -> None:
    (tmp_path / "copy.tex").write_text(copy(), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "copy.tex"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert result.returncode == 0, result.stdout.decode(errors="replace")[-2000:]
