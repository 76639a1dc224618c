"""Write tests/golden/outputs anew: python -m tests.golden.renew [NAME ...], from the project's
folder.

Prints for each call that changed whether numbers or only words did.
"""

import io
import os
import sys
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from tests.golden.calls import CALLS
from tests.golden.comparing import TOLERANCE, differences
from tests.golden.inputs import write_all

OUTPUTS = Path(__file__).with_name("outputs")


def printed(name: str, folder: Path) -> str:
    """What the call prints on both streams in a folder with the tables, and its exit status."""
    from isoflop.__main__ import main

    out, err = io.StringIO(), io.StringIO()
    with chdir(folder):
        if "fit.json" in CALLS[name] and "--save" not in CALLS[name]:
            with redirect_stdout(io.StringIO()):
                main(["fit", "runs.csv", "--save", "fit.json"])
        with redirect_stdout(out), redirect_stderr(err):
            status = main(CALLS[name])
    (folder / "fit.json").unlink(missing_ok=True)
    said = f"exit status {status}\n" if status or err.getvalue() else ""
    return f"{out.getvalue()}{said}{err.getvalue()}"


def kept(name: str) -> Path:
    return OUTPUTS / f"{name}.txt"


def renew(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_all(folder)
        for name in names:
            text = printed(name, folder)
            old = kept(name).read_text(encoding="utf-8") if kept(name).is_file() else ""
            if text != old:
                kept(name).write_text(text, encoding="utf-8")
                what = list(differences(old, text, TOLERANCE)) if old else ["new"]
                print(f"{name}: {'; '.join(what[:5]) or 'last digits or spaces'}")


if __name__ == "__main__":
    os.environ["COLUMNS"] = "100"
    unknown = [name for name in sys.argv[1:] if name not in CALLS]
    if unknown:
        raise SystemExit(f"{unknown[0]}: must be one of {', '.join(CALLS)}")
    renew(sys.argv[1:] or list(CALLS))
