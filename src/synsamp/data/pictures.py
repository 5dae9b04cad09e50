"""Plot examples: digits as images, speech as waveform, cochleagram and spikes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from synsamp.data.cochleagram import Cochleagram
from synsamp.data.digits import Digits
from synsamp.data.encoding import draw_spikes, encode_cochleagram, encode_image, padded
from synsamp.data.lyon import lyon_cochleagram
from synsamp.data.speech import Utterance

EXAMPLES_PER_DIGIT = 12
DISPLAY_SEED = 0
INK = "#1f3b63"
PAPER_PADDING_S = 0.025
PAPER_GAP_S = 0.05


def draw_digits(digits: Digits, title: str) -> Figure:
    """Draw a row of examples for each digit, and the input spikes of the first one."""
    rng = np.random.default_rng(DISPLAY_SEED)
    counts = digits.counts
    figure = Figure(figsize=(10, 0.85 * len(counts) + 3.2), layout="constrained")
    figure.suptitle(title)
    grid = figure.add_gridspec(2, 1, height_ratios=[0.85 * len(counts), 2.4])
    axes = figure.add_subfigure(grid[0]).subplots(len(counts), EXAMPLES_PER_DIGIT, squeeze=False)
    for row, (digit, count) in zip(axes, counts.items(), strict=True):
        images = digits.by_digit(digit)
        shown = rng.permutation(count)[:EXAMPLES_PER_DIGIT]
        for cell in row:
            cell.set(xticks=[], yticks=[])
            cell.axis("off")
        for cell, position in zip(row, shown, strict=False):
            cell.imshow(images[position], cmap="gray", vmin=0, vmax=1)
        row[0].set_title(f"{digit}: {count:,} images", loc="left", fontsize=9)
    first = next(iter(counts))
    presentation = padded(encode_image(digits.by_digit(first)[0]), 0.0, PAPER_GAP_S)
    raster = figure.add_subfigure(grid[1]).subplots(1, 1)
    _draw_raster(raster, *draw_spikes(presentation, rng), size=3)
    _mark_noise(raster, presentation.duration_s - PAPER_GAP_S, presentation.duration_s)
    raster.set(
        ylabel="input neuron (pixel)",
        xlim=(0, presentation.duration_s),
        ylim=(presentation.n_inputs, 0),
    )
    raster.set_title(
        f"input spikes for a {first}: 0–50 Hz + 1 Hz for 200 ms, then noise alone (grey)",
        fontsize=9,
        loc="left",
    )
    return figure


def draw_speech(utterances: Sequence[Utterance], title: str) -> Figure:
    """Draw the first utterance of up to two digits as waveform, cochleagram and spikes."""
    rng = np.random.default_rng(DISPLAY_SEED)
    spoken = sorted({utterance.digit for utterance in utterances})[:2]
    figure = Figure(figsize=(5.2 * len(spoken), 7.5), layout="constrained")
    figure.suptitle(title)
    axes = figure.subplots(3, len(spoken), squeeze=False, height_ratios=[1, 2, 2])
    for column, digit in zip(axes.T, spoken, strict=True):
        utterance = next(take for take in utterances if take.digit == digit)
        _draw_utterance(column, utterance, rng)
    return figure


def _draw_utterance(column: Sequence[Axes], utterance: Utterance, rng: np.random.Generator) -> None:
    sound, ear, raster = column
    seconds = np.arange(len(utterance.waveform)) / utterance.rate_hz
    sound.plot(seconds, utterance.waveform, color=INK, linewidth=0.5)
    sound.set(
        title=f'"{utterance.digit}", {utterance.speaker}, take {utterance.utterance}',
        ylabel="waveform",
        ylim=np.array([-1.05, 1.05]) * np.abs(utterance.waveform).max(),
    )
    cochleagram = lyon_cochleagram(utterance.waveform, utterance.rate_hz)
    end_s = cochleagram.duration_s
    _draw_cochleagram(ear, cochleagram)
    presentation = padded(
        encode_cochleagram(cochleagram.values, cochleagram.frame_s),
        PAPER_PADDING_S,
        PAPER_PADDING_S,
    )
    times_s, inputs = draw_spikes(presentation, rng)
    _draw_raster(raster, times_s - PAPER_PADDING_S, inputs, size=1.5)
    _mark_noise(raster, -PAPER_PADDING_S, 0)
    _mark_noise(raster, end_s, end_s + PAPER_PADDING_S)
    raster.set(ylabel="afferent (ten per channel)", ylim=(presentation.n_inputs, 0))
    for axes in column:
        axes.set_xlim(-PAPER_PADDING_S, end_s + PAPER_PADDING_S)
    for axes in (sound, ear):
        axes.tick_params(labelbottom=False)


def _draw_cochleagram(axes: Axes, cochleagram: Cochleagram) -> None:
    n_channels = cochleagram.values.shape[1]
    axes.imshow(
        cochleagram.values.T,
        aspect="auto",
        cmap="magma",
        interpolation="nearest",
        extent=(0, cochleagram.duration_s, n_channels, 0),
    )
    ticks_hz = [4000, 2000, 1000, 500, 200]
    # Channels run from high to low frequency, so both arrays are reversed for interpolation.
    places = np.interp(ticks_hz, cochleagram.centre_hz[::-1], np.arange(n_channels)[::-1] + 0.5)
    axes.set_yticks(places, labels=[f"{hertz:,}" for hertz in ticks_hz])
    axes.set(ylabel=f"{n_channels} channels (centre, Hz)", facecolor="black")


def _draw_raster(axes: Axes, times_s: np.ndarray, inputs: np.ndarray, size: float) -> None:
    axes.scatter(times_s, inputs, s=size, color=INK, linewidths=0)
    axes.set(xlabel="time (s)")


def _mark_noise(axes: Axes, start_s: float, end_s: float) -> None:
    axes.axvspan(start_s, end_s, color="0.9", zorder=0)
