"""isoflop penalty: its figures against a search for the optimum, and how it is asked."""

import json

import numpy as np
import pytest

import isoflop

ROW = {"law", "ratio", "size_ratio", "loss_penalty", "excess", "effective_compute", "lost_compute"}
ROW |= {"compute_overhead", "tokens_factor"}
RUN = {"params", "tokens", "compute", "optimal_params", "optimal_tokens", "loss", "optimal_loss"}
RUN |= {"reducible_loss", "optimal_reducible_loss", "loss_excess"}
RUN |= {"tokens_per_param", "optimal_tokens_per_param"}
#: The reference searches for the optimum at 60 digits; what is compared is a float computed to the
#: last bits.
CLOSE = 4e-14
PENALTY = "penalty --law besiroglu2024"
EXPONENTS = "penalty --law beta=.34,gamma=.28"


def close(value: float, reference: object, tolerance: float = CLOSE) -> bool:
    return abs(value / float(reference) - 1.0) < tolerance  # type: ignore[arg-type]


@pytest.mark.parametrize("size_ratio", ["0.25", "0.5", "0.9", "1.1", "2", "10"])
def test_against_a_search_for_the_optimum(data, besiroglu, size_ratio) -> None:
    (row,) = data(f"{PENALTY} --size-ratio {size_ratio}")["rows"]
    assert close(row["loss_penalty"], besiroglu.penalty(size_ratio))
    assert close(row["excess"], besiroglu.penalty(size_ratio) - 1)
    assert close(row["compute_overhead"], besiroglu.overhead(size_ratio))
    assert close(row["effective_compute"], besiroglu.effective(size_ratio), 1e-12)
    assert row["size_ratio"] == float(size_ratio)
    assert close(row["ratio"], float(size_ratio) ** -2)


def test_a_run(data, besiroglu) -> None:
    (row,) = data(f"{PENALTY} --params 8B --tokens 15T")["rows"]
    assert set(row) == ROW | RUN
    size, seen = besiroglu.mp.mpf(8 * 10**9), besiroglu.mp.mpf(15 * 10**12)
    params, tokens = besiroglu.optimum(6 * size * seen)
    own, best = besiroglu.reducible(size, seen), besiroglu.best(6 * size * seen)
    assert row["compute"] == pytest.approx(7.2e23, rel=CLOSE)
    for name, reference in {
        "optimal_params": params,
        "optimal_tokens": tokens,
        "loss": besiroglu.E + own,
        "optimal_loss": besiroglu.E + best,
        "loss_excess": own - best,
        "loss_penalty": own / best,
        "size_ratio": size / params,
        "ratio": (seen / tokens) / (size / params),
    }.items():
        assert close(row[name], reference), name
    bare = "penalty --law A=482.01 B=2085.43 beta=.3478 gamma=.3658 --params=8B --tokens=15T"
    (without,) = data(bare)["rows"]
    assert (without["loss"], without["optimal_loss"]) == (None, None)
    assert without["loss_excess"] == row["loss_excess"]


def test_a_tolerance(data, besiroglu) -> None:
    found = data(f"{PENALTY} --within 1%")
    tolerance = found["tolerance"]
    assert found["rows"] == []
    assert (tolerance["law"], tolerance["within"]) == ("besiroglu2024", 0.01)
    assert [round(end, 3) for end in tolerance["size_ratio"]] == [0.673, 1.485]
    for end in tolerance["size_ratio"]:
        assert close(float(besiroglu.penalty(end)) - 1.0, 0.01, 1e-12)
    ratios = [end**-2 for end in reversed(tolerance["size_ratio"])]
    assert tolerance["ratio"] == pytest.approx(ratios, rel=CLOSE)


def test_rows_of_ratios(call, data) -> None:
    found = data(f"{PENALTY} --ratio 0.1 1 10")
    assert set(found) == {"law", "rows"}
    assert all(set(row) == ROW for row in found["rows"])
    middle = found["rows"][1]
    assert (middle["loss_penalty"], middle["excess"], middle["compute_overhead"]) == (1.0, 0.0, 0.0)
    assert str(middle["lost_compute"]) == "0.0"
    (row,) = data(f"{PENALTY} --size-ratio 0.1")["rows"]
    assert (row["compute_overhead"], row["tokens_factor"]) == (None, None)
    assert "never" in call(f"{PENALTY} --size-ratio 0.1").out
    assert [row["ratio"] for row in data(PENALTY)["rows"]] == [0.1, 0.3, 1.0, 3.0, 10.0]


@pytest.mark.parametrize(
    "words",
    [
        "--ratio 0.1 1 10",
        "--ratio 0.1,1,10",
        "--ratio '0.1, 1, 10'",
        "--ratio 0.1 , 1 , 10",
        "--ratio 0.1 --ratio 1,10",
        "--ratio=0.1,1 --ratio=10",
        "--ratio 10% 1e0 0.01k",
    ],
)
def test_lists(data, words) -> None:
    rows = data(f"{EXPONENTS} {words}")["rows"]
    assert [row["ratio"] for row in rows] == [0.1, 1.0, 10.0]


def test_runs_by_their_tokens_per_param(data) -> None:
    rows = data(f"{PENALTY} --compute 6e22 --tokens-per-param 25 100")["rows"]
    found = [(row["params"], row["tokens"]) for row in rows]
    assert found == [pytest.approx((2e10, 5e11)), pytest.approx((1e10, 1e12))]
    (row,) = data(f"{PENALTY} --params 10B --tokens-per-param 100")["rows"]
    assert row["loss_penalty"] == pytest.approx(rows[1]["loss_penalty"], rel=1e-13)


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
