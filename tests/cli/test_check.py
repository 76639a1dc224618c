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


def test_an_exponent_from_the_printed_digits(checked) -> None:
    # The slope of the best loss in compute, searched, and the decoded column of Table 11.
    mpmath = pytest.importorskip("mpmath")
    from math import log

    mp = mpmath.mp.clone()
    mp.dps = 40
    beta, gamma = mp.mpf("0.3749"), mp.mpf("0.3812")

    def best(compute):
        def f(s):
            return 1533.4592 * mp.exp(-beta * s) + 2923.3999 * (compute / 6) ** -gamma * mp.exp(
                gamma * s
            )

        low, high = mp.mpf(-50), mp.mpf(150)
        for _ in range(200):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, right) if f(left) < f(right) else (left, high)
        return f(low)

    slope = mp.log(best(mp.mpf(10) ** 20) / best(mp.mpf(10) ** 22)) / mp.log(100)
    row = checked["rows"][0]
    assert row["alpha_derived"] == pytest.approx(float(slope), rel=1e-13)
    assert row["alpha_empirical"] == pytest.approx(-log(0.8320), rel=1e-14)


def test_text(call, checked) -> None:
    result = call("check")
    assert (result.code, result.err) == (0, "")
    assert max(map(len, result.out.splitlines())) <= 100
    for name in BENCHMARKS:
        assert name in result.out
    assert f"{checked['agrees']} of 12 agree" in result.out


@pytest.mark.parametrize("words", [["1e20", "1e22"], ["1e20,1e22"]])
def test_compute_range(data, words) -> None:
    assert data("check", "--compute-range", *words)["compute_range"] == [1e20, 1e22]


def test_plot(call, tmp_path) -> None:
    path = tmp_path / "check.png"
    result = call("check", "--plot", path)
    assert (result.code, result.err) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert "agree" in result.out
