"""Make the embedded synthetic speech: ten takes each of "one" and "two" by one voice.

    pip install espeakng-loader==0.2.4      # brings espeak-ng 1.52.0, library and data
    python -m tools.make_embedded_speech

espeak-ng is a formant synthesiser; two takes of a word would be all but equal. Every take here
therefore gets its own speaking rate, pitch and pitch range, its own small change of the formants
(a voice file written for it), a slow drift of tempo within the word, and a level. All of it is
drawn from one seeded generator, and takes outside 320-520 ms are drawn again.
"""

from __future__ import annotations

import ctypes
import tempfile
from pathlib import Path

import espeakng_loader
import numpy as np
from numpy.typing import NDArray
from scipy import signal
from scipy.interpolate import CubicSpline

from synsamp.data.cochleagram import EAR_RATE_HZ
from synsamp.data.speech import EMBEDDED_SPEECH_FILE

TARGET = Path(__file__).parent.parent / "src/synsamp/data/embedded" / EMBEDDED_SPEECH_FILE
SEED = 2015
TAKES = 10
SHORTEST_S, LONGEST_S = 0.32, 0.52

VOICE = "en-us"
SPEAKER = "espeak-ng en-us (synthetic)"
# Speaking rates (words per minute) around which the word lasts about 420 ms.
WORDS = {1: ("one", 160), 2: ("two", 130)}

# Names from espeak-ng's speak_lib.h.
AUDIO_OUTPUT_SYNCHRONOUS = 2
RATE, PITCH, RANGE = 1, 3, 4
CHARS_UTF8 = 1
CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)


class Synthesiser:
    """espeak-ng with a private data folder, to which voice files can be added."""

    def __init__(self, folder: Path) -> None:
        original = Path(espeakng_loader.get_data_path())
        data = folder / "espeak-ng-data"
        (data / "voices").mkdir(parents=True)
        for item in original.iterdir():
            if item.name != "voices":
                (data / item.name).symlink_to(item)
        self.variants = data / "voices" / "!v"
        self.variants.mkdir()
        self.library = ctypes.CDLL(espeakng_loader.get_library_path())
        self.rate_hz = self.library.espeak_Initialize(
            AUDIO_OUTPUT_SYNCHRONOUS, 0, str(data).encode(), 0
        )
        self.pieces: list[NDArray[np.int16]] = []
        self.callback = CALLBACK(self._receive)
        self.library.espeak_SetSynthCallback(self.callback)

    def say(
        self, word: str, variant: str, rate_wpm: int, pitch: int, pitch_range: int, seed: int
    ) -> NDArray[np.float64]:
        """Render one word with the lines of ``variant`` as its voice file."""
        (self.variants / "take").write_text(f"language variant\nname take\n{variant}")
        self.pieces.clear()
        # Another voice in between makes the library read the voice file again.
        for name in (b"de", f"{VOICE}+take".encode()):
            if self.library.espeak_SetVoiceByName(name) != 0:
                raise SystemExit(f"espeak-ng does not know the voice {name!r}")
        # The engine's own flutter and breath noise come from this generator.
        self.library.espeak_ng_SetRandSeed(ctypes.c_long(seed))
        for parameter, value in ((RATE, rate_wpm), (PITCH, pitch), (RANGE, pitch_range)):
            self.library.espeak_SetParameter(parameter, value, 0)
        text = word.encode()
        self.library.espeak_Synth(text, len(text) + 1, 0, 0, 0, CHARS_UTF8, None, None)
        self.library.espeak_Synchronize()
        return np.concatenate(self.pieces) / 32768.0

    def _receive(self, samples: ctypes._Pointer, count: int, _events: int) -> int:
        if samples and count > 0:
            self.pieces.append(np.ctypeslib.as_array(samples, shape=(count,)).copy())
        return 0


def voice_variant(rng: np.random.Generator) -> str:
    """A voice file near one voice: formants a few per cent to and fro, some breath."""
    tract = rng.normal(1.0, 0.015)
    lines = [f"flutter {rng.integers(2, 8)}", f"roughness {rng.integers(0, 3)}"]
    for formant in range(6):
        frequency = 97 * tract * rng.normal(1.0, 0.025 if formant else 0.01)
        strength, width = rng.normal(100, 12), rng.normal(105, 10)
        lines.append(f"formant {formant} {frequency:.0f} {strength:.0f} {width:.0f}")
    lines.append("breath " + " ".join(str(amount) for amount in rng.integers(0, 4, size=8)))
    return "\n".join(lines) + "\n"


def drift_of_tempo(sound: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Let the local speed wander smoothly by a few per cent (which moves the pitch along)."""
    knots = np.linspace(0, len(sound) - 1, 6)
    speed = CubicSpline(knots, 1 + 0.04 * rng.standard_normal(knots.size))(np.arange(len(sound)))
    position = np.cumsum(np.clip(speed, 0.85, 1.15))
    position -= position[0]
    return np.interp(position[position < len(sound) - 1], np.arange(len(sound)), sound)


def trimmed(sound: NDArray[np.float64], rate_hz: float) -> NDArray[np.float64]:
    """Cut silence: keep from 10 ms before to 10 ms after what is above 1.5 % of the loudest."""
    window = np.ones(int(0.01 * rate_hz))
    level = np.sqrt(signal.convolve(sound**2, window / window.size, mode="same"))
    loud = np.flatnonzero(level > 0.015 * level.max())
    margin = int(0.01 * rate_hz)
    kept = sound[max(loud[0] - margin, 0) : loud[-1] + margin]
    ramp = np.minimum(1.0, np.arange(len(kept)) / (0.005 * rate_hz))
    return kept * ramp * ramp[::-1]


def one_take(
    engine: Synthesiser, digit: int, rng: np.random.Generator
) -> tuple[NDArray[np.int16], str]:
    """Draw parameters until the word has a fitting length; returns samples and what was drawn."""
    word, usual_wpm = WORDS[digit]
    while True:
        rate_wpm = int(usual_wpm * rng.uniform(0.85, 1.18))
        pitch, pitch_range = int(rng.normal(42, 6)), int(rng.normal(55, 12))
        level = 10 ** (rng.uniform(-6, 0) / 20)
        seed = int(rng.integers(1, 2**31))
        sound = engine.say(word, voice_variant(rng), rate_wpm, pitch, pitch_range, seed)
        sound = drift_of_tempo(sound, rng)
        sound = signal.resample_poly(sound, EAR_RATE_HZ, engine.rate_hz)
        sound = trimmed(sound, EAR_RATE_HZ)
        length_s = len(sound) / EAR_RATE_HZ
        if SHORTEST_S <= length_s <= LONGEST_S:
            scaled = 0.9 * level * sound / np.abs(sound).max()
            drawn = f"{word}: {1000 * length_s:.0f} ms, {rate_wpm} wpm, pitch {pitch}"
            return np.round(32767 * scaled).astype(np.int16), drawn


def main() -> None:
    """Render all takes and write one file."""
    rng = np.random.default_rng(SEED)
    waveforms, digits, takes = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        engine = Synthesiser(Path(folder))
        for digit in WORDS:
            for take in range(TAKES):
                samples, drawn = one_take(engine, digit, rng)
                print(f"take {take} of {drawn}")
                waveforms.append(samples)
                digits.append(digit)
                takes.append(take)
    np.savez_compressed(
        TARGET,
        samples=np.concatenate(waveforms),
        ends=np.cumsum([len(samples) for samples in waveforms]),
        digits=np.array(digits),
        takes=np.array(takes),
        speaker=np.array(SPEAKER),
        rate_hz=np.array(EAR_RATE_HZ),
    )
    print(f"{TARGET.name}: {TARGET.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
