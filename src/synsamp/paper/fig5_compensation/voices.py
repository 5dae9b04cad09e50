"""The speaker whose words a network hears; drawn from the seed if several are possible.

The Free Spoken Digits, embedded or downloaded, have several speakers. Unless one is named, each
network draws one of three, so that intervals over networks include differences between voices.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from synsamp.data import (
    TI46,
    EmbeddedSpeech,
    EmbeddedVoices,
    FreeSpokenDigits,
    Utterance,
    WavFolder,
    load_speech,
)
from synsamp.data.speech import SpeechSource
from synsamp.errors import refuse
from synsamp.seeds import named_seed

FSDD_SPEAKERS = ("jackson", "george", "lucas")
"""Speakers to draw from; other recordings in the folder are not used."""
DRAWN = ("voices", "fsdd")
"""Sources with several speakers."""


@functools.lru_cache(maxsize=4)
def words_of(
    speech: str, folder: str, digits: tuple[int, ...], speaker: str
) -> tuple[Utterance, ...]:
    """All words that a network may hear: of the named speaker, or of all possible ones."""
    sources: dict[str, SpeechSource] = {
        "embedded": EmbeddedSpeech(),
        "voices": EmbeddedVoices(),
        "fsdd": FreeSpokenDigits(),
        "ti46": TI46(Path(folder)),
        "folder": WavFolder(Path(folder)),
    }
    wanted = [speaker] if speaker else list(FSDD_SPEAKERS) if speech in DRAWN else None
    found = load_speech(sources[speech], digits, wanted)
    speakers = sorted({word.speaker for word in found})
    if wanted is None and len(speakers) > 1:
        raise refuse("input.speaker", f"must be one of {', '.join(speakers)}", speaker)
    if wanted is not None and (missing := [name for name in wanted if name not in speakers]):
        remedy = "get them with `synsamp data fetch fsdd`, or name one by input.speaker"
        what = f"must hold words of {', '.join(wanted)}"
        raise refuse(f"speech={speech}", what, f"none of {missing[0]}", remedy)
    return found


def speaker_for(words: Sequence[Utterance], seed: int) -> str:
    """The speaker of a network: the only one, or one drawn from its seed."""
    speakers = sorted({word.speaker for word in words})
    return speakers[int(named_seed(seed, "speaker").generate_state(1)[0]) % len(speakers)]
