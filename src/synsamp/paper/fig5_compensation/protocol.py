"""Fig. 5 as a protocol: learning, two lesions, and controls that continue from the same state.

learning        lesion 1        lesion 2
|---------------|---------------|-------------------------|      the network
                |---------------------                           no lesion: codes drift
                |- - - - - - - -|                                noise off after lesion 1
                |- - -                                           plasticity off
                                |- - - - - - - -                 noise off after lesion 2
                                |- - - -                         likelihood alone
                                |- - -                           plasticity off

Eight circuits of ten neurons, four auditory and four visual: every circuit receives all inputs of
its modality, and lateral connections may grow between any two of the 80 neurons (5 ms delay; by
default without self-connections). All synapses follow one rule.

Recall is tested on copies of the network with plasticity off (b = 0): a word is heard, the visual
inputs stay silent, and a linear decoder reads out from z_V which word it was. Counts cover only the
length of the shortest test word: the total rate of a circuit is fixed, so spike counts of whole
words would reveal their length, and a network without lateral connections would seem to recall. The
adaptation current that audio-visual learning leaves behind is far larger than the effect of lateral
connections (its spread within a circuit is about 90, compared with a drive of about 10), so each
copy first hears words alone for a while.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from synsamp.analysis.decoder import padded_blocks, shuffled
from synsamp.analysis.peth import (
    BIN_S,
    SpikeTrials,
    counts_in_windows,
    joined,
    mean_rates,
    peth,
    sort_into_trials,
)
from synsamp.analysis.reconstruction import class_correlation, reconstruct_images
from synsamp.data.digit_pairs import HEARING, SEEING, Pairs, Stimuli, build_stimuli
from synsamp.paper.fig5_compensation.parameters import (
    PER_MODALITY,
    STEP_S,
    CompensationParameters,
    LateralSection,
    TestSection,
)
from synsamp.paper.shared.digit_circuit import CircuitSection, build_prior, build_synapses
from synsamp.protocol import Branch, Change, Lesion, Mark, Protocol, Show, View, at_marks, every
from synsamp.protocol.steps import ProtocolStep
from synsamp.spiking import (
    DoubleExponential,
    InputGroup,
    Network,
    Projection,
    RemoveNeurons,
    RemoveSynapses,
    SynapseModel,
    WinnerTakeAll,
)

LATER_S = 7200.0
"""t4 lies two hours after lesion 2."""
NO_PRIOR_STD = 1e6
"""A prior so wide that it has no effect."""
AUDITORY = tuple(f"A{i}" for i in range(PER_MODALITY))
VISUAL = tuple(f"V{i}" for i in range(PER_MODALITY))
CIRCUITS = (*AUDITORY, *VISUAL)


def compensation_protocol(p: CompensationParameters, pairs: Pairs) -> Protocol:
    """One network through learning, lesions and controls."""
    s, hidden, stimuli = (
        p.schedule,
        Hidden(p.circuit.neurons),
        build_stimuli(pairs, p.input.image_peak_hz, p.input.noise_hz, p.input.padding_s),
    )
    network = build_network(
        pairs.n_heard, pairs.n_seen, p.circuit, build_synapses(p.rule), p.lateral
    )
    every_synapse = [projection.name for projection in network.projections]
    learning = stimuli.learning

    test = {"test": every(p.test.every_s, RecallTest(hidden, stimuli, p.test, pairs.word_s))}
    path = {"theta": every(STEP_S, lateral_path)}
    marks = {
        "marks": at_marks(weights_at_mark),
        "tuning": at_marks(tuning(hidden, stimuli, p.test), "t1"),
    }

    def tuned(view: View) -> Any:
        shown = tuning_trials(view, stimuli, p.test)
        return neurons_removed(hidden, tuned_to_second(shown, hidden, p.test))

    def functional(view: View) -> Any:
        return connections_removed(hidden, lateral_theta(view) > 0)

    def shown(seconds: float) -> list[Show]:
        return [Show(learning, seconds)] if seconds else []

    def control(name: str, seconds: float, *changes: Change) -> list[Branch]:
        return [Branch(name, [*changes, *shown(seconds)], test)] if seconds else []

    frozen = Change(every_synapse, speed=0.0)
    noiseless = Change(every_synapse, temperature=0.0)
    wide = replace(build_prior(p.rule), std=NO_PRIOR_STD)
    likelihood_alone = Change(every_synapse, temperature=0.0, prior=wide)
    no_lesion = Branch("no_lesion", shown(s.no_lesion_s), {**test, **path})

    steps: list[ProtocolStep] = [
        Show(learning, s.learning_s),
        Mark("t1"),
        *([no_lesion] if s.no_lesion_s else []),
        Lesion(tuned, "1: neurons of z_V tuned to the second digit"),
        *control("plasticity_off_1", s.frozen_1_s, frozen),
        *control("noise_off_1", s.noise_off_1_s, noiseless),
    ]
    if s.after_lesion_2_s:
        tests = max(LATER_S // p.test.every_s, 1)  # t4 falls on a test
        later_s = min(tests * p.test.every_s, s.after_lesion_2_s)
        steps += [
            Show(learning, s.after_lesion_1_s),
            Mark("t2"),
            Lesion(functional, "2: all functional lateral connections, permanently"),
            Mark("t3"),
            *control("plasticity_off_2", s.frozen_2_s, frozen),
            *control("noise_off_2", s.noise_off_2_s, noiseless),
            *control("likelihood_alone_2", s.likelihood_2_s, likelihood_alone),
            *shown(later_s),
            Mark("t4"),
            *shown(s.after_lesion_2_s - later_s),
        ]
    else:
        steps += [Mark("t2"), Show(learning, s.after_lesion_1_s), Mark("t3")]
    return Protocol(network, steps, {**test, **path, **marks})


# -- the network --------------------


class Hidden:
    """Numbering of the hidden neurons: z_A first, then z_V, circuit by circuit."""

    def __init__(self, per_circuit: int) -> None:
        self.per_circuit = per_circuit
        self.n_each = PER_MODALITY * per_circuit
        self.n = 2 * self.n_each
        self.auditory = np.arange(self.n_each)
        self.visual = np.arange(self.n_each, self.n)

    def rows(self, circuit: int) -> slice:
        """Neurons of a circuit."""
        return slice(circuit * self.per_circuit, (circuit + 1) * self.per_circuit)


def build_network(
    n_heard: int,
    n_seen: int,
    circuit: CircuitSection,
    synapses: SynapseModel,
    lateral: LateralSection,
) -> Network:
    """Build the network; all synapses share one model."""
    adaptation = DoubleExponential(circuit.adaptation_rise_s, circuit.adaptation_fall_s)
    circuits = [
        WinnerTakeAll(
            name, circuit.neurons, circuit.rate_hz, adaptation, circuit.adaptation_strength
        )
        for name in CIRCUITS
    ]
    afferent = [
        Projection(source, target, synapses)
        for source, targets in ((HEARING, AUDITORY), (SEEING, VISUAL))
        for target in targets
    ]
    between = [
        Projection(
            source,
            target,
            synapses,
            delay_s=lateral.delay_s,
            allow_self=lateral.self_connections,
        )
        for target in CIRCUITS
        for source in CIRCUITS
    ]
    return Network(
        [InputGroup(HEARING, n_heard), InputGroup(SEEING, n_seen)], circuits, [*afferent, *between]
    )


# -- reading a running network (a view of a protocol, or a simulation) --------------------


def lateral_theta(view: Any) -> NDArray[np.float64]:
    """θ [post, pre] between all hidden neurons; NaN where no synapse can exist."""
    return np.block(
        [[view.theta(f"{source}->{target}") for source in CIRCUITS] for target in CIRCUITS]
    )


def auditory_theta(view: Any) -> NDArray[np.float64]:
    """θ [neuron of z_A, input]."""
    return np.concatenate([view.theta(f"{HEARING}->{target}") for target in AUDITORY])


def visual_efficacies(view: Any) -> NDArray[np.float64]:
    """Efficacies ŵ [neuron of z_V, pixel]; 0 for retracted and removed synapses."""
    return np.concatenate([view.weight(f"{SEEING}->{target}") for target in VISUAL])


# -- lesions --------------------


def neurons_removed(hidden: Hidden, neurons: Iterable[int]) -> list[RemoveNeurons]:
    """Lesion 1: remove hidden neurons with all their synapses, permanently."""
    lesions = []
    for i, name in enumerate(CIRCUITS):
        start = i * hidden.per_circuit
        local = [int(k) - start for k in neurons if start <= k < start + hidden.per_circuit]
        if local:
            lesions.append(RemoveNeurons(name, local))
    return lesions


def connections_removed(hidden: Hidden, which: NDArray[np.bool_]) -> list[RemoveSynapses]:
    """Lesion 2: remove lateral connections [post, pre]; they cannot regrow."""
    return [
        RemoveSynapses(f"{source}->{target}", part.copy(), regrow=False)
        for i, target in enumerate(CIRCUITS)
        for j, source in enumerate(CIRCUITS)
        if (part := which[hidden.rows(i), hidden.rows(j)]).any()
    ]


# -- stimuli and spikes of a copy --------------------


def trials(
    view: View, stimulus: Any, length_s: float, *key: str | int, **options: Any
) -> SpikeTrials:
    """Show a stimulus to a copy and sort its spikes by presentation."""
    probe = view.probe(stimulus, length_s, *key, **options)
    classes = stimulus.classes[probe.shown[:, 0]]
    n = view.network.n_neurons
    return sort_into_trials(
        probe.time_s, probe.neuron, probe.shown_at_s, classes, probe.duration_s, n
    )


def tuning_trials(view: View, stimuli: Stimuli, section: TestSection) -> SpikeTrials:
    """Audio-visual presentations as in learning, from the running state."""
    return trials(view, stimuli.learning, section.tuning_s, "tuning")


def tuned_to_second(shown: SpikeTrials, hidden: Hidden, section: TestSection) -> NDArray[np.int64]:
    """Neurons of z_V that fire significantly more for the second digit (lesion 1 removes them).

    Welch's t-test on rates per presentation, corrected for the number of neurons.
    """
    rates = mean_rates(shown)[:, hidden.visual]
    second, first = rates[shown.classes == 1], rates[shown.classes == 0]
    with np.errstate(divide="ignore", invalid="ignore"):  # a silent neuron has no variance
        t, p = stats.ttest_ind(second, first, axis=0, equal_var=False)
    return hidden.visual[(t > 0) & (p < section.significance / hidden.visual.size)]


# -- records --------------------


@dataclass(frozen=True, eq=False)
class RecallTest:
    """A function of a view: one test of recall."""

    hidden: Hidden
    stimuli: Stimuli
    section: TestSection
    word_s: tuple[float, float]  # shortest and longest of any network: sizes of tables

    def __call__(self, view: View) -> dict[str, xr.DataArray]:
        """Run one test."""
        hidden, shown, section = self.hidden, self.stimuli, self.section
        blocks = [
            trials(view, shown.test_alone, section.block_s, "alone", n, burn_in_s=section.burn_in_s)
            for n in range(section.blocks)
        ]
        words = [block.classes for block in blocks]
        any_words = shuffled(words, np.random.default_rng(view.seed_for("shuffle")))
        counts = [counts_in_windows(b, section.windows, shown.shortest_s) for b in blocks]
        most = int(np.ceil(section.block_s / self.word_s[0])) + 1
        table, names = padded_blocks([c[..., hidden.visual] for c in counts], words, most)
        heard, _ = padded_blocks([c.sum(1)[:, hidden.auditory] for c in counts], words, most)
        _, any_names = padded_blocks(counts, any_words, most)
        image = reconstruct_image(view, hidden, blocks, words)
        any_image = reconstruct_image(view, hidden, blocks, any_words)
        lateral = lateral_theta(view)
        dims, pictures = ("block", "presentation"), ("class", "mean_image")
        return {
            "counts": _array(table, *dims, "window", "seeing", of="spikes of z_V, sound alone"),
            "word": _array(names, *dims, of="0: first digit, 1: second, -1: none"),
            "heard_counts": _array(heard, *dims, "hearing", of="spikes of z_A, sound alone"),
            "shuffled_word": _array(any_names, *dims, of="words shuffled within blocks"),
            "reconstruction": _array(image.astype(np.float32), "class", "pixel", of="image"),
            "likeness": _array(
                class_correlation(image, shown.mean_images),
                *pictures,
                of="correlation of the reconstructed image with the mean image of either digit",
            ),
            "likeness_shuffled": _array(
                class_correlation(any_image, shown.mean_images), *pictures, of="words shuffled"
            ),
            "code": _array(
                self._histograms(blocks),
                "half",
                "class",
                "neuron",
                "bin",
                of="rate / Hz, 100 trials of a word, sound alone",
            ),
            "connections": _array(int((lateral > 0).sum()), of="functional lateral connections"),
            "allowed": _array(int(np.isfinite(lateral).sum()), of="possible lateral connections"),
            "alive": _array(view.alive, "neuron", of="not removed"),
        }

    def _histograms(self, blocks: list[SpikeTrials]) -> NDArray[np.float32]:
        """PETHs [half, class, neuron, bin] of 100 trials; the halves share none.

        They reach as far as the longest test word; beyond that NaN.
        """
        middle = len(blocks) // 2
        found = np.stack(
            [
                [peth(joined(half), c, self.stimuli.longest_s) for c in (0, 1)]
                for half in (blocks[:middle], blocks[middle:])
            ]
        )
        bins = int(np.ceil(self.word_s[1] / BIN_S)) + 1
        padded = np.full((*found.shape[:-1], bins), np.nan, np.float32)
        padded[..., : found.shape[-1]] = found
        return padded


def reconstruct_image(
    view: View, hidden: Hidden, blocks: list[SpikeTrials], words: list[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """Reconstruct images [class, pixel] from z_V while a word is heard: efficacies × mean rates."""
    rates = np.concatenate([mean_rates(b) for b in blocks])
    classes = np.concatenate(words)
    of_class = [rates[classes == c].mean(axis=0)[hidden.visual] for c in (0, 1)]
    return reconstruct_images(visual_efficacies(view), np.stack(of_class))


def lateral_path(view: View) -> xr.DataArray:
    """θ [post, pre] between hidden neurons; NaN where no synapse can exist."""
    return _array(lateral_theta(view).astype(np.float32), "post", "pre", of="lateral θ")


def tuning(hidden: Hidden, stimuli: Stimuli, section: TestSection) -> Callable[[View], Any]:
    """Count the neurons that lesion 1 removes, and those found with shuffled words."""

    def record(view: View) -> dict[str, xr.DataArray]:
        shown = tuning_trials(view, stimuli, section)
        rng = np.random.default_rng(view.seed_for("shuffle"))
        (words,) = shuffled([shown.classes], rng)
        found = tuned_to_second(shown, hidden, section)
        by_chance = tuned_to_second(replace(shown, classes=words), hidden, section)
        return {
            "tuned": _array(found.size, of="neurons of z_V tuned to the second digit"),
            "tuned_shuffled": _array(by_chance.size, of="words shuffled"),
        }

    return record


def weights_at_mark(view: View) -> dict[str, xr.DataArray]:
    """All weights."""
    return {
        "lateral": _array(lateral_theta(view) > 0, "post", "pre", of="functional"),
        "image_weight": _array(
            visual_efficacies(view).astype(np.float32), "seeing", "pixel", of="efficacy ŵ"
        ),
        "heard_share": _array(
            float(np.nanmean(auditory_theta(view) > 0)), of="functional synapses x_A to z_A"
        ),
        "alive": _array(view.alive, "neuron", of="not removed"),
    }


def _array(values: Any, *dims: str, of: str) -> xr.DataArray:
    return xr.DataArray(values, dims=dims, attrs={"description": of})
