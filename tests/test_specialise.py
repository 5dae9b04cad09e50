"""Machine code on disk must never answer for another function than the one that was asked."""

import os
import subprocess
import sys
import textwrap

import numpy as np
from numba import njit

import synsamp as ss


def _mean_after(gradient):
    rule = ss.Rule(ss.Batch(gradient), temperature=0.0)
    result = ss.sample(rule, np.zeros(1), steps=400, dt=0.1, chains=1, progress=False)
    return float(result.theta[0, -1, 0])


def _towards(target):
    @njit
    def gradient(theta):
        return target - theta

    return gradient


def test_two_functions_of_one_name_are_two_functions():
    assert round(_mean_after(_towards(1.0)), 6) == 1.0
    assert round(_mean_after(_towards(2.0)), 6) == 2.0


def test_an_edited_script_is_not_answered_with_old_code(tmp_path):
    script = textwrap.dedent(
        """
        import numpy as np, numba, synsamp as ss
        @numba.njit
        def gradient(theta):
            return TARGET - theta
        r = ss.sample(ss.Rule(gradient, temperature=0.0), np.zeros(1), steps=400, dt=0.1, chains=1)
        print(round(float(r.theta[0, -1, 0]), 6))
        """
    )
    path = tmp_path / "mine.py"
    for target in ("3.0", "4.0"):
        path.write_text(script.replace("TARGET", target))
        done = subprocess.run(
            [sys.executable, str(path)], capture_output=True, text=True, check=True, env=os.environ
        )
        assert done.stdout.strip() == target
