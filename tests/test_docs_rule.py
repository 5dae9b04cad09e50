"""Every example of docs/howto/rule.md runs as printed, is short, and gives the answer it should."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).parents[1] / "docs" / "howto" / "rule.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)


def _run(which):
    names = {}
    exec(BLOCKS[which], names)
    return names


def test_custom_likelihood_gives_the_conjugate_posterior():
    names = _run(0)
    heights = names["heights_m"]
    precision = heights.size / 0.1**2 + 1 / 0.2**2
    mean = (heights.sum() / 0.1**2 + 1.7 / 0.2**2) / precision
    result = names["result"]
    assert abs(result.theta.mean().item() - mean) < 5 * result.mcse_mean.item()
    assert result.r_hat.item() < 1.01
    # The spread's own error is about std/√(2·ESS); the step adds 2 % to the variance.
    tolerance = 5 / np.sqrt(2 * result.ess_bulk.item()) + 0.02
    assert abs(result.theta.std().item() * np.sqrt(precision) - 1) < tolerance


def test_other_priors_and_a_falling_temperature(capsys):
    _run(1)
    means = [
        list(map(float, re.findall(r"-?\d+\.\d*", line)))
        for line in capsys.readouterr().out.strip().splitlines()
    ]
    assert len(means) == 3
    for pair in means:
        assert abs(sum(pair) - 1) < 0.2  # what the likelihood asks for, whatever the prior
    assert means[1][0] > means[1][1]  # the first has its prior at 1, the second at 0


def test_custom_prior_and_mapping():
    names = _run(2)
    assert names["result"].theta.std() > 0.01
    weight = names["square"].weight(names["result"].theta).mean()
    assert 1.5 < weight < 2.2  # near 2, drawn in a little by the prior


def test_theory_before_running(capsys):
    _run(3)
    relaxation = float(re.search(r"few times (\S+)", capsys.readouterr().out)[1])
    assert 0.01 < relaxation < 10


def test_inertia_and_rejection_give_the_same_posterior(capsys):
    _run(4)
    text = capsys.readouterr().out.replace("\n ", " ").strip().splitlines()
    first, second = (np.array(line.strip("[]").split(), float) for line in text)
    assert np.all(np.abs(first - second) < 0.25)  # stds are below 0.6, and ESS is at least 400
    assert np.all(np.diff(first) > 0)


@pytest.mark.parametrize("block", BLOCKS)
def test_examples_are_about_ten_lines(block):
    lines = [line for line in block.splitlines() if line.strip()]
    assert len(lines) <= 18
