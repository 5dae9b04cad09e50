"""Names that end with a loss, sessions that miss spines and offsets between animals."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from spines.tables import long_text, truth, write
from spines.test_filter import STATE, THRESHOLD, TIMES, VALUES, probability
from synsamp.errors import SynsampError
from synsamp.spines import OneTimeScale, RandomWalk, analyse, fit, read
from synsamp.spines.filter import log_likelihoods, resolution, survival_between_sessions
from synsamp.spines.fit import fit_process
from synsamp.spines.gaussian_filter import gaussian_log_likelihoods
from synsamp.spines.observations import observations
from synsamp.spines.offsets import corrected, differ
from synsamp.spines.posterior import ParameterPrior, posterior_of
from synsamp.spines.returns import count_returns, runs_of, split_returns
from synsamp.spines.simulate import simulate_like
from synsamp.spines.tracking import unexplained_losses

TRUTH = {"mean": -0.5, "spread": 1.0, "relaxation": 20.0, "bT": 0.05}
NAMES = ("mean", "spread", "relaxation", "noise", "bT")

RUNS = np.array([[1, 1, 1, 1], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 0], [1, -1, 0, 0]], np.int8)


def gaps(fitted, true=TRUTH):
    """Distances from the truth in standard errors."""
    return {
        name: abs(fitted.value(name) - value) / fitted.error(name) for name, value in true.items()
    }


def hits(fitted, true):
    return [fitted.interval(n)[0] <= true[n] <= fitted.interval(n)[1] for n in NAMES]


def random_truth(seed):
    rng = np.random.default_rng([11, seed])
    true = {
        "mean": rng.uniform(-0.6, 0.5),
        "spread": 1.0,
        "relaxation": np.exp(rng.uniform(np.log(8), np.log(30))),
        "noise": rng.uniform(0.1, 0.4),
    }
    return true, {**true, "bT": 1.0 / true["relaxation"]}, rng


def dimmed(table, offsets):
    """Sizes multiplied by a factor for each animal (and session)."""
    return replace(table, size=table.size * np.exp(offsets[table.animal_number]))


# --- names that end with a loss


@pytest.mark.parametrize(
    "process", [OneTimeScale(-0.5, 1.0, 6.0, 0.3), RandomWalk(0, 0.9, 0.05, 0.2)]
)
def test_the_likelihood_of_a_run_is_that_of_all_that_can_happen(process):
    """By multivariate Gaussians: absence before, sizes, absence after, over all possible starts."""
    values = np.where(RUNS == 1, VALUES[: len(RUNS)], np.nan)
    values = np.where((RUNS == 1) & ~np.isfinite(values), 0.7, values)
    seen = observations(TIMES, RUNS, values, THRESHOLD, renamed=True)
    wanted = []
    for row, value in zip(RUNS, values, strict=True):
        imaged = np.flatnonzero(row >= 0)
        start = int(np.argmax(row[imaged] == 1))
        after = np.flatnonzero(row[imaged][start:] == 0)
        stop = start + int(after[0]) + 1 if after.size else imaged.size
        kept = imaged[max(start - 1, 0) : stop]
        log_p = joint(process, kept, row[kept] == 1, value[kept])
        starts = 1 - np.exp(joint(process, imaged[:1], np.array([False]), None))
        for before, then in pairwise(imaged.tolist()):
            alone = np.exp(joint(process, [before], np.array([False]), None))
            starts += alone - np.exp(joint(process, [before, then], np.zeros(2, bool), None))
        wanted.append(log_p - np.log(starts))
    found = log_likelihoods(process, seen, resolution(process, seen))
    np.testing.assert_allclose(found, wanted, atol=3e-4)
    quick = gaussian_log_likelihoods(process, seen)
    assert np.median(np.abs(quick - wanted)) < 0.05
    kept_names = observations(TIMES, RUNS, values, THRESHOLD)  # negative control
    other = log_likelihoods(process, kept_names, resolution(process, kept_names))
    assert np.abs(other - wanted).max() > 0.05


def joint(process, sessions, seen, values):
    """log P at some of the sessions; a random walk has started at the first of `TIMES`."""
    times = TIMES[np.asarray(sessions)]
    if isinstance(process, RandomWalk):
        spread = float(process.spread_after(times[:1])[0])
        process = RandomWalk(process.start_mean, spread, process.diffusion, process.noise)
    return probability(process, times, seen, np.zeros(times.size) if values is None else values)


@pytest.fixture(scope="module")
def kept():
    return truth(n_spines=300, noise=0.2, n_animals=3)


@pytest.fixture(scope="module")
def found_kept(kept):
    return analyse(kept)


@pytest.fixture(scope="module")
def renamed(kept):
    return split_returns(kept)


def test_renamed_returns_are_noticed_and_the_estimates_hold_the_truth(renamed, tmp_path):
    table = read(write(tmp_path, long_text(renamed)))
    assert table.renamed
    assert "none of" in str(table.warnings[0])
    assert "--returns kept" in str(table.warnings[0])  # first, and with a remedy
    assert count_returns(table)[1] == 0
    fitted = fit(table)
    assert max(gaps(fitted).values()) < 3.5, fitted.frame
    # Negative control: with names that are kept, no spine ever returns, so τ must be long.
    wrong = fit(read(write(tmp_path, long_text(renamed)), returns="kept"))
    assert wrong.value("relaxation") > 2 * TRUTH["relaxation"]
    assert gaps(wrong)["mean"] > 4
    assert gaps(wrong)["spread"] > 4


def test_names_that_return_are_not_mistaken(kept, tmp_path):
    table = read(write(tmp_path, long_text(kept)))
    assert not table.renamed
    assert not any("returns under its name" in str(w) for w in table.warnings)
    split = read(write(tmp_path, long_text(kept)), returns="renamed")
    assert split.renamed
    assert len(split.spine) == (runs_of(kept.state == 1, kept.state >= 0)[0]).size
    assert (split.state == 1).sum() == (kept.state == 1).sum()
    with pytest.raises(SynsampError, match="returns must be kept or renamed"):
        read(write(tmp_path, long_text(kept)), returns="maybe")


def test_simulated_runs_are_like_those_of_the_table(renamed):
    fitted = fit_process(renamed.observations(), missed=False, profiled=False)
    drawn = simulate_like(renamed, fitted, np.random.default_rng(2))
    assert drawn.state.shape == renamed.state.shape
    assert count_returns(drawn)[1] == 0
    lengths = [(t.state == 1).sum(axis=1).mean() for t in (drawn, renamed)]
    assert abs(lengths[0] - lengths[1]) < 5 * (renamed.state == 1).sum(axis=1).std() / np.sqrt(
        len(renamed.spine) / 2
    )


# --- sessions that miss a spine


def test_the_likelihood_with_missed_spines_sums_over_what_was_missed():
    """Each absence is a spine below the threshold, or one above it that was missed."""
    process, m = OneTimeScale(-0.5, 1.0, 6.0, 0.3), 0.15
    plain = observations(TIMES, STATE.astype(np.int8), VALUES, THRESHOLD)
    found = log_likelihoods(
        process, plain.with_missed(m), resolution(process, plain.with_missed(m))
    )
    wanted = []
    for row, value in zip(STATE, VALUES, strict=True):
        imaged = np.flatnonzero(row >= 0)
        there = summed(process, imaged, row[imaged], value[imaged], m)
        never = summed(process, imaged, np.zeros(imaged.size, int), np.zeros(imaged.size), m)
        wanted.append(np.log(there) - np.log1p(-never))
    np.testing.assert_allclose(found, wanted, atol=5e-4)
    assert np.abs(log_likelihoods(process, plain, resolution(process, plain)) - wanted).max() > 0.05


def summed(process, sessions, row, values, m):
    """P(absent) = m + (1 − m) P(below the threshold), expanded over the absent sessions."""
    absent = np.flatnonzero(row == 0)
    total = 0.0
    for below in range(2**absent.size):
        chosen = np.array([bool(below >> k & 1) for k in range(absent.size)], bool)
        used = np.sort(np.r_[np.flatnonzero(row == 1), absent[chosen]]).astype(int)
        p = (1 - m) ** (row == 1).sum() * (1 - m) ** chosen.sum() * m ** (~chosen).sum()
        if used.size:
            p *= np.exp(probability(process, TIMES[sessions[used]], row[used] == 1, values[used]))
        total += p
    return total


@pytest.fixture(scope="module")
def missing_rows():
    """One of 25 rows is missing although the spine is there."""
    return truth(n_spines=400, noise=0.2, missed=0.04)


def test_missed_spines_are_estimated_with_the_rest(missing_rows):
    analysed = analyse(missing_rows)
    fitted = analysed.fitted
    assert fitted.missed is not None
    assert max(gaps(fitted, {**TRUTH, "noise": 0.2, "missed": 0.04}).values()) < 3.5, fitted.frame
    assert fitted.interval("missed")[0] > 0.01
    without = fit(missing_rows, missed=False)  # negative control
    assert without.log_likelihood < fitted.log_likelihood - 5
    assert gaps(without, {"noise": 0.2})["noise"] > 2
    # The observed loss is too high; the corrected one is that of the process.
    found = analysed.turnover.rates.set_index("rate")
    alive = survival_of_all(fitted.process, 3.0)
    row = found.loc["loss per interval, corrected for missed spines"]
    assert row["low"] < alive < row["high"]
    assert row["value"] < found.loc["loss per interval", "value"] - 0.02


def survival_of_all(process, step):
    """P(measured size below 1 after a step | above before), by a bivariate Gaussian."""
    from scipy import stats

    s2, n2 = process.spread**2, process.noise**2
    c = s2 * np.exp(-step / process.relaxation)
    both = stats.multivariate_normal([process.mean] * 2, [[s2 + n2, c], [c, s2 + n2]]).cdf([0, 0])
    below = stats.norm.cdf(-process.mean / np.sqrt(s2 + n2))
    return (below - both) / (1 - below)


def test_a_table_without_misses_is_not_mistaken(kept, found_kept):
    assert found_kept.fitted.missed is None
    assert unexplained_losses(kept, fit(kept, missed=False)).empty


def test_large_spines_that_vanish_permanently_are_listed(kept):
    table = replace(kept, state=kept.state.copy(), size=kept.size.copy())
    size = np.nan_to_num(table.size)
    gone = np.argsort(size[:, 5])[-6:]  # the six largest spines of a session are lost after it
    table.state[gone, 6:], table.size[gone, 6:] = 0, np.nan
    analysed = analyse(table)
    listed = unexplained_losses(table, analysed.fitted)
    assert set(listed["spine"]) <= set(table.spine[gone])
    assert len(listed) >= 3
    assert not listed["returned"].any()
    assert any("tracking losses" in w for w in analysed.warnings)


def test_a_table_without_absences_has_no_alternatives():
    """Nothing is missed, renamed or offset, so there is no other assumption to try."""
    rows = [(s, d, s % 5 + 0.3 * d + 1) for s in range(12) for d in range(3)]
    found = analyse(pd.DataFrame(rows, columns=["spine", "day", "size"]))
    assert found.sensitivity.empty
    assert found.warnings == ()


def test_survival_with_missed_spines_is_shorter():
    process = OneTimeScale(-0.5, 1.0, 20.0, 0.2)
    plain, missed = (survival_between_sessions(process, 0.0, 4.0, 5, missed=m) for m in (0.0, 0.1))
    assert (missed[1:] < plain[1:]).all()
    assert plain[0] == missed[0] == 1.0


def test_the_posterior_includes_missed_spines(missing_rows):
    few = missing_rows.part(np.arange(len(missing_rows.spine)) < 60)
    seen = few.observations()
    fitted = fit_process(seen, missed=True, profiled=False)
    narrow = ParameterPrior(
        np.array([-0.5, 0.0, 3.0, -1.6, 0.0, np.log(0.2)]), np.array([1, 1, 1, 1, 1, 0.01])
    )
    found = posterior_of(seen, fitted, prior=narrow, steps=400, chains=2, progress=False)
    assert found.draws["missed"].values.mean() == pytest.approx(0.2, rel=0.03)


# --- offsets between animals


@pytest.fixture(scope="module")
def uneven():
    """Six animals of different brightness."""
    offsets = 0.4 * np.array([1.2, -0.9, 0.3, -1.3, 0.8, -0.1])
    table = truth(n_spines=300, n_animals=6, noise=0.2)
    return dimmed(table, offsets[:, None]), offsets


@pytest.fixture(scope="module")
def found_uneven(uneven):
    return analyse(uneven[0])


def test_offsets_between_animals_are_removed(uneven, found_uneven):
    table, offsets = uneven
    assert differ(table) < 1e-6
    fitted = found_uneven.fitted
    assert max(gaps(fitted, {**TRUTH, "noise": 0.2}).values()) < 3.5, fitted.frame
    found = corrected(table, "animal").offsets
    assert np.abs(found.values[:, 0] - (offsets - offsets.mean())).max() < 0.05
    assert found.frame["factor"].to_numpy() == pytest.approx(np.exp(found.values[:, 0]))
    # Negative control: without offsets the noise or the spread must absorb them.
    wrong = fit_process(table.observations(), missed=False, profiled=False)
    assert max(gaps(wrong, {"spread": 1.0, "noise": 0.2}).values()) > 4


def test_offsets_are_said_before_any_number(found_uneven):
    found = found_uneven
    assert found.warnings[0].startswith("sizes differ between animals by factors from 0.5")
    assert "--offsets none" in found.warnings[0]
    assert found.comparison.criteria["process"].iloc[0] == "one time scale"
    assert set(found.sensitivity["variant"]) >= {"without offsets"}


def test_offsets_with_the_threshold_on_the_true_size():
    table = truth(n_spines=250, n_animals=5, noise=0.25, threshold_on="true")
    offsets = 0.4 * np.array([1.0, -1.0, 0.5, -0.8, 0.3])
    fitted = fit(dimmed(table, offsets[:, None]))
    assert fitted.threshold_on == "true"
    assert max(gaps(fitted, {**TRUTH, "noise": 0.25}).values()) < 3.5, fitted.frame


def test_offsets_of_sessions():
    table = truth(n_spines=240, n_animals=2, noise=0.2, times=np.arange(7) * 4.0)
    offsets = 0.3 * np.random.default_rng(8).standard_normal((2, 7))
    uneven = dimmed(table, offsets)
    fitted = fit(uneven, offsets="session")
    assert max(gaps(fitted, {**TRUTH, "noise": 0.2}).values()) < 4, fitted.frame
    plain = fit(uneven, offsets="none", missed=False)  # the sessions look like noise
    assert plain.value("noise") > fitted.value("noise") + 0.1
    found = corrected(uneven, "session").offsets
    assert np.corrcoef(found.values.ravel(), offsets.ravel())[0, 1] > 0.85
    assert list(found.frame.columns) == ["animal", "time", "offset", "factor"]


def test_equal_animals_have_no_offsets(kept, found_kept):
    assert differ(kept) > 0.01
    assert not any("differ between animals" in w for w in found_kept.warnings)
    with pytest.raises(SynsampError, match="offsets must be animal, session or none"):
        fit(kept, offsets="mouse")


# --- intervals hold the truth in the share they state


def make(kind, seed):
    true, whole, rng = random_truth(seed)
    plain = truth(n_spines=70, times=np.arange(8) * 4.0, seed=seed, n_animals=5, **true)
    if kind == "renamed":
        return split_returns(plain), whole
    if kind == "offsets":
        return dimmed(plain, 0.4 * rng.standard_normal((5, 1))), whole
    return truth(n_spines=70, times=np.arange(8) * 4.0, seed=seed, missed=0.05, **true), whole


@pytest.mark.parametrize("kind", ["renamed", "offsets", "missed"])
def test_95_percent_intervals_cover_the_truth(kind):
    """With 95 % coverage, fewer than 32 of 40 hits have a probability below 1e-4."""
    found = []
    for seed in range(8):
        table, true = make(kind, seed)
        found.append(hits(fit(table), true))
    assert np.sum(found) >= 32, np.sum(found, axis=0)


@pytest.mark.parametrize("kind", ["renamed", "offsets"])
def test_the_model_without_the_part_misses_the_truth(kind):
    """Negative control of the coverage: names kept, or no offsets."""
    found = []
    for seed in range(8):
        table, true = make(kind, seed)
        wrong = fit_process(
            replace(table, renamed=False).observations(), missed=False, profiled=False
        )
        found.append(hits(wrong, true))
    assert np.sum(found) < 32, np.sum(found, axis=0)
