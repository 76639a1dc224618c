"""isoflop allocate: its JSON is the library's result, with caps, and laws of accuracy."""

import json
import math

import pytest

import isoflop

ALLOCATE = "allocate --law besiroglu2024"
#: The options, and the same as arguments of the library.
TARGETS = {
    "--compute 5.76e23": {"compute": 5.76e23},
    "--loss 2.0": {"loss": 2.0},
    "--params 8B": {"params": 8e9},
    "--params 7B --loss 2.05": {"params": 7e9, "loss": 2.05},
    "--compute 1e24 --tokens-per-param 20": {"compute": 1e24, "tokens_per_param": 20.0},
    "--compute 1e24 --max-tokens 100B": {"compute": 1e24, "max_tokens": 1e11},
    "--compute 1e24 --max-params 1B": {"compute": 1e24, "max_params": 1e9},
}


@pytest.mark.parametrize(("words", "target"), TARGETS.items(), ids=TARGETS)
def test_json_is_the_result_of_the_library(data, words, target) -> None:
    found = data(f"{ALLOCATE} {words}")
    row = {"law": "besiroglu2024", **isoflop.law("besiroglu2024").allocate(**target).as_dict()}
    assert found["rows"] == [row]
    assert found == {**row, "rows": [row]}


def test_figures(call, data) -> None:
    found = data(f"{ALLOCATE} --compute 5.76e23")
    assert round(found["tokens_per_param"], 1) == 18.4
    assert (found["binding"], found["unspent_compute"]) == ("none", 0.0)
    bare = data("allocate --law A=482.01 B=2085.43 beta=0.3478 gamma=0.3658 --compute 5.76e23")
    assert (bare["law"], bare["loss"]) == ("custom", None)
    assert bare["reducible_loss"] == found["reducible_loss"]
    both = f"{ALLOCATE} --compute 1e24 --max-params 1B --max-tokens 1T"
    found = data(both)
    assert (found["params"], found["tokens"]) == (1e9, 1e12)
    assert found["unspent_compute"] == pytest.approx(1e24 - 6e21, rel=1e-13)
    assert "unspent" in call(both).out
    assert "unspent" not in call(f"{ALLOCATE} --compute 1e24").out


def test_several_budgets_and_laws(data) -> None:
    found = data(f"{ALLOCATE} hoffmann2022 --compute 1e20,1e22 --compute 1e24")
    assert found["law"] == ["besiroglu2024", "hoffmann2022"]
    assert [(row["law"], row["compute"]) for row in found["rows"]] == [
        (law, compute) for law in found["law"] for compute in (1e20, 1e22, 1e24)
    ]


def test_a_law_of_accuracy_is_called_one(call, data) -> None:
    """-log Q' is no loss, and the accuracy is exp of it, above guessing."""
    words = "allocate --law krajewski2025-arc-e --compute 1e22"
    found = data(words)
    assert found["random_baseline"] == {"krajewski2025-arc-e": 0.2918}
    assert found["accuracy"] == pytest.approx(0.2918 + 0.7082 * math.exp(-found["loss"]), rel=1e-12)
    y = 1533.4557 * found["params"] ** -0.3749 + 2923.4046 * found["tokens"] ** -0.3812
    assert found["loss"] == pytest.approx(y, rel=1e-4)
    text = call(words).out
    assert "loss" not in text
    assert "0.7611" in text


def test_far_beyond_the_runs_of_a_saved_fit(call, data, tmp_path) -> None:
    """A file that holds the ranges of its runs: how far beyond them an allocation is, is said;
    older files hold none.
    """
    coefficients = {"E": 1.7, "A": 480.0, "B": 2100.0, "beta": 0.35, "gamma": 0.37}
    ranges = {"params": [1e8, 1e10], "tokens": [1e9, 1e11], "compute": [1e18, 1e22]}
    held = {"name": "mine", "notation": "schaeffer", "coefficients": coefficients}
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    new.write_text(json.dumps({**held, "ranges": ranges}), encoding="utf-8")
    old.write_text(json.dumps(held), encoding="utf-8")
    (warning,) = data("allocate --compute 1e21 1e25 --law", new)["warnings"]
    assert "1e25 FLOP is far beyond its runs" in warning
    assert "compute 1e+03 times the largest (1e+22)" in warning
    assert f"warning: {warning}" in call("allocate --compute 1e25 --law", new).out
    assert "warnings" not in data("allocate --compute 1e21 --law", new)
    assert "warnings" not in data("allocate --compute 1e25 --law", old)
