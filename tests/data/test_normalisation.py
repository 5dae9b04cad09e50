"""Three readings of "normalized between 0 and 80 Hz", with values computed by hand."""

import numpy as np
import pytest

from synsamp.data import (
    Cochleagram,
    gammatone_cochleagram,
    load_speech,
    lyon_cochleagram,
    normalise,
)
from synsamp.errors import SynsampError

CENTRES_HZ = np.array([3000.0, 2000.0, 1000.0])
# Activities of the model: QUIET reaches 2, LOUD 8; no word has anything in the last channel.
QUIET = Cochleagram(np.array([[1.0, 0.25, 0.0], [0.5, 0.5, 0.0]]), 0.004, CENTRES_HZ, 2.0)
LOUD = Cochleagram(np.array([[0.25, 0.5, 0.0], [0.125, 1.0, 0.0]]), 0.004, CENTRES_HZ, 8.0)


def test_by_utterance_the_largest_value_of_a_word_becomes_1():
    quiet, loud = normalise([QUIET, LOUD], "utterance")
    np.testing.assert_array_equal(quiet, [[1.0, 0.25, 0.0], [0.5, 0.5, 0.0]])
    np.testing.assert_array_equal(loud, [[0.25, 0.5, 0.0], [0.125, 1.0, 0.0]])


def test_by_channel_every_channel_of_a_word_reaches_1_unless_it_is_silent():
    quiet, loud = normalise([QUIET, LOUD], "channel")
    np.testing.assert_array_equal(quiet, [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0]])
    np.testing.assert_array_equal(loud, [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0]])


def test_over_the_training_set_a_channel_reaches_1_in_its_loudest_word():
    # Activities: QUIET [[2, 0.5], [1, 1]], LOUD [[2, 4], [1, 8]]; largest by channel: 2 and 8.
    quiet, loud = normalise([QUIET, LOUD], "training", [QUIET, LOUD])
    np.testing.assert_array_equal(quiet, [[1.0, 0.0625, 0.0], [0.5, 0.125, 0.0]])
    np.testing.assert_array_equal(loud, [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0]])


def test_a_test_word_that_is_louder_than_the_training_words_is_clipped():
    # Largest activities in training: 2 and 1, so 4 and 8 in the second channel become 1.
    (loud,) = normalise([LOUD], "training", [QUIET])
    np.testing.assert_array_equal(loud, [[1.0, 1.0, 0.0], [0.5, 1.0, 0.0]])


def test_the_readings_differ_and_the_words_are_left_alone():
    before = QUIET.values.copy()
    found = [normalise([QUIET], reading, [LOUD])[0] for reading in ("utterance", "channel")]
    assert not np.array_equal(*found)
    np.testing.assert_array_equal(QUIET.values, before)


def test_other_names_and_missing_training_words_raise_an_error():
    with pytest.raises(SynsampError, match="must be one of utterance, channel, training"):
        normalise([QUIET], "peak")
    with pytest.raises(SynsampError, match="needs the training words"):
        normalise([QUIET], "training")


@pytest.mark.parametrize("model", [lyon_cochleagram, gammatone_cochleagram])
def test_the_peak_carries_the_level_of_a_recording(model):
    word = load_speech(digits=[1])[0]
    normal = model(word.waveform, word.rate_hz)
    faint = model(0.01 * word.waveform, word.rate_hz)
    assert normal.values.max() == faint.values.max() == 1.0
    assert 0 < faint.peak < normal.peak
