"""Shared parts of the cochlear models: sample rate, frames and the largest value.

Every sound is resampled to 12.5 kHz, the rate of the TI-46 recordings, so that all sources give the
same 77 channels. In a recording made at 8 kHz, channels above 4 kHz have little activity.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import signal

from synsamp import arguments
from synsamp.errors import SynsampError, refuse

FloatArray = NDArray[np.float64]

EAR_RATE_HZ = 12_500
N_CHANNELS = 77
FRAME_S = 0.004

# Time constant of each of the two smoothing poles, in frames.
SMOOTHING_IN_FRAMES = 3.0


@dataclass(frozen=True, eq=False)
class Cochleagram:
    """Activity in [0, 1], shape (frames, channels); channel 0 has the highest frequency.

    The largest value is 1. ``peak`` is the largest activity before this scaling, in the units of
    the cochlear model, so ``peak * values`` compares utterances (`normalise`).

    Parameters
    ----------
    values : ndarray of float, shape (frames, channels)
        Activity in [0, 1].
    frame_s : float
        Duration of a frame (s).
    centre_hz : ndarray of float, shape (channels,)
        Centre frequency of each channel (Hz).
    peak : float
        Largest activity before the scaling.
    """

    values: FloatArray
    frame_s: float
    centre_hz: FloatArray
    peak: float = 1.0

    @property
    def duration_s(self) -> float:
        """Length of the sound, in whole frames."""
        return len(self.values) * self.frame_s


def at_ear_rate(waveform: ArrayLike, rate_hz: float) -> FloatArray:
    """Check a waveform and resample it to 12.5 kHz."""
    sound = arguments.array("waveform", waveform).astype(np.float64)
    if sound.ndim != 1:
        raise refuse("waveform", "must be one row of samples", sound.shape, "mix to mono first")
    if sound.size == 0:
        raise SynsampError("waveform must not be empty, got 0 samples")
    if not np.isfinite(sound).all():
        raise refuse(
            "waveform", "must be finite", "NaN or infinity", "remove or replace such samples"
        )
    if not np.any(sound):
        raise SynsampError(
            "waveform must contain sound, got silence (every sample is 0); leave this recording out"
        )
    if not np.isfinite(rate_hz) or rate_hz <= 0:
        raise refuse(
            "rate_hz", "must be > 0", rate_hz, "give the samples per second of the recording"
        )
    if rate_hz == EAR_RATE_HZ:
        return sound
    # 1000 keeps every common rate exact (44.1 kHz is 125/441) and the filter short for others.
    ratio = Fraction(EAR_RATE_HZ / rate_hz).limit_denominator(1000)
    if ratio == 0:
        raise refuse(
            "rate_hz",
            f"must be at most {1000 * EAR_RATE_HZ}",
            rate_hz,
            "give the samples per second of the recording",
        )
    return np.asarray(signal.resample_poly(sound, ratio.numerator, ratio.denominator))


def frame_length(frame_s: float) -> int:
    """Samples in a frame at 12.5 kHz; the frame must be a whole number of them."""
    samples = round(frame_s * EAR_RATE_HZ) if np.isfinite(frame_s) else 0
    if samples < 1 or abs(samples - frame_s * EAR_RATE_HZ) > 1e-6:
        raise refuse(
            "frame_s", "must be a multiple of 1/12500 s (0.08 ms)", frame_s, "use 0.004 or 0.008"
        )
    return samples


def whole_frames(sound: FloatArray, samples_per_frame: int) -> FloatArray:
    """Pad the last frame with silence."""
    return np.pad(sound, (0, -len(sound) % samples_per_frame))


def smooth_and_decimate(activity: FloatArray, samples_per_frame: int) -> FloatArray:
    """Low-pass with two equal real poles (DC gain 1), then take the last sample of each frame."""
    pole = np.exp(-1.0 / (SMOOTHING_IN_FRAMES * samples_per_frame))
    numerator = np.array([(1.0 - pole) ** 2])
    denominator = np.array([1.0, -2 * pole, pole**2])
    smooth = signal.lfilter(numerator, denominator, activity, axis=0)
    return np.asarray(smooth[samples_per_frame - 1 :: samples_per_frame])


def as_cochleagram(activity: FloatArray, frame_s: float, centre_hz: FloatArray) -> Cochleagram:
    """Scale the largest value to 1 and clip rounding errors below 0."""
    largest = float(activity.max())
    if largest <= 0:
        raise SynsampError(
            "waveform must contain sound within 50-6000 Hz, got none; leave this recording out"
        )
    return Cochleagram(np.clip(activity / largest, 0.0, 1.0), frame_s, centre_hz, largest)
