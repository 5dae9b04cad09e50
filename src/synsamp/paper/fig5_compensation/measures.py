"""Measures of Fig. 5, each a function of one run and, for some, of the branch it is taken in.

Chance is 0.5, so only recall above chance counts. The branch ``network`` is the network itself,
``network/noise_off_1`` a control that continues from the same state.
"""

from __future__ import annotations

import math

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from synsamp.claims import Ratio
from synsamp.experiments import Results
from synsamp.paper.fig5_compensation.decoding import (
    BRANCHES,
    HOUR_S,
    MAIN,
    RecallTests,
    record_of,
)
from synsamp.paper.fig5_compensation.parameters import CompensationParameters as P
from synsamp.paper.fig5_compensation.voices import FSDD_SPEAKERS
from synsamp.priors.gaussian import ornstein_uhlenbeck

CHANCE = 0.5
NETWORK = "network"

Floats = NDArray[np.float64]


def recall_tests(p: P, results: Results, which: str = "recall") -> RecallTests:
    """Recall, or another result of the tests, by branch and time."""
    return RecallTests(p.schedule, results["recall"].load(), which)


def voice(p: P, results: Results) -> float:
    """Index of the speaker among those who may be drawn; NaN for another voice."""
    speaker = results["example"].attrs["speaker"]
    return float(FSDD_SPEAKERS.index(speaker)) if speaker in FSDD_SPEAKERS else math.nan


# -- learning --------------------


def recall(p: P, results: Results) -> float:
    """Recall in the half hour before lesion 1."""
    return recall_tests(p, results).learned


def recall_before_learning(p: P, results: Results) -> float:
    """Recall in the first test."""
    return float(_first_test(p, results).recall.mean())


def heard(p: P, results: Results) -> float:
    """Accuracy of decoding the word from z_A."""
    return float(_learned(p, results).heard.mean())


def heard_shuffled(p: P, results: Results) -> float:
    """The same with words shuffled."""
    return float(_learned(p, results).heard_shuffled.mean())


def assemblies(p: P, results: Results) -> float:
    """Similarity of histograms of one digit minus that of different digits."""
    return _assemblies(results, 0)


def assemblies_shuffled(p: P, results: Results) -> float:
    """The same with words shuffled."""
    return _assemblies(results, 1)


def reconstruction(p: P, results: Results) -> float:
    """Correlation with the mean image of the digit heard minus that with the other."""
    own, other = _own_and_other(p, results, "likeness")
    return float((own - other).mean())


def reconstruction_shuffled(p: P, results: Results) -> float:
    """The same with words shuffled."""
    own, other = _own_and_other(p, results, "likeness_shuffled")
    return float((own - other).mean())


def reconstruction_both(p: P, results: Results) -> bool:
    """Whether the images of both digits resemble their own digit more."""
    own, other = _own_and_other(p, results, "likeness")
    return bool((own > other).all())


def reconstruction_both_shuffled(p: P, results: Results) -> bool:
    """The same with words shuffled."""
    own, other = _own_and_other(p, results, "likeness_shuffled")
    return bool((own > other).all())


def functional_share(p: P, results: Results) -> float:
    """Share of possible lateral connections that are functional just before lesion 1."""
    tests = recall_tests(p, results)
    last = tests.data.isel(test=int(tests.rows(MAIN, 0)[-1]))
    return float(last.connections / last.allowed)


def functional_share_of_prior(p: P, results: Results) -> float:
    """The same before learning: connections drawn from the prior."""
    start = _first_test(p, results)
    return float(start.connections / start.allowed)


def functional_relative_to_prior(p: P, results: Results) -> Ratio:
    """The share just before lesion 1, relative to that before learning."""
    return Ratio(functional_share(p, results), functional_share_of_prior(p, results))


def all_relative_to_prior(p: P, results: Results) -> Ratio:
    """The same if every possible connection were functional."""
    return Ratio(1.0, functional_share_of_prior(p, results))


def _first_test(p: P, results: Results) -> xr.Dataset:
    tests = recall_tests(p, results)
    return tests.data.isel(test=int(tests.rows(MAIN, 0)[0]))


def _learned(p: P, results: Results) -> xr.Dataset:
    tests = recall_tests(p, results)
    return tests.data.isel(test=tests.learned_rows)


def _assemblies(results: Results, words: int) -> float:
    return float((results["assemblies"].likeness.values @ [1.0, -1.0])[1, words])


def _own_and_other(p: P, results: Results, name: str) -> tuple[Floats, Floats]:
    """Correlations with the right and the wrong mean image, for each digit heard."""
    found = _learned(p, results)[name].mean("test").values
    return np.diagonal(found), np.diagonal(found[:, ::-1])


# -- lesion 1: neurons --------------------


def tuned(p: P, results: Results) -> float:
    """Neurons of z_V tuned to the second digit, which lesion 1 removes."""
    return float((~_survivors(results)).sum())


def tuned_shuffled(p: P, results: Results) -> float:
    """Neurons found with words shuffled."""
    return float(results[record_of(MAIN, "tuning")].tuned_shuffled[0])


def loss_1(p: P, results: Results) -> float:
    """Recall lost by lesion 1."""
    tests = recall_tests(p, results)
    return tests.learned - tests.after_lesion(1)


def loss_1_without_lesion(p: P, results: Results) -> float:
    """The same in the test just before the lesion."""
    tests = recall_tests(p, results)
    return tests.learned - tests.last(MAIN, 0, 1)


def recovery_1(p: P, results: Results, branch: str) -> Ratio:
    """Recall regained after lesion 1, relative to the loss."""
    return _recovery_1(p, results, branch, "recall")


def recovery_1_fixed(p: P, results: Results, branch: str) -> Ratio:
    """The same for decoders trained before lesion 1."""
    return _recovery_1(p, results, branch, "recall_fixed")


def _recovery_1(p: P, results: Results, branch: str, which: str) -> Ratio:
    tests, learned = recall_tests(p, results, which), recall_tests(p, results).learned
    level = tests.recovered if branch == NETWORK else _level(tests, branch)
    return Ratio(level - tests.after_lesion(1), learned - tests.after_lesion(1))


def reconstruction_1(p: P, results: Results, branch: str) -> float:
    """Gain in similarity to the second digit, heard, from first to last test after lesion 1."""
    tests = recall_tests(p, results)
    rows = tests.rows(_name(branch), 1)[[0, -1]]
    first, last = tests.data.likeness.values[rows, 1] @ [-1.0, 1.0]
    return float(last - first)


def _survivors(results: Results) -> NDArray[np.bool_]:
    return np.asarray(results[record_of(MAIN, "test")].alive.values[-1], bool)


# -- lesion 2: connections --------------------


def removed_share(p: P, results: Results) -> float:
    """Share of possible lateral connections that lesion 2 removes."""
    before, after = _around_lesion_2(p, results)
    possible = np.isfinite(before).sum()
    return float((possible - np.isfinite(after).sum()) / possible)


def after_lesion_2(p: P, results: Results) -> float:
    """Recall just after lesion 2."""
    return recall_tests(p, results).after_lesion(2)


def before_lesion_2(p: P, results: Results) -> float:
    """Recall in the test just before lesion 2."""
    return recall_tests(p, results).last(MAIN, 1, 1)


def regrown(p: P, results: Results, branch: str) -> float:
    """Functional lateral connections two hours after lesion 2."""
    return float(_late(p, results, branch).connections.mean())


def regrown_of_prior(p: P, results: Results) -> float:
    """The same expected under prior and noise alone."""
    allowed = np.isfinite(_around_lesion_2(p, results)[1]).sum()
    return regrown_share_of_prior(p, results) * float(allowed)


def regrown_share(p: P, results: Results, branch: str) -> float:
    """Regrown connections relative to those allowed."""
    late = _late(p, results, branch)
    return float(late.connections.mean()) / float(late.allowed.mean())


def regrown_share_of_prior(p: P, results: Results) -> float:
    """The same expected under prior and noise alone."""
    tests, after = recall_tests(p, results), _around_lesion_2(p, results)[1]
    assert tests.at_2 is not None
    seconds = sum(tests.late_window) / 2 - tests.at_2
    left, rule = after[np.isfinite(after)].astype(float), p.rule
    keep, spread = ornstein_uhlenbeck(rule.speed, rule.temperature, rule.prior.std, seconds)
    mean = rule.prior.mean + keep * (left - rule.prior.mean)
    return float(stats.norm.sf(0.0, mean, max(spread, 1e-9)).mean())


def recovery_2_raw(p: P, results: Results, branch: str) -> Ratio:
    """Recall two hours after lesion 2, relative to that before."""
    tests = recall_tests(p, results)
    return Ratio(_late_level(tests, branch), tests.recovered)


def recovery_2(p: P, results: Results, branch: str) -> Ratio:
    """The same above chance."""
    tests = recall_tests(p, results)
    return Ratio(_late_level(tests, branch) - CHANCE, tests.recovered - CHANCE)


def recovery_2_end(p: P, results: Results) -> Ratio:
    """Recall above chance at the end, relative to that before lesion 2."""
    tests = recall_tests(p, results)
    return Ratio(tests.last(MAIN, 2) - CHANCE, tests.recovered - CHANCE)


def recovery_2_fixed(p: P, results: Results, branch: str) -> Ratio:
    """Recall above chance by decoders trained before lesion 1, relative to that before lesion 1."""
    level = _late_level(recall_tests(p, results, "recall_fixed"), branch)
    return Ratio(level - CHANCE, recall_tests(p, results).learned - CHANCE)


def _around_lesion_2(p: P, results: Results) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Lateral θ just before and just after lesion 2."""
    theta = results[record_of(MAIN, "theta")]
    just = np.flatnonzero(np.isclose(theta.time.values, p.schedule.lesions_s[1], rtol=1e-12))
    before, after = theta.theta.values[just[[0, -1]]]
    return before, after


def _late_level(tests: RecallTests, branch: str) -> float:
    if branch == NETWORK:
        return tests.level(MAIN, 2, *tests.late_window)
    return _level(tests, branch)


def _late(p: P, results: Results, branch: str) -> xr.Dataset:
    tests = recall_tests(p, results)
    window = tests.late_window if branch == NETWORK else _end_of(tests, branch)
    return tests.data.isel(test=tests.rows(_name(branch), 2, *window))


# -- controls --------------------


def gain(p: P, results: Results, branch: str) -> float:
    """Recall gained by a control since the lesion, in its last half hour."""
    tests = recall_tests(p, results)
    return _level(tests, branch) - _floor(tests, branch)


def gain_meanwhile(p: P, results: Results, branch: str) -> float:
    """Recall gained by the network itself at the same time."""
    tests = recall_tests(p, results)
    level = tests.level(MAIN, BRANCHES[_name(branch)], *_end_of(tests, branch))
    return level - _floor(tests, branch)


def _name(branch: str) -> str:
    return MAIN if branch == NETWORK else branch.removeprefix(f"{NETWORK}/")


def _level(tests: RecallTests, branch: str) -> float:
    name = _name(branch)
    return tests.level(name, BRANCHES[name], *_end_of(tests, branch))


def _end_of(tests: RecallTests, branch: str) -> tuple[float, float]:
    """The last half hour of a control, without the test at its start."""
    name = _name(branch)
    rows = tests.rows(name, BRANCHES[name])
    stop = tests.time_s[rows[-1]]
    return max(stop - HOUR_S / 2, tests.time_s[rows[0]] + 2.0), stop


def _floor(tests: RecallTests, branch: str) -> float:
    """Recall just after the lesion; below chance is chance, which leaves nothing to regain."""
    return max(tests.after_lesion(BRANCHES[_name(branch)]), CHANCE)


MEASURES = (
    *(voice, recall, recall_before_learning, heard, heard_shuffled),
    *(assemblies, assemblies_shuffled, reconstruction, reconstruction_shuffled),
    *(reconstruction_both, reconstruction_both_shuffled),
    *(functional_share, functional_share_of_prior),
    *(functional_relative_to_prior, all_relative_to_prior),
    *(tuned, tuned_shuffled, loss_1, loss_1_without_lesion),
    *(recovery_1, recovery_1_fixed, reconstruction_1),
    *(removed_share, after_lesion_2, before_lesion_2),
    *(regrown, regrown_of_prior, regrown_share, regrown_share_of_prior),
    *(recovery_2_raw, recovery_2, recovery_2_end, recovery_2_fixed, gain, gain_meanwhile),
)
