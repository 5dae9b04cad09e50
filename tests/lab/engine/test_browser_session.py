"""Sessions of the browser's engine by themselves: looking, going back, bad settings."""

from __future__ import annotations

import numpy as np
import pytest

from browser import needs_browser
from lab.engine.sessions import DIGITS, LANDSCAPE, REWARD, SENSES, SPINES

pytestmark = needs_browser


def spikes(found):
    return {
        name: [np.asarray(own[c]) for c in ("time", "neuron")]
        for name, own in found["spikes"].items()
    }


def same(one, other):
    assert one.keys() == other.keys()
    for name, columns in one.items():
        for a, b in zip(columns, other[name], strict=True):
            np.testing.assert_array_equal(a, b, err_msg=name)


def test_looking_never_changes_the_run(browser_session):
    everything = ["spikes", "theta", "weights", "active", "stimulus", "tuning", "curves"]
    session = {**DIGITS, "actions": DIGITS["actions"][:-1]}  # the twin stays
    often = browser_session(**{**session, "look_every": 1, "want": everything})
    rarely = browser_session(**{**session, "look_every": 45})
    same(spikes(often), spikes(rarely))
    for name, theta in often["theta"].items():
        np.testing.assert_array_equal(theta, rarely["theta"][name])


@pytest.mark.parametrize("session", [DIGITS, SENSES, SPINES, REWARD, LANDSCAPE],
                         ids=lambda s: s["scene"])  # fmt: skip
def test_going_back_and_on_gives_the_same_spikes(browser_session, session):
    back = session["ticks"] // 2
    straight, again = browser_session(**session), browser_session(**session, back=back)
    assert straight["log"][: len(again["log"])] == again["log"]
    # Actions after the moment one returns to are dropped: compare up to the next of them.
    later = [a["tick"] for a in session["actions"] if a["tick"] >= back]
    assert later, "an action must come later, so that dropping it is seen"
    if "network" not in straight["spikes"]:
        assert not np.array_equal(straight["theta"]["theta"], again["theta"]["theta"])
        return
    tick_s = straight["values"]["time_s"] / straight["values"]["tick"]
    low, high = back * tick_s, min(later) * tick_s
    (t, k), (u, n) = (spikes(one)["network"] for one in (straight, again))
    of, own = (t >= low) & (t < high), (u >= low) & (u < high)
    assert of.sum() > 0 or low == high
    np.testing.assert_array_equal(t[of], u[own])
    np.testing.assert_array_equal(k[of], n[own])
    assert u.min() >= low


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"speed": 7}, "speed must be a number"),
        ({"nonsense": 1}, "setting must be one of speed"),
        ({"stimuli": []}, "stimuli must be a list"),
        ({"stimuli": [3]}, "stimuli must be a list"),
        ({"learn_when_retracted": 1}, "must be true or false"),
    ],
)
def test_bad_settings_are_errors(browser_session, settings, message):
    with pytest.raises(Exception, match=message):
        browser_session(scene="digits", seed=1, ticks=1, settings=settings)
