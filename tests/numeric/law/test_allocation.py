"""Allocation with and without caps against brute-force constrained minimisation with 50 digits."""

import itertools
import math
import random
import sys
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from isoflop.numeric.law import Law, law
from isoflop.numeric.law.custom import law_from_expression
from isoflop.numeric.law.result import Result

MP = mpmath.mp.clone()
MP.dps = 50
CASES = 24
DIGITS = 13.5
EPS = sys.float_info.epsilon
GOLDEN = (MP.sqrt(5) - 1) / 2
NARROW = MP.mpf(10) ** -28  # of a minimum that flat, half of the 50 digits are left
FAR = MP.mpf(400)  # e^400 is beyond every case
BESIROGLU = law("besiroglu2024")


def terms(chosen: Law, x: Any, y: Any) -> Any:
    """R at ln N = x, ln D = y."""
    A, B, beta, gamma = (MP.mpf(getattr(chosen, name)) for name in ("A", "B", "beta", "gamma"))
    return A * MP.exp(-beta * x) + B * MP.exp(-gamma * y)


def lowest(function: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Where a convex function is least between low and high, by golden section."""
    a, b = low + (1 - GOLDEN) * (high - low), low + GOLDEN * (high - low)
    at_a, at_b = function(a), function(b)
    while high - low > NARROW * max(1, abs(low), abs(high)):
        if at_a <= at_b:
            high, b, at_b = b, a, at_a
            a = low + (1 - GOLDEN) * (high - low)
            at_a = function(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + GOLDEN * (high - low)
            at_b = function(b)
    return (low + high) / 2


def best_for_compute(chosen: Law, compute: float, x_max: Any = FAR, y_max: Any = FAR) -> Any:
    """ln N and ln D of the least R with 6 N D <= C, up to caps."""
    budget = MP.log(MP.mpf(compute)) - MP.log(6)
    if x_max + y_max <= budget:
        return x_max, y_max
    along = (max(-FAR, budget - y_max), min(FAR, x_max))
    x = lowest(lambda x: terms(chosen, x, budget - x), *along)
    return x, budget - x


def cheapest_for_loss(
    chosen: Law, R: Any, reference: Any, x_max: Any = FAR, y_max: Any = FAR
) -> Any:
    """ln N and ln D of the least 6 N D on the contour of R; None where no allowed run reaches it."""
    contour = reference(1.0, chosen.A, chosen.B, chosen.beta, chosen.gamma)
    x_max = min(x_max, 300)

    def tokens(x: Any) -> Any:
        found = contour.log_tokens_for(R, x)
        return MP.inf if found is None else found

    def cost(x: Any) -> Any:
        y = tokens(x)
        return x + y if y <= y_max else 10**6 - x  # not allowed: falls towards the sizes that are

    if tokens(x_max) > y_max:
        return None
    x = lowest(cost, MP.mpf(-300), x_max)
    y = tokens(x)
    if y > y_max or abs(y - y_max) < NARROW * 10**3:  # the search ends at the data wall
        x, y = contour.log_params_for(R, y_max), y_max
    return x, y


def assert_agrees(got: Result, x: Any, y: Any, wanted: float = DIGITS) -> None:
    N, D = MP.exp(x), MP.exp(y)
    exact = {"params": N, "tokens": D, "tokens_per_param": D / N, "compute": 6 * N * D}
    for name, value in (exact | {"reducible_loss": terms(got.law, x, y)}).items():
        off = abs(float((MP.mpf(getattr(got, name)) - value) / value))
        assert -math.log10(max(off, 1e-17)) >= wanted, name


def random_law(rng: random.Random, E: Any) -> Law:
    A, B = (math.exp(rng.uniform(0.0, math.log(1e6))) for _ in "AB")
    return Law(A=A, B=B, beta=rng.uniform(0.1, 1.5), gamma=rng.uniform(0.1, 1.5), E=E)


def random_caps(rng: random.Random, free: Result, caps: str) -> tuple[dict[str, float], list[Any]]:
    """Around the optimum, so that either side occurs; and their logarithms."""
    found = {
        f"max_{name}": getattr(free, name) * math.exp(rng.uniform(-2.5, 1.5))
        for name in ("params", "tokens")
        if caps in (f"max_{name}", "both")
    }
    return found, [MP.log(found[x]) if x in found else FAR for x in ("max_params", "max_tokens")]


@pytest.mark.parametrize("caps", ["none", "max_params", "max_tokens", "both"])
def test_budget_against_brute_force(caps: str) -> None:
    rng, seen = random.Random(caps), set()
    for _ in range(CASES):
        chosen, compute = random_law(rng, rng.choice([None, 0.0, 1.7])), 10 ** rng.uniform(17, 27)
        limits, logs = random_caps(rng, chosen.allocate(compute), caps)
        got = chosen.allocate(compute, **limits)
        assert_agrees(got, *best_for_compute(chosen, compute, *logs))
        seen.add((got.binding, got.unspent_compute > 0))
        assert got.compute + got.unspent_compute == pytest.approx(compute, rel=4 * EPS)
        assert all(getattr(got, x.removeprefix("max_")) <= limits[x] for x in limits)
        expected = None if chosen.E is None else pytest.approx(chosen.E + got.reducible_loss)
        assert got.loss == expected
    names = {"max_params", "max_tokens"} if caps == "both" else {caps} - {"none"}
    wanted = {("none", False)} | {(name, False) for name in names}
    assert seen == wanted | ({(name, True) for name in names} if caps == "both" else set())


@pytest.mark.parametrize("cap", ["max_params", "max_tokens"])
def test_a_cap_within_ulps_of_the_optimum(cap: str) -> None:
    name = cap.removeprefix("max_")
    for compute, towards in itertools.product((1e18, 5.76e23), (0.0, math.inf)):
        free = BESIROGLU.allocate(compute)
        limit = math.nextafter(getattr(free, name), towards)
        got = BESIROGLU.allocate(compute, **{cap: limit})
        assert getattr(got, name) <= limit
        assert got.binding == ("none" if towards else cap)
        assert got.reducible_loss == pytest.approx(free.reducible_loss, rel=2 * EPS)
        assert (got.compute, got.unspent_compute) == (compute, 0.0)
        same = BESIROGLU.allocate(**{name: getattr(free, name)})
        assert same.compute == pytest.approx(compute, rel=1e-13)


@pytest.mark.parametrize("caps", ["none", "max_params", "max_tokens", "both"])
def test_target_against_brute_force(caps: str, reference: Any) -> None:
    rng, seen = random.Random(caps), set()
    for _ in range(CASES if caps == "both" else CASES // 2):
        chosen = random_law(rng, 0.0)
        free = chosen.allocate(10 ** rng.uniform(17, 27))
        limits, logs = random_caps(rng, free, caps)
        exact = cheapest_for_loss(chosen, MP.mpf(free.loss), reference, *logs)
        if exact is None:
            seen.add("refused")
            with pytest.raises(ValueError, match=r"^loss=.*: must be above .* at max_"):
                chosen.allocate(loss=free.loss, **limits)
            continue
        got = chosen.allocate(loss=free.loss, **limits)
        assert_agrees(got, *exact)
        seen.add(got.binding)
    wanted = {"none", "refused", "max_params", "max_tokens"}
    absent = {"none": wanted - {"none"}, "max_params": {"max_tokens"}, "max_tokens": {"max_params"}}
    assert seen == wanted - absent.get(caps, set())


def test_a_loss_just_above_E_keeps_its_digits(reference: Any) -> None:
    """L - E is exact in floats there, so the compute has all its digits."""
    loss = BESIROGLU.E + 1e-3
    x, y = cheapest_for_loss(BESIROGLU, MP.mpf(loss) - MP.mpf(BESIROGLU.E), reference)
    exact = float(6 * MP.exp(x + y))
    assert BESIROGLU.allocate(loss=loss).compute == pytest.approx(exact, rel=10**-DIGITS)


def test_arrays() -> None:
    budgets = np.array([[1e18, 1e20], [1e22, 1e26]])
    got = BESIROGLU.allocate(budgets, max_tokens=1e12)
    assert got.binding.tolist() == [["none", "none"], ["none", "max_tokens"]]
    for position, budget in np.ndenumerate(budgets):
        single = BESIROGLU.allocate(float(budget), max_tokens=1e12)
        for name, value in single.as_dict().items():
            found = got.as_dict()[name][position]
            assert found == (value if name == "binding" else pytest.approx(value, rel=4 * EPS))
    assert BESIROGLU.allocate(np.array([])).params.shape == (0,)
    assert Law(A=1.0, B=1.0, beta=0.3, gamma=0.3).allocate([1e20]).loss is None
    grid = BESIROGLU.allocate(tokens_per_param=[[20.0], [200.0]], loss=[2.0, 2.2])
    expected = np.array([[2.0, 2.2], [2.0, 2.2]])
    assert BESIROGLU(grid.params, grid.tokens) == pytest.approx(expected, rel=1e-12)


#: 7e9 params on 2e12 tokens.
RUN = {"params": 7e9, "tokens": 2e12, "compute": 8.4e22, "tokens_per_param": 2e12 / 7e9} | {
    "loss": 1.8172 + 482.01 * 7e9**-0.3478 + 2085.43 * 2e12**-0.3658
}
PAIRS = [pair for pair in itertools.combinations(RUN, 2) if pair != ("compute", "loss")]


def test_any_two_give_the_same_run() -> None:
    same = {"E": 1.8172, "A": 482.01, "B": 2085.43, "b": 0.3478, "g": 0.3658}
    own = law_from_expression("E + A*N**-b + B*D**-g", same)
    for pair, chosen in itertools.product(PAIRS, (BESIROGLU, own)):
        given = {name: RUN[name] for name in pair}
        got = chosen.allocate(**given)
        assert (got.params, got.tokens) == pytest.approx((7e9, 2e12), rel=1e-9)
        assert (got.loss, got.binding) == (pytest.approx(RUN["loss"], rel=1e-12), "given")
        expected = chosen.penalty(params=7e9, tokens=2e12).loss_penalty
        assert chosen.penalty(**given).loss_penalty == pytest.approx(expected, rel=1e-9)


def test_a_run_on_a_ray_that_one_term_rules() -> None:
    """Bracketing by the two terms alone fails here: one of them is all of the loss."""
    lopsided = Law(E=0.0, A=1e-3, B=1e9, beta=1.1, gamma=0.1)
    got = lopsided.allocate(tokens_per_param=1e-3, loss=[1e5, 1e8])
    assert lopsided(got.params, got.tokens) == pytest.approx([1e5, 1e8], rel=1e-13)


REFUSED: tuple[tuple[dict[str, Any], str], ...] = (
    ({}, "^nothing given: must be one of compute, loss, "),
    ({"compute": 1e20, "loss": 2.0}, "^loss=2.0: two runs have this loss"),
    ({"compute": -1e20}, "^compute=-1e.20: must be a positive finite number$"),
    ({"budget": 1e20}, "^budget: must be one of params, "),
    ({"loss": 1.8}, "^loss=1.8: must be a finite number above the irreducible loss E=1.8172$"),
    ({"compute": 1e20, "max_params": 0}, "^max_params=0: "),
    ({"compute": [1e20, -1.0]}, r"^compute\[1\]=-1.0: "),
    (
        {"params": 1e9, "tokens": 1e10, "compute": 6e19},
        "^compute, params, tokens: a run is given by two",
    ),
    ({"params": 7e9, "loss": 1.9}, "^loss=1.9: must be above 1.99872.* at params=7e.09, "),
    ({"loss": 1.9, "max_tokens": 1e8}, "^loss=1.9: must be above .* at max_tokens=1e.08"),
    ({"compute": 1e22, "tokens_per_param": 20.0, "max_params": 1e9}, "^max_params=10.*: must"),
    ({"params": 1e9, "max_tokens": 1e10}, "^max_tokens=10000000000.0: must be given with a "),
)


def test_arguments_outside_their_domain() -> None:
    for arguments, message in REFUSED:
        with pytest.raises(ValueError, match=message):
            BESIROGLU.allocate(**arguments)
