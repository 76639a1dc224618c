"""isoflop check: the derived envelope against compute laws that were fitted directly."""

from __future__ import annotations

from isoflop.cli.arguments import Parser, declare_output, takes_several
from isoflop.cli.errors import DONE, UsageError, blamed, typed
from isoflop.cli.render import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from isoflop.cli.arguments import Options
    from isoflop.numeric.check import PublishedCheck

SUMMARY = "the derived envelope against compute laws fitted to the same benchmarks"
FORMATS = ("text", "json")


def parser() -> Parser:
    """The options of this command."""
    built = Parser(
        "isoflop check",
        ["[--compute-range LO HI] [--plot FILE]"],
        "For each of 12 published benchmarks: the exponent of the envelope that follows from the\n"
        "params+tokens law, the local exponent of that law at the tokens per param of the runs, and the\n"
        "compute law that was fitted to the runs directly, with the largest difference in accuracy.",
        [
            "isoflop check",
            "isoflop check --plot check.pdf",
            "isoflop check --compute-range 1e20 1e24 --format json",
        ],
    )
    group = built.add_argument_group("comparison")
    takes_several(group, "--compute-range", "C", "two budgets in FLOP; default: the range of the published runs")
    declare_output(built, *FORMATS, plot="draw accuracy against compute, a panel a benchmark")
    return built


def run(options: Options) -> tuple[str, int]:
    """The command's output and exit status: the verdicts describe, they judge nothing."""
    form = options.chosen("--format", FORMATS)
    result = _checked(options)
    path = options.one("--plot")
    if path is not None:
        _draw(result, path)
    if form == "json":
        return json_text(result.as_dict()), DONE
    from isoflop.numeric.check_text import check_text

    return check_text(result), DONE


def _checked(options: Options) -> PublishedCheck:
    bounds = options.positives("--compute-range")
    if bounds is not None and (len(bounds) != 2 or not bounds[0][1] < bounds[1][1]):
        given = typed(("--compute-range", " ".join(text for text, _ in bounds)))
        raise UsageError(f"{given}: must be two positive finite numbers, the first below the second")
    from isoflop.numeric.check import check_published

    return check_published(compute_range=None if bounds is None else (bounds[0][1], bounds[1][1]))


def _draw(result: PublishedCheck, path: str) -> None:
    from isoflop.numeric.plot import plot_check, save

    try:
        save(plot_check(result), path)
    except ValueError as error:
        raise blamed(error, ("--plot", path)) from None
