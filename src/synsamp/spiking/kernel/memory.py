"""Memory of the kernel, as records of arrays.

Wiring, Numbers         the network: connectivity, parameters of the synapse models
Synapses, Activity      its slow and its fast state
Schedule                future input rates and given input spikes
EventBuffer, Work       events that the loop records; working memory
Acting                  the closed loop with an environment
"""

from __future__ import annotations

from synsamp.spiking.kernel.arrays import KernelArrays, array


class Wiring(KernelArrays):
    """Everything about the network that never changes, as the kernel reads it."""

    # per circuit
    first_neuron = array("int64")  # [n_circuits + 1]
    rate_up_to = array("float64")  # cumulative ρ_net; stochastic neurons add nothing
    stochastic = array("bool")  # stochastic neurons, without a shared total rate
    base_hz = array("float64")  # ρ_0 of stochastic neurons
    most_hz = array("float64")  # beyond which their rates do not rise
    refractory_s = array("float64")
    adaptation_rise_s = array("float64")
    adaptation_fall_s = array("float64")
    adaptation_strength = array("float64")
    bias_per_s = array("float64")  # homeostasis: how β rises with time, falls with a spike
    bias_per_spike = array("float64")
    first_block = array("int64")  # [n_circuits + 1]: blocks lie sorted by their target
    learns = array("bool")  # whether any synapse of the circuit is plastic
    learns_by_own = array("bool")  # whether any learns from spikes of its neuron alone
    assigns_eligibility = array("bool")  # whether any learns from all spikes of the circuit
    one_by_one = array("bool")  # whether adaptation and bias are kept neuron by neuron
    circuit_of = array("int64")  # per neuron
    highest_limit_hz = array("float32")  # likewise, in whole lanes: of neurons with a highest rate
    # per block
    plastic = array("bool")
    first_axon = array("int64")
    n_afferents = array("int64")  # axons from ``first_axon`` on; some may have no synapse
    sparse = array("bool")  # whether its synapses are listed
    first_synapse = array("int64")
    first_row = array("int64")  # a row is all synapses of one neuron in one block
    first_cell = array("int64")  # of the column store: synapse (post 0, pre 0)
    column_width = array("int64")
    first_link = array("int64")  # of sparse blocks: into ``synapse_axon`` and ``synapse_cell``
    first_column = array("int64")  # of sparse blocks: into ``column_start``
    weigh = array("int64")  # addresses of compiled functions
    on_post = array("int64")
    on_pre = array("int64")  # 0 if nothing happens there
    pass_function = array("int64")  # 0 where no eligibility is assigned
    eligibility_function = array("int64")
    gather_function = array("int64")
    sign = array("float32")
    kernel = array("int64")  # which EPSP
    n_traces = array("int64")
    first_trace = array("int64")
    first_traced = array("int64")
    first_eligibility = array("int64")
    first_mapping_number = array("int64")
    first_plasticity_number = array("int64")
    # per row
    row_start = array("int64")  # [n_rows + 1]: its first synapse; whole lanes
    # per synapse and cell of sparse blocks
    sparse_blocks = array("int64")  # which blocks are
    synapse_axon = array("int32")
    synapse_cell = array("int32")  # from ``first_cell`` on
    column_start = array("int64")  # per axon of a block [n_afferents + 1], in cells
    cell_neuron = array("int32")
    cell_synapse = array("int32")  # within its block; empty where no arrival changes synapses
    # per piece
    first_piece = array("int64")  # [n_rows + 1]
    piece_start = array("int64")  # within the row
    piece_size = array("int64")
    piece_exact = array("bool")  # whether one call covers any interval
    piece_move = array("int64")  # address
    piece_number = array("int64")  # where the prior's numbers start
    piece_plane = array("int64")  # how far apart two numbers of one synapse lie
    piece_step = array("int64")  # how far apart the numbers of neighbouring synapses lie
    # per axon
    axon_cell = array("int64")
    axon_first_sum = array("int64")  # of the sums: those of its EPSP, from its first neuron on
    axon_width = array("int64")
    axon_kernel = array("int64")
    # per EPSP kernel; stretches are neighbouring axons of one kernel
    epsp_rise_s = array("float64")
    epsp_fall_s = array("float64")
    epsp_peak = array("float64")
    stretch_kernel = array("int64")
    stretch_first = array("int64")
    stretch_size = array("int64")
    # per delayed family
    delayed_source = array("int64", 2)  # [n_delayed, 2]: range of sources
    delayed_axon = array("int64")
    delay_s = array("float64")
    # the whole network
    first_input = array("int64")  # [n_groups + 1]
    constants = array("float64")  # see the names below


HORIZON_S, REFRESH_S, SYNC_INTERVAL_S, RENEW_S, GROUP = range(5)
"""Entries of the constants: how old a reference may be; the rhythm of refreshes and of the grid;
for how long a bound of the rates of stochastic neurons is good; neurons whose limits are summed."""


class Numbers(KernelArrays):
    """Numbers of the synapse models: per block, and what their parts read."""

    speed = array("float64")
    temperature = array("float64")
    theta_min = array("float64")
    max_euler_step = array("float64")
    retracted_weight = array("float32")  # w at θ = 0; at or below it a synapse has no effect
    prior = array("float64")
    mapping = array("float64")
    plasticity = array("float64")


class Synapses(KernelArrays):
    """State of all synapses: θ and w by row, ŵ by column; when each neuron was refreshed."""

    aligned = True
    theta = array("float64")
    weight = array("float32")
    refreshed_s = array("float64")  # per neuron
    trace = array("float64")  # of plasticities that have some: [synapse, trace]
    traced_s = array("float64")  # when they were brought up to date
    eligibility = array("float64")  # of plasticities that assign some: [synapse, 3], e, g, φ
    eligibility_updated_s = array("float64")  # per neuron: when it was brought up to date
    # Derived from w: the columns, and by row the afferents whose cells are set; all with ŵ > 0 are
    # among them.
    column = array("float32")
    listed = array("int32")
    is_listed = array("uint16")  # one bit per synapse
    n_listed = array("int64")  # per row


INPUTS_UNTIL, REFERENCE, NEXT_EVENT, NEXT_INPUT, INPUT_DUE, CANDIDATE, BOUND_S, BOUND = range(8)
"""Entries of the clock (s): end of delivered inputs, reference of traces, next spike.

The others are for `kernel.event_by_event`: next input spike, integral of the rate at which it
comes, next candidate for a spike of a stochastic neuron, end of validity of the bound of their
rates, and that bound (Hz). Negative: not drawn yet.
"""
SWEEPS, SPIKES = range(2)
"""Entries of the counters: grid points passed, network spikes so far."""


class Activity(KernelArrays):
    """The fast state of the network."""

    aligned = True
    clock = array("float64")
    counters = array("int64")
    drawn_until_s = array("float64")  # per input group, ahead of the clock within a gap
    fall = array("float32")  # per axon, scaled to the reference
    rise = array("float32")
    sum_fall = array("float32")  # per neuron: Σ ŵ fall, Σ ŵ rise
    sum_rise = array("float32")
    adaptation_fall = array("float64")  # per neuron, as of adapted_s of its circuit
    adaptation_rise = array("float64")
    adapted_s = array("float64")  # per circuit
    bias = array("float64")  # per neuron, as of adapted_s: 0 without homeostasis; −inf once removed
    modulator = array("float64")  # per circuit
    limit_hz = array("float32")  # per neuron: what its rate cannot exceed; 0 unless stochastic
    group_hz = array("float64")  # per group of neurons: the sum of their limits
    neuron_adapted_s = array("float64")  # per neuron of circuits that are kept one by one
    refractory_until_s = array("float64")  # per neuron
    queue_s = array("float64", 2)  # [delayed family, place]: arrival times, sorted along the ring
    queue_axon = array("int64", 2)
    queue_head = array("int64")
    queue_count = array("int64")


SILENCED = -1
"""In place of the input of a given spike that is ignored."""


class InputSchedule(KernelArrays):
    """Input to come, per group: segments with an end, a total rate and an alias table.

    And spikes at given times, sorted.
    """

    ends_s = array("float64", 2)  # [group, segment]
    rate_hz = array("float64", 2)
    table_at = array("int64", 2)  # where in ``tables``
    cursor = array("int64")  # [group]
    tables = array("uint64")
    given_s = array("float64")
    given_input = array("int64")
    given_cursor = array("int64")  # [1]


class EventBuffer(KernelArrays):
    """Events that the loop records; `Engine` passes them on and empties it."""

    spike_s = array("float64")
    spike_neuron = array("int32")
    trace_s = array("float64")
    trace_which = array("int32")
    trace_theta = array("float64")
    input_s = array("float64")  # of size 0 if input spikes are not wanted
    input_source = array("int32")
    change_s = array("float64")  # births and deaths; of size 0 if they are not wanted
    change_synapse = array("int64")
    change_age_s = array("float64")
    change_born = array("bool")
    functional = array("uint16")  # one bit per synapse: whether θ > 0 when last noted
    born_s = array("float64")  # per synapse; NaN if it is not functional or its birth is unknown
    most_changes = array("int64")  # [1]: synapses that one event can reach
    written = array("int64")  # [spikes, traces, input spikes, changes, neuron of a sweep]
    first_traced = array("int64")  # [neuron + 1], into ``traced``
    traced = array("int64")  # synapses


class Work(KernelArrays):
    """Working memory of the loop."""

    aligned = True
    effect = array("float32")
    sums = array("float32")
    spike_fall = array("float32")
    spike_rise = array("float32")
    spike_s = array("float64")
    spike_axon = array("int64")
    spike_cell = array("int64")
    potentials = array("float64")
    spiked = array("float64")  # per neuron of a circuit, now
    expected = array("float64")  # spikes that were to be expected, and of which now is the time
    passage = array("float64")  # what time makes of e, g and φ
    cursor = array("int64")
    row_fall = array("float32")  # traces of the afferents of a sparse row
    row_rise = array("float32")
    grown = array("float64")  # of the limits in a lane
    column_theta = array("float64")  # synapses of an axon in a sparse block
    column_weight = array("float32")
    column_trace = array("float64")
    column_traced_s = array("float64")


START_S, PERIOD_S, KEEP, LEAST, OFFSET, FELT, NOW_S, REWARD, MEAN_REWARD, TOTAL_REWARD = range(10)
"""Terms of a closed loop: when it began, how often an answer is due; of dopamine: what the running
mean of reward keeps over a period, its least, its offset, whether reward is felt (1) or withheld.
Then what changes: up to when all has happened, the last reward, its running mean, its integral."""
ANSWERS, SHOWN, N_INPUTS, N_WATCHED = range(4)
"""Its counters: answers so far; which inputs are shown, out of how many; neurons that are seen."""
LOOP, ANSWER = range(2)
"""Its functions: the event loop, the environment's answer."""


class Acting(KernelArrays):
    """An environment that is acted on, and what it has given (`kernel.acting`)."""

    functions = array("int64")  # addresses
    terms = array("float64")
    counters = array("int64")
    state = array("float64")  # of the environment
    before = array("float64")  # as it was before the last answer
    numbers = array("float64")  # its parameters
    given = array("float64")  # a copy of them, which an answer may spoil
    place = array("int64")  # per neuron: where its spikes are counted, those that are seen first
    counts = array("int64")  # since the last answer
