"""Published laws against their sources: the text of the paper, the runs, and 50-digit arithmetic."""

import csv
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import mpmath
import numpy as np
import pytest

from isoflop.theory.data.notation import notation
from isoflop.theory.data.published import (
    KRAJEWSKI_RUNS,
    compute_counterparts,
    names,
    published,
)

MP = mpmath.mp.clone()
MP.dps = 50
ROUNDING = MP.mpf(10) ** -35  # relative: one unit of the last stored digit at most


@pytest.mark.parametrize("name", names("params-tokens"))
def test_printed_letters_convert_to_the_canonical_digits(name: str) -> None:
    """Where the source prints E, A, B themselves, its notation translates print into coefficients."""
    law = published(name)
    if set(law.printed) <= {"E", "A", "B", "alpha", "beta"} and law.printed:
        given = {role: digits for role, digits in law.coefficients.items() if digits is not None}
        assert notation(law.notation).to_canonical(law.printed) == given


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Hoffmann2022", "'Hoffmann2022': is no .*did you mean hoffmann2022"),
        ("arc-e", "krajewski2025-arc-e or krajewski2025-arc-e-compute"),
        (None, "law=None: is no published law"),
    ],
)
def test_refusals(name: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        published(name)


# Logarithms and rounding


@pytest.mark.parametrize("name", ["hoffmann2022", "muennighoff2023"])
def test_coefficients_are_the_exponentials_of_the_printed_logarithms(name: str) -> None:
    law = published(name)
    logarithms = {key.removeprefix("log ").upper(): digits for key, digits in law.printed.items()}
    for role in ("E", "A", "B"):
        digits = law.coefficients[role]
        assert digits is not None
        exact = MP.exp(MP.mpf(logarithms[role]))
        assert abs(MP.mpf(digits) - exact) <= exact * ROUNDING
    assert law.coefficients["beta"] == law.printed["alpha"]
    assert law.coefficients["gamma"] == law.printed["beta"]


def test_rounded_chinchilla_is_the_rounding_of_its_source() -> None:
    exact = published("hoffmann2022").coefficients
    for role, printed in published("hoffmann2022-rounded").coefficients.items():
        digits = Decimal(exact[role] or "nan")
        assert digits.quantize(Decimal(printed or "nan")) == Decimal(printed or "nan")


# Besiroglu et al.: the runs decide which fit the digits are


Logs = tuple[np.ndarray, np.ndarray, np.ndarray]


@pytest.fixture(scope="module")
def chinchilla(public_runs: Path) -> Logs:
    """Log params, log tokens and log loss of the 240 runs."""
    with (public_runs / "chinchilla" / "svg_extracted_data.csv").open(newline="") as file:
        rows = [
            (float(row["Model Size"]), float(row["Training FLOP"]), float(row["loss"]))
            for row in csv.DictReader(file)
        ]
    params, compute, loss = np.array(rows).T
    keep = loss < np.sort(loss)[-5]
    assert keep.sum() == 240
    return np.log(params[keep]), np.log(compute[keep] / (6 * params[keep])), np.log(loss[keep])


def huber(residuals: np.ndarray) -> float:
    size, delta = np.abs(residuals), 1e-3
    return float(np.where(size <= delta, size**2 / 2, delta * (size - delta / 2)).sum())


def absolute(residuals: np.ndarray) -> float:
    return float(np.abs(residuals).mean())


# The minima of an independent fit of the same runs. The slack is what rounding to the stored digits
# costs: second order for the smooth loss, first order for the absolute one, nothing for the digits
# as printed.
@pytest.mark.parametrize(
    ("name", "score", "expected", "slack"),
    [
        ("besiroglu2024-huber", huber, 0.001018274018, 5e-6),
        ("besiroglu2024-lad", absolute, 0.0047062277, 2e-4),
        ("besiroglu2024", huber, 0.0010228428, 1e-6),
    ],
)
def test_scores_on_the_runs(
    name: str,
    score: Callable[[np.ndarray], float],
    expected: float,
    slack: float,
    chinchilla: Logs,
) -> None:
    log_params, log_tokens, log_loss = chinchilla
    digits = published(name).coefficients.values()
    E, A, B, beta, gamma = (float(x or "nan") for x in digits)
    predicted = E + A * np.exp(-beta * log_params) + B * np.exp(-gamma * log_tokens)
    assert score(np.log(predicted) - log_loss) == pytest.approx(expected, rel=slack)


def test_a_compute_law_is_decoded_from_its_row_of_table_11() -> None:
    """The columns hold exp(-alpha) and ln C0 (see the errata)."""
    for _, law in compute_counterparts():
        for exact, digits in (
            (-MP.log(MP.mpf(law.printed["A"])), law.coefficients["alpha"]),
            (MP.exp(MP.mpf(law.printed["alpha"])), law.coefficients["C0"]),
        ):
            assert abs(MP.mpf(digits) - exact) <= exact * ROUNDING


def test_runs_on_the_ray(public_runs: Path) -> None:
    """Range of budgets of the listed runs whose actual D/N, from N = C/(6D), is near the nominal
    20.
    """
    with (public_runs / "apple-downstream" / "tables_7_8_9.csv").open(newline="") as file:
        rows = [(Decimal(r["flops"]), Decimal(r["tokens_B"]) * 10**9) for r in csv.DictReader(file)]
    ratios = [(compute, 6 * tokens**2 / compute) for compute, tokens in rows]
    budgets, near = zip(*(pair for pair in ratios if 14 < pair[1] < 28), strict=True)
    assert (len(near), f"{min(near):.1f}", f"{max(near):.1f}") == (56, "17.8", "22.6")
    known = (KRAJEWSKI_RUNS.compute_lo, KRAJEWSKI_RUNS.compute_hi)
    assert (min(budgets), max(budgets)) == tuple(map(Decimal, known))
    assert (KRAJEWSKI_RUNS.fit_lo, KRAJEWSKI_RUNS.fit_hi) == ("3e18", "6e21")
