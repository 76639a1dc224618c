"""Published laws against their sources: the text of the paper, the runs, and 50-digit arithmetic."""

import csv
import json
import pickle
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy.optimize import least_squares, linprog

from isoflop.theory.data.notation import NOTATIONS, notation
from isoflop.theory.data.published import (
    DERIVED_DIGITS,
    KRAJEWSKI_RUNS,
    LAWS,
    SOURCES,
    PublishedLaw,
    compute_counterparts,
    decode_table_11,
    families,
    names,
    published,
)

MP = mpmath.mp.clone()
MP.dps = 50
ROUNDING = MP.mpf(10) ** (1 - DERIVED_DIGITS)  # relative: one unit of the last stored digit at most

BENCHMARKS = [
    "ARC-E",
    "ARC-C",
    "SciQ",
    "PIQA",
    "HellaSwag",
    "Winogrande",
    "WebQS",
    "TriviaQA",
    "LAMBADA",
    "GSM8K",
    "HumanEval",
    "LBPP",
]


# Catalogue


def test_catalogue() -> None:
    assert list(families()) == [
        "hoffmann2022",
        "besiroglu2024",
        "muennighoff2023",
        "krajewski2025",
        "krajewski2025-compute",
    ]
    assert sum(families().values(), ()) == names() == tuple(LAWS)
    assert sorted(names("compute") + names("params-tokens")) == sorted(names())
    assert set(names("compute")) == set(families()["krajewski2025-compute"])
    assert [law.label for law in LAWS.values() if law.family == "krajewski2025"] == BENCHMARKS


@pytest.mark.parametrize("name", names())
def test_every_entry_is_whole(name: str) -> None:
    law = published(name)
    assert law.name == name
    assert law.notation in NOTATIONS
    assert law.budget == "6*N*D"
    assert law.verified
    assert law.note
    assert law.locus
    assert all(source is SOURCES[source.key] for source in law.sources)
    kind = {"params-tokens": ["E", "A", "B", "beta", "gamma"], "compute": ["E", "C0", "alpha"]}
    assert list(law.coefficients) == kind[law.kind]
    for role, digits in law.coefficients.items():
        assert digits is None if digits is None else isinstance(digits, str)
        assert digits is not None or role == "E"
        assert digits is None or Decimal(digits) > 0
    json.dumps(law.as_dict(), allow_nan=False)


@pytest.mark.parametrize("name", names("params-tokens"))
def test_printed_letters_convert_to_the_canonical_digits(name: str) -> None:
    """Where the source prints E, A, B themselves, its notation translates print into coefficients."""
    law = published(name)
    if set(law.printed) <= {"E", "A", "B", "alpha", "beta"} and law.printed:
        given = {role: digits for role, digits in law.coefficients.items() if digits is not None}
        assert notation(law.notation).to_canonical(law.printed) == given


@pytest.mark.parametrize(
    ("bad", "suggestion"),
    [
        ("besiroglu", "besiroglu2024"),
        ("Hoffmann2022", "did you mean hoffmann2022"),
        ("arc-e", "krajewski2025-arc-e or krajewski2025-arc-e-compute"),
        ("no such law", ""),
        ("", ""),
        (None, ""),
        (3, ""),
        (["besiroglu2024"], ""),
    ],
)
def test_unknown_law(bad: object, suggestion: str) -> None:
    with pytest.raises(ValueError, match="`isoflop laws` lists") as error:
        published(bad)  # type: ignore[arg-type]
    assert f"law={bad!r}: is no published law" in str(error.value)
    assert suggestion in str(error.value)


def test_unknown_kind() -> None:
    with pytest.raises(ValueError, match=r"kind='computed'.*did you mean compute"):
        names("computed")


def test_laws_are_values() -> None:
    law = published("besiroglu2024")
    assert pickle.loads(pickle.dumps(law)) == law
    assert hash(pickle.loads(pickle.dumps(law))) == hash(law)
    assert len({*LAWS.values(), pickle.loads(pickle.dumps(law))}) == len(LAWS)
    with pytest.raises(AttributeError, match="cannot assign"):
        law.name = "mine"  # type: ignore[misc]
    law.coefficients["A"] = "1"
    law.printed["A"] = "1"
    assert law.coefficients["A"] == "482.01"
    assert repr(law) == "published('besiroglu2024')"


@pytest.mark.parametrize("key", SOURCES)
def test_bibtex(key: str) -> None:
    source = SOURCES[key]
    entry = source.bibtex()
    assert entry.startswith(f"@misc{{{key},")
    assert entry.count("{") == entry.count("}")
    assert re.fullmatch(r"\d{4}\.\d{5}", source.eprint)
    assert f"eprint = {{{source.eprint}}}" in entry
    assert f"{{{{{source.title}}}}}" in entry
    assert entry.count(" and ") == len(source.authors) - 1
    # arXiv identifiers begin with year and month
    assert source.eprint[:2] == source.year[2:]


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
    """Each printed number is that of the source, rounded to the digits printed."""
    exact, rounded = (
        published("hoffmann2022").coefficients,
        published("hoffmann2022-rounded").coefficients,
    )
    for role, printed in rounded.items():
        digits = exact[role]
        assert printed is not None
        assert digits is not None
        assert Decimal(digits).quantize(Decimal(printed)) == Decimal(printed)


def optimum(law: PublishedLaw, compute: str) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Params and tokens of least loss on 6 N D = compute, from a root of dL/d(ln N) found
    numerically.
    """
    A, B, beta, gamma = (MP.mpf(law.coefficients[role]) for role in ("A", "B", "beta", "gamma"))
    product = MP.mpf(compute) / 6

    def loss(log_params: mpmath.mpf) -> mpmath.mpf:
        params = MP.exp(log_params)
        return A / params**beta + B / (product / params) ** gamma

    log_params = MP.findroot(
        lambda x: MP.diff(loss, x), (MP.log(10**6), MP.log(10**14)), solver="anderson", tol=1e-60
    )
    assert loss(log_params) < min(loss(log_params - 0.01), loss(log_params + 0.01))
    return MP.exp(log_params), product / MP.exp(log_params)


@pytest.mark.parametrize(
    ("name", "billions", "tokens_per_param"),
    [
        ("hoffmann2022", "40.4", "58.9"),
        ("hoffmann2022-rounded", "32.2", "92.6"),
        ("besiroglu2024", "72.2", "18.4"),
    ],
)
def test_what_rounding_does_to_the_optimum(name: str, billions: str, tokens_per_param: str) -> None:
    params, tokens = optimum(published(name), "5.76e23")
    assert f"{float(params / 10**9):.1f}" == billions
    assert f"{float(tokens / params):.1f}" == tokens_per_param
    if name.startswith("hoffmann2022"):
        assert billions in published("hoffmann2022-rounded").note
        assert tokens_per_param in published("hoffmann2022-rounded").note


# Besiroglu et al.: the runs decide which fit the digits are


@pytest.fixture(scope="module")
def chinchilla(public_runs: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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


def unit(digits: str) -> Decimal:
    """Of the last digit."""
    return Decimal(1).scaleb(int(Decimal(digits).as_tuple().exponent))


def huber(residuals: np.ndarray) -> float:
    size, delta = np.abs(residuals), 1e-3
    return float(np.where(size <= delta, size**2 / 2, delta * (size - delta / 2)).sum())


def residuals(theta: np.ndarray, runs: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
    """Of log loss; theta = (log E, log A, log B, params exponent, tokens exponent)."""
    log_params, log_tokens, log_loss = runs
    terms = [
        np.full_like(log_loss, theta[0]),
        theta[1] - theta[3] * log_params,
        theta[2] - theta[4] * log_tokens,
    ]
    return np.logaddexp.reduce(terms, axis=0) - log_loss


def theta(name: str) -> np.ndarray:
    E, A, B, beta, gamma = (
        float(digits or "nan") for digits in published(name).coefficients.values()
    )
    return np.array([np.log(E), np.log(A), np.log(B), beta, gamma])


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
    chinchilla: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    assert score(residuals(theta(name), chinchilla)) == pytest.approx(expected, rel=slack)


def test_huber_digits_are_the_minimum(
    chinchilla: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """A search from the other refit ends at them, to one unit of the last digit."""
    log_params, log_tokens, log_loss = chinchilla
    centre = np.array([log_params.mean(), log_tokens.mean()])
    centred = (log_params - centre[0], log_tokens - centre[1], log_loss)
    start = theta("besiroglu2024-lad")
    start[1:3] -= start[3:] * centre
    found = least_squares(
        lambda x: residuals(x, centred),
        start,
        loss="huber",
        f_scale=1e-3,
        jac="3-point",
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
    )
    assert found.cost == pytest.approx(0.001018274018, rel=1e-9)
    logarithms = np.r_[found.x[0], found.x[1:3] + found.x[3:] * centre]
    values = [*np.exp(logarithms).tolist(), *found.x[3:].tolist()]
    for value, digits in zip(
        values, published("besiroglu2024-huber").coefficients.values(), strict=True
    ):
        assert digits is not None
        assert abs(Decimal(value) - Decimal(digits)) <= unit(digits)


def test_lad_digits_are_the_minimum(chinchilla: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """Linearised at the digits, the minimum (of a linear programme) is one rounding away."""
    at = theta("besiroglu2024-lad")
    value = residuals(at, chinchilla)
    step = 1e-6
    slope = np.stack(
        [
            (residuals(at + step * unit, chinchilla) - residuals(at - step * unit, chinchilla))
            / (2 * step)
            for unit in np.eye(5)
        ],
        axis=1,
    )
    count = len(value)
    bound = np.eye(count)
    answer = linprog(
        np.r_[np.zeros(5), np.ones(count)],
        A_ub=np.block([[slope, -bound], [-slope, -bound]]),
        b_ub=np.r_[-value, value],
        bounds=[(-0.05, 0.05)] * 5 + [(0, None)] * count,
    )
    assert answer.success
    assert answer.fun / count == pytest.approx(0.0047062277, rel=1e-6)
    assert np.abs(answer.x[:3]).max() < 2e-5  # relative, of E, A, B
    assert np.abs(answer.x[3:5]).max() < 6e-6  # half a unit of the last digit is 5e-6


def test_the_printed_five_mix_the_two_refits() -> None:
    printed = published("besiroglu2024").coefficients
    for refit, roles in {
        "besiroglu2024-lad": ("A", "B", "beta", "gamma"),
        "besiroglu2024-huber": ("E",),
    }.items():
        for role in roles:
            shown, fitted = printed[role], published(refit).coefficients[role]
            assert shown is not None
            assert fitted is not None
            assert abs(Decimal(shown) - Decimal(fitted)) <= unit(shown) / 2
    assert printed["E"] != str(
        Decimal(published("besiroglu2024-lad").coefficients["E"] or 0).quantize(Decimal("1e-4"))
    )
    assert Decimal(published("besiroglu2024-huber").coefficients["A"] or 0) < 478


# Krajewski et al.: the text of the paper


@pytest.fixture(scope="module")
def paper(public_runs: Path) -> str:
    path = public_runs.parent / "papers" / "krajewski2025-downstream-metrics.txt"
    if not path.is_file():
        pytest.skip(f"no text of the paper at {path}")
    return path.read_text()


def table_rows(paper: str, number: int, columns: int) -> dict[str, tuple[str, ...]]:
    """Label -> (metric type, digits ...) of a table whose last ``columns`` columns are numbers."""
    text = paper[paper.index(f"Table {number}: ") : paper.index(f"Table {number + 1}: ")]
    rows = [line.split() for line in text.splitlines()[2:] if line.strip()]
    return {words[0]: ("_".join(words[1:-columns]), *words[-columns:]) for words in rows}


def test_table_12_as_printed(paper: str) -> None:
    rows = table_rows(paper, 12, 5)
    assert list(rows) == BENCHMARKS
    for law, _ in compute_counterparts():
        assert law.label is not None
        metric_type, A, alpha, B, beta, baseline = rows[law.label]
        assert law.coefficients == {"E": None, "A": A, "B": B, "beta": alpha, "gamma": beta}
        assert law.printed == {"A": A, "alpha": alpha, "B": B, "beta": beta}
        assert (law.metric_type, law.random_baseline) == (metric_type, baseline)


def test_table_11_as_printed(paper: str) -> None:
    rows = table_rows(paper, 11, 3)
    assert list(rows) == BENCHMARKS
    for _, law in compute_counterparts():
        assert law.label is not None
        metric_type, column_A, column_alpha, baseline = rows[law.label]
        assert law.printed == {"A": column_A, "alpha": column_alpha}
        assert (law.metric_type, law.random_baseline) == (metric_type, baseline)


def test_rows_are_paired_by_label() -> None:
    pairs = compute_counterparts()
    assert [law.label for law, _ in pairs] == BENCHMARKS
    for law, partner in pairs:
        assert (law.kind, partner.kind) == ("params-tokens", "compute")
        assert partner.name == f"{law.name}-compute"
        assert (partner.label, partner.random_baseline) == (law.label, law.random_baseline)
        assert (partner.metric, partner.metric_type) == (law.metric, law.metric_type)


# alpha and ln A by an independent reading of the table: exponent and intercept of log(-log Q')
# against ln C.
DECODED = {
    "ARC-E": ("0.1839", "8.495"),
    "ARC-C": ("0.1863", "9.482"),
    "SciQ": ("0.2658", "11.136"),
    "PIQA": ("0.1541", "7.131"),
    "HellaSwag": ("0.2871", "13.395"),
    "Winogrande": ("0.2256", "11.258"),
    "WebQS": ("0.1292", "6.986"),
    "TriviaQA": ("0.2067", "10.404"),
    "LAMBADA": ("0.1821", "7.993"),
    "GSM8K": ("0.3727", "18.628"),
    "HumanEval": ("0.1752", "8.960"),
    "LBPP": ("0.1382", "7.890"),
}


@pytest.mark.parametrize("label", BENCHMARKS)
def test_decoded_table_11(label: str) -> None:
    law = published(f"krajewski2025-{label.lower()}-compute")
    alpha, log_coefficient = DECODED[label]
    assert abs(Decimal(law.coefficients["alpha"] or 0) - Decimal(alpha)) <= Decimal("5e-5")
    assert abs(Decimal(law.log_C0) - Decimal(log_coefficient)) <= Decimal("5e-4")
    for exact, digits in (
        (-MP.log(MP.mpf(law.printed["A"])), law.coefficients["alpha"]),
        (MP.exp(MP.mpf(law.printed["alpha"])), law.coefficients["C0"]),
    ):
        assert abs(MP.mpf(digits) - exact) <= exact * ROUNDING


def test_read_as_printed_table_11_predicts_perfect_accuracy() -> None:
    """The reason to decode: A/C^alpha with the columns as headed is nothing, decoded it is of order
    one.
    """
    for law, partner in compute_counterparts():
        for compute in (KRAJEWSKI_RUNS.compute_lo, KRAJEWSKI_RUNS.compute_hi):
            C = MP.mpf(compute)
            as_headed = MP.mpf(partner.printed["A"]) / C ** MP.mpf(partner.printed["alpha"])
            assert as_headed < MP.mpf(10) ** -100
            decoded = MP.mpf(partner.coefficients["C0"]) / C ** MP.mpf(
                partner.coefficients["alpha"]
            )
            params = MP.sqrt(C / (6 * MP.mpf(KRAJEWSKI_RUNS.tokens_per_param)))
            A, B, beta, gamma = (
                MP.mpf(law.coefficients[role]) for role in ("A", "B", "beta", "gamma")
            )
            from_table_12 = A / params**beta + B / (20 * params) ** gamma
            # In log units of -log Q'; the two tables are separate fits to overlapping runs.
            assert abs(MP.log(decoded / from_table_12)) < 1


@pytest.mark.parametrize(
    ("column_A", "column_alpha", "named"),
    [
        ("1.0", "8", "column_A='1.0'"),
        ("0", "8", "column_A='0'"),
        ("-0.5", "8", "column_A='-0.5'"),
        ("NaN", "8", "column_A='NaN'"),
        ("0.8", "NaN", "column_alpha='NaN'"),
        ("0.8", "Infinity", "column_alpha='Infinity'"),
        ("0.8", "1e30", "column_alpha='1e30'"),
        ("eight", "8", "column_A='eight'"),
        ("0.8", "", "column_alpha=''"),
        (0.8, "8", "column_A=0.8"),
        ("0.8", None, "column_alpha=None"),
    ],
)
def test_decoding_refuses_what_it_cannot_decode(
    column_A: str, column_alpha: str, named: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(named)):
        decode_table_11(column_A, column_alpha)


def test_log_C0_is_of_compute_laws() -> None:
    with pytest.raises(ValueError, match="law='besiroglu2024' is a params-tokens law"):
        _ = published("besiroglu2024").log_C0


def test_runs_on_the_ray(public_runs: Path) -> None:
    """Range of budgets of the listed runs whose actual D/N, from N = C/(6D), is near the nominal
    20.
    """
    with (public_runs / "apple-downstream" / "tables_7_8_9.csv").open(newline="") as file:
        runs = [
            (Decimal(row["flops"]), Decimal(row["tokens_B"]) * 10**9)
            for row in csv.DictReader(file)
        ]
    near = [
        (compute, 6 * tokens**2 / compute)
        for compute, tokens in runs
        if 14 < 6 * tokens**2 / compute < 28
    ]
    budgets, ratios = zip(*near, strict=True)
    assert len(near) == 56
    assert min(budgets) == Decimal(KRAJEWSKI_RUNS.compute_lo)
    assert max(budgets) == Decimal(KRAJEWSKI_RUNS.compute_hi)
    assert (f"{min(ratios):.1f}", f"{max(ratios):.1f}") == ("17.8", "22.6")
    assert Decimal(KRAJEWSKI_RUNS.fit_lo) == 3 * 10**18
    assert Decimal(KRAJEWSKI_RUNS.fit_hi) == 6 * 10**21
