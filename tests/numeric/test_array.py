"""Arrays: broadcasting, types, `out`, errors that name the element, overflow; against the scalar functions element by element."""

import inspect
import math
import sys
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from isoflop.numeric import _array
from isoflop.numeric._generated import array, scalar

BETA, GAMMA = 0.3478, 0.3658
COEFFICIENTS = {"A": 482.01, "B": 2085.43, "beta": BETA, "gamma": GAMMA}
EXPONENTS = {"beta": BETA, "gamma": GAMMA}
AGREEMENT = 4e-14  # blocks work in plain float64: a few rounding errors, and more close to the critical size
ROUNDING32 = 2.0**-23
# One function of each kind: in blocks with the plain and with a piecewise kernel, of s and of rho; in double-double.
IN_BLOCKS = ["penalty_at_size_ratio", "excess_at_size_ratio", "compute_overhead_at_size_ratio", "tokens_factor_at_ratio"]
MORE_IN_BLOCKS = ["penalty", "penalty_at_ratio", "excess", "effective_compute_at_size_ratio", "lost_compute_at_size_ratio"]
IN_WIDE = ["optimal_params", "marginal_loss"]
EVERY = [*IN_BLOCKS, *IN_WIDE]


def coefficients(name: str) -> dict[str, float]:
    return COEFFICIENTS if name in IN_WIDE else EXPONENTS


def argument(name: str) -> str:
    if name in IN_WIDE:
        return "compute"
    return "size_ratio" if name.endswith("size_ratio") else "ratio" if name.endswith("ratio") else "log_size_ratio"


def call(name: str, values: Any, **more: Any) -> Any:
    return getattr(array, name)(values, **{**coefficients(name), **more})


def one_by_one(name: str, values: Any, **more: Any) -> Any:
    """The scalar function at every element."""
    function = getattr(scalar, name)
    named = {argument(name): values, **coefficients(name), **more}
    grid = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in named.values()))
    flat = [function(*map(float, row)) for row in zip(*(x.ravel() for x in grid), strict=True)]
    return np.array(flat).reshape(grid[0].shape)


def assert_agree(got: Any, wanted: Any, tolerance: float = AGREEMENT) -> None:
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=0)


SOME = np.geomspace(0.2, 50.0, 12)

# Shapes


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("shape", [(12,), (3, 4), (2, 3, 2), (1, 12), (12, 1)])
def test_shape_is_kept(name: str, shape: tuple[int, ...]) -> None:
    values = SOME.reshape(shape)
    assert_agree(call(name, values), one_by_one(name, values))


@pytest.mark.parametrize("name", EVERY)
def test_coefficients_may_be_arrays_and_broadcast(name: str) -> None:
    beta = np.array([[0.2], [0.35], [1.1]])
    gamma = np.array([0.3, 0.4, 0.5, 0.6]).reshape(1, 4)
    got = call(name, SOME.reshape(1, 3, 4)[:, :1, :], beta=beta, gamma=gamma)
    assert_agree(got, one_by_one(name, SOME.reshape(1, 3, 4)[:, :1, :], beta=beta, gamma=gamma))
    assert got.shape == (1, 3, 4)
    assert_agree(call(name, 2.0, beta=beta), one_by_one(name, 2.0, beta=beta))
    assert_agree(call(name, SOME, beta=np.array(0.5)), one_by_one(name, SOME, beta=0.5))


@pytest.mark.parametrize("name", EVERY)
def test_a_single_value_gives_a_numpy_scalar(name: str) -> None:
    for value in (np.array(2.0), np.float32(2.0), np.int64(2)):
        got = call(name, value)
        assert np.ndim(got) == 0
        assert isinstance(got, np.floating)
        assert_agree(np.asarray(got, dtype=float), one_by_one(name, 2.0), 1e-6)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_empty(name: str, shape: tuple[int, ...]) -> None:
    got = call(name, np.empty(shape))
    assert got.shape == shape
    assert got.dtype == np.float64
    out = np.empty(shape)
    assert call(name, np.empty(shape), out=out) is out
    assert call(name, np.empty((0, 1)), beta=np.array([0.3, 0.4])).shape == (0, 2)


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_shapes_that_do_not_broadcast(name: str) -> None:
    with pytest.raises(ValueError, match=r"ratio \(3,\).*beta \(2,\).*broadcast"):
        call(name, np.ones(3), beta=np.ones(2))


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "every other": lambda x: np.repeat(x, 2)[::2],
    "backwards": lambda x: x[::-1].copy()[::-1],
    "Fortran": lambda x: np.asfortranarray(x.reshape(3, 4)),
    "transposed": lambda x: x.reshape(4, 3).T,
    "column": lambda x: np.stack([x, -x], axis=1)[:, 0],
    "broadcast": lambda x: np.broadcast_to(x, (2, x.size)),
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "not aligned": lambda x: np.frombuffer(b"\0" + x.tobytes(), dtype=np.uint8)[1:].view(x.dtype),
    "read-only": lambda x: np.frombuffer(x.tobytes(), dtype=x.dtype),
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(x.tolist()),
    "nested list": lambda x: x.reshape(3, 4).tolist(),
    "extended precision": lambda x: x.astype(np.longdouble),
}


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout(name: str, layout: str) -> None:
    values = LAYOUTS[layout](SOME)
    got = call(name, values)
    assert got.dtype == np.float64
    assert_agree(got, one_by_one(name, values))


@pytest.mark.parametrize("size", [_array.BLOCK - 1, _array.BLOCK, _array.BLOCK + 1, 2 * _array.BLOCK + 7])
def test_more_than_one_block(size: int) -> None:
    values = np.geomspace(1e-2, 1e2, size)
    some = [0, 1, size // 2, size - 2, size - 1]
    for name in IN_BLOCKS:
        got = call(name, values)
        assert_agree(got[some], one_by_one(name, values[some]))
        assert_agree(call(name, values[::-1])[::-1][some], got[some], 0.0)


# Types


@pytest.mark.parametrize("name", EVERY)
def test_float32_stays_float32(name: str) -> None:
    values = SOME.astype(np.float32)
    got = call(name, values)
    assert got.dtype == np.float32
    assert_agree(got, one_by_one(name, values), ROUNDING32)
    assert call(name, values, beta=np.float32(0.3)).dtype == np.float32
    assert call(name, values, beta=np.array([0.3])).dtype == np.float64


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f2"])
def test_other_numbers_become_float64(name: str, dtype: str) -> None:
    values = np.array([1, 2, 5, 30], dtype=dtype)
    got = call(name, values)
    assert got.dtype == np.float64
    assert_agree(got, one_by_one(name, values))


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
}


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_number_is_refused(name: str, what: str) -> None:
    with pytest.raises(ValueError, match=f"^{argument(name)}: "):
        call(name, REFUSED[what])
    with pytest.raises(ValueError, match=r"^beta: "):
        call(name, SOME, beta=REFUSED[what])


# out


@pytest.mark.parametrize("name", EVERY)
def test_out(name: str) -> None:
    wanted = call(name, SOME)
    out = np.full_like(SOME, np.nan)
    assert call(name, SOME, out=out) is out
    assert_agree(out, wanted, 0.0)

    grid = SOME.reshape(3, 4)
    for out in (np.empty((3, 4), order="F"), np.empty((6, 4))[::2], np.empty((4, 3)).T, np.empty((3, 8))[:, ::-2]):
        assert call(name, grid, out=out) is out
        assert_agree(out, wanted.reshape(3, 4), 0.0)

    single = np.empty(12, np.float32)
    assert call(name, SOME, out=single) is single
    assert_agree(single, wanted, ROUNDING32)
    double = np.empty(12)
    call(name, SOME.astype(np.float32), out=double)
    assert_agree(double, one_by_one(name, SOME.astype(np.float32)))

    scalar_out = np.empty(())
    assert call(name, 2.0, out=scalar_out) is scalar_out
    assert_agree(scalar_out, one_by_one(name, 2.0))


@pytest.mark.parametrize("name", EVERY)
def test_out_may_be_an_argument_or_overlap_one(name: str) -> None:
    wanted = call(name, SOME)
    same = SOME.copy()
    assert_agree(call(name, same, out=same), wanted, 0.0)

    longer = np.concatenate([SOME, [1.0, 1.0]])
    assert_agree(call(name, longer[:12], out=longer[2:]), wanted, 0.0)
    longer = np.concatenate([[1.0, 1.0], SOME])
    assert_agree(call(name, longer[2:], out=longer[:12]), wanted, 0.0)
    turned = SOME.copy()
    assert_agree(call(name, turned, out=turned[::-1]), wanted, 0.0)

    beta = np.linspace(0.2, 0.9, 12)
    wanted = call(name, SOME, beta=beta)
    assert_agree(call(name, SOME, beta=beta, out=beta), wanted, 0.0)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty(11), r"out: has shape \(11,\), must have shape \(12,\)"),
        (np.empty((1, 12)), r"out: has shape \(1, 12\)"),
        (np.empty(12, int), "out: must be a float32 or float64 array, not int64"),
        (np.empty(12, complex), "out: must be a float32 or float64 array, not complex128"),
        ([0.0] * 12, "out: must be a float32 or float64 array, not list"),
        (np.broadcast_to(0.0, (12,)), "out: is read-only"),
    ],
    ids=["short", "another dimension", "integers", "complex", "list", "read-only"],
)
def test_out_that_cannot_hold_the_result(name: str, out: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(name, SOME, out=out)


def test_out_of_the_default_does_not_hold_on_to_anything() -> None:
    first = array.penalty_at_size_ratio(SOME, **EXPONENTS)
    before = first.copy()
    array.penalty_at_size_ratio(SOME * 2, **EXPONENTS)
    assert_agree(first, before, 0.0)


# Errors name the element

BAD = [math.nan, math.inf, -math.inf, 0.0, -1.0, -0.0, -sys.float_info.min]


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("position", [0, 5, 11])
def test_a_value_outside_the_domain_is_named(name: str, bad: float, position: int) -> None:
    values = SOME.copy()
    values[position] = bad
    message = rf"^{argument(name)}\[{position}\]={bad!r}: must be a positive finite number$".replace("+", r"\+")
    with pytest.raises(ValueError, match=message):
        call(name, values)
    with pytest.raises(ValueError, match=rf"^{argument(name)}\[{position // 4}, {position % 4}\]="):
        call(name, values.reshape(3, 4))
    with pytest.raises(ValueError, match=rf"^{argument(name)}\[{position % 4}, {position // 4}\]="):
        call(name, np.asfortranarray(values.reshape(3, 4)).T)
    with pytest.raises(ValueError, match=rf"^beta\[{position}\]={bad!r}: "):
        call(name, SOME, beta=values)
    with pytest.raises(ValueError, match=rf"^{argument(name)}={bad!r}: "):
        call(name, np.array(bad))
    with pytest.raises(ValueError, match=rf"^gamma={bad!r}: "):
        call(name, SOME, gamma=bad)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_logarithm_may_be_negative_but_not_infinite(bad: float) -> None:
    assert np.isfinite(array.excess(np.array([-1.0, 0.0, 1.0]), **EXPONENTS)).all()
    with pytest.raises(ValueError, match=rf"^log_size_ratio\[1\]={bad!r}: must be a finite number$"):
        array.excess(np.array([-1.0, bad]), **EXPONENTS)


@pytest.mark.parametrize("name", [*IN_BLOCKS, "penalty_at_ratio"])
@pytest.mark.parametrize("bad", BAD)
def test_the_position_is_that_in_the_array_and_not_in_the_block(name: str, bad: float) -> None:
    size = 2 * _array.BLOCK + 7
    for position in (_array.BLOCK - 1, _array.BLOCK, size - 1):
        values = np.ones(size)
        values[position] = bad
        with pytest.raises(ValueError, match=rf"^{argument(name)}\[{position}\]={bad!r}: "):
            call(name, values)
        with pytest.raises(ValueError, match=rf"^gamma\[{position}\]={bad!r}: "):
            call(name, np.ones(size), gamma=values)
    grid = np.ones((_array.BLOCK, 3))
    grid[-1, 2] = bad
    with pytest.raises(ValueError, match=rf"^{argument(name)}\[{_array.BLOCK - 1}, 2\]={bad!r}: "):
        call(name, grid)
    with pytest.raises(ValueError, match=rf"^{argument(name)}\[0, 0, 1\]={bad!r}: "):
        call(name, np.array([[[1.0, bad]]]), beta=np.full((_array.BLOCK, 1, 1), 0.3))


# Overflow


def test_an_overflow_that_the_result_does_not_have() -> None:
    """w_D e^(gamma s) may be a float where e^(gamma s) is not, and P^(-1/alpha) where P is not."""
    s, beta, gamma = 711.0, 1e-3, 1.0
    assert s * gamma > math.log(sys.float_info.max)
    values = np.array([0.0, s, 1.0])
    got = array.penalty(values, beta=beta, gamma=gamma)
    assert_agree(got, np.array([scalar.penalty(x, beta, gamma) for x in values]), 1e-13)
    assert math.log(got[1]) == pytest.approx(s + math.log(beta / (beta + gamma)), rel=1e-14)

    s, beta, gamma = 5e5, 1.0, 2e-3
    got = array.effective_compute(np.array([-s]), beta=gamma, gamma=beta)
    assert got[0] == scalar.effective_compute(-s, gamma, beta)


@pytest.mark.parametrize("name", ["effective_compute", "lost_compute"])
def test_a_share_of_an_enormous_penalty_is_not_an_error(name: str) -> None:
    s = np.array([-1e5, -2e3, 0.5, 2e3, 1e5])
    got = getattr(array, name)(s, beta=20.0, gamma=30.0)
    assert_agree(got, np.array([getattr(scalar, name)(x, 20.0, 30.0) for x in s]), 1e-13)
    assert ((got >= 0) & (got <= 1)).all()


@pytest.mark.parametrize("name", ["penalty", "excess", "effective_compute", "lost_compute", "compute_overhead", "tokens_factor"])
def test_few_elements_go_through_the_scalar_function(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One element that overflows on the way sends its next neighbours along, not its block."""
    calls = []
    function = getattr(scalar, name)

    def counted(*arguments: float) -> float:
        calls.append(arguments)
        return function(*arguments)

    monkeypatch.setattr(scalar, name, counted)
    values = np.linspace(-1.0, 2.0, _array.BLOCK)
    values[1234] = 711.0
    got = getattr(array, name)(values, beta=1e-3, gamma=1.0)
    assert len(calls) <= _array.SMALLEST_BLOCK
    assert got[1234] == pytest.approx(function(711.0, 1e-3, 1.0), rel=1e-12)
    assert_agree(got[:3], np.array([function(x, 1e-3, 1.0) for x in values[:3]]))


OVERFLOWS = {
    "penalty": (800.0, 1.0, 1.0),
    "excess": (-800.0, 1.0, 1.0),
    "compute_overhead": (800.0, 1.0, 1.0),
    "penalty_at_size_ratio": (1e300, 1.5, 1.5),
    "excess_at_ratio": (1e-300, 3.0, 3.0),
}


@pytest.mark.parametrize("name", OVERFLOWS)
def test_an_overflow_of_the_result_is_refused(name: str) -> None:
    first, beta, gamma = OVERFLOWS[name]
    with pytest.raises(ValueError, match=rf"^{name}\(.*exceeds the largest float"):
        getattr(scalar, name)(first, beta, gamma)
    with pytest.raises(ValueError, match=rf"^{name}\(.*exceeds the largest float"):
        getattr(array, name)(np.array([1.0, first, 1.0]), beta, gamma)


def test_an_overflow_in_double_double_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^compute: a result exceeds the largest float64"):
        array.compute(np.array([1.0, 1e200]), np.array([1e200, 1e200]))
    with pytest.raises(ValueError, match=r"^params_share: a result exceeds"):
        array.params_share(np.array([1e307]), np.array([1e307]))  # beyond what double-double products hold


@pytest.mark.parametrize("name", ["penalty", "compute"])
def test_float32_holds_less(name: str) -> None:
    """What a float64 holds may be too large for the float32 that was asked for, and 'inf' must mean out of reach."""
    function = getattr(array, name)
    if name == "compute":
        values, more = np.array([1e20, 1e30]), {"tokens": np.float32(1e20)}
    else:
        values, more = np.array([0.0, 200.0]), {"beta": np.float32(1.0), "gamma": np.float32(1.0)}
    assert np.isfinite(function(values, **more)).all()
    with pytest.raises(ValueError, match=f"^{name}: a result exceeds the largest float32, 3.4e"):
        function(values.astype(np.float32), **more)
    with pytest.raises(ValueError, match=f"^{name}: a result exceeds the largest float32"):
        function(values, **more, out=np.empty(2, np.float32))


def test_out_of_reach_is_infinite_in_every_type() -> None:
    for dtype in (np.float32, np.float64):
        for name in ("compute_overhead", "tokens_factor"):
            got = getattr(array, name)(np.array([-3.0, 0.0, -1e6], dtype), beta=1.0, gamma=1.0)
            assert got.dtype == dtype
            assert got[0] == got[2] == math.inf
            assert math.isfinite(got[1])


POLE = mpmath.mp.clone()
POLE.dps = 50


def overhead_exactly(beta: float, gamma: float, r: Any) -> tuple[Any, Any]:
    """k_D r - 1 and k_D with (D/D*)^-gamma w_D = 1 - w_N r^-beta, or two infinities, in 50 digits."""
    b, g = POLE.mpf(beta), POLE.mpf(gamma)
    left = 1 - g / (b + g) * r**-b
    if left <= 0:
        return POLE.inf, POLE.inf
    factor = (left * (b + g) / b) ** (-1 / g)
    return r * factor - 1, factor


@pytest.mark.parametrize("exponents", [(BETA, GAMMA), (0.34, 0.28), (0.1, 0.9), (0.9, 0.1), (2.0, 3.0)])
@pytest.mark.parametrize("name", ["size_ratio", "ratio", "log_size_ratio"])
def test_next_to_the_critical_size_arrays_keep_their_digits(name: str, exponents: tuple[float, float]) -> None:
    """From one unit in the last place above the pole to three times the critical size: the bound that the docstring states."""
    beta, gamma = exponents
    b, g = POLE.mpf(beta), POLE.mpf(gamma)
    critical = (g / (b + g)) ** (1 / b)
    sizes = [critical * (1 + POLE.mpf(10) ** POLE.mpf(power)) for power in np.linspace(-15.9, 0.3, 120).tolist()]
    sizes += [critical * (1 - POLE.mpf(10) ** -power) for power in range(1, 16)]
    into = {"size_ratio": (lambda r: r, lambda x: x), "ratio": (lambda r: r**-2, lambda x: 1 / POLE.sqrt(x))}
    there, back = into.get(name, (POLE.log, POLE.exp))
    values = np.array([float(there(r)) for r in sizes])
    wanted = [overhead_exactly(beta, gamma, back(POLE.mpf(x))) for x in values.tolist()]
    for figure, exact in zip(("compute_overhead", "tokens_factor"), zip(*wanted, strict=True), strict=True):
        function = getattr(array, figure if name == "log_size_ratio" else f"{figure}_at_{name}")
        for got in (function(values, beta, gamma), function(values, np.full(values.shape, beta), np.full(values.shape, gamma))):
            for found, expected in zip(got.tolist(), exact, strict=True):
                if expected == POLE.inf:
                    assert found == math.inf
                else:
                    bound = 8 * sys.float_info.epsilon * (1 + abs(POLE.log(abs(expected))))
                    assert abs(found / expected - 1) <= bound, (found, expected)


@pytest.mark.parametrize("exponent", [2.0**-9, 1e-3, 1e-5])
@pytest.mark.parametrize("name", ["ratio", "size_ratio"])
def test_a_critical_size_beyond_the_floats(name: str, exponent: float) -> None:
    """2^(-1/beta), or its square in ratios, is no float; what the sizes cost is one."""
    values = np.array([1e-100, 1.0, 2.0, 1e100])
    for figure in ("compute_overhead", "tokens_factor"):
        function = f"{figure}_at_{name}"
        got = getattr(array, function)(values, exponent, exponent)
        wanted = one_by_one(function, values, beta=exponent, gamma=exponent)
        bound = 8 * sys.float_info.epsilon * (1 + np.abs(np.log(np.where(wanted > 0, wanted, 1.0))))
        assert (np.abs(got - wanted) <= bound * wanted).all()


@pytest.mark.parametrize("exponents", [(BETA, GAMMA), (0.34, 0.28), (0.1, 0.9), (1e-3, 2.0), (3.0, 1e-2)])
def test_no_figure_leaves_its_range_next_to_the_optimum(exponents: tuple[float, float]) -> None:
    """Weighted AM-GM: P >= 1, excess and overhead >= 0, C_eff/C <= 1; not one rounding below, on no processor."""
    steps = np.concatenate(
        [np.linspace(-1e-6, 1e-6, 20_001), np.geomspace(1e-300, 1.0, 5_000), -np.geomspace(1e-300, 1.0, 5_000)]
    )
    for suffix, values in (("", steps), ("_at_size_ratio", np.exp(steps)), ("_at_ratio", np.exp(steps))):
        figures = {name: getattr(array, name + suffix)(values, *exponents) for name in ("penalty", "excess", "lost_compute")}
        figures |= {name: getattr(array, name + suffix)(values, *exponents) for name in ("effective_compute", "compute_overhead")}
        assert figures["penalty"].min() >= 1.0
        assert np.abs(figures["penalty"] - 1.0 - figures["excess"]).max() <= 4 * sys.float_info.epsilon * figures["penalty"].max()
        for name in ("excess", "lost_compute", "compute_overhead"):
            assert figures[name].min() >= 0.0, name
        assert figures["lost_compute"].max() <= 1.0
        assert figures["effective_compute"].max() <= 1.0


# Nothing leaks


def test_the_error_state_of_numpy_is_left_alone() -> None:
    with np.errstate(all="raise"):
        before = np.geterr()
        for name in EVERY:
            call(name, SOME)
            call(name, np.array([1e-150, 1.0, 1e300]))
        array.effective_compute(np.array([-1e5, 0.0, 1e5]), 20.0, 30.0)
        array.compute_overhead(np.array([-1e5, 0.0, 1.0]), 2.0, 3.0)
        with pytest.raises(ValueError, match="exceeds"):
            array.penalty(np.array([1e5]), 20.0, 30.0)
        assert np.geterr() == before


@given(
    values=arrays_of.arrays(
        np.float64,
        arrays_of.array_shapes(max_dims=3, max_side=4),
        elements=st.floats(1e-6, 1e6),
    ),
    beta=st.floats(0.01, 3.0),
    gamma=st.floats(0.01, 3.0),
    name=st.sampled_from([*MORE_IN_BLOCKS, "penalty_at_size_ratio", "excess_at_size_ratio"]),
)
def test_arrays_agree_with_scalars(values: Any, beta: float, gamma: float, name: str) -> None:
    if name in ("penalty", "excess"):
        values = np.log(values)
    got = getattr(array, name)(values, beta, gamma)
    wanted = one_by_one(name, values, beta=beta, gamma=gamma)
    # 4 eps (1 + |ln x|), as test_accuracy has it
    tolerance = 8 * sys.float_info.epsilon * (1 + np.abs(np.log(np.where(wanted > 0, wanted, 1.0))))
    assert (np.abs(got - wanted) <= tolerance * wanted + sys.float_info.min).all()


EXTREME = st.floats(min_value=5e-324, max_value=sys.float_info.max)


@given(
    name=st.sampled_from(sorted(name for name, function in vars(scalar).items() if hasattr(function, "__wrapped__"))),
    data=st.data(),
)
def test_any_arguments_give_a_number_or_one_error(name: str, data: Any) -> None:
    """Over the whole domain, absurd coefficients included: never a NaN, never another exception, never two answers."""
    arguments = {
        key: data.draw(st.floats(-1e300, 1e300) if key == "log_size_ratio" else EXTREME, label=key)
        for key in inspect.signature(inspect.unwrap(getattr(scalar, name))).parameters
    }
    results: list[float | None] = []
    for module, values in ((scalar, arguments), (array, {key: np.array([x]) for key, x in arguments.items()})):
        try:
            results.append(float(np.ravel(getattr(module, name)(**values))[0]))
        except ValueError:
            results.append(None)
    first, second = results
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert not math.isnan(first)
        assert math.isfinite(first) or name.startswith(("compute_overhead", "tokens_factor"))
