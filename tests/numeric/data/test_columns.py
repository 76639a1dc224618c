"""Which column is which quantity."""

from typing import Any

import numpy as np
import pytest

from isoflop.numeric.data import columns
from isoflop.numeric.data.columns import (
    COUNTS,
    EVALUATIONS,
    PASS_AT_K,
    RUNS,
    chosen_columns,
    plain,
)
from isoflop.numeric.data.runs import _recognised
from isoflop.numeric.data.table import RawTable

REQUIRED = ("params", "tokens", "loss")


def recognised(names: tuple[str, ...], chosen: Any, require: Any) -> columns.Columns:
    table = RawTable("data", {name: np.ones(1) for name in names}, 1)
    return _recognised(table, chosen_columns("data", names, RUNS, chosen)[0], require)


def found(*names: str, require: Any = REQUIRED, **chosen: str | None) -> dict[str, str]:
    return recognised(names, chosen or None, require).of


def refusal(*names: str, chosen: Any = None, require: Any = REQUIRED) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        recognised(names, chosen, require)
    return str(caught.value)


@pytest.mark.parametrize(
    ("params", "tokens", "loss"),
    [
        ("params", "tokens", "loss"),
        ("N", "D", "L"),
        ("n", "d", "l"),
        ("Params", " TOKENS ", "Loss"),
        ("Model Size", "Training Tokens", "val_loss"),
        ("n_params", "n_tokens", "Validation Loss"),
        ("num_params", "numTokens", "eval-loss"),
        ("model_params", "tokens_seen", "final_loss"),
        ("parameters", "Dataset Size", "Loss (nats)"),
        ("total_parameters", "training-tokens", "cross_entropy"),
        ("Number of parameters", "number_of_tokens", "test loss"),
    ],
)
def test_usual_spellings(params: str, tokens: str, loss: str) -> None:
    assert found(params, tokens, loss, "other") == {
        "params": params,
        "tokens": tokens,
        "loss": loss,
    }


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        *((name, "compute") for name in ("compute", "C", "flops", "FLOPs", "Training FLOP")),
        *((name, "compute") for name in ("train_flops", "budget", "C_6ND")),
        *((name, "compute") for name in ("total_compute", "Training compute (FLOP)")),
        *((name, "group") for name in ("seed", "Run ID", "run_id")),
        ("weights", "weight"),
    ],
)
def test_other_spellings(name: str, quantity: str) -> None:
    assert found("N", "D", "loss", name)[quantity] == name


@pytest.mark.parametrize(
    "name",
    [
        "params_B",
        "tokens (B)",
        "log_compute",
        "N_no_embed",
        "loss_c4_val",
        "flops_table",
        "ppl",
        "size",
    ],
)
def test_other_units_and_kinds_are_not_recognised(name: str) -> None:
    assert name not in found("N", "D", "loss", name).values()


@pytest.mark.parametrize("quantities", [RUNS, EVALUATIONS, COUNTS, PASS_AT_K])
def test_no_spelling_has_two_meanings_in_a_table(quantities: Any) -> None:
    spellings = [spelling for quantity in quantities for spelling in quantity.plain_names]
    assert sorted(spellings) == sorted(set(spellings))
    assert all(spelling == plain(spelling) for spelling in spellings)


def test_the_name_itself_goes_before_its_letter_and_the_letter_before_other_spellings() -> None:
    assert found("N", "params", "Model Size", "D", "loss")["params"] == "params"
    assert found("N", "Model Size", "D", "loss")["params"] == "N"
    assert found("n", "param_count", "D", "loss")["params"] == "n"
    assert found("N", "n", "D", "loss")["params"] == "N"
    assert found("N", "D", "Loss", "val_loss")["loss"] == "Loss"


def test_a_choice_goes_before_recognition() -> None:
    names = ("params", "N_no_embed", "tokens", "loss")
    assert found(*names, params="N_no_embed")["params"] == "N_no_embed"
    assert found(*names, N="N_no_embed")["params"] == "N_no_embed"
    assert found("N", "D", "val_loss", "train_loss", loss="val_loss")["loss"] == "val_loss"
    assert "weight" not in found("N", "D", "loss", "weight", weight=None)


def test_two_columns_that_could_be_one_quantity() -> None:
    assert refusal("N", "D", "val_loss", "train_loss") == (
        "data: columns 'val_loss', 'train_loss' may both be loss; choose one with columns={'loss': "
        "'val_loss'} "
        "(--column loss='val_loss')"
    )
    assert "may all be loss" in refusal("N", "D", "val_loss", "train_loss", "test_loss")
    assert "'Loss', 'LOSS' may both be loss" in refusal("N", "D", "Loss", "LOSS")


def test_of_what_nobody_needs_none_is_taken() -> None:
    known = recognised(("N", "D", "loss", "seed", "run_id", "flops", "budget"), None, REQUIRED)
    assert known.of == {"params": "N", "tokens": "D", "loss": "loss"}
    assert known.unsettled == {"compute": ("flops", "budget"), "group": ("seed", "run_id")}
    assert "may both be compute" in refusal("N", "loss", "flops", "budget")


def test_loss_goes_before_accuracy_unless_accuracy_is_chosen() -> None:
    assert found("N", "D", "loss", "accuracy") == {"params": "N", "tokens": "D", "loss": "loss"}
    assert found("N", "D", "loss", "acc", accuracy="acc") == {
        "params": "N",
        "tokens": "D",
        "accuracy": "acc",
    }
    assert found("N", "D", "acc") == {"params": "N", "tokens": "D", "accuracy": "acc"}
    assert found("N", "D", "loss", "acc", loss=None)["accuracy"] == "acc"
    assert refusal("N", "D", "a", "b", chosen={"loss": "a", "accuracy": "b"}).endswith(
        "choose loss or accuracy, not both"
    )
    assert "loss" in found("N", "D", "loss", "acc", "top1")
    assert "may both be accuracy" in refusal("N", "D", "acc", "top1")


@pytest.mark.parametrize(
    ("chosen", "complaint"),
    [
        ({"params": "Model Sise"}, "no column 'Model Sise' for params (did you mean Model Size?)"),
        (
            {"parms": "D"},
            "'parms' is no quantity; choose from params, tokens, compute, loss, accuracy, weight, "
            "group, N",
        ),
        ({3: "D"}, "must be the name of a quantity"),
        ({"params": "D", "N": "loss"}, "params is given twice, 'D' and 'loss'"),
        ({"params": "D", "tokens": "D"}, "'D' cannot be both params and tokens"),
        ([("params", "D")], "must map quantities to columns"),
    ],
)
def test_choices_that_cannot_be(chosen: Any, complaint: str) -> None:
    message = refusal("Model Size", "D", "loss", chosen=chosen)
    assert message.startswith("columns=")
    assert complaint in message


def test_what_is_missing_is_named() -> None:
    assert refusal("N", "D", "loss_c4_val").startswith(
        "data: no column for loss or accuracy; the columns are 'N', 'D', 'loss_c4_val'"
    )
    assert "(--column tokens='NAME')" in refusal("N", "loss")
    assert "and 8 more" in refusal(*(f"column{index}" for index in range(20)))
    assert "no column for group" in refusal("N", "D", "loss", require=("group",))


def test_two_of_the_budget_give_the_third() -> None:
    for pair in (("N", "D"), ("N", "C"), ("C", "D")):
        assert set(
            found(*pair, "loss", require=("params", "tokens", "compute", "loss")).values()
        ) == {*pair, "loss"}
    assert found("C", "loss", require=("compute", "loss")) == {"compute": "C", "loss": "loss"}
