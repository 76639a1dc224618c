"""A run by any two of its numbers, or by one and its loss: always the same run."""

import itertools
from typing import Any

import numpy as np
import pytest

from isoflop.numeric.errors import ArgumentError
from isoflop.numeric.law import Law, law
from isoflop.numeric.law.custom import law_from_expression
from isoflop.numeric.law.run import LOSSES, OF_A_RUN, run_of

BESIROGLU = law("besiroglu2024")
#: 7e9 params on 2e12 tokens.
RUN = {
    "params": 7e9,
    "tokens": 2e12,
    "compute": 8.4e22,
    "tokens_per_param": 2e12 / 7e9,
    "loss": 1.8172 + 482.01 * 7e9**-0.3478 + 2085.43 * 2e12**-0.3658,
    "reducible_loss": 482.01 * 7e9**-0.3478 + 2085.43 * 2e12**-0.3658,
}
TOLD = [
    pair
    for pair in itertools.combinations(RUN, 2)
    if set(pair) & set(OF_A_RUN) - {"compute"} and not set(pair) >= set(LOSSES)
]


@pytest.mark.parametrize("pair", TOLD, ids="-".join)
def test_any_two_tell_the_same_run(pair: tuple[str, str]) -> None:
    given = {name: RUN[name] for name in pair}
    for chosen in (
        BESIROGLU,
        law_from_expression(
            "E + A*N**-b + B*D**-g",
            {"E": 1.8172, "A": 482.01, "B": 2085.43, "b": 0.3478, "g": 0.3658},
        ),
    ):
        params, tokens = run_of(chosen, given)
        assert (params, tokens) == (pytest.approx(7e9, rel=1e-9), pytest.approx(2e12, rel=1e-9))
    told = BESIROGLU.allocate(**given)
    assert told.loss == pytest.approx(RUN["loss"], rel=1e-12)
    assert told.binding == "given"
    if "reducible_loss" not in pair:
        assert BESIROGLU.penalty(**given).loss_penalty == pytest.approx(
            BESIROGLU.penalty(params=7e9, tokens=2e12).loss_penalty, rel=1e-9
        )


def test_arrays_broadcast() -> None:
    params, tokens = run_of(BESIROGLU, {"tokens_per_param": [[20.0], [200.0]], "loss": [2.0, 2.2]})
    assert params.shape == tokens.shape == (2, 2)
    assert BESIROGLU.loss(params, tokens) == pytest.approx(
        np.array([[2.0, 2.2], [2.0, 2.2]]), rel=1e-12
    )


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"compute": 1e22, "loss": 2.0}, "loss"),
        ({"params": 7e9, "loss": 1.9}, "loss"),
        ({"tokens": 1e9, "loss": 1.9}, "loss"),
        ({"params": 7e9, "loss": 1.5}, "loss"),
        ({"params": -1.0, "tokens": 1e9}, "params"),
        ({"params": 1e9, "tokens": 2e9, "compute": 1.2e19}, "params, tokens, compute"),
        ({"params": 1e9}, "params"),
        ({"loss": 2.0, "reducible_loss": 0.2}, "loss, reducible_loss"),
    ],
)
def test_what_tells_no_run(given: dict[str, Any], argument: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        run_of(BESIROGLU, given)
    assert caught.value.argument == argument


def test_a_law_is_a_function() -> None:
    mine = Law(E=1.7, A=400.0, B=410.0, beta=0.34, gamma=0.28)
    assert mine(7e9, 1.4e11) == mine.loss(7e9, 1.4e11)
    assert mine.N_opt(1e21) * mine.D_opt(1e21) * 6 == pytest.approx(1e21)
    assert mine.L_opt(1e21) == pytest.approx(mine(mine.N_opt(1e21), mine.D_opt(1e21)))
