"""A thorough search for the best fit of the params+tokens law, by other means: SciPy from many
random starts.

Squares and Huber's function go through least_squares, the sharp objectives through L-BFGS-B on a
smooth one and then through linear programmes. Nothing here comes from the package's solvers.
"""

import numpy as np
from scipy.optimize import least_squares, linprog, minimize, nnls

EXPONENTS = (1e-3, 10.0)
TERMS = (1e-10, 1e10)
STARTS = 30
POLISHED = 4


class Search:
    """The search for one problem: theta = (E, log T_N, log T_D, beta, gamma), the terms at the
    geometric mean of the design.
    """

    def __init__(self, problem, seed):
        self.objective = problem.objective
        self.loss = problem.loss
        self.logs = [np.log(problem.params), np.log(problem.tokens)]
        self.logs = [x - x.mean() for x in self.logs]
        self.random = np.random.default_rng([seed, 99])
        span = [np.log(problem.loss.min() * TERMS[0]), np.log(problem.loss.max() * TERMS[1])]
        self.lower = np.array([0.0, span[0], span[0], EXPONENTS[0], EXPONENTS[0]])
        self.upper = np.array([np.inf, span[1], span[1], EXPONENTS[1], EXPONENTS[1]])

    def residuals(self, theta):
        terms = [np.exp(theta[1 + k] - theta[3 + k] * x) for k, x in enumerate(self.logs)]
        value = theta[0] + terms[0] + terms[1]
        return np.log(value) - np.log(self.loss) if self.objective.in_logs else value - self.loss

    def jacobian(self, theta):
        terms = [np.exp(theta[1 + k] - theta[3 + k] * x) for k, x in enumerate(self.logs)]
        columns = [
            np.ones_like(self.loss),
            *terms,
            *(-x * t for x, t in zip(self.logs, terms, strict=True)),
        ]
        found = np.stack(columns, axis=1)
        return (
            found / (theta[0] + terms[0] + terms[1])[:, None] if self.objective.in_logs else found
        )

    def value(self, theta):
        """The objective by its definition."""
        r, name = self.residuals(theta), self.objective.name
        if name.startswith("least-squares"):
            return float(np.sum(r**2))
        if name == "absolute-log":
            return float(np.sum(np.abs(r)))
        delta = self.objective.delta
        return float(
            np.sum(np.where(np.abs(r) <= delta, 0.5 * r**2, delta * (np.abs(r) - 0.5 * delta)))
        )

    def start(self, index):
        """Random exponents; the linear part random for one half of the starts, by nonnegative least
        squares for the other.
        """
        exponents = np.exp(self.random.uniform(np.log(0.02), np.log(3.0), size=2))
        if index % 2:
            columns = np.stack(
                [
                    np.ones_like(self.loss),
                    *(np.exp(-b * x) for b, x in zip(exponents, self.logs, strict=True)),
                ],
                axis=1,
            )
            linear, _ = nnls(columns / self.loss[:, None], np.ones_like(self.loss))
            linear = np.maximum(linear, [0.0, 1e-6, 1e-6])
        else:
            E = self.random.uniform(0.0, self.loss.min())
            share = self.random.uniform(0.02, 0.98)
            linear = np.array(
                [E, share * (np.median(self.loss) - E), (1.0 - share) * (np.median(self.loss) - E)]
            )
        theta = np.concatenate([linear[:1], np.log(np.maximum(linear[1:], 1e-9)), exponents])
        return np.clip(theta, self.lower + 1e-9, self.upper - 1e-9)

    def descend(self, theta, tolerance, evaluations):
        if self.objective.width == 0.0:
            return self._smooth_descent(theta, evaluations)
        huber = (
            {}
            if self.objective.width == np.inf
            else {"loss": "huber", "f_scale": self.objective.delta}
        )
        found = least_squares(
            self.residuals,
            theta,
            self.jacobian,
            bounds=(self.lower, self.upper),
            x_scale="jac",
            ftol=tolerance,
            xtol=tolerance,
            gtol=tolerance,
            max_nfev=evaluations,
            **huber,
        )
        return found.x

    def _smooth_descent(self, theta, evaluations):
        low, high = -1.0, 1.0  # the slopes of |r|
        for share in (1.0, 0.1, 0.01):
            width = share * np.median(np.abs(self.residuals(theta))) + 1e-12

            def smooth(x, width=width):
                r = self.residuals(x)
                psi = np.clip(r * 0.5 * (high - low) / width, low, high)
                return np.sum(psi * r - psi**2 * width / (high - low)), self.jacobian(x).T @ psi

            bounds = list(zip(self.lower, self.upper, strict=True))
            theta = minimize(
                smooth,
                theta,
                jac=True,
                method="L-BFGS-B",
                bounds=bounds,
                options={"maxiter": evaluations},
            ).x
        return theta

    def polish(self, theta):
        """To the end of the basin."""
        if self.objective.width != 0.0:
            return self.descend(np.clip(theta, self.lower + 1e-12, self.upper), 1e-15, 3000)
        low, high = -1.0, 1.0  # the slopes of |r|
        radius, count = 0.1, len(self.loss)
        for _ in range(80):
            r, J = self.residuals(theta), self.jacobian(theta)
            unit = np.linalg.norm(J, axis=0) / np.sqrt(count) + 1e-300
            noise = np.median(np.abs(r)) + 1e-300
            box = np.stack(
                [
                    np.maximum(-radius, (self.lower - theta) * unit / noise),
                    np.minimum(radius, (self.upper - theta) * unit / noise),
                ]
            )
            solved = linprog(
                np.concatenate([np.zeros(5), np.full(count, high), np.full(count, -low)]),
                A_eq=np.hstack([J / unit, -np.eye(count), np.eye(count)]),
                b_eq=-r / noise,
                bounds=[*box.T, *[(0, None)] * (2 * count)],
            )
            if solved.status != 0:
                break
            trial = np.clip(theta + solved.x[:5] * noise / unit, self.lower, self.upper)
            if self.value(trial) < self.value(theta):
                theta, radius = trial, 2.0 * radius
            else:
                radius *= 0.25
            if radius < 1e-10:
                break
        return theta

    def best(self):
        """The smallest objective that was found, and where."""
        with np.errstate(all="ignore"):
            rough = [self.descend(self.start(i), 1e-8, 200) for i in range(STARTS)]
            rough.sort(key=self.value)
            ends = [self.polish(theta) for theta in rough[:POLISHED]]
            return min(
                ((self.value(theta), theta) for theta in (*rough[:1], *ends)),
                key=lambda pair: pair[0],
            )
