"""No input may reach memory that it does not own: the engine under bounds checks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CHECKED = {**os.environ, "SYNSAMP_BOUNDS_CHECKS": "1"}

BROKEN = """
import numpy as np
from synsamp.spiking import Simulation, winner_take_all_network

sim = Simulation(winner_take_all_network(40, 5), np.full(40, 50.0), seed=1)
sim.run(1.0)
state = sim._state
cut = {cut}
setattr(state, cut[0], getattr(state, cut[0]).replace(**{{cut[1]: cut[2]}}))
sim.run(5.0)
"""


def checked(*arguments):
    return subprocess.run(
        [sys.executable, *arguments], env=CHECKED, capture_output=True, text=True, timeout=900
    )


SUITE = ("twin", "modes", "parts", "states", "distributions")


def test_the_suite_passes_under_bounds_checks():
    files = [str(HERE / f"test_spiking_{name}.py") for name in SUITE]
    files.append(str(HERE / "test_daily_use.py"))
    options = ("-q", "-p", "no:cacheprovider", "-m", "not statistical")
    done = checked("-m", "pytest", *options, *files)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "cut",
    [
        '("synapses", "column", state.synapses.column[:64].copy())',
        '("synapses", "theta", state.synapses.theta[:48].copy())',
        '("activity", "fall", state.activity.fall[:16].copy())',
        '("activity", "sum_rise", state.activity.sum_rise[:8].copy())',
    ],
)
def test_the_checks_see_an_array_that_is_too_short(cut):
    """Negative control: whatever part of memory is missing, it is not touched but named."""
    done = checked("-c", BROKEN.format(cut=cut))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "IndexError" in done.stderr


LATER = """
import numpy as np
from numba import njit
from synsamp.spiking import CustomPlasticity, Simulation, SynapseModel, winner_take_all_network

@njit
def later(synapse, traces, parameters):
    if synapse.theta != 0.5:  # not the value at which functions are tried
        traces[1] = 5.0
    return 0.0

model = SynapseModel(plasticity=CustomPlasticity(PLACE=later, time_constants_s=(1.0,)))
Simulation(winner_take_all_network(8, 2, model), np.full(8, 50.0), seed=1).run(1.0)
"""


@pytest.mark.parametrize("place", ["on_post", "on_pre"])
def test_the_checks_see_a_users_function_that_leaves_its_traces(place):
    done = checked("-c", LATER.replace("PLACE", place))
    assert "IndexError" in done.stderr, done.stdout + done.stderr
