"""
How does a spoken digit become firing rates?
============================================

A model of the cochlea splits sound into 77 channels. Their activity over time sets the rates of the
input neurons.
"""

import matplotlib.pyplot as plt

from synsamp.data import EmbeddedVoices, load_speech, lyon_cochleagram

spoken = load_speech(EmbeddedVoices(), speakers=["jackson"])
figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True)
for axis, digit in zip(axes, (1, 2), strict=True):
    word = next(each for each in spoken if each.digit == digit)
    sound = lyon_cochleagram(word.waveform, word.rate_hz)
    picture = axis.imshow(
        80 * sound.values.T, aspect="auto", cmap="magma", extent=(0, sound.duration_s, 77, 0)
    )
    axis.set(xlabel="time (s)", title=f"“{('one', 'two')[digit - 1]}”")
axes[0].set_ylabel("channel, high to low frequency")
figure.colorbar(picture, ax=axes, label="rate (Hz)")
