"""Measures of the path of θ′ (Fig. 5C) and of representational drift (supplement)."""

from __future__ import annotations

import math

import numpy as np

from synsamp.experiments import Results
from synsamp.paper.fig5_compensation.analysis import LESIONS, NOISE, NONE
from synsamp.paper.fig5_compensation.decoding import (
    MAIN,
    NO_LESION,
)
from synsamp.paper.fig5_compensation.measures import functional_share_of_prior, recall_tests
from synsamp.paper.fig5_compensation.parameters import CompensationParameters as P

# -- the path of θ′ --------------------


def parameters(p: P, results: Results) -> float:
    """Parameters of θ′, mean over surviving neurons."""
    path = results["path"]
    return float(path.parameters.values[path.survives.values].mean())


def parameters_of_z_V(p: P, results: Results) -> float:
    """The same over neurons of z_V."""
    path = results["path"]
    counts = path.parameters.values
    seeing = path.survives.values & (np.arange(counts.size) >= counts.size // 2)
    return float(counts[seeing].mean())


def parameters_of_prior(p: P, results: Results) -> float:
    """The same if lesion 2 were made before learning."""
    retracted = 1.0 - functional_share_of_prior(p, results)
    return float(2.0 * (results["path"].survives.values.sum() - 1) * retracted)


def separation(p: P, results: Results) -> float:
    """Distance between epochs over distance within, mean over surviving neurons."""
    return _separation(results, LESIONS)


def separation_without_lesions(p: P, results: Results) -> float:
    """The same for the path without lesions; NaN if that path is too short."""
    return _separation(results, NONE) if NONE in results["path"].path.values else math.nan


def moved_1(p: P, results: Results) -> float:
    """Shift of θ′ across lesion 1, relative to the path without lesions."""
    return _moved(results, 1, LESIONS)


def moved_1_by_noise(p: P, results: Results) -> float:
    """The same for prior and noise alone."""
    return _moved(results, 1, NOISE)


def moved_2(p: P, results: Results) -> float:
    """Shift of θ′ across lesion 2, relative to the path without lesions."""
    return _moved(results, 2, LESIONS)


def moved_2_by_noise(p: P, results: Results) -> float:
    """The same for prior and noise alone."""
    return _moved(results, 2, NOISE)


def _separation(results: Results, path: str) -> float:
    return float(np.nanmean(results["path"].separation.sel(path=path)))


def _moved(results: Results, lesion: int, path: str) -> float:
    moved = results["path"].moved.isel(lesion=lesion - 1)
    return float(moved.sel(path=path) / moved.sel(path=NONE))


# -- representational drift without lesions --------------------


def drift_A(p: P, results: Results) -> float:
    """Similarity of two tests of z_A at one time minus that over all hours."""
    return _drift(results, 0)


def drift_V(p: P, results: Results) -> float:
    """The same for z_V."""
    return _drift(results, 1)


def drift_A_without_plasticity(p: P, results: Results) -> float:
    """Drift of z_A with plasticity off."""
    same, later = results["codes"].frozen.values[0]
    return float(same - later)


def drift_V_without_plasticity(p: P, results: Results) -> float:
    """Drift of z_V with plasticity off."""
    same, later = results["codes"].frozen.values[1]
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


def _drift(results: Results, population: int) -> float:
    codes = results["codes"]
    used, likeness = np.flatnonzero(codes.no_lesion.values), codes.likeness.values[population]
    if used.size < 2:
        return math.nan
    return float(np.diagonal(likeness)[used].mean() - likeness[used[0], used[-1]])


DRIFT_MEASURES = (
    parameters,
    parameters_of_z_V,
    parameters_of_prior,
    separation,
    separation_without_lesions,
    moved_1,
    moved_1_by_noise,
    moved_2,
    moved_2_by_noise,
    drift_A,
    drift_V,
    drift_A_without_plasticity,
    drift_V_without_plasticity,
    stable,
    stable_with_lesions,
)
