"""Handwritten and spoken digits, cochlear models, and the encoding of both as input rates.

Names are imported on first use: the cochlear models need scipy.signal, which is slow to import.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synsamp.data.cochleagram import Cochleagram
    from synsamp.data.digits import (
        MNIST,
        Digits,
        DigitSets,
        DigitSplit,
        EmbeddedDigits,
        digits_from_array,
        digits_from_folder,
        load_digits,
        rbm_split,
        split_digit,
    )
    from synsamp.data.encoding import (
        RateSegments,
        draw_spikes,
        encode_cochleagram,
        encode_image,
        noise_gap,
        padded,
    )
    from synsamp.data.gammatone import gammatone_cochleagram
    from synsamp.data.lyon import lyon_cochleagram
    from synsamp.data.normalisation import normalise
    from synsamp.data.sound_files import Sound, read_sound, read_sphere, read_wav
    from synsamp.data.speech import (
        TI46,
        EmbeddedSpeech,
        EmbeddedVoices,
        FreeSpokenDigits,
        SpeechSplit,
        Utterance,
        WavFolder,
        load_speech,
        split_speech,
    )

__all__ = [
    "MNIST",
    "TI46",
    "Cochleagram",
    "DigitSets",
    "DigitSplit",
    "Digits",
    "EmbeddedDigits",
    "EmbeddedSpeech",
    "EmbeddedVoices",
    "FreeSpokenDigits",
    "RateSegments",
    "Sound",
    "SpeechSplit",
    "Utterance",
    "WavFolder",
    "digits_from_array",
    "digits_from_folder",
    "draw_spikes",
    "encode_cochleagram",
    "encode_image",
    "gammatone_cochleagram",
    "load_digits",
    "load_speech",
    "lyon_cochleagram",
    "noise_gap",
    "normalise",
    "padded",
    "rbm_split",
    "read_sound",
    "read_sphere",
    "read_wav",
    "split_digit",
    "split_speech",
]

_MODULES = (
    *("encoding", "digits", "sound_files", "speech", "cochleagram", "lyon", "gammatone"),
    "normalisation",
)


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module_name in _MODULES:
            module = import_module(f"synsamp.data.{module_name}")
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
