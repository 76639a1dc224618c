"""isoflop allocate."""

import math

import pytest

FIGURES = {
    "params",
    "tokens",
    "tokens_per_param",
    "compute",
    "loss",
    "reducible_loss",
    "binding",
    "unspent_compute",
}
CLOSE = 4e-14
CUSTOM = ("--law", "A=482.01 B=2085.43 beta=0.3478 gamma=0.3658")


def test_a_budget(data, besiroglu) -> None:
    result = data("allocate", "--law", "besiroglu2024", "--compute", "5.76e23")
    assert set(result) == {"law", "rows", *FIGURES}
    assert result["law"] == "besiroglu2024"
    assert result["rows"] == [{key: value for key, value in result.items() if key != "rows"}]
    params, tokens = besiroglu.optimum("5.76e23")
    best = besiroglu.best("5.76e23")
    assert result["params"] == pytest.approx(float(params), rel=CLOSE)
    assert result["tokens"] == pytest.approx(float(tokens), rel=CLOSE)
    assert result["loss"] == pytest.approx(float(besiroglu.E + best), rel=CLOSE)
    assert result["reducible_loss"] == pytest.approx(float(best), rel=CLOSE)
    assert round(result["tokens_per_param"], 1) == 18.4
    assert (result["binding"], result["compute"], result["unspent_compute"]) == (
        "none",
        5.76e23,
        0.0,
    )


def test_a_target_loss(data, besiroglu) -> None:
    result = data("allocate", "--law", "besiroglu2024", "--loss", "2.0")
    assert float(besiroglu.E + besiroglu.best(result["compute"])) == pytest.approx(2.0, rel=1e-13)
    assert result["loss"] == 2.0
    back = data("allocate", "--law", "besiroglu2024", "--compute", repr(result["compute"]))
    assert back["params"] == pytest.approx(result["params"], rel=1e-12)


def test_the_optimum_that_has_given_params(data, besiroglu) -> None:
    result = data("allocate", "--law", "besiroglu2024", "--params", "8B")
    params, tokens = besiroglu.optimum(result["compute"])
    assert result["params"] == 8e9 == pytest.approx(float(params), rel=1e-12)
    assert result["tokens"] == pytest.approx(float(tokens), rel=1e-12)


def test_given_tokens_per_param(call, data) -> None:
    words = ("allocate", "--law", "besiroglu2024", "--compute", "1e24", "--tokens-per-param", "20")
    result = data(*words)
    run = ("--params", repr(result["params"]), "--tokens", repr(result["tokens"]))
    cost = data("penalty", "--law", "besiroglu2024", *run)["rows"][0]
    assert result["tokens_per_param"] == pytest.approx(20.0, rel=CLOSE)
    assert result["loss_penalty"] == pytest.approx(cost["loss_penalty"], rel=CLOSE)
    assert "penalty" in call(*words).out


def test_several_budgets_and_laws(data) -> None:
    result = data(
        "allocate",
        "--law",
        "besiroglu2024",
        "hoffmann2022",
        "--compute",
        "1e20,1e22",
        "--compute",
        "1e24",
    )
    assert set(result) == {"law", "rows"}
    assert result["law"] == ["besiroglu2024", "hoffmann2022"]
    assert [(row["law"], row["compute"]) for row in result["rows"]] == [
        (law, compute) for law in result["law"] for compute in (1e20, 1e22, 1e24)
    ]
    assert all(set(row) == {"law", *FIGURES} for row in result["rows"])


def test_a_data_wall(data, besiroglu) -> None:
    result = data("allocate", "--law", "besiroglu2024", "--compute", "1e24", "--max-tokens", "100B")
    assert (result["binding"], result["tokens"], result["unspent_compute"]) == (
        "max_tokens",
        1e11,
        0.0,
    )
    assert 6 * result["params"] * result["tokens"] == pytest.approx(1e24, rel=CLOSE)
    reducible = besiroglu.reducible(
        besiroglu.mp.mpf(10) ** 24 / (6 * 10**11), besiroglu.mp.mpf(10**11)
    )
    assert result["reducible_loss"] == pytest.approx(float(reducible), rel=CLOSE)


def test_both_caps(call, data) -> None:
    words = (
        "allocate",
        "--law",
        "besiroglu2024",
        "--compute",
        "1e24",
        "--max-params",
        "1B",
        "--max-tokens",
        "1T",
    )
    result = data(*words)
    assert (result["params"], result["tokens"], result["compute"]) == (
        1e9,
        1e12,
        pytest.approx(6e21, rel=CLOSE),
    )
    assert result["unspent_compute"] == pytest.approx(1e24 - 6e21, rel=CLOSE)
    assert "unspent" in call(*words).out
    assert "unspent" not in call(*words[:5]).out


def test_without_irreducible_loss(data) -> None:
    result = data("allocate", *CUSTOM, "--compute", "5.76e23")
    whole = data("allocate", "--law", "besiroglu2024", "--compute", "5.76e23")
    assert result["loss"] is None
    assert (result["law"], result["reducible_loss"]) == ("custom", whole["reducible_loss"])


def test_a_law_of_accuracy_is_called_one(call, data) -> None:
    """-log Q' is no loss, and the accuracy is exp of it, above guessing."""
    words = ("allocate", "--law", "krajewski2025-arc-e", "--compute", "1e22")
    found = data(*words)
    assert found["random_baseline"] == {"krajewski2025-arc-e": 0.2918}
    assert found["accuracy"] == pytest.approx(0.2918 + 0.7082 * math.exp(-found["loss"]), rel=1e-12)
    params, tokens = found["params"], found["tokens"]
    assert found["loss"] == pytest.approx(
        1533.4557 * params**-0.3749 + 2923.4046 * tokens**-0.3812, rel=1e-4
    )
    text = call(*words).out
    assert "loss" not in text
    assert "0.7611" in text
    assert "Q' = (Q - 0.2918)/(1 - 0.2918)" in text


def test_far_beyond_the_runs_of_a_saved_fit(call, data, tmp_path) -> None:
    """A file that holds the ranges of its runs: how far beyond them an allocation is, is said;
    older files hold none.
    """
    import json

    held = {
        "name": "mine",
        "notation": "schaeffer",
        "coefficients": {"E": 1.7, "A": 480.0, "B": 2100.0, "beta": 0.35, "gamma": 0.37},
    }
    ranges = {"params": [1e8, 1e10], "tokens": [1e9, 1e11], "compute": [1e18, 1e22]}
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    new.write_text(json.dumps({**held, "ranges": ranges}), encoding="utf-8")
    old.write_text(json.dumps(held), encoding="utf-8")
    (warning,) = data("allocate", "--law", str(new), "--compute", "1e21", "1e25")["warnings"]
    assert "1e25 FLOP is far beyond its runs" in warning
    assert "compute 1e+03 times the largest (1e+22)" in warning
    assert f"warning: {warning}" in call("allocate", "--law", str(new), "--compute", "1e25").out
    assert "warnings" not in data("allocate", "--law", str(new), "--compute", "1e21")
    assert "warnings" not in data("allocate", "--law", str(old), "--compute", "1e25")
    for damaged in ("x", [1], {"params": 1}, {"params": [1]}, {"params": ["a", 2]}):
        new.write_text(json.dumps({**held, "ranges": damaged}), encoding="utf-8")
        result = call("allocate", "--law", str(new), "--compute", "1e21")
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
        assert "ranges: must be" in result.err
