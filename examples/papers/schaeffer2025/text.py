"""Numbers and tables as the page writes them."""

from schaeffer2025.rules import LEVEL

from isoflop.numeric.passk.fit_at_k import open_side


def markdown(head: list[str], rows: list[list[str]]) -> list[str]:
    """A table."""
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def between(low: float, high: float, style: str = ".3g") -> str:
    """An interval, without a negative zero."""
    low, high = (end if float(f"{end:{style}}") else 0.0 for end in (low, high))
    return f"[{low:{style}}, {high:{style}}]"


def percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f} %"


def listed(ks) -> str:
    """Values of k, neighbours among all 24 as ranges."""
    return ", ".join(f"{k:,}" for k in ks) or "none"


def spans(ks, among) -> str:
    """Values of k as runs of neighbours among those that were fitted."""
    runs: list[list[int]] = []
    for place in (among.index(k) for k in ks):
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    shown = [
        f"{among[run[0]]:,}" + (f" to {among[run[-1]]:,}" if len(run) > 1 else "") for run in runs
    ]
    return ", ".join(shown) or "none"


def cell(fit, coefficient: str) -> str:
    """A coefficient with its interval; an end on the edge of the search is none."""
    if coefficient in fit.undetermined:
        return "open"
    if not fit.has_intervals:
        return f"{fit.coefficients[coefficient]:.3g}"
    low, high = fit.interval(coefficient, LEVEL)
    if coefficient == fit.kind.floor and fit.is_limited(LEVEL):
        return f"{fit.coefficients[coefficient]:.3g} (at most {high:.3g})"
    side = open_side(fit.estimate(coefficient, LEVEL))
    ends = (
        "open" if side in ("below", "both") else f"{low:.3g}",
        "open" if side in ("above", "both") else f"{high:.3g}",
    )
    return f"{fit.coefficients[coefficient]:.3g} [{ends[0]}, {ends[1]}]"
