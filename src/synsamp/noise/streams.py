"""Random streams: one small generator per chain or network, and normals that come in vectors.

A stream is ``GENERATORS`` copies of xoshiro128++ (Blackman & Vigna 2021) side by side, each with
its own 128-bit state from NumPy's ``SeedSequence``. Stepping all of them at once is vector
arithmetic, and a pair of 32-bit words becomes a pair of normals by the Box–Muller transform.

The state is a plain array: it is passed as an argument, saved in checkpoints, never global.
Normals have single-precision granularity and end at 6.7 standard deviations (2**-32 in the tail);
both are far below any Monte-Carlo error a run can resolve.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from synsamp.arguments import instance
from synsamp.noise.arithmetic import cos_quarter, log_uniform, scalar, sin_quarter

GENERATORS = 64
BLOCK = 8 * GENERATORS
"""Normals are made this many at a time; buffers are whole multiples of it."""

_UINT32 = np.uint32
_TO_UNIT = np.float32(2.0**-31)
_TO_QUARTER = np.float32(2.0**-30)


def new_stream(seed: np.random.SeedSequence) -> NDArray[np.uint32]:
    """The state of a stream: uint32[4, GENERATORS] drawn from ``seed``."""
    instance("seed", seed, np.random.SeedSequence, "use numpy.random.SeedSequence(0)")
    words = seed.generate_state(4 * GENERATORS, np.uint32)
    state = words.astype(np.uint32, copy=False).reshape(4, GENERATORS)
    state[3] |= _UINT32(1)  # a lane of four zero words would stay zero for ever
    return state


@scalar
def _rotl(x: np.uint32, k: int) -> np.uint32:
    return _UINT32(_UINT32(x << _UINT32(k)) | _UINT32(x >> _UINT32(32 - k)))


@njit(fastmath={"contract"}, error_model="numpy", nogil=True)
def fill_words(state: NDArray[np.uint32], out: NDArray[np.uint32]) -> None:
    """Fill ``out`` (size a multiple of GENERATORS) with uniform 32-bit words."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    for start in range(0, out.size, GENERATORS):
        block = out[start : start + GENERATORS]
        for lane in range(GENERATORS):
            a, b, c, d = s0[lane], s1[lane], s2[lane], s3[lane]
            block[lane] = _UINT32(_rotl(_UINT32(a + d), 7) + a)
            t = _UINT32(b << _UINT32(9))
            c = _UINT32(c ^ a)
            d = _UINT32(d ^ b)
            s1[lane] = _UINT32(b ^ c)
            s0[lane] = _UINT32(a ^ d)
            s2[lane] = _UINT32(c ^ t)
            s3[lane] = _rotl(d, 11)


@njit(fastmath={"contract"}, error_model="numpy", nogil=True)
def box_muller(
    radius_words: NDArray[np.uint32],
    angle_words: NDArray[np.uint32],
    first: NDArray[np.float32],
    second: NDArray[np.float32],
) -> None:
    """Two independent standard normals from each pair of words."""
    for i in range(radius_words.size):
        half = np.float32(np.int32(radius_words[i] >> _UINT32(1)))
        u = (half + np.float32(0.5)) * _TO_UNIT
        word = angle_words[i]
        t = np.float32(np.int32(np.int32(word) >> np.int32(2))) * _TO_QUARTER
        radius = np.sqrt(np.float32(-2.0) * log_uniform(u))
        near, far = radius * cos_quarter(t), radius * sin_quarter(t)
        # The two low bits pick the quadrant: exchange the axes, flip both signs.
        exchange = np.float32(np.int32(word & _UINT32(1)))
        sign = np.float32(1.0) - np.float32(np.int32(word & _UINT32(2)))
        first[i] = sign * (near + exchange * (far - near))
        second[i] = sign * (far + exchange * (near - far))


@njit(fastmath={"contract"}, error_model="numpy", nogil=True)
def fill_normals_with(
    state: NDArray[np.uint32], words: NDArray[np.uint32], out: NDArray[np.float32]
) -> None:
    """`fill_normals` with room for the words, uint32[BLOCK], so that nothing is allocated."""
    half = BLOCK // 2
    for start in range(0, out.size, BLOCK):
        fill_words(state, words)
        block = out[start : start + BLOCK]
        box_muller(words[:half], words[half:], block[:half], block[half:])


@njit(fastmath={"contract"}, error_model="numpy", nogil=True)
def fill_normals(state: NDArray[np.uint32], out: NDArray[np.float32]) -> None:
    """Fill ``out`` (size a multiple of BLOCK) with independent standard normals."""
    fill_normals_with(state, np.empty(BLOCK, np.uint32), out)
