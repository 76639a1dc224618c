"""isoflop check without runs; its text and its data are kept among the golden outputs."""


def test_plot(call, tmp_path) -> None:
    path = tmp_path / "check.png"
    result = call("check", "--plot", path)
    assert (result.code, result.err) == (0, "")
    assert path.read_bytes().startswith(b"\x89PNG")
    assert "agree" in result.out
