"""Checking what a sweep consists of takes no longer than it must."""

from __future__ import annotations

import pytest

from synsamp.errors import SynsampError
from synsamp.runs.ensembles.plan import describe_ensemble
from toys.coins import EXPERIMENT


def test_versions_are_looked_up_once_however_many_values_vary(monkeypatch):
    """Reading them parses files: for 20,000 values it took minutes."""
    from importlib import metadata

    from synsamp.runs.storage import machine

    asked = []
    monkeypatch.setattr(metadata, "version", lambda name: asked.append(name) or "1")
    machine._version.cache_clear()
    try:
        values = ",".join(str(i / 1000) for i in range(300))
        whole = describe_ensemble(EXPERIMENT, 1, [f"coin.chance={values}"])
    finally:
        machine._version.cache_clear()
    assert len(whole.vary["coin.chance"]) == 300
    assert len(asked) == len(machine.RECORDED)


def test_more_combinations_than_can_be_run_raise_an_error_before_they_are_listed():
    many = ",".join(map(str, range(1, 5001)))
    vary = [f"tosses={many}", f"pause_s={many}", f"coin.chance={many}"]
    with pytest.raises(SynsampError, match=r"at most 1,000,000 trials, got '125,000,000,000 comb"):
        describe_ensemble(EXPERIMENT, 1, vary)
