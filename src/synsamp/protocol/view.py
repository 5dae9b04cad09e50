"""What may be asked of a running network without touching it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.errors import refuse
from synsamp.spiking import Network, Probe, Simulation
from synsamp.spiking.input.stimulus import StimulusLike

Seeds = Callable[..., np.random.SeedSequence]


class View:
    """The network at this moment, for records and for steps that are chosen from the state.

    All arrays are copies and probes run on copies, so a view cannot change the run. Seeds come
    from the names of the run's seed, the branch, the record (or step) and the time: asking more
    or less elsewhere changes no draw here.

    Parameters
    ----------
    simulation : Simulation
        The running network.
    branch : str
        Name of the branch; empty: the main course.
    seeds : Seeds
        Seeds of this moment.
    spike_counts : ndarray of int, shape (neurons,), optional
        Spikes of each neuron so far.
    total_reward : float
        Reward so far.
    environment : dict, optional
        State of the environment.
    """

    def __init__(
        self,
        simulation: Simulation,
        branch: str,
        seeds: Seeds,
        spike_counts: NDArray[np.int64] | None = None,
        total_reward: float = 0.0,
        environment: dict[str, Any] | None = None,
    ) -> None:
        self._simulation = simulation
        self._seeds = seeds
        self._spike_counts = spike_counts
        self.branch = branch
        self.total_reward = total_reward
        """The integral over time of all reward that environments gave."""
        self.environment = environment
        """The state of the environment that is acted on, or None."""

    @property
    def network(self) -> Network:
        """The network with its present numbers."""
        return self._simulation.network

    @property
    def time_s(self) -> float:
        """Biological time since the protocol began."""
        return self._simulation.time_s

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which neurons have not been removed."""
        return self._simulation.alive

    @property
    def spike_counts(self) -> NDArray[np.int64]:
        """Spikes of each neuron since the protocol began."""
        if self._spike_counts is None:
            remedy = "add a record rates() to the protocol or branch"
            raise refuse("spike_counts", "must be counted to be read", "no counts", remedy)
        return self._spike_counts.copy()

    def theta(self, projection: str) -> NDArray[np.float64]:
        """θ[post, pre], NaN where no synapse can exist."""
        return self._simulation.theta(projection)

    def weight(self, projection: str) -> NDArray[np.float64]:
        """Efficacies ŵ[post, pre] = max(0, w − f(0)); 0 where θ <= 0."""
        return self._simulation.weight(projection)

    def active(self, projection: str) -> NDArray[np.bool_]:
        """Which synapses [post, pre] are functional (θ > 0)."""
        return self._simulation.active(projection)

    def potentials(self, circuit: str) -> NDArray[np.float64]:
        """u_k of a circuit's neurons."""
        return self._simulation.potentials(circuit)

    def modulator(self, circuit: str) -> float:
        """The present modulator of a circuit."""
        return self._simulation.modulator(circuit)

    def eligibility(self, projection: str) -> Any:
        """Eligibility and gradient estimate of synapses that learn from reward."""
        return self._simulation.eligibility(projection)

    def neurons_of(self, circuit: str) -> NDArray[np.int64]:
        """Numbers of a circuit's neurons as they appear in spikes."""
        return self._simulation.neurons_of(circuit)

    def seed_for(self, *key: str | int) -> np.random.SeedSequence:
        """The seed of a named part of what is done with this view."""
        return self._seeds(*key)

    def probe(
        self, stimulus: StimulusLike, duration_s: float, *key: str | int, **options: Any
    ) -> Probe:
        """Show a stimulus to a copy with plasticity off; ``key`` distinguishes several probes.

        ``options`` are those of `Simulation.probe`: ``start``, ``burn_in_s``, ``burn_in``.
        """
        seed = self.seed_for("probe", *key)
        return self._simulation.probe(stimulus, duration_s, seed=seed, **options)
