"""A thorough search for the best fit of the params+tokens law, by other means: SciPy from many
random starts.

Squares and Huber's function go through least_squares, absolute deviations through L-BFGS-B on a
smooth objective and then through linear programmes. Nothing here comes from the package's solvers.
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
        self.objective, self.loss = problem.objective, problem.loss
        logs = np.log([problem.params, problem.tokens])
        self.logs = logs - logs.mean(axis=1, keepdims=True)
        self.random = np.random.default_rng([seed, 99])
        span = np.log([problem.loss.min() * TERMS[0], problem.loss.max() * TERMS[1]])
        ends = [(0.0, np.inf), span, span, EXPONENTS, EXPONENTS]
        self.lower, self.upper = np.array(ends, dtype=float).T

    def terms(self, theta):
        return np.exp(theta[1:3, None] - theta[3:, None] * self.logs)

    def residuals(self, theta):
        law = theta[0] + self.terms(theta).sum(axis=0)
        return np.log(law) - np.log(self.loss) if self.objective.in_logs else law - self.loss

    def jacobian(self, theta):
        terms = self.terms(theta)
        found = np.vstack([np.ones_like(self.loss), terms, -self.logs * terms]).T
        law = theta[0] + terms.sum(axis=0)
        return found / law[:, None] if self.objective.in_logs else found

    def value(self, theta):
        """The objective by its definition."""
        r, name, delta = self.residuals(theta), self.objective.name, self.objective.delta
        if name.startswith("least-squares"):
            return float(np.sum(r**2))
        size = np.abs(r)
        if name == "huber-log":
            size = np.where(size <= delta, 0.5 * r**2, delta * (size - 0.5 * delta))
        return float(np.sum(size))

    def start(self, index):
        """Random exponents; the linear part random for one half of the starts, by nonnegative least
        squares for the other.
        """
        exponents = np.exp(self.random.uniform(np.log(0.02), np.log(3.0), size=2))
        if index % 2:
            powers = np.exp(-exponents[:, None] * self.logs)
            columns = np.vstack([np.ones_like(self.loss), powers]) / self.loss
            linear, _ = nnls(columns.T, np.ones_like(self.loss))
            linear = np.maximum(linear, [0.0, 1e-6, 1e-6])
        else:
            E = self.random.uniform(0.0, self.loss.min())
            share, rest = self.random.uniform(0.02, 0.98), np.median(self.loss) - E
            linear = np.array([E, share * rest, (1.0 - share) * rest])
        theta = np.concatenate([linear[:1], np.log(np.maximum(linear[1:], 1e-9)), exponents])
        return np.clip(theta, self.lower + 1e-9, self.upper - 1e-9)

    def descend(self, theta, tolerance, evaluations):
        if self.objective.width == 0.0:
            return self._smooth_descent(theta, evaluations)
        how = dict.fromkeys(("ftol", "xtol", "gtol"), tolerance) | {"max_nfev": evaluations}
        if self.objective.width < np.inf:
            how |= {"loss": "huber", "f_scale": self.objective.delta}
        how |= {"bounds": (self.lower, self.upper), "x_scale": "jac"}
        return least_squares(self.residuals, theta, self.jacobian, **how).x

    def _smooth_descent(self, theta, evaluations):
        bounds = [*zip(self.lower, self.upper, strict=True)]
        how = {"jac": True, "method": "L-BFGS-B", "bounds": bounds}
        for share in (1.0, 0.1, 0.01):
            width = share * np.median(np.abs(self.residuals(theta))) + 1e-12

            def smooth(x, width=width):
                r = self.residuals(x)
                psi = np.clip(r / width, -1.0, 1.0)
                return np.sum(psi * r - psi**2 * width / 2.0), self.jacobian(x).T @ psi

            theta = minimize(smooth, theta, options={"maxiter": evaluations}, **how).x
        return theta

    def polish(self, theta):
        """The end of the basin; of absolute deviations by linear programmes, a step each."""
        if self.objective.width != 0.0:
            return self.descend(np.clip(theta, self.lower + 1e-12, self.upper), 1e-15, 3000)
        radius, count = 0.1, len(self.loss)
        ones = np.eye(count)
        for _ in range(80):
            r, J = self.residuals(theta), self.jacobian(theta)
            noise = np.median(np.abs(r)) + 1e-300
            unit = (np.linalg.norm(J, axis=0) / np.sqrt(count) + 1e-300) / noise
            low = np.maximum(-radius, (self.lower - theta) * unit)
            high = np.minimum(radius, (self.upper - theta) * unit)
            solved = linprog(
                np.concatenate([np.zeros(5), np.ones(2 * count)]),
                A_eq=np.hstack([J / unit / noise, -ones, ones]),
                b_eq=-r / noise,
                bounds=[*zip(low, high, strict=True), *[(0, None)] * (2 * count)],
            )
            if solved.status != 0 or radius < 1e-10:
                break
            trial = np.clip(theta + solved.x[:5] / unit, self.lower, self.upper)
            better = self.value(trial) < self.value(theta)
            theta, radius = (trial, 2.0 * radius) if better else (theta, 0.25 * radius)
        return theta

    def best(self):
        """The smallest objective that was found, and where."""
        with np.errstate(all="ignore"):
            rough = [self.descend(self.start(i), 1e-8, 200) for i in range(STARTS)]
            rough.sort(key=self.value)
            ends = [rough[0], *(self.polish(theta) for theta in rough[:POLISHED])]
            return min(((self.value(theta), theta) for theta in ends), key=lambda pair: pair[0])
