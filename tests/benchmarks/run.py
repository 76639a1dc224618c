"""Speed as ratios within one run, which hardly depend on the machine, each with its target:
`python tests/benchmarks/run.py [NAME ...]`, with NAME of a module NAME_speed beside this one.
"""

import sys
from importlib import import_module

PARTS = ("array", "cold", "fit")

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        for ratio in import_module(f"{part}_speed").measure():
            print(ratio, flush=True)
