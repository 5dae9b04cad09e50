"""Datasets derived from the records of Fig. 5: recall, assemblies, codes, the path of θ′.

Trained in each test on its other blocks, a linear decoder shows what the neurons encode
(``recall``). Trained in the last test before lesion 1 and then fixed, it shows what downstream
neurons that do not relearn could read out (``recall_fixed``, NaN before that test).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.analysis.codes import code_similarity
from synsamp.analysis.decoder import (
    accuracy_by_block,
    blocks_of,
    cross_validated_accuracy,
    fit_on_other_blocks,
    shuffled,
)
from synsamp.analysis.manifold import principal_components, separation, shift
from synsamp.analysis.peth import BIN_S, peak_order
from synsamp.analysis.tuning import correlations
from synsamp.experiments import Results
from synsamp.paper.fig5_compensation.parameters import (
    AFTER_S,
    BEFORE_S,
    HOUR_S,
    STEP_S,
    WINDOW_S,
    CompensationParameters,
    ScheduleSection,
)
from synsamp.paper.shared.digit_circuit import SpikingRule, prior_alone

MAIN, NO_LESION = "main", "no_lesion"
PLASTICITY_OFF, NOISE_OFF, LIKELIHOOD = "plasticity_off", "noise_off", "likelihood_alone"
BRANCHES = {
    MAIN: 0,
    NO_LESION: 0,
    **{f"{PLASTICITY_OFF}_{n}": n for n in (1, 2)},
    **{f"{NOISE_OFF}_{n}": n for n in (1, 2)},
    f"{LIKELIHOOD}_2": 2,
}
"""Branches, and how many lesions preceded them."""
COPIED = ("likeness", "likeness_shuffled", "connections", "allowed")
WORDS = ("as heard", "shuffled")
POPULATIONS = ("z_A", "z_V")
KINDS = ("x_A→z_A", "x_V→z_V", "z_A→z_A", "z_A→z_V", "z_V→z_A", "z_V→z_V")
SETTLING_S = 3600.0
"""The first part of learning (or its first half) is not part of an epoch."""
COMPONENTS = 3
LESIONS, NONE, NOISE = "lesions", "no lesion", "prior and noise alone"

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def analyse(p: CompensationParameters, results: Results) -> dict[str, xr.Dataset]:
    """Derive the datasets of one run."""
    return {
        "recall": collect_recall(p.schedule, results),
        "assemblies": collect_assemblies(p.schedule, results),
        "path": collect_path(p.schedule, p.rule, results),
        "codes": collect_codes(p.schedule, results),
        "shares": collect_shares(results),
    }


# -- recall over time --------------------


def record_of(branch: str, record: str) -> str:
    """Name of a record of a branch in the results."""
    return f"network/{record}" if branch == MAIN else f"network/{branch}/{record}"


def lesions_before(time_s: Any, lesions_s: tuple[float, ...]) -> NDArray[np.int64]:
    """Lesions before each test; the test just after a lesion has the next larger number as time."""
    return np.sum([np.asarray(time_s) > lesion_s for lesion_s in lesions_s], axis=0)


def collect_recall(schedule: ScheduleSection, results: Results) -> xr.Dataset:
    """Decode all tests, branch after branch."""
    branches = [branch for branch in BRANCHES if record_of(branch, "test") in results]
    parts, decoders = [], []
    for branch in branches:
        data = results[record_of(branch, "test")].load()
        time = data.time.values
        lesions = np.full(time.size, BRANCHES[branch])
        blocks = _blocks(data.counts, data.word)
        recall = np.stack([cross_validated_accuracy(each) for each in blocks])
        by_fixed = np.full(recall.shape, np.nan)
        first = 0
        if branch == MAIN:
            lesions = lesions_before(time, schedule.lesions_s)
            first = int(np.flatnonzero(lesions == 0)[-1])
            decoders = fit_on_other_blocks(blocks[first])
        by_fixed[first:] = [accuracy_by_block(decoders, each) for each in blocks[first:]]
        both = ("test", "block")
        variables = {
            "recall": (both, recall, {"description": "from z_V, sound alone"}),
            "recall_fixed": (both, by_fixed, {"description": "decoders trained before lesion 1"}),
            "heard": ("test", _heard(data, data.word), {"description": "from z_A, sound alone"}),
            "heard_shuffled": ("test", _heard(data, data.shuffled_word)),
            **{name: data[name].drop_vars("time").rename(time="test") for name in COPIED},
        }
        coords = {"time": time, "branch": np.full(time.size, branch), "lesions": lesions}
        parts.append(xr.Dataset(variables, {k: ("test", v) for k, v in coords.items()}))
    whole = xr.concat(parts, "test")
    whole.time.attrs["units"] = "s"
    return whole


def _blocks(counts: xr.DataArray, words: xr.DataArray) -> list[list[tuple[Any, Any]]]:
    rows = zip(counts.values, words.values, strict=True)
    return [for_decoder(*blocks_of(*row)) for row in rows]


def for_decoder(counts: Sequence[Any], words: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Blocks as pairs: one row of features for each presentation, and its word."""
    rows = (np.asarray(c, float).reshape(len(c), -1) for c in counts)
    return list(zip(rows, map(np.asarray, words), strict=True))


def _heard(data: xr.Dataset, words: xr.DataArray) -> list[float]:
    """Accuracy of decoding the word from spike counts of z_A, in each test."""
    blocks = _blocks(data.heard_counts, words)
    return [float(cross_validated_accuracy(each).mean()) for each in blocks]


# -- assemblies (Fig. 5B) --------------------


def collect_assemblies(schedule: ScheduleSection, results: Results) -> xr.Dataset:
    """Similarity of histograms before learning and in the last test before lesion 1.

    A histogram is the mean count of each neuron in each window of a word. Those of two independent
    halves of a test are compared: for the same digit, and for different digits. All words share
    overall rates and the time course of the population, so only the difference between the two
    shows assemblies. With shuffled words it is 0 except for noise.
    """
    test = results[record_of(MAIN, "test")]
    rng = np.random.default_rng(int(results["example"].attrs["surrogates"]))
    before_lesion = np.flatnonzero(lesions_before(test.time.values, schedule.lesions_s) == 0)
    rows = [0, int(before_lesion[-1])]
    found = []
    for row in rows:
        counts, words = blocks_of(test.counts.values[row], test.word.values[row])
        found.append([likeness(counts, each) for each in (words, shuffled(words, rng))])
    return xr.Dataset(
        {
            "likeness": (
                ("learned", "words", "digits"),
                np.array(found),
                {"description": "of histograms of independent halves"},
            )
        },
        coords={
            "learned": [False, True],
            "words": list(WORDS),
            "digits": ["same", "different"],
            "test_time": ("learned", test.time.values[rows], {"units": "s"}),
        },
    )


def likeness(counts: Sequence[Any], words: Sequence[Any]) -> tuple[float, float]:
    """Mean correlation between halves of the blocks, of one digit and of different digits."""
    middle = len(counts) // 2
    halves = []
    for part in (slice(0, middle), slice(middle, None)):
        x, heard = np.concatenate(counts[part]), np.concatenate(words[part])
        halves.append(np.stack([x[heard == digit].mean(axis=0).ravel() for digit in (0, 1)]))
    across = correlations(halves[0], halves[1])
    return float(np.diagonal(across).mean()), float(np.diagonal(across[:, ::-1]).mean())


# -- codes without lesions (Fig. S1B), and functional synapses (S1A) --------------------


def collect_codes(schedule: ScheduleSection, results: Results) -> xr.Dataset:
    """Representational drift: histograms after learning and, without lesions, every hour."""
    main = results[record_of(MAIN, "test")]
    learned = np.flatnonzero(lesions_before(main.time.values, schedule.lesions_s) == 0)[-1]
    parts, times = [main.code[learned].values], [schedule.lesions_s[0]]
    if record_of(NO_LESION, "test") in results:
        control = results[record_of(NO_LESION, "test")]
        since = control.time.values - schedule.lesions_s[0]
        hourly = np.flatnonzero(since % HOUR_S == 0)
        parts += list(control.code.values[hourly])
        times += list(control.time.values[hourly])
    histogram = np.stack(parts).astype(float)
    halves = _halves(histogram.shape[3] // 2)
    used = np.isfinite(histogram[0, 0, 0, 0])
    likeness = np.stack([_similarity(histogram[..., here, :][..., used]) for here in halves])
    order = np.stack(
        [[peak_order(c[here][:, used]) for c in histogram[0].mean(axis=0)] for here in halves]
    )
    more = {}
    if (frozen := record_of(f"{PLASTICITY_OFF}_1", "test")) in results:
        ends = results[frozen].code.values[[0, -1]].astype(float)
        alike = [_similarity(ends[..., here, :][..., used]) for here in halves]
        more["frozen"] = (
            ("population", "when"),
            np.array([[np.diagonal(each).mean(), each[0, 1]] for each in alike]),
            {"description": "similarity with plasticity off: at one time, first to last test"},
        )
    return xr.Dataset(
        {
            "histogram": (("code", "half", "class", "neuron", "bin"), np.float32(histogram)),
            "likeness": (("population", "code", "later_code"), likeness),
            "order": (("population", "class", "rank"), order),
            **more,
        },
        coords={
            "code_time": ("code", times, {"units": "s"}),
            "no_lesion": ("code", np.arange(len(times)) > 0),
            "population": list(POPULATIONS),
            "bin": np.arange(histogram.shape[-1]) * BIN_S,
        },
    )


def _similarity(part: NDArray[np.float64]) -> NDArray[np.float64]:
    """Similarity between independent halves, also at one time, so that noise counts equally."""
    n = len(part)
    across = code_similarity(np.concatenate([part[:, 0], part[:, 1]]))[:n, n:]
    return 0.5 * (across + across.T)


def _halves(n_each: int) -> tuple[slice, slice]:
    return slice(0, n_each), slice(n_each, 2 * n_each)


def collect_shares(results: Results) -> xr.Dataset:
    """Share of functional synapses [mark, kind] among those of surviving neurons."""
    marks = results[record_of(MAIN, "marks")]
    shares = []
    for number, alive in enumerate(marks.alive.values.astype(bool)):
        lateral, n = marks.lateral.values[number], len(alive)
        seen = marks.image_weight.values[number][alive[n // 2 :]]
        found = [float(marks.heard_share[number]), float((seen > 0).mean())]
        for source in _halves(n // 2):
            for target in _halves(n // 2):
                possible = np.zeros((n, n), bool)
                possible[target, source] = True
                possible &= np.outer(alive, alive) & ~np.eye(n, dtype=bool)
                found.append(float(lateral[possible].mean()))
        shares.append(found)
    return xr.Dataset(
        {"functional_share": (("mark", "kind"), np.array(shares))},
        coords={"mark": marks.mark.values, "kind": list(KINDS)},
    )


# -- the path of lateral parameters (Fig. 5C) --------------------


def collect_path(schedule: ScheduleSection, rule: SpikingRule, results: Results) -> xr.Dataset:
    """How far the parameters of all neurons move, and the path of one neuron (Fig. 5C).

    θ′ of a neuron consists of its parameters from and to other hidden neurons, without those that
    lesion 2 removed and that may not regrow. θ decorrelates over σ²/b = 2.8 h, so even a path that
    only drifts separates from itself, and what lesion 2 leaves are parameters that were low at that
    moment and rise afterwards. Two paths without lesions serve for comparison, over the same epochs
    and with parameters chosen in the same way: the control without lesions, and prior and noise
    alone (an Ornstein–Uhlenbeck process).
    """
    path = on_grid(results[record_of(MAIN, "theta")])
    alive = results[record_of(MAIN, "test")].alive.values[-1].astype(bool)
    paths = {LESIONS: path}
    until = len(path) - 1
    control_ends_s = schedule.lesions_s[0] + schedule.no_lesion_s
    if control_ends_s > schedule.lesions_s[-1]:
        fork, first = round(schedule.lesions_s[0] / STEP_S), _epochs(schedule, until)[1][0]
        control = on_grid(results[record_of(NO_LESION, "theta")])
        paths[NONE] = np.concatenate([path[:fork], control])[: len(path)]
        until = len(paths[NONE]) - 1
        rng = np.random.default_rng(int(results["example"].attrs["surrogates"]))
        drift = prior_path(path[first], until - first + 1, rule, rng)
        paths[NOISE] = np.concatenate([path[:first], drift])
    ratios = np.stack([_separations(each, alive, schedule, until) for each in paths.values()])
    chosen = _left(path, alive, schedule)
    counts = chosen.sum(axis=0) + chosen.sum(axis=1)
    tracked = _tracked(alive, counts)
    own = _own(path, chosen, tracked)
    scores = np.full((len(path), COMPONENTS), np.nan)
    explained = np.full(COMPONENTS, np.nan)
    found, share = principal_components(own, COMPONENTS)
    scores[:, : found.shape[1]], explained[: share.size] = found, share
    moved = [[_shift(each, alive, schedule, k) for each in paths.values()] for k in range(2)]
    return xr.Dataset(
        {
            "score": (("step", "component"), scores),
            "explained": ("component", explained),
            "neuron": ((), tracked),
            "parameters": ("hidden", counts),
            "survives": ("hidden", alive),
            "separation": (("path", "hidden"), ratios),
            "moved": (("lesion", "path"), np.array(moved)),
        },
        coords={
            "path": list(paths),
            "path_time": ("step", np.arange(len(path)) * STEP_S, {"units": "s"}),
        },
    )


def on_grid(theta: xr.Dataset) -> NDArray[np.float32]:
    """θ[step, post, pre], one row for each time: after the lesion, where there are two."""
    time = theta.time.values
    last = np.append(np.diff(time) > 1e-6, True)
    return np.asarray(theta.theta.values[last])


def prior_path(
    start: NDArray[np.float32], steps: int, rule: SpikingRule, rng: np.random.Generator
) -> NDArray[np.float32]:
    """A path from ``start`` under prior and noise alone, on the same grid."""
    keep, spread = prior_alone(rule, STEP_S)
    path = np.empty((steps, *start.shape), np.float32)
    path[0] = start
    for row in range(1, steps):
        noise = spread * rng.standard_normal(start.shape)
        path[row] = rule.prior.mean + keep * (path[row - 1] - rule.prior.mean) + noise
    return path


def _tracked(alive: Mask, counts: NDArray[np.int64]) -> int:
    """The surviving visual neuron with the median number of parameters."""
    n = len(alive)
    left: list[int] = np.flatnonzero(alive).tolist()
    among = [k for k in left if k >= n // 2 and counts[k]] or left
    return sorted(among, key=lambda k: (counts[k], k))[len(among) // 2]


def _left(path: NDArray[np.float32], alive: Mask, schedule: ScheduleSection) -> Mask:
    """Parameters [post, pre] of surviving neurons that lesion 2 leaves, or would leave."""
    survives = np.outer(alive, alive) & ~np.eye(len(alive), dtype=bool)
    if len(schedule.lesions_s) == 1:
        return survives & np.isfinite(path[-1])
    return survives & (path[round(schedule.lesions_s[1] / STEP_S)] <= 0)


def _own(path: NDArray[np.float32], chosen: Mask, neuron: int) -> Floats:
    """θ′ over time, [time, parameter]: to the neuron, then from it."""
    incoming = path[:, neuron, chosen[neuron]]
    outgoing = path[:, chosen[:, neuron], neuron]
    return np.concatenate([incoming, outgoing], axis=1).astype(float)


def _separations(
    path: NDArray[np.float32], alive: Mask, schedule: ScheduleSection, until: int
) -> Floats:
    """Distance between epochs over distance within, of the θ′ of each surviving neuron."""
    chosen, ratio = _left(path, alive, schedule), np.full(len(alive), np.nan)
    epochs, rows = _epochs(schedule, until)
    for neuron in np.flatnonzero(alive & chosen.any(axis=0) & chosen.any(axis=1)).tolist():
        ratio[neuron] = separation(_own(path, chosen, neuron)[rows], epochs)
    return ratio


def _epochs(schedule: ScheduleSection, until: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number of the epoch of each used row of a path up to row ``until``, and those rows."""
    epochs, rows = [], []
    edges = (0.0, *schedule.lesions_s, schedule.end_s)
    for number, (start_s, stop_s) in enumerate(pairwise(edges)):
        skipped = min(SETTLING_S, (stop_s - start_s) / 2) if number == 0 else 0.0
        first, last = round((start_s + skipped) / STEP_S) + 1, round(stop_s / STEP_S)
        rows.append(np.arange(first, min(last, until) + 1))
        epochs.append(np.full(rows[-1].size, number))
    return np.concatenate(epochs), np.concatenate(rows)


def _shift(path: NDArray[np.float32], alive: Mask, schedule: ScheduleSection, lesion: int) -> float:
    """How far θ moves across a lesion, root mean square; NaN if the path is too short.

    Of all surviving neurons: every lateral parameter (lesion 1), or what lesion 2 leaves.
    """
    if lesion >= len(schedule.lesions_s):
        return float("nan")
    at = round(schedule.lesions_s[lesion] / STEP_S)
    before = slice(at - round(BEFORE_S / STEP_S), at)
    after = slice(at + round(AFTER_S / STEP_S), at + round((AFTER_S + WINDOW_S) / STEP_S))
    if before.start < 0 or after.stop > len(path):
        return float("nan")
    survives = np.outer(alive, alive) & ~np.eye(len(alive), dtype=bool)
    chosen = _left(path, alive, schedule) if lesion == 1 else survives & np.isfinite(path[at])
    # a later lesion may have removed some of them within the window
    chosen &= np.isfinite(path[after.stop - 1])
    points = path[: after.stop, chosen].astype(float)
    return shift(points, before, after) if chosen.any() else float("nan")
