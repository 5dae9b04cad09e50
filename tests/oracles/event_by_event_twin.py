"""A slow twin of the loop that goes event by event: stochastic neurons, arrivals that matter.

As `oracles.spiking_twin`, plain Python with direct sums over all spikes that have arrived. What it
shares with the engine, as well as random numbers, is how stochastic neurons are drawn: the same
draws can only mean the same spikes then: candidates at the sum of limits, the neuron by its limit,
a spike with probability rate/limit. Whether limits are limits is not taken on trust: at every event
the rates of all stochastic neurons are compared with them.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from oracles.spiking_twin import Twin, alias_channel, take_words, uniform
from synsamp.spiking import CustomPlasticity, StochasticNeurons, WinnerTakeAll
from synsamp.spiking.kernel.memory import RENEW_S
from synsamp.spiking.kernel.random import fill_alias_table
from synsamp.spiking.layout import build_layout
from synsamp.spiking.plasticity.custom import Synapse

MARGIN = 1.01


def most(value, keep):
    """The largest of a number while it decays to ``keep`` times itself."""
    return np.where(value > 0, value, keep * value)


@dataclass
class InOrderTwin(Twin):
    """Lists of arrival times and matrices of θ, with limits of stochastic neurons."""

    candidates: int = 0
    under_way: list = field(default_factory=list)  # heap of (arrival, number, source, i, delay)

    def __post_init__(self):
        super().__post_init__()
        net = self.network
        self.now, self.sent = 0.0, 0
        self.arrived = {self.axons_of(p): ([], []) for p in net.projections}  # times, who of them
        self.free = [c for c in net.neurons if isinstance(c, StochasticNeurons)]
        self.limit = {c.name: np.zeros(c.size) for c in self.free}
        self.dead_until = {c.name: np.zeros(c.size) for c in self.free}
        self.alive = {c.name: np.ones(c.size, bool) for c in net.neurons}
        self.began_s = {c.name: np.zeros(c.size) for c in net.neurons}
        self.heard = {g.name: np.ones(g.size, bool) for g in net.inputs}
        self.shown = {g.name: [] for g in net.inputs}
        self.traces = {}
        for p in self.projections:
            constants = getattr(p.synapses.plasticity, "time_constants_s", ())
            shape = net.mask_of(p).shape
            self.traces[p.name] = np.zeros((*shape, len(constants))), np.zeros(shape)
        self.candidate = self.due = self.next_input = None
        self.bound, self.bound_until = 0.0, None  # None: to be drawn or recomputed

    def axons_of(self, p):
        """Projections that share these share their arrivals."""
        return p.source, p.delay_s, self.network.epsp_of(p)

    # -- inputs --------------------

    def segment(self, group, time_s):
        """(end, rates) of what is shown at a time."""
        shown = self.shown[group]
        while not shown or shown[-1][0] <= time_s:
            shown.append(next(self.segments[group]))
        end, rates = next(part for part in shown if part[0] > time_s)
        return end, rates * self.heard[group]

    def draw_next_input(self):
        """When the integral of all input rates has grown by a unit exponential."""
        due, start = -np.log(uniform(self.streams.inputs)), self.now
        while True:
            parts = [self.segment(g.name, start) for g in self.network.inputs]
            rate, end = sum(rates.sum() for _, rates in parts), min(end for end, _ in parts)
            if due < rate * (end - start):
                return start + due / rate
            due, start = due - rate * (end - start), end

    def input_spike(self):
        """Which input it is: a group by its rate, then one of its inputs."""
        words = self.streams.inputs
        rates = [self.segment(g.name, self.now)[1] for g in self.network.inputs]
        sums = np.array([r.sum() for r in rates])
        share = uniform(words) * sums.sum()
        group = int(np.searchsorted(np.cumsum(sums), share, side="right"))
        table = np.zeros(rates[group].size, np.uint64)
        fill_alias_table(np.ascontiguousarray(rates[group], float), table)
        at = take_words(words, 1)
        self.send(self.network.inputs[group].name, alias_channel(words.buffer[at], table))
        self.next_input = None

    # -- arrivals --------------------

    def send(self, source, i):
        """A spike sets out on all axons of its source."""
        self.fired[source][i].append(self.now)
        for axons in self.arrived:
            if axons[0] == source:
                self.sent += 1
                heapq.heappush(self.under_way, (self.now + axons[1], self.sent, i, axons))

    def arrive(self):
        """EPSPs start, limits of those who are excited grow, synapses may learn."""
        _, _, i, axons = heapq.heappop(self.under_way)
        for values, value in zip(self.arrived[axons], (self.now, i), strict=True):
            values.append(value)
        old = self.bound
        for p in self.projections:
            if self.axons_of(p) == axons and p.target in self.limit:
                raised = np.maximum(p.sign * self.efficacy(p)[:, i], 0.0) * axons[2].peak
                c = next(c for c in self.free if c.name == p.target)
                raised_hz = self.limit[p.target] * np.exp(raised)
                self.limit[p.target] = np.minimum(raised_hz, self.margin(c) * c.max_rate_hz)
        self.use_bound(old)
        for p in self.projections:
            rule = p.synapses.plasticity
            if self.axons_of(p) == axons and p.plastic and getattr(rule, "on_pre", None):
                for k in np.flatnonzero(np.isfinite(self.theta[p.name][:, i])):
                    self.one_synapse(p, k, i, rule.on_pre, self.epsps(p, self.now)[i])
                self.bound_until = None

    def sums(self, p, now):
        """Σ e^(−s/τ_f) and Σ e^(−s/τ_r) over the arrivals of each afferent."""
        kernel, n = self.network.epsp_of(p), self.network.size_of(p.source)
        times, who = self.arrived[self.axons_of(p)]
        age, who = now - np.array(times, float), np.array(who, int)
        fall = np.bincount(who, np.exp(-age / kernel.fall_s), n)
        rise = np.bincount(who, np.exp(-age / kernel.rise_s), n)
        return fall, rise

    def epsps(self, p, now):
        """x_i(t) = Σ_f ε(t − arrival)."""
        fall, rise = self.sums(p, now)
        return fall - rise

    def efficacy(self, p):
        """ŵ, its size."""
        return np.maximum(self.weight(p) - float(p.synapses.mapping.weight(0.0)), 0.0)

    # -- custom plasticity --------------------

    def learn(self, p, k, now):
        rule = p.synapses.plasticity
        if not isinstance(rule, CustomPlasticity):
            super().learn(p, k, now)
            return
        x = self.epsps(p, now)
        for i in np.flatnonzero(np.isfinite(self.theta[p.name][k])):
            self.one_synapse(p, k, i, rule.on_post, x[i])

    def one_synapse(self, p, k, i, function, x):
        """θ grows by b × what the user's function says; traces have decayed to the present."""
        model, theta = p.synapses, self.theta[p.name]
        rule = model.plasticity
        traces, since = self.traces[p.name]
        traces[k, i] *= np.exp(-(self.now - since[k, i]) / np.array(rule.time_constants_s))
        since[k, i] = self.now
        old = theta[k, i]
        w, slope = float(model.mapping.weight(old)), float(model.mapping.slope(old))
        seen = Synapse(old, w, slope, x, 1.0)
        change = function.py_func(seen, traces[k, i], rule.parameter_values)
        theta[k, i] = max(old + model.speed * change, model.theta_min)

    # -- stochastic neurons --------------------

    def rates(self, c):
        """ρ_0 exp(u) up to the highest rate, 0 for those who are dead."""
        rate = np.minimum(c.rate_hz * np.exp(self.potential(c, self.now)), c.max_rate_hz)
        return np.where(self.alive[c.name] & (self.now >= self.dead_until[c.name]), rate, 0.0)

    def limits_of(self, c):
        """What no rate of a population exceeds until ``bound_until``, if nothing arrives."""
        while_s = self.bound_until - self.now
        by_kernel = {}
        own = [self.now - np.array(times, float) for times in self.fired[c.name]]
        kernel, gamma = c.adaptation, c.adaptation_strength
        fall = gamma * np.array([np.exp(-age / kernel.fall_s).sum() for age in own])
        rise = gamma * np.array([np.exp(-age / kernel.rise_s).sum() for age in own])
        by_kernel["adaptation"] = [kernel, fall, rise]
        for p in self.projections:
            if p.target == c.name:
                kernel = self.network.epsp_of(p)
                signed = p.sign * self.efficacy(p)
                found = by_kernel.setdefault(kernel, [kernel, 0.0, 0.0])
                for place, trace in zip((1, 2), self.sums(p, self.now), strict=True):
                    found[place] = found[place] + signed @ trace
        u = self.bias(c, self.bound_until)
        for kernel, fall, rise in by_kernel.values():
            u = u + most(fall, np.exp(-while_s / kernel.fall_s))
            u = u + most(-rise, np.exp(-while_s / kernel.rise_s))
        rate = np.minimum(c.rate_hz * np.exp(u), c.max_rate_hz)
        return np.where(self.alive[c.name], self.margin(c) * rate, 0.0)

    def margin(self, c):
        """Of a limit over the bound it is computed from."""
        return MARGIN

    def bias(self, c, time_s):
        """β of homeostasis: dβ/dt = (rate − spikes)/τ, if no neuron spikes from now to then."""
        given = getattr(c, "homeostasis", None)
        if given is None:
            return 0.0
        spikes = np.array([len(times) for times in self.fired[c.name]])
        passed_s = time_s - self.began_s[c.name]
        return given.start + (given.rate_hz * passed_s - spikes) / given.time_s

    def potential(self, circuit, now):
        """And the bias."""
        return super().potential(circuit, now) + self.bias(circuit, now)

    def use_bound(self, old):
        """What is left of the candidate's unit exponential is used up at the new rate."""
        self.bound = sum(limit.sum() for limit in self.limit.values())
        if self.candidate is not None:
            left = (self.candidate - self.now) * old
            self.candidate = self.now + left / self.bound if self.bound > 0 else None

    def renew_limits(self):
        self.bound_until = self.now + self.layout.wiring.constants[RENEW_S]
        for c in self.free:
            self.limit[c.name] = self.limits_of(c)
        self.use_bound(self.bound)

    def check_limits(self):
        """No rate is above its limit, candidate or not."""
        for c in self.free:
            assert (self.rates(c) <= self.limit[c.name]).all()

    def accept(self):
        """The candidate is of a neuron by its limit, and spikes with probability rate/limit."""
        self.candidates += 1
        self.candidate = None
        limits = np.concatenate([self.limit[c.name] for c in self.free])
        share = uniform(self.streams.events) * self.bound
        found = int(np.searchsorted(np.cumsum(limits), share, side="right"))
        share -= limits[:found].sum()
        for c in self.free:
            if found < c.size:
                break
            found -= c.size
        rate = self.rates(c)[found]
        self.consider(c, found, share < rate, rate / self.limit[c.name][found])
        if share < rate:
            self.dead_until[c.name][found] = self.now + c.refractory_s
            self.spike(c, found)
        self.limit[c.name][found] = self.limits_of(c)[found]
        self.use_bound(self.bound)

    def consider(self, c, k, spiked, chance):
        """A free neuron spikes, or might have with this chance: for twins that learn from it."""

    def winner(self):
        """A winner-take-all circuit spikes."""
        circuits = [c for c in self.network.neurons if isinstance(c, WinnerTakeAll)]
        share = uniform(self.streams.events) * self.total_rate
        up_to = np.cumsum([c.rate_hz for c in circuits])
        circuit = circuits[int(np.searchsorted(up_to, share, side="right"))]
        u = np.where(self.alive[circuit.name], self.potential(circuit, self.now), -np.inf)
        rho = np.exp(u - u.max())
        k = int(np.searchsorted(np.cumsum(rho), uniform(self.streams.events) * rho.sum()))
        self.next_event = self.now + self.waiting_time()
        self.spike(circuit, k)

    def spike(self, c, k):
        """A neuron spikes: its synapses learn, its axons carry the spike."""
        if self.now - self.refreshed[c.name][k] >= self.drift_interval_s:
            self.refresh(c, k, self.now)
        self.jump(c, k, self.now)
        self.send(c.name, k)
        self.spike_s.append(self.now)
        self.spike_neuron.append(self.first[c.name] + k)

    # -- the loop --------------------

    def run(self, until_s):
        """Go from event to event up to a time."""
        while True:
            if self.bound_until is None:
                self.renew_limits()
            if self.candidate is None and self.bound > 0:
                wait = -np.log(uniform(self.streams.events)) / self.bound
                self.candidate = self.now + wait
            if self.next_input is None:
                self.next_input = self.draw_next_input()
            self.check_limits()
            events = [
                (self.next_input, self.input_spike),
                (self.under_way[0][0] if self.under_way else np.inf, self.arrive),
                (self.next_event, self.winner),
                (np.inf if self.candidate is None else self.candidate, self.accept),
                (self.bound_until, self.renew_limits),
            ]
            at_s, happen = min(events, key=lambda event: event[0])
            grid = (self.sweeps + 1) * self.sync_interval_s
            if grid <= min(at_s, until_s):
                self.now = grid
                self.update_all()
                self.sweeps += 1
            elif at_s > until_s:
                self.now = until_s
                return self
            else:
                self.now = at_s
                happen()

    def update_all(self):
        """Prior and noise up to the present for all."""
        for c in self.network.neurons:
            for k in range(c.size):
                if self.refreshed[c.name][k] < self.now:
                    self.refresh(c, k, self.now)
        self.bound_until = None

    # -- from outside --------------------

    def change(self, network):
        """Other numbers hold from now on."""
        self.update_all()
        self.network = network
        of = {p.name: p for p in network.projections}
        self.projections = [of[p.name] for p in self.projections]
        self.layout = build_layout(network, self.drift_interval_s, self.sync_interval_s)

    def remove(self, circuit, neurons):
        """Neurons fall silent, and all their synapses go."""
        self.alive[circuit][neurons] = False
        for p in self.projections:
            if p.target == circuit:
                self.theta[p.name][neurons, :] = -np.inf
            if p.source == circuit:
                self.theta[p.name][:, neurons] = -np.inf
        self.bound_until = self.next_input = None

    def silence(self, group, inputs):
        """Inputs never spike again."""
        self.heard[group][inputs] = False
        self.bound_until = self.next_input = None
