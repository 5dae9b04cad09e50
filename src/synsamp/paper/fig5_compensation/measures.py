"""Measures of Fig. 5, each a function of one run and, for some, of the branch it is taken in.

Chance is 0.5, so only recall above chance counts. The branch ``network`` is the network itself,
``network/noise_off_1`` a control that continues from the same state.

Levels are means of a few tests: *learned* of the half hour before lesion 1 (or half of a shorter
phase), *recovered* from 1 h after lesion 1, *late* around 2 h after lesion 2.
"""

from __future__ import annotations

import math

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy import stats

from synsamp.claims import Amount, Measure, Multiple, Ratio, Share, measures_in, variants
from synsamp.experiments import Results
from synsamp.paper.fig5_compensation.analysis import (
    BRANCHES,
    LESIONS,
    MAIN,
    NO_LESION,
    NOISE,
    NONE,
    record_of,
)
from synsamp.paper.fig5_compensation.parameters import FSDD_SPEAKERS, HOUR_S, ScheduleSection
from synsamp.paper.fig5_compensation.parameters import CompensationParameters as P
from synsamp.paper.shared.digit_circuit import prior_alone

CHANCE = 0.5
NETWORK = "network"

Floats = NDArray[np.float64]


def voice(p: P, results: Results) -> Amount:
    """Index of the speaker among those who may be drawn; NaN for another voice."""
    speaker = results["example"].attrs["speaker"]
    return float(FSDD_SPEAKERS.index(speaker)) if speaker in FSDD_SPEAKERS else math.nan


class RecallTests:
    """Recall of one network: levels averaged over tests.

    ``which`` is ``recall``, with decoders trained in each test, or ``recall_fixed``.
    """

    def __init__(self, schedule: ScheduleSection, tests: xr.Dataset, which: str = "recall") -> None:
        self.data, self.time_s = tests, tests.time.values
        self.recall: Floats = tests[which].mean("block").values
        self.at_1, self.at_2 = schedule.lesions_s[0], schedule.lesions_s[-1]
        self.end_1 = self.at_1 + schedule.after_lesion_1_s
        self.end_s = schedule.end_s

    def rows(
        self, branch: str, lesions: int, start_s: float = 0.0, stop_s: float = np.inf
    ) -> NDArray[np.int64]:
        """Indices of the tests of a branch in a window of time, ends included."""
        chosen = (self.data.branch.values == branch) & (self.data.lesions.values == lesions)
        chosen &= (self.time_s >= start_s - 1.0) & (self.time_s <= stop_s + 1.0)
        return np.flatnonzero(chosen)

    def level(self, branch: str, lesions: int, start_s: float, stop_s: float) -> float:
        """Mean recall in a window; NaN without a test."""
        rows = self.rows(branch, lesions, start_s, stop_s)
        return float(self.recall[rows].mean()) if rows.size else float("nan")

    def last(self, branch: str, lesions: int, n: int = 3) -> float:
        """Mean recall over the last tests of a branch after so many lesions."""
        return float(self.recall[self.rows(branch, lesions)[-n:]].mean())

    def after_lesion(self, lesion: int) -> float:
        """Recall just after a lesion."""
        return float(self.recall[self.rows(MAIN, lesion)[0]])

    @property
    def learned_rows(self) -> NDArray[np.int64]:
        """Tests in the half hour before lesion 1, or in the second half of a shorter phase."""
        return self.rows(MAIN, 0, self.at_1 - min(HOUR_S, self.at_1) / 2, self.at_1)

    @property
    def learned(self) -> float:
        """Recall before lesion 1."""
        return float(self.recall[self.learned_rows].mean())

    @property
    def recovered(self) -> float:
        """Recall from one hour after lesion 1, or at the end of a shorter phase."""
        return self.level(MAIN, 1, min(self.at_1 + HOUR_S, self.end_1), self.end_1)

    @property
    def late_window(self) -> tuple[float, float]:
        """A quarter of an hour to either side of two hours after lesion 2, within the phase."""
        centre = min(self.at_2 + 2 * HOUR_S, self.end_s - HOUR_S / 4)
        return centre - HOUR_S / 4, centre + HOUR_S / 4


def recall_tests(p: P, results: Results, which: str = "recall") -> RecallTests:
    """Recall, or another result of the tests, by branch and time."""
    return RecallTests(p.schedule, results["recall"].load(), which)


# -- learning --------------------


def recall(p: P, results: Results) -> Share:
    """Recall in the half hour before lesion 1."""
    return recall_tests(p, results).learned


def _recall_in(p: P, results: Results, lesions: int, test: int) -> Share:
    """Recall of the network in one test, counted from the last of so many lesions."""
    tests = recall_tests(p, results)
    return float(tests.recall[tests.rows(MAIN, lesions)[test]])


def _heard(p: P, results: Results, suffix: str) -> Share:
    """Accuracy of decoding the word from z_A."""
    return float(_learned(p, results)["heard" + suffix].mean())


def _assemblies(p: P, results: Results, words: int) -> float:
    """Similarity of histograms of one digit minus that of different digits."""
    return float((results["assemblies"].likeness.values @ [1.0, -1.0])[1, words])


def _reconstruction(p: P, results: Results, suffix: str) -> float:
    """Correlation with the mean image of the digit heard minus that with the other."""
    own, other = _own_and_other(p, results, suffix)
    return float((own - other).mean())


def _reconstruction_both(p: P, results: Results, suffix: str) -> bool:
    """Whether the images of both digits resemble their own digit more."""
    own, other = _own_and_other(p, results, suffix)
    return bool((own > other).all())


def _functional_share(p: P, results: Results, test: int) -> Share:
    """Share of possible lateral connections that are functional, in a test before lesion 1."""
    tests = recall_tests(p, results)
    found = tests.data.isel(test=int(tests.rows(MAIN, 0)[test]))
    return float(found.connections / found.allowed)


def functional_relative_to_prior(p: P, results: Results) -> Multiple:
    """The share just before lesion 1, relative to that before learning."""
    return Ratio(_functional_share(p, results, -1), _functional_share(p, results, 0))


def all_relative_to_prior(p: P, results: Results) -> Multiple:
    """The same if every possible connection were functional."""
    return Ratio(1.0, _functional_share(p, results, 0))


def _learned(p: P, results: Results) -> xr.Dataset:
    tests = recall_tests(p, results)
    return tests.data.isel(test=tests.learned_rows)


def _own_and_other(p: P, results: Results, suffix: str) -> tuple[Floats, Floats]:
    """Correlations with the right and the wrong mean image, for each digit heard."""
    found = _learned(p, results)["likeness" + suffix].mean("test").values
    return np.diagonal(found), np.diagonal(found[:, ::-1])


# -- lesion 1: neurons --------------------


def tuned(p: P, results: Results) -> Amount:
    """Neurons of z_V tuned to the second digit, which lesion 1 removes."""
    return float((~results[record_of(MAIN, "test")].alive.values[-1].astype(bool)).sum())


def tuned_shuffled(p: P, results: Results) -> Amount:
    """Neurons found with words shuffled."""
    return float(results[record_of(MAIN, "tuning")].tuned_shuffled[0])


def _loss_1(p: P, results: Results, lesions: int, test: int) -> float:
    """Recall lost since learning, in one test."""
    return recall_tests(p, results).learned - _recall_in(p, results, lesions, test)


def _recovery_1(p: P, results: Results, branch: str, which: str) -> Ratio:
    """Recall regained after lesion 1, relative to the loss."""
    tests, learned = recall_tests(p, results, which), recall_tests(p, results).learned
    level = tests.recovered if branch == NETWORK else _level(tests, branch)
    return Ratio(level - tests.after_lesion(1), learned - tests.after_lesion(1))


def reconstruction_1(p: P, results: Results, branch: str) -> float:
    """Gain in similarity to the second digit, heard, from first to last test after lesion 1."""
    tests = recall_tests(p, results)
    rows = tests.rows(_name(branch), 1)[[0, -1]]
    first, last = tests.data.likeness.values[rows, 1] @ [-1.0, 1.0]
    return float(last - first)


# -- lesion 2: connections --------------------


def removed_share(p: P, results: Results) -> Share:
    """Share of possible lateral connections that lesion 2 removes."""
    before, after = _around_lesion_2(p, results)
    possible = np.isfinite(before).sum()
    return float((possible - np.isfinite(after).sum()) / possible)


def regrown(p: P, results: Results, branch: str) -> Amount:
    """Functional lateral connections two hours after lesion 2."""
    return float(_late_tests(p, results, branch).connections.mean())


def regrown_share(p: P, results: Results, branch: str) -> Share:
    """Their share of those allowed."""
    return regrown(p, results, branch) / float(_late_tests(p, results, branch).allowed.mean())


def _late_tests(p: P, results: Results, branch: str) -> xr.Dataset:
    tests = recall_tests(p, results)
    return tests.data.isel(test=_late_rows(tests, branch))


def regrown_of_prior(p: P, results: Results) -> Amount:
    """The same expected under prior and noise alone."""
    allowed = np.isfinite(_around_lesion_2(p, results)[1]).sum()
    return regrown_share_of_prior(p, results) * float(allowed)


def regrown_share_of_prior(p: P, results: Results) -> Share:
    """The same expected under prior and noise alone."""
    tests, after = recall_tests(p, results), _around_lesion_2(p, results)[1]
    seconds = sum(tests.late_window) / 2 - tests.at_2
    left, rule = after[np.isfinite(after)].astype(float), p.rule
    keep, spread = prior_alone(rule, seconds)
    mean = rule.prior.mean + keep * (left - rule.prior.mean)
    return float(stats.norm.sf(0.0, mean, max(spread, 1e-9)).mean())


def _recovery_2(p: P, results: Results, branch: str, chance: float) -> Ratio:
    """Recall two hours after lesion 2, relative to that before; above chance, if that is given."""
    tests = recall_tests(p, results)
    return Ratio(_late_level(tests, branch) - chance, tests.recovered - chance)


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
    return theta.theta.values[just[0]], theta.theta.values[just[-1]]


def _late_level(tests: RecallTests, branch: str) -> float:
    return float(tests.recall[_late_rows(tests, branch)].mean())


def _late_rows(tests: RecallTests, branch: str) -> NDArray[np.int64]:
    window = tests.late_window if branch == NETWORK else _end_of(tests, branch)
    return tests.rows(_name(branch), 2, *window)


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


# -- the path of θ′ --------------------


def _parameters(p: P, results: Results, only_z_V: bool) -> Amount:
    """Parameters of θ′, mean over surviving neurons."""
    path = results["path"]
    first = path.sizes["hidden"] // 2 if only_z_V else 0
    path = path.isel(hidden=slice(first, None))
    return float(path.parameters.values[path.survives.values].mean())


def parameters_of_prior(p: P, results: Results) -> Amount:
    """Parameters of θ′ if lesion 2 were made before learning."""
    retracted = 1.0 - _functional_share(p, results, 0)
    return float(2.0 * (results["path"].survives.values.sum() - 1) * retracted)


def _separation(p: P, results: Results, path: str) -> Amount:
    """Distance between epochs over distance within, mean over neurons; NaN without that path."""
    if path not in results["path"].path.values:
        return math.nan
    return float(np.nanmean(results["path"].separation.sel(path=path)))


def _moved(p: P, results: Results, lesion: int, path: str) -> Amount:
    """Shift of θ′ across a lesion, relative to the path without lesions."""
    moved = results["path"].moved.isel(lesion=lesion - 1)
    return float(moved.sel(path=path) / moved.sel(path=NONE))


# -- representational drift without lesions --------------------


def _drift(p: P, results: Results, population: int) -> float:
    """Similarity of two tests at one time minus that over all hours."""
    codes = results["codes"]
    used, likeness = np.flatnonzero(codes.no_lesion.values), codes.likeness.values[population]
    if used.size < 2:
        return math.nan
    return float(np.diagonal(likeness)[used].mean() - likeness[used[0], used[-1]])


def _frozen(p: P, results: Results, population: int) -> float:
    """The same with plasticity off."""
    same, later = results["codes"].frozen.values[population]
    return float(same - later)


def stable(p: P, results: Results) -> float:
    """Recall at the end without lesions minus that after learning."""
    tests = recall_tests(p, results)
    return tests.last(NO_LESION, 0) - tests.learned


def stable_with_lesions(p: P, results: Results) -> float:
    """The same for the network with its lesions at the same time."""
    tests = recall_tests(p, results)
    last = tests.rows(NO_LESION, 0)[-3:]
    span = float(tests.time_s[last[0]]), float(tests.time_s[last[-1]])
    return tests.level(MAIN, len(p.schedule.lesions_s), *span) - tests.learned


MEASURES: tuple[Measure, ...] = (
    *measures_in(__name__),
    *variants(
        _recall_in, recall_before_learning=(0, 0), before_lesion_2=(1, -1), after_lesion_2=(2, 0)
    ),
    *variants(_heard, heard=("",), heard_shuffled=("_shuffled",)),
    *variants(_assemblies, assemblies=(0,), assemblies_shuffled=(1,)),
    *variants(_reconstruction, reconstruction=("",), reconstruction_shuffled=("_shuffled",)),
    *variants(_reconstruction_both, reconstruction_both=("",)),
    *variants(_reconstruction_both, reconstruction_both_shuffled=("_shuffled",)),
    *variants(_functional_share, functional_share=(-1,), functional_share_of_prior=(0,)),
    *variants(_loss_1, loss_1=(1, 0), loss_1_without_lesion=(0, -1)),
    *variants(_recovery_1, recovery_1=("recall",), recovery_1_fixed=("recall_fixed",)),
    *variants(_recovery_2, recovery_2_raw=(0.0,), recovery_2=(CHANCE,)),
    *variants(_parameters, parameters=(False,), parameters_of_z_V=(True,)),
    *variants(_separation, separation=(LESIONS,), separation_without_lesions=(NONE,)),
    *variants(_moved, moved_1=(1, LESIONS), moved_1_by_noise=(1, NOISE)),
    *variants(_moved, moved_2=(2, LESIONS), moved_2_by_noise=(2, NOISE)),
    *variants(_drift, drift_A=(0,), drift_V=(1,)),
    *variants(_frozen, drift_A_without_plasticity=(0,), drift_V_without_plasticity=(1,)),
)
