"""The derived envelopes of twelve published benchmark laws beside the compute laws of the same
paper.

Run: python examples/check_published_laws.py
"""

from isoflop import check_published


def main() -> None:
    """Print the table."""
    print(check_published())


if __name__ == "__main__":
    main()
