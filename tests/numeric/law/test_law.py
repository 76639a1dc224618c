"""A law as a value: checked coefficients, two notations, files, the envelope, intervals."""

import json
import math
import pickle
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isoflop.numeric.errors import LARGEST_EXPONENT, SMALLEST_EXPONENT, ArgumentError
from isoflop.numeric.law import Law, law, laws
from isoflop.numeric.law.file import from_data
from isoflop.numeric.law.form import COMPUTE
from isoflop.theory.data.notation import NOTATIONS
from isoflop.theory.data.published import names, published

FIELDS: dict[str, Any] = {
    **{"E": 1.8172, "A": 482.01, "B": 2085.43, "beta": 0.3478, "gamma": 0.3658},
    **{"name": "mine", "source": "my runs"},
}
MINE, BARE = Law(**FIELDS), Law(beta=0.3478, gamma=0.3658)
POWER = Law(form=COMPUTE, E=1.8, C0=1000.0, alpha=0.15)
NUMBERS = st.floats(min_value=5e-324, allow_nan=False, allow_infinity=False)


def test_equal_by_value_hashable_and_frozen() -> None:
    same = Law(**FIELDS, draws={"beta": [0.3, 0.4]})
    assert (same, hash(same)) == (MINE, hash(MINE))
    assert Law(**{**FIELDS, "beta": 0.3}) != MINE
    for record in (MINE, BARE, POWER):
        assert pickle.loads(pickle.dumps(record)) == record
    with pytest.raises(AttributeError):
        MINE.name = "other"  # type: ignore[misc]
    assert str(BARE) == "L = E + A N^-0.3478 + B D^-0.3658  (custom)"


@pytest.mark.parametrize("name", ["E", "A", "beta"])
def test_a_coefficient_outside_its_domain(name: str) -> None:
    for bad in (-1.0, math.nan, "0.3", True, 10**400):
        with pytest.raises(ValueError, match=rf"^{name}.*: must be"):
            Law(**{**FIELDS, name: bad})


def test_both_notations_which_cannot_be_mixed_up() -> None:
    hoffmann = MINE.coefficients("hoffmann")
    assert hoffmann == {"E": 1.8172, "A": 482.01, "B": 2085.43, "alpha": 0.3478, "beta": 0.3658}
    own: dict[str, Any] = {"name": "mine", "source": "my runs"}
    assert Law.from_coefficients(MINE.coefficients(), **own) == MINE
    assert Law.from_coefficients(hoffmann, notation="hoffmann", **own) == MINE
    for wrong, notation, message in (
        (hoffmann, "schaeffer", "alpha is the params exponent in the hoffmann notation"),
        (MINE.coefficients(), "hoffmann", "'gamma' is out of place"),
        (hoffmann, "hofman", "did you mean hoffmann"),
        ({"beta": 0.3}, "schaeffer", "^missing gamma: the law needs a value$"),
    ):
        with pytest.raises(ValueError, match=message):
            Law.from_coefficients(wrong, notation=notation)


def test_the_loss_by_hand() -> None:
    simple = Law(E=2.0, A=8.0, B=27.0, beta=0.5, gamma=1.0)
    assert simple(4.0, 9.0) == simple.loss(tokens=9.0, params=4.0) == 2.0 + 4.0 + 3.0
    assert (simple.reducible_loss(4.0, 9.0), simple.compute(4.0, 9.0)) == (7.0, 216.0)
    np.testing.assert_array_equal(simple([[4.0], [16.0]], [9.0, 27.0]), [[9.0, 7.0], [7.0, 5.0]])


@settings(max_examples=40)
@given(compute=st.floats(1e10, 1e30), beta=st.floats(0.05, 2.0), gamma=st.floats(0.05, 2.0))
def test_the_envelope_is_on_the_law_and_least(compute: float, beta: float, gamma: float) -> None:
    chosen = Law(E=1.7, A=400.0, B=2000.0, beta=beta, gamma=gamma)
    envelope, N, D = chosen.envelope, chosen.N_opt(compute), chosen.D_opt(compute)
    assert chosen.compute(N, D) == pytest.approx(compute, rel=2e-14)
    assert envelope.reducible_loss(compute) == pytest.approx(chosen.reducible_loss(N, D), rel=2e-15)
    assert envelope.loss(compute) == chosen.L_opt(compute) == pytest.approx(chosen(N, D), rel=2e-15)
    assert envelope.tokens_per_param(compute) == pytest.approx(D / N, rel=2e-14)
    assert envelope.params_share + envelope.tokens_share == pytest.approx(1, rel=1e-15)
    power = envelope.coefficient * compute**-envelope.exponent
    assert envelope.reducible_loss(compute) == pytest.approx(power, rel=1e-13)
    marginal = envelope.exponent * envelope.reducible_loss(compute) / compute
    assert envelope.marginal_loss(compute) == pytest.approx(marginal, rel=1e-13)
    for factor in (0.9, 1.1):
        assert chosen.reducible_loss(N * factor, D / factor) > envelope.reducible_loss(compute)


def test_what_a_law_without_coefficients_can_do() -> None:
    assert BARE.envelope.exponent == MINE.envelope.exponent
    assert BARE.critical_size_ratio == MINE.critical_size_ratio
    assert BARE.tolerance(0.01) == MINE.tolerance(0.01)
    no_limit = Law(A=1.0, B=1.0, beta=0.3, gamma=0.3)
    for needs, function in {
        "A and B": lambda: BARE.envelope.params(1e20),
        "E and A and B": lambda: BARE.loss(1e9, 1e10),
        "E": lambda: no_limit.allocate(loss=2.0),
    }.items():
        with pytest.raises(ValueError, match=f"^law 'custom': has no value of {needs}, which"):
            function()
    assert no_limit.allocate(compute=1e20).loss is None


def test_a_compute_law(tmp_path: Path) -> None:
    assert (POWER.envelope.exponent, POWER.envelope.coefficient) == (0.15, 1000.0)
    for C0, alpha, compute in ((1e3, 0.15, 1e21), (1e80, 1.9, 1e40)):
        chosen = Law(form=COMPUTE, E=1.5, C0=C0, alpha=alpha)
        with mpmath.workdps(50):
            reducible = float(mpmath.mpf(C0) * mpmath.mpf(compute) ** -mpmath.mpf(alpha))
        for of in (chosen.reducible_loss, chosen.envelope.reducible_loss):
            assert of(compute) == pytest.approx(reducible, rel=1e-13)
        assert chosen.L_opt([compute] * 2)[1] == pytest.approx(1.5 + reducible, rel=1e-13)
    assert POWER.coefficients("hoffmann") == {"E": 1.8, "C0": 1000.0, "alpha_C": 0.15}
    POWER.save(tmp_path / "law.json", "hoffmann")
    assert law(tmp_path / "law.json") == POWER
    for ask in (lambda: POWER.allocate(1e21), lambda: POWER.penalty(2.0)):
        with pytest.raises(ArgumentError, match="compute"):
            ask()
    with pytest.raises(ValueError, match="exceeds the largest float"):
        Law(form=COMPUTE, E=1.0, C0=1e300, alpha=10.0)(1e-30)


# -- published laws --------------------------------------------------------------------------------


def test_published_laws_have_the_digits_of_their_source() -> None:
    for name in names("params-tokens"):
        chosen, entry = law(name), published(name)
        assert (chosen.name, chosen.source) == (name, entry.source.citation)
        for key, digits in entry.coefficients.items():
            assert chosen.numbers[key] == float(digits or 0.0)


def test_figures_of_published_laws() -> None:
    besiroglu = law("besiroglu2024").envelope
    assert round(besiroglu.exponent, 6) == 0.178286
    assert round(besiroglu.coefficient, 3) == 2708.498
    assert round(besiroglu.params(5.76e23) / 1e9, 1) == 72.2
    both = [law(name).N_opt(5.76e23) for name in ("chinchilla", "hoffmann2022-rounded")]
    assert [round(x / 1e9, 1) for x in both] == [40.4, 32.2]  # what rounding the exponents does


def test_the_table_of_laws_and_unknown_names() -> None:
    assert {row["law"] for row in laws().records()} == set(names())
    for row in laws("params-tokens").records():
        assert law(row["law"]).beta == row["beta"]
    for name, message in {
        "fit.json": r"^law file 'fit\.json': cannot be read",
        "besiroglu": r"^name='besiroglu': .*did you mean",
        names("compute")[0]: "is a compute law; a params\\+tokens law is needed$",
        5: "^name=5: must be the name of a published law or the path of a law file",
    }.items():
        with pytest.raises(ValueError, match=message):
            law(name)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="kind='loss'"):
        laws("loss")


# -- files -----------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(
    A=st.none() | NUMBERS,
    E=st.none() | st.just(0.0) | NUMBERS,
    beta=st.floats(SMALLEST_EXPONENT, LARGEST_EXPONENT),
    name=st.text(),
    notation=st.sampled_from(sorted(NOTATIONS)),
)
def test_every_law_comes_back_unchanged(notation: str, **fields: Any) -> None:
    written = Law(gamma=0.3, source="Lauf № 3", **fields)
    data = json.loads(json.dumps(written.as_dict(notation)))
    assert (from_data(data), data["notation"]) == (written, notation)


GOOD: dict[str, Any] = {
    "notation": "schaeffer",
    "coefficients": {"E": 1.7, "A": 400.0, "B": 2000.0, "beta": 0.34, "gamma": 0.28},
}
WRONG: tuple[tuple[Any, str], ...] = (
    ([1], "data="),
    ({"coefficients": {}}, "notation: is missing"),
    ({"notation": "schaeffer"}, "coefficients: is missing"),
    ({**GOOD, "notation": "hoffmann"}, "'gamma' is out of place"),
    ({**GOOD, "coefficients": {"beta": "0.3", "gamma": 0.3}}, "beta='0.3': must be"),
    ({**GOOD, "name": 3}, "name: cannot be read as the entry of a law"),
    ({**GOOD, "model": "general", "law": "E+R"}, r"holds a fit of L = E\+R; a fit of"),
    ({**GOOD, "converged": False}, "converged: this fit did not reach an optimum"),
    ({**GOOD, "undetermined": ["A"]}, "undetermined: the runs of this fit leave A open"),
    ({**GOOD, "draws": {"coefficients": {"zeta": [1.0]}}}, "zeta: is not a coefficient"),
    ({**GOOD, "draws": {"coefficients": {"beta": [1], "gamma": []}}}, "draws: must be as many"),
    ({**GOOD, "draws": {"coefficients": {"beta": [math.inf]}}}, "draws: cannot be read"),
    ({**GOOD, "ranges": {"params": [1]}}, "ranges: cannot be read"),
    ({**GOOD, "expression": "E + A/N", "variables": ["N"]}, "budget: is missing"),
    (b"\xff\xfe\x00", "is not a law file in JSON"),
    (b"params,tokens,loss\n1,2,3\n", "is not a law file in JSON$"),
    (b"[" * 900, "data=|is not a law file in JSON"),
)


def test_wrong_files_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "law.json"
    for data, message in WRONG:
        path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        with pytest.raises(ValueError, match=f"^law file '.*law.json': .*{message}") as caught:
            law(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="cannot be read"):
        law(tmp_path)
    with pytest.raises(ValueError, match=r"path='.*': cannot be written"):
        BARE.save(tmp_path / "absent" / "law.json")


# -- intervals -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def drawn() -> Law:
    random = np.random.default_rng(0)
    shaken = {
        name: list(value * np.exp(0.03 * random.standard_normal(100)))
        for name, value in MINE.numbers.items()
    }
    return Law(**FIELDS, draws=shaken)


QUANTITIES: tuple[Any, ...] = (
    lambda law: law.envelope.exponent,
    lambda law: law.penalty(10.0).loss_penalty,
    lambda law: law.penalty(size_ratio=0.2).compute_overhead,
    lambda law: law.penalty(params=8e9, tokens=15e12).lost_compute,
    lambda law: law.allocate(1e24).params,
    lambda law: law.allocate(1e24, max_tokens=2e12).loss,
    lambda law: law.allocate(loss=2.8, max_tokens=2e10).compute,
    lambda law: law.allocate(loss=2.2, tokens_per_param=20.0).params,
)


def test_an_interval_is_that_of_the_single_draws(drawn: Law) -> None:
    assert drawn.draws is not None
    rows = list(zip(*drawn.draws.values(), strict=True))
    for quantity in QUANTITIES:
        single = [quantity(Law(**dict(zip(drawn.draws, row, strict=True)))) for row in rows]
        found, ends = drawn.estimate(quantity), np.quantile(single, [0.05, 0.95])
        expected = quantity(drawn), *ends
        assert (found.value, found.low, found.high) == pytest.approx(expected, rel=1e-13)


def test_intervals_of_results_and_where_there_are_none(drawn: Law, tmp_path: Path) -> None:
    excess = drawn.penalty(size_ratio=1.0).estimate("excess")
    assert (excess.value, excess.low, excess.high) == (0.0, 0.0, 0.0)
    best = drawn.allocate(1e22)
    excess = drawn.penalty(params=best.params, tokens=best.tokens).estimate("excess")
    assert (excess.at_most, excess.low) == (True, 0.0)
    assert "90 % intervals" in str(drawn.penalty(10.0))
    assert "interval" not in str(MINE.penalty(10.0))
    known = Law(**FIELDS, draws=drawn.draws, ranges={"params": (1e8, 1e10)})
    known.save(tmp_path / "law.json", "hoffmann")
    read = law(tmp_path / "law.json")
    assert read.ranges == {"params": (1e8, 1e10)}
    assert read.penalty(10.0).estimate("excess") == drawn.penalty(10.0).estimate("excess")
    assert not MINE.penalty(10.0).estimate("excess").has_interval
    for figure, message in (("regret", "figure='regret': must be one of"), ("excess", "rows")):
        with pytest.raises(ValueError, match=message):
            drawn.penalty(10.0 if figure == "regret" else [1.0, 10.0]).estimate(figure)
    some = Law(**FIELDS, draws={"E": [1.7, 1.8, 1.99], "beta": [0.34, 0.35, 0.36]})
    missing = some.estimate(lambda law: law.allocate(loss=1.95).compute)  # one cannot reach it
    assert (missing.value, missing.has_interval) == (some.allocate(loss=1.95).compute, False)
