"""Scale cochleagrams to [0, 1]: three readings of "normalized between 0 and 80 Hz".

The paper (Methods to Fig. 5) does not say over what the largest value is taken. With a(t, c) the
activity of channel c in a frame t of one utterance:

    utterance    a(t, c) / max over t and c        of this utterance
    channel      a(t, c) / max over t              of this channel in this utterance
    training     a(t, c) / max over t and words    of this channel in all training words

``utterance`` keeps how loud the channels are relative to each other, ``channel`` lets every channel
reach the largest rate in every word, and ``training`` keeps how loud words are in each channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from synsamp.arguments import one_of
from synsamp.data.cochleagram import Cochleagram, FloatArray
from synsamp.errors import SynsampError

Normalisation = Literal["utterance", "channel", "training"]
READINGS: tuple[Normalisation, ...] = ("utterance", "channel", "training")


def normalise(
    words: Sequence[Cochleagram],
    reading: Normalisation = "utterance",
    training: Sequence[Cochleagram] = (),
) -> list[FloatArray]:
    """Scale the activity of some words to [0, 1].

    Parameters
    ----------
    words
        Cochleagrams to scale.
    reading
        Over what the largest value is taken: ``"utterance"``, ``"channel"`` or ``"training"``.
    training
        Cochleagrams of the training words, for ``"training"``. In a test word a channel may be
        louder than in any of these; such values are clipped to 1.

    Returns
    -------
    list of numpy.ndarray
        One array in [0, 1] for each word, shape (frames, channels). A silent channel stays 0.

    Examples
    --------
    >>> import numpy as np
    >>> word = Cochleagram(np.array([[1.0, 0.25], [0.5, 0.5]]), 0.004, np.array([2e3, 1e3]), 1.0)
    >>> normalise([word], "channel")[0].tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    one_of("reading", reading, READINGS)
    if reading == "utterance":
        return [word.values for word in words]
    if reading == "channel":
        return [_over(word.values, word.values.max(axis=0)) for word in words]
    if not training:
        raise SynsampError(
            "reading='training' needs the training words, got none; pass training=[...]"
        )
    largest = np.max([word.peak * word.values.max(axis=0) for word in training], axis=0)
    return [_over(word.peak * word.values, largest) for word in words]


def _over(activity: FloatArray, largest: FloatArray) -> FloatArray:
    scaled = np.divide(activity, largest, out=np.zeros_like(activity), where=largest > 0)
    return np.minimum(scaled, 1.0)
