"""Encode data as input rates: a presentation is a sequence of segments with constant rates.

Following the paper's Methods: grey values become 0-50 Hz plus 1 Hz of noise; a digit lasts 200 ms
and is followed by 50 ms of noise. A cochleagram becomes 0-80 Hz plus 1 Hz on ten afferents per
channel, with 25 ms of noise before and after.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synsamp import arguments
from synsamp.errors import refuse

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RateSegments:
    """Time-varying (piecewise constant) rates of Poisson inputs.

    Parameters
    ----------
    durations_s
        Seconds, each > 0, shape (segments,).
    rates_hz
        Hz, each >= 0, shape (segments, inputs). Both arrays are copied and made read-only.
    """

    durations_s: FloatArray
    rates_hz: FloatArray

    def __post_init__(self) -> None:
        durations_s = arguments.array("durations_s", self.durations_s).astype(np.float64)
        rates_hz = arguments.array("rates_hz", self.rates_hz).astype(np.float64)
        if durations_s.ndim != 1 or durations_s.size == 0:
            raise refuse(
                "durations_s",
                "must be a row of at least one number",
                durations_s.shape,
                "give seconds per segment",
            )
        if rates_hz.ndim != 2 or rates_hz.shape[1] == 0:
            raise refuse(
                "rates_hz",
                "must have shape [n_segments, n_inputs]",
                rates_hz.shape,
                "give a row of rates per segment",
            )
        if rates_hz.shape[0] != durations_s.size:
            raise refuse(
                "rates_hz",
                f"must have one row for each of the {durations_s.size} durations",
                rates_hz.shape[0],
                "give a row of rates per segment",
            )
        check_positive("durations_s", durations_s)
        check_not_negative("rates_hz", rates_hz)
        durations_s.flags.writeable = False
        rates_hz.flags.writeable = False
        object.__setattr__(self, "durations_s", durations_s)
        object.__setattr__(self, "rates_hz", rates_hz)

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return int(self.durations_s.size)

    @property
    def n_inputs(self) -> int:
        """Number of input neurons."""
        return int(self.rates_hz.shape[1])

    @property
    def duration_s(self) -> float:
        """Duration of the whole presentation."""
        return float(self.durations_s.sum())

    def then(self, other: RateSegments) -> RateSegments:
        """Return this presentation with ``other`` following it in time."""
        if other.n_inputs != self.n_inputs:
            raise refuse(
                "other.n_inputs",
                f"must be {self.n_inputs}, as in the first",
                other.n_inputs,
                "join presentations of the same inputs",
            )
        return RateSegments(
            np.concatenate([self.durations_s, other.durations_s]),
            np.concatenate([self.rates_hz, other.rates_hz]),
        )


def encode_image(
    image: ArrayLike,
    duration_s: float = 0.2,
    max_rate_hz: float = 50.0,
    noise_hz: float = 1.0,
) -> RateSegments:
    """Encode an image as one segment with one input per pixel.

    Parameters
    ----------
    image
        Grey values in [0, 1], any shape.
    duration_s
        Seconds.
    max_rate_hz
        Rate of a white pixel, without noise.
    noise_hz
        Rate added to every input.

    Returns
    -------
    RateSegments
        Rates (Hz) of every input, segment by segment.
    """
    pixels = unit_interval("image", image).ravel()
    rates_hz = rates_from_unit(pixels, max_rate_hz, noise_hz)
    return RateSegments(np.array([duration_s]), rates_hz[np.newaxis, :])


def encode_cochleagram(
    cochleagram: ArrayLike,
    frame_s: float,
    max_rate_hz: float = 80.0,
    noise_hz: float = 1.0,
    afferents_per_channel: int = 10,
) -> RateSegments:
    """Encode a cochleagram, one segment per frame.

    Parameters
    ----------
    cochleagram
        Activity in [0, 1], shape (frames, channels).
    frame_s
        Duration of a frame in seconds.
    max_rate_hz
        Rate at activity 1, without noise.
    noise_hz
        Rate added to every input.
    afferents_per_channel
        Inputs per channel; inputs 0-9 belong to channel 0, 10-19 to channel 1.

    Returns
    -------
    RateSegments
        Rates (Hz) of every input, segment by segment.
    """
    frames = unit_interval("cochleagram", cochleagram)
    if frames.ndim != 2:
        raise refuse(
            "cochleagram",
            "must have shape [n_frames, n_channels]",
            frames.shape,
            "give frames as rows",
        )
    if afferents_per_channel < 1:
        raise refuse(
            "afferents_per_channel", "must be >= 1", afferents_per_channel, "the paper has 10"
        )
    rates_hz = rates_from_unit(frames, max_rate_hz, noise_hz)
    return RateSegments(
        np.full(len(frames), frame_s), np.repeat(rates_hz, afferents_per_channel, axis=1)
    )


def noise_gap(n_inputs: int, duration_s: float, noise_hz: float = 1.0) -> RateSegments:
    """``duration_s`` seconds of noise on every input, as between two digits.

    Parameters
    ----------
    n_inputs : int
        Number of inputs.
    duration_s : float
        Duration (s).
    noise_hz : float
        Rate of every input (Hz).

    Returns
    -------
    RateSegments
        Rates (Hz) of every input, segment by segment.
    """
    if n_inputs < 1:
        raise refuse("n_inputs", "must be >= 1", n_inputs, "give the number of input neurons")
    return RateSegments(np.array([duration_s]), np.full((1, n_inputs), noise_hz))


def padded(
    segments: RateSegments, before_s: float, after_s: float, noise_hz: float = 1.0
) -> RateSegments:
    """Add ``before_s`` and ``after_s`` seconds of noise around a presentation; 0 adds none.

    Parameters
    ----------
    segments : RateSegments
        A presentation.
    before_s, after_s : float
        Durations of the noise (s).
    noise_hz : float
        Rate of every input during the noise (Hz).

    Returns
    -------
    RateSegments
        Rates (Hz) of every input, segment by segment.
    """
    for name, length_s in (("before_s", before_s), ("after_s", after_s)):
        check_not_negative(name, np.asarray(length_s, dtype=np.float64))
    result = segments
    if before_s > 0:
        result = noise_gap(segments.n_inputs, before_s, noise_hz).then(result)
    if after_s > 0:
        result = result.then(noise_gap(segments.n_inputs, after_s, noise_hz))
    return result


def draw_spikes(
    segments: RateSegments, rng: np.random.Generator
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Draw one realisation, for figures and tests: sorted spike times (s) and their inputs.

    Within a segment the count of an input is Poisson and its spikes are uniform in time.

    Parameters
    ----------
    segments : RateSegments
        Rates of all inputs.
    rng : numpy.random.Generator
        Source of random numbers.

    Returns
    -------
    tuple of ndarray
        Sorted spike times (s) and the input of each spike, shape (spikes,).
    """
    counts = rng.poisson(segments.rates_hz * segments.durations_s[:, np.newaxis])
    segment, channel = np.nonzero(counts)
    repeats = counts[segment, channel]
    segment, channel = np.repeat(segment, repeats), np.repeat(channel, repeats)
    starts_s = np.concatenate([[0.0], np.cumsum(segments.durations_s)[:-1]])
    times_s = starts_s[segment] + rng.random(segment.size) * segments.durations_s[segment]
    order = np.argsort(times_s, kind="stable")
    return times_s[order], channel[order].astype(np.int64)


def rates_from_unit(values: FloatArray, max_rate_hz: float, noise_hz: float) -> FloatArray:
    """Scale values in [0, 1] to 0-``max_rate_hz`` and add the noise on top."""
    check_not_negative("max_rate_hz", np.asarray(max_rate_hz, dtype=np.float64))
    check_not_negative("noise_hz", np.asarray(noise_hz, dtype=np.float64))
    return values * max_rate_hz + noise_hz


def unit_interval(name: str, values: ArrayLike) -> FloatArray:
    """Check that values lie in [0, 1]; return float64."""
    array = arguments.array(name, values).astype(np.float64)
    if array.size == 0:
        raise refuse(name, "must not be empty", array.shape, "give at least one value")
    if not np.isfinite(array).all():
        raise refuse(name, "must be finite", "NaN or infinity", "remove or replace such values")
    low, high = float(array.min()), float(array.max())
    if low < 0 or high > 1:
        raise refuse(
            name, "must lie in [0, 1]", f"{low:g} to {high:g}", "divide by the largest value first"
        )
    return array


def check_positive(name: str, values: FloatArray) -> None:
    """Raise an error unless all numbers are finite and > 0."""
    if not np.isfinite(values).all():
        raise refuse(name, "must be finite", "NaN or infinity", "remove or replace such values")
    if (values <= 0).any():
        raise refuse(name, "must be > 0", float(values.min()), "use positive numbers")


def check_not_negative(name: str, values: FloatArray) -> None:
    """Raise an error unless all numbers are finite and >= 0."""
    if not np.isfinite(values).all():
        raise refuse(name, "must be finite", "NaN or infinity", "remove or replace such values")
    if (values < 0).any():
        raise refuse(name, "must be >= 0", float(values.min()), "use 0 or positive numbers")
