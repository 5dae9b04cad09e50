"""One network through all phases of Fig. 5, controls included; can be stopped at any step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synsamp.experiments.base import State
from synsamp.experiments.compensation.network import (
    AUDITORY,
    Hidden,
    LateralSection,
    afferent_theta,
    build_network,
    lateral_theta,
    remove_connections,
    remove_neurons,
    visual_efficacies,
)
from synsamp.experiments.compensation.path import summarise_path
from synsamp.experiments.compensation.plan import (
    LEARNED,
    LIKELIHOOD,
    MAIN,
    NO_LESION,
    NOISE_OFF,
    STEP_S,
    Phase,
    Plan,
    Row,
)
from synsamp.experiments.compensation.probes import (
    HALVES,
    Stimuli,
    TestSection,
    histograms,
    recall_from_rest,
    reconstructions,
    test_recall,
    tuned_to_second,
)
from synsamp.experiments.compensation.stimuli import HEARING
from synsamp.experiments.shared.digit_circuit import CircuitSection, RuleSection, build_synapses
from synsamp.priors import Gaussian
from synsamp.spiking import Network, Simulation

GRID_S = 10.0
CHANGED_RULE = (NOISE_OFF, LIKELIHOOD)
NO_PRIOR_STD = 1e6
"""A prior so wide that it pulls nowhere: of one kind with the Gaussian, so compiled already."""
Table = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Setup:
    """All that the jobs of one run have in common but the data they draw."""

    plan: Plan
    rule: RuleSection
    circuit: CircuitSection
    lateral: LateralSection
    test: TestSection
    n_heard: int
    n_seen: int
    n_bins: int

    @property
    def hidden(self) -> Hidden:
        """Where the neurons are."""
        return Hidden(self.circuit.neurons)

    def network(self, arm: str = MAIN, allowed: NDArray[np.bool_] | None = None) -> Network:
        """The network, or a control's: without noise, and perhaps without the prior.

        ``allowed`` are the lateral connections that a lesion has left.
        """
        synapses = build_synapses(self.rule)
        if arm in CHANGED_RULE:
            synapses = replace(synapses, temperature=0.0)
        if arm == LIKELIHOOD:
            wide = Gaussian(self.rule.prior_mean, NO_PRIOR_STD)
            synapses = replace(synapses, prior=wide)
        return build_network(
            self.n_heard, self.n_seen, self.circuit, synapses, self.lateral, allowed
        )


class CompensationJob:
    """One seed."""

    def __init__(
        self,
        setup: Setup,
        stimuli: Stimuli,
        seed_for: Callable[..., np.random.SeedSequence],
        number: int,
        state: State | None,
    ) -> None:
        self._setup, self._stimuli = setup, stimuli
        self._seed_for, self._number = seed_for, number
        if state is None:
            self._phase = self._step = 0
            self._kept: dict[str, Any] = {}
            self.tables = _empty_tables(setup)
            self._sim = Simulation(
                setup.network(), stimuli.learning, seed=seed_for("network", number), grid_s=GRID_S
            )
        else:
            self._phase, self._step = int(state["phase"]), int(state["step"])
            self._kept = dict(state["kept"])
            self.tables = {name: np.array(table) for name, table in state["tables"].items()}
            if state["simulation"]:
                self._sim = self._resumed(state["simulation"])

    @property
    def work(self) -> float:
        """Steps of all phases, and one more for each phase's start."""
        return float(self._setup.plan.steps + len(self._setup.plan.phases))

    @property
    def done(self) -> float:
        """Steps done."""
        before = self._setup.plan.phases[: self._phase]
        return sum(round(p.duration_s / STEP_S) + 1.0 for p in before) + self._step

    def step(self) -> None:
        """Begin a phase, or go on for STEP_S; then test if it is time."""
        phase = self._setup.plan.phases[self._phase]
        if self._step == 0:
            self._begin(phase)
        else:
            self._sim.run(STEP_S)
        for number, row in self._setup.plan.rows_of(self._phase):
            if row.step == self._step:
                self._test(number, row)
        self._note_path(phase)
        self._step += 1
        if self._step > round(phase.duration_s / STEP_S):
            self._end(phase)
            self._phase, self._step = self._phase + 1, 0
            if self._phase == len(self._setup.plan.phases):
                summarise_path(self.tables, self._setup.plan, self._setup.hidden)
                self._kept = {}

    def state(self) -> dict[str, Any]:
        """All that is needed to go on."""
        phases = self._setup.plan.phases
        # A phase that begins with a kept state does not need the one before it.
        ended = self._step == 0 and (
            self._phase == len(phases) or bool(phases[self._phase].begins_with)
        )
        return {
            "phase": self._phase,
            "step": self._step,
            "kept": dict(self._kept),
            "tables": {name: table.copy() for name, table in self.tables.items()},
            "simulation": {} if ended else self._sim.state(),
        }

    # -- phases ------------------------------------------------------------------------------------

    def _begin(self, phase: Phase) -> None:
        """Go back to a kept state, or strike the main run."""
        if phase.begins_with:
            original = self._restored(phase.begins_with)
            self._sim = self._changed(original, phase.arm)
        elif phase.lesion:
            self._strike(phase.lesion)
        if phase.kept_as:
            self._kept[phase.kept_as] = self._sim.state()

    def _end(self, phase: Phase) -> None:
        if phase.arm == MAIN and phase.lesion == 0:
            self._kept[LEARNED] = self._sim.state()

    def _strike(self, lesion: int) -> None:
        hidden, tables = self._setup.hidden, self.tables
        if lesion == 1:
            seed = self._part("lesion")
            tuned = tuned_to_second(self._sim, hidden, self._stimuli, self._setup.test, seed)
            tables["removed_neuron"][tuned] = True
            remove_neurons(self._sim, hidden, tuned)
        else:
            functional = lateral_theta(self._sim) > 0
            tables["removed_connection"][:] = functional
            remove_connections(self._sim, hidden, functional)

    def _restored(self, name: str) -> Simulation:
        network, saved = self._setup.network(), self._kept[name]
        return Simulation.from_state(network, saved, self._stimuli.learning)

    def _changed(self, original: Simulation, arm: str) -> Simulation:
        """The same synapses under the rule of a control, potentials from rest."""
        if arm not in CHANGED_RULE:
            return original
        lateral = lateral_theta(original)
        theta = {p.name: original.theta(p.name) for p in original.network.projections}
        sim = Simulation(
            self._setup.network(arm, np.isfinite(lateral)),
            self._stimuli.learning,
            seed=self._part("control", arm, self._phase)(),
            grid_s=GRID_S,
            theta={name: np.nan_to_num(values) for name, values in theta.items()},
        )
        remove_neurons(sim, self._setup.hidden, np.flatnonzero(self.tables["removed_neuron"]))
        return sim

    def _resumed(self, saved: Any) -> Simulation:
        phase = self._setup.plan.phases[self._phase]
        network = self._setup.network()
        if phase.arm in CHANGED_RULE:
            lateral = lateral_theta(self._restored(phase.begins_with))
            network = self._setup.network(phase.arm, np.isfinite(lateral))
        return Simulation.from_state(network, saved, self._stimuli.learning)

    # -- looking -----------------------------------------------------------------------------------

    def _part(self, *key: str | int) -> Callable[..., np.random.SeedSequence]:
        return lambda *rest: self._seed_for("network", self._number, *key, *rest)

    def _test(self, number: int, row: Row) -> None:
        setup, hidden, tables = self._setup, self._setup.hidden, self.tables
        seed = self._part("test", number)
        measured, blocks = test_recall(self._sim, hidden, self._stimuli, setup.test, seed)
        for name, value in measured.items():
            tables[name][number] = value
        lateral = lateral_theta(self._sim)
        tables["connections"][number] = (lateral > 0).sum()
        tables["allowed"][number] = np.isfinite(lateral).sum()
        if row.mark:
            at = _marked(setup.plan).index(row)
            tables["mark_lateral"][at] = lateral > 0
            tables["mark_image_weight"][at] = visual_efficacies(self._sim)
            tables["mark_reconstruction"][at] = reconstructions(self._sim, hidden, blocks)
            tables["mark_heard_share"][at] = np.nanmean(
                afferent_theta(self._sim, HEARING, AUDITORY) > 0
            )
            tables["mark_rest"][at] = recall_from_rest(
                self._sim, hidden, self._stimuli, setup.test, seed
            )
        if row.codes:
            at = _coded(setup.plan).index(row)
            found = histograms(blocks, self._stimuli)
            tables["codes"][at, ..., : found.shape[-1]] = found

    def _note_path(self, phase: Phase) -> None:
        if phase.arm in (MAIN, NO_LESION):
            at = round((phase.start_s + self._step * STEP_S) / STEP_S)
            name = "path" if phase.arm == MAIN else "path_no_lesion"
            if phase.arm == NO_LESION:
                at -= round(phase.start_s / STEP_S)
            self.tables[name][at] = lateral_theta(self._sim)


def _marked(plan: Plan) -> list[Row]:
    return [row for row in plan.rows if row.mark]


def _coded(plan: Plan) -> list[Row]:
    return [row for row in plan.rows if row.codes]


def _length(plan: Plan, arm: str) -> int:
    return sum(round(p.duration_s / STEP_S) for p in plan.phases if p.arm == arm) + 1


def _empty_tables(setup: Setup) -> Table:
    plan, hidden, n_rows = setup.plan, setup.hidden, len(setup.plan.rows)
    n, n_marks, n_codes = hidden.n, len(_marked(plan)), len(_coded(plan))
    nan = np.nan
    return {
        "recall": np.full((n_rows, setup.test.blocks), nan),
        "recall_by_count": np.full((n_rows, setup.test.blocks), nan),
        "heard": np.full(n_rows, nan),
        "seen": np.full(n_rows, nan),
        "likeness": np.full((n_rows, 2, 2), nan),
        "connections": np.zeros(n_rows, np.int64),
        "allowed": np.zeros(n_rows, np.int64),
        "removed_neuron": np.zeros(n, bool),
        "removed_connection": np.zeros((n, n), bool),
        "mark_lateral": np.zeros((n_marks, n, n), bool),
        "mark_image_weight": np.zeros((n_marks, hidden.n_each, setup.n_seen), np.float32),
        "mark_reconstruction": np.zeros((n_marks, 2, setup.n_seen), np.float32),
        "mark_rest": np.full(n_marks, nan),
        "mark_heard_share": np.full(n_marks, nan),
        "codes": np.full((n_codes, HALVES, 2, n, setup.n_bins), nan, np.float32),
        "path": np.full((_length(plan, MAIN), n, n), nan, np.float32),
        "path_no_lesion": np.full((_length(plan, NO_LESION), n, n), nan, np.float32),
    }
