"""Every example runs and leaves the picture or the table that it promises."""

import re
import runpy

import pytest
from tests.conftest import ROOT

FOLDER = ROOT / "examples"
WRITES = {
    "check_published_laws": None,
    "cost_of_overtraining": "penalty.png",
    "isoflop_profile": "isoflop_profile.png",
    "simulate_counts": "counts.csv",
    "verify_the_envelope": None,
    "write_the_theorem": "theorem.tex",
    "your_own_law": None,
}
#: Examples on the public runs: the folder of the runs, and the heading of a table whose figures have
#: to be those of the page.
ON_PUBLIC_RUNS = {
    "schaeffer2025": ("pythia-passk", "Laws of y = -log pass@k"),
    "krajewski2025": ("apple-downstream", "| benchmark | up to 6e21 FLOP | above"),
}


def test_all_examples_are_listed_and_the_runs_that_ship_are_simulated(run_cli):
    assert {path.stem for path in FOLDER.glob("*.py")} == {*WRITES}
    assert {path.parent.name for path in FOLDER.glob("papers/*/reproduce.py")} == {*ON_PUBLIC_RUNS}
    drawn = run_cli("simulate", "runs", "--seed", "2024").out
    assert (FOLDER / "runs.csv").read_text(encoding="utf-8") == drawn


@pytest.mark.slow
def test_the_picture_that_ships_is_that_of_the_check_of_these_runs(run_cli, tmp_path):
    """Pixel by pixel but for fonts, which other versions of Matplotlib draw otherwise."""
    from matplotlib.image import imread

    drawn = tmp_path / "check_runs.png"
    run_cli("check", FOLDER / "runs.csv", "--plot", drawn)
    now, shipped = imread(drawn), imread(FOLDER / "check_runs.png")
    assert now.shape == shipped.shape
    assert abs(now - shipped).mean() < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("name", ON_PUBLIC_RUNS)
def test_the_page_on_public_runs(name, public_runs, tmp_path, monkeypatch):
    runs, heading = ON_PUBLIC_RUNS[name]
    folder = FOLDER / "papers" / name
    monkeypatch.setattr("sys.argv", ["reproduce.py", str(public_runs / runs), str(tmp_path)])
    runpy.run_path(str(folder / "reproduce.py"), run_name="__main__")
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    for picture in re.findall(r"\]\((\w+\.png)\)", page):
        assert (tmp_path / picture).stat().st_size > 10_000
    assert "nan" not in page
    shipped = (folder / "README.md").read_text(encoding="utf-8")
    headings = [re.findall(r"^#.*$", text, flags=re.MULTILINE) for text in (page, shipped)]
    assert headings[0] == headings[1]
    assert figures(page, heading)
    assert figures(page, heading) == pytest.approx(figures(shipped, heading), rel=0.02)


def figures(page, heading):
    """The numbers in the rows under a heading of a table."""
    rows = page.partition(heading)[2].partition("\n\n")[0].splitlines()[2:]
    return [float(number) for row in rows for number in re.findall(r"\d+\.\d+", row)]


@pytest.mark.parametrize("name", WRITES)
def test_example(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [f"{name}.py"])
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    output = capsys.readouterr().out
    if WRITES[name]:
        assert (tmp_path / WRITES[name]).stat().st_size > 1000
    else:
        assert len(output.splitlines()) >= 6
    if name == "verify_the_envelope":
        assert "status: proved" in output
        assert "FAIL" not in output
