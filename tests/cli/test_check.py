"""isoflop check."""

import pytest

ROW = {
    "name",
    "alpha_derived",
    "alpha_empirical",
    "alpha_ray",
    "alpha_ray_lo",
    "alpha_ray_hi",
    "max_abs_difference",
    "max_abs_difference_envelope",
    "verdict",
}
BENCHMARKS = [
    *("ARC-E", "ARC-C", "SciQ", "PIQA", "HellaSwag", "Winogrande"),
    *("WebQS", "TriviaQA", "LAMBADA", "GSM8K", "HumanEval", "LBPP"),
]


@pytest.fixture(scope="module")
def checked(data):
    return data("check")


def test_rows(checked) -> None:
    assert checked["kind"] == "published"
    assert [row["name"] for row in checked["rows"]] == BENCHMARKS
    assert all(set(row) >= ROW for row in checked["rows"])


def test_verdicts_follow_the_difference(checked) -> None:
    for row in checked["rows"]:
        assert row["verdict"] == ("agrees" if row["max_abs_difference"] <= 0.02 else "differs")


def test_text(call, checked) -> None:
    result = call("check")
    assert (result.code, result.err) == (0, "")
    assert max(map(len, result.out.splitlines())) <= 100
    for name in BENCHMARKS:
        assert name in result.out
    assert f"{checked['agrees']} of 12 agree" in result.out


def test_plot(call, tmp_path) -> None:
    path = tmp_path / "check.png"
    result = call("check", "--plot", path)
    assert (result.code, result.err) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert "agree" in result.out
