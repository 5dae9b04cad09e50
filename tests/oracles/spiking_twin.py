"""A slow twin of the spiking engine that follows the paper's equations literally.

Plain Python with direct sums over all spike times, double precision, no traces, no columns, no
scheduling tricks. It shares with the engine only its random numbers (the same streams, drawn in the
same order), so that both must spike alike, spike by spike, to float accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from oracles.from_python import from_python
from synsamp.priors import Flat, Gaussian, PriorByGroup
from synsamp.spiking import ChangeClip, WinnerTakeAll
from synsamp.spiking.kernel import random
from synsamp.spiking.kernel.random import SPIKES_AT_ONCE, fill_alias_table, new_streams
from synsamp.spiking.kernel.simd import LANE
from synsamp.spiking.layout import build_layout
from synsamp.spiking.network import Network

alias_channel, poisson, take_normals, take_words, uniform = map(
    from_python,
    (
        random.alias_channel,
        random.poisson,
        random.take_normals,
        random.take_words,
        random.uniform,
    ),
)


def double_exponential(s, kernel):
    """ε(s) = Θ(s) (e^(−s/τ_f) − e^(−s/τ_r))."""
    s = np.asarray(s, float)
    late = np.maximum(s, 0.0)
    return np.where(s >= 0, np.exp(-late / kernel.fall_s) - np.exp(-late / kernel.rise_s), 0.0)


@dataclass
class Twin:
    """The network as lists of spike times and matrices of θ."""

    network: Network
    presentations: dict  # per input group: shown one after the other, round and round
    seed: int
    theta: dict  # per projection, NaN-free; masked ones become −inf
    drift_interval_s: float
    sync_interval_s: float
    spike_s: list = field(default_factory=list)
    spike_neuron: list = field(default_factory=list)
    potentials: list = field(default_factory=list)

    def __post_init__(self):
        net = self.network
        order = {c.name: i for i, c in enumerate(net.neurons)}
        self.projections = sorted(net.projections, key=lambda p: order[p.target])
        self.first = {}
        n = 0
        for circuit in net.neurons:
            self.first[circuit.name] = n
            n += circuit.size
        self.fired = {g.name: [[] for _ in range(g.size)] for g in (*net.inputs, *net.neurons)}
        self.theta = {
            p.name: np.where(
                net.mask_of(p), np.maximum(self.theta[p.name], p.synapses.theta_min), -np.inf
            )
            for p in self.projections
        }
        self.refreshed = {c.name: np.zeros(c.size) for c in net.neurons}
        self.layout = build_layout(net, self.drift_interval_s, self.sync_interval_s)
        longest = max(self.layout.row_width)
        self.streams = new_streams(np.random.SeedSequence(self.seed).spawn(3)[0], longest)
        self.segments = {g.name: self._segments(g.name) for g in net.inputs}
        self.current = {}
        self.inputs_until = 0.0
        self.sweeps = 0
        self.total_rate = sum(c.rate_hz for c in net.neurons if isinstance(c, WinnerTakeAll))
        self.next_event = self.waiting_time()

    # -- random numbers, as the engine draws them --------------------

    def waiting_time(self):
        if self.total_rate == 0:
            return np.inf
        return -np.log(uniform(self.streams.events)) / self.total_rate

    def _normals(self, n):
        at = take_normals(self.streams.noise, -(-n // LANE) * LANE)  # rows are padded
        return self.streams.noise.buffer[at : at + n].astype(float)

    def _segments(self, group):
        """(end, rates) of all that is shown, for ever."""
        end = 0.0
        while True:
            for shown in self.presentations[group]:
                start = end
                for passed, rates in zip(np.cumsum(shown.durations_s), shown.rates_hz, strict=True):
                    end = start + passed
                    yield end, rates

    def _draw_inputs(self, now):
        for group in self.network.inputs:
            start = self.inputs_until
            while start < now:
                current = self.current.get(group.name) or next(self.segments[group.name])
                end, rates = current
                stop = min(now, end)
                if stop > start and rates.sum() > 0:
                    self._draw_segment(group, start, stop, rates)
                self.current[group.name] = None if end <= now else current
                start = stop
        self.inputs_until = now

    def _draw_segment(self, group, start, stop, rates):
        table = np.zeros(rates.size, np.uint64)
        fill_alias_table(np.ascontiguousarray(rates, float), table)
        left = poisson(self.streams.events, rates.sum() * (stop - start))
        words = self.streams.inputs
        while left > 0:
            n = min(left, SPIKES_AT_ONCE)
            at = take_words(words, 2 * n)
            for s in range(n):
                share = (float(words.buffer[at + s]) + 0.5) / 2**32
                channel = alias_channel(words.buffer[at + n + s], table)
                self.fired[group.name][channel].append(start + share * (stop - start))
            left -= n

    # -- the equations --------------------

    def epsps(self, projection, now):
        """x_i(t) = Σ_f ε(t − t_i^(f) − delay)."""
        kernel = self.network.epsp_of(projection)
        return np.array(
            [
                double_exponential(now - np.array(times) - projection.delay_s, kernel).sum()
                for times in self.fired[projection.source]
            ]
        )

    def weight(self, projection):
        """w, zero where no synapse can exist."""
        theta = self.theta[projection.name]
        exists = np.isfinite(theta)
        w = np.zeros(theta.shape)
        w[exists] = projection.synapses.mapping.weight(theta[exists])
        return w

    def potential(self, circuit, now):
        """u_k(t) = Σ ŵ_ki x_i(t) + γ Σ_f κ(t − t_k^(f))."""
        own = self.fired[circuit.name]
        u = np.array(
            [
                circuit.adaptation_strength
                * double_exponential(now - np.array(times), circuit.adaptation).sum()
                for times in own
            ]
        )
        for p in self.projections:
            if p.target == circuit.name:
                effective = np.maximum(self.weight(p) - float(p.synapses.mapping.weight(0.0)), 0.0)
                u = u + p.sign * (effective @ self.epsps(p, now))
        return u

    def refresh(self, circuit, k, now):
        """Prior and noise since the last refresh."""
        elapsed = now - self.refreshed[circuit.name][k]
        self.refreshed[circuit.name][k] = now
        for block in self.layout.blocks:  # the layout tells which synapses draw together, no more
            members = [self.layout.projections[i] for i in block.members]
            p, rule = members[0], members[0].synapses
            if p.target != circuit.name or not p.plastic or rule.speed == 0:
                continue
            row = np.concatenate([self.theta[m.name][k] for m in members])
            exists = np.isfinite(row)
            for part, places in self.parts(rule.prior, circuit, k, row.size):
                self.move(rule, part, places, row, exists, elapsed)
            start = 0
            for m in members:
                own = self.theta[m.name][k]
                own[:] = row[start : start + own.size]
                start += own.size

    def parts(self, prior, circuit, k, n):
        """(prior, places in the row) of a row whose synapses may have different priors."""
        if not isinstance(prior, PriorByGroup):
            return [(prior, np.arange(n))]
        stretches = []
        for label, part in enumerate(prior.priors):
            own = np.flatnonzero(prior.group[k] == label)
            for places in np.split(own, np.flatnonzero(np.diff(own) > 1) + 1):
                if places.size:
                    stretches.append((part, places))
        return sorted(stretches, key=lambda found: found[1][0])

    def move(self, rule, prior, places, row, exists, elapsed):
        """Prior and noise for some synapses of a row: exact for Gaussian and flat, or in steps."""
        here, there = row[places], exists[places]
        b, T = rule.speed, rule.temperature
        if type(prior) is Gaussian:
            nu = self._normals(here.size)
            mean, std = (np.broadcast_to(v, here.shape) for v in prior.parameters)
            keep = np.exp(-b * elapsed / std**2)
            new = mean + keep * (here - mean) + std * np.sqrt(T * (1 - keep**2)) * nu
            here[there] = np.maximum(new, rule.theta_min)[there]
        elif type(prior) is Flat:
            new = here + np.sqrt(2 * T * b * elapsed) * self._normals(here.size)
            here[there] = np.maximum(new, rule.theta_min)[there]
        else:
            steps = max(1, int(np.ceil(b * elapsed / rule.max_euler_step)))
            dt = elapsed / steps
            for _ in range(steps):
                nu = self._normals(here.size)
                force = b * prior.gradient(here[there])
                noise = np.sqrt(2 * T * b * dt) * nu[there]
                here[there] = np.maximum(here[there] + force * dt + noise, rule.theta_min)
        row[places] = here

    def sweep(self, now):
        """A point of the grid."""
        for circuit in self.network.neurons:
            for k in range(circuit.size):
                self.refresh(circuit, k, now)

    def learn_at(self, circuit, k, now, p):
        """Neuron k has won with probability p[k]: refresh if due, then what the spike does."""
        if now - self.refreshed[circuit.name][k] >= self.drift_interval_s:
            self.refresh(circuit, k, now)
        self.jump(circuit, k, now)

    def jump(self, circuit, k, now):
        """What a spike of neuron k does to its plastic synapses."""
        for p in self.projections:
            if p.target == circuit.name and p.plastic and p.synapses.speed > 0:
                self.learn(p, k, now)

    def learn(self, p, k, now):
        """Δθ = b N dw/dθ (x − α e^w)."""
        model, row = p.synapses, self.theta[p.name][k]
        rule, b = model.plasticity, model.speed
        exists = np.isfinite(row)
        x, w = self.epsps(p, now)[exists], model.mapping.weight(row[exists])
        slope = model.mapping.slope(row[exists])
        if not rule.learn_when_retracted:
            slope = np.where(row[exists] > 0, slope, 0.0)
        expected = rule.alpha * np.exp(w)
        if isinstance(rule.clip, ChangeClip):
            change = b * rule.data_size * slope * (x - expected)
            change = np.clip(change, -rule.clip.limit * b, rule.clip.limit * b)
        else:
            change = b * rule.data_size * slope * (x - np.minimum(expected, rule.clip.limit))
        row[exists] = np.maximum(row[exists] + change, model.theta_min)

    def run(self, duration_s):
        """Go from spike to spike."""
        while True:
            now, grid = self.next_event, (self.sweeps + 1) * self.sync_interval_s
            if grid <= min(now, duration_s):
                self.sweep(grid)
                self.sweeps += 1
                continue
            if now > duration_s:
                return self
            self._draw_inputs(now)
            share = uniform(self.streams.events) * self.total_rate
            up_to = np.cumsum([c.rate_hz for c in self.network.neurons])
            circuit = self.network.neurons[int(np.searchsorted(up_to, share, side="right"))]
            u = self.potential(circuit, now)
            rho = np.exp(u - u.max())
            k = int(np.searchsorted(np.cumsum(rho), uniform(self.streams.events) * rho.sum()))
            self.learn_at(circuit, k, now, rho / rho.sum())
            self.fired[circuit.name][k].append(now)
            self.spike_s.append(now)
            self.spike_neuron.append(self.first[circuit.name] + k)
            self.potentials.append(u)
            self.next_event = now + self.waiting_time()
