"""What a fit says, gathered once for text, JSON, frames and LaTeX: figures with their errors and
intervals, and warnings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..data.columns import BUDGET, LETTERS
from ..errors import outside, positive_number
from ..lawfile import beyond
from ..results import LEAST_DRAWS, Estimate
from ..words import counted
from .covariance import irreducible_at_zero
from .identifiability import NO_DERIVATIVES
from .intervals import checked_level, normal_quantile
from .resample import FEW_GROUPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from .derived import Quantity
    from .identifiability import Identifiability, Weak
    from .resample import Draws
    from .result import Fit

    Floats = NDArray[np.float64]

DEFAULT_LEVEL = 0.9
FIXED, AT_BOUND, OPEN = "fixed", "at bound", "not determined"
#: Of an interval of which an end is where the search for the coefficient stops.
LIMIT = "ends at a limit of the search"
#: Below so many resamples beyond either end, percentiles are rough.
LEAST_IN_TAIL = 5
#: In the public sets of runs of one kind (eleven isoFLOP studies, Hoffmann et al. among them) the
#: root mean square of the log residuals is 0.3 to 2.7 %, with outliers; pooled sets have 3 to 70 %.
USUAL_SCATTER, LARGEST_SCATTER = 0.03, 0.05
#: A range within this factor is narrow.
NARROWEST_RANGE = 2.0
#: A column of words tells sets of runs apart where it has at most so many, each in so many runs on
#: average; so many are shown.
MOST_SOURCES, LEAST_PER_SOURCE, MOST_SHOWN = 20, 8, 3
#: A name and the compute or the ratio that it is for, where there are several.
AT = "@"
SMOOTHED = "rho'' is averaged over the Hall-Sheather bandwidth of the residuals"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A number of a fit.

    Attributes
    ----------
    name : str
        Key in files: beta, alpha, N_star, ...; N_star@1e22, ... where there are several computes or
        ratios.
    label : str
        For a reader.
    unit : str
    value : float
        NaN for what follows from coefficients that are not determined.
    se, lo, hi : float or None
        Standard error and interval; None where the runs do not determine them.
    note : str
        "fixed", "at bound", "not determined" by such a design, "ends at a limit of the search" of
        an interval, or "".
    at : tuple of (str, float)
        The compute or the ratio that it is for.
    """

    name: str
    label: str
    unit: str = ""
    value: float
    se: float | None = None
    lo: float | None = None
    hi: float | None = None
    note: str = ""
    at: tuple[tuple[str, float], ...] = ()

    def as_dict(self) -> dict[str, float | None]:
        """The numbers by the names value, se, lo and hi; None for what is not finite."""
        return {name: _finite(getattr(self, name)) for name in ("value", "se", "lo", "hi")}

    @property
    def is_open(self) -> bool:
        """Whether the fit does not determine it."""
        return self.note == OPEN

    @property
    def lacks_an_end(self) -> bool:
        """Whether the interval has an end that no float can hold."""
        return any(end is not None and not isfinite(end) for end in (self.lo, self.hi))


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The figures of a fit and what speaks against them.

    Attributes
    ----------
    fit : Fit
    bootstrap : Draws or None
        Where standard errors and intervals come from it.
    level : float
        Nominal coverage of the intervals.
    kind : {"sandwich", "bootstrap", "none"}
        Where standard errors and intervals come from.
    coefficients, derived : tuple of Figure
    warnings : tuple of str
    identifiability : Identifiability
        What the design of the runs determines.
    compute, ratio : tuple of float
        What derived quantities are for.
    """

    fit: Fit
    bootstrap: Draws | None
    level: float
    kind: str
    coefficients: tuple[Figure, ...]
    derived: tuple[Figure, ...]
    warnings: tuple[str, ...]
    identifiability: Identifiability
    compute: tuple[float, ...] = ()
    ratio: tuple[float, ...] = ()

    @property
    def followed(self) -> tuple[Figure, ...]:
        """The derived quantities that are no coefficients."""
        own = {figure.name for figure in self.coefficients}
        return tuple(figure for figure in self.derived if figure.name not in own)

    @property
    def intervals(self) -> dict[str, Any]:
        """How the intervals were made, as plain data."""
        data: dict[str, Any] = {"kind": self.kind, "level": self.level}
        if self.bootstrap is not None:
            boot = self.bootstrap
            data |= {"resample": boot.kind, "repeats": boot.done, "requested": boot.requested}
            data |= {"failed": boot.failed, "seed": boot.seed, "interrupted": boot.interrupted}
        elif self.kind == "sandwich" and not self.fit.objective.is_square:
            from .covariance import bandwidth

            data |= {"curvature": SMOOTHED, "bandwidth": bandwidth(self.fit, self.fit.residuals)}
        return data


def summarise(
    fit: Fit,
    bootstrap: Draws | None = None,
    *,
    level: float = DEFAULT_LEVEL,
    compute: ArrayLike | None = None,
    ratio: ArrayLike | None = None,
) -> Summary:
    """Gather what a fit says.

    Parameters
    ----------
    fit : Fit
    bootstrap : Draws, optional
        Standard errors and percentile intervals come from it; else from the sandwich covariance.
    level : float
        Nominal coverage of the intervals; 0 < level < 1.
    compute : float or sequence of float, optional
        Adds the optimum at each compute, or for a compute law the loss; FLOP, > 0.
    ratio : float or sequence of float, optional
        Adds the penalty at each overtraining ratio; 1, > 0.

    Returns
    -------
    Summary

    Raises
    ------
    ValueError
        Where an argument is outside its domain, or the law of the fit has nothing that it could be
        for.
    """
    level = checked_level(level)
    computes, ratios = several("compute", compute), several("ratio", ratio)
    found = fit.identifiability()
    resampled = bootstrap is not None and fit.converged
    measured = (
        _Percentiles(bootstrap, level)
        if bootstrap is not None and resampled
        else _Sandwich(fit, level)
    )
    coefficients = tuple(measured.coefficient(name) for name in fit.model.coefficients)
    coefficients = tuple(
        _opened(figure) if figure.name in fit.undetermined else figure for figure in coefficients
    )
    if fit.model.name == "compute":
        units = {"C0": "loss * FLOP^alpha"}
        coefficients = tuple(
            _in_units(fit, replace(figure, unit=units.get(figure.name, "")))
            for figure in coefficients
        )
    derived, trouble = _derived(fit, measured, coefficients, computes, ratios, found)
    warnings = [
        *_of_runs(fit),
        *_several_sources(fit),
        *_convergence(fit),
        *_scatter(fit),
        *_as_many(fit),
        *_on_bounds(fit, resampled=resampled),
        *_below_irreducible(fit),
        *_negative_irreducible(fit),
        *_narrow_ranges(fit),
        *_extrapolated(fit, computes),
        *measured.warnings(),
        *_few_groups(fit, measured),
        *trouble,
        *(
            f"{each.label}: an end of its interval exceeds the largest float"
            for each in (*coefficients, *derived)
            if each.lacks_an_end
        ),
        *_left_open(found, measured),
        *_no_columns(fit, found),
    ]
    return Summary(
        fit=fit,
        bootstrap=bootstrap if resampled else None,
        level=level,
        kind=measured.kind,
        coefficients=coefficients,
        derived=derived,
        warnings=tuple(dict.fromkeys(warnings)),
        identifiability=found,
        compute=computes,
        ratio=ratios,
    )


def several(name: str, given: ArrayLike | None) -> tuple[float, ...]:
    """The computes or the ratios that are given, each once.

    Raises
    ------
    ValueError
        Where one of them is not positive and finite, or they are no row of numbers.
    """
    if given is None:
        return ()
    values: list[Any] = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
    if not values:
        raise outside(name, given, "a number or a sequence of numbers")
    return tuple(dict.fromkeys(positive_number(name, value) for value in values))


def quantities(
    compute: ArrayLike | None = None, ratio: ArrayLike | None = None
) -> tuple[Quantity, ...]:
    """What follows from a params+tokens law, at every compute and ratio; with several, names carry
    "@" and the value.
    """
    from .derived import at_compute, default_quantities, penalty_at

    found = list(default_quantities())
    computes, ratios = several("compute", compute), several("ratio", ratio)
    for values, made in ((computes, at_compute), (ratios, lambda value: (penalty_at(value),))):
        found += [
            replace(each, name=_named(each.name, value, values))
            for value in values
            for each in made(value)
        ]
    return tuple(found)


def _named(name: str, value: float, values: Sequence[float]) -> str:
    return name if len(values) == 1 else f"{name}{AT}{_spelt(value)}"


def _spelt(value: float) -> str:
    """A number as short as it can be told from any other.

    >>> _spelt(1e21), _spelt(10.0), _spelt(0.1234567)
    ('1e21', '10', '0.1234567')
    """
    short = f"{value:.6g}"
    return (short if float(short) == value else repr(value)).replace("e+", "e")


# -- what was fitted ---------------------------------------------------------------------------------------------------


def outcome(fit: Fit) -> str:
    """What L stands for where it is not the loss: -log Q of accuracy Q, normalised by the accuracy
    of guessing.
    """
    runs = fit.runs
    if runs.metric == "loss":
        return ""
    return (
        f"-log((Q - {runs.random_baseline:g})/(1 - {runs.random_baseline:g}))"
        if runs.random_baseline
        else "-log Q"
    )


def columns_read(fit: Fit) -> dict[str, str | None]:
    """The column of all that was fitted; None for what follows from two others by C = 6ND.

    Names are those of the quantities, for a general law those of its expression.
    """
    runs = fit.runs
    quantity = {name: LETTERS.get(name, name) for name in fit.model.variables}
    found: dict[str, str | None] = {
        name: runs.columns.get(each, name) for name, each in quantity.items()
    }
    for name, each in quantity.items():
        if each == runs.derived:
            del found[name]
            found |= {
                other: runs.columns[other]
                for other in BUDGET
                if other in runs.columns and other not in quantity.values()
            }
            found[name] = None
    return found | {
        name: runs.columns[name]
        for name in ("loss", "accuracy", "weight", "group")
        if name in runs.columns
    }


# -- where errors come from --------------------------------------------------------------------------------------------


class _Sandwich:
    """Standard errors and normal intervals from the covariance, or none and the reason."""

    def __init__(self, fit: Fit, level: float) -> None:
        self.fit, self.level, self.reason = fit, level, ""
        if not fit.converged:
            self.reason = "they are those of an optimum"
            return
        try:
            self.matrix = fit.covariance()
            self.errors, self.ends = fit.standard_errors, fit.intervals(level)
            self.freedom = fit.degrees_of_freedom
        except ValueError as error:
            self.reason = (
                str(error)
                .removeprefix("covariance: ")
                .removesuffix(" (see the fit's identifiability)")
            )

    @property
    def kind(self) -> str:
        return "none" if self.reason else "sandwich"

    def warnings(self) -> list[str]:
        return [f"no standard errors: {self.reason}"] if self.reason else []

    def coefficient(self, name: str) -> Figure:
        held = _held(self.fit, name)
        value = self.fit.coefficients[name]
        if held == FIXED:
            return Figure(name=name, label=name, value=value, se=0.0, lo=value, hi=value, note=held)
        if held or self.reason:
            return Figure(name=name, label=name, value=value, note=held)
        lo, hi = self.ends[name]
        return Figure(name=name, label=name, value=value, se=self.errors[name], lo=lo, hi=hi)

    def quantity(self, chosen: Quantity, law: Any) -> Figure:
        """Of a params+tokens law, by the delta method."""
        value = chosen.value(law)
        if set(self.fit.at_bound) & set(chosen.coefficients):
            return replace(_figure(chosen, value), note=AT_BOUND)
        if self.reason:
            return _figure(chosen, value)
        from .derived import derived

        (found,) = derived(
            law, self.matrix, self.fit.model.coordinates, (chosen,), self.level, self.freedom
        )
        return _figure(chosen, value, found.standard_error, found.low, found.high)

    def loss(self, compute: float) -> Figure:
        """Of a compute law at a compute: the model's own gradient, by the delta method."""
        value, gradient = _loss_at(self.fit, compute)
        if self.reason or self.fit.at_bound:
            return _loss_figure(compute, value)
        turned = np.linalg.solve(self.fit.design.to_coordinates.T, gradient)
        se = float(np.sqrt(max(float(turned @ self.matrix @ turned), 0.0)))
        reach = normal_quantile(self.level, self.freedom) * se
        return _loss_figure(compute, value, se, value - reach, value + reach)


class _Percentiles:
    """Standard deviations and percentiles of the resamples."""

    kind = "bootstrap"

    def __init__(self, bootstrap: Draws, level: float) -> None:
        self.boot, self.fit, self.level = bootstrap, bootstrap.fit, level
        self.trouble: list[str] = []
        self.limited: list[str] = []
        self.heavy: list[str] = []

    def warnings(self) -> list[str]:
        boot = self.boot
        found = list(self.trouble)
        if self.limited:
            most = max(boot.at_limit[name] for name in self.limited)
            found.append(
                f"bootstrap: {', '.join(self.limited)} ran to a limit of the search in "
                f"{100.0 * most:.3g} % of the resamples: an "
                "end of the interval, and of intervals of what follows, is that limit and not what "
                "the runs say"
            )
        if self.heavy:
            found.append(
                f"bootstrap: no standard error of {', '.join(self.heavy)}: a few resamples make "
                f"the standard deviation; "
                "the percentiles do not hang on them"
            )
        done = boot.done
        if boot.interrupted:
            found.append(
                f"bootstrap: interrupted after {done} of {counted(boot.requested, 'resample')}; "
                f"the intervals are of these"
            )
        if boot.failed:
            left = "is left out" if boot.failed == 1 else "are left out"
            found.append(
                f"bootstrap: {boot.failed} of {counted(done, 'refit')} reached no certified "
                f"minimum and {left}"
            )
        if len(boot) < LEAST_DRAWS:
            verb = "gives" if len(boot) == 1 else "give"
            found.append(
                f"bootstrap: {counted(len(boot), 'resample')} {verb} no standard error and no "
                f"interval"
            )
        elif 0.5 * (1.0 - self.level) * len(boot) < LEAST_IN_TAIL:
            found.append(
                f"bootstrap: {len(boot)} resamples are few for intervals of level {self.level:g}"
            )
        return found

    def coefficient(self, name: str) -> Figure:
        held = _held(self.fit, name)
        if not held and self.boot.at_limit.get(name, 0.0) > 0.5 * (1.0 - self.level):
            held = LIMIT
            self.limited.append(name)
        known = Figure(name=name, label=name, value=self.fit.coefficients[name], note=held)
        return self._drawn(self.boot.columns[name], known)

    def weak(self) -> tuple[Weak, ...]:
        """The coefficients that the resamples do not tell in practice."""
        from .identifiability import LEVEL, hardly_determined

        if len(self.boot) < LEAST_DRAWS:
            return ()
        known = self.boot.estimates(LEVEL)
        errors = {name: estimate.standard_error for name, estimate in known.items()}
        return hardly_determined(
            self.fit, errors, {name: (known[name].low, known[name].high) for name in known}
        )

    def quantity(self, chosen: Quantity, law: Any) -> Figure:
        known = _figure(chosen, chosen.value(law))
        try:
            draws = self.boot.values(chosen)
        except ValueError as error:
            self.trouble.append(f"{known.label}: no interval, for in some resample {error}")
            return known
        return self._drawn(draws, known)

    def loss(self, compute: float) -> Figure:
        design: Any = self.fit.design
        theta = design.thetas(self.boot.coefficients)
        draws = _curve(self.fit, compute, theta)[0]
        value, _ = _loss_at(self.fit, compute)
        return self._drawn(draws, _loss_figure(compute, value))

    def _drawn(self, draws: Floats, known: Figure) -> Figure:
        if len(draws) < LEAST_DRAWS:
            return known
        found = Estimate.of_draws(known.value, draws, self.level)
        if found.standard_error is None:
            self.heavy.append(known.label)
        return replace(known, se=found.standard_error, lo=found.low, hi=found.high)


def _held(fit: Fit, name: str) -> str:
    return FIXED if name in _given(fit) else AT_BOUND if name in fit.at_bound else ""


def _given(fit: Fit) -> frozenset[str]:
    return frozenset(fit.design.given)


def _figure(quantity: Quantity, value: float, *numbers: float) -> Figure:
    label = quantity.label.replace("e+", "e")
    return _measured(
        Figure(name=quantity.name, label=label, unit=quantity.unit, value=value, at=quantity.at),
        numbers,
    )


def _measured(known: Figure, numbers: Sequence[float]) -> Figure:
    se, lo, hi = numbers or (None, None, None)
    return replace(known, se=se, lo=lo, hi=hi)


def _opened(figure: Figure) -> Figure:
    """A figure that is no result: without errors."""
    return replace(figure, se=None, lo=None, hi=None, note=OPEN)


# -- what follows from the law -----------------------------------------------------------------------------------------


def _derived(
    fit: Fit,
    measured: _Sandwich | _Percentiles,
    coefficients: Sequence[Figure],
    computes: Sequence[float],
    ratios: Sequence[float],
    design: Identifiability,
) -> tuple[tuple[Figure, ...], list[str]]:
    """The derived quantities, and why there are none."""
    if fit.model.name == "params-tokens":
        found: list[Figure] = []
        trouble: list[str] = []
        for quantity in quantities(computes or None, ratios or None):
            if _is_open(fit, design, quantity):
                found.append(_opened(_figure(quantity, nan)))
                continue
            try:
                found.append(measured.quantity(quantity, fit.law_of(fit.coefficients)))
            except ValueError as error:
                trouble.append(f"{quantity.label}: cannot be derived ({error})")
        return tuple(_in_units(fit, each) for each in found), trouble
    if ratios:
        raise ValueError(
            f"ratio={ratios[0]!r}: is for a params-tokens law; {fit.model} has no penalty"
        )
    if fit.model.name == "compute":
        of_law = tuple(figure for figure in coefficients if figure.name in ("alpha", "C0"))[::-1]
        losses = [
            replace(measured.loss(value), name=_named("loss", value, computes))
            for value in computes
        ]
        if fit.undetermined:
            losses = [_opened(replace(each, value=nan)) for each in losses]
        return (*of_law, *(_in_units(fit, each) for each in losses)), []
    if computes:
        raise ValueError(
            f"compute={computes[0]!r}: is for a params-tokens or a compute law; the fit is of "
            f"{fit.model}"
        )
    return (), []


def _is_open(fit: Fit, design: Identifiability, quantity: Quantity) -> bool:
    """Whether a quantity of a params+tokens law hangs on coefficients that are no result.

    Some quantities are the same for all laws that a design does not tell apart. A coefficient at a
    limit of the search, or as many runs as coefficients, leave nothing that could be.
    """
    depends = {*quantity.coefficients} & {*fit.undetermined}
    if not depends or _spare(fit) <= 0 or depends & {*fit.design.runaway(fit.theta)}:
        return bool(depends)
    name, told = quantity.name.partition(AT)[0], design.quantities
    if name in ("L_star", "R_star"):
        return not (told.get("alpha", False) and told.get("C0", False)) or (
            name == "L_star" and "E" in depends
        )
    return not told.get(name, False)


def _spare(fit: Fit) -> int:
    """How many more runs there are than free coefficients."""
    return len(fit.runs) - int(fit.free.sum())


def _in_units(fit: Fit, figure: Figure) -> Figure:
    """The unit of what is predicted: the loss, or L as the fit defines it."""
    return (
        figure
        if fit.runs.metric == "loss"
        else replace(figure, unit=figure.unit.replace("loss", "L"))
    )


def _curve(fit: Fit, compute: float, theta: Floats) -> tuple[Floats, Floats]:
    """A compute law at one compute for K parameters: (K,), and its derivatives (K, p)."""
    design: Any = fit.design
    at = type(design.model)(
        np.array([[np.log(compute)]]) - design.centres[:, None], design.model.irreducible
    )
    values, jacobian = at.evaluate(theta)
    return values[:, 0], jacobian[:, :, 0]


def _loss_at(fit: Fit, compute: float) -> tuple[float, Floats]:
    values, jacobian = _curve(fit, compute, fit.theta[None])
    return float(values[0]), jacobian[0]


def _loss_figure(compute: float, value: float, *numbers: float) -> Figure:
    label = f"L at {compute:.6g} FLOP".replace("e+", "e")
    known = Figure(name="loss", label=label, unit="loss", value=value, at=(("compute", compute),))
    return _measured(known, numbers)


# -- warnings ----------------------------------------------------------------------------------------------------------


def _of_runs(fit: Fit) -> list[str]:
    """What reading the table found; of compute only where the law reads it."""
    given, kept = "compute is taken as given", "the law reads params and tokens, not compute"
    reads_compute = "compute" in {LETTERS.get(name, name) for name in fit.model.variables}
    return [text if reads_compute else text.replace(given, kept) for text in fit.runs.warnings]


def _several_sources(fit: Fit) -> list[str]:
    """Columns of few different words, which may tell apart sets of runs that follow laws of their
    own.
    """
    texts, most = [], min(MOST_SOURCES, len(fit.runs) // LEAST_PER_SOURCE)
    used = {*fit.model.variables, *fit.runs.columns.values()}
    for name, column in fit.runs.extra.items():
        words = (
            [cell for cell in column if isinstance(cell, str) and cell.strip()]
            if name not in used
            else []
        )
        if 1 < (count := len(set(words))) <= most and not any(map(_is_number, set(words))):
            texts.append(f"{name} has {count} values ({_shortened(sorted(set(words)))})")
    return (
        [f"{', '.join(texts)}: if these runs are not of one kind, fit one with --where"]
        if texts
        else []
    )


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _shortened(words: list[str]) -> str:
    shown = ", ".join(words[:MOST_SHOWN])
    return f"{shown}, ..." if len(words) > MOST_SHOWN else shown


def _scatter(fit: Fit) -> list[str]:
    """Residuals far larger than losses of runs of one kind scatter about a law of theirs."""
    with np.errstate(all="ignore"):
        size = float(
            np.sqrt(np.mean((np.log(fit.fitted) - np.log(np.asarray(fit.runs.loss))) ** 2))
        )
    if not fit.converged or outcome(fit) or not size > LARGEST_SCATTER:
        return []
    return [
        f"the losses scatter about the law by {100.0 * size:.3g} % (root mean square), runs of one "
        f"kind by "
        f"{100 * USUAL_SCATTER:.0f} % and less: the runs are of different kinds, or the law is not "
        f"theirs, and no interval "
        "tells that"
    ]


def _negative_irreducible(fit: Fit) -> list[str]:
    """An expression's E without a bound may end below 0."""
    E = fit.coefficients.get("E", 0.0)
    if not (E < 0.0 and fit.model.is_expression and "E" not in _given(fit)):
        return []
    return [
        f"E = {E:.6g} is negative, which no irreducible loss is: --bound E=0: keeps it from that "
        f"(bounds in Python)"
    ]


def run_ranges(runs: Any) -> dict[str, list[float]]:
    """The least and the greatest params, tokens and compute of runs, as far as they have them."""
    held = {name: getattr(runs, name) for name in BUDGET}
    return {
        name: [float(values.min()), float(values.max())]
        for name, values in held.items()
        if values is not None
    }


def _narrow_ranges(fit: Fit) -> list[str]:
    """A range so small that the exponent found over it says little about any other."""
    texts = []
    for name in fit.model.variables:
        quantity = LETTERS.get(name, name)
        low, high = run_ranges(fit.runs).get(quantity, (1.0, 1.0))
        if low < high < NARROWEST_RANGE * low:
            texts.append(
                f"{quantity} spans a factor of {high / low:.3g} alone ({low:.4g} to {high:.4g}): "
                f"what is fitted along it holds "
                "there, and intervals do not tell what the form of the law is elsewhere"
            )
    return texts


def _extrapolated(fit: Fit, computes: Sequence[float]) -> list[str]:
    """How far a compute lies beyond those of the runs."""
    known = {name: (low, high) for name, (low, high) in run_ranges(fit.runs).items()}
    found = [(value, beyond(known, compute=value)) for value in computes]
    return [
        f"what is derived at {_spelt(value)} FLOP is far beyond the runs: {far}"
        for value, far in found
        if far
    ]


def _convergence(fit: Fit) -> list[str]:
    if fit.converged:
        return []
    reason = getattr(fit.solution, "reason", "")
    return [
        f"the fit did not reach an optimum{f': {reason}' if reason else ''}; its numbers are no "
        f"result"
    ]


def _as_many(fit: Fit) -> list[str]:
    """What it means that there are no more runs than free coefficients."""
    free = int(fit.free.sum())
    if not free or _spare(fit) > 0:
        return []
    return [
        f"{counted(len(fit.runs), 'run')} for {counted(free, 'free coefficient')}: the law meets "
        f"any losses, true or not"
    ]


def _on_bounds(fit: Fit, *, resampled: bool) -> list[str]:
    """What it means that coefficients are on a bound."""
    texts = []
    for name in fit.at_bound:
        meaning = _meaning(fit, name, _side(fit, name))
        texts.append(
            f"{name} = {fit.coefficients[name]:.6g} is on a "
            f"bound{f': {meaning}' if meaning else ''}"
        )
    names = [name for name in fit.at_bound if name not in fit.undetermined]
    if not names:
        return texts
    those = f"what depends on {', '.join(names)}"
    if irreducible_at_zero(fit) and not resampled:
        return texts  # there are no errors at all, and why is said
    if resampled:
        return [
            *texts,
            f"percentile intervals of {those} need not cover as often as their level says",
        ]
    return [
        *texts,
        f"the errors of {those} are unknown; the others hold for "
        f"{'this value' if len(names) == 1 else 'these values'}",
    ]


def _side(fit: Fit, name: str) -> str:
    index = fit.model.coefficients.index(name)
    low, high = float(fit.design.lower[index]), float(fit.design.upper[index])
    return "lower" if abs(fit.theta[index] - low) <= abs(high - fit.theta[index]) else "upper"


def _meaning(fit: Fit, name: str, side: str) -> str:
    from .models import LARGEST_EXPONENT, SMALLEST_EXPONENT, PowerTerms

    terms, design = fit.model, cast("Any", fit.design)
    if not isinstance(terms, PowerTerms):
        return f"its {side} one"
    if name == "E" and fit.coefficients[name] == 0.0:
        return "these runs do not tell it from 0"
    if (
        name in terms.prefactors
        and side == "lower"
        and design.centres[terms.prefactors.index(name)] != 0.0
    ):
        return "its term is too small to be seen in these runs"
    if name in terms.exponents and fit.coefficients[name] in (SMALLEST_EXPONENT, LARGEST_EXPONENT):
        return (
            "its term hardly falls over these runs"
            if side == "lower"
            else "its term falls faster than these runs can tell"
        )
    return f"the {side} one that was given"


def _below_irreducible(fit: Fit) -> list[str]:
    """No law with a given E comes near losses below it."""
    E = fit.coefficients.get("E", 0.0)
    if not (E > 0.0 and _held(fit, "E")):
        return []
    n = int(np.count_nonzero(np.asarray(fit.runs.loss) <= E))
    what = f"{n} of {counted(len(fit.runs), 'run')} {'has' if n == 1 else 'have'} {'an L' if outcome(fit) else 'a loss'}"
    return [f"{what} of at most E = {E:.6g}, which is given: no such law reaches them"] if n else []


def _few_groups(fit: Fit, measured: _Sandwich | _Percentiles) -> list[str]:
    """What it means that errors are told by few groups."""
    by_group = measured.kind == "sandwich" or (
        isinstance(measured, _Percentiles) and measured.boot.kind == "groups"
    )
    if fit.runs.group is None or not by_group:
        return []
    if (count := len(set(fit.runs.group.tolist()))) >= FEW_GROUPS:
        return []
    return [
        f"{counted(count, 'group')}: with fewer than {FEW_GROUPS}, standard errors by group are "
        f"rough"
    ]


def _no_columns(fit: Fit, found: Identifiability) -> list[str]:
    """The names of an expression that nobody may have meant as coefficients."""
    names = found.undetermined if fit.model.is_expression else ()
    return [f"{name} is no column of the table and was taken for a coefficient" for name in names]


def _left_open(found: Identifiability, measured: _Sandwich | _Percentiles) -> list[str]:
    """What the design leaves open, the runs that would settle it, and what the intervals of the
    table show to be vague.
    """
    texts, weak = [], found.weak
    if isinstance(measured, _Percentiles):
        weak = measured.weak()
    if found.reason == NO_DERIVATIVES:
        return [found.reason]
    if found.rank < len(found.coefficients):
        moving = f", and leave open {', '.join(found.undetermined)}" if found.undetermined else ""
        texts.append(
            f"the runs determine {found.rank} combinations of {len(found.coefficients)} "
            f"coefficients{moving}"
        )
    texts += [f"{item}; what would tell: {item.remedy}" for item in found.structures]
    return [*texts, *(f"hardly determined: {item}" for item in weak)]


def _finite(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else value + 0.0


__all__ = [
    "AT_BOUND",
    "FIXED",
    "OPEN",
    "Figure",
    "Summary",
    "columns_read",
    "outcome",
    "quantities",
    "summarise",
]
