"""Which column is which quantity, what is asked where that is open, and what a table holds."""

import re
from typing import Any

import numpy as np
import pytest

from isoflop.numeric.data.columns import kind_of
from isoflop.numeric.data.runs import Runs
from isoflop.numeric.data.table import table_of

REQUIRED = ("params", "tokens", "loss")


def found(names: str, *, require: Any = REQUIRED, **chosen: str | None) -> dict[str, str]:
    """Quantity -> column, of a table in which each column holds other numbers."""
    cells = {name: [1e9 + 1e6 * place] for place, name in enumerate(names.split("|"))}
    return Runs.read(cells, columns=chosen or None, require=require).columns


SPELLINGS = (
    "N|D|L",
    "n|d|l",
    "Model Size|Training Tokens|val_loss",
    "num_params|numTokens|eval-loss",
    "parameters|Dataset Size|Loss (nats)",
    "parameter_count|throughput/total_tokens|eval/paloma/macro_loss",
    "n_params_non_embedding|tokens_seen|train/loss",
    "non-embedding params|total_tokens|eval/cross_entropy",
    "active_params|tokens|loss",
)


@pytest.mark.parametrize("names", SPELLINGS)
def test_usual_spellings(names: str) -> None:
    assert found(f"{names}|other") == dict(zip(REQUIRED, names.split("|"), strict=True))


def test_the_own_name_goes_first_and_what_is_chosen_before_it() -> None:
    assert found("params|Model Size|D|loss")["params"] == "params"
    assert found("N|Model Size|D|loss|train/loss")["loss"] == "loss"
    assert found("params|N_no_embed|D|loss", N="N_no_embed")["params"] == "N_no_embed"
    assert "compute" not in found("N|D|loss|budget", compute=None)
    empty = {"params": [None, None], "N": [1e8, 2e8], "D": [2e9, 4e9], "loss": [3.0, 2.5]}
    assert Runs.read(empty).columns["params"] == "N"
    every = ("params", "tokens", "compute", "loss")
    for pair in ("N|D", "N|C", "C|D"):  # two give the third
        assert {*found(f"{pair}|loss", require=every).values()} == {*pair.split("|"), "loss"}
    assert found("C|loss", require=("compute",)) == {"compute": "C", "loss": "loss"}
    for name in ("params_B", "tokens (B)", "log_compute", "N_no_embed", "ppl"):
        assert name not in found(f"N|D|loss|{name}").values()


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        ("N|D|val_loss|train_loss", {}, "columns 'val_loss', 'train_loss' may all be loss"),
        ("N|D|train/loss|eval/loss", {}, "(--column loss='train/loss')"),
        ("N|D|loss|flops|budget", {}, "'flops', 'budget' may all be compute"),
        ("total_params|active_params|D|loss", {}, "--column params='total_params'"),
        ("total_gflops|loss", {"require": ("compute",)}, "compute='total_gflops*1e9'"),
        ("N|loss|tokens_per_second", {}, "tokens='NAME'"),
        ("N|D|loss", {"lost": "loss"}, "'lost' is not a quantity"),
        ("N|D|loss", {"loss": "los"}, "no column 'los' (did you mean loss"),
        ("N|D|loss", {"N": "N", "params": "D"}, "'params' is given twice"),
        (
            "FLOPs (1e18)|params (M)|tokens_B|perplexity|step_time",
            {},
            "no column for params, tokens, loss; the columns are 'FLOPs (1e18)', 'params (M)', "
            "'tokens_B', 'perplexity', 'step_time'; say which with columns={'params': "
            "'`params (M)`*1e6', 'tokens': 'tokens_B*1e9', 'loss': 'log(perplexity)'} (--column "
            "params='`params (M)`*1e6' --column tokens='tokens_B*1e9' --column "
            "loss='log(perplexity)')",
        ),
    ],
)
def test_what_is_open_or_missing_is_refused_with_the_option_to_type(
    names: str, options: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        found(names, **options)


def test_a_column_may_be_an_expression() -> None:
    table = {"size (M)": [100.0, 2000.0], "D": [2.0, 4.0], "ppl": [54.6, np.nan]}
    columns = {"params": "`size (M)`*1e6", "tokens": "D*1e9", "loss": "log(ppl)"}
    runs = Runs.read(table, columns=columns, where="N < 1e9 and D < 3e9")
    assert (runs.params.tolist(), runs.tokens.tolist()) == ([1e8], [2e9])
    assert runs.loss.tolist() == [np.log(54.6)]
    assert "row 2: loss is missing" in str(Runs.read(table, columns=columns).dropped[0])
    for wrong in ("log(size)", "D*1e9*", "__import__('os')", "D < 3"):
        with pytest.raises(ValueError, match=r"columns|tokens=True is not a number"):
            Runs.read(table, columns=columns | {"tokens": wrong})
    unread = Runs.read({"N": [1e8], "D": [1e9], "loss": [3.0], "FLOPs (1e18)": [0.6]})
    option = "--column compute='`FLOPs (1e18)`*1e18' takes one"
    assert unread.warnings == (f"no column is read as compute; {option}",)


KINDS = {
    "model problem n c": "counts",
    "prompt_idx num_samples num_correct params": "counts",
    "model task_id passed": "counts",
    "model k pass_at_k": None,
    "model k pass@k n c": "counts",
    "N D loss acc_piqa": "runs",
    "run task acc metric": "evaluations",
    "N D acc_piqa acc_sciq": None,
    "N D accuracy": None,
}


def test_kinds() -> None:
    """What the user says of a table goes first."""
    tables = {names: table_of({name: [1.0] for name in names.split()}) for names in KINDS}
    assert {names: kind_of(table) for names, table in tables.items()} == KINDS
    table = table_of({name: [1.0] for name in ("tried", "solved", "loss")})
    given = (None, {"n": "tried", "n_correct": "solved"}, {"loss": None})
    assert [kind_of(table, columns) for columns in given] == ["runs", "counts", None]
