"""Speed as ratios within one run: `python tests/benchmarks/run.py [--json FILE] [NAME ...]`.

Seconds depend on the machine, ratios hardly do. Prints each with its target; the exit status says
only whether a benchmark broke.
"""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from measuring import Ratio

NORMAL_FORM_TARGET = 0.5


def arrays() -> list[Ratio]:
    """A million values."""
    import array_speed

    return array_speed.measure()


def startup() -> list[Ratio]:
    """The command line from a cold start."""
    import startup_speed

    return startup_speed.measure()


def derivation() -> list[Ratio]:
    """Deriving and proving."""
    import derivation_speed

    return derivation_speed.measure()


def normal_form() -> list[Ratio]:
    """Deciding one identity."""
    import normalform_speed

    found = normalform_speed.measure()
    median, reference = found["median_decision"], found["import_sympy"]
    return [
        Ratio("normal form, median decision", median, "import sympy", reference, NORMAL_FORM_TARGET)
    ]


def fits() -> list[Ratio]:
    """Fits and refits."""
    import fit_speed

    return fit_speed.measure()


PARTS: dict[str, Callable[[], list[Ratio]]] = {
    "arrays": arrays,
    "startup": startup,
    "derivation": derivation,
    "normal-form": normal_form,
    "fits": fits,
}


def table(ratios: list[Ratio]) -> str:
    rows = [("what", "seconds", "against", "seconds", "ratio", "target", "")]
    for ratio in ratios:
        target = "" if ratio.target is None else f"<= {_shown(ratio.target)}"
        rows.append(
            (
                ratio.name,
                _shown(ratio.seconds),
                ratio.against,
                _shown(ratio.reference),
                _shown(ratio.value),
                target,
                ratio.verdict,
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _shown(value: float) -> str:
    return f"{value:.4g}" if value >= 1e-3 else f"{value:.2e}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Speed as ratios within one run.", allow_abbrev=False
    )
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="NAME",
        help=f"one or more of {', '.join(PARTS)}; all by default",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write the ratios to this file"
    )
    options = parser.parse_args()
    unknown = [name for name in options.parts if name not in PARTS]
    if unknown:
        parser.error(f"NAME={unknown[0]}: must be one of {', '.join(PARTS)}")
    found: dict[str, list[Ratio]] = {}
    broken = []
    for name in options.parts or PARTS:
        print(f"{name}: {PARTS[name].__doc__}", file=sys.stderr, flush=True)
        try:
            found[name] = PARTS[name]()
        except Exception:
            traceback.print_exc()
            broken.append(name)
    print(table([ratio for ratios in found.values() for ratio in ratios]))
    if broken:
        print(f"broken: {', '.join(broken)}")
    if options.json:
        data = {name: [ratio.as_dict() for ratio in ratios] for name, ratios in found.items()}
        options.json.write_text(
            json.dumps({"ratios": data, "broken": broken}, indent=2) + "\n", encoding="utf-8"
        )
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
