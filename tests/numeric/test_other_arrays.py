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
from isoflop.theory.envelope import derive
from isoflop.theory.kernel import symbols as sym
from isoflop.theory.penalty import misallocation

LAW = Law(E=1.8172, A=482.01, B=2085.43, beta=0.3478, gamma=0.3658)
PARAMS, TOKENS = np.geomspace(1e8, 1e11, 7), 1e11
COMPUTE = np.geomspace(1e18, 1e26, 7)
RATIOS = np.array([0.02, 0.3, 0.999, 1.0, 1.02, 3.0, 20.0])
PENALTIES = ("loss_penalty", "excess", "effective_compute", "lost_compute", "compute_overhead")


def figure(name: str) -> Callable[[Any], Any]:
    return lambda rho: getattr(LAW.penalty(rho), name)


#: Points, and the call of the library at one of them or at an array.
CALLS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    **{name: (RATIOS, figure(name)) for name in (*PENALTIES, "tokens_factor")},
    "loss": (PARAMS, lambda N: LAW.loss(N, TOKENS)),
    "reducible_loss": (PARAMS, lambda N: LAW.reducible_loss(N, TOKENS)),
    "params": (COMPUTE, lambda C: LAW.allocate(C).params),
    "tokens": (COMPUTE, lambda C: LAW.envelope.tokens(C)),
    "optimal_loss": (COMPUTE, lambda C: LAW.allocate(C).loss),
}
ROUNDING = 1e-12


@cache
def expressions() -> dict[str, tuple[Symbol, Expr]]:
    """Each call as an expression of its argument."""
    envelope = derive()
    off, form = misallocation(envelope), envelope.form
    found = {
        "loss": (sym.N, form.loss),
        "reducible_loss": (sym.N, form.reducible),
        "params": (sym.C, envelope.optimum(sym.N)),
        "tokens": (sym.C, envelope.optimum(sym.D)),
        "optimal_loss": (sym.C, envelope.loss),
    }
    share = off.effective_compute
    figures = (off.penalty, off.penalty - 1, share, 1 - share, off.compute_overhead)
    for name, figure in (
        *zip(PENALTIES, figures, strict=True),
        ("tokens_factor", off.tokens_factor),
    ):
        found[name] = sym.RATIO, figure.subs(sym.SIZE_RATIO, sym.RATIO ** Rational(-1, 2))
    return found


@cache
def derivative(name: str) -> Any:
    """By SymPy, in 40 digits: the closed form differentiated and evaluated."""
    x, expression = expressions()[name]
    numbers = {
        symbol: LAW.numbers[str(symbol)]
        for symbol in expression.free_symbols
        if str(symbol) in LAW.numbers
    }
    slope = expression.diff(x).subs({sym.D: TOKENS})
    return np.array([float(slope.evalf(40, subs={**numbers, x: float(p)})) for p in CALLS[name][0]])


@pytest.fixture(scope="module")
def jax() -> Any:
    module = pytest.importorskip("jax")
    module.config.update("jax_enable_x64", True)
    return module


@pytest.mark.parametrize("name", CALLS)
def test_jax(name: str, jax: Any) -> None:
    """Compiled throughout, and step by step, which takes longer, for one figure."""
    points, call = CALLS[name]
    array, wanted = jax.numpy.asarray(points), derivative(name)
    scale = np.abs(wanted).max() * ROUNDING  # at the optimum the derivative is 0
    evaluated, slopes = (
        [jax.jit(call), jax.jit(jax.vmap(call))],
        [jax.jit(jax.vmap(jax.grad(call)))],
    )
    if name == "loss":
        assert isinstance(call(array), jax.Array)
        evaluated += [call, jax.vmap(call)]
        slopes += [jax.vmap(jax.grad(call))]
    for each in evaluated:
        np.testing.assert_allclose(each(array), call(points), rtol=ROUNDING, atol=1e-15)
    for slope in slopes:
        np.testing.assert_allclose(slope(array), wanted, rtol=1e-10, atol=scale)


def test_jax_in_caps_and_in_runs(jax: Any) -> None:
    budgets = jax.numpy.asarray(COMPUTE)

    def spend(compute: Any) -> Any:
        return LAW.allocate(compute, max_tokens=1e12).loss

    np.testing.assert_allclose(jax.jit(spend)(budgets), spend(COMPUTE), rtol=ROUNDING)
    slopes = jax.jit(jax.vmap(jax.grad(spend)))(budgets)
    assert np.isfinite(slopes).all()
    assert (slopes <= 0).all()

    def off(params: Any) -> Any:
        return LAW.penalty(params=params, tokens=TOKENS).excess

    slope = jax.jit(jax.vmap(jax.grad(off)))(jax.numpy.asarray(PARAMS))
    step = 1e-6
    central = (off(PARAMS * (1 + step)) - off(PARAMS * (1 - step))) / (2 * step * PARAMS)
    np.testing.assert_allclose(slope, central, rtol=1e-6)


@pytest.mark.parametrize("name", CALLS)
def test_torch(name: str) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("array_api_compat")
    points, call = CALLS[name]
    tensor = torch.tensor(points, dtype=torch.float64, requires_grad=True)
    found, wanted = call(tensor), derivative(name)
    np.testing.assert_allclose(found.detach().numpy(), call(points), rtol=ROUNDING, atol=1e-15)
    found.sum().backward()
    scale = np.abs(wanted).max() * ROUNDING
    np.testing.assert_allclose(tensor.grad.numpy(), wanted, rtol=1e-10, atol=scale)
