"""Allocation with and without caps against brute-force constrained minimisation with 50 digits."""

import itertools
import math
import random
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest

from isoflop.numeric.law import Law, law
from isoflop.numeric.law.allocation import Allocation
from isoflop.numeric.law.custom import law_from_expression

MP = mpmath.mp.clone()
MP.dps = 50
CASES = 80
DIGITS = 13.5
EPS = sys.float_info.epsilon
GOLDEN = (MP.sqrt(5) - 1) / 2
NARROW = MP.mpf(10) ** -28  # of a minimum that flat, half of the 50 digits are left
BESIROGLU = law("besiroglu2024")


class Problem(NamedTuple):
    """A law and what limits the run; floats stand for the exact numbers that they are."""

    law: Law
    max_params: float | None
    max_tokens: float | None


class Answer(NamedTuple):
    params: Any
    tokens: Any
    compute: Any
    reducible: Any


def terms(problem: Problem, x: Any, y: Any) -> tuple[Any, Any]:
    """The two terms of R at ln N = x, ln D = y."""
    A, B, beta, gamma = (MP.mpf(getattr(problem.law, name)) for name in ("A", "B", "beta", "gamma"))
    return A * MP.exp(-beta * x), B * MP.exp(-gamma * y)


def limits(problem: Problem) -> tuple[Any, Any]:
    caps = (problem.max_params, problem.max_tokens)
    return tuple(
        MP.mpf(400) if cap is None else MP.log(MP.mpf(cap)) for cap in caps
    )  # e^400 is beyond every case


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


def best_for_compute(problem: Problem, compute: float) -> Answer:
    """The least R with 6 N D <= C under the caps."""
    budget = MP.log(MP.mpf(compute)) - MP.log(6)
    x_max, y_max = limits(problem)
    if x_max + y_max <= budget:
        x, y = x_max, y_max
    else:
        x = lowest(
            lambda x: sum(terms(problem, x, budget - x)), max(-400, budget - y_max), min(400, x_max)
        )
        y = budget - x
    return Answer(MP.exp(x), MP.exp(y), 6 * MP.exp(x + y), sum(terms(problem, x, y)))


def cheapest_for_loss(problem: Problem, reducible: Any, reference: Any) -> Answer | None:
    """The least 6 N D on the contour of R under the caps; None where no allowed run reaches it."""
    A, B, beta, gamma = (getattr(problem.law, name) for name in ("A", "B", "beta", "gamma"))
    contour = reference(1.0, A, B, beta, gamma)
    x_max, y_max = limits(problem)
    x_max = min(x_max, 300)

    def tokens(x: Any) -> Any:
        found = contour.log_tokens_for(reducible, x)
        return MP.inf if found is None else found

    def cost(x: Any) -> Any:
        y = tokens(x)
        return x + y if y <= y_max else 10**6 - x  # not allowed: falls towards the sizes that are

    if tokens(x_max) > y_max:
        return None
    x = lowest(cost, MP.mpf(-300), x_max)
    y = tokens(x)
    if y > y_max or abs(y - y_max) < NARROW * 10**3:  # the search ends at the data wall
        x, y = contour.log_params_for(reducible, y_max), y_max
    return Answer(MP.exp(x), MP.exp(y), 6 * MP.exp(x + y), reducible)


def digits(got: float, exact: Any) -> float:
    return -math.log10(max(abs(float((MP.mpf(got) - exact) / exact)), 1e-17))


def assert_agrees(got: Allocation, exact: Answer, wanted: float = DIGITS) -> None:
    for name in ("params", "tokens", "compute"):
        assert digits(getattr(got, name), getattr(exact, name)) >= wanted, (name, got, exact)
    assert digits(got.reducible_loss, exact.reducible) >= wanted
    assert digits(got.tokens_per_param, exact.tokens / exact.params) >= wanted


def random_law(rng: random.Random) -> Law:
    def log_uniform(low: float, high: float) -> float:
        return math.exp(rng.uniform(math.log(low), math.log(high)))

    return Law(
        A=log_uniform(1, 1e6),
        B=log_uniform(1, 1e6),
        beta=rng.uniform(0.1, 1.5),
        gamma=rng.uniform(0.1, 1.5),
        E=rng.choice([None, 0.0, 1.7]),
    )


def random_cap(rng: random.Random, optimum: float) -> float:
    """Around the unconstrained optimum, so that either side occurs."""
    return optimum * math.exp(rng.uniform(-4, 2))


@pytest.mark.parametrize("caps", ["none", "max_params", "max_tokens", "both"])
def test_budget_against_brute_force(caps: str) -> None:
    rng = random.Random(caps)
    seen = set()
    for _ in range(CASES):
        chosen = random_law(rng)
        compute = 10 ** rng.uniform(17, 27)
        free = chosen.allocate(compute=compute)
        problem = Problem(
            chosen,
            random_cap(rng, free.params) if caps in ("max_params", "both") else None,
            random_cap(rng, free.tokens) if caps in ("max_tokens", "both") else None,
        )
        got = chosen.allocate(
            compute=compute, max_params=problem.max_params, max_tokens=problem.max_tokens
        )
        exact = best_for_compute(problem, compute)
        assert_agrees(got, exact)
        seen.add((got.binding, got.unspent_compute > 0))
        assert got.compute + got.unspent_compute == pytest.approx(compute, rel=4 * EPS)
        assert got.params <= (problem.max_params or math.inf)
        assert got.tokens <= (problem.max_tokens or math.inf)
        expected_loss = None if chosen.E is None else chosen.E + got.reducible_loss
        assert got.loss == (
            None if expected_loss is None else pytest.approx(expected_loss, rel=2 * EPS)
        )
    wanted = {("none", False)}
    wanted |= {("max_params", False)} if caps in ("max_params", "both") else set()
    wanted |= {("max_tokens", False)} if caps in ("max_tokens", "both") else set()
    wanted |= {("max_params", True), ("max_tokens", True)} if caps == "both" else set()
    assert seen == wanted


@pytest.mark.parametrize("name", ["params", "tokens"])
def test_the_optimum_of_given_params_or_tokens_against_brute_force(name: str) -> None:
    """The best allocation of the budget that comes out has the params, or tokens, that went in."""
    rng = random.Random(name)
    for _ in range(CASES // 4):
        chosen, value = random_law(rng), 10 ** rng.uniform(6, 14)
        got = chosen.allocate(**{name: value})
        assert getattr(got, name) == value
        assert_agrees(got, best_for_compute(Problem(chosen, None, None), got.compute), 12.5)
        assert got.binding == "none"


@pytest.mark.parametrize("steps", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("cap", ["max_params", "max_tokens"])
def test_at_the_threshold(cap: str, steps: int) -> None:
    """A cap at the optimum itself, and floats next to it: the cap holds, and the loss does not
    jump.
    """
    for compute in (1e18, 5.76e23, 3.3e25):
        free = BESIROGLU.allocate(compute=compute)
        limit = free.params if cap == "max_params" else free.tokens
        for _ in range(abs(steps)):
            limit = math.nextafter(limit, math.inf if steps > 0 else 0.0)
        got = BESIROGLU.allocate(compute=compute, **{cap: limit})
        assert (got.params if cap == "max_params" else got.tokens) <= limit
        assert got.binding in ({"none"} if steps > 0 else {"none", cap} if steps == 0 else {cap})
        assert got.reducible_loss == pytest.approx(free.reducible_loss, rel=2 * EPS)
        assert got.unspent_compute == 0.0
        assert got.compute == compute


@pytest.mark.parametrize("steps", [-1, 0, 1])
def test_where_both_caps_meet_the_budget(steps: int) -> None:
    free = BESIROGLU.allocate(compute=1e21)
    caps = {"max_params": free.params / 2, "max_tokens": free.tokens}
    compute = BESIROGLU.compute(caps["max_params"], caps["max_tokens"])
    compute = compute if steps == 0 else math.nextafter(compute, steps * math.inf)
    got = BESIROGLU.allocate(compute=compute, **caps)
    assert got.params == pytest.approx(caps["max_params"], rel=2 * EPS)
    assert got.tokens == pytest.approx(caps["max_tokens"], rel=2 * EPS)
    assert 0 <= got.unspent_compute <= 2 * EPS * compute


@pytest.mark.parametrize("caps", ["none", "max_params", "max_tokens", "both"])
def test_target_against_brute_force(caps: str, reference: Any) -> None:
    rng = random.Random(caps)
    seen = set()
    for _ in range(CASES // 2):
        chosen = random_law(rng)
        free = chosen.allocate(compute=10 ** rng.uniform(17, 27))
        arguments = {
            f"max_{name}": getattr(free, name) * math.exp(rng.uniform(-2.5, 1.5))
            if caps in (f"max_{name}", "both")
            else None
            for name in ("params", "tokens")
        }
        problem = Problem(chosen, **arguments)
        exact = cheapest_for_loss(problem, MP.mpf(free.reducible_loss), reference)
        if exact is None:
            seen.add("refused")
            with pytest.raises(ValueError, match="cannot be reached"):
                chosen.allocate(reducible_loss=free.reducible_loss, **arguments)
            continue
        got = chosen.allocate(reducible_loss=free.reducible_loss, **arguments)
        assert_agrees(got, exact)
        seen.add(got.binding)
    wanted = {"none", "refused", "max_params", "max_tokens"}
    absent = {
        "none": wanted - {"none"},
        "max_params": {"max_tokens"},
        "max_tokens": {"max_params"},
        "both": set(),
    }
    assert seen == wanted - absent[caps]


def test_a_loss_just_above_E_keeps_its_digits(reference: Any) -> None:
    """L - E is exact in double-double, so the compute has all its digits even where the difference
    has few.
    """
    E = BESIROGLU.E
    assert E is not None
    loss = E + 1e-3
    exact = MP.mpf(loss) - MP.mpf(E)
    cheapest = cheapest_for_loss(Problem(BESIROGLU, None, None), exact, reference)
    assert cheapest is not None
    assert digits(BESIROGLU.allocate(loss=loss).compute, cheapest.compute) >= DIGITS


def test_unreachable_targets_say_why() -> None:
    message = "max_tokens=1e\\+08: loss 1.9 cannot be reached under this cap, whatever the compute"
    with pytest.raises(ValueError, match=message):
        BESIROGLU.allocate(loss=1.9, max_tokens=1e8)
    with pytest.raises(ValueError, match=r"max_params=1e\+08: "):
        BESIROGLU.allocate(loss=1.9, max_params=1e8)
    needed = BESIROGLU.allocate(loss=2.2)
    with pytest.raises(ValueError, match=r"max_params=.*, max_tokens=.*: "):
        BESIROGLU.allocate(loss=2.2, max_params=needed.params * 0.9, max_tokens=needed.tokens * 0.9)
    assert BESIROGLU.allocate(loss=2.2, max_params=needed.params * 0.9).binding == "max_params"
    assert BESIROGLU.allocate(loss=2.2, max_tokens=needed.tokens * 0.9).binding == "max_tokens"


def test_arrays() -> None:
    budgets = np.array([[1e18, 1e20], [1e22, 1e26]])
    got = BESIROGLU.allocate(compute=budgets, max_tokens=1e12)
    assert got.params.shape == (2, 2)
    assert got.binding.tolist() == [["none", "none"], ["none", "max_tokens"]]
    for position, budget in np.ndenumerate(budgets):
        single = BESIROGLU.allocate(compute=float(budget), max_tokens=1e12)
        for name, value in single.as_dict().items():
            found = got.as_dict()[name][position]
            assert found == (value if name == "binding" else pytest.approx(value, rel=4 * EPS))
    assert BESIROGLU.allocate(loss=[1.9, 2.0]).compute.shape == (2,)
    assert BESIROGLU.allocate(compute=np.array([])).params.shape == (0,)
    assert Law(A=1.0, B=1.0, beta=0.3, gamma=0.3).allocate(compute=[1e20]).loss is None


#: 7e9 params on 2e12 tokens.
RUN = {
    "params": 7e9,
    "tokens": 2e12,
    "compute": 8.4e22,
    "tokens_per_param": 2e12 / 7e9,
    "loss": 1.8172 + 482.01 * 7e9**-0.3478 + 2085.43 * 2e12**-0.3658,
    "reducible_loss": 482.01 * 7e9**-0.3478 + 2085.43 * 2e12**-0.3658,
}
PAIRS = [
    pair
    for pair in itertools.combinations(RUN, 2)
    if pair not in (("compute", "loss"), ("compute", "reducible_loss"), ("loss", "reducible_loss"))
]


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_any_two_give_the_same_run(pair: tuple[str, str]) -> None:
    given = {name: RUN[name] for name in pair}
    same = {"E": 1.8172, "A": 482.01, "B": 2085.43, "b": 0.3478, "g": 0.3658}
    for chosen in (BESIROGLU, law_from_expression("E + A*N**-b + B*D**-g", same)):
        got = chosen.allocate(**given)
        assert (got.params, got.tokens) == pytest.approx((7e9, 2e12), rel=1e-9)
        assert (got.loss, got.binding) == (pytest.approx(RUN["loss"], rel=1e-12), "given")
        expected = chosen.penalty(params=7e9, tokens=2e12).loss_penalty
        if "reducible_loss" not in pair:
            assert chosen.penalty(**given).loss_penalty == pytest.approx(expected, rel=1e-9)


def test_a_run_on_a_ray_that_one_term_rules() -> None:
    """Bracketing by the two terms alone fails here: one of them is all of the loss."""
    lopsided = Law(A=1e-3, B=1e9, beta=1.1, gamma=0.1)
    got = lopsided.allocate(tokens_per_param=1e-3, reducible_loss=[1e5, 1e8])
    assert got.reducible_loss.tolist() == [1e5, 1e8]
    assert lopsided.reducible_loss(got.params, got.tokens) == pytest.approx([1e5, 1e8], rel=1e-13)
    grid = BESIROGLU.allocate(tokens_per_param=[[20.0], [200.0]], loss=[2.0, 2.2])
    assert BESIROGLU(grid.params, grid.tokens) == pytest.approx(
        np.array([[2.0, 2.2], [2.0, 2.2]]), rel=1e-12
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "^given none: must be one of compute, loss, "),
        ({"compute": 1e20, "loss": 2.0}, "^loss=2.0: two runs have this loss"),
        ({"compute": -1e20}, "^compute=-1e.20: must be a positive finite number$"),
        ({"compute": 0}, "^compute=0: "),
        ({"compute": math.nan}, "^compute=nan: "),
        ({"compute": True}, "^compute=True: "),
        ({"loss": 1.8}, "^loss=1.8: must be a finite number above the irreducible loss E=1.8172$"),
        ({"reducible_loss": 0.0}, "^reducible_loss=0.0: "),
        ({"compute": 1e20, "max_params": 0}, "^max_params=0: "),
        ({"compute": 1e20, "max_tokens": -1.0}, "^max_tokens=-1.0: "),
        ({"compute": ["a"]}, "^compute=.*: must be a positive finite number, or an array"),
        ({"compute": [1e20, -1.0]}, r"^compute\[1\]=-1.0: "),
        ({"params": 0.0}, "^params=0.0: "),
        ({"params": 1e9, "tokens": 1e10, "compute": 6e19}, "^given compute, params, tokens: "),
        (
            {"params": 7e9, "loss": 1.9},
            "^loss=1.9: must be above 1.99872 at params=7e.09, whatever the tokens$",
        ),
        (
            {"tokens": 1e9, "reducible_loss": 0.1},
            "^reducible_loss=0.1: must be above 1.06413 at tokens=1e.09, whatever the params$",
        ),
        (
            {"compute": 1e22, "tokens_per_param": 20.0, "max_params": 1e9},
            "^max_params=1000000000.0: must be given with a compute or a loss alone",
        ),
        ({"params": 1e9, "max_tokens": 1e10}, "^max_tokens=10000000000.0: must be given with a "),
    ],
)
def test_arguments_outside_their_domain(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BESIROGLU.allocate(**arguments)
