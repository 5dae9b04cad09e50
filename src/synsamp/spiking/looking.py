"""Looking at θ between the grid points of a run, without touching the run.

A row of synapses is as of its last refresh; a look wants it as of now. Whatever a look draws must
come from its own stream, yet looks must agree in law with each other and with what the run finds at
the next grid point. So a look anticipates the refresh at that grid point on a copy (same noise
stream, same bits as the run will draw if the neuron stays silent until then) and fills in between
by the bridge of the Ornstein–Uhlenbeck process; the next look starts from this one.

Without spikes the joint law of all looks and of the run is exact. If the neuron spikes before the
grid point its refresh comes earlier, and what a look saw agrees with it in law given the past
alone; the difference is below the noise of one refresh interval. For priors that are not Gaussian
the look goes forward from the last one by splitting steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synsamp.priors import Gaussian
from synsamp.rule.equation import ornstein_uhlenbeck
from synsamp.spiking.activity import SWEEPS
from synsamp.spiking.arrays import copies
from synsamp.spiking.draws import Normals

if TYPE_CHECKING:
    from synsamp.spiking.simulation import Simulation


class Looker:
    """Remembers the last look, so that the next one agrees with it."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._time_s = -1.0
        self._seen = np.zeros(0)  # θ as the last look saw it
        self._base = np.zeros(0)  # θ of the run at that moment
        self._refreshed_s = np.zeros(0)

    def look(self, sim: Simulation) -> NDArray[np.float64]:
        """θ of all synapses now."""
        run, now = sim._synapses, sim.time_s
        if (run.refreshed_s == now).all():
            return run.theta.copy()
        chained = self._refreshed_s.size and self._time_s <= now
        fresh = (
            self._refreshed_s != run.refreshed_s if chained else np.ones(run.refreshed_s.size, bool)
        )
        grid = (int(sim._activity.counters[SWEEPS]) + 1) * sim._grid_s
        ahead = self._anticipate(sim, grid)
        seen = run.theta.copy()
        wiring = sim.layout.wiring
        for p, projection in enumerate(sim.layout.projections):
            block = sim.layout.places[p].block
            if not wiring.plastic[block]:
                continue
            values, end = sim._matrix(p, seen), sim._matrix(p, ahead)
            target = sim.layout.blocks[block].target
            for post in range(values.shape[0]):
                neuron = int(wiring.first_neuron[target]) + post
                start, since = values[post].copy(), float(run.refreshed_s[neuron])
                if not fresh[neuron]:
                    # go on from the last look; spikes since then moved the run and the look alike
                    exists, base = start > -np.inf, sim._matrix(p, self._base)[post]
                    moved = np.subtract(start, base, out=np.zeros(base.size), where=exists)
                    start, since = sim._matrix(p, self._seen)[post] + moved, self._time_s
                values[post] = self._between(projection.rule, start, since, now, end[post], grid)
        self._time_s, self._seen = now, seen
        self._base, self._refreshed_s = run.theta.copy(), run.refreshed_s.copy()
        return seen.copy()

    def _anticipate(self, sim: Simulation, grid_s: float) -> NDArray[np.float64]:
        """θ at the next grid point if nobody spikes till then, with the noise the run will draw."""
        run = sim._synapses
        ahead = run._replace(
            theta=run.theta.copy(),
            weight=run.weight.copy(),
            refreshed_s=run.refreshed_s.copy(),
        )
        noise = Normals(**copies(sim._streams.noise))
        for neuron in range(run.refreshed_s.size):
            sim._kernel.refresh_neuron(
                neuron, grid_s, sim.layout.wiring, sim.layout.rules, ahead, noise
            )
        return ahead.theta

    def _between(
        self, rule: Any, start: Any, since: float, now: float, end: Any, then: float
    ) -> NDArray[np.float64]:
        if now <= since:
            return start
        exists = start > -np.inf
        if not exists.any():
            return start
        if not isinstance(rule.prior, Gaussian):
            out = np.full(start.shape, -np.inf)
            out[exists] = self._forward(rule, start[exists], now - since)
            return out
        mean, std = (np.broadcast_to(v, start.shape)[exists] for v in rule.prior.parameters)
        steps = [
            np.array([ornstein_uhlenbeck(rule.b, rule.T, s, t) for s in std]).T
            if np.unique(std).size > 1
            else np.array(ornstein_uhlenbeck(rule.b, rule.T, float(std[0]), t))[:, None]
            for t in (now - since, then - now)
        ]
        (keep, spread), (keep_on, spread_on) = steps
        value = mean + keep * (start[exists] - mean)
        if rule.T > 0:
            # Two measurements of θ(now): from the past, and from the known end.
            weight_past, weight_end = (
                1.0 / spread**2,
                (keep_on / np.maximum(spread_on, 1e-300)) ** 2,
            )
            from_end = mean + (end[exists] - mean) / keep_on
            value = (weight_past * value + weight_end * from_end) / (weight_past + weight_end)
            value += self._rng.standard_normal(value.size) / np.sqrt(weight_past + weight_end)
        out = np.full(start.shape, -np.inf)
        out[exists] = np.maximum(value, rule.floor)
        return out

    def _forward(self, rule: Any, theta: Any, elapsed: float) -> NDArray[np.float64]:
        steps = max(1, int(np.ceil(rule.b * elapsed / rule.splitting_step)))
        dt = elapsed / steps
        for _ in range(steps):
            noise = np.sqrt(2 * rule.T * rule.b * dt) * self._rng.standard_normal(theta.size)
            theta = np.maximum(theta + rule.b * rule.prior.gradient(theta) * dt + noise, rule.floor)
        return theta

    def state(self) -> dict[str, Any]:
        """For checkpoints: a resumed run sees the same looks."""
        return {
            "rng": self._rng.bit_generator.state,
            "time_s": self._time_s,
            "seen": self._seen.copy(),
            "base": self._base.copy(),
            "refreshed_s": self._refreshed_s.copy(),
        }

    def restore(self, state: Any) -> None:
        """Take up a saved state."""
        self._rng.bit_generator.state = {**state["rng"], "state": dict(state["rng"]["state"])}
        self._time_s = float(state["time_s"])
        self._seen, self._base = np.array(state["seen"]), np.array(state["base"])
        self._refreshed_s = np.array(state["refreshed_s"])
