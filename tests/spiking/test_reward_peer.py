"""Learning from reward agrees in law with a plain NumPy script that has the equations alone.

At length, and with its table: `benchmarks/peers/numpy/agreement.py`.
"""

import sys
from dataclasses import replace

import numpy as np
import pytest

from synsamp.analysis.agreement import deviation_of_means, deviation_of_variances
from synsamp.bench.spiking.reward_peer import Case, by_numpy, by_synsamp

RUNS, DT_S = 200, 1e-3
SEEN = {"refresh_s": 0.0, "grid_s": DT_S}  # both see θ = 0 and the bounds as often
RNG = np.random.default_rng(0)
COMMON = {
    "rates_hz": RNG.uniform(10.0, 60.0, 4),
    "theta0": RNG.uniform(-0.2, 2.0, (3, 4)),
    "tau_e_s": 0.3, "tau_g_s": 1.0, "c": 10.0, "b": 0.05, "T": 0.5,
    "floor": -0.3, "ceiling": 2.2, "duration_s": 1.2, "mean_s": 1.0,
}  # fmt: skip
CASES = {
    "given": Case(**COMMON, dopamine=np.array([2.0, -0.5, 4.0]), period_s=0.4),
    "closed": Case(**COMMON, worth=np.array([1.0, 0.0, 0.0]), period_s=0.1),
}


@pytest.fixture(scope="module", params=CASES)
def runs(request):
    case = CASES[request.param]
    numpy = by_numpy(case, RUNS, seed=1, dt_s=DT_S, python=sys.executable)
    return case, by_synsamp(case, RUNS, seed=2, **SEEN), numpy


def test_means_and_variances_agree(runs):
    case, own, numpy = runs
    for name in ("e", "g", "theta", "spikes"):
        assert deviation_of_means(own[name], numpy[name]).chance > 1e-4, name
        assert deviation_of_variances(own[name], numpy[name]).chance > 1e-4, name
    if case.worth is not None:
        whole = own["reward"].mean(1), numpy["reward"].mean(1)
        assert deviation_of_means(*whole).chance > 1e-4
        assert deviation_of_variances(*whole).chance > 1e-4


def test_wrong_models_do_not_agree(runs):
    case, _, numpy = runs
    if case.worth is not None:
        wrong = by_synsamp(case, RUNS, seed=3, rewarded=False, **SEEN)
        assert deviation_of_variances(wrong["g"], numpy["g"]).chance < 1e-6
        return
    wrong = by_synsamp(case, RUNS, seed=3, expectation=False, **SEEN)
    for name in ("e", "g", "theta"):
        assert deviation_of_means(wrong[name], numpy[name]).chance < 1e-6, name
    wrong = by_synsamp(replace(case, tau_g_s=0.3), RUNS, seed=3, **SEEN)
    assert deviation_of_variances(wrong["g"], numpy["g"]).chance < 1e-6
