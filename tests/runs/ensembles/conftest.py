"""What the tests of ensembles share."""

from __future__ import annotations

import pytest

from synsamp.runs.parallel.workers import Workers


@pytest.fixture(scope="module")
def two():
    """Two worker processes."""
    with Workers(count=2) as workers:
        yield workers
