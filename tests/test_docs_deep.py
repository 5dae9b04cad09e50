"""Every example of docs/howto/deep.md runs as printed and gives the answer it should."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "howto" / "deep.md").read_text()
REFERENCE = (ROOT / "docs" / "reference" / "deep-reference.md").read_text()
VALIDATION = (ROOT / "docs" / "reference" / "validation.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)


def _run(which):
    names = {}
    exec(BLOCKS[which], names)
    return names


def test_the_posterior_of_a_classifier():
    names = _run(0)
    assert (names["p"].argmax(1) == names["y"][4000:]).mean() > 0.97
    assert names["draws"].shape == (2, 40)
    lines = [line for line in BLOCKS[0].splitlines() if line and "import" not in line]
    assert len(lines) == 10  # as its heading says


def test_a_training_loop_samples_around_the_answer():
    params = _run(1)["params"]
    # 200 examples with noise of std 1: the posterior has a std of about 0.07; the prior draws in.
    np.testing.assert_allclose(params["w"], np.arange(5.0), atol=0.5)
    assert float(params["b"]) != 1.0


def test_sample_with_a_jax_function():
    result = _run(2)["result"]
    total = result.theta.sum("parameter").mean().item()
    assert abs(total - 1) < 0.2
    assert result.theta.shape == (4, 20_000, 2)


def test_a_layer_that_rewires():
    names = _run(3)
    trace = names["draws"].log_likelihood[0]
    assert trace[1:].mean() > -0.3  # it learns: without any input the error is 0.40
    assert np.unique(np.asarray(names["after"].wires.places)).size == 60
    assert names["sj"].turnover(names["before"].wires, names["after"].wires) > 0.1


def test_the_tables_are_filled_and_files_exist():
    for name in ("bias", "methods", "preconditioner"):
        part = re.search(f"<!-- {name}: begin -->(.*?)<!-- {name}: end -->", REFERENCE, re.S)[1]
        assert part.count("\n|") > 3
    tests = re.findall(r"`(tests/[\w/]+(?:\.py)?)`", REFERENCE + VALIDATION)
    assert len(tests) > 20
    for path in tests:
        assert (ROOT / path).exists(), path
    for path in re.findall(r"`(jax/\w+\.py|rule/\w+\.py)`", REFERENCE):
        assert (ROOT / "src" / "synsamp" / path).exists()
