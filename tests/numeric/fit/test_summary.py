"""Fits as text, plain data, frames and LaTeX."""

import json
import re
import subprocess
from dataclasses import replace
from math import exp, isfinite
from shutil import which

import numpy as np
import pytest

from isoflop.numeric.fit import fit
from isoflop.numeric.fit.entries import AT_BOUND, FIXED
from isoflop.numeric.fit.objective import Objective
from isoflop.numeric.law import Law

CLOSE = 1e-3


def grid(noise=0.004, sizes=8, data=8):
    draw = np.random.default_rng(11).standard_normal(sizes * data)
    n, d = (
        axis.ravel()
        for axis in np.meshgrid(np.geomspace(3e7, 1e10, sizes), np.geomspace(3e8, 3e11, data))
    )
    return {
        "params": n,
        "tokens": d,
        "loss": (1.7 + 400 * n**-0.34 + 410 * d**-0.28) * np.exp(noise * draw),
    }


@pytest.fixture(scope="module")
def fitted():
    return fit(grid())


@pytest.fixture(scope="module")
def resampled(fitted):
    return fitted.resampled(150, seed=3)


# -- what is gathered --------------------------------------------------------------------------------------------------


def estimates(summary):
    return {entry.name: entry.estimate for entry in (*summary.coefficients, *summary.derived)}


def test_errors_are_those_of_the_fit(fitted) -> None:
    found = fitted.summary(level=0.8)
    expected = fitted.standard_estimates(0.8) | fitted.derived(level=0.8)
    assert estimates(found) == expected
    assert found.warnings == ()


def test_percentiles_are_those_of_the_draws(resampled) -> None:
    found, draws = estimates(resampled.summary(level=0.8)), resampled.draws
    for name in resampled.names:
        ends = (found[name].low, found[name].high)
        assert found[name].standard_error == pytest.approx(
            np.std(draws.columns[name], ddof=1), rel=1e-12
        )
        assert ends == pytest.approx(np.quantile(draws.columns[name], [0.1, 0.9]), rel=1e-12)
    beta, gamma = draws.columns["beta"], draws.columns["gamma"]
    low, high = np.quantile(beta * gamma / (beta + gamma), [0.1, 0.9])
    assert (found["alpha"].low, found["alpha"].high) == pytest.approx((low, high), rel=1e-12)


def test_the_loss_of_a_compute_law_by_simulation() -> None:
    """The delta method against draws of (E, log C0, alpha) that are so close together that the loss
    is linear in them.
    """
    fitted = fit(grid(), model="compute")
    loss = estimates(fitted.summary(compute=3e21))["loss"]
    centre = [
        fitted.coefficients["E"],
        np.log(fitted.coefficients["C0"]),
        fitted.coefficients["alpha"],
    ]
    draws = np.random.default_rng(2).multivariate_normal(
        centre, fitted.covariance() * CLOSE**2, 200_000
    )
    losses = draws[:, 0] + np.exp(draws[:, 1] - draws[:, 2] * np.log(3e21))
    assert loss.value == pytest.approx(centre[0] + exp(centre[1]) * 3e21 ** -centre[2], rel=1e-12)
    assert loss.standard_error == pytest.approx(losses.std() / CLOSE, rel=0.01)


def test_notes(fitted) -> None:
    found = fit(grid(), fixed={"E": 1.7}, bounds={"beta": (0.4, None)}).summary()
    notes = {figure.name: figure.note for figure in (*found.coefficients, *found.derived)}
    assert (notes["E"], notes["beta"], notes["gamma"], notes["alpha"]) == (
        FIXED,
        AT_BOUND,
        "",
        AT_BOUND,
    )
    assert estimates(found)["alpha"].standard_error is None
    text = str(found)
    assert re.search(r"^E +1\.70000 +- +- +fixed$", text, re.MULTILINE)
    assert re.search(r"^beta +0\.400000 +- +- +at bound$", text, re.MULTILINE)


def test_no_irreducible_loss_is_seen() -> None:
    data = grid()
    data["loss"] = 40 * data["params"] ** -0.12 + 30 * data["tokens"] ** -0.1
    data["loss"] = data["loss"] - 0.05
    found = fit(data)
    assert "E" in found.at_bound
    said = found.summary()
    assert any("these runs do not tell it from 0" in text for text in said.warnings)
    assert not any("show no irreducible loss" in text for text in said.warnings)
    assert said.kind == "none"
    assert not any(entry.estimate.has_interval for entry in said.derived)


def test_one_size_leaves_coefficients_open() -> None:
    data = {name: values[:8].copy() for name, values in grid(0.002).items()}
    data["params"][:] = 1e9
    data["tokens"] = np.geomspace(1e9, 1e12, 8)
    data["loss"] = 2.1 + 900 * data["tokens"] ** -0.3 * np.exp(
        np.random.default_rng(1).normal(0, 0.002, 8)
    )
    found = fit(data).summary()
    assert found.kind == "none"
    assert {name for name, estimate in estimates(found).items() if estimate.undetermined} >= {
        "A",
        "beta",
    }
    assert re.search(r"^A +undetermined +- +-$", str(found), re.MULTILINE)
    assert any("what would tell" in text for text in found.warnings)


def test_what_the_law_has_not_is_refused(fitted) -> None:
    with pytest.raises(ValueError, match=r"ratio=3.0: is for a params-tokens law"):
        fit(grid(), model="compute").summary(ratio=3.0)
    with pytest.raises(
        ValueError, match=r"compute=1e\+22: is for a params-tokens or a compute law"
    ):
        fit(grid(), model="a*N^-b + c").summary(compute=1e22)
    with pytest.raises(ValueError, match=r"level=1\.5"):
        fitted.summary(level=1.5)
    with pytest.raises(ValueError, match=r"compute=-1\.0"):
        fitted.summary(compute=-1.0)


# -- text --------------------------------------------------------------------------------------------------------------


def test_text(fitted, resampled) -> None:
    text = resampled.to_text(compute=1e22, ratio=10)
    assert str(fitted) == fitted.to_text()
    assert max(map(len, text.splitlines())) <= 100
    for part in (
        "L = E + A N^-beta + B D^-gamma",
        "64 from data",
        "reached;",
        "150 resamples of runs, seed 3",
        "penalty at ratio 10",
    ):
        assert part in text
    assert "sandwich" in str(fitted)
    assert "0 within delta" not in text


def test_starts_in_words(fitted) -> None:
    text = " ".join(str(fit(grid(), objective="absolute-log")).split())
    assert (
        "minima that were followed to the end" in text or "the only minimum that was found" in text
    )
    for count in (1, 3):
        others = np.zeros((count - 1, 5))
        sharp = replace(fitted, objective=Objective(name="absolute-log"))
        sharp = replace(
            sharp, solution=replace(fitted.solution, starts=7, agreeing=1, others=others)
        )
        said = (
            "the only minimum that was found"
            if count == 1
            else "the best of 3 minima that were followed to the end"
        )
        assert said in " ".join(str(sharp).split())
    alone = replace(fitted, solution=replace(fitted.solution, starts=1, agreeing=1))
    assert "the scan of exponents shows one basin" in " ".join(str(alone).split())
    assert "start" not in str(fit(grid(), fixed={"beta": 0.34, "gamma": 0.28}))


def test_several_values(fitted, resampled) -> None:
    found = fitted.summary(compute=[1e21, 1e22, 1e21], ratio=(0.5, 10))
    assert (found.compute, found.ratio) == ((1e21, 1e22), (0.5, 10.0))
    names = [figure.name for figure in found.derived]
    assert {"N_star@1e21", "N_star@1e22", "penalty@0.5", "penalty@10"} <= set(names)
    assert len(names) == len(set(names)) == 4 + 2 * 5 + 2
    one = estimates(resampled.summary(compute=1e22))
    both = estimates(resampled.summary(compute=[1e21, 1e22]))
    assert both["D_star@1e22"] == one["D_star"]
    for given in ([], [[1.0]], [1.0, -1.0]):
        with pytest.raises(ValueError, match="compute="):
            fitted.summary(compute=given)


def test_what_is_open_has_no_numbers() -> None:
    """On a ray with two exponents it is not told which term is that of N; alpha and C0 are those of
    both laws.
    """
    n = np.geomspace(1e7, 1e10, 40)
    noise = np.exp(0.0005 * np.random.default_rng(3).standard_normal(40))
    found = fit(
        {
            "params": n,
            "tokens": 20 * n,
            "loss": (1.7 + 400 * n**-0.45 + 310 * (20 * n) ** -0.2) * noise,
        },
        objective="least-squares-log",
    )
    numbers = estimates(found.summary(compute=1e22))
    assert found.undetermined == ("A", "B", "beta", "gamma")
    for name in ("A", "beta", "params_share", "N_star"):
        assert numbers[name].undetermined
        assert not numbers[name].has_interval
    assert np.isnan(numbers["N_star"].value)
    for name in ("E", "alpha", "C0", "L_star", "R_star"):
        assert not numbers[name].undetermined
        assert (numbers[name].standard_error or 0.0) > 0.0


def test_text_escapes_what_no_terminal_should_see(tmp_path) -> None:
    path = tmp_path / "a\x1b[2Jb.csv"
    data = grid()
    rows = zip(*(values.tolist() for values in data.values()), strict=True)
    path.write_text("\n".join(["params,tokens,loss", *(",".join(map(repr, row)) for row in rows)]))
    assert "\x1b" not in str(fit(path))


# -- plain data --------------------------------------------------------------------------------------------------------


def test_plain_data_is_json(fitted, resampled) -> None:
    for found in (fitted, resampled):
        data = found.as_dict(compute=1e22, ratio=10)
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert data["coefficients"] == found.coefficients_as_dict()


def test_no_nan_and_no_infinity() -> None:
    """A prefactor that hardly any run determines has an interval that no float holds."""
    data = grid(0.3, 3, 2)
    found = fit(data, bounds={"beta": (3.0, None)}).as_dict()

    def walk(entry):
        match entry:
            case dict():
                for value in entry.values():
                    walk(value)
            case list():
                for value in entry:
                    walk(value)
            case float():
                assert isfinite(entry)

    walk(found)


def test_saved_fits_are_laws(fitted, tmp_path) -> None:
    path = tmp_path / "mine.json"
    fitted.save(path)
    law = Law.load(path)
    assert (law.name, law.E, law.A, law.B, law.beta, law.gamma) == (
        "mine",
        *fitted.coefficients.values(),
    )
    fit(grid(), irreducible=False).save(path)
    assert Law.load(path).E == 0.0
    fit(grid(), model="compute").save(path)
    with pytest.raises(
        ValueError, match=r"is a fit of L = E \+ C0 C\^-alpha; must be one of E \+ A N\^-beta"
    ):
        Law.load(path)
    with pytest.raises(ValueError, match="cannot be written"):
        fitted.save(tmp_path / "no" / "fit.json")


# -- frames and LaTeX --------------------------------------------------------------------------------------------------


def test_frame(fitted, resampled) -> None:
    pytest.importorskip("pandas")
    frame = resampled.to_frame(ratio=10)
    assert list(frame.columns) == ["kind", "value", "se", "lo", "hi", "note"]
    assert frame.loc["beta", "value"] == fitted.coefficients["beta"]
    assert list(frame.index[frame.kind == "coefficient"]) == list(fitted.coefficients)
    held = fit(grid(), bounds={"beta": (0.4, None)}).to_frame()
    assert np.isnan(held.loc["beta", "se"])
    assert held.loc["beta", "note"] == AT_BOUND


def test_latex(fitted, resampled) -> None:
    pytest.importorskip("sympy")
    text = fitted.to_latex("A fit.", "tab:fit", compute=3e22, ratio=10)
    assert text.startswith("% needs \\usepackage{booktabs}\n\\begin{table}[htbp]")
    for part in (
        r"\caption{A fit.}",
        r"\label{tab:fit}",
        r"$\beta$ & ",
        r"{at $C = 3 \times 10^{22}$ FLOP} \\",
        "\n$N^{*}$ & ",
        r"{at $\rho = 10$} \\",
        r"& loss\,FLOP${}^{\alpha}$ \\",
        r"$n = 64$ runs; Huber's function of the log residuals, sum, $\delta = 0.001$.",
        "Intervals: sandwich covariance.",
    ):
        assert part in text
    rows = [line for line in text.splitlines() if line.startswith("$")]
    assert all(line.count("&") == 4 for line in rows)
    hoffmann = fitted.to_latex(notation="hoffmann")
    assert r"$\alpha_C$ & " in hoffmann
    assert r"FLOP${}^{\alpha_C}$" in hoffmann
    assert "Intervals: percentiles of 150 resamples of runs." in resampled.to_latex()
    held = fit(grid(), fixed={"E": 1.7}, bounds={"beta": (0.4, None)}).to_latex()
    assert r"$E$ & 1.70000 & --- & --- & fixed \\" in held
    assert r"$\beta$ & 0.400000 & --- & --- & at bound \\" in held


@pytest.mark.skipif(which("pdflatex") is None, reason="needs LaTeX")
@pytest.mark.parametrize("options", [{}, {"caption": "A fit.", "label": "tab:fit"}])
def test_latex_fits_the_lines_of_an_article(fitted, tmp_path, options) -> None:
    table = fitted.to_latex(compute=[3e22, 1e25], ratio=[1, 10], **options)
    page = [
        r"\documentclass{article}",
        r"\usepackage{booktabs}",
        r"\begin{document}",
        "Text.",
        "",
        table,
        "",
        r"\end{document}",
    ]
    (tmp_path / "page.tex").write_text("\n".join(page), encoding="utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout
    assert "Overfull" not in done.stdout


def test_a_law_that_cannot_be_derived_is_told_and_the_fit_shown() -> None:
    """A prefactor on its bound 0 leaves no envelope."""
    data = grid(0.001)
    data["loss"] = 1.7 + 410 * data["tokens"] ** -0.28
    found = fit(data, bounds={"A": (None, 1e-300)})
    assert "E" in str(found)
    assert found.as_dict()["coefficients"]["A"]["value"] <= 1e-300
