"""Spoken digits: the three sources, wav and SPHERE files, and bad ones of each."""

import os
from pathlib import Path

import numpy as np
import pytest

import synsamp.data.speech
from data_files import full_data, sphere_bytes, wav_bytes, word
from synsamp.data import (
    TI46,
    EmbeddedVoices,
    FreeSpokenDigits,
    Utterance,
    WavFolder,
    load_speech,
    lyon_cochleagram,
    read_sound,
    read_sphere,
    read_wav,
    split_speech,
)
from synsamp.data.speech import EMBEDDED_VOICES_FILE
from synsamp.errors import SynsampError


def test_the_embedded_speech_is_ten_takes_of_each_word_within_320_to_520_ms():
    utterances = load_speech()
    assert [take.digit for take in utterances] == [1] * 10 + [2] * 10
    assert {take.speaker for take in utterances} == {"espeak-ng en-us (synthetic)"}
    for take in utterances:
        assert 0.32 <= take.duration_s <= 0.52
        assert 0.3 < np.abs(take.waveform).max() <= 1
    lengths = {len(take.waveform) for take in utterances}
    assert len(lengths) == 20


def test_the_embedded_voices_are_ten_takes_of_each_word_by_three_speakers():
    utterances = load_speech(EmbeddedVoices())
    groups = [(take.digit, take.speaker) for take in utterances]
    expected = [(digit, name) for digit in (1, 2) for name in ("george", "jackson", "lucas")]
    assert groups == [group for group in expected for _ in range(10)]
    assert all(0.32 <= take.duration_s <= 0.52 for take in utterances)
    assert len({take.waveform.tobytes() for take in utterances}) == 60
    chosen = load_speech(EmbeddedVoices(), [2], ["lucas"])
    assert {(take.digit, take.speaker) for take in chosen} == {(2, "lucas")}


def test_the_embedded_voices_come_with_their_attribution_and_licence():
    folder = Path(synsamp.data.speech.__file__).parent / "embedded"
    with np.load(folder / EMBEDDED_VOICES_FILE) as stored:
        assert str(stored["licence"]) == "CC BY-SA 4.0"
        assert "Zohar Jackson" in str(stored["attribution"])
    licence = (folder / "LICENSE-CC-BY-SA-4.0.txt").read_text(encoding="utf-8")
    assert licence.startswith("Creative Commons Attribution-ShareAlike 4.0 International")
    assert "Section 8 -- Interpretation." in licence
    assert EMBEDDED_VOICES_FILE in (folder / "README.md").read_text(encoding="utf-8")


@full_data
def test_the_embedded_voices_are_the_first_fitting_recordings_sample_by_sample():
    recordings = WavFolder(Path(os.environ["SYNSAMP_DATA"]) / "fsdd").load(
        [1, 2], ["jackson", "george", "lucas"]
    )
    kept = load_speech(EmbeddedVoices())
    for digit, speaker in {(take.digit, take.speaker) for take in kept}:
        group = [t for t in recordings if (t.digit, t.speaker) == (digit, speaker)]
        first = [take for take in group if 0.32 <= take.duration_s <= 0.52][:10]
        own = [t for t in kept if (t.digit, t.speaker) == (digit, speaker)]
        assert [take.utterance for take in own] == [take.utterance for take in first]
        for take, original in zip(own, first, strict=True):
            assert take.rate_hz == original.rate_hz
            np.testing.assert_array_equal(take.waveform, original.waveform)


def test_digits_and_speakers_can_be_chosen_and_a_wrong_name_raises_an_error():
    assert {take.digit for take in load_speech(digits=[2])} == {2}
    with pytest.raises(SynsampError, match=r"by \['noone'\], got none"):
        load_speech(speakers=["noone"])


def test_the_split_is_seven_and_three_of_each_digit_and_disjoint():
    utterances = load_speech()
    split = split_speech(utterances, seed=5)
    for digit in (1, 2):
        train = {take.utterance for take in split.train if take.digit == digit}
        test = {take.utterance for take in split.test if take.digit == digit}
        assert (len(train), len(test)) == (7, 3)
        assert not train & test
    again = split_speech(utterances, seed=5)
    assert [take.utterance for take in again.test] == [take.utterance for take in split.test]
    others = [split_speech(utterances, seed=seed).test for seed in range(6, 10)]
    assert any([t.utterance for t in test] != [t.utterance for t in split.test] for test in others)
    # One digit's split does not depend on which others are there.
    alone = split_speech(load_speech(digits=[2]), seed=5)
    assert [t.utterance for t in alone.test] == [t.utterance for t in split.test if t.digit == 2]
    with pytest.raises(SynsampError, match="at most the 10 utterances of digit 1"):
        split_speech(utterances, seed=0, n_train=9)


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_wav_folder_reads_names_and_orders_takes_by_number(tmp_path):
    for name in ("1_ann_10.wav", "1_ann_2.wav", "2_bob_smith_0.wav", "readme.wav", "x.txt"):
        write(tmp_path / name, wav_bytes(word().tobytes()))
    found = load_speech(WavFolder(tmp_path))
    assert [(take.digit, take.speaker, take.utterance) for take in found] == [
        (1, "ann", "2"),
        (1, "ann", "10"),
        (2, "bob_smith", "0"),
    ]
    assert found[0].rate_hz == 8000
    np.testing.assert_allclose(found[0].waveform, word() / 32768)
    assert len(load_speech(FreeSpokenDigits(tmp_path), speakers=["ann"])) == 2


def test_missing_fsdd_names_the_download_command(own_data_folder):
    with pytest.raises(SynsampError, match="get FSDD with `synsamp data fetch fsdd`"):
        load_speech(FreeSpokenDigits())
    with pytest.raises(SynsampError, match="must be a folder of wav files"):
        load_speech(WavFolder(own_data_folder / "none"))


def as_24_bit(samples):
    wide = samples.astype("<i4") << 8
    return wide.view(np.uint8).reshape(-1, 4)[:, :3].tobytes()


@pytest.mark.parametrize(
    ("content", "tolerance"),
    [
        (wav_bytes(word().tobytes()), 0),
        (wav_bytes(as_24_bit(word()), bits=24), 0),
        (wav_bytes((word().astype("<i4") << 16).tobytes(), bits=32), 0),
        (wav_bytes((word() / 32768).astype("<f4").tobytes(), bits=32, kind=3), 1e-7),
        (wav_bytes((word() / 32768).astype("<f8").tobytes(), bits=64, kind=3), 0),
        (wav_bytes(((word() >> 8) + 128).astype(np.uint8).tobytes(), bits=8), 1 / 128),
        (wav_bytes(np.repeat(word(), 2).tobytes(), channels=2), 0),
    ],
    ids=["16 bit", "24 bit", "32 bit", "float", "double", "8 bit", "stereo"],
)
def test_every_kind_of_wav_gives_the_same_sound(tmp_path, content, tolerance):
    sound = read_wav(write(tmp_path / "a.wav", content))
    assert sound.rate_hz == 8000
    np.testing.assert_allclose(sound.waveform, word() / 32768, rtol=0, atol=tolerance)


def test_stereo_is_averaged(tmp_path):
    left_right = np.stack([word(), np.zeros_like(word())], axis=1)
    sound = read_wav(write(tmp_path / "a.wav", wav_bytes(left_right.tobytes(), channels=2)))
    np.testing.assert_allclose(sound.waveform, word() / 65536)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a readable wav"),
        (wav_bytes(b""), "empty file"),
        (b"just some text, long enough to be a header of something", "not a readable wav"),
        (wav_bytes(word().tobytes())[:30], "not a readable wav"),
        (
            wav_bytes(word().tobytes()[:200], claimed_bytes=1600),
            "must hold 1600 bytes of samples.*got 200",
        ),
        (wav_bytes(np.array([0.1, np.nan], "<f4").tobytes(), bits=32, kind=3), "NaN"),
        (wav_bytes(word().tobytes(), kind=6), "not a readable wav"),
    ],
    ids=["no bytes", "no samples", "text", "header cut", "samples cut", "NaN", "G.711"],
)
def test_a_bad_wav_raises_an_error(tmp_path, content, message):
    with pytest.raises(SynsampError, match=message):
        read_wav(write(tmp_path / "a.wav", content))


def test_a_missing_sound_file_raises_an_error(tmp_path):
    with pytest.raises(SynsampError, match="is missing"):
        read_sound(tmp_path / "none.wav")
    with pytest.raises(SynsampError, match="is missing"):
        read_wav(tmp_path / "none.wav")


def test_silence_can_be_read_but_has_no_cochleagram(tmp_path):
    sound = read_wav(write(tmp_path / "a.wav", wav_bytes(bytes(1600))))
    with pytest.raises(SynsampError, match="silence"):
        lyon_cochleagram(*sound)


def test_ti46_reads_its_names_in_any_folder_and_passes_over_other_words(tmp_path):
    twelve_bit = word(12500) >> 4
    for name in ("TI20/TRAIN/F1/01F1SET3.WAV", "ti20/test/m2/02m2s4t1.wav", "x/0Bf1set0.wav"):
        write(tmp_path / name, sphere_bytes(twelve_bit))
    write(tmp_path / "x" / "enf1set0.wav", b"not even a sound")
    write(tmp_path / "09m8set9.wav", wav_bytes(word(12500).tobytes(), rate_hz=12500))
    found = load_speech(TI46(tmp_path))
    assert [(take.digit, take.speaker, take.utterance) for take in found] == [
        (1, "f1", "set3"),
        (2, "m2", "s4t1"),
        (9, "m8", "set9"),
    ]
    assert found[0].rate_hz == 12500
    np.testing.assert_allclose(found[0].waveform, twelve_bit / 2048)
    assert [take.digit for take in load_speech(TI46(tmp_path), speakers=["m2"])] == [2]


def test_a_folder_without_ti46_files_raises_an_error(tmp_path):
    with pytest.raises(SynsampError, match="must be the folder of a TI-46 copy"):
        load_speech(TI46(tmp_path / "none"))
    with pytest.raises(SynsampError, match="got none; see docs"):
        load_speech(TI46(tmp_path))


@pytest.mark.parametrize("byte_format", ["01", "10"])
def test_sphere_in_both_byte_orders(tmp_path, byte_format):
    path = write(tmp_path / "a.wav", sphere_bytes(word(), byte_format=byte_format, bits=16))
    np.testing.assert_array_equal(read_sound(path).waveform, word() / 32768)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"RIFF....", "must start with a SPHERE header"),
        (b"NIST_1A\nabc\n", "must start with a SPHERE header"),
        (sphere_bytes(word())[:100], "cut off or damaged"),
        (sphere_bytes(word())[:-7], "must hold 1600 bytes"),
        (sphere_bytes(word(), count=0), "sample_count of .* must be a whole number >= 1"),
        (sphere_bytes(word(), rate_hz="fast"), "sample rate of .* must be a finite number"),
        (sphere_bytes(word(), byte_format="99"), "must be one of 01, 10"),
        (sphere_bytes(word(), rate_hz=0), "sample rate of .* must be a finite number"),
        (
            sphere_bytes(word(), extra="sample_coding -s26 pcm,embedded-shorten-v1.09\n"),
            "sph2pipe",
        ),
    ],
)
def test_a_bad_sphere_file_raises_an_error(tmp_path, content, message):
    with pytest.raises(SynsampError, match=message):
        read_sphere(write(tmp_path / "a.wav", content))


@pytest.mark.parametrize(
    ("waveform", "rate_hz", "message"),
    [
        (np.zeros(0), 8000.0, "row of samples"),
        (np.array([np.inf]), 8000.0, "finite"),
        (np.ones(3), 0.0, "rate_hz must be > 0"),
    ],
)
def test_an_invalid_utterance_raises_an_error(waveform, rate_hz, message):
    with pytest.raises(SynsampError, match=message):
        Utterance(1, "me", "0", waveform, rate_hz)


@full_data
def test_fsdd_recordings_load_and_become_cochleagrams():
    folder = Path(os.environ["SYNSAMP_DATA"]) / "fsdd"
    takes = load_speech(FreeSpokenDigits(folder), digits=[1, 2], speakers=["jackson"])
    assert len(takes) == 100
    assert {take.rate_hz for take in takes} == {8000.0}
    seen = lyon_cochleagram(takes[0].waveform, takes[0].rate_hz)
    # Recorded at 8 kHz: the channels above 4 kHz have little activity.
    assert seen.values[:, seen.centre_hz > 4500].mean() < 0.5 * seen.values.mean()
