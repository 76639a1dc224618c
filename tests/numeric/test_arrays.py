"""How formulas are called: numbers, shapes, types, chunks, errors; NumPy against floats, element by
element.
"""

import math
import sys
from collections.abc import Callable
from typing import Any

import mpmath
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
    "penalty",
    "excess",
    "effective_compute",
    "lost_compute",
    "compute_overhead",
    "tokens_factor",
)
SOME = np.linspace(-1.6, 3.9, 12)
AGREEMENT = (
    32 * EPS
)  # NumPy and the C library differ by an ulp each; near the pole that counts several times
ROUNDING32 = 2.0**-23


def call(name: str, values: Any, beta: Any = BETA, gamma: Any = GAMMA) -> Any:
    return getattr(formulas, name)(values, beta, gamma)


def one_by_one(name: str, values: Any, beta: Any = BETA, gamma: Any = GAMMA) -> Any:
    """The formula on floats, at every element."""
    grid = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (values, beta, gamma)))
    flat = [call(name, *map(float, row)) for row in zip(*(x.ravel() for x in grid), strict=True)]
    return np.array(flat).reshape(grid[0].shape)


def assert_agree(got: Any, wanted: Any, tolerance: float = AGREEMENT) -> None:
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=0)


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("shape", [(12,), (3, 4), (2, 3, 2), (1, 12), (12, 1)])
def test_shape_is_kept(name: str, shape: tuple[int, ...]) -> None:
    values = SOME.reshape(shape)
    assert_agree(call(name, values), one_by_one(name, values))


@pytest.mark.parametrize("name", FIGURES)
def test_coefficients_may_be_arrays_and_broadcast(name: str) -> None:
    beta, gamma = np.array([[0.2], [0.35], [1.1]]), np.array([0.3, 0.4, 0.5, 0.6])
    got = call(name, SOME.reshape(3, 4)[:1], beta=beta, gamma=gamma)
    assert got.shape == (3, 4)
    assert_agree(got, one_by_one(name, SOME.reshape(3, 4)[:1], beta=beta, gamma=gamma))
    assert_agree(call(name, 2.0, beta=beta), one_by_one(name, 2.0, beta=beta))


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "every other": lambda x: np.repeat(x, 2)[::2],
    "Fortran": lambda x: np.asfortranarray(x.reshape(3, 4)),
    "transposed": lambda x: x.reshape(4, 3).T,
    "broadcast": lambda x: np.broadcast_to(x, (2, x.size)),
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "list": lambda x: x.tolist(),
    "nested list": lambda x: x.reshape(3, 4).tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout(layout: str) -> None:
    values = LAYOUTS[layout](SOME)
    for name in FIGURES:
        got = call(name, values)
        assert got.dtype == np.float64
        assert_agree(got, one_by_one(name, values))


@pytest.mark.parametrize("size", [CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 7])
def test_more_than_one_chunk(size: int) -> None:
    values = np.linspace(-1.5, 4.0, size)
    some = [0, 1, size // 2, size - 2, size - 1]
    for name in FIGURES:
        got = call(name, values)
        assert_agree(got[some], one_by_one(name, values[some]))
        assert_agree(call(name, values.reshape(1, size, 1)).ravel(), got, 0.0)
    both = LAW.loss(np.full((2, size), 1e9), np.full((2, size), 1e10))
    assert np.unique(both).size == 1


@pytest.mark.parametrize("name", FIGURES)
def test_float32_stays_float32_and_other_numbers_become_float64(name: str) -> None:
    values = SOME.astype(np.float32)
    assert call(name, values).dtype == np.float32
    assert_agree(call(name, values), one_by_one(name, values), ROUNDING32)
    assert call(name, values, beta=np.array([0.3])).dtype == np.float64
    for dtype in ("i1", "u2", "i8", "f2"):
        integers = np.array([1, 2, 3], dtype=dtype)
        assert_agree(call(name, integers), one_by_one(name, integers))


REFUSED = {
    "strings": ["1.0", "2.0"],
    "booleans": np.array([True, False]),
    "complex numbers": np.array([1 + 0j]),
    "objects": np.array([1.0, None], dtype=object),
    "dates": np.array(["2024-01-01"], dtype="M8[D]"),
    "a string": "2.0",
    "bytes": b"2",
    "a boolean": True,
    "None": None,
    "a ragged list": [[1.0], [1.0, 2.0]],
    "a mapping": {"a": 1.0},
    "a masked array": np.ma.masked_invalid([1.0, math.nan]),
    "a NaN": np.array([1.0, math.nan]),
    "an infinity": np.array([1.0, math.inf]),
    "a zero": np.array([1.0, 0.0]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_positive_number_is_refused(what: str) -> None:
    with pytest.raises(ValueError, match=r"^params"):
        positive_values("params", REFUSED[what])
    with pytest.raises(ValueError, match=r"^params"):
        LAW.loss(REFUSED[what], 1e9)


def test_a_result_beyond_the_floats_is_refused() -> None:
    for values in (1e5, np.array([0.0, 1e5])):
        with pytest.raises(
            ValueError, match=r"^penalty\(.*\): the result exceeds the largest float"
        ):
            formulas.penalty(values, 20.0, 30.0)
    with pytest.raises(ValueError, match=r"exceeds the largest float, 3.4e\+38"):
        formulas.penalty(np.array([100.0], np.float32), 1.0, 1.0)
    assert formulas.effective_compute(1e5, 20.0, 30.0) == 0.0
    with pytest.raises(TypeError, match="takes log_size_ratio, beta, gamma"):
        formulas.penalty(1.0, beta=0.3)  # type: ignore[call-arg]


def test_out_of_reach_is_infinite_in_every_type() -> None:
    for dtype in (np.float32, np.float64):
        for name in ("compute_overhead", "tokens_factor"):
            got = call(name, np.array([-3.0, 0.0, -1e6], dtype), beta=1.0, gamma=1.0)
            assert got.dtype == dtype
            assert got[0] == got[2] == math.inf
            assert math.isfinite(got[1])


POLE = mpmath.mp.clone()
POLE.dps = 50


def test_the_error_state_of_numpy_is_left_alone() -> None:
    with np.errstate(all="raise"):
        before = np.geterr()
        for name in FIGURES:
            call(name, SOME)
        formulas.effective_compute(np.array([-1e5, 0.0, 1e5]), 20.0, 30.0)
        formulas.compute_overhead(np.array([-1e5, 0.0, 1.0]), 2.0, 3.0)
        assert np.geterr() == before


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
