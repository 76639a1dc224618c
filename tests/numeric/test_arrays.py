"""How formulas are called: numbers, shapes, types, chunks, errors; NumPy against floats, element by
element.
"""

import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isoflop.numeric import formulas
from isoflop.numeric.arrays import CHUNK, positive_values
from isoflop.numeric.law import Law

BETA, GAMMA = 0.3478, 0.3658
EPS = sys.float_info.epsilon
LAW = Law(E=1.8172, A=482.01, B=2085.43, beta=BETA, gamma=GAMMA)
FIGURES = (
    *("penalty", "excess", "effective_compute", "lost_compute", "compute_overhead"),
    "tokens_factor",
)
SOME = np.linspace(-1.6, 3.9, 12)
#: NumPy and the C library differ by an ulp each; near the pole that counts several times.
AGREEMENT = 32 * EPS


def call(name: str, values: Any, beta: Any = BETA, gamma: Any = GAMMA) -> Any:
    return getattr(formulas, name)(values, beta, gamma)


def one_by_one(name: str, *arguments: Any) -> Any:
    """The formula on floats, at every element."""
    grid = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in arguments))
    rows = zip(*(x.ravel() for x in grid), strict=True)
    return np.array([call(name, *map(float, row)) for row in rows]).reshape(grid[0].shape)


BETAS, GAMMAS = np.array([[0.2], [0.35], [1.1]]), np.array([0.3, 0.4, 0.5, 0.6])
#: Arguments of a formula, arrays or not, and the type of the result.
LAYOUTS: dict[str, tuple[Any, ...]] = {
    "as it is": (SOME,),
    "three axes": (SOME.reshape(2, 3, 2),),
    "every other": (np.repeat(SOME, 2)[::2],),
    "Fortran": (np.asfortranarray(SOME.reshape(3, 4)),),
    "broadcast": (np.broadcast_to(SOME, (2, SOME.size)),),
    "other byte order": (SOME.astype(SOME.dtype.newbyteorder()),),
    "nested list": (SOME.reshape(3, 4).tolist(),),
    "coefficients of other shapes": (SOME[:4], BETAS, GAMMAS),
    "an array as a coefficient": (2.0, BETAS, GAMMA),
    **{dtype: (np.array([1, 2, 3], dtype=dtype),) for dtype in ("i1", "u2", "i8", "f4")},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_arrays_have_the_values_of_their_elements(layout: str) -> None:
    values, *coefficients = LAYOUTS[layout]
    beta, gamma = (*coefficients, BETA, GAMMA)[:2] if len(coefficients) < 2 else coefficients
    for name in FIGURES:
        got, wanted = call(name, values, beta, gamma), one_by_one(name, values, beta, gamma)
        assert (got.shape, got.dtype) == (wanted.shape, "f8")
        np.testing.assert_allclose(got, wanted, rtol=AGREEMENT, atol=0)


@pytest.mark.parametrize("size", [CHUNK, CHUNK + 1, 2 * CHUNK + 7])
def test_more_than_one_chunk(size: int) -> None:
    values = np.linspace(-1.5, 4.0, size)
    some = [0, 1, size // 2, size - 2, size - 1]
    for name in FIGURES:
        got, wanted = call(name, values), one_by_one(name, values[some], BETA, GAMMA)
        np.testing.assert_allclose(got[some], wanted, rtol=AGREEMENT, atol=0)
        np.testing.assert_array_equal(call(name, values.reshape(1, size, 1)).ravel(), got)
    both = LAW.loss(np.full((2, size), 1e9), np.full((2, size), 1e10))
    assert np.unique(both).size == 1


REFUSED = (
    *(["1.0", "2.0"], np.array([True, False]), np.array([1 + 0j]), "2.0", b"2", True, None),
    *(np.array([1.0, None], dtype=object), np.array(["2024-01-01"], dtype="M8[D]"), {"a": 1.0}),
    *([[1.0], [1.0, 2.0]], np.ma.masked_invalid([1.0, math.nan])),
    *(np.array([1.0, bad]) for bad in (math.nan, math.inf, 0.0)),
)


def test_what_is_no_positive_number_is_refused() -> None:
    for value in REFUSED:
        with pytest.raises(ValueError, match=r"^params"):
            positive_values("params", value)
        with pytest.raises(ValueError, match=r"^params"):
            LAW.loss(value, 1e9)
    with pytest.raises(
        ValueError, match=r"params of shape \(2,\), tokens of shape \(3,\): must have"
    ):
        LAW.loss([1e9] * 2, [1e9] * 3)
    assert LAW.compute([10**24], 10) == pytest.approx(6e25, rel=1e-15)


def test_a_result_beyond_the_floats_is_refused() -> None:
    for values in (1e5, np.array([0.0, 1e5])):
        with pytest.raises(
            ValueError, match=r"^penalty\(.*\): the result exceeds the largest float"
        ):
            formulas.penalty(values, 20.0, 30.0)
    assert formulas.effective_compute(1e5, 20.0, 30.0) == 0.0
    with pytest.raises(TypeError, match="takes log_size_ratio, beta, gamma"):
        formulas.penalty(1.0, beta=0.3)  # type: ignore[call-arg]


def test_out_of_reach_is_infinite() -> None:
    for name in ("compute_overhead", "tokens_factor"):
        got = call(name, np.array([-3.0, 0.0, -1e6]), beta=1.0, gamma=1.0)
        assert got[0] == got[2] == call(name, -3.0, beta=1.0, gamma=1.0) == math.inf
        assert math.isfinite(got[1])


EXTREME = st.floats(min_value=5e-324, max_value=sys.float_info.max)
EVERY = sorted(name for name, formula in vars(formulas).items() if hasattr(formula, "names"))


@given(name=st.sampled_from(EVERY), data=st.data())
def test_any_arguments_give_a_number_or_one_error(name: str, data: Any) -> None:
    """Over the whole domain, absurd coefficients included: never a NaN, never another exception,
    never two answers.
    """
    formula = getattr(formulas, name)
    arguments = {
        key: data.draw(st.floats(-1e300, 1e300) if key == "log_size_ratio" else EXTREME, label=key)
        for key in formula.names
    }
    results: list[float | None] = []
    for values in (arguments, {key: np.array([x]) for key, x in arguments.items()}):
        try:
            results.append(float(np.ravel(formula(**values))[0]))
        except ValueError:
            results.append(None)
    first, second = results
    assert (first is None) == (second is None)
    if first is not None:
        assert not math.isnan(first)
        assert math.isfinite(first) or name in ("compute_overhead", "tokens_factor")
