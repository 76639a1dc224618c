"""Allocation with and without a data wall against direct minimisation in 60 digits."""

import itertools
import math
import random
import sys
from typing import Any

import numpy as np
import pytest

from isoflop.numeric.law import Law, law
from isoflop.numeric.law.custom import law_from_expression
from isoflop.numeric.law.result import Result

CASES = 24
DIGITS = 13.5
EPS = sys.float_info.epsilon
FAR = 400  # e^400 is beyond every case
BESIROGLU = law("besiroglu2024")


def at(chosen: Law, reference: Any, compute: float = 1.0) -> Any:
    return reference(compute, chosen.A, chosen.B, chosen.beta, chosen.gamma)


def best_for_compute(exact: Any, y_max: Any = FAR) -> Any:
    """ln N and ln D of the least R with 6 N D <= C, before a wall: R is convex along the budget."""
    budget = exact.log_tokens_left(exact.log_compute, 0)
    runs = [(exact.log_params, exact.log_tokens), (budget - y_max, y_max)]
    return min((run for run in runs if run[1] <= y_max), key=lambda run: sum(exact.terms(*run)))


def cheapest_for_loss(exact: Any, R: Any, y_max: Any = FAR) -> Any:
    """ln N and ln D of the least 6 N D that reaches R, along the envelope or at the wall; None where no
    allowed run reaches it.
    """
    compute = exact.root(lambda x: exact.mp.log(exact.minimum(x)[1]) - exact.mp.log(R))
    free = exact.minimum(compute)[0]
    at_wall = exact.log_params_for(R, y_max), y_max
    runs = [(free, exact.log_tokens_left(compute, free)), at_wall]
    return min((x for x in runs if None not in x and x[1] <= y_max), key=sum, default=None)


def assert_agrees(got: Result, exact: Any, x: Any, y: Any, wanted: float = DIGITS) -> None:
    N, D = exact.mp.exp(x), exact.mp.exp(y)
    figures = {"params": N, "tokens": D, "tokens_per_param": D / N, "compute": 6 * N * D}
    for name, value in (figures | {"reducible_loss": sum(exact.terms(x, y))}).items():
        off = abs(float((exact.mp.mpf(getattr(got, name)) - value) / value))
        assert -math.log10(max(off, 1e-17)) >= wanted, name


def random_law(rng: random.Random, E: Any) -> Law:
    A, B = (math.exp(rng.uniform(0.0, math.log(1e6))) for _ in "AB")
    return Law(A=A, B=B, beta=rng.uniform(0.1, 1.5), gamma=rng.uniform(0.1, 1.5), E=E)


def random_wall(rng: random.Random, free: Result) -> float:
    """Around the optimum, so that either side occurs."""
    return float(free.tokens * math.exp(rng.uniform(-2.5, 1.5)))


@pytest.mark.parametrize("is_walled", [False, True])
def test_a_budget(is_walled: bool, reference: Any) -> None:
    rng, seen = random.Random(is_walled), set()
    for _ in range(CASES):
        chosen, compute = random_law(rng, rng.choice([None, 0.0, 1.7])), 10 ** rng.uniform(17, 27)
        wall = random_wall(rng, chosen.allocate(compute)) if is_walled else None
        got, exact = chosen.allocate(compute, max_tokens=wall), at(chosen, reference, compute)
        assert_agrees(got, exact, *best_for_compute(exact, reference.mp.log(wall) if wall else FAR))
        seen.add(got.binding)
        assert got.compute == compute
        assert wall is None or got.tokens <= wall
        expected = None if chosen.E is None else pytest.approx(chosen.E + got.reducible_loss)
        assert got.loss == expected
    assert seen == {"none", "max_tokens"} if is_walled else {"none"}


@pytest.mark.parametrize("is_walled", [False, True])
def test_a_target(is_walled: bool, reference: Any) -> None:
    rng, seen = random.Random(is_walled), set()
    for _ in range(CASES):
        chosen = random_law(rng, 0.0)
        free = chosen.allocate(10 ** rng.uniform(17, 27))
        wall, exact = random_wall(rng, free) if is_walled else None, at(chosen, reference)
        limit = reference.mp.log(wall) if wall else FAR
        best = cheapest_for_loss(exact, exact.mp.mpf(free.loss), limit)
        if best is None:
            seen.add("refused")
            with pytest.raises(ValueError, match=r"^loss=.*: must be above .* at max_tokens"):
                chosen.allocate(loss=free.loss, max_tokens=wall)
            continue
        got = chosen.allocate(loss=free.loss, max_tokens=wall)
        assert_agrees(got, exact, *best)
        seen.add(got.binding)
    assert seen == {"none", "refused", "max_tokens"} if is_walled else {"none"}


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
    ({"compute": 1e20, "max_tokens": 0}, "^max_tokens=0: "),
    ({"compute": [1e20, -1.0]}, r"^compute\[1\]=-1.0: "),
    (
        {"params": 1e9, "tokens": 1e10, "compute": 6e19},
        "^compute, params, tokens: a run is given by two",
    ),
    ({"params": 7e9, "loss": 1.9}, "^loss=1.9: must be above 1.99872.* at params=7e.09, "),
    ({"loss": 1.9, "max_tokens": 1e8}, "^loss=1.9: must be above .* at max_tokens=1e.08"),
    ({"compute": 1e22, "tokens_per_param": 20.0, "max_tokens": 1e9}, "^max_tokens=10.*: must"),
    ({"params": 1e9, "max_tokens": 1e10}, "^max_tokens=10000000000.0: must be given with a "),
)


def test_arguments_outside_their_domain() -> None:
    for arguments, message in REFUSED:
        with pytest.raises(ValueError, match=message):
            BESIROGLU.allocate(**arguments)


def test_a_loss_that_some_draws_do_not_reach() -> None:
    """Draws are never left out: where the target has no run under one of them there is no interval."""
    mine = {name: getattr(BESIROGLU, name) for name in ("A", "B", "beta", "gamma", "E")}
    drawn = Law(**mine, draws={name: [x, 1.001 * x, 1.01 * x] for name, x in mine.items()})
    for target, is_reached in ((2.2, True), (2.0, False)):
        tokens = drawn.allocate(params=7e9, loss=target).estimate("tokens")
        assert tokens.value == BESIROGLU.allocate(params=7e9, loss=target).tokens
        assert (tokens.low is not None) == is_reached
