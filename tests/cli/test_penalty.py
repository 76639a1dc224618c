"""isoflop penalty: its JSON is the library's result, and how it is asked."""

import json

import numpy as np
import pytest
from tests.cli.conftest import as_json

import isoflop

PENALTY = "penalty --law besiroglu2024"
EXPONENTS = "penalty --law beta=.34,gamma=.28"
#: The options, and the same as arguments of the library, a row each.
ASKED = {
    "--ratio 3 0.5": [{"ratio": 3.0}, {"ratio": 0.5}],
    "--params 8B --tokens 15T": [{"params": 8e9, "tokens": 15e12}],
    "--params 7B --loss 2": [{"params": 7e9, "loss": 2.0}],
    "--compute 6e22 --tokens-per-param 25 100": [
        {"compute": 6e22, "tokens_per_param": ratio} for ratio in (25.0, 100.0)
    ],
}


@pytest.mark.parametrize(("words", "asked"), ASKED.items(), ids=ASKED)
def test_json_is_the_result_of_the_library(data, words, asked) -> None:
    law = isoflop.law("besiroglu2024")
    rows = [{"law": law.name, **law.penalty(**given).as_dict()} for given in asked]
    assert data(f"{PENALTY} {words}") == as_json({"law": law.name, "rows": rows})


def test_a_law_without_an_irreducible_loss(data) -> None:
    run = "--params 8B --tokens 15T"
    (row,) = data(f"{PENALTY} {run}")["rows"]
    bare = f"penalty --law A=482.01 B=2085.43 beta=.3478 gamma=.3658 {run}"
    (without,) = data(bare)["rows"]
    assert (without["loss"], without["optimal_loss"]) == (None, None)
    assert without["loss_excess"] == row["loss_excess"]


def test_a_tolerance(data) -> None:
    found = data(f"{PENALTY} --within 1%")
    tolerance = found["tolerance"]
    assert found["rows"] == []
    assert [round(end, 3) for end in tolerance["size_ratio"]] == [0.673, 1.485]
    expected = isoflop.law("besiroglu2024").tolerance(0.01).as_dict()
    assert tolerance == as_json({"law": "besiroglu2024", **expected})


def test_rows_of_ratios(call, data) -> None:
    found = data(f"{PENALTY} --ratio 0.1 1 10")
    assert set(found) == {"law", "rows"}
    middle = found["rows"][1]
    assert (middle["loss_penalty"], middle["excess"], middle["compute_overhead"]) == (1.0, 0.0, 0.0)
    assert str(middle["lost_compute"]) == "0.0"
    (row,) = data(f"{PENALTY} --ratio 100")["rows"]
    assert (row["compute_overhead"], row["tokens_factor"]) == (None, None)
    assert "never" in call(f"{PENALTY} --ratio 100").out
    assert [row["ratio"] for row in data(PENALTY)["rows"]] == [0.1, 0.3, 1.0, 3.0, 10.0]


@pytest.mark.parametrize(
    "words", ["--ratio '0.1, 1, 10'", "--ratio=0.1 --ratio 1,10", "--ratio 10% 1e0 , 0.01k"]
)
def test_lists(data, words) -> None:
    rows = data(f"{EXPONENTS} {words}")["rows"]
    assert [row["ratio"] for row in rows] == [0.1, 1.0, 10.0]


def test_hardly_any_params_are_doubted(call) -> None:
    assert "warning: params 7: " in call(f"{PENALTY} --params 7 --tokens 1T").out


# -- laws ------------------------------------------------------------------------------------------


def test_spellings_of_coefficients(data) -> None:
    words = "A=406.4 B=410.7 beta=0.34 gamma=0.28 E=1.69"
    run = "--params 7B --tokens 1.4T"
    joined = data(f"penalty --law={words.replace(' ', ',')} {run}")
    assert joined == data(f"penalty --law {words} {run}")
    hoffmann = data("penalty --notation hoffmann --law alpha=.34 beta=.28 --ratio 3")
    assert hoffmann == data(f"{EXPONENTS} --ratio 3")


def test_names_and_files_in_one_list(data, tmp_path) -> None:
    law = {"notation": "hoffmann", "coefficients": {"alpha": 0.34, "beta": 0.28}}
    names = {"first": "a b.json", "second": "c,d.json", "third": "e.json", None: "f.json"}
    paths = [tmp_path / name for name in names.values()]
    for name, path in zip(names, paths, strict=True):
        path.write_text(json.dumps(law | ({"name": name} if name else {})))
    one, two, three, nameless = paths
    words = (one, two, f"{three},besiroglu2024", "--law", nameless)
    found = data("penalty --ratio 2 4 --law", *words)
    laws = ["first", "second", "third", "besiroglu2024", str(nameless)]
    assert found["law"] == laws
    assert [row["law"] for row in found["rows"]] == [name for name in laws for _ in range(2)]


def test_a_law_of_ones_own_answers_alike(data, refused, tmp_path) -> None:
    """Kaplan et al. 2020: R is a power inside the loss; of a file, beside a published law."""
    kaplan = isoflop.law_from_expression(
        "((Nc/N)**(aN/aD) + Dc/D)**aD",
        {"Nc": 8.8e13, "Dc": 5.4e13, "aN": 0.076, "aD": 0.095},
        name="kaplan2020",
    )
    kaplan.save(tmp_path / "kaplan.json")
    own = ("--law", tmp_path / "kaplan.json")
    rows = data("penalty --params 7B --compute 8.4e22", *own, "besiroglu2024")["rows"]
    assert [row["law"] for row in rows] == ["kaplan2020", "besiroglu2024"]
    D = 8.4e22 / 6 / 7e9
    loss = ((8.8e13 / 7e9) ** (0.076 / 0.095) + 5.4e13 / D) ** 0.095
    assert rows[0]["loss"] == pytest.approx(loss, rel=1e-13)
    # it tends to 0
    assert rows[0]["loss_penalty"] == pytest.approx(loss / kaplan.L_opt(8.4e22), rel=1e-12)
    (row,) = data("allocate --loss 1.9", *own)["rows"]
    assert kaplan(row["params"], row["tokens"]) == pytest.approx(1.9, rel=1e-12)
    refused(("a law E + A N^-beta + B D^-gamma is needed",), "derive", *own)


def test_accuracy_points_of_a_published_law(call, data) -> None:
    """Against the least -log accuracy over 400,001 allocations, and the law at ten times the ratio;
    Table 12 of Krajewski et al. 2025, row ARC-E, as printed.
    """
    words = "penalty --law krajewski2025-arc-e --ratio 10 --compute 1e23"
    (found,) = data(words)["accuracy"]
    A, alpha, B, beta, guess = 1533.4592, 0.3749, 2923.3999, 0.3812, 0.2918

    def accuracy(params):
        tokens = 1e23 / (6.0 * params)
        return guess + (1.0 - guess) * np.exp(-(A * params**-alpha + B * tokens**-beta))

    sizes = np.geomspace(1e9, 1e12, 400_001)
    best = sizes[np.argmax(accuracy(sizes))]
    assert found["optimal_accuracy"] == pytest.approx(accuracy(best), abs=1e-9)
    assert found["accuracy"] == pytest.approx(accuracy(best / np.sqrt(10.0)), abs=1e-6)
    lost = found["optimal_accuracy"] - found["accuracy"]
    assert found["lost_accuracy"] == pytest.approx(lost, abs=1e-12)
    assert found["greatest_loss"] > found["lost_accuracy"]
    assert "1.37" in call(words).out
