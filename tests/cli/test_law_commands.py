"""isoflop penalty, allocate, derive and laws: their JSON is the library's result, whatever form the
law and the run are given in.
"""

import json
import math
import re

import pytest
import sympy
from tests.cli.conftest import as_json

import isoflop
from isoflop.theory.data.published import names, published

PENALTY, ALLOCATE = "penalty --law besiroglu2024", "allocate --law besiroglu2024"
EXPONENTS = "penalty --law beta=.34,gamma=.28"
LAW = {"E": 1.8172, "A": 482.01, "B": 2085.43, "beta": 0.3478, "gamma": 0.3658}
RUN = "--params 8B --tokens 15T"

#: The words of a command, and the rows of its JSON as calls of the library.
ROWS = {
    f"{PENALTY} --ratio 3 0.5": [{"ratio": 3.0}, {"ratio": 0.5}],
    f"{PENALTY} --ratio 100": [{"ratio": 100.0}],
    PENALTY: [{"ratio": ratio} for ratio in (0.1, 0.3, 1.0, 3.0, 10.0)],
    f"{PENALTY} {RUN}": [{"params": 8e9, "tokens": 15e12}],
    f"{PENALTY} --params 7B --loss 2": [{"params": 7e9, "loss": 2.0}],
    f"{PENALTY} --compute 6e22 --tokens-per-param 25 100": [
        {"compute": 6e22, "tokens_per_param": ratio} for ratio in (25.0, 100.0)
    ],
    f"{ALLOCATE} --compute 5.76e23": [{"compute": 5.76e23}],
    f"{ALLOCATE} --loss 2.0": [{"loss": 2.0}],
    f"{ALLOCATE} --params 8B": [{"params": 8e9}],
    f"{ALLOCATE} --params 7B --loss 2.05": [{"params": 7e9, "loss": 2.05}],
    f"{ALLOCATE} --compute 1e24 --max-tokens 100B": [{"compute": 1e24, "max_tokens": 1e11}],
    f"{ALLOCATE} --compute 1e20,1e22 --compute 1e24": [
        {"compute": compute} for compute in (1e20, 1e22, 1e24)
    ],
}


@pytest.mark.parametrize(("words", "asked"), ROWS.items(), ids=ROWS)
def test_json_is_the_result_of_the_library(data, words, asked) -> None:
    law = isoflop.law("besiroglu2024")
    method = getattr(law, words.split()[0])
    rows = [{"law": law.name, **method(**given).as_dict()} for given in asked]
    first = rows[0] if "allocate" in words and len(rows) == 1 else {}
    assert data(words) == as_json({**first, "law": law.name, "rows": rows})


def test_what_text_says_of_a_row(call) -> None:
    for words, shown in (
        (f"{PENALTY} --ratio 100", "never"),
        (f"{PENALTY} --params 7 --tokens 1T", "warning: params 7: "),
        (f"{ALLOCATE} --compute 1e24 --max-tokens 1T", "max tokens"),
    ):
        assert shown in call(words).out
    assert "max tokens" not in call(f"{ALLOCATE} --compute 1e24").out


def test_a_tolerance(data) -> None:
    found = data(f"{PENALTY} --within 1%")
    expected = isoflop.law("besiroglu2024").tolerance(0.01)._asdict()
    assert found == as_json(
        {"law": "besiroglu2024", "rows": [], "tolerance": {"law": "besiroglu2024", **expected}}
    )


# -- which law -------------------------------------------------------------------------------------


def test_spellings_of_lists_and_coefficients(data) -> None:
    for words in ("--ratio '0.1, 1, 10'", "--ratio=0.1 --ratio 1,10", "--ratio 10% 1e0 , 0.01k"):
        rows = data(f"{EXPONENTS} {words}")["rows"]
        assert [row["ratio"] for row in rows] == [0.1, 1.0, 10.0]
    words = "A=482.01 B=2085.43 beta=.3478 gamma=.3658"
    bare = data(f"penalty --law {words} {RUN}")
    assert bare == data(f"penalty --law={words.replace(' ', ',')} {RUN}")
    hoffmann = data("penalty --notation hoffmann --law alpha=.34 beta=.28 --ratio 3")
    assert hoffmann == data(f"{EXPONENTS} --ratio 3")
    (row,), (without,) = data(f"{PENALTY} {RUN}")["rows"], bare["rows"]
    assert (bare["law"], without["loss"], without["optimal_loss"]) == ("custom", None, None)
    assert without["loss_excess"] == row["loss_excess"]


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


def test_far_beyond_the_runs_of_a_saved_fit(call, data, tmp_path) -> None:
    """How far an allocation is beyond the ranges of the runs, where the file holds these."""
    ranges = {"params": [1e8, 1e10], "tokens": [1e9, 1e11], "compute": [1e18, 1e22]}
    held = {"name": "mine", "notation": "schaeffer", "coefficients": LAW}
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    new.write_text(json.dumps({**held, "ranges": ranges}), encoding="utf-8")
    old.write_text(json.dumps(held), encoding="utf-8")
    (warning,) = data("allocate --compute 1e21 1e25 --law", new)["warnings"]
    assert "1e25 FLOP is far beyond its runs" in warning
    assert "compute 1e+03 times the largest (1e+22)" in warning
    assert f"warning: {warning}" in call("allocate --compute 1e25 --law", new).out
    assert "warnings" not in data("allocate --compute 1e21 --law", new)
    assert "warnings" not in data("allocate --compute 1e25 --law", old)


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
    refused(("holds L = ", "takes a law E + A N^-beta + B D^-gamma"), "derive", *own)


# -- laws of accuracy: Table 12 of Krajewski et al. 2025, row ARC-E, as printed ------------------------

A, ALPHA, B, BETA, GUESS = 1533.4592, 0.3749, 2923.3999, 0.3812, 0.2918


def test_an_allocation_by_a_law_of_accuracy(call, data) -> None:
    """-log Q' is no loss, and the accuracy is exp of it, above guessing."""
    words = "allocate --law krajewski2025-arc-e --compute 1e22"
    found = data(words)
    assert found["random_baseline"] == {"krajewski2025-arc-e": GUESS}
    expected = GUESS + (1.0 - GUESS) * math.exp(-found["loss"])
    assert found["accuracy"] == pytest.approx(expected, rel=1e-12)
    y = A * found["params"] ** -ALPHA + B * found["tokens"] ** -BETA
    assert found["loss"] == pytest.approx(y, rel=1e-4)
    text = call(words).out
    assert "loss" not in text
    assert "0.7611" in text


# -- derive and laws -------------------------------------------------------------------------------


def test_a_derivation_and_the_numbers_of_a_law(data) -> None:
    found, law = data("derive --law besiroglu2024"), isoflop.law("besiroglu2024")
    symbols = {name: sympy.Symbol(name, positive=True) for name in (*LAW, "C", "r")}
    for name in ("params", "tokens", "exponent", "coefficient", "loss", "penalty"):
        assert sympy.sympify(found[name], locals=symbols).free_symbols <= {*symbols.values()}
    assert len(found["claims"]) > 30
    assert {claim["answer"] for claim in found["claims"]} == {"proved"}
    numbers = found["numbers"]
    assert (numbers["law"], numbers["coefficients"]) == ("besiroglu2024", LAW)
    for name in ("exponent", "coefficient", "params_share", "tokens_share"):
        assert numbers[name] == getattr(law.envelope, name)
    for compute in (1e20, 5.76e23):
        for name, best in (("params", law.N_opt(compute)), ("tokens", law.D_opt(compute))):
            value = numbers[f"{name}_coefficient"] * compute ** numbers[f"{name}_exponent"]
            assert value == pytest.approx(best, rel=1e-13)
    exponent = sympy.sympify(found["exponent"], locals=symbols)
    value = exponent.subs({symbols[name]: x for name, x in LAW.items()})
    assert float(value) == pytest.approx(numbers["exponent"], rel=1e-14)


def test_published_laws(call, data) -> None:
    assert [law["name"] for law in data("laws")["laws"]] == list(names())
    assert [name for name in names() if f"\n{name} " not in call("laws").out] == []
    (law,) = data("laws besiroglu2024")["laws"]
    assert (law["notation"], law["notation_of_source"]) == ("schaeffer", "hoffmann")
    assert law["coefficients"] == LAW
    assert law["decimals"] == published("besiroglu2024").coefficients
    (law,) = data("laws besiroglu2024 --notation hoffmann")["laws"]
    assert (law["notation"], law["coefficients"]["alpha"]) == ("hoffmann", 0.3478)
    assert "y = E + A N^-alpha + B D^-beta" in call("laws --notation hoffmann").out
    (law,) = data("laws krajewski2025-arc-e")["laws"]
    assert law["coefficients"]["E"] is None
    assert "no irreducible term" in call("laws krajewski2025-arc-e").out


def test_latex_of_laws_cites_what_bibtex_lists(call) -> None:
    bibtex = call("laws --format bibtex").out
    entries = re.findall(r"^@\w+\{(\w+),", bibtex, re.MULTILINE)
    cited = re.findall(r"\\cite\{(\w+)\}", call("laws --format latex").out)
    assert (len(cited), set(cited)) == (len(names()), set(entries))
    assert len(entries) == len(set(entries))
    assert bibtex.count("{") == bibtex.count("}")
