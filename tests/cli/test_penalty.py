"""isoflop penalty."""

import json

import pytest

ROW = {
    "law",
    "ratio",
    "size_ratio",
    "loss_penalty",
    "excess",
    "effective_compute",
    "lost_compute",
    "compute_overhead",
    "tokens_factor",
}
RUN = {
    "params",
    "tokens",
    "compute",
    "optimal_params",
    "optimal_tokens",
    "loss",
    "optimal_loss",
    "reducible_loss",
    "optimal_reducible_loss",
    "loss_excess",
    "tokens_per_param",
    "optimal_tokens_per_param",
}

#: The reference searches for the optimum at 60 digits; what is compared is a float computed to the
#: last bits.
CLOSE = 4e-14


def close(value: float, reference: object, tolerance: float = CLOSE) -> bool:
    return abs(value / float(reference) - 1.0) < tolerance  # type: ignore[arg-type]


@pytest.mark.parametrize("size_ratio", ["0.25", "0.5", "0.9", "1.1", "2", "10"])
def test_against_a_search_for_the_optimum(data, besiroglu, size_ratio) -> None:
    (row,) = data("penalty", "--law", "besiroglu2024", "--size-ratio", size_ratio)["rows"]
    assert close(row["loss_penalty"], besiroglu.penalty(size_ratio))
    assert close(row["excess"], besiroglu.penalty(size_ratio) - 1)
    assert close(row["compute_overhead"], besiroglu.overhead(size_ratio))
    assert close(row["effective_compute"], besiroglu.effective(size_ratio), 1e-12)
    assert row["size_ratio"] == float(size_ratio)
    assert close(row["ratio"], float(size_ratio) ** -2)


def test_rows_of_ratios(data) -> None:
    result = data("penalty", "--law", "besiroglu2024", "--ratio", "0.1", "1", "10")
    assert result["law"] == "besiroglu2024"
    assert set(result) == {"law", "rows"}
    assert [row["ratio"] for row in result["rows"]] == [0.1, 1.0, 10.0]
    assert all(set(row) == ROW for row in result["rows"])
    middle = result["rows"][1]
    assert (middle["loss_penalty"], middle["excess"], middle["compute_overhead"]) == (1.0, 0.0, 0.0)
    assert str(middle["lost_compute"]) == "0.0"


@pytest.mark.parametrize(
    "words",
    [
        ["--ratio", "0.1", "1", "10"],
        ["--ratio", "0.1,1,10"],
        ["--ratio", "0.1, 1, 10"],
        ["--ratio", "0.1 1 10"],
        ["--ratio", "0.1", ",", "1", ",", "10"],
        ["--ratio", "0.1", "--ratio", "1,10"],
        ["--ratio=0.1,1", "--ratio=10"],
        ["--ratio", "10%", "1e0", "0.01k"],
    ],
)
def test_lists(data, words) -> None:
    rows = data("penalty", "--law", "beta=.34,gamma=.28", *words)["rows"]
    assert [row["ratio"] for row in rows] == [0.1, 1.0, 10.0]


def test_out_of_reach_is_null(call, data) -> None:
    words = ("penalty", "--law", "besiroglu2024", "--size-ratio", "0.1")
    (row,) = data(*words)["rows"]
    assert row["compute_overhead"] is None
    assert row["tokens_factor"] is None
    assert "never" in call(*words).out


def test_coefficients_in_one_word_or_in_several(data) -> None:
    run = ("--params", "7B", "--tokens", "1.4T")
    words = "A=406.4 B=410.7 beta=0.34 gamma=0.28 E=1.69"
    joined = data("penalty", f"--law={words.replace(' ', ',')}", *run)
    assert joined == data("penalty", "--law", *words.split(), *run)


def test_a_run(data, besiroglu) -> None:
    (row,) = data("penalty", "--law", "besiroglu2024", "--params", "8B", "--tokens", "15T")["rows"]
    assert set(row) == ROW | RUN
    compute = besiroglu.mp.mpf(6) * 8 * 10**9 * 15 * 10**12
    params, tokens = besiroglu.optimum(compute)
    own, best = (
        besiroglu.reducible(besiroglu.mp.mpf(8 * 10**9), besiroglu.mp.mpf(15 * 10**12)),
        besiroglu.best(compute),
    )
    assert row["compute"] == pytest.approx(7.2e23, rel=CLOSE)
    for name, reference in {
        "optimal_params": params,
        "optimal_tokens": tokens,
        "loss": besiroglu.E + own,
        "optimal_loss": besiroglu.E + best,
        "loss_excess": own - best,
        "loss_penalty": own / best,
        "size_ratio": 8 * 10**9 / params,
        "ratio": (15 * 10**12 / tokens) / (8 * 10**9 / params),
    }.items():
        assert close(row[name], reference), name


def test_without_irreducible_loss(call, data) -> None:
    words = (
        "penalty",
        "--law",
        "A=482.01 B=2085.43",
        "beta=.3478 gamma=.3658",
        "--params=8B",
        "--tokens=15T",
    )
    (row,) = data(*words)["rows"]
    (whole,) = data("penalty", "--law", "besiroglu2024", "--params", "8B", "--tokens", "15T")[
        "rows"
    ]
    assert (row["loss"], row["optimal_loss"]) == (None, None)
    assert row["loss_excess"] == whole["loss_excess"]
    assert call(*words).code == 0


def test_several_laws(data) -> None:
    result = data(
        "penalty",
        "--law",
        "besiroglu2024,hoffmann2022",
        "--law",
        "muennighoff2023",
        "--ratio",
        "2",
        "4",
    )
    names = ["besiroglu2024", "hoffmann2022", "muennighoff2023"]
    assert result["law"] == names
    assert [row["law"] for row in result["rows"]] == [name for name in names for _ in range(2)]


def test_tolerance(data, besiroglu) -> None:
    result = data("penalty", "--law", "besiroglu2024", "--within", "1%")
    assert result["rows"] == []
    tolerance = result["tolerance"]
    assert tolerance["law"] == "besiroglu2024"
    assert tolerance["within"] == 0.01
    assert [round(end, 3) for end in tolerance["size_ratio"]] == [0.673, 1.485]
    for end in tolerance["size_ratio"]:
        assert close(float(besiroglu.penalty(end)) - 1.0, 0.01, 1e-12)
    assert tolerance["ratio"] == pytest.approx(
        [end**-2 for end in reversed(tolerance["size_ratio"])], rel=CLOSE
    )


def test_hoffmann_notation(data) -> None:
    hoffmann = data(
        "penalty", "--notation", "hoffmann", "--law", "alpha=.34", "beta=.28", "--ratio", "3"
    )
    assert hoffmann == data("penalty", "--law", "beta=.34", "gamma=.28", "--ratio", "3")


# Law files.


def law_file(path, **changes):
    law = {
        "name": "mine",
        "notation": "hoffmann",
        "coefficients": {"E": 1.69, "A": 406.4, "B": 410.7, "alpha": 0.34, "beta": 0.28},
    }
    path.write_text(json.dumps({**law, **changes}))
    return path


def test_a_nameless_law_file_is_called_by_its_path(data, tmp_path) -> None:
    path = law_file(tmp_path / "law.json")
    path.write_text(
        json.dumps(
            {key: value for key, value in json.loads(path.read_text()).items() if key != "name"}
        )
    )
    assert data("penalty", "--law", path, "--ratio", "3")["law"] == str(path)


def test_law_files_and_names_in_one_list(data, tmp_path) -> None:
    first, second = (
        law_file(tmp_path / "a b.json", name="first"),
        law_file(tmp_path / "c,d.json", name="second"),
    )
    plain = law_file(tmp_path / "e.json", name="third")
    laws = data("penalty", "--law", first, second, f"{plain},besiroglu2024", "--ratio", "3")["law"]
    assert laws == ["first", "second", "third", "besiroglu2024"]


# Text, LaTeX, files.


def test_the_usual_ratios_where_nothing_is_asked(data) -> None:
    rows = data("penalty", "--law", "besiroglu2024")["rows"]
    assert [row["ratio"] for row in rows] == [0.1, 0.3, 1.0, 3.0, 10.0]


def test_hardly_any_params_are_doubted(call) -> None:
    out = call("penalty", "--law", "besiroglu2024", "--params", "7", "--tokens", "1T").out
    assert "warning: params 7: fewer than 10,000" in out


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]
)
def test_plot(call, tmp_path, suffix, start) -> None:
    path = tmp_path / f"penalty.{suffix}"
    result = call(
        "penalty",
        "--law",
        "besiroglu2024",
        "hoffmann2022",
        "--ratio",
        "3",
        "--within",
        "1%",
        "--plot",
        path,
    )
    assert (result.code, result.err) == (0, "")
    assert path.read_bytes().startswith(start)


def test_accuracy_points_of_a_published_law(call) -> None:
    """Against the least -log accuracy over 4,001 allocations, and the law at ten times the ratio."""
    import numpy as np

    result = call(
        "penalty",
        "--law",
        "krajewski2025-arc-e",
        "--ratio",
        "10",
        "--compute",
        "1e23",
        "--format",
        "json",
    )
    assert (result.code, result.err) == (0, "")
    (found,) = json.loads(result.out)["accuracy"]
    A, alpha, B, beta, guess = (
        1533.4592,
        0.3749,
        2923.3999,
        0.3812,
        0.2918,
    )  # Table 12, row ARC-E, as printed

    def accuracy(params):
        return guess + (1.0 - guess) * np.exp(
            -(A * params**-alpha + B * (1e23 / (6.0 * params)) ** -beta)
        )

    sizes = np.geomspace(1e9, 1e12, 400_001)
    best = sizes[np.argmax(accuracy(sizes))]
    assert found["optimal_accuracy"] == pytest.approx(accuracy(best), abs=1e-9)
    assert found["accuracy"] == pytest.approx(accuracy(best / np.sqrt(10.0)), abs=1e-6)
    assert found["lost_accuracy"] == pytest.approx(
        found["optimal_accuracy"] - found["accuracy"], abs=1e-12
    )
    assert found["greatest_loss"] > found["lost_accuracy"]
    text = call("penalty", "--law", "krajewski2025-arc-e", "--ratio", "10", "--compute", "1e23").out
    assert "1.37" in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--law", "besiroglu2024", "--ratio", "10", "--compute", "1e23"),
            "--compute '1e23': at a ratio is for a law of accuracy",
        ),
        (
            (
                "--law",
                "krajewski2025-piqa",
                "--params",
                "7B",
                "--tokens",
                "2T",
                "--compute",
                "1e23",
            ),
            "--compute '1e23'",
        ),
    ],
)
def test_accuracy_points_refused(call, words, message) -> None:
    result = call("penalty", *words)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_runs_by_their_tokens_per_param(data) -> None:
    rows = data(
        "penalty", "--law", "besiroglu2024", "--compute", "6e22", "--tokens-per-param", "25", "100"
    )["rows"]
    assert [(row["params"], row["tokens"]) for row in rows] == [
        (pytest.approx(2e10), pytest.approx(5e11)),
        (pytest.approx(1e10), pytest.approx(1e12)),
    ]
    (row,) = data(
        "penalty", "--law", "besiroglu2024", "--params", "10B", "--tokens-per-param", "100"
    )["rows"]
    assert row["loss_penalty"] == pytest.approx(rows[1]["loss_penalty"], rel=1e-13)


def test_a_law_of_ones_own_answers_alike(data, call, tmp_path) -> None:
    """Kaplan et al. 2020: R is a power inside the loss; of a file, beside a published law."""
    import isoflop

    kaplan = isoflop.law_from_expression(
        "((Nc/N)**(aN/aD) + Dc/D)**aD",
        {"Nc": 8.8e13, "Dc": 5.4e13, "aN": 0.076, "aD": 0.095},
        name="kaplan2020",
    )
    kaplan.save(tmp_path / "kaplan.json")
    laws = ("--law", str(tmp_path / "kaplan.json"), "besiroglu2024")
    rows = data("penalty", *laws, "--params", "7B", "--compute", "8.4e22")["rows"]
    assert [row["law"] for row in rows] == ["kaplan2020", "besiroglu2024"]
    D = 8.4e22 / 6 / 7e9
    loss = ((8.8e13 / 7e9) ** (0.076 / 0.095) + 5.4e13 / D) ** 0.095
    assert rows[0]["loss"] == pytest.approx(loss, rel=1e-13)
    assert rows[0]["loss_penalty"] == pytest.approx(
        loss / kaplan.L_opt(8.4e22), rel=1e-12
    )  # it tends to 0
    (row,) = data("allocate", *laws[:2], "--loss", "1.9")["rows"]
    assert kaplan(row["params"], row["tokens"]) == pytest.approx(1.9, rel=1e-12)
    refused = call("derive", *laws[:2])
    assert (refused.code, "a law E + A N^-beta + B D^-gamma is needed" in refused.err) == (2, True)
