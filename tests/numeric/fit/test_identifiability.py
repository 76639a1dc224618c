"""Which coefficients a design tells apart: ranks against 60-digit singular values of a Jacobian by
numerical differentiation.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from isoflop.numeric.data.runs import Runs
from isoflop.numeric.fit import fit
from isoflop.numeric.fit.identifiability import (
    EXACT,
    NEAR,
    Identifiability,
    additive_rank,
    balanced_rank,
    identifiability,
    levels,
    members,
    points,
)
from isoflop.numeric.fit.models import Design, form_of
from isoflop.numeric.fit.objective import Objective
from isoflop.numeric.fit.optimality import Solution
from isoflop.numeric.fit.result import Fit

MP = mpmath.mp.clone()
MP.dps = 60
STEP = MP.mpf(10) ** -15  # of central differences, whose error is its square
ZERO = 1e-20  # of singular values with 60 digits
LAW = {"E": 1.69, "A": 406.4, "B": 410.7, "beta": 0.34, "gamma": 0.28}
EQUAL = {"E": 1.7, "A": 300.0, "B": 900.0, "beta": 0.3, "gamma": 0.3}
NAMES = tuple(LAW)
FULL = ("E", "A", "B", "beta", "gamma")


def loss(theta: list[Any], n: Any, d: Any) -> Any:
    """The law in E, log A, log B, beta, gamma with 60 digits."""
    return (
        theta[0] + MP.exp(theta[1] - theta[3] * MP.log(n)) + MP.exp(theta[2] - theta[4] * MP.log(d))
    )


def theta_of(law: Mapping[str, float]) -> list[Any]:
    exact = {name: MP.mpf(value) for name, value in law.items()}
    return [exact["E"], MP.log(exact["A"]), MP.log(exact["B"]), exact["beta"], exact["gamma"]]


def jacobian(
    law: Mapping[str, float], n: list[Any], d: list[Any], held: tuple[str, ...] = ()
) -> Any:
    """(n, k): derivatives of log L by central differences."""
    at = theta_of(law)
    columns = [i for i, name in enumerate(FULL) if name not in held]

    def shifted(i: int, h: Any) -> list[Any]:
        return [value + (h if j == i else 0) for j, value in enumerate(at)]

    rows = []
    for x, y in zip(n, d, strict=True):
        rows.append(
            [
                (MP.log(loss(shifted(i, STEP), x, y)) - MP.log(loss(shifted(i, -STEP), x, y)))
                / (2 * STEP)
                for i in columns
            ]
        )
    return MP.matrix(rows)


def exact_rank(matrix: Any) -> int:
    """Singular values above 1e-20 of the largest, columns of unit length."""
    columns = [
        MP.sqrt(sum(matrix[i, j] ** 2 for i in range(matrix.rows))) for j in range(matrix.cols)
    ]
    unit = MP.matrix(
        [[matrix[i, j] / columns[j] for j in range(matrix.cols)] for i in range(matrix.rows)]
    )
    values = MP.svd_r(unit, compute_uv=False)
    return sum(1 for value in values if value > ZERO * values[0])


def optimal_size(law: Mapping[str, float], compute: Any) -> Any:
    """The N of least loss on 6 N D = C, by Newton's iteration on the slope of the two terms."""
    _, log_a, log_b, beta, gamma = theta_of(law)
    x = MP.log(compute) / 2
    for _ in range(80):
        t_n = MP.exp(log_a - beta * x)
        t_d = MP.exp(log_b - gamma * (MP.log(compute / 6) - x))
        x -= (gamma * t_d - beta * t_n) / (gamma**2 * t_d + beta**2 * t_n)
    return MP.exp(x)


def steps(low: float, high: float, count: int = 9) -> list[Any]:
    return [MP.mpf(10) ** (low + (high - low) * MP.mpf(i) / (count - 1)) for i in range(count)]


def fixed_params(law: Any) -> Any:
    return [MP.mpf(10) ** 9] * 9, steps(9, 12)


def fixed_tokens(law: Any) -> Any:
    return steps(8, 11), [MP.mpf(10) ** 10] * 9


def multiple_of_optimal(r: int) -> Callable[[Any], Any]:
    def design(law: Any) -> Any:
        computes = steps(18, 23)
        sizes = [r * optimal_size(law, compute) for compute in computes]
        return sizes, [compute / 6 / size for compute, size in zip(computes, sizes, strict=True)]

    return design


def ray(law: Any) -> Any:
    return steps(8, 11), [20 * n for n in steps(8, 11)]


def one_budget(law: Any) -> Any:
    return steps(8, 11), [MP.mpf(10) ** 20 / n for n in steps(8, 11)]


def two_params(law: Any) -> Any:
    return [MP.mpf(10) ** (8 if i % 2 else 10) for i in range(9)], steps(9, 12)


def two_by_two(law: Any) -> Any:
    return [MP.mpf(10) ** (8 if i % 2 else 10) for i in range(8)], [
        MP.mpf(10) ** (9 if i % 4 < 2 else 11) for i in range(8)
    ]


def line(law: Any) -> Any:
    return steps(8, 11), [10**5 * MP.sqrt(n) for n in steps(8, 11)]


def grid(law: Any) -> Any:
    return [n for n in steps(8, 10, 3) for _ in range(3)], [*steps(9, 11, 3)] * 3


DESIGNS: list[tuple[Callable[[Any], Any], dict[str, float], int, set[str]]] = [
    (fixed_params, LAW, 3, {"fixed-params"}),
    (fixed_tokens, LAW, 3, {"fixed-tokens"}),
    (multiple_of_optimal(1), LAW, 3, {"constant-size-ratio"}),
    (multiple_of_optimal(3), LAW, 3, {"constant-size-ratio"}),
    (ray, EQUAL, 3, {"constant-size-ratio"}),
    (ray, LAW, 5, {"fixed-ratio"}),
    (one_budget, LAW, 5, {"one-budget"}),
    (two_params, LAW, 4, {"two-params"}),
    (two_by_two, LAW, 3, {"few-points", "two-params", "two-tokens"}),
    (line, LAW, 5, {"line"}),
    (grid, LAW, 5, set()),
]


def runs_of(n: list[Any], d: list[Any], law: Mapping[str, float]) -> Runs:
    losses = [float(loss(theta_of(law), x, y)) for x, y in zip(n, d, strict=True)]
    return Runs.read({"params": list(map(float, n)), "tokens": list(map(float, d)), "loss": losses})


def fit_at(runs: Runs, law: Mapping[str, float], fixed: Mapping[str, float] | None = None) -> Fit:
    """A fit whose optimum is known: the law that the losses are of."""
    terms = form_of("params-tokens")
    design = Design.of(terms, runs, fixed=fixed)
    solution = Solution(design.theta(law), 0.0, True, 0.0, 1, 1, np.empty((0, 5)))
    return Fit(
        model=terms,
        objective=Objective(name="least-squares-log"),
        runs=runs,
        design=design,
        solution=solution,
    )


def case_id(value: Any) -> str:
    return getattr(value, "__name__", "") or ""


@pytest.mark.parametrize(("design", "law", "rank", "names"), DESIGNS, ids=case_id)
def test_the_rank_of_every_design_is_that_of_the_exact_jacobian(
    design: Callable[[Any], Any], law: dict[str, float], rank: int, names: set[str]
) -> None:
    n, d = design(law)
    found = identifiability(fit_at(runs_of(n, d, law), law))
    assert exact_rank(jacobian(law, n, d)) == rank
    assert found.rank == rank
    assert {item.name for item in found.structures} == names
    assert found.identified == (rank == 5 and names <= {"one-budget"})
    assert np.isinf(found.condition) == (rank < 5)
    assert len(found.directions) == 5 - rank


@pytest.mark.parametrize(
    "held",
    [("E",), ("A",), ("beta",), ("E", "gamma"), ("A", "beta"), ("beta", "gamma"), ("A", "B")],
)
@pytest.mark.parametrize(
    "design",
    [fixed_params, fixed_tokens, two_params, two_by_two, multiple_of_optimal(2)],
    ids=case_id,
)
def test_the_rank_with_coefficients_held(
    design: Callable[[Any], Any], held: tuple[str, ...]
) -> None:
    n, d = design(LAW)
    free = tuple(name for name in FULL if name not in held)
    exact = exact_rank(jacobian(LAW, n, d, held))
    if design.__name__ == "design":
        assert balanced_rank(free) == exact
    else:
        assert (
            min(additive_rank(free, len(set(n)), len(set(d))), len(set(zip(n, d, strict=True))))
            == exact
        )
    assert (
        identifiability(fit_at(runs_of(n, d, LAW), LAW, {name: LAW[name] for name in held})).rank
        == exact
    )


@pytest.mark.parametrize(
    ("design", "law", "rank", "names"), [case for case in DESIGNS if case[2] < 5], ids=case_id
)
def test_no_run_notices_an_open_direction(
    design: Callable[[Any], Any], law: dict[str, float], rank: int, names: set[str]
) -> None:
    n, d = design(law)
    found = identifiability(fit_at(runs_of(n, d, law), law))
    matrix = jacobian(law, n, d)
    largest = max(abs(entry) for entry in matrix)
    coordinates = ("E", "log A", "log B", "beta", "gamma")
    for direction in found.directions:
        move = MP.matrix([MP.mpf(direction.get(name, 0.0)) for name in coordinates])
        assert max(abs(entry) for entry in matrix * move) < 1e-6 * largest
        assert {name.removeprefix("log ") for name in direction} <= set(found.undetermined)
    moved = {name for direction in found.directions for name in direction}
    assert len(found.directions) == 5 - rank
    assert moved


def test_what_stays_determined() -> None:
    told: dict[str, tuple[set[str], set[str]]] = {}
    for design in (fixed_params, two_params, multiple_of_optimal(1), multiple_of_optimal(3), ray):
        n, d = design(LAW)
        found = identifiability(fit_at(runs_of(n, d, LAW), LAW))
        told[design.__name__ + str(len(told))] = (
            set(found.undetermined),
            {k for k, v in found.quantities.items() if v},
        )
    assert told["fixed_params0"] == ({"E", "A", "beta"}, set())
    assert told["two_params1"] == ({"E", "A", "beta"}, set())
    # On the optimal path itself, by the envelope theorem, alpha and C0 stay to first order; off it
    # the penalty moves.
    assert told["design2"] == ({"A", "B", "beta", "gamma"}, {"alpha", "C0"})
    assert told["design3"] == ({"A", "B", "beta", "gamma"}, set())
    assert told["ray4"] == (
        set(),
        {"alpha", "C0"},
    )  # for the exchange of the two terms leaves the envelope as it is


@pytest.mark.parametrize("design", [ray, line])
def test_the_exchanged_law_has_the_same_losses_and_other_terms(
    design: Callable[[Any], Any],
) -> None:
    n, d = design(LAW)
    found = identifiability(fit_at(runs_of(n, d, LAW), LAW))
    assert found.swapped is not None
    assert found.swapped_difference is not None
    assert found.swapped_difference < 1e-12
    for x, y in zip(n, d, strict=True):
        assert abs(loss(theta_of(found.swapped), x, y) / loss(theta_of(LAW), x, y) - 1) < 1e-12
    off = abs(
        loss(theta_of(found.swapped), n[0], 50 * d[0]) / loss(theta_of(LAW), n[0], 50 * d[0]) - 1
    )
    assert off > 1e-3
    assert not found.identified


def test_the_exchanged_law_on_a_ray_is_the_proved_one() -> None:
    from sympy import Float

    from isoflop.theory import symbols as sym
    from isoflop.theory.identifiability import swapped

    n, d = ray(LAW)
    found = identifiability(fit_at(runs_of(n, d, LAW), LAW)).swapped
    values = dict(
        zip(
            (sym.E, sym.A, sym.B, sym.BETA, sym.GAMMA),
            (Float(LAW[name], 40) for name in NAMES),
            strict=True,
        )
    )
    proved = {
        symbol: float(expression.subs(values))
        for symbol, expression in swapped(Float(20, 40)).items()
    }
    assert found is not None
    got = [found[name] for name in NAMES[1:]]
    assert got == pytest.approx(
        [proved[symbol] for symbol in (sym.A, sym.B, sym.BETA, sym.GAMMA)], rel=1e-10
    )


def test_one_budget_cannot_exchange_its_terms() -> None:
    n, d = one_budget(LAW)
    found = identifiability(fit_at(runs_of(n, d, LAW), LAW))
    assert found.swapped is None
    assert found.condition > 1e4
    assert "other budgets" in str(found)


@pytest.mark.parametrize(
    ("wobble", "exact", "listed"), [(1e-8, True, True), (1e-3, False, True), (0.5, False, False)]
)
def test_tolerances(wobble: float, exact: bool, listed: bool) -> None:
    n, d = fixed_params(LAW)
    moved = [x * (1 + wobble * (i % 3) / 2) for i, x in enumerate(n)]
    found = identifiability(fit_at(runs_of(moved, d, LAW), LAW))
    kinds = {item.name: item for item in found.structures}
    assert ("fixed-params" in kinds) == listed
    if listed:
        assert kinds["fixed-params"].exact == exact
        assert str(kinds["fixed-params"]).startswith("nearly") != exact
        assert kinds["fixed-params"].spread <= (EXACT if exact else NEAR)
    assert found.rank == (3 if exact else 5)


def test_levels_and_points() -> None:
    logs = np.array([0.0, 1.0, 1.0 + 1e-9, 5.0, 0.0])
    assert members(logs).tolist() == [0, 1, 1, 2, 0]
    assert levels(logs) == 3
    assert points(logs, np.zeros(5)) == 3
    assert points(logs, np.arange(5.0)) == 5


def test_conditioning_of_the_chinchilla_runs(public_runs: Path) -> None:
    runs = Runs.read(public_runs / "chinchilla" / "svg_extracted_data.csv")
    runs = runs.subset(runs.loss < np.sort(runs.loss)[-5])
    fitted = fit(runs, objective="least-squares-log")
    found = identifiability(fitted)
    assert found.identified
    assert (found.structures, found.weak, found.reason) == ((), (), "")
    # The same from a Jacobian by central differences with 60 digits, centred here.
    law = fitted.coefficients
    matrix = jacobian(law, [MP.mpf(x) for x in runs.params], [MP.mpf(x) for x in runs.tokens])
    columns = np.array(matrix.tolist(), dtype=float)
    for prefactor, exponent, logs in ((1, 3, np.log(runs.params)), (2, 4, np.log(runs.tokens))):
        columns[:, exponent] += columns[:, prefactor] * logs.mean()
    unit = columns / np.linalg.norm(columns, axis=0)
    assert found.condition == pytest.approx(921, rel=1e-3)
    assert found.condition == pytest.approx(np.linalg.cond(unit.T @ unit), rel=1e-6)


def test_one_isoflop_with_noise_tells_little_in_practice() -> None:
    n = np.logspace(8, 11, 12)
    d = 1e20 / n
    noise = np.exp(0.002 * np.random.default_rng(0).standard_normal(12))
    found = fit(
        {"params": n, "tokens": d, "loss": (1.69 + 406.4 * n**-0.34 + 410.7 * d**-0.28) * noise}
    ).identifiability()
    assert found.rank == 5
    assert found.weak
    assert {item.coefficient for item in found.weak} <= set(NAMES)
    assert "in practice not told" in str(found)


def test_a_term_that_vanishes_on_a_line_is_said() -> None:
    n = np.logspace(8, 11, 12)
    noise = np.exp(0.002 * np.random.default_rng(0).standard_normal(12))
    losses = (1.69 + 406.4 * n**-0.34 + 410.7 * (20 * n) ** -0.28) * noise
    # The best single power has the exponent 0.304, which beta may not have here: the params term
    # vanishes.
    fitted = fit({"params": n, "tokens": 20 * n, "loss": losses}, bounds={"beta": (0.1, 0.29)})
    found = fitted.identifiability()
    assert "A" in fitted.at_bound
    assert {item.name for item in found.structures} == {"one-power", "fixed-ratio"}
    assert not found.identified
    assert not any(found.quantities.values())


@pytest.mark.parametrize(
    ("computes", "rank"), [([1e19] * 6, 1), ([1e19, 1e21] * 3, 2), ([1e19, 1e20, 1e21] * 2, 3)]
)
def test_a_compute_law_takes_three_computes(computes: list[float], rank: int) -> None:
    c = np.array(computes)
    terms = form_of("compute")
    runs = Runs.read({"compute": c, "loss": 1.7 + 1000 * c**-0.15}, require=("compute", "loss"))
    design = Design.of(terms, runs)
    solution = Solution(
        design.theta({"E": 1.7, "C0": 1000.0, "alpha": 0.15}),
        0.0,
        True,
        0.0,
        1,
        1,
        np.empty((0, 3)),
    )
    found = identifiability(
        Fit(model=terms, objective=Objective(), runs=runs, design=design, solution=solution)
    )
    # The exact rank: 1, C^-alpha, C^-alpha log C at the distinct computes, in rational arithmetic
    # of the powers' 60 digits.
    columns = MP.matrix(
        [[1, MP.mpf(x) ** -MP.mpf(0.15), MP.mpf(x) ** -MP.mpf(0.15) * MP.log(x)] for x in computes]
    )
    assert exact_rank(columns) == rank == found.rank
    assert ("few-computes" in {item.name for item in found.structures}) == (rank < 3)
    assert found.quantities == {}


def test_a_narrow_range_of_compute_does_not_tell_E() -> None:
    c = np.logspace(20, 20.6, 20)
    noise = np.exp(0.01 * np.random.default_rng(5).standard_normal(20))
    found = fit(
        {"compute": c, "loss": (1.7 + 1000 * c**-0.15) * noise}, model="compute"
    ).identifiability()
    assert found.weak or found.at_bound
    assert found.condition > 1e4


@pytest.mark.parametrize("design", [ray, fixed_params, grid, one_budget])
def test_the_text(design: Callable[[Any], Any]) -> None:
    n, d = design(LAW)
    found: Identifiability = identifiability(fit_at(runs_of(n, d, LAW), LAW))
    assert all(len(line) <= 100 for line in str(found).splitlines())
    for remedy in found.remedies:
        assert remedy.split()[0] in str(found)
