"""What is heard and seen: matching pairs, equal lengths, silence in tests, a user's own data."""

import os
import shutil
import wave

import numpy as np
import pytest
from matplotlib import image as png
from pydantic import ValidationError

from synsamp.cli import run_command_line
from synsamp.data import EmbeddedVoices, encode_cochleagram, encode_image, load_speech, padded
from synsamp.data.digit_pairs import HEARING, SEEING, Pairs, SoundAlone, Together
from synsamp.errors import SynsampError
from synsamp.experiments.registry import REGISTRY
from synsamp.paper.fig5_compensation.experiment import (
    EXPERIMENT,
    example_of,
    load_pairs,
    speaker_for,
    words,
)
from synsamp.paper.fig5_compensation.figures import draw
from synsamp.paper.fig5_compensation.parameters import FSDD_SPEAKERS, AudiovisualInputSection
from synsamp.runs.ensembles.run import execute_ensemble
from synsamp.runs.execute import execute, parameters_of
from synsamp.runs.storage.results import open_results


def together(pairs, section):
    return Together(pairs, section.image_peak_hz, section.noise_hz, section.padding_s)


@pytest.fixture(scope="module")
def section():
    return AudiovisualInputSection()


@pytest.fixture(scope="module")
def pairs(section):
    return load_pairs(section, 3)


def test_inputs_are_as_in_the_methods(pairs):
    assert (pairs.n_heard, pairs.n_seen) == (770, 784)
    assert np.bincount(pairs.train_classes).tolist() == [7, 7]
    assert np.bincount(pairs.test_classes).tolist() == [3, 3]
    for sound in (*pairs.train_sounds, *pairs.test_sounds):
        assert sound.durations_s[[0, -1]].tolist() == [0.025, 0.025]
        assert (sound.rates_hz[[0, -1]] == 1.0).all()
        assert sound.rates_hz.max() == pytest.approx(81.0)
    # no test word is among those learned from
    learned = {sound.rates_hz.tobytes() for sound in pairs.train_sounds}
    assert not learned & {sound.rates_hz.tobytes() for sound in pairs.test_sounds}


def test_other_splits_give_other_test_words(section, pairs):
    other = load_pairs(section, 4)
    words = [{s.rates_hz.tobytes() for s in p.test_sounds} for p in (pairs, other)]
    assert words[0] != words[1]
    # tables have the same sizes whatever the split
    assert pairs.word_s == other.word_s
    lengths = [s.duration_s for p in (pairs, other) for s in (*p.train_sounds, *p.test_sounds)]
    shortest, longest = pairs.word_s
    assert shortest <= min(lengths) < max(lengths) <= longest < max(lengths) + 0.05


def test_sound_and_image_are_of_one_digit_and_equally_long(section, pairs):
    stimulus = together(pairs, section)
    chosen = stimulus.choose(np.random.default_rng(0), 0, 400)
    first = len(pairs.images[0])
    heard = pairs.train_classes[chosen[HEARING]]
    image = chosen[SEEING] % len(pairs.pixels)
    assert ((image >= first).astype(int) == heard).all()
    assert abs(heard.mean() - 0.5) < 4 * 0.5 / 20
    for sound, picture in zip(chosen[HEARING][:5], chosen[SEEING][:5], strict=True):
        word, shown = stimulus.library[HEARING][sound], stimulus.library[SEEING][picture]
        assert shown.duration_s == pytest.approx(word.duration_s)
        expected = 1.0 + 50.0 * pairs.pixels[picture % len(pairs.pixels)]
        assert np.allclose(shown.rates_hz[1], expected)
        assert (shown.rates_hz[[0, -1]] == 1.0).all()


def test_choices_depend_on_the_generator_alone(section, pairs):
    stimulus = together(pairs, section)
    a, b = (stimulus.choose(np.random.default_rng(5), first, 50) for first in (0, 128))
    assert all((a[name] == b[name]).all() for name in a)


def test_with_sound_alone_the_eye_sees_noise(pairs):
    stimulus = SoundAlone(pairs, 1.0)
    assert all((shown.rates_hz == 1.0).all() for shown in stimulus.library[SEEING])
    chosen = stimulus.choose(np.random.default_rng(1), 0, 300)[HEARING]
    classes = pairs.test_classes[chosen]
    assert (classes.reshape(-1, 2).sum(axis=1) == 1).all()  # one of either digit in every pair
    assert set(chosen) == set(range(len(pairs.test_sounds)))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"digits": (1, 1)}, "two different"),
        ({"digits": (3, 4)}, "speech=fsdd"),
        ({"digits": (3, 4), "speech": "fsdd"}, "images=mnist"),
        ({"speech": "folder"}, "speech_folder"),
        ({"images": "folder"}, "images_folder"),
    ],
)
def test_sections_that_do_not_fit_raise_an_error(settings, words):
    with pytest.raises(ValidationError, match=words):
        AudiovisualInputSection(**settings)


def _write_word(path, frequency, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(3200) / 8000.0
    sound = np.sin(2 * np.pi * frequency * t * (1 + 0.02 * rng.normal())) * np.hanning(t.size)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes((20000 * sound).astype("<i2").tobytes())


@pytest.fixture(scope="module")
def own_data(tmp_path_factory):
    """A user's own words and pictures: two tones, and bars that are no squares of 28 pixels."""
    rng = np.random.default_rng(0)
    root = tmp_path_factory.mktemp("own")
    words, pictures = root / "words", root / "pictures"
    words.mkdir()
    for digit, frequency in ((4, 400.0), (7, 1500.0)):
        (pictures / str(digit)).mkdir(parents=True)
        for take in range(4):
            _write_word(words / f"{digit}_me_{take}.wav", frequency, 10 * digit + take)
            picture = 0.2 * rng.random((9, 11))
            picture[:, 2 if digit == 4 else 8] = 1.0
            png.imsave(pictures / str(digit) / f"{take}.png", picture, cmap="gray")
    return AudiovisualInputSection(
        digits=(4, 7),
        speech="folder",
        images="folder",
        speech_folder=str(words),
        images_folder=str(pictures),
        train_utterances=3,
        test_utterances=1,
    )


def test_a_users_own_sounds_and_images(own_data):
    pairs = load_pairs(own_data, 1)
    assert (pairs.n_heard, pairs.n_seen) == (770, 99)
    assert len(pairs.train_sounds) == 6


def test_the_speaker_must_be_named_if_there_are_several(own_data, tmp_path):
    words = tmp_path / "words"
    shutil.copytree(own_data.speech_folder, words)
    _write_word(words / "4_you_0.wav", 500.0, 1)
    _write_word(words / "7_you_0.wav", 900.0, 1)
    with pytest.raises(SynsampError, match="me, you"):
        load_pairs(own_data.model_copy(update={"speech_folder": str(words)}), 1)


def test_a_users_own_pairs_go_the_whole_way(own_data, tmp_path):
    """Learning, lesion 1, recovery, measures and figures, all in small."""
    given = [f"input.{k}={v}" for k, v in own_data.model_dump(exclude={"digits"}).items() if v]
    settings = [
        *given,
        "input.digits=4,7",
        "circuit.neurons=4",
        "schedule.learning_s=200",
        "schedule.after_lesion_1_s=200",
        "schedule.frozen_1_s=100",
        "test.every_s=100",
        "test.blocks=2",
        "test.block_s=20",
        "test.burn_in_s=5",
        "test.tuning_s=30",
    ]
    folder = execute(EXPERIMENT, tmp_path / "run", settings=settings, seed=2)
    results = open_results(folder.path)
    assert float(results["measures"].heard) > 0.9  # two tones are easily distinguished
    bars = results["example"].mean_image.values.reshape(2, 9, 11).mean(axis=1)
    assert bars.argmax(axis=1).tolist() == [2, 8]
    assert results["network/test"].reconstruction.shape[-1] == 99
    assert set(draw(parameters_of(EXPERIMENT, folder), [results])) == {"AB", "C", "D", "S1A"}


def test_image_for_the_eye_is_the_encoded_image_with_noise_around_it(section, pairs):
    """Made with one check for speed; the same numbers as the encoders of the data part."""
    stimulus = together(pairs, section)
    index = 3 * len(pairs.pixels) + 7000
    length_s = pairs.train_sounds[3].duration_s - 2 * section.padding_s
    expected = padded(
        encode_image(pairs.pixels[7000], length_s, section.image_peak_hz, section.noise_hz),
        section.padding_s,
        section.padding_s,
        section.noise_hz,
    )
    made = stimulus.library[SEEING][index]
    assert np.array_equal(made.rates_hz, expected.rates_hz)
    assert np.array_equal(made.durations_s, expected.durations_s)


def test_a_missing_class_raises_an_error():
    sound = encode_cochleagram(np.ones((3, 2)), 0.004)
    images = (np.zeros((1, 2, 2), np.float32), np.zeros((1, 2, 2), np.float32))
    with pytest.raises(SynsampError, match="both classes"):
        Pairs((sound,), np.array([0]), (sound,), np.array([0]), images)


# -- voices --------------------


@pytest.fixture
def spoken_by(tmp_path, monkeypatch):
    """A data folder with three takes of either digit by each of some speakers."""

    def put(*speakers):
        folder = tmp_path / "fsdd"
        folder.mkdir()
        for k, speaker in enumerate(speakers):
            for digit, take in ((d, t) for d in (1, 2) for t in range(3)):
                _write_word(folder / f"{digit}_{speaker}_{take}.wav", 300 * digit + 40 * k, take)
        words.cache_clear()

    monkeypatch.setenv("SYNSAMP_DATA", str(tmp_path))
    words.cache_clear()
    yield put
    words.cache_clear()


DOWNLOADED = ["input.speech=fsdd"]
FREE = AudiovisualInputSection(speech="fsdd", train_utterances=2, test_utterances=1)


def test_each_network_draws_its_voice_among_three(spoken_by):
    spoken_by("nicolas", *FSDD_SPEAKERS)
    drawn = [speaker_for(words(FREE), seed) for seed in range(60)]
    assert drawn == [speaker_for(words(FREE), seed) for seed in range(60)]
    assert {drawn.count(name) > 8 for name in FSDD_SPEAKERS} == {True}  # 20 ± 3.7 each
    assert set(drawn) == set(FSDD_SPEAKERS)  # and no one else
    named = FREE.model_copy(update={"speaker": "nicolas"})
    assert {speaker_for(words(named), seed) for seed in range(20)} == {"nicolas"}


def test_a_network_hears_one_voice_and_tables_fit_all(spoken_by):
    spoken_by(*FSDD_SPEAKERS)
    first, second = (load_pairs(FREE, seed) for seed in (0, 1))
    assert first.word_s == second.word_s
    for pairs in (first, second):
        assert pairs.speaker in FSDD_SPEAKERS
        alone = load_pairs(FREE.model_copy(update={"speaker": pairs.speaker}), 5)
        assert alone.speaker == pairs.speaker
        own = {s.rates_hz.tobytes() for s in (*alone.train_sounds, *alone.test_sounds)}
        heard = {s.rates_hz.tobytes() for s in (*pairs.train_sounds, *pairs.test_sounds)}
        assert heard == own  # all three takes of either digit by that speaker, no other
    assert example_of(first, FREE).attrs["speaker"] == first.speaker


def test_missing_recordings_raise_an_error_before_anything_is_made(
    spoken_by, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SynsampError, match="synsamp data fetch fsdd"):
        execute(EXPERIMENT, tmp_path / "run", preset="paper", settings=DOWNLOADED)
    with pytest.raises(SynsampError, match="synsamp data fetch fsdd"):
        execute_ensemble(EXPERIMENT, tmp_path / "run", 2, settings=DOWNLOADED, workers=None)
    asked = ["run", "fig5", "--set", *DOWNLOADED, "--out", "run"]
    assert run_command_line(asked, REGISTRY) == 2
    swept = ["sweep", "fig5", "--vary", "input.speech=embedded,fsdd", "--out", "run"]
    assert run_command_line(swept, REGISTRY) == 2
    assert capsys.readouterr().err.count("synsamp data fetch fsdd") == 2
    spoken_by("jackson", "george")  # one of the three is not there
    with pytest.raises(SynsampError, match=r"none of lucas.*synsamp data fetch fsdd"):
        execute(EXPERIMENT, tmp_path / "run", settings=DOWNLOADED)
    assert not (tmp_path / "run").exists()


def test_free_spoken_digits():
    if "SYNSAMP_DATA" not in os.environ:
        pytest.skip("SYNSAMP_DATA is not set: the Free Spoken Digits are not here")
    for speaker in FSDD_SPEAKERS:
        pairs = load_pairs(AudiovisualInputSection(speech="fsdd", speaker=speaker), 1)
        assert pairs.n_heard == 770
        assert np.bincount(pairs.train_classes).tolist() == [7, 7]
        assert np.bincount(pairs.test_classes).tolist() == [3, 3]


def test_the_embedded_voices_give_what_the_downloaded_takes_give(tmp_path):
    """Bit-identical presentations from the package and from files with the same samples."""
    for take in load_speech(EmbeddedVoices()):
        name = f"{take.digit}_{take.speaker}_{take.utterance}.wav"
        with wave.open(str(tmp_path / name), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(int(take.rate_hz))
            file.writeframes((take.waveform * 32768).astype("<i2").tobytes())
    inside = load_pairs(AudiovisualInputSection(speech="voices", speaker="lucas"), 3)
    files = AudiovisualInputSection(speech="folder", speech_folder=str(tmp_path), speaker="lucas")
    outside = load_pairs(files, 3)
    for name in ("train_sounds", "test_sounds"):
        pairs = zip(getattr(inside, name), getattr(outside, name), strict=True)
        assert all(np.array_equal(a.rates_hz, b.rates_hz) for a, b in pairs)
    assert inside.word_s[1] < 0.52 + 2 * 0.025 + 0.01  # as long as the paper's words


def test_each_seed_draws_one_of_the_embedded_speakers():
    known = words(AudiovisualInputSection(speech="voices"))
    assert {speaker_for(known, seed) for seed in range(20)} == set(FSDD_SPEAKERS)
    with_seed_5 = load_pairs(AudiovisualInputSection(speech="voices"), 5)
    assert with_seed_5.speaker == speaker_for(known, 5)


@pytest.mark.parametrize("reading", ["utterance", "channel", "training"])
def test_the_normalisation_decides_where_80_hz_are_reached(reading):
    section = AudiovisualInputSection(speech="voices", speaker="jackson", normalisation=reading)
    pairs = load_pairs(section, 1)
    channels = [s.rates_hz[:, ::10].max(axis=0) for s in pairs.train_sounds]  # of each word
    whole, everywhere = np.max(channels), np.min(channels)
    over_words = np.max(channels, axis=0)
    assert whole == pytest.approx(81.0)  # 80 Hz and 1 Hz of noise
    assert (everywhere == pytest.approx(81.0)) == (reading == "channel")
    assert np.allclose(over_words, 81.0) == (reading != "utterance")
    assert all(c.max() == pytest.approx(81.0) for c in channels) or reading == "training"
    assert max(s.rates_hz.max() for s in pairs.test_sounds) <= 81.0 + 1e-9
