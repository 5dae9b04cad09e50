"""Random draws of the event loop: uniform, exponential, Poisson, a channel by its rate.

Each purpose has its own stream, so that recording and probing never change the draws of the
dynamics. Words are made in vectors (`synsamp.noise.streams`) and taken one by one.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synsamp.noise.streams import BLOCK, box_muller, fill_words, new_stream
from synsamp.spiking.kernel.arrays import KernelArrays, array
from synsamp.spiking.kernel.compiling import inlined, kernel, once, separate
from synsamp.spiking.kernel.simd import part

WORDS = 4096
NORMALS = 16 * BLOCK
SPIKES_AT_ONCE = 512
"""Input spikes drawn together; two words each must fit in the buffer."""


LOG_FACTORIAL = np.array([math.lgamma(k + 1.0) for k in range(512)])
"""log k!, which is slow to compute and wanted for the counts of every gap."""


class Words(KernelArrays):
    """A stream of 32-bit words with its buffer; ``taken[0]`` of ``buffer`` are used up."""

    state = array("uint32", 2)
    buffer = array("uint32")
    taken = array("int64")


class Normals(KernelArrays):
    """A stream of standard normals with its buffer, and room for the words they are made of."""

    aligned = True
    state = array("uint32", 2)
    words = array("uint32")
    buffer = array("float32")
    taken = array("int64")


class RandomStreams(NamedTuple):
    """All randomness of the dynamics: event times and winners, input spikes, synaptic noise."""

    events: Words
    inputs: Words
    noise: Normals

    def copy(self) -> RandomStreams:
        """Independent copies that continue identically."""
        return RandomStreams(self.events.copy(), self.inputs.copy(), self.noise.copy())


def new_streams(seed: np.random.SeedSequence, longest_row: int) -> RandomStreams:
    """Independent streams from one seed; buffers start used up."""
    events, inputs, noise = seed.spawn(3)
    rows = max(NORMALS, -(-longest_row // BLOCK) * BLOCK)
    return RandomStreams(_words(events), _words(inputs), _normals(noise, rows))


def _words(seed: np.random.SeedSequence) -> Words:
    buffer = np.zeros(WORDS, np.uint32)
    return Words(state=new_stream(seed), buffer=buffer, taken=np.array([WORDS]))


def _normals(seed: np.random.SeedSequence, size: int) -> Normals:
    return Normals(
        state=new_stream(seed),
        words=np.zeros(BLOCK, np.uint32),
        buffer=np.zeros(size, np.float32),
        taken=np.array([size]),
    )


@inlined
def take_words(words: Words, count: int) -> int:
    """Where the next ``count`` words start in the buffer (a tail too short is thrown away)."""
    start = words.taken[0]
    if start + count > words.buffer.size:
        fill_words(words.state, words.buffer)
        start = 0
    words.taken[0] = start + count
    return start


@separate
def refill(normals: Normals) -> None:
    """`synsamp.noise.streams.fill_normals` with the room for words brought along."""
    half = BLOCK // 2
    words = normals.words
    for start in range(0, normals.buffer.size, BLOCK):
        fill_words(normals.state, words)
        box_muller(
            part(words, 0, half),
            part(words, half, half),
            part(normals.buffer, start, half),
            part(normals.buffer, start + half, half),
        )


@once
def take_normals(normals: Normals, count: int) -> int:
    """Where the next ``count`` standard normals start in the buffer."""
    start = normals.taken[0]
    if start + count > normals.buffer.size:
        refill(normals)
        start = 0
    normals.taken[0] = start + count
    return start


@inlined
def uniform(words: Words) -> float:
    """A double in (0, 1) from 52 random bits; never 0, and never rounded to 1."""
    start = take_words(words, 2)
    high = np.float64(words.buffer[start])
    low = np.float64(words.buffer[start + 1] >> np.uint32(12))
    return (high * 1048576.0 + low + 0.5) * 2.0**-52


@once
def exponential(words: Words, rate: float) -> float:
    """An exponential waiting time."""
    return -np.log(uniform(words)) / rate


@once
def poisson(words: Words, mean: float) -> Any:
    """A Poisson count: inversion for small means, transformed rejection (Hörmann 1993) else."""
    if mean < 10.0:
        below = uniform(words)
        term = np.exp(-mean)
        count: Any = 0
        while below > term:
            below -= term
            count += 1
            term *= mean / count
            if term < 1e-300:  # the last ulp of the sum: nothing more to find
                break
        return count
    b = 0.931 + 2.53 * np.sqrt(mean)
    a = -0.059 + 0.02483 * b
    quick = 0.9277 - 3.6224 / (b - 2.0)
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    while True:
        u = uniform(words) - 0.5
        v = uniform(words)
        edge = 0.5 - np.abs(u)
        count = np.int64(np.floor((2.0 * a / edge + b) * u + mean + 0.43))
        if edge >= 0.07 and v <= quick:
            return count
        if count < 0 or (edge < 0.013 and v > edge):
            continue
        left = np.log(v * inverse_alpha / (a / (edge * edge) + b))
        known = count < LOG_FACTORIAL.size
        log_factorial = LOG_FACTORIAL[count] if known else math.lgamma(count + 1.0)
        if left <= count * np.log(mean) - mean - log_factorial:
            return count


@once
def alias_channel(word: np.uint32, table: NDArray[np.uint64]) -> Any:
    """A channel with probability ∝ its rate: one word picks the column and its side (Walker)."""
    product = np.uint64(word) * np.uint64(table.size)
    column = product >> np.uint64(32)
    entry = table[column]
    own = np.uint64((product & np.uint64(0xFFFFFFFF)) < (entry >> np.uint64(32)))
    alias = entry & np.uint64(0xFFFFFFFF)
    # Arithmetic instead of a branch, which would be guessed wrong every third time.
    return np.int64(alias + (column - alias) * own)


def _fill_alias_table(
    rates: NDArray[np.float64],
    share: NDArray[np.float64],
    pending: NDArray[np.int64],
    out: NDArray[np.uint64],
) -> None:
    """Vose's construction; an entry is (threshold of 32 bits, alias of 32 bits)."""
    n = rates.size
    total = 0.0
    for i in range(n):
        total += rates[i]
    small, large = 0, n  # pending: small ones from the left, large ones from the right
    for i in range(n):
        share[i] = rates[i] * (n / total) if total > 0.0 else 1.0
        if share[i] < 1.0:
            pending[small] = i
            small += 1
        else:
            large -= 1
            pending[large] = i
    while small > 0 and large < n:
        small -= 1
        low, high = pending[small], pending[large]
        out[low] = _entry(share[low], high)
        share[high] -= 1.0 - share[low]
        if share[high] < 1.0:
            large += 1
            pending[small] = high
            small += 1
    for i in range(small):
        out[pending[i]] = _entry(1.0, pending[i])
    for i in range(large, n):
        out[pending[i]] = _entry(1.0, pending[i])


@separate
def _entry(threshold: float, alias: int) -> np.uint64:
    bits = np.uint64(min(max(threshold, 0.0) * 4294967296.0, 4294967295.0))
    return np.uint64((bits << np.uint64(32)) | np.uint64(alias))


fill_table = kernel(_fill_alias_table)


def fill_alias_table(rates: NDArray[np.float64], out: NDArray[np.uint64]) -> None:
    """Entries from which `alias_channel` draws a channel with probability ∝ its rate."""
    fill_table(rates, np.empty(rates.size), np.empty(rates.size, np.int64), out)
