"""The page on other models is true: its examples run, and do what it says."""

import re
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "models.md"


def test_the_examples_run_in_order(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) == 4
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("Simulation(x: 64 inputs, z: 5 neurons; 320 potential synapses")
    assert re.fullmatch(r"\d+\.\d Hz per neuron", printed[1])
    lags, window = names["lags_s"], np.array(names["window"])
    after, before = lags > 0, lags < 0
    np.testing.assert_allclose(window[after], 1e-3 * np.exp(-lags[after] / 0.017), rtol=1e-6)
    np.testing.assert_allclose(window[before], -5e-4 * np.exp(lags[before] / 0.034), rtol=1e-6)
    assert names["cooling"].network.projection("x->z").synapses.speed == 2e-4
