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
from synsamp.specialise.disk import is_private, is_safe_parent, kernel_folder
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


EDITED = {
    "package": ("import edited.consts\n\ndef part(x):\n    return edited.consts.K * x", "K = {}"),
    "closure": (
        "def make():\n    import edited.consts as c\n    def part(x):\n        return c.K * x\n"
        "    return part\npart = make()",
        "K = {}",
    ),
    "enum": (
        "from edited.consts import Size\n\ndef part(x):\n    return Size.LARGE * x",
        "import enum\nclass Size(enum.IntEnum):\n    LARGE = {}",
    ),
    "named tuple": (
        "from edited.consts import Pair\n\ndef part(x):\n    return Pair().a * x",
        "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: int = {}",
    ),
    "order of fields": (
        "from edited.consts import PAIR\n\ndef part(x):\n    return PAIR.a * x",
        "from collections import namedtuple\n"
        "PAIR = namedtuple('Pair', 'a b' if {} == 1 else 'b a')(1, 2)",
    ),
}


@pytest.mark.parametrize("kind", EDITED)
def test_a_fingerprint_changes_with_a_constant_in_another_module(kind, tmp_path):
    use, constants = EDITED[kind]
    (tmp_path / "edited").mkdir()
    (tmp_path / "edited" / "__init__.py").write_text("")
    program = f"from synsamp.specialise.fingerprint import fingerprint\n{use}\n"
    (tmp_path / "program.py").write_text(program + "print(fingerprint(part))")
    found = set()
    for value in (1, 2, 1):
        (tmp_path / "edited" / "consts.py").write_text(constants.format(value))
        command = [sys.executable, "-B", str(tmp_path / "program.py")]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.add(done.stdout.strip())
    assert len(found) == 2
    assert "None" not in found


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
def test_damaged_machine_code_is_discarded_and_compiled_again(what, hits, tmp_path):
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


def _mode(path, mode):
    path.mkdir(exist_ok=True)
    path.chmod(mode)
    return path


def test_a_folder_below_one_that_others_may_write_to_is_not_used(tmp_path):
    parent = _mode(tmp_path / "shared", 0o777)
    assert not is_private(_mode(parent / "synsamp", 0o700))
    assert is_private(_mode(_mode(tmp_path / "sticky", 0o1777) / "synsamp", 0o700))
    assert is_private(_mode(_mode(tmp_path / "own", 0o755) / "synsamp", 0o700))


def test_a_parent_that_belongs_to_somebody_else_is_not_safe(tmp_path):
    found = list(tmp_path.stat())
    assert is_safe_parent(os.stat_result(found))
    found[stat.ST_UID] = os.getuid() + 12345
    assert not is_safe_parent(os.stat_result(found))


@pytest.mark.parametrize(("mode", "hits"), [(0o600, 1), (0o666, 0), (0o620, 0)])
def test_a_file_that_others_may_write_to_is_not_loaded(mode, hits, tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for text in (DAMAGE + f"for path in files: path.chmod({mode})\n", AGAIN):
        path = tmp_path / "program.py"
        path.write_text(text)
        argument = "nothing" if text is not AGAIN else str(hits)
        done = subprocess.run(
            [sys.executable, str(path), argument], env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    kept = list((tmp_path / "synsamp").glob("*triple*"))
    assert len(kept) == 2
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}


OF_ONE_NAME = """
import sys
from numba import njit
from synsamp.specialise import specialise

def kernel(x):
    return part(x)

for factor in map(float, sys.argv[1:]):
    scope = {"njit": njit, "factor": factor, "__name__": "__main__"}
    exec("@njit\\ndef part(x):\\n    return factor * x + sum([x] * 50)", scope)
    print(specialise(kernel, on_disk=True, part=scope["part"])(1.0))
"""


def test_functions_of_one_name_that_two_processes_kept_are_two_functions(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    path = tmp_path / "program.py"
    path.write_text(OF_ONE_NAME)

    def run(*factors):
        command = [sys.executable, str(path), *factors]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        return list(map(float, done.stdout.split()))

    assert run("2") == [52.0]
    assert run("3") == [53.0]
    assert run("2", "3") == [52.0, 53.0]  # both from disk, in one process
