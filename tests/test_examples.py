"""Every example runs and leaves the picture or the table that it promises."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples"
WRITES = {
    "check_published_laws": "check.png",
    "cost_of_overtraining": "penalty.png",
    "simulate_runs": "runs.csv",
    "verify_the_envelope": None,
    "write_the_theorem": "theorem.tex",
    "your_own_law": None,
}


def test_all_examples_are_listed():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(WRITES)


@pytest.mark.parametrize("name", sorted(WRITES))
def test_example(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [f"{name}.py"])
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    output = capsys.readouterr().out
    assert len(output.splitlines()) >= 1
    if WRITES[name]:
        assert (tmp_path / WRITES[name]).stat().st_size > 1000
    else:
        assert len(output.splitlines()) >= 6


def test_the_verification_example_proves_every_step(capsys):
    runpy.run_path(str(FOLDER / "verify_the_envelope.py"), run_name="__main__")
    output = capsys.readouterr().out
    assert "status: proved" in output
    assert "FAIL" not in output
