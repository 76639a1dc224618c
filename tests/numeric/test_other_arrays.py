"""JAX and PyTorch arrays: the values of NumPy, and derivatives that are those of SymPy, also under
jit and vmap.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from sympy import Expr, Rational, Symbol

from isoflop.numeric.law import Law
from isoflop.theory import symbols as sym
from isoflop.theory.envelope import derive
from isoflop.theory.penalty import misallocation

LAW = Law(E=1.8172, A=482.01, B=2085.43, beta=0.3478, gamma=0.3658)
COEFFICIENTS = dict(LAW.numbers)
PARAMS, TOKENS = np.geomspace(1e8, 1e11, 7), np.geomspace(1e11, 1e12, 7)
COMPUTE = np.geomspace(1e18, 1e26, 7)
RATIOS = np.array([0.02, 0.3, 0.999, 1.0, 1.02, 3.0, 20.0])
FIGURES = (
    "loss_penalty",
    "excess",
    "effective_compute",
    "lost_compute",
    "compute_overhead",
    "tokens_factor",
)
ROUNDING = 1e-12


@cache
def expressions() -> dict[str, tuple[Symbol, Expr]]:
    """Each call as an expression of its first argument."""
    envelope, off = derive(), misallocation()
    form, rho = envelope.form, sym.RATIO
    penalties = {
        "loss_penalty": off.penalty,
        "excess": off.penalty - 1,
        "effective_compute": off.effective_compute,
        "lost_compute": 1 - off.effective_compute,
        "compute_overhead": off.compute_overhead,
        "tokens_factor": off.tokens_factor,
    }
    at_ratio = {
        name: (rho, e.subs(sym.SIZE_RATIO, rho ** Rational(-1, 2))) for name, e in penalties.items()
    }
    return at_ratio | {
        "loss": (sym.N, form.loss),
        "reducible_loss": (sym.N, form.reducible),
        "params": (sym.C, envelope.optimum(sym.N)),
        "tokens": (sym.C, envelope.optimum(sym.D)),
        "optimal_loss": (sym.C, envelope.loss),
    }


def calls() -> dict[str, tuple[Any, Callable[..., Any]]]:
    """Points, and the call of the library at one of them, with the tokens of a run in proportion."""
    return {
        name: (RATIOS, lambda rho, name=name: getattr(LAW.penalty(rho), name)) for name in FIGURES
    } | {
        "loss": (PARAMS, lambda N: LAW.loss(N, 1e11)),
        "reducible_loss": (PARAMS, lambda N: LAW.reducible_loss(N, 1e11)),
        "params": (COMPUTE, lambda C: LAW.allocate(C).params),
        "tokens": (COMPUTE, lambda C: LAW.envelope.tokens(C)),
        "optimal_loss": (COMPUTE, lambda C: LAW.allocate(C).loss),
    }


def derivative(name: str, points: Any) -> Any:
    """By SymPy, in 40 digits: the closed form differentiated and evaluated."""
    x, expression = expressions()[name]
    values = {
        symbol: COEFFICIENTS[str(symbol)]
        for symbol in expression.free_symbols
        if str(symbol) in COEFFICIENTS
    }
    slope = expression.diff(x)
    return np.array(
        [float(slope.evalf(40, subs={**values, x: float(point), sym.D: 1e11})) for point in points]
    )


@pytest.fixture(scope="module")
def jax() -> Any:
    module = pytest.importorskip("jax")
    module.config.update("jax_enable_x64", True)
    return module


@pytest.mark.parametrize("name", calls())
def test_jax(name: str, jax: Any) -> None:
    points, call = calls()[name]
    array, wanted = jax.numpy.asarray(points), derivative(name, points)
    scale = np.abs(wanted).max() * ROUNDING  # at the optimum the derivative is 0
    assert isinstance(call(array), jax.Array)
    np.testing.assert_allclose(call(array), call(points), rtol=ROUNDING, atol=1e-15)
    np.testing.assert_allclose(jax.jit(call)(array), call(points), rtol=ROUNDING, atol=1e-15)
    np.testing.assert_allclose(jax.vmap(call)(array), call(points), rtol=ROUNDING, atol=1e-15)
    for slope in (jax.grad(call), jax.jit(jax.grad(call))):
        np.testing.assert_allclose([slope(x) for x in array], wanted, rtol=1e-10, atol=scale)
    np.testing.assert_allclose(jax.vmap(jax.grad(call))(array), wanted, rtol=1e-10, atol=scale)


def test_jax_in_caps_and_in_runs(jax: Any) -> None:
    budgets = jax.numpy.asarray(COMPUTE)

    def spend(compute: Any) -> Any:
        return LAW.allocate(compute, max_tokens=1e12, max_params=1e11).loss

    np.testing.assert_allclose(jax.jit(spend)(budgets), spend(COMPUTE), rtol=ROUNDING)
    slopes = jax.vmap(jax.grad(spend))(budgets)
    assert np.isfinite(slopes).all()
    assert (slopes <= 0).all()

    def off(params: Any) -> Any:
        return LAW.penalty(params=params, tokens=1e11).excess

    slope = jax.vmap(jax.grad(off))(jax.numpy.asarray(PARAMS))
    step = 1e-6
    central = (off(PARAMS * (1 + step)) - off(PARAMS * (1 - step))) / (2 * step * PARAMS)
    np.testing.assert_allclose(slope, central, rtol=1e-6)


def test_jax_beyond_the_critical_size(jax: Any) -> None:
    """Infinite where no number of tokens suffices; a finite slope on this side of it."""
    sizes = jax.numpy.asarray([0.5, 1.5]) * LAW.critical_size_ratio
    overhead = jax.jit(lambda r: LAW.penalty(size_ratio=r).compute_overhead)(sizes)
    assert overhead[0] == np.inf
    assert np.isfinite(overhead[1])
    assert np.isfinite(jax.grad(lambda r: LAW.penalty(size_ratio=r).compute_overhead)(sizes[1]))


@pytest.mark.parametrize("name", calls())
def test_torch(name: str) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("array_api_compat")
    points, call = calls()[name]
    tensor = torch.tensor(points, dtype=torch.float64, requires_grad=True)
    found = call(tensor)
    np.testing.assert_allclose(found.detach().numpy(), call(points), rtol=ROUNDING, atol=1e-15)
    found.sum().backward()
    wanted = derivative(name, points)
    np.testing.assert_allclose(
        tensor.grad.numpy(), wanted, rtol=1e-10, atol=np.abs(wanted).max() * ROUNDING
    )
