"""A library's presentations are made ready many at a time: the same as one by one, and checked."""

from __future__ import annotations

import numpy as np
import pytest

from synsamp.data import RateSegments, encode_image, noise_gap
from synsamp.errors import SynsampError
from synsamp.paper.shared.digit_circuit import DigitInputSection, DigitPresentations
from synsamp.spiking.input import pool
from synsamp.spiking.input.pool import Pool

N = 30
AWAKE = np.zeros(N, bool)


class Shown:
    """What a user may give: anything with durations and rates."""

    def __init__(self, durations_s, rates_hz):
        self.durations_s, self.rates_hz = durations_s, rates_hz


def library(count=9, segments=3):
    rng = np.random.default_rng(1)
    return [
        RateSegments(rng.uniform(0.05, 0.2, segments), rng.uniform(0.0, 50.0, (segments, N)))
        for _ in range(count)
    ]


def ready(shown, indices, silenced=AWAKE):
    """Durations, numbers of segments, ends and rates, and the tables that the segments name."""
    made = Pool()
    durations, lengths, segments = made.chosen("x", shown, indices, silenced)
    tables = [made.tables[at : at + N] for at in segments.table_at]
    return durations, lengths, segments.ends_s, segments.rate_hz, np.array(tables)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("batch", [1, 3 * N, 4 * 3 * N, 2**17])
def test_many_at_a_time_are_the_same_as_one_by_one(monkeypatch, batch):
    shown, chosen = library(), [4, 0, 4, 8, 7, 0, 1]
    silenced = np.arange(N) < 3
    monkeypatch.setattr(pool, "BATCH", batch)
    together = ready(shown, chosen, silenced)
    alone = [ready(shown, [i], silenced) for i in chosen]
    assert same(together, [np.concatenate(parts) for parts in zip(*alone, strict=True)])
    assert not same(together, ready(shown, chosen))  # control: nothing silenced


def test_how_arrays_lie_in_memory_plays_no_part():
    shown = library()
    columns = [Shown(s.durations_s, np.asfortranarray(s.rates_hz)) for s in shown]
    assert not columns[0].rates_hz.flags.c_contiguous
    assert same(ready(shown, [0, 1, 2]), ready(columns, [0, 1, 2]))
    lists = [Shown(s.durations_s.tolist(), s.rates_hz.tolist()) for s in shown]
    assert same(ready(shown, [0, 1, 2]), ready(lists, [0, 1, 2]))


@pytest.mark.parametrize(
    ("where", "value", "message"),
    [
        ("rates_hz", np.nan, r"rates_hz of presentation 5 for 'x' must be finite"),
        ("rates_hz", -1.0, r"rates_hz of presentation 5 for 'x' must be"),
        ("rates_hz", 2e6, r"rates_hz of presentation 5 for 'x' must be"),
        ("durations_s", 0.0, r"durations_s of presentation 5 for 'x' must be"),
        ("durations_s", 1e9, r"durations_s of presentation 5 for 'x' must be"),
        ("durations_s", np.nan, r"durations_s of presentation 5 for 'x' must be finite"),
    ],
)
def test_a_bad_number_among_many_presentations_is_named(where, value, message):
    shown = [Shown(s.durations_s.copy(), s.rates_hz.copy()) for s in library()]
    getattr(shown[5], where).flat[1] = value
    assert ready(shown, [0, 1, 2, 3])  # those that are not asked for do no harm
    with pytest.raises(SynsampError, match=message):
        ready(shown, list(range(9)))


def test_a_choice_outside_the_library_raises_an_error():
    for index in (-1, 9):
        with pytest.raises(SynsampError, match=r"choice for 'x' must"):
            ready(library(), [0, index])


def test_digits_are_shown_as_the_encoding_says():
    images = np.random.default_rng(2).random((4, 5, 6), np.float32)
    section = DigitInputSection()
    shown = DigitPresentations(images, section)[3]
    gap = noise_gap(30, section.gap_s, section.noise_hz)
    encoded = encode_image(images[3], section.digit_s, section.peak_rate_hz, section.noise_hz)
    np.testing.assert_array_equal(shown.rates_hz, encoded.then(gap).rates_hz)
    np.testing.assert_array_equal(shown.durations_s, encoded.then(gap).durations_s)
    for bad in (1.5, -0.1, np.nan):
        wrong = images.copy()
        wrong[2, 1, 1] = bad
        with pytest.raises(SynsampError, match="images must"):
            DigitPresentations(wrong, section)
