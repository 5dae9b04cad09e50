"""Fokker–Planck equation of a rule on a grid, to check the rule before running it.

The density of θ under the rule obeys the Fokker–Planck equation

    ∂p/∂t = −∇·J,    J_i = b f_i p − T b ∂_i p = −T b π ∂_i (p/π),    π ∝ (p_S p_N)^(1/T)

(the T b′ term of the rule makes the flux vanish for p = π: Theorem 1). Between two neighbouring
cells the flux is assumed constant and solved for exactly (Chang & Cooper 1970; Scharfetter & Gummel
1969):

    J = (T b/h) [B(−δ) p_left − B(δ) p_right],   δ = log π_right − log π_left,   B(x) = x/(eˣ − 1)

so that p = π is exactly stationary on any grid, mass is conserved to rounding and p stays positive.
There is no time step: p(t) = exp(tA) p(0) is a contour integral of resolvents (Weideman & Trefethen
2007), whose cost does not grow with t.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.linalg import eigsh, splu

from synsamp.arguments import function, instance, number, numbers
from synsamp.errors import refuse
from synsamp.rule.likelihood import Batch
from synsamp.rule.rule import Rule

_MOST_CELLS = 10**7


def _bernoulli(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """x/(eˣ − 1), with its limit 1 at 0 and no overflow at either end."""
    small = np.abs(x) < 1e-5
    safe = np.where(small, 1.0, np.clip(x, -700.0, 700.0))
    return np.where(small, 1.0 - 0.5 * x, safe / np.expm1(safe))


@dataclass(frozen=True, eq=False)
class FokkerPlanck:
    """Density of θ under a rule on a grid of one or two parameters; see ``fokker_planck``.

    Attributes
    ----------
    axes : tuple of ndarray
        Grid points of each parameter.
    stationary : ndarray, one axis per parameter
        Stationary density.
    generator : scipy.sparse matrix
        A in dp/dt = A p, for the flattened density.
    """

    axes: tuple[NDArray[np.float64], ...]
    stationary: NDArray[np.float64]
    generator: sparse.csr_matrix

    @property
    def cell(self) -> float:
        """Length or area of a grid cell."""
        return float(np.prod([axis[1] - axis[0] for axis in self.axes]))

    def delta(self, start: ArrayLike) -> NDArray[np.float64]:
        """Density concentrated in the cell nearest to ``start`` (one number per axis)."""
        density = np.zeros(self.stationary.shape)
        where = np.atleast_1d(numbers("start", start))
        if where.shape != (len(self.axes),):
            raise refuse("start", "must be one number per axis of the grid", where.shape)
        place = tuple(int(np.argmin(np.abs(a - w))) for a, w in zip(self.axes, where, strict=True))
        density[place] = 1.0 / self.cell
        return density

    def evolve(self, density: ArrayLike, time: float) -> NDArray[np.float64]:
        """Density after ``time``, starting from a density on the grid."""
        time = number("time", time, at_least=0, at_most=1e100)
        remedy = "give a density on the grid, such as delta(start)"
        p = numbers("density", density, shape=self.stationary.shape, remedy=remedy)
        if time == 0:
            return p.copy()
        # exp(tA) p = (1/2πi) ∮ e^z (z − tA)⁻¹ p dz on the parabola z(φ) below, by the trapezoidal
        # rule; its error falls as 2.85^−nodes (rounding leaves about 1e-8 if the slowest and the
        # fastest mode are ten decades apart). Nodes come in conjugate pairs: half are enough.
        nodes = 32
        phi = np.pi * (np.arange(nodes // 2) * 2 + 1) / nodes
        z = nodes * (0.1309 - 0.1194 * phi**2 + 0.2500j * phi)
        slope = nodes * (-2 * 0.1194 * phi + 0.2500j)
        scaled = sparse.csc_matrix(self.generator * time)
        unit = sparse.identity(p.size, format="csc")
        start, total = p.ravel().astype(complex), np.zeros(p.size)
        for z_k, slope_k in zip(z, slope, strict=True):
            factors = splu(z_k * unit - scaled, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.1)
            total += 2 * np.real(np.exp(z_k) * slope_k / (1j * nodes) * factors.solve(start))
        return total.reshape(p.shape)

    def relaxation_time(self) -> float:
        """Time constant of the slowest deviation from the stationary distribution.

        A burn-in of a few times this is long enough. Separated modes make it long.
        """
        root = np.sqrt(np.maximum(self.stationary.reshape(-1), 1e-280))
        symmetric = sparse.diags(1.0 / root) @ self.generator @ sparse.diags(root)
        symmetric = 0.5 * (symmetric + symmetric.T)
        # Shift-invert near the eigenvalue 0 finds the two slowest modes at once. A fixed start
        # vector makes the result reproducible; the solver's default is random.
        start = np.random.default_rng(0).uniform(-1.0, 1.0, root.size)
        slowest = eigsh(symmetric, k=2, sigma=1e-8, v0=start, return_eigenvectors=False)
        return float(-1.0 / np.min(slowest))


def fokker_planck(
    rule: Rule,
    *axes: ArrayLike,
    log_likelihood: Callable[[NDArray[np.float64]], ArrayLike] | None = None,
) -> FokkerPlanck:
    """Discretise the Fokker–Planck equation of a rule.

    Parameters
    ----------
    rule : Rule
        A rule with one constant temperature T > 0.
    *axes : array_like, shape (points,)
        One or two evenly spaced grids, one per parameter.
    log_likelihood : callable, required if the rule has a likelihood
        Maps θ (or w, with a mapping) of shape (points, parameters) to log p_N of shape (points,).
        Its derivative is compared with the rule's gradient.

    Returns
    -------
    FokkerPlanck

    Examples
    --------
    >>> theory = fokker_planck(Rule(prior=Gaussian(0, 1)), np.linspace(-4, 4, 201))
    >>> theory.relaxation_time()  # about 1
    """
    instance("rule", rule, Rule, "make one with synsamp.Rule(...)")
    if log_likelihood is not None:
        function("log_likelihood", log_likelihood)
    grid = tuple(_uniform_axis(axis) for axis in axes)
    if len(grid) not in (1, 2):
        raise refuse("number of axes", "must be 1 or 2", len(grid))
    if callable(rule.temperature) or np.ndim(rule.temperature) != 0 or rule.temperature == 0:
        raise refuse(
            "temperature", "must be one constant number > 0 for fokker_planck", rule.temperature
        )
    if (rule.likelihood is None) != (log_likelihood is None):
        raise refuse(
            "log_likelihood", "must be given exactly when the rule has a likelihood", log_likelihood
        )
    n_cells = int(np.prod([axis.size for axis in grid]))
    if n_cells > _MOST_CELLS:
        raise refuse("grid", f"must have at most {_MOST_CELLS} cells", n_cells, "use fewer points")
    points = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, len(grid))
    rule.check(points)
    T = float(rule.temperature)
    log_target = rule.prior.log_density(points).sum(axis=-1)
    if log_likelihood is not None:
        weights = rule.mapping.weight(points)
        log_target = log_target + np.asarray(log_likelihood(weights), float).reshape(-1)
        _check_gradient(rule, log_likelihood, weights)
    log_pi = (log_target / T).reshape([axis.size for axis in grid])
    generator = sum(_fluxes(rule, T, grid, log_pi, d) for d in range(len(grid)))
    density = np.exp(log_pi - log_pi.max())
    cell = float(np.prod([axis[1] - axis[0] for axis in grid]))
    return FokkerPlanck(grid, density / (density.sum() * cell), sparse.csr_matrix(generator))


def _fluxes(
    rule: Rule, T: float, axes: tuple[NDArray[Any], ...], log_pi: NDArray[Any], d: int
) -> Any:
    """Part of the generator that moves mass along axis ``d``."""
    axis = axes[d]
    h = axis[1] - axis[0]
    index = np.arange(log_pi.size).reshape(log_pi.shape)
    left, right = (
        np.moveaxis(index, d, 0)[part].ravel() for part in (slice(None, -1), slice(1, None))
    )
    jump = log_pi.ravel()[right] - log_pi.ravel()[left]
    # Speed between the cells; it may differ per parameter but not depend on the other parameter.
    half = np.repeat(0.5 * (axis[1:] + axis[:-1])[:, None], len(axes), axis=1)
    b = np.broadcast_to(rule.speed.evaluate(half)[0], half.shape)[:, d]
    strength = np.repeat(T * b / h**2, log_pi.size // axis.size)
    rightward, leftward = strength * _bernoulli(-jump), strength * _bernoulli(jump)
    rows = np.concatenate([right, left, left, right])
    columns = np.concatenate([left, left, right, right])
    values = np.concatenate([rightward, -rightward, leftward, -leftward])
    return sparse.coo_matrix((values, (rows, columns)), (log_pi.size, log_pi.size)).tocsr()


def _uniform_axis(axis: ArrayLike) -> NDArray[np.float64]:
    remedy = "use numpy.linspace"
    values = numbers("axis", axis, shape=(None,), remedy=remedy)
    if values.size < 3 or not np.allclose(np.diff(values), values[1] - values[0], atol=0.0):
        rule = "must be evenly spaced with at least 3 points"
        raise refuse("axis", rule, values.shape, remedy)
    if values[1] <= values[0]:
        raise refuse("axis", "must increase", (float(values[0]), float(values[1])), remedy)
    return values


def _check_gradient(
    rule: Rule,
    log_likelihood: Callable[[NDArray[np.float64]], ArrayLike],
    points: NDArray[np.float64],
) -> None:
    """Raise an error unless the rule's gradient is the gradient of ``log_likelihood``."""
    if not isinstance(rule.likelihood, Batch):
        return  # online gradients are of single inputs; their sum is not available
    some = points[:: max(1, len(points) // 64)]
    vectorised = rule.likelihood.validate(some)
    given = np.asarray(rule.likelihood.evaluate(some, 0, (), (), vectorised), float)
    h = 1e-5
    for d in range(points.shape[1]):
        step = np.zeros(points.shape[1])
        step[d] = h
        change = np.asarray(log_likelihood(some + step)) - np.asarray(log_likelihood(some - step))
        measured = change.reshape(-1) / (2 * h)
        gap = np.abs(measured - given[:, d])
        worst = int(np.argmax(gap))
        if gap[worst] > 1e-4 * (1 + np.abs(measured[worst])):
            raise refuse(
                f"likelihood gradient of parameter {d}",
                f"must be {measured[worst]:.6g} at θ = {some[worst]}",
                float(given[worst, d]),
                "it is not the derivative of log_likelihood",
            )
