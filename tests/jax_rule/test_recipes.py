"""Recipes of docs/howto/recipes.md run with current libraries and sample the exact posterior."""

from __future__ import annotations

import re
from pathlib import Path

import jax
import numpy as np
import pytest

import synsamp as ss
import synsamp.jax as sj

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "recipes.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
DATA, RECIPES = (
    BLOCKS[0],
    dict(zip(("equinox", "linen", "nnx", "numpyro", "key"), BLOCKS[1:], strict=True)),
)
LIBRARY = {"equinox": "equinox", "linen": "flax", "nnx": "flax", "numpyro": "numpyro"}


def _run(name):
    library = LIBRARY.get(name)
    if library is not None:
        pytest.importorskip(library, reason=f"pip install {library} to test its recipe")
    names = {}
    exec(DATA, names)
    exec(RECIPES[name], names)
    return names


def _coefficients(tree):
    """Two slopes and the intercept of a draw, whatever the library calls them."""
    leaves = sorted((np.ravel(leaf) for leaf in jax.tree.leaves(tree)), key=len)
    return np.concatenate(leaves[::-1])


@pytest.mark.parametrize("name", LIBRARY)
def test_a_recipe_samples_the_exact_posterior(name):
    names = _run(name)
    draws = names["draws"]
    found = np.array(
        [[_coefficients(draws[c, d]) for d in range(draws.shape[1])] for c in range(4)]
    )
    x = np.column_stack([names["x"], np.ones(100)])
    precision = np.eye(3) + x.T @ x
    mean = np.linalg.solve(precision, x.T @ np.asarray(names["y"]))
    white = (found - mean) @ np.linalg.cholesky(precision)
    # 3,200 draws, thinned by a time constant: at least a third of them count.
    assert np.abs(white.mean(axis=(0, 1))).max() < 4 / np.sqrt(1000)
    assert np.abs(white.var(axis=(0, 1)) - 1).max() < 4 * np.sqrt(2 / 1000)


def test_recipes_have_at_most_five_lines():
    for name in LIBRARY:
        lines = [line for line in RECIPES[name].splitlines() if line and "import" not in line]
        if name == "numpyro":  # without the model, which its users have
            lines = [line for line in lines if not line.startswith((" ", "def"))]
        assert len(lines) <= 5, name


def test_a_log_likelihood_may_be_random():
    names = _run("key")
    draws = names["draws"]
    assert np.abs(draws["theta"].mean(axis=(0, 1)) - [1.0, -0.5]).max() < 0.5
    assert draws.log_likelihood.shape == (4, 800)


def test_flax_saves_the_state_of_an_optimiser_with_an_old_style_key():
    serialization = pytest.importorskip("flax", reason="pip install flax").serialization
    params = {"w": jax.numpy.ones(3)}
    settings = dict(speed=0.1, method=ss.Underdamped(), key=jax.random.PRNGKey(3))
    state = sj.sampling(**settings).init(params)
    again = serialization.from_bytes(state, serialization.to_bytes(state))
    jax.tree.map(np.testing.assert_array_equal, again, state)
