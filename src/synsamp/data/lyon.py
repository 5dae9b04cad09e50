"""Lyon's passive cochlear model: activity of 77 places along the cochlea.

Written from the published description (R. F. Lyon, ICASSP 1982; M. Slaney, "Lyon's cochlear
model", Apple Technical Report 13, 1988; M. Slaney, "Auditory Toolbox", Interval 1998-010):

1. a cascade of second-order filters, each taking a little off the top of the spectrum, after a
   pre-emphasis for the outer and middle ear;
2. half-wave rectification (hair cells);
3. four stages of automatic gain control that couple neighbouring places;
4. differences of neighbouring places, rectified, which sharpen the tuning;
5. smoothing and one value per frame.

The number of places follows from the sample rate. At 12.5 kHz, the rate of the TI-46 recordings,
the cascade has 78 stages and so 77 differences: the paper's 77 channels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import signal

from synsamp.data.cochleagram import (
    EAR_RATE_HZ,
    FRAME_S,
    Cochleagram,
    FloatArray,
    as_cochleagram,
    at_ear_rate,
    frame_length,
    smooth_and_decimate,
    whole_frames,
)

# Constants of the report: quality of the filters, distance of neighbours in bandwidths, the
# frequency below which the bandwidth stops shrinking, and where the zeros lie.
EAR_Q = 8.0
STEP_IN_BANDWIDTHS = EAR_Q / 32
BREAK_HZ = 1000.0
ZERO_OFFSET_IN_STEPS = 1.5
ZERO_SHARPNESS = 5.0
PRE_EMPHASIS_CORNER_HZ = 300.0

# Gain control, slow to fast; no stage turns down further than to a tenth.
AGC_TARGETS = np.array([0.0032, 0.0016, 0.0008, 0.0004])
AGC_TAUS_S = np.array([0.64, 0.16, 0.04, 0.01])
AGC_SMALLEST_GAIN = 0.1


def lyon_cochleagram(waveform: ArrayLike, rate_hz: float, frame_s: float = FRAME_S) -> Cochleagram:
    """Cochleagram of Lyon's passive cochlear model, with the largest value scaled to 1.

    The gain control makes the result nearly, but not entirely, independent of loudness. A silent
    waveform raises an error.

    Parameters
    ----------
    waveform
        Samples of one channel from -1 to 1 (full scale), shape (samples,).
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
    activity = smooth_and_decimate(lyon_passive_ear(sound), samples_per_frame)
    centres_hz = lyon_centre_frequencies_hz(EAR_RATE_HZ)[1:]
    return as_cochleagram(activity, frame_s, centres_hz)


def lyon_passive_ear(sound: FloatArray, rate_hz: float = EAR_RATE_HZ) -> FloatArray:
    """Steps 1-4 above for a sound at ``rate_hz``: ``[n_samples, n_channels]``, not smoothed."""
    rectified = np.maximum(cascade(sound, rate_hz), 0.0)
    # The two front filters are not places on the cochlea, only neighbours of the first.
    rectified[:, :2] = 0.0
    controlled = gain_control(rectified, rate_hz)[:, 2:]
    return np.maximum(controlled[:, :-1] - controlled[:, 1:], 0.0)


def lyon_centre_frequencies_hz(rate_hz: float) -> FloatArray:
    """Centre frequencies of the cascade, from high to low.

    The bandwidth at f is sqrt(f^2 + break^2) / Q. Walking down in steps of a fixed share of the
    bandwidth means equal steps in asinh(f / break); the walk ends where a filter's own quality
    f / bandwidth falls to 1/2 and it no longer resonates.
    """
    top_hz = _top_hz(rate_hz)
    lowest_hz = BREAK_HZ / np.sqrt(4 * EAR_Q**2 - 1)
    step = STEP_IN_BANDWIDTHS / EAR_Q
    top, lowest = np.arcsinh(top_hz / BREAK_HZ), np.arcsinh(lowest_hz / BREAK_HZ)
    n_stages = int(np.floor((top - lowest) / step))
    return np.asarray(BREAK_HZ * np.sinh(top - step * np.arange(1, n_stages + 1)))


def cascade(sound: FloatArray, rate_hz: float) -> FloatArray:
    """Run the sound through the chain of filters and return the output after every one."""
    filters = lyon_filters(rate_hz)
    outputs = np.empty((len(sound), len(filters)))
    current = sound
    for place, (numerator, denominator) in enumerate(filters):
        current = signal.lfilter(numerator, denominator, current)
        outputs[:, place] = current
    return outputs


def lyon_filters(rate_hz: float) -> list[tuple[FloatArray, FloatArray]]:
    """Two front filters and one filter for each place, as (numerator, denominator)."""
    centres_hz = lyon_centre_frequencies_hz(rate_hz)
    widths_hz = _bandwidth_hz(centres_hz)
    zeros_hz = centres_hz + ZERO_OFFSET_IN_STEPS * STEP_IN_BANDWIDTHS * widths_hz
    # Each stage lifts low frequencies by the ratio of neighbouring centres, so that the peak of
    # the response stays level along the cascade; the first takes the ratio of the second.
    ratios = centres_hz[:-1] / centres_hz[1:]
    dc_gains = np.concatenate([ratios[:1], ratios])

    corner = np.exp(-2 * np.pi * PRE_EMPHASIS_CORNER_HZ / rate_hz)
    pre_emphasis = np.array([0.0, 1.0, -corner]), np.array([1.0])
    first_quality = centres_hz[0] / widths_hz[0]
    compensation = (
        np.array([1.0, 0.0, -1.0]),
        _resonance(_top_hz(rate_hz), first_quality, rate_hz),
    )
    filters = [
        _with_gain(pre_emphasis, 1.0, rate_hz / 4, rate_hz),
        _with_gain(compensation, 1.0, rate_hz / 4, rate_hz),
    ]
    for centre_hz, zero_hz, width_hz, dc_gain in zip(
        centres_hz, zeros_hz, widths_hz, dc_gains, strict=True
    ):
        zeros = _resonance(zero_hz, ZERO_SHARPNESS * zero_hz / width_hz, rate_hz)
        poles = _resonance(centre_hz, centre_hz / width_hz, rate_hz)
        filters.append(_with_gain((zeros, poles), dc_gain, 0.0, rate_hz))
    return filters


def gain_control(activity: FloatArray, rate_hz: float) -> FloatArray:
    """Four stages in a row, each of which turns itself down towards its target.

    For every stage and place, with input a, gain k and the mean gain <k> of place and neighbours:

        out = a k,    k <- max(0.1, (1 - eps) <k> + eps - eps out / target),

    where eps = 1 - exp(-1 / (tau rate)). The recursion is non-linear, so samples go one by one;
    but stage s may work on sample t - s while stage 0 works on sample t, so one array operation
    serves all four stages. The places of all stages lie in one flat row, each stage with a spare
    place at either end that repeats its neighbour: short contiguous rows are what NumPy is fast at.
    """
    n_places = activity.shape[1]
    n_stages, width = len(AGC_TARGETS), n_places + 2
    eps = 1.0 - np.exp(-1.0 / (AGC_TAUS_S * rate_hz))
    share_of_each = np.repeat((1.0 - eps) / 3.0, width)[1:-1]
    rise = np.repeat(eps, width)[1:-1]
    fall_per_output = np.repeat(eps / AGC_TARGETS, width)[1:-1]
    smallest_gain = np.full(n_stages * width - 2, AGC_SMALLEST_GAIN)

    gains = np.ones(n_stages * width)
    left, middle, right = gains[:-2], gains[1:-1], gains[2:]
    by_stage = gains.reshape(n_stages, width)
    spare, next_to_spare = by_stage[:, :: width - 1], by_stage[:, 1 : -1 : n_places - 1]

    # Input of stage 0, then the outputs of all stages: the output of one is the input of the next.
    signals = np.zeros((n_stages + 1) * width)
    inputs, outputs = signals[:-width], signals[width:]
    first_input, last_output = signals[1 : 1 + n_places], signals[-1 - n_places : -1]
    new_outputs, new_gains, fall = np.zeros_like(gains), np.zeros_like(middle), np.zeros_like(rise)

    delay = n_stages - 1
    samples = np.concatenate([activity, np.zeros((delay, n_places))])
    controlled = np.empty_like(samples)
    for sample, result in zip(samples, controlled, strict=True):
        first_input[:] = sample
        np.multiply(inputs, gains, out=new_outputs)
        outputs[:] = new_outputs
        np.add(left, right, out=new_gains)
        np.add(new_gains, middle, out=new_gains)
        np.multiply(new_gains, share_of_each, out=new_gains)
        np.add(new_gains, rise, out=new_gains)
        np.multiply(outputs[1:-1], fall_per_output, out=fall)
        np.subtract(new_gains, fall, out=new_gains)
        np.maximum(new_gains, smallest_gain, out=middle)
        spare[:] = next_to_spare
        result[:] = last_output
    return controlled[delay:]


def _bandwidth_hz(frequency_hz: FloatArray) -> FloatArray:
    return np.asarray(np.hypot(frequency_hz, BREAK_HZ) / EAR_Q)


def _top_hz(rate_hz: float) -> float:
    """Start of the walk: the zeros of the first stage must stay below half the sample rate."""
    half_hz = rate_hz / 2
    room = (ZERO_OFFSET_IN_STEPS - 1.0) * STEP_IN_BANDWIDTHS
    return float(half_hz - room * np.hypot(half_hz, BREAK_HZ) / EAR_Q)


def _resonance(frequency_hz: float, quality: float, rate_hz: float) -> FloatArray:
    """Polynomial 1 + c1 z^-1 + c2 z^-2 whose roots ring at a frequency with a quality."""
    radius = np.exp(-np.pi * frequency_hz / (rate_hz * quality))
    angle = 2 * np.pi * frequency_hz / rate_hz * np.sqrt(1 - 1 / (4 * quality**2))
    return np.array([1.0, -2 * radius * np.cos(angle), radius**2])


def _with_gain(
    numerator_denominator: tuple[FloatArray, FloatArray],
    gain: float,
    frequency_hz: float,
    rate_hz: float,
) -> tuple[FloatArray, FloatArray]:
    """Scale a filter so that it has a given gain at a given frequency."""
    numerator, denominator = numerator_denominator
    # Polynomials in z^-1, at the point of the unit circle that belongs to the frequency.
    delay = np.exp(-2j * np.pi * frequency_hz / rate_hz)
    response = np.polyval(numerator[::-1], delay) / np.polyval(denominator[::-1], delay)
    return numerator * (gain / abs(response)), denominator
