"""JAX is optional: imported only on demand, and an error says how to install it."""

from __future__ import annotations

import subprocess
import sys

import pytest


def _in_a_fresh_process(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_importing_the_package_and_sampling_with_numpy_leave_jax_alone():
    code = """
import sys, numpy as np, synsamp
synsamp.sample(synsamp.Rule(prior=synsamp.Gaussian()), [0.0], steps=8, dt=0.1, progress=False)
import synsamp.cli
print(sorted(name for name in sys.modules if name.split('.')[0] in ('jax', 'jaxlib', 'optax')))
"""
    status, out, err = _in_a_fresh_process(code)
    assert status == 0, err
    assert out.strip() == "[]"


def test_the_check_above_can_fail():
    _, out, _ = _in_a_fresh_process("import sys, synsamp.jax; print('jax' in sys.modules)")
    assert out.strip() == "True"


# A finder that knows nothing of the package stands for an environment without it.
WITHOUT = """
import sys, importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in {missing} else found(name, *more)
try:
    {ask}
except ImportError as error:
    print(type(error).__mro__[1].__name__, '|', error)
"""


@pytest.mark.parametrize("missing", [["jax", "optax"], ["optax"], ["jax"]])
@pytest.mark.parametrize("ask", ["import synsamp.jax", "import synsamp; synsamp.jax.sampling"])
def test_without_the_extra_one_line_says_how_to_get_it(missing, ask):
    status, out, err = _in_a_fresh_process(WITHOUT.format(missing=missing, ask=ask))
    assert status == 0, err
    assert out.startswith("SynsampError | synsamp.jax needs jax and optax, got no ")
    assert "pip install 'synsamp[jax]'" in out
    assert len(out.strip().splitlines()) == 1
    for name in missing:
        assert f"no {name}" in out


def test_a_jax_function_without_the_extra_says_so_too():
    ask = """
    import jax, synsamp
    rule = synsamp.Rule(jax.jit(lambda theta: -theta @ theta))
    synsamp.sample(rule, [0.0], steps=8, dt=0.1, progress=False)"""
    status, out, err = _in_a_fresh_process(WITHOUT.format(missing=["optax"], ask=ask))
    assert status == 0, err
    assert "got no optax; pip install 'synsamp[jax]'" in out


@pytest.mark.parametrize("name", ["rewiring_mnist", "ensemble_mnist"])
def test_an_experiment_without_the_extra_says_so_too(name):
    ask = f"from synsamp.cli import main; sys.argv = ['synsamp', 'run', '{name}']; main()"
    status, _, err = _in_a_fresh_process(WITHOUT.format(missing=["jax", "optax"], ask=ask))
    assert status == 2
    assert len(err.strip().splitlines()) == 1
    assert f"{name} needs jax and optax, got no jax and no optax" in err
    assert "pip install 'synsamp[jax]'" in err
