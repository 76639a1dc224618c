"""Law: an immutable value with checked coefficients, two notations, and an envelope that agrees
with the law itself.
"""

import copy
import math
import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric.errors import EXPONENT, LARGEST_EXPONENT, POSITIVE, SMALLEST_EXPONENT
from isoflop.numeric.law import Law, NumericEnvelope, law, laws
from isoflop.theory.data.published import LAWS, names, published

EPS = sys.float_info.epsilon
MINE = Law(E=1.8172, A=482.01, B=2085.43, beta=0.3478, gamma=0.3658, name="mine", source="my runs")
FIELDS: dict[str, Any] = {name: getattr(MINE, name) for name in MINE.__dataclass_fields__}
BARE = Law(beta=0.3478, gamma=0.3658)

# A value


def test_equal_by_value() -> None:
    same = Law(**FIELDS)
    assert same == MINE
    assert hash(same) == hash(MINE)
    assert {same: 1}[MINE] == 1
    for name, other in {
        "E": 1.8,
        "A": 482.0,
        "B": 1.0,
        "beta": 0.3,
        "gamma": 0.3,
        "name": "x",
        "source": "y",
    }.items():
        assert Law(**{**FIELDS, name: other}) != MINE
    assert Law(**{**FIELDS, "E": None}) != Law(**{**FIELDS, "E": 0.0})
    assert MINE != "mine"
    assert MINE.envelope == same.envelope
    assert MINE.envelope != BARE.envelope


def test_integers_and_numpy_numbers_are_floats() -> None:
    numbers: dict[str, Any] = {
        "A": 1,
        "B": np.float64(2),
        "beta": np.float32(0.5),
        "gamma": np.int64(1),
    }
    chosen = Law(**numbers)
    assert chosen == Law(A=1.0, B=2.0, beta=0.5, gamma=1.0)
    assert all(type(getattr(chosen, name)) is float for name in ("A", "B", "beta", "gamma"))


@pytest.mark.parametrize("record", [MINE, BARE, MINE.envelope], ids=["law", "bare", "envelope"])
def test_copies(record: Any) -> None:
    assert copy.copy(record) == record
    assert copy.deepcopy(record) == record
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(record, protocol)) == record


@pytest.mark.parametrize("record", [MINE, MINE.envelope], ids=["law", "envelope"])
def test_immutable(record: Any) -> None:
    for name in (*record.__dataclass_fields__, "anything"):
        with pytest.raises(AttributeError, match=f"cannot assign to field .{name}"):
            setattr(record, name, 1.0)
    with pytest.raises(AttributeError, match="cannot delete"):
        delattr(record, next(iter(record.__dataclass_fields__)))
    with pytest.raises(AttributeError):
        record.exponent = 1.0
    assert Law(**FIELDS) == MINE


# Coefficients


@pytest.mark.parametrize("name", ["A", "B", "beta", "gamma"])
@pytest.mark.parametrize(
    "bad", [0, 0.0, -1.0, math.nan, math.inf, -math.inf, "0.3", b"1", True, 1j, [0.3], 10**400]
)
def test_a_coefficient_outside_its_domain(name: str, bad: Any) -> None:
    domain = EXPONENT if name in ("beta", "gamma") else POSITIVE
    with pytest.raises(ValueError, match=rf"^{name}=.*: must be {re.escape(domain)}"):
        Law(**{**FIELDS, name: bad})


@pytest.mark.parametrize("name", ["beta", "gamma"])
def test_exponents_stay_where_their_products_are_floats(name: str) -> None:
    for value in (SMALLEST_EXPONENT, LARGEST_EXPONENT):
        assert getattr(Law(**{**FIELDS, name: value}), name) == value
    for value in (
        math.nextafter(SMALLEST_EXPONENT, 0.0),
        math.nextafter(LARGEST_EXPONENT, math.inf),
        5e-324,
    ):
        with pytest.raises(ValueError, match=rf"^{name}=.*: must be {re.escape(EXPONENT)}$"):
            Law(**{**FIELDS, name: value})


@pytest.mark.parametrize("bad", [-1e-300, math.nan, math.inf, "0", False])
def test_an_irreducible_loss_outside_its_domain(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"^E=.*: must be a finite number of at least 0"):
        Law(**{**FIELDS, "E": bad})
    assert Law(**{**FIELDS, "E": 0}).E == 0.0


@pytest.mark.parametrize("name", ["beta", "gamma"])
def test_an_exponent_is_needed(name: str) -> None:
    with pytest.raises(TypeError, match=name):
        Law(**{key: value for key, value in FIELDS.items() if key != name})
    with pytest.raises(ValueError, match=f"^{name}=None"):
        Law(**{**FIELDS, name: None})


def test_arguments_are_named() -> None:
    with pytest.raises(TypeError, match="positional"):
        Law(1.7, 400.0, 400.0, 0.3, 0.3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="alpha"):
        Law(alpha=0.3, beta=0.3)  # type: ignore[call-arg]


# Notation


def test_both_notations() -> None:
    assert Law.from_coefficients(MINE.coefficients(), name="mine", source="my runs") == MINE
    hoffmann = MINE.coefficients("hoffmann")
    assert hoffmann == {"E": 1.8172, "A": 482.01, "B": 2085.43, "alpha": 0.3478, "beta": 0.3658}
    assert (
        Law.from_coefficients(hoffmann, notation="hoffmann", name="mine", source="my runs") == MINE
    )


def test_the_notations_cannot_be_mixed_up() -> None:
    hoffmann = {"A": 482.01, "B": 2085.43, "alpha": 0.3478, "beta": 0.3658}
    with pytest.raises(
        ValueError,
        match="alpha is the params exponent in the hoffmann notation: say notation='hoffmann'",
    ):
        Law.from_coefficients(hoffmann)
    with pytest.raises(
        ValueError, match=r"'gamma' is out of place.*schaeffer notation: say notation='schaeffer'"
    ):
        Law.from_coefficients(MINE.coefficients(), notation="hoffmann")
    with pytest.raises(ValueError, match=r"unknown notation='hofman'.*did you mean hoffmann"):
        Law.from_coefficients(hoffmann, notation="hofman")


def test_what_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match=r"missing A .*, B "):
        Law.from_coefficients({"beta": 0.3, "gamma": 0.4})
    assert Law.from_coefficients({"beta": 0.3, "gamma": 0.4}, partial=True) == Law(
        beta=0.3, gamma=0.4
    )
    with pytest.raises(ValueError, match="missing gamma "):
        Law.from_coefficients({"A": 1.0, "B": 1.0, "beta": 0.3})
    with pytest.raises(
        ValueError, match=r"^missing gamma: a law needs both exponents, beta and gamma$"
    ):
        Law.from_coefficients({"beta": 0.3}, partial=True)
    with pytest.raises(
        ValueError, match=r"^missing alpha: a law needs both exponents, alpha and beta$"
    ):
        Law.from_coefficients({"beta": 0.3, "alpha": None}, notation="hoffmann", partial=True)


# Printing


def test_printing() -> None:
    assert (
        repr(MINE) == "Law(E=1.8172, A=482.01, B=2085.43, beta=0.3478, gamma=0.3658, name='mine')"
    )
    assert repr(BARE) == "Law(beta=0.3478, gamma=0.3658, name='custom')"
    assert str(MINE) == "L = 1.8172 + 482.01 N^-0.3478 + 2085.43 D^-0.3658  (mine)"
    assert str(BARE) == "L = E + A N^-0.3478 + B D^-0.3658  (custom)"
    assert repr(MINE.envelope) == f"{MINE!r}.envelope"


def test_the_printed_form_is_an_expression() -> None:
    assert eval(repr(MINE), {"Law": Law}) == Law(**{**FIELDS, "source": ""})


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
        (MINE, r"$\displaystyle L = 1.8172 + 482.01\,N^{-0.3478} + 2085.43\,D^{-0.3658}$"),
        (BARE, r"$\displaystyle L = E + A\,N^{-0.3478} + B\,D^{-0.3658}$"),
        (
            Law(E=0, A=1.5e12, B=2e-7, beta=1, gamma=2),
            r"$\displaystyle L = 0 + 1.5 \times 10^{12}\,N^{-1} + 2 \times 10^{-7}\,D^{-2}$",
        ),
    ],
)
def test_latex(chosen: Law, text: str) -> None:
    assert chosen._repr_latex_() == text


# The law and its envelope


def test_the_loss_by_hand() -> None:
    simple = Law(E=2.0, A=8.0, B=27.0, beta=0.5, gamma=1.0)
    assert simple.loss(4.0, 9.0) == 2.0 + 4.0 + 3.0
    assert simple.reducible_loss(4.0, 9.0) == 7.0
    assert simple.compute(4.0, 9.0) == 216.0
    np.testing.assert_array_equal(simple.loss(np.array([4.0, 16.0]), 9.0), [9.0, 7.0])
    np.testing.assert_array_equal(
        simple.loss([[4.0], [16.0]], [9.0, 27.0]), [[9.0, 7.0], [7.0, 5.0]]
    )


@given(compute=st.floats(1e10, 1e30), beta=st.floats(0.05, 2.0), gamma=st.floats(0.05, 2.0))
def test_the_envelope_is_on_the_law(compute: float, beta: float, gamma: float) -> None:
    """At N*, D* the law has the loss of the envelope, the budget is spent, the shares are those of
    the terms.
    """
    chosen = Law(E=1.7, A=400.0, B=2000.0, beta=beta, gamma=gamma)
    envelope = chosen.envelope
    params, tokens = envelope.params(compute), envelope.tokens(compute)
    assert chosen.compute(params, tokens) == pytest.approx(compute, rel=64 * EPS)
    assert envelope.reducible_loss(compute) == pytest.approx(
        chosen.reducible_loss(params, tokens), rel=8 * EPS
    )
    assert envelope.loss(compute) == pytest.approx(chosen.loss(params, tokens), rel=8 * EPS)
    assert envelope.tokens_per_param(compute) == pytest.approx(tokens / params, rel=64 * EPS)
    assert envelope.params_share + envelope.tokens_share == pytest.approx(1, rel=2 * EPS)
    assert chosen.penalty(params=params, tokens=tokens).excess < 1e-28
    for factor in (0.9, 1.1):
        assert chosen.reducible_loss(params * factor, tokens / factor) > envelope.reducible_loss(
            compute
        )


@given(compute=st.floats(1e10, 1e30))
def test_the_compute_law(compute: float) -> None:
    envelope = MINE.envelope
    log_loss = math.log(envelope.coefficient) - envelope.exponent * math.log(compute)
    assert envelope.reducible_loss(compute) == pytest.approx(math.exp(log_loss), rel=1e-13)
    step = 1e-4
    slope = math.log(
        envelope.reducible_loss(compute * (1 + step)) / envelope.reducible_loss(compute)
    ) / math.log1p(step)
    assert slope == pytest.approx(-envelope.exponent, rel=1e-10)
    difference = envelope.reducible_loss(compute * (1 - step)) - envelope.reducible_loss(
        compute * (1 + step)
    )
    assert envelope.marginal_loss(compute) == pytest.approx(
        difference / (2 * step * compute), rel=1e-7
    )


def test_arrays_along_the_envelope() -> None:
    budgets = np.array([[1e18, 1e20], [1e22, 1e25]])
    for name in ("params", "tokens", "tokens_per_param", "reducible_loss", "loss", "marginal_loss"):
        function = getattr(MINE.envelope, name)
        found = function(budgets)
        assert found.shape == (2, 2)
        assert found[1, 0] == function(1e22)


def test_what_a_law_without_coefficients_can_do() -> None:
    assert BARE.envelope.exponent == MINE.envelope.exponent
    assert BARE.critical_size_ratio == MINE.critical_size_ratio
    assert BARE.tolerance(0.01) == MINE.tolerance(0.01)
    for needs, function in {
        "A, B=None": lambda: BARE.envelope.params(1e20),
        "E, A, B=None": lambda: BARE.loss(1e9, 1e10),
        "E=None": lambda: Law(A=1.0, B=1.0, beta=0.3, gamma=0.3).envelope.loss(1e20),
    }.items():
        with pytest.raises(
            ValueError, match=f"^{needs}: this needs a value; the law 'custom' has none"
        ):
            function()


@pytest.mark.parametrize("bad", [0.0, -1e20, math.nan, math.inf, "1e20", True, None])
def test_a_compute_outside_its_domain(bad: Any) -> None:
    for name in ("params", "tokens", "loss", "marginal_loss"):
        with pytest.raises(ValueError, match=r"^compute"):
            getattr(MINE.envelope, name)(bad)


# Published laws


@pytest.mark.parametrize("name", names("params-tokens"))
def test_published(name: str) -> None:
    chosen, entry = law(name), published(name)
    assert chosen.name == name
    assert chosen.source == entry.source.citation
    for key, digits in entry.coefficients.items():
        expected = 0.0 if digits is None else float(digits)
        assert getattr(chosen, key) == expected
    assert chosen.envelope.loss(1e21) > chosen.E
    assert isinstance(chosen.envelope, NumericEnvelope)


def test_figures_of_published_laws() -> None:
    besiroglu = law("besiroglu2024").envelope
    assert round(besiroglu.exponent, 6) == 0.178286
    assert round(besiroglu.coefficient, 3) == 2708.498
    assert round(besiroglu.tokens_per_param(5.76e23), 1) == 18.4
    assert round(besiroglu.params(5.76e23) / 1e9, 1) == 72.2


def test_rounding_the_exponents_moves_the_optimum_by_a_quarter() -> None:
    """Hoffmann et al.: the digits of the paper's source against the printed five."""
    entries = [
        entry
        for entry in LAWS.values()
        if entry.family == "hoffmann2022" and entry.kind == "params-tokens"
    ]
    params = sorted(law(entry.name).envelope.params(5.76e23) / 1e9 for entry in entries)
    assert round(params[0], 1) == 32.2
    assert 1.2 < params[-1] / params[0] < 1.3


def test_a_law_of_a_file(tmp_path: Path) -> None:
    MINE.save(tmp_path / "mine.json")
    assert law(tmp_path / "mine.json") == law(str(tmp_path / "mine.json")) == MINE


def test_the_published_laws_as_a_table() -> None:
    assert [row["law"] for row in laws().records()] == list(names())
    for row in laws("params-tokens").records():
        assert law(row["law"]).beta == row["beta"]
    with pytest.raises(ValueError, match=r"^kind='loss': must be one of params-tokens, compute$"):
        laws("loss")


def test_laws_that_there_are_not() -> None:
    with pytest.raises(ValueError, match=r"^law file 'fit\.json': cannot be read"):
        law("fit.json")
    with pytest.raises(ValueError, match=r"^law='besiroglu': .*did you mean"):
        law("besiroglu")
    compute_law = names("compute")[0]
    with pytest.raises(
        ValueError,
        match=f"^law='{compute_law}': is a compute law; a params\\+tokens law is needed$",
    ):
        law(compute_law)


# -- arguments of every kind -------------------------------------------------------------------------


class Labelled(np.ndarray):
    """A class of NumPy's arrays, defined elsewhere."""


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint64, np.float32, np.longdouble, list])
def test_whole_numbers_and_other_floats_are_numbers(kind: Any) -> None:
    values = np.array([1, 10]) * 10**8
    given = values.tolist() if kind is list else values.astype(kind)
    rel = 1e-7 if kind is np.float32 else 1e-15
    expected = [MINE.loss(float(value), 1e10) for value in values]
    assert MINE.loss(given, 1e10) == pytest.approx(expected, rel=rel)
    assert MINE.loss(given[1], 1e10) == pytest.approx(expected[1], rel=rel)
    assert MINE.penalty(ratio=given).excess.shape == MINE.allocate(given).params.shape == (2,)
    assert MINE.allocate(params=given).compute.shape == (2,)


def test_whole_numbers_beyond_those_of_numpy_are_numbers() -> None:
    assert MINE.envelope.params([10**23, 10**24]).tolist() == [
        MINE.envelope.params(1e23),
        MINE.envelope.params(1e24),
    ]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ([1, 0], r"^params\[1\]=0\.0: must be a positive finite number"),
        (np.array([1e9, -1.0]).view(Labelled), r"^params\[1\]=-1\.0: must be"),
        (np.longdouble("1e400"), r"^params=inf: must be"),
        (10**5000, r"^params=a whole number of about 5001 digits: must be"),
        (np.True_, r"^params=np\.True_: must be"),
        ([1e9] * 3, r"^params of shape \(3,\), tokens of shape \(2,\): must have"),
    ],
    ids=["zero", "subclass", "long double", "5001 digits", "boolean", "shapes"],
)
def test_what_is_no_number_of_params_is_refused_by_name(params: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MINE.loss(params, [1e10, 1e11])


def test_no_allocation_has_tables_without_rows() -> None:
    for result in (MINE.penalty(ratio=[]), MINE.penalty(params=[], tokens=[]), MINE.allocate([])):
        assert [len(table) for table in result.tables()] == [0] * len(result.tables())
        assert len(result.to_frame()) == 0


@pytest.mark.parametrize("name", [True, 5, None, ["besiroglu2024"]])
def test_a_law_has_a_name_or_a_path(name: Any) -> None:
    with pytest.raises(ValueError, match=r"^law=.*: must be a name or the path of a law file"):
        law(name)
