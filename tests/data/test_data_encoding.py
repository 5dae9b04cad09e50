"""Rates and segments: the contract with the spiking engine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from synsamp.data import (
    RateSegments,
    draw_spikes,
    encode_cochleagram,
    encode_image,
    noise_gap,
    padded,
)
from synsamp.errors import SynsampError


def test_an_image_becomes_one_segment_of_0_to_50_hz_plus_1():
    segments = encode_image(np.array([[0.0, 0.5], [1.0, 0.25]]))
    assert segments.durations_s.tolist() == [0.2]
    assert segments.rates_hz.tolist() == [[1.0, 26.0, 51.0, 13.5]]


def test_a_cochleagram_gets_ten_neighbouring_afferents_per_channel():
    frames = np.array([[0.0, 1.0], [0.5, 0.25], [0.0, 0.0]])
    segments = encode_cochleagram(frames, frame_s=0.004)
    assert segments.rates_hz.shape == (3, 20)
    assert segments.durations_s.tolist() == [0.004] * 3
    assert segments.rates_hz[0].tolist() == [1.0] * 10 + [81.0] * 10
    assert segments.rates_hz[1].tolist() == [41.0] * 10 + [21.0] * 10


def test_seventy_seven_channels_give_the_papers_770_afferents():
    assert encode_cochleagram(np.zeros((2, 77)), 0.004).n_inputs == 770


def test_padding_puts_noise_on_both_sides_and_zero_means_none():
    digit = encode_image(np.ones(3))
    both = padded(digit, 0.025, 0.05)
    assert both.durations_s.tolist() == [0.025, 0.2, 0.05]
    assert both.rates_hz.tolist() == [[1.0] * 3, [51.0] * 3, [1.0] * 3]
    assert both.duration_s == pytest.approx(0.275)
    assert padded(digit, 0, 0).durations_s.tolist() == [0.2]


@given(
    first=arrays(np.float64, st.tuples(st.integers(1, 4), st.just(3)), elements=st.floats(0, 99)),
    second=arrays(np.float64, st.tuples(st.integers(1, 4), st.just(3)), elements=st.floats(0, 99)),
)
def test_concatenation_keeps_every_segment_in_order(first, second):
    one = RateSegments(np.full(len(first), 0.1), first)
    two = RateSegments(np.full(len(second), 0.2), second)
    both = one.then(two)
    assert np.array_equal(both.rates_hz, np.concatenate([first, second]))
    assert both.duration_s == pytest.approx(one.duration_s + two.duration_s)


@pytest.mark.parametrize(
    ("durations_s", "rates_hz", "message"),
    [
        ([0.0], [[1.0]], "durations_s must be > 0"),
        ([-1.0], [[1.0]], "durations_s must be > 0"),
        ([np.nan], [[1.0]], "durations_s must be finite"),
        ([0.1], [[-3.0]], "rates_hz must be >= 0, got -3.0"),
        ([0.1], [[np.inf]], "rates_hz must be finite"),
        ([0.1, 0.1], [[1.0]], "rates_hz must have one row"),
        ([], np.zeros((0, 1)), "durations_s must be a row"),
        ([0.1], [1.0], "rates_hz must have shape"),
        ([0.1], np.zeros((1, 0)), "rates_hz must have shape"),
    ],
)
def test_invalid_segments_raise_an_error(durations_s, rates_hz, message):
    with pytest.raises(SynsampError, match=message):
        RateSegments(np.array(durations_s), np.array(rates_hz))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: encode_image([0.5, 200.0]), r"image must lie in \[0, 1\].*divide"),
        (lambda: encode_image([0.5, np.nan]), "image must be finite"),
        (lambda: encode_image([]), "image must not be empty"),
        (lambda: encode_image([0.5], duration_s=0), "durations_s must be > 0"),
        (lambda: encode_image([0.5], max_rate_hz=-1), "max_rate_hz must be >= 0"),
        (lambda: encode_image([0.5], noise_hz=-1), "noise_hz must be >= 0"),
        (lambda: encode_cochleagram([0.5], 0.01), "cochleagram must have shape"),
        (lambda: encode_cochleagram([[0.5]], 0.01, afferents_per_channel=0), "must be >= 1"),
        (lambda: padded(encode_image([0.5]), -1, 0), "before_s must be >= 0"),
        (lambda: noise_gap(0, 0.1), "n_inputs must be >= 1"),
        (lambda: noise_gap(2, 0.1).then(noise_gap(3, 0.1)), "n_inputs must be 2"),
    ],
)
def test_errors_name_the_bad_argument(call, message):
    with pytest.raises(SynsampError, match=message):
        call()


def test_segments_cannot_be_changed_from_outside():
    rates = np.ones((1, 2))
    segments = RateSegments(np.array([0.1]), rates)
    rates[0, 0] = -5
    assert segments.rates_hz[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        segments.rates_hz[0, 0] = 2


def spike_count_z_scores(segments, drawn_from, seed):
    """Standardised counts for each (segment, input), if ``segments`` is the truth."""
    times_s, inputs = draw_spikes(drawn_from, np.random.default_rng(seed))
    edges = np.concatenate([[0.0], np.cumsum(segments.durations_s)])
    counts, _, _ = np.histogram2d(
        times_s, inputs, bins=[edges, np.arange(segments.n_inputs + 1) - 0.5]
    )
    expected = segments.rates_hz * segments.durations_s[:, np.newaxis]
    return (counts - expected) / np.sqrt(expected)


def test_drawn_spikes_have_poisson_counts_and_lie_in_their_segment():
    rates = np.array([[40.0, 5.0], [2.0, 90.0]])
    segments = RateSegments(np.array([300.0, 200.0]), rates)
    # Four counts, each near normal: 4.5 sigma is passed by chance about once in 40,000 runs.
    assert np.abs(spike_count_z_scores(segments, segments, seed=1)).max() < 4.5
    # Control: the noise of 1 Hz left out must be seen.
    without_noise = RateSegments(segments.durations_s, rates - 1.0)
    assert np.abs(spike_count_z_scores(segments, without_noise, seed=1)).max() > 4.5
    times_s, _ = draw_spikes(segments, np.random.default_rng(2))
    assert np.all(np.diff(times_s) >= 0)
    assert times_s.max() <= 500
