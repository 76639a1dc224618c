"""isoflop fit of runs: the contract for scripts, which runs are read, what is saved."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data import LAW as TRUTH
from tests.data import grid_runs, power_law, write_csv, write_rows

SPAN: Any = {"params": (3e7, 1e10), "tokens": (3e8, 3e11)}
RUNS = grid_runs(8, 8, **SPAN, noise=0.004, seed=20240229)
ROWS: list[tuple[Any, ...]] = list(zip(RUNS["params"], RUNS["tokens"], RUNS["loss"], strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("fit")
    write_csv(path / "runs.csv", RUNS)
    return path


@pytest.fixture(autouse=True)
def _there(folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)


@pytest.fixture(scope="module")
def plain(data, folder):
    return data("fit", folder / "runs.csv")


def test_keys_and_the_saved_law(call, data, plain, folder) -> None:
    """What is derived is what the saved law says."""
    assert {"law", "objective", "interval", "ranges"} <= set(plain)
    assert list(plain["coefficients"]) == ["E", "A", "B", "beta", "gamma"]
    for entry in (*plain["coefficients"].values(), *plain["derived"].values()):
        assert entry["lo"] < entry["value"] < entry["hi"]
        assert entry["se"] > 0
    known = {key: plain[key] for key in ("converged", "n_runs", "dropped", "warnings")}
    assert known == {"converged": True, "n_runs": 64, "dropped": [], "warnings": []}
    saved = folder / "my fit.json"
    found = data("fit runs.csv --compute 1e22 --ratio 10 --plot fit.png --save", saved)
    (row,) = data("allocate --compute 1e22 --law", saved)["rows"]
    penalty = data("penalty --ratio 10 --law", saved)
    expected = {"N_star": row["params"], "D_star": row["tokens"], "L_star": row["loss"]}
    expected["penalty"] = penalty["rows"][0]["loss_penalty"]
    derived = {name: found["derived"][name]["value"] for name in expected}
    assert derived == pytest.approx(expected, rel=1e-12)
    assert penalty["law"] == "my fit"
    assert json.loads(saved.read_text(encoding="utf-8"))["coefficients"] == found["coefficients"]
    assert call("derive --law", saved)[::2] == (0, "")
    assert (folder / "fit.png").read_bytes().startswith(b"\x89PNG")


def test_bootstrap(data, refused, plain) -> None:
    found, other = (data(f"fit runs.csv --bootstrap 60 --seed {seed}") for seed in "78")
    assert found["coefficients"]["beta"]["se"] != other["coefficients"]["beta"]["se"]
    interval = {"kind": "bootstrap", "resample": "cases", "repeats": 60, "seed": 7}
    assert interval.items() <= found["interval"].items()
    for name, entry in found["coefficients"].items():
        assert entry["value"] == plain["coefficients"][name]["value"]
        assert entry["se"] == pytest.approx(plain["coefficients"][name]["se"], rel=0.6)
    for n in (8, 3):
        write_csv(Path(f"{n}.csv"), {**RUNS, "seed": [i % n for i in range(64)]})
    found = data("fit 8.csv --bootstrap 60")
    assert found["interval"]["resample"] == "groups"
    assert "8 groups: with fewer than 10, intervals by group are rough" in found["warnings"]
    refused(("--bootstrap 20", "at least 4"), "fit 3.csv --bootstrap 20")


def test_all_runs_at_one_size(call, data, refused) -> None:
    size, noise = 1e9 * np.ones(64), RUNS["loss"] / power_law(*np.array(ROWS).T[:2], **TRUTH)
    loss = noise * power_law(size, RUNS["tokens"], **TRUTH)
    write_csv(Path("one.csv"), {"params": size, "tokens": RUNS["tokens"], "loss": loss})
    found = data("fit one.csv --bootstrap 10 --compute 1e22 --save open.json", code=3)
    assert {"A", "beta"} <= set(found["undetermined"])
    for name in found["undetermined"]:
        assert {found["coefficients"][name][key] for key in ("se", "lo", "hi")} == {None}
    assert found["derived"] == {}
    assert r"$A$ & undetermined & --- & --- &" in call("fit one.csv --format latex").out
    refused(("undetermined",), "penalty --law open.json")


# -- which runs ------------------------------------------------------------------------------------


def test_columns_conditions_and_dropped_rows(call, data, plain) -> None:
    rows = [(*row, "keep") for row in (*ROWS, (1e9, 1e10, ""))] + [(1e9, 1e10, 9.0, "leave")]
    write_rows(Path("columns.csv"), ("Größe", "Data seen", "final", "which"), rows)
    words = "fit columns.csv --column params=Größe --column 'D=Data seen' --column loss=final"
    found = data(f"{words} --where \"which == 'keep'\"")
    assert (found["n_runs"], found["n_rows"], found["left_out"]) == (64, 66, 1)
    assert found["coefficients"] == plain["coefficients"]
    assert found["columns"] == {"params": "Größe", "tokens": "Data seen", "loss": "final"}
    assert found["dropped"] == [{"row": 65, "reason": "loss is missing"}]
    text = " ".join(call(words).out.split())
    assert "columns params 'Größe', tokens 'Data seen', loss 'final'" in text
    assert "1 dropped: row 65: loss is missing" in text
