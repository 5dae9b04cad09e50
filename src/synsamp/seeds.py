"""Named seeds: each part of a run has its own, independent of all others and of their order."""

from __future__ import annotations

import hashlib
import json
import operator

import numpy as np


def named_seed(seed: int, *key: str | int | float) -> np.random.SeedSequence:
    """The seed of a named part: ``named_seed(seed, "trial", 3)``.

    The run's seed is the entropy, a hash of the name the key. The hash makes ("trial", 3)
    independent of ("trial", 30) and of every other name.
    """
    digest = hashlib.sha256(json.dumps([_plain(part) for part in key]).encode()).digest()
    spawn_key = tuple(np.frombuffer(digest, "<u4").tolist())
    return np.random.SeedSequence(operator.index(seed), spawn_key=spawn_key)


def _plain(part: str | int | float) -> str | int | float:
    """A part of a name as JSON writes it, whether it came from NumPy or not."""
    if isinstance(part, str):
        return part
    if isinstance(part, (float, np.floating)):
        return float(part)
    return operator.index(part)
