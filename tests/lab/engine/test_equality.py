"""The browser's engine is the engine: same scene, seed and actions, same spikes.

The native engine may fuse multiplication and addition, WebAssembly does not, so θ differs by
rounding, which grows with time. `torture/test_browser_engine.py` compares longer sessions with an
engine compiled without fused operations.
"""

from __future__ import annotations

import numpy as np
import pytest

from browser import needs_browser
from lab.engine.browser_engine import compare, in_python
from lab.engine.sessions import SHORT

pytestmark = needs_browser

THETA_WITHIN = 1e-6
LEAST_SPIKES = {"digits": 3500, "senses": 13000, "spines": 8000, "reward": 4000, "landscape": 0}


@pytest.fixture(scope="module", params=SHORT)
def both(request, browser_session):
    """One session in the browser and in Python."""
    session = SHORT[request.param]
    return session, browser_session(**session), in_python(**session)


def test_every_spike_and_theta_are_those_of_the_native_engine(both):
    session, found, expected = both
    count = compare(found, expected, THETA_WITHIN)
    assert count >= LEAST_SPIKES[session["scene"]]
    assert expected["values"].get("turnover") == found["values"].get("turnover")


def test_probes_and_errors_are_the_same(both):
    session, found, expected = both
    probes = [
        [event for event in one["events"] if event["type"] == "probe"] for one in (found, expected)
    ]
    assert len(probes[0]) == len(probes[1])
    tested = {"probe", "lesion"} if session["scene"] in ("digits", "senses") else {"probe"}
    assert len(probes[0]) == sum(action["kind"] in tested for action in expected["log"])
    for one, other in zip(*probes, strict=True):
        assert one["tick"] == other["tick"]
        for name, values in other["values"].items():
            assert one["values"][name]["correct"] == values["correct"]
            for column in ("mean", "error"):
                if column in values:
                    got = np.array(one["values"][name][column])
                    np.testing.assert_allclose(got, values[column], rtol=1e-12, atol=1e-12)
    errors = [sum(e["type"] == "error" for e in one["events"]) for one in (found, expected)]
    assert errors[0] == errors[1]


def test_what_is_shown_is_the_same(both):
    _, found, expected = both
    for name, values in expected["arrays"].items():
        if name.endswith(("spike_time", "spike_neuron")):
            continue  # compared above
        np.testing.assert_allclose(
            np.asarray(found["arrays"][name]).ravel(), np.ravel(values), rtol=1e-4, atol=1e-5,
            err_msg=name,
        )  # fmt: skip
    assert found["arrays"].keys() >= expected["arrays"].keys()
