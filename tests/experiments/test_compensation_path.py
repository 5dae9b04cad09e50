"""Fig. 5 on records made by hand: paths with and without lesions, assemblies, codes, shares."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from synsamp.analysis.decoder import padded_blocks, shuffled
from synsamp.experiments import GaussianSection
from synsamp.paper.fig5_compensation.analysis import (
    LESIONS,
    NOISE,
    NONE,
    collect_assemblies,
    collect_codes,
    collect_path,
    collect_shares,
    likeness,
    on_grid,
    prior_path,
)
from synsamp.paper.fig5_compensation.parameters import STEP_S, ScheduleSection
from synsamp.paper.shared.digit_circuit import SpikingRule

N = 8
"""Hidden neurons of the generated networks, four of either kind."""
RULE = SpikingRule()

SHORT = ScheduleSection(
    learning_s=3600.0,
    after_lesion_1_s=3600.0,
    after_lesion_2_s=3600.0,
    no_lesion_s=7200.0,
    frozen_1_s=0.0,
    frozen_2_s=0.0,
    noise_off_1_s=0.0,
    noise_off_2_s=0.0,
    likelihood_2_s=0.0,
)


def path_records(jumps, n=N, seed=5, drifts=False):
    """A path moved by ``jumps[k]`` after lesion k + 1, and a control that nothing moves.

    Without ``drifts`` θ scatters about −2. With it both paths are prior and noise alone, and the
    control continues from the state at lesion 1 with other noise. Lesion 1 removes the last
    neuron, lesion 2 what is above 0 and two parameters more.
    """
    rng = np.random.default_rng(seed)
    at_1, at_2, end = 36, 72, 108
    if drifts:
        start = rng.normal(0.5, 1.0, (n, n)).astype(np.float32)
        path = prior_path(start, end + 1, RULE, rng)
        control = prior_path(path[at_1], end - at_1 + 1, RULE, rng)
    else:
        path = rng.normal(-2.0, 0.1, (end + 1, n, n))
        control = rng.normal(-2.0, 0.1, (end - at_1 + 1, n, n))
    path[:, range(n), range(n)] = np.nan
    for at, jump in zip((at_1, at_2), jumps, strict=True):
        path[at + 1 :] += jump
    after_1 = path.copy()
    after_1[:, n - 1], after_1[:, :, n - 1] = np.nan, np.nan
    after_2 = np.where(after_1[at_2] > 0, np.nan, after_1)
    after_2[:, 0, 1:3] = np.nan
    # the moment of a lesion has two rows, before and after it
    theta = np.concatenate([path[: at_1 + 1], after_1[at_1 : at_2 + 1], after_2[at_2:]])
    time = np.concatenate([np.arange(a, b + 1) for a, b in ((0, at_1), (at_1, at_2), (at_2, end))])
    alive = np.ones((2, n), bool)
    alive[1, n - 1] = False
    dims = ("time", "post", "pre")
    later = np.arange(at_1, end + 1) * STEP_S
    return {
        "example": xr.Dataset(attrs={"surrogates": seed}),
        "network/theta": xr.Dataset({"theta": (dims, theta)}, coords={"time": time * STEP_S}),
        "network/no_lesion/theta": xr.Dataset({"theta": (dims, control)}, coords={"time": later}),
        "network/test": xr.Dataset({"alive": (("time", "neuron"), alive)}),
    }


def test_the_path_is_read_after_the_lesion():
    made = path_records((1.0, 1.0))
    grid = on_grid(made["network/theta"])
    assert len(grid) == 109
    assert np.isnan(grid[36, 7]).all()
    assert np.isfinite(grid[35, 7, :7]).all()


def test_regions_are_distinguished_from_one_region():
    apart = collect_path(SHORT, RULE, path_records((0.5, 0.5)))
    separation, moved = apart.separation.sel(path=LESIONS), apart.moved.sel(path=LESIONS)
    assert np.nanmean(separation) > 2
    assert np.isnan(separation[7])  # it was removed
    assert apart.survives.values.tolist() == [True] * 7 + [False]
    assert apart.parameters.values.tolist() == [10, 11, 11, 12, 12, 12, 12, 0]
    assert int(apart.neuron) in (4, 5, 6)
    assert np.allclose(moved, 0.5, atol=0.05)
    assert np.nanmean(apart.separation.sel(path=NONE)) == pytest.approx(1.0, abs=0.02)
    assert (apart.moved.sel(path=NONE) < 0.05).all()


def test_noise_alone_follows_the_distribution_of_its_process():
    """Mean squared distance over t: 2 T σ² (1 − exp(−b t/σ²)), and it stays about μ."""
    rng = np.random.default_rng(1)
    rule = SpikingRule(temperature=2.0, prior=GaussianSection(mean=-0.5, std=1.5))
    n, steps = 20_000, 40
    start = rng.normal(-0.5, 1.5 * np.sqrt(2.0), n).astype(np.float32)
    path = prior_path(start, steps, rule, rng).astype(float)
    expected = 2 * 2.0 * 1.5**2 * -np.expm1(-1e-4 * STEP_S * (steps - 1) / 1.5**2)
    assert np.mean((path[-1] - path[0]) ** 2) / expected == pytest.approx(1, abs=4 * np.sqrt(2 / n))
    assert path[-1].mean() == pytest.approx(-0.5, abs=4 * 1.5 * np.sqrt(2.0 / n))
    still = prior_path(
        start, steps, SpikingRule(temperature=0.0, prior=GaussianSection(mean=-0.5, std=1.5)), rng
    )
    assert (np.abs(still[-1] + 0.5) <= np.abs(start + 0.5)).all()


def relative(records):
    """How much further apart than in the control, with lesions and for noise alone."""
    found = collect_path(SHORT, RULE, records)
    apart = np.nanmean(found.separation, axis=1)
    moved = found.moved.values
    return apart[0] / apart[1], moved[:, 0] / moved[:, 1], apart[2] / apart[1]


def test_a_path_that_only_drifts_has_no_separate_regions():
    """It lies apart from itself by more than the old band of 1.1, but no more than the control."""
    drifting_ones = [path_records((0, 0), 30, seed, drifts=True) for seed in range(6)]
    alone = [np.nanmean(collect_path(SHORT, RULE, r).separation[0]) for r in drifting_ones]
    assert min(alone) > 1.3
    ratios, moved, noise = (
        np.array(each) for each in zip(*map(relative, drifting_ones), strict=True)
    )
    assert np.abs(ratios - 1).max() < 0.08
    assert np.abs(moved - 1).max() < 0.1
    assert np.abs(noise - 1).max() < 0.08
    struck = [relative(path_records((1.0, -1.0), 30, seed, drifts=True)) for seed in range(3)]
    assert min(ratio for ratio, _, _ in struck) > 1.2
    assert min(moved.min() for _, moved, _ in struck) > 1.2


def test_a_control_that_ends_before_the_last_lesion_is_no_comparison():
    short = SHORT.model_copy(update={"no_lesion_s": 3600.0})
    found = collect_path(short, RULE, path_records((0.5, 0.5)))
    assert found.path.values.tolist() == [LESIONS]


def test_epochs_are_cut_to_the_length_of_the_control():
    """What the network does after the control has ended must not count for one of the two."""
    short = SHORT.model_copy(update={"no_lesion_s": 5400.0})
    made = path_records((0.5, 0.5))
    cut = {"network/no_lesion/theta": made["network/no_lesion/theta"].isel(time=slice(0, 55))}
    first = collect_path(short, RULE, made | cut)
    late = made["network/theta"].copy(deep=True)
    late.theta.values[late.time.values > 9000.0] += 5.0
    second = collect_path(short, RULE, made | cut | {"network/theta": late})
    assert np.array_equal(first.separation, second.separation, equal_nan=True)
    assert first.path.values.tolist() == [LESIONS, NONE, NOISE]


# -- assemblies --------------------


def histograms(rng, words, strength):
    """Counts of neurons that all rise and fall with the word; half of them prefer one word."""
    rates = np.full((len(words), 5, 6), 3.0) * np.array([0.5, 1.0, 2.0, 1.0, 0.5])[:, None]
    rates[words == 0, :, :3] *= 1 + strength
    rates[words == 1, :, 3:] *= 1 + strength
    return rng.poisson(rates)


def test_assemblies_differ_only_where_words_matter():
    rng = np.random.default_rng(2)
    words = [np.arange(200) % 2 for _ in range(4)]
    found = {}
    for strength in (0.0, 1.0):
        counts = [histograms(rng, w, strength) for w in words]
        same, different = likeness(counts, words)
        any_same, any_different = likeness(counts, shuffled(words, rng))
        assert any_same == pytest.approx(any_different, abs=0.03)
        found[strength] = same - different
        assert same > 0.9
    assert found[0.0] == pytest.approx(0.0, abs=0.03)
    assert found[1.0] > 0.3


def test_assemblies_are_those_of_the_first_test_and_the_last_before_lesion_1():
    rng = np.random.default_rng(3)
    words = [np.arange(60) % 2 for _ in range(4)]
    time = np.array([0.0, 1800.0, 3600.0, np.nextafter(3600.0, 3601.0), 5400.0])
    tables = [
        padded_blocks([histograms(rng, w, s) for w in words], words, 70)
        for s in (0.0, 3.0, 1.0, 3.0, 3.0)
    ]
    dims = ("time", "block", "presentation")
    test = xr.Dataset(
        {
            "counts": ((*dims, "window", "seeing"), np.stack([t for t, _ in tables])),
            "word": (dims, np.stack([w for _, w in tables])),
        },
        coords={"time": time},
    )
    made = {"network/test": test, "example": xr.Dataset(attrs={"surrogates": 4})}
    found = collect_assemblies(SHORT, made)
    assert found.test_time.values.tolist() == [0.0, 3600.0]
    for row, table in enumerate((tables[0], tables[2])):
        counts = [c[w >= 0] for c, w in zip(*table, strict=True)]
        expected = likeness(counts, words)
        assert found.likeness.sel(words="as heard").values[row].tolist() == list(expected)
    same, different = found.likeness.sel(words="shuffled").values[1]
    assert same == pytest.approx(different, abs=0.1)


# -- codes and shares --------------------


def test_codes_are_compared_hour_by_hour_between_independent_halves():
    rng = np.random.default_rng(6)
    first, second = rng.random((2, 2, N, 30))
    time = np.arange(3600.0, 10801.0, 900.0)
    share = (time - 3600.0) / 7200.0
    mixed = (1 - share)[:, None, None, None] * first + share[:, None, None, None] * second
    histogram = mixed[:, None] + 0.01 * rng.normal(size=(time.size, 2, 2, N, 30))
    histogram[..., 25:] = np.nan  # beyond the longest word
    dims = ("time", "half", "class", "neuron", "bin")
    made = {
        "network/test": xr.Dataset({"code": (dims, histogram[:1])}, coords={"time": [3600.0]}),
        "network/no_lesion/test": xr.Dataset({"code": (dims, histogram)}, coords={"time": time}),
    }
    frozen = histogram[:2, :, :, ::-1]
    made["network/plasticity_off_1/test"] = xr.Dataset({"code": (dims, frozen)})
    codes = collect_codes(SHORT, made)
    (same_a, later_a), _ = codes.frozen.values
    assert same_a > 0.99
    assert later_a < same_a
    assert codes.code_time.values.tolist() == [3600.0, 3600.0, 7200.0, 10800.0]
    assert codes.no_lesion.values.tolist() == [False, True, True, True]
    likeness = codes.likeness.values
    same = likeness[:, range(4), range(4)]
    assert (same > 0.99).all()
    assert (same < 1 - 1e-6).all()  # the halves share no trial
    assert (likeness[:, 1, 1] > likeness[:, 1, 2]).all()
    assert (likeness[:, 1, 2] > likeness[:, 1, 3]).all()
    assert codes.order.shape == (2, 2, N // 2)


def test_shares_count_survivors_and_no_self_connections():
    lateral = np.zeros((2, N, N), bool)
    lateral[0, :4, :4] = ~np.eye(4, dtype=bool)  # all from z_A to z_A
    lateral[0, 4:, :4] = np.arange(4) < 2  # half of those from z_A to z_V
    alive = np.ones((2, N), bool)
    alive[1, 4:6] = False
    weight = np.zeros((2, 4, 10), np.float32)
    weight[0, :, :5] = 1.0
    weight[1, 2:, :3] = 1.0
    made = {
        "network/marks": xr.Dataset(
            {
                "lateral": (("mark", "post", "pre"), lateral),
                "alive": (("mark", "neuron"), alive),
                "image_weight": (("mark", "seeing", "pixel"), weight),
                "heard_share": ("mark", [0.7, 0.6]),
            },
            coords={"mark": ["t1", "t2"]},
        )
    }
    found = collect_shares(made).functional_share
    assert found.values[0].tolist() == pytest.approx([0.7, 0.5, 1.0, 0.5, 0.0, 0.0])
    assert found.values[1].tolist() == pytest.approx([0.6, 0.3, 0.0, 0.0, 0.0, 0.0])
