"""The derived envelopes of twelve published benchmark laws beside the compute laws of the same
paper, as table and picture.

Run: python examples/check_published_laws.py [check.png]
"""

import sys

from isoflop import check_published
from isoflop.numeric.plot.panels import save


def main(path: str = "check.png") -> None:
    """Print the table and save a panel for each benchmark."""
    result = check_published()
    print(result)
    save(result.plot(), path)
    print(f"wrote {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
