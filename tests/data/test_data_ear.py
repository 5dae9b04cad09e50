"""Lyon's ear against the package `lyon`, a plain twin of its gain control, and known tones."""

import time
from pathlib import Path

import numpy as np
import pytest
from scipy.signal import resample_poly

from synsamp.data import gammatone_cochleagram, load_speech, lyon_cochleagram
from synsamp.data import lyon as ear
from synsamp.data.cochleagram import EAR_RATE_HZ, N_CHANNELS, at_ear_rate, smooth_and_decimate
from synsamp.errors import SynsampError

BOTH_EARS = [lyon_cochleagram, gammatone_cochleagram]


def tone(frequency_hz, rate_hz, duration_s=0.3):
    return 0.3 * np.sin(2 * np.pi * frequency_hz * np.arange(int(duration_s * rate_hz)) / rate_hz)


def correlation(first, second):
    return np.corrcoef(first.ravel(), second.ravel())[0, 1]


@pytest.fixture(scope="module")
def reference():
    with np.load(Path(__file__).parent / "lyon_reference.npz") as stored:
        return dict(stored)


def test_agrees_with_the_frozen_output_of_the_lyon_package(reference):
    ours = ear.lyon_passive_ear(reference["waveform"])[::25]
    theirs = reference["every_25th_sample"]
    # The reference is kept in single precision; that is all the difference there may be.
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6 * theirs.max())


def test_frames_correlate_above_099_with_the_lyon_package(reference):
    # Not equal: with decimation the package blanks its front channels in the first sample of each
    # frame only (the Auditory Toolbox does so in all), which leaks into the top channels.
    ours = smooth_and_decimate(ear.lyon_passive_ear(reference["waveform"]), 50)
    assert correlation(ours, reference["frames"]) > 0.99


def test_a_slightly_wrong_ear_does_not_pass_as_equal(reference, monkeypatch):
    monkeypatch.setattr(ear, "ZERO_SHARPNESS", 5.5)
    ours = ear.lyon_passive_ear(reference["waveform"])[::25]
    assert not np.allclose(ours, reference["every_25th_sample"], rtol=1e-2)


def test_an_ear_without_gain_control_does_not_correlate_above_099(reference, monkeypatch):
    monkeypatch.setattr(ear, "AGC_SMALLEST_GAIN", 1.0)
    ours = smooth_and_decimate(ear.lyon_passive_ear(reference["waveform"]), 50)
    assert correlation(ours, reference["frames"]) < 0.99


def test_agrees_with_the_installed_lyon_package_on_words():
    calc = pytest.importorskip(
        "lyon.calc", reason="the package `lyon` is not installed; its frozen output is tested"
    )
    for utterance in (load_speech()[3], load_speech()[15]):
        sound = utterance.waveform[: len(utterance.waveform) // 50 * 50].copy()
        frames = calc.LyonCalc().lyon_passive_ear(sound, EAR_RATE_HZ, 50)[:, 1:]
        ours = smooth_and_decimate(ear.lyon_passive_ear(sound), 50)
        assert correlation(ours, frames) > 0.99


def plain_gain_control(activity, rate_hz):
    """Sample after sample, stage after stage, place after place, as the description reads."""
    n_places = activity.shape[1]
    loss = np.zeros((4, n_places))
    result = np.zeros_like(activity)
    for t, sample in enumerate(activity):
        current = list(sample)
        for stage in range(4):
            eps = 1 - np.exp(-1 / (ear.AGC_TAUS_S[stage] * rate_hz))
            old = loss[stage].copy()
            for place in range(n_places):
                current[place] *= 1 - old[place]
                left, right = old[max(place - 1, 0)], old[min(place + 1, n_places - 1)]
                mean = (left + old[place] + right) / 3
                drive = eps * current[place] / ear.AGC_TARGETS[stage]
                loss[stage, place] = min(0.9, (1 - eps) * mean + drive)
        result[t] = current
    return result


def test_gain_control_equals_its_plain_twin_also_at_the_limit():
    rng = np.random.default_rng(5)
    activity = np.abs(rng.normal(size=(120, 7))) * np.array([0, 0, 0.001, 0.1, 5, 0.01, 1])
    fast = ear.gain_control(activity, 1000.0)
    np.testing.assert_allclose(fast, plain_gain_control(activity, 1000.0), rtol=1e-10, atol=1e-15)


def test_the_cascade_has_78_stages_at_12500_hz():
    centres = ear.lyon_centre_frequencies_hz(EAR_RATE_HZ)
    assert len(centres) == 78
    assert np.all(np.diff(centres) < 0)
    assert centres[0] < EAR_RATE_HZ / 2
    # Neighbours are a quarter of a bandwidth apart.
    bandwidths = np.hypot(centres, 1000) / 8
    assert np.diff(centres)[40] == pytest.approx(-0.25 * bandwidths[40], rel=0.02)


@pytest.mark.parametrize("cochleagram", BOTH_EARS)
@pytest.mark.parametrize("rate_hz", [8000, 11025, 12500, 16000, 44100, 48000, 12345.6])
def test_a_tone_of_any_sample_rate_activates_its_channel(cochleagram, rate_hz):
    for frequency_hz in (300, 1000, 3000):
        seen = cochleagram(tone(frequency_hz, rate_hz), rate_hz)
        assert seen.values.shape[1] == len(seen.centre_hz) == N_CHANNELS
        assert seen.duration_s == pytest.approx(0.3, abs=0.008)
        place = seen.centre_hz[seen.values[-20:].mean(axis=0).argmax()]
        # Within two filter bandwidths of an eighth of sqrt(f^2 + 1000^2).
        assert abs(place - frequency_hz) < 0.25 * np.hypot(frequency_hz, 1000)


@pytest.mark.parametrize("cochleagram", BOTH_EARS)
def test_values_fill_zero_to_one(cochleagram):
    for utterance in load_speech()[::7]:
        values = cochleagram(utterance.waveform, utterance.rate_hz).values
        assert values.min() >= 0
        assert values.max() == 1


@pytest.mark.parametrize("cochleagram", BOTH_EARS)
def test_the_cochleagram_does_not_depend_on_the_sample_rate(cochleagram):
    utterance = load_speech()[0]
    at_16_khz = resample_poly(utterance.waveform, 16000, 12500)
    first = cochleagram(utterance.waveform, 12500).values
    second = cochleagram(at_16_khz, 16000).values
    n_frames = min(len(first), len(second))
    assert correlation(first[:n_frames], second[:n_frames]) > 0.99


def test_spoken_ones_are_more_similar_to_ones_than_to_twos():
    frames = {1: [], 2: []}
    for utterance in load_speech():
        values = lyon_cochleagram(utterance.waveform, utterance.rate_hz).values
        picked = np.linspace(0, len(values) - 1, 60).round().astype(int)
        frames[utterance.digit].append(values[picked].ravel())
    everything = np.corrcoef(np.array(frames[1] + frames[2]))
    same = np.kron(np.eye(2), np.ones((10, 10))).astype(bool)
    nearest = np.where(np.eye(20, dtype=bool), -1, everything).argmax(axis=1)
    assert np.all(same[np.arange(20), nearest])
    # And takes differ from each other: this is not one word copied ten times.
    assert everything[same & ~np.eye(20, dtype=bool)].max() < 0.97


def test_a_word_takes_well_under_200_ms():
    utterance = max(load_speech(), key=lambda take: take.duration_s)
    lyon_cochleagram(utterance.waveform, utterance.rate_hz)
    took_s = []
    for _ in range(10):
        start = time.process_time()
        lyon_cochleagram(utterance.waveform, utterance.rate_hz)
        took_s.append(time.process_time() - start)
    assert min(took_s) < 0.15


@pytest.mark.parametrize("cochleagram", BOTH_EARS)
@pytest.mark.parametrize(
    ("waveform", "rate_hz", "frame_s", "message"),
    [
        (np.zeros(0), 8000, 0.004, "must not be empty"),
        (np.zeros(800), 8000, 0.004, "silence"),
        (np.array([0.1, np.nan]), 8000, 0.004, "must be finite"),
        (np.zeros((5, 2)), 8000, 0.004, "one row"),
        (np.ones(5), 0, 0.004, "rate_hz must be > 0"),
        (np.ones(5), np.nan, 0.004, "rate_hz must be > 0"),
        (np.ones(5), 8000, 0.0001, "frame_s must be a multiple"),
        (np.ones(5), 8000, 0, "frame_s must be a multiple"),
        (np.ones(5), 8000, np.nan, "frame_s must be a multiple"),
    ],
)
def test_invalid_sounds_raise_an_error(cochleagram, waveform, rate_hz, frame_s, message):
    with pytest.raises(SynsampError, match=message):
        cochleagram(waveform, rate_hz, frame_s)


def test_resampling_keeps_the_length_in_seconds():
    assert len(at_ear_rate(tone(500, 44100), 44100)) / EAR_RATE_HZ == pytest.approx(0.3, abs=1e-3)
