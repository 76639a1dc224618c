"""Entry point of ``python -m isoflop`` and of the ``isoflop`` script."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : list of str, optional
        The arguments after the program's name; by default those of the process.

    Returns
    -------
    int
        The exit status: 0 done or consistent, 1 a negative verdict, 2 bad input, 3 no verdict,
        130 interrupted.
    """
    from isoflop.cli import main as run

    return run(argv)


if __name__ == "__main__":
    raise SystemExit(main())
