"""Speed as ratios within one run: `python tests/benchmarks/run.py [--json FILE] [NAME ...]`.

Seconds depend on the machine, ratios hardly do. Prints each with its target; the exit status says
only whether a benchmark broke.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from importlib import import_module
from pathlib import Path

import pandas as pd

#: Each is a module NAME_speed beside this one, whose `measure` returns ratios.
PARTS = ("array", "startup", "derivation", "fit")


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed as ratios within one run.")
    parser.add_argument("parts", nargs="*", metavar="NAME", help=f"of {', '.join(PARTS)}; all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the ratios there")
    options = parser.parse_args()
    if unknown := [name for name in options.parts if name not in PARTS]:
        parser.error(f"NAME={unknown[0]}: must be one of {', '.join(PARTS)}")
    found, broken = [], []
    for name in options.parts or PARTS:
        part = import_module(f"{name}_speed")
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            found += [{"part": name, **ratio.as_dict()} for ratio in part.measure()]
        except Exception:
            traceback.print_exc()
            broken.append(name)
    table = pd.DataFrame(found)
    print(table.to_string(index=False, float_format="{:.4g}".format))
    if broken:
        print(f"broken: {', '.join(broken)}")
    if options.json:
        table.to_json(options.json, orient="records", indent=2)
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
