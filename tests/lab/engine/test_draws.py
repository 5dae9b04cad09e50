"""Random numbers of the shell and NumPy's seed sequences, in JavaScript."""

from __future__ import annotations

import json

import numpy as np

from browser import needs_browser
from lab.engine.browser_engine import STATIC
from synsamp.lab.draws import normals
from synsamp.noise.streams import new_stream

pytestmark = needs_browser


def test_draws_are_those_of_python(engine_page):
    known = json.loads((STATIC / "engine" / "draws.json").read_text())["draws"]
    found = engine_page.evaluate(
        """async known => {
            const { drawn } = await import("/engine/random.js");
            return known.map(one => drawn(one.seed, one.number, one.stream));
        }""",
        known,
    )
    assert found == [one["value"] for one in known]


def test_streams_start_as_numpy_starts_them(engine_page):
    seeds = [[0], [7], [2**32 - 1], [3, 400], [5, 2**33 + 1]]
    keys = [[0], [0, 2], [1, 0, 5]]
    found = engine_page.evaluate(
        """async ([seeds, keys]) => {
            const { SeedSequence } = await import("/engine/random.js");
            return seeds.map(s => keys.map(k => [...new SeedSequence(s, k).stream()]));
        }""",
        [seeds, keys],
    )
    for entropy, row in zip(seeds, found, strict=True):
        for key, words in zip(keys, row, strict=True):
            seed = np.random.SeedSequence(
                entropy if len(entropy) > 1 else entropy[0], spawn_key=key
            )
            np.testing.assert_array_equal(words, new_stream(seed).ravel())


def test_normals_of_a_stream(engine_page):
    found = engine_page.evaluate(
        """async () => {
            const { normal } = await import("/engine/random.js");
            return Array.from({length: 200}, (_, i) => normal(9, i, 10));
        }"""
    )
    np.testing.assert_allclose(found, normals(9, 200, 10), rtol=1e-12, atol=1e-13)
