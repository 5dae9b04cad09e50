"""A slow twin for projections whose synapses are listed: distances, delays, contacts.

A listed projection is a matrix with one column for each source, contact and delay, and θ = −inf
where nothing is listed. So the direct sums of `oracles.event_by_event_twin` hold as they are; what
the twin takes from the list is who may connect, not where it lies in memory.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace

import numpy as np

from oracles.event_by_event_twin import InOrderTwin, most
from synsamp.spiking import layout


@dataclass
class ListedTwin(InOrderTwin):
    """Matrices [post, (source, contact, delay)]."""

    columns: dict = field(default_factory=dict)  # per listed projection: rows of those three
    place: dict = field(default_factory=dict)  # of each synapse in the matrix

    def __post_init__(self):
        super().__post_init__()
        for p in self.projections:
            if p.listed is None:
                continue
            own = p.listed
            delay = own.delay if own.delay.size else np.zeros(own.size, int)
            found = np.stack([own.pre, own.contact, delay], axis=1)
            self.columns[p.name], at = np.unique(found, axis=0, return_inverse=True)
            self.place[p.name] = own.post, at.reshape(-1)
            shape = (own.first.size - 1, len(self.columns[p.name]))
            matrix = np.full(shape, -np.inf)
            matrix[self.place[p.name]] = self.theta[p.name]
            self.theta[p.name] = matrix
            depth = self.traces[p.name][0].shape[-1]
            self.traces[p.name] = np.zeros((*shape, depth)), np.zeros(shape)
            for delay_s in own.delays_s:
                key = (p.source, delay_s, self.network.epsp_of(p))
                self.arrived.setdefault(key, ([], []))

    @property
    def large(self):
        return self.network.n_neurons > layout.LIMITS_TOGETHER

    def theta_of(self, p):
        """In the shape in which the engine gives it."""
        return self.theta[p.name] if p.listed is None else self.theta[p.name][self.place[p.name]]

    def columns_of(self, p, axons, i):
        """Columns of source ``i`` on which these axons end."""
        if p.listed is None:
            return [i] if self.axons_of(p) == axons else []
        if (p.source, self.network.epsp_of(p)) != (axons[0], axons[2]):
            return []
        pre, _, delay = self.columns[p.name].T
        return np.flatnonzero((pre == i) & (np.array(p.listed.delays_s)[delay] == axons[1]))

    def sums(self, p, now):
        if p.listed is None:
            return super().sums(p, now)
        pre, _, delay = self.columns[p.name].T
        found = np.zeros((2, len(pre)))
        for d, delay_s in enumerate(p.listed.delays_s):
            # the projection as if it had this delay alone
            one = replace(p, potential=None, contacts=1, delay_s=delay_s)
            here = delay == d
            found[:, here] = np.array(super().sums(one, now))[:, pre[here]]
        return found

    def arrive(self):
        _, _, i, axons = heapq.heappop(self.under_way)
        for values, value in zip(self.arrived[axons], (self.now, i), strict=True):
            values.append(value)
        old = self.bound
        for p in self.projections:
            for j in self.columns_of(p, axons, i):
                if p.target in self.limit:
                    raised = np.maximum(p.sign * self.efficacy(p)[:, j], 0.0) * axons[2].peak
                    self.raise_limits(p.target, raised)
        self.use_bound(old)
        for p in self.projections:
            rule = p.synapses.plasticity
            if p.plastic and getattr(rule, "on_pre", None):
                for j in self.columns_of(p, axons, i):
                    self.learn_column(p, j, rule)

    def raise_limits(self, target, by):
        c = next(c for c in self.free if c.name == target)
        raised_hz = self.limit[target] * np.exp(by)
        self.limit[target] = np.minimum(raised_hz, self.margin(c) * c.max_rate_hz)

    def learn_column(self, p, j, rule):
        """The user's function; then limits: all anew, or those of who may be more excited."""
        before, old = p.sign * self.efficacy(p)[:, j], self.bound
        x = self.epsps(p, self.now)[j]
        for k in np.flatnonzero(np.isfinite(self.theta[p.name][:, j])):
            self.one_synapse(p, k, j, rule.on_pre, x)
        if not self.large:
            self.bound_until = None
        elif p.target in self.limit:
            kernel, while_s = self.network.epsp_of(p), self.bound_until - self.now
            change = p.sign * self.efficacy(p)[:, j] - before
            fall, rise = (change * trace[j] for trace in self.sums(p, self.now))
            by = most(fall, np.exp(-while_s / kernel.fall_s))
            by = by + most(-rise, np.exp(-while_s / kernel.rise_s))
            self.raise_limits(p.target, np.maximum(by, 0.0))
            self.use_bound(old)

    def refresh(self, circuit, k, now):
        elapsed = now - self.refreshed[circuit.name][k]
        self.refreshed[circuit.name][k] = now
        for block in self.layout.blocks:
            p = self.layout.projections[block.members[0]]
            rule = p.synapses
            if p.target != circuit.name or not p.plastic or rule.speed == 0:
                continue
            row = self.theta[p.name][k]
            if p.listed is None:
                assert len(block.members) == 1
                self.move(rule, rule.prior, np.arange(row.size), row, np.isfinite(row), elapsed)
                continue
            some = slice(p.listed.first[k], p.listed.first[k + 1])
            places, prior = self.place[p.name][1][some], rule.prior
            own = row[places]
            if own.size:
                if np.ndim(getattr(prior, "mean", 0.0)):
                    prior = replace(prior, mean=prior.mean[some])
                self.move(rule, prior, np.arange(own.size), own, np.isfinite(own), elapsed)
            row[places] = own

    def remove(self, circuit, neurons):
        listed = [p for p in self.projections if p.listed is not None]
        for p in listed:
            if p.source == circuit:
                gone = np.isin(self.columns[p.name][:, 0], neurons)
                self.theta[p.name][:, gone] = -np.inf
        kept = {p.name: self.theta[p.name] for p in listed}
        self.projections, every = (
            [p for p in self.projections if p.listed is None],
            (self.projections),
        )
        super().remove(circuit, neurons)
        self.projections = every
        for p in listed:
            if p.target == circuit:
                kept[p.name][neurons] = -np.inf

    def add(self, circuit, neurons, theta):
        """New neurons, without a past; θ of their synapses is given in the engine's shape."""
        self.update_all()
        self.alive[circuit][neurons] = True
        self.began_s[circuit][neurons] = self.now
        if circuit in self.dead_until:
            self.dead_until[circuit][neurons] = 0.0
        for k in neurons:
            self.fired[circuit][k].clear()
        for axons, (times, who) in self.arrived.items():
            if axons[0] == circuit:
                kept = [(t, i) for t, i in zip(times, who, strict=True) if i not in neurons]
                times[:], who[:] = [t for t, _ in kept], [i for _, i in kept]
        gone = [e for e in self.under_way if e[3][0] == circuit and e[2] in neurons]
        self.under_way = [e for e in self.under_way if e not in gone]
        heapq.heapify(self.under_way)
        for p in self.projections:
            new = self.network.mask_of(p)
            post, pre = (p.listed.post, p.listed.pre) if p.listed else np.indices(new.shape)
            alive = {**{name: heard | True for name, heard in self.heard.items()}, **self.alive}
            new &= alive[p.target][post] & alive[p.source][pre]
            ends = [
                np.isin(i, neurons) for i, n in ((post, p.target), (pre, p.source)) if n == circuit
            ]
            new &= np.any([*ends, np.zeros(new.shape, bool)], axis=0)
            at = tuple(i[new] for i in self.place[p.name]) if p.listed else np.nonzero(new)
            self.theta[p.name][at] = theta[p.name][new]
            traces, since = self.traces[p.name]
            traces[at], since[at] = 0.0, self.now
        self.bound_until = self.next_input = None
        return gone
