"""Machine code on disk must never answer for another function than the one that was asked."""

import os
import stat
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numba import njit

import synsamp as ss
from synsamp.specialise import specialise
from synsamp.specialise.disk import kernel_folder
from synsamp.specialise.fingerprint import fingerprint


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


# -- fingerprints --------------------

FACTOR = 2.0


def _helper(x):
    return FACTOR * x


def _uses_helper(x):
    return _helper(x) + 1.0


def test_a_fingerprint_sees_what_a_function_refers_to(monkeypatch):
    before = fingerprint(_uses_helper)
    assert before == fingerprint(_uses_helper)
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    with_another_number = fingerprint(_uses_helper)
    monkeypatch.setitem(globals(), "_helper", lambda x: x)
    assert len({before, with_another_number, fingerprint(_uses_helper)}) == 3


@pytest.mark.parametrize("one", [1.0, 1, "a", (1, 2), np.arange(3), np.float32(1), None, True])
def test_values_of_different_kinds_have_different_fingerprints(one):
    others = [1.5, 2, "b", (1, 3), np.arange(4), np.float32(2), False]
    assert fingerprint(one) is not None
    assert fingerprint(one) not in {fingerprint(other) for other in others}


def test_a_fingerprint_sees_what_is_called_through_a_module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    found = set()
    for factor in (1, 7):
        name = f"my_helpers_{factor}"
        (tmp_path / f"{name}.py").write_text(f"def pull(x):\n    return {factor} * x\n")
        module = __import__(name)
        module.__name__ = "my_helpers"
        scope = {"helpers": module}
        exec("def part(x):\n    return helpers.pull(x)", scope)
        found.add(fingerprint(scope["part"]))
    assert len(found) == 2


def test_what_cannot_be_described_has_no_fingerprint():
    assert fingerprint(object()) is None


PART = """
from numba import njit

@njit
def gradient(theta, p):
    return STRENGTH * (0.0 - theta)

@njit
def log_density(theta, p):
    return 0.0
"""

USE = """
import sys
sys.path.insert(0, sys.argv[1])
import synsamp.my_part as part
import numpy as np
from synsamp.priors import CustomPrior
from synsamp.spiking import Simulation, SynapseModel, winner_take_all_network

prior = CustomPrior(part.log_density, part.gradient)
model = SynapseModel(prior=prior, speed=1e-3, temperature=0.0)
net = winner_take_all_network(3, 1, model, rate_hz=1e-9)
print(Simulation(net, theta={"x->z": 1.0}, drift_interval_s=1.0).run(100.0).theta("x->z")[0, 0])
"""


def test_a_part_inside_the_package_that_was_edited_is_compiled_anew(tmp_path):
    """A prior defined anywhere in the package, as an experiment's may be."""
    part = tmp_path / "my_part.py"
    link = "import synsamp; synsamp.__path__.append(sys.argv[1])\n"
    program = USE.replace("import synsamp.my_part", link + "import synsamp.my_part")
    values = []
    for strength in ("1.0", "5.0"):
        part.write_text(PART.replace("STRENGTH", strength))
        done = subprocess.run(
            [sys.executable, "-B", "-c", program, str(tmp_path)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        values.append(float(done.stdout))
    assert values == pytest.approx([np.exp(-0.1), np.exp(-0.5)], rel=5e-3)  # the step's own error


# -- the folder --------------------


def _double(x):
    return 2.0 * x + 0.125


def test_the_folder_of_kernels_belongs_to_the_user_alone():
    specialise(_double, on_disk=True)(1.0)
    mode = kernel_folder().stat().st_mode
    assert not mode & (stat.S_IWGRP | stat.S_IWOTH)
    assert list(kernel_folder().glob("*_double*.nbi"))


DAMAGE = """
import pathlib, sys
from synsamp.specialise import specialise
from synsamp.specialise.disk import kernel_folder

def triple(x):
    return 3.0 * x + 0.0625

what = sys.argv[1]
assert specialise(triple, on_disk=True)(1.0) == 3.0625
files = sorted(kernel_folder().glob("*triple*"))
assert len(files) == 2, files
for path in files:
    if what == "cut": path.write_bytes(path.read_bytes()[:20])
    if what == "garbage": path.write_bytes(b"\\x80garbage" * 50)
    if what == "empty": path.write_bytes(b"")
"""

HEAD = DAMAGE.partition("what =")[0]
AGAIN = (
    HEAD
    + """
assert specialise(triple, on_disk=True)(1.0) == 3.0625
assert sum(specialise(triple, on_disk=True).stats.cache_hits.values()) == int(sys.argv[1])
"""
)


@pytest.mark.parametrize(
    ("what", "hits"), [("nothing", 1), ("cut", 0), ("garbage", 0), ("empty", 0)]
)
def test_damaged_machine_code_is_thrown_away_and_made_anew(what, hits, tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def run(text, *arguments):
        path = tmp_path / "program.py"
        path.write_text(text)
        command = [sys.executable, str(path), *arguments]
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    run(DAMAGE, what)
    run(AGAIN, str(hits))
    run(AGAIN, "1")  # and kept again


def test_a_folder_that_others_may_write_to_is_not_used(tmp_path):
    (tmp_path / "synsamp").mkdir()
    (tmp_path / "synsamp").chmod(0o777)
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    text = HEAD + "assert specialise(triple, on_disk=True)(1.0) == 3.0625\n"
    path = tmp_path / "program.py"
    path.write_text(text)
    subprocess.run([sys.executable, str(path)], env=env, check=True)
    assert not list((tmp_path / "synsamp").iterdir())
