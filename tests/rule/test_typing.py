"""Type checkers accept correct settings of a rule and reject wrong ones."""

import re
from pathlib import Path

import pytest

api = pytest.importorskip("mypy.api")
ROOT = Path(__file__).parents[2]

SNIPPET = """
import numpy as np
import optax
import synsamp as ss
import synsamp.jax as sj

sj.sampling(speed=1e-3, prior={"w": ss.Laplace(), "b": ss.Flat()}, key=3)
sj.sampling(learning_rate=optax.constant_schedule(0.1), method=ss.Underdamped())
sj.sampler(lambda w: 0.0, speed="auto", mapping=[ss.Softplus(0.5)], method=sj.Thermostat(5.0))
sj.sampler(lambda w: 0.0, speed={"w": 0.1, "b": 0.2}, prior=lambda path: ss.Gaussian())
sj.sampler(lambda w: 0.0, speed="fast")  # wrong
sj.sampler(lambda w: 0.0, speed=0.1, temperature="hot")  # wrong
sj.sampling(speed=0.1, prior=1.0)  # wrong
sj.sampling(speed=0.1, method="baoab")  # wrong
sj.run(3.0, 1.0, steps=10)  # wrong
ss.Rule(speed=2.0, temperature=0.5)
ss.Rule(speed=np.ones(3), temperature=lambda t: 1.0 / (1.0 + t))
ss.Rule(speed=[1.0, 2.0], prior=ss.Gaussian(np.zeros(2), 1))
ss.Rule(speed=ss.Speed(lambda x, p: 1 + x**2, lambda x, p: 2 * x))
ss.Rule(speed="fast")  # wrong
ss.Rule(temperature="hot")  # wrong
ss.Rule(prior=1.0)  # wrong
ss.Rule(mapping=ss.Gaussian())  # wrong
ss.Gaussian("wide")  # wrong
ss.Exponential("three")  # wrong
"""


def test_wrong_types_are_rejected_and_right_ones_accepted(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)  # for the settings and the cache of mypy
    (tmp_path / "snippet.py").write_text(SNIPPET)
    out, errors, _ = api.run(["--no-error-summary", str(tmp_path / "snippet.py")])
    assert errors == ""
    found = {int(line) for line in re.findall(r"snippet\.py:(\d+): error", out, re.M)}
    wrong = {k for k, line in enumerate(SNIPPET.splitlines(), 1) if line.endswith("# wrong")}
    assert found == wrong, out
