"""Which column is which quantity, what is asked where that is open, and expressions for columns."""

from typing import Any

import numpy as np
import pytest

from isoflop.numeric.data.columns import COUNTS, EVALUATIONS, PASS_AT_K, RUNS, is_spelt
from isoflop.numeric.data.runs import Runs

REQUIRED = ("params", "tokens", "loss")


def found(*names: str, require: Any = REQUIRED, **chosen: str | None) -> dict[str, str]:
    """Quantity -> column, of a table in which each column holds other numbers."""
    cells = {name: [1e9 + 1e6 * place] for place, name in enumerate(names)}
    return Runs.read(cells, columns=chosen or None, require=require).columns


def refusal(*names: str, chosen: Any = None, require: Any = REQUIRED) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        Runs.read({name: [1.0] for name in names}, columns=chosen, require=require)
    return str(caught.value)


@pytest.mark.parametrize(
    ("params", "tokens", "loss"),
    [
        ("params", "tokens", "loss"),
        ("N", "D", "L"),
        ("n", "d", "l"),
        ("Model Size", "Training Tokens", "val_loss"),
        ("num_params", "numTokens", "eval-loss"),
        ("parameters", "Dataset Size", "Loss (nats)"),
        ("parameter_count", "throughput/total_tokens", "eval/paloma/macro_loss"),
        ("n_params_non_embedding", "tokens_seen", "train/loss"),
        ("non-embedding params", "total_tokens", "eval/cross_entropy"),
        ("active_params", "tokens", "loss"),
    ],
)
def test_usual_spellings(params: str, tokens: str, loss: str) -> None:
    expected = {"params": params, "tokens": tokens, "loss": loss}
    assert found(params, tokens, loss, "other") == expected


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        *((name, "compute") for name in ("C", "FLOPs", "train_flops", "budget", "C_6ND")),
        *((name, "group") for name in ("seed", "Run ID", "run_id")),
        ("weights", "weight"),
    ],
)
def test_other_spellings(name: str, quantity: str) -> None:
    assert found("N", "D", "loss", name)[quantity] == name


@pytest.mark.parametrize("name", ["params_B", "tokens (B)", "log_compute", "N_no_embed", "ppl"])
def test_other_units_and_kinds_are_not_recognised(name: str) -> None:
    assert name not in found("N", "D", "loss", name).values()


@pytest.mark.parametrize("quantities", [RUNS, EVALUATIONS, COUNTS, PASS_AT_K])
def test_a_name_has_one_meaning_in_a_table(quantities: Any) -> None:
    for name in quantities:
        meant = [quantity for quantity, names in quantities.items() if is_spelt(name, names)]
        assert meant == [name]


def test_the_stronger_likeness_goes_first() -> None:
    assert found("N", "params", "Model Size", "D", "loss")["params"] == "params"
    assert found("N", "Model Size", "D", "loss")["params"] == "N"
    assert found("N", "n", "D", "loss")["params"] == "N"
    assert found("N", "D", "val_loss", "c4/macro_loss")["loss"] == "val_loss"
    names = ("params", "N_no_embed", "tokens", "loss")
    assert found(*names, N="N_no_embed")["params"] == "N_no_embed"
    assert "weight" not in found("N", "D", "loss", "weight", weight=None)
    assert found("N", "D", "loss", "acc")["loss"] == "loss"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("N", "D", "val_loss", "train_loss"), "columns 'val_loss', 'train_loss' may both be loss"),
        (("N", "D", "train/loss", "eval/loss"), "(--column loss='train/loss')"),
        (("N", "loss", "flops", "budget"), "'flops', 'budget' may both be compute"),
        (("total_params", "active_params", "D", "loss"), "--column params='total_params'"),
        (("N", "n_active_params", "D", "loss"), "'N', 'n_active_params' may both be params"),
    ],
)
def test_of_two_columns_that_may_be_a_quantity_the_user_chooses(
    names: tuple[str, ...], said: str
) -> None:
    assert said in refusal(*names)


def test_all_that_is_missing_is_named_with_what_may_be_meant() -> None:
    message = refusal("FLOPs (1e18)", "params (M)", "tokens_B", "perplexity", "step_time")
    assert "no column for params, tokens, loss or accuracy" in message
    assert message.endswith(
        "(--column params='`params (M)`*1e6' --column tokens='tokens_B*1e9' "
        "--column loss='log(perplexity)')"
    )
    assert "compute='total_gflops*1e9'" in refusal("total_gflops", "loss", require=("compute",))
    assert "tokens='NAME'" in refusal("N", "loss", "tokens_per_second")
    runs = Runs.read({"N": [1e8], "D": [1e9], "loss": [3.0], "FLOPs (1e18)": [0.6]})
    assert runs.warnings == (
        "no column is read as compute; --column compute='`FLOPs (1e18)`*1e18' takes one",
    )


def test_a_column_may_be_an_expression() -> None:
    table = {"size (M)": [100.0, "2k"], "D": [2.0, 4.0], "ppl": [54.6, np.nan]}
    columns = {"params": "`size (M)`*1e6", "tokens": "D*1e9", "loss": "log(ppl)"}
    runs = Runs.read(table, columns=columns, where="N < 1e9 and D < 3e9")
    assert (runs.params.tolist(), runs.tokens.tolist()) == ([1e8], [2e9])
    assert runs.loss.tolist() == [np.log(54.6)]
    assert "row 2: loss is missing" in str(Runs.read(table, columns=columns).dropped[0])
    for wrong in ("log(size)", "D*1e9*", "__import__('os')", "D < 3"):
        with pytest.raises(ValueError, match=r"columns"):
            Runs.read(table, columns=columns | {"tokens": wrong})


def test_two_of_the_budget_give_the_third() -> None:
    every = ("params", "tokens", "compute", "loss")
    for pair in (("N", "D"), ("N", "C"), ("C", "D")):
        assert {*found(*pair, "loss", require=every).values()} == {*pair, "loss"}
    assert found("C", "loss", require=("compute", "loss")) == {"compute": "C", "loss": "loss"}
