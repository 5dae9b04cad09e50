"""A gammatone filter bank, the common alternative to Lyon's model: 77 ERB-spaced filters.

Fourth-order gammatone filters (Patterson et al. 1987) with the bandwidths of Glasberg & Moore
(1990); then half-wave rectification, the same smoothing as in Lyon's model, and a cube root for
loudness instead of gain control (Stevens' power law with the exponent 0.3, rounded).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import signal

from synsamp.data.cochleagram import (
    EAR_RATE_HZ,
    FRAME_S,
    N_CHANNELS,
    Cochleagram,
    FloatArray,
    as_cochleagram,
    at_ear_rate,
    frame_length,
    smooth_and_decimate,
    whole_frames,
)

LOWEST_HZ, HIGHEST_HZ = 80.0, 5800.0


def gammatone_cochleagram(
    waveform: ArrayLike, rate_hz: float, frame_s: float = FRAME_S
) -> Cochleagram:
    """Gammatone cochleagram, with the largest value scaled to 1.

    Parameters
    ----------
    waveform
        Samples of one channel, shape (samples,).
    rate_hz
        Sample rate.
    frame_s
        Duration of a frame, a multiple of 0.08 ms.

    Returns
    -------
    Cochleagram
        Activity in [0, 1], shape (frames, channels).
    """
    samples_per_frame = frame_length(frame_s)
    sound = whole_frames(at_ear_rate(waveform, rate_hz), samples_per_frame)
    centres_hz = erb_spaced_hz(LOWEST_HZ, HIGHEST_HZ, N_CHANNELS)
    motion = np.empty((len(sound), N_CHANNELS))
    for channel, centre_hz in enumerate(centres_hz):
        numerator, denominator = signal.gammatone(centre_hz, "iir", fs=EAR_RATE_HZ)
        motion[:, channel] = signal.lfilter(numerator, denominator, sound)
    smooth = smooth_and_decimate(np.maximum(motion, 0.0), samples_per_frame)
    return as_cochleagram(np.cbrt(smooth), frame_s, centres_hz)


def erb_spaced_hz(lowest_hz: float, highest_hz: float, count: int) -> FloatArray:
    """Frequencies from high to low at equal distance on the ERB-rate scale."""
    # Glasberg & Moore (1990): ERB(f) = 24.7 (1 + 4.37 f / 1000), so the rate goes as log(f + 229).
    corner_hz = 1000 / 4.37
    return np.geomspace(highest_hz + corner_hz, lowest_hz + corner_hz, count) - corner_hz
